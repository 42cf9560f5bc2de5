package backup

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// For any store, the parts have a size that storages accept and the agent can buffer, there are not too many, and up to the
// largest object twice the size of the store fits.
func TestPartsOf(t *testing.T) {
	t.Parallel()
	const gb = 1 << 30
	for _, holds := range []int64{unmeasured, 0, 1, 1 << 20, 100 << 20, gb, 7 * gb, 15 * gb, 20 * gb, 70 * gb, 100 * gb, 1000 * gb} {
		size, parts := partsOf(holds)
		if size < archive.MinPart || size > archive.MaxPart || size%(1<<20) != 0 || parts < 1 || parts > archive.MaxParts {
			t.Errorf("%d bytes: %d parts of %d", holds, parts, size)
		}
		if room := size * parts; room < 2*holds && parts < archive.MaxParts {
			t.Errorf("%d bytes: room for %d", holds, room)
		}
	}
	if size, parts := partsOf(1 << 20); size != partSize || parts > 20 {
		t.Errorf("a small one has %d parts of %d", parts, size)
	}
	if size, parts := partsOf(100 * gb); size*parts < 150*gb {
		t.Errorf("a large one has %d parts of %d", parts, size)
	}
}

// All items are in a run, once and in order, and no run has more addresses than its frame takes.
func TestRunsOf(t *testing.T) {
	t.Parallel()
	var items []query.BackupItem
	for i := range int64(40) {
		items = append(items, query.BackupItem{ID: i, Parts: []int64{12, 2500, archive.MaxParts}[i%3]})
	}
	next := int64(0)
	for _, run := range runsOf(items) {
		var sum int64
		for _, item := range run {
			if item.ID != next {
				t.Fatalf("item %d comes when %d is due", item.ID, next)
			}
			next, sum = next+1, sum+item.Parts
		}
		if sum > partsOfRun {
			t.Errorf("a run has %d parts", sum)
		}
	}
	if next != int64(len(items)) {
		t.Errorf("%d of %d items are in runs", next, len(items))
	}
	if runs := runsOf(nil); len(runs) != 0 {
		t.Errorf("nothing makes %d runs", len(runs))
	}
}
