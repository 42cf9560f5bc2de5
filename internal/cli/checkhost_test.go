package cli

import (
	"bytes"
	"strings"
	"testing"
)

// The script can be had without a login, for a type that there is, and looks at the ports of that type.
func TestCheckHostPrintsItsScript(t *testing.T) {
	t.Parallel()
	run := func(args ...string) (string, error) {
		c := newCheckHost(&globals{getenv: func(string) string { return "" }})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&out)
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(args)
		err := c.Execute()
		return out.String(), err
	}
	if out, err := run("--script", "--type", "cache"); err != nil || !strings.Contains(out, "look 192.0.2.1 '6379:") || strings.Contains(out, "'80:nginx") {
		t.Errorf("%v: it prints\n%s", err, out)
	}
	if _, err := run("--script", "--type", "mainframe"); err == nil || !strings.Contains(err.Error(), "--type must be") {
		t.Errorf("an unknown type ends with %v", err)
	}
}
