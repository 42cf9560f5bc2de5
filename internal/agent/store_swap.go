package agent

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hostlerhq/hostler/internal/host/wire"
)

// swap puts a filled scratch database in the place of another, where the engine can't rename databases and has no transactions for tables:
// the tables change places in one statement, and views, triggers, routines and events are made again from those of the scratch database.
func (r *restoration) swap(ctx context.Context) error {
	if !r.r.Over || r.d.engine == wire.EnginePostgres {
		return nil
	}
	d, old, fresh := r.d, r.r.Store.Database, r.r.Scratch
	gone := fresh + "_o"
	before, err := d.contents(ctx, old)
	if err != nil {
		return err
	}
	after, err := d.contents(ctx, fresh)
	if err != nil {
		return err
	}
	code, err := d.code(ctx, fresh, after.views)
	if err != nil {
		return err
	}
	code = bytes.ReplaceAll(code, []byte(d.ident(fresh)+"."), nil)

	var sql strings.Builder
	fmt.Fprintf(&sql, "DROP DATABASE IF EXISTS %s;\nCREATE DATABASE %s;\nSET FOREIGN_KEY_CHECKS = 0;\n", d.ident(gone), d.ident(gone))
	for db, c := range map[string]contents{old: before, fresh: after} {
		for _, t := range c.triggers { // a table with triggers can't change its database
			fmt.Fprintf(&sql, "DROP TRIGGER %s.%s;\n", d.ident(db), d.ident(t))
		}
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
	for _, drop := range []struct {
		kind  string
		names []string
	}{{"VIEW", before.views}, {"PROCEDURE", before.procedures}, {"FUNCTION", before.functions}, {"EVENT", before.events}} {
		for _, name := range drop.names {
			fmt.Fprintf(&sql, "DROP %s IF EXISTS %s.%s;\n", drop.kind, d.ident(old), d.ident(name))
		}
	}
	if _, err := d.ask(ctx, "", sql.String()); err != nil {
		return err
	}
	r.x.a.crash("renamed")
	if err := d.pipe(ctx, d.clientArgv(old), "", func(w io.Writer) error {
		_, err := w.Write(code)
		return err
	}, discard); err != nil {
		return fmt.Errorf("the tables were restored, the views, triggers and routines were not: %w", err)
	}
	return errors.Join(d.drop(ctx, gone), d.drop(ctx, fresh))
}

// contents are the names of what a database of MariaDB or MySQL holds.
type contents struct {
	tables, views, triggers, procedures, functions, events []string
}

func (d *database) contents(ctx context.Context, name string) (contents, error) {
	var c contents
	in := d.text(name)
	out, err := d.ask(ctx, "", strings.Join([]string{
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
			return c, fmt.Errorf("the engine listed %q", line)
		}
		*list = append(*list, string(text))
	}
	return c, nil
}

// maxCode is how much of views, triggers and routines is held in memory.
const maxCode = 16 << 20

// code is the SQL of a database's views, triggers, routines and events.
func (d *database) code(ctx context.Context, name string, views []string) ([]byte, error) {
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
	if len(views) > 0 {
		argv := append(d.dumpArgv(name, "--no-data", "--skip-triggers", "--skip-routines", "--skip-events"), views...)
		if err := d.pipe(ctx, argv, "", nil, read); err != nil {
			return nil, err
		}
	}
	if err := d.pipe(ctx, d.dumpArgv(name, "--no-data", "--no-create-info"), "", nil, read); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
