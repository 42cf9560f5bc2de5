package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// families are the nouns that others belong to, on a server, at a site or in what is served for it: any noun may import their paths, values and documents.
var families = []string{"organization", "server", "site", "vhost"}

// mayImport are the other pairs of nouns, with what the first one takes from the second. A pair that is not listed declares a small interface where it uses the
// other, and internal/app wires it (docs/decisions/0115-nouns-that-import-nouns-are-listed.md).
var mayImport = map[string]map[string]string{
	"backup":      {"storage": "what it writes to: buckets, and what is wrong with them"},
	"certificate": {"domain": "its parent"},
	"command":     {"account": "who ran it, as an included document"},
	"database":    {"project": "how sites are told what they connect to"},
	"deployment":  {"account": "who asked for it, as an included document", "project": "the code that it deploys: script, key, releases"},
	"dnsrecord":   {"domain": "its parent"},
	"environment": {"account": "who wrote it, as an included document"},
	"event":       {"account": "who did it, as an included document"},
	"integration": {"process": "the process that an integration is", "project": "what of a site is deployed",
		"schedule": "the scheduled job that an integration is"},
	"nginx":        {"domain": "its parent: configuration of a domain", "php": "the limits that nginx repeats"},
	"organization": {"account": "who began work, as an included document", "limits": "the limits of new sites"},
	"oauth":        {"account": "the page of consent signs people in"},
	"service":      {"database": "which engine a server has", "php": "whose masters are services", "process": "whose supervisor is a service"},
	"sftpuser":     {"sshkey": "what a public key is"},
	"site":         {"limits": "how much of its server it may use", "project": "its code"},
	"team":         {"credential": "what is shared with teams", "recipe": "what is shared with teams", "role": "the roles of members, as included documents"},
	"vhost":        {"php": "how the pools of sites are configured", "project": "what the installer of a site needs on its server"},
}

var importNoun = regexp.MustCompile(`(?m)^\s*(?:\w+ )?"github\.com/hostlerhq/hostler/internal/noun/(\w+)"$`)

// A noun imports nouns that it belongs to, or whose documents it includes, and each pair that is listed is one.
func TestImportsOfNouns(t *testing.T) {
	t.Parallel()
	imported := map[[2]string]bool{}
	for _, path := range sources(t, "internal/noun") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		noun := filepath.Base(filepath.Dir(path))
		for _, m := range importNoun.FindAllStringSubmatch(string(text), -1) {
			imported[[2]string{noun, m[1]}] = true
			if !slices.Contains(families, m[1]) && mayImport[noun][m[1]] == "" {
				t.Errorf("%s imports %s: it uses it through an interface of its own, or is listed with a reason", path, m[1])
			}
		}
	}
	if len(imported) < 50 {
		t.Errorf("only %d pairs were found", len(imported))
	}
	for noun, others := range mayImport {
		for other := range others {
			if !imported[[2]string{noun, other}] {
				t.Errorf("%s may import %s, and does not", noun, other)
			}
		}
	}
}
