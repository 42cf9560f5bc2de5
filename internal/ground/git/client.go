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

// Finder reads what an account at a provider reaches.
type Finder interface {
	// Account returns the name of the account that the token belongs to; "" where the token may not say.
	Account(ctx context.Context) (string, error)
	// Repository finds a repository by its name (team/app); ErrNoRepository where there is none for the account.
	Repository(ctx context.Context, name string) (Repository, error)
	// Commit returns the newest commit of a branch, or the commit with a hash; ErrNoRef where there is none.
	Commit(ctx context.Context, repository, ref string) (Commit, error)
}

// Keys adds and removes keys that may read one repository.
type Keys interface {
	// AddKey adds a public key, and gives its id. One that is there already is found.
	AddKey(ctx context.Context, repository, title, public string) (id string, err error)
	// RemoveKey removes a key; one that is gone is no error.
	RemoveKey(ctx context.Context, repository, id string) error
}

// Hooks adds and removes addresses that are told of pushes.
type Hooks interface {
	// AddHook adds an address, and gives its id. One that is there already is replaced, as nobody can say which secret it has.
	AddHook(ctx context.Context, repository, address string, key secret.String) (id string, err error)
	// RemoveHook removes an address; one that is gone is no error.
	RemoveHook(ctx context.Context, repository, id string) error
}

// Client is an account at a provider. Its errors are of type *Problem, beside ErrNoRepository and ErrNoRef.
type Client interface {
	Finder
	Keys
	Hooks
}

// Repository is a repository as its provider has it.
type Repository struct{ Name, DefaultBranch, SSHURL string }

// Commit is a commit as its provider has it.
type Commit struct{ Hash, Author, Message, URL string }

// What a provider does not have, or does not show to this account: the two can't be told apart.
var (
	ErrNoRepository = errors.New("the account does not reach such a repository")
	ErrNoRef        = errors.New("the repository has no such branch or commit")
)

// Problem is what went wrong at a provider, for people.
type Problem struct {
	Reason string
	// Lasting is set where trying again will not help: a wrong token, no right to do this.
	Lasting bool
	// Token is set where the token is what is wrong.
	Token bool
	// After is how long the provider asked to be left alone.
	After time.Duration
	// status is the code of its answer, zero where there was none.
	status int
}

func (p *Problem) Error() string { return p.Reason }

// Connection says which account at which provider.
type Connection struct {
	Provider string
	// URL is where one's own GitLab is: https://git.example.com.
	URL string
	// Username is set where the token is a password.
	Username string
	Token    secret.String
	// HTTP makes the calls; it decides where they may go, and follows no redirects.
	HTTP *http.Client
	// Base stands in the place of a public provider's address, for tests.
	Base string
}

// Connect makes a client. It asks nobody yet.
func Connect(c Connection) (Client, error) {
	base := c.Base
	if base == "" {
		base = map[string]string{GitHub: "https://api.github.com", GitLab: "https://gitlab.com/api/v4", Bitbucket: "https://api.bitbucket.org/2.0", GitLabCustom: strings.TrimSuffix(c.URL, "/") + "/api/v4"}[c.Provider]
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

// NameOf returns how people write a provider's name.
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

// CheckName reads a repository's name at a provider: an owner and a name, at GitLab with groups between. Each part becomes part of an address.
func CheckName(provider, name string) (string, error) {
	name = strings.TrimSuffix(name, ".git")
	parts := strings.Split(name, "/")
	if len(name) > 500 || !namePattern.MatchString(name) || slices.ContainsFunc(parts, func(p string) bool { return strings.Trim(p, ".") == "" }) ||
		len(parts) != 2 && provider != GitLab && provider != GitLabCustom {
		return "", value.Error("The repository must be the name of a repository at " + NameOf(provider) + ", like team/app.")
	}
	return name, nil
}

// CommitURL returns where people read a commit; base is one's own GitLab. It is "" where nobody knows.
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

// hashPattern is the name of a commit, of SHA-1 or SHA-256.
var hashPattern = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// caller calls one provider's API.
type caller struct {
	http         *http.Client
	base         *url.URL
	username     string
	token        secret.String
	name, accept string
}

// Limits of what a provider may answer.
const (
	maxAnswer = 4 << 20
	maxPages  = 100
	maxWait   = time.Hour
)

// call sends in as JSON and reads the answer into out; both may be nil. It gives the headers of the answer.
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

// follow returns the address of another page. One elsewhere is refused: the token goes with it.
func (c *caller) follow(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != c.base.Scheme || u.Host != c.base.Host || u.User != nil || !strings.HasPrefix(u.Path, c.base.Path+"/") {
		return "", &Problem{Reason: c.name + " sent us elsewhere for the rest of a list.", Lasting: true}
	}
	return u.String(), nil
}

// problem says for people what an answer means.
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

// said returns a provider's own words in an answer, as one short line.
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
	_ = json.Unmarshal(body, &m) // what can't be read says nothing
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

// wait returns how long an answer asks to be left alone: in seconds, or until a moment.
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

// is reports whether a provider answered with a code.
func is(err error, status int) bool {
	var p *Problem
	return errors.As(err, &p) && p.status == status
}

// missing turns a provider's 404 into what is not there.
func missing(err, what error) error {
	if is(err, http.StatusNotFound) {
		return what
	}
	return err
}

// unlessGone takes a 404 for done.
func unlessGone(err error) error {
	if is(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// nextLink returns the next page of a list by its Link header (RFC 8288), "" for none.
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

// addKey returns the id of a key of the repository at path: of the one that is there already, else of one that body makes. list reads its pages, which
// paging asks to be large.
func addKey(ctx context.Context, c *caller, list func(context.Context, *caller, string, func(deployKey) bool) error, path, paging, public string, body map[string]any) (string, error) {
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

// each calls f with every item of a list that has pages in Link headers, until f is false.
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

// escaped returns a repository's name in a path, its slashes kept.
func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
