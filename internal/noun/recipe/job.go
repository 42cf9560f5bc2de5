package recipe

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Task runs recipes.
type Task struct{ Mail Mailer }

// Mailer sends what people have to know.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// Aspect returns it for the engine.
func (c *Task) Aspect() job.Aspect {
	return task.Kind[query.RecipeRun]{
		Load: task.Row((*query.Queries).GetRecipeRun), Gone: "the recipe was deleted", Steps: c.steps, Write: c.write, Once: true,
	}.Aspect()
}

// steps returns the recipe as a script.
func (c *Task) steps(_ context.Context, _ *query.Queries, srv query.Server, _ query.Operation, run query.RecipeRun) ([]job.Stage, error) {
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

// shows is the status of a run.
var shows = task.Shows{job.Succeeded: statusFinished, job.Failed: statusFailed}

// write shows how a run stands. What it printed is mailed at its end to who asked for that.
func (c *Task) write(ctx context.Context, tx *db.Tx, _ query.Operation, run query.RecipeRun, at job.State) error {
	now := tx.Micros()
	switch at {
	case job.Queued:
		return tx.QueueRecipeRun(ctx, run.ID)
	case job.Begun:
		return tx.BeginRecipeRun(ctx, run.ID, &now)
	}
	run.Status = shows.Of(at)
	if err := tx.EndRecipeRun(ctx, run.ID, run.Status, &now); err != nil || !run.Email || run.UserID == nil {
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
