package backup

import (
	"context"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// provenWithin is how long a new configuration may be without a proof before it is a concern.
const provenWithin = 24 * time.Hour

// Concerns lists configurations whose backups fail, or are not proven, or whose address is not confirmed.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.BackupConfiguration](ctx, l.Rows, "backup_configurations", server.AttendedOf(l.Grants...),
		db.Cond{SQL: "(alarm IS NOT NULL OR verified_at IS NULL)"})
	if err != nil {
		return nil, err
	}
	silent, err := db.All[query.BackupConfiguration](ctx, l.Rows, "backup_configurations", server.AttendedOf(l.Grants...),
		recipient.Waits("backup_configurations.organization_id", "backup_configurations.notify_email"))
	if err != nil {
		return nil, err
	}
	uses := make([]recipient.Use, len(silent))
	for i, r := range silent {
		uses[i] = recipient.Use{Organization: r.OrganizationID, Email: *r.NotifyEmail, Subject: r.Name, Noun: "backupConfigurations", ServerID: r.ServerID,
			ResourceID: r.ID}
	}
	out, err := recipient.Concerns(ctx, l, uses)
	for _, r := range rows {
		item := concern.Item{Kind: "backup-unproven", Subject: r.Name, ServerID: r.ServerID, ResourceID: &r.ID, Since: &r.CreatedAt}
		if r.Alarm != nil {
			item.Kind, item.Text, item.Since = "backup-alarm", *r.Alarm, nil
		} else if l.Now.Sub(time.UnixMicro(r.CreatedAt)) < provenWithin {
			continue
		}
		out = append(out, item)
	}
	return out, err
}
