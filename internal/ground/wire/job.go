package wire

import (
	"strconv"
	"time"
)

// AgentLink is where the newest agent of a host is.
const AgentLink = StateDirectory + "/bin/hostler-agent"

// JobDirectory holds the scheduled jobs of a host, a directory each.
const JobDirectory = StateDirectory + "/jobs"

// Names of what is in such a directory: what is known of the job, and what it runs.
const (
	JobFile    = "job.json"
	JobCommand = "command"
)

// Job is a command that cron runs repeatedly.
type Job struct {
	User string `json:"user"`
	Dir  string `json:"dir"`
	// PHP is what the job finds first under that name, "" for the host's own.
	PHP string `json:"php,omitempty"`
	// Ping is an address that is called when the job went well.
	Ping string `json:"ping,omitempty"`
}

// JobLog returns what the last run of a job printed: a line that says how it ended, and then that.
func JobLog(id int64) string { return "/var/log/hostler/job-" + strconv.FormatInt(id, 10) + ".log" }

// JobLimit is how long a run of a job may take.
const JobLimit = 24 * time.Hour
