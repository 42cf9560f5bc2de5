package git_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/bounded/boundedtest"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/test/githost"
)

const (
	repository = "team/shop"
	hash       = "0123456789012345678901234567890123456789"
	publicKey  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf hostler-site-7"
)

func connect(t *testing.T, s *githost.Server, dialect, token string) git.Client {
	t.Helper()
	c, err := git.Connect(git.Connection{Provider: dialect, Token: secret.String(token), HTTP: outbound.Guard{AllowPrivate: true}.Client(), Base: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// each runs a test against each of the three APIs.
func each(t *testing.T, test func(t *testing.T, dialect string, s *githost.Server, c git.Client)) {
	t.Helper()
	for _, dialect := range []string{githost.GitHub, githost.GitLab, githost.Bitbucket} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			s := githost.Start(t, dialect)
			s.Add(repository, map[string]string{"main": hash, "feature/x": strings.Repeat("a", 40)})
			test(t, dialect, s, connect(t, s, dialect, githost.Token))
		})
	}
}

func TestClientFinds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ string, _ *githost.Server, c git.Client) {
		ctx := context.Background()
		if name, err := c.Account(ctx); err != nil || !strings.EqualFold(name, "ada") {
			t.Errorf("the account is %q, %v", name, err)
		}
		r, err := c.Repository(ctx, repository)
		if err != nil || r.Name != repository || r.DefaultBranch != "main" {
			t.Errorf("the repository is %+v, %v", r, err)
		}
		for ref, want := range map[string]string{"main": hash, "feature/x": strings.Repeat("a", 40), hash: hash} {
			if got, err := c.Commit(ctx, repository, ref); err != nil || got.Hash != want || got.Message != "Fix the shop" ||
				got.Author != "Ada" || !strings.HasSuffix(got.URL, want) {
				t.Errorf("%s is %+v, %v", ref, got, err)
			}
		}
		if _, err := c.Repository(ctx, "team/another"); !errors.Is(err, git.ErrNoRepository) {
			t.Errorf("a repository that is not there: %v", err)
		}
		if _, err := c.Commit(ctx, repository, "gone"); !errors.Is(err, git.ErrNoRef) {
			t.Errorf("a branch that is not there: %v", err)
		}
	})
}

// Keys and webhooks are added once, however often requested, read-only, and removed; those of others stay.
func TestClientKeysAndHooks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ string, s *githost.Server, c git.Client) {
		ctx := context.Background()
		first, err := c.AddKey(ctx, repository, "Hostler site 7", publicKey)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.AddKey(ctx, repository, "Hostler site 7", publicKey)
		if err != nil || again != first {
			t.Errorf("the key is %s, and then %s, %v", first, again, err)
		}
		if got := s.Repository(repository).Keys; len(got) != 1 || got[0].MayWrite || got[0].Key != publicKey {
			t.Errorf("the keys are %+v", got)
		}
		if _, err := c.AddHook(ctx, repository, "https://panel.example.com/push/7", "old"); err != nil {
			t.Fatal(err)
		}
		hook, err := c.AddHook(ctx, repository, "https://panel.example.com/push/7", "new")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Repository(repository).Hooks; len(got) != 1 || got[0].Secret != "new" || got[0].URL != "https://panel.example.com/push/7" {
			t.Errorf("the webhooks are %+v", got)
		}
		for range 2 { // a missing one is not an error
			if err := errors.Join(c.RemoveKey(ctx, repository, first), c.RemoveHook(ctx, repository, hook)); err != nil {
				t.Errorf("remove: %v", err)
			}
		}
		if got := s.Repository(repository); len(got.Keys)+len(got.Hooks) != 0 {
			t.Errorf("left: %+v", got)
		}
	})
}

func TestClientProblems(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, dialect string, s *githost.Server, c git.Client) {
		ctx := context.Background()
		var p *git.Problem
		if _, err := connect(t, s, dialect, "wrong").Account(ctx); !errors.As(err, &p) || !p.Token || !p.Lasting {
			t.Errorf("a wrong token: %v", err)
		}
		reset := time.Now().Add(10 * time.Minute).Unix()
		for name, c2 := range map[string]struct {
			answer  githost.Answer
			lasting bool
			says    string
			after   bool
		}{
			"limit": {githost.Answer{Status: 429, Header: map[string]string{"Retry-After": "30"}}, false, "no more calls", true},
			"limit, 403": {githost.Answer{
				Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": itoa(reset)},
			}, false, "no more calls", true},
			"forbidden":  {githost.Answer{Status: 403}, true, "does not allow", false},
			"away":       {githost.Answer{Status: 502, Body: "<html>"}, false, "can't answer now", false},
			"moved":      {githost.Answer{Status: 301, Header: map[string]string{"Location": "http://169.254.169.254/"}}, true, "elsewhere", false},
			"refused":    {githost.Answer{Status: 422, Body: `{"message":"no\u001b[31m\nway"}`}, true, "(422). no [31m way", false},
			"unreadable": {githost.Answer{Status: 200, Body: "<html>"}, false, "can't be read", false},
		} {
			s.Next(c2.answer)
			err := c.RemoveKey(ctx, repository, "7")
			if c2.answer.Status == 200 {
				s.Next(c2.answer)
				_, err = c.Repository(ctx, repository)
			}
			p = nil
			if !errors.As(err, &p) || p.Lasting != c2.lasting || !strings.Contains(strings.ReplaceAll(p.Reason, "\x1b", ""), c2.says) || (p.After > 0) != c2.after {
				t.Errorf("%s: %v, %+v", name, err, p)
			}
			if p != nil && strings.ContainsAny(p.Reason, "\x1b\n") {
				t.Errorf("%s: the reason %q would move a terminal", name, p.Reason)
			}
		}
	})
}

// The token is sent only to the provider, wherever a list claims to continue.
func TestClientFollowsNobodyElse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ string, s *githost.Server, c git.Client) {
		asked := make(chan string, 10)
		other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { asked <- req.Header.Get("Authorization") }))
		t.Cleanup(other.Close)
		s.Elsewhere(other.URL)
		// two hooks are on the first page, and this one would be the third
		if _, err := c.AddHook(context.Background(), repository, "https://panel.example.com/push/7", "key"); err == nil {
			_, err = c.AddHook(context.Background(), repository, "https://panel.example.com/push/8", "key")
			var p *git.Problem
			if !errors.As(err, &p) || !strings.Contains(p.Reason, "elsewhere") {
				t.Errorf("a list that goes on elsewhere: %v", err)
			}
		}
		select {
		case token := <-asked:
			t.Errorf("somebody else was asked with %q", token)
		default:
		}
	})
}

// An answer that comes a byte at a time without end is given up on.
func TestProviderTakesForever(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(boundedtest.Drip))
	t.Cleanup(server.Close)
	for _, dialect := range []string{githost.GitHub, githost.GitLab, githost.Bitbucket} {
		caller := outbound.Guard{AllowPrivate: true}.Client()
		caller.Timeout = 100 * time.Millisecond
		c, err := git.Connect(git.Connection{Provider: dialect, Token: githost.Token, HTTP: caller, Base: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, account := c.Account(t.Context())
		_, found := c.Repository(t.Context(), repository)
		_, commit := c.Commit(t.Context(), repository, "main")
		for question, err := range map[string]error{"account": account, "repository": found, "commit": commit} {
			var p *git.Problem
			if !errors.As(err, &p) || p.Lasting || !strings.Contains(p.Reason, "did not answer to the end") {
				t.Errorf("%s, %s: %v", dialect, question, err)
			}
		}
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "app", "../user", "team/..", "./x", "team/app/../../user", "-x/app", "team/app?x",
		"team/app#x", "team//app", "team/ap p", "team/app\n", "a/" + strings.Repeat("b", 600),
	} {
		for _, provider := range []string{git.GitHub, git.GitLab, git.GitLabCustom, git.Bitbucket} {
			if got, err := git.CheckName(provider, name); err == nil {
				t.Errorf("%s: %q is taken as %q", provider, name, got)
			}
		}
	}
	if _, err := git.CheckName(git.GitHub, "group/team/app"); err == nil {
		t.Error("GitHub has no groups of groups")
	}
	if got, err := git.CheckName(git.GitLab, "group/team/app.git"); err != nil || got != "group/team/app" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCommitURL(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"https://github.com/team/shop/commit/" + hash:        git.CommitURL(git.GitHub, "", repository, hash),
		"https://gitlab.com/team/shop/-/commit/" + hash:      git.CommitURL(git.GitLab, "", repository, hash),
		"https://git.example.com/team/shop/-/commit/" + hash: git.CommitURL(git.GitLabCustom, "https://git.example.com/", repository, hash),
		"https://bitbucket.org/team/shop/commits/" + hash:    git.CommitURL(git.Bitbucket, "", repository, hash),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, got := range []string{
		git.CommitURL(git.Custom, "", repository, hash),
		git.CommitURL(git.GitHub, "", "git@git.example.com:a/b.git", hash), git.CommitURL(git.GitHub, "", repository,
			"../x"), git.CommitURL(git.GitLabCustom, "", repository, hash),
	} {
		if got != "" {
			t.Errorf("%q, want none", got)
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
