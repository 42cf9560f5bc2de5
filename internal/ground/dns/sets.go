package dns

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/miekg/dns"
)

// hetznerSets are the sets of Hetzner's Cloud API.
type hetznerSets struct{ caller }

func (h hetznerSets) title() string { return h.caller.title }

func (h hetznerSets) zone(ctx context.Context, name string) (Zone, error) {
	return Zone{name, name}, h.call(ctx, http.MethodGet, "/zones/"+escape(name), nil, nil)
}

func (h hetznerSets) in(zone Zone) string { return "/zones/" + escape(zone.ID) + "/rrsets" }

func (h hetznerSets) at(zone Zone, name, kind string) string {
	return h.in(zone) + "/" + escape(relative(name, zone)) + "/" + kind
}

func (h hetznerSets) get(ctx context.Context, zone Zone, name, kind string) (set, error) {
	var got struct {
		RRSet struct {
			TTL     *int64
			Records []hetznerRecord
		}
	}
	err := h.call(ctx, http.MethodGet, h.at(zone, name, kind), nil, &got)
	var out set
	for _, r := range got.RRSet.Records {
		out.values = append(out.values, r.Value)
	}
	if got.RRSet.TTL != nil {
		out.ttl = *got.RRSet.TTL
	}
	return out, unlessMissing(err)
}

func (h hetznerSets) put(ctx context.Context, zone Zone, name, kind string, was, now set) error {
	if len(now.values) == 0 {
		return unlessMissing(h.call(ctx, http.MethodDelete, h.at(zone, name, kind), nil, nil))
	}
	records := make([]hetznerRecord, len(now.values))
	for i, v := range now.values {
		records[i] = hetznerRecord{v}
	}
	if len(was.values) > 0 {
		return gone(h.call(ctx, http.MethodPost, h.at(zone, name, kind)+"/actions/set_records", map[string]any{"records": records}, nil), zone)
	}
	in := map[string]any{"name": relative(name, zone), "type": kind, "ttl": now.ttl, "records": records}
	return gone(h.call(ctx, http.MethodPost, h.in(zone), in, nil), zone)
}

func gone(err error, zone Zone) error {
	if errors.Is(err, errMissing) {
		return &Problem{Invalid, "The zone " + zone.Name + ", or the record in it, is gone by now."}
	}
	return err
}

// gandiSets are the sets of Gandi's LiveDNS.
type gandiSets struct{ caller }

type gandiSet struct {
	TTL    int64    `json:"rrset_ttl"`
	Values []string `json:"rrset_values"`
}

func (g gandiSets) title() string { return g.caller.title }

func (g gandiSets) zone(ctx context.Context, name string) (Zone, error) {
	return Zone{name, name}, g.call(ctx, http.MethodGet, "/domains/"+escape(name), nil, nil)
}

func (g gandiSets) at(zone Zone, name, kind string) string {
	return "/domains/" + escape(zone.ID) + "/records/" + escape(relative(name, zone)) + "/" + kind
}

func (g gandiSets) get(ctx context.Context, zone Zone, name, kind string) (set, error) {
	var got gandiSet
	err := g.call(ctx, http.MethodGet, g.at(zone, name, kind), nil, &got)
	return set{got.Values, got.TTL}, unlessMissing(err)
}

func (g gandiSets) put(ctx context.Context, zone Zone, name, kind string, _, now set) error {
	if len(now.values) == 0 {
		return unlessMissing(g.call(ctx, http.MethodDelete, g.at(zone, name, kind), nil, nil))
	}
	return gone(g.call(ctx, http.MethodPut, g.at(zone, name, kind), gandiSet{now.ttl, now.values}, nil), zone)
}

// desecSets are the sets of deSEC.
type desecSets struct{ caller }

type desecSet struct {
	Subname string   `json:"subname"`
	Type    string   `json:"type"`
	TTL     int64    `json:"ttl"`
	Records []string `json:"records"`
}

func (d desecSets) title() string { return d.caller.title }

func (d desecSets) zone(ctx context.Context, name string) (Zone, error) {
	return Zone{name, name}, d.call(ctx, http.MethodGet, "/domains/"+escape(name)+"/", nil, nil)
}

func (d desecSets) get(ctx context.Context, zone Zone, name, kind string) (set, error) {
	var got desecSet
	err := d.call(ctx, http.MethodGet, "/domains/"+escape(zone.ID)+"/rrsets/"+escape(relative(name, zone))+"/"+kind+"/", nil, &got)
	return set{got.Records, got.TTL}, unlessMissing(err)
}

// put writes a set by the list of the zone's sets, where one without records is removed.
func (d desecSets) put(ctx context.Context, zone Zone, name, kind string, was, now set) error {
	in := desecSet{relative(name, zone), kind, now.ttl, now.values}
	if in.Subname == "@" {
		in.Subname = ""
	}
	if in.Records == nil {
		in.Records = []string{}
	}
	if in.TTL == 0 {
		in.TTL = was.ttl
	}
	return gone(d.call(ctx, http.MethodPut, "/domains/"+escape(zone.ID)+"/rrsets/", []desecSet{in}, nil), zone)
}

// updateSets are the sets of a nameserver that takes dynamic updates (RFC 2136).
type updateSets struct{ *update }

func (u updateSets) title() string { return "the nameserver " + u.server }

func (u updateSets) zone(ctx context.Context, name string) (Zone, error) {
	zone, err := u.update.zone(ctx, name)
	switch none := (*noZone)(nil); {
	case errors.As(err, &none):
		return Zone{}, &Problem{NoZone, fmt.Sprintf("There is no zone for %s: %s.", name, err)}
	case err != nil:
		return Zone{}, u.unanswered(err)
	}
	return Zone{zone, bare(zone)}, nil
}

// unanswered returns why there is no answer: the server refused the signature, or is away.
func (u updateSets) unanswered(err error) *Problem {
	for _, signature := range []error{dns.ErrAuth, dns.ErrSig, dns.ErrSecret, dns.ErrKeyAlg, dns.ErrKey, dns.ErrTime} {
		if errors.Is(err, signature) {
			return &Problem{Refused, fmt.Sprintf("The nameserver %s refused the TSIG key, its secret or algorithm, or the clocks are apart: %s.", u.server, err)}
		}
	}
	return &Problem{Away, fmt.Sprintf("The nameserver %s can't be asked: %s.", u.server, err)}
}

func (u updateSets) get(ctx context.Context, zone Zone, name, kind string) (set, error) {
	m := new(dns.Msg)
	m.SetQuestion(dns.Fqdn(name), dns.StringToType[kind])
	m.RecursionDesired = false
	answer, err := u.exchange(ctx, m)
	if err != nil {
		return set{}, u.unanswered(err)
	}
	if answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		return set{}, u.refused(answer)
	}
	var out set
	for _, rr := range answer.Answer {
		if dns.TypeToString[rr.Header().Rrtype] != kind || !sameName(rr.Header().Name, name) {
			continue
		}
		out.ttl = int64(rr.Header().Ttl)
		switch rr := rr.(type) {
		case *dns.A:
			out.values = append(out.values, rr.A.String())
		case *dns.AAAA:
			out.values = append(out.values, rr.AAAA.String())
		case *dns.CNAME:
			out.values = append(out.values, rr.Target)
		case *dns.NS:
			out.values = append(out.values, rr.Ns)
		}
	}
	if len(out.values) == 0 || strings.HasPrefix(name, "*.") {
		return out, nil
	}
	if is, err := u.has(ctx, zone, name, kind); !is || err != nil {
		return set{}, err
	}
	return out, nil
}

// has reports whether a set is in the zone, and not made up from a wildcard for an answer: an update that changes nothing has to meet its prerequisites
// (RFC 2136 section 2.4.1), which are of what is there.
func (u updateSets) has(ctx context.Context, zone Zone, name, kind string) (bool, error) {
	m := new(dns.Msg)
	m.SetUpdate(zone.ID)
	m.RRsetUsed([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: dns.Fqdn(name), Rrtype: dns.StringToType[kind]}}})
	answer, err := u.exchange(ctx, m)
	if err != nil {
		return false, u.unanswered(err)
	}
	return answer.Rcode != dns.RcodeNXRrset, nil
}

func sameName(a, b string) bool { return bare(a) == bare(b) }

func (u updateSets) refused(answer *dns.Msg) *Problem {
	kind := Invalid
	switch answer.Rcode {
	case dns.RcodeRefused, dns.RcodeNotAuth:
		kind = Refused
	case dns.RcodeServerFailure:
		kind = Away
	}
	return &Problem{kind, fmt.Sprintf("The nameserver %s answered %s.", u.server, dns.RcodeToString[answer.Rcode])}
}

// put replaces a set in one update, if it is still what it was (RFC 2136 section 2.4.2).
func (u updateSets) put(ctx context.Context, zone Zone, name, kind string, was, now set) error {
	m := new(dns.Msg)
	m.SetUpdate(zone.ID)
	header := func(ttl int64) dns.RR_Header {
		return dns.RR_Header{Name: dns.Fqdn(name), Rrtype: dns.StringToType[kind], Class: dns.ClassINET, Ttl: uint32(max(ttl, 0))}
	}
	build := func(values []string, ttl int64) ([]dns.RR, error) {
		var out []dns.RR
		for _, v := range values {
			h := header(ttl)
			rr, err := dns.NewRR(fmt.Sprintf("%s %d IN %s %s", h.Name, h.Ttl, kind, v))
			if err != nil {
				return nil, fmt.Errorf("write the %s record of %s: %w", kind, name, err)
			}
			out = append(out, rr)
		}
		return out, nil
	}
	before, err := build(was.values, 0)
	if err != nil {
		return err
	}
	after, err := build(now.values, now.ttl)
	if err != nil {
		return err
	}
	if len(before) > 0 {
		m.Used(before)
	} else {
		m.RRsetNotUsed([]dns.RR{&dns.ANY{Hdr: header(0)}})
	}
	switch { // an address beside an alias, and an alias beside anything, is ignored without an error (RFC 2136 section 3.4.2.2)
	case len(after) == 0:
	case kind != CNAME:
		m.RRsetNotUsed([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: dns.Fqdn(name), Rrtype: dns.TypeCNAME}}})
	case len(before) == 0:
		m.NameNotUsed([]dns.RR{&dns.ANY{Hdr: header(0)}})
	}
	m.RemoveRRset([]dns.RR{&dns.ANY{Hdr: header(0)}})
	if len(after) > 0 {
		m.Insert(after)
	}
	answer, err := u.exchange(ctx, m)
	switch {
	case err != nil:
		return u.unanswered(err)
	case answer.Rcode == dns.RcodeNXRrset, answer.Rcode == dns.RcodeYXRrset, answer.Rcode == dns.RcodeYXDomain:
		return &Problem{Invalid, fmt.Sprintf("The %s record of %s is another one by now.", kind, name)}
	case answer.Rcode != dns.RcodeSuccess:
		return u.refused(answer)
	}
	return nil
}
