package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// ContentType is the media type of documents.
const ContentType = "application/vnd.api+json"

// Link is a link object of JSON:API.
type Link struct {
	Href        string         `json:"href" format:"uri"`
	Rel         string         `json:"rel,omitempty"`
	DescribedBy string         `json:"describedby,omitempty"`
	Title       string         `json:"title,omitempty"`
	Type        string         `json:"type,omitempty"`
	HrefLang    *TextOrList    `json:"hreflang,omitempty"`
	Meta        map[string]any `json:"meta,omitempty"`
}

// SelfLinks are the links of a resource.
type SelfLinks struct {
	Self Link `json:"self"`
}

// Attributes is implemented by every attributes type: it returns the resource's fixed type. A type whose resources have no links
// (tags, deployments) also has a method Unlinked, one whose type the contract leaves open a method AnyType.
type Attributes interface{ ResourceType() string }

// NoRelationships is used for a resource without relationships.
type NoRelationships struct{}

// Resource is a resource object. R is NoRelationships if there are none.
type Resource[A Attributes, R any] struct {
	ID            string
	Attributes    A
	Relationships *R
	Links         *SelfLinks
	Meta          *Meta
}

// Meta is what Hostler adds to a resource beyond the contract's attributes.
type Meta struct {
	// Operation is the newest work on the resource, and its state.
	Operation *OperationMeta `json:"operation,omitempty"`
	// OS is the system found on a server.
	OS *OSMeta `json:"os,omitempty"`
	// Bootstrap is what a custom server needs to run once; shown when the server is created.
	Bootstrap *BootstrapMeta `json:"bootstrap,omitempty"`
	// ShownOnce is a secret that was just generated, and is in no other answer.
	ShownOnce *ShownOnce `json:"shown_once,omitempty"`
	// SecretShown is set if an answer is repeated whose secret was shown the first time.
	SecretShown bool `json:"secret_shown,omitempty"`
	// Delivery is how an invitation's link reaches the person: by "mail", or, without a mail server, through the installation's "log".
	Delivery string `json:"delivery,omitempty" enum:"mail,log"`
	// Provisioning is the progress of setting up a server.
	Provisioning string `json:"provisioning,omitempty"`
	// Balancer is the method and the keepalive of a site on a load balancer.
	Balancer *BalancerMeta `json:"balancer,omitempty"`
	// Backups describes a backup configuration beyond its schedule.
	Backups *BackupsMeta `json:"backups,omitempty"`
	// Backup describes a backup.
	Backup *BackupMeta `json:"backup,omitempty"`
	// Storage describes a storage provider beyond its attributes.
	Storage *StorageMeta `json:"storage,omitempty"`
	// DatabaseUser is the access of a database user.
	DatabaseUser *DatabaseUserMeta `json:"database_user,omitempty"`
	// Permissions are what the caller is allowed to do in an organization; on things that are shared with teams, the roles there decide.
	Permissions []string `json:"permissions,omitempty"`
	// Certificate describes a certificate.
	Certificate *CertificateMeta `json:"certificate,omitempty"`
	// Nginx is how a configuration on a host differs from the intended one.
	Nginx *NginxMeta `json:"nginx,omitempty"`
	// Record is whether DNS shows a record.
	Record *RecordMeta `json:"record,omitempty"`
	// Process describes a background process beyond its attributes.
	Process *ProcessMeta `json:"process,omitempty"`
	// Job describes a scheduled job beyond its attributes.
	Job *JobMeta `json:"job,omitempty"`
	// Heartbeat is when a heartbeat was last called, and is expected.
	Heartbeat *HeartbeatMeta `json:"heartbeat,omitempty"`
	// Log identifies the part of a log.
	Log *LogMeta `json:"log,omitempty"`
	// Included contains the counts that include=…Count and …Exists requested.
	Included map[string]any `json:"included,omitempty"`
}

// OperationMeta is the block meta.operation.
type OperationMeta struct {
	ID       string  `json:"id"`
	State    string  `json:"state" enum:"pending,running,succeeded,failed,cancelled"`
	Action   string  `json:"action"`
	Step     *string `json:"step"`
	Reason   *string `json:"reason"`
	Attempt  int64   `json:"attempt"`
	Deadline Time    `json:"deadline"`
	EventID  *string `json:"event_id"`
	// Reversible reports whether the server is rolled back if the work ends early.
	Reversible bool `json:"reversible"`
	// Ended is when the work ended, zero if it has not.
	Ended time.Time `json:"-"`
}

// OSMeta names an operating system.
type OSMeta struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Name    string `json:"name"`
	Arch    string `json:"arch"`
}

// BootstrapMeta is the command line for a new server.
type BootstrapMeta struct {
	Command   Secret `json:"command"`
	ExpiresAt Time   `json:"expires_at"`
	Warning   string `json:"warning,omitempty"`
}

// ShownOnce are the secrets of an answer.
type ShownOnce struct {
	Token         Secret   `json:"token,omitzero"`
	Secret        Secret   `json:"secret,omitzero"`
	URL           Secret   `json:"url,omitzero"`
	RecoveryCodes []Secret `json:"recovery_codes,omitempty"`
	Password      Secret   `json:"password,omitzero"`
}

// BackupsMeta is the state of a configuration's backups: the last one that was restored and compared, and any problem.
type BackupsMeta struct {
	// LastProvenRestore is when a backup was last restored into a separate database and found to equal the dump.
	LastProvenRestore NullTime `json:"last_proven_restore"`
	// LastProvenBackup is the id of that backup.
	LastProvenBackup *string  `json:"last_proven_backup"`
	ProofStatus      *string  `json:"proof_status" enum:"finished,failed"`
	ProofReason      *string  `json:"proof_reason"`
	NextProof        NullTime `json:"next_proof"`
	ProveEveryDays   int64    `json:"prove_every_days"`
	// Alarm is what needs attention now, as text.
	Alarm *string `json:"alarm"`
	// SiteID and Paths are the files included in the backups.
	SiteID *int64   `json:"site_id"`
	Paths  []string `json:"paths"`
}

// StorageMeta describes a storage over SFTP.
type StorageMeta struct {
	// HostKey is the key that its server must present.
	HostKey string `json:"host_key"`
}

// BackupMeta is the contents of a backup.
type BackupMeta struct {
	// Encrypted is always set: objects are encrypted to Recipient (age) before they leave the host.
	Encrypted bool   `json:"encrypted"`
	Recipient string `json:"recipient"`
	Bucket    string `json:"bucket"`
	// Reason is why a backup failed, or what it is missing.
	Reason *string `json:"reason"`
	// LastProvenRestore is when this backup was restored into a separate database and found to equal the dump.
	LastProvenRestore NullTime           `json:"last_proven_restore"`
	ProofStatus       *string            `json:"proof_status" enum:"finished,failed"`
	ProofReason       *string            `json:"proof_reason"`
	Objects           []BackupObjectMeta `json:"objects"`
}

// BackupObjectMeta is one object of a backup.
type BackupObjectMeta struct {
	Kind       string  `json:"kind" enum:"database,files"`
	Name       string  `json:"name"`
	DatabaseID *int64  `json:"database_id"`
	Status     string  `json:"status" enum:"pending,sent,stored,failed"`
	Key        string  `json:"key"`
	Size       int64   `json:"size"`
	Checksum   *string `json:"checksum" doc:"SHA-256 of the object, in hexadecimal."`
	Reason     *string `json:"reason"`
	// URL temporarily gives access to the object; set only if a download was requested.
	URL Secret `json:"url,omitzero"`
}

// CertificateMeta describes a certificate and its renewal.
type CertificateMeta struct {
	Names     []string `json:"names" nullable:"false"`
	ExpiresAt NullTime `json:"expires_at"`
	RenewAt   NullTime `json:"renew_at" doc:"When it is renewed; null if it is not renewed automatically."`
	Failure   string   `json:"failure" doc:"Why the last attempt to issue or renew it failed; empty if it did not. The previous certificate is still served."`
	CSR       *string  `json:"csr" doc:"The request to have signed, as PEM; null for other certificates."`
}

// NginxMeta is how a configuration on a host differs from the intended one.
type NginxMeta struct {
	Custom bool   `json:"custom" doc:"Whether a user wrote it."`
	Rule   string `json:"rule" enum:",judged,root,kept" doc:"The rule for a user's configuration: judged is restricted to the site; root was written by a caller who can act as root on the server; kept predates the restrictions. Empty for ours."`
	// Refused is null if nothing is refused.
	Refused *string `json:"refused" doc:"Why a configuration that is kept would be refused now; empty if it would not be, null if it was not checked."`
	Drift   string  `json:"drift" doc:"A unified diff from the host's file to the intended one; empty without a difference."`
	// Problem is null if there is none.
	Problem *string `json:"problem" doc:"Why the intended configuration, or the difference, can't be determined."`
}

// RecordMeta is what DNS shows at the name of a record.
type RecordMeta struct {
	Seen  bool     `json:"seen"`
	Found []string `json:"found" nullable:"false" doc:"The existing values of this type."`
	// Problem is null if DNS answered.
	Problem *string `json:"problem"`
}

// ProcessMeta describes a background process beyond its attributes.
type ProcessMeta struct {
	Name         string `json:"name"`
	SiteID       *int64 `json:"site_id"`
	Startsecs    int64  `json:"startsecs"`
	Stopwaitsecs int64  `json:"stopwaitsecs"`
	Stopsignal   string `json:"stopsignal"`
	Integration  string `json:"integration" doc:"The integration that it belongs to; empty if it was created directly."`
}

// JobMeta describes a scheduled job beyond its attributes.
type JobMeta struct {
	SiteID      *int64 `json:"site_id"`
	HeartbeatID *int64 `json:"heartbeat_id"`
	Integration string `json:"integration" doc:"The integration that it belongs to; empty if it was created directly."`
}

// HeartbeatMeta is when a heartbeat was last called, and is expected.
type HeartbeatMeta struct {
	LastPingAt NullTime `json:"last_ping_at"`
	DueAt      NullTime `json:"due_at"`
}

// LogMeta identifies the part of a log.
type LogMeta struct {
	Path  string `json:"path" doc:"The file; empty if it does not exist yet."`
	Start int64  `json:"start" doc:"The offset of the first line in the file. Pass it as before= to get the previous page."`
	End   int64  `json:"end"`
	More  bool   `json:"more" doc:"Whether there is something before start."`
}

// BalancerMeta is how a site on a load balancer chooses its nodes.
type BalancerMeta struct {
	Method    string `json:"method"`
	Keepalive int64  `json:"keepalive_max_connections"`
}

// DatabaseUserMeta is the access of a database user: to these databases, or to all of them, now and later.
type DatabaseUserMeta struct {
	ReadOnly    bool     `json:"read_only"`
	All         bool     `json:"all"`
	DatabaseIDs []string `json:"database_ids" nullable:"false"`
}

// Time prints as the contract's timestamps: ISO 8601, UTC, microseconds.
type Time time.Time

const timeLayout = "2006-01-02T15:04:05.000000Z"

// TimeOf turns the database's microseconds into a Time.
func TimeOf(micros int64) Time { return Time(time.UnixMicro(micros)) }

// MarshalJSON prints the time.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"` + timeLayout + `"`)), nil
}

// Schema describes the time.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// NullTime is a Time or null.
type NullTime struct{ *Time }

// NullTimeOf returns null for nil.
func NullTimeOf(micros *int64) NullTime {
	if micros == nil {
		return NullTime{}
	}
	t := TimeOf(*micros)
	return NullTime{&t}
}

// MarshalJSON prints the time or null.
func (t NullTime) MarshalJSON() ([]byte, error) {
	if t.Time == nil {
		return []byte("null"), nil
	}
	return t.Time.MarshalJSON()
}

// Schema describes the time.
func (NullTime) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}

// Identifier refers to a resource.
type Identifier[A Attributes] struct{ ID string }

// MarshalJSON prints type and id.
func (i Identifier[A]) MarshalJSON() ([]byte, error) {
	var a A
	return json.Marshal(struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}{a.ResourceType(), i.ID})
}

// Schema describes the identifier.
func (i Identifier[A]) Schema(huma.Registry) *huma.Schema { return identifierSchema[A]() }

func identifierSchema[A Attributes]() *huma.Schema {
	var a A
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"type", "id"}, Properties: map[string]*huma.Schema{
		"type": {Type: huma.TypeString, Enum: []any{a.ResourceType()}},
		"id":   {Type: huma.TypeString},
	}}
}

// ToOne is a relationship to one resource, or none.
type ToOne[A Attributes] struct{ Data *Identifier[A] }

// One returns a relationship to the resource with this id; zero is none.
func One[A Attributes](id int64) ToOne[A] {
	if id == 0 {
		return ToOne[A]{}
	}
	return ToOne[A]{&Identifier[A]{strconv.FormatInt(id, 10)}}
}

// MarshalJSON prints the member data.
func (t ToOne[A]) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Data *Identifier[A] `json:"data"`
	}{t.Data})
}

// Schema describes the relationship.
func (ToOne[A]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"data"}, Properties: map[string]*huma.Schema{
		"data": {AnyOf: []*huma.Schema{identifierSchema[A](), {Type: "null"}}},
	}}
}

// ToMany is a relationship to any number of resources.
type ToMany[A Attributes] struct{ Data []Identifier[A] }

// Many returns a relationship to the resources with these ids.
func Many[A Attributes](ids []int64) ToMany[A] {
	t := ToMany[A]{Data: make([]Identifier[A], len(ids))}
	for i, id := range ids {
		t.Data[i].ID = strconv.FormatInt(id, 10)
	}
	return t
}

// MarshalJSON prints the member data.
func (t ToMany[A]) MarshalJSON() ([]byte, error) {
	if t.Data == nil {
		t.Data = []Identifier[A]{}
	}
	return json.Marshal(struct {
		Data []Identifier[A] `json:"data"`
	}{t.Data})
}

// Schema describes the relationship.
func (ToMany[A]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"data"}, Properties: map[string]*huma.Schema{
		"data": {Type: huma.TypeArray, Items: identifierSchema[A]()},
	}}
}

// MarshalJSON prints the resource object.
func (r Resource[A, R]) MarshalJSON() ([]byte, error) { return json.Marshal(r.object()) }

// object returns the printed form of the resource object. Documents contain it instead of the resource, because the result of a
// MarshalJSON is checked and copied once more.
func (r Resource[A, R]) object() any {
	return &struct {
		ID            string     `json:"id"`
		Type          string     `json:"type"`
		Attributes    A          `json:"attributes"`
		Relationships *R         `json:"relationships,omitempty"`
		Links         *SelfLinks `json:"links,omitempty"`
		Meta          *Meta      `json:"meta,omitempty"`
	}{r.ID, r.Attributes.ResourceType(), r.Attributes, r.Relationships, r.Links, r.Meta}
}

// work returns the newest work on the resource.
func (r Resource[A, R]) work() *OperationMeta {
	if r.Meta == nil {
		return nil
	}
	return r.Meta.Operation
}

// printed returns the printed form of v.
func printed(v any) any {
	if r, ok := v.(interface{ object() any }); ok {
		return r.object()
	}
	return v
}

func printedAll[T any](secrets *revealer, list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = secrets.shown(printed(v))
	}
	return out
}

// Schema describes the resource object, as a component named after the attributes: SiteAttributes makes SiteResource.
func (r Resource[A, R]) Schema(reg huma.Registry) *huma.Schema {
	var a A
	name := strings.TrimSuffix(reflect.TypeFor[A]().Name(), "Attributes") + "Resource"
	ref := &huma.Schema{Ref: "#/components/schemas/" + name}
	if reg.Map()[name] != nil {
		return ref
	}
	s := &huma.Schema{Type: huma.TypeObject, Required: []string{"id", "type", "attributes"}, Properties: map[string]*huma.Schema{
		"id":         {Type: huma.TypeString},
		"type":       {Type: huma.TypeString, Enum: []any{a.ResourceType()}},
		"attributes": reg.Schema(reflect.TypeFor[A](), true, ""),
		"meta":       reg.Schema(reflect.TypeFor[Meta](), true, ""),
	}}
	reg.Map()[name] = s
	markOurs(reg, reflect.TypeFor[A]())
	if reflect.TypeFor[R]() != reflect.TypeFor[NoRelationships]() {
		s.Properties["relationships"] = reg.Schema(reflect.TypeFor[R](), true, "")
	}
	if _, any := any(a).(interface{ AnyType() }); any {
		s.Properties["type"] = &huma.Schema{Type: huma.TypeString}
	}
	if _, unlinked := any(a).(interface{ Unlinked() }); !unlinked {
		s.Properties["links"] = reg.Schema(reflect.TypeFor[SelfLinks](), true, "")
		s.Required = append(s.Required, "links")
	}
	return ref
}

// Document is an answer with one resource.
type Document[T any] struct {
	Data     T
	Included []any
	// Meta is beside the data: a value of the type of the operation's Meta.
	Meta any
	// Location is the path of a created resource below the API's root; Event the id of the event of its work.
	Location string
	Event    int64
	// Cookies are set by operations registered with Do.
	Cookies []*http.Cookie
}

// Collection is a page of resources.
type Collection[T any] struct {
	Data     []T
	Included []any
	Next     *string
	Prev     *string
}

// Empty is an answer without a body.
type Empty struct {
	Event int64
}

// PaginationLinks are the links of a page, null at the ends.
type PaginationLinks struct {
	First *string `json:"first"`
	Last  *string `json:"last"`
	Prev  *string `json:"prev"`
	Next  *string `json:"next"`
}

// NumberedLinks are the links of numbered pages, omitted at the ends.
type NumberedLinks struct {
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	Prev  string `json:"prev,omitempty"`
	Next  string `json:"next,omitempty"`
}

// NumberedMeta is the position of a numbered page.
type NumberedMeta struct {
	CurrentPage int     `json:"current_page" minimum:"1"`
	From        *int    `json:"from" minimum:"1"`
	Path        *string `json:"path"`
	PerPage     int     `json:"per_page" minimum:"0"`
	To          *int    `json:"to" minimum:"1"`
}

// PaginationMeta is the position of a page.
type PaginationMeta struct {
	Path       *string `json:"path"`
	PerPage    int     `json:"per_page" minimum:"0"`
	NextCursor *string `json:"next_cursor"`
	PrevCursor *string `json:"prev_cursor"`
}
