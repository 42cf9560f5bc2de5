package monitor

import (
	"context"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Concerns lists monitors whose threshold is crossed, and those whose address is not confirmed.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	here := db.In("server_id", "servers", server.Attended(l.Grants...))
	alerting, err := db.All[query.Monitor](ctx, l.Rows, "monitors", here, db.Equal("state", wire.MonitorAlert))
	if err != nil {
		return nil, err
	}
	silent, err := db.All[query.Monitor](ctx,
		l.Rows, "monitors", here, recipient.Waits("(SELECT servers.organization_id FROM servers WHERE servers.id = monitors.server_id)", "monitors.notify"))
	rows := slices.Concat(alerting, silent)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := make([]any, len(rows))
	for i, r := range rows {
		ids[i] = r.ServerID
	}
	servers, err := db.All[query.Server](ctx, l.Rows, "servers", server.Attended(l.Grants...), db.Equal("id", ids...))
	if err != nil {
		return nil, fmt.Errorf("read the servers of monitors: %w", err)
	}
	names, of := make(map[int64]string, len(servers)), make(map[int64]int64, len(servers))
	for _, s := range servers {
		names[s.ID], of[s.ID] = s.Name, s.OrganizationID
	}
	uses := make([]recipient.Use, len(silent))
	for i, r := range silent {
		uses[i] = recipient.Use{Organization: of[r.ServerID], Email: r.Notify, Subject: names[r.ServerID], Noun: Noun.Kind, ServerID: r.ServerID, ResourceID: r.ID}
	}
	waiting, err := recipient.Concerns(ctx, l, uses)
	out := make([]concern.Item, len(alerting))
	for i, r := range alerting {
		out[i] = concern.Item{
			Kind: "monitor-alert", Subject: names[r.ServerID], ServerID: r.ServerID, ResourceID: &r.ID, Since: r.StateChangedAt,
			Text: condition(r),
		}
	}
	return append(out, waiting...), err
}
