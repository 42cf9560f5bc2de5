package event

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

const (
	// newsEvery is how often new output is polled while streams are open.
	newsEvery = 250 * time.Millisecond
	// mostRows is how many pieces a stream reads at once. A stream holds them until its client has read them, and each can have 48 KiB.
	mostRows = 20
)

// news looks for new output once for all streams of this process, whichever replica wrote it, and wakes the streams of the organizations that have
// some. The zero value with a database is ready.
type news struct {
	db *db.DB

	mu      sync.Mutex
	streams map[int64]map[chan struct{}]bool // by organization
	end     context.CancelFunc               // of looking; nil while there are no streams
}

// join adds a stream of an organization until leave is called. What is written from here on wakes it.
func (n *news) join(ctx context.Context, organization int64) (wake chan struct{}, leave func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.end == nil {
		last, err := n.db.Read().Ungranted().LastOutputID(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("follow events: %w", err)
		}
		looking, end := context.WithCancel(context.WithoutCancel(ctx))
		n.streams, n.end = map[int64]map[chan struct{}]bool{}, end
		go n.look(looking, last)
	}
	wake = make(chan struct{}, 1)
	if n.streams[organization] == nil {
		n.streams[organization] = map[chan struct{}]bool{}
	}
	n.streams[organization][wake] = true
	return wake, func() { n.leave(organization, wake) }, nil
}

func (n *news) leave(organization int64, wake chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if delete(n.streams[organization], wake); len(n.streams[organization]) == 0 {
		delete(n.streams, organization)
	}
	if len(n.streams) == 0 {
		n.end()
		n.end = nil
	}
}

func (n *news) look(ctx context.Context, last int64) {
	tick := time.NewTicker(newsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		rows, err := n.db.Read().Ungranted().ListNewOutput(ctx, last)
		n.mu.Lock()
		if err != nil && ctx.Err() == nil { // each stream finds the failure itself, and ends with it
			for _, streams := range n.streams {
				wakeAll(streams)
			}
		}
		for _, row := range rows {
			last = max(last, row.Last)
			wakeAll(n.streams[row.OrganizationID])
		}
		n.mu.Unlock()
	}
}

func wakeAll(streams map[chan struct{}]bool) {
	for wake := range streams {
		wakeUp(wake)
	}
}

// wakeUp never blocks: a stream that has been woken reads all there is.
func wakeUp(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Piece is one piece of output in the stream.
type Piece struct {
	EventID  string   `json:"event_id"`
	ServerID *int64   `json:"server_id"`
	SiteID   *int64   `json:"site_id"`
	Seq      int64    `json:"seq"`
	Kind     string   `json:"kind"`
	Step     string   `json:"step"`
	Content  string   `json:"content"`
	At       api.Time `json:"at"`
}

// stream reads the stored output: a reconnecting client misses nothing, whichever replica answers.
func (o *Operations) stream(ctx context.Context, current api.Current[organization.Path], last string, send api.Send) error {
	c, err := current()
	if err != nil {
		return err
	}
	newest, err := o.DB.Read().Ungranted().LastOutputID(ctx)
	if err != nil {
		return fmt.Errorf("follow events: %w", err)
	}
	after, err := strconv.ParseInt(last, 10, 64)
	if err != nil || after > newest { // as after the restore of a backup: ids that are not given out yet will be those of other pieces
		after = newest
	}
	wake, leave, err := o.news.join(ctx, c.Parent.OrganizationID)
	if err != nil {
		return err
	}
	defer leave()
	return api.Follow(ctx, wake, send, func() (said bool, err error) {
		rows, err := o.DB.Read().ListOrganizationOutput(ctx, c.Parent, after, mostRows)
		if err != nil {
			return false, fmt.Errorf("follow events: %w", err)
		}
		if len(rows) == 0 {
			return false, nil
		}
		if len(rows) == mostRows { // the rest follows
			wakeUp(wake)
		}
		now, err := current()
		if err != nil {
			return false, err
		}
		hears, err := o.listener(ctx, now.Parent, rows)
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			if after = row.ID; !job.IsPrinted(row.Kind) || !hears(row) {
				continue
			}
			piece := Piece{
				EventID: strconv.FormatInt(row.EventID, 10), ServerID: row.ServerID, SiteID: row.SiteID, Seq: row.Seq, Kind: row.Kind,
				Step: row.Step, Content: row.Content, At: api.TimeOf(row.CreatedAt),
			}
			if err := send(row.ID, "output", piece); err != nil {
				return false, err
			}
			said = true
		}
		return said, nil
	})
}

// listener returns which of these pieces the caller of a stream can read now: those of servers that they see, and of work that
// prints others' text only with the permissions of the work.
func (o *Operations) listener(ctx context.Context, now organization.Path,
	rows []query.ListOrganizationOutputRow,
) (func(query.ListOrganizationOutputRow) bool, error) {
	ids, inside := []*int64{}, map[int64]access.Grant{}
	for _, row := range rows {
		ids = append(ids, row.OperationID)
		if row.ServerID == nil {
			continue
		}
		if _, known := inside[*row.ServerID]; known {
			continue
		}
		_, g, err := o.Servers.Open(ctx, o.DB.Read(), now.Grant, *row.ServerID)
		if errors.Is(err, access.ErrNotFound) || errors.Is(err, db.ErrNotFound) {
			g = access.Grant{} // which may nothing
		} else if err != nil {
			return nil, err
		}
		inside[*row.ServerID] = g
	}
	ops, err := job.ReadOperations(ctx, o.DB.Reader(), ids...)
	if err != nil {
		return nil, err
	}
	return func(row query.ListOrganizationOutputRow) bool {
		needed, g := []access.Permission{access.ServerView}, now.Grant
		if row.ServerID != nil {
			g = inside[*row.ServerID]
		} else if !now.SeesAll() {
			return false
		}
		if row.OperationID != nil && ops[*row.OperationID].Prints {
			needed = append(needed, job.Needs(ops[*row.OperationID])...)
		}
		return g.Require(needed...) == nil
	}, nil
}
