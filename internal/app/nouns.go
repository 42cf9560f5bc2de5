package app

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// noun is a row: all that a noun adds to the program. What it does not have is left out.
type noun struct {
	// name is its folder in internal/noun.
	name string
	// fields describes the fields whose declarations do not, and parameters its own parts of paths.
	fields, parameters map[string]string
	// values are what its fields take or show whose declarations do not list it.
	values map[string][]string
	// kinds are its resources on hosts, and aspects, by name, the plans and tasks that change hosts.
	kinds   []ledger.Kind
	aspects map[string]job.Aspect
	// includes is what it adds to the plan of a site, after what the nouns before it add.
	includes []vhost.Include
	// watch looks at a server once a minute.
	watch func(ctx context.Context, server query.Server) error
	// mails check its mail before it is sent, by what it is about.
	mails map[string]mail.Check
	// mailed record what became of its mail, by what it is about.
	mailed map[string]mail.Outcome
	// periodic is what is done at intervals, and work adds what does it to the workers.
	periodic []job.Periodic
	work     func(*job.Workers)
	// register adds its operations, once there is a router.
	register func()
	// elsewhere lists what work on servers leads to that is not on them, for its plan.
	elsewhere func(ctx context.Context, rows query.DBTX, op query.Operation) ([]string, error)
	// transfers lists what a transfer of a server to another organization meets.
	transfers transfer.Source
	// concerns report what needs attention.
	concerns []concern.Source
}

// nouns are all of them, in the order in which they are registered. A test compares them with internal/noun.
func (h *house) nouns() []noun {
	return []noun{
		h.account(), h.organization(), h.role(), h.team(), h.recipe(), h.credential(), h.provider(), h.oauthClient(), h.audit(),
		h.server(), h.sshKey(), h.firewall(), h.monitor(), h.metric(), h.php(), h.service(),
		h.site(), h.limits(), h.vhost(), h.project(), h.deployment(), h.environment(), h.command(), h.database(), h.loadBalancer(), h.domain(), h.certificate(),
		h.dnsProvider(), h.dnsRecord(), h.nginx(), h.redirect(), h.security(), h.process(), h.sftpUser(), h.packages(), h.heartbeat(), h.schedule(), h.integration(),
		h.log(), h.file(), h.webhook(), h.sourceControl(), h.notification(), h.event(), h.storage(), h.backup(), h.attention(),
	}
}

// transfers are those of all nouns.
func (h *house) transfers() []transfer.Source {
	var out []transfer.Source
	for _, n := range h.rows {
		if n.transfers != nil {
			out = append(out, n.transfers)
		}
	}
	return out
}
