package app_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/test/port"
)

// attacked is a panel that serves HTTPS with a certificate in files, and a plain address that leads there.
type attacked struct {
	*app.App
	t *testing.T
	c app.Config
}

func newAttacked(t *testing.T) *attacked {
	t.Helper()
	made := httptest.NewTLSServer(http.NotFoundHandler())
	pair := made.TLS.Certificates[0]
	made.Close()
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	c := installation(t)
	c.TLSCertificateFile, c.TLSKeyFile = filepath.Join(c.DataDir, "panel.crt"), filepath.Join(c.DataDir, "panel.key")
	for path, block := range map[string]*pem.Block{
		c.TLSCertificateFile: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, c.TLSKeyFile: {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.Listen, c.HTTPListen = "127.0.0.1:"+strconv.Itoa(port.For(t)), "127.0.0.1:"+strconv.Itoa(port.For(t))
	c.BaseURL = "https://example.com" // as the certificate says
	return &attacked{run(t, c), t, c}
}

// dial opens a connection to the panel's HTTPS.
func (x *attacked) dial(config *tls.Config) (*tls.Conn, error) {
	config.InsecureSkipVerify = true
	return tls.DialWithDialer(&net.Dialer{Timeout: 20 * time.Second}, "tcp", x.c.Listen, config)
}

// raw sends a text over TLS, or in plain, and returns all that is answered until the connection is closed.
func (x *attacked) raw(plain bool, text string) string {
	x.t.Helper()
	var conn net.Conn
	var err error
	if plain {
		conn, err = net.Dial("tcp", x.c.HTTPListen)
	} else {
		conn, err = x.dial(&tls.Config{NextProtos: []string{"http/1.1"}})
	}
	if err != nil {
		x.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	go func() { _, _ = io.WriteString(conn, text) }() // which may be refused before its end
	raw, err := io.ReadAll(conn)
	if len(raw) == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		x.t.Errorf("%.80q: nothing is answered", text)
	}
	return string(raw)
}

// statuses are those of the answers in a text.
func statuses(raw string) (out []string) {
	for line := range strings.Lines(raw) {
		if rest, ok := strings.CutPrefix(line, "HTTP/1."); ok && len(rest) > 5 {
			out = append(out, rest[2:5])
		}
	}
	return out
}

const closing = "Host: example.com\r\nConnection: close\r\n"

// A stranger, or a proxy that reads a request otherwise than the panel does, wants two requests for one, or an answer that leads to the stranger's host.
func TestStrangerAtTheFront(t *testing.T) {
	t.Parallel()
	x := newAttacked(t)
	const smuggled = "GET /healthz HTTP/1.1\r\n" + closing + "\r\n"
	body := func(headers string) string {
		return "POST /readyz HTTP/1.1\r\n" + closing + headers + "\r\n\r\n0\r\n\r\n" + smuggled
	}
	for name, text := range map[string]string{
		"two lengths":                     body("Content-Length: 5\r\nContent-Length: 200"),
		"two lengths in one":              body("Content-Length: 5, 200"),
		"a length with a sign":            body("Content-Length: +5"),
		"a length in another base":        body("Content-Length: 0x5"),
		"a negative length":               body("Content-Length: -1"),
		"a length beyond all":             body("Content-Length: 99999999999999999999"),
		"an encoding that is none":        body("Transfer-Encoding: xchunked"),
		"an encoding before another":      body("Transfer-Encoding: chunked, identity"),
		"an encoding after another":       body("Transfer-Encoding: gzip, chunked"),
		"an encoding twice":               body("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
		"an encoding after a tab":         body("Transfer-Encoding:\x0bchunked"),
		"a space before the colon":        body("Transfer-Encoding : chunked"),
		"a name with a space":             body("Transfer Encoding: chunked"),
		"a header without a colon":        body("Transfer-Encoding"),
		"a carriage return in a header":   body("X: a\rTransfer-Encoding: chunked"),
		"NUL in a header":                 body("X: a\x00b"),
		"a chunk that is longer than all": body("Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx"),
		"no host":                         "GET /readyz HTTP/1.1\r\n\r\n" + smuggled,
		"two hosts":                       "GET /readyz HTTP/1.1\r\nHost: example.com\r\nHost: evil.example\r\n\r\n" + smuggled,
		"a host that is a path":           "GET /readyz HTTP/1.1\r\nHost: evil.example/x y\r\n\r\n" + smuggled,
		"no version":                      "GET /readyz\r\n\r\n" + smuggled,
		"a version of its own":            "GET /readyz HTTP/1.1x\r\n" + closing + "\r\n" + smuggled,
		"a version of another protocol":   "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"a method with a space":           "GET  /readyz HTTP/1.1\r\n" + closing + "\r\n" + smuggled,
		"a line before the first":         "X: y\r\nGET /readyz HTTP/1.1\r\n" + closing + "\r\n",
		"a path that is no path":          "GET readyz HTTP/1.1\r\n" + closing + "\r\n" + smuggled,
		"an escape that is none":          "GET /%zz HTTP/1.1\r\n" + closing + "\r\n" + smuggled,
		"a control character in the path": "GET /\x7f HTTP/1.1\r\n" + closing + "\r\n" + smuggled,
		"headers without an end":          "GET /readyz HTTP/1.1\r\n" + closing + "X: " + strings.Repeat("x", 100<<10) + "\r\n\r\n",
		"thousands of headers":            "GET /readyz HTTP/1.1\r\n" + closing + strings.Repeat("A: b\r\n", 20_000) + "\r\n",
		"a path without an end":           "GET /" + strings.Repeat("x", 100<<10) + " HTTP/1.1\r\n" + closing + "\r\n",
		"a tunnel":                        "CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + closing + "\r\n" + smuggled,
		"a mirror":                        "TRACE /readyz HTTP/1.1\r\n" + closing + "Cookie: hostler=secret\r\n\r\n",
		"another method in a header":      "POST /readyz HTTP/1.1\r\n" + closing + "X-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n",
	} {
		got := x.raw(false, text)
		if s := statuses(got); len(s) != 1 || s[0][0] != '4' && s[0][0] != '5' || strings.Contains(got, "secret") || strings.Contains(got, "\r\n\r\nok\n") {
			t.Errorf("%s: answered %v: %.300q", name, s, got)
		}
	}
	for name, headers := range map[string]string{
		"HTTP/2 in plain": "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
		"a WebSocket":     "Upgrade: websocket\r\nConnection: Upgrade\r\n",
	} {
		got := x.raw(false, "GET /readyz HTTP/1.1\r\nHost: example.com\r\n"+headers+"\r\nGET /healthz HTTP/1.1\r\n"+closing+"\r\n")
		if s := statuses(got); !slices.Equal(s, []string{"200", "200"}) {
			t.Errorf("%s: answered %v", name, s)
		}
	}
	// A folded header and a length beside chunks are read as RFC 9112 says, once.
	for name, headers := range map[string]string{
		"a folded header":        "Transfer-Encoding:\r\n chunked",
		"a length beside chunks": "Content-Length: 500\r\nTransfer-Encoding: chunked",
	} {
		if s := statuses(x.raw(false, body(headers))); len(s) != 1 || s[0] == "200" {
			t.Errorf("%s: answered %v", name, s)
		}
	}
	// Whatever a request calls the panel, no answer leads elsewhere or repeats it.
	for _, plain := range []bool{false, true} {
		for _, target := range []string{
			"/", "/sign-in", "/setup", "/docs", "/docs/api", "/oauth", "/oauth/sign-in", "//evil.example", "//evil.example/", "//evil.example/..",
			"//evil.example/%2e%2e", "///evil.example",
			`/\evil.example`, "/%5cevil.example", "/.//evil.example", "/x/..//evil.example", "/docs//evil.example/", "/docs/..//evil.example",
			"/oauth//evil.example", "/api//evil.example",
			"/%2f%2fevil.example/..", "/;@evil.example", "/@evil.example", "http://evil.example/", "http://evil.example//evil.example/",
			"https://evil.example/docs", "http:.evil.example/",
			"http:@evil.example/", "http:evil.example", "javascript:alert(1)", "/%0d%0aLocation:%20https://evil.example/", "/docs%0d%0aX:%20y",
			"/?next=//evil.example", "*",
			"/.well-known/acme-challenge/", "/.well-known/acme-challenge/../../etc/passwd", "/.well-known/acme-challenge/%2e%2e/x",
			"/.well-known/acme-challenge/evil.example",
		} {
			for _, host := range []string{"evil.example", "example.com:1@evil.example", "example.com.evil.example", "EXAMPLE.com", ""} {
				got := x.raw(plain, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: javascript\r\n"+
					"Forwarded: host=evil.example\r\nX-Original-URL: /metrics\r\nX-Rewrite-URL: /metrics\r\nX-Forwarded-Prefix: //evil.example\r\n\r\n")
				res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), nil)
				if err != nil {
					t.Errorf("%s of %q: %v", target, host, err)
					continue
				}
				base, _ := url.Parse("https://example.com/")
				to, err := base.Parse(strings.ReplaceAll(res.Header.Get("Location"), `\`, "/")) // as browsers read it
				if err != nil || to.Host != "example.com" || to.Scheme != "https" {
					t.Errorf("%s of %q is sent to %q", target, host, res.Header.Get("Location"))
				}
				if strings.Contains(got, "go_goroutines") || res.StatusCode == http.StatusOK && strings.Contains(got, "evil.example") {
					t.Errorf("%s of %q: answered %.300s", target, host, got)
				}
			}
		}
	}
}

// Programs on the panel's machine read metrics; whoever a proxy beside it speaks for does not, whatever the proxy calls its caller.
func TestStrangerReadsMetrics(t *testing.T) {
	t.Parallel()
	x := newAttacked(t)
	plain := installation(t)
	plain.BaseURL = "http://127.0.0.1:8080"
	store, err := app.OpenStore(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	behind, err := app.New(plain, store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(a *app.App, from, host string, header ...string) int {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		req.RemoteAddr, req.Host = from, host
		for i := 0; i < len(header); i += 2 {
			req.Header.Add(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, req)
		return w.Code
	}
	for _, header := range []string{
		"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Client-IP",
		"True-Client-IP", "CF-Connecting-IP",
	} {
		for _, value := range []string{"198.51.100.7", "127.0.0.1", ""} {
			for _, a := range []*app.App{x.App, behind} {
				if code := ask(a, "127.0.0.1:5", "127.0.0.1:8080", header, value); code != 403 {
					t.Errorf("with %s: %q: answered %d", header, value, code)
				}
			}
		}
	}
	for _, host := range []string{"panel.example.com", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "198.51.100.7", ""} {
		if code := ask(behind, "127.0.0.1:5", host); code != 403 { // a proxy that names no client, and a page whose name leads to this machine
			t.Errorf("as %q: answered %d", host, code)
		}
	}
	for _, from := range []string{"198.51.100.7:5", "[2001:db8::1]:5", "10.0.0.1:5"} {
		if code := ask(behind, from, "127.0.0.1:8080"); code != 403 {
			t.Errorf("from %s: answered %d", from, code)
		}
	}
	for _, host := range []string{"127.0.0.1:8080", "localhost:8080", "localhost", "[::1]:8080"} {
		if code := ask(behind, "127.0.0.1:5", host); code != 200 {
			t.Errorf("on this machine, as %q: answered %d", host, code)
		}
	}
	if code := ask(x.App, "127.0.0.1:5", "example.com"); code != 200 { // by the name of its certificate
		t.Errorf("on this machine, over TLS: answered %d", code)
	}
}

// A stranger wants an old version of TLS, a weak cipher, another's certificate, or to hold the panel up with connections that say little.
func TestStrangerShakesHands(t *testing.T) {
	t.Parallel()
	x := newAttacked(t)
	type held struct {
		name string
		conn net.Conn
	}
	var slow []held
	for name, begin := range map[string]func() (net.Conn, error){
		"nothing":          func() (net.Conn, error) { return net.Dial("tcp", x.c.Listen) },
		"nothing in plain": func() (net.Conn, error) { return net.Dial("tcp", x.c.HTTPListen) },
		"half a greeting":  func() (net.Conn, error) { return begun(net.Dial("tcp", x.c.Listen))("\x16\x03\x01\x02\x00\x01") },
		"half a header": func() (net.Conn, error) {
			return begun(x.dial(&tls.Config{NextProtos: []string{"http/1.1"}}))("GET / HTTP/1.1\r\nX: ")
		},
		"half a header, plain": func() (net.Conn, error) { return begun(net.Dial("tcp", x.c.HTTPListen))("GET / HTTP/1.1\r\nX: ") },
		"no HTTP/2":            func() (net.Conn, error) { return begun(x.dial(&tls.Config{NextProtos: []string{"h2"}}))("PRI * HT") },
	} {
		conn, err := begin()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slow = append(slow, held{name, conn})
	}
	for name, config := range map[string]*tls.Config{
		"TLS 1.0": {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10}, "TLS 1.1": {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		"RC4": {MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_RC4_128_SHA, tls.TLS_RSA_WITH_RC4_128_SHA}},
		"3DES": {
			MaxVersion:   tls.VersionTLS12,
			CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA, tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA},
		},
		"no forward secrecy":           {MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_128_CBC_SHA}},
		"a challenge without an order": {NextProtos: []string{"acme-tls/1"}, ServerName: "example.com"},
		"another protocol":             {NextProtos: []string{"ftp"}},
		"a challenge of another's":     {NextProtos: []string{"acme-tls/1"}, ServerName: "evil.example"},
	} {
		if conn, err := x.dial(config); err == nil {
			t.Errorf("%s is taken, with %s", name, tls.VersionName(conn.ConnectionState().Version))
			_ = conn.Close()
		}
	}
	for _, name := range []string{"", "evil.example", "localhost", "xn--80ak6aa92e.com", strings.Repeat("a", 63) + ".example", "example.com.", "127.0.0.1"} {
		conn, err := x.dial(&tls.Config{ServerName: name})
		if err != nil {
			continue // refused
		}
		if leaf := conn.ConnectionState().PeerCertificates[0]; leaf.VerifyHostname("example.com") != nil {
			t.Errorf("%q is served another certificate", name)
		}
		_ = conn.Close()
	}
	for _, h := range slow {
		_ = h.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.Copy(io.Discard, h.conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("whoever says %s is waited for without an end", h.name)
		}
		_ = h.conn.Close()
	}
}

func begun(conn net.Conn, err error) func(text string) (net.Conn, error) {
	return func(text string) (net.Conn, error) {
		if err == nil {
			_, err = io.WriteString(conn, text)
		}
		return conn, err
	}
}

// frame is one of HTTP/2 (RFC 9113, 4.1).
func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind)) //nolint:gosec // short
	out = binary.BigEndian.AppendUint32(append(out, flags), stream)
	return append(out, payload...)
}

// fields encodes headers as literals (RFC 7541, 6.2.2).
func fields(pairs ...string) (out []byte) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, 0)
		for _, text := range pairs[i : i+2] {
			n := len(text)
			if n < 127 {
				out = append(out, byte(n))
			} else {
				out = append(out, 127)
				for n -= 127; n >= 128; n /= 128 {
					out = append(out, byte(n%128)|128)
				}
				out = append(out, byte(n))
			}
			out = append(out, text...)
		}
	}
	return out
}

const (
	h2Data, h2Headers, h2Reset, h2Settings, h2Ping, h2Window, h2Continuation byte = 0, 1, 3, 4, 6, 8, 9
	h2End, h2EndHeaders                                                      byte = 1, 4
	preface                                                                       = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// two sends frames over HTTP/2 and reports whether a request among them was answered with 200, and whether the connection or a stream was ended.
func (x *attacked) two(frames ...[]byte) (ok, ended bool) {
	x.t.Helper()
	conn, err := x.dial(&tls.Config{NextProtos: []string{"h2"}})
	if err != nil {
		x.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	go func() {
		_, _ = conn.Write(append([]byte(preface), append(frame(h2Settings, 0, 0, nil), bytes.Join(frames, nil)...)...))
	}()
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(conn, head); err != nil {
			return ok, ended || !errors.Is(err, os.ErrDeadlineExceeded)
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(conn, payload); err != nil {
			return ok, true
		}
		switch head[3] {
		case h2Headers:
			return len(payload) > 0 && payload[0] == 0x88, true // :status 200 (RFC 7541, appendix A)
		case h2Reset, 7: // GOAWAY
			return false, true
		}
	}
}

// What HTTP/2 forbids is not taken for a request, and what it allows without an end does not hold the panel up.
func TestStrangerSpeaksHTTP2(t *testing.T) {
	t.Parallel()
	x := newAttacked(t)
	request := func(pairs ...string) []byte { return frame(h2Headers, h2End|h2EndHeaders, 1, fields(pairs...)) }
	right := []string{":method", "GET", ":scheme", "https", ":authority", "example.com", ":path", "/readyz"}
	with := func(pairs ...string) []byte { return request(append(slices.Clone(right), pairs...)...) }
	without := func(name string, pairs ...string) []byte {
		i := slices.Index(right, name)
		return request(append(slices.Delete(slices.Clone(right), i, i+2), pairs...)...)
	}
	if ok, _ := x.two(with()); !ok {
		t.Fatal("a request is not answered")
	}
	for name, frames := range map[string][][]byte{
		"two paths":                          {with(":path", "/healthz")},
		"two methods":                        {with(":method", "DELETE")},
		"a pseudo-header of its own":         {with(":evil", "x")},
		"a pseudo-header after others":       {without(":path", "x", "y", ":path", "/readyz")},
		"a pseudo-header of an answer":       {with(":status", "200")},
		"no method":                          {without(":method")},
		"no path":                            {without(":path")},
		"an empty path":                      {without(":path", ":path", "")},
		"a path that is none":                {without(":path", ":path", "readyz")},
		"a path of another line":             {without(":path", ":path", "/readyz HTTP/1.1\r\nHost: evil.example\r\n\r\nGET /")},
		"no scheme":                          {without(":scheme")},
		"a method of another line":           {without(":method", ":method", "GET / HTTP/1.1\r\nX:")},
		"capitals":                           {with("X-Capital", "y")},
		"a header of two lines":              {with("x", "a\r\nhost: evil.example")},
		"NUL in a header":                    {with("x", "a\x00")},
		"a name of two lines":                {with("x\r\ny", "a")},
		"a connection's header":              {with("connection", "close")},
		"chunks":                             {with("transfer-encoding", "chunked")},
		"an upgrade":                         {with("upgrade", "websocket")},
		"a tunnel":                           {request(":method", "CONNECT", ":authority", "127.0.0.1:22")},
		"a stream of the server's":           {frame(h2Headers, h2End|h2EndHeaders, 2, fields(right...))},
		"headers of no stream":               {frame(h2Headers, h2End|h2EndHeaders, 0, fields(right...))},
		"data of no request":                 {frame(h2Data, h2End, 1, []byte("x"))},
		"a window of nothing":                {frame(h2Window, 0, 0, []byte{0, 0, 0, 0})},
		"a window beyond all":                {frame(h2Window, 0, 0, []byte{0x7f, 0xff, 0xff, 0xff})},
		"settings that are cut":              {frame(h2Settings, 0, 0, []byte{0, 1, 2})},
		"compression that is none":           {frame(h2Headers, h2End|h2EndHeaders, 1, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})},
		"a frame beyond all":                 {{0xff, 0xff, 0xff, h2Data, 0, 0, 0, 0, 1}},
		"a request within another's headers": {frame(h2Headers, h2End, 1, fields(right...)), frame(h2Headers, h2End|h2EndHeaders, 3, fields(right...))},
		"headers without an end": append([][]byte{frame(h2Headers, h2End, 1, fields(right...))},
			slices.Repeat([][]byte{frame(h2Continuation, 0, 1, fields("x", strings.Repeat("x", 15<<10)))}, 200)...),
	} {
		if ok, ended := x.two(frames...); ok || !ended {
			t.Errorf("%s: answered %t, ended %t", name, ok, ended)
		}
	}
	// What does not read a body may answer before the body is there, so only the end of the connection's stream is asked for.
	if _, ended := x.two(frame(h2Headers, h2EndHeaders, 1, fields(append(slices.Clone(right), "content-length", "5")...)),
		frame(h2Data, h2End, 1, []byte("0123456789"))); !ended {
		t.Error("a length that is not the body's: not ended")
	}
	// Floods: the panel answers others meanwhile.
	var resets, pings, settings [][]byte
	for i := range 3000 {
		stream := uint32(2*i + 1) //nolint:gosec // short
		resets = append(resets, frame(h2Headers, h2EndHeaders, stream, fields(right...)), frame(h2Reset, 0, stream, []byte{0, 0, 0, 8}))
		pings = append(pings, frame(h2Ping, 0, 0, make([]byte, 8)))
		settings = append(settings, frame(h2Settings, 0, 0, nil))
	}
	for name, frames := range map[string][][]byte{
		"requests that are taken back": resets, "pings": pings, "settings": settings,
		"empty data": slices.Repeat([][]byte{frame(h2Data, 0, 1, nil)}, 3000),
	} {
		conn, err := x.dial(&tls.Config{NextProtos: []string{"h2"}})
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		go func() { // nothing is read
			_, _ = conn.Write(append([]byte(preface), append(frame(h2Settings, 0, 0, nil), bytes.Join(frames, nil)...)...))
		}()
		began := time.Now()
		if s := statuses(x.raw(false, "GET /readyz HTTP/1.1\r\n"+closing+"\r\n")); !slices.Equal(s, []string{"200"}) || time.Since(began) > 15*time.Second {
			t.Errorf("beside a flood of %s: answered %v after %s", name, s, time.Since(began))
		}
		_ = conn.Close()
	}
	if ok, _ := x.two(with()); !ok {
		t.Error("after the floods a request is not answered")
	}
}
