// Package heartbeat watches jobs that are expected to call an address of ours regularly. One that falls silent is reported as an
// event. A call that was due while Hostler was not running is not missing, but unknown.
package heartbeat

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// The states of a heartbeat. Unknown is null in documents: calls may have been lost while Hostler was not running.
const (
	statusBeating = "beating"
	statusMissing = "missing"
	statusUnknown = "unknown"
)

// Frequencies that are no minutes: a cron expression, and the contract's number for a month.
const (
	customFrequency = -1
	monthly         = 312480
	month           = 31 * 24 * time.Hour
)

const (
	maxHeartbeats = 100
	// early is how much before its time a call may come and still be the one that was expected: clocks differ.
	early = 30 * time.Second
)

// HeartbeatAttributes are the attributes of a heartbeat.
type HeartbeatAttributes struct {
	Name            string      `json:"name"`
	Status          *string     `json:"status" enum:"pending,beating,missing"`
	GracePeriod     int64       `json:"grace_period" enum:"1,2,5,10,30,60" doc:"In minutes."`
	Frequency       int64       `json:"frequency" enum:"1,5,10,30,60,1440,10080,312480,-1"`
	CustomFrequency *string     `json:"custom_frequency"`
	PingURL         *api.Secret `json:"ping_url" nullable:"true" doc:"Call it with GET, HEAD or POST. Null without permission to manage heartbeats."`
}

// ResourceType returns heartbeats.
func (HeartbeatAttributes) ResourceType() string { return "heartbeats" }

// Metas are what the meta of these resources has besides.
func (HeartbeatAttributes) Metas() []any { return []any{Meta{}} }

// Resource is a heartbeat in a document.
type Resource = api.Resource[HeartbeatAttributes, api.NoRelationships]

// Path is a heartbeat that the caller can see.
type Path struct {
	site.Path
	Heartbeat query.Heartbeat
}

// Current locks the site's server, and reads it, the site and the heartbeat again.
func (p Path) Current(ctx context.Context, tx *db.Tx) (Path, error) {
	var err error
	if p.Path, err = p.Path.Current(ctx, tx); err != nil {
		return p, err
	}
	if err = tx.LockRow(ctx, "heartbeats", p.Heartbeat.ID); err != nil { // calls do not lock the server
		return p, err
	}
	if p.Heartbeat, err = tx.GetHeartbeat(ctx, p.Site, p.Heartbeat.ID); err != nil {
		return p, fmt.Errorf("read heartbeat: %w", err)
	}
	return p, nil
}

// SealedAt returns where the token of a heartbeat is sealed.
func SealedAt(id int64) secret.Place {
	return secret.Place{Table: "heartbeats", Row: strconv.FormatInt(id, 10), Column: "token"}
}

// next returns when the call after one at a moment is expected. Cron expressions are read by the clocks of the server.
func next(h query.Heartbeat, after time.Time, zone *time.Location) (time.Time, error) {
	switch h.Frequency {
	case monthly:
		return after.Add(month), nil
	case customFrequency:
		if h.CustomFrequency == nil {
			return after.Add(month), nil
		}
		cron, err := value.ParseStoredCron(*h.CustomFrequency)
		if err != nil {
			return after, err
		}
		return cron.Next(after.Add(early), zone)
	}
	return after.Add(time.Duration(h.Frequency) * time.Minute), nil
}

func grace(h query.Heartbeat) time.Duration { return time.Duration(h.GracePeriod) * time.Minute }

func zoneOf(srv query.Server) *time.Location {
	z, err := value.ParseTimezone(srv.Timezone)
	if err != nil {
		return time.UTC
	}
	return z.Location()
}

func mayManage(g access.Grant) bool { return g.May(access.SiteManageHeartbeats) }
