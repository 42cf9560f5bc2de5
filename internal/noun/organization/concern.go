package organization

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	mailer "github.com/hostlerhq/hostler/internal/ground/mail"
)

// Concerns lists emails that could not be sent, to those who manage the organization. Emails about accounts belong to no
// organization: they are counted, and neither their recipient nor the server's answer, which may name them, is shown.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	if !l.Grant.SeesAll() {
		return nil, nil
	}
	rows, err := db.All[query.Mail](ctx, l.Rows, "mails", db.Equal("organization_id", l.Grant.OrganizationID, 0),
		db.Cond{SQL: "ended_at > ?", Args: []any{l.Now.Add(-mailer.KeepFailed).UnixMicro()}})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	item := concern.Item{Kind: "mail-failed", Subject: "Email", Since: rows[0].EndedAt}
	var ours, accounts int
	for _, m := range rows {
		item.Since = new(min(*item.Since, *m.EndedAt))
		if m.OrganizationID == 0 {
			accounts++
			continue
		}
		ours++
		item.Text = fmt.Sprintf("%s not delivered. The last one, %q: %s", emails(ours), m.Subject, m.Failure)
	}
	if accounts > 0 {
		if item.Text != "" {
			item.Text += ". "
		}
		item.Text += emails(accounts) + " about accounts, such as a password reset, not delivered. The reason is in Hostler's log"
	}
	return []concern.Item{item}, nil
}

func emails(n int) string {
	if n == 1 {
		return "1 email"
	}
	return fmt.Sprintf("%d emails", n)
}
