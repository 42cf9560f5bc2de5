package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// confirm asks for a name before something is deleted.
func (s *streams) confirm(ctx context.Context, yes bool, what, name, consequence string) error {
	return s.confirmAs(ctx, yes, "deletes", what, name, consequence)
}

// confirmAs is confirm for actions other than deletion.
func (s *streams) confirmAs(ctx context.Context, yes bool, does, what, name, consequence string) error {
	if yes {
		return nil
	}
	_, _ = fmt.Fprintf(s.err, "This %s the %s %s. %s\nType its name to continue: ", does, what, cell(name), consequence)
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
	if !isTerminal(s.in) {
		_, _ = fmt.Fprintln(s.err)
	}
}

const maxLine = 4096

// readLine reads no further than the line's end: the rest is for the next question.
func readLine(r io.Reader) (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		switch {
		case n == 1 && one[0] == '\n':
			return strings.TrimRight(b.String(), "\r"), nil
		case n == 1:
			b.WriteByte(one[0])
		case err != nil && b.Len() > 0:
			return strings.TrimRight(b.String(), "\r"), nil
		case err != nil:
			return "", err
		}
		if b.Len() > maxLine {
			return "", fmt.Errorf("the line is longer than %d bytes", maxLine)
		}
	}
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	if !ok {
		return false
	}
	return hasTerminal(f)
}

// readSecret reads a line without echoing it.
func (s *streams) readSecret(ctx context.Context, prompt string) (string, error) {
	f, ok := s.in.(*os.File)
	if !ok || !isTerminal(f) {
		return s.line(ctx)
	}
	_, _ = fmt.Fprint(s.err, prompt)
	restore, err := noEcho(f)
	if err != nil {
		return "", fmt.Errorf("prepare the terminal: %w", err)
	}
	defer func() {
		restore()
		_, _ = fmt.Fprintln(s.err)
	}()
	return s.line(ctx)
}

// line reads a line of the input, or returns when ctx ends: an interrupt must not wait for the return key.
func (s *streams) line(ctx context.Context) (string, error) {
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := readLine(s.in)
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
