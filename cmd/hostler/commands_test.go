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

// whole is a command line of an example, with what follows its nouns and verbs.
var whole = regexp.MustCompile(`(?m)^ *(?:\$ |runuser -u hostler-panel -- )?hostler ((?:.*\\\n)*.*)$`)

// quoted is an argument with spaces, which may be a command with flags of its own.
var quoted = regexp.MustCompile(`'[^']*'`)

// Each flag that the examples of the documentation give a command is one of its flags.
func TestFlagsInTextsExist(t *testing.T) {
	t.Parallel()
	root := newRootCommand(nil)
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range append(files, "../../README.md") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range whole.FindAllStringSubmatch(string(raw), -1) {
			line, _, _ := strings.Cut(strings.ReplaceAll(m[1], "\\\n", " "), "  #")
			words := strings.Fields(quoted.ReplaceAllString(line, "text"))
			c, _, err := root.Find(words)
			if err != nil || c == root { // prose, or for TestCommandsInTextsExist
				continue
			}
			for _, word := range words {
				name, isFlag := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(name, "=")
				if !isFlag || name == "" {
					continue
				}
				found++
				if c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
					t.Errorf("%s: %s has no flag --%s, in: hostler %s", filepath.Base(file), c.CommandPath(), name, line)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d flags were found in the texts", found)
	}
}

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
