package edge

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/contract"
)

// Recorder records every secret that a test sends or receives: in fields that the description marks, tokens, cookies and mail.
// None of them may be found in clear in the database, in the log, or in an answer outside of a marked field.
type Recorder struct {
	mu      sync.Mutex
	secrets map[string]string // the secret: where it was seen first
	public  map[string]bool   // what was sent in fields that are none
	needles needles           // the secrets, to be looked for
}

// leastSecret is how long a secret must be to be looked for: a shorter one is found anywhere.
const leastSecret = 6

// Note adds a secret.
func (r *Recorder) Note(where string, texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range texts {
		for _, part := range append(secretParts.FindAllString(text, -1), text) {
			if len(part) >= leastSecret && r.secrets[part] == "" {
				r.secrets[part] = where
				r.needles.add(part)
			}
		}
	}
}

// secretParts are the parts of a text that are secrets themselves: the token of an address, the code of a command line, the lines of a key.
var secretParts = regexp.MustCompile(`[A-Za-z0-9+=_-]{24,}`)

// all returns the secrets that were not sent as something else as well, as a fuzzer does.
func (r *Recorder) all() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	public := strings.Join(slices.Collect(maps.Keys(r.public)), "\x00")
	out := map[string]string{}
	for s, where := range r.secrets {
		if !strings.Contains(public, s) {
			out[s] = where
		}
	}
	return out
}

// find names the secrets in a text, but not those that were sent as something else as well.
func (r *Recorder) find(text []byte) (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.needles.in(text) {
		known := false
		for public := range r.public {
			known = known || strings.Contains(public, one.secret)
		}
		if !known {
			found = append(found, fmt.Sprintf("the secret %q of %s, %s", one.secret, r.secrets[one.secret], one.form))
		}
	}
	return found
}

// copyOf is a recorder that begins with what another one knows.
func (r *Recorder) copyOf(other *Recorder) {
	for s, where := range other.all() {
		r.Note(where, s)
	}
}

// described are the operations of the description, whose schemas say where secrets are. All Apps have the same.
type described struct {
	once       sync.Once
	fields     map[string][]string
	operations map[string]*describedOperation
	schemas    map[string]*fieldSchema
	responses  map[string]describedResponse
}

var description described

type describedOperation struct {
	ID          string                       `json:"operationId"`
	RequestBody content                      `json:"requestBody"`
	Responses   map[string]describedResponse `json:"responses"`
}

type describedResponse struct {
	Ref     string `json:"$ref"`
	Headers map[string]struct {
		Required bool `json:"required"`
	} `json:"headers"`
	content
}

type content struct {
	Content map[string]struct {
		Schema *fieldSchema `json:"schema"`
	} `json:"content"`
}

type fieldSchema struct {
	Ref        string                  `json:"$ref"`
	Secret     bool                    `json:"x-hostler-secret"`
	Properties map[string]*fieldSchema `json:"properties"`
	Items      *fieldSchema            `json:"items"`
	AnyOf      []*fieldSchema          `json:"anyOf"`
}

func (d *described) read(e *Env) {
	d.once.Do(func() {
		raw, err := e.App.Router.Description()
		if err != nil {
			e.T.Fatal(err)
		}
		if d.fields, err = contract.Fields(raw); err != nil {
			e.T.Fatal(err)
		}
		var doc struct {
			Paths      map[string]map[string]*describedOperation `json:"paths"`
			Components struct {
				Schemas   map[string]*fieldSchema      `json:"schemas"`
				Responses map[string]describedResponse `json:"responses"`
			} `json:"components"`
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			e.T.Fatal(err)
		}
		d.operations, d.schemas, d.responses = map[string]*describedOperation{}, doc.Components.Schemas, doc.Components.Responses
		for _, methods := range doc.Paths {
			for _, op := range methods {
				d.operations[op.ID] = op
			}
		}
	})
}

// walk calls secret for each text in a marked field of v, and other for every other text. v is changed: the texts of marked fields are taken out.
func (d *described) walk(s *fieldSchema, v any, secret, other func(string)) {
	s = d.deref(s)
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			p := d.property(s, name)
			if text, ok := inner.(string); ok && p != nil && d.deref(p).Secret {
				secret(text)
				v[name] = ""
				continue
			}
			d.walk(p, inner, secret, other)
		}
	case []any:
		var items *fieldSchema
		if s != nil {
			items = d.deref(s.Items)
		}
		for i, inner := range v {
			if text, ok := inner.(string); ok && items != nil && items.Secret {
				secret(text)
				v[i] = ""
				continue
			}
			d.walk(items, inner, secret, other)
		}
	case string:
		other(v)
	}
}

func (d *described) deref(s *fieldSchema) *fieldSchema {
	for s != nil && s.Ref != "" {
		s = d.schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// property returns a property of an object, of one of its alternatives too.
func (d *described) property(s *fieldSchema, name string) *fieldSchema {
	if s == nil {
		return nil
	}
	if p := s.Properties[name]; p != nil {
		return d.deref(p)
	}
	for _, one := range s.AnyOf {
		if p := d.property(d.deref(one), name); p != nil {
			return p
		}
	}
	return nil
}

// undescribed returns the members that resources of an answer have in their meta, and that its description does not have there.
func (d *described) undescribed(s *fieldSchema, answer any) (names []string) {
	doc, _ := answer.(map[string]any)
	one := d.property(d.deref(s), "data")
	list, many := doc["data"].([]any)
	if !many {
		list = []any{doc["data"]}
	} else if one != nil {
		one = d.deref(one.Items)
	}
	meta := d.property(one, "meta")
	if meta == nil {
		return nil
	}
	for _, v := range list {
		resource, _ := v.(map[string]any)
		has, _ := resource["meta"].(map[string]any)
		for name := range has {
			if d.property(meta, name) == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// record records the secrets of a request and of its answer, and fails the test if the answer contains one outside of its fields.
func (e *Env) record(req *http.Request, sent []byte, a Answer) {
	e.T.Helper()
	description.read(e)
	r := e.Secrets
	where := req.Method + " " + req.URL.Path
	if token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer "); ok && a.Status < 300 {
		r.Note("a bearer token", token)
	}
	if cookie, err := req.Cookie("hostler"); err == nil && a.Status < 300 {
		r.Note("a session's cookie", cookie.Value)
	}
	path, _ := strings.CutPrefix(req.URL.EscapedPath(), api.Root)
	id, _, ok := contract.Match(req.Method, path, e.options...)
	op := description.operations[id]
	if !ok || op == nil {
		return
	}
	var in any
	if json.Unmarshal(sent, &in) == nil {
		var body *fieldSchema
		for _, c := range op.RequestBody.Content {
			body = c.Schema
		}
		description.walk(body, in, func(text string) {
			if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)); err != nil { // a private key may be sent where a public one belongs
				r.Note("the body of "+where, text)
			}
		}, func(text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.public[text] = true
		})
	}
	answered, ok := op.Responses[fmt.Sprint(a.Status)]
	if answered.Ref != "" {
		answered = description.responses[strings.TrimPrefix(answered.Ref, "#/components/responses/")]
	}
	if ok && (op.Responses["202"].Headers == nil || a.Status != http.StatusOK) { // else the plan of a dry run
		for _, wrong := range checkHeaders(answered, a.Header) {
			e.T.Errorf("%s (%s) answered %d %s", where, id, a.Status, wrong)
		}
	}
	if a.Status == http.StatusUnprocessableEntity {
		for _, wrong := range checkCodes(a.Body) {
			e.T.Errorf("%s (%s): %s", where, id, wrong)
		}
	}
	if a.Doc == nil {
		return
	}
	var answer any
	_ = json.Unmarshal(a.Body, &answer) // it was read before
	c := answered.content
	var body *fieldSchema
	for _, media := range c.Content {
		body = media.Schema
	}
	for _, name := range description.undescribed(body, answer) {
		e.T.Errorf("%s (%s) answered with meta.%s, which is not described", where, id, name)
	}
	description.walk(body, answer, func(text string) {
		if text != "[redacted]" && !strings.HasSuffix(text, "://"+hostOf(text)) {
			r.Note("the answer to "+where, text)
		}
	}, func(string) {})
	rest, _ := json.Marshal(answer)
	for _, found := range r.find(rest) {
		e.T.Errorf("%s answered %d with %s outside of the fields for secrets: %s", where, a.Status, found, rest)
	}
}

// checkHeaders returns what is wrong with the headers of an answer: one that is described as always there and is not, and one of those that a client acts on
// that is not described.
func checkHeaders(described describedResponse, got http.Header) (wrong []string) {
	names := map[string]bool{}
	for name, h := range described.Headers {
		names[http.CanonicalHeaderKey(name)] = true
		if h.Required && got.Get(name) == "" && name != "Transfer-Encoding" { // that one net/http takes for itself
			wrong = append(wrong, "without its header "+name)
		}
	}
	for name := range got {
		acted := strings.HasPrefix(name, "X-Hostler-") || name == "Etag" || name == "Location" || name == "Retry-After"
		if acted && !names[name] {
			wrong = append(wrong, "with the header "+name+", which is not described")
		}
	}
	return wrong
}

// checkCodes returns what is wrong with the codes of a 422: they stand beside the errors, one for each.
func checkCodes(body []byte) (wrong []string) {
	var doc struct {
		Errors map[string][]string         `json:"errors"`
		Codes  map[string][]client.Problem `json:"codes"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return []string{err.Error()}
	}
	for name, texts := range doc.Errors {
		if len(doc.Codes[name]) != len(texts) {
			wrong = append(wrong, fmt.Sprintf("%s has %d errors and %d codes", name, len(texts), len(doc.Codes[name])))
			continue
		}
		for i, text := range texts {
			if p := doc.Codes[name][i]; p.Code == "" || p.Says != "" && !strings.HasSuffix(text, p.Says) {
				wrong = append(wrong, fmt.Sprintf("%s: %q has the code %+v", name, text, p))
			}
		}
	}
	return wrong
}

// hostOf returns the host of an address: an address of nothing but that is no secret.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "\x00"
	}
	return u.Host
}

// needles finds any of many secrets in one pass, by their first eight bytes.
type needles struct {
	short []needle
	long  map[uint64][]needle
	first [1 << 10]uint64 // a bit for each of their first two bytes
}

// needle is a secret in one of the forms in which it may be found.
type needle struct{ text, secret, form string }

func (n *needles) add(secret string) {
	if n.long == nil {
		n.long = map[uint64][]needle{}
	}
	quoted, _ := json.Marshal(secret)
	raw := []byte(secret)
	seen := map[string]bool{}
	for _, one := range []needle{
		{secret, secret, "as it is"},
		{strings.TrimRight(base64.StdEncoding.EncodeToString(raw), "="), secret, "as base64"},
		{base64.RawURLEncoding.EncodeToString(raw), secret, "as base64 for URLs"},
		{url.QueryEscape(secret), secret, "escaped for a URL"},
		{url.PathEscape(secret), secret, "escaped for a path"},
		{strings.Trim(string(quoted), `"`), secret, "escaped for JSON"},
		{hex.EncodeToString(raw), secret, "in hexadecimal"},
	} {
		switch {
		case seen[one.text]:
		case len(one.text) < 8:
			n.short = append(n.short, one)
		default:
			key := binary.LittleEndian.Uint64([]byte(one.text))
			n.long[key] = append(n.long[key], one)
			n.first[uint16(key)>>6] |= 1 << (key & 63)
		}
		seen[one.text] = true
	}
}

// in returns the secrets in a text.
func (n *needles) in(text []byte) map[needle]bool {
	found := map[needle]bool{}
	for i := 0; i+8 <= len(text); i++ {
		if two := binary.LittleEndian.Uint16(text[i:]); n.first[two>>6]&(1<<(two&63)) == 0 {
			continue
		}
		for _, one := range n.long[binary.LittleEndian.Uint64(text[i:])] {
			if string(text[i:min(len(text), i+len(one.text))]) == one.text {
				found[one] = true
			}
		}
	}
	for _, one := range n.short {
		if bytes.Contains(text, []byte(one.text)) {
			found[one] = true
		}
	}
	return found
}

// CheckSecrets fails the test if a secret that it sent or received is in clear in the database or in the log.
func (e *Env) CheckSecrets() {
	e.T.Helper()
	if e.App == nil {
		return
	}
	for _, found := range e.Secrets.find([]byte(e.Log.String())) {
		e.T.Errorf("the log holds %s", found)
	}
	for name, raw := range databaseBytes(e.T, e.App.DB, e.App.Config.DataDir) {
		for _, found := range e.Secrets.find(raw) {
			e.T.Errorf("%s holds %s", name, found)
		}
	}
}

var unquoted = strings.NewReplacer(`""`, `"`, `\\`, `\`)

// databaseBytes returns SQLite's files, the write-ahead log among them, or all rows of PostgreSQL.
func databaseBytes(t testing.TB, d *db.DB, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	if d.Dialect == db.SQLite {
		files, err := filepath.Glob(filepath.Join(dir, "hostler.db*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("the database's files: %v, %v", files, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(file)] = raw
		}
		return out
	}
	ctx := context.Background()
	var all string
	err := d.SQLDB().QueryRowContext(ctx,
		`SELECT STRING_AGG('SELECT ''' || tablename || ''', CAST(t AS TEXT) FROM ' || QUOTE_IDENT(tablename) ||`+
			` ' t', ' UNION ALL ') FROM pg_tables WHERE schemaname = 'public'`).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := d.SQLDB().QueryContext(ctx, all)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table, row string
		if err := rows.Scan(&table, &row); err != nil {
			t.Fatal(err)
		}
		// A row as text doubles quotes and backslashes (PostgreSQL, 8.16.6).
		out["the table "+table] = append(append(out["the table "+table], row+"\n"...), unquoted.Replace(row)+"\n"...)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
