// Package login signs a machine in to installations, and keeps its logins in a file that only its owner can read. Programs can use the logins of the command
// line: File.Client returns a client for one of them, which renews its access token.
package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/hostlerhq/hostler/client"
)

// DefaultProfile is the name of a login that was given none.
const DefaultProfile = "default"

// Profile is the stored login of one installation.
type Profile struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	Org   string `json:"org,omitempty"`
	// InKeyring is set in a file whose login has its secrets in the system's keyring.
	InKeyring bool `json:"in_keyring,omitempty"`
	// Grant is set if the token came from signing in in the browser.
	Grant *Grant `json:"grant,omitempty"`
}

// Logins are all logins of a machine, by name. Current is the name of the latest.
type Logins struct {
	Current  string             `json:"current"`
	Profiles map[string]Profile `json:"profiles"`
}

// Name returns the name of the login that is asked for: the current one for "".
func (c Logins) Name(asked string) string {
	switch {
	case asked != "":
		return asked
	case c.Current != "":
		return c.Current
	default:
		return DefaultProfile
	}
}

// File is the path of the stored logins, "" for none.
type File string

// DefaultFile returns the file that the command line uses, "" without a home directory.
func DefaultFile() File {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return File(filepath.Join(dir, "hostler", "config.json"))
}

// Read returns the logins, none if there is no file.
func (f File) Read() (Logins, error) {
	c := Logins{Profiles: map[string]Profile{}}
	if f == "" {
		return c, nil
	}
	raw, err := os.ReadFile(string(f))
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the configuration: %w", err)
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("read the configuration %s: %w", f, err)
	}
	if c.Profiles == nil {
		c.Profiles = map[string]Profile{}
	}
	c.fetch()
	return c, nil
}

// Profile returns the login of this name, or the current one; zero if there is none and none was named.
func (f File) Profile(name string) (Profile, error) {
	c, err := f.Read()
	if err != nil {
		return Profile{}, err
	}
	p, ok := c.Profiles[c.Name(name)]
	if !ok && name != "" {
		return p, because(ErrSignedOut, "no profile %q: create it with hostler login URL --profile %s", name, name)
	}
	return p, nil
}

// Change reads the file, calls do to change it and writes it, readable only by its owner. It locks out other commands meanwhile.
func (f File) Change(do func(c *Logins) error) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return f.write(do)
}

// write is Change for a caller that has the lock.
func (f File) write(do func(c *Logins) error) error {
	c, err := f.Read()
	if err != nil {
		return err
	}
	before := Logins{Profiles: maps.Clone(c.Profiles)}
	if err := do(&c); err != nil {
		return err
	}
	path := string(f)
	raw, err := json.MarshalIndent(c.store(before), "", "  ")
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".config-*") // 0600
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = temp.Write(append(raw, '\n'))
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// lock locks the file of logins until unlock.
func (f File) lock() (unlock func(), err error) {
	if f == "" {
		return nil, errors.New("write the configuration: neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	l, err := os.OpenFile(string(f)+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the configuration: %w", err)
	}
	if err := lockFile(l); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("lock the configuration: %w", err)
	}
	return func() { _ = l.Close() }, nil // which unlocks
}

// Client returns a client for the installation of a login, the current one for "", and its organization. It renews an access token before its end.
func (f File) Client(name string) (c *client.Client, organization string, err error) {
	all, err := f.Read()
	if err != nil {
		return nil, "", err
	}
	name = all.Name(name)
	p, ok := all.Profiles[name]
	if !ok {
		return nil, "", because(ErrSignedOut, "no profile %q: create it with hostler login URL --profile %s", name, name)
	}
	c, err = client.NewFrom(p.URL, func(ctx context.Context) (string, error) { return f.Token(ctx, name) })
	return c, p.Org, err
}
