package secret

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Key names one key of the master key file without revealing anything of it.
type Key struct {
	// ID stands at the beginning of each value that is sealed with the key.
	ID uint32
	// Fingerprint is a digest of the key, 16 hexadecimal digits: ids alone could be equal.
	Fingerprint string
}

func (k Key) String() string { return fmt.Sprintf("%d:%s", k.ID, k.Fingerprint) }

// ParseKey reads what Key.String writes.
func ParseKey(text string) (Key, error) {
	number, fingerprint, ok := strings.Cut(text, ":")
	id, err := strconv.ParseUint(number, 10, 32)
	if !ok || err != nil || fingerprint == "" {
		return Key{}, fmt.Errorf("read key %q: it is no id with a fingerprint", text)
	}
	return Key{uint32(id), fingerprint}, nil
}

// MarshalText and UnmarshalText make a Key the text that String writes.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Key) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKey(string(text))
	return err
}

// prefixLength is the length of what a sealed value begins with: 1, and the id of its key (Tink's wire format).
const prefixLength = 5

// Prefix is what every value begins with that is sealed with the key.
func (k Key) Prefix() []byte { return binary.BigEndian.AppendUint32([]byte{1}, k.ID) }

// Sealed reports whether a value is sealed with the key.
func (k Key) Sealed(value []byte) bool {
	return len(value) > prefixLength && bytes.Equal(value[:prefixLength], k.Prefix())
}

// Box seals and opens values under the master key: a set of keys (AES-256-GCM), of which the primary one seals.
type Box struct {
	aead    tink.AEAD
	keys    []Key
	primary Key
}

// Keys are the keys of the set.
func (b *Box) Keys() []Key { return slices.Clone(b.keys) }

// Primary is the key that values are sealed with.
func (b *Box) Primary() Key { return b.primary }

// NewKey makes a fresh master key, as the content of a key file.
func NewKey() ([]byte, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("make master key: %w", err)
	}
	return encode(handle)
}

func encode(handle *keyset.Handle) ([]byte, error) {
	var out bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&out)); err != nil {
		return nil, fmt.Errorf("write master key: %w", err)
	}
	return out.Bytes(), nil
}

// NewBox reads the content of a key file.
func NewBox(file []byte) (*Box, error) {
	set, err := keyset.NewJSONReader(bytes.NewReader(file)).Read()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(file)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	b := &Box{aead: primitive}
	for _, k := range set.GetKey() {
		if k.GetStatus() != tinkpb.KeyStatusType_ENABLED || k.GetOutputPrefixType() != tinkpb.OutputPrefixType_TINK {
			return nil, fmt.Errorf("%w: key %d is disabled, or its values would not name it", ErrKeyFile, k.GetKeyId())
		}
		key := Key{k.GetKeyId(), digest("hostler master key", k.GetKeyData().GetValue())}
		if b.keys = append(b.keys, key); key.ID == set.GetPrimaryKeyId() {
			b.primary = key
		}
	}
	return b, nil
}

func digest(what string, of []byte) string {
	sum := sha256.Sum256(append([]byte(what+"\x00"), of...))
	return hex.EncodeToString(sum[:8])
}

// OpenBox reads the key file at path. Where there is none and create is set, it makes one with mode 0600.
func OpenBox(path string, create bool) (*Box, error) {
	file, err := readKeyFile(path)
	if errors.Is(err, fs.ErrNotExist) && create {
		if file, err = NewKey(); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("make directory of the master key: %w", err)
		}
		if err := writeSynced(path, os.O_EXCL, file); err != nil {
			return nil, fmt.Errorf("write master key: %w", err)
		}
	} else if err != nil {
		return nil, err
	}
	return NewBox(file)
}

func readKeyFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s has mode %04o, it must be 0600", ErrKeyPerms, path, info.Mode().Perm())
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	return file, nil
}

// AddKey adds a new key to the file at path and makes it the primary one. The file is replaced as a whole, or not at all.
func AddKey(path string) error {
	return change(path, func(m *keyset.Manager) error {
		id, err := m.Add(aead.AES256GCMKeyTemplate())
		if err != nil {
			return err
		}
		return m.SetPrimary(id)
	})
}

// RemoveKey removes a key from the file at path; values sealed with it can no longer be opened with the file. ErrPrimary for the primary key. A key that is not
// in the file is removed already.
func RemoveKey(path string, k Key) error {
	b, err := OpenBox(path, false)
	switch {
	case err != nil:
		return err
	case b.primary == k:
		return ErrPrimary
	case !slices.Contains(b.keys, k):
		return nil
	}
	return change(path, func(m *keyset.Manager) error { return m.Delete(k.ID) })
}

func change(path string, f func(*keyset.Manager) error) error {
	path, err := filepath.EvalSymlinks(path) // a link stays one
	if err != nil {
		return fmt.Errorf("read master key: %w", err)
	}
	file, err := readKeyFile(path)
	if err != nil {
		return err
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(file)))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	m := keyset.NewManagerFromHandle(handle)
	if err := f(m); err != nil {
		return fmt.Errorf("change the master key: %w", err)
	}
	if handle, err = m.Handle(); err != nil {
		return fmt.Errorf("change the master key: %w", err)
	}
	if file, err = encode(handle); err != nil {
		return err
	}
	fresh := path + ".new" // of a program that was killed there may be one already
	if err = writeSynced(fresh, os.O_TRUNC, file); err == nil {
		if err = os.Rename(fresh, path); err == nil {
			err = syncDir(filepath.Dir(path))
		}
	}
	if err != nil {
		return fmt.Errorf("write master key: %w", err)
	}
	return nil
}

func writeSynced(path string, flag int, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
