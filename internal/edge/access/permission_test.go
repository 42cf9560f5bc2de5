package access

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAll(t *testing.T) {
	t.Parallel()
	all := All()
	if len(all) != 62 || len(all) > 64 {
		t.Fatalf("All() has %d permissions, want the contract's 62 (and a Set has room for 64)", len(all))
	}
	seen := map[Permission]bool{}
	sentences := map[string]Permission{}
	for _, p := range all {
		if seen[p] {
			t.Errorf("%s is listed twice", p)
		}
		seen[p] = true
		d := p.Describe()
		if d == "" || !strings.HasSuffix(d, ".") || strings.Contains(d, ". ") {
			t.Errorf("%s: %q is not one sentence", p, d)
		}
		if other, ok := sentences[d]; ok {
			t.Errorf("%s and %s have the same description", p, other)
		}
		sentences[d] = p
		if got, err := Parse(string(p)); err != nil || got != p {
			t.Errorf("Parse(%q) = %q, %v", p, got, err)
		}
	}
	if all[0] != OrganizationView || all[61] != ResourcesManageBuckets {
		t.Errorf("All() runs from %s to %s, not in the contract's order", all[0], all[61])
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "server", "server:", "server:View", " server:view", "server:view ", "server:*", "*"} {
		if p, err := Parse(s); err == nil || p != "" {
			t.Errorf("Parse(%q) = %q, %v, want an error", s, p, err)
		}
	}
	if d := Permission("server:*").Describe(); d != "" {
		t.Errorf("an unknown permission describes itself as %q", d)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	a := SetOf(SiteCreate, ServerView, ServerView)
	b := SetOf(SiteCreate, ResourcesManageBuckets, OrganizationView)

	if !(Set{}).Empty() || a.Empty() || a.Len() != 2 {
		t.Errorf("Empty or Len is wrong: %v", a.List())
	}
	if !a.Has(ServerView) || !a.Has(ServerView, SiteCreate) || a.Has(ServerView, SiteDelete) || !a.Has() {
		t.Error("Has is wrong")
	}
	wantList(t, "union", a.Union(b), OrganizationView, ServerView, SiteCreate, ResourcesManageBuckets)
	wantList(t, "intersection", a.Intersect(b), SiteCreate)
	wantList(t, "intersection with nothing", a.Intersect(Set{}))
	wantList(t, "removed", a.Remove(SiteCreate, SiteDelete), ServerView)
	wantList(t, "a after all that", a, ServerView, SiteCreate)
	if !a.Union(b).Contains(a) || a.Contains(b) || !a.Contains(Set{}) || !a.Contains(a) {
		t.Error("Contains is wrong")
	}
	if SetOf(All()...).Len() != 62 {
		t.Error("a set does not hold all permissions apart")
	}
}

func TestSetFailsClosed(t *testing.T) {
	t.Parallel()
	const misspelled = Permission("server:veiw")
	if s := SetOf(misspelled); !s.Empty() || s.Has(misspelled) {
		t.Error("an unknown permission entered a set")
	}
	if SetOf(All()...).Has(misspelled) {
		t.Error("the full set has a permission that does not exist")
	}
	if got := SetOf(All()...).Remove(misspelled).Len(); got != 62 {
		t.Errorf("removing an unknown permission left %d", got)
	}
}

func TestSetJSON(t *testing.T) {
	t.Parallel()
	// The contract lists site before credential; the output is alphabetical nevertheless.
	got, err := json.Marshal(map[string]Set{"some": SetOf(SiteCreate, CredentialView), "none": {}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"none":[],"some":["credential:view","site:create"]}`, string(got)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	for _, role := range Predefined() {
		text, err := json.Marshal(role.Permissions)
		if err != nil {
			t.Fatal(err)
		}
		var back Set
		if err := json.Unmarshal(text, &back); err != nil || back != role.Permissions {
			t.Errorf("%s does not survive JSON: %v", role.Name, err)
		}
	}
}

func TestSetJSONRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `{}`, `"server:view"`, `["server:view","server:veiw"]`, `[1]`, `[null]`, `["*"]`} {
		s := SetOf(UserView)
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s was read as %v", text, s.List())
		}
		if s != SetOf(UserView) {
			t.Errorf("%s changed the set though it was refused", text)
		}
	}
}

func wantList(t *testing.T, what string, s Set, want ...Permission) {
	t.Helper()
	if want == nil {
		want = []Permission{}
	}
	if diff := cmp.Diff(want, s.List()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
