package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

// DefaultRateLimit is the number of requests per minute for a token, a person or an anonymous address. LeastRateLimit is the
// contract's, and the minimum. CommandRateLimit is for operations that run something on a server each time.
const (
	DefaultRateLimit = 600
	LeastRateLimit   = 60
	CommandRateLimit = 60
)

// mostTimes limits the limit of an organization or a token, as a multiple of the installation's.
const mostTimes = 10

// RateLimits are the limits of an installation, in requests per minute.
type RateLimits struct{ Default, Least, Most int }

// RateLimits returns the allowed limits.
func (r *Router) RateLimits() RateLimits {
	return RateLimits{r.limiter.most, LeastRateLimit, mostTimes * r.limiter.most}
}

// Check reports a limit outside of the allowed range under a field.
func (l RateLimits) Check(f Fields, field string, n int64) {
	if n < int64(l.Least) || n > int64(l.Most) {
		f.Add(field, "The %s field must be between %d and %d.", field, l.Least, l.Most)
	}
}

// OrganizationLimit returns an organization's limit, zero for none or for an organization that the actor is not in.
type OrganizationLimit func(ctx context.Context, actor access.Actor, slug string) (int, error)

const rateWindow = time.Minute

// limiter counts requests in windows of a minute. It counts in memory: each process of an installation has its own count.
type limiter struct {
	most  int
	now   func() time.Time
	mu    sync.Mutex
	start time.Time
	seen  map[string]int
}

// allowance is the remainder of a window.
type allowance struct {
	limit, left int
	reset       time.Time
	wait        time.Duration
	ok          bool
}

// take counts a request of a caller who is allowed most requests.
func (l *limiter) take(caller string, most int) allowance {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if start := now.Truncate(rateWindow); !start.Equal(l.start) {
		l.start, l.seen = start, map[string]int{}
	}
	before := l.seen[caller]
	a := allowance{limit: most, reset: l.start.Add(rateWindow), ok: before < most}
	if a.ok {
		before++
		l.seen[caller] = before
	}
	a.left, a.wait = max(0, most-before), a.reset.Sub(now)
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
	return &Error{
		Status: http.StatusTooManyRequests, Message: "Too Many Attempts.",
		Header: http.Header{"Retry-After": {strconv.Itoa(int((a.wait + time.Second - 1) / time.Second))}},
	}
}

// limit counts a request, and reports the remainder in w: for the caller, for the organization if it has its own limit, and for
// the operation if it has one.
func (r *Router) limit(w http.ResponseWriter, req *http.Request, actor access.Actor, op *Operation) error {
	if actor.UserID == 0 { // the address, or for IPv6 the network that one customer has
		return r.take(w, "address:"+ClientNetwork(req.Context()), r.limiter.most)
	}
	key, most := actor.Caller(), r.limiter.most
	if actor.RateLimit > 0 {
		most = actor.RateLimit
	}
	if slug := organizationOf(req.URL.Path); storable(slug) && slug != "" && r.orgLimit != nil {
		n, err := r.orgLimit(req.Context(), actor, slug)
		if err != nil {
			return err
		}
		if n > 0 {
			key += " in " + slug
			if most = n; actor.RateLimit > 0 {
				most = min(n, actor.RateLimit)
			}
		}
	}
	if err := r.take(w, key, most); err != nil {
		return err
	}
	if op.RateLimit > 0 && op.RateLimit < most {
		return r.take(w, key+" "+op.ID, op.RateLimit)
	}
	return nil
}

func (r *Router) take(w http.ResponseWriter, key string, most int) error {
	a := r.limiter.take(key, most)
	a.header(w.Header())
	return a.err()
}

// organizationOf returns the slug of the organization that contains a path.
func organizationOf(path string) string {
	rest, ok := strings.CutPrefix(path, Root+"/orgs/")
	if !ok {
		return ""
	}
	slug, _, _ := strings.Cut(rest, "/")
	return slug
}

// LimitKey counts a request other than an operation's under a key of the caller's choice.
func (r *Router) LimitKey(w http.ResponseWriter, key string, most int) error {
	return r.take(w, key, most)
}

// LimitAddress counts a request other than an operation's under its address. most is requests per minute; zero is the installation's limit.
func (r *Router) LimitAddress(w http.ResponseWriter, req *http.Request, what string, most int) error {
	if most == 0 {
		most = r.limiter.most
	}
	return r.take(w, what+" address:"+ClientNetwork(req.Context()), most)
}

// Limited counts requests to next, which is outside of the API, by address. most is as for LimitAddress.
func (r *Router) Limited(what string, most int, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var over *Error
		if !errors.As(r.LimitAddress(w, req, what, most), &over) {
			next.ServeHTTP(w, req)
			return
		}
		for name, values := range over.Header {
			w.Header()[name] = values
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, over.Message, over.Status)
	})
}
