package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	mailer "github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Sign handles signing in and out, signing up, and password resets. All of it is public, and answers the same whether an account exists or not.
type Sign struct {
	DB            *db.DB
	Box           *secret.Box
	Router        *api.Router
	Authenticator *Authenticator
	Mail          interface {
		Put(ctx context.Context, tx *db.Tx, m mailer.Message) error
	}
	// Invited returns the address of an invitation; Accept makes the user a member.
	Invited func(ctx context.Context, tx *db.Tx, token string) (string, error)
	Accept  func(ctx context.Context, tx *db.Tx, user query.User, token string) error

	// gate limits how many passwords are checked at once: each takes 19 MiB.
	gate *gate
}

// SettingOpenRegistration is "true" if sign-up is open to all.
const SettingOpenRegistration = "open_registration"

// The purposes of mailed links, and their lifetimes.
const (
	purposeVerify = "verify"
	purposeReset  = "reset"
	verifyLife    = 7 * 24 * time.Hour
	resetLife     = time.Hour
)

// LoginRequest signs in. Code is one of the authenticator app, or a recovery code, if the account has a second factor.
type LoginRequest struct {
	Email    string     `json:"email" maxLength:"254"`
	Password api.Secret `json:"password" maxLength:"1024" writeOnly:"true"`
	Code     api.Secret `json:"code,omitzero" maxLength:"64" writeOnly:"true"`
}

// SignUpRequest creates an account: for the address of an invitation, or for any if registration is open.
type SignUpRequest struct {
	Invitation api.Secret `json:"invitation,omitzero" maxLength:"256" writeOnly:"true"`
	Email      string     `json:"email,omitempty" maxLength:"254" doc:"Omit it with an invitation, which is for one address."`
	Name       string     `json:"name" minLength:"1" maxLength:"255"`
	Password   api.Secret `json:"password" minLength:"12" maxLength:"256" writeOnly:"true"`
}

// VerifyRequest confirms that a link arrived.
type VerifyRequest struct {
	Token api.Secret `json:"token" maxLength:"256" writeOnly:"true"`
}

// Register adds the operations.
func (s *Sign) Register() {
	s.gate = newGate()
	op := func(id, path, summary string, status int) api.Operation {
		return api.Operation{
			ID: id, Method: http.MethodPost, Path: path, Tag: "Account", Mode: api.Sync, Public: true, Extension: true, Status: status,
			Summary: summary,
		}
	}
	login := op("auth.login", "/auth/login", "Sign in", http.StatusOK)
	login.Description = "Sets the cookie of a new session. A 422 with errors.code means that a code from the authenticator app is required."
	api.Do(s.Router, login, api.Self, s.login)
	api.Do(s.Router, op("auth.logout", "/auth/logout", "Sign out", http.StatusNoContent), api.Self, s.logout)
	api.Do(s.Router, op("auth.sign-up", "/auth/sign-up", "Create an account", http.StatusNoContent), api.Self, s.signUp)
	api.Do(s.Router, op("auth.password.forgot", "/auth/password/forgot", "Request a password reset link", http.StatusNoContent), api.Self, s.forgot)
	api.Do(s.Router, op("auth.password.reset", "/auth/password/reset", "Reset a password", http.StatusNoContent), api.Self, s.reset)
	api.Do(s.Router, op("auth.email.verify", "/auth/email/verify", "Verify an email address", http.StatusNoContent), api.Self, s.verify)
}

var errCredentials = &api.Error{Status: http.StatusUnauthorized, Message: "These credentials do not match our records."}

// expensive checks or derives a password when there is a free slot.
func (s *Sign) expensive(ctx context.Context, f func() error) error {
	return s.gate.pass(ctx, api.ClientNetwork(ctx), false, f)
}

// Check reports whether a password is the user's, and counts failures. An unknown account takes as long as an existing one.
func (s *Sign) Check(ctx context.Context, email string, password secret.String) (query.User, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	counters := limitsOf(ctx, s.DB, email)
	failures := throttle{s.DB}
	if err := failures.check(ctx, counters.all()...); err != nil {
		return query.User{}, err
	}
	known, err := counters.account.unless(ctx)
	if err != nil {
		return query.User{}, fmt.Errorf("read sessions: %w", err)
	}
	var user query.User
	err = s.gate.pass(ctx, api.ClientNetwork(ctx), known, func() error {
		if err := failures.check(ctx, counters.all()...); err != nil { // others may have failed while this one waited
			return err
		}
		found, err := s.DB.Read().Ungranted().GetUserByEmail(ctx, email)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return fmt.Errorf("read user: %w", err)
		}
		api.AboutUser(ctx, found.ID)
		if !VerifyPassword(found.PasswordHash, password) {
			if err := failures.fail(ctx, counters.all()...); err != nil {
				return err
			}
			return errCredentials
		}
		user = found
		return nil
	})
	return user, err
}

func (s *Sign) login(ctx context.Context, c api.Call[access.Actor], b LoginRequest) (api.Document[Resource], error) {
	if err := c.Fields.Err(); err != nil {
		return api.Document[Resource]{}, err
	}
	cookie, user, err := s.In(ctx, c.Request, b)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	return api.Document[Resource]{Data: NewResource(s.Router, user), Cookies: []*http.Cookie{cookie}}, nil
}

// In signs a user in: the cookie is that of a new session, and the browser's old one ends.
func (s *Sign) In(ctx context.Context, req *http.Request, b LoginRequest) (*http.Cookie, query.User, error) {
	user, err := s.Check(ctx, b.Email, secret.String(b.Password.Reveal()))
	if err != nil {
		return nil, user, err
	}
	counters := limitsOf(ctx, s.DB, user.Email)
	var cookie *http.Cookie
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := s.secondFactor(ctx, tx, user, b.Code.Reveal()); err != nil {
			return err
		}
		if user.EmailVerifiedAt == nil {
			return api.Invalid("email", "Verify your email address first. Open the verification link to continue.")
		}
		if old, err := s.Authenticator.Session(ctx, req); err == nil {
			if err := tx.DeleteSession(ctx, old.ID); err != nil {
				return fmt.Errorf("end session: %w", err)
			}
		}
		token, _, err := StartSession(ctx, tx, user.ID, api.ClientAddress(ctx), req.UserAgent())
		if err != nil {
			return err
		}
		cookie = s.cookie(token.Reveal(), sessionLife)
		return tx.ForgetFailures(ctx, counters.here.name)
	})
	if errors.Is(err, errCode) {
		if err := (throttle{s.DB}).fail(ctx, counters.all()...); err != nil {
			return nil, user, err
		}
		return nil, user, api.Invalid("code", "The code is not valid, or was already used.")
	}
	return cookie, user, err
}

var errCode = errors.New("the code is not valid")

// secondFactor requires a code if the user has a second factor. A recovery code is used up.
func (s *Sign) secondFactor(ctx context.Context, tx *db.Tx, user query.User, code string) error {
	row, err := tx.GetTwoFactor(ctx, user)
	if errors.Is(err, db.ErrNotFound) || err == nil && row.ConfirmedAt == nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read second factor: %w", err)
	}
	if code == "" {
		return api.Invalid("code", "A code of your authenticator app, or a recovery code, is required.")
	}
	ok, err := useCode(ctx, tx, s.Box, user, code)
	if err != nil || ok {
		return err
	}
	n, err := tx.UseRecoveryCode(ctx, user.ID, hashRecovery(code))
	if err != nil {
		return fmt.Errorf("use recovery code: %w", err)
	}
	if n == 0 {
		return errCode
	}
	return nil
}

func (s *Sign) cookie(token string, life time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(s.Authenticator.Secure), Value: token, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true,
		Secure: s.Authenticator.Secure, SameSite: http.SameSiteLaxMode,
	}
}

func (s *Sign) logout(ctx context.Context, c api.Call[access.Actor], _ api.NoBody) (api.Document[api.NoBody], error) {
	row, err := s.Authenticator.Session(ctx, c.Request)
	if err == nil {
		api.AboutUser(ctx, row.UserID)
		err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.DeleteSession(ctx, row.ID) })
	}
	if err != nil && !errors.Is(err, api.ErrUnauthenticated) {
		return api.Document[api.NoBody]{}, err
	}
	gone := s.cookie("", 0)
	gone.MaxAge = -1
	return api.Document[api.NoBody]{Cookies: []*http.Cookie{gone}}, nil
}

func (s *Sign) signUp(ctx context.Context, c api.Call[access.Actor], b SignUpRequest) (api.Document[api.NoBody], error) {
	var none api.Document[api.NoBody]
	b.Name = c.Fields.Line("name", b.Name, 0)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	open, err := s.DB.Read().Ungranted().GetSetting(ctx, SettingOpenRegistration)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return none, fmt.Errorf("read settings: %w", err)
	}
	if b.Invitation.IsZero() && open != "true" {
		return none, &api.Error{Status: http.StatusForbidden, Message: "Accounts are created by invitation only."}
	}
	counters := limitsOf(ctx, s.DB, "sign-up\x00"+strings.ToLower(strings.TrimSpace(b.Email)))
	counted := []limit{counters.address} // a derivation is expensive, and a token could be guessed
	if b.Invitation.IsZero() {           // each may send mail: every one counts, also by its recipient
		counted = []limit{counters.here, counters.address}
	}
	if err := (throttle{s.DB}).check(ctx, counted...); err != nil {
		return none, err
	}
	if b.Invitation.IsZero() {
		if err := (throttle{s.DB}).fail(ctx, counted...); err != nil {
			return none, err
		}
	}
	var hash string
	err = s.expensive(ctx, func() error {
		hash, err = HashPassword(secret.String(b.Password.Reveal()))
		return err
	})
	if errors.Is(err, ErrPassword) {
		return none, api.Invalid("password", "%s", ErrPassword)
	}
	if err != nil {
		return none, err
	}
	var user query.User
	create := func(ctx context.Context, tx *db.Tx) (err error) {
		if b.Invitation.IsZero() {
			user, err = s.register(ctx, tx, b, hash)
			return err
		}
		email, err := s.Invited(ctx, tx, b.Invitation.Reveal())
		if err != nil {
			return err
		}
		now := tx.Micros() // the token came with the mail to this address
		user, err = insertUser(ctx, tx, b.Name, email, hash, &now)
		if errors.Is(err, ErrEmailTaken) {
			return api.Invalid("invitation", "There is already an account with this address. Sign in to accept the invitation.")
		}
		if err != nil {
			return err
		}
		return s.Accept(ctx, tx, user, b.Invitation.Reveal())
	}
	if err = s.DB.Tx(ctx, create); errors.Is(err, ErrEmailTaken) { // by a concurrent sign-up: its account is found now, and only its mail says so
		err = s.DB.Tx(ctx, create)
	}
	var e *api.Error
	if err != nil && !b.Invitation.IsZero() && errors.As(err, &e) {
		if err := (throttle{s.DB}).fail(ctx, counted...); err != nil {
			return none, err
		}
	}
	if err == nil {
		api.AboutUser(ctx, user.ID)
	}
	return none, err
}

// register creates an account that its owner has to verify, or finds the one there is. Only the mail reveals whether the address already had one.
func (s *Sign) register(ctx context.Context, tx *db.Tx, b SignUpRequest, hash string) (query.User, error) {
	if !validEmail(b.Email) {
		return query.User{}, api.Invalid("email", "The email field must be an email address.")
	}
	if user, err := tx.Ungranted().GetUserByEmail(ctx, strings.ToLower(b.Email)); err == nil {
		return user, s.Mail.Put(ctx, tx, mailer.Message{
			To: user.Email, Subject: "You have a Hostler account",
			Text: "Someone tried to create a Hostler account with this email address, which already has one. If this was you, sign in, or request a link to " +
				"set a new password.",
			About: mailer.About{Kind: MailKnown},
		})
	} else if !errors.Is(err, db.ErrNotFound) {
		return user, fmt.Errorf("read user: %w", err)
	}
	user, err := insertUser(ctx, tx, b.Name, b.Email, hash, nil)
	if err != nil {
		return user, err
	}
	return user, s.link(ctx, tx, user, purposeVerify, verifyLife, mailer.Message{
		Subject: "Verify your email address",
		Text:    "Open this link to verify your email address and activate your Hostler account:",
	}, "/verify-email")
}

// link mails a link that works once. The token follows the #, so that no server logs it.
func (s *Sign) link(ctx context.Context, tx *db.Tx, user query.User, purpose string, life time.Duration, m mailer.Message, path string) error {
	if _, err := tx.DeleteEmailTokens(ctx, user.ID, purpose); err != nil {
		return fmt.Errorf("make link: %w", err)
	}
	token := secret.Random(32)
	err := tx.InsertEmailToken(ctx, query.InsertEmailTokenParams{
		UserID: user.ID, Purpose: purpose, Hash: secret.Hash(token),
		ExpiresAt: tx.Now.Add(life).UnixMicro(), CreatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("make link: %w", err)
	}
	m.To, m.Link, m.About = user.Email, s.Router.URL(path+"#"+token), mailer.About{Kind: MailLink, ID: user.ID, State: purpose}
	return s.Mail.Put(ctx, tx, m)
}

// redeem returns the user whom a link was mailed to, and invalidates it.
func (s *Sign) redeem(ctx context.Context, tx *db.Tx, token, purpose string) (query.User, error) {
	row, err := tx.Ungranted().GetEmailToken(ctx, secret.Hash(token), purpose, tx.Micros())
	if errors.Is(err, db.ErrNotFound) {
		return query.User{}, api.Invalid("token", "This link was already used, or has expired.")
	}
	if err != nil {
		return query.User{}, fmt.Errorf("read link: %w", err)
	}
	n, err := tx.DeleteEmailTokens(ctx, row.UserID, purpose)
	if err != nil {
		return query.User{}, fmt.Errorf("use link: %w", err)
	}
	if n == 0 { // its twin was faster
		return query.User{}, api.Invalid("token", "This link was already used, or has expired.")
	}
	api.AboutUser(ctx, row.UserID)
	return tx.Ungranted().GetUser(ctx, row.UserID)
}

func (s *Sign) verify(ctx context.Context, c api.Call[access.Actor], b VerifyRequest) (api.Document[api.NoBody], error) {
	var none api.Document[api.NoBody]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	return none, s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		user, err := s.redeem(ctx, tx, b.Token.Reveal(), purposeVerify)
		if err != nil {
			return err
		}
		return tx.VerifyEmail(ctx, user.ID, new(tx.Micros()))
	})
}
