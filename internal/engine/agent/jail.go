package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// jailFlags is how the directory of a login is mounted.
const jailFlags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC

// Login is what the unit of a login starts: "open NAME ACCOUNT DIRECTORY" mounts the directory for it, "close NAME" takes the mount away.
func Login(root string, args []string) error {
	switch {
	case len(args) == 4 && args[0] == "open":
		if !passwd.IsName(args[1]) {
			return fmt.Errorf("%q is not the name of a login", args[1])
		}
		if err := checkLoginDirectory(args[2], args[3]); err != nil {
			return err
		}
		return openJail(root, args[1], args[2], args[3])
	case len(args) == 2 && args[0] == "close" && passwd.IsName(args[1]):
		return closeJail(args[1])
	}
	return errors.New("usage: hostler-agent login open NAME ACCOUNT DIRECTORY | close NAME")
}

// openJail mounts the directory of an account. The account may have anything where its directory should be: what is mounted is found without following a link,
// belongs to it, and is the same that was looked at.
func openJail(root, name, account, dir string) error {
	acc, found, err := passwd.Files{Root: root}.Account(account)
	if err != nil || !found {
		return errors.Join(err, fmt.Errorf("there is no account %s", account))
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s, which has to be a directory and not a link: %w", dir, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if int(st.Uid) != acc.UID {
		return fmt.Errorf("%s belongs to the user id %d, not to %s", dir, st.Uid, account)
	}
	if err := unmountAll(name); err != nil {
		return err
	}
	target := wire.LoginRoot(name) + dir
	if err := os.MkdirAll(target, 0o755); err != nil { //nolint:gosec // sshd lets no login into a root that its account can't enter
		return fmt.Errorf("create %s: %w", target, err)
	}
	if err := unix.Mount("/proc/self/fd/"+strconv.Itoa(fd), target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount %s at %s: %w", dir, target, err)
	}
	if err := unix.Mount("", target, "", unix.MS_REMOUNT|unix.MS_BIND|jailFlags, ""); err != nil {
		return errors.Join(fmt.Errorf("restrict the mount at %s: %w", target, err), unmountAll(name))
	}
	return nil
}

// closeJail takes away what is mounted for a login, and then the directories that led to it as far as they are empty: nothing that has a mount is.
func closeJail(name string) error {
	if err := unmountAll(name); err != nil {
		return err
	}
	// The directory of a site is three below the root. What it holds is deeper, and a directory that something is mounted at is not removed.
	for _, below := range []string{"/home/*/*", "/home/*", "/home", ""} {
		dirs, _ := filepath.Glob(wire.LoginRoot(name) + below)
		for _, dir := range dirs {
			_ = unix.Rmdir(dir)
		}
	}
	return nil
}

// unmountAll takes away everything that is mounted below the root of a login, the newest first.
func unmountAll(name string) error {
	at, err := mountsBelow(wire.LoginRoot(name))
	if err != nil {
		return err
	}
	for _, target := range slices.Backward(at) {
		if err := unix.Unmount(target, unix.UMOUNT_NOFOLLOW); err != nil {
			return fmt.Errorf("unmount %s: %w", target, err)
		}
	}
	return nil
}

// mountsBelow returns where something is mounted below a directory, in the order in which it was (proc_pid_mountinfo(5)), as systemd sees it.
func mountsBelow(dir string) ([]string, error) {
	raw, err := os.ReadFile("/proc/1/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("read what is mounted: %w", err)
	}
	return mountsIn(raw, dir), nil
}

func mountsIn(raw []byte, dir string) []string {
	const at = 4
	var out []string
	for line := range bytes.Lines(raw) {
		f := strings.Fields(string(line))
		if len(f) <= at {
			continue
		}
		p := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(f[at])
		if below(p, dir) {
			out = append(out, p)
		}
	}
	return out
}

// jailIs reports whether a directory is mounted for a login as it should be, and nothing else is.
func (a *Agent) jailIs(j *wire.Jail) (bool, error) {
	if a.cfg.Root != "" { // a root elsewhere has no mounts of its own
		return !j.Absent, nil
	}
	at, err := mountsBelow(wire.LoginRoot(j.Login))
	if err != nil {
		return false, err
	}
	if j.Absent {
		return len(at) == 0, nil
	}
	target := wire.LoginRoot(j.Login) + j.Directory
	var from, to unix.Stat_t
	var mounted unix.Statfs_t
	if len(at) != 1 || at[0] != target || unix.Lstat(j.Directory, &from) != nil || unix.Lstat(target, &to) != nil || unix.Statfs(target, &mounted) != nil {
		return false, nil
	}
	const wanted = unix.ST_NOSUID | unix.ST_NODEV | unix.ST_NOEXEC
	return from.Dev == to.Dev && from.Ino == to.Ino && mounted.Flags&wanted == wanted, nil
}

// jail has a login reach its directory and nothing else, or takes the directory away once no session of the login is open.
func (x *execution) jail(ctx context.Context, i int, j *wire.Jail) (changed bool, err error) {
	if !j.Absent {
		if err := x.a.usesSettings(ctx, j); err != nil {
			return false, err
		}
	}
	is, err := x.a.jailIs(j)
	if err != nil {
		return false, err
	}
	if j.Close || j.Absent || !is { // an open session would keep what is mounted now
		ended, err := x.a.endJailed(j.Login)
		if err != nil {
			return false, err
		}
		if changed = ended > 0; changed {
			x.tells(i, "Closed the open sessions of "+j.Login+".\n")
		}
	}
	if is {
		return changed, nil
	}
	verb := "restart"
	if j.Absent {
		verb = "stop"
	}
	var out bytes.Buffer
	unit := wire.LoginUnit(j.Login)
	err = x.a.programs.Run(ctx, program.Program{Argv: []string{"systemctl", verb, "--", unit}, Timeout: systemdTime, Out: &out, Run: x.mark()})
	if is, look := x.a.jailIs(j); look != nil || is {
		return true, look
	}
	reason := "the directory of " + j.Login + " is not mounted: see journalctl -u " + unit
	if j.Absent {
		if err := closeJail(j.Login); err == nil { // its unit is gone
			return true, nil
		}
		reason = "the directory of " + j.Login + " is still mounted at " + wire.LoginRoot(j.Login) + j.Directory
	}
	if err != nil {
		reason += ": " + strings.TrimSpace(err.Error())
	}
	return false, &stepError{reason: reason, output: out.String(), code: -1}
}

// endJailed ends the processes that have the root of a login as theirs: those of sshd that serve it, for which sshd closes the connection.
func (a *Agent) endJailed(login string) (ended int, err error) {
	if a.cfg.Root != "" {
		return 0, nil
	}
	for range sessionRounds {
		var pids []int
		for _, pid := range proc.All() {
			if at, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/root"); err == nil && path.Clean(at) == wire.LoginRoot(login) && proc.ParentOf(pid) != 0 {
				pids = append(pids, pid)
			}
		}
		if len(pids) == 0 {
			return ended, nil
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		for _, pid := range pids {
			proc.Ended(pid, killTime)
		}
		ended += len(pids)
	}
	return ended, fmt.Errorf("sessions of %s are still open", login)
}

// usesSettings fails if sshd would use other settings for a login than planned: another file can override them, or sshd does not read those of Hostler.
func (a *Agent) usesSettings(ctx context.Context, j *wire.Jail) error {
	diff, err := a.settingsOf(ctx, j)
	switch {
	case err != nil:
		return err
	case diff == "":
		return nil
	}
	return &stepError{reason: "sshd would not confine " + j.Login + ": other settings of this server override Hostler's, or sshd does not include " + sshSettings +
		"; where its settings differ: " + strings.ReplaceAll(strings.TrimSpace(diff), "\n", ", "), code: -1}
}

// settingsOf returns how the settings of sshd for a login differ from the planned ones, "" if they do not. sshd is asked as for a connection from elsewhere.
func (a *Agent) settingsOf(ctx context.Context, j *wire.Jail) (string, error) {
	settings, text, err := a.sshdSettings(ctx, "user="+j.Login+",host=client.invalid,addr=192.0.2.1,laddr=192.0.2.2,lport=22")
	if err != nil {
		return "", &stepError{reason: "ask sshd for its settings: " + err.Error(), output: text, code: -1}
	}
	used := map[string]string{}
	for _, s := range settings {
		if _, known := used[s.name]; !known || s.name == "subsystem" && strings.HasPrefix(s.value, "sftp ") {
			used[s.name] = s.value
		}
	}
	diff := ""
	for _, line := range j.Settings {
		name, value, _ := strings.Cut(line, " ")
		switch is, known := used[name]; {
		case known && is == value:
		case name == "subsystem" && strings.HasPrefix(is, value): // any program will do: another is run in its place
		case known:
			diff += "-" + name + " " + is + "\n+" + line + "\n"
		default:
			diff += "+" + line + "\n"
		}
	}
	return diff, nil
}

func (d *drift) jail(ctx context.Context, j *wire.Jail) error {
	target := wire.LoginRoot(j.Login) + j.Directory
	switch is, err := d.a.jailIs(j); {
	case err != nil:
		return err
	case !is && j.Absent:
		d.add(wire.LoginRoot(j.Login), "present", "")
	case !is:
		d.add(target, "missing", "")
	}
	if j.Absent || d.told(wire.LoginSettings(j.Login)) {
		return nil
	}
	diff, err := d.a.settingsOf(ctx, j)
	if err == nil && diff != "" {
		d.out.Differences = append(d.out.Differences, wire.Difference{
			Step: d.now, Path: wire.LoginSettings(j.Login), What: unitOverridden, Diff: diff, Kept: true,
		})
	}
	return nil // sshd refuses its settings, which the plan's check says
}
