package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/files"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// maxFileWork is how many processes work with files at once; the next one waits.
	maxFileWork = 8
	// fileTime is how long one may take: a directory with wire.MaxEntries entries is removed in less.
	fileTime = 2 * time.Minute
)

// files works with a file of an account: a process of that account does, which root's rights can't be borrowed from.
func (a *Agent) files(ctx context.Context, q wire.FileQuery) (any, error) {
	if err := object.CheckPath(q.Below); err != nil || !passwd.IsName(q.Account) || q.Account == "root" {
		return nil, refuse(wire.ErrBadRequest, "%q has no files below %q", q.Account, q.Below)
	}
	_, cred, err := a.accountOf(q.Account)
	if err != nil {
		return wire.FileReply{Problem: wire.FileFailed, Message: err.Error()}, nil //nolint:nilerr // it is the reply
	}
	select {
	case a.fileWork <- struct{}{}:
		defer func() { <-a.fileWork }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if a.cfg.Root != "" { // a test's, with the accounts of its root
		return files.Do(a.host(q.Below), a.users, q), nil
	}
	query, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("write query: %w", err)
	}
	var out bytes.Buffer
	err = a.programs.Run(ctx, program.Program{
		Argv: []string{a.cfg.Self}, Mode: wire.FilesMode, Dir: q.Below, Stdin: query, Timeout: fileTime, Cred: cred,
		Out: &limited{to: &out, left: wire.MaxFrame / 2},
	})
	if err != nil {
		return nil, fmt.Errorf("work with files as %s: %w: %s", q.Account, err, text.Clean(text.Line(out.String()), 200))
	}
	if !json.Valid(out.Bytes()) {
		return nil, fmt.Errorf("work with files as %s: the answer is not JSON", q.Account)
	}
	return json.RawMessage(out.Bytes()), nil
}

// limited is a writer that fails once too much was written.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.ErrShortWrite
	}
	return l.to.Write(p)
}
