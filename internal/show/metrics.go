package show

// Metric is a list of metrics, and how its values are written. A rare one is left out where nothing was measured.
type Metric struct {
	Title, Name string
	Text        func(float64) string
	Rare        bool
}

// ServerMetrics are those of a server, or of all.
var ServerMetrics = []Metric{
	{"CPU", "cpu", Percent, false},
	{"LOAD PER CPU", "cpu_load", Percent, false},
	{"MEMORY", "used_memory", Percent, false},
	{"DISK", "disk", Percent, false},
	{"RECEIVED", "network_received", PerSecond, false},
	{"SENT", "network_sent", PerSecond, false},
}

// SiteMetrics are those of a site: what it is asked, and what it uses where it has limits.
var SiteMetrics = []Metric{
	{"REQUESTS", "requests", PerMinute, false},
	{"4XX", "client_errors", PerMinute, false},
	{"5XX", "server_errors", PerMinute, false},
	{"MEMORY", "memory", Megabytes, true},
	{"CPU", "cpu", Percent, true},
	{"TASKS", "tasks", Number, true},
}
