package edge

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what GitHub signed with before
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A stranger, a neighbour, or whoever manages a repository of the same name at another provider, wants a site deployed by a push that is not of its repository
// and branch, or not signed for it.
func TestStrangerPushes(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	site := func(name, provider, repository string) (id, at, secret string) {
		at, hook := w.deploySite(t, name, "source_control_provider", provider, "repository", repository)
		return path.Base(at), at, path.Base(hook)
	}
	id, at, secret := site("shop.example.org", "github", "team/app")
	otherID, otherAt, other := site("other.example.org", "github", "team/app")
	labID, labAt, lab := site("lab.example.org", "gitlab", "team/app")
	const after = `"after":"0123456789012345678901234567890123456789"`
	const repository = `"repository":{"full_name":"team/app","clone_url":"https://github.com/team/app.git"}`
	const good = `{"ref":"refs/heads/main",` + after + `,` + repository + `}`
	hub := func(secret, body string, more ...string) []string {
		return append([]string{"X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, body)}, more...)
	}
	old := hmac.New(sha1.New, []byte(secret))
	_, _ = io.WriteString(old, good)
	sha1Of := "sha1=" + hex.EncodeToString(old.Sum(nil))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, good)
	_ = z.Close()
	const form = "application/x-www-form-urlencoded"
	// A commit's message that is a form for whoever reads the body as one.
	smuggled := `{"ref":"refs/heads/next",` + after + `,` + repository + `,"head_commit":{"message":"x&payload=` + url.QueryEscape(good) + `&y"}}`
	dotted := `{"ref":"refs/heads/main",` + after + `,"repository.full_name":"team/app","repository":{"full_name":"eve/app"}}`
	regenerated := w.owner.Put(otherAt+"/deployments/deploy-hook", nil).Want(t, 200).Text("data", "attributes", "url")
	tests := map[string]struct {
		id, body string
		header   []string
	}{
		"nothing signed":        {id, good, []string{"X-GitHub-Event", "push"}},
		"an empty signature":    {id, good, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256="}},
		"half a signature":      {id, good, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, good)[:40]}},
		"a signature and more":  {id, good, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, good) + "00"}},
		"two signatures in one": {id, good, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256=00," + sign(secret, good)}},
		"two signatures, the first wrong": {
			id, good,
			[]string{"X-GitHub-Event", "push", "X-Hub-Signature-256", sign(other, good), "X-Hub-Signature-256", sign(secret, good)},
		},
		"SHA-1":                           {id, good, []string{"X-GitHub-Event", "push", "X-Hub-Signature", sha1Of}},
		"SHA-1, called SHA-256":           {id, good, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", strings.Replace(sha1Of, "sha1", "sha256", 1)}},
		"SHA-1 beside SHA-256 of another": {id, good, []string{"X-GitHub-Event", "push", "X-Hub-Signature", sha1Of, "X-Hub-Signature-256", sign(other, good)}},
		"the empty secret":                {id, good, hub("", good)},
		"the id as the secret":            {id, good, hub(id, good)},
		"the hash as the secret":          {id, good, hub(strings.Repeat("0", 64), good)},
		"a neighbour's secret":            {id, good, hub(other, good)},
		"another organization's site":     {w.foreign.site, good, hub(secret, good)},
		"a secret that was regenerated":   {otherID, good, hub(other, good)},
		"a regenerated secret of another": {id, good, hub(path.Base(regenerated), good)},
		"the secret itself":               {id, good, []string{"X-GitHub-Event", "push", "X-Gitlab-Token", secret}},
		"the secret as a signature": {
			id, good,
			[]string{"X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256=" + secret, "X-Gitea-Signature", secret},
		},
		"GitLab's secret and half of it":      {labID, good, []string{"X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", lab[:20]}},
		"GitLab's secret with more":           {labID, good, []string{"X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", lab + " x"}},
		"Gitea's repository of the same name": {id, good, []string{"X-Gitea-Event", "push", "X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, good)}},
		"Forgejo's repository of the same name": {
			id, good,
			[]string{"X-Forgejo-Event", "push", "X-Forgejo-Signature", strings.TrimPrefix(sign(secret, good), "sha256=")},
		},
		"Bitbucket's repository of the same name": {
			id,
			`{"repository":{"full_name":"team/app"},"push":{"changes":[{"new":{"type":"branch","name":"main","target":{"hash":"01"}}}]}}`,
			[]string{
				"X-Event-Key", "repo:push", "X-Hub-Signature",
				sign(secret, `{"repository":{"full_name":"team/app"},"push":{"changes":[{"new":{"type":"branch","name":"main","target":{"hash":"01"}}}]}}`),
			},
		},
		"GitHub's repository of the same name": {labID, good, hub(lab, good)},
		"JSON that is read as a form":          {id, smuggled, hub(secret, smuggled, "Content-Type", form)},
		"a form that is read as JSON": {
			id, "payload=" + url.QueryEscape(good),
			hub(secret, "payload="+url.QueryEscape(good), "Content-Type", "application/json"),
		},
		"a form of another field": {id, "Payload=" + url.QueryEscape(good), hub(secret, "Payload="+url.QueryEscape(good), "Content-Type", form)},
		"two payloads, the first another branch's": {
			id, "payload=%7B%22ref%22:%22refs/heads/next%22%7D&payload=" + url.QueryEscape(good),
			hub(secret, "payload=%7B%22ref%22:%22refs/heads/next%22%7D&payload="+url.QueryEscape(good), "Content-Type", form),
		},
		"a name with dots":              {id, dotted, hub(secret, dotted)},
		"gzip":                          {id, packed.String(), hub(secret, packed.String(), "Content-Encoding", "gzip")},
		"gzip, signed as it was before": {id, packed.String(), hub(secret, good, "Content-Encoding", "gzip")},
		"an event in other letters":     {id, good, []string{"X-GitHub-Event", "PUSH", "X-Hub-Signature-256", sign(secret, good)}},
		"a long event":                  {id, good, []string{"X-GitHub-Event", "push" + strings.Repeat("x", 5000), "X-Hub-Signature-256", sign(secret, good)}},
		"no event":                      {id, good, []string{"X-Hub-Signature-256", sign(secret, good)}},
		"an empty body":                 {id, "", hub(secret, "")},
	}
	for name, body := range map[string]string{
		"a branch with a space":    strings.Replace(good, "/main", "/main ", 1),
		"a branch with NUL":        strings.Replace(good, "/main", `/main\u0000`, 1),
		"a path to the branch":     strings.Replace(good, "/main", "/x/../main", 1),
		"a ref that is a list":     strings.Replace(good, `"refs/heads/main"`, `["refs/heads/main"]`, 1),
		"nested deeply":            strings.Repeat(`{"a":`, 200_000),
		"lists without an end":     strings.Repeat("[", 1<<20),
		"a long number":            `{"x":` + strings.Repeat("9", 1<<20) + `,` + good[1:],
		"a text without an end":    `{"x":"` + strings.Repeat("x", 1<<20),
		"a repository's neighbour": strings.ReplaceAll(good, "team/app", "team/app2"),
		"a repository with a path": strings.ReplaceAll(good, "team/app", "x/team/app"),
		"a repository of none":     strings.ReplaceAll(good, "team/app", "/"),
		"only an address":          `{"ref":"refs/heads/main",` + after + `,"repository":{"clone_url":"https://github.com/eve/app.git?/team/app"}}`,
	} {
		tests[name] = struct {
			id, body string
			header   []string
		}{id, body, hub(secret, body)}
	}
	send := func(method, to, body string, header ...string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(method, w.URL+to, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Add(header[i], header[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(raw)
	}
	deployed := func() (out string) {
		for _, at := range []string{at, otherAt, labAt} {
			out += w.deployments(t, at)
		}
		return out
	}
	before := ""
	for name, tt := range tests {
		code, text := send("POST", "/push/"+tt.id, tt.body, tt.header...)
		if code != 404 && (code != 200 || !strings.Contains(text, "Nothing to do")) {
			t.Errorf("%s: answered %d %s", name, code, text)
		}
		if got := deployed(); got != before {
			t.Errorf("%s: deployed %s", name, got)
			before = got
		}
	}
	for _, to := range []string{
		"/push/", "/push/-1", "/push/9999999999999999999", "/push/" + id + ".", "/push/" + id + "%00", "/push/" + id + "/x",
		"/push/%2e%2e", "/deploy/" + secret[:30],
		"/deploy/" + strings.ToUpper(secret), "/deploy/" + secret + "%00", "/deploy/" + secret + "/x", "/deploy/" + secret[:30] + "/", "/deploy/" + id,
		"/deploy/%25", "/deploy/" + other,
	} {
		if code, text := send("POST", to, good, hub(secret, good)...); code != 404 {
			t.Errorf("%s: answered %d %s", to, code, text)
		}
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		if code, text := send(method, "/push/"+id, good, hub(secret, good)...); code != 405 {
			t.Errorf("%s: answered %d %s", method, code, text)
		}
	}
	if got := deployed(); got != before {
		t.Errorf("deployed %s", got)
	}
	for _, event := range w.owner.Get(at+"/deployments/pushes?page[size]=50").Want(t, 200).At("data").([]any) {
		if text, _ := event.(map[string]any)["attributes"].(map[string]any)["event"].(string); len(text) > 64 {
			t.Errorf("an event is listed as %q", text)
		}
	}
	if code, text := send("POST", "/push/"+id, good, hub(secret, good)...); code != 202 {
		t.Errorf("the site's own push: answered %d %s", code, text)
	}
	if code, text := send("POST", "/push/"+labID, strings.Replace(good, "github.com", "gitlab.com", 1), "X-Gitlab-Event", "Push Hook",
		"X-Gitlab-Token", lab); code != 202 {
		t.Errorf("GitLab's own push: answered %d %s", code, text)
	}
}
