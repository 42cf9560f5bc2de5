package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/mcp"
)

// What docs/mcp.md tells people to copy is what the program takes: the command of assistants on the same machine, in words and as settings, the address, and
// the scopes.
func TestExamplesForAssistants(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	var commands [][]string
	for _, m := range regexp.MustCompile(`(?m)^claude mcp add \w+ -- (.+)$`).FindAllStringSubmatch(text, -1) {
		commands = append(commands, strings.Fields(m[1]))
	}
	var settings struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	block := regexp.MustCompile("(?s)```json\n(.+?)```").FindStringSubmatch(text)
	if block == nil || json.Unmarshal([]byte(block[1]), &settings) != nil || len(settings.Servers) == 0 {
		t.Fatal("there are no settings")
	}
	for _, s := range settings.Servers {
		commands = append(commands, append([]string{s.Command}, s.Args...))
	}
	if len(commands) != 2 {
		t.Errorf("the commands are %v", commands)
	}
	for _, words := range commands {
		c, rest, err := newRootCommand(nil).Find(words[1:])
		if err != nil || words[0] != "hostler" || c.Name() != "mcp" {
			t.Errorf("%v is no command: %v", words, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil || c.Flags().NArg() > 0 {
			t.Errorf("%v: %v, %v", words, err, c.Flags().Args())
		}
	}
	for _, address := range []string{`"https://panel.example.com` + mcp.Path + `?organization=main"`, "`" + mcp.Metadata + mcp.Path + "`"} {
		if !strings.Contains(text, address) {
			t.Errorf("it does not say %s", address)
		}
	}
	scopes := regexp.MustCompile("`([a-z]+:[a-z-]+)`").FindAllStringSubmatch(text, -1)
	for _, m := range scopes {
		if !slices.Contains(access.All(), access.Permission(m[1])) {
			t.Errorf("%s is no scope", m[1])
		}
	}
	if len(scopes) < 4 {
		t.Errorf("the scopes are %v", scopes)
	}
}
