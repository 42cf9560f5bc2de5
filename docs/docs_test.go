package docs_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/docs"
)

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	anchor    = regexp.MustCompile(`\bid="([^"]+)"`)
)

// Every link of the documentation leads to a page, a part of one or a picture that is served.
func TestLinks(t *testing.T) {
	t.Parallel()
	handler := docs.Handler()
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	first := get(docs.Path).Header().Get("Location")
	found, open := map[string]string{}, []string{first}
	for len(open) > 0 {
		path := open[0]
		open = open[1:]
		if _, known := found[path]; known {
			continue
		}
		page := get(path)
		found[path] = page.Body.String()
		if page.Code != http.StatusOK {
			t.Errorf("%s is answered %d", path, page.Code)
		}
		for _, link := range reference.FindAllStringSubmatch(page.Body.String(), -1) {
			to, err := (&url.URL{Path: path}).Parse(link[1])
			if err != nil {
				t.Errorf("%s links to %s: %v", path, link[1], err)
				continue
			}
			if to.Host == "" && strings.HasPrefix(to.Path, docs.Path) && to.Path != docs.Path+"api/" {
				open = append(open, to.Path)
			}
		}
	}
	if len(found) < 20 {
		t.Errorf("only %d pages are linked", len(found))
	}
	for path, page := range found {
		for _, link := range reference.FindAllStringSubmatch(page, -1) {
			to, _ := (&url.URL{Path: path}).Parse(link[1])
			if to == nil || to.Fragment == "" || found[to.Path] == "" {
				continue
			}
			if ids := anchor.FindAllString(found[to.Path], -1); !strings.Contains(strings.Join(ids, " "), `id="`+to.Fragment+`"`) {
				t.Errorf("%s links to %s, which is not there", path, link[1])
			}
		}
	}
	if got := get(docs.Path + "nothing").Code; got != http.StatusNotFound {
		t.Errorf("an unknown page is answered %d", got)
	}
}
