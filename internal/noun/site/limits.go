package site

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

// LimitsRequest is what requests say of how much of its server a site may use.
type LimitsRequest struct {
	Limits *LimitValues `json:"limits,omitempty" ours:"true" doc:"How much of its server all that runs for the site may use. Replaces all limits: what is left out has none. Deployments have the same limits once more for themselves."`
}

// LimitValues are the limits of a site; null for none.
type LimitValues struct {
	MemoryHigh *int64 `json:"memory_high,omitempty" nullable:"true" ours:"true" doc:"MB of memory from which on the site's programs are slowed down, at least 64."`
	MemoryMax  *int64 `json:"memory_max,omitempty" nullable:"true" ours:"true" doc:"MB of memory from which on programs of the site are ended, at least 64."`
	CPUWeight  *int64 `json:"cpu_weight,omitempty" nullable:"true" ours:"true" doc:"Share of the processors while they are all busy, 1 to 10000; every other site with limits and every service has 100."`
	CPUQuota   *int64 `json:"cpu_quota,omitempty" nullable:"true" ours:"true" doc:"Percent of one processor, 5 to 100000: 200 are two processors."`
	TasksMax   *int64 `json:"tasks_max,omitempty" nullable:"true" ours:"true" doc:"Number of processes and threads, 32 to 1000000."`
	IOWeight   *int64 `json:"io_weight,omitempty" nullable:"true" ours:"true" doc:"Share of the disk while it is busy, 1 to 10000; every other site with limits and every service has 100."`
	OpenFiles  *int64 `json:"open_files,omitempty" nullable:"true" ours:"true" doc:"Number of files that each process may have open, 256 to 1048576."`
}

// limit is a limit of a request, with what it may be.
type limit struct {
	name        string
	asked, into *int64
	least, most int64
	unit        string
}

// limits pairs what is asked with where it goes. Less than the least, and a site does not answer at all.
func (v LimitValues) limits(into *render.Limits) []limit {
	const weight, megabytes = 10_000, 64 << 20
	return []limit{
		{"memory_high", v.MemoryHigh, &into.MemoryHigh, 64, megabytes, " MB"},
		{"memory_max", v.MemoryMax, &into.MemoryMax, 64, megabytes, " MB"},
		{"cpu_weight", v.CPUWeight, &into.CPUWeight, 1, weight, ""},
		{"cpu_quota", v.CPUQuota, &into.CPUQuota, 5, 100_000, " percent of a processor"},
		{"tasks_max", v.TasksMax, &into.TasksMax, 32, 1_000_000, ""},
		{"io_weight", v.IOWeight, &into.IOWeight, 1, weight, ""},
		{"open_files", v.OpenFiles, &into.OpenFiles, 256, 1 << 20, ""},
	}
}

// readLimits reads how much of its server a site is to use. now is what it has, nil for a site that never had limits: it stays so until it is given one.
func readLimits(f api.Fields, kind string, now *render.Limits, asked *LimitValues) *render.Limits {
	for field := range f {
		if field == "limits" || strings.HasPrefix(field, "limits.") {
			return now
		}
	}
	var next render.Limits
	if asked != nil {
		for _, l := range asked.limits(&next) {
			if l.asked == nil {
				continue
			}
			if *l.into = *l.asked; *l.asked < l.least || *l.asked > l.most {
				f.Add("limits."+l.name, "The limits.%s must be between %d and %d%s.", l.name, l.least, l.most, l.unit)
			}
		}
	}
	if next.MemoryMax > 0 && next.MemoryHigh > next.MemoryMax {
		f.Add("limits.memory_high", "The limits.memory_high must not be above limits.memory_max, %d MB: programs would be ended before they are slowed "+
			"down.", next.MemoryMax)
	}
	if asked == nil || next == (render.Limits{}) && now == nil {
		return now
	}
	if kind == sitetype.Balancer {
		f.Add("limits", "A site on a load balancer runs nothing of its own.")
	}
	return &next
}

// limitsText and limitsOf are how the row of a site has its limits.
func limitsText(l *render.Limits) string {
	if l == nil {
		return ""
	}
	raw, _ := json.Marshal(l) // numbers alone
	return string(raw)
}

func limitsOf(row query.Site) *render.Limits {
	if row.Limits == "" {
		return nil
	}
	var l render.Limits
	_ = json.Unmarshal([]byte(row.Limits), &l) // limitsText wrote it
	return &l
}

func limitsMeta(row query.Site) LimitsMeta {
	l := limitsOf(row)
	if l == nil {
		return LimitsMeta{}
	}
	some := func(n int64) *int64 {
		if n == 0 {
			return nil
		}
		return &n
	}
	return LimitsMeta{LimitsInForce{
		MemoryHigh: some(l.MemoryHigh), MemoryMax: some(l.MemoryMax), CPUWeight: some(l.CPUWeight), CPUQuota: some(l.CPUQuota),
		TasksMax: some(l.TasksMax), IOWeight: some(l.IOWeight), OpenFiles: some(l.OpenFiles),
	}}
}

// Moves reports whether a change of a specification has to start all that runs for the site once more: a process stays in its slice, and with the number of
// files that it may open.
func (s Specification) Moves(before Specification) bool {
	if s.Limits == nil || before.Limits == nil {
		return s.Limits != before.Limits
	}
	return s.Limits.OpenFiles != before.Limits.OpenFiles
}

// ShareOf returns what units of a site may use of its server.
func ShareOf(row query.Site) render.Share {
	l := limitsOf(row)
	if l == nil {
		return render.Share{}
	}
	return render.Share{Slice: render.SiteSlice(row.ID), OpenFiles: l.OpenFiles}
}

// Slices returns the slices of a site with their texts, none for a site that never had limits.
func Slices(row query.Site) (map[string]string, error) {
	l := limitsOf(row)
	if l == nil {
		return nil, nil
	}
	out := map[string]string{}
	for slice, title := range map[string]string{render.SiteSlice(row.ID): row.Name, render.BuildSlice(row.ID): "deployments of " + row.Name} {
		text, err := l.Slice(title)
		if err != nil {
			return nil, fmt.Errorf("limits of site %d: %w", row.ID, err)
		}
		out[slice] = text
	}
	return out, nil
}

// Fits returns the arguments of wire.FitsMode for a site, nil for one that may use as much memory and as many tasks as there are.
func Fits(row query.Site) []string {
	l := limitsOf(row)
	if l == nil || l.MemoryMax == 0 && l.TasksMax == 0 {
		return nil
	}
	return []string{render.SiteSlice(row.ID), strconv.FormatInt(l.MemoryMax, 10), strconv.FormatInt(l.TasksMax, 10)}
}

// LimitsMeta is how much of its server a site may use, in the meta of its documents.
type LimitsMeta struct {
	Limits LimitsInForce `json:"limits" doc:"How much of its server all that runs for the site may use."`
}

// LimitsInForce are the limits of a site.
type LimitsInForce struct {
	MemoryHigh *int64 `json:"memory_high" doc:"In MB; null for no limit, as in all of these."`
	MemoryMax  *int64 `json:"memory_max" doc:"In MB."`
	CPUWeight  *int64 `json:"cpu_weight" doc:"Share of the processors while they are all busy; others have 100."`
	CPUQuota   *int64 `json:"cpu_quota" doc:"In percent of one processor."`
	TasksMax   *int64 `json:"tasks_max" doc:"Number of processes and threads."`
	IOWeight   *int64 `json:"io_weight" doc:"Share of the disk while it is busy; others have 100."`
	OpenFiles  *int64 `json:"open_files" doc:"Of each process."`
}

// sameLimits reports whether two specifications have the same limits.
func sameLimits(a, b *render.Limits) bool {
	none := render.Limits{}
	if a == nil {
		a = &none
	}
	if b == nil {
		b = &none
	}
	return *a == *b
}
