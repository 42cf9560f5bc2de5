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

// SampleQuery requests the samples of a host that are newer than a minute.
type SampleQuery struct {
	After int64 `json:"after"`
}
