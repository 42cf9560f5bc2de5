package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Authenticator identifies callers by their bearer tokens, and signed-in people by the cookie of their session.
type Authenticator struct {
	DB *db.DB
	// Other identifies bearer tokens other than personal access tokens, that is, OAuth tokens. It may be nil.
	Other func(ctx context.Context, token string) (access.Actor, error)
	// Secure is set if the installation is served over https.
	Secure bool

	// scopes caches parsed lists of scopes: most tokens have one of a few, and parsing one takes longer than finding its token.
	mu     sync.RWMutex
	scopes map[string]access.Set
}

// maxScopeLists limits the cache; beyond it lists are parsed each time.
const maxScopeLists = 1024

func (a *Authenticator) readScopes(text string) (access.Set, error) {
	a.mu.RLock()
	set, ok := a.scopes[text]
	a.mu.RUnlock()
	if ok {
		return set, nil
	}
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		return set, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.scopes == nil {
		a.scopes = map[string]access.Set{}
	}
	if len(a.scopes) < maxScopeLists {
		a.scopes[text] = set
	}
	return set, nil
}

// lastUsedEvery is the precision of the last use of a token or session: a write per request would cost more than the request.
const lastUsedEvery = 5 * time.Minute

// Authenticate reads the Authorization header (RFC 6750, 2.1), or the cookie if there is none.
func (a *Authenticator) Authenticate(ctx context.Context, req *http.Request) (access.Actor, error) {
	header := req.Header.Get("Authorization")
	if header == "" {
		return a.session(ctx, req)
	}
	scheme, token, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || len(token) > 512 {
		return access.Actor{}, api.ErrUnauthenticated
	}
	token = strings.TrimSpace(token)
	if a.Other != nil && !strings.HasPrefix(token, TokenPrefix) {
		return a.Other(ctx, token)
	}
	return a.personal(ctx, token)
}

func (a *Authenticator) personal(ctx context.Context, token string) (access.Actor, error) {
	row, err := a.DB.Read().Ungranted().GetTokenByHash(ctx, secret.Hash(token))
	if errors.Is(err, db.ErrNotFound) {
		return access.Actor{}, api.ErrUnauthenticated
	}
	if err != nil {
		return access.Actor{}, fmt.Errorf("read token: %w", err)
	}
	now := a.DB.Clock.Now()
	if row.RevokedAt != nil || (row.ExpiresAt != nil && *row.ExpiresAt <= now.UnixMicro()) {
		return access.Actor{}, api.ErrUnauthenticated
	}
	actor := access.Actor{UserID: row.UserID, TokenID: row.ID}
	if actor.Scopes, err = a.readScopes(row.Scopes); err != nil {
		return access.Actor{}, fmt.Errorf("read scopes of token %d: %w", row.ID, err)
	}
	if row.RateLimit != nil {
		actor.RateLimit = int(*row.RateLimit)
	}
	if row.Organizations != nil {
		if err := json.Unmarshal([]byte(*row.Organizations), &actor.Organizations); err != nil || actor.Organizations == nil {
			return access.Actor{}, fmt.Errorf("read organizations of token %d: %w", row.ID, err)
		}
	}
	if row.LastUsedAt == nil || *row.LastUsedAt < now.Add(-lastUsedEvery).UnixMicro() {
		err := a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			micros := tx.Micros()
			return tx.TouchToken(ctx, row.ID, &micros)
		})
		if err != nil {
			return access.Actor{}, fmt.Errorf("note use of token: %w", err)
		}
	}
	return actor, nil
}

// The maximum lifetime of a session, in total and without use.
const (
	sessionLife = 30 * 24 * time.Hour
	SessionIdle = 7 * 24 * time.Hour
)

// cookieName starts with __Host- where the browser then ensures that no other host has set it.
func cookieName(secure bool) string {
	if secure {
		return "__Host-hostler"
	}
	return "hostler"
}

// sessionToken accepts only our own name: a neighbour below the same domain can set every name except one with __Host-.
func (a *Authenticator) sessionToken(req *http.Request) string {
	if c, err := req.Cookie(cookieName(a.Secure)); err == nil && len(c.Value) < 512 {
		return c.Value
	}
	return ""
}

func (a *Authenticator) session(ctx context.Context, req *http.Request) (access.Actor, error) {
	row, err := a.Session(ctx, req)
	if err != nil {
		return access.Actor{}, err
	}
	if row.LastSeenAt < a.DB.Clock.Now().Add(-lastUsedEvery).UnixMicro() {
		err := a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.TouchSession(ctx, row.ID, tx.Micros(), api.ClientAddress(ctx))
		})
		if err != nil {
			return access.Actor{}, fmt.Errorf("note use of session: %w", err)
		}
	}
	return access.Actor{UserID: row.UserID, SessionID: row.ID, Scopes: access.SetOf(access.All()...)}, nil
}

// Session returns the session of a request's cookie.
func (a *Authenticator) Session(ctx context.Context, req *http.Request) (query.Session, error) {
	token := a.sessionToken(req)
	if token == "" {
		return query.Session{}, api.ErrUnauthenticated
	}
	row, err := a.DB.Read().Ungranted().GetSessionByHash(ctx, secret.Hash(token))
	if errors.Is(err, db.ErrNotFound) {
		return query.Session{}, api.ErrUnauthenticated
	}
	if err != nil {
		return query.Session{}, fmt.Errorf("read session: %w", err)
	}
	now := a.DB.Clock.Now()
	if row.ExpiresAt <= now.UnixMicro() || row.LastSeenAt <= now.Add(-SessionIdle).UnixMicro() {
		return query.Session{}, api.ErrUnauthenticated
	}
	return row, nil
}

// StartSession creates a session. Its token is new whatever the browser had before, so that none can be planted.
func StartSession(ctx context.Context, tx *db.Tx, user int64, address, agent string) (secret.String, query.Session, error) {
	token := secret.Random(32)
	if len(agent) > 256 {
		agent = agent[:256]
	}
	row, err := tx.InsertSession(ctx, query.InsertSessionParams{
		UserID: user, Hash: secret.Hash(token), Address: address, UserAgent: strings.ToValidUTF8(agent, ""),
		LastSeenAt: tx.Micros(), ExpiresAt: tx.Now.Add(sessionLife).UnixMicro(),
	})
	if err != nil {
		return "", row, fmt.Errorf("start session: %w", err)
	}
	return secret.String(token), row, nil
}
