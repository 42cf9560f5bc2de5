package server

import (
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Sudo returns the steps after which an account of sites reloads its PHP and restarts its background processes by sudo, without a password. The rule is checked
// before it is in force: with a broken one sudo refuses every account. The visudo that is written in Rust knows no "-".
func Sudo(name string) ([]wire.Step, error) {
	user, err := value.ParseUnixUser(name)
	if err != nil {
		return nil, err
	}
	const title = "programs for sudo"
	steps := []wire.Step{{Name: title, Dir: &wire.Dir{Path: wire.SudoDirectory, Mode: 0o711}}}
	for _, program := range wire.SudoPrograms() {
		steps = append(steps, wire.Step{Name: title, Link: &wire.Link{Path: wire.SudoDirectory + "/" + program, Target: wire.AgentLink}})
	}
	rule := []byte(render.Sudo(user, name == SiteUser))
	return append(steps,
		wire.Step{Name: "check what " + name + " may by sudo", Validate: &wire.Exec{Argv: []string{"visudo", "-q", "-c", "-f", "/dev/stdin"}, Stdin: rule}},
		wire.Step{Name: "what " + name + " may by sudo", File: &wire.File{Path: wire.SudoRule(name), Mode: 0o440, Content: rule}}), nil
}
