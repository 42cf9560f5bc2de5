package archive

import (
	"bytes"
	"context"
	"crypto/rand"
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

	"filippo.io/age"
)

// packed returns an object with its file key and checksum.
func packed(t *testing.T, to *age.X25519Identity, plain []byte) (object, fileKey []byte, sum string) {
	t.Helper()
	var out bytes.Buffer
	p, err := NewPacker(&out, to.Recipient().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	header, err := age.ExtractHeader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if fileKey, err = age.DecryptHeader(header, to); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), fileKey, p.Sum()
}

// What a host reads of a storage is the object that was stored, or an error before anything of another one arrives.
func TestStorageSwapsObjects(t *testing.T) {
	t.Parallel()
	ours, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	plain := make([]byte, 1<<20)
	_, _ = rand.Read(plain)
	object, key, sum := packed(t, ours, plain)
	older, _, _ := packed(t, ours, plain)
	foreign, _, _ := packed(t, theirs, plain)
	flipped := bytes.Clone(object)
	flipped[len(flipped)/2] ^= 1
	header := bytes.Index(object, []byte("\n---"))
	send := func(content []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) {
			http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(content))
		}
	}
	endless := func(head []byte, more string) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) {
			_, err := w.Write(head)
			for text := []byte(strings.Repeat(more, 1000)); err == nil && req.Context().Err() == nil; {
				_, err = w.Write(text)
			}
		}
	}
	for name, c := range map[string]struct {
		send  http.HandlerFunc
		plain int // at most
	}{
		"an older copy for the same key":     {send(older), 0},
		"the object of another organization": {send(foreign), 0},
		"cut in the header":                  {send(object[:100]), 0},
		"cut in the middle":                  {send(object[:len(object)/2]), len(plain)},
		"cut at a block":                     {send(object[:header+50+16+65552]), len(plain)},
		"longer":                             {send(append(bytes.Clone(object), 'x')), len(plain)},
		"twice":                              {send(append(bytes.Clone(object), object...)), len(plain)},
		"without an end":                     {endless(object, "x"), len(plain)},
		"a beginning without an end":         {endless([]byte("age-encryption.org/v1\n-> X25519 "), "A"), 0},
		"a thousand recipients":              {endless([]byte("age-encryption.org/v1\n"), "-> x y\nAAAA\n"), 0},
		"one flipped bit":                    {send(flipped), len(plain)},
		"empty":                              {send(nil), 0},
		"an error with 200":                  {send([]byte("<Error><Code>InternalError</Code></Error>")), 0},
		"the whole where a part was asked for": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(object)))
			_, _ = w.Write(object[:1000])
		}, len(plain)},
		"206 for all of it": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(object)
		}, 0},
		"a redirect": {func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.send)
			t.Cleanup(server.Close)
			r := Open(t.Context(), NewClient(), server.URL)
			defer func() { _ = r.Close() }()
			var out bytes.Buffer
			if err := Unpack(&out, r, key, int64(len(object)), sum); err == nil {
				t.Error("it was taken")
			}
			if out.Len() > c.plain || !bytes.HasPrefix(plain, out.Bytes()) {
				t.Errorf("%d bytes of something else arrived", out.Len())
			}
		})
	}
	var out bytes.Buffer
	if err := Unpack(&out, bytes.NewReader(object), key, int64(len(object)), sum); err != nil || !bytes.Equal(out.Bytes(), plain) {
		t.Errorf("the right one: %v", err)
	}
}

// A storage that stops in the middle of an object is asked again for the rest, and given up on if it goes on like that.
func TestStorageStopsSending(t *testing.T) {
	t.Parallel()
	const whole = "0123456789"
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		at := 0
		_, _ = fmt.Sscanf(req.Header.Get("Range"), "bytes=%d-", &at)
		status, end := http.StatusOK, 4
		if at > 0 {
			status = http.StatusPartialContent
		}
		if asked.Add(1) == 2 {
			end = 8
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, whole[at:max(at, end)])
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	}))
	t.Cleanup(server.Close)
	d := Open(t.Context(), NewClient(), server.URL).(*download)
	d.stall = 50 * time.Millisecond
	defer func() { _ = d.Close() }()
	ended := make(chan error)
	var got []byte
	go func() {
		var err error
		got, err = io.ReadAll(d)
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, errStalled) || string(got) != whole[:8] {
			t.Errorf("read are %q, %v", got, err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it is waited for")
	}
	if n := asked.Load(); n != 1+1+sendTries-1 && n != 1+1+sendTries {
		t.Errorf("it was asked %d times", n)
	}
}

// What a storage says of a part goes into a report of limited size, and into the request that completes the object.
func TestStorageConfirmsParts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		etag string
		ok   bool
	}{
		"usual":          {`"9e107d9d372bb6826bd81d3542a419d6"`, true},
		"of an upload":   {`"9e107d9d372bb6826bd81d3542a419d6-12"`, true},
		"missing":        {"", false},
		"quotes only":    {`""`, false},
		"of 30 000":      {strings.Repeat("e", 30_000), false},
		"of 1 MB":        {strings.Repeat("e", 1<<20), false},
		"with a space":   {`"a b"`, false},
		"of other bytes": {"\"\u00e4\xff\"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				_, _ = io.Copy(io.Discard, req.Body)
				if c.etag != "" {
					w.Header().Set("ETag", c.etag)
				}
			}))
			t.Cleanup(server.Close)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // an answer that is too long is asked for again
			if c.ok {
				ctx = t.Context()
			}
			defer cancel()
			u := NewUploader(ctx, NewClient(), []string{server.URL}, MinPart, &Buffers{})
			_, _ = u.Write([]byte("part"))
			if parts, err := u.Close(); (err == nil) != c.ok {
				t.Errorf("%d parts, %v", len(parts), err)
			}
		})
	}
}
