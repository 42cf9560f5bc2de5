package php_test

import (
	"encoding/json"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// view is of a web server with this system, on which PHP 8.4 was found.
func view(t *testing.T, os, version string) ledger.View {
	t.Helper()
	raw, err := json.Marshal(wire.Facts{
		OS: os, OSVersion: version, Arch: "amd64", Packages: map[string]string{"php8.4-fpm": "8.4.1"},
		Available: map[string]string{"php8.4-fpm": "8.4.1", "php8.2-fpm": "8.2.1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ledger.NewView(query.Server{ID: 1, Type: "web", PHPVersion: new("php84"), PHPCLIVersion: new("php84"), Facts: string(raw)})
}

func parsed(t *testing.T, text string) value.PHPVersion {
	t.Helper()
	v, err := value.ParsePHPVersion(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	wish := func(w ledger.Wish, err error) ledger.Wish {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	version := func(id int64, text string, change func(*php.Specification)) ledger.Wish {
		s := php.Specification{Version: parsed(t, text)}
		if change != nil {
			change(&s)
		}
		return wish(php.Versions.Want(id, s))
	}
	settings := func(s php.Settings) ledger.Wish { return wish(php.ServerSettings.Want(1, s)) }
	sites := []ledger.Wish{
		wish(site.Sites.Want(11, site.Specification{Name: "shop.example.com", Type: "php", User: "shop", Isolated: true, PHPVersion: "php84", Enclosed: true})),
		wish(site.Sites.Want(12, site.Specification{Name: "blog.example.com", Type: "php", User: "forge"})),
		wish(site.Sites.Want(13, site.Specification{Name: "old.example.com", Type: "php", User: "old", Isolated: true, PHPVersion: "php82", Enclosed: true})),
	}
	has := view(t, "debian", "13").On(append(sites, version(1, "8.4", nil))...)
	both := has.On(version(2, "8.2", nil))
	upgrade := has.On(version(1, "8.4", nil))
	upgrade.Included = []query.Operation{{ID: 1, ResourceType: php.Versions.Kind, ResourceID: 1, Action: "upgrade"}}
	for name, v := range map[string]ledger.View{
		"nothing":        view(t, "debian", "13"),
		"drift":          both.On(),
		"install":        has.On(version(2, "8.2", nil)),
		"install-sury":   has.On(version(2, "8.3", nil), settings(php.Settings{CLI: parsed(t, "8.3")})),
		"install-ubuntu": view(t, "ubuntu", "24.04").On(version(1, "8.4", nil)).On(version(2, "7.4", nil)),
		"fpm":            both.On(version(1, "8.4", func(s *php.Specification) { s.FPM = "memory_limit = 256M\n" })),
		"cli":            both.On(version(1, "8.4", func(s *php.Specification) { s.CLI = "memory_limit = 1G" })),
		"pool":           both.On(version(1, "8.4", func(s *php.Specification) { s.Pools = map[string]string{"shop": "pm = static\n"} })),
		"settings":       both.On(settings(php.Settings{MaxUploadSize: 64, MaxExecutionTime: 120, OPcache: new(false)})),
		"settings-unset": both.On(settings(php.Settings{MaxUploadSize: 64})).On(settings(php.Settings{})),
		"cli-version":    both.On(settings(php.Settings{CLI: parsed(t, "8.2")})),
		"upgrade":        upgrade,
		"remove":         both.On(php.Versions.Removal(2)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stages, err := php.Plan(v)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, stages)
		})
	}
}

// No archive has packages for a system that is not known.
func TestNoArchive(t *testing.T) {
	t.Parallel()
	wish, err := php.Versions.Want(1, php.Specification{Version: parsed(t, "8.3")})
	if err != nil {
		t.Fatal(err)
	}
	if stages, err := php.Plan(view(t, "alpine", "3").On(wish)); err == nil {
		t.Errorf("it is planned: %s", jobtest.Text(stages))
	}
}
