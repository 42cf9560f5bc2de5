package chaos_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/walk"
)

// hostWalker is a panel, a real host and what was asked of them.
type hostWalker struct {
	t      testing.TB
	p      *panel.Panel
	server panel.Server
	site   string // of the parts of sites
	nouns  []*hostNoun
	number int
	keys   int
	// replicas are how many programs the panel is.
	replicas int
	asked    map[int64]walk.Asked // by operation
	// doubts are the operations that ended before their end on the host was known, and refused what the panel did not accept.
	doubts  map[string]bool
	refused map[string]int
	// dropped are resources that went at once.
	dropped map[walk.Resource]bool
	// hung is set while no process of the host runs, and forgot from when its agent's directory was removed until the repair.
	hung, forgot bool
	// cutOff is when a replica was cut off the host last; handed are the lanes that were handed over then, and repairs the repairs of the host.
	cutOff          time.Time
	handed, repairs int
}

// newHostWalker sets a fresh host up with a fresh panel.
func newHostWalker(t testing.TB, h *hosts.Host, nouns []*hostNoun, replicas int) *hostWalker {
	t.Helper()
	w := &hostWalker{
		t: t, replicas: replicas, nouns: nouns, number: 31000, asked: map[int64]walk.Asked{}, doubts: map[string]bool{},
		refused: map[string]int{}, dropped: map[walk.Resource]bool{},
	}
	if replicas > 1 {
		w.p = panel.StartReplicas(t, h.Bed(), pgtest.Database(t, "empty", nil), replicas)
	} else {
		w.p = panel.Start(t, h.Bed())
	}
	a := w.p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": h.Name, "provider": "custom", "type": "app", "database_type": "mariadb1011", "custom": map[string]any{"ip_address": h.IP, "ssh_port": h.Port},
	})
	w.server = panel.Server{ID: a.Data.ID, Type: "app", Host: h}
	if out, err := h.TryExec("sh", "-c", a.Data.Meta.Bootstrap.Command); err != nil {
		t.Fatalf("bootstrap %s: %v\n%s", h.Name, err, out)
	}
	w.p.Ready(t, w.server)
	w.furnish()
	w.site = w.p.Want(t, http.StatusAccepted, http.MethodPost, w.server.Path("/sites"), map[string]any{"type": "static-html", "name": "shop.example.com"}).Data.ID
	if got := w.p.Settled(t, time.Minute, "/sites/"+w.site); got.Text("status") != "installed" {
		t.Fatalf("the first site is %+v", got)
	}
	return w
}

// next is a mark that was never used, or a poisoned one.
func (w *hostWalker) next(d *hostNoun, poisoned bool) string {
	w.number++
	if poisoned {
		return d.mark(fmt.Sprintf("666%02d", w.number%100))
	}
	return d.mark(strconv.Itoa(w.number))
}

// accept remembers what an accepted request asked for: the operation is the newest of its resource.
func (w *hostWalker) accept(d *hostNoun, id, mark string) error {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return fmt.Errorf("%s %q: %w", d.kind, id, err)
	}
	rows := w.p.Rows(w.t, "SELECT max(id) FROM operations WHERE resource_type = ? AND resource_id = ?", d.kind, n)
	op, err := strconv.ParseInt(rows[0][0], 10, 64)
	if err != nil {
		return fmt.Errorf("%s %d has no operation: %w", d.kind, n, err)
	}
	w.asked[op] = walk.Asked{Resource: walk.Resource{Kind: d.kind, ID: n}, Mark: mark}
	return nil
}

func (w *hostWalker) create(d *hostNoun, poisoned bool) error {
	mark, make := w.next(d, poisoned && d.poison != nil), d.create
	if poisoned && d.poison != nil {
		make = d.poison
	}
	path, body := make(w, mark)
	code, id, err := w.request(http.MethodPost, path, body)
	if err != nil || code != http.StatusAccepted {
		return err
	}
	return w.accept(d, id, mark)
}

func (w *hostWalker) remove(d *hostNoun, id int64) error {
	text := strconv.FormatInt(id, 10)
	code, _, err := w.request(http.MethodDelete, d.path(w)+"/"+text, nil)
	if err != nil || code != http.StatusAccepted && code != http.StatusNoContent {
		return err
	}
	newest := w.p.Rows(w.t, "SELECT id, action FROM operations WHERE resource_type = ? AND resource_id = ? ORDER BY id DESC LIMIT 1", d.kind, id)
	op, _ := strconv.ParseInt(newest[0][0], 10, 64)
	if _, known := w.asked[op]; known || newest[0][1] != "delete" { // the host never had it
		w.dropped[walk.Resource{Kind: d.kind, ID: id}] = true
		return nil
	}
	return w.accept(d, text, "")
}

// alive are the resources of a noun that have a row and are not on their way out.
func (w *hostWalker) alive(d *hostNoun) ([]int64, error) {
	gone := map[string]bool{}
	for _, row := range w.p.Rows(w.t,
		"SELECT resource_id FROM operations WHERE resource_type = ? AND action = 'delete' AND state IN ('pending', 'running', 'succeeded')", d.kind) {
		gone[row[0]] = true
	}
	found := map[int64]bool{}
	for _, a := range w.asked {
		if a.Kind != d.kind || found[a.ID] || gone[strconv.FormatInt(a.ID, 10)] {
			continue
		}
		status, err := w.status(d, a.ID)
		if err != nil {
			return nil, err
		}
		found[a.ID] = status != ""
	}
	maps.DeleteFunc(found, func(_ int64, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(found)), nil
}

// status is that of a resource as the API says it, "" for one that is not there.
func (w *hostWalker) status(d *hostNoun, id int64) (string, error) {
	path := d.path(w) + "/" + strconv.FormatInt(id, 10)
	if d.kind == "sites" {
		path = "/sites/" + strconv.FormatInt(id, 10)
	}
	a, err := w.p.Do(http.MethodGet, path, nil)
	switch {
	case err != nil:
		return "", err
	case a.Code == http.StatusNotFound:
		return "", nil
	case a.Code != http.StatusOK:
		return "", fmt.Errorf("GET %s: %d %s", path, a.Code, a.Body)
	}
	status := a.Data.Text("status")
	if d.applied == "present" && slices.Contains([]string{"running", "stopped", "backoff", "exited", "unknown"}, status) { // what was seen of it last
		status = "present"
	}
	return status, nil
}

// take does one move. A little later the next one follows, so that each meets the work of those before it at another stage.
func (w *hostWalker) take(m walk.Move) error {
	defer time.Sleep(time.Duration(m.N%7) * 60 * time.Millisecond)
	d, n := w.nouns[m.N%len(w.nouns)], m.N/len(w.nouns)
	h := w.server.Host
	switch m.What {
	case "create", "poison":
		return w.create(d, m.What == "poison")
	case "batch":
		for i := range 2 + n%3 {
			if err := w.create(w.nouns[(m.N+i)%len(w.nouns)], false); err != nil {
				return err
			}
		}
	case "update", "poison update", "delete":
		ids, err := w.alive(d)
		if err != nil || len(ids) == 0 || m.What != "delete" && d.update == nil {
			return err
		}
		id := ids[n%len(ids)]
		if m.What == "delete" {
			return w.remove(d, id)
		}
		mark, text := w.next(d, m.What == "poison update" && d.poison != nil), strconv.FormatInt(id, 10)
		code, _, err := w.request(http.MethodPut, d.path(w)+"/"+text, d.update(mark))
		if err != nil || code != http.StatusAccepted {
			return err
		}
		return w.accept(d, text, mark)
	case "cancel", "retry":
		return w.act(m)
	case "deadline":
		if _, err := w.p.DB(w.t).Exec("UPDATE operations SET deadline = 1 WHERE state IN ('pending', 'running')"); err != nil {
			return err
		}
	case "kill":
		if w.replicas > 1 {
			w.p.KillOne(n % w.replicas)
		} else {
			w.p.Kill()
		}
		return w.p.Up()
	case "cut":
		h.Cut(w.t)
	case "lost before":
		h.Freeze(w.t)
		w.hung = true
	case "lost after": // what it does goes on, with an unknown result
		if !w.hung {
			_, _ = h.TryExec("pkill", "-KILL", "-f", "[h]ostler-agent")
		}
	case "forget":
		if !w.hung {
			forget(h)
			w.forgot = true
		}
	case "cut one":
		return w.cutOne(n % w.replicas)
	case "slow":
		h.Slow(w.t, practice.Line{Delay: 100 * time.Millisecond, Jitter: 50 * time.Millisecond, Loss: 5})
	case "heal":
		w.heal()
	case "quiet":
		return w.quiet()
	}
	return nil
}

// act cancels or retries one of the operations that were asked for.
func (w *hostWalker) act(m walk.Move) error {
	states := "'pending', 'running'"
	if m.What == "retry" {
		states = "'failed', 'cancelled'"
	}
	var events []string
	for _, row := range w.p.Rows(w.t, "SELECT id, event_id FROM operations WHERE state IN ("+states+") ORDER BY id") {
		id, _ := strconv.ParseInt(row[0], 10, 64)
		if _, ok := w.asked[id]; ok {
			events = append(events, row[1])
		}
	}
	if len(events) == 0 {
		return nil
	}
	_, _, err := w.request(http.MethodPost, w.server.Path("/events/"+events[m.N%len(events)]+"/"+m.What), nil)
	return err
}

// ended waits until all work has ended and no run is in doubt.
func (w *hostWalker) ended(within time.Duration) error {
	for deadline := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		for _, row := range w.p.Rows(w.t, "SELECT id FROM operations WHERE reason LIKE ?", "%"+walk.Doubt+"%") {
			w.doubts[row[0]] = true
		}
		open := w.p.Rows(w.t, "SELECT id, resource_type, action, state, step, reason FROM operations WHERE state IN ('pending', 'running')")
		runs := w.p.Rows(w.t, "SELECT id, operations FROM runs WHERE state = 'running'")
		if len(open) == 0 && len(runs) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%v after the host could be reached again, operations are open or runs in doubt: %v %v", within, open, runs)
		}
	}
}

// quiet heals the line, waits until all work has ended and no run is in doubt, and compares rows, operations, drift and the host. One that forgot is
// repaired before.
func (w *hostWalker) quiet() error {
	w.heal()
	if err := w.ended(3 * time.Minute); err != nil {
		return err
	}
	if w.forgot {
		if err := w.repair(); err != nil {
			return err
		}
	}
	return w.compare()
}

// compare holds rows, operations, drift and the host to each other.
func (w *hostWalker) compare() error {
	var ends []walk.End
	for _, row := range w.p.Rows(w.t, "SELECT id, state FROM operations ORDER BY id") {
		id, _ := strconv.ParseInt(row[0], 10, 64)
		ends = append(ends, walk.End{Operation: id, State: row[1]})
	}
	truths, marks := walk.Reckon(w.asked, ends)
	for r, truth := range truths {
		d := w.nouns[slices.IndexFunc(w.nouns, func(d *hostNoun) bool { return d.kind == r.Kind })]
		status, err := w.status(d, r.ID)
		if err != nil {
			return err
		}
		if w.dropped[r] && truth.Mark == "" {
			truth.Deleted = true
		}
		if d.loose && truth.Unsure { // it has one mark all its life, and the row says whether the host has it
			truth.Mark = ""
			for _, a := range w.asked {
				if a.Resource == r && a.Mark != "" && status == d.applied {
					truth.Mark = a.Mark
				}
			}
			truth.Deleted = status == ""
			truths[r] = truth
		}
		if want := truth.Status(d.applied, d.failed); status != want {
			return fmt.Errorf("%s %d is %q, want %q", r.Kind, r.ID, status, want)
		}
	}
	all, err := w.server.Host.TryExec("sh", "-c", looks)
	if err != nil {
		return fmt.Errorf("look at the host: %w\n%s", err, all)
	}
	if err := walk.Live(truths, marks, func(mark string) bool { return strings.Contains(all, mark) }); err != nil {
		return err
	}
	var found []any
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		a, err := w.p.Do(http.MethodGet, w.server.Path("/drift"), nil)
		if err != nil {
			return err
		}
		if a.Code == http.StatusOK {
			found = a.Data.Attributes["differences"].([]any)
			break
		}
		if time.Now().After(until) {
			return fmt.Errorf("drift: %d %s", a.Code, a.Body)
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("the host is not what is applied: %v", found)
	}
	return nil
}

// walk does moves, then one unrelated change of each noun, and compares; then all is deleted, and the host compared once more.
func (w *hostWalker) walk(moves []walk.Move) error {
	moves = append(slices.Clone(moves), walk.Move{What: "quiet"})
	for i := range w.nouns {
		moves = append(moves, walk.Move{What: "create", N: i})
	}
	for i, m := range append(moves, walk.Move{What: "quiet"}) {
		if err := w.take(m); err != nil {
			return fmt.Errorf("move %d %v: %w", i, m, err)
		}
	}
	for _, d := range w.nouns {
		ids, err := w.alive(d)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := w.remove(d, id); err != nil {
				return err
			}
		}
	}
	if err := w.quiet(); err != nil {
		return fmt.Errorf("once all is deleted: %w", err)
	}
	return nil
}
