package outbound_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr           string
		usual, allowed bool
	}{
		{"93.184.216.34", true, true},
		{"2606:2800:220:1::1", true, true},
		{"127.0.0.1", false, true},
		{"::1", false, true},
		{"::ffff:127.0.0.1", false, true},
		{"10.1.2.3", false, true},
		{"192.168.0.5", false, true},
		{"172.31.255.255", false, true},
		{"100.64.1.1", false, true},
		{"fd12:3456::1", false, true},
		{"64:ff9b::7f00:1", false, true},
		{"2002:7f00:1::", false, true},
		{"169.254.169.254", false, false},
		{"::ffff:169.254.169.254", false, false},
		{"fd00:ec2::254", false, false},
		{"fe80::1%eth0", false, false},
		{"0.0.0.0", false, false},
		{"::", false, false},
		{"224.0.0.1", false, false},
		{"255.255.255.255", false, false},
	} {
		a := netip.MustParseAddr(c.addr)
		if got := (outbound.Guard{}).Check(a) == nil; got != c.usual {
			t.Errorf("%s is open: %t, want %t", c.addr, got, c.usual)
		}
		if got := (outbound.Guard{AllowPrivate: true}).Check(a) == nil; got != c.allowed {
			t.Errorf("%s is open where private addresses are allowed: %t, want %t", c.addr, got, c.allowed)
		}
	}
}

// The panel's public address leads past the firewall in front of it, to whatever listens on its machine.
func TestPanelIsAskedThroughItsPublicAddress(t *testing.T) {
	t.Parallel()
	own := []netip.Addr{netip.MustParseAddr("93.184.216.34")}
	guard := outbound.Guard{Own: func() []netip.Addr { return own }}
	for addr, open := range map[string]bool{
		"93.184.216.34": false, "::ffff:93.184.216.34": false, "93.184.216.35": true, "2606:2800:220:1::1": true,
	} {
		if err := guard.Check(netip.MustParseAddr(addr)); (err == nil) != open || err != nil && !errors.Is(err, outbound.ErrForbidden) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if _, err := guard.CheckURL("https://93.184.216.34/"); err == nil {
		t.Error("the URL of an own address is taken")
	}
	own = append(own, netip.MustParseAddr("2606:2800:220:1::1")) // an interface that came later
	if guard.Check(netip.MustParseAddr("2606:2800:220:1::1")) == nil {
		t.Error("the address of a new interface is open")
	}
	guard.AllowPrivate = true
	if err := guard.Check(own[0]); err != nil {
		t.Errorf("where the setting allows it: %v", err)
	}
}

// A name is checked when it is resolved, and so is the target of a redirect.
func TestTransportRefusesNamesOfThisMachine(t *testing.T) {
	t.Parallel()
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer server.Close()
	_, port, _ := cut(server.URL)
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+host+":"+port, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: outbound.Guard{}.Transport()}).Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if !errors.Is(err, outbound.ErrForbidden) {
			t.Errorf("a request to %s: %v, want ErrForbidden", host, err)
		}
	}
	if asked {
		t.Error("the server was asked")
	}
}

func cut(url string) (string, string, bool) {
	at, err := netip.ParseAddrPort(url[len("http://"):])
	if err != nil {
		return "", "", false
	}
	return at.Addr().String(), port(at), true
}

func port(at netip.AddrPort) string {
	s := at.String()
	return s[len(at.Addr().String())+1:]
}
