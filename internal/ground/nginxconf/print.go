package nginxconf

import "strings"

// Print returns the text of a tree, in the layout of our own files. Every word is written so that nginx parses it back unchanged.
func Print(tree []*Statement) string {
	text, _ := printed(tree)
	return text
}

// printed also returns the source line of each printed line, counted from 0.
func printed(tree []*Statement) (string, []int) {
	p := printer{}
	p.block(tree, 0, 0)
	return p.b.String(), p.source
}

type printer struct {
	b      strings.Builder
	source []int
}

func (p *printer) line(depth int, text string, source int) {
	if text != "" {
		p.b.WriteString(strings.Repeat("    ", depth))
	}
	p.b.WriteString(text)
	p.b.WriteByte('\n')
	p.source = append(p.source, source)
}

// block prints statements; after is the last line of their block's head.
func (p *printer) block(body []*Statement, depth, after int) {
	for i := 0; i < len(body); i++ {
		s := body[i]
		if i > 0 && s.Line > body[i-1].End+1 {
			p.line(depth, "", s.Line)
		}
		if len(s.Words) == 0 {
			p.line(depth, "#"+s.Comment, s.Line)
			continue
		}
		head := make([]string, len(s.Words))
		for j, w := range s.Words {
			head[j] = written(w)
		}
		text, remark := strings.Join(head, " "), ""
		if s.Block {
			text += " {"
			rest := s.Body
			if len(rest) > 0 && len(rest[0].Words) == 0 && rest[0].Line == s.Head {
				remark, rest = " #"+rest[0].Comment, rest[1:]
			}
			p.line(depth, text+remark, s.Line)
			p.block(rest, depth+1, s.Head)
			text, remark = "}", ""
		} else {
			text += ";"
		}
		if i+1 < len(body) && len(body[i+1].Words) == 0 && body[i+1].Line == s.End && s.End > 0 {
			i++
			remark = " #" + body[i].Comment
		}
		p.line(depth, text+remark, s.End)
	}
}

const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=~^*+?()|$@%,!<>&[]\\"

// written returns a word in a form that nginx parses back: without quotes if that is safe and it had none.
func written(w Word) string {
	quote := w.Quote
	if quote == 0 && isBare(w.Text) {
		return w.Text
	}
	if quote != '\'' {
		quote = '"'
	}
	var b strings.Builder
	b.WriteByte(quote)
	for i := 0; i < len(w.Text); i++ {
		switch c := w.Text[i]; {
		case c == quote:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\\' && (i+1 == len(w.Text) || strings.IndexByte("\"'\\trn\t\r\n", w.Text[i+1]) >= 0):
			b.WriteString(`\\`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\n':
			b.WriteString(`\n`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(quote)
	return b.String()
}

// isBare reports whether a word is literal: it contains no character that ends or quotes it, and no backslash that would be resolved.
func isBare(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(bare, s[i]) < 0 {
			return false
		}
		if s[i] == '\\' {
			if i+1 == len(s) || strings.IndexByte("trn\\", s[i+1]) >= 0 || strings.IndexByte(bare, s[i+1]) < 0 {
				return false
			}
			i++ // it escapes the next character
		}
	}
	return true
}
