package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Service is the panel as a service.
type Service interface {
	// Stop ends it and returns when it has ended.
	Stop(ctx context.Context) error
	// Start begins to run the program.
	Start(ctx context.Context) error
	// Failed returns why the program that was started ended; nil while it runs, and after it ended as it should.
	Failed(ctx context.Context) error
}

// Data is the panel's database, which its own account reads and writes.
type Data interface {
	// Backup makes an archive and returns its path.
	Backup(ctx context.Context) (string, error)
	// Restores reports whether Restore is possible: on PostgreSQL, a program of one release before runs on the newer schema instead.
	Restores() bool
	// Restore puts an archive in the place of the database.
	Restore(ctx context.Context, archive string) error
}

// Updater replaces a program.
type Updater struct {
	// Program is the path of the program that is replaced.
	Program string
	Gate    Gate
	Service Service
	Data    Data
	Out     io.Writer
	// Within is how long the new program may take to become ready: it may have to migrate a large database.
	Within time.Duration
}

// ErrWentBack is returned if the new program did not become ready and the old one serves again, with everything as it was.
var ErrWentBack = errors.New("the update failed, and everything is as it was before")

// ErrReady is returned by GoBack if the new program became ready before it was stopped. It may have accepted work, so it stays and is started again.
var ErrReady = errors.New("the new program became ready before it was stopped, and stays")

// ErrBusy is returned while another command updates the same program.
var ErrBusy = errors.New("another hostler update is running")

// Lock keeps other updates out until unlock, or until the process ends, however it ends (flock(2)). It locks the directory of the program: that of the
// data is locked by whoever migrates the database, which the new program does before it is ready.
func (u *Updater) Lock() (unlock func(), err error) {
	f, err := os.Open(filepath.Dir(u.Program))
	if err != nil {
		return nil, fmt.Errorf("lock the program: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrBusy
		}
		return nil, fmt.Errorf("lock the program: %w", err)
	}
	return func() { _ = f.Close() }, nil
}

const lookEvery = 100 * time.Millisecond

func (u *Updater) say(format string, args ...any) { _, _ = fmt.Fprintf(u.Out, format+"\n", args...) }

func (u *Updater) previous() string { return u.Program + ".previous" }

// Run replaces the program by the one at path, which is beside it.
func (u *Updater) Run(ctx context.Context, path, from, to string) error {
	u.say("Stopping Hostler %s.", from)
	if err := u.Service.Stop(ctx); err != nil {
		err = fmt.Errorf("stop Hostler: %w", err)
		if ctx.Err() != nil { // it may have been stopped
			err = errors.Join(err, u.undo(ctx))
		}
		return err
	}
	archive, err := u.Data.Backup(ctx)
	if err == nil {
		u.say("Backed up to %s.", archive)
		err = u.swap(path, Attempt{From: from, To: to, Archive: archive})
	}
	if err != nil {
		return errors.Join(err, u.undo(ctx))
	}
	u.say("Starting Hostler %s.", to)
	if err := u.ready(ctx); err != nil {
		u.say("It did not become ready: %v", err)
		back := u.GoBack(ctx)
		if back == nil {
			return fmt.Errorf("%w: %w", ErrWentBack, err)
		}
		if !errors.Is(back, ErrReady) {
			return back
		}
	}
	u.say("Hostler %s is ready. The program before is %s.", to, u.previous())
	return nil
}

// swap closes the gate and puts the new program in place. The one before stays beside it.
func (u *Updater) swap(path string, a Attempt) error {
	if err := os.Remove(u.previous()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the program of an earlier update: %w", err)
	}
	if err := u.Gate.close(a); err != nil {
		return err
	}
	err := os.Link(u.Program, u.previous())
	if err == nil {
		err = os.Rename(path, u.Program)
	}
	if err = errors.Join(err, syncDir(filepath.Dir(u.Program))); err != nil {
		return fmt.Errorf("replace the program: %w", err)
	}
	return nil
}

// ready starts the new program and waits until it has opened the gate.
func (u *Updater) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, u.Within, fmt.Errorf("it was not ready within %s", u.Within))
	defer cancel()
	if err := u.Service.Start(ctx); err != nil {
		return err
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		failed := u.Service.Failed(ctx) // before the gate: a program that opened it and ended did not fail here
		a, err := u.Gate.Attempt()
		if err == nil && a == nil {
			return nil
		}
		if failed != nil {
			return failed
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// GoBack undoes the gate's update: it restores the previous program and the database.
func (u *Updater) GoBack(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // whoever ends this command wants a panel that runs
	a, err := u.Gate.Attempt()
	if err != nil {
		return err
	}
	if a == nil {
		return errors.New("no update is unfinished")
	}
	u.say("Going back to Hostler %s.", a.From)
	if err := u.Service.Stop(ctx); err != nil {
		return fmt.Errorf("stop Hostler: %w", err)
	}
	now, err := u.Gate.Attempt() // read again: only a program that has ended can't open it any more
	if err != nil {
		return err
	}
	if now == nil {
		if err := u.Service.Start(ctx); err != nil {
			return fmt.Errorf("start Hostler again: %w", err)
		}
		return ErrReady
	}
	if err := u.programBack(); err != nil { // before the restore, which the old program does
		return err
	}
	if u.Data.Restores() {
		if err := u.Data.Restore(ctx, a.Archive); err != nil {
			return fmt.Errorf("put the database back: %w; the archive is %s", err, a.Archive)
		}
	}
	return u.undo(ctx)
}

func (u *Updater) programBack() error {
	if _, err := os.Lstat(u.previous()); errors.Is(err, os.ErrNotExist) {
		return nil // the new program was not in place yet
	}
	// A link to the same file is left alone by rename(2).
	err := os.Rename(u.previous(), u.Program)
	if err = errors.Join(err, syncDir(filepath.Dir(u.Program))); err != nil {
		return fmt.Errorf("put the program back: %w", err)
	}
	return nil
}

// undo starts the old program. The new one may be in place only while the gate is closed: otherwise the program beside it is of an earlier update.
func (u *Updater) undo(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	a, err := u.Gate.Attempt()
	if err == nil && a != nil {
		err = errors.Join(u.programBack(), u.Gate.Open())
	}
	if err != nil {
		return err
	}
	if err := u.Service.Start(ctx); err != nil {
		return fmt.Errorf("start Hostler again: %w", err)
	}
	u.say("Everything is as it was before.")
	return nil
}
