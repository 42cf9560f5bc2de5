package terminal_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/terminal"
)

// A line is read to its end and no further: the rest is the answer to the next question.
func TestLinesAreReadOneByOne(t *testing.T) {
	t.Parallel()
	in := strings.NewReader("first\r\nsecond\n\nlast")
	for _, want := range []string{"first", "second", "", "last"} {
		if got, err := terminal.Line(t.Context(), in); got != want || err != nil {
			t.Errorf("%q is read (%v), want %q", got, err, want)
		}
	}
	if _, err := terminal.Line(t.Context(), in); !errors.Is(err, io.EOF) {
		t.Errorf("after the last line comes %v", err)
	}
	if _, err := terminal.Line(t.Context(), strings.NewReader(strings.Repeat("x", 5000))); err == nil {
		t.Error("a line of any length is read")
	}
}

// An interrupt ends the wait for a line that does not come.
func TestALineIsNotWaitedForAfterTheEnd(t *testing.T) {
	t.Parallel()
	in, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer hold.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := terminal.Line(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

// What is no terminal gets no prompt.
func TestASecretOfAScriptHasNoPrompt(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	in := strings.NewReader("hunter2\n")
	if got, err := terminal.Secret(t.Context(), in, &out, "Password: "); got != "hunter2" || err != nil || out.String() != "" {
		t.Errorf("%q is read (%v) after %q", got, err, out.String())
	}
	if terminal.Is(in) {
		t.Error("a text is a terminal")
	}
}
