package security

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// Part is the security rules of sites on their hosts.
type Part struct{ Vault Vault }

// fileName is that of both files of a site: the maps in the http block, and what its vhosts include.
const fileName = "20-protection"

// nginxGroup is the account of nginx's workers on Debian, which read the users with each request.
const nginxGroup = "www-data"

// Steps write a site's users and which paths they are asked for.
func (p Part) Steps(ctx context.Context, q *query.Queries, d site.Desired, w job.Pending) (steps, gone []wire.Step, err error) {
	rows, err := q.ListSecurityRules(ctx, d.Site.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("list security rules: %w", err)
	}
	in := render.ProtectionInput{SiteID: d.Site.ID}
	for _, row := range rows {
		row, is, err := effective(row, w)
		if err != nil {
			return nil, nil, err
		}
		file := render.UsersPath(d.Site.ID, row.ID)
		if d.Gone || !is {
			gone = append(gone, site.Absent("users of "+row.Name, file))
			continue
		}
		users, err := p.Vault.open(row)
		if err != nil {
			return nil, nil, err
		}
		text, err := render.UsersFile(users)
		if err != nil {
			return nil, nil, job.Planned(err)
		}
		rule := render.Protected{RuleID: row.ID, Name: row.Name}
		if row.Path != nil {
			if rule.Path, err = value.ParseURLPath(*row.Path); err != nil {
				return nil, nil, job.Planned(fmt.Errorf("security rule %d: %w", row.ID, err))
			}
		}
		in.Rules = append(in.Rules, rule)
		steps = append(steps, wire.Step{Name: "users of " + row.Name, File: &wire.File{Path: file, Mode: 0o640, Group: nginxGroup, Content: []byte(text), Secret: true}})
	}
	maps, include := site.HTTPPath(d.Site.ID, fileName), site.IncludePath(d.Site.ID, fileName)
	name := "protection of " + d.Site.Name
	if len(in.Rules) == 0 {
		return []wire.Step{site.Absent(name, include), site.Absent(name, maps)}, gone, nil
	}
	text, err := render.NginxProtectionMaps(in)
	if err != nil {
		return nil, nil, job.Planned(err)
	}
	steps = append(steps, site.File(name, maps, text), site.File(name, include, render.NginxProtection(d.Site.ID)))
	return steps, gone, nil
}

// effective is a rule as the host should have it, and whether it should at all.
func effective(row query.SecurityRule, w job.Pending) (query.SecurityRule, bool, error) {
	held, isHeld := w.Holds(resource, row.ID)
	switch {
	case isHeld && held.Action == "create":
		return row, false, nil
	case isHeld:
		var was change
		if err := json.Unmarshal([]byte(held.Request), &was); err != nil {
			return row, false, fmt.Errorf("read what security rule %d was: %w", row.ID, err)
		}
		return was.Before, was.Before.Status != StatusFailed, nil
	case w.Deletes(resource, row.ID), row.Status == StatusRemoving, row.Status == StatusFailed:
		return row, false, nil
	}
	return row, true, nil
}
