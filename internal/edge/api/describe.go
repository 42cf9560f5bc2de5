package api

import (
	"path"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// What the description says about members that all documents have.
const (
	idWords       = "The resource's id, which is unique among resources of its type."
	typeWords     = "The type of the resource."
	messageWords  = "What went wrong, in a sentence for people."
	etagWords     = "What the resource is now. Sent as If-None-Match, the answer is 304 without a body while that has not changed."
	eventWords    = "The id of the event of the work, which has its output and its end; absent if nothing was to be done."
	ignoredWords  = "The names in the request that the operation does not know, separated by commas: fields such as custom.port, and ?name of the query."
	locationWords = "The address of what was created."
	retryWords    = "After how many seconds the call may be made again."
	newPlanWords  = "What the request would do now, where X-Hostler-Plan named another plan."
	errorsWords   = "What is wrong with each field of the request, by its name; elements of lists are named like users.0.id."
	codesWords    = "The same as errors, in the same order, for programs: none needs to read the messages."
	sortWords     = "The order, by these fields in turn. A minus sign before a field reverses it."
	includeWords  = "Related resources to return in included. NameCount and NameExists return how many there are, and whether there are any, in meta.included."
	componentRef  = "#/components/schemas/"
)

// described returns the schema with a description.
func described(s *huma.Schema, words string) *huma.Schema {
	s.Description = words
	return s
}

// pathWords returns the description of a parameter, such as {server}, of a path.
func (d *description) pathWords(path, parameter string) string {
	before, _, _ := strings.Cut(path, "/"+parameter)
	segment := before[strings.LastIndexByte(before, '/')+1:]
	if words := d.config.Parameters[segment+"/"+parameter]; words != "" {
		return words
	}
	return d.config.Parameters[parameter]
}

// sentence returns what a filter does.
func (f Filter) sentence() string {
	what := strings.NewReplacer("_", " ", ".", " ").Replace(f.Name)
	switch {
	case f.Description != "":
		return f.Description
	case f.Text:
		return "Limits the list to entries whose " + what + " contains this text, ignoring case. Commas separate alternatives."
	}
	return "Limits the list to entries with this " + what + ". Commas separate alternatives."
}

// enumerate lists the values of fields whose declarations do not, in the components that there are.
func enumerate(values map[string][]string, components map[string]*huma.Schema) {
	for key, all := range values {
		component, field, _ := strings.Cut(key, ".")
		s := components[component]
		if s == nil {
			continue
		}
		p := s.Properties[field]
		if p.Items != nil {
			p = p.Items
		}
		if len(p.Enum) > 0 {
			continue
		}
		for _, v := range all {
			p.Enum = append(p.Enum, v)
		}
	}
}

// describeFields describes the fields of a component that their declarations do not describe.
func (d *description) describeFields(component string, s *huma.Schema) {
	noun := ""
	if t := d.registry.TypeFromRef(componentRef + component); t != nil {
		noun = path.Base(t.PkgPath())
	}
	d.describeIn(noun, component, s)
}

func (d *description) describeIn(noun, component string, s *huma.Schema) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		keys := []string{component + "." + name, name}
		if strings.HasSuffix(component, resourceSuffix+metaName) {
			keys[1] = metaName + "." + name
		}
		for _, key := range keys {
			for _, of := range []string{noun, ""} {
				if p.Description == "" {
					p.Description = d.config.Fields[of][key]
				}
			}
		}
		d.describeIn(noun, component, p)
	}
	d.describeIn(noun, component, s.Items)
}
