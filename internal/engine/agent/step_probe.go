package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	probeWithin = 5 * time.Second
	// probeFirst is how long the first wait is. Each next one is twice as long, up to probeMost: an answer can cost the application much.
	probeFirst = 50 * time.Millisecond
	probeMost  = 500 * time.Millisecond
	probeOnce  = 3 * time.Second
	// probeAgent is who asks, in access logs.
	probeAgent = "hostler-probe"
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
	for wait := probeFirst; ; wait = min(2*wait, probeMost) {
		err := c.ask(ctx, i, s.Probe)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Now().Add(wait).After(end) {
			return &stepError{reason: err.Error()}
		}
		select {
		case <-time.After(wait):
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
		c.x.checked(wire.CheckService, p.Unit+" is active")
	}
	if p.TCP != "" {
		d := net.Dialer{Timeout: probeOnce}
		conn, err := d.DialContext(ctx, "tcp", p.TCP)
		if err != nil {
			return fmt.Errorf("nothing accepts connections at %s: %w", p.TCP, err)
		}
		conn.Close()
		c.x.checked(wire.CheckPort, p.TCP+" accepts connections")
	}
	if p.Socket != "" {
		d := net.Dialer{Timeout: probeOnce}
		conn, err := d.DialContext(ctx, "unix", p.Socket)
		if err != nil {
			return fmt.Errorf("nothing accepts connections at %s: %w", p.Socket, err)
		}
		conn.Close()
		c.x.checked(wire.CheckPort, p.Socket+" accepts connections")
	}
	if p.Cron != "" {
		if err := c.askCron(ctx, p.Cron); err != nil {
			return err
		}
	}
	if p.HTTP == nil {
		return nil
	}
	code := c.x.askHTTP(ctx, p.HTTP)
	asked := fmt.Sprintf("http://%s%s on port %d", p.HTTP.Host, p.HTTP.Path, p.HTTP.Port)
	switch {
	case code == 0 && (!p.HTTP.SameAsBefore || c.before[i] != 0):
		return fmt.Errorf("%s gives no answer", asked)
	case p.HTTP.SameAsBefore && code != c.before[i], p.HTTP.NotWorse && isGood(c.before[i]) && !isGood(code):
		return fmt.Errorf("%s answers %d, before the change %d", asked, code, c.before[i])
	case code == http.StatusServiceUnavailable && c.x.isDown(p.HTTP.Down):
		c.x.log.Emit(wire.Event{Kind: wire.EventOutput, Step: stepCheck, Text: asked + " answers 503: the site is in maintenance mode, which is no failure\n"})
	case len(p.HTTP.Status) > 0 && !slices.Contains(p.HTTP.Status, code):
		return fmt.Errorf("%s answers %d", asked, code)
	case p.HTTP.SameAsBefore && code != 0:
		c.x.checked(wire.CheckHTTP, fmt.Sprintf("%s answers %d, as before the change", asked, code))
	case code != 0:
		c.x.checked(wire.CheckHTTP, fmt.Sprintf("%s answers %d", asked, code))
	}
	return nil
}

// isGood reports whether an answer is none of an error.
func isGood(code int) bool { return code > 0 && code < http.StatusBadRequest }

// isDown reports whether an application has put itself into maintenance mode. The file is looked for as far as its account could have made it.
func (x *execution) isDown(file *wire.LogFiles) bool {
	if file == nil {
		return false
	}
	for _, p := range file.Paths {
		if f, _, err := x.a.openNewest(p, file, unix.O_RDONLY); err == nil && f != nil {
			f.Close()
			return true
		}
	}
	return false
}

// maxFollowed is how many redirects a probe follows.
const maxFollowed = 5

// askHTTP returns the status code of one request to this host, 0 if there is no answer. A redirect is an answer, unless it is followed: to another name
// or port of this host.
func (x *execution) askHTTP(ctx context.Context, p *wire.HTTPProbe) int {
	ctx, cancel := context.WithTimeout(ctx, probeOnce)
	defer cancel()
	pass := ""
	if p.Pass != "" {
		if raw, err := os.ReadFile(x.a.host(p.Pass)); err == nil {
			pass = string(raw)
		}
	}
	at, port := &url.URL{Scheme: "http", Host: p.Host}, p.Port
	if p.TLS {
		at.Scheme = "https"
	}
	at, err := at.Parse(p.Path)
	if err != nil {
		return 0
	}
	code := 0
	for range maxFollowed {
		var next string
		if code, next = askOnce(ctx, at, port, p.Scheme, pass); !p.Follow || code < 300 || code > 399 || next == "" {
			break
		}
		to, err := at.Parse(next)
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			break
		}
		if to.Scheme != at.Scheme || to.Port() != "" {
			port = map[string]int{"http": 80, "https": 443}[to.Scheme]
			if n, err := strconv.Atoi(to.Port()); err == nil {
				port = n
			}
		}
		if at = to; strings.TrimPrefix(at.Hostname(), "www.") != strings.TrimPrefix(p.Host, "www.") {
			pass = "" // it is this site's
		}
	}
	return code
}

// askOnce requests a URL from this host and returns the status code and the address of a redirect.
func askOnce(ctx context.Context, at *url.URL, port int, proxied, pass string) (code int, location string) {
	address := *at
	address.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return 0, ""
	}
	req.Host = at.Host
	req.Header.Set("User-Agent", probeAgent)
	if proxied != "" {
		req.Header.Set("X-Forwarded-Proto", proxied)
	}
	if pass != "" {
		req.Header.Set("X-Hostler-Check", pass)
	}
	// No proxy stands between a host and itself.
	tr := &http.Transport{DisableKeepAlives: true}
	if at.Scheme == "https" {
		tr.TLSClientConfig = &tls.Config{ServerName: at.Hostname(), InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
	}
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return 0, ""
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Location")
}
