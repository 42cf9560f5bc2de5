package account_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func both(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			c := db.Config{Dir: t.TempDir(), Clock: clock.Fixed(now)}
			if dialect == db.PostgreSQL {
				c.URL = dbtest.URL(t)
			}
			d, err := dbtest.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			test(t, d)
		})
	}
}

func mustTx(t *testing.T, d *db.DB, f func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	if err := d.Tx(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	const password = secret.String("correct horse ü")
	hash, err := account.HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(hash) {
		t.Errorf("the hash is %s", hash)
	}
	if again, err := account.HashPassword(password); err != nil || again == hash {
		t.Errorf("the same password has the same hash twice (%v)", err)
	}
	if !account.VerifyPassword(hash, password) {
		t.Error("the password is refused")
	}
	for _, wrong := range []secret.String{"", "correct horse u", "Correct horse ü", "correct horse ü ", "correct horse"} {
		if account.VerifyPassword(hash, wrong) {
			t.Errorf("%q is accepted", wrong.Reveal())
		}
	}
	for _, short := range []secret.String{"", "elevenchars", "üüüüüüüüüüü", secret.String(strings.Repeat("a", 257))} {
		if _, err := account.HashPassword(short); !errors.Is(err, account.ErrPassword) {
			t.Errorf("a password of %d bytes: %v", len(short), err)
		}
	}
	for _, fine := range []secret.String{"twelve chars", "üüüüüüüüüüüü", secret.String(strings.Repeat("ü", 256))} {
		if _, err := account.HashPassword(fine); err != nil {
			t.Errorf("a password of %d bytes: %v", len(fine), err)
		}
	}
}

// A hash that is no hash belongs to no password.
func TestBrokenHashes(t *testing.T) {
	t.Parallel()
	const password = secret.String("correct horse")
	good, err := account.HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, "$")
	with := func(i int, v string) string {
		p := append([]string{}, parts...)
		p[i] = v
		return strings.Join(p, "$")
	}
	for _, hash := range []string{
		"", "none", "x", "$", "$$$$$", "$argon2id$v=19$m=19456,t=2,p=1$$", with(5, ""),
		with(5, "AAAA"), with(5, "!"), with(4, "!"), with(3, "m=0,t=0,p=0"), with(3, "m=19456,t=0,p=1"),
		with(3, "m=19456,t=2,p=0"), with(3, "m=19456,t=2,p=256"), with(3, "m=-1,t=-1,p=-1"), with(3,
			"m=4294967295,t=2,p=1"), with(3, "m=19456,t=4294967295,p=1"), with(3, ""), with(1, "argon2i"), with(2, "v=16"), good + "$", good[:len(good)-1],
	} {
		done := make(chan bool, 1)
		go func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%q: %v", hash, p)
					done <- false
				}
			}()
			done <- account.VerifyPassword(hash, password)
		}()
		if <-done {
			t.Errorf("%q belongs to the password", hash)
		}
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			user, err := account.CreateUser(ctx, tx, "", "Ada@Example.com", "correct horse")
			if err != nil {
				return err
			}
			if user.Name != "Ada" || user.Email != "ada@example.com" || strings.Contains(user.PasswordHash, "horse") ||
				!account.VerifyPassword(user.PasswordHash, "correct horse") {
				t.Errorf("the user is %+v", user)
			}
			found, err := account.FindUser(ctx, tx, "ADA@example.COM")
			if err != nil || found.ID != user.ID {
				t.Errorf("found %d, %v", found.ID, err)
			}
			if _, err := account.FindUser(ctx, tx, "bob@example.com"); !errors.Is(err, account.ErrNoUser) {
				t.Errorf("nobody: %v", err)
			}
			for _, email := range []string{"", "ada", "ada@", "Ada <ada2@example.com>", "a@b@c", "ada@example.com\n", strings.Repeat("a", 250) + "@example.com"} {
				if _, err := account.CreateUser(ctx, tx, "x", email, "correct horse"); !errors.Is(err, account.ErrEmail) {
					t.Errorf("%q: %v, want ErrEmail", email, err)
				}
			}
			if _, err := account.CreateUser(ctx, tx, "x", "new@example.com", "short"); !errors.Is(err, account.ErrPassword) {
				t.Errorf("a short password: %v", err)
			}
			return nil
		})
		err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := account.CreateUser(ctx, tx, "x", "ADA@example.com", "correct horse")
			return err
		})
		if !errors.Is(err, account.ErrEmailTaken) {
			t.Errorf("the same address in capitals: %v", err)
		}
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		hand := clocktest.At(now)
		d.Clock = hand
		var user query.User
		var token secret.String
		var row query.Token
		expires := now.Add(time.Hour)
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) (err error) {
			if user, err = tx.InsertUser(ctx, query.InsertUserParams{Name: "a", Email: "a", PasswordHash: "none"}); err != nil {
				return err
			}
			if _, _, err := account.CreateToken(ctx, tx, user.ID, "none", access.SetOf(), nil); !errors.Is(err, account.ErrScopes) {
				t.Errorf("a token without scopes: %v", err)
			}
			token, row, err = account.CreateToken(ctx, tx, user.ID, "mine", access.SetOf(access.SiteCreate, access.ServerView), &expires)
			return err
		})
		if !regexp.MustCompile(`^hostler_pat_[0-9a-f]{48}$`).MatchString(token.Reveal()) ||
			strings.Contains(fmt.Sprintf("%+v", row), token.Reveal()) || row.Scopes != `["server:view","site:create"]` {
			t.Errorf("the row is %+v", row)
		}
		auth := &account.Authenticator{DB: d}
		try := func(header string) (access.Actor, error) {
			req := httptest.NewRequest("GET", "/", nil)
			if header != "" {
				req.Header.Set("Authorization", header)
			}
			return auth.Authenticate(t.Context(), req)
		}
		want := access.Actor{UserID: user.ID, TokenID: row.ID, Scopes: access.SetOf(access.SiteCreate, access.ServerView)}
		for _, header := range []string{"Bearer " + token.Reveal(), "bearer " + token.Reveal(), "BEARER  " + token.Reveal() + " "} {
			if got, err := try(header); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, %v", header, got, err)
			}
		}
		for _, header := range []string{
			"", "Bearer", "Bearer ", token.Reveal(), "Basic " + token.Reveal(),
			"Bearer " + token.Reveal() + "0", "Bearer " + strings.ToUpper(token.Reveal()), "Bearer " + row.Hash, "Bearer " + token.Reveal() +
				", Bearer x", "Bearer " + strings.Repeat("a", 1000), "Bearer \x00\xff",
		} {
			if got, err := try(header); !errors.Is(err, api.ErrUnauthenticated) || got.UserID != 0 {
				t.Errorf("%q: %+v, %v, want ErrUnauthenticated", header, got, err)
			}
		}
		used := func() time.Time {
			t.Helper()
			row, err := d.Read().Ungranted().GetTokenByHash(t.Context(), row.Hash)
			if err != nil || row.LastUsedAt == nil {
				t.Fatalf("last use: %v, %v", row.LastUsedAt, err)
			}
			return time.UnixMicro(*row.LastUsedAt).UTC()
		}
		if got := used(); !got.Equal(now) {
			t.Errorf("last used %v, want %v", got, now)
		}
		for _, step := range []struct{ at, want time.Duration }{
			{time.Minute, 0},
			{5 * time.Minute, 0},
			{5*time.Minute + time.Microsecond, 5*time.Minute + time.Microsecond},
		} {
			hand.Set(now.Add(step.at))
			if _, err := try("Bearer " + token.Reveal()); err != nil {
				t.Fatal(err)
			}
			if got := used().Sub(now); got != step.want {
				t.Errorf("after %v the last use is %v, want %v", step.at, got, step.want)
			}
		}
		hand.Set(expires.Add(-time.Microsecond))
		if _, err := try("Bearer " + token.Reveal()); err != nil {
			t.Errorf("before its end: %v", err)
		}
		hand.Set(expires)
		if _, err := try("Bearer " + token.Reveal()); !errors.Is(err, api.ErrUnauthenticated) {
			t.Errorf("at its end: %v", err)
		}
		hand.Set(now)
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			micros := tx.Micros()
			_, err := tx.RevokeToken(ctx, row.ID, &micros)
			return err
		})
		if _, err := try("Bearer " + token.Reveal()); !errors.Is(err, api.ErrUnauthenticated) {
			t.Errorf("revoked: %v", err)
		}
	})
}
