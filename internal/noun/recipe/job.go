package recipe

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

var _ interface {
	job.Aspect
	job.Once
	job.Follower
} = (*Task)(nil)

// Task runs recipes.
type Task struct{ Mail Mailer }

// Mailer sends what people have to know.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// Once marks recipes as never run a second time automatically.
func (c *Task) Once() {}

// Plan returns the recipe as a script.
func (c *Task) Plan(ctx context.Context, q *query.Queries, srv query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	run, err := q.GetRecipeRun(ctx, included[0].ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, job.Planned(errors.New("the recipe was deleted"))
	}
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	script := Script(srv, run.RunAs, run.Script)
	return []job.Stage{{Name: "recipe", Script: &script, Detach: true, Within: timeLimit}}, nil
}

// variable is a name in double braces, as scripts of recipes have it.
var variable = regexp.MustCompile(`\{\{ *([a-z_]+) *\}\}`)

// values returns what a recipe may name of its server.
func values(srv query.Server, user string) map[string]string {
	return map[string]string{
		"server_id": strconv.FormatInt(srv.ID, 10), "server_name": srv.Name, "server_type": srv.Type, "username": user,
		"ip_address": text.Of(srv.IPAddress), "private_ip_address": text.Of(srv.PrivateIPAddress),
	}
}

// names reports whether a script has a variable.
func names(script, name string) bool {
	return slices.ContainsFunc(variable.FindAllStringSubmatch(script, -1), func(m []string) bool { return m[1] == name })
}

// Script returns a recipe as a run on its server. What it names in double braces comes from the environment: text of ours is data there, never a part of
// the program. It is pure.
func Script(srv query.Server, user, pasted string) wire.Script {
	s := wire.Script{User: user, Dir: "/root", Env: map[string]string{}}
	if user != "root" {
		s.Dir = "/home/" + server.SiteUser
	}
	known := values(srv, user)
	for name, value := range known {
		s.Tell(map[string]string{strings.ToUpper(name): value})
	}
	s.Content = variable.ReplaceAllStringFunc(text.Script("/bin/bash", pasted), func(found string) string {
		name := strings.Trim(found, "{} ")
		if _, ok := known[name]; !ok {
			return found
		}
		return "${HOSTLER_" + strings.ToUpper(name) + "}"
	})
	return s
}

// Begun shows that a recipe runs.
func (c *Task) Begun(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if err := tx.BeginRecipeRun(ctx, op.ResourceID, new(tx.Micros())); err != nil {
		return fmt.Errorf("begin run %d: %w", op.ResourceID, err)
	}
	return nil
}

// Ended has nothing to keep: what was printed is the event's.
func (c *Task) Ended(context.Context, *db.Tx, query.Operation, wire.Result) error { return nil }

// Settle writes how a run ended, and mails what it printed to who asked for that.
func (c *Task) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	status := statusFailed
	if done {
		status = statusFinished
	}
	if err := tx.EndRecipeRun(ctx, op.ResourceID, status, new(tx.Micros())); err != nil {
		return fmt.Errorf("end run %d: %w", op.ResourceID, err)
	}
	run, err := tx.Ungranted().GetRecipeRun(ctx, op.ResourceID)
	if err != nil || !run.Email || run.UserID == nil {
		return err
	}
	return c.tell(ctx, tx, run)
}

// maxMailed is how much of an output is mailed, in bytes.
const maxMailed = 64 << 10

func (c *Task) tell(ctx context.Context, tx *db.Tx, run query.RecipeRun) error {
	user, err := tx.Ungranted().GetUser(ctx, *run.UserID)
	if err != nil {
		return fmt.Errorf("mail output of run %d: %w", run.ID, err)
	}
	srv, err := tx.GetServer(ctx, run)
	if err != nil {
		return fmt.Errorf("mail output of run %d: %w", run.ID, err)
	}
	output, err := job.Printed(ctx, tx.Granted, run.OperationID)
	if err != nil {
		return fmt.Errorf("mail output of run %d: %w", run.ID, err)
	}
	ends := wire.Ends{Limit: maxMailed}
	_, _ = ends.Write([]byte(output))
	what := strings.Join(strings.Fields(run.Name), " ")
	verb := map[string]string{statusFinished: "succeeded", statusFailed: "failed"}[run.Status]
	return c.Mail.Put(ctx, tx, mail.Message{
		Organization: srv.OrganizationID, To: user.Email, Subject: fmt.Sprintf("Hostler: %s %s on %s", what, verb, srv.Name),
		Text: fmt.Sprintf("The recipe %s %s on server %s. Output:\n\n%s", what, verb, srv.Name,
			ends.String()), About: mail.About{Kind: MailOutput, ID: run.ID},
	})
}

// Resume makes a run wait that a person asked to retry.
func (c *Task) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if err := tx.QueueRecipeRun(ctx, op.ResourceID); err != nil {
		return fmt.Errorf("resume run %d: %w", op.ResourceID, err)
	}
	return nil
}
