package cli

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// tagged is the filter of lists whose resources have tags.
type tagged struct{ Tag string }

func (o *tagged) tagFlag(c *cobra.Command) {
	c.Flags().StringVar(&o.Tag, "tag", "", "only those with this tag")
}

// of returns the list's path with the filter.
func (o *tagged) of(list string) string {
	if o.Tag == "" {
		return list
	}
	return list + "?" + url.Values{"filter[tag]": {o.Tag}}.Encode()
}

// columnTags shows tags.
var columnTags = column{"tags", func(r client.Resource) string { return strings.Join(r.Meta.Tags, ", ") }}

// tags is the flag of commands that set tags; nil leaves them.
type tags struct{ Tags []string }

func (o *tags) tagsFlag(c *cobra.Command, text string) {
	c.Flags().StringArrayVar(&o.Tags, "tag", nil, text)
}

// replaceTagsFlag is tagsFlag for commands that replace existing tags.
func (o *tags) replaceTagsFlag(c *cobra.Command) {
	o.tagsFlag(c, "tag; replaces all existing tags (repeatable, empty for none)")
}

// put adds the tags to a request; a single empty one means none.
func (o *tags) put(body map[string]any) {
	switch {
	case o.Tags == nil:
	case len(o.Tags) == 1 && o.Tags[0] == "":
		body["tags"] = []string{}
	default:
		body["tags"] = o.Tags
	}
}
