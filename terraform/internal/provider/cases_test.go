package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hostlerhq/hostler/client"
)

// What people met with other providers. The lives try more of it for each resource:
//   - What was deleted elsewhere is made again: https://github.com/BunnyWay/terraform-provider-bunnynet/issues/70,
//     https://github.com/PrefectHQ/terraform-provider-prefect/issues/260.
//   - No state has a secret: https://github.com/cloudflare/terraform-provider-cloudflare/issues/7222.
//   - A list in the API's order is no change: https://github.com/netskopeoss/terraform-provider-netskope/issues/56,
//     https://github.com/FusionAuth/terraform-provider-fusionauth/issues/304.
//   - What the API counts or measures does not make a change fail: https://github.com/batonogov/terraform-provider-threexui/issues/202.

func plans(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
}

// named returns how many of a list have a name.
func (p panel) named(t *testing.T, path, name string) int {
	t.Helper()
	n := 0
	err := p.client.Each(t.Context(), path, func(r client.Resource) bool {
		if r.Attribute("name") == name {
			n++
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Work that fails says why, and leaves nothing that Terraform does not know: https://github.com/hetznercloud/terraform-provider-hcloud/pull/1257,
// https://github.com/CleverCloud/terraform-provider-clevercloud/issues/166.
func TestFailedWork(t *testing.T) {
	p := open(t)
	const address = "hostler_firewall_rule.it"
	config := func(name string) string {
		return p.config("firewall_rule", onServer+"\nport = \"6543\"\ntype = \"allow\"\nname = \""+name+"\"")
	}
	full := regexp.MustCompile(`The disk is full\.`)
	once := func(name string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if n := p.named(t, p.fill("/orgs/acme/servers/@server@/firewall-rules"), name); n != 1 {
				return fmt.Errorf("there are %d rules", n)
			}
			return nil
		}
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{PreConfig: func() { p.failNext(t) }, Config: config("full"), ExpectError: full},
		{Config: config("full"), Check: once("full")},
		{PreConfig: func() { p.failNext(t) }, Config: config("changed"), ExpectError: full},
		{Config: config("changed"), Check: once("changed"), ConfigPlanChecks: plans(address, plancheck.ResourceActionUpdate)},
	}})
}

// What its failed work has left is known, and replaced.
func TestWhatFailedIsReplaced(t *testing.T) {
	p := open(t)
	const address = "hostler_site.it"
	config := p.config("site", onServer+"\ntype = \"static-html\"\nname = \"failed.example.com\"")
	path := p.fill("/orgs/acme/servers/@server@/sites")
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{PreConfig: func() { p.failNext(t) }, Config: config, ExpectError: regexp.MustCompile(`The disk is full\.`)},
		{
			PreConfig: func() {
				if n := p.named(t, path, "failed.example.com"); n != 1 {
					t.Errorf("%d sites are left", n)
				}
			},
			Config: config, ConfigPlanChecks: plans(address, plancheck.ResourceActionReplace),
			Check: func(*terraform.State) error {
				if n := p.named(t, path, "failed.example.com"); n != 1 {
					return fmt.Errorf("there are %d sites", n)
				}
				return nil
			},
		},
	}})
}

// A problem is at the line of its attribute.
func TestProblemsAreAtTheirAttributes(t *testing.T) {
	p := open(t)
	for name, of := range map[string][2]string{
		"firewall_rule": {onServer + "\nport = \"eighty\"\ntype = \"allow\"\nname = \"x\"", `port = "eighty"`},
		"monitor": {
			onServer + "\ntype = \"disk\"\noperator = \"about\"\nthreshold = 1\nminutes = 5\nnotify = \"ops@example.com\"",
			`operator = "about"`,
		},
		"server_credential": {
			"name = \"x\"\nprovider_type = \"unheard\"\nsecret = \"x\"", `provider_type = "unheard"`,
		},
		"security_rule": {
			onSite + "\nname = \"x\"\ncredentials = [{ username = \"a:b\", password = \"x\" }]", `credentials = .*`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
				{Config: p.config(name, of[0]), ExpectError: regexp.MustCompile(`line \d+, in resource "hostler_` + name + `" "it":\s+\d+: ` + of[1])},
			}})
		})
	}
}

// A secret is sent when its version changes, and not before.
func TestSecretIsSentAgain(t *testing.T) {
	p := open(t)
	config := func(value string, version int) string {
		const on = "server_id = \"@other@\"\nsite_id = \"@othersite@\"\n"
		return p.config("site_environment", on+fmt.Sprintf("environment = \"KEY=%s\\n\"\nenvironment_version = %d", value, version))
	}
	has := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			r, err := p.client.One(t.Context(), http.MethodGet, p.fill("/orgs/acme/servers/@other@/sites/@othersite@/environment"), nil)
			if err == nil && !strings.Contains(r.Attribute("content"), "KEY="+want) {
				err = fmt.Errorf("the environment is %q, want %s", r.Attribute("content"), want)
			}
			return err
		}
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: config("one", 1), Check: has("one")},
		{Config: config("two", 1), Check: has("one"), ConfigPlanChecks: plans("hostler_site_environment.it", plancheck.ResourceActionNoop)},
		{Config: config("two", 2), Check: has("two"), ConfigPlanChecks: plans("hostler_site_environment.it", plancheck.ResourceActionUpdate)},
	}})
}

// required is where the provider is, which the framework adds to configurations that are applied and not to those of imports.
func required() string {
	const block = "terraform {\n  required_providers {\n    hostler = {\n      source = \"%s/%s/hostler\"\n    }\n  }\n}\n"
	return fmt.Sprintf(block, os.Getenv("TF_ACC_PROVIDER_HOST"), os.Getenv("TF_ACC_PROVIDER_NAMESPACE"))
}

// What the API does not answer does not replace what was imported: https://github.com/russellcardullo/terraform-provider-pingdom/issues/31,
// https://github.com/planetscale/terraform-provider-planetscale/issues/335.
func TestImportedIsNotReplaced(t *testing.T) {
	p := open(t)
	path := p.fill("/orgs/acme/servers/@server@/ssh-keys")
	answer, err := p.client.Call(t.Context(), http.MethodPost, path, map[string]any{"name": "by hand", "key": p.things["secondkey"]})
	if err != nil {
		t.Fatal(err)
	}
	p.settled(t, answer.Event)
	var made struct {
		Data client.Resource `json:"data"`
	}
	if err := json.Unmarshal(answer.Body, &made); err != nil {
		t.Fatal(err)
	}
	config := required() + p.config("server_ssh_key", onServer+"\nname = \"by hand\"\nkey = \"@secondkey@\"")
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{
			Config: config, ResourceName: "hostler_server_ssh_key.it", ImportState: true, ImportStatePersist: true,
			ImportStateId: p.fill("acme/@server@/" + made.Data.ID),
		},
		{Config: config, ConfigPlanChecks: plans("hostler_server_ssh_key.it", plancheck.ResourceActionUpdate)},
		{Config: strings.Replace(config, "by hand", "by another", 1), ConfigPlanChecks: plans("hostler_server_ssh_key.it", plancheck.ResourceActionReplace)},
	}})
}

func TestImportOfWhatIsNotThere(t *testing.T) {
	p := open(t)
	config := required() + p.config("firewall_rule", onServer+"\nname = \"x\"\ntype = \"allow\"")
	for id, want := range map[string]string{
		"acme/1": `must be\s+organization/server_id/id`, "acme//3": `must be\s+organization/server_id/id`, "acme/@server@/99999": `Cannot import non-existent`,
	} {
		resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
			{Config: config, ResourceName: "hostler_firewall_rule.it", ImportState: true, ImportStateId: p.fill(id), ExpectError: regexp.MustCompile(want)},
		}})
	}
}

func TestOrganizationIsNamed(t *testing.T) {
	p := open(t)
	t.Setenv("HOSTLER_ORG", "")
	recipe := p.config("recipe", "name = \"x\"\nuser = \"root\"\nscript = \"true\"")
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: recipe, ExpectError: regexp.MustCompile("No organization is named")},
		{Config: "data \"hostler_recipes\" \"it\" {\n}", ExpectError: regexp.MustCompile("No organization is named")},
		{Config: "provider \"hostler\" {\norganization = \"acme\"\n}\n" + recipe, Check: resource.TestCheckResourceAttr("hostler_recipe.it", "organization", "acme")},
	}})
}

func TestProviderSaysWhatIsMissing(t *testing.T) {
	p := open(t)
	t.Setenv("HOSTLER_TOKEN", "")
	const config = "data \"hostler_recipes\" \"it\" {\n}"
	found := resource.TestCheckResourceAttrSet("data.hostler_recipes.it", "items.0.id")
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: config, ExpectError: regexp.MustCompile("The token is missing")},
		{Config: "provider \"hostler\" {\ntoken = \"wrong\"\n}\n" + config, ExpectError: regexp.MustCompile("Reading failed")},
		{Config: "provider \"hostler\" {\ntoken = \"" + p.things["token"] + "\"\n}\n" + config, Check: found},
	}})
}

func TestDataSources(t *testing.T) {
	p := open(t)
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{
			Config: p.fill(`
data "hostler_servers" "all" {
  filter = { name = "one" }
}
data "hostler_server" "it" {
  id = data.hostler_servers.all.items[0].id
}
data "hostler_site" "it" {
  id = "@site@"
}
data "hostler_organization" "it" {
}
data "hostler_site_nginx" "it" {
  server_id = "@server@"
  site_id   = "@site@"
}`),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr("data.hostler_server.it", "id", p.things["server"]), resource.TestCheckResourceAttr("data.hostler_server.it", "name", "one"),
				resource.TestCheckResourceAttr("data.hostler_server.it", "provider_type", "custom"),
				resource.TestCheckResourceAttr("data.hostler_site.it", "name", "one.example.com"),
				resource.TestCheckResourceAttr("data.hostler_organization.it", "name", "acme"), resource.TestCheckResourceAttrSet("data.hostler_site_nginx.it", "content"),
			),
		},
		{Config: "data \"hostler_servers\" \"all\" {\nfilter = { colour = \"red\" }\n}", ExpectError: regexp.MustCompile("There is no such filter")},
		{Config: "data \"hostler_server\" \"it\" {\nid = \"99999\"\n}", ExpectError: regexp.MustCompile("Reading failed")},
	}})
}

// What has a secret can be read while Terraform runs.
func TestEphemeral(t *testing.T) {
	p := open(t)
	with := map[string]func() (tfprotov6.ProviderServer, error){"hostler": factories["hostler"], "echo": echoprovider.NewProviderServer()}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: with, Steps: []resource.TestStep{{
		Config: p.fill(`
ephemeral "hostler_heartbeat" "it" {
  server_id = "@server@"
  site_id   = "@site@"
  id        = "@heartbeat@"
}
provider "echo" {
  data = ephemeral.hostler_heartbeat.it
}
resource "echo" "it" {
}`),
		Check: resource.TestMatchResourceAttr("echo.it", "data.ping_url", regexp.MustCompile("^https?://")),
	}}})
}

// A server with what is on it is made, changed and ended in the order that its parts need.
func TestWholeServer(t *testing.T) {
	p := open(t)
	config := func(job string) string {
		return `
resource "hostler_server" "it" {
  name          = "tf-whole"
  provider_type = "custom"
  type          = "app"
  custom        = { ip_address = "198.19.0.9" }
}
resource "hostler_site" "it" {
  server_id = hostler_server.it.id
  type      = "static-html"
  name      = "whole.example.com"
}
resource "hostler_domain" "it" {
  server_id                 = hostler_server.it.id
  site_id                   = hostler_site.it.id
  name                      = "whole.example.org"
  www_redirect_type         = "none"
  allow_wildcard_subdomains = false
}
resource "hostler_background_process" "it" {
  server_id = hostler_server.it.id
  site_id   = hostler_site.it.id
  name      = "worker"
  command   = "sleep 1000"
  user      = "forge"
  processes = 1
}
resource "hostler_site_scheduled_job" "it" {
  server_id = hostler_server.it.id
  site_id   = hostler_site.it.id
  name      = "job"
  command   = "` + job + `"
  user      = "forge"
  frequency = "hourly"
}
resource "hostler_team" "it" {
  name = "whole"
}
resource "hostler_team_server" "it" {
  team_id   = hostler_team.it.id
  server_id = hostler_server.it.id
}`
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{{Config: config("true")}, {Config: config("date")}},
		CheckDestroy: func(*terraform.State) error {
			if n := p.named(t, "/orgs/acme/servers", "tf-whole"); n != 0 {
				return fmt.Errorf("the server is still there")
			}
			return nil
		},
	})
}

var fence = regexp.MustCompile("(?s)```terraform\n(.*?)```")

// The examples of the resources' pages can be planned, all together.
func TestExamples(t *testing.T) {
	open(t)
	pages, err := filepath.Glob("../../docs/resources/*.md")
	if err != nil || len(pages) != len(nouns) {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	var all strings.Builder
	variables := map[string]bool{}
	for _, page := range pages {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		example := fence.FindSubmatch(raw)
		if example == nil {
			t.Fatalf("%s has no example", page)
		}
		all.Write(example[1])
		for _, of := range regexp.MustCompile(`var\.(\w+)`).FindAllSubmatch(example[1], -1) {
			variables[string(of[1])] = true
		}
	}
	for name := range variables {
		fmt.Fprintf(&all, "variable %q {\n  default = \"x\"\n  ephemeral = true\n}\n", name)
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: all.String(), PlanOnly: true, ExpectNonEmptyPlan: true},
	}})
}
