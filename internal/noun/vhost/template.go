package vhost

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/nginxconf"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Templates are the nginx templates of servers, for new sites.
type Templates struct{}

// Find returns the nginx template that a new site is to start from, "" for none. Templates are used on their own server only.
func (Templates) Find(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, id *int64) (string, error) {
	if id == nil || len(f["nginx_template_id"]) > 0 {
		return "", nil
	}
	row, err := tx.GetNginxTemplate(ctx, p.Server, *id)
	if errors.Is(err, db.ErrNotFound) {
		f.Add("nginx_template_id", "There is no such template on this server.")
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read nginx template %d: %w", *id, err)
	}
	if !p.Server.IsReady {
		f.Add("nginx_template_id", "The server is not set up yet: what a template is filled in with is not known.")
	}
	return row.Content, nil
}

// Apply gives a site's first domain the configuration that a template produces, as if its user had written it: later
// changes of ours are merged into it.
func (Templates) Apply(p server.Path, row query.Site, code *site.Code, first *query.Domain, template string) error {
	version, err := server.NginxVersion(server.FactsOf(p.Server))
	if err != nil {
		return api.Invalid("nginx_template_id", "%s.", err)
	}
	vhost, _, err := served(version, p.Server, Desired{Site: row, Code: code})
	if err != nil {
		return api.Invalid("nginx_template_id", "%s.", err)
	}
	base, err := vhostText(vhost, Vhost{Domain: *first})
	if err != nil {
		return fmt.Errorf("fill in nginx template: %w", err)
	}
	text, err := fillTemplate(p.Server, row, vhost, template)
	if err != nil {
		return err
	}
	b, err := bounds(p.Server, Desired{Site: row, Code: code}, vhost, Vhost{Domain: *first}, base)
	if err != nil {
		return fmt.Errorf("fill in nginx template: %w", err)
	}
	text, refused := Translate(text, base, row.ID).Accept(b)
	f := api.Fields{}
	for _, r := range refused {
		f.Add("nginx_template_id", "The template, filled in for this site: %s", r)
	}
	if err := f.Err(); err != nil {
		return err
	}
	first.Nginx, first.NginxBase, first.NginxRule = &text, &base, NginxJudged
	return nil
}

// exampleVersion is the nginx that templates are judged for when they are saved.
const exampleVersion = "1.22.1"

// JudgeTemplate returns what a site could not use of a template, filled in for an example of each kind of site. A template that
// one kind can use is accepted; it is checked again with each site that it is filled in for.
func JudgeTemplate(template string) ([]nginxconf.Refusal, error) {
	var fewest []nginxconf.Refusal
	version, err := render.ParseNginxVersion(exampleVersion)
	if err != nil {
		return nil, err
	}
	for i, kind := range []string{sitetype.PHP, sitetype.Next, sitetype.StaticHTML} {
		row := query.Site{
			ID: 1, Type: kind, Name: "example.com", UnixUser: "example", WebDirectory: "/public", WWWRedirectType: site.WWWFrom,
			PHPVersion: value.PHPVersions()[0].String(),
		}
		if kind == sitetype.Next {
			row.Port, row.SparePort = new(int64(20000)), new(int64(20001))
		}
		srv := query.Server{IPAddress: new("192.0.2.1"), PrivateIPAddress: new("10.0.0.1")}
		d := Desired{Site: row}
		vhost, _, err := served(version, srv, d)
		if err != nil {
			return nil, fmt.Errorf("fill in an example: %w", err)
		}
		v := Vhost{Domain: query.Domain{ID: 1, SiteID: row.ID, Name: row.Name, WWWRedirectType: row.WWWRedirectType, First: true}}
		ours, err := vhostText(vhost, v)
		if err != nil {
			return nil, fmt.Errorf("fill in an example: %w", err)
		}
		text, err := fillTemplate(srv, row, vhost, template)
		if err != nil {
			return nil, fmt.Errorf("fill in an example: %w", err)
		}
		b, err := bounds(srv, d, vhost, v, ours)
		if err != nil {
			return nil, fmt.Errorf("fill in an example: %w", err)
		}
		_, refused := Translate(text, ours, row.ID).Accept(b)
		if len(refused) == 0 {
			return nil, nil
		}
		if i == 0 || len(refused) < len(fewest) {
			fewest = refused
		}
	}
	return fewest, nil
}

// fillTemplate replaces a template's variables, which are in double braces, with or without blanks, with a site's values.
func fillTemplate(srv query.Server, row query.Site, vhost render.VhostInput, template string) (string, error) {
	base, err := site.Base(row)
	if err != nil {
		return "", err
	}
	domain, err := value.ParseDomain(row.Name)
	if err != nil {
		return "", err
	}
	root, pass := base.String(), ""
	switch {
	case vhost.PHP != nil:
		root = vhost.PHP.Root.String()
		socket, err := vhost.PHP.Pool.Socket()
		if err != nil {
			return "", err
		}
		pass = "unix:" + socket
	case vhost.Static != nil:
		root = vhost.Static.Root.String()
	case vhost.Proxy != nil:
		pass = render.UpstreamURL(row.ID)
	}
	var pairs []string
	for name, v := range map[string]string{
		"DIRECTORY": row.WebDirectory, "DOMAINS": strings.Join(site.Names(domain, row.WWWRedirectType, row.Wildcards), " "),
		"PATH": base.String(), "PORT": "80", "PORT_V6": "[::]:80",
		"PROXY_PASS": pass, "ROOT_PATH": root, "SERVER_PUBLIC_IP": text.Of(srv.IPAddress), "SERVER_PRIVATE_IP": text.Of(srv.PrivateIPAddress), "SITE": row.Name,
		"SITE_ID": strconv.FormatInt(row.ID, 10), "USER": row.UnixUser,
	} {
		pairs = append(pairs, "{{"+name+"}}", v, "{{ "+name+" }}", v)
	}
	out := strings.NewReplacer(pairs...).Replace(text.Unix(template))
	if !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out, nil
}
