package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// SessionAttributes are the attributes of a session.
type SessionAttributes struct {
	Address    string   `json:"address"`
	UserAgent  string   `json:"user_agent"`
	Current    bool     `json:"current" doc:"Whether this request uses the session."`
	LastSeenAt api.Time `json:"last_seen_at"`
	ExpiresAt  api.Time `json:"expires_at"`
	CreatedAt  api.Time `json:"created_at"`
}

// ResourceType returns sessions.
func (SessionAttributes) ResourceType() string { return "sessions" }

// SessionResource is a session in a document.
type SessionResource = api.Resource[SessionAttributes, api.NoRelationships]

// PasswordRequest proves that the caller is still the person who signed in.
type PasswordRequest struct {
	Password api.Secret `json:"password" maxLength:"1024" writeOnly:"true"`
}

// UpdateUserRequest changes the person's account.
type UpdateUserRequest struct {
	Name string `json:"name" minLength:"1" maxLength:"255"`
}

// AcceptRequest accepts an invitation.
type AcceptRequest struct {
	Invitation api.Secret `json:"invitation" maxLength:"256" writeOnly:"true" doc:"The part of the emailed link after the #."`
}

// owned is a resource of the caller's own.
type owned[T any] struct {
	access.Actor
	row T
}

// Personal are the operations on the caller's own account that no token may call.
type Personal struct {
	Sign *Sign
	// Organizations returns the caller's organizations, by slug.
	Organizations func(ctx context.Context, actor access.Actor) (map[string]int64, error)
}

// Register adds the operations.
func (p *Personal) Register() {
	r := p.Sign.Router
	op := func(id, method, path, summary string, status int) api.Operation {
		return api.Operation{ID: id, Method: method, Path: path, Tag: "Account", Mode: api.Sync, Personal: true, Extension: true, Status: status, Summary: summary}
	}
	rename := op("user.update", http.MethodPut, "/user", "Change your name", 200)
	rename.Description = "Members of your organizations see the new name, also on earlier work."
	rename.Example = map[string]any{"name": "Ada Lovelace"}
	api.Write(r, rename, api.Self, p.update)
	api.Index(r, op("user.sessions.index", http.MethodGet, "/user/sessions", "List the sessions", 200), api.Self, p.sessions)
	api.WriteEmpty(r, op("user.sessions.destroy", http.MethodDelete, "/user/sessions/{session}", "End a session", 204), p.sessionInPath, p.endSession)
	api.Index(r, op("user.tokens.index", http.MethodGet, "/user/tokens", "List the personal access tokens", 200), api.Self, p.tokens)
	store := op("user.tokens.store", http.MethodPost, "/user/tokens", "Create a personal access token", 201)
	store.Located = true
	store.Description = "The token itself is in meta.shown_once and is shown only once."
	api.WriteChecked(r, store, api.Self, p.checkToken, p.createToken)
	api.WriteEmpty(r, op("user.tokens.destroy", http.MethodDelete, "/user/tokens/{token}", "Revoke a personal access token", 204), p.tokenInPath, p.revokeToken)
	change := op("user.password.update", http.MethodPut, "/user/password", "Change the password", 200)
	change.Description = "Other sessions end unless end_sessions is false. Tokens keep working unless revoke_tokens is true; the response lists those that " +
		"still work."
	api.Do(r, change, api.Self, p.updatePassword)
	api.Show(r, op("user.two-factor.show", http.MethodGet, "/user/two-factor", "Get the state of the second factor", 200), api.Self, p.twoFactor)
	begin := op("user.two-factor.store", http.MethodPost, "/user/two-factor", "Start setting up a second factor", 200)
	begin.Description = "meta.shown_once contains the secret for the authenticator app. It takes effect once a code confirms it."
	api.Do(r, begin, api.Self, p.beginTwoFactor)
	confirm := op("user.two-factor.confirm", http.MethodPost, "/user/two-factor/confirm", "Confirm a second factor with a code", 200)
	confirm.Description = "meta.shown_once contains the recovery codes. Each can be used once in place of a code."
	api.Do(r, confirm, api.Self, p.confirmTwoFactor)
	api.Do(r, op("user.two-factor.destroy", http.MethodDelete, "/user/two-factor", "Remove the second factor", 204), api.Self, p.removeTwoFactor)
	api.Do(r, op("user.recovery-codes.store", http.MethodPost, "/user/recovery-codes", "Generate new recovery codes", 200), api.Self, p.newCodes)
	api.Write(r, op("user.invitations.store", http.MethodPost, "/user/invitations", "Accept an invitation", 200), api.Self, p.accept)
}

func (p *Personal) db() *db.DB { return p.Sign.DB }

func (p *Personal) update(ctx context.Context, tx *db.Tx, c api.Call[access.Actor], b UpdateUserRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	name := c.Fields.Line("name", b.Name, 0)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	user, err := tx.RenameUser(ctx, c.Parent.UserID, name, tx.Micros())
	if err != nil {
		return none, fmt.Errorf("rename user: %w", err)
	}
	return api.Document[Resource]{Data: NewResource(p.Sign.Router, user)}, nil
}

func (p *Personal) sessions(ctx context.Context, c api.Call[access.Actor]) (api.Collection[SessionResource], error) {
	return api.Paged(ctx, p.db().Reader(), c.List.Of("sessions", db.Equal("user_id", c.Parent.UserID)), api.Each(func(row query.Session) SessionResource {
		return p.sessionResource(c.Parent, row)
	}))
}

func (p *Personal) sessionResource(actor access.Actor, row query.Session) SessionResource {
	id := strconv.FormatInt(row.ID, 10)
	return SessionResource{
		ID: id, Links: p.Sign.Router.Links("/user/sessions/" + id),
		Attributes: SessionAttributes{
			Address: row.Address, UserAgent: row.UserAgent,
			Current: row.ID == actor.SessionID, LastSeenAt: api.TimeOf(row.LastSeenAt), ExpiresAt: api.TimeOf(row.ExpiresAt), CreatedAt: api.TimeOf(row.CreatedAt),
		},
	}
}

func (p *Personal) sessionInPath(ctx context.Context, actor access.Actor, path api.PathValues) (owned[query.Session], error) {
	id, err := path.ID("session")
	if err != nil {
		return owned[query.Session]{}, err
	}
	row, err := p.db().Read().GetSession(ctx, actor, id)
	if err != nil {
		return owned[query.Session]{}, fmt.Errorf("read session %d: %w", id, err)
	}
	return owned[query.Session]{actor, row}, nil
}

func (p *Personal) endSession(ctx context.Context, tx *db.Tx, c api.Call[owned[query.Session]], _ api.NoBody) (api.Empty, error) {
	if err := api.Was(ctx, p.sessionResource(c.Parent.Actor, c.Parent.row)); err != nil {
		return api.Empty{}, err
	}
	if err := tx.DeleteSession(ctx, c.Parent.row.ID); err != nil {
		return api.Empty{}, fmt.Errorf("end session: %w", err)
	}
	return api.Empty{}, nil
}

// again requires the password once more, for actions that an open browser alone must not allow.
func (p *Personal) again(ctx context.Context, actor access.Actor, field, password string) (query.User, error) {
	user, err := p.db().Read().GetUser(ctx, actor)
	if err != nil {
		return user, fmt.Errorf("read user: %w", err)
	}
	user, err = p.Sign.Check(ctx, user.Email, secret.String(password))
	if errors.Is(err, errCredentials) {
		return user, api.Invalid(field, "The password is not right.")
	}
	return user, err
}

func (p *Personal) accept(ctx context.Context, tx *db.Tx, c api.Call[access.Actor], b AcceptRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	user, err := tx.GetUser(ctx, c.Parent)
	if err != nil {
		return none, fmt.Errorf("read user: %w", err)
	}
	if err := p.Sign.Accept(ctx, tx, user, b.Invitation.Reveal()); err != nil {
		return none, err
	}
	return api.Document[Resource]{Data: NewResource(p.Sign.Router, user)}, nil
}
