package security

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// CreateSecurityRuleRequest asks for a rule.
type CreateSecurityRuleRequest struct {
	Name        string       `json:"name" maxLength:"255" doc:"The text that visitors see in the password prompt."`
	Path        *string      `json:"path,omitempty" maxLength:"255" doc:"The path that is protected with all below it; nothing for the whole site."`
	Credentials []Credential `json:"credentials" minItems:"1" uniqueItems:"true" nullable:"false"`
}

// UpdateSecurityRuleRequest changes a rule. Users that are not named are gone.
type UpdateSecurityRuleRequest struct {
	Name        string               `json:"name" maxLength:"255"`
	Path        *string              `json:"path,omitempty" nullable:"true" maxLength:"255" doc:"Null for the whole site."`
	Credentials []OptionalCredential `json:"credentials" minItems:"1" uniqueItems:"true" nullable:"false" doc:"A user without a password keeps the one that they have."`
}

// Operations are the operations on security rules.
type Operations struct {
	DB     *db.DB
	Vault  Vault
	Sites  *site.Store
	Ledger *ledger.Ledger
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/sites/{site}/security-rules"
	const single = many + "/{securityRule}"
	manage := []access.Permission{access.SiteManageSecurity}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.index", Method: http.MethodGet, Path: many, Tag: "Security Rules", Mode: api.Sync, Permissions: manage, Summary: "List security rules",
		Filters: []api.Filter{{Name: "path", Text: true}, {Name: "status"}}, Sorts: []string{"path", "status", "created_at", "updated_at"},
	}, o.Sites.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.store", Method: http.MethodPost, Path: many, Tag: "Security Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Create a security rule",
		Description: "Visitors need a name and a password. Of several rules the one with the longest path applies. Passwords are stored only as bcrypt hashes.",
	}, o.Sites.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.show", Method: http.MethodGet, Path: single, Tag: "Security Rules", Mode: api.Sync, Permissions: manage, Summary: "Get a security rule",
	}, o.inPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.update", Method: http.MethodPut, Path: single, Tag: "Security Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Update a security rule",
	}, o.inPath, o.update)
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.destroy", Method: http.MethodDelete, Path: single, Tag: "Security Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Delete a security rule",
	}, o.inPath, o.destroy)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.Path) (Path, error) {
	parent, err := o.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("securityRule")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetSecurityRule(ctx, parent.Site.ID, id)
	if err != nil {
		return Path{}, fmt.Errorf("read security rule %d: %w", id, err)
	}
	return Path{Path: parent, Rule: row}, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[site.SecurityRuleResource], error) {
	q := o.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("security_rules", db.Equal("site_id", c.Parent.Site.ID)), func(rows ...query.SecurityRule) ([]site.SecurityRuleResource, error) {
		return site.SecurityRules(ctx, q, o.Router, c.Parent.Slug, c.Parent.Server.ID, rows...)
	})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[site.SecurityRuleResource], error) {
	return o.document(ctx, o.DB.Reader(), c.Parent.Path, c.Parent.Rule)
}

func (o *Operations) document(ctx context.Context, q query.DBTX, p site.Path, row query.SecurityRule) (api.Document[site.SecurityRuleResource], error) {
	return api.Single(site.SecurityRules(ctx, q, o.Router, p.Slug, p.Server.ID, row))
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateSecurityRuleRequest) (api.Document[site.SecurityRuleResource], error) {
	var none api.Document[site.SecurityRuleResource]
	if _, err := site.Lock(ctx, tx, c.Parent); err != nil {
		return none, err
	}
	credentials := make([]OptionalCredential, len(b.Credentials))
	for i, user := range b.Credentials {
		credentials[i] = OptionalCredential{Username: user.Username, Password: &user.Password}
	}
	in := check(c.Fields, b.Name, b.Path, credentials, nil)
	if err := o.alone(ctx, tx, c.Fields, c.Parent.Site.ID, 0, in.path); err != nil {
		return none, err
	}
	row, err := tx.InsertSecurityRule(ctx, query.InsertSecurityRuleParams{SiteID: c.Parent.Site.ID, Name: in.name, Path: in.path, Credentials: []byte{}, Status: StatusInstalling, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()})
	if err != nil {
		return none, fmt.Errorf("create security rule: %w", err)
	}
	doc, err := o.want(ctx, tx, c.Parent, row.ID, in, "create", "Installing security rule "+in.name)
	doc.Location = path(c.Parent, row)
	return doc, err
}

// want accepts that a rule is to be as it was asked for.
func (o *Operations) want(ctx context.Context, tx *db.Tx, p site.Path, id int64, in wanted, action, description string) (api.Document[site.SecurityRuleResource], error) {
	var none api.Document[site.SecurityRuleResource]
	users, err := o.Vault.seal(id, in.users)
	if err != nil {
		return none, err
	}
	wish, err := Rules.Want(id, Specification{SiteID: p.Site.ID, Name: in.name, Path: in.path, Users: users})
	if err != nil {
		return none, err
	}
	accepted, err := site.AcceptPart(ctx, tx, o.Ledger, p, action, description, wish)
	if err != nil {
		return none, err
	}
	row, err := tx.GetSecurityRule(ctx, p.Site.ID, id)
	if err != nil {
		return none, fmt.Errorf("read security rule %d: %w", id, err)
	}
	doc, err := o.document(ctx, tx.SQL, p, row)
	doc.Event = accepted.EventID
	return doc, err
}

// alone refuses a second rule for a path: one of them would not count.
func (o *Operations) alone(ctx context.Context, tx *db.Tx, f api.Fields, siteID, self int64, path *string) error {
	rows, err := tx.ListSecurityRules(ctx, siteID)
	if err != nil {
		return fmt.Errorf("list security rules: %w", err)
	}
	if self == 0 && len(rows) >= maxRules {
		f.Add("name", "A site can have at most %d security rules.", maxRules)
	}
	if len(f["path"]) == 0 && taken(rows, self, path) {
		f.Add("path", pathTaken)
	}
	return f.Err()
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateSecurityRuleRequest) (api.Document[site.SecurityRuleResource], error) {
	var none api.Document[site.SecurityRuleResource]
	row, err := o.current(ctx, tx, c.Parent)
	if err != nil {
		return none, err
	}
	if row.Status == StatusRemoving {
		return none, api.Conflict("The rule is being deleted.")
	}
	had, err := o.Vault.open(row)
	if err != nil {
		return none, err
	}
	b = api.Over(c, UpdateSecurityRuleRequest{Path: api.Copied(row.Path)})
	in := check(c.Fields, b.Name, b.Path, b.Credentials, had)
	if err := o.alone(ctx, tx, c.Fields, c.Parent.Site.ID, row.ID, in.path); err != nil {
		return none, err
	}
	return o.want(ctx, tx, c.Parent.Path, row.ID, in, "update", "Updating security rule "+in.name)
}

func (o *Operations) current(ctx context.Context, tx *db.Tx, p Path) (query.SecurityRule, error) {
	if _, err := site.Lock(ctx, tx, p.Path); err != nil {
		return query.SecurityRule{}, err
	}
	row, err := tx.GetSecurityRule(ctx, p.Site.ID, p.Rule.ID)
	if errors.Is(err, db.ErrNotFound) {
		return row, api.ErrNotFound
	}
	if err != nil {
		return row, fmt.Errorf("read security rule %d: %w", p.Rule.ID, err)
	}
	return row, nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	row, err := o.current(ctx, tx, c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	if row.Status == StatusRemoving { // a second delete while the first runs
		return api.Empty{}, nil
	}
	accepted, err := site.AcceptPart(ctx, tx, o.Ledger, c.Parent.Path, "delete", "Removing security rule "+row.Name, Rules.Remove(row.ID))
	return api.Empty{Event: accepted.EventID}, err
}
