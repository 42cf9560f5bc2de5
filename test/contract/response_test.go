package contract

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sample makes a document that a schema describes: every property present, the last of every enum (what we added, failed, is never that).
func sample(s *schema) any {
	if s.any {
		return "whatever"
	}
	for _, kind := range []string{"object", "array", "string", "integer", "number", "boolean"} {
		if len(s.kinds[kind]) == 0 {
			continue
		}
		a := s.kinds[kind][0]
		if len(a.enum) > 0 {
			var v any
			if err := json.Unmarshal([]byte(a.enum[len(a.enum)-1]), &v); err != nil {
				panic(err)
			}
			return v
		}
		switch kind {
		case "object":
			m := map[string]any{}
			for name, p := range a.props {
				m[name] = sample(p)
			}
			if a.extra != nil {
				m["any"] = sample(a.extra)
			}
			return m
		case "array":
			return []any{sample(a.items)}
		case "string":
			switch a.format {
			case "date-time":
				return "2025-07-29T09:00:00.000000Z"
			case "uri":
				return "https://hostler.test/api/x"
			case "email":
				return "someone@example.com"
			}
			return "text"
		case "integer", "number":
			return 7
		default:
			return true
		}
	}
	return nil
}

func documentHeader() http.Header { return http.Header{"Content-Type": {TypeDocument}} }
func errorHeader() http.Header    { return http.Header{"Content-Type": {TypeJSON}} }

// mustSample returns a good success body of an operation.
func mustSample(t *testing.T, opID string) map[string]any {
	t.Helper()
	e := load().byID[opID]
	if e == nil || e.success == nil {
		t.Fatalf("%s shows no success body", opID)
	}
	return mustCopy(t, sample(e.success))
}

func mustCopy(t *testing.T, v any) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(mustJSON(t, v), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestEverySuccessOfTheContract makes a document for every operation, has an independent validator confirm that the
// published schema allows it, and expects the same of ours. Then it takes each attribute away and sets each to null, and
// expects both to be noticed.
func TestEverySuccessOfTheContract(t *testing.T) {
	t.Parallel()
	published, err := jsonschema.UnmarshalJSON(strings.NewReader(string(contractJSON)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("contract.json", published); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, op := range Operations() {
		if op.SuccessType != TypeDocument {
			continue
		}
		good := mustSample(t, op.ID)
		wantNothing(t, CheckResponse(op.ID, op.SuccessCode, documentHeader(), mustJSON(t, good)))

		pointer := fmt.Sprintf("contract.json#/paths/%s/%s/responses/%d/content/application~1vnd.api+json/schema",
			strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(op.Path, "/", "~1"), "{", "%7B"), "}", "%7D"), strings.ToLower(op.Method), op.SuccessCode)
		independent, err := compiler.Compile(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if err := independent.Validate(good); err != nil {
			t.Errorf("%s: the sample is not what the contract describes: %v", op.ID, err)
		}

		resource, _ := good["data"].(map[string]any)
		if list, ok := good["data"].([]any); ok {
			resource = list[0].(map[string]any)
		}
		attributes, _ := resource["attributes"].(map[string]any)
		for name, was := range attributes {
			delete(attributes, name)
			wantFound(t, CheckResponse(op.ID, op.SuccessCode, documentHeader(), mustJSON(t, good)), "attributes."+name+": is missing")
			attributes[name] = nil
			theirs := independent.Validate(good) != nil
			ours := len(CheckResponse(op.ID, op.SuccessCode, documentHeader(), mustJSON(t, good))) > 0
			if theirs != ours && !(name == "started_at" || name == "ended_at" || name == "database_ids" && strings.Contains(op.ID, "instances")) {
				t.Errorf("%s: null in %s: the contract refuses is %t, we refuse is %t", op.ID, name, theirs, ours)
			}
			attributes[name] = was
			checked++
		}
	}
	if checked < 800 {
		t.Errorf("only %d attributes were tried", checked)
	}
}

func TestCheckResponseFinds(t *testing.T) {
	t.Parallel()
	const site, rules, deployment, backup = "organizations.sites.show", "organizations.servers.firewall-rules.index",
		"organizations.servers.sites.deployments.show", "organizations.servers.database.backups.instances.show"
	attributes := func(doc map[string]any) map[string]any {
		return object(object(doc["data"])["attributes"])
	}
	for name, tc := range map[string]struct {
		op     string
		change func(doc map[string]any)
		want   string // empty: nothing is wrong
	}{
		"nothing":                      {site, func(map[string]any) {}, ""},
		"missing attribute":            {site, func(d map[string]any) { delete(attributes(d), "aliases") }, "data.attributes.aliases: is missing"},
		"missing attributes":           {site, func(d map[string]any) { delete(object(d["data"]), "attributes") }, "data.attributes: is missing"},
		"missing key inside":           {site, func(d map[string]any) { delete(object(attributes(d)["repository"]), "branch") }, "repository.branch: is missing"},
		"wrong null":                   {site, func(d map[string]any) { attributes(d)["name"] = nil }, "data.attributes.name: is null, want string"},
		"right null":                   {site, func(d map[string]any) { attributes(d)["root_directory"] = nil }, ""},
		"wrong null inside":            {site, func(d map[string]any) { object(attributes(d)["repository"])["provider"] = nil }, "repository.provider: is null"},
		"unknown attribute":            {site, func(d map[string]any) { attributes(d)["colour"] = "red" }, "data.attributes.colour: is not in the contract"},
		"unknown name at the top":      {site, func(d map[string]any) { d["extra"] = 1 }, "extra: is not in the contract"},
		"unknown name in the resource": {site, func(d map[string]any) { object(d["data"])["extra"] = 1 }, "data.extra: is not in the contract"},
		"meta at the top":              {site, func(d map[string]any) { d["meta"] = map[string]any{"a": 1} }, ""},
		"meta in the resource":         {site, func(d map[string]any) { object(d["data"])["meta"] = map[string]any{"operation": nil} }, ""},
		"meta that is no object":       {site, func(d map[string]any) { d["meta"] = "a" }, "meta: is a string, want an object"},
		"value outside the enum":       {site, func(d map[string]any) { attributes(d)["status"] = "fine" }, "data.attributes.status: is \"fine\""},
		"number for a text":            {site, func(d map[string]any) { attributes(d)["url"] = 1 }, "data.attributes.url: is an integer"},
		"numeric id":                   {site, func(d map[string]any) { object(d["data"])["id"] = 12 }, "data.id: is an integer"},
		"empty id":                     {site, func(d map[string]any) { object(d["data"])["id"] = "" }, "data.id: is empty"},
		"wrong type":                   {site, func(d map[string]any) { object(d["data"])["type"] = "site" }, "data.type: is \"site\""},
		"missing links":                {site, func(d map[string]any) { delete(object(d["data"]), "links") }, "data.links: is missing"},
		"missing self":                 {site, func(d map[string]any) { object(d["data"])["links"] = map[string]any{} }, "data.links.self: is missing"},
		"self as text": {
			site, func(d map[string]any) { object(object(d["data"])["links"])["self"] = "https://a.test" },
			"data.links.self: is a string",
		},
		"self without scheme":   {site, func(d map[string]any) { object(object(object(d["data"])["links"])["self"])["href"] = "/api/x" }, "href: is \"/api/x\""},
		"time without decimals": {site, func(d map[string]any) { attributes(d)["created_at"] = "2025-07-29T09:00:00Z" }, "data.attributes.created_at: is"},
		"time with an offset": {
			site, func(d map[string]any) { attributes(d)["created_at"] = "2025-07-29T09:00:00.000000+02:00" },
			"data.attributes.created_at: is",
		},
		"time that is none": {site, func(d map[string]any) { attributes(d)["created_at"] = "2025-02-30T09:00:00.000000Z" }, "data.attributes.created_at: is"},
		"relationship without data": {
			site, func(d map[string]any) { object(object(d["data"])["relationships"])["server"] = map[string]any{} },
			"server.data: is missing",
		},
		"relationship of another type": {site, func(d map[string]any) {
			object(object(object(object(d["data"])["relationships"])["server"])["data"])["type"] = "tags"
		}, "server.data.type: is \"tags\""},
		"included of a foreign type": {site, func(d map[string]any) { object(d["included"].([]any)[0])["type"] = "recipes" }, "included[0]: has type \"recipes\""},
		"included that is incomplete": {
			site, func(d map[string]any) { delete(object(object(d["included"].([]any)[0])["attributes"]), "is_ready") },
			"included[0].attributes.is_ready: is missing",
		},
		"included twice":               {site, func(d map[string]any) { l := d["included"].([]any); d["included"] = append(l, l[0]) }, "is listed twice"},
		"included where there is none": {backup, func(d map[string]any) { d["included"] = []any{} }, "included: is not in the contract"},
		"no data":                      {site, func(d map[string]any) { delete(d, "data") }, "data: is missing"},
		"queued deployment":            {deployment, func(d map[string]any) { attributes(d)["started_at"], attributes(d)["ended_at"] = nil, nil }, ""},
		"deployment without creation":  {deployment, func(d map[string]any) { attributes(d)["created_at"] = nil }, "created_at: is null"},
		"deployment with links": {deployment, func(d map[string]any) {
			object(d["data"])["links"] = map[string]any{"self": map[string]any{"href": "https://a.test/b"}}
		}, ""},
		"running backup": {backup, func(d map[string]any) { attributes(d)["finished_at"] = nil }, ""},
		"backup with a time": {
			backup, func(d map[string]any) { attributes(d)["finished_at"] = "2025-07-29T09:00:00.000000Z" },
			"finished_at: is a string",
		},
		"backup with a truth":       {backup, func(d map[string]any) { attributes(d)["is_partial"] = false }, "is_partial: is a boolean"},
		"list":                      {rules, func(map[string]any) {}, ""},
		"list at its end":           {rules, func(d map[string]any) { object(d["links"])["next"], object(d["links"])["prev"] = nil, nil }, ""},
		"list without links":        {rules, func(d map[string]any) { delete(d, "links") }, "links: is missing"},
		"list without a cursor":     {rules, func(d map[string]any) { delete(object(d["meta"]), "next_cursor") }, "meta.next_cursor: is missing"},
		"list with a count":         {rules, func(d map[string]any) { object(d["meta"])["total"] = 3 }, "meta.total: is not in the contract"},
		"list that is one resource": {rules, func(d map[string]any) { d["data"] = d["data"].([]any)[0] }, "data: is an object"},
		"list with the same twice":  {rules, func(d map[string]any) { l := d["data"].([]any); d["data"] = append(l, l[0]) }, "data[1]: is listed twice"},
		"list with a broken one": {
			rules, func(d map[string]any) { delete(object(object(d["data"].([]any)[0])["attributes"]), "port") },
			"data[0].attributes.port: is missing",
		},
		"shared path that is no text":   {site, func(d map[string]any) { attributes(d)["shared_paths"] = map[string]any{"a": 1} }, "shared_paths.a: is an integer"},
		"empty list for an empty table": {site, func(d map[string]any) { attributes(d)["shared_paths"] = []any{} }, "shared_paths: is an array"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustSample(t, tc.op)
			tc.change(doc)
			wantFound(t, CheckResponse(tc.op, 200, documentHeader(), mustJSON(t, doc)), tc.want)
		})
	}
}

func TestCheckResponseEnvelope(t *testing.T) {
	t.Parallel()
	const show, destroy, store, clear, export, imports, archive = "organizations.sites.show", "organizations.servers.firewall-rules.destroy",
		"organizations.servers.firewall-rules.store", "organizations.servers.logs.destroy", "organizations.servers.sites.redirect-rules.export",
		"organizations.servers.sites.redirect-rules.import", "organizations.servers.archives.store"
	rule := string(mustJSON(t, map[string]any{"data": mustSample(t, "organizations.servers.firewall-rules.show")["data"]}))
	header := func(contentType string) http.Header { return http.Header{"Content-Type": {contentType}} }
	for name, tc := range map[string]struct {
		op     string
		status int
		header http.Header
		body   string
		want   string
	}{
		"unknown operation":           {"organizations.nothing", 200, nil, "", "neither in the contract"},
		"wrong content type":          {show, 200, errorHeader(), "{}", `content type is "application/json"`},
		"no content type":             {show, 200, nil, "{}", `content type is ""`},
		"content type with charset":   {show, 200, header(TypeDocument + "; charset=utf-8"), "{}", "content type is"},
		"wrong success code":          {show, 201, documentHeader(), "{}", "status is 201, want 200"},
		"redirect":                    {show, 302, nil, "", "status is 302, want 200"},
		"server error":                {show, 500, errorHeader(), `{"message":"Server error."}`, "status is 500, which"},
		"undeclared code":             {show, 422, errorHeader(), `{"message":"m","errors":{"a":["b"]}}`, "status is 422, which"},
		"conflict of a read":          {show, 409, errorHeader(), `{"message":"m"}`, "status is 409, which"},
		"not JSON":                    {show, 200, documentHeader(), "<html>", "read JSON"},
		"two documents":               {show, 200, documentHeader(), "{}{}", "more than one value"},
		"accepted without body":       {destroy, 202, nil, "", ""},
		"accepted with document":      {destroy, 202, documentHeader(), rule, ""},
		"stored with document":        {store, 202, documentHeader(), rule, ""},
		"stored with broken document": {store, 202, documentHeader(), strings.Replace(rule, `"port"`, `"ports"`, 1), "data.attributes.port: is missing"},
		"stored with another noun":    {store, 202, documentHeader(), strings.Replace(rule, `"rules"`, `"servers"`, 1), "data.type: is"},
		"accepted with page":          {store, 202, header("text/html"), "<p>", "content type is"},
		"accepted as done":            {destroy, 204, nil, "", "status is 204, want 202"},
		"no known noun":               {archive, 202, documentHeader(), `{"data":{"id":"1","type":"x"}}`, "is missing"},
		"done":                        {clear, 204, nil, "", ""},
		"done with body":              {clear, 204, nil, "{}", "204 has a body"},
		"table":                       {export, 200, header("text/csv; charset=utf-8"), "from,to,type\n", ""},
		"table of another type":       {export, 200, header("text/plain"), "from,to,type\n", "content type is"},
		"import": {
			imports, 202, errorHeader(),
			`{"imported":1,"invalid":[],"duplicates":[{"line":"2","reason":"Already exists on this site.","from":"/a","to":"/b","type":"redirect"}]}`, "",
		},
		"import without count":      {imports, 202, errorHeader(), `{"invalid":[],"duplicates":[]}`, "imported: is missing"},
		"no credentials":            {show, 401, errorHeader(), `{"message":"Unauthenticated."}`, ""},
		"too many":                  {show, 429, errorHeader(), `{"message":"Too many."}`, ""},
		"not found":                 {show, 404, errorHeader(), `{"message":"Not found."}`, ""},
		"not found as document":     {show, 404, documentHeader(), `{"message":"Not found."}`, "content type is"},
		"not found where never":     {"user.show", 404, errorHeader(), `{"message":"Not found."}`, "status is 404, which"},
		"error with more":           {show, 404, errorHeader(), `{"message":"m","code":1}`, "code: is not in the contract"},
		"error without words":       {show, 403, errorHeader(), `{"message":""}`, "message: breaks minLength"},
		"error without message":     {show, 403, errorHeader(), `{"error":"m"}`, "message: is missing"},
		"error as problem":          {show, 403, header("application/problem+json"), `{"message":"m"}`, "content type is"},
		"invalid":                   {store, 422, errorHeader(), `{"message":"m","errors":{"name":["The name is missing."]}}`, ""},
		"invalid, nested":           {store, 422, errorHeader(), `{"message":"m","errors":{"balancing.0.port":["a","b"]}}`, ""},
		"invalid without fields":    {store, 422, errorHeader(), `{"message":"m"}`, "errors: is missing"},
		"invalid with empty fields": {store, 422, errorHeader(), `{"message":"m","errors":{}}`, "errors: is empty"},
		"invalid with list":         {store, 422, errorHeader(), `{"message":"m","errors":[]}`, "errors: is an array"},
		"invalid with empty field":  {store, 422, errorHeader(), `{"message":"m","errors":{"a":[]}}`, "errors.a: breaks minItems"},
		"invalid with text":         {store, 422, errorHeader(), `{"message":"m","errors":{"a":"b"}}`, "errors.a: is a string"},
		"list of unspecified items": {
			"organizations.servers.sites.integrations.pulse.store", 400, errorHeader(),
			`["not installed"]`, "is an array",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantFound(t, CheckResponse(tc.op, tc.status, tc.header, []byte(tc.body)), tc.want)
		})
	}
}

func TestCheckResponseOfExtensions(t *testing.T) {
	t.Parallel()
	ours := WithExtensions(
		Operation{ID: "organizations.servers.drift.show", Method: "GET", Path: "/orgs/{organization}/servers/{server}/drift", SuccessCode: 200},
		Operation{ID: "organizations.events.stream", Method: "GET", Path: "/orgs/{organization}/events/stream", SuccessCode: 200, SuccessType: "text/event-stream"},
	)
	good := `{"data":{"id":"1","type":"drifts","attributes":{"anything":[1]},"links":{"self":{"href":"https://a.test/b"}}}}`
	wantNothing(t, CheckResponse("organizations.servers.drift.show", 200, documentHeader(), []byte(good), ours))
	wantNothing(t, CheckResponse("organizations.servers.drift.show", 404, errorHeader(), []byte(`{"message":"m"}`), ours))
	wantNothing(t, CheckResponse("organizations.events.stream", 200, http.Header{"Content-Type": {"text/event-stream"}}, nil, ours))
	wantFound(t, CheckResponse("organizations.servers.drift.show", 200, documentHeader(),
		[]byte(strings.Replace(good, `"1"`, `1`, 1)), ours), "data.id: is an integer")
	wantFound(t, CheckResponse("organizations.servers.drift.show", 200, errorHeader(), []byte(good), ours), "content type")
	wantFound(t, CheckResponse("organizations.servers.drift.show", 500, errorHeader(), []byte(`{"message":"m"}`), ours), "status is 500")
	wantFound(t, CheckResponse("organizations.servers.drift.show", 200, documentHeader(), []byte(good)), "neither in the contract")
}

// recorder is a testing.TB that keeps what was reported.
type recorder struct {
	testing.TB
	lines []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func TestChecker(t *testing.T) {
	t.Parallel()
	rule := mustJSON(t, map[string]any{"data": mustSample(t, "organizations.servers.firewall-rules.show")["data"]})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("dry_run") == "true":
			w.Header().Set("Content-Type", TypeDocument)
			fmt.Fprint(w, `{"data":{"id":"0","type":"plans","attributes":{"changes":[]},"links":{"self":{"href":"https://a.test/b"}}}}`)
		case strings.HasSuffix(r.URL.Path, "/1"):
			w.Header().Set("Content-Type", TypeDocument)
			_, _ = w.Write(rule)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	for name, tc := range map[string]struct{ method, path, want string }{
		"good":            {"GET", "/api/orgs/acme/servers/1/firewall-rules/1", ""},
		"good, no body":   {"HEAD", "/api/orgs/acme/servers/1/firewall-rules/1", ""},
		"plain not found": {"GET", "/api/orgs/acme/servers/1/firewall-rules/2", "(organizations.servers.firewall-rules.show) answered 404: content type"},
		"not ours":        {"GET", "/healthz", ""},
		"dry run":         {"POST", "/api/orgs/acme/servers/1/firewall-rules?dry_run=true", ""},
		"wrong code":      {"DELETE", "/api/orgs/acme/servers/1/firewall-rules/1", "status is 200, want 202"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			client := &http.Client{Transport: Checker(r, func(req *http.Request) (string, bool) {
				id, _, ok := Match(req.Method, strings.TrimPrefix(req.URL.EscapedPath(), "/api"))
				return id, ok
			})(http.DefaultTransport)}
			req, err := http.NewRequestWithContext(t.Context(), tc.method, server.URL+tc.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil || (name == "good" && string(body) != string(rule)) {
				t.Errorf("the body did not come through: %q, %v", body, err)
			}
			wantFound(t, r.lines, tc.want)
		})
	}
}

// TestNouns lists the accepted operations that may answer with any resource, since the contract has no read for theirs. All
// others are compared with a resource of the contract.
func TestNouns(t *testing.T) {
	t.Parallel()
	b := load()
	var without []string
	for _, id := range slices.Sorted(maps.Keys(b.byID)) {
		if e := b.byID[id]; e.SuccessCode == 202 && e.success == nil && e.noun == nil {
			without = append(without, id)
		}
	}
	want := []string{
		"forge-recipes.runs.store",
		"organizations.servers.archives.destroy",
		"organizations.servers.database.backups.instances.restores.store",
		"organizations.servers.database.schemas.synchronizations.store",
		"organizations.servers.services.mysql.actions.store",
		"organizations.servers.services.nginx.actions.store",
		"organizations.servers.services.php.actions.store",
		"organizations.servers.services.postgres.actions.store",
		"organizations.servers.services.redis.actions.store",
		"organizations.servers.services.supervisor.actions.store",
		"organizations.servers.sites.deployments.push-to-deploy.destroy",
		"organizations.servers.sites.deployments.push-to-deploy.store",
		"organizations.servers.sites.redirect-rules.reorder",
	}
	if diff := cmp.Diff(want, without); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
