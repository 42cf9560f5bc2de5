package sftpuser

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists who reaches the files of sites.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "sftp_users", func(r query.SFTPUser) transfer.Item {
		return transfer.Of(transfer.Reaches, Users.Kind, r.ID, r.Name, "This SFTP user can change the files of "+l.Sites[r.SiteID]+" until it is deleted.")
	}, l.OnSites)
}
