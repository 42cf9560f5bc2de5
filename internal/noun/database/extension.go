package database

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// checkExtensions returns the extensions that a body asks for.
func checkExtensions(f api.Fields, kind Engine, names []string) []string {
	if kind != PostgreSQL && len(names) > 0 {
		f.Add("extensions", "Only databases of PostgreSQL have extensions.")
		return nil
	}
	var out []string
	for i, name := range names {
		field := "extensions." + strconv.Itoa(i)
		_, known := dbaccount.Extension(name)
		switch {
		case !known:
			f.Add(field, "The extension %q can't be created by Hostler. It can be: %s.", name, strings.Join(dbaccount.Extensions(), ", "))
		case slices.Contains(out, name):
			f.Add(field, "The extension %s is in the list twice.", name)
		default:
			out = append(out, name)
		}
	}
	return out
}

// stored is a list of extensions as its column, and listed the list of a column.
func stored(extensions []string) (string, error) {
	if len(extensions) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(extensions)
	if err != nil {
		return "", fmt.Errorf("write extensions: %w", err)
	}
	return string(raw), nil
}

func listed(column string) []string {
	out := []string{}
	if column != "" && json.Unmarshal([]byte(column), &out) != nil {
		return []string{}
	}
	return out
}

// extended is a database whose extensions change.
type extended struct {
	schema
	add, drop []string
}

// extensions returns the databases whose extensions included work changes, or with all those that have any.
func (s state) extensions(all bool) (out []extended, err error) {
	if s.kind != PostgreSQL {
		return nil, nil
	}
	for i, r := range s.wanted {
		if !all && !s.v.Asks(Databases.Kind, r.ID) {
			continue
		}
		before, _, err := Databases.Before(s.v, r.ID)
		if err != nil {
			return nil, err
		}
		e := extended{schema: s.databases[i], add: r.Specification.Extensions}
		for _, name := range before.Extensions {
			if !slices.Contains(e.add, name) {
				e.drop = append(e.drop, name)
			}
		}
		if len(e.add)+len(e.drop) > 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

// extend returns the steps that change the extensions of databases. Debian's package comes first where an extension is not part of
// the engine. A repair leaves out databases that are missing.
func (s state) extend(all []extended, repair bool) []wire.Step {
	p := postgres{}
	version := strings.TrimPrefix(*s.v.Server.DatabaseType, string(PostgreSQL))
	var steps []wire.Step
	for _, name := range dbaccount.Extensions() {
		asked := slices.ContainsFunc(all, func(e extended) bool { return slices.Contains(e.add, name) })
		if pkg, _ := dbaccount.Extension(name); asked && pkg != "" && version != "" {
			steps = append(steps, wire.Step{Name: "package of the extension " + name, Packages: &wire.Packages{
				Names: []string{"postgresql-" + version + "-" + pkg}, Update: true, Unless: "/usr/share/postgresql/" + version +
					"/extension/" + name + ".control",
			}})
		}
	}
	for _, e := range all {
		run := p.extend(e)
		if repair {
			run = p.global(p.inside(e.schema, p.changes(e)...))
		}
		steps = append(steps, wire.Step{Name: "extensions of " + e.name.text, Exec: run})
	}
	return steps
}

// extend changes the extensions of a database.
func (p postgres) extend(e extended) *wire.Exec { return p.run(e.name.text, p.changes(e)...) }

// changes are the statements of it, one transaction. An extension that something depends on is not dropped.
func (p postgres) changes(e extended) []string {
	statements := []string{"BEGIN"}
	for _, name := range e.drop {
		statements = append(statements, "DROP EXTENSION IF EXISTS "+p.quoted(name))
	}
	for _, name := range e.add {
		statements = append(statements, p.createExtension(name))
	}
	return append(statements, "COMMIT")
}

// createExtension creates an extension that the database does not have, in its schema public. One that PostgreSQL trusts is created
// by the database's owner, as the owner could itself. The script of any other runs as the administrator and finds functions and
// operators in that schema, where a tenant may have some that match better than the engine's own: it runs in an empty schema of that
// name, which no one else can see, and what it created is then moved. The name of a schema can be in what a script creates, so that
// is the same throughout.
func (p postgres) createExtension(name string) string {
	quoted, missing := p.quoted(name), "the server does not have the extension "+name
	if pkg, _ := dbaccount.Extension(name); pkg != "" {
		missing += ": install the package postgresql-N-" + pkg
	}
	const aside = `"hostler_public"`
	return p.do("trusts boolean; theirs name; moves boolean",
		"IF EXISTS (SELECT FROM pg_extension WHERE extname = "+p.literal(name)+") THEN RETURN; END IF",
		"SELECT v.trusted, v.relocatable INTO trusts, moves FROM pg_available_extensions x JOIN pg_available_extension_versions v ON "+
			"v.name = x.name"+
			" AND v.version = x.default_version WHERE x.name = "+p.literal(name),
		"IF NOT FOUND THEN RAISE EXCEPTION "+p.literal(missing)+"; END IF",
		"SELECT pg_get_userbyid(datdba) INTO theirs FROM pg_database WHERE datname = current_database()",
		"IF trusts THEN\nEXECUTE format('SET LOCAL ROLE %I', theirs);\nCREATE EXTENSION "+quoted+" SCHEMA public;\nSET LOCAL ROLE "+
			"none;\nRETURN; END IF",
		"ALTER SCHEMA public RENAME TO "+aside,
		"CREATE SCHEMA public",
		"CREATE EXTENSION "+quoted+" SCHEMA public",
		"UPDATE pg_catalog.pg_extension SET extrelocatable = true WHERE extname = "+p.literal(name),
		"ALTER EXTENSION "+quoted+" SET SCHEMA "+aside,
		"UPDATE pg_catalog.pg_extension SET extrelocatable = moves WHERE extname = "+p.literal(name),
		"DROP SCHEMA public",
		"ALTER SCHEMA "+aside+" RENAME TO public",
	)
}

// inExtensions prints the extensions that databases have.
func (p postgres) inExtensions(within []schema, hex func(string) string) (out []string) {
	for _, d := range within {
		out = append(out, p.inside(d, "SELECT 'extension', "+hex("current_database()")+", "+hex("extname")+" FROM pg_extension"))
	}
	if len(out) > 0 {
		out = append(out, "\\connect "+maintenance+"\nSELECT WHERE false")
	}
	return out
}

// has returns those of these extensions that a database was found with.
func (f found) has(d string, extensions ...string) []string {
	return slices.DeleteFunc(slices.Clone(extensions), func(name string) bool { return !slices.Contains(f.extensions[d], name) })
}

// schemas are the databases that were found.
func (f found) schemas() (out []schema) {
	for _, d := range f.databases {
		out = append(out, schema{name: Name{d.name}, adopted: true})
	}
	return out
}
