package sourcecontrol

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/githost"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	deployKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf hostler-site-1"
	repo      = "team/shop"
)

// bench is a site whose repository is at a provider, and links whose jobs are worked manually.
type bench struct {
	t      *testing.T
	db     *db.DB
	links  *Links
	site   query.Site
	source int64
	jobs   int
}

// Insert counts jobs.
func (b *bench) Insert(context.Context, *db.Tx, job.Args) error {
	b.jobs++
	return nil
}

// HookToken returns another one for each hash.
func (b *bench) HookToken(row query.Project) (secret.String, error) {
	return secret.String("token of " + row.HookHash), nil
}

func newBench(t *testing.T, dialect db.Dialect, provider string, s *githost.Server) *bench {
	t.Helper()
	config := db.Config{Dir: t.TempDir(), Clock: clock.System{}}
	if dialect == db.PostgreSQL {
		config.URL = dbtest.URL(t)
	}
	d, err := dbtest.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	box := secrettest.Box(t)
	b := &bench{t: t, db: d}
	store := &Store{DB: d, Box: box, HTTP: outbound.Guard{AllowPrivate: true}.Client(), Bases: map[string]string{provider: s.URL}}
	b.links = &Links{Store: store, Jobs: b, Projects: b, PushURL: func(int64) string { return "https://panel.example.com/push/1" }}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "acme", "acme", 1, 1)
		if err != nil {
			return err
		}
		srv, err := tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: org.ID, Name: "web", Slug: "web", Type: "app", Provider: "custom", Status: "ready", SSHPort: 22,
			SSHUser: "root", Timezone: "UTC",
		})
		if err != nil {
			return err
		}
		if b.site, err = tx.InsertSite(ctx, query.InsertSiteParams{
			OrganizationID: org.ID, ServerID: srv.ID, Type: "php", Name: "shop.example.com", Status: "installed",
			UnixUser: "forge",
		}); err != nil {
			return err
		}
		row, err := tx.InsertSourceControlProvider(ctx, query.InsertSourceControlProviderParams{
			OrganizationID: org.ID, Name: "ours", Provider: provider, Token: []byte{}, CreatedAt: 1,
		})
		if err != nil {
			return err
		}
		b.source = row.ID
		sealed, err := box.Seal(sealedAt(row.ID), []byte(githost.Token))
		if err != nil {
			return err
		}
		if _, err := tx.UpdateSourceControlProvider(ctx, query.UpdateSourceControlProviderParams{ID: row.ID, Name: "ours", Token: sealed}); err != nil {
			return err
		}
		_, err = tx.InsertProject(ctx, query.InsertProjectParams{
			SiteID: b.site.ID, Provider: provider, ProviderID: &b.source, Repository: repo,
			URL: "git@git.example.com:team/shop.git", Branch: "main", PublicKey: new(deployKey), PushToDeploy: true,
			HookHash: "first", HookToken: []byte{}, SharedPaths: "{}",
		})
		return err
	})
	return b
}

func (b *bench) tx(f func(ctx context.Context, tx *db.Tx) error) {
	b.t.Helper()
	if err := b.db.Tx(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

// changed changes rows and notifies, as operations do.
func (b *bench) changed(f func(ctx context.Context, tx *db.Tx) error) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := f(ctx, tx); err != nil {
			return err
		}
		return b.links.Changed(ctx, tx, b.site.ID)
	})
}

func (b *bench) sync() error { return b.links.sync(b.t.Context(), Sync{b.site.ID}) }

func (b *bench) link() query.SourceControlLink {
	b.t.Helper()
	row, err := b.db.Read().Ungranted().GetSourceControlLink(b.t.Context(), b.site.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}

func (b *bench) wantReady(want bool, when string) {
	b.t.Helper()
	if got, err := b.links.Ready(b.t.Context(), b.db.Read().Ungranted(), b.site.ID); err != nil || got != want {
		b.t.Errorf("%s it is ready: %t, %v, want %t", when, got, err, want)
	}
}

func nothing(context.Context, *db.Tx) error { return nil }

// all runs a test against each provider on both databases.
func all(t *testing.T, test func(t *testing.T, b *bench, s *githost.Server)) {
	t.Helper()
	for _, provider := range []string{githost.GitHub, githost.GitLab, githost.Bitbucket} {
		for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
			t.Run(provider+"/"+string(dialect), func(t *testing.T) {
				t.Parallel()
				s := githost.Start(t, provider)
				s.Add(repo, map[string]string{"main": strings.Repeat("a", 40)})
				s.Add("team/another", map[string]string{"main": strings.Repeat("b", 40)})
				test(t, newBench(t, dialect, provider, s), s)
			})
		}
	}
}

// want is what a repository should know: how many keys, and the secret of its webhook, "" for none.
func want(t *testing.T, s *githost.Server, name, when string, keys int, hook string) {
	t.Helper()
	got := s.Repository(name)
	if len(got.Keys) != keys || keys > 0 && (got.Keys[0].Key != deployKey || got.Keys[0].MayWrite) {
		t.Errorf("%s %s has the keys %+v, want %d that may read", when, name, got.Keys, keys)
	}
	if hook == "" && len(got.Hooks) > 0 || hook != "" && (len(got.Hooks) != 1 || got.Hooks[0].Secret != hook ||
		got.Hooks[0].URL != "https://panel.example.com/push/1") {
		t.Errorf("%s %s has the webhooks %+v, want one with the secret %q", when, name, got.Hooks, hook)
	}
}

// What a site wants is what its provider knows, through a whole life.
func TestLife(t *testing.T) {
	t.Parallel()
	all(t, func(t *testing.T, b *bench, s *githost.Server) {
		b.wantReady(true, "before anything was said")
		b.changed(nothing)
		b.wantReady(false, "before the key is known")
		steps := []struct {
			name        string
			change      func(ctx context.Context, tx *db.Tx) error
			keys        int
			hook        string
			another     int
			anotherHook string
		}{
			{"made", nothing, 1, "token of first", 0, ""},
			{"rotated", func(ctx context.Context, tx *db.Tx) error {
				return tx.SetProjectHook(ctx, b.site.ID, "second", []byte{}, 1)
			}, 1, "token of second", 0, ""},
			{"push off", func(ctx context.Context, tx *db.Tx) error { return tx.SetProjectPush(ctx, b.site.ID, false, 1) }, 1, "", 0, ""},
			{"push on", func(ctx context.Context, tx *db.Tx) error { return tx.SetProjectPush(ctx, b.site.ID, true, 1) }, 1, "token of second", 0, ""},
			{"key removed", func(ctx context.Context, tx *db.Tx) error { return tx.SetProjectKey(ctx, b.site.ID, nil, nil, 1) }, 0, "token of second", 0, ""},
			{"key made", func(ctx context.Context, tx *db.Tx) error {
				return tx.SetProjectKey(ctx, b.site.ID, new(deployKey), []byte{}, 1)
			}, 1, "token of second", 0, ""},
			{"moved", func(ctx context.Context, tx *db.Tx) error {
				return tx.SetProjectRepository(ctx, query.SetProjectRepositoryParams{
					SiteID: b.site.ID, Provider: "github", ProviderID: &b.source, Repository: "team/another", Branch: "main",
				})
			}, 0, "", 1, "token of second"},
		}
		for _, step := range steps {
			b.changed(step.change)
			if err := b.sync(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			want(t, s, repo, step.name, step.keys, step.hook)
			want(t, s, "team/another", step.name, step.another, step.anotherHook)
			b.wantReady(true, step.name)
			if got := b.link(); got.State != StateRegistered || got.Reason != "" {
				t.Errorf("%s: the link is %+v", step.name, got)
			}
		}
		asked := len(s.Requests())
		b.changed(nothing)
		if err := b.sync(); err != nil || len(s.Requests()) != asked {
			t.Errorf("nothing changed, and the provider was asked %d times, %v", len(s.Requests())-asked, err)
		}
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "DELETE FROM sites")
			return err
		})
		if err := errors.Join(b.links.sweep(t.Context(), Sweep{}), b.sync()); err != nil {
			t.Fatal(err)
		}
		want(t, s, "team/another", "after the site was deleted", 0, "")
		if _, err := b.db.Read().Ungranted().GetSourceControlLink(t.Context(), b.site.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("the link of a site that is gone: %v", err)
		}
	})
}

// A process that ends after a call to the provider, and before it was recorded, leaves no second key or webhook behind.
func TestToldButNotNoted(t *testing.T) {
	t.Parallel()
	all(t, func(t *testing.T, b *bench, s *githost.Server) {
		b.changed(nothing)
		if err := b.sync(); err != nil {
			t.Fatal(err)
		}
		b.changed(func(ctx context.Context, tx *db.Tx) error { // as it was before
			return tx.KeepSourceControlLink(ctx, query.KeepSourceControlLinkParams{SiteID: b.site.ID, ProviderID: b.source, Repository: repo})
		})
		if err := b.sync(); err != nil {
			t.Fatal(err)
		}
		want(t, s, repo, "told twice", 1, "token of first")
	})
}

func TestProvidersThatDoNot(t *testing.T) {
	t.Parallel()
	all(t, func(t *testing.T, b *bench, s *githost.Server) {
		b.changed(nothing)
		for i, answer := range []githost.Answer{{Status: 502}, {Status: 429, Header: map[string]string{"Retry-After": "120"}}, {Status: 200, Body: "<html>"}} {
			s.Next(answer)
			var snooze *river.JobSnoozeError
			if err := b.sync(); !errors.As(err, &snooze) || snooze.Duration < firstPause || answer.Status == 429 && snooze.Duration < 2*time.Minute {
				t.Errorf("%d: %v", answer.Status, err)
			}
			if got := b.link(); got.State != StatePending || got.Attempts != int64(i+1) || got.Reason == "" || got.NextAt == nil {
				t.Errorf("%d: the link is %+v", answer.Status, got)
			}
			b.wantReady(false, "while it is tried")
		}
		s.Next(githost.Answer{Status: 403, Body: `{"message":"Resource not accessible by personal access token"}`})
		if err := b.sync(); err != nil {
			t.Errorf("403: %v", err)
		}
		if got := b.link(); got.State != StateFailed || !strings.Contains(got.Reason, "does not allow") {
			t.Errorf("403: the link is %+v", got)
		}
		b.wantReady(true, "when it failed for good") // the deployment reports it too, and does not wait forever
		b.changed(nothing)
		if err := b.sync(); err != nil {
			t.Fatal(err)
		}
		want(t, s, repo, "at last", 1, "token of first")
		if strings.Contains(strings.Join(s.Requests(), " "), githost.Token) {
			t.Error("the token is in an address")
		}
	})
}

// A change of wishes during a call to a provider is not lost: the newer wish stays.
func TestWishesMeanwhile(t *testing.T) {
	t.Parallel()
	s := githost.Start(t, githost.GitHub)
	s.Add(repo, map[string]string{"main": strings.Repeat("a", 40)})
	b := newBench(t, db.SQLite, githost.GitHub, s)
	b.changed(nothing)
	old := b.link()
	b.changed(func(ctx context.Context, tx *db.Tx) error { return tx.SetProjectPush(ctx, b.site.ID, false, 1) })
	if err := b.links.settle(t.Context(), old, false, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.link(); got.State != StatePending {
		t.Errorf("an older try made it %s", got.State)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error { // another caller
		_, err := tx.ClaimSourceControlLink(ctx, b.site.ID, tx.Now.Add(time.Minute).UnixMicro(), tx.Micros())
		return err
	})
	var snooze *river.JobSnoozeError
	if err := b.sync(); !errors.As(err, &snooze) || len(s.Requests()) != 0 {
		t.Errorf("two asked at once: %v, %v", err, s.Requests())
	}
}
