package release

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// maxListed is how many names of a directory a reason lists, maxRead how many entries of one are looked at.
const (
	maxListed = 12
	maxRead   = 1000
)

// builds are the directories that build tools leave their output in.
var builds = []string{"dist", "build", "out", "_site", "public", ".output/public", "docs", "www", "web", "htdocs", "public_html"}

// errNothingServed is a web directory without anything in it.
var errNothingServed = errors.New("nothing to serve")

// Verify looks at what a script left once it ended: whether its release was refused or was never made live, and whether there is
// something to serve where Activate could not look. A release that the script does not activate itself goes live here, wherever the
// script ended.
func (s *Site) Verify() error {
	if said := s.reported()[wire.ReportReason]; said != "" { // the script ignored that activation failed
		return errors.New(said)
	}
	switch {
	case s.Activates:
		return s.Activate()
	case s.Release != "" && s.current() != s.Release:
		s.say("Warning: the script ended before $ACTIVATE_RELEASE(), so that release %s is not live", s.Release)
		return nil
	case s.Release == "":
		return s.served(s.Root, func() bool { return s.reported()[webBefore] == "1" })
	case s.BuildsLate && s.current() == s.Release:
		return s.served(s.dir(), s.servedNothing(s.reported()[ReportPrevious]))
	}
	return nil
}

// servedNothing returns whether the release that a link led to had nothing to serve. It is asked only if the new one has nothing either.
func (s *Site) servedNothing(previous string) func() bool {
	return func() bool { return previous != "" && s.unserved(s.path(previous)) != nil }
}

// webBefore is the key of the report that says that nothing was served before a deployment in place.
const webBefore = "web_before"

// lookBefore records whether a site in place had nothing to serve before this deployment.
func (s *Site) lookBefore() error {
	if s.Web == "" || s.unserved(s.Root) == nil {
		return nil
	}
	return s.report(map[string]string{webBefore: "1"})
}

// served requires that the web directory in a copy of the code has something in it. before reports whether what is live has nothing
// either: a site that worked so, for example by its own nginx configuration, is warned instead.
func (s *Site) served(code string, before func() bool) error {
	if s.Web == "" {
		return nil
	}
	err := s.unserved(code)
	switch {
	case err == nil:
		served := "1"
		if why, certain := s.front(code); why != "" {
			s.say("Warning: %s", why)
			if certain {
				served = why
			}
		}
		if names := s.hidden(code); len(names) > 0 {
			s.say("Warning: names that begin with a dot are not served: %s in the web directory %s. If pages need it, "+
				"have the build call it otherwise, or add location ^~ /%s/ { } to the site's nginx configuration",
				text.Line(strings.Join(names, ", ")), s.webName(), text.Line(names[0]))
		}
		return s.report(map[string]string{ReportServed: served})
	case !errors.Is(err, errNothingServed):
		return err
	case s.Lenient && before():
		s.say("Warning: %s", err)
		return s.report(map[string]string{ReportServed: err.Error()})
	}
	return errors.Join(err, s.report(map[string]string{wire.ReportReason: err.Error()}))
}

// nothing is why nothing can be served.
type nothing string

func (n nothing) Error() string { return string(n) }

func (nothing) Is(err error) bool { return err == errNothingServed }

// unserved returns why there is nothing to serve in a copy of the code; nil if there is something.
func (s *Site) unserved(code string) error {
	all, err := s.entries(code)
	if err != nil {
		return err
	}
	web := filepath.Join(code, s.Web)
	names, err := listed(web)
	lacks := "is empty"
	switch {
	case errors.Is(err, os.ErrNotExist):
		lacks = "does not exist"
	case err != nil && !isDir(web):
		lacks = "is not a directory"
	case err != nil:
		return fmt.Errorf("look at the web directory %s: %w", s.Web, err)
	}
	for _, name := range names {
		in := path.Join(s.Web, name)
		// What all releases share is no part of a build, and names with a dot are not served as pages.
		ours := slices.ContainsFunc(all, func(one shared) bool { return one.in == in })
		if !ours && (name[0] != '.' || name == ".well-known") {
			return nil
		}
	}
	return nothing(s.explain(code, lacks))
}

// explain says what a copy of the code has instead of something to serve.
func (s *Site) explain(code, lacks string) string {
	out := fmt.Sprintf("The web directory %s %s after the build, so there is nothing to serve.", s.webName(), lacks)
	at, where := s.application(code), "In the code's top directory"
	if s.Application != "" {
		if where = "In " + text.Line(s.Application); !isDir(at) {
			at, where = code, s.noApplication(code)+" In the code's top directory"
		}
	}
	names, _ := listed(at)
	names = slices.DeleteFunc(names, func(name string) bool { return name == ".git" })
	switch n := len(names); {
	case n == 0:
		return out + " " + where + " is nothing."
	case n == 1:
		out += " " + where + " is only " + text.Line(names[0]) + "."
	default:
		more := ""
		if n > maxListed {
			names, more = names[:maxListed], " and others"
		}
		for i, name := range names {
			names[i] = text.Line(name)
		}
		out += " " + where + " are " + strings.Join(names, ", ") + more + "."
	}
	if found := s.built(at); found != "" {
		out += " A page is in " + text.Line(found) + ": set the web directory to it, or have the build write elsewhere."
	}
	return out
}

// noApplication says that the root directory is none, and which directories may be meant.
func (s *Site) noApplication(code string) string {
	root := strings.Trim(s.Application, "/")
	out := "The root directory " + text.Line(root)
	if isFile(filepath.Join(code, root)) {
		return out + " is a file."
	}
	var found []string
	for _, dir := range []string{"*", "*/*", "*/*/*"} {
		at, _ := filepath.Glob(filepath.Join(code, dir))
		for _, one := range at[:min(len(at), maxRead)] {
			name, err := filepath.Rel(code, one)
			if err != nil || name[0] == '.' || !isDir(one) {
				continue
			}
			if strings.EqualFold(name, root) {
				return out + " does not exist; it is written " + text.Line(name) + "."
			}
			if slices.ContainsFunc(manifests, func(file string) bool { return isFile(filepath.Join(one, file)) }) && len(found) < maxListed {
				found = append(found, text.Line(name))
			}
		}
	}
	if out += " does not exist."; len(found) > 0 {
		out += " Applications are in " + strings.Join(found, ", ") + "."
	}
	return out
}

// manifests are what the top directory of an application has.
var manifests = []string{"package.json", "composer.json", "artisan", "index.php", "index.html", "manage.py", "Gemfile", "go.mod"}

// built returns the directory below the application that looks like the output of a build, "" for none.
func (s *Site) built(at string) string {
	page := func(dir string) bool {
		for _, name := range []string{"index.html", "index.php"} {
			if isFile(filepath.Join(at, dir, name)) {
				return true
			}
		}
		return false
	}
	for _, dir := range builds {
		if page(dir) {
			return "/" + dir
		}
		names, _ := listed(filepath.Join(at, dir)) // dist/name, dist/name/browser
		for _, name := range names {
			for _, below := range []string{path.Join(dir, name), path.Join(dir, name, "browser")} {
				if page(below) {
					return "/" + below
				}
			}
		}
	}
	_, err := os.Stat(filepath.Join(at, "package.json")) // there, a page at the top is the source of one
	if page(".") && (err != nil || !isFile(filepath.Join(at, "index.html"))) {
		return "/"
	}
	return ""
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// listed returns the sorted names in a directory, at most maxRead of them.
func listed(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(maxRead)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, err
}
