package clients

import (
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// SampleName is what a parameter of a path is called in samples of programs: server is the resource, and serverID its id.
func SampleName(p description.Member) string {
	if p.Shape.Kind == description.KindWhole {
		return p.Name + "ID"
	}
	return p.Name
}

// one is what a result is called: Site is site, unless a parameter is called so.
func one(c description.Call) string {
	name := description.Lower(c.Resource)
	if slices.ContainsFunc(c.Parameters, func(p description.Member) bool { return SampleName(p) == name }) {
		return "found"
	}
	return name
}

// taken is what a method takes for the path of its call, and for the file that it sends.
func taken(c description.Call) []string {
	var takes []string
	for _, p := range c.Parameters {
		takes = append(takes, SampleName(p))
	}
	if c.File != "" {
		takes = append(takes, "name", "content")
	}
	if c.Raw {
		takes = append(takes, "content")
	}
	return takes
}

// outcomes are what a language does with each kind of answer: in each, CALL is the call, and ONE the resource.
type outcomes struct{ stream, plain, file, text, paged, list, one, none string }

var (
	inGo = outcomes{
		stream: "for message, err := range CALL { … }", plain: "answer, response, err := CALL", file: "file, err := CALL", text: "text, err := CALL",
		paged: "for ONE, err := range CALL { … }", list: "all, response, err := CALL", one: "ONE, response, err := CALL", none: "response, err := CALL",
	}
	inTypeScript = outcomes{
		stream: "for await (const message of CALL) { … }", plain: "const { body } = await CALL", file: "const file = await CALL", text: "const text = await CALL",
		paged: "for await (const ONE of CALL) { … }", list: "const { data } = await CALL", one: "const { data } = await CALL", none: "const answer = await CALL",
	}
)

// of is a call with what comes of it.
func (a outcomes) of(c description.Call, call string) string {
	line := a.none
	switch {
	case c.Answer == description.Stream:
		line = a.stream
	case plain(c):
		line = a.plain
	case c.Answer == description.Binary:
		line = a.file
	case c.Answer == description.Text:
		line = a.text
	case c.Paged:
		line = a.paged
	case c.Answer == description.List:
		line = a.list
	case c.Resource != "":
		line = a.one
	}
	return strings.Replace(strings.Replace(line, "ONE", one(c), 1), "CALL", call, 1)
}
