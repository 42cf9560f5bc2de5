package app

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A client that stops reading holds no request.
func TestClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 1<<20)
		for {
			if _, err := w.Write(piece); err != nil {
				ended <- err
				return
			}
		}
	}))
	server.Listener = readers{server.Listener, 10 * time.Millisecond}
	server.Start()
	t.Cleanup(server.Close)
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the answer was sent")
	}
}
