package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// maxAnswer is the size of the largest answer of the API that a tool reads, in bytes.
const maxAnswer = 8 << 20

var errLong = errors.New("the answer is longer than 8 MiB: ask for less of it")

// inside sends requests to a handler of this process, as from the machine and the connection that outer came from.
type inside struct {
	handler http.Handler
	outer   *http.Request
}

// RoundTrip answers a request with what the handler writes. The context has what surrounds the API put into the outer request's, such as the address of the
// caller, and ends with either request.
func (i inside) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, end := context.WithCancel(context.WithoutCancel(i.outer.Context()))
	defer end()
	defer context.AfterFunc(req.Context(), end)()
	defer context.AfterFunc(i.outer.Context(), end)()
	in := req.Clone(ctx)
	in.RemoteAddr, in.RequestURI, in.Proto, in.TLS = i.outer.RemoteAddr, req.URL.RequestURI(), i.outer.Proto, i.outer.TLS
	if in.Body == nil {
		in.Body = http.NoBody
	}
	w := &answer{header: http.Header{}, status: http.StatusOK}
	i.handler.ServeHTTP(w, in)
	if err := errors.Join(w.err, req.Context().Err()); err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
	}, nil
}

// answer keeps what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	err    error
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(p []byte) (int, error) {
	if a.body.Len()+len(p) > maxAnswer {
		a.err = errLong
		return 0, errLong
	}
	return a.body.Write(p)
}
