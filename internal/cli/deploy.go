package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// deployOptions are those of hostler deploy.
type deployOptions struct {
	Site    string
	NoWait  bool
	Timeout time.Duration
}

var deploymentDetails = []column{
	{"id", columnID.of},
	attribute("status", "status"),
	{"commit", func(r client.Resource) string { return commitOf(r, "hash") }},
	{"message", func(r client.Resource) string { return commitOf(r, "message") }},
	attribute("started", "started_at"), attribute("ended", "ended_at"),
}

func commitOf(r client.Resource, name string) string {
	var a struct{ Commit map[string]*string }
	if json.Unmarshal(r.Attributes, &a) != nil || a.Commit[name] == nil {
		return ""
	}
	return *a.Commit[name]
}

func newDeploy(g *globals, run func(context.Context, *session, deployOptions) error) *cobra.Command {
	if run == nil {
		run = deploy
	}
	var o deployOptions
	c := command(g, &cobra.Command{
		Use: "deploy SITE", Short: "Deploy a site and show the output", Args: cobra.ExactArgs(1),
		Long: "Queues a deployment of the latest commit and shows its output until it finishes. " +
			"The exit status is 5 if the deployment failed. Interrupting this command does not stop the deployment.",
	},
		&o, func(args []string) { o.Site = args[0] }, run)
	c.Flags().BoolVar(&o.NoWait, "no-wait", false, "queue the deployment without waiting")
	c.Flags().DurationVar(&o.Timeout, "timeout", 90*time.Minute, "maximum time to wait, including time in the queue")
	return c
}

// why says why a deployment failed, where the panel recognized it. The error that follows has its reason.
func (s *session) why(ctx context.Context, path string) {
	r, err := s.client.One(ctx, http.MethodGet, path, nil)
	if err == nil && r.Meta.Deployment != nil && r.Meta.Deployment.Cause != nil {
		_, _ = fmt.Fprintln(s.err, cell(r.Meta.Deployment.Cause.Text))
	}
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
	if o.NoWait || answer.Event == "" {
		return s.one(r, deploymentDetails...)
	}
	waiting, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	followed := s.followEvent(waiting, answer.Event, server+"/events/"+answer.Event)
	switch {
	case ctx.Err() != nil:
		return exit(CodeError, "no longer waiting; the deployment continues: hostler events output --follow %s", answer.Event)
	case waiting.Err() != nil:
		return exit(CodeTimeout, "not finished after %s; the deployment continues: hostler events output --follow %s", o.Timeout, answer.Event)
	case followed != nil:
		s.why(ctx, path+"/deployments/"+r.ID)
		return followed
	}
	if r, err = s.client.One(ctx, http.MethodGet, path+"/deployments/"+r.ID, nil); err != nil {
		return err
	}
	return s.one(r, deploymentDetails...)
}
