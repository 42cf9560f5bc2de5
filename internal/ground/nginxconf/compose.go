package nginxconf

import "strings"

// Compose returns the text of an accepted tree as it is written to a host. Two things are put in that a site can't leave out: links lead to files of
// the same owner only (ngx_http_core_module, disable_symlinks), and a path of a request never leads out of its root. nginx takes ".." out of what
// a visitor asks for, but not out of what rewrite, error_page and the like make of it; a root that has a variable in front is looked at for each
// file. Where the path leads up the variable names what is no directory, so that nothing is found below it.
func Compose(tree []*Statement, b Bounds) string {
	guarded := false
	out := clone(tree, func(s *Statement) {
		if s.Name() == "root" || s.Name() == "alias" {
			guarded = true
			s.Words[1].Text = "$" + b.inside() + s.Words[1].Text
		}
	})
	for _, s := range out {
		if s.Name() == "server" {
			ownerOnly(s)
		}
	}
	text := Print(out)
	if !guarded {
		return text
	}
	return guard(b) + text
}

func guard(b Bounds) string {
	return "map $uri $" + b.inside() + " {\n    volatile;\n    default \"\";\n    \"~(^|/)\\.\\.(/|$)\" /dev/null;\n}\n"
}

// Plain takes out what Compose puts in, where a text is one that was read from Hostler. What a site says itself of links stays.
func Plain(tree []*Statement, b Bounds) []*Statement {
	guard, _ := Read(guard(b))
	var rest []*Statement
	for _, s := range tree {
		if len(s.Words) > 0 && key(s) == key(guard[0]) && Print(s.Body) == Print(guard[0].Body) {
			continue
		}
		rest = append(rest, s)
	}
	return clone(rest, func(s *Statement) {
		if (s.Name() == "root" || s.Name() == "alias") && len(s.Words) > 1 {
			s.Words[1].Text = strings.TrimPrefix(s.Words[1].Text, "$"+b.inside())
		}
	})
}

// ownerOnly adds the directive to a server that has files of the site and does not say it.
func ownerOnly(server *Statement) {
	files, at := false, 0
	walk(server.Body, func(s *Statement) {
		files = files || s.Name() == "root" || s.Name() == "alias" && !strings.HasSuffix(s.Words[1].Text, acmeDirectory)
	})
	for i, s := range server.Body {
		switch s.Name() {
		case "disable_symlinks":
			return
		case "server_name", "root":
			at = i + 1
		}
	}
	if files {
		server.Body = append(server.Body[:at:at], append([]*Statement{{Words: []Word{{Text: "disable_symlinks"}, {Text: "if_not_owner"}}}}, server.Body[at:]...)...)
	}
}

func clone(tree []*Statement, change func(*Statement)) []*Statement {
	out := make([]*Statement, len(tree))
	for i, s := range tree {
		c := *s
		c.Words = append([]Word(nil), s.Words...)
		c.Body = clone(s.Body, change)
		change(&c)
		out[i] = &c
	}
	return out
}
