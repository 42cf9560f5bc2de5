package contract

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// CheckResponse returns every way in which a response to an operation departs from the contract and the seed, with
// our recorded deviations allowed. Nil means none.
func CheckResponse(opID string, status int, header http.Header, body []byte, opts ...Option) []string {
	var f findings
	b := load()
	op, ok := Find(opID, opts...)
	if !ok {
		return []string{"operation " + opID + " is neither in the contract nor among the extensions given"}
	}
	switch {
	case status >= 400:
		b.checkError(op, status, header, body, &f)
		checkNames(with(opts).fields, op, status, body, &f)
	case status != op.SuccessCode:
		f.add("", "status is %d, want %d", status, op.SuccessCode)
	default:
		b.checkSuccess(op, header, body, &f)
	}
	return f
}

// CheckPlan returns CheckResponse for the answer to a dry run, which is 200 with a document of ours whatever the
// operation.
func CheckPlan(status int, header http.Header, body []byte) []string {
	var f findings
	if status != http.StatusOK {
		f.add("", "status is %d, want 200 for a dry run", status)
	}
	checkType(header, TypeDocument, &f)
	load().checkBody(body, documentOf(anyResource()), &f)
	return f
}

func (b *book) checkError(op Operation, status int, header http.Header, body []byte, f *findings) {
	if !slices.Contains(op.ErrorCodes, status) && !b.deviations.allows(op.ID, op.Method, status) &&
		(!op.Extension || !slices.Contains([]int{403, 404, 422}, status)) {
		f.add("", "status is %d, which the operation does not answer", status)
	}
	checkType(header, TypeJSON, f)
	*f = append(*f, CheckErrorBody(status, body)...)
}

// checkNames finds errors of a 422 that are about no field of the request, nor about the body as a whole. What only the state forbids is a 409.
func checkNames(fields map[string][]string, op Operation, status int, body []byte, f *findings) {
	if fields == nil || status != http.StatusUnprocessableEntity {
		return
	}
	v, err := decode(body)
	if err != nil {
		return // said already
	}
	for name := range object(object(v)["errors"]) {
		if first, _, _ := strings.Cut(name, "."); first != "body" && !slices.Contains(fields[op.ID], first) {
			f.add("errors."+name, "is about no field of the request")
		}
	}
}

// CheckErrorBody returns what is wrong with the body of an error, whatever the operation.
func CheckErrorBody(status int, body []byte) []string {
	var f findings
	v, err := decode(body)
	if err != nil {
		return []string{err.Error()}
	}
	shape := objectOf(map[string]any{"message": map[string]any{"type": "string", "minLength": 1}}, "message")
	if status == http.StatusConflict {
		object(shape["properties"])["plan"] = map[string]any{} // ours, of a request that was held to another plan
	}
	if status == http.StatusUnprocessableEntity {
		shape = objectOf(map[string]any{
			"message": map[string]any{"type": "string", "minLength": 1},
			"errors": map[string]any{"type": "object", "additionalProperties": map[string]any{
				"type": "array", "minItems": 1, "items": map[string]any{"type": "string", "minLength": 1},
			}},
			"codes": map[string]any{"type": "object", "additionalProperties": map[string]any{}}, // ours: test/edge compares them with the errors
		}, "message", "errors")
		if errs, ok := object(v)["errors"].(map[string]any); ok && len(errs) == 0 {
			f.add("errors", "is empty")
		}
	}
	(&reader{}).read(shape).check(v, "", &f)
	return f
}

func (b *book) checkSuccess(op Operation, header http.Header, body []byte, f *findings) {
	e := b.byID[op.ID]
	switch {
	case op.SuccessCode == http.StatusNoContent:
		if len(body) > 0 {
			f.add("", "204 has a body of %d bytes", len(body))
		}
	case e == nil && op.Method == http.MethodDelete && op.SuccessCode == http.StatusAccepted && len(body) == 0: // as the contract's own deletions
	case e == nil && op.SuccessType != "" && op.SuccessType != TypeDocument:
		checkType(header, op.SuccessType, f)
	case e == nil:
		checkType(header, TypeDocument, f)
		doc := documentOf(anyResource())
		if op.Paginated {
			for _, name := range []string{"links", "meta"} {
				doc.kinds["object"][0].props[name] = &schema{any: true}
				doc.kinds["object"][0].required[name] = true
			}
		}
		b.checkBody(body, doc, f)
	case e.success != nil && e.SuccessType != TypeDocument && e.SuccessType != TypeJSON:
		checkType(header, e.SuccessType, f)
	case e.success != nil:
		checkType(header, e.SuccessType, f)
		b.checkBody(body, e.success, f)
	case len(bytes.TrimSpace(body)) > 0: // the contract shows no body, and a document is allowed
		checkType(header, TypeDocument, f)
		noun := e.noun
		if noun == nil {
			noun = anyResource()
		}
		b.checkBody(body, documentOf(noun), f)
	}
}

// documentOf returns a document with one resource or several.
func documentOf(resource *schema) *schema {
	list := &alt{items: resource, limits: map[string]string{}}
	data := &schema{kinds: map[string][]*alt{"object": resource.kinds["object"], "array": {list}}, any: resource.any}
	included := &schema{kinds: map[string][]*alt{"array": {{items: anyResource(), limits: map[string]string{}}}}}
	doc := &alt{
		limits: map[string]string{}, required: map[string]bool{"data": true},
		props: map[string]*schema{"data": data, "included": included},
	}
	return &schema{kinds: map[string][]*alt{"object": {doc}}}
}

func (b *book) checkBody(body []byte, want *schema, f *findings) {
	v, err := decode(body)
	if err != nil {
		f.add("", "%v", err)
		return
	}
	want.check(v, "", f)
	doc := object(v)
	b.checkResources(doc["data"], "data", f)
	b.checkResources(doc["included"], "included", f)
}

// checkResources compares the resources of a document with the seed, and finds duplicates.
func (b *book) checkResources(v any, at string, f *findings) {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	seen := map[string]bool{}
	for i, e := range list {
		m, where := object(e), at
		if m == nil {
			continue
		}
		if isList {
			where = at + "[" + text(i) + "]"
			key := text([]any{m["type"], m["id"]})
			if seen[key] {
				f.add(where, "is listed twice: %s", key)
			}
			seen[key] = true
		}
		if name, ok := m["type"].(string); ok && b.seed.byType[name] != nil {
			b.seed.byType[name].check(m, where, f)
		}
	}
}

// checkType checks the content type. A document's has no parameters, as JSON:API says; others may name UTF-8.
func checkType(header http.Header, want string, f *findings) {
	got := header.Get("Content-Type")
	mediaType, params, err := mime.ParseMediaType(got)
	charset := params["charset"]
	delete(params, "charset")
	if err != nil || mediaType != want || len(params) > 0 || charset != "" && (want == TypeDocument || charset != "utf-8") {
		f.add("", "content type is %q, want %q", got, want)
	}
}
