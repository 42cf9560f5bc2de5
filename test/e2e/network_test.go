package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// Peers reach each other where every port is closed, a third server does not, and a peer that is removed is cut off.
func TestPeersReachEachOther(t *testing.T) {
	w := world(t)
	const port = 8099
	one, two, three := w.Server(2), w.Server(3), w.Server(4)
	for _, s := range []panel.Server{one, two} {
		w.Want(t, http.StatusOK, http.MethodPut, s.Path(""), map[string]any{"private_ip_address": s.Host.IP})
		serve(t, s.Host, port)
	}
	set := func(peers ...any) {
		t.Helper()
		w.Want(t, http.StatusAccepted, http.MethodPut, one.Path("/network"), map[string]any{"servers": append([]any{}, peers...)})
	}
	t.Cleanup(func() { set() })
	reaches := func(from, to panel.Server) bool {
		out, _ := from.Host.TryExec("timeout", "2", "bash", "-c", fmt.Sprintf("exec 3<>/dev/tcp/%s/%d && echo open", to.Host.IP, port))
		return out == "open\n" || out == "open"
	}
	want := func(from, to panel.Server, open bool) {
		t.Helper()
		hosts.Eventually(t, 30*time.Second, "the firewalls are as they should be", func() error {
			if got := reaches(from, to); got != open {
				return fmt.Errorf("%s reaches %s: %t", from.Host.IP, to.Host.IP, got)
			}
			return nil
		})
	}
	want(one, two, false)
	want(two, one, false)
	peer, err := strconv.Atoi(two.ID)
	if err != nil {
		t.Fatal(err)
	}
	set(peer)
	want(one, two, true)
	want(two, one, true)
	want(three, one, false)
	if got := w.Want(t, http.StatusOK, http.MethodGet, two.Path("/network"), nil).List; len(got) != 1 || got[0].ID != one.ID {
		t.Errorf("the peers of the other server are %v", got)
	}
	set()
	want(one, two, false)
	want(two, one, false)
}
