package sshkey

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

const someKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIHqAFbMJuNJuYSbjiMHuMSIK3RJ1fm6qtjYHNHaEOYN"

var someDay = time.Date(2026, 3, 1, 11, 59, 0, 0, time.UTC)

var accepted = map[string]struct{ text, want string }{
	"nothing":                            {"  ", ""},
	"flags":                              {"restrict,pty", "restrict,pty"},
	"each flag":                          {strings.Join(flags, ","), strings.Join(flags, ",")},
	"in capitals":                        {"No-X11-Forwarding,FROM=\"10.0.0.1\"", `no-x11-forwarding,from="10.0.0.1"`},
	"addresses":                          {`from="10.0.0.0/8,!10.0.0.1,2001:DB8::/32"`, `from="10.0.0.0/8,!10.0.0.1,2001:db8::/32"`},
	"a date":                             {`expiry-time="20260302"`, `expiry-time="20260302"`},
	"today, where it may not have begun": {`expiry-time="20260301"`, `expiry-time="20260301"`},
	"a date in UTC":                      {`expiry-time="20260302Z"`, `expiry-time="20260302Z"`},
	"a time":                             {`expiry-time="202603011201Z",restrict`, `restrict,expiry-time="202603011201Z"`},
	"a second":                           {`expiry-time="20260301120001Z"`, `expiry-time="20260301120001Z"`},
	"forwarding": {
		`permitopen="localhost:3306",permitopen="[::1]:*",restrict`,
		`restrict,permitopen="localhost:3306",permitopen="[::1]:*"`,
	},
}

var rejected = map[string]struct{ text, because string }{
	"a line":                {"restrict\nssh-ed25519 AAAA", "can't be used"},
	"a line in a value":     {"from=\"10.0.0.1\nssh-ed25519 AAAA\"", "IP addresses or networks"},
	"a return in a value":   {"permitopen=\"a\r:22\"", "a name or an address"},
	"a null":                {"expiry-time=\"20301231\x00\"", "must be a date"},
	"a letter beyond ASCII": {"permitopen=\"é:22\"", "a name or an address"},
	"a key after a space":   {"restrict " + someKey, "can't be used"},
	"a space after a value": {`from="10.0.0.1" ` + someKey, "separated by single commas"},
	"a space after a comma": {`restrict, pty`, "can't be used"},
	"no quote at the end":   {`from="10.0.0.1`, "no quote at its end"},
	"an escaped end":        {`from="10.0.0.1\"`, "IP addresses or networks"},
	"an escaped quote":      {`from="10.0.0.1\",command=\"id"`, "IP addresses or networks"},
	"no quotes":             {`from=10.0.0.1`, "in double quotes"},
	"single quotes":         {`from='10.0.0.1'`, "in double quotes"},
	"no value":              {`from`, "must have a value"},
	"an empty value":        {`from=""`, "must have a value"},
	"a value of a flag":     {`restrict="yes"`, "has no value"},
	"a comma at the end":    {`restrict,`, "separated by single commas"},
	"two commas":            {`restrict,,pty`, "can't be used"},
	"two ends":              {`expiry-time="20301231",expiry-time="20311231"`, "twice"},
	"two flags":             {`pty,pty`, "twice"},
	"two lists":             {`from="10.0.0.1",from="10.0.0.2"`, "twice"},
	"a command":             {`command="id"`, "can't be used"},
	"a command in capitals": {`COMMAND="id"`, "can't be used"},
	"an authority":          {`cert-authority`, "can't be used"},
	"principals":            {`principals="root"`, "can't be used"},
	"an environment":        {`environment="LD_PRELOAD=/tmp/a.so"`, "can't be used"},
	"a tunnel":              {`tunnel="0"`, "can't be used"},
	"an unknown one":        {`sudo`, "can't be used"},
	"a host name":           {`from="*.example.com"`, "IP addresses or networks"},
	"a loose network":       {`from="10.0.0.1/8"`, "networks such as"},
	"a mapped address":      {`from="::ffff:10.0.0.1"`, "IP addresses or networks"},
	"a zone":                {`from="fe80::1%eth0"`, "IP addresses or networks"},
	"an empty part":         {`from="10.0.0.1,"`, "IP addresses or networks"},
	"a space in a list":     {`from="10.0.0.1, 10.0.0.2"`, "IP addresses or networks"},
	"nobody":                {`from="!10.0.0.1"`, "from nowhere"},
	"yesterday":             {`expiry-time="20260228"`, "in the future"},
	"now":                   {`expiry-time="202603011159Z"`, "in the future"},
	"no day":                {`expiry-time="20270230"`, "must be a date"},
	"no hour":               {`expiry-time="203012312460"`, "must be a date"},
	"half a date":           {`expiry-time="203012"`, "must be a date"},
	"a fraction":            {`expiry-time="203012311200.5"`, "must be a date"},
	"dashes":                {`expiry-time="2030-12-31"`, "must be a date"},
	"a Z alone":             {`expiry-time="Z"`, "must be a date"},
	"a zone in a time":      {`expiry-time="20301231CET"`, "must be a date"},
	"a host alone":          {`permitopen="localhost"`, "a host and a port"},
	"a port out of range":   {`permitopen="localhost:65536"`, "1 to 65535"},
	"a port with a zero":    {`permitopen="localhost:022"`, "1 to 65535"},
	"a host of text":        {`permitopen="a b:22"`, "a name or an address"},
	"half an address":       {`permitopen="[::1:22"`, "a name or an address"},
	"too much":              {`from="` + strings.Repeat("a", maxOptions) + `"`, "at most"},
}

func TestParseOptions(t *testing.T) {
	t.Parallel()
	for name, c := range accepted {
		got, err := parseOptions(c.text, someDay)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
		if again, err := parseOptions(got.String(), someDay); err != nil || again.String() != got.String() {
			t.Errorf("%s: read again it is %q, %v", name, again, err)
		}
	}
	for name, c := range rejected {
		if got, err := parseOptions(c.text, someDay); err == nil || !strings.Contains(err.Error(), c.because) {
			t.Errorf("%s: got %q, %v; want an error with %q", name, got, err, c.because)
		}
	}
}

// What is written is one line of one key to other readers as well: Go's, and OpenSSH's own.
func TestOptionsAreReadByOthers(t *testing.T) {
	t.Parallel()
	for name, c := range accepted {
		if c.want == "" {
			continue
		}
		line := c.want + " " + someKey + " hostler-key-1\n"
		public, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
		if err != nil || comment != "hostler-key-1" || strings.Join(options, ",") != c.want || len(rest) > 0 {
			t.Errorf("%s: Go reads %q of %q, comment %q, %v", name, options, line, comment, err)
			continue
		}
		path := filepath.Join(t.TempDir(), "authorized_keys")
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		program, err := exec.LookPath("ssh-keygen")
		if err != nil {
			t.Skip("skipped: there is no ssh-keygen")
		}
		out, err := exec.CommandContext(t.Context(), program, "-l", "-f", path).CombinedOutput()
		if want := ssh.FingerprintSHA256(public) + " hostler-key-1"; err != nil || !strings.Contains(string(out), want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: ssh-keygen reads %s of %q, %v", name, out, line, err)
		}
	}
}

// Whatever is accepted is one line, and is read as it was written.
func FuzzOptions(f *testing.F) {
	for _, c := range accepted {
		f.Add(c.text)
	}
	for _, c := range rejected {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parseOptions(text, someDay)
		if err != nil || o.String() == "" {
			return
		}
		if again, err := parseOptions(o.String(), someDay); err != nil || again.String() != o.String() {
			t.Errorf("%q is written as %q, and read as %q, %v", text, o, again, err)
		}
		line := o.String() + " " + someKey
		_, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
		if err != nil || strings.Join(options, ",") != o.String() || len(rest) > 0 {
			t.Errorf("%q is written as %q, of which Go reads %q, %v", text, line, options, err)
		}
	})
}
