package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
)

// The doctor finds a master key that others can read, that is another one, and that is gone; and nothing where all is well.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm  func(t *testing.T, key string)
		finds string
	}{
		"well":           {func(*testing.T, string) {}, ""},
		"world-readable": {func(t *testing.T, key string) { must(t, os.Chmod(key, 0o644)) }, "chmod 600"},
		"another key": {func(t *testing.T, key string) {
			other := app.Config{DataDir: t.TempDir()}
			s, err := app.OpenStore(context.Background(), other)
			must(t, err)
			must(t, s.Close())
			raw, err := os.ReadFile(other.KeyFile())
			must(t, err)
			must(t, os.WriteFile(key, raw, 0o600))
		}, "not the one of this database"},
		"no key": {func(t *testing.T, key string) { must(t, os.Remove(key)) }, "restore the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := app.Config{DataDir: t.TempDir()}
			s, err := app.OpenStore(context.Background(), c)
			must(t, err)
			must(t, s.Close())
			tc.harm(t, filepath.Join(c.DataDir, "master.key"))
			var found []string
			for _, f := range app.Doctor(context.Background(), c) {
				if f.Err != nil {
					found = append(found, f.Err.Error())
				}
			}
			if all := strings.Join(found, "; "); (all == "") != (tc.finds == "") || !strings.Contains(all, tc.finds) {
				t.Errorf("the doctor finds %q, want %q", all, tc.finds)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
