package browser_test

import (
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/smtp"
)

// Whoever owns an address that an organization wants to notify confirms it without an account; until then it is marked.
func TestAddressIsConfirmedByItsOwner(t *testing.T) {
	t.Parallel()
	require(t)
	post := smtp.Start(t)
	p, err := panel.Empty(panel.Program(t, "hostler"), "127.0.0.1", "--smtp-url", post.URL(), "--smtp-from", "hostler@example.com")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	s := &stage{panel: p, mail: post, db: p.DB(t), shots: shots(t)}
	s.run(t, "recipient.mjs")
}
