package schedule

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Concerns lists jobs of an earlier release whose expression cron does not read, or reads otherwise than it says.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.ScheduledJob](ctx, l.Rows, "scheduled_jobs", db.In("server_id", "servers", server.Attended(l.Grants...)),
		db.Equal("frequency", custom))
	var out []concern.Item
	for _, r := range rows {
		if _, err := value.ParseCron(r.Cron); err != nil {
			happens := "This scheduled job never runs. "
			if _, err := value.ParseHostCron(r.Cron); err == nil {
				happens = "This scheduled job runs at other times than it seems to. "
			}
			out = append(out, concern.Item{
				Kind: "input-misread", Noun: "job", Subject: Specification{Name: r.Name}.title(r.ID), ServerID: r.ServerID, SiteID: r.SiteID, ResourceID: &r.ID,
				Text: happens + err.Error() + " Create the job again, and delete this one.",
			})
		}
	}
	return out, err
}

// Unstarted lists jobs that were due and that cron has not started.
func Unstarted(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.ScheduledJob](ctx, l.Rows, "scheduled_jobs", db.In("server_id", "servers", server.Attended(l.Grants...)),
		db.Cond{SQL: "unstarted <> ''"})
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{
			Kind: "job-not-started", Subject: Specification{Name: r.Name}.title(r.ID), ServerID: r.ServerID, SiteID: r.SiteID, ResourceID: &r.ID, Text: r.Unstarted,
		})
	}
	return out, err
}
