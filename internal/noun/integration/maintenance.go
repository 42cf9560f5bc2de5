package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

const (
	resourceMaintenance = "laravelMaintenanceIntegrations"
	enabling            = "enabling"
	disabling           = "disabling"
	deadline            = 10 * time.Minute
)

// EnableMaintenanceModeRequest asks for a maintenance page.
type EnableMaintenanceModeRequest struct {
	Secret   *api.Secret `json:"secret,omitempty" nullable:"true" doc:"Visitors who open this path bypass the page."`
	Status   int64       `json:"status" enum:"304,307,410,503" doc:"The status that visitors receive."`
	Redirect *string     `json:"redirect,omitempty" nullable:"true" doc:"A path that visitors are redirected to."`
}

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "integrations", Row: strconv.FormatInt(id, 10), Column: "secret"}
}

func (o *Operations) registerMaintenance() {
	manage := []access.Permission{access.SiteManageCommands}
	api.Show(o.Router, api.Operation{
		ID:     "organizations.servers.sites.integrations.laravel-maintenance.show",
		Method: http.MethodGet, Path: prefix + maintenance, Tag: "Integrations", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Conflict: true,
		Noun: "maintenance", Summary: "Get a site's maintenance mode",
		Description: "The state last set through Hostler. Queries the server for what is installed; 409 while it can't be reached.",
	}, o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path]) (api.Document[maintenanceResource], error) {
		has, err := o.Detector.installed(ctx, c.Parent, maintenance)
		if err != nil {
			return api.Document[maintenanceResource]{}, err
		}
		return o.maintenance(ctx, o.DB.Reader(), o.DB.Read(), c.Parent, has)
	})
	api.WriteChecked(o.Router, api.Operation{
		ID:     "organizations.servers.sites.integrations.laravel-maintenance.store",
		Method: http.MethodPost, Path: prefix + maintenance, Tag: "Integrations", Mode: api.Async,
		Permissions: manage, Status: http.StatusAccepted, Conflict: true,
		Noun: "maintenance", Verb: "enable", Summary: "Put a site's maintenance page up", Description: "409 if the site does not have Laravel.",
		Asks:    "Visitors get the maintenance page until it is disabled.",
		Example: map[string]any{"status": 503},
	}, o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path], b EnableMaintenanceModeRequest) error {
		checkMaintenance(c.Fields, b)
		if len(c.Fields) > 0 {
			return nil
		}
		has, err := o.Detector.installed(ctx, c.Parent, maintenance)
		if err == nil && !has {
			err = api.Conflict("The site does not have %s installed: its composer.lock does not name it.", framework)
		}
		return err
	}, o.down)
	api.WriteEmpty(o.Router, api.Operation{
		ID:     "organizations.servers.sites.integrations.laravel-maintenance.destroy",
		Method: http.MethodDelete, Path: prefix + maintenance, Tag: "Integrations", Mode: api.Async,
		Permissions: manage, Status: http.StatusAccepted, Before: "/orgs/{organization}/sites/{site}",
		Noun: "maintenance", Summary: "Take a site's maintenance page down",
	}, o.Sites.InPath, o.up)
}

func checkMaintenance(f api.Fields, b EnableMaintenanceModeRequest) {
	if b.Secret != nil && len(f["secret"]) == 0 && (len(b.Secret.Reveal()) > 200 || strings.HasPrefix(b.Secret.Reveal(), "-") ||
		strings.ContainsFunc(b.Secret.Reveal(), func(r rune) bool {
			return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
		})) {
		f.Add("secret", "The secret must contain only letters, digits, - and _, and be at most 200 characters long.")
	}
	if r := b.Redirect; r != nil && *r != "" && len(f["redirect"]) == 0 &&
		(len(*r) > 1000 || !strings.HasPrefix(*r, "/") || strings.HasPrefix(*r, "//") ||
			strings.ContainsFunc(*r, func(c rune) bool { return c <= ' ' || c == 0x7f })) {
		f.Add("redirect", "The redirect must be a path, such as /soon.")
	}
}

func (o *Operations) maintenance(ctx context.Context, r query.DBTX, q *query.Granted, p site.Path, has bool) (api.Document[maintenanceResource], error) {
	doc := api.Document[maintenanceResource]{Data: maintenanceResource{
		ID: strconv.FormatInt(p.Site.ID, 10), Links: o.Router.Links(o.path(p, maintenance)),
		Attributes: LaravelMaintenanceIntegrationAttributes{LaravelInstalled: has},
	}}
	row, err := q.GetIntegration(ctx, p.Site, maintenance)
	if errors.Is(err, db.ErrNotFound) {
		return doc, nil
	}
	if err != nil {
		return doc, fmt.Errorf("read integration: %w", err)
	}
	ops, err := job.ReadOperations(ctx, r, row.OperationID)
	if err != nil {
		return doc, err
	}
	doc.Data.Attributes.Enabled, doc.Data.Meta = row.Status != enabling, &api.Meta{Operation: job.Meta(ops, row.OperationID)}
	if row.Status != "" {
		doc.Data.Attributes.Status = &row.Status
	}
	return doc, nil
}

func (o *Operations) down(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b EnableMaintenanceModeRequest) (api.Document[maintenanceResource], error) {
	var none api.Document[maintenanceResource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	s := page{Status: b.Status}
	if b.Redirect != nil {
		s.Redirect = *b.Redirect
	}
	row, err := tx.PutIntegration(ctx, query.PutIntegrationParams{
		SiteID: c.Parent.Site.ID, Kind: maintenance, Settings: s.text(), Status: enabling, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("write integration: %w", err)
	}
	row.Secret = nil
	if b.Secret != nil && !b.Secret.IsZero() {
		if row.Secret, err = o.Box.Seal(sealedAt(row.ID), []byte(b.Secret.Reveal())); err != nil {
			return none, err
		}
	}
	event, err := o.begin(ctx, tx, c.Parent, row, enabling, "create", "Putting the maintenance page of "+c.Parent.Site.Name+" up")
	if err != nil {
		return none, err
	}
	doc, err := o.maintenance(ctx, tx.SQL, tx.Granted, c.Parent, true)
	doc.Event = event
	return doc, err
}

func (o *Operations) up(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	row, err := tx.GetIntegration(ctx, c.Parent.Site, maintenance)
	if errors.Is(err, db.ErrNotFound) { // it is not up
		return api.Empty{}, nil
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("read integration: %w", err)
	}
	event, err := o.begin(ctx, tx, c.Parent, row, disabling, "delete", "Taking the maintenance page of "+c.Parent.Site.Name+" down")
	return api.Empty{Event: event}, err
}

func (o *Operations) begin(ctx context.Context, tx *db.Tx, p site.Path, row query.Integration, status, action, description string) (int64, error) {
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: p.Grant, ServerID: p.Server.ID, SiteID: p.Site.ID, Ready: p.Server.IsReady,
		Aspect: job.Beside(MaintenanceAspect, p.Site.ID), Resource: resourceMaintenance, ResourceID: row.ID, Action: action,
		Description: description, RanAs: p.Site.UnixUser, Within: deadline,
	})
	if err != nil {
		return 0, err
	}
	if err := tx.SetIntegrationWork(ctx, row.ID, row.Secret, status, &accepted.OperationID); err != nil {
		return 0, fmt.Errorf("write integration: %w", err)
	}
	return accepted.EventID, nil
}

// page is how a maintenance page was asked for.
type page struct {
	Status   int64  `json:"status,omitempty"`
	Redirect string `json:"redirect,omitempty"`
}

func (p page) text() string {
	raw, _ := json.Marshal(p) // a number and a text
	return string(raw)
}

func readPage(row query.Integration) page {
	var p page
	_ = json.Unmarshal([]byte(row.Settings), &p)
	return p
}

// Task puts maintenance pages up and takes them down. It does not converge: the application may do the same on its own.
type Task struct {
	Box *secret.Box
}

// contentDown and contentUp are what is run in the site's directory; what they need to know comes in their environment.
const (
	contentDown = `#!/bin/bash -e
args=("--status=$MAINTENANCE_STATUS")
if [ -n "$MAINTENANCE_SECRET" ]; then args+=("--secret=$MAINTENANCE_SECRET"); fi
if [ -n "$MAINTENANCE_REDIRECT" ]; then args+=("--redirect=$MAINTENANCE_REDIRECT"); fi
exec php artisan down "${args[@]}"
`
	contentUp = "#!/bin/bash -e\nexec php artisan up\n"
)

// Aspect returns it for the engine.
func (c *Task) Aspect() job.Aspect {
	return task.Kind[query.Integration]{
		Load: task.Row((*query.Queries).GetIntegrationByID), Gone: "the page no longer exists: request it again", Steps: c.steps, Write: c.write,
		Doubts: true,
	}.Aspect()
}

// steps returns one script.
func (c *Task) steps(ctx context.Context, q *query.Queries, srv query.Server, op query.Operation, row query.Integration) ([]job.Stage, error) {
	at, err := site.PlaceNow(ctx, q.Granted(), srv, row.SiteID)
	if err != nil {
		return nil, err
	}
	if op.Action == "delete" {
		script, err := upScript(srv, at)
		return planned(script, err)
	}
	var word []byte
	if len(row.Secret) > 0 {
		if word, err = c.Box.Open(sealedAt(row.ID), row.Secret); err != nil {
			return nil, err
		}
	}
	script, err := downScript(srv, at, readPage(row), string(word))
	return planned(script, err)
}

func planned(script wire.Script, err error) ([]job.Stage, error) {
	if err != nil {
		return nil, job.Planned(err)
	}
	return []job.Stage{{Name: "artisan", Script: &script, Detach: true, Within: 2 * time.Minute}}, nil
}

// upScript takes the maintenance page of a site down. It is pure.
func upScript(srv query.Server, at site.Place) (wire.Script, error) {
	dir, err := at.Home()
	s := wire.Script{User: at.Site.UnixUser, Dir: dir.String(), Content: contentUp, Env: map[string]string{}}
	s.Programs = at.Programs(srv)
	return s, err
}

// downScript puts the maintenance page of a site up. It is pure.
func downScript(srv query.Server, at site.Place, p page, word string) (wire.Script, error) {
	s, err := upScript(srv, at)
	s.Content = contentDown
	s.Env["MAINTENANCE_STATUS"], s.Env["MAINTENANCE_REDIRECT"] = strconv.FormatInt(p.Status, 10), p.Redirect
	if word != "" {
		s.Env["MAINTENANCE_SECRET"], s.Redact = word, []string{word}
	}
	return s, err
}

// pages is the status of a page that is put up, downs that of one that is taken down; "" is up.
var (
	pages = task.Shows{job.Queued: enabling, job.Begun: enabling, job.InDoubt: enabling, job.Succeeded: ""}
	downs = task.Shows{job.Queued: disabling, job.Begun: disabling, job.InDoubt: disabling, job.Failed: ""}
)

// write shows whether there is a page. Of one that could not be put up nothing is left: it is requested again. While only the server knows, the row
// says that it is being put up or taken down.
func (c *Task) write(ctx context.Context, tx *db.Tx, op query.Operation, row query.Integration, at job.State) error {
	removes := op.Action == "delete"
	if at.Ended() && at != job.InDoubt && removes == at.Done() { // there is no page
		if row.OperationID == nil || *row.OperationID != op.ID {
			return nil
		}
		return tx.DeleteIntegration(ctx, row.SiteID, row.Kind)
	}
	shows := pages
	if removes {
		shows = downs
	}
	return tx.SettleIntegration(ctx, op.ResourceID, shows.Of(at), &op.ID)
}
