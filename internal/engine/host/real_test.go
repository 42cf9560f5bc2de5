package host_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/host/hosttest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Tests and benchmarks on practice hosts are named here and skipped unless these are set: the file printed when the hosts were
// brought up, and the agent's binary.
const (
	envHosts = "HOSTLER_TEST_HOSTS"
	envAgent = "HOSTLER_TEST_AGENT"
	// envFaults is a program that is called with a fault and the number of a host.
	envFaults = "HOSTLER_TEST_FAULTS"
)

// realTarget returns the i-th practice host, from 0, for the given user.
func realTarget(t testing.TB, i int, user string) (host.Target, host.Binaries) {
	t.Helper()
	hostsFile, agentFile := os.Getenv(envHosts), os.Getenv(envAgent)
	if hostsFile == "" || agentFile == "" {
		t.Skipf("skipped: needs practice hosts (%s) and the agent's binary (%s)", envHosts, envAgent)
	}
	raw, err := os.ReadFile(hostsFile)
	if err != nil {
		t.Fatal(err)
	}
	var bed struct {
		Key   string
		Hosts []struct {
			IP      string
			Port    int
			HostKey string `json:"host_key"`
		}
	}
	if err := json.Unmarshal(raw, &bed); err != nil {
		t.Fatal(err)
	}
	if i >= len(bed.Hosts) {
		t.Skipf("skipped: needs %d practice hosts", i+1)
	}
	pem, err := os.ReadFile(bed.Key)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(pem)
	if err != nil {
		t.Fatal(err)
	}
	h := bed.Hosts[i]
	pin, _, _, _, err := ssh.ParseAuthorizedKey([]byte(h.HostKey))
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(agentFile)
	if err != nil {
		t.Fatal(err)
	}
	return host.Target{
		ServerID: int64(i + 1), Addr: net.JoinHostPort(h.IP, strconv.Itoa(h.Port)), User: user, Signer: signer,
		HostKeys: []ssh.PublicKey{pin},
	}, host.Binaries{"amd64": host.BinaryOf(binary)}
}

// TestRealAgent is TestReconnect with the agent's binary instead of the in-memory one.
func TestRealAgent(t *testing.T) {
	t.Parallel()
	binary := os.Getenv(envAgent)
	if binary == "" {
		t.Skipf("skipped: needs the agent's binary (%s)", envAgent)
	}
	var mu sync.Mutex
	left, next := 20, 2+rand.IntN(10)
	srv := hosttest.Start(t, hosttest.Options{AgentBinary: binary, OnFrame: func(n int) hosttest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if left == 0 || n < next {
			return hosttest.None
		}
		left--
		next = n + 3 + rand.IntN(10)
		return hosttest.KillInner
	}})
	f := newFleet(t, nil)
	run := wire.Run{ID: runID("many"), Lane: "host", Fence: 1, Deadline: time.Now().Add(time.Minute), Change: &wire.Change{}}
	for i := range 150 {
		run.Change.Steps = append(run.Change.Steps, wire.Step{Name: "write", File: &wire.File{
			Path: "/many-" + strconv.Itoa(i), Content: []byte("x"), Mode: 0o644,
		}})
	}
	c := &counter{t: t}
	res, err := f.Run(testContext(t), srv.Target(1), run, c.on)
	wantState(t, res, err, wire.StateSucceeded)
	if c.last < 300 || left != 0 {
		t.Errorf("%d events, %d faults left", c.last, left)
	}
	runs, err := f.Runs(testContext(t), srv.Target(1))
	if err != nil || len(runs) != 1 || runs[0].Starts != 1 {
		t.Errorf("journal %+v, %v", runs, err)
	}
}

func runID(name string) string { return name + "-" + strconv.FormatInt(time.Now().UnixNano(), 36) }

func TestRealHost(t *testing.T) {
	for i, user := range []string{"root", "debian"} {
		t.Run(user, func(t *testing.T) {
			target, binaries := realTarget(t, i, user)
			f := newFleet(t, func(c *host.Config) { c.Agent = binaries })
			keys, err := host.ReadHostKeys(testContext(t), target.Addr)
			if err != nil || len(keys) == 0 {
				t.Fatalf("host keys: %v, %v", keys, err)
			}
			facts, err := f.Facts(testContext(t), target)
			if err != nil || facts.SSHClient == "" || facts.OS != "debian" {
				t.Fatalf("facts %+v, %v", facts, err)
			}
			run := wire.Run{ID: runID("real"), Lane: "host", Fence: 1, Deadline: time.Now().Add(time.Minute), Change: &wire.Change{
				Steps: []wire.Step{
					{Name: "write", File: &wire.File{Path: "/etc/hostler-real-test", Content: []byte(time.Now().String()), Mode: 0o644}},
					{Name: "remove", File: &wire.File{Path: "/etc/hostler-real-test", Absent: true}},
				},
				ConfirmWithin: 20 * time.Second,
			}}
			c := &counter{t: t}
			res, err := f.RunConfirmed(testContext(t), target, run, host.Check{Kind: host.ConfirmLogin}, c.on)
			wantState(t, res, err, wire.StateSucceeded)
			again, err := f.Run(testContext(t), target, run, (&counter{t: t}).on)
			wantState(t, again, err, wire.StateSucceeded)
			if !again.StartedAt.Equal(res.StartedAt) {
				t.Error("the same id was run twice")
			}
		})
	}
}

// TestRealConfirm locks new connections out with the host's own firewall, while the existing one keeps working.
func TestRealConfirm(t *testing.T) {
	target, binaries := realTarget(t, 0, "root")
	for name, test := range map[string]struct {
		rule string
		want wire.State
	}{
		"Good": {"tcp dport 2222 drop", wire.StateSucceeded},
		"Bad":  {"ct state new tcp dport 22 drop", wire.StateReverted},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, func(c *host.Config) { c.Agent, c.DialTimeout = binaries, time.Second })
			mustFacts(t, f, target)
			table := "table inet hostler_test { chain input { type filter hook input priority 0; " + test.rule + "; }; }\n"
			run := wire.Run{ID: runID("confirm"), Lane: "host", Fence: 1, Deadline: time.Now().Add(time.Minute), Change: &wire.Change{
				Steps: []wire.Step{
					{Name: "rules", File: &wire.File{Path: "/run/hostler-test.nft", Content: []byte(table), Mode: 0o600}},
					{Name: "load", Action: &wire.Action{
						Argv: []string{"/usr/sbin/nft", "-f", "/run/hostler-test.nft"}, Undo: []string{"/usr/sbin/nft", "delete", "table", "inet", "hostler_test"},
						Always: true,
					}},
				},
				ConfirmWithin: 5 * time.Second,
			}}
			start := time.Now()
			res, err := f.RunConfirmed(testContext(t), target, run, host.Check{Kind: host.ConfirmReachable}, (&counter{t: t}).on)
			wantState(t, res, err, test.want)
			t.Logf("%s after %s: %s", res.State, time.Since(start), res.Reason)
			// Either way a new connection gets in now.
			f.Forget(target.ServerID)
			mustFacts(t, f, target)
			if test.want == wire.StateSucceeded {
				run.ID, run.Change = runID("tidy"), &wire.Change{Steps: []wire.Step{
					{Name: "tidy", Exec: &wire.Exec{Argv: []string{"/usr/sbin/nft", "delete", "table", "inet", "hostler_test"}}},
				}}
				res, err = f.Run(testContext(t), target, run, nil)
				wantState(t, res, err, wire.StateSucceeded)
			}
		})
	}
}

// BenchmarkWarm measures a small change over an existing session.
func BenchmarkWarm(b *testing.B) {
	target, binaries := realTarget(b, 0, "root")
	f := newFleet(b, func(c *host.Config) { c.Agent = binaries })
	ctx := b.Context()
	if _, err := f.Facts(ctx, target); err != nil {
		b.Fatal(err)
	}
	vhost := []byte("server { listen 80; server_name bench.example; return 204; }\n")
	for name, steps := range map[string]func(i int) []wire.Step{
		"Request": nil,
		"File": func(i int) []wire.Step {
			return []wire.Step{{Name: "write", File: &wire.File{Path: "/etc/hostler-bench", Content: []byte(strconv.Itoa(i)), Mode: 0o644}}}
		},
		"NginxReload": func(i int) []wire.Step {
			return []wire.Step{
				{Name: "site", File: &wire.File{
					Path: "/etc/nginx/conf.d/hostler-bench.conf", Content: append([]byte("# "+runID("n")+strconv.Itoa(i)+"\n"), vhost...), Mode: 0o644,
				}},
				{Name: "check", Validate: &wire.Exec{Argv: []string{"/usr/sbin/nginx", "-t"}}},
				{Name: "reload", Action: &wire.Action{Argv: []string{"/usr/sbin/nginx", "-s", "reload"}}},
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if steps == nil {
					request(b, f, target)
					continue
				}
				run := wire.Run{ID: runID("bench"), Lane: "host", Fence: 1, Deadline: time.Now().Add(time.Minute), Change: &wire.Change{Steps: steps(i)}}
				res, err := f.Run(ctx, target, run, nil)
				if err != nil || res.State != wire.StateSucceeded {
					b.Fatalf("%+v, %v", res, err)
				}
			}
		})
	}
}

// request is the smallest possible request.
func request(b *testing.B, f *host.Fleet, target host.Target) {
	b.Helper()
	var refused *wire.Error
	if _, err := f.Attach(b.Context(), target, "none", 0, nil); !errors.As(err, &refused) {
		b.Fatal(err)
	}
}

// BenchmarkDial measures the cost of a connection, which keeping it saves.
func BenchmarkDial(b *testing.B) {
	target, binaries := realTarget(b, 0, "root")
	f := newFleet(b, func(c *host.Config) { c.Agent = binaries })
	for b.Loop() {
		request(b, f, target)
		f.Forget(target.ServerID)
	}
}

// TestRealFaults cuts the network, freezes the host and cuts its power during a run.
func TestRealFaults(t *testing.T) {
	tool := os.Getenv(envFaults)
	if tool == "" {
		t.Skipf("skipped: needs practice hosts and the program that makes faults on them (%s)", envFaults)
	}
	target, binaries := realTarget(t, 0, "root")
	fault := func(name string) {
		if out, err := exec.Command(tool, name, "1").CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	for _, test := range []struct {
		name, make, mend string
		lasts            time.Duration
		lost             bool // the connection, by then
		want             wire.State
	}{
		{"ShortCut", "cut", "heal", 500 * time.Millisecond, false, wire.StateSucceeded},
		{"Cut", "cut", "heal", 5 * time.Second, true, wire.StateSucceeded},
		{"Freeze", "freeze", "thaw", 5 * time.Second, true, wire.StateSucceeded},
		{"Kill", "kill", "start", 2 * time.Second, true, wire.StateLost},
	} {
		t.Run(test.name, func(t *testing.T) {
			dials := 0
			f := newFleet(t, func(c *host.Config) {
				c.Agent, c.KeepAlive, c.DialTimeout, c.HandshakeTimeout = binaries, time.Second, time.Second, 2*time.Second
				c.Backoff = host.Backoff{Min: 50 * time.Millisecond, Max: 500 * time.Millisecond}
				c.Hooks.Dialled = func(_ int64, took time.Duration, err error) { dials++; t.Logf("dial: %s %v", took, err) }
				c.Hooks.Lost = func(_ int64, err error) { t.Logf("lost: %v", err) }
			})
			run := wire.Run{
				ID: runID("fault"), Lane: "test", Fence: 1, Deadline: time.Now().Add(time.Minute), Detach: true,
				Script: &wire.Script{User: "root", Dir: "/", Content: "#!/bin/sh\nfor i in $(seq 300); do echo $i; sleep 0.01; done\n"},
			}
			c := &counter{t: t}
			var mended chan struct{}
			var text strings.Builder
			start := time.Now()
			res, err := f.Run(testContext(t), target, run, func(e wire.Event) {
				c.on(e)
				if e.Kind == wire.EventOutput {
					text.WriteString(e.Text)
				}
				if c.last == 5 {
					fault(test.make)
					mended = make(chan struct{})
					time.AfterFunc(test.lasts, func() { defer close(mended); fault(test.mend) })
				}
			})
			if mended != nil {
				<-mended
			}
			wantState(t, res, err, test.want)
			t.Logf("%d events in %s, %d dials", c.last, time.Since(start), dials)
			if lines := strings.Count(text.String(), "\n"); lines != 300 && test.want == wire.StateSucceeded {
				t.Errorf("%d lines of output, want 300", lines)
			}
			if test.lost != (dials > 1) {
				t.Errorf("%d dials", dials)
			}
			runs, err := f.Runs(testContext(t), target)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range runs {
				if r.ID == run.ID && r.Starts != 1 {
					t.Errorf("started %d times", r.Starts)
				}
			}
		})
	}
}
