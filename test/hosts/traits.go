package hosts

import (
	"cmp"
	"slices"
	"strings"
)

// sshd reads its settings again.
const sshd = "systemctl reload ssh\n"

// AsDebian13 makes a host with Debian unstable say that it is a system that Hostler manages: unstable has no version.
const AsDebian13 = `grep -q VERSION_ID /etc/os-release || echo 'VERSION_ID="13"' >>/etc/os-release`

// Traits are those of servers that people have.
func Traits() []Trait {
	return slices.Concat(systems(), access(), logins(), packages(), filters(), files(), services(), kernels())
}

// systems are programs of the system that are not what Debian usually has.
func systems() []Trait {
	return []Trait{
		{
			Name: "coreutils and sudo in Rust", Source: "Ubuntu from 25.10, whose default they are; Debian 13 has both", As: "debian",
			Image: "e2e-tenants13", Engine: "postgres17",
			Script: `apt-get -q update >/dev/null
DEBIAN_FRONTEND=noninteractive apt-get -q -y install rust-coreutils sudo-rs >/dev/null
rust=/usr/lib/cargo/bin
for tool in $(cd $rust/coreutils && echo *); do
  at=/usr/bin/$tool
  [ -e "$at" ] || at=/usr/sbin/$tool
  [ -e "$at" ] || at=/usr/bin/$tool
  dpkg-divert --quiet --local --rename --divert "$at.gnu" --add "$at" 2>/dev/null
  $rust/coreutils/ln -s "$rust/coreutils/$tool" "$at"
done
for tool in sudo su visudo; do
  at=$(PATH=$PATH:/usr/sbin command -v $tool)
  dpkg-divert --quiet --local --rename --divert "$at.ws" --add "$at"
  ln -s $rust/$tool "$at"
done
! ls --version | grep -q GNU
sudo --version 2>&1 | grep -q sudo-rs`,
			Kept: "! ls --version | grep -q GNU && sudo --version 2>&1 | grep -q sudo-rs",
		},
		{
			Name: "newer programs than any supported system has", Source: "Debian unstable; Ubuntu between its long-term releases",
			Image: "e2e-mysql", Engine: "mysql9", Script: AsDebian13,
		},
	}
}

// access is how people get in.
func access() []Trait {
	return []Trait{
		{
			Name: "root may not log in", Source: "a hardened server; https://github.com/Dokploy/dokploy/issues/1126", As: "debian",
			Script:  "echo 'PermitRootLogin no' >/etc/ssh/sshd_config.d/10-hardened.conf\n" + sshd,
			Refused: "set 'PermitRootLogin prohibit-password'",
		},
		{
			Name: "sudo with a password", Source: "an installed Debian or Ubuntu; https://github.com/coollabsio/coolify/issues/5379", As: "debian",
			Script:  "echo 'debian ALL=(ALL) ALL' >/etc/sudoers.d/90-debian",
			Refused: "use root or a user with passwordless sudo",
		},
		{
			Name:   "root's key runs a command that says who may log in",
			Source: "images of AWS, Oracle and Azure (cloud-init's disable_root)",
			As:     "debian", With: "cloud",
			Script: `sed -i 's/^/no-port-forwarding,no-agent-forwarding,no-X11-forwarding,command="echo Please login as the user debian." /' ` +
				`/root/.ssh/authorized_keys`,
			Kept: `grep -q 'Please login as' /root/.ssh/authorized_keys`,
		},
		{
			Name: "a key with a command alone", Source: "sshd_config(5), PermitRootLogin forced-commands-only", As: "debian",
			Script:  "echo 'PermitRootLogin forced-commands-only' >/etc/ssh/sshd_config.d/10-hardened.conf\n" + sshd,
			Refused: "forced-commands-only",
		},
		{
			Name: "AllowUsers without root", Source: "https://github.com/coollabsio/coolify/issues/3901", As: "debian",
			Script:  "echo 'AllowUsers deploy debian' >/etc/ssh/sshd_config.d/10-users.conf\n" + sshd,
			Refused: "Add root to AllowUsers",
		},
		{
			Name: "AllowGroups without one of root's", Source: "CIS benchmark for Debian, 5.1.4", As: "debian",
			Script:  "echo 'AllowGroups sudo' >/etc/ssh/sshd_config.d/10-groups.conf\n" + sshd,
			Refused: "Add root to one of them",
		},
		{
			Name: "Match User root denies", Source: "sshd_config(5), Match", As: "debian",
			Script:  "printf 'Match User root\\n  PubkeyAuthentication no\\n' >>/etc/ssh/sshd_config\n" + sshd,
			Refused: "sshd accepts no keys",
		},
		{
			Name: "Match blocks for others", Source: "a server with accounts for SFTP", With: "cloud",
			Script: "groupadd sftponly\nprintf 'Match Group sftponly\\n  ForceCommand internal-sftp\\n  ChrootDirectory /srv\\n" +
				"' >>/etc/ssh/sshd_config\n" + sshd,
			Kept: "grep -q 'ChrootDirectory /srv' /etc/ssh/sshd_config",
		},
		{
			Name: "two factors for a login", Source: "sshd_config(5), AuthenticationMethods", As: "debian",
			Script:  "printf 'Match User root\\n  AuthenticationMethods publickey,keyboard-interactive\\n' >>/etc/ssh/sshd_config\n" + sshd,
			Refused: "sshd wants more than a key",
		},
		{
			Name: "keys elsewhere", Source: "Fedora CoreOS and hardened images, AuthorizedKeysFile /etc/ssh/keys/%u", As: "debian",
			Script: "install -d /etc/ssh/keys\nfor u in root debian; do cp $(getent passwd $u | cut -d: -f6)/.ssh/authorized_keys " +
				"/etc/ssh/keys/$u; done\nchmod 644 /etc/ssh/keys/*\n" +
				"echo 'AuthorizedKeysFile /etc/ssh/keys/%u' >/etc/ssh/sshd_config.d/10-keys.conf\n" + sshd,
			Refused: "add .ssh/authorized_keys to AuthorizedKeysFile",
		},
		{
			Name:   "passwords allowed by cloud-init",
			Source: "cloud-init's 50-cloud-init.conf, which other files override by their names only",
			With:   "cloud",
			Script: "echo 'PasswordAuthentication yes' >/etc/ssh/sshd_config.d/50-cloud-init.conf\n" + sshd,
			Kept:   "sshd -T | grep -qix 'passwordauthentication no'",
		},
		{
			Name: "MaxSessions 2 and MaxStartups 2", Source: "ssh-audit and Lynis, SSH-7408", With: "cloud",
			Script: "printf 'MaxSessions 2\\nMaxStartups 2\\n' >/etc/ssh/sshd_config.d/60-few.conf\n" + sshd,
			Kept:   "sshd -T | grep -qix 'maxsessions 2'",
		},
		{
			Name:   "sshd started by ssh.socket on port 2222",
			Source: "Ubuntu from 22.10; https://github.com/geerlingguy/ansible-role-security/issues/111",
			As:     "debian", Port: 2222,
			Script: "install -d /etc/systemd/system/ssh.socket.d\nprintf '[Socket]\\nListenStream=\\nListenStream=2222\\n" +
				"' >/etc/systemd/system/ssh.socket.d/port.conf\n" +
				"systemctl daemon-reload\nsystemctl disable -q --now ssh.service\nsystemctl enable -q --now ssh.socket",
			Kept: "systemctl is-active -q ssh.socket",
		},
		{
			Name: "root's password must be changed", Source: "droplets whose password was mailed (chage -d 0)", As: "debian",
			Script: "chage -d 0 root", Refused: "has to change its password",
		},
		{
			Name: "root's home is writable by its group", Source: "StrictModes; https://github.com/coollabsio/coolify/issues/3901", As: "debian",
			Script: "chmod 775 /root", Refused: "chmod go-w /root",
		},
	}
}

// logins are what a login does.
func logins() []Trait {
	return []Trait{
		{
			Name: ".bashrc prints", Source: "https://github.com/ansible/ansible/issues/2268", With: "cloud",
			Script: `sed -i '1i echo "Welcome to this server!"; printf "\\033[0m"' /root/.bashrc 2>/dev/null || echo 'echo "Welcome to this server!"' >/root/.bashrc`,
			Kept:   "grep -q Welcome /root/.bashrc",
		},
		{
			Name: ".bashrc starts another shell", Source: "guides that put 'exec zsh' or 'exec fish' there",
			Script: `printf 'exec /bin/cat\n' >/root/.bashrc`, Refused: "runs no commands over SSH",
		},
		{
			Name: "root's shell is nologin", Source: "hardening guides: usermod -s /usr/sbin/nologin root", As: "debian",
			Script: "usermod -s /usr/sbin/nologin root", Refused: "chsh -s /bin/bash root",
		},
		{
			Name: "umask 077 with set -e and TMOUT in profiles", Source: "CIS benchmark for Debian, 5.4.3", With: "cloud",
			Script: "printf 'umask 077\\nset -e\\nreadonly TMOUT=300\\nexport TMOUT\\n' >/etc/profile.d/hardened.sh\n" +
				"sed -i 's/^UMASK.*/UMASK 077/' /etc/login.defs\n" +
				"printf 'umask 077\\nset -e\\n' >>/root/.bashrc",
			Kept: "grep -q '^UMASK 077' /etc/login.defs",
		},
		{
			Name: "PATH without sbin", Source: "su without a dash; root's .bashrc of some images", With: "cloud",
			Script: "echo 'PATH=/usr/bin:/bin' >>/root/.bashrc\nsed -i 's|^PATH=.*|PATH=/usr/bin:/bin|' /etc/environment 2>/dev/null || true",
		},
		{
			Name: "a banner and a long message of the day", Source: "images of companies and of providers", With: "cloud",
			Script: "for i in $(seq 200); do echo 'Authorized use only. All activity may be monitored and reported.'; done " +
				">/etc/issue.net\ncp /etc/issue.net /etc/motd\n" +
				"echo 'Banner /etc/issue.net' >/etc/ssh/sshd_config.d/70-banner.conf\n" + sshd,
			Kept: "test -s /etc/motd",
		},
		{
			Name: "/etc/nologin", Source: "nologin(5): a maintenance", With: "files",
			Script: "echo 'Maintenance until Monday.' >/etc/nologin", Kept: "test -s /etc/nologin",
		},
	}
}

// packages are how packages are installed.
func packages() []Trait {
	return []Trait{
		{
			Name: "packages on hold", Source: "apt-mark hold", Image: "base", With: "packages",
			Script: "apt-mark hold curl openssh-server >/dev/null", Kept: "test \"$(apt-mark showhold | tr '\\n' ' ')\" = 'curl openssh-server '",
		},
		{
			Name: "a source of packages that does not answer", Source: "repositories of vendors that are gone", Image: "base", With: "packages",
			Script: "echo 'deb [trusted=yes] http://192.0.2.1/debian stable main' >/etc/apt/sources.list.d/gone.list\n" +
				"echo 'Acquire::http::Proxy::192.0.2.1 \"http://127.0.0.1:9\";' >/etc/apt/apt.conf.d/91-gone",
			Kept: "test -s /etc/apt/sources.list.d/gone.list",
		},
		{
			Name:   "a source of packages whose key is missing",
			Source: "apt: NO_PUBKEY, after a vendor changed its key",
			Image:  "base", With: "packages",
			Script: `install -d /srv/unsigned/dists/stable/main/binary-amd64
cd /srv/unsigned/dists/stable
: >main/binary-amd64/Packages
printf 'Suite: stable\nComponents: main\nArchitectures: amd64\nDate: %s\nSHA256:\n %s 0 main/binary-amd64/Packages\n' \
  "$(date -Ru)" "$(sha256sum main/binary-amd64/Packages | cut -d ' ' -f 1)" >Release
echo 'deb file:/srv/unsigned stable main' >/etc/apt/sources.list.d/unsigned.list`,
			Kept: "test -s /etc/apt/sources.list.d/unsigned.list",
		},
		{
			Name: "sources in deb822", Source: "Debian 13 and Ubuntu from 24.04", Image: "base", With: "packages",
			Script: `k=/usr/share/keyrings/debian-archive-keyring.gpg
awk -v k=$k '$1 == "deb" { printf "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n\n", $2, $3, k }' /etc/apt/sources.list \
  >/etc/apt/sources.list.d/debian.sources
mv /etc/apt/sources.list /etc/apt/sources.list.bak`,
			Kept: "test ! -e /etc/apt/sources.list",
		},
		{
			Name: "a changed settings file that a package asks about", Source: "dpkg's question about a conffile", Image: "base", With: "packages",
			Script: "install -d /etc/nginx /etc/logrotate.d /etc/redis\nprintf '# mine\\n/var/log/nginx/*.log {\\n  weekly\\n}\\n" +
				"' >/etc/logrotate.d/nginx\necho '# mine' >>/etc/logrotate.conf",
			Kept: "grep -q mine /etc/logrotate.d/nginx && grep -q mine /etc/logrotate.conf",
		},
		{
			Name: "a package installed by half", Source: "an upgrade that was cut off; https://github.com/OpenNebula/one/issues/8056",
			Script: `d=$(mktemp -d); install -d -m 755 "$d/p/DEBIAN"; chmod 755 "$d" "$d/p"
printf 'Package: half\nVersion: 1\nArchitecture: all\nMaintainer: Tests <tests@example.com>\nDescription: for a test\n' >"$d/p/DEBIAN/control"
printf '#!/bin/sh\nexit 1\n' >"$d/p/DEBIAN/postinst"; chmod 755 "$d/p/DEBIAN/postinst"
dpkg-deb -b "$d/p" "$d/half.deb" >/dev/null; dpkg -i "$d/half.deb" >/dev/null 2>&1 || true; rm -rf "$d"`,
			Refused: "dpkg --configure -a",
		},
		{
			Name: "needrestart", Source: "Ubuntu's servers", Image: "base", With: "packages",
			Script: "apt-get -q update >/dev/null 2>&1 || true\nDEBIAN_FRONTEND=noninteractive apt-get -q -y install needrestart >/dev/null\n" +
				"echo \"\\$nrconf{restart} = 'a';\" >/etc/needrestart/conf.d/restart.conf",
			Kept: "test -s /etc/needrestart/conf.d/restart.conf",
		},
	}
}

// filters are packet filters.
func filters() []Trait {
	return []Trait{
		{
			Name: "rules of nftables.service", Source: "Debian's own firewall",
			Script: "systemctl enable -q --now nftables", Refused: "nftables is active",
		},
		{
			Name: "firewalld", Source: "people who come from Fedora",
			Script: "printf '[Service]\\nExecStart=/bin/sleep infinity\\n' >/etc/systemd/system/firewalld.service\n" +
				"systemctl daemon-reload\nsystemctl start firewalld", Refused: "firewalld is active",
		},
		{
			Name: "chains of Docker", Source: "Docker's packet filter", With: "files",
			Script: "iptables -N DOCKER\niptables -N DOCKER-USER\niptables -A DOCKER-USER -j RETURN\niptables -I FORWARD -j DOCKER-USER\n" +
				"iptables -t nat -N DOCKER\niptables -t nat -A DOCKER -p tcp --dport 8081 -j DNAT --to-destination 172.17.0.2:80",
			Kept: "iptables -S DOCKER-USER | grep -q RETURN && iptables -t nat -S DOCKER | grep -q 172.17.0.2",
		},
	}
}

// files are file systems, files and names.
func files() []Trait {
	return []Trait{
		{
			Name: "/tmp noexec", Source: "https://github.com/netdata/netdata/issues/9626", Image: "base", With: "packages",
			Script: "mount -t tmpfs -o noexec,nosuid,nodev,size=64M tmpfs /tmp", Kept: "findmnt -no OPTIONS /tmp | grep -q noexec",
		},
		{
			Name:   "apt is busy",
			Source: "https://github.com/skypilot-org/skypilot/pull/554 and many more: unattended-upgrades after the first boot",
			Image:  "base", With: "packages",
			Script: "cat >/usr/local/sbin/apt-busy <<'X'\nimport fcntl, time\nf = open('/var/lib/dpkg/lock-frontend', 'w')\n" +
				"fcntl.lockf(f, fcntl.LOCK_EX)\ntime.sleep(20)\nX\n" +
				"systemd-run -q --unit apt-busy python3 /usr/local/sbin/apt-busy",
		},
		{
			Name: "/home on its own file system with nosuid", Source: "CIS benchmark for Debian, 1.1.2.3", With: "files",
			Script: "cp -a /home /root/home\nmount -t tmpfs -o nosuid,nodev,size=512M tmpfs /home\ncp -a /root/home/. /home\n" +
				"rm -r /root/home", Kept: "findmnt -no OPTIONS /home | grep -q nosuid",
		},
		{
			Name: "full file systems of snaps", Source: "Ubuntu's /snap: squashfs is always full", With: "files",
			Script: "install -d /snap/core22/1\nmount -t tmpfs -o size=1M tmpfs /snap/core22/1\n" +
				"head -c 1048576 /dev/zero >/snap/core22/1/full 2>/dev/null || true\nmount -o remount,ro /snap/core22/1",
			Kept: "findmnt -no TARGET /snap/core22/1 >/dev/null",
		},
		{
			Name: "resolv.conf is a link of systemd-resolved", Source: "Ubuntu's servers", With: "files",
			Script: "install -d /run/systemd/resolve\ncp /etc/resolv.conf /run/systemd/resolve/stub-resolv.conf 2>/dev/null || echo " +
				"'nameserver 127.0.0.53' >/run/systemd/resolve/stub-resolv.conf\n" +
				"rm -f /etc/resolv.conf\nln -s ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf",
			Kept: "test -L /etc/resolv.conf",
		},
		{
			Name: "a Turkish locale", Source: "tr_TR.UTF-8, whose small I has no dot", With: "files",
			Script: "printf 'LANG=tr_TR.UTF-8\\nLC_ALL=tr_TR.UTF-8\\n' | tee /etc/default/locale >>/etc/environment", Kept: "grep -q tr_TR " +
				"/etc/environment",
		},
		{
			Name: "an odd time zone", Source: "Asia/Kathmandu: a quarter of an hour off", With: "files",
			Script: "ln -sf /usr/share/zoneinfo/Asia/Kathmandu /etc/localtime\necho Asia/Kathmandu >/etc/timezone",
		},
		{
			Name: "a name with dots that does not resolve", Source: "images whose /etc/hosts has no line for the host", With: "files",
			Script: "hostname web-1.example.com\necho web-1.example.com >/etc/hostname\n" +
				"echo '127.0.0.1 localhost' >/etc/hosts", Kept: "test \"$(hostname)\" = web-1.example.com",
		},
		{
			Name: "an account forge with files", Source: "servers that came from Laravel Forge", With: "services",
			Script: "useradd -m -s /bin/bash -G sudo forge\nprintf 'precious\\n' >/home/forge/notes.txt\n" +
				"chown forge:forge /home/forge/notes.txt", Kept: "grep -q precious /home/forge/notes.txt",
		},
		{
			Name: "an account forge with its home elsewhere", Source: "the same, with /srv as the place of sites",
			Script: "useradd -m -d /srv/forge -s /bin/bash forge", Refused: "usermod -d /home/forge",
		},
	}
}

// services are those that are there already.
func services() []Trait {
	return []Trait{
		{
			Name: "nginx with a site", Source: "https://github.com/hestiacp/hestiacp/issues/5000", With: "services",
			Script: "install -d /srv/mine\necho mine >/srv/mine/index.html\nprintf 'server {\\n  listen 80;\\n" +
				"  server_name mine.example.com;\\n  root /srv/mine;\\n}\\n' >/etc/nginx/sites-enabled/mine\nsystemctl enable -q nginx\n" +
				"systemctl restart nginx",
			Kept: "curl -sS -H 'Host: mine.example.com' http://127.0.0.1/ | grep -qx mine",
		},
		{
			Name: "nginx with a default site", Source: "listen 80 default_server in a file of one's own",
			Script: "printf 'server {\\n  listen 80 default_server;\\n  return 204;\\n}\\n' >/etc/nginx/sites-enabled/mine\n" +
				"rm -f /etc/nginx/sites-enabled/default\nsystemctl restart nginx",
			Refused: "take default_server out of",
		},
		{
			Name: "another web server on port 80", Source: "https://github.com/sodafoundation/installer/pull/33: Apache of an image",
			Script: "systemctl disable -q --now nginx\nprintf '[Service]\\nExecStart=/usr/bin/python3 -m http.server 80\\n" +
				"' >/etc/systemd/system/other.service\n" +
				"systemctl daemon-reload\nsystemctl enable -q --now other.service 2>/dev/null || systemctl start other\n" +
				"for i in $(seq 100); do ss -Hltn 'sport = :80' | grep -q . && exit 0; sleep 0.1; done; exit 1",
			Refused: "port 80 is taken by python3",
		},
		{
			Name: "a /tmp of 8 MB", Source: "a file system in memory, as Debian 13 has it by default", With: "few",
			Script: "mount -t tmpfs -o size=8m,mode=1777 tmpfs /tmp", Kept: "findmnt -no SIZE /tmp | grep -q 8M",
		},
		{
			Name: "a second address and a route of its own", Source: "floating addresses of clouds", With: "few",
			Script: "dev=$(ip -o route show default | sed 's/.* dev \\([^ ]*\\).*/\\1/'); ip address add 192.0.2.77/32 dev $dev; ip route add 198.51.100.0/24 dev $dev",
			Kept:   "ip -o address | grep -q 192.0.2.77/32",
		},
		{
			Name: "a locale that is not installed", Source: "LC_ALL of an image without locales", With: "few",
			Script: "printf 'LANG=xx_YY.UTF-8\nLC_ALL=xx_YY.UTF-8\n' >/etc/default/locale; printf 'LC_ALL=xx_YY.UTF-8\n' >>/etc/environment",
			Kept:   "grep -q xx_YY /etc/environment",
		},
		{
			Name: "MariaDB whose root has a password", Source: "mysql_secure_installation, and servers of other panels",
			Script:  `mariadb -e "ALTER USER root@localhost IDENTIFIED BY 'kept'"`,
			Refused: "IDENTIFIED VIA unix_socket",
		},
		{
			Name: "MySQL whose root has a password", Source: "servers of other panels", Image: "e2e-mysql", Engine: "mysql9",
			Script: AsDebian13 + `
until mysqladmin --no-defaults ping >/dev/null 2>&1; do :; done
mysql -e "ALTER USER root@localhost IDENTIFIED WITH caching_sha2_password BY 'kept'"`,
			Refused: "IDENTIFIED WITH auth_socket",
		},
		{
			Name: "MariaDB with data", Source: "a server that had its database first", With: "services",
			Script: "systemctl enable -q --now mariadb\nmariadb -e \"CREATE DATABASE mine; CREATE TABLE mine.t (a INT); INSERT INTO mine.t " +
				"VALUES (42); CREATE USER mine@localhost IDENTIFIED BY 'mine'; GRANT ALL ON mine.* TO mine@localhost\"",
			Kept: "test \"$(mariadb -u mine -pmine -NBe 'SELECT a FROM mine.t')\" = 42",
		},
		{
			Name: "Redis with a password", Source: "requirepass in redis.conf", With: "services",
			Script: "echo 'requirepass secret' >>/etc/redis/redis.conf\nsystemctl enable -q redis-server\nsystemctl restart redis-server\n" +
				"redis-cli -a secret --no-auth-warning set mine 42 >/dev/null",
			Kept: "grep -qx 'requirepass secret' /etc/redis/redis.conf && test \"$(redis-cli -a secret --no-auth-warning get mine)\" = 42",
		},
	}
}

// KernelImage is that of hosts with a kernel of their own: everything of an app server, and what such a kernel needs.
const KernelImage = "e2e-tenants-virtual"

// kernels are settings of the kernel, which practice hosts share unless they are virtual.
func kernels() []Trait {
	const install = "apt-get -q update >/dev/null\nDEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "
	const enforce = "for profile in /etc/apparmor.d/*; do [ ! -f $profile ] || aa-enforce $profile >/dev/null 2>&1 || true; done\n"
	sysctl := func(file string, lines ...string) string {
		return "cat >/etc/sysctl.d/" + file + ".conf <<'END'\n" + strings.Join(lines, "\n") + "\nEND\nsysctl -q --system\n"
	}
	all := []Trait{
		{
			Name: "no namespaces of users", Source: "DISA STIG, user.max_user_namespaces",
			Script: sysctl("99-users", "user.max_user_namespaces = 0"),
			Kept:   "[ $(sysctl -n user.max_user_namespaces) = 0 ]",
		},
		{
			Name: "memory is not promised twice", Source: "documentation of PostgreSQL, Linux memory overcommit",
			Script: sysctl("99-memory", "vm.overcommit_memory = 2", "vm.overcommit_ratio = 90"),
			Kept:   "[ $(sysctl -n vm.overcommit_memory) = 2 ]",
		},
		{
			Name: "a hardened kernel", Source: "recommended settings of the Kernel Self Protection Project; Lynis, KRNL-6000",
			Script: sysctl("99-kernel", "kernel.yama.ptrace_scope = 3", "kernel.kptr_restrict = 2", "kernel.dmesg_restrict = 1",
				"kernel.unprivileged_bpf_disabled = 1", "fs.protected_fifos = 2", "fs.protected_regular = 2", "fs.suid_dumpable = 0",
				"net.ipv4.conf.all.rp_filter = 1", "net.ipv4.tcp_timestamps = 0"),
			Kept: "[ $(sysctl -n kernel.yama.ptrace_scope) = 3 ]",
		},
		{
			Name: "/proc hides processes of others", Source: "proc(5), hidepid=2; https://wiki.debian.org/Hardening",
			Script: "echo 'proc /proc proc defaults,hidepid=2 0 0' >>/etc/fstab\nmount -o remount,hidepid=2 /proc\n",
			Kept:   "grep ' /proc ' /proc/mounts | grep -q hidepid",
		},
		{
			Name: "audit rules that nothing can change", Source: "CIS benchmark for Debian, auditctl -e 2",
			Script: install + "auditd >/dev/null\nprintf -- '-w /etc/passwd -p wa\n-w /etc/sudoers.d -p wa\n-a always,exit -F arch=b64 -S execve\n" +
				"-e 2\n' >/etc/audit/rules.d/99-final.rules\naugenrules --load >/dev/null\n",
			Kept: "auditctl -s | grep -qx 'enabled 2'",
		},
		{
			Name: "AppArmor in force for all but PHP", Source: "CIS benchmark for Debian, aa-enforce",
			Script: install + "apparmor-utils apparmor-profiles >/dev/null\n" + enforce +
				"aa-complain /etc/apparmor.d/php-fpm >/dev/null\naa-status; [ $(aa-status --enforced) -ge 20 ]\n",
			Kept: "[ $(aa-status --enforced) -ge 20 ]",
		},
		{
			Name: "AppArmor in force for all", Source: "CIS benchmark for Debian, aa-enforce", With: "enforced",
			Script: install + "apparmor-utils apparmor-profiles >/dev/null\n" + enforce + "[ $(aa-status --enforced) -ge 20 ]\n" +
				"systemctl disable -q --now mariadb postgresql 'postgresql@15-main'\n", // they write files of their own
			Refused: "aa-complain /etc/apparmor.d/php-fpm",
		},
	}
	for i := range all {
		all[i].With, all[i].Image, all[i].Memory = cmp.Or(all[i].With, "kernel"), KernelImage, 1536
	}
	return all
}
