package render

import "github.com/hostlerhq/hostler/internal/ground/value"

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
