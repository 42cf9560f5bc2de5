package cli

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/terminal"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// confirmAs asks for a name before something is done that interrupts or removes something.
func (s *streams) confirmAs(ctx context.Context, yes bool, does, what, name, consequence string) error {
	if yes {
		return nil
	}
	_, _ = fmt.Fprintf(s.err, "This %s the %s %s. %s\nType its name to continue: ", does, what, text.VisibleLine(name), consequence)
	line, err := s.line(ctx)
	if err != nil || line != name {
		s.newline()
		return usage("not confirmed; nothing was changed (--yes skips this question)")
	}
	s.newline()
	return nil
}

// newline ends the line of a question that was not answered.
func (s *streams) newline() {
	if !terminal.Is(s.in) {
		_, _ = fmt.Fprintln(s.err)
	}
}

// readSecret reads a line without echoing it.
func (s *streams) readSecret(ctx context.Context, prompt string) (string, error) {
	return terminal.Secret(ctx, s.in, s.err, prompt)
}

// line reads a line of the input.
func (s *streams) line(ctx context.Context) (string, error) { return terminal.Line(ctx, s.in) }
