package webhook

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists the addresses that deployments are reported to.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "deployment_webhooks", func(r query.DeploymentWebhook) transfer.Item {
		return transfer.Of(transfer.Reaches, "deploymentWebhooks", r.ID, l.Sites[r.SiteID], "Deployments are reported to "+r.Origin+" until the webhook is removed.")
	}, l.OnSites)
}
