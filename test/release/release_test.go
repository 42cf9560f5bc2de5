// Package release tries the release of the product: that it can be built again with the same result, and what is in it.
package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"aead.dev/minisign"
	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/test/executable"
)

const root = "../.."

// full builds everything, each time with an empty cache.
func full() bool { return os.Getenv("HOSTLER_RELEASE") == "full" }

func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// sources copies the files of the working tree to a directory, without git.
func sources(t *testing.T, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "bash", "-c", `cd "$1" && git ls-files -z --cached --others --exclude-standard |
		tar -c --null -T - --ignore-failed-read | tar -x -C "$2"`, "sh", root, to)
	if modules, err := filepath.Abs(filepath.Join(root, "web/node_modules")); err == nil && full() {
		_ = os.Symlink(modules, filepath.Join(to, "web/node_modules"))
	}
}

// Two builds of one commit, in directories of different names, give the same files.
func TestTwoBuildsAreIdentical(t *testing.T) {
	t.Parallel()
	need(t, "git", "tar", "python3", "make")
	var sums []string
	for _, dir := range []string{"one", "another/below"} {
		dir := filepath.Join(t.TempDir(), dir)
		sources(t, dir)
		env := []string{"RELEASE_VERSION=v1.2.3", "SOURCE_DATE_EPOCH=1700000000", "RELEASE_ONLY=programs commandline debian sbom"}
		if full() {
			env = append(env, "GOCACHE="+filepath.Join(t.TempDir(), "cache"))
		} else {
			env = append(env, "RELEASE_ONLY=commandline sbom", "RELEASE_COMMANDLINE=linux/amd64")
		}
		run(t, env, filepath.Join(dir, "scripts/release"))
		text, err := os.ReadFile(filepath.Join(dir, "dist/SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		checkSums(t, filepath.Join(dir, "dist"), string(text))
		sums = append(sums, string(text))
		if !full() {
			if version := run(t, nil, filepath.Join(dir, "dist", "hostler-cli-linux-amd64"), "--version"); !strings.Contains(version, "v1.2.3") {
				t.Errorf("its version is %q", version)
			}
		}
		checkSBOM(t, filepath.Join(dir, "dist"))
	}
	if diff := cmp.Diff(sums[0], sums[1]); diff != "" {
		t.Errorf("the second build differs:\n%s", diff)
	}
}

// A maintainer makes a key with the documented command; make release signs with it, and its public half, in packaging/minisign.pub, verifies what it signed.
func TestReleaseIsSigned(t *testing.T) {
	t.Parallel()
	need(t, "git", "tar", "python3", "make")
	dir, keys := filepath.Join(t.TempDir(), "tree"), t.TempDir()
	sources(t, dir)
	docs, err := os.ReadFile(root + "/docs/releases.md")
	if err != nil {
		t.Fatal(err)
	}
	const documented = "go run aead.dev/minisign/cmd/minisign@v0.3.0 -G -W -s ~/hostler-release.key -p packaging/minisign.pub"
	if !strings.Contains(string(docs), documented) {
		t.Fatalf("docs/releases.md does not have %q", documented)
	}
	run(t, []string{"HOME=" + keys, "GOPATH=" + goPath(t), "GOCACHE=" + goCache(t), "GOFLAGS=-mod=mod"}, "sh", "-ec", "cd '"+dir+"' && "+documented)
	key := filepath.Join(keys, "hostler-release.key")
	if info, err := os.Stat(key); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the key: %v, %v", info, err)
	}
	run(t, []string{
		"RELEASE_VERSION=v1.2.3", "SOURCE_DATE_EPOCH=1700000000", "RELEASE_KEY=" + key, "RELEASE_ONLY=commandline signature",
		"RELEASE_COMMANDLINE=linux/amd64",
	}, filepath.Join(dir, "scripts/release"))
	public, err := minisign.PublicKeyFromFile(filepath.Join(dir, "packaging/minisign.pub"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "dist/SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := os.ReadFile(filepath.Join(dir, "dist/SHA256SUMS.minisig"))
	if err != nil {
		t.Fatal(err)
	}
	if !minisign.Verify(public, sums, signature) || minisign.Verify(public, append(sums, ' '), signature) {
		t.Error("the signature does not verify the checksums, or others as well")
	}
}

// Without a program that builds containers their images are skipped, and named as skipped; the file for them starts from nothing.
func TestContainerIsSkippedByName(t *testing.T) {
	t.Parallel()
	need(t, "git", "tar")
	dir := filepath.Join(t.TempDir(), "tree")
	sources(t, dir)
	bin := filepath.Join(t.TempDir(), "bin") // what the script needs, and no builder
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "env", "dirname", "basename", "tail", "rm", "mkdir", "find", "sort", "xargs", "sha256sum", "date"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not installed", name)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	out := run(t, []string{"PATH=" + bin, "RELEASE_VERSION=v1.2.3", "SOURCE_DATE_EPOCH=1700000000", "RELEASE_ONLY=container"},
		filepath.Join(dir, "scripts/release"))
	if !strings.Contains(out, "release: skipped: container images: podman, buildah and docker are not installed") {
		t.Errorf("it says %q", out)
	}
	raw, err := os.ReadFile(root + "/packaging/Containerfile")
	if err != nil || !regexp.MustCompile(`(?m)^FROM scratch$`).Match(raw) {
		t.Errorf("the image is not made from scratch: %v", err)
	}
}

func goPath(t *testing.T) string  { return strings.TrimSpace(run(t, nil, "go", "env", "GOPATH")) }
func goCache(t *testing.T) string { return strings.TrimSpace(run(t, nil, "go", "env", "GOCACHE")) }

func checkSums(t *testing.T, dist, text string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(text) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		raw, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != want {
			t.Errorf("the checksum of %s is wrong", name)
		}
		n++
	}
	if n < 2 {
		t.Errorf("only %d files have checksums", n)
	}
}

// checkSBOM looks for modules that are certainly in every program.
func checkSBOM(t *testing.T, dist string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dist, "*.cdx.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d lists of parts, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var bom struct {
			BomFormat  string
			Components []struct{ Purl, Version string }
		}
		if err := json.Unmarshal(raw, &bom); err != nil || bom.BomFormat != "CycloneDX" {
			t.Fatalf("%s: %v, format %q", file, err, bom.BomFormat)
		}
		text := string(raw)
		for _, part := range []string{"pkg:golang/std@", "pkg:golang/github.com/spf13/cobra@v"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not list %s", file, part)
			}
		}
	}
}

// The Debian package is the same each time, and has what the service needs.
func TestDebianPackage(t *testing.T) {
	t.Parallel()
	need(t, "dpkg-deb")
	program := filepath.Join(t.TempDir(), "program")
	executable.Write(t, program, "#!/bin/sh\n")
	var packages [][]byte
	for _, dir := range []string{t.TempDir(), t.TempDir()} {
		file := filepath.Join(dir, "hostler.deb")
		run(t, []string{"SOURCE_DATE_EPOCH=1700000000"}, root+"/scripts/deb", program, "arm64", "1.2.3", file)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, raw)
		if len(packages) == 1 {
			checkPackage(t, file)
		}
	}
	if !bytes.Equal(packages[0], packages[1]) {
		t.Error("the second package differs")
	}
}

func checkPackage(t *testing.T, file string) {
	t.Helper()
	files := run(t, nil, "dpkg-deb", "--contents", file)
	for _, want := range []string{
		`-rwxr-xr-x root/root .* \./usr/bin/hostler\n`, `-rw-r--r-- root/root .* \./usr/lib/systemd/system/hostler\.service\n`,
		`-rw-r----- root/root .* \./etc/hostler/hostler\.yml\n`, `\./usr/lib/sysusers\.d/hostler\.conf\n`,
	} {
		if !regexp.MustCompile(want).MatchString(files) {
			t.Errorf("no %s in:\n%s", want, files)
		}
	}
	if got := run(t, nil, "dpkg-deb", "--field", file, "Package", "Version", "Architecture"); got != "Package: hostler\nVersion: 1.2.3\nArchitecture: arm64\n" {
		t.Errorf("its fields are:\n%s", got)
	}
	scripts := t.TempDir()
	run(t, nil, "dpkg-deb", "--control", file, scripts)
	if raw, err := os.ReadFile(filepath.Join(scripts, "conffiles")); err != nil || string(raw) != "/etc/hostler/hostler.yml\n" {
		t.Errorf("an upgrade would overwrite the settings: %q, %v", raw, err)
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		run(t, nil, "sh", "-n", filepath.Join(scripts, script))
	}
}

var exposure = regexp.MustCompile(`Overall exposure level for \S+: (\d+\.\d+)`)

// The service is confined: systemd's own judgement of it is below 2 of 10.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	need(t, "systemd-analyze")
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--offline") {
		t.Skip("systemd-analyze is older than 250: it has no --offline")
	}
	text := run(t, nil, "systemd-analyze", "security", "--offline=true", "--no-pager", root+"/packaging/hostler.service")
	m := exposure.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no judgement in:\n%s", text)
	}
	if level, err := strconv.ParseFloat(m[1], 64); err != nil || level >= 2 {
		t.Errorf("the exposure is %s, want less than 2:\n%s", m[1], text)
	}
	unit, err := os.ReadFile(root + "/packaging/hostler.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"ProtectSystem=strict", "User=hostler-panel", "NoNewPrivileges=yes"} {
		if !strings.Contains(string(unit), "\n"+line+"\n") {
			t.Errorf("the unit has no %s", line)
		}
	}
}
