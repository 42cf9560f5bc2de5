package site

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/noun/limits"
	"github.com/hostlerhq/hostler/internal/noun/project"
)

// Specification is what a site asks of its server. Its domains, rules and programs are separate nouns; its name is that of its primary domain.
type Specification struct {
	// Name is the domain that the site was made with. It names the site's directory, whichever domain is the primary one later.
	Name string `json:"name"`
	Type string `json:"type"`
	// User is the account that the site belongs to, "" for a balancer. Isolated accounts have no site of another account; Slot
	// numbers such an account's own resources on the server, nil if Hostler did not create it.
	User     string `json:"user,omitempty"`
	Isolated bool   `json:"isolated,omitempty"`
	Slot     *int64 `json:"slot,omitempty"`
	// WebDirectory is what is served, below RootDirectory, which is where in the repository the application is.
	WebDirectory  string  `json:"web_directory,omitempty"`
	RootDirectory *string `json:"root_directory,omitempty"`
	// PHPVersion is "" for the server's.
	PHPVersion string `json:"php_version,omitempty"`
	// Port and SparePort are those of the site's own program, nil without one.
	Port      *int64 `json:"port,omitempty"`
	SparePort *int64 `json:"spare_port,omitempty"`
	// Code is nil for a site whose files only its user brings.
	Code *Code `json:"code,omitempty"`
	// Balancer is set for a site on a load balancer.
	Balancer *Balancer `json:"balancer,omitempty"`
	// Runtime is nil for the Node that the server's distribution has.
	Runtime *Runtime `json:"runtime,omitempty"`
	// StartCommand is a line that starts the site's own program, "" for what its type says.
	StartCommand string `json:"start_command,omitempty"`
	// Limits are how much of its server the site may use, nil until it is given some: from then on it has a slice, also while none of them limits anything.
	Limits *render.Limits `json:"limits,omitempty"`
	// Enclosed reports whether the account is closed off from other sites: all are that were made or changed since there is that.
	Enclosed bool `json:"enclosed,omitempty"`
}

// Code is how the code of a site gets to its server.
type Code struct {
	// Releases reports whether the site is deployed in releases, else in place. Adopted is set if the first release was made from what was in place.
	Releases bool `json:"releases,omitempty"`
	Adopted  bool `json:"adopted,omitempty"`
	// URL is "" for code that the installer of the site's type brings. URL, Branch and SharedPaths are those of the site's newest wish: deployments read
	// their own.
	URL         string `json:"url,omitempty"`
	Branch      string `json:"branch,omitempty"`
	SharedPaths string `json:"shared_paths,omitempty"`
	// PackageManager is "" for none.
	PackageManager string `json:"package_manager,omitempty"`
}

// Sites is the noun.
var Sites = &ledger.Noun[Specification]{Kind: "sites", Version: 1, Needs: []access.Permission{access.SiteCreate, access.SiteDelete}, Write: write}

var statuses = map[ledger.Phase]string{
	ledger.Failed: StatusFailed, ledger.Applied: StatusInstalled, ledger.Creating: StatusInstalling,
	ledger.Updating: StatusInstalled, ledger.Deleting: StatusUninstalling,
}

func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	if row.Phase == ledger.Gone {
		if _, err := tx.DeleteSite(ctx, row.ID); err != nil {
			return fmt.Errorf("delete site %d: %w", row.ID, err)
		}
		if err := tx.DeleteUnusedUnixAccounts(ctx, serverID); err != nil {
			return fmt.Errorf("forget the account of site %d: %w", row.ID, err)
		}
		return nil
	}
	s := row.Specification
	p := query.PutSiteParams{
		ID: row.ID, Type: s.Type, UnixUser: s.User, Isolated: s.Isolated, WebDirectory: s.WebDirectory, RootDirectory: s.RootDirectory, PHPVersion: s.PHPVersion,
		Port: s.Port, SparePort: s.SparePort, Status: statuses[row.Phase], OperationID: row.OperationID, UpdatedAt: tx.Micros(),
		StartCommand: s.StartCommand, Limits: limits.Text(s.Limits),
	}
	if r := s.Runtime; r != nil {
		p.Runtime, p.RuntimeWanted, p.RuntimeVersion = r.Name, r.Wanted, r.Version
	}
	if a := row.Applied; a != nil && a.Runtime != nil {
		p.RuntimeInstalled = a.Runtime.Version
	}
	if s.Enclosed {
		p.Enclosed = encloseBegun
	}
	if b := s.Balancer; b != nil {
		p.BalancerMethod, p.BalancerKeepalive = &b.Method, &b.Keepalive
		if err := writeNodes(ctx, tx, row.ID, b.Nodes); err != nil {
			return err
		}
	}
	if err := tx.PutSite(ctx, p); err != nil {
		return fmt.Errorf("write site %d: %w", row.ID, err)
	}
	if a := row.Applied; a != nil && a.Isolated {
		if err := tx.SetUnixAccountMade(ctx, serverID, a.User); err != nil {
			return fmt.Errorf("note account of site %d: %w", row.ID, err)
		}
	}
	return writeCode(ctx, tx, row)
}

// writeCode makes the project of a site follow how the site is deployed.
func writeCode(ctx context.Context, tx *db.Tx, row ledger.Row[Specification]) error {
	p, err := tx.Ungranted().GetProject(ctx, row.ID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read project of site %d: %w", row.ID, err)
	}
	code := row.Specification.Code
	if code == nil && !project.InReleases(row.Specification.Type, p) {
		return nil
	}
	if on := code != nil && code.Releases; on != p.ZeroDowntime {
		script := project.SwitchedScript(p, on, row.Phase)
		if err := tx.SetProjectStrategy(ctx, query.SetProjectStrategyParams{
			SiteID: row.ID, ZeroDowntime: on, Script: script, ScriptBefore: p.Script,
			UpdatedAt: tx.Micros(),
		}); err != nil {
			return fmt.Errorf("switch releases of site %d: %w", row.ID, err)
		}
	}
	if row.Applied == nil || row.Applied.Code == nil {
		return nil
	}
	releases := p.Releases
	switch has := row.Applied.Code; {
	case !has.Releases:
		releases = ""
	case has.Adopted && releases == "":
		releases = project.AdoptedRelease
	}
	if releases == p.Releases {
		return nil
	}
	if err := tx.SetProjectReleases(ctx, row.ID, releases, releases, tx.Micros()); err != nil {
		return fmt.Errorf("note releases of site %d: %w", row.ID, err)
	}
	return nil
}

// specify makes the specification of a new site from its row. slot is that of its account.
func specify(row query.Site, code *query.Project, slot *int64) Specification {
	s := Specification{
		Name: Directory(row), Type: row.Type, User: row.UnixUser, Isolated: row.Isolated, Slot: slot, WebDirectory: row.WebDirectory,
		RootDirectory: row.RootDirectory,
		PHPVersion:    row.PHPVersion, Port: row.Port, SparePort: row.SparePort, Runtime: runtimeOf(row), StartCommand: row.StartCommand,
		Limits: limitsOf(row), Enclosed: true,
	}
	if code != nil {
		s.follow(*code)
		if s.Code != nil {
			s.Code.Releases = code.ZeroDowntime
		}
	}
	return s
}

// follow takes over what a site's project says of its code. How the site is deployed stays.
func (s *Specification) follow(p query.Project) {
	if p.Repository == "" && !project.Installs(s.Type, &p) {
		s.Code = nil
		return
	}
	next := Code{URL: p.URL, Branch: p.Branch, SharedPaths: p.SharedPaths, PackageManager: p.PackageManager}
	if s.Code != nil {
		next.Releases, next.Adopted = s.Code.Releases, s.Code.Adopted
	}
	s.Code = &next
}

// InReleases reports whether the site is deployed in releases.
func (s Specification) InReleases() bool { return s.Code != nil && s.Code.Releases }

// Site returns a site with this specification, for what is planned of it.
func (s Specification) Site(id int64, srv query.Server) query.Site {
	row := query.Site{
		ID: id, OrganizationID: srv.OrganizationID, ServerID: srv.ID, Name: s.Name, Directory: s.Name, Type: s.Type, UnixUser: s.User, Isolated: s.Isolated,
		WebDirectory: s.WebDirectory, RootDirectory: s.RootDirectory, PHPVersion: s.PHPVersion, Port: s.Port, SparePort: s.SparePort, WWWRedirectType: WWWNone,
		StartCommand: s.StartCommand, Limits: limits.Text(s.Limits),
	}
	if r := s.Runtime; r != nil {
		row.Runtime, row.RuntimeWanted, row.RuntimeVersion = r.Name, r.Wanted, r.Version
	}
	if b := s.Balancer; b != nil {
		row.BalancerMethod, row.BalancerKeepalive = &b.Method, &b.Keepalive
	}
	return row
}
