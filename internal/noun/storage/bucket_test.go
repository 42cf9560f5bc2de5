package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/test/s3"
)

func mustOpen(t *testing.T, s *s3.Server, k Keys, bucket string, guard outbound.Guard) *Bucket {
	t.Helper()
	endpoint := s.URL("127.0.0.1")
	b, err := (&Store{Guard: guard}).bucket(query.StorageProvider{Provider: Custom, Endpoint: &endpoint}, k, bucket)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var good = Keys{AccessKey: s3.AccessKey, SecretKey: s3.SecretKey}

func TestProbe(t *testing.T) {
	t.Parallel()
	s := s3.Start(t, "archive")
	ctx, allowed := context.Background(), outbound.Guard{AllowPrivate: true}
	if err := mustOpen(t, s, good, "archive", allowed).Probe(ctx, "some/where"); err != nil {
		t.Errorf("a good storage was refused: %v", err)
	}
	if left := s.Keys(t, "archive"); len(left) > 0 {
		t.Errorf("the probe left %v", left)
	}
	for name, c := range map[string]struct {
		bucket *Bucket
		says   string
	}{
		"access key": {mustOpen(t, s, Keys{AccessKey: "nobody", SecretKey: s3.SecretKey}, "archive", allowed), "access key"},
		"secret key": {mustOpen(t, s, Keys{AccessKey: s3.AccessKey, SecretKey: "wrong"}, "archive", allowed), "secret key"},
		"bucket":     {mustOpen(t, s, good, "another", allowed), "no bucket"},
		"guard":      {mustOpen(t, s, good, "archive", outbound.Guard{}), "private"},
	} {
		var p *Problem
		if err := c.bucket.Probe(ctx, ""); !errors.As(err, &p) || !strings.Contains(p.Reason, c.says) || !p.Lasting {
			t.Errorf("wrong %s: %v, want a lasting problem that says %q", name, err, c.says)
		}
	}
	s.Kill()
	var p *Problem
	if err := mustOpen(t, s, good, "archive", allowed).Probe(ctx, ""); !errors.As(err, &p) || p.Lasting {
		t.Errorf("a storage that is away: %v, want a problem that may pass", err)
	}
}

// What a host packs and sends to signed addresses becomes an object that unpacks again; a flipped byte, another key and a cut object do not.
func TestStreamThroughParts(t *testing.T) {
	t.Parallel()
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		s := s3.Start(t, "archive")
		streamThroughParts(t, mustOpen(t, s, good, "archive", outbound.Guard{AllowPrivate: true}),
			func(key string, at int64) error { return s.Flip("archive", key, at) })
	})
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		d := newDiskBed(t)
		streamThroughParts(t, d.bucket, flipBelow(filepath.Join(d.dir, "org-1", "archive")))
	})
	t.Run("sftp", func(t *testing.T) {
		t.Parallel()
		s := startSFTP(t)
		streamThroughParts(t, s.bed(t).bucket, flipBelow(filepath.Join(s.dir, "archive")))
	})
}

// flipBelow damages objects that are files below a directory.
func flipBelow(dir string) func(key string, at int64) error {
	return func(key string, at int64) error { return s3.FlipFile(filepath.Join(dir, key), at) }
}

func streamThroughParts(t *testing.T, b *Bucket, flip func(key string, at int64) error) {
	t.Helper()
	ctx := context.Background()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	const key, partSize = "x/1/db.sql.zst.age", 5 << 20
	upload, err := b.Begin(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for n := range 4 {
		u, err := b.SignPart(ctx, key, upload, Part{Number: n + 1, Size: partSize}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, u)
	}
	content := make([]byte, 12<<20)
	_, _ = rand.Read(content)
	up := archive.NewUploader(ctx, archive.NewClient(), urls, partSize, &archive.Buffers{})
	packer, err := archive.NewPacker(up, identity.Recipient().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(packer, bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	sent, err := up.Close()
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]Part, len(sent))
	for _, p := range sent {
		parts[p.Number-1] = Part(p)
	}
	if len(parts) != 3 {
		t.Fatalf("%d parts were sent, want 3", len(parts))
	}
	if _, err := b.Stat(ctx, key); !errors.Is(err, ErrNoObject) {
		t.Errorf("before it is completed the object is there: %v", err)
	}
	if err := b.Complete(ctx, key, upload, parts); err != nil {
		t.Fatal(err)
	}
	object, err := b.Stat(ctx, key)
	if err != nil || object.Size != packer.Size() {
		t.Fatalf("the object is %+v, %v; %d bytes were sent", object, err, packer.Size())
	}
	raw, err := b.Get(ctx, key, 4096)
	if err != nil {
		t.Fatal(err)
	}
	header, err := age.ExtractHeader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	fileKey, err := age.DecryptHeader(header, identity)
	if err != nil {
		t.Fatal(err)
	}
	unpack := func(fileKey []byte, size int64) ([]byte, error) {
		from, err := b.SignGet(ctx, key, time.Hour, "db.sql")
		if err != nil {
			t.Fatal(err)
		}
		r := archive.Open(ctx, archive.NewClient(), from)
		defer func() { _ = r.Close() }()
		var out bytes.Buffer
		err = archive.Unpack(&out, r, fileKey, size, packer.Sum())
		return out.Bytes(), err
	}
	if got, err := unpack(fileKey, object.Size); err != nil || !bytes.Equal(got, content) {
		t.Errorf("unpacked %d bytes of %d: %v", len(got), len(content), err)
	}
	if _, err := unpack(bytes.Repeat([]byte{1}, len(fileKey)), object.Size); !errors.Is(err, archive.ErrKey) {
		t.Errorf("with another key: %v", err)
	}
	if _, err := unpack(fileKey, object.Size-1); !errors.Is(err, archive.ErrSize) {
		t.Errorf("with another size: %v", err)
	}
	if err := flip(key, object.Size/2); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(fileKey, object.Size); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("with a flipped byte: %v", err)
	}
	if err := b.Remove(ctx, key); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(fileKey, object.Size); !errors.Is(err, archive.ErrGone) {
		t.Errorf("without the object: %v", err)
	}
}

// Unfinished uploads are found and discarded by their prefix, even with unknown ids; others stay.
func TestAbortAll(t *testing.T) {
	t.Parallel()
	s := s3.Start(t, "archive")
	ctx := context.Background()
	b := mustOpen(t, s, good, "archive", outbound.Guard{AllowPrivate: true})
	for _, key := range []string{"a/1/x", "a/1/y", "a/10/x"} {
		upload, err := b.Begin(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		address, err := b.SignPart(ctx, key, upload, Part{Number: 1, Size: 5 << 20}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		req, _ := http.NewRequestWithContext(ctx, http.MethodPut, address, strings.NewReader("part"))
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("send a part: %v %v", resp, err)
		}
		_ = resp.Body.Close()
	}
	if err := b.AbortAll(ctx, "a/1/"); err != nil {
		t.Fatal(err)
	}
	if left := s.Keys(t, "archive"); len(left) != 1 || left[0] != "upload a/10/x" {
		t.Errorf("left are %v, want the upload of a/10/x", left)
	}
}

// Pages of providers show endpoints with the bucket. Dokploy/dokploy#1263, vaersaagod/dospaces#16, nicotsx/zerobyte#496.
func TestEndpointsWithTheBucket(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ endpoint, bucket, want string }{
		{"https://abc.r2.cloudflarestorage.com/shop", "shop", "https://abc.r2.cloudflarestorage.com"},
		{"https://abc.eu.r2.cloudflarestorage.com/shop/", "shop", "https://abc.eu.r2.cloudflarestorage.com"},
		{"https://shop.nyc3.digitaloceanspaces.com", "shop", "https://nyc3.digitaloceanspaces.com"},
		{"https://shop.s3.amazonaws.com", "shop", "https://s3.amazonaws.com"},
		{"https://minio.example.com", "minio", "https://minio.example.com"},
		{"https://s3.example.com/", "shop", "https://s3.example.com/"},
		{"https://s3.example.com/other", "shop", "https://s3.example.com/other"},
		{"https://abc.r2.cloudflarestorage.com/shop", "", "https://abc.r2.cloudflarestorage.com/shop"},
		{"file:///", "shop", "file:///"},
		{"sftp://backup.example.com/shop", "shop", "sftp://backup.example.com/shop"},
	} {
		if got := withoutBucket(c.endpoint, c.bucket); got != c.want {
			t.Errorf("%s, %s: %s, not %s", c.endpoint, c.bucket, got, c.want)
		}
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"s3.example.com", "ftp://s3.example.com", "https://user:pw@s3.example.com",
		"https://s3.example.com/path", "https://s3.example.com?x=1", "http://", "https://a b",
		"https://s3.example.com\r\nHost: evil", "gopher://127.0.0.1", "file:///etc/passwd", "http://0x7f.1", "http://2130706433", "https://-x.example.com",
		"sftp://", "sftp:///srv", "sftp://anna@box.example.com", "sftp://anna:pw@box.example.com", "sftp://box.example.com/a/../b",
		"sftp://box.example.com/a//b", "sftp://box.example.com/a%00b", "sftp://box.example.com?x=1",
		"sftp://-oProxyCommand=x/",
	} {
		if u, err := parseEndpoint(bad); err == nil {
			t.Errorf("%q was taken as %s", bad, u)
		}
	}
	for row, want := range map[*query.StorageProvider]string{
		{Provider: S3, Region: new("eu-central-1")}:                             "https://s3.eu-central-1.amazonaws.com",
		{Provider: S3, Region: new("cn-north-1")}:                               "https://s3.cn-north-1.amazonaws.com.cn",
		{Provider: Spaces, Region: new("fra1")}:                                 "https://fra1.digitaloceanspaces.com",
		{Provider: Hetzner, Region: new("fsn1")}:                                "https://fsn1.your-objectstorage.com",
		{Provider: OVH, Region: new("gra")}:                                     "https://s3.gra.io.cloud.ovh.net",
		{Provider: Scaleway, Region: new("fr-par")}:                             "https://s3.fr-par.scw.cloud",
		{Provider: Custom, Endpoint: new("http://10.0.0.5:9000/")}:              "http://10.0.0.5:9000",
		{Provider: Custom, Endpoint: new("sftp://box.example.com:2222/srv/b/")}: "sftp://box.example.com:2222/srv/b",
	} {
		if u, err := Endpoint(*row); err != nil || u.String() != want {
			t.Errorf("%s: %v %v, want %s", row.Provider, u, err, want)
		}
	}
}

func TestCleanDirectory(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "/": "", "/a/b/": "a/b", " x ": "x", "ä/ö": "ä/ö"} {
		if got, err := CleanDirectory(in); err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", in, got, err, want)
		}
	}
	for _, bad := range []string{"../x", "a/../b", "a//b", "a/./b", "a\nb", "a\x00b", `a\b`, strings.Repeat("x", 500)} {
		if got, err := CleanDirectory(bad); err == nil {
			t.Errorf("%q was taken as %q", bad, got)
		}
	}
}

// An endpoint of S3 that answers without end, in one answer or in pages, occupies neither the memory nor a job.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	page := strings.Repeat(`<Contents><Key>a/x</Key><Size>1</Size></Contents>`, 1000) + `</ListBucketResult>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Has("list-type") {
			n, _ := fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken>%s", sent.Load(), page)
			sent.Add(int64(n))
			return
		}
		for text := "<ListAllMyBucketsResult><Buckets>"; req.Context().Err() == nil; text = strings.Repeat("<Bucket><Name>abc</Name></Bucket>", 1000) {
			n, err := io.WriteString(w, text)
			if err != nil {
				return
			}
			sent.Add(int64(n))
		}
	}))
	t.Cleanup(server.Close)
	b, err := (&Store{Guard: outbound.Guard{AllowPrivate: true}}).bucket(query.StorageProvider{Provider: Custom, Endpoint: &server.URL}, good, "archive")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Ask(t.Context()); err == nil {
		t.Error("the answer to a question for buckets never ends, and was read")
	}
	if n := sent.Swap(0); n > 16*maxAnswer {
		t.Errorf("%d bytes were read of one answer", n)
	}
	var p *Problem
	if _, err := b.List(t.Context(), "a/"); !errors.As(err, &p) || !strings.Contains(p.Reason, "more files") {
		t.Errorf("pages without end: %v", err)
	}
	if n := sent.Load(); n > 2*maxListed*int64(len(page))/1000 {
		t.Errorf("%d bytes of pages were read", n)
	}
}

// A bucket as other programs name it is refused with the bucket and the directory that are meant.
func TestBucketsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"s3://backups/prod/db/": "the bucket is backups alone, and the directory prod/db has a field of its own",
		"backups/prod":          "the bucket is backups alone, and the directory prod has a field of its own",
		"arn:aws:s3:::backups":  "write backups",
		"s3://backups/":         "write backups",
		"Backups":               "lower-case",
	} {
		if err := CheckBucket(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if err := CheckBucket("backups.prod-1"); err != nil {
		t.Error(err)
	}
}
