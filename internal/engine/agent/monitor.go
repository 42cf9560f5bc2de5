package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// of returns what a monitor watches.
func (m measures) of(metric string) (float64, bool) {
	switch metric {
	case wire.MonitorCPULoad:
		return float64(m.Load), true
	case wire.MonitorDisk:
		return float64(m.Disk), true
	case wire.MonitorInodes:
		return float64(m.Inodes), true
	case wire.MonitorReboot:
		return float64(m.Reboot), true
	case wire.MonitorCertificate:
		return float64(m.Certificate), true
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

// Sample measures the host, compares that with the thresholds of its monitors, and counts the requests of its sites.
func (a *Agent) Sample(at time.Time) error {
	now, err := a.measure(at)
	if err != nil {
		return fmt.Errorf("measure the host: %w", err)
	}
	list, err := os.ReadFile(a.host(wire.MonitorFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	monitors := wire.ParseMonitors(string(list))
	a.measureFor(&now, monitors, at)
	if err := os.MkdirAll(a.monitorDir(), 0o700); err != nil {
		return err
	}
	ring, err := os.OpenFile(a.ringPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = ring.Close() }()
	if err := put(ring, now); err != nil {
		return fmt.Errorf("write what was measured: %w", err)
	}
	memory, err := a.monitorMemory()
	if err != nil {
		return err
	}
	last := make([]measures, wire.MaxMonitorMinutes)
	for i := range last {
		if last[i], err = get(ring, now.Minute-int64(i)); err != nil {
			return fmt.Errorf("read what was measured: %w", err)
		}
	}
	if memory.judge(monitors, last, at) {
		if err := durable.WriteJSON(a.monitorMemoryPath(), memory); err != nil {
			return err
		}
	}
	refused, err := a.countRequests(at)
	full, late := a.fullDirectories(at)
	return errors.Join(err, late, a.lookForShortages(at, refused, full))
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

func (a *Agent) monitorMemoryPath() string { return filepath.Join(a.monitorDir(), "states") }

// monitorMemory reads the stored states of monitors; none if there is no file.
func (a *Agent) monitorMemory() (monitorMemory, error) {
	var m monitorMemory
	err := durable.ReadJSON(a.monitorMemoryPath(), &m)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return m, err
}
