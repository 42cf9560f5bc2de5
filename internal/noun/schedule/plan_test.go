package schedule_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

func mustWant(t *testing.T, id int64, s schedule.Specification) ledger.Wish {
	t.Helper()
	w, err := schedule.Jobs.Want(id, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// facts returns those of a heartbeat.
func facts() schedule.Facts {
	return schedule.Facts{Pings: map[int64]schedule.Ping{7: {
		Below: "https://panel.example.com/heartbeats/", Place: secret.Place{Table: "heartbeats", Row: "7", Column: "token"},
		Token: []byte("sealed"),
	}}}
}

// view returns of a server with two sites, the first of them with releases of an application below the root of its repository.
func view(t *testing.T, wishes ...ledger.Wish) ledger.View {
	t.Helper()
	below := "/backend"
	var sites []ledger.Wish
	for id, s := range map[int64]site.Specification{
		3: {
			Name: "app.example.com", User: "app", Isolated: true, Type: sitetype.Laravel, PHPVersion: "php84",
			RootDirectory: &below, Code: &site.Code{URL: "https://git.example.com/app", Releases: true},
		},
		4: {Name: "docs.example.com", User: "forge", Type: sitetype.StaticHTML},
	} {
		w, err := site.Sites.Want(id, s)
		if err != nil {
			t.Fatal(err)
		}
		sites = append(sites, w)
	}
	v := ledger.NewView(query.Server{ID: 1}, sites...)
	v.Facts = facts()
	return v.On(wishes...)
}

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	name, php, static, gone, beat, deleted := "Updates", int64(3), int64(4), int64(9), int64(7), int64(8)
	root := schedule.Specification{Name: &name, Command: "apt-get update; echo 100% done", User: "root", Frequency: "nightly", Cron: "0 0 * * *"}
	app := schedule.Specification{Command: "php artisan report", User: "app", Frequency: "custom", Cron: "*/5 * * * *", SiteID: &php, HeartbeatID: &beat}
	docs := schedule.Specification{Command: "make", User: "forge", Frequency: "reboot", Cron: "@reboot", SiteID: &static, HeartbeatID: &deleted}
	lost := schedule.Specification{Command: "true", User: "forge", Frequency: "hourly", Cron: "0 * * * *", SiteID: &gone}
	all := []ledger.Wish{mustWant(t, 1, root), mustWant(t, 2, app), mustWant(t, 5, docs), mustWant(t, 6, lost)}
	for _, c := range []struct {
		name string
		view ledger.View
	}{
		{"create", view(t, mustWant(t, 1, root), mustWant(t, 2, app))},
		{"delete", view(t, all...).On(schedule.Jobs.Removal(2))},
		{"nothing", view(t)},
		{"site-without-php", view(t, all...).On(mustWant(t, 5, docs))},
		{"drift", view(t, all...).On()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stages, err := schedule.Plan(c.view)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, c.name, stages)
		})
	}
}

// A request for a job on a site that was deleted meanwhile is refused, and a site's jobs are removed with it.
func TestJobsOfDeletedSites(t *testing.T) {
	t.Parallel()
	id, other := int64(9), int64(10)
	s := schedule.Specification{Command: "true", User: "forge", Frequency: "hourly", Cron: "0 * * * *", SiteID: &id}
	v := view(t, mustWant(t, 1, s))
	v.Included = []query.Operation{{ID: 1}}
	if stages, err := schedule.Plan(v); err == nil {
		t.Errorf("planned %d stages for a site that is gone", len(stages))
	}
	s.SiteID = &other
	v = v.On(mustWant(t, 2, s))
	first, late, err := schedule.Include{}.Steps(v, vhost.Desired{Site: query.Site{ID: id}})
	if err != nil || len(first)+len(late) > 0 {
		t.Errorf("a site that stays: %v %v %v", first, late, err)
	}
	if first, late, err = (schedule.Include{}).Steps(v, vhost.Desired{Site: query.Site{ID: id}, Gone: true}); err != nil || len(late) > 0 {
		t.Fatal(late, err)
	}
	jobtest.Golden(t, "site-deleted", []job.Stage{{Name: "sites", Change: wire.Change{Steps: first}}})
}
