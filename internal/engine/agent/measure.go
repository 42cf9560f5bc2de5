package agent

import (
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The host measures itself each minute by a timer, whether or not Hostler looks. What it measures is in a ring, longer than any monitor looks back, and
// Hostler reads what is new of it; the changes of the monitors' states, which follow from it, are kept until Hostler has long read them.

// measures is what was measured in a minute since 1970: percentages, and counters since boot. Its size divides a page, so that no reader sees half of one.
type measures struct {
	Minute                   int64
	Load, Disk, Used, Inodes float32
	Busy, Ticks              uint64  // time of all CPUs, in units of the kernel's
	Received, Sent           uint64  // bytes
	Reboot                   float32 // 1 if updates wait for one; measured for a monitor of it
	Certificate              float32 // days until the first one ends; measured for a monitor of it
}

const measureSize = 64

func (a *Agent) ringPath() string { return filepath.Join(a.monitorDir(), "ring") }

// measure reads what the kernel says of the CPUs, memory, the network and the disk of /.
func (a *Agent) measure(at time.Time) (measures, error) {
	m := measures{Minute: at.Unix() / 60}
	var texts [4]string
	for i, file := range [...]string{"loadavg", "meminfo", "stat", "net/dev"} {
		raw, err := os.ReadFile(a.host("/proc/" + file))
		if err != nil {
			return m, err
		}
		texts[i] = string(raw)
	}
	first, _, _ := strings.Cut(texts[0], " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return m, fmt.Errorf("read the load: %w", err)
	}
	m.Load = float32(100 * load / float64(runtime.NumCPU()))
	total, available := meminfo(texts[1], "MemTotal"), meminfo(texts[1], "MemAvailable")
	if total <= 0 {
		return m, errors.New("the kernel does not say how much memory there is")
	}
	m.Used = float32(100 * (total - available) / total)
	m.Busy, m.Ticks = cpuTime(texts[2])
	m.Received, m.Sent = a.traffic(texts[3])
	var st unix.Statfs_t
	if err := unix.Statfs(a.host("/"), &st); err != nil {
		return m, err
	}
	if used, free := float64(st.Blocks-st.Bfree), float64(st.Bavail); used+free > 0 {
		m.Disk = float32(100 * used / (used + free)) // as df has it: root's reserve is neither
	}
	if st.Files > 0 { // some file systems make inodes as they need them, and say 0
		m.Inodes = float32(100 * float64(st.Files-st.Ffree) / float64(st.Files))
	}
	return m, nil
}

// measureFor measures what is measured only for monitors of it, since it reads many files.
func (a *Agent) measureFor(m *measures, monitors []wire.Monitor, at time.Time) {
	watched := func(metric string) bool {
		return slices.ContainsFunc(monitors, func(w wire.Monitor) bool { return w.Metric == metric })
	}
	var u unix.Utsname
	if watched(wire.MonitorReboot) && unix.Uname(&u) == nil && a.rebootNeeded(unix.ByteSliceToString(u.Release[:])) {
		m.Reboot = 1
	}
	if watched(wire.MonitorCertificate) {
		m.Certificate = a.certificateDays(at)
	}
}

// certificateDays returns the days until the first certificate of a site ends. What is no certificate is passed over: nginx would not serve it.
func (a *Agent) certificateDays(at time.Time) float32 {
	days := float32(wire.NoCertificate)
	chains, _ := filepath.Glob(a.host(wire.CertificateDirectory) + "/*/" + wire.ChainFile)
	for _, path := range chains {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		block, _ := pem.Decode(raw)
		if block == nil {
			continue
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			days = min(days, float32(c.NotAfter.Sub(at).Hours()/24))
		}
	}
	return days
}

// meminfo returns a line of /proc/meminfo in kB, 0 if there is none.
func meminfo(text, name string) float64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
			return n
		}
	}
	return 0
}

// cpuTime reads the first line of /proc/stat: the time that all CPUs had, and the part of it in which they were not idle. Waiting for a disk is idle, and
// the time of guests, the ninth and tenth number, is part of that of programs (proc(5)).
func cpuTime(text string) (busy, all uint64) {
	line, _, _ := strings.Cut(text, "\n")
	for i, field := range strings.Fields(strings.TrimPrefix(line, "cpu ")) {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil || i >= 8 {
			break
		}
		all += n
		if i != 3 && i != 4 { // idle and iowait
			busy += n
		}
	}
	return busy, all
}

// traffic reads /proc/net/dev. Only interfaces with a device of their own count, since bridges, bonds and tunnels pass on what these carry; a container
// has none of these, and there all count except loopback.
func (a *Agent) traffic(text string) (received, sent uint64) {
	var devices, all [2]uint64
	found := false
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		f := strings.Fields(rest)
		if !ok || name == "lo" || len(f) < 9 {
			continue
		}
		var n [2]uint64
		n[0], _ = strconv.ParseUint(f[0], 10, 64)
		n[1], _ = strconv.ParseUint(f[8], 10, 64)
		all[0], all[1] = all[0]+n[0], all[1]+n[1]
		if _, err := os.Stat(a.host("/sys/class/net/" + name + "/device")); err == nil {
			found = true
			devices[0], devices[1] = devices[0]+n[0], devices[1]+n[1]
		}
	}
	if found {
		all = devices
	}
	return all[0], all[1]
}

// put writes what was measured to its place in a ring.
func put(ring io.WriterAt, m measures) error {
	raw, err := binary.Append(nil, binary.LittleEndian, m)
	if err != nil {
		return err
	}
	_, err = ring.WriteAt(raw, m.Minute%wire.RingMinutes*measureSize)
	return err
}

// get reads what was measured in a minute; the zero value if nothing was.
func get(ring io.ReaderAt, minute int64) (measures, error) {
	raw := make([]byte, measureSize)
	if _, err := ring.ReadAt(raw, minute%wire.RingMinutes*measureSize); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return measures{}, err
	}
	var m measures
	if _, err := binary.Decode(raw, binary.LittleEndian, &m); err != nil || m.Minute != minute {
		return measures{}, err
	}
	return m, nil
}

// maxGap is how many minutes may be missing between two measurements for what happened between them to belong to the later one.
const maxGap = 5

// samples returns what was measured after a minute and until now, the oldest first.
func (a *Agent) samples(after int64, at time.Time) ([]wire.Sample, error) {
	out := []wire.Sample{}
	ring, err := os.Open(a.ringPath())
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = ring.Close() }()
	newest := at.Unix() / 60
	after = max(after, newest-wire.RingMinutes)
	var before measures
	for minute := max(after-maxGap, newest-wire.RingMinutes+1); minute <= newest; minute++ {
		m, err := get(ring, minute)
		if err != nil {
			return nil, fmt.Errorf("read what was measured: %w", err)
		}
		if m.Minute == 0 {
			continue
		}
		if minute > after {
			out = append(out, m.since(before))
		}
		before = m
	}
	return out, nil
}

// since returns what was measured, with counters as rates since an earlier measurement. They are unknown if the host booted in between.
func (m measures) since(before measures) wire.Sample {
	s := wire.Sample{Minute: m.Minute, Values: [wire.Metrics]float32{
		wire.MetricCPU: wire.Unknown, wire.MetricLoad: round(m.Load),
		wire.MetricMemory: round(m.Used), wire.MetricDisk: round(m.Disk), wire.MetricReceived: wire.Unknown, wire.MetricSent: wire.Unknown,
	}}
	minutes := m.Minute - before.Minute
	if before.Minute == 0 || minutes > maxGap || m.Ticks <= before.Ticks || m.Busy < before.Busy {
		return s
	}
	s.Values[wire.MetricCPU] = round(100 * float32(m.Busy-before.Busy) / float32(m.Ticks-before.Ticks))
	rate := func(now, was uint64) float32 {
		if now < was { // an interface is gone
			return wire.Unknown
		}
		return round(float32(now-was) / float32(60*minutes))
	}
	s.Values[wire.MetricReceived], s.Values[wire.MetricSent] = rate(m.Received, before.Received), rate(m.Sent, before.Sent)
	return s
}

// round leaves two places, so that answers stay small.
func round(f float32) float32 { return float32(math.Round(float64(f)*100) / 100) }
