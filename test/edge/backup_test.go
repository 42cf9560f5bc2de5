package edge

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func but(body map[string]any, field string, value any) map[string]any {
	body = maps.Clone(body)
	if value == nil {
		delete(body, field)
	} else {
		body[field] = value
	}
	return body
}

// Errors of a storage are reported on its field, a valid one is stored, and its keys are never returned.
func TestStorageProviders(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	const at = "/orgs/acme/storage-providers"
	for name, c := range map[string]struct {
		body  map[string]any
		field string
	}{
		"no keys":                {but(storageBody("x"), "access_key", nil), "access_key"},
		"no endpoint":            {but(storageBody("x"), "endpoint", nil), "endpoint"},
		"endpoint with a path":   {but(storageBody("x"), "endpoint", "http://127.0.0.1/x"), "endpoint"},
		"endpoint with a user":   {but(storageBody("x"), "endpoint", "http://a:b@127.0.0.1"), "endpoint"},
		"metadata service":       {but(storageBody("x"), "endpoint", "http://169.254.169.254"), "endpoint"},
		"metadata service, IPv6": {but(storageBody("x"), "endpoint", "http://[fd00:ec2::254]"), "endpoint"},
		"nobody there":           {but(storageBody("x"), "endpoint", "http://127.0.0.1:1"), "endpoint"},
		"no such bucket":         {but(storageBody("x"), "bucket", "nowhere"), "bucket"},
		"bucket":                 {but(storageBody("x"), "bucket", "../x"), "bucket"},
		"directory":              {but(storageBody("x"), "directory", "a/../../b"), "directory"},
		"region":                 {but(storageBody("x"), "region", "x.evil.example/"), "region"},
		"region is missing":      {but(but(storageBody("x"), "provider", "hetzner"), "endpoint", nil), "region"},
		"role":                   {but(storageBody("x"), "assume_role", true), "assume_role"},
		"role of Hostler's": {but(but(but(but(storageBody("x"), "provider", "s3"), "region", "eu-west-1"), "endpoint", nil),
			"assume_role", true), "assume_role"},
		"host key of S3":         {but(storageBody("x"), "host_key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJCOKW1DW2kvJgUTR7wVs/9p1uOPHTqALIGgZnOSlZyS"), "host_key"},
		"SFTP, nobody there":     {but(storageBody("x"), "endpoint", "sftp://127.0.0.1:1/srv"), "endpoint"},
		"SFTP, password in it":   {but(storageBody("x"), "endpoint", "sftp://a:b@127.0.0.1"), "endpoint"},
		"SFTP, directory":        {but(storageBody("x"), "endpoint", "sftp://127.0.0.1/a/../b"), "endpoint"},
		"SFTP at Hetzner":        {but(but(storageBody("x"), "endpoint", "sftp://127.0.0.1"), "provider", "hetzner"), "endpoint"},
		"SFTP, host key":         {but(but(storageBody("x"), "endpoint", "sftp://127.0.0.1"), "host_key", "SHA256:x"), "host_key"},
		"SFTP, broken key":       {but(but(storageBody("x"), "endpoint", "sftp://127.0.0.1"), "secret_key", "-----BEGIN OPENSSH PRIVATE KEY-----\nx"), "secret_key"},
		"SFTP, two lines":        {but(but(storageBody("x"), "endpoint", "sftp://127.0.0.1"), "secret_key", "a\nb"), "secret_key"},
		"SFTP, metadata service": {but(storageBody("x"), "endpoint", "sftp://169.254.169.254"), "endpoint"},
		"key with a line break":  {but(storageBody("x"), "secret_key", "a\nb"), "secret_key"},
	} {
		a := w.owner.Post(at, c.body)
		if a.Status != 422 || a.At("errors", c.field) == nil {
			t.Errorf("%s: %d %s, want 422 on %s", name, a.Status, a.Body, c.field)
		}
	}
	made := w.owner.Post(at, storageBody("x")).Want(t, 201)
	changed := w.owner.Put(at+"/"+made.ID(), map[string]any{"name": "renamed", "provider": "custom", "directory": "elsewhere"}).Want(t, 202)
	for _, a := range []Answer{made, changed, w.owner.Get(at).Want(t, 200)} {
		if strings.Contains(string(a.Body), "s3cret") || strings.Contains(string(a.Body), "access_key") {
			t.Errorf("keys are answered: %s", a.Body)
		}
	}
	if got := changed.Text("data", "attributes", "directory"); got != "elsewhere" {
		t.Errorf("the directory is %q", got)
	}
	// Keys are not sent on to another place than they were typed for.
	a := w.owner.Put(at+"/"+made.ID(), map[string]any{"name": "moved", "provider": "custom", "endpoint": "https://evil.example.com"})
	if a.Status != 422 || a.At("errors", "secret_key") == nil {
		t.Errorf("to another endpoint without the key: %d %s", a.Status, a.Body)
	}
	if a := w.owner.Delete(at + "/" + w.mine.storage); a.Status != 409 {
		t.Errorf("one in use was deleted: %d %s", a.Status, a.Body)
	}
	w.owner.Delete(at+"/"+made.ID()).Want(t, 204)
}

// Private addresses are closed unless the operator opens them.
func TestPrivateEndpointsAreRefused(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.AllowPrivateEndpoints = false })
	user := e.User("owner")
	e.Organization("acme", user)
	for _, endpoint := range []string{
		fakeS3(), strings.Replace(fakeS3(), "127.0.0.1", "localhost", 1),
		strings.Replace(fakeS3(), "127.0.0.1", "[::ffff:127.0.0.1]", 1), "http://10.0.0.1", "http://[::1]:9000",
	} {
		a := e.Of(user).Post("/orgs/acme/storage-providers", but(storageBody("x"), "endpoint", endpoint))
		if a.Status != 422 || !strings.Contains(string(a.Body), "private") {
			t.Errorf("%s: %d %s", endpoint, a.Status, a.Body)
		}
	}
}

// A backup looks as it was agreed, and is found at its own configuration, server and organization only.
func TestBackupInstance(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		at := "/orgs/acme/servers/" + w.mine.engine + "/database/backups/"
		a := w.owner.Get(at+w.mine.configuration+"/instances/"+w.mine.backup).Want(t, 200)
		if a.Text("data", "type") != "backups" || a.Text("data", "attributes", "status") != "finished" || a.Text("data", "attributes", "is_partial") != "false" {
			t.Errorf("the backup is %s", a.Body)
		}
		if got, ok := a.At("data", "attributes", "finished_at").(float64); !ok || int64(got) != e.Clock.Now().Unix() {
			t.Errorf("finished_at is %v", a.At("data", "attributes", "finished_at"))
		}
		if got, ok := a.At("data", "attributes", "size").(float64); !ok || got != 1234 {
			t.Errorf("size is %v", a.At("data", "attributes", "size"))
		}
		second := w.owner.Post(strings.TrimSuffix(at, "/"), backupBody(w.mine)).Want(t, 202).ID()
		on := func(org, server, configuration, backup string) string {
			return "/orgs/" + org + "/servers/" + server + "/database/backups/" + configuration + "/instances" + backup
		}
		mine, one := w.mine, "/"+w.mine.backup
		for _, op := range []struct {
			method, path string
			body         any
		}{
			{"GET", "", nil},
			{"DELETE", "", nil},
			{"POST", "/proofs", nil},
			{"POST", "/downloads", nil},
			{"POST", "/restores", map[string]any{"database_id": number(mine.database)}},
		} {
			for name, c := range map[string]struct {
				who  *Client
				path string
				want int
			}{
				"of another configuration":             {w.owner, on("acme", mine.engine, second, one), 404},
				"of another server's configuration":    {w.owner, on("acme", mine.engine, w.other.configuration, "/"+w.other.backup), 404},
				"on another server":                    {w.owner, on("acme", w.other.engine, mine.configuration, one), 404},
				"on a server without databases":        {w.owner, on("acme", mine.server, mine.configuration, one), 404},
				"of another organization":              {w.owner, on("acme", mine.engine, mine.configuration, "/"+w.foreign.backup), 404},
				"with another organization's parents":  {w.owner, on("acme", w.foreign.engine, w.foreign.configuration, "/"+w.foreign.backup), 404},
				"in another organization":              {w.owner, on("other", w.foreign.engine, w.foreign.configuration, "/"+w.foreign.backup), 404},
				"ours in another organization's path":  {w.stranger, on("other", mine.engine, mine.configuration, one), 404},
				"ours, asked for by somebody else":     {w.stranger, on("acme", mine.engine, mine.configuration, one), 404},
				"that never was":                       {w.owner, on("acme", mine.engine, mine.configuration, "/999999"), 404},
				"that is no number":                    {w.owner, on("acme", mine.engine, mine.configuration, "/x"), 404},
				"without a sign-in":                    {w.As(""), on("acme", mine.engine, mine.configuration, one), 401},
				"without a sign-in, that never was":    {w.As(""), on("acme", mine.engine, mine.configuration, "/999999"), 401},
				"without the permission":               {w.viewer, on("acme", mine.engine, mine.configuration, one), 403},
				"without the permission, that is gone": {w.viewer, on("acme", mine.engine, second, one), 404},
			} {
				if got := c.who.Call(op.method, c.path+op.path, op.body); got.Status != c.want {
					t.Errorf("%s%s of a backup %s is answered %d %s, want %d", op.method, op.path, name, got.Status, got.Body, c.want)
				}
			}
		}
		for name, path := range map[string]string{
			"on another server":       on("acme", w.other.engine, mine.configuration, ""),
			"another organization's":  on("acme", mine.engine, w.foreign.configuration, ""),
			"in another organization": on("other", w.foreign.engine, w.foreign.configuration, ""),
		} {
			if got := w.owner.Get(path); got.Status != 404 {
				t.Errorf("the backups of a configuration %s are answered %d", name, got.Status)
			}
			if got := w.owner.Post(path, nil); got.Status != 404 {
				t.Errorf("a backup of a configuration %s is answered %d", name, got.Status)
			}
		}
		if got := w.owner.Get(at+mine.configuration+"/instances"+one).Want(t, 200); string(got.Body) != string(a.Body) {
			t.Errorf("afterwards the backup is %s, was %s", got.Body, a.Body)
		}
	})
}

func TestConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := "/orgs/acme/servers/" + w.mine.engine + "/database/backups"
	for name, c := range map[string]struct {
		field string
		value any
	}{
		"another organization's storage": {"storage_provider_id", number(w.foreign.storage)},
		"another server's database":      {"database_ids", []any{number(w.other.database)}},
		"no databases":                   {"database_ids", []any{}},
		"retention":                      {"retention", 8761},
		"time":                           {"time", "02:15"},
		"bucket":                         {"bucket", "Nope"},
		"no such bucket":                 {"bucket", "nowhere"},
		"directory":                      {"directory", "../x"},
		"email":                          {"notification_email", "me@example.com\nBcc: you@example.com"},
		"name":                           {"name", "a\nb"},
	} {
		a := w.owner.Post(at, but(backupBody(w.mine), c.field, c.value))
		found := false
		errors, _ := a.At("errors").(map[string]any)
		for field := range errors {
			found = found || strings.HasPrefix(field, c.field)
		}
		if a.Status != 422 || !found {
			t.Errorf("%s: %d %s, want 422 on %s", name, a.Status, a.Body, c.field)
		}
	}
	for _, cron := range []string{"", "* * * *", "@reboot", "0 0 31 2 *", "0 0 * * *\n* * * * * root id", "* * * * * $(id)"} {
		if a := w.owner.Post(at, but(but(backupBody(w.mine), "frequency", "custom"), "cron", cron)); a.Status != 422 {
			t.Errorf("cron %q: %d", cron, a.Status)
		}
	}
	for _, path := range []string{"../other", "/etc/passwd", "-T", "a/../../b", "a\nb", ""} {
		body := but(but(backupBody(w.mine), "site_id", number(w.mine.site)), "paths", []any{path})
		if a := w.owner.Post(at, body); a.Status != 422 {
			t.Errorf("path %q: %d", path, a.Status)
		}
	}
	if a := w.owner.Post("/orgs/acme/servers/"+w.mine.server+"/database/backups", backupBody(w.mine)); a.Status != 422 {
		t.Errorf("a server without databases: %d", a.Status)
	}
}

// The key that is exported opens what was encrypted to its recipient; it is shown to those who manage the organization, once an answer.
func TestKeyExport(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	a := w.owner.Post("/orgs/acme/backup-keys/export", nil, Header("Idempotency-Key", "one")).Want(t, 201)
	if !strings.HasPrefix(a.Text("data", "meta", "shown_once", "secret"), "AGE-SECRET-KEY-1") {
		t.Errorf("the export is %s", a.Body)
	}
	again := w.owner.Post("/orgs/acme/backup-keys/export", nil, Header("Idempotency-Key", "one")).Want(t, 201)
	if strings.Contains(string(again.Body), "AGE-SECRET-KEY") {
		t.Error("a repeated answer has the secret")
	}
	list := w.owner.Get("/orgs/acme/backup-keys").Want(t, 200)
	if strings.Contains(string(list.Body), "AGE-SECRET-KEY") || len(list.IDs()) != 1 {
		t.Errorf("the list is %s", list.Body)
	}
	w.developer.Post("/orgs/acme/backup-keys/export", nil).Want(t, 403)
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		rows, err := db.All[query.BackupKey](ctx, tx.SQL, "backup_keys")
		for _, row := range rows {
			if strings.Contains(string(row.Identity), "AGE-SECRET-KEY") {
				t.Error("the key is not sealed")
			}
		}
		return err
	})
}

// Times are meant in the organization's zone, those too that were set before it was another.
func TestTimezoneMovesSchedules(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const zone = "/orgs/acme/timezone"
		at := "/orgs/acme/servers/" + w.mine.engine + "/database/backups"
		made := w.owner.Post(at, but(but(backupBody(w.mine), "frequency", "daily"), "time", "02:00")).Want(t, 202).ID()
		cron := w.owner.Post(at, but(but(backupBody(w.mine), "frequency", "custom"), "cron", "15 5 * * *")).Want(t, 202).ID()
		runs := func(id string) string {
			text := w.owner.Get(at+"/"+id).Want(t, 200).Text("data", "attributes", "next_run_time")
			_, clock, _ := strings.Cut(text, "T")
			return clock
		}
		if got := w.owner.Get(zone).Want(t, 200).Text("data", "attributes", "timezone"); got != "UTC" {
			t.Errorf("the zone is %q before it was set", got)
		}
		if got := runs(made) + " " + runs(cron); got != "02:00:00Z 05:15:00Z" {
			t.Errorf("in UTC the next runs are at %s", got)
		}
		w.owner.Put(zone, map[string]any{"timezone": "Asia/Tokyo"}).Want(t, 200) // has no summer time
		if got := runs(made) + " " + runs(cron); got != "17:00:00Z 20:15:00Z" {
			t.Errorf("in Tokyo the next runs are at %s", got)
		}
		for _, bad := range []any{"", "Nowhere/Town", "Local", "../etc/passwd", "posix/UTC", nil, 7} {
			if a := w.owner.Put(zone, map[string]any{"timezone": bad}); a.Status != 422 {
				t.Errorf("%v: %d %s", bad, a.Status, a.Body)
			}
		}
		w.viewer.Put(zone, map[string]any{"timezone": "UTC"}).Want(t, 403)
		if got := w.owner.Get(zone).Want(t, 200).Text("data", "attributes", "timezone"); got != "Asia/Tokyo" {
			t.Errorf("the zone is %q", got)
		}
	})
}

// A storage on the disk of Hostler's machine without a directory there is refused where it is made, not by the first backup.
func TestStorageOnDiskNeedsABucket(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	wantFields(t, w.owner.Post("/orgs/acme/storage-providers", map[string]any{"name": "disk", "provider": "custom", "endpoint": "file:///"}), "bucket")
}
