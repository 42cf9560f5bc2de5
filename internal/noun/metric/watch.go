package metric

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Hosts reads what hosts measured, and what their sites were asked.
type Hosts interface {
	Samples(ctx context.Context, t host.Target, after int64) ([]wire.Sample, error)
	SiteSamples(ctx context.Context, t host.Target, after int64) ([]wire.SiteSample, error)
}

// Observer keeps what servers measure of themselves and of their sites.
type Observer struct {
	DB      *db.DB
	Hosts   Hosts
	Targets job.Targets
}

// aheadMinutes is how far the clock of a server may be ahead of ours. What is later than that is not kept.
const aheadMinutes = 5

// Watch keeps what a server measured since it was read last, also while Hostler was away.
func (o *Observer) Watch(ctx context.Context, srv query.Server) error {
	target, err := o.Targets.Target(srv)
	if err != nil {
		return err
	}
	return errors.Join(o.watch(ctx, srv, target), o.watchSites(ctx, srv, target))
}

func (o *Observer) watch(ctx context.Context, srv query.Server, target host.Target) error {
	after, until, err := o.unread(ctx, srv, wire.Metrics, newestOfServer)
	if err != nil {
		return fmt.Errorf("find the newest metrics of server %d: %w", srv.ID, err)
	}
	measured, err := o.Hosts.Samples(ctx, target, after)
	if err != nil {
		return fmt.Errorf("read what server %d measured: %w", srv.ID, err)
	}
	samples := make([]sample, len(measured))
	for i, s := range measured {
		samples[i] = sample{s.Minute, s.Values[:]}
	}
	if samples = credible(samples, after, until); len(samples) == 0 {
		return nil
	}
	return o.locked(ctx, srv, func(ctx context.Context, tx *db.Tx, srv query.Server) error {
		return record(ctx, tx, ofServer(srv), samples)
	})
}

// watchSites keeps what the sites of a server were asked. All of them are written at once, so that the newest of any is the newest of all.
func (o *Observer) watchSites(ctx context.Context, srv query.Server, target host.Target) error {
	after, until, err := o.unread(ctx, srv, wire.SiteMetrics, newestOfSites)
	if err != nil {
		return fmt.Errorf("find the newest metrics of sites of server %d: %w", srv.ID, err)
	}
	counted, err := o.Hosts.SiteSamples(ctx, target, after)
	if err != nil {
		return fmt.Errorf("read what sites of server %d were asked: %w", srv.ID, err)
	}
	if len(counted) == 0 {
		return nil
	}
	of := map[int64][]sample{}
	for _, s := range counted {
		values := make([]float32, wire.SiteMetrics)
		for i := range values {
			values[i] = wire.Unknown
			if i < len(s.Counts) && s.Counts[i] != wire.SiteUnknown {
				values[i] = float32(s.Counts[i])
			}
		}
		of[s.Site] = append(of[s.Site], sample{s.Minute, values})
	}
	return o.locked(ctx, srv, func(ctx context.Context, tx *db.Tx, srv query.Server) error {
		sites, err := tx.ListServerSites(ctx, srv)
		if err != nil {
			return fmt.Errorf("list sites of server %d: %w", srv.ID, err)
		}
		for _, row := range sites { // a host must not report on other servers' sites
			if err := record(ctx, tx, ofSite(row), credible(of[row.ID], after, until)); err != nil {
				return err
			}
		}
		return nil
	})
}

// locked calls fn with the row of a server as it is now, unless it was deleted or archived meanwhile.
func (o *Observer) locked(ctx context.Context, srv query.Server, fn func(context.Context, *db.Tx, query.Server) error) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, srv.ID); err != nil {
			return err
		}
		row, err := tx.GetServer(ctx, srv)
		if errors.Is(err, db.ErrNotFound) || err == nil && row.Revoked {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read server %d: %w", srv.ID, err)
		}
		return fn(ctx, tx, row)
	})
}

type newest func(ctx context.Context, q *query.Granted, srv query.Server, step int64) (row, error)

func newestOfServer(ctx context.Context, q *query.Granted, srv query.Server, step int64) (row, error) {
	r, err := q.NewestMetric(ctx, srv, step)
	return row{r.StartsAt, r.Packed}, err
}

// newestOfSites returns the newest row of any site of a server.
func newestOfSites(ctx context.Context, q *query.Granted, srv query.Server, step int64) (row, error) {
	r, err := q.NewestSiteMetric(ctx, srv, step)
	return row{r.StartsAt, r.Packed}, err
}

// unread returns the last minute that is kept of a server or of its sites, and the last one that is to be kept now. Of one that was away for longer than
// minutes are kept, only averages are left: its newest half hour is read again, from its start.
func (o *Observer) unread(ctx context.Context, srv query.Server, metrics int, find newest) (after, until int64, err error) {
	now := minuteOf(o.DB.Clock.Now().UnixMicro())
	after, until = now-wire.RingMinutes, now+aheadMinutes
	var c chunk
	for _, t := range []tier{byMinute, byHalfHour} {
		row, err := find(ctx, o.DB.Read(), srv, t.step)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		c.unpack(t, metrics, row.packed)
		for i := t.steps - 1; i >= 0; i-- {
			if known(c.at(i)) {
				return max(after, minuteOf(row.startsAt)+i*t.step-map[tier]int64{byHalfHour: 1}[t]), until, nil
			}
		}
	}
	return after, until, nil
}

// credible returns the samples between two minutes in their order, each once: a host may say what it likes.
func credible(samples []sample, after, until int64) []sample {
	var out []sample
	for _, s := range samples {
		if s.minute <= after || s.minute > until {
			continue
		}
		after = s.minute
		for i, v := range s.values {
			if v < 0 {
				s.values[i] = wire.Unknown
			}
		}
		out = append(out, s)
	}
	return out
}
