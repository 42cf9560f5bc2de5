package job_test

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// firewallDriver asks for rules, whose mark is the port.
var firewallDriver = &driver{
	kind: firewall.Rules.Kind, aspect: firewall.Aspect, noun: firewall.Rules, applied: server.PartInstalled, failed: server.PartFailed,
	aspects: func(w *walker) map[string]job.Aspect {
		return map[string]job.Aspect{firewall.Aspect: converge.Converger{Ledger: w.ledger, Plans: firewall.Plan}.Aspect()}
	},
	mark: func(number string) string {
		if n, poison := strings.CutPrefix(number, poisoned); poison { // 666 and two digits are no port
			of, _ := strconv.Atoi(n)
			return strconv.Itoa(of%60+1) + poisoned
		}
		return number
	},
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		row, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{
			ServerID: w.server.ID, Name: mark, Port: portSpec(mark), Type: firewall.Allow,
			Status: server.PartInstalling,
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		return firewall.Rules.Want(row.ID, firewall.Specification{Name: mark, Port: portSpec(mark), Type: firewall.Allow})
	},
	update: func(_ context.Context, _ *db.Tx, _ *walker, id int64, mark string) (ledger.Wish, error) {
		return firewall.Rules.Want(id, firewall.Specification{Name: mark, Port: portSpec(mark), Type: firewall.Allow})
	},
	remove: firewall.Rules.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetFirewallRule(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}
