package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// unit is a unit of the agent's own, and the target that starts it; none if target is empty.
type unit struct{ name, text, target string }

// recoverUnits are the two units that clean up at boot after a crash or a restart.
//
// The first runs before any service reads its configuration: an unconfirmed firewall or sshd must not come up. The second does
// what needs services, that is, completes an installation of packages.
func (a *Agent) recoverUnits() []unit {
	const head = "# Written by Hostler.\n[Unit]\nDescription=Hostler: put back what was not finished%s\nRequiresMountsFor=" + stateDir + "\n"
	const service = "\n[Service]\nType=oneshot\nTimeoutStartSec=%s\nExecStart=%s recover%s\n\n[Install]\nWantedBy=%s\n"
	return []unit{
		{name: "hostler-recover-early.service", target: "sysinit.target", text: fmt.Sprintf(head, " before services start") +
			"DefaultDependencies=no\nAfter=local-fs.target systemd-remount-fs.service\nBefore=nftables.service hostler-firewall.service sysinit.target " +
			"shutdown.target\nConflicts=shutdown.target\n" +
			fmt.Sprintf(service, "2min", a.cfg.Self, " --early", "sysinit.target")},
		{name: "hostler-recover.service", target: "multi-user.target", text: fmt.Sprintf(head, "") +
			fmt.Sprintf(service, "15min", a.cfg.Self, "", "multi-user.target")},
	}
}

const sampleTimer = "hostler-monitor.timer"

// sampleUnits have the host measure itself each minute.
func sampleUnits() []unit {
	const head = "# " + wire.OwnHead + "\n[Unit]\nDescription=Hostler: measure the server"
	return []unit{
		{name: "hostler-monitor.service", text: head + "\n\n[Service]\nType=oneshot\nExecStart=" + wire.AgentLink + " sample\nTimeoutStartSec=30s\n"},
		{name: sampleTimer, target: "timers.target", text: head +
			" each minute\n\n[Timer]\nOnCalendar=*-*-* *:*:00\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n"},
	}
}

// selfLink is the stable path of the newest agent, for cron files, which outlive it.
const selfLink = stateDir + "/bin/hostler-agent"

// linkSelf points the link to this agent.
func (a *Agent) linkSelf() error {
	if have, err := os.Readlink(selfLink); err == nil && have == a.cfg.Self {
		return nil
	}
	dir := filepath.Dir(selfLink)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp := filepath.Join(dir, object.TempName())
	if err := os.Symlink(a.cfg.Self, temp); err != nil {
		return err
	}
	if err := os.Rename(temp, selfLink); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return durable.SyncDir(dir)
}

// placed reports whether this agent is where units can start it. One that was started manually from elsewhere may not exist at the next boot.
func (a *Agent) placed() bool { return a.systemd && strings.HasPrefix(a.cfg.Self, stateDir+"/agent/") }

// install enables recovery at boot. systemd reads the files only then, so nothing has to be reloaded.
func (a *Agent) install() error {
	if !a.placed() {
		return nil
	}
	if err := a.linkSelf(); err != nil {
		return fmt.Errorf("link the agent: %w", err)
	}
	for _, u := range a.recoverUnits() {
		if _, err := installUnit(u); err != nil {
			return fmt.Errorf("install %s: %w", u.name, err)
		}
	}
	return nil
}

// installTimer has the host measure itself each minute from now on.
func (a *Agent) installTimer() error {
	if !a.placed() {
		return nil
	}
	changed := false
	for _, u := range sampleUnits() {
		c, err := installUnit(u)
		if err != nil {
			return fmt.Errorf("install %s: %w", u.name, err)
		}
		changed = changed || c
	}
	verb := "start" // which does nothing if it runs
	if changed {
		if _, err := a.systemctl("systemctl", "daemon-reload"); err != nil {
			return fmt.Errorf("read units: %w", err)
		}
		verb = "restart"
	}
	if _, err := a.systemctl("systemctl", verb, sampleTimer); err != nil {
		return fmt.Errorf("start %s: %w", sampleTimer, err)
	}
	return nil
}

// installUnit writes a unit and enables it. It reports whether its file changed.
func installUnit(u unit) (changed bool, err error) {
	const units = "/etc/systemd/system"
	path := filepath.Join(units, u.name)
	if have, err := os.ReadFile(path); err != nil || string(have) != u.text {
		changed = true
		if err := durable.Write(path, []byte(u.text)); err != nil {
			return changed, err
		}
		if err := os.Chmod(path, 0o644); err != nil {
			return changed, err
		}
	}
	if u.target == "" {
		return changed, durable.SyncDir(units)
	}
	wants := filepath.Join(units, u.target+".wants")
	link := filepath.Join(wants, u.name)
	if _, err := os.Lstat(link); err == nil {
		return changed, nil
	}
	if err := os.MkdirAll(wants, 0o755); err != nil {
		return changed, err
	}
	if err := os.Symlink("../"+u.name, link); err != nil && !errors.Is(err, os.ErrExist) {
		return changed, err
	}
	return changed, errors.Join(durable.SyncDir(wants), durable.SyncDir(units))
}
