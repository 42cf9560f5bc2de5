// Package house checks the text of the repository itself.
package house

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wrong matches phrases that have a plainer form in technical English: "reports whether" for "tells whether", "again" for
// "anew", "automatically" or "separately" for "by itself", the role concerned (a caller, a member, an account) for "somebody",
// "checks whether" for "looks whether", "except for" for "but for", "prevents" for "stands in the way", "fix" or "repair" for "mend".
var wrong = regexp.MustCompile(`\b([Ss]omebody|[Nn]obody|[Ee]verybody|[Aa]nybody|anew|[Tt]ells? whether|(?:is|are|was|were|be) told|` +
	`[Bb]y (?:itself|themselves)|` +
	`again and again|of (?:its|their) own accord|the way on|may not know of|who may not|caller may know of|` +
	`[Ww]hat of (?:an?|the|its?|their|them)|[Nn]othing of (?:an?|the|its?|their|them|what)|[Ll]ooks? whether|[Mm]end(?:s|ed|ing)|but for|` +
	`stands? in the way|goes? along|made so again|waits? for its line|with (?:its|their) words|(?:were|was|is|are) of nobody)\b`)

// quoted matches code in a text, which may use any word.
var quoted = regexp.MustCompile("`[^`]*`|\"[^\"]*\"")

const root = "../.."

// Comments, documents and API descriptions are written in plain technical English.
func TestWords(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() {
			if path != root && strings.HasPrefix(name, ".") || name == "node_modules" || name == "dist" || name == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		texts, err := textsOf(path)
		if err != nil {
			return err
		}
		if texts != nil {
			files++
		}
		for _, text := range texts {
			for _, found := range wrong.FindAllString(quoted.ReplaceAllString(text.words, ""), -1) {
				t.Errorf("%s: %q in: %s", text.place, found, text.words)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files have texts: is %s the root of the repository?", files, root)
	}
}

// text is a paragraph, with its file and line.
type text struct{ place, words string }

// textsOf returns the texts of a file that people read, or nil for other kinds of files.
func textsOf(path string) ([]text, error) {
	switch {
	case strings.HasSuffix(path, ".go"):
		return comments(path)
	case strings.HasSuffix(path, ".md"):
		return prose(path)
	case strings.HasSuffix(path, ".sql"):
		return lines(path, "--")
	case filepath.Base(path) == "openapi.json":
		return descriptions(path)
	}
	return nil, nil
}

// comments returns the comments of a Go file. The first word of a doc comment is an identifier and left out.
func comments(path string) ([]text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var out []text
	for _, group := range file.Comments {
		_, words, _ := strings.Cut(strings.Join(strings.Fields(group.Text()), " "), " ")
		out = append(out, text{files.Position(group.Pos()).String(), words})
	}
	return out, nil
}

// prose returns the paragraphs of a document, without its blocks of code.
func prose(path string) ([]text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []text
	code := false
	for i, line := range strings.Split(string(raw), "\n") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			code = !code
		case code:
		case i > 0 && len(out) > 0 && strings.TrimSpace(line) != "" && out[len(out)-1].words != "":
			out[len(out)-1].words += " " + strings.TrimSpace(line)
		default:
			out = append(out, text{fmt.Sprintf("%s:%d", path, i+1), strings.TrimSpace(line)})
		}
	}
	return out, nil
}

// lines returns the lines of a file that are comments.
func lines(path, prefix string) ([]text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := []text{}
	for i, line := range strings.Split(string(raw), "\n") {
		if words, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok {
			out = append(out, text{fmt.Sprintf("%s:%d", path, i+1), words})
		}
	}
	return out, nil
}

// descriptions returns the summaries and descriptions of the API description.
func descriptions(path string) ([]text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	var out []text
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if words, ok := member.(string); ok && (name == "description" || name == "summary") {
					out = append(out, text{path + at, words})
				}
				walk(at+"/"+name, member)
			}
		case []any:
			for i, member := range v {
				walk(fmt.Sprintf("%s/%d", at, i), member)
			}
		}
	}
	walk("", document)
	return out, nil
}
