package wire

import "time"

// Script is a user's script, run as a file under an account, with data only in its environment.
type Script struct {
	User    string            `json:"user"`
	Dir     string            `json:"dir"`
	Content string            `json:"content"`
	Env     map[string]string `json:"env,omitempty"`
	// Variables is a .env file whose variables the script gets as well; Env takes precedence. It may be missing.
	Variables *Dotenv `json:"dotenv,omitempty"`
	// Redact lists values that are replaced by "[redacted]" in the output.
	Redact []string `json:"redact,omitempty"`
	// Files are placed beside the script, for its account alone, and removed with it: for example a deploy key. Names are
	// [a-z0-9_-]{1,64}. RunDirVariable names their directory.
	Files map[string][]byte `json:"files,omitempty"`
	// Programs are links beside the agent's own programs, first in the PATH, by their names: for example "php" for /usr/bin/php8.4.
	Programs map[string]string `json:"programs,omitempty"`
	// Before runs under the account before the script, After if everything succeeded (its result does not change that), and Back
	// if anything failed, was cancelled or took too long: it rolls back what was begun.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	Back   []string `json:"back,omitempty"`
	// Verify runs under the account once the script is done, and looks at what it left. A failure fails the run.
	Verify []string `json:"verify,omitempty"`
	// Service is restarted once the script is done.
	Service *Service `json:"service,omitempty"`
	// Check runs once the script is done. A failure fails the run.
	Check []Probe `json:"check,omitempty"`
	// Slice is the slice of systemd that a detached run is in, "" for the usual one, and OpenFiles how many files each of its processes may open, 0 for what
	// is usual.
	Slice     string `json:"slice,omitempty"`
	OpenFiles int64  `json:"open_files,omitempty"`
}

// Dotenv is a .env file, read as the script's account, in the dialect of its application: "php" or "node".
type Dotenv struct {
	Path    string `json:"path"`
	Dialect string `json:"dialect"`
}

// The dialects of .env files.
const (
	DotenvPHP  = "php"
	DotenvNode = "node"
)

// Tell puts values into the script's environment, each under two names: with our prefix, and with the prefix that existing scripts use.
func (s *Script) Tell(values map[string]string) {
	for name, value := range values {
		for _, prefix := range []string{"HOSTLER_", "FORGE_"} {
			s.Env[prefix+name] = value
		}
	}
}

// Service is a program that serves a site, as two systemd units: one slot is live, the other one replaces it. A new program is
// started in the slot that is not live, has to answer there, and only then does nginx send requests to it; the previous one ends
// when its last request is done. If anything in the run fails, the previous one is live again.
type Service struct {
	// Upstream is nginx's file whose content determines the live slot.
	Upstream string  `json:"upstream"`
	Slots    [2]Slot `json:"slots"`
	// Variables is a .env file for the program's environment; it may be missing.
	Variables *Dotenv `json:"dotenv,omitempty"`
	// EarlierVariables is the path of that file as versions before Variables sent it. Dotenv returns either.
	EarlierVariables string `json:"variables,omitempty"`
	// Health is requested at the port of the slot; its Port is ignored. Empty Status means any answer.
	Health HTTPProbe `json:"health"`
	// Within is how long the program has to answer, default 60 s.
	Within time.Duration `json:"within,omitempty"`
}

// Dotenv returns the .env file of the program, nil for none. Earlier versions had one dialect, that of Node.
func (s *Service) Dotenv() *Dotenv {
	if s.Variables == nil && s.EarlierVariables != "" {
		return &Dotenv{Path: s.EarlierVariables, Dialect: DotenvNode}
	}
	return s.Variables
}

// Slot is one of the two units of a Service.
type Slot struct {
	Port int    `json:"port"`
	Unit string `json:"unit"`
	// Text is the unit's file.
	Text string `json:"text"`
	// EnvFile contains the variables for systemd: those of the .env, and Env, which takes precedence. It is below ServiceDir.
	EnvFile string            `json:"env_file"`
	Env     map[string]string `json:"env,omitempty"`
	// Upstream is the content of nginx's file while this slot is live.
	Upstream string `json:"upstream"`
}

// ServiceDir contains the variables of services, readable only by root.
const ServiceDir = "/var/lib/hostler/services"

// RunDirVariable names the directory of a script's files in its environment, ReleaseProgram and SSHProgram are the agent's
// programs beside them, first in its PATH, and ReportFile is where the script can leave a JSON object of strings for
// Result.Report. In it, ReportReason is why the run failed, where the agent's program knows better than by an exit code.
const (
	RunDirVariable = "HOSTLER_RUN_DIRECTORY"
	ReleaseProgram = "hostler-release"
	SSHProgram     = "hostler-git-ssh"
	ReportFile     = "report"
	ReportReason   = "reason"
)
