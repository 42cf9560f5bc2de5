package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkDeploy measures a deployment of a small repository on a warm host, from the request until a visitor gets the new page,
// compared with the same git commands and link switch run manually over an open SSH connection, alternating. go test -run '^$'
// -bench Deploy -benchtime 30x ./test/e2e
func BenchmarkDeploy(b *testing.B) {
	r := newRoom(b)
	h := r.server.Host
	repo := r.repository(b, "page", map[string]string{"index.html": "page 0"})
	site := r.site(b, map[string]any{"type": "static-html", "name": "page.example.com", "repository": repo, "branch": "main"})
	r.site(b, map[string]any{"type": "static-html", "name": "hand.example.com", "repository": repo, "branch": "main"})
	r.script(b, site, "$CREATE_RELEASE()\ncd $FORGE_RELEASE_DIRECTORY\necho built > built.txt\n$ACTIVATE_RELEASE()\n")
	r.deployed(b, site)
	const base = "/home/forge/hand.example.com"
	h.Exec(b, "runuser", "-u", "forge", "--", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/home/forge/by-hand")
	key := strings.TrimSpace(string(h.ReadFile(b, "/home/forge/by-hand.pub")))
	r.git.Exec(b, "sh", "-c", "echo '"+key+"' >> /home/git/.ssh/authorized_keys")
	h.Exec(b, "runuser", "-u", "forge", "--", "sh", "-ec", "cd "+base+" && git init -q --bare .repository")
	client := h.Dial(b)
	byHand := func(n int) error {
		session, err := client.NewSession()
		if err != nil {
			return err
		}
		defer session.Close()
		script := fmt.Sprintf(`cd %[1]s
export GIT_SSH_COMMAND="ssh -i /home/forge/by-hand -o StrictHostKeyChecking=accept-new -o LogLevel=ERROR"
git -C .repository fetch -q --no-tags %[2]s +refs/heads/main:refs/heads/deploy
git clone -q --local --no-tags --branch deploy .repository releases/%[3]d
cd releases/%[3]d
echo built > built.txt
cd ../..
ln -s releases/%[3]d .next && mv -T .next current`, base, repo, n)
		if out, err := session.CombinedOutput("runuser -u forge -- bash -ec '" + script + "'"); err != nil {
			return fmt.Errorf("by hand: %w\n%s", err, out)
		}
		return nil
	}
	if err := byHand(1); err != nil {
		b.Fatal(err)
	}
	// live waits for the page as a visitor does who asks repeatedly from the beginning, the same for both. One who asked without a pause would keep
	// a core busy that the deployment needs.
	live := func(name, want string) {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		defer cancel()
		ask := time.NewTicker(5 * time.Millisecond)
		defer ask.Stop()
		for v := newVisitor(h.IP, name, true); ; <-ask.C {
			_, text, err := v.get(ctx)
			if err == nil && text == want {
				return
			}
			if ctx.Err() != nil {
				b.Fatalf("%s never served %q: %v, %q", name, want, err, text)
			}
		}
	}
	var hand, ours []time.Duration
	n := 1
	for b.Loop() {
		b.StopTimer()
		n++
		want := fmt.Sprintf("page %d", n)
		r.commit(b, "page", want, map[string]string{"index.html": want})
		began := time.Now()
		done := make(chan error, 1)
		go func() { done <- byHand(n) }()
		live("hand.example.com", want)
		hand = append(hand, time.Since(began))
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		began = time.Now()
		a := r.Want(b, http.StatusAccepted, http.MethodPost, site+"/deployments", nil)
		live("page.example.com", want)
		ours = append(ours, time.Since(began))
		b.StopTimer()
		r.becomes(b, site, a.Data.ID, "finished")
		b.StartTimer()
	}
	median := map[string]float64{}
	for name, d := range map[string][]time.Duration{"by-hand": hand, "deployed": ours} {
		slices.Sort(d)
		at := func(q float64) float64 { return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000 }
		median[name] = at(0.5)
		b.ReportMetric(at(0.5), name+"-ms")
		b.Logf("%s: median %.1f ms, quartiles %.1f to %.1f, least %.1f, most %.1f, of %d", name, at(0.5), at(0.25), at(0.75), at(0), at(1), len(d))
	}
	b.ReportMetric(median["deployed"]/median["by-hand"], "ratio")
}
