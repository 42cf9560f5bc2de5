// Code generated from the API's description by make generate. DO NOT EDIT.

package hostler

// What is wrong with a field. More codes may come; CodeInvalid is what none of them says.
const (
	CodeInvalid   Code = "invalid"
	CodeRequired  Code = "required"
	CodeTaken     Code = "taken"
	CodeHostKey   Code = "host_key"
	CodeAtLine    Code = "at_line"
	CodeBoolean   Code = "boolean"
	CodeInteger   Code = "integer"
	CodeNumber    Code = "number"
	CodeText      Code = "text"
	CodeList      Code = "list"
	CodeObject    Code = "object"
	CodeOneOf     Code = "one_of"
	CodeLeast     Code = "least"
	CodeMost      Code = "most"
	CodeShortest  Code = "shortest"
	CodeLongest   Code = "longest"
	CodeFewest    Code = "fewest"
	CodeMostItems Code = "most_items"
	CodePattern   Code = "pattern"
	CodeFormat    Code = "format"
	CodeOneLine   Code = "one_line"
	CodeNul       Code = "nul"
	CodeDuplicate Code = "duplicate"
)

// Algorithm is a text with known values. More may come.
type Algorithm string

const (
	AlgorithmHmacSha256 Algorithm = "hmac-sha256"
	AlgorithmHmacSha384 Algorithm = "hmac-sha384"
	AlgorithmHmacSha512 Algorithm = "hmac-sha512"
)

// ApplicationPackageManager is a text with known values. More may come.
type ApplicationPackageManager string

const (
	ApplicationPackageManagerNPM  ApplicationPackageManager = "npm"
	ApplicationPackageManagerPnpm ApplicationPackageManager = "pnpm"
	ApplicationPackageManagerYarn ApplicationPackageManager = "yarn"
	ApplicationPackageManagerBun  ApplicationPackageManager = "bun"
)

// AttentionKind is a text with known values. More may come.
type AttentionKind string

const (
	AttentionKindPanelDiskFull        AttentionKind = "panel-disk-full"
	AttentionKindPanelCertificate     AttentionKind = "panel-certificate"
	AttentionKindPanelOpen            AttentionKind = "panel-open"
	AttentionKindPanelBackup          AttentionKind = "panel-backup"
	AttentionKindServerHostKeyChanged AttentionKind = "server-host-key-changed"
	AttentionKindServerUnreachable    AttentionKind = "server-unreachable"
	AttentionKindServerHandedOver     AttentionKind = "server-handed-over"
	AttentionKindServerFailed         AttentionKind = "server-failed"
	AttentionKindDiskFull             AttentionKind = "disk-full"
	AttentionKindServerOutOfMemory    AttentionKind = "server-out-of-memory"
	AttentionKindClockApart           AttentionKind = "clock-apart"
	AttentionKindMemoryLost           AttentionKind = "memory-lost"
	AttentionKindWorkStalled          AttentionKind = "work-stalled"
	AttentionKindSiteFailed           AttentionKind = "site-failed"
	AttentionKindSiteLimitReached     AttentionKind = "site-limit-reached"
	AttentionKindDeploymentFailed     AttentionKind = "deployment-failed"
	AttentionKindDNSRecords           AttentionKind = "dns-records"
	AttentionKindCertificateFailing   AttentionKind = "certificate-failing"
	AttentionKindSiteSharesAccount    AttentionKind = "site-shares-account"
	AttentionKindHookKnown            AttentionKind = "hook-known"
	AttentionKindMailFailed           AttentionKind = "mail-failed"
	AttentionKindRecipientWaiting     AttentionKind = "recipient-waiting"
	AttentionKindBackupAlarm          AttentionKind = "backup-alarm"
	AttentionKindHeartbeatMissing     AttentionKind = "heartbeat-missing"
	AttentionKindMonitorAlert         AttentionKind = "monitor-alert"
	AttentionKindInputMisread         AttentionKind = "input-misread"
	AttentionKindJobNotStarted        AttentionKind = "job-not-started"
	AttentionKindNothingServed        AttentionKind = "nothing-served"
	AttentionKindNginxRefused         AttentionKind = "nginx-refused"
	AttentionKindCertificateEnding    AttentionKind = "certificate-ending"
	AttentionKindFilesChanged         AttentionKind = "files-changed"
	AttentionKindDrift                AttentionKind = "drift"
	AttentionKindServerOutdated       AttentionKind = "server-outdated"
	AttentionKindBackupUnproven       AttentionKind = "backup-unproven"
	AttentionKindRestartNeeded        AttentionKind = "restart-needed"
	AttentionKindRebootNeeded         AttentionKind = "reboot-needed"
	AttentionKindServerWaiting        AttentionKind = "server-waiting"
	AttentionKindPanelUpdate          AttentionKind = "panel-update"
)

// AuditListSort is a text with known values. More may come.
type AuditListSort string

const (
	AuditListSortCreatedAt     AuditListSort = "created_at"
	AuditListSortCreatedAtDown AuditListSort = "-created_at"
)

// BackgroundProcessActionAction is a text with known values. More may come.
type BackgroundProcessActionAction string

const (
	BackgroundProcessActionActionRestart  BackgroundProcessActionAction = "restart"
	BackgroundProcessActionActionStop     BackgroundProcessActionAction = "stop"
	BackgroundProcessActionActionStart    BackgroundProcessActionAction = "start"
	BackgroundProcessActionActionEmptyLog BackgroundProcessActionAction = "empty-log"
)

// BackgroundProcessStatus is a text with known values. More may come.
type BackgroundProcessStatus string

const (
	BackgroundProcessStatusInstalling BackgroundProcessStatus = "installing"
	BackgroundProcessStatusRemoving   BackgroundProcessStatus = "removing"
	BackgroundProcessStatusRestarting BackgroundProcessStatus = "restarting"
	BackgroundProcessStatusStarting   BackgroundProcessStatus = "starting"
	BackgroundProcessStatusStopping   BackgroundProcessStatus = "stopping"
	BackgroundProcessStatusRunning    BackgroundProcessStatus = "running"
	BackgroundProcessStatusStopped    BackgroundProcessStatus = "stopped"
	BackgroundProcessStatusFatal      BackgroundProcessStatus = "fatal"
	BackgroundProcessStatusBackoff    BackgroundProcessStatus = "backoff"
	BackgroundProcessStatusExited     BackgroundProcessStatus = "exited"
	BackgroundProcessStatusUnknown    BackgroundProcessStatus = "unknown"
)

// BackupMetaProofStatus is a text with known values. More may come.
type BackupMetaProofStatus string

const (
	BackupMetaProofStatusFinished  BackupMetaProofStatus = "finished"
	BackupMetaProofStatusFailed    BackupMetaProofStatus = "failed"
	BackupMetaProofStatusNotProven BackupMetaProofStatus = "not_proven"
)

// BackupObjectMetaKind is a text with known values. More may come.
type BackupObjectMetaKind string

const (
	BackupObjectMetaKindDatabase BackupObjectMetaKind = "database"
	BackupObjectMetaKindFiles    BackupObjectMetaKind = "files"
)

// BackupObjectMetaStatus is a text with known values. More may come.
type BackupObjectMetaStatus string

const (
	BackupObjectMetaStatusPending BackupObjectMetaStatus = "pending"
	BackupObjectMetaStatusSent    BackupObjectMetaStatus = "sent"
	BackupObjectMetaStatusStored  BackupObjectMetaStatus = "stored"
	BackupObjectMetaStatusFailed  BackupObjectMetaStatus = "failed"
)

// BackupsMetaProofStatus is a text with known values. More may come.
type BackupsMetaProofStatus string

const (
	BackupsMetaProofStatusFinished BackupsMetaProofStatus = "finished"
	BackupsMetaProofStatusFailed   BackupsMetaProofStatus = "failed"
)

// BalancerMethod is a text with known values. More may come.
type BalancerMethod string

const (
	BalancerMethodRoundRobin BalancerMethod = "round_robin"
	BalancerMethodLeastConn  BalancerMethod = "least_conn"
	BalancerMethodIPHash     BalancerMethod = "ip_hash"
)

// CauseRemedy is a text with known values. More may come.
type CauseRemedy string

const (
	CauseRemedyDeployKey    CauseRemedy = "deploy-key"
	CauseRemedyRepository   CauseRemedy = "repository"
	CauseRemedyDeployScript CauseRemedy = "deploy-script"
	CauseRemedyEnvironment  CauseRemedy = "environment"
	CauseRemedyDatabases    CauseRemedy = "databases"
	CauseRemedyPHP          CauseRemedy = "php"
	CauseRemedyRuntime      CauseRemedy = "runtime"
	CauseRemedyPackages     CauseRemedy = "packages"
	CauseRemedyStartCommand CauseRemedy = "start-command"
	CauseRemedyAgain        CauseRemedy = "again"
	CauseRemedyNone         CauseRemedy = "none"
)

// CertificateRequestStatus is a text with known values. More may come.
type CertificateRequestStatus string

const (
	CertificateRequestStatusVerifying CertificateRequestStatus = "verifying"
	CertificateRequestStatusCreating  CertificateRequestStatus = "creating"
	CertificateRequestStatusCreated   CertificateRequestStatus = "created"
)

// CertificateType is a text with known values. More may come.
type CertificateType string

const (
	CertificateTypeLetsencrypt CertificateType = "letsencrypt"
	CertificateTypeCSR         CertificateType = "csr"
	CertificateTypeExisting    CertificateType = "existing"
)

// CheckKind is a text with known values. More may come.
type CheckKind string

const (
	CheckKindConfiguration CheckKind = "configuration"
	CheckKindService       CheckKind = "service"
	CheckKindPort          CheckKind = "port"
	CheckKindSchedule      CheckKind = "schedule"
	CheckKindHTTP          CheckKind = "http"
	CheckKindConnection    CheckKind = "connection"
	CheckKindRestore       CheckKind = "restore"
)

// CommandStatus is a text with known values. More may come.
type CommandStatus string

const (
	CommandStatusWaiting  CommandStatus = "waiting"
	CommandStatusRunning  CommandStatus = "running"
	CommandStatusFinished CommandStatus = "finished"
	CommandStatusTimeout  CommandStatus = "timeout"
	CommandStatusFailed   CommandStatus = "failed"
)

// CommandsListSort is a text with known values. More may come.
type CommandsListSort string

const (
	CommandsListSortCreatedAt     CommandsListSort = "created_at"
	CommandsListSortCreatedAtDown CommandsListSort = "-created_at"
	CommandsListSortUpdatedAt     CommandsListSort = "updated_at"
	CommandsListSortUpdatedAtDown CommandsListSort = "-updated_at"
	CommandsListSortStatus        CommandsListSort = "status"
	CommandsListSortStatusDown    CommandsListSort = "-status"
)

// CreateBackupConfigurationFrequency is a text with known values. More may come.
type CreateBackupConfigurationFrequency string

const (
	CreateBackupConfigurationFrequencyHourly CreateBackupConfigurationFrequency = "hourly"
	CreateBackupConfigurationFrequencyDaily  CreateBackupConfigurationFrequency = "daily"
	CreateBackupConfigurationFrequencyWeekly CreateBackupConfigurationFrequency = "weekly"
	CreateBackupConfigurationFrequencyCustom CreateBackupConfigurationFrequency = "custom"
)

// CreateDomainCertificateType is a text with known values. More may come.
type CreateDomainCertificateType string

const (
	CreateDomainCertificateTypeLetsencrypt CreateDomainCertificateType = "letsencrypt"
	CreateDomainCertificateTypeCSR         CreateDomainCertificateType = "csr"
	CreateDomainCertificateTypeExisting    CreateDomainCertificateType = "existing"
	CreateDomainCertificateTypeClone       CreateDomainCertificateType = "clone"
)

// CreateFirewallRuleType is a text with known values. More may come.
type CreateFirewallRuleType string

const (
	CreateFirewallRuleTypeAllow CreateFirewallRuleType = "allow"
	CreateFirewallRuleTypeDeny  CreateFirewallRuleType = "deny"
)

// CreateNotificationChannelEvent is a text with known values. More may come.
type CreateNotificationChannelEvent string

const (
	CreateNotificationChannelEventDeploymentSucceeded      CreateNotificationChannelEvent = "deployment.succeeded"
	CreateNotificationChannelEventDeploymentFailed         CreateNotificationChannelEvent = "deployment.failed"
	CreateNotificationChannelEventCertificateRenewalFailed CreateNotificationChannelEvent = "certificate.renewal-failed"
	CreateNotificationChannelEventBackupFailed             CreateNotificationChannelEvent = "backup.failed"
	CreateNotificationChannelEventBackupUnproven           CreateNotificationChannelEvent = "backup.unproven"
	CreateNotificationChannelEventServerUnreachable        CreateNotificationChannelEvent = "server.unreachable"
	CreateNotificationChannelEventServerReachable          CreateNotificationChannelEvent = "server.reachable"
	CreateNotificationChannelEventDriftFound               CreateNotificationChannelEvent = "drift.found"
	CreateNotificationChannelEventHeartbeatMissing         CreateNotificationChannelEvent = "heartbeat.missing"
	CreateNotificationChannelEventHeartbeatBeating         CreateNotificationChannelEvent = "heartbeat.beating"
	CreateNotificationChannelEventMonitorAlert             CreateNotificationChannelEvent = "monitor.alert"
	CreateNotificationChannelEventMonitorRecovered         CreateNotificationChannelEvent = "monitor.recovered"
)

// CreatePhpVersionVersion is a text with known values. More may come.
type CreatePhpVersionVersion string

const (
	CreatePhpVersionVersionPhp5     CreatePhpVersionVersion = "php5"
	CreatePhpVersionVersionPhp56Old CreatePhpVersionVersion = "php56-old"
	CreatePhpVersionVersionPhp56    CreatePhpVersionVersion = "php56"
	CreatePhpVersionVersionPhp70    CreatePhpVersionVersion = "php70"
	CreatePhpVersionVersionPhp71    CreatePhpVersionVersion = "php71"
	CreatePhpVersionVersionPhp72    CreatePhpVersionVersion = "php72"
	CreatePhpVersionVersionPhp73    CreatePhpVersionVersion = "php73"
	CreatePhpVersionVersionPhp74    CreatePhpVersionVersion = "php74"
	CreatePhpVersionVersionPhp80    CreatePhpVersionVersion = "php80"
	CreatePhpVersionVersionPhp81    CreatePhpVersionVersion = "php81"
	CreatePhpVersionVersionPhp82    CreatePhpVersionVersion = "php82"
	CreatePhpVersionVersionPhp83    CreatePhpVersionVersion = "php83"
	CreatePhpVersionVersionPhp84    CreatePhpVersionVersion = "php84"
	CreatePhpVersionVersionPhp85    CreatePhpVersionVersion = "php85"
)

// CreateRecipeUser is a text with known values. More may come.
type CreateRecipeUser string

const (
	CreateRecipeUserRoot  CreateRecipeUser = "root"
	CreateRecipeUserForge CreateRecipeUser = "forge"
)

// CreateScheduledJobFrequency is a text with known values. More may come.
type CreateScheduledJobFrequency string

const (
	CreateScheduledJobFrequencyMinutely CreateScheduledJobFrequency = "minutely"
	CreateScheduledJobFrequencyHourly   CreateScheduledJobFrequency = "hourly"
	CreateScheduledJobFrequencyNightly  CreateScheduledJobFrequency = "nightly"
	CreateScheduledJobFrequencyWeekly   CreateScheduledJobFrequency = "weekly"
	CreateScheduledJobFrequencyMonthly  CreateScheduledJobFrequency = "monthly"
	CreateScheduledJobFrequencyReboot   CreateScheduledJobFrequency = "reboot"
	CreateScheduledJobFrequencyCustom   CreateScheduledJobFrequency = "custom"
)

// CreateServerCredentialProvider is a text with known values. More may come.
type CreateServerCredentialProvider string

const (
	CreateServerCredentialProviderAws     CreateServerCredentialProvider = "aws"
	CreateServerCredentialProviderOcean2  CreateServerCredentialProvider = "ocean2"
	CreateServerCredentialProviderHetzner CreateServerCredentialProvider = "hetzner"
	CreateServerCredentialProviderVultr   CreateServerCredentialProvider = "vultr"
	CreateServerCredentialProviderAkamai  CreateServerCredentialProvider = "akamai"
)

// CreateServerDatabaseType is a text with known values. More may come.
type CreateServerDatabaseType string

const (
	CreateServerDatabaseTypeMysql84     CreateServerDatabaseType = "mysql84"
	CreateServerDatabaseTypeMysql9      CreateServerDatabaseType = "mysql9"
	CreateServerDatabaseTypeMariadb1011 CreateServerDatabaseType = "mariadb1011"
	CreateServerDatabaseTypeMariadb114  CreateServerDatabaseType = "mariadb114"
	CreateServerDatabaseTypePostgres14  CreateServerDatabaseType = "postgres14"
	CreateServerDatabaseTypePostgres15  CreateServerDatabaseType = "postgres15"
	CreateServerDatabaseTypePostgres16  CreateServerDatabaseType = "postgres16"
	CreateServerDatabaseTypePostgres17  CreateServerDatabaseType = "postgres17"
	CreateServerDatabaseTypePostgres18  CreateServerDatabaseType = "postgres18"
)

// CreateServerUbuntuVersion is a text with known values. More may come.
type CreateServerUbuntuVersion string

const (
	CreateServerUbuntuVersion2404 CreateServerUbuntuVersion = "24.04"
	CreateServerUbuntuVersion2604 CreateServerUbuntuVersion = "26.04"
)

// CreateSitePHPVersion is a text with known values. More may come.
type CreateSitePHPVersion string

const (
	CreateSitePHPVersionPhp5     CreateSitePHPVersion = "php5"
	CreateSitePHPVersionPhp56Old CreateSitePHPVersion = "php56-old"
	CreateSitePHPVersionPhp56    CreateSitePHPVersion = "php56"
	CreateSitePHPVersionPhp70    CreateSitePHPVersion = "php70"
	CreateSitePHPVersionPhp71    CreateSitePHPVersion = "php71"
	CreateSitePHPVersionPhp72    CreateSitePHPVersion = "php72"
	CreateSitePHPVersionPhp73    CreateSitePHPVersion = "php73"
	CreateSitePHPVersionPhp74    CreateSitePHPVersion = "php74"
	CreateSitePHPVersionPhp80    CreateSitePHPVersion = "php80"
	CreateSitePHPVersionPhp81    CreateSitePHPVersion = "php81"
	CreateSitePHPVersionPhp82    CreateSitePHPVersion = "php82"
	CreateSitePHPVersionPhp83    CreateSitePHPVersion = "php83"
	CreateSitePHPVersionPhp84    CreateSitePHPVersion = "php84"
	CreateSitePHPVersionPhp85    CreateSitePHPVersion = "php85"
)

// CreateSiteRuntime is a text with known values. More may come.
type CreateSiteRuntime string

const (
	CreateSiteRuntimeSystem CreateSiteRuntime = "system"
	CreateSiteRuntimeNode   CreateSiteRuntime = "node"
	CreateSiteRuntimeBun    CreateSiteRuntime = "bun"
	CreateSiteRuntimeDeno   CreateSiteRuntime = "deno"
	CreateSiteRuntimePython CreateSiteRuntime = "python"
	CreateSiteRuntimeRuby   CreateSiteRuntime = "ruby"
	CreateSiteRuntimeGo     CreateSiteRuntime = "go"
)

// CreateSiteType is a text with known values. More may come.
type CreateSiteType string

const (
	CreateSiteTypeLaravel    CreateSiteType = "laravel"
	CreateSiteTypeSymfony    CreateSiteType = "symfony"
	CreateSiteTypeStatamic   CreateSiteType = "statamic"
	CreateSiteTypeWordpress  CreateSiteType = "wordpress"
	CreateSiteTypePhpmyadmin CreateSiteType = "phpmyadmin"
	CreateSiteTypePHP        CreateSiteType = "php"
	CreateSiteTypeNextjs     CreateSiteType = "nextjs"
	CreateSiteTypeNuxtjs     CreateSiteType = "nuxtjs"
	CreateSiteTypeStaticHtml CreateSiteType = "static-html"
	CreateSiteTypeOther      CreateSiteType = "other"
	CreateSiteTypeCustom     CreateSiteType = "custom"
)

// DNSPlanStepAction is a text with known values. More may come.
type DNSPlanStepAction string

const (
	DNSPlanStepActionCreate DNSPlanStepAction = "create"
	DNSPlanStepActionChange DNSPlanStepAction = "change"
	DNSPlanStepActionDelete DNSPlanStepAction = "delete"
	DNSPlanStepActionKeep   DNSPlanStepAction = "keep"
	DNSPlanStepActionLeave  DNSPlanStepAction = "leave"
	DNSPlanStepActionRefuse DNSPlanStepAction = "refuse"
)

// DNSPlanStepType is a text with known values. More may come.
type DNSPlanStepType string

const (
	DNSPlanStepTypeA     DNSPlanStepType = "A"
	DNSPlanStepTypeAAAA  DNSPlanStepType = "AAAA"
	DNSPlanStepTypeCNAME DNSPlanStepType = "CNAME"
	DNSPlanStepTypeNS    DNSPlanStepType = "NS"
)

// DNSProviderProvider is a text with known values. More may come.
type DNSProviderProvider string

const (
	DNSProviderProviderRfc2136      DNSProviderProvider = "rfc2136"
	DNSProviderProviderCloudflare   DNSProviderProvider = "cloudflare"
	DNSProviderProviderDesec        DNSProviderProvider = "desec"
	DNSProviderProviderDigitalocean DNSProviderProvider = "digitalocean"
	DNSProviderProviderGandi        DNSProviderProvider = "gandi"
	DNSProviderProviderHetzner      DNSProviderProvider = "hetzner"
)

// DNSRecordState is a text with known values. More may come.
type DNSRecordState string

const (
	DNSRecordStateUnknown DNSRecordState = "unknown"
	DNSRecordStateMade    DNSRecordState = "made"
	DNSRecordStateChanged DNSRecordState = "changed"
	DNSRecordStateMissing DNSRecordState = "missing"
)

// DNSRecordType is a text with known values. More may come.
type DNSRecordType string

const (
	DNSRecordTypeA    DNSRecordType = "A"
	DNSRecordTypeAAAA DNSRecordType = "AAAA"
)

// DatabaseStatus is a text with known values. More may come.
type DatabaseStatus string

const (
	DatabaseStatusInstalling DatabaseStatus = "installing"
	DatabaseStatusInstalled  DatabaseStatus = "installed"
	DatabaseStatusRemoving   DatabaseStatus = "removing"
	DatabaseStatusFailed     DatabaseStatus = "failed"
)

// DatabaseUserStatus is a text with known values. More may come.
type DatabaseUserStatus string

const (
	DatabaseUserStatusInstalled  DatabaseUserStatus = "installed"
	DatabaseUserStatusUpdating   DatabaseUserStatus = "updating"
	DatabaseUserStatusInstalling DatabaseUserStatus = "installing"
	DatabaseUserStatusRemoving   DatabaseUserStatus = "removing"
	DatabaseUserStatusFailed     DatabaseUserStatus = "failed"
)

// DatabasesListSort is a text with known values. More may come.
type DatabasesListSort string

const (
	DatabasesListSortName          DatabasesListSort = "name"
	DatabasesListSortNameDown      DatabasesListSort = "-name"
	DatabasesListSortCreatedAt     DatabasesListSort = "created_at"
	DatabasesListSortCreatedAtDown DatabasesListSort = "-created_at"
	DatabasesListSortUpdatedAt     DatabasesListSort = "updated_at"
	DatabasesListSortUpdatedAtDown DatabasesListSort = "-updated_at"
)

// Day is a text with known values. More may come.
type Day string

const (
	Day0 Day = "0"
	Day1 Day = "1"
	Day2 Day = "2"
	Day3 Day = "3"
	Day4 Day = "4"
	Day5 Day = "5"
	Day6 Day = "6"
)

// DeliveryState is a text with known values. More may come.
type DeliveryState string

const (
	DeliveryStatePending   DeliveryState = "pending"
	DeliveryStateDelivered DeliveryState = "delivered"
	DeliveryStateFailed    DeliveryState = "failed"
)

// DeploymentStatusValue is a text with known values. More may come.
type DeploymentStatusValue string

const (
	DeploymentStatusValueCancelled   DeploymentStatusValue = "cancelled"
	DeploymentStatusValueDeploying   DeploymentStatusValue = "deploying"
	DeploymentStatusValueFailed      DeploymentStatusValue = "failed"
	DeploymentStatusValueFailedBuild DeploymentStatusValue = "failed-build"
	DeploymentStatusValueFinished    DeploymentStatusValue = "finished"
	DeploymentStatusValuePending     DeploymentStatusValue = "pending"
	DeploymentStatusValueQueued      DeploymentStatusValue = "queued"
)

// DomainActionAction is a text with known values. More may come.
type DomainActionAction string

const (
	DomainActionActionEnable        DomainActionAction = "enable"
	DomainActionActionDisable       DomainActionAction = "disable"
	DomainActionActionMarkAsPrimary DomainActionAction = "mark-as-primary"
)

// DomainCertificateActionAction is a text with known values. More may come.
type DomainCertificateActionAction string

const (
	DomainCertificateActionActionEnable  DomainCertificateActionAction = "enable"
	DomainCertificateActionActionDisable DomainCertificateActionAction = "disable"
)

// DomainDNSStatus is a text with known values. More may come.
type DomainDNSStatus string

const (
	DomainDNSStatusNone     DomainDNSStatus = "none"
	DomainDNSStatusPending  DomainDNSStatus = "pending"
	DomainDNSStatusMade     DomainDNSStatus = "made"
	DomainDNSStatusFailed   DomainDNSStatus = "failed"
	DomainDNSStatusRemoving DomainDNSStatus = "removing"
)

// DomainRecordConfigurationType is a text with known values. More may come.
type DomainRecordConfigurationType string

const (
	DomainRecordConfigurationTypeA     DomainRecordConfigurationType = "A"
	DomainRecordConfigurationTypeCNAME DomainRecordConfigurationType = "CNAME"
	DomainRecordConfigurationTypeTXT   DomainRecordConfigurationType = "TXT"
)

// DomainRecordStatus is a text with known values. More may come.
type DomainRecordStatus string

const (
	DomainRecordStatusPending    DomainRecordStatus = "pending"
	DomainRecordStatusConnecting DomainRecordStatus = "connecting"
	DomainRecordStatusEnabled    DomainRecordStatus = "enabled"
	DomainRecordStatusRemoving   DomainRecordStatus = "removing"
	DomainRecordStatusSecuring   DomainRecordStatus = "securing"
	DomainRecordStatusUpdating   DomainRecordStatus = "updating"
	DomainRecordStatusDisabling  DomainRecordStatus = "disabling"
	DomainRecordStatusDisabled   DomainRecordStatus = "disabled"
	DomainRecordStatusEnabling   DomainRecordStatus = "enabling"
)

// DomainRecordType is a text with known values. More may come.
type DomainRecordType string

const (
	DomainRecordTypePrimary DomainRecordType = "primary"
	DomainRecordTypeAlias   DomainRecordType = "alias"
)

// DomainsListFilterStatus is a text with known values. More may come.
type DomainsListFilterStatus string

const (
	DomainsListFilterStatusPending    DomainsListFilterStatus = "pending"
	DomainsListFilterStatusConnecting DomainsListFilterStatus = "connecting"
	DomainsListFilterStatusEnabled    DomainsListFilterStatus = "enabled"
	DomainsListFilterStatusRemoving   DomainsListFilterStatus = "removing"
	DomainsListFilterStatusSecuring   DomainsListFilterStatus = "securing"
	DomainsListFilterStatusUpdating   DomainsListFilterStatus = "updating"
	DomainsListFilterStatusDisabling  DomainsListFilterStatus = "disabling"
	DomainsListFilterStatusDisabled   DomainsListFilterStatus = "disabled"
	DomainsListFilterStatusEnabling   DomainsListFilterStatus = "enabling"
)

// DomainsListFilterType is a text with known values. More may come.
type DomainsListFilterType string

const (
	DomainsListFilterTypePrimary DomainsListFilterType = "primary"
	DomainsListFilterTypeAlias   DomainsListFilterType = "alias"
)

// EnableOctaneServer is a text with known values. More may come.
type EnableOctaneServer string

const (
	EnableOctaneServerSwoole     EnableOctaneServer = "swoole"
	EnableOctaneServerRoadrunner EnableOctaneServer = "roadrunner"
	EnableOctaneServerFrankenphp EnableOctaneServer = "frankenphp"
)

// EnvironmentVersionStatus is a text with known values. More may come.
type EnvironmentVersionStatus string

const (
	EnvironmentVersionStatusWriting EnvironmentVersionStatus = "writing"
	EnvironmentVersionStatusWritten EnvironmentVersionStatus = "written"
	EnvironmentVersionStatusFailed  EnvironmentVersionStatus = "failed"
)

// EventsListInclude is a text with known values. More may come.
type EventsListInclude string

const (
	EventsListIncludeInitiator       EventsListInclude = "initiator"
	EventsListIncludeInitiatorCount  EventsListInclude = "initiatorCount"
	EventsListIncludeInitiatorExists EventsListInclude = "initiatorExists"
	EventsListIncludeSite            EventsListInclude = "site"
	EventsListIncludeSiteCount       EventsListInclude = "siteCount"
	EventsListIncludeSiteExists      EventsListInclude = "siteExists"
)

// EventsListSort is a text with known values. More may come.
type EventsListSort string

const (
	EventsListSortCreatedAt     EventsListSort = "created_at"
	EventsListSortCreatedAtDown EventsListSort = "-created_at"
	EventsListSortUpdatedAt     EventsListSort = "updated_at"
	EventsListSortUpdatedAtDown EventsListSort = "-updated_at"
)

// FileKind is a text with known values. More may come.
type FileKind string

const (
	FileKindFile      FileKind = "file"
	FileKindDirectory FileKind = "directory"
	FileKindLink      FileKind = "link"
	FileKindOther     FileKind = "other"
)

// FileLeadsTo is a text with known values. More may come.
type FileLeadsTo string

const (
	FileLeadsToFile      FileLeadsTo = "file"
	FileLeadsToDirectory FileLeadsTo = "directory"
	FileLeadsToOther     FileLeadsTo = "other"
	FileLeadsToOutside   FileLeadsTo = "outside"
	FileLeadsToMissing   FileLeadsTo = "missing"
)

// FileMetaDeployment is a text with known values. More may come.
type FileMetaDeployment string

const (
	FileMetaDeploymentKept       FileMetaDeployment = "kept"
	FileMetaDeploymentRelease    FileMetaDeployment = "release"
	FileMetaDeploymentRepository FileMetaDeployment = "repository"
)

// FileMetaManagedBy is a text with known values. More may come.
type FileMetaManagedBy string

const (
	FileMetaManagedByEnvironment FileMetaManagedBy = "environment"
)

// FilterState is a text with known values. More may come.
type FilterState string

const (
	FilterStatePending   FilterState = "pending"
	FilterStateRunning   FilterState = "running"
	FilterStateSucceeded FilterState = "succeeded"
	FilterStateFailed    FilterState = "failed"
	FilterStateCancelled FilterState = "cancelled"
)

// HeartbeatStatus is a text with known values. More may come.
type HeartbeatStatus string

const (
	HeartbeatStatusPending HeartbeatStatus = "pending"
	HeartbeatStatusBeating HeartbeatStatus = "beating"
	HeartbeatStatusMissing HeartbeatStatus = "missing"
)

// ImportRedirectsMode is a text with known values. More may come.
type ImportRedirectsMode string

const (
	ImportRedirectsModeAppend  ImportRedirectsMode = "append"
	ImportRedirectsModeReplace ImportRedirectsMode = "replace"
)

// InvitesListInclude is a text with known values. More may come.
type InvitesListInclude string

const (
	InvitesListIncludeRole               InvitesListInclude = "role"
	InvitesListIncludeRoleCount          InvitesListInclude = "roleCount"
	InvitesListIncludeRoleExists         InvitesListInclude = "roleExists"
	InvitesListIncludeTeam               InvitesListInclude = "team"
	InvitesListIncludeTeamCount          InvitesListInclude = "teamCount"
	InvitesListIncludeTeamExists         InvitesListInclude = "teamExists"
	InvitesListIncludeOrganization       InvitesListInclude = "organization"
	InvitesListIncludeOrganizationCount  InvitesListInclude = "organizationCount"
	InvitesListIncludeOrganizationExists InvitesListInclude = "organizationExists"
)

// KeyType is a text with known values. More may come.
type KeyType string

const (
	KeyTypeEcdsa KeyType = "ecdsa"
	KeyTypeRsa   KeyType = "rsa"
)

// MaintenanceModeStatus is a text with known values. More may come.
type MaintenanceModeStatus string

const (
	MaintenanceModeStatusDisabling MaintenanceModeStatus = "disabling"
	MaintenanceModeStatusEnabling  MaintenanceModeStatus = "enabling"
)

// MarkKind is a text with known values. More may come.
type MarkKind string

const (
	MarkKindDeployment MarkKind = "deployment"
	MarkKindReboot     MarkKind = "reboot"
	MarkKindDrift      MarkKind = "drift"
)

// MonitorState is a text with known values. More may come.
type MonitorState string

const (
	MonitorStateOK      MonitorState = "OK"
	MonitorStateALERT   MonitorState = "ALERT"
	MonitorStateUNKNOWN MonitorState = "UNKNOWN"
)

// MonitorStatus is a text with known values. More may come.
type MonitorStatus string

const (
	MonitorStatusInstalling    MonitorStatus = "installing"
	MonitorStatusInstalled     MonitorStatus = "installed"
	MonitorStatusRemoving      MonitorStatus = "removing"
	MonitorStatusRestarting    MonitorStatus = "restarting"
	MonitorStatusStopping      MonitorStatus = "stopping"
	MonitorStatusStopped       MonitorStatus = "stopped"
	MonitorStatusStarting      MonitorStatus = "starting"
	MonitorStatusSyncing       MonitorStatus = "syncing"
	MonitorStatusUpdating      MonitorStatus = "updating"
	MonitorStatusDisabling     MonitorStatus = "disabling"
	MonitorStatusDisabled      MonitorStatus = "disabled"
	MonitorStatusEnabling      MonitorStatus = "enabling"
	MonitorStatusRunning       MonitorStatus = "running"
	MonitorStatusRestoring     MonitorStatus = "restoring"
	MonitorStatusDeleting      MonitorStatus = "deleting"
	MonitorStatusFailed        MonitorStatus = "failed"
	MonitorStatusSuccess       MonitorStatus = "success"
	MonitorStatusFailedUnknown MonitorStatus = "failed-unknown"
	MonitorStatusFailedRunner  MonitorStatus = "failed-runner"
	MonitorStatusRenewing      MonitorStatus = "renewing"
)

// MonitorType is a text with known values. More may come.
type MonitorType string

const (
	MonitorTypeCPULoad         MonitorType = "cpu_load"
	MonitorTypeDisk            MonitorType = "disk"
	MonitorTypeFreeMemory      MonitorType = "free_memory"
	MonitorTypeUsedMemory      MonitorType = "used_memory"
	MonitorTypeInodes          MonitorType = "inodes"
	MonitorTypeRebootRequired  MonitorType = "reboot_required"
	MonitorTypeCertificateDays MonitorType = "certificate_days"
	MonitorTypeURL             MonitorType = "url"
)

// MonitorsListSort is a text with known values. More may come.
type MonitorsListSort string

const (
	MonitorsListSortState         MonitorsListSort = "state"
	MonitorsListSortStateDown     MonitorsListSort = "-state"
	MonitorsListSortStatus        MonitorsListSort = "status"
	MonitorsListSortStatusDown    MonitorsListSort = "-status"
	MonitorsListSortCreatedAt     MonitorsListSort = "created_at"
	MonitorsListSortCreatedAtDown MonitorsListSort = "-created_at"
	MonitorsListSortUpdatedAt     MonitorsListSort = "updated_at"
	MonitorsListSortUpdatedAtDown MonitorsListSort = "-updated_at"
)

// MysqlServiceActionAction is a text with known values. More may come.
type MysqlServiceActionAction string

const (
	MysqlServiceActionActionReboot MysqlServiceActionAction = "reboot"
	MysqlServiceActionActionStop   MysqlServiceActionAction = "stop"
)

// NginxMetaRule is a text with known values. More may come.
type NginxMetaRule string

const (
	NginxMetaRuleJudged NginxMetaRule = "judged"
	NginxMetaRuleRoot   NginxMetaRule = "root"
	NginxMetaRuleKept   NginxMetaRule = "kept"
)

// NodesListSort is a text with known values. More may come.
type NodesListSort string

const (
	NodesListSortID     NodesListSort = "id"
	NodesListSortIDDown NodesListSort = "-id"
)

// NotificationChannelType is a text with known values. More may come.
type NotificationChannelType string

const (
	NotificationChannelTypeMail     NotificationChannelType = "mail"
	NotificationChannelTypeWebhook  NotificationChannelType = "webhook"
	NotificationChannelTypeSlack    NotificationChannelType = "slack"
	NotificationChannelTypeDiscord  NotificationChannelType = "discord"
	NotificationChannelTypeTelegram NotificationChannelType = "telegram"
	NotificationChannelTypeNtfy     NotificationChannelType = "ntfy"
	NotificationChannelTypeTeams    NotificationChannelType = "teams"
)

// OperationMetaState is a text with known values. More may come.
type OperationMetaState string

const (
	OperationMetaStatePending   OperationMetaState = "pending"
	OperationMetaStateRunning   OperationMetaState = "running"
	OperationMetaStateSucceeded OperationMetaState = "succeeded"
	OperationMetaStateFailed    OperationMetaState = "failed"
	OperationMetaStateCancelled OperationMetaState = "cancelled"
)

// Operator is a text with known values. More may come.
type Operator string

const (
	OperatorGte Operator = "gte"
	OperatorLte Operator = "lte"
)

// OrganizationResourceMetaDelivery is a text with known values. More may come.
type OrganizationResourceMetaDelivery string

const (
	OrganizationResourceMetaDeliveryMail OrganizationResourceMetaDelivery = "mail"
	OrganizationResourceMetaDeliveryLog  OrganizationResourceMetaDelivery = "log"
)

// PHPListSort is a text with known values. More may come.
type PHPListSort string

const (
	PHPListSortCreatedAt     PHPListSort = "created_at"
	PHPListSortCreatedAtDown PHPListSort = "-created_at"
	PHPListSortUpdatedAt     PHPListSort = "updated_at"
	PHPListSortUpdatedAtDown PHPListSort = "-updated_at"
	PHPListSortStatus        PHPListSort = "status"
	PHPListSortStatusDown    PHPListSort = "-status"
	PHPListSortVersion       PHPListSort = "version"
	PHPListSortVersionDown   PHPListSort = "-version"
)

// Permission is a text with known values. More may come.
type Permission string

const (
	PermissionOrganizationView           Permission = "organization:view"
	PermissionOrganizationManage         Permission = "organization:manage"
	PermissionOrganizationDelete         Permission = "organization:delete"
	PermissionServerView                 Permission = "server:view"
	PermissionServerCreate               Permission = "server:create"
	PermissionServerDelete               Permission = "server:delete"
	PermissionServerArchive              Permission = "server:archive"
	PermissionServerTransfer             Permission = "server:transfer"
	PermissionServerManageMeta           Permission = "server:manage-meta"
	PermissionServerManagePackages       Permission = "server:manage-packages"
	PermissionServerManagePHP            Permission = "server:manage-php"
	PermissionServerManageLogs           Permission = "server:manage-logs"
	PermissionServerManageNetwork        Permission = "server:manage-network"
	PermissionServerManageNginxTemplates Permission = "server:manage-nginx-templates"
	PermissionServerManageServices       Permission = "server:manage-services"
	PermissionServerManagePassword       Permission = "server:manage-password"
	PermissionServerCreateKeys           Permission = "server:create-keys"
	PermissionServerDeleteKeys           Permission = "server:delete-keys"
	PermissionServerCreateMonitors       Permission = "server:create-monitors"
	PermissionServerDeleteMonitors       Permission = "server:delete-monitors"
	PermissionServerCreateDatabases      Permission = "server:create-databases"
	PermissionServerDeleteDatabases      Permission = "server:delete-databases"
	PermissionServerCreateBackups        Permission = "server:create-backups"
	PermissionServerDeleteBackups        Permission = "server:delete-backups"
	PermissionServerCreateDaemons        Permission = "server:create-daemons"
	PermissionServerDeleteDaemons        Permission = "server:delete-daemons"
	PermissionServerCreateSchedulers     Permission = "server:create-schedulers"
	PermissionServerDeleteSchedulers     Permission = "server:delete-schedulers"
	PermissionServerWebTerminal          Permission = "server:web-terminal"
	PermissionSiteCreate                 Permission = "site:create"
	PermissionSiteDelete                 Permission = "site:delete"
	PermissionSiteMeta                   Permission = "site:meta"
	PermissionSiteManageCommands         Permission = "site:manage-commands"
	PermissionSiteManageDeploys          Permission = "site:manage-deploys"
	PermissionSiteManageNginx            Permission = "site:manage-nginx"
	PermissionSiteManageProject          Permission = "site:manage-project"
	PermissionSiteManageEnvironment      Permission = "site:manage-environment"
	PermissionSiteManageNotifications    Permission = "site:manage-notifications"
	PermissionSiteManageQueues           Permission = "site:manage-queues"
	PermissionSiteManageRedirects        Permission = "site:manage-redirects"
	PermissionSiteManageSecurity         Permission = "site:manage-security"
	PermissionSiteManageSSL              Permission = "site:manage-ssl"
	PermissionSiteManageIntegrations     Permission = "site:manage-integrations"
	PermissionSiteManageHeartbeats       Permission = "site:manage-heartbeats"
	PermissionCredentialView             Permission = "credential:view"
	PermissionCredentialManage           Permission = "credential:manage"
	PermissionTeamView                   Permission = "team:view"
	PermissionTeamCreate                 Permission = "team:create"
	PermissionTeamDelete                 Permission = "team:delete"
	PermissionRecipeView                 Permission = "recipe:view"
	PermissionRecipeManage               Permission = "recipe:manage"
	PermissionBillingManage              Permission = "billing:manage"
	PermissionStorageManage              Permission = "storage:manage"
	PermissionIntegrationsManage         Permission = "integrations:manage"
	PermissionUserView                   Permission = "user:view"
	PermissionResourcesView              Permission = "resources:view"
	PermissionResourcesCreateDatabases   Permission = "resources:create-databases"
	PermissionResourcesDeleteDatabases   Permission = "resources:delete-databases"
	PermissionResourcesManageDatabases   Permission = "resources:manage-databases"
	PermissionResourcesCreateBuckets     Permission = "resources:create-buckets"
	PermissionResourcesDeleteBuckets     Permission = "resources:delete-buckets"
	PermissionResourcesManageBuckets     Permission = "resources:manage-buckets"
)

// PhpServiceActionAction is a text with known values. More may come.
type PhpServiceActionAction string

const (
	PhpServiceActionActionReboot PhpServiceActionAction = "reboot"
	PhpServiceActionActionReload PhpServiceActionAction = "reload"
)

// PhpVersionVersion is a text with known values. More may come.
type PhpVersionVersion string

const (
	PhpVersionVersion56 PhpVersionVersion = "5.6"
	PhpVersionVersion70 PhpVersionVersion = "7.0"
	PhpVersionVersion71 PhpVersionVersion = "7.1"
	PhpVersionVersion72 PhpVersionVersion = "7.2"
	PhpVersionVersion73 PhpVersionVersion = "7.3"
	PhpVersionVersion74 PhpVersionVersion = "7.4"
	PhpVersionVersion80 PhpVersionVersion = "8.0"
	PhpVersionVersion81 PhpVersionVersion = "8.1"
	PhpVersionVersion82 PhpVersionVersion = "8.2"
	PhpVersionVersion83 PhpVersionVersion = "8.3"
	PhpVersionVersion84 PhpVersionVersion = "8.4"
	PhpVersionVersion85 PhpVersionVersion = "8.5"
	PhpVersionVersion5  PhpVersionVersion = "5"
)

// PreferredChain is a text with known values. More may come.
type PreferredChain string

const (
	PreferredChainISRGRootX1 PreferredChain = "ISRG Root X1"
)

// ProcessesListSort is a text with known values. More may come.
type ProcessesListSort string

const (
	ProcessesListSortUser     ProcessesListSort = "user"
	ProcessesListSortUserDown ProcessesListSort = "-user"
)

// ProofResult is a text with known values. More may come.
type ProofResult string

const (
	ProofResultPassed ProofResult = "passed"
	ProofResultNone   ProofResult = "none"
)

// PushDeliveryVerdict is a text with known values. More may come.
type PushDeliveryVerdict string

const (
	PushDeliveryVerdictDeployed PushDeliveryVerdict = "deployed"
	PushDeliveryVerdictIgnored  PushDeliveryVerdict = "ignored"
	PushDeliveryVerdictRefused  PushDeliveryVerdict = "refused"
)

// Range is a text with known values. More may come.
type Range string

const (
	Range1h  Range = "1h"
	Range24h Range = "24h"
	Range7d  Range = "7d"
	Range30d Range = "30d"
)

// RecipeLogStatus is a text with known values. More may come.
type RecipeLogStatus string

const (
	RecipeLogStatusWaiting  RecipeLogStatus = "waiting"
	RecipeLogStatusRunning  RecipeLogStatus = "running"
	RecipeLogStatusFinished RecipeLogStatus = "finished"
	RecipeLogStatusFailed   RecipeLogStatus = "failed"
)

// RedirectRuleType is a text with known values. More may come.
type RedirectRuleType string

const (
	RedirectRuleTypeRedirect  RedirectRuleType = "redirect"
	RedirectRuleTypePermanent RedirectRuleType = "permanent"
)

// RedisServiceActionAction is a text with known values. More may come.
type RedisServiceActionAction string

const (
	RedisServiceActionActionReboot RedisServiceActionAction = "reboot"
)

// RepositoryCheckState is a text with known values. More may come.
type RepositoryCheckState string

const (
	RepositoryCheckStatePending RepositoryCheckState = "pending"
	RepositoryCheckStatePassed  RepositoryCheckState = "passed"
	RepositoryCheckStateFailed  RepositoryCheckState = "failed"
)

// RepositoryStatus is a text with known values. More may come.
type RepositoryStatus string

const (
	RepositoryStatusInstalling RepositoryStatus = "installing"
	RepositoryStatusInstalled  RepositoryStatus = "installed"
	RepositoryStatusRemoving   RepositoryStatus = "removing"
)

// RolesListInclude is a text with known values. More may come.
type RolesListInclude string

const (
	RolesListIncludePermissions       RolesListInclude = "permissions"
	RolesListIncludePermissionsCount  RolesListInclude = "permissionsCount"
	RolesListIncludePermissionsExists RolesListInclude = "permissionsExists"
)

// RuntimeInUseName is a text with known values. More may come.
type RuntimeInUseName string

const (
	RuntimeInUseNameSystem RuntimeInUseName = "system"
	RuntimeInUseNameNode   RuntimeInUseName = "node"
	RuntimeInUseNameBun    RuntimeInUseName = "bun"
	RuntimeInUseNameDeno   RuntimeInUseName = "deno"
	RuntimeInUseNamePython RuntimeInUseName = "python"
	RuntimeInUseNameRuby   RuntimeInUseName = "ruby"
	RuntimeInUseNameGo     RuntimeInUseName = "go"
)

// RuntimeName is a text with known values. More may come.
type RuntimeName string

const (
	RuntimeNameNode   RuntimeName = "node"
	RuntimeNameBun    RuntimeName = "bun"
	RuntimeNameDeno   RuntimeName = "deno"
	RuntimeNamePython RuntimeName = "python"
	RuntimeNameRuby   RuntimeName = "ruby"
	RuntimeNameGo     RuntimeName = "go"
)

// Scope is a text with known values. More may come.
type Scope string

const (
	ScopeOrganizationView           Scope = "organization:view"
	ScopeOrganizationManage         Scope = "organization:manage"
	ScopeOrganizationDelete         Scope = "organization:delete"
	ScopeServerView                 Scope = "server:view"
	ScopeServerCreate               Scope = "server:create"
	ScopeServerDelete               Scope = "server:delete"
	ScopeServerArchive              Scope = "server:archive"
	ScopeServerTransfer             Scope = "server:transfer"
	ScopeServerManageMeta           Scope = "server:manage-meta"
	ScopeServerManagePackages       Scope = "server:manage-packages"
	ScopeServerManagePHP            Scope = "server:manage-php"
	ScopeServerManageLogs           Scope = "server:manage-logs"
	ScopeServerManageNetwork        Scope = "server:manage-network"
	ScopeServerManageNginxTemplates Scope = "server:manage-nginx-templates"
	ScopeServerManageServices       Scope = "server:manage-services"
	ScopeServerManagePassword       Scope = "server:manage-password"
	ScopeServerCreateKeys           Scope = "server:create-keys"
	ScopeServerDeleteKeys           Scope = "server:delete-keys"
	ScopeServerCreateMonitors       Scope = "server:create-monitors"
	ScopeServerDeleteMonitors       Scope = "server:delete-monitors"
	ScopeServerCreateDatabases      Scope = "server:create-databases"
	ScopeServerDeleteDatabases      Scope = "server:delete-databases"
	ScopeServerCreateBackups        Scope = "server:create-backups"
	ScopeServerDeleteBackups        Scope = "server:delete-backups"
	ScopeServerCreateDaemons        Scope = "server:create-daemons"
	ScopeServerDeleteDaemons        Scope = "server:delete-daemons"
	ScopeServerCreateSchedulers     Scope = "server:create-schedulers"
	ScopeServerDeleteSchedulers     Scope = "server:delete-schedulers"
	ScopeServerWebTerminal          Scope = "server:web-terminal"
	ScopeSiteCreate                 Scope = "site:create"
	ScopeSiteDelete                 Scope = "site:delete"
	ScopeSiteMeta                   Scope = "site:meta"
	ScopeSiteManageCommands         Scope = "site:manage-commands"
	ScopeSiteManageDeploys          Scope = "site:manage-deploys"
	ScopeSiteManageNginx            Scope = "site:manage-nginx"
	ScopeSiteManageProject          Scope = "site:manage-project"
	ScopeSiteManageEnvironment      Scope = "site:manage-environment"
	ScopeSiteManageNotifications    Scope = "site:manage-notifications"
	ScopeSiteManageQueues           Scope = "site:manage-queues"
	ScopeSiteManageRedirects        Scope = "site:manage-redirects"
	ScopeSiteManageSecurity         Scope = "site:manage-security"
	ScopeSiteManageSSL              Scope = "site:manage-ssl"
	ScopeSiteManageIntegrations     Scope = "site:manage-integrations"
	ScopeSiteManageHeartbeats       Scope = "site:manage-heartbeats"
	ScopeCredentialView             Scope = "credential:view"
	ScopeCredentialManage           Scope = "credential:manage"
	ScopeTeamView                   Scope = "team:view"
	ScopeTeamCreate                 Scope = "team:create"
	ScopeTeamDelete                 Scope = "team:delete"
	ScopeRecipeView                 Scope = "recipe:view"
	ScopeRecipeManage               Scope = "recipe:manage"
	ScopeBillingManage              Scope = "billing:manage"
	ScopeStorageManage              Scope = "storage:manage"
	ScopeIntegrationsManage         Scope = "integrations:manage"
	ScopeUserView                   Scope = "user:view"
	ScopeResourcesView              Scope = "resources:view"
	ScopeResourcesCreateDatabases   Scope = "resources:create-databases"
	ScopeResourcesDeleteDatabases   Scope = "resources:delete-databases"
	ScopeResourcesManageDatabases   Scope = "resources:manage-databases"
	ScopeResourcesCreateBuckets     Scope = "resources:create-buckets"
	ScopeResourcesDeleteBuckets     Scope = "resources:delete-buckets"
	ScopeResourcesManageBuckets     Scope = "resources:manage-buckets"
)

// SecurityRulesListSort is a text with known values. More may come.
type SecurityRulesListSort string

const (
	SecurityRulesListSortPath          SecurityRulesListSort = "path"
	SecurityRulesListSortPathDown      SecurityRulesListSort = "-path"
	SecurityRulesListSortStatus        SecurityRulesListSort = "status"
	SecurityRulesListSortStatusDown    SecurityRulesListSort = "-status"
	SecurityRulesListSortCreatedAt     SecurityRulesListSort = "created_at"
	SecurityRulesListSortCreatedAtDown SecurityRulesListSort = "-created_at"
	SecurityRulesListSortUpdatedAt     SecurityRulesListSort = "updated_at"
	SecurityRulesListSortUpdatedAtDown SecurityRulesListSort = "-updated_at"
)

// ServerActionAction is a text with known values. More may come.
type ServerActionAction string

const (
	ServerActionActionReboot     ServerActionAction = "reboot"
	ServerActionActionPowerCycle ServerActionAction = "power-cycle"
)

// ServerType is a text with known values. More may come.
type ServerType string

const (
	ServerTypeApp          ServerType = "app"
	ServerTypeWeb          ServerType = "web"
	ServerTypeLoadbalancer ServerType = "loadbalancer"
	ServerTypeDatabase     ServerType = "database"
	ServerTypeCache        ServerType = "cache"
	ServerTypeWorker       ServerType = "worker"
	ServerTypeMeilisearch  ServerType = "meilisearch"
	ServerTypeOpenclaw     ServerType = "openclaw"
)

// ServersListSort is a text with known values. More may come.
type ServersListSort string

const (
	ServersListSortName              ServersListSort = "name"
	ServersListSortNameDown          ServersListSort = "-name"
	ServersListSortProvider          ServersListSort = "provider"
	ServersListSortProviderDown      ServersListSort = "-provider"
	ServersListSortUbuntuVersion     ServersListSort = "ubuntu_version"
	ServersListSortUbuntuVersionDown ServersListSort = "-ubuntu_version"
	ServersListSortRegion            ServersListSort = "region"
	ServersListSortRegionDown        ServersListSort = "-region"
	ServersListSortPHPVersion        ServersListSort = "php_version"
	ServersListSortPHPVersionDown    ServersListSort = "-php_version"
	ServersListSortCreatedAt         ServersListSort = "created_at"
	ServersListSortCreatedAtDown     ServersListSort = "-created_at"
	ServersListSortUpdatedAt         ServersListSort = "updated_at"
	ServersListSortUpdatedAtDown     ServersListSort = "-updated_at"
)

// SiteAppType is a text with known values. More may come.
type SiteAppType string

const (
	SiteAppTypeStatamic   SiteAppType = "Statamic"
	SiteAppTypeWordPress  SiteAppType = "WordPress"
	SiteAppTypePHPMyAdmin SiteAppType = "phpMyAdmin"
	SiteAppTypeLaravel    SiteAppType = "Laravel"
	SiteAppTypeSymfony    SiteAppType = "Symfony"
	SiteAppTypePHP        SiteAppType = "PHP"
	SiteAppTypeNextJs     SiteAppType = "Next.js"
	SiteAppTypeNuxtJs     SiteAppType = "Nuxt.js"
	SiteAppTypeStaticHTML SiteAppType = "Static HTML"
	SiteAppTypeCustom     SiteAppType = "Custom"
	SiteAppTypeCraft      SiteAppType = "Craft"
	SiteAppTypeMinecraft  SiteAppType = "Minecraft"
)

// SiteStatus is a text with known values. More may come.
type SiteStatus string

const (
	SiteStatusInstalled     SiteStatus = "installed"
	SiteStatusCreating      SiteStatus = "creating"
	SiteStatusRemoving      SiteStatus = "removing"
	SiteStatusInstalling    SiteStatus = "installing"
	SiteStatusUninstalling  SiteStatus = "uninstalling"
	SiteStatusDeployed      SiteStatus = "deployed"
	SiteStatusNeverDeployed SiteStatus = "never-deployed"
	SiteStatusDeploying     SiteStatus = "deploying"
	SiteStatusFailed        SiteStatus = "failed"
	SiteStatusMaintenance   SiteStatus = "maintenance"
)

// SitesAllInclude is a text with known values. More may come.
type SitesAllInclude string

const (
	SitesAllIncludeServer                 SitesAllInclude = "server"
	SitesAllIncludeServerCount            SitesAllInclude = "serverCount"
	SitesAllIncludeServerExists           SitesAllInclude = "serverExists"
	SitesAllIncludeTags                   SitesAllInclude = "tags"
	SitesAllIncludeTagsCount              SitesAllInclude = "tagsCount"
	SitesAllIncludeTagsExists             SitesAllInclude = "tagsExists"
	SitesAllIncludeLatestDeployment       SitesAllInclude = "latestDeployment"
	SitesAllIncludeLatestDeploymentCount  SitesAllInclude = "latestDeploymentCount"
	SitesAllIncludeLatestDeploymentExists SitesAllInclude = "latestDeploymentExists"
	SitesAllIncludeSecurityRules          SitesAllInclude = "securityRules"
	SitesAllIncludeSecurityRulesCount     SitesAllInclude = "securityRulesCount"
	SitesAllIncludeSecurityRulesExists    SitesAllInclude = "securityRulesExists"
	SitesAllIncludeRedirectRules          SitesAllInclude = "redirectRules"
	SitesAllIncludeRedirectRulesCount     SitesAllInclude = "redirectRulesCount"
	SitesAllIncludeRedirectRulesExists    SitesAllInclude = "redirectRulesExists"
)

// SitesListSort is a text with known values. More may come.
type SitesListSort string

const (
	SitesListSortName          SitesListSort = "name"
	SitesListSortNameDown      SitesListSort = "-name"
	SitesListSortCreatedAt     SitesListSort = "created_at"
	SitesListSortCreatedAtDown SitesListSort = "-created_at"
)

// SlowQueriesSource is a text with known values. More may come.
type SlowQueriesSource string

const (
	SlowQueriesSourcePerformanceSchema SlowQueriesSource = "performance_schema"
	SlowQueriesSourcePgStatStatements  SlowQueriesSource = "pg_stat_statements"
)

// SourceControlProviderProvider is a text with known values. More may come.
type SourceControlProviderProvider string

const (
	SourceControlProviderProviderGithub       SourceControlProviderProvider = "github"
	SourceControlProviderProviderGitlab       SourceControlProviderProvider = "gitlab"
	SourceControlProviderProviderBitbucket    SourceControlProviderProvider = "bitbucket"
	SourceControlProviderProviderGitlabCustom SourceControlProviderProvider = "gitlab-custom"
)

// SourceControlState is a text with known values. More may come.
type SourceControlState string

const (
	SourceControlStatePending    SourceControlState = "pending"
	SourceControlStateRegistered SourceControlState = "registered"
	SourceControlStateFailed     SourceControlState = "failed"
)

// StorageListSort is a text with known values. More may come.
type StorageListSort string

const (
	StorageListSortName          StorageListSort = "name"
	StorageListSortNameDown      StorageListSort = "-name"
	StorageListSortProvider      StorageListSort = "provider"
	StorageListSortProviderDown  StorageListSort = "-provider"
	StorageListSortCreatedAt     StorageListSort = "created_at"
	StorageListSortCreatedAtDown StorageListSort = "-created_at"
	StorageListSortUpdatedAt     StorageListSort = "updated_at"
	StorageListSortUpdatedAtDown StorageListSort = "-updated_at"
)

// StorageProviderProvider is a text with known values. More may come.
type StorageProviderProvider string

const (
	StorageProviderProviderS3       StorageProviderProvider = "s3"
	StorageProviderProviderSpaces   StorageProviderProvider = "spaces"
	StorageProviderProviderHetzner  StorageProviderProvider = "hetzner"
	StorageProviderProviderOvh      StorageProviderProvider = "ovh"
	StorageProviderProviderScaleway StorageProviderProvider = "scaleway"
	StorageProviderProviderCustom   StorageProviderProvider = "custom"
)

// StorageProviderProviderName is a text with known values. More may come.
type StorageProviderProviderName string

const (
	StorageProviderProviderNameAmazonS3           StorageProviderProviderName = "Amazon S3"
	StorageProviderProviderNameDigitalOceanSpaces StorageProviderProviderName = "DigitalOcean Spaces"
	StorageProviderProviderNameHetzner            StorageProviderProviderName = "Hetzner"
	StorageProviderProviderNameOVH                StorageProviderProviderName = "OVH"
	StorageProviderProviderNameScaleway           StorageProviderProviderName = "Scaleway"
	StorageProviderProviderNameCustomS3Compatible StorageProviderProviderName = "Custom (S3 Compatible)"
)

// Time is a text with known values. More may come.
type Time string

const (
	Time0000 Time = "00:00"
	Time0030 Time = "00:30"
	Time0100 Time = "01:00"
	Time0130 Time = "01:30"
	Time0200 Time = "02:00"
	Time0230 Time = "02:30"
	Time0300 Time = "03:00"
	Time0330 Time = "03:30"
	Time0400 Time = "04:00"
	Time0430 Time = "04:30"
	Time0500 Time = "05:00"
	Time0530 Time = "05:30"
	Time0600 Time = "06:00"
	Time0630 Time = "06:30"
	Time0700 Time = "07:00"
	Time0730 Time = "07:30"
	Time0800 Time = "08:00"
	Time0830 Time = "08:30"
	Time0900 Time = "09:00"
	Time0930 Time = "09:30"
	Time1000 Time = "10:00"
	Time1030 Time = "10:30"
	Time1100 Time = "11:00"
	Time1130 Time = "11:30"
	Time1200 Time = "12:00"
	Time1230 Time = "12:30"
	Time1300 Time = "13:00"
	Time1330 Time = "13:30"
	Time1400 Time = "14:00"
	Time1430 Time = "14:30"
	Time1500 Time = "15:00"
	Time1530 Time = "15:30"
	Time1600 Time = "16:00"
	Time1630 Time = "16:30"
	Time1700 Time = "17:00"
	Time1730 Time = "17:30"
	Time1800 Time = "18:00"
	Time1830 Time = "18:30"
	Time1900 Time = "19:00"
	Time1930 Time = "19:30"
	Time2000 Time = "20:00"
	Time2030 Time = "20:30"
	Time2100 Time = "21:00"
	Time2130 Time = "21:30"
	Time2200 Time = "22:00"
	Time2230 Time = "22:30"
	Time2300 Time = "23:00"
	Time2330 Time = "23:30"
)

// TransferItemEffect is a text with known values. More may come.
type TransferItemEffect string

const (
	TransferItemEffectBlocks   TransferItemEffect = "blocks"
	TransferItemEffectDetached TransferItemEffect = "detached"
	TransferItemEffectLeft     TransferItemEffect = "left"
	TransferItemEffectReaches  TransferItemEffect = "reaches"
)

// UndoMethod is a text with known values. More may come.
type UndoMethod string

const (
	UndoMethodPUT    UndoMethod = "PUT"
	UndoMethodPATCH  UndoMethod = "PATCH"
	UndoMethodDELETE UndoMethod = "DELETE"
)

// UpdateGitSourceControlProvider is a text with known values. More may come.
type UpdateGitSourceControlProvider string

const (
	UpdateGitSourceControlProviderGithub       UpdateGitSourceControlProvider = "github"
	UpdateGitSourceControlProviderGitlab       UpdateGitSourceControlProvider = "gitlab"
	UpdateGitSourceControlProviderBitbucket    UpdateGitSourceControlProvider = "bitbucket"
	UpdateGitSourceControlProviderGitlabCustom UpdateGitSourceControlProvider = "gitlab-custom"
	UpdateGitSourceControlProviderCustom       UpdateGitSourceControlProvider = "custom"
)

// UpdatePhpCliVersionPHPVersion is a text with known values. More may come.
type UpdatePhpCliVersionPHPVersion string

const (
	UpdatePhpCliVersionPHPVersion56 UpdatePhpCliVersionPHPVersion = "5.6"
	UpdatePhpCliVersionPHPVersion70 UpdatePhpCliVersionPHPVersion = "7.0"
	UpdatePhpCliVersionPHPVersion71 UpdatePhpCliVersionPHPVersion = "7.1"
	UpdatePhpCliVersionPHPVersion72 UpdatePhpCliVersionPHPVersion = "7.2"
	UpdatePhpCliVersionPHPVersion73 UpdatePhpCliVersionPHPVersion = "7.3"
	UpdatePhpCliVersionPHPVersion74 UpdatePhpCliVersionPHPVersion = "7.4"
	UpdatePhpCliVersionPHPVersion80 UpdatePhpCliVersionPHPVersion = "8.0"
	UpdatePhpCliVersionPHPVersion81 UpdatePhpCliVersionPHPVersion = "8.1"
	UpdatePhpCliVersionPHPVersion82 UpdatePhpCliVersionPHPVersion = "8.2"
	UpdatePhpCliVersionPHPVersion83 UpdatePhpCliVersionPHPVersion = "8.3"
	UpdatePhpCliVersionPHPVersion84 UpdatePhpCliVersionPHPVersion = "8.4"
	UpdatePhpCliVersionPHPVersion85 UpdatePhpCliVersionPHPVersion = "8.5"
)

// VerificationMethod is a text with known values. More may come.
type VerificationMethod string

const (
	VerificationMethodHTTP01 VerificationMethod = "http-01"
	VerificationMethodDNS01  VerificationMethod = "dns-01"
)

// WwwRedirectType is a text with known values. More may come.
type WwwRedirectType string

const (
	WwwRedirectTypeFromWww WwwRedirectType = "from-www"
	WwwRedirectTypeToWww   WwwRedirectType = "to-www"
	WwwRedirectTypeNone    WwwRedirectType = "none"
)
