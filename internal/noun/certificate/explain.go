package certificate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// withdrawn matches the library's text for an authorization that an authority took back (RFC 8555, 7.1.6).
var withdrawn = regexp.MustCompile(`\[([^\]]+)\] authorization (revoked|deactivated|expired)`)

// judge returns the end of an order that obtained nothing. A failure of this service itself, or a caller that leaves, is no end: the work is tried again.
func (a *Authority) judge(ctx context.Context, o Order, err error) error {
	if errors.As(err, new(*ownError)) || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &job.StageError{Reason: explain(err) + a.stray(ctx, o, err) + a.shut(ctx, o, err)}
}

// explain explains why an authority did not issue: which name is at fault, if one is.
func explain(err error) string { return strings.ToValidUTF8(explained(err), "") }

func explained(err error) string {
	var problem acme.Problem
	if errors.As(err, &problem) {
		return said(problem)
	}
	var proof *proofError
	if errors.As(err, &proof) {
		return proof.reason
	}
	var away *url.Error
	if errors.As(err, &away) {
		return "The authority can't be reached: " + away.Error()
	}
	if m := withdrawn.FindStringSubmatch(err.Error()); m != nil {
		return "The authority withdrew the order: its authorization for " + m[1] + " is " + m[2] + "."
	}
	if strings.Contains(err.Error(), "final order is invalid") {
		var why *acme.Problem
		if errors.As(err, &why) && why != nil {
			return "The authority withdrew the order. " + said(*why)
		}
		return "The authority withdrew the order: it is invalid."
	}
	return "No certificate could be obtained: " + err.Error()
}

// said returns an authority's description of a problem, and its names.
func said(p acme.Problem) string {
	out := ended("The authority refused: " + p.Detail)
	if a, ok := p.Resource.(acme.Authorization); ok {
		out = ended("The authority could not verify " + a.IdentifierValue() + ": " + p.Detail)
	}
	for _, sub := range p.Subproblems {
		out += ended(" " + sub.Identifier.Value + ": " + sub.Detail)
	}
	return out
}

// ended adds a full stop to another party's sentence.
func ended(s string) string { return strings.TrimRight(s, ". ") + "." }

// shut returns that the server's firewall keeps an authority out, which asks a server itself for its proof over HTTP; "" if it
// does not, or if that is unknown.
func (a *Authority) shut(ctx context.Context, o Order, failure error) string {
	var problem acme.Problem
	if o.Method == DNS01 || !errors.As(failure, &problem) {
		return ""
	}
	if _, ok := problem.Resource.(acme.Authorization); !ok {
		return ""
	}
	web, err := value.ParsePort("80") // RFC 8555, 8.3
	if err != nil {
		return ""
	}
	if rules, err := a.DB.Read().ListFirewallRules(ctx, o.Server); err != nil || open(rules, web) {
		return ""
	}
	return " The server's firewall lets authorities in on port 80 only if a rule allows it for every address: add one."
}

// open reports whether rules let every address in at a port.
func open(rules []query.FirewallRule, port value.Port) bool {
	return slices.ContainsFunc(rules, func(r query.FirewallRule) bool {
		return r.Type == "allow" && r.IPAddress.IsZero() && (r.Port.IsZero() || r.Port.Contains(port))
	})
}

// strayWithin limits the DNS lookups of stray.
const strayWithin = 5 * time.Second

// stray returns where DNS points the names of an order that failed over HTTP, for those that do not point to the server; "" if
// all do, or if that is unknown. With another proxy or balancer in front that can be right, so it explains a failure and is not
// one itself.
func (a *Authority) stray(ctx context.Context, o Order, failure error) string {
	var problem acme.Problem
	if o.Method == DNS01 || o.Server.IPAddress == nil || a.Resolver == nil || !errors.As(failure, &problem) {
		return ""
	}
	if _, ok := problem.Resource.(acme.Authorization); !ok {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, strayWithin)
	defer cancel()
	var out strings.Builder
	for _, name := range o.Names {
		addresses, err := a.Resolver.Lookup(ctx, dns.A, name)
		newer, failed := a.Resolver.Lookup(ctx, dns.AAAA, name)
		switch server := *o.Server.IPAddress; {
		case err != nil || failed != nil || slices.Contains(newer, server):
		case slices.Contains(addresses, server):
			if len(newer) > 0 {
				fmt.Fprintf(&out, " The DNS leads %s to %s as well, which authorities ask first: it must be this server's, or go.", name, strings.Join(newer, " and "))
			}
		case len(addresses)+len(newer) == 0:
			fmt.Fprintf(&out, " The DNS has no address for %s.", name)
		default:
			fmt.Fprintf(&out, " The DNS leads %s to %s, and this server is %s.", name, strings.Join(append(addresses, newer...), " and "), server)
		}
	}
	return out.String()
}
