package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Plan returns what the work accepted in a transaction since its Mark would change, the difference between the plans of the previous and the new rows. It
// undoes what the transaction did, and reads the previous rows in it: another connection might not be free before this transaction ends.
func (e *Engine) Plan(ctx context.Context, tx *db.Tx) (api.DryRun, error) {
	out := api.DryRun{Servers: []api.ServerDryRun{}}
	var touched []db.Touched
	var after [][]Stage
	for i, t := range tx.Touched {
		if slices.Contains(tx.Touched[:i], t) {
			continue
		}
		p, stages, err := e.planOf(ctx, tx, t)
		if err != nil {
			return out, err
		}
		touched, after, out.Servers = append(touched, t), append(after, stages), append(out.Servers, p)
	}
	if err := tx.Undo(ctx); err != nil {
		return out, err
	}
	for i, t := range touched {
		if after[i] == nil {
			continue
		}
		before, err := e.planBefore(ctx, tx, t)
		if err != nil {
			before = nil // the previous rows can't be planned: everything shows as new
		}
		compare(&out.Servers[i], stepsOf(before), stepsOf(after[i]))
	}
	return out, nil
}

func (e *Engine) planBefore(ctx context.Context, tx *db.Tx, t db.Touched) ([]Stage, error) {
	server, err := tx.Ungranted().GetServer(ctx, t.ServerID)
	if err != nil {
		return nil, err
	}
	return plan(ctx, e.aspects[baseOf(t.Aspect)], tx.Ungranted(), server, nil)
}

// Complete asks servers for what only they know of a plan, after its transaction.
func (e *Engine) Complete(ctx context.Context, plan *api.DryRun) error {
	for i := range plan.Servers {
		p := &plan.Servers[i]
		if !p.Compare {
			continue
		}
		id, err := strconv.ParseInt(p.ServerID, 10, 64)
		if err != nil {
			return fmt.Errorf("plan for server %s: %w", p.ServerID, err)
		}
		server, err := e.db.Read().Ungranted().GetServer(ctx, id)
		if err != nil {
			return fmt.Errorf("plan for server %d: %w", id, err)
		}
		found, err := e.whole.Compared(ctx, server)
		if err != nil {
			return err
		}
		mends(p, found)
	}
	return nil
}

// restores are what a repair does about what is no file, by how it differs.
var restores = map[string]string{ //nolint:gochecknoglobals // a constant list
	"user": "make the account ", "rights": "restore the rights of ", "foreign": "take away the rights of ", "inactive": "start ",
	"masked": "unmask and start ", "disabled": "enable ", "outdated": "load the files of ",
}

// mends notes what a repair does about differences.
func mends(p *api.ServerDryRun, found []wire.Difference) {
	for _, d := range found {
		switch {
		case d.Kept:
			p.Kept = append(p.Kept, strings.TrimSpace(d.Path+" "+d.What))
		case d.What == "package":
			p.Packages = append(p.Packages, d.Path)
		case restores[d.What] != "" && !strings.HasPrefix(d.Path, "/"):
			p.Actions = append(p.Actions, restores[d.What]+d.Path)
		case d.What == "missing" && !strings.HasPrefix(d.Path, "/"): // of an account
			p.Actions = append(p.Actions, restores["rights"]+d.Path)
		case !slices.ContainsFunc(p.Files, func(f api.FileDiff) bool { return f.Path == d.Path && f.Diff == d.Diff }):
			p.Files = append(p.Files, api.FileDiff{Path: d.Path, Diff: d.Diff})
		}
	}
}

// Stages returns what the work of one operation would run on its host, with the other pending work of its aspect as if it were not begun.
func (e *Engine) Stages(ctx context.Context, op query.Operation) ([]Stage, error) {
	aspect, ok := e.aspects[baseOf(op.Aspect)]
	if !ok {
		return nil, fmt.Errorf("unknown aspect %q", op.Aspect)
	}
	server, err := e.db.Read().Ungranted().GetServer(ctx, op.ServerID)
	if err != nil {
		return nil, fmt.Errorf("plan for server %d: %w", op.ServerID, err)
	}
	return plan(ctx, aspect, e.db.Read().Ungranted(), server, []query.Operation{op})
}

// planOf plans the new rows. It returns no stages if there is nothing to compare.
func (e *Engine) planOf(ctx context.Context, tx *db.Tx, t db.Touched) (api.ServerDryRun, []Stage, error) {
	p := api.ServerDryRun{ServerID: strconv.FormatInt(t.ServerID, 10), Files: []api.FileDiff{}, Packages: []string{}, Actions: []string{}, Kept: []string{}}
	aspect, ok := e.aspects[baseOf(t.Aspect)]
	if !ok {
		return p, nil, fmt.Errorf("unknown aspect %q", t.Aspect)
	}
	if p.Compare = aspect.Mends; p.Compare {
		return p, nil, nil
	}
	server, err := tx.Ungranted().GetServer(ctx, t.ServerID)
	if err != nil {
		return p, nil, fmt.Errorf("plan for server %d: %w", t.ServerID, err)
	}
	fresh, err := tx.Ungranted().ListPendingOperations(ctx, t.ServerID, t.Aspect)
	if err != nil {
		return p, nil, fmt.Errorf("plan for server %d: %w", t.ServerID, err)
	}
	fresh = slices.DeleteFunc(fresh, func(op query.Operation) bool { return op.CreatedAt != tx.Micros() })
	for _, op := range fresh {
		if e.elsewhere == nil {
			break
		}
		more, err := e.elsewhere(ctx, tx.SQL, op)
		if err != nil {
			return p, nil, err
		}
		p.Actions = append(p.Actions, more...)
	}
	if t.Aspect != e.whole.First && t.Aspect != e.whole.Last && !server.IsReady {
		p.Actions = append(p.Actions, "wait until the server is provisioned")
		return p, nil, nil
	}
	after, err := plan(ctx, aspect, tx.Ungranted(), server, fresh)
	if refused := (*PlanError)(nil); errors.As(err, &refused) { // what comes before it may change that: a site that is still being created
		p.Actions = append(p.Actions, "can't be planned yet: "+refused.Error())
		return p, nil, nil
	}
	if err != nil {
		return p, nil, err
	}
	for _, stage := range after {
		if stage.Script != nil {
			p.Actions = append(p.Actions, "run the "+stage.Name+" as "+stage.Script.User)
		}
	}
	return p, after, nil
}

func stepsOf(stages []Stage) []wire.Step {
	var out []wire.Step
	for _, s := range stages {
		out = append(out, s.Change.Steps...)
	}
	return out
}

// compare records how the steps of after differ from those of before.
func compare(p *api.ServerDryRun, before, after []wire.Step) {
	had, hadNot := map[string][]byte{}, map[string]bool{}
	for _, s := range before {
		switch {
		case s.File != nil && s.File.Absent:
			hadNot[s.File.Path] = true
		case s.File != nil:
			had[s.File.Path] = s.File.Content
		}
	}
	var changed []string
	for _, s := range after {
		switch {
		case s.File != nil:
			old, known := had[s.File.Path]
			if (known && !s.File.Absent && bytes.Equal(old, s.File.Content)) || (s.File.Once && known) {
				continue
			}
			if s.File.Absent && hadNot[s.File.Path] { // no file before, and none after
				continue
			}
			changed = append(changed, s.File.Path)
			p.Files = append(p.Files, api.FileDiff{Path: s.File.Path, Diff: diff(s.File, old)})
		case s.Packages != nil && s.Packages.Pending != "":
			p.Actions = append(p.Actions, map[string]string{
				wire.PendingAll:      "upgrade all packages",
				wire.PendingSecurity: "upgrade packages for security",
			}[s.Packages.Pending])
		case s.Packages != nil && (s.Packages.Upgrade || s.Packages.Remove):
			p.Actions = append(p.Actions, map[bool]string{true: "upgrade ", false: "remove "}[s.Packages.Upgrade]+strings.Join(s.Packages.Names, " "))
		case s.Packages != nil:
			p.Packages = append(p.Packages, s.Packages.Names...)
		case s.Action != nil && acts(s.Action, changed):
			p.Actions = append(p.Actions, strings.Join(s.Action.Argv, " "))
		case s.Lines != nil:
			p.Actions = append(p.Actions, "edit lines of "+s.Lines.Path)
		case s.Retire != nil:
			home := "delete its home"
			if s.Retire.KeepHome {
				home = "move its home to " + wire.KeptHomes
			}
			p.Actions = append(p.Actions, "remove the account "+s.Retire.Name+" with its processes, crontab, keys, mail and temporary files, and "+home)
		case s.Sessions != nil:
			p.Actions = append(p.Actions, "close sessions of "+s.Sessions.User+" opened with "+s.Sessions.Fingerprint)
		case s.Login != nil && s.Login.Absent:
			p.Actions = append(p.Actions, "remove the login "+s.Login.Name)
		case s.Login != nil:
			p.Actions = append(p.Actions, "have "+s.Login.Name+" log in with the ids of "+s.Login.Account)
		case s.Jail != nil && s.Jail.Absent:
			p.Actions = append(p.Actions, "close sessions of "+s.Jail.Login+", and take away what is mounted for it")
		case s.Jail != nil:
			p.Actions = append(p.Actions, closing(s.Jail)+"mount "+s.Jail.Directory+" below "+wire.LoginRoot(s.Jail.Login))
		case s.Clear != nil:
			p.Actions = append(p.Actions, "empty "+strings.Join(s.Clear.Paths, ", "))
		case s.Exec != nil && (s.Exec.Secret || len(s.Exec.Stdin) > 0): // its program does not reveal its purpose
			p.Actions = append(p.Actions, s.Name)
		case s.Exec != nil:
			p.Actions = append(p.Actions, strings.Join(s.Exec.Argv, " "))
		}
	}
}

// acts reports whether an action runs after changes of these files, by the agent's rule.
func acts(a *wire.Action, changed []string) bool {
	return a.Always || slices.ContainsFunc(changed, func(path string) bool {
		return a.Below == "" || strings.HasPrefix(path, strings.TrimSuffix(a.Below, "/")+"/")
	})
}

func diff(f *wire.File, old []byte) string {
	if f.Secret {
		return ""
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(old)), B: difflib.SplitLines(string(f.Content)),
		FromFile: f.Path, ToFile: f.Path, Context: 3,
	})
	if err != nil {
		return ""
	}
	return text
}

func closing(j *wire.Jail) string {
	if j.Close {
		return "close sessions of " + j.Login + ", and "
	}
	return ""
}
