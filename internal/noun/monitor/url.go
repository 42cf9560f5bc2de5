package monitor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// typeURL is the type of monitors that Hostler asks itself, from outside of the server.
const typeURL = "url"

const (
	askEvery   = time.Minute
	askTimeout = 10 * time.Second
	// askTurn limits the answers of a minute: what was not asked then is the first in the next.
	askTurn      = 50 * time.Second
	askAtOnce    = 128
	maxRedirects = 10
	// askGap is the time after which answers are no longer in succession: Hostler was away.
	askGap = 3 * time.Minute
	// askTime is the time that has to pass between two answers, less than askEvery as the job is not exact.
	askTime = 45 * time.Second
)

// Asker asks the URLs of monitors, and records the changes of their states.
type Asker struct {
	Observer
	// Guard decides where connections may lead to.
	Guard outbound.Guard
	// Online reports whether Hostler has a network, from what is known of a host that does not answer.
	Online func(ctx context.Context, host string) bool
	// Timeout limits one answer with all of its redirects, by default to 10 seconds.
	Timeout time.Duration
}

// AskURLs asks the URL of each monitor that has one.
type AskURLs struct{}

// Kind names the job.
func (AskURLs) Kind() string { return "monitor.urls" }

// Periodic returns how often that is.
func Periodic() job.Periodic { return job.Periodic{Every: askEvery, Args: AskURLs{}} }

// answer is how a URL answered.
type answer struct {
	// failure says what is wrong, "" for nothing.
	failure string
	// silent is a failure that could be that of our own network.
	silent bool
}

// AskURLs asks each URL once, however many monitors it has. What may have failed for want of a network of our own counts for nothing.
func (a *Asker) AskURLs(ctx context.Context, _ AskURLs) error {
	rows, err := a.DB.Read().Ungranted().ListURLMonitors(ctx, a.DB.Clock.Now().Add(-askTime).UnixMicro())
	if err != nil || len(rows) == 0 {
		return err
	}
	answers := a.ask(ctx, rows)
	online := sync.OnceValue(func() bool { return a.online(ctx, answers) })
	var failed []error // one monitor's does not keep the others from being recorded
	for _, row := range rows {
		got, asked := answers[row.URL]
		if !asked || got.silent && !online() {
			continue
		}
		if err := a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return a.answered(ctx, tx, row, got) }); err != nil {
			failed = append(failed, fmt.Errorf("record the answer to monitor %d: %w", row.ID, err))
		}
	}
	return errors.Join(failed...)
}

// ask asks the URLs of monitors in their order, as many as there is time for.
func (a *Asker) ask(ctx context.Context, rows []query.Monitor) map[string]answer {
	ctx, cancel := context.WithTimeout(ctx, askTurn)
	defer cancel()
	transport := a.Guard.Transport()
	transport.DisableKeepAlives = true // names and certificates are looked at each time
	client := &http.Client{Transport: transport, Timeout: cmp.Or(a.Timeout, askTimeout), CheckRedirect: a.redirect}
	var mu sync.Mutex
	answers := map[string]answer{}
	begun := map[string]bool{}
	var wg sync.WaitGroup
	places := make(chan struct{}, askAtOnce)
	for _, row := range rows {
		if begun[row.URL] {
			continue
		}
		begun[row.URL] = true
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-places }()
			own := *client
			own.Jar, _ = cookiejar.New(nil) // many sites give a cookie and send on to the same page
			got := get(ctx, &own, row.URL)
			if ctx.Err() != nil { // it had less time than the others
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers[row.URL] = got
		})
	}
	wg.Wait()
	return answers
}

var errRedirects = errors.New("it redirects more than " + fmt.Sprint(maxRedirects) + " times")

// redirect follows to where a user could have sent us directly.
func (a *Asker) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	req.Header.Del("Referer")
	to := *req.URL
	to.Fragment = ""
	if _, err := a.Guard.CheckURL(to.String()); err != nil {
		return errTarget
	}
	return nil
}

var errTarget = errors.New("it redirects to a URL that is not asked")

// get asks a URL. Of the answer only its head is read.
func get(ctx context.Context, client *http.Client, text string) answer {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, text, nil)
	if err != nil {
		return answer{failure: "The URL is not valid."}
	}
	req.Header.Set("User-Agent", "Hostler")
	req.Header.Set("Cache-Control", "no-cache")
	resp, err := client.Do(req)
	switch {
	case errors.Is(err, errRedirects):
		return answer{failure: fmt.Sprintf("It redirects more than %d times.", maxRedirects)}
	case errors.Is(err, errTarget):
		return answer{failure: "It redirects to a URL that is not allowed."}
	case err != nil:
		return answer{failure: outbound.Explain(err), silent: silent(err)}
	}
	_ = resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return answer{failure: fmt.Sprintf("It answered with %d.", resp.StatusCode)}
	}
	return answer{}
}

// silent reports whether a call failed in a way in which it also fails without a network: nothing came back.
func silent(err error) bool {
	var name *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, outbound.ErrForbidden):
		return false
	case errors.As(err, &name):
		return !name.IsNotFound
	case errors.As(err, &timeout) && timeout.Timeout():
		return true
	}
	for _, e := range []error{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.EADDRNOTAVAIL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// maxProofs is how many of the hosts that do not answer are looked into.
const maxProofs = 3

// online reports whether Hostler has a network, which is asked only when something does not answer.
func (a *Asker) online(ctx context.Context, answers map[string]answer) bool {
	tried := map[string]bool{}
	for text, got := range answers {
		u, err := url.Parse(text)
		if err != nil || !got.silent || tried[u.Hostname()] {
			continue
		}
		tried[u.Hostname()] = true
		if a.Online(ctx, u.Hostname()) {
			return true
		}
		if len(tried) >= maxProofs {
			break
		}
	}
	return false
}

// Resolves reports whether names are resolved: those below a host, or below its top-level domain. The name is a new one each time, so that no cache knows it;
// that it does not exist is an answer as well.
func Resolves(ctx context.Context, host string) bool {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	below := []string{"com"}
	if _, err := netip.ParseAddr(host); err != nil {
		host = strings.TrimSuffix(host, ".")
		below = []string{host, host[strings.LastIndex(host, ".")+1:]}
	}
	for _, domain := range below {
		_, err := net.DefaultResolver.LookupHost(ctx, "hostler-"+strings.ToLower(rand.Text())+"."+domain+".")
		var name *net.DNSError
		if err == nil || errors.As(err, &name) && name.IsNotFound {
			return true
		}
	}
	return false
}

// answered records how the URL of a monitor answered. Its state changes once as many answers in succession as it has minutes say the same.
func (a *Asker) answered(ctx context.Context, tx *db.Tx, row query.Monitor, got answer) error {
	failed, n := got.failure != "", int64(1)
	if failed == row.Failed && tx.Now.Sub(time.UnixMicro(row.AskedAt)) <= askGap {
		n += row.InSuccession
	}
	changed, err := tx.SetMonitorAnswer(ctx, row.ID, tx.Micros(), failed, min(n, wire.MaxMonitorMinutes))
	if err != nil || changed == 0 { // another process was quicker, or it is gone
		return err
	}
	minutes := int64(1)
	if row.Minutes != nil {
		minutes = *row.Minutes
	}
	state := map[bool]string{true: wire.MonitorAlert, false: wire.MonitorOK}[failed]
	late := row.Notified != "" && row.Notified != state // a change that came too soon after another one
	if n < minutes || state == row.State && !late {
		return nil
	}
	srv, err := tx.GetServer(ctx, row)
	if err != nil {
		return fmt.Errorf("read the server of monitor %d: %w", row.ID, err)
	}
	at := tx.Now.UTC().Format(time.RFC3339)
	text := fmt.Sprintf("%s answered at %s.\n", shortURL(row.URL), at)
	if failed {
		text = fmt.Sprintf("%s was asked at %s. %s\n", shortURL(row.URL), at, got.failure)
		if minutes > 1 {
			text += fmt.Sprintf("The monitor alerts once it failed for %d minutes.\n", minutes)
		}
	}
	if state == row.State {
		return a.notify(ctx, tx, srv, row, state, text)
	}
	return a.record(ctx, tx, srv, row, state, tx.Micros(), text)
}

// hostOf returns the host of a URL that was checked.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "its URL"
	}
	return u.Hostname()
}

// shortURL returns a URL without its query, which may hold a secret.
func shortURL(text string) string {
	before, _, _ := strings.Cut(text, "?")
	return before
}
