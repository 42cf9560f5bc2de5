package githost

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// LFS is a server of Git LFS: its batch API, and the objects themselves (docs/api of git-lfs). It takes the token alone.
type LFS struct {
	// URL is the href of a repository's objects.
	URL string
	// Handler serves it, where a test has a server of its own; URL is that server's then.
	Handler http.Handler

	mu      sync.Mutex
	objects map[string][]byte
	how     string
	fetched int
}

// How an LFS server fails.
const (
	LFSForbids = "forbids" // the batch
	LFSLacks   = "lacks"   // the object, by an error of its own
	LFSForgets = "forgets" // the object, which is not in the answer
	LFSLies    = "lies"    // other content of the same size
	LFSCuts    = "cuts"    // half of the content
	LFSStalls  = "stalls"  // answers 503 once, and then well
)

// NewLFS starts a server.
func NewLFS() (s *LFS, stop func()) {
	s = &LFS{objects: map[string][]byte{}}
	s.Handler = http.HandlerFunc(s.serve)
	h := httptest.NewServer(s.Handler)
	s.URL = h.URL
	return s, h.Close
}

// Add stores an object, and returns the pointer that a repository has to it.
func (s *LFS) Add(content []byte) (pointer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256(content)
	oid := hex.EncodeToString(sum[:])
	s.objects[oid] = content
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", oid, len(content))
}

// Fail makes it answer in one of the ways above, "" for well.
func (s *LFS) Fail(how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.how = how
}

// Fetched returns how many objects were fetched.
func (s *LFS) Fetched() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetched
}

// Authenticated is what git-lfs-authenticate prints for it.
func (s *LFS) Authenticated() string {
	return fmt.Sprintf(`{"href":%q,"header":{"Authorization":"RemoteAuth %s"},"expires_in":600}`, s.URL, Token)
}

func (s *LFS) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/vnd.git-lfs+json")
	if r.Header.Get("Authorization") != "RemoteAuth "+Token {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"message":"Credentials needed"}`)
		return
	}
	if oid, ok := strings.CutPrefix(r.URL.Path, "/o/"); ok {
		s.object(w, oid)
		return
	}
	if s.how == LFSStalls {
		s.how = ""
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if s.how == LFSForbids {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(w, `{"message":"The quota of this repository is used up"}`)
		return
	}
	var asked struct {
		Operation string
		Objects   []struct {
			OID  string `json:"oid"`
			Size int64  `json:"size"`
		}
	}
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/objects/batch") || json.NewDecoder(r.Body).Decode(&asked) != nil ||
		asked.Operation != "download" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	out := []map[string]any{}
	for _, o := range asked.Objects {
		one := map[string]any{"oid": o.OID, "size": o.Size}
		switch _, has := s.objects[o.OID]; {
		case s.how == LFSForgets:
			continue
		case s.how == LFSLacks || !has:
			one["error"] = map[string]any{"code": http.StatusNotFound, "message": "Object does not exist"}
		default:
			one["actions"] = map[string]any{"download": map[string]any{"href": s.URL + "/o/" + o.OID,
				"header": map[string]string{"Authorization": "RemoteAuth " + Token}}}
		}
		out = append(out, one)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"transfer": "basic", "objects": out})
}

func (s *LFS) object(w http.ResponseWriter, oid string) {
	content, ok := s.objects[oid]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.fetched++
	switch s.how {
	case LFSLies:
		content = []byte(strings.Repeat("x", len(content)))
	case LFSCuts:
		content = content[:len(content)/2]
	}
	_, _ = w.Write(content)
}
