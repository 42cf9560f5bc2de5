package notification

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Concerns lists channels to addresses that are not confirmed, to those who manage the organization.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	if !l.Grant.SeesAll() {
		return nil, nil
	}
	rows, err := db.All[query.NotificationChannel](ctx, l.Rows, "notification_channels", db.Equal("organization_id", l.Grant.OrganizationID),
		db.Equal("type", Mail), db.Equal("enabled", true), recipient.Waits(l.Grant.OrganizationID, "target"))
	if err != nil {
		return nil, err
	}
	uses := make([]recipient.Use, len(rows))
	for i, r := range rows {
		uses[i] = recipient.Use{Email: r.Target, Subject: r.Name, Noun: "notificationChannels", ResourceID: r.ID}
	}
	return recipient.Concerns(ctx, l, uses)
}
