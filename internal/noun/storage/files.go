package storage

import (
	"context"
	"crypto/md5" //nolint:gosec // the checksum of a part on its way; what protects the content is age's
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// tree is directories and files, of a disk or of another machine. Names are relative and have slashes. Its errors are those of os.
type tree interface {
	OpenFile(name string, flag int) (treeFile, error)
	MkdirAll(dir string) error
	Rename(from, to string) error
	Remove(name string) error
	Stat(name string) (fs.FileInfo, error)
	ReadDir(dir string) ([]fs.FileInfo, error)
	Close() error
}

type treeFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Sync() error
}

// files stores objects as files: a bucket is a directory. Uploads are files beside their objects, with a name that no object has,
// and each part is written at its offset.
type files struct {
	open   func(ctx context.Context) (tree, error)
	bucket string
	// within is how long a short call may take, as of a remote; longer ones may take longTimes as long. Those of whole objects end with their context.
	within time.Duration
	// link makes the address under which Hostler itself takes a part or gives an object: the storage has none.
	link func(l link, valid time.Duration) (string, error)
}

// partial ends the name of an upload.
const partial = ".partial"

// maxPath is the longest name of a directory that is walked. Linux allows as much (PATH_MAX).
const maxPath = 4096

// short is with for a call that is answered at once: a server that sends a byte now and then is never quiet, and never done.
func (b *files) short(ctx context.Context, do func(t tree) error) error {
	ctx, cancel := context.WithTimeout(ctx, b.within)
	defer cancel()
	return inTime(ctx, b.with(ctx, do))
}

// long is short for calls that may take longer.
func (b *files) long(ctx context.Context, do func(t tree) error) error {
	ctx, cancel := context.WithTimeout(ctx, longTimes*b.within)
	defer cancel()
	return inTime(ctx, b.with(ctx, do))
}

// inTime says that time was up, which closes the connection and so looks like another error.
func inTime(ctx context.Context, err error) error {
	var known *Problem
	lasts := errors.As(err, &known) && known.Lasting
	if err == nil || lasts || errors.Is(err, ErrNoObject) || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &Problem{Reason: lateReason, Err: err}
}

func (b *files) with(ctx context.Context, do func(t tree) error) error {
	t, err := b.open(ctx)
	if err == nil {
		err = do(t)
		_ = t.Close()
	}
	var known *Problem
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, ErrNoObject):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNoObject, err)
	case errors.Is(err, fs.ErrPermission):
		return &Problem{Reason: "The storage does not allow this.", Err: err, Lasting: true}
	}
	return &Problem{Reason: "The storage could not write or read a file.", Err: err}
}

// at returns the file of an object. Keys come from us, their directories from people: CleanDirectory has seen them.
func (b *files) at(key string) (string, error) {
	name := b.bucket + "/" + key
	if b.bucket == "" || !fs.ValidPath(name) {
		return "", &Problem{Reason: "The storage does not accept this name.", Lasting: true}
	}
	return name, nil
}

func (b *files) upload(key, upload string) (string, error) {
	if upload == "" || strings.ContainsAny(upload, "/.") {
		return "", &Problem{Reason: "The storage no longer has this upload.", Lasting: true}
	}
	name, err := b.at(key)
	return name + "." + upload + partial, err
}

func (b *files) ProbeKeys(ctx context.Context) error {
	return b.short(ctx, func(t tree) error {
		_, err := t.Stat(".")
		return err
	})
}

func (b *files) Put(ctx context.Context, key string, content []byte) error {
	ctx, cancel := context.WithTimeout(ctx, b.within)
	defer cancel()
	return inTime(ctx, b.Store(ctx, key, strings.NewReader(string(content)), int64(len(content))))
}

// Store writes an object as an upload of one part. A failed upload is removed.
func (b *files) Store(ctx context.Context, key string, content io.Reader, size int64) error {
	upload, err := b.Begin(ctx, key)
	if err != nil {
		return err
	}
	_, err = b.put(ctx, link{Key: key, Upload: upload, Number: 1, Size: int(size)}, content, size, "")
	if err == nil {
		err = b.Complete(ctx, key, upload, []Part{{Number: 1, Size: size}})
	}
	if err != nil {
		b.discard(ctx, key, upload)
	}
	return err
}

// discard removes an upload that failed, also after ctx has ended. Where it can't, because the storage is away, AbortAll does later.
func (b *files) discard(ctx context.Context, key, upload string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeWithin)
	defer cancel()
	if name, err := b.upload(key, upload); err == nil {
		_ = b.with(ctx, func(t tree) error { return t.Remove(name) })
	}
}

// Fetch copies an object.
func (b *files) Fetch(ctx context.Context, key string, to io.Writer) error {
	name, err := b.at(key)
	if err != nil {
		return err
	}
	return b.with(ctx, func(t tree) error {
		f, err := t.OpenFile(name, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		info, err := f.Stat()
		if err == nil {
			_, err = io.Copy(to, io.NewSectionReader(f, 0, info.Size()))
		}
		return err
	})
}

func (b *files) Get(ctx context.Context, key string, limit int64) (out []byte, err error) {
	name, err := b.at(key)
	if err != nil {
		return nil, err
	}
	err = b.short(ctx, func(t tree) error {
		f, err := t.OpenFile(name, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		out, err = io.ReadAll(io.NewSectionReader(f, 0, limit))
		return err
	})
	return out, err
}

func (b *files) Stat(ctx context.Context, key string) (Object, error) {
	name, err := b.at(key)
	if err != nil {
		return Object{}, err
	}
	o := Object{Key: key}
	err = b.short(ctx, func(t tree) error {
		f, err := t.OpenFile(name, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		info, err := f.Stat()
		if err == nil {
			o.Size = info.Size()
		}
		return err
	})
	return o, err
}

// each calls do for every file below a prefix, which is a directory.
func (b *files) each(ctx context.Context, prefix string, do func(t tree, name string, info fs.FileInfo) error) error {
	dir, err := b.at(strings.TrimSuffix(prefix, "/"))
	if err != nil {
		return err
	}
	return b.long(ctx, func(t tree) error {
		left := maxListed
		return eachBelow(ctx, t, dir, &left, do)
	})
}

// eachBelow walks a directory until left is used up: directories count as well, so that no chain of them goes on without end.
func eachBelow(ctx context.Context, t tree, dir string, left *int, do func(t tree, name string, info fs.FileInfo) error) error {
	list, err := t.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, info := range list {
		if *left--; *left < 0 || len(dir) > maxPath {
			return tooMany()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name := dir + "/" + info.Name()
		switch {
		case info.IsDir():
			err = eachBelow(ctx, t, name, left, do)
		case info.Mode().IsRegular():
			err = do(t, name, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *files) List(ctx context.Context, prefix string) (out []Object, err error) {
	err = b.each(ctx, prefix, func(_ tree, name string, info fs.FileInfo) error {
		if !strings.HasSuffix(name, partial) {
			out = append(out, Object{Key: strings.TrimPrefix(name, b.bucket+"/"), Size: info.Size()})
		}
		return nil
	})
	return out, err
}

func (b *files) Remove(ctx context.Context, key string) error {
	name, err := b.at(key)
	if err != nil {
		return err
	}
	err = b.short(ctx, func(t tree) error {
		err := t.Remove(name)
		if err == nil && path.Dir(key) != "." {
			_ = t.Remove(path.Dir(name)) // if it was the last one
		}
		return err
	})
	if errors.Is(err, ErrNoObject) {
		return nil
	}
	return err
}

func (b *files) Begin(ctx context.Context, key string) (string, error) {
	upload := secret.Random(12)
	name, err := b.upload(key, upload)
	if err != nil {
		return "", err
	}
	return upload, b.short(ctx, func(t tree) error {
		if err := t.MkdirAll(path.Dir(name)); err != nil {
			return err
		}
		f, err := t.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return err
		}
		return f.Close()
	})
}

// put writes a part to its place and gives its checksum. length is how long it says that it is, sum the MD5 in base64 that it must have.
func (b *files) put(ctx context.Context, l link, content io.Reader, length int64, sum string) (etag string, err error) {
	name, err := b.upload(l.Key, l.Upload)
	if err != nil {
		return "", err
	}
	if length < 0 || length > int64(l.Size) || l.Number < 1 {
		return "", &Problem{Reason: "The part is larger than announced.", Lasting: true}
	}
	hash := md5.New() //nolint:gosec // see the import
	err = b.with(ctx, func(t tree) error {
		f, err := t.OpenFile(name, os.O_RDWR)
		if err != nil {
			return err
		}
		at := io.NewOffsetWriter(f, int64(l.Number-1)*int64(l.Size))
		n, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(at, hash)}, io.LimitReader(content, length), make([]byte, 256<<10))
		if err == nil && n != length {
			err = io.ErrUnexpectedEOF
		}
		if closed := f.Close(); err == nil {
			err = closed
		}
		return err
	})
	if err == nil && sum != "" && sum != base64.StdEncoding.EncodeToString(hash.Sum(nil)) {
		err = &Problem{Reason: "The part was damaged in transit."}
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

func (b *files) Complete(ctx context.Context, key, upload string, parts []Part) error {
	from, err := b.upload(key, upload)
	if err != nil {
		return err
	}
	to, err := b.at(key)
	if err != nil {
		return err
	}
	var size int64
	for _, p := range parts {
		size += p.Size
	}
	return b.long(ctx, func(t tree) error {
		f, err := t.OpenFile(from, os.O_RDWR)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && info.Size() != size {
			err = &Problem{Reason: fmt.Sprintf("The storage has %d bytes of %d.", info.Size(), size), Lasting: true}
		}
		if err == nil {
			err = f.Sync()
		}
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		return t.Rename(from, to)
	})
}

func (b *files) AbortAll(ctx context.Context, prefix string) error {
	return b.each(ctx, prefix, func(t tree, name string, _ fs.FileInfo) error {
		if !strings.HasSuffix(name, partial) {
			return nil
		}
		err := t.Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

func (b *files) SignPart(_ context.Context, key, upload string, p Part, valid time.Duration) (string, error) {
	if _, err := b.upload(key, upload); err != nil {
		return "", err
	}
	return b.link(link{Key: key, Upload: upload, Number: p.Number, Size: int(p.Size)}, valid)
}

func (b *files) SignGet(_ context.Context, key string, valid time.Duration, name string) (string, error) {
	if _, err := b.at(key); err != nil {
		return "", err
	}
	return b.link(link{Key: key, Name: name}, valid)
}
