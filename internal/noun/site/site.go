// Package site is the site itself: its row, account and directory, where its code is, and its operations. Its project and its vhosts have packages of their
// own.
package site

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Aspect is the part of a server that sites belong to: nginx, PHP pools and what they serve. It is planned by vhost.Converger.
const Aspect = "web"

// Deadline is how long a change of a site may take.
const Deadline = 10 * time.Minute

// DefaultUser is the Unix account that sites belong to unless they are isolated; clients and scripts depend on the name.
const DefaultUser = "forge"

// The states of a site.
const (
	StatusInstalling   = "installing"
	StatusInstalled    = "installed"
	StatusUninstalling = "uninstalling"
	StatusFailed       = "failed"
)

// Path is a site that the caller can see.
type Path struct {
	server.Path
	Site query.Site
}

// On returns the site's server, and the site.
func (p Path) On() (server.Path, int64) { return p.Path, p.Site.ID }

// Key returns how rows name the site.
func (p Path) Key() (string, int64) { return "site_id", p.Site.ID }

// URL returns where the parts of the site are.
func (p Path) URL() string { return p.Path.URL() + "/sites/" + strconv.FormatInt(p.Site.ID, 10) }

// Lock is Current for a change of one of the site's parts: a site that could not be installed is refused too.
func (p Path) Lock(ctx context.Context, tx *db.Tx) (Path, error) {
	p, err := p.Current(ctx, tx)
	if err == nil && p.Site.Status == StatusFailed {
		err = api.Conflict("The site could not be installed. Retry that first.")
	}
	return p, err
}

// Current is Latest for a change of the site or of what belongs to it: a site that is being deleted is refused.
func (p Path) Current(ctx context.Context, tx *db.Tx) (Path, error) {
	p, err := p.Latest(ctx, tx)
	if err == nil && p.Site.Status == StatusUninstalling {
		err = api.Conflict("The site is being deleted.")
	}
	return p, err
}

// Latest locks the site's server and reads both again, whatever the site's status. A site that was deleted since it was loaded, or whose server
// was transferred, is not found.
func (p Path) Latest(ctx context.Context, tx *db.Tx) (Path, error) {
	var err error
	if p.Path, err = p.Path.Current(ctx, tx); err != nil {
		return p, err
	}
	row, err := tx.GetServerSite(ctx, p.Server, p.Site.ID)
	if errors.Is(err, db.ErrNotFound) {
		return p, api.ErrNotFound
	}
	if err != nil {
		return p, fmt.Errorf("read site %d: %w", p.Site.ID, err)
	}
	p.Site = row
	return p, nil
}

// AcceptorOf returns what accepts changes of a site and of its parts.
func AcceptorOf(l *ledger.Ledger) server.Acceptor {
	return server.Acceptor{Ledger: l, Name: Aspect, Within: Deadline}
}

// Store reads sites for callers.
type Store struct {
	DB      *db.DB
	Servers *server.Store
}

// InPath loads organization, server and site; a site of another server is not found.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := s.Servers.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("site")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetServerSite(ctx, parent.Server, id)
	if err != nil {
		return Path{}, fmt.Errorf("read site %d: %w", id, err)
	}
	return Path{Path: parent, Site: row}, nil
}

// InOrganization loads organization and site, for the path that names no server.
func (s *Store) InOrganization(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := s.Servers.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("site")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetOrganizationSite(ctx, org, id)
	if err != nil {
		return Path{}, fmt.Errorf("read site %d: %w", id, err)
	}
	host, g, err := s.Servers.Open(ctx, s.DB.Read(), org.Grant, row.ServerID)
	return Path{Path: server.Path{Grant: g, Server: host}, Site: row}, err
}

// Names returns all that a site answers to: its domain, the www form where a policy needs it, the wildcard.
func Names(domain value.Domain, www string, wildcard bool) []string {
	names := []string{domain.String()}
	if www != WWWNone && !wildcard {
		names = append(names, "www."+domain.String())
	}
	if wildcard {
		names = append(names, "*."+domain.String())
	}
	return names
}

// The www policies.
const (
	WWWFrom = "from-www"
	WWWTo   = "to-www"
	WWWNone = "none"
)

// Claim takes the names of a site on its server. What is taken already is a failure of the field.
func Claim(ctx context.Context, tx *db.Tx, f api.Fields, field string, row query.Site, names []string) error {
	for _, name := range names {
		n, err := tx.ClaimSiteName(ctx, row.ServerID, name, row.ID)
		if err != nil {
			return fmt.Errorf("claim name of site: %w", err)
		}
		if n == 0 {
			f.Coded(field, api.CodeTaken, nil, "The name %s is already used on this server.", name)
		}
	}
	return f.Err()
}
