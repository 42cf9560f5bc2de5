package site

import (
	"context"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// The ports of the caches of accounts: two for each slot, below those that the kernel gives to connections.
const (
	firstCachePort = 30000
	lastCachePort  = 31999
	cachesEach     = 2
)

// ReservedPort reports whether a port is one that no program of a site may be given: that of a service, or of an account's caches.
func ReservedPort(port int64) bool {
	return slices.Contains(knownPorts, port) || port >= firstCachePort && port <= lastCachePort
}

// claimAccount records the account of an isolated site as created by Hostler, unless it is already recorded, and returns its slot.
func claimAccount(ctx context.Context, tx *db.Tx, f api.Fields, row query.Site) (*int64, error) {
	if !row.Isolated {
		return nil, nil
	}
	accounts, err := tx.ListUnixAccounts(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	ports, err := tx.ListServerPorts(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("list ports of sites: %w", err)
	}
	taken := map[int64]bool{}
	for _, a := range accounts {
		if a.Name == row.UnixUser {
			return &a.Slot, nil
		}
		taken[a.Slot] = true
	}
	for _, port := range ports {
		if port >= firstCachePort {
			taken[(port-firstCachePort)/cachesEach] = true
		}
	}
	slot := int64(0)
	for taken[slot] {
		slot++
	}
	if firstCachePort+slot*cachesEach >= lastCachePort {
		f.Add("isolated_user", "There are too many accounts on this server.")
		return nil, f.Err()
	}
	if _, err := tx.InsertUnixAccount(ctx, row.ServerID, row.UnixUser, slot, tx.Micros()); err != nil {
		return nil, fmt.Errorf("note account %s: %w", row.UnixUser, err)
	}
	return &slot, nil
}

// CachePorts returns the first and the last port of the caches of the account with a slot.
func CachePorts(slot int64) (first, last int64) {
	first = firstCachePort + slot*cachesEach
	return first, first + cachesEach - 1
}
