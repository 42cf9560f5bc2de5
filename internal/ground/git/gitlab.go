package git

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// gitlab calls GitLab's REST API, version 4, at gitlab.com or a self-hosted instance.
type gitlab struct{ *caller }

func project(name string) string { return "/projects/" + url.PathEscape(name) }

// Account returns the name of the token's user.
func (g *gitlab) Account(ctx context.Context) (string, error) {
	var user struct{ Username string }
	err := g.ask(ctx, http.MethodGet, "/user", nil, &user)
	return user.Username, unlessUnsaid(err)
}

// Repository finds a project.
func (g *gitlab) Repository(ctx context.Context, name string) (Repository, error) {
	var r struct {
		Path          string `json:"path_with_namespace"`
		DefaultBranch string `json:"default_branch"`
		SSHURL        string `json:"ssh_url_to_repo"`
	}
	err := g.ask(ctx, http.MethodGet, project(name), nil, &r)
	return Repository{r.Path, r.DefaultBranch, r.SSHURL}, missing(err, ErrNoRepository)
}

// Commit reads a commit.
func (g *gitlab) Commit(ctx context.Context, repository, ref string) (Commit, error) {
	type commit struct {
		ID, Message string
		Author      string `json:"author_name"`
		URL         string `json:"web_url"`
	}
	var c commit
	path := project(repository) + "/repository"
	var err error
	if hashPattern.MatchString(ref) {
		err = g.ask(ctx, http.MethodGet, path+"/commits/"+ref, nil, &c)
	} else {
		var branch struct{ Commit commit }
		err = g.ask(ctx, http.MethodGet, path+"/branches/"+url.PathEscape(ref), nil, &branch)
		c = branch.Commit
	}
	return Commit{c.ID, c.Author, c.Message, c.URL}, missing(err, ErrNoRef)
}

// AddKey adds a read-only deploy key.
func (g *gitlab) AddKey(ctx context.Context, repository, title, public string) (string, error) {
	return addKey(ctx, g.caller, each[deployKey], project(repository)+"/deploy_keys", "?per_page=100", public,
		map[string]any{"title": title, "key": public, "can_push": false})
}

// RemoveKey removes a deploy key.
func (g *gitlab) RemoveKey(ctx context.Context, repository, id string) error {
	return unlessGone(g.ask(ctx, http.MethodDelete, project(repository)+"/deploy_keys/"+url.PathEscape(id), nil, nil))
}

// AddHook adds a webhook for pushes. GitLab sends the secret itself with each call.
func (g *gitlab) AddHook(ctx context.Context, repository, address string, key secret.String) (string, error) {
	type hook struct {
		ID  int64
		URL string
	}
	path := project(repository) + "/hooks"
	var old []int64
	err := each(ctx, g.caller, path+"?per_page=100", func(h hook) bool {
		if h.URL == address {
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
			"url": address, "token": key.Reveal(), "push_events": true, "tag_push_events": false,
			"enable_ssl_verification": true,
		}, &made)
	}
	return strconv.FormatInt(made.ID, 10), missing(err, ErrNoRepository)
}

// RemoveHook removes a webhook.
func (g *gitlab) RemoveHook(ctx context.Context, repository, id string) error {
	return unlessGone(g.ask(ctx, http.MethodDelete, project(repository)+"/hooks/"+url.PathEscape(id), nil, nil))
}
