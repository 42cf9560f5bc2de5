// Package sudo is what accounts of sites may do as root: reload the PHP that answers for their sites, and start and stop their background processes. The
// agent does it under the names service and supervisorctl, which sudo finds first for these accounts; deploy scripts of before call them.
package sudo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
)

// Host is a host and who calls.
type Host struct {
	// Root contains all paths, for tests.
	Root string
	// Caller is the account that called sudo; root for root itself.
	Caller string
	Out    io.Writer
	// Systemctl runs systemctl, and returns what it prints.
	Systemctl func(args ...string) (string, error)
}

// environment is what programs are started with, whatever the caller's is.
var environment = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"}

// Main is the program under one of its names. Without root it starts itself by sudo.
func Main(name string, args []string) error {
	if name == "sudo" {
		return scriptSudo(args, os.Stdout)
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("start sudo: %w", syscall.Exec("/usr/bin/sudo", append([]string{"sudo", "-n", name}, args...), os.Environ()))
	}
	if name == "service" && !isPHP(args) { // the rule of sites' accounts does not reach this: another does, and means the system's
		return fmt.Errorf("start service: %w", syscall.Exec("/usr/sbin/service", append([]string{"service"}, args...), environment))
	}
	h := Host{Caller: "root", Out: os.Stdout, Systemctl: func(args ...string) (string, error) {
		cmd := exec.Command("/usr/bin/systemctl", args...)
		cmd.Env = environment
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}}
	if id := os.Getenv("SUDO_UID"); id != "" { // sudo sets it, whatever the caller's was
		uid, err := strconv.Atoi(id)
		if err != nil {
			return errors.New("it is not known who calls")
		}
		acc, found, err := passwd.Files{}.ByID(uid)
		if err != nil || !found {
			return errors.New("it is not known who calls")
		}
		h.Caller = acc.Name
	}
	if name == "service" {
		return h.Service(args)
	}
	return h.Supervisor(args)
}

var phpPattern = regexp.MustCompile(`^php([0-9]\.[0-9]+)-fpm$`)

// isPHP reports whether these are arguments of the rule of sites' accounts.
func isPHP(args []string) bool {
	return len(args) == 2 && phpPattern.MatchString(args[0]) && (args[1] == "reload" || args[1] == "restart")
}

const serviceUsage = "by sudo, this account reloads PHP of its own sites, and nothing else: service php8.4-fpm reload"

// Service reloads the masters of PHP that answer for the caller's sites. A version that none of them has stands for those that they have: scripts outlive
// versions. What was asked to restart is reloaded, so that no request fails.
func (h Host) Service(args []string) error {
	if !isPHP(args) {
		return errors.New(serviceUsage)
	}
	version := phpPattern.FindStringSubmatch(args[0])[1]
	all, err := h.masters()
	if err != nil {
		return err
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(m master) bool { return m.version != version })
	if len(all) == 0 {
		return fmt.Errorf("no site of %s has PHP", h.Caller)
	}
	if len(asked) == 0 {
		fmt.Fprintf(h.Out, "No site of %s has PHP %s: PHP %s is reloaded\n", h.Caller, version, all[0].version)
		asked = all
	}
	for _, m := range asked {
		if said, err := h.Systemctl("reload", "--", m.unit); err != nil {
			return fmt.Errorf("reload %s: %s", m.unit, said)
		}
	}
	return nil
}

type master struct{ version, unit string }

// masters returns the masters with a pool of the caller's, by their files, which only root writes.
func (h Host) masters() ([]master, error) {
	var out []master
	for pattern, unit := range map[string]func(parts []string) master{
		"/etc/hostler/php/*/*/fpm.conf": func(p []string) master {
			return master{p[3], "hostler-php" + p[3] + "-site-" + p[4] + ".service"}
		},
		"/etc/php/*/fpm/pool.d/hostler-*.conf": func(p []string) master { return master{p[2], "php" + p[2] + "-fpm.service"} },
	} {
		files, err := filepath.Glob(h.Root + pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if is, err := h.line(file, "user"); err != nil || is != h.Caller && h.Caller != "root" {
				continue
			}
			if one := unit(strings.Split(strings.TrimPrefix(file, h.Root+"/"), "/")); !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	slices.SortFunc(out, func(a, b master) int { return strings.Compare(a.unit, b.unit) })
	return out, nil
}

// line returns the value of a setting in a file of lines with equals signs.
func (h Host) line(file, key string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(raw)) {
		if name, is, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(is), nil
		}
	}
	return "", os.ErrNotExist
}

const supervisorUsage = `supervisorctl of Hostler: background processes are units of systemd, and this names them as scripts of before do.

  supervisorctl status [daemon-ID ...]
  supervisorctl start|stop|restart daemon-ID|daemon-ID:*|all ...
  supervisorctl tail [-BYTES] daemon-ID
  supervisorctl reread|update          does nothing: processes are changed in Hostler

daemon-ID is the process with that id, of the calling account; worker-ID is the same.
`

// Supervisor does what scripts ask supervisorctl for. Processes of other accounts do not exist for the caller.
func (h Host) Supervisor(args []string) error {
	if len(args) == 0 || slices.Contains([]string{"-h", "--help", "help"}, args[0]) {
		_, err := io.WriteString(h.Out, supervisorUsage)
		return err
	}
	verb, names := args[0], args[1:]
	switch verb {
	case "reread", "update":
		fmt.Fprintln(h.Out, "No config updates to processes")
		return nil
	case "status":
		if len(names) == 0 {
			names = []string{"all"}
		}
	case "start", "stop", "restart":
	case "tail":
		return h.tail(names)
	default:
		return fmt.Errorf("%q is not supported; see supervisorctl --help", verb)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s requires a process name", verb)
	}
	var failed error
	for _, name := range names {
		if err := h.supervise(verb, name); err != nil {
			failed = err
			fmt.Fprintln(h.Out, err)
		}
	}
	if failed != nil {
		return errors.New("not all was done")
	}
	return nil
}

var groupPattern = regexp.MustCompile(`^(?:daemon|worker)-([1-9][0-9]{0,17})(?::(?:\*|(?:daemon|worker)-([1-9][0-9]{0,17})(?:_[0-9]+)?)?)?$`)

// one returns the id of the caller's process that a name stands for.
func (h Host) one(name string) (string, error) {
	mine, err := h.processes()
	if err != nil {
		return "", err
	}
	m := groupPattern.FindStringSubmatch(name)
	if m == nil || m[2] != "" && m[2] != m[1] || !slices.Contains(mine, m[1]) {
		return "", fmt.Errorf("%s: ERROR (no such process)", name)
	}
	return m[1], nil
}

func (h Host) supervise(verb, name string) error {
	mine, err := h.processes()
	if name != "all" {
		mine = make([]string, 1)
		mine[0], err = h.one(name)
	}
	if err != nil {
		return err
	}
	for _, id := range mine {
		units, err := h.instances(id)
		if err != nil {
			return err
		}
		for i, unit := range units {
			shown := fmt.Sprintf("daemon-%s:daemon-%[1]s_%02d", id, i)
			if verb == "status" {
				fmt.Fprintf(h.Out, "%-32s %s\n", shown, h.state(unit))
				continue
			}
			if said, err := h.Systemctl(verb, "--", unit); err != nil {
				return fmt.Errorf("%s: ERROR (%s)", shown, said)
			}
			if verb != "start" {
				fmt.Fprintln(h.Out, shown+": stopped")
			}
			if verb != "stop" {
				fmt.Fprintln(h.Out, shown+": started")
			}
		}
		if len(units) == 0 && verb != "stop" && name != "all" {
			return fmt.Errorf("%s: ERROR (stopped in Hostler)", name)
		}
	}
	return nil
}

// state is what supervisorctl says of a unit's.
func (h Host) state(unit string) string {
	said, _ := h.Systemctl("is-active", "--", unit)
	switch said {
	case "active":
		return "RUNNING"
	case "activating":
		return "STARTING"
	case "deactivating":
		return "STOPPING"
	case "failed":
		return "FATAL"
	}
	return "STOPPED"
}

const units = "/etc/systemd/system/"

// processes returns the ids of the caller's background processes, by their units, which only root writes.
func (h Host) processes() ([]string, error) {
	const before, after = "hostler-process-", "@.service"
	files, err := filepath.Glob(h.Root + units + before + "*" + after)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, file := range files {
		if is, err := h.line(file, "User"); err == nil && (is == h.Caller || h.Caller == "root") {
			out = append(out, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), before), after))
		}
	}
	return out, nil
}

// instances returns the units of a process that Hostler has running.
func (h Host) instances(id string) ([]string, error) {
	files, err := filepath.Glob(h.Root + units + "multi-user.target.wants/hostler-process-" + id + "@*.service")
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return files, err
}
