// Package manager is yarn, pnpm and bun in the scripts of sites, for servers that have Node and npm only: npm fetches the version that the project names, for
// the site's own account. An installed one is used where the project names none.
package manager

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// defaults are the versions of projects that name none: those that run with the Node of every supported distribution.
var defaults = map[string]string{"bun": "1", "pnpm": "9", "yarn": "1"}

// Run replaces the process by a package manager with arguments, for the project in dir.
func Run(name string, args []string, dir string) error {
	version := Version(name, dir)
	if version == "" {
		if installed := find(name); installed != "" {
			return fmt.Errorf("start %s: %w", name, syscall.Exec(installed, append([]string{name}, args...), os.Environ()))
		}
		version = defaults[name]
	}
	npx := find("npx")
	if npx == "" {
		return fmt.Errorf("%s: not found. Hostler would fetch it with npm, which this server does not have: choose a version of Node for the site", name)
	}
	argv := append([]string{"npx", "--yes", "--package", Package(name, version), "--", name}, args...)
	return fmt.Errorf("start npx: %w", syscall.Exec(npx, argv, os.Environ()))
}

// Package returns what npm calls a version of a package manager. The yarn of today is not in the package of the same name (yarnpkg.com, "Installation").
func Package(name, version string) string {
	if name == "yarn" && !strings.HasPrefix(version, "1.") && version != "1" {
		return "@yarnpkg/cli-dist@" + version
	}
	return name + "@" + version
}

// longest is how much of a file is read.
const longest = 1 << 20

// Version returns the version that the project in dir, or in the nearest directory above with a package.json that says so, is written for: packageManager
// (Node's documentation, "package.json"), or what the lock file was written by. It is "" if nothing says so, and for a yarn that the project contains.
func Version(name, dir string) string {
	for {
		if version := named(name, filepath.Join(dir, "package.json")); version != "" {
			return version
		}
		if version, found := locked(name, dir); found {
			return version
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// exact matches a version of packageManager, without the hash of its file.
var exact = regexp.MustCompile(`^(\w+)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+.*)?$`)

// named returns the version that packageManager of a package.json names.
func named(name, path string) string {
	var project struct {
		PackageManager string `json:"packageManager"`
	}
	raw, err := read(path)
	if err != nil || json.Unmarshal(raw, &project) != nil {
		return ""
	}
	if m := exact.FindStringSubmatch(strings.TrimSpace(project.PackageManager)); m != nil && m[1] == name {
		return m[2]
	}
	return ""
}

// writers are the versions that write a lock file, by the version of its format, as its own first lines say.
var writers = map[string]map[string]string{
	"pnpm": {"5.3": "6", "5.4": "7", "6.0": "8", "6.1": "8", "9.0": "9"},
	"yarn": {"4": "2", "5": "3", "6": "3", "7": "4", "8": "4"},
}

// formats find the version of a lock file's format. The first format of yarn has none.
var formats = map[string]struct {
	file   string
	format *regexp.Regexp
}{
	"pnpm": {"pnpm-lock.yaml", regexp.MustCompile(`^lockfileVersion: ['"]?([0-9.]+)['"]?\s*$`)},
	"yarn": {"yarn.lock", regexp.MustCompile(`^  version: (\d+)\s*$`)},
}

// locked returns which version wrote the lock file in dir, and whether there is one.
func locked(name, dir string) (string, bool) {
	lock, ok := formats[name]
	if !ok {
		return "", false
	}
	raw, err := read(filepath.Join(dir, lock.file))
	if err != nil {
		return "", false
	}
	if settings, err := read(filepath.Join(dir, ".yarnrc.yml")); name == "yarn" && err == nil && contained.Match(settings) {
		return "", true // the first yarn starts it
	}
	lines := bufio.NewScanner(strings.NewReader(string(raw[:min(len(raw), 1<<10)])))
	for lines.Scan() {
		if m := lock.format.FindStringSubmatch(lines.Text()); m != nil {
			return writers[name][m[1]], true
		}
	}
	return "", true
}

// contained is in the settings of a project that has its yarn in the repository.
var contained = regexp.MustCompile(`(?m)^yarnPath:`)

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no file", path))
	}
	return io.ReadAll(io.LimitReader(f, longest))
}

// find returns a program in the PATH that is not this one, "" if there is none.
func find(name string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if target, err := filepath.EvalSymlinks(path); err == nil && target != self {
			return path
		}
	}
	return ""
}
