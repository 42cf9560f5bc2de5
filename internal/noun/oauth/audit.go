package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// note records what a program does, or is refused, with a person's authorization.
func note(ctx context.Context, tx *db.Tx, c query.OauthClient, grant query.OauthGrant, operation, path, refused string) error {
	var scopes []string
	_ = json.Unmarshal([]byte(grant.Scopes), &scopes) // written by us
	n := api.Note{
		Operation: operation, Path: path, Status: http.StatusOK, Message: refused, UserID: grant.UserID,
		Caller: access.Actor{OAuthID: grant.ID}.Caller(),
		Kind:   OAuthGrantAttributes{}.ResourceType(), ID: strconv.FormatInt(grant.ID, 10), After: map[string]any{
			"client": c.Name, "client_id": c.ClientID,
			"scopes": scopes,
		},
	}
	if refused != "" {
		n.Status = http.StatusBadRequest
	}
	return n.Keep(ctx, tx)
}

// outcome is note for what ended in a refusal or in no such outcome.
func (p *Provider) outcome(ctx context.Context, tx *db.Tx, c client, grant query.OauthGrant, operation, path string, refused error) error {
	if grant.ID == 0 { // anonymous
		return nil
	}
	var r *refusal
	text := ""
	if errors.As(refused, &r) {
		text = r.description
	}
	return note(ctx, tx, c.OauthClient, grant, operation, path, text)
}

// denied records that a person refused.
func (p *Provider) denied(ctx context.Context, c query.OauthClient, session query.Session, path string) error {
	return p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return decision(c, session, path, "the person said no").Keep(ctx, tx)
	})
}

// decision returns the line about a person's answer to a program.
func decision(c query.OauthClient, session query.Session, path, refused string) api.Note {
	n := api.Note{
		Operation: "oauth.consent", Path: path, Status: http.StatusOK, Message: refused, UserID: session.UserID,
		Caller: access.Actor{UserID: session.UserID, SessionID: session.ID}.Caller(),
		Kind:   OAuthClientAttributes{}.ResourceType(), ID: strconv.FormatInt(c.ID, 10), After: map[string]any{"client": c.Name, "client_id": c.ClientID},
	}
	if refused != "" {
		n.Status = http.StatusForbidden
	}
	return n
}

// noteSignIn writes the line that signing in through the API has as well.
func (p *Provider) noteSignIn(ctx context.Context, user query.User, refused *api.Error) error {
	n := api.Note{Operation: "oauth.sign-in", Path: pathSignIn, Status: http.StatusOK, UserID: user.ID}
	if n.UserID == 0 {
		n.UserID = api.UserOfLine(ctx)
	}
	if refused != nil {
		n.Status, n.Message = refused.Status, refused.Message
	}
	return p.DB.Tx(ctx, n.Keep)
}
