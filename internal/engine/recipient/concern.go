package recipient

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Use is a resource that notifies an address.
type Use struct {
	Organization         int64
	Email, Subject, Noun string
	ServerID, ResourceID int64
}

// Concerns lists resources whose address waits, which the caller has read with Waits.
func Concerns(ctx context.Context, l concern.Look, uses []Use) ([]concern.Item, error) {
	if len(uses) == 0 {
		return nil, nil
	}
	rows, err := db.All[query.Recipient](ctx, l.Rows, "recipients", db.Equal("organization_id", l.Organizations()...), db.Cond{SQL: "confirmed_at IS NULL"})
	if err != nil {
		return nil, fmt.Errorf("read recipients: %w", err)
	}
	out := make([]concern.Item, len(uses))
	for i, u := range uses {
		item := concern.Item{Kind: "recipient-waiting", OrganizationID: u.Organization, Subject: u.Subject, ServerID: u.ServerID, ResourceID: &u.ResourceID,
			Noun: u.Noun}
		item.Text = u.Email + " is not notified: it is not the address of a member, and was not asked to confirm. Enter it again, or another one"
		j := slices.IndexFunc(rows, func(r query.Recipient) bool {
			return r.OrganizationID == u.Organization && r.Email == strings.ToLower(u.Email)
		})
		switch {
		case j < 0:
		case l.Now.Sub(time.UnixMicro(rows[j].AskedAt)) < linkLife:
			item.Since, item.Text = &rows[j].AskedAt, u.Email+" is not notified until its owner opens the link that was sent to it"
		default:
			item.Since, item.Text = &rows[j].AskedAt, u.Email+" is not notified: its owner did not open the link in time. Enter it again for another link"
		}
		out[i] = item
	}
	return out, nil
}
