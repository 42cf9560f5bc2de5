package backup

import (
	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Part sizes: as small as possible for small databases, since three parts are in the agent's memory, and larger where an object
// would have too many of them: each has an address, and all addresses of a run travel in one frame.
const (
	partSize   = 6 << 20
	partsAtMin = 2500
	partsOfRun = 16000
	// spare is planned in addition to the expected size.
	spare = 64 << 20
	// unmeasured stands for an unknown size.
	unmeasured = -1
)

// partsOf plans the parts of an object for a store of this size, with room for twice as much, since some engines store compressed
// what they dump as text. The largest object is 160 GB.
func partsOf(holds int64) (size, parts int64) {
	if holds == unmeasured {
		return partSize, partsAtMin
	}
	need := 2*holds + spare
	size = min(max(partSize, roundUp(need/partsAtMin, 1<<20)), archive.MaxPart)
	return size, min(roundUp(need, size)/size, archive.MaxParts)
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// runsOf distributes items over runs, each with no more parts than fit into its frame.
func runsOf(items []query.BackupItem) [][]query.BackupItem {
	var runs [][]query.BackupItem
	var sum int64
	for _, item := range items {
		if len(runs) == 0 || sum+item.Parts > partsOfRun {
			runs, sum = append(runs, nil), 0
		}
		runs[len(runs)-1], sum = append(runs[len(runs)-1], item), sum+item.Parts
	}
	return runs
}
