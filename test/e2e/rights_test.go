package e2e_test

import (
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// What an administrator of the engine granted or revoked by hand is a difference, once for each account and database, and a repair restores it.
func TestRightsChangedByHandAreRepaired(t *testing.T) {
	if os.Getenv("HOSTLER_E2E") != "full" {
		t.Skip("HOSTLER_E2E=full repairs rights")
	}
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		one := addDatabase(t, p, s, map[string]any{"name": "rights_1"})
		two := addDatabase(t, p, s, map[string]any{"name": "rights_2"})
		lost := addUser(t, p, s, map[string]any{"name": "lost", "password": "secret", "database_ids": ids(one)})
		wide := addUser(t, p, s, map[string]any{"name": "wide", "password": "secret", "database_ids": ids(one), "read_only": true})
		differ := func() (out []string) {
			t.Helper()
			list, _ := p.Get(t, s.Path("/drift")).Attributes["differences"].([]any)
			for _, d := range list {
				m, _ := d.(map[string]any)
				path, _ := m["path"].(string)
				what, _ := m["what"].(string)
				out = append(out, path+" "+what)
			}
			slices.Sort(out)
			return out
		}
		before := differ() // left by other tests
		if s.postgres() {
			s.root(t, "postgres", "REVOKE hostler_rw_"+one.ID+" FROM lost; GRANT hostler_rw_"+two.ID+" TO wide; ALTER ROLE wide CREATEDB")
			s.root(t, "rights_1", "CREATE TABLE kept (n INTEGER); GRANT SELECT, INSERT ON kept TO wide")
		} else {
			s.root(t, "", "REVOKE ALL PRIVILEGES ON `rights\\_1`.* FROM lost@'%'; GRANT ALL PRIVILEGES ON rights_2.* TO wide@'%'; GRANT FILE ON *.* TO "+
				"wide@'%'; GRANT INSERT ON `rights\\_1`.* TO wide@'%'")
		}
		s.cannot(t, "lost", "secret", "rights_1", "CREATE TABLE t (n INTEGER)")
		s.can(t, "wide", "secret", "rights_2", "CREATE TABLE t (n INTEGER)")
		want := slices.Concat(before, []string{"lost in rights_1 missing", "wide rights", "wide in rights_1 rights", "wide in rights_2 foreign"})
		slices.Sort(want)
		if d := differ(); !slices.Equal(d, want) {
			t.Errorf("different is %q, want %q", d, want)
		}
		op := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/repairs"), nil).Data.Operation()
		p.Until(t, 3*time.Minute, s.Path(""), "repaired", func(a panel.Answer) bool {
			now := a.Data.Operation()
			return now.ID == op.ID && now.State != "pending" && now.State != "running"
		})
		if now := p.Get(t, s.Path("")).Operation(); now.State != "succeeded" {
			t.Errorf("the repair: %+v", now)
		}
		if d := differ(); !slices.Equal(d, before) {
			t.Errorf("after the repair different is %q, before it was %q", d, before)
		}
		s.can(t, "lost", "secret", "rights_1", "CREATE TABLE t (n INTEGER)")
		s.cannot(t, "wide", "secret", "rights_1", "INSERT INTO t VALUES (1)")
		s.cannot(t, "wide", "secret", "rights_2", "SELECT 1")
		for _, path := range []string{s.user(lost.ID), s.user(wide.ID), s.schema(one.ID), s.schema(two.ID)} {
			removeAt(t, p, path)
		}
	})
}
