package vhost

import (
	"path"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// FirstRelease is the release that a site with releases begins with: a page that says that it waits.
const FirstRelease = "initial"

// directories returns the steps of a site's directories, with a first page if there is none, and the directory that nginx serves.
func directories(d Desired) ([]wire.Step, value.AbsPath, error) {
	row, code := d.Site, d.Code
	user := row.UnixUser
	place := site.Place{Site: row, Releases: code != nil && code.Releases, Code: code != nil}
	base, err := place.Base()
	if err != nil {
		return nil, base, err
	}
	web, err := value.ParseRelPath(row.WebDirectory)
	if err != nil {
		return nil, base, err
	}
	home, err := place.Home()
	if err != nil {
		return nil, base, err
	}
	root := home.Join(web)
	steps := []wire.Step{server.Account(user), server.Home(user)}
	if row.Isolated {
		own, err := AccountSteps(user)
		if err != nil {
			return nil, base, err
		}
		steps = slices.Concat(steps[:1], own, steps[1:])
	}
	sudo, err := server.Sudo(user)
	if err != nil {
		return nil, base, err
	}
	steps = append(append(steps, sudo...), directory(row, base.String()))
	if place.Code && (!place.Releases || d.Placed && d.Deployed) { // the checkout brings the rest, and a release that is live has it
		return steps, root, nil
	}
	first, err := firstSteps(place, root)
	return append(steps, first...), root, err
}

// firstSteps returns the steps of a first page below root, which a site has until something else is there.
func firstSteps(place site.Place, root value.AbsPath) ([]wire.Step, error) {
	row := place.Site
	live, err := place.Live()
	if err != nil {
		return nil, err
	}
	var steps []wire.Step
	dir := live.String()
	if place.Releases {
		first, err := place.Release(FirstRelease)
		if err != nil {
			return nil, err
		}
		dir = first.String()
		steps = append(steps, directory(row, path.Dir(dir)), directory(row, dir))
	}
	below := strings.TrimPrefix(root.String(), live.String())
	for part := range strings.FieldsFuncSeq(below, func(r rune) bool { return r == '/' }) { // a step makes one directory, not those above it
		dir += "/" + part
		steps = append(steps, directory(row, dir))
	}
	page, text := "index.html", firstPage
	if sitetype.HasPHP(row.Type) {
		page, text = "index.php", firstPHP
	}
	steps = append(steps, wire.Step{Name: "first page of " + row.Name, File: &wire.File{
		Path: dir + "/" + page, Mode: 0o644, Owner: row.UnixUser, Group: row.UnixUser, Content: []byte(text), Once: true,
	}})
	if place.Releases {
		steps = append(steps, wire.Step{Name: "first release of " + row.Name, Link: &wire.Link{
			Path: live.String(), Target: release.ReleasesDir + "/" + FirstRelease, Owner: row.UnixUser, Group: row.UnixUser, Once: true,
		}})
	}
	return steps, nil
}

func directory(row query.Site, path string) wire.Step {
	return wire.Step{Name: "directory of " + row.Name, Dir: &wire.Dir{Path: path, Mode: 0o755, Owner: row.UnixUser, Group: row.UnixUser, Data: true}}
}

const (
	firstPage = "<!doctype html>\n<title>Ready</title>\n<p>This site is ready for its files.</p>\n"
	firstPHP  = "<?php\nheader('Content-Type: text/plain; charset=utf-8');\necho \"Ready: \", gethostname(), ', PHP ', PHP_VERSION, \"\\n\";\n"
)

// closedSteps close what nginx has of all sites: their settings, which may contain passwords, and their logs, which nginx makes
// world-readable and which contain the addresses of pages.
func closedSteps(row query.Site) []wire.Step {
	const settings = "settings of nginx are its own"
	name, access, failed := "logs of "+row.Name, render.AccessLog(row.ID), render.ErrorLog(row.ID)
	steps := []wire.Step{
		{Name: settings, Dir: &wire.Dir{Path: "/etc/nginx/conf.d", Mode: 0o750}},
		{Name: settings, Dir: &wire.Dir{Path: "/etc/nginx/hostler-conf", Mode: 0o710, Group: server.WebGroup}}, // its workers read the files of users
	}
	for _, path := range []string{access, failed} {
		steps = append(steps, wire.Step{Name: name, File: &wire.File{Path: path, Mode: 0o640, Owner: "www-data", Group: "adm", Once: true}})
	}
	return append(steps, wire.Step{Name: name, Exec: &wire.Exec{
		Argv:   []string{"chmod", "0640", "--", access, failed},
		Unless: []string{"find", access, failed, "-maxdepth", "0", "-perm", "/o=r", "-exec", "false", "{}", "+"},
	}})
}
