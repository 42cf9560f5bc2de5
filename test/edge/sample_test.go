package edge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/clients"
	forms "github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// sampled is an operation with its samples.
type sampled struct {
	call forms.Call
	all  []clients.Sample
}

// readSamples returns what the reference prints, in the order of operations.
func readSamples(t *testing.T) []sampled {
	t.Helper()
	raw, err := os.ReadFile("../../internal/edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	all, err := clients.Samples(raw)
	if err != nil {
		t.Fatal(err)
	}
	form, err := forms.ReadForm(raw)
	if err != nil {
		t.Fatal(err)
	}
	var out []sampled
	for _, c := range form.Calls {
		out = append(out, sampled{c, all[c.ID]})
	}
	return out
}

// What the reference prints runs as it is printed, with the variables set: all of the firewall's, and ten operations that are drawn; HOSTLER_SAMPLES=all runs
// everything, a number draws as many, and HOSTLER_SAMPLES_SEED repeats a draw.
func TestSamplesRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not here")
	}
	seed, count := rand.Uint64(), 10
	if text := os.Getenv("HOSTLER_SAMPLES_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	all := readSamples(t)
	if text := os.Getenv("HOSTLER_SAMPLES"); text == "all" {
		count = len(all)
	} else if text != "" {
		count, _ = strconv.Atoi(text)
	}
	t.Logf("HOSTLER_SAMPLES_SEED=%d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	left := count
	all = slices.DeleteFunc(all, func(s sampled) bool {
		left--
		return left < 0 && s.call.Noun != "firewall"
	})
	programs := buildSamples(t, all)
	for _, one := range all {
		for _, s := range one.all {
			if s.Client == "Terraform" {
				continue // tried by make terraform
			}
			t.Run(one.call.ID+"/"+s.Client, func(t *testing.T) {
				t.Parallel()
				if programs[s.Client] == nil {
					t.Skip("the compiler is not here: npm ci in web/")
				}
				runSample(t, one, s, programs[s.Client])
			})
		}
	}
}

// runner returns what runs a sample: the program with its arguments.
type runner func(t *testing.T, one sampled, s clients.Sample) []string

func runSample(t *testing.T, one sampled, s clients.Sample, by runner) {
	w := World(t, db.SQLite)
	scene := scenarioOf(one.call.ID)
	if scene.before != nil {
		scene.before(w, w.mine)
	}
	dir := t.TempDir()
	for name, text := range s.Files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	argv := by(t, one, s)
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOSTLER_URL="+w.URL+"/api", "HOSTLER_TOKEN="+w.owner.Token, fmt.Sprintf("ALLOWED=%d", allowed(one)),
		"HOSTLER_ORG="+w.mine.slug, "ORG="+w.mine.slug)
	at := map[string]string{
		"server": w.mine.server, "database": w.mine.database, "storage_provider": w.mine.storage, "dns_provider": w.mine.dnsProvider, "role": "5",
		"credential": w.mine.credential, "recipe": w.mine.recipe, "other_server": w.mine.balancer, "archive": w.mine.server,
	}
	maps.Copy(at, scene.at(w.mine))
	if at["server"] == w.mine.balancer {
		at["other_server"] = w.mine.server
	}
	if one.call.ID == "organizations.servers.network.update" { // it makes servers that reach each other
		body, _ := scene.body(w, 1).(map[string]any)
		at["other_server"] = strings.Trim(fmt.Sprint(body["servers"]), "[]")
	}
	for name, v := range at {
		cmd.Env = append(cmd.Env, forms.Placeholder(name)+"="+v)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s\n%v: %.1500s", s.Text, err, out)
	}
}

// buildSamples returns how the samples of each client are run.
func buildSamples(t *testing.T, all []sampled) map[string]runner {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	shell := func(_ *testing.T, one sampled, s clients.Sample) []string {
		// A stream has no end. What asks gets --yes. Without a host, and with nothing that is outside, some are refused as in the matrix.
		return []string{"bash", "-euc", fmt.Sprintf(`
			curl() {
				local code=0
				got=$(command curl -sS %[1]s -o answer -w '%%{http_code}' "$@") || code=$?
				if [[ $got == %[2]d ]]; then return; fi
				if [[ $got != 2* ]] || ((code != 0 && code != 28)); then echo "$got"; cat answer; return 1; fi
			}
			hostler() {
				local yes='' code=0
				if %[3]s "$@" --help | grep -q -- --yes; then yes=--yes; fi
				%[5]s %[3]s "$@" $yes 2>wrong || code=$?
				cat wrong
				if grep -qE -- '--help|^hostler: (unknown|required|accepts|invalid|flag)' wrong; then return 1; fi # it never asked
				((code == 0 || code == 124 || %[2]d != 0))
			}
			%[4]s`, map[bool]string{true: "--max-time 2"}[one.call.Answer == forms.Stream], allowed(one), program,
			strings.ReplaceAll(s.Text, "\n", "\n\t\t\t"), map[bool]string{true: "timeout -s INT 3"}[one.call.Answer == forms.Stream])}
	}
	return map[string]runner{"curl": shell, "Command line": shell, "Go": goRunner(t, all), "TypeScript": scriptRunner(t, all)}
}

// refusedSamples are refused as what they name is outside, or of the reader: with a status, and why.
var refusedSamples = map[string]int{
	"organizations.source-control-providers.store":          422, // GitHub does not take the token
	"organizations.storage-providers.store":                 422, // the keys are none
	"organizations.storage-providers.update":                422,
	"organizations.servers.sites.integrations.reverb.store": 422, // the host is none of this site
	"organizations.servers.sites.healthcheck.update":        422, // likewise
	"organizations.server-credentials.vpcs.store":           422, // the network of another test is called so
	"organizations.servers.key.update":                      409, // there is no host
	"organizations.servers.sites.files.upload":              409,
	"organizations.servers.sites.files.destroy":             409,
	"organizations.servers.sites.logs.application.stream":   409, // the command reads the log once
	"organizations.servers.sites.logs.nginx-access.stream":  409,
	"organizations.servers.sites.logs.nginx-error.stream":   409,
}

// allowed is the status with which an operation is refused in these tests, as there is no host; 0 for none.
func allowed(one sampled) int {
	return cmp.Or(refusedSamples[one.call.ID], scenarioOf(one.call.ID).allowed)
}

// goRunner builds one program of all samples for Go, which runs the one that is named.
func goRunner(t *testing.T, all []sampled) runner {
	t.Helper()
	var text strings.Builder
	text.WriteString("package main\n\nimport (\n\t\"bytes\"\n\t\"context\"\n\t\"errors\"\n\t\"fmt\"\n\t\"os\"\n\t\"time\"\n\n" +
		"\t\"github.com/hostlerhq/hostler/client\"\n\t\"github.com/hostlerhq/hostler/client/hostler\"\n)\n\n" + `
const patience = time.Minute

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := hostler.New(os.Getenv("HOSTLER_URL"), os.Getenv("HOSTLER_TOKEN"))
	if err == nil {
		err = run(ctx, c)
	}
	var refused *client.Error
	if errors.As(err, &refused) && fmt.Sprint(refused.Status) == os.Getenv("ALLOWED") {
		err = nil
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c *hostler.Client) error {
	name, content := "redirects.csv", []byte("/old,/new,301\\n")
	_, _ = name, content
	switch os.Args[1] {
`)
	for _, one := range all {
		for _, s := range one.all {
			if s.Client != "Go" {
				continue
			}
			fmt.Fprintf(&text, "\tcase %q:\n", one.call.ID)
			for name, kind := range variables(one, s.Text, regexp.MustCompile(`\b(\w+)ID\.Number\(\)`)) {
				fmt.Fprintf(&text, "\t\tvar %s %s = %s\n", name, map[bool]string{true: "hostler.ID", false: "string"}[kind.id],
					map[bool]string{true: "hostler.ID(", false: "("}[kind.id]+"os.Getenv("+strconv.Quote(kind.variable)+"))")
			}
			line := s.Text
			if one.call.Answer == forms.Stream { // it has no end
				text.WriteString("\t\tctx, cancel := context.WithTimeout(ctx, 2*time.Second)\n\t\tdefer cancel()\n")
			}
			if one.call.Raw {
				line = "content := bytes.NewReader(content)\n\t\t" + line
			}
			results, _, _ := strings.Cut(s.Text, " := ")
			if strings.HasPrefix(s.Text, "for ") {
				_, names, _ := strings.Cut(results, " ")
				line = strings.Replace(line, "{ … }",
					"{\n\t\t\tif err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\t_, _ = "+names+"\n\t\t\tbreak\n\t\t}\n\t\treturn nil", 1)
			} else {
				line += "\n\t\t" + strings.Repeat("_, ", strings.Count(results, ",")) + "_ = " + results + "\n\t\treturn err"
			}
			text.WriteString("\t\t" + line + "\n")
		}
	}
	text.WriteString("\t}\n\treturn errors.New(\"there is no such sample\")\n}\n\nvar _ = bytes.NewReader\n")
	dir := t.TempDir()
	file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "samples")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {absolute(t, "../../internal/clients/samples/main.go"): file}})
	if err = cmp.Or(err, os.WriteFile(file, []byte(text.String()), 0o644), os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644)); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./internal/clients/samples")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %.3000s", err, out)
	}
	return func(_ *testing.T, one sampled, _ clients.Sample) []string { return []string{program, one.call.ID} }
}

// scriptRunner compiles the client and writes a module for each sample for TypeScript. The types are held by TestTypeScriptClient.
func scriptRunner(t *testing.T, all []sampled) runner {
	t.Helper()
	compiler := absolute(t, "../../web/node_modules/typescript/bin/tsc")
	if _, err := os.Stat(compiler); err != nil {
		return nil
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "node", compiler, "-p", "../../clients/typescript", "--outDir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		for _, s := range one.all {
			if s.Client != "TypeScript" {
				continue
			}
			var text strings.Builder
			text.WriteString("import { Hostler, HostlerError } from './index.js';\n" +
				"const hostler = new Hostler({ url: process.env.HOSTLER_URL, token: process.env.HOSTLER_TOKEN });\n" +
				"const name = 'redirects.csv', content = new Blob(['/old,/new,301\\n']);\n")
			for name, kind := range variables(one, s.Text, regexp.MustCompile(`Number\((\w+)ID\)`)) {
				fmt.Fprintf(&text, "const %s = process.env.%s;\n", name, kind.variable)
			}
			if one.call.Answer == forms.Stream { // it has no end
				text.WriteString("setTimeout(() => process.exit(0), 2000);\n")
			}
			text.WriteString("try {\n" + strings.Replace(s.Text, "{ … }", "{ break; }", 1) + ";\n} catch (error) {\n" +
				"if (!(error instanceof HostlerError && String(error.status) === process.env.ALLOWED)) throw error;\n}\nprocess.exit(0);\n")
			if err := os.WriteFile(filepath.Join(dir, one.call.ID+".js"), []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return func(_ *testing.T, one sampled, _ clients.Sample) []string {
		return []string{"node", filepath.Join(dir, one.call.ID+".js")}
	}
}

// a variable of a program.
type given struct {
	// variable is what it is called in a shell.
	variable string
	// id is set for an id.
	id bool
}

// variables returns those of a sample for a program, by their names: parameters of the path, and ids in the body.
func variables(one sampled, text string, inBody *regexp.Regexp) map[string]given {
	out := map[string]given{}
	for _, p := range one.call.Parameters {
		variable := forms.Placeholder(p.Name)
		if p.Name == "organization" {
			variable = "ORG"
		}
		out[clients.SampleName(p)] = given{variable, p.Shape.Kind == forms.KindWhole}
	}
	for _, found := range inBody.FindAllStringSubmatch(text, -1) {
		out[found[1]+"ID"] = given{forms.Placeholder(found[1]), true}
	}
	return out
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
