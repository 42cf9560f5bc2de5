package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/s3"
)

// archive is a bucket of a real S3 server and a configuration that backs up into it.
type archive struct {
	*s3.Server
	p        *panel.Panel
	s        *engineRoom
	at       string // the configuration
	database panel.Resource
	provider panel.Resource
}

const bucket = "archive"

// objects are the objects of a backup in an answer.
type objects struct {
	Data struct {
		ID         string
		Attributes struct {
			Status      string
			IsPartial   string `json:"is_partial"`
			Size        int64
			FinishedAt  *int64  `json:"finished_at"`
			DatabaseIDs []int64 `json:"database_ids"`
		}
		Meta struct {
			Operation *panel.Operation
			Backup    struct {
				Reason, Recipient string
				LastProvenRestore *string `json:"last_proven_restore"`
				ProofStatus       string  `json:"proof_status"`
				ProofReason       string  `json:"proof_reason"`
				Objects           []struct {
					Name, Key, Status, Checksum, URL string
					Size                             int64
				}
			}
		}
	}
}

// newArchive connects the storage and makes a configuration of one database with a few rows in it.
func newArchive(t testing.TB, p *panel.Panel, s *engineRoom, name string) *archive {
	t.Helper()
	a := &archive{Server: s3.Start(t, bucket), p: p, s: s}
	a.provider = p.Want(t, http.StatusCreated, http.MethodPost, "/storage-providers", a.Provider(s.Host.Bed().Gateway, bucket, "servers")).Data
	a.database = addDatabase(t, p, s, map[string]any{"name": name})
	t.Cleanup(func() { removeAt(t, p, s.schema(a.database.ID)) })
	s.root(t, name, "CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(100))")
	s.root(t, name, "INSERT INTO people VALUES (1, 'Ada'), (2, 'O''Hara; DROP'), (3, 'Zoë (x)')")
	s.root(t, name, "CREATE TABLE nothing (a INTEGER, b INTEGER)")
	s.root(t, name, "CREATE VIEW first_one AS SELECT name FROM people WHERE id = 1")
	if !s.postgres() {
		s.root(t, name, "CREATE TRIGGER named BEFORE INSERT ON people FOR EACH ROW SET NEW.name = TRIM(NEW.name)")
		s.root(t, name, "CREATE PROCEDURE tally() SELECT COUNT(*) FROM people")
	} else {
		s.root(t, name, "CREATE FUNCTION tally() RETURNS bigint LANGUAGE sql AS 'SELECT COUNT(*) FROM people'")
	}
	conf := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/backups"), map[string]any{
		"storage_provider_id": number(a.provider.ID), "frequency": "daily", "time": "02:00",
		"database_ids": []int{number(a.database.ID)}, "retention": 2, "name": "nightly " + name,
	})
	a.at = s.Path("/database/backups/" + conf.Data.ID)
	t.Cleanup(func() {
		p.Want(t, http.StatusAccepted, http.MethodDelete, a.at, nil)
		p.Want(t, http.StatusNoContent, http.MethodDelete, "/storage-providers/"+a.provider.ID, nil)
	})
	return a
}

func (a *archive) instance(id string) string { return a.at + "/instances/" + id }

func (a *archive) get(t testing.TB, id string) objects {
	t.Helper()
	var o objects
	answer := a.p.Want(t, http.StatusOK, http.MethodGet, a.instance(id), nil)
	if err := json.Unmarshal([]byte(answer.Body), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// run backs up now and waits for the end.
func (a *archive) run(t testing.TB) objects {
	t.Helper()
	id := a.p.Want(t, http.StatusAccepted, http.MethodPost, a.at+"/instances", nil).Data.ID
	return a.ended(t, id)
}

func (a *archive) ended(t testing.TB, id string) objects {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		o := a.get(t, id)
		if s := o.Data.Attributes.Status; s != "running" && s != "removing" {
			return o
		}
		if time.Now().After(deadline) {
			t.Fatalf("the backup does not end: %+v %+v", o.Data.Attributes, o.Data.Meta.Operation)
		}
	}
}

// event waits until the work behind an answer ended, and returns the reason of its failure. The output of programs is in the
// test's log: it is not part of a reason.
func (a *archive) event(t testing.TB, answer panel.Answer) (state, reason string) {
	t.Helper()
	id := answer.Header.Get("X-Hostler-Event")
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		state, step, reason := a.work(t, id)
		if over(state) {
			a.tell(t, state, id)
			return state, reason
		}
		if time.Now().After(deadline) {
			t.Fatalf("the work does not end: %s %q %s", state, step, reason)
		}
	}
}

// tell logs the output of work that failed.
func (a *archive) tell(t testing.TB, state, event string) {
	t.Helper()
	if state == "failed" {
		t.Logf("event %s:\n%s", event, a.p.Output(t, a.s.Server, event))
	}
}

// work returns how far the work of an event is.
func (a *archive) work(t testing.TB, event string) (state, step, reason string) {
	t.Helper()
	if err := a.p.DB(t).QueryRow(`SELECT state, step, reason FROM operations WHERE event_id = $1`, event).Scan(&state, &step, &reason); err != nil {
		t.Fatal(err)
	}
	return state, step, reason
}

func over(state string) bool { return state != "pending" && state != "running" }

func (a *archive) people(t testing.TB, database string) string {
	t.Helper()
	return a.s.root(t, database, "SELECT COUNT(*) FROM people")
}

func (a *archive) name() string { return a.database.Text("name") }

// A backup is listed in the bucket, opens with stock tools, restores to another name and over the old one, and is pruned when newer ones are good.
func TestBackupAndRestore(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "shop")
		first := a.run(t)
		d := first.Data
		if d.Attributes.Status != "finished" || d.Attributes.IsPartial != "false" || d.Attributes.Size == 0 ||
			d.Attributes.FinishedAt == nil || len(d.Attributes.DatabaseIDs) != 1 {
			t.Fatalf("the backup is %+v: %+v %+v", d.Attributes, d.Meta.Backup, d.Meta.Operation)
		}
		keys := a.Keys(t, bucket)
		if !slices.Contains(keys, d.Meta.Backup.Objects[0].Key) || slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, "upload ") }) {
			t.Errorf("in the bucket are %v", keys)
		}
		stock(t, a, d.ID)

		// To a new name.
		answer := p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(d.ID)+"/restores",
			map[string]any{"database_id": number(a.database.ID), "name": "shop_copy"})
		if state, said := a.event(t, answer); state != "succeeded" {
			t.Fatalf("restore to a new name: %s %s", state, said)
		}
		if got := a.people(t, "shop_copy"); got != "3" {
			t.Errorf("the copy has %s people", got)
		}
		for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/schemas"), nil).List {
			if r.Text("name") == "shop_copy" {
				removeAt(t, p, s.schema(r.ID))
			}
		}

		// Over the old one, of which a fresh dump is stored first.
		s.root(t, "shop", "DELETE FROM people WHERE id > 1")
		s.root(t, "shop", "CREATE TABLE later (x INTEGER)")
		answer = p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(d.ID)+"/restores", map[string]any{"database_id": number(a.database.ID)})
		if state, said := a.event(t, answer); state != "succeeded" {
			t.Fatalf("restore over the old one: %s %s", state, said)
		}
		if got := a.people(t, "shop"); got != "3" {
			t.Errorf("restored are %s people", got)
		}
		if got := s.root(t, "shop", "SELECT name FROM first_one"); got != "Ada" {
			t.Errorf("the view says %q", got)
		}
		if got := s.root(t, "shop", map[bool]string{true: "SELECT tally()", false: "CALL tally()"}[s.postgres()]); got != "3" {
			t.Errorf("the routine says %q", got)
		}
		if !s.postgres() {
			s.root(t, "shop", "INSERT INTO people VALUES (4, '  padded ')")
			if got := s.root(t, "shop", "SELECT name FROM people WHERE id = 4"); got != "padded" {
				t.Errorf("the trigger made %q", got)
			}
		}
		if names := s.names(t); strings.Contains(names, "hostler_restore") {
			t.Errorf("left are %s", names)
		}
		list := p.Want(t, http.StatusOK, http.MethodGet, a.at+"/instances?sort=-created_at", nil).List
		if len(list) != 2 || list[0].Text("status") != "finished" {
			t.Errorf("the fresh dump is not there: %+v", list)
		}

		// Proven.
		answer = p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(d.ID)+"/proofs", nil)
		if state, said := a.event(t, answer); state != "succeeded" {
			t.Fatalf("proof: %s %s", state, said)
		}
		if o := a.get(t, d.ID); o.Data.Meta.Backup.LastProvenRestore == nil {
			t.Errorf("no proven restore: %+v", o.Data.Meta.Backup)
		}
		if names := s.names(t); strings.Contains(names, "hostler_proof") {
			t.Errorf("left are %s", names)
		}

		// Retention is 2, and the fresh dump before the restore counts for nothing: with the second one after it the first goes.
		for range 2 {
			a.p.Want(t, http.StatusOK, http.MethodGet, a.instance(d.ID), nil)
			if o := a.run(t); o.Data.Attributes.Status != "finished" {
				t.Fatalf("the next backup is %+v", o.Data)
			}
		}
		p.Gone(t, time.Minute, a.instance(d.ID))
		for _, key := range a.Keys(t, bucket) {
			if key == d.Meta.Backup.Objects[0].Key {
				t.Errorf("%s is still in the bucket", key)
			}
		}
		leaves(t, a)
	})
}

// A storage on the disk of the panel's machine does what a bucket does: hosts send to the panel, and get from it.
func TestBackupOnDisk(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "nearby")
		fill(t, a, 20)
		provider := p.Want(t, http.StatusCreated, http.MethodPost, "/storage-providers", map[string]any{
			"name":      "disk",
			"provider":  "custom",
			"endpoint":  "file:///",
			"bucket":    "near-by",
			"directory": "some/where",
		}).Data
		file := func(key string) string { return filepath.Join(rooms.disk, "org-1", "near-by", key) }
		o := a.keepsIn(t, provider, func(key string) ([]byte, error) { return os.ReadFile(file(key)) })
		answer := p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/proofs", nil)
		if state, said := a.event(t, answer); state != "succeeded" {
			t.Errorf("proof: %s %s", state, said)
		}
		removeAt(t, p, a.instance(o.Data.ID))
		if _, err := os.Stat(file(o.Data.Meta.Backup.Objects[0].Key)); !os.IsNotExist(err) {
			t.Errorf("after the backup was deleted its file: %v", err)
		}
	})
}

// keepsIn backs up into another storage, looks there for what was sent, and restores it. The storage is deleted when the test ends.
func (a *archive) keepsIn(t *testing.T, provider panel.Resource, read func(key string) ([]byte, error)) objects {
	t.Helper()
	use := func(id string) {
		t.Helper()
		a.p.Want(t, http.StatusAccepted, http.MethodPut, a.at, map[string]any{
			"storage_provider_id": number(id),
			"frequency":           "daily",
			"database_ids":        []int{number(a.database.ID)},
			"retention":           2,
		})
	}
	use(provider.ID)
	t.Cleanup(func() { // the configuration is deleted later
		use(a.provider.ID)
		a.p.Want(t, http.StatusNoContent, http.MethodDelete, "/storage-providers/"+provider.ID, nil)
	})
	o := a.run(t)
	if o.Data.Attributes.Status != "finished" {
		t.Fatalf("the backup is %+v %s", o.Data.Attributes, o.Data.Meta.Backup.Reason)
	}
	object := o.Data.Meta.Backup.Objects[0]
	raw, err := read(object.Key)
	if sum := sha256.Sum256(raw); err != nil || hex.EncodeToString(sum[:]) != object.Checksum || int64(len(raw)) != object.Size {
		t.Errorf("the file has %d bytes, %v; %d were sent", len(raw), err, object.Size)
	}
	a.s.root(t, a.name(), "DELETE FROM people")
	answer := a.p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/restores", map[string]any{"database_id": number(a.database.ID)})
	if state, said := a.event(t, answer); state != "succeeded" {
		t.Fatalf("restore: %s %s", state, said)
	}
	if got := a.people(t, a.name()); got != "3" {
		t.Errorf("restored are %s people", got)
	}
	return o
}

// stock opens a backup with stock tools: the exported key, age and zstd.
func stock(t *testing.T, a *archive, id string) {
	t.Helper()
	for _, tool := range []string{"age", "zstd"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("not opened with stock tools: %s is not installed", tool)
			return
		}
	}
	var key struct {
		Data struct {
			Meta struct {
				ShownOnce struct{ Secret string } `json:"shown_once"`
			}
		}
	}
	answer := a.p.Want(t, http.StatusCreated, http.MethodPost, "/backup-keys/export", nil)
	if err := json.Unmarshal([]byte(answer.Body), &key); err != nil {
		t.Fatal(err)
	}
	var o objects
	answer = a.p.Want(t, http.StatusCreated, http.MethodPost, a.instance(id)+"/downloads", nil)
	if err := json.Unmarshal([]byte(answer.Body), &o); err != nil {
		t.Fatal(err)
	}
	script := `set -e; umask 077; printf '%s\n' "$KEY" > key.txt; curl -sSf -o db.age "$URL"; age --decrypt --identity key.txt db.age | zstd --decompress --quiet`
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = t.TempDir()
	cmd.Env = append(cmd.Environ(), "KEY="+key.Data.Meta.ShownOnce.Secret, "URL="+o.Data.Meta.Backup.Objects[0].URL)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "Zoë") {
		t.Errorf("opened with stock tools: %v %s\n%.500s", err, stderr.String(), out)
	}
}

// leaves looks for secrets and addresses that stayed on the host.
func leaves(t *testing.T, a *archive) {
	t.Helper()
	out, err := a.s.Host.TryExec("grep", "-rlE", "--exclude-dir=agent", s3.SecretKey+"|X-Amz-Signature|AGE-SECRET-KEY", "/var/lib/hostler", "/tmp", "/etc")
	if err == nil {
		t.Errorf("on the host are keys or signed addresses: %s", out)
	}
}

// What was spoiled in the bucket is found before anything is touched, and named.
func TestSpoiledBackups(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "ledger")
		for name, c := range map[string]struct {
			spoil func(key string, size int64) error
			says  string
		}{
			"a flipped byte":       {func(key string, size int64) error { return a.Flip(bucket, key, size-20) }, "damaged"},
			"a flipped first byte": {func(key string, _ int64) error { return a.Flip(bucket, key, 3) }, "damaged"},
			"a deleted object":     {func(key string, _ int64) error { return a.remove(t, key) }, "no longer in the storage"},
			"another key":          {func(key string, size int64) error { return a.forge(t, key, size) }, "can't be decrypted"},
		} {
			o := a.run(t)
			if o.Data.Attributes.Status != "finished" {
				t.Fatalf("%s: %+v", name, o.Data)
			}
			object := o.Data.Meta.Backup.Objects[0]
			if err := c.spoil(object.Key, object.Size); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			answer := p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/proofs", nil)
			if state, said := a.event(t, answer); state != "failed" || !strings.Contains(said, c.says) {
				t.Errorf("%s: the proof ended as %s: %s", name, state, said)
			}
			var conf struct {
				Data struct {
					Meta struct{ Backups struct{ Alarm string } }
				}
			}
			shown := p.Want(t, http.StatusOK, http.MethodGet, a.at, nil)
			if err := json.Unmarshal([]byte(shown.Body), &conf); err != nil || !strings.Contains(conf.Data.Meta.Backups.Alarm, "Backup "+o.Data.ID) ||
				!strings.Contains(conf.Data.Meta.Backups.Alarm, "ledger") || !strings.Contains(conf.Data.Meta.Backups.Alarm, c.says) {
				t.Errorf("%s: the alarm says %q", name, conf.Data.Meta.Backups.Alarm)
			}
			before := s.root(t, "ledger", "SELECT COUNT(*) FROM people")
			answer = p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/restores", map[string]any{"database_id": number(a.database.ID)})
			if state, said := a.event(t, answer); state != "failed" || !strings.Contains(said, c.says) {
				t.Errorf("%s: the restore ended as %s: %s", name, state, said)
			}
			if got := s.root(t, "ledger", "SELECT COUNT(*) FROM people"); got != before {
				t.Errorf("%s: the database has %s people, had %s", name, got, before)
			}
		}
	})
}

// forge replaces an object with another of the same size, which a different key opens.
func (a *archive) forge(t testing.TB, key string, size int64) error {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	pack := func(n int64) error {
		b.Reset()
		w, err := age.Encrypt(&b, identity.Recipient())
		if err != nil {
			return err
		}
		if _, err := w.Write(make([]byte, n)); err != nil {
			return err
		}
		return w.Close()
	}
	if err := pack(0); err != nil { // what encryption adds to one chunk
		return err
	}
	if err := pack(size - int64(b.Len())); err != nil {
		return err
	}
	if int64(b.Len()) != size {
		return fmt.Errorf("the object has %d bytes, %d are wanted", b.Len(), size)
	}
	return os.WriteFile(a.File(bucket, key), b.Bytes(), 0o644)
}

func (a *archive) remove(t testing.TB, key string) error {
	t.Helper()
	return exec.Command("rm", a.File(bucket, key)).Run()
}

// fill writes so many MB of rows, which compress about as much as what people write does: by half.
func fill(t testing.TB, a *archive, mb int) {
	t.Helper()
	parts := func(hash string) string {
		var list []string
		for i := range 30 {
			list = append(list, fmt.Sprintf(hash, i*7+1))
		}
		return strings.Join(list, ", ")
	}
	a.s.root(t, a.name(), "CREATE TABLE bulk (id INTEGER PRIMARY KEY, body TEXT)")
	if a.s.postgres() {
		a.s.root(t, a.name(), fmt.Sprintf("INSERT INTO bulk SELECT i, concat(%s) FROM generate_series(1, %d) i", parts("md5((i::bigint*%d)::text)"), mb*1000))
		return
	}
	rows, deep, hash := fmt.Sprintf("seq_1_to_%d", mb*1000), "", "MD5(seq*%d)"
	if a.s.client() == "mysql" {
		rows = fmt.Sprintf("(WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < %d) SELECT seq FROM n) AS n", mb*1000)
		deep, hash = "SET SESSION cte_max_recursion_depth = 10000000; ", "LEFT(SHA2(seq*%d, 256), 32)"
	}
	a.s.root(t, a.name(), fmt.Sprintf("%sINSERT INTO bulk SELECT seq, CONCAT(%s) FROM %s", deep, parts(hash), rows))
}

// whole checks a backup that is shown as good: its object exists with its size, and proves.
func (a *archive) whole(t testing.TB, o objects) {
	t.Helper()
	keys := a.Keys(t, bucket)
	for _, object := range o.Data.Meta.Backup.Objects {
		if object.Status == "stored" && !slices.Contains(keys, object.Key) {
			t.Errorf("%s is shown as stored and is not in the bucket", object.Key)
		}
	}
	answer := a.p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/proofs", nil)
	if state, said := a.event(t, answer); state != "succeeded" {
		t.Errorf("a backup that is shown as good does not restore: %s %s", state, said)
	}
}
