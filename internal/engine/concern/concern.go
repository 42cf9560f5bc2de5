// Package concern is how nouns list what of theirs needs attention now: failures, what ends soon, what was changed by hand. Nothing is stored; each
// noun reads its own rows, for one caller, in one organization or in several at once.
package concern

import (
	"context"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Item is one thing that needs attention.
type Item struct {
	Kind string
	// Subject is its name; Text describes the problem, as a sentence or its reason.
	Subject, Text string
	// ServerID is the server concerned, 0 for the panel itself, SiteID the site; ResourceID is the deployment, the domain, the
	// backup configuration or the heartbeat.
	ServerID           int64
	SiteID, ResourceID *int64
	// OrganizationID is the organization of what is on no server, 0 for the panel itself.
	OrganizationID int64
	// Noun is the kind of the resource, where several have concerns of one Kind.
	Noun string
	// Since is when it began, EndsAt when a certificate ends, both in microseconds, if known.
	Since, EndsAt *int64
	// OperationID is the work that failed. Its reason becomes Text, and its end Since if that is not known.
	OperationID *int64
}

// Source lists the concerns of a noun that a caller can see.
type Source func(ctx context.Context, l Look) ([]Item, error)

// Look collects concerns for one caller.
type Look struct {
	// Grants are what the caller may see, one for each organization that is looked at.
	Grants []access.Grant
	// Rows reads lists, whose conditions limit them to what the caller can see.
	Rows query.DBTX
	Read *query.Granted
	Now  time.Time
}

// Organizations returns the organizations that are looked at.
func (l Look) Organizations() []any {
	out := make([]any, len(l.Grants))
	for i, g := range l.Grants {
		out[i] = g.OrganizationID
	}
	return out
}

// Managed returns those of them that the caller manages.
func (l Look) Managed() []any {
	var out []any
	for _, g := range l.Grants {
		if g.SeesAll() {
			out = append(out, g.OrganizationID)
		}
	}
	return out
}

// Failed returns the condition on rows whose newest operation failed.
func Failed() db.Cond {
	return db.Cond{SQL: "operation_id IN (SELECT id FROM operations WHERE state = 'failed')"}
}
