package secret_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// A key file with a new key opens what the old one sealed, names each key apart, and is replaced as a whole behind a link.
func TestKeysOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.key"), filepath.Join(dir, "master.key")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	mustOpen := func() *secret.Box {
		t.Helper()
		b, err := secret.OpenBox(link, false)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if _, err := secret.OpenBox(file, true); err != nil {
		t.Fatal(err)
	}
	first := mustOpen()
	before, err := first.Seal(cell, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".new", []byte("half of a ke"), 0o600); err != nil { // left by a program that was killed
		t.Fatal(err)
	}
	if err := secret.AddKey(link); err != nil {
		t.Fatal(err)
	}
	both := mustOpen()
	after, err := both.Seal(cell, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := first.Primary(), both.Primary()
	if old == fresh || !slices.Contains(both.Keys(), old) || len(both.Keys()) != 2 {
		t.Fatalf("the keys are %v, after %v", both.Keys(), first.Keys())
	}
	if !old.Sealed(before) || old.Sealed(after) || !fresh.Sealed(after) {
		t.Error("a value does not name its key")
	}
	if plain, err := both.Open(cell, before); err != nil || string(plain) != "x" {
		t.Errorf("the old key's value: %q, %v", plain, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if err := secret.RemoveKey(link, fresh); !errors.Is(err, secret.ErrPrimary) {
		t.Errorf("removing the primary key: %v", err)
	}
	for range 2 { // once more does nothing
		if err := secret.RemoveKey(link, old); err != nil {
			t.Fatal(err)
		}
	}
	one := mustOpen()
	if got := one.Keys(); len(got) != 1 || got[0] != fresh {
		t.Errorf("left are %v, want %s", got, fresh)
	}
	if _, err := one.Open(cell, before); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("a value of the removed key: %v", err)
	}
	if got, err := secret.ParseKey(fresh.String()); err != nil || got != fresh {
		t.Errorf("%s is read as %s, %v", fresh, got, err)
	}
}
