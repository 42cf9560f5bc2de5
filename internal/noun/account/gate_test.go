package account

import (
	"context"
	"errors"
	"testing"
)

// Order of waiting: one request of a network at a time, and a person who is known there ahead of all of them.
func TestGate(t *testing.T) {
	t.Parallel()
	g, ctx := newGate(), context.Background()
	inside, release, done := make(chan string), make(chan struct{}), make(chan error)
	hold := func(network string, known bool) {
		go func() {
			done <- g.pass(ctx, network, known, func() error {
				inside <- network
				<-release
				return nil
			})
		}()
	}
	for range 20 {
		hold("flood", false)
	}
	if got := <-inside; got != "flood" {
		t.Fatalf("%s came in", got)
	}
	hold("right", false) // the second place is free, however many of the flood wait
	if got := <-inside; got != "right" {
		t.Fatalf("%s came in", got)
	}
	hold("known", true) // no place is free but the one that is kept
	if got := <-inside; got != "known" {
		t.Fatalf("%s came in", got)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := g.pass(gone, "flood", false, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("who left was told %v", err)
	}
	go func() {
		for range inside {
		}
	}()
	close(release)
	for range 22 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	close(inside)
	if len(g.lanes) != 0 {
		t.Errorf("%d lanes are left", len(g.lanes))
	}
}
