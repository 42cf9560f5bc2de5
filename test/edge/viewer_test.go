package edge

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// The reference that the README names shows every operation, and each link on it leads to something.
func TestReferencePagesAreWhole(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	get := func(path string) (int, string) {
		t.Helper()
		res, err := http.Get(e.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(raw)
	}
	code, page := get("/docs/api/")
	if code != http.StatusOK || !strings.Contains(page, "</html>") {
		t.Fatalf("/docs/api/ answers %d with %d bytes", code, len(page))
	}
	for _, op := range e.App.Router.Operations() {
		if !strings.Contains(page, op.ID) {
			t.Errorf("the reference lacks %s", op.ID)
		}
	}
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		target := strings.TrimPrefix(link[1], e.URL)
		if anchor, ok := strings.CutPrefix(target, "#"); ok {
			if !strings.Contains(page, `id="`+anchor+`"`) {
				t.Errorf("the reference has no place #%s", anchor)
			}
			continue
		}
		if !strings.HasPrefix(target, "/") {
			target = "/docs/api/" + target
		}
		if code, _ := get(target); code != http.StatusOK && code != http.StatusUnauthorized {
			t.Errorf("%s answers %d", link[1], code)
		}
	}
}
