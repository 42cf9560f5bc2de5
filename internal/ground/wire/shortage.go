package wire

import "time"

// ShortFor is how long a Shortage is reported after it happened last, and how long there must be none for the next one to count from the start.
const ShortFor = 24 * time.Hour

// What a Shortage was of.
const (
	ShortOfMemory = "memory"
	ShortOfTasks  = "tasks" // processes and threads
	// ShortOfConnections is of requests: nginx answers no more of a site at once, and the others with 503.
	ShortOfConnections = "connections"
	// ShortOfDisk is of the size of a site's directory.
	ShortOfDisk = "disk"
)

// Shortage is memory, processes or connections that what runs on a host asked for and did not get: of memory the kernel ends a process,
// of processes it starts no more. A full directory is reported for as long as it is full.
type Shortage struct {
	Of string `json:"of"`
	// Site is the one whose limit was reached, and Build is set if that was the limit of its deployments. Without a site, the host has no
	// more.
	Site  int64 `json:"site,omitempty"`
	Build bool  `json:"build,omitempty"`
	// Process is the name of the process that was ended last, or of which most ran when no more were started, and Unit is where it ran; both
	// may be unknown.
	Process string `json:"process,omitempty"`
	Unit    string `json:"unit,omitempty"`
	// Bytes is how much a directory that is full holds.
	Bytes int64 `json:"bytes,omitempty"`
	// Times is how often it happened since First without a day in between, and Last is when it happened last; both times in microseconds
	// since 1970.
	Times int   `json:"times"`
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// MaxShortages is how many shortages a host tells of, the newest of each site and kind.
const MaxShortages = 200
