// Command cost counts the lines of nouns for "What a noun costs" in docs/architecture.md: whole top-level declarations with their doc comments, in files
// that are not tests. Package clauses, imports and the lines between declarations do not count. -v lists the declarations.
//
//	go run ./scripts/cost firewall redirect security process database sshkey
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	each := flag.Bool("v", false, "list each declaration with its lines")
	flag.Parse()
	for _, noun := range flag.Args() {
		files, lines, err := count(filepath.Join("internal/noun", noun), *each)
		if err != nil {
			log.Fatalf("cost: %v", err)
		}
		fmt.Printf("%s: %d files, %d lines\n", noun, files, lines)
	}
}

// count returns the number of a package's files and the lines of its declarations.
func count(dir string, each bool) (files, lines int, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, 0, err
	}
	set := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return 0, 0, err
		}
		files++
		for _, d := range file.Decls {
			name, from := declared(d)
			if name == "" {
				continue
			}
			n := set.Position(d.End()).Line - set.Position(from).Line + 1
			lines += n
			if each {
				fmt.Printf("%5d  %s %s\n", n, path, name)
			}
		}
	}
	if files == 0 {
		return 0, 0, fmt.Errorf("%s has no Go files", dir)
	}
	return files, lines, nil
}

// declared returns a declaration's name, "" for imports, and where it begins with its doc comment.
func declared(d ast.Decl) (string, token.Pos) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			return d.Name.Name, d.Doc.Pos()
		}
		return d.Name.Name, d.Pos()
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return "", d.Pos()
		}
		if d.Doc != nil {
			return d.Tok.String(), d.Doc.Pos()
		}
		return d.Tok.String(), d.Pos()
	}
	return "", d.Pos()
}
