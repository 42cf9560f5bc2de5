package sourcecontrol

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// The states of a site's setup at a provider.
const (
	StatePending    = "pending"
	StateRegistered = "registered"
	StateFailed     = "failed"
)

// Jobs enqueues work in a transaction.
type Jobs interface {
	Insert(ctx context.Context, tx *db.Tx, args job.Args) error
}

// Projects opens what a provider has to know.
type Projects interface {
	HookToken(row query.Project) (secret.String, error)
}

// Links makes providers match what sites want: their deploy key can read the repository, and pushes are reported if they deploy.
type Links struct {
	Store    *Store
	Jobs     Jobs
	Projects Projects
	// PushURL returns the address for a site's pushes.
	PushURL func(siteID int64) string
}

// Sync is the job that brings one site's provider up to date.
type Sync struct {
	SiteID int64 `json:"site_id"`
}

// Kind names the job.
func (Sync) Kind() string { return "source-control.sync" }

// Sweep is the job that finds sites that are gone, and work that lost its job.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "source-control.sweep" }

const (
	sweepEvery  = time.Minute
	lostAfter   = 10 * time.Minute
	busyFor     = 2 * time.Minute
	againBusy   = time.Second
	firstPause  = 5 * time.Second
	mostPause   = 30 * time.Minute
	maxAttempts = 12
)

// Periodic returns how often the sweep is made.
func Periodic() job.Periodic { return job.Periodic{Every: sweepEvery, Args: Sweep{}} }

// Work adds the jobs to the workers.
func (l *Links) Work(w *job.Workers) {
	job.Handle(w, l.sync)
	job.Handle(w, l.sweep)
}

// Changed has a site's provider brought up to date, after its project changed.
func (l *Links) Changed(ctx context.Context, tx *db.Tx, siteID int64) error {
	var provider int64
	repository := ""
	p, err := tx.Ungranted().GetProject(ctx, siteID)
	switch {
	case err == nil && p.ProviderID != nil:
		provider, repository = *p.ProviderID, p.Repository
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return fmt.Errorf("read project of site %d: %w", siteID, err)
	default:
		link, err := tx.Ungranted().GetSourceControlLink(ctx, siteID)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read source control of site %d: %w", siteID, err)
		}
		provider = link.ProviderID // what is set up stays until it is removed
	}
	if err := tx.WantSourceControlLink(ctx, siteID, provider, repository, new(tx.Micros())); err != nil {
		return fmt.Errorf("note source control of site %d: %w", siteID, err)
	}
	return l.Jobs.Insert(ctx, tx, Sync{SiteID: siteID})
}

// Renew is Changed, and forgets which secret the webhook has, so that it is made again.
func (l *Links) Renew(ctx context.Context, tx *db.Tx, site query.OfSite) error {
	link, err := tx.GetSourceControlLink(ctx, site)
	if err == nil {
		err = tx.KeepSourceControlLink(ctx, query.KeepSourceControlLinkParams{
			SiteID: link.SiteID, ProviderID: link.ProviderID,
			Repository: link.Repository, KeyID: link.KeyID, HookID: link.HookID, UpdatedAt: tx.Micros(),
		})
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("note source control of site %d: %w", site.OfSite(), err)
	}
	return l.Changed(ctx, tx, site.OfSite())
}

// Ready reports whether a site can be fetched as far as its provider is concerned: everything that a deployment needs is set up.
func (l *Links) Ready(ctx context.Context, q *query.Queries, siteID int64) (bool, error) {
	link, err := q.GetSourceControlLink(ctx, siteID)
	if errors.Is(err, db.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read source control of site %d: %w", siteID, err)
	}
	if link.State != StatePending {
		return true, nil // the deployment reports the failure too
	}
	p, err := q.GetProject(ctx, siteID)
	if err != nil {
		return false, fmt.Errorf("read project of site %d: %w", siteID, err)
	}
	return p.ProviderID == nil || p.PublicKey == nil || link.ProviderID == *p.ProviderID && link.Repository == p.Repository && link.PublicKey == *p.PublicKey, nil
}

// sync is the job: one at a time for a site, until nothing newer is wanted.
func (l *Links) sync(ctx context.Context, args Sync) error {
	now := l.Store.DB.Clock.Now()
	var claimed int64
	err := l.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		claimed, err = tx.ClaimSourceControlLink(ctx, args.SiteID, now.Add(busyFor).UnixMicro(), now.UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("take source control of site %d: %w", args.SiteID, err)
	}
	link, err := l.Store.DB.Read().Ungranted().GetSourceControlLink(ctx, args.SiteID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read source control of site %d: %w", args.SiteID, err)
	}
	if claimed == 0 {
		return job.Again(againBusy)
	}
	bounded, cancel := context.WithTimeout(ctx, busyFor-5*time.Second)
	defer cancel()
	gone, err := l.converge(bounded, &link)
	return l.settle(context.WithoutCancel(ctx), link, gone, err)
}

// settle writes how a try ended. What was wanted meanwhile begins at once.
func (l *Links) settle(ctx context.Context, link query.SourceControlLink, gone bool, tried error) error {
	var again time.Duration
	var problem *git.Problem
	known := errors.As(tried, &problem)
	if errors.Is(tried, git.ErrNoRepository) {
		known, problem = true, &git.Problem{Reason: "The account has no access to the repository " + link.Repository + ".", Lasting: true}
	}
	err := l.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.ReleaseSourceControlLink(ctx, link.SiteID); err != nil {
			return err
		}
		p := query.SettleSourceControlLinkParams{SiteID: link.SiteID, State: StateRegistered, UpdatedAt: tx.Micros(), Generation: link.Generation}
		switch {
		case tried == nil && gone:
			return tx.DeleteSourceControlLink(ctx, link.SiteID, link.Generation)
		case tried == nil:
		case known && (problem.Lasting || link.Attempts+1 >= maxAttempts):
			p.State, p.Reason, p.Attempts = StateFailed, problem.Reason, link.Attempts+1
		case known:
			again = max(min(firstPause<<min(link.Attempts, 20), mostPause), problem.After)
			p.State, p.Reason, p.Attempts, p.NextAt = StatePending, problem.Reason, link.Attempts+1, new(tx.Now.Add(again).UnixMicro())
		default:
			return nil
		}
		n, err := tx.SettleSourceControlLink(ctx, p)
		if n == 0 { // the newer wish has its own job
			again = 0
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("note source control of site %d: %w", link.SiteID, err)
	}
	if again > 0 {
		return job.Again(again)
	}
	if known {
		return nil
	}
	return tried
}

// wish is what a provider should have for a site; nothing if provider is nil.
type wish struct {
	provider   *query.SourceControlProvider
	project    query.Project
	key        string
	hook       bool
	repository string
}

func (l *Links) wanted(ctx context.Context, siteID int64) (wish, error) {
	q := l.Store.DB.Read().Ungranted()
	p, err := q.GetProject(ctx, siteID)
	if errors.Is(err, db.ErrNotFound) || err == nil && p.ProviderID == nil {
		return wish{}, nil
	}
	if err != nil {
		return wish{}, fmt.Errorf("read project of site %d: %w", siteID, err)
	}
	row, err := q.GetSourceControlProviderByID(ctx, *p.ProviderID)
	if err != nil {
		return wish{}, fmt.Errorf("read source control provider %d: %w", *p.ProviderID, err)
	}
	name, err := git.CheckName(row.Provider, p.Repository)
	if err != nil {
		return wish{}, &git.Problem{Reason: err.Error(), Lasting: true}
	}
	w := wish{provider: &row, project: p, hook: p.PushToDeploy, repository: name}
	if p.PublicKey != nil {
		w.key = *p.PublicKey
	}
	return w, nil
}

// converge sets up at the provider what is missing, in sequence; each is recorded before the next.
func (l *Links) converge(ctx context.Context, link *query.SourceControlLink) (gone bool, err error) {
	w, err := l.wanted(ctx, link.SiteID)
	if err != nil {
		return false, err
	}
	moved := w.provider == nil || w.provider.ID != link.ProviderID || w.project.Repository != link.Repository
	if moved && (link.KeyID != "" || link.HookID != "") {
		if err := l.takeAway(ctx, link); err != nil && (w.provider == nil || !lasting(err)) {
			return false, err // from a place that we can't enter any more nothing is taken away, and the new one does not wait for that
		}
	}
	if w.provider == nil {
		return true, nil
	}
	if moved {
		link.ProviderID, link.Repository, link.PublicKey, link.KeyID, link.HookHash, link.HookID = w.provider.ID, w.project.Repository, "", "", "", ""
		if err := l.keep(ctx, *link); err != nil {
			return false, err
		}
	}
	c, err := l.Store.open(*w.provider)
	if err != nil {
		return false, err
	}
	if err := l.key(ctx, c, link, w); err != nil {
		return false, err
	}
	return false, l.hook(ctx, c, link, w)
}

func lasting(err error) bool {
	var p *git.Problem
	return errors.Is(err, git.ErrNoRepository) || errors.As(err, &p) && p.Lasting
}

func (l *Links) key(ctx context.Context, c git.Client, link *query.SourceControlLink, w wish) error {
	if link.PublicKey == w.key {
		return nil
	}
	if link.KeyID != "" && link.PublicKey != "" {
		if err := c.RemoveKey(ctx, w.repository, link.KeyID); err != nil {
			return err
		}
	}
	link.KeyID = ""
	if w.key != "" {
		var err error
		if link.KeyID, err = c.AddKey(ctx, w.repository, "Hostler site "+strconv.FormatInt(link.SiteID, 10), w.key); err != nil {
			return err
		}
	}
	link.PublicKey = w.key
	return l.keep(ctx, *link)
}

func (l *Links) hook(ctx context.Context, c git.Client, link *query.SourceControlLink, w wish) error {
	want := ""
	if w.hook {
		want = w.project.HookHash
	}
	if link.HookHash == want && (link.HookID != "") == w.hook {
		return nil
	}
	if !w.hook {
		if err := c.RemoveHook(ctx, w.repository, link.HookID); err != nil {
			return err
		}
		link.HookID, link.HookHash = "", ""
		return l.keep(ctx, *link)
	}
	key, err := l.Projects.HookToken(w.project)
	if err != nil {
		return err
	}
	if link.HookID != "" {
		if err := c.RemoveHook(ctx, w.repository, link.HookID); err != nil {
			return err
		}
	}
	if link.HookID, err = c.AddHook(ctx, w.repository, l.PushURL(link.SiteID), key); err != nil {
		return err
	}
	link.HookHash = want
	return l.keep(ctx, *link)
}

// takeAway removes key and webhook from where they are.
func (l *Links) takeAway(ctx context.Context, link *query.SourceControlLink) error {
	row, err := l.Store.DB.Read().Ungranted().GetSourceControlProviderByID(ctx, link.ProviderID)
	if err != nil {
		return fmt.Errorf("read source control provider %d: %w", link.ProviderID, err)
	}
	c, err := l.Store.open(row)
	if err != nil {
		return err
	}
	name, err := git.CheckName(row.Provider, link.Repository)
	if err != nil {
		return &git.Problem{Reason: err.Error(), Lasting: true}
	}
	if link.HookID != "" {
		if err := c.RemoveHook(ctx, name, link.HookID); err != nil {
			return err
		}
		link.HookID, link.HookHash = "", ""
		if err := l.keep(ctx, *link); err != nil {
			return err
		}
	}
	if link.KeyID != "" {
		if err := c.RemoveKey(ctx, name, link.KeyID); err != nil {
			return err
		}
		link.KeyID, link.PublicKey = "", ""
		return l.keep(ctx, *link)
	}
	return nil
}

func (l *Links) keep(ctx context.Context, link query.SourceControlLink) error {
	err := l.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.KeepSourceControlLink(ctx, query.KeepSourceControlLinkParams{
			SiteID: link.SiteID, ProviderID: link.ProviderID, Repository: link.Repository, PublicKey: link.PublicKey, KeyID: link.KeyID,
			HookHash: link.HookHash, HookID: link.HookID, UpdatedAt: tx.Micros(),
		})
	})
	if err != nil {
		return fmt.Errorf("note source control of site %d: %w", link.SiteID, err)
	}
	return nil
}

func (l *Links) sweep(ctx context.Context, _ Sweep) error {
	err := l.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		gone, err := tx.Ungranted().ListOrphanedSourceControlLinks(ctx)
		if err != nil {
			return err
		}
		for _, id := range gone {
			if err := l.Changed(ctx, tx, id); err != nil {
				return err
			}
		}
		due, err := tx.Ungranted().ListDueSourceControlLinks(ctx, new(tx.Now.Add(-lostAfter).UnixMicro()))
		if err != nil {
			return err
		}
		for _, id := range due {
			if err := l.Jobs.Insert(ctx, tx, Sync{SiteID: id}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("sweep source control: %w", err)
	}
	return nil
}
