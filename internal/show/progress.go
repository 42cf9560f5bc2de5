package show

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Progress prints a line whenever the step of some work changed, and for a host's output at most one per second.
type Progress struct {
	out      io.Writer
	began    time.Time
	step     string
	said     string
	lastSaid time.Time
}

// NewProgress returns the progress of work that begins now.
func NewProgress(out io.Writer) *Progress { return &Progress{out: out, began: time.Now()} }

// Elapsed returns how long the work has taken.
func (p *Progress) Elapsed() time.Duration { return time.Since(p.began) }

// Step returns the step that was shown last, "" before the first.
func (p *Progress) Step() string { return p.step }

const (
	maxProgress   = 120 // characters of a host's line
	progressEvery = time.Second
)

// Show prints a step with its last line of output, "" for none.
func (p *Progress) Show(step, line string) {
	if runes := []rune(line); len(runes) > maxProgress {
		line = string(runes[:maxProgress]) + "…"
	}
	if step == p.step && (line == p.said || time.Since(p.lastSaid) < progressEvery) {
		return
	}
	p.step, p.said, p.lastSaid = step, line, time.Now()
	shown := text.VisibleLine(step)
	if line != "" {
		shown += ": " + text.VisibleLine(line)
	}
	_, _ = fmt.Fprintf(p.out, "%6s  %s\n", time.Since(p.began).Round(time.Second), shown)
}

// LastLine is the newest line of some output. It is safe for concurrent use.
type LastLine struct {
	mu   sync.Mutex
	text string
}

// Note adds output.
func (l *LastLine) Note(content string) {
	lines := strings.Split(strings.TrimSpace(content), "\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = lines[len(lines)-1]
}

// Get returns the line.
func (l *LastLine) Get() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}
