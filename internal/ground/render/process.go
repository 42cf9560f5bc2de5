package render

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ProcessDirectory contains the scripts of process units, ProcessLogDirectory their output, and LogDirectory the logs that only root reads.
const (
	ProcessDirectory    = wire.ProcessDirectory
	ProcessLogDirectory = wire.ProcessLogDirectory
	LogDirectory        = "/var/log/hostler"
)

// StopSignals returns the signals that can stop a process.
func StopSignals() []string { return []string{"TERM", "HUP", "INT", "QUIT", "KILL", "USR1", "USR2"} }

// ProcessInput is a background process.
type ProcessInput struct {
	ID          int64
	User        value.UnixUser
	Directory   value.AbsPath
	StopSignal  string // "" is TERM
	StopSeconds int    // how long it has to end
	Isolated    bool   // the account is an isolated site's
	Share       Share
}

// ProcessUnit returns the name of the unit of an instance of a process; * for all of them.
func ProcessUnit(id int64, instance string) string {
	return fmt.Sprintf("hostler-process-%d@%s.service", id, instance)
}

// ProcessCommand returns the script that a process's unit runs.
func ProcessCommand(id int64) string {
	return ProcessDirectory + "/" + strconv.FormatInt(id, 10) + "/command"
}

// ProcessPrograms returns the directory that is first in a process's PATH.
func ProcessPrograms(id int64) string {
	return ProcessDirectory + "/" + strconv.FormatInt(id, 10) + "/bin"
}

// ProcessLog returns the log of all instances. Its directory belongs to root: systemd opens the file before it becomes another
// account (systemd.exec(5), StandardOutput=append:), and would follow a link of that account's. The account may enter it.
func ProcessLog(id int64) string { return wire.ProcessLog(strconv.FormatInt(id, 10)) }

// ProcessLogBefore returns where versions without ProcessLogDirectory wrote the log.
func ProcessLogBefore(id int64) string { return wire.ProcessLogBefore(strconv.FormatInt(id, 10)) }

// Home returns the home directory of an account that Hostler works as.
func Home(user string) string {
	if user == "root" {
		return "/root"
	}
	return "/home/" + user
}

// ProcessLogLink returns where the account of a process finds the log, as with Supervisor.
func ProcessLogLink(home string, id int64) string {
	return home + "/.forge/daemon-" + strconv.FormatInt(id, 10) + ".log"
}

// Process returns the unit of a process, a template for numbered instances (systemd.unit(5)). The user's text is in a script:
// none of it is in the unit. All of its processes are asked to end, and killed after StopSeconds (systemd.kill(5)), which is at
// least one second: 0 would wait forever (systemd.service(5), TimeoutStopSec=).
func Process(in ProcessInput) (string, error) {
	if in.ID <= 0 || in.User.IsZero() || in.Directory.IsZero() || in.StopSeconds < 0 {
		return "", errors.New("a process needs an id, an account, a directory, and a time to end that is not negative")
	}
	if in.StopSignal == "" {
		in.StopSignal = "TERM"
	}
	if !slices.Contains(StopSignals(), in.StopSignal) {
		return "", fmt.Errorf("%q is no signal to end a process with", in.StopSignal)
	}
	if err := oneLine("systemd", in.Directory.String()); err != nil {
		return "", err
	}
	walls := in.Share.lines()
	switch {
	case in.Isolated:
		walls += enclosure(in.User)
	case in.User.String() != "root":
		walls += "ProtectProc=invisible\n"
	}
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten.
[Unit]
Description=Hostler: process %d, instance %%i
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=simple
User=%s
Group=%[2]s
WorkingDirectory=%s
Environment=PATH=%s
Environment=LANG=C.UTF-8
ExecStart=/bin/bash %s
Restart=always
RestartSec=2
KillSignal=SIG%s
TimeoutStopSec=%d
StandardOutput=append:%s
StandardError=inherit
%s
[Install]
WantedBy=multi-user.target
`, in.ID, in.User, strings.ReplaceAll(in.Directory.String(), "%", "%%"), ProcessPrograms(in.ID)+":"+wire.SearchPath, ProcessCommand(in.ID),
		in.StopSignal, max(in.StopSeconds, 1), ProcessLog(in.ID), walls), nil
}

// ProcessLogsPath is the path for ProcessLogs.
const ProcessLogsPath = "/etc/logrotate.d/hostler-processes"

// ProcessLogs rotates the output of processes and of PHP, which keep their files open.
func ProcessLogs() string {
	return `# Written by Hostler; changes are overwritten.
` + LogDirectory + `/*.log ` + ProcessLogDirectory + `/*/*.log {
    daily
    maxsize 50M
    rotate 4
    compress
    delaycompress
    missingok
    notifempty
    copytruncate
}
`
}
