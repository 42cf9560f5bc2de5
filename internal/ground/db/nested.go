package db

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// A transaction never needs a second connection: with as many transactions as connections, each of them would wait for the others. What a function reads
// outside of transactions, it reads in the transaction of its context, and a second transaction is refused.

type keyTx struct{}

// txOf returns the transaction of a context, nil without one or after its end.
func (d *DB) txOf(ctx context.Context) *Tx {
	if tx, ok := ctx.Value(keyTx{}).(*Tx); ok && tx.db == d && tx.running.Load() {
		return tx
	}
	return nil
}

// held knows which goroutines hold a connection in a transaction. A function that lost the context of its transaction is found by it, in tests: looking for
// the number of the goroutine takes a microsecond.
type held struct {
	on atomic.Bool
	by sync.Map // number of the goroutine: true
}

// ForbidNested makes a request for a connection panic in a goroutine that holds another in a transaction. Tests call it.
func (d *DB) ForbidNested() { d.held.on.Store(true) }

func (h *held) take() (end func()) {
	if !h.on.Load() {
		return func() {}
	}
	id := goroutine()
	h.by.Store(id, true)
	return func() { h.by.Delete(id) }
}

func (h *held) check() {
	if !h.on.Load() {
		return
	}
	if _, holds := h.by.Load(goroutine()); holds {
		panic("a transaction asks for a second connection")
	}
}

// goroutine returns the number of this goroutine: a stack begins with "goroutine 7 [running]".
func goroutine() uint64 {
	var buf [40]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	id, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return id
}
