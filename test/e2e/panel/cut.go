package panel

import (
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/hosts"
)

// group is the group that a replica runs in: its port, which marks the packets of a replica.
func (r *program) group() uint32 {
	_, port, _ := net.SplitHostPort(r.listen)
	n, _ := strconv.ParseUint(port, 10, 32)
	return uint32(n)
}

// CutOne drops what a replica sends to a host, which the other replicas still reach, until the returned function or the end of the test heals the line.
func (p *Panel) CutOne(t testing.TB, n int, h *hosts.Host) (heal func()) {
	t.Helper()
	group := p.programs[n].group()
	table := fmt.Sprintf("hostler_cut_%d_%s", group, strings.ReplaceAll(h.IP, ".", "_"))
	cmd := exec.Command("nft", "-f", "-")
	rule := fmt.Sprintf("meta skgid %d ip daddr %s drop", group, h.IP)
	cmd.Stdin = strings.NewReader("table inet " + table + " { chain out { type filter hook output priority 0; " + rule + "; }; }\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cut replica %d off %s: %v\n%s", n, h.Name, err, out)
	}
	heal = func() { _ = exec.Command("nft", "delete", "table", "inet", table).Run() }
	t.Cleanup(heal)
	return heal
}
