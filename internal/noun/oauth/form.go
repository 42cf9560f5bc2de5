package oauth

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxForm is the largest body, in bytes.
const maxForm = 64 << 10

// forPrograms reports whether a request is one of a program, and not of a person's browser.
func forPrograms(req *http.Request) bool {
	return slices.Contains([]string{pathToken, pathRevoke, pathIntrospect, pathDeviceCode}, req.URL.Path)
}

// textOnly refuses what is no form, and values that are no text: a database refuses to be asked for them.
func (p *Provider) textOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Body = http.MaxBytesReader(w, req.Body, maxForm)
		kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
		fine := req.Method != http.MethodPost || kind == "application/x-www-form-urlencoded"
		if err := req.ParseForm(); err != nil {
			fine = false
		}
		for name, values := range req.Form {
			for _, text := range append(values, name) {
				fine = fine && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
			}
		}
		foreign := slices.ContainsFunc(req.Form["resource"], func(r string) bool { return !p.serves(r) })
		switch {
		case fine && !foreign:
			next.ServeHTTP(w, req)
		case fine && forPrograms(req):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_target","error_description":"tokens of this server are for this panel only"}`))
		case fine:
			p.page(w, pageData{Title: "Invalid request", Error: "The program asks for a token for another service.", status: http.StatusBadRequest})
		case forPrograms(req):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_request","error_description":"send a form, with text in UTF-8"}`))
		default:
			p.page(w, pageData{Title: "Invalid request", Error: "The request is not a form with text.", status: http.StatusBadRequest})
		}
	})
}

// serves reports whether a resource that a program wants a token for (RFC 8707, 2) is this panel, or a part of it.
func (p *Provider) serves(resource string) bool {
	base := p.Router.URL("")
	return resource == base || strings.HasPrefix(resource, base+"/")
}

// formOnly accepts only what the protocol allows: a form in a POST. In a query, secrets would end up in logs.
func formOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if req.Method != http.MethodPost || req.URL.RawQuery != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_request","error_description":"send a POST with a form, and nothing in the URL"}`))
			return
		}
		next.ServeHTTP(w, req)
	})
}
