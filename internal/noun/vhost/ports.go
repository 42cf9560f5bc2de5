package vhost

import (
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// webUser is the account of nginx's workers, which ask the programs of sites.
const webUser = "www-data"

// locate adds to sites what their accounts have of the server for themselves. stay are all that the host should have.
func locate(v ledger.View, stay []ledger.Resource[site.Specification], sites []Desired) error {
	facts, _ := v.Facts.(Facts)
	for i := range sites {
		d := &sites[i]
		if !d.Site.Isolated {
			continue
		}
		d.Alone = !slices.ContainsFunc(stay, func(other ledger.Resource[site.Specification]) bool {
			return other.ID != d.Site.ID && other.Specification.Isolated && other.Specification.User == d.Site.UnixUser
		})
		var err error
		if d.KeepHome, err = keepsHome(v.Included, d.Site.ID); err != nil {
			return err
		}
		if d.slot == nil {
			continue
		}
		d.Account = &query.UnixAccount{Name: d.Site.UnixUser, Slot: *d.slot, Made: facts.Made[d.Site.UnixUser]}
		first, last := site.CachePorts(*d.slot)
		d.Caches = !slices.ContainsFunc(facts.Claimed, func(p int64) bool { return p >= first && p <= last })
	}
	return nil
}

// keepsHome reports whether an operation that deletes a site asks to keep the home of its account.
func keepsHome(included []query.Operation, id int64) (bool, error) {
	for _, op := range included {
		if op.ResourceID != id {
			continue
		}
		r, err := site.RemovalOf(op)
		if err != nil || r.KeepHome {
			return r.KeepHome, err
		}
	}
	return false, nil
}

// Retires reports whether an account goes with the site: it is the account's last one.
func (d Desired) Retires(account string) bool {
	return d.Gone && d.Site.Isolated && d.Alone && account == d.Site.UnixUser
}

// retireWithin is how long a stage may take that removes accounts: a home can have millions of files.
const retireWithin = 30 * time.Minute

// accountsStage removes the accounts whose last sites are deleted. It is a stage of its own: nothing brings back what it deleted, so the sites must not
// come back because an account could not be removed.
func accountsStage(sites []Desired) []job.Stage {
	var steps []wire.Step
	seen := map[string]bool{}
	for _, d := range sites {
		if user := d.Site.UnixUser; d.Retires(user) && !seen[user] {
			seen[user] = true
			steps = append(steps, wire.Step{Name: "remove account " + user, Retire: &wire.Retire{Name: user, KeepHome: d.KeepHome}})
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return []job.Stage{{Name: "accounts", Change: wire.Change{Steps: steps}, Within: retireWithin}}
}

// ownAccount has the agent refuse an account that was there before, as long as Hostler has not made it.
func (d Desired) ownAccount(steps []wire.Step) {
	for _, s := range steps {
		if s.User != nil && d.Site.Isolated && s.User.Name == d.Site.UnixUser && (d.Account == nil || !d.Account.Made) {
			s.User.Own, s.User.Fresh = true, d.New && d.Alone
		}
	}
}

// portsStage prepares the server for changes of local ports; nothing if none of the sites has any.
func portsStage(sites []Desired) []job.Stage {
	if !slices.ContainsFunc(sites, func(d Desired) bool {
		return !d.Gone && (site.HasProgram(d.Site) || len(d.Ports) > 0 || d.Account != nil)
	}) {
		return nil
	}
	return []job.Stage{server.PortsStage()}
}

// localPorts returns the steps that assign ports of the server to the accounts of sites: first those that run before anything
// listens or connects there, then, once nothing does any more, those that remove them.
func localPorts(facts wire.Facts, srv query.Server, sites []Desired) (steps, late []wire.Step, err error) {
	var files, units, gone []wire.Step
	for _, d := range sites {
		name := fmt.Sprintf("site-%d", d.Site.ID)
		ports, err := d.programPorts()
		if err != nil {
			return nil, nil, fmt.Errorf("site %s: %w", d.Site.Name, err)
		}
		switch {
		case len(ports) > 0 && !d.Gone:
			file, err := server.PortsFile(name, ports)
			if err != nil {
				return nil, nil, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			files = append(files, file)
		case site.HasProgram(d.Site) || sitetype.HasPHP(d.Site.Type): // an integration may have been switched off
			gone = append(gone, Absent("local ports of "+d.Site.Name, server.PortsFilePath(name)))
		}
		caches, err := d.caches(facts)
		if err != nil {
			return nil, nil, fmt.Errorf("site %s: %w", d.Site.Name, err)
		}
		switch {
		case len(caches) > 0 && !d.Gone:
			file, err := server.PortsFile("account-"+d.Site.UnixUser, portsOf(caches))
			if err != nil {
				return nil, nil, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			files = append(files, file)
			units = append(units, startCaches(d, caches)...)
		case d.Gone && d.Alone:
			gone = append(gone, stopCaches(d, caches)...)
		}
	}
	if len(files) > 0 {
		shared, err := server.CachePorts(facts, srv)
		if err != nil {
			return nil, nil, err
		}
		steps = slices.Concat(shared, files, server.LoadPorts(), units)
	}
	if len(gone) > 0 {
		load := server.LoadPorts()
		late = append(gone, load[len(load)-1])
	}
	return steps, late, nil
}

// programPorts returns those that programs of a site listen on and nginx asks.
func (d Desired) programPorts() ([]render.LocalPort, error) {
	numbers := slices.Clone(d.Ports)
	if site.HasProgram(d.Site) {
		numbers = append(numbers, *d.Site.Port, *d.Site.SparePort)
	}
	out := make([]render.LocalPort, len(numbers))
	for i, n := range numbers {
		var err error
		if out[i], err = server.LocalPort(int(n), d.Site.UnixUser, webUser); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cache is one of an account's own, in the place of the one on the port that clients ask by default.
type cache struct {
	title, unit, text string
	port              render.LocalPort
}

func portsOf(caches []cache) []render.LocalPort {
	out := make([]render.LocalPort, len(caches))
	for i, c := range caches {
		out[i] = c.port
	}
	return out
}

// caches returns those that the account of a site has on this server; of the default account none, the server's own are its.
func (d Desired) caches(facts wire.Facts) ([]cache, error) {
	if d.Account == nil || !d.Caches {
		return nil, nil
	}
	user, err := value.ParseUnixUser(d.Site.UnixUser)
	if err != nil {
		return nil, err
	}
	first, _ := site.CachePorts(d.Account.Slot)
	redis, hasRedis := server.RedisOf(facts)
	var out []cache
	for i, kind := range []struct {
		title    string
		is       bool
		instead  int
		unitName func(value.UnixUser) string
		unit     func(render.CacheInput) (string, error)
	}{
		{redis.Name, hasRedis, server.RedisPort, render.RedisUnitName, render.RedisUnit},
		{"Memcached", server.HasMemcached(facts), server.MemcachedPort, render.MemcachedUnitName, render.MemcachedUnit},
	} {
		if !kind.is {
			continue
		}
		c := cache{title: kind.title, unit: kind.unitName(user)}
		if c.port, err = server.LocalPort(int(first)+i, d.Site.UnixUser); err != nil {
			return nil, err
		}
		if c.port.Instead, err = value.NewPort(kind.instead); err != nil {
			return nil, err
		}
		if c.text, err = kind.unit(render.CacheInput{User: user, Port: c.port.Port, Name: redis.Name, Program: redis.Program}); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

const units = "/etc/systemd/system/"

// startCaches does not wait for them: a neighbour that occupies a port gets no request there, and can't delay the site.
func startCaches(d Desired, caches []cache) []wire.Step {
	var steps []wire.Step
	for _, c := range caches {
		steps = append(steps, wire.Step{Name: c.title + " of " + d.Site.UnixUser, File: &wire.File{Path: units + c.unit, Mode: 0o644, Content: []byte(c.text)}})
	}
	steps = append(steps, wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}, Below: units}})
	for _, c := range caches {
		steps = append(steps, wire.Step{
			Name: "start " + c.title + " of " + d.Site.UnixUser,
			Exec: &wire.Exec{
				Argv:   []string{"systemctl", "enable", "--now", "--no-block", "--quiet", "--", c.unit},
				Unless: []string{"systemctl", "is-active", "--quiet", "--", c.unit},
			},
		})
	}
	return steps
}

// stopCaches leaves the data where it is, like the files of a deleted site.
func stopCaches(d Desired, caches []cache) []wire.Step {
	var steps []wire.Step
	for _, c := range caches {
		steps = append(steps,
			wire.Step{
				Name: "stop " + c.title + " of " + d.Site.UnixUser,
				Exec: &wire.Exec{Argv: []string{"systemctl", "disable", "--now", "--quiet", "--", c.unit}, Unless: []string{"test", "!", "-e", units + c.unit}},
			},
			Absent(c.title+" of "+d.Site.UnixUser, units+c.unit))
	}
	steps = append(steps, wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}, Below: units}})
	return append(steps, Absent("local ports of "+d.Site.UnixUser, server.PortsFilePath("account-"+d.Site.UnixUser)))
}
