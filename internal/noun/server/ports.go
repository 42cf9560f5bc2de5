package server

import (
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The ports of Redis and Memcached, and the accounts that their packages run them as.
const (
	RedisPort        = 6379
	MemcachedPort    = 11211
	memcachedPackage = "memcached"
	memcachedUser    = "memcache"
)

// Redis is a program that speaks Redis's protocol, as distributions package it. All of them listen at RedisPort.
type Redis struct {
	// Name is what people call it.
	Name string
	// Package is Debian's, Unit the one of systemd that it comes with, and User the account that it runs as there.
	Package, Unit, User string
	// Program is the path of the server itself.
	Program string
}

// redises are the programs in the order in which they are chosen: the one that is installed, else the one that can be.
var redises = [...]Redis{ //nolint:gochecknoglobals // a constant list
	{Name: "Redis", Package: "redis-server", Unit: "redis-server.service", User: "redis", Program: "/usr/bin/redis-server"},
	{Name: "Valkey", Package: "valkey-server", Unit: "valkey-server.service", User: "valkey", Program: "/usr/bin/valkey-server"},
}

// RedisOf returns the program of a server, and whether it is installed. It is Redis on a server that has both, or of which nothing
// is known.
func RedisOf(f wire.Facts) (r Redis, installed bool) {
	for _, has := range []map[string]string{f.Packages, f.Available} {
		for _, r := range redises {
			if has[r.Package] != "" {
				return r, f.Packages[r.Package] != ""
			}
		}
	}
	return redises[0], false
}

// HasMemcached reports whether a server has the package.
func HasMemcached(f wire.Facts) bool { return f.Packages[memcachedPackage] != "" }

// PortsStage makes a server have the table of local ports, now and at boot, before there are changes that fill it.
func PortsStage() job.Stage {
	// A table that does not load leaves the one from before in the kernel, so there is nothing to undo.
	load := wire.Action{Argv: []string{"nft", "-f", render.PortsAllPath}, Undo: []string{"true"}, Below: "/etc/hostler"}
	return job.Stage{Name: "local ports", Within: settingsWithin, Change: wire.Change{Steps: []wire.Step{
		{Name: "directory for settings", Dir: &wire.Dir{Path: "/etc/hostler", Mode: 0o755}},
		{Name: "local ports", Dir: &wire.Dir{Path: render.PortsDirectory, Mode: 0o700}},
		{Name: "table of local ports", File: &wire.File{Path: render.PortsPath, Mode: 0o600, Content: []byte(render.Ports())}},
		{Name: "all local ports", File: &wire.File{Path: render.PortsAllPath, Mode: 0o600, Content: []byte(render.PortsAll())}},
		{Name: "check local ports", Validate: &wire.Exec{Argv: []string{"nft", "-c", "-f", render.PortsAllPath}}},
		{Name: "load local ports", Action: &load},
		{Name: "local ports at boot", File: &wire.File{Path: "/etc/systemd/system/hostler-ports.service", Mode: 0o644, Content: []byte(render.PortsUnit())}},
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		{Name: "enable local ports at boot", Exec: enable("hostler-ports.service")},
		{Name: "local ports are kept", Exec: &wire.Exec{
			Argv:   []string{"systemctl", "start", "hostler-ports.service"},
			Unless: []string{"systemctl", "is-active", "--quiet", "hostler-ports.service"},
		}},
	}}}
}

// LoadPorts returns the steps that make the files of local ports take effect, in one transaction, after PortsStage.
func LoadPorts() []wire.Step {
	load := []string{"nft", "-f", render.PortsAllPath}
	return []wire.Step{
		{Name: "check local ports", Validate: &wire.Exec{Argv: []string{"nft", "-c", "-f", render.PortsAllPath}}},
		{Name: "load local ports", Action: &wire.Action{Argv: load, Undo: load, Below: "/etc/hostler"}},
	}
}

// PortsFile returns a file of local ports. name is that of what they belong to.
func PortsFile(name string, ports []render.LocalPort) (wire.Step, error) {
	text, err := render.LocalPorts(ports)
	return wire.Step{Name: "local ports of " + name, File: &wire.File{Path: PortsFilePath(name), Mode: 0o600, Content: []byte(text)}}, err
}

// PortsFilePath returns where PortsFile writes.
func PortsFilePath(name string) string { return render.PortsDirectory + "/" + name + ".nft" }

// CachePorts returns Redis, or Valkey, and Memcached of the distribution to the account of sites. Accounts of isolated sites have
// their own.
func CachePorts(f wire.Facts, row query.Server) ([]wire.Step, error) {
	var ports []render.LocalPort
	redis, installed := RedisOf(f)
	for _, c := range []struct {
		is   bool
		port int
		user string
	}{{installed, RedisPort, redis.User}, {HasMemcached(f), MemcachedPort, memcachedUser}} {
		if !HasCache(row.Type) || !c.is { // planned again when it is installed
			continue
		}
		p, err := LocalPort(c.port, c.user, SiteUser)
		if err != nil {
			return nil, err
		}
		ports = append(ports, p)
	}
	if len(ports) == 0 {
		return nil, nil
	}
	file, err := PortsFile("caches", ports)
	return []wire.Step{file}, err
}

// ports returns the table of local ports, on servers that will have some.
func ports(s Setup) (job.Stage, error) {
	if !HasNginx(s.Server.Type) && !HasCache(s.Server.Type) || s.Server.Type == TypeLoadBalancer {
		return job.Stage{}, nil
	}
	return PortsStage(), nil
}

// caches returns Redis and Memcached on a server that is set up.
func caches(s Setup) (job.Stage, error) {
	ports, err := CachePorts(s.Facts, s.Server)
	if err != nil || len(ports) == 0 {
		return job.Stage{}, err
	}
	return job.Stage{Name: "caches", Within: settingsWithin, Change: wire.Change{Steps: append(ports, LoadPorts()...)}}, nil
}

// LocalPort returns a port that one account listens on and others may connect to.
func LocalPort(port int, listener string, callers ...string) (render.LocalPort, error) {
	number, err := value.NewPort(port)
	if err != nil {
		return render.LocalPort{}, err
	}
	out := render.LocalPort{Port: number}
	if out.Listener, err = value.ParseUnixUser(listener); err != nil {
		return out, fmt.Errorf("account of port %d: %w", port, err)
	}
	for _, name := range callers {
		user, err := value.ParseUnixUser(name)
		if err != nil {
			return out, fmt.Errorf("account of port %d: %w", port, err)
		}
		out.Callers = append(out.Callers, user)
	}
	return out, nil
}
