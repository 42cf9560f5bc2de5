package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/otlp"
)

// One change is one trace, from its request to the run on the host, and contains nothing that was sent in it.
func TestChangeIsTracedToItsHost(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image))
	collector := otlp.Start(t)
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--otlp-endpoint", collector.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	w := newWorld(t, p, bed, "web")
	s := w.Server(1)
	job := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/scheduled-jobs"), map[string]any{
		"name": "hunter2-name", "command": "echo hunter2-command", "user": "forge", "frequency": "hourly",
	}).Data
	path := s.Path("/scheduled-jobs/" + job.ID)
	operation := w.Settled(t, time.Minute, path).Operation().ID

	// is returns the span of a name with an attribute in a trace, once it was sent.
	is := func(trace, name, attribute, value string) (out otlp.Span) {
		t.Helper()
		hosts.Eventually(t, time.Minute, "the span "+name, func() error {
			for _, span := range collector.Named(name) {
				if (trace == "" || span.Trace == trace) && span.Attributes[attribute] == value {
					out = span
					return nil
				}
			}
			return fmt.Errorf("with %s=%s in the trace %q it is not among %+v", attribute, value, trace, collector.Named(name))
		})
		return out
	}
	accepted := is("", "accept schedule", "hostler.operation.id", operation)
	request := is(accepted.Trace, "POST /api/orgs/{organization}/servers/{server}/scheduled-jobs", "http.response.status_code", "202")
	work := is(accepted.Trace, "server.converge", "hostler.server.id", s.ID)
	converge := is(accepted.Trace, "converge schedule", "hostler.operation.id", operation)
	run := is(accepted.Trace, "run", "hostler.run.state", "succeeded")
	session := is(accepted.Trace, "ssh session", "hostler.server.id", s.ID)
	for _, pair := range [][2]otlp.Span{{request, accepted}, {accepted, work}, {work, converge}, {converge, run}, {run, session}} {
		if pair[1].Parent != pair[0].ID {
			t.Errorf("%s is not a part of %s: %+v and %+v", pair[1].Name, pair[0].Name, pair[1], pair[0])
		}
	}
	if request.Parent != "" || request.Attributes["hostler.request.id"] == "" {
		t.Errorf("the request is %+v", request)
	}
	if work.Attributes["hostler.lane"] != "server-"+s.ID || work.Attributes["hostler.job.kind"] != "server.converge" {
		t.Errorf("the job is %+v", work)
	}
	if converge.Attributes["hostler.operation.state"] != "succeeded" || converge.Failed {
		t.Errorf("the operation is %+v", converge)
	}
	if journal := s.Host.Exec(t, "ls", "-R", "/var/lib/hostler"); !strings.Contains(journal, run.Attributes["hostler.run.id"]) {
		t.Errorf("the host knows no run %+v:\n%s", run, journal)
	}
	p.Stop() // which sends the rest
	for _, secret := range []string{"hunter2", p.Token, "owner@example.com", "PRIVATE KEY"} {
		if collector.Contains(secret) {
			t.Errorf("%q was sent to the collector", secret)
		}
	}
}
