package agent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// login is an account of an engine that was created for one run, or unlocked for it. Contents of a dump are only ever run, read
// and compared as such an account, which has access to one database and nothing else of the engine.
type login struct{ name, password string }

// newLogin names an account after the time when its run is over and it can be dropped.
func newLogin(until time.Time) login {
	return login{name: fmt.Sprintf("%s%08x_%s", dbaccount.RunPrefix, until.Add(time.Minute).Unix(), randomHex(3)), password: randomHex(24)}
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails since Go 1.24
	return hex.EncodeToString(b)
}

// overdue reports whether a name is that of an account whose run is over.
func overdue(name string) bool {
	rest, ok := strings.CutPrefix(name, dbaccount.RunPrefix)
	if !ok || len(rest) < 8 {
		return false
	}
	until, err := strconv.ParseInt(rest[:8], 16, 64)
	return err == nil && time.Unix(until, 0).Before(now())
}

// stranger returns credentials with an id that no account has.
func (a *Agent) stranger() (*syscall.Credential, map[string]string, error) {
	env := map[string]string{"HOME": "/nonexistent", "USER": "nobody", "LOGNAME": "nobody"}
	if a.cfg.Root != "" {
		return nil, env, nil
	}
	taken, err := a.users.IDs()
	if err != nil {
		return nil, nil, err
	}
	for range 100 {
		id := program.FirstStranger + mathrand.IntN(program.Strangers)
		if !taken[strconv.Itoa(id)] {
			return &syscall.Credential{Uid: uint32(id), Gid: uint32(id), Groups: []uint32{}}, env, nil
		}
	}
	return nil, nil, errors.New("no account id is free")
}

// made is what a run has in an engine until its end, so that recovery can drop it.
type made struct {
	Engine string `json:"engine"`
	// Database and Account were created by the run; Definer was unlocked, and given access to databases other than its own.
	Database string `json:"database,omitempty"`
	Account  string `json:"account,omitempty"`
	Definer  string `json:"definer,omitempty"`
	// Packet is the engine's limit for a statement, which the run raised.
	Packet int64 `json:"packet,omitempty"`
}

// madePath returns the file where a run records what it creates, beforehand.
func madePath(dir string) string { return filepath.Join(dir, "made") }

func (x *execution) noteMade(m made) error { return durable.WriteJSON(madePath(x.dir), m) }

func (x *execution) forgetMade() error {
	err := os.Remove(madePath(x.dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// clean drops what a run that failed or died left in an engine, also if the engine's death was the failure.
func (x *execution) clean() {
	raw, err := os.ReadFile(madePath(x.dir))
	if err != nil {
		return
	}
	var m made
	if durable.ReadJSON(madePath(x.dir), &m) != nil { // as written by older versions: the name of a database
		if x.run.Restore == nil {
			return
		}
		m = made{Engine: x.run.Restore.Store.Engine, Database: string(raw)}
	}
	d := &database{x: x, engine: m.Engine, step: "clean up"}
	if d.awake(context.Background()) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), program.DefaultTimeout)
	defer cancel()
	if d.unmake(ctx, m) == nil {
		_ = x.forgetMade()
	}
}

// unmake drops what a run created.
func (d *database) unmake(ctx context.Context, m made) error {
	var errs []error
	if m.Database != "" {
		errs = append(errs, d.drop(ctx, m.Database))
	}
	switch {
	case m.Account != "" && d.engine == wire.EnginePostgres:
		errs = append(errs, d.pgDropLogin(ctx, m.Account))
	case m.Account != "":
		errs = append(errs, d.myDropLogin(ctx, m.Account))
	}
	if m.Definer != "" {
		errs = append(errs, d.myLock(ctx, m.Definer, m.Database))
	}
	if m.Packet != 0 {
		errs = append(errs, d.mySetPacket(ctx, m.Packet))
	}
	return errors.Join(errs...)
}

// with creates what do needs, and drops it afterwards, whatever the result.
func (d *database) with(ctx context.Context, m made, open func(login) error, do func(login) error) error {
	l := newLogin(d.x.until)
	m.Engine, m.Account = d.engine, l.name
	if err := d.x.noteMade(m); err != nil {
		return err
	}
	err := open(l)
	if err == nil {
		d.x.a.crash("account made")
		err = do(l)
	}
	if ctx.Err() != nil { // cleanup has its own time limit
		var cancel func()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), program.DefaultTimeout)
		defer cancel()
	}
	if gone := d.unmake(ctx, m); gone != nil {
		if err == nil {
			err = fmt.Errorf("drop the account of the run: %w", gone)
		}
		return err // the remainder is recorded
	}
	if forget := d.x.forgetMade(); err == nil {
		err = forget
	}
	return err
}

// inOrder runs steps in order, up to the first error.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
