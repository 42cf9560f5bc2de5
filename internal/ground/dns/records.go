package dns

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/hostlerhq/hostler/internal/ground/bounded"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// NS is the type of records that delegate a name to other nameservers.
const NS = ns

// A Zone is a zone of an account at a provider.
type Zone struct {
	// ID is how the provider's API names it.
	ID   string
	Name string
}

// A Record is one value at a name, as its provider has it. Names and aliases are in ASCII, without a trailing dot.
type Record struct {
	// ID is the provider's, "" where records of a name and a type are one set there.
	ID                string
	Name, Type, Value string
	// TTL is in seconds, 0 where the provider chooses it.
	TTL int64
	// Proxied is set where Cloudflare answers with its own addresses. A change of the value keeps it.
	Proxied bool
}

// Records are the addresses and aliases in the zones of an account. Its errors are a *Problem where the provider caused them.
type Records interface {
	// Zone returns the closest enclosing zone of a name: a Problem of the kind NoZone if the account has none.
	Zone(ctx context.Context, name string) (Zone, error)
	// At returns the A, AAAA, CNAME and NS records at a name, all of them.
	At(ctx context.Context, zone Zone, name string) ([]Record, error)
	// Create makes a record beside others.
	Create(ctx context.Context, zone Zone, r Record) (Record, error)
	// Change gives a record another value and keeps all else of it.
	Change(ctx context.Context, zone Zone, r Record, value string) (Record, error)
	// Delete removes a record. One that is gone is no error.
	Delete(ctx context.Context, zone Zone, r Record) error
}

// The kinds of problems.
const (
	// Refused is a token that the provider does not take, or that may not do this.
	Refused = "refused"
	// NoZone is an account without a zone for a name.
	NoZone = "no-zone"
	// Away is a provider that does not answer now, or asks to be asked later.
	Away = "away"
	// Invalid is what the provider refuses for what it is.
	Invalid = "invalid"
)

// A Problem is why a provider did not do something.
type Problem struct {
	Kind string
	// Reason is a sentence. It quotes the provider, never a token.
	Reason string
}

func (p *Problem) Error() string { return p.Reason }

// KindOf returns the kind of an error of Records, "" if it is not the provider's.
func KindOf(err error) string {
	var p *Problem
	if errors.As(err, &p) {
		return p.Kind
	}
	return ""
}

// errMissing is returned for what is not at a provider.
var errMissing = errors.New("it is not there")

// Titles are the names of the providers, as people know them.
func Titles() map[string]string {
	return map[string]string{
		RFC2136: "the nameserver", Cloudflare: "Cloudflare", DeSEC: "deSEC", DigitalOcean: "DigitalOcean", Gandi: "Gandi", Hetzner: "Hetzner",
	}
}

// NewRecords opens the records of an account. base is an address in the place of the provider's API, "" for none.
func NewRecords(s Settings, guard outbound.Guard, base string) (Records, error) {
	if s.Provider == RFC2136 {
		u, err := newUpdate(s, guard)
		return setRecords{updateSets{u}, updateRecordTTL}, err
	}
	if s.Token == "" {
		return nil, errors.New("the provider needs a token")
	}
	client := guard.Client()
	client.Transport = bounded.Transport(client.Transport, outbound.MaxAnswer)
	at := func(api string) caller {
		if base != "" {
			api = base
		}
		return caller{title: Titles()[s.Provider], base: api, token: s.Token, scheme: "Bearer", client: client}
	}
	switch s.Provider {
	case Cloudflare:
		return cloudflareRecords{at("https://api.cloudflare.com/client/v4")}, nil
	case DigitalOcean:
		return digitalOceanRecords{at("https://api.digitalocean.com/v2")}, nil
	case Hetzner:
		return setRecords{hetznerSets{at(hetznerAPI)}, recordTTL}, nil
	case Gandi:
		return setRecords{gandiSets{at("https://api.gandi.net/v5/livedns")}, recordTTL}, nil
	case DeSEC:
		c := at("https://desec.io/api/v1")
		c.scheme = "Token"
		return setRecords{desecSets{c}, desecTTL}, nil
	}
	return nil, fmt.Errorf("unknown DNS provider %q", s.Provider)
}

// The TTLs of new records, in seconds: short, so that visitors follow a move soon. deSEC accepts no less than an hour.
const (
	recordTTL       = 300
	desecTTL        = 3600
	updateRecordTTL = 300
)

// Kinds are the types of records that At returns.
func Kinds() []string { return []string{A, AAAA, CNAME, NS} }

// Name returns a name as nameservers compare it: in ASCII and lower case, without a trailing dot.
func Name(text string) string {
	if ascii, err := idna.Punycode.ToASCII(text); err == nil {
		text = ascii
	}
	return bare(text)
}

// relative returns a name as it is written in a zone: @ for that of the zone itself.
func relative(name string, zone Zone) string {
	if name == zone.Name {
		return "@"
	}
	return strings.TrimSuffix(name, "."+zone.Name)
}

// absolute returns the name that relative made.
func absolute(name string, zone Zone) string {
	if name == "@" || name == "" {
		return zone.Name
	}
	return Name(name) + "." + zone.Name
}

// longest returns the closest enclosing zone of a name. find returns errMissing for what is no zone of the account.
func longest(ctx context.Context, title, name string, find func(ctx context.Context, zone string) (Zone, error)) (Zone, error) {
	for zone := strings.TrimPrefix(name, "*."); strings.Contains(zone, "."); {
		z, err := find(ctx, zone)
		if !errors.Is(err, errMissing) {
			return z, err
		}
		_, zone, _ = strings.Cut(zone, ".")
	}
	return Zone{}, &Problem{NoZone, "The account at " + title + " has no zone for " + name + "."}
}

// sets are the records of providers that have one set of values for each name and type.
type sets interface {
	title() string
	// zone returns errMissing for what is no zone of the account.
	zone(ctx context.Context, name string) (Zone, error)
	// get returns the values of a set, none if there is none.
	get(ctx context.Context, zone Zone, name, kind string) (set, error)
	// put writes a set, which is there already if it has values now. Without values it is removed.
	put(ctx context.Context, zone Zone, name, kind string, was, now set) error
}

type set struct {
	values []string
	ttl    int64
}

// setRecords are the records of sets.
type setRecords struct {
	sets
	ttl int64
}

// Zone returns the closest enclosing zone.
func (s setRecords) Zone(ctx context.Context, name string) (Zone, error) {
	return longest(ctx, s.title(), name, s.zone)
}

// At returns the values of the sets at a name.
func (s setRecords) At(ctx context.Context, zone Zone, name string) ([]Record, error) {
	var out []Record
	for _, kind := range Kinds() {
		got, err := s.get(ctx, zone, name, kind)
		if err != nil {
			return nil, err
		}
		for _, v := range got.values {
			out = append(out, Record{Name: name, Type: kind, Value: valueOf(kind, v, zone), TTL: got.ttl})
		}
	}
	return out, nil
}

// valueOf returns a value of a zone as it is shown: an alias that does not end in a dot is relative to the zone.
func valueOf(kind, value string, zone Zone) string {
	if kind == A || kind == AAAA {
		return address(value)
	}
	if kind != CNAME && kind != NS || strings.HasSuffix(value, ".") {
		return Name(value)
	}
	return absolute(value, zone)
}

// address returns an address in its shortest form, and any other value as a name: providers keep IPv6 addresses as people wrote them.
func address(text string) string {
	if a, err := netip.ParseAddr(strings.TrimSpace(text)); err == nil {
		return a.String()
	}
	return Name(text)
}

// written returns a value as it is written into a zone.
func written(kind, value string) string {
	if kind == CNAME {
		return value + "."
	}
	return value
}

// Create adds a value to the set.
func (s setRecords) Create(ctx context.Context, zone Zone, r Record) (Record, error) {
	was, err := s.get(ctx, zone, r.Name, r.Type)
	if err != nil {
		return r, err
	}
	if s.index(was, zone, r) >= 0 {
		return r, nil
	}
	now := set{append(slices.Clone(was.values), written(r.Type, r.Value)), was.ttl}
	if len(was.values) == 0 {
		now.ttl = r.TTL
		if now.ttl == 0 {
			now.ttl = s.ttl
		}
	}
	r.TTL = now.ttl
	return r, s.put(ctx, zone, r.Name, r.Type, was, now)
}

func (s setRecords) index(have set, zone Zone, r Record) int {
	want := r.Value
	if r.Type == A || r.Type == AAAA {
		want = address(want)
	}
	return slices.IndexFunc(have.values, func(v string) bool { return valueOf(r.Type, v, zone) == want })
}

// Change replaces a value of the set.
func (s setRecords) Change(ctx context.Context, zone Zone, r Record, value string) (Record, error) {
	was, err := s.get(ctx, zone, r.Name, r.Type)
	if err != nil {
		return r, err
	}
	i := s.index(was, zone, r)
	if i < 0 {
		return r, &Problem{Invalid, "The " + r.Type + " record of " + r.Name + " is another one by now."}
	}
	now := set{slices.Clone(was.values), was.ttl}
	now.values[i] = written(r.Type, value)
	r.Value = value
	return r, s.put(ctx, zone, r.Name, r.Type, was, now)
}

// Delete removes a value from the set.
func (s setRecords) Delete(ctx context.Context, zone Zone, r Record) error {
	was, err := s.get(ctx, zone, r.Name, r.Type)
	if err != nil {
		return err
	}
	i := s.index(was, zone, r)
	if i < 0 {
		return nil
	}
	return s.put(ctx, zone, r.Name, r.Type, was, set{slices.Delete(slices.Clone(was.values), i, i+1), was.ttl})
}

// statusKind returns the kind of the problem that an answer with this status is.
func statusKind(status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Refused
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return Away
	}
	return Invalid
}
