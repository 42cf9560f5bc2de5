package s3

import (
	"bufio"
	"bytes"
	"crypto/md5" //nolint:gosec // what S3 calls an ETag
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Liar is a storage in memory that a test makes lie. It accepts every key.
type Liar struct {
	URL string
	// Lie answers a request instead of the storage, and reports whether it did.
	Lie func(w http.ResponseWriter, req *http.Request) bool

	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]map[int][]byte // by id, which is the key's and a number
	asked   []string
}

// StartLiar runs a storage until the test ends.
func StartLiar(t testing.TB) *Liar {
	t.Helper()
	l := &Liar{objects: map[string][]byte{}, uploads: map[string]map[int][]byte{}}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	l.URL = server.URL
	return l
}

// Object returns an object of any bucket, and whether it exists.
func (l *Liar) Object(key string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	content, ok := l.objects[key]
	return content, ok
}

// Put stores an object.
func (l *Liar) Put(key string, content []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objects[key] = content
}

// Asked returns the requests so far, each as its method and its path with its query.
func (l *Liar) Asked() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.asked)
}

func (l *Liar) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body := content(req) // a client that goes away is seen only after that
	l.mu.Lock()
	l.asked = append(l.asked, req.Method+" "+req.URL.RequestURI())
	l.mu.Unlock()
	if l.Lie != nil && l.Lie(w, req) {
		return
	}
	_, key, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	if key == "" {
		l.list(w, req.URL.Query())
		return
	}
	l.object(w, req, key, body)
}

func (l *Liar) object(w http.ResponseWriter, req *http.Request, key string, body []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := req.URL.Query()
	id := q.Get("uploadId")
	switch {
	case req.Method == http.MethodPost && q.Has("uploads"):
		id = key + " " + strconv.Itoa(len(l.asked))
		id = hex.EncodeToString([]byte(id))
		l.uploads[id] = map[int][]byte{}
		_, _ = fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case req.Method == http.MethodPost:
		var whole []byte
		parts := l.uploads[id]
		for _, n := range slices.Sorted(maps.Keys(parts)) {
			whole = append(whole, parts[n]...)
		}
		l.objects[key] = whole
		delete(l.uploads, id)
		_, _ = fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>b</Bucket><Key>%s</Key><ETag>e</ETag></CompleteMultipartUploadResult>", escaped(key))
	case req.Method == http.MethodDelete && id != "":
		delete(l.uploads, id)
		w.WriteHeader(http.StatusNoContent)
	case req.Method == http.MethodDelete:
		delete(l.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case req.Method == http.MethodPut && id != "":
		n, _ := strconv.Atoi(q.Get("partNumber"))
		l.uploads[id][n] = body
		w.Header().Set("ETag", etag(body))
	case req.Method == http.MethodPut:
		l.objects[key] = body
		w.Header().Set("ETag", etag(body))
	default:
		whole, ok := l.objects[key]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
			return
		}
		w.Header().Set("ETag", etag(whole))
		http.ServeContent(w, req, "", time.Unix(1e9, 0), bytes.NewReader(whole))
	}
}

func (l *Liar) list(w http.ResponseWriter, q url.Values) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.Has("uploads") {
		_, _ = io.WriteString(w, "<ListMultipartUploadsResult>")
		for _, id := range slices.Sorted(maps.Keys(l.uploads)) {
			raw, _ := hex.DecodeString(id)
			key, _, _ := strings.Cut(string(raw), " ")
			if strings.HasPrefix(key, q.Get("prefix")) {
				_, _ = fmt.Fprintf(w, "<Upload><Key>%s</Key><UploadId>%s</UploadId></Upload>", escaped(key), id)
			}
		}
		_, _ = io.WriteString(w, "</ListMultipartUploadsResult>")
		return
	}
	_, _ = io.WriteString(w, "<ListBucketResult>")
	for _, key := range slices.Sorted(maps.Keys(l.objects)) {
		if strings.HasPrefix(key, q.Get("prefix")) {
			_, _ = fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", escaped(key), len(l.objects[key]))
		}
	}
	_, _ = io.WriteString(w, "</ListBucketResult>")
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func etag(content []byte) string {
	sum := md5.Sum(content) //nolint:gosec // see the import
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// content returns the body of a request, without the signatures that clients put between its chunks over plain HTTP.
func content(req *http.Request) []byte {
	if !strings.HasPrefix(req.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		raw, _ := io.ReadAll(req.Body)
		return raw
	}
	r := bufio.NewReader(req.Body)
	var out []byte
	for {
		line, err := r.ReadString('\n')
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, perr := strconv.ParseInt(size, 16, 64)
		if err != nil || perr != nil || n == 0 {
			_, _ = io.Copy(io.Discard, r)
			return out
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(r, chunk); err != nil {
			return out
		}
		out = append(out, chunk[:n]...)
	}
}
