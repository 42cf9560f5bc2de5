package account_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/organization"
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
				c.URL = pgtest.Database(t, "empty", nil)
			}
			d, err := db.Open(t.Context(), c)
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
	for _, hash := range []string{"", "none", "x", "$", "$$$$$", "$argon2id$v=19$m=19456,t=2,p=1$$", with(5, ""),
		with(5, "AAAA"), with(5, "!"), with(4, "!"), with(3, "m=0,t=0,p=0"), with(3, "m=19456,t=0,p=1"),
		with(3, "m=19456,t=2,p=0"), with(3, "m=19456,t=2,p=256"), with(3, "m=-1,t=-1,p=-1"), with(3,
			"m=4294967295,t=2,p=1"), with(3, "m=19456,t=4294967295,p=1"), with(3, ""), with(1, "argon2i"), with(2, "v=16"), good + "$", good[:len(good)-1]} {
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

type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = at
}

func TestTokens(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		hand := &handClock{now: now}
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
		for _, header := range []string{"", "Bearer", "Bearer ", token.Reveal(), "Basic " + token.Reveal(),
			"Bearer " + token.Reveal() + "0", "Bearer " + strings.ToUpper(token.Reveal()), "Bearer " + row.Hash, "Bearer " + token.Reveal() + ", Bearer x", "Bearer " + strings.Repeat("a", 1000), "Bearer \x00\xff"} {
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
		for _, step := range []struct{ at, want time.Duration }{{time.Minute, 0}, {5 * time.Minute, 0},
			{5*time.Minute + time.Microsecond, 5*time.Minute + time.Microsecond}} {
			hand.set(now.Add(step.at))
			if _, err := try("Bearer " + token.Reveal()); err != nil {
				t.Fatal(err)
			}
			if got := used().Sub(now); got != step.want {
				t.Errorf("after %v the last use is %v, want %v", step.at, got, step.want)
			}
		}
		hand.set(expires.Add(-time.Microsecond))
		if _, err := try("Bearer " + token.Reveal()); err != nil {
			t.Errorf("before its end: %v", err)
		}
		hand.set(expires)
		if _, err := try("Bearer " + token.Reveal()); !errors.Is(err, api.ErrUnauthenticated) {
			t.Errorf("at its end: %v", err)
		}
		hand.set(now)
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

// setup is the page behind its route.
type setup struct {
	t    *testing.T
	d    *db.DB
	s    *account.Setup
	http http.Handler
}

func newSetup(t *testing.T, d *db.DB) *setup {
	s := &account.Setup{DB: d, CreateOrganization: func(ctx context.Context, tx *db.Tx, user query.User) (string, error) {
		org, err := organization.Create(ctx, tx, "Main", "main", user.ID)
		return org.Slug, err
	}}
	mux := http.NewServeMux()
	mux.Handle("/setup/{code}", s)
	return &setup{t, d, s, mux}
}

func (s *setup) call(method, path string, form url.Values) *httptest.ResponseRecorder {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req := httptest.NewRequest(method, path, body)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.http.ServeHTTP(w, req)
	return w
}

func (s *setup) path() string {
	s.t.Helper()
	path, err := s.s.Path(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *setup) users() int64 {
	s.t.Helper()
	n, err := s.d.Read().Ungranted().CountUsers(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

var form = url.Values{"email": {"Ada@example.com"}, "name": {"<b>Ada</b>"}, "password": {"correct horse"}}

func TestSetup(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		s := newSetup(t, d)
		old, path := s.path(), s.path()
		if path == old || !regexp.MustCompile(`^/setup/[0-9a-f]{40}$`).MatchString(path) {
			t.Errorf("the paths are %s and %s", old, path)
		}
		for _, wrong := range []string{old, "/setup/x", "/setup/" + strings.Repeat("0", 40)} {
			if got := s.call("GET", wrong, nil); got.Code != 404 {
				t.Errorf("GET of a wrong link answered %d", got.Code)
			}
			if got := s.call("POST", wrong, form); got.Code != 404 || s.users() != 0 {
				t.Errorf("POST to a wrong link answered %d, %d users", got.Code, s.users())
			}
		}
		page := s.call("GET", path, nil)
		if page.Code != 200 || page.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
			page.Header().Get("Cache-Control") != "no-store" || !strings.Contains(page.Body.String(), `name="password"`) {
			t.Errorf("the page answered %d %v", page.Code, page.Header())
		}
		if head := s.call("HEAD", path, nil); head.Code != 200 {
			t.Errorf("HEAD answered %d", head.Code)
		}
		if got := s.call("PUT", path, nil); got.Code != 405 || got.Header().Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("PUT answered %d, Allow %q", got.Code, got.Header().Get("Allow"))
		}
		for name, change := range map[string][2]string{
			"a short password":        {"password", "short"},
			"no password":             {"password", ""},
			"an address that is none": {"email", "ada"},
			"no address":              {"email", ""},
		} {
			bad := url.Values{}
			for k, v := range form {
				bad[k] = v
			}
			bad.Set(change[0], change[1])
			got := s.call("POST", path, bad)
			if got.Code != 422 || s.users() != 0 || !strings.Contains(got.Body.String(), `role="alert"`) ||
				strings.Contains(got.Body.String(), "hostler_pat_") || strings.Contains(got.Body.String(), "<b>") || strings.Contains(got.Body.String(), "correct horse") {
				t.Errorf("%s answered %d with %d users: %s", name, got.Code, s.users(), got.Body)
			}
		}
		if got := s.call("POST", path, url.Values{"email": {strings.Repeat("a", 20<<10)}}); got.Code != 422 {
			t.Errorf("a huge form answered %d", got.Code)
		}
		made := s.call("POST", path, form)
		token := regexp.MustCompile(`hostler_pat_[0-9a-f]{48}`).FindString(made.Body.String())
		if made.Code != 200 || token == "" || strings.Contains(made.Body.String(), "correct horse") || strings.Contains(made.Body.String(), "<form") {
			t.Fatalf("the account: %d %s", made.Code, made.Body)
		}
		req := httptest.NewRequest("GET", "/", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		actor, err := (&account.Authenticator{DB: d}).Authenticate(t.Context(), req)
		if err != nil || actor.Scopes != access.SetOf(access.All()...) {
			t.Errorf("the token: %+v, %v", actor, err)
		}
		user, err := d.Read().Ungranted().GetUser(t.Context(), actor.UserID)
		if err != nil || user.Name != "<b>Ada</b>" || user.Email != "ada@example.com" || !account.VerifyPassword(user.PasswordHash, "correct horse") {
			t.Errorf("the user: %+v, %v", user, err)
		}
		// It worked once.
		for _, call := range []*httptest.ResponseRecorder{s.call("GET", path, nil), s.call("POST", path, form),
			s.call("POST", path, url.Values{"email": {"eve@example.com"}, "password": {"correct horse"}})} {
			if call.Code != 404 || strings.Contains(call.Body.String(), "hostler_pat_") || strings.Contains(call.Body.String(), "<form") {
				t.Errorf("after the first account: %d %s", call.Code, call.Body)
			}
		}
		if got := s.path(); got != "" || s.users() != 1 {
			t.Errorf("there is a link %q, %d users", got, s.users())
		}
	})
}

// Of two that claim the link at once one wins, and the other gets nothing.
func TestSetupAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		s := newSetup(t, d)
		path := s.path()
		const n = 6
		got := make([]*httptest.ResponseRecorder, n)
		var done sync.WaitGroup
		begin := make(chan struct{})
		for i := range n {
			done.Go(func() {
				<-begin
				got[i] = s.call("POST", path, url.Values{"email": {fmt.Sprintf("user%d@example.com", i)}, "password": {"correct horse"}})
			})
		}
		close(begin)
		done.Wait()
		codes := map[int]int{}
		tokens := 0
		for _, w := range got {
			codes[w.Code]++
			tokens += strings.Count(w.Body.String(), "Authorization: Bearer hostler_pat_")
		}
		if diff := cmp.Diff(map[int]int{200: 1, 404: n - 1}, codes); diff != "" || tokens != 1 || s.users() != 1 {
			t.Errorf("%d tokens, %d users, answers (-want +got):\n%s", tokens, s.users(), diff)
		}
	})
}

// A failure after the token was made shows no token.
func TestSetupFails(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		s := newSetup(t, d)
		path := s.path()
		fails := true
		s.s.CreateOrganization = func(ctx context.Context, tx *db.Tx, user query.User) (string, error) {
			if fails {
				return "main", errors.New("table organizations: disk full at /var/lib")
			}
			return "main", nil
		}
		got := s.call("POST", path, form)
		if got.Code != 500 || strings.Contains(got.Body.String(), "disk full") || strings.Contains(got.Body.String(), "hostler_pat_") || s.users() != 0 {
			t.Errorf("answered %d with %d users: %s", got.Code, s.users(), got.Body)
		}
		fails = false
		if got := s.call("POST", path, form); got.Code != 200 {
			t.Errorf("the link is gone after a failure: %d", got.Code)
		}
	})
}

// The page's policy allows its one style and nothing else.
func TestSetupStyle(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	s := newSetup(t, d)
	page := s.call("GET", s.path(), nil)
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page.Body.String(), -1)
	if len(style) != 1 {
		t.Fatalf("the page has %d styles", len(style))
	}
	sum := sha256.Sum256([]byte(style[0][1]))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	if got := page.Header().Get("Content-Security-Policy"); got != want {
		t.Errorf("the policy is\n%s\nwant\n%s", got, want)
	}
	for _, inline := range []string{"<script", " style=", " onclick", "javascript:", "http://", "https://"} {
		if strings.Contains(page.Body.String(), inline) {
			t.Errorf("the page has %s, which its policy forbids", inline)
		}
	}
}
