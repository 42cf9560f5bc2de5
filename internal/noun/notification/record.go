package notification

import (
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/mail"
)

// Record is what was planned of work, when and for whom it was applied, and how it was verified.
type Record struct {
	Planned []string `json:"planned"`
	// Applied is nil if the work failed.
	Applied *Applied `json:"applied"`
	// Verified is the evidence of the checks that passed.
	Verified []string `json:"verified"`
}

// Applied is when work was done, and who or what started it.
type Applied struct {
	At time.Time `json:"at"`
	By string    `json:"by"`
}

// steps returns a record as the dashboard shows it.
func (r *Record) steps() []mail.Step {
	if r == nil {
		return nil
	}
	var out []mail.Step
	if len(r.Planned) > 0 {
		out = append(out, mail.Step{Name: "Planned", Text: r.Planned[0], Lines: r.Planned[1:], Done: true})
	}
	if r.Applied == nil {
		return append(out, mail.Step{Name: "Not applied", Text: "It failed."})
	}
	at := r.Applied.At.UTC().Format("2 January 2006 15:04 MST")
	out = append(out, mail.Step{Name: "Applied", Text: at + ", by " + r.Applied.By, Done: true})
	switch n := len(r.Verified); n {
	case 0:
		return append(out, mail.Step{Name: "Not verified", Text: "This work has no check of its own."})
	case 1:
		return append(out, mail.Step{Name: "Verified", Text: "1 check passed", Lines: r.Verified, Done: true})
	default:
		return append(out, mail.Step{Name: "Verified", Text: strconv.Itoa(n) + " checks passed", Lines: some(r.Verified), Done: true})
	}
}

// whole returns a message whose text has its record too, for services that take text alone.
func (m Message) whole() Message {
	if m.Record != nil {
		m.Text, m.Record = strings.TrimSpace(m.Text+"\n"+strings.Join(mail.Lines(m.Record.steps()), "\n")), nil
	}
	return m
}
