package host_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/host/hosttest"
)

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	amd, arm := hash("the agent for amd64"), hash("the agent for arm64")
	const sudo = `sudo -n -- /usr/bin/env SSH_CONNECTION="$SSH_CONNECTION" `
	session := func(sum string) string { return "/var/lib/hostler/agent/" + sum + "/hostler-agent session" }
	for name, test := range map[string]struct {
		opts hosttest.Options
		want []string
	}{
		"First": {hosttest.Options{}, []string{session(amd), "echo; uname -m", "sh", session(amd)}},
		"Arm":   {hosttest.Options{Machine: "aarch64"}, []string{session(amd), "echo; uname -m", session(arm), "sh", session(arm)}},
		"Sudo": {hosttest.Options{User: "debian"}, []string{
			sudo + session(amd), "echo; uname -m", "sudo -n -- sh", sudo + session(amd),
		}},
		"Greeting": {hosttest.Options{Greeting: "Welcome!\n\x1b[31mPlease behave.\n", Machine: "x86_64"},
			[]string{session(amd), "echo; uname -m", "sh", session(amd)}},
		"Reset": {hosttest.Options{Greeting: "Welcome {you}!\n\x1b[0m"}, []string{session(amd), "echo; uname -m", "sh", session(amd)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := hosttest.Start(t, test.opts)
			f := newFleet(t, nil)
			mustFacts(t, f, srv.Target(1))
			got := srv.Commands()
			for i, c := range got {
				if before, _, ok := strings.Cut(c, "/bin/sh -c '"); ok {
					got[i] = before + "sh"
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			srv.DropAll()
			<-srv.Ended
			mustFacts(t, f, srv.Target(1))
			if n := len(srv.Commands()); n != len(test.want)+1 {
				t.Errorf("%d commands after a reconnect, want one more", n)
			}
			sum := amd
			if test.opts.Machine == "aarch64" {
				sum = arm
			}
			info, err := os.Stat(filepath.Join(srv.Root, "var/lib/hostler/agent", sum, "hostler-agent"))
			if err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("agent on the host: %v, %v", info, err)
			}
		})
	}
}

func TestDeliverFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opts   hosttest.Options
		kind   error
		reason string
	}{
		"SudoPassword": {hosttest.Options{User: "debian", Sudo: hosttest.SudoPassword}, host.ErrAuth, "user debian can't become root without a password"},
		"SudoMissing":  {hosttest.Options{User: "debian", Sudo: hosttest.SudoMissing}, host.ErrAuth, "user debian can't become root without a password"},
		"Machine":      {hosttest.Options{Machine: "riscv64"}, host.ErrAgent, `uname says "riscv64"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := hosttest.Start(t, test.opts)
			_, err := newFleet(t, nil).Facts(testContext(t), srv.Target(1))
			wantErr(t, err, test.kind, test.reason)
		})
	}
}

// TestOldAgents checks that the previous one and any running one stay; files that are not ours always stay.
func TestOldAgents(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{})
	dir := filepath.Join(srv.Root, "var/lib/hostler/agent")
	previous, older, oldest := hash("previous"), hash("older"), hash("oldest")
	for i, name := range []string{previous, older, oldest, "lost+found"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "hostler-agent"), []byte(name), 0o755); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(i+1) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	mustFacts(t, newFleet(t, nil), srv.Target(1))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := []string{hash("the agent for amd64"), previous, "lost+found"}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("agents on the host (-want +got):\n%s", diff)
	}
}
