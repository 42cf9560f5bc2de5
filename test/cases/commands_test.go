package cases_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// commands are what scripts are written with, beside those of testscript.
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"api": api, "field": field, "want": want, "settled": settled,
	"repo": repository, "site": makeSite, "environment": environment, "script": deployScript, "deploy": deploy,
	"visit": visit, "host": onHost, "git-host": onGitHost, "until": until, "post": post, "ask": ask, "push": push, "event": event, "backup": backup,
	"put":    putFile,
	"upload": upload, "lfs": large, "certificate": certificate, "nginx": rewrite, "leads": leads, "issue": issue, "renew": renew, "other-host": onOtherHost,
}

func of(ts *testscript.TestScript) (*ground, *one) {
	return ts.Value(groundKey{}).(*ground), ts.Value(caseKey{}).(*one)
}

// api CODE METHOD PATH [FILE] asks the API; the path follows the organization, the file has the body with @{NAME} replaced. ! api accepts any other code.
// The answer is stdout, and what field and want read.
func api(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 && len(args) != 4 {
		ts.Fatalf("api CODE METHOD PATH [FILE]")
	}
	var body any
	if len(args) == 4 {
		body = json.RawMessage(expand(ts, ts.ReadFile(args[3])))
	}
	request(ts, neg, args[0], args[1], args[2], body)
}

func request(ts *testscript.TestScript, neg bool, code, method, path string, body any) panel.Answer {
	g, c := of(ts)
	a, err := g.Do(method, path, body)
	ts.Check(err)
	c.last = a
	fmt.Fprintln(ts.Stdout(), a.Body)
	if (strconv.Itoa(a.Code) == code) == neg {
		ts.Fatalf("%s %s: %d: %s", method, path, a.Code, a.Body)
	}
	return a
}

// field NAME PATH sets a variable to a value of the last answer: data.attributes.status, data.0.id.
func field(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], value(ts, args[1]))
}

// want PATH TEXT compares a value of the last answer; ! want requires another.
func want(ts *testscript.TestScript, neg bool, args []string) {
	if got := value(ts, args[0]); (got == args[1]) == neg {
		ts.Fatalf("%s is %q", args[0], got)
	}
}

func value(ts *testscript.TestScript, path string) string {
	_, c := of(ts)
	var at any
	ts.Check(json.Unmarshal([]byte(c.last.Body), &at))
	for _, name := range strings.Split(path, ".") {
		switch now := at.(type) {
		case map[string]any:
			at = now[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(now) {
				return ""
			}
			at = now[i]
		default:
			return ""
		}
	}
	switch at := at.(type) {
	case nil:
		return ""
	case string:
		return at
	}
	raw, err := json.Marshal(at)
	ts.Check(err)
	return string(raw)
}

// within is how long work may take where everything is installed.
const within = 4 * time.Minute

// settled STATE PATH waits until the work behind a resource has ended in a state; with "gone", until the path is 404.
func settled(ts *testscript.TestScript, _ bool, args []string) {
	settle(ts, args[0], args[1])
}

func settle(ts *testscript.TestScript, state, path string) panel.Resource {
	g, c := of(ts)
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		a, err := g.Do(http.MethodGet, path, nil)
		ts.Check(err)
		c.last = a
		op := a.Data.Operation()
		switch {
		case a.Code == http.StatusNotFound && state == "gone":
			return a.Data
		case a.Code != http.StatusOK:
			ts.Fatalf("%s: %d: %s", path, a.Code, a.Body)
		case op.State != "pending" && op.State != "running" && op.State != state && state != "gone":
			ts.Fatalf("%s is %s instead of %s: %s\n%s", path, op.State, state, op.Reason, output(ts, op))
		case op.State == state:
			fmt.Fprintln(ts.Stdout(), a.Body)
			return a.Data
		case time.Now().After(end):
			ts.Fatalf("%s is %s after %v, not %s: %s", path, op.State, within, state, op.Reason)
		}
	}
}

func output(ts *testscript.TestScript, op panel.Operation) string {
	g, _ := of(ts)
	a, err := g.Do(http.MethodGet, g.server.Path("/events/"+op.EventID+"/output"), nil)
	if err != nil {
		return err.Error()
	}
	return a.Data.Text("output")
}

// large is lfs FILE: it gives the file to the server of Git LFS, and leaves a pointer in its place, as git-lfs does.
func large(ts *testscript.TestScript, _ bool, args []string) {
	g, _ := of(ts)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(g.lfs.Add([]byte(ts.ReadFile(args[0])))), 0o600))
}

// certificate FILE writes a request for an uploaded certificate of the case's domain.
func certificate(ts *testscript.TestScript, _ bool, args []string) {
	_, c := of(ts)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: c.domain}, DNSNames: []string{c.domain},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	ts.Check(err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	body, err := json.Marshal(map[string]any{"type": "existing", "existing": map[string]string{
		"certificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		"key":         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
	}})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), body, 0o600))
}

// repo DIR [MESSAGE] makes the directory the next commit of the case's repository, on main. A file .git-commands in it is run instead of the push, as sh.
func repository(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	message := "First"
	if len(args) > 1 {
		message = args[1]
	}
	work := "/root/" + c.name
	run := func(script string, args ...string) {
		out, err := g.git.TryExec(append([]string{"sh", "-ec", script, "sh"}, args...)...)
		if err != nil {
			ts.Fatalf("%v\n%s", err, out)
		}
	}
	run(`[ -d "$2" ] || { git init -q --bare "$1" && git clone -q "$1" "$2"; }; cd "$2" && find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +`,
		"/home/git/"+c.name+".git", work)
	dir := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return put(g.git, filepath.Join(work, rel), raw)
	}))
	run(`cd "$1" && git add -A && git commit -q --allow-empty -m "$2" && git push -q origin HEAD:main && chown -R git:git "$3"`, work, message,
		"/home/git/"+c.name+".git")
}

// put FILE PATH writes a file of the case on the server, with @{NAME} replaced.
func putFile(ts *testscript.TestScript, _ bool, args []string) {
	g, _ := of(ts)
	ts.Check(put(g.server.Host, args[1], []byte(expand(ts, ts.ReadFile(args[0])))))
}

// upload CODE PATH SIZE sends a file of so many bytes as the body of a request.
func upload(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	size, err := strconv.ParseInt(args[2], 10, 64)
	ts.Check(err)
	a, err := g.Upload(args[1], io.LimitReader(rand.Reader, size), size)
	ts.Check(err)
	c.last = a
	fmt.Fprintln(ts.Stdout(), a.Body)
	if strconv.Itoa(a.Code) != args[0] {
		ts.Fatalf("PUT %s: %d: %s", args[1], a.Code, a.Body)
	}
}

func put(h *hosts.Host, name string, content []byte) error {
	out, err := h.TryExecInput(strings.NewReader(string(content)), "sh", "-ec", `mkdir -p -- "$(dirname -- "$1")"; cat >"$1"`, "sh", name)
	if err != nil {
		return fmt.Errorf("write %s: %w: %s", name, err, out)
	}
	return nil
}

// site FILE makes a site with a body and waits until it is installed, where there is a host; its name is the case's domain unless the body has
// another. It sets SITE to its path, and lets its deploy key in to the Git server.
func makeSite(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	body := map[string]any{"name": c.domain}
	ts.Check(json.Unmarshal([]byte(expand(ts, ts.ReadFile(args[0]))), &body))
	a := request(ts, false, "202", http.MethodPost, g.server.Path("/sites"), body)
	c.site = g.server.Path("/sites/" + a.Data.ID)
	ts.Setenv("SITE", c.site)
	ts.Setenv("SITE_ID", a.Data.ID)
	if g.git == nil {
		return
	}
	settle(ts, "succeeded", "/sites/"+a.Data.ID)
	if body["repository"] == nil {
		return
	}
	key, err := g.Do(http.MethodGet, c.site+"/deploy-key", nil)
	ts.Check(err)
	out, err := g.git.TryExec("sh", "-ec",
		`echo "$1" >>/home/git/.ssh/authorized_keys; chown git:git /home/git/.ssh/authorized_keys; chmod 600 /home/git/.ssh/authorized_keys`,
		"sh", key.Data.Text("key"))
	if err != nil {
		ts.Fatalf("%v\n%s", err, out)
	}
}

// environment FILE sets the site's environment and waits until it is on the host; bytes are kept as they are.
func environment(ts *testscript.TestScript, _ bool, args []string) {
	_, c := of(ts)
	request(ts, false, "202", http.MethodPut, c.site+"/environment", map[string]any{"environment": ts.ReadFile(args[0])})
}

// script FILE sets the site's deploy script; auto_source as the second argument loads its environment.
func deployScript(ts *testscript.TestScript, _ bool, args []string) {
	_, c := of(ts)
	body := map[string]any{"content": ts.ReadFile(args[0])}
	if len(args) > 1 {
		body["auto_source"] = args[1] == "auto_source"
	}
	request(ts, false, "200", http.MethodPut, c.site+"/deployments/script", body)
}

// deploy STATUS deploys the site and waits until the deployment has ended as the status says. Its reason and log are stdout.
func deploy(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	a := request(ts, false, "202", http.MethodPost, c.site+"/deployments", nil)
	path := c.site + "/deployments/" + a.Data.ID
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		now, err := g.Do(http.MethodGet, path, nil)
		ts.Check(err)
		op := now.Data.Operation()
		if op.State == "pending" || op.State == "running" {
			if time.Now().After(end) {
				ts.Fatalf("the deployment is %s after %v: %s", op.State, within, op.Reason)
			}
			continue
		}
		log, err := g.Do(http.MethodGet, path+"/log", nil)
		ts.Check(err)
		fmt.Fprintf(ts.Stdout(), "%s\n%s\n", op.Reason, log.Data.Text("output"))
		if got := now.Data.Text("status"); got != args[0] {
			ts.Fatalf("the deployment is %s: %s\n%s", got, op.Reason, log.Data.Text("output"))
		}
		c.last = now
		return
	}
}

// visit [-tls] [-1.1] [-to IP] [-host NAME] [-user NAME:PASSWORD] [-max SECONDS] [-send BYTES] PATH asks for a page as a visitor does, following nothing, or
// sends a form with a file of so many bytes. The status code, a Location and the body are stdout, each on lines of its own.
func visit(ts *testscript.TestScript, _ bool, args []string) {
	_, c := of(ts)
	scheme, ip, host, user, limit := "http", ts.Getenv("IP"), c.domain, "", 30*time.Second
	method, kind := http.MethodGet, ""
	var form io.Reader
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	for len(args) > 1 {
		switch args[0] {
		case "-tls":
			scheme, args = "https", args[1:]
			continue
		case "-1.1":
			protocols.SetHTTP2(false)
			args = args[1:]
			continue
		case "-to":
			ip = args[1]
		case "-host":
			host = args[1]
		case "-user":
			user = args[1]
		case "-max":
			n, err := strconv.Atoi(args[1])
			ts.Check(err)
			limit = time.Duration(n) * time.Second
		case "-send":
			n, err := strconv.Atoi(args[1])
			ts.Check(err)
			method, kind = http.MethodPost, "multipart/form-data; boundary=x"
			form = strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" + strings.Repeat("a", n) + "\r\n--x--\r\n")
		default:
			ts.Fatalf("visit: %s", args[0])
		}
		args = args[2:]
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, scheme+"://"+host+args[0], form)
	ts.Check(err)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if name, password, ok := strings.Cut(user, ":"); ok {
		req.SetBasicAuth(name, password)
	}
	transport := &http.Transport{
		DisableKeepAlives: true, Protocols: &protocols, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // certificates of a test
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(addr)
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(ip, port))
		},
	}
	resp, err := transport.RoundTrip(req)
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Fprintf(ts.Stdout(), "%d\n", resp.StatusCode)
	if at := resp.Header.Get("Location"); at != "" {
		fmt.Fprintln(ts.Stdout(), at)
	}
	fmt.Fprintf(ts.Stdout(), "%s\n", body)
	if err != nil && ctx.Err() == nil {
		ts.Fatalf("%v", err)
	}
}

// nginx OLD NEW [SITE [SERVER]] replaces a text in the configuration of a site's domain, and waits until it is served. The description of the event is stdout.
func rewrite(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	at, server := c.site, g.server.Path("")
	if len(args) > 2 {
		at = args[2]
	}
	if len(args) > 3 {
		server = args[3]
	}
	now, err := g.Do(http.MethodGet, at+"/nginx", nil)
	ts.Check(err)
	text := now.Data.Text("content")
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%q is not in the configuration:\n%s", args[0], now.Body)
	}
	request(ts, false, "202", http.MethodPut, at+"/nginx", map[string]any{"config": strings.Replace(text, args[0], args[1], 1)})
	e := settle(ts, "succeeded", server+"/events/"+c.last.Header.Get("X-Hostler-Event"))
	fmt.Fprintln(ts.Stdout(), e.Text("description"))
}

// host PROGRAM ARGS… runs a program on the server as root; git-host on the Git server.
func onHost(ts *testscript.TestScript, neg bool, args []string) {
	g, _ := of(ts)
	execute(ts, g.server.Host, neg, args)
}

func onGitHost(ts *testscript.TestScript, neg bool, args []string) {
	g, _ := of(ts)
	execute(ts, g.git, neg, args)
}

// other-host runs a program on the server with the older engine.
func onOtherHost(ts *testscript.TestScript, neg bool, args []string) {
	g, _ := of(ts)
	execute(ts, g.other.Host, neg, args)
}

func execute(ts *testscript.TestScript, h *hosts.Host, neg bool, args []string) {
	out, err := h.TryExec(args...)
	fmt.Fprint(ts.Stdout(), out)
	if (err != nil) != neg {
		ts.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// event STATE [SERVER] waits until the work that the last answer began, on the server of the case or another, has ended so.
func event(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	settle(ts, args[0], append(args, g.server.Path(""))[1]+"/events/"+c.last.Header.Get("X-Hostler-Event"))
}

// backup STATUS DATABASE [SERVER] backs a database up to a storage, and waits until that has ended as the status says. BACKUP is its path.
func backup(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	id, err := strconv.Atoi(args[1])
	ts.Check(err)
	server := append(args, g.server.Path(""))[2]
	a := request(ts, false, "202", http.MethodPost, server+"/database/backups", map[string]any{
		"storage_provider_id": json.RawMessage(g.storage), "frequency": "daily", "time": "02:00", "database_ids": []int{id}, "retention": 2, "name": c.name,
	})
	at := server + "/database/backups/" + a.Data.ID
	a = request(ts, false, "202", http.MethodPost, at+"/instances", nil)
	at += "/instances/" + a.Data.ID
	ts.Setenv("BACKUP", at)
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		now, err := g.Do(http.MethodGet, at, nil)
		ts.Check(err)
		c.last = now
		status := now.Data.Text("status")
		if status == args[0] {
			fmt.Fprintln(ts.Stdout(), now.Body)
			return
		}
		if status != "running" || time.Now().After(end) {
			ts.Fatalf("the backup is %s, not %s: %s", status, args[0], now.Body)
		}
	}
}

// until SECONDS REGEXP host|git-host|GET ARGS… repeats until the output matches; ! until, until it does not.
func until(ts *testscript.TestScript, neg bool, args []string) {
	g, c := of(ts)
	seconds, err := strconv.Atoi(args[0])
	ts.Check(err)
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	var out string
	for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		switch args[2] {
		case "host":
			out, _ = g.server.Host.TryExec(args[3:]...)
		case "git-host":
			out, _ = g.git.TryExec(args[3:]...)
		case http.MethodGet:
			a, err := g.Do(http.MethodGet, args[3], nil)
			ts.Check(err)
			c.last, out = a, a.Body
		default:
			ts.Fatalf("until: %s", args[2])
		}
		if re.MatchString(out) != neg {
			fmt.Fprint(ts.Stdout(), out)
			return
		}
	}
	ts.Fatalf("after %d s, whether %s matches is still %v:\n%s", seconds, re, neg, out)
}

// post CODE URL FILE [HEADER: VALUE]… sends a file to an address as it is, without the panel's token, as other services do. The answer is stdout.
func post(ts *testscript.TestScript, neg bool, args []string) {
	send(ts, neg, args[0], http.MethodPost, args[1], ts.ReadFile(args[2]), args[3:])
}

// ask CODE METHOD URL asks an address without a body and without the panel's token. The answer is stdout.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	send(ts, neg, args[0], args[1], args[2], "", nil)
}

// push CODE FILE [HEADER: VALUE]… sends a delivery to the push address of the site, signed as GitHub signs it.
func push(ts *testscript.TestScript, neg bool, args []string) {
	g, c := of(ts)
	a, err := g.Do(http.MethodGet, c.site+"/deployments/deploy-hook", nil)
	ts.Check(err)
	hook, body := a.Data.Text("url"), ts.ReadFile(args[1])
	mac := hmac.New(sha256.New, []byte(path.Base(hook)))
	mac.Write([]byte(body))
	send(ts, neg, args[0], http.MethodPost, g.URL+"/push/"+path.Base(c.site), body,
		append([]string{"X-GitHub-Event: push", "X-Hub-Signature-256: sha256=" + hex.EncodeToString(mac.Sum(nil))}, args[2:]...))
}

func send(ts *testscript.TestScript, neg bool, code, method, url, body string, header []string) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	ts.Check(err)
	for _, h := range header {
		name, v, _ := strings.Cut(h, ": ")
		req.Header.Set(name, v)
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, c := of(ts)
	c.last = panel.Answer{Code: resp.StatusCode, Body: string(raw)}
	fmt.Fprintln(ts.Stdout(), string(raw))
	if (strconv.Itoa(resp.StatusCode) == code) == neg {
		ts.Fatalf("%s: %d: %s", url, resp.StatusCode, raw)
	}
}

// leads NAME ADDRESS makes the DNS that the authority asks lead a name to an address.
func leads(ts *testscript.TestScript, _ bool, args []string) {
	g, _ := of(ts)
	ts.Check(g.ca.Lead(args[0], args[1]))
}

// issue STATUS FILE orders a certificate for the first domain of the site, with a body, and waits until that has ended as the status says. The reason is
// stdout, CERTIFICATES the path of the domain's certificates.
func issue(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	list, err := g.Do(http.MethodGet, c.site+"/domains", nil)
	ts.Check(err)
	c.last = list
	at := c.site + "/domains/" + value(ts, "data.0.id") + "/certificates"
	ts.Setenv("CERTIFICATES", at)
	a := request(ts, false, "202", http.MethodPost, at, json.RawMessage(expand(ts, ts.ReadFile(args[1]))))
	certified(ts, args[0], at+"/"+a.Data.ID, "")
}

// renew STATUS [PATH] makes the certificate of the site's first domain due, or another, and waits until its renewal has ended as the status says: "succeeded"
// or "failed".
func renew(ts *testscript.TestScript, _ bool, args []string) {
	g, c := of(ts)
	at := ts.Getenv("CERTIFICATES") + "/active"
	if len(args) > 1 {
		at = args[1]
	}
	now, err := g.Do(http.MethodGet, at, nil)
	ts.Check(err)
	for _, statement := range []string{
		"UPDATE certificates SET renew_at = 1 WHERE id = " + now.Data.ID,
		"UPDATE river_job SET state = 'available', scheduled_at = '2026-01-01 00:00:00', finalized_at = NULL, attempt = 0 WHERE id = (SELECT max(id) FROM " +
			"river_job WHERE kind = 'certificate.renew')",
	} {
		_, err := g.db.Exec(statement)
		ts.Check(err)
	}
	certified(ts, args[0], at, now.Data.Operation().ID)
	c.last, err = g.Do(http.MethodGet, at, nil)
	ts.Check(err)
}

// certified waits until work on a certificate, other than that of an operation, has ended.
func certified(ts *testscript.TestScript, status, at, before string) {
	g, c := of(ts)
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		a, err := g.Do(http.MethodGet, at, nil)
		ts.Check(err)
		c.last = a
		op := a.Data.Operation()
		done := op.ID != before && op.State != "pending" && op.State != "running" && a.Data.Text("status") != "installing" && a.Data.Text("status") != "renewing"
		switch {
		case done && (op.State == status || a.Data.Text("status") == status):
			fmt.Fprintf(ts.Stdout(), "%s\n%s\n", op.Reason, a.Body)
			return
		case done || time.Now().After(end):
			ts.Fatalf("the certificate is %s, not %s: %s %s\n%s", a.Data.Text("status"), status, op.State, op.Reason, a.Body)
		}
	}
}
