// Package executable writes programs that tests run.
package executable

import (
	"os"
	"syscall"
	"testing"
)

// Write writes a program. While it is written no process is started: a child that another test starts in that moment would hold the file open for writing
// until it executes its own program, and the kernel refuses to run such a file ("text file busy", execve(2)).
func Write(t testing.TB, path, content string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}
