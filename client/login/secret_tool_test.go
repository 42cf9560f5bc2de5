package login_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hostlerhq/hostler/client/login"
)

// A desktop's keyring takes the secrets of logins, by a real one on a session bus of the test's own.
func TestSecretTool(t *testing.T) {
	const inSession = "HOSTLER_TEST_IN_SESSION"
	if os.Getenv(inSession) == "" {
		for _, program := range []string{"secret-tool", "gnome-keyring-daemon", "dbus-run-session"} {
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("no %s here (apt-get install libsecret-tools gnome-keyring dbus)", program)
			}
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		home := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "dbus-run-session", "--", "sh", "-euc",
			`printf unlocked | gnome-keyring-daemon --unlock --components=secrets >/dev/null; exec "$0" -test.run '^TestSecretTool$' -test.v`, self)
		cmd.Env = append(os.Environ(), inSession+"=1", "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	ring := login.SystemKeys()
	if ring == nil {
		t.Fatal("the keyring of the session is not seen")
	}
	const secret = `{"token":"hostler_pat_work","refresh":"a 'b' \"c\""}`
	if text, err := ring.Get("hostler", "work"); err == nil {
		t.Errorf("an empty keyring has %q", text)
	}
	for _, text := range []string{"first", secret} {
		if err := ring.Set("hostler", "work", text); err != nil {
			t.Fatal(err)
		}
	}
	if err := ring.Set("hostler", "home", "another"); err != nil {
		t.Fatal(err)
	}
	if text, err := ring.Get("hostler", "work"); err != nil || text != secret {
		t.Errorf("%q, %v", text, err)
	}
	if err := ring.Delete("hostler", "work"); err != nil {
		t.Error(err)
	}
	if text, err := ring.Get("hostler", "work"); err == nil {
		t.Errorf("what is deleted is %q", text)
	}
	if text, err := ring.Get("hostler", "home"); err != nil || text != "another" {
		t.Errorf("another login is %q, %v", text, err)
	}
}
