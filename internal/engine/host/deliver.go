package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Binaries are the agent's executables by Go architecture: amd64, arm64.
type Binaries map[string]Binary

// Binary is an executable that is opened when a host needs it.
type Binary struct {
	// Sum is the SHA-256 of its content, in hexadecimal digits.
	Sum  string
	Open func() ([]byte, error)
}

// BinaryOf returns an executable with this content.
func BinaryOf(content []byte) Binary {
	sum := sha256.Sum256(content)
	return Binary{Sum: hex.EncodeToString(sum[:]), Open: func() ([]byte, error) { return content, nil }}
}

// agentDir contains one directory per agent version on the host, named by the SHA-256 of its content.
const agentDir = "/var/lib/hostler/agent"

// Exit statuses of a shell for a missing or non-executable program (POSIX 2.8.2).
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// deliverScript is the only place, with the bootstrap, where Hostler runs a shell. It is a constant: the hash and the size come
// on stdin, are checked against their pattern, and are followed by the agent.
//
// Old agents are removed, except the previous one and any that runs or that a unit or a crontab names. The script contains no
// single quote, because it is enclosed in them: the login shell of a server may be any shell.
const deliverScript = `set -eu; export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin; umask 022; ` +
	`read -r sum; read -r size; ` +
	`printf "%s\n" "$sum" | grep -Eqx "[0-9a-f]{64}" || exit 64; ` +
	`printf "%s\n" "$size" | grep -Eqx "[0-9]{1,9}" || exit 64; ` +
	`base=` + agentDir + `; dir=$base/$sum; mkdir -p "$dir"; ` +
	`new=$(mktemp "$dir/.new.XXXXXXXX"); trap "rm -f \"$new\"" EXIT; ` +
	`head -c "$size" >"$new"; ` +
	`got=$(sha256sum <"$new"); test "${got%% *}" = "$sum" || exit 65; ` +
	`chmod 0755 "$new"; sync "$new"; mv -f "$new" "$dir/hostler-agent"; sync "$dir"; sync "$base"; ` +
	`prev=; for d in $(ls -1t "$base"); do ` +
	`test "$d" != "$sum" || continue; ` +
	`printf "%s\n" "$d" | grep -Eqx "[0-9a-f]{64}" || continue; ` +
	`if test -z "$prev"; then prev=$d; continue; fi; ` +
	`if ls -l /proc/[0-9]*/exe 2>/dev/null | grep -qF "$base/$d/"; then continue; fi; ` +
	`if grep -rqsF "$base/$d/" /etc/systemd/system /run/systemd /etc/cron.d; then continue; fi; ` +
	`rm -rf "$base/$d"; ` +
	`done`

const (
	deliverHashMismatch = 65
	// deliverTimeout limits one delivery: 6 MB over a line of 256 kbit/s take a little over three minutes.
	deliverTimeout = 5 * time.Minute
)

// AgentPath returns the path of an agent on a host.
func AgentPath(b Binary) string {
	return agentDir + "/" + b.Sum + "/hostler-agent"
}

// asRoot returns command, run as root by the user of the connection. Every part of it except the hash is a constant.
func asRoot(user, command string) string {
	if user == "root" {
		return command
	}
	return "sudo -n -- " + command
}

// sessionCommand starts a resident agent. env makes a missing agent end with 127 under sudo too, which returns 1, and passes on
// the peer address, which sudo drops: sshd sets that variable, the agent reports it in its facts.
func (f *Fleet) sessionCommand(user, arch string) string {
	if user == "root" {
		return f.paths[arch] + " session"
	}
	return asRoot(user, `/usr/bin/env SSH_CONNECTION="$SSH_CONNECTION" `+f.paths[arch]+" session")
}

// startAgent starts the resident agent, and delivers it only if it is missing.
func (f *Fleet) startAgent(ctx context.Context, c *conn, arch string) (*session, string, error) {
	if f.paths[arch] == "" {
		arch = "amd64"
	}
	if f.paths[arch] != "" {
		s, err := f.startSession(ctx, c, f.sessionCommand(c.target.User, arch))
		if !missing(err) {
			return s, arch, f.explain(c, err)
		}
	}
	is, err := f.arch(ctx, c)
	if err != nil {
		return nil, "", err
	}
	if is != arch {
		arch = is
		s, err := f.startSession(ctx, c, f.sessionCommand(c.target.User, arch))
		if !missing(err) {
			return s, arch, f.explain(c, err)
		}
	}
	if err := f.deliver(ctx, c, arch); err != nil {
		return nil, "", err
	}
	s, err := f.startSession(ctx, c, f.sessionCommand(c.target.User, arch))
	if missing(err) {
		err = &Error{
			Kind: ErrAgent, Server: c.target.ServerID, Err: err,
			Reason: "the agent was delivered but can't be executed; is /var/lib mounted noexec?",
		}
	}
	return s, arch, f.explain(c, err)
}

// missing reports whether the agent does not exist or is not executable.
func missing(err error) bool {
	var e *startError
	return errors.As(err, &e) && (e.exit == exitNotFound || e.exit == exitNotExecutable)
}

// explain turns sudo's message into advice.
func (f *Fleet) explain(c *conn, err error) error {
	var e *startError
	if errors.As(err, &e) && c.target.User != "root" && bytes.Contains(e.output, []byte("sudo:")) {
		return sudoRefused(c.target, err)
	}
	return err
}

func sudoRefused(t Target, err error) error {
	return &Error{
		Kind: ErrAuth, Server: t.ServerID, Err: err,
		Reason: fmt.Sprintf("user %s can't become root without a password; give it passwordless sudo (NOPASSWD: ALL)", t.User),
	}
}

// askArch begins a line of its own, whatever a login printed before.
const askArch = "echo; uname -m"

// arch queries the host's architecture.
func (f *Fleet) arch(ctx context.Context, c *conn) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	out, exit, err := c.run(ctx, askArch, nil, 4<<10)
	if err != nil {
		return "", fmt.Errorf("ask server %d for its architecture: %w", c.target.ServerID, f.late(c, ctx, err))
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	arch := map[string]string{"x86_64": "amd64", "aarch64": "arm64"}[strings.TrimSpace(lines[len(lines)-1])]
	if exit != 0 || arch == "" || f.paths[arch] == "" {
		return "", &Error{
			Kind: ErrAgent, Server: c.target.ServerID,
			Reason: fmt.Sprintf("there is no agent for this server's architecture (uname says %q)", printable(out)),
		}
	}
	return arch, nil
}

// deliver installs the agent on the host.
func (f *Fleet) deliver(ctx context.Context, c *conn, arch string) error {
	ctx, cancel := context.WithTimeout(ctx, deliverTimeout)
	defer cancel()
	start := time.Now()
	binary, err := f.cfg.Agent[arch].Open()
	if err != nil {
		return err
	}
	header := fmt.Sprintf("%s\n%d\n", f.cfg.Agent[arch].Sum, len(binary))
	out, exit, err := c.run(ctx, asRoot(c.target.User, "/bin/sh -c '"+deliverScript+"'"),
		io.MultiReader(strings.NewReader(header), bytes.NewReader(binary)), 4<<10)
	switch {
	case err != nil:
		err = fmt.Errorf("deliver agent to server %d: %w", c.target.ServerID, f.late(c, ctx, err))
	case exit == deliverHashMismatch:
		err = &Error{Kind: ErrAgent, Server: c.target.ServerID, Reason: "the agent arrived damaged; is the server's disk full?"}
	case exit != 0 && c.target.User != "root" && bytes.Contains(out, []byte("sudo:")):
		err = sudoRefused(c.target, fmt.Errorf("exit status %d: %s", exit, printable(out)))
	case exit != 0:
		err = &Error{
			Kind: ErrAgent, Server: c.target.ServerID, Reason: fmt.Sprintf("the agent could not be delivered: %s", printable(out)),
			Err: fmt.Errorf("exit status %d", exit),
		}
	}
	if f.cfg.Hooks.Delivered != nil {
		f.cfg.Hooks.Delivered(c.target.ServerID, len(binary), time.Since(start), err)
	}
	return err
}

// late replaces the end of our own context by its meaning.
func (f *Fleet) late(c *conn, ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil && f.ctx.Err() == nil {
		return &Error{Kind: ErrUnreachable, Server: c.target.ServerID, Reason: "the server did not finish in time", Err: err}
	}
	return err
}

// architectures returns the available architectures, sorted.
func (b Binaries) architectures() []string {
	var out []string
	for arch, binary := range b {
		if binary.Open != nil {
			out = append(out, arch)
		}
	}
	slices.Sort(out)
	return out
}
