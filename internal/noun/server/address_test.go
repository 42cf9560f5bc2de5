package server

import "testing"

// No spelling of an address of Hostler's own machine, of its link or of its cloud's metadata service is a server.
func TestServerAtHostlersOwnMachine(t *testing.T) {
	t.Parallel()
	own := []string{
		"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1",
		"64:ff9b::127.0.0.1", "64:ff9b:1::127.0.0.1", "2002:7f00:1::1",
		"169.254.169.254", "169.254.1.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "fe80::1", "fd00:ec2::254", "0.1.2.3",
		"100.100.100.200",
	}
	for _, text := range own {
		if _, ok := parseAddress(text, false); ok {
			t.Errorf("%s is taken for another machine", text)
		}
		if _, ok := parseAddress(text, true); !ok {
			t.Errorf("%s is refused where local servers are allowed", text)
		}
	}
	for _, text := range []string{
		"", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.1:22", "localhost",
		"fe80::1%eth0", "0.0.0.0", "::", "::ffff:0.0.0.0", "255.255.255.255", "224.0.0.1", "ff02::1", "10.0.0.0/8",
	} {
		for _, local := range []bool{false, true} {
			if a, ok := parseAddress(text, local); ok {
				t.Errorf("%q is taken for %s", text, a)
			}
		}
	}
	for text, want := range map[string]string{
		"10.1.2.3":           "10.1.2.3",
		"192.0.2.10":         "192.0.2.10",
		"::ffff:192.0.2.7":   "192.0.2.7",
		"2001:DB8::1":        "2001:db8::1",
		"fd12::1":            "fd12::1",
		"172.31.0.1":         "172.31.0.1",
		"64:ff9b::192.0.2.1": "64:ff9b::c000:201",
	} {
		if a, ok := parseAddress(text, false); !ok || a.String() != want {
			t.Errorf("%s is read as %s, %t", text, a, ok)
		}
	}
}
