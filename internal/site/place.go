package site

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/ledger"
)

// Place is where a site is on its host, and what runs its programs.
type Place struct {
	Site query.Site
	// Releases reports whether the site is deployed as releases: its live code is below current then.
	Releases bool
}

// Home is the directory that the site's programs are started in unless they name another.
func (p Place) Home() (string, error) {
	base, err := Base(p.Site)
	if err != nil {
		return "", err
	}
	if p.Releases {
		return base.String() + "/current", nil
	}
	return base.String(), nil
}

// PHP is the path of the PHP that the site's programs call by that name, "" for a site without.
func (p Place) PHP(srv query.Server) string {
	if dotted := DottedPHP(srv, p.Site); dotted != "" {
		return "/usr/bin/php" + dotted
	}
	return ""
}

// PlaceOf is the place of a site that the host should have; ok reports whether it should.
func PlaceOf(v ledger.View, id int64) (p Place, ok bool, err error) {
	p, ok = placesOf(v)[id]
	return p, ok, nil
}

// Isolated reports whether an account is that of an isolated site that the host should have.
func Isolated(v ledger.View, user string) (bool, error) {
	for _, p := range placesOf(v) {
		if p.Site.Isolated && p.Site.UnixUser == user {
			return true, nil
		}
	}
	return false, nil
}

func placesOf(v ledger.View) Places {
	if facts, ok := v.Facts.(interface{ SitePlaces() Places }); ok {
		return facts.SitePlaces()
	}
	return nil
}

// Places are those of a server's sites. They are facts, or part of the facts of an aspect that embeds them.
type Places map[int64]Place

// SitePlaces returns p.
func (p Places) SitePlaces() Places { return p }

// ReadPlaces reads them.
func ReadPlaces(ctx context.Context, q *query.Queries, srv query.Server) (any, error) {
	return PlacesOf(ctx, q, srv)
}

// PlacesOf reads the places of a server's sites, for facts that hold more than them.
func PlacesOf(ctx context.Context, q *query.Queries, srv query.Server) (Places, error) {
	rows, err := q.ListServerSites(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list sites: %w", err)
	}
	out := Places{}
	for _, row := range rows {
		project, err := q.GetProject(ctx, row.ID)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, fmt.Errorf("read project of site %d: %w", row.ID, err)
		}
		out[row.ID] = Place{Site: row, Releases: project.ZeroDowntime}
	}
	return out, nil
}
