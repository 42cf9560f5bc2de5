package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// CreateServerRequest asks for a server.
type CreateServerRequest struct {
	Name                  string         `json:"name" maxLength:"30"`
	Provider              string         `json:"provider"`
	CredentialID          *int64         `json:"credential_id,omitempty"`
	TeamID                *int64         `json:"team_id,omitempty" nullable:"true"`
	Type                  string         `json:"type" enum:"app,web,loadbalancer,database,cache,worker,meilisearch,openclaw"`
	UbuntuVersion         string         `json:"ubuntu_version,omitempty" enum:"24.04,26.04"`
	PHPVersion            string         `json:"php_version,omitempty"`
	DatabaseType          *string        `json:"database_type,omitempty" nullable:"true"`
	RecipeID              *int64         `json:"recipe_id,omitempty" nullable:"true"`
	Tags                  []string       `json:"tags,omitempty" nullable:"true"`
	AWS                   *AWSServer     `json:"aws,omitempty"`
	Ocean2                *Ocean2Server  `json:"ocean2,omitempty"`
	Hetzner               *HetznerServer `json:"hetzner,omitempty"`
	Vultr                 *VultrServer   `json:"vultr,omitempty"`
	Akamai                *AkamaiServer  `json:"akamai,omitempty"`
	Laravel               *LaravelServer `json:"laravel,omitempty"`
	Custom                *CustomServer  `json:"custom,omitempty"`
	Database              *string        `json:"database,omitempty" doc:"The name of the first database."`
	AddKeyToSourceControl *bool          `json:"add_key_to_source_control,omitempty" default:"true"`
	TakeOver              bool           `json:"take_over,omitempty" ours:"true"`
}

// CustomServer is the address of a user's own machine.
type CustomServer struct {
	IPAddress        string  `json:"ip_address,omitempty"`
	PrivateIPAddress *string `json:"private_ip_address,omitempty" nullable:"true"`
	SSHPort          int64   `json:"ssh_port,omitempty"`
	BehindNAT        bool    `json:"behind_nat,omitempty"`
	NATSSHPort       *int64  `json:"nat_ssh_port,omitempty" nullable:"true"`
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateServerRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	in := o.checkCreate(c.Fields, b)
	if b.Database != nil && in.DatabaseType != nil {
		if err := o.Databases.CheckName(query.Server{DatabaseType: in.DatabaseType}, *b.Database); err != nil {
			c.Fields.Add("database", "%s", err)
		}
	}
	if err := organization.CheckTeam(ctx, tx, c.Fields, c.Parent.Grant, access.ServerCreate, b.TeamID); err != nil {
		return none, err
	}
	if err := o.checkCredential(ctx, tx, c.Fields, c.Parent.Grant, b); err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if err := checkReach(ctx, tx, c, query.Server{}, query.Server{
		OrganizationID: c.Parent.OrganizationID, IPAddress: in.IPAddress, SSHPort: in.SSHPort, BehindNAT: in.BehindNAT,
		NATSSHPort: in.NATSSHPort,
	}); err != nil {
		return none, err
	}
	in.OrganizationID, in.CreatedAt, in.UpdatedAt = c.Parent.OrganizationID, tx.Micros(), tx.Micros()
	row, err := tx.InsertServer(ctx, in)
	if err != nil {
		return none, fmt.Errorf("create server: %w", err)
	}
	if b.TeamID != nil {
		if err := tx.ShareServer(ctx, row.ID, *b.TeamID); err != nil {
			return none, fmt.Errorf("create server: %w", err)
		}
	}
	if b.TakeOver {
		if err := tx.SetServerTakeOver(ctx, row.ID, true); err != nil {
			return none, fmt.Errorf("create server: %w", err)
		}
	}
	if AtProvider(row) {
		if row, err = o.placeOrder(ctx, tx, row, b); err != nil {
			return none, err
		}
	}
	bootstrap, err := o.Keys.issue(ctx, tx, &row)
	if err != nil {
		return none, err
	}
	if err := setTags(ctx, tx, row, b.Tags); err != nil {
		return none, err
	}
	work := job.Work{
		Grant: c.Parent.Grant, ServerID: row.ID, Aspect: AspectProvision, Resource: "servers", ResourceID: row.ID, Action: "create",
		Description: "Provisioning server " + row.Name, RanAs: "root", Within: ProvisionDeadline,
	}
	if AtProvider(row) { // it waits for no person
		work.Ready, work.Within = true, orderWithin
	}
	accepted, err := o.Queue.Begin(ctx, tx, work)
	if err != nil {
		return none, err
	}
	row.OperationID = &accepted.OperationID
	if err := tx.SetServerOperation(ctx, row.ID, row.OperationID, tx.Micros()); err != nil {
		return none, fmt.Errorf("create server: %w", err)
	}
	if err := o.Rules.Add(ctx, tx, row, accepted.OperationID); err != nil {
		return none, err
	}
	doc, err := o.document(ctx, tx.SQL, c.Parent.Slug, row)
	if err != nil {
		return none, err
	}
	if !AtProvider(row) {
		doc.Data.Meta.Own = append(doc.Data.Meta.Own, LineMeta{bootstrap})
	}
	if row.DatabaseType != nil {
		first := ""
		if b.Database != nil {
			first = *b.Database
		}
		password, err := o.Databases.AddDefaults(ctx, tx, Path{Grant: c.Parent.Grant, Server: row}, first)
		if err != nil {
			return none, err
		}
		doc.Data.Meta.ShownOnce = &api.ShownOnce{Password: api.SecretOf(password.Reveal())}
	}
	doc.Location, doc.Event = fmt.Sprintf("/orgs/%s/servers/%d", c.Parent.Slug, row.ID), accepted.EventID
	return doc, nil
}

// checkCredential looks for the account that a new server is made with.
func (o *Operations) checkCredential(ctx context.Context, tx *db.Tx, f api.Fields, g access.Grant, b CreateServerRequest) error {
	if b.CredentialID == nil || len(f["credential_id"]) > 0 {
		return nil
	}
	provider, err := o.Credentials.ProviderOf(ctx, tx.Granted, g, *b.CredentialID)
	switch {
	case errors.Is(err, access.ErrNotFound):
		f.Add("credential_id", "The selected credential_id does not exist.")
	case err != nil:
		return err
	case b.Provider == ProviderCustom:
		f.Add("credential_id", "Your own server needs no account.")
	case provider != b.Provider && o.Catalog.Has(b.Provider):
		f.Add("credential_id", "The credential_id belongs to an account at another provider.")
	}
	return nil
}

// checkCreate says all that is wrong with a request, and turns a right one into a row.
func (o *Operations) checkCreate(f api.Fields, b CreateServerRequest) query.InsertServerParams {
	in := query.InsertServerParams{
		Name: b.Name, Slug: slugify(b.Name), Type: b.Type, Provider: b.Provider, Status: StatusConnecting, SSHPort: 22,
		SSHUser: "root", Timezone: "UTC", ConnectionStatus: new(ConnectionConnecting),
	}
	if len(f["name"]) == 0 {
		if _, err := value.ParseServerName(b.Name); err != nil {
			f.Add("name", "%s", err)
		}
	}
	switch {
	case len(f["provider"]) > 0:
	case b.Provider != ProviderCustom && !o.Catalog.Has(b.Provider):
		f.Add("provider", "The provider must be custom, aws, ocean2, hetzner, vultr or akamai.")
	case b.Provider != ProviderCustom:
		in.Status = StatusCreating
		o.checkPlace(f, b)
	case b.Custom == nil:
		f.Add("custom", "The custom field is required for this provider.")
	default:
		o.checkCustom(f, *b.Custom, &in)
	}
	if b.Type == "openclaw" {
		f.Add("type", "Hostler can't install OpenClaw. Create a server of the type app, and install OpenClaw on it as a background process.")
	}
	if b.UbuntuVersion != "" {
		in.UbuntuVersion = &b.UbuntuVersion
	}
	if b.PHPVersion != "" && len(f["php_version"]) == 0 {
		if !HasPHP(b.Type) {
			f.Add("php_version", "A server of the type %s has no PHP.", b.Type)
		}
		in.PHPVersion = &b.PHPVersion
	}
	if b.DatabaseType != nil && len(f["database_type"]) == 0 {
		if !HasDatabase(b.Type) {
			f.Add("database_type", "A server of the type %s has no database.", b.Type)
		}
		in.DatabaseType = b.DatabaseType
	}
	if b.Type == TypeDatabase && b.DatabaseType == nil { // what it is for; the newest of the kind that the system has
		in.DatabaseType = new("mariadb")
	}
	if b.Database != nil && in.DatabaseType == nil {
		f.Add("database", "The database_type field is required when there is a database.")
	}
	if b.RecipeID != nil {
		f.Add("recipe_id", "Run the recipe once the server is set up: setting a server up runs none.")
	}
	checkTags(f, b.Tags)
	return in
}

func (o *Operations) checkCustom(f api.Fields, c CustomServer, in *query.InsertServerParams) {
	if a, words := addressOf("custom.ip_address", c.IPAddress, o.AllowLocal); words == "" {
		in.IPAddress = new(a.String())
	} else if c.IPAddress == "" {
		f.Add("custom.ip_address", "The custom.ip_address field is required.")
	} else {
		f.Add("custom.ip_address", "%s", words)
	}
	if c.PrivateIPAddress != nil && *c.PrivateIPAddress != "" {
		if a, words := addressOf("custom.private_ip_address", *c.PrivateIPAddress, o.AllowLocal); words == "" {
			in.PrivateIPAddress = new(a.String())
		} else {
			f.Add("custom.private_ip_address", "%s", words)
		}
	}
	if c.SSHPort != 0 {
		in.SSHPort = c.SSHPort
		checkPort(f, "custom.ssh_port", c.SSHPort)
	}
	in.BehindNAT = c.BehindNAT
	if c.NATSSHPort != nil {
		in.NATSSHPort = c.NATSSHPort
		checkPort(f, "custom.nat_ssh_port", *c.NATSSHPort)
	}
}

func checkPort(f api.Fields, name string, port int64) {
	if port < 1 || port > 65535 {
		f.Add(name, "The %s must be between 1 and 65535.", name)
	}
}
