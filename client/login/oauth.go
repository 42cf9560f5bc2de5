package login

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// Why a login failed, for errors.Is.
var (
	ErrInvalid   = errors.New("invalid")    // what was asked for is wrong: the URL, a scope
	ErrDenied    = errors.New("denied")     // the person did not allow it
	ErrExpired   = errors.New("expired")    // the person did not answer in time
	ErrSignedOut = errors.New("signed out") // there is no login, or not any more
)

// reason is an error with one of the reasons above.
type reason struct {
	why  error
	text string
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.why }

func because(why error, format string, args ...any) error {
	return &reason{why, fmt.Sprintf(format, args...)}
}

// clientID is the id of the command line at every installation.
const clientID = "hostler-cli"

// Grant is what is stored of a sign-in in the browser: the access token is in the profile, and is renewed with this.
type Grant struct {
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

// newHTTP returns the client for authorization servers. They never redirect, least of all a program with a refresh token.
func newHTTP() *http.Client {
	return &http.Client{Timeout: authTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// discover reads the metadata of an installation.
func discover(ctx context.Context, base string) (authorization, error) {
	var a authorization
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/.well-known/oauth-authorization-server", nil)
	if err != nil {
		return a, because(ErrInvalid, "invalid URL %q: expected a URL like https://panel.example.com", base)
	}
	res, err := newHTTP().Do(req)
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
		if err := SafeURL(to); err != nil {
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
		ClientID: clientID, Scopes: scopes,
		Endpoint: oauth2.Endpoint{DeviceAuthURL: a.Device, TokenURL: a.Token, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// InBrowser signs in with the device flow (RFC 8628): a person allows it in a browser, on any machine. show tells them the URL to open and the code that it
// shows. Without scopes it asks for all. The login is not stored.
func InBrowser(ctx context.Context, base string, scopes []string, show func(url, code string)) (Profile, error) {
	a, err := discover(ctx, base)
	if err != nil {
		return Profile{}, err
	}
	if len(scopes) == 0 {
		scopes = a.Scopes
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, newHTTP())
	c := a.config(scopes)
	device, err := c.DeviceAuth(ctx)
	if err != nil {
		return Profile{}, told(err)
	}
	show(cmp.Or(device.VerificationURIComplete, device.VerificationURI), device.UserCode)
	token, err := c.DeviceAccessToken(ctx, device)
	if err != nil {
		return Profile{}, told(err)
	}
	return Profile{
		URL: base, Token: token.AccessToken,
		Grant: &Grant{Refresh: token.RefreshToken, Expires: token.Expiry, TokenURL: a.Token, RevokeURL: a.Revoke},
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
		return because(ErrDenied, "access was denied in the browser")
	case "expired_token":
		return because(ErrExpired, "the request expired: run hostler login again")
	case "invalid_scope":
		return because(ErrInvalid, "%s", cmp.Or(e.ErrorDescription, "unknown scope"))
	case "":
		return fmt.Errorf("sign in: the server responded with %s", e.Response.Status)
	default:
		return fmt.Errorf("sign in: %s", cmp.Or(e.ErrorDescription, e.ErrorCode))
	}
}

// renewBefore is how long before its end an access token is renewed.
const renewBefore = time.Minute

func (p Profile) stale(now time.Time) bool {
	return p.Grant != nil && now.Add(renewBefore).After(p.Grant.Expires)
}

// Token returns the access token of a profile, renewed if it is about to expire. A refresh token works once, so among concurrent
// commands one renews and the others use its result.
func (f File) Token(ctx context.Context, name string) (string, error) {
	c, err := f.Read()
	if err != nil {
		return "", err
	}
	p := c.Profiles[name]
	if p.InKeyring && p.Token == "" {
		return "", because(ErrSignedOut, "the keyring of this system does not have the token of %s: run hostler login %s", p.URL, p.URL)
	}
	if !p.stale(time.Now()) {
		return p.Token, nil
	}
	unlock, err := f.lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	if c, err = f.Read(); err != nil {
		return "", err
	}
	if p = c.Profiles[name]; !p.stale(time.Now()) {
		return p.Token, nil
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, newHTTP())
	fresh, err := authorization{Token: p.Grant.TokenURL}.config(nil).TokenSource(ctx, &oauth2.Token{RefreshToken: p.Grant.Refresh}).Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return "", because(ErrSignedOut, "the session has expired: run hostler login %s", p.URL)
	}
	if err != nil {
		return "", fmt.Errorf("renew the session: %w", told(err))
	}
	kept := *p.Grant
	kept.Refresh, kept.Expires = fresh.RefreshToken, fresh.Expiry
	err = f.write(func(c *Logins) error {
		now, ok := c.Profiles[name]
		if !ok {
			return because(ErrSignedOut, "signed out by another process")
		}
		now.Token, now.Grant = fresh.AccessToken, &kept
		c.Profiles[name] = now
		return nil
	})
	return fresh.AccessToken, err
}

// Revoke ends a sign-in at the installation (RFC 7009).
func (g Grant) Revoke(ctx context.Context) error {
	if g.RevokeURL == "" {
		return nil
	}
	form := url.Values{"client_id": {clientID}, "token": {g.Refresh}, "token_type_hint": {"refresh_token"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := newHTTP().Do(req)
	if err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("end the session: the server responded with %s", res.Status)
	}
	return nil
}

// SafeURL returns an error for the URL of an installation to which a token would go in clear through public networks.
func SafeURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return nil //nolint:nilerr // client.New says what is wrong
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err != nil || !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast() {
		return because(ErrInvalid, "%s uses plain http on a public address: the token would be sent unencrypted; use https", text)
	}
	return nil
}
