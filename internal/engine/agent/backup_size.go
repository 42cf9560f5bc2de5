package agent

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// measure reports the sizes of a backup's stores. One that can't be measured is left out: its dump will report why.
func (x *execution) measure(ctx context.Context, res *wire.Result) {
	sizes := map[int64]int64{}
	databases := map[string][]wire.BackupItem{} // by engine: one question for all
	for _, item := range x.run.Backup.Items {
		if item.Store.Engine != wire.EngineFiles {
			databases[item.Store.Engine] = append(databases[item.Store.Engine], item)
			continue
		}
		size, err := x.sizeOfFiles(ctx, item.Store)
		if err == nil {
			sizes[item.ID] = size
		}
		x.unmeasured(err)
	}
	for engine, items := range databases {
		d := &database{x: x, engine: engine, step: measureStep}
		err := d.awake(ctx)
		if err == nil {
			err = d.sizes(ctx, items, sizes)
		}
		x.unmeasured(err)
	}
	if ctx.Err() != nil {
		proc.KillMarked(x.mark())
		x.fail(res, -1, context.Cause(ctx))
		return
	}
	res.Report = reportOf(wire.SizesKey, sizes)
	res.State = wire.StateSucceeded
}

const measureStep = "measure"

// unmeasured reports why something could not be measured.
func (x *execution) unmeasured(err error) {
	if err != nil {
		x.quotes(0, measureStep, err)
		x.log.Emit(wire.Event{Kind: wire.EventOutput, Step: measureStep, Text: err.Error() + "\n"})
	}
}

// sizes adds the approximate sizes of databases, as the engine reports them. A database without tables has size 0.
func (d *database) sizes(ctx context.Context, items []wire.BackupItem, sizes map[int64]int64) error {
	var names []string
	for _, item := range items {
		names = append(names, d.text(item.Store.Database))
	}
	list := strings.Join(names, ", ")
	// MySQL 8 caches the sizes for a day by default; MariaDB ignores that comment.
	sql := "/*!80000 SET SESSION information_schema_stats_expiry = 0 */;\n" +
		"SELECT HEX(table_schema), COALESCE(SUM(data_length), 0) FROM information_schema.tables WHERE table_schema IN (" + list + ") GROUP BY table_schema;\n" +
		tablespaces
	if d.engine == wire.EnginePostgres {
		sql = "SELECT encode(convert_to(datname, 'UTF8'), 'hex'), pg_database_size(oid) FROM pg_database WHERE datname IN (" + list + ");\n"
	}
	out, err := d.ask(ctx, "", sql)
	if err != nil {
		return err
	}
	found := map[string]int64{}
	for line := range strings.Lines(out) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		raw, err := hex.DecodeString(name)
		if err != nil {
			return errListing
		}
		size, err := sizeIn(text, nil)
		if err != nil {
			return err
		}
		database := fileName(string(raw))
		found[database] = max(found[database], size)
	}
	for _, item := range items {
		sizes[item.ID] = found[item.Store.Database]
	}
	return nil
}

// tablespaces asks MariaDB, and MySQL, for the sizes of InnoDB's files: the statistics of a table that was just filled are seconds old, and say that it is
// empty.
const tablespaces = "SELECT HEX(SUBSTRING_INDEX(name, '/', 1)), SUM(file_size) FROM information_schema." +
	"/*M! INNODB_SYS_TABLESPACES *//*!80000 INNODB_TABLESPACES */" +
	" WHERE name LIKE '%/%' GROUP BY 1;\n"

// encoded is a character that the engine does not write as such in the name of a file.
var encoded = regexp.MustCompile("@[0-9a-f]{4}")

// fileName returns the name of a database from that of its directory. A database's own name has no @.
func fileName(name string) string {
	return encoded.ReplaceAllStringFunc(name, func(s string) string {
		code, err := strconv.ParseUint(s[1:], 16, 16)
		if err != nil {
			return s
		}
		return string(rune(code))
	})
}

func sizeIn(out string, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	size, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil || size < 0 {
		return 0, errors.New("the size is not a number")
	}
	return size, nil
}

// sizeOfFiles returns the total size of a store's files.
func (x *execution) sizeOfFiles(ctx context.Context, s wire.Store) (int64, error) {
	cred, env, err := x.credOf(s.User)
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	argv := append([]string{"du", "--summarize", "--bytes", "--total", "--one-file-system", "--"}, s.Paths...)
	err = x.pipe(ctx, program.Program{Argv: argv, Env: env, Cred: cred, Dir: x.a.host(s.Dir)}, nameOf(s), nil, func(r io.Reader) error {
		_, err := io.Copy(&out, io.LimitReader(r, 1<<20))
		return err
	})
	var se *stepError
	if errors.As(err, &se) && se.code == 1 { // a missing file, or one that the account can't read: the dump reports it
		err = nil
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	total, _, _ := strings.Cut(lines[len(lines)-1], "\t")
	return sizeIn(total, err)
}
