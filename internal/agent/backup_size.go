package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/host/wire"
)

// measure tells how much the stores of a backup hold. One that can't be measured is left out: its dump will say why.
func (x *execution) measure(ctx context.Context, res *wire.Result) {
	sizes := map[int64]int64{}
	for i, item := range x.run.Backup.Items {
		name := "measure " + nameOf(item.Store)
		size, err := x.sizeOf(ctx, item.Store)
		switch {
		case ctx.Err() != nil:
			killMarked(x.mark())
			x.fail(res, -1, context.Cause(ctx))
			return
		case err != nil:
			x.log.emit(wire.Event{Kind: wire.EventOutput, Index: i, Step: name, Text: reasonOf(err) + "\n"})
		default:
			sizes[item.ID] = size
		}
	}
	res.Report = reportOf(wire.SizesKey, sizes)
	res.State = wire.StateSucceeded
}

// sizeOf is about how many bytes a store holds: what the engine says of its tables, or what the files add up to.
func (x *execution) sizeOf(ctx context.Context, s wire.Store) (int64, error) {
	if s.Engine == wire.EngineFiles {
		return x.sizeOfFiles(ctx, s)
	}
	d := &database{x: x, engine: s.Engine, step: nameOf(s)}
	// MySQL 8 keeps the sizes for a day unless it is told not to; MariaDB passes that comment over.
	sql := "/*!80000 SET SESSION information_schema_stats_expiry = 0 */;\nSELECT COALESCE(SUM(data_length), 0) FROM information_schema.tables WHERE table_schema = " + d.text(s.Database) + ";\n"
	if s.Engine == wire.EnginePostgres {
		sql = "SELECT COALESCE(SUM(pg_table_size(oid)), 0) FROM pg_class WHERE relkind IN ('r', 'm') AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace);\n"
		out, err := d.ask(ctx, s.Database, sql)
		return sizeIn(out, err)
	}
	out, err := d.ask(ctx, "", sql)
	return sizeIn(out, err)
}

func sizeIn(out string, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	size, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil || size < 0 {
		return 0, fmt.Errorf("the size is %.100q", out)
	}
	return size, nil
}

func (x *execution) sizeOfFiles(ctx context.Context, s wire.Store) (int64, error) {
	cred, env, err := x.credOf(s.User)
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	argv := append([]string{"du", "--summarize", "--bytes", "--total", "--one-file-system", "--"}, s.Paths...)
	err = x.pipe(ctx, program{argv: argv, env: env, cred: cred, dir: x.a.host(s.Dir)}, nameOf(s), nil, func(r io.Reader) error {
		_, err := io.Copy(&out, io.LimitReader(r, 1<<20))
		return err
	})
	var se *stepError
	if errors.As(err, &se) && se.code == 1 { // a file that is not there, or that the account can't read: the dump says which
		err = nil
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	total, _, _ := strings.Cut(lines[len(lines)-1], "\t")
	return sizeIn(total, err)
}
