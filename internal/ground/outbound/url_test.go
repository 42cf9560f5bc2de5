package outbound_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// The address of a webhook that a user enters never leads to our own machines, however it is spelled.
func TestCheckURL(t *testing.T) {
	t.Parallel()
	guard, open := outbound.Guard{}, outbound.Guard{AllowPrivate: true}
	for _, good := range []string{
		"https://app.example.com/hook", "http://app.example.com:8080/a?b=c", "https://93.184.216.34/",
		"https://[2606:2800:220:1::1]/x", "https://app.example.com.", "https://xn--blst-hra.example/hook",
	} {
		if u, err := guard.CheckURL(good); err != nil || u.String() != good {
			t.Errorf("%s: %v, %v", good, u, err)
		}
	}
	for _, never := range []string{
		"", "x", "/hook", "//app.example.com", "ftp://app.example.com", "file:///etc/passwd",
		"gopher://app.example.com:25/_x", "javascript:alert(1)", "data:text/plain,x", "https:app.example.com",
		"https://", "https://:443/", "https://user@app.example.com/", "https://user:pass@app.example.com/",
		"https://app.example.com@127.0.0.1/", "https://app.example.com\\@127.0.0.1/", "https://app.example.com/#x",
		"https://app.example.com/ x", "https://app.example.com/\r\nHost: x", "https://app.example.com/\x00",
		"https://app..example.com/", "https://-app.example.com/", "https://a\u2024example.com\u2215x/", "https://-bløst.example/",
		"https://app.example.com/" + strings.Repeat("a", 3000),
		"http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://[fe80::1%25eth0]/",
		"http://0.0.0.0/", "http://0/", "http://[::]/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/",
		"http://127.1/", "http://127.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://1.1.1.0x1/", "http://256.256.256.256/", "http://[::1%25lo]/../",
	} {
		if u, err := open.CheckURL(never); err == nil {
			t.Errorf("%q is taken as %s", never, u)
		}
	}
	for _, private := range []string{
		"http://127.0.0.1/", "http://localhost/", "http://LOCALHOST:80/",
		"http://panel.localhost/", "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://100.64.0.1/", "http://[::1]/",
		"http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[fc00::1]/", "http://[64:ff9b::7f00:1]/",
	} {
		if u, err := guard.CheckURL(private); err == nil {
			t.Errorf("%q is taken as %s", private, u)
		}
		if _, err := open.CheckURL(private); err != nil {
			t.Errorf("%q where private addresses are allowed: %v", private, err)
		}
	}
}

// A host with letters of its own language is asked under its other name, and that one is checked.
func TestCheckURLOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	guard := outbound.Guard{}
	for text, good := range map[string]bool{
		"https://bløst.example/hook": true, "https://пример.example:8443/": true, "https://bløst.example./": true,
		"http://１０.0.0.1/": false, "http://①②⑦.0.0.1/": false, "http://１２７。0。0。1/": false, "http://ｌocalhost/": false,
		"https://blø st.example/": false, "https://-bløst.example/": false,
	} {
		if _, err := guard.CheckURL(text); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}
