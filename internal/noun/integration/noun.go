package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Specification is what an integration that serves visitors asks of its site: nginx forwards requests to its program. The program
// itself is a background process.
type Specification struct {
	SiteID int64 `json:"site_id"`
	// Kind is octane or reverb.
	Kind string `json:"kind"`
	Settings
}

// Settings are what a kind was asked for with.
type Settings struct {
	Port        int64  `json:"port,omitempty"`
	Server      string `json:"server,omitempty"`
	Host        string `json:"host,omitempty"`
	Connections int64  `json:"connections,omitempty"`
}

// resource is the type of integrations that answer visitors.
const resource = "integrations"

// Integrations is the noun.
var Integrations = &ledger.Noun[Specification]{Kind: resource, Version: 1, Parent: "sites", In: func(s Specification) int64 { return s.SiteID }, Write: write}

// statusFailed is the status of an integration that nginx could not be made to forward to. Its settings are not shown and claim no port; whether it is
// enabled depends on its process. A new request has the same id.
const statusFailed = "failed"

// answers reports whether the program of a kind is asked by nginx.
func answers(kind string) bool { return kind == octane || kind == reverb }

// write shows an integration, and claims its ports for its site. An integration whose site was deleted went with the site.
func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	s := row.Specification
	if row.Phase == ledger.Gone {
		had, err := tx.Ungranted().GetIntegrationByID(ctx, row.ID)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read integration %d: %w", row.ID, err)
		}
		if err := tx.DeleteIntegration(ctx, had.SiteID, had.Kind); err != nil {
			return fmt.Errorf("delete integration %d: %w", row.ID, err)
		}
		return claim(ctx, tx, serverID, had.SiteID, 0)
	}
	if _, err := tx.Ungranted().GetSite(ctx, s.SiteID); errors.Is(err, db.ErrNotFound) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read site of integration %d: %w", row.ID, err)
	}
	asked := row.Phase == ledger.Creating || row.Phase == ledger.Updating
	other, err := tx.Ungranted().GetIntegration(ctx, s.SiteID, s.Kind)
	switch {
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return fmt.Errorf("read integration of site %d: %w", s.SiteID, err)
	case err == nil && other.ID != row.ID && asked:
		return api.Conflict("The site now has %s.", daemons[s.Kind].title)
	case err == nil && other.ID != row.ID:
		return nil
	}
	raw, err := json.Marshal(s.Settings)
	if err != nil {
		return fmt.Errorf("write integration %d: %w", row.ID, err)
	}
	status := ""
	if row.Phase == ledger.Failed {
		status = statusFailed
	}
	if err := tx.ShowIntegration(ctx, query.ShowIntegrationParams{
		ID: row.ID, SiteID: s.SiteID, Kind: s.Kind, Settings: string(raw), Status: status, OperationID: row.OperationID,
		CreatedAt: tx.Micros(),
	}); err != nil {
		return fmt.Errorf("write integration %d: %w", row.ID, err)
	}
	must := int64(0)
	if asked {
		must = s.Port
	}
	return claim(ctx, tx, serverID, s.SiteID, must)
}

// claim claims the ports of a site's own program, and of its current and requested integrations: no other site gets them. It
// returns a conflict if another site has must.
func claim(ctx context.Context, tx *db.Tx, serverID, siteID, must int64) error {
	row, err := tx.Ungranted().GetSite(ctx, siteID)
	if errors.Is(err, db.ErrNotFound) { // its ports went with it
		return nil
	}
	if err != nil {
		return fmt.Errorf("read site %d: %w", siteID, err)
	}
	known, err := tx.Ungranted().ListKnown(ctx, serverID)
	if err != nil {
		return fmt.Errorf("list integrations: %w", err)
	}
	var ports []int64
	for _, k := range known {
		var s Specification
		if k.Kind != resource || k.Specification == nil {
			continue
		}
		if err := json.Unmarshal([]byte(*k.Specification), &s); err != nil {
			return fmt.Errorf("read integration %d: %w", k.ID, err)
		}
		if s.SiteID == siteID && s.Port != 0 {
			ports = append(ports, s.Port)
		}
	}
	claims, err := tx.Ungranted().ListServerPortClaims(ctx, serverID)
	if err != nil {
		return fmt.Errorf("list ports of sites: %w", err)
	}
	for _, c := range claims {
		switch {
		case c.SiteID != siteID && c.Port == must:
			return api.Conflict("The port %d is used by another site on this server.", must)
		case c.SiteID != siteID || slices.Contains(ports, c.Port) || row.Port != nil && c.Port == *row.Port || row.SparePort != nil && c.Port == *row.SparePort:
			continue
		}
		if err := tx.ReleaseSitePort(ctx, serverID, c.Port, siteID); err != nil {
			return fmt.Errorf("release port of site: %w", err)
		}
	}
	for _, port := range ports {
		if _, err := tx.ClaimSitePort(ctx, serverID, port, siteID); err != nil {
			return fmt.Errorf("claim port of site: %w", err)
		}
	}
	return nil
}
