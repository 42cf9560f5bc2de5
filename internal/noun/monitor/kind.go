package monitor

import (
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// kind is what a monitor can measure.
type kind struct {
	title string
	unit  unit
	most  float64 // the largest threshold
	// operator is the only one that makes sense, "" for both.
	operator string
}

// unit is what values and thresholds are in.
type unit int

const (
	percent unit = iota
	days
	whether // 1 or 0
)

// The limits of thresholds. A load can be many times what the CPUs can do, and no certificate is valid for longer than two years.
const (
	maxPercent = 100
	maxLoad    = 10_000
	maxDays    = 730
)

var kinds = map[string]kind{
	wire.MonitorCPULoad:     {title: "CPU load", most: maxLoad},
	wire.MonitorDisk:        {title: "disk space", most: maxPercent},
	wire.MonitorInodes:      {title: "inode usage", most: maxPercent},
	wire.MonitorFreeMemory:  {title: "free memory", most: maxPercent},
	wire.MonitorUsedMemory:  {title: "used memory", most: maxPercent},
	wire.MonitorReboot:      {title: "pending reboots", unit: whether, most: 1, operator: AtLeast},
	wire.MonitorCertificate: {title: "certificates", unit: days, most: maxDays, operator: AtMost},
	typeURL:                 {title: "URLs", unit: whether, most: 1, operator: AtLeast},
}

// check adds what is wrong with an operator and a threshold, which are valid in general.
func (k kind) check(f api.Fields, operator string, threshold float64) {
	if len(f["operator"]) == 0 && k.operator != "" && operator != k.operator {
		f.Add("operator", "A monitor of %s takes %s.", k.title, k.operator)
	}
	switch {
	case len(f["threshold"]) > 0:
	case k.unit == whether && threshold != 1:
		f.Add("threshold", "A monitor of %s takes the threshold 1.", k.title)
	case !(threshold >= 0 && threshold <= k.most): // also what is no number
		f.Add("threshold", "The threshold must be between 0 and %d %s.", int(k.most), map[unit]string{percent: "percent", days: "days"}[k.unit])
	}
}

// words are how operators are said.
var words = map[string]string{AtLeast: "at or above", AtMost: "at or below"}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// condition says what is so while a monitor alerts.
func condition(row query.Monitor) string {
	switch k := kinds[row.Type]; {
	case row.Type == typeURL:
		return shortURL(row.URL) + " does not answer, or answers with an error."
	case k.unit == whether:
		return "Updates wait for a reboot."
	case k.unit == days:
		return fmt.Sprintf("A certificate expires within %s days, or has expired.", number(row.Threshold))
	default:
		return fmt.Sprintf("The %s is %s %s%%.", k.title, words[row.Operator], number(row.Threshold))
	}
}

// headline says in one line what changed on a server.
func headline(row query.Monitor, server string, alert bool) string {
	k := kinds[row.Type]
	var text map[bool]string
	switch {
	case row.Type == typeURL:
		return hostOf(row.URL) + " on " + server + map[bool]string{true: " is down", false: " is up again"}[alert]
	case k.unit == whether:
		text = map[bool]string{true: "updates of %s wait for a reboot", false: "updates of %s no longer wait for a reboot"}
	case k.unit == days:
		text = map[bool]string{true: "a certificate of %s is about to end", false: "no certificate of %s is about to end"}
	default:
		text = map[bool]string{true: k.title + " of %s crossed its threshold", false: k.title + " of %s is back to normal"}
	}
	return fmt.Sprintf(text[alert], server)
}

// describe says what was measured, when, and against what.
func describe(row query.Monitor, c wire.MonitorChange) string {
	at, text := time.UnixMicro(c.At).UTC().Format(time.RFC3339), ""
	switch kinds[row.Type].unit {
	case whether:
		return map[bool]string{true: "Updates waited for a reboot at ", false: "No updates waited for a reboot at "}[c.Value >= 1] + at + ".\n"
	case days:
		switch {
		case c.Value >= wire.NoCertificate:
			text = "No certificate was served at " + at + "."
		case c.Value < 0:
			text = fmt.Sprintf("The first certificate had expired %s days before %s.", number(-c.Value), at)
		default:
			text = fmt.Sprintf("The first certificate had %s days left at %s.", number(c.Value), at)
		}
		text += fmt.Sprintf(" The monitor alerts at %s days or fewer", number(row.Threshold))
	default:
		text = fmt.Sprintf("It was %s%% at %s. The monitor alerts %s %s%%", number(c.Value), at, words[row.Operator], number(row.Threshold))
	}
	return text + lasting(row) + ".\n"
}

// lasting says for how long something has to be so, if it is for more than a minute.
func lasting(row query.Monitor) string {
	if row.Minutes == nil || *row.Minutes <= 1 {
		return ""
	}
	return fmt.Sprintf(" for %d minutes", *row.Minutes)
}
