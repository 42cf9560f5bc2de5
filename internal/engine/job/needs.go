package job

import (
	"context"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Needs returns the permissions for retrying work, cancelling it, and reading what a script printed in it: those of the call that
// started it, or those of the Work that the service started. Everything if neither is known.
func Needs(op query.Operation) []access.Permission {
	if op.Needs == "" {
		return access.All()
	}
	var out []access.Permission
	for name := range strings.SplitSeq(op.Needs, ",") {
		p, err := access.Parse(name)
		if err != nil { // written by a newer release
			return access.All()
		}
		out = append(out, p)
	}
	return out
}

// Rights looks up people's current permissions.
type Rights interface {
	// Holds reports whether a member of an organization has permissions on a server, whatever they signed in with.
	Holds(ctx context.Context, q *query.Granted, organization, user, server int64, needed ...access.Permission) (bool, error)
}

// noLongerAllowed is the reason of work that was cancelled because a right was revoked.
var noLongerAllowed = because(codeRevoked, "The person who requested it no longer has the permission.")

// revoked returns an operation whose requester has lost the permission, because they left or their role was reduced while it
// waited for its server. Nil is none.
func (e *Engine) revoked(ctx context.Context, waiting []query.Operation) (*query.Operation, error) {
	type right struct {
		organization, user int64
		needs              string
	}
	held := map[right]bool{}
	for i, op := range waiting {
		if e.rights == nil || op.AskedBy == nil || op.Needs == "" {
			continue
		}
		asked := right{op.OrganizationID, *op.AskedBy, op.Needs}
		holds, known := held[asked]
		if !known {
			var err error
			if holds, err = e.rights.Holds(ctx, e.db.Read(), op.OrganizationID, *op.AskedBy, op.ServerID, Needs(op)...); err != nil {
				return nil, fmt.Errorf("read the rights to operation %d: %w", op.ID, err)
			}
			held[asked] = holds
		}
		if !holds {
			return &waiting[i], nil
		}
	}
	return nil, nil
}

// needed returns the recorded form of the permissions of the call in ctx, or of work that the service begins.
func needed(ctx context.Context, w Work) string {
	asked := api.Needed(ctx)
	if len(asked) == 0 {
		asked = w.Needs
	}
	var names []string
	for _, p := range asked {
		names = append(names, string(p))
	}
	return strings.Join(names, ",")
}
