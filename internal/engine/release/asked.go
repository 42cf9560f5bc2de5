package release

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// versionFiles are the files in which an application names the version of Node that it is for, as nvm, nodenv and asdf read them, and
// what stands before the version there. Names of release lines (lts/*) and ranges are not compared.
var versionFiles = []struct {
	name string
	line *regexp.Regexp
}{
	{".node-version", regexp.MustCompile(`^v?(\d{1,3}(?:\.\d+){0,2})$`)},
	{".nvmrc", regexp.MustCompile(`^v?(\d{1,3}(?:\.\d+){0,2})$`)},
	{".tool-versions", regexp.MustCompile(`^nodejs\s+v?(\d{1,3}(?:\.\d+){0,2})$`)},
}

// maxVersionFile is how much of such a file is read.
const maxVersionFile = 4 << 10

// asked returns the version of Node that the application in a directory is for, and the file that says so; "" for none.
func asked(dir string) (version, file string) {
	for _, f := range versionFiles {
		in, err := os.Open(filepath.Join(dir, f.name))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(io.LimitReader(in, maxVersionFile)); version == "" && lines.Scan(); {
			line, _, _ := strings.Cut(lines.Text(), "#")
			if m := f.line.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				version, file = m[1], f.name
			}
		}
		_ = in.Close()
		if version != "" {
			return version, file
		}
	}
	return "", ""
}

// tellNode says in the log if the application in a directory is for another release line of Node than the deploy script finds.
func (s *Site) tellNode(dir string) {
	version, file := asked(filepath.Join(dir, s.Application))
	for at := s.Application; version == "" && at != "" && at != "."; { // nvm looks in the directories above too
		at = filepath.Dir(at)
		version, file = asked(filepath.Join(dir, at))
	}
	if version == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	has := strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
	line := func(v string) string { line, _, _ := strings.Cut(v, "."); return line }
	if err != nil || line(has) == line(version) {
		return
	}
	s.say("%s asks for Node %s, and the site has %s: another version is chosen in the site's settings.", file, version, has)
}
