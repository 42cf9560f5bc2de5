// Package metric is the history of what servers measure of themselves and of their sites: for a day by minutes, and for a month by half hours.
package metric

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// tier is a resolution in which values are kept, a row for several steps in succession. Retention deletes its old rows.
type tier struct {
	step  int64 // minutes between two values
	steps int64 // in a row
}

var (
	byMinute   = tier{step: 1, steps: 60}
	byHalfHour = tier{step: 30, steps: 48}
)

// start returns the first minute of the row that has a minute.
func (t tier) start(minute int64) int64 { return minute - minute%(t.step*t.steps) }

// sample is what was measured in a step, or the averages of it; wire.Unknown for what was not measured.
type sample struct {
	minute int64
	values []float32
}

// row is the values of several steps in succession.
type row struct {
	startsAt int64 // microseconds since 1970
	packed   []byte
}

// subject is what is measured: a server, or a site.
type subject interface {
	fmt.Stringer
	// metrics is how many values there are of a step.
	metrics() int
	list(ctx context.Context, q *query.Granted, step, from, until int64) ([]row, error)
	put(ctx context.Context, tx *db.Tx, step int64, r row) error
}

type ofServer query.Server

func (s ofServer) String() string { return fmt.Sprint("server ", s.ID) }
func (ofServer) metrics() int     { return wire.Metrics }

func (s ofServer) list(ctx context.Context, q *query.Granted, step, from, until int64) ([]row, error) {
	rows, err := q.ListMetrics(ctx, query.Server(s), step, from, until)
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{r.StartsAt, r.Packed}
	}
	return out, err
}

func (s ofServer) put(ctx context.Context, tx *db.Tx, step int64, r row) error {
	return tx.PutMetric(ctx, s.ID, step, r.startsAt, r.packed)
}

type ofSite query.Site

func (s ofSite) String() string { return fmt.Sprint("site ", s.ID) }
func (ofSite) metrics() int     { return wire.SiteMetrics }

func (s ofSite) list(ctx context.Context, q *query.Granted, step, from, until int64) ([]row, error) {
	rows, err := q.ListSiteMetrics(ctx, query.Site(s), step, from, until)
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{r.StartsAt, r.Packed}
	}
	return out, err
}

func (s ofSite) put(ctx context.Context, tx *db.Tx, step int64, r row) error {
	return tx.PutSiteMetric(ctx, query.PutSiteMetricParams{SiteID: s.ID, ServerID: s.ServerID, Step: step, StartsAt: r.startsAt, Packed: r.packed})
}

// chunk is the values of a row, those of a step side by side.
type chunk struct {
	metrics int
	values  []float32
}

// unpack reads a row of little-endian floats into a chunk, whose memory it uses. One that is empty, or not of this program, has no
// values; one of a time when fewer metrics were measured has these, which come first.
func (c *chunk) unpack(t tier, metrics int, packed []byte) {
	n, measured := int(t.steps)*metrics, len(packed)/4/int(t.steps)
	c.metrics, c.values = metrics, slices.Grow(c.values[:0], n)[:n]
	if len(packed) != 4*int(t.steps)*measured || measured > metrics {
		measured = 0
	}
	for i := range c.values {
		c.values[i] = wire.Unknown
		if step, metric := i/metrics, i%metrics; metric < measured {
			c.values[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*(step*measured+metric):]))
		}
	}
}

func (c *chunk) pack() []byte {
	packed := make([]byte, 0, 4*len(c.values))
	for _, f := range c.values {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(f))
	}
	return packed
}

// at returns the values of a step, which can be changed.
func (c *chunk) at(step int64) []float32 {
	return c.values[int(step)*c.metrics : (int(step)+1)*c.metrics]
}

// known reports whether any of the values was measured.
func known(values []float32) bool {
	for _, f := range values {
		if f >= 0 {
			return true
		}
	}
	return false
}

// mean is the average of what was measured, of as many metrics as a server has at most.
type mean struct {
	sum [wire.Metrics]float64
	n   [wire.Metrics]int
}

func (m *mean) add(values []float32) {
	for i, f := range values {
		if f >= 0 {
			m.sum[i] += float64(f)
			m.n[i]++
		}
	}
}

// of returns the average of one metric to two places; nil if it was not measured.
func (m *mean) of(metric int) *float64 {
	if m.n[metric] == 0 {
		return nil
	}
	return new(hundredths(m.sum[metric] / float64(m.n[metric])))
}

// values returns the averages of the first metrics.
func (m *mean) values(metrics int) []float32 {
	out := make([]float32, metrics)
	for i := range out {
		out[i] = wire.Unknown
		if m.n[i] > 0 {
			out[i] = float32(hundredths(m.sum[i] / float64(m.n[i])))
		}
	}
	return out
}

func hundredths(f float64) float64 { return math.Round(100*f) / 100 }

func microsOf(minute int64) int64 { return minute * time.Minute.Microseconds() }
func minuteOf(micros int64) int64 { return micros / time.Minute.Microseconds() }

// record adds what was measured, the oldest first, to what is kept, and brings the averages of these half hours up to date.
func record(ctx context.Context, tx *db.Tx, of subject, samples []sample) error {
	halves, err := put(ctx, tx, of, byMinute, samples)
	if err != nil {
		return err
	}
	_, err = put(ctx, tx, of, byHalfHour, halves)
	return err
}

// put writes samples to the rows of a tier, and returns the averages of each half hour of these rows that has any.
func put(ctx context.Context, tx *db.Tx, of subject, t tier, samples []sample) (halves []sample, err error) {
	var c chunk
	for len(samples) > 0 {
		start := t.start(samples[0].minute)
		rows, err := of.list(ctx, tx.Granted, t.step, microsOf(start), microsOf(start))
		if err != nil {
			return nil, fmt.Errorf("read metrics of %s: %w", of, err)
		}
		var packed []byte
		if len(rows) > 0 {
			packed = rows[0].packed
		}
		c.unpack(t, of.metrics(), packed)
		for len(samples) > 0 && t.start(samples[0].minute) == start {
			copy(c.at((samples[0].minute-start)/t.step), samples[0].values)
			samples = samples[1:]
		}
		if err := of.put(ctx, tx, t.step, row{microsOf(start), c.pack()}); err != nil {
			return nil, fmt.Errorf("write metrics of %s: %w", of, err)
		}
		halves = append(halves, t.halves(start, &c)...)
	}
	return halves, nil
}

// halves returns the averages of each half hour of a row by minutes that has any.
func (t tier) halves(start int64, c *chunk) []sample {
	per := byHalfHour.step / t.step
	var out []sample
	for i := int64(0); i < t.steps; i += per {
		var m mean
		for step := i; step < i+per; step++ {
			m.add(c.at(step))
		}
		if v := m.values(c.metrics); known(v) {
			out = append(out, sample{start + i*t.step, v})
		}
	}
	return out
}
