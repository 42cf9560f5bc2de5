package server

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// transferItems lists what keeps a server where it is: work that has not ended, which was accepted for the organization.
func transferItems(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	out, err := transfer.List(ctx, l, "operations", func(r query.Operation) transfer.Item {
		return transfer.Item{Effect: transfer.Blocks, Type: "events", ID: r.EventID, Name: r.Description,
			Text: "This operation is still running. Wait for it to finish, or cancel it."}
	}, l.Here(), db.Equal("state", job.StatePending, job.StateRunning))
	if err != nil || len(out) > 0 {
		return out, err
	}
	aspects, err := l.Read.ListOpenAspects(ctx, l.Server)
	if err != nil {
		return nil, fmt.Errorf("list work on server %d: %w", l.Server.ID, err)
	}
	if len(aspects) > 0 {
		out = append(out, transfer.Of(transfer.Blocks, "servers", l.Server.ID, l.Server.Name, "The outcome of the last operation on this server is not known yet."))
	}
	if awaited(l.Server) {
		out = append(out, transfer.Of(transfer.Blocks, "servers", l.Server.ID, l.Server.Name, "The server has not been created yet."))
	}
	return out, nil
}

// NameOf returns the name of another server, if the caller can see it.
func NameOf(ctx context.Context, l transfer.Look, id int64) (string, error) {
	rows, err := db.All[query.Server](ctx, l.Rows, "servers", db.Equal("id", id), Visible(l.Grant))
	if err != nil || len(rows) == 0 {
		return "another server", err
	}
	return rows[0].Name, nil
}

// items lists what a transfer meets, for the caller of a path.
func (o *Operations) items(ctx context.Context, rows query.DBTX, q *query.Granted, p Path) ([]TransferItem, error) {
	l := transfer.Look{Rows: rows, Read: q, Grant: p.Grant, Server: p.Server, Sites: map[int64]string{}}
	l.OnSites = db.In("site_id", "sites", l.Here())
	sites, err := db.All[query.Site](ctx, rows, "sites", l.Here())
	if err != nil {
		return nil, err
	}
	for _, s := range sites {
		l.Sites[s.ID] = s.Name
	}
	found, err := transfer.Items(ctx, l, append([]transfer.Source{transferItems}, o.Transfers...))
	out := make([]TransferItem, len(found))
	for i, item := range found {
		out[i] = TransferItem(item)
	}
	return out, err
}
