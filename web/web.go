// Package web is the dashboard: what npm run build makes of web/src, embedded and served with a content security policy that allows nothing
// but files of our own.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// dist holds a placeholder in the repository, so that a plain go build works; make build puts the dashboard there.
//
//go:embed all:dist
var dist embed.FS

// policy is stricter than that of the other pages: nothing loads but our files, nothing inline runs, and no text can become script (Trusted Types).
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// pages are the first parts of the addresses that the dashboard answers itself, with one file for all of them.
var pages = []string{
	"", "orgs", "account", "setup", "sign-in", "sign-up", "forgot-password", "reset-password", "verify-email", "invitation",
	"confirm-recipient",
}

const notBuilt = "Hostler is running. This program was built without the dashboard: run make build.\n\nThe API is at /api, its reference at /docs/api/.\n"

// Handler serves the dashboard.
func Handler() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	index, err := fs.ReadFile(files, "index.html")
	built := err == nil
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet && req.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(req.URL.Path), "/")
		first, _, _ := strings.Cut(name, "/")
		if !isPage(first) {
			serveFile(w, req, files, name)
			return
		}
		if !built {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte(notBuilt))
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-cache")
		http.ServeContent(w, req, "index.html", time.Time{}, bytes.NewReader(index))
	})
}

func isPage(first string) bool {
	for _, p := range pages {
		if p == first {
			return true
		}
	}
	return false
}

// serveFile answers with a file of the build. Those in assets carry a digest in their names and never change; most are there only compressed.
func serveFile(w http.ResponseWriter, req *http.Request, files fs.FS, name string) {
	content, err := fs.ReadFile(files, name)
	packed := err != nil
	if packed {
		content, err = fs.ReadFile(files, name+".gz")
	}
	gzipped := packed && strings.Contains(req.Header.Get("Accept-Encoding"), "gzip")
	if packed && !gzipped && err == nil {
		content, err = unpack(content)
	}
	if err != nil || name == "placeholder" || name == "index.html" {
		http.NotFound(w, req)
		return
	}
	if strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	w.Header().Set("Vary", "Accept-Encoding")
	if gzipped {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	}
	http.ServeContent(w, req, name, time.Time{}, bytes.NewReader(content))
}

func unpack(content []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
