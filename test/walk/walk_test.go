package walk_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/walk"
)

// What succeeded last is so; what failed or was cancelled is not, and neither is what a deletion took away.
func TestReckon(t *testing.T) {
	t.Parallel()
	rule := walk.Resource{Kind: "rules", ID: 1}
	asked := map[int64]walk.Asked{1: {Resource: rule, Mark: "a"}, 2: {Resource: rule, Mark: "b"}, 3: {Resource: rule}}
	for name, tt := range map[string]struct {
		ends []walk.End
		want walk.Truth
		row  string
	}{
		"created":             {[]walk.End{{1, "succeeded"}}, walk.Truth{Mark: "a"}, "installed"},
		"could not be made":   {[]walk.End{{1, "failed"}}, walk.Truth{Unsure: true}, "failed"},
		"update was refused":  {[]walk.End{{2, "failed"}, {1, "succeeded"}}, walk.Truth{Mark: "a", Unsure: true}, "installed"},
		"updated":             {[]walk.End{{1, "succeeded"}, {2, "succeeded"}}, walk.Truth{Mark: "b"}, "installed"},
		"deleted":             {[]walk.End{{1, "succeeded"}, {2, "cancelled"}, {3, "succeeded"}}, walk.Truth{Deleted: true}, ""},
		"deletion cancelled":  {[]walk.End{{1, "succeeded"}, {3, "cancelled"}}, walk.Truth{Mark: "a", Unsure: true}, "installed"},
		"nobody asked for it": {[]walk.End{{1, "succeeded"}, {9, "succeeded"}}, walk.Truth{Mark: "a"}, "installed"},
	} {
		truths, marks := walk.Reckon(asked, tt.ends)
		if got := truths[rule]; got != tt.want || got.Status("installed", "failed") != tt.row {
			t.Errorf("%s: %+v, shown as %q", name, got, got.Status("installed", "failed"))
		}
		if walk.Live(truths, marks, func(mark string) bool { return mark == tt.want.Mark }) != nil {
			t.Errorf("%s: %q on the host is not right", name, tt.want.Mark)
		}
		if walk.Live(truths, marks, func(mark string) bool { return mark != tt.want.Mark }) == nil {
			t.Errorf("%s: all but %q on the host is right", name, tt.want.Mark)
		}
	}
}

// What belongs to a resource goes with it, and stays if its deletion fails.
func TestReckonParts(t *testing.T) {
	t.Parallel()
	site, rule := walk.Resource{Kind: "sites", ID: 1}, walk.Resource{Kind: "rules", ID: 1}
	asked := map[int64]walk.Asked{1: {Resource: site, Mark: "a"}, 2: {Resource: rule, Mark: "b"}, 3: {Resource: site, Parts: []walk.Resource{rule}}}
	for state, want := range map[string]walk.Truth{"succeeded": {Deleted: true}, "failed": {Mark: "b", Unsure: true}} {
		truths, _ := walk.Reckon(asked, []walk.End{{1, "succeeded"}, {2, "succeeded"}, {3, state}})
		if truths[rule] != want {
			t.Errorf("the deletion %s: %+v", state, truths[rule])
		}
	}
}

// The shortest walk that fails is found, and none shorter is made up.
func TestShrink(t *testing.T) {
	t.Parallel()
	walked := walk.Draw(rand.New(rand.NewPCG(1, 0)), walk.Moves, 20)
	walked[3], walked[11] = walk.Move{What: "cut", N: 7}, walk.Move{What: "kill", N: 8}
	least := walk.Shrink(walked, time.Minute, func(less []walk.Move) bool {
		return slices.Contains(less, walked[3]) && slices.Contains(less, walked[11])
	})
	if !slices.Equal(least, []walk.Move{walked[3], walked[11]}) {
		t.Errorf("the shortest is %v", least)
	}
}

// A walk has only moves of its list, and all of them.
func TestDraw(t *testing.T) {
	t.Parallel()
	list := []string{"cut", "heal", "forget"}
	drawn := map[string]bool{}
	for _, m := range walk.Draw(rand.New(rand.NewPCG(1, 0)), list, 500) {
		drawn[m.What] = true
	}
	for _, what := range append(slices.Clone(walk.Moves), "forget") {
		if drawn[what] != slices.Contains(list, what) {
			t.Errorf("%q is drawn: %v", what, drawn[what])
		}
	}
}
