package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// fileType is the media type of files of any kind. Browsers save them, and show none.
const fileType = "application/octet-stream"

// pieceWithin is how long a piece of a file may take to arrive. A whole file may take any time.
const pieceWithin = 60 * time.Second

// Incoming is a file that is the body of a request.
type Incoming struct {
	// Size is the number of its bytes, -1 if the client does not say.
	Size  int64
	most  int64
	read  int64
	body  io.Reader
	until func(time.Time) error
	again func() error
}

// Next fills a piece with what comes next. It is shorter only at the end, where it may be empty.
func (i *Incoming) Next(piece []byte) (n int, err error) {
	if err := i.until(time.Now().Add(pieceWithin)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, fmt.Errorf("receive file: %w", err)
	}
	n, err = io.ReadFull(i.body, piece)
	if i.read += int64(n); i.read > i.most {
		return 0, tooLarge(i.most)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if i.Size >= 0 && i.read != i.Size {
			return 0, BadRequest("The file ended after %d of %d bytes.", i.read, i.Size)
		}
		return n, nil
	}
	if err != nil {
		return 0, BadRequest("The file can't be read.")
	}
	return n, nil
}

// Again reports whether the caller may still do what the operation does, after a file that took any time to arrive.
func (i *Incoming) Again() error { return i.again() }

func tooLarge(most int64) error {
	return errorOf(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %d bytes.", most))
}

// Receive registers an operation whose body is a file, which is neither held in memory nor stored here: the handler passes it on. The handler opens its own
// transactions, as with Do.
func Receive[P access.Authority, T any](r *Router, of Operation, load Loader[P], h func(context.Context, Call[P], *Incoming) (Document[T], error)) {
	op := &of
	r.describe(op, func(d *description, o *huma.Operation) {
		d.document(op, o, one, reflect.TypeFor[NoBody](), reflect.TypeFor[T]())
		o.RequestBody = &huma.RequestBody{Required: true, Content: fileContent()}
		d.errorResponse(o, http.StatusUnprocessableEntity)
	})
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withLine(req)
		c, err := prepare(r, op, load, req)
		e := r.entryOf(op, req, c.Parent)
		var said reply
		if err == nil {
			said, err = r.receiveFile(op, w, req, func(in *Incoming) (Document[any], error) {
				in.again = c.reload(r, op, load, req)
				doc, err := h(req.Context(), c, in)
				return doc.any(), err
			})
		}
		if err == nil {
			err = r.noted(req.Context(), e)
		}
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		writeReply(w, said)
		return nil
	})
}

// receiveFile lets a handler read the body of a request.
func (r *Router) receiveFile(op *Operation, w http.ResponseWriter, req *http.Request, h func(*Incoming) (Document[any], error)) (reply, error) {
	if media, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || media != fileType {
		return reply{}, Invalid("body", "The request body must be a file, sent as %s.", fileType)
	}
	if req.ContentLength > op.Receives {
		return reply{}, tooLarge(op.Receives)
	}
	leave, err := r.enter(req)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	doc, err := h(&Incoming{Size: req.ContentLength, most: op.Receives, body: req.Body, until: http.NewResponseController(w).SetReadDeadline})
	if err != nil {
		return reply{}, err
	}
	return r.answer(op, doc)
}

// enter counts a stream or a transfer of a caller.
func (r *Router) enter(req *http.Request) (leave func(), err error) {
	actor, _ := req.Context().Value(keyActor).(access.Actor)
	return r.standing.enter(actor.UserID)
}

// noted writes the line of what was done or is about to be shown, also for a caller who went away.
func (r *Router) noted(ctx context.Context, e entry) error {
	return r.db.Tx(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error { return e.note(ctx, tx, e.op.status(), nil) })
}

// fileContent describes a body that is a file.
func fileContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{fileType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
}

// Outgoing is a file that is an answer. Its content is read as it is sent.
type Outgoing struct {
	// Name is what the file is saved as, and Tag tells it from others and from what it was or will be.
	Name, Tag string
	Modified  time.Time
	Content   io.ReadSeeker
}

// SendFile registers a GET that answers with a file, whole or in parts (RFC 9110, 14). Each answer has a line in the audit log. Browsers save the file and do
// not show it: its content is of others, and this is the dashboard's origin.
func SendFile[P access.Authority](r *Router, of Operation, load Loader[P], h func(context.Context, Call[P]) (*Outgoing, error)) {
	op := &of
	r.describe(op, func(_ *description, o *huma.Operation) {
		o.Responses["200"] = &huma.Response{Description: "The file.", Content: fileContent()}
		o.Responses["206"] = &huma.Response{Description: "The part of the file that Range asks for.", Content: fileContent()}
	})
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withLine(req)
		c, err := prepare(r, op, load, req)
		e := r.entryOf(op, req, c.Parent)
		var leave func()
		if err == nil {
			leave, err = r.enter(req)
		}
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		defer leave()
		out, err := h(req.Context(), c)
		if err == nil {
			err = r.noted(req.Context(), e)
		}
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		header := w.Header()
		header.Set("Content-Type", fileType)
		header.Set("Content-Disposition", disposition(out.Name))
		header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		header.Set("Cache-Control", "private, no-store")
		header.Set("ETag", strconv.Quote(out.Tag))
		http.ServeContent(w, req, "", out.Modified, out.Content)
		return nil
	})
}

// disposition returns a Content-Disposition that has a file saved under its name (RFC 6266). What no name on other systems can have is replaced.
func disposition(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}
