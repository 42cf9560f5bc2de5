package wire

import (
	"bytes"
	"strings"
	"time"
)

// Change is a transaction on a host: its steps happen in order, or the reversible ones are put back.
// It is made by a pure plan from rows, so comparing it (OpDrift) and applying it are the same data.
type Change struct {
	Steps []Step `json:"steps"`
	// ConfirmWithin, when not zero, makes the host put the Change back by itself unless OpConfirm arrives in time.
	ConfirmWithin time.Duration `json:"confirm_within,omitempty"`
	// Repair makes the Change one that mends: a directory of data that is missing is not made, nor is anything below it, and a file of File.Keep is
	// overwritten where the agent has no record of its path.
	Repair bool `json:"repair,omitempty"`
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
	Lines    *Lines    `json:"lines,omitempty"`    // reversible
}

// ForwardOnly reports whether the step is idempotent and retried rather than put back.
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

// OwnHead is in the first lines of a file that changes by hand do not survive.
const OwnHead = "Written by Hostler; changes are overwritten."

// StateDirectory holds what the agent remembers, ProcessDirectory in it the files of processes.
const (
	StateDirectory   = "/var/lib/hostler"
	ProcessDirectory = StateDirectory + "/processes"
)

// Own reports whether changes by hand of the file are overwritten: its head says so, or it is a file of a job or a process in the agent's own directory.
// The agent looks after those that it wrote.
func (f *File) Own() bool {
	if f.Keep || f.Once || f.Absent {
		return false
	}
	return strings.HasPrefix(f.Path, JobDirectory+"/") || strings.HasPrefix(f.Path, ProcessDirectory+"/") || bytes.Contains(f.Content[:min(len(f.Content), 200)], []byte(OwnHead))
}

// Dir is a directory with its mode and owner.
type Dir struct {
	Path   string `json:"path"`
	Mode   uint32 `json:"mode"`
	Owner  string `json:"owner,omitempty"`
	Group  string `json:"group,omitempty"`
	Absent bool   `json:"absent,omitempty"` // removed when empty
	// Data is set for a directory that holds what is not Hostler's to make again: a repair reports that it is lost.
	Data bool `json:"data,omitempty"`
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

// Lines edits single lines of a file that others write as well, such as authorized_keys. Its mode and owner stay as they are. Only a plain file of
// Owner's with one name is edited: root follows no link there.
type Lines struct {
	Path  string `json:"path"`
	Owner string `json:"owner,omitempty"` // default root
	// Add are whole lines, appended where they are missing.
	Add []string `json:"add,omitempty"`
	// Drop removes every line that ends with it, except those that hold one of Keep.
	Drop string   `json:"drop,omitempty"`
	Keep []string `json:"keep,omitempty"`
	// Without removes every line that has one of these in it. A file that is missing has none of them.
	Without []string `json:"without,omitempty"`
	// Yield leaves a file alone that is missing or can't be edited: it is the account's own loss.
	Yield bool `json:"yield,omitempty"`
}

// User is a Unix account with its groups, never removed by a Change.
type User struct {
	Name string `json:"name"`
	// Own refuses an account or a group that was there before the agent made it.
	Own bool `json:"own,omitempty"`

	Home   string   `json:"home"`
	Shell  string   `json:"shell"`
	Groups []string `json:"groups,omitempty"`
	System bool     `json:"system,omitempty"`
	// Without are groups that the account leaves: through them it would reach what is another account's.
	Without []string `json:"without,omitempty"`
}

// AccountsDirectory has a directory for each isolated account, which is root's. Where there is AccountTemp in it, programs of the account find
// that at /tmp and /var/tmp.
const (
	AccountsDirectory = "/var/lib/hostler/accounts"
	AccountTemp       = "tmp"
)

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
