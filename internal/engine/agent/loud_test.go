package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A log that could not be copied on its disk is emptied and says so; others stay as they are. Supervisor/supervisor#322, keymetrics/pm2-logrotate#165.
func TestLogThatDoesNotFitIsEmptied(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	large, small := b.a.host(wire.ProcessLog("1")), b.a.host(wire.ProcessLog("2"))
	for path, text := range map[string]string{large: "loud\n", small: "quiet\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(large, &disk); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, int64(disk.Bavail)*disk.Bsize); err != nil { // sparse
		t.Fatal(err)
	}
	if err := b.a.RotateLoud(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(large); err != nil || !strings.HasPrefix(string(got), "Hostler emptied this log: it had ") || len(got) > 200 {
		t.Errorf("the large log has %d bytes, %v", len(got), err)
	}
	if got, err := os.ReadFile(small); err != nil || string(got) != "quiet\n" {
		t.Errorf("the small log is %q, %v", got, err)
	}
}
