package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// FormFile is a file field of a form; the zero value was not sent.
type FormFile []byte

// Schema describes the file (OpenAPI 3.1.0, 4.8.14.2).
func (FormFile) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "binary", Extensions: map[string]any{"contentMediaType": "application/octet-stream"}}
}

// Upload registers an operation that takes a form with files and answers with JSON that is not a document. B's fields are
// FormFile or string, named by their json tags. The handler returns the answer and its event.
func Upload[P access.Authority, B, T any](r *Router, of Operation, load Loader[P], h func(context.Context, *db.Tx, Call[P], B) (T, int64, error)) {
	op := &of
	body := r.bodySchema(reflect.TypeFor[B]())
	r.describe(op, func(d *description, o *huma.Operation) {
		o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: d.bodySchema(reflect.TypeFor[B]())}}}
		d.errorResponse(o, http.StatusUnprocessableEntity)
		o.Responses[strconv.Itoa(op.status())] = &huma.Response{
			Description: http.StatusText(op.status()), Content: map[string]*huma.MediaType{"application/json": {Schema: d.inline(reflect.TypeFor[T]())}},
			Headers: d.headers(op, nothing),
		}
	})
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		c, err := prepare(r, op, load, req)
		e := r.entryOf(op, req, c.Parent)
		var value B
		var plain map[string]any
		if err == nil {
			sayIgnored(w.Header(), unknownQuery(op, req.URL.Query()))
			var ignored []string
			if plain, ignored, err = readForm(req, &value); err == nil {
				sayIgnored(w.Header(), ignored)
				r.validate(body, plain, c.Fields)
			}
		}
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		fields := fmt.Appendf(nil, "%q", plain) // the same form is sent with another boundary each time
		return r.transact(w, req, op, e, c.DryRun, c.plan, c.Fields, fields, c.reload(r, op, load, req), func(ctx context.Context, tx *db.Tx) (reply, error) {
			answer, event, err := h(ctx, tx, c, value)
			if err != nil {
				return reply{}, err
			}
			encoded, err := json.Marshal(answer)
			return reply{status: op.status(), body: encoded, kept: encoded, event: event, media: "application/json"}, err
		})
	})
}

// inline returns a type's schema without a separate component in the description.
func (d *description) inline(t reflect.Type) *huma.Schema {
	s := d.registry.Schema(t, false, "")
	loosen(s)
	return s
}

// OneReason describes an object of required texts, whose reason is one of these.
func OneReason(names []string, reasons ...string) *huma.Schema {
	out := &huma.Schema{}
	for _, reason := range reasons {
		s := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, Required: append([]string{"reason"}, names...)}
		for _, name := range names {
			s.Properties[name] = &huma.Schema{Type: huma.TypeString}
		}
		s.Properties["reason"] = &huma.Schema{Type: huma.TypeString, Enum: []any{reason}}
		out.AnyOf = append(out.AnyOf, s)
	}
	return out
}

// Schema is a schema of the description, for types that describe themselves.
type Schema = huma.Schema

// Registry holds the schemas of the description.
type Registry = huma.Registry

// readForm reads a form's fields into the struct that into points to. It returns the fields, and the names of those that the struct does not have.
func readForm(req *http.Request, into any) (plain map[string]any, ignored []string, err error) {
	plain = map[string]any{}
	raw, err := receivedOf(req)
	if err != nil || len(raw) == 0 {
		return plain, nil, err
	}
	media, parameters, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, nil, Invalid("body", "The request body must be multipart/form-data.")
	}
	fields := map[string]reflect.Value{}
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		fields[v.Type().Field(i).Tag.Get("json")] = v.Field(i)
	}
	for form := multipart.NewReader(bytes.NewReader(raw), parameters["boundary"]); ; {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return plain, ignored, nil
		}
		if err != nil {
			return nil, nil, BadRequest("The form can't be read.")
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, BadRequest("The form can't be read.")
		}
		name := part.FormName()
		if _, twice := plain[name]; twice {
			return nil, nil, BadRequest("The form names %q twice.", name)
		}
		field, known := fields[name]
		if !known {
			ignored = append(ignored, name)
			continue
		}
		if plain[name] = string(content); field.Kind() == reflect.String {
			if !storable(string(content)) {
				return nil, nil, BadRequest("The form is not valid UTF-8.")
			}
			field.SetString(string(content))
		} else {
			field.SetBytes(content)
		}
	}
}

// Download registers a GET that answers with a file. The handler returns its name and writes it; nothing is sent before the first write.
func Download[P access.Authority](r *Router, of Operation, media string, load Loader[P],
	h func(context.Context, Call[P]) (name string, write func(io.Writer) error, err error),
) {
	op := &of
	r.describe(op, func(_ *description, o *huma.Operation) {
		o.Responses["200"] = &huma.Response{
			Description: "The file.",
			Content:     map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
			Headers:     map[string]*huma.Param{"Transfer-Encoding": {Required: true, Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"chunked"}}}},
		}
	})
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		c, err := prepare(r, op, load, req)
		if err != nil {
			r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			return err
		}
		name, write, err := h(req.Context(), c)
		if err != nil {
			r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			return err
		}
		w.Header().Set("Content-Type", media)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
		_ = http.NewResponseController(w).Flush() // chunked, as in the contract
		return write(w)
	})
}
