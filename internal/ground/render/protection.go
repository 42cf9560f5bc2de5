package render

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// CheckPath returns the file with what a site's health check sends instead of a password, which only root can read.
func CheckPath(siteID int64) string { return fmt.Sprintf("/etc/nginx/hostler-conf/%d/check", siteID) }

// CheckBytes is how many bytes the pass of a health check has, in hexadecimal: a longer key does not fit into a bucket of nginx's map, which has 64 bytes.
const CheckBytes = 16

// NginxCheck returns the file in the http block that knows a health check of the site by its pass: a password of the site must not fail every deployment.
func NginxCheck(siteID int64, pass string) (string, error) {
	c := conf{}
	if siteID <= 0 || len(pass) != 2*CheckBytes {
		return "", fmt.Errorf("a health check needs its site and a pass of %d characters", 2*CheckBytes)
	}
	c.line("# Written by Hostler; changes are overwritten.")
	c.open("map $http_x_hostler_check $hostler_checked_%d", siteID)
	c.line("default 0;")
	c.line("%s 1;", c.quote(pass))
	c.close()
	return c.b.String(), c.err
}

// NginxProtectionMaps returns the file in the http block that maps a path to its rule, longest first. A location of nginx would
// not do: it would take the path away from the site's handler. A front controller treats /index.php/admin as /admin, and some
// compare paths without regard to case, so these require the password too. It reads the file of NginxCheck.
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
		variable, key, prefix, otherwise string
		of                               func(Protected) string
	}{
		{"realm", fmt.Sprintf(`"$hostler_checked_%d:$uri"`, in.SiteID), "0:", realm, func(r Protected) string { return c.quote(realmOf(r.Name)) }},
		{"users", "$uri", "", users, func(r Protected) string { return UsersPath(in.SiteID, r.RuleID) }},
	} {
		c.open("map %s $hostler_%s_%d", m.key, m.variable, in.SiteID)
		c.line("default %s;", m.otherwise)
		if m.prefix != "" {
			c.line("~^1: off;")
		}
		for _, r := range rules {
			if !whole(r) {
				c.line("%s %s;", c.expression(`~*^`+m.prefix+`(?:/[^/]+\.php)?`+anyCase(r.Path.String())+`(?![a-z0-9_-])`), m.of(r))
			}
		}
		c.close()
	}
	return c.b.String(), c.err
}

// anyCase returns an expression for a path whose letters match in either case: nginx folds those of ASCII only, since it matches bytes.
func anyCase(path string) string {
	var b strings.Builder
	for _, r := range path {
		if r <= unicode.MaxASCII || unicode.SimpleFold(r) == r {
			b.WriteString(regexp.QuoteMeta(string(r)))
			continue
		}
		forms := []string{string(r)}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			forms = append(forms, regexp.QuoteMeta(string(f)))
		}
		b.WriteString("(?:" + strings.Join(forms, "|") + ")")
	}
	return b.String()
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
