package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pressly/goose/v3"
)

// ledgerSites is the migration that writes the ledger of sites from their rows and operations. The specifications have their shape of version 1.
var ledgerSites = goose.NewGoMigration(307, &goose.GoFunc{RunTx: backfillSites}, nil)

type siteSpec struct {
	Name          string        `json:"name"`
	Type          string        `json:"type"`
	User          string        `json:"user,omitempty"`
	Isolated      bool          `json:"isolated,omitempty"`
	Slot          *int64        `json:"slot,omitempty"`
	WebDirectory  string        `json:"web_directory,omitempty"`
	RootDirectory *string       `json:"root_directory,omitempty"`
	PHPVersion    string        `json:"php_version,omitempty"`
	Port          *int64        `json:"port,omitempty"`
	SparePort     *int64        `json:"spare_port,omitempty"`
	Code          *siteCode     `json:"code,omitempty"`
	Balancer      *siteBalancer `json:"balancer,omitempty"`
	Enclosed      bool          `json:"enclosed,omitempty"`
}

type siteCode struct {
	Releases       bool   `json:"releases,omitempty"`
	Adopted        bool   `json:"adopted,omitempty"`
	URL            string `json:"url,omitempty"`
	Branch         string `json:"branch,omitempty"`
	SharedPaths    string `json:"shared_paths,omitempty"`
	PackageManager string `json:"package_manager,omitempty"`
}

type siteBalancer struct {
	Method    string     `json:"method"`
	Keepalive int64      `json:"keepalive,omitempty"`
	Nodes     []siteNode `json:"nodes,omitempty"`
}

type siteNode struct {
	ServerID int64  `json:"server_id"`
	Address  string `json:"address"`
	Port     int64  `json:"port"`
	Weight   int64  `json:"weight"`
	Backup   bool   `json:"backup,omitempty"`
	Down     bool   `json:"down,omitempty"`
}

// siteRow is a site with its project before the ledger.
type siteRow struct {
	id, server  int64
	status      string
	spec        siteSpec
	method      *string
	keepalive   *int64
	enclosed    int64
	repository  *string // nil without a project, like the fields below
	url, branch *string
	shared      *string
	manager     *string
	releases    *bool
}

// siteState is a site in the request of an operation: an encoded row of the query package.
type siteState struct {
	Site struct {
		Type, WebDirectory, PHPVersion string
		RootDirectory, BalancerMethod  *string
		BalancerKeepalive              *int64
	} `json:"site"`
	Nodes []struct {
		ServerID, Port, Weight int64
		Backup, Down           bool
	} `json:"nodes"`
	After *siteState `json:"after"`
}

// siteSwitch is the request of a switch between releases and in-place deployments.
type siteSwitch struct {
	Before, After         bool
	ScriptFrom, ScriptNow string
}

// switches reports whether an operation switched a site between releases and deployments in place.
func (o pastOperation) switches() bool {
	return o.action == "enable-zero-downtime" || o.action == "disable-zero-downtime"
}

func backfillSites(ctx context.Context, tx *sql.Tx) error {
	sites, err := scan(ctx, tx, `SELECT s.id, s.server_id, s.status, CASE WHEN s.directory = '' THEN s.name ELSE s.directory END, s.type, s.unix_user, s.isolated,
  CASE WHEN s.isolated THEN (SELECT slot FROM unix_accounts a WHERE a.server_id = s.server_id AND a.name = s.unix_user) END, s.web_directory, s.root_directory, s.php_version, s.port, s.spare_port,
  s.balancer_method, s.balancer_keepalive, s.enclosed, p.repository, p.url, p.branch, p.shared_paths, p.package_manager, p.zero_downtime
FROM sites s LEFT JOIN projects p ON p.site_id = s.id ORDER BY s.id`, func(r *siteRow) []any {
		return []any{
			&r.id, &r.server, &r.status, &r.spec.Name, &r.spec.Type, &r.spec.User, &r.spec.Isolated, &r.spec.Slot, &r.spec.WebDirectory, &r.spec.RootDirectory, &r.spec.PHPVersion, &r.spec.Port, &r.spec.SparePort,
			&r.method, &r.keepalive, &r.enclosed, &r.repository, &r.url, &r.branch, &r.shared, &r.manager, &r.releases,
		}
	})
	if err != nil {
		return fmt.Errorf("read sites: %w", err)
	}
	addresses, err := addressesOf(ctx, tx)
	if err != nil {
		return fmt.Errorf("read addresses of servers: %w", err)
	}
	for _, r := range sites {
		if err := backfillSite(ctx, tx, r, addresses); err != nil {
			return fmt.Errorf("write the ledger of site %d: %w", r.id, err)
		}
	}
	return nil
}

// addressesOf returns a function for the address at which one server reaches another: the private one if both have one.
func addressesOf(ctx context.Context, tx *sql.Tx) (func(from, to int64) string, error) {
	type server struct {
		id          int64
		ip, private *string
	}
	servers, err := scan(ctx, tx, `SELECT id, ip_address, private_ip_address FROM servers`, func(s *server) []any { return []any{&s.id, &s.ip, &s.private} })
	if err != nil {
		return nil, err
	}
	byID := map[int64]server{}
	for _, s := range servers {
		byID[s.id] = s
	}
	return func(from, to int64) string {
		text := byID[to].ip
		if text == nil || byID[from].private != nil && byID[to].private != nil {
			text = byID[to].private
		}
		if text == nil {
			return ""
		}
		return *text
	}, nil
}

func backfillSite(ctx context.Context, tx *sql.Tx, r siteRow, addresses func(from, to int64) string) error {
	s := r.spec
	s.Enclosed = r.enclosed == 2
	if r.repository != nil && (*r.repository != "" || s.Type == "wordpress" || s.Type == "phpmyadmin") {
		s.Code = &siteCode{Releases: *r.releases, URL: *r.url, Branch: *r.branch, SharedPaths: *r.shared, PackageManager: *r.manager}
	}
	if r.method != nil {
		s.Balancer = &siteBalancer{Method: *r.method}
		if r.keepalive != nil {
			s.Balancer.Keepalive = *r.keepalive
		}
		var err error
		s.Balancer.Nodes, err = scan(ctx, tx,
			fmt.Sprintf(`SELECT server_id, port, weight, backup, down FROM load_balancing_nodes WHERE site_id = %d ORDER BY id`, r.id),
			func(n *siteNode) []any { return []any{&n.ServerID, &n.Port, &n.Weight, &n.Backup, &n.Down} })
		if err != nil {
			return err
		}
		for i, n := range s.Balancer.Nodes {
			s.Balancer.Nodes[i].Address = addresses(r.server, n.ServerID)
		}
	}
	ops, err := pastOperationsOn(ctx, tx, "sites", r.id)
	if err != nil {
		return err
	}
	put := func(on siteSpec, state siteState) siteSpec { return on.with(r.server, state, addresses) }
	return writeSite(ctx, tx, r, s, ops, put)
}

// with is a site that a request made another one.
func (s siteSpec) with(server int64, state siteState, addresses func(from, to int64) string) siteSpec {
	s.Type, s.WebDirectory, s.PHPVersion, s.RootDirectory = state.Site.Type, state.Site.WebDirectory, state.Site.PHPVersion, state.Site.RootDirectory
	if s.Balancer == nil || state.Site.BalancerMethod == nil {
		return s
	}
	s.Balancer = &siteBalancer{Method: *state.Site.BalancerMethod}
	if k := state.Site.BalancerKeepalive; k != nil {
		s.Balancer.Keepalive = *k
	}
	for _, n := range state.Nodes {
		s.Balancer.Nodes = append(s.Balancer.Nodes, siteNode{n.ServerID, addresses(server, n.ServerID), n.Port, n.Weight, n.Backup, n.Down})
	}
	return s
}

func (s siteSpec) switched(releases, adopted bool) siteSpec {
	if s.Code != nil {
		code := *s.Code
		code.Releases, code.Adopted = releases, adopted
		s.Code = &code
	}
	return s
}

// writeSite writes what is applied of a site and what its operations asked for. The row shows the newest wish: what the server has is that with the open
// operations undone. A site is on its server when the operation that created it succeeded, whatever its status says.
func writeSite(ctx context.Context, tx *sql.Tx, r siteRow, now siteSpec, ops []pastOperation, put func(siteSpec, siteState) siteSpec) error {
	has, created, open, by := now, r.status == "installed" || r.status == "uninstalling", false, int64(0)
	for _, o := range slices.Backward(ops) {
		var asked siteState
		var s siteSwitch
		switch {
		case !o.open():
		case o.action == "update":
			if err := o.decode(&asked); err != nil {
				return err
			}
			has = put(has, asked)
		case o.switches():
			if err := o.decode(&s); err != nil {
				return err
			}
			has = has.switched(s.Before, false)
		}
	}
	next := has
	for _, o := range ops {
		wished, err := wishOf(o, next, put)
		if err != nil {
			return err
		}
		if o.action == "create" {
			created = o.succeeded()
		}
		if o.succeeded() {
			by = o.id
		} else if err := putSiteWish(ctx, tx, o.id, r.id, wished); err != nil {
			return err
		}
		if open = open || o.open(); o.open() && wished != nil {
			next = *wished
		}
	}
	if err := writeScripts(ctx, tx, r.id, ops); err != nil {
		return err
	}
	switch {
	case created:
		raw, err := json.Marshal(has)
		if err != nil {
			return err
		}
		if err := putApplied(ctx, tx, "sites", r.id, r.server, &by, string(raw)); err != nil || open || r.status == "installed" {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE sites SET status = 'installed' WHERE id = $1`, r.id)
		return err
	case !open:
		_, err := tx.ExecContext(ctx, `UPDATE sites SET status = 'failed' WHERE id = $1`, r.id)
		return err
	}
	return nil
}

// wishOf is what an operation asks for on a site as it was before it, nil for a deletion.
func wishOf(o pastOperation, on siteSpec, put func(siteSpec, siteState) siteSpec) (*siteSpec, error) {
	var asked siteState
	var s siteSwitch
	on.Enclosed = true
	switch {
	case o.action == "delete":
		return nil, nil
	case o.action == "update":
		err := o.decode(&asked)
		if err != nil || asked.After == nil {
			return &on, err
		}
		on = put(on, *asked.After)
	case o.switches():
		if err := o.decode(&s); err != nil {
			return nil, err
		}
		on = on.switched(s.After, s.After)
	}
	return &on, nil
}

func putSiteWish(ctx context.Context, tx *sql.Tx, operation, id int64, wished *siteSpec) error {
	if wished == nil {
		return putWish(ctx, tx, &operation, "sites", id, nil)
	}
	raw, err := json.Marshal(wished)
	if err != nil {
		return err
	}
	return putWish(ctx, tx, &operation, "sites", id, new(string(raw)))
}

// writeScripts notes what the newest switch made of a deploy script, so that it can be undone.
func writeScripts(ctx context.Context, tx *sql.Tx, id int64, ops []pastOperation) error {
	for _, o := range slices.Backward(ops) {
		if !o.switches() {
			continue
		}
		var s siteSwitch
		if err := o.decode(&s); err != nil {
			return err
		}
		if !o.open() && !o.succeeded() { // it was undone
			s.ScriptFrom, s.ScriptNow = s.ScriptNow, s.ScriptFrom
		}
		_, err := tx.ExecContext(ctx, `UPDATE projects SET script_before = $1, script_switched = $2 WHERE site_id = $3`, s.ScriptFrom, s.ScriptNow, id)
		return err
	}
	return nil
}
