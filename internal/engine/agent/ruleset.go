package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ruleTable is the table of the packet filter that is ours.
var ruleTable = []string{"inet", "hostler"}

// loadsRules returns the file that an action loads into the packet filter, "" if it does not.
func loadsRules(a *wire.Action) string {
	if len(a.Argv) == 3 && a.Argv[0] == "nft" && a.Argv[1] == "-f" {
		return a.Argv[2]
	}
	return ""
}

// rulesInForce returns how the rules that the kernel has differ from a file that would be loaded, "" if not, and whether there are any. nft prints both: the
// file is loaded in a network namespace of its own, so that only its own language decides what is the same.
func (a *Agent) rulesInForce(ctx context.Context, content []byte) (diff string, loaded bool, err error) {
	want, err := a.rulesOf(ctx, content)
	if err != nil {
		return "", false, err
	}
	have, err := a.listRules(ctx)
	var exit *program.ExitError
	if errors.As(err, &exit) { // there is no such table
		return "", false, nil
	}
	if err != nil || have == want {
		return "", true, err
	}
	diff, err = difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines([]byte(have)), B: lines([]byte(want)), FromFile: "rules in force (host)", ToFile: "rules (planned)", Context: diffContext,
	})
	if err != nil {
		return "", true, fmt.Errorf("compare rules: %w", err)
	}
	return diff, true, nil
}

// rulesOf returns the rules of a file as nft prints them. The namespace is that of a thread, which its programs inherit, and ends with it.
func (a *Agent) rulesOf(ctx context.Context, content []byte) (text string, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err = unix.Unshare(unix.CLONE_NEWNET); err != nil {
			err = fmt.Errorf("make a network namespace: %w", err)
			return
		}
		if err = a.nft(ctx, nil, content, "-f", "-"); err == nil {
			text, err = a.listRules(ctx)
		}
	}()
	<-done
	return text, err
}

// listRules returns our table as the kernel of this thread's namespace has it, without counters.
func (a *Agent) listRules(ctx context.Context) (string, error) {
	var out bytes.Buffer
	err := a.nft(ctx, &out, nil, append([]string{"-s", "list", "table"}, ruleTable...)...)
	return out.String(), err
}

func (a *Agent) nft(ctx context.Context, out *bytes.Buffer, in []byte, args ...string) error {
	if out == nil {
		out = &bytes.Buffer{}
	}
	return a.programs.Run(ctx, program.Program{Argv: append([]string{"nft"}, args...), Stdin: in, Timeout: systemdTime, Out: out})
}

// rules compares the rules in force with those that an action of the plan would load.
func (d *drift) rules(ctx context.Context, path string) {
	content, ok := d.planned[path]
	if !ok || d.compared[path] {
		return
	}
	d.compared[path] = true
	diff, loaded, err := d.a.rulesInForce(ctx, content)
	name := "nftables " + strings.Join(ruleTable, " ")
	switch {
	case err != nil: // no nft, which the packages say, or a container that may not have namespaces
	case !loaded:
		d.add(name, "missing", "")
	case diff != "":
		d.add(name, "content", diff)
	}
}

// outOfForce reports whether a repair has to load files again that are as planned, but not in force: rules, and settings of nginx and PHP.
func (c *change) outOfForce(ctx context.Context, action *wire.Action) bool {
	if !c.c.Repair {
		return false
	}
	if action.Workers == nginxUnit {
		return len(c.x.a.unloaded(ctx, c.x.mainPID(ctx, nginxUnit))) > 0
	}
	if action.Workers != "" {
		return len(c.x.a.unloadedBy(c.x.property(ctx, action.Workers, stateChanged), action.Below)) > 0
	}
	path := loadsRules(action)
	if path == "" {
		return false
	}
	for _, s := range c.c.Steps {
		if s.File != nil && s.File.Path == path {
			diff, loaded, err := c.x.a.rulesInForce(ctx, s.File.Content)
			return err == nil && (!loaded || diff != "")
		}
	}
	return false
}
