package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
)

// nested is a site whose application is in backend.
func nested(shared string) map[string]string {
	return map[string]string{release.VarShared: shared, release.VarApplication: "/backend/"}
}

func (s *site) wantLink(name string) {
	s.t.Helper()
	if st, err := os.Lstat(filepath.Join(s.root, name)); err != nil || st.Mode()&os.ModeSymlink == 0 {
		s.t.Errorf("%s is no link: %v", name, err)
	}
	if _, err := os.Stat(filepath.Join(s.root, name)); err != nil {
		s.t.Errorf("%s leads nowhere: %v", name, err)
	}
}

func (s *site) wantNothing(names ...string) {
	s.t.Helper()
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(s.root, name)); !os.IsNotExist(err) {
			s.t.Errorf("%s is there: %v", name, err)
		}
	}
}

// An application below the top of its repository finds .env, auth.json and its storage in its own directory, and keeps its uploads.
func TestApplicationBelowTheTopKeepsItsUploads(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"backend/artisan": "", "backend/storage/app/.gitignore": "*", "frontend/a.js": "1"})
	s.write(".env", "A=1\n")
	s.write("auth.json", "{}")
	env := nested(`{"storage":"storage","backend/public/media":"media","frontend/out":"out"}`)
	s.must("1", env, "create", "activate", "finish")
	for _, name := range []string{"current/backend/.env", "current/backend/auth.json", "current/backend/storage", "current/backend/public/media",
		"current/frontend/out"} {
		s.wantLink(name)
	}
	s.want("current/backend/.env", "A=1\n")
	s.wantNothing("current/.env", "current/storage", "current/backend/backend", "current/backend/frontend")
	s.write("current/backend/storage/app/upload.txt", "kept")
	s.must("2", env, "create", "activate", "finish")
	s.want("current/backend/storage/app/upload.txt", "kept")
	if err := s.environmentIn("backend", "A=2\n", "environment", "environment-keep"); err != nil {
		t.Fatal(err)
	}
	s.want("current/backend/.env", "A=2\n")
}

// A new .env reaches an application below the top, in each release and in place, and what failed leaves what was there before.
func TestEnvironmentBelowTheTop(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"releases", "in place"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.commit("One", map[string]string{"backend/artisan": ""})
			app, name := "current/backend", "1"
			if place == "releases" {
				s.must(name, nested("{}"), "create", "activate", "finish")
			} else {
				app, name = "backend", ""
				s.must(name, nested("{}"), "checkout", "finish")
			}
			if err := s.environmentIn("backend", "A=1\n", "environment", "environment-back"); err != nil {
				t.Fatal(err)
			}
			s.wantNothing(".env", app+"/.env")
			if err := s.environmentIn("backend", "A=1\n", "environment", "environment-keep"); err != nil {
				t.Fatal(err)
			}
			s.want(app+"/.env", "A=1\n")
			s.wantLink(app + "/.env")
			s.commit("Two", map[string]string{"backend/b": ""})
			if place == "releases" {
				name = "2"
				s.must(name, nested("{}"), "create", "activate", "finish")
			} else {
				s.must(name, nested("{}"), "checkout", "finish")
			}
			s.want(app+"/.env", "A=1\n")
		})
	}
}

// A site whose first deployments linked everything at the top loses no upload, and what it reads at the top stays there.
func TestUploadsOfAnEarlierReleaseAreShared(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"backend/artisan": "", "backend/storage/app/.gitignore": "*"})
	s.write(".env", "A=1\n")
	shared := map[string]string{release.VarShared: `{"storage":"storage"}`}
	s.must("1", shared, "create", "activate", "finish") // as if the application were the top
	s.write("current/backend/storage/app/upload.txt", "kept")
	env := nested(shared[release.VarShared])
	s.must("2", env, "create")
	s.want("current/backend/storage/app/upload.txt", "kept") // the live one goes on with what is shared
	s.write("current/backend/storage/app/later.txt", "too")
	s.must("2", env, "create", "activate", "finish")
	for _, name := range []string{"current/backend/storage", "releases/1/backend/storage", "current/.env", "current/storage", "current/backend/.env"} {
		s.wantLink(name)
	}
	s.want("current/backend/storage/app/upload.txt", "kept")
	s.want("storage/app/later.txt", "too")
	s.must("1", env, "activate", "finish") // a rollback
	s.want("current/backend/.env", "A=1\n")
}

// A path that is shared from now on has what the live release has there; one that is no longer shared stays where it was, for a rollback.
func TestSharedPathsOfLaterReleases(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"index.php": "", "kept/of-repository": "r"})
	s.must("1", map[string]string{release.VarShared: `{"kept":"kept"}`}, "create", "activate", "finish")
	s.write("current/kept/upload", "k")
	s.write("current/media/upload", "m")
	later := map[string]string{release.VarShared: `{"media":"files/media"}`}
	s.must("2", later, "create")
	s.want("current/media/upload", "m")
	s.write("current/media/later", "l") // while the release is built
	s.must("2", later, "activate", "finish")
	s.wantLink("current/media")
	s.want("files/media/upload", "m")
	s.want("current/media/later", "l")
	s.wantNothing("current/kept/upload")
	s.want("current/kept/of-repository", "r")
	s.want("kept/upload", "k")
	s.must("1", later, "activate", "finish") // a rollback
	s.want("current/kept/upload", "k")
	s.want("current/media/later", "l")
}

// A script that brings .env to the application itself goes on doing so.
func TestScriptLinksItsOwnEnvironment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"backend/artisan": ""})
	s.write(".env", "A=1\n")
	env := nested("{}")
	env[release.VarOwnLink] = "1"
	s.must("1", env, "create")
	s.wantNothing("releases/1/backend/.env")
}

// Whether a shared path is a directory is seen where it is, or said by a slash at its end; a dot in its name says nothing.
func TestSharedDirectoriesWithDots(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"index.php": "", "conf.d/a": "1", "data/list": "x"})
	env := map[string]string{release.VarShared: `{"WWW/www.shop.test":"WWW/www.shop.test","uploads":"uploads","media/photos":"media/photos/","v1.2":"v1.2",
		".well-known":".well-known","conf.d":"conf.d","exports/a.json":"exports/a.json/","data/list":"data/list","db.sqlite":"db.sqlite",
		"db.sqlite-wal":"db.sqlite-wal","config/credentials.yml.enc":"credentials.yml.enc","www.shop.sh":"www.shop.sh","app/settings.py":"settings.py",
		"config/local.neon":"local.neon","config/puma.rb":"puma.rb","config.js":"config.js","app.properties":"app.properties",
		"Caddyfile":"Caddyfile","config/secret_key_base":"secret_key_base","keys":"keys"}`}
	for _, name := range []string{"1", "2"} {
		s.must(name, env, "create", "activate", "finish")
		for _, dir := range []string{"WWW/www.shop.test", "uploads", "media/photos", "v1.2", ".well-known", "conf.d", "exports/a.json",
			"www.shop.sh", "keys"} {
			if err := os.WriteFile(filepath.Join(s.root, "current", dir, name), []byte("x"), 0o644); err != nil {
				t.Error(err)
			}
		}
		s.want("current/data/list", "x")
		for _, file := range []string{"db.sqlite", "db.sqlite-wal", "config/credentials.yml.enc", "app/settings.py", "config/local.neon", "config/puma.rb",
			"config.js", "app.properties", "Caddyfile", "config/secret_key_base"} {
			if err := os.WriteFile(filepath.Join(s.root, "current", file), []byte("db"), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	s.want("current/WWW/www.shop.test/1", "x")
	s.want("current/conf.d/a", "1")
	s.want("db.sqlite", "db")
}

// A release is called by its commit, whatever of it is shared; in place, changes of the same files are seen again.
func TestSharedFilesAreNoChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{
		"a.txt": "1", "storage/app/.gitignore": "*", "config/local.php": "x", ".env": "OF=repository", " with blanks /b.txt": "b",
	})
	s.git("-C", s.work, "tag", "v1")
	s.git("-C", s.work, "push", "-q", "origin", "v1")
	s.write(".env", "OF=site")
	env := map[string]string{release.VarShared: `{"storage":"storage","config/local.php":"config/local.php"," with blanks ":"blanks"}`}
	current := filepath.Join(s.root, "current")
	for _, name := range []string{"1", "2"} {
		s.must(name, env, "create", "activate", "finish")
		if got := s.git("-C", current, "describe", "--tags", "--dirty"); got != "v1" {
			t.Errorf("release %s is called %s: %s", name, got, s.git("-C", current, "status", "--short"))
		}
	}
	if err := os.WriteFile(filepath.Join(current, "a.txt"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := s.git("-C", current, "describe", "--tags", "--dirty"); got != "v1-dirty" {
		t.Errorf("a changed release is called %s", got)
	}
}

// Links to nowhere, as earlier versions left them, become directories.
func TestDanglingSharedPathIsMended(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"index.php": ""})
	s.must("1", nil, "create", "activate", "finish")
	if err := os.Symlink("../../www.shop.test", filepath.Join(s.root, "releases/1/www.shop.test")); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{release.VarShared: `{"www.shop.test":"www.shop.test"}`}
	s.must("2", env, "create", "activate", "finish")
	s.write("current/www.shop.test/a", "1")
	s.want("releases/1/www.shop.test/a", "1")
	// Made as a directory before the repository had it, and then taken from there.
	s.commit("Two", map[string]string{"license": "mine"})
	env[release.VarShared] = `{"license":"license"}`
	if err := os.Mkdir(filepath.Join(s.root, "license"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.must("3", env, "create", "activate", "finish")
	s.want("current/license", "mine")
}

// A site in place below the top gets releases with its .env, and returns.
func TestAdoptBelowTheTop(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"backend/artisan": "1"})
	env := nested(`{"storage":"storage"}`)
	s.must("", env, "checkout", "finish")
	s.write("backend/.env", "A=1\n")
	s.write("backend/storage/upload", "kept")
	s.must("0", env, "adopt")
	s.want("current/backend/.env", "A=1\n")
	s.want("current/backend/storage/upload", "kept")
	s.must("2", env, "create", "activate", "finish")
	s.want("current/backend/.env", "A=1\n")
	s.want("current/backend/storage/upload", "kept")
	s.write("current/backend/storage/more", "kept")
	s.must("", env, "leave")
	s.want("backend/.env", "A=1\n")
	if out := s.must("", env, "checkout", "finish"); strings.Contains(out, "is not linked") && strings.Contains(out, "auth.json") {
		t.Error(out)
	}
}

// An application that is a link to another directory of its repository has its .env and its uploads there.
func TestApplicationThatIsALink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if err := os.Symlink("apps/web", filepath.Join(s.work, "web")); err != nil {
		t.Fatal(err)
	}
	s.commit("One", map[string]string{"apps/web/index.php": "x", "apps/web/storage/.gitignore": "*"})
	s.write(".env", "A=1\n")
	env := map[string]string{release.VarApplication: "web", release.VarShared: `{"storage":"storage"}`}
	s.must("1", env, "create", "activate", "finish")
	s.want("current/apps/web/.env", "A=1\n")
	s.write("current/web/storage/upload", "kept")
	s.must("2", env, "create", "activate", "finish")
	s.want("current/web/storage/upload", "kept")
	s.want("storage/upload", "kept")
}

func TestApplicationStaysInside(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	for _, dir := range []string{"../x", "a/../../x"} {
		if _, err := s.deployment("1", map[string]string{release.VarApplication: dir}, "create"); err == nil {
			t.Errorf("%s is where the application is", dir)
		}
	}
}

// A shared path can be inside another, whatever the order in which people write them, and the application's directory before them or not.
func TestSharedPathsInsideOthers(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"at the top":    {release.VarShared: `{"storage":"storage","storage/app":"storage/app","storage/new":"storage/new/","storage/far":"elsewhere"}`},
		"below the top": nested(`{"storage":"storage","backend/storage/app":"storage/app","storage/new":"storage/new","backend/storage/far":"elsewhere"}`),
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s, at := newSite(t), ""
			if env[release.VarApplication] != "" {
				at = "backend/"
			}
			s.commit("One", map[string]string{at + "storage/app/.gitkeep": "", at + "storage/logs/.gitkeep": ""})
			for _, name := range []string{"1", "2", "3"} {
				s.must(name, env, "create", "activate", "finish")
				for _, dir := range []string{"app", "logs", "new", "far"} {
					s.write("current/"+at+"storage/"+dir+"/"+name, "kept")
				}
			}
			for _, file := range []string{"storage/app/1", "storage/app/2", "storage/logs/1", "storage/new/1", "elsewhere/1", "current/" + at + "storage/far/2"} {
				s.want(file, "kept")
			}
		})
	}
}

// A shared place that leads to another disk goes on doing so, empty or not.
func TestSharedPlaceOnAnotherDisk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	disk := t.TempDir()
	s.commit("One", map[string]string{"index.php": "", "media/.gitkeep": "", "media/logo.png": "logo"})
	s.must("1", nil, "create", "activate", "finish") // before anything is shared
	s.write("current/files/upload", "kept")
	for _, name := range []string{"media", "files"} {
		if err := os.Mkdir(filepath.Join(disk, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(disk, name), filepath.Join(s.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{release.VarShared: `{"media":"media","files":"files"}`}
	for _, name := range []string{"2", "3"} {
		s.must(name, env, "create", "activate", "finish")
		s.write("current/media/"+name, "kept")
	}
	for name, content := range map[string]string{"media/logo.png": "logo", "media/2": "kept", "media/3": "kept", "files/upload": "kept"} {
		if got, err := os.ReadFile(filepath.Join(disk, name)); err != nil || string(got) != content {
			t.Errorf("%s on the disk is %q, %v", name, got, err)
		}
	}
}
