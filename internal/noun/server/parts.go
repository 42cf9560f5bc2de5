package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// The states of a part, where the contract has no others for it.
const (
	PartInstalling = "installing"
	PartInstalled  = "installed"
	PartRemoving   = "removing"
	PartFailed     = "failed"
)

// PartStatuses are all states that the contract has for parts whose kind has none of its own.
func PartStatuses() []string {
	return []string{
		PartInstalling, PartInstalled, PartRemoving, "restarting", "stopping", "stopped", "starting", "syncing", "updating", "disabling", "disabled", "enabling",
		"running", "restoring", "deleting", PartFailed, "success", "failed-unknown", "failed-runner", "renewing",
	}
}

// PartStatus returns the state that a part shows in a phase.
func PartStatus(p ledger.Phase) string {
	switch p {
	case ledger.Creating, ledger.Updating:
		return PartInstalling
	case ledger.Applied:
		return PartInstalled
	case ledger.Deleting:
		return PartRemoving
	}
	return PartFailed
}

// Acceptor accepts changes of one aspect of a server.
type Acceptor struct {
	Ledger *ledger.Ledger
	Name   string
	// Within is how long a change may take; an unreachable host is tried until then.
	Within time.Duration
	// Lasting is set where changes are not rolled back (job.Work).
	Lasting bool
}

// Accept accepts a change of resources on a server, or on a site of it. The first wish is for the resource that the work is about.
func (a Acceptor) Accept(ctx context.Context, tx *db.Tx, p Path, siteID int64, action, description string, wishes ...ledger.Wish) (job.Accepted, error) {
	return a.Ledger.Accept(ctx, tx, a.Work(p, siteID, wishes[0].Kind, wishes[0].ID, action, description), wishes...)
}

// Work returns a change that is about one resource.
func (a Acceptor) Work(p Path, siteID int64, kind string, id int64, action, description string) job.Work {
	return job.Work{
		Grant: p.Grant, ServerID: p.Server.ID, SiteID: siteID, Ready: p.Server.IsReady, Aspect: a.Name, Resource: kind, ResourceID: id,
		Action: action, Description: description, RanAs: "root", Lasting: a.Lasting, Within: a.Within,
	}
}

// revoked is how long the removal of what leaked may take: a server that can't be reached is waited for.
const revoked = 7 * 24 * time.Hour

// Leaked is a resource that lets people into a server.
type Leaked[S any] struct {
	Noun   *ledger.Noun[S]
	Aspect string
	// ID is that of the resource, SiteID of its site, 0 for none, and Name says in words what it is.
	ID, SiteID int64
	Name       string
	// Request is what its removal is asked for with, nil for nothing, and Needs who may cancel and retry it.
	Request any
	Needs   []access.Permission
}

// Revoke removes what leaked for the operator of the installation. The server is locked.
func (r Leaked[S]) Revoke(ctx context.Context, tx *db.Tx, l *ledger.Ledger, on query.Server) error {
	now, err := r.Noun.Row(ctx, tx.Granted, r.ID)
	if err != nil || now.Phase == ledger.Deleting {
		return err
	}
	acceptor := Acceptor{Ledger: l, Name: r.Aspect, Within: revoked}
	p := Path{Grant: access.Grant{OrganizationID: on.OrganizationID}, Server: on}
	work := acceptor.Work(p, r.SiteID, r.Noun.Kind, r.ID, "delete", "Revoking "+r.Name)
	work.Request, work.Needs = r.Request, r.Needs
	if _, err := l.Accept(ctx, tx, work, r.Noun.Removal(r.ID)); err != nil {
		return fmt.Errorf("revoke %s: %w", r.Name, err)
	}
	return nil
}

// Parent is what a part belongs to: a server, or a site on one. P is the parent's own type.
type Parent[P any] interface {
	access.Authority
	InOrganization() int64
	// On returns the server, and the site on it; 0 for none.
	On() (p Path, siteID int64)
	// Key returns how rows of parts name the parent.
	Key() (column string, id int64)
	// URL returns where the parent is read. The paths of its parts begin with it.
	URL() string
	// Lock locks the server for a change of a part, and returns the parent as it is now: what is decided after the lock is decided on that. It
	// returns a conflict if the parent can't be changed now.
	Lock(ctx context.Context, tx *db.Tx) (P, error)
}

// On returns the server itself.
func (p Path) On() (Path, int64) { return p, 0 }

// Key returns how rows name the server.
func (p Path) Key() (string, int64) { return "server_id", p.Server.ID }

// URL returns where the server is read.
func (p Path) URL() string {
	return "/orgs/" + p.Slug + "/servers/" + strconv.FormatInt(p.Server.ID, 10)
}

// Lock is Current: a server has no state in which its parts can't be changed.
func (p Path) Lock(ctx context.Context, tx *db.Tx) (Path, error) { return p.Current(ctx, tx) }

// Current locks the server and reads it again, as far as the organization that it was loaded for still has it.
func (p Path) Current(ctx context.Context, tx *db.Tx) (Path, error) {
	if err := tx.LockServer(ctx, p.Server.ID); err != nil {
		return p, err
	}
	row, err := tx.GetOrganizationServer(ctx, p, p.Server.ID)
	if errors.Is(err, db.ErrNotFound) {
		return p, api.ErrNotFound
	}
	if err != nil {
		return p, fmt.Errorf("read server %d: %w", p.Server.ID, err)
	}
	p.Server = row
	return p, nil
}

// Part is a resource visible to the caller, and what it belongs to.
type Part[P Parent[P], R any] struct {
	At  P
	ID  int64
	Row R
}

// Require asks for permissions where the part is.
func (p Part[P, R]) Require(permissions ...access.Permission) error {
	return p.At.Require(permissions...)
}

// InOrganization returns the organization that the part is in.
func (p Part[P, R]) InOrganization() int64 { return p.At.InOrganization() }

// Document is a part in a document.
type Document[A api.Attributes] = api.Resource[A, api.NoRelationships]

// Parts are the resources of one noun that belong to servers or to sites: how they are found, shown, accepted and removed. R is their row, S their
// specification, A their attributes.
type Parts[P Parent[P], R, S any, A api.Attributes] struct {
	DB       *db.DB
	Router   *api.Router
	Noun     *ledger.Noun[S]
	Acceptor Acceptor
	// Load finds what they belong to. Below that they are at Collection, each by its id, which is Param in the paths of operations.
	Load              api.Loader[P]
	Collection, Param string
	// Table has their rows, and Get reads one.
	Table string
	Get   func(q *query.Queries, ctx context.Context, parent, id int64) (R, error)
	// Attributes is what the document of a row says, with its id and the newest operation on it.
	Attributes func(row R) (id int64, operation *int64, a A)
	// More adds what only documents of this noun say, for all of the rows; nil for nothing.
	More func(ctx context.Context, q query.DBTX, at P, rows []R, documents []Document[A]) error
}

// InPath loads a resource with what it belongs to. One of another parent is not found.
func (n *Parts[P, R, S, A]) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Part[P, R], error) {
	var part Part[P, R]
	var err error
	if part.At, err = n.Load(ctx, actor, path); err != nil {
		return part, err
	}
	if part.ID, err = path.ID(n.Param); err != nil {
		return part, err
	}
	part.Row, err = n.Read(ctx, n.DB.Read(), part.At, part.ID)
	return part, err
}

// Read reads the row of a resource as it is now. Its reads are Ungranted, because Get is one type for every noun and the granted form of a query
// has a type of its own for each parent. They stay within what the caller can see: at was loaded with a grant, and Get is limited to rows of that
// parent.
func (n *Parts[P, R, S, A]) Read(ctx context.Context, q *query.Granted, at P, id int64) (R, error) {
	_, parent := at.Key()
	row, err := n.Get(q.Ungranted(), ctx, parent, id)
	if err != nil {
		return row, fmt.Errorf("read %s %d: %w", n.Noun.Kind, id, err)
	}
	return row, nil
}

// Current locks the parent of a resource for a change of it, and reads both again into part. It returns the row.
func (n *Parts[P, R, S, A]) Current(ctx context.Context, tx *db.Tx, part *Part[P, R]) (R, error) {
	var err error
	if part.At, err = part.At.Lock(ctx, tx); err != nil {
		return part.Row, err
	}
	part.Row, err = n.Read(ctx, tx.Granted, part.At, part.ID)
	if errors.Is(err, db.ErrNotFound) {
		return part.Row, api.ErrNotFound
	}
	return part.Row, err
}

// Editable is Current for a change of a resource, which is refused while the resource, called what, is being removed.
func (n *Parts[P, R, S, A]) Editable(ctx context.Context, tx *db.Tx, part *Part[P, R], what string) (R, error) {
	row, err := n.Current(ctx, tx, part)
	if err != nil {
		return row, err
	}
	now, err := n.Noun.Row(ctx, tx.Granted, part.ID)
	if err == nil && now.Phase == ledger.Deleting {
		err = api.Conflict("The %s is being deleted.", what)
	}
	return row, err
}

// URL returns where a resource is read.
func (n *Parts[P, R, S, A]) URL(at P, id int64) string {
	return at.URL() + "/" + n.Collection + "/" + strconv.FormatInt(id, 10)
}

// Documents returns those of rows, each with its newest operation.
func (n *Parts[P, R, S, A]) Documents(ctx context.Context, q query.DBTX, at P, rows ...R) ([]Document[A], error) {
	out, err := n.Linked(ctx, q, func(R) P { return at }, rows...)
	if err == nil && n.More != nil {
		err = n.More(ctx, q, at, rows, out)
	}
	return out, err
}

// Linked returns the documents of rows of several parents, without More; at says where a row is.
func (n *Parts[P, R, S, A]) Linked(ctx context.Context, q query.DBTX, at func(R) P, rows ...R) ([]Document[A], error) {
	operation := func(row R) *int64 {
		_, id, _ := n.Attributes(row)
		return id
	}
	return job.Described(ctx, q, rows, operation, func(row R, meta *api.Meta) Document[A] {
		id, _, a := n.Attributes(row)
		doc := Document[A]{ID: strconv.FormatInt(id, 10), Attributes: a, Meta: meta}
		if _, unlinked := any(a).(interface{ Unlinked() }); !unlinked {
			doc.Links = n.Router.Links(n.URL(at(row), id))
		}
		return doc
	})
}

// Index lists the resources of one parent.
func (n *Parts[P, R, S, A]) Index(ctx context.Context, c api.Call[P]) (api.Collection[Document[A]], error) {
	q := n.DB.Reader()
	column, id := c.Parent.Key()
	return api.Paged(ctx, q, c.List.Of(n.Table, db.Equal(column, id)), func(rows ...R) ([]Document[A], error) {
		return n.Documents(ctx, q, c.Parent, rows...)
	})
}

// Single answers with one resource.
func (n *Parts[P, R, S, A]) Single(ctx context.Context, c api.Call[Part[P, R]]) (api.Document[Document[A]], error) {
	return api.Single(n.Documents(ctx, n.DB.Reader(), c.Parent.At, c.Parent.Row))
}

// Accept accepts what a resource is to be, and reads the row that shows it.
func (n *Parts[P, R, S, A]) Accept(ctx context.Context, tx *db.Tx, at P, id int64, s S, action, description string) (R, job.Accepted, error) {
	var none R
	wish, err := n.Noun.Want(id, s)
	if err != nil {
		return none, job.Accepted{}, err
	}
	p, _ := at.On()
	accepted, err := n.Acceptor.Accept(ctx, tx, p, n.site(at, s), action, description, wish)
	if err != nil {
		return none, accepted, err
	}
	row, err := n.Read(ctx, tx.Granted, at, id)
	return row, accepted, err
}

// site returns the site that a resource belongs to, 0 for one that belongs to its server alone.
func (n *Parts[P, R, S, A]) site(at P, s S) int64 {
	_, id := at.On()
	if id == 0 && n.Noun.Parent == "sites" {
		id = n.Noun.In(s)
	}
	return id
}

// Create accepts a resource whose row was just inserted, and answers with it.
func (n *Parts[P, R, S, A]) Create(ctx context.Context, tx *db.Tx, at P, id int64, s S, description string) (api.Document[Document[A]], error) {
	doc, err := n.Change(ctx, tx, at, id, s, "create", description)
	doc.Location = n.URL(at, id)
	return doc, err
}

// Change accepts what a resource is to be, and answers with it.
func (n *Parts[P, R, S, A]) Change(ctx context.Context, tx *db.Tx, at P, id int64, s S, action, description string) (api.Document[Document[A]], error) {
	row, accepted, err := n.Accept(ctx, tx, at, id, s, action, description)
	if err != nil {
		return api.Document[Document[A]]{}, err
	}
	doc, err := api.Single(n.Documents(ctx, tx.SQL, at, row))
	doc.Event = accepted.EventID
	return doc, err
}

// Remove asks for a resource to go, unless its noun keeps it. refuse says why else the resource, as it is now, may not, and may be nil; a second request
// while the first is open changes nothing.
func (n *Parts[P, R, S, A]) Remove(ctx context.Context, tx *db.Tx, part Part[P, R], description string, refuse func(Part[P, R]) error) (api.Empty, error) {
	return n.RemoveAs(ctx, tx, part, description, nil, refuse)
}

// RemoveAs is Remove by work with a request: how the resource is to go. ledger.Forced is one.
func (n *Parts[P, R, S, A]) RemoveAs(ctx context.Context, tx *db.Tx, part Part[P, R], description string, request any,
	refuse func(Part[P, R]) error,
) (api.Empty, error) {
	if _, err := n.Current(ctx, tx, &part); err != nil {
		return api.Empty{}, err
	}
	if refuse == nil {
		return n.Drop(ctx, tx, part.At, part.ID, description, request, nil)
	}
	return n.Drop(ctx, tx, part.At, part.ID, description, request, func() error { return refuse(part) })
}

// Drop is RemoveAs for a resource whose parent is locked.
func (n *Parts[P, R, S, A]) Drop(ctx context.Context, tx *db.Tx, at P, id int64, description string, request any, refuse func() error) (api.Empty, error) {
	now, err := n.Noun.Row(ctx, tx.Granted, id)
	if err != nil || now.Phase == ledger.Deleting {
		return api.Empty{}, err
	}
	if refuse != nil {
		if err := refuse(); err != nil {
			return api.Empty{}, err
		}
	}
	p, _ := at.On()
	if n.Noun.Keep != nil && request != any(ledger.Forced{Force: true}) {
		if err := n.Noun.Keep(ctx, tx, p.Server, id); err != nil {
			return api.Empty{}, err
		}
	}
	work := n.Acceptor.Work(p, n.site(at, now.Specification), n.Noun.Kind, id, "delete", description)
	work.Request = request
	accepted, err := n.Acceptor.Ledger.Accept(ctx, tx, work, n.Noun.Removal(id))
	return api.Empty{Event: accepted.EventID}, err
}
