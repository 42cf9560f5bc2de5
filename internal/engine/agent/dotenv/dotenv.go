// Package dotenv reads the .env files of sites as their applications read them, and writes their variables for systemd. No shell is involved.
package dotenv

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The dialects of .env files: PHP is that of vlucas/phpdotenv, Node that of the npm package dotenv. In both, ${NAME} outside single quotes is replaced
// by the value of a variable that is known by then; a bare $NAME stays as it is.
const (
	PHP  = wire.DotenvPHP
	Node = wire.DotenvNode
)

// A Problem is what could not be read as a variable, with the line at which it begins.
type Problem struct {
	Line   int
	Reason string
}

// String returns a sentence without the content of the line: it may be a secret.
func (p Problem) String() string { return fmt.Sprintf("line %d of .env: %s", p.Line, p.Reason) }

// maxValue is the longest variable that a Linux process can be given, with its name (MAX_ARG_STRLEN of execve(2)).
const maxValue = 128<<10 - 2

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Parse returns the variables of a .env file that a process can have. Those in known are set already: they can be referred to, and are not among the
// result's. What is wrong with an entry does not keep the others from being read.
func Parse(dialect, text string, known map[string]string) (map[string]string, []Problem) {
	r := reader{known: known, vars: map[string]string{}}
	text = strings.TrimPrefix(text, "\ufeff")
	if dialect == Node {
		r.node(text)
	} else {
		r.php(text)
	}
	for name, value := range r.vars {
		switch {
		case !variablePattern.MatchString(name):
			delete(r.vars, name) // such as A.B: applications may read it from the file; a process has no such variable
		case strings.ContainsRune(value, 0) || len(name)+len(value) > maxValue:
			delete(r.vars, name)
			r.problems = append(r.problems, Problem{r.lines[name], "the value of " + name + " is too long for a variable, or not text"})
		}
	}
	return r.vars, r.problems
}

// reader collects the variables of a file, in its order.
type reader struct {
	known, vars map[string]string
	lines       map[string]int
	problems    []Problem
}

func (r *reader) set(name, value string, line int) {
	if _, is := r.known[name]; is {
		return
	}
	if r.lines == nil {
		r.lines = map[string]int{}
	}
	r.vars[name], r.lines[name] = value, line
}

func (r *reader) lookup(name string) (string, bool) {
	if v, ok := r.known[name]; ok {
		return v, true
	}
	v, ok := r.vars[name]
	return v, ok
}

func (r *reader) problem(line int, reason string) {
	r.problems = append(r.problems, Problem{line, reason})
}
