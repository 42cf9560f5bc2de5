package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
)

// A message reaches a mail server unchanged, and nothing in it becomes a header or another recipient.
func TestSend(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() { got <- receive(listener) }()
	sender, err := NewSender(SMTP{URL: "smtp://" + listener.Addr().String(), From: "hostler@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	err = sender.Send(context.Background(), Message{
		To: "jane@example.com", Subject: "Hello\r\nBcc: thief@example.com", Text: "Come in:",
		Link: "https://panel.example.com/invitation#abc",
	})
	if err != nil {
		t.Fatal(err)
	}
	text := <-got
	for _, want := range []string{"MAIL FROM:<hostler@example.com>", "RCPT TO:<jane@example.com>", "https://panel.example.com/invitation#abc"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\nBcc:") || strings.Contains(text, "RCPT TO:<thief") {
		t.Errorf("a header was smuggled in:\n%s", text)
	}
	if err := sender.Send(context.Background(), Message{To: "jane@example.com\r\nRCPT TO:<thief@example.com>"}); err == nil {
		t.Error("a made-up address was accepted")
	}
}

// receive implements enough of a mail server for one mail; it returns everything it was sent.
func receive(l net.Listener) string {
	defer func() { _ = l.Close() }()
	conn, err := l.Accept()
	if err != nil {
		return err.Error()
	}
	defer func() { _ = conn.Close() }()
	var all strings.Builder
	say := func(line string) { _, _ = fmt.Fprint(conn, line+"\r\n") }
	say("220 test")
	data := false
	for s := bufio.NewScanner(conn); s.Scan(); {
		line := s.Text()
		all.WriteString(line + "\n")
		switch {
		case data && line == ".":
			data = false
			say("250 ok")
		case data:
		case strings.HasPrefix(line, "DATA"):
			data = true
			say("354 go on")
		case strings.HasPrefix(line, "QUIT"):
			say("221 bye")
			return all.String()
		default:
			say("250 ok")
		}
	}
	return all.String()
}

func TestNewSender(t *testing.T) {
	t.Parallel()
	for _, c := range []SMTP{
		{URL: "http://x", From: "a@example.com"},
		{URL: "smtp://", From: "a@example.com"},
		{URL: "smtp://x", From: "nobody"},
		{URL: "smtp://user@x", From: "a@example.com", PasswordFile: "/nowhere"},
	} {
		if _, err := NewSender(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

// A permanent answer differs from a temporary one (RFC 5321, section 4.2.1).
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	for answer, lasting := range map[string]bool{"550 5.1.1 no such user": true, "552 too large": true, "450 4.2.1 mailbox busy": false, "421 closing": false} {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go refuse(listener, answer)
		sender, err := NewSender(SMTP{URL: "smtp://" + listener.Addr().String(), From: "hostler@example.com"})
		if err != nil {
			t.Fatal(err)
		}
		err = sender.Send(t.Context(), Message{To: "jane@example.com", Subject: "x"})
		if err == nil || errors.Is(err, ErrRefused) != lasting || !strings.Contains(err.Error(), answer[4:]) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	away, err := NewSender(SMTP{URL: "smtp://127.0.0.1:1", From: "hostler@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if err := away.Send(t.Context(), Message{To: "jane@example.com", Subject: "x"}); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("no server: %v", err)
	}
}

// refuse is a mail server that answers each recipient in the same way.
func refuse(l net.Listener, answer string) {
	defer func() { _ = l.Close() }()
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	say := func(line string) { _, _ = fmt.Fprint(conn, line+"\r\n") }
	say("220 test")
	for s := bufio.NewScanner(conn); s.Scan(); {
		switch {
		case strings.HasPrefix(s.Text(), "RCPT"):
			say(answer)
		case strings.HasPrefix(s.Text(), "QUIT"):
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}
