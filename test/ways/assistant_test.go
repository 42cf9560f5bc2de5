package ways_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// assistant calls the tools of the Model Context Protocol, as a program does that a person talks to.
type assistant struct {
	t *testing.T
	l *life
}

// tool calls a tool, and returns what it says.
func (a assistant) tool(name string, arguments map[string]any) (said string, failed bool) {
	a.t.Helper()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments}})
	if err != nil {
		a.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.l.panel.URL+"/mcp?organization="+panel.Org, bytes.NewReader(raw))
	if err != nil {
		a.t.Fatal(err)
	}
	for name, v := range map[string]string{"Authorization": "Bearer " + a.l.panel.Token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream"} {
		req.Header.Set(name, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if data, is := strings.CutPrefix(line, "data: "); is {
			body = []byte(data)
		}
	}
	var answer struct {
		Error  any
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error != nil || len(answer.Result.Content) == 0 {
		a.t.Fatalf("%s: %d, %v: %s", name, res.StatusCode, err, body)
	}
	return answer.Result.Content[0].Text, answer.Result.IsError
}

// must is tool, for what does not fail.
func (a assistant) must(name string, arguments map[string]any) string {
	a.t.Helper()
	said, failed := a.tool(name, arguments)
	if failed {
		a.t.Fatalf("%s %v: %s", name, arguments, said)
	}
	return said
}

var (
	planHash = regexp.MustCompile(`hash is ([0-9a-f]{64})`)
	begun    = regexp.MustCompile(`(?i)event"?:? "?(\d+)`)
)

// change plans a change, applies what was planned, and waits until it is done.
func (a assistant) change(operation string, parameters, body map[string]any) string {
	a.t.Helper()
	in := map[string]any{"operation": operation}
	if parameters != nil {
		in["parameters"] = parameters
	}
	if body != nil {
		in["body"] = body
	}
	if m := planHash.FindStringSubmatch(a.must("plan", in)); m != nil {
		in["plan"] = m[1]
	}
	said := a.must("apply", in)
	a.wait(said)
	return said
}

// wait waits for the work that something began.
func (a assistant) wait(said string) {
	a.t.Helper()
	m := begun.FindStringSubmatch(said)
	if m == nil {
		return
	}
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		end, failed := a.tool("wait", map[string]any{"event": m[1], "seconds": 60})
		if failed && strings.Contains(end, "deleted with it") {
			return // it was the server's own deletion
		}
		if !strings.Contains(end, "pending") && !strings.Contains(end, "running") {
			if !strings.Contains(end, "succeeded") {
				a.t.Fatalf("event %s: %s", m[1], end)
			}
			return
		}
	}
	a.t.Fatalf("event %s does not end", m[1])
}

// liveWithAssistant is a site's life by an assistant. The one thing that it is not shown is the setup command, which a person gets.
func liveWithAssistant(t *testing.T, l *life) {
	a := assistant{t, l}
	type body = map[string]any
	reach := func(moment, said string) {
		t.Helper()
		if err := l.reach(moment, said); err != nil {
			t.Fatal(err)
		}
	}
	on := func(more ...string) body {
		out := body{"server": "life"}
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	ofSite := on("site", name)

	in := body{"operation": "organizations.servers.store", "body": body{
		"name": "life", "provider": "custom", "type": "app", "php_version": "php82", "database_type": "mariadb1011",
		"custom": body{"ip_address": l.host.IP, "ssh_port": l.host.Port},
	}}
	in["plan"] = planHash.FindStringSubmatch(a.must("plan", in))[1]
	if said := a.must("apply", in); strings.Contains(said, "HOSTLER_SECRET=") {
		t.Errorf("it is shown the setup command: %s", said)
	}
	reach("connect", l.panel.Want(t, http.StatusOK, http.MethodPost, "/servers/1/line", nil).Data.Meta.Bootstrap.Command)
	a.change("organizations.storage-providers.store", nil, body{
		"name": "Archive", "provider": "custom", "endpoint": l.endpoint, "bucket": bucket, "access_key": l.access, "secret_key": l.secret,
	})
	a.change("organizations.servers.sites.store", on(), body{
		"type": "php", "name": name, "source_control_provider": "custom", "repository": l.repository, "branch": "main",
	})
	reach("installed", a.must("call", body{"operation": "organizations.servers.sites.deploy-key.show", "parameters": ofSite}))
	a.change("organizations.servers.database.schemas.store", on(), body{"name": "shop", "user": "shop"})
	a.wait(a.must("deploy", body{"site": name}))
	reach("deployed", "")
	a.change("organizations.servers.sites.domains.certificates.store", on("site", name, "domainRecord", name), body{
		"type": "letsencrypt", "letsencrypt": body{"verification_method": "http-01", "key_type": "ecdsa"},
	})
	a.change("organizations.servers.background-processes.store", on(), body{
		"name": "Worker", "command": "sleep infinity", "user": "forge", "processes": 1, "site_id": 1,
	})
	a.change("organizations.servers.sites.scheduled-jobs.store",
		ofSite, body{"name": "Report", "command": "echo the job ran", "user": "forge", "frequency": "nightly"})
	a.change("organizations.servers.database.backups.store", on(), body{
		"storage_provider_id": 1, "database_ids": []int{1}, "include_new_databases": true, "frequency": "daily", "time": "03:00", "retention": 7,
	})
	a.change("organizations.servers.database.backups.instances.store", on("backupConfiguration", "1"), nil)
	reach("lost", "")
	a.change("organizations.servers.database.backups.instances.restores.store", on("backupConfiguration", "1", "backup", "1"), body{"database_id": 1})
	reach("restored", "")
	a.wait(a.must("deploy", body{"site": name}))
	reach("newer", "")
	a.change("organizations.servers.sites.deployments.rollback.store", on("site", name, "deployment", "1"), nil)
	reach("made", "")

	a.change("organizations.servers.database.backups.destroy", on("backupConfiguration", "1"), nil)
	a.change("organizations.servers.sites.scheduled-jobs.destroy", on("site", name, "job", "1"), nil)
	a.change("organizations.servers.background-processes.destroy", on("backgroundProcess", "1"), nil)
	a.change("organizations.servers.sites.domains.certificates.destroy", on("site", name, "domainRecord", name, "certificate", "1"), nil)
	a.change("organizations.servers.sites.destroy", ofSite, nil)
	a.change("organizations.servers.database.schemas.destroy", on("database", "shop"), nil)
	a.change("organizations.servers.database.users.destroy", on("databaseUser", "shop"), nil)
	a.change("organizations.storage-providers.destroy", body{"storageConfiguration": "Archive"}, nil)
	a.change("organizations.servers.destroy", on(), nil)
	reach("gone", "")
}
