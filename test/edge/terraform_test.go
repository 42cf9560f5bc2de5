package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/packages"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/test/githost"
)

// fakeHost stands for all servers: what they are asked to do is done, or fails when the next work is to.
type fakeHost struct {
	w    *world
	fail atomic.Bool
	wg   sync.WaitGroup
}

// work ends what is pending until ctx ends.
func (h *fakeHost) work(ctx context.Context) {
	defer h.wg.Done()
	for ctx.Err() == nil {
		var pending []int64
		err := h.w.App.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			rows, err := tx.SQL.QueryContext(ctx, "SELECT id FROM operations WHERE state = 'pending' ORDER BY id")
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id int64
				if err := rows.Scan(&id); err != nil {
					return err
				}
				pending = append(pending, id)
			}
			return rows.Err()
		})
		for _, id := range pending {
			if err == nil {
				err = h.w.App.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return h.end(ctx, tx, id) })
			}
		}
		if err != nil && ctx.Err() == nil {
			h.w.T.Errorf("work: %v", err)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (h *fakeHost) end(ctx context.Context, tx *db.Tx, id int64) error {
	state, reason := job.StateSucceeded, ""
	if h.fail.CompareAndSwap(true, false) {
		state, reason = job.StateFailed, "The disk is full."
	}
	if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: id, State: state, Reason: reason, UpdatedAt: tx.Micros()}); err != nil {
		return err
	}
	op, err := tx.Ungranted().GetOperation(ctx, id)
	if err != nil {
		return err
	}
	switch {
	case op.Aspect == php.Aspect:
		return php.NewConverger(h.w.App.Ledger, nil).Write(ctx, tx, op, job.State(state))
	case strings.HasPrefix(op.Aspect, packages.Aspect): // with the site behind it
		return (&packages.Task{Vault: packages.Vault{Box: h.w.App.Box}}).Aspect().Write(ctx, tx, op, job.State(state))
	case op.ResourceType == "servers" && op.Action == "delete":
		return h.w.remover().Aspect().Write(ctx, tx, op, job.State(state))
	}
	return h.w.App.Ledger.Settle(ctx, tx, op, state == job.StateSucceeded)
}

// openTofu is built where neither is installed.
const openTofu = "github.com/opentofu/opentofu@v1.12.6"

// terraformOrTofu returns Terraform or OpenTofu, as it is installed, or OpenTofu as it was built from the module proxy the first time, which takes minutes.
// HOSTLER_TOFU=1 builds it where another one is installed.
func terraformOrTofu(t *testing.T) string {
	t.Helper()
	if os.Getenv("HOSTLER_TOFU") == "" {
		for _, name := range []string{"terraform", "tofu"} {
			if binary, err := exec.LookPath(name); err == nil {
				return binary
			}
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(cache, "hostler-test", strings.ReplaceAll(openTofu, "/", "_"), "tofu")
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", openTofu)
	download.Dir = t.TempDir() // outside of our module
	raw, err := download.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(raw, &module) != nil {
		t.Fatalf("download %s: %v: %s", openTofu, err, raw)
	}
	t.Logf("building %s", openTofu)
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-X github.com/opentofu/opentofu/version.dev=no", "-o", binary, "./cmd/tofu")
	build.Dir = module.Dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v: %s", openTofu, err, out)
	}
	return binary
}

// The provider does with a real Terraform and a real panel what its own tests say: make terraform.
func TestTerraform(t *testing.T) {
	if os.Getenv("HOSTLER_TERRAFORM") == "" {
		t.Skip("make terraform")
	}
	binary := terraformOrTofu(t)
	w := World(t, db.SQLite)
	at, text := w.hosted()
	for _, server := range []string{w.mine.server, w.mine.engine, w.other.server} {
		w.ready(server)
	}
	h := &fakeHost{w: w}
	ctx, stop := context.WithCancel(t.Context())
	h.wg.Add(1)
	go h.work(ctx)
	h.wg.Go(func() { // limits are per minute, and one that a test sets would be reached once and for all
		for second := time.NewTicker(time.Second); ; w.Clock.Move(time.Second) {
			select {
			case <-second.C:
			case <-ctx.Done():
				second.Stop()
				return
			}
		}
	})
	defer h.wg.Wait()
	defer stop()
	control := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { h.fail.Store(true) }))
	defer control.Close()
	things, err := json.Marshal(map[string]string{
		"panel": w.URL, "token": w.owner.Token, "fail": control.URL, "server": w.mine.server, "site": w.mine.site, "domain": w.mine.domain, "engine": w.mine.engine,
		"database": w.mine.database, "team": w.mine.team, "storage": w.mine.storage, "credential": w.mine.credential, "recipe": w.mine.recipe,
		"other": w.other.server, "php": w.mine.php, "user": w.mine.user, "s3": fakeS3(), "key": publicKey(t),
		"primary": at[strings.LastIndexByte(at, '/')+1:], "nginx": within(text, "    # first"), "changed": within(text, "    # second"),
		"othersite": w.other.site, "heartbeat": w.mine.heartbeat, "secondkey": publicKey(t),
		"othercredential": w.other.credential, "otherrecipe": w.other.recipe, "github": githost.Token,
		"certificate": pair(t)["certificate"].(string), "private": pair(t)["key"].(string),
	})
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-count=1", "-timeout=30m", "-parallel=3", "-v", "./..."}
	if only := os.Getenv("HOSTLER_TERRAFORM"); strings.HasPrefix(only, "^") {
		args = append(args, "-run", only)
	}
	run := exec.CommandContext(t.Context(), "go", args...)
	run.Dir = "../../terraform"
	run.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TF_CLI_CONFIG_FILE=") }), "TF_ACC=1",
		"TF_ACC_TERRAFORM_PATH="+binary,
		// a registry that no provider is asked from: OpenTofu knows Terraform's default for none only at its own
		"TF_ACC_PROVIDER_HOST=registry.opentofu.org", "TF_ACC_PROVIDER_NAMESPACE=hostlerhq", "CHECKPOINT_DISABLE=1", "HOSTLER_THINGS="+string(things))
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	if err := run.Run(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	} else {
		t.Log(out.String())
	}
}

// pair is a certificate with its key.
var pair = func() func(t testing.TB) map[string]any {
	var once sync.Once
	var made map[string]any
	return func(t testing.TB) map[string]any {
		once.Do(func() { made = certificateBody(t, "one-too.example.com")["existing"].(map[string]any) })
		return made
	}
}()
