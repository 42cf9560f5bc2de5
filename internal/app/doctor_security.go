package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// DoctorSecurity looks for what an installation got wrong of the threat model (docs/security.md), and changes nothing: one check for each line of it that
// depends on how the installation is set up and used. secrets are files that contain secrets, besides those in the data directory.
func DoctorSecurity(ctx context.Context, c Config, secrets ...string) []Finding {
	e := &examination{c: c}
	for _, path := range secrets {
		e.add(path+" is closed to other accounts", closed(path), "run: chmod o= "+path)
	}
	if !e.directory() {
		return e.out
	}
	e.key()
	for _, o := range c.openings() {
		e.add(o.title, o.err, o.mend)
	}
	d, err := db.Connect(ctx, db.Config{URL: c.DatabaseURL, Dir: c.DataDir})
	if err != nil {
		e.add("the database answers", err, "run: hostler doctor")
		return e.out
	}
	defer func() { _ = d.Close() }()
	for _, check := range people {
		found, err := db.Column[string](ctx, d.Reader(), check.query)
		if err == nil && len(found) > 0 {
			err = errors.New(listed(found))
		}
		e.add(check.title, err, check.mend)
	}
	e.hosts(ctx, d)
	return e.out
}

// opening is a wall of the panel that a setting can leave open.
type opening struct {
	title, mend string
	err         error
	// worst is that of an opening to anyone, which is in attention too.
	worst bool
}

// openings returns how the panel is reached, and what it reaches.
func (c Config) openings() []opening {
	var plain, private, trusted error
	if c.BaseURL != "" {
		if _, plain = parseBase("base URL", c.BaseURL); plain == nil {
			plain = c.Encrypts()
		}
	}
	if c.AllowPrivateEndpoints {
		private = errors.New("members can have Hostler connect to its own machine and private networks")
	}
	for _, p := range c.TrustedProxies {
		if p.Bits() == 0 {
			trusted = fmt.Errorf("%s trusts everyone to name the address that a request comes from", p)
		}
	}
	return []opening{
		{"people reach Hostler over HTTPS", "set an https base-url with a certificate (tls), or put a proxy with one in front", plain, false},
		{"only proxies are trusted with addresses", "name the networks of your proxies in trusted-proxy", trusted, true},
		{
			"connections to private addresses are closed",
			"turn allow-private-endpoints off, unless storage, webhooks or monitors are in your own network", private, false,
		},
	}
}

// exposed describes the worst openings of the panel, "" if there are none.
func (c Config) exposed() string {
	var out []string
	for _, o := range c.openings() {
		if o.worst && o.err != nil {
			out = append(out, fmt.Sprintf("%v. To close it, %s.", o.err, o.mend))
		}
	}
	return strings.Join(out, " ")
}

// people are checks of rows: each query names what is wrong.
var people = []struct{ title, query, mend string }{
	{
		"personal tokens expire",
		`SELECT u.email || ': ' || t.name FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.expires_at IS NULL AND t.revoked_at IS NULL ORDER BY t.id`,
		"replace them by tokens with an expiry, and revoke them; Account, Tokens",
	},
	{
		"members have a second factor",
		`SELECT u.email FROM users u WHERE EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id)
		 AND NOT EXISTS (SELECT 1 FROM two_factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL) ORDER BY u.id`,
		"each of them sets one up: Account, Security",
	},
	{
		"SSH keys are those of members",
		`SELECT s.name || ', ' || k.unix_user || ': ' || k.name FROM ssh_keys k JOIN servers s ON s.id = k.server_id
		 WHERE k.created_by IS NULL OR NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = k.created_by
		 AND m.organization_id = s.organization_id) ORDER BY k.id`,
		"delete the keys of people who left: hostler ssh-keys delete KEY --close-sessions",
	},
	{
		"SFTP users are those of members",
		`SELECT s.name || ': ' || u.name FROM sftp_users u JOIN sites s ON s.id = u.site_id
		 WHERE u.created_by IS NULL OR NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.created_by
		 AND m.organization_id = s.organization_id) ORDER BY u.id`,
		"delete the SFTP users that people who left have the keys of: hostler sftp-users delete SITE SFTP_USER",
	},
	{
		"deploy hooks are known to members only",
		`SELECT DISTINCT s.name FROM hook_readers h JOIN sites s ON s.id = h.site_id JOIN projects p ON p.site_id = s.id
		 WHERE NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = h.user_id AND m.organization_id = s.organization_id) ORDER BY s.name`,
		"replace the deploy hook of each site",
	},
	{
		"SSH keys for root are restricted to addresses",
		`SELECT s.name || ': ' || k.name FROM ssh_keys k JOIN servers s ON s.id = k.server_id
		 WHERE k.unix_user = 'root' AND k.options NOT LIKE '%from=%' ORDER BY k.id`,
		"add them again with the option from=, or for another account",
	},
	{
		"host keys are the ones that were confirmed",
		`SELECT name FROM servers WHERE connection_status = 'host-key-changed' ORDER BY id`,
		"compare the new host keys on the server: hostler servers host-keys SERVER",
	},
	{
		"organizations have an owner",
		`SELECT o.slug FROM organizations o WHERE NOT EXISTS (SELECT 1 FROM memberships m WHERE m.organization_id = o.id AND m.role_id = 1) ORDER BY o.id`,
		"have a member made owner by one who may manage the organization: Settings, Members",
	},
}

// mostListed is how many names a finding has.
const mostListed = 10

func listed(found []string) string {
	if n := len(found); n > mostListed {
		return strings.Join(found[:mostListed], "; ") + fmt.Sprintf("; and %d more", n-mostListed)
	}
	return strings.Join(found, "; ")
}

// hosts checks what servers last said of themselves.
func (e *examination) hosts(ctx context.Context, d *db.DB) {
	servers, err := db.All[query.Server](ctx, d.Reader(), "servers")
	if err != nil {
		e.add("servers are known", err, "run: hostler doctor")
		return
	}
	rules, err := db.All[query.FirewallRule](ctx, d.Reader(), "firewall_rules")
	if err != nil {
		e.add("rules of firewalls are known", err, "run: hostler doctor")
		return
	}
	var old, open, passwords []string
	for _, s := range servers {
		var facts wire.Facts
		if s.Revoked || json.Unmarshal([]byte(s.Facts), &facts) != nil {
			continue
		}
		if facts.Updates != nil && facts.Updates.Security > 0 {
			old = append(old, fmt.Sprintf("%s: %d security updates are waiting", s.Name, facts.Updates.Security))
		}
		if facts.Passwords {
			passwords = append(passwords, s.Name)
		}
		for _, n := range facts.OpenPorts {
			port, err := value.NewPort(n)
			named := func(r query.FirewallRule) bool { return r.ServerID == s.ID && r.Port.Contains(port) }
			if err == nil && int64(n) != s.SSHPort && !slices.ContainsFunc(rules, named) {
				open = append(open, fmt.Sprintf("%s: %d", s.Name, n))
			}
		}
	}
	for _, c := range []struct {
		title, mend string
		found       []string
	}{
		{"servers have their security updates", "upgrade them: hostler servers upgrade NAME", old},
		{
			"servers let people log in with keys only",
			"find what allows passwords: sshd -T | grep -i password, in /etc/ssh/sshd_config and sshd_config.d; then repair the server", passwords,
		},
		{"a rule names what listens on servers", "stop what listens there, have it listen on 127.0.0.1, or add a rule that says who may connect", open},
	} {
		var err error
		if len(c.found) > 0 {
			err = errors.New(listed(c.found))
		}
		e.add(c.title, err, c.mend)
	}
}
