package dns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-acme/lego/v4/challenge/dns01"
	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

const key = "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"

// server is a nameserver with a few records, which accepts signed updates.
type server struct {
	address string
	mu      sync.Mutex
	records []string // "name TYPE value"
	refuse  bool
}

func newServer(t *testing.T, records ...string) *server {
	t.Helper()
	s := &server{records: records}
	conn, listener := bothOn(t)
	s.address = conn.LocalAddr().String()
	accept := func(h dns.Header) dns.MsgAcceptAction { return dns.MsgAccept }
	for _, srv := range []*dns.Server{{PacketConn: conn}, {Listener: listener}} {
		srv.Handler, srv.TsigSecret, srv.MsgAcceptFunc = s, map[string]string{"hostler.": key}, accept
		started := make(chan struct{})
		srv.NotifyStartedFunc = func() { close(started) }
		go func() { _ = srv.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { _ = srv.Shutdown() })
	}
	return s
}

// bothOn listens for datagrams and connections on one port. A port that is free for datagrams may be taken for connections: then another is tried.
func bothOn(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	var err error
	for range 20 {
		conn, failed := net.ListenPacket("udp", "127.0.0.1:0")
		if failed != nil {
			t.Fatal(failed)
		}
		listener, taken := net.Listen("tcp", conn.LocalAddr().String())
		if taken == nil {
			return conn, listener
		}
		err = taken
		_ = conn.Close()
	}
	t.Fatal(err)
	return nil, nil
}

// fail makes the server stop answering.
func (s *server) fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = true
}

func (s *server) ServeDNS(w dns.ResponseWriter, req *dns.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := new(dns.Msg)
	m.SetReply(req)
	defer func() {
		if sig := req.IsTsig(); sig != nil {
			m.SetTsig(sig.Hdr.Name, sig.Algorithm, 300, int64(sig.TimeSigned))
		}
		_ = w.WriteMsg(m)
	}()
	switch {
	case s.refuse:
		m.Rcode = dns.RcodeServerFailure
		return
	case req.IsTsig() != nil && w.TsigStatus() != nil:
		m.Rcode = dns.RcodeNotAuth
		return
	case req.Opcode == dns.OpcodeUpdate:
		if req.IsTsig() == nil {
			m.Rcode = dns.RcodeRefused
			return
		}
		for _, rr := range req.Ns {
			txt, ok := rr.(*dns.TXT)
			if !ok {
				continue
			}
			line := bare(txt.Hdr.Name) + " TXT " + strings.Join(txt.Txt, "")
			if txt.Hdr.Class == dns.ClassINET {
				s.records = append(s.records, line)
				continue
			}
			for i, have := range s.records {
				if have == line {
					s.records = append(s.records[:i], s.records[i+1:]...)
					break
				}
			}
		}
		return
	}
	q := req.Question[0]
	if q.Name == "big.example.com." && w.RemoteAddr().Network() == "udp" {
		m.Truncated = true
		return
	}
	name := bare(q.Name)
	for range 4 {
		next := ""
		for _, line := range s.records {
			parts := strings.SplitN(line, " ", 3)
			if parts[0] != name || parts[1] != dns.TypeToString[q.Qtype] && parts[1] != "CNAME" {
				continue
			}
			value := parts[2]
			if parts[1] == "TXT" {
				value = fmt.Sprintf("%q", value)
			}
			rr, err := dns.NewRR(fmt.Sprintf("%s. 1 %s %s", parts[0], parts[1], value))
			if err != nil {
				panic(err)
			}
			m.Answer = append(m.Answer, rr)
			if c, ok := rr.(*dns.CNAME); ok && q.Qtype != dns.TypeCNAME {
				next = bare(c.Target)
			}
		}
		if next == "" {
			break
		}
		name = next
	}
	if len(m.Answer) == 0 {
		m.Rcode = dns.RcodeNameError
		soa, _ := dns.NewRR("example.com. 1 SOA ns.example.com. hostmaster.example.com. 1 1 1 1 1")
		m.Ns = append(m.Ns, soa)
	}
}

func (s *server) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, line := range s.records {
		if strings.Contains(line, " TXT ") {
			out = append(out, line)
		}
	}
	return out
}

func TestLookup(t *testing.T) {
	t.Parallel()
	s := newServer(t, "shop.example.com CNAME web.example.com.", "web.example.com A 192.0.2.2", "web.example.com A 192.0.2.1", "web.example.com AAAA 2001:db8::1",
		"_acme-challenge.shop.example.com CNAME Gone.acme.example.net.", "big.example.com TXT long")
	broken := newServer(t)
	broken.fail()
	r := &Resolver{Servers: []string{broken.address, s.address}}
	for _, tt := range []struct {
		kind, name string
		want       []string
	}{
		{A, "web.example.com", []string{"192.0.2.1", "192.0.2.2"}},
		{A, "shop.example.com", []string{"192.0.2.1", "192.0.2.2"}}, // at the end of the alias
		{CNAME, "shop.example.com", []string{"web.example.com"}},
		{CNAME, "_acme-challenge.shop.example.com", []string{"gone.acme.example.net"}}, // which leads to nothing while there is no challenge
		{TXT, "big.example.com", []string{"long"}},                                     // too big for a datagram
		{AAAA, "web.example.com", []string{"2001:db8::1"}},
		{AAAA, "shop.example.com", []string{"2001:db8::1"}},
		{AAAA, "none.example.com", nil},
		{A, "none.example.com", nil},
	} {
		got, err := r.Lookup(t.Context(), tt.kind, tt.name)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s %s: %v\n%s", tt.kind, tt.name, err, diff)
		}
	}
	if _, err := (&Resolver{Servers: []string{broken.address}}).Lookup(t.Context(), A, "web.example.com"); err == nil ||
		!strings.Contains(err.Error(), "SERVFAIL") {
		t.Errorf("of a server that can't: %v", err)
	}
}

func TestSeen(t *testing.T) {
	t.Parallel()
	s := newServer(t, "_acme-challenge.example.com TXT one", "_acme-challenge.example.com TXT two")
	r := &Resolver{Servers: []string{s.address}}
	if err := r.Seen(t.Context(), "_acme-challenge.example.com", "two"); err != nil {
		t.Errorf("a text that is there: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Seen(ended, "_acme-challenge.example.com", "three"); err == nil ||
		!strings.Contains(err.Error(), "_acme-challenge.example.com is not seen at the nameserver "+s.address) {
		t.Errorf("a text that is not there: %v", err)
	}
}

// Updates are signed, keep other records, and are never sent to forbidden addresses.
func TestUpdate(t *testing.T) {
	t.Parallel()
	s := newServer(t, "_acme-challenge.example.com TXT other")
	settings := Settings{Provider: RFC2136, Nameserver: s.address, Key: "hostler", Algorithm: "hmac-sha256", Secret: key}
	u, err := New(settings, outbound.Guard{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	const name = "_acme-challenge.example.com"
	for _, authorization := range []string{"a", "b"} {
		if err := u.Present(t.Context(), name, authorization); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{name + " TXT other", name + " TXT " + Text("a"), name + " TXT " + Text("b")}, s.texts()); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	for _, authorization := range []string{"a", "b"} {
		if err := u.Remove(t.Context(), name, authorization); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{name + " TXT other"}, s.texts()); diff != "" {
		t.Errorf("texts after (-want +got):\n%s", diff)
	}
	wrong := settings
	wrong.Secret = "d3Jvbmd3cm9uZ3dyb25nd3Jvbmc="
	if u, err = New(wrong, outbound.Guard{AllowPrivate: true}); err != nil {
		t.Fatal(err)
	}
	if err := u.Present(t.Context(), name, "a"); err == nil || strings.Contains(err.Error(), wrong.Secret) {
		t.Errorf("with a wrong key: %v", err)
	}
	if u, err = New(settings, outbound.Guard{}); err != nil {
		t.Fatal(err)
	}
	if err := u.Present(t.Context(), name, "a"); !errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("to this machine: %v", err)
	}
	if len(s.texts()) != 1 {
		t.Errorf("texts are %v", s.texts())
	}
}

// redirected sends every request to one server, whatever host it names.
type redirected struct{ to *url.URL }

// RoundTrip sends.
func (r redirected) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = r.to.Scheme, r.to.Host
	return http.DefaultTransport.RoundTrip(req)
}

// The hosted providers are called with their own API and the token, only to create and remove a record.
func TestHostedProviders(t *testing.T) {
	s := newServer(t, "example.com SOA ns.example.com. hostmaster.example.com. 1 1 1 1 1")
	if err := dns01.AddRecursiveNameservers([]string{s.address})(nil); err != nil {
		t.Fatal(err)
	}
	for provider, made := range map[string]string{
		Cloudflare:   `POST /client/v4/zones/z1/dns_records {"content":"\"` + Text("a.b") + `\"","name":"_acme-challenge.www.example.com","ttl":120,"type":"TXT"}`,
		DigitalOcean: `POST /v2/domains/example.com/records {"data":"` + Text("a.b") + `","name":"_acme-challenge.www.example.com.","ttl":30,"type":"TXT"}`,
	} {
		t.Run(provider, func(t *testing.T) {
			var calls []string
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if got := req.Header.Get("Authorization"); got != "Bearer t0ken" {
					t.Errorf("authorization is %q", got)
				}
				var body map[string]any
				_ = json.NewDecoder(req.Body).Decode(&body)
				line := req.Method + " " + req.URL.Path
				if body != nil {
					raw, _ := json.Marshal(body)
					line += " " + string(raw)
				}
				if req.Method != http.MethodGet {
					calls = append(calls, line)
				}
				w.Header().Set("Content-Type", "application/json")
				switch {
				case req.Method == http.MethodGet:
					_, _ = w.Write([]byte(`{"success":true,"result":[{"id":"z1","name":"example.com"}],"result_info":{"count":1,"total_count":1}}`))
				case req.Method == http.MethodDelete && provider == DigitalOcean:
					w.WriteHeader(http.StatusNoContent)
				case provider == DigitalOcean:
					w.WriteHeader(http.StatusCreated)
					_, _ = w.Write([]byte(`{"domain_record":{"id":7}}`))
				default:
					_, _ = w.Write([]byte(`{"success":true,"result":{"id":"7"}}`))
				}
			}))
			defer api.Close()
			to, _ := url.Parse(api.URL)
			p, err := newProvider(Settings{Provider: provider, Token: "t0ken"}, outbound.Guard{}, &http.Client{Transport: redirected{to}})
			if err != nil {
				t.Fatal(err)
			}
			const name = "_acme-challenge.www.example.com"
			if err := p.Present(t.Context(), name, "a.b"); err != nil {
				t.Fatal(err)
			}
			if err := p.Remove(t.Context(), name, "a.b"); err != nil {
				t.Fatal(err)
			}
			if len(calls) != 2 || calls[0] != made || !strings.HasPrefix(calls[1], "DELETE ") || !strings.HasSuffix(calls[1], "/7") {
				t.Errorf("called was\n%s\nwant\n%s", strings.Join(calls, "\n"), made)
			}
		})
	}
	for _, provider := range []string{Cloudflare, DeSEC, DigitalOcean, Gandi, Hetzner} {
		if _, err := New(Settings{Provider: provider, Token: "t0ken"}, outbound.Guard{}); err != nil {
			t.Errorf("%s: %v", provider, err)
		}
		if _, err := New(Settings{Provider: provider}, outbound.Guard{}); err == nil {
			t.Errorf("%s without a token is opened", provider)
		}
	}
}
