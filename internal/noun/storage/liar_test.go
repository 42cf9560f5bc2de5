package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/test/s3"
)

// soon is how long an answer may take in these tests. It fits a machine that is busy.
const soon = 2 * time.Second

func openLiar(t *testing.T, l *s3.Liar) *Bucket {
	t.Helper()
	b, err := (&Store{Guard: outbound.Guard{AllowPrivate: true}}).bucket(query.StorageProvider{Provider: Custom, Endpoint: &l.URL}, good, "archive")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// calls are all that Hostler asks of a storage.
func calls(t *testing.T, b *Bucket) map[string]func() error {
	t.Helper()
	ctx := t.Context()
	only := func(_ any, err error) error { return err }
	return map[string]func() error{
		"probe keys": func() error { return b.ProbeKeys(ctx) },
		"probe":      func() error { return b.Probe(ctx, "x") },
		"put":        func() error { return b.Put(ctx, "x/1", []byte("x")) },
		"get":        func() error { return only(b.Get(ctx, "x/1", 100)) },
		"stat":       func() error { return only(b.Stat(ctx, "x/1")) },
		"list":       func() error { return only(b.List(ctx, "x/")) },
		"remove":     func() error { return b.Remove(ctx, "x/1") },
		"begin":      func() error { return only(b.Begin(ctx, "x/1")) },
		"complete":   func() error { return b.Complete(ctx, "x/1", "u", []Part{{Number: 1, ETag: "e", Size: 1}}) },
		"abort":      func() error { return b.AbortAll(ctx, "x/") },
	}
}

func says(s string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) }
}

func lists(req *http.Request) bool {
	return req.URL.Query().Has("list-type") || req.URL.Query().Has("uploads") && req.Method == http.MethodGet
}

// A list without an end, in pages that are empty, the same, or always others, is given up on.
func TestStorageListsWithoutEnd(t *testing.T) {
	t.Parallel()
	const entry, upload = `<Contents><Key>x/1</Key><Size>1</Size></Contents>`, `<Upload><Key>x/1</Key><UploadId>u</UploadId></Upload>`
	for name, c := range map[string]struct {
		entry string
		token func(n int64) string
		most  int64
	}{
		"the same page, empty":         {"", func(int64) string { return "again" }, tries},
		"the same page, with an entry": {entry + upload, func(int64) string { return "again" }, tries},
		"always another, empty":        {"", func(n int64) string { return strconv.FormatInt(n, 10) }, maxPages},
		"always another, one entry":    {entry, func(n int64) string { return strconv.FormatInt(n, 10) }, maxPages},
		"no way to the next page":      {entry + upload, func(int64) string { return "" }, tries},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := s3.StartLiar(t)
			var pages atomic.Int64
			l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
				if !lists(req) {
					return false
				}
				token := c.token(pages.Add(1))
				root := "ListBucketResult"
				if req.URL.Query().Has("uploads") {
					root = "ListMultipartUploadsResult"
				}
				_, _ = fmt.Fprintf(w, "<%s><IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken><NextKeyMarker>%s</NextKeyMarker>"+
					"%s</%s>", root, token, token, c.entry, root)
				return true
			}
			for call, do := range map[string]func() error{"list": calls(t, openLiar(t, l))["list"], "abort": calls(t, openLiar(t, l))["abort"]} {
				pages.Store(0)
				var p *Problem
				if err := do(); err == nil || name != "no way to the next page" && !errors.As(err, &p) {
					t.Errorf("%s: %v", call, err)
				}
				if n := pages.Load(); n > c.most+1 {
					t.Errorf("%s asked for %d pages", call, n)
				}
			}
		})
	}
}

// Names that were not asked for are neither deleted nor believed: some storages ignore the prefix, and list what is someone else's.
func TestStorageListsOthers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"y/1", "x", "/x/1", "../x/1", "X/1", ""} {
		l := s3.StartLiar(t)
		l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
			if !lists(req) {
				return false
			}
			if req.URL.Query().Has("uploads") {
				says("<ListMultipartUploadsResult><Upload><Key>"+key+"</Key><UploadId>u</UploadId></Upload></ListMultipartUploadsResult>")(w, req)
				return true
			}
			says("<ListBucketResult><Contents><Key>x/1</Key><Size>1</Size></Contents><Contents><Key>"+key+"</Key><Size>1</Size></Contents></ListBucketResult>")(w, req)
			return true
		}
		b := openLiar(t, l)
		var p *Problem
		if got, err := b.List(t.Context(), "x/"); !errors.As(err, &p) || !p.Lasting || len(got) > 0 {
			t.Errorf("%q: listed are %v, %v", key, got, err)
		}
		if err := b.AbortAll(t.Context(), "x/"); !errors.As(err, &p) || !p.Lasting {
			t.Errorf("%q: %v", key, err)
		}
		for _, asked := range l.Asked() {
			if strings.HasPrefix(asked, http.MethodDelete) {
				t.Errorf("%q: %s", key, asked)
			}
		}
	}
}

// Names below our own directory that Hostler never wrote are not ours.
func TestStorageListsNamesThatLeadAway(t *testing.T) {
	t.Parallel()
	odd := []string{
		"x/../y/1", "x/./1", "x//1", "x/", "x/1/", "x/a%0Ab", "x/a%0D%0AHost:%20y", "x/a%00", "x/%1B%5B2J", "x/%FF", "x/..", "x/" + strings.Repeat("a", 2000),
	}
	l := s3.StartLiar(t)
	l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
		if !lists(req) {
			return false
		}
		var b strings.Builder
		for _, key := range odd {
			fmt.Fprintf(&b, "<Contents><Key>%s</Key><Size>1</Size></Contents><Upload><Key>%s</Key><UploadId>u</UploadId></Upload>", key, key)
		}
		for _, id := range []string{"", "a b", "a&#10;b", "ü", strings.Repeat("a", 2000)} {
			fmt.Fprintf(&b, "<Upload><Key>x/2</Key><UploadId>%s</UploadId></Upload>", id)
		}
		root := "ListBucketResult"
		if req.URL.Query().Has("uploads") {
			root = "ListMultipartUploadsResult"
		}
		_, _ = fmt.Fprintf(w, "<%s><EncodingType>url</EncodingType>%s<Contents><Key>x/ours</Key><Size>2</Size></Contents></%s>", root, b.String(), root)
		return true
	}
	b := openLiar(t, l)
	if got, err := b.List(t.Context(), "x/"); err != nil || len(got) != 1 || got[0] != (Object{Key: "x/ours", Size: 2}) {
		t.Errorf("listed are %+v, %v", got, err)
	}
	if err := b.AbortAll(t.Context(), "x/"); err != nil {
		t.Error(err)
	}
	for _, asked := range l.Asked() {
		if strings.HasPrefix(asked, http.MethodDelete) {
			t.Error(asked)
		}
	}
}

// An answer that sends us elsewhere is not followed: not to the panel, not to a neighbour of it, and not to another region.
func TestStorageRedirects(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	host := strings.TrimPrefix(other.URL, "http://")
	for _, status := range []int{301, 302, 303, 307, 308, 400, 403} {
		for _, code := range []string{"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "InvalidRegion", "AccessDenied"} {
			l := s3.StartLiar(t)
			l.Lie = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Location", other.URL+"/archive/x")
				w.Header().Set("X-Amz-Bucket-Region", "evil-1")
				w.WriteHeader(status)
				_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Endpoint>%s</Endpoint><Bucket>archive</Bucket><Region>evil-1</Region></Error>", code, host)
				return true
			}
			b := openLiar(t, l)
			for call, do := range calls(t, b) {
				mayDo := code == "AccessDenied" && (call == "probe keys" || call == "abort" && status == http.StatusForbidden) // what keys need not be allowed
				if err := do(); err == nil && !mayDo {
					t.Errorf("%d %s: %s is taken for done", status, code, call)
				}
			}
			if n := len(l.Asked()); n > 30 {
				t.Errorf("%d %s: %d requests", status, code, n)
			}
		}
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("the other server got %d requests", n)
	}
}

// A call ends when it should have, whatever the storage does: an error for ever, one byte at a time, nothing at all.
func TestStorageTakesForever(t *testing.T) {
	t.Parallel()
	drip := func(head string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, req *http.Request) bool {
			_, _ = io.WriteString(w, head)
			for tick := time.NewTicker(10 * time.Millisecond); ; {
				_ = http.NewResponseController(w).Flush()
				select {
				case <-tick.C:
				case <-req.Context().Done():
					tick.Stop()
					return true
				}
				if _, err := io.WriteString(w, " "); err != nil {
					return true
				}
			}
		}
	}
	for name, lie := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"one byte at a time": drip("<ListBucketResult>"),
		"one byte at a time, an error": func(w http.ResponseWriter, req *http.Request) bool {
			w.WriteHeader(400)
			return drip("<Error>")(w, req)
		},
		"nothing": func(_ http.ResponseWriter, req *http.Request) bool { <-req.Context().Done(); return true },
		"503": func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			says("<Error><Code>SlowDown</Code></Error>")(w, nil)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := s3.StartLiar(t)
			l.Lie = lie
			b := openLiar(t, l)
			b.place.(*remote).within = soon / longTimes
			ended := make(chan string)
			all := calls(t, b)
			delete(all, "probe") // they have a limit of their own
			delete(all, "probe keys")
			if strings.HasPrefix(name, "one byte at a time") {
				delete(all, "stat") // a HEAD has no body
				delete(all, "put")
				delete(all, "remove") // what they answer is not read
			}
			for call, do := range all {
				go func() {
					if err := do(); err == nil {
						call += " is taken for done"
					}
					ended <- call
				}()
			}
			deadline := time.After(10 * soon)
			for range all {
				select {
				case call := <-ended:
					if strings.Contains(call, "taken") {
						t.Error(call)
					}
				case <-deadline:
					t.Fatal("a call does not end")
				}
			}
			if n := len(l.Asked()); n > len(all)*tries {
				t.Errorf("%d requests for %d calls", n, len(all))
			}
		})
	}
}

// Nothing of what a storage writes into an error or an answer reaches a person, or is taken for success.
func TestStorageAnswersNonsense(t *testing.T) {
	t.Parallel()
	bomb := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">` +
		`<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"an entity bomb":         {200, bomb + "<Error><Code>&c;&f;</Code></Error>"},
		"an error, 200":          {200, "<Error><Code>InternalError</Code></Error>"},
		"nothing, 200":           {200, ""},
		"a page, 200":            {200, "<html><body>502 Bad Gateway</body></html>"},
		"half a result, 200":     {200, "<CompleteMultipartUploadResult><Buck"},
		"deep elements":          {200, strings.Repeat("<a>", 200_000)},
		"bytes":                  {200, "\x00\x01\xfe\xff"},
		"another charset":        {200, `<?xml version="1.0" encoding="UTF-7"?><Error/>`},
		"markup in the code":     {403, "<Error><Code>&lt;script&gt;alert(1)&lt;/script&gt;</Code><Message>CANARY</Message></Error>"},
		"a long code":            {403, "<Error><Code>" + strings.Repeat("CANARY", 1000) + "</Code></Error>"},
		"lines in the code":      {400, "<Error><Code>a\n\r\x1b[2JCANARY \u202e</Code></Error>"},
		"the clocks differ":      {403, "<Error><Code>RequestTimeTooSkewed</Code></Error>"},
		"a status without a use": {226, "<Error><Code>UseIM</Code></Error>"},
		"no object":              {404, "<Error><Code>NoSuchKey</Code></Error>"},
	} {
		l := s3.StartLiar(t)
		l.Lie = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
			return true
		}
		b := openLiar(t, l)
		all := calls(t, b)
		for _, call := range []string{"begin", "complete", "list", "abort", "probe", "get"} {
			err := all[call]()
			taken := err == nil && (c.status != 200 || call == "begin" || call == "complete" || call == "probe")
			if list := call == "list" || call == "abort"; taken || err == nil && list && name != "an error, 200" && name != "a page, 200" {
				t.Errorf("%s: %s is taken for done", name, call)
			}
			var p *Problem
			if errors.As(err, &p) && (len(p.Reason) > 120 || strings.ContainsAny(p.Reason, "<>\n\x1b") || name != "lines in the code" &&
				strings.Contains(p.Reason, "CANARY")) {
				t.Errorf("%s: %s says %q", name, call, p.Reason)
			}
			if name == "the clocks differ" && (p == nil || !strings.Contains(p.Reason, "clocks")) {
				t.Errorf("%s: %s says %v", name, call, err)
			}
		}
	}
}

// The id of an upload is part of thousands of addresses; one that would not fit into them, or that means something else in a URL, is refused.
func TestStorageNamesUploads(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", strings.Repeat("u", 1<<20), "a&#10;b", "a b", "\u00e4"} {
		l := s3.StartLiar(t)
		l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
			says("<InitiateMultipartUploadResult><UploadId>"+id+"</UploadId></InitiateMultipartUploadResult>")(w, req)
			return true
		}
		var p *Problem
		if upload, err := openLiar(t, l).Begin(t.Context(), "x/1"); !errors.As(err, &p) {
			t.Errorf("the upload is %.40q, %v", upload, err)
		}
	}
}

// An object is what the storage says that it is, or an error: longer, cut off, without an end, of another size, or in other bytes than were asked for.
func TestStorageReturnsOtherBytes(t *testing.T) {
	t.Parallel()
	endless := func(w http.ResponseWriter, req *http.Request) bool {
		for req.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				break
			}
		}
		return true
	}
	cut := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "x")
		return true
	}
	for name, lie := range map[string]func(http.ResponseWriter, *http.Request) bool{"without end": endless, "cut off": cut} {
		l := s3.StartLiar(t)
		l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
			w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
			return lie(w, req)
		}
		b := openLiar(t, l)
		got, err := b.Get(t.Context(), "x/1", 100)
		if len(got) > 100 || name == "cut off" && err == nil {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		var out bytes.Buffer
		if err := b.Fetch(t.Context(), "x/1", &out); err == nil || out.Len() > 1000 {
			t.Errorf("%s: fetched are %d bytes, %v", name, out.Len(), err)
		}
	}
	l := s3.StartLiar(t)
	l.Put("x/1", []byte("right"))
	l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodHead {
			return false
		}
		w.Header()["Content-Length"] = []string{"5"}
		w.Header().Set("Last-Modified", "yesterday")
		w.Header().Set("ETag", `"`+strings.Repeat("e", 10_000))
		return true
	}
	if o, err := openLiar(t, l).Stat(t.Context(), "x/1"); err == nil {
		t.Errorf("an object of yesterday is %+v", o)
	}
}
