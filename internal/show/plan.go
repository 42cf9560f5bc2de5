package show

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Plan is what a change would do, as the answer to a dry run has it.
type Plan struct {
	Hash    string `json:"hash"`
	Servers []struct {
		ServerID string `json:"server_id"`
		Files    []struct {
			Path string `json:"path"`
			Diff string `json:"diff"`
		} `json:"files"`
		Packages []string `json:"packages"`
		Actions  []string `json:"actions"`
		Kept     []string `json:"kept"`
	} `json:"servers"`
}

// Plan prints what a change would do: each file with its difference, packages and actions, for each server.
func (p *Printer) Plan(plan Plan) error {
	if p.AsSent() {
		return p.JSON(plan)
	}
	var b strings.Builder
	if len(plan.Servers) == 0 {
		b.WriteString("No changes on any server.\n")
	}
	for _, server := range plan.Servers {
		fmt.Fprintf(&b, "On server %s:\n", text.VisibleLine(server.ServerID))
		for _, f := range server.Files {
			fmt.Fprintf(&b, "  write %s\n%s", text.VisibleLine(f.Path), Indented(f.Diff))
		}
		for _, l := range server.Packages {
			fmt.Fprintf(&b, "  install %s\n", text.VisibleLine(l))
		}
		for _, l := range server.Actions {
			fmt.Fprintf(&b, "  then %s\n", text.VisibleLine(l))
		}
		for _, l := range server.Kept {
			fmt.Fprintf(&b, "  keep %s\n", text.VisibleLine(l))
		}
	}
	_, err := p.Out.Write([]byte(b.String()))
	return err
}

// Indented returns the lines of a text, such as a difference, below what they belong to.
func Indented(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(text.Visible(lines)) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
