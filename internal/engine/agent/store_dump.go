package agent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/bounded"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// database controls an engine of this host. The engine's administrator (root of the machine over the socket of MariaDB and MySQL,
// the account postgres over that of PostgreSQL) runs only SQL from this source, with names as data. Contents of a dump are
// written, run and read by an account that the run creates for it.
type database struct {
	x      *execution
	engine string
	step   string
}

// errListing is returned for an unexpected answer of the engine.
var errListing = errors.New("the engine lists something else than was asked for")

func checkStore(s wire.Store) error {
	switch s.Engine {
	case wire.EngineMariaDB, wire.EngineMySQL, wire.EnginePostgres:
		return checkDatabase(s.Database)
	case wire.EngineFiles:
		if !passwd.IsName(s.User) {
			return fmt.Errorf("user %q is not the name of an account", s.User)
		}
		if len(s.Paths) == 0 {
			return errors.New("no paths are named")
		}
		for _, p := range s.Paths {
			if p == "" || p[0] == '/' || p[0] == '-' || strings.ContainsAny(p, "\x00\r\n") || strings.Contains("/"+p+"/", "/../") {
				return fmt.Errorf("path %q is not below its directory", p)
			}
		}
		return object.CheckPath(s.Dir)
	}
	return fmt.Errorf("engine %q is not known", s.Engine)
}

func checkDatabase(name string) error {
	if name == "" || len(name) > 64 || name[0] == '-' || strings.ContainsFunc(name,
		func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd }) {
		return fmt.Errorf("%q is not the name of a database", name)
	}
	return nil
}

func checkBackup(b *wire.Backup) error {
	if len(b.Items) == 0 {
		return errors.New("backup has no items")
	}
	for _, i := range b.Items {
		if !b.Measure && (i.PartSize < archive.MinPart || i.PartSize > archive.MaxPart || len(i.Parts) == 0) {
			return errors.New("an item of the backup has no parts, or parts of an invalid size")
		}
		if err := checkStore(i.Store); err != nil {
			return err
		}
	}
	return nil
}

func checkRestore(r *wire.Restore) error {
	if len(r.FileKey) == 0 || r.URL == "" {
		return errors.New("restore has no object")
	}
	if r.Scratch != "" {
		if err := checkDatabase(r.Scratch); err != nil {
			return err
		}
	}
	if r.Store.Engine != wire.EngineFiles && !r.Proof && (!r.Over || r.Scratch == "") {
		return errors.New("restore has no database that it replaces, or no scratch database")
	}
	return checkStore(r.Store)
}

// ident quotes a name for the engine's SQL.
func (d *database) ident(name string) string {
	if d.engine == wire.EnginePostgres {
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// text returns a string literal in the engine's SQL, for any mode.
func (d *database) text(s string) string {
	if d.engine == wire.EnginePostgres {
		return "convert_from('\\x" + hex.EncodeToString([]byte(s)) + "', 'UTF8')"
	}
	return "CONVERT(0x" + hex.EncodeToString([]byte(s)) + " USING utf8mb4)"
}

// conninfo names a database for libpq, which would parse a name with "=" as connection settings.
func conninfo(name string) string {
	return "--dbname=dbname='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "'"
}

// identity returns the credentials that a program runs with on the machine, and its environment.
type identity func() (*syscall.Credential, map[string]string, error)

// admin returns the identity that the engine accepts as its administrator. Settings in PostgreSQL's environment take precedence
// over those that a database sets for sessions.
func (d *database) admin() (*syscall.Credential, map[string]string, error) {
	if d.engine != wire.EnginePostgres {
		return nil, nil, nil
	}
	cred, env, err := d.x.credOf("postgres")
	if err == nil {
		env["PGOPTIONS"], env["PGCLIENTENCODING"] = dbaccount.PostgresOptions, "UTF8"
	}
	return cred, env, err
}

func (x *execution) credOf(user string) (*syscall.Credential, map[string]string, error) {
	acc, is, err := x.a.users.Account(user)
	if err != nil {
		return nil, nil, err
	}
	if !is {
		return nil, nil, fmt.Errorf("there is no account %q", user)
	}
	env := map[string]string{"HOME": acc.Home, "USER": acc.Name, "LOGNAME": acc.Name}
	if acc.UID == os.Geteuid() {
		return nil, env, nil
	}
	groups, err := x.a.users.GroupsOf(user)
	if err != nil {
		return nil, nil, err
	}
	return &syscall.Credential{Uid: uint32(acc.UID), Gid: uint32(acc.GID), Groups: groups}, env, nil
}

// adminArgv returns the client that reads the administrator's SQL from stdin. It reads no settings file, and has its own commands
// disabled (--binary-mode); psql gets only our text.
func (d *database) adminArgv(name string) []string {
	if d.engine == wire.EnginePostgres {
		if name == "" {
			name = "postgres"
		}
		return []string{
			"psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--field-separator=\t", "--no-password",
			"--set=ON_ERROR_STOP=1", conninfo(name),
		}
	}
	return append(d.myClient("root"), "--")
}

// ask runs SQL as the administrator and returns its output. Error messages are in the error.
func (d *database) ask(ctx context.Context, name, sql string) (string, error) {
	return d.answer(ctx, d.admin, d.adminArgv(name), sql)
}

// answer runs SQL and returns its output.
func (d *database) answer(ctx context.Context, who identity, argv []string, sql string) (string, error) {
	var out string
	err := d.pipe(ctx, who, argv, func(w io.Writer) error {
		_, err := io.WriteString(w, sql)
		return err
	}, func(r io.Reader) (err error) {
		out, err = readAnswer(r)
		return err
	})
	return out, err
}

// mostAnswer is the longest answer of an engine to a question, in bytes: the names of some hundred thousand tables.
const mostAnswer = 64 << 20

// readAnswer reads what an engine answers. One without its end would be a list that lacks tables.
func readAnswer(r io.Reader) (string, error) {
	raw, err := bounded.ReadAll(r, mostAnswer)
	if err != nil {
		return "", fmt.Errorf("read the engine's answer: %w", err)
	}
	return string(raw), nil
}

// pipe runs a program between a writer of its input and a reader of its output; nil leaves one out. An error of either kills it.
func (d *database) pipe(ctx context.Context, who identity, argv []string, in func(io.Writer) error, out func(io.Reader) error) error {
	cred, env, err := who()
	if err != nil {
		return err
	}
	return d.x.pipe(ctx, program.Program{Argv: argv, Env: env, Cred: cred}, d.step, in, out)
}

func (x *execution) pipe(ctx context.Context, p program.Program, step string, in func(io.Writer) error, out func(io.Reader) error) error {
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	said := output.New(x.log.Output(0, step), nil, nil)
	p.Out, p.Run, p.Timeout = said, x.mark(), time.Until(x.until)+time.Second
	var fed, taken chan error
	if in != nil {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		widen(w)
		p.In, fed = r, make(chan error, 1)
		go func() {
			err := in(w)
			if err != nil && !errors.Is(err, syscall.EPIPE) {
				// The program is killed before it sees the end of its input: it would take the partial input for all of it.
				kill(err)
				fed <- err
				return
			}
			_ = w.Close()
			fed <- nil
		}()
		defer func() { _ = w.Close() }()
	}
	if out != nil {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		widen(r)
		p.To, taken = w, make(chan error, 1)
		go func() {
			err := out(r)
			if err != nil {
				kill(err)
			}
			_ = r.Close()
			taken <- err
		}()
	}
	err := x.a.programs.Run(ctx, p)
	for _, f := range []*os.File{p.In, p.To} {
		if f != nil {
			_ = f.Close()
		}
	}
	var inErr, outErr error
	if taken != nil {
		outErr = <-taken
	}
	if fed != nil {
		select {
		case inErr = <-fed:
		case <-time.After(program.PipeGrace): // it waits for something else; the program has ended
			kill(nil)
		}
	}
	text, _ := said.Finish()
	switch {
	case outErr != nil:
		return outErr
	case inErr != nil:
		return inErr
	case err != nil:
		return &stepError{reason: err.Error(), output: text, code: exitOf(err)}
	}
	return nil
}

// pipeSize is the largest pipe that the kernel allows unprivileged processes (pipe(7)): with the default of 64 KiB both ends
// constantly wait for each other.
const pipeSize = 1 << 20

// widen enlarges a pipe if the kernel allows it.
func widen(f *os.File) {
	raw, err := f.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}

func exitOf(err error) int {
	var exit *program.ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return 0
}

// drop drops a database that a run created.
func (d *database) drop(ctx context.Context, name string) error {
	sql := "DROP DATABASE IF EXISTS " + d.ident(name) + ";\n"
	if d.engine == wire.EnginePostgres {
		sql = "DROP DATABASE IF EXISTS " + d.ident(name) + " WITH (FORCE);\n" // PostgreSQL 13 and newer
	}
	_, err := d.ask(ctx, "", sql)
	return err
}

// compared compares a database with the counts of its dump. The engine lists the tables and their names.
func (r *restoration) compared(found map[string]archive.Table, err error) error {
	if err != nil {
		return err
	}
	var differ []string
	for table, want := range r.report.Tables {
		name := table
		if r.d.engine == wire.EnginePostgres {
			name = pgName(table)
		}
		got, ok := found[name]
		switch {
		case !ok:
			differ = append(differ, fmt.Sprintf("table %s is missing", table))
		case got.Rows != want.Rows:
			differ = append(differ, fmt.Sprintf("table %s has %d rows, the dump had %d", table, got.Rows, want.Rows))
		case got.Columns != want.Columns:
			differ = append(differ, fmt.Sprintf("table %s has %d columns, the dump had %d", table, got.Columns, want.Columns))
		}
	}
	slices.Sort(differ)
	r.report.Differs = differ
	if len(differ) > 0 {
		return &quote{reason: fmt.Sprintf("what was restored is not what was dumped: %d of its tables differ", len(differ)), text: strings.Join(differ, "\n")}
	}
	r.x.checked(wire.CheckRestore, fmt.Sprintf("tables that have the rows and columns of the dump: %d", len(r.report.Tables)))
	return nil
}
