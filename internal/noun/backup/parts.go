package backup

import (
	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Parts: as small as they may be where little is sent, since three of them are in the agent's memory, and larger where an object would have
// more of them than is good: each has an address, and all addresses of a run travel in one frame.
const (
	partSize   = 6 << 20
	partsAtMin = 2500
	partsOfRun = 16000
	// spare is what is planned for beside what is expected.
	spare = 64 << 20
	// unmeasured stands for what a host could not say.
	unmeasured = -1
)

// partsOf plans the parts of an object for a store that holds so many bytes: room for twice as much, as some engines keep compressed what they
// dump as text. The largest object is 160 GB.
func partsOf(holds int64) (size, parts int64) {
	if holds == unmeasured {
		return partSize, partsAtMin
	}
	need := 2*holds + spare
	size = min(max(partSize, roundUp(need/partsAtMin, 1<<20)), archive.MaxPart)
	return size, min(roundUp(need, size)/size, archive.MaxParts)
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// runsOf spreads items over runs, each with no more parts than fit into its frame.
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
