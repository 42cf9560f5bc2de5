package description_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/description"
)

const described = `{
  "paths": {
    "/orgs/{organization}/servers/{server}/boxes": {
      "get": {"operationId": "boxes.index", "x-hostler": {"noun": "boxes", "verb": "list", "columns": ["name", "size"]},
        "parameters": [{"name": "filter[name]", "in": "query", "schema": {"type": "string"}},
        	{"name": "page[size]", "in": "query", "schema": {"type": "integer"}}],
        "responses": {"200": {"content": {"application/vnd.api+json": {"schema": {"properties": {"data": {"type": "array"}}}}}}}},
      "post": {"operationId": "boxes.store", "summary": "Create a box",
      	"x-hostler": {"noun": "boxes", "verb": "create", "arguments": ["server", "name"], "refers": {"lid_ids": "lid", "shelves": "shelf"}, "waits": true},
        "parameters": [{"name": "server", "in": "path", "schema": {"type": "integer"}}, {"name": "dry_run", "in": "query", "schema": {"type": "boolean"}}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Box"}}}},
        "responses": {"200": {"content": {"application/vnd.api+json": {"schema": {}}}}, "202": {"content": {"application/vnd.api+json": {"schema": {}}}}}}
    },
    "/orgs/{organization}/servers/{server}/boxes/{box}": {
      "delete": {"operationId": "boxes.destroy", "x-hostler": {"noun": "boxes", "verb": "delete", "arguments": ["server", "box"], "destroys": true},
        "parameters": [{"name": "box", "in": "path", "schema": {"type": "integer"}}], "responses": {"204": {}}}
    },
    "/orgs/{organization}/servers/{server}/boxes/{box}/actions": {
      "post": {"operationId": "boxes.actions.store", "x-hostler": {"noun": "boxes", "verb": "act", "arguments": ["server", "box", "action"],
        "actions": {"open": {"summary": "Open a box", "description": "It stays open."}, "shut": {"summary": "Shut a box"}}},
        "summary": "Open or shut a box", "description": "One that is open gets no parcels.",
        	"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["action"], "properties": {
          "action": {"type": "string", "enum": ["open", "shut"]}}}}}}, "responses": {"204": {}}}
    },
    "/orgs/{organization}/lids": {"get": {"operationId": "lids.index",
    	"x-hostler": {"noun": "lids", "verb": "list", "columns": ["name"]}, "responses": {"204": {}}}},
    "/orgs/{organization}/lids/{lid}": {"get": {"operationId": "lids.show"}},
    "/auth/login": {"post": {"operationId": "auth.login"}}
  },
  "components": {"schemas": {"Box": {"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string", "maxLength": 50, "description": "What it is called."},
    "color": {"type": ["string", "null"], "enum": ["red", "blue", null]},
    "content": {"type": "string"},
    "lock": {"type": "object", "properties": {"code": {"type": "string", "x-hostler-secret": true}}},
    "people": {"type": "array", "items": {"type": "object", "properties": {"password": {"type": "string", "x-hostler-secret": true}}}},
    "lid_ids": {"type": "array", "items": {"type": "integer"}},
    "shelves": {"type": "array", "items": {"type": "integer"}}
  }}}}
}`

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := description.Read([]byte(described))
	if err != nil {
		t.Fatal(err)
	}
	const boxes = "/orgs/{organization}/servers/{server}/boxes"
	want := []description.Operation{
		{
			ID: "boxes.store", Noun: "boxes", Verb: "create", Method: "POST", Path: boxes, Summary: "Create a box",
			Arguments: []description.Argument{{Name: "server"}, {Name: "name", Field: true}},
			Fields: []description.Field{
				{Name: "color", Flag: "color", Type: description.String, Enum: []string{"red", "blue"}, Null: true},
				{Name: "content", Flag: "content", Type: description.String, Long: true},
				{Name: "lid_ids", Flag: "lids", Type: description.Numbers, Of: &description.Reference{Lists: []string{"/orgs/{organization}/lids"}, By: []string{"name"}}},
				{Name: "lock.code", Flag: "lock-code", Type: description.String, Secret: true},
				{Name: "name", Flag: "name", Type: description.String, Description: "What it is called.", Required: true},
				{Name: "people", Flag: "people", Type: description.JSON, Secret: true, Long: true},
				{Name: "shelves", Flag: "shelves", Type: description.Numbers},
			},
			Answer: description.One, Waits: true, Plans: true,
		},
		{
			ID: "boxes.destroy", Noun: "boxes", Verb: "delete", Method: "DELETE", Path: boxes + "/{box}",
			Arguments: []description.Argument{{Name: "server"}, {Name: "box", By: []string{"name"}, Filtered: true}},
			Answer:    description.None, Destroys: true,
		},
		{
			ID: "boxes.index", Noun: "boxes", Verb: "list", Method: "GET", Path: boxes,
			Query:   []description.Field{{Name: "filter[name]", Flag: "name", Type: description.String}},
			Columns: []string{"name", "size"}, Answer: description.List,
		},
		{
			ID: "boxes.actions.store", Noun: "boxes", Verb: "open", Method: "POST", Path: boxes + "/{box}/actions", Action: "open",
			Summary: "Open a box", Description: "It stays open.",
			Arguments: []description.Argument{{Name: "server"}, {Name: "box", By: []string{"name"}, Filtered: true}}, Answer: description.None,
		},
		{
			ID: "boxes.actions.store", Noun: "boxes", Verb: "shut", Method: "POST", Path: boxes + "/{box}/actions", Action: "shut", Summary: "Shut a box",
			Arguments: []description.Argument{{Name: "server"}, {Name: "box", By: []string{"name"}, Filtered: true}}, Answer: description.None,
		},
		{ID: "lids.index", Noun: "lids", Verb: "list", Method: "GET", Path: "/orgs/{organization}/lids", Columns: []string{"name"}, Answer: description.None},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{"", "{}", `{"paths": {"/x": {"get": []}}}`} {
		if _, err := description.Read([]byte(wrong)); err == nil {
			t.Errorf("%q was read", wrong)
		}
	}
}
