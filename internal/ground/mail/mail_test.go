package mail_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

type sent chan mail.Message

func (s sent) Send(_ context.Context, m mail.Message) error {
	s <- m
	return nil
}

// Mail is sent once it is committed, not at the next look.
func TestCommitSendsMail(t *testing.T) {
	t.Parallel()
	d, err := dbtest.Open(t.Context(), db.Config{Dir: t.TempDir(), Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	box := secrettest.Box(t)
	got := make(sent)
	outbox := mail.New(mail.Outbox{DB: d, Box: box, Sender: got, Log: slog.New(slog.DiscardHandler), Every: time.Hour, Checks: map[string]mail.Check{
		"note": func(context.Context, *db.Tx, mail.Message) (bool, error) { return true, nil },
	}})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		outbox.Run(ctx)
		close(ended)
	}()
	defer func() {
		end()
		<-ended
	}()
	for _, to := range []string{"first@example.com", "second@example.com"} { // Run has looked at least once before the second
		err := d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return outbox.Put(ctx, tx, mail.Message{To: to, About: mail.About{Kind: "note"}})
		})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case m := <-got:
			if m.To != to {
				t.Errorf("mail to %s was sent, want %s", m.To, to)
			}
		case <-time.After(time.Minute):
			t.Fatalf("the mail to %s was not sent", to)
		}
	}
}
