package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
)

// A deployment without anything to serve does not go live, and says where the build's output may be.
func TestNothingToServe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, web, application string
		files                  map[string]string
		want                   string // in the reason; "" for a deployment that goes live
	}{
		{
			"elsewhere", "public", "",
			map[string]string{"dist/index.html": "x", "package.json": "{}"},
			"The web directory public does not exist after the build, so there is nothing to serve. In the code's top directory are dist, package.json. A page " +
				"is in /dist:",
		},
		{"not built", "dist", "", map[string]string{"index.html": "x", "package.json": "{}"}, "are index.html, package.json."},
		{"below dist", "dist", "", map[string]string{"dist/.gitkeep": "", "dist/shop/browser/index.html": "x"}, ""},
		{"angular", "public", "", map[string]string{"dist/shop/browser/index.html": "x"}, "A page is in /dist/shop/browser:"},
		{"only kept", "public", "", map[string]string{"public/.gitkeep": "", "a.txt": "x"}, "The web directory public is empty after the build"},
		{"PHP at the top", "public", "", map[string]string{"index.php": "x"}, "is only index.php. A page is in /:"},
		{"a file", "public", "", map[string]string{"public": "x"}, "The web directory public is not a directory"},
		{"nested", "backend/public", "backend", map[string]string{"backend/web/index.php": "x", "a.txt": ""}, "In backend is only web. A page is in /web:"},
		{
			"no application", "backend/public", "backend",
			map[string]string{"api/a": "x"},
			"The root directory backend does not exist. In the code's top directory is only api.",
		},
		{
			"an application of another name", "frontend", "frontend", map[string]string{"apps/web/package.json": "{}", "api/composer.json": "{}"},
			"The root directory frontend does not exist. Applications are in api, apps/web.",
		},
		{
			"an application that is written otherwise", "Apps/Web", "Apps/Web", map[string]string{"apps/web/package.json": "{}"},
			"The root directory Apps/Web does not exist; it is written apps/web.",
		},
		{"an application that is a file", "README/public", "README", map[string]string{"README": "x"}, "The root directory README is a file."},
		{"nothing at all", ".", "", map[string]string{".gitignore": "x"}, "The web directory / is empty after the build"},
		{"top", ".", "", map[string]string{"README.md": "x"}, ""},
		{"well known", "public", "", map[string]string{"public/.well-known/a": "x"}, ""},
		{"no page", "public", "", map[string]string{"public/app.js": "x"}, ""},
		{"none needed", "", "", map[string]string{"server.js": "x"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &site{t: t, root: t.TempDir()}
			env := map[string]string{release.VarWeb: c.web, release.VarApplication: c.application, release.VarRepository: ""}
			run := t.TempDir()
			if out, err := s.in(run, "1", env, "create"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for name, content := range c.files { // the build's
				at := filepath.Join(s.root, "releases/1", name)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			out, err := s.in(run, "1", env, "activate", "verify", "finish")
			if c.want == "" {
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the reason is %v, without %q", err, c.want)
			}
			if _, err := os.Lstat(filepath.Join(s.root, "current")); err == nil {
				t.Error("it is live")
			}
		})
	}
}

// A link that all releases share is no page: it is there whatever was built.
func TestSharedUploadsAreNothingToServe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "x"})
	env := map[string]string{release.VarWeb: "public", release.VarShared: `{"public/uploads/":"uploads"}`}
	if out, err := s.deployment("1", env, "create", "activate"); err == nil {
		t.Errorf("it went live: %s", out)
	}
}

// A site that is live without anything in its web directory, deployed before that was checked, goes on with a warning; one that had
// something does not.
func TestSiteThatServedNothingGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.must("1", nil, "create", "activate", "finish") // by an earlier release
	s.commit("Two", map[string]string{"a.txt": "2"})
	env := map[string]string{release.VarWeb: "public", release.VarLenient: "1"}
	if out := s.must("2", env, "create", "activate", "verify"); !strings.Contains(out, "Warning: The web directory public does not exist") ||
		s.live("a.txt") != "2" {
		t.Errorf("%s\nlive is %s", out, s.live("a.txt"))
	}
	s.commit("Three", map[string]string{"public/index.html": "3"})
	if out := s.must("3", env, "create", "activate", "verify"); strings.Contains(out, "Warning") {
		t.Errorf("warned: %s", out)
	}
	s.git("-C", s.work, "rm", "-rq", "public")
	s.commit("Four", map[string]string{"a.txt": "4"})
	for _, lenient := range []string{"1", ""} {
		if out, err := s.deployment("4", map[string]string{release.VarWeb: "public", release.VarLenient: lenient}, "create", "activate"); err == nil {
			t.Errorf("it went live: %s", out)
		}
	}
	if got := s.live("public/index.html"); got != "3" {
		t.Errorf("live is %s", got)
	}
}

// A script that ignores that its release was refused, and one that builds after the activation, are looked at when they ended.
func TestScriptsAreLookedAtOnceTheyEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	env, run := map[string]string{release.VarWeb: "public"}, t.TempDir()
	if out, err := s.in(run, "1", env, "create", "activate"); err == nil {
		t.Fatalf("it went live: %s", out)
	}
	if out, err := s.in(run, "1", env, "verify"); err == nil || !strings.Contains(err.Error(), "public does not exist") {
		t.Errorf("%v\n%s", err, out)
	}
	env[release.VarLate] = "1"
	run = t.TempDir()
	if out, err := s.in(run, "2", env, "create", "activate"); err != nil {
		t.Fatalf("it was looked at before it was built: %v\n%s", err, out)
	}
	if _, err := s.in(run, "2", env, "verify"); err == nil || !strings.Contains(err.Error(), "public does not exist") {
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Join(s.root, "releases/2/public/css"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := s.in(t.TempDir(), "2", env, "verify"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// In place, what was there before the deployment decides.
func TestNothingToServeInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	env := map[string]string{release.VarWeb: "dist"}
	if out, err := s.deployment("", env, "checkout", "verify"); err == nil {
		t.Errorf("the first deployment finished: %s", out)
	}
	if out, err := s.deployment("", env, "checkout", "verify"); err == nil { // it never served anything
		t.Errorf("the second deployment finished: %s", out)
	}
	env[release.VarLenient] = "1"
	if out, err := s.deployment("", env, "checkout", "verify"); err != nil || !strings.Contains(out, "Warning: The web directory dist") {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(s.root, "dist/a"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := t.TempDir()
	if out, err := s.in(run, "", env, "checkout"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(s.root, "dist")); err != nil {
		t.Fatal(err)
	}
	if out, err := s.in(run, "", env, "verify"); err == nil {
		t.Errorf("what was there is gone, and it finished: %s", out)
	}
}

// A release that its script leaves to Hostler goes live once the script has ended, and one that its script does not activate is named.
func TestReleaseIsActivatedOnceItsScriptEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"index.html": "1"})
	env, run := map[string]string{release.VarWeb: ".", release.VarActivate: "1"}, t.TempDir()
	if out, err := s.in(run, "1", env, "create", "verify"); err != nil || s.live("index.html") != "1" || !strings.Contains(out, "Release 1 is live") {
		t.Fatalf("%v\n%s", err, out)
	}
	s.commit("Two", map[string]string{"index.html": "2"})
	delete(env, release.VarActivate)
	if out, err := s.in(t.TempDir(), "2", env, "create", "verify"); err != nil || s.live("index.html") != "1" || !strings.Contains(out, "release 2 is not live") {
		t.Errorf("%v\n%s", err, out)
	}
}
