package agent

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A rule removed with nft leaves the file as it was, and a port that is shut.
func TestRuleThatWasRemovedFromTheKernelIsDrift(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("nft"); err != nil || os.Getuid() != 0 {
		t.Skip("needs nft and root")
	}
	runtime.LockOSThread() // and never unlocked: this thread's namespace is the host's
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skip(err)
	}
	b := newBed(t)
	const path = "/etc/hostler/firewall.nft"
	rules := "table inet hostler {}\ndelete table inet hostler\ntable inet hostler {\n\tchain input {\n\t\ttype filter hook input priority filter; " +
		"policy drop;\n" +
		"\t\ttcp dport 22 accept comment \"hostler\"\n\t\tmeta l4proto { tcp, udp } th dport 8080 accept comment \"7\"\n\t}\n}\n"
	b.mkdir("/etc/hostler")
	b.write(path, rules)
	if err := os.Chmod(b.path(path), 0o600); err != nil {
		t.Fatal(err)
	}
	nft := func(args ...string) {
		t.Helper()
		if err := b.a.nft(t.Context(), nil, nil, args...); err != nil {
			t.Fatal(err)
		}
	}
	steps := []wire.Step{
		{Name: "write", File: &wire.File{Path: path, Content: []byte(rules), Mode: 0o600}},
		{Name: "load", Action: &wire.Action{Argv: []string{"nft", "-f", path}}},
		{Name: "load again", Action: &wire.Action{Argv: []string{"nft", "-f", path}}},
	}
	look := func(want ...string) string {
		t.Helper()
		d, err := b.a.Drift(t.Context(), wire.Change{Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		diff := ""
		for _, f := range d.Differences {
			got, diff = append(got, f.Path+" "+f.What), diff+f.Diff
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("found %q, want %q", got, want)
		}
		return diff
	}
	look("nftables inet hostler missing")
	nft("-f", b.path(path))
	look()
	nft("flush", "chain", "inet", "hostler", "input")
	nft("add", "rule", "inet", "hostler", "input", "tcp", "dport", "22", "accept", "comment", `"hostler"`)
	if diff := look("nftables inet hostler content"); !strings.Contains(diff, "+\t\tmeta l4proto { tcp, udp } th dport 8080 accept comment \"7\"") {
		t.Errorf("the diff is %q", diff)
	}
	nft("delete", "table", "inet", "hostler")
	look("nftables inet hostler missing")
}
