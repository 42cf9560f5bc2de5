package mail_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// server answers as a test wants, and records who is sent mail.
type server struct {
	answer func(ctx context.Context, m mail.Message) error
	mu     sync.Mutex
	sent   []string
}

func (s *server) Send(ctx context.Context, m mail.Message) error {
	s.mu.Lock()
	s.sent = append(s.sent, m.To)
	s.mu.Unlock()
	return s.answer(ctx, m)
}

func (s *server) times(to string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, at := range s.sent {
		if at == to {
			n++
		}
	}
	return n
}

func outbox(t *testing.T, c clock.Clock, s *server) *mail.Outbox {
	t.Helper()
	d, err := dbtest.Open(t.Context(), db.Config{Dir: t.TempDir(), Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return mail.New(mail.Outbox{DB: d, Box: secrettest.Box(t), Sender: s, Log: slog.New(slog.DiscardHandler), Every: time.Hour, Checks: map[string]mail.Check{
		"note": func(context.Context, *db.Tx, mail.Message) (bool, error) { return true, nil },
	}})
}

func mustPut(t *testing.T, o *mail.Outbox, organization int64, to string) {
	t.Helper()
	err := o.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return o.Put(ctx, tx, mail.Message{
			Organization: organization, To: to, Subject: "To " + to, Link: "https://panel.example.com/x#s3cret",
			About: mail.About{Kind: "note"},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A hundred mails of an organization whose mail server hangs delay neither another organization's mail nor what is written meanwhile.
func TestOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	release, got := make(chan struct{}), make(chan string, 3)
	var mu sync.Mutex
	at, most := 0, 0
	s := &server{answer: func(ctx context.Context, m mail.Message) error {
		if !strings.HasPrefix(m.To, "slow") {
			got <- m.To
			return nil
		}
		mu.Lock()
		at++
		most = max(most, at)
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			at--
		}()
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	o := outbox(t, clock.System{}, s)
	for i := range 100 {
		mustPut(t, o, 1, fmt.Sprintf("slow%d@example.com", i))
	}
	mustPut(t, o, 2, "first@example.com")
	ended := make(chan error, 1)
	go func() { ended <- o.Deliver(t.Context()) }()
	want := func(to string) {
		t.Helper()
		select {
		case m := <-got:
			if m != to {
				t.Errorf("the mail to %s was sent, want %s", m, to)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("the mail to %s waits for another organization's", to)
		}
	}
	want("first@example.com")
	mustPut(t, o, 2, "second@example.com")
	want("second@example.com")
	mustPut(t, o, 0, "reset@example.com")
	want("reset@example.com")
	close(release)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if most != 1 || len(s.sent) != 103 {
		t.Errorf("%d mails of an organization were sent at a time, and %d of 103 altogether", most, len(s.sent))
	}
}

// kept returns a failed or waiting mail's cause and whether it was given up, and whether its text is kept.
func kept(t *testing.T, o *mail.Outbox) (failure string, ended, text bool) {
	t.Helper()
	var at sql.NullInt64
	var sealed []byte
	err := o.DB.SQLDB().QueryRowContext(t.Context(), "SELECT failure, ended_at, sealed FROM mails").Scan(&failure, &at, &sealed)
	if err != nil {
		t.Fatal(err)
	}
	return failure, at.Valid, len(sealed) > 0
}

func mustDeliver(t *testing.T, o *mail.Outbox) {
	t.Helper()
	if err := o.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A refusal ends a mail at once, with its cause and without its text.
func TestRefusedMailEnds(t *testing.T) {
	t.Parallel()
	s := &server{answer: func(context.Context, mail.Message) error {
		return fmt.Errorf("%w: 550 no such user\r\n https://panel.example.com/x#s3cret", mail.ErrRefused)
	}}
	c := clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	o := outbox(t, c, s)
	mustPut(t, o, 1, "gone@example.com")
	mustDeliver(t, o)
	if failure, ended, text := kept(t, o); !ended || text || !strings.Contains(failure, "550 no such user") || strings.Contains(failure, "s3cret") {
		t.Errorf("it is kept as %q, ended %v, with text %v", failure, ended, text)
	}
	c.Move(24 * time.Hour)
	mustDeliver(t, o)
	if n := s.times("gone@example.com"); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

// What may pass is tried again, and the last cause is kept when it is given up.
func TestBusyServerIsTriedAgain(t *testing.T) {
	t.Parallel()
	attempts := 0
	s := &server{}
	s.answer = func(context.Context, mail.Message) error {
		attempts++
		return errors.New("451 try later, attempt " + fmt.Sprint(attempts))
	}
	c := clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	o := outbox(t, c, s)
	mustPut(t, o, 1, "busy@example.com")
	for i := range 8 {
		mustDeliver(t, o)
		mustDeliver(t, o) // not before its time
		if failure, ended, text := kept(t, o); ended != (i == 7) || text == ended || failure != fmt.Sprintf("451 try later, attempt %d", i+1) {
			t.Fatalf("after attempt %d it is %q, ended %v, with text %v", i+1, failure, ended, text)
		}
		c.Move(time.Minute << i)
	}
	c.Move(24 * time.Hour)
	mustDeliver(t, o)
	if attempts != 8 {
		t.Errorf("there were %d attempts", attempts)
	}
}
