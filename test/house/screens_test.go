package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

type phrase struct {
	wrong *regexp.Regexp
	plain string
}

// plainer are phrases that screens, mails and the command line have a plainer form for, and that form.
var plainer = []phrase{
	{regexp.MustCompile(`\bMake (?:a|an|the|this|it|new)\b|\b(?:is|are|was|were|be|[Bb]eing) made\b`), "Create, is created"},
	{regexp.MustCompile(`(?:^|['">])(?:Made|Began|Took|What|Who|May)(?:['"<]|$)`), "Created, Started, Duration, Action, Source, Permissions"},
	{regexp.MustCompile(`\b[Tt]ak(?:e|es|en) back\b`), "Revoke"},
	{regexp.MustCompile(`\bfor good\b`), "permanently"},
	{regexp.MustCompile(`\b(?:[Nn]obody|[Ee]verybody|[Ss]omebody|[Aa]nybody|[Ww]hoever)\b`), "no one, any address, members"},
	{regexp.MustCompile(`\b(?:is|are|was|were|be) told\b|\b[Tt]ell a channel\b|\bhears? of\b`), "is notified"},
	{regexp.MustCompile(`\b[Nn]othing for\b`), "Leave blank to"},
	{regexp.MustCompile(`\bany more\b|\bno more\.|\bneed (?:it|them) no more\b`), "no longer"},
	{regexp.MustCompile(`\bshown only now\b|\bthis once\b`), "Copy it now; shown only once"},
	{regexp.MustCompile(`\b[Aa]t once\b`), "immediately"},
	{regexp.MustCompile(`\bto go on\b|\b[Gg]o(?:es)? on\.|['">]Go on['"<]`), "Continue"},
	{regexp.MustCompile(`\b[Ww]hat (?:is|was|needs|it|nobody) (?:on|of|known|printed|written|kept|not)\b|\b[Ww]ho is\b`), "a noun"},
	{regexp.MustCompile(`\bnot begun\b|\bbeats again\b`), "started, recovered"},
	{regexp.MustCompile(`\bcan be given again\b|\bwas given\b|: give (?:an|one|--)`), "(repeatable), provided, use"},
	{regexp.MustCompile(`\bmailed\b|\bby mail\b|\bE-mail\b`), "sent by email, Email"},
	{regexp.MustCompile(`\bput (?:back|right)\b|\bputs (?:them|it) right\b`), "rolled back, repaired"},
	{regexp.MustCompile(`\bis dead\b|\bworks no more\b`), "is invalid"},
	{regexp.MustCompile(`\bthe way (?:on|out)\b|\bsaid to be\b|\bevery now and then\b`), "next steps"},
	{regexp.MustCompile(`\bthen\.$|\bfrom then on\b`), "once, after that"},
	{regexp.MustCompile(`>proven<|'proven'|\b(?:be|been|was|never|last|not) proven\b`), "verified"},
	{regexp.MustCompile(`\b[Bb]eats (?:all|every|the)\b|\b[Hh]olds where\b`), "takes precedence over"},
	{regexp.MustCompile(`\b[Ww]aits for (?:its line|\d)|\bline to (?:paste|be pasted)\b|\bdid not call Hostler\b`), "Awaiting setup, expires in, setup command"},
	{regexp.MustCompile(`\bwhat it runs\b|\bis the one of\b|\bLook on the\b|\b[Aa]lways there\b|\bof them fits\b`), "built-in, import existing"},
	{
		regexp.MustCompile(`\bCounts as\b|\bMay take to\b|\bIs asked to\b|\b[Mm]ay be late\b|\bwent well\b`),
		"Startup time, Stop timeout, Stop signal, Grace period, succeeded",
	},
	{regexp.MustCompile(`\btried before\b|\bTry and\b|\bopens them\b|\bwhere the \w+ are not\b|\bas many newer\b|\bProve every\b`), "tested, decrypts, verified"},
	{regexp.MustCompile(`\bown cron\b|\bwhat the last\b|\bSchedule it\b|\bare meant\b|\bset already\b|\bas they began\b`), "Runs with cron, existing, previous"},
	{regexp.MustCompile(`\b(?:[Rr]enews|[Mm]easures) itself\b|\bmail is sent\b|\bit no longer is\b`), "renews automatically, measured, you get an email"},
	{
		regexp.MustCompile(`['">]Get it['"<]|\bWhat starts\b|\bbeside the button\b|\b[Gg]ive it the\b|\bby a click\b`),
		"Request certificate, Deploy automatically, Load, with one click",
	},
	{
		regexp.MustCompile(`\bcalled like that\b|\banswered no more\b|['">]In addresses['"<]|\bwhat is selected\b`),
		"No results, stops responding, Slug, the selected items",
	},
	{
		regexp.MustCompile(`\btoo much to do\b|\bno longer watched\b|\b(?:stay|stays) as (?:they are|it is)\b|\bby hand\b`),
		"overloaded, monitored, is not changed, manually",
	},
	{
		regexp.MustCompile(`\bOne \w+ a line\b|\bwhich takes seconds\b|\bthat the server has\b|\bopen work\b`),
		"per line, a few seconds, installed on the server, pending operations",
	},
	{regexp.MustCompile(`\b[Aa]nswers? 503\b|\bis answered with\b|\banswer has no\b`), "responds with, response"},
}

// Every phrase of testdata/stiff.txt, which a screen once had, is found by an expression above, so that neither it nor its like comes back.
func TestPlainer(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/stiff.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, stiff := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		if !slices.ContainsFunc(plainer, func(p phrase) bool { return p.wrong.MatchString(stiff) }) {
			t.Errorf("not found: %s", stiff)
		}
	}
}

// What people read on screens, in mails and on the command line is in the field's terms.
func TestScreens(t *testing.T) {
	t.Parallel()
	var texts []text
	for _, dir := range []string{"web/src", "internal/cli", "internal/noun", "cmd/hostler"} {
		files := 0
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found, err := screenTexts(path)
			if len(found) > 0 {
				files++
			}
			texts = append(texts, found...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if files < 7 {
			t.Errorf("only %d files of %s have texts", files, dir)
		}
	}
	for _, text := range texts {
		for _, phrase := range plainer {
			if found := phrase.wrong.FindString(text.words); found != "" {
				t.Errorf("%s: %q in: %s\n\tplainer: %s", text.place, found, text.words, phrase.plain)
			}
		}
	}
}

// screenTexts returns the texts of a file of the dashboard, the command line or the pages in Go.
func screenTexts(path string) ([]text, error) {
	switch {
	case strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "schema.ts":
		return nil, nil
	case strings.HasSuffix(path, ".go"):
		return literals(path)
	case filepath.Base(path) == "en.po":
		return messages(path)
	case strings.HasSuffix(path, ".tsx"), strings.HasSuffix(path, ".ts"), strings.HasSuffix(path, ".html"):
		return source(path)
	}
	return nil, nil
}

// literals returns the strings of a Go file that are sentences or labels: those with a space in them.
func literals(path string) ([]text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var out []text
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.CallExpr:
			return !logs(n)
		case *ast.BasicLit:
			if words, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && strings.Contains(words, " ") {
				out = append(out, text{files.Position(n.Pos()).String(), words})
			}
		}
		return true
	})
	return out, nil
}

// logs reports whether a call writes to the log, or builds an error that only the log gets.
func logs(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, _ := name.X.(*ast.Ident)
	return strings.HasSuffix(name.Sel.Name, "Context") || of != nil && of.Name == "fmt" && name.Sel.Name == "Errorf"
}

var (
	comment = regexp.MustCompile(`(?s)/\*\*?\s.*?\*/|(?m:(?:^|[\s;{}(])//[^\n]*$)`)
	// value is a string that is a value and no text: a name in code.
	value = regexp.MustCompile(`'[a-z0-9_:./-]+'|"[a-z0-9_:./-]+"`)
)

// messages returns the texts of the dashboard's catalogue, each also as the whole content of an element.
func messages(path string) ([]text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []text
	for i, entry := range strings.Split(string(raw), "\n\n") {
		_, rest, _ := strings.Cut(entry, "\nmsgid ")
		id, _, found := strings.Cut(rest, "\nmsgstr ")
		if !found {
			continue // the head
		}
		var words strings.Builder
		for part := range strings.SplitSeq(id, "\n") {
			words.WriteString(strings.ReplaceAll(strings.Trim(part, `"`), `\"`, `"`))
		}
		place := fmt.Sprintf("%s, text %d", path, i)
		out = append(out, text{place, words.String()}, text{place, ">" + words.String() + "<"})
	}
	if len(out) < 2000 {
		return nil, fmt.Errorf("%s has only %d texts", path, len(out)/2)
	}
	return out, nil
}

// source returns the lines of a file of the dashboard, or of a page, without comments and names.
func source(path string) ([]text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	raw = comment.ReplaceAllFunc(raw, func(found []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(found, []byte("\n"))) })
	var out []text
	for i, line := range strings.Split(string(raw), "\n") {
		if words := strings.TrimSpace(value.ReplaceAllString(line, "")); words != "" {
			out = append(out, text{path + ":" + strconv.Itoa(i+1), words})
		}
	}
	return out, nil
}
