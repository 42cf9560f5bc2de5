package proc

import (
	"net"
	"os"
	"testing"
)

func TestListening(t *testing.T) {
	before := Listening(os.Getpid())
	listen := func(network, address string) net.Listener {
		t.Helper()
		l, err := net.Listen(network, address)
		if err != nil {
			t.Skipf("%s: %v", network, err)
		}
		return l
	}
	first := listen("tcp4", "127.0.0.1:0")
	conn, err := net.Dial("tcp4", first.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	one := Listening(os.Getpid())
	if len(one) != len(before)+1 {
		t.Fatalf("with one port and a connection, there are %q after %q", one, before)
	}
	address := first.Addr().String()
	first.Close()
	if now := Listening(os.Getpid()); len(now) != len(before) {
		t.Errorf("with the port closed, there are %q", now)
	}
	again := listen("tcp4", address)
	defer again.Close()
	now := Listening(os.Getpid())
	if len(now) != len(before)+1 || now[len(now)-1] == one[len(one)-1] {
		t.Errorf("opened again, there are %q after %q", now, one)
	}
	if out := Listening(0); out != nil {
		t.Errorf("no process listens on %q", out)
	}
}
