package site

import (
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// shortText describes a shortage of a site.
func shortText(row query.Site, s wire.Shortage) string {
	user := "the site"
	if s.Build {
		user = "a deployment"
	}
	l := limitsOf(row)
	if l == nil { // they may have been changed since
		l = &render.Limits{}
	}
	limit, what := "used up the memory that its limits allow", l.MostMemory()
	some := func(name string, many int64) string {
		if many == 0 {
			return ""
		}
		return fmt.Sprintf("%s, %d", name, many)
	}
	switch s.Of {
	case wire.ShortOfDisk:
		text := fmt.Sprintf("Its directory holds %d MB", s.Bytes>>20)
		if l.DiskMax > 0 {
			text += fmt.Sprintf(": its limits allow %d MB (disk_max)", l.DiskMax)
		}
		return text + "."
	case wire.ShortOfTasks:
		limit, what = "has as many processes and threads as its limits allow", some("tasks_max", l.TasksMax)
	case wire.ShortOfConnections:
		limit, what = "answers no more concurrent requests than its limits allow", some("connections", l.Connections)
	}
	if what != "" {
		limit += " (" + what + ")"
	}
	return server.ShortageText(s, user, limit)
}
