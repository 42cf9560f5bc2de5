package security

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// SecurityRuleAttributes are the attributes of a security rule.
type SecurityRuleAttributes struct {
	Name      string   `json:"name"`
	Path      *string  `json:"path"`
	Status    *string  `json:"status"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType is securityRules.
func (SecurityRuleAttributes) ResourceType() string { return Rules.Kind }

// Resource is a security rule in a document. Names of users and their passwords are in none.
type Resource = server.Document[SecurityRuleAttributes]

func shown(r query.SecurityRule) (id int64, operation *int64, a SecurityRuleAttributes) {
	return r.ID, r.OperationID, SecurityRuleAttributes{
		Name: r.Name, Path: api.NullText(r.Path), Status: &r.Status, CreatedAt: api.TimeOf(r.CreatedAt),
		UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
}

// CreateSecurityRuleRequest asks for a rule.
type CreateSecurityRuleRequest struct {
	Name        string       `json:"name" maxLength:"255" doc:"The text shown to visitors in the password prompt."`
	Path        *string      `json:"path,omitempty" maxLength:"255" doc:"The path to protect, including everything below it. Empty for the whole site."`
	Credentials []Credential `json:"credentials" minItems:"1" uniqueItems:"true" nullable:"false"`
}

// UpdateSecurityRuleRequest changes a rule. Users that are not named are gone.
type UpdateSecurityRuleRequest struct {
	Name        string               `json:"name" maxLength:"255"`
	Path        *string              `json:"path,omitempty" nullable:"true" maxLength:"255" doc:"Null for the whole site."`
	Credentials []OptionalCredential `json:"credentials" minItems:"1" uniqueItems:"true" nullable:"false"`
}

// Operations are the operations on security rules.
type Operations struct {
	server.Parts[site.Path, query.SecurityRule, Specification, SecurityRuleAttributes]
	Vault Vault
}

// NewOperations makes them.
func NewOperations(d *db.DB, v Vault, sites *site.Store, l *ledger.Ledger, r *api.Router) *Operations {
	return &Operations{Vault: v, Parts: server.Parts[site.Path, query.SecurityRule, Specification, SecurityRuleAttributes]{
		DB: d, Router: r, Noun: Rules,
		Acceptor: site.AcceptorOf(l),
		Load:     sites.InPath, Collection: "security-rules", Param: "securityRule", Table: "security_rules", Get: (*query.Queries).GetSecurityRule,
		Attributes: shown,
	}}
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/sites/{site}/security-rules"
	const single = many + "/{securityRule}"
	manage := []access.Permission{access.SiteManageSecurity}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.index", Method: http.MethodGet, Path: many, Tag: "Security Rules", Mode: api.Sync,
		Permissions: manage, Summary: "List security rules",
		Filters: []api.Filter{{Name: "path", Text: true}, {Name: "status"}}, Sorts: []string{"path", "status", "created_at", "updated_at"},
	}, o.Load, o.Index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.store", Method: http.MethodPost, Path: many, Tag: "Security Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Removable: true, Conflict: true, Summary: "Create a security rule",
		Description: "Visitors are asked for a name and a password. If several rules match, the one with the longest path applies. Passwords are stored only as " +
			"bcrypt hashes.",
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.show", Method: http.MethodGet, Path: single, Tag: "Security Rules", Mode: api.Sync,
		Permissions: manage, Summary: "Get a security rule",
	}, o.InPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.update", Method: http.MethodPut, Path: single, Tag: "Security Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Update a security rule",
		Example: map[string]any{"credentials": []any{map[string]any{"username": "ada", "password": "example"}}},
	}, o.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.security-rules.destroy", Method: http.MethodDelete, Path: single, Tag: "Security Rules", Mode: api.Async,
		Permissions: manage,
		Status:      http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Delete a security rule",
	}, o.InPath, o.destroy)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateSecurityRuleRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	credentials := make([]OptionalCredential, len(b.Credentials))
	for i, user := range b.Credentials {
		credentials[i] = OptionalCredential{Username: user.Username, Password: &user.Password}
	}
	in := check(c.Fields, b.Name, b.Path, credentials, nil)
	if err := o.alone(ctx, tx, c.Fields, c.Parent.Site, 0, in.path); err != nil {
		return none, err
	}
	row, err := tx.InsertSecurityRule(ctx, query.InsertSecurityRuleParams{
		SiteID: c.Parent.Site.ID, Name: in.name, Path: in.path, Credentials: []byte{},
		Status: StatusInstalling, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create security rule: %w", err)
	}
	s, err := o.specify(c.Parent, row.ID, in)
	if err != nil {
		return none, err
	}
	return o.Create(ctx, tx, c.Parent, row.ID, s, "Installing security rule "+in.name)
}

// specify returns what a rule is to be as it was asked for.
func (o *Operations) specify(p site.Path, id int64, in wanted) (Specification, error) {
	users, err := o.Vault.seal(id, in.users)
	return Specification{SiteID: p.Site.ID, Name: in.name, Path: in.path, Users: users}, err
}

// alone refuses a second rule for a path: one of them would not count.
func (o *Operations) alone(ctx context.Context, tx *db.Tx, f api.Fields, site query.OfSite, self int64, path value.URLPath) error {
	rows, err := tx.ListSecurityRules(ctx, site)
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

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateSecurityRuleRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.Editable(ctx, tx, &c.Parent, "rule")
	if err != nil {
		return none, err
	}
	had, err := o.Vault.open(row)
	if err != nil {
		return none, err
	}
	b = api.Over(c, UpdateSecurityRuleRequest{Path: api.NullText(row.Path)})
	in := check(c.Fields, b.Name, b.Path, b.Credentials, had)
	if err := o.alone(ctx, tx, c.Fields, row, row.ID, in.path); err != nil {
		return none, err
	}
	s, err := o.specify(c.Parent.At, row.ID, in)
	if err != nil {
		return none, err
	}
	return o.Change(ctx, tx, c.Parent.At, row.ID, s, "update", "Updating security rule "+in.name)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing security rule "+c.Parent.Row.Name, nil)
}
