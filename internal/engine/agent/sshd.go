package agent

import (
	"context"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
)

// sshdSetting is a line of what sshd uses. The name is in lower case: older sshd print it so, newer ones as their manual has it.
type sshdSetting struct{ name, value string }

// sshdSettings asks sshd what it uses, for a connection where one is given ("user=root,host=a.example.com,addr=192.0.2.1"). sshd says itself what is in force:
// the first of several files that name an option counts, and blocks of Match may change it (sshd(8), -T and -C). The text is what it said, even if it failed.
func (a *Agent) sshdSettings(ctx context.Context, connection string) (settings []sshdSetting, text string, err error) {
	argv := []string{"sshd", "-T"}
	if connection != "" {
		argv = append(argv, "-C", connection)
	}
	out := output.New(nil, nil, nil)
	err = a.programs.Run(ctx, program.Program{Argv: argv, Out: out, Timeout: probeOnce})
	text, _ = out.Finish()
	if err != nil {
		return nil, text, err
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		settings = append(settings, sshdSetting{strings.ToLower(name), value})
	}
	return settings, text, nil
}
