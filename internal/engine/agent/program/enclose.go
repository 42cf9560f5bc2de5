package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// EncloseMode is the mode of this program that runs another as an account, with a view of the host without other accounts. A
// run's script, a scheduled job and everything else that the agent runs as a site's account goes through it; systemd units have
// equivalent settings.
const EncloseMode = "enclose"

// encloses reports whether programs of this account are enclosed: those of people's accounts are; those of system accounts, of
// root and of strangers, who have no account, are not.
func (r Runner) encloses(cred *syscall.Credential) bool {
	return cred != nil && r.Root == "" && r.Self != "" && cred.Uid >= passwd.FirstUser && !IsStranger(cred.Uid)
}

// enclose makes a command start this program first, in a separate mount namespace, still as root. The account enters the working
// directory: it may be a link of the account's to a place that only root can enter.
func (r Runner) enclose(cmd *exec.Cmd, p Program) error {
	acc, err := r.accountByID(int(p.Cred.Uid))
	if err != nil {
		return err
	}
	groups := make([]string, len(p.Cred.Groups))
	for i, g := range p.Cred.Groups {
		groups[i] = strconv.FormatUint(uint64(g), 10)
	}
	who := fmt.Sprintf("%d:%d:%s", p.Cred.Uid, p.Cred.Gid, strings.Join(groups, ","))
	if p.Mode != "" {
		cmd.Args = []string{"hostler-agent", p.Mode, who, acc.Name, cmd.Dir}
	} else {
		cmd.Args = append([]string{"hostler-agent", EncloseMode, who, acc.Name, cmd.Dir, cmd.Path}, cmd.Args...)
	}
	cmd.Path, cmd.Dir = r.Self, "/"
	cmd.SysProcAttr.Credential = nil
	cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNS
	return nil
}

func (r Runner) accountByID(uid int) (passwd.Account, error) {
	acc, found, err := passwd.Files{Root: r.Root}.ByID(uid)
	if err == nil && (!found || !passwd.IsName(acc.Name)) {
		err = fmt.Errorf("there is no account with the id %d", uid)
	}
	return acc, err
}

// Enclose performs the mode: it closes the namespace off, becomes the account and then the program. It returns only on failure.
func Enclose(args []string) error {
	const fixed = 4
	if len(args) <= fixed {
		return errors.New("usage: enclose UID:GID:GROUPS NAME DIRECTORY PROGRAM ARGV0 [ARG...]")
	}
	dir, path, argv := args[2], args[3], args[fixed:]
	if err := Become(args[0], args[1]); err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return fmt.Errorf("enter the directory: %w", err)
	}
	return fmt.Errorf("run %s: %w", path, syscall.Exec(path, argv, os.Environ()))
}

// Become closes the namespace off and makes this process the account's. who is its ids, as enclose passes them.
func Become(who, name string) error {
	uid, gid, groups, err := parseWho(who)
	if err != nil {
		return err
	}
	if uid < passwd.FirstUser || !passwd.IsName(name) {
		return fmt.Errorf("account %q is not enclosed", name)
	}
	if err := closeOff(name); err != nil {
		return err
	}
	if err := syscall.Setgroups(groups); err != nil {
		return fmt.Errorf("take the groups of %s: %w", name, err)
	}
	if err := syscall.Setresgid(gid, gid, gid); err != nil {
		return fmt.Errorf("take the group of %s: %w", name, err)
	}
	if err := syscall.Setresuid(uid, uid, uid); err != nil {
		return fmt.Errorf("become %s: %w", name, err)
	}
	return nil
}

func parseWho(text string) (uid, gid int, groups []int, err error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, 0, nil, fmt.Errorf("%q is no account", text)
	}
	uid, err = strconv.Atoi(parts[0])
	if err == nil {
		gid, err = strconv.Atoi(parts[1])
	}
	for s := range strings.SplitSeq(parts[2], ",") {
		if s == "" || err != nil {
			continue
		}
		var g int
		g, err = strconv.Atoi(s)
		groups = append(groups, g)
	}
	if err == nil && (uid <= 0 || gid <= 0) {
		err = fmt.Errorf("%q is not an account that programs run as", text)
	}
	return uid, gid, groups, err
}

// closeOff closes this mount namespace off for the account: /proc without the processes of others (proc(5), hidepid), and for an
// isolated account its own /tmp, /var/tmp and /dev/shm. Later mounts of the host appear here as well.
func closeOff(name string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("close the mounts off: %w", err)
	}
	// Kernels before 5.8 refuse the option by its name, which keeps them from hiding the processes of the whole host. A container
	// may refuse it as well; then processes show their arguments, as they would without us.
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "hidepid=invisible")
	temp := filepath.Join(wire.AccountsDirectory, name, wire.AccountTemp)
	st, err := os.Lstat(temp)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the account is not isolated
	}
	if err != nil || !st.IsDir() {
		return fmt.Errorf("find the temporary directory of %s: %w", name, errors.Join(err, unix.ENOTDIR))
	}
	const flags = unix.MS_NOSUID | unix.MS_NODEV
	for _, at := range []string{"/tmp", "/var/tmp"} {
		if err := unix.Mount(temp, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("give %s its own %s: %w", name, at, err)
		}
		if err := unix.Mount("", at, "", unix.MS_BIND|unix.MS_REMOUNT|flags, ""); err != nil {
			return fmt.Errorf("give %s its own %s: %w", name, at, err)
		}
	}
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", flags, "mode=1777"); err != nil {
		return fmt.Errorf("give %s its own /dev/shm: %w", name, err)
	}
	return nil
}

// FirstStranger is the first of the ids from which a client without an account gets an unused one, and Strangers their number:
// it has no home, no files, no groups and no other processes.
const FirstStranger, Strangers = 65000, 500

// IsStranger reports whether an id is one of them.
func IsStranger(uid uint32) bool { return uid >= FirstStranger && uid < FirstStranger+Strangers }
