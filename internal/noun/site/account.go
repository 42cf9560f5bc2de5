package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
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
	all, err := tx.ListServerSites(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("list sites of account %s: %w", row.UnixUser, err)
	}
	mates := slices.DeleteFunc(all, func(s query.Site) bool { return s.ID == row.ID || !s.Isolated || s.UnixUser != row.UnixUser })
	if len(mates) > 0 && !slices.ContainsFunc(mates, func(s query.Site) bool { return s.Status != StatusUninstalling }) {
		return nil, api.Conflict("The account %s is being removed with its last site. Try again when that is done.", row.UnixUser)
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

// nameAccount returns a name for the account of a site that no site of the server has: its domain's, as accounts can be named.
func nameAccount(ctx context.Context, tx *db.Tx, s query.Server, domain string) (string, error) {
	accounts, err := tx.ListUnixAccounts(ctx, s)
	if err != nil {
		return "", fmt.Errorf("list accounts: %w", err)
	}
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, domain)
	base = strings.Trim(value.Prefix(strings.TrimLeft(base, "0123456789-"), maxNamed), "-")
	for n := 1; ; n++ {
		name := base
		if n > 1 || name == "" {
			name = fmt.Sprintf("%s-%d", cmp.Or(base, "site"), n)
		}
		user, err := value.ParseUnixUser(name)
		if err != nil {
			return "", fmt.Errorf("name the account of %s: %w", domain, err)
		}
		if !user.IsReserved() && !slices.ContainsFunc(accounts, func(a query.UnixAccount) bool { return a.Name == name }) {
			return name, nil
		}
	}
}

// maxNamed is how much of a domain becomes the name of an account, which has at most 32 characters; a number may follow.
const maxNamed = 26

// CachePorts returns the first and the last port of the caches of the account with a slot.
func CachePorts(slot int64) (first, last int64) {
	first = firstCachePort + slot*cachesEach
	return first, first + cachesEach - 1
}
