package app_test

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

func open(t *testing.T, c app.Config, secrets ...string) string {
	t.Helper()
	var out []string
	for _, f := range app.DoctorSecurity(t.Context(), c, secrets...) {
		if f.Err != nil {
			out = append(out, f.Check+": "+f.Err.Error())
			if f.Mend == "" {
				t.Errorf("%s has no mend", f.Check)
			}
		}
	}
	return strings.Join(out, "\n")
}

// Each wall that an installation can leave open is found, and nothing else with it.
func TestDoctorSeesWhatIsOpen(t *testing.T) {
	t.Parallel()
	if got := open(t, installation(t)); got != "" {
		t.Errorf("of a new installation it finds:\n%s", got)
	}
	const (
		person = `INSERT INTO users (id, name, email, password_hash, created_at, updated_at) VALUES (7, 'Ann', 'ann@example.com', 'x', 1, 1);
INSERT INTO two_factors (user_id, secret, last_step, confirmed_at, created_at) VALUES (7, 'x', 0, 1, 1);
INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (3, 'Acme', 'acme', 1, 1);
INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at) VALUES (3, 7, 1, 1, 1);`
		server = person + `INSERT INTO servers (id, organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone,
is_ready, revoked, public_key, private_key, host_keys, facts,
control_addresses, created_at, updated_at) VALUES (5, 3, 'web-1', 'web-1', 'app', 'custom', '', '',
'installed', 22, 'root', FALSE, 'UTC', TRUE, FALSE, '', '', '', '{}', '', 1, 1);
INSERT INTO users (id, name, email, password_hash, created_at, updated_at) VALUES (8, 'Bob', 'bob@example.com', 'x', 1, 1);`
		key  = `INSERT INTO ssh_keys (server_id, name, unix_user, key, status, created_by, created_at, updated_at, options) VALUES (5, 'laptop', `
		hook = `INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type,
created_at, updated_at) VALUES (9, 3, 5, 'example.com', 'php', 'installed', 'forge', FALSE, '', '', FALSE, 'none', 1, 1);
INSERT INTO projects (site_id, provider, repository, url, branch, host_keys, zero_downtime,
retention, script, auto_source, push_to_deploy, hook_hash, hook_token, shared_paths,
 time_limit, package_manager, build_command, composer, releases, live_release, deployment_status, created_at, updated_at)
VALUES (9, 'custom', '', '',
'main', '', TRUE, 4, '', FALSE, TRUE, 'h', '', '', 600, '', '', FALSE, '', '', '', 1, 1);
INSERT INTO hook_readers (site_id, user_id, shown_at) VALUES (9, 7, 1);`
		sftp = `INSERT INTO sftp_users (site_id, name, keys, status, created_by, created_at, updated_at) VALUES (9, `
		rule = `INSERT INTO firewall_rules (server_id, name, port, type, status, created_at, updated_at)
VALUES (5, 'web', '80', 'allow', 'installed', 1, 1), (5, 'some', '8000:8100', 'allow', 'installed', 1, 1);`
		token = `INSERT INTO tokens (user_id, name, hash, scopes, created_at) VALUES (7, 'laptop', 'h', '', 1);`
	)
	for check, c := range map[string]struct {
		setting func(*app.Config)
		rows    string
		want    string
	}{
		"people reach Hostler over HTTPS":             {setting: func(c *app.Config) { c.BaseURL = "http://panel.example.com" }, want: "plain http"},
		"connections to private addresses are closed": {setting: func(c *app.Config) { c.AllowPrivateEndpoints = true }, want: "private networks"},
		"only proxies are trusted with addresses": {
			setting: func(c *app.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")} }, want: "everyone",
		},
		"personal tokens expire":       {rows: person + token, want: "ann@example.com: laptop"},
		"members have a second factor": {rows: person + "DELETE FROM two_factors;", want: "ann@example.com"},
		"organizations have an owner":  {rows: person + "UPDATE memberships SET role_id = 3;", want: "acme"},
		"SSH keys are those of members": {
			rows: server + key + `'forge', 'k', 'installed', 8, 1, 1, '');` + key + `'forge', 'l', 'installed', 7, 1, 1, '');`, want: "web-1, forge: laptop",
		},
		"SFTP users are those of members": {
			rows: server + hook + sftp + `'designer', '', 'installed', 8, 1, 1);` + sftp + `'ann', '', 'installed', 7, 1, 1);`, want: "example.com: designer",
		},
		"deploy hooks are known to members only": {
			rows: server + hook + `INSERT INTO hook_readers (site_id, user_id, shown_at) VALUES (9, 8, 1);`, want: "example.com",
		},
		"SSH keys for root are restricted to addresses": {
			rows: server + key + `'root', 'k', 'installed', 7, 1, 1, '');` + key + `'root', 'l', 'installed', 7, 1, 1, 'from="192.0.2.1"');`, want: "web-1: laptop",
		},
		"host keys are the ones that were confirmed": {
			rows: server + `UPDATE servers SET connection_status = 'host-key-changed';`, want: "web-1",
		},
		"servers have their security updates": {
			rows: server + `UPDATE servers SET facts = '{"updates": {"security": 3}}';`, want: "web-1: 3 security updates are waiting",
		},
		"servers let people log in with keys only": {
			rows: server + `UPDATE servers SET facts = '{"passwords": true}';`, want: "servers let people log in with keys only: web-1",
		},
		"a rule names what listens on servers": {
			rows: server + rule + `UPDATE servers SET facts = '{"open_ports": [22, 80, 8050, 8200]}';`, want: "servers: web-1: 8200",
		},
	} {
		t.Run(check, func(t *testing.T) {
			t.Parallel()
			config := installation(t)
			if c.setting != nil {
				c.setting(&config)
			}
			if c.rows != "" {
				store, err := app.OpenStore(t.Context(), config)
				if err != nil {
					t.Fatal(err)
				}
				for statement := range strings.SplitSeq(c.rows, ";") {
					if strings.TrimSpace(statement) == "" {
						continue
					}
					if err := store.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
						_, err := tx.SQL.ExecContext(ctx, statement)
						return err
					}); err != nil {
						t.Fatal(statement, err)
					}
				}
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if got := open(t, config); !strings.HasPrefix(got, check+": ") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("it finds:\n%s", got)
			}
		})
	}
	unled := installation(t)
	unled.BaseURL = "https://panel.example.com"
	if got := open(t, unled); !strings.HasPrefix(got, "people reach Hostler over HTTPS: ") || !strings.Contains(got, "no proxy is named") {
		t.Errorf("of an https address without a certificate it finds:\n%s", got)
	}
	secret := filepath.Join(t.TempDir(), "smtp-password")
	if err := os.WriteFile(secret, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := open(t, installation(t), secret); !strings.Contains(got, "is closed to other accounts: it contains secrets") {
		t.Errorf("of a readable secret it finds:\n%s", got)
	}
}

// What is open to anyone is in attention too, with what to do about it.
func TestWorstOpeningNeedsAttention(t *testing.T) {
	t.Parallel()
	for network, want := range map[string]string{
		"0.0.0.0/0": "panel-open: 0.0.0.0/0 trusts everyone to name the address that a request comes from. " +
			"To close it, name the networks of your proxies in trusted-proxy.",
		"::/0": "panel-open: ::/0 trusts everyone to name the address that a request comes from. " +
			"To close it, name the networks of your proxies in trusted-proxy.",
		"10.0.0.0/8": "",
	} {
		c := installation(t)
		c.BaseURL, c.Listen, c.TrustedProxies = "http://127.0.0.1:1", "127.0.0.1:0", []netip.Prefix{netip.MustParsePrefix(network)}
		c.Agents = host.Binaries{"amd64": {Sum: "none", Open: func() ([]byte, error) { return nil, nil }}}
		if got := concerns(t, run(t, c)); got != want {
			t.Errorf("with %s, attention lists %q", network, got)
		}
	}
}
