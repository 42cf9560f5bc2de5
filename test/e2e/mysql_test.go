package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// failures are lines of a test binary that say what failed.
var failures = regexp.MustCompile(`(?m)^\s*(--- FAIL|\w+_test\.go:\d+: ).*$`)

// What the agent's own tests do with MariaDB it can do with MySQL: dump, prove and restore what people have and generated schemas, and refuse hostile dumps.
// HOSTLER_SCHEMAS is the number of generated schemas, HOSTLER_SCHEMA_SEED the first.
func TestAgentOnMySQL(t *testing.T) {
	hosts.Require(t)
	if !full() {
		t.Skip("HOSTLER_E2E=full builds Debian unstable, which has MySQL")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	if err := panel.BuildMySQLImage(t); err != nil {
		t.Skipf("the image of MySQL can't be built: %v", err)
	}
	h := hosts.Shared(t, 1, hosts.Image(panel.MySQLImage)).Host(1)
	binary := filepath.Join(t.TempDir(), "agent.test")
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "../../internal/engine/agent").CombinedOutput(); err != nil {
		t.Fatalf("compile the agent's tests: %v\n%s", err, out)
	}
	raw, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	h.WriteFile(t, "/root/agent.test", raw, 0o755)
	t.Logf("%s", h.Exec(t, "mysqld", "--version"))
	count := os.Getenv("HOSTLER_SCHEMAS")
	if count == "" {
		count = "12"
	}
	out, err := h.TryExecContext(ctx, nil, "env", "HOSTLER_TEST_MYSQL=1", "HOSTLER_TEST_ENGINES=1", "HOSTLER_ATTACK=full", "HOSTLER_SCHEMAS="+count,
		"HOSTLER_SCHEMA_SEED="+os.Getenv("HOSTLER_SCHEMA_SEED"), "/root/agent.test", "-test.v", "-test.timeout=25m", "-test.run",
		"^(TestEngines.*|TestGeneratedSchemasComeBack|TestOddDatabasesComeBack|TestTablesThatDifferInCaseComeBack|TestRowOfTwelveMiBComesBack|"+
			"TestRestoredCopyLeavesTheLiveDatabaseAlone|TestBrokenViewIsNamedAndTheRestIsStored|TestShapeOfADump|TestDumpReachesTheNeighbour|"+
			"TestDumpHoldsTheEngine|TestContentsReachTheNeighbour)$")
	passed := strings.Count(out, "--- PASS: ")
	if err != nil || passed < 50 {
		t.Fatalf("%d passed: %v\n%s\n%.20000s", passed, err, strings.Join(failures.FindAllString(out, -1), "\n"), out)
	}
	t.Logf("%d tests and cases passed", passed)
}
