package agent

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
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
		"what this agent can't measure": {wire.Monitor{Metric: "fans", AtLeast: true, Threshold: 1, Minutes: 1}, "50", ""},
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
	write("/proc/stat", "cpu  10 0 10 80 0 0 0 0 0 0\n")
	write("/proc/net/dev", "Inter-|   Receive\n    lo: 9 0 0 0 0 0 0 0 9 0\n")
	write(wire.MonitorFile, "# "+wire.OwnHead+"\n"+wire.Monitor{
		ID: 1, Metric: wire.MonitorUsedMemory, AtLeast: true, Threshold: 70,
		Minutes: 2,
	}.String()+"\nnonsense\n"+
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
	want := []wire.MonitorChange{
		{ID: 2, State: "OK", At: at(0), Value: 25},
		{ID: 1, State: "ALERT", At: at(1), Value: 75},
		{ID: 1, State: "OK", At: at(4), Value: 10},
	}
	if diff := cmp.Diff(want, m.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	for i := range 20 {
		if err := a.Sample(begin.Add(time.Duration(10+997*i) * time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(a.monitorDir(), "ring"))
	if err != nil || info.Size() > wire.RingMinutes*measureSize {
		t.Errorf("the ring has %d bytes, %v", info.Size(), err)
	}
}

// A pending reboot and the end of the first certificate are measured where a monitor watches them, and change its state like a full disk does.
func TestRebootsAndCertificatesAreWatched(t *testing.T) {
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
	begin := time.Unix(1_800_000_000, 0)
	chain := func(days float64) string {
		t.Helper()
		public, private, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: begin.AddDate(-1, 0, 0), NotAfter: begin.Add(time.Duration(days * 24 * float64(time.Hour)))}
		raw, err := x509.CreateCertificate(nil, c, c, public, private)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	}
	write("/proc/loadavg", "0.00 0.00 0.00 1/100 1\n")
	write("/proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    250 kB\n")
	write("/proc/stat", "cpu  10 0 10 80 0 0 0 0 0 0\n")
	write("/proc/net/dev", "")
	write(wire.MonitorFile, wire.Monitor{ID: 1, Metric: wire.MonitorReboot, AtLeast: true, Threshold: 1, Minutes: 1}.String()+"\n"+
		wire.Monitor{ID: 2, Metric: wire.MonitorCertificate, Threshold: 14, Minutes: 1}.String()+"\n"+
		wire.Monitor{ID: 3, Metric: wire.MonitorInodes, AtLeast: true, Threshold: 0, Minutes: 1}.String()+"\n")
	a, err := New(Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	for i, change := range []func(){
		func() {},
		func() { write("/run/reboot-required", "") },
		func() {
			write("/etc/ssl/hostler/7/chain.pem", chain(60))
			write("/etc/ssl/hostler/8/chain.pem", chain(13.5))
			write("/etc/ssl/hostler/9/chain.pem", "nonsense")
		},
		func() {
			write("/etc/ssl/hostler/8/chain.pem", chain(90))
			if err := os.Remove(filepath.Join(root, "/run/reboot-required")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		if err := a.Sample(begin.Add(time.Duration(i) * time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := a.monitorMemory()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range m.Changes {
		value := c.Value
		if c.ID == 3 { // that of the machine
			value = 0
		}
		got = append(got, fmt.Sprint(c.ID, " ", c.State, " ", value))
	}
	want := []string{"1 OK 0", "2 OK 100000", "3 ALERT 0", "1 ALERT 1", "2 ALERT 13.5", "1 OK 0", "2 OK 60"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// What is asked for is what is newer than the last answer, whether it was measured a minute or days ago; counters become rates, and none across a boot.
func TestSamplesAreRead(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, err := New(Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	const first = int64(30_000_000)
	at := func(minute int64) time.Time { return time.Unix(60*minute, 0) }
	if got, err := a.samples(0, at(first)); err != nil || len(got) != 0 {
		t.Errorf("before anything was measured there is %v, %v", got, err)
	}
	if err := os.MkdirAll(a.monitorDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	ring, err := os.Create(a.ringPath())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ring.Close() }()
	for _, m := range []measures{
		{Minute: first - wire.RingMinutes + 2, Load: 1},
		{Minute: first, Load: 10, Disk: 20, Used: 30, Busy: 100, Ticks: 1000, Received: 1000, Sent: 5000},
		{Minute: first + 1, Load: 10.123, Disk: 20, Used: 30, Busy: 150, Ticks: 1200, Received: 7000, Sent: 5000},
		{Minute: first + 3, Load: 10, Disk: 20, Used: 30, Busy: 150, Ticks: 1600, Received: 19000, Sent: 4000}, // after a gap, and an interface is gone
		{Minute: first + 4, Load: 99, Disk: 20, Used: 30, Busy: 50, Ticks: 60, Received: 9, Sent: 9},           // after a boot
	} {
		if err := put(ring, m); err != nil {
			t.Fatal(err)
		}
	}
	sample := func(minute int64, values ...float32) wire.Sample {
		return wire.Sample{Minute: minute, Values: [wire.Metrics]float32(values)}
	}
	want := []wire.Sample{
		sample(first+1, 25, 10.12, 30, 20, 100, 0),
		sample(first+3, 0, 10, 30, 20, 100, -1),
		sample(first+4, -1, 99, 30, 20, -1, -1),
	}
	for after, want := range map[int64][]wire.Sample{first: want, first + 2: want[1:], first + 4: {}} {
		got, err := a.samples(after, at(first+4))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after minute %d (-want +got):\n%s", after-first, diff)
		}
	}
	if got, err := a.samples(0, at(first+1)); err != nil || len(got) != 3 || got[0].Values[wire.MetricCPU] != -1 {
		t.Errorf("after nothing there is %v, %v", got, err)
	}
}

// Time of CPUs that wait is idle, and interfaces that pass on the traffic of others do not count.
func TestCountersAreRead(t *testing.T) {
	t.Parallel()
	if busy, all := cpuTime("cpu  100 1 20 800 50 3 4 5 7 1\ncpu0 1 1 1 1\n"); busy != 133 || all != 983 {
		t.Errorf("%d of %d", busy, all)
	}
	a := &Agent{cfg: Config{Root: t.TempDir()}}
	const text = "Inter-|   Receive  |  Transmit\n face |bytes packets\n" +
		"    lo: 7 0 0 0 0 0 0 0 7 0\n  eth0: 100 1 0 0 0 0 0 0 200 2\n  eth1:10 1 0 0 0 0 0 0 20 2\nbr-1: 1000 1 0 0 0 0 0 0 1000 1\n"
	if received, sent := a.traffic(text); received != 1110 || sent != 1220 {
		t.Errorf("a container received %d and sent %d", received, sent)
	}
	for _, name := range []string{"eth0", "eth1"} {
		if err := os.MkdirAll(a.host("/sys/class/net/"+name+"/device"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if received, sent := a.traffic(text); received != 110 || sent != 220 {
		t.Errorf("a machine received %d and sent %d", received, sent)
	}
}
