package git

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// github calls GitHub's REST API, version 2022-11-28.
type github struct{ *caller }

// Account returns the login of the token's user.
func (g *github) Account(ctx context.Context) (string, error) {
	var user struct{ Login string }
	err := g.ask(ctx, http.MethodGet, "/user", nil, &user)
	return user.Login, unlessUnsaid(err)
}

// unlessUnsaid accepts that a token may not reveal its user: tokens of apps and single repositories have none.
func unlessUnsaid(err error) error {
	var p *Problem
	if errors.As(err, &p) && p.status == http.StatusForbidden && p.Lasting {
		return nil
	}
	return err
}

// Repository finds a repository.
func (g *github) Repository(ctx context.Context, name string) (Repository, error) {
	var r struct {
		FullName      string `json:"full_name"`
		DefaultBranch string `json:"default_branch"`
		SSHURL        string `json:"ssh_url"`
	}
	err := g.ask(ctx, http.MethodGet, "/repos/"+escaped(name), nil, &r)
	return Repository{r.FullName, r.DefaultBranch, r.SSHURL}, missing(err, ErrNoRepository)
}

// Commit reads a commit.
func (g *github) Commit(ctx context.Context, repository, ref string) (Commit, error) {
	var m struct {
		SHA    string
		URL    string `json:"html_url"`
		Commit struct {
			Message string
			Author  struct{ Name string }
		}
	}
	err := g.ask(ctx, http.MethodGet, "/repos/"+escaped(repository)+"/commits/"+escaped(refOf(ref)), nil, &m)
	if is(err, http.StatusUnprocessableEntity) || is(err, http.StatusConflict) { // no such ref, or an empty repository
		err = ErrNoRef
	}
	return Commit{m.SHA, m.Commit.Author.Name, m.Commit.Message, m.URL}, missing(err, ErrNoRef)
}

// refOf qualifies a branch, so that a tag or commit of the same name is not used instead.
func refOf(ref string) string {
	if hashPattern.MatchString(ref) {
		return ref
	}
	return "heads/" + ref
}

// AddKey adds a read-only deploy key.
func (g *github) AddKey(ctx context.Context, repository, title, public string) (string, error) {
	return addKey(ctx, g.caller, each[deployKey], "/repos/"+escaped(repository)+"/keys", "?per_page=100", public,
		map[string]any{"title": title, "key": public, "read_only": true})
}

// RemoveKey removes a deploy key.
func (g *github) RemoveKey(ctx context.Context, repository, id string) error {
	return unlessGone(g.ask(ctx, http.MethodDelete, "/repos/"+escaped(repository)+"/keys/"+url.PathEscape(id), nil, nil))
}

// AddHook adds a webhook for pushes.
func (g *github) AddHook(ctx context.Context, repository, address string, key secret.String) (string, error) {
	type hook struct {
		ID     int64
		Config struct{ URL string }
	}
	path := "/repos/" + escaped(repository) + "/hooks"
	var old []int64
	err := each(ctx, g.caller, path+"?per_page=100", func(h hook) bool {
		if h.Config.URL == address {
			old = append(old, h.ID)
		}
		return true
	})
	for _, id := range old {
		if err == nil {
			err = g.RemoveHook(ctx, repository, strconv.FormatInt(id, 10))
		}
	}
	var made hook
	if err == nil {
		err = g.ask(ctx, http.MethodPost, path, map[string]any{
			"name": "web", "active": true, "events": []string{"push"},
			"config": map[string]any{"url": address, "content_type": "json", "secret": key.Reveal(), "insecure_ssl": "0"},
		}, &made)
	}
	return strconv.FormatInt(made.ID, 10), missing(err, ErrNoRepository)
}

// RemoveHook removes a webhook.
func (g *github) RemoveHook(ctx context.Context, repository, id string) error {
	return unlessGone(g.ask(ctx, http.MethodDelete, "/repos/"+escaped(repository)+"/hooks/"+url.PathEscape(id), nil, nil))
}
