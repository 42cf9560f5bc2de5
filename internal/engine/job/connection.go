package job

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Values of connection_status.
const (
	Connecting   = "connecting" // it has never answered
	Connected    = "connected"
	Disconnected = "disconnected"
	KeyChanged   = "host-key-changed"
)

// contact is what an attempt to reach a server shows of its connection.
type contact int

const (
	// answered: its agent, or a login with a pinned host key.
	answered contact = iota
	// silent: it could not be reached, logged in to, or talked to.
	silent
	// stranger: what answers has another host key.
	stranger
)

// connections says what connection_status becomes, by what it is and what is learnt. Every status is known to be wrong once the server answers, as it proves
// its key with that. While another key is answered with, silence says nothing: the key is still to be compared by a person.
var connections = map[string]map[contact]string{
	Connecting:   {answered: Connected, silent: Disconnected, stranger: KeyChanged},
	Connected:    {answered: Connected, silent: Disconnected, stranger: KeyChanged},
	Disconnected: {answered: Connected, silent: Disconnected, stranger: KeyChanged},
	KeyChanged:   {answered: Connected, silent: KeyChanged, stranger: KeyChanged},
}

// contactOf returns what an error says of a connection; ok is false if it says nothing, as it is the panel's own.
func contactOf(err error) (of contact, ok bool) {
	switch {
	case err == nil:
		return answered, true
	case errors.Is(err, host.ErrHostKeyChanged):
		return stranger, true
	case host.Answered(err):
		return answered, true
	case host.Reason(err) != "":
		return silent, true
	}
	return silent, false
}

// learn records what was learnt of the connection to a server.
func (e *Engine) learn(ctx context.Context, server query.Server, of contact) error {
	now, err := e.db.Read().Ungranted().GetServer(ctx, server.ID)
	if errors.Is(err, db.ErrNotFound) || err == nil && (now.Revoked || becomes(now, of) == statusOf(now)) {
		return nil
	}
	if err == nil {
		err = e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.LockServer(ctx, server.ID); err != nil {
				return err
			}
			now, err := tx.Ungranted().GetServer(ctx, server.ID)
			if errors.Is(err, db.ErrNotFound) || err == nil && now.Revoked {
				return nil
			}
			if err != nil {
				return err
			}
			return record(ctx, tx, now, of)
		})
	}
	if err != nil {
		return fmt.Errorf("note connection of server %d: %w", server.ID, err)
	}
	return nil
}

// Answered records in a transaction that a server answered, or that its new host keys were confirmed.
func Answered(ctx context.Context, tx *db.Tx, server query.Server) error {
	if err := record(ctx, tx, server, answered); err != nil {
		return fmt.Errorf("note connection of server %d: %w", server.ID, err)
	}
	return nil
}

func record(ctx context.Context, tx *db.Tx, now query.Server, of contact) error {
	status := becomes(now, of)
	if status == statusOf(now) {
		return nil
	}
	return tx.SetServerConnection(ctx, now.ID, &status, tx.Micros())
}

func statusOf(s query.Server) string {
	if s.ConnectionStatus == nil {
		return ""
	}
	return *s.ConnectionStatus
}

func becomes(s query.Server, of contact) string {
	from, ok := connections[statusOf(s)]
	if !ok { // nothing is known
		from = connections[Connecting]
	}
	return from[of]
}
