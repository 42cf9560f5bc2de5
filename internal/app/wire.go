package app

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/retention"
	"github.com/hostlerhq/hostler/internal/engine/update"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/attention"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// house is the program while it is put together: the ground, what works on hosts, and what answers requests, each made from those before it. What a noun
// adds is its row (nouns).
type house struct {
	*App
	ground
	work
	edge
}

// wire puts the parts of the program together.
func (a *App) wire() (err error) {
	if a.authURL == nil {
		a.authURL = a.BaseURL
	}
	h := &house{App: a}
	if h.ground, err = newGround(a); err != nil {
		return err
	}
	if h.work, err = newWork(a, h.ground); err != nil {
		return err
	}
	h.rows = h.nouns()
	h.converge()
	h.handle()
	h.answer()
	return nil
}

// converge makes the engine, which knows what each noun has on hosts.
func (h *house) converge() {
	aspects := map[string]job.Aspect{}
	for _, n := range h.rows {
		h.Ledger.Learn(n.kinds...)
		h.vhosts.Include(n.includes...)
		for about, check := range n.mails {
			h.Outbox.Checks[about] = check
		}
		for about, outcome := range n.mailed {
			h.Outbox.Outcomes[about] = outcome
		}
		for name, aspect := range n.aspects {
			aspects[name] = aspect
		}
	}
	h.whole = &job.Whole{DB: h.DB, Fleet: h.fleet, Targets: h.keys, First: server.AspectProvision, Last: server.AspectRemove, Aspects: aspects}
	h.engine = job.NewEngine(job.EngineConfig{
		Whole: h.whole, Box: h.Box, Queue: h.Queue, Log: h.Log, Drifted: h.notifier.Drifted, Rights: h.servers,
		Menders: map[string]job.Aspect{server.AspectRepair: (&server.Repairer{Provisioner: h.provisioner, Mender: h.whole, Drifter: h.whole}).Aspect()},
		Look: func(ctx context.Context, srv query.Server) error {
			if err := h.provisioner.Refresh(ctx, srv); err != nil {
				return err
			}
			var errs error
			for _, n := range h.rows {
				if n.watch != nil {
					errs = errors.Join(errs, n.watch(ctx, srv))
				}
			}
			return errs
		},
		Elsewhere: func(ctx context.Context, rows query.DBTX, op query.Operation) (out []string, err error) {
			for _, n := range h.rows {
				if n.elsewhere == nil {
					continue
				}
				more, err := n.elsewhere(ctx, rows, op)
				if err != nil {
					return nil, err
				}
				out = append(out, more...)
			}
			return out, nil
		},
		Rollout: job.Rollout{Version: h.Config.Version, Hold: h.Config.HoldRollout, Repair: server.RolloutRepairs(h.Queue)},
	})
}

// handle makes the workers, and what they do: the work of nouns, and the panel's own.
func (h *house) handle() {
	h.releases = &update.Watch{DB: h.DB, Source: h.Config.Releases(), Log: h.Log}
	periodic := []job.Periodic{delivery.Periodic(), retention.Periodic(), tidyPeriodic()}
	if h.Config.BackupStorage != 0 {
		periodic = append(periodic, backupPeriodic())
	}
	if h.Config.looksForReleases() {
		periodic = append(periodic, update.Periodic())
	}
	for _, n := range h.rows {
		periodic = append(periodic, n.periodic...)
	}
	h.keep = cmp.Or(h.Config.Keep, retention.Defaults())
	h.Workers = job.NewWorkers(h.Queue, job.WorkersConfig{Log: h.Log, Periodic: periodic, Keep: h.keep.Jobs, Traces: h.traces})
	h.releases.Work(h.Workers)
	job.Handle(h.Workers, h.tidy)
	own := &SelfBackup{Config: h.Config, Store: h.Store, Log: h.Log}
	job.HandleFor(h.Workers, backupWithin, func(ctx context.Context, _ backsUp) error { return own.Due(ctx) })
	h.engine.Work(h.Workers)
	h.deliveries.Work(h.Workers)
	(&retention.Keeper{DB: h.DB, Keep: h.keep}).Work(h.Workers)
	for _, n := range h.rows {
		if n.work != nil {
			n.work(h.Workers)
		}
	}
}

// answer makes the router, and registers the operations of nouns.
func (h *house) answer() {
	authenticator := &account.Authenticator{DB: h.DB, Other: oauth.Tokens{DB: h.DB}.Authenticate, Secure: h.BaseURL.Scheme == "https"}
	fields, parameters := map[string]map[string]string{"": common()}, map[string]string{}
	values := map[string][]string{}
	for _, n := range h.rows {
		fields[n.name] = n.fields
		maps.Copy(values, n.values)
		maps.Copy(parameters, n.parameters)
	}
	h.Router = api.New(api.Config{
		DB: h.DB, Box: h.Box, Log: h.Log, Authenticator: authenticator, Planner: h.engine, BaseURL: h.BaseURL, AuthURL: h.authURL,
		DashboardOrigin: h.Config.DashboardOrigin, RateLimit: h.Config.RateLimit, OrganizationLimit: h.organizations.RateLimit,
		Room: h.room, Tags: tags(), Texts: []string{organization.Parameter}, Fields: fields, Values: values, Parameters: parameters,
		Commands: commands(),
	})
	h.edge = newEdge(h, authenticator)
	h.Attention = &attention.Store{DB: h.DB, Panel: h.concerns}
	for _, n := range h.rows {
		if n.register != nil {
			n.register()
		}
		h.Attention.Sources = append(h.Attention.Sources, n.concerns...)
	}
	h.relay = &storage.Relay{Store: h.storages, Log: h.Log}
	h.viewer = h.Router.Viewer(api.Reference)
}
