// Package agent runs on a managed host: it applies a wire.Change as a transaction, runs scripts, keeps a journal, and answers a
// session's requests. It is not a daemon; its whole state is below /var/lib/hostler, so any of its processes can continue what
// another began.
//
// The layers, from the outside in:
//
//	session.go   frames on stdin and stdout
//	start.go     claim, fence, attach, cancel, confirm
//	execute.go   one run in its process: lane, deadline, end
//	change.go    the transaction: steps, journal, rollback
//	step_*.go    one kind of step each
//	store_*.go   databases: dumps, restores, logins
//
// What they stand on has packages of its own, which know neither runs nor the Agent:
//
//	durable      files that survive a power cut: journals, requests, results
//	object       what exists at paths, without following links
//	output       the events of a run, and what its programs print
//	passwd       accounts and groups
//	program      programs, and those of accounts closed off from others
//	proc         the processes of a run
//	files        the files of accounts, as those accounts
//	dotenv       the .env files of sites
//	archive      the streams of backups
package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// stateDir is where the agent keeps what it knows.
const stateDir = wire.StateDirectory

// Config is the environment of an Agent. The zero value is right on a host.
type Config struct {
	// Root is the directory that contains all paths; empty means the host itself.
	Root string
	// Path is the search path for programs; empty means the host's fixed PATH.
	Path string
	// Self is the agent's own executable, for units that start it.
	Self string
	// InUnit is set if this process is the unit of a detached run.
	InUnit bool
	// Early is set if no service of the host has started yet: this is recovery at boot.
	Early bool
	// Ahead is how far this process's idea of the time is ahead of the host's clock; tests set it, since hosts in containers share one clock.
	Ahead time.Duration
	// EngineWithin is how long to wait for an engine that does not accept connections; zero means five minutes.
	EngineWithin time.Duration
	// SilentFor is how long a dump program may write nothing; zero means ten minutes.
	SilentFor time.Duration
	// Crash is called at each point where a crash must be survived; tests end the process there. It may be nil.
	Crash func(point string)
}

// Agent executes runs on this host.
type Agent struct {
	cfg      Config
	root     object.Root
	users    passwd.Files
	programs program.Runner
	state    string // absolute path of the state directory
	uid      int    // trusted like root: root, or in a temporary root the user who runs the test
	gid      int
	systemd  bool
	runs     sync.WaitGroup // of this process

	mu   sync.Mutex
	live map[string]*execution // runs that this process executes

	making  sync.Mutex // of what is missing
	looking sync.Mutex
	seen    map[string]signature // own files as they were when they were last looked at
	// updatesKnown are the pending updates, and updatesStamp names what they follow from.
	updatesKnown *wire.Updates
	updatesStamp string

	fileWork chan struct{} // has room for what is done with files at once
}

// New opens the state directory and makes what is missing of it.
func New(cfg Config) (*Agent, error) {
	a := &Agent{cfg: cfg, users: passwd.Files{Root: cfg.Root}, live: map[string]*execution{}, fileWork: make(chan struct{}, maxFileWork)}
	root := cfg.Root
	if root == "" {
		root = "/"
		if st, err := os.Stat("/run/systemd/system"); err == nil && st.IsDir() {
			a.systemd = true
		}
	} else {
		a.uid, a.gid = os.Geteuid(), os.Getegid()
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find root: %w", err)
	}
	if a.cfg.Path == "" {
		a.cfg.Path = program.SearchPath
	}
	fd, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open root %s: %w", root, err)
	}
	a.root = object.Root{FD: fd, UID: a.uid}
	a.programs = program.Runner{Root: a.cfg.Root, Path: a.cfg.Path, Self: a.cfg.Self, Early: a.cfg.Early}
	a.state = filepath.Join(root, stateDir)
	if _, err := a.ensure(); err != nil {
		return nil, err
	}
	return a, nil
}

// Close waits for the runs of this process and releases its resources.
func (a *Agent) Close() error {
	a.runs.Wait()
	return unix.Close(a.root.FD)
}

func (a *Agent) crash(point string) {
	if a.cfg.Crash != nil {
		a.cfg.Crash(point)
	}
}

// host returns the place below the root of a path on the host, for files of the system that only root can change.
func (a *Agent) host(path string) string { return filepath.Join(a.cfg.Root, path) }

func (a *Agent) runDir(id string) string { return filepath.Join(a.state, "runs", id) }

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func checkName(what, s string) error {
	if !namePattern.MatchString(s) {
		return fmt.Errorf("%s %q is not of [a-z0-9-]", what, s)
	}
	return nil
}

// now returns the time by the host's clock.
func (a *Agent) now() time.Time { return now().Add(a.cfg.Ahead) }

// now has no monotonic part: a time that is written and read again must compare as equal.
func now() time.Time { return time.Now().UTC().Round(0) }

var errLocked = errors.New("locked")

// flock locks a file, created if it does not exist, without waiting.
func flock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}
