package metric

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Hosts reads what hosts measured.
type Hosts interface {
	Samples(ctx context.Context, t host.Target, after int64) ([]wire.Sample, error)
}

// Observer keeps what servers measure of themselves.
type Observer struct {
	DB      *db.DB
	Hosts   Hosts
	Targets job.Targets
}

// aheadMinutes is how far the clock of a server may be ahead of ours. What is later than that is not kept.
const aheadMinutes = 5

// Watch keeps what a server measured since it was read last, also while Hostler was away.
func (o *Observer) Watch(ctx context.Context, srv query.Server) error {
	now := minuteOf(o.DB.Clock.Now().UnixMicro())
	after, err := o.newest(ctx, srv)
	if err != nil {
		return fmt.Errorf("find the newest metrics of server %d: %w", srv.ID, err)
	}
	after = max(after, now-wire.RingMinutes)
	target, err := o.Targets.Target(srv)
	if err != nil {
		return err
	}
	samples, err := o.Hosts.Samples(ctx, target, after)
	if err != nil {
		return fmt.Errorf("read what server %d measured: %w", srv.ID, err)
	}
	if samples = credible(samples, after, now+aheadMinutes); len(samples) == 0 {
		return nil
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, srv.ID); err != nil {
			return err
		}
		row, err := tx.GetServer(ctx, srv)
		if errors.Is(err, db.ErrNotFound) || err == nil && row.Revoked { // it was deleted or archived meanwhile
			return nil
		}
		if err != nil {
			return fmt.Errorf("read server %d: %w", srv.ID, err)
		}
		return record(ctx, tx, row, samples)
	})
}

// newest returns the last minute that is kept of a server, 0 if none is. Of one that was away for longer than minutes are kept, only averages are left:
// its newest half hour is read again, from its start.
func (o *Observer) newest(ctx context.Context, srv query.Server) (int64, error) {
	for _, t := range []tier{byMinute, byHalfHour} {
		row, err := o.DB.Read().NewestMetric(ctx, srv, t.step)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		for i, v := range slices.Backward(t.unpack(row.Packed)) {
			if known(v) {
				return minuteOf(row.StartsAt) + int64(i)*t.step - map[tier]int64{byHalfHour: 1}[t], nil
			}
		}
	}
	return 0, nil
}

// credible returns the samples between two minutes in their order, each once: a host may say what it likes.
func credible(samples []wire.Sample, after, until int64) []wire.Sample {
	var out []wire.Sample
	for _, s := range samples {
		if s.Minute <= after || s.Minute > until {
			continue
		}
		after = s.Minute
		for i, v := range s.Values {
			if v < 0 {
				s.Values[i] = wire.Unknown
			}
		}
		out = append(out, s)
	}
	return out
}
