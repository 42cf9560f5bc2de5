package edge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// builtIn is the directory of the command line, which several tests run; "" before it is built. It is removed after all of them.
var builtIn string

// built is the command line alone, built once.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pipeline")
	if err != nil {
		return "", err
	}
	builtIn = dir
	program := filepath.Join(dir, "hostler")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/hostler-cli").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// pipeline is a run of the script as a service runs it.
type pipeline struct {
	command []string
	// environment has the inputs as the service sets them.
	environment map[string]string
	// outputs is the file that the service reads afterwards.
	outputs string
}

// github reads the action: its inputs become variables of the step.
func github(t *testing.T, inputs map[string]string) pipeline {
	t.Helper()
	var action struct {
		Inputs map[string]struct {
			Default  *string
			Required bool
		}
		Outputs map[string]struct{ Value string }
		Runs    struct {
			Steps []struct {
				ID, Shell, Run string
				Env            map[string]string
			}
		}
	}
	parse(t, "../../ci/github/action.yml", 0, &action)
	if len(action.Runs.Steps) != 1 || action.Runs.Steps[0].Shell != "sh" {
		t.Fatalf("steps %+v", action.Runs.Steps)
	}
	step := action.Runs.Steps[0]
	outputs := filepath.Join(t.TempDir(), "output")
	path, err := filepath.Abs("../../ci/github")
	if err != nil {
		t.Fatal(err)
	}
	p := pipeline{[]string{"sh", "-e", "-c", step.Run}, map[string]string{"GITHUB_OUTPUT": outputs, "GITHUB_ACTION_PATH": path}, outputs}
	for name, value := range step.Env {
		p.environment[name] = regexp.MustCompile(`\$\{\{ inputs\.(\w+) }}`).ReplaceAllStringFunc(value, func(use string) string {
			input := strings.TrimSuffix(strings.TrimPrefix(use, "${{ inputs."), " }}")
			of, known := action.Inputs[input]
			given, set := inputs[input]
			switch {
			case !known, !set && of.Default == nil:
				t.Errorf("the action has no input %s", input)
			case !set:
				given = *of.Default
			}
			return given
		})
	}
	for name, o := range action.Outputs {
		if o.Value != "${{ steps."+step.ID+".outputs."+name+" }}" {
			t.Errorf("the output %s is %s", name, o.Value)
		}
	}
	return p
}

// gitlab reads the component: its script runs in a shell that ends with the first error.
func gitlab(t *testing.T, inputs map[string]string) pipeline {
	t.Helper()
	var head struct {
		Spec struct {
			Inputs map[string]struct{ Default *string }
		}
	}
	const file = "../../ci/gitlab/templates/deploy.yml"
	parse(t, file, 0, &head)
	use := func(text string) string {
		return regexp.MustCompile(`\$\[\[ inputs\.(\w+) \]\]`).ReplaceAllStringFunc(text, func(use string) string {
			input := strings.TrimSuffix(strings.TrimPrefix(use, "$[[ inputs."), " ]]")
			of, known := head.Spec.Inputs[input]
			given, set := inputs[input]
			switch {
			case !known, !set && of.Default == nil:
				t.Errorf("the component has no input %s", input)
			case !set:
				given = *of.Default
			}
			return given
		})
	}
	var jobs map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct {
			When    string
			Reports struct{ Dotenv string }
		}
	}
	parse(t, file, 1, &jobs)
	job, ok := jobs["$[[ inputs.job ]]"]
	if !ok || len(job.Script) != 1 || job.Artifacts.When != "always" || job.Artifacts.Reports.Dotenv != job.Variables["HOSTLER_DOTENV"] {
		t.Fatalf("jobs %+v", jobs)
	}
	dir := t.TempDir()
	p := pipeline{[]string{"bash", "-eo", "pipefail", "-c", "cd '" + dir + "'\n" + job.Script[0]}, map[string]string{"HOSTLER_TOKEN": inputs["token"]}, ""}
	for name, value := range job.Variables {
		p.environment[name] = use(value)
	}
	p.outputs = filepath.Join(dir, p.environment["HOSTLER_DOTENV"])
	return p
}

// parse reads the n-th document of a file.
func parse(t *testing.T, file string, n int, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	for range n {
		var skipped any
		if err := d.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// run runs a pipeline and returns its exit status, what it printed, and its outputs by their names in small letters, without what
// the service needs before them.
func (p pipeline) run(t *testing.T, path string) (status int, printed string, outputs map[string]string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), p.command[0], p.command[1:]...)
	c.Env = []string{"PATH=" + path, "HOME=" + t.TempDir()}
	for name, value := range p.environment {
		c.Env = append(c.Env, name+"="+value)
	}
	out, _ := c.CombinedOutput()
	outputs = map[string]string{}
	raw, _ := os.ReadFile(p.outputs) // there is none if nothing was tried
	for line := range strings.Lines(string(raw)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			t.Errorf("an output is %q", line)
		}
		outputs[strings.ToLower(strings.TrimPrefix(name, "HOSTLER_"))] = value
	}
	return c.ProcessState.ExitCode(), string(out), outputs
}

// The action and the component deploy a site, wait for it, show its log, hand on what came of it, and fail with the reason.
func TestPipelines(t *testing.T) {
	t.Parallel()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	with := filepath.Dir(program) + ":" + os.Getenv("PATH")
	for name, service := range map[string]func(*testing.T, map[string]string) pipeline{"github": github, "gitlab": gitlab} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := World(t, db.SQLite)
			w.deploySite(t, "shop.example.org")
			panel := w.deploying(t)
			inputs := map[string]string{"url": panel.URL, "token": w.owner.Token, "organization": "acme", "site": "shop.example.org"}

			panel.says, panel.done = "one\n::error::from the log\n", true
			status, printed, outputs := service(t, inputs).run(t, with)
			if status != 0 || !strings.Contains(printed, "one\n") || outputs["deployment"] == "" || outputs["event"] == "" || outputs["status"] != "finished" {
				t.Errorf("%d %v: %s", status, outputs, printed)
			}
			if name == "github" {
				stop := regexp.MustCompile(`(?s)^::stop-commands::([0-9a-f]{32})\n.*from the log.*\n::([0-9a-f]{32})::\n$`).FindStringSubmatch(printed)
				if stop == nil || stop[1] != stop[2] {
					t.Errorf("the log can command the runner: %s", printed)
				}
			}

			panel.says, panel.done = "npm ERR! Missing script: \"build\"\n", false
			const reason = "package.json has no script build, which the deploy script runs."
			status, printed, outputs = service(t, inputs).run(t, with)
			if status != 5 || outputs["status"] != "failed" || outputs["reason"] != reason {
				t.Errorf("a failed one ends with %d %v: %s", status, outputs, printed)
			}
			if end := map[string]string{"github": "::error title=Hostler::", "gitlab": "hostler: "}[name] + reason + "\n"; !strings.HasSuffix(printed, end) {
				t.Errorf("it ends with %s, not %s", printed, end)
			}

			inputs["site"] = "nowhere.example.org"
			status, printed, outputs = service(t, inputs).run(t, with)
			if status != 3 || outputs["status"] != "unknown" || !strings.Contains(printed, "nowhere.example.org") {
				t.Errorf("a site that is not there: %d %v: %s", status, outputs, printed)
			}
			inputs["site"] = "-x"
			if status, printed, _ = service(t, inputs).run(t, with); status != 2 {
				t.Errorf("a flag for a site: %d: %s", status, printed)
			}
			inputs["token"] = ""
			if status, printed, _ = service(t, inputs).run(t, with); status != 2 || !strings.Contains(printed, "HOSTLER_TOKEN is not set") {
				t.Errorf("without a token: %d: %s", status, printed)
			}
		})
	}
	t.Run("download", func(t *testing.T) {
		t.Parallel()
		w := World(t, db.SQLite)
		w.deploySite(t, "shop.example.org")
		panel := w.deploying(t)
		panel.says, panel.done = "one\n", true
		raw, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		files := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(program))))
		defer files.Close()
		inputs := map[string]string{
			"url": panel.URL, "token": w.owner.Token, "organization": "acme", "site": "shop.example.org",
			"download": files.URL + "/hostler", "sha256": fmt.Sprintf("%x", sha256.Sum256(raw)),
		}
		if status, printed, outputs := gitlab(t, inputs).run(t, os.Getenv("PATH")); status != 0 || outputs["status"] != "finished" {
			t.Errorf("%d %v: %s", status, outputs, printed)
		}
		inputs["sha256"] = strings.Repeat("0", 64)
		if status, printed, _ := gitlab(t, inputs).run(t, os.Getenv("PATH")); status != 2 || !strings.Contains(printed, "checksum") {
			t.Errorf("another checksum: %d: %s", status, printed)
		}
	})
}

// deployingPanel is a panel whose deployments say something and end as soon as they are accepted.
type deployingPanel struct {
	*httptest.Server
	says string
	done bool
}

func (w *world) deploying(t *testing.T) *deployingPanel {
	t.Helper()
	to, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &deployingPanel{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.Method == http.MethodPost && strings.HasSuffix(r.Request.URL.Path, "/deployments") && r.StatusCode == http.StatusAccepted {
			event := r.Header.Get("X-Hostler-Event")
			var operation, deployment int64
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				said := query.AppendOutputParams{EventID: number(event), Kind: "output", Step: "deploy script", Content: p.says, CreatedAt: tx.Micros()}
				if err := tx.AppendOutput(ctx, said); err != nil {
					return err
				}
				operation = w.operation(ctx, tx, event).ID
				return tx.SQL.QueryRowContext(ctx, "SELECT max(id) FROM deployments").Scan(&deployment)
			})
			w.endedOperation(operation, p.done)
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				return tx.EndDeployment(ctx, deployment, map[bool]string{true: "finished", false: "failed"}[p.done], new(tx.Micros()))
			})
		}
		return nil
	}
	p.Server = httptest.NewServer(proxy)
	t.Cleanup(p.Close)
	return p
}
