package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// maxJobOutput is how much of a job's output is kept, in bytes: its beginning and its end.
	maxJobOutput = 256 << 10
	pingWithin   = 10 * time.Second
)

// Job runs a scheduled job as its account and keeps its output. Runs of the same job may overlap, as in cron; the last one to end is kept.
func (a *Agent) Job(ctx context.Context, id string) error {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != id {
		return fmt.Errorf("%q is not the id of a job", id)
	}
	dir := filepath.Join(wire.JobDirectory, id)
	var job wire.Job
	if err := durable.ReadJSON(a.host(filepath.Join(dir, wire.JobFile)), &job); err != nil {
		return fmt.Errorf("read job %s: %w", id, err)
	}
	if job.User != "root" && !passwd.IsName(job.User) {
		return fmt.Errorf("user %q is not the name of an account", job.User)
	}
	out := &wire.Ends{Limit: maxJobOutput}
	began := now()
	_ = a.startedJob(n, began) // a full disk does not keep a job from running
	err = a.runJob(ctx, dir, job, out)
	kept := a.keepJob(n, began, out.String(), err)
	if err == nil && job.Ping != "" {
		ping(ctx, job.Ping)
	}
	return kept
}

// startedJob records the first start of a job. Its directory belongs to root.
func (a *Agent) startedJob(id int64, at time.Time) error {
	p := wire.JobStarted(id)
	fd, err := a.root.OpenDir(path.Dir(p))
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if is, err := object.Look(fd, path.Base(p)); err != nil || is.Kind != object.Absent {
		return err
	}
	return object.Replace(fd, path.Base(p), object.TempName(), strings.NewReader(at.UTC().Format(time.RFC3339)+"\n"), 0o640, a.uid, a.gid)
}

func (a *Agent) runJob(ctx context.Context, dir string, job wire.Job, out *wire.Ends) error {
	acc, cred, err := a.accountOf(job.User)
	if err != nil {
		return err
	}
	env := map[string]string{"HOME": acc.Home, "USER": acc.Name, "LOGNAME": acc.Name, "SHELL": "/bin/bash", "PATH": filepath.Join(dir, "bin") + ":" + a.cfg.Path}
	return a.programs.Run(ctx, program.Program{
		Argv: []string{"/bin/bash", a.host(filepath.Join(dir, wire.JobCommand))}, Env: env, Dir: a.host(job.Dir),
		Timeout: wire.JobLimit, Cred: cred, Out: out, Within: a.scopeOf(job),
	})
}

// scopeOf returns what starts a job's program in the slice of its site, nil for none: a scope of its own, which ends with it. Cron's own unit is another
// slice's.
func (a *Agent) scopeOf(job wire.Job) []string {
	if !a.systemd || !slicePattern.MatchString(job.Slice) {
		return nil
	}
	argv := []string{"systemd-run", "--quiet", "--collect", "--no-ask-password", "--scope", "--slice=" + job.Slice}
	if job.OpenFiles > 0 { // a scope has no limits of processes
		argv = append(argv, "--", "prlimit", "--nofile="+strconv.FormatInt(job.OpenFiles, 10))
	}
	return append(argv, "--")
}

// accountOf returns an account with the credentials to become it; nil for root.
func (a *Agent) accountOf(user string) (passwd.Account, *syscall.Credential, error) {
	acc := passwd.Account{Name: "root", Home: "/root", Shell: "/bin/sh", UID: a.uid, GID: a.gid}
	if user == "root" {
		return acc, nil, nil
	}
	found, is, err := a.users.Account(user)
	if err != nil {
		return acc, nil, err
	}
	if !is {
		return acc, nil, fmt.Errorf("there is no account %q", user)
	}
	groups, err := a.users.GroupsOf(user)
	if err != nil {
		return acc, nil, err
	}
	return found, &syscall.Credential{Uid: uint32(found.UID), Gid: uint32(found.GID), Groups: groups}, nil
}

// keepJob writes a job's output where the panel reads it. Its directory belongs to root.
func (a *Agent) keepJob(id int64, began time.Time, output string, ended error) error {
	how := "exit 0"
	var exit *program.ExitError
	switch {
	case errors.As(ended, &exit):
		how = "exit " + strconv.Itoa(exit.Code)
		if exit.Code < 0 {
			how = exit.What
		}
	case ended != nil:
		how = ended.Error()
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s after %s\n", began.UTC().Format(time.RFC3339), how, now().Sub(began).Round(time.Millisecond))
	b.WriteString(output)
	p := wire.JobLog(id)
	fd, err := a.root.OpenDir(path.Dir(p))
	if err != nil {
		return fmt.Errorf("keep output of job %d: %w", id, err)
	}
	defer unix.Close(fd)
	if err := object.Replace(fd, path.Base(p), object.TempName(), &b, 0o640, a.uid, a.gid); err != nil {
		return fmt.Errorf("keep output of job %d: %w", id, err)
	}
	return nil
}

// ping calls an address. A failure is noticed as a missing call.
func ping(ctx context.Context, url string) {
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return
	}
	req.Header.Set("User-Agent", "hostler-job")
	resp, err := (&http.Client{}).Do(req)
	if err == nil {
		resp.Body.Close()
	}
}
