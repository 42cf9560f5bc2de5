package job_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// fleet emulates the hosts: it records which runs were started, and answers as configured.
type fleet struct {
	mu      sync.Mutex
	answer  func(run wire.Run) (wire.Result, error)
	starts  map[string]int
	runs    []wire.Run
	cancels map[string]chan struct{}
	drifted bool
	// edited are own files that were changed by hand.
	edited []string
	// unsent makes a host that does not answer be one that can't have seen the run.
	unsent bool
	// idle is how many steps find nothing to do.
	idle int
	// prints is how much a run prints, in pieces of 64 KiB.
	prints int
	// compared are the steps of the last comparison.
	compared []wire.Step
}

func (f *fleet) Forget(int64) {}

func (f *fleet) RunConfirmed(ctx context.Context, _ host.Target, run wire.Run, _ host.Check, on func(wire.Event)) (wire.Result, error) {
	f.mu.Lock()
	f.starts[run.ID]++
	f.runs = append(f.runs, run)
	answer, cancelled, unsent := f.answer, make(chan struct{}), f.unsent
	f.cancels[run.ID] = cancelled
	f.mu.Unlock()
	if unsent {
		if result, err := answer(run); err == nil {
			return result, nil
		} else {
			return result, fmt.Errorf("%w: %w", host.ErrNotSent, err)
		}
	}
	on(wire.Event{Kind: host.Sent})
	for i := range int64(f.idle) {
		on(wire.Event{Seq: 1 + i, Kind: wire.EventStep, Step: fmt.Sprintf("step %d", i), State: "unchanged"}) // of which nothing is kept
	}
	on(wire.Event{Seq: 1 + int64(f.idle), Kind: wire.EventStep, Step: "load", State: "changed"})
	for i := range int64(f.prints) {
		on(wire.Event{Seq: 2 + int64(f.idle) + i, Kind: wire.EventOutput, Step: "load", Text: strings.Repeat("x", 64<<10)})
	}
	result, err := answer(run)
	if result.State == wire.StateRunning {
		select {
		case <-cancelled:
			return wire.Result{ID: run.ID, State: wire.StateCancelled, Restored: true}, nil
		case <-ctx.Done():
			return wire.Result{}, &host.Error{Kind: host.ErrUnreachable, Reason: "the server stopped answering", Err: ctx.Err()}
		}
	}
	return result, err
}

// Drift says that every file of the change differs.
func (f *fleet) Drift(_ context.Context, _ host.Target, change wire.Change) (wire.Drift, error) {
	var d wire.Drift
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compared = change.Steps
	for _, s := range change.Steps {
		if s.File != nil && f.drifted {
			d.Differences = append(d.Differences, wire.Difference{Step: s.Name, Path: s.File.Path, What: "content", Diff: "-by hand\n"})
		}
	}
	return d, nil
}

func (f *fleet) Edited(context.Context, host.Target) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.edited, nil
}

func (f *fleet) Cancel(_ context.Context, _ host.Target, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.cancels[id])
	return nil
}

func (f *fleet) say(answer func(run wire.Run) (wire.Result, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

func done(run wire.Run) (wire.Result, error) {
	return wire.Result{ID: run.ID, State: wire.StateSucceeded}, nil
}

func unreachable(wire.Run) (wire.Result, error) {
	return wire.Result{}, &host.Error{Kind: host.ErrUnreachable, Reason: "the server does not answer"}
}

type targets struct{}

func (targets) Target(s query.Server) (host.Target, error) { return host.Target{ServerID: s.ID}, nil }

// bench is an engine over a database, with one provisioned server.
type bench struct {
	asking  asking
	choosy  choosy
	t       testing.TB
	db      *db.DB
	box     *secret.Box
	fleet   *fleet
	queue   *job.Queue
	whole   *job.Whole
	engine  *job.Engine
	workers *job.Workers
	ledger  *ledger.Ledger
	rights  *rights
	grant   access.Grant
	server  query.Server
	look    func(ctx context.Context, server query.Server) error
	// messages has one of each message that was sent.
	messages chan struct{}
	// more are further aspects.
	more func(*bench) map[string]job.Aspect
}

func newBench(t testing.TB) *bench {
	return newBenchWith(t, func(*bench) map[string]job.Aspect { return nil })
}

// newBenchWith has further aspects.
func newBenchWith(t testing.TB, more func(*bench) map[string]job.Aspect) *bench {
	t.Helper()
	d, err := dbtest.Open(t.Context(), db.Config{Dir: t.TempDir(), Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	box := secrettest.Box(t)
	b := &bench{
		t: t, db: d, box: box, asking: asking{first: make(chan struct{}), again: make(chan struct{})}, choosy: choosy{free: make(chan struct{})},
		fleet: &fleet{idle: 1, answer: done, starts: map[string]int{}, cancels: map[string]chan struct{}{}}, rights: &rights{},
		messages: make(chan struct{}, 1), more: more,
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "main", "main", 1, 1)
		if err != nil {
			return err
		}
		b.grant = access.Grant{OrganizationID: org.ID, Slug: "main"}
		b.server, err = tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: org.ID, Name: "web", Slug: "web", Type: "web", Provider: "custom",
			Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC",
		})
		if err != nil {
			return err
		}
		if err := tx.SetServerIdentity(ctx, query.SetServerIdentityParams{ID: b.server.ID, HostKeys: "known", SSHPort: 22, Facts: "{}"}); err != nil {
			return err
		}
		connected := "connected"
		return tx.SetServerStatus(ctx, query.SetServerStatusParams{ID: b.server.ID, Status: "ready", ConnectionStatus: &connected, IsReady: true})
	})
	b.start()
	t.Cleanup(func() {
		b.stop()
		_ = d.Close()
	})
	return b
}

// start makes a fresh engine and queue, as a new process would.
func (b *bench) start() {
	b.t.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	if b.queue, err = job.NewQueue(b.db, log); err != nil {
		b.t.Fatal(err)
	}
	b.ledger = ledger.New(b.queue, firewall.Rules)
	b.whole = &job.Whole{
		DB: b.db, Fleet: b.fleet, Targets: targets{}, First: "provision", Last: "remove",
		Aspects: map[string]job.Aspect{
			firewall.Aspect: converge.Converger{Ledger: b.ledger, Plans: firewall.Plan}.Aspect(), "gone": gone(), "flaky": planned((&flaky{}).plan),
			"checked": checked(), "asking": planned(b.asking.plan), "restore": printing(), "versions": planned(versions), "choosy": b.choosy.aspect(),
			"parts": partly(),
		},
	}
	maps.Copy(b.whole.Aspects, b.more(b))
	b.engine = job.NewEngine(job.EngineConfig{Whole: b.whole, Box: b.box, Queue: b.queue, Log: log, Rights: b.rights, Look: b.look})
	b.workers = job.NewWorkers(b.queue, job.WorkersConfig{Log: log})
	b.engine.Work(b.workers)
	job.Handle(b.workers, func(context.Context, message) error {
		b.messages <- struct{}{}
		return nil
	})
	var called atomic.Int32
	job.Handle(b.workers, func(context.Context, again) error {
		if called.Add(1) == 1 {
			return job.Again(time.Millisecond)
		}
		b.messages <- struct{}{}
		return nil
	})
	if err := b.workers.Start(context.WithoutCancel(b.t.Context())); err != nil {
		b.t.Fatal(err)
	}
	b.engine.Start(context.WithoutCancel(b.t.Context()))
}

func (b *bench) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b.engine.Stop()
	if err := b.workers.Stop(ctx); err != nil {
		b.t.Error(err)
	}
}

func (b *bench) tx(f func(ctx context.Context, tx *db.Tx) error) {
	b.t.Helper()
	if err := b.db.Tx(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

// portSpec is the port of a rule.
func portSpec(text string) value.PortSpec {
	p, err := value.ParsePortSpec(text)
	if err != nil {
		panic(err)
	}
	return p
}

// add accepts rules in one transaction, so that they are pending together.
func (b *bench) add(within time.Duration, ports ...string) (rules []query.FirewallRule, accepted []job.Accepted) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		for _, port := range ports {
			rule, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{
				ServerID: b.server.ID, Name: port, Port: portSpec(port), Type: "allow",
				Status: server.PartInstalling,
			})
			if err != nil {
				return err
			}
			wish, err := firewall.Rules.Want(rule.ID, firewall.Specification{Name: port, Port: portSpec(port), Type: firewall.Allow})
			if err != nil {
				return err
			}
			a, err := b.ledger.Accept(ctx, tx, b.work(rule, "create", within), wish)
			if err != nil {
				return err
			}
			rules, accepted = append(rules, rule), append(accepted, a)
		}
		return nil
	})
	return rules, accepted
}

func (b *bench) work(rule query.FirewallRule, action string, within time.Duration) job.Work {
	return job.Work{
		Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: firewall.Aspect, Resource: "rules", ResourceID: rule.ID, Action: action,
		Description: action, RanAs: "root", Within: within,
	}
}

func (b *bench) remove(rule query.FirewallRule, within time.Duration) job.Accepted {
	b.t.Helper()
	var a job.Accepted
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		var err error
		a, err = b.ledger.Accept(ctx, tx, b.work(rule, "delete", within), firewall.Rules.Removal(rule.ID))
		return err
	})
	return a
}

// wantEnd waits until an operation ended and checks how.
func (b *bench) wantEnd(a job.Accepted, state, reason string) query.Operation {
	b.t.Helper()
	var op query.Operation
	b.until("the operation ends", func() bool {
		var err error
		if op, err = b.db.Read().Ungranted().GetOperation(b.t.Context(), a.OperationID); err != nil {
			b.t.Fatal(err)
		}
		return op.State != job.StatePending && op.State != job.StateRunning
	})
	if op.State != state || !strings.Contains(op.Reason, reason) {
		b.t.Errorf("operation ended %s (%s), want %s with a reason that says %q", op.State, op.Reason, state, reason)
	}
	if (op.Reason == "") != (op.ReasonCode == "") {
		b.t.Errorf("the reason %q has the code %q", op.Reason, op.ReasonCode)
	}
	return op
}

func (b *bench) wantStatus(rule query.FirewallRule, status string) {
	b.t.Helper()
	got := "gone"
	if row, err := b.db.Read().Ungranted().GetFirewallRule(b.t.Context(), b.server.ID, rule.ID); err == nil {
		got = row.Status
	}
	if got != status {
		b.t.Errorf("rule %s is %s, want %s", rule.Name, got, status)
	}
}

func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			b.t.Fatalf("waited two minutes in vain until %s", what)
		case <-tick.C:
		}
	}
}

func (b *bench) attempts() int {
	b.fleet.mu.Lock()
	defer b.fleet.mu.Unlock()
	return len(b.fleet.runs)
}

func rules(run wire.Run) string {
	for _, s := range run.Change.Steps {
		if s.File != nil {
			return string(s.File.Content)
		}
	}
	return ""
}

func TestWorkEndsInWhatIsTrue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rule, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.wantStatus(rule[0], server.PartInstalled)
	b.wantEnd(b.remove(rule[0], time.Minute), job.StateSucceeded, "")
	b.wantStatus(rule[0], "gone")
	output, err := b.db.Read().Ungranted().ListOutput(t.Context(), accepted[0].EventID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, o := range output {
		text.WriteString(o.Content)
	}
	if got := text.String(); got != "load: changed\nthe server accepted a new connection after the change\nDone.\n" {
		t.Errorf("the event's output is %q", got)
	}
	var kept, all int
	if err := b.db.SQLDB().QueryRowContext(t.Context(), `SELECT COUNT(*) FILTER (WHERE length(run) > 0), COUNT(*) FROM runs`).Scan(&kept, &all); err != nil ||
		kept != 0 || all != 2 {
		t.Errorf("of %d runs that ended, %d are kept with all that they were told: %v", all, kept, err)
	}
}

// planned is an aspect of which only the plan counts.
func planned(plan func(context.Context, *query.Queries, query.Server, []query.Operation) ([]job.Stage, error)) job.Aspect {
	return job.Aspect{Plan: plan}
}

// always is an aspect with the same plan for all work, the error included.
func always(err error, stages ...job.Stage) job.Aspect {
	return planned(func(context.Context, *query.Queries, query.Server, []query.Operation) ([]job.Stage, error) {
		return stages, err
	})
}

// gone is an aspect whose resources no longer exist.
func gone() job.Aspect {
	a := always(nil)
	a.Write = func(_ context.Context, _ *db.Tx, _ query.Operation, at job.State) error {
		if !at.Ended() {
			return nil
		}
		return fmt.Errorf("settle: %w", db.ErrNotFound)
	}
	return a
}

func TestWorkOfWhatIsGoneEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var a job.Accepted
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		var err error
		a, err = b.queue.Begin(ctx, tx, job.Work{
			Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: "gone", Resource: "things", ResourceID: 1,
			Action: "update", Description: "update", RanAs: "root", Within: time.Minute,
		})
		return err
	})
	b.wantEnd(a, job.StateSucceeded, "")
}

// checked is work that the host reports as successful, and that fails its check afterwards.
func checked() job.Aspect {
	return always(nil,
		job.Stage{Name: "send", Change: wire.Change{Steps: []wire.Step{{Name: "load"}}}},
		job.Stage{Name: "list", After: func(context.Context, query.Server) error { return &job.StageError{Reason: "nothing is listed"} }},
	)
}

// asking is work that asks elsewhere and waits for the answer: each attempt goes through its stages from the beginning, and blocks in the first one.
type asking struct {
	first, again chan struct{}
}

func (a asking) plan(context.Context, *query.Queries, query.Server, []query.Operation) ([]job.Stage, error) {
	return []job.Stage{
		{Name: "order", After: func(ctx context.Context, _ query.Server) error {
			select {
			case <-a.first:
			case <-ctx.Done():
			}
			return nil
		}},
		{Name: "call", After: func(ctx context.Context, _ query.Server) error {
			select {
			case <-a.again:
				return nil
			default:
				return &job.LaterError{Reason: "The server boots.", After: time.Millisecond}
			}
		}},
	}, nil
}

// Why work waits stays known while the next attempt asks again: it is what a person reads, also when the deadline passes in between.
func TestReasonOutlivesTheNextAttempt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var a job.Accepted
	b.tx(func(ctx context.Context, tx *db.Tx) (err error) {
		a, err = b.queue.Begin(ctx, tx, job.Work{
			Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: "asking", Resource: "things", ResourceID: 1,
			Action: "update", Description: "update", RanAs: "root", Within: time.Minute,
		})
		return err
	})
	b.asking.first <- struct{}{} // the first attempt goes on to the call, which tells it to wait
	b.until("the next attempt asks", func() bool {
		op, err := b.db.Read().Ungranted().GetOperation(t.Context(), a.OperationID)
		return err == nil && op.Step == "order" && op.Reason == "The server boots."
	})
	close(b.asking.first)
	close(b.asking.again)
	b.wantEnd(a, job.StateSucceeded, "")
}

// versions is an aspect whose plan needs a package that the facts of the server name.
func versions(_ context.Context, _ *query.Queries, server query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) > 0 && !strings.Contains(server.Facts, "nginx") {
		return nil, job.Planned(errors.New("nginx is not installed"))
	}
	return []job.Stage{{Name: "send", Change: wire.Change{Steps: []wire.Step{{Name: "load"}}}}}, nil
}

// A plan is refused only for facts of now: the known ones may predate a manual fix.
func TestRefusalIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stop()
	var facts atomic.Pointer[string]
	facts.Store(new("{}"))
	b.look = func(ctx context.Context, server query.Server) error {
		return b.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.SetServerIdentity(ctx, query.SetServerIdentityParams{ID: server.ID, HostKeys: "known", SSHPort: 22, Facts: *facts.Load()})
		})
	}
	b.start()
	ask := func() (a job.Accepted) {
		b.tx(func(ctx context.Context, tx *db.Tx) (err error) {
			a, err = b.queue.Begin(ctx, tx, job.Work{
				Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: "versions", Resource: "things", ResourceID: 1,
				Action: "update", Description: "update", RanAs: "root", Within: time.Minute,
			})
			return err
		})
		return a
	}
	b.wantEnd(ask(), job.StateFailed, "Nginx is not installed.")
	facts.Store(new(`{"packages":{"nginx":"1.22"}}`))
	b.wantEnd(ask(), job.StateSucceeded, "")
}

// A failure after the host's run has ended ends that run too: later work in the lane is not blocked.
func TestFailureAfterARunEndsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := range 2 {
		var a job.Accepted
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			var err error
			a, err = b.queue.Begin(ctx, tx, job.Work{
				Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: "checked", Resource: "things", ResourceID: 1,
				Action: "update", Description: "update", RanAs: "root", Within: time.Minute,
			})
			return err
		})
		b.wantEnd(a, job.StateFailed, "Nothing is listed.")
		open, err := b.db.Read().Ungranted().ListOpenRuns(t.Context(), b.server.ID, "checked")
		if err != nil || len(open) != 0 || len(b.fleet.starts) != n+1 {
			t.Errorf("open are %v of %d runs, %v", open, len(b.fleet.starts), err)
		}
	}
}

func TestPendingWorkIsOneChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, accepted := b.add(time.Minute, "8001", "8002", "8003")
	for _, a := range accepted {
		b.wantEnd(a, job.StateSucceeded, "")
	}
	if n := b.attempts(); n != 1 {
		t.Errorf("three rules that were pending together took %d runs, want 1", n)
	}
}

// One bad rule among good ones fails alone, and the good ones are on the host.
func TestOneBadOperationFailsAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		if strings.Contains(rules(run), "8002") {
			return wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "check firewall rules", Reason: "exit 1", Restored: true}, nil
		}
		return done(run)
	})
	rule, accepted := b.add(time.Minute, "8001", "8002", "8003")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	op := b.wantEnd(accepted[1], job.StateFailed, "Exit 1.")
	b.wantEnd(accepted[2], job.StateSucceeded, "")
	if op.Step != "check firewall rules" {
		t.Errorf("the failed step is %q", op.Step)
	}
	for i, want := range []string{server.PartInstalled, server.PartFailed, server.PartInstalled} {
		b.wantStatus(rule[i], want)
	}
	last := rules(b.fleet.runs[len(b.fleet.runs)-1])
	if !strings.Contains(last, "8001") || !strings.Contains(last, "8003") || strings.Contains(last, "8002") {
		t.Errorf("the last rules on the host are\n%s", last)
	}
}

func TestUnreachableIsTriedUntilItHeals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rule, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.fleet.say(unreachable)
	a := b.remove(rule[0], time.Minute)
	b.until("the reason is noted", func() bool {
		op, err := b.db.Read().Ungranted().GetOperation(t.Context(), a.OperationID)
		return err == nil && op.Reason == "The server does not answer."
	})
	b.wantStatus(rule[0], server.PartRemoving)
	b.fleet.say(done)
	b.wantEnd(a, job.StateSucceeded, "")
	b.wantStatus(rule[0], "gone")
}

// After the deadline the rule is what it was, with the reason; a retry is possible and works.
func TestDeadlineEndsInTheOldStateAndCanBeRetried(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rule, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.fleet.say(unreachable)
	a := b.remove(rule[0], 500*time.Millisecond)
	b.wantEnd(a, job.StateFailed, "The deadline passed.")
	b.wantStatus(rule[0], server.PartInstalled)
	b.fleet.say(done)
	// The abandoned run is processed first; it came too late, so it does not count.
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.engine.Retry(ctx, tx, a.OperationID, 1) })
	b.until("the rule is gone", func() bool {
		_, err := b.db.Read().Ungranted().GetFirewallRule(t.Context(), b.server.ID, rule[0].ID)
		return errors.Is(err, db.ErrNotFound)
	})
	b.wantEnd(a, job.StateSucceeded, "")
}

// A host that did the work but could not report it in time is believed when it can.
func TestLateSuccessIsTheTruth(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rule, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.fleet.say(unreachable)
	a := b.remove(rule[0], 500*time.Millisecond)
	b.wantEnd(a, job.StateFailed, "The deadline passed.")
	b.fleet.say(done) // the run was started before the line broke
	b.until("the rule is gone", func() bool {
		_, err := b.db.Read().Ungranted().GetFirewallRule(t.Context(), b.server.ID, rule[0].ID)
		return errors.Is(err, db.ErrNotFound)
	})
	b.wantEnd(a, job.StateSucceeded, "already completed")
}

// Work whose time was up while no panel ran has the end that its host tells, and never another one before it.
func TestEndsWhileAwayAreAskedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil })
	rule, accepted := b.add(time.Minute, "8080")
	b.until("the run has begun", func() bool { return b.attempts() == 1 })
	b.stop()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET deadline = 1 WHERE id = $1", accepted[0].OperationID)
		return err
	})
	asked, answer := make(chan struct{}), make(chan struct{})
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		close(asked)
		<-answer
		return done(run)
	})
	b.start()
	<-asked
	if err := b.engine.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if op, err := b.db.Read().Ungranted().GetOperation(t.Context(), accepted[0].OperationID); err != nil || op.State != job.StateRunning {
		t.Errorf("while the host is asked, the operation is %s: %s, %v", op.State, op.Reason, err)
	}
	close(answer)
	if op := b.wantEnd(accepted[0], job.StateSucceeded, ""); op.Reason != "" {
		t.Errorf("reason %q", op.Reason)
	}
	b.wantStatus(rule[0], server.PartInstalled)
}

// Work that was lost with its host left nothing there, or what the same plan makes right, and is repeated automatically.
func TestLostRunIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, restored := range []bool{true, false} {
		t.Run(fmt.Sprint("restored ", restored), func(t *testing.T) {
			t.Parallel()
			lostRunIsTriedAgain(t, restored)
		})
	}
}

func lostRunIsTriedAgain(t *testing.T, restored bool) {
	t.Helper()
	b := newBench(t)
	lost := 0
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		if lost++; lost == 1 {
			return wire.Result{ID: run.ID, State: wire.StateLost, Restored: restored}, nil
		}
		return done(run)
	})
	rule, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.wantStatus(rule[0], server.PartInstalled)
	if n := len(b.fleet.starts); n != 2 {
		t.Errorf("%d runs were started, want 2 with ids of their own", n)
	}
}

// A process that is killed midway leaves a run that the next one attaches to: the same id, and no second one.
func TestRestartAttachesToTheSameRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil })
	rule, accepted := b.add(time.Minute, "8080")
	b.until("the run has begun", func() bool { return b.attempts() == 1 })
	b.stop()
	b.fleet.say(done)
	b.start()
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.wantStatus(rule[0], server.PartInstalled)
	if len(b.fleet.starts) != 1 {
		t.Errorf("the work had %d runs, want 1", len(b.fleet.starts))
	}
}

// A process that is killed between a host's result and recording it starts no second run either, and repeats no output.
func TestRestartKnowsARunThatHasEnded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sql := func(text string) {
		t.Helper()
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, text)
			return err
		})
	}
	sql("CREATE TRIGGER killed BEFORE UPDATE ON operations WHEN NEW.state = 'succeeded' BEGIN SELECT RAISE(ABORT, 'killed'); END")
	ended := make(chan struct{}, 100)
	b.fleet.say(func(run wire.Run) (wire.Result, error) { ended <- struct{}{}; return done(run) })
	rule, accepted := b.add(time.Minute, "8080")
	<-ended
	b.stop()
	sql("DROP TRIGGER killed")
	b.start()
	op := b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.wantStatus(rule[0], server.PartInstalled)
	if len(b.fleet.starts) != 1 {
		t.Errorf("the work had %d runs, want 1", len(b.fleet.starts))
	}
	if text := b.output(*op.EventID); strings.Count(text, "load: changed") != 1 {
		t.Errorf("what the host said once is told as:\n%s", text)
	}
}

func TestCancelPutsBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil })
	rule, accepted := b.add(time.Minute, "8080")
	b.until("the run has begun", func() bool { return b.attempts() == 1 })
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.queue.Cancel(ctx, tx, accepted[0].OperationID) })
	b.wantEnd(accepted[0], job.StateCancelled, "Cancelled.")
	b.wantStatus(rule[0], server.PartFailed)
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := b.queue.Cancel(ctx, tx, accepted[0].OperationID); !errors.Is(err, job.ErrEnded) {
			return fmt.Errorf("cancelling twice says %w", err)
		}
		return nil
	})
}

func TestChangedHostKeyStopsEverything(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.unsent = true
	b.fleet.say(anotherKey)
	_, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateFailed, "changed from SHA256:old to SHA256:new")
	row, err := b.db.Read().Ungranted().GetServer(t.Context(), b.server.ID)
	if err != nil {
		t.Fatal(err)
	}
	if row.ConnectionStatus == nil || *row.ConnectionStatus != "host-key-changed" {
		t.Errorf("connection_status is %v", row.ConnectionStatus)
	}
}

// Many jobs for an unreachable server must not occupy all workers: another server's work continues.
func TestAnAwayServerHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(unreachable)
	var ports []string
	for i := range 100 {
		ports = append(ports, fmt.Sprint(10000+i))
	}
	b.add(time.Minute, ports...)
	b.until("the away server was tried", func() bool { return b.attempts() > 0 })
	b.fleet.say(done)
	away := b.server
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		var err error
		connected := "connected"
		b.server, err = tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: b.grant.OrganizationID, Name: "other", Slug: "other", Type: "web",
			Provider: "custom", Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC",
		})
		if err != nil {
			return err
		}
		if err := tx.SetServerIdentity(ctx, query.SetServerIdentityParams{ID: b.server.ID, HostKeys: "known", SSHPort: 22, Facts: "{}"}); err != nil {
			return err
		}
		return tx.SetServerStatus(ctx, query.SetServerStatusParams{ID: b.server.ID, Status: "ready", ConnectionStatus: &connected, IsReady: true})
	})
	_, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	pending, err := b.db.Read().Ungranted().ListPendingOperations(t.Context(), away.ID, firewall.Aspect)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(pending, func(op query.Operation) bool { return op.State == job.StateFailed }) {
		t.Error("work of the away server was given up")
	}
}

// The plan of a transaction is what it would change, and a dry run stores none of it.
func TestPlanComparesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	runs := b.attempts()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Mark(ctx); err != nil {
			return err
		}
		port := "9090"
		rule, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{
			ServerID: b.server.ID, Name: port, Port: portSpec(port), Type: "allow",
			Status: server.PartInstalling,
		})
		if err != nil {
			return err
		}
		wish, err := firewall.Rules.Want(rule.ID, firewall.Specification{Name: port, Port: portSpec(port), Type: firewall.Allow})
		if err != nil {
			return err
		}
		if _, err := b.ledger.Accept(ctx, tx, b.work(rule, "create", time.Minute), wish); err != nil {
			return err
		}
		plan, err := b.engine.Plan(ctx, tx)
		if err != nil {
			return err
		}
		if len(plan.Servers) != 1 || len(plan.Servers[0].Files) != 1 || !strings.Contains(plan.Servers[0].Files[0].Diff, "\n+\t\tmeta l4proto") &&
			!strings.Contains(plan.Servers[0].Files[0].Diff, "9090") {
			t.Errorf("the plan is %+v", plan)
		}
		if !slices.Equal(plan.Servers[0].Actions, []string{"nft -f /etc/hostler/firewall.nft"}) {
			t.Errorf("the actions are %q", plan.Servers[0].Actions)
		}
		return db.ErrRollback
	})
	rows, err := b.db.Read().Ungranted().ListFirewallRules(t.Context(), b.server.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || b.attempts() != runs {
		t.Errorf("after the dry run there are %d rules and %d runs", len(rows), b.attempts())
	}
}

// Manual changes are found and reported once, and reported again only if they differ or came back.
func TestDriftIsToldOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	told := func() (n int) {
		b.t.Helper()
		events, err := db.All[query.Event](t.Context(), b.db.Reader(), "events", db.Equal("description", "Drift found on web"))
		if err != nil {
			t.Fatal(err)
		}
		return len(events)
	}
	look := func(drifted bool) {
		b.t.Helper()
		b.fleet.mu.Lock()
		b.fleet.drifted = drifted
		b.fleet.mu.Unlock()
		if err := b.engine.LookForDrift(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		drifted bool
		want    int
	}{{false, 0}, {true, 1}, {true, 1}, {false, 1}, {true, 2}} {
		look(step.drifted)
		if got := told(); got != step.want {
			t.Errorf("look %d: drift was told %d times, want %d", i, got, step.want)
		}
	}
}

// A rule that is deleted while it is still being installed is gone in the end, on the host too: settling the older work must not
// make the newer one plan with the rule in it.
func TestDeleteOvertakesCreate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		once.Do(func() { close(begun); <-goOn })
		return done(run)
	})
	rule, created := b.add(time.Minute, "8080")
	<-begun
	removed := b.remove(rule[0], time.Minute)
	close(goOn)
	b.wantEnd(created[0], job.StateSucceeded, "")
	b.wantEnd(removed, job.StateSucceeded, "")
	b.wantStatus(rule[0], "gone")
	b.fleet.mu.Lock()
	defer b.fleet.mu.Unlock()
	if last := rules(b.fleet.runs[len(b.fleet.runs)-1]); strings.Contains(last, "8080") {
		t.Errorf("the host still has the rule:\n%s", last)
	}
}

// withSetUp is the bench's whole, with servers that are also set up by an aspect of the test.
func (b *bench) withSetUp(setUp job.Aspect) *job.Whole {
	whole := *b.whole
	whole.Aspects = map[string]job.Aspect{
		"provision": setUp, "remove": always(errors.New("asked for the removal")),
		firewall.Aspect: converge.Converger{Ledger: b.ledger, Plans: firewall.Plan}.Aspect(),
	}
	return &whole
}

func (b *bench) driftEvents() (texts []string) {
	b.t.Helper()
	events, err := db.All[query.Event](b.t.Context(), b.db.Reader(), "events", db.Equal("description", "Drift found on web"))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range events {
		texts = append(texts, b.output(e.ID))
	}
	return texts
}

func (b *bench) output(event int64) (text string) {
	b.t.Helper()
	pieces, err := b.db.Read().Ungranted().ListOutput(b.t.Context(), event, 0, 100)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range pieces {
		text += p.Content
	}
	return text
}

// Setting up begins with a firewall without rules, which the firewall's own plan replaces: each file is compared once, as the last aspect plans it.
func TestDriftComparesEachFileOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := func(name, path, text string) wire.Step {
		return wire.Step{Name: name, File: &wire.File{Path: path, Content: []byte(text)}}
	}
	e := b.withSetUp(always(nil, job.Stage{Name: "set up", Change: wire.Change{Steps: []wire.Step{
		file("ours", "/etc/ours", "x"),
		file("early rules", render.FirewallPath, "no rules yet"),
	}}}))
	if _, err := e.Drift(t.Context(), b.server); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, s := range b.fleet.compared {
		if s.File != nil {
			files = append(files, s.Name)
		}
	}
	if !slices.Equal(files, []string{"ours", "write firewall rules"}) {
		t.Errorf("compared the files %q", files)
	}
}

// A server with open work differs from its rows for a moment, which is not reported.
func TestDriftIsNotToldDuringWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(run wire.Run) (wire.Result, error) { return wire.Result{ID: run.ID, State: wire.StateRunning}, nil })
	_, accepted := b.add(time.Minute, "8080")
	b.fleet.mu.Lock()
	b.fleet.drifted = true
	b.fleet.mu.Unlock()
	if err := b.engine.LookForDrift(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.driftEvents(); len(got) != 0 {
		t.Errorf("told during work: %q", got)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.queue.Cancel(ctx, tx, accepted[0].OperationID) })
	b.wantEnd(accepted[0], job.StateCancelled, "")
	if err := b.engine.LookForDrift(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.driftEvents(); len(got) != 1 || !strings.Contains(got[0], "-by hand") {
		t.Errorf("told after work: %q", got)
	}
}

// If the desired state can't be determined, that is the finding.
func TestDriftThatCannotBePlanned(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	whole := b.withSetUp(always(job.Planned(errors.New("ufw is active on the server"))))
	var plan *job.PlanError
	if _, err := whole.Drift(t.Context(), b.server); !errors.As(err, &plan) {
		t.Errorf("got %v", err)
	}
	e := job.NewEngine(job.EngineConfig{Whole: whole, Box: b.box, Queue: b.queue, Log: slog.New(slog.DiscardHandler)})
	for range 2 {
		if err := e.LookForDrift(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.driftEvents(); len(got) != 1 || !strings.Contains(got[0], "Ufw is active on the server.") {
		t.Errorf("told %q", got)
	}
}

// If one of several operations in a change is cancelled, only that one ends so, and the others are done.
func TestCancelledOneOfABatchLeavesTheOthers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(wire.Run) (wire.Result, error){
		"WhileItRuns":      func(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil },
		"WhileUnreachable": unreachable,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.fleet.say(answer)
			b.fleet.unsent = name == "WhileUnreachable"
			rule, accepted := b.add(time.Minute, "8001", "8002", "8003", "8004")
			b.until("the change was tried", func() bool { return b.attempts() > 0 })
			b.fleet.say(func(run wire.Run) (wire.Result, error) {
				if strings.Contains(rules(run), "8002") {
					return answer(run)
				}
				return done(run)
			})
			b.tx(func(ctx context.Context, tx *db.Tx) error { return b.queue.Cancel(ctx, tx, accepted[1].OperationID) })
			b.wantEnd(accepted[1], job.StateCancelled, "Cancelled")
			for _, i := range []int{0, 2, 3} {
				b.wantEnd(accepted[i], job.StateSucceeded, "")
				b.wantStatus(rule[i], server.PartInstalled)
			}
			b.wantStatus(rule[1], server.PartFailed)
		})
	}
}

// A rule that could not be created, and whose deletion fails too, is on no host, and the next rule does not open its port.
func TestDeletionOfWhatWasNeverCreatedFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	refuse := func(run wire.Run) (wire.Result, error) {
		return wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "check firewall rules", Reason: "exit 1", Restored: true}, nil
	}
	b.fleet.say(refuse)
	rule, accepted := b.add(time.Minute, "8001")
	b.wantEnd(accepted[0], job.StateFailed, "")
	b.wantEnd(b.remove(rule[0], time.Minute), job.StateFailed, "")
	b.wantStatus(rule[0], server.PartFailed)
	b.fleet.say(done)
	other, accepted := b.add(time.Minute, "8002")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.wantStatus(other[0], server.PartInstalled)
	if last := rules(b.fleet.runs[len(b.fleet.runs)-1]); strings.Contains(last, "8001") {
		t.Errorf("the next rule opened the port of one that failed:\n%s", last)
	}
}

// A deletion that failed asks again whether the rule may go when it is retried: what else let Hostler in may have gone since.
func TestRetriedDeletionAsksAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rule, accepted := b.add(time.Minute, "22", "20:30")
	for _, a := range accepted {
		b.wantEnd(a, job.StateSucceeded, "")
	}
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		return wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "load", Reason: "exit 1", Restored: true}, nil
	})
	failed := b.remove(rule[0], time.Minute)
	b.wantEnd(failed, job.StateFailed, "Exit 1")
	b.fleet.say(done)
	b.wantEnd(b.remove(rule[1], time.Minute), job.StateSucceeded, "")
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := b.engine.Retry(ctx, tx, failed.OperationID, 1); err == nil || !strings.Contains(err.Error(), "last rule that opens the SSH port") {
			t.Errorf("a retried deletion of the last rule for SSH answers %v", err)
		}
		return db.ErrRollback
	})
	b.wantStatus(rule[0], server.PartInstalled)
}

// addAndRemove adds a rule and removes it, both while the host is busy with another one until goOn is closed. The deletion is what remains to be done.
func (b *bench) addAndRemove() (rule query.FirewallRule, created, removed job.Accepted, goOn chan struct{}) {
	b.t.Helper()
	blocked, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		once.Do(func() { close(blocked); <-goOn })
		return done(run)
	})
	b.add(time.Minute, "8001")
	<-blocked
	rules, accepted := b.add(time.Minute, "8002")
	return rules[0], accepted[0], b.remove(rules[0], time.Minute), goOn
}

// A run of a stage that the plan no longer has, after an update of the program, is followed to its end; then the whole plan runs.
func TestStageOfAnEarlierProgram(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sent := make(chan struct{}, 100)
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		sent <- struct{}{}
		return unreachable(run)
	})
	rules, accepted := b.add(time.Minute, "8001")
	<-sent
	b.stop()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE runs SET stage_name = 'of an earlier program'")
		return err
	})
	b.fleet.say(done)
	b.start()
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.wantStatus(rules[0], server.PartInstalled)
	b.fleet.mu.Lock()
	defer b.fleet.mu.Unlock()
	if len(b.fleet.starts) != 2 {
		t.Errorf("the host got %d different runs, want that of the earlier program and one of the plan", len(b.fleet.starts))
	}
}

// A newer operation on the same rule completely replaces one that has not begun.
func TestNewerOperationSupersedes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rule, created, removed, goOn := b.addAndRemove()
	b.wantEnd(created, job.StateCancelled, fmt.Sprintf("Superseded by operation %d.", removed.OperationID))
	close(goOn)
	b.wantEnd(removed, job.StateSucceeded, "")
	b.wantStatus(rule, "gone")
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := b.engine.Retry(ctx, tx, created.OperationID, 1); err == nil {
			t.Error("an operation on a rule that was deleted since is tried again")
		}
		return db.ErrRollback
	})
}

// A change that could not be confirmed is made once more if its server was silent, and fails if the server answered or it happens again.
func TestUnconfirmedChangeIsMadeOnceMore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		unheard int // how often nothing is heard
		heard   bool
		state   string
		attempt int64
	}{
		"once":         {1, false, job.StateSucceeded, 2},
		"twice":        {2, false, job.StateFailed, 2},
		"it was heard": {0, true, job.StateFailed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			left := tt.unheard
			b.fleet.say(func(run wire.Run) (wire.Result, error) {
				if left > 0 || tt.heard {
					left--
					return wire.Result{ID: run.ID, State: wire.StateReverted, Reason: "not confirmed in time", Restored: true, Unheard: !tt.heard}, nil
				}
				return done(run)
			})
			_, accepted := b.add(time.Minute, "8001")
			if op := b.wantEnd(accepted[0], tt.state, ""); op.Attempt != tt.attempt {
				t.Errorf("%d attempts, want %d", op.Attempt, tt.attempt)
			}
		})
	}
}

// Older work is not retried while it is unknown whether a newer deletion of the same rule reached the host: it would undo the deletion.
func TestNewerWorkInDoubtStands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, created, removed, goOn := b.addAndRemove()
	b.wantEnd(created, job.StateCancelled, "Superseded")
	sent := make(chan struct{}, 100)
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		sent <- struct{}{}
		return unreachable(run)
	})
	close(goOn)
	<-sent
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET deadline = $1 WHERE id = $2", tx.Micros(), removed.OperationID)
		return err
	})
	if err := b.engine.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.wantEnd(removed, job.StateFailed, "is not known until it answers")
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := b.engine.Retry(ctx, tx, created.OperationID, 1); err == nil {
			t.Error("an operation on a rule whose deletion may have reached the host is tried again")
		}
		return db.ErrRollback
	})
}

// A creation in doubt that is tried again is with the host: a deletion of the rule waits for it instead of superseding it, and if the deletion ends before it
// is done, the rule is there.
func TestRetriedWorkInDoubtIsNotSuperseded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sent, goOn := make(chan struct{}, 100), make(chan struct{})
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		sent <- struct{}{}
		select {
		case <-goOn:
			return done(run)
		default:
			return unreachable(run)
		}
	})
	expire := func(a job.Accepted) {
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET deadline = $1 WHERE id = $2", tx.Micros(), a.OperationID)
			return err
		})
		if err := b.engine.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	rules, created := b.add(time.Minute, "8001")
	<-sent
	expire(created[0])
	b.wantEnd(created[0], job.StateFailed, "is not known until it answers")
	var removed job.Accepted
	b.tx(func(ctx context.Context, tx *db.Tx) (err error) {
		if err := b.engine.Retry(ctx, tx, created[0].OperationID, 1); err != nil {
			return err
		}
		removed, err = b.ledger.Accept(ctx, tx, b.work(rules[0], "delete", time.Minute), firewall.Rules.Removal(rules[0].ID))
		return err
	})
	expire(removed)
	b.wantEnd(removed, job.StateFailed, "The deadline passed.")
	close(goOn)
	b.wantEnd(created[0], job.StateSucceeded, "")
	b.wantStatus(rules[0], server.PartInstalled)
}

// Setting a server up is retried although one of its first rules is to be deleted by then: the deletion waits for it.
func TestNewerOperationsWaitForTheFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		return wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "check firewall rules", Reason: "exit 1", Restored: true}, nil
	})
	rule, accepted := b.add(time.Minute, "8001")
	first := b.wantEnd(accepted[0], job.StateFailed, "")
	b.fleet.say(unreachable)
	b.remove(rule[0], time.Minute)
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := b.ledger.Resume(ctx, tx, first); err == nil {
			t.Error("an operation with a newer one on the same rule is tried again")
		}
		return b.ledger.Reopen(ctx, tx, first)
	})
	b.wantStatus(rule[0], server.PartRemoving)
}

// flaky is an aspect whose first plans fail like a failed read of the panel's own database.
type flaky struct{ plans atomic.Int32 }

func (f *flaky) plan(_ context.Context, _ *query.Queries, _ query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	if f.plans.Add(1) < 3 {
		return nil, errors.New(`pq: relation "sites" does not exist`)
	}
	return []job.Stage{{Name: "send", Change: wire.Change{Steps: []wire.Step{{Name: "load"}}}}}, nil
}

// A failure of the panel itself ends no work, and its text reaches no reason.
func TestFailedReadEndsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var a job.Accepted
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		var err error
		a, err = b.queue.Begin(ctx, tx, job.Work{
			Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: "flaky", Resource: "things", ResourceID: 1,
			Action: "update", Description: "update", RanAs: "root", Within: time.Minute,
		})
		return err
	})
	op := b.wantEnd(a, job.StateSucceeded, "")
	if op.Attempt != 1 || op.Reason != "" {
		t.Errorf("the work was tried %d times, with the reason %q", op.Attempt, op.Reason)
	}
}
