package release

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// own are the files of the site's directory that every application finds in its own directory.
var own = []string{envName, "auth.json"}

// application returns where the application is in a copy of the code.
func (s *Site) application(code string) string { return filepath.Join(code, s.Application) }

// shared is a path that all releases share.
type shared struct {
	in     string // below the release
	from   string // below the site's directory
	folder bool   // the entry says that it is a directory
}

// entries returns what is shared, as a copy of the code has it. A path is one of the application; one that begins with the application's
// own directory, or is in a directory that only the repository's top has, is one of the repository. What an earlier release has linked at
// its top stays linked there too.
func (s *Site) entries(code string) ([]shared, error) {
	var out []shared
	for _, to := range sortedKeys(s.Shared) {
		from := s.Shared[to]
		one := shared{
			in: filepath.Clean(strings.Trim(to, "/")), from: filepath.Clean(strings.TrimPrefix(from, "/")),
			folder: strings.HasSuffix(to, "/") || strings.HasSuffix(from, "/"),
		}
		if _, err := within(code, to); err != nil {
			return nil, fmt.Errorf("shared path %s: %w", to, err)
		}
		if _, err := within(s.Root, from); err != nil {
			return nil, fmt.Errorf("shared path %s: %w", from, err)
		}
		top := one
		if s.Application != "" && !s.ofRepository(code, one.in) {
			one.in = filepath.Join(s.Application, one.in)
		}
		out = append(out, one)
		if s.Application != "" && one.in != top.in && s.linksTo(filepath.Join(s.path(CurrentLink), top.in), s.path(top.from)) {
			out = append(out, top)
		}
	}
	// What is inside another comes after it.
	slices.SortStableFunc(out, func(a, b shared) int { return strings.Compare(a.in, b.in) })
	return out, nil
}

func (s *Site) ofRepository(code, in string) bool {
	if in == s.Application || strings.HasPrefix(in, s.Application+"/") {
		return true
	}
	parent := filepath.Dir(in)
	return parent != "." && isDir(filepath.Join(code, parent)) && !isDir(filepath.Join(s.application(code), parent))
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// linksTo reports whether a path is a link to a target.
func (s *Site) linksTo(path, target string) bool {
	to, err := os.Readlink(path)
	if err != nil {
		return false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false
	}
	root, err := filepath.EvalSymlinks(s.Root)
	rel, relErr := filepath.Rel(s.Root, target)
	return err == nil && relErr == nil && filepath.Join(dir, to) == filepath.Join(root, rel)
}

// share links the shared paths into this release. On first use, the live release's own version comes to the shared place, or else this
// one's.
func (s *Site) share() error {
	all, err := s.entries(s.dir())
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := s.shareOne(one); err != nil {
			return fmt.Errorf("share %s: %w", one.in, err)
		}
		s.say("Linked %s to %s", one.in, s.path(one.from))
	}
	for _, name := range own {
		if _, err := os.Lstat(s.path(name)); err != nil || slices.ContainsFunc(all, func(one shared) bool { return one.in == filepath.Join(s.Application, name) }) {
			continue
		}
		if s.Application != "" && s.linksTo(filepath.Join(s.path(CurrentLink), name), s.path(name)) {
			if err := link(filepath.Join(s.dir(), name), s.path(name)); err != nil {
				return fmt.Errorf("share %s: %w", name, err)
			}
		}
		dir := s.application(s.dir())
		if s.Application != "" && (name == envName && s.OwnLink || !isDir(dir)) {
			continue
		}
		var err error
		if name == envName {
			err = s.shareEnv(dir)
		} else {
			err = link(filepath.Join(dir, name), s.path(name))
		}
		if err != nil {
			return fmt.Errorf("share %s: %w", name, err)
		}
	}
	return s.takeForUnchanged(all)
}

// takeForUnchanged has git take what is shared for what the commit has: git status and git describe --dirty name no changes then. A site in
// place looks at its files again before it pulls (seeChanges).
func (s *Site) takeForUnchanged(all []shared) error {
	args := []string{"-C", s.dir(), "--literal-pathspecs", "diff-files", "--name-only", "-z", "--ignore-submodules=all", "--"}
	for _, one := range all {
		args = append(args, one.in)
	}
	for _, name := range own {
		args = append(args, name, filepath.Join(s.Application, name))
	}
	names, err := exec.Command("git", args...).Output()
	if err != nil || len(names) == 0 {
		return nil //nolint:nilerr // a release without Git's records says nothing
	}
	cmd := exec.Command("git", "-C", s.dir(), "update-index", "-z", "--skip-worktree", "--stdin")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(names), s.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("take what is shared for unchanged: git update-index: %w", err)
	}
	return nil
}

func (s *Site) shareOne(one shared) error {
	path, target := filepath.Join(s.dir(), one.in), s.path(one.from)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	// A path inside another that is shared: storage/app, where storage is a link already.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && sameDir(dir, filepath.Dir(target)) && filepath.Base(path) == filepath.Base(target) {
		if _, err := os.Stat(target); err == nil || !one.folder && isFileName(target) {
			return nil
		}
		return os.Mkdir(target, 0o755)
	}
	if err := s.seed(one, path, target); err != nil {
		return err
	}
	return link(path, target)
}

func sameDir(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// seed makes the shared place what it is at first use. An empty directory there was made before anything was known of it.
func (s *Site) seed(one shared, path, target string) error {
	brought, noRelease := os.Lstat(path)
	is := noRelease == nil && brought.Mode()&fs.ModeSymlink == 0
	there, err := os.Stat(target)
	if err == nil && (!there.IsDir() || !isEmpty(target)) {
		return nil
	}
	if taken, err := s.takeLive(one, target); taken || err != nil {
		return err
	}
	switch {
	case is && there != nil:
		// One that is a link to another disk, or where one is mounted, stays that.
		if at, err := os.Lstat(target); err != nil || at.Mode()&fs.ModeSymlink != 0 || os.Remove(target) != nil {
			return errors.Join(err, bringNewer(path, target))
		}
		return os.Rename(path, target)
	case is:
		return os.Rename(path, target)
	case there != nil:
		return nil
	case one.folder || !isFileName(target):
		if err := os.Remove(target); err != nil && !errors.Is(err, os.ErrNotExist) { // a link to nothing
			return err
		}
		return os.Mkdir(target, 0o755)
	}
	return nil // its program makes the file through the link
}

// takeLive brings what the live release has of its own to the shared place, and links it there: what the application writes from now on
// is shared.
func (s *Site) takeLive(one shared, target string) (bool, error) {
	live := s.current()
	if live == "" || live == s.Release {
		return false, nil
	}
	from := s.path(ReleasesDir, live, one.in)
	st, err := os.Lstat(from)
	if err != nil || !st.IsDir() && !st.Mode().IsRegular() || st.IsDir() && isEmpty(from) {
		return false, nil //nolint:nilerr // it has nothing of its own
	}
	if there, err := os.Stat(target); err == nil && there.IsDir() != st.IsDir() {
		if err := os.Remove(target); err != nil {
			return false, err
		}
	}
	s.say("Taking %s of the live release %s as what releases share", one.in, live)
	bring := func(from string) error {
		if to, err := filepath.EvalSymlinks(target); err == nil && st.IsDir() { // which may be a link to another disk
			return copyTree(from, to, nil)
		}
		if st.IsDir() {
			return copyTree(from, target, nil)
		}
		return copyFile(from, target, st)
	}
	if err := bring(from); err != nil {
		return false, err
	}
	aside := from + ".before-sharing"
	if err := link(aside, target); err != nil {
		return false, err
	}
	if err := unix.Renameat2(unix.AT_FDCWD, aside, unix.AT_FDCWD, from, unix.RENAME_EXCHANGE); err != nil {
		_ = os.Remove(aside)
		return false, fmt.Errorf("link it in the live release: %w", err)
	}
	if st.IsDir() { // what was written while it was copied
		if err := bringNewer(aside, target); err != nil {
			return false, err
		}
	}
	return true, remove(aside)
}

// bringNewer copies what a directory has and the other lacks, or has older.
func bringNewer(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		there, missing := os.Lstat(target)
		switch {
		case d.IsDir() && missing != nil:
			return copyDir(target, info)
		case info.Mode()&fs.ModeSymlink != 0 && missing != nil:
			return copyLink(path, target)
		case info.Mode().IsRegular() && (missing != nil || there.ModTime().Before(info.ModTime())):
			return copyFile(path, target, info)
		}
		return nil
	})
}

func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// fileEndings are those of files that programs make themselves. A dot alone says nothing: www.example.com and v1.2 are directories.
var fileEndings = []string{
	".sqlite", ".sqlite3", ".db", ".json", ".php", ".ini", ".yml", ".yaml", ".xml", ".toml", ".txt", ".log", ".csv", ".key", ".pem", ".crt", ".lock", ".conf",
	".enc", ".p12", ".pfx", ".keystore", ".sql", ".gz", ".cfg", ".cnf", ".neon", ".properties", ".inc", ".rb", ".js", ".cjs", ".mjs", ".ts", ".jsonc", ".json5",
	".exs", ".edn", ".tfvars", ".html", ".css", ".dist", ".bak", ".pub", ".jks", ".dump", ".phar",
	".htaccess", ".htpasswd",
	".npmrc", ".netrc", ".pgpass", ".env",
}

// countryEndings are those of files that are domains of countries and others too: settings.py is a file, www.shop.sh may be a site's
// directory.
var countryEndings = []string{".py", ".sh", ".pl", ".zip", ".local"}

// programFile matches files without an ending that are called for their program: Caddyfile, Procfile.
var programFile = regexp.MustCompile(`^[A-Z][a-z]+file$`)

// secretFile matches files without an ending that have one secret or number: secret_key_base, SECRET_TOKEN, server.pid.
// Several of them are in a directory: keys.
var secretFile = regexp.MustCompile(`(?i)(?:^|[._-])(?:key|key_base|token|secret|password|pid|revision)$`)

// isFileName reports whether a shared path that is nowhere yet is that of a file.
func isFileName(path string) bool {
	if base := filepath.Base(path); programFile.MatchString(base) || secretFile.MatchString(base) {
		return true
	}
	name := strings.ToLower(filepath.Base(path))
	for _, beside := range []string{"-wal", "-shm", "-journal"} { // what SQLite has beside a database (sqlite.org/tempfiles.html)
		name = strings.TrimSuffix(name, beside)
	}
	if stem, ok := strings.CutSuffix(name, filepath.Ext(name)); ok && !strings.Contains(stem, ".") && slices.Contains(countryEndings, filepath.Ext(name)) {
		return true
	}
	return slices.Contains(fileEndings, filepath.Ext(name)) || strings.HasPrefix(name, envName+".")
}

// link makes a path a relative link to a target, in place of what is there.
func link(path, target string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	// From where the link is: an application may itself be a link to another directory of its repository.
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	at, err := filepath.EvalSymlinks(filepath.Dir(target))
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(dir, filepath.Join(at, filepath.Base(target)))
	if err != nil {
		return err
	}
	if to, err := os.Readlink(path); err == nil && to == relative {
		return nil
	}
	if err := remove(path); err != nil {
		return err
	}
	return os.Symlink(relative, path)
}

// linkOwn links the site's own files in an application below the top that is deployed in place. A file of the application's stays.
func (s *Site) linkOwn() error {
	dir := s.application(s.Root)
	if s.Application == "" || !isDir(dir) {
		return nil
	}
	for _, name := range own {
		if _, err := os.Lstat(s.path(name)); err != nil || name == envName && s.OwnLink {
			continue
		}
		at := filepath.Join(dir, name)
		if name == envName {
			at = filepath.Join(dir, s.envLink(dir))
		}
		if _, err := os.Lstat(at); err == nil {
			if !s.linksTo(at, s.path(name)) {
				s.say("%s is the application's own: the site's %s is not linked there", filepath.Join(s.Application, name), name)
			}
			continue
		}
		if err := link(at, s.path(name)); err != nil {
			return fmt.Errorf("link %s: %w", name, err)
		}
	}
	return nil
}
