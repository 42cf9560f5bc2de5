package server

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// system is what depends on a release of a distribution: its code name, and the engines in its own packages.
type system struct{ codename, mariadb, postgres string }

var systems = map[string]system{
	"debian 12":    {"bookworm", "10.11", "15"},
	"debian 13":    {"trixie", "11.8", "17"},
	"ubuntu 22.04": {"jammy", "10.6", "14"},
	"ubuntu 24.04": {"noble", "10.11", "16"},
	"ubuntu 26.04": {"resolute", "11.8", "18"},
}

// mysqlServers are the packages of a MySQL server: the vendor's, a distribution's, Percona's. An installed one is kept: the vendor's would
// replace it and upgrade its data.
var mysqlServers = []string{"mysql-community-server", "mysql-server", "percona-server-server"}

// mysqlOf returns the package of the MySQL server that a host has, and its version.
func mysqlOf(f wire.Facts) (name, version string) {
	for _, name := range mysqlServers {
		if version := f.Packages[name]; version != "" {
			return name, version
		}
	}
	return "", ""
}

// vendor is a repository of packages with the fingerprint of the key that signs it, as its keeper publishes it.
type vendor struct{ name, key, fingerprint, uri, suite, component string }

// engineOf reads a database_type: the engine and its version as the vendor writes it, "" for the one that the system has.
func engineOf(kind string) (engine, version string, err error) {
	switch known := map[string]string{"mariadb1011": "10.11", "mariadb114": "11.4", "mysql84": "8.4", "mysql9": "9"}; {
	case kind == "mariadb":
		return "mariadb", "", nil
	case known[kind] != "":
		return strings.TrimRight(kind, "0123456789"), known[kind], nil
	case strings.HasPrefix(kind, "mariadb") && len(kind) > len("mariadb")+2: // as it was found: mariadb118
		digits := strings.TrimPrefix(kind, "mariadb")
		return "mariadb", digits[:2] + "." + digits[2:], nil
	case strings.HasPrefix(kind, "mysql") && len(kind) == len("mysql")+2: // mysql80
		digits := strings.TrimPrefix(kind, "mysql")
		return "mysql", digits[:1] + "." + digits[1:], nil
	case strings.HasPrefix(kind, "postgres"):
		return "postgres", strings.TrimPrefix(kind, "postgres"), nil
	}
	return "", "", fmt.Errorf("%s is not a database engine that can be installed", kind)
}

// enginePackages returns the packages of a database_type on a system, and the vendor's repository where the system has another version.
func enginePackages(kind string, f wire.Facts) ([]string, *vendor, error) {
	engine, version, err := engineOf(kind)
	if err != nil {
		return nil, nil, err
	}
	s := systems[f.OS+" "+f.OSVersion]
	switch engine {
	case "mariadb":
		if version == "" || version == s.mariadb {
			return []string{"mariadb-server"}, nil, nil
		}
		return []string{"mariadb-server"}, &vendor{
			"mariadb", "https://mariadb.org/mariadb_release_signing_key.pgp", "177F4010FE56CA3336300305F1656F24C74CD1D8",
			"https://deb.mariadb.org/" + version + "/" + f.OS, s.codename, "main",
		}, nil
	case "postgres":
		names := []string{"postgresql-" + version}
		if version == s.postgres {
			return names, nil, nil
		}
		return names, &vendor{
			"postgresql", "https://www.postgresql.org/media/keys/ACCC4CF8.asc", "B97B0AFCAA1A47F044F244A07FCC7D46ACCC4CF8",
			"https://apt.postgresql.org/pub/repos/apt", s.codename + "-pgdg", "main",
		}, nil
	default:
		if name, _ := mysqlOf(f); name != "" {
			return []string{name}, nil, nil
		}
		component := "mysql-8.4-lts"
		if version == "9" {
			component = "mysql-innovation"
		}
		return []string{"mysql-community-server"}, &vendor{
			"mysql", "https://repo.mysql.com/RPM-GPG-KEY-mysql-2025", "BCA43417C3B485DD128EC6D4B7B3B788A8D3785C",
			"https://repo.mysql.com/apt/" + f.OS, s.codename, component,
		}, nil
	}
}

// source adds a vendor's repository. Of the downloaded keys only the one with the known fingerprint is used: with another, the
// file stays empty and apt refuses the repository.
func source(v vendor, arch string) []wire.Step {
	at := "/etc/apt/keyrings/hostler-" + v.name
	done := []string{"test", "-s", at + ".gpg"}
	gpg := func(args ...string) []string {
		return append([]string{"gpg", "--batch", "--yes", "--no-options", "--no-default-keyring", "--keyring", at + ".kbx"}, args...)
	}
	return []wire.Step{
		{Name: "keys of repositories", Dir: &wire.Dir{Path: "/etc/apt/keyrings", Mode: 0o755}},
		{Name: "download the key of " + v.name, Exec: &wire.Exec{
			Unless: done,
			Argv:   []string{"curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https", "--retry", "3", "--output", at + ".asc", v.key},
		}},
		{Name: "read the key of " + v.name, Exec: &wire.Exec{Unless: done, Argv: gpg("--import", at+".asc")}},
		{Name: "take the key " + v.fingerprint, Exec: &wire.Exec{
			Unless: done, Refuse: []string{"nothing exported"},
			Argv: gpg("--output", at+".new", "--export", v.fingerprint),
		}},
		{Name: "let apt read the key of " + v.name, Exec: &wire.Exec{Unless: done, Argv: []string{"chmod", "0644", at + ".new"}}},
		{Name: "key of " + v.name, Exec: &wire.Exec{Unless: done, Argv: []string{"mv", at + ".new", at + ".gpg"}}},
		{Name: "repository of " + v.name, File: &wire.File{
			Path: "/etc/apt/sources.list.d/hostler-" + v.name + ".sources", Mode: 0o644,
			Content: []byte(render.Source(render.SourceInput{URI: v.uri, Suite: v.suite, Component: v.component, Arch: arch, Keyring: at + ".gpg"})),
		}},
	}
}

// engine installs the database engine of a server, and closes it to all but passwords and the local socket.
func engine(s Setup) (job.Stage, error) {
	kind := s.Server.DatabaseType
	if kind == nil || !HasDatabase(s.Server.Type) {
		return job.Stage{}, nil
	}
	names, from, err := enginePackages(*kind, s.Facts)
	if err != nil {
		return job.Stage{}, err
	}
	var steps []wire.Step
	if from != nil {
		steps = source(*from, s.Facts.Arch)
	}
	steps = append(steps, wire.Step{Name: "install packages", Packages: &wire.Packages{Update: true, Names: names}})
	return job.Stage{Name: "database engine", Detach: true, Within: packagesWithin, Change: wire.Change{Steps: steps}}, nil
}

const engineStarts = time.Minute

// engineSettings returns how the engine is set up before any database.
func engineSettings(s Setup) (job.Stage, error) {
	kind := s.Server.DatabaseType
	if kind == nil || !HasDatabase(s.Server.Type) || s.Server.DBStatus != nil && *s.Server.DBStatus == "stopped" { // it is not started for them
		return job.Stage{}, nil
	}
	engine, version, err := engineOf(*kind)
	if err != nil {
		return job.Stage{}, err
	}
	var steps []wire.Step
	switch engine {
	case "postgres":
		if steps, err = postgresSettings(version); err != nil {
			return job.Stage{}, err
		}
	case "mariadb":
		steps = mysqlSettings("mariadb", "ALTER USER 'root'@'localhost' IDENTIFIED VIA unix_socket")
	default:
		steps = mysqlSettings("mysql", "ALTER USER 'root'@'localhost' IDENTIFIED WITH auth_socket")
	}
	return job.Stage{Name: "database settings", Disrupts: true, Within: settingsWithin, Change: wire.Change{Steps: steps}}, nil
}

// MySQLSettings writes the settings of MariaDB or MySQL, whose client has the name of the engine. The engine reads them when it starts, after those of the
// distribution: MariaDB's are 50-server.cnf, and MySQL's mysqld.cnf.
func MySQLSettings(client string) wire.Step {
	name := map[bool]string{false: "90-hostler.cnf", true: "zz-hostler.cnf"}[client == "mysql"]
	return wire.Step{Name: "settings of " + client, File: &wire.File{
		Path: "/etc/mysql/" + client + ".conf.d/" + name, Mode: 0o644,
		Content: []byte(render.MySQLSettings(render.MySQLInput{MySQL: client == "mysql"})),
	}}
}

// mysqlSettings authenticates the administrator by account on the machine, and disallows anonymous access.
func mysqlSettings(client, root string) []wire.Step {
	unit := client + ".service"
	return []wire.Step{
		MySQLSettings(client),
		{Name: "restart " + client, Action: &wire.Action{Argv: []string{"systemctl", "restart", unit}}},
		{Name: client + " runs", Probe: &wire.Probe{Unit: unit, Within: engineStarts}},
		{Name: client + " takes connections", Probe: &wire.Probe{TCP: "127.0.0.1:3306", Within: engineStarts}},
		{Name: "administrator of " + client, Action: &wire.Action{Argv: []string{
			client, "--no-defaults", "--protocol=socket", "--user=root", "--batch",
			"--execute=" + root + "; DROP USER IF EXISTS ''@'localhost'",
		}, Undo: []string{"true"}}},
	}
}

func postgresSettings(version string) ([]wire.Step, error) {
	in := render.PostgreSQLInput{Version: version}
	settings, err := render.PostgreSQLSettings(in)
	if err != nil {
		return nil, err
	}
	directory, unit := render.PostgreSQLDirectory(in), "postgresql@"+version+"-main.service"
	return []wire.Step{
		{Name: "access to PostgreSQL", File: &wire.File{
			Path: directory + "/hostler_hba.conf", Mode: 0o640, Owner: "postgres", Group: "postgres",
			Content: []byte(render.PostgreSQLAccess()),
		}},
		{Name: "settings of PostgreSQL", File: &wire.File{
			Path: directory + "/conf.d/90-hostler.conf", Mode: 0o644, Owner: "postgres",
			Group: "postgres", Content: []byte(settings),
		}},
		{Name: "restart PostgreSQL", Action: &wire.Action{Argv: []string{"systemctl", "restart", unit}}},
		{Name: "PostgreSQL runs", Probe: &wire.Probe{Unit: unit, Within: engineStarts}},
		{Name: "PostgreSQL takes connections", Probe: &wire.Probe{TCP: "127.0.0.1:5432", Within: engineStarts}},
		{Name: "databases of PostgreSQL itself", Action: &wire.Action{Argv: []string{
			"runuser", "--user", "postgres", "--", "psql", "--no-psqlrc", "--quiet",
			"--command=REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC; REVOKE CREATE ON SCHEMA public FROM PUBLIC",
		}, Undo: []string{"true"}}},
	}, nil
}

// engineVersion is what a package's version begins with; engineOf reads the two digits of MariaDB's major versions, and the one of MySQL's.
var engineVersion = regexp.MustCompile(`^([1-9][0-9]?)\.([0-9]{1,2})\.`)

// installedEngine returns the database_type of the installed engine, for a server that was requested with one.
func installedEngine(asked *string, f wire.Facts) *string {
	if asked == nil {
		return nil
	}
	engine, _, err := engineOf(*asked)
	version := f.Packages["mariadb-server"] // 1:10.11.6-0+deb12u1
	switch {
	case err != nil || engine == "postgres": // its type names the version
		return asked
	case engine == "mysql":
		_, version = mysqlOf(f) // 8.0.45-0ubuntu0.24.04.1
	}
	if _, after, ok := strings.Cut(version, ":"); ok {
		version = after
	}
	found := engineVersion.FindStringSubmatch(version)
	switch {
	case found == nil || (engine == "mariadb") != (len(found[1]) == 2):
		return asked
	case engine == "mysql" && found[1] == "9": // all of which are one type
		return new("mysql9")
	}
	return new(engine + found[1] + found[2])
}
