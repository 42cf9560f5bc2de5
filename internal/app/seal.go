package app

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// An archive in a storage is sealed as a whole: besides secrets, which are sealed in any archive, the database has names, addresses and output of all
// organizations. sealedMagic is followed by the length of a key in two bytes, the key (of age), sealed with the master key, and what it encrypts.
const sealedMagic = "hostler sealed archive 1\n"

func archivePlace() secret.Place { return secret.Place{Table: "settings", Row: "0", Column: "archive"} }

// seal writes the archive at from, sealed, to a new file.
func seal(box *secret.Box, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("seal the archive: %w", err)
	}
	defer func() { _ = in.Close() }()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return fmt.Errorf("seal the archive: %w", err)
	}
	key, err := box.Seal(archivePlace(), []byte(identity.String()))
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("seal the archive: %w", err)
	}
	defer func() { _ = out.Close() }()
	_, err = out.Write(append(binary.BigEndian.AppendUint16([]byte(sealedMagic), uint16(len(key))), key...)) //nolint:gosec // a key is about 110 bytes
	if err == nil {
		var w io.WriteCloser
		if w, err = age.Encrypt(out, identity.Recipient()); err == nil {
			_, err = io.Copy(w, in)
			err = errors.Join(err, w.Close())
		}
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("seal the archive: %w", err)
	}
	return nil
}

// unseal returns the archive in a file, which is sealed or not.
func unseal(in io.Reader, keyFile string) (io.Reader, error) {
	r := bufio.NewReader(in)
	if start, err := r.Peek(len(sealedMagic)); err != nil || !bytes.Equal(start, []byte(sealedMagic)) {
		return r, nil //nolint:nilerr // one that is too short is not sealed
	}
	head := make([]byte, len(sealedMagic)+2)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, ErrArchive
	}
	key := make([]byte, binary.BigEndian.Uint16(head[len(sealedMagic):]))
	if _, err := io.ReadFull(r, key); err != nil {
		return nil, ErrArchive
	}
	box, err := secret.OpenBox(keyFile, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s does not exist; put the key file there that the archive is sealed with", ErrMasterKey, keyFile)
	}
	if err != nil {
		return nil, err
	}
	plain, err := box.Open(archivePlace(), key)
	if err != nil {
		return nil, fmt.Errorf("%w: the archive is sealed with another key than those of %s, or damaged", ErrMasterKey, keyFile)
	}
	identity, err := age.ParseX25519Identity(string(plain))
	if err != nil {
		return nil, ErrArchive
	}
	out, err := age.Decrypt(r, identity)
	if err != nil {
		return nil, ErrArchive
	}
	return out, nil
}
