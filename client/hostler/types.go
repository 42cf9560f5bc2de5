// Code generated from the API's description by make generate. DO NOT EDIT.

package hostler

import (
	"encoding/json"
	"time"
)

// ACMERequest is what a request says.
type ACMERequest struct {
	// The DNS provider used to publish dns-01 challenges. Without one, challenges are published where the domain's CNAME
	// points.
	DNSProviderID Nullable[int64] `json:"dns_provider_id,omitzero"`
	// The type of the private key.
	KeyType *KeyType `json:"key_type,omitempty"`
	// The root of the chain, if the certificate authority offers several; null for its default.
	PreferredChain Nullable[PreferredChain] `json:"preferred_chain,omitzero"`
	// How the names are proven: by a file on the site (http-01) or in DNS (dns-01).
	VerificationMethod *VerificationMethod `json:"verification_method,omitempty"`
}

// AWSServer is what a request says.
type AWSServer struct {
	// In gigabytes.
	DiskSize *int64 `json:"disk_size,omitempty"`
	// The code of the region, as the provider's regions list it.
	RegionID *string `json:"region_id,omitempty"`
	// The code of the size, as the region's sizes list it.
	SizeID *string `json:"size_id,omitempty"`
	// The id of the subnet at the cloud provider.
	SubnetUUID *string `json:"subnet_uuid,omitempty"`
	// The id of the private network at the cloud provider.
	VPCUUID *string `json:"vpc_uuid,omitempty"`
}

// Access is a resource of the type accessKeys.
type Access struct {
	ID               ID     `json:"id"`
	ResourceType     string `json:"type"`
	AccessAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// AccessAttributes are the fields of a resource.
type AccessAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The user who added the key; null once that account is deleted.
	CreatedBy *int64 `json:"created_by"`
	// As ssh-keygen -l shows it.
	Fingerprint string `json:"fingerprint"`
	// A name of your choice.
	Name string `json:"name"`
	// What restricts the key, as in authorized_keys; empty if nothing does.
	Options string `json:"options"`
	// The id of the server.
	ServerID int64 `json:"server_id"`
	// The name of the server.
	ServerName string `json:"server_name"`
	// Whether the key is on the server.
	Status string `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// The account that the key opens.
	User string `json:"user"`
}

// AccountConnections is part of what the API takes and answers.
type AccountConnections struct {
	// The open connections of the account to the database.
	Count int64 `json:"count"`
	// How many connections the engine allows the account, to all databases; null if any number.
	Limit *int64 `json:"limit"`
	// The name.
	Name string `json:"name"`
}

// AkamaiServer is what a request says.
type AkamaiServer struct {
	// The code of the region, as the provider's regions list it.
	RegionID *string `json:"region_id,omitempty"`
	// The code of the size, as the region's sizes list it.
	SizeID *string `json:"size_id,omitempty"`
}

// Application is part of what the API takes and answers.
type Application struct {
	// The line that usually builds it; null for what the package manager does.
	BuildCommand *string `json:"build_command"`
	// Whether it has packages of Composer.
	Composer bool `json:"composer"`
	// The file that says so.
	File string `json:"file"`
	// What it is, for people, such as Next.js.
	Name string `json:"name"`
	// The directory with the built files that are served; null for none.
	Output *string `json:"output"`
	// What installs its packages of Node; null without any.
	PackageManager *ApplicationPackageManager `json:"package_manager"`
	// What runs it, or builds its front end; null for nothing but PHP or files.
	Runtime Runtime `json:"runtime"`
	// The line that usually starts it; null without one, or if the type of the site has its own.
	StartCommand *string `json:"start_command"`
	// The type of site for it.
	Type string `json:"type"`
}

// ApplicationLog is a resource of the type applicationLogs.
type ApplicationLog struct {
	ID                       ID     `json:"id"`
	ResourceType             string `json:"type"`
	ApplicationLogAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ApplicationLogResourceMeta `json:"meta"`
}

// ApplicationLogAttributes are the fields of a resource.
type ApplicationLogAttributes struct {
	// The lines of the log, oldest first.
	Content string `json:"content"`
}

// ApplicationLogResourceMeta is part of what the API takes and answers.
type ApplicationLogResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// Where in the log the returned lines are.
	Log *LogMeta `json:"log"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// Applied is part of what the API takes and answers.
type Applied struct {
	// When the work succeeded.
	At time.Time `json:"at"`
	// The id of the person who asked for it; null if Hostler did.
	By *string `json:"by"`
}

// ArchiveRequest is what a request says.
type ArchiveRequest struct {
	// The id of the server.
	ServerID int64 `json:"server_id"`
}

// Attention is a resource of the type attention.
type Attention struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	AttentionAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// AttentionAttributes are the fields of a resource.
type AttentionAttributes struct {
	// When the certificate expires.
	EndsAt *time.Time `json:"ends_at"`
	// The event of the work that failed or does not begin.
	EventID *int64 `json:"event_id"`
	// The kind of the problem.
	Kind AttentionKind `json:"kind"`
	// Null for the panel itself.
	OrganizationID *int64 `json:"organization_id"`
	// The deployment, the domain of the certificate or of the nginx configuration, the backup configuration, the heartbeat,
	// or the monitor.
	ResourceID *int64 `json:"resource_id"`
	// Null for the panel itself.
	ServerID *int64 `json:"server_id"`
	// When the problem began; null if that is not known.
	Since *time.Time `json:"since"`
	// The site concerned; null if none is.
	SiteID *int64 `json:"site_id"`
	// The name of the resource concerned.
	Subject string `json:"subject"`
	// The problem; empty if the kind describes it completely.
	Text string `json:"text"`
}

// AuditEntry is a resource of the type auditEntries.
type AuditEntry struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	AuditEntryAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// AuditEntryAttributes are the fields of a resource.
type AuditEntryAttributes struct {
	// The IP address of the caller.
	Address string `json:"address"`
	// The attributes after the change, without secrets.
	After map[string]any `json:"after"`
	// The attributes before the change, without secrets.
	Before map[string]any `json:"before"`
	// The credential: token:7, oauth:7, user:7 for a session, or empty.
	Caller string `json:"caller"`
	// When the request was answered.
	CreatedAt time.Time `json:"created_at"`
	// Why the request was refused.
	Message string `json:"message"`
	// The operationId of the request.
	Operation string `json:"operation"`
	// The path of the request.
	Path string `json:"path"`
	// The id of the resource that the request was for; empty for none.
	ResourceID string `json:"resource_id"`
	// The type of the resource that the request was for; empty for none.
	ResourceType string `json:"resource_type"`
	// The response status; 401, 403 and 429 are refusals.
	Status int64 `json:"status"`
	// The person who called; null if that is not known.
	UserID *int64 `json:"user_id"`
}

// BackgroundProcess is a resource of the type backgroundProcesses.
type BackgroundProcess struct {
	ID                          ID     `json:"id"`
	ResourceType                string `json:"type"`
	BackgroundProcessAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta BackgroundProcessResourceMeta `json:"meta"`
}

// BackgroundProcessActionRequest is what a request says.
type BackgroundProcessActionRequest struct {
	// What to do with all instances, or with the log.
	Action BackgroundProcessActionAction `json:"action"`
}

// BackgroundProcessAttributes are the fields of a resource.
type BackgroundProcessAttributes struct {
	// The command, which bash runs in the directory.
	Command string `json:"command"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The working directory; null for the site's, or the account's home.
	Directory *string `json:"directory"`
	// The number of instances.
	Processes int64 `json:"processes"`
	// The state of the instances, in the words of supervisord.
	Status BackgroundProcessStatus `json:"status"`
	// The account that the process runs as.
	User string `json:"user"`
}

// BackgroundProcessLog is a resource of the type backgroundProcessLogs.
type BackgroundProcessLog struct {
	ID                             ID     `json:"id"`
	ResourceType                   string `json:"type"`
	BackgroundProcessLogAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// BackgroundProcessLogAttributes are the fields of a resource.
type BackgroundProcessLogAttributes struct {
	// What the process printed last.
	Content string `json:"content"`
}

// BackgroundProcessResourceMeta is part of what the API takes and answers.
type BackgroundProcessResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// The process's name, owner and limits.
	Process *ProcessMeta `json:"process"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// Backup is a resource of the type backups.
type Backup struct {
	ID               ID     `json:"id"`
	ResourceType     string `json:"type"`
	BackupAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta BackupResourceMeta `json:"meta"`
}

// BackupAttributes are the fields of a resource.
type BackupAttributes struct {
	// The ids of the databases in the backup.
	DatabaseIDs []int64 `json:"database_ids"`
	// Seconds since the epoch; null while the backup is running.
	FinishedAt *int64 `json:"finished_at"`
	// "true" or "false".
	IsPartial string `json:"is_partial"`
	// The total size of all objects, in bytes.
	Size int64 `json:"size"`
	// How far the backup is, or how it ended.
	Status string `json:"status"`
}

// BackupConfiguration is a resource of the type backupConfigurations.
type BackupConfiguration struct {
	ID                            ID     `json:"id"`
	ResourceType                  string `json:"type"`
	BackupConfigurationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta BackupConfigurationResourceMeta `json:"meta"`
}

// BackupConfigurationAttributes are the fields of a resource.
type BackupConfigurationAttributes struct {
	// The bucket that objects are stored in.
	Bucket *string `json:"bucket"`
	// The cron expression of the frequency custom; null for others.
	CronSchedule *string `json:"cron_schedule"`
	// The ids of the databases that are backed up.
	DatabaseIDs []any `json:"database_ids"`
	// The day of weekly backups, from 0 for Sunday; null for other frequencies.
	DayOfWeek *int64 `json:"day_of_week"`
	// The directory in the bucket below which objects are stored.
	Directory string `json:"directory"`
	// The schedule in words.
	DisplayableSchedule string `json:"displayable_schedule"`
	// Whether all databases of the server are backed up, including future ones.
	IncludeNewDatabases bool `json:"include_new_databases"`
	// A name of your choice.
	Name string `json:"name"`
	// ISO 8601, UTC.
	NextRunTime string `json:"next_run_time"`
	// The address that is notified of failed backups; null for none.
	NotifyEmail *string `json:"notify_email"`
	// The kind of the storage provider.
	Provider string `json:"provider"`
	// The number of complete backups that are kept.
	Retention int64 `json:"retention"`
	// The frequency: hourly, daily, weekly or custom.
	Schedule string `json:"schedule"`
	// Whether the configuration is set up on the server.
	Status string `json:"status"`
	// The id of the storage provider that objects are stored at.
	StorageProviderID *int64 `json:"storage_provider_id"`
	// The time of daily and weekly backups, as hours and minutes in the organization's time zone; null for other
	// frequencies.
	Time *string `json:"time"`
}

// BackupConfigurationResourceMeta is part of what the API takes and answers.
type BackupConfigurationResourceMeta struct {
	// About the newest backup of the configuration and its proof.
	Backups *BackupsMeta `json:"backups"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// The address that is notified.
	Recipient *State `json:"recipient"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// BackupKey is a resource of the type backupKeys.
type BackupKey struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	BackupKeyAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// BackupKeyAttributes are the fields of a resource.
type BackupKeyAttributes struct {
	// When the key was generated.
	CreatedAt time.Time `json:"created_at"`
	// The public key that backups are encrypted to.
	Recipient string `json:"recipient"`
}

// BackupMeta is part of what the API takes and answers.
type BackupMeta struct {
	// The bucket that objects are stored in.
	Bucket string `json:"bucket"`
	// Whether the objects are encrypted.
	Encrypted bool `json:"encrypted"`
	// When a backup was last restored into a separate database and found to equal the dump; null for never.
	LastProvenRestore *time.Time `json:"last_proven_restore"`
	// The objects of the backup: one for each database, and one for files.
	Objects []BackupObjectMeta `json:"objects"`
	// Why the newest proof failed; null if it did not.
	ProofReason *string `json:"proof_reason"`
	// not_proven for a finished backup that was not restored yet.
	ProofStatus *BackupMetaProofStatus `json:"proof_status"`
	// Why the backup failed; null if it did not.
	Reason *string `json:"reason"`
	// The public key that backups are encrypted to.
	Recipient string `json:"recipient"`
}

// BackupObjectMeta is part of what the API takes and answers.
type BackupObjectMeta struct {
	// The SHA-256 digest of the object, in hexadecimal.
	Checksum *string `json:"checksum"`
	// The id of the database; null for files, or if the database is gone.
	DatabaseID *int64 `json:"database_id"`
	// The key of the object in the bucket.
	Key string `json:"key"`
	// What the object contains.
	Kind BackupObjectMetaKind `json:"kind"`
	// The name of the database, or of the site for files.
	Name string `json:"name"`
	// Why the object is not stored; null if it is.
	Reason *string `json:"reason"`
	// The size of the object, in bytes.
	Size int64 `json:"size"`
	// Whether the object is stored.
	Status BackupObjectMetaStatus `json:"status"`
	// The address of the object in the bucket.
	URL *string `json:"url"`
}

// BackupResourceMeta is part of what the API takes and answers.
type BackupResourceMeta struct {
	// About the backup's objects and proofs.
	Backup *BackupMeta `json:"backup"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// BackupsMeta is part of what the API takes and answers.
type BackupsMeta struct {
	// What is wrong with the backups; null if nothing is.
	Alarm *string `json:"alarm"`
	// When the newest complete backup ended; null if there is none.
	LastBackup *time.Time `json:"last_backup"`
	// The id of the newest backup with a successful proof; null if there is none.
	LastProvenBackup *string `json:"last_proven_backup"`
	// When a backup was last restored into a separate database and found to equal the dump; null for never.
	LastProvenRestore *time.Time `json:"last_proven_restore"`
	// When the next proof is due; null if there is none.
	NextProof *time.Time `json:"next_proof"`
	// Files and directories below the site's directory that are backed up, such as uploads or .env.
	Paths []string `json:"paths"`
	// Why the newest proof failed; null if it did not.
	ProofReason *string `json:"proof_reason"`
	// How the newest proof ended; null if there was none.
	ProofStatus *BackupsMetaProofStatus `json:"proof_status"`
	// The number of days between proofs, in which a backup is restored into a separate database and compared; 0 for never.
	// New configurations have 7.
	ProveEveryDays int64 `json:"prove_every_days"`
	// The site whose files are backed up; null for none.
	SiteID *int64 `json:"site_id"`
}

// BalancerMeta is part of what the API takes and answers.
type BalancerMeta struct {
	// How many idle connections to the nodes are kept open.
	KeepaliveMaxConnections int64 `json:"keepalive_max_connections"`
	// How a node is chosen: round_robin, least_conn or ip_hash.
	Method string `json:"method"`
}

// BootstrapMeta is part of what the API takes and answers.
type BootstrapMeta struct {
	// The command to run as root on the machine.
	Command string `json:"command"`
	// When the command stops working.
	ExpiresAt time.Time `json:"expires_at"`
	// What to consider before running the command.
	Warning *string `json:"warning"`
}

// Cause is part of what the API takes and answers.
type Cause struct {
	// What went wrong, such as script-missing or node-version.
	Code string `json:"code"`
	// The line of the log that says so.
	Line string `json:"line"`
	// Where it can be repaired; none where that is in the code, or on no page.
	Remedy CauseRemedy `json:"remedy"`
	// The same in a sentence.
	Text string `json:"text"`
}

// Certificate is a resource of the type certificates.
type Certificate struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	CertificateAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta CertificateResourceMeta `json:"meta"`
}

// CertificateAttributes are the fields of a resource.
type CertificateAttributes struct {
	// Whether the domain is served with this certificate.
	Active bool `json:"active"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The type of the private key.
	KeyType *KeyType `json:"key_type"`
	// The root of the chain, if the certificate authority offers several; null for its default.
	PreferredChain *PreferredChain `json:"preferred_chain"`
	// How far the request of the certificate is.
	RequestStatus CertificateRequestStatus `json:"request_status"`
	// Whether the certificate's files are on the server.
	Status MonitorStatus `json:"status"`
	// Where the certificate comes from: Let's Encrypt, a signing request, or an upload.
	Type CertificateType `json:"type"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// How the names are proven: by a file on the site (http-01) or in DNS (dns-01). Null for uploaded certificates.
	VerificationMethod *VerificationMethod `json:"verification_method"`
}

// CertificateMeta is part of what the API takes and answers.
type CertificateMeta struct {
	// The certificate signing request, as PEM; null for other types of certificates.
	CSR *string `json:"csr"`
	// When the certificate expires; null until there is one.
	ExpiresAt *time.Time `json:"expires_at"`
	// Why the last attempt to issue or renew the certificate failed; empty if it succeeded. After a failure, the previous
	// certificate is still served.
	Failure string `json:"failure"`
	// The issuer whose certificate is missing in the uploaded chain, without which many clients refuse it; empty if none
	// is.
	MissingIssuer string `json:"missing_issuer"`
	// The domain names of the certificate.
	Names []string `json:"names"`
	// When the certificate will be renewed; null if it is not renewed automatically.
	RenewAt *time.Time `json:"renew_at"`
}

// CertificateResourceMeta is part of what the API takes and answers.
type CertificateResourceMeta struct {
	// About the certificate's names and renewal.
	Certificate *CertificateMeta `json:"certificate"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// Check is part of what the API takes and answers.
type Check struct {
	// What was seen.
	Evidence string `json:"evidence"`
	// What was asked: the program that reads a configuration, systemd, a port, cron, a site, a new connection, or restored
	// data.
	Kind CheckKind `json:"kind"`
}

// CheckRepositoryRequest is what a request says.
type CheckRepositoryRequest struct {
	// The fingerprint of the Git server's new host key (SHA256:…), compared with the server's own: if the server shows
	// that key, it replaces the one that is known of it.
	HostKey Nullable[string] `json:"host_key,omitzero"`
}

// Checklist is a resource of the type checklists.
type Checklist struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	ChecklistAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// ChecklistAttributes are the fields of a resource.
type ChecklistAttributes struct {
	// Whether there is a backup configuration.
	Backup bool `json:"backup"`
	// Whether a domain has an active certificate.
	HTTPS bool `json:"https"`
	// Whether another person is a member or invited.
	Invite bool `json:"invite"`
	// Whether a site has a repository.
	Repository bool `json:"repository"`
	// Whether a server is set up.
	Server bool `json:"server"`
	// The newest server, preferably one with a database.
	ServerID *int64 `json:"server_id"`
	// Whether there is a site.
	Site bool `json:"site"`
	// The newest site that is not a load balancer.
	SiteID *int64 `json:"site_id"`
}

// Command is a resource of the type commands.
type Command struct {
	ID                ID     `json:"id"`
	ResourceType      string `json:"type"`
	CommandAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships CommandRelationships `json:"relationships"`
}

// CommandAttributes are the fields of a resource.
type CommandAttributes struct {
	// The command, which runs in the site's directory.
	Command string `json:"command"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The duration, such as 1.5s; empty until the command ends.
	Duration string `json:"duration"`
	// Why the command failed, unless it exited with a nonzero status.
	ErrorOutput *string `json:"error_output"`
	// The exit status of the command; null until it ended.
	ExitCode *int64 `json:"exit_code"`
	// How far the command is, or how it ended.
	Status CommandStatus `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// The id of the person who ran it.
	UserID int64 `json:"user_id"`
}

// CommandOutput is a resource of the type commandOutputs.
type CommandOutput struct {
	ID                      ID     `json:"id"`
	ResourceType            string `json:"type"`
	CommandOutputAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// CommandOutputAttributes are the fields of a resource.
type CommandOutputAttributes struct {
	// What the command printed so far.
	Output string `json:"output"`
}

// CommandRelationships are the ids of related resources.
type CommandRelationships struct {
	// The person who ran it.
	User ToOne `json:"user"`
}

// Commit is part of what the API takes and answers.
type Commit struct {
	// The author of the commit.
	Author *string `json:"author"`
	// The branch that was deployed.
	Branch *string `json:"branch"`
	// The hash of the commit.
	Hash *string `json:"hash"`
	// The message of the commit.
	Message *string `json:"message"`
}

// ComposerCredential is a resource.
type ComposerCredential struct {
	ID                           ID     `json:"id"`
	ResourceType                 string `json:"type"`
	ComposerCredentialAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// ComposerCredentialAttributes are the fields of a resource.
type ComposerCredentialAttributes struct {
	// Always empty: the secret is never shown.
	Password string `json:"password"`
	// The host that Composer downloads from, such as repo.packagist.com.
	Repository string `json:"repository"`
	// The user name at the host.
	Username string `json:"username"`
}

// ConfirmHostKeysRequest is what a request says.
type ConfirmHostKeysRequest struct {
	// Public keys as presented, each compared with the server's own by its fingerprint.
	HostKeys []string `json:"host_keys"`
}

// CreateBackgroundProcessRequest is what a request says.
type CreateBackgroundProcessRequest struct {
	// One line, which bash runs in the directory.
	Command string `json:"command"`
	// Defaults to the site's directory, or the account's home.
	Directory Nullable[string] `json:"directory,omitzero"`
	// A name of your choice.
	Name string `json:"name"`
	// The number of instances.
	Processes int64 `json:"processes"`
	// The site that the process belongs to; null or omitted for none.
	SiteID *int64 `json:"site_id,omitempty"`
	// How many seconds an instance must run to count as running, default 1.
	Startsecs *int64 `json:"startsecs,omitempty"`
	// The signal that stops an instance, default TERM.
	Stopsignal Nullable[string] `json:"stopsignal,omitzero"`
	// How many seconds an instance is given to stop before it is killed, default 10.
	Stopwaitsecs *int64 `json:"stopwaitsecs,omitempty"`
	// root, forge, or the account of a site on the server.
	User string `json:"user"`
}

// CreateBackupConfigurationRequest is what a request says.
type CreateBackupConfigurationRequest struct {
	// The bucket. Null or omitted for the storage provider's default.
	Bucket Nullable[string] `json:"bucket,omitzero"`
	// For the frequency custom: minute, hour, day, month, weekday.
	Cron *string `json:"cron,omitempty"`
	// The ids of the databases.
	DatabaseIDs []int64 `json:"database_ids"`
	// For the frequency weekly; 0 is Sunday.
	Day *Day `json:"day,omitempty"`
	// The directory in the bucket below which objects are stored.
	Directory Nullable[string] `json:"directory,omitzero"`
	// How often to back up. weekly also needs day and time, daily needs time, custom needs cron.
	Frequency CreateBackupConfigurationFrequency `json:"frequency"`
	// Back up all databases of the server, including future ones.
	IncludeNewDatabases *bool `json:"include_new_databases,omitempty"`
	// A name of your choice.
	Name Nullable[string] `json:"name,omitzero"`
	// The address that is notified of failed backups; null for none.
	NotificationEmail Nullable[string] `json:"notification_email,omitzero"`
	// Files and directories below the site's directory that are backed up, such as uploads or .env.
	Paths []string `json:"paths,omitzero"`
	// The number of days between proofs, in which a backup is restored into a separate database and compared; 0 for never.
	// New configurations have 7.
	ProveEveryDays *int64 `json:"prove_every_days,omitempty"`
	// The number of complete backups to keep.
	Retention int64 `json:"retention"`
	// The site whose files are included in the backups.
	SiteID *int64 `json:"site_id,omitempty"`
	// The id of the storage provider that objects are stored at.
	StorageProviderID int64 `json:"storage_provider_id"`
	// The time of daily and weekly backups, as hours and minutes in the organization's time zone; null for other
	// frequencies.
	Time *Time `json:"time,omitempty"`
}

// CreateComposerCredentialRequest is what a request says.
type CreateComposerCredentialRequest struct {
	// The password or token. It is never returned.
	Password string `json:"password"`
	// The repository's host. If you give a URL, only its host is used.
	Repository string `json:"repository"`
	// The user name at the host.
	Username string `json:"username"`
}

// CreateDNSProviderRequest is what a request says.
type CreateDNSProviderRequest struct {
	// For rfc2136; default hmac-sha256.
	Algorithm Nullable[Algorithm] `json:"algorithm,omitzero"`
	// For rfc2136: the name of the key that signs updates.
	Key Nullable[string] `json:"key,omitzero"`
	// A name of your choice.
	Name string `json:"name"`
	// For rfc2136: the address or name of the primary nameserver, with a port if it is not 53.
	Nameserver Nullable[string] `json:"nameserver,omitzero"`
	// The kind of the DNS provider; rfc2136 for a name server of your own.
	Provider DNSProviderProvider `json:"provider"`
	// The API token, which needs permission only to change DNS records; for rfc2136 the key, as base64. It is never
	// returned.
	Secret string `json:"secret"`
}

// CreateDatabaseRequest is what a request says.
type CreateDatabaseRequest struct {
	// The ids of backup configurations that the database is added to.
	BackupConfigurationIDs []int64 `json:"backup_configuration_ids,omitzero"`
	// The extensions of PostgreSQL that the database is to have. Debian's package is installed where one needs it.
	Extensions []string `json:"extensions,omitzero"`
	// Letters, digits, dashes and underscores.
	Name string `json:"name"`
	// For a new account; generated and shown once if omitted.
	Password Nullable[string] `json:"password,omitzero"`
	// An account with access to the database: a new one, or an existing one (then without a password).
	User Nullable[string] `json:"user,omitzero"`
}

// CreateDatabaseUserRequest is what a request says.
type CreateDatabaseUserRequest struct {
	// The databases the account has access to.
	DatabaseIDs []int64 `json:"database_ids,omitzero"`
	// Letters, digits, dashes and underscores.
	Name string `json:"name"`
	// Printable ASCII. If empty, a password is generated and shown once in meta.shown_once.
	Password string `json:"password"`
	// Whether the user can only read.
	ReadOnly *bool `json:"read_only,omitempty"`
}

// CreateDeploymentWebhookRequest is what a request says.
type CreateDeploymentWebhookRequest struct {
	// Where messages are sent, with POST.
	URL string `json:"url"`
}

// CreateDomainCertificateRequest is what a request says.
type CreateDomainCertificateRequest struct {
	// The certificate to copy. For the type clone.
	Clone *Original `json:"clone,omitempty"`
	// The subject of the signing request. For the type csr.
	CSR *Subject `json:"csr,omitempty"`
	// Whether to activate it immediately, default true.
	Enable *bool `json:"enable,omitempty"`
	// A certificate with its key. For the type existing.
	Existing *Pair `json:"existing,omitempty"`
	// How Let's Encrypt issues the certificate. For the type letsencrypt.
	Letsencrypt *ACMERequest `json:"letsencrypt,omitempty"`
	// Where the certificate comes from. The field of this name has the details.
	Type CreateDomainCertificateType `json:"type"`
}

// CreateDomainRequest is what a request says.
type CreateDomainRequest struct {
	// Whether all subdomains are served as well.
	AllowWildcardSubdomains bool `json:"allow_wildcard_subdomains"`
	// The domain name.
	Name string `json:"name"`
	// Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither.
	WwwRedirectType WwwRedirectType `json:"www_redirect_type"`
}

// CreateFirewallRuleRequest is what a request says.
type CreateFirewallRuleRequest struct {
	// IPv4 and IPv6 addresses and subnets, separated by commas; omit it for any address.
	IPAddress any `json:"ip_address,omitzero"`
	// A name of your choice.
	Name string `json:"name"`
	// A port or a range such as 8000:8010. Empty for all ports.
	Port Nullable[string] `json:"port,omitzero"`
	// Whether matching connections are accepted or dropped.
	Type CreateFirewallRuleType `json:"type"`
}

// CreateHeartbeatRequest is what a request says.
type CreateHeartbeatRequest struct {
	// A cron expression with five fields, in the server's time; required when the frequency is -1.
	CustomFrequency *string `json:"custom_frequency,omitempty"`
	// In minutes; 312480 means monthly (31 days), and -1 means custom_frequency.
	Frequency int64 `json:"frequency"`
	// The grace period after a call is due, in minutes.
	GracePeriod int64 `json:"grace_period"`
	// A name of your choice.
	Name string `json:"name"`
}

// CreateLoadBalancerSiteRequest is what a request says.
type CreateLoadBalancerSiteRequest struct {
	// Whether all subdomains are served as well.
	AllowWildcardSubdomains *bool `json:"allow_wildcard_subdomains,omitempty"`
	// How many idle connections to the nodes are kept open, 0 to 256.
	BalancerKeepaliveMaxConnections *int64 `json:"balancer_keepalive_max_connections,omitempty"`
	// How a node is chosen: in turn, the one with the fewest connections, or by the visitor's address.
	BalancerMethod *BalancerMethod `json:"balancer_method,omitempty"`
	// The servers that requests are forwarded to.
	Balancing []Node `json:"balancing,omitzero"`
	// The domain that visitors use.
	Domain string `json:"domain"`
}

// CreateMonitorRequest is what a request says.
type CreateMonitorRequest struct {
	// How many minutes the value must be beyond the threshold, or back within it, for the state to change. Default 1.
	Minutes *int64 `json:"minutes,omitempty"`
	// The address to notify of each change of state.
	Notify string `json:"notify"`
	// Whether the value is too high at or above the threshold (gte), or too low at or below it (lte).
	Operator Operator `json:"operator"`
	// In percent, except for reboot_required, certificate_days and url.
	Threshold float64 `json:"threshold"`
	// cpu_load is the one-minute load average per CPU; disk and inodes are the usage of the disk of /. reboot_required is 1
	// while updates wait for a reboot; use gte and 1. certificate_days is the number of days until the first certificate of
	// a site expires; use lte. url is 1 while the URL, which Hostler requests every minute, fails; use gte and 1.
	Type MonitorType `json:"type"`
	// For the type url, the URL to request: http or https, without a user, and public unless this installation allows
	// private addresses. The check fails with a status of 400 or more, an invalid certificate, or no response within 10
	// seconds. At most 5 redirects are followed.
	URL *string `json:"url,omitempty"`
}

// CreateNginxTemplateRequest is what a request says.
type CreateNginxTemplateRequest struct {
	// The text of the template.
	Content string `json:"content"`
	// A name of your choice.
	Name string `json:"name"`
}

// CreateNotificationChannelRequest is what a request says.
type CreateNotificationChannelRequest struct {
	// For mail.
	Address Nullable[string] `json:"address,omitzero"`
	// For Telegram: the chat's id, or @channel.
	Chat Nullable[string] `json:"chat,omitzero"`
	// Defaults to true.
	Enabled *bool `json:"enabled,omitempty"`
	// The events that are notified of.
	Events []CreateNotificationChannelEvent `json:"events"`
	// A name of your choice.
	Name string `json:"name"`
	// For Telegram, the bot's token; for ntfy, an access token if the topic requires one. It is never returned.
	Token Nullable[string] `json:"token,omitzero"`
	// For ntfy. It is never returned, because anyone who knows the topic of a public server can read its messages.
	Topic Nullable[string] `json:"topic,omitzero"`
	// Where notifications are sent.
	Type NotificationChannelType `json:"type"`
	// For webhook, Slack, Discord and Teams; for ntfy, the server, default https://ntfy.sh. It is never returned.
	URL Nullable[string] `json:"url,omitzero"`
}

// CreateNpmCredentialRequest is what a request says.
type CreateNpmCredentialRequest struct {
	// The registry's address, without a scheme.
	Registry string `json:"registry"`
	// Scopes whose packages come from this registry, such as @acme.
	Scopes Nullable[[]string] `json:"scopes,omitzero"`
	// The access token of the registry. It is never returned.
	Token string `json:"token"`
}

// CreateOAuthClientRequest is what a request says.
type CreateOAuthClientRequest struct {
	// Whether to issue a secret, for applications that can keep one.
	Confidential *bool `json:"confidential,omitempty"`
	// The name that people see when they grant access.
	Name string `json:"name"`
	// https, http on loopback, or a custom scheme in reverse domain form. They must match exactly.
	RedirectUris []string `json:"redirect_uris"`
	// The permissions that the application can ask for.
	Scopes []Scope `json:"scopes"`
}

// CreatePhpVersionRequest is what a request says.
type CreatePhpVersionRequest struct {
	// Use this version as the default php on the command line.
	CliDefault *bool `json:"cli_default,omitempty"`
	// Use this version as the default for new sites once it is installed.
	SiteDefault *bool `json:"site_default,omitempty"`
	// The version to install.
	Version CreatePhpVersionVersion `json:"version"`
}

// CreateRecipeRequest is what a request says.
type CreateRecipeRequest struct {
	// A name of your choice.
	Name string `json:"name"`
	// The script, for bash, at most 128 KiB.
	Script string `json:"script"`
	// A team to share it with from the start.
	TeamID *int64 `json:"team_id,omitempty"`
	// The account that runs the script on a server.
	User CreateRecipeUser `json:"user"`
}

// CreateRedirectRequest is what a request says.
type CreateRedirectRequest struct {
	// A regular expression that is matched against the path, such as ^/old$. Without ^ and $ it matches anywhere in the
	// path.
	From string `json:"from"`
	// A path or a URL; $1 to $9 are the parenthesized matches of from.
	To string `json:"to"`
	// redirect responds with 302, permanent with 301.
	Type RedirectRuleType `json:"type"`
}

// CreateRoleRequest is what a request says.
type CreateRoleRequest struct {
	// The name of the role.
	Name string `json:"name"`
	// The permissions of the role. The list replaces the previous one.
	Permissions []Permission `json:"permissions,omitzero"`
}

// CreateSFTPUserRequest is what a request says.
type CreateSFTPUserRequest struct {
	// The last day on which the user can log in, such as 2030-12-31, in UTC. Null or omitted for no end.
	ExpiresOn Nullable[string] `json:"expires_on,omitzero"`
	// Public keys as OpenSSH writes them, without options. PuTTY's format is converted.
	Keys []string `json:"keys"`
	// The name that the user logs in with: lower-case letters, digits, dashes and underscores. No account of the server may
	// have it.
	Name string `json:"name"`
}

// CreateSSHKeyRequest is what a request says.
type CreateSSHKeyRequest struct {
	// A public key in OpenSSH's format, without options. A private key is rejected and not stored.
	Key string `json:"key"`
	// A name of your choice.
	Name string `json:"name"`
	// Restrictions as in authorized_keys (sshd(8)), such as restrict,from="10.0.0.0/8",expiry-time="20301231". Allowed are
	// from with addresses and networks, expiry-time, permitopen, restrict, pty, port-forwarding, agent-forwarding and their
	// no- forms, no-user-rc, and no-x11-forwarding. Only administrators of the organization (organization:manage) can give
	// them.
	Options Nullable[string] `json:"options,omitzero"`
	// root, forge, or the account of a site on the server.
	User Nullable[string] `json:"user,omitzero"`
}

// CreateScheduledJobRequest is what a request says.
type CreateScheduledJobRequest struct {
	// One line, which bash runs in the site's directory, or in the account's home.
	Command string `json:"command"`
	// A cron expression with five fields, in the server's time; required when the frequency is custom.
	Cron Nullable[string] `json:"cron,omitzero"`
	// How often the job runs. custom needs a cron expression, reboot is whenever the server starts.
	Frequency CreateScheduledJobFrequency `json:"frequency"`
	// The heartbeat's grace period, in minutes; default 5.
	GracePeriod *int64 `json:"grace_period,omitempty"`
	// Create a heartbeat that the job calls on success. For jobs of sites.
	Heartbeat Nullable[bool] `json:"heartbeat,omitzero"`
	// A name of your choice; null for none.
	Name Nullable[string] `json:"name,omitzero"`
	// root, forge, or the account of a site on the server.
	User string `json:"user"`
}

// CreateSecurityRuleRequest is what a request says.
type CreateSecurityRuleRequest struct {
	// The users who can open the path.
	Credentials []Credential `json:"credentials"`
	// The text shown to visitors in the password prompt.
	Name string `json:"name"`
	// The path to protect, including everything below it. Empty for the whole site.
	Path *string `json:"path,omitempty"`
}

// CreateServerCredentialRequest is what a request says.
type CreateServerCredentialRequest struct {
	// The API token of the cloud provider. It is never returned.
	Key *string `json:"key,omitempty"`
	// A name of your choice.
	Name string `json:"name"`
	// The cloud provider.
	Provider CreateServerCredentialProvider `json:"provider"`
	// The API token or the secret key. It is never returned.
	Secret string `json:"secret"`
}

// CreateServerProviderNetworkRequest is what a request says.
type CreateServerProviderNetworkRequest struct {
	// The name of the new network.
	Name string `json:"name"`
}

// CreateServerRequest is what a request says.
type CreateServerRequest struct {
	// It has no effect.
	AddKeyToSourceControl *bool `json:"add_key_to_source_control,omitempty"`
	// Details for the provider akamai.
	Akamai *AkamaiServer `json:"akamai,omitempty"`
	// Details for the provider aws.
	Aws *AWSServer `json:"aws,omitempty"`
	// The id of the server credential, with which the cloud provider is asked; null or omitted for custom.
	CredentialID *int64 `json:"credential_id,omitempty"`
	// Details for the provider custom.
	Custom *CustomServer `json:"custom,omitempty"`
	// The name of the first database.
	Database *string `json:"database,omitempty"`
	// The database to install; null for none.
	DatabaseType Nullable[CreateServerDatabaseType] `json:"database_type,omitzero"`
	// Details for the provider hetzner.
	Hetzner *HetznerServer `json:"hetzner,omitempty"`
	// It has no effect.
	Laravel *LaravelServer `json:"laravel,omitempty"`
	// The name of the server, of at most 30 characters.
	Name string `json:"name"`
	// Details for the provider ocean2, which is DigitalOcean.
	Ocean2 *Ocean2Server `json:"ocean2,omitempty"`
	// The version of PHP of new sites.
	PHPVersion *CreateSitePHPVersion `json:"php_version,omitempty"`
	// The cloud provider; custom for a machine of your own. The field of this name has the details.
	Provider string `json:"provider"`
	// A recipe that runs when the server is set up; null for none.
	RecipeID Nullable[int64] `json:"recipe_id,omitzero"`
	// The names of the server's tags. Missing ones are created.
	Tags Nullable[[]string] `json:"tags,omitzero"`
	// If ufw is active, adopt its rules and disable it. Without this, a server with active ufw rules is not set up.
	TakeOver *bool `json:"take_over,omitempty"`
	// A team to share the server with from the start.
	TeamID Nullable[int64] `json:"team_id,omitzero"`
	// What the server is for, which decides what is installed on it.
	Type ServerType `json:"type"`
	// The requested version. Optional for custom servers, where the system is detected.
	UbuntuVersion *CreateServerUbuntuVersion `json:"ubuntu_version,omitempty"`
	// Details for the provider vultr.
	Vultr *VultrServer `json:"vultr,omitempty"`
}

// CreateSiteRequest is what a request says.
type CreateSiteRequest struct {
	// Whether all subdomains are served as well.
	AllowWildcardSubdomains *bool `json:"allow_wildcard_subdomains,omitempty"`
	// The branch to deploy; null for the default.
	Branch Nullable[string] `json:"branch,omitzero"`
	// A database of the server that the site uses.
	DatabaseID *int64 `json:"database_id,omitempty"`
	// The user with which the site opens the database.
	DatabaseUserID *int64 `json:"database_user_id,omitempty"`
	// Always custom: an installation has no domain for sites.
	DomainMode *string `json:"domain_mode,omitempty"`
	// The command that builds the frontend: one line of at most 1000 characters.
	FrontendBuildCommand *string `json:"frontend_build_command,omitempty"`
	// The package manager of the frontend, with which deployments install and build.
	FrontendPackageManager *string `json:"frontend_package_manager,omitempty"`
	// Whether the site gets an SSH key of its own to read the repository.
	GenerateDeployKey *bool `json:"generate_deploy_key,omitempty"`
	// Whether deployments install the packages of composer.lock.
	InstallComposerDependencies *bool `json:"install_composer_dependencies,omitempty"`
	// Defaults to true for a WordPress that Hostler installs, else to false.
	IsIsolated *bool `json:"is_isolated,omitempty"`
	// The account of an isolated site, of at most 32 characters: lower case, digits, - and _.
	IsolatedUser *string `json:"isolated_user,omitempty"`
	// How much of its server all that runs for the site may use. Replaces all limits: what is left out has none.
	// Deployments have the same limits once more for themselves. A new site without it has those of its organization
	// (site_limits).
	Limits *LimitValues `json:"limits,omitempty"`
	// The domain.
	Name string `json:"name"`
	// The nginx template of the site's configuration. Without it, the built-in one is used.
	NginxTemplateID *int64 `json:"nginx_template_id,omitempty"`
	// For nextjs and nuxtjs: whether the application runs as a program (server) or is served as files (static).
	NuxtNextMode *string `json:"nuxt_next_mode,omitempty"`
	// The port on which the application's program listens. Without it, a free one is chosen.
	NuxtNextPort *int64 `json:"nuxt_next_port,omitempty"`
	// The version of PHP. Without it, new sites get the server's.
	PHPVersion *CreateSitePHPVersion `json:"php_version,omitempty"`
	// The private key of a deploy key of your own. It is never returned.
	PrivateDeployKey *string `json:"private_deploy_key,omitempty"`
	// The public key of a deploy key of your own; it must match the private key.
	PublicDeployKey *string `json:"public_deploy_key,omitempty"`
	// Whether a push to the branch deploys the site.
	PushToDeploy *bool `json:"push_to_deploy,omitempty"`
	// The repository: owner/name at a provider, or the address for custom; null for none.
	Repository Nullable[string] `json:"repository,omitzero"`
	// The directory of the application in the repository; null for its top.
	RootDirectory Nullable[string] `json:"root_directory,omitzero"`
	// What runs the site's programs, processes, jobs, commands and deploy scripts: system is the Node.js of the server's
	// distribution, node, bun and deno are a version of the site's own; python, ruby and go are what the server's
	// distribution has of these languages, and go with a runtime_version is a version of the site's own. Default system.
	Runtime *CreateSiteRuntime `json:"runtime,omitempty"`
	// The version of the runtime: 20, 22, 24 or 26 of node, 2 of deno or one like 1.25 of go for the newest release of that
	// line, which stays until this field is sent again, or an exact version like 22.11.0. bun has exact versions only.
	RuntimeVersion *string `json:"runtime_version,omitempty"`
	// The paths of a release that all releases share, at most 50.
	SharedPaths []SharedPath `json:"shared_paths,omitzero"`
	// The kind of the repository's provider; custom for any other address.
	SourceControlProvider Nullable[UpdateGitSourceControlProvider] `json:"source_control_provider,omitzero"`
	// The id of the connection to the provider.
	SourceControlProviderID Nullable[int64] `json:"source_control_provider_id,omitzero"`
	// One line that starts the site's own program, which listens on port $PORT of 127.0.0.1: a shell runs it in the
	// directory of the release, as the site's account. For sites of the types other, custom, nextjs and nuxtjs; null for
	// what the type says (npm start).
	StartCommand Nullable[string] `json:"start_command,omitzero"`
	// It has no effect.
	StatamicSetup *string `json:"statamic_setup,omitempty"`
	// It has no effect.
	StatamicStarterKit *string `json:"statamic_starter_kit,omitempty"`
	// It has no effect.
	StatamicSuperUserEmail *string `json:"statamic_super_user_email,omitempty"`
	// It has no effect.
	StatamicSuperUserPassword Nullable[string] `json:"statamic_super_user_password,omitzero"`
	// The names of the site's tags. Missing ones are created.
	Tags Nullable[[]string] `json:"tags,omitzero"`
	// The kind of the application, which decides the nginx configuration and the first deploy script.
	Type CreateSiteType `json:"type"`
	// The directory, below the root directory, whose files visitors can open.
	WebDirectory Nullable[string] `json:"web_directory,omitzero"`
	// Defaults to the caller's address.
	WordpressEmail Nullable[string] `json:"wordpress_email,omitzero"`
	// Generated if omitted.
	WordpressPassword Nullable[string] `json:"wordpress_password,omitzero"`
	// The title. Defaults to the domain.
	WordpressTitle Nullable[string] `json:"wordpress_title,omitzero"`
	// The administrator. Generated if omitted.
	WordpressUser Nullable[string] `json:"wordpress_user,omitzero"`
	// Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither. Default none.
	WwwRedirectType *WwwRedirectType `json:"www_redirect_type,omitempty"`
	// Whether each deployment gets a directory of its own, which is served once it is complete.
	ZeroDowntimeDeployments *bool `json:"zero_downtime_deployments,omitempty"`
}

// CreateSourceControlProviderRequest is what a request says.
type CreateSourceControlProviderRequest struct {
	// The host from which your own GitLab is cloned over SSH, with a port if it is not 22. Defaults to the host of url.
	CloneHost Nullable[string] `json:"clone_host,omitzero"`
	// A name of your choice.
	Name string `json:"name"`
	// The kind of the provider; gitlab-custom for a GitLab of your own.
	Provider SourceControlProviderProvider `json:"provider"`
	// A token that can read repositories and manage their deploy keys and webhooks. It is never returned.
	Token string `json:"token"`
	// The address of your own GitLab, such as https://git.example.com. Required for gitlab-custom.
	URL Nullable[string] `json:"url,omitzero"`
	// Only if the token is used as a password: the email address of the Atlassian account.
	Username Nullable[string] `json:"username,omitzero"`
}

// CreateStorageConfigurationRequest is what a request says.
type CreateStorageConfigurationRequest struct {
	// It is never returned.
	AccessKey Nullable[string] `json:"access_key,omitzero"`
	// Always false: Hostler does not use the role of the machine it runs on. true is rejected.
	AssumeRole *bool `json:"assume_role,omitempty"`
	// The default bucket, for configurations that do not name one.
	Bucket Nullable[string] `json:"bucket,omitzero"`
	// The directory in the bucket below which objects are stored; null for its top.
	Directory Nullable[string] `json:"directory,omitzero"`
	// Required for custom, such as https://s3.example.com, with path-style bucket addresses. file:/// is a disk of the
	// machine that Hostler runs on, if its operator allows that; sftp://host:port/directory is a directory of an SFTP
	// server.
	Endpoint *string `json:"endpoint,omitempty"`
	// For SFTP only: the key that the server must present, such as ssh-ed25519 AAAAC3Nza… If omitted, the response is a
	// 422 with the presented key; no secret is sent before the key is confirmed.
	HostKey Nullable[string] `json:"host_key,omitzero"`
	// A name of your choice.
	Name string `json:"name"`
	// The kind of the storage provider; custom for any other S3-compatible one, SFTP or a disk.
	Provider StorageProviderProvider `json:"provider"`
	// Required unless an endpoint is given.
	Region *string `json:"region,omitempty"`
	// It is never returned. For SFTP, the password of the user named in access_key, or a private key without a passphrase.
	SecretKey Nullable[string] `json:"secret_key,omitzero"`
}

// CreateTeamInviteRequest is what a request says.
type CreateTeamInviteRequest struct {
	// The email address to invite.
	Email string `json:"email"`
	// The id of the role that the person has in the team.
	RoleID int64 `json:"role_id"`
}

// CreateTeamRequest is what a request says.
type CreateTeamRequest struct {
	// People to invite by email, each with a role.
	Invites []InviteRef `json:"invites,omitzero"`
	// The name of the team.
	Name string `json:"name"`
	// Members of the organization, each with a role in the team.
	Users []MemberRef `json:"users,omitzero"`
}

// Credential is what a request says.
type Credential struct {
	// The password. It is never returned.
	Password string `json:"password"`
	// The user name.
	Username string `json:"username"`
}

// CustomRole is a resource of the type customRoles.
type CustomRole struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	CustomRoleAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships RoleRelationships `json:"relationships"`
}

// CustomRoleAttributes are the fields of a resource.
type CustomRoleAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The name of the role.
	Name string `json:"name"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// CustomServer is what a request says.
type CustomServer struct {
	// Whether the machine is behind a router, which forwards a port to SSH.
	BehindNat *bool `json:"behind_nat,omitempty"`
	// The public IP address.
	IPAddress *string `json:"ip_address,omitempty"`
	// The public port that the router forwards to SSH; null for ssh_port.
	NatSSHPort Nullable[int64] `json:"nat_ssh_port,omitzero"`
	// The address in the private network; null if there is none.
	PrivateIPAddress Nullable[string] `json:"private_ip_address,omitzero"`
	// The port of SSH on the machine.
	SSHPort *int64 `json:"ssh_port,omitempty"`
}

// DNSPlanStep is part of what the API takes and answers.
type DNSPlanStep struct {
	// What is done about the record. A plan with a refuse is not carried out.
	Action DNSPlanStepAction `json:"action"`
	// The name of the record.
	Name string `json:"name"`
	// Whether the record is changed or removed only if the request names it in replace.
	Named bool `json:"named"`
	// Why, as a sentence; empty where the action says it.
	Text string `json:"text"`
	// The type of the record.
	Type DNSPlanStepType `json:"type"`
	// The value that the record gets, or has.
	Value string `json:"value"`
	// The value that the provider has; empty for none.
	Was string `json:"was"`
}

// DNSProvider is a resource of the type dnsProviders.
type DNSProvider struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	DNSProviderAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DNSProviderAttributes are the fields of a resource.
type DNSProviderAttributes struct {
	// For rfc2136: the algorithm of the TSIG key.
	Algorithm *string `json:"algorithm"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// Whether any certificate is renewed through this provider, or the records of any domain are kept there.
	InUse bool `json:"in_use"`
	// For rfc2136: the name of the TSIG key.
	Key *string `json:"key"`
	// A name of your choice.
	Name string `json:"name"`
	// For rfc2136; null for other providers, as are key and algorithm.
	Nameserver *string `json:"nameserver"`
	// The kind of the DNS provider; rfc2136 for a name server of your own.
	Provider DNSProviderProvider `json:"provider"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// DNSRecord is part of what the API takes and answers.
type DNSRecord struct {
	// The values at the provider.
	Found []string `json:"found"`
	// The name of the record.
	Name string `json:"name"`
	// Whether all nameservers that answered show the value, and no other.
	Seen bool `json:"seen"`
	// What nameservers answered.
	Sights []DNSSight `json:"sights"`
	// Whether the provider has the record as Hostler created it.
	State DNSRecordState `json:"state"`
	// The type of the record.
	Type DNSRecordType `json:"type"`
	// The value that the record gets, or has.
	Value string `json:"value"`
	// The zone that the record is in.
	Zone string `json:"zone"`
}

// DNSSight is part of what the API takes and answers.
type DNSSight struct {
	// Whether it is a nameserver of the zone, asked directly; else it is a resolver, which may remember an older answer.
	Authoritative bool `json:"authoritative"`
	// Why there was no answer; empty if there was one.
	Problem string `json:"problem"`
	// The address of the nameserver, or resolver.
	Server string `json:"server"`
	// The values that it shows.
	Values []string `json:"values"`
}

// Database is a resource of the type databases.
type Database struct {
	ID                 ID     `json:"id"`
	ResourceType       string `json:"type"`
	DatabaseAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta DatabaseResourceMeta `json:"meta"`
}

// DatabaseAttributes are the fields of a resource.
type DatabaseAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The name.
	Name string `json:"name"`
	// failed (an addition) if the creation failed: see meta.operation, then retry or delete it.
	Status DatabaseStatus `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// DatabaseConnections is part of what the API takes and answers.
type DatabaseConnections struct {
	// The open connections to the database.
	Count int64 `json:"count"`
	// The open connections to all databases of the server.
	EngineCount int64 `json:"engine_count"`
	// How many connections the engine allows.
	EngineLimit int64 `json:"engine_limit"`
	// The limit of connections to the database; null if it has none.
	Limit *int64 `json:"limit"`
	// The 100 accounts with the most connections to the database.
	Users []AccountConnections `json:"users"`
}

// DatabaseExtension is part of what the API takes and answers.
type DatabaseExtension struct {
	// The version that the database has; null if it does not have the extension.
	Installed *string `json:"installed"`
	// Whether Hostler can create it. If its files are not on the server, Debian's package is installed.
	Managed bool `json:"managed"`
	// The name.
	Name string `json:"name"`
	// The version that the server offers; null if its files are not on the server.
	Offered *string `json:"offered"`
	// The schema that the extension is in; null if the database does not have it.
	Schema *string `json:"schema"`
	// Whether accounts with write access to the database can create it (CREATE EXTENSION).
	Trusted bool `json:"trusted"`
}

// DatabaseResourceMeta is part of what the API takes and answers.
type DatabaseResourceMeta struct {
	// The extensions of PostgreSQL that Hostler keeps in the database.
	Extensions []string `json:"extensions"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// DatabaseUsage is a resource of the type databaseUsages.
type DatabaseUsage struct {
	ID                      ID     `json:"id"`
	ResourceType            string `json:"type"`
	DatabaseUsageAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DatabaseUsageAttributes are the fields of a resource.
type DatabaseUsageAttributes struct {
	// When the engine was asked.
	CheckedAt time.Time `json:"checked_at"`
	// The open connections.
	Connections DatabaseConnections `json:"connections"`
	// Those of PostgreSQL; what the database has comes first.
	Extensions []DatabaseExtension `json:"extensions"`
	// What the database takes on the server, in bytes.
	Size int64 `json:"size"`
	// The queries that take longest.
	SlowQueries SlowQueries `json:"slow_queries"`
	// The number of tables, with those that are not listed.
	TableCount int64 `json:"table_count"`
	// The 100 largest tables, the largest first.
	Tables []TableUsage `json:"tables"`
}

// DatabaseUser is a resource of the type databaseUsers.
type DatabaseUser struct {
	ID                     ID     `json:"id"`
	ResourceType           string `json:"type"`
	DatabaseUserAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta DatabaseUserResourceMeta `json:"meta"`
}

// DatabaseUserAttributes are the fields of a resource.
type DatabaseUserAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The name.
	Name string `json:"name"`
	// failed (an addition) if the creation failed: see meta.operation, then retry or delete it.
	Status DatabaseUserStatus `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// DatabaseUserMeta is part of what the API takes and answers.
type DatabaseUserMeta struct {
	// Whether the user can open all databases of the server, including future ones.
	All bool `json:"all"`
	// The ids of the databases that the user can open.
	DatabaseIDs []string `json:"database_ids"`
	// Whether the user can only read.
	ReadOnly bool `json:"read_only"`
}

// DatabaseUserResourceMeta is part of what the API takes and answers.
type DatabaseUserResourceMeta struct {
	// The databases that the user can open.
	DatabaseUser *DatabaseUserMeta `json:"database_user"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// Delivery is a resource of the type deliveries.
type Delivery struct {
	ID                 ID     `json:"id"`
	ResourceType       string `json:"type"`
	DeliveryAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DeliveryAttributes are the fields of a resource.
type DeliveryAttributes struct {
	// How often delivery was attempted.
	Attempts int64 `json:"attempts"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// When the delivery succeeded or was given up; null until then.
	EndedAt *time.Time `json:"ended_at"`
	// The event that is reported.
	Event string `json:"event"`
	// Why the last attempt failed.
	Failure *string `json:"failure"`
	// The message id, the same for every attempt and resend.
	MessageID string `json:"message_id"`
	// When delivery is attempted again; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// The body of the request.
	Payload string `json:"payload"`
	// The beginning of the last response.
	Response string `json:"response"`
	// Whether it was delivered.
	State DeliveryState `json:"state"`
	// The status code of the last response; null if there was none.
	StatusCode *int64 `json:"status_code"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// DeployHook is a resource of the type deploymentHooks.
type DeployHook struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	DeployHookAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta DeployHookResourceMeta `json:"meta"`
}

// DeployHookAttributes are the fields of a resource.
type DeployHookAttributes struct {
	// The address whose call deploys the site. It contains a secret.
	URL string `json:"url"`
}

// DeployHookMeta is part of what the API takes and answers.
type DeployHookMeta struct {
	// The secret of pushes as a signing token of GitLab, used instead of its secret token.
	SigningToken string `json:"signing_token"`
}

// DeployHookResourceMeta is part of what the API takes and answers.
type DeployHookResourceMeta struct {
	// The secret of the hook in other forms.
	DeployHook *DeployHookMeta `json:"deploy_hook"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// DeployKey is a resource of the type deployKeys.
type DeployKey struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	DeployKeyAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DeployKeyAttributes are the fields of a resource.
type DeployKeyAttributes struct {
	// The public key with which the server reads the repository; null if the site has none of its own.
	Key *string `json:"key"`
}

// Deployment is a resource of the type deployments.
type Deployment struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	DeploymentAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta DeploymentResourceMeta `json:"meta"`
	// The ids of related resources.
	Relationships DeploymentRelationships `json:"relationships"`
}

// DeploymentAttributes are the fields of a resource.
type DeploymentAttributes struct {
	// The commit that was deployed.
	Commit Commit `json:"commit"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// Null until the deployment ends.
	EndedAt *time.Time `json:"ended_at"`
	// Null while queued.
	StartedAt *time.Time `json:"started_at"`
	// How far the deployment is, or how it ended.
	Status DeploymentStatusValue `json:"status"`
	// What started the deployment.
	Type string `json:"type"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// DeploymentMeta is part of what the API takes and answers.
type DeploymentMeta struct {
	// Why it failed, as far as its log says. Only in the answer for one failed deployment, for callers who can read its
	// log, and where it is recognized.
	Cause *Cause `json:"cause"`
}

// DeploymentOutput is a resource of the type deploymentOutputs.
type DeploymentOutput struct {
	ID                         ID     `json:"id"`
	ResourceType               string `json:"type"`
	DeploymentOutputAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DeploymentOutputAttributes are the fields of a resource.
type DeploymentOutputAttributes struct {
	// What the deployment printed so far.
	Output string `json:"output"`
}

// DeploymentRelationships are the ids of related resources.
type DeploymentRelationships struct {
	// The person who started it; null for a push or a hook.
	Initiator ToOne `json:"initiator"`
	// The site that was deployed.
	Site ToOne `json:"site"`
}

// DeploymentResourceMeta is part of what the API takes and answers.
type DeploymentResourceMeta struct {
	// Why the deployment failed.
	Deployment *DeploymentMeta `json:"deployment"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// DeploymentScript is a resource of the type deploymentScripts.
type DeploymentScript struct {
	ID                         ID     `json:"id"`
	ResourceType               string `json:"type"`
	DeploymentScriptAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DeploymentScriptAttributes are the fields of a resource.
type DeploymentScriptAttributes struct {
	// Whether the environment file is read before the script, so that the script sees its variables.
	AutoSource bool `json:"auto_source"`
	// The deploy script; null if there is none.
	Content *string `json:"content"`
}

// DeploymentStatus is a resource of the type deploymentStatuses.
type DeploymentStatus struct {
	ID                         ID     `json:"id"`
	ResourceType               string `json:"type"`
	DeploymentStatusAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DeploymentStatusAttributes are the fields of a resource.
type DeploymentStatusAttributes struct {
	// Null until the deployment starts.
	StartedAt *time.Time `json:"started_at"`
	// How far the newest deployment is, or how it ended; null if there is none.
	Status *DeploymentStatusValue `json:"status"`
}

// DeploymentWebhook is a resource of the type deploymentWebhooks.
type DeploymentWebhook struct {
	ID                          ID     `json:"id"`
	ResourceType                string `json:"type"`
	DeploymentWebhookAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DeploymentWebhookAttributes are the fields of a resource.
type DeploymentWebhookAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// Callers without permission to manage the site's notifications do not see its path and query.
	URL string `json:"url"`
}

// DomainActionRequest is what a request says.
type DomainActionRequest struct {
	// Whether to serve the domain, to stop serving it, or to name the site by it.
	Action DomainActionAction `json:"action"`
}

// DomainCertificateActionRequest is what a request says.
type DomainCertificateActionRequest struct {
	// Whether to serve the domain with the certificate or without it.
	Action DomainCertificateActionAction `json:"action"`
}

// DomainDNS is a resource of the type domainDNS.
type DomainDNS struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	DomainDNSAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DomainDNSAttributes are the fields of a resource.
type DomainDNSAttributes struct {
	// When the records were last looked at; null if they never were.
	CheckedAt *time.Time `json:"checked_at"`
	// The DNS provider where the records are kept; null if Hostler keeps none.
	DNSProviderID *int64 `json:"dns_provider_id"`
	// Why there was no answer; empty if there was one.
	Problem string `json:"problem"`
	// The kind of that provider; null if there is none.
	Provider *string `json:"provider"`
	// The records that Hostler made for the domain.
	Records []DNSRecord `json:"records"`
	// Where the records are in their life: none if Hostler keeps none, failed if the last work on them failed.
	Status DomainDNSStatus `json:"status"`
}

// DomainDNSPlan is a resource of the type domainDNSPlans.
type DomainDNSPlan struct {
	ID                      ID     `json:"id"`
	ResourceType            string `json:"type"`
	DomainDNSPlanAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DomainDNSPlanAttributes are the fields of a resource.
type DomainDNSPlanAttributes struct {
	// The DNS provider whose records were read.
	DNSProviderID int64 `json:"dns_provider_id"`
	// Names this plan. The request that carries it out repeats it.
	Hash string `json:"hash"`
	// Whether the plan can be carried out.
	Possible bool `json:"possible"`
	// The kind of the DNS provider.
	Provider string `json:"provider"`
	// What is done, in this order.
	Steps []DNSPlanStep `json:"steps"`
}

// DomainRecord is a resource of the type domainRecords.
type DomainRecord struct {
	ID                     ID     `json:"id"`
	ResourceType           string `json:"type"`
	DomainRecordAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// DomainRecordAttributes are the fields of a resource.
type DomainRecordAttributes struct {
	// Whether all subdomains are served as well.
	AllowWildcardSubdomains bool `json:"allow_wildcard_subdomains"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The domain name.
	Name string `json:"name"`
	// Where the domain is in its life on the server. Disabled domains are not served.
	Status DomainRecordStatus `json:"status"`
	// Whether the domain names its site (primary) or is a further one (alias).
	Type DomainRecordType `json:"type"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither.
	WwwRedirectType WwwRedirectType `json:"www_redirect_type"`
}

// DomainRecordConfiguration is a resource.
type DomainRecordConfiguration struct {
	ID                                  ID     `json:"id"`
	ResourceType                        string `json:"type"`
	DomainRecordConfigurationAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta DomainRecordConfigurationResourceMeta `json:"meta"`
}

// DomainRecordConfigurationAttributes are the fields of a resource.
type DomainRecordConfigurationAttributes struct {
	// The name of the DNS record.
	Name string `json:"name"`
	// The time to live, in seconds; null for any.
	Ttl *int64 `json:"ttl"`
	// The type of the DNS record.
	Type DomainRecordConfigurationType `json:"type"`
	// The value that the DNS record must have.
	Value string `json:"value"`
}

// DomainRecordConfigurationResourceMeta is part of what the API takes and answers.
type DomainRecordConfigurationResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// What DNS shows at the name of the record.
	Record *RecordMeta `json:"record"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// DriftDifference is part of what the API takes and answers.
type DriftDifference struct {
	// A diff from the server's content to the planned one; empty for secrets.
	Diff string `json:"diff"`
	// Whether a repair only reports the difference without fixing it: lost data and manual changes.
	Kept bool `json:"kept"`
	// The file that differs; empty if the difference is no file.
	Path string `json:"path"`
	// The step of the setup whose result differs.
	Step string `json:"step"`
	// missing, content, mode, owner, target, present, foreign, package, user, inactive, masked, disabled, outdated (a
	// program runs with older settings), rights or password (of an account of a database engine), refused (by cron) or
	// overridden (by a file of sshd, PHP-FPM or systemd).
	What string `json:"what"`
}

// DryRun is part of what the API takes and answers.
type DryRun struct {
	// The hash of the plan. The same request with it as X-Hostler-Plan is done only if its plan is still this one.
	Hash string `json:"hash"`
	// The changes of each server.
	Servers []ServerDryRun `json:"servers"`
}

// EnableMaintenanceModeRequest is what a request says.
type EnableMaintenanceModeRequest struct {
	// A path that visitors are redirected to.
	Redirect Nullable[string] `json:"redirect,omitzero"`
	// Visitors who open this path bypass the page.
	Secret Nullable[string] `json:"secret,omitzero"`
	// The status that visitors receive.
	Status int64 `json:"status"`
}

// EnableOctaneRequest is what a request says.
type EnableOctaneRequest struct {
	// The port on which it listens, for nginx only: 1024 to 65535.
	Port string `json:"port"`
	// The application server that Octane uses.
	Server EnableOctaneServer `json:"server"`
}

// EnableReverbRequest is what a request says.
type EnableReverbRequest struct {
	// The highest number of simultaneous connections.
	Connections int64 `json:"connections"`
	// One of the site's domains, to which clients connect, below /app and /apps.
	Host string `json:"host"`
	// The port on which it listens, for nginx only: 1024 to 65535.
	Port string `json:"port"`
}

// Environment is a resource of the type environments.
type Environment struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	EnvironmentAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// EnvironmentAttributes are the fields of a resource.
type EnvironmentAttributes struct {
	// The text of the environment file.
	Content string `json:"content"`
}

// EnvironmentVersion is a resource of the type environmentVersions.
type EnvironmentVersion struct {
	ID                           ID     `json:"id"`
	ResourceType                 string `json:"type"`
	EnvironmentVersionAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships VersionRelationships `json:"relationships"`
}

// EnvironmentVersionAttributes are the fields of a resource.
type EnvironmentVersionAttributes struct {
	// Null in lists.
	Content *string `json:"content"`
	// When the version was written.
	CreatedAt time.Time `json:"created_at"`
	// The changes since the previous version, as a unified diff; null in lists.
	Diff *string `json:"diff"`
	// Whether the version was written to the server.
	Status EnvironmentVersionStatus `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// Event is a resource of the type events.
type Event struct {
	ID              ID     `json:"id"`
	ResourceType    string `json:"type"`
	EventAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta EventResourceMeta `json:"meta"`
	// The ids of related resources.
	Relationships EventRelationships `json:"relationships"`
}

// EventAttributes are the fields of a resource.
type EventAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// What was done.
	Description string `json:"description"`
	// The account that it ran as on the server; null if it did not run there.
	RanAs *string `json:"ran_as"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// EventOutput is a resource of the type eventOutputs.
type EventOutput struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	EventOutputAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// EventOutputAttributes are the fields of a resource.
type EventOutputAttributes struct {
	// What the work printed so far.
	Output string `json:"output"`
}

// EventRelationships are the ids of related resources.
type EventRelationships struct {
	// The person who started it; null if Hostler did.
	Initiator ToOne `json:"initiator"`
	// The site concerned; null if it is about the server.
	Site ToOne `json:"site"`
}

// EventResourceMeta is part of what the API takes and answers.
type EventResourceMeta struct {
	// When the work succeeded, and for whom. Of one event.
	Applied *Applied `json:"applied"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// The plan with whose hash the work was accepted; only the hash without its permissions. Of one event.
	Plan *DryRun `json:"plan"`
	// How work that succeeded was verified. Of one event.
	Proof *Proof `json:"proof"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// The name of the event's server.
	ServerName *string `json:"server_name"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// What would undo the change. Of one event, if you may send it and nothing has changed since.
	Undo *Undo `json:"undo"`
}

// File is a resource of the type siteFiles.
type File struct {
	ID             ID     `json:"id"`
	ResourceType   string `json:"type"`
	FileAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta FileResourceMeta `json:"meta"`
}

// FileAttributes are the fields of a resource.
type FileAttributes struct {
	// The name of the file's group, or its number.
	Group string `json:"group"`
	// Other is a named pipe, a socket or a device, which is never opened.
	Kind FileKind `json:"kind"`
	// What a link leads to. Links that lead out of the site's directory are not followed.
	LeadsTo *FileLeadsTo `json:"leads_to"`
	// The permissions in octal, such as 0644.
	Mode string `json:"mode"`
	// When the content last changed.
	ModifiedAt time.Time `json:"modified_at"`
	// The name in its directory.
	Name string `json:"name"`
	// The name of the file's owner, or its number.
	Owner string `json:"owner"`
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string `json:"path"`
	// The size in bytes.
	Size int64 `json:"size"`
	// Where a link points.
	Target *string `json:"target"`
}

// FileContent is a resource of the type siteFileContents.
type FileContent struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	FileContentAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta FileContentResourceMeta `json:"meta"`
}

// FileContentAttributes are the fields of a resource.
type FileContentAttributes struct {
	// The content of the file; null if it is not UTF-8 or larger than 512 KiB.
	Content *string `json:"content"`
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string `json:"path"`
	// A hash of the content; null for a file larger than 512 KiB.
	Revision *string `json:"revision"`
	// The size in bytes.
	Size int64 `json:"size"`
	// Whether content is all of the file.
	Text bool `json:"text"`
}

// FileContentResourceMeta is part of what the API takes and answers.
type FileContentResourceMeta struct {
	// Where the file is, and what deployments do with it.
	File *FileMeta `json:"file"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// FileDiff is part of what the API takes and answers.
type FileDiff struct {
	// The difference, in the unified format.
	Diff string `json:"diff"`
	// The path of the file on the server.
	Path string `json:"path"`
}

// FileMeta is part of what the API takes and answers.
type FileMeta struct {
	// The sum of the sizes of files; null unless count is true.
	Bytes *int64 `json:"bytes"`
	// What deployments do with a change: it is kept; it is lost with its release; or the repository may replace it.
	Deployment FileMetaDeployment `json:"deployment"`
	// The number of files and directories, with this one; null unless count is true.
	Entries *int64 `json:"entries"`
	// Whether the file was written over instead of being replaced, as it has several names, another owner or a mount.
	InPlace bool `json:"in_place"`
	// What else writes the file: environment is the site's .env, which has operations of its own.
	ManagedBy *FileMetaManagedBy `json:"managed_by"`
	// Where the file is after links were followed.
	Path string `json:"path"`
}

// FileResourceMeta is part of what the API takes and answers.
type FileResourceMeta struct {
	// Where the file is, and what deployments do with it.
	File *FileMeta `json:"file"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// FleetMetric is a resource of the type fleetMetrics.
type FleetMetric struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	FleetMetricAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// FleetMetricAttributes are the fields of a resource.
type FleetMetricAttributes struct {
	// Percent, averaged over the servers with measurements. As in all lists, null is a step without measurements.
	CPU []*float64 `json:"cpu"`
	// Like cpu.
	CPULoad []*float64 `json:"cpu_load"`
	// Like cpu.
	Disk []*float64 `json:"disk"`
	// The beginning of the first step.
	From time.Time `json:"from"`
	// Bytes per second, summed over all servers.
	NetworkReceived []*float64 `json:"network_received"`
	// Bytes per second, summed over all servers.
	NetworkSent []*float64 `json:"network_sent"`
	// The period that the values are of.
	Range Range `json:"range"`
	// The servers with measurements, by name.
	Servers []FleetServer `json:"servers"`
	// The length of a step, in seconds.
	Step int64 `json:"step"`
	// The end of the last step, which may still be in progress.
	Until time.Time `json:"until"`
	// Like cpu.
	UsedMemory []*float64 `json:"used_memory"`
}

// FleetServer is part of what the API takes and answers.
type FleetServer struct {
	// Percent, to one decimal place.
	CPU []*float64 `json:"cpu"`
	// The name of the server.
	Name string `json:"name"`
	// The id of the server.
	ServerID int64 `json:"server_id"`
}

// ForgeRecipe is a resource of the type forgeRecipes.
type ForgeRecipe struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	ForgeRecipeAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// ForgeRecipeAttributes are the fields of a resource.
type ForgeRecipeAttributes struct {
	// Null: the recipe is built in.
	CreatedAt *time.Time `json:"created_at"`
	// What the recipe does.
	Info string `json:"info"`
	// A name of your choice.
	Name string `json:"name"`
	// The script, for bash.
	Script string `json:"script"`
	// Null: the recipe is built in.
	UpdatedAt *time.Time `json:"updated_at"`
	// The account that runs the script.
	User string `json:"user"`
}

// HealthcheckEndpoint is a resource of the type healthcheckEndpoints.
type HealthcheckEndpoint struct {
	ID                            ID     `json:"id"`
	ResourceType                  string `json:"type"`
	HealthcheckEndpointAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// HealthcheckEndpointAttributes are the fields of a resource.
type HealthcheckEndpointAttributes struct {
	// The URL that is requested after a deployment; null for none.
	HealthcheckEndpoint *string `json:"healthcheck_endpoint"`
}

// Heartbeat is a resource of the type heartbeats.
type Heartbeat struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	HeartbeatAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta HeartbeatResourceMeta `json:"meta"`
}

// HeartbeatAttributes are the fields of a resource.
type HeartbeatAttributes struct {
	// The cron expression of the frequency -1, in the server's time; null or omitted for others.
	CustomFrequency *string `json:"custom_frequency"`
	// In minutes; 312480 means monthly (31 days), and -1 means custom_frequency.
	Frequency int64 `json:"frequency"`
	// In minutes.
	GracePeriod int64 `json:"grace_period"`
	// A name of your choice.
	Name string `json:"name"`
	// Call it with GET, HEAD or POST. Null without permission to manage heartbeats.
	PingURL *string `json:"ping_url"`
	// Null while the state is unknown, because calls may have been made while Hostler was not running.
	Status *HeartbeatStatus `json:"status"`
}

// HeartbeatMeta is part of what the API takes and answers.
type HeartbeatMeta struct {
	// When the next call is due; null if none is expected yet.
	DueAt *time.Time `json:"due_at"`
	// When the heartbeat was last called; null for never.
	LastPingAt *time.Time `json:"last_ping_at"`
}

// HeartbeatResourceMeta is part of what the API takes and answers.
type HeartbeatResourceMeta struct {
	// When the heartbeat was called, and when the next call is due.
	Heartbeat *HeartbeatMeta `json:"heartbeat"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// HetznerServer is what a request says.
type HetznerServer struct {
	// Whether the cloud provider backs up the machine every day, which costs more.
	EnableDailyBackups *bool `json:"enable_daily_backups,omitempty"`
	// Whether the cloud provider backs up the machine every week, which costs more.
	EnableWeeklyBackups *bool `json:"enable_weekly_backups,omitempty"`
	// The id of the private network at the cloud provider.
	NetworkID *int64 `json:"network_id,omitempty"`
	// The code of the region, as the provider's regions list it.
	RegionID *string `json:"region_id,omitempty"`
	// The code of the size, as the region's sizes list it.
	SizeID *string `json:"size_id,omitempty"`
}

// HorizonIntegration is a resource of the type horizonIntegrations.
type HorizonIntegration struct {
	ID                           ID     `json:"id"`
	ResourceType                 string `json:"type"`
	HorizonIntegrationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships IntegrationRelationships `json:"relationships"`
}

// HorizonIntegrationAttributes are the fields of a resource.
type HorizonIntegrationAttributes struct {
	// Whether the integration is on.
	Enabled string `json:"enabled"`
	// Whether the site has the package laravel/horizon.
	HorizonInstalled bool `json:"horizon_installed"`
}

// HostKey is part of what the API takes and answers.
type HostKey struct {
	// As ssh-keygen -l prints it.
	Fingerprint string `json:"fingerprint"`
	// The public key, in the form of OpenSSH.
	PublicKey string `json:"public_key"`
}

// ImportRedirectsRequest is what a request says.
type ImportRedirectsRequest struct {
	// Whether the rules are added to the existing ones or replace them.
	Mode ImportRedirectsMode `json:"mode"`
}

// InertiaIntegration is a resource of the type inertiaIntegrations.
type InertiaIntegration struct {
	ID                           ID     `json:"id"`
	ResourceType                 string `json:"type"`
	InertiaIntegrationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships IntegrationRelationships `json:"relationships"`
}

// InertiaIntegrationAttributes are the fields of a resource.
type InertiaIntegrationAttributes struct {
	// Whether the integration is on.
	Enabled string `json:"enabled"`
	// Whether the site has Inertia's package for server-side rendering.
	InertiaInstalled bool `json:"inertia_installed"`
}

// InstallCertificateRequest is what a request says.
type InstallCertificateRequest struct {
	// The certificate and its intermediates, as PEM.
	Certificate string `json:"certificate"`
}

// IntegrationRelationships are the ids of related resources.
type IntegrationRelationships struct {
	// The background process of the integration; null while it is off.
	BackgroundProcess ToOne `json:"backgroundProcess"`
}

// InviteRef is what a request says.
type InviteRef struct {
	// The email address to invite.
	Email string `json:"email"`
	// The role that the person has.
	Role *RoleRef `json:"role,omitempty"`
}

// Job is a resource of the type scheduledJobs.
type Job struct {
	ID            ID     `json:"id"`
	ResourceType  string `json:"type"`
	JobAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta JobResourceMeta `json:"meta"`
}

// JobAttributes are the fields of a resource.
type JobAttributes struct {
	// The command, which bash runs.
	Command string `json:"command"`
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The cron expression of the schedule.
	Cron string `json:"cron"`
	// A display name, such as Minutely or Custom.
	Frequency string `json:"frequency"`
	// A name of your choice; null for none.
	Name *string `json:"name"`
	// By the server's clock, in UTC; empty for jobs that run when the server starts.
	NextRunTime string `json:"next_run_time"`
	// Whether the job is on the server.
	Status string `json:"status"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
	// The account that the job runs as.
	User string `json:"user"`
}

// JobMeta is part of what the API takes and answers.
type JobMeta struct {
	// The heartbeat that the job calls on success; null for none.
	HeartbeatID *int64 `json:"heartbeat_id"`
	// The integration that created it; empty if it was created directly.
	Integration string `json:"integration"`
	// The site that the job belongs to; null for a job of the server.
	SiteID *int64 `json:"site_id"`
	// Why the server's cron has not started it although it was due; empty if it has, or if it was not due yet.
	Unstarted string `json:"unstarted"`
}

// JobOutput is a resource of the type scheduledJobOutputs.
type JobOutput struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	JobOutputAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// JobOutputAttributes are the fields of a resource.
type JobOutputAttributes struct {
	// The first line contains the start time and the result of the run.
	Output string `json:"output"`
}

// JobRelationships are the ids of related resources.
type JobRelationships struct {
	// The scheduled job of the integration; null while it is off.
	Job ToOne `json:"job"`
}

// JobResourceMeta is part of what the API takes and answers.
type JobResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// What the scheduled job belongs to.
	Job *JobMeta `json:"job"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// Key is a resource of the type keys.
type Key struct {
	ID            ID     `json:"id"`
	ResourceType  string `json:"type"`
	KeyAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta KeyResourceMeta `json:"meta"`
}

// KeyAttributes are the fields of a resource.
type KeyAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The user who added the key; null once that account is deleted.
	CreatedBy *int64 `json:"created_by"`
	// A name of your choice.
	Name string `json:"name"`
	// Whether the key is on the server.
	Status string `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// The account that the key opens.
	User string `json:"user"`
}

// KeyMeta is part of what the API takes and answers.
type KeyMeta struct {
	// What restricts the key, as in authorized_keys.
	Options string `json:"options"`
}

// KeyResourceMeta is part of what the API takes and answers.
type KeyResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// The options of the key.
	SSHKey *KeyMeta `json:"ssh_key"`
}

// LaravelMaintenanceIntegration is a resource of the type laravelMaintenanceIntegrations.
type LaravelMaintenanceIntegration struct {
	ID                                      ID     `json:"id"`
	ResourceType                            string `json:"type"`
	LaravelMaintenanceIntegrationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// LaravelMaintenanceIntegrationAttributes are the fields of a resource.
type LaravelMaintenanceIntegrationAttributes struct {
	// Whether the integration is on.
	Enabled bool `json:"enabled"`
	// Whether the site is a Laravel application.
	LaravelInstalled bool `json:"laravel_installed"`
	// The change in progress; null if there is none.
	Status *MaintenanceModeStatus `json:"status"`
}

// LaravelSchedulerIntegration is a resource of the type laravelSchedulerIntegrations.
type LaravelSchedulerIntegration struct {
	ID                                    ID     `json:"id"`
	ResourceType                          string `json:"type"`
	LaravelSchedulerIntegrationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships JobRelationships `json:"relationships"`
}

// LaravelSchedulerIntegrationAttributes are the fields of a resource.
type LaravelSchedulerIntegrationAttributes struct {
	// Whether the integration is on.
	Enabled bool `json:"enabled"`
	// Whether the site is a Laravel application.
	LaravelInstalled bool `json:"laravel_installed"`
}

// LaravelServer is what a request says.
type LaravelServer struct {
	// The code of the region, as the provider's regions list it.
	RegionID *string `json:"region_id,omitempty"`
	// The code of the size, as the region's sizes list it.
	SizeID *string `json:"size_id,omitempty"`
	// The id of the private network at the cloud provider.
	VPCUUID *string `json:"vpc_uuid,omitempty"`
}

// LimitValues is what a request says.
type LimitValues struct {
	// Concurrent requests, 5 to 1000000; others get 503.
	Connections Nullable[int64] `json:"connections,omitzero"`
	// Percent of one processor, 5 to 100000.
	CPUQuota Nullable[int64] `json:"cpu_quota,omitzero"`
	// Share of busy processors, to 10000; others: 100.
	CPUWeight Nullable[int64] `json:"cpu_weight,omitzero"`
	// MB that the site's directory may hold, at least 10.
	DiskMax Nullable[int64] `json:"disk_max,omitzero"`
	// Share of a busy disk, to 10000; others: 100.
	IoWeight Nullable[int64] `json:"io_weight,omitzero"`
	// MB above which programs are slowed; 64 or more.
	MemoryHigh Nullable[int64] `json:"memory_high,omitzero"`
	// The same in percent of all memory, 1 to 100.
	MemoryHighPercent Nullable[int64] `json:"memory_high_percent,omitzero"`
	// MB above which programs are ended; 64 or more.
	MemoryMax Nullable[int64] `json:"memory_max,omitzero"`
	// The same in percent of all memory, 1 to 100.
	MemoryMaxPercent Nullable[int64] `json:"memory_max_percent,omitzero"`
	// Open files of each process, 256 to 1048576.
	OpenFiles Nullable[int64] `json:"open_files,omitzero"`
	// Processes and threads, 32 to 1000000.
	TasksMax Nullable[int64] `json:"tasks_max,omitzero"`
}

// LimitsInForce is part of what the API takes and answers.
type LimitsInForce struct {
	// Concurrent requests that are answered.
	Connections *int64 `json:"connections"`
	// In percent of one processor.
	CPUQuota *int64 `json:"cpu_quota"`
	// Share of the processors while they are all busy; others have 100.
	CPUWeight *int64 `json:"cpu_weight"`
	// Of the site's directory, in MB.
	DiskMax *int64 `json:"disk_max"`
	// Share of the disk while it is busy; others have 100.
	IoWeight *int64 `json:"io_weight"`
	// In MB; null for no limit, as in all of these.
	MemoryHigh *int64 `json:"memory_high"`
	// In percent of the server's memory.
	MemoryHighPercent *int64 `json:"memory_high_percent"`
	// In MB.
	MemoryMax *int64 `json:"memory_max"`
	// In percent of the server's memory.
	MemoryMaxPercent *int64 `json:"memory_max_percent"`
	// Of each process.
	OpenFiles *int64 `json:"open_files"`
	// Number of processes and threads.
	TasksMax *int64 `json:"tasks_max"`
}

// Link is part of what the API takes and answers.
type Link struct {
	// The address of a description of what is linked.
	Describedby *string `json:"describedby"`
	// The address.
	Href string `json:"href"`
	// The languages of what is linked.
	Hreflang any `json:"hreflang"`
	// More about the link.
	Meta map[string]any `json:"meta"`
	// How the address relates to the resource.
	Rel *string `json:"rel"`
	// A name of the link for people.
	Title *string `json:"title"`
	// The media type of what is linked.
	Type *string `json:"type"`
}

// LoadBalancingNode is a resource of the type loadBalancingNodes.
type LoadBalancingNode struct {
	ID                          ID     `json:"id"`
	ResourceType                string `json:"type"`
	LoadBalancingNodeAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// LoadBalancingNodeAttributes are the fields of a resource.
type LoadBalancingNodeAttributes struct {
	// Whether the node is only used while all others are unavailable.
	Backup bool `json:"backup"`
	// Whether the node gets no requests.
	Down bool `json:"down"`
	// The port of the node.
	Port int64 `json:"port"`
	// The id of the node's server.
	ServerID any `json:"server_id"`
	// The node's share of the requests, relative to the others.
	Weight int64 `json:"weight"`
}

// LogMeta is part of what the API takes and answers.
type LogMeta struct {
	// The offset behind the last returned line.
	End int64 `json:"end"`
	// Whether there are lines before start.
	More bool `json:"more"`
	// The file; empty if it does not exist yet.
	Path string `json:"path"`
	// The offset of the first line in the file. Pass it as before= to get the previous page.
	Start int64 `json:"start"`
}

// MaintenanceMode is part of what the API takes and answers.
type MaintenanceMode struct {
	// Whether the maintenance page is shown.
	Enabled bool `json:"enabled"`
	// The change in progress; null if there is none.
	Status *MaintenanceModeStatus `json:"status"`
}

// Mark is part of what the API takes and answers.
type Mark struct {
	// When it happened.
	At time.Time `json:"at"`
	// What happened.
	Description string `json:"description"`
	// The id of the event that shows it.
	EventID int64 `json:"event_id"`
	// The kind of the event.
	Kind MarkKind `json:"kind"`
}

// MemberRef is what a request says.
type MemberRef struct {
	// The id of the person.
	ID int64 `json:"id"`
	// The role that the person has.
	Role *RoleRef `json:"role,omitempty"`
}

// Membership is a resource of the type memberships.
type Membership struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	MembershipAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships MembershipRelationships `json:"relationships"`
}

// MembershipAttributes are the fields of a resource.
type MembershipAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The email address of the person.
	Email string `json:"email"`
	// The name of the person.
	Name string `json:"name"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// MembershipRelationships are the ids of related resources.
type MembershipRelationships struct {
	// The role that the person has.
	Role ToOne `json:"role"`
}

// Meta is part of what the API takes and answers.
type Meta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// Metric is a resource of the type metrics.
type Metric struct {
	ID               ID     `json:"id"`
	ResourceType     string `json:"type"`
	MetricAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// MetricAttributes are the fields of a resource.
type MetricAttributes struct {
	// The percentage of the time of all CPUs during which programs ran. As in all lists, null is a step without
	// measurements.
	CPU []*float64 `json:"cpu"`
	// The one-minute load average per CPU, in percent.
	CPULoad []*float64 `json:"cpu_load"`
	// The percentage of the disk of / that is in use.
	Disk []*float64 `json:"disk"`
	// The beginning of the first step.
	From time.Time `json:"from"`
	// What happened during this time: the newest 200, oldest first.
	Marks []Mark `json:"marks"`
	// Bytes per second.
	NetworkReceived []*float64 `json:"network_received"`
	// Bytes per second.
	NetworkSent []*float64 `json:"network_sent"`
	// The period that the values are of.
	Range Range `json:"range"`
	// The length of a step, in seconds.
	Step int64 `json:"step"`
	// The end of the last step, which may still be in progress.
	Until time.Time `json:"until"`
	// The percentage of memory that is not available to programs.
	UsedMemory []*float64 `json:"used_memory"`
}

// Monitor is a resource of the type monitors.
type Monitor struct {
	ID                ID     `json:"id"`
	ResourceType      string `json:"type"`
	MonitorAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta MonitorResourceMeta `json:"meta"`
}

// MonitorAttributes are the fields of a resource.
type MonitorAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// How many minutes the value must be beyond the threshold, or back within it, for the state to change.
	Minutes *int64 `json:"minutes"`
	// The email address that is notified of each change of state.
	Notify string `json:"notify"`
	// Whether the value is too high at or above the threshold (gte), or too low at or below it (lte).
	Operator Operator `json:"operator"`
	// Whether the value is within the threshold. UNKNOWN until there is a value.
	State MonitorState `json:"state"`
	// When the state last changed; null if it never did.
	StateChangedAt *time.Time `json:"state_changed_at"`
	// Whether the monitor is set up on the server.
	Status MonitorStatus `json:"status"`
	// The value that is compared; in percent, except for reboot_required, certificate_days and url.
	Threshold float64 `json:"threshold"`
	// What is measured.
	Type MonitorType `json:"type"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// MonitorMeta is part of what the API takes and answers.
type MonitorMeta struct {
	// The URL that is requested; empty unless the type is url.
	URL string `json:"url"`
}

// MonitorResourceMeta is part of what the API takes and answers.
type MonitorResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest value of the monitor.
	Monitor *MonitorMeta `json:"monitor"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// The address that is notified.
	Recipient *State `json:"recipient"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// MoveFileRequest is what a request says.
type MoveFileRequest struct {
	// The path that it gets, from the site's directory. It must be free.
	NewPath string `json:"new_path"`
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string `json:"path"`
}

// MysqlServiceActionRequest is what a request says.
type MysqlServiceActionRequest struct {
	// What to do with the service. reboot restarts it.
	Action MysqlServiceActionAction `json:"action"`
}

// NginxAccessLog is a resource of the type nginxAccessLogs.
type NginxAccessLog struct {
	ID                       ID     `json:"id"`
	ResourceType             string `json:"type"`
	NginxAccessLogAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta NginxAccessLogResourceMeta `json:"meta"`
}

// NginxAccessLogAttributes are the fields of a resource.
type NginxAccessLogAttributes struct {
	// The lines of the log, oldest first.
	Content string `json:"content"`
}

// NginxAccessLogResourceMeta is part of what the API takes and answers.
type NginxAccessLogResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// Where in the log the returned lines are.
	Log *LogMeta `json:"log"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// NginxConfig is a resource of the type nginxConfigs.
type NginxConfig struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	NginxConfigAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta NginxConfigResourceMeta `json:"meta"`
}

// NginxConfigAttributes are the fields of a resource.
type NginxConfigAttributes struct {
	// The configuration that is installed, or is being installed; null while the domain is not served.
	Content *string `json:"content"`
}

// NginxConfigResourceMeta is part of what the API takes and answers.
type NginxConfigResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// About the nginx configuration.
	Nginx *NginxMeta `json:"nginx"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// NginxErrorLog is a resource of the type nginxErrorLogs.
type NginxErrorLog struct {
	ID                      ID     `json:"id"`
	ResourceType            string `json:"type"`
	NginxErrorLogAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta NginxErrorLogResourceMeta `json:"meta"`
}

// NginxErrorLogAttributes are the fields of a resource.
type NginxErrorLogAttributes struct {
	// The lines of the log, oldest first.
	Content string `json:"content"`
}

// NginxErrorLogResourceMeta is part of what the API takes and answers.
type NginxErrorLogResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// Where in the log the returned lines are.
	Log *LogMeta `json:"log"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// NginxMeta is part of what the API takes and answers.
type NginxMeta struct {
	// Whether a user wrote the configuration.
	Custom bool `json:"custom"`
	// A unified diff from the server's file to the intended one; empty if they are the same.
	Drift string `json:"drift"`
	// Why the intended configuration, or the difference, can't be determined.
	Problem *string `json:"problem"`
	// Why a kept configuration would be rejected now; empty if it would be accepted, null if it was not checked.
	Refused *string `json:"refused"`
	// The rule for a user's configuration: judged is restricted to the site; root was written by a caller who can act as
	// root on the server; kept predates the restrictions. Empty for Hostler's own configuration.
	Rule NginxMetaRule `json:"rule"`
	// Which other limit of the size of requests decides, where it differs from that of the configuration: that of PHP, or
	// of the sites behind a load balancer. Null if none does.
	Sizes *string `json:"sizes"`
}

// NginxServiceActionRequest is what a request says.
type NginxServiceActionRequest struct {
	// What to do with the service. reboot restarts it.
	Action MysqlServiceActionAction `json:"action"`
}

// NginxTemplate is a resource of the type nginxTemplates.
type NginxTemplate struct {
	ID                      ID     `json:"id"`
	ResourceType            string `json:"type"`
	NginxTemplateAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// NginxTemplateAttributes are the fields of a resource.
type NginxTemplateAttributes struct {
	// The text of the template.
	Content string `json:"content"`
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// A name of your choice.
	Name string `json:"name"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// Node is what a request says.
type Node struct {
	// Whether the node is only used while all others are unavailable.
	Backup *bool `json:"backup,omitempty"`
	// Whether the node gets no requests.
	Down *bool `json:"down,omitempty"`
	// The port of the node.
	Port *int64 `json:"port,omitempty"`
	// Required.
	ServerID *int64 `json:"server_id,omitempty"`
	// The node's share of the requests, relative to the others.
	Weight *int64 `json:"weight,omitempty"`
}

// NotificationChannel is a resource of the type notificationChannels.
type NotificationChannel struct {
	ID                            ID     `json:"id"`
	ResourceType                  string `json:"type"`
	NotificationChannelAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta NotificationChannelResourceMeta `json:"meta"`
}

// NotificationChannelAttributes are the fields of a resource.
type NotificationChannelAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// Whether notifications are sent.
	Enabled bool `json:"enabled"`
	// The events that are notified of.
	Events []string `json:"events"`
	// A name of your choice.
	Name string `json:"name"`
	// The part of the destination that is not secret.
	Target string `json:"target"`
	// Where notifications are sent.
	Type NotificationChannelType `json:"type"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// NotificationChannelResourceMeta is part of what the API takes and answers.
type NotificationChannelResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// The address that is notified.
	Recipient *State `json:"recipient"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// NpmCredential is a resource.
type NpmCredential struct {
	ID                      ID     `json:"id"`
	ResourceType            string `json:"type"`
	NpmCredentialAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// NpmCredentialAttributes are the fields of a resource.
type NpmCredentialAttributes struct {
	// The registry that npm downloads from, without https://.
	Registry string `json:"registry"`
	// The scopes that are installed from this registry, such as @acme; empty for all packages.
	Scopes []string `json:"scopes"`
	// Always empty: the secret is never shown.
	Token string `json:"token"`
}

// OAuthClient is a resource of the type oauthClients.
type OAuthClient struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	OAuthClientAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// OAuthClientAttributes are the fields of a resource.
type OAuthClientAttributes struct {
	// The id that the application names itself by in the OAuth 2.0 flow.
	ClientID string `json:"client_id"`
	// Whether the client has a secret. A client without one must use PKCE.
	Confidential bool `json:"confidential"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The name that people see when they grant access.
	Name string `json:"name"`
	// The addresses that people may be sent back to.
	RedirectUris []string `json:"redirect_uris"`
	// The scopes that the client can request.
	Scopes []string `json:"scopes"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// OSMeta is part of what the API takes and answers.
type OSMeta struct {
	// The architecture of the processor.
	Arch string `json:"arch"`
	// The system's id in /etc/os-release, such as ubuntu or debian.
	ID string `json:"id"`
	// The system's name with its version, as it names itself.
	Name string `json:"name"`
	// The version of the system, such as 24.04.
	Version string `json:"version"`
}

// Ocean2Server is what a request says.
type Ocean2Server struct {
	// Whether the cloud provider backs up the machine every week, which costs more.
	EnableWeeklyBackups *bool `json:"enable_weekly_backups,omitempty"`
	// The code of the region, as the provider's regions list it.
	RegionID *string `json:"region_id,omitempty"`
	// The code of the size, as the region's sizes list it.
	SizeID *string `json:"size_id,omitempty"`
	// The id of the private network at the cloud provider.
	VPCUUID *string `json:"vpc_uuid,omitempty"`
}

// OctaneIntegration is a resource of the type octaneIntegrations.
type OctaneIntegration struct {
	ID                          ID     `json:"id"`
	ResourceType                string `json:"type"`
	OctaneIntegrationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships IntegrationRelationships `json:"relationships"`
}

// OctaneIntegrationAttributes are the fields of a resource.
type OctaneIntegrationAttributes struct {
	// Whether the integration is on.
	Enabled string `json:"enabled"`
	// Whether the site has the package laravel/octane.
	OctaneInstalled bool `json:"octane_installed"`
	// The port on which the program listens, for nginx only; null while the integration is off.
	Port *int64 `json:"port"`
}

// OfferedSize is a resource of the type offeredSizes.
type OfferedSize struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	OfferedSizeAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// OfferedSizeAttributes are the fields of a resource.
type OfferedSizeAttributes struct {
	// The size's code, for size_id.
	Code string `json:"code"`
	// Null if neither the provider nor the built-in list has this value.
	Cpus *int64 `json:"cpus"`
	// An ISO 4217 code; null if there is no price.
	Currency *string `json:"currency"`
	// In GB; null if it is chosen when the server is ordered.
	Disk *int64 `json:"disk"`
	// The name of the size, as the cloud provider shows it.
	Name string `json:"name"`
	// The provider's current price, a decimal number without taxes; null if the provider does not publish it.
	PriceMonthly *string `json:"price_monthly"`
	// In MB.
	Ram *int64 `json:"ram"`
}

// OperationMeta is part of what the API takes and answers.
type OperationMeta struct {
	// What the work does, such as create, update or delete.
	Action string `json:"action"`
	// How often the work was begun.
	Attempt int64 `json:"attempt"`
	// When the work fails if it has not ended.
	Deadline time.Time `json:"deadline"`
	// When the work ended; absent until then.
	EndedAt *time.Time `json:"ended_at"`
	// The id of the event that shows the work and its output.
	EventID *string `json:"event_id"`
	// The id of the work.
	ID string `json:"id"`
	// Why the work failed, was cancelled or has not begun; null if there is nothing to say.
	Reason *string `json:"reason"`
	// The reason as a code, which never changes its meaning: one of the list in the API's guide. Absent without a reason.
	// More codes may come.
	ReasonCode *string `json:"reason_code"`
	// What the code is about, such as operation_id, status, parts or last_code.
	ReasonParams map[string]any `json:"reason_params"`
	// Whether the server is rolled back if the work ends early.
	Reversible bool `json:"reversible"`
	// Where the work is: waiting, in progress, or ended in one of three ways.
	State OperationMetaState `json:"state"`
	// The step that the work is at, or ended at; null before the first one.
	Step *string `json:"step"`
}

// OptionalCredential is what a request says.
type OptionalCredential struct {
	// The password. It is never returned.
	Password *string `json:"password,omitempty"`
	// The user name.
	Username string `json:"username"`
}

// Organization is a resource of the type organizations.
type Organization struct {
	ID                     ID     `json:"id"`
	ResourceType           string `json:"type"`
	OrganizationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta OrganizationResourceMeta `json:"meta"`
}

// OrganizationAttributes are the fields of a resource.
type OrganizationAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The name of the organization.
	Name string `json:"name"`
	// The organization's part of paths.
	Slug string `json:"slug"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// OrganizationResourceMeta is part of what the API takes and answers.
type OrganizationResourceMeta struct {
	// How the installation delivers its emails: by mail, or, without a mail server, into its log.
	Delivery *OrganizationResourceMetaDelivery `json:"delivery"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// What the caller may do in the organization. On what is shared with a team, the role in the team decides.
	Permissions []string `json:"permissions"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// The limits of new sites that are created without limits.
	SiteLimits *LimitsInForce `json:"site_limits"`
}

// Original is what a request says.
type Original struct {
	// The id of a certificate of the same organization.
	CertificateID *int64 `json:"certificate_id,omitempty"`
}

// Pair is what a request says.
type Pair struct {
	// The certificate and its intermediates, as PEM.
	Certificate *string `json:"certificate,omitempty"`
	// The private key, as PEM. It is never returned.
	Key *string `json:"key,omitempty"`
}

// PermissionAttributes are the fields of a resource.
type PermissionAttributes struct {
	// The permission, as tokens name it in their scopes.
	Name string `json:"name"`
}

// PermissionResource is a resource of the type permissions.
type PermissionResource struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	PermissionAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpCliConfiguration is a resource of the type phpCliConfigurations.
type PhpCliConfiguration struct {
	ID                            ID     `json:"id"`
	ResourceType                  string `json:"type"`
	PhpCliConfigurationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpCliConfigurationAttributes are the fields of a resource.
type PhpCliConfigurationAttributes struct {
	// The lines that are added to the distribution's configuration; empty for none.
	Configuration string `json:"configuration"`
}

// PhpFpmConfiguration is a resource of the type phpFpmConfigurations.
type PhpFpmConfiguration struct {
	ID                            ID     `json:"id"`
	ResourceType                  string `json:"type"`
	PhpFpmConfigurationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpFpmConfigurationAttributes are the fields of a resource.
type PhpFpmConfigurationAttributes struct {
	// The lines that are added to the distribution's configuration; empty for none.
	Configuration string `json:"configuration"`
}

// PhpMaxExecutionTime is a resource of the type phpMaxExecutionTimes.
type PhpMaxExecutionTime struct {
	ID                            ID     `json:"id"`
	ResourceType                  string `json:"type"`
	PhpMaxExecutionTimeAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpMaxExecutionTimeAttributes are the fields of a resource.
type PhpMaxExecutionTimeAttributes struct {
	// In seconds; null for PHP's own limit.
	MaxExecutionTime *int64 `json:"max_execution_time"`
}

// PhpMaxUploadSize is a resource of the type phpMaxUploadSizes.
type PhpMaxUploadSize struct {
	ID                         ID     `json:"id"`
	ResourceType               string `json:"type"`
	PhpMaxUploadSizeAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpMaxUploadSizeAttributes are the fields of a resource.
type PhpMaxUploadSizeAttributes struct {
	// In megabytes; null for PHP's own limit.
	MaxUploadSize *int64 `json:"max_upload_size"`
}

// PhpOpcache is a resource of the type phpOpcaches.
type PhpOpcache struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	PhpOpcacheAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpOpcacheAttributes are the fields of a resource.
type PhpOpcacheAttributes struct {
	// Whether OPcache is on.
	OpcacheEnabled bool `json:"opcache_enabled"`
}

// PhpPoolConfiguration is a resource of the type phpPoolConfigurations.
type PhpPoolConfiguration struct {
	ID                             ID     `json:"id"`
	ResourceType                   string `json:"type"`
	PhpPoolConfigurationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpPoolConfigurationAttributes are the fields of a resource.
type PhpPoolConfigurationAttributes struct {
	// The lines that are added to the distribution's configuration; empty for none.
	Configuration string `json:"configuration"`
}

// PhpServiceActionRequest is what a request says.
type PhpServiceActionRequest struct {
	// What to do with the service. reboot restarts it.
	Action PhpServiceActionAction `json:"action"`
	// The version of PHP to act on.
	Version CreatePhpVersionVersion `json:"version"`
}

// PhpVersion is a resource of the type phpVersions.
type PhpVersion struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	PhpVersionAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PhpVersionAttributes are the fields of a resource.
type PhpVersionAttributes struct {
	// The command that runs this version, such as php8.4.
	BinaryName string `json:"binary_name"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// Whether the version is installed on the server.
	Status string `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// The version of PHP.
	Version PhpVersionVersion `json:"version"`
}

// PostgresServiceActionRequest is what a request says.
type PostgresServiceActionRequest struct {
	// What to do with the service. reboot restarts it.
	Action MysqlServiceActionAction `json:"action"`
}

// PredefinedRole is a resource of the type predefinedRoles.
type PredefinedRole struct {
	ID                       ID     `json:"id"`
	ResourceType             string `json:"type"`
	PredefinedRoleAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships RoleRelationships `json:"relationships"`
}

// PredefinedRoleAttributes are the fields of a resource.
type PredefinedRoleAttributes struct {
	// Always null: predefined roles are part of the program.
	CreatedAt *time.Time `json:"created_at"`
	// The name of the role.
	Name string `json:"name"`
	// Always null: predefined roles are part of the program.
	UpdatedAt *time.Time `json:"updated_at"`
}

// ProcessMeta is part of what the API takes and answers.
type ProcessMeta struct {
	// The integration that created it; empty if it was created directly.
	Integration string `json:"integration"`
	// A name of your choice.
	Name string `json:"name"`
	// The site that the process belongs to; null or omitted for none.
	SiteID *int64 `json:"site_id"`
	// How many seconds an instance must run to count as running.
	Startsecs int64 `json:"startsecs"`
	// The signal that stops an instance.
	Stopsignal string `json:"stopsignal"`
	// How many seconds an instance is given to stop before it is killed.
	Stopwaitsecs int64 `json:"stopwaitsecs"`
}

// Proof is part of what the API takes and answers.
type Proof struct {
	// The time of the last check; null without one.
	At *time.Time `json:"at"`
	// What was asked after the change, each with what was seen.
	Checks []Check `json:"checks"`
	// passed, or none where nothing was checked.
	Result ProofResult `json:"result"`
}

// Proposal is part of what the API takes and answers.
type Proposal struct {
	// The web directory.
	Directory *string `json:"directory"`
	// What runs the site's programs.
	Runtime *string `json:"runtime"`
	// The version of the runtime.
	RuntimeVersion *string `json:"runtime_version"`
	// The line that starts the program.
	StartCommand *string `json:"start_command"`
}

// Proposed is part of what the API takes and answers.
type Proposed struct {
	// A deploy script that fits; null if the site's does, or is its own.
	DeployScript *string `json:"deploy_script"`
	// The fields of an update of the site; null for none.
	Site Proposal `json:"site"`
	// The type of site that can run it; null if this one can.
	Type *string `json:"type"`
}

// Provider is a resource of the type providers.
type Provider struct {
	ID                 ID     `json:"id"`
	ResourceType       string `json:"type"`
	ProviderAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ProviderResourceMeta `json:"meta"`
}

// ProviderAttributes are the fields of a resource.
type ProviderAttributes struct {
	// The currency of prices.
	Currency string `json:"currency"`
	// The symbol of the currency.
	CurrencySymbol string `json:"currency_symbol"`
	// The region that is proposed first; null for none.
	DefaultRegionCode *string `json:"default_region_code"`
	// The size that is proposed first; null for none.
	DefaultSizeCode *string `json:"default_size_code"`
	// The name, as the cloud provider shows it.
	Name string `json:"name"`
	// A short form of the name; null if there is none.
	SimpleName *string `json:"simple_name"`
	// The provider's value in requests.
	Slug string `json:"slug"`
}

// ProviderRegion is a resource of the type providerRegions.
type ProviderRegion struct {
	ID                       ID     `json:"id"`
	ResourceType             string `json:"type"`
	ProviderRegionAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ProviderRegionResourceMeta `json:"meta"`
}

// ProviderRegionAttributes are the fields of a resource.
type ProviderRegionAttributes struct {
	// Another code of the region; null if there is none.
	AlternateCode *string `json:"alternate_code"`
	// The code, for requests.
	Code string `json:"code"`
	// The name, as the cloud provider shows it.
	Name string `json:"name"`
}

// ProviderRegionResourceMeta is part of what the API takes and answers.
type ProviderRegionResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// About the data of the provider that the answer was made from.
	Snapshot *SnapshotMeta `json:"snapshot"`
}

// ProviderRegionSize is a resource of the type providerSizes.
type ProviderRegionSize struct {
	ID                           ID     `json:"id"`
	ResourceType                 string `json:"type"`
	ProviderRegionSizeAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ProviderRegionSizeResourceMeta `json:"meta"`
}

// ProviderRegionSizeAttributes are the fields of a resource.
type ProviderRegionSizeAttributes struct {
	// The name, as the cloud provider shows it.
	Name string `json:"name"`
}

// ProviderRegionSizeResourceMeta is part of what the API takes and answers.
type ProviderRegionSizeResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// About the data of the provider that the answer was made from.
	Snapshot *SnapshotMeta `json:"snapshot"`
}

// ProviderResourceMeta is part of what the API takes and answers.
type ProviderResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// About the data of the provider that the answer was made from.
	Snapshot *SnapshotMeta `json:"snapshot"`
}

// ProviderSize is a resource of the type providerSizes.
type ProviderSize struct {
	ID                     ID     `json:"id"`
	ResourceType           string `json:"type"`
	ProviderSizeAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ProviderSizeResourceMeta `json:"meta"`
}

// ProviderSizeAttributes are the fields of a resource.
type ProviderSizeAttributes struct {
	// The architecture of the processor.
	Architecture string `json:"architecture"`
	// The group of sizes that it belongs to.
	Category string `json:"category"`
	// The code, for requests.
	Code string `json:"code"`
	// The number of virtual processors.
	Cpus int64 `json:"cpus"`
	// In GB; 0 if it is chosen when the server is ordered.
	Disk int64 `json:"disk"`
	// The kind of the disk.
	DiskType string `json:"disk_type"`
	// The name, as the cloud provider shows it.
	Name string `json:"name"`
	// In MB.
	Ram int64 `json:"ram"`
	// The series of machines that it belongs to.
	Series string `json:"series"`
}

// ProviderSizeResourceMeta is part of what the API takes and answers.
type ProviderSizeResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// About the data of the provider that the answer was made from.
	Snapshot *SnapshotMeta `json:"snapshot"`
}

// PulseIntegration is a resource of the type pulseIntegrations.
type PulseIntegration struct {
	ID                         ID     `json:"id"`
	ResourceType               string `json:"type"`
	PulseIntegrationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships IntegrationRelationships `json:"relationships"`
}

// PulseIntegrationAttributes are the fields of a resource.
type PulseIntegrationAttributes struct {
	// Whether the integration is on.
	Enabled string `json:"enabled"`
	// Whether the site has the package laravel/pulse.
	PulseInstalled bool `json:"pulse_installed"`
}

// PushDelivery is a resource of the type pushDeliveries.
type PushDelivery struct {
	ID                     ID     `json:"id"`
	ResourceType           string `json:"type"`
	PushDeliveryAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// PushDeliveryAttributes are the fields of a resource.
type PushDeliveryAttributes struct {
	// Empty if none was named.
	Branch string `json:"branch"`
	// Empty if none was named.
	CommitHash string `json:"commit_hash"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The deployment that the push started.
	DeploymentID *int64 `json:"deployment_id"`
	// The sender's name of the event.
	Event string `json:"event"`
	// Why nothing was deployed; empty if the site was deployed.
	Reason string `json:"reason"`
	// github, gitlab, gitea, forgejo, gogs, gitee, bitbucket or unknown, by the headers of the request.
	Sender string `json:"sender"`
	// refused: the signature is wrong; only the newest of these is kept.
	Verdict PushDeliveryVerdict `json:"verdict"`
}

// RateLimit is a resource of the type rateLimits.
type RateLimit struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	RateLimitAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// RateLimitAttributes are the fields of a resource.
type RateLimitAttributes struct {
	// The installation's limit.
	Default int64 `json:"default"`
	// The highest limit that can be set, in requests per minute.
	Maximum int64 `json:"maximum"`
	// The lowest limit that can be set, in requests per minute.
	Minimum int64 `json:"minimum"`
	// The limit of each token and person in this organization; null for the installation's limit.
	RequestsPerMinute *int64 `json:"requests_per_minute"`
}

// Recipe is a resource of the type recipes.
type Recipe struct {
	ID               ID     `json:"id"`
	ResourceType     string `json:"type"`
	RecipeAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// RecipeAttributes are the fields of a resource.
type RecipeAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// A name of your choice.
	Name string `json:"name"`
	// The script, for bash.
	Script string `json:"script"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// The account that runs the script.
	User string `json:"user"`
}

// RecipeLog is a resource of the type recipeLogs.
type RecipeLog struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	RecipeLogAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// RecipeLogAttributes are the fields of a resource.
type RecipeLogAttributes struct {
	// The user.
	ExecutedBy *int64 `json:"executed_by"`
	// When the script ended; null while it has not.
	FinishedAt *time.Time `json:"finished_at"`
	// The output so far. Null in lists.
	Output *string `json:"output"`
	// The recipe in the path, either the organization's or a built-in one.
	RecipeID int64 `json:"recipe_id"`
	// The id of the server that the script ran on.
	ServerID int64 `json:"server_id"`
	// When the script started; null while it has not.
	StartedAt *time.Time `json:"started_at"`
	// How far the run is, or how it ended.
	Status RecipeLogStatus `json:"status"`
}

// RecordMeta is part of what the API takes and answers.
type RecordMeta struct {
	// The existing values of this type.
	Found []string `json:"found"`
	// Why DNS gave no answer; null if it did.
	Problem *string `json:"problem"`
	// Whether DNS shows the required value.
	Seen bool `json:"seen"`
}

// RedirectRule is a resource of the type redirect-rules.
type RedirectRule struct {
	ID                     ID     `json:"id"`
	ResourceType           string `json:"type"`
	RedirectRuleAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// RedirectRuleAttributes are the fields of a resource.
type RedirectRuleAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// A regular expression that is matched against the path.
	From string `json:"from"`
	// Whether the rule is on the server.
	Status RepositoryStatus `json:"status"`
	// The path or the URL that visitors are redirected to.
	To string `json:"to"`
	// Whether the redirect is temporary (redirect, 302) or permanent (permanent, 301).
	Type RedirectRuleType `json:"type"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// RedisServiceActionRequest is what a request says.
type RedisServiceActionRequest struct {
	// What to do with the service. reboot restarts it.
	Action RedisServiceActionAction `json:"action"`
}

// ReorderRedirectsRequest is what a request says.
type ReorderRedirectsRequest struct {
	// The ids of all rules of the site, in the new order. The first that matches applies.
	Redirects []int64 `json:"redirects"`
}

// Repository is part of what the API takes and answers.
type Repository struct {
	// The branch that is deployed; null without a repository.
	Branch *string `json:"branch"`
	// The kind of the repository's provider; custom for any other address.
	Provider string `json:"provider"`
	// Whether the code is on the server; null without a repository.
	Status *RepositoryStatus `json:"status"`
	// The repository: owner/name at a provider, or the address for custom; null for none.
	URL *string `json:"url"`
}

// RepositoryCheck is a resource of the type repositoryChecks.
type RepositoryCheck struct {
	ID                        ID     `json:"id"`
	ResourceType              string `json:"type"`
	RepositoryCheckAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// RepositoryCheckAttributes are the fields of a resource.
type RepositoryCheckAttributes struct {
	// What the repository has, by its files; null if that is not known.
	Application Application `json:"application"`
	// Why the repository could not be read; null unless the check failed.
	Cause Cause `json:"cause"`
	// When the check was last requested or done; null if there is none.
	CheckedAt *time.Time `json:"checked_at"`
	// The newest commit of the branch when it was checked; null unless the check passed.
	Commit *string `json:"commit"`
	// The fingerprint of the host key that the Git server shows, where it is another than the one that is known of it.
	HostKey *string `json:"host_key"`
	// What the site would change to run that; null for nothing.
	Proposed Proposed `json:"proposed"`
	// Null if this repository and branch were never checked with this deploy key.
	State *RepositoryCheckState `json:"state"`
}

// RestoreBackupRequest is what a request says.
type RestoreBackupRequest struct {
	// The database to restore. It is replaced, after a fresh backup of it has been stored, unless name or
	// source_database_id is given.
	DatabaseID int64 `json:"database_id"`
	// Restore into a new database with this name, which must not exist yet, instead of replacing one.
	Name *string `json:"name,omitempty"`
	// Restore on another server; requires name.
	ServerID *int64 `json:"server_id,omitempty"`
	// The site into which the files of the backup are restored. Without it, files are not restored.
	SiteID *int64 `json:"site_id,omitempty"`
	// The database in the backup, if it is not database_id.
	SourceDatabaseID *int64 `json:"source_database_id,omitempty"`
}

// Retention is a resource of the type retentions.
type Retention struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	RetentionAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// RetentionAttributes are the fields of a resource.
type RetentionAttributes struct {
	// The number of days to keep the audit log.
	AuditDays *int64 `json:"audit_days"`
	// The number of days to keep sent webhooks and notifications.
	DeliveriesDays *int64 `json:"deliveries_days"`
	// The number of days to keep events with their operations, except the newest operation of a resource; null for the
	// installation's period.
	EventsDays *int64 `json:"events_days"`
	// The installation's period for the audit log, in days; null for forever.
	MaximumAuditDays *int64 `json:"maximum_audit_days"`
	// The installation's period for webhooks and notifications, in days; null for forever.
	MaximumDeliveriesDays *int64 `json:"maximum_deliveries_days"`
	// The installation's period; null for forever.
	MaximumEventsDays *int64 `json:"maximum_events_days"`
	// The installation's period for output, in days; null for forever.
	MaximumOutputDays *int64 `json:"maximum_output_days"`
	// The number of days to keep the output of events.
	OutputDays *int64 `json:"output_days"`
}

// ReverbIntegration is a resource of the type reverbIntegrations.
type ReverbIntegration struct {
	ID                          ID     `json:"id"`
	ResourceType                string `json:"type"`
	ReverbIntegrationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships IntegrationRelationships `json:"relationships"`
}

// ReverbIntegrationAttributes are the fields of a resource.
type ReverbIntegrationAttributes struct {
	// The highest number of simultaneous connections.
	Connections *int64 `json:"connections"`
	// Whether the integration is on.
	Enabled string `json:"enabled"`
	// The domain that clients connect to; null while the integration is off.
	Host *string `json:"host"`
	// The port on which the program listens, for nginx only; null while the integration is off.
	Port *int64 `json:"port"`
	// Whether the site has the package laravel/reverb.
	ReverbInstalled bool `json:"reverb_installed"`
}

// Role is a resource of the type predefinedRoles.
type Role struct {
	ID             ID     `json:"id"`
	ResourceType   string `json:"type"`
	RoleAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
	// The ids of related resources.
	Relationships RoleRelationships `json:"relationships"`
}

// RoleAttributes are the fields of a resource.
type RoleAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The name of the role.
	Name string `json:"name"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// RoleRef is what a request says.
type RoleRef struct {
	// The id of the role.
	ID int64 `json:"id"`
}

// RoleRelationships are the ids of related resources.
type RoleRelationships struct {
	// The permissions of the role.
	Permissions ToMany `json:"permissions"`
}

// Rule is a resource of the type rules.
type Rule struct {
	ID             ID     `json:"id"`
	ResourceType   string `json:"type"`
	RuleAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// RuleAttributes are the fields of a resource.
type RuleAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The source addresses and subnets, separated by commas; null for any address.
	IPAddress *string `json:"ip_address"`
	// A name of your choice.
	Name string `json:"name"`
	// The port or the range, such as 8000:8010; null for all ports.
	Port *string `json:"port"`
	// Whether the rule is on the server.
	Status *string `json:"status"`
	// Whether matching connections are accepted or dropped.
	Type string `json:"type"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// RunRecipeRequest is what a request says.
type RunRecipeRequest struct {
	// Mail the output of each run to the caller when it ends.
	Email *bool `json:"email,omitempty"`
	// The ids of the servers to run the script on.
	Servers []int64 `json:"servers"`
}

// RunSiteCommandRequest is what a request says.
type RunSiteCommandRequest struct {
	// The command, which runs in the site's directory.
	Command string `json:"command"`
}

// Runtime is part of what the API takes and answers.
type Runtime struct {
	// What the file asks for, such as >=20.9; null if no file does.
	Asks *string `json:"asks"`
	// The file that asks for it.
	File *string `json:"file"`
	// The runtime of the site for it.
	Name RuntimeName `json:"name"`
	// The runtime_version that fits; null if it names none that a site can choose.
	Version *string `json:"version"`
}

// RuntimeInUse is part of what the API takes and answers.
type RuntimeInUse struct {
	// The last day with security updates for this release line; null if that is not known.
	EndsOn *string `json:"ends_on"`
	// The exact version installed on the server; null for the distribution's, and until it is installed.
	Installed *string `json:"installed"`
	// What runs the site's programs: system is the distribution's Node.js.
	Name RuntimeInUseName `json:"name"`
	// A newer release of the same line, as its mirror last told; null if there is none, or that is not known.
	Newest *string `json:"newest"`
	// The line that starts the site's own program; null for what its type says, and for a site without one.
	StartCommand *string `json:"start_command"`
	// The exact version that it stands for; null for the distribution's.
	Version *string `json:"version"`
	// The version that was asked for; null for the distribution's.
	Wanted *string `json:"wanted"`
	// Why it is this version, for people.
	Why string `json:"why"`
}

// SFTPUser is a resource of the type sftpUsers.
type SFTPUser struct {
	ID                 ID     `json:"id"`
	ResourceType       string `json:"type"`
	SFTPUserAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// SFTPUserAttributes are the fields of a resource.
type SFTPUserAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The id of the person who created it; null if they were deleted.
	CreatedBy *int64 `json:"created_by"`
	// The directory of the site, which is all that the user can reach.
	Directory string `json:"directory"`
	// The last day on which the user can log in, in UTC; null for no end.
	ExpiresOn *string `json:"expires_on"`
	// The public keys that the user logs in with.
	Keys []string `json:"keys"`
	// The name that the user logs in with.
	Name string `json:"name"`
	// Whether the user is on the server.
	Status DatabaseStatus `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// SecurityRule is a resource of the type securityRules.
type SecurityRule struct {
	ID                     ID     `json:"id"`
	ResourceType           string `json:"type"`
	SecurityRuleAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// SecurityRuleAttributes are the fields of a resource.
type SecurityRuleAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The text shown to visitors in the password prompt.
	Name string `json:"name"`
	// The protected path, including everything below it; null for the whole site.
	Path *string `json:"path"`
	// Whether the rule is on the server.
	Status *string `json:"status"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// SelfLinks is part of what the API takes and answers.
type SelfLinks struct {
	// The address of the resource.
	Self Link `json:"self"`
}

// Server is a resource of the type servers.
type Server struct {
	ID               ID     `json:"id"`
	ResourceType     string `json:"type"`
	ServerAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ServerResourceMeta `json:"meta"`
	// The ids of related resources.
	Relationships ServerRelationships `json:"relationships"`
}

// ServerActionRequest is what a request says.
type ServerActionRequest struct {
	// power-cycle is for servers of a cloud provider.
	Action ServerActionAction `json:"action"`
}

// ServerAttributes are the fields of a resource.
type ServerAttributes struct {
	// Whether the server can be reached; null until it was first tried.
	ConnectionStatus *string `json:"connection_status"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The id of the server credential, with which the cloud provider is asked; null or omitted for custom.
	CredentialID *int64 `json:"credential_id"`
	// The database of the server; null if there is none.
	DatabaseType *string `json:"database_type"`
	// running or stopped, after an action on the database service; null if there was none.
	DbStatus *string `json:"db_status"`
	// The server's id, as a number.
	ID int64 `json:"id"`
	// The id of the machine at the cloud provider; null for custom servers.
	Identifier *string `json:"identifier"`
	// The public IP address; null until it is known.
	IPAddress *string `json:"ip_address"`
	// Whether the server is set up.
	IsReady bool `json:"is_ready"`
	// The public key of the server's own SSH key; null until there is one.
	LocalPublicKey *string `json:"local_public_key"`
	// The name of the server.
	Name string `json:"name"`
	// The state of OPcache; null if it is not known.
	OpcacheStatus *string `json:"opcache_status"`
	// The version of PHP of the command line; null if the server has none.
	PHPCliVersion *string `json:"php_cli_version"`
	// The version of PHP of new sites.
	PHPVersion *string `json:"php_version"`
	// The address in the private network; null if there is none.
	PrivateIPAddress *string `json:"private_ip_address"`
	// The cloud provider; custom for a machine of your own.
	Provider string `json:"provider"`
	// Always null.
	RedisStatus *string `json:"redis_status"`
	// The code of the region at the cloud provider; empty for custom servers.
	Region string `json:"region"`
	// Whether Hostler has given up its access to the server.
	Revoked bool `json:"revoked"`
	// The code of the size at the cloud provider; empty for custom servers.
	Size string `json:"size"`
	// The name in a form for addresses.
	Slug string `json:"slug"`
	// The port of SSH on the machine.
	SSHPort int64 `json:"ssh_port"`
	// The time zone of the server, an IANA name such as Europe/Berlin.
	Timezone string `json:"timezone"`
	// What the server is for.
	Type ServerType `json:"type"`
	// The requested version; null on Debian. The actual system is in meta.os.
	UbuntuVersion *string `json:"ubuntu_version"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// ServerCredential is a resource of the type serverCredentials.
type ServerCredential struct {
	ID                         ID     `json:"id"`
	ResourceType               string `json:"type"`
	ServerCredentialAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// ServerCredentialAttributes are the fields of a resource.
type ServerCredentialAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// Whether a server was created with it.
	InUse bool `json:"in_use"`
	// A name of your choice.
	Name string `json:"name"`
	// The cloud provider.
	Provider string `json:"provider"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// ServerDrift is a resource of the type serverDrifts.
type ServerDrift struct {
	ID                    ID     `json:"id"`
	ResourceType          string `json:"type"`
	ServerDriftAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// ServerDriftAttributes are the fields of a resource.
type ServerDriftAttributes struct {
	// When the server was last checked.
	CheckedAt time.Time `json:"checked_at"`
	// What differs on the server from what was set up.
	Differences []DriftDifference `json:"differences"`
}

// ServerDryRun is part of what the API takes and answers.
type ServerDryRun struct {
	// What would be run, in order.
	Actions []string `json:"actions"`
	// The files that would change, with their differences.
	Files []FileDiff `json:"files"`
	// Differences that are reported but not changed.
	Kept []string `json:"kept"`
	// The packages that would be installed.
	Packages []string `json:"packages"`
	// The id of the server.
	ServerID string `json:"server_id"`
}

// ServerHostKeys is a resource of the type serverHostKeys.
type ServerHostKeys struct {
	ID                       ID     `json:"id"`
	ResourceType             string `json:"type"`
	ServerHostKeysAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// ServerHostKeysAttributes are the fields of a resource.
type ServerHostKeysAttributes struct {
	// Whether the server presents none of its confirmed keys. Hostler then does not log in to it.
	Changed bool `json:"changed"`
	// When the server was last checked.
	CheckedAt time.Time `json:"checked_at"`
	// The host keys that Hostler trusts.
	Confirmed []HostKey `json:"confirmed"`
	// The host keys that the server presented when it was last reached.
	Presented []HostKey `json:"presented"`
}

// ServerKey is a resource of the type serverKeys.
type ServerKey struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	ServerKeyAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ServerKeyResourceMeta `json:"meta"`
}

// ServerKeyAttributes are the fields of a resource.
type ServerKeyAttributes struct {
	// The SHA-256 fingerprint of the key.
	Fingerprint string `json:"fingerprint"`
	// The public key, in the form of OpenSSH.
	PublicKey string `json:"public_key"`
}

// ServerKeyResourceMeta is part of what the API takes and answers.
type ServerKeyResourceMeta struct {
	// The command that connects a server of your own.
	Bootstrap *BootstrapMeta `json:"bootstrap"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// ServerLog is a resource of the type serverLogs.
type ServerLog struct {
	ID                  ID     `json:"id"`
	ResourceType        string `json:"type"`
	ServerLogAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta ServerLogResourceMeta `json:"meta"`
}

// ServerLogAttributes are the fields of a resource.
type ServerLogAttributes struct {
	// The lines of the log, oldest first.
	Content string `json:"content"`
}

// ServerLogResourceMeta is part of what the API takes and answers.
type ServerLogResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// Where in the log the returned lines are.
	Log *LogMeta `json:"log"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// ServerRelationships are the ids of related resources.
type ServerRelationships struct {
	// The tags of the server.
	Tags ToMany `json:"tags"`
}

// ServerResourceMeta is part of what the API takes and answers.
type ServerResourceMeta struct {
	// The command that connects a server of your own.
	Bootstrap *BootstrapMeta `json:"bootstrap"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// The system found on the server.
	OS *OSMeta `json:"os"`
	// How far the setup of the server is.
	Provisioning *string `json:"provisioning"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// The names of the tags, in alphabetical order.
	Tags []string `json:"tags"`
	// The pending updates of the server's packages.
	Updates *UpdatesMeta `json:"updates"`
}

// Service is a resource of the type services.
type Service struct {
	ID                ID     `json:"id"`
	ResourceType      string `json:"type"`
	ServiceAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// ServiceAttributes are the fields of a resource.
type ServiceAttributes struct {
	// The substate, such as running, dead or auto-restart.
	Detail string `json:"detail"`
	// The key of the service's log among the server's logs.
	Log string `json:"log"`
	// The service's name in paths: nginx, php, mysql, postgres or redis.
	Name string `json:"name"`
	// The systemd state: active, activating, deactivating, reloading, failed or inactive.
	State string `json:"state"`
	// The systemd unit.
	Unit string `json:"unit"`
	// The PHP version; null for other services.
	Version *string `json:"version"`
}

// ShareCredentialRequest is what a request says.
type ShareCredentialRequest struct {
	// The id of the server credential to share.
	CredentialID int64 `json:"credential_id"`
}

// ShareRecipeRequest is what a request says.
type ShareRecipeRequest struct {
	// The id of the recipe to share.
	RecipeID int64 `json:"recipe_id"`
}

// ShareServerRequest is what a request says.
type ShareServerRequest struct {
	// The id of the server to share.
	ServerID int64 `json:"server_id"`
}

// SharedPath is what a request says.
type SharedPath struct {
	// The path in a release.
	From string `json:"from"`
	// The path that all releases share.
	To string `json:"to"`
}

// ShownInvitation is part of what the API takes and answers.
type ShownInvitation struct {
	// The address of the invited person.
	Email string `json:"email"`
	// The link that accepts the invitation.
	URL string `json:"url"`
}

// ShownOnce is part of what the API takes and answers.
type ShownOnce struct {
	// The links of invitations, where no email reaches the invited people.
	Invitations []ShownInvitation `json:"invitations"`
	// The new password.
	Password *string `json:"password"`
	// The codes that replace the second factor, each once.
	RecoveryCodes []string `json:"recovery_codes"`
	// The new secret.
	Secret *string `json:"secret"`
	// The new token.
	Token *string `json:"token"`
	// The new address, which contains a secret.
	URL *string `json:"url"`
	// The account that the password is for, if its name was generated.
	Username *string `json:"username"`
}

// Site is a resource of the type sites.
type Site struct {
	ID             ID     `json:"id"`
	ResourceType   string `json:"type"`
	SiteAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta SiteResourceMeta `json:"meta"`
	// The ids of related resources.
	Relationships SiteRelationships `json:"relationships"`
}

// SiteAttributes are the fields of a resource.
type SiteAttributes struct {
	// Further domain names of the site.
	Aliases []any `json:"aliases"`
	// The kind of the application, for people.
	AppType SiteAppType `json:"app_type"`
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The name of the site's database; null if there is none.
	Database *string `json:"database"`
	// How many releases are kept; null without releases.
	DeploymentRetention *int64 `json:"deployment_retention"`
	// The deploy script; null if there is none.
	DeploymentScript *string `json:"deployment_script"`
	// The state of the newest deployment; empty until there is one.
	DeploymentStatus string `json:"deployment_status"`
	// The address whose call deploys the site. It contains a secret, which only those who may manage deployments see.
	DeploymentURL string `json:"deployment_url"`
	// The URL that is requested after a deployment; null for none.
	HealthcheckURL *string `json:"healthcheck_url"`
	// Whether the site is served over HTTPS.
	HTTPS bool `json:"https"`
	// Whether the site has an account of its own.
	Isolated bool `json:"isolated"`
	// Whether the site shows its maintenance page.
	MaintenanceMode MaintenanceMode `json:"maintenance_mode"`
	// The domain that names the site.
	Name string `json:"name"`
	// The version of PHP; empty for sites without PHP.
	PHPVersion string `json:"php_version"`
	// Whether a push to the branch deploys the site; null without a repository.
	QuickDeploy *bool `json:"quick_deploy"`
	// Where the site's code comes from.
	Repository Repository `json:"repository"`
	// The directory of the application in the repository; null for its top.
	RootDirectory *string `json:"root_directory"`
	// The paths of a release that all releases share, at most 50.
	SharedPaths map[string]string `json:"shared_paths"`
	// What the site serves. It is installed until there is a deployment, never-deployed while none has succeeded, and
	// deployed after that, whatever fails later.
	Status SiteStatus `json:"status"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
	// The address of the site.
	URL string `json:"url"`
	// The account that the site runs as.
	User string `json:"user"`
	// Always false.
	UsesEnvoyer bool `json:"uses_envoyer"`
	// The directory, below the root directory, whose files visitors can open.
	WebDirectory string `json:"web_directory"`
	// Whether all subdomains are served as well.
	Wildcards *bool `json:"wildcards"`
	// Whether each deployment gets a directory of its own, which is served once it is complete.
	ZeroDowntimeDeployments bool `json:"zero_downtime_deployments"`
}

// SiteMetric is a resource of the type siteMetrics.
type SiteMetric struct {
	ID                   ID     `json:"id"`
	ResourceType         string `json:"type"`
	SiteMetricAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// SiteMetricAttributes are the fields of a resource.
type SiteMetricAttributes struct {
	// Requests per minute answered with 400 to 499.
	ClientErrors []*float64 `json:"client_errors"`
	// Percent of one processor that a site with limits used.
	CPU []*float64 `json:"cpu"`
	// The beginning of the first step.
	From time.Time `json:"from"`
	// Deployments of the site and reboots of its server during this time: the newest 200, oldest first.
	Marks []Mark `json:"marks"`
	// MB that a site with limits used, with what its programs have read of files.
	Memory []*float64 `json:"memory"`
	// The period that the values are of.
	Range Range `json:"range"`
	// Requests per minute, averaged over the step. As in all lists, null is a step in which requests were not counted.
	Requests []*float64 `json:"requests"`
	// Requests per minute answered with 500 to 599.
	ServerErrors []*float64 `json:"server_errors"`
	// The length of a step, in seconds.
	Step int64 `json:"step"`
	// Processes and threads of a site with limits.
	Tasks []*float64 `json:"tasks"`
	// The end of the last step, which may still be in progress.
	Until time.Time `json:"until"`
}

// SiteRelationships are the ids of related resources.
type SiteRelationships struct {
	// The newest deployment; null if there is none.
	LatestDeployment ToOne `json:"latestDeployment"`
	// The redirect rules of the site.
	RedirectRules ToMany `json:"redirectRules"`
	// The security rules of the site.
	SecurityRules ToMany `json:"securityRules"`
	// The server of the site.
	Server ToOne `json:"server"`
	// The tags of the site.
	Tags ToMany `json:"tags"`
}

// SiteResourceMeta is part of what the API takes and answers.
type SiteResourceMeta struct {
	// How a site on a load balancer chooses its nodes.
	Balancer *BalancerMeta `json:"balancer"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// How much of its server all that runs for the site may use.
	Limits *LimitsInForce `json:"limits"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// What runs the site's programs, and why.
	Runtime *RuntimeInUse `json:"runtime"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// The names of the tags, in alphabetical order.
	Tags []string `json:"tags"`
}

// SlowQueries is part of what the API takes and answers.
type SlowQueries struct {
	// The 20 queries with the longest mean time; not those that define something.
	Queries []SlowQuery `json:"queries"`
	// Why they are not measured.
	Reason *string `json:"reason"`
	// What measures them; null if nothing does.
	Source *SlowQueriesSource `json:"source"`
}

// SlowQuery is part of what the API takes and answers.
type SlowQuery struct {
	// How often it was run.
	Calls int64 `json:"calls"`
	// The time of the slowest call, in microseconds.
	Max int64 `json:"max"`
	// The mean time of a call, in microseconds.
	Mean int64 `json:"mean"`
	// The first 2,000 characters, with a placeholder for each value.
	Text string `json:"text"`
}

// SnapshotMeta is part of what the API takes and answers.
type SnapshotMeta struct {
	// The date of the built-in list. The provider may have changed it since.
	AsOf string `json:"as_of"`
}

// SourceControl is a resource of the type sourceControls.
type SourceControl struct {
	ID                      ID     `json:"id"`
	ResourceType            string `json:"type"`
	SourceControlAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// SourceControlAttributes are the fields of a resource.
type SourceControlAttributes struct {
	// How often the setup was attempted.
	Attempts int64 `json:"attempts"`
	// Whether the provider has the site's deploy key.
	DeployKey bool `json:"deploy_key"`
	// When the setup is attempted again; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// The id of the connection; null if there is none.
	ProviderID *int64 `json:"provider_id"`
	// Why the setup failed; null if it did not.
	Reason *string `json:"reason"`
	// The repository at the provider; null if there is none.
	Repository *string `json:"repository"`
	// How far the setup at the provider is; null if there is nothing to set up.
	State *SourceControlState `json:"state"`
	// Whether a webhook reports pushes to Hostler.
	Webhook bool `json:"webhook"`
}

// SourceControlProvider is a resource of the type sourceControlProviders.
type SourceControlProvider struct {
	ID                              ID     `json:"id"`
	ResourceType                    string `json:"type"`
	SourceControlProviderAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// SourceControlProviderAttributes are the fields of a resource.
type SourceControlProviderAttributes struct {
	// The host from which your own GitLab is cloned over SSH; null for the others.
	CloneHost *string `json:"clone_host"`
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// Whether a site uses the connection.
	InUse bool `json:"in_use"`
	// A name of your choice.
	Name string `json:"name"`
	// The kind of the provider; gitlab-custom for a GitLab of your own.
	Provider SourceControlProviderProvider `json:"provider"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// The address of your own GitLab; null for the others.
	URL *string `json:"url"`
	// The email address of an Atlassian account, if the token is used as a password; null otherwise.
	Username *string `json:"username"`
}

// State is part of what the API takes and answers.
type State struct {
	// Whether notifications go to the address: a member's verified one, or one confirmed by the link that was sent there.
	Confirmed bool `json:"confirmed"`
}

// StorageMeta is part of what the API takes and answers.
type StorageMeta struct {
	// The key that the SFTP server must present.
	HostKey string `json:"host_key"`
}

// StorageProvider is a resource of the type storageProviders.
type StorageProvider struct {
	ID                        ID     `json:"id"`
	ResourceType              string `json:"type"`
	StorageProviderAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta StorageProviderResourceMeta `json:"meta"`
}

// StorageProviderAttributes are the fields of a resource.
type StorageProviderAttributes struct {
	// Always false: Hostler does not use the role of the machine it runs on.
	AssumeRole *bool `json:"assume_role"`
	// The default bucket, for backup configurations that do not name one; null for none.
	Bucket *string `json:"bucket"`
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The directory in the bucket below which objects are stored; null for its top.
	Directory *string `json:"directory"`
	// The address of the provider, if it is not the one of its region.
	Endpoint *string `json:"endpoint"`
	// Whether a backup configuration uses it.
	InUse bool `json:"in_use"`
	// A name of your choice.
	Name string `json:"name"`
	// The kind of the storage provider; custom for any other S3-compatible one, SFTP or a disk.
	Provider StorageProviderProvider `json:"provider"`
	// The name of the kind, for people.
	ProviderName StorageProviderProviderName `json:"provider_name"`
	// The region of the bucket; null or omitted if the endpoint says it.
	Region *string `json:"region"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// StorageProviderResourceMeta is part of what the API takes and answers.
type StorageProviderResourceMeta struct {
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
	// About the storage provider's server.
	Storage *StorageMeta `json:"storage"`
}

// StoreDomainDNSRequest is what a request says.
type StoreDomainDNSRequest struct {
	// The DNS provider in whose account the zone of the domain is.
	DNSProviderID int64 `json:"dns_provider_id"`
	// The hash of the plan to carry out.
	Plan string `json:"plan"`
	// Records that Hostler did not make, or that were changed manually, and that may be changed or removed: a type and a
	// name, such as A www.example.com.
	Replace Nullable[[]string] `json:"replace,omitzero"`
}

// StoreFileDirectoryRequest is what a request says.
type StoreFileDirectoryRequest struct {
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string `json:"path"`
}

// Subject is what a request says.
type Subject struct {
	// The city.
	City *string `json:"city,omitempty"`
	// The country, as two letters.
	Country *string `json:"country,omitempty"`
	// The department.
	Department *string `json:"department,omitempty"`
	// The main domain name.
	Domain *string `json:"domain,omitempty"`
	// The organization.
	Organization *string `json:"organization,omitempty"`
	// Further domain names, separated by commas.
	Sans Nullable[string] `json:"sans,omitzero"`
	// The state or province.
	State *string `json:"state,omitempty"`
}

// SupervisorServiceActionRequest is what a request says.
type SupervisorServiceActionRequest struct {
	// What to do with the service. reboot restarts it.
	Action RedisServiceActionAction `json:"action"`
}

// TableUsage is part of what the API takes and answers.
type TableUsage struct {
	// The name; what can't be printed is written as ^J or \u200b. Partitions are part of their table.
	Name string `json:"name"`
	// The number of rows as the engine estimates it; null if it does not.
	Rows *int64 `json:"rows"`
	// The schema of the table in PostgreSQL; null in other engines.
	Schema *string `json:"schema"`
	// The table with its indexes, in bytes; null if the engine does not know.
	Size *int64 `json:"size"`
}

// Tag is a resource of the type tags.
type Tag struct {
	ID            ID     `json:"id"`
	ResourceType  string `json:"type"`
	TagAttributes `json:"attributes"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// TagAttributes are the fields of a resource.
type TagAttributes struct {
	// When it was created.
	CreatedAt time.Time `json:"created_at"`
	// The name of the tag.
	Name string `json:"name"`
	// When it was last changed.
	UpdatedAt time.Time `json:"updated_at"`
}

// Team is a resource of the type teams.
type Team struct {
	ID             ID     `json:"id"`
	ResourceType   string `json:"type"`
	TeamAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// TeamAttributes are the fields of a resource.
type TeamAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The name of the team.
	Name string `json:"name"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// TeamInvitation is a resource of the type teamInvitations.
type TeamInvitation struct {
	ID                       ID     `json:"id"`
	ResourceType             string `json:"type"`
	TeamInvitationAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta TeamInvitationResourceMeta `json:"meta"`
	// The ids of related resources.
	Relationships TeamInvitationRelationships `json:"relationships"`
}

// TeamInvitationAttributes are the fields of a resource.
type TeamInvitationAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The email address that was invited.
	Email string `json:"email"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// TeamInvitationRelationships are the ids of related resources.
type TeamInvitationRelationships struct {
	// The organization that the invitation is to.
	Organization ToOne `json:"organization"`
	// The role that the person has.
	Role ToOne `json:"role"`
	// The team that the invitation is to.
	Team ToOne `json:"team"`
}

// TeamInvitationResourceMeta is part of what the API takes and answers.
type TeamInvitationResourceMeta struct {
	// How the installation delivers its emails: by mail, or, without a mail server, into its log.
	Delivery *OrganizationResourceMetaDelivery `json:"delivery"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// Why the mail server last refused the email, in full for managers.
	MailFailure *string `json:"mail_failure"`
	// When the mail server took the email. Null before that, and if it did not.
	MailedAt *time.Time `json:"mailed_at"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// Timezone is a resource of the type timezones.
type Timezone struct {
	ID                 ID     `json:"id"`
	ResourceType       string `json:"type"`
	TimezoneAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// TimezoneAttributes are the fields of a resource.
type TimezoneAttributes struct {
	// An IANA time zone name, such as Europe/Berlin.
	Timezone string `json:"timezone"`
}

// Transfer is a resource of the type serverTransfers.
type Transfer struct {
	ID                 ID     `json:"id"`
	ResourceType       string `json:"type"`
	TransferAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// TransferAttributes are the fields of a resource.
type TransferAttributes struct {
	// What can't simply be transferred.
	Items []TransferItem `json:"items"`
	// How many resources of each type are transferred.
	Moves []TransferCount `json:"moves"`
	// Whether force is required because something can't be transferred.
	NeedsForce bool `json:"needs_force"`
	// Whether nothing prevents the transfer.
	Possible bool `json:"possible"`
	// The slug of the requested organization.
	To *string `json:"to"`
}

// TransferCount is part of what the API takes and answers.
type TransferCount struct {
	// The number of resources.
	Count int64 `json:"count"`
	// The type of the resources.
	Type string `json:"type"`
}

// TransferItem is part of what the API takes and answers.
type TransferItem struct {
	// Whether it prevents the transfer; is detached, which requires force; stays behind; or is transferred and still gives
	// members of the old organization access to the server.
	Effect TransferItemEffect `json:"effect"`
	// The id of the resource; null if it has none.
	ID *int64 `json:"id"`
	// The name of the resource.
	Name string `json:"name"`
	// What the effect is, in a sentence.
	Text string `json:"text"`
	// The type of the resource.
	Type string `json:"type"`
}

// TransferRequest is what a request says.
type TransferRequest struct {
	// Detach what can't be transferred. Without it, the request is refused if there is anything to detach.
	Force *bool `json:"force,omitempty"`
	// A team of that organization to share the server with. Required if you belong to the organization through teams only.
	TeamID Nullable[int64] `json:"team_id,omitzero"`
	// The slug of an organization in which you can create servers.
	To string `json:"to"`
}

// Undo is part of what the API takes and answers.
type Undo struct {
	// The values before the change; empty for DELETE.
	Body map[string]any `json:"body"`
	// The method of the request.
	Method UndoMethod `json:"method"`
	// The operationId of the request.
	Operation string `json:"operation"`
	// The path of the request. With ?dry_run=true, the answer is its plan.
	Path string `json:"path"`
}

// UpdateBackgroundProcessRequest is what a request says.
type UpdateBackgroundProcessRequest struct {
	// Lines of key=value, for command, directory, numprocs, startsecs, stopwaitsecs and stopsignal; omitted keys are
	// unchanged.
	Config *string `json:"config,omitempty"`
	// A name of your choice.
	Name string `json:"name"`
}

// UpdateBackupConfigurationRequest is what a request says.
type UpdateBackupConfigurationRequest struct {
	// The bucket. Null for the storage provider's default.
	Bucket Nullable[string] `json:"bucket,omitzero"`
	// For the frequency custom: minute, hour, day, month, weekday.
	Cron *string `json:"cron,omitempty"`
	// The ids of the databases.
	DatabaseIDs []int64 `json:"database_ids"`
	// For the frequency weekly; 0 is Sunday.
	Day *Day `json:"day,omitempty"`
	// The directory in the bucket below which objects are stored.
	Directory Nullable[string] `json:"directory,omitzero"`
	// How often to back up. weekly also needs day and time, daily needs time, custom needs cron.
	Frequency CreateBackupConfigurationFrequency `json:"frequency"`
	// Back up all databases of the server, including future ones.
	IncludeNewDatabases *bool `json:"include_new_databases,omitempty"`
	// A name of your choice.
	Name Nullable[string] `json:"name,omitzero"`
	// The address that is notified of failed backups; null for none.
	NotificationEmail Nullable[string] `json:"notification_email,omitzero"`
	// Files and directories below the site's directory that are backed up, such as uploads or .env.
	Paths []string `json:"paths,omitzero"`
	// The number of days between proofs, in which a backup is restored into a separate database and compared; 0 for never.
	// New configurations have 7.
	ProveEveryDays *int64 `json:"prove_every_days,omitempty"`
	// The number of complete backups to keep.
	Retention int64 `json:"retention"`
	// The site whose files are included in the backups.
	SiteID *int64 `json:"site_id,omitempty"`
	// The id of the storage provider that objects are stored at.
	StorageProviderID int64 `json:"storage_provider_id"`
	// The time of daily and weekly backups, as hours and minutes in the organization's time zone; null for other
	// frequencies.
	Time *Time `json:"time,omitempty"`
}

// UpdateComposerCredentialRequest is what a request says.
type UpdateComposerCredentialRequest struct {
	// If empty, the password is unchanged. Required if the repository or the username changes.
	Password string `json:"password"`
	// The host that Composer downloads from, such as repo.packagist.com.
	Repository string `json:"repository"`
	// The user name at the host.
	Username string `json:"username"`
}

// UpdateDNSProviderRequest is what a request says.
type UpdateDNSProviderRequest struct {
	// For rfc2136: the algorithm of the TSIG key.
	Algorithm Nullable[Algorithm] `json:"algorithm,omitzero"`
	// For rfc2136: the name of the TSIG key.
	Key Nullable[string] `json:"key,omitzero"`
	// A name of your choice.
	Name *string `json:"name,omitempty"`
	// For rfc2136: the host of the name server.
	Nameserver Nullable[string] `json:"nameserver,omitzero"`
	// The API token, or the secret of the TSIG key. It is never returned.
	Secret *string `json:"secret,omitempty"`
}

// UpdateDatabasePasswordRequest is what a request says.
type UpdateDatabasePasswordRequest struct {
	// Printable ASCII.
	Password string `json:"password"`
}

// UpdateDatabaseRequest is what a request says.
type UpdateDatabaseRequest struct {
	// All extensions that Hostler keeps in the database afterwards.
	Extensions []string `json:"extensions"`
}

// UpdateDatabaseUserRequest is what a request says.
type UpdateDatabaseUserRequest struct {
	// The complete list of databases the account has access to; if omitted, it is unchanged.
	DatabaseIDs []int64 `json:"database_ids,omitzero"`
	// A new password. Null or omitted leaves it unchanged.
	Password Nullable[string] `json:"password,omitzero"`
}

// UpdateDeploymentScriptRequest is what a request says.
type UpdateDeploymentScriptRequest struct {
	// Pass the variables of the site's .env to the script.
	AutoSource Nullable[bool] `json:"auto_source,omitzero"`
	// A shell script. Hostler replaces $CREATE_RELEASE(), $ACTIVATE_RELEASE() and $RESTART_QUEUES() with its own commands.
	Content string `json:"content"`
}

// UpdateDeploymentWebhookRequest is what a request says.
type UpdateDeploymentWebhookRequest struct {
	// Where messages are sent from now on, those that wait for another attempt too.
	URL string `json:"url"`
}

// UpdateDomainRequest is what a request says.
type UpdateDomainRequest struct {
	// Whether all subdomains are served as well.
	AllowWildcardSubdomains Nullable[bool] `json:"allow_wildcard_subdomains,omitzero"`
	// Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither.
	WwwRedirectType WwwRedirectType `json:"www_redirect_type"`
}

// UpdateEnvironmentRequest is what a request says.
type UpdateEnvironmentRequest struct {
	// Rebuild the application's cached configuration.
	Cache *bool `json:"cache,omitempty"`
	// A key for the encryption of the environment, one line of text.
	EncryptionKey Nullable[string] `json:"encryption_key,omitzero"`
	// The text of the environment file, which is replaced as a whole.
	Environment string `json:"environment"`
	// Restart the application's queue workers.
	Queues *bool `json:"queues,omitempty"`
}

// UpdateFileContentRequest is what a request says.
type UpdateFileContentRequest struct {
	// The new content of the file, at most 512 KiB.
	Content string `json:"content"`
	// The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.
	Path string `json:"path"`
	// The revision of the content that this one replaces. Without it, the file must not exist yet.
	Revision Nullable[string] `json:"revision,omitzero"`
}

// UpdateFirewallRuleRequest is what a request says.
type UpdateFirewallRuleRequest struct {
	// IPv4 and IPv6 addresses and subnets, separated by commas; null for any address.
	IPAddress any `json:"ip_address,omitzero"`
	// A name of your choice.
	Name *string `json:"name,omitempty"`
	// A port or a range such as 8000:8010; null for all ports.
	Port Nullable[string] `json:"port,omitzero"`
	// Whether matching connections are accepted or dropped.
	Type *CreateFirewallRuleType `json:"type,omitempty"`
}

// UpdateGitRequest is what a request says.
type UpdateGitRequest struct {
	// The branch to deploy.
	Branch string `json:"branch"`
	// The private key of a deploy key of your own. It is never returned.
	PerAccountPrivateKey *string `json:"per_account_private_key,omitempty"`
	// The public key of a deploy key of your own; it must match the private key.
	PerAccountPublicKey *string `json:"per_account_public_key,omitempty"`
	// The repository: owner/name at a provider, or the address for custom.
	Repository string `json:"repository"`
	// The kind of the repository's provider; custom for any other address.
	SourceControlProvider UpdateGitSourceControlProvider `json:"source_control_provider"`
	// The id of the connection to the provider.
	SourceControlProviderID *int64 `json:"source_control_provider_id,omitempty"`
}

// UpdateHealthcheckEndpointRequest is what a request says.
type UpdateHealthcheckEndpointRequest struct {
	// The URL that is requested after a deployment; null for none.
	HealthcheckEndpoint Nullable[string] `json:"healthcheck_endpoint,omitzero"`
}

// UpdateHeartbeatRequest is what a request says.
type UpdateHeartbeatRequest struct {
	// The cron expression of the frequency -1, in the server's time; null or omitted for others.
	CustomFrequency *string `json:"custom_frequency,omitempty"`
	// In minutes; 312480 means monthly (31 days), and -1 means custom_frequency.
	Frequency int64 `json:"frequency"`
	// The grace period after a call is due, in minutes.
	GracePeriod int64 `json:"grace_period"`
	// A name of your choice.
	Name string `json:"name"`
}

// UpdateLoadBalancerRequest is what a request says.
type UpdateLoadBalancerRequest struct {
	// How many idle connections to the nodes are kept open, 0 to 256.
	BalancerKeepaliveMaxConnections *int64 `json:"balancer_keepalive_max_connections,omitempty"`
	// How a node is chosen: in turn, the one with the fewest connections, or by the visitor's address.
	BalancerMethod BalancerMethod `json:"balancer_method"`
	// The servers that requests are forwarded to. The list replaces the previous one.
	Balancing []UpdatedNode `json:"balancing"`
}

// UpdateMonitorRequest is what a request says.
type UpdateMonitorRequest struct {
	// How many minutes the value must be beyond the threshold, or back within it, for the state to change.
	Minutes Nullable[int64] `json:"minutes,omitzero"`
	// The address to notify of each change of state.
	Notify *string `json:"notify,omitempty"`
	// Whether the value is too high at or above the threshold (gte), or too low at or below it (lte).
	Operator *Operator `json:"operator,omitempty"`
	// In percent, except for reboot_required, certificate_days and url.
	Threshold *float64 `json:"threshold,omitempty"`
	// For the type url, the URL to request. Another URL begins with the state UNKNOWN.
	URL *string `json:"url,omitempty"`
}

// UpdateNginxConfigurationRequest is what a request says.
type UpdateNginxConfigurationRequest struct {
	// The whole file; empty to restore Hostler's own configuration.
	Config string `json:"config"`
}

// UpdateNginxTemplateRequest is what a request says.
type UpdateNginxTemplateRequest struct {
	// The text of the template.
	Content string `json:"content"`
	// A name of your choice.
	Name string `json:"name"`
}

// UpdateNotificationChannelRequest is what a request says.
type UpdateNotificationChannelRequest struct {
	// For mail: the email address.
	Address *string `json:"address,omitempty"`
	// For telegram: the id of the chat.
	Chat *string `json:"chat,omitempty"`
	// Whether notifications are sent.
	Enabled *bool `json:"enabled,omitempty"`
	// The events that are notified of.
	Events []CreateNotificationChannelEvent `json:"events,omitzero"`
	// A name of your choice.
	Name *string `json:"name,omitempty"`
	// The access token of the service. It is never returned.
	Token *string `json:"token,omitempty"`
	// For ntfy: the topic.
	Topic *string `json:"topic,omitempty"`
	// The address that notifications are sent to.
	URL *string `json:"url,omitempty"`
}

// UpdateNpmCredentialRequest is what a request says.
type UpdateNpmCredentialRequest struct {
	// The registry that npm downloads from, without https://.
	Registry string `json:"registry"`
	// The scopes that are installed from this registry, such as @acme; empty for all packages.
	Scopes Nullable[[]string] `json:"scopes,omitzero"`
	// If empty, the token is unchanged. Required if the registry or the scopes change.
	Token string `json:"token"`
}

// UpdateOAuthClientRequest is what a request says.
type UpdateOAuthClientRequest struct {
	// The name that people see when they grant access.
	Name *string `json:"name,omitempty"`
	// Replace the secret; the old one stops working immediately.
	NewSecret *bool `json:"new_secret,omitempty"`
	// The addresses that people may be sent back to.
	RedirectUris []string `json:"redirect_uris,omitzero"`
	// The permissions that the application can ask for.
	Scopes []Scope `json:"scopes,omitzero"`
}

// UpdateOrganizationRequest is what a request says.
type UpdateOrganizationRequest struct {
	// The name of the organization.
	Name *string `json:"name,omitempty"`
	// The limits of new sites that are created without limits. Replaces all: what is left out is not limited.
	SiteLimits *LimitValues `json:"site_limits,omitempty"`
}

// UpdatePhpCliRequest is what a request says.
type UpdatePhpCliRequest struct {
	// Lines of php.ini, which are added after the distribution's. Empty for none.
	Config string `json:"config"`
}

// UpdatePhpCliVersionRequest is what a request says.
type UpdatePhpCliVersionRequest struct {
	// A version of PHP that is installed on the server.
	PHPVersion UpdatePhpCliVersionPHPVersion `json:"php_version"`
}

// UpdatePhpFpmRequest is what a request says.
type UpdatePhpFpmRequest struct {
	// Lines of php.ini, which are added after the distribution's. Empty for none.
	Config string `json:"config"`
}

// UpdatePhpPoolRequest is what a request says.
type UpdatePhpPoolRequest struct {
	// Lines for FPM pools: process management, and php_value, php_flag, php_admin_value and php_admin_flag. Empty for none.
	Config string `json:"config"`
	// The account of an isolated site. Defaults to forge, whose pools serve all other sites.
	User Nullable[string] `json:"user,omitzero"`
}

// UpdatePhpSettingsRequest is what a request says.
type UpdatePhpSettingsRequest struct {
	// In seconds. 0 and null mean PHP's own limit.
	MaxExecutionTime Nullable[int64] `json:"max_execution_time,omitzero"`
	// In megabytes. 0 and null mean PHP's own limit.
	MaxUploadSize Nullable[int64] `json:"max_upload_size,omitzero"`
	// Whether OPcache is on. It has its own operation as well.
	Opcache Nullable[bool] `json:"opcache,omitzero"`
}

// UpdateRateLimitRequest is what a request says.
type UpdateRateLimitRequest struct {
	// Null restores the installation's limit.
	RequestsPerMinute *int64 `json:"requests_per_minute"`
}

// UpdateRecipeRequest is what a request says.
type UpdateRecipeRequest struct {
	// A name of your choice.
	Name *string `json:"name,omitempty"`
	// The script, for bash, at most 128 KiB.
	Script *string `json:"script,omitempty"`
	// The account that runs the script.
	User *CreateRecipeUser `json:"user,omitempty"`
}

// UpdateRedirectRequest is what a request says.
type UpdateRedirectRequest struct {
	// A regular expression that is matched against the path, such as ^/old$.
	From *string `json:"from,omitempty"`
	// A path or a URL; $1 to $9 are the parenthesized matches of from.
	To *string `json:"to,omitempty"`
	// redirect responds with 302, permanent with 301.
	Type *RedirectRuleType `json:"type,omitempty"`
}

// UpdateRetentionRequest is what a request says.
type UpdateRetentionRequest struct {
	// The number of days to keep the audit log; null for the installation's period.
	AuditDays Nullable[int64] `json:"audit_days,omitzero"`
	// The number of days to keep sent webhooks and notifications; null for the installation's period.
	DeliveriesDays Nullable[int64] `json:"deliveries_days,omitzero"`
	// The number of days to keep events; null for the installation's period.
	EventsDays Nullable[int64] `json:"events_days,omitzero"`
	// The number of days to keep the output of events; null for the installation's period.
	OutputDays Nullable[int64] `json:"output_days,omitzero"`
}

// UpdateRoleRequest is what a request says.
type UpdateRoleRequest struct {
	// What the role is for.
	Description *string `json:"description,omitempty"`
	// The name of the role.
	Name string `json:"name"`
	// The permissions of the role. The list replaces the previous one.
	Permissions []Permission `json:"permissions,omitzero"`
}

// UpdateSFTPUserRequest is what a request says.
type UpdateSFTPUserRequest struct {
	// The last day on which the user can log in, in UTC. Null for no end; omitted, it stays.
	ExpiresOn Nullable[string] `json:"expires_on,omitzero"`
	// All keys that the user has afterwards. If omitted, they stay.
	Keys []string `json:"keys,omitzero"`
}

// UpdateScheduledJobRequest is what a request says.
type UpdateScheduledJobRequest struct {
	// One line, which bash runs in the site's directory, or in the account's home.
	Command *string `json:"command,omitempty"`
	// A cron expression with five fields, in the server's time; required when the frequency is custom.
	Cron Nullable[string] `json:"cron,omitzero"`
	// How often the job runs. custom needs a cron expression, reboot is whenever the server starts.
	Frequency *CreateScheduledJobFrequency `json:"frequency,omitempty"`
	// A name of your choice; null for none.
	Name Nullable[string] `json:"name,omitzero"`
	// root, forge, or the account of a site on the server.
	User *string `json:"user,omitempty"`
}

// UpdateSecurityRuleRequest is what a request says.
type UpdateSecurityRuleRequest struct {
	// If a user is given without a password, the current password is kept.
	Credentials []OptionalCredential `json:"credentials"`
	// The text shown to visitors in the password prompt.
	Name string `json:"name"`
	// Null for the whole site.
	Path Nullable[string] `json:"path,omitzero"`
}

// UpdateServerCredentialRequest is what a request says.
type UpdateServerCredentialRequest struct {
	// The API token of the cloud provider. It is never returned.
	Key *string `json:"key,omitempty"`
	// A name of your choice.
	Name *string `json:"name,omitempty"`
	// The API token or the secret key. It is never returned.
	Secret *string `json:"secret,omitempty"`
}

// UpdateServerNetworkRequest is what a request says.
type UpdateServerNetworkRequest struct {
	// Servers of the same provider, account and region, each with a private address. Servers that are not listed lose
	// access.
	Servers []int64 `json:"servers"`
}

// UpdateServerRequest is what a request says.
type UpdateServerRequest struct {
	// The public IP address.
	IPAddress *string `json:"ip_address,omitempty"`
	// The name of the server.
	Name *string `json:"name,omitempty"`
	// The address in the private network; null if there is none.
	PrivateIPAddress *string `json:"private_ip_address,omitempty"`
	// The names of the server's tags. Missing ones are created.
	Tags []string `json:"tags,omitzero"`
	// As on creation, for a server that could not be set up. Retry the setup afterwards.
	TakeOver *bool `json:"take_over,omitempty"`
	// The time zone of the server, an IANA name such as Europe/Berlin.
	Timezone *string `json:"timezone,omitempty"`
}

// UpdateSiteRequest is what a request says.
type UpdateSiteRequest struct {
	// How many releases are kept, 1 to 100.
	DeploymentRetention any `json:"deployment_retention,omitzero"`
	// The web directory. Null for the default of the site's type.
	Directory Nullable[string] `json:"directory,omitzero"`
	// How much of its server all that runs for the site may use. Replaces all limits: what is left out has none.
	// Deployments have the same limits once more for themselves. A new site without it has those of its organization
	// (site_limits).
	Limits *LimitValues `json:"limits,omitempty"`
	// The version of PHP. Without it, new sites get the server's.
	PHPVersion *CreateSitePHPVersion `json:"php_version,omitempty"`
	// Whether a push to the branch deploys the site.
	PushToDeploy *bool `json:"push_to_deploy,omitempty"`
	// Null for main.
	RepositoryBranch Nullable[string] `json:"repository_branch,omitzero"`
	// The directory of the application in the repository; null for its top.
	RootPath Nullable[string] `json:"root_path,omitzero"`
	// What runs the site's programs, processes, jobs, commands and deploy scripts: system is the Node.js of the server's
	// distribution, node, bun and deno are a version of the site's own; python, ruby and go are what the server's
	// distribution has of these languages, and go with a runtime_version is a version of the site's own. Default system.
	Runtime *CreateSiteRuntime `json:"runtime,omitempty"`
	// The version of the runtime: 20, 22, 24 or 26 of node, 2 of deno or one like 1.25 of go for the newest release of that
	// line, which stays until this field is sent again, or an exact version like 22.11.0. bun has exact versions only.
	RuntimeVersion *string `json:"runtime_version,omitempty"`
	// The paths of a release that all releases share, at most 50.
	SharedPaths []SharedPath `json:"shared_paths,omitzero"`
	// One line that starts the site's own program, which listens on port $PORT of 127.0.0.1: a shell runs it in the
	// directory of the release, as the site's account. For sites of the types other, custom, nextjs and nuxtjs; null for
	// what the type says (npm start).
	StartCommand Nullable[string] `json:"start_command,omitzero"`
	// Replaces all tags.
	Tags []string `json:"tags,omitzero"`
	// The kind of the application, which decides the nginx configuration and the first deploy script.
	Type *CreateSiteType `json:"type,omitempty"`
}

// UpdateSourceControlProviderRequest is what a request says.
type UpdateSourceControlProviderRequest struct {
	// A name of your choice.
	Name *string `json:"name,omitempty"`
	// It is never returned.
	Token *string `json:"token,omitempty"`
	// The email address of an Atlassian account, if the token is used as a password; null otherwise.
	Username Nullable[string] `json:"username,omitzero"`
}

// UpdateStorageConfigurationRequest is what a request says.
type UpdateStorageConfigurationRequest struct {
	// The access key, or the user for SFTP. It is never returned.
	AccessKey Nullable[string] `json:"access_key,omitzero"`
	// Always false: Hostler does not use the role of the machine it runs on.
	AssumeRole *bool `json:"assume_role,omitempty"`
	// The default bucket, for backup configurations that do not name one; null for none.
	Bucket Nullable[string] `json:"bucket,omitzero"`
	// The directory in the bucket below which objects are stored; null for its top.
	Directory Nullable[string] `json:"directory,omitzero"`
	// The address of the provider, if it is not the one of its region.
	Endpoint *string `json:"endpoint,omitempty"`
	// For SFTP only. A change requires the secret_key as well.
	HostKey Nullable[string] `json:"host_key,omitzero"`
	// A name of your choice.
	Name string `json:"name"`
	// The kind of the storage provider; custom for any other S3-compatible one, SFTP or a disk.
	Provider StorageProviderProvider `json:"provider"`
	// The region of the bucket; null or omitted if the endpoint says it.
	Region *string `json:"region,omitempty"`
	// The secret key, or the password or private key for SFTP. It is never returned.
	SecretKey Nullable[string] `json:"secret_key,omitzero"`
	// The old name of assume_role.
	UseEc2AssumedRole *bool `json:"use_ec2_assumed_role,omitempty"`
}

// UpdateTeamMemberRequest is what a request says.
type UpdateTeamMemberRequest struct {
	// The id of the role that the person has in the team.
	RoleID int64 `json:"role_id"`
}

// UpdateTeamRequest is what a request says.
type UpdateTeamRequest struct {
	// The name of the team.
	Name string `json:"name"`
	// Members of the organization, each with a role in the team. The list replaces the previous one.
	Users []MemberRef `json:"users,omitzero"`
}

// UpdateTimezoneRequest is what a request says.
type UpdateTimezoneRequest struct {
	// An IANA time zone name, such as Europe/Berlin.
	Timezone string `json:"timezone"`
}

// UpdatedNode is what a request says.
type UpdatedNode struct {
	// Whether the node is only used while all others are unavailable.
	Backup *bool `json:"backup,omitempty"`
	// Whether the node gets no requests.
	Down *bool `json:"down,omitempty"`
	// The port of the node.
	Port Nullable[int64] `json:"port,omitzero"`
	// The id of the node's server.
	ServerID int64 `json:"server_id"`
	// The node's share of the requests, relative to the others.
	Weight int64 `json:"weight"`
}

// UpdatesMeta is part of what the API takes and answers.
type UpdatesMeta struct {
	// The number of packages that can be updated.
	Pending int64 `json:"pending"`
	// Whether installed updates wait for a reboot.
	RebootNeeded bool `json:"reboot_needed"`
	// How many of these are security updates.
	Security int64 `json:"security"`
}

// UpgradeRequest is what a request says.
type UpgradeRequest struct {
	// Reboot the server afterwards if updates require it.
	Reboot *bool `json:"reboot,omitempty"`
	// Install only security updates.
	SecurityOnly *bool `json:"security_only,omitempty"`
}

// User is a resource of the type users.
type User struct {
	ID             ID     `json:"id"`
	ResourceType   string `json:"type"`
	UserAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta UserResourceMeta `json:"meta"`
}

// UserAttributes are the fields of a resource.
type UserAttributes struct {
	// When it was created.
	CreatedAt *time.Time `json:"created_at"`
	// The email address of the account.
	Email string `json:"email"`
	// The name of the person.
	Name string `json:"name"`
	// When it was last changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

// UserResourceMeta is part of what the API takes and answers.
type UserResourceMeta struct {
	// Whether the caller can create organizations; false for tokens, which can't.
	CanCreateOrganizations *bool `json:"can_create_organizations"`
	// The counts that include=…Count and …Exists requested, by name.
	Included map[string]any `json:"included"`
	// The newest work on the resource.
	Operation *OperationMeta `json:"operation"`
	// Set if an answer is repeated whose secret was shown the first time.
	SecretShown *bool `json:"secret_shown"`
	// Secrets that were just generated and are in no other answer.
	ShownOnce *ShownOnce `json:"shown_once"`
}

// VersionRelationships are the ids of related resources.
type VersionRelationships struct {
	// The person who wrote the version.
	User ToOne `json:"user"`
}

// Vpc is a resource.
type Vpc struct {
	ID            ID     `json:"id"`
	ResourceType  string `json:"type"`
	VpcAttributes `json:"attributes"`
	// The address of the resource.
	Links SelfLinks `json:"links"`
	// What is known about the resource beyond its fields, such as the work on it.
	Meta Meta `json:"meta"`
}

// VpcAttributes are the fields of a resource.
type VpcAttributes struct {
	// Empty if only subnets have ranges.
	CidrBlock string `json:"cidrBlock"`
	// The name of the network.
	Name string `json:"name"`
	// The code of the network's region.
	Region string `json:"region"`
	// The subnets of the network.
	Subnets []VpcSubnet `json:"subnets"`
}

// VpcSubnet is part of what the API takes and answers.
type VpcSubnet struct {
	// The addresses of the subnet, such as 10.0.0.0/24.
	CidrBlock string `json:"cidrBlock"`
	// The id of the subnet at the cloud provider.
	ID string `json:"id"`
	// The name of the subnet.
	Name string `json:"name"`
}

// VultrServer is what a request says.
type VultrServer struct {
	// The id of the private network at the cloud provider.
	NetworkID *string `json:"network_id,omitempty"`
	// The code of the region, as the provider's regions list it.
	RegionID *string `json:"region_id,omitempty"`
	// The code of the size, as the region's sizes list it.
	SizeID *string `json:"size_id,omitempty"`
}

// Included are the related resources of an answer by their types.
type Included struct {
	BackgroundProcesses []*BackgroundProcess
	Deployments         []*Deployment
	Jobs                []*Job
	Organizations       []*Organization
	PermissionResources []*PermissionResource
	RedirectRules       []*RedirectRule
	Roles               []*Role
	SecurityRules       []*SecurityRule
	Servers             []*Server
	Sites               []*Site
	Tags                []*Tag
	Teams               []*Team
	Users               []*User
}

// UnmarshalJSON sorts resources by their types. Types that this client does not know are left out.
func (i *Included) UnmarshalJSON(raw []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for _, one := range all {
		var of struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(one, &of); err != nil {
			return err
		}
		var err error
		switch of.Type {
		case "backgroundProcesses":
			err = add(one, &i.BackgroundProcesses)
		case "deployments":
			err = add(one, &i.Deployments)
		case "scheduledJobs":
			err = add(one, &i.Jobs)
		case "organizations":
			err = add(one, &i.Organizations)
		case "permissions":
			err = add(one, &i.PermissionResources)
		case "redirect-rules":
			err = add(one, &i.RedirectRules)
		case "predefinedRoles":
			err = add(one, &i.Roles)
		case "securityRules":
			err = add(one, &i.SecurityRules)
		case "servers":
			err = add(one, &i.Servers)
		case "sites":
			err = add(one, &i.Sites)
		case "tags":
			err = add(one, &i.Tags)
		case "teams":
			err = add(one, &i.Teams)
		case "users":
			err = add(one, &i.Users)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func add[T any](raw json.RawMessage, to *[]*T) error {
	one := new(T)
	if err := json.Unmarshal(raw, one); err != nil {
		return err
	}
	*to = append(*to, one)
	return nil
}

// BackgroundProcess returns a related resource, nil if it is not included.
func (i Included) BackgroundProcess(id ID) *BackgroundProcess {
	for _, one := range i.BackgroundProcesses {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Deployment returns a related resource, nil if it is not included.
func (i Included) Deployment(id ID) *Deployment {
	for _, one := range i.Deployments {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Job returns a related resource, nil if it is not included.
func (i Included) Job(id ID) *Job {
	for _, one := range i.Jobs {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Organization returns a related resource, nil if it is not included.
func (i Included) Organization(id ID) *Organization {
	for _, one := range i.Organizations {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// PermissionResource returns a related resource, nil if it is not included.
func (i Included) PermissionResource(id ID) *PermissionResource {
	for _, one := range i.PermissionResources {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// RedirectRule returns a related resource, nil if it is not included.
func (i Included) RedirectRule(id ID) *RedirectRule {
	for _, one := range i.RedirectRules {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Role returns a related resource, nil if it is not included.
func (i Included) Role(id ID) *Role {
	for _, one := range i.Roles {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// SecurityRule returns a related resource, nil if it is not included.
func (i Included) SecurityRule(id ID) *SecurityRule {
	for _, one := range i.SecurityRules {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Server returns a related resource, nil if it is not included.
func (i Included) Server(id ID) *Server {
	for _, one := range i.Servers {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Site returns a related resource, nil if it is not included.
func (i Included) Site(id ID) *Site {
	for _, one := range i.Sites {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Tag returns a related resource, nil if it is not included.
func (i Included) Tag(id ID) *Tag {
	for _, one := range i.Tags {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Team returns a related resource, nil if it is not included.
func (i Included) Team(id ID) *Team {
	for _, one := range i.Teams {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// User returns a related resource, nil if it is not included.
func (i Included) User(id ID) *User {
	for _, one := range i.Users {
		if one.ID == id {
			return one
		}
	}
	return nil
}
