package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// MonitorFile lists the monitors of a host, one a line.
const MonitorFile = "/etc/hostler/monitors"

// MaxMonitorMinutes is the longest time that a threshold can have to be crossed for.
const MaxMonitorMinutes = 60

// What a monitor measures, in percent where nothing else is said.
const (
	MonitorCPULoad     = "cpu_load"         // the load average of a minute for each CPU
	MonitorDisk        = "disk"             // used of the disk of /
	MonitorInodes      = "inodes"           // used of the inodes of the disk of /
	MonitorFreeMemory  = "free_memory"      // available to programs
	MonitorUsedMemory  = "used_memory"      // the rest
	MonitorReboot      = "reboot_required"  // 1 while updates wait for a reboot, else 0
	MonitorCertificate = "certificate_days" // until the first certificate of a site ends; negative once it has
)

// CertificateDirectory contains a directory for each certificate that is served, with its ChainFile.
const (
	CertificateDirectory = "/etc/ssl/hostler"
	ChainFile            = "chain.pem"
)

// NoCertificate is what MonitorCertificate measures where no certificate is served: more days than any has.
const NoCertificate = 100_000

// The states of a monitor.
const (
	MonitorOK    = "OK"
	MonitorAlert = "ALERT"
)

// Monitor compares what is measured each minute with a threshold.
type Monitor struct {
	ID        int64
	Metric    string
	AtLeast   bool // crossed from the threshold upwards, else from it downwards
	Threshold float64
	Minutes   int
}

// String returns the line of a monitor.
func (m Monitor) String() string {
	return fmt.Sprintf("%d %s %s %s %d", m.ID, m.Metric, map[bool]string{true: "gte", false: "lte"}[m.AtLeast],
		strconv.FormatFloat(m.Threshold, 'f', -1, 64), m.Minutes)
}

// ParseMonitors reads the lines of monitors. Comments and lines that are none are passed over.
func ParseMonitors(text string) []Monitor {
	var out []Monitor
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 5 {
			continue
		}
		m := Monitor{Metric: f[1], AtLeast: f[2] == "gte"}
		var errs [3]error
		m.ID, errs[0] = strconv.ParseInt(f[0], 10, 64)
		m.Threshold, errs[1] = strconv.ParseFloat(f[3], 64)
		m.Minutes, errs[2] = strconv.Atoi(f[4])
		if errs == [3]error{} && m.Minutes >= 1 && m.Minutes <= MaxMonitorMinutes {
			out = append(out, m)
		}
	}
	return out
}

// MonitorChange is a change of a monitor's state. At is when, in microseconds since 1970; no two changes of a host have the same.
type MonitorChange struct {
	ID    int64   `json:"id"`
	State string  `json:"state"`
	At    int64   `json:"at"`
	Value float64 `json:"value"` // measured last
}

// MaxMonitorChanges is how many changes a host remembers, the newest.
const MaxMonitorChanges = 200
