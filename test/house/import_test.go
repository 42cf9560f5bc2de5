package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	nounRule   = regexp.MustCompile(`(?m)^        noun-(\w+):\n((?:(?:         .*)?\n)+)`)
	exempt     = regexp.MustCompile(`"!\*\*/internal/noun/(\w+)/\*\.go"`)
	mayImport  = regexp.MustCompile(`- github\.com/hostlerhq/hostler/internal/noun/(\w+)(.*)`)
	importNoun = regexp.MustCompile(`(?m)^\s*(?:\w+ )?"github\.com/hostlerhq/hostler/internal/noun/(\w+)"$`)
)

// A noun that is exempt from the rule against importing nouns has a rule of its own, and each noun that it may import is imported, with a reason.
func TestImportsOfNouns(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(root + "/.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]map[string]bool{}
	for _, path := range sources(t, "internal/noun") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		noun := filepath.Base(filepath.Dir(path))
		for _, m := range importNoun.FindAllStringSubmatch(string(text), -1) {
			if imported[noun] == nil {
				imported[noun] = map[string]bool{}
			}
			imported[noun][m[1]] = true
		}
	}
	ruled := map[string]bool{}
	for _, rule := range nounRule.FindAllStringSubmatch(string(raw), -1) {
		ruled[rule[1]] = true
		for _, m := range mayImport.FindAllStringSubmatch(rule[2], -1) {
			if !imported[rule[1]][m[1]] {
				t.Errorf("%s may import %s, and does not", rule[1], m[1])
			}
			if !strings.Contains(m[2], " # ") {
				t.Errorf("%s may import %s without a reason", rule[1], m[1])
			}
		}
	}
	if len(ruled) < 20 {
		t.Errorf("%d nouns have a rule", len(ruled))
	}
	for _, m := range exempt.FindAllStringSubmatch(string(raw), -1) {
		if !ruled[m[1]] {
			t.Errorf("%s is exempt from the rule of nouns, and has none of its own", m[1])
		}
	}
}
