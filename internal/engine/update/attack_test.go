package update

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
)

// published is what a source of releases answers with, which whoever can answer for it changes.
type published struct {
	index, signature, program []byte
	other                     minisign.PrivateKey // a key that is not that of releases
	key                       minisign.PrivateKey
}

func (p *published) sign(index Index) {
	p.index, _ = json.Marshal(index)
	p.signature = minisign.Sign(p.key, p.index)
}

// Whoever answers for the source of releases, between it and the panel or in its place, has no program of theirs installed, and no newer one withheld for
// longer than the index says.
func TestSourceOfReleasesLies(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	good := []byte("#!/bin/sh\ngood\n")
	sum := sha256.Sum256(good)
	is := func() Index {
		return Index{Version: "v1.2.0", Expires: now.Add(time.Hour), Programs: map[string]File{
			runtime.GOOS + "/" + runtime.GOARCH: {Name: "program", Size: int64(len(good)), SHA256: hex.EncodeToString(sum[:])},
		}}
	}
	edit := func(change func(*Index, *File)) func(*published) {
		return func(p *published) {
			index := is()
			f := index.Programs[runtime.GOOS+"/"+runtime.GOARCH]
			change(&index, &f)
			if _, ok := index.Programs[runtime.GOOS+"/"+runtime.GOARCH]; ok {
				index.Programs[runtime.GOOS+"/"+runtime.GOARCH] = f
			}
			p.sign(index)
		}
	}
	for name, c := range map[string]struct {
		attack func(p *published)
		// wrong is in the error, "" for a release that is installed; older is set where it is only not newer.
		wrong string
		older bool
	}{
		"nothing":                      {attack: func(*published) {}},
		"an index without a signature": {attack: func(p *published) { p.signature = nil }, wrong: "signature"},
		"an empty signature":           {attack: func(p *published) { p.signature = []byte("\n") }, wrong: "signature"},
		"a signature with another key": {attack: func(p *published) { p.signature = minisign.Sign(p.other, p.index) }, wrong: "signature"},
		"a signature of another index": {attack: func(p *published) { p.signature = minisign.Sign(p.key, []byte("{}")) }, wrong: "signature"},
		"a version raised after signing": {attack: func(p *published) { p.index = bytes.Replace(p.index, []byte("v1.2.0"), []byte("v9.2.0"), 1) },
			wrong: "signature"},
		"a space added after signing":    {attack: func(p *published) { p.index = append(p.index, ' ') }, wrong: "signature"},
		"a truncated index":              {attack: func(p *published) { p.index = p.index[:len(p.index)-1] }, wrong: "signature"},
		"an endless index":               {attack: func(p *published) { p.index = bytes.Repeat([]byte(" "), mostIndex+1) }, wrong: "more than"},
		"an endless signature":           {attack: func(p *published) { p.signature = bytes.Repeat([]byte("x"), mostSignature+1) }, wrong: "more than"},
		"an older release":               {attack: edit(func(i *Index, _ *File) { i.Version = "v1.0.0" }), older: true},
		"the same release":               {attack: edit(func(i *Index, _ *File) { i.Version = "v1.1.0" }), older: true},
		"a release before this one":      {attack: edit(func(i *Index, _ *File) { i.Version = "v1.1.0-rc.1" }), older: true},
		"a version that is none":         {attack: edit(func(i *Index, _ *File) { i.Version = "latest" }), wrong: "version"},
		"an index that expired":          {attack: edit(func(i *Index, _ *File) { i.Expires = now }), wrong: "expired"},
		"an index that never expires":    {attack: edit(func(i *Index, _ *File) { i.Expires = time.Time{} }), wrong: "expired"},
		"another program":                {attack: func(p *published) { p.program = []byte("#!/bin/sh\nevil\n") }, wrong: "not the one"},
		"a truncated program":            {attack: func(p *published) { p.program = p.program[:4] }, wrong: "not the one"},
		"a program with more at its end": {attack: func(p *published) { p.program = append(p.program, "evil"...) }, wrong: "not the one"},
		"a program for another system": {attack: edit(func(i *Index, _ *File) { i.Programs = map[string]File{"plan9/mips": {Name: "x"}} }),
			wrong: "no program for"},
		"a size of nothing":             {attack: edit(func(_ *Index, f *File) { f.Size = 0 }), wrong: "wrongly"},
		"a size that fills the disk":    {attack: edit(func(_ *Index, f *File) { f.Size = mostProgram + 1 }), wrong: "wrongly"},
		"a checksum that is cut":        {attack: edit(func(_ *Index, f *File) { f.SHA256 = f.SHA256[:8] }), wrong: "wrongly"},
		"a checksum of another program": {attack: edit(func(_ *Index, f *File) { f.SHA256 = strings.Repeat("0", 64) }), wrong: "not the one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &published{program: bytes.Clone(good)}
			public, private, err := minisign.GenerateKey(rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			p.key = private
			if _, p.other, err = minisign.GenerateKey(rand.Reader); err != nil {
				t.Fatal(err)
			}
			p.sign(is())
			c.attack(p)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write(map[string][]byte{"/index.json": p.index, "/index.json.minisig": p.signature, "/program": p.program}[r.URL.Path])
			}))
			defer server.Close()
			s := Source{URL: server.URL + "/index.json", Key: public.String(), Version: "v1.1.0", Now: func() time.Time { return now }}
			index, newer, err := s.Newest(t.Context())
			path := filepath.Join(t.TempDir(), "program")
			if err == nil && newer {
				var f File
				if f, err = index.Program(); err == nil {
					_, err = s.Download(t.Context(), f, path)
				}
			}
			if left, _ := filepath.Glob(path + "*"); err != nil && len(left) > 0 {
				t.Errorf("left is %v", left)
			}
			switch {
			case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("got %v, want an error with %q", err, c.wrong)
			case c.wrong == "" && err != nil:
				t.Error(err)
			case newer == c.older && c.wrong == "":
				t.Errorf("newer is %t", newer)
			}
		})
	}
}
