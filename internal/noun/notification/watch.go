package notification

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Watch is the job that looks which servers can't be reached.
type Watch struct{}

// Kind names the job.
func (Watch) Kind() string { return "notification.watch" }

const (
	watchEvery = time.Minute
	// awayFor is how long a server has to be unreachable before that is reported: a restart is not.
	awayFor = 5 * time.Minute
)

// Periodic returns how often servers are looked at.
func Periodic() job.Periodic { return job.Periodic{Every: watchEvery, Args: Watch{}} }

// Watcher tells of servers that can't be reached, once, and when they can be again.
type Watcher struct {
	DB       *db.DB
	Notifier *Notifier
}

// Work adds the job to the workers.
func (w *Watcher) Work(workers *job.Workers) { job.Handle(workers, w.Watch) }

// Watch compares the state of connections with what was reported.
func (w *Watcher) Watch(ctx context.Context, _ Watch) error {
	err := w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		servers, err := tx.Ungranted().ListAwayServers(ctx)
		if err != nil {
			return err
		}
		away := map[int64]query.Server{}
		for _, s := range servers {
			away[s.ID] = s
			if err := tx.NoteUnreachable(ctx, s.ID, tx.Micros()); err != nil {
				return err
			}
		}
		known, err := tx.Ungranted().ListUnreachable(ctx)
		if err != nil {
			return err
		}
		for _, u := range known {
			if err := w.one(ctx, tx, u, away); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for servers that can't be reached: %w", err)
	}
	return nil
}

func (w *Watcher) one(ctx context.Context, tx *db.Tx, u query.UnreachableServer, away map[int64]query.Server) error {
	since := time.UnixMicro(u.Since).UTC()
	s, isAway := away[u.ServerID]
	if !isAway {
		if n, err := tx.DeleteUnreachable(ctx, u.ServerID); err != nil || n == 0 || !u.Told {
			return err
		}
		var err error
		if s, err = tx.GetServer(ctx, u); err != nil {
			return err
		}
		if !s.IsReady { // it is archived, or on its way out: nothing is known of it
			return nil
		}
		return w.Notifier.Notify(ctx, tx, s.OrganizationID, Message{
			Event: ServerReachable, Title: s.Name + " can be reached again",
			Text: "It was unreachable for about " + tx.Now.Sub(since).Round(time.Minute).String() + ".", URL: page(s), Server: &Thing{s.ID, s.Name},
		})
	}
	if u.Told || tx.Now.Sub(since) < awayFor {
		return nil
	}
	if n, err := tx.TellUnreachable(ctx, u.ServerID); err != nil || n == 0 {
		return err
	}
	m := Message{
		Event: ServerUnreachable, Title: s.Name + " can't be reached", Text: "Since " + since.Format(time.RFC3339) + ".", URL: page(s),
		Server: &Thing{s.ID, s.Name},
	}
	if s.ConnectionStatus != nil && *s.ConnectionStatus == "host-key-changed" {
		m.Title, m.Text = s.Name+" shows another host key",
			"It may be another machine. Hostler does not sign in until a person confirms it. Since "+since.Format(time.RFC3339)+"."
	}
	return w.Notifier.Notify(ctx, tx, s.OrganizationID, m)
}

func page(s query.Server) string { return "/servers/" + strconv.FormatInt(s.ID, 10) }

func day(micros int64) string { return time.UnixMicro(micros).UTC().Format(time.DateOnly) }
