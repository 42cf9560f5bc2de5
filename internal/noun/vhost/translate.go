package vhost

import (
	"cmp"

	"github.com/hostlerhq/hostler/internal/ground/nginxconf"
)

// Translation is a text of nginx as people bring it from other servers, in the form that can be judged.
type Translation struct {
	text string
	// Changes is how many lines were changed.
	Changes int
	// lines are those of the text that was brought, by those of text where they differ.
	lines map[int]int
}

// Translate replaces the known lines of the product that people come from, and of servers that were set up by hand. ours is Hostler's own text for the domain.
func Translate(text, ours string, site int64) Translation {
	text = nginxconf.Pasted(text)
	tree, err := nginxconf.Read(text)
	if err != nil {
		return Translation{text: text} // said by the judge, with its line
	}
	own, err := nginxconf.Read(ours)
	if err != nil {
		return Translation{text: text}
	}
	tree, changes := nginxconf.Translate(tree, own, site)
	if len(changes) == 0 {
		return Translation{text: text}
	}
	t := Translation{text: nginxconf.Print(tree), Changes: len(changes), lines: map[int]int{}}
	if printed, err := nginxconf.Read(t.text); err == nil {
		brought := lines(tree)
		for i, line := range lines(printed) {
			if i < len(brought) {
				t.lines[line] = brought[i]
			}
		}
	}
	return t
}

// lines are where the statements of a tree begin, in their order.
func lines(tree []*nginxconf.Statement) (out []int) {
	for _, s := range tree {
		out = append(append(out, s.Line), lines(s.Body)...)
	}
	return out
}

// Accept returns the stored form of the text, or what it is not allowed to contain, by the lines of the text that was brought.
func (t Translation) Accept(b nginxconf.Bounds) (string, []nginxconf.Refusal) {
	text, refused := Accept(t.text, b)
	for i, r := range refused {
		refused[i].Line = cmp.Or(t.lines[r.Line], r.Line)
	}
	return text, refused
}
