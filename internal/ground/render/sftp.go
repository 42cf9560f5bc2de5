package render

import (
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// SFTPInput is an SFTP user of a site.
type SFTPInput struct {
	Name, Account string
	// Directory is the site's.
	Directory string
	// Keys are lines of authorized_keys(5) without options.
	Keys []string
}

// SFTPSettings are what sshd has to use for an SFTP user, as "sshd -T" prints them. The directory is mounted at its own path, so that absolute links in it
// lead to where they do for the site, and those out of it nowhere. Uploads can be read by nginx whatever the mask of the login is.
func SFTPSettings(in SFTPInput) []string {
	return []string{
		"chrootdirectory " + wire.LoginRoot(in.Name),
		"forcecommand internal-sftp -u 0022 -d " + in.Directory,
		"authorizedkeysfile " + SFTPKeysPath(in.Name),
		"authorizedkeyscommand none",
		"authorizedprincipalsfile none",
		"trustedusercakeys none",
		"authenticationmethods publickey",
		"pubkeyauthentication yes",
		"passwordauthentication no",
		"kbdinteractiveauthentication no",
		"hostbasedauthentication no",
		"allowtcpforwarding no",
		"allowstreamlocalforwarding no",
		"allowagentforwarding no",
		"x11forwarding no",
		"permittunnel no",
		"permittty no",
	}
}

// SFTPAsked are the settings that sshd is asked for. Without a subsystem it refuses SFTP before it runs what it is forced to.
func SFTPAsked(in SFTPInput) []string { return append(SFTPSettings(in), "subsystem sftp ") }

// SFTPKeysPath returns the file of an SFTP user's keys. It belongs to root, and sshd reads it as the account.
func SFTPKeysPath(name string) string { return wire.LoginKeys + "/" + name }

// SFTPMatch returns what sshd reads for an SFTP user. Lists of who may log in at all, which a server may have, are replaced for it.
func SFTPMatch(in SFTPInput) string {
	return "# Written by Hostler; changes are overwritten.\n\nMatch User " + in.Name + "\n  " + strings.Join(SFTPSettings(in), "\n  ") +
		"\n  disableforwarding yes\n  permituserrc no\n  allowusers " + in.Name + "\n  allowgroups *\n"
}

// SFTPKeys returns the file of an SFTP user's keys.
func SFTPKeys(in SFTPInput) string {
	return "# Written by Hostler; changes are overwritten.\nrestrict " + strings.Join(in.Keys, "\nrestrict ") + "\n"
}

// SFTPUnit returns the unit that mounts the directory of an SFTP user, also when the server starts.
func SFTPUnit(in SFTPInput) string {
	return "# Written by Hostler; changes are overwritten.\n[Unit]\nDescription=Directory of the SFTP user " + in.Name + "\nRequiresMountsFor=/home/" +
		in.Account +
		"\n\n[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=" + wire.AgentLink + " " + wire.LoginMode + " open " + in.Name + " " + in.Account +
		" " + in.Directory +
		"\nExecStop=" + wire.AgentLink + " " + wire.LoginMode + " close " + in.Name + "\n\n[Install]\nWantedBy=multi-user.target\n"
}
