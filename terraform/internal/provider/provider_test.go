package provider

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Terraform accepts each schema.
func TestSchemas(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, n := range nouns {
		if wrong := n.schema().ValidateImplementation(ctx); wrong.HasError() {
			t.Errorf("resource %s: %v", n.Name, wrong)
		}
	}
	for _, s := range sources {
		if wrong := s.schema().ValidateImplementation(ctx); wrong.HasError() {
			t.Errorf("data source %s: %v", s.Name, wrong)
		}
	}
	for _, s := range secrets {
		if wrong := s.ephemeralSchema().ValidateImplementation(ctx); wrong.HasError() {
			t.Errorf("ephemeral resource %s: %v", s.Name, wrong)
		}
	}
}

// Each resource is tried, or there is a reason.
func TestEachResourceIsTried(t *testing.T) {
	t.Parallel()
	for _, n := range nouns {
		_, tried := subjects[n.Name]
		_, reason := untried[n.Name]
		if tried == reason {
			t.Errorf("%s is tried: %v, and has a reason not to be: %v", n.Name, tried, reason)
		}
	}
	for name := range untried {
		if !slices.ContainsFunc(nouns, func(n noun) bool { return n.Name == name }) {
			t.Errorf("there is no resource %s", name)
		}
	}
}

// No data source has a secret, and no secret of a resource is anything but write-only.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	for _, s := range sources {
		for _, a := range s.Attributes {
			if a.Secret {
				t.Errorf("data source %s has the secret %s", s.Name, a.Name)
			}
		}
	}
	found := 0
	for _, n := range nouns {
		var resp resource.SchemaResponse
		(&thing{noun: n}).Schema(t.Context(), resource.SchemaRequest{}, &resp)
		for _, a := range n.Attributes {
			if !a.Secret {
				continue
			}
			found++
			if !resp.Schema.Attributes[a.Name].IsWriteOnly() || resp.Schema.Attributes[a.Name+version_] == nil {
				t.Errorf("%s of %s is not write-only with a version", a.Name, n.Name)
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d secrets", found)
	}
}

// A call that was one too many is made again, until it is clear that waiting does not help.
func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	for refused, want := range map[int]bool{0: true, 2: true, 50: false} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || string(body) != `{"name":"x"}` {
				t.Errorf("the body is %q, %v", body, err)
			}
			if calls++; calls <= refused {
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = w.Write([]byte(`{"message": "Too many requests."}`))
				return
			}
			_, _ = w.Write([]byte(`{"data": {"id": "1", "attributes": {"name": "x"}}}`))
		}))
		defer server.Close()
		a, err := newAPI(server.URL, "token")
		if err != nil {
			t.Fatal(err)
		}
		a.pause = time.Microsecond
		d, _, err := a.call(t.Context(), call{http.MethodPut, "/recipes/{recipe}"}, map[string]string{"recipe": "1"}, map[string]any{"name": "x"})
		if (err == nil) != want || want && d.id != "1" || !want && calls > 10 {
			t.Errorf("refused %d times: %v, %v after %d calls", refused, d, err, calls)
		}
	}
}

func TestSpelled(t *testing.T) {
	t.Parallel()
	a := attribute{Kind: text, Values: []string{"static-html", "php", "php84", "nightly"}}
	for answered, want := range map[string]string{
		"Static HTML": "static-html", "PHP": "php", "8.4": "php84", "Nightly": "nightly", "php84": "php84", "8.9": "8.9", "": "",
	} {
		if got := a.spelled(answered); got != want {
			t.Errorf("%q is spelled %q, want %q", answered, got, want)
		}
	}
}

// What is answered becomes a value of the attribute's type, whatever it is.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, a := range []attribute{
		{Kind: text}, {Kind: whole}, {Kind: number}, {Kind: boolean}, {Kind: anything}, {Kind: list, Elem: text}, {Kind: list, Elem: whole},
		{Kind: dictionary, Elem: text}, {Kind: object, Of: []attribute{{Name: "a", Kind: text}}}, {Kind: objects, Of: []attribute{{Name: "a", Kind: whole}}},
	} {
		for _, raw := range []any{nil, "text", true, []any{"a", nil, map[string]any{}}, map[string]any{"a": "1", "b": []any{}}, []any{}} {
			v := a.decode(raw)
			if !v.Type().Equal(a.typ()) || !v.IsFullyKnown() {
				t.Errorf("%v of %v is %s", raw, a, v)
			}
		}
	}
	if got := (attribute{Kind: whole}).decode("12"); !got.Equal(tftypes.NewValue(tftypes.Number, 12)) {
		t.Errorf("an id is %s", got)
	}
}

func TestAttributePath(t *testing.T) {
	t.Parallel()
	all := []attribute{
		{Name: "provider_type", Field: "provider", Kind: text, Create: true},
		{Name: "branch", Field: "branch", Change: "repository_branch", Kind: text, Create: true},
		{Name: "tags", Field: "tags", Kind: list, Elem: text, Create: true}, {Name: "status", Answer: "status", Kind: text},
		{Name: "credentials", Field: "credentials", Kind: objects, Create: true, Of: []attribute{{Name: "username", Field: "username", Kind: text}}},
	}
	for field, want := range map[string]string{
		"provider": "provider_type", "repository_branch": "branch", "tags.1": "tags[1]",
		"credentials.0.username": "credentials[0].username", "credentials.0": "credentials[0]",
		"status": "", "other": "",
	} {
		if at, ok := attributePath(all, field); ok != (want != "") || ok && at.String() != want {
			t.Errorf("%s is at %s, want %s", field, at, want)
		}
	}
}
