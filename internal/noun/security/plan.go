package security

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Include is the security rules of sites, as their vhosts include them.
type Include struct{}

// fileName is that of both files of a site: the maps in the http block, and what its vhosts include.
const fileName = "20-protection"

// checkName is that of the file that knows a site's health check, which is read before the others.
const checkName = "15-check"

// nginxGroup is the account of nginx's workers on Debian, which read the users with each request.
const nginxGroup = "www-data"

// Steps write a site's users and which paths they are asked for.
func (Include) Steps(v ledger.View, d vhost.Desired) (steps, late []wire.Step, err error) {
	rules, gone, err := rulesOf(v, d)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range gone {
		late = append(late, vhost.Absent("users of "+r.Specification.Name, render.UsersPath(d.Site.ID, r.ID)))
	}
	maps, include, name := vhost.HTTPPath(d.Site.ID, fileName), vhost.IncludePath(d.Site.ID, fileName), "protection of "+d.Site.Name
	known := vhost.HTTPPath(d.Site.ID, checkName)
	if len(rules) == 0 {
		return []wire.Step{vhost.Absent(name, include), vhost.Absent(name, maps), vhost.Absent(name, known),
			vhost.Absent(name, render.CheckPath(d.Site.ID))}, late, nil
	}
	pass := sha256.New()
	in := render.ProtectionInput{SiteID: d.Site.ID}
	for _, r := range rules {
		s := r.Specification
		if err := s.Path.Err(); err != nil {
			return nil, nil, fmt.Errorf("security rule %d: %w", r.ID, err)
		}
		users, err := v.Open(sealedAt(r.ID), s.Users)
		if err != nil {
			return nil, nil, err
		}
		_, _ = fmt.Fprintf(pass, "check %d %q\n", r.ID, users.Reveal())
		in.Rules = append(in.Rules, render.Protected{RuleID: r.ID, Name: s.Name, Path: s.Path})
		steps = append(steps, wire.Step{Name: "users of " + s.Name, File: &wire.File{
			Path: render.UsersPath(d.Site.ID, r.ID), Mode: 0o640, Group: nginxGroup,
			Content: []byte(users.Reveal()), Secret: true,
		}})
	}
	text, err := render.NginxProtectionMaps(in)
	if err != nil {
		return nil, nil, err
	}
	// The pass is derived from the hashes with their salts, so that a plan needs nothing else; who can read them can also read it.
	check := hex.EncodeToString(pass.Sum(nil)[:render.CheckBytes])
	knows, err := render.NginxCheck(d.Site.ID, check)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range [][2]string{{render.CheckPath(d.Site.ID), check}, {known, knows}} {
		steps = append(steps, wire.Step{Name: "health check of " + d.Site.Name, File: &wire.File{Path: f[0], Mode: 0o600, Content: []byte(f[1]), Secret: true}})
	}
	return append(steps, vhost.File(name, maps, text), vhost.File(name, include, render.NginxProtection(d.Site.ID))), late, nil
}

// rulesOf returns the rules that a site is to have, and those that go; all of them for a site that goes itself.
func rulesOf(v ledger.View, d vhost.Desired) (rules, gone []ledger.Resource[Specification], err error) {
	if rules, err = Rules.Of(v); err != nil {
		return nil, nil, err
	}
	if gone, err = Rules.Gone(v); err != nil {
		return nil, nil, err
	}
	if d.Gone {
		rules, gone = nil, slices.Concat(rules, gone)
	}
	other := func(r ledger.Resource[Specification]) bool { return r.Specification.SiteID != d.Site.ID }
	return slices.DeleteFunc(rules, other), slices.DeleteFunc(gone, other), nil
}
