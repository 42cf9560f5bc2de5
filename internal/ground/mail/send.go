package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// SMTP are the settings of a mail server.
type SMTP struct {
	// URL is smtp://user@host:587 (STARTTLS required), smtps://user@host:465, or smtp://127.0.0.1:25 for a relay on this machine.
	URL string
	// From is the sender's address.
	From string
	// PasswordFile contains the password of URL's user.
	PasswordFile string
}

type smtpSender struct {
	host, from string
	options    []gomail.Option
}

// NewSender applies the settings. Without a URL nothing can be sent, and an Outbox logs links for an administrator to pass on.
func NewSender(c SMTP) (Sender, error) {
	if c.URL == "" {
		return noServer{}, nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, fmt.Errorf("the SMTP URL must look like smtp://user@mail.example.com:587")
	}
	s := smtpSender{host: u.Hostname(), from: c.From}
	if err := gomail.NewMsg().From(c.From); err != nil {
		return nil, fmt.Errorf("the sender of mail, %q, is not an address: %w", c.From, err)
	}
	port := 587
	local := net.ParseIP(s.host).IsLoopback() || s.host == "localhost"
	switch {
	case u.Scheme == "smtps":
		port = 465
		s.options = append(s.options, gomail.WithSSL())
	case local:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, fmt.Errorf("the port of the SMTP URL: %w", err)
		}
	}
	s.options = append(s.options, gomail.WithPort(port))
	if user := u.User.Username(); user != "" {
		raw, err := os.ReadFile(c.PasswordFile)
		if err != nil {
			return nil, fmt.Errorf("read the SMTP password: %w", err)
		}
		password := secret.String(strings.TrimRight(string(raw), "\r\n"))
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user), gomail.WithPassword(password.Reveal()))
	}
	return s, nil
}

// Send sends a message through the mail server.
func (s smtpSender) Send(ctx context.Context, m Message) error {
	msg := gomail.NewMsg()
	if err := msg.From(s.from); err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	if err := msg.To(m.To); err != nil {
		return fmt.Errorf("%w: write mail: %w", ErrRefused, err)
	}
	msg.Subject(text.Line(m.Subject))
	msg.SetBodyString(gomail.TypeTextPlain, m.plain())
	msg.AddAlternativeString(gomail.TypeTextHTML, m.html())
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("prepare to send mail: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		if permanent(err) {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}

// permanent reports whether a mail server's answer begins with 5: the same mail gets it again (RFC 5321, section 4.2.1). Answers
// before the mail itself, such as to a wrong password, are about the settings, which an administrator can fix in the meantime.
func permanent(err error) bool {
	var failed *gomail.SendError
	return errors.As(err, &failed) && failed.ErrorCode()/100 == 5
}

// ErrRefused is returned if the mail server refuses a mail for good.
var ErrRefused = errors.New("the mail server refused the mail")

// ErrNoServer is returned if no mail server is configured.
var ErrNoServer = errors.New("no mail server is set")

type noServer struct{}

// Send returns ErrNoServer.
func (noServer) Send(context.Context, Message) error { return ErrNoServer }
