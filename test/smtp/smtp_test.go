package smtp_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/test/smtp"
)

// What Hostler sends is read as it was written, however long its lines are and whatever they begin with.
func TestSent(t *testing.T) {
	t.Parallel()
	s := smtp.Start(t)
	sender, err := mail.NewSender(mail.SMTP{URL: s.URL(), From: "hostler@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	long := "€=" + strings.Repeat("long ", 100) + "\n.a line that begins with a dot"
	for _, m := range []mail.Message{
		{To: "ada@example.com", Subject: "First", Text: "one"},
		{To: "grace@example.com", Subject: "Other", Text: "two"},
		{To: "ada@example.com", Subject: "Größer", Text: long, Link: "https://panel.example.com/#abc"},
	} {
		if err := sender.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	got := s.Sent("ada@example.com")
	if len(got) != 2 {
		t.Fatalf("ada got %d mails: %+v", len(got), got)
	}
	if got[0].Subject != "Größer" || got[0].Text != long+"\n\nhttps://panel.example.com/#abc\n" {
		t.Errorf("got %+v", got[0])
	}
	if !strings.Contains(got[0].HTML, "€="+strings.Repeat("long ", 100)+"<br>.a line that") || !strings.Contains(got[0].HTML, "</html>") {
		t.Errorf("the HTML is %q", got[0].HTML)
	}
	if got[1].Subject != "First" {
		t.Errorf("the older one is %q", got[1].Subject)
	}
}
