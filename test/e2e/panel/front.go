package panel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hostlerhq/hostler/test/port"
)

// Front is a proxy that uses replicas in turn, and the next if one can't be reached. It stands in for a real one, and knows which
// requests a kill could have affected.
type Front struct {
	url     string
	server  *http.Server
	targets []string
	turn    atomic.Uint64

	mu    sync.Mutex
	kills map[string][]span
	lost  []Lost
}

// Lost is a request that had reached a replica and got no answer.
type Lost struct {
	Method, Path, Target string
	Err                  error
	// Killed reports whether the replica was killed during the request.
	Killed bool

	span
}

// span is from one moment to another.
type span struct{ began, ended time.Time }

func (s span) meets(o span) bool { return !s.began.After(o.ended) && !s.ended.Before(o.began) }

func newFront(gateway string, programs []*program) (*Front, error) {
	f := &Front{kills: map[string][]span{}}
	for _, p := range programs {
		f.targets = append(f.targets, p.listen)
	}
	port, err := port.Take()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "0.0.0.0:"+strconv.Itoa(port))
	if err != nil {
		return nil, fmt.Errorf("listen before the replicas: %w", err)
	}
	f.url = "http://" + net.JoinHostPort(gateway, strconv.Itoa(port))
	quiet := log.New(io.Discard, "", 0)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", "replicas", r.In.Host
		},
		Transport: f, ErrorLog: quiet, FlushInterval: -1,
	}
	f.server = &http.Server{Handler: proxy, ErrorLog: quiet, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = f.server.Serve(l) }()
	return f, nil
}

// RoundTrip sends a request to the replica whose turn it is.
func (f *Front) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil { // kept: a transport closes what it could not send
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	var last error
	for range f.targets {
		target := f.targets[f.turn.Add(1)%uint64(len(f.targets))]
		out := req.Clone(req.Context())
		out.URL = &url.URL{Scheme: "http", Host: target, Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery}
		out.Body = io.NopCloser(bytes.NewReader(body))
		if len(body) == 0 {
			out.Body = http.NoBody
		}
		began := time.Now()
		resp, err := direct.RoundTrip(out)
		if err == nil {
			return resp, nil
		}
		last = err
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			continue // nothing was sent
		}
		f.mu.Lock()
		f.lost = append(f.lost, Lost{Method: req.Method, Path: req.URL.Path, Target: target, Err: err, span: span{began, time.Now()}})
		f.mu.Unlock()
		break
	}
	return nil, last
}

// direct uses a connection once, so that a request that fails was sent to a replica that was there.
var direct = &http.Transport{DisableKeepAlives: true, Proxy: nil}

// killed records that a replica was killed, from before the signal until it was gone.
func (f *Front) killed(target string, began time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kills[target] = append(f.kills[target], span{began, time.Now()})
}

func (f *Front) close() { _ = f.server.Close() }

// Lost returns the requests that replicas took and did not answer.
func (p *Panel) Lost() []Lost {
	f := p.front
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]Lost, len(f.lost))
	for i, l := range f.lost {
		for _, at := range f.kills[l.Target] {
			l.Killed = l.Killed || l.meets(at)
		}
		out[i] = l
	}
	return out
}
