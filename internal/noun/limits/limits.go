// Package limits reads and shows how much of its server a site may use.
package limits

import (
	"encoding/json"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/render"
)

// LimitValues are the limits of a site in a request; null for none. Percentages are of all memory of the server (MemoryMax= of
// systemd.resource-control(5)): the same ones fit small servers and large ones, and a server that gets more memory.
type LimitValues struct {
	MemoryHigh        *int64 `json:"memory_high,omitempty" nullable:"true" ours:"true" doc:"MB above which programs are slowed; 64 or more."`
	MemoryHighPercent *int64 `json:"memory_high_percent,omitempty" nullable:"true" ours:"true" doc:"The same in percent of all memory, 1 to 100."`
	MemoryMax         *int64 `json:"memory_max,omitempty" nullable:"true" ours:"true" doc:"MB above which programs are ended; 64 or more."`
	MemoryMaxPercent  *int64 `json:"memory_max_percent,omitempty" nullable:"true" ours:"true" doc:"The same in percent of all memory, 1 to 100."`
	CPUWeight         *int64 `json:"cpu_weight,omitempty" nullable:"true" ours:"true" doc:"Share of busy processors, to 10000; others: 100."`
	CPUQuota          *int64 `json:"cpu_quota,omitempty" nullable:"true" ours:"true" doc:"Percent of one processor, 5 to 100000."`
	TasksMax          *int64 `json:"tasks_max,omitempty" nullable:"true" ours:"true" doc:"Processes and threads, 32 to 1000000."`
	IOWeight          *int64 `json:"io_weight,omitempty" nullable:"true" ours:"true" doc:"Share of a busy disk, to 10000; others: 100."`
	OpenFiles         *int64 `json:"open_files,omitempty" nullable:"true" ours:"true" doc:"Open files of each process, 256 to 1048576."`
	// Unlike the others these are nginx's and the file system's.
	Connections *int64 `json:"connections,omitempty" nullable:"true" ours:"true" doc:"Concurrent requests, 5 to 1000000; others get 503."`
	DiskMax     *int64 `json:"disk_max,omitempty" nullable:"true" ours:"true" doc:"MB that the site's directory may hold, at least 10."`
}

// limit is one of a site's limits, with what it may be.
type limit struct {
	name        string
	asked       **int64
	into        *int64
	least, most int64
	unit        string
}

// pairs puts each limit beside where it goes. Less than the least, and a site does not answer at all.
func (v *LimitValues) pairs(into *render.Limits) []limit {
	const weight, megabytes, percent = 10_000, 64 << 20, " percent of the server's memory"
	return []limit{
		{"memory_high", &v.MemoryHigh, &into.MemoryHigh, 64, megabytes, " MB"},
		{"memory_high_percent", &v.MemoryHighPercent, &into.MemoryHighPercent, 1, 100, percent},
		{"memory_max", &v.MemoryMax, &into.MemoryMax, 64, megabytes, " MB"},
		{"memory_max_percent", &v.MemoryMaxPercent, &into.MemoryMaxPercent, 1, 100, percent},
		{"cpu_weight", &v.CPUWeight, &into.CPUWeight, 1, weight, ""},
		{"cpu_quota", &v.CPUQuota, &into.CPUQuota, 5, 100_000, " percent of a processor"},
		{"tasks_max", &v.TasksMax, &into.TasksMax, 32, 1_000_000, ""},
		{"io_weight", &v.IOWeight, &into.IOWeight, 1, weight, ""},
		{"open_files", &v.OpenFiles, &into.OpenFiles, 256, 1 << 20, ""},
		{"connections", &v.Connections, &into.Connections, 5, 1_000_000, ""},
		{"disk_max", &v.DiskMax, &into.DiskMax, 10, megabytes, " MB"},
	}
}

// Read reads the limits that a field asks for. total is the memory of the server in bytes, 0 while it is not known. ok is false if they are refused.
func Read(f api.Fields, field string, total int64, asked LimitValues) (l render.Limits, ok bool) {
	for name := range f {
		if name == field || strings.HasPrefix(name, field+".") {
			return l, false
		}
	}
	r := refusals{f, field, 0}
	for _, p := range asked.pairs(&l) {
		if *p.asked == nil {
			continue
		}
		if *p.into = **p.asked; *p.into < p.least || *p.into > p.most {
			r.add(p.name, "must be between %d and %d%s.", p.least, p.most, p.unit)
		}
	}
	if l.MemoryHigh > 0 && l.MemoryHighPercent > 0 {
		r.add("memory_high_percent", "can't be given together with %s.memory_high.", field)
	}
	if l.MemoryMax > 0 && l.MemoryMaxPercent > 0 {
		r.add("memory_max_percent", "can't be given together with %s.memory_max.", field)
	}
	return l, r.count == 0 && Check(f, field, total, l)
}

// refusals adds what is wrong with the limits of a field.
type refusals struct {
	f     api.Fields
	field string
	count int
}

func (r *refusals) add(name, text string, args ...any) {
	name = r.field + "." + name
	r.f.Add(name, "The "+name+" "+text, args...)
	r.count++
}

// Check compares the limits of memory with each other and, where that is known, with the memory of the server.
func Check(f api.Fields, field string, total int64, l render.Limits) (ok bool) {
	const mega, least = 1 << 20, 64
	r := refusals{f, field, 0}
	part := func(name string, megabytes, percent int64) int64 {
		if percent == 0 || total == 0 {
			return megabytes
		}
		megabytes = total * percent / 100 / mega
		if megabytes < least {
			r.add(name, "must be at least %d MB: %d percent of the server's memory are %d MB.", least, percent, megabytes)
		}
		return megabytes
	}
	high, most := part("memory_high_percent", l.MemoryHigh, l.MemoryHighPercent), part("memory_max_percent", l.MemoryMax, l.MemoryMaxPercent)
	name := "memory_high"
	if l.MemoryHighPercent > 0 {
		name = "memory_high_percent"
	}
	if l.MemoryHighPercent > 0 && l.MemoryMaxPercent > 0 {
		high, most = l.MemoryHighPercent, l.MemoryMaxPercent
	}
	if r.count == 0 && most > 0 && high > most {
		r.add(name, "must not be above what programs are ended at, %s: they would be ended before they are slowed down.", l.MostMemory())
	}
	return r.count == 0
}

// Text and Parse are how a row has limits; "" is for none.
func Text(l *render.Limits) string {
	if l == nil {
		return ""
	}
	raw, _ := json.Marshal(l) // numbers alone
	return string(raw)
}

// Parse is described at Text.
func Parse(text string) *render.Limits {
	if text == "" {
		return nil
	}
	var l render.Limits
	_ = json.Unmarshal([]byte(text), &l) // Text wrote it
	return &l
}

// Same reports whether both allow the same.
func Same(a, b *render.Limits) bool {
	none := render.Limits{}
	if a == nil {
		a = &none
	}
	if b == nil {
		b = &none
	}
	return *a == *b
}

// LimitsInForce are the limits of a site in documents.
type LimitsInForce struct {
	MemoryHigh        *int64 `json:"memory_high" doc:"In MB; null for no limit, as in all of these."`
	MemoryHighPercent *int64 `json:"memory_high_percent" doc:"In percent of the server's memory."`
	MemoryMax         *int64 `json:"memory_max" doc:"In MB."`
	MemoryMaxPercent  *int64 `json:"memory_max_percent" doc:"In percent of the server's memory."`
	CPUWeight         *int64 `json:"cpu_weight" doc:"Share of the processors while they are all busy; others have 100."`
	CPUQuota          *int64 `json:"cpu_quota" doc:"In percent of one processor."`
	TasksMax          *int64 `json:"tasks_max" doc:"Number of processes and threads."`
	IOWeight          *int64 `json:"io_weight" doc:"Share of the disk while it is busy; others have 100."`
	OpenFiles         *int64 `json:"open_files" doc:"Of each process."`
	Connections       *int64 `json:"connections" doc:"Concurrent requests that are answered."`
	DiskMax           *int64 `json:"disk_max" doc:"Of the site's directory, in MB."`
}

// Shown returns limits as documents have them.
func Shown(l *render.Limits) LimitsInForce {
	var v LimitValues
	if l != nil {
		for _, p := range v.pairs(l) {
			if *p.into > 0 {
				*p.asked = p.into
			}
		}
	}
	return LimitsInForce(v) // the same fields
}
