package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Bucket is a place for objects.
type Bucket struct{ place }

// place is what keeps the objects of a bucket: S3, or files. Errors are Problems, or ErrNoObject.
type place interface {
	// ProbeKeys asks whether the storage lets in who has the keys, where no bucket is named yet.
	ProbeKeys(ctx context.Context) error

	// Put writes a small object; Get reads the first bytes of one, at most so many.
	Put(ctx context.Context, key string, content []byte) error
	Get(ctx context.Context, key string, limit int64) ([]byte, error)
	// Store writes an object of any size, and Fetch copies one. Hosts don't need them: they use signed addresses.
	Store(ctx context.Context, key string, content io.Reader, size int64) error
	Fetch(ctx context.Context, key string, to io.Writer) error
	// Stat returns an object's size; ErrNoObject if it does not exist.
	Stat(ctx context.Context, key string) (Object, error)
	// List returns the objects whose keys begin with a prefix that ends with a slash.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Remove deletes an object; one that is not there is no error.
	Remove(ctx context.Context, key string) error

	// Begin opens an upload in parts, Complete makes an object of its parts.
	Begin(ctx context.Context, key string) (upload string, err error)
	Complete(ctx context.Context, key, upload string, parts []Part) error
	// AbortAll discards all unfinished uploads whose keys begin with a prefix, including those of unknown ids.
	AbortAll(ctx context.Context, prefix string) error

	// SignPart returns the address that takes one part of an upload, for a while. The part's size is that of all but the last one.
	SignPart(ctx context.Context, key, upload string, p Part, valid time.Duration) (string, error)
	// SignGet returns the address that gives an object, for a while. name is what a browser saves it as.
	SignGet(ctx context.Context, key string, valid time.Duration, name string) (string, error)
}

// Object is what a bucket says of one.
type Object struct {
	Key  string
	Size int64
}

// Part is a part that a host has sent.
type Part struct {
	Number int
	ETag   string
	Size   int64
}

const probeWithin = 20 * time.Second

// maxListed is how many objects, and directories of them, are listed below a prefix. Backups have tens below theirs; a storage belongs to a tenant, and
// may list without end.
const maxListed = 50_000

func tooMany() error {
	return &Problem{Reason: "The storage lists more files than Hostler reads.", Lasting: true}
}

// Probe writes an object under a directory, reads it back and deletes it.
func (b *Bucket) Probe(ctx context.Context, directory string) error {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	key, content := Join(directory, ".hostler-probe-"+secret.Random(12)), []byte("Hostler checks that it can write here.\n")
	if err := b.Put(ctx, key, content); err != nil {
		return unable(err, "write")
	}
	read, err := b.Get(ctx, key, int64(len(content)))
	err = unable(err, "read")
	if r, ok := b.place.(*remote); ok && err == nil { // a policy may leave that out; files that can be read are listed
		_, err = r.List(ctx, key)
		err = unable(err, "list")
	}
	if removed := b.Remove(ctx, key); err == nil {
		err = unable(removed, "delete")
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(read, content) {
		return &Problem{Reason: "The storage returned other content than was written.", Lasting: true}
	}
	return nil
}

// unable names what keys have no right to do.
func unable(err error, do string) error {
	var p *Problem
	if !errors.As(err, &p) || p.Reason != notAllowed {
		return err
	}
	return &Problem{Reason: "The storage does not allow these keys to " + do + " objects. Backups are written, read, listed and deleted.", Err: err, Lasting: true}
}

// Ask is ProbeKeys within a time.
func (b *Bucket) Ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	return b.ProbeKeys(ctx)
}

// Join returns the key of an object in a directory.
func Join(directory string, names ...string) string {
	if directory == "" {
		return strings.Join(names, "/")
	}
	return directory + "/" + strings.Join(names, "/")
}
