package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// streamMemory limits the Go runtime of a process that streams; the rest of the 64 MB is for its code and stacks.
const streamMemory = 40 << 20

func (x *execution) lean() {
	if x.a.cfg.InUnit {
		debug.SetMemoryLimit(streamMemory)
		debug.SetGCPercent(50)
	}
}

// backup makes the dumps of a run in sequence. The report lists the dumps, and why others failed.
func (x *execution) backup(ctx context.Context, res *wire.Result) {
	x.lean()
	if x.run.Backup.Measure {
		x.measure(ctx, res)
		return
	}
	client, buffers := archive.NewClient(), &archive.Buffers{}
	var reports []wire.ItemReport
	awake := map[string]error{} // by engine
	for i, item := range x.run.Backup.Items {
		name := nameOf(item.Store)
		x.step(i, name, stepStarted)
		engine := item.Store.Engine
		err, known := awake[engine]
		if !known && engine != wire.EngineFiles {
			err = (&database{x: x, engine: engine, step: name}).awake(ctx)
			awake[engine] = err
		}
		report := wire.ItemReport{ID: item.ID}
		if err == nil {
			if report, err = x.dumpItem(ctx, client, buffers, item); err != nil { // perhaps because the engine died
				delete(awake, engine)
			}
		}
		if err != nil {
			report.Error = err.Error()
			x.quotes(i, name, err)
			x.step(i, name, stepFailed)
			x.log.Emit(wire.Event{Kind: wire.EventOutput, Index: i, Step: name, Text: report.Error + "\n"})
		} else {
			x.step(i, name, stepChanged)
		}
		reports = append(reports, report)
		if ctx.Err() != nil {
			break
		}
		x.a.crash("dumped")
	}
	res.Report = reportOf(wire.ReportKey, reports)
	if ctx.Err() != nil {
		proc.KillMarked(x.mark())
		x.fail(res, -1, context.Cause(ctx))
		return
	}
	res.State, res.Changed = wire.StateSucceeded, true
}

func reportOf(key string, v any) map[string]string {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return map[string]string{key: string(raw)}
}

func nameOf(s wire.Store) string {
	if s.Engine == wire.EngineFiles {
		return "files"
	}
	return "database " + s.Database
}

// maxBad is how many objects that end a dump are left out of it, one after the other.
const maxBad = 5

// dumpItem dumps a store. An object of a database that the dump program fails at is left out of the next try.
func (x *execution) dumpItem(ctx context.Context, client *http.Client, buffers *archive.Buffers, item wire.BackupItem) (wire.ItemReport, error) {
	var bad []wire.ReportLeft
	for {
		report, err := x.dumpOnce(ctx, client, buffers, item, bad)
		if err == nil || ctx.Err() != nil || len(bad) == maxBad || item.Store.Engine == wire.EngineFiles {
			return report, err
		}
		left := x.blamed(ctx, item.Store, bad, err)
		if left == nil {
			return report, err
		}
		bad = append(bad, *left)
	}
}

func (x *execution) dumpOnce(
	ctx context.Context, client *http.Client, buffers *archive.Buffers, item wire.BackupItem, bad []wire.ReportLeft,
) (wire.ItemReport, error) {
	report := wire.ItemReport{ID: item.ID}
	up := archive.NewUploader(ctx, client, item.Parts, item.PartSize, buffers)
	packer, err := archive.NewPacker(up, x.run.Backup.Recipient)
	if err != nil {
		up.Drop(err)
		return report, err
	}
	counter := archive.NewCounter(item.Store.Engine == wire.EnginePostgres)
	facts, err := x.dump(ctx, item.Store, bad, io.MultiWriter(counter, packer))
	if err == nil && item.Store.Engine != wire.EngineFiles && !counter.Done {
		err = errors.New("the dump is incomplete")
	}
	if err == nil {
		err = packer.Close()
	}
	if err != nil {
		packer.Drop()
		up.Drop(err)
		return report, err
	}
	parts, err := up.Close()
	if err != nil {
		return report, err
	}
	for _, p := range parts {
		report.Parts = append(report.Parts, wire.ReportPart(p))
	}
	report.Size, report.Checksum, report.Plain, report.Tables = packer.Size(), packer.Sum(), counter.Bytes, tablesOf(counter)
	report.Left = append(bad, facts.left...)
	if item.Store.Engine != wire.EngineFiles {
		report.Shape = counter.Shape(facts.about)
	}
	if counter.Largest > maxPacket {
		report.Left = append(report.Left, wire.ReportLeft{
			Kind: "table", Name: counter.LargestIn, Reason: fmt.Sprintf("it has a row of %d MiB in the dump, and the engine reads no statement over %d MiB",
				counter.Largest>>20, maxPacket>>20),
		})
	}
	return report, nil
}

// blamed returns the object that a dump program names in its last words, out of those that the engine lists; nil is none.
func (x *execution) blamed(ctx context.Context, s wire.Store, known []wire.ReportLeft, err error) *wire.ReportLeft {
	var failed *stepError
	if !errors.As(err, &failed) {
		return nil
	}
	d := &database{x: x, engine: s.Engine, step: nameOf(s)}
	list, asked := d.myObjects, "`"
	if s.Engine == wire.EnginePostgres {
		list, asked = d.pgObjects, `"`
	}
	objects, err := list(ctx, s.Database)
	if err != nil {
		return nil
	}
	for _, o := range objects {
		name := o.Name
		if s.Engine == wire.EnginePostgres {
			_, name, _ = strings.Cut(name, "\x00")
		}
		named := strings.Contains(failed.output, asked+strings.ReplaceAll(name, asked, asked+asked)+asked) ||
			strings.Contains(failed.output, "'"+s.Database+"."+name+"'") || strings.Contains(failed.output, "/"+name+"'")
		if named && !slices.ContainsFunc(known, func(k wire.ReportLeft) bool { return k.Name == o.Name }) {
			o.Reason = "the dump program can't read it: see the output"
			return &o
		}
	}
	return nil
}

func tablesOf(c *archive.Counter) map[string]wire.ReportTable {
	out := map[string]wire.ReportTable{}
	for name, t := range c.Tables {
		out[name] = wire.ReportTable(*t)
	}
	return out
}

// dump writes a dump of a store, without what is known to be bad, to w.
func (x *execution) dump(ctx context.Context, s wire.Store, bad []wire.ReportLeft, w io.Writer) (dumpFacts, error) {
	copied := func(r io.Reader) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, &impatient{r: r, within: x.a.silence()}, make([]byte, 256<<10))
		return err
	}
	if s.Engine != wire.EngineFiles {
		d := &database{x: x, engine: s.Engine, step: nameOf(s)}
		if s.Engine == wire.EnginePostgres {
			return d.pgDump(ctx, s.Database, bad, copied)
		}
		return d.myDump(ctx, s.Database, bad, copied)
	}
	cred, env, err := x.credOf(s.User)
	if err != nil {
		return dumpFacts{}, err
	}
	closed, err := x.closedFiles(ctx, s, cred, env)
	if err != nil {
		return dumpFacts{}, err
	}
	argv := append([]string{
		"tar", "--create", "--file=-", "--directory=" + x.a.host(s.Dir), "--one-file-system",
		"--numeric-owner", "--sparse", "--acls", "--xattrs", "--ignore-failed-read", "--warning=no-file-changed", "--",
		// a sparse file may not fit on the disk otherwise
	}, s.Paths...)
	err = x.pipe(ctx, program.Program{Argv: argv, Env: env, Cred: cred}, nameOf(s), nil, copied)
	var se *stepError
	if errors.As(err, &se) && se.code == 1 { // a file changed while it was read (tar's manual)
		err = nil
	}
	return dumpFacts{left: closed}, err
}

// restore reads an object to its end, and only then into its store.
func (x *execution) restore(ctx context.Context, res *wire.Result) {
	x.lean()
	r := &restoration{
		x: x, r: x.run.Restore, client: archive.NewClient(),
		d: &database{x: x, engine: x.run.Restore.Store.Engine, step: nameOf(x.run.Restore.Store)},
	}
	name, err := r.all(ctx)
	res.Report = reportOf(wire.ReportKey, r.report)
	if err == nil {
		res.State, res.Changed = wire.StateSucceeded, !x.run.Restore.Proof
		return
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		proc.KillMarked(x.mark())
	}
	if x.run.Restore.Name != "" {
		err = fmt.Errorf("the backup of %s: %w", x.run.Restore.Name, err)
	}
	x.fail(res, -1, err)
	res.FailedStep = name
	x.clean()
}

// restoration is a restore in progress.
type restoration struct {
	x       *execution
	r       *wire.Restore
	d       *database
	client  *http.Client
	counter *archive.Counter
	report  wire.ItemReport
	// dumped is the version of the engine that was dumped, here that of the server's.
	dumped, here engineVersion
}

// The display names of a restore's steps.
const (
	stepVerify = "check the object"
	stepFill   = "restore"
)

func (r *restoration) all(ctx context.Context) (string, error) {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{{stepVerify, r.verify}, {stepFill, r.fill}}
	for i, s := range steps {
		if r.r.Store.Engine == wire.EngineFiles && i > 0 && r.r.Proof {
			break
		}
		r.x.step(i, s.name, stepStarted)
		if err := s.do(ctx); err != nil {
			r.x.quotes(i, s.name, err)
			r.x.step(i, s.name, stepFailed)
			return s.name, err
		}
		r.x.step(i, s.name, stepChanged)
		r.x.a.crash(s.name)
	}
	return "", nil
}

// unpack reads the object into w.
func (r *restoration) unpack(ctx context.Context, w io.Writer) error {
	object := archive.Open(ctx, r.client, r.r.URL)
	defer func() { _ = object.Close() }()
	return archive.Unpack(w, object, r.r.FileKey, r.r.Size, r.r.Checksum)
}

// verify reads the object once and discards it: a wrong key, another object or a damaged one is found before anything is touched.
func (r *restoration) verify(ctx context.Context) error {
	r.counter = archive.NewCounter(r.r.Store.Engine == wire.EnginePostgres)
	var head beginning
	if err := r.unpack(ctx, io.MultiWriter(r.counter, &head)); err != nil {
		return err
	}
	if r.r.Store.Engine != wire.EngineFiles && !r.counter.Done {
		return errors.New("the dump is incomplete")
	}
	r.dumped = versionIn(dumpedFrom.FindStringSubmatch(string(head.text)))
	r.report.ID, r.report.Size, r.report.Checksum, r.report.Plain, r.report.Tables = r.r.ID, r.r.Size, r.r.Checksum, r.counter.Bytes, tablesOf(r.counter)
	return nil
}

// fill restores the verified object, and compares.
func (r *restoration) fill(ctx context.Context) error {
	if r.r.Store.Engine == wire.EngineFiles {
		return r.files(ctx)
	}
	if err := r.d.awake(ctx); err != nil {
		return err
	}
	var err error
	if r.here, err = r.d.version(ctx); err != nil {
		return err
	}
	if err := r.load(ctx); err != nil {
		if ctx.Err() == nil && r.older() && !errors.Is(err, errNoRole) {
			return r.olderError(err)
		}
		return err
	}
	return nil
}

// older reports whether the engine of the server is older than the one that was dumped.
func (r *restoration) older() bool { return r.dumped.newerThan(r.here, r.d.engine) }

func (r *restoration) load(ctx context.Context) error {
	postgres := r.d.engine == wire.EnginePostgres
	switch {
	case r.r.Proof && postgres:
		return r.pgProve(ctx)
	case r.r.Proof:
		return r.myProve(ctx)
	case postgres:
		return r.pgReplace(ctx)
	}
	return r.myReplace(ctx)
}

func discard(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// files unpacks into a directory, as the account that owns it, with that account's write permissions.
func (r *restoration) files(ctx context.Context) error {
	cred, env, err := r.x.credOf(r.r.Store.User)
	if err != nil {
		return err
	}
	argv := []string{"tar", "--extract", "--file=-", "--directory=" + r.x.a.host(r.r.Store.Dir), "--no-same-owner", "--preserve-permissions", "--acls", "--xattrs"}
	err = r.x.pipe(ctx, program.Program{Argv: argv, Env: env, Cred: cred}, nameOf(r.r.Store), func(w io.Writer) error { return r.unpack(ctx, w) }, discard)
	var se *stepError
	if errors.As(err, &se) && se.code == 2 { // tar goes on with the rest; the object was read to its end before
		se.reason = fmt.Sprintf("%s could not write some of the files, which the output names; the others are restored (%s)", r.r.Store.User, se.reason)
	}
	return err
}
