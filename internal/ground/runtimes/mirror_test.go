package runtimes

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"20", "22", "24", "26", "22.11.0", "20.0.0", "24.1.123"} {
		if err := Node.Check(version); err != nil {
			t.Errorf("%q: %v", version, err)
		}
	}
	for _, version := range []string{
		"", "18", "21", "9", "100", "22.11", "v22", "v22.11.0", "022", "22.011.0", "22.11.0-rc.1", "22.11.0.1", "lts/*", "latest", "22.x", "^22", ">=22",
		"22 ", " 22", "22\n",
		"../22", "22/../../etc", "22.11.0/..", "$(id)", "22;id", "`id`", "22.1111.0", "٢٢", "22.11.0\x00",
	} {
		if Node.Check(version) == nil {
			t.Errorf("%q can be asked for", version)
		}
	}
	for _, version := range []string{"1.3.2", "1.0.0"} {
		if err := Bun.Check(version); err != nil {
			t.Errorf("%q: %v", version, err)
		}
	}
	for _, version := range []string{
		"", "1", "1.3", "v1.3.2", "bun-v1.3.2", "1.3.2-canary", "canary", "0.8.1", "2.0.0", "1.03.2", "1.3.2/..", "1.3.2\n", "latest",
	} {
		if Bun.Check(version) == nil {
			t.Errorf("%q can be asked for", version)
		}
	}
	for _, version := range []string{"2", "2.1.6", "2.10.0"} {
		if err := Deno.Check(version); err != nil {
			t.Errorf("%q: %v", version, err)
		}
	}
	for _, version := range []string{"", "1", "3", "2.9", "v2.9.6", "deno 2", "2.9.6-rc.1", "2.09.6", "latest", "lts", "2\n", "2/..", "2.x",
		"canary"} {
		if Deno.Check(version) == nil {
			t.Errorf("%q can be asked for", version)
		}
	}
	for _, version := range []string{"1.21", "1.25", "1.25.3", "1.21.0"} {
		if err := Go.Check(version); err != nil {
			t.Errorf("%q: %v", version, err)
		}
	}
	for _, version := range []string{
		"", "1", "1.2", "1.20", "1.20.14", "2", "go1.25", "go1.25.3", "v1.25.3", "1.26rc1", "1.26.0-rc.1", "1.025", "1.25.03",
		"stable", "oldstable",
		"1.25.x", "1.25\n", "1.25/..", "local", "auto",
	} {
		if Go.Check(version) == nil {
			t.Errorf("%q can be asked for", version)
		}
	}
	for _, c := range []struct {
		kind       *Kind
		want, line string
	}{{Node, "22.11.0", "22"}, {Deno, "2.9.6", "2"}, {Go, "1.25.3", "1.25"}, {Go, "1.25", "1.25"}, {Bun, "1.3.2", "1.3"}} {
		if got := c.kind.Line(c.want); got != c.line {
			t.Errorf("%s %s is of the line %s", c.kind.Title, c.want, got)
		}
	}
	if Compare("22.9.0", "22.11.0") >= 0 || Compare("22.11.0", "22.11.0") != 0 {
		t.Error("versions are compared as text")
	}
}

// sums is how a mirror lists a release.
func sums(version string) string {
	hash := strings.Repeat("a", 64)
	return hash + "  node-v" + version + "-darwin-arm64.tar.gz\n" + hash + "  node-v" + version + "-linux-arm64.tar.gz\n" + hash + "  node-v" + version +
		"-linux-x64.tar.gz\n"
}

func TestResolve(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/dist/latest-v22.x/SHASUMS256.txt", "/dist/v22.21.1/SHASUMS256.txt":
			_, _ = w.Write([]byte(sums("22.21.1")))
		case "/dist/latest-v24.x/SHASUMS256.txt": // it lies
			_, _ = w.Write([]byte(sums("20.1.0")))
		case "/dist/v24.5.0/SHASUMS256.txt":
			_, _ = w.Write([]byte(sums("24.4.0")))
		case "/dist/latest-v20.x/SHASUMS256.txt":
			_, _ = w.Write([]byte("<html>Sign in to the hotel's network</html>"))
		case "/dist/v20.1.0/SHASUMS256.txt":
			_, _ = w.Write([]byte(strings.Repeat("x", maxSums+1)))
		case "/dist/v20.2.0/SHASUMS256.txt":
			_, _ = w.Write([]byte(sums("20.2.0/../../etc")))
		case "/dist/v20.3.0/SHASUMS256.txt":
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	m, err := NewMirror(Node, s.URL+"/dist/", nil, s.Client().Transport)
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{"22": "22.21.1", "22.21.1": "22.21.1"} {
		if err := m.Resolve(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Resolved(asked); got != want || !ok {
			t.Errorf("%s is %s", asked, got)
		}
	}
	if err := m.Resolve(t.Context(), "26"); !errors.Is(err, ErrNone) {
		t.Errorf("a version that the mirror does not have: %v", err)
	}
	for asked, want := range map[string]string{
		"24": "offers Node 20.1.0 for 24", "24.5.0": "offers Node 24.4.0", "20": "names no release for Linux", "20.1.0": "too long", "20.2.0": "names no release",
		"20.3.0": "answers 503",
	} {
		if err := m.Resolve(t.Context(), asked); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", asked, err)
		}
		if got, ok := m.Resolved(asked); ok {
			t.Errorf("%s is %s", asked, got)
		}
	}
}

// Bun's lists do not say of which version they are: the address does.
func TestResolveBun(t *testing.T) {
	t.Parallel()
	const hash = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bun-v1.3.2/SHASUMS256.txt":
			_, _ = w.Write([]byte(hash + "  bun-darwin-x64.zip\n" + hash + "  bun-linux-x64-baseline.zip\n"))
		case "/bun-v1.3.3/SHASUMS256.txt":
			_, _ = w.Write([]byte(hash + "  bun-windows-x64.zip\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	m, err := NewMirror(Bun, s.URL, nil, s.Client().Transport)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Resolve(t.Context(), "1.3.2"); err != nil {
		t.Fatal(err)
	}
	if got, ok := m.Resolved("1.3.2"); !ok || got != "1.3.2" {
		t.Errorf("1.3.2 is %s", got)
	}
	if err := m.Resolve(t.Context(), "1.3.3"); err == nil || !strings.Contains(err.Error(), "names no release for Linux") {
		t.Errorf("a release for other systems: %v", err)
	}
	if err := m.Resolve(t.Context(), "1.3.4"); !errors.Is(err, ErrNone) {
		t.Errorf("a version that there is not: %v", err)
	}
}

// What an npm registry and a module proxy list.
func TestResolveOfLists(t *testing.T) {
	t.Parallel()
	const deno = "/@deno/linux-x64-glibc"
	for name, c := range map[string]struct {
		kind         *Kind
		path, list   string
		asked, exact string
		want         string
	}{
		"newest Deno": {Deno, deno, `{"name":"@deno/linux-x64-glibc","versions":{"2.9.6":{},"2.10.0":{},"2.11.0-rc.1":{},"3.0.0":{}}}`,
			"2", "2.10.0", ""},
		"exact Deno":      {Deno, deno, `{"name":"@deno/linux-x64-glibc","versions":{"2.9.6":{},"2.10.0":{}}}`, "2.9.6", "2.9.6", ""},
		"no such Deno":    {Deno, deno, `{"name":"@deno/linux-x64-glibc","versions":{"2.9.6":{}}}`, "2.9.7", "", "does not have it"},
		"no Deno":         {Deno, deno, `{"name":"@deno/linux-x64-glibc","versions":{}}`, "2", "", "does not have it"},
		"another package": {Deno, "/@deno/linux-x64-glibc", `{"name":"deno","versions":{"2.9.6":{}}}`, "2", "", "names no release for Linux"},
		"a page":          {Deno, "/@deno/linux-x64-glibc", `<html>`, "2", "", "names no release for Linux"},
		"newest Go": {Go, "/golang.org/toolchain/@v/list", "v0.0.1-go1.25.3.linux-amd64\nv0.0.1-go1.25.14.linux-amd64\n" +
			"v0.0.1-go1.25.99.windows-amd64\n" +
			"v0.0.1-go1.26rc1.linux-amd64\nv0.0.1-go1.2.2.linux-amd64\nv0.0.1-go1.251.1.linux-amd64\n", "1.25", "1.25.14", ""},
		"no such line": {Go, "/golang.org/toolchain/@v/list", "v0.0.1-go1.25.3.linux-amd64\n", "1.26", "", "does not have it"},
		"no Go":        {Go, "/golang.org/toolchain/@v/list", "<html>", "1.26", "", "names no release for Linux"},
		"exact Go": {Go, "/golang.org/toolchain/@v/v0.0.1-go1.25.2.linux-amd64.info", `{"Version":"v0.0.1-go1.25.2.linux-amd64"}`,
			"1.25.2", "1.25.2", ""},
		"another Go": {Go, "/golang.org/toolchain/@v/v0.0.1-go1.25.2.linux-amd64.info", `{"Version":"v0.0.1-go1.25.1.linux-amd64"}`, "1.25.2", "",
			"names no release"},
		"no such Go": {Go, "/x", "", "1.25.2", "", "does not have it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != c.path {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(c.list))
			}))
			defer s.Close()
			m, err := NewMirror(c.kind, s.URL, nil, s.Client().Transport)
			if err != nil {
				t.Fatal(err)
			}
			err = m.Resolve(t.Context(), c.asked)
			got, ok := m.Resolved(c.asked)
			if got != c.exact || ok != (c.want == "") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("it is %q: %v", got, err)
			}
		})
	}
}

// The keys of an npm registry and of a checksum database are read before they are used.
func TestKeysAreRefused(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "{}", `{"keys":[]}`, `{"keys":[{"keyid":"a","key":"*"}]}`, `{"keys":[{"keyid":"a","key":"AAAA"}]}`,
		`{"keys":[{"keyid":"a","key":"MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="}]}`, // Ed25519
		strings.Replace(string(Deno.keys), "SHA256:DhQ8wR5APBvFHLF/+Tc+AYvPOdTpcIDqOhxsBHRwC7U", "", 1),
		strings.Replace(string(Deno.keys), "2025-01-29T00:00:00.000Z", "tomorrow", 1), checksumDatabase} {
		if _, err := NewMirror(Deno, "", []byte(keys), nil); err == nil {
			t.Errorf("%q are keys of a registry", keys)
		}
	}
	for _, key := range []string{"", "sum.golang.org", checksumDatabase + "x", strings.Replace(checksumDatabase, "033de0ae", "033de0af", 1),
		string(Deno.keys)} {
		if _, err := NewMirror(Go, "", []byte(key), nil); err == nil {
			t.Errorf("%q is the key of a checksum database", key)
		}
	}
}

func TestMirrorIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"nodejs.org/dist", "file:///srv", "ftp://a.example.com", "https://", "https://a.example.com/?x=1",
		"https://a.example.com/ b"} {
		if _, err := NewMirror(Node, address, nil, nil); err == nil {
			t.Errorf("%q is a mirror", address)
		}
	}
	for _, keys := range []string{"", "hello", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA",
		"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n****\n-----END PGP PUBLIC KEY BLOCK-----"} {
		if _, err := NewMirror(Node, "", []byte(keys), nil); err == nil {
			t.Errorf("%q are keys", keys)
		}
	}
}

// listed finds the fingerprints in the documentation's table.
var listed = regexp.MustCompile("(?m)^\\| `[0-9A-F]{40}` ")

// The shipped keys are those whose fingerprints the documentation lists.
func TestReleasers(t *testing.T) {
	t.Parallel()
	gpg, err := exec.LookPath("gpg")
	if err != nil {
		t.Skip("gpg is not installed")
	}
	var out []byte
	for _, kind := range Kinds() {
		if !kind.OpenPGP {
			continue
		}
		m, err := NewMirror(kind, "", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "keys.gpg")
		if err := os.WriteFile(file, m.Keys, 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := exec.Command(gpg, "--homedir", t.TempDir(), "--with-colons", "--show-keys", file).Output()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, keys...)
	}
	page, err := os.ReadFile("../../../docs/nodejs.md")
	if err != nil {
		t.Fatal(err)
	}
	primary, n := false, 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(line, ":")
		if fields[0] == "pub" {
			primary = true
		}
		if fields[0] != "fpr" || !primary {
			continue
		}
		primary, n = false, n+1
		if !strings.Contains(string(page), fields[9]) {
			t.Errorf("docs/nodejs.md does not list %s", fields[9])
		}
	}
	if n != len(listed.FindAllString(string(page), -1)) {
		t.Errorf("%d keys are shipped, and docs/nodejs.md lists %d", n, len(listed.FindAllString(string(page), -1)))
	}
}

// Each line that can be chosen has a last day with security updates.
func TestEndsOn(t *testing.T) {
	t.Parallel()
	for _, major := range majors {
		if day := EndsOn("node", strconv.Itoa(major)+".1.0"); !regexp.MustCompile(`^20\d\d-\d\d-\d\d$`).MatchString(day) {
			t.Errorf("Node %d: %q", major, day)
		}
	}
	if day := EndsOn("go", "1.23.4"); day != "2025-08-12" {
		t.Errorf("Go 1.23: %q", day)
	}
	for _, none := range [][2]string{{"node", "2"}, {"node", ""}, {"bun", "1.3.2"}, {"deno", "2.9.6"}, {"go", ""}, {"go", "1.99.0"},
		{"python", ""}, {"", ""}} {
		if day := EndsOn(none[0], none[1]); day != "" {
			t.Errorf("%q: %s", none, day)
		}
	}
}
