package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/executable"
)

// A file that names a version of Node of another release line than the site has is pointed out in the log; what names none is left alone.
func TestVersionFilesAreComparedWithNode(t *testing.T) {
	bin := t.TempDir()
	executable.Write(t, filepath.Join(bin, "node"), "#!/bin/sh\necho v18.19.0\n")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a line":                {map[string]string{".nvmrc": "22\n"}, ".nvmrc asks for Node 22, and the site has 18.19.0"},
		"as nvm writes it":      {map[string]string{".nvmrc": "v20.11.1"}, ".nvmrc asks for Node 20.11.1, and the site has 18.19.0"},
		"from Windows":          {map[string]string{".node-version": "22.1.0\r\n"}, ".node-version asks for Node 22.1.0"},
		"among other tools":     {map[string]string{".tool-versions": "ruby 3.2.2\nnodejs 24.1.0 # for the build\n"}, ".tool-versions asks for Node 24.1.0"},
		"with a comment":        {map[string]string{".nvmrc": "# for the build\n24\n"}, ".nvmrc asks for Node 24"},
		"the same line":         {map[string]string{".nvmrc": "18.2.0\n"}, ""},
		"a name of a line":      {map[string]string{".nvmrc": "lts/*\n"}, ""},
		"a range":               {map[string]string{".nvmrc": ">=20\n"}, ""},
		"no version":            {map[string]string{".nvmrc": "\x00\xff$(id)\n"}, ""},
		"the first that is set": {map[string]string{".node-version": "20\n", ".nvmrc": "22\n"}, ".node-version asks for Node 20"},
		"nothing":               {map[string]string{"index.js": "1"}, ""},
	} {
		s := newSite(t)
		s.commit("first", c.files)
		out, err := s.deployment("1", nil, "create", "activate")
		if err != nil || strings.Contains(out, "asks for") != (c.want != "") || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v, the log is %q and lacks %q", name, err, out, c.want)
		}
	}
	s := newSite(t)
	s.commit("first", map[string]string{".nvmrc": "18", "backend/.nvmrc": "22"})
	if out, err := s.deployment("1", map[string]string{"HOSTLER_APPLICATION": "backend"}, "create", "activate"); err != nil ||
		!strings.Contains(out, "asks for Node 22") {
		t.Errorf("below the top: %v: %q", err, out)
	}
	s.commit("second", map[string]string{".nvmrc": "20", "apps/web/index.js": "1"})
	if out, err := s.deployment("2", map[string]string{"HOSTLER_APPLICATION": "apps/web"}, "create", "activate"); err != nil ||
		!strings.Contains(out, "asks for Node 20") {
		t.Errorf("at the top of a repository with several: %v: %q", err, out)
	}
}
