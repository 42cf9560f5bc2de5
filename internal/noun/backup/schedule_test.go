package backup

import (
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func TestNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		row   query.BackupConfiguration
		zone  string
		after string
		want  string
	}{
		{"hourly", query.BackupConfiguration{Frequency: Hourly}, "UTC", "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z"},
		{"hourly at half past", query.BackupConfiguration{Frequency: Hourly, TimeOfDay: new("00:30")}, "UTC", "2026-03-01T12:31:00Z", "2026-03-01T13:30:00Z"},
		{"daily", query.BackupConfiguration{Frequency: Daily, TimeOfDay: new("02:30")}, "UTC", "2026-03-01T12:00:00Z", "2026-03-02T02:30:00Z"},
		{
			"daily in Berlin, winter",
			query.BackupConfiguration{Frequency: Daily, TimeOfDay: new("02:00")},
			"Europe/Berlin",
			"2026-01-10T12:00:00Z", "2026-01-11T01:00:00Z",
		},
		{
			"daily in Berlin, summer",
			query.BackupConfiguration{Frequency: Daily, TimeOfDay: new("02:00")},
			"Europe/Berlin",
			"2026-07-10T12:00:00Z", "2026-07-11T00:00:00Z",
		},
		{
			"weekly on Sunday",
			query.BackupConfiguration{Frequency: Weekly, Day: new(int64(0)), TimeOfDay: new("08:00")},
			"UTC",
			"2026-03-01T12:00:00Z", "2026-03-08T08:00:00Z",
		},
		{"custom", query.BackupConfiguration{Frequency: Custom, Cron: new("*/5 * * * *")}, "UTC", "2026-03-01T12:01:00Z", "2026-03-01T12:05:00Z"},
	} {
		after, _ := time.Parse(time.RFC3339, c.after)
		got, err := next(c.row, after, zoneOf(c.zone))
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: after %s comes %s (%v), want %s", c.name, c.after, got.Format(time.RFC3339), err, c.want)
		}
	}
	// The clock moves forward at 02:00 on 29 March 2026: what is planned for then still happens once, that day or the next morning.
	day := query.BackupConfiguration{Frequency: Daily, TimeOfDay: new("02:30")}
	at := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	for range 3 {
		then, err := next(day, at, zoneOf("Europe/Berlin"))
		if err != nil || !then.After(at) || then.Sub(at) > 49*time.Hour {
			t.Errorf("after %s comes %s, %v", at, then, err)
		}
		at = then
	}
}

func TestCheckCron(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"0 2 * * *", "*/30 * * * *", "0 0,12 1-7 * 0", "0 3 20 9 *", "0 3 * * mon-fri", "@daily"} {
		if err := checkCron(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "* * * *", "* * * * * *", "@reboot", "0/1 * * * *", "61 * * * *", "0 0 31 2 *", "0 0 * * *\n0 0 * * *", "0 0 * * * root",
		"0 0 * * $(id)"} {
		if checkCron(bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
