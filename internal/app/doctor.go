package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/update"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
)

// Finding is one check of an installation.
type Finding struct {
	Check string
	// Err is what is wrong, nil if nothing is, and Mend what to do about it.
	Err  error
	Mend string

	fix func(ctx context.Context) error
}

// Fixable reports whether Fix can repair it.
func (f Finding) Fixable() bool { return f.Err != nil && f.fix != nil }

// Fix repairs what was found.
func (f Finding) Fix(ctx context.Context) error { return f.fix(ctx) }

// examination collects findings about one installation.
type examination struct {
	c   Config
	out []Finding
}

func (e *examination) add(check string, err error, mend string) {
	e.out = append(e.out, Finding{Check: check, Err: err, Mend: mend})
}

func (e *examination) fixable(check string, err error, mend string, fix func(ctx context.Context) error) {
	e.out = append(e.out, Finding{Check: check, Err: err, Mend: mend, fix: fix})
}

// Doctor checks an installation without changing it. secrets are files that contain secrets, besides those in the data directory.
func Doctor(ctx context.Context, c Config, secrets ...string) []Finding {
	e := &examination{c: c}
	e.settings(secrets)
	if !e.directory() {
		return e.out
	}
	box := e.key()
	d, err := db.Connect(ctx, db.Config{URL: c.DatabaseURL, Dir: c.DataDir})
	if errors.Is(err, db.ErrDamaged) {
		e.whole(err)
		return e.out
	}
	e.add("the database answers", err, "start the database server, or correct database-url")
	if err != nil {
		return e.out
	}
	defer func() { _ = d.Close() }()
	damage := d.Verify(ctx)
	e.whole(damage)
	if damage != nil {
		return e.out
	}
	if d.Dialect == db.SQLite {
		e.add("there is room on the disk of the data directory", roomIn(c.DataDir), "delete what is not needed there, or move the data directory to a larger disk")
	}
	if e.schema(ctx, d, box) {
		e.contents(ctx, d)
	}
	return e.out
}

// settings checks what does not need the database.
func (e *examination) settings(secrets []string) {
	if e.c.BaseURL != "" {
		_, err := parseBase("base URL", e.c.BaseURL)
		e.add("the base URL is usable", err, "correct base-url")
	}
	e.front()
	_, err := mail.NewSender(e.c.SMTP)
	e.add("the settings of mail are usable", err, "correct smtp-url, smtp-from or smtp-password-file")
	if e.c.OTLPEndpoint != "" {
		_, err := tracing.ParseEndpoint(e.c.OTLPEndpoint)
		e.add("the collector of traces has a usable URL", err, "correct otlp-endpoint")
	}
	for _, path := range secrets {
		err := closed(path)
		e.fixable(path+" is closed to other accounts", err, "run: chmod o= "+path, func(context.Context) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Chmod(path, info.Mode().Perm()&^0o007)
		})
	}
	if dir := e.c.LocalStorage; dir != "" {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a directory", dir)
		}
		missing := errors.Is(err, fs.ErrNotExist)
		e.add("the directory of local-storage exists", err, "mount or create "+dir)
		if last := &e.out[len(e.out)-1]; missing {
			last.fix = func(context.Context) error { return os.MkdirAll(dir, 0o700) }
		}
	}
}

// closed returns an error if accounts other than the file's owner and group can read it.
func closed(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o007 != 0 {
		return fmt.Errorf("it contains secrets and has mode %04o", info.Mode().Perm())
	}
	return nil
}

// directory checks the data directory, and reports whether there is one.
func (e *examination) directory() bool {
	dir := e.c.DataDir
	info, err := os.Stat(dir)
	if err != nil {
		e.add("the data directory exists", err, "correct data-dir, or start Hostler once, which creates it")
		return false
	}
	var open error
	if info.Mode().Perm()&0o077 != 0 {
		open = fmt.Errorf("%s has mode %04o", dir, info.Mode().Perm())
	}
	files, err := filepath.Glob(filepath.Join(dir, "hostler.db*"))
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			open = errors.Join(open, fmt.Errorf("%s has mode %04o", path, info.Mode().Perm()))
		}
	}
	e.fixable("the data directory is closed to other accounts", errors.Join(err, open),
		fmt.Sprintf("run: chmod 700 %s && chmod 600 %[1]s/hostler.db*", dir), func(context.Context) error { return openDataDir(dir) })

	others, err := strangers(dir)
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("%s: Hostler can't write there; commands for it must run as its own account", strings.Join(others, ", "))
	}
	e.fixable("everything in the data directory belongs to its owner", err, "as root, run: chown -R --reference="+dir+" "+dir,
		func(context.Context) error { return adopt(dir, others) })

	left, err := leftovers(dir)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("an interrupted backup or restore left %s", strings.Join(left, ", "))
	}
	e.fixable("no unfinished copies are left", err, "delete them", func(context.Context) error {
		for _, path := range left {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
		return nil
	})
	attempt, err := update.GateOf(dir).Attempt()
	if err == nil && attempt != nil {
		err = fmt.Errorf("the update from %s to %s was interrupted, or is going on", attempt.From, attempt.To)
	}
	e.add("no update is unfinished", err, "if none is going on, run: hostler update, which undoes it first")
	return true
}

// leftovers returns the temporary directories of backups and restores that ended an hour ago or more.
func leftovers(dir string) ([]string, error) {
	var out []string
	for _, pattern := range []string{".restore-*", ".hostler-backup-*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
				out = append(out, path)
			}
		}
	}
	return out, nil
}

// key checks the master key, and returns what it opens; nil if it can't be used.
func (e *examination) key() *secret.Box {
	path := e.c.KeyFile()
	check := "the master key " + path + " is usable"
	box, err := secret.OpenBox(path, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add(check, errors.New("there is none"), "restore the file that belongs to the database; for a new installation, start Hostler once")
	case errors.Is(err, secret.ErrKeyPerms):
		e.fixable(check, err, "run: chmod 600 "+path+"; if other accounts of the machine are not trusted, rotate it: hostler master-key rotate",
			func(context.Context) error { return os.Chmod(path, 0o600) })
	default:
		e.add(check, err, "put back your copy of the file")
	}
	return box
}

func (e *examination) whole(err error) {
	e.add("the database is whole", err, "stop Hostler, keep a copy of the files, move them away, and put back a backup with: hostler restore")
}

// schema checks that the database belongs to this program and key, and reports whether its contents can be read.
func (e *examination) schema(ctx context.Context, d *db.DB, box *secret.Box) bool {
	known, err := knownKeys(ctx, d)
	if err == nil && len(known) == 0 {
		err = errors.New("the database is empty or old")
	}
	if err != nil {
		e.add("the schema is up to date", err, "run: hostler migrate")
		return false
	}
	if box != nil {
		e.add("the master key belongs to the database", known.in(box, e.c.KeyFile()), "restore the file that belongs to the database")
	}
	pending, newer, err := d.Schema(ctx)
	if err == nil && pending {
		err = errors.New("migrations are missing")
	}
	e.fixable("the schema is up to date", err, "run: hostler migrate", e.migrate)
	if newer {
		err = errors.New("a newer version of Hostler has worked with it")
		e.add("the database is not newer than this program", err, "install that version, or put back a backup that an older one made")
	}
	return err == nil
}

// migrate opens the installation as every command does, which brings the schema up to date.
func (e *examination) migrate(ctx context.Context) error {
	s, err := OpenStore(ctx, e.c)
	if err != nil {
		return err
	}
	return s.Close()
}

const (
	// muchFree is how much of the embedded database may be free without being given back.
	muchFree = 16 << 20
	// muchAhead is how far the clock may have been set back.
	muchAhead = 5 * time.Minute
)

// contents checks what the rows say.
func (e *examination) contents(ctx context.Context, d *db.DB) {
	s, err := d.Space(ctx)
	if all, free := s.Bytes(); err == nil && !s.Shrinks && free > muchFree && free > all/4 {
		err = fmt.Errorf("%s of %s are free, and stay with the file", megabytes(free), megabytes(all))
	}
	e.fixable("the embedded database is not much larger than its contents", err,
		"make room for a copy of the database, stop Hostler, and run: hostler doctor --fix", e.rewrite)

	if text, err := d.Setting(ctx, db.SettingWritten); err == nil {
		var wrong error
		if at, err := time.Parse(time.RFC3339, text); err == nil && time.Until(at) > muchAhead {
			wrong = fmt.Errorf("the clock of this machine is behind: the database was written at %s", text)
		}
		e.add("the clock is right", wrong, "set the clock; with systemd, run: timedatectl set-ntp true")
	}
	known, err := readOwnBackups(ctx, d)
	if text := known.trouble(e.c, time.Now()); err == nil && text != "" {
		err = errors.New(text)
	}
	e.add("the panel is backed up", err, "see the log, correct backup-storage or the storage, and run: hostler backup")

	stuck, err := job.Overdue(ctx, d)
	if err == nil && stuck > 0 {
		err = fmt.Errorf("%d operations are past their deadline", stuck)
	}
	e.add("no operation is past its deadline", err, "start Hostler, which ends them: hostler serve")
}

// rewrite writes the embedded database again, while no panel serves it.
func (e *examination) rewrite(ctx context.Context) error {
	s, err := OpenStore(ctx, e.c)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	unlock, err := s.lock(ctx, e.c, true)
	if err != nil {
		return fmt.Errorf("stop Hostler first: %w", err)
	}
	defer unlock()
	return s.DB.Rewrite(ctx)
}
