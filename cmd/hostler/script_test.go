package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/test/letters"
	"github.com/hostlerhq/hostler/test/port"
)

// TestMain turns this test's binary into the program itself when a script runs hostler.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hostler": func() {
		if os.Getenv("HOSTLER_TEST_LETTERS") == "show" {
			os.Exit(showLetters())
		}
		if text := os.Getenv("HOSTLER_TEST_VERSION"); text != "" {
			version, releaseKey = text, os.Getenv("HOSTLER_TEST_KEY")
		}
		main()
	}})
}

// The scripts run the real program against a real installation on SQLite, without hosts.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Setup: isolate, Cmds: scriptCommands, RequireExplicitExec: true, RequireUniqueNames: true})
}

// The same scripts run with an API whose sentences no program can read: the command line acts by codes, and takes no sentence apart. What it prints is read
// back into our letters.
func TestScriptsByCodes(t *testing.T) {
	t.Parallel()
	params := testscript.Params{Setup: func(env *testscript.Env) error {
		env.Setenv("HOSTLER_TEST_LETTERS", "show")
		return isolate(env)
	}, Cmds: scriptCommands, RequireExplicitExec: true, RequireUniqueNames: true}
	if os.Getenv("HOSTLER_E2E") == "full" {
		params.Dir = "testdata/script"
	} else { // those that ask the most of the API
		params.Files = []string{"testdata/script/sites.txtar", "testdata/script/operations.txtar", "testdata/script/firewall.txtar"}
	}
	testscript.Run(t, params)
}

// showLetters runs the program in a process of its own, and shows what it prints in our letters.
func showLetters() int {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Env = append(os.Environ(), "HOSTLER_TEST_LETTERS=hidden")
	cmd.Args[0], cmd.Stdin, cmd.Stdout, cmd.Stderr = "hostler", os.Stdin, inOurs{os.Stdout}, inOurs{os.Stderr}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	go func() {
		for s := range asked {
			_ = cmd.Process.Signal(s)
		}
	}()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// inOurs writes text in our letters, which have half the bytes.
type inOurs struct{ to io.Writer }

func (s inOurs) Write(p []byte) (int, error) {
	_, err := io.WriteString(s.to, letters.Show(string(p)))
	return len(p), err
}

// isolate separates a script's configuration and keys.
func isolate(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	return os.MkdirAll(home, 0o700)
}

var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	// installation FLAGS… creates one with a stand-in for a cloud, serves it, and sets URL, TOKEN (all permissions) and VIEWER (view only).
	"installation": func(ts *testscript.TestScript, _ bool, args []string) {
		fake := cloudtest.New(cloud.Hetzner)
		ts.Defer(fake.Close)
		args = append(args, "--allow-private-endpoints", "--cloud-endpoint", cloud.Hetzner+"="+fake.URL)
		listen := "127.0.0.1:0"
		if ts.Getenv("HOSTLER_TEST_LETTERS") != "" {
			hidden, behind, err := hide()
			ts.Check(err)
			ts.Defer(hidden.Close)
			listen, args = behind, append(args, "--base-url", hidden.URL)
		}
		i, err := newInstallation(ts.MkAbs("installation"), listen, args...)
		ts.Check(err)
		ts.Defer(i.stop)
		ts.Setenv("URL", i.url)
		ts.Setenv("TOKEN", i.token)
		ts.Setenv("VIEWER", i.viewer)
		ts.Setenv("LOG", i.log)
		ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(i.token+"\n"), 0o600))
	},
	// mailed NAME ADDRESS sets the variable to the newest link for an address, other than its current value, from the log of an
	// installation without a mail server.
	"mailed": func(ts *testscript.TestScript, _ bool, args []string) {
		link, err := mailed(ts.Getenv("LOG"), args[1], ts.Getenv(args[0]))
		ts.Check(err)
		ts.Setenv(args[0], link)
	},
	// browser allow|deny EMAIL ARGS… runs the program, and responds in a browser to its prompt.
	"browser":  browserCommand,
	"releases": releasesCommand,
	"publish":  publishCommand,
	"seen":     seenCommand,
	// becomes FILE PROGRAM ARGS… runs it until it prints what the file holds: what an operation waits for is said a moment after it was accepted.
	"becomes": func(ts *testscript.TestScript, _ bool, args []string) {
		want := ts.ReadFile(args[0])
		for end := time.Now().Add(time.Minute); ; {
			ts.Check(ts.Exec(args[1], args[2:]...))
			if got := ts.ReadFile("stdout"); got == want {
				return
			} else if time.Now().After(end) {
				ts.Fatalf("%s, want\n%s", got, want)
			}
		}
	},
	// code N PROGRAM ARGS… requires that exit status.
	"code": func(ts *testscript.TestScript, _ bool, args []string) {
		got := "exit status 0"
		if err := ts.Exec(args[1], args[2:]...); err != nil {
			got = err.Error()
		}
		if got != "exit status "+args[0] {
			ts.Fatalf("%s, want %s", got, args[0])
		}
	},
}

// hide serves an installation that listens at the returned address, with the sentences of its API in letters that no program can read.
func hide() (server *httptest.Server, behind string, err error) {
	free, err := port.Take()
	if err != nil {
		return nil, "", err
	}
	behind = net.JoinHostPort("127.0.0.1", strconv.Itoa(free))
	return httptest.NewServer(letters.Handler(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind}))), behind, nil
}

// installation is a running Hostler with the user me@example.com in the organizations acme and other.
type installation struct {
	url, token, viewer, log string
	stop                    func()
}

var serves = regexp.MustCompile(`Hostler is running at (\S+)`)

func newInstallation(dir, listen string, flags ...string) (*installation, error) {
	program, err := exec.LookPath("hostler") // testscript put it into the path
	if err != nil {
		return nil, err
	}
	env := append(os.Environ(), "HOSTLER_DATA_DIR="+dir)
	run := func(stdin string, args ...string) string {
		if err != nil {
			return ""
		}
		var out bytes.Buffer
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, strings.NewReader(stdin), &out, &out
		if err = cmd.Run(); err != nil {
			err = fmt.Errorf("hostler %s: %w\n%s", strings.Join(args, " "), err, &out)
		}
		return strings.TrimSpace(out.String())
	}
	run("a long enough pass phrase\n", "user", "create", "--email", "me@example.com", "--name", "Me", "--password-stdin")
	run("", "org", "create", "acme", "--owner", "me@example.com", "--name", "Acme")
	run("", "org", "create", "other", "--owner", "me@example.com", "--name", "Other")
	i := &installation{
		token:  run("", "token", "create", "--user", "me@example.com", "--scope", "*"),
		viewer: run("", "token", "create", "--user", "me@example.com", "--scope", "server:view"),
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, append([]string{"serve", "--listen", listen}, flags...)...)
	cmd.Env, cmd.WaitDelay, cmd.Cancel = env, 20*time.Second, func() error { return cmd.Process.Signal(os.Interrupt) }
	i.log = dir + ".log"
	log, err := os.Create(i.log)
	if err != nil {
		cancel()
		return nil, err
	}
	defer func() { _ = log.Close() }() // the program has its own
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	i.stop = func() {
		cancel()
		_ = cmd.Wait() // ends with the interrupt
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := serves.FindStringSubmatch(lines.Text()); m != nil {
			i.url = m[1]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return i, nil
		}
	}
	i.stop()
	said, _ := os.ReadFile(i.log)
	return nil, fmt.Errorf("hostler serve ended: %s", said)
}
