// Package attention lists what needs attention now: failures, servers that do not answer, expiring certificates, unproven
// backups. It stores nothing; each noun lists its own concerns, each time.
package attention

import (
	"cmp"
	"context"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// kinds are the kinds of concerns, the most urgent first.
var kinds = []string{
	PanelDiskFull,
	PanelCertificate,
	PanelOpen,
	PanelBackup,
	"server-host-key-changed", // it is not logged in to until a person has found out why
	"server-unreachable",
	"server-handed-over", // one of the panel's replicas can't reach it, and another one does its work
	"server-failed",
	"disk-full",            // next to nothing is free on it
	"server-out-of-memory", // the kernel ended a program on it
	"clock-apart",          // its clock differs from Hostler's
	"memory-lost",          // what Hostler kept on it is gone
	"work-stalled",         // it could begin, and nothing begins it
	"site-failed",
	"site-limit-reached", // the kernel ended a program of it, or started no more, since its limits allow no more
	"deployment-failed",
	"dns-records",         // they could not be made at the provider, or were changed there manually
	"certificate-failing", // a renewal failed; the old certificate is still served
	"site-shares-account", // a site of an older release has the password to every database of its server
	"hook-known",          // the deploy hook is known to a person who left, and deploys for anyone who knows it
	"mail-failed",         // a mail server did not take emails
	"recipient-waiting",   // an address that is not confirmed gets no notifications
	"backup-alarm",
	"heartbeat-missing",
	"monitor-alert",      // its threshold is crossed
	"input-misread",      // what was written is read otherwise, or not at all, by the program that it is for
	"job-not-started",    // it was due, and cron has not started it
	"nothing-served",     // the live deployment of a site has an empty web directory
	"nginx-refused",      // it was written before configurations were judged, and would be refused now
	"certificate-ending", // it ends soon, and is not renewed automatically
	"files-changed",      // manually, though their heads say that this does not last
	"drift",
	"server-outdated", // it lacks what a newer Hostler sets up
	"backup-unproven",
	"restart-needed", // a service runs with older settings than were written for it
	"reboot-needed",  // updates wait for it
	"server-waiting", // for its line to be pasted
	PanelUpdate,
}

// Kinds of the panel's own concerns.
const (
	PanelDiskFull    = "panel-disk-full"   // next to nothing is free for its data
	PanelCertificate = "panel-certificate" // it has none, or it is not renewed, ends soon or is for other names
	PanelOpen        = "panel-open"        // a setting of it lets anyone past a wall
	PanelBackup      = "panel-backup"      // a backup of it failed, can't be restored, or is too old
	PanelUpdate      = "panel-update"      // there is a newer release
)

// Store reads what needs attention, on the servers that a caller can see.
type Store struct {
	DB      *db.DB
	Sources []concern.Source
	// Panel lists concerns of the panel itself. It may be nil.
	Panel func(ctx context.Context) ([]concern.Item, error)
}

// Item is one thing that needs attention.
type Item struct {
	concern.Item
	// EventID is the event of the failed work.
	EventID *int64
}

// List returns everything that needs attention now in the organizations of the grants, the most urgent first.
func (s *Store) List(ctx context.Context, grants ...access.Grant) ([]Item, error) {
	look := concern.Look{Grants: grants, Rows: s.DB.Reader(), Read: s.DB.Read(), Now: s.DB.Clock.Now()}
	if len(grants) == 0 {
		return nil, nil
	}
	var found []concern.Item
	for _, source := range s.Sources {
		items, err := source(ctx, look)
		if err != nil {
			return nil, err
		}
		found = append(found, items...)
	}
	if s.Panel != nil && len(look.Managed()) > 0 {
		items, err := s.Panel(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, items...)
	}
	slices.SortStableFunc(found, func(a, b concern.Item) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
	if err := s.located(ctx, look, found); err != nil {
		return nil, err
	}
	return s.explained(ctx, found)
}

// located adds the organizations of what is on servers.
func (s *Store) located(ctx context.Context, look concern.Look, found []concern.Item) error {
	of := map[int64]int64{}
	var ids []any
	for _, item := range found {
		if item.ServerID != 0 {
			of[item.ServerID] = look.Grants[0].OrganizationID
		}
	}
	if len(look.Grants) > 1 {
		for id := range of {
			ids = append(ids, id)
		}
		servers, err := db.All[query.Server](ctx, look.Rows, "servers", db.Equal("id", ids...))
		if err != nil {
			return err
		}
		for _, server := range servers {
			of[server.ID] = server.OrganizationID
		}
	}
	for i, item := range found {
		if item.ServerID != 0 {
			found[i].OrganizationID = of[item.ServerID]
		}
	}
	return nil
}

// explained adds the reasons of failed work.
func (s *Store) explained(ctx context.Context, found []concern.Item) ([]Item, error) {
	ids := make([]*int64, len(found))
	for i, item := range found {
		ids[i] = item.OperationID
	}
	ops, err := job.ReadOperations(ctx, s.DB.Reader(), ids...)
	if err != nil {
		return nil, err
	}
	out := make([]Item, len(found))
	for i, item := range found {
		out[i].Item = item
		if item.OperationID == nil {
			continue
		}
		if op, ok := ops[*item.OperationID]; ok {
			out[i].Text, out[i].EventID = op.Reason, op.EventID
			if item.Since == nil {
				out[i].Since = op.FinishedAt
			}
		}
	}
	return out, nil
}
