package deployment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// HookPath is the path of deploy hooks, PushPath of push webhooks; the last part of a hook's path is its secret.
const (
	HookPath = "/deploy/"
	PushPath = "/push/"
)

// Hooks answers what is called without signing in: the address of a deploy hook is its secret, and a push is signed with it.
type Hooks struct {
	DB       *db.DB
	Deployer *Deployer
	Limits   Limiter
	Log      *slog.Logger
}

// Limiter counts requests in minutes; its errors are api.Errors that say when the next one is taken.
type Limiter interface {
	// LimitAddress counts a request to its address, for what; 0 is the installation's limit.
	LimitAddress(w http.ResponseWriter, req *http.Request, what string, most int) error
	// LimitKey counts a request to a name.
	LimitKey(w http.ResponseWriter, key string, most int) error
}

// Handler answers GET and POST of /deploy/{token}, and POST of /push/{site}.
func (h *Hooks) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(HookPath+"{token}", h.hook)
	mux.HandleFunc("POST "+PushPath+"{site}", h.push)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if limited(w, h.Limits.LimitAddress(w, req, "hooks", 0)) {
			return
		}
		api.WithoutSlash(mux).ServeHTTP(w, req)
	})
}

// limited answers a caller who asks too often.
func limited(w http.ResponseWriter, err error) bool {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return false
	}
	for name, values := range refused.Header {
		w.Header()[name] = values
	}
	answer(w, refused.Status, refused.Message)
	return true
}

// tokenPattern is the form of secrets; what is not of it is not looked for.
var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{20,128}$`)

// Limits of what a caller may send.
const (
	maxVariables = 50
	maxLabel     = 1000
)

func (h *Hooks) hook(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		answer(w, http.StatusMethodNotAllowed, "Deploy hooks are called with GET or POST.")
		return
	}
	token := req.PathValue("token")
	if !tokenPattern.MatchString(token) {
		unknown(w)
		return
	}
	// Found by its hash: the duration of the search reveals nothing about the secret.
	p, err := h.DB.Read().Ungranted().GetProjectByHook(req.Context(), secret.Hash(token))
	if errors.Is(err, db.ErrNotFound) {
		unknown(w)
		return
	}
	if err != nil {
		h.failed(req.Context(), w, err)
		return
	}
	if event := eventOf(req.Header); event == eventPing || event == eventDiagnostics {
		answer(w, http.StatusOK, "Nothing to do: this is a test of the webhook, and it works.")
		return
	}
	r := Request{Type: TypeHook}
	branch := ""
	values := req.URL.Query()
	switch sender := senderOf(req.Header); {
	case req.Method != http.MethodPost:
	case sender != "unknown":
		// The address was given to a Git server as its webhook: what it pushes elsewhere is no reason to deploy. Other events were chosen there.
		if reason := pushedElsewhere(w, req, sender, p.Branch); reason != "" {
			answer(w, http.StatusOK, "Nothing to do: "+strings.ToLower(reason[:1])+reason[1:])
			return
		}
	default:
		const most = 64 << 10
		req.Body = http.MaxBytesReader(w, req.Body, most)
		parse := func() error { return errors.New("another body than a form is not read") }
		switch kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type")); kind {
		case "application/x-www-form-urlencoded":
			parse = req.ParseForm
		case "multipart/form-data":
			parse = func() error { return req.ParseMultipartForm(most) }
		}
		if parse() == nil {
			values = req.Form
		}
	}
	if branch, err = r.read(values); err != nil {
		answer(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	if branch != "" && branch != p.Branch {
		answer(w, http.StatusOK, "Nothing to do: the site deploys another branch.")
		return
	}
	h.deploy(req.Context(), w, p, r, nil)
}

// pushedElsewhere returns why a push to a branch is not deployed; "" for one that is, and for what is no push to a branch.
func pushedElsewhere(w http.ResponseWriter, req *http.Request, sender, wanted string) string {
	said, changes, err := readPayload(req.Header.Get("Content-Type"), http.MaxBytesReader(w, req.Body, maxPush))
	if err != nil {
		return ""
	}
	branch, _, reason := judge(delivery{sender: sender, event: eventOf(req.Header)}, wanted, said, changes)
	if branch == "" {
		return ""
	}
	return reason
}

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// read takes the reserved keys, under our names and those that existing callers use; every other key becomes a variable of the script.
func (r *Request) read(values url.Values) (branch string, err error) {
	r.Variables = map[string]string{}
	for key := range values {
		v := values.Get(key)
		name := strings.TrimPrefix(strings.TrimPrefix(key, "forge_deploy_"), "hostler_deploy_")
		if name == key && (!variablePattern.MatchString(key) || key == formPayload) {
			continue // what Git servers and monitors add to an address is none of ours
		}
		if len(v) > maxLabel || strings.ContainsRune(v, 0) {
			return "", fmt.Errorf("The value of %q is too long or not text.", key)
		}
		switch {
		case name == key:
			r.Variables[key] = v
		case name == "branch":
			branch = v
		case name == "commit":
			r.Hash = clean(v)
		case name == "author":
			r.Author = clean(v)
		case name == "message":
			r.Message = clean(v)
		}
	}
	if len(r.Variables) > maxVariables {
		return "", fmt.Errorf("There can be at most %d variables.", maxVariables)
	}
	return branch, nil
}

// seenFor is how long a repeated push is recognized. The signed content has no timestamp (at GitHub, GitLab and Bitbucket alike),
// so it is as long as a secret may be in use.
const seenFor = 365 * 24 * time.Hour

// deploy deploys a site. d is the delivery of a push, whose verdict is recorded with its deployment.
func (h *Hooks) deploy(ctx context.Context, w http.ResponseWriter, p query.Project, r Request, d *delivery) {
	// Anyone with the secret can deploy, but not without limit: each one is work on the server.
	if limited(w, h.Limits.LimitKey(w, "hooks of site "+strconv.FormatInt(p.SiteID, 10), api.CommandRateLimit)) {
		return
	}
	repeated := false
	err := h.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if r.once != "" {
			n, err := tx.NotePush(ctx, p.SiteID, r.once, tx.Micros())
			if err != nil {
				return fmt.Errorf("note push: %w", err)
			}
			if repeated = n == 0; repeated {
				d.verdict, d.reason = verdictIgnored, "This push was already received."
				return noteDelivery(ctx, tx, *d)
			}
			if err := tx.DeleteOldPushes(ctx, p.SiteID, tx.Now.Add(-seenFor).UnixMicro()); err != nil {
				return fmt.Errorf("note push: %w", err)
			}
		}
		row, err := tx.GetSite(ctx, p)
		if err != nil {
			return fmt.Errorf("deploy by hook: %w", err)
		}
		srv, err := tx.GetServer(ctx, row)
		if err != nil {
			return fmt.Errorf("deploy by hook: %w", err)
		}
		r.Grant = access.Grant{OrganizationID: row.OrganizationID}
		made, _, err := h.Deployer.Deploy(ctx, tx, srv, row, r)
		if err != nil || d == nil {
			return err
		}
		d.verdict, d.deployment = verdictDeployed, &made.ID
		return noteDelivery(ctx, tx, *d)
	})
	h.refused(ctx, err, d)
	var refused *api.Error
	switch {
	case errors.As(err, &refused): // the server is archived, say
		answer(w, refused.Status, refused.Message)
	case errors.Is(err, ErrNoScript):
		answer(w, http.StatusConflict, "The site has no deploy script.")
	case err != nil:
		h.failed(ctx, w, err)
	case repeated:
		answer(w, http.StatusOK, "Nothing to do: this push was already received.")
	default:
		answer(w, http.StatusAccepted, "The deployment is queued.")
	}
}

// refused records a push that could not be deployed, with the reason.
func (h *Hooks) refused(ctx context.Context, err error, d *delivery) {
	if err == nil || d == nil {
		return
	}
	d.verdict, d.deployment, d.reason = verdictIgnored, nil, "The deployment could not be queued."
	var known *api.Error
	switch {
	case errors.As(err, &known):
		d.reason = known.Message
	case errors.Is(err, ErrNoScript):
		d.reason = "The site has no deploy script."
	}
	h.note(ctx, *d)
}

// unknown is the one answer to every secret and every signature that is not right.
func unknown(w http.ResponseWriter) {
	answer(w, http.StatusNotFound, "Not found. A push is sent to /push/ with the site's id. "+secretHint)
}

func (h *Hooks) failed(ctx context.Context, w http.ResponseWriter, err error) {
	h.Log.ErrorContext(ctx, "a deploy hook failed", "error", err)
	answer(w, http.StatusInternalServerError, "Server error.")
}

func answer(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

// DeployHookAttributes is the address that deploys a site.
type DeployHookAttributes struct {
	URL api.Secret `json:"url"`
}

// ResourceType returns deploymentHooks.
func (DeployHookAttributes) ResourceType() string { return "deploymentHooks" }

// Metas are what the meta of these resources has besides.
func (DeployHookAttributes) Metas() []any { return []any{HookMeta{}} }

// HookMeta is what a deploy hook has beyond the contract.
type HookMeta struct {
	DeployHook DeployHookMeta `json:"deploy_hook" doc:"The secret of the hook in other forms."`
}

// DeployHookMeta is a deploy hook's secret for pushes in another form.
type DeployHookMeta struct {
	SigningToken api.Secret `json:"signing_token" doc:"The secret of pushes as a signing token of GitLab, used instead of its secret token."`
}

// HookResource is a site's deploy hook in a document.
type HookResource = api.Resource[DeployHookAttributes, api.NoRelationships]

func (o *Operations) registerHooks() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.deploy-hook.update", Method: http.MethodPut, Path: many + "/deploy-hook",
		Tag: "Deployments", Mode: api.Sync, Permissions: manage,
		Noun: "deploy-hook", Summary: "Regenerate a site's deploy hook", Description: "The old URL stops working immediately.",
		Asks: "The current URL and secret stop working immediately.",
	}, o.Store.Sites.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Document[HookResource], error) {
		var err error
		if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
			return api.Document[HookResource]{}, err
		}
		p, err := o.Deployer.Projects.Ensure(ctx, tx, c.Parent.Site)
		if err == nil {
			p, err = o.Deployer.Projects.RotateHook(ctx, tx, p)
		}
		if err == nil {
			err = tx.NoteHookReader(ctx, p.SiteID, c.Parent.UserID, tx.Micros())
		}
		if err != nil {
			return api.Document[HookResource]{}, err
		}
		return o.hookOf(c.Parent, p)
	})
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.deploy-hook.show", Method: http.MethodGet, Path: many + "/deploy-hook",
		Tag: "Deployments", Mode: api.Sync, Permissions: see,
		Noun: "deploy-hook", Summary: "Get a site's deploy hook",
		Description: "Anyone who knows the address can deploy the site, with GET or POST. Its last part is also the secret that signs pushes sent to /push/{site}.",
	}, o.Store.Sites.InPath, o.hook)
	push := func(on bool) func(context.Context, *db.Tx, api.Call[site.Path]) error {
		return func(ctx context.Context, tx *db.Tx, c api.Call[site.Path]) error {
			var err error
			if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
				return err
			}
			p, err := o.Deployer.Projects.Ensure(ctx, tx, c.Parent.Site)
			if err != nil {
				return err
			}
			if err := tx.SetProjectPush(ctx, p.SiteID, on, tx.Micros()); err != nil {
				return fmt.Errorf("set push to deploy: %w", err)
			}
			return o.Deployer.Projects.Changed(ctx, tx, p)
		}
	}
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.push-to-deploy.store", Method: http.MethodPost,
		Path: many + "/push-to-deploy", Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Noun: "push-to-deploy", Verb: "enable", Summary: "Enable push to deploy",
	}, o.Store.Sites.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
		return api.Empty{}, push(true)(ctx, tx, c)
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.push-to-deploy.destroy", Before: "/orgs/{organization}/sites/{site}",
		Method: http.MethodDelete, Path: many + "/push-to-deploy", Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Noun: "push-to-deploy", Summary: "Disable push to deploy",
	}, o.Store.Sites.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
		return api.Empty{}, push(false)(ctx, tx, c)
	})
}

// hook shows the address, and creates one for a site that has none yet. A person who saw it knows it, even after leaving.
func (o *Operations) hook(ctx context.Context, c api.Call[site.Path]) (api.Document[HookResource], error) {
	p, err := o.Deployer.Projects.Get(ctx, o.Store.DB.Read(), c.Parent.Site)
	if errors.Is(err, project.ErrNone) {
		err = o.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			var err error
			if c.Parent, err = c.Parent.Latest(ctx, tx); err != nil {
				return err
			}
			p, err = o.Deployer.Projects.Ensure(ctx, tx, c.Parent.Site)
			return err
		})
	}
	if err == nil {
		err = o.noteReader(ctx, c.Parent.Site, c.Parent.UserID)
	}
	if err != nil {
		return api.Document[HookResource]{}, err
	}
	return o.hookOf(c.Parent, p)
}

func (o *Operations) noteReader(ctx context.Context, site query.Site, user int64) error {
	known, err := o.Store.DB.Read().CountHookReader(ctx, site, user)
	if err == nil && known == 0 {
		err = o.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.NoteHookReader(ctx, site.ID, user, tx.Micros()) })
	}
	if err != nil {
		return fmt.Errorf("note who was shown the hook of site %d: %w", site.ID, err)
	}
	return nil
}

func (o *Operations) hookOf(at site.Path, p query.Project) (api.Document[HookResource], error) {
	token, err := o.Deployer.Projects.HookToken(p)
	if err != nil {
		return api.Document[HookResource]{}, err
	}
	return api.Document[HookResource]{Data: HookResource{
		ID:         strconv.FormatInt(p.SiteID, 10),
		Attributes: DeployHookAttributes{URL: api.SecretOf(o.Router.URL(HookPath + token.Reveal()))},
		Links:      o.links(at, "/deployments/deploy-hook"),
		Meta:       &api.Meta{Own: []any{HookMeta{DeployHookMeta{api.SecretOf(signingToken(token).Reveal())}}}},
	}}, nil
}
