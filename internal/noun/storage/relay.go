package storage

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// RelayPath is where Hostler takes parts and gives objects of storages that hosts can't reach with an address of their own.
const RelayPath = "/storage/"

// link is what one address permits, until it expires. It is sealed, so that it can't be forged or changed.
type link struct {
	Organization int64  `json:"o"`
	Provider     int64  `json:"p"`
	Bucket       string `json:"b"`
	Key          string `json:"k"`
	Upload       string `json:"u,omitempty"` // "" reads the object
	Number       int    `json:"n,omitempty"`
	Size         int    `json:"s,omitempty"`
	Name         string `json:"f,omitempty"`
	Ends         int64  `json:"e"` // seconds since the epoch
}

func linkPlace() secret.Place {
	return secret.Place{Table: "storage_providers", Row: "0", Column: "link"}
}

// linker makes the addresses of a provider.
func (s *Store) linker(row query.StorageProvider, bucket string) func(link, time.Duration) (string, error) {
	return func(l link, valid time.Duration) (string, error) {
		l.Organization, l.Provider, l.Bucket, l.Ends = row.OrganizationID, row.ID, bucket, s.DB.Clock.Now().Add(valid).Unix()
		plain, err := json.Marshal(l)
		if err != nil {
			return "", fmt.Errorf("sign an address: %w", err)
		}
		sealed, err := s.Box.Seal(linkPlace(), plain)
		if err != nil {
			return "", err
		}
		return s.URL(RelayPath + base64.RawURLEncoding.EncodeToString(sealed)), nil
	}
}

// Relay answers at RelayPath. Answers look like those of S3, as far as hosts look at them.
type Relay struct {
	Store *Store
	Log   *slog.Logger
}

// relayPartWithin is how long a part may take to arrive.
const relayPartWithin = 10 * time.Minute

func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	b, l, ok := r.open(req)
	if !ok {
		refuse(w, http.StatusForbidden, "AccessDenied")
		return
	}
	control := http.NewResponseController(w)
	var err error
	switch {
	case req.Method == http.MethodPut && l.Upload != "":
		_ = control.SetReadDeadline(time.Now().Add(relayPartWithin))
		var etag string
		if etag, err = b.put(req.Context(), l, req.Body, req.ContentLength, req.Header.Get("Content-MD5")); err == nil {
			w.Header().Set("ETag", `"`+etag+`"`)
			return
		}
	case (req.Method == http.MethodGet || req.Method == http.MethodHead) && l.Upload == "":
		err = b.serve(w, req, l)
	default:
		refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
		return
	}
	var p *Problem
	switch {
	case err == nil:
	case errors.Is(err, ErrNoObject):
		refuse(w, http.StatusNotFound, "NoSuchKey")
	case errors.As(err, &p) && p.Lasting:
		refuse(w, http.StatusForbidden, "AccessDenied")
	default:
		if req.Context().Err() == nil {
			r.Log.WarnContext(req.Context(), "passing on a part of a backup failed", "provider", l.Provider, "error", err)
		}
		refuse(w, http.StatusServiceUnavailable, "SlowDown")
	}
}

// open returns the storage and what the address allows of it.
func (r *Relay) open(req *http.Request) (*files, link, bool) {
	var l link
	sealed, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(req.URL.Path, RelayPath))
	if err != nil {
		return nil, l, false
	}
	plain, err := r.Store.Box.Open(linkPlace(), sealed)
	if err != nil || json.NewDecoder(bytes.NewReader(plain)).Decode(&l) != nil || r.Store.DB.Clock.Now().Unix() >= l.Ends {
		return nil, l, false
	}
	row, err := r.Store.DB.Read().Ungranted().GetStorageProvider(req.Context(), l.Organization, l.Provider)
	if err != nil {
		return nil, l, false
	}
	b, err := r.Store.Open(row, l.Bucket)
	if err != nil {
		return nil, l, false
	}
	f, ok := b.place.(*files)
	return f, l, ok
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code></Error>")
}

// serve gives an object, or what a Range asks of it.
func (b *files) serve(w http.ResponseWriter, req *http.Request, l link) error {
	name, err := b.at(l.Key)
	if err != nil {
		return err
	}
	return b.with(req.Context(), func(t tree) error {
		f, err := t.OpenFile(name, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		if l.Name != "" {
			w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(l.Name))
		}
		http.ServeContent(w, req, "", time.Time{}, io.NewSectionReader(f, 0, info.Size()))
		return nil
	})
}
