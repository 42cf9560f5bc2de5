package agent

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
)

// accountsPath returns the record of the accounts that this agent created and removed, one per line. It outlives Hostler's removal from the host.
func (a *Agent) accountsPath() string { return filepath.Join(a.state, "accounts.jsonl") }

// madeAccount is a line of the record: an account was created, or, with its ids, is removed.
type madeAccount struct {
	Name    string `json:"name"`
	UID     int    `json:"uid,omitempty"`
	GID     int    `json:"gid,omitempty"`
	Retired bool   `json:"retired,omitempty"`
}

// madeAccounts are the newest lines of accounts by name, and the highest id that an account ever had.
func (a *Agent) madeAccounts() (by map[string]madeAccount, highest int, err error) {
	by = map[string]madeAccount{}
	err = durable.ReadLines(a.accountsPath(), func(m madeAccount) {
		by[m.Name] = m
		highest = max(highest, m.UID, m.GID)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read which accounts are ours: %w", err)
	}
	return by, highest, nil
}

// ownAccount refuses an account that existed before, and a group that a new account would join because it has the same name.
func (a *Agent) ownAccount(name string, found bool) error {
	made, _, err := a.madeAccounts()
	if err != nil {
		return err
	}
	m, known := made[name]
	switch {
	case known && m.Retired && found:
		return errors.New("is being removed from this server with its former site; retry that deletion first")
	case known && !m.Retired:
		return nil
	case found:
		return errors.New("existed on this server before and is not Hostler's; choose another name")
	}
	_, _, group, err := a.users.Group(name)
	if err == nil && group {
		return errors.New("has the name of a group that existed on this server before; choose another name")
	}
	return err
}

// claimAccount records that an account is ours before it is created: a crash in between leaves an unused name.
func (a *Agent) claimAccount(name string) error {
	made, _, err := a.madeAccounts()
	if m, known := made[name]; err != nil || known && !m.Retired {
		return err
	}
	return durable.Append(a.accountsPath(), madeAccount{Name: name})
}

// lastUser is the last id of regular accounts (UID_MAX of login.defs).
const lastUser = 59_999

// nextID returns an id for a new account that none has or ever had here: files that a removed account left somewhere must not become the new one's.
// useradd itself gives the id of the last account that was removed to the next one.
func (a *Agent) nextID() (int, error) {
	_, next, err := a.madeAccounts()
	if err != nil {
		return 0, err
	}
	next = max(next, passwd.FirstUser-1)
	used, err := a.users.IDs()
	if err != nil {
		return 0, err
	}
	groups, err := a.users.GroupIDs()
	if err != nil {
		return 0, err
	}
	for _, ids := range []map[string]bool{used, groups} {
		for id := range ids {
			if n, err := strconv.Atoi(id); err == nil && n <= lastUser {
				next = max(next, n)
			}
		}
	}
	if next >= lastUser {
		return 0, fmt.Errorf("no id between %d and %d is left that no account had before", passwd.FirstUser, lastUser)
	}
	return next + 1, nil
}
