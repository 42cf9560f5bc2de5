package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// shortagesText is how the row of a server has its shortages. A host may say what it likes.
func shortagesText(all []wire.Shortage) string {
	known := []string{wire.ShortOfMemory, wire.ShortOfTasks, wire.ShortOfConnections, wire.ShortOfDisk}
	var out []wire.Shortage
	for _, s := range all[:min(len(all), wire.MaxShortages)] {
		if s.Times < 1 || s.Site < 0 || s.Last <= 0 || s.Bytes < 0 || !slices.Contains(known, s.Of) {
			continue
		}
		s.Process, s.Unit = shown(s.Process), shown(s.Unit)
		out = append(out, s)
	}
	if len(out) == 0 {
		return ""
	}
	raw, _ := json.Marshal(out) // numbers and text
	return string(raw)
}

// shown returns a name without what is not shown, and cut where nothing has a longer one: systemd's units have 255 bytes.
func shown(name string) string {
	const longest = 255
	name = strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
	return strings.ToValidUTF8(name[:min(len(name), longest)], "?")
}

// Shortages returns what fell short on a server in the last day, as it told.
func Shortages(row query.Server, now time.Time) []wire.Shortage {
	var all, out []wire.Shortage
	if row.Shortages != "" {
		_ = json.Unmarshal([]byte(row.Shortages), &all) // shortagesText wrote it
	}
	for _, s := range all {
		if s.Last = min(s.Last, now.UnixMicro()); now.Sub(time.UnixMicro(s.Last)) < wire.ShortFor {
			out = append(out, s)
		}
	}
	return out
}

// ShortageText describes a shortage. user ("a deployment") and limit ("used up its memory") are a sentence about its cause.
func ShortageText(s wire.Shortage, user, limit string) string {
	var text string
	switch {
	case s.Of == wire.ShortOfConnections:
		text = fmt.Sprintf("Visitors got 503: %s %s.", user, limit)
	case s.Of == wire.ShortOfTasks:
		text = fmt.Sprintf("No more processes could be started: %s %s.", user, limit)
		if s.Process != "" {
			text += fmt.Sprintf(" Most of them are %q%s.", s.Process, in(s.Unit))
		} else if s.Unit != "" {
			text += fmt.Sprintf(" It was in %s.", s.Unit)
		}
	case s.Process == "":
		text = fmt.Sprintf("A program was ended by the kernel: %s %s.", user, limit)
	default:
		text = fmt.Sprintf("%q%s was ended by the kernel: %s %s.", s.Process, in(s.Unit), user, limit)
	}
	if s.Times > 1 {
		text += fmt.Sprintf(" It happened %d times, last on %s.", s.Times, time.UnixMicro(s.Last).UTC().Format("2 January at 15:04 UTC"))
	}
	return text
}

func in(unit string) string {
	if unit == "" || unit == "/" || unit == "." {
		return ""
	}
	return " (" + unit + ")"
}
