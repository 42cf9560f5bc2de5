package wire

import (
	"strconv"
	"time"
)

// AgentLink is where the newest agent of a host is.
const AgentLink = StateDirectory + "/bin/hostler-agent"

// SudoDirectory has the names under which accounts of sites start the agent by sudo, and SudoPrograms are those names. Every directory above it belongs to root
// alone.
const SudoDirectory = StateDirectory + "/sudo"

// SudoPrograms returns the names in SudoDirectory.
func SudoPrograms() []string { return []string{"service", "supervisorctl"} }

// SudoRule returns the file of what an account may by sudo. sudo passes over names with a dot, which no account's has (sudoers(5)).
func SudoRule(account string) string { return "/etc/sudoers.d/hostler-" + account }

// JobDirectory holds the scheduled jobs of a host, a directory each.
const JobDirectory = StateDirectory + "/jobs"

// Names of files in such a directory: the description of the job, and its script.
const (
	JobFile    = "job.json"
	JobCommand = "command"
)

// Job is a command that cron runs.
type Job struct {
	User string `json:"user"`
	Dir  string `json:"dir"`
	// Ping is an address that is called when the job succeeds.
	Ping string `json:"ping,omitempty"`
	// Slice is the slice of systemd that it runs in, "" for cron's, and OpenFiles how many files each of its processes may open, 0 for what is usual.
	Slice     string `json:"slice,omitempty"`
	OpenFiles int64  `json:"open_files,omitempty"`
}

// JobLog returns the log of a job's last run: a line with its result, followed by its output.
func JobLog(id int64) string { return "/var/log/hostler/job-" + strconv.FormatInt(id, 10) + ".log" }

// JobStarted returns the file that says when a job was started for the first time.
func JobStarted(id int64) string { return JobDirectory + "/" + strconv.FormatInt(id, 10) + "/started" }

// JobLimit is the longest run of a job.
const JobLimit = 24 * time.Hour

// PackageManagers are the names under which the agent is yarn, pnpm and bun, for what runs where only Node and npm are installed.
func PackageManagers() []string { return []string{"bun", "pnpm", "yarn"} }
