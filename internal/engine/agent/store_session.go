package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
)

// pgSession is a connection to PostgreSQL as an account of a run. It speaks the protocol itself: psql would run its own commands
// from a dump, including a shell. It sends SQL or rows, whatever the text looks like, and the server decides which of the two
// comes next.
type pgSession struct {
	conn  net.Conn
	front *pgproto3.Frontend
	told  chan pgTold
	gone  chan struct{}
	stop  func() bool
}

// pgTold is the server's answer when it waits for something: rows, or the next query.
type pgTold struct {
	rowsPlease bool
	rows       [][]string
	inside     bool // a transaction
	err        error
}

const (
	// maxAnswer is how much of an answer is kept; a dump's own queries may return more, which is not read.
	maxAnswer = 16 << 20
	// maxStatement exceeds any statement of a dump; rows are not part of it.
	maxStatement = 8 << 20
	// copyPiece is how many bytes of rows are sent at once.
	copyPiece = 64 << 10
)

// pgConnect opens a session that acts as a role from its start: RESET ROLE leads there too.
func pgConnect(ctx context.Context, at pgAddress, login login, database, role string) (*pgSession, error) {
	config, err := pgconn.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, err
	}
	config.Host, config.Port, config.Database, config.User, config.Password = at.socket, at.port, database, login.name, login.password
	config.TLSConfig, config.Fallbacks = nil, nil
	config.RuntimeParams = map[string]string{
		"application_name":              "hostler",
		"client_encoding":               "UTF8",
		"client_min_messages":           "error",
		"standard_conforming_strings":   "on",
		"search_path":                   "pg_catalog",
		"statement_timeout":             "0",
		"default_transaction_read_only": "off",
	}
	if role != "" {
		config.RuntimeParams["role"] = role
	}
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, &quote{reason: "PostgreSQL did not let the account of the run in", text: err.Error(), err: err}
	}
	h, err := c.Hijack()
	if err != nil {
		return nil, err
	}
	s := &pgSession{conn: h.Conn, front: h.Frontend, told: make(chan pgTold, 1), gone: make(chan struct{})}
	s.stop = context.AfterFunc(ctx, func() { _ = s.conn.SetDeadline(time.Unix(1, 0)) })
	go s.listen()
	return s, nil
}

// Close ends the session and rolls back an open transaction.
func (s *pgSession) Close() {
	s.stop()
	_ = s.conn.Close()
	close(s.gone)
}

// tell passes the server's answer on.
func (s *pgSession) tell(t pgTold) {
	select {
	case s.told <- t:
	case <-s.gone:
	}
}

// listen reads concurrently with writes: a server that has something to send stops reading until it is read.
func (s *pgSession) listen() {
	defer close(s.told)
	var t pgTold
	size := 0
	for {
		m, err := s.front.Receive()
		if err != nil {
			s.tell(pgTold{err: err})
			return
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			var row []string
			for _, v := range m.Values {
				row = append(row, string(v))
				size += len(v) + 16
			}
			if size <= maxAnswer {
				t.rows = append(t.rows, row)
			}
		case *pgproto3.ErrorResponse:
			if t.err == nil {
				t.err = pgError(m)
			}
			if m.Severity == "FATAL" || m.Severity == "PANIC" {
				s.tell(t)
				return
			}
		case *pgproto3.CopyInResponse:
			s.tell(pgTold{rowsPlease: true})
		case *pgproto3.ReadyForQuery:
			if size > maxAnswer && t.err == nil {
				t.rows = nil
			}
			t.inside = m.TxStatus == 'T'
			s.tell(t)
			t, size = pgTold{}, 0
		}
	}
}

func pgError(m *pgproto3.ErrorResponse) error {
	text := m.Severity + ": " + m.Message
	for _, more := range []string{m.Detail, m.Hint} {
		if more != "" {
			text += " (" + more + ")"
		}
	}
	return &pgRefusal{code: m.Code, text: text}
}

// pgRefusal is an error of the server, with its SQLSTATE. Its text may be a tenant's: a function raises anything, and a constraint names the row.
type pgRefusal struct{ code, text string }

var sqlState = regexp.MustCompile(`^[0-9A-Z]{5}$`)

func (e *pgRefusal) Error() string {
	if !sqlState.MatchString(e.code) {
		return "PostgreSQL refused it"
	}
	return "PostgreSQL refused it with SQLSTATE " + e.code
}

func (e *pgRefusal) Unwrap() error { return &quote{reason: e.Error(), text: e.text} }

// hear waits for the server's next answer.
func (s *pgSession) hear() (pgTold, error) {
	t, open := <-s.told
	if !open {
		return t, errors.New("PostgreSQL closed the connection")
	}
	return t, t.err
}

func (s *pgSession) send(m pgproto3.FrontendMessage) error {
	s.front.Send(m)
	return s.front.Flush()
}

// ask runs SQL from this source.
func (s *pgSession) ask(sql string) (pgTold, error) {
	if err := s.send(&pgproto3.Query{String: sql}); err != nil {
		return pgTold{}, err
	}
	return s.hear()
}

// refreshed begins the statements with which a dump fills its materialized views: the queries run again, with the rows of now.
const refreshed = "REFRESH MATERIALIZED VIEW "

// refresh fills a materialized view. One whose query fails, as it would in the database that was dumped, stays empty, and everything else is restored.
func (s *pgSession) refresh(inside bool, statement string, empty func(view string, err error)) error {
	if inside {
		if _, err := s.ask("SAVEPOINT hostler"); err != nil {
			return err
		}
	}
	_, err := s.ask(statement)
	var r *pgRefusal
	failed := errors.As(err, &r) && r.code != insufficientPrivilege
	if err != nil && !failed {
		return err
	}
	if inside {
		undo := "RELEASE SAVEPOINT hostler"
		if failed {
			undo = "ROLLBACK TO SAVEPOINT hostler; " + undo
		}
		if _, err := s.ask(undo); err != nil {
			return err
		}
	}
	if failed {
		empty(strings.TrimRight(strings.TrimPrefix(statement, refreshed), "; \n"), err)
	}
	return nil
}

// load runs pg_dump's output, as supplied by read. Inside of a transaction the dump's own transactions, around large objects, are left out. empty is called
// for materialized views that can't be filled.
func (s *pgSession) load(inside bool, empty func(view string, err error), read func(*archive.Script) error) error {
	var piece []byte
	flush := func() error {
		if len(piece) == 0 {
			return nil
		}
		err := s.send(&pgproto3.CopyData{Data: piece})
		piece = piece[:0]
		return err
	}
	script := &archive.Script{
		Max: maxStatement, Whole: true,
		Statement: func(text []byte) (bool, error) {
			if inside {
				switch word, _, _ := strings.Cut(strings.ToUpper(string(text[:min(len(text), 16)])), " "); word {
				case "BEGIN", "COMMIT":
					return false, nil
				case "END", "START", "ROLLBACK", "ABORT", "PREPARE":
					return false, &quote{reason: "the dump would end the transaction that it is restored in", text: fmt.Sprintf("%.100q", text)}
				}
			}
			sql := string(text)
			if set := ofSession.FindStringSubmatch(sql); set != nil {
				if known, err := s.knows(set[1]); err != nil || !known {
					return false, err
				}
			}
			if comment := ofExtension.FindStringSubmatch(sql); comment != nil {
				if theirs, err := s.foreign(strings.Trim(comment[1], `"`)); err != nil || theirs {
					return false, err
				}
			}
			if strings.TrimRight(sql, "; \n") == noPath {
				sql = ownPath
			}
			if strings.HasPrefix(sql, refreshed) {
				return false, s.refresh(inside, sql, empty)
			}
			t, err := s.ask(sql)
			return t.rowsPlease, refused(err, text)
		},
		Rows: func(p []byte) error {
			select {
			case t, open := <-s.told: // it has refused a row: further rows would be discarded
				if !open || t.err == nil {
					return errors.New("PostgreSQL takes no more rows")
				}
				return t.err
			default:
			}
			for len(p) > 0 {
				n := min(len(p), copyPiece-len(piece))
				piece, p = append(piece, p[:n]...), p[n:]
				if len(piece) == copyPiece {
					if err := flush(); err != nil {
						return err
					}
				}
			}
			return nil
		},
		End: func() error {
			if err := flush(); err != nil {
				return err
			}
			if err := s.send(&pgproto3.CopyDone{}); err != nil {
				return err
			}
			t, err := s.hear()
			if err == nil && t.rowsPlease {
				err = errors.New("the dump has rows in the middle of a statement")
			}
			return err
		},
		Command: func(line []byte) error {
			// Written by newer versions of pg_dump around a dump, to keep psql from its other commands.
			if word, _, _ := strings.Cut(string(line), " "); word == `\restrict` || word == `\unrestrict` {
				return nil
			}
			return &quote{reason: "the dump has a command of psql, which is not run", text: fmt.Sprintf("%.100q", line)}
		},
	}
	if err := read(script); err != nil {
		return err
	}
	return script.Close()
}

// ofSession makes a setting of the session. A newer pg_dump makes some that older servers do not have (transaction_timeout, since 17).
var ofSession = regexp.MustCompile(`^SET ([a-z_]{1,63}) = [^;\n]*;?$`)

// knows reports whether the server has a setting.
func (s *pgSession) knows(setting string) (bool, error) {
	t, err := s.ask("SELECT pg_catalog.current_setting('" + setting + "', true) IS NOT NULL")
	return err == nil && len(t.rows) == 1 && len(t.rows[0]) == 1 && t.rows[0][0] == "t", err
}

// ofExtension is a comment on an extension, which only its owner can make. Every dump has those of the extensions themselves.
var ofExtension = regexp.MustCompile(`^COMMENT ON EXTENSION ("?[A-Za-z0-9_-]{1,63}"?) IS `)

// foreign reports whether an extension belongs to someone else, such as an administrator.
func (s *pgSession) foreign(extension string) (bool, error) {
	t, err := s.ask("SELECT 1 FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) '" + extension + "' AND NOT " +
		"pg_catalog.pg_has_role(extowner, 'USAGE')")
	return err == nil && len(t.rows) > 0, err
}

// noPath is how pg_dump begins: what it writes is qualified. Functions that its indexes, generated columns and materialized views call are as they were
// written, though, and find each other by the path that sessions of the database have, which is ownPath. A dump can set any path itself.
const (
	noPath  = "SELECT pg_catalog.set_config('search_path', '', false)"
	ownPath = `SELECT pg_catalog.set_config('search_path', coalesce((SELECT pg_catalog.substr(c, 13) FROM pg_catalog.pg_db_role_setting s
 JOIN pg_catalog.pg_database b ON b.oid = s.setdatabase, pg_catalog.unnest(s.setconfig) c
 WHERE s.setrole = 0 AND b.datname = pg_catalog.current_database() AND c LIKE 'search\_path=%'), '"$user", public'), false)`
)

// SQLSTATEs of a missing right, and of something that is named and does not exist.
const (
	insufficientPrivilege = "42501"
	undefinedObject       = "42704"
	notSupported          = "0A000" // an extension whose files the server does not have; before PostgreSQL 15 undefinedFile
	undefinedFile         = "58P01"
)

// errNoRole is the reason of a restore where an account is named that the server does not have: dumps have no rights and owners, but policies are for accounts.
var errNoRole = errors.New("the backup has a policy for an account of PostgreSQL that this server does not have: its name is in the output. " +
	"Create it (CREATE ROLE ... NOLOGIN) and restore again")

// refused explains the failure of a statement that only an administrator can run, or that names an account.
func refused(err error, statement []byte) error {
	var r *pgRefusal
	switch {
	case !errors.As(err, &r):
	case r.code == undefinedObject && bytes.HasPrefix(statement, []byte("CREATE POLICY ")) && strings.Contains(r.text, "role"):
		return &quote{reason: errNoRole.Error(), text: r.text, err: errNoRole}
	case (r.code == notSupported || r.code == undefinedFile) && bytes.HasPrefix(statement, []byte("CREATE EXTENSION ")):
		return &quote{
			reason: "the backup has an extension of PostgreSQL that this server does not have: its name is in the output. Install its " +
				"package and restore again",
			text: fmt.Sprintf("%.200s", statement), err: err,
		}
	case r.code == insufficientPrivilege && bytes.HasPrefix(statement, []byte("CREATE EXTENSION ")):
		return &quote{
			reason: "the backup has an extension of PostgreSQL that only an administrator can create: its name is in the output. Add it " +
				"to the database, and restore again",
			text: fmt.Sprintf("%.200s", statement), err: err,
		}
	case r.code == insufficientPrivilege:
		first, _, _ := strings.Cut(string(statement), "\n")
		return &quote{
			reason: "the backup contains something that only the administrator of PostgreSQL can create, and nothing is restored as the administrator",
			text:   fmt.Sprintf("%.200s\n%s", first, r.text), err: err,
		}
	}
	return err
}

// tables returns the tables of the session's database with their row counts, by schema and table name.
func (s *pgSession) tables() (map[string]archive.Table, error) {
	// The account itself counts, not the owner that it acts as: it sees all rows, whatever the policies.
	if _, err := s.ask("SET ROLE none; SET search_path = pg_catalog; SET row_security = off"); err != nil {
		return nil, err
	}
	list, err := s.ask(`SELECT n.nspname, c.relname,
	pg_catalog.quote_ident(n.nspname) OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||) pg_catalog.quote_ident(c.relname),
 (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
  AND NOT a.attisdropped AND a.attgenerated = ''),
 (SELECT e.extcondition[pg_catalog.array_position(e.extconfig, c.oid)] FROM pg_catalog.pg_extension e WHERE c.oid = ANY (e.extconfig))
 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'`)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	// The planner looks at the expressions of indexes, whose functions find others by the path of the database.
	if _, err := s.ask(ownPath); err != nil {
		return nil, err
	}
	out := map[string]archive.Table{}
	for _, row := range list.rows {
		if len(row) != 5 {
			continue
		}
		// The engine has quoted the name. A dump has those rows of an extension's table that the extension says.
		n, err := s.ask("SELECT pg_catalog.count(*) FROM ONLY " + row[2] + " " + row[4])
		if err != nil {
			return nil, fmt.Errorf("count the rows of a table: %w", err)
		}
		if len(n.rows) != 1 {
			return nil, errors.New("count the rows of a table: no answer")
		}
		rows, err := sizeIn(n.rows[0][0], nil)
		if err != nil {
			return nil, err
		}
		columns, err := sizeIn(row[3], nil)
		if err != nil {
			return nil, err
		}
		out[row[0]+"\x00"+row[1]] = archive.Table{Rows: rows, Columns: int(columns)}
	}
	return out, nil
}

// pgName converts a table's name as quoted in a dump to schema and table.
func pgName(quoted string) string {
	var parts []string
	var part strings.Builder
	in := false
	for i := 0; i < len(quoted); i++ {
		switch b := quoted[i]; {
		case b == '"' && in && i+1 < len(quoted) && quoted[i+1] == '"':
			part.WriteByte('"')
			i++
		case b == '"':
			in = !in
		case b == '.' && !in:
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(b)
		}
	}
	return strings.Join(append(parts, part.String()), "\x00")
}
