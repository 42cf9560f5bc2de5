package job

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func TestStatesOfAConnection(t *testing.T) {
	t.Parallel()
	for _, from := range []string{Connecting, Connected, Disconnected, KeyChanged} {
		to := connections[from]
		if to[answered] != Connected {
			t.Errorf("%s: a server that answers is %q", from, to[answered])
		}
		if to[stranger] != KeyChanged {
			t.Errorf("%s: one with another key is %q", from, to[stranger])
		}
		want := Disconnected
		if from == KeyChanged { // silence does not say that the key is right again
			want = KeyChanged
		}
		if to[silent] != want {
			t.Errorf("%s: one that is silent is %q", from, to[silent])
		}
	}
	wrap := func(err error) error { return fmt.Errorf("run x: %w", err) }
	for _, test := range []struct {
		err error
		of  contact
		ok  bool
	}{
		{nil, answered, true},
		{wrap(&host.HostKeyChangedError{}), stranger, true},
		{wrap(&wire.Error{Code: wire.ErrFenced, Message: "fenced"}), answered, true},
		{wrap(&host.Error{Kind: host.ErrUnreachable, Reason: "no route"}), silent, true},
		{wrap(&host.Error{Kind: host.ErrAuth, Reason: "key refused"}), silent, true},
		{errors.New("the database is locked"), silent, false},
		{context.Canceled, silent, false},
	} {
		if of, ok := contactOf(test.err); of != test.of || ok != test.ok {
			t.Errorf("%v says %d, %t", test.err, of, ok)
		}
	}
}
