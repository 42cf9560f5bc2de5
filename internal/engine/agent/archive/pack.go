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

// window limits the memory of compression, at both ends; the frames of other writers may need more than we allow.
const (
	window    = 1 << 20
	maxWindow = 8 << 20
)

// Packer compresses and encrypts what is written to it. The result opens with `age -d | zstd -d`.
type Packer struct {
	zstd  *zstd.Encoder
	age   io.WriteCloser
	sum   hash.Hash
	out   io.Writer
	bytes int64
}

// NewPacker packs into out, for the owner of the recipient's key.
func NewPacker(out io.Writer, recipient string) (*Packer, error) {
	to, err := age.ParseX25519Recipient(recipient)
	if err != nil {
		return nil, fmt.Errorf("read recipient: %w", err)
	}
	p := &Packer{sum: sha256.New(), out: out}
	if p.age, err = age.Encrypt(counted{p}, to); err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	// Two at a time: while one block is compressed, the previous one is encrypted. Without entropy compression of all literals,
	// text of few distinct letters without repetitions (hexadecimal, base64) would stay as it is, and be twice as much to
	// encrypt, hash and send.
	p.zstd, err = zstd.NewWriter(p.age, zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(window),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderLevel(zstd.SpeedFastest),
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

// Close writes the remainder. Until then the output is incomplete.
func (p *Packer) Close() error {
	if err := p.zstd.Close(); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	if err := p.age.Close(); err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	return nil
}

// Drop frees the resources of a Packer that will not be closed.
func (p *Packer) Drop() { p.zstd.Reset(nil) }

// Sum returns the SHA-256 of the output, in hexadecimal.
func (p *Packer) Sum() string { return hex.EncodeToString(p.sum.Sum(nil)) }

// Size returns the size of the output in bytes.
func (p *Packer) Size() int64 { return p.bytes }

// Errors of stored objects.
var (
	ErrChecksum = errors.New("the object is not the one that was stored: its checksum differs")
	ErrSize     = errors.New("the object is not the one that was stored: its size differs")
	ErrKey      = errors.New("the object can't be decrypted with this key")
	ErrDamaged  = errors.New("the object is damaged")
)

// Unpack decrypts and decompresses an object into w, and checks its size and checksum. An error of w is returned unchanged. What
// w got before an error may be truncated, but never altered: each 64 KiB were authenticated.
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

// reader records the passing bytes, and whether reading itself failed.
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
