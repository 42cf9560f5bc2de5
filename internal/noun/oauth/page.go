package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/markup"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

//go:embed page.css
var pageCSS []byte

// decisionSwitch is the answer of a person who wants to sign in with another account first.
const decisionSwitch = "switch"

// page writes a page that loads only our styles, fonts and mark, runs nothing and is framed nowhere. formAction is where its form may lead in the end.
func (p *Provider) page(w http.ResponseWriter, d pageData) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy",
		strings.TrimSpace("default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action "+
			"'self' "+d.formAction))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Referrer-Policy", "same-origin") // without one, browsers that send no Sec-Fetch-Site would send no Origin with our forms
	if d.status != 0 {
		w.WriteHeader(d.status)
	}
	_, _ = w.Write(markup.Page("Hostler: "+d.Title, "/oauth/page.css", head(), d.body()))
}

func (p *Provider) failed(w http.ResponseWriter, req *http.Request, err error) {
	var r *refusal
	if errors.As(err, &r) {
		p.page(w, pageData{Title: "Invalid request", Error: r.description + ".", status: http.StatusBadRequest})
		return
	}
	p.Log.ErrorContext(req.Context(), "an OAuth page failed", "path", req.URL.Path, "error", err)
	p.page(w, pageData{Title: "Something went wrong", Error: "Something went wrong. Try again.", status: http.StatusInternalServerError})
}

// request is a checked request for an authorization.
type request struct {
	client                     client
	redirect, state, challenge string
	scopes                     access.Set
}

var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

var verifierPattern = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// verifies returns RFC 7636, 4.6, for S256: the only method there is here.
func verifies(challenge, verifier string) bool {
	if !verifierPattern.MatchString(verifier) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// parse reads a request. Until client and redirect are known to belong together nothing is sent to the redirect; what is wrong afterwards is.
func (p *Provider) parse(ctx context.Context, q url.Values) (r request, back bool, err error) {
	for name, values := range q {
		if len(values) > 1 {
			return r, false, refuse(invalidRequest, "The parameter %s is repeated", name)
		}
	}
	if r.client, err = p.client(ctx, q.Get("client_id")); err != nil {
		return r, false, err
	}
	r.redirect, r.state, r.challenge = q.Get("redirect_uri"), q.Get("state"), q.Get("code_challenge")
	if !slices.Contains(r.client.redirects, r.redirect) {
		return r, false, refuse(invalidRequest, "The redirect_uri is not registered for this application")
	}
	if q.Get("response_type") != "code" {
		return r, true, refuse(unsupported, "the response_type must be code")
	}
	if mode := q.Get("response_mode"); mode != "" && mode != "query" {
		return r, true, refuse(invalidRequest, "the response_mode must be query")
	}
	switch method := q.Get("code_challenge_method"); {
	case r.challenge == "" && method != "":
		return r, true, refuse(invalidRequest, "the code_challenge is missing")
	case r.challenge == "" && r.client.public():
		return r, true, refuse(invalidRequest, "a code_challenge is required")
	case r.challenge != "" && method != "S256":
		return r, true, refuse(invalidRequest, "the code_challenge_method must be S256")
	case r.challenge != "" && !challengePattern.MatchString(r.challenge):
		return r, true, refuse(invalidRequest, "the code_challenge is not that of S256")
	}
	r.scopes, err = scopesOf(r.client, q.Get("scope"))
	return r, true, err
}

// back sends the browser to the program.
func (p *Provider) back(w http.ResponseWriter, req *http.Request, r request, answer url.Values) {
	u, err := url.Parse(r.redirect)
	if err != nil {
		p.failed(w, req, err)
		return
	}
	q := u.Query()
	for name, values := range answer {
		q.Set(name, values[0])
	}
	if r.state != "" {
		q.Set("state", r.state)
	}
	q.Set("iss", strings.TrimSuffix(p.Issuer.String(), "/")) // RFC 9207
	u.RawQuery = q.Encode()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, req, u.String(), http.StatusSeeOther)
}

// serveAuthorize asks the person.
func (p *Provider) serveAuthorize(w http.ResponseWriter, req *http.Request) {
	ctx := req.Context()
	if req.Method != http.MethodGet && req.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		p.page(w, pageData{Title: "Invalid request", Error: "Use GET or POST.", status: http.StatusMethodNotAllowed})
		return
	}
	r, back, err := p.parse(ctx, req.URL.Query())
	var refused *refusal
	if errors.As(err, &refused) && back {
		p.back(w, req, r, url.Values{"error": {refused.code}, "error_description": {refused.description}})
		return
	}
	if err != nil {
		p.failed(w, req, err)
		return
	}
	session, user, ok := p.who(w, req, r.client.Name)
	if !ok {
		return
	}
	token := consentToken(session.Hash, req.URL.RawQuery)
	if req.Method == http.MethodGet {
		p.consent(w, req, r.client, user, pageData{Redirect: origin(r.redirect), formAction: origin(r.redirect), Action: req.URL.RequestURI(), Token: token},
			r.scopes)
		return
	}
	if err := p.ownForm(req, token); err != nil {
		p.failed(w, req, err)
		return
	}
	if req.PostFormValue("decision") == decisionSwitch {
		p.askToSignIn(w, r.client.Name, req.URL.RequestURI())
		return
	}
	if req.PostFormValue("decision") != "allow" {
		if err := p.denied(ctx, r.client.OauthClient, session, pathAuthorize); err != nil {
			p.failed(w, req, err)
			return
		}
		p.back(w, req, r, url.Values{"error": {accessDenied}, "error_description": {"the person said no"}})
		return
	}
	var code string
	err = p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		code, err = p.authorize(ctx, tx, r, user.ID)
		return err
	})
	if err != nil {
		p.failed(w, req, err)
		return
	}
	p.back(w, req, r, url.Values{"code": {code}})
}

// origin returns what a person recognises of a redirect.
func origin(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return ""
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

// who returns the signed-in person; others are asked to sign in.
func (p *Provider) who(w http.ResponseWriter, req *http.Request, client string) (query.Session, query.User, bool) {
	session, err := p.Sign.Authenticator.Session(req.Context(), req)
	if errors.Is(err, api.ErrUnauthenticated) {
		p.askToSignIn(w, client, req.URL.RequestURI())
		return session, query.User{}, false
	}
	if err != nil {
		p.failed(w, req, err)
		return session, query.User{}, false
	}
	user, err := p.DB.Read().Ungranted().GetUser(req.Context(), session.UserID)
	if err != nil {
		p.failed(w, req, fmt.Errorf("read user: %w", err))
		return session, user, false
	}
	return session, user, true
}

// askToSignIn asks for an account; a session that the browser has ends once another one signed in.
func (p *Provider) askToSignIn(w http.ResponseWriter, client, next string) {
	p.page(w, pageData{Title: "Sign in to Hostler", Step: "sign-in", Client: client, Continue: next, Forgot: p.Router.URL("/forgot-password")})
}

func (p *Provider) consent(w http.ResponseWriter, req *http.Request, c client, user query.User, d pageData, scopes access.Set) {
	d.Title, d.Step, d.Client, d.ClientID, d.Email = "Authorize "+c.Name+"?", "consent", c.Name, c.ClientID, user.Email
	if c.OrganizationID != nil {
		org, err := p.DB.Read().Ungranted().GetOrganization(req.Context(), *c.OrganizationID)
		if err != nil {
			p.failed(w, req, fmt.Errorf("read organization: %w", err))
			return
		}
		d.Organization = org.Name
	}
	where, err := p.organizations(req.Context(), user)
	if err != nil {
		p.failed(w, req, err)
		return
	}
	used := p.used()
	for _, s := range scopes.List() {
		if !used.Has(s) {
			d.Idle++
			continue
		}
		d.Scopes, d.Where = append(d.Scopes, s.Describe()), where
		d.Changes = d.Changes || !strings.HasSuffix(string(s), ":view")
		d.Root = d.Root || strings.Contains(s.Describe(), "as root")
	}
	p.page(w, d)
}

// used returns the permissions that an operation requires. Others are for features that only other implementations of the API have.
func (p *Provider) used() access.Set {
	var set access.Set
	for _, op := range p.Router.Operations() {
		set = set.Add(op.Permissions...)
	}
	return set
}

// organizations returns the names of the organizations that a person is in.
func (p *Provider) organizations(ctx context.Context, user query.User) ([]string, error) {
	members, err := p.DB.Read().ListMemberships(ctx, access.Actor{UserID: user.ID})
	if err != nil {
		return nil, fmt.Errorf("read memberships: %w", err)
	}
	ids := make([]any, len(members))
	for i, m := range members {
		ids[i] = m.OrganizationID
	}
	orgs, err := db.All[query.Organization](ctx, p.DB.Reader(), "organizations", db.Equal("id", ids...))
	names := make([]string, len(orgs))
	for i, org := range orgs {
		names[i] = org.Name
	}
	slices.Sort(names)
	return names, err
}

// consentToken binds a form to a session and to its request: another site can't forge it, and nothing can be swapped.
func consentToken(sessionHash, what string) string {
	return secret.Hash("consent\x00" + sessionHash + "\x00" + what)
}

var errForged = refuse(invalidRequest, "The form was not submitted from Hostler")

// ownForm returns an error unless a form comes from our own page, which the browser says in Sec-Fetch-Site or, if it is older, in Origin. A consent also has a
// token; signing in has none. An Origin of null says nothing: frames of other sites have it, too.
func (p *Provider) ownForm(req *http.Request, token string) error {
	site, o, own := req.Header.Get("Sec-Fetch-Site"), req.Header.Get("Origin"), p.Issuer.Scheme+"://"+p.Issuer.Host
	if site != "same-origin" && (site != "" || o != own) || o != "" && o != "null" && o != own {
		return errForged
	}
	if token != "" && subtle.ConstantTimeCompare([]byte(req.PostFormValue("token")), []byte(token)) != 1 {
		return errForged
	}
	return nil
}

// serveSignIn signs in on the way to a consent.
func (p *Provider) serveSignIn(w http.ResponseWriter, req *http.Request) {
	d := pageData{Title: "Sign in to Hostler", Step: "sign-in", Forgot: p.Router.URL("/forgot-password")}
	if req.Method != http.MethodPost {
		p.page(w, pageData{Title: "Invalid request", Error: "Start again from the application.", status: http.StatusBadRequest})
		return
	}
	if err := p.ownForm(req, ""); err != nil {
		p.failed(w, req, err)
		return
	}
	d.Continue, d.Email = req.PostFormValue("continue"), req.PostFormValue("email")
	if path, _, _ := strings.Cut(d.Continue, "?"); path != pathAuthorize && path != pathDevice {
		d.Continue = pathDevice
	}
	req = req.WithContext(api.WithLine(req.Context()))
	cookie, user, err := p.Sign.In(req.Context(), req, account.LoginRequest{
		Email: d.Email, Password: api.SecretOf(req.PostFormValue("password")),
		Code: api.SecretOf(req.PostFormValue("code")),
	})
	var public *api.Error
	isPublic := errors.As(err, &public)
	if err == nil || isPublic {
		if err := p.noteSignIn(req.Context(), user, public); err != nil {
			p.failed(w, req, err)
			return
		}
	}
	if isPublic {
		d.Error, d.status = public.Message, public.Status
		if public.Status == http.StatusUnauthorized { // a form's answer, not a challenge
			d.status = http.StatusUnprocessableEntity
		}
		p.page(w, d)
		return
	}
	if err != nil {
		p.failed(w, req, err)
		return
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, req, d.Continue, http.StatusSeeOther)
}

// device returns the device flow that a person entered the code of. After too many wrong codes, a right one is refused like them.
func (p *Provider) device(ctx context.Context, user query.User, code string) (row query.OauthDevice, err error) {
	var over *api.Error
	if err := p.Sign.MayGuess(ctx, user); errors.As(err, &over) {
		return row, refuse(invalidRequest, "Too many attempts. Try again later")
	} else if err != nil {
		return row, fmt.Errorf("count a guess: %w", err)
	}
	err = fmt.Errorf("read device: %w", db.ErrNotFound)
	if userCodePattern.MatchString(code) { // what is none is not looked for: a database may refuse it
		row, err = p.DB.Read().Ungranted().GetOAuthDeviceByCode(ctx, code, p.DB.Clock.Now().UnixMicro())
	}
	if errors.Is(err, db.ErrNotFound) {
		if err := p.Sign.Guessed(ctx, user); err != nil {
			return row, fmt.Errorf("count a guess: %w", err)
		}
	}
	return row, err
}

// serveDevice is where a person allows a device.
func (p *Provider) serveDevice(w http.ResponseWriter, req *http.Request) {
	ctx := req.Context()
	if req.Method != http.MethodGet && req.Method != http.MethodPost {
		p.page(w, pageData{Title: "Invalid request", Error: "Use GET or POST.", status: http.StatusMethodNotAllowed})
		return
	}
	session, user, ok := p.who(w, req, "")
	if !ok {
		return
	}
	code := strings.ToUpper(strings.TrimSpace(req.FormValue("user_code")))
	if code == "" {
		p.page(w, pageData{Title: "Connect a device", Step: "code"})
		return
	}
	if len(code) == 8 {
		code = code[:4] + "-" + code[4:]
	}
	row, err := p.device(ctx, user, code)
	if errors.Is(err, db.ErrNotFound) {
		p.page(w, pageData{Title: "Connect a device", Step: "code", Error: "The code is invalid or has expired.", status: http.StatusUnprocessableEntity})
		return
	}
	if err != nil {
		p.failed(w, req, err)
		return
	}
	program, err := p.DB.Read().Ungranted().GetOAuthClientByID(ctx, row.ClientID)
	if err != nil {
		p.failed(w, req, fmt.Errorf("read client: %w", err))
		return
	}
	c, err := read(program)
	if err != nil {
		p.failed(w, req, err)
		return
	}
	var scopes access.Set
	if err := json.Unmarshal([]byte(row.Scopes), &scopes); err != nil {
		p.failed(w, req, err)
		return
	}
	token := consentToken(session.Hash, "device "+code)
	if req.Method == http.MethodGet {
		p.consent(w, req, c, user, pageData{UserCode: code, Action: pathDevice, Token: token}, scopes)
		return
	}
	if err := p.ownForm(req, token); err != nil {
		p.failed(w, req, err)
		return
	}
	if req.PostFormValue("decision") == decisionSwitch {
		p.askToSignIn(w, program.Name, pathDevice+"?user_code="+url.QueryEscape(code))
		return
	}
	state, text, refused := deviceDenied, "The device was denied access.", "the person said no"
	if req.PostFormValue("decision") == "allow" {
		refused = ""
		state, text = deviceAllowed, "The device is connected. You can close this page."
	}
	err = p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.DecideOAuthDevice(ctx, row.ID, state, &user.ID)
		if err == nil && n == 0 {
			err = refuse(invalidRequest, "The code was already used")
		}
		if err != nil {
			return err
		}
		line := decision(program, session, pathDevice, refused)
		line.After["scopes"] = names(scopes)
		return line.Keep(ctx, tx)
	})
	if err != nil {
		p.failed(w, req, err)
		return
	}
	p.page(w, pageData{Title: "Done", Step: "done", Text: text})
}
