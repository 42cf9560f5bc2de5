package team

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists the teams that the server is shared with.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "teams", func(r query.Team) transfer.Item {
		return transfer.Of(transfer.Left, "teams", r.ID, r.Name, "The server is no longer shared with this team.")
	}, db.Cond{SQL: "id IN (SELECT team_id FROM team_servers WHERE server_id = ?)", Args: []any{l.Server.ID}})
}
