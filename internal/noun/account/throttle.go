package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// throttleWindow is how long failures count, and the longest wait.
const throttleWindow = 15 * time.Minute

// How many failures within the window are allowed. Further attempts are refused before anything about the account is read, so
// that a flood costs next to nothing and reveals nothing.
const (
	failuresHere    = 5   // of one account from one address
	failuresAddress = 50  // from one address
	failuresAccount = 100 // of one account, from addresses that it was never signed in from
)

// limit is one counter.
type limit struct {
	name string
	most int64
	// unless lifts it, for a person who has signed in here before.
	unless func(ctx context.Context) (bool, error)
}

// throttle counts failures. Its counters are named by digests and exist for unknown accounts as well.
type throttle struct{ db *db.DB }

// limits are the counters of one attempt.
type limits struct {
	here    limit // of the account from the address
	address limit
	account limit
}

func (l limits) all() []limit { return []limit{l.here, l.address, l.account} }

// limitsOf returns the counters of an attempt on an account, or on anything else that has a name.
func limitsOf(ctx context.Context, d *db.DB, name string) limits {
	address, network := api.ClientAddress(ctx), api.ClientNetwork(ctx)
	known := func(ctx context.Context) (bool, error) {
		user, err := d.Read().Ungranted().GetUserByEmail(ctx, name)
		if errors.Is(err, db.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		n, err := d.Read().CountSessionsFrom(ctx, user, address)
		return n > 0, err
	}
	return limits{
		here:    limit{name: secret.Hash("here\x00" + name + "\x00" + network), most: failuresHere},
		address: limit{name: secret.Hash("address\x00" + network), most: failuresAddress},
		account: limit{name: secret.Hash("account\x00" + name), most: failuresAccount, unless: known},
	}
}

// check returns a 429 while one of the limits is reached.
func (t throttle) check(ctx context.Context, limits ...limit) error {
	now := t.db.Clock.Now()
	for _, l := range limits {
		row, err := t.db.Read().Ungranted().GetThrottle(ctx, l.name)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read failures: %w", err)
		}
		wait := time.UnixMicro(row.Since).Add(throttleWindow).Sub(now)
		if row.Failures < l.most || wait <= 0 {
			continue
		}
		if l.unless != nil {
			if lifted, err := l.unless(ctx); err != nil || lifted {
				if err != nil {
					return fmt.Errorf("read sessions: %w", err)
				}
				continue
			}
		}
		return &api.Error{
			Status: http.StatusTooManyRequests, Message: "Too many attempts. Try again later.",
			Header: http.Header{"Retry-After": {strconv.Itoa(int((wait + time.Second - 1) / time.Second))}},
		}
	}
	return nil
}

func (t throttle) fail(ctx context.Context, limits ...limit) error {
	return t.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, l := range limits {
			if err := tx.AddFailure(ctx, l.name, tx.Micros(), tx.Now.Add(-throttleWindow).UnixMicro()); err != nil {
				return fmt.Errorf("count failure: %w", err)
			}
		}
		return nil
	})
}

// guesses counts the wrong codes that a person has entered, from any address: no one else can add to it.
func guesses(user query.User) limit {
	return limit{name: secret.Hash("device\x00" + strconv.FormatInt(user.ID, 10)), most: failuresHere}
}

// MayGuess returns a 429 while a person has entered too many wrong codes. It is asked before a code is looked up: a right one is refused, too.
func (s *Sign) MayGuess(ctx context.Context, user query.User) error {
	return throttle{s.DB}.check(ctx, guesses(user))
}

// Guessed counts a wrong code that a person has entered.
func (s *Sign) Guessed(ctx context.Context, user query.User) error {
	return throttle{s.DB}.fail(ctx, guesses(user))
}
