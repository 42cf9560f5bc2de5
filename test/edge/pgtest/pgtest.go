// Package pgtest starts one throw-away PostgreSQL 15 for a test binary and makes databases in it. Only tests import it.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Binaries is where PostgreSQL is looked for.
const Binaries = "/usr/lib/postgresql/15/bin"

// Main runs the tests of a package and takes PostgreSQL down afterwards, and what else there is to clean. Call it from TestMain.
func Main(m *testing.M, clean ...func()) {
	code := m.Run()
	the.stop()
	for _, f := range clean {
		f()
	}
	os.Exit(code)
}

// cluster is the one of this process: starting one a test would take longer than the tests.
type cluster struct {
	once    sync.Once
	err     error
	missing bool
	dir     string
	command *exec.Cmd
	exited  chan struct{}
	serial  atomic.Int64
	// settings are of this cluster, beside those of all.
	settings []string

	mu        sync.Mutex
	templates map[string]string
}

var the cluster

// Database creates a fresh database, dropped when the test ends, and returns its URL. The first call for a template creates that
// with prepare, which must leave no connection open. Without PostgreSQL 15 the test is skipped with a message.
func Database(t testing.TB, template string, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	if os.Getenv("HOSTLER_CHECK") != "" {
		t.Skip("PostgreSQL: left out by make check")
	}
	the.once.Do(func() { the.err = the.start() })
	if the.missing {
		t.Skipf("PostgreSQL: %s/initdb is not installed", Binaries)
	}
	if the.err != nil {
		t.Fatalf("start PostgreSQL: %v", the.err)
	}
	name, err := the.database(template, prepare)
	if err != nil {
		t.Fatalf("make a PostgreSQL database: %v", err)
	}
	t.Cleanup(func() {
		if err := the.run(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Logf("drop a PostgreSQL database: %v", err)
		}
	})
	return the.url(name)
}

// Start starts a cluster with settings of its own ("name=value"), which ends with the test, and returns the directory of its socket.
func Start(t testing.TB, settings ...string) string {
	t.Helper()
	if os.Getenv("HOSTLER_CHECK") != "" {
		t.Skip("PostgreSQL: left out by make check")
	}
	c := &cluster{settings: settings}
	t.Cleanup(c.stop)
	if err := c.start(); err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	if c.missing {
		t.Skipf("PostgreSQL: %s/initdb is not installed", Binaries)
	}
	return c.dir
}

func (c *cluster) database(template string, prepare func(ctx context.Context, url string) error) (string, error) {
	ctx := context.Background()
	c.mu.Lock() // one at a time: a template must not be in use while it is copied
	defer c.mu.Unlock()
	source, ok := c.templates[template]
	if !ok {
		source = fmt.Sprintf("template_%d", len(c.templates))
		if err := c.create(ctx, source, "template0"); err != nil {
			return "", err
		}
		if prepare != nil {
			if err := prepare(ctx, c.url(source)); err != nil {
				return "", err
			}
		}
		c.templates[template] = source
	}
	name := fmt.Sprintf("test_%d", c.serial.Add(1))
	return name, c.create(ctx, name, source)
}

func (c *cluster) create(ctx context.Context, name, template string) error {
	// The copy of files is the faster one of the two strategies on a server that syncs nothing.
	return c.run(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy")
}

func (c *cluster) run(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}

func (c *cluster) url(name string) string {
	return "postgres://postgres@/" + name + "?host=" + c.dir
}

// start makes a cluster and waits until it answers. Its words sort as a German or English reader expects (ICU), not by bytes, so that a
// test sees where the two databases differ.
func (c *cluster) start() error {
	c.templates = map[string]string{}
	if _, err := os.Stat(filepath.Join(Binaries, "initdb")); errors.Is(err, os.ErrNotExist) {
		c.missing = true
		return nil
	}
	credential, err := owner()
	if err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp(memory(), "pg"); err != nil { // a socket's path is short
		return err
	}
	if credential != nil {
		if err := os.Chown(c.dir, int(credential.Uid), int(credential.Gid)); err != nil {
			return err
		}
	}
	data := filepath.Join(c.dir, "data")
	initdb := exec.Command(filepath.Join(Binaries, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
		"--locale-provider=icu", "--icu-locale=en", "--no-sync")
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	initdb.Dir = c.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	started := make(chan error)
	c.exited = make(chan struct{})
	go func() {
		runtime.LockOSThread() // the death signal comes when the thread that started the process ends
		args := []string{"-D", data, "-k", c.dir, "-c", "listen_addresses=", "-c", "max_connections=300",
			"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "max_wal_size=256MB", "-c",
			"synchronous_commit=off", "-c", "logging_collector=off"}
		for _, setting := range c.settings {
			args = append(args, "-c", setting)
		}
		c.command = exec.Command(filepath.Join(Binaries, "postgres"), args...)
		c.command.SysProcAttr = &syscall.SysProcAttr{Credential: credential, Pdeathsig: syscall.SIGQUIT}
		c.command.Dir = c.dir
		err := c.command.Start()
		started <- err
		if err == nil {
			_ = c.command.Wait()
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	return c.ready()
}

// ready asks until the server answers; every question that is refused costs a fork, so that this is no busy loop.
func (c *cluster) ready() error {
	var out []byte
	for range 2000 {
		select {
		case <-c.exited:
			return errors.New("the server ended while it started")
		default:
		}
		probe := exec.Command(filepath.Join(Binaries, "pg_isready"), "-h", c.dir, "-t", "5")
		var err error
		if out, err = probe.CombinedOutput(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the server does not answer: %s", out)
}

func (c *cluster) stop() {
	if c.command != nil && c.command.Process != nil {
		_ = c.command.Process.Signal(syscall.SIGQUIT)
		<-c.exited
	}
	if c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
}

// memory returns a directory in memory, where a database is created from its template in a third of the time; empty, for the
// default, if none has enough room.
func memory() string {
	const dir, room = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	return dir
}

// owner returns who runs the server: it refuses root.
func owner() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("no account to run the server as")
}
