package clients

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
	for _, op := range description.Operations() {
		if !op.Changes() {
			continue
		}
		c := dashboardCommand{Method: strings.ToLower(op.Method), Path: op.Path, Action: op.Action, File: op.File}
		if description.ByHand[op.ID] == "" {
			c.describe(op)
		} else {
			short, long := hidden(op)
			c.Secrets = slices.Concat(short, long)
		}
		out = append(out, c)
	}
	return out
}

// describe adds the command that is made from an operation.
func (c *dashboardCommand) describe(op description.Operation) {
	c.Words = op.Noun + " " + op.Verb
	c.Secrets, c.Files = hidden(op)
	for _, a := range op.Arguments {
		c.Arguments = append(c.Arguments, a.Name)
	}
	c.Flags = map[string]string{}
	for _, f := range slices.Concat(op.Fields, op.Query) {
		if !op.IsArgument(f) {
			c.Flags[f.Name] = f.Flag
		}
	}
}

// hidden returns the fields of an operation that are never part of a line: secrets of one line, and what comes from a file.
func hidden(op description.Operation) (secrets, files []string) {
	for _, f := range slices.Concat(op.Fields, op.Query) {
		switch {
		case f.Secret && !f.Long:
			secrets = append(secrets, f.Name)
		case f.Secret || f.Long:
			files = append(files, f.Name)
		}
	}
	return secrets, files
}

// dashboardPermissions returns what each operation needs, as the dashboard reads it: a line of operations, by method and path, for each set of permissions.
// An operation with a field after it stands for what giving that field needs as well.
func dashboardPermissions() map[string][]string {
	out := map[string][]string{}
	add := func(permissions []string, operation string) {
		key := strings.Join(permissions, " ")
		if key != "" && !slices.Contains(out[key], operation) {
			out[key] = append(out[key], operation)
		}
	}
	for _, op := range description.Operations() {
		name := strings.ToLower(op.Method) + " " + op.Path
		add(op.Permissions, name)
		for _, f := range op.Further {
			for _, field := range f.Given {
				add(f.Permissions, name+" "+field)
			}
		}
	}
	return out
}
