package value

import (
	"fmt"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Cron is a schedule of five fields: minute, hour, day of the month, month, day of the week (crontab(5)), in digits.
type Cron struct{ fields string }

// ParseCron parses five numeric fields: no schedule names, no seconds, and a schedule that occurs at all.
func ParseCron(s string) (Cron, error) {
	fields := strings.Join(strings.Fields(s), " ")
	if strings.Count(fields, " ") != 4 || len(s) > 100 || strings.ContainsAny(s, "\r\n\x00") || strings.ContainsFunc(fields, func(r rune) bool {
		return r != ' ' && r != '*' && r != ',' && r != '-' && r != '/' && (r < '0' || r > '9')
	}) || !gronx.IsValid(fields) {
		return Cron{}, Error("The cron expression must have five fields: minute, hour, day, month, weekday.")
	}
	if _, err := gronx.NextTickAfter(fields, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), false); err != nil {
		return Cron{}, Error("The cron expression never happens.")
	}
	return Cron{fields}, nil
}

// String returns the five fields with one blank between them.
func (c Cron) String() string { return c.fields }

// IsZero reports whether c was never parsed.
func (c Cron) IsZero() bool { return c.fields == "" }

// Next returns the first time after a moment, in a time zone.
func (c Cron) Next(after time.Time, zone *time.Location) (time.Time, error) {
	t, err := gronx.NextTickAfter(c.fields, after.In(zone), false)
	if err != nil {
		return t, fmt.Errorf("next time of %q: %w", c.fields, err)
	}
	return t.UTC(), nil
}

// MarshalText returns the fields.
func (c Cron) MarshalText() ([]byte, error) { return []byte(c.fields), nil }

// UnmarshalText calls ParseCron.
func (c *Cron) UnmarshalText(b []byte) error { return unmarshal(c, b, ParseCron) }
