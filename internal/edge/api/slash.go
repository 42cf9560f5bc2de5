package api

import (
	"net/http"
	"strings"
)

// WithoutSlash answers an address that ends with a slash as the one without: some clients end each address with one, and follow no redirect of a POST.
func WithoutSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if path := strings.TrimSuffix(req.URL.Path, "/"); path != req.URL.Path && path != "" {
			at := *req.URL
			at.Path, at.RawPath = path, strings.TrimSuffix(at.RawPath, "/")
			req = req.WithContext(req.Context()) // a copy
			req.URL = &at
		}
		next.ServeHTTP(w, req)
	})
}
