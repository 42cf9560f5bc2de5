package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"github.com/hostlerhq/hostler/internal/engine/agent/dotenv"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// maxDotenv is how much of a .env file is read, in bytes: more than the control plane writes.
const maxDotenv = 1 << 20

// variables reads a .env file as an account: whatever it links to, the account could read it itself. A file that is missing has none.
func (a *Agent) variables(ctx context.Context, d *wire.Dotenv, known map[string]string, cred *syscall.Credential) (map[string]string, []dotenv.Problem) {
	if d == nil {
		return nil, nil
	}
	var text bytes.Buffer
	if err := a.programs.Run(ctx, program.Program{
		Argv: []string{"head", "--bytes=" + strconv.Itoa(maxDotenv+1), "--", a.host(d.Path)}, Timeout: probeOnce, Cred: cred, Out: &text,
	}); err != nil {
		return nil, nil
	}
	return readVariables(d.Dialect, text.String(), known)
}

// readVariables reads a .env file, of which there may be more than is read: the last line that is read whole is the last one.
func readVariables(dialect, text string, known map[string]string) (map[string]string, []dotenv.Problem) {
	if len(text) <= maxDotenv {
		return dotenv.Parse(dialect, text, known)
	}
	text = text[:maxDotenv]
	text = text[:strings.LastIndexByte(text, '\n')+1]
	vars, problems := dotenv.Parse(dialect, text, known)
	return vars, append(problems, dotenv.Problem{
		Line:   strings.Count(text, "\n") + 1,
		Reason: fmt.Sprintf("the file is longer than %d bytes, and what begins here is not read", maxDotenv),
	})
}

func checkDotenv(d *wire.Dotenv) error {
	if d == nil {
		return nil
	}
	if d.Dialect != dotenv.PHP && d.Dialect != dotenv.Node {
		return fmt.Errorf("%q is not a dialect of .env files", d.Dialect)
	}
	if err := object.CheckPath(d.Path); err != nil {
		return errors.Join(errors.New("the .env file of a script"), err)
	}
	return nil
}
