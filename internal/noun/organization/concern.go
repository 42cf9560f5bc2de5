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
	managed := l.Managed()
	if len(managed) == 0 {
		return nil, nil
	}
	rows, err := db.All[query.Mail](ctx, l.Rows, "mails", db.Equal("organization_id", append([]any{int64(0)}, managed...)...),
		db.Cond{SQL: "ended_at > ?", Args: []any{l.Now.Add(-mailer.KeepFailed).UnixMicro()}})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	of := map[int64][]query.Mail{}
	for _, m := range rows {
		of[m.OrganizationID] = append(of[m.OrganizationID], m)
	}
	if len(managed) > 1 { // those about accounts belong to no organization
		managed = append(managed, int64(0))
	} else {
		of[managed[0].(int64)] = rows
	}
	var out []concern.Item
	for _, id := range managed {
		if rows := of[id.(int64)]; len(rows) > 0 {
			out = append(out, undelivered(id.(int64), rows))
		}
	}
	return out, nil
}

// undelivered returns the item of emails that could not be sent.
func undelivered(organization int64, rows []query.Mail) concern.Item {
	item := concern.Item{Kind: "mail-failed", Subject: "Email", OrganizationID: organization, Since: rows[0].EndedAt}
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
	return item
}

func emails(n int) string {
	if n == 1 {
		return "1 email"
	}
	return fmt.Sprintf("%d emails", n)
}
