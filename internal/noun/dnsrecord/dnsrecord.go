// Package dnsrecord makes the A and AAAA records of a domain at a DNS provider of its organization, and follows when the site is reached elsewhere. A record
// that Hostler did not make is changed only where the request names it.
package dnsrecord

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/noun/domain"
)

// Aspect is the work at providers: beside everything else, one at a time for each domain.
const Aspect = "dns"

// resource is the type of the resource.
const resource = "domainDNS"

// The states of the DNS of a domain.
const (
	statusNone    = "none"
	statusPending = "pending"
	// statusChanging is pending work that has begun to change records: after a crash it goes on with what is left of its plan.
	statusChanging = "changing"
	statusMade     = "made"
	statusFailed   = "failed"
	statusRemoving = "removing"
)

// Providers are the DNS providers of organizations.
type Providers interface {
	// Usable returns access.ErrNotFound for a provider that the caller can't use.
	Usable(ctx context.Context, q *query.Granted, g access.Grant, id int64) error
	// Records opens the records of a provider of an organization, and returns its row.
	Records(ctx context.Context, q *query.Granted, organization query.InOrganization, id int64) (dns.Records, query.DNSProvider, error)
}

// Sights looks from outside.
type Sights interface {
	// Sights returns what nameservers show of the records of a type at a name.
	Sights(ctx context.Context, kind, name string) []dns.Sight
}

// Store is the DNS of domains.
type Store struct {
	DB        *db.DB
	Domains   *domain.Store
	Providers Providers
	Resolver  Sights
	Queue     *job.Queue
	// Guard says which addresses records may have: private ones only where the operator allows them.
	Guard outbound.Guard
}

// seen is what was found at the provider, and outside, as it is stored.
type seen struct {
	At int64 `json:"at"`
	// Problem is why the provider could not be asked.
	Problem string       `json:"problem,omitempty"`
	Records []seenRecord `json:"records"`
}

type seenRecord struct {
	Name   string      `json:"name"`
	Type   string      `json:"type"`
	Value  string      `json:"value"`
	State  string      `json:"state"`
	Found  []string    `json:"found"`
	Sights []dns.Sight `json:"sights"`
}

// The states of a record at its provider.
const (
	recordUnknown = "unknown"
	recordMade    = "made"
	recordChanged = "changed"
	recordMissing = "missing"
)

func seenOf(row query.DomainDNS) seen {
	var s seen
	if row.Seen != "" && json.Unmarshal([]byte(row.Seen), &s) != nil {
		return seen{}
	}
	return s
}

// shown reports whether all that answered show the value, and at least one does.
func (r seenRecord) shown() bool {
	some := false
	for _, s := range r.Sights {
		if s.Problem != "" {
			continue
		}
		if len(s.Values) != 1 || s.Values[0] != r.Value {
			return false
		}
		some = true
	}
	return some
}

func text(value any) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("write as JSON: %w", err)
	}
	return string(raw), nil
}
