package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Time prints as the contract's timestamps: ISO 8601, UTC, microseconds.
type Time time.Time

const timeLayout = "2006-01-02T15:04:05.000000Z"

// TimeOf turns the database's microseconds into a Time.
func TimeOf(micros int64) Time { return Time(time.UnixMicro(micros)) }

// MarshalJSON prints the time.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"` + timeLayout + `"`)), nil
}

// Schema describes the time.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// NullTime is a Time or null.
type NullTime struct{ *Time }

// NullTimeOf returns null for nil.
func NullTimeOf(micros *int64) NullTime {
	if micros == nil {
		return NullTime{}
	}
	t := TimeOf(*micros)
	return NullTime{&t}
}

// MarshalJSON prints the time or null.
func (t NullTime) MarshalJSON() ([]byte, error) {
	if t.Time == nil {
		return []byte("null"), nil
	}
	return t.Time.MarshalJSON()
}

// Schema describes the time.
func (NullTime) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}
