package host_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
)

// Tests and benchmarks on practice hosts are named here and skipped unless these are set: the file that bringing up the hosts
// printed, and the agent's binary.
const (
	envHosts = "HOSTLER_TEST_HOSTS"
	envAgent = "HOSTLER_TEST_AGENT"
)

// realTarget is the i-th practice host, from 0, for the given user.
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
	}, host.Binaries{"amd64": binary}
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
			mustFacts(t, f, target)
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

// BenchmarkWarm is the bar of the house: a small change over a session that stands.
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
					if _, err := f.Runs(ctx, target); err != nil {
						b.Fatal(err)
					}
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

// BenchmarkDial is what a connection costs, and what keeping it saves.
func BenchmarkDial(b *testing.B) {
	target, binaries := realTarget(b, 0, "root")
	f := newFleet(b, func(c *host.Config) { c.Agent = binaries })
	for b.Loop() {
		if _, err := f.Facts(b.Context(), target); err != nil {
			b.Fatal(err)
		}
		f.Forget(target.ServerID)
	}
}

// command runs a program of the test's own, to make faults on practice hosts.
func command(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
