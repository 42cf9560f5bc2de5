package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// The panel is killed at random moments of deployments: each continues, its log is complete and without repetitions, its result
// is true, and the live release is complete.
func TestPanelIsKilledWhileDeploying(t *testing.T) {
	r := newRoom(t)
	repo := r.repository(t, "shop", map[string]string{"public/index.php": "<?php echo 'shop 0';"})
	site := r.site(t, map[string]any{
		"type":          "php",
		"name":          "shop.example.com",
		"repository":    repo,
		"branch":        "main",
		"is_isolated":   true,
		"isolated_user": "shop",
	})
	r.deployed(t, site)
	r.script(t, site, "$CREATE_RELEASE()\ncd $FORGE_RELEASE_DIRECTORY\nfor i in 1 2 3 4 5 6 7 8; do echo line $i of $FORGE_DEPLOYMENT_ID; sleep 0.2; "+
		"done\n$ACTIVATE_RELEASE()\necho line 9 of $FORGE_DEPLOYMENT_ID\n")
	times := 5
	if os.Getenv("HOSTLER_E2E") == "full" {
		times = 20
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	const base = "/home/shop/shop.example.com"
	for n := 1; n <= times; n++ {
		r.commit(t, "shop", fmt.Sprint("Version ", n), map[string]string{"public/index.php": fmt.Sprintf("<?php echo 'shop %d';", n)})
		a := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments", nil)
		// A moment of the deployment, by its log: that many pieces after it began.
		pieces := random.IntN(14)
		at := time.Duration(random.IntN(200)) * time.Millisecond
		r.Until(t, 2*time.Minute, site+"/deployments/"+a.Data.ID+"/log", "far enough",
			func(l panel.Answer) bool { return strings.Count(l.Data.Text("output"), "\n") >= min(pieces, 10) })
		<-time.After(at)
		r.Kill()
		if err := r.Up(); err != nil {
			t.Fatal(err)
		}
		d := r.Settled(t, 2*time.Minute, site+"/deployments/"+a.Data.ID)
		log := r.deployLog(t, site, d.ID)
		if d.Text("status") != "finished" {
			t.Errorf("killed %d lines and %v in: %s %+v\n%s", pieces, at, d.Text("status"), d.Operation(), log)
		}
		var lines []string
		for l := range strings.Lines(log) {
			if strings.HasPrefix(l, "line ") {
				lines = append(lines, strings.Fields(l)[1])
			}
		}
		if got := strings.Join(lines, " "); got != "1 2 3 4 5 6 7 8 9" {
			t.Errorf("killed %d lines and %v in, the log has the lines %s\n%s", pieces, at, got, log)
		}
		if live := strings.TrimSpace(r.server.Host.Exec(t, "readlink", base+"/current")); live != "releases/"+d.ID {
			t.Errorf("deployment %s is finished, and %s is live", d.ID, live)
		}
		if got := r.serves(t, "shop.example.com", "/"); got != fmt.Sprintf("200 shop %d", n) {
			t.Errorf("it serves %q after deployment %d", got, n)
		}
	}
	if left := r.server.Host.Exec(t, "sh", "-c", "ls -A "+base+" | grep '^[.]current-' || true; ls /var/lib/hostler/scripts"); strings.TrimSpace(left) != "" {
		t.Errorf("left on the host: %s", left)
	}
	if kept := strings.Fields(r.server.Host.Exec(t, "sh", "-c", "ls "+base+"/releases | grep -v initial")); len(kept) != 4 {
		t.Errorf("%d releases are kept: %v", len(kept), kept)
	}
	if left := r.left(t, "shop"); left != "" {
		t.Errorf("processes left: %s", left)
	}
	if n := r.Count(t, "SELECT COUNT(*) FROM operations WHERE state IN ('pending', 'running')"); n != 0 {
		t.Errorf("%d operations have no end", n)
	}
}
