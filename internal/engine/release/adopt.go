package release

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// asideDir is where a first checkout puts files of the site's that it would overwrite.
	asideDir = ".before-git"
	// leftMark, beside the releases, marks a site that was taken out of them: the live release is not what is served.
	leftMark = ".left"
)

// Adopt makes a release from the site's directory, for a site without releases: its files are copied, so that what is served
// stays unchanged, shared paths are linked, and the release is made live. Nothing is removed from the directory.
func (s *Site) Adopt() error {
	if s.Release == "" {
		return errors.New("the release needs a name")
	}
	if err := s.forgetLeft(); err != nil {
		return err
	}
	if s.current() != "" && s.current() != s.Release {
		return fmt.Errorf("the site has releases already: %s is live", s.current())
	}
	if err := os.MkdirAll(s.path(ReleasesDir), 0o755); err != nil {
		return fmt.Errorf("make the directory of releases: %w", err)
	}
	if err := s.report(map[string]string{madeKey: s.Release}); err != nil {
		return err
	}
	skip := map[string]bool{ReleasesDir: true, CurrentLink: true, RepositoryDir: true, asideDir: true}
	all, err := s.entries(s.Root)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.in == one.from {
			skip[one.from] = true
		}
	}
	for _, name := range own {
		skip[name] = true
		if err := s.ownOfApplication(name); err != nil {
			return err
		}
	}
	s.say("Copying the site's files to release %s", s.Release)
	for range 2 { // the second pass copies what changed during the first
		if err := copyTree(s.Root, s.dir(), skip); err != nil {
			return fmt.Errorf("copy the site's files: %w", err)
		}
	}
	if err := s.share(); err != nil {
		return err
	}
	return s.Activate()
}

// ownOfApplication gives the site a file that only its application has, deployed in place below the top: all releases share it.
func (s *Site) ownOfApplication(name string) error {
	at := filepath.Join(s.application(s.Root), name)
	st, err := os.Lstat(at)
	if s.Application == "" || err != nil || !st.Mode().IsRegular() {
		return nil //nolint:nilerr // it has none of its own
	}
	if _, err := os.Lstat(s.path(name)); err == nil {
		s.say("The site's %s is what releases use, instead of %s", name, filepath.Join(s.Application, name))
		return nil
	}
	if err := copyFile(at, s.path(name), st); err != nil {
		return fmt.Errorf("share %s: %w", name, err)
	}
	return nil
}

// forgetLeft removes the live release of a site that left its releases, so that it can have them again. The mark is removed last:
// an interruption repeats this, and once it is gone the live release may be served.
func (s *Site) forgetLeft() error {
	mark := s.path(ReleasesDir, leftMark)
	if _, err := os.Lstat(mark); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if s.current() != "" {
		if err := os.Remove(s.path(CurrentLink)); err != nil {
			return fmt.Errorf("forget the previous live release: %w", err)
		}
	}
	if err := remove(s.dir()); err != nil {
		return fmt.Errorf("remove the previous release: %w", err)
	}
	if err := os.Remove(mark); err != nil {
		return fmt.Errorf("forget that releases were left: %w", err)
	}
	return nil
}

// Leave reverses Adopt: the site's directory gets the files of the live release. Files that the release does not have stay.
func (s *Site) Leave() error {
	live := s.current()
	if live == "" {
		return errors.New("the site has no live release")
	}
	from := s.path(ReleasesDir, live)
	skip := map[string]bool{ReleasesDir: true, CurrentLink: true, RepositoryDir: true, ".git": true}
	all, err := s.entries(from)
	if err != nil {
		return err
	}
	for _, one := range all {
		skip[one.in] = true
	}
	for _, name := range own {
		skip[name], skip[filepath.Join(s.Application, name)] = true, true
	}
	s.say("Copying release %s to the site's directory", live)
	if err := copyTree(from, s.Root, skip); err != nil {
		return fmt.Errorf("copy the release: %w", err)
	}
	for _, one := range all {
		if err := s.linkInPlace(one); err != nil {
			return fmt.Errorf("shared path %s: %w", one.in, err)
		}
	}
	if err := s.linkOwn(); err != nil {
		return err
	}
	if err := os.WriteFile(s.path(ReleasesDir, leftMark), nil, 0o644); err != nil {
		return fmt.Errorf("record that releases were left: %w", err)
	}
	if st, err := os.Lstat(filepath.Join(from, ".git")); err != nil || !st.IsDir() {
		return nil //nolint:nilerr // there is no repository to leave
	}
	if err := remove(s.path(".git")); err != nil {
		return fmt.Errorf("replace the repository: %w", err)
	}
	if err := copyTree(filepath.Join(from, ".git"), s.path(".git"), nil); err != nil {
		return fmt.Errorf("copy the repository: %w", err)
	}
	return s.reportCommit(s.Root)
}

// linkInPlace links a shared path to where the application looks for it without releases.
func (s *Site) linkInPlace(one shared) error {
	if one.in == one.from {
		return nil
	}
	if _, err := os.Lstat(s.path(one.from)); err != nil {
		return nil //nolint:nilerr // there is nothing to link to
	}
	if _, err := os.Lstat(s.path(one.in)); err == nil {
		return nil // the application's own file
	}
	return link(s.path(one.in), s.path(one.from))
}

// copyTree copies the contents of from to to: directories, files with their modes and times, and links unchanged. A file with the
// same size and time is not copied again; one that differs is replaced by a rename. Paths whose first component is in skip are
// left out.
func copyTree(from, to string, skip map[string]bool) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(from, path)
		switch {
		case errors.Is(err, os.ErrNotExist) && path != from:
			return nil // removed meanwhile
		case err != nil:
			return err
		case relErr != nil:
			return relErr
		case rel != "." && skip[rel]:
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return copyDir(target, info)
		case info.Mode()&fs.ModeSymlink != 0:
			return copyLink(path, target)
		case info.Mode().IsRegular():
			return copyFile(path, target, info)
		}
		return nil // a socket or a pipe: its program creates it again
	})
}

func copyDir(target string, info fs.FileInfo) error {
	if st, err := os.Lstat(target); err == nil && !st.IsDir() {
		if err := os.Remove(target); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	return os.Chmod(target, info.Mode().Perm()|0o700)
}

func copyLink(path, target string) error {
	to, err := os.Readlink(path)
	if err != nil {
		return err
	}
	if is, err := os.Readlink(target); err == nil && is == to {
		return nil
	}
	if err := remove(target); err != nil {
		return err
	}
	return os.Symlink(to, target)
}

func copyFile(path, target string, info fs.FileInfo) error {
	if st, err := os.Lstat(target); err == nil {
		switch {
		case st.Mode().IsRegular() && st.Size() == info.Size() && st.ModTime().Equal(info.ModTime()) && st.Mode() == info.Mode():
			return nil
		case st.IsDir():
			if err := remove(target); err != nil {
				return err
			}
		}
	}
	in, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	temp, err := os.CreateTemp(filepath.Dir(target), ".copy-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(temp, in)
	if err == nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chtimes(temp.Name(), info.ModTime(), info.ModTime())
	}
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// putAside keeps what a checkout would overwrite: files of the site that the commit also has, with other content, and that are not known
// to git.
func (s *Site) putAside(commit string, known map[string]bool) error {
	text, err := s.quietly("-C", s.Root, "ls-tree", "-r", "-z", "--name-only", commit)
	if err != nil {
		return fmt.Errorf("list the files of the commit: %w", err)
	}
	for name := range strings.SplitSeq(text, "\x00") {
		if name == "" || known[name] || !filepath.IsLocal(name) || slices.Contains(own, name) { // keepOwn keeps those
			continue
		}
		if st, err := os.Lstat(s.path(name)); err != nil || st.IsDir() {
			continue
		}
		if s.sameAs(commit, name) {
			continue
		}
		to := s.path(asideDir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		if err := os.Rename(s.path(name), to); err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		s.say("Kept %s as %s", name, filepath.Join(asideDir, name))
	}
	return nil
}

// sameAs reports whether a file of the site equals that of a commit.
func (s *Site) sameAs(commit, name string) bool {
	want, err := s.quietly("-C", s.Root, "rev-parse", "--verify", "--quiet", commit+":"+name)
	if err != nil {
		return false
	}
	have, err := s.quietly("-C", s.Root, "hash-object", "--no-filters", "--", name)
	return err == nil && have == want
}
