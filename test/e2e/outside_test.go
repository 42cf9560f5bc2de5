package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/githost"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/port"
)

// message is what a receiver got.
type message struct {
	id, event string
	body      map[string]any
}

// receiver returns a third-party program that receives messages. It answers what answer returns.
func receiver(t *testing.T, l net.Listener, answer func(w http.ResponseWriter, req *http.Request)) chan message {
	t.Helper()
	out := make(chan message, 100)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		m := message{id: req.Header.Get("webhook-id"), event: req.Header.Get("X-Hostler-Event")}
		_ = json.Unmarshal(raw, &m.body)
		out <- m
		answer(w, req)
	}))
	if l != nil {
		_ = s.Listener.Close()
		s.Listener = l
	}
	s.Start()
	t.Cleanup(s.Close)
	out <- message{id: s.URL}
	return out
}

func noContent(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// awaited returns the next message, however long it takes within the test's own time.
func awaited(t *testing.T, c chan message) message {
	t.Helper()
	select {
	case m := <-c:
		return m
	case <-time.After(3 * time.Minute):
		t.Fatal("no message came")
		return message{}
	}
}

// A panel that is killed while a message is on its way, or while its receiver is away, loses none.
func TestKilledPanelLosesNoMessage(t *testing.T) {
	t.Parallel()
	p, err := panel.New(panel.Program(t, "hostler"), "127.0.0.1", "--allow-private-endpoints")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	server := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name":     "lb",
		"provider": "custom",
		"type":     "loadbalancer",
		"custom":   map[string]any{"ip_address": "192.0.2.1"},
	}).Data.ID
	site := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers/"+server+"/sites/balancer", map[string]any{"domain": "shop.example.com"}).Data.ID
	hooks := "/servers/" + server + "/sites/" + site + "/webhooks"

	hold := make(chan struct{})
	slow := receiver(t, nil, func(w http.ResponseWriter, req *http.Request) {
		select {
		case <-hold:
			noContent(w, req)
		case <-req.Context().Done():
		}
	})
	hook := hooks + "/" + p.Want(t, http.StatusAccepted, http.MethodPost, hooks, map[string]any{"url": (<-slow).id + "/slow"}).Data.ID
	sent := p.Want(t, http.StatusAccepted, http.MethodPost, hook+"/deliveries", nil)
	first := awaited(t, slow)
	p.Kill() // midway through the request
	close(hold)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	if again := awaited(t, slow); again.id != first.id || again.id != sent.Data.Text("message_id") {
		t.Errorf("the message is %q, and then %q", first.id, again.id)
	}
	p.Until(t, time.Minute, hook+"/deliveries/"+sent.Data.ID, "delivered", func(a panel.Answer) bool { return a.Data.Text("state") == "delivered" })

	address := "127.0.0.1:" + strconv.Itoa(port.For(t)) // no listener
	hook = hooks + "/" + p.Want(t, http.StatusAccepted, http.MethodPost, hooks, map[string]any{"url": "http://" + address + "/away"}).Data.ID
	sent = p.Want(t, http.StatusAccepted, http.MethodPost, hook+"/deliveries", nil)
	tried, _ := p.Until(t, time.Minute, hook+"/deliveries/"+sent.Data.ID, "tried",
		func(a panel.Answer) bool { return a.Data.Attributes["attempts"] != float64(0) })
	if got := tried.Data.Text("failure"); got != "The connection was refused." || tried.Data.Text("state") != "pending" {
		t.Errorf("in vain: %s", tried.Body)
	}
	p.Kill()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	back := receiver(t, l, noContent)
	<-back
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	if got := awaited(t, back); got.id != sent.Data.Text("message_id") || got.event != "test" {
		t.Errorf("after a while: %+v", got)
	}
	p.Until(t, time.Minute, hook+"/deliveries/"+sent.Data.ID, "delivered", func(a panel.Answer) bool { return a.Data.Text("state") == "delivered" })
}

// A site with a repository at a self-hosted GitLab: its key and webhook are registered there, pushes are deployed and served,
// their end is reported, and both are removed again.
func TestProvider(t *testing.T) {
	t.Parallel()
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image), hosts.Fresh())
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--allow-private-endpoints")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	r := &room{Panel: p, git: bed.Host(2)}
	r.server = p.Add(t, bed.Host(1), "web")
	p.Ready(t, r.server)
	r.git.ServeGit(t)
	r.git.Exec(t, "ln", "-s", "/home/git", "/team")
	r.repository(t, "shop", map[string]string{"index.html": "first\n"})
	head := func() string { return strings.TrimSpace(r.git.Exec(t, "git", "-C", "/root/shop", "rev-parse", "HEAD")) }
	gitlab := githost.Start(t, githost.GitLab)
	gitlab.Add("team/shop", map[string]string{"main": head()})

	source := p.Want(t, http.StatusCreated, http.MethodPost, "/source-control-providers", map[string]any{
		"name":       "ours",
		"provider":   "gitlab-custom",
		"url":        strings.TrimSuffix(gitlab.URL, "/api/v4"),
		"clone_host": r.git.IP,
		"token":      githost.Token,
	}).Data
	a := p.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":                       "static-html",
		"name":                       "shop.example.com",
		"web_directory":              "/",
		"repository":                 "team/shop",
		"branch":                     "main",
		"source_control_provider_id": number(source.ID),
		"push_to_deploy":             true,
	})
	site := r.server.Path("/sites/" + a.Data.ID)
	told := receiver(t, nil, noContent)
	target := (<-told).id
	p.Want(t, http.StatusAccepted, http.MethodPost, site+"/webhooks", map[string]any{"url": target + "/deployments"})
	p.Want(t, http.StatusCreated, http.MethodPost, "/notification-channels", map[string]any{
		"name":   "ops",
		"type":   "webhook",
		"url":    target + "/ops",
		"events": []string{"deployment.failed"},
	})
	p.Until(t, time.Minute, site+"/source-control", "registered", func(a panel.Answer) bool { return a.Data.Text("state") == "registered" })
	registered := gitlab.Repository("team/shop")
	if len(registered.Keys) != 1 || registered.Keys[0].MayWrite || len(registered.Hooks) != 1 {
		t.Fatalf("registered is %+v", registered)
	}
	r.git.Exec(t, "sh", "-c", fmt.Sprintf("echo '%s' > /home/git/.ssh/authorized_keys && chown git:git /home/git/.ssh/authorized_keys && chmod 600 "+
		"/home/git/.ssh/authorized_keys", registered.Keys[0].Key))
	push := func() {
		t.Helper()
		resp, err := http.DefaultClient.Do(gitlab.Push(registered.Hooks[0], "team/shop", "main", head()))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusAccepted {
			t.Fatalf("the push was answered %s", resp.Status)
		}
	}
	push()
	good := awaited(t, told)
	if good.event != "deployment.ended" || good.body["status"] != "success" || good.body["commit_hash"] != head() ||
		good.body["commit_url"] != strings.TrimSuffix(gitlab.URL, "/api/v4")+"/team/shop/-/commit/"+head() {
		t.Errorf("told %+v", good)
	}
	served := func() string {
		return strings.TrimSpace(bed.Host(1).Exec(t, "curl", "-s", "-H", "Host: shop.example.com", "http://127.0.0.1/"))
	}
	if got := served(); got != "first" {
		t.Errorf("served is %q", got)
	}
	p.Want(t, http.StatusOK, http.MethodPut, site+"/deployments/script", map[string]any{"content": "$CREATE_RELEASE()\nexit 3\n"})
	r.commit(t, "shop", "Second", map[string]string{"index.html": "second\n"})
	push()
	events := map[string]message{}
	for range 2 {
		m := awaited(t, told)
		events[m.event] = m
	}
	if m := events["deployment.ended"]; m.body["status"] != "failed" || m.body["commit_message"] != "Second" {
		t.Errorf("told %+v", events)
	}
	if m := events["deployment.failed"]; m.body["organization"] != panel.Org || m.body["title"] != "Deployment of shop.example.com failed" {
		t.Errorf("told %+v", events)
	}
	if got := served(); got != "first" {
		t.Errorf("after a deployment that failed served is %q", got)
	}
	p.Want(t, http.StatusAccepted, http.MethodDelete, site+"/deployments/push-to-deploy", nil)
	p.Until(t, time.Minute, site+"/source-control", "without a webhook", func(a panel.Answer) bool { return a.Data.Attributes["webhook"] == false })
	if got := gitlab.Repository("team/shop"); len(got.Hooks) != 0 || len(got.Keys) != 1 {
		t.Errorf("with push to deploy off there is %+v", got)
	}
}
