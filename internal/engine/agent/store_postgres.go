package agent

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// pgAddress is the address of the server, and its version.
type pgAddress struct {
	socket  string
	port    uint16
	version int
}

// pgPlace describes a database for an account of a run.
type pgPlace struct {
	pgAddress
	owner string
	// mighty is set if the owner has more rights than owning databases, so nothing is run as it.
	mighty bool
}

// pgMighty is true for a role that is an administrator, can act as one, or has rights on the machine or over accounts that no tenant has.
const pgMighty = `EXISTS (SELECT FROM pg_roles m WHERE (m.rolsuper OR m.rolcreaterole OR m.rolreplication OR m.rolname IN
 ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files', 'pg_read_all_data', 'pg_write_all_data')) AND pg_has_role(%s, m.oid, 'MEMBER'))`

// pgLook finds a database, or with an empty name the server.
func (d *database) pgLook(ctx context.Context, name string) (pgPlace, error) {
	if name == "" {
		name = "template1"
	}
	out, err := d.ask(ctx, "",
		"SELECT current_setting('server_version_num'), current_setting('port'), encode(convert_to(current_setting('unix_socket_directories'), 'UTF8'), 'hex'),"+
			" encode(convert_to(pg_get_userbyid(datdba), 'UTF8'), 'hex'), "+fmt.Sprintf(pgMighty, "datdba")+" FROM pg_database WHERE datname = "+d.text(name)+";\n")
	if err != nil {
		return pgPlace{}, err
	}
	f := strings.Split(strings.TrimSpace(out), "\t")
	if len(f) != 5 {
		return pgPlace{}, fmt.Errorf("there is no database %s", name)
	}
	version, err := strconv.Atoi(f[0])
	port, perr := strconv.ParseUint(f[1], 10, 16)
	sockets, serr := hex.DecodeString(f[2])
	owner, oerr := hex.DecodeString(f[3])
	if err := errors.Join(err, perr, serr, oerr); err != nil {
		return pgPlace{}, fmt.Errorf("the engine says of %s: %w", name, err)
	}
	socket, _, _ := strings.Cut(string(sockets), ",")
	return pgPlace{pgAddress{strings.TrimSpace(socket), uint16(port), version}, string(owner), f[4] == "t"}, nil
}

// pgLogin creates the account of a run. It allows one connection at a time, until the run's deadline. It sees all rows of what it
// can read, whatever a table's policies, as a dump and a comparison must.
func (d *database) pgLogin(ctx context.Context, l login) error {
	if err := d.pgSweep(ctx); err != nil {
		return err
	}
	_, err := d.ask(ctx, "",
		fmt.Sprintf("CREATE ROLE %s NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION INHERIT LOGIN BYPASSRLS CONNECTION LIMIT 1 PASSWORD '%s' VALID UNTIL '%s';\n",
			d.ident(l.name), dbaccount.Scram(l.password, dbaccount.Salt()), d.x.until.UTC().Format("2006-01-02 15:04:05+00")))
	return err
}

// pgLetIn gives the account of a run access to a database, as a member of its owner unless that is an administrator.
func (d *database) pgLetIn(ctx context.Context, l login, name string, place pgPlace) error {
	member := ""
	if !place.mighty {
		member = "EXECUTE format('GRANT %I TO %I', " + d.text(place.owner) + ", " + d.text(l.name) + ");"
	}
	_, err := d.ask(ctx, "", `DO $hostler$ BEGIN
`+member+`
IF NOT has_database_privilege(`+d.text(l.name)+`, `+d.text(name)+`, 'CONNECT') THEN
	EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', `+d.text(name)+`, `+d.text(l.name)+`); END IF;
END $hostler$;
`)
	return err
}

// pgMayRead lets the account of a run read what is not the owner's: an account may have created its own tables. Names come from
// the catalogue and are quoted by the engine; only read access is granted, and the account is dropped with it.
func (d *database) pgMayRead(ctx context.Context, l login, name string) error {
	_, err := d.ask(ctx, name, `DO $hostler$ DECLARE r record; who name := `+d.text(l.name)+`; BEGIN
FOR r IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema' AND NOT has_schema_privilege(who, oid, 'USAGE')
LOOP
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', r.nspname, who);
END LOOP;
FOR r IN SELECT n.nspname, c.relname, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'S', 'm', 'v', 'f') AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
    	AND NOT has_table_privilege(who, c.oid, 'SELECT') LOOP
  BEGIN
    EXECUTE format('GRANT SELECT ON %s %I.%I TO %I', r.kind, r.nspname, r.relname, who);
  EXCEPTION WHEN undefined_table OR invalid_schema_name THEN NULL; -- dropped since
  END;
END LOOP;
FOR r IN SELECT oid FROM pg_largeobject_metadata WHERE NOT pg_has_role(who, lomowner, 'USAGE') LOOP
  EXECUTE format('GRANT SELECT ON LARGE OBJECT %s TO %I', r.oid, who);
END LOOP;
END $hostler$;
`)
	return err
}

// pgDropLogin ends the sessions of an account that a run created, and drops it with its objects and rights. What a dump creates
// as the owner is the owner's; only malicious text creates anything as the account itself.
func (d *database) pgDropLogin(ctx context.Context, name string) error {
	who := d.text(name)
	out, err := d.ask(ctx, "", `DO $hostler$ BEGIN
IF EXISTS (SELECT FROM pg_roles WHERE rolname = `+who+`) THEN
  EXECUTE format('ALTER ROLE %I NOLOGIN', `+who+`);
  FOR i IN 1..100 LOOP
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = `+who+`;
    EXIT WHEN NOT FOUND;
    PERFORM pg_sleep(0.05);
    PERFORM pg_stat_clear_snapshot();
  END LOOP;
END IF;
END $hostler$;
SELECT DISTINCT encode(convert_to(b.datname, 'UTF8'), 'hex') FROM pg_shdepend s JOIN pg_database b ON b.oid = s.dbid
 WHERE s.refclassid = 'pg_authid'::regclass AND s.refobjid = (SELECT oid FROM pg_roles WHERE rolname = `+who+`) AND b.datallowconn;
`)
	if err != nil {
		return err
	}
	own := func(then string) string {
		return `DO $hostler$ BEGIN
IF EXISTS (SELECT FROM pg_roles WHERE rolname = ` + who + `) THEN EXECUTE format('DROP OWNED BY %I CASCADE', ` + who + `);` + then + ` END IF;
END $hostler$;
`
	}
	for line := range strings.Lines(out) {
		in, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			return errListing
		}
		if _, err := d.ask(ctx, string(in), own("")); err != nil {
			return err
		}
	}
	_, err = d.ask(ctx, "", own(" EXECUTE format('DROP ROLE %I', "+who+");"))
	return err
}

// pgSweep drops leftover accounts of runs that are over.
func (d *database) pgSweep(ctx context.Context) error {
	out, err := d.ask(ctx, "",
		"SELECT encode(convert_to(rolname, 'UTF8'), 'hex') FROM pg_roles WHERE rolname LIKE "+d.text(strings.ReplaceAll(dbaccount.RunPrefix, "_", `\_`)+"%")+";\n")
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		if name, err := hex.DecodeString(strings.TrimSpace(line)); err == nil && overdue(string(name)) {
			if err := d.pgDropLogin(ctx, string(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// pgDump dumps a database as an account that can read it, without the rows of tables that are known to be bad.
func (d *database) pgDump(ctx context.Context, name string, bad []wire.ReportLeft, out func(io.Reader) error) (dumpFacts, error) {
	place, err := d.pgLook(ctx, name)
	if err != nil {
		return dumpFacts{}, err
	}
	f, err := d.pgFacts(ctx, name)
	if err != nil {
		return f, err
	}
	if err := out(strings.NewReader(f.first)); err != nil {
		return f, err
	}
	return f, d.with(ctx, made{}, func(l login) error {
		return inOrder(func() error { return d.pgLogin(ctx, l) }, func() error { return d.pgLetIn(ctx, l, name, place) },
			func() error { return d.pgMayRead(ctx, l, name) })
	}, func(l login) error {
		argv := append([]string{d.pgProgram("pg_dump", place.version)}, pgDumpArgs...)
		for _, left := range bad {
			schema, table, _ := strings.Cut(left.Name, "\x00")
			argv = append(argv, "--exclude-table-data="+d.ident(schema)+"."+d.ident(table))
		}
		return d.pipe(ctx, d.asStranger(map[string]string{
			"PGHOST":     place.socket,
			"PGPORT":     strconv.Itoa(int(place.port)),
			"PGUSER":     l.name,
			"PGPASSWORD": l.password,
			"PGOPTIONS":  dbaccount.PostgresOptions,
		}), append(argv, conninfo(name)), nil, out)
	})
}

// pgFacts asks what pg_dump says nothing about unless it also creates the database: settings that the database makes for its sessions, its encoding and
// its order of text. A dump begins with a statement that makes the settings in whatever database it is loaded into. Those that only an administrator
// can make are left out there; settings for one account of this database are not in a dump, like accounts.
func (d *database) pgFacts(ctx context.Context, name string) (dumpFacts, error) {
	out, err := d.ask(ctx, "", "SELECT current_setting('server_version'), pg_encoding_to_char(encoding), datcollate, datctype, to_jsonb(b) ->> 'datlocprovider',"+
		" coalesce(to_jsonb(b) ->> 'daticulocale', to_jsonb(b) ->> 'datlocale') FROM pg_database b WHERE datname = "+d.text(name)+
		";\nSELECT encode(convert_to(c, 'UTF8'), 'hex') FROM pg_db_role_setting s JOIN pg_database b ON b.oid = s.setdatabase, unnest(s.setconfig) c"+
		" WHERE s.setrole = 0 AND b.datname = "+d.text(name)+" ORDER BY c;\n")
	if err != nil {
		return dumpFacts{}, err
	}
	about, settings, _ := strings.Cut(out, "\n")
	var set strings.Builder
	for line := range strings.Lines(settings) {
		raw, err := hex.DecodeString(strings.TrimSpace(line))
		setting, value, ok := strings.Cut(string(raw), "=")
		if err != nil || !ok {
			return dumpFacts{}, errListing
		}
		fmt.Fprintf(&set, pgSetting, d.text(setting), d.text(value))
	}
	f := strings.Split(about, "\t")
	if len(f) != 6 {
		return dumpFacts{}, errListing
	}
	has, err := d.pgExtensions(ctx, name)
	if err != nil {
		return dumpFacts{}, err
	}
	locale, err := json.Marshal(pgLocale{Encoding: f[1], Collate: f[2], Ctype: f[3], Provider: f[4], Locale: f[5], Extensions: has})
	if err != nil {
		return dumpFacts{}, err
	}
	first := archive.FactsLine + string(locale) + "\n"
	return dumpFacts{first: first + fmt.Sprintf(pgSettings, set.String()), about: about}, nil
}

// pgSettings makes the database that it runs in have the settings of a dump, as the database's owner, and pgSetting one of them. set_config takes a
// value as the catalogue has it, whatever the setting's syntax.
const (
	pgSettings = `DO $hostler$ DECLARE setting text; BEGIN
EXECUTE pg_catalog.format('ALTER DATABASE %%I RESET ALL', pg_catalog.current_database());
%sEND $hostler$;
`
	pgSetting = `setting := %s;
BEGIN
  PERFORM pg_catalog.set_config(setting, %s, false);
  EXECUTE pg_catalog.format('ALTER DATABASE %%I SET %%I FROM CURRENT', pg_catalog.current_database(), setting);
  EXECUTE pg_catalog.format('RESET %%I', setting);
EXCEPTION WHEN OTHERS THEN RAISE WARNING 'the setting %% of the database was not made: %%', setting, SQLERRM;
END;
`
)

// pgExtensions returns the extensions of a database that Hostler creates.
func (d *database) pgExtensions(ctx context.Context, name string) ([]string, error) {
	out, err := d.ask(ctx, name, "SELECT encode(convert_to(extname, 'UTF8'), 'hex') FROM pg_extension ORDER BY extname;\n")
	if err != nil {
		return nil, err
	}
	var has []string
	for line := range strings.Lines(out) {
		raw, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			return nil, errListing
		}
		if _, ok := dbaccount.Extension(string(raw)); ok {
			has = append(has, string(raw))
		}
	}
	return has, nil
}

// pgExtend creates extensions of a dump as the administrator where its own statements could not, in a database that nothing was
// restored into yet.
func (d *database) pgExtend(ctx context.Context, name string, facts []byte) error {
	var of pgLocale
	if json.Unmarshal(facts, &of) != nil { // of a version that did not say
		return nil
	}
	for _, extension := range of.Extensions {
		if _, ok := dbaccount.Extension(extension); !ok {
			continue
		}
		// One that the server does not have fails where the dump asks for it.
		if _, err := d.ask(ctx, name, `DO $hostler$ BEGIN
IF EXISTS (SELECT FROM pg_available_extensions x JOIN pg_available_extension_versions v ON v.name = x.name AND v.version = x.default_version
    WHERE x.name = `+d.text(extension)+` AND NOT v.trusted) THEN
  CREATE EXTENSION `+d.ident(extension)+` SCHEMA public;
END IF;
END $hostler$;
`); err != nil {
			return err
		}
	}
	return nil
}

// pgMayConfigure lets a role write to the tables of an administrator's extensions whose rows are in dumps.
func (d *database) pgMayConfigure(ctx context.Context, name, who string) error {
	_, err := d.ask(ctx, name, `DO $hostler$ DECLARE r record; BEGIN
FOR r IN SELECT c.oid::regclass AS name FROM pg_extension e JOIN pg_class c ON c.oid = ANY (e.extconfig)
    WHERE c.relkind = 'r' AND NOT pg_has_role(`+d.text(who)+`, e.extowner, 'MEMBER') LOOP
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', r.name, `+d.text(who)+`);
END LOOP;
END $hostler$;
`)
	return err
}

// pgLocale is how a database stores and sorts text, and which extensions of Hostler's list it has.
type pgLocale struct {
	Encoding string `json:"encoding"`
	Collate  string `json:"collate"`
	Ctype    string `json:"ctype"`
	Provider string `json:"provider,omitempty"`
	Locale   string `json:"locale,omitempty"`

	Extensions []string `json:"extensions,omitempty"`
}

// options returns the options of CREATE DATABASE. Names come from a dump and are quoted.
func (l pgLocale) options() string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	out := " ENCODING " + quote(l.Encoding) + " LC_COLLATE " + quote(l.Collate) + " LC_CTYPE " + quote(l.Ctype)
	switch {
	case l.Provider == "i" && l.Locale != "":
		out += " LOCALE_PROVIDER icu ICU_LOCALE " + quote(l.Locale)
	case l.Provider == "b" && l.Locale != "":
		out += " LOCALE_PROVIDER builtin BUILTIN_LOCALE " + quote(l.Locale)
	case l.Provider == "c":
		out += " LOCALE_PROVIDER libc"
	}
	return out
}

// pgObjects lists the tables of a database by schema and name.
func (d *database) pgObjects(ctx context.Context, name string) ([]wire.ReportLeft, error) {
	out, err := d.ask(ctx, name, "SELECT encode(convert_to(n.nspname, 'UTF8'), 'hex'), encode(convert_to(c.relname, 'UTF8'), 'hex') FROM pg_class c"+
		" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND"+
		" n.nspname <> 'information_schema' ORDER BY 1, 2;\n")
	if err != nil {
		return nil, err
	}
	var list []wire.ReportLeft
	for line := range strings.Lines(out) {
		schema, table, _ := strings.Cut(strings.TrimSpace(line), "\t")
		s, err := hex.DecodeString(schema)
		t, terr := hex.DecodeString(table)
		if err != nil || terr != nil {
			return nil, errListing
		}
		list = append(list, wire.ReportLeft{Kind: "table", Name: string(s) + "\x00" + string(t)})
	}
	return list, nil
}

var pgDumpArgs = []string{"--format=plain", "--encoding=UTF8", "--no-owner", "--no-privileges", "--no-password"}

// pgProgram returns the server's own version of a program: Debian's wrapper of that name reads files of the account that it runs as.
func (d *database) pgProgram(name string, version int) string {
	path := fmt.Sprintf("/usr/lib/postgresql/%d/bin/%s", version/10000, name)
	if _, err := os.Stat(d.x.a.host(path)); err != nil {
		return name
	}
	return path
}

// asStranger returns the identity for the client of a run's account on the machine.
func (d *database) asStranger(env map[string]string) identity {
	return func() (*syscall.Credential, map[string]string, error) {
		cred, is, err := d.x.a.stranger()
		for k, v := range env {
			if is == nil {
				break
			}
			is[k] = v
		}
		return cred, is, err
	}
}

// pgProve restores into a separate database, whose owner is the account of the run, and compares.
func (r *restoration) pgProve(ctx context.Context) error {
	d, name := r.d, r.r.Store.Database
	place, err := d.pgLook(ctx, "")
	if err != nil {
		return err
	}
	return d.with(ctx, made{Database: name}, func(l login) error {
		// drops the remains of a try whose host died
		if err := inOrder(func() error { return d.drop(ctx, name) }, func() error { return d.pgLogin(ctx, l) }); err != nil {
			return err
		}
		err := d.pgCreate(ctx, name, l.name, r.counter.Facts)
		if err == nil && place.version < 150000 { // since 15 it is the database's owner's
			_, err = d.ask(ctx, name, "ALTER SCHEMA public OWNER TO "+d.ident(l.name)+";\n")
		}
		return inOrder(func() error { return err }, func() error { return d.pgExtend(ctx, name, r.counter.Facts) },
			func() error { return d.pgMayConfigure(ctx, name, l.name) })
	}, func(l login) error {
		s, err := pgConnect(ctx, place.pgAddress, l, name, "")
		if err != nil {
			return err
		}
		defer s.Close()
		if err := r.pgLoad(ctx, s); err != nil {
			return err
		}
		return r.compared(s.tables())
	})
}

// pgCreate creates a database that stores and sorts text like the one of a dump, where this server can; else one in UTF-8.
func (d *database) pgCreate(ctx context.Context, name, owner string, facts []byte) error {
	create := func(options string) error {
		_, err := d.ask(ctx, "", "CREATE DATABASE "+d.ident(name)+" OWNER "+d.ident(owner)+" TEMPLATE template0"+options+
			";\nREVOKE ALL ON DATABASE "+d.ident(name)+" FROM PUBLIC;\n")
		return err
	}
	var locale pgLocale
	if json.Unmarshal(facts, &locale) == nil && create(locale.options()) == nil {
		return nil
	}
	return create(" ENCODING 'UTF8'")
}

func (r *restoration) pgLoad(ctx context.Context, s *pgSession) error {
	err := s.load(r.r.Over, func(view string, err error) {
		var q *quote
		text := "The materialized view " + view + " is empty, since its query fails"
		if errors.As(err, &q) {
			text += ": " + strings.TrimSpace(q.text)
		}
		r.x.log.Emit(wire.Event{Kind: wire.EventOutput, Index: 1, Step: stepFill, Text: text + "\n"})
	}, func(script *archive.Script) error { return r.unpack(ctx, script) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// pgReplace empties a database and fills it again in one transaction, as its owner: an interruption leaves the database as it was.
func (r *restoration) pgReplace(ctx context.Context) error {
	d, name := r.d, r.r.Store.Database
	place, err := d.pgLook(ctx, name)
	if err != nil {
		return err
	}
	if place.mighty {
		return fmt.Errorf("the database %s belongs to %s, an administrator of PostgreSQL, and nothing of a backup is run as one: restore to another name, "+
			"or give the database an owner of its own first (ALTER DATABASE ... OWNER TO ...)", name, place.owner)
	}
	return d.with(ctx, made{}, func(l login) error {
		return inOrder(func() error { return d.pgLogin(ctx, l) }, func() error { return d.pgLetIn(ctx, l, name, place) },
			func() error { return d.pgHandOver(ctx, name, place.owner) }, func() error { return d.pgMayConfigure(ctx, name, place.owner) })
	}, func(l login) error {
		s, err := pgConnect(ctx, place.pgAddress, l, name, place.owner)
		if err != nil {
			return err
		}
		defer s.Close()
		if _, err := s.ask("BEGIN"); err != nil {
			return err
		}
		if _, err := s.ask(pgEmpty); err != nil {
			return fmt.Errorf("empty the database: %w", administrators(err))
		}
		if err := r.pgLoad(ctx, s); err != nil {
			return err
		}
		if err := r.compared(s.tables()); err != nil {
			return err
		}
		if t, err := s.ask("SELECT"); err != nil || !t.inside {
			return errors.Join(errors.New("the dump ended the transaction that it was restored in"), err)
		}
		r.x.a.crash("compared")
		_, err = s.ask("COMMIT")
		return err
	})
}

// administrators explains why a database's owner can't empty it.
func administrators(err error) error {
	var r *pgRefusal
	if !errors.As(err, &r) || r.code != insufficientPrivilege {
		return err
	}
	return &quote{
		reason: "the database has something of an administrator of PostgreSQL that its owner can't replace: its name is in the output. Restore to another name, or " +
			"give it to the owner first (ALTER SCHEMA ... OWNER TO ...)", text: r.text, err: err,
	}
}

// pgHandOver gives the schemas of a database to its owner, which is about to empty them: those of accounts that act as the owner
// anyway, and public if it is an administrator's, as before PostgreSQL 15.
func (d *database) pgHandOver(ctx context.Context, name, owner string) error {
	_, err := d.ask(ctx, name, `DO $hostler$ DECLARE r record; owner name := `+d.text(owner)+`; BEGIN
FOR r IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema'
    AND nspowner <> (SELECT oid FROM pg_roles WHERE rolname = owner)
    AND (nspname = 'public' AND `+fmt.Sprintf(pgMighty, "nspowner")+` OR NOT `+fmt.Sprintf(pgMighty,
		"nspowner")+` AND pg_has_role(nspowner, owner, 'MEMBER')) LOOP
  EXECUTE format('ALTER SCHEMA %I OWNER TO %I', r.nspname, owner);
END LOOP;
END $hostler$;
`)
	return err
}

// pgEmpty empties a database as its owner. Access to the schema public is preserved, and so are an administrator's extensions there,
// which the owner could not create again: everything else in the schema is dropped one by one, and what a dump has of their tables.
const pgEmpty = `SET LOCAL lock_timeout = '60s';
DO $hostler$
DECLARE r record; acl aclitem[]; kept boolean;
BEGIN
  SELECT EXISTS (SELECT FROM pg_extension WHERE extnamespace = n.oid AND NOT pg_has_role(extowner, 'USAGE')) INTO kept
    FROM pg_namespace n WHERE nspname = 'public';
  SELECT nspacl INTO acl FROM pg_namespace WHERE nspname = 'public';
  FOR r IN SELECT pubname FROM pg_publication WHERE pg_has_role(pubowner, 'USAGE') LOOP
    EXECUTE format('DROP PUBLICATION %I', r.pubname);
  END LOOP;
  FOR r IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema'
      AND NOT (nspname = 'public' AND kept) LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', r.nspname);
  END LOOP;
  IF kept THEN
    FOR r IN SELECT x.type, x.identity FROM pg_depend d, pg_identify_object(d.classid, d.objid, 0) x
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'public'::regnamespace AND d.deptype = 'n'
        AND NOT EXISTS (SELECT FROM pg_depend m WHERE m.classid = d.classid AND m.objid = d.objid AND m.deptype = 'e')
        AND NOT EXISTS (SELECT FROM pg_extension e WHERE d.classid = 'pg_extension'::regclass AND e.oid = d.objid
          AND NOT pg_has_role(e.extowner, 'USAGE')) LOOP
      CONTINUE WHEN r.identity IS NULL; -- dropped with another
      EXECUTE format('DROP %s IF EXISTS %s CASCADE',
        CASE r.type WHEN 'composite type' THEN 'type' WHEN 'statistics object' THEN 'statistics' ELSE r.type END, r.identity);
    END LOOP;
    FOR r IN SELECT c.oid::regclass AS name, e.extcondition[array_position(e.extconfig, c.oid)] AS rows FROM pg_extension e
        JOIN pg_class c ON c.oid = ANY (e.extconfig) WHERE c.relkind = 'r' AND NOT pg_has_role(e.extowner, 'USAGE') LOOP
      EXECUTE format('DELETE FROM %s %s', r.name, r.rows);
    END LOOP;
  END IF;
  PERFORM lo_unlink(oid) FROM pg_largeobject_metadata WHERE pg_has_role(lomowner, 'USAGE');
  IF kept THEN
    RETURN;
  END IF;
  CREATE SCHEMA public;
  COMMENT ON SCHEMA public IS 'standard public schema'; -- a dump says what is otherwise
  BEGIN
    ALTER SCHEMA public OWNER TO pg_database_owner; -- as PostgreSQL 15 and newer have it
  EXCEPTION WHEN undefined_object OR insufficient_privilege THEN NULL;
  END;
  FOR r IN SELECT privilege_type, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS who FROM aclexplode(acl)
      WHERE grantee = 0 OR EXISTS (SELECT FROM pg_roles WHERE oid = grantee) LOOP
    EXECUTE format('GRANT %s ON SCHEMA public TO %s', r.privilege_type, r.who);
  END LOOP;
END
$hostler$;
`
