package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Main performs the mode: it becomes the account, does what the query on its input asks for, and writes the reply. It does not run another program, so that no
// process of the account can reach into it.
func Main(args []string, in io.Reader, out io.Writer) error {
	const (
		who = iota
		name
		below
		all
	)
	if len(args) != all {
		return errors.New("usage: files UID:GID:GROUPS NAME DIRECTORY")
	}
	var q wire.FileQuery
	if err := json.NewDecoder(io.LimitReader(in, wire.MaxFrame)).Decode(&q); err != nil {
		return fmt.Errorf("read query: %w", err)
	}
	if err := program.Become(args[who], args[name]); err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(Do(args[below], passwd.Files{}, q)); err != nil {
		return fmt.Errorf("write reply: %w", err)
	}
	return nil
}
