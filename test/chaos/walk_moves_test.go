package chaos_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/walk"
)

// replicaMoves are those of walks with two replicas.
var replicaMoves = append(slices.Clone(walk.Moves), "forget", "cut one")

// heal undoes what was done to the host and its line.
func (w *hostWalker) heal() {
	w.server.Host.Heal(w.t)
	w.hung = false
}

// forget removes the agent's directory. An agent at work may make a file there meanwhile.
func forget(h *hosts.Host) {
	_, _ = h.TryExec("sh", "-c", "for n in 1 2 3; do rm -rf /var/lib/hostler && break; done")
}

// cutOne cuts a replica off the host, which the others still reach: what it has taken, another one ends. A lane is handed over once in ten minutes, so that
// it does nothing for so long after it did.
func (w *hostWalker) cutOne(replica int) error {
	if time.Since(w.cutOff) < 11*time.Minute {
		return nil
	}
	w.heal()
	if err := w.ended(3 * time.Minute); err != nil {
		return err
	}
	heal := w.p.CutOne(w.t, replica, w.server.Host)
	defer heal()
	for i := range 4 { // each is taken by either replica
		if err := w.create(w.nouns[(replica+i)%len(w.nouns)], false); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	began := time.Now()
	if err := w.ended(6 * time.Minute); err != nil {
		return fmt.Errorf("with one replica cut off: %w", err)
	}
	handed := len(w.p.Rows(w.t, "SELECT name FROM leases WHERE avoided <> '' AND handed_at > ?", began.Add(-time.Minute).UnixMicro()))
	w.t.Logf("one replica was cut off the host: all ended after %v, with %d lanes handed over", time.Since(began).Round(time.Second), handed)
	w.handed, w.cutOff = w.handed+handed, time.Now()
	return nil
}

// repair makes all that is applied so again, once the agent's directory was removed.
func (w *hostWalker) repair() error {
	w.repairs++
	if err := repaired(w.p, w.server); err != nil {
		return err
	}
	w.forgot = false
	return nil
}

// repaired asks for a repair of a server, and waits until it has succeeded.
func repaired(p *panel.Panel, s panel.Server) error {
	a, err := p.Do(http.MethodPost, s.Path("/repairs"), nil)
	if err != nil {
		return err
	}
	if a.Code != http.StatusAccepted {
		return fmt.Errorf("repair: %d %s", a.Code, a.Body)
	}
	op := a.Data.Operation()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		a, err := p.Do(http.MethodGet, s.Path(""), nil)
		now := a.Data.Operation()
		switch {
		case err == nil && now.ID == op.ID && now.State == "succeeded":
			return nil
		case err == nil && now.ID == op.ID && now.State != "pending" && now.State != "running", time.Now().After(deadline):
			return fmt.Errorf("the repair %s is %s at %q: %s %v", op.ID, now.State, now.Step, now.Reason, err)
		}
	}
}
