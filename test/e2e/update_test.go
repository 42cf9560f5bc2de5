package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// nextMigration is what the next release of a test adds to the schema: the program before does not know of it.
const nextMigration = `-- +goose Up
ALTER TABLE servers ADD COLUMN of_the_next_release TEXT NOT NULL DEFAULT 'none';
CREATE TABLE of_the_next_release (id BIGSERIAL PRIMARY KEY, name TEXT NOT NULL);

-- +goose Down
DROP TABLE of_the_next_release;
ALTER TABLE servers DROP COLUMN of_the_next_release;
`

// On PostgreSQL an update that fails leaves the newer schema, and the program before works on it: it serves what was there, and takes new work. The update that
// succeeds has all of it.
func TestUpdateOnPostgreSQL(t *testing.T) {
	database := pgtest.Database(t, "empty", func(context.Context, string) error { return nil })
	r := newReleases(t, "127.0.0.1")
	dir := t.TempDir()
	migration := filepath.Join(dir, "migration.sql")
	if err := os.WriteFile(migration, []byte(nextMigration), 0o600); err != nil {
		t.Fatal(err)
	}
	program, next := filepath.Join(dir, "hostler"), filepath.Join(dir, "next")
	panel.Release(t, "v1.0.0", r.key, program)
	panel.Release(t, "v1.1.0", r.key, next, panel.File{In: "internal/ground/db/migrations/90000_of_the_next_release.sql", From: migration})

	p, err := panel.OnDatabase(program, "127.0.0.1", database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	add := func(name, address string) {
		t.Helper()
		p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
			"name": name, "provider": "custom", "type": "web",
			"custom": map[string]any{"ip_address": address},
		})
	}
	names := func() (out []string) {
		t.Helper()
		for _, s := range p.Want(t, http.StatusOK, http.MethodGet, "/servers?sort=name", nil).List {
			out = append(out, s.Text("name"))
		}
		return out
	}
	tables := func() int {
		return p.Count(t, "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'of_the_next_release'")
	}
	update := func() (string, error) {
		out, err := exec.Command(program, append([]string{"update", "--service", "", "--within", "1m", "--update-url", r.url}, p.Where()...)...).CombinedOutput()
		return string(out), err
	}

	add("before", "192.0.2.1")
	p.Stop()
	fails := "#!/bin/sh\ncase $1 in serve) %s migrate %s && exit 1;; esac\nexec %[1]s \"$@\"\n" // once it has migrated
	r.publish(t, "v1.1.0", fmt.Appendf(nil, fails, next, strings.Join(p.Where(), " ")))
	out, err := update()
	if err == nil || !strings.Contains(out, "everything is as it was before") {
		t.Fatalf("an update that fails: %v\n%s", err, out)
	}
	if tables() != 1 {
		t.Fatal("the new program did not change the schema")
	}
	if err := p.Up(); err != nil { // the old program on the newer schema
		t.Fatal(err)
	}
	add("on-the-newer-schema", "192.0.2.2")
	if got := names(); len(got) != 2 {
		t.Errorf("the old program on the newer schema shows %v", got)
	}
	p.Stop()

	content, err := os.ReadFile(next)
	if err != nil {
		t.Fatal(err)
	}
	r.publish(t, "v1.1.0", content)
	if out, err = update(); err != nil {
		t.Fatalf("an update: %v\n%s", err, out)
	}
	t.Logf("it says:\n%s", out)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	if got := names(); len(got) != 2 {
		t.Errorf("after the update it shows %v", got)
	}
	if n := p.Count(t, "SELECT COUNT(*) FROM servers WHERE of_the_next_release = 'none'"); n != 2 {
		t.Errorf("%d servers have the new column", n)
	}
	version, err := exec.Command(program, "--version").Output()
	if err != nil || !strings.Contains(string(version), "v1.1.0") {
		t.Errorf("the program is %s, %v", version, err)
	}
	raw, err := json.Marshal(names())
	t.Logf("it shows %s, %v", raw, err)
}
