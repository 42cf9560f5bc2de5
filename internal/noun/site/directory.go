package site

import (
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// FirstRelease is the release that a site with releases begins with: a page that says that it waits.
const FirstRelease = "initial"

// directories returns a site's directories, and a first page if there is none.
func directories(row query.Site, code *Code) ([]wire.Step, value.AbsPath, error) {
	user := row.UnixUser
	base, err := Base(row)
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
