package agent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
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
func (d *database) myDumper(ctx context.Context, name string, more ...string) ([]string, error) {
	argv := []string{
		"mariadb-dump", "--no-defaults", "--protocol=socket", "--user=" + name, "--single-transaction", "--quick",
		"--hex-blob", "--no-tablespaces", "--default-character-set=utf8mb4", myPacketOption,
	}
	if d.engine == wire.EngineMySQL {
		argv[0] = "mysqldump"
		argv = append(argv, "--column-statistics=0", "--set-gtid-purged=OFF")
		masks, err := d.mySince(ctx, 9, 7)
		if err != nil {
			return nil, err
		}
		if masks { // policies that mask columns: they are the engine's, not a database's, and the account of a run can't read them
			argv = append(argv, "--skip-masking-policies")
		}
	}
	return append(argv, more...), nil
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

// myMode fixes the meaning of quotes, whatever the server's mode. myReads is for sessions that open tables: in myMode, MySQL can't read the expressions
// that it keeps of them itself, with backslashes.
const (
	myMode  = "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES';\n"
	myReads = "SET SESSION sql_mode = '';\n"
)

// myLogin creates the account of a run with privileges on one database, and others.
func (d *database) myLogin(ctx context.Context, l login, privileges, on string, more ...string) error {
	if err := d.mySweep(ctx); err != nil {
		return err
	}
	sql := myMode + "CREATE USER " + d.ident(l.name) + myHost + " " + d.myIdentified(l) + ";\nGRANT " + privileges + " ON " + d.myWithin(on) +
		" TO " + d.ident(l.name) + myHost + ";\n"
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
// reader. Tables and views that the engine can't open are left out, like those that are known to be bad, and listed.
func (d *database) myDump(ctx context.Context, name string, bad []wire.ReportLeft, out func(io.Reader) error) (dumpFacts, error) {
	f, err := d.myFacts(ctx, name)
	if err != nil {
		return f, err
	}
	sources, err := d.mySources(ctx, name)
	if err != nil {
		return f, err
	}
	if err := out(strings.NewReader(f.first)); err != nil {
		return f, err
	}
	err = d.with(ctx, made{}, func(l login) error { return d.myLogin(ctx, l, "EVENT", name, sources) }, func(l login) error {
		argv, err := d.myDumper(ctx, l.name, "--routines", "--no-data", "--no-create-info", "--skip-triggers", "--skip-events",
			"--skip-lock-tables", "--", name)
		if err != nil {
			return err
		}
		return d.pipe(ctx, d.as(l), argv, nil, out)
	})
	if err != nil {
		return f, err
	}
	return f, d.with(ctx, made{}, func(l login) error {
		return d.myLogin(ctx, l, "SELECT, LOCK TABLES, SHOW VIEW, TRIGGER, EVENT, EXECUTE", name)
	}, func(l login) error {
		closed, err := d.myClosed(ctx, l, name)
		if err != nil {
			return err
		}
		endless, err := d.myEndless(ctx, name)
		if err != nil {
			return err
		}
		more := []string{"--triggers"}
		if len(endless) == 0 {
			more = append(more, "--events")
		}
		for _, left := range slices.Concat(bad, closed) {
			more = append(more, "--ignore-table="+name+"."+left.Name)
		}
		f.left = append(closed, endless...)
		argv, err := d.myDumper(ctx, l.name, append(more, "--", name)...)
		if err != nil {
			return err
		}
		return d.pipe(ctx, d.as(l), argv, nil, out)
	})
}

// dumpFacts is what a dump contains beyond its text.
type dumpFacts struct {
	left  []wire.ReportLeft
	first string // precedes the text of the dump program
	about string // what else determines how the dump is restored
}

// collation is a character set's or a collation's name.
var collation = regexp.MustCompile(`^[0-9A-Za-z_]+$`)

// myFacts asks what mariadb-dump and mysqldump say nothing about: a database's own character set and collation, which its next tables get, and
// whether the engine creates tables whose options it does not know.
func (d *database) myFacts(ctx context.Context, name string) (dumpFacts, error) {
	out, err := d.ask(ctx, "", "SELECT default_character_set_name, default_collation_name, @@GLOBAL.innodb_strict_mode, VERSION(), @@GLOBAL.sql_mode"+
		" FROM information_schema.schemata WHERE schema_name = "+d.text(name)+";\n")
	if err != nil {
		return dumpFacts{}, err
	}
	f := strings.Split(strings.TrimRight(out, "\n"), "\t")
	if len(f) != 5 {
		return dumpFacts{}, fmt.Errorf("there is no database %s", name)
	}
	if !collation.MatchString(f[0]) || !collation.MatchString(f[1]) {
		return dumpFacts{}, errListing
	}
	first := "ALTER DATABASE CHARACTER SET " + f[0] + " COLLATE " + f[1] + ";\n"
	if f[2] == "0" && d.engine == wire.EngineMariaDB { // MySQL's requires a privilege
		first += "SET SESSION innodb_strict_mode = 0;\n"
	}
	return dumpFacts{first: first, about: strings.Join(f[2:], "\t")}, nil
}

// myClosed lists the tables and views that the engine can't open for an account: a view over a table that was dropped, a table whose file is gone.
// One of them would end the dump of all.
func (d *database) myClosed(ctx context.Context, l login, name string) ([]wire.ReportLeft, error) {
	objects, err := d.myObjects(ctx, name)
	if err != nil || len(objects) == 0 {
		return nil, err
	}
	mark := randomHex(8)
	var sql strings.Builder
	sql.WriteString(myReads)
	for i, o := range objects {
		fmt.Fprintf(&sql, "SELECT '%s', %d;\nSET @hostler = %s;\nPREPARE hostler FROM @hostler;\nSHOW ERRORS LIMIT 1;\n", mark, i,
			d.text("SELECT 1 FROM "+d.ident(o.Name)))
	}
	fmt.Fprintf(&sql, "SELECT '%s', %d;\n", mark, len(objects))
	out, err := d.answer(ctx, d.as(l), append(d.myClient(l.name), "--force", "--", name), sql.String())
	var exit *stepError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	var closed []wire.ReportLeft
	at := -1
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		switch {
		case f[0] == mark:
			at++
		case f[0] == "Error" && len(f) == 3 && at >= 0 && at < len(objects):
			left := objects[at]
			left.Reason = "the engine can't open it"
			if left.Kind == "view" {
				left.Reason = "it refers to something that does not exist, or to something that its definer can't use"
			}
			if _, err := strconv.Atoi(f[1]); err == nil {
				left.Reason += " (error " + f[1] + ")"
			}
			closed = append(closed, left)
		}
	}
	if at != len(objects) {
		return nil, errors.Join(err, errListing)
	}
	return closed, nil
}

// myEndless lists the events of a database if one of them has two semicolons in a row, at which mariadb-dump and mysqldump loop forever: the search for
// a delimiter that the text does not have never gets to the next one. They can't leave out one event.
func (d *database) myEndless(ctx context.Context, name string) ([]wire.ReportLeft, error) {
	out, err := d.ask(ctx, "", "SELECT HEX(event_name), CONCAT(event_name, event_definition, event_comment) LIKE '%;;%' FROM information_schema.events"+
		" WHERE event_schema = "+d.text(name)+" ORDER BY 2 DESC, event_name;\n")
	if err != nil {
		return nil, err
	}
	var list []wire.ReportLeft
	for line := range strings.Lines(out) {
		raw, endless, _ := strings.Cut(strings.TrimSpace(line), "\t")
		event, err := hex.DecodeString(raw)
		if err != nil {
			return nil, errListing
		}
		left := wire.ReportLeft{Kind: "event", Name: string(event), Reason: "the dump program never ends at an event with two semicolons in a row"}
		if endless != "1" {
			if len(list) == 0 {
				return nil, nil
			}
			left.Reason = "the dump program would never end at the event " + list[0].Name
		}
		list = append(list, left)
	}
	return list, nil
}

// myObjects lists the tables and views of a database.
func (d *database) myObjects(ctx context.Context, name string) ([]wire.ReportLeft, error) {
	out, err := d.ask(ctx, "", "SELECT IF(table_type LIKE '%VIEW', 'view', 'table'), HEX(table_name) FROM information_schema.tables WHERE table_schema = "+
		d.text(name)+" ORDER BY table_name;\n")
	if err != nil {
		return nil, err
	}
	var list []wire.ReportLeft
	for line := range strings.Lines(out) {
		kind, raw, _ := strings.Cut(strings.TrimSpace(line), "\t")
		object, err := hex.DecodeString(raw)
		if err != nil {
			return nil, errListing
		}
		list = append(list, wire.ReportLeft{Kind: kind, Name: string(object)})
	}
	return list, nil
}

// mySources returns the privilege to read the source of routines: of one database if the engine supports that (MariaDB 11.3), else of all.
func (d *database) mySources(ctx context.Context, name string) (string, error) {
	if d.engine == wire.EngineMySQL {
		return "SHOW_ROUTINE ON *.*", nil // MySQL 8.0.20
	}
	at, err := d.mySince(ctx, 11, 3)
	if err != nil || !at {
		return "SELECT ON mysql.proc", err
	}
	return "SHOW CREATE ROUTINE ON " + d.myWithin(name), nil
}

// mySince reports whether the engine has this version or a newer one.
func (d *database) mySince(ctx context.Context, major, minor int) (bool, error) {
	out, err := d.ask(ctx, "", "SELECT VERSION();\n")
	if err != nil {
		return false, err
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(out), ".")
	second, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(first)
	b, _ := strconv.Atoi(second)
	return a > major || a == major && b >= minor, nil
}

// myFill loads a dump into a database as an account, which becomes the definer of everything that has one.
func (r *restoration) myFill(ctx context.Context, l login, name string) error {
	return r.d.pipe(ctx, r.d.as(l), append(r.d.myClient(l.name), myPacketOption, "--", name), func(w io.Writer) error {
		// Rows that their own table would not take any more are rows all the same. Only MariaDB knows how to say so, and reads this comment.
		if _, err := io.WriteString(w, "SET @hostler = 1 /*M!100201 , SESSION check_constraint_checks = 0 */;\n"); err != nil {
			return err
		}
		definers := archive.NewDefiners(w)
		definers.Strict = r.older()
		if err := r.unpack(ctx, definers); err != nil {
			return err
		}
		return definers.Close()
	}, discard)
}

// myTables counts as an account of a run. Names are the engine's own, in hexadecimal, and quoted by the engine.
func (d *database) myTables(ctx context.Context, l login, name string) (map[string]archive.Table, error) {
	ask := func(sql string) (string, error) {
		return d.answer(ctx, d.as(l), append(d.myClient(l.name), "--", name), myReads+sql)
	}
	// The columns are listed once: asked for by table, the engine lists those of all tables for each. By its collation, Users and users would be one table.
	out, err := ask("SELECT HEX(t.table_name), c.n FROM (SELECT HEX(table_name) AS h, COUNT(*) AS n FROM information_schema.columns WHERE table_schema = " +
		"" + d.text(name) +
		" GROUP BY h) c JOIN information_schema.tables t ON HEX(t.table_name) = c.h WHERE t.table_schema = " + d.text(name) +
		" AND t.table_type NOT LIKE '%VIEW';\n")
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
		fmt.Fprintf(&sql, "SET @hostler = CONCAT('SELECT %d, COUNT(*) FROM `', REPLACE(%s, '`', '``'), '`');\nPREPARE hostler FROM @hostler;\nEXECUTE "+
			"hostler;\n", len(names), d.text(string(table)))
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

// maxPacket is the largest statement or row that MariaDB and MySQL can be set to accept, and myPacketOption sets it in their programs.
const (
	maxPacket      = 1 << 30
	myPacketOption = "--max-allowed-packet=1073741824"
)

// packetSlack is what a session needs beyond the longest statement.
const packetSlack = 1 << 20

// myPacket returns the engine's limit for a statement if it is less than the dump needs, else 0. A binary row is twice as long in a
// dump, so a row that fits may be in a statement that does not.
func (r *restoration) myPacket(ctx context.Context) (int64, error) {
	need := r.counter.Largest + packetSlack
	if r.counter.Largest > maxPacket {
		return 0, fmt.Errorf("the dump has a statement of %d MiB, and %s accepts %d MiB at most", r.counter.Largest>>20, r.d.people(), maxPacket>>20)
	}
	limit, err := sizeIn(r.d.ask(ctx, "", "SELECT @@GLOBAL.max_allowed_packet;\n"))
	if err != nil || limit >= min(need, maxPacket) {
		return 0, err
	}
	return limit, nil
}

// mySetPacket sets the engine's limit for a statement in sessions that begin from now on.
func (d *database) mySetPacket(ctx context.Context, size int64) error {
	_, err := d.ask(ctx, "", "SET GLOBAL max_allowed_packet = "+strconv.FormatInt(size, 10)+";\n")
	return err
}

// myRoom creates the scratch database for a dump and lets the account of the run fill it. The account has no right on any other database: what a dump
// names by mistake is refused.
func (r *restoration) myRoom(ctx context.Context, l login, name string, packet int64) error {
	return inOrder(
		func() error { return r.d.myScratch(ctx, name) },
		func() error { return r.d.myLogin(ctx, l, "ALL PRIVILEGES", name) },
		func() error { // with a binary log, triggers and functions are otherwise an administrator's
			_, err := r.d.ask(ctx, "", "SET GLOBAL log_bin_trust_function_creators = ON;\n")
			return err
		},
		func() error {
			if packet == 0 {
				return nil
			}
			return r.d.mySetPacket(ctx, min((r.counter.Largest+packetSlack)/1024*1024+1024, maxPacket))
		},
	)
}

// myProve restores into a separate database and compares.
func (r *restoration) myProve(ctx context.Context) error {
	d, name := r.d, r.r.Store.Database
	packet, err := r.myPacket(ctx)
	if err != nil {
		return err
	}
	return d.with(ctx, made{Database: name, Packet: packet}, func(l login) error { return r.myRoom(ctx, l, name, packet) }, func(l login) error {
		if err := r.myFill(ctx, l, name); err != nil {
			return err
		}
		return r.compared(d.myTables(ctx, l, name))
	})
}

// myReplace restores into a scratch database, compares, and replaces the other with it: neither engine can rename databases, or
// has transactions for tables. The scratch database is filled by an account that has no right on the other. What replaces the other
// is created by that database's definer, which stays, locked, when the run is over: objects with a definer's rights need one that exists.
func (r *restoration) myReplace(ctx context.Context) error {
	d, name, scratch := r.d, r.r.Store.Database, r.r.Scratch
	packet, err := r.myPacket(ctx)
	if err != nil {
		return err
	}
	definer := login{name: dbaccount.Definer(name), password: randomHex(24)}
	m := made{Database: scratch, Definer: definer.name, Packet: packet}
	return d.with(ctx, m, func(l login) error { return r.myRoom(ctx, l, scratch, packet) }, func(l login) error {
		var after contents
		var code []byte
		return inOrder(
			func() error { return r.myFill(ctx, l, scratch) },
			func() error { return r.compared(d.myTables(ctx, l, scratch)) },
			func() (err error) { after, err = d.contents(ctx, l, scratch); return err },
			func() (err error) { code, err = d.code(ctx, l, scratch, after.views); return err },
			func() error { return d.myUnlock(ctx, definer, name, scratch) },
			func() error { r.x.a.crash("compared"); return nil },
			func() error { return r.swap(ctx, definer, after, code) },
		)
	})
}

// myUnlock lets a definer log in, with a password of this run, to its own database and the scratch ones.
func (d *database) myUnlock(ctx context.Context, l login, name, scratch string) error {
	who := d.ident(l.name) + myHost
	sql := myMode + "CREATE USER IF NOT EXISTS " + who + " " + d.myIdentified(l) + " ACCOUNT LOCK;\n" + "ALTER USER " + who + " " + d.myIdentified(l) +
		" ACCOUNT UNLOCK;\n"
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
