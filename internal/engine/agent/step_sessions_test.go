package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/executable"
)

const (
	lostKey = "SHA256:aGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gMTI"
	goodKey = "SHA256:aGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gMzQ"
)

// connection starts a program with the name that processes of sshd have.
func connection(t *testing.T, name string) (cmd *exec.Cmd, ended <-chan struct{}) {
	t.Helper()
	raw, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep")
	}
	if raw, err = filepath.EvalSymlinks(raw); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	executable.Write(t, file, string(program))
	cmd = exec.Command(file, "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
	})
	return cmd, done
}

func accepted(pid int, user, key string) string {
	return fmt.Sprintf(`{"MESSAGE":"Accepted publickey for %s from 192.0.2.7 port 4711 ssh2: ED25519 %s","_PID":"%d"}`+"\n", user, key, pid)
}

// Of the connections of an account, those that were opened with the key are closed, and no others.
func TestSessionsOfAKeyAreClosed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	theirs, ended := connection(t, "sshd")
	newer, newerEnded := connection(t, "sshd-session")
	other, _ := connection(t, "sshd")
	root, _ := connection(t, "sshd")
	program, _ := connection(t, "top")
	lines := accepted(other.Process.Pid, "me", lostKey) + accepted(theirs.Process.Pid, "me", lostKey) + accepted(newer.Process.Pid, "me", lostKey) +
		accepted(other.Process.Pid, "me", goodKey) + accepted(root.Process.Pid, "root", lostKey) +
		fmt.Sprintf(`{"MESSAGE":[73,110],"_PID":"%d"}`+"\n", other.Process.Pid)
	b.write("/journal", lines)
	// journalctl prints the lines of the processes that it is asked for.
	b.program("journalctl", `for a; do case $a in _PID=*) grep -F "\"_PID\":\"${a#_PID=}\"" "$root/journal"; echo "$a" >>"$root/asked";; esac; done; exit 0`)
	b.program("systemctl", `echo "$@" >>"$root/stopped"`)
	res, events := b.run(changeRun("close", wire.Step{Name: "close", Sessions: &wire.Sessions{User: "me", Fingerprint: lostKey}}))
	if res.State != wire.StateSucceeded || !res.Changed {
		t.Fatalf("the step ended with %+v", res)
	}
	<-ended
	<-newerEnded
	for name, cmd := range map[string]*exec.Cmd{"another key": other, "another account": root, "another program": program} {
		if !alive(cmd.Process.Pid) {
			t.Errorf("the process of %s was ended", name)
		}
	}
	asked, err := os.ReadFile(b.path("/asked"))
	if err != nil || strings.Contains(string(asked), fmt.Sprintf("_PID=%d\n", program.Process.Pid)) {
		t.Errorf("asked for was %s, %v", asked, err)
	}
	said := ""
	for _, e := range events {
		said += e.Text
	}
	if strings.Count(said, "Closed a session from 192.0.2.7.\n") != 2 {
		t.Errorf("the event says %q", said)
	}
	res, _ = b.run(changeRun("again", wire.Step{Name: "close", Sessions: &wire.Sessions{User: "me", Fingerprint: lostKey}}))
	if res.State != wire.StateSucceeded || res.Changed {
		t.Errorf("the second step ended with %+v", res)
	}
}

func alive(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(raw), ") Z ")
}

// What someone who is not let in puts into the journal closes nothing.
func TestOpened(t *testing.T) {
	t.Parallel()
	s := &wire.Sessions{User: "me", Fingerprint: lostKey}
	lines := `{"MESSAGE":"Invalid user Accepted publickey for me from 192.0.2.1 port 1 ssh2: ED25519 ` + lostKey + ` from 192.0.2.66 port 5","_PID":"1"}
{"MESSAGE":"Failed publickey for me from 192.0.2.1 port 1 ssh2: ED25519 ` + lostKey + `","_PID":"2"}
not json
{"MESSAGE":"Accepted publickey for me from 2001:db8::1 port 1 ssh2: RSA ` + lostKey + `","_PID":"3"}
{"MESSAGE":"Accepted password for me from 192.0.2.1 port 1 ssh2","_PID":"4"}
`
	if diff := cmp.Diff(map[int]string{3: "2001:db8::1"}, opened([]byte(lines), s)); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
	for _, bad := range []*wire.Sessions{{User: "-x", Fingerprint: lostKey}, {User: "me"}, {User: "me", Fingerprint: "SHA256:" + strings.Repeat("a", 42) + "\n"}} {
		if checkSessions(bad) == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
