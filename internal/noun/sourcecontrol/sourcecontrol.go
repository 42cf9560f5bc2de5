// Package sourcecontrol is accounts at source control providers: where repositories of sites are found, and which of them know a site's deploy
// key and its webhook. Tokens go in and never come out.
package sourcecontrol

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Path is a connection that the caller can see.
type Path struct {
	organization.Path
	Provider query.SourceControlProvider
}

// Store reads connections for callers, and calls their providers.
type Store struct {
	DB            *db.DB
	Box           *secret.Box
	Organizations *organization.Store
	Guard         outbound.Guard
	// HTTP makes calls to providers, within the guard.
	HTTP *http.Client
	// Bases are addresses of public providers' APIs in the place of the real ones, for tests.
	Bases map[string]string
}

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "source_control_providers", Row: strconv.FormatInt(id, 10), Column: "token"}
}

// InOrganization loads the organization that a path names. Connections belong to the organization as a whole: a role in a team
// does not reach them, since a connection reaches every repository of its token.
func (s *Store) InOrganization(ctx context.Context, actor access.Actor, path api.PathValues) (organization.Path, error) {
	p, err := s.Organizations.InPath(ctx, actor, path)
	if err == nil && !p.Direct {
		p.Role = p.Role.Without(access.SetOf(access.SiteCreate, access.IntegrationsManage))
	}
	return p, err
}

// InPath loads the organization and the connection that a path names.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := s.InOrganization(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("sourceControlProvider")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetSourceControlProvider(ctx, org, id)
	if err != nil {
		return Path{}, fmt.Errorf("read source control provider %d: %w", id, err)
	}
	return Path{Path: org, Provider: row}, nil
}

// Use returns a connection that the caller may have a site fetched with; access.ErrNotFound for every other.
func (s *Store) Use(ctx context.Context, q *query.Granted, g access.Grant, id int64) (query.SourceControlProvider, error) {
	if !g.Direct {
		return query.SourceControlProvider{}, access.ErrNotFound
	}
	row, err := q.GetSourceControlProvider(ctx, g, id)
	if errors.Is(err, db.ErrNotFound) {
		return row, access.ErrNotFound
	}
	if err != nil {
		return row, fmt.Errorf("read source control provider %d: %w", id, err)
	}
	return row, nil
}

// Find asks a provider for a repository and a branch of it: git.ErrNoRepository, git.ErrNoRef, or a *git.Problem.
func (s *Store) Find(ctx context.Context, row query.SourceControlProvider, repository, branch string) error {
	c, err := s.open(row)
	if err != nil {
		return err
	}
	found, err := c.Repository(ctx, repository)
	if err != nil {
		return err
	}
	_, err = c.Commit(ctx, found.Name, branch)
	return err
}

// open makes a client of a connection.
func (s *Store) open(row query.SourceControlProvider) (git.Client, error) {
	token, err := s.Box.Open(sealedAt(row.ID), row.Token)
	if err != nil {
		return nil, err
	}
	return s.connect(row, secret.String(token))
}

func (s *Store) connect(row query.SourceControlProvider, token secret.String) (git.Client, error) {
	c := git.Connection{Provider: row.Provider, Token: token, HTTP: s.HTTP, Base: s.Bases[row.Provider]}
	if row.URL != nil {
		c.URL = *row.URL
	}
	if row.Username != nil {
		c.Username = *row.Username
	}
	return git.Connect(c)
}

// Providers returns those that can be connected, by their names in the contract.
func Providers() []string {
	return []string{git.GitHub, git.GitLab, git.Bitbucket, git.GitLabCustom}
}

// clonePattern matches a host, and an optional port.
var clonePattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[1-9][0-9]{0,4})?$`)
