package database

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Concerns lists sites of older releases that sign in with the account with access to every database of their server. New ones get their own; a
// password in a site's files can't be changed without the site.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Site](ctx, l.Rows, "sites", server.AttendedOf(l.Grants...),
		db.Cond{SQL: "database_user_id IN (SELECT id FROM database_users WHERE main)"})
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{
			Kind: "site-shares-account", Subject: r.Name, ServerID: r.ServerID, SiteID: &r.ID,
			Text: "Its database user can access every database on the server. " +
				"Create a user for its database, add it to the site's environment, then set a new password for the shared user.",
		})
	}
	return out, err
}
