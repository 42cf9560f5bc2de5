package agent

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// pending is what apt would upgrade, as far as its lists tell.
type pending struct {
	all, security []string
}

// updatesFrom are what pending follows from: what is installed, what apt's lists have, and where they are from.
var updatesFrom = [...]string{"/var/lib/dpkg/status", "/var/lib/apt/lists", "/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/preferences.d"}

// updates counts the pending updates for the facts; nil if apt does not report them. apt is run again only after something they depend on has changed.
func (a *Agent) updates(ctx context.Context) *wire.Updates {
	var stamp strings.Builder
	for _, path := range updatesFrom {
		if st, err := os.Stat(a.host(path)); err == nil {
			fmt.Fprintln(&stamp, path, st.ModTime().UnixNano())
		}
	}
	a.looking.Lock()
	defer a.looking.Unlock()
	if a.updatesKnown != nil && a.updatesStamp == stamp.String() {
		return a.updatesKnown
	}
	p, err := a.pending(ctx)
	if err != nil {
		return nil
	}
	a.updatesStamp, a.updatesKnown = stamp.String(), &wire.Updates{Pending: len(p.all), Security: len(p.security)}
	return a.updatesKnown
}

// pending asks apt what an upgrade would do, without its locks. Held packages are not among it.
func (a *Agent) pending(ctx context.Context) (pending, error) {
	out := output.New(nil, nil, nil)
	err := a.programs.Run(ctx, program.Program{
		Out: out, Timeout: 2 * time.Minute, Env: aptEnv(),
		Argv: []string{"apt-get", "-s", "-q", "-o", "Debug::NoLocking=true", "--no-install-recommends", "--with-new-pkgs", "upgrade"},
	})
	text, _ := out.Finish()
	if err != nil {
		return pending{}, fmt.Errorf("ask for updates: %w", err)
	}
	return upgradable(text), nil
}

// instPattern matches what apt-get -s prints of a package that it would upgrade: its name, its version, and in parentheses the new version, the sources that
// have it (Debian-Security:12/stable-security, separated by commas) and its architecture. One without a version would be new.
var instPattern = regexp.MustCompile(`(?m)^Inst (\S+) \[[^]]*\] \(\S+ (.*) \[[^]]*\]\)`)

func upgradable(text string) pending {
	var p pending
	for _, m := range instPattern.FindAllStringSubmatch(text, -1) {
		p.all = append(p.all, m[1])
		if slices.ContainsFunc(strings.Split(m[2], ", "), secures) {
			p.security = append(p.security, m[1])
		}
	}
	return p
}

// secures reports whether a source, "label:version/suite" of which only the suite is always there, is of security updates: Debian's have a label of their own,
// and suites of both Debian and Ubuntu end in -security.
func secures(source string) bool {
	return strings.HasPrefix(source, "Debian-Security:") || strings.HasSuffix(source, "-security")
}
