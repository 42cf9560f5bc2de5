package edge

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	reader := w.viewer
	list := reader.Get("/providers").Want(t, 200)
	if got := list.IDs(); !slices.Equal(got, []string{"1", "2", "3", "4", "5"}) {
		t.Errorf("the providers are %v", got)
	}
	one := reader.Get("/providers/2").Want(t, 200)
	want := map[string]any{
		"name": "Hetzner Cloud", "slug": "hetzner", "simple_name": "Hetzner", "currency": "EUR", "currency_symbol": "€",
		"default_size_code": "cx22", "default_region_code": "fsn1",
	}
	if diff := cmp.Diff(want, one.At("data", "attributes")); diff != "" {
		t.Errorf("Hetzner (-want +got):\n%s", diff)
	}
	if one.At("data", "meta", "snapshot", "as_of") != cloud.AsOf {
		t.Errorf("the list does not say how old it is: %s", one.Body)
	}
	if a := reader.Get("/providers/3").Want(t, 200); a.At("data", "attributes", "simple_name") != nil {
		t.Errorf("Vultr has a simple name: %s", a.Body)
	}

	// Lists that are no tables have pages like those that are.
	for _, path := range []string{"/providers/5/sizes", "/permissions"} {
		whole := reader.Get(path+"?page[size]=200").Want(t, 200)
		forward, pages, _ := walk(t, reader, path, url.Values{"page[size]": {"20"}}, "next", nil)
		if diff := cmp.Diff(whole.IDs(), forward); diff != "" || pages < 3 {
			t.Errorf("%s: %d pages (-whole +pages):\n%s", path, pages, diff)
		}
	}
	codes := reader.Get("/providers/5/sizes?page[size]=200").Want(t, 200).IDs()
	if !slices.Contains(codes, "t3.small") || len(codes) != len(slices.Compact(slices.Sorted(slices.Values(codes)))) || len(codes) <= 20 {
		t.Errorf("the sizes of AWS are %v", codes)
	}
	size := reader.Get("/providers/5/sizes/t3.small").Want(t, 200)
	want = map[string]any{
		"name": "t3.small (2 CPUs, 2 GB RAM)", "code": "t3.small", "series": "T3", "category": "Burstable", "cpus": 2.0, "disk_type": "ebs",
		"architecture": "x86_64", "ram": 2048.0, "disk": 0.0,
	}
	if diff := cmp.Diff(want, size.At("data", "attributes")); diff != "" {
		t.Errorf("t3.small (-want +got):\n%s", diff)
	}

	// Ashburn has no CX.
	ash := reader.Get("/providers/2/regions/204").Want(t, 200)
	if ash.At("data", "attributes", "code") != "ash" || ash.At("data", "attributes", "alternate_code") != "ash-dc1" {
		t.Errorf("the region is %s", ash.Body)
	}
	if got := reader.Get("/providers/2/regions/204/sizes").Want(t, 200).IDs(); !slices.Contains(got, "cpx11") || slices.Contains(got, "cx22") {
		t.Errorf("Ashburn has %v", got)
	}
	reader.Get("/providers/2/regions/204/sizes/cpx11").Want(t, 200)
	reader.Get("/providers/2/regions/204/sizes/cx22").Want(t, 404)
	reader.Get("/providers/2/sizes/cx22").Want(t, 200)
	reader.Get("/providers/1/sizes/cx22").Want(t, 404)
}

// cloudAccount is a credential with an account of its own at the stand-in.
func cloudAccount(t *testing.T, w *world, token string) (path string) {
	t.Helper()
	return "/orgs/acme/server-credentials/" + w.owner.Post("/orgs/acme/server-credentials",
		map[string]any{"name": token, "provider": "hetzner", "secret": token}).Want(t, 201).ID()
}

// A credential is saved once the provider has accepted it; the answer quotes a refusal.
func TestCredentialIsChecked(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const path = "/orgs/acme/server-credentials"
		body := map[string]any{"name": "x", "provider": "hetzner", "secret": cloudtest.Refused + "-t0ken"}
		count := func() int { return len(w.owner.Get(path).Want(t, 200).IDs()) }
		before := count()
		a := w.owner.Post(path, body)
		wantFields(t, a, "secret")
		if text := a.Text("message"); text != "Hetzner Cloud does not accept this credential. Unable to authenticate you, [redacted]" {
			t.Errorf("the message is %q", text)
		}
		wantFields(t, w.owner.Post(path, map[string]any{"name": " ", "provider": "aws", "secret": "with space"}), "name", "key", "secret")
		if got := count(); got != before {
			t.Errorf("%d credentials, want %d", got, before)
		}
		token := strings.ReplaceAll(t.Name(), "/", "-")
		own := cloudAccount(t, w, token)
		read := func() []byte {
			rows, err := db.All[query.ServerCredential](context.Background(), w.App.DB.Reader(), "server_credentials", db.Equal("id", number(own[len(path)+1:])))
			if err != nil || len(rows) != 1 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			return rows[0].Secret
		}
		kept := read()
		wantFields(t, w.owner.Put(own, map[string]any{"secret": cloudtest.Refused + "-other-t0ken"}), "secret")
		hetzner().Fail(token, cloudtest.Broken) // a name is no reason to ask
		w.owner.Put(own, map[string]any{"name": "renamed"}).Want(t, 200)
		if !slices.Equal(kept, read()) {
			t.Error("a refused secret was saved")
		}
		hetzner().Fail(token)
		w.owner.Put(own, map[string]any{"secret": token + "-2"}).Want(t, 200)
		if slices.Equal(kept, read()) {
			t.Error("the new secret was not saved")
		}
	})
}

func TestVPCs(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		token := strings.ReplaceAll(t.Name(), "/", "-")
		at := cloudAccount(t, w, token) + "/regions/"
		list := w.viewer.Get(at+"fsn1/vpcs").Want(t, 200)
		if list.At("meta", "current_page") != 1.0 || len(list.IDs()) != 1 {
			t.Errorf("the list is %s", list.Body)
		}
		w.viewer.Post(at+"fsn1/vpcs", map[string]any{"name": "backend"}).Want(t, 403)
		made := w.owner.Post(at+"fsn1/vpcs", map[string]any{"name": " backend "}).Want(t, 201)
		want := map[string]any{
			"name": "backend", "cidrBlock": "10.0.0.0/16", "region": "fsn1",
			"subnets": []any{map[string]any{"id": "10.0.0.0/20", "name": "eu-central", "cidrBlock": "10.0.0.0/20"}},
		}
		if diff := cmp.Diff(want, made.At("data", "attributes")); diff != "" {
			t.Errorf("the network (-want +got):\n%s", diff)
		}
		one := w.viewer.Get(at+"fsn1/vpcs/"+made.ID()).Want(t, 200)
		if diff := cmp.Diff(made.At("data"), one.At("data")); diff != "" || !strings.HasSuffix(made.Header.Get("Location"), at+"fsn1/vpcs/"+made.ID()) {
			t.Errorf("at %s (-made +read):\n%s", made.Header.Get("Location"), diff)
		}
		for _, name := range []string{"backend", "no!", " ", "a\nb", strings.Repeat("x", 256)} {
			wantFields(t, w.owner.Post(at+"fsn1/vpcs", map[string]any{"name": name}), "name")
		}
		for _, region := range []string{"nyc3", "..%2f..%2fservers", "FSN1", "a.example.com"} {
			w.owner.Get(at+region+"/vpcs").Want(t, 404)
			w.owner.Post(at+region+"/vpcs", map[string]any{"name": "elsewhere"}).Want(t, 404)
		}
		w.owner.Get(at+"new1/vpcs").Want(t, 200) // newer than the shipped list
		if got := hetzner().Networks(token); !slices.Equal(got, []string{cloudtest.Default, "backend"}) {
			t.Errorf("the account has %v", got)
		}

		for fault, reason := range map[cloudtest.Fault]string{
			cloudtest.Forbidden: "Hetzner Cloud does not allow this with this credential. You are not authorized to perform this operation.",
			cloudtest.Broken:    "Hetzner Cloud can't answer now (503).",
			cloudtest.Partial:   "Hetzner Cloud answered what can't be read.",
		} {
			hetzner().Fail(token, fault)
			if a := w.owner.Get(at+"fsn1/vpcs").Want(t, 409); a.Text("message") != reason {
				t.Errorf("fault %d: %s", fault, a.Body)
			}
			hetzner().Fail(token, fault)
			if a := w.owner.Post(at+"fsn1/vpcs", map[string]any{"name": "never"}).Want(t, 409); a.Text("message") != reason {
				t.Errorf("fault %d: %s", fault, a.Body)
			}
		}
		hetzner().Fail(token, cloudtest.Limited)
		if a := w.owner.Get(at+"fsn1/vpcs").Want(t, 429); a.Header.Get("Retry-After") != "42" {
			t.Errorf("the limit is answered with %v", a.Header)
		}
		hetzner().Fail(token, 0, 0, 0, cloudtest.Lost) // done, and the answer is lost
		w.owner.Post(at+"fsn1/vpcs", map[string]any{"name": "found again"}).Want(t, 201)
		if got := hetzner().Networks(token); !slices.Equal(got, []string{cloudtest.Default, "backend", "found again"}) {
			t.Errorf("the account has %v", got)
		}
	})
}

// A token needs the permissions of both, as the role does.
func TestVPCPermissions(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := cloudAccount(t, w, "scopes") + "/regions/fsn1/vpcs"
	for _, p := range []access.Permission{access.ServerView, access.CredentialView} {
		token, _ := w.Token(w.users["owner"], access.SetOf(p), nil)
		w.As(token).Get(at).Want(t, 403)
	}
	token, _ := w.Token(w.users["owner"], access.SetOf(access.ServerView, access.CredentialView), nil)
	w.As(token).Get(at).Want(t, 200)
	w.As(token).Post(at, map[string]any{"name": "x"}).Want(t, 403)
}

// Sizes have the prices that the provider has now. One that it does not say is null.
func TestOfferedSizes(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := cloudAccount(t, w, "offers") + "/regions/"
	one := w.viewer.Get(at+"fsn1/sizes").Want(t, 200).At("data", 0, "attributes")
	want := map[string]any{
		"name": "new-size (2 CPUs, 4 GB RAM, 80 GB disk)", "code": "new-size", "cpus": 2.0, "ram": 4096.0, "disk": 80.0,
		"price_monthly": "24.00", "currency": "USD",
	}
	if diff := cmp.Diff(want, one); diff != "" {
		t.Errorf("the size (-want +got):\n%s", diff)
	}
	w.viewer.Get(at+"nyc3/sizes").Want(t, 404)
	hetzner().Fail("offers", cloudtest.Broken)
	if a := w.viewer.Get(at+"fsn1/sizes").Want(t, 409); a.Text("message") != "Hetzner Cloud can't answer now (503)." {
		t.Errorf("the message is %s", a.Body)
	}
}
