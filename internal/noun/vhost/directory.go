package vhost

import (
	"slices"
	"strings"

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

// directories returns a site's directories, and a first page if there is none.
func directories(row query.Site, code *site.Code) ([]wire.Step, value.AbsPath, error) {
	user := row.UnixUser
	base, err := site.Base(row)
	if err != nil {
		return nil, base, err
	}
	web, err := value.ParseRelPath(row.WebDirectory)
	if err != nil {
		return nil, base, err
	}
	below := "" // what the first page is below
	if code != nil && row.RootDirectory != nil {
		below = strings.TrimSuffix(*row.RootDirectory, "/")
	}
	below += web.String()
	steps := []wire.Step{server.Account(user), server.Home(user)}
	if row.Isolated {
		own, err := AccountSteps(user)
		if err != nil {
			return nil, base, err
		}
		steps = slices.Concat(steps[:1], own, steps[1:])
	}
	directory := func(path string) {
		steps = append(steps, wire.Step{Name: "directory of " + row.Name, Dir: &wire.Dir{Path: path, Mode: 0o755, Owner: user, Group: user, Data: true}})
	}
	directory(base.String())
	first, served := base.String(), base.String()
	if code != nil && code.Releases {
		directory(base.String() + "/releases")
		first, served = base.String()+"/releases/"+FirstRelease, base.String()+"/current"
		directory(first)
	}
	for _, part := range strings.FieldsFunc(below, func(r rune) bool { return r == '/' }) { // a step makes one directory, not those above it
		if code != nil && !code.Releases { // the checkout brings them
			break
		}
		first += "/" + part
		directory(first)
	}
	if code == nil || code.Releases {
		page, text := "index.html", firstPage
		if sitetype.HasPHP(row.Type) {
			page, text = "index.php", firstPHP
		}
		steps = append(steps, wire.Step{Name: "first page of " + row.Name, File: &wire.File{Path: first + "/" + page, Mode: 0o644, Owner: user, Group: user, Content: []byte(text), Once: true}})
	}
	if served != base.String() {
		steps = append(steps, wire.Step{Name: "first release of " + row.Name, Link: &wire.Link{Path: served, Target: "releases/" + FirstRelease, Owner: user, Group: user, Once: true}})
	}
	root, err := value.ParseAbsPath(served + below)
	return steps, root, err
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
	return append(steps, wire.Step{Name: name, Exec: &wire.Exec{Argv: []string{"chmod", "0640", "--", access, failed},
		Unless: []string{"find", access, failed, "-maxdepth", "0", "-perm", "/o=r", "-exec", "false", "{}", "+"}}})
}
