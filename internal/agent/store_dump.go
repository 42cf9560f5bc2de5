package agent

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/agent/archive"
	"github.com/hostlerhq/hostler/internal/host/wire"
)

// database speaks to an engine of this host through its own programs: as root over the socket of MariaDB and MySQL, as the account postgres
// over that of PostgreSQL. Names are data: they are quoted here and nowhere else, and refused where an engine could take them for more.
type database struct {
	x      *execution
	engine string
	step   string
}

func checkStore(s wire.Store) error {
	switch s.Engine {
	case wire.EngineMariaDB, wire.EngineMySQL, wire.EnginePostgres:
		return checkDatabase(s.Database)
	case wire.EngineFiles:
		if !userPattern.MatchString(s.User) {
			return fmt.Errorf("user %q is no name of an account", s.User)
		}
		if len(s.Paths) == 0 {
			return errors.New("no paths are named")
		}
		for _, p := range s.Paths {
			if p == "" || p[0] == '/' || p[0] == '-' || strings.ContainsAny(p, "\x00\r\n") || strings.Contains("/"+p+"/", "/../") {
				return fmt.Errorf("path %q is not below its directory", p)
			}
		}
		return checkPath(s.Dir)
	}
	return fmt.Errorf("engine %q is not known", s.Engine)
}

func checkDatabase(name string) error {
	if name == "" || len(name) > 64 || name[0] == '-' || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd }) {
		return fmt.Errorf("%q is no name of a database", name)
	}
	return nil
}

func checkBackup(b *wire.Backup) error {
	if len(b.Items) == 0 {
		return errors.New("backup has no items")
	}
	for _, i := range b.Items {
		if !b.Measure && (i.PartSize < archive.MinPart || i.PartSize > archive.MaxPart || len(i.Parts) == 0) {
			return errors.New("an item of the backup has no parts, or parts of a size that is not sent")
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
	if r.Over && r.Scratch == "" && r.Store.Engine != wire.EngineFiles {
		return errors.New("restore has no scratch database")
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

// text is a string in the engine's SQL, whatever its mode is.
func (d *database) text(s string) string {
	if d.engine == wire.EnginePostgres {
		return "convert_from('\\x" + hex.EncodeToString([]byte(s)) + "', 'UTF8')"
	}
	return "CONVERT(0x" + hex.EncodeToString([]byte(s)) + " USING utf8mb4)"
}

// conninfo names a database to libpq, which would take a name with "=" in it for settings of a connection.
func conninfo(name string) string {
	return "--dbname=dbname='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "'"
}

// account is who the engine's programs run as.
func (d *database) cred() (*syscall.Credential, map[string]string, error) {
	if d.engine != wire.EnginePostgres {
		return nil, nil, nil
	}
	return d.x.credOf("postgres")
}

func (x *execution) credOf(user string) (*syscall.Credential, map[string]string, error) {
	acc, is, err := x.a.lookAccount(user)
	if err != nil {
		return nil, nil, err
	}
	if !is {
		return nil, nil, fmt.Errorf("there is no account %q", user)
	}
	env := map[string]string{"HOME": acc.home, "USER": acc.name, "LOGNAME": acc.name}
	if acc.uid == os.Geteuid() {
		return nil, env, nil
	}
	groups, err := x.a.groupsOf(user)
	if err != nil {
		return nil, nil, err
	}
	return &syscall.Credential{Uid: uint32(acc.uid), Gid: uint32(acc.gid), Groups: groups}, env, nil
}

// dumpArgv is the program that dumps a database, and what a finished dump of it has in its last lines the Counter knows.
func (d *database) dumpArgv(name string, more ...string) []string {
	switch d.engine {
	case wire.EnginePostgres:
		return append([]string{"pg_dump", "--format=plain", "--encoding=UTF8", "--no-owner", "--no-privileges", "--no-password", conninfo(name)}, more...)
	case wire.EngineMySQL:
		return append(append([]string{"mysqldump", "--single-transaction", "--quick", "--routines", "--triggers", "--events", "--hex-blob", "--no-tablespaces", "--column-statistics=0",
			"--set-gtid-purged=OFF", "--default-character-set=utf8mb4"}, more...), "--", name)
	}
	return append(append([]string{"mariadb-dump", "--single-transaction", "--quick", "--routines", "--triggers", "--events", "--hex-blob", "--no-tablespaces",
		"--default-character-set=utf8mb4"}, more...), "--", name)
}

// clientArgv is the program that takes SQL on its stdin. It runs no commands of its own that stand in it (--binary-mode; psql is kept from it
// by the \restrict of the dump).
func (d *database) clientArgv(name string) []string {
	switch d.engine {
	case wire.EnginePostgres:
		if name == "" {
			name = "postgres"
		}
		return []string{"psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--field-separator=\t", "--no-password", "--set=ON_ERROR_STOP=1", conninfo(name)}
	case wire.EngineMySQL:
		return append([]string{"mysql", "--batch", "--skip-column-names", "--binary-mode", "--default-character-set=utf8mb4", "--"}, some(name)...)
	}
	return append([]string{"mariadb", "--batch", "--skip-column-names", "--binary-mode", "--default-character-set=utf8mb4", "--"}, some(name)...)
}

func some(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// ask runs SQL and gives what came back. What it says of errors ends up in the error.
func (d *database) ask(ctx context.Context, name, sql string) (string, error) {
	var out bytes.Buffer
	err := d.pipe(ctx, d.clientArgv(name), "", func(w io.Writer) error {
		_, err := io.WriteString(w, sql)
		return err
	}, func(r io.Reader) error {
		_, err := io.Copy(&out, io.LimitReader(r, 64<<20))
		return err
	})
	return out.String(), err
}

// pipe runs a program between a writer of its input and a reader of its output; nil leaves one out. An error of either kills it.
func (d *database) pipe(ctx context.Context, argv []string, dir string, in func(io.Writer) error, out func(io.Reader) error) error {
	cred, env, err := d.cred()
	if err != nil {
		return err
	}
	return d.x.pipe(ctx, program{argv: argv, env: env, cred: cred, dir: dir}, d.step, in, out)
}

func (x *execution) pipe(ctx context.Context, p program, step string, in func(io.Writer) error, out func(io.Reader) error) error {
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	said := newOutput(x.log.outputEvents(0, step), nil, nil)
	p.out, p.run, p.timeout = said, x.mark(), time.Until(x.run.Deadline)+time.Second
	var fed, taken chan error
	if in != nil {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		widen(w)
		p.in, fed = r, make(chan error, 1)
		go func() {
			err := in(w)
			if err != nil && !errors.Is(err, syscall.EPIPE) {
				// The program dies before the end of its input is seen: it would take what came for all of it.
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
		p.to, taken = w, make(chan error, 1)
		go func() {
			err := out(r)
			if err != nil {
				kill(err)
			}
			_ = r.Close()
			taken <- err
		}()
	}
	err := x.a.exec(ctx, p)
	for _, f := range []*os.File{p.in, p.to} {
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
		case <-time.After(pipeGrace): // it waits for something else than us; the program is gone
			kill(nil)
		}
	}
	text, _ := said.finish()
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

// pipeSize is the largest pipe that the kernel gives to everybody (pipe(7)): with the default of 64 KiB both ends wait for each other all the time.
const pipeSize = 1 << 20

// widen makes a pipe larger where the kernel allows it.
func widen(f *os.File) {
	raw, err := f.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}

func exitOf(err error) int {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	return 0
}

// exists tells whether the engine has a database of this name.
func (d *database) exists(ctx context.Context, name string) (bool, error) {
	sql := "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = " + d.text(name) + ";\n"
	if d.engine == wire.EnginePostgres {
		sql = "SELECT COUNT(*) FROM pg_database WHERE datname = " + d.text(name) + ";\n"
	}
	out, err := d.ask(ctx, "", sql)
	return strings.TrimSpace(out) != "0", err
}

func (d *database) create(ctx context.Context, name string) error {
	sql := "CREATE DATABASE " + d.ident(name) + " CHARACTER SET utf8mb4;\n"
	if d.engine == wire.EnginePostgres {
		sql = "CREATE DATABASE " + d.ident(name) + " TEMPLATE template0 ENCODING 'UTF8';\n"
	}
	_, err := d.ask(ctx, "", sql)
	return err
}

func (d *database) drop(ctx context.Context, name string) error {
	sql := "DROP DATABASE IF EXISTS " + d.ident(name) + ";\n"
	if d.engine == wire.EnginePostgres {
		sql = "DROP DATABASE IF EXISTS " + d.ident(name) + " WITH (FORCE);\n" // PostgreSQL 13 and newer
	}
	_, err := d.ask(ctx, "", sql)
	return err
}

// differs compares what a database holds with what a dump of it had.
func (d *database) differs(ctx context.Context, name string, tables map[string]wire.ReportTable) ([]string, error) {
	var names []string
	var sql strings.Builder
	for table := range tables {
		at := strconv.Itoa(len(names))
		names = append(names, table)
		if d.engine == wire.EnginePostgres { // the dump has quoted the name
			sql.WriteString("SELECT " + at + ", (SELECT COUNT(*) FROM ONLY " + table + "), (SELECT COUNT(*) FROM pg_attribute WHERE attrelid = " + d.text(table) +
				"::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');\n")
			continue
		}
		sql.WriteString("SELECT " + at + ", (SELECT COUNT(*) FROM " + d.ident(table) + "), (SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = " + d.text(name) +
			" AND table_name = " + d.text(table) + ");\n")
	}
	out, err := d.ask(ctx, name, sql.String())
	if err != nil {
		return nil, err
	}
	found := map[string]wire.ReportTable{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			continue
		}
		at, _ := strconv.Atoi(f[0])
		rows, _ := strconv.ParseInt(f[1], 10, 64)
		columns, _ := strconv.Atoi(f[2])
		if at < len(names) {
			found[names[at]] = wire.ReportTable{Rows: rows, Columns: columns}
		}
	}
	var differ []string
	for table, want := range tables {
		got, ok := found[table]
		switch {
		case !ok:
			differ = append(differ, fmt.Sprintf("table %s is missing", table))
		case got.Rows != want.Rows:
			differ = append(differ, fmt.Sprintf("table %s has %d rows, the dump had %d", table, got.Rows, want.Rows))
		case got.Columns != want.Columns:
			differ = append(differ, fmt.Sprintf("table %s has %d columns, the dump had %d", table, got.Columns, want.Columns))
		}
	}
	return differ, nil
}
