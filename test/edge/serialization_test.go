package edge

import (
	"fmt"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// PostgreSQL may end a transaction in favour of another at any statement of it. The request is tried again: it is done once, and the first attempt leaves no
// trace.
func TestTransactionsThatPostgreSQLEnds(t *testing.T) {
	t.Parallel()
	w := World(t, db.PostgreSQL)
	sql := func(statement string) {
		t.Helper()
		if _, err := w.App.DB.SQLDB().ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	count := func(table string) (n int) {
		t.Helper()
		if err := w.App.DB.SQLDB().QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	sql("CREATE SEQUENCE hiccups")
	sql(`CREATE FUNCTION hiccup() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF nextval('hiccups') <= TG_ARGV[0]::bigint THEN RAISE EXCEPTION 'hiccup' USING ERRCODE = TG_ARGV[1]; END IF;
		RETURN NEW;
	END $$`)
	path := servers + "/" + w.mine.server + "/firewall-rules"
	port := 9000
	for _, table := range []string{"firewall_rules", "operations", "events", "audit_entries", "river_job", "wishes"} {
		var exists bool
		if err := w.App.DB.SQLDB().QueryRowContext(t.Context(), "SELECT to_regclass($1) IS NOT NULL", table).Scan(&exists); err != nil || !exists {
			t.Fatalf("there is no table %s: %v", table, err)
		}
		for _, code := range []string{"40001", "40P01"} { // serialization_failure, deadlock_detected
			name := table + " " + code
			before := [3]int{count("firewall_rules"), count("operations"), count("events")}
			sql("ALTER SEQUENCE hiccups RESTART")
			sql(fmt.Sprintf("CREATE TRIGGER hiccup BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION hiccup(1, '%s')", table, code))
			port++
			a := w.owner.Post(path, map[string]any{"name": "hiccup", "port": fmt.Sprint(port), "type": "allow"})
			sql("DROP TRIGGER hiccup ON " + table)
			after := [3]int{count("firewall_rules"), count("operations"), count("events")}
			if a.Status != 202 {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
			if after[0] != before[0]+1 || after[1] != before[1]+1 || after[2] != before[2]+1 {
				t.Errorf("%s: rules, operations and events were %v, and are %v", name, before, after)
			}
		}
	}
}
