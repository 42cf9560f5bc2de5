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

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const systemSudo = "/usr/bin/sudo"

// scriptSudo is sudo in scripts that Hostler runs. It has no rights of its own: the caller could do whatever it does.
func scriptSudo(args []string, out io.Writer) error {
	may := func(command []string) bool {
		return exec.Command(systemSudo, append([]string{"-n", "-l", "--"}, command...)...).Run() == nil
	}
	args, said := Rewrite(args, may)
	if said != "" {
		_, err := fmt.Fprintln(out, said)
		return err
	}
	return fmt.Errorf("start sudo: %w", syscall.Exec(systemSudo, append([]string{"sudo"}, args...), os.Environ()))
}

// NginxIsReloaded is the answer to a script that reloads nginx.
const NginxIsReloaded = "nginx needs no reload: Hostler writes its settings, and reloads it after each change"

// Rewrite returns the arguments of sudo for those of a script. Each way to reload or restart PHP becomes the one that the rule of sites' accounts has, which
// reaches the caller's own, and restarting Supervisor a restart of the caller's processes. Reloading nginx prints an explanation instead, unless another rule of the account allows it. Everything else is unchanged.
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

// reloadOf returns the service that a command reloads or restarts, if it does this and nothing else.
func reloadOf(command []string) (unit string, ok bool) {
	if len(command) == 0 {
		return "", false
	}
	dir, name := path.Split(command[0])
	rest := command[1:]
	system := slices.Contains([]string{"", "/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"}, dir)
	var verb string
	switch {
	case system && name == "service" && len(rest) == 2:
		unit, verb = rest[0], rest[1]
	case system && name == "systemctl" && len(rest) == 2:
		verb, unit = rest[0], rest[1]
	case system && name == "nginx" && slices.Equal(rest, []string{"-s", "reload"}):
		unit, verb = "nginx", "reload"
	case dir == "/etc/init.d/" && len(rest) == 1:
		unit, verb = name, rest[0]
	}
	return strings.TrimSuffix(unit, ".service"), slices.Contains(reloads, verb)
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
