package agent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The host measures itself each minute by a timer, whether or not Hostler looks. What it measures is in a ring of a day and a minute more than any monitor
// looks back; what follows from it, the changes of the monitors' states, is kept until Hostler has long read it.

// measures is what was measured in a minute since 1970, in percent.
type measures struct {
	Minute           int64
	Load, Disk, Used float32
	_                uint32
}

const (
	ringMinutes = 25 * 60
	measureSize = 24
)

// of returns what a monitor watches.
func (m measures) of(metric string) (float64, bool) {
	switch metric {
	case wire.MonitorCPULoad:
		return float64(m.Load), true
	case wire.MonitorDisk:
		return float64(m.Disk), true
	case wire.MonitorUsedMemory:
		return float64(m.Used), true
	case wire.MonitorFreeMemory:
		return 100 - float64(m.Used), true
	}
	return 0, false
}

// monitorMemory is what is remembered of monitors: the state of each, and the newest changes, oldest first.
type monitorMemory struct {
	States  map[int64]string
	Changes []wire.MonitorChange
}

func (a *Agent) monitorDir() string { return filepath.Join(a.state, "monitors") }

// Sample measures the host and compares that with the thresholds of its monitors.
func (a *Agent) Sample(at time.Time) error {
	now, err := a.measure(at)
	if err != nil {
		return fmt.Errorf("measure the host: %w", err)
	}
	if err := os.MkdirAll(a.monitorDir(), 0o700); err != nil {
		return err
	}
	ring, err := os.OpenFile(filepath.Join(a.monitorDir(), "ring"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = ring.Close() }()
	if err := put(ring, now); err != nil {
		return fmt.Errorf("write what was measured: %w", err)
	}
	list, err := os.ReadFile(a.host(wire.MonitorFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	memory, err := a.monitorMemory()
	if err != nil {
		return err
	}
	monitors := wire.ParseMonitors(string(list))
	last := make([]measures, wire.MaxMonitorMinutes)
	for i := range last {
		if last[i], err = get(ring, now.Minute-int64(i)); err != nil {
			return fmt.Errorf("read what was measured: %w", err)
		}
	}
	if !memory.judge(monitors, last, at) {
		return nil
	}
	return durable.WriteJSON(a.monitorMemoryPath(), memory)
}

// judge brings the states of monitors up to date with what was measured, the newest first, and reports whether any of what is remembered changed.
func (m *monitorMemory) judge(monitors []wire.Monitor, last []measures, at time.Time) (changed bool) {
	states := map[int64]string{}
	for _, w := range monitors {
		was := m.States[w.ID]
		now := judged(w, last)
		if now == "" { // too little was measured, or it is undecided
			now = was
		}
		if now != "" {
			states[w.ID] = now
		}
		if now == was {
			continue
		}
		value, _ := last[0].of(w.Metric)
		when := at.UnixMicro()
		if n := len(m.Changes); n > 0 { // the clock may have been put back
			when = max(when, m.Changes[n-1].At+1)
		}
		m.Changes = append(m.Changes, wire.MonitorChange{ID: w.ID, State: now, At: when, Value: math.Round(value*100) / 100})
		changed = true
	}
	m.Changes = m.Changes[max(0, len(m.Changes)-wire.MaxMonitorChanges):]
	changed = changed || len(states) != len(m.States)
	m.States = states
	return changed
}

// judged returns the state that a monitor's minutes amount to: all of them crossed the threshold, or none did; otherwise "". One minute in five may be missing.
func judged(w wire.Monitor, last []measures) string {
	newest := last[0].Minute
	crossed, seen := 0, 0
	for i := range min(w.Minutes, len(last)) {
		if last[i].Minute != newest-int64(i) {
			continue
		}
		value, ok := last[i].of(w.Metric)
		if !ok {
			return ""
		}
		seen++
		if w.AtLeast && value >= w.Threshold || !w.AtLeast && value <= w.Threshold {
			crossed++
		}
	}
	switch {
	case seen == 0 || seen < w.Minutes-w.Minutes/5:
		return ""
	case crossed == seen:
		return wire.MonitorAlert
	case crossed == 0:
		return wire.MonitorOK
	}
	return ""
}

// measure reads what the kernel says of load, memory and the disk of /.
func (a *Agent) measure(at time.Time) (measures, error) {
	m := measures{Minute: at.Unix() / 60}
	raw, err := os.ReadFile(a.host("/proc/loadavg"))
	if err != nil {
		return m, err
	}
	first, _, _ := strings.Cut(string(raw), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return m, fmt.Errorf("read the load: %w", err)
	}
	m.Load = float32(100 * load / float64(runtime.NumCPU()))
	if raw, err = os.ReadFile(a.host("/proc/meminfo")); err != nil {
		return m, err
	}
	total, available := meminfo(string(raw), "MemTotal"), meminfo(string(raw), "MemAvailable")
	if total <= 0 {
		return m, errors.New("the kernel does not say how much memory there is")
	}
	m.Used = float32(100 * (total - available) / total)
	var st unix.Statfs_t
	if err := unix.Statfs(a.host("/"), &st); err != nil {
		return m, err
	}
	if used, free := float64(st.Blocks-st.Bfree), float64(st.Bavail); used+free > 0 {
		m.Disk = float32(100 * used / (used + free)) // as df has it: root's reserve is neither
	}
	return m, nil
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

// put writes what was measured to its place in a ring.
func put(ring io.WriterAt, m measures) error {
	raw, err := binary.Append(nil, binary.LittleEndian, m)
	if err != nil {
		return err
	}
	_, err = ring.WriteAt(raw, m.Minute%ringMinutes*measureSize)
	return err
}

// get reads what was measured in a minute; the zero value if nothing was.
func get(ring io.ReaderAt, minute int64) (measures, error) {
	raw := make([]byte, measureSize)
	if _, err := ring.ReadAt(raw, minute%ringMinutes*measureSize); err != nil {
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

func (a *Agent) monitorMemoryPath() string { return filepath.Join(a.monitorDir(), "states") }

// monitorMemory reads what is remembered of monitors; nothing of it if there is none.
func (a *Agent) monitorMemory() (monitorMemory, error) {
	var m monitorMemory
	err := durable.ReadJSON(a.monitorMemoryPath(), &m)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return m, err
}
