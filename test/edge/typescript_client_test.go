package edge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/clients"
	forms "github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// The TypeScript client is compiled, has a function for each operation, and does what its scenario says.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	compiler, err := filepath.Abs("../../web/node_modules/typescript/bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not here")
	}
	if _, err := os.Stat(compiler); err != nil {
		t.Skip("the compiler is not here: npm ci in web/")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "node", compiler, "-p", "../../clients/typescript", "--outDir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := compileSamples(t, compiler, dir); err != nil {
		t.Errorf("samples of the reference: %v: %.2000s", err, out)
	}
	w := World(t, db.SQLite)
	run := exec.CommandContext(t.Context(), "node", "../../clients/typescript/test/scenario.mjs")
	run.Env = append(os.Environ(), "CLIENT="+filepath.Join(dir, "index.js"), "PANEL="+w.URL, "TOKEN="+w.owner.Token, "SERVER="+w.mine.server, "SITE="+w.mine.site)
	var wrong bytes.Buffer
	run.Stderr = &wrong
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	lines, ended := bufio.NewScanner(out), false
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		what, raw, _ := strings.Cut(lines.Text(), " ")
		var text string
		if what != "METHODS" {
			_ = json.Unmarshal([]byte(raw), &text)
		}
		switch what {
		case "METHODS":
			var methods map[string][]string
			if err := json.Unmarshal([]byte(raw), &methods); err != nil {
				t.Fatal(err)
			}
			everyFunction(t, methods)
		case "SAY":
			w.say(text, "opening\n")
		case "DONE":
			w.ended("/orgs/acme/servers/"+w.mine.server+"/firewall-rules/"+text, true)
		case "FAIL":
			w.ended("/orgs/acme/servers/"+w.mine.server+"/firewall-rules/"+text, false, "The server refused it.")
		case "END":
			ended = true
		default:
			t.Errorf("it says %s", lines.Text())
		}
	}
	if err := run.Wait(); err != nil || !ended {
		t.Errorf("ended %v: %v\n%s", ended, err, wrong.String())
	}
}

// everyFunction checks that each operation that a token can call has its function, by noun and verb.
func everyFunction(t *testing.T, methods map[string][]string) {
	t.Helper()
	raw, err := os.ReadFile("../../internal/edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	form, err := forms.ReadForm(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range form.Calls {
		if noun, name := call.FunctionName(); !slices.Contains(methods[noun], name) {
			t.Errorf("%s has no function %s of %s", call.ID, name, noun)
		}
	}
}

// compileSamples compiles what the reference prints for TypeScript.
func compileSamples(t *testing.T, compiler, dir string) ([]byte, error) {
	t.Helper()
	names := map[string]bool{}
	var calls strings.Builder
	for _, one := range readSamples(t) {
		for _, s := range one.all {
			if s.Client != "TypeScript" {
				continue
			}
			calls.WriteString("{ " + strings.Replace(s.Text, "{ … }", "{}", 1) + "; }\n")
			for _, p := range one.call.Parameters {
				names[clients.SampleName(p)] = true
			}
			for _, name := range regexp.MustCompile(`Number\((\w+)\)`).FindAllStringSubmatch(s.Text, -1) {
				names[name[1]] = true
			}
		}
	}
	text := "import type { Hostler } from './index.js';\ndeclare const hostler: Hostler, content: Blob, name: string, " +
		strings.Join(slices.Sorted(maps.Keys(names)), ": string, ") + ": string;\n" + calls.String() + "export {};\n"
	if err := os.WriteFile(filepath.Join(dir, "samples.ts"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "node", compiler, "--noEmit", "--strict", "--target", "ES2022",
		"--lib", "ES2022,DOM,DOM.AsyncIterable", "--module", "NodeNext", filepath.Join(dir, "samples.ts")).CombinedOutput()
}
