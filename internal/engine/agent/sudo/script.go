package sudo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const systemSudo = "/usr/bin/sudo"

// scriptSudo is sudo in scripts that Hostler runs. It has no rights of its own: the caller could do whatever it does.
func scriptSudo(args []string, out io.Writer) error {
	may := func(command []string) bool {
		return exec.Command(systemSudo, append([]string{"-n", "-l", "--"}, command...)...).Run() == nil
	}
	account, _, err := passwd.Files{}.ByID(os.Getuid())
	if err != nil {
		return fmt.Errorf("read the caller's account: %w", err)
	}
	if own := Own(args, account.Name); own != nil {
		at, err := exec.LookPath(own[0])
		if err != nil {
			return fmt.Errorf("%s: command not found", own[0])
		}
		return fmt.Errorf("start %s: %w", own[0], syscall.Exec(at, own, os.Environ()))
	}
	args, said := Rewrite(args, may)
	if said != "" {
		_, err := fmt.Fprintln(out, said)
		return err
	}
	return fmt.Errorf("start sudo: %w", syscall.Exec(systemSudo, append([]string{"sudo"}, args...), os.Environ()))
}

// Own returns the command that a script runs by sudo as its own account, nil if it means another. No right is needed for it.
func Own(args []string, account string) []string {
	own := false
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-u" && i+1 < len(args):
			i++
			own = args[i] == account
		case strings.HasPrefix(arg, "--user="):
			own = arg == "--user="+account
		case slices.Contains([]string{"-S", "-n", "-nS", "-Sn", "-H", "-E", "-EH", "-HE", "--stdin", "--non-interactive", "--preserve-env"}, arg):
		case own && account != "" && !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "="):
			return args[i:]
		default:
			return nil
		}
	}
	return nil
}

// The answers to scripts that reload nginx, and that have it look at its settings first.
const (
	NginxIsReloaded = "nginx needs no reload: Hostler writes its settings, and reloads it after each change"
	NginxIsTested   = "nginx needs no test: Hostler tests its settings before each change"
)

// Rewrite returns the arguments of sudo for those of a script. Each way to reload or restart PHP becomes the one that the rule of sites' accounts has, which
// reaches the caller's own, and restarting Supervisor a restart of the caller's processes. Reloading nginx prints an explanation instead, unless another
// rule of the account allows it. Everything else is unchanged.
func Rewrite(args []string, may func(command []string) bool) (to []string, said string) {
	i := 0
	for i < len(args) && slices.Contains([]string{"-S", "-n", "-nS", "-Sn", "-H", "--stdin", "--non-interactive"}, args[i]) {
		i++
	}
	if i < len(args) && args[i] == "--" {
		i++
	}
	command := args[i:]
	unit, reloads := reloadOf(command)
	switch {
	case testsNginx(command) && !may(command):
		return nil, NginxIsTested
	case !reloads:
	case phpPattern.MatchString(unit):
		return []string{"-n", "service", unit, "reload"}, ""
	case unit == "supervisor" && !may(command):
		return []string{"-n", "supervisorctl", "restart", "all"}, ""
	case unit == "nginx" && !may(command):
		return nil, NginxIsReloaded
	}
	return args, ""
}

// reloads are the verbs of init scripts, service and systemctl after which a service has read its settings.
var reloads = []string{"reload", "restart", "force-reload", "try-restart", "reload-or-restart", "try-reload-or-restart"}

// testsNginx reports whether a command has nginx look at its settings, and does nothing else.
func testsNginx(command []string) bool {
	if len(command) == 0 {
		return false
	}
	dir, name := path.Split(command[0])
	switch rest := command[1:]; {
	case slices.Contains(systemDirs, dir) && name == "nginx":
		return len(rest) == 1 && slices.Contains([]string{"-t", "-tq", "-qt"}, rest[0])
	case slices.Contains(systemDirs, dir) && name == "service":
		return slices.Equal(rest, []string{"nginx", "configtest"})
	}
	return false
}

// systemDirs are where the programs of the system are.
var systemDirs = []string{"", "/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"}

// reloadOf returns the service that a command reloads or restarts, if it does this and nothing else.
func reloadOf(command []string) (unit string, ok bool) {
	if len(command) == 0 {
		return "", false
	}
	dir, name := path.Split(command[0])
	rest := command[1:]
	system := slices.Contains(systemDirs, dir)
	var verb string
	switch {
	case system && name == "service" && len(rest) == 2:
		unit, verb = rest[0], rest[1]
	case system && name == "systemctl" && len(rest) == 2:
		verb, unit = rest[0], rest[1]
	case system && name == "systemctl" && len(rest) == 3: // nginx needs none
		verb, unit = rest[0], withoutNginx(rest[1], rest[2])
	case system && name == "nginx" && slices.Equal(rest, []string{"-s", "reload"}):
		unit, verb = "nginx", "reload"
	case dir == "/etc/init.d/" && len(rest) == 1:
		unit, verb = name, rest[0]
	}
	return strings.TrimSuffix(unit, ".service"), slices.Contains(reloads, verb)
}

// withoutNginx returns the other one of two services of which one is nginx, "" for two others.
func withoutNginx(a, b string) string {
	const nginx = "nginx"
	switch {
	case strings.TrimSuffix(a, ".service") == nginx && phpPattern.MatchString(strings.TrimSuffix(b, ".service")):
		return b
	case strings.TrimSuffix(b, ".service") == nginx && phpPattern.MatchString(strings.TrimSuffix(a, ".service")):
		return a
	}
	return ""
}

// tailBytes is what supervisorctl prints of a log without a number, tailMost what this one prints at most.
const (
	tailBytes = 1600
	tailMost  = 1 << 20
)

// tail prints the end of what a process of the caller's has written.
func (h Host) tail(names []string) error {
	size := int64(tailBytes)
	if len(names) > 0 && strings.HasPrefix(names[0], "-") {
		if _, err := fmt.Sscanf(names[0]+" ", "-%d ", &size); err != nil || size < 1 {
			return fmt.Errorf("%q is not supported; see supervisorctl --help", names[0])
		}
		names = names[1:]
	}
	if len(names) == 2 && slices.Contains([]string{"stdout", "stderr"}, names[1]) { // both are in one log
		names = names[:1]
	}
	if len(names) != 1 {
		return errors.New("tail requires a process name")
	}
	id, err := h.one(names[0])
	if err != nil {
		return err
	}
	f, err := os.Open(h.Root + wire.ProcessLog(id))
	if errors.Is(err, os.ErrNotExist) {
		f, err = os.Open(h.Root + wire.ProcessLogBefore(id))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: ERROR (no log)", names[0])
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size = min(size, tailMost, info.Size())
	_, err = io.Copy(h.Out, io.NewSectionReader(f, info.Size()-size, size))
	return err
}
