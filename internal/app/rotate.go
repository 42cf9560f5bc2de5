package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// resealed is how many values of a column are sealed once more in a transaction.
const resealed = 100

// ErrKeyInUse is returned for a key that values are sealed with.
var ErrKeyInUse = errors.New("values are sealed with this key")

// KeyUse is a key of the master key file and how many values are sealed with it.
type KeyUse struct {
	Key     secret.Key
	Primary bool
	Values  int
}

// MasterKeys returns the keys of the master key file. The panel may serve meanwhile.
func MasterKeys(ctx context.Context, c Config) ([]KeyUse, error) {
	s, err := OpenStore(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	var out []KeyUse
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, key := range s.Box.Keys() {
			found, err := sealedWith(ctx, tx, key)
			if err != nil {
				return err
			}
			use := KeyUse{Key: key, Primary: key == s.Box.Primary()}
			for _, n := range found {
				use.Values += n
			}
			out = append(out, use)
		}
		return db.ErrRollback
	})
	return out, err
}

// RotateMasterKey adds a new primary key to the master key file and seals all values once more with it. Where an earlier rotation was interrupted, it
// finishes that one. No panel may serve meanwhile. progress is called with the number of values sealed so far: once the key file is written, and after
// each transaction. It returns the primary key.
func RotateMasterKey(ctx context.Context, c Config, progress func(values int)) (secret.Key, error) {
	s, unlock, err := openAlone(ctx, c)
	if err != nil {
		return secret.Key{}, err
	}
	defer func() { unlock(); _ = s.Close() }()
	left, err := s.oldKeys(ctx)
	if err != nil {
		return secret.Key{}, err
	}
	if len(left) == 0 {
		left = []secret.Key{s.Box.Primary()}
		if err := secret.AddKey(c.KeyFile()); err != nil {
			return secret.Key{}, err
		}
		if s.Box, err = openBox(ctx, c, s.DB); err != nil {
			return secret.Key{}, err
		}
	}
	progress(0)
	values := 0
	for _, old := range left {
		if err := s.reseal(ctx, old, func(n int) { values += n; progress(values) }); err != nil {
			return secret.Key{}, err
		}
	}
	return s.Box.Primary(), nil
}

// RemoveMasterKey removes a key from the master key file that nothing is sealed with; ErrKeyInUse says what is. No panel may serve meanwhile.
func RemoveMasterKey(ctx context.Context, c Config, id uint32) error {
	s, unlock, err := openAlone(ctx, c)
	if err != nil {
		return err
	}
	defer func() { unlock(); _ = s.Close() }()
	i := slices.IndexFunc(s.Box.Keys(), func(k secret.Key) bool { return k.ID == id })
	if i < 0 {
		return fmt.Errorf("there is no key %d in %s", id, c.KeyFile())
	}
	key := s.Box.Keys()[i]
	if key == s.Box.Primary() {
		return fmt.Errorf("%w; rotate it first: hostler master-key rotate", secret.ErrPrimary)
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		found, err := sealedWith(ctx, tx, key)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("%w: %s; run: hostler master-key rotate", ErrKeyInUse, strings.Join(slices.Sorted(maps.Keys(found)), ", "))
		}
		return changeKeys(ctx, tx, func(list []secret.Key) []secret.Key {
			return slices.DeleteFunc(list, func(k secret.Key) bool { return k == key })
		})
	})
	if err != nil {
		return err
	}
	return secret.RemoveKey(c.KeyFile(), key)
}

// openAlone opens an installation that no panel serves, and keeps panels from serving it.
func openAlone(ctx context.Context, c Config) (*Store, func(), error) {
	s, err := OpenStore(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	unlock, err := s.lock(ctx, c, true)
	if err != nil {
		_ = s.Close()
		return nil, nil, fmt.Errorf("stop the panel first: %w", err)
	}
	if s.Box, err = openBox(ctx, c, s.DB); err != nil { // the key file may have changed before it was locked
		unlock()
		_ = s.Close()
		return nil, nil, err
	}
	return s, unlock, nil
}

// lock takes the installation for a panel, or alone. An embedded database has one panel, in PostgreSQL there may be several.
func (s *Store) lock(ctx context.Context, c Config, alone bool) (unlock func(), err error) {
	if s.DB.Dialect == db.SQLite {
		return lockData(c.DataDir)
	}
	unlock, ok, err := s.DB.LockPanel(ctx, alone)
	if err == nil && !ok {
		err = ErrLocked
	}
	return unlock, err
}

// ErrLocked is returned where a PostgreSQL database is in use in a way that excludes what was tried.
var ErrLocked = errors.New("another hostler uses this database: a panel serves it, or its master key is being rotated")

// oldKeys are the keys, other than the primary one, that something is sealed with.
func (s *Store) oldKeys(ctx context.Context) (out []secret.Key, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, key := range s.Box.Keys() {
			found, err := sealedWith(ctx, tx, key)
			if err != nil {
				return err
			}
			if key != s.Box.Primary() && len(found) > 0 {
				out = append(out, key)
			}
		}
		return db.ErrRollback
	})
	return out, err
}

// reseal seals all known values once more that are sealed with an old key, and fails where values are left that it does not know.
func (s *Store) reseal(ctx context.Context, old secret.Key, done func(n int)) error {
	var each []func(context.Context, *db.Tx) (int, error)
	for _, c := range sealedCells {
		each = append(each, func(ctx context.Context, tx *db.Tx) (int, error) { return c.reseal(ctx, tx, s.Box, old, resealed) })
	}
	for table := range specifications {
		each = append(each, func(ctx context.Context, tx *db.Tx) (int, error) {
			return resealSpecifications(ctx, tx, s.Box, old, table, resealed)
		})
	}
	for _, some := range each {
		for n := resealed; n == resealed; {
			err := s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
				n, err = some(ctx, tx)
				return err
			})
			if err != nil {
				return fmt.Errorf("rotate the master key: %w; all values still open, run it again", err)
			}
			if n > 0 {
				done(n)
			}
		}
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		found, err := sealedWith(ctx, tx, old)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("rotate the master key: %w %s: %s", ErrKeyInUse, old, strings.Join(slices.Sorted(maps.Keys(found)), ", "))
		}
		return db.ErrRollback
	})
}
