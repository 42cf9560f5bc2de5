// Package oauth lets programs act for people: the authorization server of OAuth 2.0 (RFC 6749 as restricted by RFC 9700): the
// code flow with PKCE (RFC 7636), rotating refresh tokens, the device flow (RFC 8628), revocation (RFC 7009), introspection (RFC
// 7662), metadata (RFC 8414). zitadel/oidc reads requests and writes answers; the decisions are made here, each in one
// transaction.
package oauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

// What our tokens begin with, for secret scanners.
const (
	AccessPrefix  = "hostler_oat_"
	refreshPrefix = "hostler_ort_"
	secretPrefix  = "hostler_ocs_"
)

const (
	kindAccess  = "access"
	kindRefresh = "refresh"
)

// The lifetimes of what is given out. Access and refresh tokens are settable.
const (
	codeLife           = time.Minute
	deviceLife         = 10 * time.Minute
	deviceInterval     = 5 * time.Second
	DefaultAccessLife  = time.Hour
	DefaultRefreshLife = 30 * 24 * time.Hour
)

// Provider is the authorization server.
type Provider struct {
	DB     *db.DB
	Router *api.Router
	Log    *slog.Logger
	Sign   *account.Sign
	// Issuer is the auth URL.
	Issuer *url.URL
	// AccessLife and RefreshLife default to an hour and 30 days.
	AccessLife  time.Duration
	RefreshLife time.Duration
}

// refusal is a protocol error for a program.
type refusal struct{ code, description string }

func (r *refusal) Error() string { return r.code + ": " + r.description }

func refuse(code, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// The error codes of RFC 6749 and RFC 8628.
const (
	invalidRequest = "invalid_request"
	invalidClient  = "invalid_client"
	invalidGrant   = "invalid_grant"
	invalidScope   = "invalid_scope"
	accessDenied   = "access_denied"
	expiredToken   = "expired_token"
	pending        = "authorization_pending"
	slowDown       = "slow_down"
	unsupported    = "unsupported_response_type"
)

// client is a registered program.
type client struct {
	query.OauthClient
	redirects []string
	scopes    access.Set
}

func read(row query.OauthClient) (client, error) {
	c := client{OauthClient: row}
	if err := json.Unmarshal([]byte(row.RedirectUris), &c.redirects); err != nil {
		return c, fmt.Errorf("read redirects of client %d: %w", row.ID, err)
	}
	if row.Scopes == "*" {
		c.scopes = access.SetOf(access.All()...)
		return c, nil
	}
	if err := json.Unmarshal([]byte(row.Scopes), &c.scopes); err != nil {
		return c, fmt.Errorf("read scopes of client %d: %w", row.ID, err)
	}
	return c, nil
}

func (c client) public() bool { return c.SecretHash == nil }

func (c client) isSecret(given string) bool {
	return c.SecretHash != nil && subtle.ConstantTimeCompare([]byte(*c.SecretHash), []byte(secret.Hash(given))) == 1
}

func (p *Provider) client(ctx context.Context, id string) (client, error) {
	row, err := p.DB.Read().Ungranted().GetOAuthClientByClientID(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		return client{}, refuse(invalidClient, "the client is not known")
	}
	if err != nil {
		return client{}, fmt.Errorf("read client: %w", err)
	}
	return read(row)
}

// scopesOf reads a list of scopes: each a permission that the client may have. Those of OpenID Connect are passed over, as nothing here is it.
func scopesOf(c client, text string) (access.Set, error) {
	var set access.Set
	for name := range strings.FieldsSeq(text) {
		if name == "offline_access" {
			continue
		}
		scope, err := access.Parse(name)
		if err != nil {
			return set, refuse(invalidScope, "%q is not a scope", name)
		}
		if !c.scopes.Has(scope) {
			return set, refuse(invalidScope, "the client is not allowed the scope %s", scope)
		}
		set = set.Add(scope)
	}
	if set.Empty() {
		return set, refuse(invalidScope, "at least one scope is required")
	}
	return set, nil
}

// granted returns the scopes that a person allowed a program, less those that were taken from the program since.
func granted(c client, raw string) (access.Set, error) {
	var scopes access.Set
	if err := json.Unmarshal([]byte(raw), &scopes); err != nil {
		return scopes, fmt.Errorf("read scopes: %w", err)
	}
	if scopes = scopes.Intersect(c.scopes); scopes.Empty() {
		return scopes, refuse(invalidGrant, "the client is not allowed any scope of the authorization now")
	}
	return scopes, nil
}

func list(set access.Set) string {
	raw, _ := json.Marshal(set) // strings only
	return string(raw)
}

func names(set access.Set) []string {
	var out []string
	for _, p := range set.List() {
		out = append(out, string(p))
	}
	return out
}

// tokens is what a program is given.
type tokens struct {
	access, refresh string
	scopes          access.Set
	expires         time.Duration
}

func (p *Provider) accessLife() time.Duration {
	if p.AccessLife > 0 {
		return p.AccessLife
	}
	return DefaultAccessLife
}

// issue creates an access token, and a refresh token with all the scopes of the grant.
func (p *Provider) issue(ctx context.Context, tx *db.Tx, grant query.OauthGrant, scopes access.Set) (tokens, error) {
	out := tokens{access: AccessPrefix + secret.Random(32), refresh: refreshPrefix + secret.Random(32), scopes: scopes, expires: p.accessLife()}
	refresh := p.RefreshLife
	if refresh == 0 {
		refresh = DefaultRefreshLife
	}
	for _, t := range []struct {
		kind, token, scopes string
		life                time.Duration
	}{{kindAccess, out.access, list(scopes), out.expires}, {kindRefresh, out.refresh, grant.Scopes, refresh}} {
		_, err := tx.InsertOAuthToken(ctx, query.InsertOAuthTokenParams{
			GrantID: grant.ID, Kind: t.kind, Hash: secret.Hash(t.token), Scopes: t.scopes,
			ExpiresAt: tx.Now.Add(t.life).UnixMicro(), CreatedAt: tx.Micros(),
		})
		if err != nil {
			return out, fmt.Errorf("issue token: %w", err)
		}
	}
	return out, nil
}

// authorize keeps what a person allowed, and returns the code for it.
func (p *Provider) authorize(ctx context.Context, tx *db.Tx, r request, user int64) (string, error) {
	code := secret.Random(32)
	in := query.InsertOAuthGrantParams{
		ClientID: r.client.ID, UserID: user, Scopes: list(r.scopes), CodeHash: new(secret.Hash(code)), RedirectUri: &r.redirect,
		CodeExpiresAt: new(tx.Now.Add(codeLife).UnixMicro()), CreatedAt: tx.Micros(),
	}
	if r.challenge != "" {
		in.CodeChallenge = &r.challenge
	}
	grant, err := tx.InsertOAuthGrant(ctx, in)
	if err != nil {
		return "", fmt.Errorf("keep grant: %w", err)
	}
	return code, note(ctx, tx, r.client.OauthClient, grant, "oauth.consent", pathAuthorize, "")
}

// exchange takes a code for tokens. A code that comes a second time was stolen, the first time or now: all that came of it ends.
func (p *Provider) exchange(ctx context.Context, c client, code, redirect, verifier string) (tokens, error) {
	var out tokens
	var refused error
	err := p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		grant, err := tx.Ungranted().GetOAuthGrantByCode(ctx, new(secret.Hash(code)))
		defer func() {
			if err == nil {
				err = p.outcome(ctx, tx, c, grant, "oauth.token", pathToken, refused)
			}
		}()
		if errors.Is(err, db.ErrNotFound) {
			refused = refuse(invalidGrant, "the code is not valid")
			return nil
		}
		if err != nil {
			return fmt.Errorf("read code: %w", err)
		}
		switch {
		case grant.ClientID != c.ID:
			refused = refuse(invalidGrant, "the code is not valid")
			return nil
		case grant.CodeUsedAt != nil:
			refused = refuse(invalidGrant, "the code was used")
			return tx.RevokeOAuthGrant(ctx, grant.ID, new(tx.Micros()))
		case grant.RevokedAt != nil || grant.CodeExpiresAt == nil || *grant.CodeExpiresAt <= tx.Micros():
			refused = refuse(invalidGrant, "the code has expired")
			return nil
		case grant.RedirectUri == nil || *grant.RedirectUri != redirect:
			refused = refuse(invalidGrant, "the redirect_uri is not the one of the authorization")
			return nil
		case !slices.Contains(c.redirects, redirect): // since the code was sent there
			refused = refuse(invalidGrant, "the redirect_uri is not registered for the client now")
			return nil
		case grant.CodeChallenge == nil && verifier != "":
			refused = refuse(invalidGrant, "the authorization had no code_challenge")
			return nil
		case grant.CodeChallenge != nil && !verifies(*grant.CodeChallenge, verifier):
			refused = refuse(invalidGrant, "the code_verifier does not belong to the code_challenge")
			return nil
		}
		scopes, err := granted(c, grant.Scopes)
		if errors.As(err, new(*refusal)) {
			refused = err
			return nil
		}
		if err != nil {
			return fmt.Errorf("read grant %d: %w", grant.ID, err)
		}
		n, err := tx.UseOAuthCode(ctx, grant.ID, new(tx.Micros()))
		if err != nil {
			return fmt.Errorf("use code: %w", err)
		}
		if n == 0 { // its twin was faster
			refused = refuse(invalidGrant, "the code was used")
			return tx.RevokeOAuthGrant(ctx, grant.ID, new(tx.Micros()))
		}
		out, err = p.issue(ctx, tx, grant, scopes)
		return err
	})
	return out, cmp.Or(err, refused)
}

// refresh takes a refresh token for new tokens. It works once; one that comes again was stolen, and the grant ends.
func (p *Provider) refresh(ctx context.Context, c client, token, narrower string) (tokens, error) {
	var out tokens
	var refused error
	err := p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		row, grant, err := find(ctx, tx.Ungranted(), token)
		defer func() {
			if err == nil {
				err = p.outcome(ctx, tx, c, grant, "oauth.refresh", pathToken, refused)
			}
		}()
		if errors.Is(err, db.ErrNotFound) {
			refused = refuse(invalidGrant, "the refresh token is not valid")
			return nil
		}
		if err != nil {
			return err
		}
		if row.Kind != kindRefresh || grant.ClientID != c.ID || grant.RevokedAt != nil || row.ExpiresAt <= tx.Micros() {
			refused = refuse(invalidGrant, "the refresh token is not valid")
			return nil
		}
		scopes, err := granted(c, grant.Scopes)
		var none *refusal
		if err != nil && !errors.As(err, &none) {
			return fmt.Errorf("read grant %d: %w", grant.ID, err)
		}
		if none != nil && row.UsedAt == nil {
			refused = none
			return nil
		}
		if row.UsedAt == nil && narrower != "" {
			c.scopes = scopes
			if scopes, refused = scopesOf(c, narrower); refused != nil {
				return nil
			}
		}
		n, err := tx.UseOAuthToken(ctx, row.ID, new(tx.Micros()))
		if err != nil {
			return fmt.Errorf("use refresh token: %w", err)
		}
		if n == 0 {
			refused = refuse(invalidGrant, "the refresh token was used; the authorization has been revoked")
			return tx.RevokeOAuthGrant(ctx, grant.ID, new(tx.Micros()))
		}
		out, err = p.issue(ctx, tx, grant, scopes)
		return err
	})
	return out, cmp.Or(err, refused)
}

func find(ctx context.Context, q *query.Queries, token string) (query.OauthToken, query.OauthGrant, error) {
	row, err := q.GetOAuthToken(ctx, secret.Hash(token))
	if err != nil {
		return row, query.OauthGrant{}, fmt.Errorf("read token: %w", err)
	}
	grant, err := q.GetOAuthGrant(ctx, row.GrantID)
	if err != nil {
		return row, grant, fmt.Errorf("read grant %d: %w", row.GrantID, err)
	}
	return row, grant, nil
}

// Tokens identifies callers by the access tokens that were given out.
type Tokens struct{ DB *db.DB }

// Authenticate returns the person and the program that a token is of.
func (t Tokens) Authenticate(ctx context.Context, token string) (access.Actor, error) {
	if !strings.HasPrefix(token, AccessPrefix) {
		return access.Actor{}, api.ErrUnauthenticated
	}
	row, grant, err := find(ctx, t.DB.Read().Ungranted(), token)
	if errors.Is(err, db.ErrNotFound) {
		return access.Actor{}, api.ErrUnauthenticated
	}
	if err != nil {
		return access.Actor{}, err
	}
	if row.Kind != kindAccess || grant.RevokedAt != nil || row.ExpiresAt <= t.DB.Clock.Now().UnixMicro() {
		return access.Actor{}, api.ErrUnauthenticated
	}
	actor := access.Actor{UserID: grant.UserID, OAuthID: grant.ID}
	if err := json.Unmarshal([]byte(row.Scopes), &actor.Scopes); err != nil {
		return access.Actor{}, fmt.Errorf("read scopes of token %d: %w", row.ID, err)
	}
	program, err := t.DB.Read().Ungranted().GetOAuthClientByID(ctx, grant.ClientID)
	if err != nil {
		return access.Actor{}, fmt.Errorf("read client %d: %w", grant.ClientID, err)
	}
	c, err := read(program)
	if err != nil {
		return access.Actor{}, err
	}
	actor.Scopes = actor.Scopes.Intersect(c.scopes) // what a program may have at most can be cut after it was let in
	return actor, nil
}

// revoke ends a token of a client: an access token alone, a refresh token with its whole grant. A token of another client is left alone.
func (p *Provider) revoke(ctx context.Context, c client, token string) error {
	return p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, grant, err := find(ctx, tx.Ungranted(), token)
		if errors.Is(err, db.ErrNotFound) || err == nil && grant.ClientID != c.ID {
			return nil
		}
		if err != nil {
			return err
		}
		if row.Kind == kindRefresh {
			err = tx.RevokeOAuthGrant(ctx, grant.ID, new(tx.Micros()))
		} else {
			err = tx.DeleteOAuthToken(ctx, row.ID)
		}
		if err != nil {
			return fmt.Errorf("revoke token: %w", err)
		}
		return note(ctx, tx, c.OauthClient, grant, "oauth.revoke", pathRevoke, "")
	})
}

// hostPattern is stricter than a URL's syntax: the host of a redirect is written into the policy of the consent page.
var hostPattern = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// notOfURIs are printable characters that no URI has (RFC 3986, 2).
const notOfURIs = ` "<>\^` + "`{|}"

// checkRedirect reads a redirect of a client: https anywhere, http on this machine only, or a scheme of an app's own. Later it must be met exactly.
func checkRedirect(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Fragment != "" || strings.ContainsAny(text, "#"+notOfURIs) || u.User != nil || len(text) > 2048 {
		return false
	}
	switch u.Scheme {
	case "https":
		return hostPattern.MatchString(u.Host)
	case "http":
		return slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, u.Hostname()) && hostPattern.MatchString(u.Host)
	default:
		return strings.Contains(u.Scheme, ".") // RFC 8252, 7.1: reverse domain names; never javascript: or data:
	}
}
