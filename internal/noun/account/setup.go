package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

const settingSetup = "setup_code"

// SetupPage is the address of the page for the first account.
const SetupPage = "/setup"

// Setup creates the first account. That requires a code that only the operator sees, and that works until the first account exists.
type Setup struct {
	*Sign
	// CreateOrganization creates the first organization of a user.
	CreateOrganization func(ctx context.Context, tx *db.Tx, user query.User) error

	// done is set once an account was seen: the last one is never deleted.
	done atomic.Bool
}

// SetupRequest creates the first account.
type SetupRequest struct {
	Code     api.Secret `json:"code" maxLength:"256" writeOnly:"true" doc:"The part after the # of the link that hostler serve prints."`
	Name     string     `json:"name,omitempty" maxLength:"255" doc:"If empty, the part of the email address before the @."`
	Email    string     `json:"email" maxLength:"254"`
	Password api.Secret `json:"password" minLength:"12" maxLength:"256" writeOnly:"true"`
}

// Register adds the operation.
func (s *Setup) Register() {
	api.Do(s.Router, api.Operation{
		ID: "auth.setup", Method: http.MethodPost, Path: "/auth/setup", Tag: "Account", Mode: api.Sync, Public: true, Extension: true,
		Status: http.StatusOK, Summary: "Create the first account",
		Description: "Creates the account that owns the first organization, main, and signs it in by setting the cookie of a new session. The code works once.",
	},
		api.Self, s.setup)
}

// Path returns the address of the page with a code, "" once there is an account. Each call generates a new code, and invalidates the old one. The
// code follows the #, so that no server logs it.
func (s *Setup) Path(ctx context.Context) (string, error) {
	var path string
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.Ungranted().CountUsers(ctx)
		if err != nil || n > 0 {
			return err
		}
		code := secret.Random(20)
		path = SetupPage + "#" + code
		return tx.PutSetting(ctx, settingSetup, secret.Hash(code))
	})
	if err != nil {
		return "", fmt.Errorf("make the link for the first account: %w", err)
	}
	return path, nil
}

// Lead answers with the pages of next. Those that are useless without an account lead to the page that creates the first one, and that page leads to
// the others once it exists.
func (s *Setup) Lead(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		to := ""
		switch {
		case req.Method != http.MethodGet && req.Method != http.MethodHead:
		case req.URL.Path == SetupPage && s.exists(req.Context()):
			to = "/"
		case (req.URL.Path == "/" || req.URL.Path == "/sign-in") && !s.exists(req.Context()):
			to = SetupPage
		}
		if to == "" {
			next.ServeHTTP(w, req)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, req, to, http.StatusSeeOther)
	})
}

// exists reports whether there is an account; it does if that can't be read, and what follows says why.
func (s *Setup) exists(ctx context.Context) bool {
	if s.done.Load() {
		return true
	}
	n, err := s.DB.Read().Ungranted().CountUsers(ctx)
	if err == nil && n > 0 {
		s.done.Store(true)
	}
	return err != nil || n > 0
}

var errClaimed = api.Invalid("code",
	"This link was already used, or was replaced by a newer one. Until an account exists, restarting Hostler prints a new one.")

func (s *Setup) setup(ctx context.Context, c api.Call[access.Actor], b SetupRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if b.Code.Reveal() == "" {
		return none, api.Invalid("code", "The code field is required.")
	}
	code := secret.Hash(b.Code.Reveal())
	hash, err := s.DB.Read().Ungranted().GetSetting(ctx, settingSetup) // before the expensive part
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return none, fmt.Errorf("read settings: %w", err)
	}
	if hash != code {
		return none, errClaimed
	}
	password, err := s.derive(ctx, b.Password.Reveal())
	if err != nil {
		return none, err
	}
	var user query.User
	var token secret.String
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if user, err = s.claim(ctx, tx, code, b, password); err != nil {
			return err
		}
		token, _, err = StartSession(ctx, tx, user.ID, api.ClientAddress(ctx), c.Request.UserAgent())
		return err
	})
	if errors.Is(err, ErrEmail) {
		return none, api.Invalid("email", "Enter an email address.")
	}
	if err != nil {
		return none, err
	}
	api.AboutUser(ctx, user.ID)
	return api.Document[Resource]{Data: NewResource(s.Router, user), Cookies: []*http.Cookie{s.cookie(token.Reveal(), sessionLife)}}, nil
}

// claim uses the code up, and creates the account and its organization. Of two concurrent calls, one wins.
func (s *Setup) claim(ctx context.Context, tx *db.Tx, code string, b SetupRequest, password string) (query.User, error) {
	n, err := tx.DeleteSetting(ctx, settingSetup, code)
	if err != nil {
		return query.User{}, fmt.Errorf("use the code: %w", err)
	}
	users, err := tx.Ungranted().CountUsers(ctx)
	if err != nil {
		return query.User{}, fmt.Errorf("count users: %w", err)
	}
	if n == 0 || users > 0 {
		return query.User{}, errClaimed
	}
	now := tx.Micros() // the operator, who chose the address, needs no link to prove that
	user, err := insertUser(ctx, tx, strings.TrimSpace(b.Name), strings.TrimSpace(b.Email), password, &now)
	if err != nil {
		return user, err
	}
	return user, s.CreateOrganization(ctx, tx, user)
}
