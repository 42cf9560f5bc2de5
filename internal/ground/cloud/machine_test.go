package cloud_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
)

const script = "#!/bin/sh\necho \"$1\" 'x' é\n"

func (b bed) order(name string) cloud.Order {
	return cloud.Order{Name: name, Region: b.fake.Region(), Size: "new-size", System: "24.04", UserData: script}
}

// A server is ordered, found, switched off and on, and destroyed.
func TestMachine(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		c, region := b.open("t0ken"), b.fake.Region()
		b.fake.Slow("t0ken", 2)
		if list, err := c.Find(b.Context(), region, "web-1"); err != nil || len(list) > 0 {
			b.Fatalf("there is %v, %v", list, err)
		}
		made, err := c.Create(b.Context(), b.order("web-1"))
		if err != nil || made.ID == "" || made.Address != "" {
			b.Fatalf("made %+v, %v", made, err)
		}
		if _, err := c.Create(b.Context(), b.order("web-10")); err != nil { // whose name begins with that of the first
			b.Fatal(err)
		}
		found, err := c.Find(b.Context(), region, "web-1")
		if err != nil || len(found) != 1 || found[0].ID != made.ID || found[0].Address != "" {
			b.Fatalf("found %+v, %v", found, err)
		}
		one, ok, err := c.Machine(b.Context(), region, made.ID)
		if err != nil || !ok || !strings.HasPrefix(one.Address, "127.") {
			b.Fatalf("it is %+v %t, %v", one, ok, err)
		}
		has := b.fake.Machines("t0ken")[0]
		system := map[string]string{
			cloud.DigitalOcean: "ubuntu-24-04-x64", cloud.Hetzner: "ubuntu-24.04", cloud.Vultr: "7", cloud.Akamai: "linode/ubuntu24.04",
			cloud.AWS: "ami-new",
		}
		want := cloudtest.Machine{ID: made.ID, Name: "web-1", Region: region, Size: "new-size", System: system[b.provider], UserData: script, Address: one.Address}
		if diff := cmp.Diff(want, has, cmpopts.IgnoreUnexported(cloudtest.Machine{})); diff != "" {
			b.Errorf("ordered was (-want +got):\n%s", diff)
		}
		if err := c.Cycle(b.Context(), region, made.ID); err != nil || b.fake.Machines("t0ken")[0].Cycles != 1 {
			b.Errorf("switched %d times, %v", b.fake.Machines("t0ken")[0].Cycles, err)
		}
		if one.Unprotected {
			if err := c.BackUp(b.Context(), region, made.ID); err != nil {
				b.Error(err)
			}
			if one, _, err := c.Machine(b.Context(), region, made.ID); err != nil || one.Unprotected {
				b.Errorf("it is %+v, %v", one, err)
			}
		}
		for range 2 {
			if err := c.Destroy(b.Context(), region, made.ID); err != nil {
				b.Fatal(err)
			}
		}
		for range 3 { // it is listed for a while
			_, ok, err = c.Machine(b.Context(), region, made.ID)
		}
		if err != nil || ok {
			b.Errorf("it is still there: %v", err)
		}
		if left := b.fake.Machines("t0ken"); len(left) != 1 || left[0].Name != "web-10" {
			b.Errorf("left are %+v", left)
		}
		for _, id := range []string{"0", "../x", "i-999"} {
			if _, ok, err := c.Machine(b.Context(), region, id); ok || err != nil {
				b.Errorf("server %q: %t %v", id, ok, err)
			}
		}
	})
}

// A second order with the name of the first leads to the same server, is refused, or makes a second one: as the provider says.
func TestUniqueNames(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		c := b.open("t0ken")
		one, err := c.Create(b.Context(), b.order("web-1"))
		if err != nil {
			b.Fatal(err)
		}
		two, err := c.Create(b.Context(), b.order("web-1"))
		n := len(b.fake.Machines("t0ken"))
		if c.Unique() != (n == 1) || err == nil && (one.ID == two.ID) != c.Unique() {
			b.Errorf("%d servers, %+v and %+v, %v", n, one, two, err)
		}
		found, err := c.Find(b.Context(), b.fake.Region(), "web-1")
		if err != nil || len(found) != n || found[0].ID != one.ID {
			b.Errorf("found %+v, %v", found, err)
		}
	})
}

// A size has the price that the provider says it has in a region, and none where the provider has no such list.
func TestOffers(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		got, err := b.open("t0ken").Offers(b.Context(), b.fake.Region())
		if err != nil {
			b.Fatal(err)
		}
		one := cloud.Offer{Code: "new-size", CPUs: 2, RAM: 4096, Disk: 80, Monthly: "24.00", Currency: "USD"} // Hetzner says in which currency, too
		want := map[string][]cloud.Offer{
			cloud.DigitalOcean: {one}, cloud.Hetzner: {one}, cloud.Akamai: {one},
			cloud.Vultr: {one, {Code: "vc2-1c-2gb", CPUs: 1, RAM: 2048, Disk: 55}}, // the plan is in no list
			cloud.AWS:   {{Code: "new.size"}, {Code: "t3.small", CPUs: 2, RAM: 2048}},
		}[b.provider]
		if diff := cmp.Diff(want, got); diff != "" {
			b.Errorf("the offers (-want +got):\n%s", diff)
		}
	})
}

func TestRefusedOrders(t *testing.T) {
	t.Parallel()
	each(t, func(b bed) {
		c := b.open("t0ken")
		b.fake.SellOut("t0ken", true)
		_, err := c.Create(b.Context(), b.order("web-1"))
		_ = b.problem(err, cloud.Invalid, "There is nothing left of this size here.")
		b.fake.SellOut("t0ken", false)
		for region, sizes := range map[string]map[string]bool{b.fake.Region(): {"new-size": true, "../x": false, "": false, "old-size": false}} {
			if b.provider == cloud.AWS {
				sizes = map[string]bool{"new.size": true, "t3.small": true, "old.size": false}
			}
			for size, want := range sizes {
				if got, err := c.HasSize(b.Context(), region, size); err != nil || got != want {
					b.Errorf("size %q: %t %v, want %t", size, got, err, want)
				}
			}
		}
		if b.provider == cloud.Vultr || b.provider == cloud.AWS {
			return
		}
		o := b.order("web-1")
		o.Region = "nowhere"
		_, err = c.Create(b.Context(), o)
		_ = b.problem(err, cloud.Invalid, "The region is not valid.")
		if n := b.fake.Ordered("t0ken"); n != 0 || slices.ContainsFunc(b.fake.Calls("t0ken"), func(call string) bool { return strings.HasPrefix(call, "DELETE") }) {
			b.Errorf("%d servers were ordered", n)
		}
	})
}
