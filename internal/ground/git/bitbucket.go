package git

import (
	"context"
	"net/http"
	"net/url"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// bitbucket calls the REST API of Bitbucket Cloud, version 2.0.
type bitbucket struct{ *caller }

// Account returns the name of the token's user.
func (b *bitbucket) Account(ctx context.Context) (string, error) {
	var user struct {
		Name string `json:"display_name"`
	}
	err := b.ask(ctx, http.MethodGet, "/user", nil, &user)
	return user.Name, unlessUnsaid(err)
}

// Repository finds a repository.
func (b *bitbucket) Repository(ctx context.Context, name string) (Repository, error) {
	var r struct {
		FullName string                `json:"full_name"`
		Main     struct{ Name string } `json:"mainbranch"`
		Links    struct {
			Clone []struct{ Name, Href string }
		}
	}
	err := b.ask(ctx, http.MethodGet, "/repositories/"+escaped(name), nil, &r)
	out := Repository{Name: r.FullName, DefaultBranch: r.Main.Name}
	for _, l := range r.Links.Clone {
		if l.Name == "ssh" {
			out.SSHURL = l.Href
		}
	}
	return out, missing(err, ErrNoRepository)
}

// Commit reads a commit.
func (b *bitbucket) Commit(ctx context.Context, repository, ref string) (Commit, error) {
	type commit struct {
		Hash, Message string
		Author        struct{ Raw string }
		Links         struct{ HTML struct{ Href string } }
	}
	var c commit
	path := "/repositories/" + escaped(repository)
	var err error
	if hashPattern.MatchString(ref) {
		err = b.ask(ctx, http.MethodGet, path+"/commit/"+ref, nil, &c)
	} else {
		var branch struct{ Target commit }
		err = b.ask(ctx, http.MethodGet, path+"/refs/branches/"+escaped(ref), nil, &branch)
		c = branch.Target
	}
	return Commit{c.Hash, c.Author.Raw, c.Message, c.Links.HTML.Href}, missing(err, ErrNoRef)
}

// eachOf calls f for every item of a list, following the page links in the answers, until f returns false.
func eachOf[T any](ctx context.Context, c *caller, path string, f func(T) bool) error {
	address := c.base.String() + path
	for range maxPages {
		var page struct {
			Values []T
			Next   string
		}
		if _, err := c.call(ctx, http.MethodGet, address, nil, &page); err != nil {
			return err
		}
		for _, row := range page.Values {
			if !f(row) {
				return nil
			}
		}
		if page.Next == "" {
			return nil
		}
		var err error
		if address, err = c.follow(page.Next); err != nil {
			return err
		}
	}
	return &Problem{Reason: c.name + " has too long a list.", Lasting: true}
}

// AddKey adds an access key, which can only read.
func (b *bitbucket) AddKey(ctx context.Context, repository, title, public string) (string, error) {
	return addKey(ctx, b.caller, eachOf[deployKey], "/repositories/"+escaped(repository)+"/deploy-keys", "?pagelen=100", public,
		map[string]any{"label": title, "key": public})
}

// RemoveKey removes an access key.
func (b *bitbucket) RemoveKey(ctx context.Context, repository, id string) error {
	return unlessGone(b.ask(ctx, http.MethodDelete, "/repositories/"+escaped(repository)+"/deploy-keys/"+url.PathEscape(id), nil, nil))
}

// AddHook adds a webhook for pushes.
func (b *bitbucket) AddHook(ctx context.Context, repository, address string, key secret.String) (string, error) {
	type hook struct{ UUID, URL string }
	path := "/repositories/" + escaped(repository) + "/hooks"
	var old []string
	err := eachOf(ctx, b.caller, path+"?pagelen=100", func(h hook) bool {
		if h.URL == address {
			old = append(old, h.UUID)
		}
		return true
	})
	for _, id := range old {
		if err == nil {
			err = b.RemoveHook(ctx, repository, id)
		}
	}
	var made hook
	if err == nil {
		err = b.ask(ctx, http.MethodPost, path, map[string]any{
			"description": "Hostler", "url": address, "active": true,
			"events": []string{"repo:push"}, "secret": key.Reveal(),
		}, &made)
	}
	return made.UUID, missing(err, ErrNoRepository)
}

// RemoveHook removes a webhook.
func (b *bitbucket) RemoveHook(ctx context.Context, repository, id string) error {
	return unlessGone(b.ask(ctx, http.MethodDelete, "/repositories/"+escaped(repository)+"/hooks/"+url.PathEscape(id), nil, nil))
}
