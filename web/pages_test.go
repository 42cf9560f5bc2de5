package web

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// A link in a mail to a page of the dashboard opens it: every route of its own is among the addresses that the program answers with it.
func TestEveryPageIsAnswered(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("src/app.tsx")
	if err != nil {
		t.Fatal(err)
	}
	routes := regexp.MustCompile(`getParentRoute: \(\) => root,\s+path: '/([a-z-]*)`).FindAllStringSubmatch(string(raw), -1)
	if len(routes) < 8 {
		t.Fatalf("the dashboard has %d routes", len(routes))
	}
	for _, r := range routes {
		if !slices.Contains(pages, r[1]) {
			t.Errorf("/%s is a route of the dashboard, and the program answers it with 404", r[1])
		}
	}
}
