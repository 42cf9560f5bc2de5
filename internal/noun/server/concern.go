package server

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A disk is full with less than one part in fullShare and less than fullBytes free, since a tenth of a large disk is plenty.
const (
	fullShare = 10
	fullBytes = 20_000_000_000
)

// Concerns lists servers that failed, do not answer, differ from what is applied, or wait for a person.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	var out []concern.Item
	for _, source := range []concern.Source{troubled, handedOver, stalled, drifting, outdated, reported} {
		items, err := source(ctx, l)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
	}
	return out, nil
}

// Attended returns the condition on servers that a caller sees and that are not archived.
func Attended(grants ...access.Grant) db.Cond {
	return db.Both(across(grants, Visible), db.Equal("revoked", false))
}

// staying returns the condition on servers that are not being rebooted: those are expected to be away for a moment.
func staying() db.Cond {
	return db.Cond{SQL: "(operation_id IS NULL OR operation_id NOT IN (SELECT id FROM operations WHERE state IN ('pending', 'running') AND action IN ('" +
		ActionReboot + "', '" + ActionPowerCycle + "')))"}
}

// troubled lists servers whose work failed, that do not answer, or that wait for their line to be pasted.
func troubled(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Server](ctx, l.Rows, "servers", Attended(l.Grants...), db.Any(
		db.Equal("status", StatusConnecting, StatusFailed), db.Equal("connection_status", ConnectionKeyChanged),
		db.Both(db.Equal("connection_status", ConnectionDisconnected), staying()), concern.Failed()))
	var out []concern.Item
	for _, r := range rows {
		item := concern.Item{Kind: "server-failed", Subject: r.Name, ServerID: r.ID, OperationID: r.OperationID}
		switch {
		case r.Status == StatusDeleting || r.Status == StatusArchiving:
			continue
		case r.Status == StatusConnecting:
			item.Kind, item.Since, item.OperationID = "server-waiting", &r.CreatedAt, nil
		case r.ConnectionStatus != nil && *r.ConnectionStatus == ConnectionKeyChanged:
			item.Kind, item.OperationID = "server-host-key-changed", nil
		case r.ConnectionStatus != nil && *r.ConnectionStatus == ConnectionDisconnected:
			item.Kind, item.OperationID = "server-unreachable", nil
		}
		out = append(out, item)
	}
	return out, err
}

// handedOver lists servers that a replica of the panel gave up a short while ago.
func handedOver(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	leases, err := job.HandedOver(ctx, l.Read, l.Now)
	if err != nil {
		return nil, err
	}
	since := map[int64]int64{}
	var ids []any
	for _, lease := range leases {
		if id, ok := job.ServerOfLane(lease.Name); ok {
			since[id], ids = max(since[id], lease.HandedAt), append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.All[query.Server](ctx, l.Rows, "servers", Attended(l.Grants...), db.Equal("is_ready", true), db.Equal("id", ids...))
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{
			Kind: "server-handed-over", Subject: r.Name, ServerID: r.ID, Since: new(since[r.ID]),
			Text: "A Hostler replica could not reach it for two minutes. Another replica has taken over.",
		})
	}
	return out, err
}

// stalled lists work that has not begun for a minute, though nothing is in its way.
func stalled(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	waiting, err := db.All[query.Operation](ctx, l.Rows, "operations", db.Equal("state", job.StatePending), db.Equal("step", job.StepStalled),
		db.Equal("organization_id", l.Organizations()...))
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	of := map[int64]query.Operation{} // the oldest of each server
	var ids []any
	for _, op := range waiting {
		if first, is := of[op.ServerID]; !is || op.ID < first.ID {
			of[op.ServerID], ids = op, append(ids, op.ServerID)
		}
	}
	rows, err := db.All[query.Server](ctx, l.Rows, "servers", Attended(l.Grants...), db.Equal("id", ids...))
	var out []concern.Item
	for _, r := range rows {
		op := of[r.ID]
		out = append(out, concern.Item{Kind: "work-stalled", Subject: op.Description, ServerID: r.ID, OperationID: &op.ID, Since: &op.CreatedAt})
	}
	return out, err
}

// drifting lists servers that were found to differ from what is applied when they were last compared.
func drifting(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	ids, err := job.Drifting(ctx, l.Rows)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	rows, err := db.All[query.Server](ctx, l.Rows, "servers", Attended(l.Grants...), db.Equal("id", ids...))
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{Kind: "drift", Subject: r.Name, ServerID: r.ID})
	}
	return out, err
}

// outdated lists servers that lack what a newer Hostler sets up.
func outdated(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	texts, since, err := job.Outdated(ctx, l.Rows, l.Read, l.Organizations()...)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	var ids []any
	for id := range texts {
		ids = append(ids, id)
	}
	rows, err := db.All[query.Server](ctx, l.Rows, "servers", Attended(l.Grants...), db.Equal("id", ids...))
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{Kind: "server-outdated", Subject: r.Name, Text: texts[r.ID], ServerID: r.ID, Since: &since})
	}
	return out, err
}

// reported lists servers whose disk is full, whose agent forgot all, on which own files were changed, or that wait for a reboot or for the restart of
// a service, as they said themselves when they were last looked at.
func reported(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	full := db.Cond{SQL: "disk_free_bytes < disk_bytes / ? AND disk_free_bytes < ?", Args: []any{fullShare, fullBytes}}
	rows, err := db.All[query.Server](ctx, l.Rows, "servers", Attended(l.Grants...), db.Equal("is_ready", true),
		db.Any(full, db.Cond{SQL: "stale_services <> '' OR edited_files <> '' OR shortages <> ''"},
			db.Cond{SQL: "memory_lost_at IS NOT NULL OR clock_ahead <> 0"},
			db.Both(db.Equal("reboot_needed", true), staying())))
	var out []concern.Item
	for _, r := range rows {
		item := concern.Item{Subject: r.Name, ServerID: r.ID}
		if r.DiskFreeBytes < r.DiskBytes/fullShare && r.DiskFreeBytes < fullBytes {
			item.Kind, item.Text = "disk-full", fmt.Sprintf("Only %s of %s disk space is free.", gigabytes(r.DiskFreeBytes), gigabytes(r.DiskBytes))
			out = append(out, item)
		}
		if r.ClockAhead != 0 {
			item.Kind, item.Text = "clock-apart", clockText(time.Duration(r.ClockAhead)*time.Second)
			out = append(out, item)
		}
		if r.StaleServices != "" {
			item.Kind, item.Text = "restart-needed", strings.ReplaceAll(r.StaleServices, ",",
				", ")+" must be restarted to apply its new settings."
			out = append(out, item)
		}
		out = append(out, exhausted(r, l.Now)...)
		if r.EditedFiles != "" {
			item.Kind, item.Text = "files-changed", changedByHand(strings.Split(r.EditedFiles, "\n"))
			out = append(out, item)
		}
		if r.MemoryLostAt != nil {
			out = append(out, concern.Item{
				Kind: "memory-lost", Subject: r.Name, ServerID: r.ID, Since: r.MemoryLostAt,
				Text: "Hostler's files on this server are missing, including those of scheduled jobs and processes. Repair the server to restore them and see " +
					"what else is missing.",
			})
		}
		if r.RebootNeeded {
			out = append(out, concern.Item{Kind: "reboot-needed", Subject: r.Name, ServerID: r.ID})
		}
	}
	return out, err
}

// clockText says how far the clock of a server is off, and how to put it right.
func clockText(ahead time.Duration) string {
	way := "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	return fmt.Sprintf("Its clock is %s %s Hostler's. Certificates, one-time codes and the times in its logs depend on it. Synchronize it: "+
		`"timedatectl set-ntp true", or install systemd-timesyncd or chrony. If several servers are off by the same amount, look at Hostler's own machine.`,
		roughly(ahead.Abs()), way)
}

// roughly writes a duration in its largest unit.
func roughly(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "days"}, {time.Hour, "hours"}, {time.Minute, "minutes"}} {
		if d >= 2*unit.of {
			return fmt.Sprintf("%d %s", d.Round(unit.of)/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}

// namedFiles is how many files are named.
const namedFiles = 10

// changedByHand names files that were changed by hand.
func changedByHand(paths []string) string {
	text := strings.Join(paths[:min(len(paths), namedFiles)], ", ")
	if more := len(paths) - namedFiles; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "Changed outside Hostler: " + text + ". The next operation on the server overwrites the changes and shows them in its output."
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// exhausted lists what fell short on the host itself, by no site's limit.
func exhausted(row query.Server, now time.Time) []concern.Item {
	var out []concern.Item
	for _, s := range Shortages(row, now) {
		if s.Site == 0 && s.Of == wire.ShortOfMemory {
			out = append(out, concern.Item{
				Kind: "server-out-of-memory", Subject: row.Name, ServerID: row.ID, Since: &s.Last,
				Text: ShortageText(s, "what runs on the server", "used up its memory") +
					" Limits of memory keep a site from taking that of the others.",
			})
		}
	}
	return out
}
