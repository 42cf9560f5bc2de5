package render

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

var update = flag.Bool("update", false, "rewrite the expected outputs")

const dashes = "\n----\n"

// kinds maps each directory of testdata to the function that it tests.
var kinds = map[string]func(json string) (string, error){
	"firewall":        sure(Firewall),
	"nginx-http":      sure(func(in struct{ Version NginxVersion }) string { return NginxHTTP(in.Version) }),
	"nginx-catchall":  sure(NginxCatchAll),
	"nginx-upstream":  perhaps(NginxUpstream),
	"nginx-vhost":     perhaps(NginxVhost),
	"php-pool":        perhaps(PHPPool),
	"php-master":      perhaps(PHPMaster),
	"php-master-unit": perhaps(PHPMasterUnit),
	"slice": perhaps(func(l struct {
		Limits
		Title string
	}) (string, error) {
		return l.Slice(l.Title)
	}),
	"php-limits":            sure(PHPLimits.INI),
	"php-limits-nginx":      sure(PHPLimits.Nginx),
	"nginx-redirects":       perhaps(NginxRedirects),
	"nginx-protection-maps": perhaps(NginxProtectionMaps),
	"nginx-protection":      sure(NginxProtection),
	"users":                 perhaps(UsersFile),
	"firewall-unit":         sure(func(struct{}) string { return FirewallUnit() }),
	"local-ports":           perhaps(LocalPorts),
	"local-ports-table":     sure(func(struct{}) string { return Ports() }),
	"local-ports-unit":      sure(func(struct{}) string { return PortsUnit() }),
	"cache-redis":           perhaps(RedisUnit),
	"cache-memcached":       perhaps(MemcachedUnit),
	"ssh":                   sure(SSHDropin),
	"sudo": sure(func(in struct {
		User   value.UnixUser
		Shared bool
	},
	) string {
		return Sudo(in.User, in.Shared)
	}),
	"upgrades":     sure(func(struct{}) string { return UnattendedUpgrades() }),
	"process":      perhaps(Process),
	"process-logs": sure(func(struct{}) string { return ProcessLogs() }),
	"nginx-reverb": perhaps(NginxReverb),
	"service-unit": perhaps(ServiceUnit),
	"service-upstream": perhaps(func(in struct {
		SiteID int64
		Port   value.Port
	},
	) (string, error) {
		return ServiceUpstream(in.SiteID, in.Port)
	}),
}

func sure[T any](f func(T) string) func(string) (string, error) {
	return perhaps(func(in T) (string, error) { return f(in), nil })
}

func perhaps[T any](f func(T) (string, error)) func(string) (string, error) {
	return func(text string) (string, error) {
		var in T
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil {
			panic(err)
		}
		return f(in)
	}
}

// goldens returns the output of each golden file of a kind, by the file's name without its extension; refusals are left out.
func goldens(t *testing.T, kind string) map[string]string {
	outputs := map[string]string{}
	files, _ := filepath.Glob(filepath.Join("testdata", kind, "*.txt"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, _, _ := strings.Cut(string(text), dashes)
		if out, err := kinds[kind](in); err == nil {
			outputs[strings.TrimSuffix(filepath.Base(file), ".txt")] = out
		}
	}
	if len(outputs) == 0 {
		t.Fatalf("no golden files of %s", kind)
	}
	return outputs
}

func TestGolden(t *testing.T) {
	for kind, render := range kinds {
		files, _ := filepath.Glob(filepath.Join("testdata", kind, "*.txt"))
		if len(files) == 0 {
			t.Errorf("no golden files of %s", kind)
		}
		for _, file := range files {
			t.Run(kind+"/"+filepath.Base(file), func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				in, want, _ := strings.Cut(string(text), dashes)
				got, err := render(in)
				if err != nil {
					got = "error: " + err.Error() + "\n"
				}
				if *update {
					if err := os.WriteFile(file, []byte(strings.TrimSuffix(in, "\n")+dashes+got), 0o644); err != nil {
						t.Fatal(err)
					}
				} else if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}
