package wire

// LoginsDirectory contains a directory for each login of a site, which is that login's root. Only root may enter it: what is mounted in it is behind the
// home of its account for everyone else. LoginKeys contains the keys of logins, which sshd reads as their account, and LoginMode is the mode of the agent that
// their units start: "login open NAME ACCOUNT DIRECTORY" and "login close NAME".
const (
	LoginsDirectory = "/var/lib/hostler-sftp"
	LoginKeys       = "/etc/ssh/hostler-sftp"
	LoginMode       = "login"
)

// LoginShell is the shell of logins, which refuses to be one.
const LoginShell = "/usr/sbin/nologin"

// LoginRoot returns the root of a login, LoginUnit the unit that mounts the directory in it.
func LoginRoot(name string) string { return LoginsDirectory + "/" + name }

// LoginUnit returns the name of the unit that mounts the directory of a login.
func LoginUnit(name string) string { return "hostler-sftp-" + name + ".service" }

// LoginSettings returns the file of sshd's settings for a login. It is read before the files of others, since the first value of a setting counts.
func LoginSettings(name string) string {
	return "/etc/ssh/sshd_config.d/00-hostler-sftp-" + name + ".conf"
}

// Login is a name that logs in as another account: a line of passwd with the user id and the group id of the account, LoginRoot as home and LoginShell as
// shell. It has no password. An account of others with the name is refused, and not touched when the login is removed.
type Login struct {
	Name    string `json:"name"`
	Account string `json:"account,omitempty"`
	// Until is the last day on which it logs in, as 2006-01-02 in UTC, "" for no end.
	Until  string `json:"until,omitempty"`
	Absent bool   `json:"absent,omitempty"`
}

// Jail is what a login reaches: the directory of a site, mounted at its own path below the login's root, without programs, devices and set-user-ID.
type Jail struct {
	Login   string `json:"login"`
	Account string `json:"account,omitempty"`
	// Directory is one in the home of the account.
	Directory string `json:"directory,omitempty"`
	// Settings are what sshd has to use for the login, as "sshd -T" prints them.
	Settings []string `json:"settings,omitempty"`
	// Close ends the sessions that are open. Absent does as well, and takes the mount away: never what is in it.
	Close  bool `json:"close,omitempty"`
	Absent bool `json:"absent,omitempty"`
}
