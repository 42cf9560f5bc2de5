// Code generated from the API's description by make generate. DO NOT EDIT.

package hostler

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/url"
)

// Nouns are the nouns of the API, with the calls of each.
type Nouns struct {
	AccessLog              AccessLogClient
	Account                AccountClient
	ApplicationLog         ApplicationLogClient
	Archives               ArchivesClient
	Attention              AttentionClient
	Audit                  AuditClient
	BackupConfigurations   BackupConfigurationsClient
	BackupKeys             BackupKeysClient
	BackupRuns             BackupRunsClient
	Backups                BackupsClient
	Certificates           CertificatesClient
	Checklist              ChecklistClient
	Commands               CommandsClient
	ComposerCredentials    ComposerCredentialsClient
	CredentialSizes        CredentialSizesClient
	Credentials            CredentialsClient
	DatabaseUsers          DatabaseUsersClient
	Databases              DatabasesClient
	DeployHook             DeployHookClient
	DeployKey              DeployKeyClient
	DeployScript           DeployScriptClient
	DeployStatus           DeployStatusClient
	Deployments            DeploymentsClient
	DNSProviders           DNSProvidersClient
	DNSRecords             DNSRecordsClient
	DomainNginx            DomainNginxClient
	Domains                DomainsClient
	Drift                  DriftClient
	Environment            EnvironmentClient
	EnvironmentVersions    EnvironmentVersionsClient
	ErrorLog               ErrorLogClient
	Events                 EventsClient
	Files                  FilesClient
	Firewall               FirewallClient
	Git                    GitClient
	Healthcheck            HealthcheckClient
	Heartbeats             HeartbeatsClient
	Horizon                HorizonClient
	HostKeys               HostKeysClient
	Inertia                InertiaClient
	Invites                InvitesClient
	Maintenance            MaintenanceClient
	Members                MembersClient
	Monitors               MonitorsClient
	Network                NetworkClient
	NginxTemplates         NginxTemplatesClient
	Nodes                  NodesClient
	NotificationDeliveries NotificationDeliveriesClient
	Notifications          NotificationsClient
	NPMCredentials         NPMCredentialsClient
	OauthClients           OauthClientsClient
	Octane                 OctaneClient
	Orgs                   OrgsClient
	Permissions            PermissionsClient
	PHP                    PHPClient
	PHPCliConfig           PHPCliConfigClient
	PHPCliVersion          PHPCliVersionClient
	PHPFpmConfig           PHPFpmConfigClient
	PHPMaxExecutionTime    PHPMaxExecutionTimeClient
	PHPMaxUploadSize       PHPMaxUploadSizeClient
	PHPOpcache             PHPOpcacheClient
	PHPPoolConfig          PHPPoolConfigClient
	PHPSiteVersion         PHPSiteVersionClient
	PredefinedRoles        PredefinedRolesClient
	Processes              ProcessesClient
	Providers              ProvidersClient
	Pulse                  PulseClient
	PushToDeploy           PushToDeployClient
	Pushes                 PushesClient
	RateLimit              RateLimitClient
	RecipeRuns             RecipeRunsClient
	Recipes                RecipesClient
	Redirects              RedirectsClient
	RegionSizes            RegionSizesClient
	Regions                RegionsClient
	RepositoryCheck        RepositoryCheckClient
	Retention              RetentionClient
	Reverb                 ReverbClient
	RolePermissions        RolePermissionsClient
	Roles                  RolesClient
	ScheduledJobs          ScheduledJobsClient
	Scheduler              SchedulerClient
	SecurityRules          SecurityRulesClient
	ServerDeployments      ServerDeploymentsClient
	ServerKey              ServerKeyClient
	ServerLogs             ServerLogsClient
	ServerMetrics          ServerMetricsClient
	ServerSSHKeys          ServerSSHKeysClient
	Servers                ServersClient
	Services               ServicesClient
	SftpUsers              SftpUsersClient
	ShippedRecipeRuns      ShippedRecipeRunsClient
	ShippedRecipes         ShippedRecipesClient
	SiteCertificates       SiteCertificatesClient
	SiteMetrics            SiteMetricsClient
	SiteNginx              SiteNginxClient
	SiteScheduledJobs      SiteScheduledJobsClient
	SiteSourceControl      SiteSourceControlClient
	Sites                  SitesClient
	Sizes                  SizesClient
	SourceControl          SourceControlClient
	SSHKeys                SSHKeysClient
	Storage                StorageClient
	TeamCredentials        TeamCredentialsClient
	TeamInvites            TeamInvitesClient
	TeamMembers            TeamMembersClient
	TeamRecipes            TeamRecipesClient
	TeamServers            TeamServersClient
	Teams                  TeamsClient
	Timezone               TimezoneClient
	VPCs                   VPCsClient
	WebhookDeliveries      WebhookDeliveriesClient
	WebhookSecret          WebhookSecretClient
	Webhooks               WebhooksClient
	ZeroDowntime           ZeroDowntimeClient
}

func newNouns(c *Client) Nouns {
	return Nouns{
		AccessLogClient{c},
		AccountClient{c},
		ApplicationLogClient{c},
		ArchivesClient{c},
		AttentionClient{c},
		AuditClient{c},
		BackupConfigurationsClient{c},
		BackupKeysClient{c},
		BackupRunsClient{c},
		BackupsClient{c},
		CertificatesClient{c},
		ChecklistClient{c},
		CommandsClient{c},
		ComposerCredentialsClient{c},
		CredentialSizesClient{c},
		CredentialsClient{c},
		DatabaseUsersClient{c},
		DatabasesClient{c},
		DeployHookClient{c},
		DeployKeyClient{c},
		DeployScriptClient{c},
		DeployStatusClient{c},
		DeploymentsClient{c},
		DNSProvidersClient{c},
		DNSRecordsClient{c},
		DomainNginxClient{c},
		DomainsClient{c},
		DriftClient{c},
		EnvironmentClient{c},
		EnvironmentVersionsClient{c},
		ErrorLogClient{c},
		EventsClient{c},
		FilesClient{c},
		FirewallClient{c},
		GitClient{c},
		HealthcheckClient{c},
		HeartbeatsClient{c},
		HorizonClient{c},
		HostKeysClient{c},
		InertiaClient{c},
		InvitesClient{c},
		MaintenanceClient{c},
		MembersClient{c},
		MonitorsClient{c},
		NetworkClient{c},
		NginxTemplatesClient{c},
		NodesClient{c},
		NotificationDeliveriesClient{c},
		NotificationsClient{c},
		NPMCredentialsClient{c},
		OauthClientsClient{c},
		OctaneClient{c},
		OrgsClient{c},
		PermissionsClient{c},
		PHPClient{c},
		PHPCliConfigClient{c},
		PHPCliVersionClient{c},
		PHPFpmConfigClient{c},
		PHPMaxExecutionTimeClient{c},
		PHPMaxUploadSizeClient{c},
		PHPOpcacheClient{c},
		PHPPoolConfigClient{c},
		PHPSiteVersionClient{c},
		PredefinedRolesClient{c},
		ProcessesClient{c},
		ProvidersClient{c},
		PulseClient{c},
		PushToDeployClient{c},
		PushesClient{c},
		RateLimitClient{c},
		RecipeRunsClient{c},
		RecipesClient{c},
		RedirectsClient{c},
		RegionSizesClient{c},
		RegionsClient{c},
		RepositoryCheckClient{c},
		RetentionClient{c},
		ReverbClient{c},
		RolePermissionsClient{c},
		RolesClient{c},
		ScheduledJobsClient{c},
		SchedulerClient{c},
		SecurityRulesClient{c},
		ServerDeploymentsClient{c},
		ServerKeyClient{c},
		ServerLogsClient{c},
		ServerMetricsClient{c},
		ServerSSHKeysClient{c},
		ServersClient{c},
		ServicesClient{c},
		SftpUsersClient{c},
		ShippedRecipeRunsClient{c},
		ShippedRecipesClient{c},
		SiteCertificatesClient{c},
		SiteMetricsClient{c},
		SiteNginxClient{c},
		SiteScheduledJobsClient{c},
		SiteSourceControlClient{c},
		SitesClient{c},
		SizesClient{c},
		SourceControlClient{c},
		SSHKeysClient{c},
		StorageClient{c},
		TeamCredentialsClient{c},
		TeamInvitesClient{c},
		TeamMembersClient{c},
		TeamRecipesClient{c},
		TeamServersClient{c},
		TeamsClient{c},
		TimezoneClient{c},
		VPCsClient{c},
		WebhookDeliveriesClient{c},
		WebhookSecretClient{c},
		WebhooksClient{c},
		ZeroDowntimeClient{c},
	}
}

// AccessLogClient calls what can be done with access log.
type AccessLogClient struct{ c *Client }

// Empty the access log of a site. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access
func (n AccessLogClient) Clear(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access", values: []string{organization, string(server), string(site)}}, nil)
}

// PlanClear returns what Clear would do, and changes nothing.
func (n AccessLogClient) PlanClear(ctx context.Context, organization string, server ID, site ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access", values: []string{organization, string(server), string(site)}})
}

// AccessLogGetOptions are the parameters of AccessLogClient.Get.
type AccessLogGetOptions struct {
	// The maximum number of lines, 1 to 5000; default 500.
	Lines int64
	// Only lines that contain this text, ignoring case.
	Search string
	// Only lines before this offset. Pass meta.log.start of a page to get the previous page.
	Before int64
}

func (o *AccessLogGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "lines", o.Lines)
	parameter(q, "search", o.Search)
	parameter(q, "before", o.Before)
	return q
}

// Get the access log of a site.
//
// Returns the newest lines, oldest first, read from the server. 409 while the server is not set up or can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access
func (n AccessLogClient) Get(ctx context.Context, organization string, server ID, site ID, o *AccessLogGetOptions) (*NginxAccessLog, *Response, error) {
	return one[NginxAccessLog](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// AccessLogStreamOptions are the parameters of AccessLogClient.Stream.
type AccessLogStreamOptions struct {
	// Only lines that contain this text, ignoring case.
	Search string
}

func (o *AccessLogStreamOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "search", o.Search)
	return q
}

// Follow the access log of a site. The stream is resumed when it breaks, until ctx ends or the loop is left.
//
// Server-sent events: log contains lines, state is why there are none. Last-Event-ID resumes a stream.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access/stream
func (n AccessLogClient) Stream(ctx context.Context, organization string, server ID, site ID, o *AccessLogStreamOptions) iter.Seq2[Message, error] {
	return follow(ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access/stream", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// AccountClient calls what can be done with account.
type AccountClient struct{ c *Client }

// Get the user.
//
// GET /me
func (n AccountClient) Me(ctx context.Context) (*User, *Response, error) {
	return one[User](ctx, n.c, request{method: "GET", path: "/me"})
}

// Get the user.
//
// GET /user
func (n AccountClient) Get(ctx context.Context) (*User, *Response, error) {
	return one[User](ctx, n.c, request{method: "GET", path: "/user"})
}

// ApplicationLogClient calls what can be done with application log.
type ApplicationLogClient struct{ c *Client }

// Empty the log of a site's program. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/logs/application
func (n ApplicationLogClient) Clear(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/application", values: []string{organization, string(server), string(site)}}, nil)
}

// PlanClear returns what Clear would do, and changes nothing.
func (n ApplicationLogClient) PlanClear(ctx context.Context, organization string, server ID, site ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/application", values: []string{organization, string(server), string(site)}})
}

// ApplicationLogGetOptions are the parameters of ApplicationLogClient.Get.
type ApplicationLogGetOptions struct {
	// The maximum number of lines, 1 to 5000; default 500.
	Lines int64
	// Only lines that contain this text, ignoring case.
	Search string
	// Only lines before this offset. Pass meta.log.start of a page to get the previous page.
	Before int64
}

func (o *ApplicationLogGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "lines", o.Lines)
	parameter(q, "search", o.Search)
	parameter(q, "before", o.Before)
	return q
}

// Get the log of a site's program.
//
// Returns the newest lines, oldest first, read from the server. 409 while the server is not set up or can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/logs/application
func (n ApplicationLogClient) Get(ctx context.Context, organization string, server ID, site ID, o *ApplicationLogGetOptions) (*ApplicationLog, *Response, error) {
	return one[ApplicationLog](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/application", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// ApplicationLogStreamOptions are the parameters of ApplicationLogClient.Stream.
type ApplicationLogStreamOptions struct {
	// Only lines that contain this text, ignoring case.
	Search string
}

func (o *ApplicationLogStreamOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "search", o.Search)
	return q
}

// Follow the log of a site's program. The stream is resumed when it breaks, until ctx ends or the loop is left.
//
// Server-sent events: log contains lines, state is why there are none. Last-Event-ID resumes a stream.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/logs/application/stream
func (n ApplicationLogClient) Stream(ctx context.Context, organization string, server ID, site ID, o *ApplicationLogStreamOptions) iter.Seq2[Message, error] {
	return follow(ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/application/stream", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// ArchivesClient calls what can be done with archives.
type ArchivesClient struct{ c *Client }

// Reconnect an archived server. It begins work, which Response.Wait waits for.
//
// The server then waits for its setup command, which POST …/servers/{server}/line returns. Once the command has been
// run on the same machine, identified by its host keys, the server is set up and repaired.
//
// DELETE /orgs/{organization}/servers/archives/{server}
func (n ArchivesClient) Delete(ctx context.Context, organization string, server ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/archives/{server}", values: []string{organization, string(server)}}, nil)
}

// ArchivesListOptions are the parameters of ArchivesClient.List.
type ArchivesListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []EventsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ArchivesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List archived servers. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/archives
func (n ArchivesClient) List(ctx context.Context, organization string, o *ArchivesListOptions) iter.Seq2[*Server, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n ArchivesClient) ListPages(ctx context.Context, organization string, o *ArchivesListOptions) iter.Seq2[*Page[Server], error] {
	return pages[Server](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/archives", values: []string{organization}, query: o.query()})
}

// AttentionClient calls what can be done with attention.
type AttentionClient struct{ c *Client }

// AttentionAllOptions are the parameters of AttentionClient.All.
type AttentionAllOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *AttentionAllOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List what needs attention in all organizations. Pages are asked for as they are needed.
//
// The lists of all organizations of the caller as one. Failures, work that does not begin, unreachable servers, full
// disks, certificates about to expire, backups that were never verified, files changed outside Hostler, pending
// restarts and reboots, and deploy hooks known to former members, on the servers visible to the caller; the most urgent
// first.
//
// GET /attention
func (n AttentionClient) All(ctx context.Context, o *AttentionAllOptions) iter.Seq2[*Attention, error] {
	return each(n.AllPages(ctx, o))
}

// AllPages is All by pages, with what is included in each.
func (n AttentionClient) AllPages(ctx context.Context, o *AttentionAllOptions) iter.Seq2[*Page[Attention], error] {
	return pages[Attention](ctx, n.c, request{method: "GET", path: "/attention", query: o.query()})
}

// AttentionListOptions are the parameters of AttentionClient.List.
type AttentionListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *AttentionListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List what needs attention. Pages are asked for as they are needed.
//
// Failures, work that does not begin, unreachable servers, full disks, certificates about to expire, backups that were
// never verified, files changed outside Hostler, pending restarts and reboots, and deploy hooks known to former
// members, on the servers visible to the caller; the most urgent first.
//
// GET /orgs/{organization}/attention
func (n AttentionClient) List(ctx context.Context, organization string, o *AttentionListOptions) iter.Seq2[*Attention, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n AttentionClient) ListPages(ctx context.Context, organization string, o *AttentionListOptions) iter.Seq2[*Page[Attention], error] {
	return pages[Attention](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/attention", values: []string{organization}, query: o.query()})
}

// AuditClient calls what can be done with audit.
type AuditClient struct{ c *Client }

// AuditExportOptions are the parameters of AuditClient.Export.
type AuditExportOptions struct {
	// Limits the list to entries with this operation. Commas separate alternatives.
	Operation string
	// Limits the list to entries with this user id. Commas separate alternatives.
	UserID string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries with this resource type. Commas separate alternatives.
	ResourceType string
	// Limits the list to entries with this resource id. Commas separate alternatives.
	ResourceID string
	// Limits the list to entries with this address. Commas separate alternatives.
	Address string
	// Limits the list to entries with this caller. Commas separate alternatives.
	Caller string
}

func (o *AuditExportOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[operation]", o.Operation)
	parameter(q, "filter[user_id]", o.UserID)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[resource_type]", o.ResourceType)
	parameter(q, "filter[resource_id]", o.ResourceID)
	parameter(q, "filter[address]", o.Address)
	parameter(q, "filter[caller]", o.Caller)
	return q
}

// Export the audit log of an organization as JSON lines. The caller closes it.
//
// GET /orgs/{organization}/audit/export
func (n AuditClient) Export(ctx context.Context, organization string, o *AuditExportOptions) (io.ReadCloser, error) {
	return open(ctx, n.c, request{method: "GET", path: "/orgs/{organization}/audit/export", values: []string{organization}, query: o.query()})
}

// AuditListOptions are the parameters of AuditClient.List.
type AuditListOptions struct {
	// Limits the list to entries with this operation. Commas separate alternatives.
	Operation string
	// Limits the list to entries with this user id. Commas separate alternatives.
	UserID string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries with this resource type. Commas separate alternatives.
	ResourceType string
	// Limits the list to entries with this resource id. Commas separate alternatives.
	ResourceID string
	// Limits the list to entries with this address. Commas separate alternatives.
	Address string
	// Limits the list to entries with this caller. Commas separate alternatives.
	Caller string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *AuditListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[operation]", o.Operation)
	parameter(q, "filter[user_id]", o.UserID)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[resource_type]", o.ResourceType)
	parameter(q, "filter[resource_id]", o.ResourceID)
	parameter(q, "filter[address]", o.Address)
	parameter(q, "filter[caller]", o.Caller)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the audit log of an organization. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/audit
func (n AuditClient) List(ctx context.Context, organization string, o *AuditListOptions) iter.Seq2[*AuditEntry, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n AuditClient) ListPages(ctx context.Context, organization string, o *AuditListOptions) iter.Seq2[*Page[AuditEntry], error] {
	return pages[AuditEntry](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/audit", values: []string{organization}, query: o.query()})
}

// BackupConfigurationsClient calls what can be done with backup configurations.
type BackupConfigurationsClient struct{ c *Client }

// Create a backup configuration. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/servers/{server}/database/backups
func (n BackupConfigurationsClient) Create(ctx context.Context, organization string, server ID, body CreateBackupConfigurationRequest) (*BackupConfiguration, *Response, error) {
	return one[BackupConfiguration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/backups", values: []string{organization, string(server)}, body: body})
}

// Delete a backup configuration. It begins work, which Response.Wait waits for.
//
// The contents of the bucket stay.
//
// DELETE /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}
func (n BackupConfigurationsClient) Delete(ctx context.Context, organization string, server ID, backupConfiguration ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}", values: []string{organization, string(server), string(backupConfiguration)}}, nil)
}

// BackupConfigurationsListOptions are the parameters of BackupConfigurationsClient.List.
type BackupConfigurationsListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []DatabasesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *BackupConfigurationsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List backup configurations. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/database/backups
func (n BackupConfigurationsClient) List(ctx context.Context, organization string, server ID, o *BackupConfigurationsListOptions) iter.Seq2[*BackupConfiguration, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n BackupConfigurationsClient) ListPages(ctx context.Context, organization string, server ID, o *BackupConfigurationsListOptions) iter.Seq2[*Page[BackupConfiguration], error] {
	return pages[BackupConfiguration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/backups", values: []string{organization, string(server)}, query: o.query()})
}

// Get a backup configuration.
//
// GET /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}
func (n BackupConfigurationsClient) Get(ctx context.Context, organization string, server ID, backupConfiguration ID) (*BackupConfiguration, *Response, error) {
	return one[BackupConfiguration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}", values: []string{organization, string(server), string(backupConfiguration)}})
}

// Update a backup configuration. It begins work, which Response.Wait waits for.
//
// PUT /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}
func (n BackupConfigurationsClient) Update(ctx context.Context, organization string, server ID, backupConfiguration ID, body UpdateBackupConfigurationRequest) (*BackupConfiguration, *Response, error) {
	return one[BackupConfiguration](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}", values: []string{organization, string(server), string(backupConfiguration)}, body: body})
}

// BackupKeysClient calls what can be done with backup keys.
type BackupKeysClient struct{ c *Client }

// Export the backup key.
//
// The secret key that opens the organization's backups, for `age --decrypt`. Store it separately from the backups.
//
// POST /orgs/{organization}/backup-keys/export
func (n BackupKeysClient) Export(ctx context.Context, organization string) (*BackupKey, *Response, error) {
	return one[BackupKey](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/backup-keys/export", values: []string{organization}})
}

// BackupKeysListOptions are the parameters of BackupKeysClient.List.
type BackupKeysListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *BackupKeysListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List backup keys. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/backup-keys
func (n BackupKeysClient) List(ctx context.Context, organization string, o *BackupKeysListOptions) iter.Seq2[*BackupKey, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n BackupKeysClient) ListPages(ctx context.Context, organization string, o *BackupKeysListOptions) iter.Seq2[*Page[BackupKey], error] {
	return pages[BackupKey](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/backup-keys", values: []string{organization}, query: o.query()})
}

// BackupRunsClient calls what can be done with backup runs.
type BackupRunsClient struct{ c *Client }

// Delete a backup. It begins work, which Response.Wait waits for.
//
// The backup's objects are removed from the bucket.
//
// DELETE /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}
func (n BackupRunsClient) Delete(ctx context.Context, organization string, server ID, backupConfiguration ID, backup ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}", values: []string{organization, string(server), string(backupConfiguration), string(backup)}}, nil)
}

// Download a backup.
//
// Returns addresses of the backup's encrypted objects in meta.backup.objects, which work for an hour.
//
// POST /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/downloads
func (n BackupRunsClient) Download(ctx context.Context, organization string, server ID, backupConfiguration ID, backup ID) (*Backup, *Response, error) {
	return one[Backup](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/downloads", values: []string{organization, string(server), string(backupConfiguration), string(backup)}})
}

// BackupRunsListOptions are the parameters of BackupRunsClient.List.
type BackupRunsListOptions struct {
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []EventsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *BackupRunsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[status]", o.Status)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List backups. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances
func (n BackupRunsClient) List(ctx context.Context, organization string, server ID, backupConfiguration ID, o *BackupRunsListOptions) iter.Seq2[*Backup, error] {
	return each(n.ListPages(ctx, organization, server, backupConfiguration, o))
}

// ListPages is List by pages, with what is included in each.
func (n BackupRunsClient) ListPages(ctx context.Context, organization string, server ID, backupConfiguration ID, o *BackupRunsListOptions) iter.Seq2[*Page[Backup], error] {
	return pages[Backup](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances", values: []string{organization, string(server), string(backupConfiguration)}, query: o.query()})
}

// Restore a backup. It begins work, which Response.Wait waits for.
//
// The object is read to its end before anything is changed. A database that is replaced is backed up first. Also
// requires server:create-databases if name is given, on both servers if server_id is given. Also requires
// site:manage-deploys and site:manage-environment if site_id is given, on both servers if server_id is given.
//
// POST /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/restores
func (n BackupRunsClient) Restore(ctx context.Context, organization string, server ID, backupConfiguration ID, backup ID, body RestoreBackupRequest) (*Backup, *Response, error) {
	return one[Backup](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/restores", values: []string{organization, string(server), string(backupConfiguration), string(backup)}, body: body})
}

// Get a backup.
//
// GET /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}
func (n BackupRunsClient) Get(ctx context.Context, organization string, server ID, backupConfiguration ID, backup ID) (*Backup, *Response, error) {
	return one[Backup](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}", values: []string{organization, string(server), string(backupConfiguration), string(backup)}})
}

// Prove a backup. It begins work, which Response.Wait waits for.
//
// The backup is restored into separate databases on the same server and compared with the dump; then the databases are
// dropped.
//
// POST /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/proofs
func (n BackupRunsClient) Verify(ctx context.Context, organization string, server ID, backupConfiguration ID, backup ID) (*Backup, *Response, error) {
	return one[Backup](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/proofs", values: []string{organization, string(server), string(backupConfiguration), string(backup)}})
}

// BackupsClient calls what can be done with backups.
type BackupsClient struct{ c *Client }

// Back up now. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances
func (n BackupsClient) Run(ctx context.Context, organization string, server ID, backupConfiguration ID) (*Backup, *Response, error) {
	return one[Backup](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances", values: []string{organization, string(server), string(backupConfiguration)}})
}

// CertificatesClient calls what can be done with certificates.
type CertificatesClient struct{ c *Client }

// Enable or disable a certificate. It begins work, which Response.Wait waits for.
//
// The active certificate is served, and plain HTTP redirects to HTTPS.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}/actions
func (n CertificatesClient) Act(ctx context.Context, organization string, server ID, site ID, domainRecord ID, certificate ID, body DomainCertificateActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}/actions", values: []string{organization, string(server), string(site), string(domainRecord), string(certificate)}, body: body}, nil)
}

// PlanAct returns what Act would do, and changes nothing.
func (n CertificatesClient) PlanAct(ctx context.Context, organization string, server ID, site ID, domainRecord ID, certificate ID, body DomainCertificateActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}/actions", values: []string{organization, string(server), string(site), string(domainRecord), string(certificate)}, body: body})
}

// Get the active certificate of a domain.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/active
func (n CertificatesClient) Active(ctx context.Context, organization string, server ID, site ID, domainRecord ID) (*Certificate, *Response, error) {
	return one[Certificate](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/active", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// Create a certificate. It begins work, which Response.Wait waits for.
//
// letsencrypt certificates are issued and renewed automatically. For csr, have meta.certificate.csr signed and upload
// the result. existing and clone are used as they are.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates
func (n CertificatesClient) Create(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body CreateDomainCertificateRequest) (*Certificate, *Response, error) {
	return one[Certificate](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// Delete a certificate. It begins work, which Response.Wait waits for.
//
// If a domain's active certificate is deleted, the domain is served over plain HTTP.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}
func (n CertificatesClient) Delete(ctx context.Context, organization string, server ID, site ID, domainRecord ID, certificate ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}", values: []string{organization, string(server), string(site), string(domainRecord), string(certificate)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n CertificatesClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, domainRecord ID, certificate ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}", values: []string{organization, string(server), string(site), string(domainRecord), string(certificate)}})
}

// List the certificates of a domain.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates
func (n CertificatesClient) List(ctx context.Context, organization string, server ID, site ID, domainRecord ID) ([]*Certificate, *Response, error) {
	return several[Certificate](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// Get a certificate.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}
func (n CertificatesClient) Get(ctx context.Context, organization string, server ID, site ID, domainRecord ID, certificate ID) (*Certificate, *Response, error) {
	return one[Certificate](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}", values: []string{organization, string(server), string(site), string(domainRecord), string(certificate)}})
}

// Install a certificate signed from a request. It begins work, which Response.Wait waits for.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}
func (n CertificatesClient) Update(ctx context.Context, organization string, server ID, site ID, domainRecord ID, certificate ID, body InstallCertificateRequest) (*Certificate, *Response, error) {
	return one[Certificate](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}", values: []string{organization, string(server), string(site), string(domainRecord), string(certificate)}, body: body})
}

// ChecklistClient calls what can be done with checklist.
type ChecklistClient struct{ c *Client }

// Get the checklist of an organization.
//
// Reports which steps to a first production site are done, derived from existing resources.
//
// GET /orgs/{organization}/checklist
func (n ChecklistClient) Get(ctx context.Context, organization string) (*Checklist, *Response, error) {
	return one[Checklist](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/checklist", values: []string{organization}})
}

// CommandsClient calls what can be done with commands.
type CommandsClient struct{ c *Client }

// Run a command. It begins work, which Response.Wait waits for.
//
// Runs the command with bash, in the site's directory, as the site's user, for at most five minutes. It is never run
// twice.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/commands
func (n CommandsClient) Create(ctx context.Context, organization string, server ID, site ID, body RunSiteCommandRequest) (*Command, *Response, error) {
	return one[Command](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/commands", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a command.
//
// A running command is ended first, with all its processes, and stays in the list.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/commands/{command}
func (n CommandsClient) Delete(ctx context.Context, organization string, server ID, site ID, command ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/commands/{command}", values: []string{organization, string(server), string(site), string(command)}}, nil)
}

// CommandsListOptions are the parameters of CommandsClient.List.
type CommandsListOptions struct {
	// Limits the list to entries with this user id. Commas separate alternatives.
	UserID string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries whose command contains this text, ignoring case. Commas separate alternatives.
	Command string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []CommandsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *CommandsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[user_id]", o.UserID)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[command]", o.Command)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List commands of a site. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/commands
func (n CommandsClient) List(ctx context.Context, organization string, server ID, site ID, o *CommandsListOptions) iter.Seq2[*Command, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n CommandsClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *CommandsListOptions) iter.Seq2[*Page[Command], error] {
	return pages[Command](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/commands", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get a command's output.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/commands/{command}/output
func (n CommandsClient) Output(ctx context.Context, organization string, server ID, site ID, command ID) (*CommandOutput, *Response, error) {
	return one[CommandOutput](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/commands/{command}/output", values: []string{organization, string(server), string(site), string(command)}})
}

// Get a command.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/commands/{command}
func (n CommandsClient) Get(ctx context.Context, organization string, server ID, site ID, command ID) (*Command, *Response, error) {
	return one[Command](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/commands/{command}", values: []string{organization, string(server), string(site), string(command)}})
}

// ComposerCredentialsClient calls what can be done with composer credentials.
type ComposerCredentialsClient struct{ c *Client }

// Create a site's Composer credential. It begins work, which Response.Wait waits for.
//
// The secret is readable only by the site's user and is never shown again.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials
func (n ComposerCredentialsClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateComposerCredentialRequest) (*ComposerCredential, *Response, error) {
	return one[ComposerCredential](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n ComposerCredentialsClient) PlanCreate(ctx context.Context, organization string, server ID, site ID, body CreateComposerCredentialRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a site's Composer credential. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}
func (n ComposerCredentialsClient) Delete(ctx context.Context, organization string, server ID, site ID, repository string) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}", values: []string{organization, string(server), string(site), repository}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n ComposerCredentialsClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, repository string) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}", values: []string{organization, string(server), string(site), repository}})
}

// List Composer credentials of a site.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials
func (n ComposerCredentialsClient) List(ctx context.Context, organization string, server ID, site ID) ([]*ComposerCredential, *Response, error) {
	return several[ComposerCredential](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials", values: []string{organization, string(server), string(site)}})
}

// Get a site's Composer credential.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}
func (n ComposerCredentialsClient) Get(ctx context.Context, organization string, server ID, site ID, repository string) (*ComposerCredential, *Response, error) {
	return one[ComposerCredential](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}", values: []string{organization, string(server), string(site), repository}})
}

// Replace a site's Composer credential. It begins work, which Response.Wait waits for.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}
func (n ComposerCredentialsClient) Update(ctx context.Context, organization string, server ID, site ID, repository string, body UpdateComposerCredentialRequest) (*ComposerCredential, *Response, error) {
	return one[ComposerCredential](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}", values: []string{organization, string(server), string(site), repository}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n ComposerCredentialsClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, repository string, body UpdateComposerCredentialRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}", values: []string{organization, string(server), string(site), repository}, body: body})
}

// CredentialSizesClient calls what can be done with credential sizes.
type CredentialSizesClient struct{ c *Client }

// List the sizes available in a region.
//
// Lists sizes and prices from the provider, cheapest first. Waits at most half a minute; a 409 says why the provider
// did not respond with them. AWS prices are not available.
//
// GET /orgs/{organization}/server-credentials/{credential}/regions/{region}/sizes
func (n CredentialSizesClient) List(ctx context.Context, organization string, credential ID, region string) ([]*OfferedSize, *Response, error) {
	return several[OfferedSize](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/server-credentials/{credential}/regions/{region}/sizes", values: []string{organization, string(credential), region}})
}

// CredentialsClient calls what can be done with credentials.
type CredentialsClient struct{ c *Client }

// Create a server credential.
//
// The secret is verified with the provider before it is saved.
//
// POST /orgs/{organization}/server-credentials
func (n CredentialsClient) Create(ctx context.Context, organization string, body CreateServerCredentialRequest) (*ServerCredential, *Response, error) {
	return one[ServerCredential](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/server-credentials", values: []string{organization}, body: body})
}

// Delete a server credential.
//
// A credential that servers were created with can't be deleted.
//
// DELETE /orgs/{organization}/server-credentials/{credential}
func (n CredentialsClient) Delete(ctx context.Context, organization string, credential ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/server-credentials/{credential}", values: []string{organization, string(credential)}}, nil)
}

// CredentialsListOptions are the parameters of CredentialsClient.List.
type CredentialsListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *CredentialsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List server credentials. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/server-credentials
func (n CredentialsClient) List(ctx context.Context, organization string, o *CredentialsListOptions) iter.Seq2[*ServerCredential, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n CredentialsClient) ListPages(ctx context.Context, organization string, o *CredentialsListOptions) iter.Seq2[*Page[ServerCredential], error] {
	return pages[ServerCredential](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/server-credentials", values: []string{organization}, query: o.query()})
}

// Get a server credential.
//
// GET /orgs/{organization}/server-credentials/{credential}
func (n CredentialsClient) Get(ctx context.Context, organization string, credential ID) (*ServerCredential, *Response, error) {
	return one[ServerCredential](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/server-credentials/{credential}", values: []string{organization, string(credential)}})
}

// Update a server credential.
//
// The secret is verified with the provider before it is saved.
//
// PUT /orgs/{organization}/server-credentials/{credential}
func (n CredentialsClient) Update(ctx context.Context, organization string, credential ID, body UpdateServerCredentialRequest) (*ServerCredential, *Response, error) {
	return one[ServerCredential](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/server-credentials/{credential}", values: []string{organization, string(credential)}, body: body})
}

// DatabaseUsersClient calls what can be done with database users.
type DatabaseUsersClient struct{ c *Client }

// Create a database user. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/servers/{server}/database/users
func (n DatabaseUsersClient) Create(ctx context.Context, organization string, server ID, body CreateDatabaseUserRequest) (*DatabaseUser, *Response, error) {
	return one[DatabaseUser](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/users", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n DatabaseUsersClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateDatabaseUserRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/users", values: []string{organization, string(server)}, body: body})
}

// DatabaseUsersDeleteOptions are the parameters of DatabaseUsersClient.Delete.
type DatabaseUsersDeleteOptions struct {
	// Delete it even if sites use it.
	Force bool
}

func (o *DatabaseUsersDeleteOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "force", o.Force)
	return q
}

// Delete a database user. It begins work, which Response.Wait waits for.
//
// The account's open connections are terminated (in MySQL, they last until they are closed). The sites' account can't
// be deleted. 409 while sites sign in with the account; the message names them.
//
// DELETE /orgs/{organization}/servers/{server}/database/users/{databaseUser}
func (n DatabaseUsersClient) Delete(ctx context.Context, organization string, server ID, databaseUser ID, o *DatabaseUsersDeleteOptions) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/database/users/{databaseUser}", values: []string{organization, string(server), string(databaseUser)}, query: o.query()}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n DatabaseUsersClient) PlanDelete(ctx context.Context, organization string, server ID, databaseUser ID, o *DatabaseUsersDeleteOptions) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/database/users/{databaseUser}", values: []string{organization, string(server), string(databaseUser)}, query: o.query()})
}

// DatabaseUsersListOptions are the parameters of DatabaseUsersClient.List.
type DatabaseUsersListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []DatabasesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *DatabaseUsersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List database users. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/database/users
func (n DatabaseUsersClient) List(ctx context.Context, organization string, server ID, o *DatabaseUsersListOptions) iter.Seq2[*DatabaseUser, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n DatabaseUsersClient) ListPages(ctx context.Context, organization string, server ID, o *DatabaseUsersListOptions) iter.Seq2[*Page[DatabaseUser], error] {
	return pages[DatabaseUser](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/users", values: []string{organization, string(server)}, query: o.query()})
}

// Get a database user.
//
// GET /orgs/{organization}/servers/{server}/database/users/{databaseUser}
func (n DatabaseUsersClient) Get(ctx context.Context, organization string, server ID, databaseUser ID) (*DatabaseUser, *Response, error) {
	return one[DatabaseUser](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/users/{databaseUser}", values: []string{organization, string(server), string(databaseUser)}})
}

// Update a database user. It begins work, which Response.Wait waits for.
//
// Changes the password, the list of databases, or both. Access to databases that stay in the list is not interrupted.
//
// PUT /orgs/{organization}/servers/{server}/database/users/{databaseUser}
func (n DatabaseUsersClient) Update(ctx context.Context, organization string, server ID, databaseUser ID, body UpdateDatabaseUserRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/database/users/{databaseUser}", values: []string{organization, string(server), string(databaseUser)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n DatabaseUsersClient) PlanUpdate(ctx context.Context, organization string, server ID, databaseUser ID, body UpdateDatabaseUserRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/database/users/{databaseUser}", values: []string{organization, string(server), string(databaseUser)}, body: body})
}

// DatabasesClient calls what can be done with databases.
type DatabasesClient struct{ c *Client }

// Create a database. It begins work, which Response.Wait waits for.
//
// The sites' account has access to the database. The generated password of a new account is in meta.shown_once.
//
// POST /orgs/{organization}/servers/{server}/database/schemas
func (n DatabasesClient) Create(ctx context.Context, organization string, server ID, body CreateDatabaseRequest) (*Database, *Response, error) {
	return one[Database](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/schemas", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n DatabasesClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateDatabaseRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/schemas", values: []string{organization, string(server)}, body: body})
}

// DatabasesDeleteOptions are the parameters of DatabasesClient.Delete.
type DatabasesDeleteOptions struct {
	// Delete it even if sites use it.
	Force bool
}

func (o *DatabasesDeleteOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "force", o.Force)
	return q
}

// Delete a database. It begins work, which Response.Wait waits for.
//
// Deletes the database with all its data. A database whose creation failed is dropped only if Hostler created it. 409
// while sites use it; the message names them.
//
// DELETE /orgs/{organization}/servers/{server}/database/schemas/{database}
func (n DatabasesClient) Delete(ctx context.Context, organization string, server ID, database ID, o *DatabasesDeleteOptions) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/database/schemas/{database}", values: []string{organization, string(server), string(database)}, query: o.query()}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n DatabasesClient) PlanDelete(ctx context.Context, organization string, server ID, database ID, o *DatabasesDeleteOptions) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/database/schemas/{database}", values: []string{organization, string(server), string(database)}, query: o.query()})
}

// DatabasesListOptions are the parameters of DatabasesClient.List.
type DatabasesListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []DatabasesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *DatabasesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List databases. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/database/schemas
func (n DatabasesClient) List(ctx context.Context, organization string, server ID, o *DatabasesListOptions) iter.Seq2[*Database, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n DatabasesClient) ListPages(ctx context.Context, organization string, server ID, o *DatabasesListOptions) iter.Seq2[*Page[Database], error] {
	return pages[Database](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/schemas", values: []string{organization, string(server)}, query: o.query()})
}

// Change the password of the sites' database account.
//
// The new password is set on the server afterwards; see the event in X-Hostler-Event. The engine's own administrator
// has no password and can connect only through the local socket.
//
// PUT /orgs/{organization}/servers/{server}/database/password
func (n DatabasesClient) Password(ctx context.Context, organization string, server ID, body UpdateDatabasePasswordRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/database/password", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanPassword returns what Password would do, and changes nothing.
func (n DatabasesClient) PlanPassword(ctx context.Context, organization string, server ID, body UpdateDatabasePasswordRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/database/password", values: []string{organization, string(server)}, body: body})
}

// Get a database.
//
// GET /orgs/{organization}/servers/{server}/database/schemas/{database}
func (n DatabasesClient) Get(ctx context.Context, organization string, server ID, database ID) (*Database, *Response, error) {
	return one[Database](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/schemas/{database}", values: []string{organization, string(server), string(database)}})
}

// Synchronize databases and accounts with the server. It begins work, which Response.Wait waits for.
//
// Imports databases and accounts that were created on the server, and removes those that no longer exist. The engine's
// own are left out.
//
// POST /orgs/{organization}/servers/{server}/database/schemas/synchronizations
func (n DatabasesClient) Sync(ctx context.Context, organization string, server ID) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/schemas/synchronizations", values: []string{organization, string(server)}}, nil)
}

// PlanSync returns what Sync would do, and changes nothing.
func (n DatabasesClient) PlanSync(ctx context.Context, organization string, server ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/database/schemas/synchronizations", values: []string{organization, string(server)}})
}

// Update the extensions of a database. It begins work, which Response.Wait waits for.
//
// Those that are missing are created, and those that Hostler keeps and that are not in the list are dropped, unless
// something in the database depends on them. Others, which accounts of the database created, stay.
//
// PUT /orgs/{organization}/servers/{server}/database/schemas/{database}
func (n DatabasesClient) Update(ctx context.Context, organization string, server ID, database ID, body UpdateDatabaseRequest) (*Database, *Response, error) {
	return one[Database](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/database/schemas/{database}", values: []string{organization, string(server), string(database)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n DatabasesClient) PlanUpdate(ctx context.Context, organization string, server ID, database ID, body UpdateDatabaseRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/database/schemas/{database}", values: []string{organization, string(server), string(database)}, body: body})
}

// Get the tables, connections, slow queries and extensions of a database.
//
// Read on the server, from its engine. 409 while the database is not installed, or if the server or its engine does not
// answer.
//
// GET /orgs/{organization}/servers/{server}/database/schemas/{database}/usage
func (n DatabasesClient) Usage(ctx context.Context, organization string, server ID, database ID) (*DatabaseUsage, *Response, error) {
	return one[DatabaseUsage](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/database/schemas/{database}/usage", values: []string{organization, string(server), string(database)}})
}

// DeployHookClient calls what can be done with deploy hook.
type DeployHookClient struct{ c *Client }

// Get a site's deploy hook.
//
// Anyone who knows the address can deploy the site, with GET or POST. Its last part is also the secret that signs
// pushes sent to /push/{site}.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook
func (n DeployHookClient) Get(ctx context.Context, organization string, server ID, site ID) (*DeployHook, *Response, error) {
	return one[DeployHook](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook", values: []string{organization, string(server), string(site)}})
}

// Regenerate a site's deploy hook.
//
// The old URL stops working immediately.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook
func (n DeployHookClient) Update(ctx context.Context, organization string, server ID, site ID) (*DeployHook, *Response, error) {
	return one[DeployHook](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook", values: []string{organization, string(server), string(site)}})
}

// DeployKeyClient calls what can be done with deploy key.
type DeployKeyClient struct{ c *Client }

// Create a deploy key. It begins work, which Response.Wait waits for.
//
// If the site already has a deploy key, it is kept and returned.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/deploy-key
func (n DeployKeyClient) Create(ctx context.Context, organization string, server ID, site ID) (*DeployKey, *Response, error) {
	return one[DeployKey](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/deploy-key", values: []string{organization, string(server), string(site)}})
}

// Delete a site's deploy key.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/deploy-key
func (n DeployKeyClient) Delete(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/deploy-key", values: []string{organization, string(server), string(site)}}, nil)
}

// Get a site's deploy key.
//
// Returns the public half; null if the site has no deploy key.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deploy-key
func (n DeployKeyClient) Get(ctx context.Context, organization string, server ID, site ID) (*DeployKey, *Response, error) {
	return one[DeployKey](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deploy-key", values: []string{organization, string(server), string(site)}})
}

// DeployScriptClient calls what can be done with deploy script.
type DeployScriptClient struct{ c *Client }

// Get a site's deploy script.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/script
func (n DeployScriptClient) Get(ctx context.Context, organization string, server ID, site ID) (*DeploymentScript, *Response, error) {
	return one[DeploymentScript](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/script", values: []string{organization, string(server), string(site)}})
}

// Replace a site's deploy script.
//
// The next deployment runs the script, as the site's user.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/deployments/script
func (n DeployScriptClient) Update(ctx context.Context, organization string, server ID, site ID, body UpdateDeploymentScriptRequest) (*DeploymentScript, *Response, error) {
	return one[DeploymentScript](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/script", values: []string{organization, string(server), string(site)}, body: body})
}

// DeployStatusClient calls what can be done with deploy status.
type DeployStatusClient struct{ c *Client }

// Cancel a site's deployments. It begins work, which Response.Wait waits for.
//
// A running deployment is ended on the server, with all its processes, and rolled back; waiting ones are cancelled.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/deployments/status
func (n DeployStatusClient) Reset(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/status", values: []string{organization, string(server), string(site)}}, nil)
}

// Get the status of a site's newest deployment.
//
// status and started_at are null until something is deployed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/status
func (n DeployStatusClient) Get(ctx context.Context, organization string, server ID, site ID) (*DeploymentStatus, *Response, error) {
	return one[DeploymentStatus](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/status", values: []string{organization, string(server), string(site)}})
}

// DeploymentsClient calls what can be done with deployments.
type DeploymentsClient struct{ c *Client }

// Deploy a site. It begins work, which Response.Wait waits for.
//
// A site's deployments run one at a time. A newer deployment supersedes one that is waiting.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/deployments
func (n DeploymentsClient) Create(ctx context.Context, organization string, server ID, site ID) (*Deployment, *Response, error) {
	return one[Deployment](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments", values: []string{organization, string(server), string(site)}})
}

// DeploymentsListOptions are the parameters of DeploymentsClient.List.
type DeploymentsListOptions struct {
	// Limits the list to entries with this commit hash. Commas separate alternatives.
	CommitHash string
	// Limits the list to entries whose commit message contains this text, ignoring case. Commas separate alternatives.
	CommitMessage string
	// Limits the list to entries whose commit author contains this text, ignoring case. Commas separate alternatives.
	CommitAuthor string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *DeploymentsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[commit_hash]", o.CommitHash)
	parameter(q, "filter[commit_message]", o.CommitMessage)
	parameter(q, "filter[commit_author]", o.CommitAuthor)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List deployments of a site. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deployments
func (n DeploymentsClient) List(ctx context.Context, organization string, server ID, site ID, o *DeploymentsListOptions) iter.Seq2[*Deployment, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n DeploymentsClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *DeploymentsListOptions) iter.Seq2[*Page[Deployment], error] {
	return pages[Deployment](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get a deployment's log.
//
// The output so far; organizations.events.stream follows it live, under the event in meta.operation.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/log
func (n DeploymentsClient) Log(ctx context.Context, organization string, server ID, site ID, deployment ID) (*DeploymentOutput, *Response, error) {
	return one[DeploymentOutput](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/log", values: []string{organization, string(server), string(site), string(deployment)}})
}

// Redeploy a deployment's commit. It begins work, which Response.Wait waits for.
//
// Creates a new release of the same commit with the current deploy script.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/redeploy
func (n DeploymentsClient) Redeploy(ctx context.Context, organization string, server ID, site ID, deployment ID) (*Deployment, *Response, error) {
	return one[Deployment](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/redeploy", values: []string{organization, string(server), string(site), string(deployment)}})
}

// Roll back to a deployment. It begins work, which Response.Wait waits for.
//
// Creates a deployment that switches to the release, which must still be kept, without running the deploy script, and
// then runs the health check.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/rollback
func (n DeploymentsClient) Rollback(ctx context.Context, organization string, server ID, site ID, deployment ID) (*Deployment, *Response, error) {
	return one[Deployment](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/rollback", values: []string{organization, string(server), string(site), string(deployment)}})
}

// DeploymentsGetOptions are the parameters of DeploymentsClient.Get.
type DeploymentsGetOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []EventsListInclude
}

func (o *DeploymentsGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	return q
}

// Get a deployment.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}
func (n DeploymentsClient) Get(ctx context.Context, organization string, server ID, site ID, deployment ID, o *DeploymentsGetOptions) (*Deployment, *Response, error) {
	return one[Deployment](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}", values: []string{organization, string(server), string(site), string(deployment)}, query: o.query()})
}

// DNSProvidersClient calls what can be done with dns providers.
type DNSProvidersClient struct{ c *Client }

// Connect a DNS provider.
//
// Certificates can then be issued through the provider with dns-01, and the records of domains created there.
//
// POST /orgs/{organization}/dns-providers
func (n DNSProvidersClient) Create(ctx context.Context, organization string, body CreateDNSProviderRequest) (*DNSProvider, *Response, error) {
	return one[DNSProvider](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/dns-providers", values: []string{organization}, body: body})
}

// Delete a DNS provider.
//
// Refused while certificates are renewed through the provider, or records of domains are kept there.
//
// DELETE /orgs/{organization}/dns-providers/{dnsProvider}
func (n DNSProvidersClient) Delete(ctx context.Context, organization string, dnsProvider ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/dns-providers/{dnsProvider}", values: []string{organization, string(dnsProvider)}}, nil)
}

// DNSProvidersListOptions are the parameters of DNSProvidersClient.List.
type DNSProvidersListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SitesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *DNSProvidersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List DNS providers. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/dns-providers
func (n DNSProvidersClient) List(ctx context.Context, organization string, o *DNSProvidersListOptions) iter.Seq2[*DNSProvider, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n DNSProvidersClient) ListPages(ctx context.Context, organization string, o *DNSProvidersListOptions) iter.Seq2[*Page[DNSProvider], error] {
	return pages[DNSProvider](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/dns-providers", values: []string{organization}, query: o.query()})
}

// Get a DNS provider.
//
// GET /orgs/{organization}/dns-providers/{dnsProvider}
func (n DNSProvidersClient) Get(ctx context.Context, organization string, dnsProvider ID) (*DNSProvider, *Response, error) {
	return one[DNSProvider](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/dns-providers/{dnsProvider}", values: []string{organization, string(dnsProvider)}})
}

// Update a DNS provider.
//
// PUT /orgs/{organization}/dns-providers/{dnsProvider}
func (n DNSProvidersClient) Update(ctx context.Context, organization string, dnsProvider ID, body UpdateDNSProviderRequest) (*DNSProvider, *Response, error) {
	return one[DNSProvider](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/dns-providers/{dnsProvider}", values: []string{organization, string(dnsProvider)}, body: body})
}

// DNSRecordsClient calls what can be done with dns records.
type DNSRecordsClient struct{ c *Client }

// Check the DNS records of a domain.
//
// Asks the DNS provider, the nameservers of the zone and a resolver for the records that Hostler made. They are also
// checked every hour, and every minute while they are new.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/check
func (n DNSRecordsClient) Check(ctx context.Context, organization string, server ID, site ID, domainRecord ID) (*DomainDNS, *Response, error) {
	return one[DomainDNS](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/check", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// Create the DNS records of a domain. It begins work, which Response.Wait waits for.
//
// Carries out a plan. Records that Hostler did not make, or that were changed manually, are changed only if replace
// names them. Afterwards the records follow when the server's address changes, a load balancer comes in front of it, or
// the domain gets other names.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns
func (n DNSRecordsClient) Create(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body StoreDomainDNSRequest) (*DomainDNS, *Response, error) {
	return one[DomainDNS](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// DNSRecordsPlanOptions are the parameters of DNSRecordsClient.Plan.
type DNSRecordsPlanOptions struct {
	// The DNS provider; may be left out where it keeps the records of the domain already.
	DNSProviderID int64
	// Records of others that may be replaced, separated by commas: A www.example.com.
	Replace string
	// Whether to plan the removal of the records that Hostler made.
	Remove bool
}

func (o *DNSRecordsPlanOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "dns_provider_id", o.DNSProviderID)
	parameter(q, "replace", o.Replace)
	parameter(q, "remove", o.Remove)
	return q
}

// Preview the DNS records of a domain.
//
// Reads what the DNS provider has, and returns what would be done for the domain's names to lead to its server, or to
// the load balancer in front of it. Nothing is changed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/plan
func (n DNSRecordsClient) Plan(ctx context.Context, organization string, server ID, site ID, domainRecord ID, o *DNSRecordsPlanOptions) (*DomainDNSPlan, *Response, error) {
	return one[DomainDNSPlan](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/plan", values: []string{organization, string(server), string(site), string(domainRecord)}, query: o.query()})
}

// DNSRecordsRemoveOptions are the parameters of DNSRecordsClient.Remove.
type DNSRecordsRemoveOptions struct {
	// Whether the records stay at the provider.
	Keep bool
}

func (o *DNSRecordsRemoveOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "keep", o.Keep)
	return q
}

// Remove the DNS records of a domain. It begins work, which Response.Wait waits for.
//
// Removes the records that Hostler made, as far as they are as it made them. With keep, they stay at the provider, and
// Hostler no longer changes them. The records of a deleted domain are removed as well.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns
func (n DNSRecordsClient) Remove(ctx context.Context, organization string, server ID, site ID, domainRecord ID, o *DNSRecordsRemoveOptions) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns", values: []string{organization, string(server), string(site), string(domainRecord)}, query: o.query()}, nil)
}

// Get the DNS records that Hostler keeps for a domain.
//
// The state of the records, at the provider and from outside, is that of the last check.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns
func (n DNSRecordsClient) Get(ctx context.Context, organization string, server ID, site ID, domainRecord ID) (*DomainDNS, *Response, error) {
	return one[DomainDNS](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// DomainNginxClient calls what can be done with domain nginx.
type DomainNginxClient struct{ c *Client }

// DomainNginxGetOptions are the parameters of DomainNginxClient.Get.
type DomainNginxGetOptions struct {
	// Compare with the server.
	Drift bool
}

func (o *DomainNginxGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "drift", o.Drift)
	return q
}

// Get the nginx configuration of a domain.
//
// With drift=true the server is queried, and meta.nginx.drift shows manual changes there, or meta.nginx.problem says
// why they can't be determined. Manual changes are never overwritten.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx
func (n DomainNginxClient) Get(ctx context.Context, organization string, server ID, site ID, domainRecord ID, o *DomainNginxGetOptions) (*NginxConfig, *Response, error) {
	return one[NginxConfig](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx", values: []string{organization, string(server), string(site), string(domainRecord)}, query: o.query()})
}

// Write the nginx configuration of a domain. It begins work, which Response.Wait waits for.
//
// The configuration is restricted to the site's own logs, directories, sockets, ports and names; any line beyond that
// is rejected. It is stored in Hostler's layout, checked on the server before it takes effect, and rolled back if nginx
// rejects it. Later changes by Hostler are merged into it, unless both changed the same lines.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx
func (n DomainNginxClient) Update(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body UpdateNginxConfigurationRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n DomainNginxClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body UpdateNginxConfigurationRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// Write the nginx configuration of a domain as root. It begins work, which Response.Wait waits for.
//
// The configuration is written as it is, and can act as root on the server: read and write any file, and respond for
// any site. This also requires the permission to run recipes, which can do the same. A caller without that permission
// can only replace the configuration with one that is restricted to the site.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx/root
func (n DomainNginxClient) UpdateRoot(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body UpdateNginxConfigurationRequest) (*NginxConfig, *Response, error) {
	return one[NginxConfig](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx/root", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// PlanUpdateRoot returns what UpdateRoot would do, and changes nothing.
func (n DomainNginxClient) PlanUpdateRoot(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body UpdateNginxConfigurationRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx/root", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// DomainsClient calls what can be done with domains.
type DomainsClient struct{ c *Client }

// Enable or disable a domain, or make it primary. It begins work, which Response.Wait waits for.
//
// The site is named after its primary domain. The site's directory is not renamed, since programs are running in it.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/actions
func (n DomainsClient) Act(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body DomainActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/actions", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body}, nil)
}

// PlanAct returns what Act would do, and changes nothing.
func (n DomainsClient) PlanAct(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body DomainActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/actions", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// Get the certificate served for a domain.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificate
func (n DomainsClient) Certificate(ctx context.Context, organization string, server ID, site ID, domainRecord ID) (*Certificate, *Response, error) {
	return one[Certificate](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificate", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// List the DNS records that a domain needs.
//
// The CNAME record for _acme-challenge is only for dns-01 challenges, and is set once. meta.record reports whether DNS
// has each record now.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/configurations
func (n DomainsClient) Configurations(ctx context.Context, organization string, server ID, site ID, domainRecord ID) ([]*DomainRecordConfiguration, *Response, error) {
	return several[DomainRecordConfiguration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/configurations", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// Add a domain to a site. It begins work, which Response.Wait waits for.
//
// Each domain has its own vhost and certificates. A name can be used once per server.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/domains
func (n DomainsClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateDomainRequest) (*DomainRecord, *Response, error) {
	return one[DomainRecord](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n DomainsClient) PlanCreate(ctx context.Context, organization string, server ID, site ID, body CreateDomainRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a domain. It begins work, which Response.Wait waits for.
//
// The primary domain can't be deleted. The status of a domain is removing until the server confirms.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}
func (n DomainsClient) Delete(ctx context.Context, organization string, server ID, site ID, domainRecord ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}", values: []string{organization, string(server), string(site), string(domainRecord)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n DomainsClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, domainRecord ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// DomainsListOptions are the parameters of DomainsClient.List.
type DomainsListOptions struct {
	// Limits the list to entries with this status. Commas separate alternatives.
	Status DomainsListFilterStatus
	// Limits the list to entries with this type. Commas separate alternatives.
	Type DomainsListFilterType
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SitesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *DomainsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[type]", o.Type)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the domains of a site. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains
func (n DomainsClient) List(ctx context.Context, organization string, server ID, site ID, o *DomainsListOptions) iter.Seq2[*DomainRecord, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n DomainsClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *DomainsListOptions) iter.Seq2[*Page[DomainRecord], error] {
	return pages[DomainRecord](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get a domain.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}
func (n DomainsClient) Get(ctx context.Context, organization string, server ID, site ID, domainRecord ID) (*DomainRecord, *Response, error) {
	return one[DomainRecord](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}", values: []string{organization, string(server), string(site), string(domainRecord)}})
}

// Update the policies of a domain. It begins work, which Response.Wait waits for.
//
// PATCH /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}
func (n DomainsClient) Update(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body UpdateDomainRequest) (*DomainRecord, *Response, error) {
	return one[DomainRecord](ctx, n.c, request{method: "PATCH", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n DomainsClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, domainRecord ID, body UpdateDomainRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PATCH", path: "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}", values: []string{organization, string(server), string(site), string(domainRecord)}, body: body})
}

// DriftClient calls what can be done with drift.
type DriftClient struct{ c *Client }

// Get the drift of a server.
//
// Compares the server with its records, without changing anything. 409 while the server is not set up or can't be
// reached.
//
// GET /orgs/{organization}/servers/{server}/drift
func (n DriftClient) Get(ctx context.Context, organization string, server ID) (*ServerDrift, *Response, error) {
	return one[ServerDrift](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/drift", values: []string{organization, string(server)}})
}

// EnvironmentClient calls what can be done with environment.
type EnvironmentClient struct{ c *Client }

// Get a site's environment.
//
// Returns the .env file as last written, or about to be written, by Hostler. A version that could not be written is not
// shown.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/environment
func (n EnvironmentClient) Get(ctx context.Context, organization string, server ID, site ID) (*Environment, *Response, error) {
	return one[Environment](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/environment", values: []string{organization, string(server), string(site)}})
}

// Replace a site's environment. It begins work, which Response.Wait waits for.
//
// Only the site's user can read the file. All releases share it, including the live one. If the application can't be
// refreshed, the previous file is restored.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/environment
func (n EnvironmentClient) Update(ctx context.Context, organization string, server ID, site ID, body UpdateEnvironmentRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/environment", values: []string{organization, string(server), string(site)}, body: body}, nil)
}

// EnvironmentVersionsClient calls what can be done with environment versions.
type EnvironmentVersionsClient struct{ c *Client }

// EnvironmentVersionsListOptions are the parameters of EnvironmentVersionsClient.List.
type EnvironmentVersionsListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *EnvironmentVersionsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List versions of a site's environment. Pages are asked for as they are needed.
//
// Lists the versions that were written through Hostler, at most 100.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/environment/versions
func (n EnvironmentVersionsClient) List(ctx context.Context, organization string, server ID, site ID, o *EnvironmentVersionsListOptions) iter.Seq2[*EnvironmentVersion, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n EnvironmentVersionsClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *EnvironmentVersionsListOptions) iter.Seq2[*Page[EnvironmentVersion], error] {
	return pages[EnvironmentVersion](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/environment/versions", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get a version of a site's environment.
//
// Includes the changes since the previous version. To go back to a version, write its content.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/environment/versions/{version}
func (n EnvironmentVersionsClient) Get(ctx context.Context, organization string, server ID, site ID, version ID) (*EnvironmentVersion, *Response, error) {
	return one[EnvironmentVersion](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/environment/versions/{version}", values: []string{organization, string(server), string(site), string(version)}})
}

// ErrorLogClient calls what can be done with error log.
type ErrorLogClient struct{ c *Client }

// Empty the error log of a site. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error
func (n ErrorLogClient) Clear(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error", values: []string{organization, string(server), string(site)}}, nil)
}

// PlanClear returns what Clear would do, and changes nothing.
func (n ErrorLogClient) PlanClear(ctx context.Context, organization string, server ID, site ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error", values: []string{organization, string(server), string(site)}})
}

// ErrorLogGetOptions are the parameters of ErrorLogClient.Get.
type ErrorLogGetOptions struct {
	// The maximum number of lines, 1 to 5000; default 500.
	Lines int64
	// Only lines that contain this text, ignoring case.
	Search string
	// Only lines before this offset. Pass meta.log.start of a page to get the previous page.
	Before int64
}

func (o *ErrorLogGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "lines", o.Lines)
	parameter(q, "search", o.Search)
	parameter(q, "before", o.Before)
	return q
}

// Get the error log of a site.
//
// Returns the newest lines, oldest first, read from the server. 409 while the server is not set up or can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error
func (n ErrorLogClient) Get(ctx context.Context, organization string, server ID, site ID, o *ErrorLogGetOptions) (*NginxErrorLog, *Response, error) {
	return one[NginxErrorLog](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// ErrorLogStreamOptions are the parameters of ErrorLogClient.Stream.
type ErrorLogStreamOptions struct {
	// Only lines that contain this text, ignoring case.
	Search string
}

func (o *ErrorLogStreamOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "search", o.Search)
	return q
}

// Follow the error log of a site. The stream is resumed when it breaks, until ctx ends or the loop is left.
//
// Server-sent events: log contains lines, state is why there are none. Last-Event-ID resumes a stream.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error/stream
func (n ErrorLogClient) Stream(ctx context.Context, organization string, server ID, site ID, o *ErrorLogStreamOptions) iter.Seq2[Message, error] {
	return follow(ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error/stream", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// EventsClient calls what can be done with events.
type EventsClient struct{ c *Client }

// Cancel the work of an event. It begins work, which Response.Wait waits for.
//
// The work's processes are killed, and what can be rolled back is rolled back. Also requires the permissions that
// starting the work required.
//
// POST /orgs/{organization}/servers/{server}/events/{event}/cancel
func (n EventsClient) Cancel(ctx context.Context, organization string, server ID, event ID) (*Event, *Response, error) {
	return one[Event](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/events/{event}/cancel", values: []string{organization, string(server), string(event)}})
}

// EventsListOptions are the parameters of EventsClient.List.
type EventsListOptions struct {
	// Limits the list to entries with this initiated by. Commas separate alternatives.
	InitiatedBy string
	// Limits the list to entries with this ran as. Commas separate alternatives.
	RanAs string
	// Limits the list to entries with this site id. Commas separate alternatives.
	SiteID string
	// The state of the event's work, as in meta.operation.state.
	State FilterState
	// Work that took, or so far takes, more than this number of seconds.
	LongerThan string
	// Limits the list to entries with this server id. Commas separate alternatives.
	ServerID string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []EventsListSort
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []EventsListInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *EventsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[initiated_by]", o.InitiatedBy)
	parameter(q, "filter[ran_as]", o.RanAs)
	parameter(q, "filter[site_id]", o.SiteID)
	parameter(q, "filter[state]", o.State)
	parameter(q, "filter[longer_than]", o.LongerThan)
	parameter(q, "filter[server_id]", o.ServerID)
	parameter(q, "sort", o.Sort)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List events of an organization. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/events
func (n EventsClient) List(ctx context.Context, organization string, o *EventsListOptions) iter.Seq2[*Event, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n EventsClient) ListPages(ctx context.Context, organization string, o *EventsListOptions) iter.Seq2[*Page[Event], error] {
	return pages[Event](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/events", values: []string{organization}, query: o.query()})
}

// EventsOfServerOptions are the parameters of EventsClient.OfServer.
type EventsOfServerOptions struct {
	// Limits the list to entries with this initiated by. Commas separate alternatives.
	InitiatedBy string
	// Limits the list to entries with this ran as. Commas separate alternatives.
	RanAs string
	// Limits the list to entries with this site id. Commas separate alternatives.
	SiteID string
	// The state of the event's work, as in meta.operation.state.
	State FilterState
	// Work that took, or so far takes, more than this number of seconds.
	LongerThan string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []EventsListSort
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []EventsListInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *EventsOfServerOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[initiated_by]", o.InitiatedBy)
	parameter(q, "filter[ran_as]", o.RanAs)
	parameter(q, "filter[site_id]", o.SiteID)
	parameter(q, "filter[state]", o.State)
	parameter(q, "filter[longer_than]", o.LongerThan)
	parameter(q, "sort", o.Sort)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List events of a server. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/events
func (n EventsClient) OfServer(ctx context.Context, organization string, server ID, o *EventsOfServerOptions) iter.Seq2[*Event, error] {
	return each(n.OfServerPages(ctx, organization, server, o))
}

// OfServerPages is OfServer by pages, with what is included in each.
func (n EventsClient) OfServerPages(ctx context.Context, organization string, server ID, o *EventsOfServerOptions) iter.Seq2[*Page[Event], error] {
	return pages[Event](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/events", values: []string{organization, string(server)}, query: o.query()})
}

// Get an event's output.
//
// Reading the output of a command, a deployment or a recipe also requires the permissions for running it.
//
// GET /orgs/{organization}/servers/{server}/events/{event}/output
func (n EventsClient) Output(ctx context.Context, organization string, server ID, event ID) (*EventOutput, *Response, error) {
	return one[EventOutput](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/events/{event}/output", values: []string{organization, string(server), string(event)}})
}

// Retry the work of an event. It begins work, which Response.Wait waits for.
//
// Also requires the permissions that starting the work required.
//
// POST /orgs/{organization}/servers/{server}/events/{event}/retry
func (n EventsClient) Retry(ctx context.Context, organization string, server ID, event ID) (*Event, *Response, error) {
	return one[Event](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/events/{event}/retry", values: []string{organization, string(server), string(event)}})
}

// EventsGetOptions are the parameters of EventsClient.Get.
type EventsGetOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []EventsListInclude
}

func (o *EventsGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	return q
}

// Get an event.
//
// GET /orgs/{organization}/servers/{server}/events/{event}
func (n EventsClient) Get(ctx context.Context, organization string, server ID, event ID, o *EventsGetOptions) (*Event, *Response, error) {
	return one[Event](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/events/{event}", values: []string{organization, string(server), string(event)}, query: o.query()})
}

// Follow events. The stream is resumed when it breaks, until ctx ends or the loop is left.
//
// Server-sent events, one for each piece of output; Last-Event-ID resumes a stream.
//
// GET /orgs/{organization}/events/stream
func (n EventsClient) Stream(ctx context.Context, organization string) iter.Seq2[Message, error] {
	return follow(ctx, n.c, request{method: "GET", path: "/orgs/{organization}/events/stream", values: []string{organization}})
}

// FilesClient calls what can be done with files.
type FilesClient struct{ c *Client }

// FilesDeleteOptions are the parameters of FilesClient.Delete.
type FilesDeleteOptions struct {
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string
	// How many files and directories are deleted; default 1.
	Entries int64
}

func (o *FilesDeleteOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "path", o.Path)
	parameter(q, "entries", o.Entries)
	return q
}

// Delete a file or directory of a site.
//
// Deleted files can't be restored. A link is removed, not what it leads to. A directory that is not empty is only
// deleted if entries is the number of files and directories in it, with itself, as the operation that shows it counts
// them; else it is a 409.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/files/entry
func (n FilesClient) Delete(ctx context.Context, organization string, server ID, site ID, o *FilesDeleteOptions) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/entry", values: []string{organization, string(server), string(site)}, query: o.query()}, nil)
}

// FilesDownloadOptions are the parameters of FilesClient.Download.
type FilesDownloadOptions struct {
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string
}

func (o *FilesDownloadOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "path", o.Path)
	return q
}

// Download a file of a site. The caller closes it.
//
// Any file, of any size, as it is on the server. Range is supported. Each answer has a line in the audit log.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/files/download
func (n FilesClient) Download(ctx context.Context, organization string, server ID, site ID, o *FilesDownloadOptions) (io.ReadCloser, error) {
	return open(ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/download", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// FilesListOptions are the parameters of FilesClient.List.
type FilesListOptions struct {
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string
	// The page size, 1 to 200.
	PageSize int64
}

func (o *FilesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "path", o.Path)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List a directory of a site. Pages are asked for as they are needed.
//
// Read on the server, as the site's account: directories first, and by name. Links out of the site's directory are
// listed and not followed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/files
func (n FilesClient) List(ctx context.Context, organization string, server ID, site ID, o *FilesListOptions) iter.Seq2[*File, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n FilesClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *FilesListOptions) iter.Seq2[*Page[File], error] {
	return pages[File](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/files", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Create a directory of a site.
//
// The directory that contains it must exist.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/files/directories
func (n FilesClient) MakeDirectory(ctx context.Context, organization string, server ID, site ID, body StoreFileDirectoryRequest) (*File, *Response, error) {
	return one[File](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/directories", values: []string{organization, string(server), string(site)}, body: body})
}

// Rename or move a file or directory of a site.
//
// Nothing is replaced: the new path must be free.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/files/moves
func (n FilesClient) Move(ctx context.Context, organization string, server ID, site ID, body MoveFileRequest) (*File, *Response, error) {
	return one[File](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/moves", values: []string{organization, string(server), string(site)}, body: body})
}

// FilesPrintOptions are the parameters of FilesClient.Print.
type FilesPrintOptions struct {
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string
}

func (o *FilesPrintOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "path", o.Path)
	return q
}

// Get the content of a text file of a site.
//
// Returns files of at most 512 KiB that are UTF-8. Others have no content here; they can be downloaded. Each answer has
// a line in the audit log.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/files/content
func (n FilesClient) Print(ctx context.Context, organization string, server ID, site ID, o *FilesPrintOptions) (*FileContent, *Response, error) {
	return one[FileContent](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/content", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// FilesGetOptions are the parameters of FilesClient.Get.
type FilesGetOptions struct {
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string
	// Whether to count what is in a directory.
	Count bool
}

func (o *FilesGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "path", o.Path)
	parameter(q, "count", o.Count)
	return q
}

// Get a file or directory of a site.
//
// Returns what the server says about it, not its content. A link is the file that it leads to.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/files/entry
func (n FilesClient) Get(ctx context.Context, organization string, server ID, site ID, o *FilesGetOptions) (*File, *Response, error) {
	return one[File](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/entry", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// FilesUploadOptions are the parameters of FilesClient.Upload.
type FilesUploadOptions struct {
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string
	// Whether an existing file may be replaced.
	Replace bool
}

func (o *FilesUploadOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "path", o.Path)
	parameter(q, "replace", o.Replace)
	return q
}

// Upload a file to a site.
//
// The request's body is the file, of at most 1 GiB. It appears whole, once it has arrived: an upload that breaks off
// leaves nothing.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/files/upload
func (n FilesClient) Upload(ctx context.Context, organization string, server ID, site ID, content io.Reader, o *FilesUploadOptions) (*File, *Response, error) {
	return one[File](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/upload", values: []string{organization, string(server), string(site)}, raw: content, query: o.query()})
}

// Write a text file of a site.
//
// The file has either all of the new content or all of the old, and keeps its permissions. It is a 409 if the file is
// no longer the revision that was read. Line endings are not changed.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/files/content
func (n FilesClient) Write(ctx context.Context, organization string, server ID, site ID, body UpdateFileContentRequest) (*File, *Response, error) {
	return one[File](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/files/content", values: []string{organization, string(server), string(site)}, body: body})
}

// FirewallClient calls what can be done with firewall.
type FirewallClient struct{ c *Client }

// Create a firewall rule. It begins work, which Response.Wait waits for.
//
// Deny rules come before allow rules, newest first. A rule that would lock Hostler out is rejected.
//
// POST /orgs/{organization}/servers/{server}/firewall-rules
func (n FirewallClient) Create(ctx context.Context, organization string, server ID, body CreateFirewallRuleRequest) (*Rule, *Response, error) {
	return one[Rule](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/firewall-rules", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n FirewallClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateFirewallRuleRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/firewall-rules", values: []string{organization, string(server)}, body: body})
}

// Delete a firewall rule. It begins work, which Response.Wait waits for.
//
// The status of the rule is removing until the server confirms; then the rule is gone. An unreachable server is retried
// until the deadline in meta.operation.
//
// DELETE /orgs/{organization}/servers/{server}/firewall-rules/{rule}
func (n FirewallClient) Delete(ctx context.Context, organization string, server ID, rule ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/firewall-rules/{rule}", values: []string{organization, string(server), string(rule)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n FirewallClient) PlanDelete(ctx context.Context, organization string, server ID, rule ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/firewall-rules/{rule}", values: []string{organization, string(server), string(rule)}})
}

// FirewallListOptions are the parameters of FirewallClient.List.
type FirewallListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries whose ip address contains this text, ignoring case. Commas separate alternatives.
	IPAddress string
	// Limits the list to entries with this type. Commas separate alternatives.
	Type string
	// Limits the list to entries with this port. Commas separate alternatives.
	Port string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []EventsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *FirewallListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[ip_address]", o.IPAddress)
	parameter(q, "filter[type]", o.Type)
	parameter(q, "filter[port]", o.Port)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List firewall rules. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/firewall-rules
func (n FirewallClient) List(ctx context.Context, organization string, server ID, o *FirewallListOptions) iter.Seq2[*Rule, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n FirewallClient) ListPages(ctx context.Context, organization string, server ID, o *FirewallListOptions) iter.Seq2[*Page[Rule], error] {
	return pages[Rule](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/firewall-rules", values: []string{organization, string(server)}, query: o.query()})
}

// Get a firewall rule.
//
// GET /orgs/{organization}/servers/{server}/firewall-rules/{rule}
func (n FirewallClient) Get(ctx context.Context, organization string, server ID, rule ID) (*Rule, *Response, error) {
	return one[Rule](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/firewall-rules/{rule}", values: []string{organization, string(server), string(rule)}})
}

// Update a firewall rule. It begins work, which Response.Wait waits for.
//
// Omitted fields are unchanged. A change that would lock Hostler out is rejected.
//
// PUT /orgs/{organization}/servers/{server}/firewall-rules/{rule}
func (n FirewallClient) Update(ctx context.Context, organization string, server ID, rule ID, body UpdateFirewallRuleRequest) (*Rule, *Response, error) {
	return one[Rule](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/firewall-rules/{rule}", values: []string{organization, string(server), string(rule)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n FirewallClient) PlanUpdate(ctx context.Context, organization string, server ID, rule ID, body UpdateFirewallRuleRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/firewall-rules/{rule}", values: []string{organization, string(server), string(rule)}, body: body})
}

// GitClient calls what can be done with git.
type GitClient struct{ c *Client }

// Update a site's repository. It begins work, which Response.Wait waits for.
//
// The next deployment fetches the new repository or branch. Only a site's first repository changes its server right
// away.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/git
func (n GitClient) Update(ctx context.Context, organization string, server ID, site ID, body UpdateGitRequest) (*Site, *Response, error) {
	return one[Site](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/git", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n GitClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, body UpdateGitRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/git", values: []string{organization, string(server), string(site)}, body: body})
}

// HealthcheckClient calls what can be done with healthcheck.
type HealthcheckClient struct{ c *Client }

// Get a site's health check.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/healthcheck
func (n HealthcheckClient) Get(ctx context.Context, organization string, server ID, site ID) (*HealthcheckEndpoint, *Response, error) {
	return one[HealthcheckEndpoint](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/healthcheck", values: []string{organization, string(server), string(site)}})
}

// Set a site's health check.
//
// The URL is requested on the site's own server after each deployment. Unless the response is 2xx, the previous release
// becomes live again. Null for none.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/healthcheck
func (n HealthcheckClient) Update(ctx context.Context, organization string, server ID, site ID, body UpdateHealthcheckEndpointRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/healthcheck", values: []string{organization, string(server), string(site)}, body: body}, nil)
}

// HeartbeatsClient calls what can be done with heartbeats.
type HeartbeatsClient struct{ c *Client }

// Create a heartbeat.
//
// The heartbeat's address must be called at least as often as its frequency says. After the first call, a longer
// silence than the frequency and the grace period is reported as an event.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/heartbeats
func (n HeartbeatsClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateHeartbeatRequest) (*Heartbeat, *Response, error) {
	return one[Heartbeat](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/heartbeats", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a heartbeat.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}
func (n HeartbeatsClient) Delete(ctx context.Context, organization string, server ID, site ID, heartbeat ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}", values: []string{organization, string(server), string(site), string(heartbeat)}}, nil)
}

// HeartbeatsListOptions are the parameters of HeartbeatsClient.List.
type HeartbeatsListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *HeartbeatsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List heartbeats. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/heartbeats
func (n HeartbeatsClient) List(ctx context.Context, organization string, server ID, site ID, o *HeartbeatsListOptions) iter.Seq2[*Heartbeat, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n HeartbeatsClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *HeartbeatsListOptions) iter.Seq2[*Page[Heartbeat], error] {
	return pages[Heartbeat](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/heartbeats", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get a heartbeat.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}
func (n HeartbeatsClient) Get(ctx context.Context, organization string, server ID, site ID, heartbeat ID) (*Heartbeat, *Response, error) {
	return one[Heartbeat](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}", values: []string{organization, string(server), string(site), string(heartbeat)}})
}

// Update a heartbeat.
//
// The heartbeat's address does not change.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}
func (n HeartbeatsClient) Update(ctx context.Context, organization string, server ID, site ID, heartbeat ID, body UpdateHeartbeatRequest) (*Heartbeat, *Response, error) {
	return one[Heartbeat](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}", values: []string{organization, string(server), string(site), string(heartbeat)}, body: body})
}

// HorizonClient calls what can be done with horizon.
type HorizonClient struct{ c *Client }

// Switch Horizon off. It begins work, which Response.Wait waits for.
//
// Removes its background process and its line in the deploy script.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon
func (n HorizonClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon", values: []string{organization, string(server), string(site)}}, nil)
}

// Switch Horizon on. It begins work, which Response.Wait waits for.
//
// Adds a background process to the site, and a line to the deploy script that restarts it. 400 if the site's
// composer.lock does not contain the package.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon
func (n HorizonClient) Enable(ctx context.Context, organization string, server ID, site ID) (*HorizonIntegration, *Response, error) {
	return one[HorizonIntegration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon", values: []string{organization, string(server), string(site)}})
}

// Get a site's Horizon.
//
// Queries the server for what is installed; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon
func (n HorizonClient) Get(ctx context.Context, organization string, server ID, site ID) (*HorizonIntegration, *Response, error) {
	return one[HorizonIntegration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon", values: []string{organization, string(server), string(site)}})
}

// HostKeysClient calls what can be done with host keys.
type HostKeysClient struct{ c *Client }

// Get the host keys of a server.
//
// Reads the SSH host keys that the server presents now, without logging in. 409 while the server has not been connected
// or can't be reached.
//
// GET /orgs/{organization}/servers/{server}/host-keys
func (n HostKeysClient) Get(ctx context.Context, organization string, server ID) (*ServerHostKeys, *Response, error) {
	return one[ServerHostKeys](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/host-keys", values: []string{organization, string(server)}})
}

// Confirm new host keys of a server.
//
// Replaces the confirmed keys. Hostler then trusts any machine that has one of these keys, and sends it secrets and
// commands as root: compare the fingerprints on the server's console first. Refused unless the server presents these
// keys and accepts Hostler's own key.
//
// PUT /orgs/{organization}/servers/{server}/host-keys
func (n HostKeysClient) Update(ctx context.Context, organization string, server ID, body ConfirmHostKeysRequest) (*ServerHostKeys, *Response, error) {
	return one[ServerHostKeys](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/host-keys", values: []string{organization, string(server)}, body: body})
}

// InertiaClient calls what can be done with inertia.
type InertiaClient struct{ c *Client }

// Switch Inertia SSR off. It begins work, which Response.Wait waits for.
//
// Removes its background process and its line in the deploy script.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia
func (n InertiaClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia", values: []string{organization, string(server), string(site)}}, nil)
}

// Switch Inertia SSR on. It begins work, which Response.Wait waits for.
//
// Adds a background process to the site, and a line to the deploy script that restarts it. 400 if the site's
// composer.lock does not contain the package.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia
func (n InertiaClient) Enable(ctx context.Context, organization string, server ID, site ID) (*InertiaIntegration, *Response, error) {
	return one[InertiaIntegration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia", values: []string{organization, string(server), string(site)}})
}

// Get a site's Inertia SSR.
//
// Queries the server for what is installed; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia
func (n InertiaClient) Get(ctx context.Context, organization string, server ID, site ID) (*InertiaIntegration, *Response, error) {
	return one[InertiaIntegration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia", values: []string{organization, string(server), string(site)}})
}

// InvitesClient calls what can be done with invites.
type InvitesClient struct{ c *Client }

// Invite a person to an organization.
//
// POST /orgs/{organization}/invites
func (n InvitesClient) Create(ctx context.Context, organization string, body CreateTeamInviteRequest) (*TeamInvitation, *Response, error) {
	return one[TeamInvitation](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/invites", values: []string{organization}, body: body})
}

// Cancel an invitation to an organization.
//
// DELETE /orgs/{organization}/invites/{invitation}
func (n InvitesClient) Delete(ctx context.Context, organization string, invitation ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/invites/{invitation}", values: []string{organization, string(invitation)}}, nil)
}

// InvitesListOptions are the parameters of InvitesClient.List.
type InvitesListOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []InvitesListInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *InvitesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the open invitations to an organization. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/invites
func (n InvitesClient) List(ctx context.Context, organization string, o *InvitesListOptions) iter.Seq2[*TeamInvitation, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n InvitesClient) ListPages(ctx context.Context, organization string, o *InvitesListOptions) iter.Seq2[*Page[TeamInvitation], error] {
	return pages[TeamInvitation](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/invites", values: []string{organization}, query: o.query()})
}

// InvitesGetOptions are the parameters of InvitesClient.Get.
type InvitesGetOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []InvitesListInclude
}

func (o *InvitesGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	return q
}

// Get an invitation to an organization.
//
// GET /orgs/{organization}/invites/{invitation}
func (n InvitesClient) Get(ctx context.Context, organization string, invitation ID, o *InvitesGetOptions) (*TeamInvitation, *Response, error) {
	return one[TeamInvitation](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/invites/{invitation}", values: []string{organization, string(invitation)}, query: o.query()})
}

// MaintenanceClient calls what can be done with maintenance.
type MaintenanceClient struct{ c *Client }

// Take a site's maintenance page down. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance
func (n MaintenanceClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance", values: []string{organization, string(server), string(site)}}, nil)
}

// Put a site's maintenance page up. It begins work, which Response.Wait waits for.
//
// 409 if the site does not have Laravel.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance
func (n MaintenanceClient) Enable(ctx context.Context, organization string, server ID, site ID, body EnableMaintenanceModeRequest) (*LaravelMaintenanceIntegration, *Response, error) {
	return one[LaravelMaintenanceIntegration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance", values: []string{organization, string(server), string(site)}, body: body})
}

// Get a site's maintenance mode.
//
// The state last set through Hostler. Queries the server for what is installed; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance
func (n MaintenanceClient) Get(ctx context.Context, organization string, server ID, site ID) (*LaravelMaintenanceIntegration, *Response, error) {
	return one[LaravelMaintenanceIntegration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance", values: []string{organization, string(server), string(site)}})
}

// MembersClient calls what can be done with members.
type MembersClient struct{ c *Client }

// Remove a member from an organization.
//
// DELETE /orgs/{organization}/members/{user}
func (n MembersClient) Delete(ctx context.Context, organization string, user ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/members/{user}", values: []string{organization, string(user)}}, nil)
}

// Leave an organization.
//
// DELETE /orgs/{organization}/membership
func (n MembersClient) Leave(ctx context.Context, organization string) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/membership", values: []string{organization}}, nil)
}

// MembersListOptions are the parameters of MembersClient.List.
type MembersListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *MembersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the members of an organization. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/members
func (n MembersClient) List(ctx context.Context, organization string, o *MembersListOptions) iter.Seq2[*Membership, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n MembersClient) ListPages(ctx context.Context, organization string, o *MembersListOptions) iter.Seq2[*Page[Membership], error] {
	return pages[Membership](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/members", values: []string{organization}, query: o.query()})
}

// Get a member of an organization.
//
// GET /orgs/{organization}/members/{user}
func (n MembersClient) Get(ctx context.Context, organization string, user ID) (*Membership, *Response, error) {
	return one[Membership](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/members/{user}", values: []string{organization, string(user)}})
}

// Change the role of a member of an organization.
//
// PUT /orgs/{organization}/members/{user}
func (n MembersClient) Update(ctx context.Context, organization string, user ID, body UpdateTeamMemberRequest) (*Membership, *Response, error) {
	return one[Membership](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/members/{user}", values: []string{organization, string(user)}, body: body})
}

// MonitorsClient calls what can be done with monitors.
type MonitorsClient struct{ c *Client }

// Create a monitor. It begins work, which Response.Wait waits for.
//
// The server measures every minute, whether or not Hostler can reach it; URLs are requested by Hostler. Mail is sent
// when the threshold is crossed and when the value recovers.
//
// POST /orgs/{organization}/servers/{server}/monitors
func (n MonitorsClient) Create(ctx context.Context, organization string, server ID, body CreateMonitorRequest) (*Monitor, *Response, error) {
	return one[Monitor](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/monitors", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n MonitorsClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateMonitorRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/monitors", values: []string{organization, string(server)}, body: body})
}

// Delete a monitor. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/monitors/{monitor}
func (n MonitorsClient) Delete(ctx context.Context, organization string, server ID, monitor ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/monitors/{monitor}", values: []string{organization, string(server), string(monitor)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n MonitorsClient) PlanDelete(ctx context.Context, organization string, server ID, monitor ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/monitors/{monitor}", values: []string{organization, string(server), string(monitor)}})
}

// MonitorsListOptions are the parameters of MonitorsClient.List.
type MonitorsListOptions struct {
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries with this state. Commas separate alternatives.
	State string
	// Limits the list to entries with this type. Commas separate alternatives.
	Type string
	// Limits the list to entries with this notify. Commas separate alternatives.
	Notify string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []MonitorsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *MonitorsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[state]", o.State)
	parameter(q, "filter[type]", o.Type)
	parameter(q, "filter[notify]", o.Notify)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List monitors. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/monitors
func (n MonitorsClient) List(ctx context.Context, organization string, server ID, o *MonitorsListOptions) iter.Seq2[*Monitor, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n MonitorsClient) ListPages(ctx context.Context, organization string, server ID, o *MonitorsListOptions) iter.Seq2[*Page[Monitor], error] {
	return pages[Monitor](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/monitors", values: []string{organization, string(server)}, query: o.query()})
}

// Get a monitor.
//
// GET /orgs/{organization}/servers/{server}/monitors/{monitor}
func (n MonitorsClient) Get(ctx context.Context, organization string, server ID, monitor ID) (*Monitor, *Response, error) {
	return one[Monitor](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/monitors/{monitor}", values: []string{organization, string(server), string(monitor)}})
}

// Update a monitor. It begins work, which Response.Wait waits for.
//
// Omitted fields are unchanged. What a monitor measures can't be changed.
//
// PUT /orgs/{organization}/servers/{server}/monitors/{monitor}
func (n MonitorsClient) Update(ctx context.Context, organization string, server ID, monitor ID, body UpdateMonitorRequest) (*Monitor, *Response, error) {
	return one[Monitor](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/monitors/{monitor}", values: []string{organization, string(server), string(monitor)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n MonitorsClient) PlanUpdate(ctx context.Context, organization string, server ID, monitor ID, body UpdateMonitorRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/monitors/{monitor}", values: []string{organization, string(server), string(monitor)}, body: body})
}

// NetworkClient calls what can be done with network.
type NetworkClient struct{ c *Client }

// List the peers of a server.
//
// Lists the servers that can reach this server at its private address. Peers that the caller can't see are omitted.
//
// GET /orgs/{organization}/servers/{server}/network
func (n NetworkClient) Get(ctx context.Context, organization string, server ID) ([]*Server, *Response, error) {
	return several[Server](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/network", values: []string{organization, string(server)}})
}

// Replace the peers of a server. It begins work, which Response.Wait waits for.
//
// A server and its peers can reach each other's private address on every port, unless a rule denies it. Both firewalls
// change, so the permission is required on both servers. Peers that the caller can't see are unchanged.
//
// PUT /orgs/{organization}/servers/{server}/network
func (n NetworkClient) Update(ctx context.Context, organization string, server ID, body UpdateServerNetworkRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/network", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n NetworkClient) PlanUpdate(ctx context.Context, organization string, server ID, body UpdateServerNetworkRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/network", values: []string{organization, string(server)}, body: body})
}

// NginxTemplatesClient calls what can be done with nginx templates.
type NginxTemplatesClient struct{ c *Client }

// Create an nginx template.
//
// The template is checked against what a site can contain, with example values, and again with the values of each site
// that uses it.
//
// POST /orgs/{organization}/servers/{server}/nginx/templates
func (n NginxTemplatesClient) Create(ctx context.Context, organization string, server ID, body CreateNginxTemplateRequest) (*NginxTemplate, *Response, error) {
	return one[NginxTemplate](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/nginx/templates", values: []string{organization, string(server)}, body: body})
}

// Delete an nginx template.
//
// DELETE /orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}
func (n NginxTemplatesClient) Delete(ctx context.Context, organization string, server ID, nginxTemplate ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}", values: []string{organization, string(server), string(nginxTemplate)}}, nil)
}

// NginxTemplatesListOptions are the parameters of NginxTemplatesClient.List.
type NginxTemplatesListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []DatabasesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *NginxTemplatesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List nginx templates. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/nginx/templates
func (n NginxTemplatesClient) List(ctx context.Context, organization string, server ID, o *NginxTemplatesListOptions) iter.Seq2[*NginxTemplate, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n NginxTemplatesClient) ListPages(ctx context.Context, organization string, server ID, o *NginxTemplatesListOptions) iter.Seq2[*Page[NginxTemplate], error] {
	return pages[NginxTemplate](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/nginx/templates", values: []string{organization, string(server)}, query: o.query()})
}

// Get an nginx template.
//
// GET /orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}
func (n NginxTemplatesClient) Get(ctx context.Context, organization string, server ID, nginxTemplate ID) (*NginxTemplate, *Response, error) {
	return one[NginxTemplate](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}", values: []string{organization, string(server), string(nginxTemplate)}})
}

// Update an nginx template.
//
// Sites that were created from the template are not changed.
//
// PUT /orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}
func (n NginxTemplatesClient) Update(ctx context.Context, organization string, server ID, nginxTemplate ID, body UpdateNginxTemplateRequest) (*NginxTemplate, *Response, error) {
	return one[NginxTemplate](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}", values: []string{organization, string(server), string(nginxTemplate)}, body: body})
}

// NodesClient calls what can be done with nodes.
type NodesClient struct{ c *Client }

// NodesListOptions are the parameters of NodesClient.List.
type NodesListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []NodesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *NodesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the nodes of a site on a load balancer. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes
func (n NodesClient) List(ctx context.Context, organization string, server ID, site ID, o *NodesListOptions) iter.Seq2[*LoadBalancingNode, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n NodesClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *NodesListOptions) iter.Seq2[*Page[LoadBalancingNode], error] {
	return pages[LoadBalancingNode](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Replace the nodes of a site on a load balancer. It begins work, which Response.Wait waits for.
//
// No request is dropped. A node receives traffic once its server is set up. Returns the site.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes
func (n NodesClient) Update(ctx context.Context, organization string, server ID, site ID, body UpdateLoadBalancerRequest) (*Site, *Response, error) {
	return one[Site](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n NodesClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, body UpdateLoadBalancerRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes", values: []string{organization, string(server), string(site)}, body: body})
}

// NotificationDeliveriesClient calls what can be done with notification deliveries.
type NotificationDeliveriesClient struct{ c *Client }

// NotificationDeliveriesListOptions are the parameters of NotificationDeliveriesClient.List.
type NotificationDeliveriesListOptions struct {
	// Limits the list to entries with this state. Commas separate alternatives.
	State string
	// Limits the list to entries with this event. Commas separate alternatives.
	Event string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *NotificationDeliveriesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[state]", o.State)
	parameter(q, "filter[event]", o.Event)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the messages of a channel. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/notification-channels/{notificationChannel}/deliveries
func (n NotificationDeliveriesClient) List(ctx context.Context, organization string, notificationChannel ID, o *NotificationDeliveriesListOptions) iter.Seq2[*Delivery, error] {
	return each(n.ListPages(ctx, organization, notificationChannel, o))
}

// ListPages is List by pages, with what is included in each.
func (n NotificationDeliveriesClient) ListPages(ctx context.Context, organization string, notificationChannel ID, o *NotificationDeliveriesListOptions) iter.Seq2[*Page[Delivery], error] {
	return pages[Delivery](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/notification-channels/{notificationChannel}/deliveries", values: []string{organization, string(notificationChannel)}, query: o.query()})
}

// Redeliver a notification. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}/redeliver
func (n NotificationDeliveriesClient) Redeliver(ctx context.Context, organization string, notificationChannel ID, delivery ID) (*Delivery, *Response, error) {
	return one[Delivery](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}/redeliver", values: []string{organization, string(notificationChannel), string(delivery)}})
}

// Get a message of a channel.
//
// GET /orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}
func (n NotificationDeliveriesClient) Get(ctx context.Context, organization string, notificationChannel ID, delivery ID) (*Delivery, *Response, error) {
	return one[Delivery](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}", values: []string{organization, string(notificationChannel), string(delivery)}})
}

// NotificationsClient calls what can be done with notifications.
type NotificationsClient struct{ c *Client }

// Add a notification channel.
//
// Messages to a webhook are signed with the secret in meta.shown_once.secret, like those of a site's webhooks.
//
// POST /orgs/{organization}/notification-channels
func (n NotificationsClient) Create(ctx context.Context, organization string, body CreateNotificationChannelRequest) (*NotificationChannel, *Response, error) {
	return one[NotificationChannel](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/notification-channels", values: []string{organization}, body: body})
}

// Delete a notification channel.
//
// Pending deliveries are discarded.
//
// DELETE /orgs/{organization}/notification-channels/{notificationChannel}
func (n NotificationsClient) Delete(ctx context.Context, organization string, notificationChannel ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/notification-channels/{notificationChannel}", values: []string{organization, string(notificationChannel)}}, nil)
}

// NotificationsListOptions are the parameters of NotificationsClient.List.
type NotificationsListOptions struct {
	// Limits the list to entries with this type. Commas separate alternatives.
	Type string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SitesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *NotificationsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[type]", o.Type)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List notification channels. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/notification-channels
func (n NotificationsClient) List(ctx context.Context, organization string, o *NotificationsListOptions) iter.Seq2[*NotificationChannel, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n NotificationsClient) ListPages(ctx context.Context, organization string, o *NotificationsListOptions) iter.Seq2[*Page[NotificationChannel], error] {
	return pages[NotificationChannel](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/notification-channels", values: []string{organization}, query: o.query()})
}

// Get a notification channel.
//
// GET /orgs/{organization}/notification-channels/{notificationChannel}
func (n NotificationsClient) Get(ctx context.Context, organization string, notificationChannel ID) (*NotificationChannel, *Response, error) {
	return one[NotificationChannel](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/notification-channels/{notificationChannel}", values: []string{organization, string(notificationChannel)}})
}

// Send a test message to a channel. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/notification-channels/{notificationChannel}/deliveries
func (n NotificationsClient) Test(ctx context.Context, organization string, notificationChannel ID) (*Delivery, *Response, error) {
	return one[Delivery](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/notification-channels/{notificationChannel}/deliveries", values: []string{organization, string(notificationChannel)}})
}

// Update a notification channel.
//
// PUT /orgs/{organization}/notification-channels/{notificationChannel}
func (n NotificationsClient) Update(ctx context.Context, organization string, notificationChannel ID, body UpdateNotificationChannelRequest) (*NotificationChannel, *Response, error) {
	return one[NotificationChannel](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/notification-channels/{notificationChannel}", values: []string{organization, string(notificationChannel)}, body: body})
}

// NPMCredentialsClient calls what can be done with npm credentials.
type NPMCredentialsClient struct{ c *Client }

// Create a site's npm credential. It begins work, which Response.Wait waits for.
//
// The secret is readable only by the site's user and is never shown again.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials
func (n NPMCredentialsClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateNpmCredentialRequest) (*NpmCredential, *Response, error) {
	return one[NpmCredential](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n NPMCredentialsClient) PlanCreate(ctx context.Context, organization string, server ID, site ID, body CreateNpmCredentialRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a site's npm credential. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}
func (n NPMCredentialsClient) Delete(ctx context.Context, organization string, server ID, site ID, registry string) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}", values: []string{organization, string(server), string(site), registry}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n NPMCredentialsClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, registry string) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}", values: []string{organization, string(server), string(site), registry}})
}

// List npm credentials of a site.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials
func (n NPMCredentialsClient) List(ctx context.Context, organization string, server ID, site ID) ([]*NpmCredential, *Response, error) {
	return several[NpmCredential](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials", values: []string{organization, string(server), string(site)}})
}

// Get a site's npm credential.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}
func (n NPMCredentialsClient) Get(ctx context.Context, organization string, server ID, site ID, registry string) (*NpmCredential, *Response, error) {
	return one[NpmCredential](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}", values: []string{organization, string(server), string(site), registry}})
}

// Replace a site's npm credential. It begins work, which Response.Wait waits for.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}
func (n NPMCredentialsClient) Update(ctx context.Context, organization string, server ID, site ID, registry string, body UpdateNpmCredentialRequest) (*NpmCredential, *Response, error) {
	return one[NpmCredential](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}", values: []string{organization, string(server), string(site), registry}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n NPMCredentialsClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, registry string, body UpdateNpmCredentialRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}", values: []string{organization, string(server), string(site), registry}, body: body})
}

// OauthClientsClient calls what can be done with oauth clients.
type OauthClientsClient struct{ c *Client }

// Register an OAuth client.
//
// A confidential client's secret is in meta.shown_once and is shown only once.
//
// POST /orgs/{organization}/oauth-clients
func (n OauthClientsClient) Create(ctx context.Context, organization string, body CreateOAuthClientRequest) (*OAuthClient, *Response, error) {
	return one[OAuthClient](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/oauth-clients", values: []string{organization}, body: body})
}

// Delete an OAuth client and its authorizations.
//
// DELETE /orgs/{organization}/oauth-clients/{client}
func (n OauthClientsClient) Delete(ctx context.Context, organization string, client ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/oauth-clients/{client}", values: []string{organization, string(client)}}, nil)
}

// OauthClientsListOptions are the parameters of OauthClientsClient.List.
type OauthClientsListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *OauthClientsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List OAuth clients. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/oauth-clients
func (n OauthClientsClient) List(ctx context.Context, organization string, o *OauthClientsListOptions) iter.Seq2[*OAuthClient, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n OauthClientsClient) ListPages(ctx context.Context, organization string, o *OauthClientsListOptions) iter.Seq2[*Page[OAuthClient], error] {
	return pages[OAuthClient](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/oauth-clients", values: []string{organization}, query: o.query()})
}

// Get an OAuth client.
//
// GET /orgs/{organization}/oauth-clients/{client}
func (n OauthClientsClient) Get(ctx context.Context, organization string, client ID) (*OAuthClient, *Response, error) {
	return one[OAuthClient](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/oauth-clients/{client}", values: []string{organization, string(client)}})
}

// Update an OAuth client.
//
// PUT /orgs/{organization}/oauth-clients/{client}
func (n OauthClientsClient) Update(ctx context.Context, organization string, client ID, body UpdateOAuthClientRequest) (*OAuthClient, *Response, error) {
	return one[OAuthClient](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/oauth-clients/{client}", values: []string{organization, string(client)}, body: body})
}

// OctaneClient calls what can be done with octane.
type OctaneClient struct{ c *Client }

// Switch Octane off. It begins work, which Response.Wait waits for.
//
// Removes its background process and its line in the deploy script.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/octane
func (n OctaneClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/octane", values: []string{organization, string(server), string(site)}}, nil)
}

// Switch Octane on. It begins work, which Response.Wait waits for.
//
// Adds a background process to the site, and a line to the deploy script that restarts it. 400 if the site's
// composer.lock does not contain the package. Previous settings are replaced.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/octane
func (n OctaneClient) Enable(ctx context.Context, organization string, server ID, site ID, body EnableOctaneRequest) (*OctaneIntegration, *Response, error) {
	return one[OctaneIntegration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/octane", values: []string{organization, string(server), string(site)}, body: body})
}

// Get a site's Octane.
//
// Queries the server for what is installed; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/octane
func (n OctaneClient) Get(ctx context.Context, organization string, server ID, site ID) (*OctaneIntegration, *Response, error) {
	return one[OctaneIntegration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/octane", values: []string{organization, string(server), string(site)}})
}

// OrgsClient calls what can be done with orgs.
type OrgsClient struct{ c *Client }

// OrgsListOptions are the parameters of OrgsClient.List.
type OrgsListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *OrgsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List organizations. Pages are asked for as they are needed.
//
// Lists the organizations that the caller is a member of and can view.
//
// GET /orgs
func (n OrgsClient) List(ctx context.Context, o *OrgsListOptions) iter.Seq2[*Organization, error] {
	return each(n.ListPages(ctx, o))
}

// ListPages is List by pages, with what is included in each.
func (n OrgsClient) ListPages(ctx context.Context, o *OrgsListOptions) iter.Seq2[*Page[Organization], error] {
	return pages[Organization](ctx, n.c, request{method: "GET", path: "/orgs", query: o.query()})
}

// Get an organization.
//
// GET /orgs/{organization}
func (n OrgsClient) Get(ctx context.Context, organization string) (*Organization, *Response, error) {
	return one[Organization](ctx, n.c, request{method: "GET", path: "/orgs/{organization}", values: []string{organization}})
}

// Update an organization.
//
// The slug stays the same, and with it all paths. Sites that exist keep their limits.
//
// PUT /orgs/{organization}
func (n OrgsClient) Update(ctx context.Context, organization string, body UpdateOrganizationRequest) (*Organization, *Response, error) {
	return one[Organization](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}", values: []string{organization}, body: body})
}

// PermissionsClient calls what can be done with permissions.
type PermissionsClient struct{ c *Client }

// PermissionsListOptions are the parameters of PermissionsClient.List.
type PermissionsListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// The page size, 1 to 200.
	PageSize int64
}

func (o *PermissionsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List permissions. Pages are asked for as they are needed.
//
// GET /permissions
func (n PermissionsClient) List(ctx context.Context, o *PermissionsListOptions) iter.Seq2[*PermissionResource, error] {
	return each(n.ListPages(ctx, o))
}

// ListPages is List by pages, with what is included in each.
func (n PermissionsClient) ListPages(ctx context.Context, o *PermissionsListOptions) iter.Seq2[*Page[PermissionResource], error] {
	return pages[PermissionResource](ctx, n.c, request{method: "GET", path: "/permissions", query: o.query()})
}

// Get a permission.
//
// GET /permissions/{permission}
func (n PermissionsClient) Get(ctx context.Context, permission ID) (*PermissionResource, *Response, error) {
	return one[PermissionResource](ctx, n.c, request{method: "GET", path: "/permissions/{permission}", values: []string{string(permission)}})
}

// PHPClient calls what can be done with php.
type PHPClient struct{ c *Client }

// Install a PHP version. It begins work, which Response.Wait waits for.
//
// Installs from the system's own sources or, failing that, from the archive of the packages' maintainer, which is then
// added. Sites keep their version.
//
// POST /orgs/{organization}/servers/{server}/php/versions
func (n PHPClient) Create(ctx context.Context, organization string, server ID, body CreatePhpVersionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/php/versions", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanCreate returns what Create would do, and changes nothing.
func (n PHPClient) PlanCreate(ctx context.Context, organization string, server ID, body CreatePhpVersionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/php/versions", values: []string{organization, string(server)}, body: body})
}

// Remove a PHP version. It begins work, which Response.Wait waits for.
//
// 409 for the only version, for the defaults of the command line and of new sites, and while a site uses it.
//
// DELETE /orgs/{organization}/servers/{server}/php/versions/{phpVersion}
func (n PHPClient) Delete(ctx context.Context, organization string, server ID, phpVersion ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}", values: []string{organization, string(server), string(phpVersion)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n PHPClient) PlanDelete(ctx context.Context, organization string, server ID, phpVersion ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}", values: []string{organization, string(server), string(phpVersion)}})
}

// PHPListOptions are the parameters of PHPClient.List.
type PHPListOptions struct {
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries with this version. Commas separate alternatives.
	Version string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []PHPListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *PHPListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[version]", o.Version)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List PHP versions. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/php/versions
func (n PHPClient) List(ctx context.Context, organization string, server ID, o *PHPListOptions) iter.Seq2[*PhpVersion, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n PHPClient) ListPages(ctx context.Context, organization string, server ID, o *PHPListOptions) iter.Seq2[*Page[PhpVersion], error] {
	return pages[PhpVersion](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/versions", values: []string{organization, string(server)}, query: o.query()})
}

// Get a PHP version.
//
// GET /orgs/{organization}/servers/{server}/php/versions/{phpVersion}
func (n PHPClient) Get(ctx context.Context, organization string, server ID, phpVersion ID) (*PhpVersion, *Response, error) {
	return one[PhpVersion](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}", values: []string{organization, string(server), string(phpVersion)}})
}

// Upgrade a PHP version. It begins work, which Response.Wait waits for.
//
// Upgrades to the latest patch release in the server's package sources. If there is one, PHP restarts, which takes a
// few seconds.
//
// PUT /orgs/{organization}/servers/{server}/php/versions/{phpVersion}
func (n PHPClient) Update(ctx context.Context, organization string, server ID, phpVersion ID) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}", values: []string{organization, string(server), string(phpVersion)}}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n PHPClient) PlanUpdate(ctx context.Context, organization string, server ID, phpVersion ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}", values: []string{organization, string(server), string(phpVersion)}})
}

// PHPCliConfigClient calls what can be done with php cli config.
type PHPCliConfigClient struct{ c *Client }

// Get the PHP configuration of the command line.
//
// Returns the lines added to the distribution's configuration.
//
// GET /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli
func (n PHPCliConfigClient) Get(ctx context.Context, organization string, server ID, phpVersion ID) (*PhpCliConfiguration, *Response, error) {
	return one[PhpCliConfiguration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli", values: []string{organization, string(server), string(phpVersion)}})
}

// Replace the PHP configuration of the command line. It begins work, which Response.Wait waits for.
//
// Settings that name files, programs, accounts or sockets, and those that load code, are rejected. If FPM itself
// rejects them, the operation fails, and nothing on the server changes.
//
// PUT /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli
func (n PHPCliConfigClient) Update(ctx context.Context, organization string, server ID, phpVersion ID, body UpdatePhpCliRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli", values: []string{organization, string(server), string(phpVersion)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n PHPCliConfigClient) PlanUpdate(ctx context.Context, organization string, server ID, phpVersion ID, body UpdatePhpCliRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli", values: []string{organization, string(server), string(phpVersion)}, body: body})
}

// PHPCliVersionClient calls what can be done with php cli version.
type PHPCliVersionClient struct{ c *Client }

// Get the PHP version of the command line.
//
// GET /orgs/{organization}/servers/{server}/php/cli-version
func (n PHPCliVersionClient) Get(ctx context.Context, organization string, server ID) (*PhpVersion, *Response, error) {
	return one[PhpVersion](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/cli-version", values: []string{organization, string(server)}})
}

// Set the PHP version of the command line. It begins work, which Response.Wait waits for.
//
// PUT /orgs/{organization}/servers/{server}/php/cli-version
func (n PHPCliVersionClient) Update(ctx context.Context, organization string, server ID, body UpdatePhpCliVersionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/cli-version", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n PHPCliVersionClient) PlanUpdate(ctx context.Context, organization string, server ID, body UpdatePhpCliVersionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/cli-version", values: []string{organization, string(server)}, body: body})
}

// PHPFpmConfigClient calls what can be done with php fpm config.
type PHPFpmConfigClient struct{ c *Client }

// Get the PHP configuration of FPM.
//
// Returns the lines added to the distribution's configuration.
//
// GET /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm
func (n PHPFpmConfigClient) Get(ctx context.Context, organization string, server ID, phpVersion ID) (*PhpFpmConfiguration, *Response, error) {
	return one[PhpFpmConfiguration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm", values: []string{organization, string(server), string(phpVersion)}})
}

// Replace the PHP configuration of FPM. It begins work, which Response.Wait waits for.
//
// Settings that name files, programs, accounts or sockets, and those that load code, are rejected. If FPM itself
// rejects them, the operation fails, and nothing on the server changes.
//
// PUT /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm
func (n PHPFpmConfigClient) Update(ctx context.Context, organization string, server ID, phpVersion ID, body UpdatePhpFpmRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm", values: []string{organization, string(server), string(phpVersion)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n PHPFpmConfigClient) PlanUpdate(ctx context.Context, organization string, server ID, phpVersion ID, body UpdatePhpFpmRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm", values: []string{organization, string(server), string(phpVersion)}, body: body})
}

// PHPMaxExecutionTimeClient calls what can be done with php max execution time.
type PHPMaxExecutionTimeClient struct{ c *Client }

// Get the PHP execution time limit.
//
// GET /orgs/{organization}/servers/{server}/php/max-execution-time
func (n PHPMaxExecutionTimeClient) Get(ctx context.Context, organization string, server ID) (*PhpMaxExecutionTime, *Response, error) {
	return one[PhpMaxExecutionTime](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/max-execution-time", values: []string{organization, string(server)}})
}

// Set the PHP execution time limit. It begins work, which Response.Wait waits for.
//
// Applies to all versions, in FPM and nginx. Requests in progress keep the previous settings.
//
// PUT /orgs/{organization}/servers/{server}/php/max-execution-time
func (n PHPMaxExecutionTimeClient) Update(ctx context.Context, organization string, server ID, body UpdatePhpSettingsRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/max-execution-time", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n PHPMaxExecutionTimeClient) PlanUpdate(ctx context.Context, organization string, server ID, body UpdatePhpSettingsRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/max-execution-time", values: []string{organization, string(server)}, body: body})
}

// PHPMaxUploadSizeClient calls what can be done with php max upload size.
type PHPMaxUploadSizeClient struct{ c *Client }

// Get the PHP upload size limit.
//
// GET /orgs/{organization}/servers/{server}/php/max-upload-size
func (n PHPMaxUploadSizeClient) Get(ctx context.Context, organization string, server ID) (*PhpMaxUploadSize, *Response, error) {
	return one[PhpMaxUploadSize](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/max-upload-size", values: []string{organization, string(server)}})
}

// Set the PHP upload size limit. It begins work, which Response.Wait waits for.
//
// Applies to all versions, in FPM and nginx. Requests in progress keep the previous settings.
//
// PUT /orgs/{organization}/servers/{server}/php/max-upload-size
func (n PHPMaxUploadSizeClient) Update(ctx context.Context, organization string, server ID, body UpdatePhpSettingsRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/max-upload-size", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n PHPMaxUploadSizeClient) PlanUpdate(ctx context.Context, organization string, server ID, body UpdatePhpSettingsRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/max-upload-size", values: []string{organization, string(server)}, body: body})
}

// PHPOpcacheClient calls what can be done with php opcache.
type PHPOpcacheClient struct{ c *Client }

// Turn OPcache off. It begins work, which Response.Wait waits for.
//
// Applies to all versions, in FPM and nginx. Requests in progress keep the previous settings.
//
// DELETE /orgs/{organization}/servers/{server}/php/opcache
func (n PHPOpcacheClient) Disable(ctx context.Context, organization string, server ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/php/opcache", values: []string{organization, string(server)}}, nil)
}

// PlanDisable returns what Disable would do, and changes nothing.
func (n PHPOpcacheClient) PlanDisable(ctx context.Context, organization string, server ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/php/opcache", values: []string{organization, string(server)}})
}

// Turn OPcache on. It begins work, which Response.Wait waits for.
//
// Applies to all versions, in FPM and nginx. Requests in progress keep the previous settings.
//
// POST /orgs/{organization}/servers/{server}/php/opcache
func (n PHPOpcacheClient) Enable(ctx context.Context, organization string, server ID) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/php/opcache", values: []string{organization, string(server)}}, nil)
}

// PlanEnable returns what Enable would do, and changes nothing.
func (n PHPOpcacheClient) PlanEnable(ctx context.Context, organization string, server ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/php/opcache", values: []string{organization, string(server)}})
}

// Get the OPcache state.
//
// GET /orgs/{organization}/servers/{server}/php/opcache
func (n PHPOpcacheClient) Get(ctx context.Context, organization string, server ID) (*PhpOpcache, *Response, error) {
	return one[PhpOpcache](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/opcache", values: []string{organization, string(server)}})
}

// PHPPoolConfigClient calls what can be done with php pool config.
type PHPPoolConfigClient struct{ c *Client }

// PHPPoolConfigGetOptions are the parameters of PHPPoolConfigClient.Get.
type PHPPoolConfigGetOptions struct {
	// The account of an isolated site. Defaults to forge.
	User string
}

func (o *PHPPoolConfigGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "user", o.User)
	return q
}

// Get the PHP configuration of pools.
//
// Returns the lines added to the distribution's configuration.
//
// GET /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool
func (n PHPPoolConfigClient) Get(ctx context.Context, organization string, server ID, phpVersion ID, o *PHPPoolConfigGetOptions) (*PhpPoolConfiguration, *Response, error) {
	return one[PhpPoolConfiguration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool", values: []string{organization, string(server), string(phpVersion)}, query: o.query()})
}

// Replace the PHP configuration of pools. It begins work, which Response.Wait waits for.
//
// Settings that name files, programs, accounts or sockets, and those that load code, are rejected. If FPM itself
// rejects them, the operation fails, and nothing on the server changes.
//
// PUT /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool
func (n PHPPoolConfigClient) Update(ctx context.Context, organization string, server ID, phpVersion ID, body UpdatePhpPoolRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool", values: []string{organization, string(server), string(phpVersion)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n PHPPoolConfigClient) PlanUpdate(ctx context.Context, organization string, server ID, phpVersion ID, body UpdatePhpPoolRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool", values: []string{organization, string(server), string(phpVersion)}, body: body})
}

// PHPSiteVersionClient calls what can be done with php site version.
type PHPSiteVersionClient struct{ c *Client }

// Get the PHP version of new sites.
//
// GET /orgs/{organization}/servers/{server}/php/site-version
func (n PHPSiteVersionClient) Get(ctx context.Context, organization string, server ID) (*PhpVersion, *Response, error) {
	return one[PhpVersion](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/php/site-version", values: []string{organization, string(server)}})
}

// Set the PHP version of new sites. It begins work, which Response.Wait waits for.
//
// PUT /orgs/{organization}/servers/{server}/php/site-version
func (n PHPSiteVersionClient) Update(ctx context.Context, organization string, server ID, body UpdatePhpCliVersionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/php/site-version", values: []string{organization, string(server)}, body: body}, nil)
}

// PredefinedRolesClient calls what can be done with predefined roles.
type PredefinedRolesClient struct{ c *Client }

// PredefinedRolesListOptions are the parameters of PredefinedRolesClient.List.
type PredefinedRolesListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this permissions name. Commas separate alternatives.
	PermissionsName string
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []RolesListInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *PredefinedRolesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[permissions.name]", o.PermissionsName)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List predefined roles. Pages are asked for as they are needed.
//
// GET /predefined-roles
func (n PredefinedRolesClient) List(ctx context.Context, o *PredefinedRolesListOptions) iter.Seq2[*PredefinedRole, error] {
	return each(n.ListPages(ctx, o))
}

// ListPages is List by pages, with what is included in each.
func (n PredefinedRolesClient) ListPages(ctx context.Context, o *PredefinedRolesListOptions) iter.Seq2[*Page[PredefinedRole], error] {
	return pages[PredefinedRole](ctx, n.c, request{method: "GET", path: "/predefined-roles", query: o.query()})
}

// PredefinedRolesGetOptions are the parameters of PredefinedRolesClient.Get.
type PredefinedRolesGetOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []RolesListInclude
}

func (o *PredefinedRolesGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	return q
}

// Get a predefined role.
//
// GET /predefined-roles/{role}
func (n PredefinedRolesClient) Get(ctx context.Context, role ID, o *PredefinedRolesGetOptions) (*PredefinedRole, *Response, error) {
	return one[PredefinedRole](ctx, n.c, request{method: "GET", path: "/predefined-roles/{role}", values: []string{string(role)}, query: o.query()})
}

// ProcessesClient calls what can be done with processes.
type ProcessesClient struct{ c *Client }

// Start, stop or restart a background process, or empty its log. It begins work, which Response.Wait waits for.
//
// A stopped process stays stopped when the server starts.
//
// POST /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/actions
func (n ProcessesClient) Act(ctx context.Context, organization string, server ID, backgroundProcess ID, body BackgroundProcessActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/actions", values: []string{organization, string(server), string(backgroundProcess)}, body: body}, nil)
}

// PlanAct returns what Act would do, and changes nothing.
func (n ProcessesClient) PlanAct(ctx context.Context, organization string, server ID, backgroundProcess ID, body BackgroundProcessActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/actions", values: []string{organization, string(server), string(backgroundProcess)}, body: body})
}

// Create a background process. It begins work, which Response.Wait waits for.
//
// The process is started immediately and at boot, and restarted whenever it exits.
//
// POST /orgs/{organization}/servers/{server}/background-processes
func (n ProcessesClient) Create(ctx context.Context, organization string, server ID, body CreateBackgroundProcessRequest) (*BackgroundProcess, *Response, error) {
	return one[BackgroundProcess](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/background-processes", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n ProcessesClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateBackgroundProcessRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/background-processes", values: []string{organization, string(server)}, body: body})
}

// Delete a background process. It begins work, which Response.Wait waits for.
//
// The process is stopped first. 409 if it belongs to an integration.
//
// DELETE /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}
func (n ProcessesClient) Delete(ctx context.Context, organization string, server ID, backgroundProcess ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}", values: []string{organization, string(server), string(backgroundProcess)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n ProcessesClient) PlanDelete(ctx context.Context, organization string, server ID, backgroundProcess ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}", values: []string{organization, string(server), string(backgroundProcess)}})
}

// ProcessesListOptions are the parameters of ProcessesClient.List.
type ProcessesListOptions struct {
	// Limits the list to entries with this user. Commas separate alternatives.
	User string
	// Limits the list to entries with this site id. Commas separate alternatives.
	SiteID string
	// Limits the list to entries with this directory. Commas separate alternatives.
	Directory string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []ProcessesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ProcessesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[user]", o.User)
	parameter(q, "filter[site_id]", o.SiteID)
	parameter(q, "filter[directory]", o.Directory)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List background processes. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/background-processes
func (n ProcessesClient) List(ctx context.Context, organization string, server ID, o *ProcessesListOptions) iter.Seq2[*BackgroundProcess, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n ProcessesClient) ListPages(ctx context.Context, organization string, server ID, o *ProcessesListOptions) iter.Seq2[*Page[BackgroundProcess], error] {
	return pages[BackgroundProcess](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/background-processes", values: []string{organization, string(server)}, query: o.query()})
}

// ProcessesLogOptions are the parameters of ProcessesClient.Log.
type ProcessesLogOptions struct {
	// The maximum number of lines, 1 to 5000; default 500.
	Lines int64
	// Only lines that contain this text, ignoring case.
	Search string
	// Only lines before this offset. Pass meta.log.start of a page to get the previous page.
	Before int64
}

func (o *ProcessesLogOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "lines", o.Lines)
	parameter(q, "search", o.Search)
	parameter(q, "before", o.Before)
	return q
}

// Get the output of a background process.
//
// Read from the server; 409 while it is unreachable.
//
// GET /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/log
func (n ProcessesClient) Log(ctx context.Context, organization string, server ID, backgroundProcess ID, o *ProcessesLogOptions) (*BackgroundProcessLog, *Response, error) {
	return one[BackgroundProcessLog](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/log", values: []string{organization, string(server), string(backgroundProcess)}, query: o.query()})
}

// Get a background process.
//
// GET /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}
func (n ProcessesClient) Get(ctx context.Context, organization string, server ID, backgroundProcess ID) (*BackgroundProcess, *Response, error) {
	return one[BackgroundProcess](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}", values: []string{organization, string(server), string(backgroundProcess)}})
}

// Update a background process. It begins work, which Response.Wait waits for.
//
// The process restarts.
//
// PUT /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}
func (n ProcessesClient) Update(ctx context.Context, organization string, server ID, backgroundProcess ID, body UpdateBackgroundProcessRequest) (*BackgroundProcess, *Response, error) {
	return one[BackgroundProcess](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}", values: []string{organization, string(server), string(backgroundProcess)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n ProcessesClient) PlanUpdate(ctx context.Context, organization string, server ID, backgroundProcess ID, body UpdateBackgroundProcessRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}", values: []string{organization, string(server), string(backgroundProcess)}, body: body})
}

// ProvidersClient calls what can be done with providers.
type ProvidersClient struct{ c *Client }

// ProvidersListOptions are the parameters of ProvidersClient.List.
type ProvidersListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ProvidersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List server providers. Pages are asked for as they are needed.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers
func (n ProvidersClient) List(ctx context.Context, o *ProvidersListOptions) iter.Seq2[*Provider, error] {
	return each(n.ListPages(ctx, o))
}

// ListPages is List by pages, with what is included in each.
func (n ProvidersClient) ListPages(ctx context.Context, o *ProvidersListOptions) iter.Seq2[*Page[Provider], error] {
	return pages[Provider](ctx, n.c, request{method: "GET", path: "/providers", query: o.query()})
}

// Get a server provider.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers/{provider}
func (n ProvidersClient) Get(ctx context.Context, provider ID) (*Provider, *Response, error) {
	return one[Provider](ctx, n.c, request{method: "GET", path: "/providers/{provider}", values: []string{string(provider)}})
}

// PulseClient calls what can be done with pulse.
type PulseClient struct{ c *Client }

// Switch Pulse off. It begins work, which Response.Wait waits for.
//
// Removes its background process and its line in the deploy script.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse
func (n PulseClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse", values: []string{organization, string(server), string(site)}}, nil)
}

// Switch Pulse on. It begins work, which Response.Wait waits for.
//
// Adds a background process to the site, and a line to the deploy script that restarts it. 400 if the site's
// composer.lock does not contain the package.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse
func (n PulseClient) Enable(ctx context.Context, organization string, server ID, site ID) (*PulseIntegration, *Response, error) {
	return one[PulseIntegration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse", values: []string{organization, string(server), string(site)}})
}

// Get a site's Pulse.
//
// Queries the server for what is installed; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse
func (n PulseClient) Get(ctx context.Context, organization string, server ID, site ID) (*PulseIntegration, *Response, error) {
	return one[PulseIntegration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse", values: []string{organization, string(server), string(site)}})
}

// PushToDeployClient calls what can be done with push to deploy.
type PushToDeployClient struct{ c *Client }

// Disable push to deploy. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy
func (n PushToDeployClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy", values: []string{organization, string(server), string(site)}}, nil)
}

// Enable push to deploy. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy
func (n PushToDeployClient) Enable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy", values: []string{organization, string(server), string(site)}}, nil)
}

// PushesClient calls what can be done with pushes.
type PushesClient struct{ c *Client }

// PushesListOptions are the parameters of PushesClient.List.
type PushesListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *PushesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List pushes to a site. Pages are asked for as they are needed.
//
// What Git servers sent to the site's push address lately, at most 50, each with its verdict and the reason.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/pushes
func (n PushesClient) List(ctx context.Context, organization string, server ID, site ID, o *PushesListOptions) iter.Seq2[*PushDelivery, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n PushesClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *PushesListOptions) iter.Seq2[*Page[PushDelivery], error] {
	return pages[PushDelivery](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/pushes", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// RateLimitClient calls what can be done with rate limit.
type RateLimitClient struct{ c *Client }

// Get the rate limit of an organization.
//
// GET /orgs/{organization}/rate-limit
func (n RateLimitClient) Get(ctx context.Context, organization string) (*RateLimit, *Response, error) {
	return one[RateLimit](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/rate-limit", values: []string{organization}})
}

// Set the rate limit of an organization.
//
// The limit is the number of requests per minute for each token and person in the organization. A lower limit of a
// token takes precedence.
//
// PUT /orgs/{organization}/rate-limit
func (n RateLimitClient) Update(ctx context.Context, organization string, body UpdateRateLimitRequest) (*RateLimit, *Response, error) {
	return one[RateLimit](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/rate-limit", values: []string{organization}, body: body})
}

// RecipeRunsClient calls what can be done with recipe runs.
type RecipeRunsClient struct{ c *Client }

// RecipeRunsListOptions are the parameters of RecipeRunsClient.List.
type RecipeRunsListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *RecipeRunsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List runs of a recipe. Pages are asked for as they are needed.
//
// Lists the runs on servers that the caller can see.
//
// GET /orgs/{organization}/recipes/{recipe}/runs
func (n RecipeRunsClient) List(ctx context.Context, organization string, recipe ID, o *RecipeRunsListOptions) iter.Seq2[*RecipeLog, error] {
	return each(n.ListPages(ctx, organization, recipe, o))
}

// ListPages is List by pages, with what is included in each.
func (n RecipeRunsClient) ListPages(ctx context.Context, organization string, recipe ID, o *RecipeRunsListOptions) iter.Seq2[*Page[RecipeLog], error] {
	return pages[RecipeLog](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/recipes/{recipe}/runs", values: []string{organization, string(recipe)}, query: o.query()})
}

// Get a run of a recipe.
//
// GET /orgs/{organization}/recipes/{recipe}/runs/{log}
func (n RecipeRunsClient) Get(ctx context.Context, organization string, recipe ID, log ID) (*RecipeLog, *Response, error) {
	return one[RecipeLog](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/recipes/{recipe}/runs/{log}", values: []string{organization, string(recipe), string(log)}})
}

// RecipesClient calls what can be done with recipes.
type RecipesClient struct{ c *Client }

// Create a recipe.
//
// POST /orgs/{organization}/recipes
func (n RecipesClient) Create(ctx context.Context, organization string, body CreateRecipeRequest) (*Recipe, *Response, error) {
	return one[Recipe](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/recipes", values: []string{organization}, body: body})
}

// Delete a recipe.
//
// DELETE /orgs/{organization}/recipes/{recipe}
func (n RecipesClient) Delete(ctx context.Context, organization string, recipe ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/recipes/{recipe}", values: []string{organization, string(recipe)}}, nil)
}

// RecipesListOptions are the parameters of RecipesClient.List.
type RecipesListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *RecipesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List recipes. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/recipes
func (n RecipesClient) List(ctx context.Context, organization string, o *RecipesListOptions) iter.Seq2[*Recipe, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n RecipesClient) ListPages(ctx context.Context, organization string, o *RecipesListOptions) iter.Seq2[*Page[Recipe], error] {
	return pages[Recipe](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/recipes", values: []string{organization}, query: o.query()})
}

// Run a recipe on servers. It begins work, which Response.Wait waits for.
//
// Runs the current script, for at most half an hour on each server, in parallel with other work. The recipe is never
// run twice. X-Hostler-Event is the event of the run on the first server.
//
// POST /orgs/{organization}/recipes/{recipe}/runs
func (n RecipesClient) Run(ctx context.Context, organization string, recipe ID, body RunRecipeRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/recipes/{recipe}/runs", values: []string{organization, string(recipe)}, body: body}, nil)
}

// Get a recipe.
//
// GET /orgs/{organization}/recipes/{recipe}
func (n RecipesClient) Get(ctx context.Context, organization string, recipe ID) (*Recipe, *Response, error) {
	return one[Recipe](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/recipes/{recipe}", values: []string{organization, string(recipe)}})
}

// Update a recipe.
//
// PUT /orgs/{organization}/recipes/{recipe}
func (n RecipesClient) Update(ctx context.Context, organization string, recipe ID, body UpdateRecipeRequest) (*Recipe, *Response, error) {
	return one[Recipe](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/recipes/{recipe}", values: []string{organization, string(recipe)}, body: body})
}

// RedirectsClient calls what can be done with redirects.
type RedirectsClient struct{ c *Client }

// Create a redirect rule. It begins work, which Response.Wait waits for.
//
// Rules are evaluated in order, and the first match applies. A rule that nginx rejects is removed; its event says why.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules
func (n RedirectsClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateRedirectRequest) (*RedirectRule, *Response, error) {
	return one[RedirectRule](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n RedirectsClient) PlanCreate(ctx context.Context, organization string, server ID, site ID, body CreateRedirectRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a redirect rule. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}
func (n RedirectsClient) Delete(ctx context.Context, organization string, server ID, site ID, redirectRule ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}", values: []string{organization, string(server), string(site), string(redirectRule)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n RedirectsClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, redirectRule ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}", values: []string{organization, string(server), string(site), string(redirectRule)}})
}

// Export redirect rules as CSV. The caller closes it.
//
// The columns are from, to and type, in the order of the rules. The file can be imported again.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/export
func (n RedirectsClient) Export(ctx context.Context, organization string, server ID, site ID) (io.ReadCloser, error) {
	return open(ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/export", values: []string{organization, string(server), string(site)}})
}

// Import redirect rules from CSV. It begins work, which Response.Wait waits for. The answer is JSON as the description
// has it.
//
// The columns are from, to and type, with or without a header; type defaults to redirect. The response lists invalid
// lines. The others are imported together: either all of them, or none if nginx rejects one.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/import
func (n RedirectsClient) Import(ctx context.Context, organization string, server ID, site ID, name string, content []byte, body ImportRedirectsRequest) (json.RawMessage, *Response, error) {
	return plain(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/import", values: []string{organization, string(server), string(site)}, file: "file", name: name, content: content, body: body})
}

// PlanImport returns what Import would do, and changes nothing.
func (n RedirectsClient) PlanImport(ctx context.Context, organization string, server ID, site ID, name string, content []byte, body ImportRedirectsRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/import", values: []string{organization, string(server), string(site)}, file: "file", name: name, content: content, body: body})
}

// RedirectsListOptions are the parameters of RedirectsClient.List.
type RedirectsListOptions struct {
	// Limits the list to entries whose from contains this text, ignoring case. Commas separate alternatives.
	From string
	// Limits the list to entries whose to contains this text, ignoring case. Commas separate alternatives.
	To string
	// Limits the list to entries with this type. Commas separate alternatives.
	Type string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []EventsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *RedirectsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[from]", o.From)
	parameter(q, "filter[to]", o.To)
	parameter(q, "filter[type]", o.Type)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List redirect rules. Pages are asked for as they are needed.
//
// In evaluation order, unless sorted otherwise.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules
func (n RedirectsClient) List(ctx context.Context, organization string, server ID, site ID, o *RedirectsListOptions) iter.Seq2[*RedirectRule, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n RedirectsClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *RedirectsListOptions) iter.Seq2[*Page[RedirectRule], error] {
	return pages[RedirectRule](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Reorder redirect rules. It begins work, which Response.Wait waits for.
//
// Rules that are not listed follow in their previous order.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/reorder
func (n RedirectsClient) Reorder(ctx context.Context, organization string, server ID, site ID, body ReorderRedirectsRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/reorder", values: []string{organization, string(server), string(site)}, body: body}, nil)
}

// PlanReorder returns what Reorder would do, and changes nothing.
func (n RedirectsClient) PlanReorder(ctx context.Context, organization string, server ID, site ID, body ReorderRedirectsRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/reorder", values: []string{organization, string(server), string(site)}, body: body})
}

// Get a redirect rule.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}
func (n RedirectsClient) Get(ctx context.Context, organization string, server ID, site ID, redirectRule ID) (*RedirectRule, *Response, error) {
	return one[RedirectRule](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}", values: []string{organization, string(server), string(site), string(redirectRule)}})
}

// Update a redirect rule. It begins work, which Response.Wait waits for.
//
// Omitted fields are unchanged, and the rule keeps its place in the order.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}
func (n RedirectsClient) Update(ctx context.Context, organization string, server ID, site ID, redirectRule ID, body UpdateRedirectRequest) (*RedirectRule, *Response, error) {
	return one[RedirectRule](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}", values: []string{organization, string(server), string(site), string(redirectRule)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n RedirectsClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, redirectRule ID, body UpdateRedirectRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}", values: []string{organization, string(server), string(site), string(redirectRule)}, body: body})
}

// RegionSizesClient calls what can be done with region sizes.
type RegionSizesClient struct{ c *Client }

// RegionSizesListOptions are the parameters of RegionSizesClient.List.
type RegionSizesListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *RegionSizesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the sizes in a region. Pages are asked for as they are needed.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers/{provider}/regions/{providerRegion}/sizes
func (n RegionSizesClient) List(ctx context.Context, provider ID, providerRegion ID, o *RegionSizesListOptions) iter.Seq2[*ProviderRegionSize, error] {
	return each(n.ListPages(ctx, provider, providerRegion, o))
}

// ListPages is List by pages, with what is included in each.
func (n RegionSizesClient) ListPages(ctx context.Context, provider ID, providerRegion ID, o *RegionSizesListOptions) iter.Seq2[*Page[ProviderRegionSize], error] {
	return pages[ProviderRegionSize](ctx, n.c, request{method: "GET", path: "/providers/{provider}/regions/{providerRegion}/sizes", values: []string{string(provider), string(providerRegion)}, query: o.query()})
}

// Get a size in a region.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers/{provider}/regions/{providerRegion}/sizes/{providerSize}
func (n RegionSizesClient) Get(ctx context.Context, provider ID, providerRegion ID, providerSize string) (*ProviderRegionSize, *Response, error) {
	return one[ProviderRegionSize](ctx, n.c, request{method: "GET", path: "/providers/{provider}/regions/{providerRegion}/sizes/{providerSize}", values: []string{string(provider), string(providerRegion), providerSize}})
}

// RegionsClient calls what can be done with regions.
type RegionsClient struct{ c *Client }

// RegionsListOptions are the parameters of RegionsClient.List.
type RegionsListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *RegionsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the regions of a server provider. Pages are asked for as they are needed.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers/{provider}/regions
func (n RegionsClient) List(ctx context.Context, provider ID, o *RegionsListOptions) iter.Seq2[*ProviderRegion, error] {
	return each(n.ListPages(ctx, provider, o))
}

// ListPages is List by pages, with what is included in each.
func (n RegionsClient) ListPages(ctx context.Context, provider ID, o *RegionsListOptions) iter.Seq2[*Page[ProviderRegion], error] {
	return pages[ProviderRegion](ctx, n.c, request{method: "GET", path: "/providers/{provider}/regions", values: []string{string(provider)}, query: o.query()})
}

// Get a region of a server provider.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers/{provider}/regions/{providerRegion}
func (n RegionsClient) Get(ctx context.Context, provider ID, providerRegion ID) (*ProviderRegion, *Response, error) {
	return one[ProviderRegion](ctx, n.c, request{method: "GET", path: "/providers/{provider}/regions/{providerRegion}", values: []string{string(provider), string(providerRegion)}})
}

// RepositoryCheckClient calls what can be done with repository check.
type RepositoryCheckClient struct{ c *Client }

// Check a site's repository. It begins work, which Response.Wait waits for.
//
// Reads the newest commit of the branch on the site's server, with the deploy key, and those files of it that say which
// application it has. A check that is already requested is returned. A new host key of the Git server is confirmed by
// its fingerprint.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/git/check
func (n RepositoryCheckClient) Run(ctx context.Context, organization string, server ID, site ID, body CheckRepositoryRequest) (*RepositoryCheck, *Response, error) {
	return one[RepositoryCheck](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/git/check", values: []string{organization, string(server), string(site)}, body: body})
}

// Get the check of a site's repository.
//
// Whether the site's server could read the branch with the deploy key when that was last checked.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/git/check
func (n RepositoryCheckClient) Get(ctx context.Context, organization string, server ID, site ID) (*RepositoryCheck, *Response, error) {
	return one[RepositoryCheck](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/git/check", values: []string{organization, string(server), string(site)}})
}

// RetentionClient calls what can be done with retention.
type RetentionClient struct{ c *Client }

// Get the retention periods of an organization.
//
// GET /orgs/{organization}/retention
func (n RetentionClient) Get(ctx context.Context, organization string) (*Retention, *Response, error) {
	return one[Retention](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/retention", values: []string{organization}})
}

// Set the retention periods of an organization.
//
// A period can't be longer than the installation's. Old rows are deleted every hour; a longer period does not bring
// them back. Open work, and the operation that a resource shows, are kept.
//
// PUT /orgs/{organization}/retention
func (n RetentionClient) Update(ctx context.Context, organization string, body UpdateRetentionRequest) (*Retention, *Response, error) {
	return one[Retention](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/retention", values: []string{organization}, body: body})
}

// ReverbClient calls what can be done with reverb.
type ReverbClient struct{ c *Client }

// Switch Reverb off. It begins work, which Response.Wait waits for.
//
// Removes its background process and its line in the deploy script.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb
func (n ReverbClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb", values: []string{organization, string(server), string(site)}}, nil)
}

// Switch Reverb on. It begins work, which Response.Wait waits for.
//
// Adds a background process to the site, and a line to the deploy script that restarts it. 400 if the site's
// composer.lock does not contain the package. Previous settings are replaced.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb
func (n ReverbClient) Enable(ctx context.Context, organization string, server ID, site ID, body EnableReverbRequest) (*ReverbIntegration, *Response, error) {
	return one[ReverbIntegration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb", values: []string{organization, string(server), string(site)}, body: body})
}

// Get a site's Reverb.
//
// Queries the server for what is installed; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb
func (n ReverbClient) Get(ctx context.Context, organization string, server ID, site ID) (*ReverbIntegration, *Response, error) {
	return one[ReverbIntegration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb", values: []string{organization, string(server), string(site)}})
}

// RolePermissionsClient calls what can be done with role permissions.
type RolePermissionsClient struct{ c *Client }

// RolePermissionsListOptions are the parameters of RolePermissionsClient.List.
type RolePermissionsListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// The page size, 1 to 200.
	PageSize int64
}

func (o *RolePermissionsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the permissions of a custom role. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/roles/{role}/permissions
func (n RolePermissionsClient) List(ctx context.Context, organization string, role ID, o *RolePermissionsListOptions) iter.Seq2[*PermissionResource, error] {
	return each(n.ListPages(ctx, organization, role, o))
}

// ListPages is List by pages, with what is included in each.
func (n RolePermissionsClient) ListPages(ctx context.Context, organization string, role ID, o *RolePermissionsListOptions) iter.Seq2[*Page[PermissionResource], error] {
	return pages[PermissionResource](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/roles/{role}/permissions", values: []string{organization, string(role)}, query: o.query()})
}

// RolesClient calls what can be done with roles.
type RolesClient struct{ c *Client }

// Create a custom role.
//
// A role can't have permissions that its creator lacks. Every role has organization:view and user:view.
//
// POST /orgs/{organization}/roles
func (n RolesClient) Create(ctx context.Context, organization string, body CreateRoleRequest) (*CustomRole, *Response, error) {
	return one[CustomRole](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/roles", values: []string{organization}, body: body})
}

// Delete a custom role.
//
// Refused while members have the role.
//
// DELETE /orgs/{organization}/roles/{role}
func (n RolesClient) Delete(ctx context.Context, organization string, role ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/roles/{role}", values: []string{organization, string(role)}}, nil)
}

// RolesListOptions are the parameters of RolesClient.List.
type RolesListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this permissions name. Commas separate alternatives.
	PermissionsName string
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []RolesListInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *RolesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[permissions.name]", o.PermissionsName)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List custom roles. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/roles
func (n RolesClient) List(ctx context.Context, organization string, o *RolesListOptions) iter.Seq2[*CustomRole, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n RolesClient) ListPages(ctx context.Context, organization string, o *RolesListOptions) iter.Seq2[*Page[CustomRole], error] {
	return pages[CustomRole](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/roles", values: []string{organization}, query: o.query()})
}

// RolesGetOptions are the parameters of RolesClient.Get.
type RolesGetOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []RolesListInclude
}

func (o *RolesGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	return q
}

// Get a custom role.
//
// GET /orgs/{organization}/roles/{role}
func (n RolesClient) Get(ctx context.Context, organization string, role ID, o *RolesGetOptions) (*CustomRole, *Response, error) {
	return one[CustomRole](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/roles/{role}", values: []string{organization, string(role)}, query: o.query()})
}

// Update a custom role.
//
// The change applies to members with the role from their next request on.
//
// PUT /orgs/{organization}/roles/{role}
func (n RolesClient) Update(ctx context.Context, organization string, role ID, body UpdateRoleRequest) (*CustomRole, *Response, error) {
	return one[CustomRole](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/roles/{role}", values: []string{organization, string(role)}, body: body})
}

// ScheduledJobsClient calls what can be done with scheduled jobs.
type ScheduledJobsClient struct{ c *Client }

// Create a scheduled job. It begins work, which Response.Wait waits for.
//
// The output of the job's last run is stored.
//
// POST /orgs/{organization}/servers/{server}/scheduled-jobs
func (n ScheduledJobsClient) Create(ctx context.Context, organization string, server ID, body CreateScheduledJobRequest) (*Job, *Response, error) {
	return one[Job](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/scheduled-jobs", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n ScheduledJobsClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateScheduledJobRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/scheduled-jobs", values: []string{organization, string(server)}, body: body})
}

// Delete a scheduled job. It begins work, which Response.Wait waits for.
//
// 409 if it belongs to an integration.
//
// DELETE /orgs/{organization}/servers/{server}/scheduled-jobs/{job}
func (n ScheduledJobsClient) Delete(ctx context.Context, organization string, server ID, job ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/scheduled-jobs/{job}", values: []string{organization, string(server), string(job)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n ScheduledJobsClient) PlanDelete(ctx context.Context, organization string, server ID, job ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/scheduled-jobs/{job}", values: []string{organization, string(server), string(job)}})
}

// ScheduledJobsListOptions are the parameters of ScheduledJobsClient.List.
type ScheduledJobsListOptions struct {
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries with this user. Commas separate alternatives.
	User string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []CommandsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ScheduledJobsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[user]", o.User)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List scheduled jobs. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/scheduled-jobs
func (n ScheduledJobsClient) List(ctx context.Context, organization string, server ID, o *ScheduledJobsListOptions) iter.Seq2[*Job, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n ScheduledJobsClient) ListPages(ctx context.Context, organization string, server ID, o *ScheduledJobsListOptions) iter.Seq2[*Page[Job], error] {
	return pages[Job](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/scheduled-jobs", values: []string{organization, string(server)}, query: o.query()})
}

// Get the output of a scheduled job's last run.
//
// Read from the server; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/scheduled-jobs/{job}/output
func (n ScheduledJobsClient) Output(ctx context.Context, organization string, server ID, job ID) (*JobOutput, *Response, error) {
	return one[JobOutput](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/scheduled-jobs/{job}/output", values: []string{organization, string(server), string(job)}})
}

// Get a scheduled job.
//
// GET /orgs/{organization}/servers/{server}/scheduled-jobs/{job}
func (n ScheduledJobsClient) Get(ctx context.Context, organization string, server ID, job ID) (*Job, *Response, error) {
	return one[Job](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/scheduled-jobs/{job}", values: []string{organization, string(server), string(job)}})
}

// Update a scheduled job. It begins work, which Response.Wait waits for.
//
// Omitted fields are unchanged. A heartbeat that has the job's schedule gets the new one. 409 if the job belongs to an
// integration.
//
// PUT /orgs/{organization}/servers/{server}/scheduled-jobs/{job}
func (n ScheduledJobsClient) Update(ctx context.Context, organization string, server ID, job ID, body UpdateScheduledJobRequest) (*Job, *Response, error) {
	return one[Job](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/scheduled-jobs/{job}", values: []string{organization, string(server), string(job)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n ScheduledJobsClient) PlanUpdate(ctx context.Context, organization string, server ID, job ID, body UpdateScheduledJobRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/scheduled-jobs/{job}", values: []string{organization, string(server), string(job)}, body: body})
}

// SchedulerClient calls what can be done with scheduler.
type SchedulerClient struct{ c *Client }

// Switch a site's scheduler off. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler
func (n SchedulerClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler", values: []string{organization, string(server), string(site)}}, nil)
}

// Switch a site's scheduler on. It begins work, which Response.Wait waits for.
//
// Adds a scheduled job that runs every minute. 400 if the site's composer.lock does not contain Laravel.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler
func (n SchedulerClient) Enable(ctx context.Context, organization string, server ID, site ID) (*LaravelSchedulerIntegration, *Response, error) {
	return one[LaravelSchedulerIntegration](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler", values: []string{organization, string(server), string(site)}})
}

// Get a site's scheduler.
//
// Queries the server for what is installed; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler
func (n SchedulerClient) Get(ctx context.Context, organization string, server ID, site ID) (*LaravelSchedulerIntegration, *Response, error) {
	return one[LaravelSchedulerIntegration](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler", values: []string{organization, string(server), string(site)}})
}

// SecurityRulesClient calls what can be done with security rules.
type SecurityRulesClient struct{ c *Client }

// Create a security rule. It begins work, which Response.Wait waits for.
//
// Visitors are asked for a name and a password. If several rules match, the one with the longest path applies.
// Passwords are stored only as bcrypt hashes.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/security-rules
func (n SecurityRulesClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateSecurityRuleRequest) (*SecurityRule, *Response, error) {
	return one[SecurityRule](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n SecurityRulesClient) PlanCreate(ctx context.Context, organization string, server ID, site ID, body CreateSecurityRuleRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a security rule. It begins work, which Response.Wait waits for.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}
func (n SecurityRulesClient) Delete(ctx context.Context, organization string, server ID, site ID, securityRule ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}", values: []string{organization, string(server), string(site), string(securityRule)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n SecurityRulesClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, securityRule ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}", values: []string{organization, string(server), string(site), string(securityRule)}})
}

// SecurityRulesListOptions are the parameters of SecurityRulesClient.List.
type SecurityRulesListOptions struct {
	// Limits the list to entries whose path contains this text, ignoring case. Commas separate alternatives.
	Path string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SecurityRulesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SecurityRulesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[path]", o.Path)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List security rules. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/security-rules
func (n SecurityRulesClient) List(ctx context.Context, organization string, server ID, site ID, o *SecurityRulesListOptions) iter.Seq2[*SecurityRule, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n SecurityRulesClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *SecurityRulesListOptions) iter.Seq2[*Page[SecurityRule], error] {
	return pages[SecurityRule](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get a security rule.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}
func (n SecurityRulesClient) Get(ctx context.Context, organization string, server ID, site ID, securityRule ID) (*SecurityRule, *Response, error) {
	return one[SecurityRule](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}", values: []string{organization, string(server), string(site), string(securityRule)}})
}

// Update a security rule. It begins work, which Response.Wait waits for.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}
func (n SecurityRulesClient) Update(ctx context.Context, organization string, server ID, site ID, securityRule ID, body UpdateSecurityRuleRequest) (*SecurityRule, *Response, error) {
	return one[SecurityRule](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}", values: []string{organization, string(server), string(site), string(securityRule)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n SecurityRulesClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, securityRule ID, body UpdateSecurityRuleRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}", values: []string{organization, string(server), string(site), string(securityRule)}, body: body})
}

// ServerDeploymentsClient calls what can be done with server deployments.
type ServerDeploymentsClient struct{ c *Client }

// ServerDeploymentsListOptions are the parameters of ServerDeploymentsClient.List.
type ServerDeploymentsListOptions struct {
	// Limits the list to entries with this commit hash. Commas separate alternatives.
	CommitHash string
	// Limits the list to entries whose commit message contains this text, ignoring case. Commas separate alternatives.
	CommitMessage string
	// Limits the list to entries whose commit author contains this text, ignoring case. Commas separate alternatives.
	CommitAuthor string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []EventsListInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ServerDeploymentsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[commit_hash]", o.CommitHash)
	parameter(q, "filter[commit_message]", o.CommitMessage)
	parameter(q, "filter[commit_author]", o.CommitAuthor)
	parameter(q, "sort", o.Sort)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List deployments of a server. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/deployments
func (n ServerDeploymentsClient) List(ctx context.Context, organization string, server ID, o *ServerDeploymentsListOptions) iter.Seq2[*Deployment, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n ServerDeploymentsClient) ListPages(ctx context.Context, organization string, server ID, o *ServerDeploymentsListOptions) iter.Seq2[*Page[Deployment], error] {
	return pages[Deployment](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/deployments", values: []string{organization, string(server)}, query: o.query()})
}

// ServerKeyClient calls what can be done with server key.
type ServerKeyClient struct{ c *Client }

// Get the server's key.
//
// Returns the public half of the key with which Hostler logs in.
//
// GET /orgs/{organization}/servers/{server}/key
func (n ServerKeyClient) Get(ctx context.Context, organization string, server ID) (*ServerKey, *Response, error) {
	return one[ServerKey](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/key", values: []string{organization, string(server)}})
}

// Replace the server's key.
//
// Generates a new key. On a server that is set up, the new key replaces the old one once it has been tested; until then
// the old key works. If the server is waiting for its setup command, meta.bootstrap contains a new command, shown once,
// and the old command is invalid.
//
// PUT /orgs/{organization}/servers/{server}/key
func (n ServerKeyClient) Update(ctx context.Context, organization string, server ID) (*ServerKey, *Response, error) {
	return one[ServerKey](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/key", values: []string{organization, string(server)}})
}

// ServerLogsClient calls what can be done with server logs.
type ServerLogsClient struct{ c *Client }

// Empty a log of a server. It begins work, which Response.Wait waits for.
//
// 409 for logs in the system's journal.
//
// DELETE /orgs/{organization}/servers/{server}/logs/{key}
func (n ServerLogsClient) Clear(ctx context.Context, organization string, server ID, key string) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/logs/{key}", values: []string{organization, string(server), key}}, nil)
}

// PlanClear returns what Clear would do, and changes nothing.
func (n ServerLogsClient) PlanClear(ctx context.Context, organization string, server ID, key string) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/logs/{key}", values: []string{organization, string(server), key}})
}

// ServerLogsGetOptions are the parameters of ServerLogsClient.Get.
type ServerLogsGetOptions struct {
	// The maximum number of lines, 1 to 5000; default 500.
	Lines int64
	// Only lines that contain this text, ignoring case.
	Search string
	// Only lines before this offset. Pass meta.log.start of a page to get the previous page.
	Before int64
}

func (o *ServerLogsGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "lines", o.Lines)
	parameter(q, "search", o.Search)
	parameter(q, "before", o.Before)
	return q
}

// Get a log of a server.
//
// Returns the newest lines, oldest first, read from the server. 409 while the server is not set up or can't be reached.
// The keys are nginx-access, nginx-error, nginx, redis, meilisearch, database, auth, system, packages, upgrades, and
// php84 or the like.
//
// GET /orgs/{organization}/servers/{server}/logs/{key}
func (n ServerLogsClient) Get(ctx context.Context, organization string, server ID, key string, o *ServerLogsGetOptions) (*ServerLog, *Response, error) {
	return one[ServerLog](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/logs/{key}", values: []string{organization, string(server), key}, query: o.query()})
}

// ServerMetricsClient calls what can be done with server metrics.
type ServerMetricsClient struct{ c *Client }

// ServerMetricsFleetOptions are the parameters of ServerMetricsClient.Fleet.
type ServerMetricsFleetOptions struct {
	// 1h, 24h (the default), 7d or 30d, with steps of 2 minutes, 30 minutes, 4 hours and 12 hours.
	Range string
}

func (o *ServerMetricsFleetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "range", o.Range)
	return q
}

// Get the metrics of all servers.
//
// Covers the servers that the caller can see and that are not archived, limited to the first 1000 added.
//
// GET /orgs/{organization}/servers/metrics
func (n ServerMetricsClient) Fleet(ctx context.Context, organization string, o *ServerMetricsFleetOptions) (*FleetMetric, *Response, error) {
	return one[FleetMetric](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/metrics", values: []string{organization}, query: o.query()})
}

// ServerMetricsGetOptions are the parameters of ServerMetricsClient.Get.
type ServerMetricsGetOptions struct {
	// 1h, 24h (the default), 7d or 30d, with steps of 1, 5, 30 and 120 minutes.
	Range string
}

func (o *ServerMetricsGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "range", o.Range)
	return q
}

// Get the metrics of a server.
//
// The server measures every minute, whether or not Hostler can reach it, and keeps measurements for a week until
// Hostler reads them.
//
// GET /orgs/{organization}/servers/{server}/metrics
func (n ServerMetricsClient) Get(ctx context.Context, organization string, server ID, o *ServerMetricsGetOptions) (*Metric, *Response, error) {
	return one[Metric](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/metrics", values: []string{organization, string(server)}, query: o.query()})
}

// ServerSSHKeysClient calls what can be done with server ssh keys.
type ServerSSHKeysClient struct{ c *Client }

// Add an SSH key. It begins work, which Response.Wait waits for.
//
// The owner of the private key can log in to the account. Also requires organization:manage if options is given.
//
// POST /orgs/{organization}/servers/{server}/ssh-keys
func (n ServerSSHKeysClient) Create(ctx context.Context, organization string, server ID, body CreateSSHKeyRequest) (*Key, *Response, error) {
	return one[Key](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/ssh-keys", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n ServerSSHKeysClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateSSHKeyRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/ssh-keys", values: []string{organization, string(server)}, body: body})
}

// ServerSSHKeysDeleteOptions are the parameters of ServerSSHKeysClient.Delete.
type ServerSSHKeysDeleteOptions struct {
	// Close the sessions opened with the key, and end the programs that run in them.
	CloseSessions bool
}

func (o *ServerSSHKeysDeleteOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "close_sessions", o.CloseSessions)
	return q
}

// Remove an SSH key. It begins work, which Response.Wait waits for.
//
// Removes all lines of the account that contain the key. Open sessions stay open unless close_sessions is true.
//
// DELETE /orgs/{organization}/servers/{server}/ssh-keys/{key}
func (n ServerSSHKeysClient) Delete(ctx context.Context, organization string, server ID, key ID, o *ServerSSHKeysDeleteOptions) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/ssh-keys/{key}", values: []string{organization, string(server), string(key)}, query: o.query()}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n ServerSSHKeysClient) PlanDelete(ctx context.Context, organization string, server ID, key ID, o *ServerSSHKeysDeleteOptions) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/ssh-keys/{key}", values: []string{organization, string(server), string(key)}, query: o.query()})
}

// ServerSSHKeysListOptions are the parameters of ServerSSHKeysClient.List.
type ServerSSHKeysListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this user. Commas separate alternatives.
	User string
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ServerSSHKeysListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[user]", o.User)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List SSH keys. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/ssh-keys
func (n ServerSSHKeysClient) List(ctx context.Context, organization string, server ID, o *ServerSSHKeysListOptions) iter.Seq2[*Key, error] {
	return each(n.ListPages(ctx, organization, server, o))
}

// ListPages is List by pages, with what is included in each.
func (n ServerSSHKeysClient) ListPages(ctx context.Context, organization string, server ID, o *ServerSSHKeysListOptions) iter.Seq2[*Page[Key], error] {
	return pages[Key](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/ssh-keys", values: []string{organization, string(server)}, query: o.query()})
}

// Get an SSH key.
//
// GET /orgs/{organization}/servers/{server}/ssh-keys/{key}
func (n ServerSSHKeysClient) Get(ctx context.Context, organization string, server ID, key ID) (*Key, *Response, error) {
	return one[Key](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/ssh-keys/{key}", values: []string{organization, string(server), string(key)}})
}

// ServersClient calls what can be done with servers.
type ServersClient struct{ c *Client }

// Reboot or power-cycle a server. It begins work, which Response.Wait waits for.
//
// The operation succeeds once the server answers again with a different boot id. Like any reboot, it ends running work
// on the server. A power-cycle is performed by the provider, for a server that does not respond.
//
// POST /orgs/{organization}/servers/{server}/actions
func (n ServersClient) Act(ctx context.Context, organization string, server ID, body ServerActionRequest) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/actions", values: []string{organization, string(server)}, body: body})
}

// PlanAct returns what Act would do, and changes nothing.
func (n ServersClient) PlanAct(ctx context.Context, organization string, server ID, body ServerActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/actions", values: []string{organization, string(server)}, body: body})
}

// Archive a server. It begins work, which Response.Wait waits for.
//
// Removes Hostler's keys from the server, unless it can't be reached, and destroys the private key. The server keeps
// running, and its records are kept. Its pending operations are cancelled, it leaves the networks of its peers, and
// there are no backups, renewals or alarms for it until it is reconnected.
//
// POST /orgs/{organization}/servers/archives
func (n ServersClient) Archive(ctx context.Context, organization string, body ArchiveRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/archives", values: []string{organization}, body: body}, nil)
}

// ServersCreateOptions are the parameters of ServersClient.Create.
type ServersCreateOptions struct {
	// Accept an address and SSH port of another server of the organization. Only one of the two can be set up.
	Force bool
}

func (o *ServersCreateOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "force", o.Force)
	return q
}

// Create a server. It begins work, which Response.Wait waits for.
//
// For the provider custom, meta.bootstrap contains the setup command to run on the server as root. At any other
// provider, the server is ordered with a credential, and destroyed if it does not call Hostler within half an hour.
// meta.shown_once contains the password of the database account forge. Secrets are shown once.
//
// POST /orgs/{organization}/servers
func (n ServersClient) Create(ctx context.Context, organization string, body CreateServerRequest, o *ServersCreateOptions) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers", values: []string{organization}, body: body, query: o.query()})
}

// ServersDeleteOptions are the parameters of ServersClient.Delete.
type ServersDeleteOptions struct {
	// Keep the server at its provider. A custom server is always kept.
	PreserveAtProvider bool
}

func (o *ServersDeleteOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "preserve_at_provider", o.PreserveAtProvider)
	return q
}

// Delete a server. It begins work, which Response.Wait waits for.
//
// A server at a provider is destroyed there with everything on it, unless it is preserved, and its record is removed
// once the provider no longer has it. Hostler's keys and agent are removed from a custom or preserved server, unless it
// can't be reached; its sites and their data stay on it.
//
// DELETE /orgs/{organization}/servers/{server}
func (n ServersClient) Delete(ctx context.Context, organization string, server ID, o *ServersDeleteOptions) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}", values: []string{organization, string(server)}, query: o.query()}, nil)
}

// ServersListOptions are the parameters of ServersClient.List.
type ServersListOptions struct {
	// Limits the list to entries with this ip address. Commas separate alternatives.
	IPAddress string
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this region. Commas separate alternatives.
	Region string
	// Limits the list to entries with this size. Commas separate alternatives.
	Size string
	// Limits the list to entries with this provider. Commas separate alternatives.
	Provider string
	// Limits the list to entries with this ubuntu version. Commas separate alternatives.
	UbuntuVersion string
	// Limits the list to entries with this php version. Commas separate alternatives.
	PHPVersion string
	// Limits the list to entries with this database type. Commas separate alternatives.
	DatabaseType string
	// The name of a tag.
	Tag string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []ServersListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ServersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[ip_address]", o.IPAddress)
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[region]", o.Region)
	parameter(q, "filter[size]", o.Size)
	parameter(q, "filter[provider]", o.Provider)
	parameter(q, "filter[ubuntu_version]", o.UbuntuVersion)
	parameter(q, "filter[php_version]", o.PHPVersion)
	parameter(q, "filter[database_type]", o.DatabaseType)
	parameter(q, "filter[tag]", o.Tag)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List servers. Pages are asked for as they are needed.
//
// Archived servers are listed separately.
//
// GET /orgs/{organization}/servers
func (n ServersClient) List(ctx context.Context, organization string, o *ServersListOptions) iter.Seq2[*Server, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n ServersClient) ListPages(ctx context.Context, organization string, o *ServersListOptions) iter.Seq2[*Page[Server], error] {
	return pages[Server](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers", values: []string{organization}, query: o.query()})
}

// Repair a server. It begins work, which Response.Wait waits for.
//
// Applies everything recorded for the server again: files, units, accounts, packages, rights of database users. With
// dry_run=true the server is compared, and the plan shows what would change. Missing databases, database users and data
// directories are never replaced by empty ones: they are reported, as are manual changes to the nginx configuration.
//
// POST /orgs/{organization}/servers/{server}/repairs
func (n ServersClient) Repair(ctx context.Context, organization string, server ID) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/repairs", values: []string{organization, string(server)}})
}

// PlanRepair returns what Repair would do, and changes nothing.
func (n ServersClient) PlanRepair(ctx context.Context, organization string, server ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/repairs", values: []string{organization, string(server)}})
}

// Generate a new setup command for a server.
//
// meta.bootstrap contains the setup command to run on the server as root. It is shown once and valid for a week. A new
// command invalidates the old one.
//
// POST /orgs/{organization}/servers/{server}/line
func (n ServersClient) SetupCommand(ctx context.Context, organization string, server ID) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/line", values: []string{organization, string(server)}})
}

// Get a server.
//
// GET /orgs/{organization}/servers/{server}
func (n ServersClient) Get(ctx context.Context, organization string, server ID) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}", values: []string{organization, string(server)}})
}

// Transfer a server to another organization.
//
// The server and everything on it belong to the other organization when it is answered, with their history. Nothing
// changes on the server, and its sites are served meanwhile. It is refused while work on the server is open, and while
// other servers depend on it. Repeated, with an Idempotency-Key or not, it is answered 404: the server is now at its
// Location. Also requires server:create in the other organization.
//
// POST /orgs/{organization}/servers/{server}/transfer
func (n ServersClient) Transfer(ctx context.Context, organization string, server ID, body TransferRequest) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/transfer", values: []string{organization, string(server)}, body: body})
}

// ServersTransferPreviewOptions are the parameters of ServersClient.TransferPreview.
type ServersTransferPreviewOptions struct {
	// The slug of an organization in which you can create servers. If omitted, no organization is checked.
	To string
}

func (o *ServersTransferPreviewOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "to", o.To)
	return q
}

// Preview the transfer of a server.
//
// Lists what would be transferred, what would not, and what prevents the transfer, without changing anything. Also
// requires server:create in the other organization.
//
// GET /orgs/{organization}/servers/{server}/transfer
func (n ServersClient) TransferPreview(ctx context.Context, organization string, server ID, o *ServersTransferPreviewOptions) (*Transfer, *Response, error) {
	return one[Transfer](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/transfer", values: []string{organization, string(server)}, query: o.query()})
}

// ServersUpdateOptions are the parameters of ServersClient.Update.
type ServersUpdateOptions struct {
	// Accept an address and SSH port of another server of the organization. Only one of the two can be set up.
	Force bool
}

func (o *ServersUpdateOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "force", o.Force)
	return q
}

// Update a server.
//
// PUT /orgs/{organization}/servers/{server}
func (n ServersClient) Update(ctx context.Context, organization string, server ID, body UpdateServerRequest, o *ServersUpdateOptions) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}", values: []string{organization, string(server)}, body: body, query: o.query()})
}

// Upgrade the packages of a server. It begins work, which Response.Wait waits for.
//
// Installs the newest versions in the server's package sources, except for packages on hold. Packages restart their own
// services. The server is rebooted only on request.
//
// POST /orgs/{organization}/servers/{server}/upgrades
func (n ServersClient) Upgrade(ctx context.Context, organization string, server ID, body UpgradeRequest) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/upgrades", values: []string{organization, string(server)}, body: body})
}

// PlanUpgrade returns what Upgrade would do, and changes nothing.
func (n ServersClient) PlanUpgrade(ctx context.Context, organization string, server ID, body UpgradeRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/upgrades", values: []string{organization, string(server)}, body: body})
}

// ServicesClient calls what can be done with services.
type ServicesClient struct{ c *Client }

// List services of a server.
//
// Queries the server; 409 while it is not set up or can't be reached.
//
// GET /orgs/{organization}/servers/{server}/services
func (n ServicesClient) List(ctx context.Context, organization string, server ID) ([]*Service, *Response, error) {
	return several[Service](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/services", values: []string{organization, string(server)}})
}

// Restart or stop MariaDB or MySQL. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/servers/{server}/services/mysql/actions
func (n ServicesClient) Mysql(ctx context.Context, organization string, server ID, body MysqlServiceActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/mysql/actions", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanMysql returns what Mysql would do, and changes nothing.
func (n ServicesClient) PlanMysql(ctx context.Context, organization string, server ID, body MysqlServiceActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/mysql/actions", values: []string{organization, string(server)}, body: body})
}

// Restart or stop nginx. It begins work, which Response.Wait waits for.
//
// If the configuration is invalid, nginx keeps running.
//
// POST /orgs/{organization}/servers/{server}/services/nginx/actions
func (n ServicesClient) Nginx(ctx context.Context, organization string, server ID, body NginxServiceActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/nginx/actions", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanNginx returns what Nginx would do, and changes nothing.
func (n ServicesClient) PlanNginx(ctx context.Context, organization string, server ID, body NginxServiceActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/nginx/actions", values: []string{organization, string(server)}, body: body})
}

// Restart or reload PHP. It begins work, which Response.Wait waits for.
//
// Affects all PHP-FPM master processes of the version, including those of isolated sites. If one of their
// configurations is invalid, all keep running.
//
// POST /orgs/{organization}/servers/{server}/services/php/actions
func (n ServicesClient) PHP(ctx context.Context, organization string, server ID, body PhpServiceActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/php/actions", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanPHP returns what PHP would do, and changes nothing.
func (n ServicesClient) PlanPHP(ctx context.Context, organization string, server ID, body PhpServiceActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/php/actions", values: []string{organization, string(server)}, body: body})
}

// Restart or stop PostgreSQL. It begins work, which Response.Wait waits for.
//
// POST /orgs/{organization}/servers/{server}/services/postgres/actions
func (n ServicesClient) Postgres(ctx context.Context, organization string, server ID, body PostgresServiceActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/postgres/actions", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanPostgres returns what Postgres would do, and changes nothing.
func (n ServicesClient) PlanPostgres(ctx context.Context, organization string, server ID, body PostgresServiceActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/postgres/actions", values: []string{organization, string(server)}, body: body})
}

// Restart Redis. It begins work, which Response.Wait waits for.
//
// Affects the instance of Redis or Valkey, whichever the server has, of the account forge. Isolated accounts have their
// own.
//
// POST /orgs/{organization}/servers/{server}/services/redis/actions
func (n ServicesClient) Redis(ctx context.Context, organization string, server ID, body RedisServiceActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/redis/actions", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanRedis returns what Redis would do, and changes nothing.
func (n ServicesClient) PlanRedis(ctx context.Context, organization string, server ID, body RedisServiceActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/redis/actions", values: []string{organization, string(server)}, body: body})
}

// Restart background processes. It begins work, which Response.Wait waits for.
//
// Affects all processes of the server and its sites, except for stopped ones. Each is given its own time to stop.
//
// POST /orgs/{organization}/servers/{server}/services/supervisor/actions
func (n ServicesClient) Supervisor(ctx context.Context, organization string, server ID, body SupervisorServiceActionRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/supervisor/actions", values: []string{organization, string(server)}, body: body}, nil)
}

// PlanSupervisor returns what Supervisor would do, and changes nothing.
func (n ServicesClient) PlanSupervisor(ctx context.Context, organization string, server ID, body SupervisorServiceActionRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/services/supervisor/actions", values: []string{organization, string(server)}, body: body})
}

// SftpUsersClient calls what can be done with sftp users.
type SftpUsersClient struct{ c *Client }

// Create an SFTP user. It begins work, which Response.Wait waits for.
//
// The owner of a private key can read and write the files of the site over SFTP, as the site's account, and nothing
// else of the server: there is no shell, no forwarding and no password. What a site serves and runs is among its files.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/sftp-users
func (n SftpUsersClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateSFTPUserRequest) (*SFTPUser, *Response, error) {
	return one[SFTPUser](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n SftpUsersClient) PlanCreate(ctx context.Context, organization string, server ID, site ID, body CreateSFTPUserRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete an SFTP user. It begins work, which Response.Wait waits for.
//
// Open sessions are closed. The files of the site stay.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}
func (n SftpUsersClient) Delete(ctx context.Context, organization string, server ID, site ID, sftpUser ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}", values: []string{organization, string(server), string(site), string(sftpUser)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n SftpUsersClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, sftpUser ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}", values: []string{organization, string(server), string(site), string(sftpUser)}})
}

// SftpUsersListOptions are the parameters of SftpUsersClient.List.
type SftpUsersListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SitesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SftpUsersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[status]", o.Status)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List SFTP users. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/sftp-users
func (n SftpUsersClient) List(ctx context.Context, organization string, server ID, site ID, o *SftpUsersListOptions) iter.Seq2[*SFTPUser, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n SftpUsersClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *SftpUsersListOptions) iter.Seq2[*Page[SFTPUser], error] {
	return pages[SFTPUser](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get an SFTP user.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}
func (n SftpUsersClient) Get(ctx context.Context, organization string, server ID, site ID, sftpUser ID) (*SFTPUser, *Response, error) {
	return one[SFTPUser](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}", values: []string{organization, string(server), string(site), string(sftpUser)}})
}

// Update an SFTP user. It begins work, which Response.Wait waits for.
//
// Open sessions are closed if a key is removed or the last day is earlier than before.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}
func (n SftpUsersClient) Update(ctx context.Context, organization string, server ID, site ID, sftpUser ID, body UpdateSFTPUserRequest) (*SFTPUser, *Response, error) {
	return one[SFTPUser](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}", values: []string{organization, string(server), string(site), string(sftpUser)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n SftpUsersClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, sftpUser ID, body UpdateSFTPUserRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}", values: []string{organization, string(server), string(site), string(sftpUser)}, body: body})
}

// ShippedRecipeRunsClient calls what can be done with shipped recipe runs.
type ShippedRecipeRunsClient struct{ c *Client }

// ShippedRecipeRunsListOptions are the parameters of ShippedRecipeRunsClient.List.
type ShippedRecipeRunsListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ShippedRecipeRunsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List runs of a built-in recipe. Pages are asked for as they are needed.
//
// Lists the runs on servers of all organizations that the caller can see.
//
// GET /forge-recipes/{forgeRecipe}/runs
func (n ShippedRecipeRunsClient) List(ctx context.Context, forgeRecipe ID, o *ShippedRecipeRunsListOptions) iter.Seq2[*RecipeLog, error] {
	return each(n.ListPages(ctx, forgeRecipe, o))
}

// ListPages is List by pages, with what is included in each.
func (n ShippedRecipeRunsClient) ListPages(ctx context.Context, forgeRecipe ID, o *ShippedRecipeRunsListOptions) iter.Seq2[*Page[RecipeLog], error] {
	return pages[RecipeLog](ctx, n.c, request{method: "GET", path: "/forge-recipes/{forgeRecipe}/runs", values: []string{string(forgeRecipe)}, query: o.query()})
}

// Get a run of a built-in recipe.
//
// GET /forge-recipes/{forgeRecipe}/runs/{log}
func (n ShippedRecipeRunsClient) Get(ctx context.Context, forgeRecipe ID, log ID) (*RecipeLog, *Response, error) {
	return one[RecipeLog](ctx, n.c, request{method: "GET", path: "/forge-recipes/{forgeRecipe}/runs/{log}", values: []string{string(forgeRecipe), string(log)}})
}

// ShippedRecipesClient calls what can be done with shipped recipes.
type ShippedRecipesClient struct{ c *Client }

// ShippedRecipesListOptions are the parameters of ShippedRecipesClient.List.
type ShippedRecipesListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *ShippedRecipesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List built-in recipes. Pages are asked for as they are needed.
//
// GET /forge-recipes
func (n ShippedRecipesClient) List(ctx context.Context, o *ShippedRecipesListOptions) iter.Seq2[*ForgeRecipe, error] {
	return each(n.ListPages(ctx, o))
}

// ListPages is List by pages, with what is included in each.
func (n ShippedRecipesClient) ListPages(ctx context.Context, o *ShippedRecipesListOptions) iter.Seq2[*Page[ForgeRecipe], error] {
	return pages[ForgeRecipe](ctx, n.c, request{method: "GET", path: "/forge-recipes", query: o.query()})
}

// Run a built-in recipe on servers. It begins work, which Response.Wait waits for.
//
// Runs on servers of any of the caller's organizations, for at most half an hour on each, in parallel with other work.
// The recipe is never run twice. X-Hostler-Event is the event of the run on the first server.
//
// POST /forge-recipes/{forgeRecipe}/runs
func (n ShippedRecipesClient) Run(ctx context.Context, forgeRecipe ID, body RunRecipeRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/forge-recipes/{forgeRecipe}/runs", values: []string{string(forgeRecipe)}, body: body}, nil)
}

// Get a built-in recipe.
//
// GET /forge-recipes/{forgeRecipe}
func (n ShippedRecipesClient) Get(ctx context.Context, forgeRecipe ID) (*ForgeRecipe, *Response, error) {
	return one[ForgeRecipe](ctx, n.c, request{method: "GET", path: "/forge-recipes/{forgeRecipe}", values: []string{string(forgeRecipe)}})
}

// SiteCertificatesClient calls what can be done with site certificates.
type SiteCertificatesClient struct{ c *Client }

// List the certificates of a site.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/certificates
func (n SiteCertificatesClient) List(ctx context.Context, organization string, server ID, site ID) ([]*Certificate, *Response, error) {
	return several[Certificate](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/certificates", values: []string{organization, string(server), string(site)}})
}

// SiteMetricsClient calls what can be done with site metrics.
type SiteMetricsClient struct{ c *Client }

// SiteMetricsGetOptions are the parameters of SiteMetricsClient.Get.
type SiteMetricsGetOptions struct {
	// 1h, 24h (the default), 7d or 30d, with steps of 1, 5, 30 and 120 minutes.
	Range string
}

func (o *SiteMetricsGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "range", o.Range)
	return q
}

// Get the metrics of a site.
//
// Returns requests and errors, which are counted every minute in the site's access log on its server, whether or not
// Hostler can reach it; of a site with limits also what it used, as far as the server's kernel counts that.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/metrics
func (n SiteMetricsClient) Get(ctx context.Context, organization string, server ID, site ID, o *SiteMetricsGetOptions) (*SiteMetric, *Response, error) {
	return one[SiteMetric](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/metrics", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// SiteNginxClient calls what can be done with site nginx.
type SiteNginxClient struct{ c *Client }

// SiteNginxGetOptions are the parameters of SiteNginxClient.Get.
type SiteNginxGetOptions struct {
	// Compare with the server.
	Drift bool
}

func (o *SiteNginxGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "drift", o.Drift)
	return q
}

// Get the nginx configuration of a site's primary domain.
//
// With drift=true the server is queried, and meta.nginx.drift shows manual changes there, or meta.nginx.problem says
// why they can't be determined. Manual changes are never overwritten.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/nginx
func (n SiteNginxClient) Get(ctx context.Context, organization string, server ID, site ID, o *SiteNginxGetOptions) (*NginxConfig, *Response, error) {
	return one[NginxConfig](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/nginx", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Write the nginx configuration of a site's primary domain. It begins work, which Response.Wait waits for.
//
// The configuration is restricted to the site's own logs, directories, sockets, ports and names; any line beyond that
// is rejected. It is stored in Hostler's layout, checked on the server before it takes effect, and rolled back if nginx
// rejects it. Later changes by Hostler are merged into it, unless both changed the same lines.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/nginx
func (n SiteNginxClient) Update(ctx context.Context, organization string, server ID, site ID, body UpdateNginxConfigurationRequest) (*Response, error) {
	return send(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/nginx", values: []string{organization, string(server), string(site)}, body: body}, nil)
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n SiteNginxClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, body UpdateNginxConfigurationRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/nginx", values: []string{organization, string(server), string(site)}, body: body})
}

// SiteScheduledJobsClient calls what can be done with site scheduled jobs.
type SiteScheduledJobsClient struct{ c *Client }

// Create a scheduled job. It begins work, which Response.Wait waits for.
//
// The output of the job's last run is stored.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs
func (n SiteScheduledJobsClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateScheduledJobRequest) (*Job, *Response, error) {
	return one[Job](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n SiteScheduledJobsClient) PlanCreate(ctx context.Context, organization string, server ID, site ID, body CreateScheduledJobRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a scheduled job. It begins work, which Response.Wait waits for.
//
// 409 if it belongs to an integration.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}
func (n SiteScheduledJobsClient) Delete(ctx context.Context, organization string, server ID, site ID, job ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}", values: []string{organization, string(server), string(site), string(job)}}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n SiteScheduledJobsClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, job ID) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}", values: []string{organization, string(server), string(site), string(job)}})
}

// SiteScheduledJobsListOptions are the parameters of SiteScheduledJobsClient.List.
type SiteScheduledJobsListOptions struct {
	// Limits the list to entries with this status. Commas separate alternatives.
	Status string
	// Limits the list to entries with this user. Commas separate alternatives.
	User string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []CommandsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SiteScheduledJobsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[status]", o.Status)
	parameter(q, "filter[user]", o.User)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List scheduled jobs. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs
func (n SiteScheduledJobsClient) List(ctx context.Context, organization string, server ID, site ID, o *SiteScheduledJobsListOptions) iter.Seq2[*Job, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n SiteScheduledJobsClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *SiteScheduledJobsListOptions) iter.Seq2[*Page[Job], error] {
	return pages[Job](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get the output of a scheduled job's last run.
//
// Read from the server; 409 while it can't be reached.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}/output
func (n SiteScheduledJobsClient) Output(ctx context.Context, organization string, server ID, site ID, job ID) (*JobOutput, *Response, error) {
	return one[JobOutput](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}/output", values: []string{organization, string(server), string(site), string(job)}})
}

// Get a scheduled job.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}
func (n SiteScheduledJobsClient) Get(ctx context.Context, organization string, server ID, site ID, job ID) (*Job, *Response, error) {
	return one[Job](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}", values: []string{organization, string(server), string(site), string(job)}})
}

// Update a scheduled job. It begins work, which Response.Wait waits for.
//
// Omitted fields are unchanged. A heartbeat that has the job's schedule gets the new one. 409 if the job belongs to an
// integration.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}
func (n SiteScheduledJobsClient) Update(ctx context.Context, organization string, server ID, site ID, job ID, body UpdateScheduledJobRequest) (*Job, *Response, error) {
	return one[Job](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}", values: []string{organization, string(server), string(site), string(job)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n SiteScheduledJobsClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, job ID, body UpdateScheduledJobRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}", values: []string{organization, string(server), string(site), string(job)}, body: body})
}

// SiteSourceControlClient calls what can be done with site source control.
type SiteSourceControlClient struct{ c *Client }

// Get the source control status of a site.
//
// Reports whether the provider has the site's deploy key and webhook, or why not. The state is null for a site without
// a connection.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/source-control
func (n SiteSourceControlClient) Get(ctx context.Context, organization string, server ID, site ID) (*SourceControl, *Response, error) {
	return one[SourceControl](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/source-control", values: []string{organization, string(server), string(site)}})
}

// Repeat the source control setup of a site. It begins work, which Response.Wait waits for.
//
// Adds the deploy key and the webhook again.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/source-control/synchronizations
func (n SiteSourceControlClient) Sync(ctx context.Context, organization string, server ID, site ID) (*SourceControl, *Response, error) {
	return one[SourceControl](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/source-control/synchronizations", values: []string{organization, string(server), string(site)}})
}

// SitesClient calls what can be done with sites.
type SitesClient struct{ c *Client }

// SitesAllOptions are the parameters of SitesClient.All.
type SitesAllOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// The name of a tag.
	Tag string
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []SitesAllInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SitesAllOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[tag]", o.Tag)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List sites of all organizations. Pages are asked for as they are needed.
//
// GET /sites
func (n SitesClient) All(ctx context.Context, o *SitesAllOptions) iter.Seq2[*Site, error] {
	return each(n.AllPages(ctx, o))
}

// AllPages is All by pages, with what is included in each.
func (n SitesClient) AllPages(ctx context.Context, o *SitesAllOptions) iter.Seq2[*Page[Site], error] {
	return pages[Site](ctx, n.c, request{method: "GET", path: "/sites", query: o.query()})
}

// Create a site. It begins work, which Response.Wait waits for.
//
// Also requires server:create-databases if database_id or database_user_id is given. Also requires
// server:manage-services if limits is given.
//
// POST /orgs/{organization}/servers/{server}/sites
func (n SitesClient) Create(ctx context.Context, organization string, server ID, body CreateSiteRequest) (*Site, *Response, error) {
	return one[Site](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites", values: []string{organization, string(server)}, body: body})
}

// PlanCreate returns what Create would do, and changes nothing.
func (n SitesClient) PlanCreate(ctx context.Context, organization string, server ID, body CreateSiteRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites", values: []string{organization, string(server)}, body: body})
}

// Create a site on a load balancer. It begins work, which Response.Wait waits for.
//
// Defaults: balancer_method round_robin, port 80, weight 1, backup and down false. Without balancing, the site responds
// with 503 until nodes are set. A node receives traffic once its server is set up.
//
// POST /orgs/{organization}/servers/{server}/sites/balancer
func (n SitesClient) CreateBalancer(ctx context.Context, organization string, server ID, body CreateLoadBalancerSiteRequest) (*Site, *Response, error) {
	return one[Site](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/balancer", values: []string{organization, string(server)}, body: body})
}

// PlanCreateBalancer returns what CreateBalancer would do, and changes nothing.
func (n SitesClient) PlanCreateBalancer(ctx context.Context, organization string, server ID, body CreateLoadBalancerSiteRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/balancer", values: []string{organization, string(server)}, body: body})
}

// SitesDeleteOptions are the parameters of SitesClient.Delete.
type SitesDeleteOptions struct {
	// If this is the last site of an isolated account: keep the account's home on the server, for root only, in
	// /home/.hostler-kept.
	KeepHome bool
}

func (o *SitesDeleteOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "keep_home", o.KeepHome)
	return q
}

// Delete a site. It begins work, which Response.Wait waits for.
//
// The files of a site of the default account stay on the server. The last site of an isolated account takes the account
// along: its processes, jobs, SSH keys, crontab, mail, caches, temporary files and home, and the database user that
// only its sites use. Databases stay.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}
func (n SitesClient) Delete(ctx context.Context, organization string, server ID, site ID, o *SitesDeleteOptions) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}", values: []string{organization, string(server), string(site)}, query: o.query()}, nil)
}

// PlanDelete returns what Delete would do, and changes nothing.
func (n SitesClient) PlanDelete(ctx context.Context, organization string, server ID, site ID, o *SitesDeleteOptions) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// SitesListOptions are the parameters of SitesClient.List.
type SitesListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// The name of a tag.
	Tag string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SitesListSort
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []SitesAllInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SitesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[tag]", o.Tag)
	parameter(q, "sort", o.Sort)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List sites of an organization. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/sites
func (n SitesClient) List(ctx context.Context, organization string, o *SitesListOptions) iter.Seq2[*Site, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n SitesClient) ListPages(ctx context.Context, organization string, o *SitesListOptions) iter.Seq2[*Page[Site], error] {
	return pages[Site](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/sites", values: []string{organization}, query: o.query()})
}

// SitesOfServerOptions are the parameters of SitesClient.OfServer.
type SitesOfServerOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// The name of a tag.
	Tag string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []DatabasesListSort
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []SitesAllInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SitesOfServerOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[tag]", o.Tag)
	parameter(q, "sort", o.Sort)
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List sites of a server. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites
func (n SitesClient) OfServer(ctx context.Context, organization string, server ID, o *SitesOfServerOptions) iter.Seq2[*Site, error] {
	return each(n.OfServerPages(ctx, organization, server, o))
}

// OfServerPages is OfServer by pages, with what is included in each.
func (n SitesClient) OfServerPages(ctx context.Context, organization string, server ID, o *SitesOfServerOptions) iter.Seq2[*Page[Site], error] {
	return pages[Site](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites", values: []string{organization, string(server)}, query: o.query()})
}

// SitesGetOptions are the parameters of SitesClient.Get.
type SitesGetOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []SitesAllInclude
}

func (o *SitesGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	return q
}

// Get a site.
//
// GET /orgs/{organization}/sites/{site}
func (n SitesClient) Get(ctx context.Context, organization string, site ID, o *SitesGetOptions) (*Site, *Response, error) {
	return one[Site](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/sites/{site}", values: []string{organization, string(site)}, query: o.query()})
}

// Update a site. It begins work, which Response.Wait waits for.
//
// Also requires site:manage-project if type, directory, root_path, repository_branch, push_to_deploy or shared_paths is
// given. Also requires server:manage-services if limits is given.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}
func (n SitesClient) Update(ctx context.Context, organization string, server ID, site ID, body UpdateSiteRequest) (*Site, *Response, error) {
	return one[Site](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}", values: []string{organization, string(server), string(site)}, body: body})
}

// PlanUpdate returns what Update would do, and changes nothing.
func (n SitesClient) PlanUpdate(ctx context.Context, organization string, server ID, site ID, body UpdateSiteRequest) (*DryRun, error) {
	return planned(ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}", values: []string{organization, string(server), string(site)}, body: body})
}

// SizesClient calls what can be done with sizes.
type SizesClient struct{ c *Client }

// SizesListOptions are the parameters of SizesClient.List.
type SizesListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SizesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the sizes of a server provider. Pages are asked for as they are needed.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers/{provider}/sizes
func (n SizesClient) List(ctx context.Context, provider ID, o *SizesListOptions) iter.Seq2[*ProviderSize, error] {
	return each(n.ListPages(ctx, provider, o))
}

// ListPages is List by pages, with what is included in each.
func (n SizesClient) ListPages(ctx context.Context, provider ID, o *SizesListOptions) iter.Seq2[*Page[ProviderSize], error] {
	return pages[ProviderSize](ctx, n.c, request{method: "GET", path: "/providers/{provider}/sizes", values: []string{string(provider)}, query: o.query()})
}

// Get a size of a server provider.
//
// The list is built into Hostler; meta.snapshot gives its date.
//
// GET /providers/{provider}/sizes/{providerSize}
func (n SizesClient) Get(ctx context.Context, provider ID, providerSize string) (*ProviderSize, *Response, error) {
	return one[ProviderSize](ctx, n.c, request{method: "GET", path: "/providers/{provider}/sizes/{providerSize}", values: []string{string(provider), providerSize}})
}

// SourceControlClient calls what can be done with source control.
type SourceControlClient struct{ c *Client }

// Connect a source control provider.
//
// The token is checked with the provider before it is stored.
//
// POST /orgs/{organization}/source-control-providers
func (n SourceControlClient) Create(ctx context.Context, organization string, body CreateSourceControlProviderRequest) (*SourceControlProvider, *Response, error) {
	return one[SourceControlProvider](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/source-control-providers", values: []string{organization}, body: body})
}

// Delete a source control provider.
//
// Refused while sites use the connection, or while its setup for a site still has to be removed.
//
// DELETE /orgs/{organization}/source-control-providers/{sourceControlProvider}
func (n SourceControlClient) Delete(ctx context.Context, organization string, sourceControlProvider ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/source-control-providers/{sourceControlProvider}", values: []string{organization, string(sourceControlProvider)}}, nil)
}

// SourceControlListOptions are the parameters of SourceControlClient.List.
type SourceControlListOptions struct {
	// Limits the list to entries with this provider. Commas separate alternatives.
	Provider string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SitesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SourceControlListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[provider]", o.Provider)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List source control providers. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/source-control-providers
func (n SourceControlClient) List(ctx context.Context, organization string, o *SourceControlListOptions) iter.Seq2[*SourceControlProvider, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n SourceControlClient) ListPages(ctx context.Context, organization string, o *SourceControlListOptions) iter.Seq2[*Page[SourceControlProvider], error] {
	return pages[SourceControlProvider](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/source-control-providers", values: []string{organization}, query: o.query()})
}

// Get a source control provider.
//
// GET /orgs/{organization}/source-control-providers/{sourceControlProvider}
func (n SourceControlClient) Get(ctx context.Context, organization string, sourceControlProvider ID) (*SourceControlProvider, *Response, error) {
	return one[SourceControlProvider](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/source-control-providers/{sourceControlProvider}", values: []string{organization, string(sourceControlProvider)}})
}

// Update a source control provider.
//
// The token is checked with the provider before it is stored.
//
// PUT /orgs/{organization}/source-control-providers/{sourceControlProvider}
func (n SourceControlClient) Update(ctx context.Context, organization string, sourceControlProvider ID, body UpdateSourceControlProviderRequest) (*SourceControlProvider, *Response, error) {
	return one[SourceControlProvider](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/source-control-providers/{sourceControlProvider}", values: []string{organization, string(sourceControlProvider)}, body: body})
}

// SSHKeysClient calls what can be done with ssh keys.
type SSHKeysClient struct{ c *Client }

// SSHKeysListOptions are the parameters of SSHKeysClient.List.
type SSHKeysListOptions struct {
	// Limits the list to entries whose name contains this text, ignoring case. Commas separate alternatives.
	Name string
	// Limits the list to entries with this user. Commas separate alternatives.
	User string
	// Limits the list to entries with this server id. Commas separate alternatives.
	ServerID string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []SitesListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *SSHKeysListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[name]", o.Name)
	parameter(q, "filter[user]", o.User)
	parameter(q, "filter[server_id]", o.ServerID)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List SSH keys of all servers. Pages are asked for as they are needed.
//
// Who can log in to what: the keys of the servers that the caller sees, archived ones included. Each is changed where
// its link leads.
//
// GET /orgs/{organization}/ssh-keys
func (n SSHKeysClient) List(ctx context.Context, organization string, o *SSHKeysListOptions) iter.Seq2[*Access, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n SSHKeysClient) ListPages(ctx context.Context, organization string, o *SSHKeysListOptions) iter.Seq2[*Page[Access], error] {
	return pages[Access](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/ssh-keys", values: []string{organization}, query: o.query()})
}

// StorageClient calls what can be done with storage.
type StorageClient struct{ c *Client }

// Connect a storage provider.
//
// The storage is tested before it is saved: an object is written, read and deleted in the bucket; without a bucket,
// only the keys are tested.
//
// POST /orgs/{organization}/storage-providers
func (n StorageClient) Create(ctx context.Context, organization string, body CreateStorageConfigurationRequest) (*StorageProvider, *Response, error) {
	return one[StorageProvider](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/storage-providers", values: []string{organization}, body: body})
}

// Delete a storage provider.
//
// Refused while a backup configuration uses the storage. The contents of the bucket stay.
//
// DELETE /orgs/{organization}/storage-providers/{storageConfiguration}
func (n StorageClient) Delete(ctx context.Context, organization string, storageConfiguration ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/storage-providers/{storageConfiguration}", values: []string{organization, string(storageConfiguration)}}, nil)
}

// StorageListOptions are the parameters of StorageClient.List.
type StorageListOptions struct {
	// Limits the list to entries with this provider. Commas separate alternatives.
	Provider string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []StorageListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *StorageListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[provider]", o.Provider)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List storage providers. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/storage-providers
func (n StorageClient) List(ctx context.Context, organization string, o *StorageListOptions) iter.Seq2[*StorageProvider, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n StorageClient) ListPages(ctx context.Context, organization string, o *StorageListOptions) iter.Seq2[*Page[StorageProvider], error] {
	return pages[StorageProvider](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/storage-providers", values: []string{organization}, query: o.query()})
}

// Get a storage provider.
//
// GET /orgs/{organization}/storage-providers/{storageConfiguration}
func (n StorageClient) Get(ctx context.Context, organization string, storageConfiguration ID) (*StorageProvider, *Response, error) {
	return one[StorageProvider](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/storage-providers/{storageConfiguration}", values: []string{organization, string(storageConfiguration)}})
}

// Update a storage provider. It begins work, which Response.Wait waits for.
//
// The storage is tested before it is saved: an object is written, read and deleted in the bucket; without a bucket,
// only the keys are tested.
//
// PUT /orgs/{organization}/storage-providers/{storageConfiguration}
func (n StorageClient) Update(ctx context.Context, organization string, storageConfiguration ID, body UpdateStorageConfigurationRequest) (*StorageProvider, *Response, error) {
	return one[StorageProvider](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/storage-providers/{storageConfiguration}", values: []string{organization, string(storageConfiguration)}, body: body})
}

// TeamCredentialsClient calls what can be done with team credentials.
type TeamCredentialsClient struct{ c *Client }

// Share a server credential with a team.
//
// It is then available only to the members of its teams, with their roles there, and to those who manage the
// organization.
//
// POST /orgs/{organization}/teams/{team}/server-credentials
func (n TeamCredentialsClient) Create(ctx context.Context, organization string, team ID, body ShareCredentialRequest) (*ServerCredential, *Response, error) {
	return one[ServerCredential](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/teams/{team}/server-credentials", values: []string{organization, string(team)}, body: body})
}

// Stop sharing a server credential with a team.
//
// DELETE /orgs/{organization}/teams/{team}/server-credentials/{credential}
func (n TeamCredentialsClient) Delete(ctx context.Context, organization string, team ID, credential ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/teams/{team}/server-credentials/{credential}", values: []string{organization, string(team), string(credential)}}, nil)
}

// TeamCredentialsListOptions are the parameters of TeamCredentialsClient.List.
type TeamCredentialsListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *TeamCredentialsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the server credentials shared with a team. Pages are asked for as they are needed.
//
// Lists only those that the caller can see. For an organization member outside the team, the list can be empty.
//
// GET /orgs/{organization}/teams/{team}/server-credentials
func (n TeamCredentialsClient) List(ctx context.Context, organization string, team ID, o *TeamCredentialsListOptions) iter.Seq2[*ServerCredential, error] {
	return each(n.ListPages(ctx, organization, team, o))
}

// ListPages is List by pages, with what is included in each.
func (n TeamCredentialsClient) ListPages(ctx context.Context, organization string, team ID, o *TeamCredentialsListOptions) iter.Seq2[*Page[ServerCredential], error] {
	return pages[ServerCredential](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}/server-credentials", values: []string{organization, string(team)}, query: o.query()})
}

// TeamInvitesClient calls what can be done with team invites.
type TeamInvitesClient struct{ c *Client }

// Invite a person to a team. It begins work, which Response.Wait waits for.
//
// The invitation is for this address only, works once and expires after 7 days. Inviting again replaces it.
// meta.delivery says how the link is delivered. Without a mail server the link is in meta.shown_once.url, to be handed
// on.
//
// POST /orgs/{organization}/teams/{team}/invites
func (n TeamInvitesClient) Create(ctx context.Context, organization string, team ID, body CreateTeamInviteRequest) (*TeamInvitation, *Response, error) {
	return one[TeamInvitation](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/teams/{team}/invites", values: []string{organization, string(team)}, body: body})
}

// Cancel an invitation to a team.
//
// DELETE /orgs/{organization}/teams/{team}/invites/{invitation}
func (n TeamInvitesClient) Delete(ctx context.Context, organization string, team ID, invitation ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/teams/{team}/invites/{invitation}", values: []string{organization, string(team), string(invitation)}}, nil)
}

// TeamInvitesListOptions are the parameters of TeamInvitesClient.List.
type TeamInvitesListOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []InvitesListInclude
	// The page size, 1 to 200.
	PageSize int64
}

func (o *TeamInvitesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the open invitations to a team. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/teams/{team}/invites
func (n TeamInvitesClient) List(ctx context.Context, organization string, team ID, o *TeamInvitesListOptions) iter.Seq2[*TeamInvitation, error] {
	return each(n.ListPages(ctx, organization, team, o))
}

// ListPages is List by pages, with what is included in each.
func (n TeamInvitesClient) ListPages(ctx context.Context, organization string, team ID, o *TeamInvitesListOptions) iter.Seq2[*Page[TeamInvitation], error] {
	return pages[TeamInvitation](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}/invites", values: []string{organization, string(team)}, query: o.query()})
}

// TeamInvitesGetOptions are the parameters of TeamInvitesClient.Get.
type TeamInvitesGetOptions struct {
	// Related resources to return in included. NameCount and NameExists return how many there are, and whether there are
	// any, in meta.included.
	Include []InvitesListInclude
}

func (o *TeamInvitesGetOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "include", o.Include)
	return q
}

// Get an invitation to a team.
//
// GET /orgs/{organization}/teams/{team}/invites/{invitation}
func (n TeamInvitesClient) Get(ctx context.Context, organization string, team ID, invitation ID, o *TeamInvitesGetOptions) (*TeamInvitation, *Response, error) {
	return one[TeamInvitation](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}/invites/{invitation}", values: []string{organization, string(team), string(invitation)}, query: o.query()})
}

// TeamMembersClient calls what can be done with team members.
type TeamMembersClient struct{ c *Client }

// Remove a member from a team.
//
// DELETE /orgs/{organization}/teams/{team}/members/{user}
func (n TeamMembersClient) Delete(ctx context.Context, organization string, team ID, user ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/teams/{team}/members/{user}", values: []string{organization, string(team), string(user)}}, nil)
}

// TeamMembersListOptions are the parameters of TeamMembersClient.List.
type TeamMembersListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *TeamMembersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the members of a team. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/teams/{team}/members
func (n TeamMembersClient) List(ctx context.Context, organization string, team ID, o *TeamMembersListOptions) iter.Seq2[*Membership, error] {
	return each(n.ListPages(ctx, organization, team, o))
}

// ListPages is List by pages, with what is included in each.
func (n TeamMembersClient) ListPages(ctx context.Context, organization string, team ID, o *TeamMembersListOptions) iter.Seq2[*Page[Membership], error] {
	return pages[Membership](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}/members", values: []string{organization, string(team)}, query: o.query()})
}

// Get a member of a team.
//
// GET /orgs/{organization}/teams/{team}/members/{user}
func (n TeamMembersClient) Get(ctx context.Context, organization string, team ID, user ID) (*Membership, *Response, error) {
	return one[Membership](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}/members/{user}", values: []string{organization, string(team), string(user)}})
}

// Change the role of a member of a team.
//
// PUT /orgs/{organization}/teams/{team}/members/{user}
func (n TeamMembersClient) Update(ctx context.Context, organization string, team ID, user ID, body UpdateTeamMemberRequest) (*Membership, *Response, error) {
	return one[Membership](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/teams/{team}/members/{user}", values: []string{organization, string(team), string(user)}, body: body})
}

// TeamRecipesClient calls what can be done with team recipes.
type TeamRecipesClient struct{ c *Client }

// Share a recipe with a team.
//
// It is then available only to the members of its teams, with their roles there, and to those who manage the
// organization.
//
// POST /orgs/{organization}/teams/{team}/recipes
func (n TeamRecipesClient) Create(ctx context.Context, organization string, team ID, body ShareRecipeRequest) (*Recipe, *Response, error) {
	return one[Recipe](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/teams/{team}/recipes", values: []string{organization, string(team)}, body: body})
}

// Stop sharing a recipe with a team.
//
// DELETE /orgs/{organization}/teams/{team}/recipes/{recipe}
func (n TeamRecipesClient) Delete(ctx context.Context, organization string, team ID, recipe ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/teams/{team}/recipes/{recipe}", values: []string{organization, string(team), string(recipe)}}, nil)
}

// TeamRecipesListOptions are the parameters of TeamRecipesClient.List.
type TeamRecipesListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *TeamRecipesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the recipes shared with a team. Pages are asked for as they are needed.
//
// Lists only those that the caller can see. For an organization member outside the team, the list can be empty.
//
// GET /orgs/{organization}/teams/{team}/recipes
func (n TeamRecipesClient) List(ctx context.Context, organization string, team ID, o *TeamRecipesListOptions) iter.Seq2[*Recipe, error] {
	return each(n.ListPages(ctx, organization, team, o))
}

// ListPages is List by pages, with what is included in each.
func (n TeamRecipesClient) ListPages(ctx context.Context, organization string, team ID, o *TeamRecipesListOptions) iter.Seq2[*Page[Recipe], error] {
	return pages[Recipe](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}/recipes", values: []string{organization, string(team)}, query: o.query()})
}

// TeamServersClient calls what can be done with team servers.
type TeamServersClient struct{ c *Client }

// Share a server with a team.
//
// It is then available only to the members of its teams, with their roles there, and to those who manage the
// organization.
//
// POST /orgs/{organization}/teams/{team}/servers
func (n TeamServersClient) Create(ctx context.Context, organization string, team ID, body ShareServerRequest) (*Server, *Response, error) {
	return one[Server](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/teams/{team}/servers", values: []string{organization, string(team)}, body: body})
}

// Stop sharing a server with a team.
//
// DELETE /orgs/{organization}/teams/{team}/servers/{server}
func (n TeamServersClient) Delete(ctx context.Context, organization string, team ID, server ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/teams/{team}/servers/{server}", values: []string{organization, string(team), string(server)}}, nil)
}

// TeamServersListOptions are the parameters of TeamServersClient.List.
type TeamServersListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *TeamServersListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List the servers shared with a team. Pages are asked for as they are needed.
//
// Lists only those that the caller can see. For an organization member outside the team, the list can be empty.
//
// GET /orgs/{organization}/teams/{team}/servers
func (n TeamServersClient) List(ctx context.Context, organization string, team ID, o *TeamServersListOptions) iter.Seq2[*Server, error] {
	return each(n.ListPages(ctx, organization, team, o))
}

// ListPages is List by pages, with what is included in each.
func (n TeamServersClient) ListPages(ctx context.Context, organization string, team ID, o *TeamServersListOptions) iter.Seq2[*Page[Server], error] {
	return pages[Server](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}/servers", values: []string{organization, string(team)}, query: o.query()})
}

// TeamsClient calls what can be done with teams.
type TeamsClient struct{ c *Client }

// Create a team.
//
// Without a mail server, the links of the invitations are in meta.shown_once.invitations, to be handed on.
//
// POST /orgs/{organization}/teams
func (n TeamsClient) Create(ctx context.Context, organization string, body CreateTeamRequest) (*Team, *Response, error) {
	return one[Team](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/teams", values: []string{organization}, body: body})
}

// Delete a team.
//
// Resources that were shared only with this team become available to the whole organization again.
//
// DELETE /orgs/{organization}/teams/{team}
func (n TeamsClient) Delete(ctx context.Context, organization string, team ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/teams/{team}", values: []string{organization, string(team)}}, nil)
}

// TeamsListOptions are the parameters of TeamsClient.List.
type TeamsListOptions struct {
	// The page size, 1 to 200.
	PageSize int64
}

func (o *TeamsListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List teams. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/teams
func (n TeamsClient) List(ctx context.Context, organization string, o *TeamsListOptions) iter.Seq2[*Team, error] {
	return each(n.ListPages(ctx, organization, o))
}

// ListPages is List by pages, with what is included in each.
func (n TeamsClient) ListPages(ctx context.Context, organization string, o *TeamsListOptions) iter.Seq2[*Page[Team], error] {
	return pages[Team](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams", values: []string{organization}, query: o.query()})
}

// Get a team.
//
// GET /orgs/{organization}/teams/{team}
func (n TeamsClient) Get(ctx context.Context, organization string, team ID) (*Team, *Response, error) {
	return one[Team](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/teams/{team}", values: []string{organization, string(team)}})
}

// Update a team.
//
// PUT /orgs/{organization}/teams/{team}
func (n TeamsClient) Update(ctx context.Context, organization string, team ID, body UpdateTeamRequest) (*Team, *Response, error) {
	return one[Team](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/teams/{team}", values: []string{organization, string(team)}, body: body})
}

// TimezoneClient calls what can be done with timezone.
type TimezoneClient struct{ c *Client }

// Get the time zone of an organization.
//
// GET /orgs/{organization}/timezone
func (n TimezoneClient) Get(ctx context.Context, organization string) (*Timezone, *Response, error) {
	return one[Timezone](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/timezone", values: []string{organization}})
}

// Set the time zone of an organization.
//
// The time zone applies to backup schedules, including existing ones.
//
// PUT /orgs/{organization}/timezone
func (n TimezoneClient) Update(ctx context.Context, organization string, body UpdateTimezoneRequest) (*Timezone, *Response, error) {
	return one[Timezone](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/timezone", values: []string{organization}, body: body})
}

// VPCsClient calls what can be done with vpcs.
type VPCsClient struct{ c *Client }

// Create a private network.
//
// The range is chosen by the provider, or is 10.0.0.0/16. At AWS the network has no subnets. Names are unique within a
// region: if a response is lost, look for the name in the list.
//
// POST /orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs
func (n VPCsClient) Create(ctx context.Context, organization string, credential ID, region string, body CreateServerProviderNetworkRequest) (*Vpc, *Response, error) {
	return one[Vpc](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs", values: []string{organization, string(credential), region}, body: body})
}

// List the private networks of a region.
//
// Queries the provider, for at most half a minute; a 409 says why it did not succeed.
//
// GET /orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs
func (n VPCsClient) List(ctx context.Context, organization string, credential ID, region string) ([]*Vpc, *Response, error) {
	return several[Vpc](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs", values: []string{organization, string(credential), region}})
}

// Get a private network.
//
// Queries the provider, for at most half a minute; a 409 says why it did not succeed.
//
// GET /orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs/{vpcId}
func (n VPCsClient) Get(ctx context.Context, organization string, credential ID, region string, vpcId string) (*Vpc, *Response, error) {
	return one[Vpc](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs/{vpcId}", values: []string{organization, string(credential), region, vpcId}})
}

// WebhookDeliveriesClient calls what can be done with webhook deliveries.
type WebhookDeliveriesClient struct{ c *Client }

// WebhookDeliveriesListOptions are the parameters of WebhookDeliveriesClient.List.
type WebhookDeliveriesListOptions struct {
	// Limits the list to entries with this state. Commas separate alternatives.
	State string
	// Limits the list to entries with this event. Commas separate alternatives.
	Event string
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []AuditListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *WebhookDeliveriesListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "filter[state]", o.State)
	parameter(q, "filter[event]", o.Event)
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List a webhook's deliveries. Pages are asked for as they are needed.
//
// Shows each request, its response and when it is retried. Deliveries are kept for 30 days.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries
func (n WebhookDeliveriesClient) List(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID, o *WebhookDeliveriesListOptions) iter.Seq2[*Delivery, error] {
	return each(n.ListPages(ctx, organization, server, site, deploymentWebhook, o))
}

// ListPages is List by pages, with what is included in each.
func (n WebhookDeliveriesClient) ListPages(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID, o *WebhookDeliveriesListOptions) iter.Seq2[*Page[Delivery], error] {
	return pages[Delivery](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries", values: []string{organization, string(server), string(site), string(deploymentWebhook)}, query: o.query()})
}

// Resend a delivery. It begins work, which Response.Wait waits for.
//
// Creates a new delivery of the same message, with the same message id and a new signature.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}/redeliver
func (n WebhookDeliveriesClient) Redeliver(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID, delivery ID) (*Delivery, *Response, error) {
	return one[Delivery](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}/redeliver", values: []string{organization, string(server), string(site), string(deploymentWebhook), string(delivery)}})
}

// Get a delivery of a webhook.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}
func (n WebhookDeliveriesClient) Get(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID, delivery ID) (*Delivery, *Response, error) {
	return one[Delivery](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}", values: []string{organization, string(server), string(site), string(deploymentWebhook), string(delivery)}})
}

// WebhookSecretClient calls what can be done with webhook secret.
type WebhookSecretClient struct{ c *Client }

// Regenerate a webhook's secret.
//
// The old secret stops working immediately. The new one is in meta.shown_once.secret and is shown only once.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/secret
func (n WebhookSecretClient) Update(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID) (*DeploymentWebhook, *Response, error) {
	return one[DeploymentWebhook](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/secret", values: []string{organization, string(server), string(site), string(deploymentWebhook)}})
}

// WebhooksClient calls what can be done with webhooks.
type WebhooksClient struct{ c *Client }

// Add a webhook. It begins work, which Response.Wait waits for.
//
// A webhook is called at the end of each deployment, with {status, server, site, commit_hash, commit_url,
// commit_author, commit_message, deployment}; status is success or failed. Messages are signed according to Standard
// Webhooks with the secret in meta.shown_once.secret: webhook-signature is v1 and the HMAC-SHA256 of webhook-id,
// webhook-timestamp and the body. Deliveries are retried for almost a day until the response is 2xx.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/webhooks
func (n WebhooksClient) Create(ctx context.Context, organization string, server ID, site ID, body CreateDeploymentWebhookRequest) (*DeploymentWebhook, *Response, error) {
	return one[DeploymentWebhook](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks", values: []string{organization, string(server), string(site)}, body: body})
}

// Delete a webhook. It begins work, which Response.Wait waits for.
//
// Pending deliveries are discarded.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}
func (n WebhooksClient) Delete(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}", values: []string{organization, string(server), string(site), string(deploymentWebhook)}}, nil)
}

// WebhooksListOptions are the parameters of WebhooksClient.List.
type WebhooksListOptions struct {
	// The order, by these fields in turn. A minus sign before a field reverses it.
	Sort []EventsListSort
	// The page size, 1 to 200.
	PageSize int64
}

func (o *WebhooksListOptions) query() url.Values {
	if o == nil {
		return nil
	}
	q := url.Values{}
	parameter(q, "sort", o.Sort)
	parameter(q, "page[size]", o.PageSize)
	return q
}

// List a site's webhooks. Pages are asked for as they are needed.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/webhooks
func (n WebhooksClient) List(ctx context.Context, organization string, server ID, site ID, o *WebhooksListOptions) iter.Seq2[*DeploymentWebhook, error] {
	return each(n.ListPages(ctx, organization, server, site, o))
}

// ListPages is List by pages, with what is included in each.
func (n WebhooksClient) ListPages(ctx context.Context, organization string, server ID, site ID, o *WebhooksListOptions) iter.Seq2[*Page[DeploymentWebhook], error] {
	return pages[DeploymentWebhook](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks", values: []string{organization, string(server), string(site)}, query: o.query()})
}

// Get a webhook.
//
// GET /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}
func (n WebhooksClient) Get(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID) (*DeploymentWebhook, *Response, error) {
	return one[DeploymentWebhook](ctx, n.c, request{method: "GET", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}", values: []string{organization, string(server), string(site), string(deploymentWebhook)}})
}

// Send a test message to a webhook. It begins work, which Response.Wait waits for.
//
// Sends the event test, with the status success and no commit.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries
func (n WebhooksClient) Test(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID) (*Delivery, *Response, error) {
	return one[Delivery](ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries", values: []string{organization, string(server), string(site), string(deploymentWebhook)}})
}

// Change a webhook.
//
// The secret, and the record of deliveries, stay.
//
// PUT /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}
func (n WebhooksClient) Update(ctx context.Context, organization string, server ID, site ID, deploymentWebhook ID, body UpdateDeploymentWebhookRequest) (*DeploymentWebhook, *Response, error) {
	return one[DeploymentWebhook](ctx, n.c, request{method: "PUT", path: "/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}", values: []string{organization, string(server), string(site), string(deploymentWebhook)}, body: body})
}

// ZeroDowntimeClient calls what can be done with zero downtime.
type ZeroDowntimeClient struct{ c *Client }

// Deploy a site in place. It begins work, which Response.Wait waits for.
//
// The files of the live release are copied to the site's directory first. The releases stay on the server.
//
// DELETE /orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime
func (n ZeroDowntimeClient) Disable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "DELETE", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime", values: []string{organization, string(server), string(site)}}, nil)
}

// Deploy a site with releases. It begins work, which Response.Wait waits for.
//
// The site's files become its first release, and also stay where they are; what is served does not change. If anything
// fails, the site is deployed in place as before.
//
// POST /orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime
func (n ZeroDowntimeClient) Enable(ctx context.Context, organization string, server ID, site ID) (*Response, error) {
	return send(ctx, n.c, request{method: "POST", path: "/orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime", values: []string{organization, string(server), string(site)}}, nil)
}
