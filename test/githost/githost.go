// Package githost answers like the HTTP APIs of GitHub, GitLab and Bitbucket as far as Hostler asks them, for tests: with pages, refusals and limits. None of
// it is part of the product.
package githost

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The dialects.
const (
	GitHub    = "github"
	GitLab    = "gitlab"
	Bitbucket = "bitbucket"
)

// Token is what a server takes; User is the name that goes with it where it is a password.
const (
	Token = "glpat-s3cret-token"
	User  = "ada@example.com"
)

// Key is a deploy key of a repository.
type Key struct {
	ID         int
	Title, Key string
	MayWrite   bool
}

// Hook is a webhook of a repository.
type Hook struct {
	ID          int
	URL, Secret string
}

// Repository is what a server knows of one.
type Repository struct {
	// Branches are the hashes of their newest commits.
	Branches map[string]string
	Keys     []Key
	Hooks    []Hook
}

// Answer replaces the next answers.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
}

// Server is one provider.
type Server struct {
	// URL is its API's root.
	URL string

	t       testing.TB
	dialect string
	// pageSize is the number of items of a list in one answer, however many were requested.
	pageSize int

	mu        sync.Mutex
	next      int
	repos     map[string]*Repository
	queued    []Answer
	requests  []string
	elsewhere string
}

// Start starts a server of a dialect; it ends with the test.
func Start(t testing.TB, dialect string) *Server {
	t.Helper()
	s, stop := New(dialect)
	s.t = t
	t.Cleanup(stop)
	return s
}

// New is Start without a test around it.
func New(dialect string) (s *Server, stop func()) {
	s = &Server{dialect: dialect, pageSize: 2, next: 100, repos: map[string]*Repository{}}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = h.URL + map[string]string{GitHub: "", GitLab: "/api/v4", Bitbucket: "/2.0"}[dialect]
	return s, h.Close
}

// Add adds a repository with branches, and two keys and two webhooks of others.
func (s *Server) Add(name string, branches map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repos[name] = &Repository{
		Branches: branches,
		Keys:     []Key{{ID: 1, Title: "another", Key: otherKey}, {ID: 2, Title: "one more", Key: strings.Replace(otherKey, "OMqqnk", "OMqqnl", 1)}},
		Hooks:    []Hook{{ID: 1, URL: "https://ci.example.com/a"}, {ID: 2, URL: "https://ci.example.com/b"}},
	}
}

const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

// Repository returns the current state of a repository, without what Add put there.
func (s *Server) Repository(name string) Repository {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[name]
	return Repository{
		Keys:  slices.DeleteFunc(slices.Clone(r.Keys), func(k Key) bool { return k.ID < 100 }),
		Hooks: slices.DeleteFunc(slices.Clone(r.Hooks), func(h Hook) bool { return h.ID < 100 }),
	}
}

// Next answers the next requests with these, one each.
func (s *Server) Next(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued = append(s.queued, answers...)
}

// Elsewhere makes pages of lists lead to another address.
func (s *Server) Elsewhere(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.elsewhere = address
}

// Requests returns the methods and paths of what was asked.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Push returns what the server sends to a hook when a commit is pushed to a branch.
func (s *Server) Push(h Hook, repository, branch, hash string) *http.Request {
	s.t.Helper()
	var body any
	header := map[string]string{}
	commit := map[string]any{"id": hash, "message": "Fix the shop", "author": map[string]any{"name": "Ada"}}
	switch s.dialect {
	case GitHub:
		body = map[string]any{"ref": "refs/heads/" + branch, "after": hash, "head_commit": commit, "repository": map[string]any{"full_name": repository}}
		header["X-GitHub-Event"] = "push"
	case GitLab:
		body = map[string]any{
			"object_kind":  "push",
			"ref":          "refs/heads/" + branch,
			"after":        hash,
			"checkout_sha": hash,
			"commits":      []any{commit},
			"project":      map[string]any{"path_with_namespace": repository},
		}
		header["X-Gitlab-Event"], header["X-Gitlab-Token"] = "Push Hook", h.Secret
	case Bitbucket:
		target := map[string]any{"hash": hash, "message": "Fix the shop", "author": map[string]any{"raw": "Ada <ada@example.com>"}}
		change := func(branch string) any {
			return map[string]any{"new": map[string]any{"type": "branch", "name": branch, "target": target}}
		}
		body = map[string]any{"push": map[string]any{"changes": []any{change("another"), change(branch)}}, "repository": map[string]any{"full_name": repository}}
		header["X-Event-Key"] = "repo:push"
	}
	raw, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(h.Secret))
	mac.Write(raw)
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	switch s.dialect {
	case GitHub:
		header["X-Hub-Signature-256"] = signature
	case Bitbucket:
		header["X-Hub-Signature"] = signature
	}
	req, err := http.NewRequest(http.MethodPost, h.URL, strings.NewReader(string(raw)))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, v := range header {
		req.Header.Set(name, v)
	}
	return req
}

func (s *Server) serve(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(req.URL.EscapedPath(), map[string]string{GitHub: "", GitLab: "/api/v4", Bitbucket: "/2.0"}[s.dialect])
	s.requests = append(s.requests, req.Method+" "+path)
	if len(s.queued) > 0 {
		a := s.queued[0]
		s.queued = s.queued[1:]
		for name, v := range a.Header {
			w.Header().Set(name, v)
		}
		w.WriteHeader(a.Status)
		_, _ = w.Write([]byte(a.Body))
		return
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(User+":"+Token))
	if given := req.Header.Get("Authorization"); given != "Bearer "+Token && given != basic {
		s.answer(w, http.StatusUnauthorized, map[string]any{"message": "Bad credentials"})
		return
	}
	if path == "/user" {
		s.answer(w, http.StatusOK, map[string]any{"login": "ada", "username": "ada", "display_name": "Ada"})
		return
	}
	name, rest, ok := s.split(path)
	repo := s.repos[name]
	if !ok || repo == nil {
		s.answer(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
		return
	}
	s.repository(w, req, name, rest, repo)
}

// split parts a path in the name of a repository and the rest.
func (s *Server) split(path string) (name, rest string, ok bool) {
	if s.dialect == GitLab {
		path, ok = strings.CutPrefix(path, "/projects/")
		name, rest, _ = strings.Cut(path, "/")
		plain, err := url.PathUnescape(name)
		return plain, rest, ok && err == nil
	}
	path, ok = strings.CutPrefix(path, map[string]string{GitHub: "/repos/", Bitbucket: "/repositories/"}[s.dialect])
	parts := strings.SplitN(path, "/", 3)
	if !ok || len(parts) < 2 {
		return "", "", false
	}
	if len(parts) == 3 {
		rest = parts[2]
	}
	return parts[0] + "/" + parts[1], rest, true
}

func (s *Server) repository(w http.ResponseWriter, req *http.Request, name, rest string, repo *Repository) {
	keys := map[string]string{GitHub: "keys", GitLab: "deploy_keys", Bitbucket: "deploy-keys"}[s.dialect]
	kind, id, _ := strings.Cut(rest, "/")
	switch {
	case rest == "":
		s.answer(w, http.StatusOK, map[string]any{
			"full_name":           name,
			"path_with_namespace": name,
			"default_branch":      "main",
			"mainbranch":          map[string]any{"name": "main"},
			"ssh_url":             "git@git.example.com:" + name + ".git",
			"ssh_url_to_repo":     "git@git.example.com:" + name + ".git",
		})
	case kind == keys:
		s.keys(w, req, id, repo)
	case kind == "hooks":
		s.hooks(w, req, id, repo)
	default:
		s.commit(w, rest, repo)
	}
}

func (s *Server) commit(w http.ResponseWriter, rest string, repo *Repository) {
	for _, prefix := range []string{"commits/heads/", "commits/", "repository/branches/", "repository/commits/", "refs/branches/", "commit/"} {
		text, ok := strings.CutPrefix(rest, prefix)
		ref, err := url.PathUnescape(text)
		if !ok || err != nil {
			continue
		}
		for branch, hash := range repo.Branches {
			if branch != ref && hash != ref {
				continue
			}
			github := map[string]any{
				"sha": hash, "html_url": "https://github.example/" + hash,
				"commit": map[string]any{"message": "Fix the shop", "author": map[string]any{"name": "Ada"}},
			}
			gitlab := map[string]any{"id": hash, "message": "Fix the shop", "author_name": "Ada", "web_url": "https://gitlab.example/" + hash}
			bitbucket := map[string]any{
				"hash":    hash,
				"message": "Fix the shop",
				"author":  map[string]any{"raw": "Ada"},
				"links":   map[string]any{"html": map[string]any{"href": "https://bitbucket.example/" + hash}},
			}
			switch {
			case s.dialect == GitHub:
				s.answer(w, http.StatusOK, github)
			case prefix == "repository/branches/":
				s.answer(w, http.StatusOK, map[string]any{"name": branch, "commit": gitlab})
			case s.dialect == GitLab:
				s.answer(w, http.StatusOK, gitlab)
			case prefix == "refs/branches/":
				s.answer(w, http.StatusOK, map[string]any{"name": branch, "target": bitbucket})
			default:
				s.answer(w, http.StatusOK, bitbucket)
			}
			return
		}
		if s.dialect == GitHub { // it answers so for a ref that it does not have
			s.answer(w, http.StatusUnprocessableEntity, map[string]any{"message": "No commit found for SHA: " + ref})
			return
		}
	}
	s.answer(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
}

func (s *Server) keys(w http.ResponseWriter, req *http.Request, id string, repo *Repository) {
	shown := func(k Key) any { return map[string]any{"id": k.ID, "title": k.Title, "label": k.Title, "key": k.Key} }
	switch {
	case req.Method == http.MethodGet:
		list(s, w, req, repo.Keys, shown)
	case req.Method == http.MethodPost:
		var b struct {
			Title, Label, Key string
			ReadOnly          bool  `json:"read_only"`
			CanPush           *bool `json:"can_push"`
		}
		if json.NewDecoder(req.Body).Decode(&b) != nil {
			s.answer(w, http.StatusBadRequest, map[string]any{"message": "Problems parsing JSON"})
			return
		}
		if slices.ContainsFunc(repo.Keys, func(k Key) bool { return k.Key == b.Key }) {
			s.answer(w, http.StatusUnprocessableEntity, map[string]any{
				"message": "Validation Failed", "errors": []any{map[string]any{"message": "key is already in use"}},
			})
			return
		}
		s.next++
		k := Key{
			ID: s.next, Title: b.Title + b.Label, Key: b.Key,
			MayWrite: s.dialect == GitHub && !b.ReadOnly || s.dialect == GitLab && (b.CanPush == nil || *b.CanPush),
		}
		repo.Keys = append(repo.Keys, k)
		s.answer(w, http.StatusCreated, shown(k))
	case req.Method == http.MethodDelete:
		n := len(repo.Keys)
		repo.Keys = slices.DeleteFunc(repo.Keys, func(k Key) bool { return strconv.Itoa(k.ID) == id })
		s.deleted(w, n > len(repo.Keys))
	}
}

func (s *Server) hooks(w http.ResponseWriter, req *http.Request, id string, repo *Repository) {
	name := func(h Hook) string { return fmt.Sprintf("{0000-%d}", h.ID) }
	shown := func(h Hook) any {
		return map[string]any{"id": h.ID, "uuid": name(h), "url": h.URL, "config": map[string]any{"url": h.URL}}
	}
	if s.dialect == GitHub {
		shown = func(h Hook) any {
			return map[string]any{"id": h.ID, "url": s.URL, "config": map[string]any{"url": h.URL}}
		}
	}
	switch {
	case req.Method == http.MethodGet:
		list(s, w, req, repo.Hooks, shown)
	case req.Method == http.MethodPost:
		var b struct {
			URL, Token, Secret string
			Config             struct{ URL, Secret string }
		}
		if json.NewDecoder(req.Body).Decode(&b) != nil {
			s.answer(w, http.StatusBadRequest, map[string]any{"message": "Problems parsing JSON"})
			return
		}
		s.next++
		h := Hook{ID: s.next, URL: b.URL + b.Config.URL, Secret: b.Token + b.Secret + b.Config.Secret}
		repo.Hooks = append(repo.Hooks, h)
		s.answer(w, http.StatusCreated, shown(h))
	case req.Method == http.MethodDelete:
		plain, _ := url.PathUnescape(id)
		n := len(repo.Hooks)
		repo.Hooks = slices.DeleteFunc(repo.Hooks, func(h Hook) bool {
			if s.dialect == Bitbucket {
				return name(h) == plain
			}
			return strconv.Itoa(h.ID) == plain
		})
		s.deleted(w, n > len(repo.Hooks))
	}
}

// list answers one page.
func list[T any](s *Server, w http.ResponseWriter, req *http.Request, all []T, shown func(T) any) {
	page, _ := strconv.Atoi(req.URL.Query().Get("page"))
	page = max(page, 1)
	from := min((page-1)*s.pageSize, len(all))
	to := min(from+s.pageSize, len(all))
	rows := []any{}
	for _, row := range all[from:to] {
		rows = append(rows, shown(row))
	}
	next := ""
	if to < len(all) {
		root := "http://" + req.Host
		if s.elsewhere != "" {
			root = s.elsewhere
		}
		next = fmt.Sprintf("%s%s?page=%d", root, req.URL.EscapedPath(), page+1)
	}
	if s.dialect == Bitbucket {
		answer := map[string]any{"values": rows}
		if next != "" {
			answer["next"] = next
		}
		s.answer(w, http.StatusOK, answer)
		return
	}
	if next != "" {
		w.Header().Set("Link", `<`+next+`>; rel="next", <`+next+`>; rel="last"`)
	}
	s.answer(w, http.StatusOK, rows)
}

func (s *Server) deleted(w http.ResponseWriter, found bool) {
	if !found {
		s.answer(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
