package login

import (
	"encoding/json"
)

// Keyring keeps secrets of a person outside of files: the keyring of a system that has one.
type Keyring interface {
	// Get returns a secret. Set puts one in the place of what was there, and Delete removes it.
	Get(service, name string) (string, error)
	Set(service, name, secret string) error
	Delete(service, name string) error
}

// Keys keeps the secrets of logins in place of their file, which only says that they are there; nil for none. A program sets it before it reads a login. What
// it does not take, since it is locked or has no room, stays in the file.
var Keys Keyring

// service is what the secrets of logins stand under in a keyring.
const service = "hostler"

// kept are the secrets of a login.
type kept struct {
	Token   string `json:"token"`
	Refresh string `json:"refresh,omitempty"`
}

// secrets returns the secrets of a login as text, "" if it has none.
func (p Profile) secrets() string {
	k := kept{Token: p.Token}
	if p.Grant != nil {
		k.Refresh = p.Grant.Refresh
	}
	if k == (kept{}) {
		return ""
	}
	raw, err := json.Marshal(k)
	if err != nil {
		return ""
	}
	return string(raw)
}

// with returns a login with these secrets in the places of its own.
func (p Profile) with(k kept) Profile {
	p.Token = k.Token
	if p.Grant != nil {
		own := *p.Grant
		own.Refresh = k.Refresh
		p.Grant = &own
	}
	return p
}

// fetch puts the secrets that are in the keyring into logins. One whose secrets are not there has none.
func (c Logins) fetch() {
	for name, p := range c.Profiles {
		if !p.InKeyring || Keys == nil {
			continue
		}
		var k kept
		if text, err := Keys.Get(service, name); err == nil && json.Unmarshal([]byte(text), &k) == nil {
			c.Profiles[name] = p.with(k)
		}
	}
}

// store puts the secrets of logins into the keyring, and returns the logins as the file has them. before are those that it had.
func (c Logins) store(before Logins) Logins {
	if Keys == nil {
		return c
	}
	out := Logins{Current: c.Current, Profiles: make(map[string]Profile, len(c.Profiles))}
	for name, p := range c.Profiles {
		old := before.Profiles[name]
		text := p.secrets()
		if text == "" && p.InKeyring { // a locked keyring has not shown them
			out.Profiles[name] = p
			continue
		}
		p.InKeyring = text != "" && (old.InKeyring && old.secrets() == text || Keys.Set(service, name, text) == nil)
		if p.InKeyring {
			p = p.with(kept{})
		}
		out.Profiles[name] = p
	}
	for name, old := range before.Profiles {
		if old.InKeyring && !out.Profiles[name].InKeyring {
			_ = Keys.Delete(service, name) // it is signed out; what stays is revoked, or of no use
		}
	}
	return out
}
