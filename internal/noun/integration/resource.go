package integration

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// HorizonIntegrationAttributes are the attributes of Horizon; enabled is "true" or "false", as it is for the others that are programs.
type HorizonIntegrationAttributes struct {
	Enabled   string `json:"enabled"`
	Installed bool   `json:"horizon_installed"`
}

// ResourceType returns horizonIntegrations.
func (HorizonIntegrationAttributes) ResourceType() string { return "horizonIntegrations" }

// PulseIntegrationAttributes are the attributes of Pulse.
type PulseIntegrationAttributes struct {
	Enabled   string `json:"enabled"`
	Installed bool   `json:"pulse_installed"`
}

// ResourceType returns pulseIntegrations.
func (PulseIntegrationAttributes) ResourceType() string { return "pulseIntegrations" }

// InertiaIntegrationAttributes are the attributes of Inertia's rendering on the server.
type InertiaIntegrationAttributes struct {
	Enabled   string `json:"enabled"`
	Installed bool   `json:"inertia_installed"`
}

// ResourceType returns inertiaIntegrations.
func (InertiaIntegrationAttributes) ResourceType() string { return "inertiaIntegrations" }

// OctaneIntegrationAttributes are the attributes of Octane.
type OctaneIntegrationAttributes struct {
	Enabled   string `json:"enabled"`
	Installed bool   `json:"octane_installed"`
	Port      *int64 `json:"port"`
}

// ResourceType returns octaneIntegrations.
func (OctaneIntegrationAttributes) ResourceType() string { return "octaneIntegrations" }

// ReverbIntegrationAttributes are the attributes of Reverb.
type ReverbIntegrationAttributes struct {
	Enabled     string  `json:"enabled"`
	Installed   bool    `json:"reverb_installed"`
	Host        *string `json:"host"`
	Port        *int64  `json:"port"`
	Connections *int64  `json:"connections"`
}

// ResourceType returns reverbIntegrations.
func (ReverbIntegrationAttributes) ResourceType() string { return "reverbIntegrations" }

// LaravelSchedulerIntegrationAttributes are the attributes of a site's scheduler.
type LaravelSchedulerIntegrationAttributes struct {
	Enabled          bool `json:"enabled"`
	LaravelInstalled bool `json:"laravel_installed"`
}

// ResourceType returns laravelSchedulerIntegrations.
func (LaravelSchedulerIntegrationAttributes) ResourceType() string {
	return "laravelSchedulerIntegrations"
}

// LaravelMaintenanceIntegrationAttributes are the attributes of a site's maintenance page.
type LaravelMaintenanceIntegrationAttributes struct {
	Enabled          bool    `json:"enabled"`
	Status           *string `json:"status" enum:"disabling,enabling"`
	LaravelInstalled bool    `json:"laravel_installed"`
}

// ResourceType returns laravelMaintenanceIntegrations.
func (LaravelMaintenanceIntegrationAttributes) ResourceType() string {
	return "laravelMaintenanceIntegrations"
}

// Relationships are the program of an integration.
type Relationships struct {
	BackgroundProcess api.ToOne[process.BackgroundProcessAttributes] `json:"backgroundProcess"`
}

// JobRelationships are the job of an integration.
type JobRelationships struct {
	Job api.ToOne[schedule.JobAttributes] `json:"job"`
}

type (
	schedulerResource   = api.Resource[LaravelSchedulerIntegrationAttributes, JobRelationships]
	maintenanceResource = api.Resource[LaravelMaintenanceIntegrationAttributes, api.NoRelationships]
)

// EnableOctaneRequest asks for Octane.
type EnableOctaneRequest struct {
	Port   string `json:"port" doc:"The port on which it listens, for nginx only: 1024 to 65535."`
	Server string `json:"server" enum:"swoole,roadrunner,frankenphp"`
}

// EnableReverbRequest asks for Reverb.
type EnableReverbRequest struct {
	Host        string `json:"host" doc:"One of the site's domains, to which clients connect, below /app and /apps."`
	Port        string `json:"port" doc:"The port on which it listens, for nginx only: 1024 to 65535."`
	Connections int64  `json:"connections" minimum:"1" maximum:"50000"`
}

func octaneAttributes(s state) OctaneIntegrationAttributes {
	a := OctaneIntegrationAttributes{Enabled: s.enabled(), Installed: s.installed}
	if s.process != nil && s.settings.Port > 0 {
		a.Port = &s.settings.Port
	}
	return a
}

func reverbAttributes(s state) ReverbIntegrationAttributes {
	a := ReverbIntegrationAttributes{Enabled: s.enabled(), Installed: s.installed}
	if s.process != nil && s.settings.Port > 0 {
		a.Host, a.Port, a.Connections = &s.settings.Host, &s.settings.Port, &s.settings.Connections
	}
	return a
}

// checkPort checks that no other program of the server's sites listens on a port.
func checkPort(ctx context.Context, o *Operations, f api.Fields, p site.Path, kind, text string) (int64, error) {
	if len(f["port"]) > 0 {
		return 0, nil
	}
	port, err := strconv.ParseInt(text, 10, 32)
	if err != nil || port < 1024 || port > 65535 || strconv.FormatInt(port, 10) != text {
		f.Add("port", "The port must be a number from 1024 to 65535.")
		return 0, nil //nolint:nilerr // the field says it
	}
	if site.ReservedPort(port) {
		f.Add("port", "The port %d is reserved for a database or a cache.", port)
		return 0, nil
	}
	claims, err := o.DB.Read().ListServerPortClaims(ctx, p.Server)
	if err != nil {
		return 0, fmt.Errorf("list ports of sites: %w", err)
	}
	for _, c := range claims {
		if c.Port == port && c.SiteID != p.Site.ID {
			f.Add("port", "The port is used by another site on this server.")
			return 0, nil
		}
	}
	others, err := db.All[query.Integration](ctx, o.DB.Reader(), "integrations", db.Equal("kind", octane, reverb),
		db.Cond{SQL: "site_id IN (SELECT id FROM sites WHERE server_id = ?)", Args: []any{p.Server.ID}})
	if err != nil {
		return 0, fmt.Errorf("list integrations: %w", err)
	}
	sites, err := o.DB.Read().ListServerSites(ctx, p.Server)
	if err != nil {
		return 0, fmt.Errorf("list sites: %w", err)
	}
	for _, s := range sites {
		for _, row := range others {
			if row.SiteID == s.ID && (s.ID != p.Site.ID || row.Kind != kind) && read(row).Port == port {
				f.Add("port", "The port is used by %s of %s.", daemons[row.Kind].title, s.Name)
			}
		}
	}
	return port, nil
}

func checkOctane(ctx context.Context, o *Operations, c api.Call[site.Path], b EnableOctaneRequest) (Settings, error) {
	port, err := checkPort(ctx, o, c.Fields, c.Parent, octane, b.Port)
	return Settings{Port: port, Server: b.Server}, err
}

func checkReverb(ctx context.Context, o *Operations, c api.Call[site.Path], b EnableReverbRequest) (Settings, error) {
	port, err := checkPort(ctx, o, c.Fields, c.Parent, reverb, b.Port)
	if err != nil {
		return Settings{}, err
	}
	rows, err := o.DB.Read().ListDomains(ctx, c.Parent.Site)
	if err != nil {
		return Settings{}, fmt.Errorf("list domains: %w", err)
	}
	known := value.SameDomain(b.Host, c.Parent.Site.Name)
	for _, d := range rows {
		known = known || value.SameDomain(b.Host, d.Name)
	}
	if !known && len(c.Fields["host"]) == 0 {
		c.Fields.Add("host", "The host must be one of the site's domains.")
	}
	return Settings{Port: port, Host: value.DomainName(b.Host), Connections: b.Connections}, nil
}
