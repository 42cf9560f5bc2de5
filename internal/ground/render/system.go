package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// SSHInput is the input of Hostler's sshd settings.
type SSHInput struct {
	Port value.Port // zero: unchanged
	// Exempt are addresses whose connections are not penalized (OpenSSH 9.8 or newer, sshd_config(5),
	// PerSourcePenaltyExemptList): a connection that reads the banner and closes, as a confirmation does, counts as an offence
	// there.
	Exempt value.IPSet
}

// SSHDropin returns /etc/ssh/sshd_config.d/00-hostler.conf. For each keyword the first value wins (sshd_config(5)), so its name
// sorts before all others, such as 50-cloud-init.conf. Port is the exception: ports add up, so a Port line elsewhere must be
// removed when one is given, and with socket activation ssh.socket must be restarted.
func SSHDropin(in SSHInput) string {
	port := ""
	if !in.Port.IsZero() {
		port = "Port " + in.Port.String() + "\n"
	}
	if !in.Exempt.IsZero() {
		port += "PerSourcePenaltyExemptList " + in.Exempt.String() + "\n"
	}
	return "# Written by Hostler; changes are overwritten.\n" + port + `PubkeyAuthentication yes
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitEmptyPasswords no
PermitRootLogin prohibit-password
`
}

// UnattendedUpgrades returns /etc/apt/apt.conf.d/90-hostler: security updates once a week, and never of PHP or a database, whose
// restarts the user chooses. The lists of the package are cleared first, since those of later files are appended (apt.conf(5),
// #clear).
func UnattendedUpgrades() string {
	return `// Written by Hostler; changes are overwritten.
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "7";
APT::Periodic::AutocleanInterval "7";
#clear Unattended-Upgrade::Allowed-Origins;
#clear Unattended-Upgrade::Origins-Pattern;
Unattended-Upgrade::Origins-Pattern {
    "origin=Debian,codename=${distro_codename}-security,label=Debian-Security";
    "origin=Ubuntu,archive=${distro_codename}-security,label=Ubuntu";
};
Unattended-Upgrade::Package-Blacklist {
    "^php[0-9]";
    "^libapache2-mod-php";
    "^mysql-";
    "^mariadb-";
    "^postgresql";
    "^redis";
};
Unattended-Upgrade::Automatic-Reboot "false";
`
}

// SudoersInput is an account and its rights as root.
type SudoersInput struct {
	User value.UnixUser
	All  bool               // everything, with its password
	FPM  []value.PHPVersion // reload these without a password
}

// Sudoers returns a file of /etc/sudoers.d for one account. Each command has all of its arguments, so that no others are allowed
// (sudoers(5), Cmnd). Deployment scripts use both service and systemctl. The last rule that matches wins, so these come last.
func Sudoers(in SudoersInput) (string, error) {
	if in.User.IsZero() || in.User.String() == "root" {
		return "", errors.New("the rule needs an account other than root")
	}
	var b strings.Builder
	b.WriteString("# Written by Hostler; changes are overwritten.\n")
	if in.All {
		fmt.Fprintf(&b, "%s ALL=(ALL:ALL) ALL\n", in.User)
	}
	for _, v := range slices.SortedFunc(slices.Values(in.FPM), value.PHPVersion.Compare) {
		if v.IsZero() {
			return "", errors.New("the rule needs a version of PHP")
		}
		service := "php" + v.Dotted() + "-fpm"
		fmt.Fprintf(&b, "%s ALL=(root) NOPASSWD: /usr/sbin/service %s reload, /usr/bin/systemctl reload %[2]s, /usr/bin/systemctl reload %[2]s.service\n", in.User, service)
	}
	return b.String(), nil
}

// LogrotateInput is a log directory of an account.
type LogrotateInput struct {
	Directory value.AbsPath
	User      value.UnixUser // its group has the same name
}

// Logrotate returns a file of /etc/logrotate.d. Programs keep their logs open, so those are copied and truncated, as the account,
// since it could put links into its own directory (logrotate(8), su, copytruncate). nginx's logs are in the distribution's own
// file.
func Logrotate(in LogrotateInput) (string, error) {
	if in.User.IsZero() || in.Directory.IsZero() {
		return "", errors.New("the rotation needs a directory and an account")
	}
	directory, err := logrotateQuote(in.Directory.String())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten.
"%s/*.log" {
    su %s %[2]s
    daily
    maxsize 100M
    rotate 7
    compress
    delaycompress
    missingok
    notifempty
    copytruncate
}
`, directory, in.User), nil
}
