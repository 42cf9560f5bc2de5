package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/storage"
	"github.com/hostlerhq/hostler/test/s3"
)

// liar replaces the storage of a bench by one that can lie, and starts a backup.
func (b *bench) liar() (*s3.Liar, query.Backup, query.Operation) {
	b.t.Helper()
	l := s3.StartLiar(b.t)
	b.r.Store.Storage.Guard = outbound.Guard{AllowPrivate: true}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		place := secret.Place{Table: "storage_providers", Row: fmt.Sprint(b.conf.StorageProviderID), Column: "secret"}
		sealed, err := b.r.Store.Box.Seal(place, []byte(`{"access_key":"a","secret_key":"s"}`))
		if err != nil {
			return err
		}
		_, err = tx.UpdateStorageProvider(ctx, query.UpdateStorageProviderParams{
			ID: b.conf.StorageProviderID, Name: "s", Provider: storage.Custom, Bucket: new("archive"), Endpoint: &l.URL, Secret: sealed, UpdatedAt: 1,
		})
		return err
	})
	b.tick()
	row := b.backups()[0]
	op, err := b.r.Store.DB.Read().Ungranted().GetOperation(b.t.Context(), *row.OperationID)
	if err != nil {
		b.t.Fatal(err)
	}
	return l, row, op
}

// object returns an encrypted object for the owner of a key.
func (b *bench) object(recipient string) (content []byte, sum string) {
	b.t.Helper()
	var out bytes.Buffer
	p, err := archive.NewPacker(&out, recipient)
	if err == nil {
		_, err = io.WriteString(p, "a dump")
	}
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return out.Bytes(), p.Sum()
}

// sends plays the host of a backup: it sends an object, and reports that.
func (b *bench) sends(row query.Backup, op query.Operation) (content []byte) {
	b.t.Helper()
	if err := b.r.prepare(b.t.Context(), op, row, nil); err != nil {
		b.t.Fatal(err)
	}
	key, err := b.r.Store.DB.Read().Ungranted().GetBackupKey(b.t.Context(), row.KeyID)
	if err != nil {
		b.t.Fatal(err)
	}
	content, sum := b.object(key.Recipient)
	item := b.items(row)[0]
	bucket, err := b.r.Store.open(b.t.Context(), b.conf, row)
	if err != nil {
		b.t.Fatal(err)
	}
	to, err := bucket.SignPart(b.t.Context(), item.Object, *item.UploadID, storage.Part{Number: 1, Size: item.PartSize}, signedFor)
	if err != nil {
		b.t.Fatal(err)
	}
	up := archive.NewUploader(b.t.Context(), archive.NewClient(), []string{to}, archive.MinPart, &archive.Buffers{})
	_, _ = up.Write(content)
	parts, err := up.Close()
	if err != nil {
		b.t.Fatal(err)
	}
	report, err := json.Marshal([]wire.ItemReport{{
		ID: item.ID, Size: int64(len(content)), Checksum: sum,
		Parts: []wire.ReportPart{{Number: 1, ETag: parts[0].ETag, Size: parts[0].Size}},
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		return b.r.Aspect().Heard(ctx, tx, op, wire.Result{Report: map[string]string{wire.ReportKey: string(report)}})
	})
	return content
}

func (b *bench) now(id int64) query.Backup {
	b.t.Helper()
	row, err := b.r.Store.DB.Read().Ungranted().GetBackupByID(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}

// A backup counts as stored only if the storage has what was sent: it does not if it forgets, changes, hides or shrinks the object.
func TestStorageForgetsWhatItConfirmed(t *testing.T) {
	t.Parallel()
	isObject := func(req *http.Request, method string) bool {
		return req.Method == method && strings.HasSuffix(req.URL.Path, ".age") && req.URL.RawQuery == ""
	}
	page := func(format string, args ...any) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, req *http.Request) bool {
			if req.URL.Query().Has("list-type") {
				_, _ = fmt.Fprintf(w, "<ListBucketResult>"+format+"</ListBucketResult>", args...)
				return true
			}
			return false
		}
	}
	completed := func(body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPost {
				return false
			}
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	for name, c := range map[string]struct {
		lie  func(object string, size int) func(http.ResponseWriter, *http.Request) bool
		says string
	}{
		"honest": {func(string, int) func(http.ResponseWriter, *http.Request) bool { return nil }, ""},
		"completes nothing": {func(object string, _ int) func(http.ResponseWriter, *http.Request) bool {
			return completed("<CompleteMultipartUploadResult><Bucket>archive</Bucket><Key>" + object + "</Key></CompleteMultipartUploadResult>")
		}, "no longer in the storage"},
		"completes with an error, 200": {func(string, int) func(http.ResponseWriter, *http.Request) bool {
			return completed("<Error><Code>InvalidPart</Code></Error>")
		}, "InvalidPart"},
		"lists nothing": {func(string, int) func(http.ResponseWriter, *http.Request) bool { return page("") }, "does not list"},
		"lists it smaller": {func(object string, size int) func(http.ResponseWriter, *http.Request) bool {
			return page("<Contents><Key>%s</Key><Size>%d</Size></Contents>", object, size-1)
		}, "does not list"},
		"lists it negative": {func(object string, size int) func(http.ResponseWriter, *http.Request) bool {
			return page("<Contents><Key>%s</Key><Size>%d</Size></Contents>", object, -size)
		}, "does not list"},
		"lists it elsewhere": {func(object string, size int) func(http.ResponseWriter, *http.Request) bool {
			return page("<Contents><Key>other/%s</Key><Size>%d</Size></Contents>", object, size)
		}, "other directories"},
		"says another size": {func(string, int) func(http.ResponseWriter, *http.Request) bool {
			return func(w http.ResponseWriter, req *http.Request) bool {
				if !isObject(req, http.MethodHead) {
					return false
				}
				w.Header().Set("Content-Length", "7")
				w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
				return true
			}
		}, "7 bytes"},
		"has another beginning": {func(string, int) func(http.ResponseWriter, *http.Request) bool {
			return func(w http.ResponseWriter, req *http.Request) bool {
				if !isObject(req, http.MethodGet) {
					return false
				}
				w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
				_, _ = io.WriteString(w, strings.Repeat("age-encryption.org/v1 ", 1000))
				return true
			}
		}, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 5)
			l, row, op := b.liar()
			content := b.sends(row, op)
			l.Lie = c.lie(b.items(row)[0].Object, len(content))
			err := b.r.finish(t.Context(), op, row)
			if now := b.now(row.ID); (now.Status == StatusFinished) != (c.says == "") {
				t.Errorf("the backup is %s, %v", now.Status, err)
			}
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("the reason is %v, want %q", err, c.says)
			}
		})
	}
}

// Before a host restores anything, an object that is not the one that was stored is refused, though it opens with the same key.
func TestStorageReplaysOthersBackups(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	l, row, op := b.liar()
	content := b.sends(row, op)
	if err := b.r.finish(t.Context(), op, row); err != nil {
		t.Fatal(err)
	}
	row = b.now(row.ID)
	item := b.items(row)[0]
	if err := b.r.opens(t.Context(), op, row, item); err != nil {
		t.Fatalf("the right one: %v", err)
	}
	key, err := b.r.Store.DB.Read().Ungranted().GetBackupKey(t.Context(), row.KeyID)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	replayed, _ := b.object(key.Recipient)
	foreign, _ := b.object(stranger.Recipient().String())
	same := func(c []byte) []byte { // with the size of the right one
		return append(bytes.Clone(c), make([]byte, max(0, len(content)-len(c)))...)[:len(content)]
	}
	tagged := bytes.Clone(content)
	if at := bytes.Index(tagged, []byte("\n--- ")) + 6; tagged[at] == 'A' {
		tagged[at] = 'B'
	} else {
		tagged[at] = 'A'
	}
	for name, c := range map[string]struct {
		object []byte
		says   string
	}{
		"of another configuration":        {same(replayed), "another one"},
		"of another organization":         {same(foreign), "can't be decrypted"},
		"shorter":                         {content[:len(content)-1], "bytes"},
		"longer":                          {append(bytes.Clone(content), 'x'), "bytes"},
		"empty":                           {[]byte{}, "bytes"},
		"zeros":                           {make([]byte, len(content)), "damaged"},
		"the manifest":                    {same([]byte(`{"version": 1}`)), "damaged"},
		"a recipient without an end":      {same([]byte("age-encryption.org/v1\n-> X25519 " + strings.Repeat("A", 5000))), "damaged"},
		"another version of the format":   {same(bytes.Replace(content, []byte("/v1"), []byte("/v2"), 1)), "damaged"},
		"with another authentication tag": {tagged, "decrypted"},
	} {
		l.Put(item.Object, c.object)
		var end *job.StageError
		if err := b.r.opens(t.Context(), op, row, item); !errors.As(err, &end) || !strings.Contains(end.Reason, c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// A backup that its storage does not delete is not shown as deleted, and what a storage lists of others is not deleted with it.
func TestStorageKeepsWhatItDeletes(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	l, row, op := b.liar()
	b.sends(row, op)
	if err := b.r.finish(t.Context(), op, row); err != nil {
		t.Fatal(err)
	}
	object := b.items(row)[0].Object
	l.Put("theirs/1", []byte("theirs"))
	l.Put(row.Base+"../theirs", []byte("theirs"))
	for name, status := range map[string]int{"204": 204, "200": 200, "404": 404} {
		l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method == http.MethodDelete {
				w.WriteHeader(status)
			}
			return req.Method == http.MethodDelete
		}
		if err := b.r.remove(t.Context(), op, row); err == nil || status != 200 && !strings.Contains(err.Error(), "still lists") {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.Lie = func(w http.ResponseWriter, req *http.Request) bool { // a storage that ignores the prefix
		if !req.URL.Query().Has("list-type") {
			return false
		}
		_, _ = fmt.Fprintf(w,
			"<ListBucketResult><Contents><Key>theirs/1</Key><Size>6</Size></Contents><Contents><Key>%s</Key><Size>1</Size></Contents></ListBucketResult>", object)
		return true
	}
	if err := b.r.remove(t.Context(), op, row); err == nil {
		t.Error("it is deleted without a list of it")
	}
	l.Lie = nil
	if err := b.r.remove(t.Context(), op, row); err != nil {
		t.Error(err)
	}
	for _, key := range []string{"theirs/1", row.Base + "../theirs"} {
		if _, ok := l.Object(key); !ok {
			t.Errorf("%s was deleted as well", key)
		}
	}
	if _, ok := l.Object(object); ok {
		t.Error("the object is still there")
	}
}
