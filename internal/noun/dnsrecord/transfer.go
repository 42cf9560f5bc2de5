package dnsrecord

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists domains whose records are kept at a DNS provider of the organization.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "domains", func(r query.Domain) transfer.Item {
		return transfer.Of(transfer.Detached, "domainRecords", r.ID, r.Name,
			"Its DNS records are kept at this organization's DNS provider. They stay there unchanged, and no longer follow.")
	}, l.OnSites, db.Cond{SQL: "id IN (SELECT domain_id FROM domain_dns)"})
}
