package organization

import (
	"context"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// IsOwner reports whether an address is that of an owner of an organization.
func IsOwner(ctx context.Context, tx *db.Tx, organization query.InOrganization, email string) (bool, error) {
	owners, err := tx.ListMemberEmails(ctx, organization, access.RoleOwner)
	if err != nil {
		return false, fmt.Errorf("list owners: %w", err)
	}
	return slices.Contains(owners, email), nil
}
