package php

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// PhpVersionAttributes are the attributes of a version of PHP.
type PhpVersionAttributes struct {
	Version    string   `json:"version" enum:"5.6,7.0,7.1,7.2,7.3,7.4,8.0,8.1,8.2,8.3,8.4,8.5,5"`
	BinaryName string   `json:"binary_name" doc:"The command that runs this version, such as php8.4."`
	Status     string   `json:"status"`
	CreatedAt  api.Time `json:"created_at"`
	UpdatedAt  api.Time `json:"updated_at"`
}

// ResourceType returns phpVersions.
func (PhpVersionAttributes) ResourceType() string { return Versions.Kind }

// Resource is a version in a document.
type Resource = api.Resource[PhpVersionAttributes, api.NoRelationships]

// CreatePhpVersionRequest asks for a version.
type CreatePhpVersionRequest struct {
	Version     string `json:"version"`
	CLIDefault  bool   `json:"cli_default,omitempty" doc:"Use this version as the default php on the command line."`
	SiteDefault bool   `json:"site_default,omitempty" doc:"Use this version as the default for new sites once it is installed."`
}

// UpdatePhpCliVersionRequest names a version that the server has.
type UpdatePhpCliVersionRequest struct {
	PHPVersion string `json:"php_version" enum:"5.6,7.0,7.1,7.2,7.3,7.4,8.0,8.1,8.2,8.3,8.4,8.5"`
}

// Path is a version that the caller can see.
type Path = server.Part[server.Path, query.PHPVersion]

// Operations are the operations on PHP.
type Operations struct {
	server.Parts[server.Path, query.PHPVersion, Specification, PhpVersionAttributes]
}

// NewOperations makes them.
func NewOperations(d *db.DB, servers *server.Store, l *ledger.Ledger, r *api.Router) *Operations {
	return &Operations{server.Parts[server.Path, query.PHPVersion, Specification, PhpVersionAttributes]{
		DB: d, Router: r, Noun: Versions,
		Acceptor: server.Acceptor{Ledger: l, Name: Aspect, Within: deadline, Lasting: true},
		Load:     servers.InPath, Collection: "php/versions", Param: "phpVersion", Table: "php_versions", Get: (*query.Queries).GetPHPVersion, Attributes: shown,
	}}
}

const (
	below  = "/orgs/{organization}/servers/{server}/php"
	many   = below + "/versions"
	single = many + "/{phpVersion}"
)

var (
	view   = []access.Permission{access.ServerView}
	manage = []access.Permission{access.ServerManagePHP}
)

// Register adds the operations.
func (o *Operations) Register() {
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.php.versions.index", Method: http.MethodGet, Path: many, Tag: "Servers", Mode: api.Sync, Permissions: view,
		Noun: "php", Summary: "List PHP versions",
		Filters: []api.Filter{{Name: "status"}, {Name: "version"}}, Sorts: []string{"created_at", "updated_at", "status", "version"},
		Formerly: "servers php list",
	}, o.Load, o.Index)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.php.versions.store", Method: http.MethodPost, Path: many, Tag: "Servers", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Noun: "php", Summary: "Install a PHP version",
		Description: "Installs from the system's own sources or, failing that, from the archive of the packages' maintainer, which is then added. Sites keep " +
			"their version.",
		Formerly: "servers php install",
		Example:  map[string]any{"version": "php74"},
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.php.versions.show", Method: http.MethodGet, Path: single, Tag: "Servers", Mode: api.Sync, Permissions: view,
		Noun: "php", Summary: "Get a PHP version",
	}, o.InPath, o.Single)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.php.versions.update", Method: http.MethodPut, Path: single, Tag: "Servers", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Noun: "php", Summary: "Upgrade a PHP version",
		Description: "Upgrades to the latest patch release in the server's package sources. If there is one, PHP restarts, which takes a few seconds.",
		Formerly:    "servers php upgrade",
	}, o.InPath, o.upgrade)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.php.versions.destroy", Method: http.MethodDelete, Path: single, Tag: "Servers", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Noun: "php", Summary: "Remove a PHP version",
		Description: "409 for the only version, for the defaults of the command line and of new sites, and while a site uses it.",
		Formerly:    "servers php remove",
	}, o.InPath, o.destroy)
	o.registerDefault(
		ids{show: "organizations.servers.php.cli-version.show", update: "organizations.servers.php.cli-version.update"},
		"cli-version", "of the command line", o.cli, o.updateCLI)
	o.registerDefault(
		ids{show: "organizations.servers.php.site-version.show", update: "organizations.servers.php.site-version.update"},
		"site-version", "of new sites", o.ofSites, o.updateOfSites)
	o.registerConfigurations()
	o.registerSettings()
}

// ids are the operations on one setting.
type ids struct{ show, update string }

func (o *Operations) registerDefault(id ids, name, what string, show func(context.Context, server.Path) (*string, error),
	update func(context.Context, *db.Tx, api.Call[server.Path], value.PHPVersion) (api.Empty, error),
) {
	api.Show(o.Router, api.Operation{
		ID: id.show, Method: http.MethodGet, Path: below + "/" + name, Tag: "Servers", Mode: api.Sync, Permissions: view, Summary: "Get the PHP version " + what,
	}, o.Load, func(ctx context.Context, c api.Call[server.Path]) (api.Document[Resource], error) {
		var none api.Document[Resource]
		chosen, err := show(ctx, c.Parent)
		if err != nil {
			return none, err
		}
		row, err := o.find(ctx, o.DB.Read(), c.Parent.Server, chosen)
		if err != nil {
			return none, err
		}
		return o.Single(ctx, api.Call[Path]{Parent: Path{At: c.Parent, ID: row.ID, Row: row}})
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: id.update, Method: http.MethodPut, Path: below + "/" + name, Tag: "Servers", Mode: api.Async, Permissions: manage,
		Status: http.StatusNoContent, ChangesHost: name == "cli-version", Conflict: true, Summary: "Set the PHP version " + what,
		Example: map[string]any{"php_version": "8.4"},
	}, o.Load, func(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b UpdatePhpCliVersionRequest) (api.Empty, error) {
		var err error
		if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
			return api.Empty{}, err
		}
		version, err := value.ParsePHPVersion(b.PHPVersion)
		if err == nil {
			row, ferr := o.find(ctx, tx.Granted, c.Parent.Server, new(version.String()))
			if err = ferr; err == nil && row.Status != server.PartInstalled {
				err = api.ErrNotFound
			}
		}
		if len(c.Fields["php_version"]) == 0 && err != nil {
			if !errors.Is(err, api.ErrNotFound) {
				return api.Empty{}, err
			}
			c.Fields.Add("php_version", "The server does not have PHP %s.", b.PHPVersion)
		}
		if err := c.Fields.Err(); err != nil {
			return api.Empty{}, err
		}
		return update(ctx, tx, c, version)
	})
}

// find returns the row of a version; api.ErrNotFound if none is chosen, or the server does not have it.
func (o *Operations) find(ctx context.Context, q *query.Granted, srv query.Server, chosen *string) (query.PHPVersion, error) {
	var none query.PHPVersion
	if chosen == nil {
		return none, api.ErrNotFound
	}
	version, err := value.ParsePHPVersion(*chosen)
	if err != nil {
		return none, api.ErrNotFound
	}
	rows, err := q.ListPHPVersions(ctx, srv)
	if err != nil {
		return none, fmt.Errorf("list versions of PHP: %w", err)
	}
	for _, r := range rows {
		if r.Version == version.Dotted() {
			return r, nil
		}
	}
	return none, api.ErrNotFound
}

func (o *Operations) cli(_ context.Context, p server.Path) (*string, error) {
	return p.Server.PHPCLIVersion, nil
}

func (o *Operations) ofSites(_ context.Context, p server.Path) (*string, error) {
	return p.Server.PHPVersion, nil
}

func (o *Operations) updateCLI(ctx context.Context, tx *db.Tx, c api.Call[server.Path], version value.PHPVersion) (api.Empty, error) {
	return o.set(ctx, tx, c.Parent, "Making PHP "+version.Dotted()+" that of the command line", func(s *Settings) { s.CLI = version })
}

// updateOfSites changes what sites get that are made later: nothing on the server. Sites that were made before the server was set up have no version of
// their own, and follow it.
func (o *Operations) updateOfSites(ctx context.Context, tx *db.Tx, c api.Call[server.Path], version value.PHPVersion) (api.Empty, error) {
	if err := o.followers(ctx, tx, c.Parent.Server, version); err != nil {
		return api.Empty{}, err
	}
	if err := tx.SetServerSitePHP(ctx, c.Parent.Server.ID, new(version.String()), tx.Micros()); err != nil {
		return api.Empty{}, fmt.Errorf("set version of PHP of new sites: %w", err)
	}
	return api.Empty{}, nil
}

// followers returns a conflict if a site would change its version with the server's.
func (o *Operations) followers(ctx context.Context, tx *db.Tx, srv query.Server, version value.PHPVersion) error {
	if srv.PHPVersion != nil && *srv.PHPVersion == version.String() {
		return nil
	}
	names, err := users(ctx, tx, srv, func(s site.Specification) bool { return s.PHPVersion == "" })
	if err != nil || len(names) == 0 {
		return err
	}
	return api.Conflict("These sites have no version of their own and would change; set their version first: %s.", strings.Join(names, ", "))
}

// users are the names of sites with PHP that the server has, or is to have.
func users(ctx context.Context, tx *db.Tx, srv query.Server, uses func(site.Specification) bool) ([]string, error) {
	known, err := site.Sites.Known(ctx, tx.Granted, srv.ID)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range known {
		if sitetype.HasPHP(s.Specification.Type) && uses(s.Specification) && !slices.Contains(names, s.Specification.Name) {
			names = append(names, s.Specification.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreatePhpVersionRequest) (api.Empty, error) {
	var none api.Empty
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	srv := c.Parent.Server
	version, err := value.ParsePHPVersion(b.Version)
	if len(c.Fields["version"]) == 0 {
		switch {
		case err != nil:
			c.Fields.Add("version", "%s", err)
		case !server.HasPHP(srv.Type):
			c.Fields.Add("version", "A server of the type %s has no PHP.", srv.Type)
		case !packaged(version):
			c.Fields.Add("version", "There are no packages for this version anymore.")
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	switch _, err := o.find(ctx, tx.Granted, srv, new(version.String())); {
	case err == nil:
		return none, api.Taken("version", "The server already has PHP %s.", version.Dotted())
	case !errors.Is(err, api.ErrNotFound):
		return none, err
	}
	if b.SiteDefault {
		if err := o.followers(ctx, tx, srv, version); err != nil {
			return none, err
		}
	}
	row, err := tx.InsertPHPVersion(ctx, srv.ID, version.Dotted(), server.PartInstalling, tx.Micros())
	if err != nil {
		return none, fmt.Errorf("insert version of PHP: %w", err)
	}
	wish, err := Versions.Want(row.ID, Specification{Version: version})
	if err != nil {
		return none, err
	}
	wishes := []ledger.Wish{wish}
	if b.CLIDefault {
		settings, err := changed(ctx, tx.Granted, srv, func(s *Settings) { s.CLI = version })
		if err != nil {
			return none, err
		}
		wishes = append(wishes, settings)
	}
	work := o.Acceptor.Work(c.Parent, 0, Versions.Kind, row.ID, "create", "Installing PHP "+version.Dotted())
	work.Request = request{SiteDefault: b.SiteDefault}
	accepted, err := o.Acceptor.Ledger.Accept(ctx, tx, work, wishes...)
	return api.Empty{Event: accepted.EventID}, err
}

func (o *Operations) upgrade(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.change(ctx, tx, c.Parent, actionUpgrade, "Upgrading PHP "+c.Parent.Row.Version, func(*Specification) {})
}

// change accepts what an installed version is to be.
func (o *Operations) change(ctx context.Context, tx *db.Tx, part Path, action, description string, edit func(*Specification)) (api.Empty, error) {
	if _, err := o.Current(ctx, tx, &part); err != nil {
		return api.Empty{}, err
	}
	now, err := Versions.Row(ctx, tx.Granted, part.ID)
	if err != nil {
		return api.Empty{}, err
	}
	if now.Phase == ledger.Failed || now.Phase == ledger.Deleting {
		return api.Empty{}, api.Conflict("PHP %s is not installed.", part.Row.Version)
	}
	edit(&now.Specification)
	_, accepted, err := o.Accept(ctx, tx, part.At, part.ID, now.Specification, action, description)
	return api.Empty{Event: accepted.EventID}, err
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing PHP "+c.Parent.Row.Version, nil)
}

// unused returns a conflict for a version that a site, the command line or new sites use.
func unused(ctx context.Context, tx *db.Tx, srv query.Server, id int64) error {
	rows, err := tx.ListPHPVersions(ctx, srv)
	if err != nil {
		return fmt.Errorf("list versions of PHP: %w", err)
	}
	i := slices.IndexFunc(rows, func(r query.PHPVersion) bool { return r.ID == id })
	if i < 0 || rows[i].Status == server.PartFailed { // the server may have a part of it
		return nil
	}
	version, err := value.ParsePHPVersion(rows[i].Version)
	if err != nil {
		return err
	}
	is := func(chosen *string) bool { return chosen != nil && *chosen == version.String() }
	others := slices.ContainsFunc(rows, func(r query.PHPVersion) bool { return r.ID != id && r.Status == server.PartInstalled })
	names, err := users(ctx, tx, srv, func(s site.Specification) bool {
		return s.PHPVersion == version.String() || s.PHPVersion == "" && is(srv.PHPVersion)
	})
	switch {
	case err != nil:
		return err
	case len(names) > 0:
		return api.Conflict("PHP %s is used by %s.", version, strings.Join(names, ", "))
	case !others:
		return api.Conflict("PHP %s is the only version on the server.", version)
	case is(srv.PHPCLIVersion):
		return api.Conflict("PHP %s is the default version of the command line.", version)
	case is(srv.PHPVersion):
		return api.Conflict("PHP %s is the default version of new sites.", version)
	}
	return nil
}

func shown(r query.PHPVersion) (id int64, operation *int64, a PhpVersionAttributes) {
	return r.ID, r.OperationID, PhpVersionAttributes{
		Version: r.Version, BinaryName: "php" + r.Version, Status: r.Status,
		CreatedAt: api.TimeOf(r.CreatedAt), UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
}
