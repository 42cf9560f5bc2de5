package sftpuser_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/sftpuser"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

const one, two = "ssh-ed25519 AAAA1 ada@laptop", "ssh-ed25519 AAAA2"

func mustWant(t *testing.T, id int64, s sftpuser.Specification) ledger.Wish {
	t.Helper()
	w, err := sftpuser.Users.Want(id, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// view returns of a server with an isolated site that has releases, and a site of the shared account.
func view(t *testing.T, wishes ...ledger.Wish) ledger.View {
	t.Helper()
	app, err := site.Sites.Want(3, site.Specification{
		Name: "app.example.com", User: "app", Isolated: true, Type: sitetype.Laravel, PHPVersion: "php84",
		Code: &site.Code{URL: "https://git.example.com/app", Releases: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := site.Sites.Want(4, site.Specification{Name: "shared.example.com", User: "forge", Type: sitetype.StaticHTML})
	if err != nil {
		t.Fatal(err)
	}
	return ledger.NewView(query.Server{ID: 1}, app, shared).On(wishes...)
}

func user(keys ...string) sftpuser.Specification {
	return sftpuser.Specification{SiteID: 3, Name: "designer", Keys: keys}
}

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	ends, lost := user(one), user(one)
	ends.ExpiresOn, lost.SiteID = "2030-12-31", 9
	other := sftpuser.Specification{SiteID: 4, Name: "agency", Keys: []string{two}}
	had := view(t, mustWant(t, 1, user(one, two)), mustWant(t, 2, other), mustWant(t, 5, lost))
	for _, c := range []struct {
		name string
		view ledger.View
	}{
		{"create", view(t).On(mustWant(t, 1, user(one)))},
		{"create-with-end", view(t).On(mustWant(t, 1, ends))},
		{"remove-key", had.On(mustWant(t, 1, user(two)))},
		{"delete", had.On(sftpuser.Users.Removal(1))},
		{"drift", had.On()},
		{"nothing", view(t)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stages, err := sftpuser.Plan(c.view)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, c.name, stages)
		})
	}
}

// Sessions are closed where something is no longer allowed, and only there.
func TestSessionsAreClosedForWhatGoes(t *testing.T) {
	t.Parallel()
	with := func(s sftpuser.Specification, day string) sftpuser.Specification {
		s.ExpiresOn = day
		return s
	}
	for name, c := range map[string]struct {
		before, after sftpuser.Specification
		want          bool
	}{
		"a second key":   {user(one), user(one, two), false},
		"another key":    {user(one), user(two), true},
		"a comment":      {user(one), user("ssh-ed25519 AAAA1 ada@desktop"), false},
		"an end":         {user(one), with(user(one), "2030-01-01"), true},
		"an earlier end": {with(user(one), "2030-01-02"), with(user(one), "2030-01-01"), true},
		"a later end":    {with(user(one), "2030-01-01"), with(user(one), "2030-01-02"), false},
		"no end":         {with(user(one), "2030-01-01"), user(one), false},
	} {
		stages, err := sftpuser.Plan(view(t, mustWant(t, 1, c.before)).On(mustWant(t, 1, c.after)))
		if err != nil {
			t.Fatal(err)
		}
		steps := stages[0].Change.Steps
		if got := steps[len(steps)-1].Jail.Close; got != c.want {
			t.Errorf("%s: sessions are closed: %v", name, got)
		}
	}
}

// A user of a deleted site goes with it, before the account whose ids it has; those of other sites stay. What is mounted goes before any directory.
func TestUsersGoWithTheirSite(t *testing.T) {
	t.Parallel()
	v := view(t, mustWant(t, 1, user(one)), mustWant(t, 2, sftpuser.Specification{SiteID: 4, Name: "agency", Keys: []string{two}}))
	if steps, late, err := (sftpuser.Include{}).Steps(v, vhost.Desired{Site: query.Site{ID: 3}}); len(steps) != 0 || len(late) != 0 || err != nil {
		t.Errorf("a site that stays has %v, %v, %v", steps, late, err)
	}
	steps, late, err := (sftpuser.Include{}).Steps(v, vhost.Desired{Site: query.Site{ID: 3}, Gone: true})
	if err != nil || len(late) != 0 {
		t.Fatal(late, err)
	}
	order := ""
	for _, s := range steps {
		switch {
		case strings.Contains(s.Name, "agency"):
			t.Errorf("%q is of another site", s.Name)
		case s.Login != nil && s.Login.Absent:
			order += "login "
		case s.Jail != nil && s.Jail.Absent:
			order += "mount "
		case s.Dir != nil && s.Dir.Absent:
			order += "root"
			if s.Dir.Path != wire.LoginRoot("designer") {
				t.Errorf("%s is removed", s.Dir.Path)
			}
		}
	}
	if order != "login mount root" {
		t.Errorf("removed is %s", order)
	}
}
