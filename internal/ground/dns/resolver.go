// Package dns queries public DNS, and publishes proofs of control over a name for certificate authorities (RFC 8555, 8.4).
package dns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// A Resolver queries nameservers.
type Resolver struct {
	// Servers are queried in order until one answers, as host:port; empty means those of this machine.
	Servers []string
	// Guard decides which nameservers of zones are asked for what they show: anyone can name any address as one.
	Guard outbound.Guard
	// port is that of nameservers of zones, "" for 53.
	port string
}

const (
	askWithin = 3 * time.Second
	seenEvery = 2 * time.Second
	// SeenWithin is how long Seen waits for a record.
	SeenWithin = 3 * time.Minute
)

// The record types that are queried.
const (
	A     = "A"
	AAAA  = "AAAA"
	CNAME = "CNAME"
	TXT   = "TXT"
	ns    = "NS"
)

func (r *Resolver) servers() ([]string, error) {
	if len(r.Servers) > 0 {
		return r.Servers, nil
	}
	c, err := dns.ClientConfigFromFile("/etc/resolv.conf")
	if err != nil {
		return nil, fmt.Errorf("read the nameservers of this machine: %w", err)
	}
	out := make([]string, len(c.Servers))
	for i, s := range c.Servers {
		out[i] = net.JoinHostPort(s, c.Port)
	}
	return out, nil
}

// Lookup returns the values of the records of a type at a name, sorted; empty if there are none. Names have no trailing dot.
func (r *Resolver) Lookup(ctx context.Context, kind, name string) ([]string, error) {
	servers, err := r.servers()
	if err != nil {
		return nil, err
	}
	err = errors.New("there is no nameserver to ask")
	for _, server := range servers {
		var msg *dns.Msg
		if msg, err = ask(ctx, server, kind, name, true); err == nil {
			return values(msg, kind, name), nil
		}
	}
	return nil, fmt.Errorf("ask for the %s records of %s: %w", kind, name, err)
}

// ask sends one question to one server. NXDOMAIN is an answer, not an error.
func ask(ctx context.Context, server, kind, name string, recursive bool) (*dns.Msg, error) {
	return askThrough(ctx, nil, server, dns.StringToType[kind], name, recursive)
}

// askThrough is ask with a dialer, nil for any.
func askThrough(ctx context.Context, dialer *net.Dialer, server string, kind uint16, name string, recursive bool) (*dns.Msg, error) {
	q := new(dns.Msg)
	q.SetQuestion(dns.Fqdn(name), kind)
	q.RecursionDesired = recursive
	q.SetEdns0(1232, false)
	for _, network := range []string{"udp", "tcp"} {
		c := &dns.Client{Net: network, Timeout: askWithin, Dialer: dialer}
		msg, _, err := c.ExchangeContext(ctx, q, server)
		if err != nil {
			return nil, err
		}
		if msg.Truncated {
			continue
		}
		if msg.Rcode != dns.RcodeSuccess && msg.Rcode != dns.RcodeNameError {
			return nil, fmt.Errorf("%s answered %s", server, dns.RcodeToString[msg.Rcode])
		}
		return msg, nil
	}
	return nil, fmt.Errorf("%s answered in part only", server)
}

// values returns the values of a type in an answer. An address counts at any name that aliases led to; an alias only at the queried name.
func values(msg *dns.Msg, kind, name string) []string {
	var out []string
	for _, rr := range msg.Answer {
		switch rr := rr.(type) {
		case *dns.A:
			if kind == A {
				out = append(out, rr.A.String())
			}
		case *dns.AAAA:
			if kind == AAAA {
				out = append(out, rr.AAAA.String())
			}
		case *dns.CNAME:
			if kind == CNAME && strings.EqualFold(rr.Hdr.Name, dns.Fqdn(name)) {
				out = append(out, bare(rr.Target))
			}
		case *dns.TXT:
			if kind == TXT {
				out = append(out, strings.Join(rr.Txt, ""))
			}
		case *dns.NS:
			if kind == ns {
				out = append(out, bare(rr.Ns))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func bare(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// Seen returns once all nameservers of a name's zone show a text there, since an authority may ask any of them. If they can't be
// queried, it uses the configured resolvers. The error names the server that did not show the text when the context ended.
func (r *Resolver) Seen(ctx context.Context, name, text string) error {
	servers := r.authoritative(ctx, name)
	if len(servers) == 0 {
		var err error
		if servers, err = r.servers(); err != nil {
			return err
		}
	}
	tick := time.NewTicker(seenEvery)
	defer tick.Stop()
	for {
		missing := ""
		for _, server := range servers {
			msg, err := ask(ctx, server, TXT, name, true)
			if err != nil || !slices.Contains(values(msg, TXT, name), text) {
				missing = server
				break
			}
		}
		if missing == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the TXT record %s is not seen at the nameserver %s", name, missing)
		case <-tick.C:
		}
	}
}

// authoritative returns the nameservers of a name's zone, or none if they can't be determined.
func (r *Resolver) authoritative(ctx context.Context, name string) []string {
	for zone := bare(name); strings.Contains(zone, "."); {
		names, err := r.Lookup(ctx, ns, zone)
		if err != nil {
			return nil
		}
		var out []string
		for _, n := range names {
			addresses, err := r.Lookup(ctx, A, n)
			if err != nil {
				continue
			}
			for _, a := range addresses {
				out = append(out, net.JoinHostPort(a, cmp.Or(r.port, "53")))
			}
		}
		if len(names) > 0 {
			return out
		}
		_, zone, _ = strings.Cut(zone, ".")
	}
	return nil
}

// A Sight is what one nameserver shows of a name.
type Sight struct {
	// Server is its address; Authoritative is set for one of the name's zone, which is asked directly.
	Server        string   `json:"server"`
	Authoritative bool     `json:"authoritative"`
	Values        []string `json:"values"`
	// Problem is why it did not answer, "" if it did.
	Problem string `json:"problem"`
}

// maxSights is how many nameservers of a zone are asked. Zones have two to eight.
const maxSights = 8

// Sights returns what the nameservers of a name's zone show of the records of a type, and what the resolver does.
func (r *Resolver) Sights(ctx context.Context, kind, name string) []Sight {
	if rest, wild := strings.CutPrefix(name, "*."); wild { // any name below it is answered from it
		name = "hostler-check." + rest
	}
	var out []Sight
	servers := r.authoritative(ctx, name)
	for _, server := range servers[:min(len(servers), maxSights)] {
		s := Sight{Server: server, Authoritative: true, Values: []string{}}
		msg, err := askThrough(ctx, r.Guard.Dialer(), server, dns.StringToType[kind], name, false)
		if err != nil {
			s.Problem = sightProblem(err)
		} else {
			s.Values = append(s.Values, values(msg, kind, name)...)
		}
		out = append(out, s)
	}
	s := Sight{Server: "resolver", Values: []string{}}
	found, err := r.Lookup(ctx, kind, name)
	if err != nil {
		s.Problem = sightProblem(err)
	}
	s.Values = append(s.Values, found...)
	return append(out, s)
}

func sightProblem(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, outbound.ErrForbidden):
		return "Its address is private, and is not asked."
	case errors.As(err, &timeout) && timeout.Timeout():
		return "It did not answer in time."
	}
	return "It could not be asked: " + strings.ToValidUTF8(err.Error(), "") + "."
}
