package process_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

func mustWant(t *testing.T, id int64, s process.Specification) ledger.Wish {
	t.Helper()
	w, err := process.Processes.Want(id, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// view returns of a server with an isolated site that has releases of an application below the root of its repository.
func view(t *testing.T, wishes ...ledger.Wish) ledger.View {
	t.Helper()
	below := "/backend"
	w, err := site.Sites.Want(3, site.Specification{
		Name: "app.example.com", User: "app", Isolated: true, Type: sitetype.Laravel, PHPVersion: "php84",
		RootDirectory: &below, Code: &site.Code{URL: "https://git.example.com/app", Releases: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ledger.NewView(query.Server{ID: 1}, w).On(wishes...)
}

func worker() process.Specification {
	return process.Specification{Name: "worker", Command: "sleep 1000", User: "forge", Processes: 1, Startsecs: 1, Stopwaitsecs: 10, Stopsignal: "TERM"}
}

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	id, gone, dir := int64(3), int64(9), "/srv/queue"
	with := func(edit func(*process.Specification)) process.Specification {
		s := worker()
		edit(&s)
		return s
	}
	queue := process.Specification{
		Name: "Horizon", Command: "php artisan horizon", User: "app", SiteID: &id, Processes: 2, Startsecs: 1,
		Stopwaitsecs: 60, Stopsignal: "QUIT", Integration: "horizon",
	}
	three := with(func(s *process.Specification) { s.Processes = 3 })
	stopped := with(func(s *process.Specification) { s.Stopped = true })
	lost := with(func(s *process.Specification) { s.SiteID = &gone })
	had := view(t, mustWant(t, 1, worker()), mustWant(t, 2, queue), mustWant(t, 4, lost))
	for _, c := range []struct {
		name string
		view ledger.View
	}{
		{"create", view(t, mustWant(t, 1, worker()))},
		{"create-of-site", view(t, mustWant(t, 2, queue))},
		{"update", view(t, mustWant(t, 1, three)).On(mustWant(t, 1, with(func(s *process.Specification) { s.Directory, s.RestartedAt = &dir, 1 })))},
		{"restart", had.On(mustWant(t, 1, with(func(s *process.Specification) { s.RestartedAt = 1 })))},
		{"stop", had.On(mustWant(t, 1, stopped))},
		{"start", view(t, mustWant(t, 1, stopped)).On(mustWant(t, 1, worker()))},
		{"empty-log", had.On(mustWant(t, 1, with(func(s *process.Specification) { s.EmptiedAt = 1 })))},
		{"delete", view(t, mustWant(t, 1, three)).On(process.Processes.Removal(1))},
		{"drift", had.On()},
		{"nothing", view(t)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stages, err := process.Plan(c.view)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, c.name, stages)
		})
	}
}

// After a stage only its process is observed; a removed one is not.
func TestStagesSayWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	had := view(t, mustWant(t, 1, worker()), mustWant(t, 2, worker()))
	for _, c := range []struct {
		view ledger.View
		want [][]int64
	}{
		{had.On(), [][]int64{{1, 2}}},
		{had.On(mustWant(t, 1, worker()), mustWant(t, 2, worker())), [][]int64{{1}, {2}}},
		{had.On(process.Processes.Removal(1)), [][]int64{nil}},
	} {
		stages, err := process.Plan(c.view)
		if err != nil {
			t.Fatal(err)
		}
		var got [][]int64
		for _, s := range stages {
			got = append(got, s.About)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("what the stages are about (-want +got):\n%s", diff)
		}
	}
}

// The repair of 60 processes is a few changes, each with one call for all units, and not 60.
func TestManyProcessesAreRepairedTogether(t *testing.T) {
	t.Parallel()
	v := view(t)
	var had []ledger.Wish
	for id := range int64(60) {
		had = append(had, mustWant(t, id+1, worker()))
	}
	stages, err := process.Plan(v.On(had...).On())
	if err != nil || len(stages) != 3 {
		t.Fatalf("%v: %d stages", err, len(stages))
	}
	for _, s := range stages {
		programs, units := 0, 0
		for _, step := range s.Change.Steps {
			switch {
			case step.Exec != nil, step.Action != nil, step.Validate != nil:
				programs++
			case step.Units != nil:
				units += len(step.Units.Parts)
			case step.Part == "":
				t.Errorf("%s of %s fails with all others", step.Name, s.Name)
			}
		}
		if programs != 1 || units != 20 {
			t.Errorf("a stage runs %d programs and the units of %d processes", programs, units)
		}
	}
}

// A request for a process on a site that was deleted meanwhile is refused, and a site's processes are removed with it.
func TestProcessesOfDeletedSites(t *testing.T) {
	t.Parallel()
	id, other := int64(9), int64(10)
	s := worker()
	s.SiteID = &id
	v := view(t, mustWant(t, 1, s))
	v.Included = []query.Operation{{ID: 1}}
	if stages, err := process.Plan(v); err == nil {
		t.Errorf("planned %d stages for a site that is gone", len(stages))
	}
	s.SiteID = &other
	v = v.On(mustWant(t, 2, s))
	first, late, err := process.Include{}.Steps(v, vhost.Desired{Site: query.Site{ID: id}})
	if err != nil || len(first)+len(late) > 0 {
		t.Errorf("a site that stays: %v %v %v", first, late, err)
	}
	if first, late, err = (process.Include{}).Steps(v, vhost.Desired{Site: query.Site{ID: id}, Gone: true}); err != nil || len(late) > 0 {
		t.Fatal(late, err)
	}
	jobtest.Golden(t, "site-deleted", []job.Stage{{Name: "sites", Change: wire.Change{Steps: first}}})
}
