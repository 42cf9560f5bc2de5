package agent

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const (
	recoverUnit = "/etc/systemd/system/hostler-recover.service"
	recoverLink = "/etc/systemd/system/multi-user.target.wants/hostler-recover.service"
)

// recoverText is the unit that puts back at boot what a crash or a restart left. It runs before the network is configured:
// a firewall that nobody confirmed must not come up.
const recoverText = `# Written by Hostler.
[Unit]
Description=Hostler: put back what was not finished
After=local-fs.target
RequiresMountsFor=/var/lib/hostler

[Service]
Type=oneshot
ExecStart=%s recover
TimeoutStartSec=10min

[Install]
WantedBy=multi-user.target
`

// install makes recovery happen at boot. systemd reads both files only then, so nothing has to be reloaded.
func (a *Agent) install() error {
	if !a.systemd || !strings.HasPrefix(a.cfg.Self, stateDir+"/agent/") {
		return nil
	}
	want := fmt.Sprintf(recoverText, a.cfg.Self)
	if have, err := os.ReadFile(recoverUnit); err != nil || string(have) != want {
		if err := writeDurable(recoverUnit, []byte(want)); err != nil {
			return fmt.Errorf("install recovery: %w", err)
		}
		if err := os.Chmod(recoverUnit, 0o644); err != nil {
			return fmt.Errorf("install recovery: %w", err)
		}
	}
	if _, err := os.Lstat(recoverLink); err == nil {
		return nil
	}
	if err := os.MkdirAll(strings.TrimSuffix(recoverLink, "/hostler-recover.service"), 0o755); err != nil {
		return fmt.Errorf("install recovery: %w", err)
	}
	if err := os.Symlink("../hostler-recover.service", recoverLink); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("install recovery: %w", err)
	}
	return syncDir(strings.TrimSuffix(recoverLink, "/hostler-recover.service"))
}
