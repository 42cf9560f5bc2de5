package git

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// A Finder reads what an account at a provider can access.
type Finder interface {
	// Account returns the name of the account that the token belongs to, or "" if the token does not reveal it.
	Account(ctx context.Context) (string, error)
	// Repository finds a repository by its name (team/app); ErrNoRepository if the account has no such one.
	Repository(ctx context.Context, name string) (Repository, error)
	// Commit returns the newest commit of a branch, or the commit with a hash; ErrNoRef if there is none.
	Commit(ctx context.Context, repository, ref string) (Commit, error)
}

// Keys adds and removes read-only keys of a repository.
type Keys interface {
	// AddKey adds a public key and returns its id. An existing key is found.
	AddKey(ctx context.Context, repository, title, public string) (id string, err error)
	// RemoveKey removes a key. A missing key is not an error.
	RemoveKey(ctx context.Context, repository, id string) error
}

// Hooks adds and removes webhooks for pushes.
type Hooks interface {
	// AddHook adds a webhook and returns its id. An existing one with the address is replaced, since its secret is unknown.
	AddHook(ctx context.Context, repository, address string, key secret.String) (id string, err error)
	// RemoveHook removes a webhook. A missing one is not an error.
	RemoveHook(ctx context.Context, repository, id string) error
}

// A Client is an account at a provider. Its errors are of type *Problem, apart from ErrNoRepository and ErrNoRef.
type Client interface {
	Finder
	Keys
	Hooks
}

// Repository describes a repository at a provider.
type Repository struct{ Name, DefaultBranch, SSHURL string }

// Commit describes a commit at a provider.
type Commit struct{ Hash, Author, Message, URL string }

// Errors for what a provider does not have, or does not show to this account: the two are indistinguishable.
var (
	ErrNoRepository = errors.New("the account does not reach such a repository")
	ErrNoRef        = errors.New("the repository has no such branch or commit")
)

// A Problem is a failure at a provider, with a reason for the user.
type Problem struct {
	Reason string
	// Lasting is set if a retry will not help: a wrong token, a missing permission.
	Lasting bool
	// Token is set if the token is the problem.
	Token bool
	// After is how long the provider asked us to wait.
	After time.Duration
	// status is the status code of the answer, zero if there was none.
	status int
}

func (p *Problem) Error() string { return p.Reason }

// A Connection names an account at a provider.
type Connection struct {
	Provider string
	// URL is the address of a self-hosted GitLab: https://git.example.com.
	URL string
	// Username is set if the token is a password.
	Username string
	Token    secret.String
	// HTTP makes the calls; it restricts their destinations and follows no redirects.
	HTTP *http.Client
	// Base replaces a public provider's address, for tests.
	Base string
}

// Connect makes a client. It makes no request.
func Connect(c Connection) (Client, error) {
	base := c.Base
	if base == "" {
		base = map[string]string{
			GitHub: "https://api.github.com", GitLab: "https://gitlab.com/api/v4", Bitbucket: "https://api.bitbucket.org/2.0",
			GitLabCustom: strings.TrimSuffix(c.URL, "/") + "/api/v4",
		}[c.Provider]
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the provider %s has no address", c.Provider)
	}
	k := &caller{http: c.HTTP, base: u, username: c.Username, token: c.Token, name: NameOf(c.Provider)}
	switch c.Provider {
	case GitHub:
		k.accept = "application/vnd.github+json"
		return &github{k}, nil
	case GitLab, GitLabCustom:
		return &gitlab{k}, nil
	case Bitbucket:
		return &bitbucket{k}, nil
	}
	return nil, fmt.Errorf("there is no provider %s", c.Provider)
}

// NameOf returns a provider's display name.
func NameOf(provider string) string {
	switch provider {
	case GitHub:
		return "GitHub"
	case Bitbucket:
		return "Bitbucket"
	case GitLab, GitLabCustom:
		return "GitLab"
	}
	return provider
}

// CheckName parses a repository's name at a provider: an owner and a name, at GitLab with groups between. Each part becomes part of a URL.
func CheckName(provider, name string) (string, error) {
	name = strings.TrimSuffix(name, ".git")
	parts := strings.Split(name, "/")
	if len(name) > 500 || !namePattern.MatchString(name) || slices.ContainsFunc(parts, func(p string) bool { return strings.Trim(p, ".") == "" }) ||
		len(parts) != 2 && provider != GitLab && provider != GitLabCustom {
		return "", value.Error("The repository must be the name of a repository at " + NameOf(provider) + ", like team/app.")
	}
	return name, nil
}

// CommitURL returns the web page of a commit; base is the address of a self-hosted GitLab. It is "" if unknown.
func CommitURL(provider, base, repository, hash string) string {
	if !hashPattern.MatchString(hash) {
		return ""
	}
	name, err := CheckName(provider, repository)
	if err != nil {
		return ""
	}
	switch provider {
	case GitHub:
		return "https://github.com/" + name + "/commit/" + hash
	case GitLab:
		return "https://gitlab.com/" + name + "/-/commit/" + hash
	case GitLabCustom:
		if base != "" {
			return strings.TrimSuffix(base, "/") + "/" + name + "/-/commit/" + hash
		}
	case Bitbucket:
		return "https://bitbucket.org/" + name + "/commits/" + hash
	}
	return ""
}

// hashPattern matches the name of a commit, SHA-1 or SHA-256.
var hashPattern = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// caller calls one provider's API.
type caller struct {
	http         *http.Client
	base         *url.URL
	username     string
	token        secret.String
	name, accept string
}

// Limits of a provider's answers.
const (
	maxAnswer = 4 << 20
	maxPages  = 100
	maxWait   = time.Hour
)

// call sends in as JSON and decodes the answer into out; both may be nil. It returns the headers of the answer.
func (c *caller) call(ctx context.Context, method, address string, in, out any) (http.Header, error) {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("ask %s: %w", c.name, err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.name, err)
	}
	req.Header.Set("User-Agent", "Hostler")
	req.Header.Set("Accept", "application/json")
	if c.accept != "" {
		req.Header.Set("Accept", c.accept)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.username != "" {
		req.SetBasicAuth(c.username, c.token.Reveal())
	} else {
		req.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &Problem{Reason: c.name + " could not be asked. " + outbound.Explain(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, &Problem{Reason: c.name + " did not answer to the end."}
	}
	if resp.StatusCode/100 != 2 {
		return nil, c.problem(resp, raw)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			return nil, &Problem{Reason: c.name + " answered what can't be read."}
		}
	}
	return resp.Header, nil
}

// ask is call with a path below the API's root.
func (c *caller) ask(ctx context.Context, method, path string, in, out any) error {
	_, err := c.call(ctx, method, c.base.String()+path, in, out)
	return err
}

// follow returns the address of the next page. One on another host is refused, because the token is sent along.
func (c *caller) follow(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != c.base.Scheme || u.Host != c.base.Host || u.User != nil || !strings.HasPrefix(u.Path, c.base.Path+"/") {
		return "", &Problem{Reason: c.name + " sent us elsewhere for the rest of a list.", Lasting: true}
	}
	return u.String(), nil
}

// problem explains an answer to the user.
func (c *caller) problem(resp *http.Response, body []byte) error {
	p := &Problem{status: resp.StatusCode, After: wait(resp.Header)}
	limited := resp.StatusCode == http.StatusTooManyRequests ||
		resp.StatusCode == http.StatusForbidden && (resp.Header.Get("X-Ratelimit-Remaining") == "0" || resp.Header.Get("Retry-After") != "")
	switch {
	case limited:
		p.Reason = c.name + " allows no more calls for now."
	case resp.StatusCode == http.StatusUnauthorized:
		p.Reason, p.Lasting, p.Token = c.name+" does not take this token.", true, true
	case resp.StatusCode == http.StatusForbidden:
		p.Reason, p.Lasting = c.name+" does not allow this with this token.", true
	case resp.StatusCode == http.StatusNotFound:
		p.Reason, p.Lasting = c.name+" does not have this, or not for this token.", true
	case resp.StatusCode/100 == 3:
		p.Reason, p.Lasting = c.name+" has it elsewhere now: give its new name.", true
	case resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusRequestTimeout:
		p.Reason, p.Lasting = strings.TrimSpace(fmt.Sprintf("%s refused it (%d). %s", c.name, resp.StatusCode, said(body))), true
	default:
		p.Reason = fmt.Sprintf("%s can't answer now (%d).", c.name, resp.StatusCode)
	}
	return p
}

// said returns the provider's message in an answer, as one short line.
func said(body []byte) string {
	var m struct {
		Message json.RawMessage `json:"message"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &m) // an answer that can't be decoded has no message
	text := m.Error.Message
	if len(m.Message) > 0 {
		if json.Unmarshal(m.Message, &text) != nil {
			text = string(m.Message)
		}
	}
	for _, e := range m.Errors {
		text += " " + e.Message
	}
	const most = 200
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// wait returns how long an answer asks us to wait: in seconds, or until a time.
func wait(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n > 0 {
		return min(time.Duration(min(n, int(maxWait/time.Second)))*time.Second, maxWait)
	}
	if h.Get("X-Ratelimit-Remaining") == "0" {
		if at, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err == nil {
			return max(0, min(time.Until(time.Unix(at, 0)), maxWait))
		}
	}
	return 0
}

// is reports whether a provider answered with a status code.
func is(err error, status int) bool {
	var p *Problem
	return errors.As(err, &p) && p.status == status
}

// missing replaces a provider's 404 with what.
func missing(err, what error) error {
	if is(err, http.StatusNotFound) {
		return what
	}
	return err
}

// unlessGone treats a 404 as success.
func unlessGone(err error) error {
	if is(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// nextLink returns the next page of a list from its Link header (RFC 8288), "" for none.
func nextLink(h http.Header) string {
	for _, link := range strings.Split(strings.Join(h.Values("Link"), ","), ",") {
		address, params, ok := strings.Cut(link, ">")
		if _, address, found := strings.Cut(address, "<"); ok && found && strings.Contains(params, `rel="next"`) {
			return address
		}
	}
	return ""
}

// deployKey is a key of a repository, as all three providers list it.
type deployKey struct {
	ID  int64
	Key string
}

// addKey returns the id of a key of the repository at path: of an existing one, else of one created with body. list reads the
// pages, which paging requests to be large.
func addKey(ctx context.Context, c *caller, list func(context.Context, *caller, string, func(deployKey) bool) error, path, paging, public string,
	body map[string]any,
) (string, error) {
	found := int64(0)
	err := list(ctx, c, path+paging, func(k deployKey) bool {
		if SameKey(k.Key, public) {
			found = k.ID
		}
		return found == 0
	})
	if err == nil && found == 0 {
		var made deployKey
		err = c.ask(ctx, http.MethodPost, path, body, &made)
		found = made.ID
	}
	return strconv.FormatInt(found, 10), missing(err, ErrNoRepository)
}

// each calls f for every item of a list that is paged with Link headers, until f returns false.
func each[T any](ctx context.Context, c *caller, path string, f func(T) bool) error {
	address := c.base.String() + path
	for range maxPages {
		var rows []T
		h, err := c.call(ctx, http.MethodGet, address, nil, &rows)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if !f(row) {
				return nil
			}
		}
		next := nextLink(h)
		if next == "" {
			return nil
		}
		if address, err = c.follow(next); err != nil {
			return err
		}
	}
	return &Problem{Reason: c.name + " has too long a list.", Lasting: true}
}

// escaped returns a repository's name escaped for a path, with its slashes kept.
func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
