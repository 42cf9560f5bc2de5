package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// PlanHeader is a header of a request that changes servers: the hash of a plan that was looked at. The request is done if its plan is still that one, compared
// in the transaction that accepts it; else it is a 409 with the new plan, and nothing is done.
const PlanHeader = "X-Hostler-Plan"

// DryRun is what a request would change on servers.
type DryRun struct {
	// Hash is of the whole plan, for PlanHeader.
	Hash    string         `json:"hash" doc:"The hash of the plan. The same request with it as X-Hostler-Plan is done only if its plan is still this one."`
	Servers []ServerDryRun `json:"servers"`
}

// ServerDryRun is what would change on one server.
type ServerDryRun struct {
	ServerID string     `json:"server_id"`
	Files    []FileDiff `json:"files"`
	Packages []string   `json:"packages"`
	Actions  []string   `json:"actions"`
	Kept     []string   `json:"kept" doc:"Differences that are reported but not changed."`

	// Compare asks for the differences of the server, once the transaction is over.
	Compare bool `json:"-"`
}

// FileDiff is a changed file as a unified diff; Diff is empty for a file whose content is secret.
type FileDiff struct {
	Path string `json:"path"`
	Diff string `json:"diff"`
}

// WithoutDiffs returns the plan with the names of its files only.
func (d DryRun) WithoutDiffs() DryRun {
	d.Servers = slices.Clone(d.Servers)
	for i := range d.Servers {
		d.Servers[i].Files = slices.Clone(d.Servers[i].Files)
		for j := range d.Servers[i].Files {
			d.Servers[i].Files[j].Diff = ""
		}
	}
	return d
}

// plan is the plan of one request: it is what the request answers (a dry run), or what it is held to, or neither.
type plan struct {
	planner Planner
	wanted  string // the hash of PlanHeader
	dryRun  bool

	made DryRun
	// open is set where only servers know the rest, which they are asked for after the transaction.
	open bool
	// settled is set once the plan is known to be the wanted one.
	settled bool
}

// wantedPlan reads PlanHeader.
func wantedPlan(req *http.Request, op *Operation) (string, error) {
	values := req.Header.Values(PlanHeader)
	hash := strings.Join(values, ",")
	switch {
	case len(values) == 0:
		return "", nil
	case !op.ChangesHost:
		return "", BadRequest("The header %s is for requests that have a plan (dry_run=true), and this one has none.", PlanHeader)
	case !planHash.MatchString(hash):
		return "", BadRequest("The header %s must be the hash of a plan, as meta.plan.hash of a dry run.", PlanHeader)
	}
	return hash, nil
}

var planHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// holds runs what a request does, if its plan is the wanted one. A dry run is rolled back.
func (p *plan) holds(ctx context.Context, tx *db.Tx, run func(context.Context, *db.Tx) (reply, error)) (reply, error) {
	p.open = false
	if p.wanted == "" && !p.dryRun {
		return run(ctx, tx)
	}
	if !p.settled {
		if err := tx.Mark(ctx); err != nil {
			return reply{}, err
		}
		answer, err := run(ctx, tx)
		if err != nil {
			return reply{}, err
		}
		if p.made, err = p.planner.Plan(ctx, tx); err != nil {
			return reply{}, err
		}
		p.open = slices.ContainsFunc(p.made.Servers, func(s ServerDryRun) bool { return s.Compare })
		p.made.Hash = p.made.hash(answer.created())
		if p.dryRun || p.open {
			return answer, db.ErrRollback
		}
		if err := p.compare(); err != nil {
			return reply{}, err
		}
	}
	answer, err := run(ctx, tx)
	if err != nil {
		return reply{}, err
	}
	return answer, p.planner.Keep(ctx, tx, Kept{Plan: &p.made})
}

// complete asks servers for what only they know of a plan, and compares it.
func (p *plan) complete(ctx context.Context) error {
	if err := p.planner.Complete(ctx, &p.made); err != nil {
		return err
	}
	p.made.Hash = p.made.hash("")
	if p.dryRun {
		return nil
	}
	p.settled = true
	return p.compare()
}

func (p *plan) compare() error {
	if p.made.Hash == p.wanted {
		return nil
	}
	return &Error{
		Status: http.StatusConflict, Plan: &p.made,
		Message: "The plan has changed since you looked at it, and nothing was done. Look at the new plan, and send its hash.",
	}
}

func (p *plan) answer() (reply, error) {
	body, err := json.Marshal(map[string]any{"meta": map[string]any{"dry_run": true, "plan": p.made}})
	return reply{status: http.StatusOK, body: body}, err
}

// created is the id of what a request creates, "" if its answer has none.
func (a reply) created() string {
	var doc struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if a.status != http.StatusCreated && a.status != http.StatusAccepted || json.Unmarshal(a.body, &doc) != nil {
		return ""
	}
	return doc.Data.ID
}

// hash is of what the plan shows. An id that is given to what the request creates is not the same the next time, and does not count.
func (d DryRun) hash(created string) string {
	raw, _ := json.Marshal(d.Servers) // strings only
	if created != "" {
		raw = number.ReplaceAllFunc(raw, func(found []byte) []byte {
			if string(found) == created {
				return []byte("new")
			}
			return found
		})
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

var number = regexp.MustCompile(`[0-9]+`)
