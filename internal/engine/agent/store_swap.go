package agent

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// swap replaces a database with a filled scratch database, as the definer of both: the tables change places in one statement, and
// views, triggers, routines and events are recreated from code, which is those of the scratch database.
func (r *restoration) swap(ctx context.Context, l login, after contents, code []byte) error {
	d, old, fresh := r.d, r.r.Store.Database, r.r.Scratch
	gone := goneName(fresh)
	before, err := d.contents(ctx, l, old)
	if err != nil {
		return err
	}
	facts, err := d.myFacts(ctx, fresh)
	if err != nil {
		return err
	}
	code = bytes.ReplaceAll(code, []byte(d.ident(fresh)+"."), nil)
	numbers, err := d.numbers(ctx, l, fresh)
	if err != nil {
		return err
	}

	var sql strings.Builder
	sql.WriteString(myReads + "SET FOREIGN_KEY_CHECKS = 0;\n")
	for db, c := range map[string]contents{old: before, fresh: after} {
		for _, t := range c.triggers { // a table with triggers can't change its database
			fmt.Fprintf(&sql, "DROP TRIGGER %s.%s;\n", d.ident(db), d.ident(t))
		}
	}
	for _, n := range numbers {
		fmt.Fprintf(&sql, "ALTER TABLE %s.%s ALTER COLUMN %s DROP DEFAULT;\n", d.ident(fresh), d.ident(n.table), d.ident(n.column))
	}
	var moves []string
	for _, t := range before.tables {
		moves = append(moves, fmt.Sprintf("%s.%s TO %s.%s", d.ident(old), d.ident(t), d.ident(gone), d.ident(t)))
	}
	for _, t := range after.tables {
		moves = append(moves, fmt.Sprintf("%s.%s TO %s.%s", d.ident(fresh), d.ident(t), d.ident(old), d.ident(t)))
	}
	if len(moves) > 0 {
		sql.WriteString("RENAME TABLE " + strings.Join(moves, ", ") + ";\n")
	}
	for _, n := range numbers {
		from := strings.ReplaceAll(n.from, d.ident(fresh)+".", d.ident(old)+".")
		fmt.Fprintf(&sql, "ALTER TABLE %s.%s ALTER COLUMN %s SET DEFAULT (%s);\n", d.ident(old), d.ident(n.table), d.ident(n.column), from)
	}
	for _, drop := range []struct {
		kind  string
		names []string
	}{{"VIEW", before.views}, {"PROCEDURE", before.procedures}, {"FUNCTION", before.functions}, {"EVENT", before.events}} {
		for _, name := range drop.names {
			fmt.Fprintf(&sql, "DROP %s IF EXISTS %s.%s;\n", drop.kind, d.ident(old), d.ident(name))
		}
	}
	if err := d.myScratch(ctx, gone); err != nil {
		return err
	}
	if d.engine == wire.EngineMySQL { // only an administrator may drop what an administrator defined; the statements are names, quoted here
		_, err = d.ask(ctx, "", sql.String())
	} else {
		_, err = d.answer(ctx, d.as(l), append(d.myClient(l.name), "--"), sql.String())
	}
	if err != nil {
		return err
	}
	r.x.a.crash("renamed")
	if err := d.pipe(ctx, d.as(l), append(d.myClient(l.name), "--", old), func(w io.Writer) error {
		definers := archive.NewDefiners(w)
		if _, err := io.WriteString(definers, facts.first); err != nil {
			return err
		}
		if _, err := definers.Write(code); err != nil {
			return err
		}
		return definers.Close()
	}, discard); err != nil {
		return fmt.Errorf("the tables were restored, the views, triggers and routines were not: %w", err)
	}
	return nil
}

// number is a column that takes its default from a sequence, of the same database or another.
type number struct{ table, column, from string }

// numbers returns those columns of a database. MariaDB keeps the name of the sequence's database with the default, and opens no table whose sequence is gone:
// the defaults are taken away while the tables change their database.
func (d *database) numbers(ctx context.Context, l login, name string) ([]number, error) {
	if d.engine == wire.EngineMySQL { // it has no sequences
		return nil, nil
	}
	out, err := d.answer(ctx, d.as(l),
		append(d.myClient(l.name), "--"), myReads+"SELECT HEX(table_name), HEX(column_name), HEX(column_default) FROM information_schema.columns"+
			" WHERE table_schema = "+d.text(name)+" AND LOCATE("+d.text("val("+d.ident(name)+".")+", column_default) > 0;\n")
	if err != nil {
		return nil, err
	}
	var found []number
	for line := range strings.Lines(out) {
		var texts []string
		for field := range strings.SplitSeq(strings.TrimSpace(line), "\t") {
			text, err := hex.DecodeString(field)
			if err != nil {
				return nil, errListing
			}
			texts = append(texts, string(text))
		}
		if len(texts) != 3 {
			return nil, errListing
		}
		found = append(found, number{texts[0], texts[1], texts[2]})
	}
	return found, nil
}

// contents are the names of a MariaDB or MySQL database's objects.
type contents struct {
	tables, views, triggers, procedures, functions, events []string
}

func (d *database) contents(ctx context.Context, l login, name string) (contents, error) {
	var c contents
	in := d.text(name)
	out, err := d.answer(ctx, d.as(l), append(d.myClient(l.name), "--"), strings.Join([]string{
		"SELECT IF(table_type = 'VIEW', 'v', 't'), HEX(table_name) FROM information_schema.tables WHERE table_schema = " + in,
		"SELECT 'g', HEX(trigger_name) FROM information_schema.triggers WHERE trigger_schema = " + in,
		"SELECT IF(routine_type = 'PROCEDURE', 'p', 'f'), HEX(routine_name) FROM information_schema.routines WHERE routine_schema = " + in,
		"SELECT 'e', HEX(event_name) FROM information_schema.events WHERE event_schema = " + in,
	}, ";\n")+";\n")
	if err != nil {
		return c, err
	}
	into := map[string]*[]string{"t": &c.tables, "v": &c.views, "g": &c.triggers, "p": &c.procedures, "f": &c.functions, "e": &c.events}
	for line := range strings.Lines(out) {
		kind, raw, _ := strings.Cut(strings.TrimSpace(line), "\t")
		text, err := hex.DecodeString(raw)
		list := into[kind]
		if err != nil || list == nil {
			return c, errListing
		}
		*list = append(*list, string(text))
	}
	slices.Sort(c.views) // as in a dump: WITH CHECK OPTION needs the view below
	return c, nil
}

// maxCode is how much of views, triggers and routines is kept in memory.
const maxCode = 16 << 20

// code returns the SQL of a database's views, triggers, routines and events.
func (d *database) code(ctx context.Context, l login, name string, views []string) ([]byte, error) {
	var out bytes.Buffer
	read := func(r io.Reader) error {
		if _, err := io.Copy(&out, io.LimitReader(r, maxCode)); err != nil {
			return err
		}
		if out.Len() >= maxCode {
			return errors.New("the database has more views, triggers and routines than can be moved")
		}
		return nil
	}
	switch endless, err := d.myEndless(ctx, name); {
	case err != nil:
		return nil, err
	case len(endless) > 0:
		return nil, errors.New("the dump has an event with two semicolons in a row, which can't be moved")
	}
	// Routines first: a view can't be created before the functions that it calls.
	argv, err := d.myDumper(ctx, l.name, "--no-data", "--no-create-info", "--routines", "--triggers", "--events", "--", name)
	if err != nil {
		return nil, err
	}
	if err := d.pipe(ctx, d.as(l), argv, nil, read); err != nil {
		return nil, err
	}
	if len(views) > 0 {
		if argv, err = d.myDumper(ctx, l.name, append([]string{"--no-data", "--skip-triggers", "--", name}, views...)...); err != nil {
			return nil, err
		}
		if err := d.pipe(ctx, d.as(l), argv, nil, read); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
