// Package secret seals what must not be readable in the database, and keeps secrets out of logs and documents.
package secret

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// String is a secret text. It prints as [redacted] wherever it is printed, logged or marshalled; Reveal returns the text.
type String string

const redacted = "[redacted]"

// Reveal returns the secret itself.
func (s String) Reveal() string { return string(s) }

func (String) String() string               { return redacted }
func (String) GoString() string             { return redacted }
func (String) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte(redacted)) }
func (String) MarshalText() ([]byte, error) { return []byte(redacted), nil }
func (String) LogValue() slog.Value         { return slog.StringValue(redacted) }

// Errors of opening sealed values and key files.
var (
	ErrSealed   = errors.New("the value was sealed with another master key, or for another row")
	ErrKeyFile  = errors.New("the master key file is not usable")
	ErrKeyPerms = errors.New("the master key file is readable by others than its owner")
)

// Place names the cell that a sealed value belongs to. A value that is moved to another cell does not open.
type Place struct {
	Table  string
	Row    string
	Column string
}

func (p Place) bytes() []byte { return []byte(p.Table + "\x00" + p.Row + "\x00" + p.Column) }

// A Box seals and opens values under the master key (AES-256-GCM, with key ids so that keys can rotate).
type Box struct {
	aead        tink.AEAD
	fingerprint string
}

// NewKey generates a master key, as the content of a key file.
func NewKey() ([]byte, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("make master key: %w", err)
	}
	var out bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&out)); err != nil {
		return nil, fmt.Errorf("write master key: %w", err)
	}
	return out.Bytes(), nil
}

// NewBox reads the content of a key file.
func NewBox(key []byte) (*Box, error) {
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(key)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	sum := sha256.Sum256(append([]byte("hostler master key fingerprint\x00"), key...))
	return &Box{aead: primitive, fingerprint: hex.EncodeToString(sum[:8])}, nil
}

// OpenBox reads the key file at path. If it does not exist and create is set, OpenBox creates it with mode 0600.
func OpenBox(path string, create bool) (*Box, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && create {
		key, err := NewKey()
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("make directory of the master key: %w", err)
		}
		if err := writeNew(path, key); err != nil {
			return nil, fmt.Errorf("write master key: %w", err)
		}
		return NewBox(key)
	}
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s has mode %04o, it must be 0600", ErrKeyPerms, path, info.Mode().Perm())
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	return NewBox(key)
}

func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// Fingerprint identifies the master key without revealing anything about it.
func (b *Box) Fingerprint() string { return b.fingerprint }

// Seal encrypts a value for its place.
func (b *Box) Seal(p Place, plain []byte) ([]byte, error) {
	sealed, err := b.aead.Encrypt(plain, p.bytes())
	if err != nil {
		return nil, fmt.Errorf("seal %s.%s: %w", p.Table, p.Column, err)
	}
	return sealed, nil
}

// Open decrypts a value that was sealed for this place, else it returns ErrSealed.
func (b *Box) Open(p Place, sealed []byte) ([]byte, error) {
	plain, err := b.aead.Decrypt(sealed, p.bytes())
	if err != nil {
		return nil, fmt.Errorf("open %s.%s of row %s: %w", p.Table, p.Column, p.Row, ErrSealed)
	}
	return plain, nil
}

// Random returns n random bytes in lower-case hexadecimal.
func Random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails since Go 1.24
	return hex.EncodeToString(b)
}

// Hash returns the stored form of bearer tokens and one-time links: they are random, so a plain digest is enough.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
