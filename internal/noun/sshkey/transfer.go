package sshkey

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists the SSH keys by which people enter the server.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "ssh_keys", func(r query.SSHKey) transfer.Item {
		return transfer.Of(transfer.Reaches, "sshKeys", r.ID, r.Name, "This SSH key can log in as "+r.UnixUser+" until it is removed.")
	}, l.Here())
}
