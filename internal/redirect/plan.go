package redirect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// Part is the redirects of sites on their hosts.
type Part struct{}

const fileName = "10-redirects"

// Steps write the file of a site's redirects, which each of its vhosts includes.
func (Part) Steps(ctx context.Context, q *query.Queries, d site.Desired, w job.Pending) (steps, late []wire.Step, err error) {
	rows, err := q.ListRedirectRules(ctx, d.Site.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("list redirect rules: %w", err)
	}
	if rows, err = effective(rows, d.Site.ID, w); err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 || d.Gone {
		return []wire.Step{site.Absent("redirects of "+d.Site.Name, site.IncludePath(d.Site.ID, fileName))}, nil, nil
	}
	text, err := text(rows)
	if err != nil {
		return nil, nil, job.Planned(err)
	}
	return []wire.Step{site.File("redirects of "+d.Site.Name, site.IncludePath(d.Site.ID, fileName), text)}, nil, nil
}

// effective are the rules that a host should have, in order: without what is being removed, and with held work as if it had not been asked for.
func effective(rows []query.RedirectRule, siteID int64, w job.Pending) ([]query.RedirectRule, error) {
	if held, ok := w.Holds(resourceOrder, siteID); ok {
		var was order
		if err := json.Unmarshal([]byte(held.Request), &was); err != nil {
			return nil, fmt.Errorf("read the order of redirects: %w", err)
		}
		at := func(r query.RedirectRule) int64 {
			if i := slices.Index(was.Before, r.ID); i >= 0 {
				return int64(i)
			}
			return int64(len(was.Before)) + r.Position
		}
		rows = slices.Clone(rows)
		slices.SortStableFunc(rows, func(a, b query.RedirectRule) int { return cmp.Compare(at(a), at(b)) })
	}
	var out []query.RedirectRule
	for _, r := range rows {
		held := w.HoldsOperation(r.OperationID)
		switch {
		case r.Status == StatusInstalling && held:
		case r.Status == StatusRemoving && (!held || holdsCreation(w, r.ID)):
		default:
			out = append(out, r)
		}
	}
	return out, nil
}

// holdsCreation tells of a rule that was asked for and then deleted, neither of which has happened yet.
func holdsCreation(w job.Pending, id int64) bool {
	return slices.ContainsFunc(w.Held, func(op query.Operation) bool {
		return op.ResourceType == resourceRule && op.ResourceID == id && op.Action == "create"
	})
}

func text(rows []query.RedirectRule) (string, error) {
	var in render.RedirectsInput
	for _, r := range rows {
		from, err := value.ParseRedirectSource(r.Source)
		if err != nil {
			return "", fmt.Errorf("redirect %d: %w", r.ID, err)
		}
		to, err := value.ParseRedirectTarget(r.Target)
		if err != nil {
			return "", fmt.Errorf("redirect %d: %w", r.ID, err)
		}
		in.Rules = append(in.Rules, render.Redirect{From: from, To: to, Permanent: r.Type == Permanent})
	}
	return render.NginxRedirects(in)
}
