package project

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// AdministratorRequest is what a request says of who administers a WordPress that Hostler installs.
type AdministratorRequest struct {
	WordPressTitle    *string     `json:"wordpress_title,omitempty" nullable:"true" maxLength:"200" ours:"true" doc:"The title. Defaults to the domain."`
	WordPressUser     *string     `json:"wordpress_user,omitempty" nullable:"true" maxLength:"60" ours:"true" doc:"The administrator. Generated if omitted."`
	WordPressEmail    *string     `json:"wordpress_email,omitempty" nullable:"true" maxLength:"100" ours:"true" doc:"Defaults to the caller's address."`
	WordPressPassword *api.Secret `json:"wordpress_password,omitempty" nullable:"true" maxLength:"72" ours:"true" doc:"Generated if omitted."`
}

// Administrator is who can sign in to what an installer installed, from its first request on: otherwise whoever opens it first would be asked to set it up.
type Administrator struct {
	Title, User, Email string
	// Hash is that of the password, which only the response has.
	Hash string
	// Shown is what was generated.
	Shown *api.ShownOnce
}

var wordPressUser = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@-]{0,59}$`)

const (
	minPassword = 12
	// maxPassword is what bcrypt looks at; more would be ignored silently.
	maxPassword = 72
)

// slashed is how WordPress has passwords when it compares them: wp_signon doesn't undo wp_magic_quotes.
var slashed = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`)

// CheckAdministrator reads who administers what the installer of a type installs; nil where it installs nothing that has one. email is the caller's own.
func CheckAdministrator(f api.Fields, b AdministratorRequest, installed bool, domain, email string) (*Administrator, error) {
	given := map[string]*string{
		"wordpress_title": b.WordPressTitle, "wordpress_user": b.WordPressUser, "wordpress_email": b.WordPressEmail,
		"wordpress_password": b.WordPressPassword.RevealNull(),
	}
	if !installed {
		for field, v := range given {
			if v != nil && *v != "" {
				f.Add(field, "Only a WordPress without a repository is installed by Hostler, and has a %s.", field)
			}
		}
		return nil, nil
	}
	value := func(field, otherwise string) string {
		if v := given[field]; v != nil && *v != "" {
			return *v
		}
		return otherwise
	}
	a := &Administrator{Title: value("wordpress_title", domain), User: value("wordpress_user", ""), Email: value("wordpress_email", email)}
	password := value("wordpress_password", "")
	if a.User == "" || password == "" {
		a.Shown = &api.ShownOnce{}
	}
	if a.User == "" { // not admin, which is what bots try
		a.User = "admin-" + strings.ToLower(secret.Random(6))
		a.Shown.Username = a.User
	}
	if password == "" {
		password = secret.Random(24)
		a.Shown.Username, a.Shown.Password = a.User, api.SecretOf(password)
	}
	return a, a.check(f, password)
}

// check checks what was asked for, and makes the hash.
func (a *Administrator) check(f api.Fields, password string) error {
	a.Title = f.Line("wordpress_title", a.Title, 200)
	if len(f["wordpress_user"]) == 0 && !wordPressUser.MatchString(a.User) {
		f.Add("wordpress_user", "The wordpress_user must have only letters, digits and . _ - @.")
	}
	if _, err := value.ParseEmail(a.Email); err != nil && len(f["wordpress_email"]) == 0 {
		f.Add("wordpress_email", "%s", err)
	}
	password = slashed.Replace(password)
	switch {
	case len(f["wordpress_password"]) > 0:
	case len(password) < minPassword || len(password) > maxPassword:
		f.Add("wordpress_password", "The wordpress_password must have %d to %d characters; quotes and backslashes count twice.", minPassword, maxPassword)
	case strings.ContainsFunc(password, func(r rune) bool { return r < ' ' || r == 0x7f }) || strings.TrimSpace(password) != password:
		f.Add("wordpress_password", "The wordpress_password must be one line without spaces around it.")
	}
	if len(f) > 0 {
		return nil
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	if err != nil {
		return fmt.Errorf("hash the password of an administrator: %w", err)
	}
	a.Hash = string(hash)
	return nil
}

// Environment returns the variables that the installer reads.
func (a *Administrator) Environment(domain string) string {
	if a == nil {
		return ""
	}
	var b strings.Builder
	for _, v := range [][2]string{
		{"WP_INSTALL_HOST", domain}, {"WP_INSTALL_TITLE", a.Title}, {"WP_INSTALL_USER", a.User}, {"WP_INSTALL_EMAIL", a.Email}, {"WP_INSTALL_PASSWORD_HASH", a.Hash},
	} {
		fmt.Fprintf(&b, "%s=%s\n", v[0], dotenvQuote(sitetype.WordPress, v[1]))
	}
	return b.String()
}
