package attack_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/edge"
)

// A push deploys a site only if it is signed with the site's secret and is of the site's repository and branch: whoever knew the secret of the repository
// that the site had before, or signs for another site, deploys nothing.
func TestPushesOfOtherRepositories(t *testing.T) {
	t.Parallel()
	edge.Both(t, func(t *testing.T, e *edge.Env) {
		user := e.User("pusher")
		e.Organization("acme", user)
		owner := e.Of(user)
		server := owner.Post("/orgs/acme/servers", map[string]any{
			"name": "web", "provider": "custom", "type": "web", "custom": map[string]any{"ip_address": "192.0.2.200"},
		}).Want(t, http.StatusAccepted).ID()
		sites := "/orgs/acme/servers/" + server + "/sites"
		site := func(name, repository string) (id, secret string) {
			id = owner.Post(sites, map[string]any{
				"type": "static-html", "name": name, "source_control_provider": "github", "repository": repository, "branch": "main", "push_to_deploy": true,
			}).Want(t, http.StatusAccepted).ID()
			return id, path.Base(owner.Get(sites+"/"+id+"/deployments/deploy-hook").Want(t, http.StatusOK).Text("data", "attributes", "url"))
		}
		shop, secret := site("shop.example.com", "acme/shop")
		_, other := site("other.example.com", "acme/other")
		push := func(ref, repository string, more map[string]any) []byte {
			m := map[string]any{"ref": ref, "after": strings.Repeat("a", 40)}
			if repository != "" {
				m["repository"] = map[string]any{"full_name": repository, "clone_url": "https://github.com/" + repository + ".git"}
			}
			for k, v := range more {
				m[k] = v
			}
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		sign := func(secret string, body []byte) string {
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write(body)
			return "sha256=" + hex.EncodeToString(mac.Sum(nil))
		}
		send := func(id string, body []byte, header map[string]string) (int, string) {
			req, err := http.NewRequest(http.MethodPost, e.URL+"/push/"+id, strings.NewReader(string(body)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-GitHub-Event", "push")
			for name, value := range header {
				req.Header.Set(name, value)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			raw, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, string(raw)
		}
		deployments := func() int { return len(owner.Get(sites+"/"+shop+"/deployments").Want(t, http.StatusOK).IDs()) }
		good := push("refs/heads/main", "acme/shop", nil)
		signed := func(body []byte) map[string]string {
			return map[string]string{"X-Hub-Signature-256": sign(secret, body)}
		}
		for name, tt := range map[string]struct {
			body   []byte
			header map[string]string
		}{
			"unsigned":                           {good, nil},
			"signed for another site":            {good, map[string]string{"X-Hub-Signature-256": sign(other, good)}},
			"signed with nothing":                {good, map[string]string{"X-Hub-Signature-256": sign("", good)}},
			"another body's signature":           {good, map[string]string{"X-Hub-Signature-256": sign(secret, []byte("{}"))}},
			"SHA-1":                              {good, map[string]string{"X-Hub-Signature": strings.Replace(sign(secret, good), "sha256", "sha1", 1)}},
			"GitLab's token":                     {good, map[string]string{"X-Gitlab-Token": secret, "X-Gitlab-Event": "Push Hook"}},
			"another repository":                 {push("refs/heads/main", "acme/other", nil), nil},
			"a fork":                             {push("refs/heads/main", "eve/shop", nil), nil},
			"a repository whose name ends alike": {push("refs/heads/main", "acme/my-shop", nil), nil},
			"half a name":                        {push("refs/heads/main", "hop", nil), nil},
			"a name of directories":              {push("refs/heads/main", "eve/../acme/shop", nil), nil},
			"another branch":                     {push("refs/heads/next", "acme/shop", nil), nil},
			"a tag of the branch's name":         {push("refs/tags/main", "acme/shop", nil), nil},
			"a deleted branch":                   {push("refs/heads/main", "acme/shop", map[string]any{"deleted": true}), nil},
			"no push":                            {good, map[string]string{"X-GitHub-Event": "ping", "X-Hub-Signature-256": sign(secret, good)}},
		} {
			header := tt.header
			if header == nil && name != "unsigned" {
				header = signed(tt.body)
			}
			status, text := send(shop, tt.body, header)
			if status != http.StatusNotFound && (status != http.StatusOK || !strings.Contains(text, "Nothing to do")) {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
		if n := deployments(); n != 0 {
			t.Errorf("%d deployments of pushes that are not the site's", n)
		}
		for name, body := range map[string][]byte{
			"its own": good, "its own in other letters": push("refs/heads/main", "ACME/Shop", nil), "one that names none": push("refs/heads/main", "", nil),
		} {
			if status, text := send(shop, body, signed(body)); status != http.StatusAccepted {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
		if status, text := send(shop, good, signed(good)); status != http.StatusOK || !strings.Contains(text, "already received") {
			t.Errorf("a repeated push deploys again: %d %s", status, text)
		}
		owner.Put(sites+"/"+shop+"/git", map[string]any{
			"source_control_provider": "github", "repository": "acme/moved", "branch": "main",
		}).Want(t, http.StatusAccepted)
		former := push("refs/heads/main", "acme/shop", map[string]any{"after": strings.Repeat("b", 40)})
		if status, text := send(shop, former, signed(former)); status != http.StatusOK || !strings.Contains(text, "another repository") {
			t.Errorf("the former repository deploys the site: %d %s", status, text)
		}
	})
}
