package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Of tests that failed under load, only what a quiet machine can change is repeated, and only what then passes counts as unsteady.
func TestFailedTestsAreRepeatedAlone(t *testing.T) {
	t.Parallel()
	event := func(action, test, output string) string {
		return fmt.Sprintf(`{"Action":%q,"Package":"example.com/hostler/job","Test":%q,"Output":%q}`+"\n", action, test, output)
	}
	begun, ended := event("start", "", ""), event("fail", "", "")
	slow := event("output", "TestSlow", "HOSTLER_WALK_SEED=77\n") + event("fail", "TestSlow/walk", "") + event("fail", "TestSlow", "")
	for name, c := range map[string]struct{ events, repeat, again, end string }{
		"passes alone": {begun + slow + event("pass", "TestOther", "") + ended, "race\texample.com/hostler/job\tTestSlow\tHOSTLER_WALK_SEED=77\n",
			event("pass", "TestSlow", ""), "1 passed, 0 failed, 1 unsteady, 0 skipped"},
		"fails alone":    {begun + slow + ended, "race\texample.com/hostler/job\tTestSlow\tHOSTLER_WALK_SEED=77\n", event("fail", "TestSlow", ""), "2 failed"},
		"not run alone":  {begun + slow + ended, "race\texample.com/hostler/job\tTestSlow\tHOSTLER_WALK_SEED=77\n", event("skip", "TestSlow", ""), "2 failed"},
		"a race":         {begun + event("output", "TestSlow", "WARNING: DATA RACE\n") + slow + ended, "", "", "2 failed"},
		"a panic":        {begun + event("output", "", "panic: nil map\n") + slow + ended, "", "", "2 failed"},
		"without a test": {begun + event("output", "", "exit status 1\n") + ended, "", "", "1 failed"},
		"does not end":   {begun + event("pass", "TestOther", ""), "", "", "job did not end"},
		"too many": {begun + slow + slow + event("fail", "TestA", "") + event("fail", "TestB", "") + event("fail", "TestC", "") + event("fail", "TestD", "") +
			event("fail", "TestE", "") + ended, "", "", "9 failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, again := filepath.Join(dir, "log.race"), filepath.Join(dir, "log.again")
			for path, text := range map[string]string{file: c.events, again: c.again} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			repeat, err := exec.CommandContext(t.Context(), "python3", root+"/scripts/again.py", file).Output()
			if err != nil || string(repeat) != c.repeat {
				t.Errorf("repeated are %q, not %q (%v)", repeat, c.repeat, err)
			}
			said, err := exec.CommandContext(t.Context(), "python3", root+"/scripts/summary.py", file, again).Output()
			if !strings.Contains(string(said), c.end) || (err == nil) != strings.Contains(c.end, " 0 failed") {
				t.Errorf("the summary (%v) lacks %q:\n%s", err, c.end, said)
			}
		})
	}
}
