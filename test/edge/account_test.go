package edge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

const password = "correct horse battery staple"

// passwordHash is derived once: it takes long on purpose.
var passwordHash = sync.OnceValues(func() (string, error) { return account.HashPassword(secret.String(password)) })

func onOwn(t things) map[string]string {
	return map[string]string{"session": t.session, "token": t.token, "grant": t.grant}
}

func passwordBody(*world, int64) any { return map[string]any{"password": password} }

// WithPassword gives a user the password of the tests.
func (e *Env) WithPassword(user int64) {
	e.T.Helper()
	hash, err := passwordHash()
	if err != nil {
		e.T.Fatal(err)
	}
	e.Tx(func(ctx context.Context, tx *db.Tx) error { return tx.SetPassword(ctx, user, hash, tx.Micros()) })
}

func withPassword(w *world, _ things) { w.WithPassword(w.users["owner"].ID) }

func withInvitation(w *world, t things) {
	w.owner.Post("/orgs/"+t.slug+"/invites", map[string]any{"email": "new@example.com", "role_id": 5}).Want(w.T, 200)
	w.link = w.Mail.Token(w.T, "new@example.com")
}

func withOwnInvitation(w *world, t things) {
	w.owner.Post("/orgs/"+t.slug+"/invites", map[string]any{"email": "owner@example.com", "role_id": 5}).Want(w.T, 200)
	w.link = w.Mail.Token(w.T, "owner@example.com")
}

func withReset(w *world, _ things) {
	w.As("").Post("/auth/password/forgot", map[string]any{"email": "owner@example.com"}).Want(w.T, 204)
	w.link = w.Mail.Token(w.T, "owner@example.com")
}

func (e *Env) openRegistration() {
	e.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.PutSetting(ctx, account.SettingOpenRegistration, "true")
	})
}

func withVerification(w *world, _ things) {
	w.openRegistration()
	w.As("").Post("/auth/sign-up", map[string]any{"email": "new@example.com", "name": "New", "password": password}).Want(w.T, 204)
	w.link = w.Mail.Token(w.T, "new@example.com")
}

// withSecret begins to set up a second factor for the owner.
func withSecret(w *world, t things) {
	withPassword(w, t)
	a := w.Session(w.users["owner"]).Post("/user/two-factor", map[string]any{"password": password}).Want(w.T, 200)
	w.code = w.appCode(a.Text("data", "meta", "shown_once", "secret"), 0)
}

func withTwoFactor(w *world, t things) {
	withSecret(w, t)
	w.Session(w.users["owner"]).Post("/user/two-factor/confirm", map[string]any{"code": w.code}).Want(w.T, 200)
}

// appCode returns what an authenticator app shows, some time from now.
func (e *Env) appCode(text string, later time.Duration) string {
	e.T.Helper()
	code, err := totp.GenerateCode(text, e.Clock.Now().Add(later))
	if err != nil {
		e.T.Fatal(fmt.Errorf("%s: %w", text, err))
	}
	return code
}
