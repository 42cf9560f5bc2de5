package account

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

const settingSetup = "setup_code"

// Setup is the page that creates the first account. Its address contains a code that only the operator sees, and works until the
// first account exists.
type Setup struct {
	DB *db.DB
	// URL is the URL of this installation.
	URL string
	// CreateOrganization creates the first organization and returns its slug.
	CreateOrganization func(ctx context.Context, tx *db.Tx, user query.User) (string, error)
}

// Path returns the address of the page, "" once there is an account. Each call generates a new code, and invalidates the old one.
func (s *Setup) Path(ctx context.Context) (string, error) {
	var path string
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.Ungranted().CountUsers(ctx)
		if err != nil || n > 0 {
			return err
		}
		code := secret.Random(20)
		path = "/setup/" + code
		return tx.PutSetting(ctx, settingSetup, secret.Hash(code))
	})
	if err != nil {
		return "", fmt.Errorf("make the link for the first account: %w", err)
	}
	return path, nil
}

//go:embed setup.html
var setupHTML string

var setupPage = template.Must(template.New("setup").Parse(setupHTML))

type setupData struct {
	Email, Name, Error string
	Token, Slug        string
	// URL is the URL of this installation.
	URL string
	// Closed hides the form: this link creates no account.
	Closed bool
}

var (
	errClaimed = errors.New("this link was already used or replaced by a newer one")
	errOurs    = errors.New("something went wrong; try again")
)

// ServeHTTP shows the form, and creates the account.
func (s *Setup) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+setupStyleHash+"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	data, status := setupData{URL: s.URL}, http.StatusOK
	switch req.Method {
	case http.MethodGet, http.MethodHead:
		if err := s.valid(req.Context(), req.PathValue("code")); err != nil {
			data.Error, status, data.Closed = err.Error(), http.StatusNotFound, true
		}
	case http.MethodPost:
		req.Body = http.MaxBytesReader(w, req.Body, 16<<10)
		data.Email, data.Name = strings.TrimSpace(req.PostFormValue("email")), strings.TrimSpace(req.PostFormValue("name"))
		err := s.claim(req.Context(), req.PathValue("code"), secret.String(req.PostFormValue("password")), &data)
		switch {
		case errors.Is(err, errClaimed):
			status, data.Closed = http.StatusNotFound, true
		case errors.Is(err, errOurs):
			status = http.StatusInternalServerError
		case err != nil:
			status = http.StatusUnprocessableEntity
		}
		if err != nil {
			data.Error, data.Token = err.Error(), "" // the creation is rolled back
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		status, data.Error, data.Closed = http.StatusMethodNotAllowed, "method not allowed", true
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = setupPage.Execute(w, data)
}

func (s *Setup) valid(ctx context.Context, code string) error {
	hash, err := s.DB.Read().Ungranted().GetSetting(ctx, settingSetup)
	if err != nil || hash != secret.Hash(code) {
		return errClaimed
	}
	return nil
}

// claim creates the account, its organization and a first token. Of two concurrent calls, one wins.
func (s *Setup) claim(ctx context.Context, code string, password secret.String, data *setupData) error {
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.DeleteSetting(ctx, settingSetup, secret.Hash(code))
		if err != nil {
			return err
		}
		users, err := tx.Ungranted().CountUsers(ctx)
		if err != nil {
			return err
		}
		if n == 0 || users > 0 {
			return errClaimed
		}
		user, err := CreateUser(ctx, tx, data.Name, data.Email, password)
		if err != nil {
			return err
		}
		if data.Slug, err = s.CreateOrganization(ctx, tx, user); err != nil {
			return err
		}
		token, _, err := CreateToken(ctx, tx, user.ID, "first token", access.SetOf(access.All()...), nil)
		data.Token = token.Reveal()
		return err
	})
	for _, known := range []error{errClaimed, ErrEmail, ErrEmailTaken, ErrPassword} {
		if errors.Is(err, known) {
			return known
		}
	}
	if err != nil {
		return errOurs
	}
	return nil
}

// setupStyleHash is the digest of the page's only style, for its content security policy; a test keeps the two together.
const setupStyleHash = "5ZdM8uwyocVobu8ksr+fVz0N/oftQydrEVOWoG5ZaBc="
