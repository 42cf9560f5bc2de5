package dns

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// update publishes through dynamic updates (RFC 2136), signed with a key (RFC 8945).
type update struct {
	server, key, algorithm, secret string
	guard                          outbound.Guard
}

// Algorithms returns the supported key algorithms.
func Algorithms() []string { return []string{"hmac-sha256", "hmac-sha384", "hmac-sha512"} }

const updateTTL = 60 // seconds

func newUpdate(s Settings, guard outbound.Guard) (*update, error) {
	server := s.Nameserver
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(strings.Trim(server, "[]"), "53")
	}
	if s.Nameserver == "" || s.Key == "" || s.Secret == "" || !slices.Contains(Algorithms(), s.Algorithm) {
		return nil, fmt.Errorf("dynamic updates need a nameserver, a key with its secret, and an algorithm: %s", strings.Join(Algorithms(), ", "))
	}
	return &update{server: server, key: dns.CanonicalName(s.Key), algorithm: dns.Fqdn(s.Algorithm), secret: s.Secret, guard: guard}, nil
}

// Present adds a text beside existing ones: a domain and its wildcard are validated at the same name.
func (u *update) Present(ctx context.Context, name, authorization string) error {
	return u.change(ctx, name, func(m *dns.Msg, rr dns.RR) { m.Insert([]dns.RR{rr}) }, authorization)
}

// Remove removes that text.
func (u *update) Remove(ctx context.Context, name, authorization string) error {
	return u.change(ctx, name, func(m *dns.Msg, rr dns.RR) { m.Remove([]dns.RR{rr}) }, authorization)
}

func (u *update) change(ctx context.Context, name string, how func(*dns.Msg, dns.RR), authorization string) error {
	zone, err := u.zone(ctx, name)
	if err != nil {
		return err
	}
	m := new(dns.Msg)
	m.SetUpdate(zone)
	how(m, &dns.TXT{Hdr: dns.RR_Header{Name: dns.Fqdn(name), Rrtype: dns.TypeTXT, Class: dns.ClassINET, Ttl: updateTTL}, Txt: []string{Text(authorization)}})
	answer, err := u.exchange(ctx, m)
	if err != nil {
		return fmt.Errorf("change %s at the nameserver %s: %w", name, u.server, err)
	}
	if answer.Rcode != dns.RcodeSuccess {
		return fmt.Errorf("the nameserver %s refused to change %s: %s", u.server, name, dns.RcodeToString[answer.Rcode])
	}
	return nil
}

// zone returns the server's zone that contains a name, from the SOA record in the answer or, for a name that does not exist, in
// the authority section (RFC 2308).
func (u *update) zone(ctx context.Context, name string) (string, error) {
	for at := name; strings.Contains(at, "."); _, at, _ = strings.Cut(at, ".") { // of an alias to elsewhere, there is no answer about its own zone
		m := new(dns.Msg)
		m.SetQuestion(dns.Fqdn(at), dns.TypeSOA)
		answer, err := u.exchange(ctx, m)
		if err != nil {
			return "", fmt.Errorf("ask the nameserver %s for the zone of %s: %w", u.server, name, err)
		}
		for _, rr := range append(answer.Answer, answer.Ns...) {
			if soa, ok := rr.(*dns.SOA); ok && dns.IsSubDomain(soa.Hdr.Name, dns.Fqdn(name)) && strings.Count(soa.Hdr.Name, ".") > 1 {
				return soa.Hdr.Name, nil
			}
		}
		if !slices.ContainsFunc(answer.Answer, func(rr dns.RR) bool { return rr.Header().Rrtype == dns.TypeCNAME }) {
			break
		}
	}
	return "", &noZone{fmt.Sprintf("the nameserver %s has no zone with %s in it", u.server, name)}
}

// noZone is the error for a name that is in no zone of a nameserver.
type noZone struct{ text string }

func (n *noZone) Error() string { return n.text }

func (u *update) exchange(ctx context.Context, m *dns.Msg) (*dns.Msg, error) {
	m.SetTsig(u.key, u.algorithm, 300, time.Now().Unix())
	c := &dns.Client{Net: "tcp", Timeout: 10 * time.Second, Dialer: u.guard.Dialer(), TsigSecret: map[string]string{u.key: u.secret}}
	answer, _, err := c.ExchangeContext(ctx, m, u.server)
	return answer, err
}
