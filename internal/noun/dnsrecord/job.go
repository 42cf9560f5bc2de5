package dnsrecord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
)

// The actions of work on the DNS of a domain. Work to follow is begun by Hostler itself, and has no plan that a person has looked at.
const (
	actionMake   = "create"
	actionFollow = "update"
	actionRemove = "delete"
)

const (
	// workWithin is how long a provider that does not answer is asked again.
	workWithin = 10 * time.Minute
	// undoWithin is what is left of it when what was begun is undone instead.
	undoWithin = 2 * time.Minute
	// attemptWithin is how long one attempt may take.
	attemptWithin = 3 * time.Minute
)

// request is what work asks for.
type request struct {
	ProviderID int64    `json:"dns_provider_id"`
	Plan       string   `json:"plan,omitempty"`
	Replace    []string `json:"replace,omitempty"`
}

// Task makes and removes records.
type Task struct{ *Store }

// Aspect returns it for the engine.
func (t *Task) Aspect() job.Aspect {
	return task.Kind[query.DomainDNS]{
		Load: task.Row((*query.Queries).GetDomainDNS), Gone: "the domain was deleted", Steps: t.steps, Write: t.write, Early: true,
	}.Aspect()
}

// steps returns stages that change nothing on the server: their After talks to the provider, and to nameservers.
func (t *Task) steps(_ context.Context, _ *query.Queries, _ query.Server, op query.Operation, _ query.DomainDNS) ([]job.Stage, error) {
	stages := []job.Stage{{Name: "records", After: func(ctx context.Context, _ query.Server) error { return t.do(ctx, op) }}}
	if op.Action != actionRemove {
		stages = append(stages, job.Stage{Name: "seen", After: func(ctx context.Context, _ query.Server) error { return t.show(ctx, op) }})
	}
	return stages, nil
}

// write makes the row show where the work stands.
func (t *Task) write(ctx context.Context, tx *db.Tx, op query.Operation, row query.DomainDNS, at job.State) error {
	status := map[string]string{actionRemove: statusRemoving}[op.Action]
	switch {
	case at == job.Queued && status == "":
		status = statusPending
	case at == job.Queued:
	case !at.Ended():
		return nil
	case at.Done() && op.Action == actionRemove:
		return tx.DeleteDomainDNS(ctx, row.DomainID)
	case at.Done():
		status = statusMade
	default:
		status = statusFailed
	}
	return tx.SetDomainDNSStatus(ctx, row.DomainID, status, &op.ID, tx.Micros())
}

// do makes the records be what the work asks for. What one of them is refused for undoes the others.
func (t *Task) do(ctx context.Context, op query.Operation) error {
	ctx, cancel := context.WithTimeout(ctx, attemptWithin)
	defer cancel()
	items, left, at, err := t.agreed(ctx, op)
	if err != nil {
		return t.ends(op, err, nil)
	}
	w := &worker{Store: t.Store, at: at, op: op}
	for _, i := range items {
		if err := w.item(ctx, i); err != nil {
			return t.ends(op, err, w)
		}
	}
	if len(left) > 0 {
		return &job.StageError{Reason: "What was changed manually is left as it is. " + strings.Join(left, " ")}
	}
	return nil
}

// agreed returns the plan of the work, if it still is the one that was agreed to.
func (t *Task) agreed(ctx context.Context, op query.Operation) (items []Item, left []string, at subject, err error) {
	q := t.DB.Read()
	var asked request
	if err := json.Unmarshal([]byte(op.Request), &asked); err != nil {
		return nil, nil, at, fmt.Errorf("read what operation %d asks for: %w", op.ID, err)
	}
	row, err := q.Ungranted().GetDomainDNS(ctx, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil, at, &job.StageError{Reason: "The domain was deleted."}
	}
	if err != nil {
		return nil, nil, at, fmt.Errorf("read DNS of domain %d: %w", op.ResourceID, err)
	}
	if at, err = t.find(ctx, q, op.ResourceID); err != nil {
		return nil, nil, at, err
	}
	if at, err = t.open(ctx, q, at, asked.ProviderID); err != nil {
		return nil, nil, at, err
	}
	if op.Action == actionRemove {
		in, err := t.gather(ctx, q, at, nil, nil)
		return Removal(in), nil, at, err
	}
	wants, no, err := t.wanted(ctx, q, at.domain, at.server)
	if err != nil {
		return nil, nil, at, err
	}
	if no != "" {
		return nil, nil, at, &job.StageError{Reason: no}
	}
	in, err := t.gather(ctx, q, at, wants, asked.Replace)
	if err != nil {
		return nil, nil, at, err
	}
	items = Plan(in)
	if op.Action == actionFollow {
		items, left = followed(items)
		return items, left, at, nil
	}
	hash, err := Hash(at.row.ID, items)
	if err != nil {
		return nil, nil, at, err
	}
	if no := refused(items); len(no) > 0 {
		return nil, nil, at, &job.StageError{Reason: strings.Join(no, " ") + " Nothing was changed."}
	}
	if row.Status != statusChanging && hash != asked.Plan {
		return nil, nil, at, &job.StageError{Reason: "The records changed since the plan. Nothing was changed. Look at the plan again."}
	}
	err = t.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.SetDomainDNSStatus(ctx, at.domain.ID, statusChanging, &op.ID, tx.Micros())
	})
	return items, nil, at, err
}

// ends returns how an error ends an attempt: a provider that does not answer is asked again while there is time, all else is undone and ends the work.
func (t *Task) ends(op query.Operation, err error, w *worker) error {
	kind := dns.KindOf(err)
	time := time.UnixMicro(op.Deadline).Sub(t.DB.Clock.Now())
	switch {
	case kind == "":
		return err
	case kind == dns.Away && time > undoWithin:
		return &job.LaterError{Reason: err.Error() + " It is asked again."}
	}
	reason := err.Error()
	if w != nil && len(w.undo) > 0 {
		reason += " " + w.back()
	}
	return &job.StageError{Reason: reason}
}

// worker makes the changes of a plan, and remembers how to undo them.
type worker struct {
	*Store
	at   subject
	op   query.Operation
	undo []func(ctx context.Context) error
}

// back undoes what was done, the last first, and says how that went.
func (w *worker) back() string {
	ctx, cancel := context.WithTimeout(context.Background(), undoWithin/2)
	defer cancel()
	slices.Reverse(w.undo)
	failed := 0
	for _, undo := range w.undo {
		if undo(ctx) != nil {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Sprintf("Of the records that were changed before, %d could not be restored.", failed)
	}
	return "The records that were changed before are as they were."
}

// keep writes the row of a record.
func (w *worker) keep(ctx context.Context, zone dns.Zone, r dns.Record) error {
	return w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.PutDNSRecord(ctx, query.PutDNSRecordParams{
			OrganizationID: w.at.site.OrganizationID, DNSProviderID: w.at.row.ID, DomainID: &w.at.domain.ID,
			ZoneID: zone.ID, Zone: zone.Name, Name: r.Name, Type: r.Type, Value: r.Value, RemoteID: r.ID, CreatedAt: tx.Micros(),
		})
		if err != nil {
			return fmt.Errorf("write DNS record %s: %w", r.Name, err)
		}
		return nil
	})
}

// forget deletes the row of a record.
func (w *worker) forget(ctx context.Context, name, kind string) error {
	return w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.GetDNSRecordNamed(ctx, w.at.site, name, kind)
		if errors.Is(err, db.ErrNotFound) || err == nil && (row.DomainID == nil || *row.DomainID != w.at.domain.ID) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read DNS record %s: %w", name, err)
		}
		return tx.DeleteDNSRecord(ctx, row.ID)
	})
}

// item does one line of a plan. The row of a new record is written before the provider is asked: whatever happens in between, it is known as ours.
func (w *worker) item(ctx context.Context, i Item) error {
	zone, err := w.zone(ctx, i)
	if err != nil {
		return err
	}
	switch i.Action {
	case actionCreate:
		r := dns.Record{Name: i.Name, Type: i.Type, Value: i.Value}
		if err := w.keep(ctx, zone, r); err != nil {
			return err
		}
		made, err := w.at.records.Create(ctx, zone, r)
		if err != nil {
			if dns.KindOf(err) != dns.Away { // of one that did not answer, it may have been made
				err = errors.Join(err, w.restore(ctx, zone, i))
			}
			return err
		}
		w.undo = append(w.undo, func(ctx context.Context) error {
			return errors.Join(w.at.records.Delete(ctx, zone, made), w.restore(ctx, zone, i))
		})
		return w.keep(ctx, zone, made)
	case actionChange:
		made, err := w.at.records.Change(ctx, zone, i.live, i.Value)
		if err != nil {
			return err
		}
		w.undo = append(w.undo, func(ctx context.Context) error {
			_, err := w.at.records.Change(ctx, zone, made, i.live.Value)
			return errors.Join(err, w.restore(ctx, zone, i))
		})
		return w.keep(ctx, zone, made)
	case actionDelete:
		if err := w.at.records.Delete(ctx, zone, i.live); err != nil {
			return err
		}
		w.undo = append(w.undo, func(ctx context.Context) error {
			made, err := w.at.records.Create(ctx, zone, i.live)
			if err != nil || i.own == nil {
				return err
			}
			return w.keep(ctx, zone, made)
		})
		if i.own == nil {
			return nil
		}
		return w.forget(ctx, i.Name, i.Type)
	case actionKeep:
		if i.adopted || i.own != nil && (i.own.Value != i.Value || i.own.RemoteID != i.live.ID || i.own.DomainID == nil) {
			return w.keep(ctx, zone, i.live)
		}
	case actionLeave:
		if i.own != nil { // it is not what was made, and so it is no longer ours
			return w.forget(ctx, i.Name, i.Type)
		}
	}
	return nil
}

// restore makes the row of a record what it was before the plan.
func (w *worker) restore(ctx context.Context, zone dns.Zone, i Item) error {
	if i.own == nil {
		return w.forget(ctx, i.Name, i.Type)
	}
	return w.keep(ctx, zone, dns.Record{ID: i.own.RemoteID, Name: i.Name, Type: i.Type, Value: i.own.Value})
}

// zone returns the zone of a line: that of its row, where it has one.
func (w *worker) zone(ctx context.Context, i Item) (dns.Zone, error) {
	switch {
	case (i.Action == actionKeep || i.Action == actionLeave) && i.own == nil && !i.adopted:
		return dns.Zone{}, nil
	case i.own != nil:
		return dns.Zone{ID: i.own.ZoneID, Name: i.own.Zone}, nil
	}
	return w.at.records.Zone(ctx, i.Name)
}

// show looks at the records that were made, at the provider and from outside, and says in the event what it saw.
func (t *Task) show(ctx context.Context, op query.Operation) error {
	s, err := t.look(ctx, op.ResourceID)
	if err != nil || op.EventID == nil {
		return err
	}
	var b strings.Builder
	for _, r := range s.Records {
		for _, at := range r.Sights {
			where, what := at.Server, strings.Join(at.Values, ", ")
			if at.Authoritative {
				where = "the zone's nameserver " + where
			}
			if what == "" {
				what = "nothing"
			}
			if at.Problem != "" {
				what = at.Problem
			}
			fmt.Fprintf(&b, "%s %s %s: %s shows %s\n", r.Name, r.Type, r.Value, where, what)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return t.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return job.Say(ctx, tx, *op.EventID, job.Piece{Kind: "stdout", Step: "seen", Content: b.String()})
	})
}
