package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

// deployOptions are those of hostler deploy.
type deployOptions struct {
	Site    string
	NoWait  bool
	Timeout time.Duration
	// Outputs is a file that the outcome is appended to, "" for none.
	Outputs string
}

var deploymentDetails = []show.Column{
	{Name: "id", Of: show.ID.Of},
	show.Attribute("status", "status"),
	{Name: "commit", Of: func(r client.Resource) string { return commitOf(r, "hash") }},
	{Name: "message", Of: func(r client.Resource) string { return commitOf(r, "message") }},
	show.Attribute("started", "started_at"), show.Attribute("ended", "ended_at"),
}

func commitOf(r client.Resource, name string) string {
	var a struct{ Commit map[string]*string }
	if json.Unmarshal(r.Attributes, &a) != nil || a.Commit[name] == nil {
		return ""
	}
	return *a.Commit[name]
}

func newDeploy(g *globals) *cobra.Command {
	var o deployOptions
	c := command(g, &cobra.Command{
		Example: "  hostler deploy shop.example.com --outputs \"$GITHUB_OUTPUT\"",
		Use:     "deploy SITE", Short: "Deploy a site and show the output", Args: cobra.ExactArgs(1),
		Long: "Queues a deployment of the latest commit and shows its output until it finishes. " +
			"The exit status is 5 if the deployment failed. Interrupting this command does not stop the deployment.",
	}, func(ctx context.Context, s *session, args []string) error {
		o.Site = args[0]
		return deploy(ctx, s, o)
	})
	c.Flags().BoolVar(&o.NoWait, "no-wait", false, "queue the deployment without waiting")
	c.Flags().DurationVar(&o.Timeout, "timeout", 90*time.Minute, "maximum time to wait, including time in the queue")
	c.Flags().StringVar(&o.Outputs, "outputs", "", "append deployment, event, status, commit and reason to a `file`, as lines NAME=VALUE for a pipeline")
	return c
}

// why says why a deployment failed, where the panel recognized it, and returns that. The error that follows has its reason.
func (s *session) why(r client.Resource) string {
	if r.Meta.Deployment == nil || r.Meta.Deployment.Cause == nil {
		return ""
	}
	text := text.VisibleLine(r.Meta.Deployment.Cause.Text)
	_, _ = fmt.Fprintln(s.err, text)
	return text
}

// output appends lines NAME=VALUE to a file. A value is one line, whatever a server put into it: the next line would be another output of the pipeline.
func output(file string, pairs ...string) error {
	if file == "" {
		return nil
	}
	var lines strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		lines.WriteString(pairs[i] + "=" + strings.Join(strings.Fields(text.VisibleLine(pairs[i+1])), " ") + "\n")
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write outputs: %w", err)
	}
	_, err = f.WriteString(lines.String())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write outputs: %w", err)
	}
	return nil
}

func deploy(ctx context.Context, s *session, o deployOptions) error {
	_, server, path, err := s.site(ctx, o.Site)
	if err != nil {
		return err
	}
	r, answer, err := s.client.Send(ctx, http.MethodPost, path+"/deployments", nil)
	if err != nil {
		return err
	}
	if err := output(o.Outputs, "deployment", r.ID, "event", answer.Event); err != nil {
		return err
	}
	if o.NoWait || answer.Event == "" {
		return s.One(r, deploymentDetails...)
	}
	waiting, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	followed := s.followEvent(waiting, answer.Event, server+"/events/"+answer.Event)
	switch {
	case ctx.Err() != nil:
		return exit(CodeError, "no longer waiting; the deployment continues: hostler events follow %s", answer.Event)
	case waiting.Err() != nil:
		return exit(CodeTimeout, "not finished after %s; the deployment continues: hostler events follow %s", o.Timeout, answer.Event)
	}
	deployed, err := s.client.One(ctx, http.MethodGet, path+"/deployments/"+r.ID, nil)
	if followed != nil {
		reason := followed.Error()
		if err == nil {
			reason = cmp.Or(s.why(deployed), reason)
		}
		status := cmp.Or(deployed.Attribute("status"), "failed")
		return errors.Join(followed, output(o.Outputs, "status", status, "commit", commitOf(deployed, "hash"), "reason", reason))
	}
	if err != nil {
		return err
	}
	if err := output(o.Outputs, "status", deployed.Attribute("status"), "commit", commitOf(deployed, "hash")); err != nil {
		return err
	}
	return s.One(deployed, deploymentDetails...)
}
