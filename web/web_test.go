package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func ask(t *testing.T, method, path string, header ...string) *http.Response {
	t.Helper()
	req := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, req)
	return w.Result()
}

func built() bool {
	_, err := fs.Stat(dist, "dist/index.html")
	return err == nil
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/sign-in", "/orgs/acme/servers/7/events/9", "/account/tokens", "/invitation"} {
		resp := ask(t, http.MethodGet, path)
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("%s: %s", path, resp.Status)
		}
		if !built() {
			if !strings.Contains(string(body), "make build") {
				t.Errorf("%s does not say what to do: %s", path, body)
			}
			continue
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		if strings.Contains(string(body), "<style") || strings.Contains(string(body), "<script>") {
			t.Errorf("%s has something inline, which the policy refuses", path)
		}
	}
}

func TestNothingElse(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/nothing", "/placeholder", "/index.html", "/assets/", "/../web.go", "/assets/../placeholder", "/.env", "/wp-login.php"} {
		if resp := ask(t, http.MethodGet, path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s, want 404", path, resp.Status)
		}
	}
	if resp := ask(t, http.MethodPost, "/sign-in"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s, want 405", resp.Status)
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	if !built() {
		t.Skip("the dashboard is not built: make web")
	}
	names, err := fs.Glob(dist, "dist/assets/*.js.gz")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range names {
		path := strings.TrimSuffix(strings.TrimPrefix(name, "dist"), ".gz")
		whole, small := ask(t, http.MethodGet, path), ask(t, http.MethodGet, path, "Accept-Encoding", "gzip, br")
		if whole.Header.Get("Content-Encoding") != "" || small.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("%s: encodings %q and %q", path, whole.Header.Get("Content-Encoding"), small.Header.Get("Content-Encoding"))
		}
		plain, err := io.ReadAll(whole.Body)
		packed, errOfPacked := gzip.NewReader(small.Body)
		if err != nil || errOfPacked != nil {
			t.Fatalf("%s: %v, %v", path, err, errOfPacked)
		}
		if unpacked, err := io.ReadAll(packed); err != nil || len(plain) == 0 || !bytes.Equal(plain, unpacked) {
			t.Errorf("%s: %d bytes are compressed as %d, %v", path, len(plain), len(unpacked), err)
		}
		for _, resp := range []*http.Response{whole, small} {
			if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/javascript") ||
				!strings.Contains(resp.Header.Get("Cache-Control"), "immutable") {
				t.Fatalf("%s: %s %v", path, resp.Status, resp.Header)
			}
		}
	}
}

// TestUnits runs the unit tests of the dashboard, among them that each of its texts is in the catalogue.
func TestUnits(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("node_modules/vitest/vitest.mjs"); err != nil {
		t.Skip("the dashboard's packages are not here: npm ci in web/")
	}
	// Go's cache of results knows the files that the test itself reads.
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"texts.ts", "texts.test.ts", "wrapped.ts", "lingui.config.ts", "vite.config.ts", "package-lock.json"} {
		if _, err := os.ReadFile(name); err != nil {
			t.Error(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "node", "node_modules/vitest/vitest.mjs", "run").CombinedOutput(); err != nil {
		t.Errorf("npm test in web/: %v\n%s", err, out)
	}
}
