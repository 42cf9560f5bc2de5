package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// rows returns the nouns of an App without an installation.
func rows(t *testing.T) []noun {
	t.Helper()
	d, err := db.Connect(t.Context(), db.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	a, err := unserved(d, "http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	return a.rows
}

// Each folder of internal/noun has one row, and the words of paths belong to one noun.
func TestNounsHaveOneRow(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("../noun")
	if err != nil {
		t.Fatal(err)
	}
	var folders, names []string
	for _, e := range entries {
		folders = append(folders, e.Name())
	}
	said := map[string]string{}
	for _, n := range rows(t) {
		names = append(names, n.name)
		for parameter := range n.parameters {
			if said[parameter] != "" {
				t.Errorf("%s and %s both describe %s", said[parameter], n.name, parameter)
			}
			said[parameter] = n.name
		}
	}
	slices.Sort(names)
	if !slices.Equal(folders, names) {
		t.Errorf("the folders of nouns are\n%v, and their rows\n%v", folders, names)
	}
}

// What is done to a host can be read: the plans of every aspect are golden files beside its noun. No two nouns have an aspect of the same name.
func TestAspectsHaveGoldens(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	for _, n := range rows(t) {
		for name := range n.aspects {
			if of[name] != "" {
				t.Errorf("%s and %s both have the aspect %s", of[name], n.name, name)
			}
			of[name] = n.name
		}
		if len(n.aspects) == 0 {
			continue
		}
		goldens := 0
		for _, pattern := range []string{"testdata/*.txt", "testdata/*/*.txt"} {
			files, err := filepath.Glob(filepath.Join("../noun", n.name, pattern))
			if err != nil {
				t.Fatal(err)
			}
			goldens += len(files)
		}
		if goldens == 0 {
			t.Errorf("%s has an aspect, and no golden file of a plan", n.name)
		}
	}
	if len(of) < 20 {
		t.Errorf("%d aspects are registered", len(of))
	}
}
