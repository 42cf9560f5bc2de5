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
	managed := l.Managed()
	if len(managed) == 0 {
		return nil, nil
	}
	rows, err := db.All[query.NotificationChannel](ctx, l.Rows, "notification_channels", db.Equal("organization_id", managed...),
		db.Equal("type", Mail), db.Equal("enabled", true), recipient.Waits("notification_channels.organization_id", "notification_channels.target"))
	if err != nil {
		return nil, err
	}
	uses := make([]recipient.Use, len(rows))
	for i, r := range rows {
		uses[i] = recipient.Use{Organization: r.OrganizationID, Email: r.Target, Subject: r.Name, Noun: "notificationChannels", ResourceID: r.ID}
	}
	return recipient.Concerns(ctx, l, uses)
}
