package nginx

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// NginxTemplateAttributes are the attributes of a template.
type NginxTemplateAttributes struct {
	Name      string       `json:"name"`
	Content   string       `json:"content"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns nginxTemplates.
func (NginxTemplateAttributes) ResourceType() string { return "nginxTemplates" }

// NginxTemplateResource is a template in a document.
type NginxTemplateResource = api.Resource[NginxTemplateAttributes, api.NoRelationships]

// CreateNginxTemplateRequest asks for a template.
type CreateNginxTemplateRequest struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// UpdateNginxTemplateRequest replaces a template.
type UpdateNginxTemplateRequest struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// TemplatePath is a template that the caller can see.
type TemplatePath struct {
	server.Path
	Template query.NginxTemplate
}

func (o *Operations) registerTemplates() {
	const many = "/orgs/{organization}/servers/{server}/nginx/templates"
	const single = many + "/{nginxTemplate}"
	view, manage := []access.Permission{access.ServerView}, []access.Permission{access.ServerManageNginxTemplates}
	servers := o.Domains.Sites.Servers
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.nginx.templates.index", Method: http.MethodGet, Path: many, Tag: "Nginx", Mode: api.Sync,
		Permissions: view, Summary: "List nginx templates",
		Filters: []api.Filter{{Name: "name", Text: true}}, Sorts: []string{"created_at", "updated_at", "name"},
	}, servers.InPath, o.templates)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.nginx.templates.store", Method: http.MethodPost, Path: many, Tag: "Nginx", Mode: api.Sync,
		Permissions: manage, Summary: "Create an nginx template",
		Description: "The template is checked against what a site can contain, with example values, and again with the values of each site that uses it.",
		Example:     map[string]any{"content": "location /status { return 204; }\n"},
	},
		servers.InPath, o.storeTemplate)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.nginx.templates.show", Method: http.MethodGet, Path: single, Tag: "Nginx", Mode: api.Sync,
		Permissions: view, Summary: "Get an nginx template",
	},
		o.inTemplate, o.showTemplate)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.nginx.templates.update", Method: http.MethodPut, Path: single, Tag: "Nginx", Mode: api.Sync,
		Permissions: manage, Summary: "Update an nginx template",
		Description: "Sites that were created from the template are not changed.",
		Example:     map[string]any{"content": "location /status { return 204; }\n"},
	}, o.inTemplate, o.updateTemplate)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.nginx.templates.destroy", Method: http.MethodDelete, Path: single, Tag: "Nginx",
		Mode: api.Sync, Permissions: manage, Status: http.StatusNoContent,
		Summary: "Delete an nginx template",
	}, o.inTemplate, o.destroyTemplate)
}

func (o *Operations) inTemplate(ctx context.Context, actor access.Actor, path api.PathValues) (TemplatePath, error) {
	parent, err := o.Domains.Sites.Servers.InPath(ctx, actor, path)
	if err != nil {
		return TemplatePath{}, err
	}
	id, err := path.ID("nginxTemplate")
	if err != nil {
		return TemplatePath{}, err
	}
	row, err := o.DB.Read().GetNginxTemplate(ctx, parent.Server, id)
	if err != nil {
		return TemplatePath{}, fmt.Errorf("read nginx template %d: %w", id, err)
	}
	return TemplatePath{Path: parent, Template: row}, nil
}

func (o *Operations) templates(ctx context.Context, c api.Call[server.Path]) (api.Collection[NginxTemplateResource], error) {
	return api.Paged(ctx, o.DB.Reader(), c.List.Of("nginx_templates", db.Equal("server_id", c.Parent.Server.ID)),
		api.Each(func(row query.NginxTemplate) NginxTemplateResource {
			return o.template(c.Parent, row).Data
		}))
}

func (o *Operations) template(p server.Path, row query.NginxTemplate) api.Document[NginxTemplateResource] {
	id := strconv.FormatInt(row.ID, 10)
	path := "/orgs/" + p.Slug + "/servers/" + strconv.FormatInt(p.Server.ID, 10) + "/nginx/templates/" + id
	return api.Document[NginxTemplateResource]{Location: path, Data: NginxTemplateResource{
		ID: id, Links: o.Router.Links(path),
		Attributes: NginxTemplateAttributes{
			Name: row.Name, Content: row.Content, CreatedAt: api.NullTimeOf(&row.CreatedAt),
			UpdatedAt: api.NullTimeOf(&row.UpdatedAt),
		},
	}}
}

func (o *Operations) showTemplate(_ context.Context, c api.Call[TemplatePath]) (api.Document[NginxTemplateResource], error) {
	return o.template(c.Parent.Path, c.Parent.Template), nil
}

func checkTemplate(f api.Fields, name, content string) (string, error) {
	name = strings.TrimSpace(name)
	if len(f["name"]) == 0 && (name == "" || len([]rune(name)) > 255 || strings.ContainsFunc(name, unicode.IsControl)) {
		f.Add("name", "The name must be a line of at most 255 characters.")
	}
	checkText(f, "content", content)
	if len(f["content"]) == 0 && strings.TrimSpace(content) == "" {
		f.Add("content", "The content must not be empty.")
	}
	if len(f["content"]) == 0 {
		refused, err := vhost.JudgeTemplate(content)
		if err != nil {
			return "", err
		}
		for _, r := range refused {
			f.Add("content", "%s", r)
		}
	}
	return name, f.Err()
}

// pasted returns a configuration as it is kept: an editor of Windows may have saved it.
func pasted(s string) string { return text.Unix(s) }

func (o *Operations) storeTemplate(ctx context.Context, tx *db.Tx, c api.Call[server.Path],
	b CreateNginxTemplateRequest,
) (api.Document[NginxTemplateResource], error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Document[NginxTemplateResource]{}, err
	}
	b.Content = pasted(b.Content)
	name, err := checkTemplate(c.Fields, b.Name, b.Content)
	if err != nil {
		return api.Document[NginxTemplateResource]{}, err
	}
	row, err := tx.InsertNginxTemplate(ctx, query.InsertNginxTemplateParams{
		ServerID: c.Parent.Server.ID, Name: name, Content: b.Content,
		CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return api.Document[NginxTemplateResource]{}, fmt.Errorf("create nginx template: %w", err)
	}
	return o.template(c.Parent, row), nil
}

func (o *Operations) updateTemplate(ctx context.Context, tx *db.Tx, c api.Call[TemplatePath],
	b UpdateNginxTemplateRequest,
) (api.Document[NginxTemplateResource], error) {
	var err error
	if c.Parent.Path, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Document[NginxTemplateResource]{}, err
	}
	b.Content = pasted(b.Content)
	name, err := checkTemplate(c.Fields, b.Name, b.Content)
	if err != nil {
		return api.Document[NginxTemplateResource]{}, err
	}
	row, err := tx.UpdateNginxTemplate(ctx, c.Parent.Template.ID, name, b.Content, tx.Micros())
	if errors.Is(err, db.ErrNotFound) {
		return api.Document[NginxTemplateResource]{}, api.ErrNotFound
	}
	if err != nil {
		return api.Document[NginxTemplateResource]{}, fmt.Errorf("update nginx template: %w", err)
	}
	return o.template(c.Parent.Path, row), nil
}

func (o *Operations) destroyTemplate(ctx context.Context, tx *db.Tx, c api.Call[TemplatePath], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent.Path, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	n, err := tx.DeleteNginxTemplate(ctx, c.Parent.Template.ID)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete nginx template: %w", err)
	}
	if n == 0 {
		return api.Empty{}, api.ErrNotFound
	}
	return api.Empty{}, nil
}
