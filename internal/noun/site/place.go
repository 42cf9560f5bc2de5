package site

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Place is where a site is on its host, and what runs its programs. It is the only source for where a site's code is.
type Place struct {
	Site query.Site
	// Releases reports whether the site is deployed in releases, of which one is live. Code reports whether its code comes from a repository or an installer.
	Releases, Code bool
}

// PlaceOf returns the place of a site that the host should have; ok reports whether it should.
func PlaceOf(v ledger.View, id int64) (p Place, ok bool, err error) {
	s, ok, err := Sites.Get(v, id)
	return s.place(id, v.Server), ok, err
}

// Isolated reports whether an account is that of an isolated site that the host should have.
func Isolated(v ledger.View, user string) (bool, error) {
	all, err := Sites.Of(v)
	return slices.ContainsFunc(all, func(r ledger.Resource[Specification]) bool {
		return r.Specification.Isolated && r.Specification.User == user
	}), err
}

// PlaceNow returns the place of a site on its host now. Before it exists, it is the planned one; db.ErrNotFound for a deleted site.
func PlaceNow(ctx context.Context, q *query.Granted, srv query.Server, id int64) (Place, error) {
	row, err := Sites.Row(ctx, q, id)
	switch {
	case err != nil:
		return Place{}, fmt.Errorf("read where site %d is: %w", id, err)
	case row.Applied != nil:
		return row.Applied.place(id, srv), nil
	case row.Phase == ledger.Gone:
		return Place{}, fmt.Errorf("read where site %d is: %w", id, db.ErrNotFound)
	}
	return row.Specification.place(id, srv), nil
}

func (s Specification) place(id int64, srv query.Server) Place {
	return Place{Site: s.Site(id, srv), Releases: s.InReleases(), Code: s.Code != nil}
}

// Base returns the directory of the site.
func (p Place) Base() (value.AbsPath, error) { return Base(p.Site) }

// Live returns where the site's code is: its directory, or the link to its live release.
func (p Place) Live() (value.AbsPath, error) {
	if !p.Releases {
		return p.Base()
	}
	return p.below(release.CurrentLink)
}

// Release returns the directory of a release.
func (p Place) Release(name string) (value.AbsPath, error) {
	return p.below(release.ReleasesDir + "/" + name)
}

// below returns a directory that deployments keep in that of the site.
func (p Place) below(name string) (value.AbsPath, error) {
	base, err := p.Base()
	if err != nil {
		return base, err
	}
	rel, err := value.ParseRelPath(name)
	return base.Join(rel), err
}

// Home returns where the site's application is: the directory that its programs, commands and jobs are started in unless they
// name another.
func (p Place) Home() (value.AbsPath, error) {
	live, err := p.Live()
	if err != nil {
		return live, err
	}
	return p.HomeIn(live)
}

// HomeIn returns where the application is in a copy of the site's code, for example a release: the root directory of the code.
func (p Place) HomeIn(dir value.AbsPath) (value.AbsPath, error) {
	root, err := p.Application()
	if err != nil || root == "" {
		return dir, err
	}
	rel, err := value.ParseRelPath(root)
	return dir.Join(rel), err
}

// Application returns where in the site's code its application is, like "backend"; "" for the top.
func (p Place) Application() (string, error) {
	if !p.Code || p.Site.RootDirectory == nil || strings.Trim(*p.Site.RootDirectory, "/") == "" {
		return "", nil
	}
	root, err := value.ParseRelPath(*p.Site.RootDirectory)
	return strings.Trim(path.Clean(root.String()), "/"), err
}

// Served returns where in the site's code the files are that visitors can open, like "backend/public"; "." for the top.
func (p Place) Served() (string, error) {
	root, err := p.Application()
	if err != nil {
		return "", err
	}
	web, err := value.ParseRelPath(p.Site.WebDirectory)
	return path.Join(".", root, web.String()), err
}

// PHP returns the path of the PHP that the site's programs call by that name, "" for a site without.
func (p Place) PHP(srv query.Server) string {
	if dotted := DottedPHP(srv, p.Site); dotted != "" {
		return "/usr/bin/php" + dotted
	}
	return ""
}

// Base returns the directory of a site.
func Base(row query.Site) (value.AbsPath, error) {
	return value.ParseAbsPath("/home/" + row.UnixUser + "/" + Directory(row))
}

// Directory returns the name of a site's directory below its user's home: the name that it was made with.
func Directory(row query.Site) string {
	if row.Directory != "" {
		return row.Directory
	}
	return row.Name
}

// DottedPHP returns the version of PHP that a site runs with ("8.4"), "" for a site without PHP.
func DottedPHP(srv query.Server, row query.Site) string {
	pool, err := Pool(srv, row)
	if err != nil || pool.PHP.IsZero() {
		return ""
	}
	return pool.PHP.Dotted()
}

// PHPService returns the service of PHP-FPM as scripts name it, "" for a site without PHP. By sudo it stands for what answers for the sites of the account,
// which may be a master of their own.
func PHPService(srv query.Server, row query.Site) string {
	if php := DottedPHP(srv, row); php != "" {
		return "php" + php + "-fpm"
	}
	return ""
}

// Pool returns the PHP pool of a site; zero for a site without PHP.
func Pool(srv query.Server, row query.Site) (render.Pool, error) {
	if !sitetype.HasPHP(row.Type) {
		return render.Pool{}, nil
	}
	version := row.PHPVersion
	if version == "" && srv.PHPVersion != nil {
		version = *srv.PHPVersion
	}
	php, err := value.ParsePHPVersion(version)
	if err != nil {
		return render.Pool{}, fmt.Errorf("the server has no PHP")
	}
	limited := row.Limits != ""
	return render.Pool{SiteID: row.ID, PHP: php, Alone: row.Isolated || limited, Limited: limited}, nil
}
