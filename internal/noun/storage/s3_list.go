package storage

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/minio/minio-go/v7"
)

// maxPages is how many pages of one list are read: a storage may answer with fewer entries than it was asked for, or with none and a next page.
const maxPages = 1000

// maxName is the longest key of an object (Amazon S3), and the longest id of an upload that is taken: each address of a part repeats it.
const maxName = 1024

// aListing marks the context of the requests for the pages of one list.
type aListing struct{}

// pages bounds a list.
type pages struct {
	asked map[string]int
	all   int
}

// next counts a request. A page is asked for again if its answer was an error, and never more often than the library tries.
func (p *pages) next(query string) error {
	if p.asked == nil {
		p.asked = map[string]int{}
	}
	p.all++
	p.asked[query]++
	if p.asked[query] > tries {
		return &Problem{Reason: "The storage lists the same page again and again.", Lasting: true}
	}
	if p.all > maxPages {
		return tooMany()
	}
	return nil
}

// listing returns the context of a list.
func (b *remote) listing(ctx context.Context) (context.Context, context.CancelFunc) {
	return b.long(context.WithValue(ctx, aListing{}, &pages{}))
}

// otherListed is returned for a list with names that were not asked for. Some storages ignore the prefix: what they list belongs to others, and is not
// ours to delete.
func otherListed() error {
	return &Problem{Reason: "The storage lists files of other directories than the one that was asked for.", Lasting: true}
}

// isKey reports whether a key can be one that Hostler wrote. Others below our prefixes, such as the directories that file managers draw, are left alone.
func isKey(key string) bool {
	return len(key) <= maxName && fs.ValidPath(key) && !strings.ContainsFunc(key, unicode.IsControl)
}

// isUpload reports whether the id of an upload is one: storages use letters, digits and a few signs.
func isUpload(id string) bool {
	return id != "" && len(id) <= maxName && utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// List returns the objects whose keys begin with a prefix.
func (b *remote) List(ctx context.Context, prefix string) ([]Object, error) {
	ctx, cancel := b.listing(ctx)
	defer cancel()
	var out []Object
	for info := range b.core.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		switch {
		case info.Err != nil:
			return nil, explain(info.Err)
		case !strings.HasPrefix(info.Key, prefix):
			return nil, otherListed()
		case !isKey(info.Key):
			continue
		case len(out) == maxListed:
			return nil, tooMany()
		}
		out = append(out, Object{Key: info.Key, Size: info.Size})
	}
	return out, explain(ctx.Err())
}

// noUploads reports whether a storage refused to list or abort uploads because it, or the policy of the keys, knows no such thing.
func noUploads(err error) bool {
	var answered minio.ErrorResponse
	if !errors.As(err, &answered) {
		return false
	}
	switch answered.StatusCode {
	case http.StatusForbidden:
		return answered.Code == minio.AccessDenied || answered.Code == pageCode
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// AbortAll discards all unfinished uploads whose keys begin with a prefix, including those of unknown ids. Keys whose policy has no right to that, and storages
// that can't list uploads, leave them, which is no reason to give up what was stored.
func (b *remote) AbortAll(ctx context.Context, prefix string) error {
	pages, cancel := b.listing(ctx)
	defer cancel()
	var key, id string
	for left := maxListed; ; {
		page, err := b.core.ListMultipartUploads(pages, b.name, prefix, key, id, "", 0)
		if noUploads(err) {
			return nil
		}
		if err != nil {
			return explain(err)
		}
		for _, u := range page.Uploads {
			switch {
			case !strings.HasPrefix(u.Key, prefix):
				return otherListed()
			case !isKey(u.Key) || !isUpload(u.UploadID):
				continue
			}
			if left--; left < 0 {
				return tooMany()
			}
			err := b.abort(ctx, u.Key, u.UploadID)
			if noUploads(err) {
				return nil
			}
			if err != nil {
				return err
			}
		}
		if !page.IsTruncated {
			return nil
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
}
