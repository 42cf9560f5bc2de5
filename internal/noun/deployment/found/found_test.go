package found_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/noun/deployment/found"
)

func filesOf(m map[string]string) (out []release.File) {
	for path, content := range m {
		out = append(out, release.File{Path: path, Content: content})
	}
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// said returns an application as one line: name, type, runtime with version and what asks for it, and how it is started.
func said(a *found.Application) string {
	if a == nil {
		return "nothing"
	}
	out := a.Name + ", " + a.Type
	if r := a.Runtime; r != nil {
		out += ", " + strings.TrimSpace(r.Name+" "+text(r.Version))
		if r.Asks != nil {
			out += " (" + *r.File + ": " + *r.Asks + ")"
		}
	}
	if a.PackageManager != nil {
		out += ", " + *a.PackageManager
	}
	if a.StartCommand != nil {
		out += ": " + *a.StartCommand
	}
	return out
}

// example is a repository as its framework's own tool makes it, or as people have it, and what is said of it.
type example struct {
	Name      string            `json:"name"`
	Files     map[string]string `json:"files"`
	Directory string            `json:"directory"`
	Has       found.Has         `json:"has"`
	Want      json.RawMessage   `json:"want"`
}

func examples(t *testing.T, name string) (out []example) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil || len(out) == 0 {
		t.Fatalf("read %s: %d, %v", name, len(out), err)
	}
	return out
}

// Some are of railwayapp/nixpacks#616, #1190 and #1330, coollabsio/coolify#10177 and volta-cli/volta#2050.
func TestApplications(t *testing.T) {
	t.Parallel()
	for _, e := range examples(t, "applications.json") {
		var want string
		if err := json.Unmarshal(e.Want, &want); err != nil {
			t.Fatal(err)
		}
		if got := said(found.Of(filesOf(e.Files), e.Directory)); got != want {
			t.Errorf("%s: %s; want %s", e.Name, got, want)
		}
	}
}

// A proposal changes only what does not fit.
func TestProposals(t *testing.T) {
	t.Parallel()
	for _, e := range examples(t, "proposals.json") {
		got, err := json.Marshal(found.Of(filesOf(e.Files), "").Propose(e.Has))
		var want bytes.Buffer
		if err := errors.Join(err, json.Compact(&want, e.Want)); err != nil || string(got) != want.String() {
			t.Errorf("%s: %s (%v); want %s", e.Name, got, err, &want)
		}
	}
}

// Ranges are read as npm reads them: where its own library allows a version, so does this, and where it does not, neither.
func TestRangesAsNpmReadsThem(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("npm", "root", "-g").Output()
	if err != nil {
		t.Skip("npm is not installed here")
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "npm/node_modules/semver")
	if _, err := os.Stat(library); err != nil {
		t.Skip("this npm has no semver of its own")
	}
	ranges := strings.Split("22;22.x;22.*;v22.1.0;=22.1.0;>=20;>=20.9.0;>= 20;^22;^22.4.0;^20.9 || ^22;20 || 22;20||22;>=18 <23;"+
		">=18.0.0 <23.0.0;~22.1;~22.1.3;18 - 22;18.0.0 - 22.4;>20;>20.0;<24;<=22;<=22.4;*;;x;"+
		"^18.12.0 || ^20.0.0 || >=22.0.0;>=20.19.0 <21 || >=22.12;>=14.0.0 <15 || >16;!=20;22.1;22.1.x;^22.x;~22;"+
		">=22.x; 22 ;20 22;>=20,<23;1e3;>=20.9.0 || >=21.1;=20;^0.12;>=20 || 18;20.x.x;~>22.1;>=  20.9  <  23", ";")
	versions := strings.Fields("18.0.0 20.0.0 20.8.999 20.9.0 20.999.999 22.0.0 22.1.0 22.1.3 22.4.0 22.999.999 24.0.0 24.999.999 26.0.0")
	ask, err := json.Marshal([]any{ranges, versions})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", `const s = require(process.argv[1]), [ranges, versions] = JSON.parse(process.argv[2]);
		console.log(JSON.stringify(ranges.map(r => versions.map(v => s.validRange(r) !== null && s.satisfies(v, r)))))`, library, string(ask))
	out, err := cmd.Output()
	var want, got [][]bool
	if err != nil || json.Unmarshal(out, &want) != nil {
		t.Fatalf("ask npm's semver: %v\n%s", err, out)
	}
	for _, r := range ranges {
		var row []bool
		for _, v := range versions {
			row = append(row, found.Allows(r, v))
		}
		got = append(got, row)
	}
	for i, r := range ranges {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("%q (-npm +here):\n%s", r, diff)
		}
	}
}

var update = flag.Bool("update", false, "write the presets of the dashboard")

// The form of a new site offers what a check would propose for the usual application of each framework.
func TestPresets(t *testing.T) {
	t.Parallel()
	type preset struct {
		Name         string `json:"name"`
		Runtime      string `json:"runtime"`
		Version      string `json:"version,omitempty"`
		StartCommand string `json:"start_command"`
	}
	uses := func(packages ...string) map[string]string {
		needs := strings.Join(packages, `": "1", "`)
		return map[string]string{"package.json": `{"scripts": {"start": "x"}, "dependencies": {"` + needs + `": "1"}}`}
	}
	var all []preset
	for _, files := range []map[string]string{
		{"manage.py": `("DJANGO_SETTINGS_MODULE", "app.settings")`}, {"requirements.txt": "fastapi"}, {"requirements.txt": "flask", "app.py": ""},
		{"Gemfile": "gem 'rails'"},
		{"go.mod": "module app"}, {"deno.json": "{}"},
		uses("express"), uses("@nestjs/core"), uses("@adonisjs/core"), uses("@react-router/node"), uses("@remix-run/node"),
		uses("@sveltejs/kit", "@sveltejs/adapter-node"), uses("astro", "@astrojs/node"),
	} {
		a := found.Of(filesOf(files), "")
		p := a.Propose(found.Has{Type: "custom", Program: true})
		if p == nil || p.Runtime == nil || p.StartCommand == nil {
			t.Fatalf("%s: the proposal %v is no preset", a.Name, p)
		}
		all = append(all, preset{a.Name, *p.Runtime, text(p.RuntimeVersion), *p.StartCommand})
	}
	want, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../../../web/src/pages/site/presets.json"
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if has, err := os.ReadFile(path); err != nil || string(has) != string(want) {
		t.Errorf("%s is not what is proposed (%v): go test ./internal/noun/deployment/found -run Presets -update", path, err)
	}
}
