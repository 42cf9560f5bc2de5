package deployment

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

const (
	oldHash = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	newHash = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	noHash  = "0000000000000000000000000000000000000000"
)

// github is a push as GitHub, Gitea, Forgejo and Gogs send it.
func github(ref, after, more string) string {
	return fmt.Sprintf(`{"ref":%q,"before":%q,"after":%q,"repository":{"id":7,"full_name":"team/app","owner":{"name":"team","ref":"x"}},"pusher":{"name":"ada"},`+
		`"commits":[{"id":%q,"message":"One","author":{"name":"Bob","email":"b@example.com"},"added":["ref","after"]},{"id":%q,"message":"Two"}]%s}`,
		ref, oldHash, after, oldHash, after, more)
}

const head = `,"head_commit":{"id":"` + newHash + `","message":"Fix \u00e9\ud83d\ude00\nmore","author":{"name":"Ada","email":"a@example.com"}}`

func gitlab(ref, after, checkout string) string {
	return fmt.Sprintf(`{"object_kind":"push","before":%q,"after":%q,"ref":%q,"checkout_sha":%s,"user_name":"Ada","project":{"path_with_namespace":"team/app"},`+
		`"commits":[{"id":%q,"message":"One","author":{"name":"Bob"}},{"id":%q,"message":"Two\n","author":{"name":"Ada"}}],"total_commits_count":2}`,
		oldHash, after, ref, checkout, oldHash, newHash)
}

func bitbucket(changes ...string) string {
	return `{"actor":{"type":"user"},"repository":{"full_name":"team/app","type":"repository"},"push":{"changes":[` + strings.Join(changes, ",") + `]}}`
}

func bitbucketBranch(name string) string {
	return `{"old":{"type":"branch","name":"` + name + `","target":{"hash":"` + oldHash + `"}},"new":{"type":"branch","name":"` + name +
		`","target":{"type":"commit","hash":"` +
		newHash + `","message":"Fix","author":{"raw":"Ada <a@example.com>","user":{"raw":"x"}}}},"created":false,"closed":false,"commits":[{"hash":"` + oldHash +
		`","message":"no"}]}`
}

// The pushes of all Git servers, as they document them, and what comes of each.
func TestPushesAsTheyCome(t *testing.T) {
	t.Parallel()
	hub, lab := []string{"X-GitHub-Event", "push"}, []string{"X-Gitlab-Event", "Push Hook"}
	cloud := []string{"X-Event-Key", "repo:push"}
	form := func(body string) string { return "payload=" + url.QueryEscape(body) }
	encoded := append([]string{"Content-Type", "application/x-www-form-urlencoded"}, hub...)
	const (
		deleted = "The branch was deleted."
		tag     = "A tag was pushed, and the site deploys a branch."
		another = "The site deploys another branch."
		wrong   = "not JSON"
	)
	for name, c := range map[string]struct {
		header       []string
		body         string
		want, reason string // hash|author|message, or why not
	}{
		"GitHub":                  {hub, github("refs/heads/main", newHash, head), newHash + "|Ada|Fix é😀\nmore", ""},
		"GitHub, a form":          {encoded, form(github("refs/heads/main", newHash, head)), newHash + "|Ada|Fix é😀\nmore", ""},
		"a form with more fields": {encoded, "x=1&" + form(github("refs/heads/main", newHash, head)) + "&y=%7B", newHash + "|Ada|Fix é😀\nmore", ""},
		"a form with a charset": {append([]string{"Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"}, hub...),
			form(github("refs/heads/main", newHash, head)), newHash + "|Ada|Fix é😀\nmore", ""},
		"a form without a push":   {encoded, "ref=refs/heads/main", "", wrong},
		"a form that is cut off":  {encoded, form(github("refs/heads/main", newHash, head))[:200], "", wrong},
		"no commits":              {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":null,"commits":[]}`, newHash + "||", ""},
		"commits before the head": {hub, github("refs/heads/main", newHash, ""), newHash + "||Two", ""},
		"an empty commit": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","commits":[{"id":"` + newHash +
			`","message":"","added":[],"removed":[],"modified":[]}]` + head + `}`, newHash + "|Ada|Fix é😀\nmore", ""},
		"deleted, null after":       {hub, `{"ref":"refs/heads/main","after":"` + noHash + `","head_commit":null,"commits":[]}`, "", deleted},
		"deleted, SHA-256":          {hub, `{"ref":"refs/heads/main","after":"` + strings.Repeat("0", 64) + `"}`, "", deleted},
		"deleted, said":             {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","deleted":true}`, "", deleted},
		"another branch deleted":    {hub, `{"ref":"refs/heads/old","after":"` + noHash + `"}`, "", deleted},
		"a tag":                     {hub, github("refs/tags/v1", newHash, head), "", tag},
		"a tag named as the branch": {hub, github("refs/tags/main", newHash, head), "", tag},
		"another branch":            {hub, github("refs/heads/feature/main", newHash, head), "", another},
		"a branch of another case":  {hub, github("refs/heads/Main", newHash, head), "", another},
		"skipped": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":{"id":"` + newHash +
			`","message":"Docs [Skip CI]"}}`, "", "[skip ci]"},
		"skipped, another form": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":{"id":"` + newHash +
			`","message":"Docs\n\n[ci skip]"}}`, "", "[ci skip]"},
		"an earlier commit skipped": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","commits":[{"id":"` + oldHash +
			`","message":"[skip ci]"}],"head_commit":{"id":"` + newHash + `","message":"Fix"}}`, newHash + "||Fix", ""},
		"a renamed repository": {hub, strings.ReplaceAll(github("refs/heads/main", newHash, head), "team/app", "crew/shop"), newHash +
			"|Ada|Fix é😀\nmore", ""},
		"skipped, as GitHub's workflows are": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":{"id":"` + newHash +
			`","message":"Docs [skip actions]"}}`, "", "[skip actions]"},
		"skipped far behind": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":{"id":"` + newHash +
			`","message":"` + strings.Repeat("Docs, and more of them. ", 1000) + `\n\n[skip ci] ` + strings.Repeat("x", 5000) + `"}}`, "", "[skip ci]"},
		"skipped by the last line of many": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":{"id":"` + newHash +
			`","message":"` + strings.Repeat(`one of many lines\n`, 1000) + `skip-checks:true \r\n"}}`, "", "skip-checks: true"},
		"skipped by a trailer": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":{"id":"` + newHash +
			`","message":"Docs\n\n\nSkip-Checks: true\n"}}`, "", "skip-checks: true"},
		"not skipped by a word": {hub, `{"ref":"refs/heads/main","after":"` + newHash + `","head_commit":{"id":"` + newHash +
			`","message":"No skip-checks: true"}}`, newHash + "||No skip-checks: true", ""},
		"Gitee":                     {[]string{"X-Gitee-Event", "Push Hook"}, github("refs/heads/main", newHash, head), newHash + "|Ada|Fix é😀\nmore", ""},
		"Gitee, a tag":              {[]string{"X-Gitee-Event", "Tag Push Hook"}, github("refs/tags/v1", newHash, head), "", tag},
		"Gitee, a pull request":     {[]string{"X-Gitee-Event", "Merge Request Hook"}, `{"action":"open"}`, "", "The event Merge Request Hook is no push."},
		"GitHub, an event of Gitee": {[]string{"X-GitHub-Event", "Push Hook"}, github("refs/heads/main", newHash, head), "", "is no push"},
		"a test":                    {[]string{"X-GitHub-Event", "ping"}, `{"zen":"x"}`, "", "it works"},
		"another event":             {[]string{"X-GitHub-Event", "pull_request"}, `{"ref":"refs/heads/main"}`, "", "The event pull_request is no push."},
		"no event":                  {nil, github("refs/heads/main", newHash, head), "", "No header names the event"},
		"no JSON":                   {hub, "ref=refs/heads/main", "", wrong},
		"JSON that is cut off":      {hub, github("refs/heads/main", newHash, head)[:300], "", wrong},
		"nested":                    {hub, strings.Repeat("[", 5000), "", wrong},
		"Gitea": {[]string{"X-Gitea-Event", "push", "X-GitHub-Event", "push", "X-Gogs-Event", "push"},
			github("refs/heads/main", newHash, head), newHash + "|Ada|Fix é😀\nmore", ""},
		"Gitea, a branch created": {[]string{"X-Gitea-Event", "create"}, `{"ref":"main","ref_type":"branch"}`, "", "The event create is no push."},
		"Forgejo": {[]string{"X-Forgejo-Event", "push", "X-Gitea-Event", "push"}, github("refs/heads/main", newHash, head), newHash +
			"|Ada|Fix é😀\nmore", ""},
		"Gogs":   {[]string{"X-Gogs-Event", "push"}, github("refs/heads/main", newHash, ""), newHash + "||Two", ""},
		"GitLab": {lab, gitlab("refs/heads/main", newHash, `"`+newHash+`"`), newHash + "|Ada|Two\n", ""},
		"GitLab, of the whole server": {[]string{"X-Gitlab-Event", "System Hook"}, gitlab("refs/heads/main", newHash, `"`+newHash+`"`), newHash + "|Ada|Two\n",
			""},
		"GitLab, deleted": {lab, gitlab("refs/heads/main", noHash, "null"), "", deleted},
		"GitLab, no commits": {lab, `{"object_kind":"push","ref":"refs/heads/main","after":"` + newHash + `","checkout_sha":"` + newHash +
			`","commits":[]}`, newHash + "||", ""},
		"GitLab, a tag":           {[]string{"X-Gitlab-Event", "Tag Push Hook"}, gitlab("refs/tags/v1", newHash, `"`+newHash+`"`), "", tag},
		"GitLab, a merge request": {[]string{"X-Gitlab-Event", "Merge Request Hook"}, `{"object_kind":"merge_request"}`, "", "is no push"},
		"Bitbucket":               {cloud, bitbucket(bitbucketBranch("main")), newHash + "|Ada <a@example.com>|Fix", ""},
		"Bitbucket, several": {cloud, bitbucket(bitbucketBranch("other"), bitbucketBranch("main"), bitbucketBranch("third")), newHash +
			"|Ada <a@example.com>|Fix", ""},
		"Bitbucket, another": {cloud, bitbucket(bitbucketBranch("other")), "", another},
		"Bitbucket, deleted": {cloud, bitbucket(`{"old":{"type":"branch","name":"main"},"new":null,"closed":true}`), "", deleted},
		"Bitbucket, a tag":   {cloud, bitbucket(`{"old":null,"new":{"type":"tag","name":"main","target":{"hash":"` + newHash + `"}}}`), "", tag},
		"Bitbucket, a tag and a branch": {cloud, bitbucket(bitbucketBranch("main"), `{"old":null,"new":{"type":"tag","name":"v1","target":{"hash":"x"}}}`),
			newHash + "|Ada <a@example.com>|Fix", ""},
		"Bitbucket, nothing": {cloud, bitbucket(), "", "names no branch"},
		"Bitbucket Data Center": {[]string{"X-Event-Key", "repo:refs_changed"},
			`{"changes":[{"ref":{"id":"refs/heads/main","displayId":"main","type":"BRANCH"},"refId":"refs/heads/main","fromHash":"` + oldHash + `","toHash":"` +
				newHash + `","type":"UPDATE"}]}`, newHash + "||", ""},
		"Bitbucket Data Center, deleted": {[]string{"X-Event-Key", "repo:refs_changed"}, `{"changes":[{"ref":{"displayId":"main","type":"BRANCH"},"toHash":"` +
			noHash + `","type":"DELETE"}]}`, "", deleted},
		"Bitbucket Data Center, a test": {[]string{"X-Event-Key", "diagnostics:ping"}, `{"test":true}`, "", "it works"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			for i := 0; i < len(c.header); i += 2 {
				header.Set(c.header[i], c.header[i+1])
			}
			p, changes, err := readPayload(header.Get("Content-Type"), strings.NewReader(c.body))
			if err != nil {
				if c.reason != wrong {
					t.Fatal(err)
				}
				return
			}
			branch, got, reason := judge(delivery{sender: senderOf(header), event: eventOf(header)}, "main", p, changes)
			if c.reason != "" {
				if !strings.Contains(reason, c.reason) {
					t.Errorf("%q, want %q", reason, c.reason)
				}
				return
			}
			if claims := strings.Join(p.claims, " "); claims != "" && claims != "team/app" && claims != "crew/shop" {
				t.Errorf("the repository is %q", claims)
			}
			if said := got.id + "|" + got.author + "|" + got.message; reason != "" || branch != "main" || said != c.want {
				t.Errorf("%q %q %q, want %q", branch, reason, said, c.want)
			}
		})
	}
}

// A push of 25 MiB needs little memory, whether it is one long message or many commits.
func TestLargePushIsNotKept(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"a message": io.MultiReader(strings.NewReader(`{"head_commit":{"id":"`+newHash+`","message":"`), strings.NewReader(strings.Repeat("long ", maxPush/5)),
			strings.NewReader(`"},"ref":"refs/heads/main","after":"`+newHash+`"}`)),
		"commits": io.MultiReader(strings.NewReader(`{"ref":"refs/heads/main","after":"`+newHash+`","commits":[1`),
			strings.NewReader(strings.Repeat(`,{"id":"x"}`, maxPush/11)), strings.NewReader(`]}`)),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		p, _, err := readPayload("application/json", body)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if err != nil || p.ref != "refs/heads/main" || len(p.head.message) > maxField {
			t.Errorf("%s: %v %q", name, err, p.ref)
		}
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 1<<20 {
			t.Errorf("%s: %d bytes are kept", name, kept)
		}
	}
}

// What shows that a sender knows the secret, and what is said of a delivery that does not.
func TestSendersShowTheSecret(t *testing.T) {
	t.Parallel()
	const token, at, none = "abcdefghijklmnopqrstuvwxyz012345", "1576754827988", "has no secret, so"
	sum := func(text string) []byte {
		mac := hmac.New(sha256.New, []byte(token))
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	const body = `{"ref":"refs/heads/main"}`
	standard := func(of string) []string {
		header, err := standardwebhooks.Signed(signingToken(secret.String(of)), "a.b", time.Unix(1576754827, 0), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return []string{"Webhook-Id", header.Get("Webhook-Id"), "Webhook-Timestamp", header.Get("Webhook-Timestamp"),
			"Webhook-Signature", "v1,eA== v2,eA== " + header.Get("Webhook-Signature")}
	}
	ofBody, ofTime := hex.EncodeToString(sum(body)), base64.StdEncoding.EncodeToString(sum(at+"\n"+token))
	for name, c := range map[string]struct {
		provider string
		header   []string
		want     string // what is said; "" for a sender who knows it
	}{
		"GitHub":                     {git.GitHub, []string{"X-Hub-Signature-256", "sha256=" + ofBody}, ""},
		"GitHub, of SHA-1":           {git.GitHub, []string{"X-Hub-Signature", "sha1=00"}, "is wrong"},
		"GitHub, without a secret":   {git.GitHub, []string{"X-GitHub-Event", "push"}, none},
		"GitHub, the secret itself":  {git.GitHub, []string{"X-Gitee-Token", token}, "is wrong"},
		"GitLab":                     {git.GitLab, []string{"X-Gitlab-Token", token}, ""},
		"GitLab, another token":      {git.GitLab, []string{"X-Gitlab-Token", token + "x"}, "is wrong"},
		"GitLab, its signing token":  {git.GitLab, standard(token), ""},
		"GitLab, of another time":    {git.GitLab, append(standard(token), "Webhook-Timestamp", "1576754828"), "is wrong"},
		"GitLab, another's":          {git.GitLab, standard(token + "x"), "is wrong"},
		"GitHub, a signing token":    {git.GitHub, standard(token), "is wrong"},
		"GitLab, both":               {git.GitLab, []string{"Webhook-Signature", "v1,eA==", "X-Gitlab-Token", token}, ""},
		"Gitee, a password":          {"custom", []string{"X-Gitee-Token", token}, ""},
		"Gitee, a signature":         {"custom", []string{"X-Gitee-Timestamp", at, "X-Gitee-Token", ofTime}, ""},
		"Gitee, escaped":             {"custom", []string{"X-Gitee-Timestamp", at, "X-Gitee-Token", url.QueryEscape(ofTime)}, ""},
		"Gitee, of another time":     {"custom", []string{"X-Gitee-Timestamp", at + "0", "X-Gitee-Token", ofTime}, "is wrong"},
		"Gitee, no signature at all": {"custom", []string{"X-Gitee-Timestamp", at, "X-Gitee-Token", "%"}, "is wrong"},
		"nothing":                    {"custom", nil, none},
	} {
		header := http.Header{}
		for i := 0; i < len(c.header); i += 2 {
			header.Set(c.header[i], c.header[i+1])
		}
		mac := hmac.New(sha256.New, []byte(token))
		mac.Write([]byte(body))
		alike := standardMAC(token, header)
		alike.Write([]byte(body))
		knows, said := signed(c.provider, token, header, mac, alike), unsigned(header)
		if knows != (c.want == "") || !knows && !strings.Contains(said, c.want) {
			t.Errorf("%s: %t, %q", name, knows, said)
		}
	}
}
