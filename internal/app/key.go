package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// ErrMasterKey is returned when the master key is not the one that the database was made with.
var ErrMasterKey = errors.New("the master key is not the one of this database")

// openBox opens the master key that belongs to the database, and with it brings the schema up to date: a database without a key of its own is not
// touched. A new database gets a new key.
func openBox(ctx context.Context, c Config, d *db.DB) (*secret.Box, error) {
	known, err := knownKeys(ctx, d)
	if err != nil {
		return nil, err
	}
	box, err := secret.OpenBox(c.KeyFile(), len(known) == 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s does not exist; restore the key file that belongs to this database", ErrMasterKey, c.KeyFile())
	}
	if err != nil {
		return nil, err
	}
	if err := known.in(box, c.KeyFile()); err != nil {
		return nil, err
	}
	if err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	return box, d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return nameKey(ctx, tx, box.Primary()) })
}

// settingMasterKeys lists the keys that values of the database may be sealed with, by id and fingerprint. Before migration 1, settingKeyFile named the whole
// file.
const (
	settingMasterKeys = "master_keys"
	settingKeyFile    = "master_key_fingerprint"
)

// keys are those that values of a database may be sealed with.
type keys []secret.Key

// knownKeys returns the keys that the database names, none for a new one.
func knownKeys(ctx context.Context, d *db.DB) (keys, error) {
	text, err := d.Setting(ctx, settingMasterKeys)
	if err == nil {
		return parseKeys(text)
	}
	if errors.Is(err, db.ErrNotFound) {
		if _, err = d.Setting(ctx, settingKeyFile); err == nil {
			return nil, db.ErrTooOld
		}
	}
	if !errors.Is(err, db.ErrNotFound) {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return nil, nil
}

// in returns ErrMasterKey unless all of the keys are in the box that was opened at path.
func (k keys) in(box *secret.Box, path string) error {
	missing := slices.DeleteFunc(slices.Clone(k), func(key secret.Key) bool { return slices.Contains(box.Keys(), key) })
	if len(missing) > 0 {
		return fmt.Errorf("%w: it needs the key %s, and %s holds the key %s", ErrMasterKey, keysText(missing), path, keysText(box.Keys()))
	}
	return nil
}

func parseKeys(text string) ([]secret.Key, error) {
	var out []secret.Key
	for field := range strings.FieldsSeq(text) {
		key, err := secret.ParseKey(field)
		if err != nil {
			return nil, fmt.Errorf("read settings: %w", err)
		}
		out = append(out, key)
	}
	return out, nil
}

func keysText(keys []secret.Key) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = k.String()
	}
	return strings.Join(texts, " ")
}

// nameKey lists a key among those of the database. Nothing is sealed with a key before.
func nameKey(ctx context.Context, tx *db.Tx, key secret.Key) error {
	return changeKeys(ctx, tx, func(list []secret.Key) []secret.Key {
		if slices.Contains(list, key) {
			return list
		}
		return append(list, key)
	})
}

func changeKeys(ctx context.Context, tx *db.Tx, f func([]secret.Key) []secret.Key) error {
	was, err := tx.Ungranted().GetSetting(ctx, settingMasterKeys)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("read settings: %w", err)
	}
	list, err := parseKeys(was)
	if err != nil {
		return err
	}
	if text := keysText(f(list)); text != was {
		if err := tx.PutSetting(ctx, settingMasterKeys, text); err != nil {
			return fmt.Errorf("name the master key: %w", err)
		}
	}
	return nil
}
