// Package packages is what sites show to repositories of packages: user names and passwords of Composer's, tokens of npm's. They are sealed here,
// written for the site's user alone, and never shown.
package packages

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is the aspect of the files: a separate lane for each site.
const Aspect = "packages"

// The kinds of credentials, which are the types of their resources' work as well.
const (
	composer = "composer"
	npm      = "npm"
)

const (
	deadline       = 10 * time.Minute
	maxCredentials = 50
	// maxSecret is the longest user name, password or token, in bytes.
	maxSecret = 4096
)

// Names of the files in a site's directory. Composer reads its own beside composer.json (getcomposer.org, "Authentication in the
// command line"). A project's .npmrc may be in its repository, so npm's file is beside it and named in the environment.
const (
	composerFile = "auth.json"
	npmFile      = ".npmrc.hostler"
	// npmVariable names the file for npm, pnpm and yarn (docs.npmjs.com, "userconfig").
	npmVariable = "NPM_CONFIG_USERCONFIG"
)

// ComposerCredentialAttributes are the attributes of a credential of Composer's.
type ComposerCredentialAttributes struct {
	Repository string     `json:"repository"`
	Username   string     `json:"username"`
	Password   api.Secret `json:"password" doc:"Always empty: the secret is never shown."`
}

// ResourceType returns composerCredentials.
func (ComposerCredentialAttributes) ResourceType() string { return "composerCredentials" }

// AnyType marks that the contract leaves the type open.
func (ComposerCredentialAttributes) AnyType() {}

// NpmCredentialAttributes are the attributes of a credential of npm's.
type NpmCredentialAttributes struct {
	Registry string     `json:"registry"`
	Token    api.Secret `json:"token" doc:"Always empty: the secret is never shown."`
	Scopes   []string   `json:"scopes" nullable:"false"`
}

// ResourceType returns npmCredentials.
func (NpmCredentialAttributes) ResourceType() string { return "npmCredentials" }

// AnyType marks that the contract leaves the type open.
func (NpmCredentialAttributes) AnyType() {}

type (
	composerResource = api.Resource[ComposerCredentialAttributes, api.NoRelationships]
	npmResource      = api.Resource[NpmCredentialAttributes, api.NoRelationships]
)

// Path is a credential that the caller can see.
type Path struct {
	site.Path
	Credential query.PackageCredential
}

// Vault seals the secrets of credentials.
type Vault struct{ Box *secret.Box }

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "package_credentials", Row: strconv.FormatInt(id, 10), Column: "secret"}
}

// address returns a host, with a port perhaps, and for npm a path: without a scheme and a slash at the end, as both tools name their credentials.
func address(text string, withPath bool) (string, error) {
	bad := fmt.Errorf("must be a host like packages.example.com")
	if withPath {
		bad = fmt.Errorf("must be an address like npm.example.com/path")
	}
	rest := strings.TrimSpace(text)
	for _, scheme := range []string{"https://", "http://", "//"} {
		if n := len(scheme); len(rest) >= n && strings.EqualFold(rest[:n], scheme) {
			rest = rest[n:]
		}
	}
	host, path, _ := strings.Cut(rest, "/")
	path = strings.Trim(path, "/")
	if !withPath {
		path = "" // Composer goes by the host alone
	}
	name, port, hasPort := strings.Cut(host, ":")
	if hasPort {
		p, err := strconv.ParseUint(port, 10, 16)
		if err != nil || p == 0 || strconv.FormatUint(p, 10) != port {
			return "", bad
		}
	}
	if name = strings.ToLower(name); name != "localhost" {
		if _, err := netip.ParseAddr(name); err != nil {
			d, err := value.ParseDomain(name)
			if err != nil {
				return "", bad
			}
			name = d.String()
		}
	}
	if !pathPattern.MatchString(path) || strings.Contains("/"+path+"/", "/../") || strings.Contains("/"+path+"/", "/./") {
		return "", bad
	}
	out := name
	if hasPort {
		out += ":" + port
	}
	if path != "" {
		out += "/" + path
	}
	return out, nil
}

var (
	pathPattern = regexp.MustCompile(`^[A-Za-z0-9._~%/-]{0,300}$`)
	// scopePattern is what names of npm's scopes are of (docs.npmjs.com, "package.json", name).
	scopePattern = regexp.MustCompile(`^@[a-z0-9~-][a-z0-9._~-]{0,212}$`)
	// tokenPattern leaves out what npm's files act on: blanks, quotes, comments, ${variables}.
	tokenPattern = regexp.MustCompile(`^[A-Za-z0-9._~+/=:@-]+$`)
)

// textOf checks a user name or a password: a JSON file can contain any text, but an HTTP header no control characters (RFC 7617).
func textOf(f api.Fields, field, text string) {
	switch {
	case len(f[field]) > 0:
	case text == "":
		f.Add(field, "The %s is required.", field)
	case len(text) > maxSecret || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		f.Add(field, "The %s must be one line of at most %d bytes.", field, maxSecret)
	}
}

// composerText returns Composer's file: the credentials by their hosts. It is pure.
func composerText(rows []query.PackageCredential, open func(query.PackageCredential) (string, error)) ([]byte, error) {
	type basic struct {
		Username string `json:"username"`
		Password string `json:"password"`
	}
	all := map[string]basic{}
	for _, row := range rows {
		password, err := open(row)
		if err != nil {
			return nil, err
		}
		all[row.Name] = basic{row.Username, password}
	}
	raw, err := json.MarshalIndent(map[string]any{"http-basic": all}, "", "    ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", composerFile, err)
	}
	return append(raw, '\n'), nil
}

// npmText returns npm's file: a token for each registry, and the registries of scopes. It is pure.
func npmText(rows []query.PackageCredential, open func(query.PackageCredential) (string, error)) ([]byte, error) {
	var b strings.Builder
	b.WriteString("; Written by Hostler; changes are not overwritten, and keep it from writing its own.\n")
	for _, row := range rows {
		token, err := open(row)
		if err != nil {
			return nil, err
		}
		for _, scope := range scopesOf(row) {
			fmt.Fprintf(&b, "%s:registry=https://%s/\n", scope, row.Name)
		}
		fmt.Fprintf(&b, "//%s/:_authToken=%s\n", row.Name, token)
	}
	return []byte(b.String()), nil
}

func scopesOf(row query.PackageCredential) []string {
	out := []string{}
	_ = json.Unmarshal([]byte(row.Scopes), &out)
	return out
}
