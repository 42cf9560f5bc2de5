package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// oauthClient is the client id of the command line at every installation.
const oauthClient = "hostler-cli"

// grant is what login stores of a sign-in in the browser: the access token is in the profile, and is renewed with this.
type grant struct {
	Refresh string    `json:"refresh"`
	Expires time.Time `json:"expires"`
	// TokenURL and RevokeURL are the installation's own, from its metadata.
	TokenURL  string `json:"token_url"`
	RevokeURL string `json:"revoke_url"`
}

// authorization is the metadata of an authorization server (RFC 8414) that the command line needs.
type authorization struct {
	Device string   `json:"device_authorization_endpoint"`
	Token  string   `json:"token_endpoint"`
	Revoke string   `json:"revocation_endpoint"`
	Scopes []string `json:"scopes_supported"`
}

const (
	authTimeout = 30 * time.Second
	maxMetadata = 1 << 20
)

// authHTTP returns the client for authorization servers. They never redirect, least of all a program with a refresh token.
func authHTTP() *http.Client {
	return &http.Client{Timeout: authTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// discover reads the metadata of an installation.
func discover(ctx context.Context, base string) (authorization, error) {
	var a authorization
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/.well-known/oauth-authorization-server", nil)
	if err != nil {
		return a, usage("invalid URL %q: expected a URL like https://panel.example.com", base)
	}
	res, err := authHTTP().Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return a, fmt.Errorf("call %s: %w", base, err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata))
	if err != nil {
		return a, fmt.Errorf("call %s: %w", base, err)
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(raw, &a) != nil || a.Device == "" || a.Token == "" {
		return a, fmt.Errorf("%s is not a Hostler installation, or its version is too old", base)
	}
	for _, to := range []string{a.Device, a.Token, a.Revoke} {
		if err := safeURL(to); err != nil {
			return a, err
		}
		if strings.HasPrefix(base, "https://") && !strings.HasPrefix(to, "https://") {
			return a, fmt.Errorf("%s redirects sign-in to %s, which does not use https", base, to)
		}
	}
	return a, nil
}

func (a authorization) config(scopes []string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: oauthClient, Scopes: scopes,
		Endpoint: oauth2.Endpoint{DeviceAuthURL: a.Device, TokenURL: a.Token, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// inBrowser signs in with the device flow (RFC 8628): a person allows it in a browser, on any machine.
func inBrowser(ctx context.Context, s streams, base string, scopes []string) (profile, error) {
	a, err := discover(ctx, base)
	if err != nil {
		return profile{}, err
	}
	if len(scopes) == 0 {
		scopes = a.Scopes
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, authHTTP())
	c := a.config(scopes)
	device, err := c.DeviceAuth(ctx)
	if err != nil {
		return profile{}, told(err)
	}
	at := device.VerificationURIComplete
	if at == "" {
		at = device.VerificationURI
	}
	_, _ = fmt.Fprintf(s.err, "Open this URL in a browser:\n\n  %s\n\nAllow access if it shows the code %s. Waiting...\n", cell(at), cell(device.UserCode))
	token, err := c.DeviceAccessToken(ctx, device)
	if err != nil {
		return profile{}, told(err)
	}
	return profile{
		URL: base, Token: token.AccessToken,
		Grant: &grant{Refresh: token.RefreshToken, Expires: token.Expiry, TokenURL: a.Token, RevokeURL: a.Revoke},
	}, nil
}

// told translates an error of the authorization server into advice for the user.
func told(err error) error {
	var e *oauth2.RetrieveError
	if !errors.As(err, &e) {
		return err
	}
	switch e.ErrorCode {
	case "access_denied":
		return exit(CodeForbidden, "access was denied in the browser")
	case "expired_token":
		return exit(CodeTimeout, "the request expired: run hostler login again")
	case "invalid_scope":
		return usage("%s", cmp.Or(e.ErrorDescription, "unknown scope"))
	case "":
		return fmt.Errorf("sign in: the server responded with %s", e.Response.Status)
	default:
		return fmt.Errorf("sign in: %s", cmp.Or(e.ErrorDescription, e.ErrorCode))
	}
}

// renewBefore is how long before its end an access token is renewed.
const renewBefore = time.Minute

func (p profile) stale(now time.Time) bool {
	return p.Grant != nil && now.Add(renewBefore).After(p.Grant.Expires)
}

// token returns the access token of a profile, renewed if it is about to expire. A refresh token works once, so among concurrent
// commands one renews and the others use its result.
func (f configFile) token(ctx context.Context, name string) (string, error) {
	c, err := f.read()
	if err != nil {
		return "", err
	}
	p := c.Profiles[name]
	if !p.stale(time.Now()) {
		return p.Token, nil
	}
	unlock, err := f.lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	if c, err = f.read(); err != nil {
		return "", err
	}
	if p = c.Profiles[name]; !p.stale(time.Now()) {
		return p.Token, nil
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, authHTTP())
	fresh, err := authorization{Token: p.Grant.TokenURL}.config(nil).TokenSource(ctx, &oauth2.Token{RefreshToken: p.Grant.Refresh}).Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return "", exit(CodeForbidden, "the session has expired: run hostler login %s", p.URL)
	}
	if err != nil {
		return "", fmt.Errorf("renew the session: %w", told(err))
	}
	kept := *p.Grant
	kept.Refresh, kept.Expires = fresh.RefreshToken, fresh.Expiry
	err = f.write(func(c *config) error {
		now, ok := c.Profiles[name]
		if !ok {
			return exit(CodeForbidden, "signed out by another process")
		}
		now.Token, now.Grant = fresh.AccessToken, &kept
		c.Profiles[name] = now
		return nil
	})
	return fresh.AccessToken, err
}

// lock locks the file of logins until unlock.
func (f configFile) lock() (unlock func(), err error) {
	if f == "" {
		return nil, errors.New("write the configuration: neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	l, err := os.OpenFile(string(f)+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the configuration: %w", err)
	}
	if err := lockFile(l); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("lock the configuration: %w", err)
	}
	return func() { _ = l.Close() }, nil // which unlocks
}

// revoke ends a sign-in at the installation (RFC 7009).
func (g grant) revoke(ctx context.Context) error {
	if g.RevokeURL == "" {
		return nil
	}
	form := url.Values{"client_id": {oauthClient}, "token": {g.Refresh}, "token_type_hint": {"refresh_token"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := authHTTP().Do(req)
	if err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("end the session: the server responded with %s", res.Status)
	}
	return nil
}
