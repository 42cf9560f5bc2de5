package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// endRounds is how often the processes of a removed account are killed: one that forks faster than it is found is stopped first.
	endRounds = 100
	// managerTime is how long systemd has to end the sessions of an account.
	managerTime = 30 * time.Second
)

func checkRetire(r *wire.Retire) error {
	if !passwd.IsName(r.Name) {
		return fmt.Errorf("%q is not the name of an account", r.Name)
	}
	return nil
}

// retire removes an account that this agent created, in an order in which nothing that is removed can come back: no new logins and jobs, then no
// processes, then no files. It can be repeated after a crash.
func (x *execution) retire(ctx context.Context, i int, r *wire.Retire) (bool, error) {
	made, _, err := x.a.madeAccounts()
	if err != nil {
		return false, err
	}
	m, ours := made[r.Name]
	acc, found, err := x.a.users.Account(r.Name)
	switch {
	case err != nil:
		return false, err
	case !ours:
		if found {
			x.tells(i, "The account "+r.Name+" is not one that Hostler created here. It stays, with everything that it has.\n")
		}
		return false, nil
	case !found && m.Retired:
		return false, x.a.retireFiles(r, madeAccount{Name: r.Name, UID: m.UID})
	case found && acc.UID < passwd.FirstUser:
		return false, fmt.Errorf("account %s: is a system account", r.Name)
	}
	now := madeAccount{Name: r.Name, UID: acc.UID, GID: acc.GID, Retired: true}
	if m != now {
		if err := durable.Append(x.a.accountsPath(), now); err != nil {
			return false, fmt.Errorf("record the removal of account %s: %w", r.Name, err)
		}
	}
	x.a.crash("retire recorded")
	if !found {
		return true, x.a.retireFiles(r, now)
	}
	if err := x.retireFound(ctx, r, now); err != nil {
		return false, fmt.Errorf("account %s: %w", r.Name, err)
	}
	return true, nil
}

func (x *execution) retireFound(ctx context.Context, r *wire.Retire, m madeAccount) error {
	run := func(argv ...string) error {
		var out bytes.Buffer
		if err := x.a.programs.Run(ctx, program.Program{Argv: argv, Timeout: managerTime, Out: &out, Run: x.mark()}); err != nil {
			return fmt.Errorf("%w %s", err, strings.TrimSpace(out.String()))
		}
		return nil
	}
	if err := run("usermod", "--lock", "--expiredate", "1", "--shell", "/usr/sbin/nologin", "--", r.Name); err != nil {
		return err
	}
	if err := x.a.retireWaiting(m); err != nil {
		return err
	}
	if x.a.systemd { // a pattern, because a name that is not loaded is an error
		id := strconv.Itoa(m.UID)
		last := len(id) - 1
		pattern := id[:last] + "[" + id[last:] + "]"
		_ = run("systemctl", "stop", "user@"+pattern+".service", "user-"+pattern+".slice") // what does not end is killed
	}
	if x.a.cfg.Root == "" { // a root elsewhere has no processes of its own
		if err := endProcesses(m.UID); err != nil {
			return err
		}
	}
	x.a.crash("retire processes")
	if err := x.a.retireWaiting(m); err != nil { // what a process added until it ended
		return err
	}
	if err := x.retireQueued(ctx, m.UID); err != nil {
		return err
	}
	if err := x.a.retireFiles(r, m); err != nil {
		return err
	}
	for kind, ids := range x.a.ipcOf(m.UID) {
		for _, id := range ids {
			if err := run("ipcrm", "--"+kind+"-id", id); err != nil {
				return err
			}
		}
	}
	x.a.crash("retire files")
	return run("userdel", "--", r.Name)
}

// endProcesses kills all processes of an account until there are none.
func endProcesses(uid int) error {
	for range endRounds {
		pids := proc.Of(uid)
		if len(pids) == 0 {
			return nil
		}
		for _, signal := range []unix.Signal{unix.SIGSTOP, unix.SIGKILL} {
			for _, pid := range pids {
				_ = unix.Kill(pid, signal)
			}
		}
		for _, pid := range pids {
			proc.Ended(pid, killTime)
		}
	}
	return fmt.Errorf("%d of its processes did not end", len(proc.Of(uid)))
}

// retireWaiting removes what would start something as the account later.
func (a *Agent) retireWaiting(m madeAccount) error {
	var errs []error
	for _, at := range leftByName {
		errs = append(errs, a.removePath(at.path+m.Name))
	}
	for _, at := range leftByOwner {
		errs = append(errs, a.removeAt(at.path, func(root *os.Root) error { return removeOwned(root, m.UID) }))
	}
	return errors.Join(errs...)
}

// removePath removes a file, or a directory with what is in it, if it exists.
func (a *Agent) removePath(path string) error {
	return a.removeAt(filepath.Dir(path), func(root *os.Root) error { return root.RemoveAll(filepath.Base(path)) })
}

// removeAt calls fn with a directory that no name in it can lead out of; one that does not exist has nothing to remove.
func (a *Agent) removeAt(dir string, fn func(root *os.Root) error) error {
	root, err := os.OpenRoot(a.host(dir))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer root.Close()
	if err := fn(root); err != nil {
		return fmt.Errorf("remove what is in %s: %w", dir, err)
	}
	return nil
}

// removeOwned removes the entries of a directory that belong to an account, with what is in them.
func removeOwned(root *os.Root, uid int) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if ownerOf(e) == uid {
			errs = append(errs, root.RemoveAll(e.Name()))
		}
	}
	return errors.Join(errs...)
}

// retireFiles removes the home of a removed account, or keeps it for root, and what Hostler made for the account elsewhere.
func (a *Agent) retireFiles(r *wire.Retire, m madeAccount) error {
	if err := a.retireHome(r); err != nil {
		return err
	}
	var errs []error
	for _, path := range []string{
		wire.SudoRule(m.Name), wire.AccountsDirectory + "/" + m.Name,
		"/etc/tmpfiles.d/hostler-account-" + m.Name + ".conf", "/etc/dbus-1/system.d/hostler-account-" + m.Name + ".conf",
	} {
		errs = append(errs, a.removePath(path))
	}
	return errors.Join(errs...)
}

// retireHome takes the home away by one rename, so that nothing finds half of it, and then deletes it if it is not kept.
func (a *Agent) retireHome(r *wire.Retire) error {
	base, kept := filepath.Dir(wire.KeptHomes), filepath.Base(wire.KeptHomes)
	return a.removeAt(base, func(root *os.Root) error {
		if _, err := root.Lstat(r.Name); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := root.Mkdir(kept, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		st, err := root.Lstat(kept)
		if err != nil {
			return err
		}
		if !st.IsDir() || st.Mode().Perm() != 0o700 || ownerOf(fs.FileInfoToDirEntry(st)) != a.uid {
			return fmt.Errorf("%s is not a directory that only root can enter", wire.KeptHomes)
		}
		to := kept + "/" + r.Name + "-" + time.Now().UTC().Format("2006-01-02T150405Z")
		if err := root.Rename(r.Name, to); err != nil {
			if r.KeepHome {
				return err
			}
			to = r.Name // a file system of its own can't be renamed
		}
		if r.KeepHome {
			return nil
		}
		return root.RemoveAll(to)
	})
}

// ipcOf returns the System V objects of an account, by what ipcrm(1) calls their kind.
func (a *Agent) ipcOf(uid int) map[string][]string {
	out := map[string][]string{}
	if a.cfg.Root != "" {
		return out
	}
	for kind, file := range map[string]string{"shmem": "shm", "queue": "msg", "semaphore": "sem"} {
		raw, err := os.ReadFile("/proc/sysvipc/" + file)
		if err != nil {
			continue
		}
		var header []string
		for line := range strings.Lines(string(raw)) {
			fields := strings.Fields(line)
			if header == nil {
				header = fields
				continue
			}
			row := map[string]string{}
			for n := range min(len(fields), len(header)) {
				row[header[n]] = fields[n]
			}
			for _, id := range []string{"shmid", "msqid", "semid"} {
				if row["uid"] == strconv.Itoa(uid) && row[id] != "" {
					out[kind] = append(out[kind], row[id])
				}
			}
		}
	}
	return out
}
