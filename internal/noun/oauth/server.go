package oauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// The paths below the auth URL.
const (
	pathAuthorize  = "/oauth/authorize"
	pathSignIn     = "/oauth/sign-in"
	pathToken      = "/oauth/token"
	pathRevoke     = "/oauth/revoke"
	pathIntrospect = "/oauth/introspect"
	pathDevice     = "/oauth/device"
	pathDeviceCode = "/oauth/device/code"
	pathMetadata   = "/.well-known/oauth-authorization-server"
)

// Handler answers below /oauth, and the metadata.
func (p *Provider) Handler() http.Handler {
	wire := op.RegisterServer(&server{p: p}, op.Endpoints{
		Token: op.NewEndpoint(pathToken), Introspection: op.NewEndpoint(pathIntrospect), Revocation: op.NewEndpoint(pathRevoke),
		DeviceAuthorization: op.NewEndpoint(pathDeviceCode),
	}, op.WithServerCORSOptions(nil), op.WithFallbackLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	for _, path := range []string{pathToken, pathRevoke, pathIntrospect, pathDeviceCode} {
		mux.Handle(path, formOnly(p.textOnly(wire)))
	}
	mux.HandleFunc("GET /oauth/page.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(pageCSS)
	})
	mux.Handle(pathAuthorize, p.textOnly(http.HandlerFunc(p.serveAuthorize)))
	mux.Handle(pathSignIn, p.textOnly(http.HandlerFunc(p.serveSignIn)))
	mux.Handle(pathDevice, p.textOnly(http.HandlerFunc(p.serveDevice)))
	mux.HandleFunc("GET "+pathMetadata, p.serveMetadata)
	return p.limited(mux)
}

// deviceLimit is how many device flows an address may begin in a minute: each is a row, and a code that could be guessed.
const deviceLimit = api.LeastRateLimit

// limited limits requests by address: they are public, and many are expensive.
func (p *Provider) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		err := p.Router.LimitAddress(w, req, "oauth", 0)
		if err == nil && req.URL.Path == pathDeviceCode {
			err = p.Router.LimitAddress(w, req, pathDeviceCode, deviceLimit)
		}
		var over *api.Error
		if !errors.As(err, &over) {
			next.ServeHTTP(w, req)
			return
		}
		for name, values := range over.Header {
			w.Header()[name] = values
		}
		if forPrograms(req) { // a program that polls knows what to do about slow_down
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(over.Status)
			_, _ = w.Write([]byte(`{"error":"slow_down","error_description":"too many requests from this address"}`))
		} else {
			p.page(w, pageData{Title: "Too many requests", Error: "Try again in a minute.", status: over.Status})
		}
	})
}

// serveMetadata is RFC 8414.
func (p *Provider) serveMetadata(w http.ResponseWriter, _ *http.Request) {
	at := strings.TrimSuffix(p.Issuer.String(), "/")
	var scopes []string
	for _, s := range access.All() {
		scopes = append(scopes, string(s))
	}
	raw, err := json.Marshal(map[string]any{
		"issuer": at, "authorization_endpoint": at + pathAuthorize, "token_endpoint": at + pathToken, "revocation_endpoint": at + pathRevoke,
		"introspection_endpoint": at + pathIntrospect, "device_authorization_endpoint": at + pathDeviceCode, "scopes_supported": scopes,
		"response_types_supported": []string{"code"}, "response_modes_supported": []string{"query"}, "code_challenge_methods_supported": []string{"S256"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"},
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic", "client_secret_post"},
		"introspection_endpoint_auth_methods_supported":  []string{"client_secret_basic", "client_secret_post"},
		"authorization_response_iss_parameter_supported": true, "service_documentation": p.Router.URL(api.Reference),
	})
	if err != nil {
		http.Error(w, "Server error.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw)
}

// server is what zitadel/oidc asks once it has read a request.
type server struct {
	op.UnimplementedServer
	p *Provider
}

// asError maps an error to a protocol error for the program. Internal errors are logged.
func (s *server) asError(ctx context.Context, err error) error {
	var r *refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r):
		e := protocolError(r.code).WithDescription("%s", r.description)
		if r.code == invalidClient {
			return op.NewStatusError(e, http.StatusUnauthorized)
		}
		return e
	default:
		s.p.Log.ErrorContext(ctx, "an OAuth request failed", "error", err)
		return oidc.ErrServerError()
	}
}

func protocolError(code string) *oidc.Error {
	switch code {
	case invalidClient:
		return oidc.ErrInvalidClient()
	case invalidGrant:
		return oidc.ErrInvalidGrant()
	case invalidScope:
		return oidc.ErrInvalidScope()
	case accessDenied:
		return oidc.ErrAccessDenied()
	case expiredToken:
		return oidc.ErrExpiredDeviceCode()
	case pending:
		return oidc.ErrAuthorizationPending()
	case slowDown:
		return oidc.ErrSlowDown()
	default:
		return oidc.ErrInvalidRequest()
	}
}

// verified is a client that proved who it is.
type verified struct{ client }

// The methods that zitadel/oidc asks of a client.
func (c verified) GetID() string                       { return c.ClientID }
func (c verified) RedirectURIs() []string              { return c.redirects }
func (c verified) PostLogoutRedirectURIs() []string    { return nil }
func (c verified) ApplicationType() op.ApplicationType { return op.ApplicationTypeWeb }
func (c verified) AuthMethod() oidc.AuthMethod {
	if c.public() {
		return oidc.AuthMethodNone
	}
	return oidc.AuthMethodBasic
}

func (c verified) ResponseTypes() []oidc.ResponseType {
	return []oidc.ResponseType{oidc.ResponseTypeCode}
}

func (c verified) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeCode, oidc.GrantTypeRefreshToken, oidc.GrantTypeDeviceCode}
}
func (c verified) LoginURL(string) string              { return "" }
func (c verified) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeBearer }
func (c verified) IDTokenLifetime() time.Duration      { return 0 }
func (c verified) DevMode() bool                       { return false }
func (c verified) RestrictAdditionalIdTokenScopes() func([]string) []string {
	return func(s []string) []string { return s }
}

func (c verified) RestrictAdditionalAccessTokenScopes() func([]string) []string {
	return func(s []string) []string { return s }
}
func (c verified) IsScopeAllowed(string) bool           { return false }
func (c verified) IDTokenUserinfoClaimsAssertion() bool { return false }
func (c verified) ClockSkew() time.Duration             { return 0 }

// VerifyClient returns asked before everything else. A client with a secret must show it, one without must not.
func (s *server) VerifyClient(ctx context.Context, r *op.Request[op.ClientCredentials]) (op.Client, error) {
	c, err := s.verify(ctx, r.Data)
	if err != nil {
		return nil, s.asError(ctx, err)
	}
	return verified{c}, nil
}

func (s *server) verify(ctx context.Context, given *op.ClientCredentials) (client, error) {
	c, err := s.p.client(ctx, given.ClientID)
	if err != nil {
		return c, err
	}
	if given.ClientAssertion != "" || c.public() != (given.ClientSecret == "") || !c.public() && !c.isSecret(given.ClientSecret) {
		return c, refuse(invalidClient, "the client is not known")
	}
	return c, nil
}

func (s *server) answer(ctx context.Context, t tokens, err error) (*op.Response, error) {
	if err != nil {
		return nil, s.asError(ctx, err)
	}
	res := op.NewResponse(&oidc.AccessTokenResponse{
		AccessToken: t.access, TokenType: "Bearer", RefreshToken: t.refresh,
		ExpiresIn: uint64(t.expires / time.Second), Scope: names(t.scopes),
	})
	res.Header.Set("Cache-Control", "no-store")
	return res, nil
}

// CodeExchange takes a code for tokens.
func (s *server) CodeExchange(ctx context.Context, r *op.ClientRequest[oidc.AccessTokenRequest]) (*op.Response, error) {
	t, err := s.p.exchange(ctx, r.Client.(verified).client, r.Data.Code, r.Data.RedirectURI, r.Data.CodeVerifier)
	return s.answer(ctx, t, err)
}

// RefreshToken takes a refresh token for new tokens.
func (s *server) RefreshToken(ctx context.Context, r *op.ClientRequest[oidc.RefreshTokenRequest]) (*op.Response, error) {
	t, err := s.p.refresh(ctx, r.Client.(verified).client, r.Data.RefreshToken, strings.Join(r.Data.Scopes, " "))
	return s.answer(ctx, t, err)
}

// Revocation ends a token. It is the same answer whether there was one (RFC 7009, 2.2).
func (s *server) Revocation(ctx context.Context, r *op.ClientRequest[oidc.RevocationRequest]) (*op.Response, error) {
	if err := s.p.revoke(ctx, r.Client.(verified).client, r.Data.Token); err != nil {
		return nil, s.asError(ctx, err)
	}
	return op.NewResponse(nil), nil
}

// Introspect describes a client's own tokens.
func (s *server) Introspect(ctx context.Context, r *op.Request[op.IntrospectionRequest]) (*op.Response, error) {
	c, err := s.verify(ctx, r.Data.ClientCredentials)
	if err == nil && c.public() { // a public client's id is not proof: RFC 7662, 2.1 requires authentication
		err = refuse(invalidClient, "the client has no secret to authenticate with")
	}
	if err != nil {
		return nil, s.asError(ctx, err)
	}
	row, grant, err := find(ctx, s.p.DB.Read().Ungranted(), r.Data.Token)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, s.asError(ctx, err)
	}
	if err != nil || grant.ClientID != c.ID || grant.RevokedAt != nil || row.UsedAt != nil || row.ExpiresAt <= s.p.DB.Clock.Now().UnixMicro() {
		return op.NewResponse(map[string]any{"active": false}), nil //nolint:nilerr // RFC 7662: a token that is not known is not active
	}
	scopes, err := granted(c, row.Scopes)
	var none *refusal
	if errors.As(err, &none) {
		return op.NewResponse(map[string]any{"active": false}), nil
	}
	if err != nil {
		return nil, s.asError(ctx, err)
	}
	return op.NewResponse(map[string]any{
		"active": true, "scope": strings.Join(names(scopes),
			" "), "client_id": c.ClientID, "token_type": "Bearer", "iss": strings.TrimSuffix(s.p.Issuer.String(), "/"),
		"sub": strconv.FormatInt(grant.UserID, 10), "exp": row.ExpiresAt / 1e6, "iat": row.CreatedAt / 1e6,
	}), nil
}

// userCodeLetters have no vowels and nothing that looks like something else (RFC 8628, 6.1).
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"

var userCodePattern = regexp.MustCompile(`^[` + userCodeLetters + `]{4}-[` + userCodeLetters + `]{4}$`)

func newUserCode() string {
	var b strings.Builder
	raw := make([]byte, 1)
	for b.Len() < 9 {
		_, _ = rand.Read(raw) // never fails since Go 1.24
		if raw[0] >= 240 {    // 12 times 20, so that all letters are alike likely
			continue
		}
		if b.Len() == 4 {
			b.WriteByte('-')
		}
		b.WriteByte(userCodeLetters[int(raw[0])%len(userCodeLetters)])
	}
	return b.String()
}

// DeviceAuthorization begins the device flow.
func (s *server) DeviceAuthorization(ctx context.Context, r *op.ClientRequest[oidc.DeviceAuthorizationRequest]) (*op.Response, error) {
	c := r.Client.(verified).client
	scopes, err := scopesOf(c, strings.Join(r.Data.Scopes, " "))
	if err != nil {
		return nil, s.asError(ctx, err)
	}
	device, user := secret.Random(32), newUserCode()
	err = s.p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.DeleteOldOAuthDevices(ctx, tx.Micros()); err != nil {
			return fmt.Errorf("begin device flow: %w", err)
		}
		return tx.InsertOAuthDevice(ctx, query.InsertOAuthDeviceParams{
			ClientID: c.ID, DeviceHash: secret.Hash(device), UserCode: user, Scopes: list(scopes),
			ExpiresAt: tx.Now.Add(deviceLife).UnixMicro(), CreatedAt: tx.Micros(),
		})
	})
	if err != nil {
		return nil, s.asError(ctx, err)
	}
	at := strings.TrimSuffix(s.p.Issuer.String(), "/") + pathDevice
	return op.NewResponse(&oidc.DeviceAuthorizationResponse{
		DeviceCode: device, UserCode: user, VerificationURI: at, VerificationURIComplete: at + "?user_code=" + user,
		ExpiresIn: int(deviceLife / time.Second), Interval: int(deviceInterval / time.Second),
	}), nil
}

// The states of a device flow.
const (
	deviceAllowed = "allowed"
	deviceDenied  = "denied"
)

// DeviceToken returns asked repeatedly until the person has decided.
func (s *server) DeviceToken(ctx context.Context, r *op.ClientRequest[oidc.DeviceAccessTokenRequest]) (*op.Response, error) {
	c := r.Client.(verified).client
	var out tokens
	var refused error
	err := s.p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.Ungranted().GetOAuthDevice(ctx, secret.Hash(r.Data.DeviceCode))
		if errors.Is(err, db.ErrNotFound) || err == nil && row.ClientID != c.ID {
			refused = refuse(invalidGrant, "the device code is not valid")
			return nil
		}
		if err != nil {
			return fmt.Errorf("read device: %w", err)
		}
		switch {
		case row.ExpiresAt <= tx.Micros():
			refused = refuse(expiredToken, "the device code has expired")
			return nil
		case row.State == deviceDenied:
			refused = refuse(accessDenied, "the person said no")
			return nil
		case row.State != deviceAllowed:
			refused = refuse(pending, "the person has not decided yet")
			if row.PolledAt > tx.Now.Add(-deviceInterval).UnixMicro() {
				refused = refuse(slowDown, "ask less often")
			}
			return tx.PollOAuthDevice(ctx, row.ID, tx.Micros())
		}
		scopes, err := granted(c, row.Scopes)
		if errors.As(err, new(*refusal)) {
			refused = err
			return nil
		}
		if err != nil {
			return fmt.Errorf("read device %d: %w", row.ID, err)
		}
		if n, err := tx.DeleteOAuthDevice(ctx, row.ID); err != nil || n == 0 {
			refused = refuse(invalidGrant, "the device code was used")
			return err
		}
		grant, err := tx.InsertOAuthGrant(ctx, query.InsertOAuthGrantParams{ClientID: c.ID, UserID: *row.UserID, Scopes: row.Scopes, CreatedAt: tx.Micros()})
		if err != nil {
			return fmt.Errorf("keep grant: %w", err)
		}
		if out, err = s.p.issue(ctx, tx, grant, scopes); err != nil {
			return err
		}
		return note(ctx, tx, c.OauthClient, grant, "oauth.token", pathToken, "")
	})
	return s.answer(ctx, out, cmp.Or(err, refused))
}
