package port_test

import (
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/port"
)

// Two processes that take ports at once are never given the same, nor one that something listens on.
func TestNoPortIsGivenTwice(t *testing.T) {
	t.Parallel()
	const many = 200
	if os.Getenv("HOSTLER_TAKE_PORTS") != "" {
		for range many {
			_, _ = os.Stdout.WriteString(strconv.Itoa(port.For(t)) + "\n")
		}
		_, _ = os.Stdout.WriteString("taken\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the other has taken its own
		return
	}
	busy := port.For(t)
	l, err := net.Listen("tcp", ":"+strconv.Itoa(busy))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestNoPortIsGivenTwice$")
	cmd.Env = append(os.Environ(), "HOSTLER_TAKE_PORTS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	taken := []int{busy}
	for range many {
		taken = append(taken, port.For(t))
	}
	var said strings.Builder
	for !strings.Contains(said.String(), "taken") {
		b := make([]byte, 4096)
		n, err := out.Read(b)
		said.Write(b[:n])
		if err != nil {
			t.Fatalf("the other process: %v\n%s", err, said.String())
		}
	}
	for line := range strings.Lines(said.String()) {
		if port, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && slices.Contains(taken, port) {
			t.Errorf("both were given port %d", port)
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
