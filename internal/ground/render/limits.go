package render

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Limits are how much of its server a site may use. Zero is no limit.
type Limits struct {
	// MemoryHigh is from where on programs are slowed down, and MemoryMax from where on they are ended, in MB.
	MemoryHigh int64 `json:"memory_high,omitempty"`
	MemoryMax  int64 `json:"memory_max,omitempty"`
	// MemoryHighPercent and MemoryMaxPercent are the same in percent of the server's memory, instead.
	MemoryHighPercent int64 `json:"memory_high_percent,omitempty"`
	MemoryMaxPercent  int64 `json:"memory_max_percent,omitempty"`
	// CPUWeight and IOWeight are shares, of which others have 100; CPUQuota is percent of one processor.
	CPUWeight int64 `json:"cpu_weight,omitempty"`
	CPUQuota  int64 `json:"cpu_quota,omitempty"`
	IOWeight  int64 `json:"io_weight,omitempty"`
	// TasksMax is how many processes and threads there may be, and OpenFiles how many files each process may open.
	TasksMax  int64 `json:"tasks_max,omitempty"`
	OpenFiles int64 `json:"open_files,omitempty"`
	// Connections is how many requests nginx passes on, or answers, at once.
	Connections int64 `json:"connections,omitempty"`
	// DiskMax is how much the site's directory may hold, in MB.
	DiskMax int64 `json:"disk_max,omitempty"`
}

// SiteSlice returns the slice of all that runs for a site with limits, and BuildSlice that of its deployments: a build that runs out of memory ends itself, not
// the site that is live. The underscores make both direct children of system.slice (systemd.slice(5)), where their weights compare with those of all services.
func SiteSlice(siteID int64) string {
	return "system-hostler_site_" + strconv.FormatInt(siteID, 10) + ".slice"
}

// BuildSlice is described at SiteSlice.
func BuildSlice(siteID int64) string {
	return "system-hostler_build_" + strconv.FormatInt(siteID, 10) + ".slice"
}

// Slice returns a slice with limits (systemd.resource-control(5)). It says each property, also those without a limit: whatever a manager
// does with a property that a file no longer names (systemd issue 14149), a limit that is taken away is reset. Of swap there may be as
// much as of memory: without a limit of it, one site takes all of the server's before a program is ended.
func (l Limits) Slice(title string) (string, error) {
	title, err := systemdText(title)
	if err != nil {
		return "", err
	}
	for _, n := range []int64{
		l.MemoryHigh, l.MemoryMax, l.MemoryHighPercent, l.MemoryMaxPercent, l.CPUWeight, l.CPUQuota, l.IOWeight, l.TasksMax, l.OpenFiles, l.Connections, l.DiskMax,
	} {
		if n < 0 {
			return "", errors.New("a limit is not negative")
		}
	}
	or := func(n int64, unit, without string) string {
		if n == 0 {
			return without
		}
		return strconv.FormatInt(n, 10) + unit
	}
	const infinity, usual = "infinity", "100"
	memory := func(megabytes, percent int64) string { return or(percent, "%", or(megabytes, "M", infinity)) }
	most := memory(l.MemoryMax, l.MemoryMaxPercent)
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten.
[Unit]
Description=Hostler: %s
Before=slices.target

[Slice]
CPUAccounting=yes
MemoryAccounting=yes
TasksAccounting=yes
IOAccounting=yes
MemoryHigh=%s
MemoryMax=%s
MemorySwapMax=%s
CPUWeight=%s
CPUQuota=%s
IOWeight=%s
TasksMax=%s
`, title, memory(l.MemoryHigh, l.MemoryHighPercent), most, most,
		or(l.CPUWeight, "", usual), or(l.CPUQuota, "%", ""), or(l.IOWeight, "", usual), or(l.TasksMax, "", infinity)), nil
}

// MostMemory describes how much memory there may be used at most, "" for as much as there is.
func (l Limits) MostMemory() string {
	switch {
	case l.MemoryMaxPercent > 0:
		return fmt.Sprintf("memory_max_percent, %d percent of the server's memory", l.MemoryMaxPercent)
	case l.MemoryMax > 0:
		return fmt.Sprintf("memory_max, %d MB", l.MemoryMax)
	}
	return ""
}

// Share is what a unit of a site may use of its server; the zero one for a site without limits.
type Share struct {
	Slice     string
	OpenFiles int64 // 0 for what is usual
}

// lines returns the settings of a unit. What ran out of memory is ended alone: by default systemd ends all of its unit (systemd.service(5), OOMPolicy=).
func (s Share) lines() string {
	if s.Slice == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Slice=%s\nOOMPolicy=continue\n", s.Slice)
	if s.OpenFiles > 0 {
		fmt.Fprintf(&b, "LimitNOFILE=%d\n", s.OpenFiles)
	}
	return b.String()
}

// NginxConnections returns the lines of nginx's http block and of a site's vhosts that limit how many of its requests are answered at
// once: the others get 503 (ngx_http_limit_conn_module). The key is the same for all, and the smallest zone is more than enough for it.
func NginxConnections(siteID, most int64) (zone, include string, err error) {
	if siteID <= 0 || most <= 0 {
		return "", "", errors.New("a limit of connections needs a site and a number")
	}
	const head = "# Written by Hostler; changes are overwritten.\n"
	return head + fmt.Sprintf("limit_conn_zone site zone=hostler_site_%d:32k;\n", siteID),
		head + fmt.Sprintf("limit_conn hostler_site_%d %d;\n", siteID, most), nil
}
