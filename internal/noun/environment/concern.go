package environment

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Reader reads the files of sites for what needs attention.
type Reader struct{ Box *secret.Box }

// Concerns lists sites whose deploy script got the variables of .env from a shell so far, which reads some of them differently. Their next deployment reads
// the file as the application does.
func (r Reader) Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Project](ctx, l.Rows, "projects", site.AttendedOf(l.Grants...), db.Cond{SQL: "env_by_shell AND auto_source"})
	if err != nil {
		return nil, err
	}
	sites, err := site.Of(ctx, l, rows, func(p query.Project) int64 { return p.SiteID })
	if err != nil {
		return nil, err
	}
	ids := make([]any, 0, len(rows))
	for _, p := range rows {
		ids = append(ids, p.SiteID)
	}
	files, err := db.All[query.Environment](ctx, l.Rows, "environments", db.Equal("site_id", ids...), inForce)
	var out []concern.Item
	for _, env := range files {
		content, err := r.Box.Open(sealedAt(env.ID, "content"), env.Content)
		if err != nil {
			return nil, err
		}
		if names := shellish(string(content)); len(names) > 0 {
			out = append(out, concern.Item{
				Kind: "input-misread", Noun: "environment", Subject: sites[env.SiteID].Name, ServerID: sites[env.SiteID].ServerID, SiteID: &env.SiteID,
				Text: "From the next deployment on, its deploy script gets the variables of .env as the application reads them, no longer as a shell does. Check " +
					strings.Join(names, ", ") + ".",
			})
		}
	}
	return out, err
}

// inForce selects the version of a site's file that is in force, as the query EnvironmentInForce does for one site.
var inForce = db.Cond{SQL: "id = (SELECT e.id FROM environments e WHERE e.site_id = environments.site_id AND e.status <> 'failed' " +
	"ORDER BY CASE WHEN e.status = 'writing' THEN 0 ELSE 1 END, CASE WHEN e.status = 'writing' THEN e.id ELSE e.updated_at END DESC, e.id DESC LIMIT 1)"}

var assignment = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)

// shellish returns the names of variables whose values a shell changes: expansions, commands, escapes, and words that follow the first.
func shellish(content string) []string {
	var names []string
	for _, m := range assignment.FindAllStringSubmatch(content, -1) {
		value := strings.TrimRight(m[2], "\r")
		special := "$`\\"
		switch {
		case strings.HasPrefix(value, "'"):
			continue
		case !strings.HasPrefix(value, `"`):
			value, _, _ = strings.Cut(value, " #")
			value, special = strings.TrimSpace(value), special+"();&|<>*?~[ \t"
		}
		if strings.ContainsAny(value, special) && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
