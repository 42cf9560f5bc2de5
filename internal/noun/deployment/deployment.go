// Package deployment brings new code of a site to its server: one at a time a site, into a release of its own, live at once or not at all.
package deployment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is the aspect of deployments: a separate lane for each site, in parallel to changes of the server.
const Aspect = "deployment"

// resource is the kind of row that operations of deployments settle.
const resource = "deployments"

// queueFor is how long a deployment may wait for its turn, beside the time that it may take itself.
const queueFor = time.Hour

// The states of a deployment.
const (
	StatusQueued    = "queued"
	StatusDeploying = "deploying"
	StatusFinished  = "finished"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
)

// The types of deployments: what they came from.
const (
	TypeManual   = "manual"
	TypePush     = "push"
	TypeHook     = "hook"
	TypeRedeploy = "redeploy"
	TypeRollback = "rollback"
	TypeRestart  = "restart"
)

// Request is what a deployment is asked for with.
type Request struct {
	Type string
	// Grant is the caller's; for a hook it is the organization alone.
	Grant access.Grant
	// Hash, Author and Message label the deployment until it is known what was deployed.
	Hash, Author, Message string
	// Release is a kept release to make live again; Commit is checked out instead of the branch's newest.
	Release, Commit string
	// Variables are given to the script under their names.
	Variables map[string]string
	// once is the hash of a push, which is taken once.
	once string
}

// Path is a deployment that the caller can see.
type Path struct {
	site.Path
	Deployment query.Deployment
}

// Current locks the site's server, and reads it, the site and the deployment again.
func (p Path) Current(ctx context.Context, tx *db.Tx) (Path, error) {
	var err error
	if p.Path, err = p.Path.Current(ctx, tx); err != nil {
		return p, err
	}
	if p.Deployment, err = tx.GetSiteDeployment(ctx, p.Site, p.Deployment.ID); err != nil {
		return p, fmt.Errorf("read deployment: %w", err)
	}
	return p, nil
}

// Store reads deployments for callers.
type Store struct {
	DB    *db.DB
	Sites *site.Store
}

// InPath loads organization, server, site and deployment.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := s.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("deployment")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetSiteDeployment(ctx, parent.Site, id)
	if err != nil {
		return Path{}, fmt.Errorf("read deployment %d: %w", id, err)
	}
	return Path{Path: parent, Deployment: row}, nil
}

// Deployer accepts deployments from every source.
type Deployer struct {
	Queue    *job.Queue
	Projects *project.Store
}

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "deployments", Row: strconv.FormatInt(id, 10), Column: "hook_variables"}
}

// keepVariables seals what a deploy hook was called with: callers hand on tokens that way.
func (d *Deployer) keepVariables(ctx context.Context, tx *db.Tx, id int64, variables map[string]string) error {
	if len(variables) == 0 {
		return nil
	}
	plain, err := json.Marshal(variables)
	if err != nil {
		return fmt.Errorf("note variables of deployment: %w", err)
	}
	sealed, err := d.Projects.Box.Seal(sealedAt(id), plain)
	if err != nil {
		return err
	}
	if err := tx.SealDeploymentVariables(ctx, id, sealed); err != nil {
		return fmt.Errorf("note variables of deployment %d: %w", id, err)
	}
	return nil
}

// variables returns what a deploy hook was called with.
func (c *Task) variables(d query.Deployment) (map[string]string, error) {
	if len(d.HookVariables) == 0 {
		return nil, nil
	}
	plain, err := c.Projects.Box.Open(sealedAt(d.ID), d.HookVariables)
	if err != nil {
		return nil, err
	}
	var out map[string]string
	if err := json.Unmarshal(plain, &out); err != nil {
		return nil, fmt.Errorf("read variables of deployment %d: %w", d.ID, err)
	}
	return out, nil
}

// ErrNoScript refuses to deploy a site that has nothing to run and nothing to fetch.
var ErrNoScript = errors.New("the site has no deploy script")

// Deploy queues a deployment. One that waits already is superseded: whatever it would have brought, this one brings as well.
func (d *Deployer) Deploy(ctx context.Context, tx *db.Tx, srv query.Server, row query.Site, r Request) (query.Deployment, job.Accepted, error) {
	var none query.Deployment
	if err := tx.LockServer(ctx, srv.ID); err != nil {
		return none, job.Accepted{}, err
	}
	code, err := d.Projects.Get(ctx, tx.Granted, row)
	if errors.Is(err, project.ErrNone) || err == nil && code.Script == "" && r.Release == "" {
		return none, job.Accepted{}, ErrNoScript
	}
	if err != nil {
		return none, job.Accepted{}, err
	}
	var initiator *int64
	if r.Grant.UserID != 0 {
		initiator = &r.Grant.UserID
	}
	waiting, err := tx.ListOpenDeployments(ctx, row)
	if err != nil {
		return none, job.Accepted{}, fmt.Errorf("list open deployments: %w", err)
	}
	out, err := tx.InsertDeployment(ctx, query.InsertDeploymentParams{
		OrganizationID: row.OrganizationID, ServerID: srv.ID, SiteID: row.ID,
		InitiatorID: initiator, Type: r.Type, Status: StatusQueued,
		CommitHash: api.OrNull(r.Hash), CommitAuthor: api.OrNull(r.Author), CommitMessage: api.OrNull(r.Message), CommitBranch: api.OrNull(code.Branch),
		TargetRelease: r.Release, TargetCommit: r.Commit,
		CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, job.Accepted{}, fmt.Errorf("queue deployment: %w", err)
	}
	if err := d.keepVariables(ctx, tx, out.ID, r.Variables); err != nil {
		return none, job.Accepted{}, err
	}
	for _, w := range waiting {
		if err := supersede(ctx, tx, w, out.ID); err != nil {
			return none, job.Accepted{}, err
		}
	}
	description := "Deploying " + row.Name
	if r.Type == TypeRollback {
		description = "Rolling back " + row.Name + " to release " + r.Release
	}
	accepted, err := d.Queue.Begin(ctx, tx, job.Work{
		Grant: r.Grant, ServerID: srv.ID, SiteID: row.ID, Ready: srv.IsReady, Aspect: job.Beside(Aspect, row.ID),
		Resource: resource, ResourceID: out.ID,
		Action: "create", Description: description, RanAs: row.UnixUser, Lasting: true, Needs: []access.Permission{access.SiteManageDeploys},
		Within: queueFor + time.Duration(code.TimeLimit)*time.Second,
	})
	if err != nil {
		return none, accepted, err
	}
	out.OperationID = &accepted.OperationID
	if err := tx.SetDeploymentOperation(ctx, out.ID, out.OperationID); err != nil {
		return none, accepted, fmt.Errorf("queue deployment: %w", err)
	}
	if err := tx.NoteLatestDeployment(ctx, row.ID, &out.ID, out.Status); err != nil {
		return none, accepted, fmt.Errorf("queue deployment: %w", err)
	}
	return out, accepted, nil
}

// First deploys a site that its type's installer creates, once it exists.
func (d *Deployer) First(ctx context.Context, tx *db.Tx, p site.Path) error {
	_, _, err := d.Deploy(ctx, tx, p.Server, p.Site, Request{Type: TypeManual, Grant: p.Grant})
	return err
}

// Restart starts the program of a site again, of the release that is live: as a deployment of that release. One that waits for its turn
// does that anyway.
func (d *Deployer) Restart(ctx context.Context, tx *db.Tx, of query.OfSite) error {
	row, err := tx.GetSite(ctx, of)
	if errors.Is(err, db.ErrNotFound) || err == nil && (!site.HasProgram(row) || row.Status != site.StatusInstalled) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("restart program of site %d: %w", of.OfSite(), err)
	}
	code, err := d.Projects.Get(ctx, tx.Granted, row)
	if errors.Is(err, project.ErrNone) || err == nil && code.LiveRelease == "" {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := tx.ListOpenDeployments(ctx, row)
	if err != nil {
		return fmt.Errorf("list open deployments: %w", err)
	}
	if slices.ContainsFunc(open, func(o query.Deployment) bool { return o.Status == StatusQueued }) {
		return nil
	}
	srv, err := tx.GetServer(ctx, row)
	if err != nil {
		return fmt.Errorf("restart program of site %d: %w", of.OfSite(), err)
	}
	_, _, err = d.Deploy(ctx, tx, srv, row, Request{Type: TypeRestart, Grant: access.Grant{OrganizationID: row.OrganizationID}, Release: code.LiveRelease})
	return err
}

// supersede ends a deployment that has not begun; one that has continues.
func supersede(ctx context.Context, tx *db.Tx, w query.Deployment, by int64) error {
	if w.Status != StatusQueued || w.OperationID == nil {
		return nil
	}
	op, err := tx.GetOrganizationOperation(ctx, w, *w.OperationID)
	if err != nil {
		return fmt.Errorf("supersede deployment %d: %w", w.ID, err)
	}
	return (&Task{}).kind().Supersede(ctx, tx, op, fmt.Sprintf("Deployment %d replaced it before it started.", by))
}
