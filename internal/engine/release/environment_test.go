package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// environment does commands of one run that brings a new .env.
func (s *site) environment(content string, commands ...string) error {
	s.t.Helper()
	return s.environmentIn("", content, commands...)
}

// environmentIn is environment for an application below the top.
func (s *site) environmentIn(application, content string, commands ...string) error {
	s.t.Helper()
	run := s.t.TempDir()
	if err := os.WriteFile(filepath.Join(run, release.EnvironmentFile), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	_, err := s.in(run, "", map[string]string{release.VarApplication: application}, commands...)
	return err
}

func (s *site) wantEnvironment(live, kept string) {
	s.t.Helper()
	for file, want := range map[string]string{".env": live, "current/.env": live, "releases/1/.env": kept} {
		raw, err := os.ReadFile(filepath.Join(s.root, file))
		if got := string(raw); got != want || (want == "") != os.IsNotExist(err) {
			s.t.Errorf("%s is %q, %v; want %q", file, got, err, want)
		}
	}
	for _, dir := range []string{".", "releases/1", "releases/2"} {
		for _, name := range []string{".env.before", ".env.next"} {
			if _, err := os.Lstat(filepath.Join(s.root, dir, name)); err == nil {
				s.t.Errorf("%s/%s is left", dir, name)
			}
		}
	}
}

// The first .env reaches the release that is live and those that are kept; what failed or was cut off leaves what was there before.
func TestEnvironmentReachesReleases(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.must("1", nil, "create", "activate", "finish")
	s.must("2", nil, "create", "activate", "finish")
	s.wantEnvironment("", "")
	for range 2 {
		if err := s.environment("A=1\n", "environment", "environment-back"); err != nil {
			t.Fatal(err)
		}
		s.wantEnvironment("", "")
		s.write("releases/1/.env", "by hand") // and what a release had of its own
		if err := s.environment("A=1\n", "environment", "environment-back"); err != nil {
			t.Fatal(err)
		}
		s.wantEnvironment("", "by hand")
		if err := os.Remove(filepath.Join(s.root, "releases/1/.env")); err != nil {
			t.Fatal(err)
		}
	}
	s.write("releases/1/.env", "by hand")
	if err := s.environment("A=1\n", "environment", "environment-keep"); err != nil {
		t.Fatal(err)
	}
	s.wantEnvironment("A=1\n", "A=1\n")
	if err := s.environment("A=2\n", "environment", "environment-back"); err != nil {
		t.Fatal(err)
	}
	s.wantEnvironment("A=1\n", "A=1\n")
	if err := s.environment("A=2\n", "environment"); err != nil { // cut off after it was done
		t.Fatal(err)
	}
	if err := s.environment("A=3\n", "environment", "environment-keep"); err != nil {
		t.Fatal(err)
	}
	s.wantEnvironment("A=3\n", "A=3\n")
	s.must("3", nil, "create", "activate", "finish")
	s.want("current/.env", "A=3\n")
	if st, err := os.Lstat(filepath.Join(s.root, ".env")); err != nil || st.Mode() != 0o600 {
		t.Errorf(".env is %v, %v", st.Mode(), err)
	}
}

// Where the framework reads .env.local above the .env that its repository brings, both hold. Where it reads one file, the log names what
// only the repository's has.
func TestEnvironmentBesideTheRepositorys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reader, at, brought string }{
		{"bin/console", ".env.local", "A=0\nB=1\n"}, {"next.config.mjs", ".env.local", "A=0\nB=1\n"}, {"web.php", ".env", "A=2\n"},
	} {
		t.Run(tt.reader, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.commit("One", map[string]string{tt.reader: "", ".env": "A=0\nB=1\n"})
			s.must("1", nil, "create", "activate", "finish")
			for _, keep := range []string{"environment-back", "environment-keep"} {
				if err := s.environment("A=2\n", "environment", keep); err != nil {
					t.Fatal(err)
				}
				if keep == "environment-back" {
					s.want("current/.env", "A=0\nB=1\n")
					s.wantNothing("current/.env.local")
				}
			}
			s.want("current/.env", tt.brought)
			s.want("current/"+tt.at, "A=2\n")
			log := s.must("2", nil, "create", "activate", "finish")
			s.want("current/.env", tt.brought)
			s.want("current/"+tt.at, "A=2\n")
			if says := strings.Contains(log, "lacks B"); says != (tt.at == ".env") {
				t.Errorf("the log is %q", log)
			}
			if err := s.environment("A=3\n", "environment", "environment-keep"); err != nil {
				t.Fatal(err)
			}
			s.want("releases/1/"+tt.at, "A=3\n")
		})
	}
}

// A link in the place of .env is replaced, not followed; a directory is not touched.
func TestEnvironmentFollowsNoLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("other", "kept")
	if err := os.Symlink("other", filepath.Join(s.root, ".env")); err != nil {
		t.Fatal(err)
	}
	if err := s.environment("A=1\n", "environment", "environment-back"); err != nil {
		t.Fatal(err)
	}
	s.want(".env", "kept")
	if err := s.environment("A=1\n", "environment", "environment-keep"); err != nil {
		t.Fatal(err)
	}
	s.want(".env", "A=1\n")
	s.want("other", "kept")
	if err := os.Remove(filepath.Join(s.root, ".env")); err != nil {
		t.Fatal(err)
	}
	s.write(".env/lib", "a virtual environment")
	if err := s.environment("A=1\n", "environment"); err == nil {
		t.Error("a directory was replaced")
	}
	if err := s.environment("A=1\n", "environment-back"); err != nil {
		t.Fatal(err)
	}
	s.want(".env/lib", "a virtual environment")
}

// Why Hostler's own part of the work has failed is its reason.
func TestWhyPlacesCannotBeMade(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	run := t.TempDir()
	reason := func() string {
		raw, err := os.ReadFile(filepath.Join(run, wire.ReportFile))
		if err != nil {
			t.Fatal(err)
		}
		var said map[string]string
		if err := json.Unmarshal(raw, &said); err != nil {
			t.Fatal(err)
		}
		return said[wire.ReportReason]
	}
	if err := os.Mkdir(filepath.Join(s.root, ".env"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, release.EnvironmentFile), []byte("A=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.in(run, "", nil, "environment"); err == nil || !strings.Contains(reason(), ".env is a directory: remove or rename it.") {
		t.Errorf("a directory .env: %v, %q", err, reason())
	}
	run = t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(s.root, "releases")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.in(run, "1", nil, "create"); err == nil || !strings.Contains(reason(),
		"The site's releases is no directory, and no link to one: remove or rename it.") {
		t.Errorf("a link that leads nowhere: %v, %q", err, reason())
	}
	if err := os.Remove(filepath.Join(s.root, "releases")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.in(run, "1", nil, "create"); err != nil || reason() != "" {
		t.Errorf("a second try: %v, %q", err, reason())
	}
}
