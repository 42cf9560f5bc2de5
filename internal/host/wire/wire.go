// Package wire holds what the control plane and the agent on a host say to each other: frames on the
// stdin and stdout of an SSH session, runs, and the Change that a run applies. It has no dependencies,
// so that the agent stays small.
//
// A session is a stream of JSON objects, one a line. The control plane sends Requests; the agent answers each
// with any number of Frames that carry its ID, the last of them with Done set. Requests may overlap.
package wire

import (
	"encoding/json"
	"time"
)

// Version is the version of this protocol. The agent is addressed by the hash of its content, so both sides
// always speak the same one; Hello says it all the same, for people who read a capture.
const Version = 1

// MaxFrame is the largest frame in bytes, newline included. A longer one ends the session.
const MaxFrame = 16 << 20

// MaxOutput is the most output in bytes that one run keeps. What comes after it is counted and dropped.
const MaxOutput = 8 << 20

// Op names what a Request asks for.
type Op string

// The closed set of requests that an agent answers.
const (
	OpHello    Op = "hello"      // body: none; reply: Hello
	OpRunStart Op = "run.start"  // body: Run; streams Events until the run ended; reply: Result. Known id: attaches instead
	OpAttach   Op = "run.attach" // body: Attach; streams Events after After; reply: Result, or ErrUnknownRun
	OpCancel   Op = "run.cancel" // body: RunID; kills the whole process group; reply: none
	OpConfirm  Op = "confirm"    // body: RunID; keeps a commit-confirmed Change; reply: none, or ErrReverted
	OpDrift    Op = "drift"      // body: Change; compares, changes nothing; reply: Drift
	OpFacts    Op = "facts"      // body: none; reply: Facts
	OpRuns     Op = "runs"       // body: none; reply: []RunSummary, the host's journal
	OpForget   Op = "run.forget" // body: RunID; drops the directory of an ended run, keeps its journal line
	OpLog      Op = "log"        // body: LogQuery; reads a part of a log, changes nothing; reply: LogPage
	OpRead     Op = "read"       // body: ReadQuery; reads a small file of an account, changes nothing; reply: ReadFile
	OpUnits    Op = "units"      // body: []string, patterns of units; reply: []UnitState
)

// Request is one frame from the control plane.
type Request struct {
	ID   uint64          `json:"id"`
	Op   Op              `json:"op"`
	Body json.RawMessage `json:"body,omitempty"`
}

// Frame is one frame from the agent.
type Frame struct {
	ID    uint64          `json:"id"`
	Event *Event          `json:"event,omitempty"`
	Body  json.RawMessage `json:"body,omitempty"`
	Error *Error          `json:"error,omitempty"`
	Done  bool            `json:"done,omitempty"`
}

// Error codes that a caller decides on.
const (
	ErrUnknownRun  = "unknown_run"
	ErrFenced      = "fenced"       // a higher fencing number was seen for this lane
	ErrBusy        = "busy"         // another run holds the lane on the host
	ErrReverted    = "reverted"     // the Change was put back before its confirmation came
	ErrRunConflict = "run_conflict" // the run id is known with another content
	ErrBadRequest  = "bad_request"
	ErrInternal    = "internal"
)

// Error is a refusal by the agent.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// Hello is what the agent says of itself.
type Hello struct {
	Version int    `json:"version"`
	BootID  string `json:"boot_id"`
	PID     int    `json:"pid"`
}

// RunID names a run.
type RunID struct {
	ID string `json:"id"`
}

// Attach asks for the events of a run, those with Seq > After first.
type Attach struct {
	ID    string `json:"id"`
	After int64  `json:"after"`
}

// Run is work that the host does once. It lives in /var/lib/hostler/runs/<id> and survives the connection.
type Run struct {
	// ID is chosen by the control plane: [a-z0-9-]{1,64}. The same id never starts twice.
	ID string `json:"id"`
	// Lane names what may not run at the same time as this run: "host" for changes, "site-12" for a deployment.
	Lane string `json:"lane"`
	// Fence is the number of the lease on the lane; a lower one than the host has seen is refused.
	Fence int64 `json:"fence"`
	// Deadline is when the run is ended by force.
	Deadline time.Time `json:"deadline"`
	// Detach runs it in a systemd unit of its own (hostler-run-<id>), for what takes long or must be killed as a group.
	Detach bool `json:"detach,omitempty"`

	// Exactly one of these is set.
	Change  *Change  `json:"change,omitempty"`
	Script  *Script  `json:"script,omitempty"`
	Backup  *Backup  `json:"backup,omitempty"`
	Restore *Restore `json:"restore,omitempty"`
}

// Kinds counts what is set of Change, Script, Backup and Restore.
func (r Run) Kinds() (n int) {
	for _, set := range []bool{r.Change != nil, r.Script != nil, r.Backup != nil, r.Restore != nil} {
		if set {
			n++
		}
	}
	return n
}

// The engines that a Store can be of.
const (
	EngineMariaDB  = "mariadb"
	EngineMySQL    = "mysql"
	EnginePostgres = "postgres"
	EngineFiles    = "files"
)

// Store is something of the host that is dumped or filled: a database, or files below a directory, as the account that owns them.
type Store struct {
	Engine   string   `json:"engine"`
	Database string   `json:"database,omitempty"`
	User     string   `json:"user,omitempty"`
	Dir      string   `json:"dir,omitempty"`
	Paths    []string `json:"paths,omitempty"`
}

// Backup streams dumps to a bucket: dump, zstd, age, parts of an upload. The host has no keys of the bucket, only an address for each part.
type Backup struct {
	// Recipient is the age recipient that the dumps are encrypted to.
	Recipient string       `json:"recipient"`
	Items     []BackupItem `json:"items"`
	// Measure only tells how much the stores hold, under SizesKey: what that will take of the storage can be planned then.
	Measure bool `json:"measure,omitempty"`
}

// BackupItem is one dump. One that fails does not keep the others from being made; the report says why it failed.
type BackupItem struct {
	ID    int64 `json:"id"`
	Store Store `json:"store"`
	// PartSize is that of all parts but the last, in bytes; Parts are the addresses that take them.
	PartSize int      `json:"part_size,omitempty"`
	Parts    []string `json:"parts,omitempty"`
}

// Restore reads an object twice: first to the end, to see that it is what was stored and opens with the key, and only then into the store.
type Restore struct {
	ID       int64  `json:"id"`   // of the item, for the report
	Name     string `json:"name"` // of what was backed up, for people
	URL      string `json:"url"`
	Size     int64  `json:"size"`
	Checksum string `json:"checksum"`
	// FileKey opens this one object.
	FileKey []byte `json:"file_key"`
	Store   Store  `json:"store"`
	// Over replaces what the store holds; without it a database must not be there yet, and is dropped again when the restore fails.
	Over bool `json:"over,omitempty"`
	// Scratch is the name of a database that may be made and dropped on the way.
	Scratch string `json:"scratch,omitempty"`
	// Proof drops the database at the end: only the report is wanted.
	Proof bool `json:"proof,omitempty"`
}

// ReportKey is where Result.Report of a Backup holds the JSON of a []ItemReport, and of a Restore that of one ItemReport.
const ReportKey = "items"

// SizesKey is where Result.Report of a Backup that measures holds the JSON of a map[int64]int64: bytes by the ids of items. What could not be
// measured is not in it.
const SizesKey = "sizes"

// ItemReport is what became of a dump.
type ItemReport struct {
	ID    int64  `json:"id,omitempty"`
	Error string `json:"error,omitempty"`
	// Size and Checksum (SHA-256, hexadecimal) are of the object, Plain is the size of the dump.
	Size     int64        `json:"size"`
	Checksum string       `json:"checksum"`
	Plain    int64        `json:"plain"`
	Parts    []ReportPart `json:"parts,omitempty"`
	// Tables are what the dump holds, by names as the dump quotes them.
	Tables map[string]ReportTable `json:"tables,omitempty"`
	// Differs says what a restored database has otherwise than the dump.
	Differs []string `json:"differs,omitempty"`
}

// ReportPart is a part that the storage has taken.
type ReportPart struct {
	Number int    `json:"number"`
	ETag   string `json:"etag"`
	Size   int64  `json:"size"`
}

// ReportTable is what a dump holds of a table.
type ReportTable struct {
	Rows    int64 `json:"rows"`
	Columns int   `json:"columns"`
}

// Script is a script that a user wrote, run as a file under an account, with data in its environment only.
type Script struct {
	User    string            `json:"user"`
	Dir     string            `json:"dir"`
	Content string            `json:"content"`
	Env     map[string]string `json:"env,omitempty"`
	// Redact lists values that are replaced by "[redacted]" in the output.
	Redact []string `json:"redact,omitempty"`
	// Files are placed beside the script, for its account alone, and removed with it: a deploy key, say. Names are [a-z0-9_-]{1,64}.
	// Where they are stands in RunDirVariable.
	Files map[string][]byte `json:"files,omitempty"`
	// Programs are links beside the agent's own programs, first in the PATH, by their names: "php" for /usr/bin/php8.4, say.
	Programs map[string]string `json:"programs,omitempty"`
	// Before runs under the account before the script, After when all went well (what it says does not change that), and Back when
	// anything failed, was cancelled or took too long: it puts back what was begun.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	Back   []string `json:"back,omitempty"`
	// Service is started anew once the script is done.
	Service *Service `json:"service,omitempty"`
	// Check asks, once the script is done, whether the world is as expected. A failure fails the run.
	Check []Probe `json:"check,omitempty"`
}

// Service is a program that answers for a site, as a unit of systemd's that is always there twice: one slot is live, the other one takes its
// place. A new one is started in the slot that is not live, has to answer there, and only then does nginx send requests to it; the one from
// before ends when no request of its is left. When anything of the run fails it is live again.
type Service struct {
	// Upstream is the file of nginx's that says which slot is live, by what it holds.
	Upstream string  `json:"upstream"`
	Slots    [2]Slot `json:"slots"`
	// Variables is a .env file, read as the script's account, that the program gets as its environment; it need not be there.
	Variables string `json:"variables,omitempty"`
	// Health is asked at the port of the slot; Port is not looked at. No Status means any answer.
	Health HTTPProbe `json:"health"`
	// Within is how long the program may take to answer, default 60 s.
	Within time.Duration `json:"within,omitempty"`
}

// Slot is one of the two units of a Service.
type Slot struct {
	Port int    `json:"port"`
	Unit string `json:"unit"`
	// Text is the unit's file.
	Text string `json:"text"`
	// EnvFile is where the variables stand for systemd: those of the .env, and Env, which wins. It is below ServiceDir.
	EnvFile string            `json:"env_file"`
	Env     map[string]string `json:"env,omitempty"`
	// Upstream is what nginx's file holds while this slot is live.
	Upstream string `json:"upstream"`
}

// ServiceDir is where the variables of services are, for root alone.
const ServiceDir = "/var/lib/hostler/services"

// RunDirVariable names the directory of a script's files in its environment, ReleaseProgram and SSHProgram are the agent's programs beside
// them, first in its PATH, and ReportFile is where the script may leave a JSON object of strings for Result.Report.
const (
	RunDirVariable = "HOSTLER_RUN_DIRECTORY"
	ReleaseProgram = "hostler-release"
	SSHProgram     = "hostler-git-ssh"
	ReportFile     = "report"
)

// Change is a transaction on a host: its steps happen in order, or the reversible ones are put back.
// It is made by a pure plan from rows, so comparing it (OpDrift) and applying it are the same data.
type Change struct {
	Steps []Step `json:"steps"`
	// ConfirmWithin, when not zero, makes the host put the Change back by itself unless OpConfirm arrives in time.
	ConfirmWithin time.Duration `json:"confirm_within,omitempty"`
}

// Step is one step of a Change: a name for people and exactly one of the kinds below.
type Step struct {
	Name string `json:"name"`

	File     *File     `json:"file,omitempty"`     // reversible
	Dir      *Dir      `json:"dir,omitempty"`      // reversible while empty
	Link     *Link     `json:"link,omitempty"`     // reversible
	Packages *Packages `json:"packages,omitempty"` // forward-only
	User     *User     `json:"user,omitempty"`     // forward-only
	Validate *Exec     `json:"validate,omitempty"` // changes nothing; a failure puts the Change back
	Action   *Action   `json:"action,omitempty"`   // reversible: Undo runs after the files are back
	Exec     *Exec     `json:"exec,omitempty"`     // forward-only, idempotent by its Unless
	Probe    *Probe    `json:"probe,omitempty"`    // changes nothing; a failure puts the Change back
	Clear    *LogFiles `json:"clear,omitempty"`    // forward-only: empties the file that a LogQuery would read
}

// ForwardOnly tells whether the step is idempotent and retried rather than put back.
func (s Step) ForwardOnly() bool {
	return s.Packages != nil || s.User != nil || s.Exec != nil || s.Clear != nil
}

// File is a file's whole content. Root never follows a link on the way to it, in no path component below Within.
type File struct {
	Path    string `json:"path"`
	Content []byte `json:"content,omitempty"`
	Mode    uint32 `json:"mode,omitempty"`
	Owner   string `json:"owner,omitempty"` // default root
	Group   string `json:"group,omitempty"` // default root
	// Absent removes the file.
	Absent bool `json:"absent,omitempty"`
	// Secret keeps the content out of diffs and output.
	Secret bool `json:"secret,omitempty"`
	// Once writes the file only where there is none (a page that the user edits later).
	Once bool `json:"once,omitempty"`
	// Keep refuses to overwrite a content that we did not write: the host's file must be absent, equal Content, or have
	// the hash that the agent recorded when it last wrote it.
	Keep bool `json:"keep,omitempty"`
}

// Dir is a directory with its mode and owner.
type Dir struct {
	Path   string `json:"path"`
	Mode   uint32 `json:"mode"`
	Owner  string `json:"owner,omitempty"`
	Group  string `json:"group,omitempty"`
	Absent bool   `json:"absent,omitempty"` // removed when empty
}

// Link is a symbolic link, switched by rename.
type Link struct {
	Path   string `json:"path"`
	Target string `json:"target"`
	Absent bool   `json:"absent,omitempty"`
	// Owner and Group are the link's own, root's where they are empty: nginx follows a user's links only to what has the same owner.
	Owner string `json:"owner,omitempty"`
	Group string `json:"group,omitempty"`
	// Once makes the link only where there is nothing (a release that deployments switch later).
	Once bool `json:"once,omitempty"`
}

// Packages installs Debian packages, waiting for the locks of other package managers.
type Packages struct {
	Names []string `json:"names"`
	// Update runs apt-get update first when a name is not installed yet.
	Update bool `json:"update,omitempty"`
	// NoStart keeps the services of new packages from starting before they are configured.
	NoStart bool `json:"no_start,omitempty"`
}

// User is a Unix account with its groups, never removed by a Change.
type User struct {
	Name   string   `json:"name"`
	Home   string   `json:"home"`
	Shell  string   `json:"shell"`
	Groups []string `json:"groups,omitempty"`
	System bool     `json:"system,omitempty"`
	// HomeMode is the mode of the home directory (nginx must reach a site's files: 0711 or 0755).
	HomeMode uint32 `json:"home_mode,omitempty"`
}

// Exec runs a program by argv, never through a shell.
type Exec struct {
	Argv    []string          `json:"argv"`
	Env     map[string]string `json:"env,omitempty"`
	Stdin   []byte            `json:"stdin,omitempty"`
	Timeout time.Duration     `json:"timeout,omitempty"` // default 2 minutes
	// Refuse fails the step when the output contains one of these (nginx only warns of a conflicting server name).
	Refuse []string `json:"refuse,omitempty"`
	// Unless skips the step when this program exits 0.
	Unless []string `json:"unless,omitempty"`
	// Secret keeps argv and output out of events.
	Secret bool `json:"secret,omitempty"`
}

// Action makes written files take effect. It runs only if an earlier step of the Change changed something, or if Always.
type Action struct {
	Argv []string `json:"argv"`
	// Undo runs once the files are back, after a failure or a revert; empty means Argv again (a reload).
	Undo   []string `json:"undo,omitempty"`
	Always bool     `json:"always,omitempty"`
	// Below is a directory: where it is set, only files below it are what the action makes take effect.
	Below string `json:"below,omitempty"`
	// Workers is the unit that Argv reloads, if it reloads by replacing its processes (nginx): the action is done when those from before take
	// no new work, and fails when they go on.
	Workers string `json:"workers,omitempty"`
	// Log is the file in which the unit says why it does not take its settings (nginx tells that nowhere else); its last line is the reason of a failure.
	Log string `json:"log,omitempty"`
}

// Probe asks whether the world is as expected. It is repeated until it holds or Within has passed.
type Probe struct {
	// Unit must be active.
	Unit string `json:"unit,omitempty"`
	// TCP must accept a connection ("127.0.0.1:80").
	TCP string `json:"tcp,omitempty"`
	// Socket is the absolute path of a Unix socket that must accept a connection.
	Socket string `json:"socket,omitempty"`
	// HTTP is asked at 127.0.0.1 with Host; Status lists the accepted codes, none means any answer.
	HTTP *HTTPProbe `json:"http,omitempty"`
	// Within is how long to go on trying, default 5 s.
	Within time.Duration `json:"within,omitempty"`
}

// HTTPProbe is a plain HTTP request to this host.
type HTTPProbe struct {
	Port   int    `json:"port"`
	Host   string `json:"host"`
	Path   string `json:"path"`
	Status []int  `json:"status,omitempty"`
	// TLS asks over TLS. Whom the certificate is for is not looked at: it is asked whether the site answers, not who it is.
	TLS bool `json:"tls,omitempty"`
	// Scheme is what a proxy in front would say that the request came over ("https"); empty for none.
	Scheme string `json:"scheme,omitempty"`
	// SameAsBefore asks before the first step too and wants the same code afterwards.
	SameAsBefore bool `json:"same_as_before,omitempty"`
}

// EventKind says what an Event tells.
type EventKind string

// The kinds of events of a run.
const (
	EventStep    EventKind = "step"    // Step started (Text: "changed", "unchanged", "failed", "reverted" when it ended)
	EventOutput  EventKind = "output"  // Text is output of the step
	EventWaiting EventKind = "waiting" // Text says for what (another package manager, the lane)
)

// Event is one thing that happened in a run; its Seq has no gaps and starts at 1.
type Event struct {
	Seq   int64     `json:"seq"`
	At    time.Time `json:"at"`
	Kind  EventKind `json:"kind"`
	Index int       `json:"index"` // of the step, from 0
	Step  string    `json:"step,omitempty"`
	State string    `json:"state,omitempty"` // of a step: started, changed, unchanged, failed, reverted
	Text  string    `json:"text,omitempty"`
}

// State is how a run ended, or that it has not.
type State string

// The states of a run.
const (
	StateRunning   State = "running"
	StateSucceeded State = "succeeded"
	StateFailed    State = "failed"    // everything reversible was put back
	StateCancelled State = "cancelled" // likewise
	StateTimedOut  State = "timed_out" // likewise
	StateReverted  State = "reverted"  // not confirmed in time
	StateLost      State = "lost"      // the host or the agent died in the middle; put back on recovery
)

// Result is the end of a run.
type Result struct {
	ID         string `json:"id"`
	State      State  `json:"state"`
	Changed    bool   `json:"changed"`
	FailedStep string `json:"failed_step,omitempty"`
	Index      int    `json:"index,omitempty"` // of the failed step
	Reason     string `json:"reason,omitempty"`
	Output     string `json:"output,omitempty"` // of the failed step, its end, at most 64 KiB
	ExitCode   int    `json:"exit_code,omitempty"`
	Restored   bool   `json:"restored,omitempty"` // the host is as before
	// Report is what a script left in its ReportFile: strings that it chose, so never more than a claim of its account.
	Report    map[string]string `json:"report,omitempty"`
	StartedAt time.Time         `json:"started_at"`
	EndedAt   time.Time         `json:"ended_at"`
	// ConfirmBy is set while a Change waits for its confirmation.
	ConfirmBy *time.Time `json:"confirm_by,omitempty"`
}

// RunSummary is one line of the host's journal.
type RunSummary struct {
	ID        string    `json:"id"`
	Lane      string    `json:"lane"`
	Fence     int64     `json:"fence"`
	Starts    int       `json:"starts"` // always 1: how often the run was started
	State     State     `json:"state"`
	StartedAt time.Time `json:"started_at"`
}

// Drift is what differs between a Change and the host.
type Drift struct {
	Differences []Difference `json:"differences"`
}

// Difference is one thing that is not as planned.
type Difference struct {
	Step string `json:"step"`
	Path string `json:"path,omitempty"`
	// What is one of: missing, content, mode, owner, target, present (should be absent), package, user, inactive.
	What string `json:"what"`
	// Diff is a unified diff from the host's content to the planned one, empty for secrets.
	Diff string `json:"diff,omitempty"`
}

// Facts is what the host says of itself.
type Facts struct {
	OS            string            `json:"os"`         // ID of os-release: debian, ubuntu
	OSVersion     string            `json:"os_version"` // VERSION_ID
	OSName        string            `json:"os_name"`    // PRETTY_NAME
	Arch          string            `json:"arch"`       // amd64, arm64
	Hostname      string            `json:"hostname"`
	BootID        string            `json:"boot_id"`
	CPUs          int               `json:"cpus"`
	MemoryBytes   int64             `json:"memory_bytes"`
	DiskBytes     int64             `json:"disk_bytes"`
	DiskFreeBytes int64             `json:"disk_free_bytes"`
	RebootNeeded  bool              `json:"reboot_needed,omitempty"` // updates wait for a reboot
	Addresses     []string          `json:"addresses"`
	Timezone      string            `json:"timezone"`
	SSHClient     string            `json:"ssh_client"` // address that this session comes from, as the host sees it
	SSHPort       int               `json:"ssh_port"`
	Packages      map[string]string `json:"packages"`      // versions of those packages that plans ask for (nginx, php*-fpm, ...)
	Available     map[string]string `json:"available"`     // candidate versions of them
	Firewalls     []string          `json:"firewalls"`     // active managers of rules that are not ours: ufw, firewalld, nftables
	UFW           []string          `json:"ufw,omitempty"` // where ufw is active: its policy and the lines of its rules, as package ufw reads them
	OpenPorts     []int             `json:"open_ports"`    // listening TCP ports on non-loopback addresses
}
