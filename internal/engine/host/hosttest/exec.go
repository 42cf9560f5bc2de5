package hosttest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

var errNoEntry = errors.New("no such key")

const agentDir = "/var/lib/hostler/agent"

// session serves one SSH session: one command.
func (s *Server) session(c *wireConn, ch ssh.Channel, reqs <-chan *ssh.Request, ended func()) {
	defer ch.Close()
	defer ended()
	for req := range reqs {
		if req.Type != "exec" {
			req.Reply(false, nil)
			continue
		}
		var payload struct{ Command string }
		if err := ssh.Unmarshal(req.Payload, &payload); err != nil {
			req.Reply(false, nil)
			return
		}
		req.Reply(true, nil)
		s.mu.Lock()
		s.commands = append(s.commands, payload.Command)
		s.mu.Unlock()
		ctx, cancel := context.WithCancel(context.Background())
		s.wg.Go(func() { // the client closes the session
			for r := range reqs {
				r.Reply(false, nil)
			}
			cancel()
		})
		status := s.exec(ctx, c, ch, payload.Command)
		cancel()
		ended() // before the client can see it, so that its next session counts after this one
		ch.CloseWrite()
		ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
		ch.Close()
		return
	}
}

var agentCommand = regexp.MustCompile(`^(/usr/bin/env SSH_CONNECTION="\$SSH_CONNECTION" )?` + agentDir + `/([0-9a-f]{64})/hostler-agent session$`)

// exec emulates a login shell for the few commands that a Fleet runs.
func (s *Server) exec(ctx context.Context, c *wireConn, ch ssh.Channel, command string) int {
	io.WriteString(ch, s.opts.Greeting)
	command, sudo := strings.CutPrefix(command, "sudo -n -- ")
	switch {
	case sudo && s.opts.Sudo == SudoMissing:
		fmt.Fprintln(ch.Stderr(), "sh: 1: sudo: not found")
		return 127
	case sudo && s.opts.Sudo == SudoPassword:
		fmt.Fprintln(ch.Stderr(), "sudo: a password is required")
		return 1
	case command == "true":
		if s.opts.UntilFull {
			select {
			case <-s.full:
			case <-ctx.Done():
			}
		}
		return 0
	case command == "echo; uname -m":
		fmt.Fprint(ch, "\n"+s.opts.Machine+"\n")
		return 0
	case s.opts.User != "root" && !sudo:
		fmt.Fprintln(ch.Stderr(), "permission denied")
		return 126
	}
	if script, ok := strings.CutPrefix(command, "/bin/sh -c '"); ok && strings.HasSuffix(script, "'") {
		return s.deliver(ctx, ch, strings.TrimSuffix(script, "'"))
	}
	m := agentCommand.FindStringSubmatch(command)
	if m == nil {
		fmt.Fprintln(ch.Stderr(), "sh: 1: not found")
		return 127
	}
	binary := filepath.Join(s.Root, agentDir, m[2], "hostler-agent")
	content, err := os.ReadFile(binary)
	if err != nil {
		fmt.Fprintln(ch.Stderr(), "not found")
		if sudo && m[1] == "" {
			return 1 // sudo's status for a missing program
		}
		return 127
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != m[2] {
		fmt.Fprintln(ch.Stderr(), "exec format error")
		return 126
	}
	out := &frameWriter{s: s, c: c, w: ch}
	if s.opts.AgentBinary == "" {
		lines := make(chan []byte)
		s.wg.Go(func() { readLines(ctx, ch, lines) })
		s.Agent.serve(ctx, lines, out)
		return out.status()
	}
	// As under sshd, the end of the connection closes the agent's input and output but does not kill it.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.wg.Go(func() {
		select {
		case <-s.done:
			cancel()
		case <-ctx.Done():
		}
	})
	cmd := exec.CommandContext(ctx, s.opts.AgentBinary, "--root", s.Root, "session")
	cmd.Stdout, cmd.Stderr = out, ch.Stderr()
	return max(s.start(cmd, ch), out.status())
}

// readLines sends the client's lines, until it stops.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) {
	defer close(lines)
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		select {
		case lines <- line:
		case <-ctx.Done():
			return
		}
	}
}

// deliver runs the real script, with the server's directory instead of the real one.
func (s *Server) deliver(ctx context.Context, ch ssh.Channel, script string) int {
	dir := filepath.Join(s.Root, agentDir)
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", strings.ReplaceAll(script, agentDir, dir))
	cmd.Stdout, cmd.Stderr = ch, ch.Stderr()
	status := s.start(cmd, ch)
	if status == 0 {
		s.mu.Lock()
		s.delivered++
		s.mu.Unlock()
	}
	return status
}

// start runs a program with the session as its input. It does not wait for the end of that input, which may never come.
func (s *Server) start(cmd *exec.Cmd, ch ssh.Channel) int {
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(ch.Stderr(), err)
		return 126
	}
	s.wg.Go(func() {
		io.Copy(stdin, ch)
		stdin.Close()
	})
	if err := cmd.Wait(); err != nil {
		return max(cmd.ProcessState.ExitCode(), 1)
	}
	return 0
}

// frameWriter counts the frames of agents and injects faults.
type frameWriter struct {
	s  *Server
	c  *wireConn
	w  io.Writer
	mu sync.Mutex

	buf  []byte
	dead bool
	exit int
}

func (f *frameWriter) status() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.exit
}

// Write accepts any pieces and sends whole frames.
func (f *frameWriter) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buf = append(f.buf, p...)
	for {
		i := bytes.IndexByte(f.buf, '\n')
		if i < 0 {
			return len(p), nil
		}
		frame := f.buf[:i+1]
		if f.dead {
			return 0, io.ErrClosedPipe
		}
		if err := f.frame(frame); err != nil {
			f.dead = true
			return 0, err
		}
		f.buf = f.buf[i+1:]
	}
}

func (f *frameWriter) frame(frame []byte) error {
	f.s.mu.Lock()
	f.s.frames++
	n := f.s.frames
	f.s.mu.Unlock()
	fault := None
	if f.s.opts.OnFrame != nil {
		fault = f.s.opts.OnFrame(n)
	}
	switch fault {
	case Kill:
		f.c.Close()
		return io.ErrClosedPipe
	case KillInner:
		f.w.Write(frame[:len(frame)/2])
		f.c.Close()
		return io.ErrClosedPipe
	case Garbage:
		frame = []byte("\x00\xffnot a frame\n")
	case Exit:
		f.exit = 137
		return io.ErrClosedPipe
	case Endless:
		chunk := bytes.Repeat([]byte("x"), 32<<10)
		for {
			if _, err := f.w.Write(chunk); err != nil {
				return err
			}
		}
	}
	_, err := f.w.Write(frame)
	return err
}
