// Package s3 gives tests a real S3 server: versitygw over a directory.
package s3

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/hostlerhq/hostler/test/port"
)

// module is the server's; the version is one that the module proxy serves.
const module = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

// The keys that the server takes.
const (
	AccessKey = "hostlertest"
	SecretKey = "secret-of-the-test-0123456789"
)

// Server is a running server with its objects as files below Dir.
type Server struct {
	Dir  string
	Port int
	bin  string
	log  *os.File
	cmd  *exec.Cmd
}

// Program finds the server or builds it once, into the user's cache.
func Program(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("versitygw"); err == nil {
		return path
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "hostler-tests")
	path := filepath.Join(dir, "versitygw")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	cmd := exec.Command("go", "install", module)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the S3 server can't be built: %v\n%s", err, out)
	}
	return path
}

// Start runs a server with a bucket of this name until the test ends.
func Start(t testing.TB, bucket string) *Server {
	t.Helper()
	s := &Server{bin: Program(t), Port: port.For(t)}
	var err error
	if s.Dir, err = os.MkdirTemp("", "hostler-s3-"); err != nil {
		t.Fatal(err)
	}
	if s.log, err = os.Create(filepath.Join(s.Dir, "log")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.data(), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Kill()
		_ = s.log.Close()
		_ = os.RemoveAll(s.Dir)
	})
	s.Up(t)
	if err := s.Client(t).MakeBucket(context.Background(), bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatalf("make bucket: %v", err)
	}
	return s
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// Up runs the server, on the same port again after a Kill.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.bin, "--port", "0.0.0.0:"+strconv.Itoa(s.Port), "--access", AccessKey, "--secret", SecretKey,
		"posix", "--sidecar", s.sidecar(t), s.data())
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(s.URL("127.0.0.1"))
		if err == nil {
			_ = resp.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			raw, _ := os.ReadFile(s.log.Name())
			t.Fatalf("the S3 server does not answer: %v\n%s", err, raw)
		}
	}
}

// sidecar returns where S3's metadata of an object is stored: not every file system has attributes.
func (s *Server) sidecar(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(s.Dir, "meta")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Kill ends the server as kill -9 does.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// URL returns the endpoint, as one at this address calls it.
func (s *Server) URL(address string) string {
	return "http://" + net.JoinHostPort(address, strconv.Itoa(s.Port))
}

// Client speaks to the server.
func (s *Server) Client(t testing.TB) *minio.Client {
	t.Helper()
	c, err := minio.New(strings.TrimPrefix(s.URL("127.0.0.1"), "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Keys returns the objects of a bucket, and its unfinished uploads as "upload KEY".
func (s *Server) Keys(t testing.TB, bucket string) []string {
	t.Helper()
	var out []string
	c := s.Client(t)
	for o := range c.ListObjects(context.Background(), bucket, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		out = append(out, o.Key)
	}
	for u := range c.ListIncompleteUploads(context.Background(), bucket, "", true) {
		if u.Err != nil {
			t.Fatal(u.Err)
		}
		out = append(out, "upload "+u.Key)
	}
	return out
}

// Parts returns how many parts the unfinished uploads of a bucket have.
func (s *Server) Parts(t testing.TB, bucket string) (n int) {
	t.Helper()
	c := s.Client(t)
	for u := range c.ListIncompleteUploads(context.Background(), bucket, "", true) {
		if u.Err != nil {
			t.Fatal(u.Err)
		}
		parts, err := (&minio.Core{Client: c}).ListObjectParts(context.Background(), bucket, u.Key, u.UploadID, 0, 1000)
		if err != nil { // it was completed meanwhile
			continue
		}
		n += len(parts.ObjectParts)
	}
	return n
}

// File returns the file of an object, to look at and to spoil.
func (s *Server) File(bucket, key string) string { return filepath.Join(s.data(), bucket, key) }

// Flip changes one byte of an object.
func (s *Server) Flip(bucket, key string, at int64) error {
	return FlipFile(s.File(bucket, key), at)
}

// FlipFile changes one byte of a file.
func FlipFile(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	if err == nil {
		b[0] ^= 0x40
		_, err = f.WriteAt(b, at)
	}
	return errors.Join(err, f.Close())
}

// Provider returns the body that connects the server, for the API.
func (s *Server) Provider(address, bucket, directory string) map[string]any {
	return map[string]any{
		"name": "test storage", "provider": "custom", "endpoint": s.URL(address), "bucket": bucket, "directory": directory,
		"access_key": AccessKey, "secret_key": SecretKey,
	}
}
