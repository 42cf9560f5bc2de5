package release

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// envLocal is read above .env by Symfony, Next.js and what is built with Vite. Their repositories bring a .env, with the values that hold
// everywhere (symfony.com, "Configuring Environment Variables in .env Files").
const envLocal = ".env.local"

// readersOfLocal are files beside the .env of an application that reads .env.local above it.
var readersOfLocal = []string{"bin/console", "next.config.*", "vite.config.*", "svelte.config.*", "astro.config.*"}

// envLink returns the name under which an application finds the site's .env: .env.local where the repository has a .env of its own that
// is read below it. Laravel reads one file, though Vite builds its pages.
func (s *Site) envLink(dir string) string {
	local := filepath.Join(dir, envLocal)
	if s.isShared(local) {
		return envLocal
	}
	if _, err := os.Lstat(local); err == nil {
		return envName
	}
	if st, err := os.Lstat(filepath.Join(dir, envName)); err != nil || !st.Mode().IsRegular() {
		return envName
	}
	if _, err := os.Stat(filepath.Join(dir, "artisan")); err == nil {
		return envName
	}
	for _, name := range readersOfLocal {
		if found, err := filepath.Glob(filepath.Join(quoteGlob(dir), name)); err == nil && len(found) > 0 {
			return envLocal
		}
	}
	return envName
}

// quoteGlob returns the pattern that matches a path only.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// shareEnv links the site's .env in an application, and says what its repository's file has alone where that file makes room.
func (s *Site) shareEnv(dir string) error {
	name := s.envLink(dir)
	at := filepath.Join(dir, name)
	if name == envLocal {
		s.say("Linked %s: the repository's .env holds where the site's environment does not say otherwise", envLocal)
	} else if lost := lostNames(at, s.path(envName)); len(lost) > 0 {
		s.say("The site's environment replaces the repository's .env, and lacks %s", strings.Join(lost, ", "))
	}
	return link(at, s.path(envName))
}

// assigned matches the beginning of a line of .env that gives a variable a value.
var assigned = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=`)

// lostNames returns the variables that a repository's file has and the site's lacks.
func lostNames(brought, own string) []string {
	if st, err := os.Lstat(brought); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	names := func(path string) (out []string) {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for _, m := range assigned.FindAllSubmatch(raw, -1) {
			if name := string(m[1]); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return out
	}
	has := names(own)
	return slices.DeleteFunc(names(brought), func(name string) bool { return slices.Contains(has, name) })
}
