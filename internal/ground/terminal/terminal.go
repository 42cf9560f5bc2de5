// Package terminal reads what people type: lines, and secrets without an echo.
package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// Is reports whether v is a file that is a terminal.
func Is(v any) bool {
	f, ok := v.(*os.File)
	return ok && hasTerminal(f)
}

const maxLine = 4096

// readLine reads a line of r, and no further than the line's end: the rest is for the next question.
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

// Line reads a line of in, or returns when ctx ends: an interrupt must not wait for the return key. It reads no further than the line's end.
func Line(ctx context.Context, in io.Reader) (string, error) {
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := readLine(in)
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Secret is Line without an echo. It prints the prompt to out if in is a terminal; a script gives the line on its own.
func Secret(ctx context.Context, in io.Reader, out io.Writer, prompt string) (string, error) {
	f, ok := in.(*os.File)
	if !ok || !hasTerminal(f) {
		return Line(ctx, in)
	}
	_, _ = fmt.Fprint(out, prompt)
	restore, err := noEcho(f)
	if err != nil {
		return "", fmt.Errorf("prepare the terminal: %w", err)
	}
	defer func() {
		restore()
		_, _ = fmt.Fprintln(out)
	}()
	return Line(ctx, f)
}
