package clients

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/description"
)

func samples(t *testing.T) map[string][]Sample {
	t.Helper()
	raw, err := os.ReadFile("../edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Samples(raw)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The reference has the samples of the description.
func TestSamplesAreThoseOfTheDescription(t *testing.T) {
	t.Parallel()
	const file = "../edge/api/samples.json.gz"
	want := map[string][][2]string{}
	for id, all := range samples(t) {
		for _, s := range all {
			want[id] = append(want[id], [2]string{s.Client, s.Text})
		}
	}
	if *update {
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err := errors.Join(json.NewEncoder(w).Encode(want), w.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][][2]string{}
	if err := json.NewDecoder(r).Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s is not made from the description (%v): go test ./internal/clients -run Description -update", file, err)
	}
}

// What the reference shows for Go can be built: every call of it.
func TestSamplesForGoAreBuilt(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("package main\n\nimport (\n\t\"context\"\n\t\"io\"\n\n\t\"github.com/hostlerhq/hostler/client/hostler\"\n)\n\n")
	text.WriteString("func main() {\n\tctx := context.Background()\n\tvar c *hostler.Client\n")
	f := form(t)
	calls := 0
	for id, all := range samples(t) {
		call := f.Calls[slices.IndexFunc(f.Calls, func(c description.Call) bool { return c.ID == id })]
		for _, s := range all {
			if s.Client != golang {
				continue
			}
			calls++
			text.WriteString("\t{\n")
			for _, p := range call.Parameters {
				kind := "string"
				if p.Shape.Kind == description.KindWhole {
					kind = "hostler.ID"
				}
				text.WriteString("\t\tvar " + SampleName(p) + " " + kind + "\n")
			}
			if call.File != "" {
				text.WriteString("\t\tname, content := \"\", []byte{}\n")
			}
			if call.Raw {
				text.WriteString("\t\tvar content io.Reader\n")
			}
			line := s.Text
			for _, name := range regexp.MustCompile(`\b(\w+)\.Number\(\)`).FindAllStringSubmatch(line, -1) {
				if !strings.Contains(text.String()[strings.LastIndex(text.String(), "\t{\n"):], "var "+name[1]+" ") {
					text.WriteString("\t\tvar " + name[1] + " hostler.ID\n")
				}
			}
			results, _, _ := strings.Cut(strings.TrimPrefix(line, "for "), " := ")
			if use := "_, _, _ = " + results; strings.HasPrefix(line, "for ") {
				line = strings.Replace(line, "{ … }", "{ _, _ = "+results+" }", 1)
			} else {
				use = strings.Repeat("_, ", strings.Count(results, ","))
				line += "\n\t\t" + use + "_ = " + results
			}
			text.WriteString("\t\t" + line + "\n\t}\n")
		}
	}
	text.WriteString("}\n")
	if calls < 300 {
		t.Errorf("only %d samples", calls)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	at, err := filepath.Abs("samples/main.go")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {at: file}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", os.DevNull, "./samples").CombinedOutput(); err != nil {
		t.Errorf("%v: %.3000s", err, out)
	}
}

// The samples of an operation are as a reader would write them.
func TestSamples(t *testing.T) {
	t.Parallel()
	want := map[string][]Sample{
		"organizations.servers.firewall-rules.store": {
			{Client: "Command line", Text: "hostler firewall create $SERVER example --port 8080 --type allow"},
			{Client: "curl", Text: `curl -H "Authorization: Bearer $HOSTLER_TOKEN" -X POST -H 'Content-Type: application/json' ` +
				`-d '{"name":"example","port":"8080","type":"allow"}' "$HOSTLER_URL/orgs/$ORG/servers/$SERVER/firewall-rules"`},
			{Client: "Go", Text: "rule, response, err := c.Firewall.Create(ctx, organization, serverID, " +
				`hostler.CreateFirewallRuleRequest{Name: "example", Port: hostler.Set("8080"), Type: "allow"})`},
			{Client: "TypeScript", Text: "const { data } = await hostler.firewall.create(organization, serverID, { name: 'example', port: '8080', type: 'allow' })"},
			{Client: "Terraform", Text: "resource \"hostler_firewall_rule\" \"example\" {\n  server_id = var.server_id\n"},
		},
		"organizations.servers.background-processes.actions.store": {
			{Client: "Command line", Text: "hostler processes empty-log $SERVER $BACKGROUND_PROCESS\nhostler processes restart $SERVER $BACKGROUND_PROCESS"},
		},
		"organizations.events.stream": {
			{Client: "Command line", Text: "hostler events follow"},
			{Client: "curl", Text: `curl -H "Authorization: Bearer $HOSTLER_TOKEN" -N "$HOSTLER_URL/orgs/$ORG/events/stream"`},
			{Client: "Go", Text: "for message, err := range c.Events.Stream(ctx, organization) { … }"},
			{Client: "TypeScript", Text: "for await (const message of hostler.events.stream(organization)) { … }"},
		},
		// The id of another resource is a variable, between the ends of what a shell leaves alone.
		"organizations.teams.recipes.store": {
			{Client: "Command line", Text: "hostler team-recipes create $TEAM --recipe $RECIPE"},
			{Client: "curl", Text: `curl -H "Authorization: Bearer $HOSTLER_TOKEN" -X POST -H 'Content-Type: application/json' ` +
				`-d '{"recipe_id":'$RECIPE'}' "$HOSTLER_URL/orgs/$ORG/teams/$TEAM/recipes"`},
		},
	}
	got := samples(t)
	for id, all := range want {
		for i, w := range all {
			if len(got[id]) <= i || !strings.HasPrefix(got[id][i].Text, w.Text) || got[id][i].Client != w.Client {
				t.Errorf("%s: sample %d of %q is not %q", id, i, got[id], w)
			}
		}
	}
	if got["auth.login"] != nil {
		t.Error("what no token can call has samples")
	}
}

// What examples send are fields of their operations, or parameters of the query where there is no body.
func TestExamplesAreFields(t *testing.T) {
	t.Parallel()
	f := form(t)
	for _, c := range f.Calls {
		known := c.Query
		if c.Body != "" {
			known = f.Types[slices.IndexFunc(f.Types, func(o description.Object) bool { return o.Name == c.Body })].Members
		}
		for name := range c.Example {
			if !slices.ContainsFunc(known, func(m description.Member) bool { return m.Name == name }) {
				t.Errorf("%s has no field %s", c.ID, name)
			}
		}
	}
}
