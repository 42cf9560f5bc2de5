package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mustDescription returns a description that agrees with the contract: the contract itself, with our shape of errors and the permissions that we ask for.
func mustDescription(t *testing.T) map[string]any {
	t.Helper()
	v, err := decode(contractJSON)
	if err != nil {
		t.Fatal(err)
	}
	doc := object(v)
	eachOperation(doc, func(op map[string]any) {
		for code, response := range object(op["responses"]) {
			if code == "400" || code == "500" {
				object(object(object(response)["content"])[TypeJSON])["schema"] = objectOf(
					map[string]any{"message": map[string]any{"type": "string"}}, "message")
			}
		}
	})
	own, err := readDeviations(deviationsJSON)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range own.Permissions {
		is := make([]any, len(d.Is))
		for i, p := range d.Is {
			is[i] = p
		}
		op := operation(doc, d.Operation)
		op["x-permissions"], op["security"] = is, []any{map[string]any{"oauth2": is}}
	}
	return doc
}

func eachOperation(doc map[string]any, do func(op map[string]any)) {
	for _, item := range object(doc["paths"]) {
		for _, op := range object(item) {
			do(object(op))
		}
	}
}

func operation(doc map[string]any, id string) map[string]any {
	var found map[string]any
	eachOperation(doc, func(op map[string]any) {
		if op["operationId"] == id {
			found = op
		}
	})
	if found == nil {
		panic("no operation " + id)
	}
	return found
}

func allIDs() []string {
	var ids []string
	for _, op := range Operations() {
		ids = append(ids, op.ID)
	}
	return ids
}

func TestContractAgreesWithItself(t *testing.T) {
	t.Parallel()
	wantNothing(t, CompareDescription(mustJSON(t, mustDescription(t)), allIDs()))
}

// TestEncodingsThatMeanTheSame rewrites the whole contract in other words and expects nothing to be found.
func TestEncodingsThatMeanTheSame(t *testing.T) {
	t.Parallel()
	null := map[string]any{"type": "null"}
	for name, rewrite := range map[string]func(schemas, m map[string]any) map[string]any{
		"null as an alternative": func(_, m map[string]any) map[string]any {
			types, ok := m["type"].([]any)
			if !ok || !slices.Contains(types, any("null")) || len(types) != 2 {
				return m
			}
			m["type"] = types[0]
			if values, ok := m["enum"].([]any); ok {
				m["enum"] = slices.DeleteFunc(values, func(v any) bool { return v == nil })
			}
			return map[string]any{"anyOf": []any{m, null}}
		},
		"null as oneOf": func(_, m map[string]any) map[string]any {
			if list, ok := m["anyOf"]; ok {
				return map[string]any{"oneOf": list}
			}
			return m
		},
		"inline": func(schemas, m map[string]any) map[string]any {
			ref, ok := m["$ref"].(string)
			name, isSchema := strings.CutPrefix(ref, "#/components/schemas/")
			if !ok || !isSchema {
				return m
			}
			return object(schemas[name])
		},
		"constants": func(_, m map[string]any) map[string]any {
			if values, ok := m["enum"].([]any); ok && len(values) == 1 {
				m["const"] = values[0]
				delete(m, "enum")
			}
			return m
		},
		"allOf around a reference": func(_, m map[string]any) map[string]any {
			if _, ok := m["$ref"]; ok {
				return map[string]any{"allOf": []any{m}, "description": "Wrapped."}
			}
			return m
		},
		"words beside a reference": func(_, m map[string]any) map[string]any {
			if _, ok := m["$ref"]; ok {
				return map[string]any{"$ref": m["$ref"], "description": "Some words."}
			}
			return m
		},
		"formats of integers": func(_, m map[string]any) map[string]any {
			if m["type"] == "integer" {
				m["format"] = "int64"
			}
			return m
		},
		"order of lists": func(_, m map[string]any) map[string]any {
			for _, word := range []string{"enum", "required"} {
				if list, ok := m[word].([]any); ok {
					slices.Reverse(list)
				}
			}
			return m
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustDescription(t)
			schemas := object(object(mustDescription(t)["components"])["schemas"])
			rewritten := 0
			var walk func(v any) any
			walkSchema := func(m map[string]any) any {
				for _, word := range []string{"properties"} {
					props := object(m[word])
					for name := range props {
						props[name] = walk(props[name])
					}
				}
				for _, word := range []string{"items", "additionalProperties"} {
					if inner, ok := m[word].(map[string]any); ok {
						m[word] = walk(inner)
					}
				}
				for _, word := range []string{"anyOf", "allOf"} {
					if list, ok := m[word].([]any); ok {
						for i := range list {
							list[i] = walk(list[i])
						}
					}
				}
				before := text(m)
				out := rewrite(schemas, m)
				if text(out) != before {
					rewritten++
				}
				return out
			}
			walk = func(v any) any { return walkSchema(object(v)) }
			for name, s := range object(object(doc["components"])["schemas"]) {
				object(object(doc["components"])["schemas"])[name] = walk(s)
			}
			eachOperation(doc, func(op map[string]any) {
				for _, p := range append(list(op["parameters"]), op["requestBody"]) {
					for _, media := range object(object(p)["content"]) {
						object(media)["schema"] = walk(object(media)["schema"])
					}
					if s, ok := object(p)["schema"]; ok {
						object(p)["schema"] = walk(s)
					}
				}
				for _, response := range object(op["responses"]) {
					for _, media := range object(object(response)["content"]) {
						object(media)["schema"] = walk(object(media)["schema"])
					}
				}
			})
			if rewritten < 10 {
				t.Fatalf("only %d schemas were rewritten", rewritten)
			}
			wantNothing(t, CompareDescription(mustJSON(t, doc), allIDs()))
		})
	}
}

func TestCompareDescription(t *testing.T) {
	t.Parallel()
	const balancer, rules, store, servers, site = "organizations.servers.sites.storeOnBalancer", "organizations.servers.firewall-rules.index",
		"organizations.servers.firewall-rules.store", "organizations.servers.store", "organizations.sites.show"
	type docs = map[string]any
	component := func(d docs, name string) docs { return object(object(object(d["components"])["schemas"])[name]) }
	property := func(d docs, name, prop string) docs {
		return object(object(component(d, name)["properties"])[prop])
	}
	attribute := func(d docs, name, prop string) docs {
		return object(object(property(d, name, "attributes")["properties"])[prop])
	}
	dropRequired := func(m docs, name string) {
		m["required"] = slices.DeleteFunc(m["required"].([]any), func(v any) bool { return v == name })
	}
	require := func(m docs, name string) {
		list, _ := m["required"].([]any)
		m["required"] = append(list, name)
	}
	str := func() docs { return docs{"type": "string"} }
	const request = "CreateLoadBalancerSiteRequest"
	op := operation
	for name, tc := range map[string]struct {
		change func(d docs)
		want   string // empty: nothing is wrong
	}{
		"version of OpenAPI": {func(d docs) { d["openapi"] = "3.1.1" }, "openapi: is"},
		"version of ours":    {func(d docs) { object(d["info"])["version"] = "1.0.0" }, "info.version: is"},
		"scope missing":      {func(d docs) { delete(scopesOf(d), "server:web-terminal") }, "scope server:web-terminal is missing"},
		"scope invented":     {func(d docs) { scopesOf(d)["server:own"] = "" }, "scope server:own is not in the contract"},
		"no bearer":          {func(d docs) { delete(object(object(d["components"])["securitySchemes"]), "http") }, "is not a bearer scheme"},
		"no oauth":           {func(d docs) { delete(object(object(d["components"])["securitySchemes"]), "oauth2") }, "is not OAuth 2.0"},
		"one scheme for all": {func(d docs) { d["security"] = []any{docs{"http": []any{}}} }, "security: oauth2 is missing"},
		"other parameter name": {func(d docs) {
			renamePath(d, "/orgs/{organization}/servers/{server}/sites/balancer", "{server}", "{serverId}")
		}, "want POST /orgs/{organization}/servers/{server}/sites/balancer"},
		"other tag":         {func(d docs) { op(d, balancer)["tags"] = []any{"Balancers"} }, "tag Sites is missing"},
		"other mode":        {func(d docs) { op(d, balancer)["x-processingMode"] = "sync" }, `x-processingMode is "sync"`},
		"no permissions":    {func(d docs) { delete(op(d, balancer), "x-permissions") }, "x-permissions is missing"},
		"other permissions": {func(d docs) { op(d, balancer)["x-permissions"] = []any{"site:meta"} }, "x-permissions entry site:create is missing"},
		"other scope":       {func(d docs) { op(d, balancer)["security"] = []any{docs{"oauth2": []any{"site:meta"}}} }, "oauth2 scope site:create is missing"},
		"bearer beside oauth": {func(d docs) {
			op(d, balancer)["security"] = []any{docs{"http": []any{}}, docs{"oauth2": []any{"site:create"}}}
		}, ""},
		"bearer only":        {func(d docs) { op(d, balancer)["security"] = []any{docs{"http": []any{}}} }, "security does not name oauth2"},
		"open to all":        {func(d docs) { op(d, balancer)["security"] = []any{docs{}, docs{"oauth2": []any{"site:create"}}} }, "security is open"},
		"other success code": {func(d docs) { move(op(d, balancer), "202", "201") }, "response 202: is missing"},
		"other success type": {func(d docs) { moveType(op(d, balancer), "202", TypeDocument, TypeJSON) }, "has no content type application/vnd.api+json"},
		"error missing":      {func(d docs) { delete(object(op(d, balancer)["responses"]), "422") }, "response 422: is missing"},
		"error added":        {func(d docs) { object(op(d, balancer)["responses"])["409"] = docs{} }, ""},
		"error for the rest": {func(d docs) {
			object(op(d, balancer)["responses"])["default"] = docs{"content": docs{"application/problem+json": docs{"schema": docs{}}}}
		}, "response default: has no content type application/json"},
		"list nullable, and wrong inside": {func(d docs) {
			balancing := property(d, request, "balancing")
			balancing["type"] = []any{"array", "null"}
			delete(object(object(balancing["items"])["properties"]), "weight")
		}, "balancing[].weight: is missing"},
		"error as problem": {func(d docs) {
			moveType(object(d["components"]), "ModelNotFoundException", TypeJSON, "application/problem+json")
		}, "response 404: has no content type application/json"},
		"error with more": {func(d docs) {
			notFound := object(object(object(object(d["components"])["responses"])["ModelNotFoundException"])["content"])
			object(object(object(notFound[TypeJSON])["schema"])["properties"])["code"] = str()
		}, "response 404.code: is not in the contract"},
		"plan added":            {func(d docs) { object(op(d, balancer)["responses"])["200"] = docs{} }, ""},
		"document for accepted": {func(d docs) { object(op(d, store)["responses"])["202"] = documentResponse("RuleResource") }, ""},
		"wrong noun": {
			func(d docs) { object(op(d, store)["responses"])["202"] = documentResponse("SiteResource") },
			"response 202 data.type: allows \"sites\", want \"rules\"",
		},
		"path parameter's type": {
			func(d docs) { object(parameter(op(d, balancer), "server")["schema"])["type"] = "string" },
			"path parameter server: is string, want integer",
		},
		"path parameter from 1": {func(d docs) { object(parameter(op(d, balancer), "server")["schema"])["minimum"] = 1 }, ""},
		"filter missing":        {func(d docs) { dropParameter(op(d, rules), "filter[port]") }, "query parameter filter[port]: is missing"},
		"filter's type": {
			func(d docs) { object(parameter(op(d, rules), "filter[port]")["schema"])["type"] = "integer" },
			"filter[port]: is integer, want string",
		},
		"sort key missing": {func(d docs) {
			l := object(object(parameter(op(d, rules), "sort")["schema"])["items"])
			l["enum"] = l["enum"].([]any)[1:]
		}, "query parameter sort[]: allows"},
		"sort exploded":       {func(d docs) { delete(parameter(op(d, rules), "sort"), "explode") }, "explode is true, want false"},
		"default of the page": {func(d docs) { object(parameter(op(d, rules), "page[size]")["schema"])["default"] = 50 }, "default is 50, want 30"},
		"limit of the page":   {func(d docs) { object(parameter(op(d, rules), "page[size]")["schema"])["maximum"] = 100 }, "maximum is 100, want not set"},
		"parameter added": {func(d docs) {
			addParameter(op(d, balancer), docs{"name": "dry_run", "in": "query", "schema": docs{"type": "boolean"}})
		}, ""},
		"header required": {func(d docs) {
			addParameter(op(d, balancer), docs{"name": "Idempotency-Key", "in": "header", "required": true, "schema": str()})
		}, "header parameter Idempotency-Key is ours and required"},
		"body not required": {func(d docs) { object(op(d, balancer)["requestBody"])["required"] = false }, "request body: required is false, want true"},
		"body required":     {func(d docs) { object(op(d, store)["requestBody"])["required"] = true }, ""},
		"empty body refused": {
			func(d docs) { object(op(d, "organizations.servers.update")["requestBody"])["required"] = true },
			"request body: required is true, want false",
		},
		"body missing": {func(d docs) { delete(op(d, balancer), "requestBody") }, "request body: is missing"},
		"body type": {func(d docs) {
			c := object(object(op(d, balancer)["requestBody"])["content"])
			c["application/x"] = c[TypeJSON]
			delete(c, TypeJSON)
		}, "request body: has no content type application/json"},
		"body type added": {func(d docs) {
			c := object(object(op(d, balancer)["requestBody"])["content"])
			c[TypeDocument] = c[TypeJSON]
		}, ""},
		"property missing": {func(d docs) { delete(object(component(d, request)["properties"]), "balancing") }, "request body.balancing: is missing"},
		"property invented": {
			func(d docs) { object(component(d, request)["properties"])["colour"] = str() },
			"request body.colour: is not in the contract and not marked",
		},
		"property added": {func(d docs) {
			object(component(d, request)["properties"])["colour"] = docs{"type": "string", "x-hostler-extension": true}
		}, ""},
		"property added as ref": {func(d docs) {
			object(component(d, request)["properties"])["colour"] = docs{"$ref": "#/components/schemas/AppType", "x-hostler-extension": true}
		}, ""},
		"property added, needed": {func(d docs) {
			object(component(d, request)["properties"])["colour"] = docs{"type": "string", "x-hostler-extension": true}
			require(component(d, request), "colour")
		}, "request body.colour: is not in the contract"},
		"property's type": {func(d docs) { property(d, request, "domain")["type"] = "integer" }, "request body.domain: is integer, want string"},
		"property nullable": {
			func(d docs) { property(d, request, "domain")["type"] = []any{"string", "null"} },
			"request body.domain: is string or null, want string",
		},
		"property required":     {func(d docs) { require(component(d, request), "balancing") }, "request body.balancing: required is true, want false"},
		"property not required": {func(d docs) { dropRequired(component(d, request), "domain") }, "request body.domain: required is false, want true"},
		"node's server required": {
			func(d docs) { require(object(property(d, request, "balancing")["items"]), "server_id") },
			"balancing[].server_id: required is true",
		},
		"maximum":             {func(d docs) { property(d, request, "balancer_keepalive_max_connections")["maximum"] = 255 }, "maximum is 255, want 256"},
		"minItems":            {func(d docs) { delete(property(d, request, "balancing"), "minItems") }, "minItems is not set, want 1"},
		"length":              {func(d docs) { property(d, request, "domain")["maxLength"] = 253 }, "maxLength is 253, want not set"},
		"pattern":             {func(d docs) { property(d, "CreateSiteRequest", "isolated_user")["pattern"] = "^x$" }, "pattern is \"^x$\""},
		"enum value missing":  {func(d docs) { s := component(d, "NodeBalancerMethod"); s["enum"] = s["enum"].([]any)[1:] }, "balancer_method: allows"},
		"enum value invented": {func(d docs) { s := component(d, "SiteStatus"); s["enum"] = append(s["enum"].([]any), "gone") }, "attributes.status: allows"},
		"closed body":         {func(d docs) { component(d, request)["additionalProperties"] = false }, "request body: refuses properties"},
		"closed answer":       {func(d docs) { component(d, "SiteResource")["additionalProperties"] = false }, ""},
		"attribute missing": {
			func(d docs) { delete(object(property(d, "SiteResource", "attributes")["properties"]), "aliases") },
			"data.attributes.aliases: is missing",
		},
		"attribute invented": {
			func(d docs) { object(property(d, "SiteResource", "attributes")["properties"])["colour"] = str() },
			"data.attributes.colour: is not in the contract",
		},
		"attribute nullable":  {func(d docs) { attribute(d, "SiteResource", "name")["type"] = []any{"string", "null"} }, "data.attributes.name: is string or null"},
		"attribute optional":  {func(d docs) { dropRequired(property(d, "SiteResource", "attributes"), "name") }, "data.attributes.name: required is false"},
		"attributes promised": {func(d docs) { require(component(d, "SiteResource"), "attributes") }, ""},
		"attribute's format":  {func(d docs) { delete(attribute(d, "SiteResource", "created_at"), "format") }, `format is "", want "date-time"`},
		"attribute's bound":   {func(d docs) { attribute(d, "ServerResource", "ssh_port")["minimum"] = 1 }, ""},
		"meta of a resource":  {func(d docs) { object(component(d, "SiteResource")["properties"])["meta"] = docs{"type": "object"} }, ""},
		"meta of a document":  {func(d docs) { object(schemaOf(op(d, site), "200")["properties"])["meta"] = docs{"type": "object"} }, ""},
		"included missing":    {func(d docs) { delete(object(schemaOf(op(d, site), "200")["properties"]), "included") }, "response 200.included: is missing"},
		"included too few": {func(d docs) {
			i := object(object(object(schemaOf(op(d, site), "200")["properties"])["included"])["items"])
			i["anyOf"] = i["anyOf"].([]any)[1:]
		}, "included[] (alternative 1)"},
		"deviation: time":    {func(d docs) { attribute(d, "DeploymentResource", "started_at")["type"] = []any{"string", "null"} }, ""},
		"no deviation: time": {func(d docs) { attribute(d, "DeploymentResource", "created_at")["type"] = []any{"string", "null"} }, "created_at: is string or null"},
		"deviation: next":    {func(d docs) { property(d, "PaginationLinks", "next")["type"] = []any{"string", "null"} }, ""},
		"deviation: version": {func(d docs) { dropRequired(component(d, "CreateServerRequest"), "ubuntu_version") }, ""},
		"no deviation: name": {func(d docs) { dropRequired(component(d, "CreateServerRequest"), "name") }, "request body.name: required is false"},
		"deviation: addresses": {func(d docs) {
			bodyOf(op(d, store))["schema"] = ruleRequest(docs{"anyOf": []any{str(), docs{"type": "array", "items": str()}, docs{"type": "null"}}})
		}, ""},
		"addresses as text":   {func(d docs) { bodyOf(op(d, store))["schema"] = ruleRequest(str()) }, ""},
		"addresses as object": {func(d docs) { bodyOf(op(d, store))["schema"] = ruleRequest(docs{"type": "object"}) }, "request body.ip_address: is object"},
		"not marked as ours": {
			func(d docs) { object(d["paths"])["/ours"] = docs{"get": docs{"operationId": "ours"}} },
			"GET /ours: (ours) is not in the contract and not marked",
		},
		"marked as ours": {func(d docs) {
			object(d["paths"])["/ours"] = docs{"get": docs{"operationId": "ours", "x-hostler-extension": true}}
		}, ""},
		"marked, not ours":     {func(d docs) { op(d, balancer)["x-hostler-extension"] = true }, "is marked x-hostler-extension but is in the contract"},
		"route under other id": {func(d docs) { op(d, balancer)["operationId"] = "mine" }, `has the operation id "mine"`},
		"described twice":      {func(d docs) { object(d["paths"])["/a"] = docs{"get": docs{"operationId": balancer}} }, "is described twice"},
		"not described": {
			func(d docs) { delete(object(d["paths"]), "/orgs/{organization}/servers/{server}/sites/balancer") },
			balancer + ": is not described",
		},
		"server store, in parts": {func(d docs) { object(op(d, servers)["requestBody"])["required"] = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustDescription(t)
			tc.change(doc)
			wantFound(t, CompareDescription(mustJSON(t, doc), allIDs()), tc.want)
		})
	}
}

func TestCompareDescriptionOfSome(t *testing.T) {
	t.Parallel()
	doc := mustDescription(t)
	const path = "/orgs/{organization}/servers/{server}/firewall-rules/{rule}"
	doc["paths"] = map[string]any{path: object(doc["paths"])[path]}
	some := []string{"organizations.servers.firewall-rules.show", "organizations.servers.firewall-rules.destroy"}
	wantNothing(t, CompareDescription(mustJSON(t, doc), some))
	wantFound(t, CompareDescription(mustJSON(t, doc), append(some, "organizations.index")), "organizations.index: is not described")
	wantFound(t, CompareDescription(mustJSON(t, doc), []string{"nothing"}), "nothing: is not an operation of the contract")
	wantFound(t, CompareDescription([]byte("<html>"), some), "read JSON")
}

func scopesOf(doc map[string]any) map[string]any {
	oauth := object(object(object(doc["components"])["securitySchemes"])["oauth2"])
	return object(object(object(oauth["flows"])["authorizationCode"])["scopes"])
}

func renamePath(doc map[string]any, path, old, now string) {
	paths := object(doc["paths"])
	paths[strings.Replace(path, old, now, 1)] = paths[path]
	delete(paths, path)
}

func move(op map[string]any, from, to string) {
	responses := object(op["responses"])
	responses[to] = responses[from]
	delete(responses, from)
}

func moveType(owner map[string]any, response, from, to string) {
	content := object(object(object(owner["responses"])[response])["content"])
	content[to] = content[from]
	delete(content, from)
}

func schemaOf(op map[string]any, code string) map[string]any {
	return object(object(object(object(object(op["responses"])[code])["content"])[TypeDocument])["schema"])
}

func bodyOf(op map[string]any) map[string]any {
	return object(object(object(op["requestBody"])["content"])[TypeJSON])
}

func ruleRequest(addresses map[string]any) map[string]any {
	return objectOf(map[string]any{
		"name":       map[string]any{"type": "string", "maxLength": 50},
		"port":       map[string]any{"type": []any{"string", "null"}},
		"ip_address": addresses,
		"type":       map[string]any{"$ref": "#/components/schemas/RuleType"},
	}, "name", "type")
}

func documentResponse(resource string) map[string]any {
	return map[string]any{"content": map[string]any{TypeDocument: map[string]any{"schema": objectOf(
		map[string]any{"data": map[string]any{"$ref": "#/components/schemas/" + resource}}, "data")}}}
}

func parameter(op map[string]any, name string) map[string]any {
	for _, p := range op["parameters"].([]any) {
		if object(p)["name"] == name {
			return object(p)
		}
	}
	panic(fmt.Sprintf("no parameter %s", name))
}

func addParameter(op map[string]any, p map[string]any) {
	op["parameters"] = append(op["parameters"].([]any), p)
}

func dropParameter(op map[string]any, name string) {
	op["parameters"] = slices.DeleteFunc(op["parameters"].([]any), func(p any) bool { return object(p)["name"] == name })
}

func list(v any) []any {
	l, _ := v.([]any)
	return slices.Clone(l)
}
