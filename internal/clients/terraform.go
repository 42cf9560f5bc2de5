package clients

import (
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// TerraformThing is a resource, a data source or an ephemeral resource of the provider.
type TerraformThing struct {
	// Noun is that of the calls, Name that of the thing without hostler_ before it.
	Noun, Name, About string
	Parents           []TerraformParameter
	// ID, Key, Absent, Listed and Filters are as in the provider.
	ID, Key, Absent              string
	Create, Read, Update, Delete *description.Call
	Listed                       bool
	Filters                      []string
	Attributes                   []TerraformAttribute
}

// TerraformParameter is a parameter of a path: Name is the attribute's, In the path's.
type TerraformParameter struct{ Name, In, About string }

// TerraformAttribute is an attribute, as in the provider.
type TerraformAttribute struct {
	Name, Field, Change, Answer, About       string
	Kind, Elem, From                         string
	Of                                       []TerraformAttribute
	Values                                   []string
	Create, Update, Required, Needed, Secret bool
	Replace                                  bool
}

// Sent reports whether a resource takes it.
func (a TerraformAttribute) Sent() bool { return a.Create || a.Update }

// TerraformForm is what the provider has.
type TerraformForm struct {
	Resources, Sources, Ephemerals []TerraformThing
	// Without are the nouns with a life that have no resource, which noResource explains.
	Without []string
}

// thingNames are the nouns whose resources have other names.
var thingNames = map[string]string{
	"access-log": "site_access_log", "application-log": "site_application_log", "composer-credentials": "composer_credential", "credentials": "server_credential",
	"environment": "site_environment", "environment-versions": "site_environment_version", "error-log": "site_error_log", "firewall": "firewall_rule",
	"healthcheck": "site_healthcheck", "invites": "organization_invite", "maintenance": "maintenance_mode", "members": "organization_member",
	"network": "server_network", "nodes": "load_balancer", "notifications": "notification_channel", "npm-credentials": "npm_credential", "orgs": "organization",
	"php": "php_version", "processes": "background_process", "rate-limit": "organization_rate_limit", "retention": "organization_retention",
	"source-control": "source_control_provider", "storage": "storage_provider", "timezone": "organization_timezone", "account": "account",
	"services": "service", "deploy-status": "deploy_status",
}

// noResource are the nouns with a life without a resource, and why.
var noResource = map[string]string{
	"commands":               "is run once",
	"deploy-hook":            "is given a new address by its change; its address is an ephemeral resource",
	"host-keys":              "is confirmed by a person who compares them",
	"invites":                "ends when it is accepted",
	"members":                "joins by an invitation, and has no creation",
	"network":                "is a list of servers whose answer has no one resource",
	"nodes":                  "is a list of servers whose answer has no one resource",
	"php-max-upload-size":    "has no key of its own in what changes it",
	"push-to-deploy":         "is an attribute of the site",
	"server-key":             "is replaced by its change",
	"team-invites":           "ends when it is accepted",
	"team-members":           "is in the attribute users of the team",
	"zero-downtime":          "is an attribute of the site when it is created",
	"deploy-key":             "is an attribute of the site when it is created",
	"php-opcache":            "is switched on and off, which has no state of its own while the server works",
	"php-cli-version":        "is what php_version has as cli_default",
	"php-site-version":       "is what php_version has as site_default",
	"php-max-execution-time": "has no key of its own in what changes it",
}

// absent is the attribute that says that something which is switched on or off, is on.
var absent = map[string]string{
	"horizon": "enabled", "inertia": "enabled", "maintenance": "enabled", "octane": "enabled", "pulse": "enabled", "reverb": "enabled", "scheduler": "enabled",
}

// answers are the members of answers that bodies name otherwise, by noun: below the attributes, or below meta.
var answers = map[string]map[string]string{
	"backup-configurations": {
		"cron": "cron_schedule", "notification_email": "notify_email", "paths": "meta.backups.paths", "prove_every_days": "meta.backups.prove_every_days",
		"site_id": "meta.backups.site_id",
	},
	"databases":       {"extensions": "meta.extensions"},
	"database-users":  {"database_ids": "meta.database_user.database_ids", "read_only": "meta.database_user.read_only"},
	"domain-nginx":    {"config": "content"},
	"monitors":        {"url": "meta.monitor.url"},
	"php-cli-config":  {"config": "configuration"},
	"php-fpm-config":  {"config": "configuration"},
	"php-pool-config": {"config": "configuration"},
	"processes": {
		"name": "meta.process.name", "site_id": "meta.process.site_id", "startsecs": "meta.process.startsecs", "stopsignal": "meta.process.stopsignal",
		"stopwaitsecs": "meta.process.stopwaitsecs",
	},
	"server-ssh-keys": {"options": "meta.ssh_key.options"},
	"servers":         {"tags": "meta.tags"},
	"site-nginx":      {"config": "content"},
	"sites": {
		"allow_wildcard_subdomains": "wildcards", "branch": "repository.branch", "is_isolated": "isolated", "isolated_user": "user", "push_to_deploy": "quick_deploy",
		"runtime": "meta.runtime.name", "runtime_version": "meta.runtime.wanted", "source_control_provider": "repository.provider",
		"start_command": "meta.runtime.start_command", "tags": "meta.tags", "type": "app_type",
	},
	"storage": {"host_key": "meta.storage.host_key"},
}

// listed are the fields whose values are answered by another list, by noun: its path, and the attribute there.
var listed = map[string]map[string][2]string{"roles": {"permissions": {"/orgs/{organization}/roles/{role}/permissions", "name"}}}

// renamed are the fields that a change has another name for than the creation, by noun.
var renamed = map[string]map[string]string{"sites": {"branch": "repository_branch", "root_directory": "root_path", "web_directory": "directory"}}

// leftOut are the fields that do something rather than say what is, by noun.
var leftOut = map[string][]string{"oauth-clients": {"new_secret"}, "storage": {"use_ec2_assumed_role"}}

// idle is the description of a field that does nothing.
const idle = "It has no effect."

// keys are the attributes by which a list finds what was created, for creations that answer nothing.
var keys = map[string]string{"php": "version"}

// reserved are the names that Terraform keeps for itself.
var reserved = map[string]string{"provider": "provider_type", "connection": "connection_type", "count": "number", "id": "own_id", "version": "version"}

// Terraform returns what the provider has.
func Terraform(f description.Form) (TerraformForm, error) {
	t := terraformer{objects: map[string]description.Object{}, enums: map[string][]string{}}
	for _, o := range f.Types {
		t.objects[o.Name] = o
	}
	for _, e := range f.Enums {
		t.enums[e.Name] = e.Values
	}
	var out TerraformForm
	for _, n := range nouns(f) {
		calls := map[string]*description.Call{}
		for _, c := range n.Calls {
			calls[c.Verb] = &c
		}
		if life(calls) {
			if noResource[n.Name] != "" {
				out.Without = append(out.Without, n.Name)
			} else {
				r, err := t.resource(n.Name, calls)
				if err != nil {
					return out, err
				}
				out.Resources = append(out.Resources, r)
			}
		}
		if c := calls["show"]; c != nil && c.Answer == description.One && c.Resource != "" {
			name := thingName(n.Name)
			out.Sources = append(out.Sources, t.source(n.Name, name, c, false))
			if s := t.source(n.Name, name, c, true); s.secret() {
				out.Ephemerals = append(out.Ephemerals, s)
			}
		}
		if c := calls["list"]; c != nil && c.Answer == description.List && c.Resource != "" {
			out.Sources = append(out.Sources, t.source(n.Name, listName(n.Name), c, false))
		}
	}
	return out, nil
}

// life reports whether there are calls that bring something about and end it, or change what is always there.
func life(calls map[string]*description.Call) bool {
	both := func(one, other string) bool { return calls[one] != nil && calls[other] != nil }
	return both("create", "delete") || both("enable", "disable") || both("show", "update") || both("list", "update")
}

type terraformer struct {
	objects map[string]description.Object
	enums   map[string][]string
}

// thingName returns the name of one of a noun.
func thingName(noun string) string {
	if name := thingNames[noun]; name != "" {
		return name
	}
	name := strings.ReplaceAll(noun, "-", "_")
	switch {
	case strings.HasSuffix(name, "ies"):
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "ss"), strings.HasSuffix(name, "status"), !strings.HasSuffix(name, "s"):
		return name
	}
	return strings.TrimSuffix(name, "s")
}

// listName returns the name of all of a noun.
func listName(noun string) string {
	name := thingName(noun)
	switch {
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ey"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// parameters returns those of the paths of calls, the id apart: that is the last one of a path that ends with it.
func parameters(id string, calls ...*description.Call) []TerraformParameter {
	var out []TerraformParameter
	for _, c := range calls {
		if c == nil {
			continue
		}
		for _, p := range c.Parameters {
			if p.Name == id || slices.ContainsFunc(out, func(o TerraformParameter) bool { return o.In == p.Name }) {
				continue
			}
			name := strings.TrimSuffix(snake(p.Name), "_record")
			if p.Shape.Kind == description.KindWhole && !strings.HasSuffix(name, "_id") {
				name += "_id"
			}
			out = append(out, TerraformParameter{name, p.Name, sentence(p.Description)})
		}
	}
	return out
}

func idOf(c *description.Call) string {
	if c == nil || !strings.HasSuffix(c.Path, "}") {
		return ""
	}
	id := c.Path[strings.LastIndexByte(c.Path, '{')+1 : len(c.Path)-1]
	if id == "organization" {
		return "organization"
	}
	return id
}

func first(calls ...*description.Call) *description.Call {
	for _, c := range calls {
		if c != nil {
			return c
		}
	}
	return nil
}

// written reports whether an id is a text that a person wrote.
func (t terraformer) written(c *description.Call, id string) bool {
	return slices.ContainsFunc(c.Parameters, func(p description.Member) bool { return p.Name == id && p.Shape.Kind == description.KindText })
}

// members returns the attributes of a resource.
func (t terraformer) members(resource string) []description.Member {
	for _, m := range t.objects[resource].Members {
		if m.Name == "attributes" {
			return t.objects[m.Shape.Name].Members
		}
	}
	return nil
}

// answered returns an attribute that is only answered.
func (t terraformer) answered(m description.Member) TerraformAttribute {
	a := TerraformAttribute{Name: snake(m.Name), Answer: m.Name, About: sentence(m.Description), Secret: m.Secret}
	t.shape(&a, m.Shape)
	return a
}

// shape sets the kind of an attribute.
func (t terraformer) shape(a *TerraformAttribute, s description.Shape) {
	scalar := func(s description.Shape) string {
		switch s.Kind {
		case description.KindWhole:
			return "whole"
		case description.KindNumber:
			return "number"
		case description.KindBool:
			return "boolean"
		case description.KindAny, description.KindObject, description.KindMap, description.KindList, description.KindOne, description.KindMany:
			return "anything"
		}
		return "text"
	}
	switch s.Kind {
	case description.KindList:
		if s.Of.Kind == description.KindObject {
			a.Kind, a.Of = "objects", t.object(s.Of.Name)
			return
		}
		a.Kind, a.Elem = "list", scalar(*s.Of)
		if a.Elem == "anything" {
			a.Elem = "text"
		}
		a.Values = t.enums[s.Of.Name]
	case description.KindMap:
		a.Kind, a.Elem = "dictionary", scalar(*s.Of)
	case description.KindObject:
		a.Kind, a.Of = "object", t.object(s.Name)
	default:
		a.Kind, a.Values = scalar(s), t.enums[s.Name]
	}
}

func (t terraformer) object(name string) []TerraformAttribute {
	var out []TerraformAttribute
	o := t.objects[name]
	for _, m := range o.Members {
		a := t.answered(m)
		if o.Sent {
			a.Field, a.Answer, a.Create, a.Required, a.Secret = a.Answer, "", true, m.Required, false
		}
		out = append(out, a)
	}
	return out
}

// source returns a data source, or with its secrets an ephemeral resource.
func (t terraformer) source(noun, name string, c *description.Call, withSecrets bool) TerraformThing {
	s := TerraformThing{Noun: noun, Name: name, About: sentence(c.Summary), Read: c, Listed: c.Answer == description.List}
	if c.Description != "" {
		s.About += " " + c.Description
	}
	if !s.Listed {
		s.ID = idOf(c)
	}
	if s.ID == "organization" {
		s.ID = ""
	}
	s.Parents = parameters(s.ID, c)
	taken := map[string]bool{"id": true, "filter": true}
	for _, p := range s.Parents {
		taken[p.Name] = true
	}
	for _, m := range t.members(c.Resource) {
		a := t.answered(m)
		if other := reserved[a.Name]; other != "" {
			a.Name = other
		}
		if m.Secret && !withSecrets || m.Name == "id" || taken[a.Name] && !s.Listed {
			continue
		}
		s.Attributes = append(s.Attributes, a)
	}
	for _, q := range c.Query {
		if filter, ok := strings.CutPrefix(q.Name, "filter["); ok && s.Listed {
			s.Filters = append(s.Filters, strings.TrimSuffix(filter, "]"))
		}
	}
	return s
}

func (s TerraformThing) secret() bool {
	return slices.ContainsFunc(s.Attributes, func(a TerraformAttribute) bool { return a.Secret && !strings.HasPrefix(a.About, "Always empty") })
}

// TerraformNouns returns the generated file of the provider.
func TerraformNouns(t TerraformForm) ([]byte, error) {
	var w writer
	w.line("// Code generated from the API's description by make generate. DO NOT EDIT.\n\npackage provider\n")
	w.line("// nouns are the resources.\nvar nouns = []noun{")
	for _, r := range t.Resources {
		w.line("{\nName: %q, About: %q,", r.Name, r.About)
		w.goParents(r)
		if r.Key != "" {
			w.line("Key: %q,", r.Key)
		}
		if r.Absent != "" {
			w.line("Absent: %q,", r.Absent)
		}
		if r.Listed {
			w.line("Listed: true,")
		}
		for name, c := range map[string]*description.Call{"Create": r.Create} {
			w.line("%s: %s,", name, goTerraformCall(c))
		}
		w.line("Read: %s,", goTerraformCall(r.Read))
		if r.Update != nil {
			w.line("Update: %s,", goTerraformCall(r.Update))
		}
		if r.Delete != nil {
			w.line("Delete: %s,", goTerraformCall(r.Delete))
		}
		w.goAttributes(r.Attributes)
		w.line("},")
	}
	w.line("}\n")
	for name, all := range ordered("sources", t.Sources, "secrets", t.Ephemerals) {
		w.line("// %s are the %s.\nvar %s = []source{", name, map[string]string{"sources": "data sources", "secrets": "ephemeral resources"}[name], name)
		for _, s := range all {
			w.line("{\nName: %q, About: %q,", s.Name, s.About)
			w.goParents(s)
			w.line("Read: %s,", strings.TrimPrefix(goTerraformCall(s.Read), "&"))
			if s.Listed {
				w.line("Listed: true,")
			}
			if len(s.Filters) > 0 {
				w.line("Filters: %#v,", s.Filters)
			}
			w.goAttributes(s.Attributes)
			w.line("},")
		}
		w.line("}\n")
	}
	out, err := format.Source([]byte(w.String()))
	if err != nil {
		return nil, fmt.Errorf("format the provider's nouns: %w", err)
	}
	return out, nil
}

func ordered(one string, first []TerraformThing, two string, second []TerraformThing) func(yield func(string, []TerraformThing) bool) {
	return func(yield func(string, []TerraformThing) bool) { _ = yield(one, first) && yield(two, second) }
}

func goTerraformCall(c *description.Call) string {
	return fmt.Sprintf("&call{%q, %q}", c.Method, c.Path)
}

func (w *writer) goParents(t TerraformThing) {
	if t.ID != "" {
		w.line("ID: %q,", t.ID)
	}
	if len(t.Parents) == 0 {
		return
	}
	w.line("Parents: []parameter{")
	for _, p := range t.Parents {
		w.line("{%q, %q, %q},", p.Name, p.In, p.About)
	}
	w.line("},")
}

func (w *writer) goAttributes(all []TerraformAttribute) {
	if len(all) == 0 {
		return
	}
	w.line("Attributes: []attribute{")
	for _, a := range all {
		w.line("%s,", a.literal())
	}
	w.line("},")
}

func (a TerraformAttribute) literal() string {
	parts := []string{fmt.Sprintf("Name: %q", a.Name)}
	for _, of := range [][2]string{{"Field", a.Field}, {"Change", a.Change}, {"Answer", a.Answer}, {"About", a.about()}} {
		if of[1] != "" {
			parts = append(parts, fmt.Sprintf("%s: %q", of[0], of[1]))
		}
	}
	parts = append(parts, "Kind: "+a.Kind)
	if a.From != "" {
		parts = append(parts, fmt.Sprintf("From: %q", a.From))
	}
	if a.Sent() && a.Answer != "" && a.Kind == "text" && len(a.Values) > 0 {
		parts = append(parts, fmt.Sprintf("Values: %#v", a.Values))
	}
	if a.Elem != "" {
		parts = append(parts, "Elem: "+a.Elem)
	}
	if len(a.Of) > 0 {
		var of []string
		for _, m := range a.Of {
			of = append(of, m.literal())
		}
		parts = append(parts, "Of: []attribute{{"+strings.Join(trimmed(of), "}, {")+"}}")
	}
	for _, of := range []struct {
		name string
		set  bool
	}{{"Create", a.Create}, {"Update", a.Update}, {"Required", a.Required}, {"Needed", a.Needed}, {"Secret", a.Secret}, {"Replace", a.Replace}} {
		if of.set {
			parts = append(parts, of.name+": true")
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func trimmed(all []string) []string {
	for i, one := range all {
		all[i] = one[1 : len(one)-1]
	}
	return all
}

// mostValues is up to how many known values a description names them.
const mostValues = 16

// about returns the description with the known values.
func (a TerraformAttribute) about() string {
	about := a.About
	if n := len(a.Values); n > 0 && n <= mostValues {
		about = strings.TrimPrefix(about+" `"+strings.Join(a.Values, "`, `")+"`.", " ")
	}
	return about
}
