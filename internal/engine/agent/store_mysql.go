package agent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// myClient returns the client of MariaDB or MySQL, as an account over the socket. It reads no settings file, and --binary-mode
// disables all of its own commands except for the delimiter and the character set: no \!, no source. It sends no file of the
// machine (LOAD DATA LOCAL).
func (d *database) myClient(name string) []string {
	program := "mariadb"
	if d.engine == wire.EngineMySQL {
		program = "mysql"
	}
	return []string{
		program, "--no-defaults", "--protocol=socket", "--user=" + name, "--batch", "--skip-column-names",
		"--binary-mode", "--local-infile=0", "--default-character-set=utf8mb4",
	}
}

// myDumper returns the dump program, as an account over the socket.
func (d *database) myDumper(name string, more ...string) []string {
	argv := []string{
		"mariadb-dump", "--no-defaults", "--protocol=socket", "--user=" + name, "--single-transaction", "--quick",
		"--hex-blob", "--no-tablespaces", "--default-character-set=utf8mb4",
	}
	if d.engine == wire.EngineMySQL {
		argv[0] = "mysqldump"
		argv = append(argv, "--column-statistics=0", "--set-gtid-purged=OFF")
	}
	return append(argv, more...)
}

// as returns the identity for a client with the account of a run.
func (d *database) as(l login) identity {
	return d.asStranger(map[string]string{"MYSQL_PWD": l.password})
}

const myHost = "@localhost"

// myIdentified returns the authentication clause of an account. MySQL adds its own salt and gets the password.
func (d *database) myIdentified(l login) string {
	if d.engine == wire.EngineMySQL {
		return "IDENTIFIED BY '" + l.password + "'"
	}
	return "IDENTIFIED VIA mysql_native_password USING '" + dbaccount.Native(l.password) + "'"
}

// myWithin returns a database in GRANT, where _ and % are wildcards unless they are escaped.
func (d *database) myWithin(name string) string {
	return d.ident(strings.NewReplacer("_", `\_`, "%", `\%`).Replace(name)) + ".*"
}

// myMode fixes the meaning of quotes, whatever the server's mode.
const myMode = "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES';\n"

// myLogin creates the account of a run with privileges on one database, and others.
func (d *database) myLogin(ctx context.Context, l login, privileges, on string, more ...string) error {
	if err := d.mySweep(ctx); err != nil {
		return err
	}
	sql := myMode + "CREATE USER " + d.ident(l.name) + myHost + " " + d.myIdentified(l) + ";\nGRANT " + privileges + " ON " + d.myWithin(on) + " TO " + d.ident(l.name) + myHost + ";\n"
	for _, grant := range more {
		sql += "GRANT " + grant + " TO " + d.ident(l.name) + myHost + ";\n"
	}
	_, err := d.ask(ctx, "", sql)
	return err
}

// myDropLogin drops an account that a run created, and ends its connections.
func (d *database) myDropLogin(ctx context.Context, name string) error {
	if _, err := d.ask(ctx, "", "DROP USER IF EXISTS "+d.ident(name)+myHost+";\n"); err != nil {
		return err
	}
	return d.myEnd(ctx, name)
}

// myEnd ends the connections of an account.
func (d *database) myEnd(ctx context.Context, name string) error {
	out, err := d.ask(ctx, "", "SELECT id FROM information_schema.processlist WHERE user = "+d.text(name)+";\n")
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		if id, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil {
			_, _ = d.ask(ctx, "", "KILL "+strconv.FormatInt(id, 10)+";\n") // it may have ended
		}
	}
	return nil
}

// mySweep drops leftover accounts of runs that are over.
func (d *database) mySweep(ctx context.Context) error {
	out, err := d.ask(ctx, "", "SELECT HEX(User) FROM mysql.user WHERE User LIKE "+d.text(dbaccount.RunPrefix+"%")+";\n")
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		if name, err := hex.DecodeString(strings.TrimSpace(line)); err == nil && overdue(string(name)) {
			if err := d.myDropLogin(ctx, string(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// myDump dumps a database: first its routines, as an account that can read the source of routines and open no table or view of
// the database, then the rest, as one that can read this database. Neither can do both: opening a view may run a routine as the
// reader.
func (d *database) myDump(ctx context.Context, name string, out func(io.Reader) error) error {
	sources, err := d.mySources(ctx, name)
	if err != nil {
		return err
	}
	err = d.with(ctx, made{}, func(l login) error { return d.myLogin(ctx, l, "EVENT", name, sources) }, func(l login) error {
		return d.pipe(ctx, d.as(l), d.myDumper(l.name, "--routines", "--no-data", "--no-create-info", "--skip-triggers",
			"--skip-events", "--skip-lock-tables", "--", name), nil, out)
	})
	if err != nil {
		return err
	}
	return d.with(ctx, made{}, func(l login) error {
		return d.myLogin(ctx, l, "SELECT, LOCK TABLES, SHOW VIEW, TRIGGER, EVENT, EXECUTE", name)
	}, func(l login) error {
		return d.pipe(ctx, d.as(l), d.myDumper(l.name, "--triggers", "--events", "--", name), nil, out)
	})
}

// mySources returns the privilege to read the source of routines: of one database if the engine supports that (MariaDB 11.3), else of all.
func (d *database) mySources(ctx context.Context, name string) (string, error) {
	if d.engine == wire.EngineMySQL {
		return "SHOW_ROUTINE ON *.*", nil // MySQL 8.0.20
	}
	out, err := d.ask(ctx, "", "SELECT VERSION();\n")
	if err != nil {
		return "", err
	}
	major, rest, _ := strings.Cut(strings.TrimSpace(out), ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	if a > 11 || a == 11 && b >= 3 {
		return "SHOW CREATE ROUTINE ON " + d.myWithin(name), nil
	}
	return "SELECT ON mysql.proc", nil
}

// myFill loads a dump into a database as an account, which becomes the definer of everything that has one.
func (r *restoration) myFill(ctx context.Context, l login, name string) error {
	return r.d.pipe(ctx, r.d.as(l), append(r.d.myClient(l.name), "--", name), func(w io.Writer) error {
		definers := archive.NewDefiners(w)
		if err := r.unpack(ctx, definers); err != nil {
			return err
		}
		return definers.Close()
	}, discard)
}

// myTables counts as an account of a run. Names are the engine's own, in hexadecimal, and quoted by the engine.
func (d *database) myTables(ctx context.Context, l login, name string) (map[string]archive.Table, error) {
	ask := func(sql string) (string, error) {
		return d.answer(ctx, d.as(l), append(d.myClient(l.name), "--", name), myMode+sql)
	}
	out, err := ask("SELECT HEX(t.table_name), (SELECT COUNT(*) FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name)" +
		" FROM information_schema.tables t WHERE t.table_schema = " + d.text(name) + " AND t.table_type NOT LIKE '%VIEW';\n")
	if err != nil {
		return nil, err
	}
	found := map[string]archive.Table{}
	var names []string
	var sql strings.Builder
	for line := range strings.Lines(out) {
		raw, columns, _ := strings.Cut(strings.TrimSpace(line), "\t")
		table, err := hex.DecodeString(raw)
		n, nerr := strconv.Atoi(columns)
		if err != nil || nerr != nil {
			return nil, errListing
		}
		fmt.Fprintf(&sql, "SET @hostler = CONCAT('SELECT %d, COUNT(*) FROM `', REPLACE(%s, '`', '``'), '`');\nPREPARE hostler FROM @hostler;\nEXECUTE hostler;\n", len(names), d.text(string(table)))
		names = append(names, string(table))
		found[string(table)] = archive.Table{Columns: n}
	}
	if len(names) == 0 {
		return found, nil
	}
	if out, err = ask(sql.String()); err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		at, count, _ := strings.Cut(strings.TrimSpace(line), "\t")
		i, err := strconv.Atoi(at)
		rows, rerr := sizeIn(count, nil)
		if err != nil || rerr != nil || i >= len(names) {
			return nil, errListing
		}
		found[names[i]] = archive.Table{Rows: rows, Columns: found[names[i]].Columns}
	}
	return found, nil
}

// myScratch creates an empty database, replacing the remains of a try whose host died.
func (d *database) myScratch(ctx context.Context, name string) error {
	if err := d.drop(ctx, name); err != nil {
		return err
	}
	_, err := d.ask(ctx, "", "CREATE DATABASE "+d.ident(name)+" CHARACTER SET utf8mb4;\n")
	return err
}

// myProve restores into a separate database and compares.
func (r *restoration) myProve(ctx context.Context) error {
	d, name := r.d, r.r.Store.Database
	return d.with(ctx, made{Database: name}, func(l login) error {
		return inOrder(func() error { return d.myScratch(ctx, name) }, func() error { return d.myLogin(ctx, l, "ALL PRIVILEGES", name) })
	}, func(l login) error {
		if err := r.myFill(ctx, l, name); err != nil {
			return err
		}
		return r.compared(d.myTables(ctx, l, name))
	})
}

// myReplace restores into a scratch database, compares, and replaces the other with it: neither engine can rename databases, or
// has transactions for tables. The account of the run is the database's definer, which stays, locked, when the run is over:
// objects with a definer's rights need one that exists.
func (r *restoration) myReplace(ctx context.Context) error {
	d, name, scratch := r.d, r.r.Store.Database, r.r.Scratch
	m := made{Engine: d.engine, Database: scratch, Definer: dbaccount.Definer(name)}
	if err := d.x.noteMade(m); err != nil {
		return err
	}
	l := login{name: m.Definer, password: randomHex(24)}
	err := inOrder(
		func() error { return d.mySweep(ctx) },
		func() error { return d.myScratch(ctx, scratch) },
		func() error { return d.myUnlock(ctx, l, name, scratch) },
		func() error { return r.myFill(ctx, l, scratch) },
		func() error { return r.compared(d.myTables(ctx, l, scratch)) },
		func() error { r.x.a.crash("compared"); return nil },
		func() error { return r.swap(ctx, l) },
	)
	if ctx.Err() != nil {
		var cancel func()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), program.DefaultTimeout)
		defer cancel()
	}
	if gone := d.unmake(ctx, m); gone != nil {
		return errors.Join(err, gone) // the remainder is recorded
	}
	return errors.Join(err, d.x.forgetMade())
}

// myUnlock lets a definer log in, with a password of this run, to its own database and the scratch ones.
func (d *database) myUnlock(ctx context.Context, l login, name, scratch string) error {
	who := d.ident(l.name) + myHost
	sql := myMode + "CREATE USER IF NOT EXISTS " + who + " " + d.myIdentified(l) + " ACCOUNT LOCK;\n" + "ALTER USER " + who + " " + d.myIdentified(l) + " ACCOUNT UNLOCK;\n"
	for _, on := range []string{name, scratch, goneName(scratch)} {
		sql += "GRANT ALL PRIVILEGES ON " + d.myWithin(on) + " TO " + who + ";\n"
	}
	_, err := d.ask(ctx, "", sql)
	return err
}

// myLock undoes myUnlock, except for the rights on the definer's own database. It can be repeated.
func (d *database) myLock(ctx context.Context, name, scratch string) error {
	who := d.ident(name) + myHost
	exists := "EXISTS (SELECT 1 FROM mysql.user WHERE User = " + d.text(name) + " AND Host = 'localhost')"
	when := func(condition, statement string) string {
		return "SET @hostler = IF(" + condition + ", '" + strings.ReplaceAll(statement, "'", "''") + "', 'DO 0');\nPREPARE hostler FROM @hostler;\nEXECUTE hostler;\n"
	}
	sql := myMode + when(exists, "ALTER USER "+who+" "+d.myIdentified(login{name: name, password: randomHex(24)})+" ACCOUNT LOCK")
	for _, on := range []string{scratch, goneName(scratch)} {
		pattern := strings.NewReplacer("_", `\_`, "%", `\%`).Replace(on)
		sql += when("EXISTS (SELECT 1 FROM mysql.db WHERE User = "+d.text(name)+" AND Host = 'localhost' AND Db = "+d.text(pattern)+")",
			"REVOKE ALL PRIVILEGES ON "+d.myWithin(on)+" FROM "+who)
	}
	if _, err := d.ask(ctx, "", sql); err != nil {
		return err
	}
	return inOrder(func() error { return d.myEnd(ctx, name) }, func() error { return d.drop(ctx, goneName(scratch)) })
}

// goneName returns the database that replaced tables are moved to.
func goneName(scratch string) string { return scratch + "_o" }
