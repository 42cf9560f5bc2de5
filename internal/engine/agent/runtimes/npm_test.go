package runtimes

import (
	"archive/tar"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const denoVersion = "2.9.6"

func denoPackage() string { return "@deno/linux-" + architecture("x64", "arm64") + "-glibc" }

// registryKey is a key of a registry made for a test.
type registryKey struct {
	id      string
	private *ecdsa.PrivateKey
	expires *string
}

func newRegistryKey(t *testing.T, expires string) registryKey {
	t.Helper()
	k := registryKey{}
	var err error
	if k.private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(k.der(t))
	if k.id = "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:]); expires != "" {
		k.expires = &expires
	}
	return k
}

func (k registryKey) der(t *testing.T) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(&k.private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// public is what a registry has at /-/npm/v1/keys.
func public(t *testing.T, keys ...registryKey) []byte {
	t.Helper()
	var out []map[string]any
	for _, k := range keys {
		out = append(out, map[string]any{"keyid": k.id, "key": base64.StdEncoding.EncodeToString(k.der(t)), "expires": k.expires})
	}
	text, err := json.Marshal(map[string]any{"keys": out})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (k registryKey) sign(t *testing.T, text string) signature {
	t.Helper()
	digest := sha256.Sum256([]byte(text))
	signed, err := ecdsa.SignASN1(rand.Reader, k.private, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return signature{Key: k.id, Signature: base64.StdEncoding.EncodeToString(signed)}
}

func integrity(content []byte) string {
	sum := sha512.Sum512(content)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// deno is the package of a Deno that tells a version.
func deno(version string) []byte {
	return pack(member{name: "package/package.json", kind: tar.TypeReg, mode: 0o644, content: "{}"},
		member{name: "package/deno", kind: tar.TypeReg, mode: 0o755, content: "#!/bin/sh\n[ \"$1\" = -V ] && echo deno " + version + "\n"})
}

// denoFiles are what a registry has of an archive that says to be a version, by the signatures of keys.
func denoFiles(t *testing.T, version string, archive []byte, keys ...registryKey) map[string][]byte {
	t.Helper()
	is := manifest{Name: denoPackage(), Version: version}
	is.Dist.Integrity = integrity(archive)
	for _, k := range keys {
		is.Dist.Signatures = append(is.Dist.Signatures, k.sign(t, is.Name+"@"+is.Version+":"+is.Dist.Integrity))
	}
	return registryFiles(t, is, archive)
}

func registryFiles(t *testing.T, is manifest, archive []byte) map[string][]byte {
	t.Helper()
	text, err := json.Marshal(is)
	if err != nil {
		t.Fatal(err)
	}
	at := "/dist/" + denoPackage() + "/"
	return map[string][]byte{at + denoVersion: text, at + "-/" + path.Base(denoPackage()) + "-" + denoVersion + ".tgz": archive}
}

func TestInstallDeno(t *testing.T) {
	t.Parallel()
	k, other, h := newRegistryKey(t, ""), newRegistryKey(t, ""), newHost(t)
	expired, later := newRegistryKey(t, "2025-01-29T00:00:00.000Z"), newRegistryKey(t, "2125-01-29T00:00:00.000Z")
	good := denoFiles(t, denoVersion, deno(denoVersion), k)
	if err := h.Install(t.Context(), "deno", denoVersion, mirror(t, good)+"/", public(t, k)); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(h.directory(), "deno", denoVersion, "bin/deno")
	if out, err := exec.Command(at, "-V").Output(); err != nil || string(out) != "deno "+denoVersion+"\n" {
		t.Errorf("it says %q: %v", out, err)
	}
	if info, err := os.Stat(at); err != nil || info.Mode() != 0o555 {
		t.Errorf("it is %v: %v", info, err)
	}
	// A registry signs with two keys while it changes them, in any order (nodejs/corepack issue 612). Private ones sign with
	// their own (issue 884).
	both := denoFiles(t, denoVersion, deno(denoVersion), expired, k, later)
	for name, keys := range map[string][]byte{
		"the first is known": public(t, k), "the second is known": public(t, later), "one has expired": public(t, expired, k),
	} {
		h := newHost(t)
		if err := h.Install(t.Context(), "deno", denoVersion, mirror(t, both), keys); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	changed := func(change func(is *manifest)) map[string][]byte {
		archive := deno(denoVersion)
		is := manifest{Name: denoPackage(), Version: denoVersion}
		is.Dist.Integrity = integrity(archive)
		is.Dist.Signatures = []signature{k.sign(t, is.Name+"@"+is.Version+":"+is.Dist.Integrity)}
		change(&is)
		return registryFiles(t, is, archive)
	}
	with := func(content []byte) map[string][]byte {
		has := maps.Clone(good)
		for name := range has {
			if strings.HasSuffix(name, ".tgz") {
				has[name] = content
			}
		}
		return has
	}
	older := denoFiles(t, "2.1.6", deno("2.1.6"), k)
	replayed := changed(func(is *manifest) { // the signed checksum of an older release
		is.Dist.Integrity = integrity(deno("2.1.6"))
		is.Dist.Signatures = []signature{k.sign(t, is.Name+"@2.1.6:"+is.Dist.Integrity)}
	})
	archive := func(members ...member) map[string][]byte { return denoFiles(t, denoVersion, pack(members...), k) }
	for name, c := range map[string]struct {
		has  map[string][]byte
		keys []byte
		want string
	}{
		"wrong key":           {good, public(t, other), "which is not trusted"},
		"no keys":             {good, nil, "read the keys"},
		"expired key":         {denoFiles(t, denoVersion, deno(denoVersion), expired), public(t, expired), "has expired"},
		"another key's name":  {changed(func(is *manifest) { is.Dist.Signatures[0].Key = other.id }), public(t, k, other), "it is not what"},
		"no signature":        {changed(func(is *manifest) { is.Dist.Signatures = nil }), public(t, k), "it has no signature"},
		"signature is text":   {changed(func(is *manifest) { is.Dist.Signatures[0].Signature = "hello" }), public(t, k), "it is not what"},
		"empty signature":     {changed(func(is *manifest) { is.Dist.Signatures[0].Signature = "" }), public(t, k), "it is not what"},
		"another checksum":    {changed(func(is *manifest) { is.Dist.Integrity = integrity(nil) }), public(t, k), "it is not what"},
		"older version":       {older, public(t, k), "offers " + denoPackage() + " 2.1.6"},
		"older, renamed":      {replayed, public(t, k), "it is not what"},
		"another package":     {changed(func(is *manifest) { is.Name = "left-pad" }), public(t, k), "offers left-pad"},
		"swapped file":        {with(deno("2.9.5")), public(t, k), "not the file that was signed"},
		"cut file":            {with(deno(denoVersion)[:40]), public(t, k), "not the file that was signed"},
		"empty file":          {with(nil), public(t, k), "not the file that was signed"},
		"no such version":     {map[string][]byte{}, public(t, k), "answers 404"},
		"a page":              {map[string][]byte{"/dist/" + denoPackage() + "/" + denoVersion: []byte("<html>")}, public(t, k), "is not JSON"},
		"not an archive":      {denoFiles(t, denoVersion, []byte("hello"), k), public(t, k), "unpack it"},
		"without the program": {archive(member{name: "package/readme", kind: tar.TypeReg}), public(t, k), "it has no package/deno"},
		"a link as the program": {archive(member{name: "package/deno", kind: tar.TypeSymlink, link: "/bin/sh"}), public(t, k),
			"it has no package/deno"},
		"another version": {denoFiles(t, denoVersion, deno("2.9.5"), k), public(t, k), `it says that it is "deno 2.9.5"`},
		"an old C library": {archive(member{name: "package/deno", kind: tar.TypeReg, mode: 0o755, // denoland/deno issue 23775
			content: "#!/bin/sh\necho \"deno: /lib/aarch64-linux-gnu/libm.so.6: version \\`GLIBC_2.35' not found (required by deno)\" >&2\n" +
				"exit 1\n"}),
			public(t, k), "does not run on this system: exit status 1: deno: /lib/aarch64-linux-gnu/libm.so.6: version `GLIBC_2.35' not found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			if err := h.Install(t.Context(), "deno", denoVersion, mirror(t, c.has), c.keys); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if got := strings.Join(h.has(t), " "); got != ".lock" {
				t.Errorf("the directory has %s", got)
			}
		})
	}
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content := good[r.URL.Path]
		if strings.HasSuffix(r.URL.Path, ".tgz") { // the connection breaks
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
			_, _ = w.Write(content[:50])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(content)
	}))
	defer cut.Close()
	err := newHost(t).Install(t.Context(), "deno", denoVersion, cut.URL+"/dist", public(t, k))
	if err == nil || !strings.Contains(err.Error(), "it ended after 50 bytes") {
		t.Errorf("a registry that breaks off: %v", err)
	}
}

// The shipped keys verify what npm's registry signed: the signatures are in nodejs/corepack issue 631 and npm/cli issue
// 8075, the checksums are npm's.
func TestKeysOfNPM(t *testing.T) {
	t.Parallel()
	keys, err := os.ReadFile("../../../ground/runtimes/npm.json")
	if err != nil {
		t.Fatal(err)
	}
	const id = "SHA256:DhQ8wR5APBvFHLF/+Tc+AYvPOdTpcIDqOhxsBHRwC7U"
	for _, c := range [][4]string{
		{"pnpm", "9.15.5", "sha512-hFGWAmqrHMPwmKBHS2TfurKv56G06R3YaJXY5Koyp6bQMEni0K13C75N4COnEi+2jBodbg0DPHB2CF+dXUgA1A==",
			"MEQCIHGqHbvc2zImUPEPFpT4grh6rMYslel+lAjFArx8+RUdAiBfnJA+bgmUvO5Lctfkq+46KKDQdx/8RhLPge3pA+EdHA=="},
		{"npm", "11.1.0", "sha512-rPMBrZud26lI/LcjQeLw/K5Hf1apXMKgkpNNEzp0YQYmM877+T1ZNKPcB2hnTi7e6fBNz8xLtMMn/w46fVUqGw==",
			"MEYCIQCKqkTMp8Lr/s6dqmOOdG9bdpCWzPLUL3typxXxDW1gFwIhANdhRHLzpYGy2An4pE+1amOBppTlN1oqN72/PEzSZN1M"},
	} {
		is := manifest{Name: c[0], Version: c[1]}
		is.Dist.Integrity, is.Dist.Signatures = c[2], []signature{{Key: id, Signature: c[3]}}
		if err := is.verify(keys, time.Now()); err != nil {
			t.Errorf("%s %s: %v", c[0], c[1], err)
		}
		is.Version += "1"
		if err := is.verify(keys, time.Now()); err == nil {
			t.Errorf("%s %s is signed", c[0], is.Version)
		}
	}
	is := manifest{Name: "pnpm", Version: "9.0.0"}
	is.Dist.Signatures = []signature{{Key: "SHA256:jl3bwswu80PjjokCgh0o2w5c2U4LhQAE57gj9cz1kzA"}}
	if err := is.verify(keys, time.Now()); err == nil || !strings.Contains(err.Error(), "has expired") {
		t.Errorf("the key of before: %v", err)
	}
}
