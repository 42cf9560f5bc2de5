package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Operations are the operations on servers.
type Operations struct {
	Store  *Store
	Jobs   *job.Queue
	Router *api.Router
	Keys   *Keys
	// Retrier begins the setup of a server again.
	Retrier Retrier
	// Rules makes the firewall rules that every new server has.
	Rules DefaultRules
	// Credentials are the accounts that servers can be made with, Accounts opens them, and Catalog is what their providers have.
	Credentials Credentials
	Accounts    Accounts
	Catalog     *cloud.Catalog
	// OutOfReach is set if servers at a provider could not call Hostler.
	OutOfReach bool
	// Balancers follow when a server's address changes.
	Balancers Balancers
	// Databases makes what a server with an engine begins with.
	Databases Databases
	// Drifter compares servers with what they should be.
	Drifter Drifter
	// AllowLocal takes addresses of the machine that Hostler runs on, and of its link, for servers: for tests.
	AllowLocal bool
}

// Retrier makes failed work pending again.
type Retrier interface {
	Retry(ctx context.Context, tx *db.Tx, operation, by int64) error
}

// Credentials finds the provider of an account that the caller can see; access.ErrNotFound for any other.
type Credentials interface {
	ProviderOf(ctx context.Context, q *query.Granted, g access.Grant, id int64) (string, error)
}

// Balancers are notified when the address of a server changes, which may be a node of theirs, and when it is ready.
type Balancers interface {
	// Lock locks a server and the balancers that it is a node of, before the server is changed.
	Lock(ctx context.Context, tx *db.Tx, server query.Server) error
	NodeChanged(ctx context.Context, tx *db.Tx, g access.Grant, server query.Server, why string) error
}

// Databases writes the account of the sites on a new server's engine and its first database, if that has a name, and accepts their work. The
// account's password is shown once.
type Databases interface {
	AddDefaults(ctx context.Context, tx *db.Tx, p Path, first string) (secret.String, error)
	CheckName(row query.Server, name string) error
}

// DefaultRules asks for the visible rules of a new server, its SSH port, 80 and 443, as a part of the operation that sets it up.
type DefaultRules interface {
	Add(ctx context.Context, tx *db.Tx, server query.Server, operationID int64) error
}

// CreateServerRequest asks for a server.
type CreateServerRequest struct {
	Name                  string         `json:"name" maxLength:"30"`
	Provider              string         `json:"provider"`
	CredentialID          *int64         `json:"credential_id,omitempty"`
	TeamID                *int64         `json:"team_id,omitempty" nullable:"true"`
	Type                  string         `json:"type" enum:"app,web,loadbalancer,database,cache,worker,meilisearch,openclaw"`
	UbuntuVersion         string         `json:"ubuntu_version,omitempty" enum:"24.04,26.04" doc:"The requested version. Optional for custom servers, where the system is detected."`
	PHPVersion            string         `json:"php_version,omitempty" enum:"php5,php56-old,php56,php70,php71,php72,php73,php74,php80,php81,php82,php83,php84,php85"`
	DatabaseType          *string        `json:"database_type,omitempty" nullable:"true" enum:"mysql84,mysql9,mariadb1011,mariadb114,postgres14,postgres15,postgres16,postgres17,postgres18"`
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
	TakeOver              bool           `json:"take_over,omitempty" ours:"true" doc:"If ufw is active, adopt its rules and disable it. Without this, a server with active ufw rules is not set up."`
}

// CustomServer is the address of a user's own machine.
type CustomServer struct {
	IPAddress        string  `json:"ip_address,omitempty"`
	PrivateIPAddress *string `json:"private_ip_address,omitempty" nullable:"true"`
	SSHPort          int64   `json:"ssh_port,omitempty"`
	BehindNAT        bool    `json:"behind_nat,omitempty"`
	NATSSHPort       *int64  `json:"nat_ssh_port,omitempty" nullable:"true"`
}

// UpdateServerRequest changes what is known of a server.
type UpdateServerRequest struct {
	Name             *string  `json:"name,omitempty"`
	IPAddress        *string  `json:"ip_address,omitempty"`
	PrivateIPAddress *string  `json:"private_ip_address,omitempty"`
	Timezone         *string  `json:"timezone,omitempty"`
	Tags             []string `json:"tags,omitempty" nullable:"false"`
	TakeOver         *bool    `json:"take_over,omitempty" ours:"true" doc:"As on creation, for a server that could not be set up. Retry the setup afterwards."`
}

// How long work on servers may take.
const (
	removalDeadline   = 10 * time.Minute
	ProvisionDeadline = 30 * time.Minute
)

// AspectProvision is setting a server up; it comes before every other aspect. AspectRemove takes us off it again.
const (
	AspectProvision = "provision"
	AspectRemove    = "remove"
)

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/servers", "/orgs/{organization}/servers/{server}"
	view := []access.Permission{access.ServerView}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.index", Included: []any{TagResource{}}, Method: http.MethodGet, Path: many, Tag: "Servers", Mode: api.Sync, Permissions: view, Summary: "List servers",
		Description: "Archived servers are listed separately.",
		Filters: []api.Filter{
			{Name: "ip_address"},
			{Name: "name", Text: true},
			{Name: "region"},
			{Name: "size"},
			{Name: "provider"},
			{Name: "ubuntu_version"},
			{Name: "php_version"},
			{Name: "database_type"},
		},
		Sorts: []string{"name", "provider", "ubuntu_version", "region", "php_version", "created_at", "updated_at"},
	}, o.Store.Organizations.InPath, o.index)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.store", Included: []any{TagResource{}}, Method: http.MethodPost, Path: many, Tag: "Servers", Mode: api.Async, Permissions: []access.Permission{access.ServerCreate},
		Status: http.StatusAccepted, BodyOptional: true, Summary: "Create a server",
		Description: "For the provider custom, meta.bootstrap contains the setup command to run on the server as root. At any other provider, the server is " +
			"ordered with a credential, and destroyed if it does not call Hostler within half an hour. meta.shown_once contains the password of the " +
			"database account forge. Secrets are shown once.",
	}, o.Store.Organizations.InPath, o.checkProvider, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.show", Included: []any{TagResource{}}, Method: http.MethodGet, Path: single, Tag: "Servers", Mode: api.Sync, Permissions: view, Summary: "Get a server",
	}, o.Store.InPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.update", Included: []any{TagResource{}}, Method: http.MethodPut, Path: single, Tag: "Servers", Mode: api.Sync, Permissions: []access.Permission{access.ServerManageMeta},
		BodyOptional: true, Summary: "Update a server",
	}, o.Store.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.destroy", Method: http.MethodDelete, Path: single, Tag: "Servers", Mode: api.Async, Permissions: []access.Permission{access.ServerDelete},
		Status: http.StatusAccepted, Invalid: true, Summary: "Delete a server",
		Description: "A server at a provider is destroyed there with everything on it, unless it is preserved, and its record is removed once the provider " +
			"no longer has it. Hostler's keys and agent are removed from a custom or preserved server, unless it can't be reached; its sites and their data " +
			"stay on it.",
		Query: []api.Param{{Name: "preserve_at_provider", Type: "boolean", Description: "Keep the server at its provider. A custom server is always kept."}},
	}, o.Store.InPath, o.destroy)
	o.registerDrift()
	o.registerReboot()
	o.registerLine()
	o.registerRepair()
	o.registerKey()
	o.registerHostKeys()
	o.registerArchives()
	o.registerTransfer()
	o.registerUpgrade()
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("servers", Visible(c.Parent.Grant), db.Equal("revoked", false)),
		func(rows ...query.Server) ([]Resource, error) {
			return Resources(ctx, o.Store.DB.Reader(), o.Router, c.Parent.Slug, rows...)
		})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return o.document(ctx, o.Store.DB.Reader(), c.Parent.Slug, c.Parent.Server)
}

func (o *Operations) document(ctx context.Context, q query.DBTX, slug string, row query.Server) (api.Document[Resource], error) {
	return api.Single(Resources(ctx, q, o.Router, slug, row))
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
	if err := checkReach(ctx, tx, c.Fields, "custom.ip_address", query.Server{
		IPAddress: in.IPAddress, SSHPort: in.SSHPort, BehindNAT: in.BehindNAT,
		NATSSHPort: in.NATSSHPort,
	}); err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
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
	accepted, err := o.Jobs.Begin(ctx, tx, work)
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
		f.Add("recipe_id", "The selected recipe_id does not exist.")
	}
	checkTags(f, b.Tags)
	return in
}

func (o *Operations) checkCustom(f api.Fields, c CustomServer, in *query.InsertServerParams) {
	if a, ok := parseAddress(c.IPAddress, o.AllowLocal); ok {
		in.IPAddress = new(a.String())
	} else if c.IPAddress == "" {
		f.Add("custom.ip_address", "The custom.ip_address field is required.")
	} else {
		f.Add("custom.ip_address", "The custom.ip_address must be an IPv4 or IPv6 address of a machine other than Hostler's.")
	}
	if c.PrivateIPAddress != nil && *c.PrivateIPAddress != "" {
		if a, ok := parseAddress(*c.PrivateIPAddress, o.AllowLocal); ok {
			in.PrivateIPAddress = new(a.String())
		} else {
			f.Add("custom.private_ip_address", "The custom.private_ip_address must be an IPv4 or IPv6 address of a machine other than Hostler's.")
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

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateServerRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := o.Balancers.Lock(ctx, tx, c.Parent.Server); err != nil {
		return none, err
	}
	row, err := tx.GetOrganizationServer(ctx, c.Parent, c.Parent.Server.ID) // what the path led to may be older than the last update
	if err != nil {
		return none, fmt.Errorf("update server: %w", err)
	}
	before := row
	if b.Name != nil {
		if _, err := value.ParseServerName(*b.Name); err != nil {
			c.Fields.Add("name", "%s", err)
		}
		row.Name, row.Slug = *b.Name, slugify(*b.Name)
	}
	address := func(field string, text *string, into **string, nullable bool) {
		if text == nil {
			return
		}
		if a, ok := parseAddress(*text, o.AllowLocal); ok {
			*into = new(a.String())
		} else if *text == "" && nullable {
			*into = nil
		} else {
			c.Fields.Add(field, "The %s must be an IPv4 or IPv6 address of a machine other than Hostler's.", field)
		}
	}
	address("ip_address", b.IPAddress, &row.IPAddress, false)
	address("private_ip_address", b.PrivateIPAddress, &row.PrivateIPAddress, true)
	if b.Timezone != nil {
		if _, err := value.ParseTimezone(*b.Timezone); err != nil {
			c.Fields.Add("timezone", "%s", err)
		}
		row.Timezone = *b.Timezone
	}
	checkTags(c.Fields, b.Tags)
	if !same(before.IPAddress, row.IPAddress) {
		if err := checkReach(ctx, tx, c.Fields, "ip_address", row); err != nil {
			return none, err
		}
	}
	if !same(before.PrivateIPAddress, row.PrivateIPAddress) {
		if err := checkPeers(ctx, tx, c.Fields, row); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err = tx.UpdateServerMeta(ctx, query.UpdateServerMetaParams{
		ID: row.ID, Name: row.Name, Slug: row.Slug, IPAddress: row.IPAddress,
		PrivateIPAddress: row.PrivateIPAddress, Timezone: row.Timezone, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("update server: %w", err)
	}
	if b.TakeOver != nil {
		if err := tx.SetServerTakeOver(ctx, row.ID, *b.TakeOver); err != nil {
			return none, fmt.Errorf("update server: %w", err)
		}
	}
	if b.Tags != nil {
		if err := tx.ClearServerTags(ctx, row.ID); err != nil {
			return none, fmt.Errorf("update server: %w", err)
		}
		if err := setTags(ctx, tx, row, b.Tags); err != nil {
			return none, err
		}
	}
	event, err := o.follow(ctx, tx, c.Parent.Grant, before, &row)
	if err != nil {
		return none, err
	}
	doc, err := o.document(ctx, tx.SQL, c.Parent.Slug, row)
	doc.Event = event
	return doc, err
}

// follow accepts the work that changed settings of a server mean on hosts: its time zone, and the balancers that know its address.
func (o *Operations) follow(ctx context.Context, tx *db.Tx, g access.Grant, before query.Server, row *query.Server) (event int64, err error) {
	if !same(before.IPAddress, row.IPAddress) || !same(before.PrivateIPAddress, row.PrivateIPAddress) {
		if err := o.Balancers.NodeChanged(ctx, tx, g, *row, "Updating the address of "+row.Name); err != nil {
			return 0, err
		}
	}
	if before.Timezone == row.Timezone || !row.IsReady {
		return 0, nil
	}
	accepted, err := o.Jobs.Begin(ctx, tx, job.Work{
		Grant: g, ServerID: row.ID, Ready: true, Aspect: AspectProvision, Resource: "servers", ResourceID: row.ID,
		Action: "update", Description: "Updating settings of " + row.Name, RanAs: "root", Request: map[string]string{"timezone": before.Timezone}, Within: ProvisionDeadline,
	})
	if err != nil {
		return 0, err
	}
	row.OperationID = &accepted.OperationID
	return accepted.EventID, tx.SetServerOperation(ctx, row.ID, row.OperationID, tx.Micros())
}

// checkPeers refuses another private address for a server with peers, whose firewalls have it: who may change it may not decide whom they let in.
func checkPeers(ctx context.Context, tx *db.Tx, f api.Fields, row query.Server) error {
	peers, err := tx.CountPeersOf(ctx, row)
	if err != nil {
		return fmt.Errorf("count peers of server %d: %w", row.ID, err)
	}
	if peers > 0 {
		f.Add("private_ip_address", "The server's peers admit it by its private address. Remove them from its network first.")
	}
	return nil
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	const preserve = "preserve_at_provider"
	preserved, err := c.Flag(preserve)
	if err != nil { // a typo destroys nothing
		return api.Empty{}, err
	}
	request := removalRequest{Preserve: preserved}
	p, err := c.Parent.Current(ctx, tx)
	if err != nil {
		return api.Empty{}, err
	}
	row := p.Server
	switch row.Status {
	case StatusDeleting: // a second delete while the first runs
		return api.Empty{}, nil
	case StatusArchiving:
		return api.Empty{}, api.Invalid("server", "The server is being archived.")
	}
	if AtProvider(row) && row.CredentialID == nil && !request.Preserve { // it was transferred without the account
		return api.Empty{}, api.Invalid(preserve, "Hostler has no account at the server's provider. Keep the server there.")
	}
	nodes, err := tx.CountNodesOnServer(ctx, row)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete server: %w", err)
	}
	if nodes > 0 {
		return api.Empty{}, api.Invalid("server", "The server is a node of a load balancer. Remove it there first.")
	}
	request.Status = row.Status
	accepted, err := o.Jobs.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: row.ID, Ready: true, Aspect: AspectRemove, Resource: "servers",
		ResourceID: row.ID,
		Action:     "delete", Description: "Deleting server " + row.Name, RanAs: "root", Request: request, Within: removalDeadline, Archived: true,
	})
	if err != nil {
		return api.Empty{}, err
	}
	if err := tx.SetServerStatus(ctx, query.SetServerStatusParams{
		ID: row.ID, Status: StatusDeleting, ConnectionStatus: row.ConnectionStatus, IsReady: false,
		UpdatedAt: tx.Micros(),
	}); err != nil {
		return api.Empty{}, fmt.Errorf("delete server: %w", err)
	}
	if err := tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros()); err != nil {
		return api.Empty{}, fmt.Errorf("delete server: %w", err)
	}
	return api.Empty{Event: accepted.EventID}, nil
}

func checkTags(f api.Fields, names []string) {
	if len(names) > 50 {
		f.Add("tags", "There can be at most 50 tags.")
		return
	}
	for i, name := range names {
		if _, err := value.ParseTag(name); err != nil {
			f.Add("tags."+strconv.Itoa(i), "%s", err)
		}
	}
}

func setTags(ctx context.Context, tx *db.Tx, row query.Server, names []string) error {
	for _, name := range slices.Sorted(slices.Values(names)) { // always in one order, so that no two transactions wait for each other
		tag, err := tx.UpsertTag(ctx, row.OrganizationID, name, tx.Micros())
		if err != nil {
			return fmt.Errorf("tag server: %w", err)
		}
		if err := tx.AddServerTag(ctx, row.ID, tag.ID); err != nil {
			return fmt.Errorf("tag server: %w", err)
		}
	}
	return nil
}
