// Package wire defines the protocol between the control plane and the agent on a host: frames on the stdin and stdout of an SSH
// session, runs, and the Change that a run applies. It has no dependencies, so that the agent stays small.
//
// A session is a stream of JSON objects, one a line. The control plane sends Requests; the agent answers each with any number of
// Frames that carry its ID, the last of them with Done set. Requests may overlap.
package wire

import (
	"encoding/json"
	"time"
)

// Version is the version of this protocol. The agent is addressed by the hash of its content, so both sides always use the same
// one; Hello contains it for people who read a capture.
const Version = 1

// MaxFrame is the largest frame in bytes, newline included. A longer one ends the session.
const MaxFrame = 16 << 20

// MaxOutput is the maximum output in bytes that one run keeps. Beyond that, the beginning is kept and the end of each step, with
// a line for the missing bytes between them.
const MaxOutput = 8 << 20

// Op names the operation of a Request.
type Op string

// The closed set of requests.
const (
	OpHello    Op = "hello"      // body: none; reply: Hello
	OpRunStart Op = "run.start"  // body: Run; streams Events until the run ended; reply: Result. Known id: attaches instead
	OpAttach   Op = "run.attach" // body: Attach; streams Events after After; reply: Result, or ErrUnknownRun
	OpCancel   Op = "run.cancel" // body: RunID; kills the whole process group; reply: none
	OpConfirm  Op = "confirm"    // body: RunID; keeps a commit-confirmed Change; reply: none, or ErrReverted
	OpDrift    Op = "drift"      // body: Change; compares, changes nothing; reply: Drift
	OpFacts    Op = "facts"      // body: none; reply: Facts
	OpRuns     Op = "runs"       // body: none; reply: []RunSummary, the host's journal
	OpForget   Op = "run.forget" // body: RunID; deletes the directory of an ended run, keeps its journal line
	OpLog      Op = "log"        // body: LogQuery; reads a part of a log, changes nothing; reply: LogPage
	OpRead     Op = "read"       // body: ReadQuery; reads a small file of an account, changes nothing; reply: ReadFile
	OpUnits    Op = "units"      // body: []string, patterns of units; reply: []UnitState
	OpSamples  Op = "samples"    // body: SampleQuery; reply: []Sample, the oldest first
	OpSites    Op = "sites"      // body: SampleQuery; reply: []SiteSample of each site, the oldest first, at most MaxSiteSamples
	OpFiles    Op = "files"      // body: FileQuery; done as the account; reply: FileReply
	OpEdited   Op = "edited"     // body: none; reply: []string, own files that are not what the agent wrote, at most MaxEdited
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

// Error codes that callers handle.
const (
	ErrUnknownRun  = "unknown_run"
	ErrFenced      = "fenced"       // a higher fencing number was seen for this lane
	ErrBusy        = "busy"         // another run has the lane on the host
	ErrReverted    = "reverted"     // the Change was rolled back before its confirmation came
	ErrRunConflict = "run_conflict" // the run id is known with different content
	ErrBadRequest  = "bad_request"
	ErrInternal    = "internal"
)

// Error is a refusal by the agent.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// Hello describes the agent.
type Hello struct {
	Version int       `json:"version"`
	BootID  string    `json:"boot_id"`
	PID     int       `json:"pid"`
	Time    time.Time `json:"time"` // by the host's clock
}

// RunID names a run.
type RunID struct {
	ID string `json:"id"`
}

// Attach requests the events of a run, beginning with those with Seq > After.
type Attach struct {
	ID    string `json:"id"`
	After int64  `json:"after"`
}

// Run is work that the host does once. It is stored in /var/lib/hostler/runs/<id> and survives the connection.
type Run struct {
	// ID is chosen by the control plane: [a-z0-9-]{1,64}. The same id never starts twice.
	ID string `json:"id"`
	// Lane identifies runs that must not overlap: "host" for changes, "site-12" for a deployment.
	Lane string `json:"lane"`
	// Fence is the number of the lease on the lane; one lower than the host has seen is refused.
	Fence int64 `json:"fence"`
	// Deadline is when the run is killed, by the control plane's clock. It is part of what the run is; the host, whose clock may differ, goes by Left.
	Deadline time.Time `json:"deadline"`
	// Left is the time until then, as of the sending of a request. The Fleet sets it each time; a host keeps the first one that it receives.
	Left time.Duration `json:"left,omitempty"`
	// Detach runs it in a separate systemd unit (hostler-run-<id>), for work that takes long or must be killed as a group.
	Detach bool `json:"detach,omitempty"`

	// Exactly one of these is set.
	Change  *Change  `json:"change,omitempty"`
	Script  *Script  `json:"script,omitempty"`
	Backup  *Backup  `json:"backup,omitempty"`
	Restore *Restore `json:"restore,omitempty"`
}

// Kinds counts how many of Change, Script, Backup and Restore are set.
func (r Run) Kinds() (n int) {
	for _, set := range []bool{r.Change != nil, r.Script != nil, r.Backup != nil, r.Restore != nil} {
		if set {
			n++
		}
	}
	return n
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events of a run.
const (
	EventStep    EventKind = "step"    // Step started (Text: "changed", "unchanged", "failed", "reverted" when it ended)
	EventOutput  EventKind = "output"  // Text is output of the step
	EventWaiting EventKind = "waiting" // Text says what for (another package manager, the lane)
)

// WaitsForPackages is the State of an EventWaiting for another package manager.
const WaitsForPackages = "packages"

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

// State is the result of a run, or that it has not ended.
type State string

// The states of a run.
const (
	StateRunning   State = "running"
	StateSucceeded State = "succeeded"
	StateFailed    State = "failed"    // everything reversible was rolled back
	StateCancelled State = "cancelled" // likewise
	StateTimedOut  State = "timed_out" // likewise
	StateReverted  State = "reverted"  // not confirmed in time
	StateLost      State = "lost"      // the host or the agent died midway, or its directory was removed; rolled back if Restored says so
)

// Result is the result of a run.
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
	Partly     bool   `json:"partly,omitempty"`   // parts of the Change failed and were rolled back, the others are done
	// Report is what a script left in its ReportFile: strings that it chose, so only claims of its account.
	Report map[string]string `json:"report,omitempty"`
	// Checks are what the run asked of the host when it was done, and what the answer was: at most MaxChecks, of a run that succeeded.
	Checks    []Check   `json:"checks,omitempty"`
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at"`
	// ConfirmBy is set while a Change waits for its confirmation.
	ConfirmBy *time.Time `json:"confirm_by,omitempty"`
	// Unheard is set by the client for a Change that was not confirmed: the host was silent, so that its line may be to blame.
	Unheard bool `json:"-"`
}

// Check is a question that a run asked after its change, and that the host answered as it should.
type Check struct {
	Kind CheckKind `json:"kind"`
	// Evidence is what was seen, for people: "http://shop.example.com/up on port 80 answers 200".
	Evidence string `json:"evidence"`
}

// CheckKind is what a check asks.
type CheckKind string

// The kinds of checks.
const (
	CheckConfiguration CheckKind = "configuration" // the program that reads a configuration finds no error in it
	CheckService       CheckKind = "service"       // a unit is active
	CheckPort          CheckKind = "port"          // something accepts connections
	CheckSchedule      CheckKind = "schedule"      // cron has read a job
	CheckHTTP          CheckKind = "http"          // a site answers
	CheckConnection    CheckKind = "connection"    // a new connection to the server is accepted after the change
	CheckRestore       CheckKind = "restore"       // what was restored is what was stored
)

// CheckKinds are all kinds of checks.
var CheckKinds = []CheckKind{CheckConfiguration, CheckService, CheckPort, CheckSchedule, CheckHTTP, CheckConnection, CheckRestore}

// MaxChecks is how many checks a result has: the first ones.
const MaxChecks = 40

// RunSummary is one line of the host's journal.
type RunSummary struct {
	ID        string    `json:"id"`
	Lane      string    `json:"lane"`
	Fence     int64     `json:"fence"`
	Starts    int       `json:"starts"` // always 1: the number of starts
	State     State     `json:"state"`
	StartedAt time.Time `json:"started_at"`
}

// Drift is the difference between a Change and the host.
type Drift struct {
	Differences []Difference `json:"differences"`
}

// Difference is one thing that is not as planned.
type Difference struct {
	Step string `json:"step"`
	Path string `json:"path,omitempty"`
	// What is one of: missing, content, mode, owner, target, present (should be absent), foreign (made by hand), package, user, inactive.
	What string `json:"what"`
	// Diff is a unified diff from the host's content to the planned one, empty for secrets.
	Diff string `json:"diff,omitempty"`
	// Kept is set for what a repair leaves as it is and reports: lost data, and what others made.
	Kept bool `json:"kept,omitempty"`
}

// MaxEdited is the largest number of edited own files that an agent names.
const MaxEdited = 100

// Updates counts packages that have a newer version.
type Updates struct {
	Pending  int `json:"pending"`
	Security int `json:"security"` // of them, in a source of security updates
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
	RebootNeeded  bool              `json:"reboot_needed,omitempty"`  // updates wait for a reboot
	Updates       *Updates          `json:"updates,omitempty"`        // pending updates of packages, as far as apt's lists tell
	StaleServices []string          `json:"stale_services,omitempty"` // units that were started before their settings were written
	Addresses     []string          `json:"addresses"`
	Timezone      string            `json:"timezone"`
	SSHClient     string            `json:"ssh_client"` // address that this session comes from, as the host sees it
	SSHPort       int               `json:"ssh_port"`
	Packages      map[string]string `json:"packages"`            // versions of installed packages among those that plans ask for (nginx, php*-fpm, ...)
	Available     map[string]string `json:"available"`           // their candidate versions
	Firewalls     []string          `json:"firewalls"`           // active managers of other rules: ufw, firewalld, nftables
	UFW           []string          `json:"ufw,omitempty"`       // if ufw is active: its policy and the lines of its rules, as package ufw parses them
	Passwords     bool              `json:"passwords,omitempty"` // sshd lets people from elsewhere log in with a password
	OpenPorts     []int             `json:"open_ports"`          // listening TCP ports on non-loopback addresses
	Memory        string            `json:"memory"`              // names what the agent remembers; another name means that it was lost
	Edited        []string          `json:"edited"`              // own files that are not what the agent wrote, at most MaxEdited
	Monitors      []MonitorChange   `json:"monitors,omitempty"`  // the newest changes of monitors' states, the oldest first
	Shortages     []Shortage        `json:"shortages,omitempty"` // of the last day
	// ClockAhead is set by the client: how far the host's clock is ahead of its own, or behind if negative, as far as that is certain.
	ClockAhead time.Duration `json:"-"`
}
