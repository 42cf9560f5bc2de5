package render

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// ProtectionInput are the password-protected parts of a site.
type ProtectionInput struct {
	SiteID int64
	Rules  []Protected
}

// Protected is a path, and everything below it, with its users; the zero path is the whole site.
type Protected struct {
	RuleID int64
	Name   string
	Path   value.URLPath
}

// UsersPath returns the file with the names and hashes of a rule (ngx_http_auth_basic_module).
func UsersPath(siteID, ruleID int64) string {
	return fmt.Sprintf("/etc/nginx/hostler-conf/%d/users-%d", siteID, ruleID)
}

// NginxProtectionMaps returns the file in the http block that maps a path to its rule, longest first. A location of nginx would
// not do: it would take the path away from the site's handler. A front controller treats /index.php/admin as /admin, and some
// compare paths without regard to case, so these require the password too.
func NginxProtectionMaps(in ProtectionInput) (string, error) {
	c := conf{}
	if in.SiteID <= 0 {
		return "", errors.New("protection needs the id of its site")
	}
	rules := slices.Clone(in.Rules)
	slices.SortStableFunc(rules, func(a, b Protected) int { return len(b.Path.String()) - len(a.Path.String()) })
	whole := func(p Protected) bool { return p.Path.IsZero() || p.Path.String() == "/" }
	realm, users := "off", `""`
	for _, r := range rules {
		if r.RuleID <= 0 {
			return "", errors.New("protection needs the id of its rule")
		}
		if whole(r) {
			realm, users = c.quote(realmOf(r.Name)), UsersPath(in.SiteID, r.RuleID)
		}
	}
	c.line("# Written by Hostler; changes are overwritten.")
	for _, m := range []struct {
		variable, otherwise string
		of                  func(Protected) string
	}{
		{"realm", realm, func(r Protected) string { return c.quote(realmOf(r.Name)) }},
		{"users", users, func(r Protected) string { return UsersPath(in.SiteID, r.RuleID) }},
	} {
		c.open("map $uri $hostler_%s_%d", m.variable, in.SiteID)
		c.line("default %s;", m.otherwise)
		for _, r := range rules {
			if !whole(r) {
				c.line("%s %s;", c.expression(`~*^(?:/[^/]+\.php)?`+regexp.QuoteMeta(r.Path.String())+`(?![a-z0-9_-])`), m.of(r))
			}
		}
		c.close()
	}
	return c.b.String(), c.err
}

// NginxProtection returns the file that each vhost of the site includes.
func NginxProtection(siteID int64) string {
	return fmt.Sprintf("# Written by Hostler; changes are overwritten.\nauth_basic $hostler_realm_%d;\nauth_basic_user_file $hostler_users_%d;\n", siteID, siteID)
}

// realmOf returns a rule's name as visitors see it. Quotes would end the header's parameter, a dollar sign begins a variable, and
// "off" would disable the protection.
func realmOf(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune("\"\\$\u0085\u2028\u2029", r) {
			return -1
		}
		return r
	}, name))
	if name == "" || name == "off" {
		return "Restricted"
	}
	return name
}

// UsersFile returns the text of a rule's users: a name and a hash per line.
func UsersFile(users []Credential) (string, error) {
	var b strings.Builder
	for _, u := range users {
		if err := oneLine("a file of users", u.Name+u.Hash); err != nil {
			return "", err
		}
		if u.Name == "" || strings.Contains(u.Name, ":") || strings.HasPrefix(u.Name, "#") || !strings.HasPrefix(u.Hash, "$2") || strings.Contains(u.Hash, ":") {
			return "", fmt.Errorf("a file of users can't hold the name %q", u.Name)
		}
		fmt.Fprintf(&b, "%s:%s\n", u.Name, u.Hash)
	}
	return b.String(), nil
}

// Credential is a user with a bcrypt hash.
type Credential struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}
