package wire

import (
	"bytes"
	"strings"
	"time"
)

// Change is a transaction on a host: its steps happen in order, or the reversible ones are rolled back. A pure plan makes it from
// rows, so comparing it (OpDrift) and applying it use the same data.
type Change struct {
	Steps []Step `json:"steps"`
	// ConfirmWithin, if not zero, makes the host roll the Change back unless OpConfirm arrives in time.
	ConfirmWithin time.Duration `json:"confirm_within,omitempty"`
	// Repair marks the Change as a repair: a directory of data that is missing is not made, nor is anything below it, and a file of File.Keep is overwritten where
	// the agent has no record of its path.
	Repair bool `json:"repair,omitempty"`
}

// Step is one step of a Change: a display name and exactly one of the kinds below.
type Step struct {
	Name string `json:"name"`
	// Part is what the step belongs to in a Change of independent parts. If it fails, the other steps of its part are rolled back or not done, the other
	// parts go on, and the Change fails at its end with what was done.
	Part string `json:"part,omitempty"`

	File     *File     `json:"file,omitempty"`     // reversible
	Dir      *Dir      `json:"dir,omitempty"`      // reversible while empty
	Link     *Link     `json:"link,omitempty"`     // reversible
	Packages *Packages `json:"packages,omitempty"` // forward-only
	User     *User     `json:"user,omitempty"`     // forward-only
	Validate *Exec     `json:"validate,omitempty"` // changes nothing; a failure rolls the Change back
	Action   *Action   `json:"action,omitempty"`   // reversible: Undo runs after the files are restored
	Exec     *Exec     `json:"exec,omitempty"`     // forward-only except for its Undo, and idempotent
	Probe    *Probe    `json:"probe,omitempty"`    // changes nothing; a failure rolls the Change back
	Clear    *LogFiles `json:"clear,omitempty"`    // forward-only: empties the file that a LogQuery would read
	Lines    *Lines    `json:"lines,omitempty"`    // reversible
	Sessions *Sessions `json:"sessions,omitempty"` // forward-only: ends what a key opened
	Retire   *Retire   `json:"retire,omitempty"`   // forward-only: removes an account and everything that it left on the host
	Units    *Units    `json:"units,omitempty"`    // reversible like an Action: restarts what it restarted
	Login    *Login    `json:"login,omitempty"`    // forward-only
	Jail     *Jail     `json:"jail,omitempty"`     // forward-only
}

// Units has the units of many parts of a Change run or stopped, with as few calls of systemctl as there can be. One that does not start fails its part alone,
// whose files stay.
type Units struct {
	Parts   []PartUnits   `json:"parts"`
	Timeout time.Duration `json:"timeout,omitempty"` // of each call, default 2 minutes
}

// PartUnits are the units of a part.
type PartUnits struct {
	Part string `json:"part"`
	// Run are started, and restarted if a step of the part changed something. Stop are stopped; they can be patterns of instances.
	Run  []string `json:"run,omitempty"`
	Stop []string `json:"stop,omitempty"`
}

// File is a file's whole content. Root follows no link in any path component below Within.
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
	// Once writes the file only if there is none (a page that the user edits later).
	Once bool `json:"once,omitempty"`
	// Keep refuses to overwrite content that we did not write: the host's file must be absent, equal Content, or have the hash
	// that the agent recorded when it last wrote it.
	Keep bool `json:"keep,omitempty"`
}

// OwnHead is in the first lines of a file that changes by hand do not survive.
const OwnHead = "Written by Hostler; changes are overwritten."

// StateDirectory holds what the agent remembers, ProcessDirectory in it the files of processes, ProcessLogDirectory what they print.
const (
	StateDirectory      = "/var/lib/hostler"
	ProcessDirectory    = StateDirectory + "/processes"
	ProcessLogDirectory = "/var/log/hostler-processes"
)

// ProcessLog returns the log of a process. It has a directory to itself, which its account can enter.
func ProcessLog(id string) string { return ProcessLogDirectory + "/" + id + "/output.log" }

// ProcessLogBefore returns where versions without ProcessLogDirectory wrote the log.
func ProcessLogBefore(id string) string { return "/var/log/hostler/process-" + id + ".log" }

// Own reports whether changes by hand of the file are overwritten: its head says so, or it is a file of a job or a process in the agent's own directory.
// The agent looks after those that it wrote.
func (f *File) Own() bool {
	if f.Keep || f.Once || f.Absent {
		return false
	}
	return strings.HasPrefix(f.Path, JobDirectory+"/") || strings.HasPrefix(f.Path, ProcessDirectory+"/") || bytes.Contains(f.Content[:min(len(f.Content),
		200)], []byte(OwnHead))
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
	// Yield creates the directory only if nothing is there, and ignores a path that has a link in it: in a home, that affects only the account itself.
	Yield bool `json:"yield,omitempty"`
}

// Link is a symbolic link, switched by rename.
type Link struct {
	Path   string `json:"path"`
	Target string `json:"target"`
	Absent bool   `json:"absent,omitempty"`
	// Owner and Group are the link's own, root if empty: nginx follows a user's links only to files of the same owner.
	Owner string `json:"owner,omitempty"`
	Group string `json:"group,omitempty"`
	// Once creates the link only if nothing exists there (a release that deployments switch later).
	Once bool `json:"once,omitempty"`
	// Yield is like a directory's: what the account has there instead stays, also when the link is removed.
	Yield bool `json:"yield,omitempty"`
}

// Packages installs Debian packages, waiting for the locks of other package managers.
type Packages struct {
	Names []string `json:"names"`
	// Update runs apt-get update first if a package is not installed yet.
	Update bool `json:"update,omitempty"`
	// Unless is the path of a file with which nothing is installed: what the packages are for is there already, wherever it came from.
	Unless string `json:"unless,omitempty"`
	// NoStart keeps the services of new packages from starting before they are configured.
	NoStart bool `json:"no_start,omitempty"`
	// Upgrade installs the newest versions of those that are installed, Remove removes them with their settings: nothing is installed that is not there. A
	// name can end in "*" then.
	Upgrade bool `json:"upgrade,omitempty"`
	Remove  bool `json:"remove,omitempty"`
	// Pending upgrades every package that has a newer version ("all"), or a newer version for security ("security"), other than those on hold. There are no
	// names then.
	Pending string `json:"pending,omitempty"`
}

// What Pending upgrades.
const (
	PendingAll      = "all"
	PendingSecurity = "security"
)

// Lines edits single lines of a file that others write as well, such as authorized_keys, and preserves its mode and owner. Only a
// regular file of Owner's with a single name is edited: root follows no link there.
type Lines struct {
	Path  string `json:"path"`
	Owner string `json:"owner,omitempty"` // default root
	// Add are whole lines, appended if missing.
	Add []string `json:"add,omitempty"`
	// Drop removes every line that ends with it, except those that contain one of Keep.
	Drop string   `json:"drop,omitempty"`
	Keep []string `json:"keep,omitempty"`
	// Without removes every line that contains one of these, except those of Add. A missing file has none.
	Without []string `json:"without,omitempty"`
	// Yield ignores a file that is missing or can't be edited: that affects only the account itself.
	Yield bool `json:"yield,omitempty"`
}

// Sessions ends the SSH connections of an account that were opened with a key, and the programs that run in them. sshd records the key of each login in the
// journal, as its fingerprint.
type Sessions struct {
	User string `json:"user"`
	// Fingerprint is that of ssh-keygen -l: "SHA256:" and 43 characters of base64.
	Fingerprint string `json:"fingerprint"`
}

// Retire removes an account that Hostler created, and everything that it can have left on the host: processes and sessions, crontab and at jobs, keys,
// mail, caches, files in shared directories, and its home. Its user id is not given to another account. An account of others is not touched.
type Retire struct {
	Name string `json:"name"`
	// KeepHome moves the home into KeptHomes under a dated name, where only root can enter, instead of deleting it.
	KeepHome bool `json:"keep_home,omitempty"`
}

// KeptHomes contains the homes of removed accounts, for root. It is beside the homes, so that a home can be renamed into it.
const KeptHomes = "/home/.hostler-kept"

// User is a Unix account with its groups. Only Retire removes one.
type User struct {
	Name string `json:"name"`
	// Own refuses an account or a group that existed before the agent created it.
	Own bool `json:"own,omitempty"`
	// Fresh refuses an account, or the name of one, that something of before is left of: no site has it yet, and its first one must not inherit.
	Fresh bool `json:"fresh,omitempty"`

	Home   string   `json:"home"`
	Shell  string   `json:"shell"`
	Groups []string `json:"groups,omitempty"`
	System bool     `json:"system,omitempty"`
	// Without are groups that the account is removed from: they would give it access to another account.
	Without []string `json:"without,omitempty"`
}

// AccountsDirectory contains a directory for each isolated account, which belongs to root. If AccountTemp exists in it, programs
// of the account see that as /tmp and /var/tmp.
const (
	AccountsDirectory = "/var/lib/hostler/accounts"
	AccountTemp       = "tmp"
)

// RedisDirectory contains the data of the Redis of each isolated account.
const RedisDirectory = "/var/lib/hostler-redis"

// Exec runs a program by argv, never through a shell.
type Exec struct {
	Argv    []string          `json:"argv"`
	Env     map[string]string `json:"env,omitempty"`
	Stdin   []byte            `json:"stdin,omitempty"`
	Timeout time.Duration     `json:"timeout,omitempty"` // default 2 minutes
	// Refuse fails the step if the output contains one of these (nginx only warns of a conflicting server name).
	Refuse []string `json:"refuse,omitempty"`
	// Unless skips the step if this program exits 0.
	Unless []string `json:"unless,omitempty"`
	// Secret keeps argv and output out of events.
	Secret bool `json:"secret,omitempty"`
	// Undo is the input with which the program of a step of a Change runs again if a later one fails; none, and nothing is undone. It must be idempotent.
	Undo []byte `json:"undo,omitempty"`
}

// Action makes written files take effect. It runs only if an earlier step of the Change changed something, or if Always.
type Action struct {
	Argv []string `json:"argv"`
	// Undo runs once the files are restored, after a failure or a revert; empty means Argv again (a reload).
	Undo   []string `json:"undo,omitempty"`
	Always bool     `json:"always,omitempty"`
	// Below is a directory: if set, the action applies only to files below it.
	Below string `json:"below,omitempty"`
	// Workers is the unit that Argv reloads, if it reloads by replacing its processes (nginx): the action is done when the old
	// ones take no new work, and fails if they continue.
	Workers string `json:"workers,omitempty"`
	// Listener is the unit that Argv reloads, if it closes its ports meanwhile and opens them again (sshd): the action is done when they are open,
	// and fails if they stay closed.
	Listener string `json:"listener,omitempty"`
	// Log is the file in which the unit reports why it rejects its settings (nginx reports that nowhere else); its last line is
	// the reason of a failure.
	Log string `json:"log,omitempty"`
}

// Probe checks a condition. It is repeated until it succeeds or Within has passed.
type Probe struct {
	// Unit must be active.
	Unit string `json:"unit,omitempty"`
	// TCP must accept a connection ("127.0.0.1:80").
	TCP string `json:"tcp,omitempty"`
	// Socket is the absolute path of a Unix socket that must accept a connection.
	Socket string `json:"socket,omitempty"`
	// HTTP is requested at 127.0.0.1 with Host; Status lists the accepted codes, empty means any answer.
	HTTP *HTTPProbe `json:"http,omitempty"`
	// Cron is an expression that the host's cron has to read: it ignores the whole of a file with one that it does not.
	Cron string `json:"cron,omitempty"`
	// Drained is a unit that was reloaded by replacing its processes (nginx): the previous ones should have ended, whose requests use its previous settings.
	// One with a WebSocket lives for days, so the probe succeeds after Within too.
	Drained string `json:"drained,omitempty"`
	// Within limits the repetition, default 5 s.
	Within time.Duration `json:"within,omitempty"`
}

// HTTPProbe is a plain HTTP request to this host.
type HTTPProbe struct {
	Port   int    `json:"port"`
	Host   string `json:"host"`
	Path   string `json:"path"`
	Status []int  `json:"status,omitempty"`
	// TLS requests over TLS. The certificate's name is not checked: the probe tests whether the site answers, not its identity.
	TLS bool `json:"tls,omitempty"`
	// Scheme is the scheme that a proxy in front would report ("https"); empty for none.
	Scheme string `json:"scheme,omitempty"`
	// SameAsBefore also requests before the first step and requires the same code afterwards.
	SameAsBefore bool `json:"same_as_before,omitempty"`
	// NotWorse also requests before the first step: what answered without an error then has to do so afterwards.
	NotWorse bool `json:"not_worse,omitempty"`
	// Follow requests where a redirect leads, which is always on this host, up to five times.
	Follow bool `json:"follow,omitempty"`
	// Pass is a file whose content stands for the site's password, in a header that nginx knows; it may be missing.
	Pass string `json:"pass,omitempty"`
	// Down is the file that the site's application has while it is in maintenance mode: with it, 503 is as good as the wanted codes.
	Down *LogFiles `json:"down,omitempty"`
}
