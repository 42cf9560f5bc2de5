package runtimes

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const bunVersion = "1.3.2"

func bunTop() string { return "bun-linux-" + architecture("x64-baseline", "aarch64") }

// bunArchive is an archive with a program at a path.
func bunArchive(t *testing.T, name, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(program))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bunFiles are what a mirror has: the list of checksums has its signature in it.
func bunFiles(t *testing.T, k key, archive []byte) map[string][]byte {
	t.Helper()
	sum := sha256.Sum256(archive)
	sums := []byte(strings.Repeat("0", 64) + "  bun-darwin-x64.zip\n" + hex.EncodeToString(sum[:]) + "  " + bunTop() + ".zip\n")
	at := "/dist/bun-v" + bunVersion + "/"
	signed := k.gpg(t, sums, "--batch", "--pinentry-mode", "loopback", "--passphrase", "", "--clearsign")
	return map[string][]byte{at + "SHASUMS256.txt.asc": signed, at + bunTop() + ".zip": archive}
}

func TestInstallBun(t *testing.T) {
	t.Parallel()
	k, other, h := newKey(t, "never"), newKey(t, "never"), newHost(t)
	program := "#!/bin/sh\necho " + bunVersion + "\n"
	good := bunFiles(t, k, bunArchive(t, bunTop()+"/bun", program))
	list := "/dist/bun-v" + bunVersion + "/SHASUMS256.txt.asc"
	signed := string(good[list])
	if err := h.Install(t.Context(), "bun", bunVersion, mirror(t, good), k.public); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bun", "bunx"} {
		out, err := exec.Command(filepath.Join(h.directory(), "bun", bunVersion, "bin", name)).Output()
		if err != nil || string(out) != bunVersion+"\n" {
			t.Errorf("%s says %q: %v", name, out, err)
		}
	}
	evil := bunArchive(t, bunTop()+"/bun", "#!/bin/sh\necho evil\n")
	changed := func(text string) map[string][]byte {
		return map[string][]byte{list: []byte(text), "/dist/bun-v" + bunVersion + "/" + bunTop() + ".zip": evil}
	}
	another := strings.Replace(signed, strings.Repeat("0", 64), strings.Repeat("1", 64), 1)
	older := bunArchive(t, bunTop()+"/bun", "#!/bin/sh\necho 1.0.0\n")
	sum := sha256.Sum256(evil)
	line := hex.EncodeToString(sum[:]) + "  " + bunTop() + ".zip\n"
	for name, c := range map[string]struct {
		has  map[string][]byte
		keys []byte
		want string
	}{
		"wrong key":                 {good, other.public, "which is not trusted"},
		"a list that was changed":   {changed(another), k.public, "not what"},
		"a line before the list":    {changed(line + signed), k.public, "not the file that was signed"},
		"a line after the list":     {changed(signed + line), k.public, "not the file that was signed"},
		"a list without signature":  {changed(line), k.public, "no valid signature"},
		"a program somewhere else":  {bunFiles(t, k, bunArchive(t, "bun", program)), k.public, "unpack it"},
		"not an archive":            {bunFiles(t, k, []byte("hello")), k.public, "unpack it"},
		"another version, replayed": {bunFiles(t, k, older), k.public, `it says that it is "1.0.0"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			if err := h.Install(t.Context(), "bun", bunVersion, mirror(t, c.has), c.keys); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if got := strings.Join(h.has(t), " "); got != ".lock" {
				t.Errorf("the directory has %s", got)
			}
		})
	}
}
