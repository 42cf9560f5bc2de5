package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// newServer is the operation that adds a server. Its command can also run the setup command.
const newServer = "organizations.servers.store"

// addOverSSH adds a server and runs its setup command over SSH. Access is tested before the server is created: one that can't be entered would only be in the
// way.
func (s *session) addOverSSH(ctx context.Context, o operationOptions, path string, body map[string]any) error {
	if body["provider"] != "custom" {
		return usage("--ssh is for servers that exist already, of the provider custom")
	}
	conn, err := o.ssh.dial(ctx, &s.streams)
	if err != nil {
		return err
	}
	defer conn.Close()
	custom, _ := body["custom"].(map[string]any)
	if custom["ip_address"] == nil {
		description.Put(body, "custom.ip_address", conn.Host)
	}
	if custom["ssh_port"] == nil {
		description.Put(body, "custom.ssh_port", conn.Port)
	}
	r, answer, err := s.client.Send(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	if r.Meta.Bootstrap == nil {
		return exit(CodeError, "the response contains no setup command")
	}
	_, _ = fmt.Fprintf(s.err, "Server %s was created. Running its setup command on %s\n", r.ID, text.VisibleLine(o.ssh.Target))
	line := r.Meta.Bootstrap.Command
	r.Meta.Bootstrap = nil
	s.shownOnce(r)
	if err := s.bootstrap(ctx, conn, line); err != nil {
		return exit(CodeFailed, "server %s was created; its setup command failed on %s: %s\nRun it there as root within a week:\n%s", r.ID, o.ssh.Target, err, line)
	}
	if o.Wait {
		at := path + "/" + r.ID
		if err = s.await(ctx, at, answer.Event, o.Timeout); err == nil {
			r, err = s.client.One(ctx, http.MethodGet, at, nil)
		}
	}
	if err != nil {
		return err
	}
	return s.One(r, detailsOf(o.op)...)
}

// setupLine prints the command that sets a server up, for a person with a shell on it.
func (s *session) setupLine(r client.Resource) {
	to := s.Out
	if s.AsSent() {
		to = s.err
	}
	_, _ = fmt.Fprintf(to, "Run this command on server %s as root:\n\n%s\n\n", r.ID, text.VisibleLine(r.Meta.Bootstrap.Command))
	if r.Meta.Bootstrap.Warning != "" {
		_, _ = fmt.Fprintln(s.err, text.VisibleLine(r.Meta.Bootstrap.Warning))
	}
}
