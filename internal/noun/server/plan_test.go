package server_test

import (
	"context"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// mended is what all aspects of a server plan for a repair.
type mended struct{}

func (mended) Mend(context.Context, query.Server) ([]job.Stage, error) {
	rules := wire.File{Path: "/etc/nftables.conf", Mode: 0o600, Content: []byte("flush ruleset\n")}
	return []job.Stage{{Name: "firewall", Change: wire.Change{Steps: []wire.Step{{Name: "write firewall rules", File: &rules}}}}}, nil
}

// Removal, reboot, repair and a new key plan from the row alone: a database is not asked.
func TestPlanGolden(t *testing.T) {
	t.Parallel()
	old := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBy9bOVE hostler-server-7"
	row := query.Server{ID: 7, Name: "web 1", Type: "web", SSHPort: 22, PublicKey: old, HostKeys: "ssh-ed25519 AAAA"}
	unknown := row
	unknown.HostKeys = ""
	next := row
	next.NextPublicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFresh hostler-server-7"
	reboot := []query.Operation{{ID: 1, ResourceID: 7, Action: "reboot", Request: `{"boot_id":"0b8e1d0c-6f0f-4b52-9f5e-6a4c1d1f8c11"}`}}
	cycle := []query.Operation{{ID: 1, ResourceID: 7, Action: server.ActionPowerCycle, Request: reboot[0].Request}}
	gone := []query.Operation{{ID: 1, ResourceID: 7, Request: `{"status":"ready"}`}}
	asked := []query.Operation{{ID: 1, ResourceID: 7}}
	for name, c := range map[string]struct {
		aspect job.Aspect
		row    query.Server
		work   []query.Operation
	}{
		"remove":           {(&server.Remover{}).Aspect(), row, gone},
		"remove-unknown":   {(&server.Remover{}).Aspect(), unknown, gone},
		"archive":          {(&server.Remover{}).Aspect(), row, []query.Operation{{Action: server.ActionArchive, Request: `{}`}}},
		"reboot":           {(&server.Rebooter{}).Aspect(), row, reboot},
		"power-cycle":      {(&server.Rebooter{}).Aspect(), row, cycle},
		"release":          {(&server.Releaser{}).Aspect(), row, []query.Operation{{ID: 1, ResourceID: 7}}},
		"reboot-nothing":   {(&server.Rebooter{}).Aspect(), row, nil},
		"upgrade":          {(&server.Upgrader{}).Aspect(), row, []query.Operation{{Action: server.ActionUpgrade, Request: `{}`}}},
		"upgrade-security": {(&server.Upgrader{}).Aspect(), row, []query.Operation{{Action: server.ActionUpgrade, Request: `{"security_only":true}`}}},
		"upgrade-nothing":  {(&server.Upgrader{}).Aspect(), row, nil},
		"rekey":            {(&server.Rekeyer{}).Aspect(), next, asked},
		"rekey-taken":      {(&server.Rekeyer{}).Aspect(), row, asked},
		"repair":           {(&server.Repairer{Mender: mended{}}).Aspect(), row, asked},
		"repair-nothing":   {(&server.Repairer{Mender: mended{}}).Aspect(), row, nil},
		"rekey-nothing":    {(&server.Rekeyer{}).Aspect(), next, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stages, err := c.aspect.Plan(t.Context(), nil, c.row, c.work)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, "plan/"+name, stages)
		})
	}
}
