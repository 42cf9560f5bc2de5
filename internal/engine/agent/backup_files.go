package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// silentFor is how long a dump program may write nothing. What it reads is its tenant's, and it would hold up all other backups of the server for as long
// as the run may take.
const silentFor = 10 * time.Minute

func (a *Agent) silence() time.Duration {
	if a.cfg.SilentFor > 0 {
		return a.cfg.SilentFor
	}
	return silentFor
}

var errSilent = errors.New("the dump program wrote nothing for a long time, and was ended")

// impatient reads from a pipe, and fails if nothing arrives for a while.
type impatient struct {
	r      io.Reader
	within time.Duration
}

func (i *impatient) Read(p []byte) (int, error) {
	if f, ok := i.r.(*os.File); ok {
		if err := f.SetReadDeadline(time.Now().Add(i.within)); err != nil {
			return 0, err
		}
	}
	n, err := i.r.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errSilent
	}
	return n, err
}

// maxClosed is how many files that can't be read are named.
const maxClosed = 20

// closedFiles lists the files and directories of a store that its account can't read, and the paths that do not exist. tar leaves them out.
func (x *execution) closedFiles(ctx context.Context, s wire.Store, cred *syscall.Credential, env map[string]string) ([]wire.ReportLeft, error) {
	left, there, err := x.existing(ctx, s, cred, env)
	if err != nil {
		return nil, err
	}
	if len(there) == 0 {
		return nil, errors.New("none of the paths exists")
	}
	names, err := x.find(ctx, s, cred, env, append(there,
		"-xdev", "(", "-type", "f", "!", "-readable", "-o", "-type", "d", "!", "(", "-readable", "-executable", ")", ")")...)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if i == maxClosed {
			left = append(left, wire.ReportLeft{Kind: "file", Name: fmt.Sprintf("%d more", len(names)-i), Reason: "they can't be read either"})
			break
		}
		left = append(left, wire.ReportLeft{Kind: "file", Name: strings.TrimPrefix(name, "./"), Reason: "the account " + s.User + " can't read it"})
	}
	return left, nil
}

// existing returns the paths of a store that exist, and the others. It looks as the account: a path may lead through the account's links, and whether
// there is a file of others at its end is none of its business.
func (x *execution) existing(ctx context.Context, s wire.Store, cred *syscall.Credential, env map[string]string) (missing []wire.ReportLeft,
	there []string, err error,
) {
	var args []string
	for _, p := range s.Paths {
		args = append(args, "./"+p)
	}
	found, err := x.find(ctx, s, cred, env, append(args, "-maxdepth", "0")...)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range s.Paths {
		if slices.Contains(found, "./"+p) {
			there = append(there, "./"+p)
		} else {
			missing = append(missing, wire.ReportLeft{Kind: "file", Name: p, Reason: "it does not exist"})
		}
	}
	return missing, there, nil
}

// find returns the paths below a store's directory that find prints, as the store's account. A path that does not exist and a directory that can't be searched,
// for which find ends with 1, are no error.
func (x *execution) find(ctx context.Context, s wire.Store, cred *syscall.Credential, env map[string]string, args ...string) ([]string, error) {
	var out []string
	p := program.Program{Argv: slices.Concat([]string{"find"}, args, []string{"-print0"}), Env: env, Cred: cred, Dir: x.a.host(s.Dir)}
	err := x.pipe(ctx, p, nameOf(s), nil, func(r io.Reader) (err error) {
		out, err = readNames(r)
		return err
	})
	var se *stepError
	if err != nil && (!errors.As(err, &se) || se.code != 1) {
		return nil, err
	}
	return out, nil
}

// mostNames is how much of the names that find prints is kept, in bytes.
const mostNames = 4 << 20

// readNames reads names that each end with NUL, and stops keeping them after mostNames; the last one is whole. The rest is read, or find would end with an
// error.
func readNames(r io.Reader) ([]string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, mostNames))
	if err = errors.Join(err, discard(r)); err != nil {
		return nil, err
	}
	all := strings.Split(string(raw), "\x00")
	return all[:len(all)-1], nil
}
