// Package metric is the history of what servers measure of themselves: for a day by minutes, and for a month by half hours.
package metric

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
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

// values are what was measured in a step, or the averages of it; wire.Unknown for what was not measured.
type values = [wire.Metrics]float32

// chunk is the values of a row.
type chunk []values

// unpack reads a row: little-endian floats, the values of a step side by side. One that is empty, or not of this program, has no values.
func (t tier) unpack(packed []byte) chunk {
	c := make(chunk, t.steps)
	for i := range c {
		c[i] = t.at(packed, i)
	}
	return c
}

// at returns the values of one step of a row.
func (t tier) at(packed []byte, step int) (v values) {
	const size = wire.Metrics * 4
	if int64(len(packed)) != t.steps*size {
		packed = nil
	} else {
		packed = packed[step*size:]
	}
	for m := range v {
		v[m] = wire.Unknown
		if packed != nil {
			v[m] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*m:]))
		}
	}
	return v
}

func (c chunk) pack() []byte {
	packed := make([]byte, 0, len(c)*wire.Metrics*4)
	for _, v := range c {
		for _, f := range v {
			packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(f))
		}
	}
	return packed
}

// known reports whether any of the values was measured.
func known(v values) bool {
	for _, f := range v {
		if f >= 0 {
			return true
		}
	}
	return false
}

// mean is the average of what was measured.
type mean struct {
	sum [wire.Metrics]float64
	n   [wire.Metrics]int
}

func (m *mean) add(v values) {
	for i, f := range v {
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

func (m *mean) values() values {
	var out values
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

// record adds what a server measured, the oldest first, to what is kept of it, and brings the averages of these half hours up to date.
func record(ctx context.Context, tx *db.Tx, srv query.Server, samples []wire.Sample) error {
	halves, err := put(ctx, tx, srv, byMinute, samples)
	if err != nil {
		return err
	}
	_, err = put(ctx, tx, srv, byHalfHour, halves)
	return err
}

// put writes samples to the rows of a tier, and returns the averages of each half hour of these rows that has any.
func put(ctx context.Context, tx *db.Tx, srv query.Server, t tier, samples []wire.Sample) (halves []wire.Sample, err error) {
	for len(samples) > 0 {
		start := t.start(samples[0].Minute)
		rows, err := tx.ListMetrics(ctx, srv, t.step, microsOf(start), microsOf(start))
		if err != nil {
			return nil, fmt.Errorf("read metrics of server %d: %w", srv.ID, err)
		}
		var packed []byte
		if len(rows) > 0 {
			packed = rows[0].Packed
		}
		c := t.unpack(packed)
		for len(samples) > 0 && t.start(samples[0].Minute) == start {
			c[(samples[0].Minute-start)/t.step] = samples[0].Values
			samples = samples[1:]
		}
		if err := tx.PutMetric(ctx, srv.ID, t.step, microsOf(start), c.pack()); err != nil {
			return nil, fmt.Errorf("write metrics of server %d: %w", srv.ID, err)
		}
		halves = append(halves, t.halves(start, c)...)
	}
	return halves, nil
}

// halves returns the averages of each half hour of a row by minutes that has any.
func (t tier) halves(start int64, c chunk) []wire.Sample {
	per := byHalfHour.step / t.step
	var out []wire.Sample
	for i := int64(0); i < t.steps; i += per {
		var m mean
		for _, v := range c[i : i+per] {
			m.add(v)
		}
		if v := m.values(); known(v) {
			out = append(out, wire.Sample{Minute: start + i*t.step, Values: v})
		}
	}
	return out
}
