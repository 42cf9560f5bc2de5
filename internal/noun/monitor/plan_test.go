package monitor_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	want := func(id int64, s monitor.Specification) ledger.Wish {
		w, err := monitor.Noun.Want(id, s)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	empty := ledger.NewView(query.Server{ID: 1})
	two := []ledger.Wish{
		want(1, monitor.Specification{Type: "cpu_load", Operator: monitor.AtLeast, Threshold: 80, Minutes: new(int64(5)), Notify: "a@example.com\n2 disk lte 1 1"}),
		want(2, monitor.Specification{Type: "free_memory", Operator: monitor.AtMost, Threshold: 7.5, Notify: "b@example.com"}),
	}
	asked := want(3, monitor.Specification{Type: "url", Operator: monitor.AtLeast, Threshold: 1, Notify: "c@example.com", URL: "https://app.example.com/up"})
	for name, v := range map[string]ledger.View{
		"nothing": empty,
		"added":   empty.On(two...),
		"removed": empty.On(two...).On(monitor.Noun.Removal(1)),
		"url":     empty.On(asked),
		"urls":    empty.On(append(two, asked)...),
		"last":    empty.On(two...).On(monitor.Noun.Removal(1), monitor.Noun.Removal(2)),
	} {
		stages, err := monitor.Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		jobtest.Golden(t, name, stages)
	}
}
