// Generated from the API's description by make generate. Do not edit.
import { type Answer, type CallOptions, Core, List, type Message, type Options, type Ref, type Work } from './core.js';

/** Code is what is wrong with a field. More codes may come; invalid is what none of them says. */
export type Code = 'invalid' | 'required' | 'taken' | 'host_key' | 'at_line' | 'boolean' | 'integer' | 'number' | 'text' | 'list' | 'object' | 'one_of' | 'least' | 'most' | 'shortest' | 'longest' | 'fewest' | 'most_items' | 'pattern' | 'format' | 'one_line' | 'nul' | 'duplicate';

export type Algorithm = 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512';

export type ApplicationPackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export type AttentionKind = 'panel-disk-full' | 'panel-certificate' | 'panel-open' | 'panel-backup' | 'server-host-key-changed' | 'server-unreachable' | 'server-handed-over' | 'server-failed' | 'disk-full' | 'server-out-of-memory' | 'clock-apart' | 'memory-lost' | 'work-stalled' | 'site-failed' | 'site-limit-reached' | 'deployment-failed' | 'dns-records' | 'certificate-failing' | 'site-shares-account' | 'hook-known' | 'mail-failed' | 'recipient-waiting' | 'backup-alarm' | 'heartbeat-missing' | 'monitor-alert' | 'input-misread' | 'job-not-started' | 'nothing-served' | 'nginx-refused' | 'certificate-ending' | 'files-changed' | 'drift' | 'server-outdated' | 'backup-unproven' | 'restart-needed' | 'reboot-needed' | 'server-waiting' | 'panel-update';

export type AuditListSort = 'created_at' | '-created_at';

export type BackgroundProcessActionAction = 'restart' | 'stop' | 'start' | 'empty-log';

export type BackgroundProcessStatus = 'installing' | 'removing' | 'restarting' | 'starting' | 'stopping' | 'running' | 'stopped' | 'fatal' | 'backoff' | 'exited' | 'unknown';

export type BackupMetaProofStatus = 'finished' | 'failed' | 'not_proven';

export type BackupObjectMetaKind = 'database' | 'files';

export type BackupObjectMetaStatus = 'pending' | 'sent' | 'stored' | 'failed';

export type BackupsMetaProofStatus = 'finished' | 'failed';

export type BalancerMethod = 'round_robin' | 'least_conn' | 'ip_hash';

export type CauseRemedy = 'deploy-key' | 'repository' | 'deploy-script' | 'environment' | 'databases' | 'php' | 'runtime' | 'packages' | 'start-command' | 'again' | 'none';

export type CertificateRequestStatus = 'verifying' | 'creating' | 'created';

export type CertificateType = 'letsencrypt' | 'csr' | 'existing';

export type CheckKind = 'configuration' | 'service' | 'port' | 'schedule' | 'http' | 'connection' | 'restore';

export type CommandStatus = 'waiting' | 'running' | 'finished' | 'timeout' | 'failed';

export type CommandsListSort = 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'status' | '-status';

export type CreateBackupConfigurationFrequency = 'hourly' | 'daily' | 'weekly' | 'custom';

export type CreateDomainCertificateType = 'letsencrypt' | 'csr' | 'existing' | 'clone';

export type CreateFirewallRuleType = 'allow' | 'deny';

export type CreateNotificationChannelEvent = 'deployment.succeeded' | 'deployment.failed' | 'certificate.renewal-failed' | 'backup.failed' | 'backup.unproven' | 'server.unreachable' | 'server.reachable' | 'drift.found' | 'heartbeat.missing' | 'heartbeat.beating' | 'monitor.alert' | 'monitor.recovered';

export type CreatePhpVersionVersion = 'php5' | 'php56-old' | 'php56' | 'php70' | 'php71' | 'php72' | 'php73' | 'php74' | 'php80' | 'php81' | 'php82' | 'php83' | 'php84' | 'php85';

export type CreateRecipeUser = 'root' | 'forge';

export type CreateScheduledJobFrequency = 'minutely' | 'hourly' | 'nightly' | 'weekly' | 'monthly' | 'reboot' | 'custom';

export type CreateServerCredentialProvider = 'aws' | 'ocean2' | 'hetzner' | 'vultr' | 'akamai';

export type CreateServerDatabaseType = 'mysql84' | 'mysql9' | 'mariadb1011' | 'mariadb114' | 'postgres14' | 'postgres15' | 'postgres16' | 'postgres17' | 'postgres18';

export type CreateServerUbuntuVersion = '24.04' | '26.04';

export type CreateSitePHPVersion = 'php5' | 'php56-old' | 'php56' | 'php70' | 'php71' | 'php72' | 'php73' | 'php74' | 'php80' | 'php81' | 'php82' | 'php83' | 'php84' | 'php85';

export type CreateSiteRuntime = 'system' | 'node' | 'bun' | 'deno' | 'python' | 'ruby' | 'go';

export type CreateSiteType = 'laravel' | 'symfony' | 'statamic' | 'wordpress' | 'phpmyadmin' | 'php' | 'nextjs' | 'nuxtjs' | 'static-html' | 'other' | 'custom';

export type DNSPlanStepAction = 'create' | 'change' | 'delete' | 'keep' | 'leave' | 'refuse';

export type DNSPlanStepType = 'A' | 'AAAA' | 'CNAME' | 'NS';

export type DNSProviderProvider = 'rfc2136' | 'cloudflare' | 'desec' | 'digitalocean' | 'gandi' | 'hetzner';

export type DNSRecordState = 'unknown' | 'made' | 'changed' | 'missing';

export type DNSRecordType = 'A' | 'AAAA';

export type DatabaseStatus = 'installing' | 'installed' | 'removing' | 'failed';

export type DatabaseUserStatus = 'installed' | 'updating' | 'installing' | 'removing' | 'failed';

export type DatabasesListSort = 'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

export type Day = '0' | '1' | '2' | '3' | '4' | '5' | '6';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export type DeploymentStatusValue = 'cancelled' | 'deploying' | 'failed' | 'failed-build' | 'finished' | 'pending' | 'queued';

export type DomainActionAction = 'enable' | 'disable' | 'mark-as-primary';

export type DomainCertificateActionAction = 'enable' | 'disable';

export type DomainDNSStatus = 'none' | 'pending' | 'made' | 'failed' | 'removing';

export type DomainRecordConfigurationType = 'A' | 'CNAME' | 'TXT';

export type DomainRecordStatus = 'pending' | 'connecting' | 'enabled' | 'removing' | 'securing' | 'updating' | 'disabling' | 'disabled' | 'enabling';

export type DomainRecordType = 'primary' | 'alias';

export type DomainsListFilterStatus = 'pending' | 'connecting' | 'enabled' | 'removing' | 'securing' | 'updating' | 'disabling' | 'disabled' | 'enabling';

export type DomainsListFilterType = 'primary' | 'alias';

export type EnableOctaneServer = 'swoole' | 'roadrunner' | 'frankenphp';

export type EnvironmentVersionStatus = 'writing' | 'written' | 'failed';

export type EventsListInclude = 'initiator' | 'initiatorCount' | 'initiatorExists' | 'site' | 'siteCount' | 'siteExists';

export type EventsListSort = 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

export type FileKind = 'file' | 'directory' | 'link' | 'other';

export type FileLeadsTo = 'file' | 'directory' | 'other' | 'outside' | 'missing';

export type FileMetaDeployment = 'kept' | 'release' | 'repository';

export type FileMetaManagedBy = 'environment';

export type FilterState = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export type HeartbeatStatus = 'pending' | 'beating' | 'missing';

export type ImportRedirectsMode = 'append' | 'replace';

export type InvitesListInclude = 'role' | 'roleCount' | 'roleExists' | 'team' | 'teamCount' | 'teamExists' | 'organization' | 'organizationCount' | 'organizationExists';

export type KeyType = 'ecdsa' | 'rsa';

export type MaintenanceModeStatus = 'disabling' | 'enabling';

export type MarkKind = 'deployment' | 'reboot' | 'drift';

export type MonitorState = 'OK' | 'ALERT' | 'UNKNOWN';

export type MonitorStatus = 'installing' | 'installed' | 'removing' | 'restarting' | 'stopping' | 'stopped' | 'starting' | 'syncing' | 'updating' | 'disabling' | 'disabled' | 'enabling' | 'running' | 'restoring' | 'deleting' | 'failed' | 'success' | 'failed-unknown' | 'failed-runner' | 'renewing';

export type MonitorType = 'cpu_load' | 'disk' | 'free_memory' | 'used_memory' | 'inodes' | 'reboot_required' | 'certificate_days' | 'url';

export type MonitorsListSort = 'state' | '-state' | 'status' | '-status' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

export type MysqlServiceActionAction = 'reboot' | 'stop';

export type NginxMetaRule = 'judged' | 'root' | 'kept';

export type NodesListSort = 'id' | '-id';

export type NotificationChannelType = 'mail' | 'webhook' | 'slack' | 'discord' | 'telegram' | 'ntfy' | 'teams';

export type OperationMetaState = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export type Operator = 'gte' | 'lte';

export type OrganizationResourceMetaDelivery = 'mail' | 'log';

export type PHPListSort = 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'status' | '-status' | 'version' | '-version';

export type Permission = 'organization:view' | 'organization:manage' | 'organization:delete' | 'server:view' | 'server:create' | 'server:delete' | 'server:archive' | 'server:transfer' | 'server:manage-meta' | 'server:manage-packages' | 'server:manage-php' | 'server:manage-logs' | 'server:manage-network' | 'server:manage-nginx-templates' | 'server:manage-services' | 'server:manage-password' | 'server:create-keys' | 'server:delete-keys' | 'server:create-monitors' | 'server:delete-monitors' | 'server:create-databases' | 'server:delete-databases' | 'server:create-backups' | 'server:delete-backups' | 'server:create-daemons' | 'server:delete-daemons' | 'server:create-schedulers' | 'server:delete-schedulers' | 'server:web-terminal' | 'site:create' | 'site:delete' | 'site:meta' | 'site:manage-commands' | 'site:manage-deploys' | 'site:manage-nginx' | 'site:manage-project' | 'site:manage-environment' | 'site:manage-notifications' | 'site:manage-queues' | 'site:manage-redirects' | 'site:manage-security' | 'site:manage-ssl' | 'site:manage-integrations' | 'site:manage-heartbeats' | 'credential:view' | 'credential:manage' | 'team:view' | 'team:create' | 'team:delete' | 'recipe:view' | 'recipe:manage' | 'billing:manage' | 'storage:manage' | 'integrations:manage' | 'user:view' | 'resources:view' | 'resources:create-databases' | 'resources:delete-databases' | 'resources:manage-databases' | 'resources:create-buckets' | 'resources:delete-buckets' | 'resources:manage-buckets';

export type PhpServiceActionAction = 'reboot' | 'reload';

export type PhpVersionVersion = '5.6' | '7.0' | '7.1' | '7.2' | '7.3' | '7.4' | '8.0' | '8.1' | '8.2' | '8.3' | '8.4' | '8.5' | '5';

export type PreferredChain = 'ISRG Root X1';

export type ProcessesListSort = 'user' | '-user';

export type ProofResult = 'passed' | 'none';

export type PushDeliveryVerdict = 'deployed' | 'ignored' | 'refused';

export type Range = '1h' | '24h' | '7d' | '30d';

export type RecipeLogStatus = 'waiting' | 'running' | 'finished' | 'failed';

export type RedirectRuleType = 'redirect' | 'permanent';

export type RedisServiceActionAction = 'reboot';

export type RepositoryCheckState = 'pending' | 'passed' | 'failed';

export type RepositoryStatus = 'installing' | 'installed' | 'removing';

export type RolesListInclude = 'permissions' | 'permissionsCount' | 'permissionsExists';

export type RuntimeInUseName = 'system' | 'node' | 'bun' | 'deno' | 'python' | 'ruby' | 'go';

export type RuntimeName = 'node' | 'bun' | 'deno' | 'python' | 'ruby' | 'go';

export type Scope = 'organization:view' | 'organization:manage' | 'organization:delete' | 'server:view' | 'server:create' | 'server:delete' | 'server:archive' | 'server:transfer' | 'server:manage-meta' | 'server:manage-packages' | 'server:manage-php' | 'server:manage-logs' | 'server:manage-network' | 'server:manage-nginx-templates' | 'server:manage-services' | 'server:manage-password' | 'server:create-keys' | 'server:delete-keys' | 'server:create-monitors' | 'server:delete-monitors' | 'server:create-databases' | 'server:delete-databases' | 'server:create-backups' | 'server:delete-backups' | 'server:create-daemons' | 'server:delete-daemons' | 'server:create-schedulers' | 'server:delete-schedulers' | 'server:web-terminal' | 'site:create' | 'site:delete' | 'site:meta' | 'site:manage-commands' | 'site:manage-deploys' | 'site:manage-nginx' | 'site:manage-project' | 'site:manage-environment' | 'site:manage-notifications' | 'site:manage-queues' | 'site:manage-redirects' | 'site:manage-security' | 'site:manage-ssl' | 'site:manage-integrations' | 'site:manage-heartbeats' | 'credential:view' | 'credential:manage' | 'team:view' | 'team:create' | 'team:delete' | 'recipe:view' | 'recipe:manage' | 'billing:manage' | 'storage:manage' | 'integrations:manage' | 'user:view' | 'resources:view' | 'resources:create-databases' | 'resources:delete-databases' | 'resources:manage-databases' | 'resources:create-buckets' | 'resources:delete-buckets' | 'resources:manage-buckets';

export type SecurityRulesListSort = 'path' | '-path' | 'status' | '-status' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

export type ServerActionAction = 'reboot' | 'power-cycle';

export type ServerType = 'app' | 'web' | 'loadbalancer' | 'database' | 'cache' | 'worker' | 'meilisearch' | 'openclaw';

export type ServersListSort = 'name' | '-name' | 'provider' | '-provider' | 'ubuntu_version' | '-ubuntu_version' | 'region' | '-region' | 'php_version' | '-php_version' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

export type SiteAppType = 'Statamic' | 'WordPress' | 'phpMyAdmin' | 'Laravel' | 'Symfony' | 'PHP' | 'Next.js' | 'Nuxt.js' | 'Static HTML' | 'Custom' | 'Craft' | 'Minecraft';

export type SiteStatus = 'installed' | 'creating' | 'removing' | 'installing' | 'uninstalling' | 'deployed' | 'never-deployed' | 'deploying' | 'failed' | 'maintenance';

export type SitesAllInclude = 'server' | 'serverCount' | 'serverExists' | 'tags' | 'tagsCount' | 'tagsExists' | 'latestDeployment' | 'latestDeploymentCount' | 'latestDeploymentExists' | 'securityRules' | 'securityRulesCount' | 'securityRulesExists' | 'redirectRules' | 'redirectRulesCount' | 'redirectRulesExists';

export type SitesListSort = 'name' | '-name' | 'created_at' | '-created_at';

export type SlowQueriesSource = 'performance_schema' | 'pg_stat_statements';

export type SourceControlProviderProvider = 'github' | 'gitlab' | 'bitbucket' | 'gitlab-custom';

export type SourceControlState = 'pending' | 'registered' | 'failed';

export type StorageListSort = 'name' | '-name' | 'provider' | '-provider' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

export type StorageProviderProvider = 's3' | 'spaces' | 'hetzner' | 'ovh' | 'scaleway' | 'custom';

export type StorageProviderProviderName = 'Amazon S3' | 'DigitalOcean Spaces' | 'Hetzner' | 'OVH' | 'Scaleway' | 'Custom (S3 Compatible)';

export type Time = '00:00' | '00:30' | '01:00' | '01:30' | '02:00' | '02:30' | '03:00' | '03:30' | '04:00' | '04:30' | '05:00' | '05:30' | '06:00' | '06:30' | '07:00' | '07:30' | '08:00' | '08:30' | '09:00' | '09:30' | '10:00' | '10:30' | '11:00' | '11:30' | '12:00' | '12:30' | '13:00' | '13:30' | '14:00' | '14:30' | '15:00' | '15:30' | '16:00' | '16:30' | '17:00' | '17:30' | '18:00' | '18:30' | '19:00' | '19:30' | '20:00' | '20:30' | '21:00' | '21:30' | '22:00' | '22:30' | '23:00' | '23:30';

export type TransferItemEffect = 'blocks' | 'detached' | 'left' | 'reaches';

export type UndoMethod = 'PUT' | 'PATCH' | 'DELETE';

export type UpdateGitSourceControlProvider = 'github' | 'gitlab' | 'bitbucket' | 'gitlab-custom' | 'custom';

export type UpdatePhpCliVersionPHPVersion = '5.6' | '7.0' | '7.1' | '7.2' | '7.3' | '7.4' | '8.0' | '8.1' | '8.2' | '8.3' | '8.4' | '8.5';

export type VerificationMethod = 'http-01' | 'dns-01';

export type WwwRedirectType = 'from-www' | 'to-www' | 'none';

export interface ACMERequest {
  /**
   * The DNS provider used to publish dns-01 challenges. Without one, challenges are published where the domain's CNAME
   * points.
   */
  dns_provider_id?: number | null;
  /** The type of the private key. */
  key_type?: KeyType;
  /** The root of the chain, if the certificate authority offers several; null for its default. */
  preferred_chain?: PreferredChain | null;
  /** How the names are proven: by a file on the site (http-01) or in DNS (dns-01). */
  verification_method?: VerificationMethod;
}

export interface AWSServer {
  /** In gigabytes. */
  disk_size?: number;
  /** The code of the region, as the provider's regions list it. */
  region_id?: string;
  /** The code of the size, as the region's sizes list it. */
  size_id?: string;
  /** The id of the subnet at the cloud provider. */
  subnet_uuid?: string;
  /** The id of the private network at the cloud provider. */
  vpc_uuid?: string;
}

export interface Access {
  /** The fields of the resource. */
  attributes: AccessAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'accessKeys';
}

export interface AccessAttributes {
  /** When it was created. */
  created_at: string;
  /** The user who added the key; null once that account is deleted. */
  created_by: number | null;
  /** As ssh-keygen -l shows it. */
  fingerprint: string;
  /** A name of your choice. */
  name: string;
  /** What restricts the key, as in authorized_keys; empty if nothing does. */
  options: string;
  /** The id of the server. */
  server_id: number;
  /** The name of the server. */
  server_name: string;
  /** Whether the key is on the server. */
  status: string;
  /** When it was last changed. */
  updated_at: string;
  /** The account that the key opens. */
  user: string;
}

export interface AccountConnections {
  /** The open connections of the account to the database. */
  count: number;
  /** How many connections the engine allows the account, to all databases; null if any number. */
  limit: number | null;
  /** The name. */
  name: string;
}

export interface AkamaiServer {
  /** The code of the region, as the provider's regions list it. */
  region_id?: string;
  /** The code of the size, as the region's sizes list it. */
  size_id?: string;
}

export interface Application {
  /** The line that usually builds it; null for what the package manager does. */
  build_command: string | null;
  /** Whether it has packages of Composer. */
  composer: boolean;
  /** The file that says so. */
  file: string;
  /** What it is, for people, such as Next.js. */
  name: string;
  /** The directory with the built files that are served; null for none. */
  output: string | null;
  /** What installs its packages of Node; null without any. */
  package_manager: ApplicationPackageManager | null;
  /** What runs it, or builds its front end; null for nothing but PHP or files. */
  runtime: Runtime;
  /** The line that usually starts it; null without one, or if the type of the site has its own. */
  start_command: string | null;
  /** The type of site for it. */
  type: string;
}

export interface ApplicationLog {
  /** The fields of the resource. */
  attributes: ApplicationLogAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ApplicationLogResourceMeta;
  /** The type of the resource. */
  type: 'applicationLogs';
}

export interface ApplicationLogAttributes {
  /** The lines of the log, oldest first. */
  content: string;
}

export interface ApplicationLogResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** Where in the log the returned lines are. */
  log?: LogMeta;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface Applied {
  /** When the work succeeded. */
  at: string;
  /** The id of the person who asked for it; null if Hostler did. */
  by: string | null;
}

export interface ArchiveRequest {
  /** The id of the server. */
  server_id: number;
}

export interface Attention {
  /** The fields of the resource. */
  attributes: AttentionAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'attention';
}

export interface AttentionAttributes {
  /** When the certificate expires. */
  ends_at: string | null;
  /** The event of the work that failed or does not begin. */
  event_id: number | null;
  /** The kind of the problem. */
  kind: AttentionKind;
  /** Null for the panel itself. */
  organization_id: number | null;
  /**
   * The deployment, the domain of the certificate or of the nginx configuration, the backup configuration, the
   * heartbeat, or the monitor.
   */
  resource_id: number | null;
  /** Null for the panel itself. */
  server_id: number | null;
  /** When the problem began; null if that is not known. */
  since: string | null;
  /** The site concerned; null if none is. */
  site_id: number | null;
  /** The name of the resource concerned. */
  subject: string;
  /** The problem; empty if the kind describes it completely. */
  text: string;
}

export interface AuditEntry {
  /** The fields of the resource. */
  attributes: AuditEntryAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'auditEntries';
}

export interface AuditEntryAttributes {
  /** The IP address of the caller. */
  address: string;
  /** The attributes after the change, without secrets. */
  after: Record<string, unknown> | null;
  /** The attributes before the change, without secrets. */
  before: Record<string, unknown> | null;
  /** The credential: token:7, oauth:7, user:7 for a session, or empty. */
  caller: string;
  /** When the request was answered. */
  created_at: string;
  /** Why the request was refused. */
  message: string;
  /** The operationId of the request. */
  operation: string;
  /** The path of the request. */
  path: string;
  /** The id of the resource that the request was for; empty for none. */
  resource_id: string;
  /** The type of the resource that the request was for; empty for none. */
  resource_type: string;
  /** The response status; 401, 403 and 429 are refusals. */
  status: number;
  /** The person who called; null if that is not known. */
  user_id: number | null;
}

export interface BackgroundProcess {
  /** The fields of the resource. */
  attributes: BackgroundProcessAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: BackgroundProcessResourceMeta;
  /** The type of the resource. */
  type: 'backgroundProcesses';
}

export interface BackgroundProcessActionRequest {
  /** What to do with all instances, or with the log. */
  action: BackgroundProcessActionAction;
}

export interface BackgroundProcessAttributes {
  /** The command, which bash runs in the directory. */
  command: string;
  /** When it was created. */
  created_at: string;
  /** The working directory; null for the site's, or the account's home. */
  directory: string | null;
  /** The number of instances. */
  processes: number;
  /** The state of the instances, in the words of supervisord. */
  status: BackgroundProcessStatus;
  /** The account that the process runs as. */
  user: string;
}

export interface BackgroundProcessLog {
  /** The fields of the resource. */
  attributes: BackgroundProcessLogAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'backgroundProcessLogs';
}

export interface BackgroundProcessLogAttributes {
  /** What the process printed last. */
  content: string;
}

export interface BackgroundProcessResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** The process's name, owner and limits. */
  process?: ProcessMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface Backup {
  /** The fields of the resource. */
  attributes: BackupAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: BackupResourceMeta;
  /** The type of the resource. */
  type: 'backups';
}

export interface BackupAttributes {
  /** The ids of the databases in the backup. */
  database_ids: number[];
  /** Seconds since the epoch; null while the backup is running. */
  finished_at: number | null;
  /** "true" or "false". */
  is_partial: string;
  /** The total size of all objects, in bytes. */
  size: number;
  /** How far the backup is, or how it ended. */
  status: string;
}

export interface BackupConfiguration {
  /** The fields of the resource. */
  attributes: BackupConfigurationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: BackupConfigurationResourceMeta;
  /** The type of the resource. */
  type: 'backupConfigurations';
}

export interface BackupConfigurationAttributes {
  /** The bucket that objects are stored in. */
  bucket: string | null;
  /** The cron expression of the frequency custom; null for others. */
  cron_schedule: string | null;
  /** The ids of the databases that are backed up. */
  database_ids: unknown[];
  /** The day of weekly backups, from 0 for Sunday; null for other frequencies. */
  day_of_week: number | null;
  /** The directory in the bucket below which objects are stored. */
  directory: string;
  /** The schedule in words. */
  displayable_schedule: string;
  /** Whether all databases of the server are backed up, including future ones. */
  include_new_databases: boolean;
  /** A name of your choice. */
  name: string;
  /** ISO 8601, UTC. */
  next_run_time: string;
  /** The address that is notified of failed backups; null for none. */
  notify_email: string | null;
  /** The kind of the storage provider. */
  provider: string;
  /** The number of complete backups that are kept. */
  retention: number;
  /** The frequency: hourly, daily, weekly or custom. */
  schedule: string;
  /** Whether the configuration is set up on the server. */
  status: string;
  /** The id of the storage provider that objects are stored at. */
  storage_provider_id: number | null;
  /**
   * The time of daily and weekly backups, as hours and minutes in the organization's time zone; null for other
   * frequencies.
   */
  time: string | null;
}

export interface BackupConfigurationResourceMeta {
  /** About the newest backup of the configuration and its proof. */
  backups?: BackupsMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** The address that is notified. */
  recipient?: State;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface BackupKey {
  /** The fields of the resource. */
  attributes: BackupKeyAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'backupKeys';
}

export interface BackupKeyAttributes {
  /** When the key was generated. */
  created_at: string;
  /** The public key that backups are encrypted to. */
  recipient: string;
}

export interface BackupMeta {
  /** The bucket that objects are stored in. */
  bucket: string;
  /** Whether the objects are encrypted. */
  encrypted: boolean;
  /** When a backup was last restored into a separate database and found to equal the dump; null for never. */
  last_proven_restore: string | null;
  /** The objects of the backup: one for each database, and one for files. */
  objects: BackupObjectMeta[] | null;
  /** Why the newest proof failed; null if it did not. */
  proof_reason: string | null;
  /** not_proven for a finished backup that was not restored yet. */
  proof_status: BackupMetaProofStatus | null;
  /** Why the backup failed; null if it did not. */
  reason: string | null;
  /** The public key that backups are encrypted to. */
  recipient: string;
}

export interface BackupObjectMeta {
  /** The SHA-256 digest of the object, in hexadecimal. */
  checksum: string | null;
  /** The id of the database; null for files, or if the database is gone. */
  database_id: number | null;
  /** The key of the object in the bucket. */
  key: string;
  /** What the object contains. */
  kind: BackupObjectMetaKind;
  /** The name of the database, or of the site for files. */
  name: string;
  /** Why the object is not stored; null if it is. */
  reason: string | null;
  /** The size of the object, in bytes. */
  size: number;
  /** Whether the object is stored. */
  status: BackupObjectMetaStatus;
  /** The address of the object in the bucket. */
  url?: string;
}

export interface BackupResourceMeta {
  /** About the backup's objects and proofs. */
  backup?: BackupMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface BackupsMeta {
  /** What is wrong with the backups; null if nothing is. */
  alarm: string | null;
  /** When the newest complete backup ended; null if there is none. */
  last_backup: string | null;
  /** The id of the newest backup with a successful proof; null if there is none. */
  last_proven_backup: string | null;
  /** When a backup was last restored into a separate database and found to equal the dump; null for never. */
  last_proven_restore: string | null;
  /** When the next proof is due; null if there is none. */
  next_proof: string | null;
  /** Files and directories below the site's directory that are backed up, such as uploads or .env. */
  paths: string[] | null;
  /** Why the newest proof failed; null if it did not. */
  proof_reason: string | null;
  /** How the newest proof ended; null if there was none. */
  proof_status: BackupsMetaProofStatus | null;
  /**
   * The number of days between proofs, in which a backup is restored into a separate database and compared; 0 for
   * never. New configurations have 7.
   */
  prove_every_days: number;
  /** The site whose files are backed up; null for none. */
  site_id: number | null;
}

export interface BalancerMeta {
  /** How many idle connections to the nodes are kept open. */
  keepalive_max_connections: number;
  /** How a node is chosen: round_robin, least_conn or ip_hash. */
  method: string;
}

export interface BootstrapMeta {
  /** The command to run as root on the machine. */
  command: string;
  /** When the command stops working. */
  expires_at: string;
  /** What to consider before running the command. */
  warning?: string;
}

export interface Cause {
  /** What went wrong, such as script-missing or node-version. */
  code: string;
  /** The line of the log that says so. */
  line: string;
  /** Where it can be repaired; none where that is in the code, or on no page. */
  remedy: CauseRemedy;
  /** The same in a sentence. */
  text: string;
}

export interface Certificate {
  /** The fields of the resource. */
  attributes: CertificateAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: CertificateResourceMeta;
  /** The type of the resource. */
  type: 'certificates';
}

export interface CertificateAttributes {
  /** Whether the domain is served with this certificate. */
  active: boolean;
  /** When it was created. */
  created_at: string;
  /** The type of the private key. */
  key_type: KeyType | null;
  /** The root of the chain, if the certificate authority offers several; null for its default. */
  preferred_chain: PreferredChain | null;
  /** How far the request of the certificate is. */
  request_status: CertificateRequestStatus;
  /** Whether the certificate's files are on the server. */
  status: MonitorStatus;
  /** Where the certificate comes from: Let's Encrypt, a signing request, or an upload. */
  type: CertificateType;
  /** When it was last changed. */
  updated_at: string;
  /** How the names are proven: by a file on the site (http-01) or in DNS (dns-01). Null for uploaded certificates. */
  verification_method: VerificationMethod | null;
}

export interface CertificateMeta {
  /** The certificate signing request, as PEM; null for other types of certificates. */
  csr: string | null;
  /** When the certificate expires; null until there is one. */
  expires_at: string | null;
  /**
   * Why the last attempt to issue or renew the certificate failed; empty if it succeeded. After a failure, the
   * previous certificate is still served.
   */
  failure: string;
  /**
   * The issuer whose certificate is missing in the uploaded chain, without which many clients refuse it; empty if none
   * is.
   */
  missing_issuer: string;
  /** The domain names of the certificate. */
  names: string[];
  /** When the certificate will be renewed; null if it is not renewed automatically. */
  renew_at: string | null;
}

export interface CertificateResourceMeta {
  /** About the certificate's names and renewal. */
  certificate?: CertificateMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface Check {
  /** What was seen. */
  evidence: string;
  /**
   * What was asked: the program that reads a configuration, systemd, a port, cron, a site, a new connection, or
   * restored data.
   */
  kind: CheckKind;
}

export interface CheckRepositoryRequest {
  /**
   * The fingerprint of the Git server's new host key (SHA256:…), compared with the server's own: if the server shows
   * that key, it replaces the one that is known of it.
   */
  host_key?: string | null;
}

export interface Checklist {
  /** The fields of the resource. */
  attributes: ChecklistAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'checklists';
}

export interface ChecklistAttributes {
  /** Whether there is a backup configuration. */
  backup: boolean;
  /** Whether a domain has an active certificate. */
  https: boolean;
  /** Whether another person is a member or invited. */
  invite: boolean;
  /** Whether a site has a repository. */
  repository: boolean;
  /** Whether a server is set up. */
  server: boolean;
  /** The newest server, preferably one with a database. */
  server_id: number | null;
  /** Whether there is a site. */
  site: boolean;
  /** The newest site that is not a load balancer. */
  site_id: number | null;
}

export interface Command {
  /** The fields of the resource. */
  attributes: CommandAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: CommandRelationships;
  /** The type of the resource. */
  type: 'commands';
}

export interface CommandAttributes {
  /** The command, which runs in the site's directory. */
  command: string;
  /** When it was created. */
  created_at: string;
  /** The duration, such as 1.5s; empty until the command ends. */
  duration: string;
  /** Why the command failed, unless it exited with a nonzero status. */
  error_output: string | null;
  /** The exit status of the command; null until it ended. */
  exit_code: number | null;
  /** How far the command is, or how it ended. */
  status: CommandStatus;
  /** When it was last changed. */
  updated_at: string;
  /** The id of the person who ran it. */
  user_id: number;
}

export interface CommandOutput {
  /** The fields of the resource. */
  attributes: CommandOutputAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'commandOutputs';
}

export interface CommandOutputAttributes {
  /** What the command printed so far. */
  output: string;
}

export interface CommandRelationships {
  /** The person who ran it. */
  user: { data: Ref | null };
}

export interface Commit {
  /** The author of the commit. */
  author: string | null;
  /** The branch that was deployed. */
  branch: string | null;
  /** The hash of the commit. */
  hash: string | null;
  /** The message of the commit. */
  message: string | null;
}

export interface ComposerCredential {
  /** The fields of the resource. */
  attributes: ComposerCredentialAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: string;
}

export interface ComposerCredentialAttributes {
  /** Always empty: the secret is never shown. */
  password: string;
  /** The host that Composer downloads from, such as repo.packagist.com. */
  repository: string;
  /** The user name at the host. */
  username: string;
}

export interface ConfirmHostKeysRequest {
  /** Public keys as presented, each compared with the server's own by its fingerprint. */
  host_keys: string[];
}

export interface CreateBackgroundProcessRequest {
  /** One line, which bash runs in the directory. */
  command: string;
  /** Defaults to the site's directory, or the account's home. */
  directory?: string | null;
  /** A name of your choice. */
  name: string;
  /** The number of instances. */
  processes: number;
  /** The site that the process belongs to; null or omitted for none. */
  site_id?: number;
  /** How many seconds an instance must run to count as running, default 1. */
  startsecs?: number;
  /** The signal that stops an instance, default TERM. */
  stopsignal?: string | null;
  /** How many seconds an instance is given to stop before it is killed, default 10. */
  stopwaitsecs?: number;
  /** root, forge, or the account of a site on the server. */
  user: string;
}

export interface CreateBackupConfigurationRequest {
  /** The bucket. Null or omitted for the storage provider's default. */
  bucket?: string | null;
  /** For the frequency custom: minute, hour, day, month, weekday. */
  cron?: string;
  /** The ids of the databases. */
  database_ids: number[];
  /** For the frequency weekly; 0 is Sunday. */
  day?: Day;
  /** The directory in the bucket below which objects are stored. */
  directory?: string | null;
  /** How often to back up. weekly also needs day and time, daily needs time, custom needs cron. */
  frequency: CreateBackupConfigurationFrequency;
  /** Back up all databases of the server, including future ones. */
  include_new_databases?: boolean;
  /** A name of your choice. */
  name?: string | null;
  /** The address that is notified of failed backups; null for none. */
  notification_email?: string | null;
  /** Files and directories below the site's directory that are backed up, such as uploads or .env. */
  paths?: string[];
  /**
   * The number of days between proofs, in which a backup is restored into a separate database and compared; 0 for
   * never. New configurations have 7.
   */
  prove_every_days?: number;
  /** The number of complete backups to keep. */
  retention: number;
  /** The site whose files are included in the backups. */
  site_id?: number;
  /** The id of the storage provider that objects are stored at. */
  storage_provider_id: number;
  /**
   * The time of daily and weekly backups, as hours and minutes in the organization's time zone; null for other
   * frequencies.
   */
  time?: Time;
}

export interface CreateComposerCredentialRequest {
  /** The password or token. It is never returned. */
  password: string;
  /** The repository's host. If you give a URL, only its host is used. */
  repository: string;
  /** The user name at the host. */
  username: string;
}

export interface CreateDNSProviderRequest {
  /** For rfc2136; default hmac-sha256. */
  algorithm?: Algorithm | null;
  /** For rfc2136: the name of the key that signs updates. */
  key?: string | null;
  /** A name of your choice. */
  name: string;
  /** For rfc2136: the address or name of the primary nameserver, with a port if it is not 53. */
  nameserver?: string | null;
  /** The kind of the DNS provider; rfc2136 for a name server of your own. */
  provider: DNSProviderProvider;
  /**
   * The API token, which needs permission only to change DNS records; for rfc2136 the key, as base64. It is never
   * returned.
   */
  secret: string;
}

export interface CreateDatabaseRequest {
  /** The ids of backup configurations that the database is added to. */
  backup_configuration_ids?: number[];
  /** The extensions of PostgreSQL that the database is to have. Debian's package is installed where one needs it. */
  extensions?: string[];
  /** Letters, digits, dashes and underscores. */
  name: string;
  /** For a new account; generated and shown once if omitted. */
  password?: string | null;
  /** An account with access to the database: a new one, or an existing one (then without a password). */
  user?: string | null;
}

export interface CreateDatabaseUserRequest {
  /** The databases the account has access to. */
  database_ids?: number[];
  /** Letters, digits, dashes and underscores. */
  name: string;
  /** Printable ASCII. If empty, a password is generated and shown once in meta.shown_once. */
  password: string;
  /** Whether the user can only read. */
  read_only?: boolean;
}

export interface CreateDeploymentWebhookRequest {
  /** Where messages are sent, with POST. */
  url: string;
}

export interface CreateDomainCertificateRequest {
  /** The certificate to copy. For the type clone. */
  clone?: Original;
  /** The subject of the signing request. For the type csr. */
  csr?: Subject;
  /** Whether to activate it immediately, default true. */
  enable?: boolean;
  /** A certificate with its key. For the type existing. */
  existing?: Pair;
  /** How Let's Encrypt issues the certificate. For the type letsencrypt. */
  letsencrypt?: ACMERequest;
  /** Where the certificate comes from. The field of this name has the details. */
  type: CreateDomainCertificateType;
}

export interface CreateDomainRequest {
  /** Whether all subdomains are served as well. */
  allow_wildcard_subdomains: boolean;
  /** The domain name. */
  name: string;
  /** Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither. */
  www_redirect_type: WwwRedirectType;
}

export interface CreateFirewallRuleRequest {
  /** IPv4 and IPv6 addresses and subnets, separated by commas; omit it for any address. */
  ip_address?: unknown;
  /** A name of your choice. */
  name: string;
  /** A port or a range such as 8000:8010. Empty for all ports. */
  port?: string | null;
  /** Whether matching connections are accepted or dropped. */
  type: CreateFirewallRuleType;
}

export interface CreateHeartbeatRequest {
  /** A cron expression with five fields, in the server's time; required when the frequency is -1. */
  custom_frequency?: string;
  /** In minutes; 312480 means monthly (31 days), and -1 means custom_frequency. */
  frequency: number;
  /** The grace period after a call is due, in minutes. */
  grace_period: number;
  /** A name of your choice. */
  name: string;
}

export interface CreateLoadBalancerSiteRequest {
  /** Whether all subdomains are served as well. */
  allow_wildcard_subdomains?: boolean;
  /** How many idle connections to the nodes are kept open, 0 to 256. */
  balancer_keepalive_max_connections?: number;
  /** How a node is chosen: in turn, the one with the fewest connections, or by the visitor's address. */
  balancer_method?: BalancerMethod;
  /** The servers that requests are forwarded to. */
  balancing?: Node[];
  /** The domain that visitors use. */
  domain: string;
}

export interface CreateMonitorRequest {
  /** How many minutes the value must be beyond the threshold, or back within it, for the state to change. Default 1. */
  minutes?: number;
  /** The address to notify of each change of state. */
  notify: string;
  /** Whether the value is too high at or above the threshold (gte), or too low at or below it (lte). */
  operator: Operator;
  /** In percent, except for reboot_required, certificate_days and url. */
  threshold: number;
  /**
   * cpu_load is the one-minute load average per CPU; disk and inodes are the usage of the disk of /. reboot_required
   * is 1 while updates wait for a reboot; use gte and 1. certificate_days is the number of days until the first
   * certificate of a site expires; use lte. url is 1 while the URL, which Hostler requests every minute, fails; use
   * gte and 1.
   */
  type: MonitorType;
  /**
   * For the type url, the URL to request: http or https, without a user, and public unless this installation allows
   * private addresses. The check fails with a status of 400 or more, an invalid certificate, or no response within 10
   * seconds. At most 5 redirects are followed.
   */
  url?: string;
}

export interface CreateNginxTemplateRequest {
  /** The text of the template. */
  content: string;
  /** A name of your choice. */
  name: string;
}

export interface CreateNotificationChannelRequest {
  /** For mail. */
  address?: string | null;
  /** For Telegram: the chat's id, or @channel. */
  chat?: string | null;
  /** Defaults to true. */
  enabled?: boolean;
  /** The events that are notified of. */
  events: CreateNotificationChannelEvent[];
  /** A name of your choice. */
  name: string;
  /** For Telegram, the bot's token; for ntfy, an access token if the topic requires one. It is never returned. */
  token?: string | null;
  /** For ntfy. It is never returned, because anyone who knows the topic of a public server can read its messages. */
  topic?: string | null;
  /** Where notifications are sent. */
  type: NotificationChannelType;
  /** For webhook, Slack, Discord and Teams; for ntfy, the server, default https://ntfy.sh. It is never returned. */
  url?: string | null;
}

export interface CreateNpmCredentialRequest {
  /** The registry's address, without a scheme. */
  registry: string;
  /** Scopes whose packages come from this registry, such as @acme. */
  scopes?: string[] | null;
  /** The access token of the registry. It is never returned. */
  token: string;
}

export interface CreateOAuthClientRequest {
  /** Whether to issue a secret, for applications that can keep one. */
  confidential?: boolean;
  /** The name that people see when they grant access. */
  name: string;
  /** https, http on loopback, or a custom scheme in reverse domain form. They must match exactly. */
  redirect_uris: string[];
  /** The permissions that the application can ask for. */
  scopes: Scope[];
}

export interface CreatePhpVersionRequest {
  /** Use this version as the default php on the command line. */
  cli_default?: boolean;
  /** Use this version as the default for new sites once it is installed. */
  site_default?: boolean;
  /** The version to install. */
  version: CreatePhpVersionVersion;
}

export interface CreateRecipeRequest {
  /** A name of your choice. */
  name: string;
  /** The script, for bash, at most 128 KiB. */
  script: string;
  /** A team to share it with from the start. */
  team_id?: number;
  /** The account that runs the script on a server. */
  user: CreateRecipeUser;
}

export interface CreateRedirectRequest {
  /**
   * A regular expression that is matched against the path, such as ^/old$. Without ^ and $ it matches anywhere in the
   * path.
   */
  from: string;
  /** A path or a URL; $1 to $9 are the parenthesized matches of from. */
  to: string;
  /** redirect responds with 302, permanent with 301. */
  type: RedirectRuleType;
}

export interface CreateRoleRequest {
  /** The name of the role. */
  name: string;
  /** The permissions of the role. The list replaces the previous one. */
  permissions?: Permission[];
}

export interface CreateSFTPUserRequest {
  /** The last day on which the user can log in, such as 2030-12-31, in UTC. Null or omitted for no end. */
  expires_on?: string | null;
  /** Public keys as OpenSSH writes them, without options. PuTTY's format is converted. */
  keys: string[];
  /**
   * The name that the user logs in with: lower-case letters, digits, dashes and underscores. No account of the server
   * may have it.
   */
  name: string;
}

export interface CreateSSHKeyRequest {
  /** A public key in OpenSSH's format, without options. A private key is rejected and not stored. */
  key: string;
  /** A name of your choice. */
  name: string;
  /**
   * Restrictions as in authorized_keys (sshd(8)), such as restrict,from="10.0.0.0/8",expiry-time="20301231". Allowed
   * are from with addresses and networks, expiry-time, permitopen, restrict, pty, port-forwarding, agent-forwarding
   * and their no- forms, no-user-rc, and no-x11-forwarding. Only administrators of the organization
   * (organization:manage) can give them.
   */
  options?: string | null;
  /** root, forge, or the account of a site on the server. */
  user?: string | null;
}

export interface CreateScheduledJobRequest {
  /** One line, which bash runs in the site's directory, or in the account's home. */
  command: string;
  /** A cron expression with five fields, in the server's time; required when the frequency is custom. */
  cron?: string | null;
  /** How often the job runs. custom needs a cron expression, reboot is whenever the server starts. */
  frequency: CreateScheduledJobFrequency;
  /** The heartbeat's grace period, in minutes; default 5. */
  grace_period?: number;
  /** Create a heartbeat that the job calls on success. For jobs of sites. */
  heartbeat?: boolean | null;
  /** A name of your choice; null for none. */
  name?: string | null;
  /** root, forge, or the account of a site on the server. */
  user: string;
}

export interface CreateSecurityRuleRequest {
  /** The users who can open the path. */
  credentials: Credential[];
  /** The text shown to visitors in the password prompt. */
  name: string;
  /** The path to protect, including everything below it. Empty for the whole site. */
  path?: string;
}

export interface CreateServerCredentialRequest {
  /** The API token of the cloud provider. It is never returned. */
  key?: string;
  /** A name of your choice. */
  name: string;
  /** The cloud provider. */
  provider: CreateServerCredentialProvider;
  /** The API token or the secret key. It is never returned. */
  secret: string;
}

export interface CreateServerProviderNetworkRequest {
  /** The name of the new network. */
  name: string;
}

export interface CreateServerRequest {
  /** It has no effect. */
  add_key_to_source_control?: boolean;
  /** Details for the provider akamai. */
  akamai?: AkamaiServer;
  /** Details for the provider aws. */
  aws?: AWSServer;
  /** The id of the server credential, with which the cloud provider is asked; null or omitted for custom. */
  credential_id?: number;
  /** Details for the provider custom. */
  custom?: CustomServer;
  /** The name of the first database. */
  database?: string;
  /** The database to install; null for none. */
  database_type?: CreateServerDatabaseType | null;
  /** Details for the provider hetzner. */
  hetzner?: HetznerServer;
  /** It has no effect. */
  laravel?: LaravelServer;
  /** The name of the server, of at most 30 characters. */
  name: string;
  /** Details for the provider ocean2, which is DigitalOcean. */
  ocean2?: Ocean2Server;
  /** The version of PHP of new sites. */
  php_version?: CreateSitePHPVersion;
  /** The cloud provider; custom for a machine of your own. The field of this name has the details. */
  provider: string;
  /** A recipe that runs when the server is set up; null for none. */
  recipe_id?: number | null;
  /** The names of the server's tags. Missing ones are created. */
  tags?: string[] | null;
  /** If ufw is active, adopt its rules and disable it. Without this, a server with active ufw rules is not set up. */
  take_over?: boolean;
  /** A team to share the server with from the start. */
  team_id?: number | null;
  /** What the server is for, which decides what is installed on it. */
  type: ServerType;
  /** The requested version. Optional for custom servers, where the system is detected. */
  ubuntu_version?: CreateServerUbuntuVersion;
  /** Details for the provider vultr. */
  vultr?: VultrServer;
}

export interface CreateSiteRequest {
  /** Whether all subdomains are served as well. */
  allow_wildcard_subdomains?: boolean;
  /** The branch to deploy; null for the default. */
  branch?: string | null;
  /** A database of the server that the site uses. */
  database_id?: number;
  /** The user with which the site opens the database. */
  database_user_id?: number;
  /** Always custom: an installation has no domain for sites. */
  domain_mode?: string;
  /** The command that builds the frontend: one line of at most 1000 characters. */
  frontend_build_command?: string;
  /** The package manager of the frontend, with which deployments install and build. */
  frontend_package_manager?: string;
  /** Whether the site gets an SSH key of its own to read the repository. */
  generate_deploy_key?: boolean;
  /** Whether deployments install the packages of composer.lock. */
  install_composer_dependencies?: boolean;
  /** Defaults to true for a WordPress that Hostler installs, else to false. */
  is_isolated?: boolean;
  /** The account of an isolated site, of at most 32 characters: lower case, digits, - and _. */
  isolated_user?: string;
  /**
   * How much of its server all that runs for the site may use. Replaces all limits: what is left out has none.
   * Deployments have the same limits once more for themselves. A new site without it has those of its organization
   * (site_limits).
   */
  limits?: LimitValues;
  /** The domain. */
  name: string;
  /** The nginx template of the site's configuration. Without it, the built-in one is used. */
  nginx_template_id?: number;
  /** For nextjs and nuxtjs: whether the application runs as a program (server) or is served as files (static). */
  nuxt_next_mode?: string;
  /** The port on which the application's program listens. Without it, a free one is chosen. */
  nuxt_next_port?: number;
  /** The version of PHP. Without it, new sites get the server's. */
  php_version?: CreateSitePHPVersion;
  /** The private key of a deploy key of your own. It is never returned. */
  private_deploy_key?: string;
  /** The public key of a deploy key of your own; it must match the private key. */
  public_deploy_key?: string;
  /** Whether a push to the branch deploys the site. */
  push_to_deploy?: boolean;
  /** The repository: owner/name at a provider, or the address for custom; null for none. */
  repository?: string | null;
  /** The directory of the application in the repository; null for its top. */
  root_directory?: string | null;
  /**
   * What runs the site's programs, processes, jobs, commands and deploy scripts: system is the Node.js of the server's
   * distribution, node, bun and deno are a version of the site's own; python, ruby and go are what the server's
   * distribution has of these languages, and go with a runtime_version is a version of the site's own. Default system.
   */
  runtime?: CreateSiteRuntime;
  /**
   * The version of the runtime: 20, 22, 24 or 26 of node, 2 of deno or one like 1.25 of go for the newest release of
   * that line, which stays until this field is sent again, or an exact version like 22.11.0. bun has exact versions
   * only.
   */
  runtime_version?: string;
  /** The paths of a release that all releases share, at most 50. */
  shared_paths?: SharedPath[];
  /** The kind of the repository's provider; custom for any other address. */
  source_control_provider?: UpdateGitSourceControlProvider | null;
  /** The id of the connection to the provider. */
  source_control_provider_id?: number | null;
  /**
   * One line that starts the site's own program, which listens on port $PORT of 127.0.0.1: a shell runs it in the
   * directory of the release, as the site's account. For sites of the types other, custom, nextjs and nuxtjs; null for
   * what the type says (npm start).
   */
  start_command?: string | null;
  /** It has no effect. */
  statamic_setup?: string;
  /** It has no effect. */
  statamic_starter_kit?: string;
  /** It has no effect. */
  statamic_super_user_email?: string;
  /** It has no effect. */
  statamic_super_user_password?: string | null;
  /** The names of the site's tags. Missing ones are created. */
  tags?: string[] | null;
  /** The kind of the application, which decides the nginx configuration and the first deploy script. */
  type: CreateSiteType;
  /** The directory, below the root directory, whose files visitors can open. */
  web_directory?: string | null;
  /** Defaults to the caller's address. */
  wordpress_email?: string | null;
  /** Generated if omitted. */
  wordpress_password?: string | null;
  /** The title. Defaults to the domain. */
  wordpress_title?: string | null;
  /** The administrator. Generated if omitted. */
  wordpress_user?: string | null;
  /** Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither. Default none. */
  www_redirect_type?: WwwRedirectType;
  /** Whether each deployment gets a directory of its own, which is served once it is complete. */
  zero_downtime_deployments?: boolean;
}

export interface CreateSourceControlProviderRequest {
  /** The host from which your own GitLab is cloned over SSH, with a port if it is not 22. Defaults to the host of url. */
  clone_host?: string | null;
  /** A name of your choice. */
  name: string;
  /** The kind of the provider; gitlab-custom for a GitLab of your own. */
  provider: SourceControlProviderProvider;
  /** A token that can read repositories and manage their deploy keys and webhooks. It is never returned. */
  token: string;
  /** The address of your own GitLab, such as https://git.example.com. Required for gitlab-custom. */
  url?: string | null;
  /** Only if the token is used as a password: the email address of the Atlassian account. */
  username?: string | null;
}

export interface CreateStorageConfigurationRequest {
  /** It is never returned. */
  access_key?: string | null;
  /** Always false: Hostler does not use the role of the machine it runs on. true is rejected. */
  assume_role?: boolean;
  /** The default bucket, for configurations that do not name one. */
  bucket?: string | null;
  /** The directory in the bucket below which objects are stored; null for its top. */
  directory?: string | null;
  /**
   * Required for custom, such as https://s3.example.com, with path-style bucket addresses. file:/// is a disk of the
   * machine that Hostler runs on, if its operator allows that; sftp://host:port/directory is a directory of an SFTP
   * server.
   */
  endpoint?: string;
  /**
   * For SFTP only: the key that the server must present, such as ssh-ed25519 AAAAC3Nza… If omitted, the response is
   * a 422 with the presented key; no secret is sent before the key is confirmed.
   */
  host_key?: string | null;
  /** A name of your choice. */
  name: string;
  /** The kind of the storage provider; custom for any other S3-compatible one, SFTP or a disk. */
  provider: StorageProviderProvider;
  /** Required unless an endpoint is given. */
  region?: string;
  /**
   * It is never returned. For SFTP, the password of the user named in access_key, or a private key without a
   * passphrase.
   */
  secret_key?: string | null;
}

export interface CreateTeamInviteRequest {
  /** The email address to invite. */
  email: string;
  /** The id of the role that the person has in the team. */
  role_id: number;
}

export interface CreateTeamRequest {
  /** People to invite by email, each with a role. */
  invites?: InviteRef[];
  /** The name of the team. */
  name: string;
  /** Members of the organization, each with a role in the team. */
  users?: MemberRef[];
}

export interface Credential {
  /** The password. It is never returned. */
  password: string;
  /** The user name. */
  username: string;
}

export interface CustomRole {
  /** The fields of the resource. */
  attributes: CustomRoleAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: RoleRelationships;
  /** The type of the resource. */
  type: 'customRoles';
}

export interface CustomRoleAttributes {
  /** When it was created. */
  created_at: string | null;
  /** The name of the role. */
  name: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface CustomServer {
  /** Whether the machine is behind a router, which forwards a port to SSH. */
  behind_nat?: boolean;
  /** The public IP address. */
  ip_address?: string;
  /** The public port that the router forwards to SSH; null for ssh_port. */
  nat_ssh_port?: number | null;
  /** The address in the private network; null if there is none. */
  private_ip_address?: string | null;
  /** The port of SSH on the machine. */
  ssh_port?: number;
}

export interface DNSPlanStep {
  /** What is done about the record. A plan with a refuse is not carried out. */
  action: DNSPlanStepAction;
  /** The name of the record. */
  name: string;
  /** Whether the record is changed or removed only if the request names it in replace. */
  named: boolean;
  /** Why, as a sentence; empty where the action says it. */
  text: string;
  /** The type of the record. */
  type: DNSPlanStepType;
  /** The value that the record gets, or has. */
  value: string;
  /** The value that the provider has; empty for none. */
  was: string;
}

export interface DNSProvider {
  /** The fields of the resource. */
  attributes: DNSProviderAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'dnsProviders';
}

export interface DNSProviderAttributes {
  /** For rfc2136: the algorithm of the TSIG key. */
  algorithm: string | null;
  /** When it was created. */
  created_at: string;
  /** Whether any certificate is renewed through this provider, or the records of any domain are kept there. */
  in_use: boolean;
  /** For rfc2136: the name of the TSIG key. */
  key: string | null;
  /** A name of your choice. */
  name: string;
  /** For rfc2136; null for other providers, as are key and algorithm. */
  nameserver: string | null;
  /** The kind of the DNS provider; rfc2136 for a name server of your own. */
  provider: DNSProviderProvider;
  /** When it was last changed. */
  updated_at: string;
}

export interface DNSRecord {
  /** The values at the provider. */
  found: string[];
  /** The name of the record. */
  name: string;
  /** Whether all nameservers that answered show the value, and no other. */
  seen: boolean;
  /** What nameservers answered. */
  sights: DNSSight[];
  /** Whether the provider has the record as Hostler created it. */
  state: DNSRecordState;
  /** The type of the record. */
  type: DNSRecordType;
  /** The value that the record gets, or has. */
  value: string;
  /** The zone that the record is in. */
  zone: string;
}

export interface DNSSight {
  /** Whether it is a nameserver of the zone, asked directly; else it is a resolver, which may remember an older answer. */
  authoritative: boolean;
  /** Why there was no answer; empty if there was one. */
  problem: string;
  /** The address of the nameserver, or resolver. */
  server: string;
  /** The values that it shows. */
  values: string[];
}

export interface Database {
  /** The fields of the resource. */
  attributes: DatabaseAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: DatabaseResourceMeta;
  /** The type of the resource. */
  type: 'databases';
}

export interface DatabaseAttributes {
  /** When it was created. */
  created_at: string;
  /** The name. */
  name: string;
  /** failed (an addition) if the creation failed: see meta.operation, then retry or delete it. */
  status: DatabaseStatus;
  /** When it was last changed. */
  updated_at: string;
}

export interface DatabaseConnections {
  /** The open connections to the database. */
  count: number;
  /** The open connections to all databases of the server. */
  engine_count: number;
  /** How many connections the engine allows. */
  engine_limit: number;
  /** The limit of connections to the database; null if it has none. */
  limit: number | null;
  /** The 100 accounts with the most connections to the database. */
  users: AccountConnections[];
}

export interface DatabaseExtension {
  /** The version that the database has; null if it does not have the extension. */
  installed: string | null;
  /** Whether Hostler can create it. If its files are not on the server, Debian's package is installed. */
  managed: boolean;
  /** The name. */
  name: string;
  /** The version that the server offers; null if its files are not on the server. */
  offered: string | null;
  /** The schema that the extension is in; null if the database does not have it. */
  schema: string | null;
  /** Whether accounts with write access to the database can create it (CREATE EXTENSION). */
  trusted: boolean;
}

export interface DatabaseResourceMeta {
  /** The extensions of PostgreSQL that Hostler keeps in the database. */
  extensions?: string[];
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface DatabaseUsage {
  /** The fields of the resource. */
  attributes: DatabaseUsageAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'databaseUsages';
}

export interface DatabaseUsageAttributes {
  /** When the engine was asked. */
  checked_at: string;
  /** The open connections. */
  connections: DatabaseConnections;
  /** Those of PostgreSQL; what the database has comes first. */
  extensions: DatabaseExtension[];
  /** What the database takes on the server, in bytes. */
  size: number;
  /** The queries that take longest. */
  slow_queries: SlowQueries;
  /** The number of tables, with those that are not listed. */
  table_count: number;
  /** The 100 largest tables, the largest first. */
  tables: TableUsage[];
}

export interface DatabaseUser {
  /** The fields of the resource. */
  attributes: DatabaseUserAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: DatabaseUserResourceMeta;
  /** The type of the resource. */
  type: 'databaseUsers';
}

export interface DatabaseUserAttributes {
  /** When it was created. */
  created_at: string;
  /** The name. */
  name: string;
  /** failed (an addition) if the creation failed: see meta.operation, then retry or delete it. */
  status: DatabaseUserStatus;
  /** When it was last changed. */
  updated_at: string;
}

export interface DatabaseUserMeta {
  /** Whether the user can open all databases of the server, including future ones. */
  all: boolean;
  /** The ids of the databases that the user can open. */
  database_ids: string[];
  /** Whether the user can only read. */
  read_only: boolean;
}

export interface DatabaseUserResourceMeta {
  /** The databases that the user can open. */
  database_user?: DatabaseUserMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface Delivery {
  /** The fields of the resource. */
  attributes: DeliveryAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'deliveries';
}

export interface DeliveryAttributes {
  /** How often delivery was attempted. */
  attempts: number;
  /** When it was created. */
  created_at: string;
  /** When the delivery succeeded or was given up; null until then. */
  ended_at: string | null;
  /** The event that is reported. */
  event: string;
  /** Why the last attempt failed. */
  failure: string | null;
  /** The message id, the same for every attempt and resend. */
  message_id: string;
  /** When delivery is attempted again; null if it is not. */
  next_attempt_at: string | null;
  /** The body of the request. */
  payload: string;
  /** The beginning of the last response. */
  response: string;
  /** Whether it was delivered. */
  state: DeliveryState;
  /** The status code of the last response; null if there was none. */
  status_code: number | null;
  /** When it was last changed. */
  updated_at: string;
}

export interface DeployHook {
  /** The fields of the resource. */
  attributes: DeployHookAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: DeployHookResourceMeta;
  /** The type of the resource. */
  type: 'deploymentHooks';
}

export interface DeployHookAttributes {
  /** The address whose call deploys the site. It contains a secret. */
  url: string;
}

export interface DeployHookMeta {
  /** The secret of pushes as a signing token of GitLab, used instead of its secret token. */
  signing_token: string;
}

export interface DeployHookResourceMeta {
  /** The secret of the hook in other forms. */
  deploy_hook?: DeployHookMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface DeployKey {
  /** The fields of the resource. */
  attributes: DeployKeyAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'deployKeys';
}

export interface DeployKeyAttributes {
  /** The public key with which the server reads the repository; null if the site has none of its own. */
  key: string | null;
}

export interface Deployment {
  /** The fields of the resource. */
  attributes: DeploymentAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: DeploymentResourceMeta;
  /** The ids of related resources. */
  relationships?: DeploymentRelationships;
  /** The type of the resource. */
  type: 'deployments';
}

export interface DeploymentAttributes {
  /** The commit that was deployed. */
  commit: Commit;
  /** When it was created. */
  created_at: string;
  /** Null until the deployment ends. */
  ended_at: string | null;
  /** Null while queued. */
  started_at: string | null;
  /** How far the deployment is, or how it ended. */
  status: DeploymentStatusValue;
  /** What started the deployment. */
  type: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface DeploymentMeta {
  /**
   * Why it failed, as far as its log says. Only in the answer for one failed deployment, for callers who can read its
   * log, and where it is recognized.
   */
  cause?: Cause;
}

export interface DeploymentOutput {
  /** The fields of the resource. */
  attributes: DeploymentOutputAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'deploymentOutputs';
}

export interface DeploymentOutputAttributes {
  /** What the deployment printed so far. */
  output: string;
}

export interface DeploymentRelationships {
  /** The person who started it; null for a push or a hook. */
  initiator: { data: Ref | null };
  /** The site that was deployed. */
  site: { data: Ref | null };
}

export interface DeploymentResourceMeta {
  /** Why the deployment failed. */
  deployment?: DeploymentMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface DeploymentScript {
  /** The fields of the resource. */
  attributes: DeploymentScriptAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'deploymentScripts';
}

export interface DeploymentScriptAttributes {
  /** Whether the environment file is read before the script, so that the script sees its variables. */
  auto_source: boolean;
  /** The deploy script; null if there is none. */
  content: string | null;
}

export interface DeploymentStatus {
  /** The fields of the resource. */
  attributes: DeploymentStatusAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'deploymentStatuses';
}

export interface DeploymentStatusAttributes {
  /** Null until the deployment starts. */
  started_at: string | null;
  /** How far the newest deployment is, or how it ended; null if there is none. */
  status: DeploymentStatusValue | null;
}

export interface DeploymentWebhook {
  /** The fields of the resource. */
  attributes: DeploymentWebhookAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'deploymentWebhooks';
}

export interface DeploymentWebhookAttributes {
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Callers without permission to manage the site's notifications do not see its path and query. */
  url: string;
}

export interface DomainActionRequest {
  /** Whether to serve the domain, to stop serving it, or to name the site by it. */
  action: DomainActionAction;
}

export interface DomainCertificateActionRequest {
  /** Whether to serve the domain with the certificate or without it. */
  action: DomainCertificateActionAction;
}

export interface DomainDNS {
  /** The fields of the resource. */
  attributes: DomainDNSAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'domainDNS';
}

export interface DomainDNSAttributes {
  /** When the records were last looked at; null if they never were. */
  checked_at: string | null;
  /** The DNS provider where the records are kept; null if Hostler keeps none. */
  dns_provider_id: number | null;
  /** Why there was no answer; empty if there was one. */
  problem: string;
  /** The kind of that provider; null if there is none. */
  provider: string | null;
  /** The records that Hostler made for the domain. */
  records: DNSRecord[];
  /** Where the records are in their life: none if Hostler keeps none, failed if the last work on them failed. */
  status: DomainDNSStatus;
}

export interface DomainDNSPlan {
  /** The fields of the resource. */
  attributes: DomainDNSPlanAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'domainDNSPlans';
}

export interface DomainDNSPlanAttributes {
  /** The DNS provider whose records were read. */
  dns_provider_id: number;
  /** Names this plan. The request that carries it out repeats it. */
  hash: string;
  /** Whether the plan can be carried out. */
  possible: boolean;
  /** The kind of the DNS provider. */
  provider: string;
  /** What is done, in this order. */
  steps: DNSPlanStep[];
}

export interface DomainRecord {
  /** The fields of the resource. */
  attributes: DomainRecordAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'domainRecords';
}

export interface DomainRecordAttributes {
  /** Whether all subdomains are served as well. */
  allow_wildcard_subdomains: boolean;
  /** When it was created. */
  created_at: string;
  /** The domain name. */
  name: string;
  /** Where the domain is in its life on the server. Disabled domains are not served. */
  status: DomainRecordStatus;
  /** Whether the domain names its site (primary) or is a further one (alias). */
  type: DomainRecordType;
  /** When it was last changed. */
  updated_at: string;
  /** Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither. */
  www_redirect_type: WwwRedirectType;
}

export interface DomainRecordConfiguration {
  /** The fields of the resource. */
  attributes: DomainRecordConfigurationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: DomainRecordConfigurationResourceMeta;
  /** The type of the resource. */
  type: string;
}

export interface DomainRecordConfigurationAttributes {
  /** The name of the DNS record. */
  name: string;
  /** The time to live, in seconds; null for any. */
  ttl: number | null;
  /** The type of the DNS record. */
  type: DomainRecordConfigurationType;
  /** The value that the DNS record must have. */
  value: string;
}

export interface DomainRecordConfigurationResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** What DNS shows at the name of the record. */
  record?: RecordMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface DriftDifference {
  /** A diff from the server's content to the planned one; empty for secrets. */
  diff: string;
  /** Whether a repair only reports the difference without fixing it: lost data and manual changes. */
  kept: boolean;
  /** The file that differs; empty if the difference is no file. */
  path: string;
  /** The step of the setup whose result differs. */
  step: string;
  /**
   * missing, content, mode, owner, target, present, foreign, package, user, inactive, masked, disabled, outdated (a
   * program runs with older settings), rights or password (of an account of a database engine), refused (by cron) or
   * overridden (by a file of sshd, PHP-FPM or systemd).
   */
  what: string;
}

export interface DryRun {
  /** The hash of the plan. The same request with it as X-Hostler-Plan is done only if its plan is still this one. */
  hash: string;
  /** The changes of each server. */
  servers: ServerDryRun[] | null;
}

export interface EnableMaintenanceModeRequest {
  /** A path that visitors are redirected to. */
  redirect?: string | null;
  /** Visitors who open this path bypass the page. */
  secret?: string | null;
  /** The status that visitors receive. */
  status: number;
}

export interface EnableOctaneRequest {
  /** The port on which it listens, for nginx only: 1024 to 65535. */
  port: string;
  /** The application server that Octane uses. */
  server: EnableOctaneServer;
}

export interface EnableReverbRequest {
  /** The highest number of simultaneous connections. */
  connections: number;
  /** One of the site's domains, to which clients connect, below /app and /apps. */
  host: string;
  /** The port on which it listens, for nginx only: 1024 to 65535. */
  port: string;
}

export interface Environment {
  /** The fields of the resource. */
  attributes: EnvironmentAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'environments';
}

export interface EnvironmentAttributes {
  /** The text of the environment file. */
  content: string;
}

export interface EnvironmentVersion {
  /** The fields of the resource. */
  attributes: EnvironmentVersionAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: VersionRelationships;
  /** The type of the resource. */
  type: 'environmentVersions';
}

export interface EnvironmentVersionAttributes {
  /** Null in lists. */
  content: string | null;
  /** When the version was written. */
  created_at: string;
  /** The changes since the previous version, as a unified diff; null in lists. */
  diff: string | null;
  /** Whether the version was written to the server. */
  status: EnvironmentVersionStatus;
  /** When it was last changed. */
  updated_at: string;
}

export interface Event {
  /** The fields of the resource. */
  attributes: EventAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: EventResourceMeta;
  /** The ids of related resources. */
  relationships?: EventRelationships;
  /** The type of the resource. */
  type: 'events';
}

export interface EventAttributes {
  /** When it was created. */
  created_at: string;
  /** What was done. */
  description: string;
  /** The account that it ran as on the server; null if it did not run there. */
  ran_as: string | null;
  /** When it was last changed. */
  updated_at: string;
}

export interface EventOutput {
  /** The fields of the resource. */
  attributes: EventOutputAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'eventOutputs';
}

export interface EventOutputAttributes {
  /** What the work printed so far. */
  output: string;
}

export interface EventRelationships {
  /** The person who started it; null if Hostler did. */
  initiator: { data: Ref | null };
  /** The site concerned; null if it is about the server. */
  site: { data: Ref | null };
}

export interface EventResourceMeta {
  /** When the work succeeded, and for whom. Of one event. */
  applied?: Applied;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** The plan with whose hash the work was accepted; only the hash without its permissions. Of one event. */
  plan?: DryRun;
  /** How work that succeeded was verified. Of one event. */
  proof?: Proof;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** The name of the event's server. */
  server_name?: string;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** What would undo the change. Of one event, if you may send it and nothing has changed since. */
  undo?: Undo;
}

export interface File {
  /** The fields of the resource. */
  attributes: FileAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: FileResourceMeta;
  /** The type of the resource. */
  type: 'siteFiles';
}

export interface FileAttributes {
  /** The name of the file's group, or its number. */
  group: string;
  /** Other is a named pipe, a socket or a device, which is never opened. */
  kind: FileKind;
  /** What a link leads to. Links that lead out of the site's directory are not followed. */
  leads_to: FileLeadsTo | null;
  /** The permissions in octal, such as 0644. */
  mode: string;
  /** When the content last changed. */
  modified_at: string;
  /** The name in its directory. */
  name: string;
  /** The name of the file's owner, or its number. */
  owner: string;
  /** The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN. */
  path: string;
  /** The size in bytes. */
  size: number;
  /** Where a link points. */
  target: string | null;
}

export interface FileContent {
  /** The fields of the resource. */
  attributes: FileContentAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: FileContentResourceMeta;
  /** The type of the resource. */
  type: 'siteFileContents';
}

export interface FileContentAttributes {
  /** The content of the file; null if it is not UTF-8 or larger than 512 KiB. */
  content: string | null;
  /** The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN. */
  path: string;
  /** A hash of the content; null for a file larger than 512 KiB. */
  revision: string | null;
  /** The size in bytes. */
  size: number;
  /** Whether content is all of the file. */
  text: boolean;
}

export interface FileContentResourceMeta {
  /** Where the file is, and what deployments do with it. */
  file?: FileMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface FileDiff {
  /** The difference, in the unified format. */
  diff: string;
  /** The path of the file on the server. */
  path: string;
}

export interface FileMeta {
  /** The sum of the sizes of files; null unless count is true. */
  bytes: number | null;
  /** What deployments do with a change: it is kept; it is lost with its release; or the repository may replace it. */
  deployment: FileMetaDeployment;
  /** The number of files and directories, with this one; null unless count is true. */
  entries: number | null;
  /** Whether the file was written over instead of being replaced, as it has several names, another owner or a mount. */
  in_place: boolean;
  /** What else writes the file: environment is the site's .env, which has operations of its own. */
  managed_by: FileMetaManagedBy | null;
  /** Where the file is after links were followed. */
  path: string;
}

export interface FileResourceMeta {
  /** Where the file is, and what deployments do with it. */
  file?: FileMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface FleetMetric {
  /** The fields of the resource. */
  attributes: FleetMetricAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'fleetMetrics';
}

export interface FleetMetricAttributes {
  /** Percent, averaged over the servers with measurements. As in all lists, null is a step without measurements. */
  cpu: (number | null)[];
  /** Like cpu. */
  cpu_load: (number | null)[];
  /** Like cpu. */
  disk: (number | null)[];
  /** The beginning of the first step. */
  from: string;
  /** Bytes per second, summed over all servers. */
  network_received: (number | null)[];
  /** Bytes per second, summed over all servers. */
  network_sent: (number | null)[];
  /** The period that the values are of. */
  range: Range;
  /** The servers with measurements, by name. */
  servers: FleetServer[];
  /** The length of a step, in seconds. */
  step: number;
  /** The end of the last step, which may still be in progress. */
  until: string;
  /** Like cpu. */
  used_memory: (number | null)[];
}

export interface FleetServer {
  /** Percent, to one decimal place. */
  cpu: (number | null)[];
  /** The name of the server. */
  name: string;
  /** The id of the server. */
  server_id: number;
}

export interface ForgeRecipe {
  /** The fields of the resource. */
  attributes: ForgeRecipeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'forgeRecipes';
}

export interface ForgeRecipeAttributes {
  /** Null: the recipe is built in. */
  created_at: string | null;
  /** What the recipe does. */
  info: string;
  /** A name of your choice. */
  name: string;
  /** The script, for bash. */
  script: string;
  /** Null: the recipe is built in. */
  updated_at: string | null;
  /** The account that runs the script. */
  user: string;
}

export interface HealthcheckEndpoint {
  /** The fields of the resource. */
  attributes: HealthcheckEndpointAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'healthcheckEndpoints';
}

export interface HealthcheckEndpointAttributes {
  /** The URL that is requested after a deployment; null for none. */
  healthcheck_endpoint: string | null;
}

export interface Heartbeat {
  /** The fields of the resource. */
  attributes: HeartbeatAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: HeartbeatResourceMeta;
  /** The type of the resource. */
  type: 'heartbeats';
}

export interface HeartbeatAttributes {
  /** The cron expression of the frequency -1, in the server's time; null or omitted for others. */
  custom_frequency: string | null;
  /** In minutes; 312480 means monthly (31 days), and -1 means custom_frequency. */
  frequency: number;
  /** In minutes. */
  grace_period: number;
  /** A name of your choice. */
  name: string;
  /** Call it with GET, HEAD or POST. Null without permission to manage heartbeats. */
  ping_url: string | null;
  /** Null while the state is unknown, because calls may have been made while Hostler was not running. */
  status: HeartbeatStatus | null;
}

export interface HeartbeatMeta {
  /** When the next call is due; null if none is expected yet. */
  due_at: string | null;
  /** When the heartbeat was last called; null for never. */
  last_ping_at: string | null;
}

export interface HeartbeatResourceMeta {
  /** When the heartbeat was called, and when the next call is due. */
  heartbeat?: HeartbeatMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface HetznerServer {
  /** Whether the cloud provider backs up the machine every day, which costs more. */
  enable_daily_backups?: boolean;
  /** Whether the cloud provider backs up the machine every week, which costs more. */
  enable_weekly_backups?: boolean;
  /** The id of the private network at the cloud provider. */
  network_id?: number;
  /** The code of the region, as the provider's regions list it. */
  region_id?: string;
  /** The code of the size, as the region's sizes list it. */
  size_id?: string;
}

export interface HorizonIntegration {
  /** The fields of the resource. */
  attributes: HorizonIntegrationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: IntegrationRelationships;
  /** The type of the resource. */
  type: 'horizonIntegrations';
}

export interface HorizonIntegrationAttributes {
  /** Whether the integration is on. */
  enabled: string;
  /** Whether the site has the package laravel/horizon. */
  horizon_installed: boolean;
}

export interface HostKey {
  /** As ssh-keygen -l prints it. */
  fingerprint: string;
  /** The public key, in the form of OpenSSH. */
  public_key: string;
}

export interface ImportRedirectsRequest {
  /** Whether the rules are added to the existing ones or replace them. */
  mode: ImportRedirectsMode;
}

export interface InertiaIntegration {
  /** The fields of the resource. */
  attributes: InertiaIntegrationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: IntegrationRelationships;
  /** The type of the resource. */
  type: 'inertiaIntegrations';
}

export interface InertiaIntegrationAttributes {
  /** Whether the integration is on. */
  enabled: string;
  /** Whether the site has Inertia's package for server-side rendering. */
  inertia_installed: boolean;
}

export interface InstallCertificateRequest {
  /** The certificate and its intermediates, as PEM. */
  certificate: string;
}

export interface IntegrationRelationships {
  /** The background process of the integration; null while it is off. */
  backgroundProcess: { data: Ref | null };
}

export interface InviteRef {
  /** The email address to invite. */
  email: string;
  /** The role that the person has. */
  role?: RoleRef;
}

export interface Job {
  /** The fields of the resource. */
  attributes: JobAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: JobResourceMeta;
  /** The type of the resource. */
  type: 'scheduledJobs';
}

export interface JobAttributes {
  /** The command, which bash runs. */
  command: string;
  /** When it was created. */
  created_at: string | null;
  /** The cron expression of the schedule. */
  cron: string;
  /** A display name, such as Minutely or Custom. */
  frequency: string;
  /** A name of your choice; null for none. */
  name: string | null;
  /** By the server's clock, in UTC; empty for jobs that run when the server starts. */
  next_run_time: string;
  /** Whether the job is on the server. */
  status: string;
  /** When it was last changed. */
  updated_at: string | null;
  /** The account that the job runs as. */
  user: string;
}

export interface JobMeta {
  /** The heartbeat that the job calls on success; null for none. */
  heartbeat_id: number | null;
  /** The integration that created it; empty if it was created directly. */
  integration: string;
  /** The site that the job belongs to; null for a job of the server. */
  site_id: number | null;
  /** Why the server's cron has not started it although it was due; empty if it has, or if it was not due yet. */
  unstarted: string;
}

export interface JobOutput {
  /** The fields of the resource. */
  attributes: JobOutputAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'scheduledJobOutputs';
}

export interface JobOutputAttributes {
  /** The first line contains the start time and the result of the run. */
  output: string;
}

export interface JobRelationships {
  /** The scheduled job of the integration; null while it is off. */
  job: { data: Ref | null };
}

export interface JobResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** What the scheduled job belongs to. */
  job?: JobMeta;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface Key {
  /** The fields of the resource. */
  attributes: KeyAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: KeyResourceMeta;
  /** The type of the resource. */
  type: 'keys';
}

export interface KeyAttributes {
  /** When it was created. */
  created_at: string;
  /** The user who added the key; null once that account is deleted. */
  created_by: number | null;
  /** A name of your choice. */
  name: string;
  /** Whether the key is on the server. */
  status: string;
  /** When it was last changed. */
  updated_at: string;
  /** The account that the key opens. */
  user: string;
}

export interface KeyMeta {
  /** What restricts the key, as in authorized_keys. */
  options: string;
}

export interface KeyResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** The options of the key. */
  ssh_key?: KeyMeta;
}

export interface LaravelMaintenanceIntegration {
  /** The fields of the resource. */
  attributes: LaravelMaintenanceIntegrationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'laravelMaintenanceIntegrations';
}

export interface LaravelMaintenanceIntegrationAttributes {
  /** Whether the integration is on. */
  enabled: boolean;
  /** Whether the site is a Laravel application. */
  laravel_installed: boolean;
  /** The change in progress; null if there is none. */
  status: MaintenanceModeStatus | null;
}

export interface LaravelSchedulerIntegration {
  /** The fields of the resource. */
  attributes: LaravelSchedulerIntegrationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: JobRelationships;
  /** The type of the resource. */
  type: 'laravelSchedulerIntegrations';
}

export interface LaravelSchedulerIntegrationAttributes {
  /** Whether the integration is on. */
  enabled: boolean;
  /** Whether the site is a Laravel application. */
  laravel_installed: boolean;
}

export interface LaravelServer {
  /** The code of the region, as the provider's regions list it. */
  region_id?: string;
  /** The code of the size, as the region's sizes list it. */
  size_id?: string;
  /** The id of the private network at the cloud provider. */
  vpc_uuid?: string;
}

export interface LimitValues {
  /** Concurrent requests, 5 to 1000000; others get 503. */
  connections?: number | null;
  /** Percent of one processor, 5 to 100000. */
  cpu_quota?: number | null;
  /** Share of busy processors, to 10000; others: 100. */
  cpu_weight?: number | null;
  /** MB that the site's directory may hold, at least 10. */
  disk_max?: number | null;
  /** Share of a busy disk, to 10000; others: 100. */
  io_weight?: number | null;
  /** MB above which programs are slowed; 64 or more. */
  memory_high?: number | null;
  /** The same in percent of all memory, 1 to 100. */
  memory_high_percent?: number | null;
  /** MB above which programs are ended; 64 or more. */
  memory_max?: number | null;
  /** The same in percent of all memory, 1 to 100. */
  memory_max_percent?: number | null;
  /** Open files of each process, 256 to 1048576. */
  open_files?: number | null;
  /** Processes and threads, 32 to 1000000. */
  tasks_max?: number | null;
}

export interface LimitsInForce {
  /** Concurrent requests that are answered. */
  connections: number | null;
  /** In percent of one processor. */
  cpu_quota: number | null;
  /** Share of the processors while they are all busy; others have 100. */
  cpu_weight: number | null;
  /** Of the site's directory, in MB. */
  disk_max: number | null;
  /** Share of the disk while it is busy; others have 100. */
  io_weight: number | null;
  /** In MB; null for no limit, as in all of these. */
  memory_high: number | null;
  /** In percent of the server's memory. */
  memory_high_percent: number | null;
  /** In MB. */
  memory_max: number | null;
  /** In percent of the server's memory. */
  memory_max_percent: number | null;
  /** Of each process. */
  open_files: number | null;
  /** Number of processes and threads. */
  tasks_max: number | null;
}

export interface Link {
  /** The address of a description of what is linked. */
  describedby?: string;
  /** The address. */
  href: string;
  /** The languages of what is linked. */
  hreflang?: unknown;
  /** More about the link. */
  meta?: Record<string, unknown>;
  /** How the address relates to the resource. */
  rel?: string;
  /** A name of the link for people. */
  title?: string;
  /** The media type of what is linked. */
  type?: string;
}

export interface LoadBalancingNode {
  /** The fields of the resource. */
  attributes: LoadBalancingNodeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'loadBalancingNodes';
}

export interface LoadBalancingNodeAttributes {
  /** Whether the node is only used while all others are unavailable. */
  backup: boolean;
  /** Whether the node gets no requests. */
  down: boolean;
  /** The port of the node. */
  port: number;
  /** The id of the node's server. */
  server_id: unknown;
  /** The node's share of the requests, relative to the others. */
  weight: number;
}

export interface LogMeta {
  /** The offset behind the last returned line. */
  end: number;
  /** Whether there are lines before start. */
  more: boolean;
  /** The file; empty if it does not exist yet. */
  path: string;
  /** The offset of the first line in the file. Pass it as before= to get the previous page. */
  start: number;
}

export interface MaintenanceMode {
  /** Whether the maintenance page is shown. */
  enabled: boolean;
  /** The change in progress; null if there is none. */
  status: MaintenanceModeStatus | null;
}

export interface Mark {
  /** When it happened. */
  at: string;
  /** What happened. */
  description: string;
  /** The id of the event that shows it. */
  event_id: number;
  /** The kind of the event. */
  kind: MarkKind;
}

export interface MemberRef {
  /** The id of the person. */
  id: number;
  /** The role that the person has. */
  role?: RoleRef;
}

export interface Membership {
  /** The fields of the resource. */
  attributes: MembershipAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: MembershipRelationships;
  /** The type of the resource. */
  type: 'memberships';
}

export interface MembershipAttributes {
  /** When it was created. */
  created_at: string | null;
  /** The email address of the person. */
  email: string;
  /** The name of the person. */
  name: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface MembershipRelationships {
  /** The role that the person has. */
  role: { data: Ref | null };
}

export interface Meta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface Metric {
  /** The fields of the resource. */
  attributes: MetricAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'metrics';
}

export interface MetricAttributes {
  /**
   * The percentage of the time of all CPUs during which programs ran. As in all lists, null is a step without
   * measurements.
   */
  cpu: (number | null)[];
  /** The one-minute load average per CPU, in percent. */
  cpu_load: (number | null)[];
  /** The percentage of the disk of / that is in use. */
  disk: (number | null)[];
  /** The beginning of the first step. */
  from: string;
  /** What happened during this time: the newest 200, oldest first. */
  marks: Mark[];
  /** Bytes per second. */
  network_received: (number | null)[];
  /** Bytes per second. */
  network_sent: (number | null)[];
  /** The period that the values are of. */
  range: Range;
  /** The length of a step, in seconds. */
  step: number;
  /** The end of the last step, which may still be in progress. */
  until: string;
  /** The percentage of memory that is not available to programs. */
  used_memory: (number | null)[];
}

export interface Monitor {
  /** The fields of the resource. */
  attributes: MonitorAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: MonitorResourceMeta;
  /** The type of the resource. */
  type: 'monitors';
}

export interface MonitorAttributes {
  /** When it was created. */
  created_at: string;
  /** How many minutes the value must be beyond the threshold, or back within it, for the state to change. */
  minutes: number | null;
  /** The email address that is notified of each change of state. */
  notify: string;
  /** Whether the value is too high at or above the threshold (gte), or too low at or below it (lte). */
  operator: Operator;
  /** Whether the value is within the threshold. UNKNOWN until there is a value. */
  state: MonitorState;
  /** When the state last changed; null if it never did. */
  state_changed_at: string | null;
  /** Whether the monitor is set up on the server. */
  status: MonitorStatus;
  /** The value that is compared; in percent, except for reboot_required, certificate_days and url. */
  threshold: number;
  /** What is measured. */
  type: MonitorType;
  /** When it was last changed. */
  updated_at: string;
}

export interface MonitorMeta {
  /** The URL that is requested; empty unless the type is url. */
  url: string;
}

export interface MonitorResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest value of the monitor. */
  monitor?: MonitorMeta;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** The address that is notified. */
  recipient?: State;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface MoveFileRequest {
  /** The path that it gets, from the site's directory. It must be free. */
  new_path: string;
  /** The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN. */
  path: string;
}

export interface MysqlServiceActionRequest {
  /** What to do with the service. reboot restarts it. */
  action: MysqlServiceActionAction;
}

export interface NginxAccessLog {
  /** The fields of the resource. */
  attributes: NginxAccessLogAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: NginxAccessLogResourceMeta;
  /** The type of the resource. */
  type: 'nginxAccessLogs';
}

export interface NginxAccessLogAttributes {
  /** The lines of the log, oldest first. */
  content: string;
}

export interface NginxAccessLogResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** Where in the log the returned lines are. */
  log?: LogMeta;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface NginxConfig {
  /** The fields of the resource. */
  attributes: NginxConfigAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: NginxConfigResourceMeta;
  /** The type of the resource. */
  type: 'nginxConfigs';
}

export interface NginxConfigAttributes {
  /** The configuration that is installed, or is being installed; null while the domain is not served. */
  content: string | null;
}

export interface NginxConfigResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** About the nginx configuration. */
  nginx?: NginxMeta;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface NginxErrorLog {
  /** The fields of the resource. */
  attributes: NginxErrorLogAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: NginxErrorLogResourceMeta;
  /** The type of the resource. */
  type: 'nginxErrorLogs';
}

export interface NginxErrorLogAttributes {
  /** The lines of the log, oldest first. */
  content: string;
}

export interface NginxErrorLogResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** Where in the log the returned lines are. */
  log?: LogMeta;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface NginxMeta {
  /** Whether a user wrote the configuration. */
  custom: boolean;
  /** A unified diff from the server's file to the intended one; empty if they are the same. */
  drift: string;
  /** Why the intended configuration, or the difference, can't be determined. */
  problem: string | null;
  /** Why a kept configuration would be rejected now; empty if it would be accepted, null if it was not checked. */
  refused: string | null;
  /**
   * The rule for a user's configuration: judged is restricted to the site; root was written by a caller who can act as
   * root on the server; kept predates the restrictions. Empty for Hostler's own configuration.
   */
  rule: NginxMetaRule;
  /**
   * Which other limit of the size of requests decides, where it differs from that of the configuration: that of PHP,
   * or of the sites behind a load balancer. Null if none does.
   */
  sizes: string | null;
}

export interface NginxServiceActionRequest {
  /** What to do with the service. reboot restarts it. */
  action: MysqlServiceActionAction;
}

export interface NginxTemplate {
  /** The fields of the resource. */
  attributes: NginxTemplateAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'nginxTemplates';
}

export interface NginxTemplateAttributes {
  /** The text of the template. */
  content: string;
  /** When it was created. */
  created_at: string | null;
  /** A name of your choice. */
  name: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface Node {
  /** Whether the node is only used while all others are unavailable. */
  backup?: boolean;
  /** Whether the node gets no requests. */
  down?: boolean;
  /** The port of the node. */
  port?: number;
  /** Required. */
  server_id?: number;
  /** The node's share of the requests, relative to the others. */
  weight?: number;
}

export interface NotificationChannel {
  /** The fields of the resource. */
  attributes: NotificationChannelAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: NotificationChannelResourceMeta;
  /** The type of the resource. */
  type: 'notificationChannels';
}

export interface NotificationChannelAttributes {
  /** When it was created. */
  created_at: string;
  /** Whether notifications are sent. */
  enabled: boolean;
  /** The events that are notified of. */
  events: string[];
  /** A name of your choice. */
  name: string;
  /** The part of the destination that is not secret. */
  target: string;
  /** Where notifications are sent. */
  type: NotificationChannelType;
  /** When it was last changed. */
  updated_at: string;
}

export interface NotificationChannelResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** The address that is notified. */
  recipient?: State;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface NpmCredential {
  /** The fields of the resource. */
  attributes: NpmCredentialAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: string;
}

export interface NpmCredentialAttributes {
  /** The registry that npm downloads from, without https://. */
  registry: string;
  /** The scopes that are installed from this registry, such as @acme; empty for all packages. */
  scopes: string[];
  /** Always empty: the secret is never shown. */
  token: string;
}

export interface OAuthClient {
  /** The fields of the resource. */
  attributes: OAuthClientAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'oauthClients';
}

export interface OAuthClientAttributes {
  /** The id that the application names itself by in the OAuth 2.0 flow. */
  client_id: string;
  /** Whether the client has a secret. A client without one must use PKCE. */
  confidential: boolean;
  /** When it was created. */
  created_at: string;
  /** The name that people see when they grant access. */
  name: string;
  /** The addresses that people may be sent back to. */
  redirect_uris: string[] | null;
  /** The scopes that the client can request. */
  scopes: string[] | null;
  /** When it was last changed. */
  updated_at: string;
}

export interface OSMeta {
  /** The architecture of the processor. */
  arch: string;
  /** The system's id in /etc/os-release, such as ubuntu or debian. */
  id: string;
  /** The system's name with its version, as it names itself. */
  name: string;
  /** The version of the system, such as 24.04. */
  version: string;
}

export interface Ocean2Server {
  /** Whether the cloud provider backs up the machine every week, which costs more. */
  enable_weekly_backups?: boolean;
  /** The code of the region, as the provider's regions list it. */
  region_id?: string;
  /** The code of the size, as the region's sizes list it. */
  size_id?: string;
  /** The id of the private network at the cloud provider. */
  vpc_uuid?: string;
}

export interface OctaneIntegration {
  /** The fields of the resource. */
  attributes: OctaneIntegrationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: IntegrationRelationships;
  /** The type of the resource. */
  type: 'octaneIntegrations';
}

export interface OctaneIntegrationAttributes {
  /** Whether the integration is on. */
  enabled: string;
  /** Whether the site has the package laravel/octane. */
  octane_installed: boolean;
  /** The port on which the program listens, for nginx only; null while the integration is off. */
  port: number | null;
}

export interface OfferedSize {
  /** The fields of the resource. */
  attributes: OfferedSizeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'offeredSizes';
}

export interface OfferedSizeAttributes {
  /** The size's code, for size_id. */
  code: string;
  /** Null if neither the provider nor the built-in list has this value. */
  cpus: number | null;
  /** An ISO 4217 code; null if there is no price. */
  currency: string | null;
  /** In GB; null if it is chosen when the server is ordered. */
  disk: number | null;
  /** The name of the size, as the cloud provider shows it. */
  name: string;
  /** The provider's current price, a decimal number without taxes; null if the provider does not publish it. */
  price_monthly: string | null;
  /** In MB. */
  ram: number | null;
}

export interface OperationMeta {
  /** What the work does, such as create, update or delete. */
  action: string;
  /** How often the work was begun. */
  attempt: number;
  /** When the work fails if it has not ended. */
  deadline: string;
  /** When the work ended; absent until then. */
  ended_at?: string;
  /** The id of the event that shows the work and its output. */
  event_id: string | null;
  /** The id of the work. */
  id: string;
  /** Why the work failed, was cancelled or has not begun; null if there is nothing to say. */
  reason: string | null;
  /**
   * The reason as a code, which never changes its meaning: one of the list in the API's guide. Absent without a
   * reason. More codes may come.
   */
  reason_code?: string;
  /** What the code is about, such as operation_id, status, parts or last_code. */
  reason_params?: Record<string, unknown>;
  /** Whether the server is rolled back if the work ends early. */
  reversible: boolean;
  /** Where the work is: waiting, in progress, or ended in one of three ways. */
  state: OperationMetaState;
  /** The step that the work is at, or ended at; null before the first one. */
  step: string | null;
}

export interface OptionalCredential {
  /** The password. It is never returned. */
  password?: string;
  /** The user name. */
  username: string;
}

export interface Organization {
  /** The fields of the resource. */
  attributes: OrganizationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: OrganizationResourceMeta;
  /** The type of the resource. */
  type: 'organizations';
}

export interface OrganizationAttributes {
  /** When it was created. */
  created_at: string | null;
  /** The name of the organization. */
  name: string;
  /** The organization's part of paths. */
  slug: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface OrganizationResourceMeta {
  /** How the installation delivers its emails: by mail, or, without a mail server, into its log. */
  delivery?: OrganizationResourceMetaDelivery;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** What the caller may do in the organization. On what is shared with a team, the role in the team decides. */
  permissions?: string[] | null;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** The limits of new sites that are created without limits. */
  site_limits?: LimitsInForce;
}

export interface Original {
  /** The id of a certificate of the same organization. */
  certificate_id?: number;
}

export interface Pair {
  /** The certificate and its intermediates, as PEM. */
  certificate?: string;
  /** The private key, as PEM. It is never returned. */
  key?: string;
}

export interface PermissionAttributes {
  /** The permission, as tokens name it in their scopes. */
  name: string;
}

export interface PermissionResource {
  /** The fields of the resource. */
  attributes: PermissionAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'permissions';
}

export interface PhpCliConfiguration {
  /** The fields of the resource. */
  attributes: PhpCliConfigurationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'phpCliConfigurations';
}

export interface PhpCliConfigurationAttributes {
  /** The lines that are added to the distribution's configuration; empty for none. */
  configuration: string;
}

export interface PhpFpmConfiguration {
  /** The fields of the resource. */
  attributes: PhpFpmConfigurationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'phpFpmConfigurations';
}

export interface PhpFpmConfigurationAttributes {
  /** The lines that are added to the distribution's configuration; empty for none. */
  configuration: string;
}

export interface PhpMaxExecutionTime {
  /** The fields of the resource. */
  attributes: PhpMaxExecutionTimeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'phpMaxExecutionTimes';
}

export interface PhpMaxExecutionTimeAttributes {
  /** In seconds; null for PHP's own limit. */
  max_execution_time: number | null;
}

export interface PhpMaxUploadSize {
  /** The fields of the resource. */
  attributes: PhpMaxUploadSizeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'phpMaxUploadSizes';
}

export interface PhpMaxUploadSizeAttributes {
  /** In megabytes; null for PHP's own limit. */
  max_upload_size: number | null;
}

export interface PhpOpcache {
  /** The fields of the resource. */
  attributes: PhpOpcacheAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'phpOpcaches';
}

export interface PhpOpcacheAttributes {
  /** Whether OPcache is on. */
  opcache_enabled: boolean;
}

export interface PhpPoolConfiguration {
  /** The fields of the resource. */
  attributes: PhpPoolConfigurationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'phpPoolConfigurations';
}

export interface PhpPoolConfigurationAttributes {
  /** The lines that are added to the distribution's configuration; empty for none. */
  configuration: string;
}

export interface PhpServiceActionRequest {
  /** What to do with the service. reboot restarts it. */
  action: PhpServiceActionAction;
  /** The version of PHP to act on. */
  version: CreatePhpVersionVersion;
}

export interface PhpVersion {
  /** The fields of the resource. */
  attributes: PhpVersionAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'phpVersions';
}

export interface PhpVersionAttributes {
  /** The command that runs this version, such as php8.4. */
  binary_name: string;
  /** When it was created. */
  created_at: string;
  /** Whether the version is installed on the server. */
  status: string;
  /** When it was last changed. */
  updated_at: string;
  /** The version of PHP. */
  version: PhpVersionVersion;
}

export interface PostgresServiceActionRequest {
  /** What to do with the service. reboot restarts it. */
  action: MysqlServiceActionAction;
}

export interface PredefinedRole {
  /** The fields of the resource. */
  attributes: PredefinedRoleAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: RoleRelationships;
  /** The type of the resource. */
  type: 'predefinedRoles';
}

export interface PredefinedRoleAttributes {
  /** Always null: predefined roles are part of the program. */
  created_at: string | null;
  /** The name of the role. */
  name: string;
  /** Always null: predefined roles are part of the program. */
  updated_at: string | null;
}

export interface ProcessMeta {
  /** The integration that created it; empty if it was created directly. */
  integration: string;
  /** A name of your choice. */
  name: string;
  /** The site that the process belongs to; null or omitted for none. */
  site_id: number | null;
  /** How many seconds an instance must run to count as running. */
  startsecs: number;
  /** The signal that stops an instance. */
  stopsignal: string;
  /** How many seconds an instance is given to stop before it is killed. */
  stopwaitsecs: number;
}

export interface Proof {
  /** The time of the last check; null without one. */
  at: string | null;
  /** What was asked after the change, each with what was seen. */
  checks: Check[] | null;
  /** passed, or none where nothing was checked. */
  result: ProofResult;
}

export interface Proposal {
  /** The web directory. */
  directory?: string;
  /** What runs the site's programs. */
  runtime?: string;
  /** The version of the runtime. */
  runtime_version?: string;
  /** The line that starts the program. */
  start_command?: string;
}

export interface Proposed {
  /** A deploy script that fits; null if the site's does, or is its own. */
  deploy_script: string | null;
  /** The fields of an update of the site; null for none. */
  site: Proposal;
  /** The type of site that can run it; null if this one can. */
  type: string | null;
}

export interface Provider {
  /** The fields of the resource. */
  attributes: ProviderAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ProviderResourceMeta;
  /** The type of the resource. */
  type: 'providers';
}

export interface ProviderAttributes {
  /** The currency of prices. */
  currency: string;
  /** The symbol of the currency. */
  currency_symbol: string;
  /** The region that is proposed first; null for none. */
  default_region_code: string | null;
  /** The size that is proposed first; null for none. */
  default_size_code: string | null;
  /** The name, as the cloud provider shows it. */
  name: string;
  /** A short form of the name; null if there is none. */
  simple_name: string | null;
  /** The provider's value in requests. */
  slug: string;
}

export interface ProviderRegion {
  /** The fields of the resource. */
  attributes: ProviderRegionAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ProviderRegionResourceMeta;
  /** The type of the resource. */
  type: 'providerRegions';
}

export interface ProviderRegionAttributes {
  /** Another code of the region; null if there is none. */
  alternate_code: string | null;
  /** The code, for requests. */
  code: string;
  /** The name, as the cloud provider shows it. */
  name: string;
}

export interface ProviderRegionResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** About the data of the provider that the answer was made from. */
  snapshot?: SnapshotMeta;
}

export interface ProviderRegionSize {
  /** The fields of the resource. */
  attributes: ProviderRegionSizeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ProviderRegionSizeResourceMeta;
  /** The type of the resource. */
  type: 'providerSizes';
}

export interface ProviderRegionSizeAttributes {
  /** The name, as the cloud provider shows it. */
  name: string;
}

export interface ProviderRegionSizeResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** About the data of the provider that the answer was made from. */
  snapshot?: SnapshotMeta;
}

export interface ProviderResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** About the data of the provider that the answer was made from. */
  snapshot?: SnapshotMeta;
}

export interface ProviderSize {
  /** The fields of the resource. */
  attributes: ProviderSizeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ProviderSizeResourceMeta;
  /** The type of the resource. */
  type: 'providerSizes';
}

export interface ProviderSizeAttributes {
  /** The architecture of the processor. */
  architecture: string;
  /** The group of sizes that it belongs to. */
  category: string;
  /** The code, for requests. */
  code: string;
  /** The number of virtual processors. */
  cpus: number;
  /** In GB; 0 if it is chosen when the server is ordered. */
  disk: number;
  /** The kind of the disk. */
  disk_type: string;
  /** The name, as the cloud provider shows it. */
  name: string;
  /** In MB. */
  ram: number;
  /** The series of machines that it belongs to. */
  series: string;
}

export interface ProviderSizeResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** About the data of the provider that the answer was made from. */
  snapshot?: SnapshotMeta;
}

export interface PulseIntegration {
  /** The fields of the resource. */
  attributes: PulseIntegrationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: IntegrationRelationships;
  /** The type of the resource. */
  type: 'pulseIntegrations';
}

export interface PulseIntegrationAttributes {
  /** Whether the integration is on. */
  enabled: string;
  /** Whether the site has the package laravel/pulse. */
  pulse_installed: boolean;
}

export interface PushDelivery {
  /** The fields of the resource. */
  attributes: PushDeliveryAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'pushDeliveries';
}

export interface PushDeliveryAttributes {
  /** Empty if none was named. */
  branch: string;
  /** Empty if none was named. */
  commit_hash: string;
  /** When it was created. */
  created_at: string;
  /** The deployment that the push started. */
  deployment_id: number | null;
  /** The sender's name of the event. */
  event: string;
  /** Why nothing was deployed; empty if the site was deployed. */
  reason: string;
  /** github, gitlab, gitea, forgejo, gogs, gitee, bitbucket or unknown, by the headers of the request. */
  sender: string;
  /** refused: the signature is wrong; only the newest of these is kept. */
  verdict: PushDeliveryVerdict;
}

export interface RateLimit {
  /** The fields of the resource. */
  attributes: RateLimitAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'rateLimits';
}

export interface RateLimitAttributes {
  /** The installation's limit. */
  default: number;
  /** The highest limit that can be set, in requests per minute. */
  maximum: number;
  /** The lowest limit that can be set, in requests per minute. */
  minimum: number;
  /** The limit of each token and person in this organization; null for the installation's limit. */
  requests_per_minute: number | null;
}

export interface Recipe {
  /** The fields of the resource. */
  attributes: RecipeAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'recipes';
}

export interface RecipeAttributes {
  /** When it was created. */
  created_at: string;
  /** A name of your choice. */
  name: string;
  /** The script, for bash. */
  script: string;
  /** When it was last changed. */
  updated_at: string;
  /** The account that runs the script. */
  user: string;
}

export interface RecipeLog {
  /** The fields of the resource. */
  attributes: RecipeLogAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'recipeLogs';
}

export interface RecipeLogAttributes {
  /** The user. */
  executed_by: number | null;
  /** When the script ended; null while it has not. */
  finished_at: string | null;
  /** The output so far. Null in lists. */
  output: string | null;
  /** The recipe in the path, either the organization's or a built-in one. */
  recipe_id: number;
  /** The id of the server that the script ran on. */
  server_id: number;
  /** When the script started; null while it has not. */
  started_at: string | null;
  /** How far the run is, or how it ended. */
  status: RecipeLogStatus;
}

export interface RecordMeta {
  /** The existing values of this type. */
  found: string[];
  /** Why DNS gave no answer; null if it did. */
  problem: string | null;
  /** Whether DNS shows the required value. */
  seen: boolean;
}

export interface RedirectRule {
  /** The fields of the resource. */
  attributes: RedirectRuleAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'redirect-rules';
}

export interface RedirectRuleAttributes {
  /** When it was created. */
  created_at: string;
  /** A regular expression that is matched against the path. */
  from: string;
  /** Whether the rule is on the server. */
  status: RepositoryStatus;
  /** The path or the URL that visitors are redirected to. */
  to: string;
  /** Whether the redirect is temporary (redirect, 302) or permanent (permanent, 301). */
  type: RedirectRuleType;
  /** When it was last changed. */
  updated_at: string;
}

export interface RedisServiceActionRequest {
  /** What to do with the service. reboot restarts it. */
  action: RedisServiceActionAction;
}

export interface ReorderRedirectsRequest {
  /** The ids of all rules of the site, in the new order. The first that matches applies. */
  redirects: number[];
}

export interface Repository {
  /** The branch that is deployed; null without a repository. */
  branch: string | null;
  /** The kind of the repository's provider; custom for any other address. */
  provider: string;
  /** Whether the code is on the server; null without a repository. */
  status: RepositoryStatus | null;
  /** The repository: owner/name at a provider, or the address for custom; null for none. */
  url: string | null;
}

export interface RepositoryCheck {
  /** The fields of the resource. */
  attributes: RepositoryCheckAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'repositoryChecks';
}

export interface RepositoryCheckAttributes {
  /** What the repository has, by its files; null if that is not known. */
  application: Application;
  /** Why the repository could not be read; null unless the check failed. */
  cause: Cause;
  /** When the check was last requested or done; null if there is none. */
  checked_at: string | null;
  /** The newest commit of the branch when it was checked; null unless the check passed. */
  commit: string | null;
  /** The fingerprint of the host key that the Git server shows, where it is another than the one that is known of it. */
  host_key: string | null;
  /** What the site would change to run that; null for nothing. */
  proposed: Proposed;
  /** Null if this repository and branch were never checked with this deploy key. */
  state: RepositoryCheckState | null;
}

export interface RestoreBackupRequest {
  /**
   * The database to restore. It is replaced, after a fresh backup of it has been stored, unless name or
   * source_database_id is given.
   */
  database_id: number;
  /** Restore into a new database with this name, which must not exist yet, instead of replacing one. */
  name?: string;
  /** Restore on another server; requires name. */
  server_id?: number;
  /** The site into which the files of the backup are restored. Without it, files are not restored. */
  site_id?: number;
  /** The database in the backup, if it is not database_id. */
  source_database_id?: number;
}

export interface Retention {
  /** The fields of the resource. */
  attributes: RetentionAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'retentions';
}

export interface RetentionAttributes {
  /** The number of days to keep the audit log. */
  audit_days: number | null;
  /** The number of days to keep sent webhooks and notifications. */
  deliveries_days: number | null;
  /**
   * The number of days to keep events with their operations, except the newest operation of a resource; null for the
   * installation's period.
   */
  events_days: number | null;
  /** The installation's period for the audit log, in days; null for forever. */
  maximum_audit_days: number | null;
  /** The installation's period for webhooks and notifications, in days; null for forever. */
  maximum_deliveries_days: number | null;
  /** The installation's period; null for forever. */
  maximum_events_days: number | null;
  /** The installation's period for output, in days; null for forever. */
  maximum_output_days: number | null;
  /** The number of days to keep the output of events. */
  output_days: number | null;
}

export interface ReverbIntegration {
  /** The fields of the resource. */
  attributes: ReverbIntegrationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: IntegrationRelationships;
  /** The type of the resource. */
  type: 'reverbIntegrations';
}

export interface ReverbIntegrationAttributes {
  /** The highest number of simultaneous connections. */
  connections: number | null;
  /** Whether the integration is on. */
  enabled: string;
  /** The domain that clients connect to; null while the integration is off. */
  host: string | null;
  /** The port on which the program listens, for nginx only; null while the integration is off. */
  port: number | null;
  /** Whether the site has the package laravel/reverb. */
  reverb_installed: boolean;
}

export interface Role {
  /** The fields of the resource. */
  attributes: RoleAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The ids of related resources. */
  relationships?: RoleRelationships;
  /** The type of the resource. */
  type: 'predefinedRoles';
}

export interface RoleAttributes {
  /** When it was created. */
  created_at: string | null;
  /** The name of the role. */
  name: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface RoleRef {
  /** The id of the role. */
  id: number;
}

export interface RoleRelationships {
  /** The permissions of the role. */
  permissions: { data: Ref[] };
}

export interface Rule {
  /** The fields of the resource. */
  attributes: RuleAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'rules';
}

export interface RuleAttributes {
  /** When it was created. */
  created_at: string;
  /** The source addresses and subnets, separated by commas; null for any address. */
  ip_address: string | null;
  /** A name of your choice. */
  name: string;
  /** The port or the range, such as 8000:8010; null for all ports. */
  port: string | null;
  /** Whether the rule is on the server. */
  status: string | null;
  /** Whether matching connections are accepted or dropped. */
  type: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface RunRecipeRequest {
  /** Mail the output of each run to the caller when it ends. */
  email?: boolean;
  /** The ids of the servers to run the script on. */
  servers: number[];
}

export interface RunSiteCommandRequest {
  /** The command, which runs in the site's directory. */
  command: string;
}

export interface Runtime {
  /** What the file asks for, such as >=20.9; null if no file does. */
  asks: string | null;
  /** The file that asks for it. */
  file: string | null;
  /** The runtime of the site for it. */
  name: RuntimeName;
  /** The runtime_version that fits; null if it names none that a site can choose. */
  version: string | null;
}

export interface RuntimeInUse {
  /** The last day with security updates for this release line; null if that is not known. */
  ends_on: string | null;
  /** The exact version installed on the server; null for the distribution's, and until it is installed. */
  installed: string | null;
  /** What runs the site's programs: system is the distribution's Node.js. */
  name: RuntimeInUseName;
  /** A newer release of the same line, as its mirror last told; null if there is none, or that is not known. */
  newest: string | null;
  /** The line that starts the site's own program; null for what its type says, and for a site without one. */
  start_command: string | null;
  /** The exact version that it stands for; null for the distribution's. */
  version: string | null;
  /** The version that was asked for; null for the distribution's. */
  wanted: string | null;
  /** Why it is this version, for people. */
  why: string;
}

export interface SFTPUser {
  /** The fields of the resource. */
  attributes: SFTPUserAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'sftpUsers';
}

export interface SFTPUserAttributes {
  /** When it was created. */
  created_at: string;
  /** The id of the person who created it; null if they were deleted. */
  created_by: number | null;
  /** The directory of the site, which is all that the user can reach. */
  directory: string;
  /** The last day on which the user can log in, in UTC; null for no end. */
  expires_on: string | null;
  /** The public keys that the user logs in with. */
  keys: string[];
  /** The name that the user logs in with. */
  name: string;
  /** Whether the user is on the server. */
  status: DatabaseStatus;
  /** When it was last changed. */
  updated_at: string;
}

export interface SecurityRule {
  /** The fields of the resource. */
  attributes: SecurityRuleAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'securityRules';
}

export interface SecurityRuleAttributes {
  /** When it was created. */
  created_at: string;
  /** The text shown to visitors in the password prompt. */
  name: string;
  /** The protected path, including everything below it; null for the whole site. */
  path: string | null;
  /** Whether the rule is on the server. */
  status: string | null;
  /** When it was last changed. */
  updated_at: string;
}

export interface SelfLinks {
  /** The address of the resource. */
  self: Link;
}

export interface Server {
  /** The fields of the resource. */
  attributes: ServerAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ServerResourceMeta;
  /** The ids of related resources. */
  relationships?: ServerRelationships;
  /** The type of the resource. */
  type: 'servers';
}

export interface ServerActionRequest {
  /** power-cycle is for servers of a cloud provider. */
  action: ServerActionAction;
}

export interface ServerAttributes {
  /** Whether the server can be reached; null until it was first tried. */
  connection_status: string | null;
  /** When it was created. */
  created_at: string;
  /** The id of the server credential, with which the cloud provider is asked; null or omitted for custom. */
  credential_id: number | null;
  /** The database of the server; null if there is none. */
  database_type: string | null;
  /** running or stopped, after an action on the database service; null if there was none. */
  db_status: string | null;
  /** The server's id, as a number. */
  id: number;
  /** The id of the machine at the cloud provider; null for custom servers. */
  identifier: string | null;
  /** The public IP address; null until it is known. */
  ip_address: string | null;
  /** Whether the server is set up. */
  is_ready: boolean;
  /** The public key of the server's own SSH key; null until there is one. */
  local_public_key: string | null;
  /** The name of the server. */
  name: string;
  /** The state of OPcache; null if it is not known. */
  opcache_status: string | null;
  /** The version of PHP of the command line; null if the server has none. */
  php_cli_version: string | null;
  /** The version of PHP of new sites. */
  php_version: string | null;
  /** The address in the private network; null if there is none. */
  private_ip_address: string | null;
  /** The cloud provider; custom for a machine of your own. */
  provider: string;
  /** Always null. */
  redis_status: string | null;
  /** The code of the region at the cloud provider; empty for custom servers. */
  region: string;
  /** Whether Hostler has given up its access to the server. */
  revoked: boolean;
  /** The code of the size at the cloud provider; empty for custom servers. */
  size: string;
  /** The name in a form for addresses. */
  slug: string;
  /** The port of SSH on the machine. */
  ssh_port: number;
  /** The time zone of the server, an IANA name such as Europe/Berlin. */
  timezone: string;
  /** What the server is for. */
  type: ServerType;
  /** The requested version; null on Debian. The actual system is in meta.os. */
  ubuntu_version: string | null;
  /** When it was last changed. */
  updated_at: string;
}

export interface ServerCredential {
  /** The fields of the resource. */
  attributes: ServerCredentialAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'serverCredentials';
}

export interface ServerCredentialAttributes {
  /** When it was created. */
  created_at: string | null;
  /** Whether a server was created with it. */
  in_use: boolean;
  /** A name of your choice. */
  name: string;
  /** The cloud provider. */
  provider: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface ServerDrift {
  /** The fields of the resource. */
  attributes: ServerDriftAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'serverDrifts';
}

export interface ServerDriftAttributes {
  /** When the server was last checked. */
  checked_at: string;
  /** What differs on the server from what was set up. */
  differences: DriftDifference[];
}

export interface ServerDryRun {
  /** What would be run, in order. */
  actions: string[] | null;
  /** The files that would change, with their differences. */
  files: FileDiff[] | null;
  /** Differences that are reported but not changed. */
  kept: string[] | null;
  /** The packages that would be installed. */
  packages: string[] | null;
  /** The id of the server. */
  server_id: string;
}

export interface ServerHostKeys {
  /** The fields of the resource. */
  attributes: ServerHostKeysAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'serverHostKeys';
}

export interface ServerHostKeysAttributes {
  /** Whether the server presents none of its confirmed keys. Hostler then does not log in to it. */
  changed: boolean;
  /** When the server was last checked. */
  checked_at: string;
  /** The host keys that Hostler trusts. */
  confirmed: HostKey[];
  /** The host keys that the server presented when it was last reached. */
  presented: HostKey[];
}

export interface ServerKey {
  /** The fields of the resource. */
  attributes: ServerKeyAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ServerKeyResourceMeta;
  /** The type of the resource. */
  type: 'serverKeys';
}

export interface ServerKeyAttributes {
  /** The SHA-256 fingerprint of the key. */
  fingerprint: string;
  /** The public key, in the form of OpenSSH. */
  public_key: string;
}

export interface ServerKeyResourceMeta {
  /** The command that connects a server of your own. */
  bootstrap?: BootstrapMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface ServerLog {
  /** The fields of the resource. */
  attributes: ServerLogAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: ServerLogResourceMeta;
  /** The type of the resource. */
  type: 'serverLogs';
}

export interface ServerLogAttributes {
  /** The lines of the log, oldest first. */
  content: string;
}

export interface ServerLogResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** Where in the log the returned lines are. */
  log?: LogMeta;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface ServerRelationships {
  /** The tags of the server. */
  tags: { data: Ref[] };
}

export interface ServerResourceMeta {
  /** The command that connects a server of your own. */
  bootstrap?: BootstrapMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** The system found on the server. */
  os?: OSMeta;
  /** How far the setup of the server is. */
  provisioning?: string;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** The names of the tags, in alphabetical order. */
  tags?: string[];
  /** The pending updates of the server's packages. */
  updates?: UpdatesMeta;
}

export interface Service {
  /** The fields of the resource. */
  attributes: ServiceAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'services';
}

export interface ServiceAttributes {
  /** The substate, such as running, dead or auto-restart. */
  detail: string;
  /** The key of the service's log among the server's logs. */
  log: string;
  /** The service's name in paths: nginx, php, mysql, postgres or redis. */
  name: string;
  /** The systemd state: active, activating, deactivating, reloading, failed or inactive. */
  state: string;
  /** The systemd unit. */
  unit: string;
  /** The PHP version; null for other services. */
  version: string | null;
}

export interface ShareCredentialRequest {
  /** The id of the server credential to share. */
  credential_id: number;
}

export interface ShareRecipeRequest {
  /** The id of the recipe to share. */
  recipe_id: number;
}

export interface ShareServerRequest {
  /** The id of the server to share. */
  server_id: number;
}

export interface SharedPath {
  /** The path in a release. */
  from: string;
  /** The path that all releases share. */
  to: string;
}

export interface ShownInvitation {
  /** The address of the invited person. */
  email: string;
  /** The link that accepts the invitation. */
  url: string;
}

export interface ShownOnce {
  /** The links of invitations, where no email reaches the invited people. */
  invitations?: ShownInvitation[] | null;
  /** The new password. */
  password?: string;
  /** The codes that replace the second factor, each once. */
  recovery_codes?: string[] | null;
  /** The new secret. */
  secret?: string;
  /** The new token. */
  token?: string;
  /** The new address, which contains a secret. */
  url?: string;
  /** The account that the password is for, if its name was generated. */
  username?: string;
}

export interface Site {
  /** The fields of the resource. */
  attributes: SiteAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: SiteResourceMeta;
  /** The ids of related resources. */
  relationships?: SiteRelationships;
  /** The type of the resource. */
  type: 'sites';
}

export interface SiteAttributes {
  /** Further domain names of the site. */
  aliases: unknown[];
  /** The kind of the application, for people. */
  app_type: SiteAppType;
  /** When it was created. */
  created_at: string | null;
  /** The name of the site's database; null if there is none. */
  database: string | null;
  /** How many releases are kept; null without releases. */
  deployment_retention: number | null;
  /** The deploy script; null if there is none. */
  deployment_script: string | null;
  /** The state of the newest deployment; empty until there is one. */
  deployment_status: string;
  /** The address whose call deploys the site. It contains a secret, which only those who may manage deployments see. */
  deployment_url: string;
  /** The URL that is requested after a deployment; null for none. */
  healthcheck_url: string | null;
  /** Whether the site is served over HTTPS. */
  https: boolean;
  /** Whether the site has an account of its own. */
  isolated: boolean;
  /** Whether the site shows its maintenance page. */
  maintenance_mode: MaintenanceMode;
  /** The domain that names the site. */
  name: string;
  /** The version of PHP; empty for sites without PHP. */
  php_version: string;
  /** Whether a push to the branch deploys the site; null without a repository. */
  quick_deploy: boolean | null;
  /** Where the site's code comes from. */
  repository: Repository;
  /** The directory of the application in the repository; null for its top. */
  root_directory: string | null;
  /** The paths of a release that all releases share, at most 50. */
  shared_paths: Record<string, string>;
  /**
   * What the site serves. It is installed until there is a deployment, never-deployed while none has succeeded, and
   * deployed after that, whatever fails later.
   */
  status: SiteStatus;
  /** When it was last changed. */
  updated_at: string | null;
  /** The address of the site. */
  url: string;
  /** The account that the site runs as. */
  user: string;
  /** Always false. */
  uses_envoyer: boolean;
  /** The directory, below the root directory, whose files visitors can open. */
  web_directory: string;
  /** Whether all subdomains are served as well. */
  wildcards: boolean | null;
  /** Whether each deployment gets a directory of its own, which is served once it is complete. */
  zero_downtime_deployments: boolean;
}

export interface SiteMetric {
  /** The fields of the resource. */
  attributes: SiteMetricAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'siteMetrics';
}

export interface SiteMetricAttributes {
  /** Requests per minute answered with 400 to 499. */
  client_errors: (number | null)[];
  /** Percent of one processor that a site with limits used. */
  cpu: (number | null)[];
  /** The beginning of the first step. */
  from: string;
  /** Deployments of the site and reboots of its server during this time: the newest 200, oldest first. */
  marks: Mark[];
  /** MB that a site with limits used, with what its programs have read of files. */
  memory: (number | null)[];
  /** The period that the values are of. */
  range: Range;
  /** Requests per minute, averaged over the step. As in all lists, null is a step in which requests were not counted. */
  requests: (number | null)[];
  /** Requests per minute answered with 500 to 599. */
  server_errors: (number | null)[];
  /** The length of a step, in seconds. */
  step: number;
  /** Processes and threads of a site with limits. */
  tasks: (number | null)[];
  /** The end of the last step, which may still be in progress. */
  until: string;
}

export interface SiteRelationships {
  /** The newest deployment; null if there is none. */
  latestDeployment: { data: Ref | null };
  /** The redirect rules of the site. */
  redirectRules: { data: Ref[] };
  /** The security rules of the site. */
  securityRules: { data: Ref[] };
  /** The server of the site. */
  server: { data: Ref | null };
  /** The tags of the site. */
  tags: { data: Ref[] };
}

export interface SiteResourceMeta {
  /** How a site on a load balancer chooses its nodes. */
  balancer?: BalancerMeta;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** How much of its server all that runs for the site may use. */
  limits?: LimitsInForce;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** What runs the site's programs, and why. */
  runtime?: RuntimeInUse;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** The names of the tags, in alphabetical order. */
  tags?: string[];
}

export interface SlowQueries {
  /** The 20 queries with the longest mean time; not those that define something. */
  queries: SlowQuery[];
  /** Why they are not measured. */
  reason: string | null;
  /** What measures them; null if nothing does. */
  source: SlowQueriesSource | null;
}

export interface SlowQuery {
  /** How often it was run. */
  calls: number;
  /** The time of the slowest call, in microseconds. */
  max: number;
  /** The mean time of a call, in microseconds. */
  mean: number;
  /** The first 2,000 characters, with a placeholder for each value. */
  text: string;
}

export interface SnapshotMeta {
  /** The date of the built-in list. The provider may have changed it since. */
  as_of: string;
}

export interface SourceControl {
  /** The fields of the resource. */
  attributes: SourceControlAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'sourceControls';
}

export interface SourceControlAttributes {
  /** How often the setup was attempted. */
  attempts: number;
  /** Whether the provider has the site's deploy key. */
  deploy_key: boolean;
  /** When the setup is attempted again; null if it is not. */
  next_attempt_at: string | null;
  /** The id of the connection; null if there is none. */
  provider_id: number | null;
  /** Why the setup failed; null if it did not. */
  reason: string | null;
  /** The repository at the provider; null if there is none. */
  repository: string | null;
  /** How far the setup at the provider is; null if there is nothing to set up. */
  state: SourceControlState | null;
  /** Whether a webhook reports pushes to Hostler. */
  webhook: boolean;
}

export interface SourceControlProvider {
  /** The fields of the resource. */
  attributes: SourceControlProviderAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'sourceControlProviders';
}

export interface SourceControlProviderAttributes {
  /** The host from which your own GitLab is cloned over SSH; null for the others. */
  clone_host: string | null;
  /** When it was created. */
  created_at: string;
  /** Whether a site uses the connection. */
  in_use: boolean;
  /** A name of your choice. */
  name: string;
  /** The kind of the provider; gitlab-custom for a GitLab of your own. */
  provider: SourceControlProviderProvider;
  /** When it was last changed. */
  updated_at: string;
  /** The address of your own GitLab; null for the others. */
  url: string | null;
  /** The email address of an Atlassian account, if the token is used as a password; null otherwise. */
  username: string | null;
}

export interface State {
  /**
   * Whether notifications go to the address: a member's verified one, or one confirmed by the link that was sent
   * there.
   */
  confirmed: boolean;
}

export interface StorageMeta {
  /** The key that the SFTP server must present. */
  host_key: string;
}

export interface StorageProvider {
  /** The fields of the resource. */
  attributes: StorageProviderAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: StorageProviderResourceMeta;
  /** The type of the resource. */
  type: 'storageProviders';
}

export interface StorageProviderAttributes {
  /** Always false: Hostler does not use the role of the machine it runs on. */
  assume_role: boolean | null;
  /** The default bucket, for backup configurations that do not name one; null for none. */
  bucket: string | null;
  /** When it was created. */
  created_at: string | null;
  /** The directory in the bucket below which objects are stored; null for its top. */
  directory: string | null;
  /** The address of the provider, if it is not the one of its region. */
  endpoint: string | null;
  /** Whether a backup configuration uses it. */
  in_use: boolean;
  /** A name of your choice. */
  name: string;
  /** The kind of the storage provider; custom for any other S3-compatible one, SFTP or a disk. */
  provider: StorageProviderProvider;
  /** The name of the kind, for people. */
  provider_name: StorageProviderProviderName;
  /** The region of the bucket; null or omitted if the endpoint says it. */
  region: string | null;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface StorageProviderResourceMeta {
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
  /** About the storage provider's server. */
  storage?: StorageMeta;
}

export interface StoreDomainDNSRequest {
  /** The DNS provider in whose account the zone of the domain is. */
  dns_provider_id: number;
  /** The hash of the plan to carry out. */
  plan: string;
  /**
   * Records that Hostler did not make, or that were changed manually, and that may be changed or removed: a type and a
   * name, such as A www.example.com.
   */
  replace?: string[] | null;
}

export interface StoreFileDirectoryRequest {
  /** The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN. */
  path: string;
}

export interface Subject {
  /** The city. */
  city?: string;
  /** The country, as two letters. */
  country?: string;
  /** The department. */
  department?: string;
  /** The main domain name. */
  domain?: string;
  /** The organization. */
  organization?: string;
  /** Further domain names, separated by commas. */
  sans?: string | null;
  /** The state or province. */
  state?: string;
}

export interface SupervisorServiceActionRequest {
  /** What to do with the service. reboot restarts it. */
  action: RedisServiceActionAction;
}

export interface TableUsage {
  /** The name; what can't be printed is written as ^J or \u200b. Partitions are part of their table. */
  name: string;
  /** The number of rows as the engine estimates it; null if it does not. */
  rows: number | null;
  /** The schema of the table in PostgreSQL; null in other engines. */
  schema: string | null;
  /** The table with its indexes, in bytes; null if the engine does not know. */
  size: number | null;
}

export interface Tag {
  /** The fields of the resource. */
  attributes: TagAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'tags';
}

export interface TagAttributes {
  /** When it was created. */
  created_at: string;
  /** The name of the tag. */
  name: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface Team {
  /** The fields of the resource. */
  attributes: TeamAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'teams';
}

export interface TeamAttributes {
  /** When it was created. */
  created_at: string | null;
  /** The name of the team. */
  name: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface TeamInvitation {
  /** The fields of the resource. */
  attributes: TeamInvitationAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: TeamInvitationResourceMeta;
  /** The ids of related resources. */
  relationships?: TeamInvitationRelationships;
  /** The type of the resource. */
  type: 'teamInvitations';
}

export interface TeamInvitationAttributes {
  /** When it was created. */
  created_at: string | null;
  /** The email address that was invited. */
  email: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface TeamInvitationRelationships {
  /** The organization that the invitation is to. */
  organization: { data: Ref | null };
  /** The role that the person has. */
  role: { data: Ref | null };
  /** The team that the invitation is to. */
  team: { data: Ref | null };
}

export interface TeamInvitationResourceMeta {
  /** How the installation delivers its emails: by mail, or, without a mail server, into its log. */
  delivery?: OrganizationResourceMetaDelivery;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** Why the mail server last refused the email, in full for managers. */
  mail_failure?: string;
  /** When the mail server took the email. Null before that, and if it did not. */
  mailed_at?: string | null;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface Timezone {
  /** The fields of the resource. */
  attributes: TimezoneAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'timezones';
}

export interface TimezoneAttributes {
  /** An IANA time zone name, such as Europe/Berlin. */
  timezone: string;
}

export interface Transfer {
  /** The fields of the resource. */
  attributes: TransferAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: 'serverTransfers';
}

export interface TransferAttributes {
  /** What can't simply be transferred. */
  items: TransferItem[];
  /** How many resources of each type are transferred. */
  moves: TransferCount[];
  /** Whether force is required because something can't be transferred. */
  needs_force: boolean;
  /** Whether nothing prevents the transfer. */
  possible: boolean;
  /** The slug of the requested organization. */
  to: string | null;
}

export interface TransferCount {
  /** The number of resources. */
  count: number;
  /** The type of the resources. */
  type: string;
}

export interface TransferItem {
  /**
   * Whether it prevents the transfer; is detached, which requires force; stays behind; or is transferred and still
   * gives members of the old organization access to the server.
   */
  effect: TransferItemEffect;
  /** The id of the resource; null if it has none. */
  id: number | null;
  /** The name of the resource. */
  name: string;
  /** What the effect is, in a sentence. */
  text: string;
  /** The type of the resource. */
  type: string;
}

export interface TransferRequest {
  /** Detach what can't be transferred. Without it, the request is refused if there is anything to detach. */
  force?: boolean;
  /**
   * A team of that organization to share the server with. Required if you belong to the organization through teams
   * only.
   */
  team_id?: number | null;
  /** The slug of an organization in which you can create servers. */
  to: string;
}

export interface Undo {
  /** The values before the change; empty for DELETE. */
  body: Record<string, unknown>;
  /** The method of the request. */
  method: UndoMethod;
  /** The operationId of the request. */
  operation: string;
  /** The path of the request. With ?dry_run=true, the answer is its plan. */
  path: string;
}

export interface UpdateBackgroundProcessRequest {
  /**
   * Lines of key=value, for command, directory, numprocs, startsecs, stopwaitsecs and stopsignal; omitted keys are
   * unchanged.
   */
  config?: string;
  /** A name of your choice. */
  name: string;
}

export interface UpdateBackupConfigurationRequest {
  /** The bucket. Null for the storage provider's default. */
  bucket?: string | null;
  /** For the frequency custom: minute, hour, day, month, weekday. */
  cron?: string;
  /** The ids of the databases. */
  database_ids: number[];
  /** For the frequency weekly; 0 is Sunday. */
  day?: Day;
  /** The directory in the bucket below which objects are stored. */
  directory?: string | null;
  /** How often to back up. weekly also needs day and time, daily needs time, custom needs cron. */
  frequency: CreateBackupConfigurationFrequency;
  /** Back up all databases of the server, including future ones. */
  include_new_databases?: boolean;
  /** A name of your choice. */
  name?: string | null;
  /** The address that is notified of failed backups; null for none. */
  notification_email?: string | null;
  /** Files and directories below the site's directory that are backed up, such as uploads or .env. */
  paths?: string[];
  /**
   * The number of days between proofs, in which a backup is restored into a separate database and compared; 0 for
   * never. New configurations have 7.
   */
  prove_every_days?: number;
  /** The number of complete backups to keep. */
  retention: number;
  /** The site whose files are included in the backups. */
  site_id?: number;
  /** The id of the storage provider that objects are stored at. */
  storage_provider_id: number;
  /**
   * The time of daily and weekly backups, as hours and minutes in the organization's time zone; null for other
   * frequencies.
   */
  time?: Time;
}

export interface UpdateComposerCredentialRequest {
  /** If empty, the password is unchanged. Required if the repository or the username changes. */
  password: string;
  /** The host that Composer downloads from, such as repo.packagist.com. */
  repository: string;
  /** The user name at the host. */
  username: string;
}

export interface UpdateDNSProviderRequest {
  /** For rfc2136: the algorithm of the TSIG key. */
  algorithm?: Algorithm | null;
  /** For rfc2136: the name of the TSIG key. */
  key?: string | null;
  /** A name of your choice. */
  name?: string;
  /** For rfc2136: the host of the name server. */
  nameserver?: string | null;
  /** The API token, or the secret of the TSIG key. It is never returned. */
  secret?: string;
}

export interface UpdateDatabasePasswordRequest {
  /** Printable ASCII. */
  password: string;
}

export interface UpdateDatabaseRequest {
  /** All extensions that Hostler keeps in the database afterwards. */
  extensions: string[];
}

export interface UpdateDatabaseUserRequest {
  /** The complete list of databases the account has access to; if omitted, it is unchanged. */
  database_ids?: number[];
  /** A new password. Null or omitted leaves it unchanged. */
  password?: string | null;
}

export interface UpdateDeploymentScriptRequest {
  /** Pass the variables of the site's .env to the script. */
  auto_source?: boolean | null;
  /**
   * A shell script. Hostler replaces $CREATE_RELEASE(), $ACTIVATE_RELEASE() and $RESTART_QUEUES() with its own
   * commands.
   */
  content: string;
}

export interface UpdateDeploymentWebhookRequest {
  /** Where messages are sent from now on, those that wait for another attempt too. */
  url: string;
}

export interface UpdateDomainRequest {
  /** Whether all subdomains are served as well. */
  allow_wildcard_subdomains?: boolean | null;
  /** Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither. */
  www_redirect_type: WwwRedirectType;
}

export interface UpdateEnvironmentRequest {
  /** Rebuild the application's cached configuration. */
  cache?: boolean;
  /** A key for the encryption of the environment, one line of text. */
  encryption_key?: string | null;
  /** The text of the environment file, which is replaced as a whole. */
  environment: string;
  /** Restart the application's queue workers. */
  queues?: boolean;
}

export interface UpdateFileContentRequest {
  /** The new content of the file, at most 512 KiB. */
  content: string;
  /** The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN. */
  path: string;
  /** The revision of the content that this one replaces. Without it, the file must not exist yet. */
  revision?: string | null;
}

export interface UpdateFirewallRuleRequest {
  /** IPv4 and IPv6 addresses and subnets, separated by commas; null for any address. */
  ip_address?: unknown;
  /** A name of your choice. */
  name?: string;
  /** A port or a range such as 8000:8010; null for all ports. */
  port?: string | null;
  /** Whether matching connections are accepted or dropped. */
  type?: CreateFirewallRuleType;
}

export interface UpdateGitRequest {
  /** The branch to deploy. */
  branch: string;
  /** The private key of a deploy key of your own. It is never returned. */
  per_account_private_key?: string;
  /** The public key of a deploy key of your own; it must match the private key. */
  per_account_public_key?: string;
  /** The repository: owner/name at a provider, or the address for custom. */
  repository: string;
  /** The kind of the repository's provider; custom for any other address. */
  source_control_provider: UpdateGitSourceControlProvider;
  /** The id of the connection to the provider. */
  source_control_provider_id?: number;
}

export interface UpdateHealthcheckEndpointRequest {
  /** The URL that is requested after a deployment; null for none. */
  healthcheck_endpoint?: string | null;
}

export interface UpdateHeartbeatRequest {
  /** The cron expression of the frequency -1, in the server's time; null or omitted for others. */
  custom_frequency?: string;
  /** In minutes; 312480 means monthly (31 days), and -1 means custom_frequency. */
  frequency: number;
  /** The grace period after a call is due, in minutes. */
  grace_period: number;
  /** A name of your choice. */
  name: string;
}

export interface UpdateLoadBalancerRequest {
  /** How many idle connections to the nodes are kept open, 0 to 256. */
  balancer_keepalive_max_connections?: number;
  /** How a node is chosen: in turn, the one with the fewest connections, or by the visitor's address. */
  balancer_method: BalancerMethod;
  /** The servers that requests are forwarded to. The list replaces the previous one. */
  balancing: UpdatedNode[];
}

export interface UpdateMonitorRequest {
  /** How many minutes the value must be beyond the threshold, or back within it, for the state to change. */
  minutes?: number | null;
  /** The address to notify of each change of state. */
  notify?: string;
  /** Whether the value is too high at or above the threshold (gte), or too low at or below it (lte). */
  operator?: Operator;
  /** In percent, except for reboot_required, certificate_days and url. */
  threshold?: number;
  /** For the type url, the URL to request. Another URL begins with the state UNKNOWN. */
  url?: string;
}

export interface UpdateNginxConfigurationRequest {
  /** The whole file; empty to restore Hostler's own configuration. */
  config: string;
}

export interface UpdateNginxTemplateRequest {
  /** The text of the template. */
  content: string;
  /** A name of your choice. */
  name: string;
}

export interface UpdateNotificationChannelRequest {
  /** For mail: the email address. */
  address?: string;
  /** For telegram: the id of the chat. */
  chat?: string;
  /** Whether notifications are sent. */
  enabled?: boolean;
  /** The events that are notified of. */
  events?: CreateNotificationChannelEvent[];
  /** A name of your choice. */
  name?: string;
  /** The access token of the service. It is never returned. */
  token?: string;
  /** For ntfy: the topic. */
  topic?: string;
  /** The address that notifications are sent to. */
  url?: string;
}

export interface UpdateNpmCredentialRequest {
  /** The registry that npm downloads from, without https://. */
  registry: string;
  /** The scopes that are installed from this registry, such as @acme; empty for all packages. */
  scopes?: string[] | null;
  /** If empty, the token is unchanged. Required if the registry or the scopes change. */
  token: string;
}

export interface UpdateOAuthClientRequest {
  /** The name that people see when they grant access. */
  name?: string;
  /** Replace the secret; the old one stops working immediately. */
  new_secret?: boolean;
  /** The addresses that people may be sent back to. */
  redirect_uris?: string[];
  /** The permissions that the application can ask for. */
  scopes?: Scope[];
}

export interface UpdateOrganizationRequest {
  /** The name of the organization. */
  name?: string;
  /** The limits of new sites that are created without limits. Replaces all: what is left out is not limited. */
  site_limits?: LimitValues;
}

export interface UpdatePhpCliRequest {
  /** Lines of php.ini, which are added after the distribution's. Empty for none. */
  config: string;
}

export interface UpdatePhpCliVersionRequest {
  /** A version of PHP that is installed on the server. */
  php_version: UpdatePhpCliVersionPHPVersion;
}

export interface UpdatePhpFpmRequest {
  /** Lines of php.ini, which are added after the distribution's. Empty for none. */
  config: string;
}

export interface UpdatePhpPoolRequest {
  /**
   * Lines for FPM pools: process management, and php_value, php_flag, php_admin_value and php_admin_flag. Empty for
   * none.
   */
  config: string;
  /** The account of an isolated site. Defaults to forge, whose pools serve all other sites. */
  user?: string | null;
}

export interface UpdatePhpSettingsRequest {
  /** In seconds. 0 and null mean PHP's own limit. */
  max_execution_time?: number | null;
  /** In megabytes. 0 and null mean PHP's own limit. */
  max_upload_size?: number | null;
  /** Whether OPcache is on. It has its own operation as well. */
  opcache?: boolean | null;
}

export interface UpdateRateLimitRequest {
  /** Null restores the installation's limit. */
  requests_per_minute: number | null;
}

export interface UpdateRecipeRequest {
  /** A name of your choice. */
  name?: string;
  /** The script, for bash, at most 128 KiB. */
  script?: string;
  /** The account that runs the script. */
  user?: CreateRecipeUser;
}

export interface UpdateRedirectRequest {
  /** A regular expression that is matched against the path, such as ^/old$. */
  from?: string;
  /** A path or a URL; $1 to $9 are the parenthesized matches of from. */
  to?: string;
  /** redirect responds with 302, permanent with 301. */
  type?: RedirectRuleType;
}

export interface UpdateRetentionRequest {
  /** The number of days to keep the audit log; null for the installation's period. */
  audit_days?: number | null;
  /** The number of days to keep sent webhooks and notifications; null for the installation's period. */
  deliveries_days?: number | null;
  /** The number of days to keep events; null for the installation's period. */
  events_days?: number | null;
  /** The number of days to keep the output of events; null for the installation's period. */
  output_days?: number | null;
}

export interface UpdateRoleRequest {
  /** What the role is for. */
  description?: string;
  /** The name of the role. */
  name: string;
  /** The permissions of the role. The list replaces the previous one. */
  permissions?: Permission[];
}

export interface UpdateSFTPUserRequest {
  /** The last day on which the user can log in, in UTC. Null for no end; omitted, it stays. */
  expires_on?: string | null;
  /** All keys that the user has afterwards. If omitted, they stay. */
  keys?: string[];
}

export interface UpdateScheduledJobRequest {
  /** One line, which bash runs in the site's directory, or in the account's home. */
  command?: string;
  /** A cron expression with five fields, in the server's time; required when the frequency is custom. */
  cron?: string | null;
  /** How often the job runs. custom needs a cron expression, reboot is whenever the server starts. */
  frequency?: CreateScheduledJobFrequency;
  /** A name of your choice; null for none. */
  name?: string | null;
  /** root, forge, or the account of a site on the server. */
  user?: string;
}

export interface UpdateSecurityRuleRequest {
  /** If a user is given without a password, the current password is kept. */
  credentials: OptionalCredential[];
  /** The text shown to visitors in the password prompt. */
  name: string;
  /** Null for the whole site. */
  path?: string | null;
}

export interface UpdateServerCredentialRequest {
  /** The API token of the cloud provider. It is never returned. */
  key?: string;
  /** A name of your choice. */
  name?: string;
  /** The API token or the secret key. It is never returned. */
  secret?: string;
}

export interface UpdateServerNetworkRequest {
  /**
   * Servers of the same provider, account and region, each with a private address. Servers that are not listed lose
   * access.
   */
  servers: number[];
}

export interface UpdateServerRequest {
  /** The public IP address. */
  ip_address?: string;
  /** The name of the server. */
  name?: string;
  /** The address in the private network; null if there is none. */
  private_ip_address?: string;
  /** The names of the server's tags. Missing ones are created. */
  tags?: string[];
  /** As on creation, for a server that could not be set up. Retry the setup afterwards. */
  take_over?: boolean;
  /** The time zone of the server, an IANA name such as Europe/Berlin. */
  timezone?: string;
}

export interface UpdateSiteRequest {
  /** How many releases are kept, 1 to 100. */
  deployment_retention?: unknown;
  /** The web directory. Null for the default of the site's type. */
  directory?: string | null;
  /**
   * How much of its server all that runs for the site may use. Replaces all limits: what is left out has none.
   * Deployments have the same limits once more for themselves. A new site without it has those of its organization
   * (site_limits).
   */
  limits?: LimitValues;
  /** The version of PHP. Without it, new sites get the server's. */
  php_version?: CreateSitePHPVersion;
  /** Whether a push to the branch deploys the site. */
  push_to_deploy?: boolean;
  /** Null for main. */
  repository_branch?: string | null;
  /** The directory of the application in the repository; null for its top. */
  root_path?: string | null;
  /**
   * What runs the site's programs, processes, jobs, commands and deploy scripts: system is the Node.js of the server's
   * distribution, node, bun and deno are a version of the site's own; python, ruby and go are what the server's
   * distribution has of these languages, and go with a runtime_version is a version of the site's own. Default system.
   */
  runtime?: CreateSiteRuntime;
  /**
   * The version of the runtime: 20, 22, 24 or 26 of node, 2 of deno or one like 1.25 of go for the newest release of
   * that line, which stays until this field is sent again, or an exact version like 22.11.0. bun has exact versions
   * only.
   */
  runtime_version?: string;
  /** The paths of a release that all releases share, at most 50. */
  shared_paths?: SharedPath[];
  /**
   * One line that starts the site's own program, which listens on port $PORT of 127.0.0.1: a shell runs it in the
   * directory of the release, as the site's account. For sites of the types other, custom, nextjs and nuxtjs; null for
   * what the type says (npm start).
   */
  start_command?: string | null;
  /** Replaces all tags. */
  tags?: string[];
  /** The kind of the application, which decides the nginx configuration and the first deploy script. */
  type?: CreateSiteType;
}

export interface UpdateSourceControlProviderRequest {
  /** A name of your choice. */
  name?: string;
  /** It is never returned. */
  token?: string;
  /** The email address of an Atlassian account, if the token is used as a password; null otherwise. */
  username?: string | null;
}

export interface UpdateStorageConfigurationRequest {
  /** The access key, or the user for SFTP. It is never returned. */
  access_key?: string | null;
  /** Always false: Hostler does not use the role of the machine it runs on. */
  assume_role?: boolean;
  /** The default bucket, for backup configurations that do not name one; null for none. */
  bucket?: string | null;
  /** The directory in the bucket below which objects are stored; null for its top. */
  directory?: string | null;
  /** The address of the provider, if it is not the one of its region. */
  endpoint?: string;
  /** For SFTP only. A change requires the secret_key as well. */
  host_key?: string | null;
  /** A name of your choice. */
  name: string;
  /** The kind of the storage provider; custom for any other S3-compatible one, SFTP or a disk. */
  provider: StorageProviderProvider;
  /** The region of the bucket; null or omitted if the endpoint says it. */
  region?: string;
  /** The secret key, or the password or private key for SFTP. It is never returned. */
  secret_key?: string | null;
  /** The old name of assume_role. */
  use_ec2_assumed_role?: boolean;
}

export interface UpdateTeamMemberRequest {
  /** The id of the role that the person has in the team. */
  role_id: number;
}

export interface UpdateTeamRequest {
  /** The name of the team. */
  name: string;
  /** Members of the organization, each with a role in the team. The list replaces the previous one. */
  users?: MemberRef[];
}

export interface UpdateTimezoneRequest {
  /** An IANA time zone name, such as Europe/Berlin. */
  timezone: string;
}

export interface UpdatedNode {
  /** Whether the node is only used while all others are unavailable. */
  backup?: boolean;
  /** Whether the node gets no requests. */
  down?: boolean;
  /** The port of the node. */
  port?: number | null;
  /** The id of the node's server. */
  server_id: number;
  /** The node's share of the requests, relative to the others. */
  weight: number;
}

export interface UpdatesMeta {
  /** The number of packages that can be updated. */
  pending: number;
  /** Whether installed updates wait for a reboot. */
  reboot_needed: boolean;
  /** How many of these are security updates. */
  security: number;
}

export interface UpgradeRequest {
  /** Reboot the server afterwards if updates require it. */
  reboot?: boolean;
  /** Install only security updates. */
  security_only?: boolean;
}

export interface User {
  /** The fields of the resource. */
  attributes: UserAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: UserResourceMeta;
  /** The type of the resource. */
  type: 'users';
}

export interface UserAttributes {
  /** When it was created. */
  created_at: string | null;
  /** The email address of the account. */
  email: string;
  /** The name of the person. */
  name: string;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface UserResourceMeta {
  /** Whether the caller can create organizations; false for tokens, which can't. */
  can_create_organizations?: boolean;
  /** The counts that include=…Count and …Exists requested, by name. */
  included?: Record<string, unknown>;
  /** The newest work on the resource. */
  operation?: OperationMeta;
  /** Set if an answer is repeated whose secret was shown the first time. */
  secret_shown?: boolean;
  /** Secrets that were just generated and are in no other answer. */
  shown_once?: ShownOnce;
}

export interface VersionRelationships {
  /** The person who wrote the version. */
  user: { data: Ref | null };
}

export interface Vpc {
  /** The fields of the resource. */
  attributes: VpcAttributes;
  /** The resource's id, which is unique among resources of its type. */
  id: string;
  /** The address of the resource. */
  links: SelfLinks;
  /** What is known about the resource beyond its fields, such as the work on it. */
  meta?: Meta;
  /** The type of the resource. */
  type: string;
}

export interface VpcAttributes {
  /** Empty if only subnets have ranges. */
  cidrBlock: string;
  /** The name of the network. */
  name: string;
  /** The code of the network's region. */
  region: string;
  /** The subnets of the network. */
  subnets: VpcSubnet[];
}

export interface VpcSubnet {
  /** The addresses of the subnet, such as 10.0.0.0/24. */
  cidrBlock: string;
  /** The id of the subnet at the cloud provider. */
  id: string;
  /** The name of the subnet. */
  name: string;
}

export interface VultrServer {
  /** The id of the private network at the cloud provider. */
  network_id?: string;
  /** The code of the region, as the provider's regions list it. */
  region_id?: string;
  /** The code of the size, as the region's sizes list it. */
  size_id?: string;
}

/** Included are related resources by their types. */
export interface Included {
  backgroundProcesses: BackgroundProcess[];
  deployments: Deployment[];
  scheduledJobs: Job[];
  organizations: Organization[];
  permissions: PermissionResource[];
  'redirect-rules': RedirectRule[];
  predefinedRoles: Role[];
  securityRules: SecurityRule[];
  servers: Server[];
  sites: Site[];
  tags: Tag[];
  teams: Team[];
  users: User[];
}

/** AccessLogCalls are what can be done with access log. */
export class AccessLogCalls {
  constructor(private core: Core) {}
  /**
   * Empty the access log of a site. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access
   */
  clear(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access', values: [organization, server, site], options });
  }
  /** What clear would do; nothing is changed. */
  planClear(organization: string, server: string, site: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access', values: [organization, server, site], options });
  }
  /**
   * Get the access log of a site. Returns the newest lines, oldest first, read from the server. 409 while the server
   * is not set up or can't be reached. GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access
   */
  get(organization: string, server: string, site: string, query: { lines?: number; search?: string; before?: number } = {}, options: CallOptions = {}): Promise<Answer<NginxAccessLog>> {
    return this.core.one<NginxAccessLog>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access', values: [organization, server, site], query, options });
  }
  /**
   * Follow the access log of a site. Server-sent events: log contains lines, state is why there are none.
   * Last-Event-ID resumes a stream. GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access/stream
   */
  stream(organization: string, server: string, site: string, query: { search?: string } = {}, options: CallOptions = {}): AsyncGenerator<Message, void> {
    return this.core.stream({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access/stream', values: [organization, server, site], query, options });
  }
}

/** AccountCalls are what can be done with account. */
export class AccountCalls {
  constructor(private core: Core) {}
  /** Get the user. GET /me */
  me(options: CallOptions = {}): Promise<Answer<User>> {
    return this.core.one<User>({ method: 'GET', path: '/me', options });
  }
  /** Get the user. GET /user */
  get(options: CallOptions = {}): Promise<Answer<User>> {
    return this.core.one<User>({ method: 'GET', path: '/user', options });
  }
}

/** ApplicationLogCalls are what can be done with application log. */
export class ApplicationLogCalls {
  constructor(private core: Core) {}
  /**
   * Empty the log of a site's program. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/logs/application
   */
  clear(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/application', values: [organization, server, site], options });
  }
  /** What clear would do; nothing is changed. */
  planClear(organization: string, server: string, site: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/application', values: [organization, server, site], options });
  }
  /**
   * Get the log of a site's program. Returns the newest lines, oldest first, read from the server. 409 while the
   * server is not set up or can't be reached. GET /orgs/{organization}/servers/{server}/sites/{site}/logs/application
   */
  get(organization: string, server: string, site: string, query: { lines?: number; search?: string; before?: number } = {}, options: CallOptions = {}): Promise<Answer<ApplicationLog>> {
    return this.core.one<ApplicationLog>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/application', values: [organization, server, site], query, options });
  }
  /**
   * Follow the log of a site's program. Server-sent events: log contains lines, state is why there are none.
   * Last-Event-ID resumes a stream. GET /orgs/{organization}/servers/{server}/sites/{site}/logs/application/stream
   */
  stream(organization: string, server: string, site: string, query: { search?: string } = {}, options: CallOptions = {}): AsyncGenerator<Message, void> {
    return this.core.stream({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/application/stream', values: [organization, server, site], query, options });
  }
}

/** ArchivesCalls are what can be done with archives. */
export class ArchivesCalls {
  constructor(private core: Core) {}
  /**
   * Reconnect an archived server. The server then waits for its setup command, which POST …/servers/{server}/line
   * returns. Once the command has been run on the same machine, identified by its host keys, the server is set up and
   * repaired. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/archives/{server}
   */
  delete(organization: string, server: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/archives/{server}', values: [organization, server], options });
  }
  /** List archived servers. GET /orgs/{organization}/servers/archives */
  list(organization: string, query: { sort?: EventsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Server, Included> {
    return new List<Server, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/archives', values: [organization], query, options });
  }
}

/** AttentionCalls are what can be done with attention. */
export class AttentionCalls {
  constructor(private core: Core) {}
  /**
   * List what needs attention in all organizations. The lists of all organizations of the caller as one. Failures,
   * work that does not begin, unreachable servers, full disks, certificates about to expire, backups that were never
   * verified, files changed outside Hostler, pending restarts and reboots, and deploy hooks known to former members,
   * on the servers visible to the caller; the most urgent first. GET /attention
   */
  all(query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Attention> {
    return new List<Attention>(this.core, { method: 'GET', path: '/attention', query, options });
  }
  /**
   * List what needs attention. Failures, work that does not begin, unreachable servers, full disks, certificates about
   * to expire, backups that were never verified, files changed outside Hostler, pending restarts and reboots, and
   * deploy hooks known to former members, on the servers visible to the caller; the most urgent first. GET
   * /orgs/{organization}/attention
   */
  list(organization: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Attention> {
    return new List<Attention>(this.core, { method: 'GET', path: '/orgs/{organization}/attention', values: [organization], query, options });
  }
}

/** AuditCalls are what can be done with audit. */
export class AuditCalls {
  constructor(private core: Core) {}
  /** Export the audit log of an organization as JSON lines. GET /orgs/{organization}/audit/export */
  export(organization: string, query: { 'filter[operation]'?: string; 'filter[user_id]'?: string; 'filter[status]'?: string; 'filter[resource_type]'?: string; 'filter[resource_id]'?: string; 'filter[address]'?: string; 'filter[caller]'?: string } = {}, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.core.text({ method: 'GET', path: '/orgs/{organization}/audit/export', values: [organization], query, options });
  }
  /** List the audit log of an organization. GET /orgs/{organization}/audit */
  list(organization: string, query: { 'filter[operation]'?: string; 'filter[user_id]'?: string; 'filter[status]'?: string; 'filter[resource_type]'?: string; 'filter[resource_id]'?: string; 'filter[address]'?: string; 'filter[caller]'?: string; sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<AuditEntry> {
    return new List<AuditEntry>(this.core, { method: 'GET', path: '/orgs/{organization}/audit', values: [organization], query, options });
  }
}

/** BackupConfigurationsCalls are what can be done with backup configurations. */
export class BackupConfigurationsCalls {
  constructor(private core: Core) {}
  /**
   * Create a backup configuration. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/database/backups
   */
  create(organization: string, server: string, body: CreateBackupConfigurationRequest, options: CallOptions = {}): Promise<Answer<BackupConfiguration>> {
    return this.core.one<BackupConfiguration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/backups', values: [organization, server], body, options });
  }
  /**
   * Delete a backup configuration. The contents of the bucket stay. It begins work, which wait() of the answer waits
   * for. DELETE /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}
   */
  delete(organization: string, server: string, backupConfiguration: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}', values: [organization, server, backupConfiguration], options });
  }
  /** List backup configurations. GET /orgs/{organization}/servers/{server}/database/backups */
  list(organization: string, server: string, query: { 'filter[name]'?: string; 'filter[status]'?: string; sort?: DatabasesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<BackupConfiguration> {
    return new List<BackupConfiguration>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/database/backups', values: [organization, server], query, options });
  }
  /** Get a backup configuration. GET /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration} */
  get(organization: string, server: string, backupConfiguration: string, options: CallOptions = {}): Promise<Answer<BackupConfiguration>> {
    return this.core.one<BackupConfiguration>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}', values: [organization, server, backupConfiguration], options });
  }
  /**
   * Update a backup configuration. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}
   */
  update(organization: string, server: string, backupConfiguration: string, body: UpdateBackupConfigurationRequest, options: CallOptions = {}): Promise<Answer<BackupConfiguration>> {
    return this.core.one<BackupConfiguration>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}', values: [organization, server, backupConfiguration], body, options });
  }
}

/** BackupKeysCalls are what can be done with backup keys. */
export class BackupKeysCalls {
  constructor(private core: Core) {}
  /**
   * Export the backup key. The secret key that opens the organization's backups, for `age --decrypt`. Store it
   * separately from the backups. POST /orgs/{organization}/backup-keys/export
   */
  export(organization: string, options: CallOptions = {}): Promise<Answer<BackupKey>> {
    return this.core.one<BackupKey>({ method: 'POST', path: '/orgs/{organization}/backup-keys/export', values: [organization], options });
  }
  /** List backup keys. GET /orgs/{organization}/backup-keys */
  list(organization: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<BackupKey> {
    return new List<BackupKey>(this.core, { method: 'GET', path: '/orgs/{organization}/backup-keys', values: [organization], query, options });
  }
}

/** BackupRunsCalls are what can be done with backup runs. */
export class BackupRunsCalls {
  constructor(private core: Core) {}
  /**
   * Delete a backup. The backup's objects are removed from the bucket. It begins work, which wait() of the answer
   * waits for. DELETE /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}
   */
  delete(organization: string, server: string, backupConfiguration: string, backup: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}', values: [organization, server, backupConfiguration, backup], options });
  }
  /**
   * Download a backup. Returns addresses of the backup's encrypted objects in meta.backup.objects, which work for an
   * hour. POST
   * /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/downloads
   */
  download(organization: string, server: string, backupConfiguration: string, backup: string, options: CallOptions = {}): Promise<Answer<Backup>> {
    return this.core.one<Backup>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/downloads', values: [organization, server, backupConfiguration, backup], options });
  }
  /** List backups. GET /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances */
  list(organization: string, server: string, backupConfiguration: string, query: { 'filter[status]'?: string; sort?: EventsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Backup> {
    return new List<Backup>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances', values: [organization, server, backupConfiguration], query, options });
  }
  /**
   * Restore a backup. The object is read to its end before anything is changed. A database that is replaced is backed
   * up first. Also requires server:create-databases if name is given, on both servers if server_id is given. Also
   * requires site:manage-deploys and site:manage-environment if site_id is given, on both servers if server_id is
   * given. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/restores
   */
  restore(organization: string, server: string, backupConfiguration: string, backup: string, body: RestoreBackupRequest, options: CallOptions = {}): Promise<Answer<Backup>> {
    return this.core.one<Backup>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/restores', values: [organization, server, backupConfiguration, backup], body, options });
  }
  /** Get a backup. GET /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup} */
  get(organization: string, server: string, backupConfiguration: string, backup: string, options: CallOptions = {}): Promise<Answer<Backup>> {
    return this.core.one<Backup>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}', values: [organization, server, backupConfiguration, backup], options });
  }
  /**
   * Prove a backup. The backup is restored into separate databases on the same server and compared with the dump; then
   * the databases are dropped. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/proofs
   */
  verify(organization: string, server: string, backupConfiguration: string, backup: string, options: CallOptions = {}): Promise<Answer<Backup>> {
    return this.core.one<Backup>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances/{backup}/proofs', values: [organization, server, backupConfiguration, backup], options });
  }
}

/** BackupsCalls are what can be done with backups. */
export class BackupsCalls {
  constructor(private core: Core) {}
  /**
   * Back up now. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances
   */
  run(organization: string, server: string, backupConfiguration: string, options: CallOptions = {}): Promise<Answer<Backup>> {
    return this.core.one<Backup>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/backups/{backupConfiguration}/instances', values: [organization, server, backupConfiguration], options });
  }
}

/** CertificatesCalls are what can be done with certificates. */
export class CertificatesCalls {
  constructor(private core: Core) {}
  /**
   * Enable or disable a certificate. The active certificate is served, and plain HTTP redirects to HTTPS. It begins
   * work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}/actions
   */
  act(organization: string, server: string, site: string, domainRecord: string, certificate: string, body: DomainCertificateActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}/actions', values: [organization, server, site, domainRecord, certificate], body, options });
  }
  /** What act would do; nothing is changed. */
  planAct(organization: string, server: string, site: string, domainRecord: string, certificate: string, body: DomainCertificateActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}/actions', values: [organization, server, site, domainRecord, certificate], body, options });
  }
  /**
   * Get the active certificate of a domain. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/active
   */
  active(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Answer<Certificate>> {
    return this.core.one<Certificate>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/active', values: [organization, server, site, domainRecord], options });
  }
  /**
   * Create a certificate. letsencrypt certificates are issued and renewed automatically. For csr, have
   * meta.certificate.csr signed and upload the result. existing and clone are used as they are. It begins work, which
   * wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates
   */
  create(organization: string, server: string, site: string, domainRecord: string, body: CreateDomainCertificateRequest, options: CallOptions = {}): Promise<Answer<Certificate>> {
    return this.core.one<Certificate>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates', values: [organization, server, site, domainRecord], body, options });
  }
  /**
   * Delete a certificate. If a domain's active certificate is deleted, the domain is served over plain HTTP. It begins
   * work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}
   */
  delete(organization: string, server: string, site: string, domainRecord: string, certificate: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}', values: [organization, server, site, domainRecord, certificate], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, domainRecord: string, certificate: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}', values: [organization, server, site, domainRecord, certificate], options });
  }
  /**
   * List the certificates of a domain. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates
   */
  list(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Answer<Certificate[]>> {
    return this.core.one<Certificate[]>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates', values: [organization, server, site, domainRecord], options });
  }
  /**
   * Get a certificate. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}
   */
  get(organization: string, server: string, site: string, domainRecord: string, certificate: string, options: CallOptions = {}): Promise<Answer<Certificate>> {
    return this.core.one<Certificate>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}', values: [organization, server, site, domainRecord, certificate], options });
  }
  /**
   * Install a certificate signed from a request. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}
   */
  update(organization: string, server: string, site: string, domainRecord: string, certificate: string, body: InstallCertificateRequest, options: CallOptions = {}): Promise<Answer<Certificate>> {
    return this.core.one<Certificate>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificates/{certificate}', values: [organization, server, site, domainRecord, certificate], body, options });
  }
}

/** ChecklistCalls are what can be done with checklist. */
export class ChecklistCalls {
  constructor(private core: Core) {}
  /**
   * Get the checklist of an organization. Reports which steps to a first production site are done, derived from
   * existing resources. GET /orgs/{organization}/checklist
   */
  get(organization: string, options: CallOptions = {}): Promise<Answer<Checklist>> {
    return this.core.one<Checklist>({ method: 'GET', path: '/orgs/{organization}/checklist', values: [organization], options });
  }
}

/** CommandsCalls are what can be done with commands. */
export class CommandsCalls {
  constructor(private core: Core) {}
  /**
   * Run a command. Runs the command with bash, in the site's directory, as the site's user, for at most five minutes.
   * It is never run twice. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/commands
   */
  create(organization: string, server: string, site: string, body: RunSiteCommandRequest, options: CallOptions = {}): Promise<Answer<Command>> {
    return this.core.one<Command>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/commands', values: [organization, server, site], body, options });
  }
  /**
   * Delete a command. A running command is ended first, with all its processes, and stays in the list. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/commands/{command}
   */
  delete(organization: string, server: string, site: string, command: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/commands/{command}', values: [organization, server, site, command], options });
  }
  /** List commands of a site. GET /orgs/{organization}/servers/{server}/sites/{site}/commands */
  list(organization: string, server: string, site: string, query: { 'filter[user_id]'?: string; 'filter[status]'?: string; 'filter[command]'?: string; sort?: CommandsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Command, Included> {
    return new List<Command, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/commands', values: [organization, server, site], query, options });
  }
  /** Get a command's output. GET /orgs/{organization}/servers/{server}/sites/{site}/commands/{command}/output */
  output(organization: string, server: string, site: string, command: string, options: CallOptions = {}): Promise<Answer<CommandOutput>> {
    return this.core.one<CommandOutput>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/commands/{command}/output', values: [organization, server, site, command], options });
  }
  /** Get a command. GET /orgs/{organization}/servers/{server}/sites/{site}/commands/{command} */
  get(organization: string, server: string, site: string, command: string, options: CallOptions = {}): Promise<Answer<Command, Included>> {
    return this.core.one<Command, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/commands/{command}', values: [organization, server, site, command], options });
  }
}

/** ComposerCredentialsCalls are what can be done with composer credentials. */
export class ComposerCredentialsCalls {
  constructor(private core: Core) {}
  /**
   * Create a site's Composer credential. The secret is readable only by the site's user and is never shown again. It
   * begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials
   */
  create(organization: string, server: string, site: string, body: CreateComposerCredentialRequest, options: CallOptions = {}): Promise<Answer<ComposerCredential>> {
    return this.core.one<ComposerCredential>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials', values: [organization, server, site], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, site: string, body: CreateComposerCredentialRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials', values: [organization, server, site], body, options });
  }
  /**
   * Delete a site's Composer credential. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}
   */
  delete(organization: string, server: string, site: string, repository: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}', values: [organization, server, site, repository], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, repository: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}', values: [organization, server, site, repository], options });
  }
  /** List Composer credentials of a site. GET /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials */
  list(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<ComposerCredential[]>> {
    return this.core.one<ComposerCredential[]>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials', values: [organization, server, site], options });
  }
  /**
   * Get a site's Composer credential. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}
   */
  get(organization: string, server: string, site: string, repository: string, options: CallOptions = {}): Promise<Answer<ComposerCredential>> {
    return this.core.one<ComposerCredential>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}', values: [organization, server, site, repository], options });
  }
  /**
   * Replace a site's Composer credential. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}
   */
  update(organization: string, server: string, site: string, repository: string, body: UpdateComposerCredentialRequest, options: CallOptions = {}): Promise<Answer<ComposerCredential>> {
    return this.core.one<ComposerCredential>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}', values: [organization, server, site, repository], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, repository: string, body: UpdateComposerCredentialRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/composer/credentials/{repository}', values: [organization, server, site, repository], body, options });
  }
}

/** CredentialSizesCalls are what can be done with credential sizes. */
export class CredentialSizesCalls {
  constructor(private core: Core) {}
  /**
   * List the sizes available in a region. Lists sizes and prices from the provider, cheapest first. Waits at most half
   * a minute; a 409 says why the provider did not respond with them. AWS prices are not available. GET
   * /orgs/{organization}/server-credentials/{credential}/regions/{region}/sizes
   */
  list(organization: string, credential: string, region: string, options: CallOptions = {}): Promise<Answer<OfferedSize[]>> {
    return this.core.one<OfferedSize[]>({ method: 'GET', path: '/orgs/{organization}/server-credentials/{credential}/regions/{region}/sizes', values: [organization, credential, region], options });
  }
}

/** CredentialsCalls are what can be done with credentials. */
export class CredentialsCalls {
  constructor(private core: Core) {}
  /**
   * Create a server credential. The secret is verified with the provider before it is saved. POST
   * /orgs/{organization}/server-credentials
   */
  create(organization: string, body: CreateServerCredentialRequest, options: CallOptions = {}): Promise<Answer<ServerCredential>> {
    return this.core.one<ServerCredential>({ method: 'POST', path: '/orgs/{organization}/server-credentials', values: [organization], body, options });
  }
  /**
   * Delete a server credential. A credential that servers were created with can't be deleted. DELETE
   * /orgs/{organization}/server-credentials/{credential}
   */
  delete(organization: string, credential: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/server-credentials/{credential}', values: [organization, credential], options });
  }
  /** List server credentials. GET /orgs/{organization}/server-credentials */
  list(organization: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<ServerCredential> {
    return new List<ServerCredential>(this.core, { method: 'GET', path: '/orgs/{organization}/server-credentials', values: [organization], query, options });
  }
  /** Get a server credential. GET /orgs/{organization}/server-credentials/{credential} */
  get(organization: string, credential: string, options: CallOptions = {}): Promise<Answer<ServerCredential>> {
    return this.core.one<ServerCredential>({ method: 'GET', path: '/orgs/{organization}/server-credentials/{credential}', values: [organization, credential], options });
  }
  /**
   * Update a server credential. The secret is verified with the provider before it is saved. PUT
   * /orgs/{organization}/server-credentials/{credential}
   */
  update(organization: string, credential: string, body: UpdateServerCredentialRequest, options: CallOptions = {}): Promise<Answer<ServerCredential>> {
    return this.core.one<ServerCredential>({ method: 'PUT', path: '/orgs/{organization}/server-credentials/{credential}', values: [organization, credential], body, options });
  }
}

/** DatabaseUsersCalls are what can be done with database users. */
export class DatabaseUsersCalls {
  constructor(private core: Core) {}
  /**
   * Create a database user. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/database/users
   */
  create(organization: string, server: string, body: CreateDatabaseUserRequest, options: CallOptions = {}): Promise<Answer<DatabaseUser>> {
    return this.core.one<DatabaseUser>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/users', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateDatabaseUserRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/users', values: [organization, server], body, options });
  }
  /**
   * Delete a database user. The account's open connections are terminated (in MySQL, they last until they are closed).
   * The sites' account can't be deleted. 409 while sites sign in with the account; the message names them. It begins
   * work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/database/users/{databaseUser}
   */
  delete(organization: string, server: string, databaseUser: string, query: { force?: boolean } = {}, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/database/users/{databaseUser}', values: [organization, server, databaseUser], query, options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, databaseUser: string, query: { force?: boolean } = {}, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/database/users/{databaseUser}', values: [organization, server, databaseUser], query, options });
  }
  /** List database users. GET /orgs/{organization}/servers/{server}/database/users */
  list(organization: string, server: string, query: { 'filter[name]'?: string; 'filter[status]'?: string; sort?: DatabasesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<DatabaseUser> {
    return new List<DatabaseUser>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/database/users', values: [organization, server], query, options });
  }
  /** Get a database user. GET /orgs/{organization}/servers/{server}/database/users/{databaseUser} */
  get(organization: string, server: string, databaseUser: string, options: CallOptions = {}): Promise<Answer<DatabaseUser>> {
    return this.core.one<DatabaseUser>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/database/users/{databaseUser}', values: [organization, server, databaseUser], options });
  }
  /**
   * Update a database user. Changes the password, the list of databases, or both. Access to databases that stay in the
   * list is not interrupted. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/database/users/{databaseUser}
   */
  update(organization: string, server: string, databaseUser: string, body: UpdateDatabaseUserRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/database/users/{databaseUser}', values: [organization, server, databaseUser], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, databaseUser: string, body: UpdateDatabaseUserRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/database/users/{databaseUser}', values: [organization, server, databaseUser], body, options });
  }
}

/** DatabasesCalls are what can be done with databases. */
export class DatabasesCalls {
  constructor(private core: Core) {}
  /**
   * Create a database. The sites' account has access to the database. The generated password of a new account is in
   * meta.shown_once. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/database/schemas
   */
  create(organization: string, server: string, body: CreateDatabaseRequest, options: CallOptions = {}): Promise<Answer<Database>> {
    return this.core.one<Database>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/schemas', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateDatabaseRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/schemas', values: [organization, server], body, options });
  }
  /**
   * Delete a database. Deletes the database with all its data. A database whose creation failed is dropped only if
   * Hostler created it. 409 while sites use it; the message names them. It begins work, which wait() of the answer
   * waits for. DELETE /orgs/{organization}/servers/{server}/database/schemas/{database}
   */
  delete(organization: string, server: string, database: string, query: { force?: boolean } = {}, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/database/schemas/{database}', values: [organization, server, database], query, options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, database: string, query: { force?: boolean } = {}, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/database/schemas/{database}', values: [organization, server, database], query, options });
  }
  /** List databases. GET /orgs/{organization}/servers/{server}/database/schemas */
  list(organization: string, server: string, query: { 'filter[name]'?: string; 'filter[status]'?: string; sort?: DatabasesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Database> {
    return new List<Database>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/database/schemas', values: [organization, server], query, options });
  }
  /**
   * Change the password of the sites' database account. The new password is set on the server afterwards; see the
   * event in X-Hostler-Event. The engine's own administrator has no password and can connect only through the local
   * socket. PUT /orgs/{organization}/servers/{server}/database/password
   */
  password(organization: string, server: string, body: UpdateDatabasePasswordRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/database/password', values: [organization, server], body, options });
  }
  /** What password would do; nothing is changed. */
  planPassword(organization: string, server: string, body: UpdateDatabasePasswordRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/database/password', values: [organization, server], body, options });
  }
  /** Get a database. GET /orgs/{organization}/servers/{server}/database/schemas/{database} */
  get(organization: string, server: string, database: string, options: CallOptions = {}): Promise<Answer<Database>> {
    return this.core.one<Database>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/database/schemas/{database}', values: [organization, server, database], options });
  }
  /**
   * Synchronize databases and accounts with the server. Imports databases and accounts that were created on the
   * server, and removes those that no longer exist. The engine's own are left out. It begins work, which wait() of the
   * answer waits for. POST /orgs/{organization}/servers/{server}/database/schemas/synchronizations
   */
  sync(organization: string, server: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/schemas/synchronizations', values: [organization, server], options });
  }
  /** What sync would do; nothing is changed. */
  planSync(organization: string, server: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/database/schemas/synchronizations', values: [organization, server], options });
  }
  /**
   * Update the extensions of a database. Those that are missing are created, and those that Hostler keeps and that are
   * not in the list are dropped, unless something in the database depends on them. Others, which accounts of the
   * database created, stay. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/database/schemas/{database}
   */
  update(organization: string, server: string, database: string, body: UpdateDatabaseRequest, options: CallOptions = {}): Promise<Answer<Database>> {
    return this.core.one<Database>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/database/schemas/{database}', values: [organization, server, database], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, database: string, body: UpdateDatabaseRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/database/schemas/{database}', values: [organization, server, database], body, options });
  }
  /**
   * Get the tables, connections, slow queries and extensions of a database. Read on the server, from its engine. 409
   * while the database is not installed, or if the server or its engine does not answer. GET
   * /orgs/{organization}/servers/{server}/database/schemas/{database}/usage
   */
  usage(organization: string, server: string, database: string, options: CallOptions = {}): Promise<Answer<DatabaseUsage>> {
    return this.core.one<DatabaseUsage>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/database/schemas/{database}/usage', values: [organization, server, database], options });
  }
}

/** DeployHookCalls are what can be done with deploy hook. */
export class DeployHookCalls {
  constructor(private core: Core) {}
  /**
   * Get a site's deploy hook. Anyone who knows the address can deploy the site, with GET or POST. Its last part is
   * also the secret that signs pushes sent to /push/{site}. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<DeployHook>> {
    return this.core.one<DeployHook>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook', values: [organization, server, site], options });
  }
  /**
   * Regenerate a site's deploy hook. The old URL stops working immediately. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook
   */
  update(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<DeployHook>> {
    return this.core.one<DeployHook>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/deploy-hook', values: [organization, server, site], options });
  }
}

/** DeployKeyCalls are what can be done with deploy key. */
export class DeployKeyCalls {
  constructor(private core: Core) {}
  /**
   * Create a deploy key. If the site already has a deploy key, it is kept and returned. It begins work, which wait()
   * of the answer waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/deploy-key
   */
  create(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<DeployKey>> {
    return this.core.one<DeployKey>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/deploy-key', values: [organization, server, site], options });
  }
  /** Delete a site's deploy key. DELETE /orgs/{organization}/servers/{server}/sites/{site}/deploy-key */
  delete(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/deploy-key', values: [organization, server, site], options });
  }
  /**
   * Get a site's deploy key. Returns the public half; null if the site has no deploy key. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/deploy-key
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<DeployKey>> {
    return this.core.one<DeployKey>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deploy-key', values: [organization, server, site], options });
  }
}

/** DeployScriptCalls are what can be done with deploy script. */
export class DeployScriptCalls {
  constructor(private core: Core) {}
  /** Get a site's deploy script. GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/script */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<DeploymentScript>> {
    return this.core.one<DeploymentScript>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/script', values: [organization, server, site], options });
  }
  /**
   * Replace a site's deploy script. The next deployment runs the script, as the site's user. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/script
   */
  update(organization: string, server: string, site: string, body: UpdateDeploymentScriptRequest, options: CallOptions = {}): Promise<Answer<DeploymentScript>> {
    return this.core.one<DeploymentScript>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/script', values: [organization, server, site], body, options });
  }
}

/** DeployStatusCalls are what can be done with deploy status. */
export class DeployStatusCalls {
  constructor(private core: Core) {}
  /**
   * Cancel a site's deployments. A running deployment is ended on the server, with all its processes, and rolled back;
   * waiting ones are cancelled. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/status
   */
  reset(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/status', values: [organization, server, site], options });
  }
  /**
   * Get the status of a site's newest deployment. status and started_at are null until something is deployed. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/status
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<DeploymentStatus>> {
    return this.core.one<DeploymentStatus>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/status', values: [organization, server, site], options });
  }
}

/** DeploymentsCalls are what can be done with deployments. */
export class DeploymentsCalls {
  constructor(private core: Core) {}
  /**
   * Deploy a site. A site's deployments run one at a time. A newer deployment supersedes one that is waiting. It
   * begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments
   */
  create(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<Deployment, Included>> {
    return this.core.one<Deployment, Included>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments', values: [organization, server, site], options });
  }
  /** List deployments of a site. GET /orgs/{organization}/servers/{server}/sites/{site}/deployments */
  list(organization: string, server: string, site: string, query: { 'filter[commit_hash]'?: string; 'filter[commit_message]'?: string; 'filter[commit_author]'?: string; sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Deployment, Included> {
    return new List<Deployment, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments', values: [organization, server, site], query, options });
  }
  /**
   * Get a deployment's log. The output so far; organizations.events.stream follows it live, under the event in
   * meta.operation. GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/log
   */
  log(organization: string, server: string, site: string, deployment: string, options: CallOptions = {}): Promise<Answer<DeploymentOutput>> {
    return this.core.one<DeploymentOutput>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/log', values: [organization, server, site, deployment], options });
  }
  /**
   * Redeploy a deployment's commit. Creates a new release of the same commit with the current deploy script. It begins
   * work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/redeploy
   */
  redeploy(organization: string, server: string, site: string, deployment: string, options: CallOptions = {}): Promise<Answer<Deployment>> {
    return this.core.one<Deployment>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/redeploy', values: [organization, server, site, deployment], options });
  }
  /**
   * Roll back to a deployment. Creates a deployment that switches to the release, which must still be kept, without
   * running the deploy script, and then runs the health check. It begins work, which wait() of the answer waits for.
   * POST /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/rollback
   */
  rollback(organization: string, server: string, site: string, deployment: string, options: CallOptions = {}): Promise<Answer<Deployment>> {
    return this.core.one<Deployment>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}/rollback', values: [organization, server, site, deployment], options });
  }
  /** Get a deployment. GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment} */
  get(organization: string, server: string, site: string, deployment: string, query: { include?: EventsListInclude[] } = {}, options: CallOptions = {}): Promise<Answer<Deployment, Included>> {
    return this.core.one<Deployment, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/{deployment}', values: [organization, server, site, deployment], query, options });
  }
}

/** DNSProvidersCalls are what can be done with dns providers. */
export class DNSProvidersCalls {
  constructor(private core: Core) {}
  /**
   * Connect a DNS provider. Certificates can then be issued through the provider with dns-01, and the records of
   * domains created there. POST /orgs/{organization}/dns-providers
   */
  create(organization: string, body: CreateDNSProviderRequest, options: CallOptions = {}): Promise<Answer<DNSProvider>> {
    return this.core.one<DNSProvider>({ method: 'POST', path: '/orgs/{organization}/dns-providers', values: [organization], body, options });
  }
  /**
   * Delete a DNS provider. Refused while certificates are renewed through the provider, or records of domains are kept
   * there. DELETE /orgs/{organization}/dns-providers/{dnsProvider}
   */
  delete(organization: string, dnsProvider: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/dns-providers/{dnsProvider}', values: [organization, dnsProvider], options });
  }
  /** List DNS providers. GET /orgs/{organization}/dns-providers */
  list(organization: string, query: { sort?: SitesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<DNSProvider> {
    return new List<DNSProvider>(this.core, { method: 'GET', path: '/orgs/{organization}/dns-providers', values: [organization], query, options });
  }
  /** Get a DNS provider. GET /orgs/{organization}/dns-providers/{dnsProvider} */
  get(organization: string, dnsProvider: string, options: CallOptions = {}): Promise<Answer<DNSProvider>> {
    return this.core.one<DNSProvider>({ method: 'GET', path: '/orgs/{organization}/dns-providers/{dnsProvider}', values: [organization, dnsProvider], options });
  }
  /** Update a DNS provider. PUT /orgs/{organization}/dns-providers/{dnsProvider} */
  update(organization: string, dnsProvider: string, body: UpdateDNSProviderRequest, options: CallOptions = {}): Promise<Answer<DNSProvider>> {
    return this.core.one<DNSProvider>({ method: 'PUT', path: '/orgs/{organization}/dns-providers/{dnsProvider}', values: [organization, dnsProvider], body, options });
  }
}

/** DNSRecordsCalls are what can be done with dns records. */
export class DNSRecordsCalls {
  constructor(private core: Core) {}
  /**
   * Check the DNS records of a domain. Asks the DNS provider, the nameservers of the zone and a resolver for the
   * records that Hostler made. They are also checked every hour, and every minute while they are new. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/check
   */
  check(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Answer<DomainDNS>> {
    return this.core.one<DomainDNS>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/check', values: [organization, server, site, domainRecord], options });
  }
  /**
   * Create the DNS records of a domain. Carries out a plan. Records that Hostler did not make, or that were changed
   * manually, are changed only if replace names them. Afterwards the records follow when the server's address changes,
   * a load balancer comes in front of it, or the domain gets other names. It begins work, which wait() of the answer
   * waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns
   */
  create(organization: string, server: string, site: string, domainRecord: string, body: StoreDomainDNSRequest, options: CallOptions = {}): Promise<Answer<DomainDNS>> {
    return this.core.one<DomainDNS>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns', values: [organization, server, site, domainRecord], body, options });
  }
  /**
   * Preview the DNS records of a domain. Reads what the DNS provider has, and returns what would be done for the
   * domain's names to lead to its server, or to the load balancer in front of it. Nothing is changed. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/plan
   */
  plan(organization: string, server: string, site: string, domainRecord: string, query: { dns_provider_id?: number; replace?: string; remove?: boolean } = {}, options: CallOptions = {}): Promise<Answer<DomainDNSPlan>> {
    return this.core.one<DomainDNSPlan>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns/plan', values: [organization, server, site, domainRecord], query, options });
  }
  /**
   * Remove the DNS records of a domain. Removes the records that Hostler made, as far as they are as it made them.
   * With keep, they stay at the provider, and Hostler no longer changes them. The records of a deleted domain are
   * removed as well. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns
   */
  remove(organization: string, server: string, site: string, domainRecord: string, query: { keep?: boolean } = {}, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns', values: [organization, server, site, domainRecord], query, options });
  }
  /**
   * Get the DNS records that Hostler keeps for a domain. The state of the records, at the provider and from outside,
   * is that of the last check. GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns
   */
  get(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Answer<DomainDNS>> {
    return this.core.one<DomainDNS>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns', values: [organization, server, site, domainRecord], options });
  }
}

/** DomainNginxCalls are what can be done with domain nginx. */
export class DomainNginxCalls {
  constructor(private core: Core) {}
  /**
   * Get the nginx configuration of a domain. With drift=true the server is queried, and meta.nginx.drift shows manual
   * changes there, or meta.nginx.problem says why they can't be determined. Manual changes are never overwritten. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx
   */
  get(organization: string, server: string, site: string, domainRecord: string, query: { drift?: boolean } = {}, options: CallOptions = {}): Promise<Answer<NginxConfig>> {
    return this.core.one<NginxConfig>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx', values: [organization, server, site, domainRecord], query, options });
  }
  /**
   * Write the nginx configuration of a domain. The configuration is restricted to the site's own logs, directories,
   * sockets, ports and names; any line beyond that is rejected. It is stored in Hostler's layout, checked on the
   * server before it takes effect, and rolled back if nginx rejects it. Later changes by Hostler are merged into it,
   * unless both changed the same lines. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx
   */
  update(organization: string, server: string, site: string, domainRecord: string, body: UpdateNginxConfigurationRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx', values: [organization, server, site, domainRecord], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, domainRecord: string, body: UpdateNginxConfigurationRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx', values: [organization, server, site, domainRecord], body, options });
  }
  /**
   * Write the nginx configuration of a domain as root. The configuration is written as it is, and can act as root on
   * the server: read and write any file, and respond for any site. This also requires the permission to run recipes,
   * which can do the same. A caller without that permission can only replace the configuration with one that is
   * restricted to the site. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx/root
   */
  updateRoot(organization: string, server: string, site: string, domainRecord: string, body: UpdateNginxConfigurationRequest, options: CallOptions = {}): Promise<Answer<NginxConfig>> {
    return this.core.one<NginxConfig>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx/root', values: [organization, server, site, domainRecord], body, options });
  }
  /** What updateRoot would do; nothing is changed. */
  planUpdateRoot(organization: string, server: string, site: string, domainRecord: string, body: UpdateNginxConfigurationRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/nginx/root', values: [organization, server, site, domainRecord], body, options });
  }
}

/** DomainsCalls are what can be done with domains. */
export class DomainsCalls {
  constructor(private core: Core) {}
  /**
   * Enable or disable a domain, or make it primary. The site is named after its primary domain. The site's directory
   * is not renamed, since programs are running in it. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/actions
   */
  act(organization: string, server: string, site: string, domainRecord: string, body: DomainActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/actions', values: [organization, server, site, domainRecord], body, options });
  }
  /** What act would do; nothing is changed. */
  planAct(organization: string, server: string, site: string, domainRecord: string, body: DomainActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/actions', values: [organization, server, site, domainRecord], body, options });
  }
  /**
   * Get the certificate served for a domain. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificate
   */
  certificate(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Answer<Certificate>> {
    return this.core.one<Certificate>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/certificate', values: [organization, server, site, domainRecord], options });
  }
  /**
   * List the DNS records that a domain needs. The CNAME record for _acme-challenge is only for dns-01 challenges, and
   * is set once. meta.record reports whether DNS has each record now. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/configurations
   */
  configurations(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Answer<DomainRecordConfiguration[]>> {
    return this.core.one<DomainRecordConfiguration[]>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/configurations', values: [organization, server, site, domainRecord], options });
  }
  /**
   * Add a domain to a site. Each domain has its own vhost and certificates. A name can be used once per server. It
   * begins work, which wait() of the answer waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/domains
   */
  create(organization: string, server: string, site: string, body: CreateDomainRequest, options: CallOptions = {}): Promise<Answer<DomainRecord>> {
    return this.core.one<DomainRecord>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains', values: [organization, server, site], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, site: string, body: CreateDomainRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains', values: [organization, server, site], body, options });
  }
  /**
   * Delete a domain. The primary domain can't be deleted. The status of a domain is removing until the server
   * confirms. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}
   */
  delete(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}', values: [organization, server, site, domainRecord], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}', values: [organization, server, site, domainRecord], options });
  }
  /** List the domains of a site. GET /orgs/{organization}/servers/{server}/sites/{site}/domains */
  list(organization: string, server: string, site: string, query: { 'filter[status]'?: DomainsListFilterStatus; 'filter[type]'?: DomainsListFilterType; sort?: SitesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<DomainRecord> {
    return new List<DomainRecord>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains', values: [organization, server, site], query, options });
  }
  /** Get a domain. GET /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord} */
  get(organization: string, server: string, site: string, domainRecord: string, options: CallOptions = {}): Promise<Answer<DomainRecord>> {
    return this.core.one<DomainRecord>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}', values: [organization, server, site, domainRecord], options });
  }
  /**
   * Update the policies of a domain. It begins work, which wait() of the answer waits for. PATCH
   * /orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}
   */
  update(organization: string, server: string, site: string, domainRecord: string, body: UpdateDomainRequest, options: CallOptions = {}): Promise<Answer<DomainRecord>> {
    return this.core.one<DomainRecord>({ method: 'PATCH', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}', values: [organization, server, site, domainRecord], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, domainRecord: string, body: UpdateDomainRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PATCH', path: '/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}', values: [organization, server, site, domainRecord], body, options });
  }
}

/** DriftCalls are what can be done with drift. */
export class DriftCalls {
  constructor(private core: Core) {}
  /**
   * Get the drift of a server. Compares the server with its records, without changing anything. 409 while the server
   * is not set up or can't be reached. GET /orgs/{organization}/servers/{server}/drift
   */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<ServerDrift>> {
    return this.core.one<ServerDrift>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/drift', values: [organization, server], options });
  }
}

/** EnvironmentCalls are what can be done with environment. */
export class EnvironmentCalls {
  constructor(private core: Core) {}
  /**
   * Get a site's environment. Returns the .env file as last written, or about to be written, by Hostler. A version
   * that could not be written is not shown. GET /orgs/{organization}/servers/{server}/sites/{site}/environment
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<Environment>> {
    return this.core.one<Environment>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/environment', values: [organization, server, site], options });
  }
  /**
   * Replace a site's environment. Only the site's user can read the file. All releases share it, including the live
   * one. If the application can't be refreshed, the previous file is restored. It begins work, which wait() of the
   * answer waits for. PUT /orgs/{organization}/servers/{server}/sites/{site}/environment
   */
  update(organization: string, server: string, site: string, body: UpdateEnvironmentRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/environment', values: [organization, server, site], body, options });
  }
}

/** EnvironmentVersionsCalls are what can be done with environment versions. */
export class EnvironmentVersionsCalls {
  constructor(private core: Core) {}
  /**
   * List versions of a site's environment. Lists the versions that were written through Hostler, at most 100. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/environment/versions
   */
  list(organization: string, server: string, site: string, query: { sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<EnvironmentVersion> {
    return new List<EnvironmentVersion>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/environment/versions', values: [organization, server, site], query, options });
  }
  /**
   * Get a version of a site's environment. Includes the changes since the previous version. To go back to a version,
   * write its content. GET /orgs/{organization}/servers/{server}/sites/{site}/environment/versions/{version}
   */
  get(organization: string, server: string, site: string, version: string, options: CallOptions = {}): Promise<Answer<EnvironmentVersion>> {
    return this.core.one<EnvironmentVersion>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/environment/versions/{version}', values: [organization, server, site, version], options });
  }
}

/** ErrorLogCalls are what can be done with error log. */
export class ErrorLogCalls {
  constructor(private core: Core) {}
  /**
   * Empty the error log of a site. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error
   */
  clear(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error', values: [organization, server, site], options });
  }
  /** What clear would do; nothing is changed. */
  planClear(organization: string, server: string, site: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error', values: [organization, server, site], options });
  }
  /**
   * Get the error log of a site. Returns the newest lines, oldest first, read from the server. 409 while the server is
   * not set up or can't be reached. GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error
   */
  get(organization: string, server: string, site: string, query: { lines?: number; search?: string; before?: number } = {}, options: CallOptions = {}): Promise<Answer<NginxErrorLog>> {
    return this.core.one<NginxErrorLog>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error', values: [organization, server, site], query, options });
  }
  /**
   * Follow the error log of a site. Server-sent events: log contains lines, state is why there are none. Last-Event-ID
   * resumes a stream. GET /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error/stream
   */
  stream(organization: string, server: string, site: string, query: { search?: string } = {}, options: CallOptions = {}): AsyncGenerator<Message, void> {
    return this.core.stream({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-error/stream', values: [organization, server, site], query, options });
  }
}

/** EventsCalls are what can be done with events. */
export class EventsCalls {
  constructor(private core: Core) {}
  /**
   * Cancel the work of an event. The work's processes are killed, and what can be rolled back is rolled back. Also
   * requires the permissions that starting the work required. It begins work, which wait() of the answer waits for.
   * POST /orgs/{organization}/servers/{server}/events/{event}/cancel
   */
  cancel(organization: string, server: string, event: string, options: CallOptions = {}): Promise<Answer<Event>> {
    return this.core.one<Event>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/events/{event}/cancel', values: [organization, server, event], options });
  }
  /** List events of an organization. GET /orgs/{organization}/events */
  list(organization: string, query: { 'filter[initiated_by]'?: string; 'filter[ran_as]'?: string; 'filter[site_id]'?: string; 'filter[state]'?: FilterState; 'filter[longer_than]'?: string; 'filter[server_id]'?: string; sort?: EventsListSort[]; include?: EventsListInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Event, Included> {
    return new List<Event, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/events', values: [organization], query, options });
  }
  /** List events of a server. GET /orgs/{organization}/servers/{server}/events */
  ofServer(organization: string, server: string, query: { 'filter[initiated_by]'?: string; 'filter[ran_as]'?: string; 'filter[site_id]'?: string; 'filter[state]'?: FilterState; 'filter[longer_than]'?: string; sort?: EventsListSort[]; include?: EventsListInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Event, Included> {
    return new List<Event, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/events', values: [organization, server], query, options });
  }
  /**
   * Get an event's output. Reading the output of a command, a deployment or a recipe also requires the permissions for
   * running it. GET /orgs/{organization}/servers/{server}/events/{event}/output
   */
  output(organization: string, server: string, event: string, options: CallOptions = {}): Promise<Answer<EventOutput>> {
    return this.core.one<EventOutput>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/events/{event}/output', values: [organization, server, event], options });
  }
  /**
   * Retry the work of an event. Also requires the permissions that starting the work required. It begins work, which
   * wait() of the answer waits for. POST /orgs/{organization}/servers/{server}/events/{event}/retry
   */
  retry(organization: string, server: string, event: string, options: CallOptions = {}): Promise<Answer<Event>> {
    return this.core.one<Event>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/events/{event}/retry', values: [organization, server, event], options });
  }
  /** Get an event. GET /orgs/{organization}/servers/{server}/events/{event} */
  get(organization: string, server: string, event: string, query: { include?: EventsListInclude[] } = {}, options: CallOptions = {}): Promise<Answer<Event, Included>> {
    return this.core.one<Event, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/events/{event}', values: [organization, server, event], query, options });
  }
  /**
   * Follow events. Server-sent events, one for each piece of output; Last-Event-ID resumes a stream. GET
   * /orgs/{organization}/events/stream
   */
  stream(organization: string, options: CallOptions = {}): AsyncGenerator<Message, void> {
    return this.core.stream({ method: 'GET', path: '/orgs/{organization}/events/stream', values: [organization], options });
  }
}

/** FilesCalls are what can be done with files. */
export class FilesCalls {
  constructor(private core: Core) {}
  /**
   * Delete a file or directory of a site. Deleted files can't be restored. A link is removed, not what it leads to. A
   * directory that is not empty is only deleted if entries is the number of files and directories in it, with itself,
   * as the operation that shows it counts them; else it is a 409. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/files/entry
   */
  delete(organization: string, server: string, site: string, query: { path?: string; entries?: number } = {}, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/entry', values: [organization, server, site], query, options });
  }
  /**
   * Download a file of a site. Any file, of any size, as it is on the server. Range is supported. Each answer has a
   * line in the audit log. GET /orgs/{organization}/servers/{server}/sites/{site}/files/download
   */
  download(organization: string, server: string, site: string, query: { path?: string } = {}, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.core.text({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/download', values: [organization, server, site], query, options });
  }
  /**
   * List a directory of a site. Read on the server, as the site's account: directories first, and by name. Links out
   * of the site's directory are listed and not followed. GET /orgs/{organization}/servers/{server}/sites/{site}/files
   */
  list(organization: string, server: string, site: string, query: { path?: string; 'page[size]'?: number } = {}, options: CallOptions = {}): List<File> {
    return new List<File>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/files', values: [organization, server, site], query, options });
  }
  /**
   * Create a directory of a site. The directory that contains it must exist. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/files/directories
   */
  makeDirectory(organization: string, server: string, site: string, body: StoreFileDirectoryRequest, options: CallOptions = {}): Promise<Answer<File>> {
    return this.core.one<File>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/directories', values: [organization, server, site], body, options });
  }
  /**
   * Rename or move a file or directory of a site. Nothing is replaced: the new path must be free. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/files/moves
   */
  move(organization: string, server: string, site: string, body: MoveFileRequest, options: CallOptions = {}): Promise<Answer<File>> {
    return this.core.one<File>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/moves', values: [organization, server, site], body, options });
  }
  /**
   * Get the content of a text file of a site. Returns files of at most 512 KiB that are UTF-8. Others have no content
   * here; they can be downloaded. Each answer has a line in the audit log. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/files/content
   */
  print(organization: string, server: string, site: string, query: { path?: string } = {}, options: CallOptions = {}): Promise<Answer<FileContent>> {
    return this.core.one<FileContent>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/content', values: [organization, server, site], query, options });
  }
  /**
   * Get a file or directory of a site. Returns what the server says about it, not its content. A link is the file that
   * it leads to. GET /orgs/{organization}/servers/{server}/sites/{site}/files/entry
   */
  get(organization: string, server: string, site: string, query: { path?: string; count?: boolean } = {}, options: CallOptions = {}): Promise<Answer<File>> {
    return this.core.one<File>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/entry', values: [organization, server, site], query, options });
  }
  /**
   * Upload a file to a site. The request's body is the file, of at most 1 GiB. It appears whole, once it has arrived:
   * an upload that breaks off leaves nothing. PUT /orgs/{organization}/servers/{server}/sites/{site}/files/upload
   */
  upload(organization: string, server: string, site: string, content: Blob, query: { path?: string; replace?: boolean } = {}, options: CallOptions = {}): Promise<Answer<File>> {
    return this.core.one<File>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/upload', values: [organization, server, site], raw: content, query, options });
  }
  /**
   * Write a text file of a site. The file has either all of the new content or all of the old, and keeps its
   * permissions. It is a 409 if the file is no longer the revision that was read. Line endings are not changed. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/files/content
   */
  write(organization: string, server: string, site: string, body: UpdateFileContentRequest, options: CallOptions = {}): Promise<Answer<File>> {
    return this.core.one<File>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/files/content', values: [organization, server, site], body, options });
  }
}

/** FirewallCalls are what can be done with firewall. */
export class FirewallCalls {
  constructor(private core: Core) {}
  /**
   * Create a firewall rule. Deny rules come before allow rules, newest first. A rule that would lock Hostler out is
   * rejected. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/firewall-rules
   */
  create(organization: string, server: string, body: CreateFirewallRuleRequest, options: CallOptions = {}): Promise<Answer<Rule>> {
    return this.core.one<Rule>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/firewall-rules', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateFirewallRuleRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/firewall-rules', values: [organization, server], body, options });
  }
  /**
   * Delete a firewall rule. The status of the rule is removing until the server confirms; then the rule is gone. An
   * unreachable server is retried until the deadline in meta.operation. It begins work, which wait() of the answer
   * waits for. DELETE /orgs/{organization}/servers/{server}/firewall-rules/{rule}
   */
  delete(organization: string, server: string, rule: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/firewall-rules/{rule}', values: [organization, server, rule], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, rule: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/firewall-rules/{rule}', values: [organization, server, rule], options });
  }
  /** List firewall rules. GET /orgs/{organization}/servers/{server}/firewall-rules */
  list(organization: string, server: string, query: { 'filter[name]'?: string; 'filter[status]'?: string; 'filter[ip_address]'?: string; 'filter[type]'?: string; 'filter[port]'?: string; sort?: EventsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Rule> {
    return new List<Rule>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/firewall-rules', values: [organization, server], query, options });
  }
  /** Get a firewall rule. GET /orgs/{organization}/servers/{server}/firewall-rules/{rule} */
  get(organization: string, server: string, rule: string, options: CallOptions = {}): Promise<Answer<Rule>> {
    return this.core.one<Rule>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/firewall-rules/{rule}', values: [organization, server, rule], options });
  }
  /**
   * Update a firewall rule. Omitted fields are unchanged. A change that would lock Hostler out is rejected. It begins
   * work, which wait() of the answer waits for. PUT /orgs/{organization}/servers/{server}/firewall-rules/{rule}
   */
  update(organization: string, server: string, rule: string, body: UpdateFirewallRuleRequest, options: CallOptions = {}): Promise<Answer<Rule>> {
    return this.core.one<Rule>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/firewall-rules/{rule}', values: [organization, server, rule], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, rule: string, body: UpdateFirewallRuleRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/firewall-rules/{rule}', values: [organization, server, rule], body, options });
  }
}

/** GitCalls are what can be done with git. */
export class GitCalls {
  constructor(private core: Core) {}
  /**
   * Update a site's repository. The next deployment fetches the new repository or branch. Only a site's first
   * repository changes its server right away. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/git
   */
  update(organization: string, server: string, site: string, body: UpdateGitRequest, options: CallOptions = {}): Promise<Answer<Site, Included>> {
    return this.core.one<Site, Included>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/git', values: [organization, server, site], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, body: UpdateGitRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/git', values: [organization, server, site], body, options });
  }
}

/** HealthcheckCalls are what can be done with healthcheck. */
export class HealthcheckCalls {
  constructor(private core: Core) {}
  /** Get a site's health check. GET /orgs/{organization}/servers/{server}/sites/{site}/healthcheck */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<HealthcheckEndpoint>> {
    return this.core.one<HealthcheckEndpoint>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/healthcheck', values: [organization, server, site], options });
  }
  /**
   * Set a site's health check. The URL is requested on the site's own server after each deployment. Unless the
   * response is 2xx, the previous release becomes live again. Null for none. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/healthcheck
   */
  update(organization: string, server: string, site: string, body: UpdateHealthcheckEndpointRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/healthcheck', values: [organization, server, site], body, options });
  }
}

/** HeartbeatsCalls are what can be done with heartbeats. */
export class HeartbeatsCalls {
  constructor(private core: Core) {}
  /**
   * Create a heartbeat. The heartbeat's address must be called at least as often as its frequency says. After the
   * first call, a longer silence than the frequency and the grace period is reported as an event. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/heartbeats
   */
  create(organization: string, server: string, site: string, body: CreateHeartbeatRequest, options: CallOptions = {}): Promise<Answer<Heartbeat>> {
    return this.core.one<Heartbeat>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/heartbeats', values: [organization, server, site], body, options });
  }
  /** Delete a heartbeat. DELETE /orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat} */
  delete(organization: string, server: string, site: string, heartbeat: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}', values: [organization, server, site, heartbeat], options });
  }
  /** List heartbeats. GET /orgs/{organization}/servers/{server}/sites/{site}/heartbeats */
  list(organization: string, server: string, site: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Heartbeat> {
    return new List<Heartbeat>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/heartbeats', values: [organization, server, site], query, options });
  }
  /** Get a heartbeat. GET /orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat} */
  get(organization: string, server: string, site: string, heartbeat: string, options: CallOptions = {}): Promise<Answer<Heartbeat>> {
    return this.core.one<Heartbeat>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}', values: [organization, server, site, heartbeat], options });
  }
  /**
   * Update a heartbeat. The heartbeat's address does not change. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}
   */
  update(organization: string, server: string, site: string, heartbeat: string, body: UpdateHeartbeatRequest, options: CallOptions = {}): Promise<Answer<Heartbeat>> {
    return this.core.one<Heartbeat>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/heartbeats/{heartbeat}', values: [organization, server, site, heartbeat], body, options });
  }
}

/** HorizonCalls are what can be done with horizon. */
export class HorizonCalls {
  constructor(private core: Core) {}
  /**
   * Switch Horizon off. Removes its background process and its line in the deploy script. It begins work, which wait()
   * of the answer waits for. DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon', values: [organization, server, site], options });
  }
  /**
   * Switch Horizon on. Adds a background process to the site, and a line to the deploy script that restarts it. 400 if
   * the site's composer.lock does not contain the package. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon
   */
  enable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<HorizonIntegration>> {
    return this.core.one<HorizonIntegration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon', values: [organization, server, site], options });
  }
  /**
   * Get a site's Horizon. Queries the server for what is installed; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<HorizonIntegration, Included>> {
    return this.core.one<HorizonIntegration, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/horizon', values: [organization, server, site], options });
  }
}

/** HostKeysCalls are what can be done with host keys. */
export class HostKeysCalls {
  constructor(private core: Core) {}
  /**
   * Get the host keys of a server. Reads the SSH host keys that the server presents now, without logging in. 409 while
   * the server has not been connected or can't be reached. GET /orgs/{organization}/servers/{server}/host-keys
   */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<ServerHostKeys>> {
    return this.core.one<ServerHostKeys>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/host-keys', values: [organization, server], options });
  }
  /**
   * Confirm new host keys of a server. Replaces the confirmed keys. Hostler then trusts any machine that has one of
   * these keys, and sends it secrets and commands as root: compare the fingerprints on the server's console first.
   * Refused unless the server presents these keys and accepts Hostler's own key. PUT
   * /orgs/{organization}/servers/{server}/host-keys
   */
  update(organization: string, server: string, body: ConfirmHostKeysRequest, options: CallOptions = {}): Promise<Answer<ServerHostKeys>> {
    return this.core.one<ServerHostKeys>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/host-keys', values: [organization, server], body, options });
  }
}

/** InertiaCalls are what can be done with inertia. */
export class InertiaCalls {
  constructor(private core: Core) {}
  /**
   * Switch Inertia SSR off. Removes its background process and its line in the deploy script. It begins work, which
   * wait() of the answer waits for. DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia', values: [organization, server, site], options });
  }
  /**
   * Switch Inertia SSR on. Adds a background process to the site, and a line to the deploy script that restarts it.
   * 400 if the site's composer.lock does not contain the package. It begins work, which wait() of the answer waits
   * for. POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia
   */
  enable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<InertiaIntegration>> {
    return this.core.one<InertiaIntegration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia', values: [organization, server, site], options });
  }
  /**
   * Get a site's Inertia SSR. Queries the server for what is installed; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<InertiaIntegration, Included>> {
    return this.core.one<InertiaIntegration, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/inertia', values: [organization, server, site], options });
  }
}

/** InvitesCalls are what can be done with invites. */
export class InvitesCalls {
  constructor(private core: Core) {}
  /** Invite a person to an organization. POST /orgs/{organization}/invites */
  create(organization: string, body: CreateTeamInviteRequest, options: CallOptions = {}): Promise<Answer<TeamInvitation, Included>> {
    return this.core.one<TeamInvitation, Included>({ method: 'POST', path: '/orgs/{organization}/invites', values: [organization], body, options });
  }
  /** Cancel an invitation to an organization. DELETE /orgs/{organization}/invites/{invitation} */
  delete(organization: string, invitation: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/invites/{invitation}', values: [organization, invitation], options });
  }
  /** List the open invitations to an organization. GET /orgs/{organization}/invites */
  list(organization: string, query: { include?: InvitesListInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<TeamInvitation, Included> {
    return new List<TeamInvitation, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/invites', values: [organization], query, options });
  }
  /** Get an invitation to an organization. GET /orgs/{organization}/invites/{invitation} */
  get(organization: string, invitation: string, query: { include?: InvitesListInclude[] } = {}, options: CallOptions = {}): Promise<Answer<TeamInvitation, Included>> {
    return this.core.one<TeamInvitation, Included>({ method: 'GET', path: '/orgs/{organization}/invites/{invitation}', values: [organization, invitation], query, options });
  }
}

/** MaintenanceCalls are what can be done with maintenance. */
export class MaintenanceCalls {
  constructor(private core: Core) {}
  /**
   * Take a site's maintenance page down. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance', values: [organization, server, site], options });
  }
  /**
   * Put a site's maintenance page up. 409 if the site does not have Laravel. It begins work, which wait() of the
   * answer waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance
   */
  enable(organization: string, server: string, site: string, body: EnableMaintenanceModeRequest, options: CallOptions = {}): Promise<Answer<LaravelMaintenanceIntegration>> {
    return this.core.one<LaravelMaintenanceIntegration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance', values: [organization, server, site], body, options });
  }
  /**
   * Get a site's maintenance mode. The state last set through Hostler. Queries the server for what is installed; 409
   * while it can't be reached. GET /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<LaravelMaintenanceIntegration>> {
    return this.core.one<LaravelMaintenanceIntegration>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-maintenance', values: [organization, server, site], options });
  }
}

/** MembersCalls are what can be done with members. */
export class MembersCalls {
  constructor(private core: Core) {}
  /** Remove a member from an organization. DELETE /orgs/{organization}/members/{user} */
  delete(organization: string, user: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/members/{user}', values: [organization, user], options });
  }
  /** Leave an organization. DELETE /orgs/{organization}/membership */
  leave(organization: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/membership', values: [organization], options });
  }
  /** List the members of an organization. GET /orgs/{organization}/members */
  list(organization: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Membership> {
    return new List<Membership>(this.core, { method: 'GET', path: '/orgs/{organization}/members', values: [organization], query, options });
  }
  /** Get a member of an organization. GET /orgs/{organization}/members/{user} */
  get(organization: string, user: string, options: CallOptions = {}): Promise<Answer<Membership>> {
    return this.core.one<Membership>({ method: 'GET', path: '/orgs/{organization}/members/{user}', values: [organization, user], options });
  }
  /** Change the role of a member of an organization. PUT /orgs/{organization}/members/{user} */
  update(organization: string, user: string, body: UpdateTeamMemberRequest, options: CallOptions = {}): Promise<Answer<Membership>> {
    return this.core.one<Membership>({ method: 'PUT', path: '/orgs/{organization}/members/{user}', values: [organization, user], body, options });
  }
}

/** MonitorsCalls are what can be done with monitors. */
export class MonitorsCalls {
  constructor(private core: Core) {}
  /**
   * Create a monitor. The server measures every minute, whether or not Hostler can reach it; URLs are requested by
   * Hostler. Mail is sent when the threshold is crossed and when the value recovers. It begins work, which wait() of
   * the answer waits for. POST /orgs/{organization}/servers/{server}/monitors
   */
  create(organization: string, server: string, body: CreateMonitorRequest, options: CallOptions = {}): Promise<Answer<Monitor>> {
    return this.core.one<Monitor>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/monitors', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateMonitorRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/monitors', values: [organization, server], body, options });
  }
  /**
   * Delete a monitor. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/monitors/{monitor}
   */
  delete(organization: string, server: string, monitor: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/monitors/{monitor}', values: [organization, server, monitor], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, monitor: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/monitors/{monitor}', values: [organization, server, monitor], options });
  }
  /** List monitors. GET /orgs/{organization}/servers/{server}/monitors */
  list(organization: string, server: string, query: { 'filter[status]'?: string; 'filter[state]'?: string; 'filter[type]'?: string; 'filter[notify]'?: string; sort?: MonitorsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Monitor> {
    return new List<Monitor>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/monitors', values: [organization, server], query, options });
  }
  /** Get a monitor. GET /orgs/{organization}/servers/{server}/monitors/{monitor} */
  get(organization: string, server: string, monitor: string, options: CallOptions = {}): Promise<Answer<Monitor>> {
    return this.core.one<Monitor>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/monitors/{monitor}', values: [organization, server, monitor], options });
  }
  /**
   * Update a monitor. Omitted fields are unchanged. What a monitor measures can't be changed. It begins work, which
   * wait() of the answer waits for. PUT /orgs/{organization}/servers/{server}/monitors/{monitor}
   */
  update(organization: string, server: string, monitor: string, body: UpdateMonitorRequest, options: CallOptions = {}): Promise<Answer<Monitor>> {
    return this.core.one<Monitor>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/monitors/{monitor}', values: [organization, server, monitor], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, monitor: string, body: UpdateMonitorRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/monitors/{monitor}', values: [organization, server, monitor], body, options });
  }
}

/** NetworkCalls are what can be done with network. */
export class NetworkCalls {
  constructor(private core: Core) {}
  /**
   * List the peers of a server. Lists the servers that can reach this server at its private address. Peers that the
   * caller can't see are omitted. GET /orgs/{organization}/servers/{server}/network
   */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<Server[], Included>> {
    return this.core.one<Server[], Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/network', values: [organization, server], options });
  }
  /**
   * Replace the peers of a server. A server and its peers can reach each other's private address on every port, unless
   * a rule denies it. Both firewalls change, so the permission is required on both servers. Peers that the caller
   * can't see are unchanged. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/network
   */
  update(organization: string, server: string, body: UpdateServerNetworkRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/network', values: [organization, server], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, body: UpdateServerNetworkRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/network', values: [organization, server], body, options });
  }
}

/** NginxTemplatesCalls are what can be done with nginx templates. */
export class NginxTemplatesCalls {
  constructor(private core: Core) {}
  /**
   * Create an nginx template. The template is checked against what a site can contain, with example values, and again
   * with the values of each site that uses it. POST /orgs/{organization}/servers/{server}/nginx/templates
   */
  create(organization: string, server: string, body: CreateNginxTemplateRequest, options: CallOptions = {}): Promise<Answer<NginxTemplate>> {
    return this.core.one<NginxTemplate>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/nginx/templates', values: [organization, server], body, options });
  }
  /** Delete an nginx template. DELETE /orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate} */
  delete(organization: string, server: string, nginxTemplate: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}', values: [organization, server, nginxTemplate], options });
  }
  /** List nginx templates. GET /orgs/{organization}/servers/{server}/nginx/templates */
  list(organization: string, server: string, query: { 'filter[name]'?: string; sort?: DatabasesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<NginxTemplate> {
    return new List<NginxTemplate>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/nginx/templates', values: [organization, server], query, options });
  }
  /** Get an nginx template. GET /orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate} */
  get(organization: string, server: string, nginxTemplate: string, options: CallOptions = {}): Promise<Answer<NginxTemplate>> {
    return this.core.one<NginxTemplate>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}', values: [organization, server, nginxTemplate], options });
  }
  /**
   * Update an nginx template. Sites that were created from the template are not changed. PUT
   * /orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}
   */
  update(organization: string, server: string, nginxTemplate: string, body: UpdateNginxTemplateRequest, options: CallOptions = {}): Promise<Answer<NginxTemplate>> {
    return this.core.one<NginxTemplate>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/nginx/templates/{nginxTemplate}', values: [organization, server, nginxTemplate], body, options });
  }
}

/** NodesCalls are what can be done with nodes. */
export class NodesCalls {
  constructor(private core: Core) {}
  /**
   * List the nodes of a site on a load balancer. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes
   */
  list(organization: string, server: string, site: string, query: { sort?: NodesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<LoadBalancingNode> {
    return new List<LoadBalancingNode>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes', values: [organization, server, site], query, options });
  }
  /**
   * Replace the nodes of a site on a load balancer. No request is dropped. A node receives traffic once its server is
   * set up. Returns the site. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes
   */
  update(organization: string, server: string, site: string, body: UpdateLoadBalancerRequest, options: CallOptions = {}): Promise<Answer<Site>> {
    return this.core.one<Site>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes', values: [organization, server, site], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, body: UpdateLoadBalancerRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes', values: [organization, server, site], body, options });
  }
}

/** NotificationDeliveriesCalls are what can be done with notification deliveries. */
export class NotificationDeliveriesCalls {
  constructor(private core: Core) {}
  /** List the messages of a channel. GET /orgs/{organization}/notification-channels/{notificationChannel}/deliveries */
  list(organization: string, notificationChannel: string, query: { 'filter[state]'?: string; 'filter[event]'?: string; sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Delivery> {
    return new List<Delivery>(this.core, { method: 'GET', path: '/orgs/{organization}/notification-channels/{notificationChannel}/deliveries', values: [organization, notificationChannel], query, options });
  }
  /**
   * Redeliver a notification. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}/redeliver
   */
  redeliver(organization: string, notificationChannel: string, delivery: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.core.one<Delivery>({ method: 'POST', path: '/orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}/redeliver', values: [organization, notificationChannel, delivery], options });
  }
  /**
   * Get a message of a channel. GET
   * /orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}
   */
  get(organization: string, notificationChannel: string, delivery: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.core.one<Delivery>({ method: 'GET', path: '/orgs/{organization}/notification-channels/{notificationChannel}/deliveries/{delivery}', values: [organization, notificationChannel, delivery], options });
  }
}

/** NotificationsCalls are what can be done with notifications. */
export class NotificationsCalls {
  constructor(private core: Core) {}
  /**
   * Add a notification channel. Messages to a webhook are signed with the secret in meta.shown_once.secret, like those
   * of a site's webhooks. POST /orgs/{organization}/notification-channels
   */
  create(organization: string, body: CreateNotificationChannelRequest, options: CallOptions = {}): Promise<Answer<NotificationChannel>> {
    return this.core.one<NotificationChannel>({ method: 'POST', path: '/orgs/{organization}/notification-channels', values: [organization], body, options });
  }
  /**
   * Delete a notification channel. Pending deliveries are discarded. DELETE
   * /orgs/{organization}/notification-channels/{notificationChannel}
   */
  delete(organization: string, notificationChannel: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/notification-channels/{notificationChannel}', values: [organization, notificationChannel], options });
  }
  /** List notification channels. GET /orgs/{organization}/notification-channels */
  list(organization: string, query: { 'filter[type]'?: string; sort?: SitesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<NotificationChannel> {
    return new List<NotificationChannel>(this.core, { method: 'GET', path: '/orgs/{organization}/notification-channels', values: [organization], query, options });
  }
  /** Get a notification channel. GET /orgs/{organization}/notification-channels/{notificationChannel} */
  get(organization: string, notificationChannel: string, options: CallOptions = {}): Promise<Answer<NotificationChannel>> {
    return this.core.one<NotificationChannel>({ method: 'GET', path: '/orgs/{organization}/notification-channels/{notificationChannel}', values: [organization, notificationChannel], options });
  }
  /**
   * Send a test message to a channel. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/notification-channels/{notificationChannel}/deliveries
   */
  test(organization: string, notificationChannel: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.core.one<Delivery>({ method: 'POST', path: '/orgs/{organization}/notification-channels/{notificationChannel}/deliveries', values: [organization, notificationChannel], options });
  }
  /** Update a notification channel. PUT /orgs/{organization}/notification-channels/{notificationChannel} */
  update(organization: string, notificationChannel: string, body: UpdateNotificationChannelRequest, options: CallOptions = {}): Promise<Answer<NotificationChannel>> {
    return this.core.one<NotificationChannel>({ method: 'PUT', path: '/orgs/{organization}/notification-channels/{notificationChannel}', values: [organization, notificationChannel], body, options });
  }
}

/** NPMCredentialsCalls are what can be done with npm credentials. */
export class NPMCredentialsCalls {
  constructor(private core: Core) {}
  /**
   * Create a site's npm credential. The secret is readable only by the site's user and is never shown again. It begins
   * work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials
   */
  create(organization: string, server: string, site: string, body: CreateNpmCredentialRequest, options: CallOptions = {}): Promise<Answer<NpmCredential>> {
    return this.core.one<NpmCredential>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials', values: [organization, server, site], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, site: string, body: CreateNpmCredentialRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials', values: [organization, server, site], body, options });
  }
  /**
   * Delete a site's npm credential. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}
   */
  delete(organization: string, server: string, site: string, registry: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}', values: [organization, server, site, registry], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, registry: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}', values: [organization, server, site, registry], options });
  }
  /** List npm credentials of a site. GET /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials */
  list(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<NpmCredential[]>> {
    return this.core.one<NpmCredential[]>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials', values: [organization, server, site], options });
  }
  /** Get a site's npm credential. GET /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry} */
  get(organization: string, server: string, site: string, registry: string, options: CallOptions = {}): Promise<Answer<NpmCredential>> {
    return this.core.one<NpmCredential>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}', values: [organization, server, site, registry], options });
  }
  /**
   * Replace a site's npm credential. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}
   */
  update(organization: string, server: string, site: string, registry: string, body: UpdateNpmCredentialRequest, options: CallOptions = {}): Promise<Answer<NpmCredential>> {
    return this.core.one<NpmCredential>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}', values: [organization, server, site, registry], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, registry: string, body: UpdateNpmCredentialRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/npm/credentials/{registry}', values: [organization, server, site, registry], body, options });
  }
}

/** OauthClientsCalls are what can be done with oauth clients. */
export class OauthClientsCalls {
  constructor(private core: Core) {}
  /**
   * Register an OAuth client. A confidential client's secret is in meta.shown_once and is shown only once. POST
   * /orgs/{organization}/oauth-clients
   */
  create(organization: string, body: CreateOAuthClientRequest, options: CallOptions = {}): Promise<Answer<OAuthClient>> {
    return this.core.one<OAuthClient>({ method: 'POST', path: '/orgs/{organization}/oauth-clients', values: [organization], body, options });
  }
  /** Delete an OAuth client and its authorizations. DELETE /orgs/{organization}/oauth-clients/{client} */
  delete(organization: string, client: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/oauth-clients/{client}', values: [organization, client], options });
  }
  /** List OAuth clients. GET /orgs/{organization}/oauth-clients */
  list(organization: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<OAuthClient> {
    return new List<OAuthClient>(this.core, { method: 'GET', path: '/orgs/{organization}/oauth-clients', values: [organization], query, options });
  }
  /** Get an OAuth client. GET /orgs/{organization}/oauth-clients/{client} */
  get(organization: string, client: string, options: CallOptions = {}): Promise<Answer<OAuthClient>> {
    return this.core.one<OAuthClient>({ method: 'GET', path: '/orgs/{organization}/oauth-clients/{client}', values: [organization, client], options });
  }
  /** Update an OAuth client. PUT /orgs/{organization}/oauth-clients/{client} */
  update(organization: string, client: string, body: UpdateOAuthClientRequest, options: CallOptions = {}): Promise<Answer<OAuthClient>> {
    return this.core.one<OAuthClient>({ method: 'PUT', path: '/orgs/{organization}/oauth-clients/{client}', values: [organization, client], body, options });
  }
}

/** OctaneCalls are what can be done with octane. */
export class OctaneCalls {
  constructor(private core: Core) {}
  /**
   * Switch Octane off. Removes its background process and its line in the deploy script. It begins work, which wait()
   * of the answer waits for. DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/octane
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/octane', values: [organization, server, site], options });
  }
  /**
   * Switch Octane on. Adds a background process to the site, and a line to the deploy script that restarts it. 400 if
   * the site's composer.lock does not contain the package. Previous settings are replaced. It begins work, which
   * wait() of the answer waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/octane
   */
  enable(organization: string, server: string, site: string, body: EnableOctaneRequest, options: CallOptions = {}): Promise<Answer<OctaneIntegration>> {
    return this.core.one<OctaneIntegration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/octane', values: [organization, server, site], body, options });
  }
  /**
   * Get a site's Octane. Queries the server for what is installed; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/octane
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<OctaneIntegration, Included>> {
    return this.core.one<OctaneIntegration, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/octane', values: [organization, server, site], options });
  }
}

/** OrgsCalls are what can be done with orgs. */
export class OrgsCalls {
  constructor(private core: Core) {}
  /** List organizations. Lists the organizations that the caller is a member of and can view. GET /orgs */
  list(query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Organization> {
    return new List<Organization>(this.core, { method: 'GET', path: '/orgs', query, options });
  }
  /** Get an organization. GET /orgs/{organization} */
  get(organization: string, options: CallOptions = {}): Promise<Answer<Organization>> {
    return this.core.one<Organization>({ method: 'GET', path: '/orgs/{organization}', values: [organization], options });
  }
  /**
   * Update an organization. The slug stays the same, and with it all paths. Sites that exist keep their limits. PUT
   * /orgs/{organization}
   */
  update(organization: string, body: UpdateOrganizationRequest, options: CallOptions = {}): Promise<Answer<Organization>> {
    return this.core.one<Organization>({ method: 'PUT', path: '/orgs/{organization}', values: [organization], body, options });
  }
}

/** PermissionsCalls are what can be done with permissions. */
export class PermissionsCalls {
  constructor(private core: Core) {}
  /** List permissions. GET /permissions */
  list(query: { 'filter[name]'?: string; 'page[size]'?: number } = {}, options: CallOptions = {}): List<PermissionResource> {
    return new List<PermissionResource>(this.core, { method: 'GET', path: '/permissions', query, options });
  }
  /** Get a permission. GET /permissions/{permission} */
  get(permission: string, options: CallOptions = {}): Promise<Answer<PermissionResource>> {
    return this.core.one<PermissionResource>({ method: 'GET', path: '/permissions/{permission}', values: [permission], options });
  }
}

/** PHPCalls are what can be done with php. */
export class PHPCalls {
  constructor(private core: Core) {}
  /**
   * Install a PHP version. Installs from the system's own sources or, failing that, from the archive of the packages'
   * maintainer, which is then added. Sites keep their version. It begins work, which wait() of the answer waits for.
   * POST /orgs/{organization}/servers/{server}/php/versions
   */
  create(organization: string, server: string, body: CreatePhpVersionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/php/versions', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreatePhpVersionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/php/versions', values: [organization, server], body, options });
  }
  /**
   * Remove a PHP version. 409 for the only version, for the defaults of the command line and of new sites, and while a
   * site uses it. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}
   */
  delete(organization: string, server: string, phpVersion: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}', values: [organization, server, phpVersion], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, phpVersion: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}', values: [organization, server, phpVersion], options });
  }
  /** List PHP versions. GET /orgs/{organization}/servers/{server}/php/versions */
  list(organization: string, server: string, query: { 'filter[status]'?: string; 'filter[version]'?: string; sort?: PHPListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<PhpVersion> {
    return new List<PhpVersion>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/php/versions', values: [organization, server], query, options });
  }
  /** Get a PHP version. GET /orgs/{organization}/servers/{server}/php/versions/{phpVersion} */
  get(organization: string, server: string, phpVersion: string, options: CallOptions = {}): Promise<Answer<PhpVersion>> {
    return this.core.one<PhpVersion>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}', values: [organization, server, phpVersion], options });
  }
  /**
   * Upgrade a PHP version. Upgrades to the latest patch release in the server's package sources. If there is one, PHP
   * restarts, which takes a few seconds. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}
   */
  update(organization: string, server: string, phpVersion: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}', values: [organization, server, phpVersion], options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, phpVersion: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}', values: [organization, server, phpVersion], options });
  }
}

/** PHPCliConfigCalls are what can be done with php cli config. */
export class PHPCliConfigCalls {
  constructor(private core: Core) {}
  /**
   * Get the PHP configuration of the command line. Returns the lines added to the distribution's configuration. GET
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli
   */
  get(organization: string, server: string, phpVersion: string, options: CallOptions = {}): Promise<Answer<PhpCliConfiguration>> {
    return this.core.one<PhpCliConfiguration>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli', values: [organization, server, phpVersion], options });
  }
  /**
   * Replace the PHP configuration of the command line. Settings that name files, programs, accounts or sockets, and
   * those that load code, are rejected. If FPM itself rejects them, the operation fails, and nothing on the server
   * changes. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli
   */
  update(organization: string, server: string, phpVersion: string, body: UpdatePhpCliRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli', values: [organization, server, phpVersion], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, phpVersion: string, body: UpdatePhpCliRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/cli', values: [organization, server, phpVersion], body, options });
  }
}

/** PHPCliVersionCalls are what can be done with php cli version. */
export class PHPCliVersionCalls {
  constructor(private core: Core) {}
  /** Get the PHP version of the command line. GET /orgs/{organization}/servers/{server}/php/cli-version */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<PhpVersion>> {
    return this.core.one<PhpVersion>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/cli-version', values: [organization, server], options });
  }
  /**
   * Set the PHP version of the command line. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/cli-version
   */
  update(organization: string, server: string, body: UpdatePhpCliVersionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/cli-version', values: [organization, server], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, body: UpdatePhpCliVersionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/cli-version', values: [organization, server], body, options });
  }
}

/** PHPFpmConfigCalls are what can be done with php fpm config. */
export class PHPFpmConfigCalls {
  constructor(private core: Core) {}
  /**
   * Get the PHP configuration of FPM. Returns the lines added to the distribution's configuration. GET
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm
   */
  get(organization: string, server: string, phpVersion: string, options: CallOptions = {}): Promise<Answer<PhpFpmConfiguration>> {
    return this.core.one<PhpFpmConfiguration>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm', values: [organization, server, phpVersion], options });
  }
  /**
   * Replace the PHP configuration of FPM. Settings that name files, programs, accounts or sockets, and those that load
   * code, are rejected. If FPM itself rejects them, the operation fails, and nothing on the server changes. It begins
   * work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm
   */
  update(organization: string, server: string, phpVersion: string, body: UpdatePhpFpmRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm', values: [organization, server, phpVersion], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, phpVersion: string, body: UpdatePhpFpmRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/fpm', values: [organization, server, phpVersion], body, options });
  }
}

/** PHPMaxExecutionTimeCalls are what can be done with php max execution time. */
export class PHPMaxExecutionTimeCalls {
  constructor(private core: Core) {}
  /** Get the PHP execution time limit. GET /orgs/{organization}/servers/{server}/php/max-execution-time */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<PhpMaxExecutionTime>> {
    return this.core.one<PhpMaxExecutionTime>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/max-execution-time', values: [organization, server], options });
  }
  /**
   * Set the PHP execution time limit. Applies to all versions, in FPM and nginx. Requests in progress keep the
   * previous settings. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/max-execution-time
   */
  update(organization: string, server: string, body: UpdatePhpSettingsRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/max-execution-time', values: [organization, server], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, body: UpdatePhpSettingsRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/max-execution-time', values: [organization, server], body, options });
  }
}

/** PHPMaxUploadSizeCalls are what can be done with php max upload size. */
export class PHPMaxUploadSizeCalls {
  constructor(private core: Core) {}
  /** Get the PHP upload size limit. GET /orgs/{organization}/servers/{server}/php/max-upload-size */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<PhpMaxUploadSize>> {
    return this.core.one<PhpMaxUploadSize>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/max-upload-size', values: [organization, server], options });
  }
  /**
   * Set the PHP upload size limit. Applies to all versions, in FPM and nginx. Requests in progress keep the previous
   * settings. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/max-upload-size
   */
  update(organization: string, server: string, body: UpdatePhpSettingsRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/max-upload-size', values: [organization, server], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, body: UpdatePhpSettingsRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/max-upload-size', values: [organization, server], body, options });
  }
}

/** PHPOpcacheCalls are what can be done with php opcache. */
export class PHPOpcacheCalls {
  constructor(private core: Core) {}
  /**
   * Turn OPcache off. Applies to all versions, in FPM and nginx. Requests in progress keep the previous settings. It
   * begins work, which wait() of the answer waits for. DELETE /orgs/{organization}/servers/{server}/php/opcache
   */
  disable(organization: string, server: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/php/opcache', values: [organization, server], options });
  }
  /** What disable would do; nothing is changed. */
  planDisable(organization: string, server: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/php/opcache', values: [organization, server], options });
  }
  /**
   * Turn OPcache on. Applies to all versions, in FPM and nginx. Requests in progress keep the previous settings. It
   * begins work, which wait() of the answer waits for. POST /orgs/{organization}/servers/{server}/php/opcache
   */
  enable(organization: string, server: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/php/opcache', values: [organization, server], options });
  }
  /** What enable would do; nothing is changed. */
  planEnable(organization: string, server: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/php/opcache', values: [organization, server], options });
  }
  /** Get the OPcache state. GET /orgs/{organization}/servers/{server}/php/opcache */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<PhpOpcache>> {
    return this.core.one<PhpOpcache>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/opcache', values: [organization, server], options });
  }
}

/** PHPPoolConfigCalls are what can be done with php pool config. */
export class PHPPoolConfigCalls {
  constructor(private core: Core) {}
  /**
   * Get the PHP configuration of pools. Returns the lines added to the distribution's configuration. GET
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool
   */
  get(organization: string, server: string, phpVersion: string, query: { user?: string } = {}, options: CallOptions = {}): Promise<Answer<PhpPoolConfiguration>> {
    return this.core.one<PhpPoolConfiguration>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool', values: [organization, server, phpVersion], query, options });
  }
  /**
   * Replace the PHP configuration of pools. Settings that name files, programs, accounts or sockets, and those that
   * load code, are rejected. If FPM itself rejects them, the operation fails, and nothing on the server changes. It
   * begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool
   */
  update(organization: string, server: string, phpVersion: string, body: UpdatePhpPoolRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool', values: [organization, server, phpVersion], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, phpVersion: string, body: UpdatePhpPoolRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/versions/{phpVersion}/configs/pool', values: [organization, server, phpVersion], body, options });
  }
}

/** PHPSiteVersionCalls are what can be done with php site version. */
export class PHPSiteVersionCalls {
  constructor(private core: Core) {}
  /** Get the PHP version of new sites. GET /orgs/{organization}/servers/{server}/php/site-version */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<PhpVersion>> {
    return this.core.one<PhpVersion>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/php/site-version', values: [organization, server], options });
  }
  /**
   * Set the PHP version of new sites. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/php/site-version
   */
  update(organization: string, server: string, body: UpdatePhpCliVersionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/php/site-version', values: [organization, server], body, options });
  }
}

/** PredefinedRolesCalls are what can be done with predefined roles. */
export class PredefinedRolesCalls {
  constructor(private core: Core) {}
  /** List predefined roles. GET /predefined-roles */
  list(query: { 'filter[name]'?: string; 'filter[permissions.name]'?: string; include?: RolesListInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<PredefinedRole, Included> {
    return new List<PredefinedRole, Included>(this.core, { method: 'GET', path: '/predefined-roles', query, options });
  }
  /** Get a predefined role. GET /predefined-roles/{role} */
  get(role: string, query: { include?: RolesListInclude[] } = {}, options: CallOptions = {}): Promise<Answer<PredefinedRole, Included>> {
    return this.core.one<PredefinedRole, Included>({ method: 'GET', path: '/predefined-roles/{role}', values: [role], query, options });
  }
}

/** ProcessesCalls are what can be done with processes. */
export class ProcessesCalls {
  constructor(private core: Core) {}
  /**
   * Start, stop or restart a background process, or empty its log. A stopped process stays stopped when the server
   * starts. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/actions
   */
  act(organization: string, server: string, backgroundProcess: string, body: BackgroundProcessActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/actions', values: [organization, server, backgroundProcess], body, options });
  }
  /** What act would do; nothing is changed. */
  planAct(organization: string, server: string, backgroundProcess: string, body: BackgroundProcessActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/actions', values: [organization, server, backgroundProcess], body, options });
  }
  /**
   * Create a background process. The process is started immediately and at boot, and restarted whenever it exits. It
   * begins work, which wait() of the answer waits for. POST /orgs/{organization}/servers/{server}/background-processes
   */
  create(organization: string, server: string, body: CreateBackgroundProcessRequest, options: CallOptions = {}): Promise<Answer<BackgroundProcess>> {
    return this.core.one<BackgroundProcess>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/background-processes', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateBackgroundProcessRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/background-processes', values: [organization, server], body, options });
  }
  /**
   * Delete a background process. The process is stopped first. 409 if it belongs to an integration. It begins work,
   * which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}
   */
  delete(organization: string, server: string, backgroundProcess: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}', values: [organization, server, backgroundProcess], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, backgroundProcess: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}', values: [organization, server, backgroundProcess], options });
  }
  /** List background processes. GET /orgs/{organization}/servers/{server}/background-processes */
  list(organization: string, server: string, query: { 'filter[user]'?: string; 'filter[site_id]'?: string; 'filter[directory]'?: string; sort?: ProcessesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<BackgroundProcess> {
    return new List<BackgroundProcess>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/background-processes', values: [organization, server], query, options });
  }
  /**
   * Get the output of a background process. Read from the server; 409 while it is unreachable. GET
   * /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/log
   */
  log(organization: string, server: string, backgroundProcess: string, query: { lines?: number; search?: string; before?: number } = {}, options: CallOptions = {}): Promise<Answer<BackgroundProcessLog>> {
    return this.core.one<BackgroundProcessLog>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}/log', values: [organization, server, backgroundProcess], query, options });
  }
  /** Get a background process. GET /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess} */
  get(organization: string, server: string, backgroundProcess: string, options: CallOptions = {}): Promise<Answer<BackgroundProcess>> {
    return this.core.one<BackgroundProcess>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}', values: [organization, server, backgroundProcess], options });
  }
  /**
   * Update a background process. The process restarts. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}
   */
  update(organization: string, server: string, backgroundProcess: string, body: UpdateBackgroundProcessRequest, options: CallOptions = {}): Promise<Answer<BackgroundProcess>> {
    return this.core.one<BackgroundProcess>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}', values: [organization, server, backgroundProcess], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, backgroundProcess: string, body: UpdateBackgroundProcessRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/background-processes/{backgroundProcess}', values: [organization, server, backgroundProcess], body, options });
  }
}

/** ProvidersCalls are what can be done with providers. */
export class ProvidersCalls {
  constructor(private core: Core) {}
  /** List server providers. The list is built into Hostler; meta.snapshot gives its date. GET /providers */
  list(query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Provider> {
    return new List<Provider>(this.core, { method: 'GET', path: '/providers', query, options });
  }
  /** Get a server provider. The list is built into Hostler; meta.snapshot gives its date. GET /providers/{provider} */
  get(provider: string, options: CallOptions = {}): Promise<Answer<Provider>> {
    return this.core.one<Provider>({ method: 'GET', path: '/providers/{provider}', values: [provider], options });
  }
}

/** PulseCalls are what can be done with pulse. */
export class PulseCalls {
  constructor(private core: Core) {}
  /**
   * Switch Pulse off. Removes its background process and its line in the deploy script. It begins work, which wait()
   * of the answer waits for. DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse', values: [organization, server, site], options });
  }
  /**
   * Switch Pulse on. Adds a background process to the site, and a line to the deploy script that restarts it. 400 if
   * the site's composer.lock does not contain the package. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse
   */
  enable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<PulseIntegration>> {
    return this.core.one<PulseIntegration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse', values: [organization, server, site], options });
  }
  /**
   * Get a site's Pulse. Queries the server for what is installed; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<PulseIntegration, Included>> {
    return this.core.one<PulseIntegration, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/pulse', values: [organization, server, site], options });
  }
}

/** PushToDeployCalls are what can be done with push to deploy. */
export class PushToDeployCalls {
  constructor(private core: Core) {}
  /**
   * Disable push to deploy. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy', values: [organization, server, site], options });
  }
  /**
   * Enable push to deploy. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy
   */
  enable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/push-to-deploy', values: [organization, server, site], options });
  }
}

/** PushesCalls are what can be done with pushes. */
export class PushesCalls {
  constructor(private core: Core) {}
  /**
   * List pushes to a site. What Git servers sent to the site's push address lately, at most 50, each with its verdict
   * and the reason. GET /orgs/{organization}/servers/{server}/sites/{site}/deployments/pushes
   */
  list(organization: string, server: string, site: string, query: { sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<PushDelivery> {
    return new List<PushDelivery>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/pushes', values: [organization, server, site], query, options });
  }
}

/** RateLimitCalls are what can be done with rate limit. */
export class RateLimitCalls {
  constructor(private core: Core) {}
  /** Get the rate limit of an organization. GET /orgs/{organization}/rate-limit */
  get(organization: string, options: CallOptions = {}): Promise<Answer<RateLimit>> {
    return this.core.one<RateLimit>({ method: 'GET', path: '/orgs/{organization}/rate-limit', values: [organization], options });
  }
  /**
   * Set the rate limit of an organization. The limit is the number of requests per minute for each token and person in
   * the organization. A lower limit of a token takes precedence. PUT /orgs/{organization}/rate-limit
   */
  update(organization: string, body: UpdateRateLimitRequest, options: CallOptions = {}): Promise<Answer<RateLimit>> {
    return this.core.one<RateLimit>({ method: 'PUT', path: '/orgs/{organization}/rate-limit', values: [organization], body, options });
  }
}

/** RecipeRunsCalls are what can be done with recipe runs. */
export class RecipeRunsCalls {
  constructor(private core: Core) {}
  /**
   * List runs of a recipe. Lists the runs on servers that the caller can see. GET
   * /orgs/{organization}/recipes/{recipe}/runs
   */
  list(organization: string, recipe: string, query: { sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<RecipeLog> {
    return new List<RecipeLog>(this.core, { method: 'GET', path: '/orgs/{organization}/recipes/{recipe}/runs', values: [organization, recipe], query, options });
  }
  /** Get a run of a recipe. GET /orgs/{organization}/recipes/{recipe}/runs/{log} */
  get(organization: string, recipe: string, log: string, options: CallOptions = {}): Promise<Answer<RecipeLog>> {
    return this.core.one<RecipeLog>({ method: 'GET', path: '/orgs/{organization}/recipes/{recipe}/runs/{log}', values: [organization, recipe, log], options });
  }
}

/** RecipesCalls are what can be done with recipes. */
export class RecipesCalls {
  constructor(private core: Core) {}
  /** Create a recipe. POST /orgs/{organization}/recipes */
  create(organization: string, body: CreateRecipeRequest, options: CallOptions = {}): Promise<Answer<Recipe>> {
    return this.core.one<Recipe>({ method: 'POST', path: '/orgs/{organization}/recipes', values: [organization], body, options });
  }
  /** Delete a recipe. DELETE /orgs/{organization}/recipes/{recipe} */
  delete(organization: string, recipe: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/recipes/{recipe}', values: [organization, recipe], options });
  }
  /** List recipes. GET /orgs/{organization}/recipes */
  list(organization: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Recipe> {
    return new List<Recipe>(this.core, { method: 'GET', path: '/orgs/{organization}/recipes', values: [organization], query, options });
  }
  /**
   * Run a recipe on servers. Runs the current script, for at most half an hour on each server, in parallel with other
   * work. The recipe is never run twice. X-Hostler-Event is the event of the run on the first server. It begins work,
   * which wait() of the answer waits for. POST /orgs/{organization}/recipes/{recipe}/runs
   */
  run(organization: string, recipe: string, body: RunRecipeRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/recipes/{recipe}/runs', values: [organization, recipe], body, options });
  }
  /** Get a recipe. GET /orgs/{organization}/recipes/{recipe} */
  get(organization: string, recipe: string, options: CallOptions = {}): Promise<Answer<Recipe>> {
    return this.core.one<Recipe>({ method: 'GET', path: '/orgs/{organization}/recipes/{recipe}', values: [organization, recipe], options });
  }
  /** Update a recipe. PUT /orgs/{organization}/recipes/{recipe} */
  update(organization: string, recipe: string, body: UpdateRecipeRequest, options: CallOptions = {}): Promise<Answer<Recipe>> {
    return this.core.one<Recipe>({ method: 'PUT', path: '/orgs/{organization}/recipes/{recipe}', values: [organization, recipe], body, options });
  }
}

/** RedirectsCalls are what can be done with redirects. */
export class RedirectsCalls {
  constructor(private core: Core) {}
  /**
   * Create a redirect rule. Rules are evaluated in order, and the first match applies. A rule that nginx rejects is
   * removed; its event says why. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules
   */
  create(organization: string, server: string, site: string, body: CreateRedirectRequest, options: CallOptions = {}): Promise<Answer<RedirectRule>> {
    return this.core.one<RedirectRule>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules', values: [organization, server, site], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, site: string, body: CreateRedirectRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules', values: [organization, server, site], body, options });
  }
  /**
   * Delete a redirect rule. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}
   */
  delete(organization: string, server: string, site: string, redirectRule: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}', values: [organization, server, site, redirectRule], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, redirectRule: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}', values: [organization, server, site, redirectRule], options });
  }
  /**
   * Export redirect rules as CSV. The columns are from, to and type, in the order of the rules. The file can be
   * imported again. GET /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/export
   */
  export(organization: string, server: string, site: string, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.core.text({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/export', values: [organization, server, site], options });
  }
  /**
   * Import redirect rules from CSV. The columns are from, to and type, with or without a header; type defaults to
   * redirect. The response lists invalid lines. The others are imported together: either all of them, or none if nginx
   * rejects one. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/import
   */
  import(organization: string, server: string, site: string, name: string, content: Blob, body: ImportRedirectsRequest, options: CallOptions = {}): Promise<Work & { body: unknown }> {
    return this.core.plain({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/import', values: [organization, server, site], form: { field: 'file', name, content }, body, options });
  }
  /** What import would do; nothing is changed. */
  planImport(organization: string, server: string, site: string, name: string, content: Blob, body: ImportRedirectsRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/import', values: [organization, server, site], form: { field: 'file', name, content }, body, options });
  }
  /**
   * List redirect rules. In evaluation order, unless sorted otherwise. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules
   */
  list(organization: string, server: string, site: string, query: { 'filter[from]'?: string; 'filter[to]'?: string; 'filter[type]'?: string; 'filter[status]'?: string; sort?: EventsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<RedirectRule> {
    return new List<RedirectRule>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules', values: [organization, server, site], query, options });
  }
  /**
   * Reorder redirect rules. Rules that are not listed follow in their previous order. It begins work, which wait() of
   * the answer waits for. PUT /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/reorder
   */
  reorder(organization: string, server: string, site: string, body: ReorderRedirectsRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/reorder', values: [organization, server, site], body, options });
  }
  /** What reorder would do; nothing is changed. */
  planReorder(organization: string, server: string, site: string, body: ReorderRedirectsRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/reorder', values: [organization, server, site], body, options });
  }
  /** Get a redirect rule. GET /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule} */
  get(organization: string, server: string, site: string, redirectRule: string, options: CallOptions = {}): Promise<Answer<RedirectRule>> {
    return this.core.one<RedirectRule>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}', values: [organization, server, site, redirectRule], options });
  }
  /**
   * Update a redirect rule. Omitted fields are unchanged, and the rule keeps its place in the order. It begins work,
   * which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}
   */
  update(organization: string, server: string, site: string, redirectRule: string, body: UpdateRedirectRequest, options: CallOptions = {}): Promise<Answer<RedirectRule>> {
    return this.core.one<RedirectRule>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}', values: [organization, server, site, redirectRule], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, redirectRule: string, body: UpdateRedirectRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules/{redirectRule}', values: [organization, server, site, redirectRule], body, options });
  }
}

/** RegionSizesCalls are what can be done with region sizes. */
export class RegionSizesCalls {
  constructor(private core: Core) {}
  /**
   * List the sizes in a region. The list is built into Hostler; meta.snapshot gives its date. GET
   * /providers/{provider}/regions/{providerRegion}/sizes
   */
  list(provider: string, providerRegion: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<ProviderRegionSize> {
    return new List<ProviderRegionSize>(this.core, { method: 'GET', path: '/providers/{provider}/regions/{providerRegion}/sizes', values: [provider, providerRegion], query, options });
  }
  /**
   * Get a size in a region. The list is built into Hostler; meta.snapshot gives its date. GET
   * /providers/{provider}/regions/{providerRegion}/sizes/{providerSize}
   */
  get(provider: string, providerRegion: string, providerSize: string, options: CallOptions = {}): Promise<Answer<ProviderRegionSize>> {
    return this.core.one<ProviderRegionSize>({ method: 'GET', path: '/providers/{provider}/regions/{providerRegion}/sizes/{providerSize}', values: [provider, providerRegion, providerSize], options });
  }
}

/** RegionsCalls are what can be done with regions. */
export class RegionsCalls {
  constructor(private core: Core) {}
  /**
   * List the regions of a server provider. The list is built into Hostler; meta.snapshot gives its date. GET
   * /providers/{provider}/regions
   */
  list(provider: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<ProviderRegion> {
    return new List<ProviderRegion>(this.core, { method: 'GET', path: '/providers/{provider}/regions', values: [provider], query, options });
  }
  /**
   * Get a region of a server provider. The list is built into Hostler; meta.snapshot gives its date. GET
   * /providers/{provider}/regions/{providerRegion}
   */
  get(provider: string, providerRegion: string, options: CallOptions = {}): Promise<Answer<ProviderRegion>> {
    return this.core.one<ProviderRegion>({ method: 'GET', path: '/providers/{provider}/regions/{providerRegion}', values: [provider, providerRegion], options });
  }
}

/** RepositoryCheckCalls are what can be done with repository check. */
export class RepositoryCheckCalls {
  constructor(private core: Core) {}
  /**
   * Check a site's repository. Reads the newest commit of the branch on the site's server, with the deploy key, and
   * those files of it that say which application it has. A check that is already requested is returned. A new host key
   * of the Git server is confirmed by its fingerprint. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/git/check
   */
  run(organization: string, server: string, site: string, body: CheckRepositoryRequest, options: CallOptions = {}): Promise<Answer<RepositoryCheck>> {
    return this.core.one<RepositoryCheck>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/git/check', values: [organization, server, site], body, options });
  }
  /**
   * Get the check of a site's repository. Whether the site's server could read the branch with the deploy key when
   * that was last checked. GET /orgs/{organization}/servers/{server}/sites/{site}/git/check
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<RepositoryCheck>> {
    return this.core.one<RepositoryCheck>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/git/check', values: [organization, server, site], options });
  }
}

/** RetentionCalls are what can be done with retention. */
export class RetentionCalls {
  constructor(private core: Core) {}
  /** Get the retention periods of an organization. GET /orgs/{organization}/retention */
  get(organization: string, options: CallOptions = {}): Promise<Answer<Retention>> {
    return this.core.one<Retention>({ method: 'GET', path: '/orgs/{organization}/retention', values: [organization], options });
  }
  /**
   * Set the retention periods of an organization. A period can't be longer than the installation's. Old rows are
   * deleted every hour; a longer period does not bring them back. Open work, and the operation that a resource shows,
   * are kept. PUT /orgs/{organization}/retention
   */
  update(organization: string, body: UpdateRetentionRequest, options: CallOptions = {}): Promise<Answer<Retention>> {
    return this.core.one<Retention>({ method: 'PUT', path: '/orgs/{organization}/retention', values: [organization], body, options });
  }
}

/** ReverbCalls are what can be done with reverb. */
export class ReverbCalls {
  constructor(private core: Core) {}
  /**
   * Switch Reverb off. Removes its background process and its line in the deploy script. It begins work, which wait()
   * of the answer waits for. DELETE /orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb', values: [organization, server, site], options });
  }
  /**
   * Switch Reverb on. Adds a background process to the site, and a line to the deploy script that restarts it. 400 if
   * the site's composer.lock does not contain the package. Previous settings are replaced. It begins work, which
   * wait() of the answer waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb
   */
  enable(organization: string, server: string, site: string, body: EnableReverbRequest, options: CallOptions = {}): Promise<Answer<ReverbIntegration>> {
    return this.core.one<ReverbIntegration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb', values: [organization, server, site], body, options });
  }
  /**
   * Get a site's Reverb. Queries the server for what is installed; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<ReverbIntegration, Included>> {
    return this.core.one<ReverbIntegration, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/reverb', values: [organization, server, site], options });
  }
}

/** RolePermissionsCalls are what can be done with role permissions. */
export class RolePermissionsCalls {
  constructor(private core: Core) {}
  /** List the permissions of a custom role. GET /orgs/{organization}/roles/{role}/permissions */
  list(organization: string, role: string, query: { 'filter[name]'?: string; 'page[size]'?: number } = {}, options: CallOptions = {}): List<PermissionResource> {
    return new List<PermissionResource>(this.core, { method: 'GET', path: '/orgs/{organization}/roles/{role}/permissions', values: [organization, role], query, options });
  }
}

/** RolesCalls are what can be done with roles. */
export class RolesCalls {
  constructor(private core: Core) {}
  /**
   * Create a custom role. A role can't have permissions that its creator lacks. Every role has organization:view and
   * user:view. POST /orgs/{organization}/roles
   */
  create(organization: string, body: CreateRoleRequest, options: CallOptions = {}): Promise<Answer<CustomRole, Included>> {
    return this.core.one<CustomRole, Included>({ method: 'POST', path: '/orgs/{organization}/roles', values: [organization], body, options });
  }
  /** Delete a custom role. Refused while members have the role. DELETE /orgs/{organization}/roles/{role} */
  delete(organization: string, role: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/roles/{role}', values: [organization, role], options });
  }
  /** List custom roles. GET /orgs/{organization}/roles */
  list(organization: string, query: { 'filter[name]'?: string; 'filter[permissions.name]'?: string; include?: RolesListInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<CustomRole, Included> {
    return new List<CustomRole, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/roles', values: [organization], query, options });
  }
  /** Get a custom role. GET /orgs/{organization}/roles/{role} */
  get(organization: string, role: string, query: { include?: RolesListInclude[] } = {}, options: CallOptions = {}): Promise<Answer<CustomRole, Included>> {
    return this.core.one<CustomRole, Included>({ method: 'GET', path: '/orgs/{organization}/roles/{role}', values: [organization, role], query, options });
  }
  /**
   * Update a custom role. The change applies to members with the role from their next request on. PUT
   * /orgs/{organization}/roles/{role}
   */
  update(organization: string, role: string, body: UpdateRoleRequest, options: CallOptions = {}): Promise<Answer<CustomRole, Included>> {
    return this.core.one<CustomRole, Included>({ method: 'PUT', path: '/orgs/{organization}/roles/{role}', values: [organization, role], body, options });
  }
}

/** ScheduledJobsCalls are what can be done with scheduled jobs. */
export class ScheduledJobsCalls {
  constructor(private core: Core) {}
  /**
   * Create a scheduled job. The output of the job's last run is stored. It begins work, which wait() of the answer
   * waits for. POST /orgs/{organization}/servers/{server}/scheduled-jobs
   */
  create(organization: string, server: string, body: CreateScheduledJobRequest, options: CallOptions = {}): Promise<Answer<Job>> {
    return this.core.one<Job>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/scheduled-jobs', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateScheduledJobRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/scheduled-jobs', values: [organization, server], body, options });
  }
  /**
   * Delete a scheduled job. 409 if it belongs to an integration. It begins work, which wait() of the answer waits for.
   * DELETE /orgs/{organization}/servers/{server}/scheduled-jobs/{job}
   */
  delete(organization: string, server: string, job: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/scheduled-jobs/{job}', values: [organization, server, job], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, job: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/scheduled-jobs/{job}', values: [organization, server, job], options });
  }
  /** List scheduled jobs. GET /orgs/{organization}/servers/{server}/scheduled-jobs */
  list(organization: string, server: string, query: { 'filter[status]'?: string; 'filter[user]'?: string; sort?: CommandsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Job> {
    return new List<Job>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/scheduled-jobs', values: [organization, server], query, options });
  }
  /**
   * Get the output of a scheduled job's last run. Read from the server; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/scheduled-jobs/{job}/output
   */
  output(organization: string, server: string, job: string, options: CallOptions = {}): Promise<Answer<JobOutput>> {
    return this.core.one<JobOutput>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/scheduled-jobs/{job}/output', values: [organization, server, job], options });
  }
  /** Get a scheduled job. GET /orgs/{organization}/servers/{server}/scheduled-jobs/{job} */
  get(organization: string, server: string, job: string, options: CallOptions = {}): Promise<Answer<Job>> {
    return this.core.one<Job>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/scheduled-jobs/{job}', values: [organization, server, job], options });
  }
  /**
   * Update a scheduled job. Omitted fields are unchanged. A heartbeat that has the job's schedule gets the new one.
   * 409 if the job belongs to an integration. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/scheduled-jobs/{job}
   */
  update(organization: string, server: string, job: string, body: UpdateScheduledJobRequest, options: CallOptions = {}): Promise<Answer<Job>> {
    return this.core.one<Job>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/scheduled-jobs/{job}', values: [organization, server, job], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, job: string, body: UpdateScheduledJobRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/scheduled-jobs/{job}', values: [organization, server, job], body, options });
  }
}

/** SchedulerCalls are what can be done with scheduler. */
export class SchedulerCalls {
  constructor(private core: Core) {}
  /**
   * Switch a site's scheduler off. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler', values: [organization, server, site], options });
  }
  /**
   * Switch a site's scheduler on. Adds a scheduled job that runs every minute. 400 if the site's composer.lock does
   * not contain Laravel. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler
   */
  enable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<LaravelSchedulerIntegration>> {
    return this.core.one<LaravelSchedulerIntegration>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler', values: [organization, server, site], options });
  }
  /**
   * Get a site's scheduler. Queries the server for what is installed; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<LaravelSchedulerIntegration, Included>> {
    return this.core.one<LaravelSchedulerIntegration, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/integrations/laravel-scheduler', values: [organization, server, site], options });
  }
}

/** SecurityRulesCalls are what can be done with security rules. */
export class SecurityRulesCalls {
  constructor(private core: Core) {}
  /**
   * Create a security rule. Visitors are asked for a name and a password. If several rules match, the one with the
   * longest path applies. Passwords are stored only as bcrypt hashes. It begins work, which wait() of the answer waits
   * for. POST /orgs/{organization}/servers/{server}/sites/{site}/security-rules
   */
  create(organization: string, server: string, site: string, body: CreateSecurityRuleRequest, options: CallOptions = {}): Promise<Answer<SecurityRule>> {
    return this.core.one<SecurityRule>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules', values: [organization, server, site], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, site: string, body: CreateSecurityRuleRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules', values: [organization, server, site], body, options });
  }
  /**
   * Delete a security rule. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}
   */
  delete(organization: string, server: string, site: string, securityRule: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}', values: [organization, server, site, securityRule], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, securityRule: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}', values: [organization, server, site, securityRule], options });
  }
  /** List security rules. GET /orgs/{organization}/servers/{server}/sites/{site}/security-rules */
  list(organization: string, server: string, site: string, query: { 'filter[path]'?: string; 'filter[status]'?: string; sort?: SecurityRulesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<SecurityRule> {
    return new List<SecurityRule>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules', values: [organization, server, site], query, options });
  }
  /** Get a security rule. GET /orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule} */
  get(organization: string, server: string, site: string, securityRule: string, options: CallOptions = {}): Promise<Answer<SecurityRule>> {
    return this.core.one<SecurityRule>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}', values: [organization, server, site, securityRule], options });
  }
  /**
   * Update a security rule. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}
   */
  update(organization: string, server: string, site: string, securityRule: string, body: UpdateSecurityRuleRequest, options: CallOptions = {}): Promise<Answer<SecurityRule>> {
    return this.core.one<SecurityRule>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}', values: [organization, server, site, securityRule], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, securityRule: string, body: UpdateSecurityRuleRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/security-rules/{securityRule}', values: [organization, server, site, securityRule], body, options });
  }
}

/** ServerDeploymentsCalls are what can be done with server deployments. */
export class ServerDeploymentsCalls {
  constructor(private core: Core) {}
  /** List deployments of a server. GET /orgs/{organization}/servers/{server}/deployments */
  list(organization: string, server: string, query: { 'filter[commit_hash]'?: string; 'filter[commit_message]'?: string; 'filter[commit_author]'?: string; sort?: AuditListSort[]; include?: EventsListInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Deployment, Included> {
    return new List<Deployment, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/deployments', values: [organization, server], query, options });
  }
}

/** ServerKeyCalls are what can be done with server key. */
export class ServerKeyCalls {
  constructor(private core: Core) {}
  /**
   * Get the server's key. Returns the public half of the key with which Hostler logs in. GET
   * /orgs/{organization}/servers/{server}/key
   */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<ServerKey>> {
    return this.core.one<ServerKey>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/key', values: [organization, server], options });
  }
  /**
   * Replace the server's key. Generates a new key. On a server that is set up, the new key replaces the old one once
   * it has been tested; until then the old key works. If the server is waiting for its setup command, meta.bootstrap
   * contains a new command, shown once, and the old command is invalid. PUT /orgs/{organization}/servers/{server}/key
   */
  update(organization: string, server: string, options: CallOptions = {}): Promise<Answer<ServerKey>> {
    return this.core.one<ServerKey>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/key', values: [organization, server], options });
  }
}

/** ServerLogsCalls are what can be done with server logs. */
export class ServerLogsCalls {
  constructor(private core: Core) {}
  /**
   * Empty a log of a server. 409 for logs in the system's journal. It begins work, which wait() of the answer waits
   * for. DELETE /orgs/{organization}/servers/{server}/logs/{key}
   */
  clear(organization: string, server: string, key: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/logs/{key}', values: [organization, server, key], options });
  }
  /** What clear would do; nothing is changed. */
  planClear(organization: string, server: string, key: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/logs/{key}', values: [organization, server, key], options });
  }
  /**
   * Get a log of a server. Returns the newest lines, oldest first, read from the server. 409 while the server is not
   * set up or can't be reached. The keys are nginx-access, nginx-error, nginx, redis, meilisearch, database, auth,
   * system, packages, upgrades, and php84 or the like. GET /orgs/{organization}/servers/{server}/logs/{key}
   */
  get(organization: string, server: string, key: string, query: { lines?: number; search?: string; before?: number } = {}, options: CallOptions = {}): Promise<Answer<ServerLog>> {
    return this.core.one<ServerLog>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/logs/{key}', values: [organization, server, key], query, options });
  }
}

/** ServerMetricsCalls are what can be done with server metrics. */
export class ServerMetricsCalls {
  constructor(private core: Core) {}
  /**
   * Get the metrics of all servers. Covers the servers that the caller can see and that are not archived, limited to
   * the first 1000 added. GET /orgs/{organization}/servers/metrics
   */
  fleet(organization: string, query: { range?: string } = {}, options: CallOptions = {}): Promise<Answer<FleetMetric>> {
    return this.core.one<FleetMetric>({ method: 'GET', path: '/orgs/{organization}/servers/metrics', values: [organization], query, options });
  }
  /**
   * Get the metrics of a server. The server measures every minute, whether or not Hostler can reach it, and keeps
   * measurements for a week until Hostler reads them. GET /orgs/{organization}/servers/{server}/metrics
   */
  get(organization: string, server: string, query: { range?: string } = {}, options: CallOptions = {}): Promise<Answer<Metric>> {
    return this.core.one<Metric>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/metrics', values: [organization, server], query, options });
  }
}

/** ServerSSHKeysCalls are what can be done with server ssh keys. */
export class ServerSSHKeysCalls {
  constructor(private core: Core) {}
  /**
   * Add an SSH key. The owner of the private key can log in to the account. Also requires organization:manage if
   * options is given. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/ssh-keys
   */
  create(organization: string, server: string, body: CreateSSHKeyRequest, options: CallOptions = {}): Promise<Answer<Key>> {
    return this.core.one<Key>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/ssh-keys', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateSSHKeyRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/ssh-keys', values: [organization, server], body, options });
  }
  /**
   * Remove an SSH key. Removes all lines of the account that contain the key. Open sessions stay open unless
   * close_sessions is true. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/ssh-keys/{key}
   */
  delete(organization: string, server: string, key: string, query: { close_sessions?: boolean } = {}, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/ssh-keys/{key}', values: [organization, server, key], query, options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, key: string, query: { close_sessions?: boolean } = {}, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/ssh-keys/{key}', values: [organization, server, key], query, options });
  }
  /** List SSH keys. GET /orgs/{organization}/servers/{server}/ssh-keys */
  list(organization: string, server: string, query: { 'filter[name]'?: string; 'filter[user]'?: string; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Key> {
    return new List<Key>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/ssh-keys', values: [organization, server], query, options });
  }
  /** Get an SSH key. GET /orgs/{organization}/servers/{server}/ssh-keys/{key} */
  get(organization: string, server: string, key: string, options: CallOptions = {}): Promise<Answer<Key>> {
    return this.core.one<Key>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/ssh-keys/{key}', values: [organization, server, key], options });
  }
}

/** ServersCalls are what can be done with servers. */
export class ServersCalls {
  constructor(private core: Core) {}
  /**
   * Reboot or power-cycle a server. The operation succeeds once the server answers again with a different boot id.
   * Like any reboot, it ends running work on the server. A power-cycle is performed by the provider, for a server that
   * does not respond. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/actions
   */
  act(organization: string, server: string, body: ServerActionRequest, options: CallOptions = {}): Promise<Answer<Server>> {
    return this.core.one<Server>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/actions', values: [organization, server], body, options });
  }
  /** What act would do; nothing is changed. */
  planAct(organization: string, server: string, body: ServerActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/actions', values: [organization, server], body, options });
  }
  /**
   * Archive a server. Removes Hostler's keys from the server, unless it can't be reached, and destroys the private
   * key. The server keeps running, and its records are kept. Its pending operations are cancelled, it leaves the
   * networks of its peers, and there are no backups, renewals or alarms for it until it is reconnected. It begins
   * work, which wait() of the answer waits for. POST /orgs/{organization}/servers/archives
   */
  archive(organization: string, body: ArchiveRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/archives', values: [organization], body, options });
  }
  /**
   * Create a server. For the provider custom, meta.bootstrap contains the setup command to run on the server as root.
   * At any other provider, the server is ordered with a credential, and destroyed if it does not call Hostler within
   * half an hour. meta.shown_once contains the password of the database account forge. Secrets are shown once. It
   * begins work, which wait() of the answer waits for. POST /orgs/{organization}/servers
   */
  create(organization: string, body: CreateServerRequest, query: { force?: boolean } = {}, options: CallOptions = {}): Promise<Answer<Server, Included>> {
    return this.core.one<Server, Included>({ method: 'POST', path: '/orgs/{organization}/servers', values: [organization], body, query, options });
  }
  /**
   * Delete a server. A server at a provider is destroyed there with everything on it, unless it is preserved, and its
   * record is removed once the provider no longer has it. Hostler's keys and agent are removed from a custom or
   * preserved server, unless it can't be reached; its sites and their data stay on it. It begins work, which wait() of
   * the answer waits for. DELETE /orgs/{organization}/servers/{server}
   */
  delete(organization: string, server: string, query: { preserve_at_provider?: boolean } = {}, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}', values: [organization, server], query, options });
  }
  /** List servers. Archived servers are listed separately. GET /orgs/{organization}/servers */
  list(organization: string, query: { 'filter[ip_address]'?: string; 'filter[name]'?: string; 'filter[region]'?: string; 'filter[size]'?: string; 'filter[provider]'?: string; 'filter[ubuntu_version]'?: string; 'filter[php_version]'?: string; 'filter[database_type]'?: string; 'filter[tag]'?: string; sort?: ServersListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Server, Included> {
    return new List<Server, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/servers', values: [organization], query, options });
  }
  /**
   * Repair a server. Applies everything recorded for the server again: files, units, accounts, packages, rights of
   * database users. With dry_run=true the server is compared, and the plan shows what would change. Missing databases,
   * database users and data directories are never replaced by empty ones: they are reported, as are manual changes to
   * the nginx configuration. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/repairs
   */
  repair(organization: string, server: string, options: CallOptions = {}): Promise<Answer<Server>> {
    return this.core.one<Server>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/repairs', values: [organization, server], options });
  }
  /** What repair would do; nothing is changed. */
  planRepair(organization: string, server: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/repairs', values: [organization, server], options });
  }
  /**
   * Generate a new setup command for a server. meta.bootstrap contains the setup command to run on the server as root.
   * It is shown once and valid for a week. A new command invalidates the old one. POST
   * /orgs/{organization}/servers/{server}/line
   */
  setupCommand(organization: string, server: string, options: CallOptions = {}): Promise<Answer<Server>> {
    return this.core.one<Server>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/line', values: [organization, server], options });
  }
  /** Get a server. GET /orgs/{organization}/servers/{server} */
  get(organization: string, server: string, options: CallOptions = {}): Promise<Answer<Server, Included>> {
    return this.core.one<Server, Included>({ method: 'GET', path: '/orgs/{organization}/servers/{server}', values: [organization, server], options });
  }
  /**
   * Transfer a server to another organization. The server and everything on it belong to the other organization when
   * it is answered, with their history. Nothing changes on the server, and its sites are served meanwhile. It is
   * refused while work on the server is open, and while other servers depend on it. Repeated, with an Idempotency-Key
   * or not, it is answered 404: the server is now at its Location. Also requires server:create in the other
   * organization. POST /orgs/{organization}/servers/{server}/transfer
   */
  transfer(organization: string, server: string, body: TransferRequest, options: CallOptions = {}): Promise<Answer<Server>> {
    return this.core.one<Server>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/transfer', values: [organization, server], body, options });
  }
  /**
   * Preview the transfer of a server. Lists what would be transferred, what would not, and what prevents the transfer,
   * without changing anything. Also requires server:create in the other organization. GET
   * /orgs/{organization}/servers/{server}/transfer
   */
  transferPreview(organization: string, server: string, query: { to?: string } = {}, options: CallOptions = {}): Promise<Answer<Transfer>> {
    return this.core.one<Transfer>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/transfer', values: [organization, server], query, options });
  }
  /** Update a server. PUT /orgs/{organization}/servers/{server} */
  update(organization: string, server: string, body: UpdateServerRequest, query: { force?: boolean } = {}, options: CallOptions = {}): Promise<Answer<Server, Included>> {
    return this.core.one<Server, Included>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}', values: [organization, server], body, query, options });
  }
  /**
   * Upgrade the packages of a server. Installs the newest versions in the server's package sources, except for
   * packages on hold. Packages restart their own services. The server is rebooted only on request. It begins work,
   * which wait() of the answer waits for. POST /orgs/{organization}/servers/{server}/upgrades
   */
  upgrade(organization: string, server: string, body: UpgradeRequest, options: CallOptions = {}): Promise<Answer<Server>> {
    return this.core.one<Server>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/upgrades', values: [organization, server], body, options });
  }
  /** What upgrade would do; nothing is changed. */
  planUpgrade(organization: string, server: string, body: UpgradeRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/upgrades', values: [organization, server], body, options });
  }
}

/** ServicesCalls are what can be done with services. */
export class ServicesCalls {
  constructor(private core: Core) {}
  /**
   * List services of a server. Queries the server; 409 while it is not set up or can't be reached. GET
   * /orgs/{organization}/servers/{server}/services
   */
  list(organization: string, server: string, options: CallOptions = {}): Promise<Answer<Service[]>> {
    return this.core.one<Service[]>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/services', values: [organization, server], options });
  }
  /**
   * Restart or stop MariaDB or MySQL. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/services/mysql/actions
   */
  mysql(organization: string, server: string, body: MysqlServiceActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/mysql/actions', values: [organization, server], body, options });
  }
  /** What mysql would do; nothing is changed. */
  planMysql(organization: string, server: string, body: MysqlServiceActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/mysql/actions', values: [organization, server], body, options });
  }
  /**
   * Restart or stop nginx. If the configuration is invalid, nginx keeps running. It begins work, which wait() of the
   * answer waits for. POST /orgs/{organization}/servers/{server}/services/nginx/actions
   */
  nginx(organization: string, server: string, body: NginxServiceActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/nginx/actions', values: [organization, server], body, options });
  }
  /** What nginx would do; nothing is changed. */
  planNginx(organization: string, server: string, body: NginxServiceActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/nginx/actions', values: [organization, server], body, options });
  }
  /**
   * Restart or reload PHP. Affects all PHP-FPM master processes of the version, including those of isolated sites. If
   * one of their configurations is invalid, all keep running. It begins work, which wait() of the answer waits for.
   * POST /orgs/{organization}/servers/{server}/services/php/actions
   */
  php(organization: string, server: string, body: PhpServiceActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/php/actions', values: [organization, server], body, options });
  }
  /** What php would do; nothing is changed. */
  planPHP(organization: string, server: string, body: PhpServiceActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/php/actions', values: [organization, server], body, options });
  }
  /**
   * Restart or stop PostgreSQL. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/services/postgres/actions
   */
  postgres(organization: string, server: string, body: PostgresServiceActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/postgres/actions', values: [organization, server], body, options });
  }
  /** What postgres would do; nothing is changed. */
  planPostgres(organization: string, server: string, body: PostgresServiceActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/postgres/actions', values: [organization, server], body, options });
  }
  /**
   * Restart Redis. Affects the instance of Redis or Valkey, whichever the server has, of the account forge. Isolated
   * accounts have their own. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/services/redis/actions
   */
  redis(organization: string, server: string, body: RedisServiceActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/redis/actions', values: [organization, server], body, options });
  }
  /** What redis would do; nothing is changed. */
  planRedis(organization: string, server: string, body: RedisServiceActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/redis/actions', values: [organization, server], body, options });
  }
  /**
   * Restart background processes. Affects all processes of the server and its sites, except for stopped ones. Each is
   * given its own time to stop. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/services/supervisor/actions
   */
  supervisor(organization: string, server: string, body: SupervisorServiceActionRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/supervisor/actions', values: [organization, server], body, options });
  }
  /** What supervisor would do; nothing is changed. */
  planSupervisor(organization: string, server: string, body: SupervisorServiceActionRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/services/supervisor/actions', values: [organization, server], body, options });
  }
}

/** SftpUsersCalls are what can be done with sftp users. */
export class SftpUsersCalls {
  constructor(private core: Core) {}
  /**
   * Create an SFTP user. The owner of a private key can read and write the files of the site over SFTP, as the site's
   * account, and nothing else of the server: there is no shell, no forwarding and no password. What a site serves and
   * runs is among its files. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/sftp-users
   */
  create(organization: string, server: string, site: string, body: CreateSFTPUserRequest, options: CallOptions = {}): Promise<Answer<SFTPUser>> {
    return this.core.one<SFTPUser>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users', values: [organization, server, site], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, site: string, body: CreateSFTPUserRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users', values: [organization, server, site], body, options });
  }
  /**
   * Delete an SFTP user. Open sessions are closed. The files of the site stay. It begins work, which wait() of the
   * answer waits for. DELETE /orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}
   */
  delete(organization: string, server: string, site: string, sftpUser: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}', values: [organization, server, site, sftpUser], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, sftpUser: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}', values: [organization, server, site, sftpUser], options });
  }
  /** List SFTP users. GET /orgs/{organization}/servers/{server}/sites/{site}/sftp-users */
  list(organization: string, server: string, site: string, query: { 'filter[name]'?: string; 'filter[status]'?: string; sort?: SitesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<SFTPUser> {
    return new List<SFTPUser>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users', values: [organization, server, site], query, options });
  }
  /** Get an SFTP user. GET /orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser} */
  get(organization: string, server: string, site: string, sftpUser: string, options: CallOptions = {}): Promise<Answer<SFTPUser>> {
    return this.core.one<SFTPUser>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}', values: [organization, server, site, sftpUser], options });
  }
  /**
   * Update an SFTP user. Open sessions are closed if a key is removed or the last day is earlier than before. It
   * begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}
   */
  update(organization: string, server: string, site: string, sftpUser: string, body: UpdateSFTPUserRequest, options: CallOptions = {}): Promise<Answer<SFTPUser>> {
    return this.core.one<SFTPUser>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}', values: [organization, server, site, sftpUser], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, sftpUser: string, body: UpdateSFTPUserRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users/{sftpUser}', values: [organization, server, site, sftpUser], body, options });
  }
}

/** ShippedRecipeRunsCalls are what can be done with shipped recipe runs. */
export class ShippedRecipeRunsCalls {
  constructor(private core: Core) {}
  /**
   * List runs of a built-in recipe. Lists the runs on servers of all organizations that the caller can see. GET
   * /forge-recipes/{forgeRecipe}/runs
   */
  list(forgeRecipe: string, query: { sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<RecipeLog> {
    return new List<RecipeLog>(this.core, { method: 'GET', path: '/forge-recipes/{forgeRecipe}/runs', values: [forgeRecipe], query, options });
  }
  /** Get a run of a built-in recipe. GET /forge-recipes/{forgeRecipe}/runs/{log} */
  get(forgeRecipe: string, log: string, options: CallOptions = {}): Promise<Answer<RecipeLog>> {
    return this.core.one<RecipeLog>({ method: 'GET', path: '/forge-recipes/{forgeRecipe}/runs/{log}', values: [forgeRecipe, log], options });
  }
}

/** ShippedRecipesCalls are what can be done with shipped recipes. */
export class ShippedRecipesCalls {
  constructor(private core: Core) {}
  /** List built-in recipes. GET /forge-recipes */
  list(query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<ForgeRecipe> {
    return new List<ForgeRecipe>(this.core, { method: 'GET', path: '/forge-recipes', query, options });
  }
  /**
   * Run a built-in recipe on servers. Runs on servers of any of the caller's organizations, for at most half an hour
   * on each, in parallel with other work. The recipe is never run twice. X-Hostler-Event is the event of the run on
   * the first server. It begins work, which wait() of the answer waits for. POST /forge-recipes/{forgeRecipe}/runs
   */
  run(forgeRecipe: string, body: RunRecipeRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/forge-recipes/{forgeRecipe}/runs', values: [forgeRecipe], body, options });
  }
  /** Get a built-in recipe. GET /forge-recipes/{forgeRecipe} */
  get(forgeRecipe: string, options: CallOptions = {}): Promise<Answer<ForgeRecipe>> {
    return this.core.one<ForgeRecipe>({ method: 'GET', path: '/forge-recipes/{forgeRecipe}', values: [forgeRecipe], options });
  }
}

/** SiteCertificatesCalls are what can be done with site certificates. */
export class SiteCertificatesCalls {
  constructor(private core: Core) {}
  /** List the certificates of a site. GET /orgs/{organization}/servers/{server}/sites/{site}/certificates */
  list(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<Certificate[]>> {
    return this.core.one<Certificate[]>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/certificates', values: [organization, server, site], options });
  }
}

/** SiteMetricsCalls are what can be done with site metrics. */
export class SiteMetricsCalls {
  constructor(private core: Core) {}
  /**
   * Get the metrics of a site. Returns requests and errors, which are counted every minute in the site's access log on
   * its server, whether or not Hostler can reach it; of a site with limits also what it used, as far as the server's
   * kernel counts that. GET /orgs/{organization}/servers/{server}/sites/{site}/metrics
   */
  get(organization: string, server: string, site: string, query: { range?: string } = {}, options: CallOptions = {}): Promise<Answer<SiteMetric>> {
    return this.core.one<SiteMetric>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/metrics', values: [organization, server, site], query, options });
  }
}

/** SiteNginxCalls are what can be done with site nginx. */
export class SiteNginxCalls {
  constructor(private core: Core) {}
  /**
   * Get the nginx configuration of a site's primary domain. With drift=true the server is queried, and
   * meta.nginx.drift shows manual changes there, or meta.nginx.problem says why they can't be determined. Manual
   * changes are never overwritten. GET /orgs/{organization}/servers/{server}/sites/{site}/nginx
   */
  get(organization: string, server: string, site: string, query: { drift?: boolean } = {}, options: CallOptions = {}): Promise<Answer<NginxConfig>> {
    return this.core.one<NginxConfig>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/nginx', values: [organization, server, site], query, options });
  }
  /**
   * Write the nginx configuration of a site's primary domain. The configuration is restricted to the site's own logs,
   * directories, sockets, ports and names; any line beyond that is rejected. It is stored in Hostler's layout, checked
   * on the server before it takes effect, and rolled back if nginx rejects it. Later changes by Hostler are merged
   * into it, unless both changed the same lines. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/nginx
   */
  update(organization: string, server: string, site: string, body: UpdateNginxConfigurationRequest, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/nginx', values: [organization, server, site], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, body: UpdateNginxConfigurationRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/nginx', values: [organization, server, site], body, options });
  }
}

/** SiteScheduledJobsCalls are what can be done with site scheduled jobs. */
export class SiteScheduledJobsCalls {
  constructor(private core: Core) {}
  /**
   * Create a scheduled job. The output of the job's last run is stored. It begins work, which wait() of the answer
   * waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs
   */
  create(organization: string, server: string, site: string, body: CreateScheduledJobRequest, options: CallOptions = {}): Promise<Answer<Job>> {
    return this.core.one<Job>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs', values: [organization, server, site], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, site: string, body: CreateScheduledJobRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs', values: [organization, server, site], body, options });
  }
  /**
   * Delete a scheduled job. 409 if it belongs to an integration. It begins work, which wait() of the answer waits for.
   * DELETE /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}
   */
  delete(organization: string, server: string, site: string, job: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}', values: [organization, server, site, job], options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, job: string, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}', values: [organization, server, site, job], options });
  }
  /** List scheduled jobs. GET /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs */
  list(organization: string, server: string, site: string, query: { 'filter[status]'?: string; 'filter[user]'?: string; sort?: CommandsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Job> {
    return new List<Job>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs', values: [organization, server, site], query, options });
  }
  /**
   * Get the output of a scheduled job's last run. Read from the server; 409 while it can't be reached. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}/output
   */
  output(organization: string, server: string, site: string, job: string, options: CallOptions = {}): Promise<Answer<JobOutput>> {
    return this.core.one<JobOutput>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}/output', values: [organization, server, site, job], options });
  }
  /** Get a scheduled job. GET /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job} */
  get(organization: string, server: string, site: string, job: string, options: CallOptions = {}): Promise<Answer<Job>> {
    return this.core.one<Job>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}', values: [organization, server, site, job], options });
  }
  /**
   * Update a scheduled job. Omitted fields are unchanged. A heartbeat that has the job's schedule gets the new one.
   * 409 if the job belongs to an integration. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}
   */
  update(organization: string, server: string, site: string, job: string, body: UpdateScheduledJobRequest, options: CallOptions = {}): Promise<Answer<Job>> {
    return this.core.one<Job>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}', values: [organization, server, site, job], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, job: string, body: UpdateScheduledJobRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs/{job}', values: [organization, server, site, job], body, options });
  }
}

/** SiteSourceControlCalls are what can be done with site source control. */
export class SiteSourceControlCalls {
  constructor(private core: Core) {}
  /**
   * Get the source control status of a site. Reports whether the provider has the site's deploy key and webhook, or
   * why not. The state is null for a site without a connection. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/source-control
   */
  get(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<SourceControl>> {
    return this.core.one<SourceControl>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/source-control', values: [organization, server, site], options });
  }
  /**
   * Repeat the source control setup of a site. Adds the deploy key and the webhook again. It begins work, which wait()
   * of the answer waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/source-control/synchronizations
   */
  sync(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Answer<SourceControl>> {
    return this.core.one<SourceControl>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/source-control/synchronizations', values: [organization, server, site], options });
  }
}

/** SitesCalls are what can be done with sites. */
export class SitesCalls {
  constructor(private core: Core) {}
  /** List sites of all organizations. GET /sites */
  all(query: { 'filter[name]'?: string; 'filter[tag]'?: string; include?: SitesAllInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Site, Included> {
    return new List<Site, Included>(this.core, { method: 'GET', path: '/sites', query, options });
  }
  /**
   * Create a site. Also requires server:create-databases if database_id or database_user_id is given. Also requires
   * server:manage-services if limits is given. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites
   */
  create(organization: string, server: string, body: CreateSiteRequest, options: CallOptions = {}): Promise<Answer<Site, Included>> {
    return this.core.one<Site, Included>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites', values: [organization, server], body, options });
  }
  /** What create would do; nothing is changed. */
  planCreate(organization: string, server: string, body: CreateSiteRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites', values: [organization, server], body, options });
  }
  /**
   * Create a site on a load balancer. Defaults: balancer_method round_robin, port 80, weight 1, backup and down false.
   * Without balancing, the site responds with 503 until nodes are set. A node receives traffic once its server is set
   * up. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/balancer
   */
  createBalancer(organization: string, server: string, body: CreateLoadBalancerSiteRequest, options: CallOptions = {}): Promise<Answer<Site, Included>> {
    return this.core.one<Site, Included>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/balancer', values: [organization, server], body, options });
  }
  /** What createBalancer would do; nothing is changed. */
  planCreateBalancer(organization: string, server: string, body: CreateLoadBalancerSiteRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/balancer', values: [organization, server], body, options });
  }
  /**
   * Delete a site. The files of a site of the default account stay on the server. The last site of an isolated account
   * takes the account along: its processes, jobs, SSH keys, crontab, mail, caches, temporary files and home, and the
   * database user that only its sites use. Databases stay. It begins work, which wait() of the answer waits for.
   * DELETE /orgs/{organization}/servers/{server}/sites/{site}
   */
  delete(organization: string, server: string, site: string, query: { keep_home?: boolean } = {}, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}', values: [organization, server, site], query, options });
  }
  /** What delete would do; nothing is changed. */
  planDelete(organization: string, server: string, site: string, query: { keep_home?: boolean } = {}, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}', values: [organization, server, site], query, options });
  }
  /** List sites of an organization. GET /orgs/{organization}/sites */
  list(organization: string, query: { 'filter[name]'?: string; 'filter[tag]'?: string; sort?: SitesListSort[]; include?: SitesAllInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Site, Included> {
    return new List<Site, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/sites', values: [organization], query, options });
  }
  /** List sites of a server. GET /orgs/{organization}/servers/{server}/sites */
  ofServer(organization: string, server: string, query: { 'filter[name]'?: string; 'filter[tag]'?: string; sort?: DatabasesListSort[]; include?: SitesAllInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Site, Included> {
    return new List<Site, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites', values: [organization, server], query, options });
  }
  /** Get a site. GET /orgs/{organization}/sites/{site} */
  get(organization: string, site: string, query: { include?: SitesAllInclude[] } = {}, options: CallOptions = {}): Promise<Answer<Site, Included>> {
    return this.core.one<Site, Included>({ method: 'GET', path: '/orgs/{organization}/sites/{site}', values: [organization, site], query, options });
  }
  /**
   * Update a site. Also requires site:manage-project if type, directory, root_path, repository_branch, push_to_deploy
   * or shared_paths is given. Also requires server:manage-services if limits is given. It begins work, which wait() of
   * the answer waits for. PUT /orgs/{organization}/servers/{server}/sites/{site}
   */
  update(organization: string, server: string, site: string, body: UpdateSiteRequest, options: CallOptions = {}): Promise<Answer<Site, Included>> {
    return this.core.one<Site, Included>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}', values: [organization, server, site], body, options });
  }
  /** What update would do; nothing is changed. */
  planUpdate(organization: string, server: string, site: string, body: UpdateSiteRequest, options: CallOptions = {}): Promise<DryRun> {
    return this.core.plan<DryRun>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}', values: [organization, server, site], body, options });
  }
}

/** SizesCalls are what can be done with sizes. */
export class SizesCalls {
  constructor(private core: Core) {}
  /**
   * List the sizes of a server provider. The list is built into Hostler; meta.snapshot gives its date. GET
   * /providers/{provider}/sizes
   */
  list(provider: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<ProviderSize> {
    return new List<ProviderSize>(this.core, { method: 'GET', path: '/providers/{provider}/sizes', values: [provider], query, options });
  }
  /**
   * Get a size of a server provider. The list is built into Hostler; meta.snapshot gives its date. GET
   * /providers/{provider}/sizes/{providerSize}
   */
  get(provider: string, providerSize: string, options: CallOptions = {}): Promise<Answer<ProviderSize>> {
    return this.core.one<ProviderSize>({ method: 'GET', path: '/providers/{provider}/sizes/{providerSize}', values: [provider, providerSize], options });
  }
}

/** SourceControlCalls are what can be done with source control. */
export class SourceControlCalls {
  constructor(private core: Core) {}
  /**
   * Connect a source control provider. The token is checked with the provider before it is stored. POST
   * /orgs/{organization}/source-control-providers
   */
  create(organization: string, body: CreateSourceControlProviderRequest, options: CallOptions = {}): Promise<Answer<SourceControlProvider>> {
    return this.core.one<SourceControlProvider>({ method: 'POST', path: '/orgs/{organization}/source-control-providers', values: [organization], body, options });
  }
  /**
   * Delete a source control provider. Refused while sites use the connection, or while its setup for a site still has
   * to be removed. DELETE /orgs/{organization}/source-control-providers/{sourceControlProvider}
   */
  delete(organization: string, sourceControlProvider: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/source-control-providers/{sourceControlProvider}', values: [organization, sourceControlProvider], options });
  }
  /** List source control providers. GET /orgs/{organization}/source-control-providers */
  list(organization: string, query: { 'filter[provider]'?: string; sort?: SitesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<SourceControlProvider> {
    return new List<SourceControlProvider>(this.core, { method: 'GET', path: '/orgs/{organization}/source-control-providers', values: [organization], query, options });
  }
  /** Get a source control provider. GET /orgs/{organization}/source-control-providers/{sourceControlProvider} */
  get(organization: string, sourceControlProvider: string, options: CallOptions = {}): Promise<Answer<SourceControlProvider>> {
    return this.core.one<SourceControlProvider>({ method: 'GET', path: '/orgs/{organization}/source-control-providers/{sourceControlProvider}', values: [organization, sourceControlProvider], options });
  }
  /**
   * Update a source control provider. The token is checked with the provider before it is stored. PUT
   * /orgs/{organization}/source-control-providers/{sourceControlProvider}
   */
  update(organization: string, sourceControlProvider: string, body: UpdateSourceControlProviderRequest, options: CallOptions = {}): Promise<Answer<SourceControlProvider>> {
    return this.core.one<SourceControlProvider>({ method: 'PUT', path: '/orgs/{organization}/source-control-providers/{sourceControlProvider}', values: [organization, sourceControlProvider], body, options });
  }
}

/** SSHKeysCalls are what can be done with ssh keys. */
export class SSHKeysCalls {
  constructor(private core: Core) {}
  /**
   * List SSH keys of all servers. Who can log in to what: the keys of the servers that the caller sees, archived ones
   * included. Each is changed where its link leads. GET /orgs/{organization}/ssh-keys
   */
  list(organization: string, query: { 'filter[name]'?: string; 'filter[user]'?: string; 'filter[server_id]'?: string; sort?: SitesListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Access> {
    return new List<Access>(this.core, { method: 'GET', path: '/orgs/{organization}/ssh-keys', values: [organization], query, options });
  }
}

/** StorageCalls are what can be done with storage. */
export class StorageCalls {
  constructor(private core: Core) {}
  /**
   * Connect a storage provider. The storage is tested before it is saved: an object is written, read and deleted in
   * the bucket; without a bucket, only the keys are tested. POST /orgs/{organization}/storage-providers
   */
  create(organization: string, body: CreateStorageConfigurationRequest, options: CallOptions = {}): Promise<Answer<StorageProvider>> {
    return this.core.one<StorageProvider>({ method: 'POST', path: '/orgs/{organization}/storage-providers', values: [organization], body, options });
  }
  /**
   * Delete a storage provider. Refused while a backup configuration uses the storage. The contents of the bucket stay.
   * DELETE /orgs/{organization}/storage-providers/{storageConfiguration}
   */
  delete(organization: string, storageConfiguration: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/storage-providers/{storageConfiguration}', values: [organization, storageConfiguration], options });
  }
  /** List storage providers. GET /orgs/{organization}/storage-providers */
  list(organization: string, query: { 'filter[provider]'?: string; sort?: StorageListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<StorageProvider> {
    return new List<StorageProvider>(this.core, { method: 'GET', path: '/orgs/{organization}/storage-providers', values: [organization], query, options });
  }
  /** Get a storage provider. GET /orgs/{organization}/storage-providers/{storageConfiguration} */
  get(organization: string, storageConfiguration: string, options: CallOptions = {}): Promise<Answer<StorageProvider>> {
    return this.core.one<StorageProvider>({ method: 'GET', path: '/orgs/{organization}/storage-providers/{storageConfiguration}', values: [organization, storageConfiguration], options });
  }
  /**
   * Update a storage provider. The storage is tested before it is saved: an object is written, read and deleted in the
   * bucket; without a bucket, only the keys are tested. It begins work, which wait() of the answer waits for. PUT
   * /orgs/{organization}/storage-providers/{storageConfiguration}
   */
  update(organization: string, storageConfiguration: string, body: UpdateStorageConfigurationRequest, options: CallOptions = {}): Promise<Answer<StorageProvider>> {
    return this.core.one<StorageProvider>({ method: 'PUT', path: '/orgs/{organization}/storage-providers/{storageConfiguration}', values: [organization, storageConfiguration], body, options });
  }
}

/** TeamCredentialsCalls are what can be done with team credentials. */
export class TeamCredentialsCalls {
  constructor(private core: Core) {}
  /**
   * Share a server credential with a team. It is then available only to the members of its teams, with their roles
   * there, and to those who manage the organization. POST /orgs/{organization}/teams/{team}/server-credentials
   */
  create(organization: string, team: string, body: ShareCredentialRequest, options: CallOptions = {}): Promise<Answer<ServerCredential>> {
    return this.core.one<ServerCredential>({ method: 'POST', path: '/orgs/{organization}/teams/{team}/server-credentials', values: [organization, team], body, options });
  }
  /**
   * Stop sharing a server credential with a team. DELETE
   * /orgs/{organization}/teams/{team}/server-credentials/{credential}
   */
  delete(organization: string, team: string, credential: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/teams/{team}/server-credentials/{credential}', values: [organization, team, credential], options });
  }
  /**
   * List the server credentials shared with a team. Lists only those that the caller can see. For an organization
   * member outside the team, the list can be empty. GET /orgs/{organization}/teams/{team}/server-credentials
   */
  list(organization: string, team: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<ServerCredential> {
    return new List<ServerCredential>(this.core, { method: 'GET', path: '/orgs/{organization}/teams/{team}/server-credentials', values: [organization, team], query, options });
  }
}

/** TeamInvitesCalls are what can be done with team invites. */
export class TeamInvitesCalls {
  constructor(private core: Core) {}
  /**
   * Invite a person to a team. The invitation is for this address only, works once and expires after 7 days. Inviting
   * again replaces it. meta.delivery says how the link is delivered. Without a mail server the link is in
   * meta.shown_once.url, to be handed on. It begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/teams/{team}/invites
   */
  create(organization: string, team: string, body: CreateTeamInviteRequest, options: CallOptions = {}): Promise<Answer<TeamInvitation, Included>> {
    return this.core.one<TeamInvitation, Included>({ method: 'POST', path: '/orgs/{organization}/teams/{team}/invites', values: [organization, team], body, options });
  }
  /** Cancel an invitation to a team. DELETE /orgs/{organization}/teams/{team}/invites/{invitation} */
  delete(organization: string, team: string, invitation: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/teams/{team}/invites/{invitation}', values: [organization, team, invitation], options });
  }
  /** List the open invitations to a team. GET /orgs/{organization}/teams/{team}/invites */
  list(organization: string, team: string, query: { include?: InvitesListInclude[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<TeamInvitation, Included> {
    return new List<TeamInvitation, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/teams/{team}/invites', values: [organization, team], query, options });
  }
  /** Get an invitation to a team. GET /orgs/{organization}/teams/{team}/invites/{invitation} */
  get(organization: string, team: string, invitation: string, query: { include?: InvitesListInclude[] } = {}, options: CallOptions = {}): Promise<Answer<TeamInvitation, Included>> {
    return this.core.one<TeamInvitation, Included>({ method: 'GET', path: '/orgs/{organization}/teams/{team}/invites/{invitation}', values: [organization, team, invitation], query, options });
  }
}

/** TeamMembersCalls are what can be done with team members. */
export class TeamMembersCalls {
  constructor(private core: Core) {}
  /** Remove a member from a team. DELETE /orgs/{organization}/teams/{team}/members/{user} */
  delete(organization: string, team: string, user: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/teams/{team}/members/{user}', values: [organization, team, user], options });
  }
  /** List the members of a team. GET /orgs/{organization}/teams/{team}/members */
  list(organization: string, team: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Membership, Included> {
    return new List<Membership, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/teams/{team}/members', values: [organization, team], query, options });
  }
  /** Get a member of a team. GET /orgs/{organization}/teams/{team}/members/{user} */
  get(organization: string, team: string, user: string, options: CallOptions = {}): Promise<Answer<Membership, Included>> {
    return this.core.one<Membership, Included>({ method: 'GET', path: '/orgs/{organization}/teams/{team}/members/{user}', values: [organization, team, user], options });
  }
  /** Change the role of a member of a team. PUT /orgs/{organization}/teams/{team}/members/{user} */
  update(organization: string, team: string, user: string, body: UpdateTeamMemberRequest, options: CallOptions = {}): Promise<Answer<Membership, Included>> {
    return this.core.one<Membership, Included>({ method: 'PUT', path: '/orgs/{organization}/teams/{team}/members/{user}', values: [organization, team, user], body, options });
  }
}

/** TeamRecipesCalls are what can be done with team recipes. */
export class TeamRecipesCalls {
  constructor(private core: Core) {}
  /**
   * Share a recipe with a team. It is then available only to the members of its teams, with their roles there, and to
   * those who manage the organization. POST /orgs/{organization}/teams/{team}/recipes
   */
  create(organization: string, team: string, body: ShareRecipeRequest, options: CallOptions = {}): Promise<Answer<Recipe>> {
    return this.core.one<Recipe>({ method: 'POST', path: '/orgs/{organization}/teams/{team}/recipes', values: [organization, team], body, options });
  }
  /** Stop sharing a recipe with a team. DELETE /orgs/{organization}/teams/{team}/recipes/{recipe} */
  delete(organization: string, team: string, recipe: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/teams/{team}/recipes/{recipe}', values: [organization, team, recipe], options });
  }
  /**
   * List the recipes shared with a team. Lists only those that the caller can see. For an organization member outside
   * the team, the list can be empty. GET /orgs/{organization}/teams/{team}/recipes
   */
  list(organization: string, team: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Recipe> {
    return new List<Recipe>(this.core, { method: 'GET', path: '/orgs/{organization}/teams/{team}/recipes', values: [organization, team], query, options });
  }
}

/** TeamServersCalls are what can be done with team servers. */
export class TeamServersCalls {
  constructor(private core: Core) {}
  /**
   * Share a server with a team. It is then available only to the members of its teams, with their roles there, and to
   * those who manage the organization. POST /orgs/{organization}/teams/{team}/servers
   */
  create(organization: string, team: string, body: ShareServerRequest, options: CallOptions = {}): Promise<Answer<Server, Included>> {
    return this.core.one<Server, Included>({ method: 'POST', path: '/orgs/{organization}/teams/{team}/servers', values: [organization, team], body, options });
  }
  /** Stop sharing a server with a team. DELETE /orgs/{organization}/teams/{team}/servers/{server} */
  delete(organization: string, team: string, server: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/teams/{team}/servers/{server}', values: [organization, team, server], options });
  }
  /**
   * List the servers shared with a team. Lists only those that the caller can see. For an organization member outside
   * the team, the list can be empty. GET /orgs/{organization}/teams/{team}/servers
   */
  list(organization: string, team: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Server, Included> {
    return new List<Server, Included>(this.core, { method: 'GET', path: '/orgs/{organization}/teams/{team}/servers', values: [organization, team], query, options });
  }
}

/** TeamsCalls are what can be done with teams. */
export class TeamsCalls {
  constructor(private core: Core) {}
  /**
   * Create a team. Without a mail server, the links of the invitations are in meta.shown_once.invitations, to be
   * handed on. POST /orgs/{organization}/teams
   */
  create(organization: string, body: CreateTeamRequest, options: CallOptions = {}): Promise<Answer<Team>> {
    return this.core.one<Team>({ method: 'POST', path: '/orgs/{organization}/teams', values: [organization], body, options });
  }
  /**
   * Delete a team. Resources that were shared only with this team become available to the whole organization again.
   * DELETE /orgs/{organization}/teams/{team}
   */
  delete(organization: string, team: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/teams/{team}', values: [organization, team], options });
  }
  /** List teams. GET /orgs/{organization}/teams */
  list(organization: string, query: { 'page[size]'?: number } = {}, options: CallOptions = {}): List<Team> {
    return new List<Team>(this.core, { method: 'GET', path: '/orgs/{organization}/teams', values: [organization], query, options });
  }
  /** Get a team. GET /orgs/{organization}/teams/{team} */
  get(organization: string, team: string, options: CallOptions = {}): Promise<Answer<Team>> {
    return this.core.one<Team>({ method: 'GET', path: '/orgs/{organization}/teams/{team}', values: [organization, team], options });
  }
  /** Update a team. PUT /orgs/{organization}/teams/{team} */
  update(organization: string, team: string, body: UpdateTeamRequest, options: CallOptions = {}): Promise<Answer<Team>> {
    return this.core.one<Team>({ method: 'PUT', path: '/orgs/{organization}/teams/{team}', values: [organization, team], body, options });
  }
}

/** TimezoneCalls are what can be done with timezone. */
export class TimezoneCalls {
  constructor(private core: Core) {}
  /** Get the time zone of an organization. GET /orgs/{organization}/timezone */
  get(organization: string, options: CallOptions = {}): Promise<Answer<Timezone>> {
    return this.core.one<Timezone>({ method: 'GET', path: '/orgs/{organization}/timezone', values: [organization], options });
  }
  /**
   * Set the time zone of an organization. The time zone applies to backup schedules, including existing ones. PUT
   * /orgs/{organization}/timezone
   */
  update(organization: string, body: UpdateTimezoneRequest, options: CallOptions = {}): Promise<Answer<Timezone>> {
    return this.core.one<Timezone>({ method: 'PUT', path: '/orgs/{organization}/timezone', values: [organization], body, options });
  }
}

/** VPCsCalls are what can be done with vpcs. */
export class VPCsCalls {
  constructor(private core: Core) {}
  /**
   * Create a private network. The range is chosen by the provider, or is 10.0.0.0/16. At AWS the network has no
   * subnets. Names are unique within a region: if a response is lost, look for the name in the list. POST
   * /orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs
   */
  create(organization: string, credential: string, region: string, body: CreateServerProviderNetworkRequest, options: CallOptions = {}): Promise<Answer<Vpc>> {
    return this.core.one<Vpc>({ method: 'POST', path: '/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs', values: [organization, credential, region], body, options });
  }
  /**
   * List the private networks of a region. Queries the provider, for at most half a minute; a 409 says why it did not
   * succeed. GET /orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs
   */
  list(organization: string, credential: string, region: string, options: CallOptions = {}): Promise<Answer<Vpc[]>> {
    return this.core.one<Vpc[]>({ method: 'GET', path: '/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs', values: [organization, credential, region], options });
  }
  /**
   * Get a private network. Queries the provider, for at most half a minute; a 409 says why it did not succeed. GET
   * /orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs/{vpcId}
   */
  get(organization: string, credential: string, region: string, vpcId: string, options: CallOptions = {}): Promise<Answer<Vpc>> {
    return this.core.one<Vpc>({ method: 'GET', path: '/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs/{vpcId}', values: [organization, credential, region, vpcId], options });
  }
}

/** WebhookDeliveriesCalls are what can be done with webhook deliveries. */
export class WebhookDeliveriesCalls {
  constructor(private core: Core) {}
  /**
   * List a webhook's deliveries. Shows each request, its response and when it is retried. Deliveries are kept for 30
   * days. GET /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries
   */
  list(organization: string, server: string, site: string, deploymentWebhook: string, query: { 'filter[state]'?: string; 'filter[event]'?: string; sort?: AuditListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<Delivery> {
    return new List<Delivery>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries', values: [organization, server, site, deploymentWebhook], query, options });
  }
  /**
   * Resend a delivery. Creates a new delivery of the same message, with the same message id and a new signature. It
   * begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}/redeliver
   */
  redeliver(organization: string, server: string, site: string, deploymentWebhook: string, delivery: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.core.one<Delivery>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}/redeliver', values: [organization, server, site, deploymentWebhook, delivery], options });
  }
  /**
   * Get a delivery of a webhook. GET
   * /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}
   */
  get(organization: string, server: string, site: string, deploymentWebhook: string, delivery: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.core.one<Delivery>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries/{delivery}', values: [organization, server, site, deploymentWebhook, delivery], options });
  }
}

/** WebhookSecretCalls are what can be done with webhook secret. */
export class WebhookSecretCalls {
  constructor(private core: Core) {}
  /**
   * Regenerate a webhook's secret. The old secret stops working immediately. The new one is in meta.shown_once.secret
   * and is shown only once. PUT /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/secret
   */
  update(organization: string, server: string, site: string, deploymentWebhook: string, options: CallOptions = {}): Promise<Answer<DeploymentWebhook>> {
    return this.core.one<DeploymentWebhook>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/secret', values: [organization, server, site, deploymentWebhook], options });
  }
}

/** WebhooksCalls are what can be done with webhooks. */
export class WebhooksCalls {
  constructor(private core: Core) {}
  /**
   * Add a webhook. A webhook is called at the end of each deployment, with {status, server, site, commit_hash,
   * commit_url, commit_author, commit_message, deployment}; status is success or failed. Messages are signed according
   * to Standard Webhooks with the secret in meta.shown_once.secret: webhook-signature is v1 and the HMAC-SHA256 of
   * webhook-id, webhook-timestamp and the body. Deliveries are retried for almost a day until the response is 2xx. It
   * begins work, which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/webhooks
   */
  create(organization: string, server: string, site: string, body: CreateDeploymentWebhookRequest, options: CallOptions = {}): Promise<Answer<DeploymentWebhook>> {
    return this.core.one<DeploymentWebhook>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks', values: [organization, server, site], body, options });
  }
  /**
   * Delete a webhook. Pending deliveries are discarded. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}
   */
  delete(organization: string, server: string, site: string, deploymentWebhook: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}', values: [organization, server, site, deploymentWebhook], options });
  }
  /** List a site's webhooks. GET /orgs/{organization}/servers/{server}/sites/{site}/webhooks */
  list(organization: string, server: string, site: string, query: { sort?: EventsListSort[]; 'page[size]'?: number } = {}, options: CallOptions = {}): List<DeploymentWebhook> {
    return new List<DeploymentWebhook>(this.core, { method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks', values: [organization, server, site], query, options });
  }
  /** Get a webhook. GET /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook} */
  get(organization: string, server: string, site: string, deploymentWebhook: string, options: CallOptions = {}): Promise<Answer<DeploymentWebhook>> {
    return this.core.one<DeploymentWebhook>({ method: 'GET', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}', values: [organization, server, site, deploymentWebhook], options });
  }
  /**
   * Send a test message to a webhook. Sends the event test, with the status success and no commit. It begins work,
   * which wait() of the answer waits for. POST
   * /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries
   */
  test(organization: string, server: string, site: string, deploymentWebhook: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.core.one<Delivery>({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries', values: [organization, server, site, deploymentWebhook], options });
  }
  /**
   * Change a webhook. The secret, and the record of deliveries, stay. PUT
   * /orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}
   */
  update(organization: string, server: string, site: string, deploymentWebhook: string, body: UpdateDeploymentWebhookRequest, options: CallOptions = {}): Promise<Answer<DeploymentWebhook>> {
    return this.core.one<DeploymentWebhook>({ method: 'PUT', path: '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}', values: [organization, server, site, deploymentWebhook], body, options });
  }
}

/** ZeroDowntimeCalls are what can be done with zero downtime. */
export class ZeroDowntimeCalls {
  constructor(private core: Core) {}
  /**
   * Deploy a site in place. The files of the live release are copied to the site's directory first. The releases stay
   * on the server. It begins work, which wait() of the answer waits for. DELETE
   * /orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime
   */
  disable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'DELETE', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime', values: [organization, server, site], options });
  }
  /**
   * Deploy a site with releases. The site's files become its first release, and also stay where they are; what is
   * served does not change. If anything fails, the site is deployed in place as before. It begins work, which wait()
   * of the answer waits for. POST /orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime
   */
  enable(organization: string, server: string, site: string, options: CallOptions = {}): Promise<Work> {
    return this.core.send({ method: 'POST', path: '/orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime', values: [organization, server, site], options });
  }
}

/** Hostler calls one installation. Its members are the nouns of the API. */
export class Hostler {
  private core: Core;
  readonly accessLog: AccessLogCalls;
  readonly account: AccountCalls;
  readonly applicationLog: ApplicationLogCalls;
  readonly archives: ArchivesCalls;
  readonly attention: AttentionCalls;
  readonly audit: AuditCalls;
  readonly backupConfigurations: BackupConfigurationsCalls;
  readonly backupKeys: BackupKeysCalls;
  readonly backupRuns: BackupRunsCalls;
  readonly backups: BackupsCalls;
  readonly certificates: CertificatesCalls;
  readonly checklist: ChecklistCalls;
  readonly commands: CommandsCalls;
  readonly composerCredentials: ComposerCredentialsCalls;
  readonly credentialSizes: CredentialSizesCalls;
  readonly credentials: CredentialsCalls;
  readonly databaseUsers: DatabaseUsersCalls;
  readonly databases: DatabasesCalls;
  readonly deployHook: DeployHookCalls;
  readonly deployKey: DeployKeyCalls;
  readonly deployScript: DeployScriptCalls;
  readonly deployStatus: DeployStatusCalls;
  readonly deployments: DeploymentsCalls;
  readonly dnsProviders: DNSProvidersCalls;
  readonly dnsRecords: DNSRecordsCalls;
  readonly domainNginx: DomainNginxCalls;
  readonly domains: DomainsCalls;
  readonly drift: DriftCalls;
  readonly environment: EnvironmentCalls;
  readonly environmentVersions: EnvironmentVersionsCalls;
  readonly errorLog: ErrorLogCalls;
  readonly events: EventsCalls;
  readonly files: FilesCalls;
  readonly firewall: FirewallCalls;
  readonly git: GitCalls;
  readonly healthcheck: HealthcheckCalls;
  readonly heartbeats: HeartbeatsCalls;
  readonly horizon: HorizonCalls;
  readonly hostKeys: HostKeysCalls;
  readonly inertia: InertiaCalls;
  readonly invites: InvitesCalls;
  readonly maintenance: MaintenanceCalls;
  readonly members: MembersCalls;
  readonly monitors: MonitorsCalls;
  readonly network: NetworkCalls;
  readonly nginxTemplates: NginxTemplatesCalls;
  readonly nodes: NodesCalls;
  readonly notificationDeliveries: NotificationDeliveriesCalls;
  readonly notifications: NotificationsCalls;
  readonly npmCredentials: NPMCredentialsCalls;
  readonly oauthClients: OauthClientsCalls;
  readonly octane: OctaneCalls;
  readonly orgs: OrgsCalls;
  readonly permissions: PermissionsCalls;
  readonly php: PHPCalls;
  readonly phpCliConfig: PHPCliConfigCalls;
  readonly phpCliVersion: PHPCliVersionCalls;
  readonly phpFpmConfig: PHPFpmConfigCalls;
  readonly phpMaxExecutionTime: PHPMaxExecutionTimeCalls;
  readonly phpMaxUploadSize: PHPMaxUploadSizeCalls;
  readonly phpOpcache: PHPOpcacheCalls;
  readonly phpPoolConfig: PHPPoolConfigCalls;
  readonly phpSiteVersion: PHPSiteVersionCalls;
  readonly predefinedRoles: PredefinedRolesCalls;
  readonly processes: ProcessesCalls;
  readonly providers: ProvidersCalls;
  readonly pulse: PulseCalls;
  readonly pushToDeploy: PushToDeployCalls;
  readonly pushes: PushesCalls;
  readonly rateLimit: RateLimitCalls;
  readonly recipeRuns: RecipeRunsCalls;
  readonly recipes: RecipesCalls;
  readonly redirects: RedirectsCalls;
  readonly regionSizes: RegionSizesCalls;
  readonly regions: RegionsCalls;
  readonly repositoryCheck: RepositoryCheckCalls;
  readonly retention: RetentionCalls;
  readonly reverb: ReverbCalls;
  readonly rolePermissions: RolePermissionsCalls;
  readonly roles: RolesCalls;
  readonly scheduledJobs: ScheduledJobsCalls;
  readonly scheduler: SchedulerCalls;
  readonly securityRules: SecurityRulesCalls;
  readonly serverDeployments: ServerDeploymentsCalls;
  readonly serverKey: ServerKeyCalls;
  readonly serverLogs: ServerLogsCalls;
  readonly serverMetrics: ServerMetricsCalls;
  readonly serverSSHKeys: ServerSSHKeysCalls;
  readonly servers: ServersCalls;
  readonly services: ServicesCalls;
  readonly sftpUsers: SftpUsersCalls;
  readonly shippedRecipeRuns: ShippedRecipeRunsCalls;
  readonly shippedRecipes: ShippedRecipesCalls;
  readonly siteCertificates: SiteCertificatesCalls;
  readonly siteMetrics: SiteMetricsCalls;
  readonly siteNginx: SiteNginxCalls;
  readonly siteScheduledJobs: SiteScheduledJobsCalls;
  readonly siteSourceControl: SiteSourceControlCalls;
  readonly sites: SitesCalls;
  readonly sizes: SizesCalls;
  readonly sourceControl: SourceControlCalls;
  readonly sshKeys: SSHKeysCalls;
  readonly storage: StorageCalls;
  readonly teamCredentials: TeamCredentialsCalls;
  readonly teamInvites: TeamInvitesCalls;
  readonly teamMembers: TeamMembersCalls;
  readonly teamRecipes: TeamRecipesCalls;
  readonly teamServers: TeamServersCalls;
  readonly teams: TeamsCalls;
  readonly timezone: TimezoneCalls;
  readonly vpcs: VPCsCalls;
  readonly webhookDeliveries: WebhookDeliveriesCalls;
  readonly webhookSecret: WebhookSecretCalls;
  readonly webhooks: WebhooksCalls;
  readonly zeroDowntime: ZeroDowntimeCalls;

  constructor(options: Options) {
    this.core = new Core(options);
    this.accessLog = new AccessLogCalls(this.core);
    this.account = new AccountCalls(this.core);
    this.applicationLog = new ApplicationLogCalls(this.core);
    this.archives = new ArchivesCalls(this.core);
    this.attention = new AttentionCalls(this.core);
    this.audit = new AuditCalls(this.core);
    this.backupConfigurations = new BackupConfigurationsCalls(this.core);
    this.backupKeys = new BackupKeysCalls(this.core);
    this.backupRuns = new BackupRunsCalls(this.core);
    this.backups = new BackupsCalls(this.core);
    this.certificates = new CertificatesCalls(this.core);
    this.checklist = new ChecklistCalls(this.core);
    this.commands = new CommandsCalls(this.core);
    this.composerCredentials = new ComposerCredentialsCalls(this.core);
    this.credentialSizes = new CredentialSizesCalls(this.core);
    this.credentials = new CredentialsCalls(this.core);
    this.databaseUsers = new DatabaseUsersCalls(this.core);
    this.databases = new DatabasesCalls(this.core);
    this.deployHook = new DeployHookCalls(this.core);
    this.deployKey = new DeployKeyCalls(this.core);
    this.deployScript = new DeployScriptCalls(this.core);
    this.deployStatus = new DeployStatusCalls(this.core);
    this.deployments = new DeploymentsCalls(this.core);
    this.dnsProviders = new DNSProvidersCalls(this.core);
    this.dnsRecords = new DNSRecordsCalls(this.core);
    this.domainNginx = new DomainNginxCalls(this.core);
    this.domains = new DomainsCalls(this.core);
    this.drift = new DriftCalls(this.core);
    this.environment = new EnvironmentCalls(this.core);
    this.environmentVersions = new EnvironmentVersionsCalls(this.core);
    this.errorLog = new ErrorLogCalls(this.core);
    this.events = new EventsCalls(this.core);
    this.files = new FilesCalls(this.core);
    this.firewall = new FirewallCalls(this.core);
    this.git = new GitCalls(this.core);
    this.healthcheck = new HealthcheckCalls(this.core);
    this.heartbeats = new HeartbeatsCalls(this.core);
    this.horizon = new HorizonCalls(this.core);
    this.hostKeys = new HostKeysCalls(this.core);
    this.inertia = new InertiaCalls(this.core);
    this.invites = new InvitesCalls(this.core);
    this.maintenance = new MaintenanceCalls(this.core);
    this.members = new MembersCalls(this.core);
    this.monitors = new MonitorsCalls(this.core);
    this.network = new NetworkCalls(this.core);
    this.nginxTemplates = new NginxTemplatesCalls(this.core);
    this.nodes = new NodesCalls(this.core);
    this.notificationDeliveries = new NotificationDeliveriesCalls(this.core);
    this.notifications = new NotificationsCalls(this.core);
    this.npmCredentials = new NPMCredentialsCalls(this.core);
    this.oauthClients = new OauthClientsCalls(this.core);
    this.octane = new OctaneCalls(this.core);
    this.orgs = new OrgsCalls(this.core);
    this.permissions = new PermissionsCalls(this.core);
    this.php = new PHPCalls(this.core);
    this.phpCliConfig = new PHPCliConfigCalls(this.core);
    this.phpCliVersion = new PHPCliVersionCalls(this.core);
    this.phpFpmConfig = new PHPFpmConfigCalls(this.core);
    this.phpMaxExecutionTime = new PHPMaxExecutionTimeCalls(this.core);
    this.phpMaxUploadSize = new PHPMaxUploadSizeCalls(this.core);
    this.phpOpcache = new PHPOpcacheCalls(this.core);
    this.phpPoolConfig = new PHPPoolConfigCalls(this.core);
    this.phpSiteVersion = new PHPSiteVersionCalls(this.core);
    this.predefinedRoles = new PredefinedRolesCalls(this.core);
    this.processes = new ProcessesCalls(this.core);
    this.providers = new ProvidersCalls(this.core);
    this.pulse = new PulseCalls(this.core);
    this.pushToDeploy = new PushToDeployCalls(this.core);
    this.pushes = new PushesCalls(this.core);
    this.rateLimit = new RateLimitCalls(this.core);
    this.recipeRuns = new RecipeRunsCalls(this.core);
    this.recipes = new RecipesCalls(this.core);
    this.redirects = new RedirectsCalls(this.core);
    this.regionSizes = new RegionSizesCalls(this.core);
    this.regions = new RegionsCalls(this.core);
    this.repositoryCheck = new RepositoryCheckCalls(this.core);
    this.retention = new RetentionCalls(this.core);
    this.reverb = new ReverbCalls(this.core);
    this.rolePermissions = new RolePermissionsCalls(this.core);
    this.roles = new RolesCalls(this.core);
    this.scheduledJobs = new ScheduledJobsCalls(this.core);
    this.scheduler = new SchedulerCalls(this.core);
    this.securityRules = new SecurityRulesCalls(this.core);
    this.serverDeployments = new ServerDeploymentsCalls(this.core);
    this.serverKey = new ServerKeyCalls(this.core);
    this.serverLogs = new ServerLogsCalls(this.core);
    this.serverMetrics = new ServerMetricsCalls(this.core);
    this.serverSSHKeys = new ServerSSHKeysCalls(this.core);
    this.servers = new ServersCalls(this.core);
    this.services = new ServicesCalls(this.core);
    this.sftpUsers = new SftpUsersCalls(this.core);
    this.shippedRecipeRuns = new ShippedRecipeRunsCalls(this.core);
    this.shippedRecipes = new ShippedRecipesCalls(this.core);
    this.siteCertificates = new SiteCertificatesCalls(this.core);
    this.siteMetrics = new SiteMetricsCalls(this.core);
    this.siteNginx = new SiteNginxCalls(this.core);
    this.siteScheduledJobs = new SiteScheduledJobsCalls(this.core);
    this.siteSourceControl = new SiteSourceControlCalls(this.core);
    this.sites = new SitesCalls(this.core);
    this.sizes = new SizesCalls(this.core);
    this.sourceControl = new SourceControlCalls(this.core);
    this.sshKeys = new SSHKeysCalls(this.core);
    this.storage = new StorageCalls(this.core);
    this.teamCredentials = new TeamCredentialsCalls(this.core);
    this.teamInvites = new TeamInvitesCalls(this.core);
    this.teamMembers = new TeamMembersCalls(this.core);
    this.teamRecipes = new TeamRecipesCalls(this.core);
    this.teamServers = new TeamServersCalls(this.core);
    this.teams = new TeamsCalls(this.core);
    this.timezone = new TimezoneCalls(this.core);
    this.vpcs = new VPCsCalls(this.core);
    this.webhookDeliveries = new WebhookDeliveriesCalls(this.core);
    this.webhookSecret = new WebhookSecretCalls(this.core);
    this.webhooks = new WebhooksCalls(this.core);
    this.zeroDowntime = new ZeroDowntimeCalls(this.core);
  }

  /** wait waits for the work of an event, and gives its output to said as it comes. */
  wait(organization: string, event: string, said?: (text: string) => void, options?: CallOptions): Promise<void> {
    return this.core.wait(organization, event, said, options);
  }
}
