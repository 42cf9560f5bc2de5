package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// The releases that a site changes between. Those of Go are the proxy's and verified with the key that is shipped; the
// registry that this machine sees has
// no signatures, so that those of Deno are signed by a key of the test's.
const (
	denoBefore, denoAfter = "2.9.4", "2.9.6"
	goBefore, goAfter     = "1.25.3", "1.26.11"
)

// registry publishes Deno as npm's registry does, and returns the file of its public key.
func (m *runtimeMirror) registry(t *testing.T, packs map[string][]byte) (sign func(version, integrity string), keys string) {
	t.Helper()
	const name = "@deno/linux-x64-glibc"
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	keys = filepath.Join(t.TempDir(), "keys.json")
	text := `{"keys":[{"keyid":"SHA256:test","expires":null,"key":"` + base64.StdEncoding.EncodeToString(der) + `"}]}`
	if err := os.WriteFile(keys, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sign = func(version, integrity string) {
		digest := sha256.Sum256([]byte(name + "@" + version + ":" + integrity))
		sig, err := ecdsa.SignASN1(rand.Reader, private, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		is, err := json.Marshal(map[string]any{"name": name, "version": version, "dist": map[string]any{
			"integrity": integrity, "signatures": []any{map[string]any{"keyid": "SHA256:test", "sig": base64.StdEncoding.EncodeToString(sig)}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.files["/dist/"+name+"/"+version] = is
	}
	versions := map[string]any{}
	for version, pack := range packs {
		sum := sha512.Sum512(pack)
		sign(version, "sha512-"+base64.StdEncoding.EncodeToString(sum[:]))
		versions[version] = map[string]any{}
		m.mu.Lock()
		m.files["/dist/"+name+"/-/linux-x64-glibc-"+version+".tgz"] = pack
		m.mu.Unlock()
	}
	list, err := json.Marshal(map[string]any{"name": name, "versions": versions})
	if err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files["/dist/"+name] = list
	return sign, keys
}

// moduleProxy passes on what hosts ask of Go's module proxy, which they can't reach.
func moduleProxy(t *testing.T, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	to := &url.URL{Scheme: "https", Host: "proxy.golang.org"}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) },
	}}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}

// Programs in Deno and Go with a version of the site's own are deployed, run with another version, updated and rolled back
// while visitors ask, and what can't be
// trusted is refused; no request fails.
func TestProgramsOfVersions(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image), hosts.Fresh())
	m, dir := newRuntimeMirror(t, bed.Gateway), t.TempDir()
	sign, keys := m.registry(t, map[string][]byte{
		denoBefore: fromNPM(t, dir, "@deno/linux-x64-glibc", denoBefore), denoAfter: fromNPM(t, dir, "@deno/linux-x64-glibc", denoAfter),
		"2.0.1": packed(t, "package/deno", "#!/bin/sh\necho deno 2.0.1\n"), "2.0.2": packed(t, "package/deno", "swapped"),
	})
	sign("2.0.2", "sha512-"+base64.StdEncoding.EncodeToString(make([]byte, sha512.Size))) // of another file
	m.mu.Lock()
	const another = "/dist/@deno/linux-x64-glibc/2.0.1"
	m.files[another] = bytes.Replace(m.files[another], []byte("SHA256:test"), []byte("SHA256:wrong"), 1)
	m.mu.Unlock()
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--runtime-mirror", "deno="+m.url+",go="+moduleProxy(t, bed.Gateway),
		"--runtime-keys", "deno="+keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	r := &room{Panel: p, git: bed.Host(2)}
	r.server = p.Add(t, bed.Host(1), "web")
	p.Ready(t, r.server)
	r.prepareGit(t)
	for _, a := range []program{
		{
			name: "deno", runtime: "deno", before: denoBefore, after: denoAfter,
			body: map[string]any{"type": "other", "nuxt_next_mode": "server", "runtime": "deno", "runtime_version": denoBefore},
			files: func(version string) map[string]string {
				return map[string]string{
					"deno.json": `{"tasks":{"start":"deno run --allow-net --allow-env server.ts"}}`,
					"server.ts": "Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT')) },\n" +
						"  (): Response => new Response(`deno " + version + " with ${Deno.version.deno} ${Deno.env.get('SHADE')}`))\n",
				}
			},
		},
		{
			name: "golang", runtime: "go", before: goBefore, after: goAfter, compiled: true,
			body: map[string]any{"type": "custom", "runtime": "go", "runtime_version": goBefore, "start_command": "./server"},
			files: func(version string) map[string]string {
				return map[string]string{
					"go.mod": "module example.com/app\n\ngo 1.25\n", // a line, as people write it, which is no toolchain's name
					"main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"os\"\n\t\"runtime\"\n)\n\nfunc main() {\n" +
						"\thttp.HandleFunc(\"/\", func(w http.ResponseWriter, _ *http.Request) {\n" +
						"\t\tfmt.Fprint(w, \"golang " + version + " with \", runtime.Version()[2:], \" \", os.Getenv(\"SHADE\"))\n\t})\n" +
						"\tif err := http.ListenAndServe(\"127.0.0.1:\"+os.Getenv(\"PORT\"), nil); err != nil {\n\t\tpanic(err)\n\t}\n}\n",
				}
			},
		},
	} {
		t.Run(a.name, func(t *testing.T) { r.life(t, a, "") })
	}
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type": "other", "name": "refused.example.com", "runtime": "deno", "runtime_version": "2",
		"is_isolated": true, "isolated_user": "refused",
	})
	r.installed(t, a.Data.ID)
	site := r.server.Path("/sites/" + a.Data.ID)
	r.names(t, site, "deno", denoAfter)
	if out := r.command(t, site, "deno -V"); !strings.Contains(out, "deno "+denoAfter) {
		t.Errorf("a command says %q", out)
	}
	for version, want := range map[string]string{"2.0.1": "which is not trusted", "2.0.2": "is not the file that was signed"} {
		began := r.Want(t, http.StatusAccepted, http.MethodPut, site, map[string]any{"runtime_version": version})
		s := r.Settled(t, 5*time.Minute, ofOrganization(site))
		out := r.Output(t, r.server, began.Data.Operation().EventID)
		if s.Operation().State != "failed" || !strings.Contains(out+s.Operation().Reason, want) {
			t.Errorf("%s: %+v\n%s", version, s.Operation(), out)
		}
		r.names(t, site, "deno", denoAfter)
	}
	r.Want(t, http.StatusAccepted, http.MethodPut, site, map[string]any{"runtime": "go", "runtime_version": "1.25"})
	if s := r.Settled(t, 5*time.Minute, ofOrganization(site)); s.Operation().State != "succeeded" {
		t.Fatalf("the change is %+v", s.Operation())
	}
	out := r.command(t, site, "go version && gofmt -h 2>&1 | head -1; which deno || echo none")
	if !strings.Contains(out, "go version go1.25.") ||
		!strings.Contains(out, "usage: gofmt") || !strings.Contains(out, "none") {
		t.Errorf("a command says %q", out)
	}
}

// packed is a package of one file.
func packed(t *testing.T, name, content string) []byte {
	t.Helper()
	return gzipped(t, func(w *tar.Writer) error {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(content))}); err != nil {
			return err
		}
		_, err := w.Write([]byte(content))
		return err
	})
}

func gzipped(t *testing.T, fill func(w *tar.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := errors.Join(fill(w), w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
