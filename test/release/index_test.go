package release

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"aead.dev/minisign"

	"github.com/hostlerhq/hostler/internal/engine/update"
)

// What a release consists of is what hostler update reads: the index and its signature, made by the release's own tools.
func TestIndexIsRead(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	dist := t.TempDir()
	name := "hostler-" + runtime.GOOS + "-" + runtime.GOARCH
	write := func(name string, content []byte) string {
		path := filepath.Join(dist, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program := write(name, []byte("a program"))
	path := write("index.json", []byte(run(t, nil, "python3", root+"/scripts/index.py", "v1.2.3", program, write(name+".cdx.json", nil))))
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := private.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	run(t, []string{"GOFLAGS=-mod=mod"}, "go", "run", "aead.dev/minisign/cmd/minisign@v0.3.0", "-S", "-s", write("secret.key", secret), "-m", path,
		"-t", "hostler v1.2.3", "-x", path+".minisig")
	server := httptest.NewServer(http.FileServer(http.Dir(dist)))
	defer server.Close()
	source := update.Source{URL: server.URL + "/index.json", Key: public.String(), Version: "v1.2.2"}
	index, newer, err := source.Newest(t.Context())
	if err != nil || !newer || index.Version != "v1.2.3" || len(index.Programs) != 1 {
		t.Fatalf("the index is %+v, newer %t, %v", index, newer, err)
	}
	file, err := index.Program()
	if err != nil {
		t.Fatal(err)
	}
	got, err := source.Download(t.Context(), file, filepath.Join(t.TempDir(), "hostler"))
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(got); err != nil || string(raw) != "a program" {
		t.Errorf("the program is %q, %v", raw, err)
	}
	write(name, []byte("another one"))
	if _, err := source.Download(t.Context(), file, filepath.Join(t.TempDir(), "hostler")); !errors.Is(err, update.ErrChecksum) {
		t.Errorf("a program that was changed: %v", err)
	}
}
