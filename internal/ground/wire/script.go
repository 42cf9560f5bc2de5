package wire

import "time"

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
	// Service is started again once the script is done.
	Service *Service `json:"service,omitempty"`
	// Check asks, once the script is done, whether the world is as expected. A failure fails the run.
	Check []Probe `json:"check,omitempty"`
}

// Tell puts values into the script's environment, each under two names: with our prefix, and with the one that scripts which people bring with them use.
func (s *Script) Tell(values map[string]string) {
	for name, value := range values {
		for _, prefix := range []string{"HOSTLER_", "FORGE_"} {
			s.Env[prefix+name] = value
		}
	}
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
