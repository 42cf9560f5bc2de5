package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOperationsAgreeWithTheirList(t *testing.T) {
	t.Parallel()
	// These lists answer with links and meta as the paginated ones do, and take no page[size] or page[cursor].
	cursorless := []string{
		"organizations.server-credentials.vpcs.index",
		"organizations.servers.sites.composer.credentials.index", "organizations.servers.sites.npm.credentials.index",
	}
	ops := Operations()
	if len(ops) != 279 {
		t.Fatalf("%d operations, want 279", len(ops))
	}
	for i, line := range strings.Split(strings.TrimSpace(operationsTSV), "\n")[1:] {
		c := strings.Split(line, "\t")
		op := ops[i]
		body := op.HasBody
		codes := []string{}
		for _, code := range op.ErrorCodes {
			codes = append(codes, strconv.Itoa(code))
		}
		wantCodes := strings.Split(c[10], ",")
		slices.Sort(wantCodes)
		got := []string{
			op.Method, op.Path, op.ID, op.Tag, op.Mode, sorted(op.Permissions), sorted(op.OAuthScopes),
			strconv.Itoa(op.SuccessCode), strings.Join(codes, ","), fmt.Sprint(body), fmt.Sprint(op.Paginated),
		}
		want := []string{
			c[0], c[1], c[2], c[3], c[4], sorted(strings.Split(c[5], ",")), sorted(strings.Split(c[6], ",")),
			c[7], strings.Join(wantCodes, ","), fmt.Sprint(c[9] != "-"), fmt.Sprint(strings.HasPrefix(c[8], "[") &&
				strings.Contains(c[8], "+cursor") && !slices.Contains(cursorless, op.ID)),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-list +contract):\n%s", c[2], diff)
		}
	}
}

func sorted(list []string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" || s == "-" })
	slices.Sort(list)
	return strings.Join(list, ",")
}

func TestFind(t *testing.T) {
	t.Parallel()
	op, ok := Find("organizations.servers.firewall-rules.index")
	if !ok {
		t.Fatal("not found")
	}
	want := Operation{
		ID: "organizations.servers.firewall-rules.index", Method: "GET", Path: "/orgs/{organization}/servers/{server}/firewall-rules",
		Tag: "Firewall Rules", Mode: "sync", Permissions: []string{"server:manage-network"}, OAuthScopes: []string{"server:manage-network"},
		SuccessCode: 200, SuccessType: TypeDocument, ErrorCodes: []int{403, 404},
		Filters: []string{"name", "status", "ip_address", "type", "port"},
		Sorts:   []string{"created_at", "-created_at", "updated_at", "-updated_at"}, Paginated: true,
	}
	if diff := cmp.Diff(want, op); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, ok := Find("organizations.servers.drift.show"); ok {
		t.Error("found an operation that nobody told of")
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	retry := Operation{
		ID: "organizations.servers.events.retry", Method: "POST",
		Path: "/orgs/{organization}/servers/{server}/events/{event}/retry", SuccessCode: 202,
	}
	for _, tc := range []struct {
		method, path, want string
		params             map[string]string
	}{
		{"GET", "/orgs/acme/servers/12", "organizations.servers.show", map[string]string{"organization": "acme", "server": "12"}},
		{"HEAD", "/orgs/acme/servers/12", "organizations.servers.show", map[string]string{"organization": "acme", "server": "12"}},
		{"GET", "/orgs/acme/servers/archives", "organizations.servers.archives.index", map[string]string{"organization": "acme"}},
		{
			"GET", "/orgs/acme/servers/1/sites/2/deployments/status", "organizations.servers.sites.deployments.status.show",
			map[string]string{"organization": "acme", "server": "1", "site": "2"},
		},
		{
			"GET", "/orgs/acme/servers/1/sites/2/deployments/7", "organizations.servers.sites.deployments.show",
			map[string]string{"organization": "acme", "server": "1", "site": "2", "deployment": "7"},
		},
		{
			"PUT", "/orgs/acme/servers/1/sites/2/composer/credentials/repo%2Fone", "organizations.servers.sites.composer.credentials.update",
			map[string]string{"organization": "acme", "server": "1", "site": "2", "repository": "repo/one"},
		},
		{
			"POST", "/orgs/acme/servers/1/events/5/retry", "organizations.servers.events.retry",
			map[string]string{"organization": "acme", "server": "1", "event": "5"},
		},
		{"PATCH", "/orgs/acme/servers/12", "", nil},
		{"GET", "/orgs/acme/servers/12/", "", nil},
		{"GET", "/orgs//servers", "", nil},
		{"GET", "/nowhere", "", nil},
		{"GET", "", "", nil},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			t.Parallel()
			id, params, ok := Match(tc.method, tc.path, WithExtensions(retry))
			if id != tc.want || ok != (tc.want != "") {
				t.Fatalf("matched %q, want %q", id, tc.want)
			}
			if diff := cmp.Diff(tc.params, params); diff != "" {
				t.Errorf("parameters (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMatchFindsEveryOperation fills each path in and expects the same operation back.
func TestMatchFindsEveryOperation(t *testing.T) {
	t.Parallel()
	for _, op := range Operations() {
		segments := strings.Split(op.Path, "/")
		for i, s := range segments {
			if strings.HasPrefix(s, "{") {
				segments[i] = "1"
			}
		}
		if id, _, _ := Match(op.Method, strings.Join(segments, "/")); id != op.ID {
			t.Errorf("%s %s is found as %q, want %q", op.Method, op.Path, id, op.ID)
		}
	}
}

// TestSeedAgreesWithContract compares the seed's tables with the contract. Where they differ the seed wins, and the difference is
// to be recorded, not found by a user.
func TestSeedAgreesWithContract(t *testing.T) {
	t.Parallel()
	b := load()
	components := map[string]string{
		"site": "SiteResource", "server": "ServerResource", "tag": "TagResource",
		"deployment": "DeploymentResource", "security rule": "SecurityRuleResource", "redirect rule": "RedirectRuleResource",
		"backup instance": "BackupResource",
	}
	if len(components) != len(b.seed.Resources) {
		t.Fatalf("the seed has %d resources, want %d", len(b.seed.Resources), len(components))
	}
	for name, component := range components {
		var f findings
		raw := b.seed.resource(name)
		if len(b.seed.Resources[name].Relationships) == 0 && b.resources[component].prop("relationships") == nil {
			delete(object(raw["properties"]), "relationships")
		}
		if name == "backup instance" { // in the seed, not in the contract: one of our additions
			attributes := object(object(raw["properties"])["attributes"])
			delete(object(attributes["properties"]), "database_ids")
			attributes["required"] = slices.DeleteFunc(slices.Clone(attributes["required"].([]any)), func(v any) bool { return v == "database_ids" })
		}
		seed := (&reader{}).read(raw)
		(&comparison{request: true}).bare(seed, b.resources[component], name, &f)
		wantNothing(t, f)
	}
	for name, values := range b.seed.Enums {
		s := b.resources[name]
		if s == nil {
			continue // the seed lists the states of a redirect rule beside the field
		}
		want := []string{}
		for _, v := range values {
			want = append(want, text(v))
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, s.kinds["string"][0].enum); diff != "" {
			t.Errorf("%s (-seed +contract):\n%s", name, diff)
		}
	}
	for id, op := range b.seed.Operations {
		e := b.byID[id]
		if e == nil || e.Method != op.Method || e.Path != op.Path || e.Mode != op.Mode {
			t.Errorf("%s is not the contract's", id)
			continue
		}
		if op.Success.Code != 0 && (op.Success.Code != e.SuccessCode || op.Success.Type != e.SuccessType) {
			t.Errorf("%s: success differs", id)
		}
		if op.Scopes != nil && (!slices.Equal(op.Scopes, e.OAuthScopes) || !slices.Equal(op.Errors, e.ErrorCodes)) {
			t.Errorf("%s: scopes or errors differ", id)
		}
		if op.Body != nil {
			var f findings
			(&comparison{request: true}).bare((&reader{}).read(b.seed.fields(op.Body, false)), e.body, id, &f)
			wantNothing(t, f)
			if op.BodyRequired != e.BodyRequired {
				t.Errorf("%s: whether the body is required differs", id)
			}
		}
	}
	scopes := object(object(object(object(object(object(b.raw["components"])["securitySchemes"])["oauth2"])["flows"])["authorizationCode"])["scopes"])
	if len(b.seed.Scopes) != 62 || sorted(b.seed.Scopes) != sorted(sortedKeys(scopes)) {
		t.Error("the scopes differ")
	}
}

func TestDeviationsHaveReasons(t *testing.T) {
	t.Parallel()
	d := load().deviations
	var reasons []string
	for _, s := range d.Schemas {
		reasons = append(reasons, s.Reason)
	}
	for _, s := range d.Additions {
		reasons = append(reasons, s.Reason)
	}
	for _, s := range d.Codes {
		reasons = append(reasons, s.Reason)
	}
	for _, s := range d.Documents {
		reasons = append(reasons, s.Reason)
		if load().resources[s.Resource] == nil {
			t.Errorf("%s answers with %s, which does not exist", s.Operation, s.Resource)
		}
	}
	for _, s := range d.Errors {
		reasons = append(reasons, s.Reason)
	}
	for _, s := range d.Values {
		reasons = append(reasons, s.Reason)
	}
	for _, s := range d.Permissions {
		reasons = append(reasons, s.Reason)
	}
	if slices.Contains(reasons, "") {
		t.Error("a deviation has no reason")
	}
}

// TestRoleAndTokenNeedTheSame checks the list of deviations against the rule that a token needs everything that either column of
// the contract names, and a role as well: scopes narrow a role, and never replace it.
func TestRoleAndTokenNeedTheSame(t *testing.T) {
	t.Parallel()
	b := load()
	for _, p := range b.deviations.Permissions {
		if b.byID[p.Operation] == nil {
			t.Errorf("%s: the contract has no such operation", p.Operation)
		}
	}
	for _, op := range Operations() {
		if sorted(op.Permissions) == sorted(op.OAuthScopes) {
			continue
		}
		asked := b.deviations.asks(b.byID[op.ID])
		for _, p := range append(slices.Clone(op.Permissions), op.OAuthScopes...) {
			if !slices.Contains(asked, p) {
				t.Errorf("%s asks for %v, and not for %s", op.ID, asked, p)
			}
		}
	}
}

func TestDeviationsThatFitNothing(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]deviations{
		"schema":    {Schemas: []schemaDeviation{{Schema: "Nothing", At: "a", Optional: true, Reason: "r"}}},
		"property":  {Schemas: []schemaDeviation{{Schema: "Link", At: "nothing", Optional: true, Reason: "r"}}},
		"reason":    {Schemas: []schemaDeviation{{Schema: "Link", At: "href", Optional: true}}},
		"operation": {Schemas: []schemaDeviation{{Operation: "nothing", At: "a", Optional: true, Reason: "r"}}},
		"addition":  {Additions: []addition{{Schema: "Link", At: "href", Is: []byte(`{"type":"string"}`), Reason: "r"}}},
	} {
		doc, err := decode(contractJSON)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.apply(object(doc)); err == nil {
			t.Errorf("%s: a deviation that fits nothing was applied", name)
		}
	}
}

// A value that is refused has to be one that the contract allows, or its entry hides nothing.
func TestDeviationsOfValuesThatFitNothing(t *testing.T) {
	t.Parallel()
	const fits = `"operation": "organizations.servers.firewall-rules.store", "at": "type", "values": ["deny"]`
	for name, entry := range map[string]string{
		"":              fits + `, "reason": "A test."`,
		"another value": strings.Replace(fits, "deny", "reject", 1) + `, "reason": "A test."`,
		"another field": strings.Replace(fits, `"type"`, `"kind"`, 1) + `, "reason": "A test."`,
		"no reason":     fits,
	} {
		b, err := read([]byte(`{"values": [{` + entry + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		tries, err := b.tries()
		if (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
		if name != "" {
			continue
		}
		refused := slices.DeleteFunc(tries, func(try Try) bool { return try.Refused == "" })
		if len(refused) != 1 || refused[0].Value != "deny" {
			t.Errorf("refused are %v", refused)
		}
	}
}

// TestAdditions records an attribute of ours and expects it to be allowed with the type recorded, and not obliged.
func TestAdditions(t *testing.T) {
	t.Parallel()
	b, err := read([]byte(`{"additions": [{"schema": "RuleResource", "at": "attributes.position", "is": {"type": "integer"}, "reason": "A test."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	rule := mustCopy(t, sample(b.resources["RuleResource"]))
	for _, tc := range []struct {
		change func(attributes map[string]any)
		want   string
	}{
		{func(map[string]any) {}, ""},
		{func(a map[string]any) { delete(a, "position") }, ""},
		{func(a map[string]any) { a["position"] = "first" }, "position: is a string"},
		{func(a map[string]any) { a["place"] = 1 }, "place: is not in the contract"},
	} {
		doc := mustCopy(t, rule)
		tc.change(object(doc["attributes"]))
		v, err := decode(mustJSON(t, doc))
		if err != nil {
			t.Fatal(err)
		}
		var f findings
		b.resources["RuleResource"].check(v, "", &f)
		wantFound(t, f, tc.want)
	}
}

func wantNothing(t *testing.T, found []string) {
	t.Helper()
	for _, line := range found {
		t.Errorf("unexpected: %s", line)
	}
}

func wantFound(t *testing.T, found []string, want string) {
	t.Helper()
	if want == "" {
		wantNothing(t, found)
		return
	}
	for _, line := range found {
		if strings.Contains(line, want) {
			return
		}
	}
	t.Errorf("found %q, want something with %q", found, want)
}
