package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
)

// mostFound is how many operations a search shows, and pageSize how many resources a list shows unless it is asked for more.
const (
	mostFound = 12
	pageSize  = "25"
)

// What the tools take that call any operation.
var (
	ofOperation = argument{name: "operation", kind: kindText, required: true, about: "Id of the operation, from search."}
	ofPath      = argument{name: "parameters", kind: kindObject,
		about: `Parameters of the path: ids or names, such as {"site": "shop.example.com"}. The server of a site can be left out.`}
	ofQuery = argument{name: "query", kind: kindObject, about: "Parameters of the query."}
	ofBody  = argument{name: "body", kind: kindObject, about: "Fields of the request."}
)

// reaching are the tools that reach every operation.
func reaching() []tool {
	return []tool{
		{
			name: "search", title: "Search operations", about: "Finds operations of the API, for what no other tool does. Then describe one.",
			arguments: []argument{{name: "text", kind: kindText, required: true, about: "What to do, such as: renew certificate."}}, run: search,
		},
		{
			name: "describe", title: "Describe an operation", about: "Shows what an operation does and takes: parameters, query, fields, scopes.",
			arguments: []argument{ofOperation}, run: describe,
		},
		{
			name: "call", title: "Read with any operation", about: "Calls any operation that only reads. Changes go through plan and apply.",
			arguments: []argument{ofOperation, ofPath, ofQuery}, run: read,
		},
		{
			name: "plan", title: "Plan a change",
			about: "Shows what a change would do, without doing it: files with diffs, packages and actions on servers, or what would be deleted. " +
				"Returns the hash for apply.",
			arguments: []argument{ofOperation, ofPath, ofQuery, ofBody}, changes: true, looks: true, run: plan,
		},
		{
			name: "apply", title: "Apply a change",
			about: "Does a change. Operations with a plan, and all that delete or show a secret only once, need the hash of plan with the same arguments; if " +
				"the plan is another one by now, nothing is done and the new one is shown.",
			arguments: []argument{ofOperation, ofPath, ofQuery, ofBody, {name: "plan", kind: kindText, about: "Hash from plan."}}, changes: true, run: apply,
		},
	}
}

// kindOf says what a call of an operation does.
func (o operation) kindOf() string {
	switch {
	case !o.Changes():
		return "reads: call"
	case o.destroys():
		return "destroys: plan, then apply"
	case o.Plans:
		return "changes servers: plan, then apply"
	}
	return "changes, without a plan: apply"
}

func search(_ context.Context, s *session, in input) (result, error) {
	words := strings.FieldsFunc(strings.ToLower(in.text("text")), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	type hit struct {
		op    operation
		score int
	}
	var hits []hit
	for _, op := range s.known.all {
		if !s.allows(op) || op.beyond() != "" {
			continue
		}
		score := 0
		for _, w := range words {
			if len(w) > 3 {
				w = strings.TrimSuffix(w, "s")
			}
			for text, worth := range map[string]int{op.Noun + " " + op.Verb: 4, op.ID: 3, op.Summary: 3, op.Description: 1} {
				if strings.Contains(strings.ToLower(text), w) {
					score += worth
				}
			}
		}
		if score > 0 {
			hits = append(hits, hit{op, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(a.op.ID), len(b.op.ID)))
	})
	var found []any
	for _, h := range hits[:min(len(hits), mostFound)] {
		found = append(found, map[string]any{"operation": h.op.ID, "summary": h.op.Summary, "does": h.op.kindOf()})
	}
	if found == nil {
		return result{notes: []string{"No operation that the token allows has these words. Try the name of a resource, such as site or database."}}, nil
	}
	return result{data: found, open: true}, nil
}

func describe(_ context.Context, s *session, in input) (result, error) {
	op, err := s.operation(in.text("operation"))
	if err != nil {
		return result{}, err
	}
	fields := func(all []description.Field) []any {
		var out []any
		for _, f := range all {
			one := map[string]any{"name": f.Name, "type": f.Type}
			for name, set := range map[string]bool{"required": f.Required, "secret": f.Secret, "can_be_null": f.Null} {
				if set {
					one[name] = true
				}
			}
			if f.Description != "" {
				one["description"] = f.Description
			}
			if len(f.Enum) > 0 {
				one["values"] = f.Enum
			}
			out = append(out, one)
		}
		return out
	}
	out := map[string]any{
		"operation": op.ID, "request": op.Method + " " + op.Path, "summary": op.Summary, "does": op.kindOf(), "command": "hostler " + op.Noun + " " + op.Verb,
		"scopes": op.Permissions, "parameters": op.parameters(),
	}
	if op.Description != "" {
		out["description"] = op.Description
	}
	if query := fields(op.Query); query != nil {
		out["query"] = query
	}
	if body := fields(op.Fields); body != nil {
		out["body"] = body
	}
	if op.Waits {
		out["event"] = "the work goes on after the answer: wait with the event of the answer"
	}
	return result{data: out, open: true}, nil
}

// request is a call of an operation.
type request struct {
	op    operation
	path  string
	query url.Values
	body  map[string]any
}

func (r request) address(more ...string) string {
	query := url.Values{}
	for name, values := range r.query {
		query[name] = values
	}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	if len(query) == 0 {
		return r.path
	}
	return r.path + "?" + query.Encode()
}

// payload is the body as the API takes it, nil if the operation has none.
func (r request) payload() any {
	if len(r.op.Fields) == 0 {
		return nil
	}
	return r.body
}

// request reads what the tools take that call any operation.
func (s *session) request(ctx context.Context, in input) (request, error) {
	op, err := s.operation(in.text("operation"))
	if err != nil {
		return request{}, err
	}
	r := request{op: op, body: map[string]any{}}
	if r.query, err = op.query(in.object("query")); err != nil {
		return r, err
	}
	if body := in.object("body"); body != nil {
		r.body = body
	}
	if err := op.body(r.body); err != nil {
		return r, err
	}
	r.path, err = s.path(ctx, op, in.object("parameters"))
	return r, err
}

func read(ctx context.Context, s *session, in input) (result, error) {
	r, err := s.request(ctx, in)
	if err != nil {
		return result{}, err
	}
	if r.op.Changes() {
		return failed("%s changes something: use plan and apply.", r.op.ID), nil
	}
	if r.op.Answer == description.List && !r.query.Has("page[size]") {
		r.query.Set("page[size]", pageSize)
	}
	answer, err := s.client.Call(ctx, http.MethodGet, r.address(), nil)
	if err != nil {
		return result{}, err
	}
	return shown(r.op, answer)
}

// shown returns an answer of the API.
func shown(op operation, answer client.Answer) (result, error) {
	out := result{}
	if answer.Event != "" {
		out.notes = append(out.notes, "The work was accepted as event "+answer.Event+" and goes on: wait shows its end.")
	}
	switch {
	case len(answer.Body) == 0:
		out.notes = append(out.notes, "Done.")
		return out, nil
	case op.Answer == description.Text:
		out.data = string(answer.Body)
		return out, nil
	}
	doc, hid, err := document(answer.Body, op.Secrets)
	if err != nil {
		return out, err
	}
	if hid {
		out.notes = append(out.notes, secretsNote)
	}
	out.data = compactDocument(doc)
	return out, nil
}

// compactDocument returns a document of the API in fewer words.
func compactDocument(doc map[string]any) any {
	out := map[string]any{}
	for _, name := range []string{"data", "included"} {
		switch v := doc[name].(type) {
		case []any:
			for i := range v {
				v[i] = compact(v[i])
			}
			out[name] = v
		case map[string]any:
			out[name] = compact(v)
		}
	}
	if meta, full := prune(doc["meta"]); full {
		out["meta"] = meta
	}
	return out
}

// planned is a plan of a request.
type planned struct {
	// hash is of the request together with its plan, and panel is the hash that the API knows the plan by, "" if it has none.
	hash, panel string
	data        any
}

// plan returns what a request would do: the API's plan, or what would be deleted.
func (s *session) plan(ctx context.Context, r request) (planned, error) {
	var out planned
	var is any
	switch {
	case r.op.Plans:
		answer, err := s.client.Call(ctx, r.op.Method, r.address("dry_run", "true"), r.payload())
		if err != nil {
			return out, err
		}
		var doc struct {
			Meta struct {
				Plan struct{ Hash string }
			}
		}
		if err := json.Unmarshal(answer.Body, &doc); err != nil {
			return out, fmt.Errorf("read the plan: %w", err)
		}
		if doc.Meta.Plan.Hash == "" { // an installation of another version, or a proxy that answers for it
			return out, errors.New("the answer has no plan")
		}
		whole, _, err := document(answer.Body, nil)
		if err != nil {
			return out, err
		}
		plan := object(object(whole["meta"])["plan"])
		delete(plan, "hash")
		out.panel, out.data, is = doc.Meta.Plan.Hash, plan, doc.Meta.Plan.Hash
	case r.op.destroys() && s.known.byPath[r.op.Path].ID != "":
		show := s.known.byPath[r.op.Path]
		seen := r
		seen.query = url.Values{}
		for _, f := range show.Query { // such as the path of a file
			if values, given := r.query[f.Name]; given {
				seen.query[f.Name] = values
			}
		}
		answer, err := s.client.Call(ctx, http.MethodGet, seen.address(), nil)
		if client.IsStatus(err, http.StatusForbidden) { // the token may delete what it may not see
			break
		}
		if err != nil {
			return out, err
		}
		whole, _, err := document(answer.Body, show.Secrets)
		if err != nil {
			return out, err
		}
		is = object(whole["data"])["attributes"]
		out.data = map[string]any{"now": compactDocument(whole)}
		is = []any{is, object(whole["data"])["id"]}
	}
	raw, err := json.Marshal([]any{r.op.ID, r.op.Method, r.address(), r.body, is})
	if err != nil {
		return out, fmt.Errorf("write the plan: %w", err)
	}
	sum := sha256.Sum256(raw)
	out.hash = hex.EncodeToString(sum[:])
	return out, nil
}

func plan(ctx context.Context, s *session, in input) (result, error) {
	r, err := s.request(ctx, in)
	if err != nil {
		return result{}, err
	}
	switch {
	case !r.op.Changes():
		return failed("%s changes nothing: use call.", r.op.ID), nil
	case !r.held():
		return result{notes: []string{r.op.ID + " has no plan: what it does is in its description. Apply it without one."}}, nil
	}
	p, err := s.plan(ctx, r)
	if err != nil {
		return result{}, err
	}
	return p.result(r), nil
}

func (p planned) result(r request) result {
	out := result{notes: []string{"Nothing was changed. The plan's hash is " + p.hash + ". Show the plan to the person, then apply with the same " +
		"arguments and this hash."}, data: p.data}
	if r.op.destroys() {
		out.notes = append(out.notes, "This deletes something. Ask the person first. "+r.op.Description)
	}
	if where := r.op.once(r.body); where != "" {
		out.notes = append(out.notes, "The answer has a secret that is shown only once, and assistants are not shown it. "+where+" Ask the person first.")
	}
	return out
}

var planHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

func apply(ctx context.Context, s *session, in input) (result, error) {
	r, err := s.request(ctx, in)
	if err != nil {
		return result{}, err
	}
	given := in.text("plan")
	switch {
	case !r.op.Changes():
		return failed("%s changes nothing: use call.", r.op.ID), nil
	case given != "" && !planHash.MatchString(given):
		return failed("The argument plan must be the hash that plan returned. Nothing was done."), nil
	case r.held() && given == "":
		return failed("%s needs the hash of a plan: call plan first. Nothing was done.", r.op.ID), nil
	case !r.held():
		answer, err := s.client.Call(ctx, r.op.Method, r.address(), r.payload())
		if err != nil {
			return result{}, err
		}
		return shown(r.op, answer)
	}
	p, err := s.plan(ctx, r)
	if err != nil {
		return result{}, err
	}
	if p.hash != given {
		out := p.result(r)
		out.failed = true
		out.notes = append([]string{"The hash is of another plan or of other arguments, and nothing was done (409). This is the plan now:"}, out.notes...)
		return out, nil
	}
	answer, err := s.client.Call(client.WithPlan(ctx, p.panel), r.op.Method, r.address(), r.payload())
	if err != nil {
		return result{}, err
	}
	return shown(r.op, answer)
}
