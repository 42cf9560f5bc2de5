package render

import (
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// AccountDirectory holds what belongs to an isolated account and can't stand in its home. It is root's, and no other account passes through it.
func AccountDirectory(user value.UnixUser) string {
	return wire.AccountsDirectory + "/" + user.String()
}

// AccountTemp returns what an isolated account finds at /tmp and /var/tmp. All of its programs share it, as they shared /tmp: a worker finds the
// socket or the lock that a page left there.
func AccountTemp(user value.UnixUser) string { return AccountDirectory(user) + "/" + wire.AccountTemp }

// AccountSessions returns the sessions of a site of an isolated account.
func AccountSessions(user value.UnixUser, siteID int64) string {
	return fmt.Sprintf("%s/sessions-%d", AccountDirectory(user), siteID)
}

// AccountTmpfilesPath returns the file that AccountTmpfiles belongs in.
func AccountTmpfilesPath(user value.UnixUser) string {
	return "/etc/tmpfiles.d/hostler-account-" + user.String() + ".conf"
}

// AccountTmpfiles removes what an account left in its temporary directory and did not use for a month, which is what systemd does to /var/tmp
// (tmpfiles.d(5)).
func AccountTmpfiles(user value.UnixUser) string {
	return "# Written by Hostler; changes are overwritten.\ne " + AccountTemp(user) + " - - - 30d\n"
}

// enclosure returns what the units of an isolated account have beside User= (systemd.exec(5)): its own temporary files and shared memory, and no
// process of another account in /proc. Privileges by setuid stay: PHP's mail() runs sendmail, which needs its own group.
func enclosure(user value.UnixUser) string {
	temp := AccountTemp(user)
	return "ProtectProc=invisible\nProtectSystem=full\nBindPaths=" + temp + ":/tmp " + temp + ":/var/tmp\nTemporaryFileSystem=/dev/shm:mode=1777\n"
}

// AccountBusPath returns the file that AccountBus belongs in.
func AccountBusPath(user value.UnixUser) string {
	return BusDirectory + "/hostler-account-" + user.String() + ".conf"
}

// BusDirectory has what the administrator says of the system's message bus (dbus-daemon(1)), which reads it again when it changes.
const BusDirectory = "/etc/dbus-1/system.d"

// AccountBus keeps an isolated account from asking systemd, which answers any account with the arguments of all processes (GetUnitProcesses, as systemctl
// status shows them), whatever /proc hides.
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
