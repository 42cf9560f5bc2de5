package secret_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

var cell = secret.Place{Table: "servers", Row: "1", Column: "private_key"}

func TestBoxOpensWhatItSealed(t *testing.T) {
	t.Parallel()
	b := secrettest.Box(t)
	for _, plain := range [][]byte{[]byte("secret"), {}, bytes.Repeat([]byte{0}, 1<<20), []byte("ü\x00\xff")} {
		sealed, err := b.Seal(cell, plain)
		if err != nil {
			t.Fatal(err)
		}
		if len(plain) > 0 && bytes.Contains(sealed, plain) {
			t.Error("the sealed value shows the plain one")
		}
		again, err := b.Seal(cell, plain)
		if err != nil || bytes.Equal(sealed, again) {
			t.Errorf("sealing twice gives the same bytes (%v): equal secrets show", err)
		}
		got, err := b.Open(cell, sealed)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("opened %q, %v, want %q", got, err, plain)
		}
	}
}

func TestBoxRefuses(t *testing.T) {
	t.Parallel()
	b, other := secrettest.Box(t), secrettest.Box(t)
	sealed, err := b.Seal(cell, []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, b *secret.Box, p secret.Place, sealed []byte) {
		t.Helper()
		plain, err := b.Open(p, sealed)
		if !errors.Is(err, secret.ErrSealed) || plain != nil {
			t.Errorf("%s: opened %q, %v, want ErrSealed", name, plain, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret\x00") {
			t.Errorf("%s: the error reveals the value: %v", name, err)
		}
	}
	for name, p := range map[string]secret.Place{
		"another row":    {Table: "servers", Row: "2", Column: "private_key"},
		"another column": {Table: "servers", Row: "1", Column: "bootstrap_secret"},
		"another table":  {Table: "tokens", Row: "1", Column: "private_key"},
		"no place":       {},
		"parts moved":    {Table: "servers", Row: "1\x00private_key", Column: ""},
	} {
		refused(name, b, p, sealed)
	}
	refused("another key", other, cell, sealed)
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		refused(fmt.Sprintf("byte %d flipped", i), b, cell, changed)
	}
	for i := range sealed {
		refused(fmt.Sprintf("cut to %d bytes", i), b, cell, sealed[:i])
	}
	refused("nothing", b, cell, nil)
	refused("longer", b, cell, append(bytes.Clone(sealed), 0))
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "keys", "master.key")
	if _, err := secret.OpenBox(path, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	first, err := secret.OpenBox(path, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want mode %o", name, info.Mode(), err, want)
		}
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := secret.OpenBox(path, true) // an existing key is never replaced
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the key file was changed: %v", err)
	}
	if a, b := first.Primary(), second.Primary(); a != b || len(a.Fingerprint) != 16 || a.Fingerprint == secrettest.Box(t).Primary().Fingerprint {
		t.Errorf("keys: %s, %s", a, b)
	}
	sealed, err := first.Seal(cell, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Open(cell, sealed); err != nil {
		t.Errorf("the key of the file does not open: %v", err)
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o644, 0o620, 0o602, 0o610, 0o601, 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := secret.OpenBox(path, true); !errors.Is(err, secret.ErrKeyPerms) {
			t.Errorf("mode %o: %v, want ErrKeyPerms", mode, err)
		}
	}
	for _, mode := range []fs.FileMode{0o600, 0o400} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := secret.OpenBox(path, false); err != nil {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	for name, content := range map[string]string{"nothing": "", "no JSON": "key", "no keys": "{}", "cut": string(before[:len(before)/2])} {
		bad := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(bad, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := secret.OpenBox(bad, true)
		if !errors.Is(err, secret.ErrKeyFile) {
			t.Errorf("%s: %v, want ErrKeyFile", name, err)
		}
	}
	if _, err := secret.OpenBox(dir, true); err == nil {
		t.Error("a directory was taken for a key file")
	}
}

func TestStringIsRedacted(t *testing.T) {
	t.Parallel()
	const value = "hunter2"
	s := secret.String(value)
	type holder struct {
		Token secret.String            `json:"token"`
		Many  []secret.String          `json:"many"`
		By    map[string]secret.String `json:"by"`
		To    *secret.String           `json:"to"`
	}
	h := holder{s, []secret.String{s}, map[string]secret.String{"a": s}, &s}
	var text, js bytes.Buffer
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&text, nil)), slog.New(slog.NewJSONHandler(&js, nil))} {
		log.Info("x", "s", s, "any", any(s), "holder", h, "list", []secret.String{s}, slog.Any("p", &s))
		log.Info(fmt.Sprint("in words ", s))
	}
	outputs := map[string]string{"slog text": text.String(), "slog JSON": js.String(), "error": fmt.Errorf("with %w and %s", errors.New("x"), s).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10s", "%-10v", "%T%s"} {
		args := []any{s}
		if verb == "%T%s" {
			args = []any{s, s}
		}
		outputs[verb] = fmt.Sprintf(verb, args...)
		if verb != "%T%s" {
			outputs[verb+" of a struct"] = fmt.Sprintf(verb, struct{ S secret.String }{s})
			outputs[verb+" of a list"] = fmt.Sprintf(verb, []secret.String{s})
		}
	}
	for name, v := range map[string]any{"JSON": s, "JSON of a struct": h, "JSON of a pointer": &h} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		outputs[name] = string(raw)
	}
	raw, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"a"`
		S       secret.String
		T       secret.String `xml:"t,attr"`
	}{S: s, T: s})
	if err != nil {
		t.Error(err)
	}
	outputs["XML"] = string(raw)
	for name, got := range outputs {
		if strings.Contains(got, value) || strings.Contains(strings.ToLower(got), fmt.Sprintf("%x", value)) {
			t.Errorf("%s shows the secret: %s", name, got)
		}
		if !strings.Contains(got, "[redacted]") {
			t.Errorf("%s does not say that something is left out: %s", name, got)
		}
	}
	if s.Reveal() != value || s.String() != "[redacted]" || s.GoString() != "[redacted]" {
		t.Errorf("Reveal is %q, String %q, GoString %q", s.Reveal(), s.String(), s.GoString())
	}
	var read holder
	if err := json.Unmarshal([]byte(`{"token":"hunter2"}`), &read); err != nil || read.Token.Reveal() != value {
		t.Errorf("a secret read from JSON is %q, %v", read.Token.Reveal(), err)
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	a, b := secret.Random(24), secret.Random(24)
	if len(a) != 48 || a == b || strings.Trim(a, "0123456789abcdef") != "" {
		t.Errorf("%s and %s", a, b)
	}
	if got := secret.Hash("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" { // FIPS 180-4, SHA-256 of "abc"
		t.Errorf("Hash is %s", got)
	}
}
