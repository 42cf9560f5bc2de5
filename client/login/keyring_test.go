package login_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/client/login"
)

// ring is a keyring in memory; one that is locked takes and gives nothing.
type ring struct {
	secrets map[string]string
	locked  bool
}

var errLocked = errors.New("locked")

func (r *ring) Get(service, name string) (string, error) {
	if text, is := r.secrets[service+" "+name]; is && !r.locked {
		return text, nil
	}
	return "", errLocked
}

func (r *ring) Set(service, name, secret string) error {
	if r.locked {
		return errLocked
	}
	r.secrets[service+" "+name] = secret
	return nil
}

func (r *ring) Delete(service, name string) error {
	delete(r.secrets, service+" "+name)
	return nil
}

// Where there is a keyring, no file has a token; where it takes none, the file does, as without one. What was kept in the file before goes into the keyring
// with the next change, and a login that is removed is removed from there.
func TestSecretsAreInTheKeyring(t *testing.T) {
	r := &ring{secrets: map[string]string{}}
	t.Cleanup(func() { login.Keys = nil })
	f := login.File(filepath.Join(t.TempDir(), "config.json"))
	change := func(do func(c *login.Logins)) {
		t.Helper()
		if err := f.Change(func(c *login.Logins) error { do(c); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	written := func() string {
		t.Helper()
		raw, err := os.ReadFile(string(f))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	work := login.Profile{URL: "https://panel.example", Token: "hostler_pat_work", Org: "acme"}
	home := login.Profile{URL: "https://home.example", Token: "hostler_oat_home",
		Grant: &login.Grant{Refresh: "hostler_ort_home", TokenURL: "https://home.example/oauth/token"}}
	change(func(c *login.Logins) { c.Profiles["work"] = work })
	if !strings.Contains(written(), work.Token) {
		t.Fatalf("without a keyring the file is %s", written())
	}
	login.Keys = r
	change(func(c *login.Logins) { c.Profiles["home"] = home })
	if text := written(); strings.Contains(text, "hostler_") || len(r.secrets) != 2 {
		t.Errorf("the file has a secret, or the keyring lacks one (%d): %s", len(r.secrets), text)
	}
	got, err := f.Read()
	if err != nil || got.Profiles["work"].Token != work.Token || got.Profiles["home"].Token != home.Token ||
		got.Profiles["home"].Grant.Refresh != home.Grant.Refresh {
		t.Errorf("read are %+v, %v", got, err)
	}

	r.locked = true
	if _, err := f.Token(t.Context(), "work"); !errors.Is(err, login.ErrSignedOut) || !strings.Contains(err.Error(), "hostler login https://panel.example") {
		t.Errorf("with a locked keyring: %v", err)
	}
	change(func(c *login.Logins) {
		c.Profiles["new"] = login.Profile{URL: "https://new.example", Token: "hostler_pat_new"}
	})
	if text := written(); !strings.Contains(text, "hostler_pat_new") || strings.Contains(text, work.Token) {
		t.Errorf("with a locked keyring the file is %s", text)
	}
	r.locked = false
	if got, err = f.Read(); err != nil || got.Profiles["work"].Token != work.Token {
		t.Errorf("what a locked keyring did not show is lost: %+v, %v", got, err)
	}
	change(func(c *login.Logins) { delete(c.Profiles, "home") })
	if _, is := r.secrets["hostler home"]; is || len(r.secrets) != 2 || strings.Contains(written(), "hostler_") {
		t.Errorf("after a login was removed the keyring has %d secrets, and the file is %s", len(r.secrets), written())
	}
}
