package api

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/access"
)

// DefaultRateLimit is how many requests a minute a token, a person or an address without either may make. LeastRateLimit is the contract's.
const (
	DefaultRateLimit = 600
	LeastRateLimit   = 60
)

const rateWindow = time.Minute

// limiter counts requests in windows of a minute. It counts in memory: each process of an installation has its own count.
type limiter struct {
	most  int
	now   func() time.Time
	mu    sync.Mutex
	start time.Time
	seen  map[string]int
}

// allowance is what is left of a window.
type allowance struct {
	limit, left int
	reset       time.Time
	wait        time.Duration
	ok          bool
}

// take counts a request of a caller.
func (l *limiter) take(caller string) allowance {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if start := now.Truncate(rateWindow); !start.Equal(l.start) {
		l.start, l.seen = start, map[string]int{}
	}
	before := l.seen[caller]
	a := allowance{limit: l.most, reset: l.start.Add(rateWindow), ok: before < l.most}
	if a.ok {
		before++
		l.seen[caller] = before
	}
	a.left, a.wait = max(0, l.most-before), a.reset.Sub(now)
	return a
}

func (a allowance) header(h http.Header) {
	h.Set("X-Ratelimit-Limit", strconv.Itoa(a.limit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(a.left))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(a.reset.Unix(), 10))
}

func (a allowance) err() error {
	if a.ok {
		return nil
	}
	return &Error{Status: http.StatusTooManyRequests, Message: "Too Many Attempts.", Header: http.Header{"Retry-After": {strconv.Itoa(int((a.wait + time.Second - 1) / time.Second))}}}
}

// callerKey names who is counted: the credential, or for nobody the address, of IPv6 the network that one customer has.
func callerKey(actor access.Actor, req *http.Request) string {
	if actor.UserID != 0 {
		return actor.Caller()
	}
	return "address:" + ClientNetwork(req.Context())
}
