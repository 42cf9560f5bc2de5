package dnstest

import (
	"net"
	"testing"

	"github.com/miekg/dns"
)

// Nameserver answers from the records of an account, as the world sees them, and returns its address.
func Nameserver(t testing.TB, p *Provider) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	srv := &dns.Server{PacketConn: conn, NotifyStartedFunc: func() { close(started) }, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, req *dns.Msg) {
		m := new(dns.Msg)
		m.SetReply(req)
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, r := range p.records {
			if dns.Fqdn(r.Name) != req.Question[0].Name || dns.StringToType[r.Type] != req.Question[0].Qtype {
				continue
			}
			if rr, err := dns.NewRR(r.Name + ". 60 IN " + r.Type + " " + dotted(r)); err == nil {
				m.Answer = append(m.Answer, rr)
			}
		}
		_ = w.WriteMsg(m)
	})}
	go func() { _ = srv.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = srv.Shutdown() })
	return conn.LocalAddr().String()
}
