package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Rollout puts what a newer Hostler sets up on servers that an older one set up: on one of each organization first, then on growing groups of it. A group
// begins when the one before it has succeeded.
type Rollout struct {
	// Version is the program's. With one that is no release nothing is rolled out.
	Version string
	// Hold prevents groups from beginning.
	Hold bool
	// Repair accepts the repair of a server, and returns its operation.
	Repair func(ctx context.Context, tx *db.Tx, server query.Server, description string) (operation int64, err error)
}

const (
	rolloutEvery = time.Minute
	// rolloutAtOnce is how many servers are compared in one round.
	rolloutAtOnce = 20
	// seenEvery is how often a version notes that it runs, and goneAfter how long an older one leaves the servers to a newer one that may still run as a replica.
	seenEvery, goneAfter = 5 * time.Minute, 15 * time.Minute
)

// rolloutSetting is the setting with the version that sets servers up. Followed by ":" and the id of a server it is the setting with what is known of that one.
const rolloutSetting = "rollout"

func rolloutOf(id int64) string { return rolloutSetting + ":" + strconv.FormatInt(id, 10) }

// release is the version that sets servers up now.
type release struct {
	Version string `json:"version"`
	// Since is when it began, and Seen when it was last seen running, in microseconds.
	Since int64 `json:"since"`
	Seen  int64 `json:"seen"`
	Hold  bool  `json:"hold,omitempty"`
}

// setUp is what is known of a server.
type setUp struct {
	// Version set it up last.
	Version string `json:"version"`
	// Next was compared with it, and differs from it by Differences, which are not drift.
	Next        string   `json:"next,omitempty"`
	Differences []string `json:"differences,omitempty"`
	// Changed is set if the server had been changed by hand by then: its repair is up to a person.
	Changed bool `json:"changed,omitempty"`
	// Operation applies the differences.
	Operation int64 `json:"operation,omitempty"`
}

// waits reports whether a server lacks what a version sets up.
func (s setUp) waits(version string) bool { return s.Version != version && s.Next == version }

func readRollout[T any](ctx context.Context, q *query.Granted, name string) (T, error) {
	var out T
	text, err := q.Ungranted().GetSetting(ctx, name)
	if errors.Is(err, db.ErrNotFound) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &out)
	}
	if err != nil {
		return out, fmt.Errorf("read a rollout: %w", err)
	}
	return out, nil
}

// readRollouts returns what is known of servers, by their ids.
func readRollouts(ctx context.Context, rows query.DBTX, servers []query.Server) (map[int64]setUp, error) {
	names := make([]any, len(servers))
	for i, server := range servers {
		names[i] = rolloutOf(server.ID)
	}
	found, err := db.All[query.Setting](ctx, rows, "settings", db.Equal("name", names...))
	if err != nil {
		return nil, fmt.Errorf("read rollouts: %w", err)
	}
	out := make(map[int64]setUp, len(found))
	for _, f := range found {
		var is setUp
		id, err := strconv.ParseInt(strings.TrimPrefix(f.Name, rolloutSetting+":"), 10, 64)
		if err == nil {
			err = json.Unmarshal([]byte(f.Value), &is)
		}
		if err != nil {
			return nil, fmt.Errorf("read rollouts: %w", err)
		}
		out[id] = is
	}
	return out, nil
}

func writeRollout(ctx context.Context, tx *db.Tx, name string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = tx.PutSetting(ctx, name, string(text))
	}
	if err != nil {
		return fmt.Errorf("note a rollout: %w", err)
	}
	return nil
}

// ours reports whether this program sets servers up, and since when. Of replicas of two versions it is the newer one.
func (e *Engine) ours(ctx context.Context) (release, bool, error) {
	r := e.rollout
	if !semver.IsValid(r.Version) || r.Repair == nil {
		return release{}, false, nil
	}
	now := e.db.Clock.Now().UnixMicro()
	known, err := readRollout[release](ctx, e.db.Read(), rolloutSetting)
	if err != nil {
		return known, false, err
	}
	next := release{Version: r.Version, Since: known.Since, Seen: now, Hold: r.Hold}
	switch older := known.Version != "" && semver.Compare(r.Version, known.Version) < 0; {
	case known.Version == r.Version && known.Hold == r.Hold && now-known.Seen < seenEvery.Microseconds():
		return known, true, nil
	case older && now-known.Seen < goneAfter.Microseconds():
		return known, false, nil
	case known.Version != r.Version:
		next.Since = now
	}
	return next, true, e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return writeRollout(ctx, tx, rolloutSetting, next) })
}

// keyOf identifies a difference. One that grows is another.
func keyOf(d wire.Difference) string {
	sum := sha256.Sum256([]byte(d.Diff))
	return d.Path + " " + d.What + " " + hex.EncodeToString(sum[:6])
}

// compareVersions notes how a server differs from what a version sets up, if that is not known yet.
func (e *Engine) compareVersions(ctx context.Context, server query.Server, version string) error {
	found, err := e.steadyDrift(ctx, server)
	if host.Reason(err) != "" || errors.Is(err, errUnsteady) {
		return nil // it is compared in a later round
	}
	if err != nil {
		return err
	}
	var keys []string
	for _, d := range found {
		if !d.Kept { // a repair does not change the others
			keys = append(keys, keyOf(d))
		}
	}
	target, err := e.targets.Target(server)
	if err != nil {
		return fmt.Errorf("compare versions: %w", err)
	}
	edited, err := e.fleet.Edited(ctx, target)
	if err != nil {
		return nil // it is compared in a later round
	}
	told, err := e.db.Read().Ungranted().GetSetting(ctx, driftOf+strconv.FormatInt(server.ID, 10))
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("compare versions: %w", err)
	}
	return e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, server.ID); err != nil {
			return err
		}
		is, err := readRollout[setUp](ctx, tx.Granted, rolloutOf(server.ID))
		if err != nil || is.Version == version || is.Next == version {
			return err
		}
		now := setUp{Version: is.Version, Next: version, Differences: keys, Changed: told != "" || server.EditedFiles != "" || len(edited) > 0}
		if len(keys) == 0 {
			now = setUp{Version: version}
		}
		return writeRollout(ctx, tx, rolloutOf(server.ID), now)
	})
}

// unmade returns the differences of a server that were made by hand, without those of a newer version. Until that is known, it is an error.
func (e *Engine) unmade(ctx context.Context, server query.Server, found []wire.Difference) ([]wire.Difference, error) {
	now, ours, err := e.ours(ctx)
	switch {
	case err != nil:
		return nil, err
	case !ours && now.Version != "": // a newer replica tells what differs
		return nil, errUnsteady
	case !ours:
		return found, nil
	}
	is, err := readRollout[setUp](ctx, e.db.Read(), rolloutOf(server.ID))
	switch {
	case err != nil || is.Version == now.Version || is.Changed:
		return found, err
	case is.Next != now.Version:
		return nil, errUnsteady
	}
	return slices.DeleteFunc(slices.Clone(found), func(d wire.Difference) bool { return slices.Contains(is.Differences, keyOf(d)) }), nil
}

// RolledOut notes in the transaction that settles it that an operation has set a server up with what the current version plans.
func RolledOut(ctx context.Context, tx *db.Tx, op query.Operation) error {
	now, err := readRollout[release](ctx, tx.Granted, rolloutSetting)
	if err != nil || now.Version == "" || op.CreatedAt < now.Since { // the version before may have planned it
		return err
	}
	is, err := readRollout[setUp](ctx, tx.Granted, rolloutOf(op.ServerID))
	if err != nil {
		return err
	}
	return writeRollout(ctx, tx, rolloutOf(op.ServerID), setUp{Version: now.Version, Next: is.Next, Operation: is.Operation})
}

// States of a server in a rollout.
type rolloutState int

const (
	rolloutNone    rolloutState = iota // it has what the version sets up
	rolloutDone                        // it got it in this rollout
	rolloutOpen                        // it is being applied
	rolloutFailed                      // that failed
	rolloutWaits                       // it is to be applied
	rolloutAway                        // the same, but the server can't be reached
	rolloutPersons                     // a person has to ask for its repair
	rolloutUnknown                     // it was not compared yet
)

// nextGroup returns the servers, by index, that are next: none while a group is open, or after one failed. Groups have 1, 2, 4, 8 servers and so on, one more
// than are done.
func nextGroup(states []rolloutState) []int {
	done := 0
	var waiting []int
	for i, s := range states {
		switch s {
		case rolloutOpen, rolloutFailed:
			return nil
		case rolloutDone:
			done++
		case rolloutWaits:
			waiting = append(waiting, i)
		}
	}
	return waiting[:min(len(waiting), done+1)]
}

// groupOf returns the number of the group that a waiting server will be in, from 1, and how many groups there are.
func groupOf(states []rolloutState, index int) (group, groups int) {
	order := []int{}
	for i, s := range states {
		if s == rolloutDone || s == rolloutOpen || s == rolloutFailed {
			order = append(order, i)
		}
	}
	for i, s := range states {
		if s == rolloutWaits || s == rolloutAway {
			order = append(order, i)
		}
	}
	number := func(n int) (g int) { // the n-th server, from 1
		for ; n > 0; g++ {
			n -= 1 << g
		}
		return g
	}
	return number(slices.Index(order, index) + 1), number(len(order))
}

// rolloutStates returns where each server is in the rollout of a version.
func rolloutStates(ctx context.Context, rows query.DBTX, version string, servers []query.Server) ([]rolloutState, map[int64]setUp, error) {
	known, err := readRollouts(ctx, rows, servers)
	if err != nil {
		return nil, nil, err
	}
	open, err := openRollouts(ctx, rows, known)
	if err != nil {
		return nil, nil, err
	}
	states := make([]rolloutState, len(servers))
	for i, server := range servers {
		switch is := known[server.ID]; {
		case is.Version == version && is.Next == version && is.Operation != 0:
			states[i] = rolloutDone
		case is.Version == version:
			states[i] = rolloutNone
		case is.Next != version:
			states[i] = rolloutUnknown
		case open[is.Operation]:
			states[i] = rolloutOpen
		case is.Operation != 0:
			states[i] = rolloutFailed
		case is.Changed:
			states[i] = rolloutPersons
		case server.ConnectionStatus == nil || *server.ConnectionStatus != Connected:
			states[i] = rolloutAway
		default:
			states[i] = rolloutWaits
		}
	}
	return states, known, nil
}

// openRollouts returns the operations of rollouts that have not ended.
func openRollouts(ctx context.Context, rows query.DBTX, known map[int64]setUp) (map[int64]bool, error) {
	var ids []any
	for _, is := range known {
		if is.Operation != 0 && is.Version != is.Next {
			ids = append(ids, is.Operation)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	operations, err := db.All[query.Operation](ctx, rows, "operations", db.Equal("id", ids...), db.Equal("state", StatePending, StateRunning))
	if err != nil {
		return nil, fmt.Errorf("read rollouts: %w", err)
	}
	open := make(map[int64]bool, len(operations))
	for _, op := range operations {
		open[op.ID] = true
	}
	return open, nil
}

// byOrganization returns the positions of servers, each organization's together.
func byOrganization(servers []query.Server) map[int64][]int {
	out := map[int64][]int{}
	for i, server := range servers {
		out[server.OrganizationID] = append(out[server.OrganizationID], i)
	}
	return out
}

func statesAt(states []rolloutState, at []int) []rolloutState {
	out := make([]rolloutState, len(at))
	for i, n := range at {
		out[i] = states[n]
	}
	return out
}

// rolledServers are the servers that rollouts are about.
func rolledServers(ctx context.Context, q query.DBTX, where ...db.Cond) ([]query.Server, error) {
	return db.All[query.Server](ctx, q, "servers", append(where, db.Equal("is_ready", true), db.Equal("revoked", false))...)
}

// RollOut compares servers with what this version sets up, and begins the next group.
func (e *Engine) RollOut(ctx context.Context) error {
	now, ours, err := e.ours(ctx)
	if err != nil || !ours {
		return err
	}
	servers, err := rolledServers(ctx, e.db.Reader())
	if err != nil {
		return err
	}
	states, _, err := rolloutStates(ctx, e.db.Reader(), now.Version, servers)
	if err != nil {
		return err
	}
	var unknown []query.Server
	for i, server := range servers {
		reached := server.ConnectionStatus != nil && *server.ConnectionStatus == Connected
		if states[i] == rolloutUnknown && reached && len(unknown) < rolloutAtOnce {
			unknown = append(unknown, server)
		}
	}
	errs := []error{each(ctx, unknown, func(ctx context.Context, server query.Server) error {
		return e.compareVersions(ctx, server, now.Version)
	})}
	if len(unknown) > 0 {
		if states, _, err = rolloutStates(ctx, e.db.Reader(), now.Version, servers); err != nil {
			return err
		}
	}
	if now.Hold {
		return errors.Join(errs...)
	}
	for _, at := range byOrganization(servers) {
		for _, n := range nextGroup(statesAt(states, at)) {
			if err := e.rollOutTo(ctx, servers[at[n]], now.Version); err != nil {
				errs = append(errs, fmt.Errorf("server %d: %w", servers[at[n]].ID, err))
			}
		}
	}
	return errors.Join(errs...)
}

// rollOutTo begins the repair of one server, unless another replica did.
func (e *Engine) rollOutTo(ctx context.Context, server query.Server, version string) error {
	return e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, server.ID); err != nil {
			return err
		}
		server, err := tx.GetServer(ctx, server)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("begin a rollout: %w", err)
		}
		is, err := readRollout[setUp](ctx, tx.Granted, rolloutOf(server.ID))
		if err != nil || !is.waits(version) || is.Operation != 0 {
			return err
		}
		if is.Operation, err = e.rollout.Repair(ctx, tx, server, "Applying what Hostler "+version+" sets up on "+server.Name); err != nil {
			return err
		}
		return writeRollout(ctx, tx, rolloutOf(server.ID), is)
	})
}

func counted(differences int) string {
	if differences == 1 {
		return "1 difference"
	}
	return strconv.Itoa(differences) + " differences"
}

// Outdated says of each server of an organization that lacks what the current version sets up when it gets it, and since when. Servers that are being
// repaired are not among them.
func Outdated(ctx context.Context, rows query.DBTX, q *query.Granted, organizations ...any) (texts map[int64]string, since int64, err error) {
	now, err := readRollout[release](ctx, q, rolloutSetting)
	if err != nil || now.Version == "" {
		return nil, 0, err
	}
	servers, err := rolledServers(ctx, rows, db.Equal("organization_id", organizations...))
	if err != nil {
		return nil, 0, err
	}
	states, known, err := rolloutStates(ctx, rows, now.Version, servers)
	if err != nil {
		return nil, 0, err
	}
	failed := slices.Contains(states, rolloutFailed)
	texts = map[int64]string{}
	for i, server := range servers {
		next := ""
		switch state := states[i]; {
		case state == rolloutFailed:
			next = "Applying it failed, and other servers wait for a repair of this one."
		case state == rolloutPersons:
			next = "Something else on the server was changed as well, so it waits until someone repairs the server."
		case state != rolloutWaits && state != rolloutAway:
			continue
		case now.Hold:
			next = "The setting hold-rollout keeps it back; a repair applies it to this server."
		case failed:
			next = "It waits because it failed on another server; a repair applies it to this server."
		case state == rolloutAway:
			next = "It is applied once the server can be reached."
		default:
			group, groups := groupOf(states, i)
			next = fmt.Sprintf("It is applied with group %d of %d.", group, groups)
		}
		texts[server.ID] = fmt.Sprintf("Hostler %s sets this server up differently (%s). %s", now.Version, counted(len(known[server.ID].Differences)), next)
	}
	return texts, now.Since, nil
}
