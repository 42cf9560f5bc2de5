package vhost

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/nginxconf"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// The rules for a user's configuration of a domain.
const (
	// NginxJudged is held to what one site may say, each time it is written to the host.
	NginxJudged = "judged"
	// NginxRoot was written by who may act as root on the server, and is written as it is.
	NginxRoot = "root"
	// NginxKept is from before configurations were judged. It is written as it is, and can only be replaced by one that is judged.
	NginxKept = "kept"
)

// bounds returns what the configuration of a domain may name. ours are the texts that Hostler renders for it.
func bounds(srv query.Server, d Desired, in render.VhostInput, v Vhost, ours ...string) (nginxconf.Bounds, error) {
	row := d.Site
	b := nginxconf.Bounds{Site: row.ID, Domain: v.Domain.ID, TLS: v.TLS != nil, Ours: ours}
	name, err := value.ParseDomain(v.Domain.Name)
	if err != nil {
		return b, err
	}
	b.Names = site.Names(name, v.Domain.WWWRedirectType, v.Domain.Wildcard)
	base, err := site.Base(row)
	if err != nil {
		return b, err
	}
	b.Base = base.String()
	if sitetype.HasPHP(row.Type) {
		for _, version := range value.PHPVersions() {
			pool := render.Pool{SiteID: row.ID, PHP: version}
			if in.PHP != nil && in.PHP.Pool.PHP == version {
				pool = in.PHP.Pool
			}
			socket, err := pool.Socket()
			if err != nil {
				return b, err
			}
			if in.PHP != nil && in.PHP.Pool.PHP == version { // the one that answers comes first
				b.Sockets = append([]string{socket}, b.Sockets...)
				continue
			}
			b.Sockets = append(b.Sockets, socket)
		}
	}
	if site.HasProgram(row) {
		b.Ports = append(b.Ports, *row.Port, *row.SparePort)
	}
	if d.Octane > 0 {
		b.Ports = append(b.Ports, d.Octane)
	}
	if site.HasProgram(row) || row.Type == sitetype.Balancer {
		b.Upstreams = []string{render.UpstreamName(row.ID)}
	}
	for _, text := range []*string{srv.IPAddress, srv.PrivateIPAddress} {
		if text == nil {
			continue
		}
		if address, err := netip.ParseAddr(*text); err == nil {
			b.Addresses = append(b.Addresses, address.Unmap())
		}
	}
	return b, nil
}

// customText returns a user's version of a domain's file, with our newest changes.
func customText(srv query.Server, d Desired, in render.VhostInput, v Vhost, ours string) (string, error) {
	text, err := render.Merge(*v.Domain.NginxBase, *v.Domain.Nginx, ours)
	if err != nil || v.Domain.NginxRule == NginxRoot || v.Domain.NginxRule == NginxKept {
		return text, err
	}
	b, err := bounds(srv, d, in, v, ours)
	if err != nil {
		return "", err
	}
	tree, refused := accept(text, b)
	if len(refused) > 0 {
		return "", fmt.Errorf("the configuration that a user wrote can't be used: %w", refused[0])
	}
	if v.Shown {
		return nginxconf.Print(tree), nil
	}
	return nginxconf.Compose(tree, b), nil
}

// accept reads and judges a text.
func accept(text string, b nginxconf.Bounds) ([]*nginxconf.Statement, []nginxconf.Refusal) {
	tree, err := nginxconf.Read(text)
	var refusal nginxconf.Refusal
	if errors.As(err, &refusal) {
		return nil, []nginxconf.Refusal{refusal}
	}
	tree = nginxconf.Plain(tree, b)
	return tree, nginxconf.Judge(tree, b)
}

// Accept reads and judges a text for a domain, and returns it as it is kept.
func Accept(text string, b nginxconf.Bounds) (string, []nginxconf.Refusal) {
	tree, refused := accept(text, b)
	if len(refused) > 0 {
		return "", refused
	}
	return nginxconf.Print(tree), nil
}

// NginxBounds returns what the configuration of a domain may name once the included work is done.
func (c *Converger) NginxBounds(
	ctx context.Context, q *query.Granted, srv query.Server, d query.Domain, included []query.Operation, ours ...string,
) (nginxconf.Bounds, error) {
	none := nginxconf.Bounds{}
	desired, err := c.one(ctx, q.Ungranted(), srv, d.SiteID, included)
	if err != nil {
		return none, err
	}
	v := Vhost{Domain: d}
	for _, other := range desired.Vhosts {
		if other.Domain.ID == d.ID {
			v = other
		}
	}
	version, err := server.NginxVersion(server.FactsOf(srv))
	if err != nil {
		return none, job.Planned(err)
	}
	in, _, err := served(version, srv, desired)
	if err != nil {
		return none, job.Planned(err)
	}
	b, err := bounds(srv, desired, in, v, ours...)
	return b, job.Planned(err)
}

// JudgeKept returns why a configuration that predates the checks would be refused now, "" if it would pass.
func (c *Converger) JudgeKept(ctx context.Context, q *query.Granted, srv query.Server, d query.Domain) (string, error) {
	var ours []string
	text, err := c.VhostText(ctx, q, srv, d, true, nil)
	if err != nil {
		return "", err
	}
	if text != nil {
		ours = []string{*text}
	}
	b, err := c.NginxBounds(ctx, q, srv, d, nil, ours...)
	if err != nil || d.Nginx == nil {
		return "", err
	}
	if _, refused := Accept(*d.Nginx, b); len(refused) > 0 {
		return refused[0].Error(), nil
	}
	return "", nil
}
