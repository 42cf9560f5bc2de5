package e2e_test

import (
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// Hostile texts wherever a backup accepts text: what is refused goes nowhere, what is accepted appears literally on the host, in
// the bucket and in the engine, and nothing else is run, created or dropped.
func TestBackupInjection(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		const canary = "/tmp/canary-backup"
		a := newArchive(t, p, s, "vault")
		// A database server accepts no sites through the API; a row stands for one, and its directory for its users' files. It is not in the ledger,
		// so nothing may be wished of it: it counts as enclosed.
		p.SQL(t, `INSERT INTO sites (organization_id, server_id, name, type, status, unix_user, isolated, enclosed, web_directory, php_version,
			wildcards, www_redirect_type, created_at, updated_at)
			VALUES (1, $1, 'vault.example.com', 'static-html', 'installed', 'forge', FALSE, 1, '/public', '', FALSE, 'none', 1, 1)`, s.ID)
		site := p.Count(t, `SELECT MAX(id) FROM sites`)
		t.Cleanup(func() { p.SQL(t, `DELETE FROM sites WHERE id = $1`, site) })
		const home = "/home/forge/vault.example.com"
		s.Host.Exec(t, "install", "-d", "-o", "forge", "-g", "forge", home)
		t.Cleanup(func() { s.Host.Exec(t, "rm", "-rf", home) })

		body := map[string]any{"storage_provider_id": number(a.provider.ID), "frequency": "daily", "database_ids": []int{number(a.database.ID)}, "retention": 100}
		with := func(more map[string]any) map[string]any {
			out := maps.Clone(body)
			maps.Copy(out, more)
			return out
		}
		before, tried, accepted := s.names(t), 0, 0
		// ask is whether a request is accepted; it is refused for what it says or it is not.
		ask := func(method, path string, body map[string]any) bool {
			t.Helper()
			answer, err := p.Do(method, path, body)
			tried++
			switch {
			case err != nil:
				t.Errorf("%s %v: %v", path, body, err)
			case answer.Code/100 == 2:
				accepted++
				return true
			case answer.Code != http.StatusUnprocessableEntity && answer.Code != http.StatusBadRequest:
				t.Errorf("%s %v answered %d: %s", path, body, answer.Code, answer.Body)
			}
			return false
		}
		texts := hostile(canary)
		var paths []string
		for _, text := range texts {
			ask(http.MethodPut, a.at, with(map[string]any{"name": text}))
			ask(http.MethodPut, a.at, with(map[string]any{"bucket": text}))
			ask(http.MethodPut, a.at, with(map[string]any{"frequency": "custom", "cron": text}))
			ask(http.MethodPut, a.at, with(map[string]any{"notification_email": text}))
			for _, field := range []string{"name", "endpoint", "region", "bucket", "directory", "access_key", "secret_key"} {
				provider := a.Provider(s.Host.Bed().Gateway, bucket, "other")
				provider[field] = text
				answer, err := p.Do(http.MethodPost, "/storage-providers", provider)
				tried++
				if err == nil && answer.Code == http.StatusCreated {
					accepted++
					p.Want(t, http.StatusNoContent, http.MethodDelete, "/storage-providers/"+answer.Data.ID, nil)
				}
			}
			// JSON has no other bytes
			if ask(http.MethodPut, a.at, with(map[string]any{"site_id": site, "paths": []string{text}})) && len(text) < 200 && utf8.ValidString(text) {
				paths = append(paths, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "./"), "/"))
			}
		}
		if len(paths) == 0 {
			t.Fatal("no path was accepted: the archiver was not tried")
		}

		// Files of these names, backed up and restored.
		for _, path := range paths {
			full := home + "/" + path
			s.Host.Exec(t, "runuser", "-u", "forge", "--", "mkdir", "-p", "--", full[:strings.LastIndex(full, "/")])
			s.Host.Exec(t, "runuser", "-u", "forge", "--", "cp", "--", "/etc/hostname", full)
		}
		const listing = "cd " + home + " && find . -print0 | sort -z | xargs -0 stat --printf '%n %U %s\\n'"
		was := s.Host.Exec(t, "sh", "-c", listing)
		p.Want(t, http.StatusAccepted, http.MethodPut, a.at, with(map[string]any{"site_id": site, "paths": paths[:min(len(paths), 100)]}))
		o := a.run(t)
		if o.Data.Attributes.Status != "finished" || o.Data.Attributes.IsPartial != "false" {
			t.Fatalf("the backup of the files is %+v %s", o.Data.Attributes, o.Data.Meta.Backup.Reason)
		}
		s.Host.Exec(t, "sh", "-c", "find "+home+" -mindepth 1 -delete")
		for _, text := range texts { // names of databases to restore to
			ask(http.MethodPost, a.instance(o.Data.ID)+"/restores", map[string]any{"database_id": number(a.database.ID), "name": text})
		}
		for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/schemas?page[size]=100"), nil).List {
			if name := r.Text("name"); name != "vault" && name != "first" {
				p.Settled(t, time.Minute, s.schema(r.ID))
				removeAt(t, p, s.schema(r.ID))
			}
		}
		answer := p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/restores",
			map[string]any{"database_id": number(a.database.ID), "site_id": site})
		if state, said := a.event(t, answer); state != "succeeded" {
			t.Fatalf("restore of the files: %s %s", state, said)
		}
		if is := s.Host.Exec(t, "sh", "-c", listing); is != was {
			t.Errorf("the files are\n%s\nwere\n%s", is, was)
		}

		// Directories of the bucket: each accepted one contains a backup.
		stored := 0
		for _, text := range texts {
			if !ask(http.MethodPut, a.at, with(map[string]any{"directory": text})) {
				continue
			}
			if stored++; stored > 5 && !full() {
				continue
			}
			o := a.run(t)
			if o.Data.Attributes.Status != "finished" {
				t.Errorf("in the directory %q the backup is %+v %s", text, o.Data.Attributes, o.Data.Meta.Backup.Reason)
				continue
			}
			a.whole(t, o)
		}
		p.Want(t, http.StatusAccepted, http.MethodPut, a.at, body)
		if got := s.names(t); got != before {
			t.Errorf("databases are %q, were %q", got, before)
		}
		if out, err := s.Host.TryExec("test", "!", "-e", canary); err != nil {
			t.Errorf("a canary was made on the host: %v %s", err, out)
		}
		if _, err := os.Stat(canary); err == nil {
			t.Error("a canary was made beside the panel")
		}
		t.Logf("%d texts tried, %d accepted, %d paths, %d directories, 0 canaries", tried, accepted, len(paths), stored)
	})
}
