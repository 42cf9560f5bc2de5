package project

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists sites whose code comes through a connection of the organization, and those whose deploy hook was shown.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	out, err := transfer.List(ctx, l, "projects", func(r query.Project) transfer.Item {
		return transfer.Of(transfer.Detached, "sites", r.SiteID, l.Sites[r.SiteID],
			"Uses this organization's Git provider connection. Its deploy key and webhook stay in the repository and keep working "+
				"until they are removed there.")
	}, l.OnSites, db.Cond{SQL: "(provider_id IS NOT NULL OR site_id IN (SELECT site_id FROM source_control_links))"})
	if err != nil {
		return nil, err
	}
	readers, err := db.All[query.HookReader](ctx, l.Rows, "hook_readers", l.OnSites)
	seen := map[int64]bool{}
	for _, r := range readers {
		if !seen[r.SiteID] {
			seen[r.SiteID] = true
			out = append(out, transfer.Of(transfer.Reaches, "sites", r.SiteID, l.Sites[r.SiteID],
				"Members have seen its deploy hook, which works until it is regenerated."))
		}
	}
	return out, err
}
