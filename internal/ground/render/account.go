package render

import (
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// AccountDirectory returns the directory for data of an isolated account that can't be in its home. It belongs to root, and no
// other account can enter it.
func AccountDirectory(user value.UnixUser) string {
	return wire.AccountsDirectory + "/" + user.String()
}

// AccountTemp returns what an isolated account sees as /tmp and /var/tmp. All of its programs share it, as they shared /tmp: a
// worker finds the socket or the lock that a page left there.
func AccountTemp(user value.UnixUser) string { return AccountDirectory(user) + "/" + wire.AccountTemp }

// AccountSessions returns the directory of PHP sessions of a site of an isolated account.
func AccountSessions(user value.UnixUser, siteID int64) string {
	return fmt.Sprintf("%s/sessions-%d", AccountDirectory(user), siteID)
}

// AccountTmpfilesPath returns the path for AccountTmpfiles.
func AccountTmpfilesPath(user value.UnixUser) string {
	return "/etc/tmpfiles.d/hostler-account-" + user.String() + ".conf"
}

// AccountTmpfiles returns the file that removes from an account's temporary directory what was unused for a month, as systemd
// does for /var/tmp (tmpfiles.d(5)).
func AccountTmpfiles(user value.UnixUser) string {
	return "# Written by Hostler; changes are overwritten.\ne " + AccountTemp(user) + " - - - 30d\n"
}

// enclosure returns the settings of an isolated account's units in addition to User= (systemd.exec(5)): its own temporary files
// and shared memory, and no process of another account in /proc. Setuid privileges stay: PHP's mail() runs sendmail, which needs
// its own group.
func enclosure(user value.UnixUser) string {
	temp := AccountTemp(user)
	return "ProtectProc=invisible\nProtectSystem=full\nBindPaths=" + temp + ":/tmp " + temp + ":/var/tmp\nTemporaryFileSystem=/dev/shm:mode=1777\n"
}

// AccountBusPath returns the path for AccountBus.
func AccountBusPath(user value.UnixUser) string {
	return BusDirectory + "/hostler-account-" + user.String() + ".conf"
}

// BusDirectory contains the administrator's policies of the system's message bus (dbus-daemon(1)), which reloads it on changes.
const BusDirectory = "/etc/dbus-1/system.d"

// AccountBus returns the policy that denies an isolated account access to systemd, which reveals the arguments of all processes
// to any account (GetUnitProcesses, as systemctl status shows them), whatever /proc hides.
func AccountBus(user value.UnixUser) string {
	return `<?xml version="1.0"?>
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<!-- Written by Hostler; changes are overwritten. -->
<busconfig>
  <policy user="` + user.String() + `">
    <deny send_destination="org.freedesktop.systemd1"/>
  </policy>
</busconfig>
`
}

// AccountPrograms returns the directory of programs that come first in the PATH of an isolated account's login sessions.
func AccountPrograms(user value.UnixUser) string { return AccountDirectory(user) + "/bin" }

// SessionProfilePath is the file of SessionProfile, which /etc/profile reads after it has set the PATH.
const SessionProfilePath = "/etc/profile.d/hostler.sh"

// SessionProfile returns what puts AccountPrograms into the PATH of the account whose session it is; sh(1), which may stop at errors.
func SessionProfile() string {
	return "# Written by Hostler; changes are overwritten. The programs of a site's account, in the versions that the site runs.\n" +
		"if [ -n \"${USER:-}\" ] && [ -d \"" + wire.AccountsDirectory + "/$USER/bin\" ]; then\n" +
		"\tPATH=\"" + wire.AccountsDirectory + "/$USER/bin:$PATH\"\n" +
		"fi\n"
}
