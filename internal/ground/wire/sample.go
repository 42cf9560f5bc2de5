package wire

// What a host measures each minute, as the places of the values of a Sample.
const (
	MetricCPU      = iota // percent of all CPUs that was busy since the minute before
	MetricLoad            // the load average of a minute for each CPU, in percent
	MetricMemory          // percent of memory that is not available to programs
	MetricDisk            // used of the disk of /, in percent
	MetricReceived        // bytes a second from the network since the minute before
	MetricSent            // bytes a second to the network, likewise
	Metrics
)

// RingMinutes is how long a host keeps what it measured.
const RingMinutes = 7 * 24 * 60

// Unknown is a value that was not measured; those that were are not negative.
const Unknown = -1

// Sample is what a host measured in a minute.
type Sample struct {
	Minute int64            `json:"minute"` // since 1970, by the host's clock
	Values [Metrics]float32 `json:"values"`
}

// SampleQuery requests the samples of a host, or of its sites, that are newer than a minute.
type SampleQuery struct {
	After int64 `json:"after"`
}

// What a site was asked in a minute, by its access log, and what a site with limits uses, as positions in the counts of a SiteSample.
const (
	SiteRequests     = iota
	SiteClientErrors // answered with 400 to 499
	SiteServerErrors // answered with 500 to 599
	SiteMemory       // MB at the end of the minute, with what programs have read of files; SiteUnknown without limits, as in the next two
	SiteCPU          // percent of one processor
	SiteTasks        // processes and threads at the end of the minute
	SiteMetrics
)

// SiteUnknown is a count that was not measured.
const SiteUnknown = 1<<32 - 1

// MaxSiteSamples limits the reply to OpSites, which has to fit in a frame.
const MaxSiteSamples = 100_000

// SiteSample contains what is counted of a site in a minute, which is counted since 1970 by the host's clock.
type SiteSample struct {
	Site   int64    `json:"site"`
	Minute int64    `json:"minute"`
	Counts []uint32 `json:"counts"` // an agent of before sends fewer
}
