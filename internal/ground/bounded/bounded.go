// Package bounded reads what other programs and services send, of which there may be any amount. What is too long is an error, never a shorter answer: the end
// of a list that is missing looks like a list that ends there.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrLong is returned for what is longer than it may be.
var ErrLong = errors.New("it is too long")

// ReadAll reads to the end, at most so many bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	raw, err := io.ReadAll(Reader(r, most))
	if errors.Is(err, ErrLong) {
		return nil, err
	}
	return raw, err
}

// Reader returns a reader that fails with ErrLong after so many bytes, unless r ends there.
func Reader(r io.Reader, most int64) io.Reader { return &reader{r: r, left: most} }

type reader struct {
	r    io.Reader
	left int64 // -1 once it is exceeded
}

// Read reads one byte more than there may be, to know whether there is one.
func (b *reader) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrLong
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), -1
		return n, ErrLong
	}
	b.left -= int64(n)
	return n, err //nolint:wrapcheck // as the reader says it
}

// Transport returns a transport whose answers fail with ErrLong after so many bytes: libraries of providers read them to their end.
func Transport(next http.RoundTripper, most int64) http.RoundTripper { return transport{next, most} }

type transport struct {
	next http.RoundTripper
	most int64
}

// RoundTrip makes one call.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("call: %w", err)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{Reader(resp.Body, t.most), resp.Body}
	return resp, nil
}

// CloseIdleConnections closes those of the transport below.
func (t transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
