package app

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections a test makes.
type pipes struct{ conns chan net.Conn }

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p *pipes) Close() error { close(p.conns); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// A client that never sends the body it announced does not keep the server from ending.
func TestShutdownDoesNotWaitForASlowBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{make(chan net.Conn)}
		server := &http.Server{ReadHeaderTimeout: readHeaderTimeout, Handler: http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
		})}
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		client, conn := net.Pipe()
		l.conns <- conn
		if _, err := io.WriteString(client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begun := time.Now()
		shutdown(context.Background(), server)
		if took := time.Since(begun); took > shutdownTimeout {
			t.Errorf("it took %s", took)
		}
		if _, err := client.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is open")
		}
		<-served
	})
}
