package provider

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// outsideSamples are resources whose sample names what is outside, or what the panel of this test has not, with what a panel says to them.
var outsideSamples = map[string]string{
	"site_nginx": "not accepted", "domain_nginx": "not accepted", // the configuration is the reader's
	"storage_provider": "not accepted", "source_control_provider": "not accepted", // keys and tokens as well
	"reverb": "not accepted", "site_healthcheck": "not accepted", // their hosts are none of this site
	"horizon": "installed", "octane": "installed", "pulse": "installed", "inertia": "installed", "scheduler": "installed",
	"maintenance_mode": "installed",
}

var sampleVariable = regexp.MustCompile(`\bvar\.(\w+)`)

// What the reference prints for Terraform is applied as it is printed, with its variables set. Another plan is empty.
func TestSamples(t *testing.T) {
	p := open(t)
	file, err := os.Open("../../../internal/edge/api/samples.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][][2]string
	if err := json.NewDecoder(packed).Decode(&all); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, samples := range all {
		for _, s := range samples {
			if name, is := strings.CutPrefix(s[1], `resource "hostler_`); is && s[0] == "Terraform" {
				texts[name[:strings.IndexByte(name, '"')]] = s[1]
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		t.Run(name, func(t *testing.T) {
			config := texts[name]
			given := map[string]string{}
			for _, found := range sampleVariable.FindAllStringSubmatch(config, -1) {
				given[found[1]] = p.variable(name, found[1])
			}
			for variable, v := range given {
				config = fmt.Sprintf("variable %q {\n  default = %s\n}\n%s", variable, v, config)
			}
			step := resource.TestStep{Config: config}
			if says := outsideSamples[name]; says != "" {
				step.ExpectError = regexp.MustCompile(says)
			}
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{step}})
		})
	}
}

// variable is what a variable of the sample of a resource is here, as Terraform writes it: the id of a thing, or a secret.
func (p panel) variable(of, name string) string {
	hasDatabases := strings.HasPrefix(of, "database") || strings.HasPrefix(of, "backup")
	if of, isID := strings.CutSuffix(name, "_id"); isID {
		switch of {
		case "server":
			if hasDatabases {
				of = "engine"
			}
		case "php_version":
			of = "php"
		case "storage_provider":
			of = "storage"
		case "recipe":
			of = "otherrecipe"
		case "credential":
			of = "othercredential"
		}
		return fmt.Sprintf("%q", p.things[of])
	}
	switch name {
	case "credentials":
		return `[{ username = "ada", password = "example" }]`
	case "url":
		return `"https://example.com/hook"`
	case "environment":
		return `"APP_ENV=production\n"`
	}
	return `"c2VjcmV0c2VjcmV0c2VjcmV0"`
}
