package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// EnvironmentFile is the file of a script that a site's new .env stands in. VarCached is "1" where the application's cached configuration
// is made of it.
const (
	EnvironmentFile = "environment"
	VarCached       = "HOSTLER_REFRESH_CACHE"
)

const (
	envName = ".env"
	// envBefore is what stood in the place of .env, until the work has ended; envNext is what comes there.
	envBefore = ".env.before"
	envNext   = ".env.next"
	// Keys of the report: whether there was a .env, and the releases that got their link to it.
	envKey    = "environment"
	linkedKey = "linked"
)

// Environment makes a file of the script's the site's .env, and has the application of every release find it: the live one reads it at
// once, and those that may be live again later have the same. Nothing is lost before Keep: Unset puts back what was there.
func (s *Site) Environment() error {
	if err := s.Keep(); err != nil { // of work that was cut off before
		return err
	}
	lacking, err := s.lacking()
	if err != nil {
		return err
	}
	state := "none"
	if _, err := os.Lstat(s.path(envName)); err == nil {
		state = "was"
	}
	if err := s.report(map[string]string{envKey: state, linkedKey: strings.Join(lacking, " ")}); err != nil {
		return err
	}
	if err := setAside(s.Root); err != nil {
		return err
	}
	if err := s.writeEnv(); err != nil {
		return err
	}
	for _, name := range lacking {
		if err := s.linkEnv(name); err != nil {
			return fmt.Errorf("%s: %w", spotName(name), err)
		}
		s.say("Linked .env in %s", spotName(name))
	}
	return nil
}

// inPlace stands for the application of a site that is deployed in place, among the names of releases.
const inPlace = "."

func spotName(name string) string {
	if name == inPlace {
		return "the application"
	}
	return "release " + name
}

// spot returns the directory of the application in a release, or in the site's directory.
func (s *Site) spot(name string) string {
	if name == inPlace {
		return s.application(s.Root)
	}
	return s.application(s.path(ReleasesDir, name))
}

func (s *Site) linkEnv(name string) error {
	dir := s.spot(name)
	at := s.envLink(dir)
	if at == envName {
		if err := setAside(dir); err != nil {
			return err
		}
	}
	to, err := filepath.Rel(dir, s.path(envName))
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, envNext)
	if err := os.Symlink(to, temp); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, at))
}

// spots are the applications that read the site's .env by a link.
func (s *Site) spots() ([]string, error) {
	var out []string
	if s.Application != "" && s.current() == "" && isDir(s.spot(inPlace)) {
		out = append(out, inPlace)
	}
	entries, err := os.ReadDir(s.path(ReleasesDir))
	if errors.Is(err, os.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list releases: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && namePattern.MatchString(e.Name()) && isDir(s.spot(e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// lacking are the applications that do not find the site's .env.
func (s *Site) lacking() ([]string, error) {
	all, err := s.spots()
	return slices.DeleteFunc(all, func(name string) bool { return s.finds(s.spot(name)) }), err
}

// finds reports whether the application in a directory has a link to the site's .env.
func (s *Site) finds(dir string) bool {
	return s.isShared(filepath.Join(dir, envName)) || s.isShared(filepath.Join(dir, envLocal))
}

// setAside gives what stands in the place of a directory's .env a second name. A link leaves its own: it is not followed.
func setAside(dir string) error {
	st, err := os.Lstat(filepath.Join(dir, envName))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err == nil && st.IsDir():
		return fmt.Errorf("%s is a directory: remove or rename it", filepath.Join(dir, envName))
	case err == nil && st.Mode().IsRegular():
		err = os.Link(filepath.Join(dir, envName), filepath.Join(dir, envBefore))
	case err == nil:
		err = os.Rename(filepath.Join(dir, envName), filepath.Join(dir, envBefore))
	}
	if err != nil {
		return fmt.Errorf("keep the .env from before: %w", err)
	}
	return nil
}

func (s *Site) writeEnv() error {
	content, err := os.ReadFile(filepath.Join(s.RunDir, EnvironmentFile))
	if err != nil {
		return fmt.Errorf("read the new .env: %w", err)
	}
	to, err := os.OpenFile(s.path(envNext), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write .env: %w", err)
	}
	_, err = to.Write(content)
	if err == nil {
		err = to.Sync()
	}
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(to.Name(), s.path(envName))
	}
	if err != nil {
		return fmt.Errorf("write .env: %w", err)
	}
	return nil
}

// Unset puts back what Environment began, the cached configuration of the application included.
func (s *Site) Unset() error {
	said := s.reported()
	for _, name := range strings.Fields(said[linkedKey]) {
		if name != inPlace && !namePattern.MatchString(name) {
			continue
		}
		local := filepath.Join(s.spot(name), envLocal)
		if s.isShared(local) {
			if err := os.Remove(local); err != nil {
				return fmt.Errorf("%s: %w", spotName(name), err)
			}
		}
		if err := putBack(s.spot(name), s.isShared); err != nil {
			return fmt.Errorf("%s: %w", spotName(name), err)
		}
	}
	if said[envKey] == "" {
		return nil
	}
	if err := putBack(s.Root, func(string) bool { return said[envKey] == "none" }); err != nil {
		return err
	}
	s.say("The .env is the one from before")
	if os.Getenv(VarCached) != "1" {
		return nil
	}
	dir := s.application(s.Root)
	if s.current() != "" {
		dir = s.application(s.path(CurrentLink))
	}
	switch _, err := os.Stat(filepath.Join(dir, "bootstrap/cache/config.php")); {
	case errors.Is(err, fs.ErrNotExist): // nothing is cached
		return nil
	case err != nil:
		return fmt.Errorf("look for the cached configuration: %w", err)
	}
	cmd := exec.Command("php", "artisan", "config:cache")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, s.out, s.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cache the configuration from before: %w", err)
	}
	return nil
}

// putBack undoes what was done to a directory's .env. ours reports whether the one that is there is new, where nothing was set aside.
func putBack(dir string, ours func(path string) bool) error {
	path, before := filepath.Join(dir, envName), filepath.Join(dir, envBefore)
	if _, err := os.Lstat(before); err == nil {
		if err := os.Rename(before, path); err != nil {
			return err
		}
		_ = os.Remove(before) // rename(2) leaves two names of one file as they are
		return nil
	}
	if !ours(path) {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (s *Site) isShared(path string) bool { return s.linksTo(path, s.path(envName)) }

// Keep forgets what was there before.
func (s *Site) Keep() error {
	dirs := []string{s.Root}
	all, err := s.spots()
	if err != nil {
		return err
	}
	for _, name := range all {
		dirs = append(dirs, s.spot(name))
	}
	for _, dir := range dirs {
		for _, name := range []string{envBefore, envNext} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("forget the .env from before: %w", err)
			}
		}
	}
	return nil
}
