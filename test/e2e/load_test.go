package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// visitor asks sites of a host for pages, as a browser that resolves their names to it.
type visitor struct {
	client *http.Client
	base   string
	host   string
	// keepAlive allows one more try where an idle connection turns out to be closed: what every client does (RFC 9110, 9.2.2).
	keepAlive bool
}

func newVisitor(address, host string, keepAlive bool) *visitor {
	return &visitor{base: "http://" + address + "/", host: host, keepAlive: keepAlive, client: &http.Client{
		Timeout:       10 * time.Second,
		Transport:     &http.Transport{DisableKeepAlives: !keepAlive, MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// get asks once and returns status and text.
func (v *visitor) get(ctx context.Context) (int, string, error) {
	code, text, reused, err := v.once(ctx)
	if err != nil && reused && v.keepAlive && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) {
		code, text, _, err = v.once(ctx)
	}
	return code, text, err
}

func (v *visitor) once(ctx context.Context) (code int, text string, reused bool, err error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base, nil)
	if err != nil {
		return 0, "", false, err
	}
	req.Host, req.GetBody = v.host, nil
	req.Header.Set("Idempotency-Key", "none") // no retries by the transport: they would hide what is counted
	resp, err := v.client.Do(req)
	if err != nil {
		return 0, "", reused, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), reused, err
}

// tally is what visitors saw.
type tally struct {
	mu     sync.Mutex
	total  int
	byNode map[string]int
	failed []string
}

// nodeOf returns the host that made the first page of a PHP site.
func nodeOf(text string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "Ready: "), ",")
	return name
}

func (y *tally) add(code int, text string, err error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.total++
	if err != nil || code != http.StatusOK {
		y.failed = append(y.failed, fmt.Sprintf("%d %v %.80s", code, err, text))
		return
	}
	y.byNode[nodeOf(text)]++
}

// ask asks n times from several visitors at once.
func ask(t testing.TB, address, host string, n int) *tally { return crowd(t, address, host, n, 4) }

func crowd(t testing.TB, address, host string, n, visitors int) *tally {
	t.Helper()
	y := &tally{byNode: map[string]int{}}
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range visitors {
		wg.Go(func() {
			v := newVisitor(address, host, false)
			for left.Add(-1) >= 0 {
				y.add(v.get(t.Context()))
			}
		})
	}
	wg.Wait()
	return y
}

// pressure asks without a pause until stop is called, and returns what was seen.
func pressure(t testing.TB, address, host string, keepAlive bool) (stop func() *tally) {
	t.Helper()
	return pressureOf(t, address, host, keepAlive, 4)
}

// pressureOf returns pressure of so many visitors.
func pressureOf(t testing.TB, address, host string, keepAlive bool, visitors int) (stop func() *tally) {
	t.Helper()
	y := &tally{byNode: map[string]int{}}
	ctx := t.Context()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range visitors {
		wg.Go(func() {
			v := newVisitor(address, host, keepAlive)
			for {
				select {
				case <-done:
					return
				default:
					y.add(v.get(ctx))
				}
			}
		})
	}
	var once sync.Once
	end := func() { once.Do(func() { close(done) }); wg.Wait() }
	t.Cleanup(end)
	return func() *tally { end(); return y }
}
