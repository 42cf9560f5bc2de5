package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
)

// unit is one of the two units that clean up at boot after a crash or a restart.
type unit struct{ name, text, target string }

// The first runs before any service reads its configuration: an unconfirmed firewall or sshd must not come up. The second does
// what needs services, that is, completes an installation of packages.
func (a *Agent) recoverUnits() []unit {
	const head = "# Written by Hostler.\n[Unit]\nDescription=Hostler: put back what was not finished%s\nRequiresMountsFor=" + stateDir + "\n"
	const service = "\n[Service]\nType=oneshot\nTimeoutStartSec=%s\nExecStart=%s recover%s\n\n[Install]\nWantedBy=%s\n"
	return []unit{
		{name: "hostler-recover-early.service", target: "sysinit.target", text: fmt.Sprintf(head, " before services start") +
			"DefaultDependencies=no\nAfter=local-fs.target systemd-remount-fs.service\nBefore=nftables.service hostler-firewall.service sysinit.target shutdown.target\nConflicts=shutdown.target\n" +
			fmt.Sprintf(service, "2min", a.cfg.Self, " --early", "sysinit.target")},
		{name: "hostler-recover.service", target: "multi-user.target", text: fmt.Sprintf(head, "") +
			fmt.Sprintf(service, "15min", a.cfg.Self, "", "multi-user.target")},
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

// install enables recovery at boot. systemd reads the files only then, so nothing has to be reloaded.
func (a *Agent) install() error {
	// An agent that was started manually from elsewhere may not exist at the next boot.
	if !a.systemd || !strings.HasPrefix(a.cfg.Self, stateDir+"/agent/") {
		return nil
	}
	if err := a.linkSelf(); err != nil {
		return fmt.Errorf("link the agent: %w", err)
	}
	for _, u := range a.recoverUnits() {
		if err := installUnit(u); err != nil {
			return fmt.Errorf("install %s: %w", u.name, err)
		}
	}
	return nil
}

func installUnit(u unit) error {
	const units = "/etc/systemd/system"
	path := filepath.Join(units, u.name)
	if have, err := os.ReadFile(path); err != nil || string(have) != u.text {
		if err := durable.Write(path, []byte(u.text)); err != nil {
			return err
		}
		if err := os.Chmod(path, 0o644); err != nil {
			return err
		}
	}
	wants := filepath.Join(units, u.target+".wants")
	link := filepath.Join(wants, u.name)
	if _, err := os.Lstat(link); err == nil {
		return nil
	}
	if err := os.MkdirAll(wants, 0o755); err != nil {
		return err
	}
	if err := os.Symlink("../"+u.name, link); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return errors.Join(durable.SyncDir(wants), durable.SyncDir(units))
}
