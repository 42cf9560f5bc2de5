package agent

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
)

// accountsPath returns the record of the accounts that this agent created, a name per line. It outlives Hostler's removal from the host.
func (a *Agent) accountsPath() string { return filepath.Join(a.state, "accounts.jsonl") }

type madeAccount struct {
	Name string `json:"name"`
}

// ownAccount refuses an account that existed before, and a group that a new account would join because it has the same name.
func (a *Agent) ownAccount(name string, found bool) error {
	made := false
	if err := durable.ReadLines(a.accountsPath(), func(m madeAccount) { made = made || m.Name == name }); err != nil {
		return fmt.Errorf("read which accounts are ours: %w", err)
	}
	if made {
		return nil
	}
	if found {
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
	made := false
	err := durable.ReadLines(a.accountsPath(), func(m madeAccount) { made = made || m.Name == name })
	if err != nil || made {
		return err
	}
	return durable.Append(a.accountsPath(), madeAccount{Name: name})
}
