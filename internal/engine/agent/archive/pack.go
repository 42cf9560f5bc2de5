package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// window bounds what compression keeps in memory, at both ends; the frames of other writers may ask for more than we give.
const (
	window    = 1 << 20
	maxWindow = 8 << 20
)

// Packer compresses and encrypts what is written to it. What it makes opens with `age -d | zstd -d`.
type Packer struct {
	zstd  *zstd.Encoder
	age   io.WriteCloser
	sum   hash.Hash
	out   io.Writer
	bytes int64
}

// NewPacker packs into out, for who holds the recipient's key.
func NewPacker(out io.Writer, recipient string) (*Packer, error) {
	to, err := age.ParseX25519Recipient(recipient)
	if err != nil {
		return nil, fmt.Errorf("read recipient: %w", err)
	}
	p := &Packer{sum: sha256.New(), out: out}
	if p.age, err = age.Encrypt(counted{p}, to); err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	// Two at a time: while one block is compressed, the one before it is encrypted. Text of few letters, which has no repetitions (hexadecimal
	// numbers, base64), would be left as it is without entropy compression of all literals, and be twice as much to encrypt, to sum up and to send.
	p.zstd, err = zstd.NewWriter(p.age, zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return p, nil
}

type counted struct{ p *Packer }

func (c counted) Write(b []byte) (int, error) {
	n, err := c.p.out.Write(b)
	c.p.sum.Write(b[:n])
	c.p.bytes += int64(n)
	return n, err
}

// Write packs.
func (p *Packer) Write(b []byte) (int, error) { return p.zstd.Write(b) }

// Close writes what is left. Until then nothing that was packed is whole.
func (p *Packer) Close() error {
	if err := p.zstd.Close(); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	if err := p.age.Close(); err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	return nil
}

// Drop frees what a Packer holds that will not be closed.
func (p *Packer) Drop() { p.zstd.Reset(nil) }

// Sum returns the SHA-256 of what was made, in hexadecimal, and Size its bytes.
func (p *Packer) Sum() string { return hex.EncodeToString(p.sum.Sum(nil)) }

// Size returns how many bytes were made.
func (p *Packer) Size() int64 { return p.bytes }

// Errors of what was stored.
var (
	ErrChecksum = errors.New("the object is not the one that was stored: its checksum differs")
	ErrSize     = errors.New("the object is not the one that was stored: its size differs")
	ErrKey      = errors.New("the object can't be decrypted with this key")
	ErrDamaged  = errors.New("the object is damaged")
)

// Unpack decrypts and decompresses an object into w, and checks that it is the one with this size and checksum. An error of w comes through
// as it is. Everything that w got before an error may be wrong in its end, never in its middle: each 64 KiB were authenticated.
func Unpack(w io.Writer, object io.Reader, fileKey []byte, size int64, checksum string) error {
	sum := sha256.New()
	counting := &reader{r: object, also: sum}
	plain, err := age.Decrypt(counting, age.NewInjectedFileKeyIdentity(fileKey))
	if err != nil {
		return counting.or(fmt.Errorf("%w: %w", ErrKey, err))
	}
	z, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return fmt.Errorf("decompress: %w", err)
	}
	defer z.Close()
	out := &writer{w: w}
	if _, err := io.Copy(out, z); err != nil {
		if out.err != nil {
			return out.err
		}
		return counting.or(fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	if _, err := io.Copy(io.Discard, counting); err != nil {
		return counting.or(err)
	}
	switch {
	case counting.n != size:
		return fmt.Errorf("%w (%d bytes, %d were stored)", ErrSize, counting.n, size)
	case hex.EncodeToString(sum.Sum(nil)) != checksum:
		return ErrChecksum
	}
	return nil
}

// reader notes what passes, and whether reading itself failed.
type reader struct {
	r    io.Reader
	also io.Writer
	n    int64
	err  error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	_, _ = r.also.Write(p[:n])
	r.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func (r *reader) or(err error) error {
	if r.err != nil {
		return r.err
	}
	return err
}

type writer struct {
	w   io.Writer
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}
