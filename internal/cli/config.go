package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const defaultProfile = "default"

// profile is the stored login of one installation.
type profile struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	Org   string `json:"org,omitempty"`
	// Grant is set if the token came from signing in in the browser.
	Grant *grant `json:"grant,omitempty"`
}

// config is the file of all logins.
type config struct {
	Current  string             `json:"current"`
	Profiles map[string]profile `json:"profiles"`
}

func (c config) name(asked string) string {
	switch {
	case asked != "":
		return asked
	case c.Current != "":
		return c.Current
	default:
		return defaultProfile
	}
}

// configFile is the path of the stored logins, "" for none.
type configFile string

func (f configFile) read() (config, error) {
	c := config{Profiles: map[string]profile{}}
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
		c.Profiles = map[string]profile{}
	}
	return c, nil
}

// profile returns the login of this name, or the current one; zero if there is none and none was named.
func (f configFile) profile(name string) (profile, error) {
	c, err := f.read()
	if err != nil {
		return profile{}, err
	}
	p, ok := c.Profiles[c.name(name)]
	if !ok && name != "" {
		return p, exit(CodeForbidden, "no profile %q: create it with hostler login URL --profile %s", name, name)
	}
	return p, nil
}

// change reads the file, calls do to change it and writes it, readable only by its owner. It locks out other commands meanwhile.
func (f configFile) change(do func(c *config) error) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return f.write(do)
}

// write is change for a caller that has the lock.
func (f configFile) write(do func(c *config) error) error {
	c, err := f.read()
	if err != nil {
		return err
	}
	if err := do(&c); err != nil {
		return err
	}
	path := string(f)
	raw, err := json.MarshalIndent(c, "", "  ")
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
