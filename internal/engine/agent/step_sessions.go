package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// maxLogins is how many lines of sshd are read, the newest of those that its running processes wrote.
	maxLogins = 10_000
	// sessionTime is how long the programs of a session have to end before systemd kills them, and some more.
	sessionTime = 2 * time.Minute
	// killTime is how long a process that was killed has to end: one that waits for a disk ends later.
	killTime = 10 * time.Second
	// sessionRounds is how often sessions are looked for: one may have been accepted at the moment that the key was removed.
	sessionRounds = 5
)

var (
	fingerprintPattern = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)
	// acceptedPattern matches what sshd writes of a login (auth_log in OpenSSH's auth.c). The name is that of an account: of others it writes "Invalid user".
	acceptedPattern = regexp.MustCompile(`^Accepted publickey for (\S+) from (\S+) port \d+ ssh2: \S+ (SHA256:\S+)`)
	scopePattern    = regexp.MustCompile(`^session-[0-9a-z]+\.scope$`)
)

func checkSessions(s *wire.Sessions) error {
	if !passwd.IsName(s.User) {
		return fmt.Errorf("%q is not the name of an account", s.User)
	}
	if !fingerprintPattern.MatchString(s.Fingerprint) {
		return fmt.Errorf("%q is not a fingerprint", s.Fingerprint)
	}
	return nil
}

// closeSessions ends connections of an account that were opened with a key.
func (x *execution) closeSessions(ctx context.Context, i int, name string, s *wire.Sessions) (changed bool, err error) {
	for range sessionRounds {
		found, err := x.a.sessions(ctx, s)
		if err != nil || len(found) == 0 {
			return changed, err
		}
		for pid, from := range found {
			if err := x.closeSession(ctx, pid); err != nil {
				return changed, err
			}
			changed = true
			x.tells(i, "Closed a session from "+from+".\n")
		}
	}
	return changed, &stepError{reason: fmt.Sprintf("%s: sessions are still open", name), code: -1}
}

// sessions returns where connections came from, by the process of sshd that each has.
func (a *Agent) sessions(ctx context.Context, s *wire.Sessions) (map[int]string, error) {
	argv := []string{
		"journalctl", "--no-pager", "--quiet", "--boot", "--output=json", "--output-fields=MESSAGE,_PID", "--lines=" + strconv.Itoa(maxLogins),
		"_UID=" + strconv.Itoa(os.Geteuid()),
	}
	none := len(argv)
	for _, pid := range proc.All() {
		if isSSHD(pid) {
			argv = append(argv, "_PID="+strconv.Itoa(pid))
		}
	}
	if len(argv) == none {
		return nil, nil
	}
	var out bytes.Buffer
	err := a.programs.Run(ctx, program.Program{Argv: argv, Timeout: systemdTime, Out: &out})
	if exit := (*program.ExitError)(nil); err != nil && !(errors.As(err, &exit) && out.Len() == 0) { // it also exits with 1 if there is no such line
		return nil, fmt.Errorf("look for sessions: %w", err)
	}
	return opened(out.Bytes(), s), nil
}

// opened reads logins from lines of the journal, oldest first. The number of a process that ended may be used again, so its last login counts.
func opened(lines []byte, s *wire.Sessions) map[int]string {
	found := map[int]string{}
	for line := range bytes.Lines(lines) {
		var l struct {
			Message string `json:"MESSAGE"`
			PID     string `json:"_PID"`
		}
		if json.Unmarshal(line, &l) != nil { // a message that is not text is a list of numbers
			continue
		}
		pid, err := strconv.Atoi(l.PID)
		m := acceptedPattern.FindStringSubmatch(l.Message)
		if err != nil || m == nil {
			continue
		}
		delete(found, pid)
		if m[1] == s.User && m[3] == s.Fingerprint {
			found[pid] = m[2]
		}
	}
	return found
}

// isSSHD reports whether a process is one of sshd for a connection, or its main one, and belongs to the account of this program, which is root.
func isSSHD(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	st, err := os.Stat(dir)
	if err != nil {
		return false
	}
	if is, ok := st.Sys().(*syscall.Stat_t); !ok || int(is.Uid) != os.Geteuid() || proc.ParentOf(pid) == 0 {
		return false
	}
	name, err := os.ReadFile(dir + "/comm")
	is := strings.TrimSpace(string(name))
	return err == nil && (is == "sshd" || is == "sshd-session")
}

// closeSession ends one connection. Where logind keeps a scope of its session, whatever was started in it ends as well, even in the background.
func (x *execution) closeSession(ctx context.Context, pid int) error {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return nil // it has ended
	}
	for line := range strings.Lines(string(raw)) {
		scope := path.Base(strings.TrimSpace(line))
		if !scopePattern.MatchString(scope) {
			continue
		}
		err := x.a.programs.Run(ctx, program.Program{Argv: []string{"systemctl", "stop", "--", scope}, Timeout: sessionTime, Run: x.mark()})
		if exit := (*program.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			return fmt.Errorf("stop %s: %w", scope, err)
		}
		break
	}
	if isSSHD(pid) {
		proc.KillTree(pid, "")
	}
	if !proc.Ended(pid, killTime) {
		return fmt.Errorf("the process %d of sshd did not end within %s", pid, killTime)
	}
	return nil
}
