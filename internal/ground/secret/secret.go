// Package secret seals what must not be readable in the database, and keeps secrets out of logs and documents.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
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
	ErrPrimary  = errors.New("this is the key that new values are sealed with")
)

// Place names the cell that a sealed value belongs to. A value that is moved to another cell does not open.
type Place struct {
	Table  string
	Row    string
	Column string
}

func (p Place) bytes() []byte { return []byte(p.Table + "\x00" + p.Row + "\x00" + p.Column) }

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
