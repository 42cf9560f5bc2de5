package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A monitor alerts once all of its minutes crossed the threshold, and recovers once none did; in between it stays as it is.
func TestMonitorsAreJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		monitor wire.Monitor
		values  string // of each minute, the oldest first; - for one that is missing
		want    string
	}{
		"from the first minute":         {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 1}, "80", "ALERT"},
		"below":                         {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 1}, "79.9", "OK"},
		"not long enough":               {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 3}, "10 10 10 90 90", "OK"},
		"all of them":                   {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 3}, "10 10 10 90 90 90", "OK ALERT"},
		"too little is known":           {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 3}, "90 90", ""},
		"once more and back":            {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 2}, "1 1 90 90 90 1 90 1 1 1", "OK ALERT OK"},
		"a gap of one in five":          {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 5}, "90 90 - 90 90", "ALERT"},
		"a gap of two":                  {wire.Monitor{Metric: wire.MonitorDisk, AtLeast: true, Threshold: 80, Minutes: 5}, "90 - - 90 90", ""},
		"downwards":                     {wire.Monitor{Metric: wire.MonitorFreeMemory, Threshold: 10, Minutes: 1}, "50 90 95 10", "OK ALERT OK"},
		"what this agent can't measure": {wire.Monitor{Metric: "inodes", AtLeast: true, Threshold: 1, Minutes: 1}, "50", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.monitor.ID = 7
			var m monitorMemory
			last := make([]measures, wire.MaxMonitorMinutes)
			for i, text := range strings.Fields(c.values) {
				copy(last[1:], last)
				last[0] = measures{}
				value, err := strconv.ParseFloat(text, 32)
				if err != nil {
					continue // missing
				}
				last[0] = measures{Minute: 1000 + int64(i), Disk: float32(value), Used: float32(value)}
				m.judge([]wire.Monitor{c.monitor}, last, time.UnixMicro(5)) // the clock stands still
			}
			var got []string
			for i, change := range m.Changes {
				if got = append(got, change.State); i > 0 && change.At <= m.Changes[i-1].At {
					t.Errorf("change %d is at %d, after %d", i, change.At, m.Changes[i-1].At)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("it became %v, want %q", got, c.want)
			}
		})
	}
}

// What is measured stays for a day in a file that does not grow, and the states that follow from it survive between samples.
func TestHostMeasuresItself(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("/proc/loadavg", "0.00 0.00 0.00 1/100 1\n")
	write("/proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    250 kB\n")
	write(wire.MonitorFile, "# "+wire.OwnHead+"\n"+wire.Monitor{ID: 1, Metric: wire.MonitorUsedMemory, AtLeast: true, Threshold: 70, Minutes: 2}.String()+"\nnonsense\n"+
		wire.Monitor{ID: 2, Metric: wire.MonitorFreeMemory, Threshold: 20, Minutes: 1}.String()+"\n")
	a, err := New(Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	begin := time.Unix(1_800_000_000, 0)
	for i := range 3 {
		if err := a.Sample(begin.Add(time.Duration(i) * time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	write("/proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    900 kB\n")
	for i := range 3 {
		if err := a.Sample(begin.Add(time.Duration(3+i) * time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(minute int) int64 { return begin.Add(time.Duration(minute) * time.Minute).UnixMicro() }
	m, err := a.monitorMemory()
	if err != nil {
		t.Fatal(err)
	}
	want := []wire.MonitorChange{{ID: 2, State: "OK", At: at(0), Value: 25}, {ID: 1, State: "ALERT", At: at(1), Value: 75}, {ID: 1, State: "OK", At: at(4), Value: 10}}
	if diff := cmp.Diff(want, m.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	for i := range 20 {
		if err := a.Sample(begin.Add(time.Duration(10+997*i) * time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(a.monitorDir(), "ring"))
	if err != nil || info.Size() > ringMinutes*measureSize {
		t.Errorf("the ring has %d bytes, %v", info.Size(), err)
	}
}
