package server

import (
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/secret"
)

// bootstrapWithin is how long a bootstrap line works.
const bootstrapWithin = 7 * 24 * time.Hour

func bootstrapMeta(r *api.Router, row query.Server, code secret.String, now time.Time) *api.BootstrapMeta {
	return &api.BootstrapMeta{Command: fmt.Sprintf("curl -fsS %s | sh -s -- %d %s", r.URL("/bootstrap.sh"), row.ID, code.Reveal()), ExpiresAt: api.TimeOf(now.Add(bootstrapWithin).UnixMicro())}
}
