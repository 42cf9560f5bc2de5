package edge

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// several is how many more rows a list gets, which shows a query per row.
const several = 6

// TestListsReadOnce limits every list to a number of queries that does not grow with its rows, with all includes.
func TestListsReadOnce(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	session := w.Session(w.users["owner"])
	type cost struct{ rows, reads int64 }
	costs := func() map[string]cost {
		out := map[string]cost{}
		for _, op := range w.App.Router.Operations() {
			s := scenarioOf(op.ID)
			if op.Method != http.MethodGet || s.allowed != 0 {
				continue
			}
			caller := w.owner
			if op.Personal {
				caller = session
			}
			var include []string
			for _, i := range op.Includes {
				include = append(include, i.Name)
			}
			if strings.HasSuffix(op.ID, ".stream") {
				continue
			}
			before := w.App.DB.Reads()
			a := caller.Get(fill(t, op.Path, s.at(w.mine)) + "?page[size]=200&include=" + strings.Join(include, ","))
			if data, ok := a.At("data").([]any); ok {
				out[op.ID] = cost{int64(len(data)), w.App.DB.Reads() - before}
			}
		}
		return out
	}
	costs() // only read the first time
	before := costs()
	w.more(several)
	grown := 0
	for id, now := range costs() {
		was := before[id]
		if now.rows-was.rows < several-1 {
			t.Logf("%s has %d rows only", id, now.rows)
			continue
		}
		grown++
		if now.reads-was.reads >= now.rows-was.rows {
			t.Errorf("%s reads %d times for %d rows and %d times for %d", id, was.reads, was.rows, now.reads, now.rows)
		}
	}
	t.Logf("%d lists of %d had more rows", grown, len(before))
	if grown < 20 {
		t.Error("too few to say so of all")
	}
}

// more makes n more of what the scenarios know how to make.
func (w *world) more(n int64) {
	w.T.Helper()
	for _, op := range w.App.Router.Operations() {
		s := scenarioOf(op.ID)
		if op.Method != http.MethodPost || !strings.HasSuffix(op.ID, ".store") || s.body == nil || s.before != nil || s.allowed != 0 {
			continue
		}
		for i := range n {
			w.owner.Post(fill(w.T, op.Path, s.at(w.mine)), s.body(w, 1000+i))
		}
	}
}
