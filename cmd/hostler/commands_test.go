package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mentioned is a command line in a text: hostler, and the words after it that could be nouns and verbs.
var mentioned = regexp.MustCompile("(?m)(?:`|^ *|\\$ )hostler((?: [a-z][a-z-]*)+)")

// Each command that the documentation or the dashboard names exists.
func TestCommandsInTextsExist(t *testing.T) {
	t.Parallel()
	root := newRootCommand(nil)
	root.InitDefaultCompletionCmd("completion")
	found := 0
	look := func(file string) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mentioned.FindAllStringSubmatch(string(raw), -1) {
			found++
			words := strings.Fields(m[1])
			c, rest, err := root.Find(words)
			if err != nil || c == root || c.HasSubCommands() && len(rest) > 0 {
				t.Errorf("%s: there is no command hostler%s", file, m[1])
			}
		}
	}
	for _, file := range []string{"../../README.md", "../../CHANGELOG.md"} {
		look(file)
	}
	for _, dir := range []string{"../../docs", "../../web/src"} {
		err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
			if err == nil && (strings.HasSuffix(file, ".md") || strings.HasSuffix(file, ".tsx")) && !strings.Contains(file, "/decisions/") {
				look(file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 100 {
		t.Errorf("only %d commands were found in the texts", found)
	}
}
