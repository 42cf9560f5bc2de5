package server_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/executable"
)

// allow runs the script with stand-ins for nft, sshd and id, and returns the arguments of nft.
func allow(t *testing.T, args ...string) (asked, said string, err error) {
	t.Helper()
	source, err := os.ReadFile("allow.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "allow") // t.TempDir has the test's name in it, and the scripts here have the directory's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for name, text := range map[string]string{
		"nft": `echo "$@" >>"` + dir + `/asked"`, "sshd": "echo 'PortOfNothing 1'; echo 'Port 2222'; echo 'Port 22'", "id": "echo 0",
	} {
		executable.Write(t, filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n")
	}
	script := filepath.Join(dir, "hostler-allow")
	executable.Write(t, script, strings.Replace(string(source), "\nPATH=", "\nPATH="+dir+":", 1))
	out, err := exec.Command("sh", append([]string{script}, args...)...).CombinedOutput()
	raw, readErr := os.ReadFile(filepath.Join(dir, "asked"))
	if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
		t.Fatal(readErr)
	}
	return string(raw), string(out), err
}

func TestAllowLetsAnAddressIn(t *testing.T) {
	t.Parallel()
	for address, family := range map[string]string{
		"192.0.2.7":            "ip",
		"255.255.255.254":      "",
		"10.0.0.0":             "ip",
		"2001:db8::7":          "ip6",
		"2001:DB8:0:0:0:0:0:7": "ip6",
		"fe80::1":              "ip6",
		"2001::":               "ip6",
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			asked, said, err := allow(t, address)
			if family == "" {
				if err == nil || asked != "" {
					t.Errorf("%v, asked %q", err, asked)
				}
				return
			}
			want := "list chain inet hostler input\ninsert rule inet hostler input " + family + " saddr " + address +
				" tcp dport 2222 accept comment \"hostler-allow\"\n"
			if err != nil || asked != want {
				t.Errorf("%v, %s\ngot  %q\nwant %q", err, said, asked, want)
			}
		})
	}
}

// Whatever is no address of one machine never reaches nft, which would look names up and knows sets, ranges and more.
func TestAllowRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{},
		{""},
		{"192.0.2.7", "192.0.2.8"},
		{"0.0.0.0/0"},
		{"192.0.2.0/24"},
		{"256.0.0.1"},
		{"1.2.3"},
		{"1.2.3.4.5"},
		{"1.2.3.4."},
		{".1.2.3.4"},
		{"1..2.3"},
		{"01.2.3.4"},
		{"1.2.3.0x4"},
		{"dead.beef.cafe.fade"},
		{"example.com"},
		{"1.2.3.4,5.6.7.8"},
		{"{ 1.2.3.4 }"},
		{"1.2.3.4-1.2.3.9"},
		{"1.2.3.4 accept"},
		{"1.2.3.4;echo in"},
		{"$(echo 1.2.3.4)"},
		{"`echo 1.2.3.4`"},
		{"1.2.3.4\n5.6.7.8"},
		{"-h"},
		{"@set"},
		{"::"},
		{":"},
		{":::"},
		{"1::2::3"},
		{"1:2:3:4:5:6:7"},
		{"1:2:3:4:5:6:7:8:9"},
		{"1:2:3:4:5:6:7::8"},
		{"12345::"},
		{"fe80::1%eth0"},
		{"::ffff:1.2.3.4"},
		{":1:2:3:4:5:6:7"},
		{"1:2:3:4:5:6:7:"},
		{"g::"},
		{":0::"},
		{"::0:"},
		{"::1"},
		{"ff02::1"},
		{"127.0.0.1"},
		{"0.0.0.0"},
		{"224.0.0.1"},
		{"255.255.255.255"},
		{"٣.1.1.1"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			if asked, said, err := allow(t, args...); err == nil || asked != "" || !strings.Contains(said, "hostler-allow: ") {
				t.Errorf("%v, nft was asked %q, it said %q", err, asked, said)
			}
		})
	}
}

// What passes is an address by Go's reading too, whatever comes.
func FuzzAllow(f *testing.F) {
	for _, seed := range []string{"192.0.2.7", "2001:db8::7", "1.2.3.4\n", "::ffff:0:1", "1::", "1:2:3:4:5:6:7:8"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\x00") {
			t.Skip("no argument has this")
		}
		asked, _, err := allow(t, text)
		if a, bad := netip.ParseAddr(text); err == nil && (bad != nil || a.Zone() != "" || !slices.Contains(strings.Fields(asked), text)) {
			t.Error(fmt.Errorf("%q was taken: %w", text, bad))
		}
	})
}
