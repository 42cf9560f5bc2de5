// Package smtp gives tests a mail server of this machine, which takes every mail and keeps it.
package smtp

import (
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Mail is what was sent to one address: the subject and the text, as a person reads them.
type Mail struct{ To, Subject, Text string }

// Server is a running mail server.
type Server struct {
	listener net.Listener

	mu    sync.Mutex
	mails []Mail
}

// Start serves until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen for mail: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &Server{listener: l}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				s.serve(textproto.NewConn(conn))
			}()
		}
	}()
	return s
}

// URL returns the URL for a sender.
func (s *Server) URL() string { return "smtp://" + s.listener.Addr().String() }

// Sent returns the mails to an address, the newest first.
func (s *Server) Sent(to string) []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Mail
	for _, m := range s.mails {
		if m.To == to {
			out = append([]Mail{m}, out...)
		}
	}
	return out
}

// serve speaks as much of RFC 5321 as a client that only sends needs, until that leaves.
func (s *Server) serve(c *textproto.Conn) {
	var to []string
	for say := "220 test"; c.PrintfLine("%s", say) == nil; {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		say = "250 ok"
		switch verb, rest, _ := strings.Cut(line, ":"); {
		case strings.EqualFold(verb, "RCPT TO"):
			to = append(to, strings.Trim(strings.Fields(rest)[0], "<>"))
		case strings.EqualFold(line, "DATA"):
			if c.PrintfLine("354 go on") != nil {
				return
			}
			subject, text, err := read(c.DotReader())
			if err != nil { // the sender has it in its log
				say = "554 " + err.Error()
				break
			}
			s.mu.Lock()
			for _, one := range to {
				s.mails = append(s.mails, Mail{To: one, Subject: subject, Text: text})
			}
			s.mu.Unlock()
			to = nil
		case strings.EqualFold(line, "QUIT"):
			_ = c.PrintfLine("221 bye")
			return
		}
	}
}

func read(r io.Reader) (subject, text string, err error) {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return "", "", fmt.Errorf("read a mail: %w", err)
	}
	if subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return "", "", fmt.Errorf("read a mail's subject: %w", err)
	}
	body := m.Body
	if strings.EqualFold(m.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return "", "", fmt.Errorf("read a mail's text: %w", err)
	}
	return subject, strings.ReplaceAll(string(raw), "\r\n", "\n"), nil
}
