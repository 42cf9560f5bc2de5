package nginxconf

import (
	"slices"
	"strings"
)

// Compose returns the text of an accepted tree for a host. It adds three things that a site can't leave out. Challenges of authorities are answered before a
// return or a rewrite of the whole server, which nginx does before it looks for a location. Links lead only to
// files of the same owner (ngx_http_core_module, disable_symlinks), and a path of a request never leads out of its root. nginx
// removes ".." from what a visitor requests, but not from the result of rewrite, error_page and the like; a root with a leading
// variable is evaluated for each file. If the path climbs up, the variable names something that is not a directory, so nothing is
// found below it. Nor does a path lead sideways: nginx appends it to the root as text, so that one without a leading slash, which a
// rewrite or X-Accel-Redirect can make, would turn /home/a/example.co into /home/a/example.com.
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
			challengeFirst(s)
		}
	}
	text := Print(out)
	if !guarded {
		return text
	}
	return guard(b) + text
}

func guard(b Bounds) string {
	return "map $uri $" + b.inside() + " {\n    volatile;\n    default \"\";\n    \"~(^|/)\\.\\.(/|$)\" /dev/null;\n    \"~^[^/]\" /dev/null;\n}\n"
}

// guards are the texts of guard, the newest first: a text that was read before an update is sent back after it.
func guards(b Bounds) []string {
	return []string{guard(b), strings.Replace(guard(b), "    \"~^[^/]\" /dev/null;\n", "", 1)}
}

// Plain removes what Compose adds, from a text that was read from Hostler. What a site itself says about links stays, and so does what lets challenges through.
func Plain(tree []*Statement, b Bounds) []*Statement {
	var rest []*Statement
	for _, s := range tree {
		if !slices.ContainsFunc(guards(b), func(text string) bool {
			g, _ := Read(text)
			return len(s.Words) > 0 && key(s) == key(g[0]) && Print(s.Body) == Print(g[0].Body)
		}) {
			rest = append(rest, s)
		}
	}
	return clone(rest, func(s *Statement) {
		if (s.Name() == "root" || s.Name() == "alias") && len(s.Words) > 1 {
			s.Words[1].Text = strings.TrimPrefix(s.Words[1].Text, "$"+b.inside())
		}
	})
}

// ownerOnly adds the directive to a server that has files of the site and lacks it.
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

// leaveChallenge ends what a server does before it looks for a location, for http-01 challenges (ngx_http_rewrite_module, break).
const leaveChallenge = "if ($uri ~ ^/[.]well-known/acme-challenge/) {\n    break;\n}\n"

// challengeFirst puts that before the first directive of a server that answers or rewrites every request.
func challengeFirst(server *Statement) {
	at, answers := -1, false
	for i, s := range server.Body {
		turns := s.Name() == "return" || s.Name() == "rewrite"
		if s.Name() == "if" {
			walk(s.Body, func(s *Statement) { turns = turns || s.Name() == "return" || s.Name() == "rewrite" })
		}
		if turns && at < 0 {
			at = i
		}
		answers = answers || s.Name() == "location" && slices.Equal(s.Args(), []string{"^~", "/.well-known/acme-challenge/"})
	}
	if !answers || at < 0 || at > 0 && leavesChallenge(server.Body[at-1]) {
		return
	}
	leave, _ := Read(leaveChallenge)
	leave[0].Line, leave[0].End = server.Body[at].Line, server.Body[at].Line // no empty line comes between them
	server.Body = slices.Insert(slices.Clone(server.Body), at, leave...)
}

// leavesChallenge reports whether a statement is what challengeFirst puts.
func leavesChallenge(s *Statement) bool {
	return s.Name() == "if" && strings.Contains(key(s), "acme-challenge") && len(s.Body) == 1 && s.Body[0].Name() == "break"
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
