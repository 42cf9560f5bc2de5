package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/ufw"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Facts reads what a host says of itself.
type Facts interface {
	Facts(ctx context.Context, t host.Target) (wire.Facts, error)
}

// Rules plans the firewall of a server that is being set up.
type Rules interface {
	ChangeOf(ctx context.Context, q *query.Queries, server query.Server) (wire.Change, error)
	// TakeOver makes rules of another manager the server's own, in the place of those that every new server has.
	TakeOver(ctx context.Context, tx *db.Tx, server query.Server, rules []ufw.Rule) error
}

// Provisioner makes a machine match its row.
type Provisioner struct {
	DB    *db.DB
	Keys  *Keys
	Facts Facts
	Rules Rules
	// Firewall is the aspect that keeps the rules once the server is set up.
	Firewall string
	// Ledger has the resources that the setup operation applies.
	Ledger *ledger.Ledger
	// Queue takes the work that a new address of Hostler means.
	Queue *job.Queue
	// Balancers take a server in that is set up.
	Balancers Balancers
	// PHP records the versions that are found.
	PHP PHP
	// Machines orders the servers at providers.
	Machines *Machines
}

// Aspect returns it for the engine.
func (p *Provisioner) Aspect() job.Aspect {
	return job.Aspect{Plan: p.Plan, Write: p.Write, Early: early}
}

// early reports whether a server can be worked on: it has called, or has to be ordered.
func early(row query.Server) bool { return row.HostKeys != "" || awaited(row) }

// PHP records what is found on a server.
type PHP interface {
	Found(ctx context.Context, tx *db.Tx, server query.Server, facts wire.Facts) error
}

// Plan returns the stages of setting up; facts are read before the first and after each that installs something. Refusals are
// based on the newest facts: the machine may have been changed since the last attempt.
func (p *Provisioner) Plan(ctx context.Context, q *query.Queries, row query.Server, included []query.Operation) ([]job.Stage, error) {
	rules, err := p.Rules.ChangeOf(ctx, q, row)
	if err != nil {
		return nil, err
	}
	facts := FactsOf(row)
	stages, err := Provision(Setup{Server: row, Facts: facts, Rules: rules})
	for i := range stages {
		if stages[i].Detach {
			stages[i].After = p.Refresh
		}
	}
	if row.IsReady {
		return stages, job.Planned(err)
	}
	if err != nil {
		stages = []job.Stage{{Name: "check the server", After: func(context.Context, query.Server) error { return &job.StageError{Reason: err.Error()} }}}
	}
	stages = append([]job.Stage{{Name: "look at the server", After: p.Refresh}}, stages...)
	if AtProvider(row) && len(included) > 0 && included[0].Action == "create" {
		stages = append(p.Machines.stages(), stages...)
	}
	return stages, nil
}

// Refresh reads the facts of a server and keeps them.
func (p *Provisioner) Refresh(ctx context.Context, row query.Server) error {
	target, err := p.Keys.Target(row)
	if err != nil {
		return err
	}
	facts, err := p.Facts.Facts(ctx, target)
	if err != nil {
		return fmt.Errorf("read facts of server %d: %w", row.ID, err)
	}
	return p.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.GetServer(ctx, row)
		if err != nil {
			return fmt.Errorf("keep facts: %w", err)
		}
		if row.Revoked { // archived meanwhile
			return nil
		}
		if err := checkMachine(ctx, tx, row); err != nil {
			return err
		}
		if err := keepFacts(ctx, tx, row, facts); err != nil {
			return err
		}
		if err := p.PHP.Found(ctx, tx, row, facts); err != nil {
			return err
		}
		if err := job.Answered(ctx, tx, row); err != nil {
			return err
		}
		if row.TakeOver && !row.IsReady && len(facts.UFW) > 0 {
			rules, err := ufw.Parse(facts.UFW)
			if err != nil {
				return nil //nolint:nilerr // the next plan says so, and nothing is taken over
			}
			return p.Rules.TakeOver(ctx, tx, row, rules)
		}
		from := controlAddress(facts)
		if !row.IsReady || from == "" || row.ControlAddresses == "" || slices.Contains(strings.Split(row.ControlAddresses, ","), from) {
			return nil
		}
		// Hostler comes from a new address: the firewall must know it, or the next change would cut it off.
		_, err = p.Queue.Begin(ctx, tx, job.Work{
			Grant: access.Grant{OrganizationID: row.OrganizationID}, ServerID: row.ID, Ready: true, Aspect: p.Firewall,
			Resource:   "servers",
			ResourceID: row.ID, Action: "update", Description: "Admitting Hostler from " + from, RanAs: "root", Within: ProvisionDeadline,
			Needs: []access.Permission{access.ServerCreate, access.ServerDelete, access.ServerManageServices},
		})
		return err
	})
}

// staleServices returns the services that run with older settings than their files. A host can report anything; only services
// that can be restarted through Hostler are listed.
func staleServices(facts wire.Facts) string {
	var out []string
	for _, unit := range facts.StaleServices {
		if name := strings.TrimSuffix(unit, ".service"); name == "mariadb" || name == "mysql" {
			out = append(out, name)
		}
	}
	return strings.Join(out, ",")
}

func keepFacts(ctx context.Context, tx *db.Tx, row query.Server, facts wire.Facts) error {
	raw, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("keep facts: %w", err)
	}
	in := query.SetServerFactsParams{
		ID: row.ID, Facts: string(raw), PHPVersion: row.PHPVersion, PHPCLIVersion: installedPHP(facts, "cli", row.PHPCLIVersion),
		DatabaseType:     installedEngine(row.DatabaseType, facts),
		ControlAddresses: row.ControlAddresses, DiskBytes: facts.DiskBytes, DiskFreeBytes: facts.DiskFreeBytes, RebootNeeded: facts.RebootNeeded,
		StaleServices: staleServices(facts), EditedFiles: row.EditedFiles,
	}
	if facts.Edited != nil { // nil while a run changes the server
		in.EditedFiles = strings.Join(facts.Edited, "\n")
	}
	in.Shortages = shortagesText(facts.Shortages)
	in.ClockAhead = int64(facts.ClockAhead / time.Second)
	in.Memory, in.MemoryLostAt = remembered(row, facts.Memory, tx.Micros())
	if v := installedPHP(facts, "fpm", row.PHPVersion); v != nil {
		in.PHPVersion = v
	}
	in.ControlAddresses = controlAddresses(row.ControlAddresses, controlAddress(facts))
	if err := tx.SetServerFacts(ctx, in); err != nil {
		return fmt.Errorf("keep facts: %w", err)
	}
	return nil
}

// controlAddress returns the address that Hostler connects from, as the host sees it, or "". A host may say what it likes.
func controlAddress(facts wire.Facts) string {
	address, err := netip.ParseAddr(facts.SSHClient)
	if err != nil || address.IsUnspecified() {
		return ""
	}
	return address.Unmap().WithZone("").String()
}

// maxControlAddresses limits the addresses that a host lets Hostler in from; the newest stay.
const maxControlAddresses = 8

// controlAddresses adds an address to those known, which are separated by commas, and drops what is no address.
func controlAddresses(known, address string) string {
	var out []string
	for text := range strings.SplitSeq(known, ",") {
		if _, err := netip.ParseAddr(text); err == nil {
			out = append(out, text)
		}
	}
	if address != "" && !slices.Contains(out, address) {
		out = append(out, address)
	}
	return strings.Join(out[max(0, len(out)-maxControlAddresses):], ",")
}

// Write shows that a server is being set up, and at the end whether it is ready.
func (p *Provisioner) Write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	switch {
	case at == job.Queued:
		return p.resume(ctx, tx, op)
	case at.Ended():
		return p.settle(ctx, tx, op, at.Done())
	}
	return nil
}

// settle reports whether the server is ready, and gives the work that waited for it its time.
func (p *Provisioner) settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if err := tx.LockServer(ctx, op.ResourceID); err != nil {
		return err
	}
	row, err := tx.Ungranted().GetServer(ctx, op.ResourceID)
	if err != nil {
		return fmt.Errorf("settle server: %w", err)
	}
	if op.Action == "update" {
		return settleUpdate(ctx, tx, row, op, done)
	}
	if done {
		if err := p.Balancers.Lock(ctx, tx, row); err != nil {
			return err
		}
		if row, err = tx.GetServer(ctx, row); err != nil {
			return fmt.Errorf("settle server: %w", err)
		}
	}
	if err := p.Ledger.Settle(ctx, tx, op, done); err != nil {
		return err
	}
	status := StatusFailed
	if done {
		status = StatusReady
		if err := tx.ExtendOperations(ctx, row.ID, AspectProvision, tx.Now.Add(afterReady).UnixMicro(), tx.Micros()-staleSoon.Microseconds()); err != nil {
			return fmt.Errorf("start what waited for the server: %w", err)
		}
	}
	if row.Status == StatusDeleting {
		return nil
	}
	if !done && op.Action == "create" && awaited(row) {
		if err := giveUp(ctx, tx, p.Queue, row); err != nil {
			return err
		}
	}
	if err := setStatus(ctx, tx, row, status, done); err != nil || !done {
		return err
	}
	row.Status, row.IsReady = status, true
	if err := job.RolledOut(ctx, tx, op); err != nil {
		return err
	}
	if op.Action == ActionReconnect {
		if err := p.mend(ctx, tx, row); err != nil {
			return err
		}
	}
	return p.Balancers.NodeChanged(ctx, tx, access.Grant{OrganizationID: row.OrganizationID}, row, "Taking in "+row.Name+", which is set up")
}

// settleUpdate restores a setting that could not be made true; the server stays as it was.
func settleUpdate(ctx context.Context, tx *db.Tx, row query.Server, op query.Operation, done bool) error {
	var before map[string]string
	if done || json.Unmarshal([]byte(op.Request), &before) != nil || before["timezone"] == "" {
		return nil //nolint:nilerr // it asked for no setting
	}
	_, err := tx.UpdateServerMeta(ctx, query.UpdateServerMetaParams{
		ID: row.ID, Name: row.Name, Slug: row.Slug, IPAddress: row.IPAddress,
		PrivateIPAddress: row.PrivateIPAddress,
		Timezone:         before["timezone"], UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("put settings of server %d back: %w", row.ID, err)
	}
	return nil
}

// Work that waited for its server has this long once the server is ready, and is woken by the next sweep.
const (
	afterReady = 15 * time.Minute
	staleSoon  = 2 * time.Minute
)

// resume shows that a server is being set up again.
func (p *Provisioner) resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	row, err := tx.Ungranted().GetServer(ctx, op.ResourceID)
	if err != nil {
		return fmt.Errorf("resume server: %w", err)
	}
	if op.Action == "update" {
		return nil
	}
	if err := p.Ledger.Reopen(ctx, tx, op); err != nil {
		return err
	}
	switch {
	case row.HostKeys != "":
		return setStatus(ctx, tx, row, StatusProvisioning, false)
	case awaited(row):
		return setStatus(ctx, tx, row, StatusCreating, false)
	}
	if until := time.UnixMicro(row.LineAt).Add(bootstrapWithin); until.After(tx.Now.Add(ProvisionDeadline)) { // it waits for as long as its line works
		if err := tx.ExtendOperation(ctx, op.ID, until.UnixMicro(), tx.Micros()); err != nil {
			return fmt.Errorf("resume server: %w", err)
		}
	}
	return setStatus(ctx, tx, row, StatusConnecting, false)
}

func setStatus(ctx context.Context, tx *db.Tx, row query.Server, status string, ready bool) error {
	err := tx.SetServerStatus(ctx, query.SetServerStatusParams{
		ID: row.ID, Status: status, ConnectionStatus: row.ConnectionStatus, IsReady: ready,
		UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("set status of server %d: %w", row.ID, err)
	}
	return nil
}

// Remover takes Hostler off a server. A deleted one is forgotten; of an archived one, only the access to it is.
type Remover struct {
	Networks Networks
	// Queue ends what other work there is on an archived server.
	Queue *job.Queue
	// Forget closes the connection to a server.
	Forget func(serverID int64)
	// Machines destroys the servers at providers.
	Machines *Machines
}

// removalRequest is what a server was before it was deleted or archived, and whether it is kept at its provider.
type removalRequest struct {
	Status   string `json:"status"`
	Preserve bool   `json:"preserve,omitempty"`
}

// destroys reports whether work destroys a server at its provider.
func (in removalRequest) destroys(row query.Server, op query.Operation) bool {
	return AtProvider(row) && op.Action == "delete" && !in.Preserve
}

// Networks are notified when a server leaves: its private address may soon be another machine's.
type Networks interface {
	Leave(ctx context.Context, tx *db.Tx, server query.Server) error
}

// Aspect returns it for the engine.
func (r *Remover) Aspect() job.Aspect {
	return task.Kind[removalRequest]{Load: task.Asked[removalRequest], Steps: r.steps, Write: r.write}.Aspect()
}

// steps remove our keys, and on a server that is deleted what works for us at its boot. Of a server that is destroyed at its provider, nothing is left.
func (r *Remover) steps(_ context.Context, _ *query.Queries, row query.Server, op query.Operation, in removalRequest) ([]job.Stage, error) {
	switch {
	case op.Action == ActionArchive:
		return departure(row), nil
	case in.destroys(row, op):
		return []job.Stage{{Name: "destroy at the provider", After: func(ctx context.Context, row query.Server) error {
			a, err := r.Machines.begin(ctx, row)
			if err != nil {
				return err
			}
			return a.destroy(ctx)
		}}}, nil
	}
	return removal(row), nil
}

// write shows that a server is being deleted or archived, and at the end what it is: what it was before, if it could not be done.
func (r *Remover) write(ctx context.Context, tx *db.Tx, op query.Operation, in removalRequest, at job.State) error {
	if at != job.Queued && !at.Ended() {
		return nil
	}
	row, err := tx.Ungranted().GetServer(ctx, op.ResourceID)
	switch {
	case err != nil:
		return err
	case at == job.Queued:
		return resumeRemoval(ctx, tx, op, row)
	case overtaken(row, op):
		return nil
	case at.Done(), !in.destroys(row, op) && row.ConnectionStatus != nil && *row.ConnectionStatus != ConnectionConnected:
		return r.gone(ctx, tx, op, row)
	}
	before := cmp.Or(in.Status, StatusReady)
	return setStatus(ctx, tx, row, before, before == StatusReady)
}

// gone deletes or archives a server, on success and also if it can't be reached any more, unless it was to be destroyed.
func (r *Remover) gone(ctx context.Context, tx *db.Tx, op query.Operation, row query.Server) error {
	if err := r.Networks.Leave(ctx, tx, row); err != nil {
		return err
	}
	if op.Action == ActionArchive {
		return r.archive(ctx, tx, row)
	}
	if _, err := tx.DeleteServer(ctx, row.ID); err != nil {
		return fmt.Errorf("delete server %d: %w", row.ID, err)
	}
	return nil
}

// overtaken reports whether a removal ended before, and newer work on the server was accepted since: if the server says later that it had completed the
// removal after all, the newer work stands.
func overtaken(row query.Server, op query.Operation) bool {
	removing := row.Status == StatusDeleting || row.Status == StatusArchiving
	return !removing && (row.OperationID == nil || *row.OperationID != op.ID)
}

// resumeRemoval shows that a server is being deleted or archived again.
func resumeRemoval(ctx context.Context, tx *db.Tx, op query.Operation, row query.Server) error {
	status := StatusDeleting
	if op.Action == ActionArchive {
		status = StatusArchiving
	}
	if err := setStatus(ctx, tx, row, status, false); err != nil {
		return err
	}
	return tx.SetServerOperation(ctx, row.ID, &op.ID, tx.Micros())
}

// Target says where a server is, which keys it must show, and opens our key.
func (k *Keys) Target(row query.Server) (host.Target, error) {
	if row.Revoked {
		return host.Target{}, ErrArchived
	}
	signer, err := k.Signer(row)
	if err != nil {
		return host.Target{}, err
	}
	t := host.Target{ServerID: row.ID, User: row.SSHUser, Signer: signer, Arch: FactsOf(row).Arch}
	if row.IPAddress != nil {
		t.Addr = net.JoinHostPort(*row.IPAddress, strconv.FormatInt(sshPort(row), 10))
	}
	t.HostKeys, err = parseHostKeys(row.HostKeys)
	return t, err
}

// parseHostKeys reads keys in the form of authorized_keys, one a line.
func parseHostKeys(text string) ([]ssh.PublicKey, error) {
	var keys []ssh.PublicKey
	rest := []byte(text)
	for len(rest) > 0 {
		key, _, _, after, err := ssh.ParseAuthorizedKey(rest)
		if err != nil {
			return keys, fmt.Errorf("read host keys: %w", err)
		}
		keys, rest = append(keys, key), after
	}
	return keys, nil
}
