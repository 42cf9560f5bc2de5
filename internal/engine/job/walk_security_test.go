package job_test

import (
	"context"
	"errors"
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// securityDriver asks for security rules, whose mark is their name.
var securityDriver = &driver{
	kind: security.Rules.Kind, aspect: site.Aspect, noun: security.Rules, applied: security.StatusInstalled, failed: security.StatusFailed,
	includes: []vhost.Include{security.Include{}},
	aspects:  siteAspects, prepare: prepareSite,
	mark: func(number string) string { return "realm " + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		row, err := tx.InsertSecurityRule(ctx, query.InsertSecurityRuleParams{
			SiteID: w.made[site.Aspect], Name: mark, Credentials: []byte{},
			Status: security.StatusInstalling,
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		return protection(w, row.ID, mark)
	},
	update: func(_ context.Context, _ *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		return protection(w, id, mark)
	},
	remove: security.Rules.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetSecurityRule(ctx, w.made[site.Aspect], id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}

// protection asks for a rule with a path of its own and one user.
func protection(w *walker, id int64, mark string) (ledger.Wish, error) {
	number := strconv.FormatInt(id, 10)
	users, err := w.box.Seal(secret.Place{Table: "security_rules", Row: number, Column: "credentials"}, []byte("user-"+number+":$2a$05$"+number+"\n"))
	if err != nil {
		return ledger.Wish{}, err
	}
	path, err := value.ParseURLPath("/protected-" + number)
	if err != nil {
		return ledger.Wish{}, err
	}
	return security.Rules.Want(id, security.Specification{SiteID: w.made[site.Aspect], Name: mark, Path: path, Users: users})
}
