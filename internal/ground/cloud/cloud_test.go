package cloud_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// bed is one provider's stand-in.
type bed struct {
	*testing.T
	fake     *cloudtest.Cloud
	provider string
	clouds   *cloud.Clouds
}

// each runs a test with each provider's stand-in.
func each(t *testing.T, test func(b bed)) {
	t.Helper()
	catalog, err := cloud.NewCatalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, provider := range []string{cloud.DigitalOcean, cloud.Hetzner, cloud.Vultr, cloud.Akamai, cloud.AWS} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			fake := cloudtest.New(provider)
			t.Cleanup(fake.Close)
			test(bed{t, fake, provider, &cloud.Clouds{
				HTTP: outbound.Guard{AllowPrivate: true}.Client(), Catalog: catalog,
				Bases: map[string]string{provider: fake.URL},
			}})
		})
	}
}

func (b bed) open(token string) *cloud.Cloud {
	b.Helper()
	account := cloud.Account{Provider: b.provider, Secret: secret.String(token)}
	if b.provider == cloud.AWS {
		account.Key, account.Secret = secret.String(token), "t0ken-that-signs"
	}
	c, err := b.clouds.Open(account)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// problem fails unless an error is a problem of this kind whose reason has a text, and no secret.
func (b bed) problem(err error, kind cloud.Kind, text string) *cloud.Problem {
	b.Helper()
	p := (*cloud.Problem)(nil)
	if !errors.As(err, &p) || p.Kind != kind || !strings.Contains(p.Reason, text) {
		b.Fatalf("the error is %v (%+v), want kind %d with %q", err, p, kind, text)
	}
	if strings.Contains(p.Reason, "t0ken") {
		b.Errorf("the reason has the token: %s", p.Reason)
	}
	return p
}

func (b bed) calls(token string, want ...string) {
	b.Helper()
	var changes []string
	for _, call := range b.fake.Calls(token) {
		if !strings.HasPrefix(call, http.MethodGet) {
			changes = append(changes, call[:4])
		}
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		b.Errorf("calls that change (-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		if err := b.open("t0ken").Check(b.Context()); err != nil {
			b.Error(err)
		}
		_ = b.problem(b.open(cloudtest.Refused+"-t0ken").Check(b.Context()), cloud.Refused, "does not accept this credential. Unable to authenticate")
		for _, tc := range []struct {
			fault cloudtest.Fault
			kind  cloud.Kind
			want  string
		}{
			{cloudtest.Forbidden, cloud.Forbidden, "does not allow this with this credential. You are not authorized"},
			{cloudtest.Limited, cloud.Limited, "allows no more calls for now."},
			{cloudtest.Broken, cloud.Unavailable, "can't answer now (503)."},
			{cloudtest.Partial, cloud.Unavailable, "answered what can't be read."},
		} {
			b.fake.Calls("t0ken")
			b.fake.Fail("t0ken", tc.fault)
			p := b.problem(b.open("t0ken").Check(b.Context()), tc.kind, tc.want)
			if tc.fault == cloudtest.Limited && p.After != 42*time.Second {
				b.Errorf("the wait is %s, want 42 seconds", p.After)
			}
			if n := len(b.fake.Calls("t0ken")); n != 1 {
				b.Errorf("fault %d: %d calls, want 1", tc.fault, n)
			}
		}
		b.fake.Fail("t0ken", cloudtest.Silent)
		ctx, cancel := context.WithTimeout(b.Context(), 50*time.Millisecond)
		defer cancel()
		_ = b.problem(b.open("t0ken").Check(ctx), cloud.Unavailable, "There was no answer in time.")
	})
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		b.clouds.HTTP = outbound.Guard{}.Client()
		_ = b.problem(b.open("t0ken").Check(b.Context()), cloud.Unavailable, "The address is private")
	})
}

func TestRegions(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		c := b.open("t0ken")
		for region, want := range map[string]bool{b.fake.Region(): true, "new1": true, "nowhere": false, "../v1/x": false, "": false, "a.example.com/": false} {
			if got, err := c.HasRegion(b.Context(), region); err != nil || got != want {
				b.Errorf("region %q: %t %v, want %t", region, got, err, want)
			}
		}
	})
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		const elsewhere = "new1"
		var want []string
		for _, name := range []string{"one", "two", "three", "four"} { // with the first one, three pages
			b.fake.Add("t0ken", b.fake.Region(), name)
		}
		b.fake.Add("t0ken", elsewhere, "away")
		want = []string{cloudtest.Default, "one", "two", "three", "four"}
		if b.provider == cloud.Hetzner {
			want = append(want, "away") // both locations are in one zone
		}
		list, err := b.open("t0ken").Networks(b.Context(), b.fake.Region())
		if err != nil {
			b.Fatal(err)
		}
		var got []string
		ids := map[string]bool{}
		for _, n := range list {
			got, ids[n.ID] = append(got, n.Name), true
			if n.Region != b.fake.Region() || !strings.HasPrefix(n.CIDR, "10.") {
				b.Errorf("%+v", n)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(ids) != len(list) {
			b.Errorf("names (-want +got), of %d ids:\n%s", len(ids), diff)
		}
		b.fake.Fail("t0ken", 0, 0, cloudtest.Broken) // a list that ends in the middle is no list
		if list, err := b.open("t0ken").Networks(b.Context(), b.fake.Region()); err == nil {
			b.Errorf("without its last page the list is %v", list)
		}
		if other, err := b.open("another").Networks(b.Context(), b.fake.Region()); err != nil || len(other) != 1 {
			b.Errorf("another account has %v, %v", other, err)
		}
	})
}

func TestCreateNetwork(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		region := b.fake.Region()
		made, err := b.open("t0ken").CreateNetwork(b.Context(), region, "mine")
		if err != nil || made.ID == "" || made.Name != "mine" || made.Region != region || !strings.HasPrefix(made.CIDR, "10.") {
			b.Fatalf("made %+v, %v", made, err)
		}
		b.calls("t0ken", "POST")
		_, err = b.open("t0ken").CreateNetwork(b.Context(), region, "mine")
		_ = b.problem(err, cloud.Invalid, "already a network with this name")
		b.calls("t0ken")
		_, err = b.open("t0ken").CreateNetwork(b.Context(), region, "no!")
		_ = b.problem(err, cloud.Invalid, "refused it. The name is not valid.")
		b.calls("t0ken", "POST")
	})
}

// TestCreateNetworkAtMostOnce makes each call of a creation fail in each way. However it ends, the network exists at most once, and is reported if it exists.
func TestCreateNetworkAtMostOnce(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		for _, fault := range []cloudtest.Fault{cloudtest.Limited, cloudtest.Broken, cloudtest.Partial, cloudtest.Lost, cloudtest.Forbidden} {
			for at := range 5 {
				token := "t0ken-" + string(rune('a'+at)) + string(rune('0'+int(fault)))
				b.fake.Fail(token, append(make([]cloudtest.Fault, at), fault)...)
				made, err := b.open(token).CreateNetwork(b.Context(), b.fake.Region(), "mine")
				n := 0
				for _, name := range b.fake.Networks(token) {
					if name == "mine" {
						n++
					}
				}
				posts := slices.DeleteFunc(b.fake.Calls(token), func(call string) bool { return strings.HasPrefix(call, http.MethodGet) })
				if n > 1 || len(posts) > 1 {
					b.Errorf("fault %d at call %d: %d networks by %d orders", fault, at, n, len(posts))
				}
				if err == nil && (n != 1 || made.Name != "mine") || err != nil && n != 0 {
					b.Errorf("fault %d at call %d: %d networks, reported is %+v, %v", fault, at, n, made, err)
				}
			}
		}
		before := map[string]int{cloud.Hetzner: 3, cloud.AWS: 2} // calls until the order
		b.fake.Fail("both", append(make([]cloudtest.Fault, max(1, before[b.provider])), cloudtest.Lost, cloudtest.Broken)...)
		_, err := b.open("both").CreateNetwork(b.Context(), b.fake.Region(), "mine")
		_ = b.problem(err, cloud.Unavailable, "did not say whether the network was created")
	})
}
