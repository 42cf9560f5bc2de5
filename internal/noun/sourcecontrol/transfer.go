package sourcecontrol

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists sites whose deploy key or webhook is just being set up at a provider.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "source_control_links", func(r query.SourceControlLink) transfer.Item {
		return transfer.Of(transfer.Blocks, "sites", r.SiteID, l.Sites[r.SiteID],
			"Its deploy key or webhook is being set up at the Git provider. Wait for that to finish.")
	}, l.OnSites, db.Equal("state", "pending"))
}
