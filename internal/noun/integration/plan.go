package integration

import (
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Include is what integrations need in the vhosts of their sites.
type Include struct{}

const reverbFile = "30-reverb"

// Steps hand the paths of a server of WebSockets to it.
func (Include) Steps(v ledger.View, d vhost.Desired) (steps, late []wire.Step, err error) {
	if !sitetype.HasPHP(d.Site.Type) {
		return nil, nil, nil
	}
	path, name := vhost.IncludePath(d.Site.ID, reverbFile), "WebSockets of "+d.Site.Name
	s, ok, err := of(v, d.Site.ID, reverb)
	if err != nil {
		return nil, nil, err
	}
	if !ok || d.Gone {
		return []wire.Step{vhost.Absent(name, path)}, nil, nil
	}
	port, err := value.ParsePort(strconv.FormatInt(s.Port, 10))
	if err != nil {
		return nil, nil, err
	}
	text, err := render.NginxReverb(port)
	if err != nil {
		return nil, nil, err
	}
	return []wire.Step{vhost.File(name, path, text)}, nil, nil
}

// of returns the integration of a kind that a site should have.
func of(v ledger.View, siteID int64, kind string) (s Specification, ok bool, err error) {
	all, err := Integrations.Of(v)
	for _, i := range all {
		if i.Specification.SiteID == siteID && i.Specification.Kind == kind {
			return i.Specification, true, nil
		}
	}
	return s, false, err
}

// OctanePort returns where the program listens that answers for a site, 0 for none.
func OctanePort(v ledger.View, siteID int64) (int64, error) {
	s, _, err := of(v, siteID, octane)
	return s.Port, err
}

// Ports returns those that programs of integrations listen on, by site. Where two sites were given one port before that was refused, it belongs to the
// first of them only.
func Ports(v ledger.View) (map[int64][]int64, error) {
	all, err := Integrations.Of(v)
	if err != nil {
		return nil, err
	}
	owner, out := map[int64]int64{}, map[int64][]int64{}
	for _, i := range all {
		s := i.Specification
		if s.Port == 0 || site.ReservedPort(s.Port) {
			continue
		}
		if owner[s.Port] == 0 {
			owner[s.Port] = s.SiteID
		}
		if owner[s.Port] == s.SiteID {
			out[s.SiteID] = append(out[s.SiteID], s.Port)
		}
	}
	return out, nil
}
