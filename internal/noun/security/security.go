// Package security is the security rules of a site: parts of it that ask for a name and a password (RFC 7617).
package security

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/crypto/bcrypt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// The states of a rule.
const (
	StatusInstalling = "installing"
	StatusInstalled  = "installed"
	StatusUpdating   = "updating"
	StatusRemoving   = "removing"
	StatusFailed     = "failed"
)

// Specification is what a rule asks of its site.
type Specification struct {
	SiteID int64  `json:"site_id"`
	Name   string `json:"name"`
	// Path is zero for the whole site.
	Path value.URLPath `json:"path,omitzero"`
	// Users is the text of the file of users, sealed for the row.
	Users []byte `json:"users"`
}

// Rules is the noun.
var Rules = &ledger.Noun[Specification]{Kind: "securityRules", Version: 1, Parent: "sites", In: func(s Specification) int64 { return s.SiteID }, Write: write}

var statuses = map[ledger.Phase]string{
	ledger.Failed: StatusFailed, ledger.Applied: StatusInstalled, ledger.Creating: StatusInstalling,
	ledger.Updating: StatusUpdating, ledger.Deleting: StatusRemoving,
}

func write(ctx context.Context, tx *db.Tx, _ int64, row ledger.Row[Specification]) error {
	s, err := row.Specification, error(nil)
	if row.Phase == ledger.Gone {
		_, err = tx.DeleteSecurityRule(ctx, row.ID)
	} else if err = claim(ctx, tx, row); err == nil {
		err = tx.PutSecurityRule(ctx, query.PutSecurityRuleParams{
			ID: row.ID, SiteID: s.SiteID, Name: s.Name, Path: s.Path, Credentials: s.Users, Status: statuses[row.Phase],
			OperationID: row.OperationID, CreatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write security rule %d: %w", row.ID, err)
	}
	return nil
}

// claim refuses a path that another rule took since work that is tried again was accepted.
func claim(ctx context.Context, tx *db.Tx, row ledger.Row[Specification]) error {
	if row.Phase != ledger.Creating && row.Phase != ledger.Updating {
		return nil
	}
	rows, err := tx.Ungranted().ListSecurityRules(ctx, row.Specification.SiteID)
	if err != nil {
		return fmt.Errorf("list security rules: %w", err)
	}
	settled := func(r query.SecurityRule) bool {
		return r.ID == row.ID && (r.Status == StatusInstalled || r.Status == StatusFailed)
	}
	if slices.ContainsFunc(rows, settled) && taken(rows, row.ID, row.Specification.Path) {
		return api.Conflict(pathTaken)
	}
	return nil
}

const pathTaken = "The path is already protected by another rule."

// taken reports whether a rule other than self has a path.
func taken(rows []query.SecurityRule, self int64, path value.URLPath) bool {
	return slices.ContainsFunc(rows, func(r query.SecurityRule) bool {
		return r.ID != self && r.Status != StatusRemoving && r.Status != StatusFailed && strings.EqualFold(r.Path.String(), path.String())
	})
}

const (
	maxRules       = 100
	maxCredentials = 100
	// maxPassword is what bcrypt looks at; more would be ignored silently.
	maxPassword = 72
	// cost is that of htpasswd -B. nginx computes the hash for each request in its event loop, where others wait meanwhile.
	cost = 5
)

// Path is a rule visible to the caller.
type Path = server.Part[site.Path, query.SecurityRule]

// Vault seals the users of rules.
type Vault struct{ Box *secret.Box }

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "security_rules", Row: strconv.FormatInt(id, 10), Column: "credentials"}
}

func (v Vault) seal(id int64, users []render.Credential) ([]byte, error) {
	text, err := render.UsersFile(users)
	if err != nil {
		return nil, err
	}
	return v.Box.Seal(sealedAt(id), []byte(text))
}

func (v Vault) open(row query.SecurityRule) ([]render.Credential, error) {
	text, err := v.Box.Open(sealedAt(row.ID), row.Credentials)
	if err != nil {
		return nil, err
	}
	var users []render.Credential
	for line := range strings.Lines(string(text)) {
		name, hash, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		users = append(users, render.Credential{Name: name, Hash: hash})
	}
	return users, nil
}

// wanted is a rule as it was asked for.
type wanted struct {
	name  string
	path  value.URLPath // zero is the whole site
	users []render.Credential
}

// Credential is a user in a request.
type Credential struct {
	Username string     `json:"username" maxLength:"50"`
	Password api.Secret `json:"password"`
}

// OptionalCredential is a user in an update; one without a password keeps the one that they have.
type OptionalCredential struct {
	Username string      `json:"username" maxLength:"50"`
	Password *api.Secret `json:"password,omitempty"`
}

// check says all that is wrong with a request. had are the users that need no password.
func check(f api.Fields, name string, path *string, credentials []OptionalCredential, had []render.Credential) wanted {
	w := wanted{name: f.Line("name", name, 0)}
	if path != nil && *path != "" && len(f["path"]) == 0 {
		p, err := value.ParseURLPath(*path)
		if err != nil {
			f.Add("path", "%s", err)
		} else if p.String() != "/" {
			w.path = p
		}
	}
	if len(credentials) > maxCredentials {
		f.Add("credentials", "There can be at most %d users.", maxCredentials)
		return w
	}
	seen := map[string]bool{}
	for i, c := range credentials {
		at := "credentials." + strconv.Itoa(i)
		w.users = append(w.users, checkUser(f, at, c, seen, had))
	}
	return w
}

// hashed matches what htpasswd and mkpasswd write in the place of a password (crypt(5)).
var hashed = regexp.MustCompile(`^(?:\$apr1\$[^$]{1,8}\$[./0-9A-Za-z]{22}|\$2[abxy]\$\d\d\$[./0-9A-Za-z]{53}|` +
	`\$[156]\$\S{1,40}\$[./0-9A-Za-z]{22,86}|\{SHA\}[A-Za-z0-9+/]{27}=)$`)

func checkUser(f api.Fields, at string, c OptionalCredential, seen map[string]bool, had []render.Credential) render.Credential {
	user := render.Credential{Name: c.Username}
	if len(f[at+".username"]) == 0 {
		switch {
		case c.Username == "" || strings.TrimSpace(c.Username) != c.Username || strings.ContainsFunc(c.Username, unicode.IsControl):
			f.Add(at+".username", "The username must be text without leading or trailing spaces.")
		case strings.Contains(c.Username, ":") || strings.HasPrefix(c.Username, "#"):
			f.Add(at+".username", "The username must not contain a colon or begin with #.")
		case seen[c.Username]:
			f.Add(at+".username", "The username is given twice.")
		}
		seen[c.Username] = true
	}
	switch {
	case len(f[at+".password"]) > 0:
	case c.Password == nil:
		i := slices.IndexFunc(had, func(u render.Credential) bool { return u.Name == c.Username })
		if i < 0 {
			f.Add(at+".password", "The password is required for a new user.")
			break
		}
		user.Hash = had[i].Hash
	case hashed.MatchString(c.Password.Reveal()):
		f.Add(at+".password", "This is the hash of a password, as files of htpasswd have it: enter the password itself.")
	case c.Password.IsZero():
		f.Add(at+".password", "The password must not be empty.")
	case len(c.Password.Reveal()) > maxPassword:
		f.Add(at+".password", "The password must not be longer than %d bytes.", maxPassword)
	case strings.Contains(c.Password.Reveal(), "\x00"):
		f.Add(at+".password", "The password contains characters that are not allowed.")
	default:
		hash, err := bcrypt.GenerateFromPassword([]byte(c.Password.Reveal()), cost)
		if err != nil {
			f.Add(at+".password", "The password can't be used.")
		}
		user.Hash = string(hash)
	}
	return user
}
