// Package monitor is thresholds of what servers measure of themselves, and URLs that are asked from outside, and who is notified of changes.
package monitor

import (
	"context"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Aspect is the part of a server that monitors belong to, deadline how long a change of them may take.
const (
	Aspect   = "monitors"
	deadline = 10 * time.Minute
)

// The operators of thresholds.
const (
	AtLeast = "gte"
	AtMost  = "lte"
)

// stateUnknown is the state of a monitor until its server has measured enough.
const stateUnknown = "UNKNOWN"

// Specification is a monitor.
type Specification struct {
	Type      string  `json:"type"`
	Operator  string  `json:"operator"`
	Threshold float64 `json:"threshold"`
	Minutes   *int64  `json:"minutes,omitempty"`
	Notify    string  `json:"notify"`
	URL       string  `json:"url,omitempty"` // what is asked, for the type url
}

// line returns what the host needs to know of a monitor.
func (s Specification) line(id int64) string {
	m := wire.Monitor{ID: id, Metric: s.Type, AtLeast: s.Operator == AtLeast, Threshold: s.Threshold, Minutes: 1}
	if s.Minutes != nil {
		m.Minutes = int(*s.Minutes)
	}
	return m.String()
}

// Noun is monitors in the ledger.
var Noun = &ledger.Noun[Specification]{
	Kind: "monitors", Version: 1, Needs: []access.Permission{access.ServerCreateMonitors, access.ServerDeleteMonitors},
	Write: write,
}

func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	var err error
	if s := row.Specification; row.Phase == ledger.Gone {
		err = tx.DeleteMonitor(ctx, row.ID)
	} else {
		err = tx.PutMonitor(ctx, query.PutMonitorParams{
			ID: row.ID, ServerID: serverID, Type: s.Type, Operator: s.Operator, Threshold: s.Threshold,
			Minutes: s.Minutes, Notify: s.Notify, URL: s.URL,
			Status: server.PartStatus(row.Phase), OperationID: row.OperationID, CreatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write monitor %d: %w", row.ID, err)
	}
	return nil
}
