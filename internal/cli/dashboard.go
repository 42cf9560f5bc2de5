package cli

import (
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// dashboardCommand is a command as the dashboard needs it, to show a call as a line for a terminal.
type dashboardCommand struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	// Words are the noun and the verb, "" for an operation whose command is written by hand: the line is hostler api then.
	Words string `json:"words,omitempty"`
	// Action is the value of the field action that the verb stands for.
	Action string `json:"action,omitempty"`
	// Arguments are the parameters and fields that stand without a name.
	Arguments []string `json:"arguments,omitempty"`
	// Flags are those of fields and parameters of the query. Secrets and Files, which are never part of a line, are the fields that are read from the standard
	// input or from a file, and File is the field of a form that is a file.
	Flags   map[string]string `json:"flags,omitempty"`
	Secrets []string          `json:"secrets,omitempty"`
	Files   []string          `json:"files,omitempty"`
	File    string            `json:"file,omitempty"`
}

// dashboardCommands returns the commands of all operations that change something.
func dashboardCommands() []dashboardCommand {
	var out []dashboardCommand
	for _, op := range operations() {
		if !op.Changes() {
			continue
		}
		c := dashboardCommand{Method: strings.ToLower(op.Method), Path: op.Path, Action: op.Action, File: op.File}
		if c.describe(op); byHand[op.ID] == "" {
			c.Words = op.Noun + " " + op.Verb
		} else {
			c.Secrets = append(c.Secrets, c.Files...)
			c.Arguments, c.Flags, c.Files = nil, nil, nil
		}
		out = append(out, c)
	}
	return out
}

func (c *dashboardCommand) describe(op description.Operation) {
	for _, a := range op.Arguments {
		c.Arguments = append(c.Arguments, a.Name)
	}
	c.Flags = map[string]string{}
	for _, f := range slices.Concat(op.Fields, op.Query) {
		switch {
		case slices.Contains(c.Arguments, f.Name):
			continue
		case f.Secret && !f.Long:
			c.Secrets = append(c.Secrets, f.Name)
		case f.Secret || f.Long:
			c.Files = append(c.Files, f.Name)
		}
		c.Flags[f.Name] = f.Flag
	}
}
