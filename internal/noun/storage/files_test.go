package storage

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// bed is a bucket in files, with the relay that hosts reach it through.
type bed struct {
	dir    string
	clock  *handSet
	store  *Store
	row    query.StorageProvider
	bucket *Bucket
}

// handSet is a clock that is set manually.
type handSet struct{ now time.Time }

// Now returns what it was set to.
func (m *handSet) Now() time.Time { return m.now }

func newDiskBed(t *testing.T) *bed {
	t.Helper()
	d := newBed(t, diskEndpoint, Keys{}, nil)
	d.dir = t.TempDir()
	d.store.Disk = d.dir
	return d
}

// newBed returns one of a custom provider.
func newBed(t *testing.T, endpoint string, k Keys, hostKey *string) *bed {
	t.Helper()
	d := &bed{clock: &handSet{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	base, err := dbtest.Open(t.Context(), db.Config{Dir: t.TempDir(), Clock: d.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = base.Close() })
	box := secrettest.Box(t)
	d.store = &Store{DB: base, Box: box, Guard: outbound.Guard{AllowPrivate: true}}
	relay := httptest.NewServer(&Relay{Store: d.store, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(relay.Close)
	d.store.URL = func(path string) string { return relay.URL + path }
	err = base.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "main", "main", 1, 1)
		if err != nil {
			return err
		}
		d.row, err = tx.InsertStorageProvider(ctx, query.InsertStorageProviderParams{
			OrganizationID: org.ID, Name: "files", Provider: Custom, Endpoint: &endpoint, Secret: []byte{}, HostKey: hostKey,
			CreatedAt: 1,
		})
		if err != nil {
			return err
		}
		plain, err := json.Marshal(k)
		if err != nil {
			return err
		}
		sealed, err := box.Seal(sealedAt(d.row.ID), plain)
		if err != nil {
			return err
		}
		d.row, err = tx.UpdateStorageProvider(ctx, query.UpdateStorageProviderParams{
			ID: d.row.ID, Name: "files", Provider: Custom, Endpoint: &endpoint, Secret: sealed, HostKey: hostKey, UpdatedAt: 1,
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.bucket, err = d.store.Open(d.row, "archive"); err != nil {
		t.Fatal(err)
	}
	return d
}

// All operations on a bucket work on a disk too.
func TestDisk(t *testing.T) {
	t.Parallel()
	newDiskBed(t).keeps(t)
}

// keeps exercises all operations on a bucket.
func (d *bed) keeps(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	if err := d.bucket.Probe(ctx, "some/where"); err != nil {
		t.Errorf("the probe: %v", err)
	}
	if err := d.bucket.Ask(ctx); err != nil {
		t.Errorf("asked: %v", err)
	}
	if left, err := d.bucket.List(ctx, "some/"); err != nil || len(left) > 0 {
		t.Errorf("the probe left %v %v", left, err)
	}
	var addresses []string
	for _, key := range []string{"a/1/x", "a/1/y", "a/10/x"} {
		upload, err := d.bucket.Begin(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		address, err := d.bucket.SignPart(ctx, key, upload, Part{Number: 1, Size: 5 << 20}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if code, _ := ask(t, http.MethodPut, address, "part"); code != http.StatusOK {
			t.Fatalf("a part is answered %d", code)
		}
		addresses = append(addresses, address)
	}
	if err := d.bucket.AbortAll(ctx, "a/1/"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusOK} {
		if code, _ := ask(t, http.MethodPut, addresses[i], "part"); code != want {
			t.Errorf("upload %d is answered %d after some were dropped, want %d", i, code, want)
		}
	}
	if list, err := d.bucket.List(ctx, "a/"); err != nil || len(list) != 0 {
		t.Errorf("unfinished uploads are listed: %v %v", list, err)
	}
	if err := d.bucket.Put(ctx, "b/manifest.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if list, err := d.bucket.List(ctx, "b/"); err != nil || len(list) != 1 || list[0] != (Object{"b/manifest.json", 2}) {
		t.Errorf("listed are %v %v", list, err)
	}
	for range 2 {
		if err := d.bucket.Remove(ctx, "b/manifest.json"); err != nil {
			t.Error(err)
		}
	}
	if _, err := d.bucket.Stat(ctx, "b/manifest.json"); !errors.Is(err, ErrNoObject) {
		t.Errorf("after it was removed: %v", err)
	}
}

// An address allows what it was made for, for as long as it was made for, and nothing else; names lead nowhere else.
func TestRelayRefuses(t *testing.T) {
	t.Parallel()
	d := newDiskBed(t)
	ctx := t.Context()
	upload, err := d.bucket.Begin(ctx, "a/x")
	if err != nil {
		t.Fatal(err)
	}
	part, err := d.bucket.SignPart(ctx, "a/x", upload, Part{Number: 1, Size: 10}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.bucket.Put(ctx, "a/y", []byte("content")); err != nil {
		t.Fatal(err)
	}
	read, err := d.bucket.SignGet(ctx, "a/y", time.Hour, `x".sql`)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		method, address, body string
		want                  int
	}{
		"a part that is read":      {http.MethodGet, part, "", http.StatusMethodNotAllowed},
		"an object that is put":    {http.MethodPut, read, "x", http.StatusMethodNotAllowed},
		"an object that is posted": {http.MethodPost, read, "x", http.StatusMethodNotAllowed},
		"another address":          {http.MethodGet, read[:len(read)-3] + "AAA", "", http.StatusForbidden},
		"no address":               {http.MethodGet, d.store.URL(RelayPath), "", http.StatusForbidden},
		"a part that is too large": {http.MethodPut, part, strings.Repeat("x", 11), http.StatusForbidden},
	} {
		if code, _ := ask(t, c.method, c.address, c.body); code != c.want {
			t.Errorf("%s: %d, want %d", name, code, c.want)
		}
	}
	if code, body := ask(t, http.MethodGet, read, ""); code != http.StatusOK || body != "content" {
		t.Errorf("read: %d %q", code, body)
	}
	for _, key := range []string{"../x", "a/../../x", "/etc/passwd", "a//b", "", ".", "a/./b"} {
		if _, err := d.bucket.Get(ctx, key, 10); err == nil {
			t.Errorf("%q was read", key)
		}
		if err := d.bucket.Put(ctx, key, []byte("x")); err == nil {
			t.Errorf("%q was written", key)
		}
		if _, err := d.bucket.SignGet(ctx, key, time.Hour, ""); err == nil {
			t.Errorf("%q has an address", key)
		}
	}
	// A link out of the directory is not followed, and no other organization's directory is reached.
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(d.dir, "org-1", "archive", "a", "link")); err != nil {
		t.Fatal(err)
	}
	if raw, err := d.bucket.Get(ctx, "a/link", 10); err == nil {
		t.Errorf("a link was followed: %q", raw)
	}
	d.clock.now = d.clock.now.Add(2 * time.Hour)
	for _, address := range []string{part, read} {
		if code, _ := ask(t, http.MethodGet, address, ""); code != http.StatusForbidden {
			t.Errorf("after its time: %d", code)
		}
	}
	// Without the flag there is no disk.
	d.store.Disk = ""
	var p *Problem
	if err := d.bucket.Probe(ctx, ""); !errors.As(err, &p) || !p.Lasting {
		t.Errorf("without --local-storage: %v", err)
	}
}

func ask(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// An object that could not be stored leaves nothing behind.
func TestFailedStoreLeavesNothing(t *testing.T) {
	t.Parallel()
	d := newDiskBed(t)
	ctx, cancel := context.WithCancel(t.Context())
	broken := io.MultiReader(strings.NewReader("half"), readFunc(func([]byte) (int, error) {
		cancel()
		return 0, io.ErrUnexpectedEOF
	}))
	if err := d.bucket.Store(ctx, "a/x", broken, 8); err == nil {
		t.Fatal("half of an object was stored")
	}
	left, err := filepath.Glob(filepath.Join(d.dir, "org-1", "archive", "a", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
