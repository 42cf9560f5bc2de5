package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	probeWithin = 5 * time.Second
	probeEvery  = 50 * time.Millisecond
	probeOnce   = 3 * time.Second
)

// probe repeats a check until it succeeds.
func (c *change) probe(ctx context.Context, i int, s wire.Step) error {
	within := s.Probe.Within
	if within <= 0 {
		within = probeWithin
	}
	end := time.Now().Add(within)
	if s.Probe.Drained != "" {
		return c.x.drained(ctx, s.Probe.Drained, end)
	}
	for {
		err := c.ask(ctx, i, s.Probe)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Now().Add(probeEvery).After(end) {
			return &stepError{reason: err.Error()}
		}
		select {
		case <-time.After(probeEvery):
		case <-ctx.Done():
		}
	}
}

func (c *change) ask(ctx context.Context, i int, p *wire.Probe) error {
	if p.Unit != "" {
		out := output.New(nil, nil, nil)
		err := c.x.a.programs.Run(ctx, program.Program{Argv: []string{"systemctl", "is-active", "--", p.Unit}, Timeout: probeOnce, Out: out, Run: c.x.mark()})
		state, _ := out.Finish()
		var exit *program.ExitError
		switch {
		case errors.As(err, &exit):
			return fmt.Errorf("unit %s is %s", p.Unit, strings.TrimSpace(state))
		case err != nil:
			return fmt.Errorf("ask for unit %s: %w", p.Unit, err)
		}
	}
	if p.TCP != "" {
		d := net.Dialer{Timeout: probeOnce}
		conn, err := d.DialContext(ctx, "tcp", p.TCP)
		if err != nil {
			return fmt.Errorf("nothing accepts connections at %s: %w", p.TCP, err)
		}
		conn.Close()
	}
	if p.Socket != "" {
		d := net.Dialer{Timeout: probeOnce}
		conn, err := d.DialContext(ctx, "unix", p.Socket)
		if err != nil {
			return fmt.Errorf("nothing accepts connections at %s: %w", p.Socket, err)
		}
		conn.Close()
	}
	if p.HTTP == nil {
		return nil
	}
	code := askHTTP(ctx, p.HTTP)
	url := fmt.Sprintf("http://%s%s on port %d", p.HTTP.Host, p.HTTP.Path, p.HTTP.Port)
	switch {
	case code == 0 && (!p.HTTP.SameAsBefore || c.before[i] != 0):
		return fmt.Errorf("%s gives no answer", url)
	case p.HTTP.SameAsBefore && code != c.before[i]:
		return fmt.Errorf("%s answers %d, before the change %d", url, code, c.before[i])
	case len(p.HTTP.Status) > 0 && !slices.Contains(p.HTTP.Status, code):
		return fmt.Errorf("%s answers %d", url, code)
	}
	return nil
}

// askHTTP returns the status code of one request to this host, 0 if there is no answer.
func askHTTP(ctx context.Context, p *wire.HTTPProbe) int {
	ctx, cancel := context.WithTimeout(ctx, probeOnce)
	defer cancel()
	scheme := "http://"
	if p.TLS {
		scheme = "https://"
	}
	url := scheme + net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Port)) + p.Path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	req.Host = p.Host
	req.Header.Set("User-Agent", "hostler-probe")
	if p.Scheme != "" {
		req.Header.Set("X-Forwarded-Proto", p.Scheme)
	}
	// A redirect is an answer, and no proxy stands between a host and itself.
	tr := &http.Transport{DisableKeepAlives: true}
	if p.TLS {
		tr.TLSClientConfig = &tls.Config{ServerName: p.Host, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
	}
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}
