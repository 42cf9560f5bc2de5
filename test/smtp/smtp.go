// Package smtp gives tests a mail server of this machine, which takes every mail and keeps it.
package smtp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Mail is what was sent to one address: the subject and the text, as a person reads them, and the same as HTML, "" if there is none.
type Mail struct{ To, Subject, Text, HTML string }

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
			m, err := read(c.DotReader())
			if err != nil { // the sender has it in its log
				say = "554 " + err.Error()
				break
			}
			s.mu.Lock()
			for _, one := range to {
				m.To = one
				s.mails = append(s.mails, m)
			}
			s.mu.Unlock()
			to = nil
		case strings.EqualFold(line, "QUIT"):
			_ = c.PrintfLine("221 bye")
			return
		}
	}
}

func read(r io.Reader) (out Mail, err error) {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return out, fmt.Errorf("read a mail: %w", err)
	}
	if out.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return out, fmt.Errorf("read a mail's subject: %w", err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return out, fmt.Errorf("read a mail's type: %w", err)
	}
	if kind != "multipart/alternative" {
		out.Text, err = body(m.Body, m.Header.Get("Content-Transfer-Encoding"))
		return out, err
	}
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("read a part of a mail: %w", err)
		}
		text, err := body(part, part.Header.Get("Content-Transfer-Encoding"))
		if err != nil {
			return out, err
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			out.HTML = text
		} else {
			out.Text = text
		}
	}
}

// body reads a body as it was before it was encoded.
func body(r io.Reader, encoding string) (string, error) {
	if strings.EqualFold(encoding, "quoted-printable") {
		r = quotedprintable.NewReader(r)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("read a mail's text: %w", err)
	}
	return strings.ReplaceAll(string(raw), "\r\n", "\n"), nil
}
