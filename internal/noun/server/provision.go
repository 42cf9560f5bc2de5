package server

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// SiteUser is the account that sites belong to unless they are isolated.
const SiteUser = "forge"

// How long the stages of setting up may take.
const (
	packagesWithin  = 15 * time.Minute
	settingsWithin  = 3 * time.Minute
	confirmSSHLogin = 30 * time.Second
)

// Setup is what a plan of setting up depends on: the row and what was found on the machine.
type Setup struct {
	Server query.Server
	Facts  wire.Facts
	// Rules is the Change of the server's firewall.
	Rules wire.Change
}

// Supported refuses a machine that can't be set up, with the reason.
func Supported(f wire.Facts) error {
	versions := map[string][]string{"debian": {"12", "13"}, "ubuntu": {"22.04", "24.04", "26.04"}}[f.OS]
	ok := false
	for _, v := range versions {
		ok = ok || v == f.OSVersion
	}
	if !ok {
		return fmt.Errorf("%s is not supported; Hostler manages Debian 12 and 13 and Ubuntu 22.04, 24.04 and 26.04", strings.TrimSpace(f.OS+" "+f.OSVersion))
	}
	if f.Arch != "amd64" && f.Arch != "arm64" {
		return fmt.Errorf("the architecture %s is not supported; Hostler manages amd64 and arm64", f.Arch)
	}
	return nil
}

// Provision returns the plan of setting a server up, in stages: what is done stays done, and a retry passes over it quickly. It is pure.
func Provision(s Setup) ([]job.Stage, error) {
	if err := Supported(s.Facts); err != nil {
		return nil, err
	}
	if err := otherFirewalls(s); err != nil {
		return nil, err
	}
	var stages []job.Stage
	for _, build := range []func(Setup) (job.Stage, error){
		base, accounts, sshd, clock, firewall, ports, runtime, caches, engine, search, php, engineSettings,
		searchSettings, web, otherFirewall,
	} {
		stage, err := build(s)
		if err != nil {
			return nil, err
		}
		if len(stage.Change.Steps) > 0 {
			stages = append(stages, stage)
		}
	}
	return stages, nil
}

//go:embed allow.sh
var allowScript string

// base returns what every server needs.
func base(Setup) (job.Stage, error) {
	return job.Stage{Name: "base packages", Detach: true, Within: packagesWithin, Change: wire.Change{Steps: []wire.Step{
		{Name: "install base packages", Packages: &wire.Packages{Update: true, Names: []string{
			"ca-certificates", "cron", "curl", "git", "gnupg", "logrotate",
			"nftables", "rsync", "sudo", "unattended-upgrades", "unzip",
		}}},
		{Name: "directory for settings", Dir: &wire.Dir{Path: "/etc/hostler", Mode: 0o755}},
		// The first rules are reverted to this if they cut Hostler off: an open server, as it was.
		{Name: "no firewall rules yet", File: &wire.File{
			Path: render.FirewallPath, Mode: 0o600,
			Content: []byte("table inet hostler {}\ndelete table inet hostler\n"), Once: true,
		}},
		{Name: "a way back in", File: &wire.File{Path: "/usr/local/sbin/hostler-allow", Mode: 0o755, Content: []byte(allowScript)}},
		{Name: "security upgrades", File: &wire.File{Path: "/etc/apt/apt.conf.d/90-hostler", Mode: 0o644, Content: []byte(render.UnattendedUpgrades())}},
	}}}, nil
}

func enable(unit string) *wire.Exec {
	return &wire.Exec{Argv: []string{"systemctl", "enable", "--quiet", unit}, Unless: []string{"systemctl", "is-enabled", "--quiet", unit}}
}

// accounts makes the account of sites, which Hostler's key opens as well.
func accounts(s Setup) (job.Stage, error) {
	home := "/home/" + SiteUser
	sudo, err := Sudo(SiteUser)
	if err != nil {
		return job.Stage{}, err
	}
	return job.Stage{Name: "accounts", Within: settingsWithin, Change: wire.Change{Steps: append([]wire.Step{
		Account(SiteUser),
		Home(SiteUser),
		{Name: "keys directory of " + SiteUser, Dir: &wire.Dir{Path: home + "/.ssh", Mode: 0o700, Owner: SiteUser, Group: SiteUser}},
		{Name: "key of Hostler for " + SiteUser, File: &wire.File{
			Path: home + "/.ssh/authorized_keys", Mode: 0o600, Owner: SiteUser, Group: SiteUser,
			Content: []byte(s.Server.PublicKey + "\n"), Once: true,
		}},
	}, sudo...)}}, nil
}

// WebGroup is nginx's group. Through it nginx passes into homes, so no account of a site is in it.
const WebGroup = "www-data"

// Account makes an account of sites.
func Account(user string) wire.Step {
	return wire.Step{Name: "account " + user, User: &wire.User{Name: user, Home: "/home/" + user, Shell: "/bin/bash", Without: []string{WebGroup}}}
}

// Home closes the home of an account of sites: the account itself and nginx pass through it, and no other account. What is in it may be readable
// for all, as nginx needs it.
func Home(user string) wire.Step {
	return wire.Step{Name: "home of " + user, Dir: &wire.Dir{Path: "/home/" + user, Mode: 0o710, Owner: user, Group: WebGroup, Data: true}}
}

// sshd lets in keys only; kept when a new login works.
func sshd(s Setup) (job.Stage, error) {
	in := render.SSHInput{}
	if s.Server.SSHPort != 22 {
		port, err := value.NewPort(int(s.Server.SSHPort))
		if err != nil {
			return job.Stage{}, fmt.Errorf("SSH port: %w", err)
		}
		in.Port = port
	}
	if punishes(s.Facts) && s.Server.ControlAddresses != "" {
		exempt, err := value.ParseIPSet(s.Server.ControlAddresses)
		if err != nil {
			return job.Stage{}, fmt.Errorf("addresses of Hostler: %w", err)
		}
		in.Exempt = exempt
	}
	return job.Stage{Name: "SSH", Within: settingsWithin, Confirm: host.ConfirmLogin, Change: wire.Change{ConfirmWithin: confirmSSHLogin, Steps: []wire.Step{
		{Name: "sshd takes keys only", File: &wire.File{Path: "/etc/ssh/sshd_config.d/00-hostler.conf", Mode: 0o644, Content: []byte(render.SSHDropin(in))}},
		{Name: "check sshd", Validate: &wire.Exec{Argv: []string{"sshd", "-t"}}},
		ReloadSSHD(),
	}}}, nil
}

// ReloadSSHD has an sshd that runs read its settings, and listen again: where systemd starts one for each connection, there is none to reload.
func ReloadSSHD() wire.Step {
	return wire.Step{Name: "reload sshd", Action: &wire.Action{Argv: []string{"systemctl", "try-reload-or-restart", "ssh.service"}, Listener: "ssh.service"}}
}

// punishes reports whether sshd counts offences of addresses (OpenSSH 9.8): Debian 13, Ubuntu after 24.04.
func punishes(f wire.Facts) bool {
	return f.OS == "debian" && f.OSVersion >= "13" || f.OS == "ubuntu" && f.OSVersion > "24.10"
}

// swapUnit makes a swap file once and uses it; a container can't, and is passed over by its condition.
const swapUnit = `# Written by Hostler; changes are overwritten.
[Unit]
Description=Hostler: swap file
ConditionVirtualization=!container

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStartPre=-/usr/bin/fallocate --length 1G /swapfile
ExecStartPre=-/usr/bin/chmod 600 /swapfile
ExecStartPre=-/usr/sbin/mkswap --quiet /swapfile
ExecStart=-/usr/sbin/swapon /swapfile

[Install]
WantedBy=multi-user.target
`

// clock returns the time zone, and swap where the kernel is the server's own.
func clock(s Setup) (job.Stage, error) {
	zone, err := value.ParseTimezone(s.Server.Timezone)
	if err != nil {
		return job.Stage{}, err
	}
	return job.Stage{Name: "time zone and swap", Within: settingsWithin, Change: wire.Change{Steps: []wire.Step{
		{Name: "time zone data", Packages: &wire.Packages{Names: []string{"tzdata"}}},
		{Name: "time zone", Link: &wire.Link{Path: "/etc/localtime", Target: "/usr/share/zoneinfo/" + zone.String()}},
		{Name: "swap", File: &wire.File{Path: "/etc/systemd/system/hostler-swap.service", Mode: 0o644, Content: []byte(swapUnit)}},
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		{Name: "use swap", Exec: &wire.Exec{
			Argv:   []string{"systemctl", "enable", "--now", "--quiet", "hostler-swap.service"},
			Unless: []string{"systemctl", "is-enabled", "--quiet", "hostler-swap.service"},
		}},
	}}}, nil
}

// firewall closes everything but what the rules open; kept when a new connection gets through.
func firewall(s Setup) (job.Stage, error) {
	change := s.Rules
	change.Steps = append([]wire.Step{
		{Name: "firewall at boot", File: &wire.File{Path: "/etc/systemd/system/hostler-firewall.service", Mode: 0o644, Content: []byte(render.FirewallUnit())}},
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		{Name: "enable the firewall at boot", Exec: enable("hostler-firewall.service")},
	}, change.Steps...)
	return job.Stage{Name: "firewall", Within: settingsWithin, Confirm: host.ConfirmReachable, Change: change}, nil
}

// runtime returns what the type of a server is made of.
func runtime(s Setup) (job.Stage, error) {
	var names []string
	if HasNginx(s.Server.Type) {
		names = append(names, "nginx")
	}
	if HasPHP(s.Server.Type) {
		prefix := "php"
		if asked := s.Server.PHPVersion; asked != nil {
			v, err := value.ParsePHPVersion(*asked)
			if err != nil {
				return job.Stage{}, err
			}
			prefix = "php" + v.Dotted()
		}
		names = append(names, PHPPackages(prefix)...)
	}
	if HasCache(s.Server.Type) {
		redis, _ := RedisOf(s.Facts)
		names = append(names, redis.Package, memcachedPackage)
	}
	if s.Server.Type == TypeApp || s.Server.Type == TypeWeb {
		names = append(names, "nodejs") // npm of Debian drags in five hundred packages; it comes with the first site that needs it
	}
	if len(names) == 0 {
		return job.Stage{}, nil
	}
	install := []wire.Step{{Name: "install packages", Packages: &wire.Packages{Update: true, Names: names}}}
	if HasNginx(s.Server.Type) {
		const dir = "/etc/systemd/system/nginx.service.d"
		install = slices.Concat([]wire.Step{
			{Name: "settings of nginx's unit", Dir: &wire.Dir{Path: dir, Mode: 0o755}},
			{Name: "files that nginx may open", File: &wire.File{Path: dir + "/50-hostler.conf", Mode: 0o644, Content: []byte(nginxLimits)}},
		}, install, []wire.Step{
			{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
			{Name: "restart nginx before there is any site", Action: &wire.Action{Argv: []string{"systemctl", "try-restart", "nginx.service"}}},
		})
	}
	return job.Stage{Name: "packages of the type " + s.Server.Type, Detach: true, Within: packagesWithin, Change: wire.Change{Steps: install}}, nil
}

// DistributedPHP are the versions that supported systems have: a server gets that of its own, unless another is asked for.
var DistributedPHP = []string{"php81", "php82", "php83", "php84", "php85"}

// PHPPackages are the packages of a version ("php8.4"), or of the system's ("php"), that sites need.
func PHPPackages(prefix string) []string {
	var names []string
	for _, part := range []string{"fpm", "cli", "curl", "gd", "intl", "mbstring", "mysql", "pgsql", "sqlite3", "xml", "zip", "bcmath"} {
		names = append(names, prefix+"-"+part)
	}
	return names
}

// nginxLimits let nginx open the logs of many sites: each has two, and by default a unit can open only 1024 files.
const nginxLimits = `# Written by Hostler; changes are overwritten.
[Service]
LimitNOFILE=65536
`

// NginxLog is where nginx says why it does not take its settings.
const NginxLog = "/var/log/nginx/error.log"

// php lets requests finish when PHP-FPM reloads its settings, even before there is any site: otherwise FPM kills running requests.
func php(s Setup) (job.Stage, error) {
	installed := installedPHP(s.Facts, "fpm", s.Server.PHPVersion)
	if !HasPHP(s.Server.Type) || installed == nil { // planned again when it is installed
		return job.Stage{}, nil
	}
	v, err := value.ParsePHPVersion(*installed)
	if err != nil {
		return job.Stage{}, err
	}
	unit := "php" + v.Dotted() + "-fpm.service"
	return job.Stage{Name: "PHP", Within: settingsWithin, Change: wire.Change{Steps: []wire.Step{
		{Name: "PHP settings", File: &wire.File{Path: "/etc/php/" + v.Dotted() + "/fpm/pool.d/00-hostler.conf", Mode: 0o644, Content: []byte(render.PHPGlobal())}},
		{Name: "check PHP", Validate: &wire.Exec{Argv: []string{"php-fpm" + v.Dotted(), "-t"}}},
		{Name: "reload PHP", Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", unit}, Workers: unit}},
		{Name: "PHP runs", Probe: &wire.Probe{Unit: unit}},
	}}}, nil
}

// web returns nginx before any site: unknown hosts get no answer.
func web(s Setup) (job.Stage, error) {
	if !HasNginx(s.Server.Type) || s.Facts.Packages["nginx"] == "" { // planned again when it is installed
		return job.Stage{}, nil
	}
	version, err := NginxVersion(s.Facts)
	if err != nil {
		return job.Stage{}, err
	}
	steps := []wire.Step{
		{Name: "nginx settings", File: &wire.File{Path: render.NginxHTTPPath, Mode: 0o644, Content: []byte(render.NginxHTTP(version))}},
		{Name: "default site", Link: &wire.Link{Path: "/etc/nginx/sites-enabled/default", Absent: true}},
		{Name: "answer no unknown hosts", File: &wire.File{
			Path: "/etc/nginx/conf.d/90-hostler-catch-all.conf", Mode: 0o644,
			Content: []byte(render.NginxCatchAll(render.CatchAllInput{Version: version})),
		}},
		{Name: "site settings", Dir: &wire.Dir{Path: "/etc/nginx/hostler-conf", Mode: 0o710, Group: WebGroup}},
		{Name: "settings of nginx are its own", Dir: &wire.Dir{Path: "/etc/nginx/conf.d", Mode: 0o750}},
		{Name: "challenges of certificates", Dir: &wire.Dir{Path: render.ACMEDirectory, Mode: 0o755}},
		NginxLogs(),
		{Name: "check nginx", Validate: NginxCheck()},
		{Name: "reload nginx", Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", "nginx.service"}, Workers: "nginx.service", Log: NginxLog}},
		{Name: "nginx runs", Probe: &wire.Probe{Unit: "nginx.service"}},
		{Name: "nginx listens", Probe: &wire.Probe{TCP: "127.0.0.1:80"}},
	}
	return job.Stage{Name: "web server", Within: settingsWithin, Change: wire.Change{Steps: steps}}, nil
}

// NginxLogs closes the directory of nginx's logs, which nginx makes world-readable: accounts of other sites must not read what
// visitors of a site request. nginx's workers reopen their logs as www-data, and need to pass through the directory.
func NginxLogs() wire.Step {
	return wire.Step{Name: "logs of nginx", Dir: &wire.Dir{Path: "/var/log/nginx", Mode: 0o750, Group: "www-data"}}
}

// NginxCheck returns the check of nginx's configuration: a name that two sites claim is only a warning there, and a failure here.
func NginxCheck() *wire.Exec {
	return &wire.Exec{Argv: []string{"nginx", "-t"}, Refuse: []string{"conflicting server name", "ignored"}}
}

// NginxVersion returns the installed version of nginx.
func NginxVersion(f wire.Facts) (render.NginxVersion, error) {
	v, err := render.ParseNginxVersion(f.Packages["nginx"])
	if err != nil {
		return v, fmt.Errorf("nginx is not installed on this server: %w", err)
	}
	return v, nil
}

// installedPHP returns a version of PHP-FPM (or the CLI) among installed packages: the chosen one, else the newest.
func installedPHP(f wire.Facts, part string, chosen *string) *string {
	all := versionsOf(f, part)
	for _, v := range all {
		if chosen != nil && v.String() == *chosen {
			return chosen
		}
	}
	if len(all) == 0 {
		return nil
	}
	return new(all[0].String())
}

// versionsOf are the versions of PHP whose part is among installed packages, the newest first.
func versionsOf(f wire.Facts, part string) []value.PHPVersion {
	var out []value.PHPVersion
	for name := range f.Packages {
		dotted, ok := strings.CutPrefix(strings.TrimSuffix(name, "-"+part), "php")
		if !ok || !strings.HasSuffix(name, "-"+part) {
			continue
		}
		if v, err := value.ParsePHPVersion(dotted); err == nil {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b value.PHPVersion) int { return b.Compare(a) })
	return out
}

// VersionsOf are the versions of PHP-FPM among the facts of a server, the newest first.
func VersionsOf(f wire.Facts) []value.PHPVersion { return versionsOf(f, "fpm") }

// PHPVersions are the versions of PHP-FPM that were found on a server, the newest first.
func PHPVersions(row query.Server) []value.PHPVersion { return VersionsOf(FactsOf(row)) }

// RunsPHP reports whether a server has a version of PHP-FPM.
func RunsPHP(row query.Server, v value.PHPVersion) bool { return slices.Contains(PHPVersions(row), v) }

// removal takes Hostler off a server again: its access, and what works for it. Sites and their data stay, and so does the agent's program, which starts
// their scheduled jobs.
func removal(row query.Server) []job.Stage {
	if row.HostKeys == "" { // never reached: there is nothing to remove
		return nil
	}
	steps := append([]wire.Step{
		{Name: "recovery at boot", Exec: &wire.Exec{
			Argv:   []string{"systemctl", "disable", "--quiet", "hostler-recover-early.service", "hostler-recover.service"},
			Unless: []string{"test", "!", "-e", "/etc/systemd/system/hostler-recover.service"},
		}},
		unmonitored(),
	}, dropKeys(row.ID, nil)...)
	return []job.Stage{{Name: "remove Hostler", Within: settingsWithin, Change: wire.Change{Steps: steps}}}
}

// departure takes away what lets Hostler in, and nothing else: scheduled jobs and processes of a server that runs on are started by the agent's program,
// which is no daemon and opens no port.
func departure(row query.Server) []job.Stage {
	if row.HostKeys == "" {
		return nil
	}
	// By the keys, and not by their comment: a run that reaches the server late must not remove the key that it was reconnected with.
	var ours wire.Lines
	for _, public := range []string{row.PublicKey, row.NextPublicKey} {
		if public != "" {
			ours.Without = append(ours.Without, strings.Fields(public)[1])
		}
	}
	return []job.Stage{{Name: "remove Hostler's keys", Within: settingsWithin, Change: wire.Change{Steps: append([]wire.Step{unmonitored()},
		editKeys("our keys", ours)...)}}}
}

// unmonitored ends what the server measures of itself: nothing would read it.
func unmonitored() wire.Step {
	const timer = "/etc/systemd/system/timers.target.wants/hostler-monitor.timer"
	return wire.Step{Name: "stop monitors", Exec: &wire.Exec{
		Argv:   []string{"systemctl", "disable", "--now", "--quiet", "hostler-monitor.timer"},
		Unless: []string{"test", "!", "-e", timer},
	}}
}
