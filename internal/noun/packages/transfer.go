package packages

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists credentials for package repositories, which are the organization's accounts there.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "package_credentials", func(r query.PackageCredential) transfer.Item {
		return transfer.Of(transfer.Detached, "sites", r.SiteID, l.Sites[r.SiteID],
			"The "+r.Kind+" credential for "+r.Name+" is deleted from Hostler, and deployments no longer use it. Its file stays on the server: revoke the credential.")
	}, l.OnSites)
}
