// Package mariatest starts one throw-away MariaDB for a test binary, or MySQL in its place. Only tests import it.
package mariatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// MySQL reports whether the server is MySQL's: where HOSTLER_TEST_MYSQL is set, on a machine that has it.
var MySQL = os.Getenv("HOSTLER_TEST_MYSQL") != ""

// Programs of the servers, as Debian installs them.
const (
	mariadbd = "/usr/sbin/mariadbd"
	mysqld   = "/usr/sbin/mysqld"
	install  = "/usr/bin/mariadb-install-db"
)

// Client and Dumper are the programs that speak with the server.
var (
	Client = map[bool]string{false: "mariadb", true: "mysql"}[MySQL]
	Dumper = map[bool]string{false: "mariadb-dump", true: "mysqldump"}[MySQL]
	server = map[bool]string{false: mariadbd, true: mysqld}[MySQL]
)

type instance struct {
	once    sync.Once
	err     error
	missing bool
	dir     string
	command *exec.Cmd
	exited  chan struct{}
	// options are of this server, beside those of all.
	options []string
}

var the instance

// Socket returns the socket of the server, whose administrator is root without a password. Without MariaDB the test is skipped.
func Socket(t testing.TB) string {
	t.Helper()
	if os.Getenv("HOSTLER_CHECK") != "" {
		t.Skip("MariaDB: left out by make check")
	}
	the.once.Do(func() { the.err = the.start() })
	if the.missing {
		t.Skipf("%s: %s is not installed", filepath.Base(server), server)
	}
	if the.err != nil {
		t.Fatalf("start %s: %v", server, the.err)
	}
	return the.socket()
}

// Start starts a server with options of its own, which ends with the test, and returns its socket.
func Start(t testing.TB, options ...string) string {
	t.Helper()
	if os.Getenv("HOSTLER_CHECK") != "" {
		t.Skip("MariaDB: left out by make check")
	}
	i := &instance{options: options}
	t.Cleanup(i.stop)
	if err := i.start(); err != nil {
		t.Fatalf("start %s: %v", server, err)
	}
	if i.missing {
		t.Skipf("%s: %s is not installed", filepath.Base(server), server)
	}
	return i.socket()
}

// Stop ends the server and removes what it stored.
func Stop() { the.stop() }

func (i *instance) stop() {
	if i.command != nil && i.command.Process != nil {
		_ = i.command.Process.Kill()
		<-i.exited
	}
	if i.dir != "" {
		_ = os.RemoveAll(i.dir)
	}
}

func (i *instance) socket() string { return filepath.Join(i.dir, "s") }

// start makes a server with the limits of Debian's packages, which syncs nothing.
func (i *instance) start() error {
	if _, err := os.Stat(server); errors.Is(err, os.ErrNotExist) {
		i.missing = true
		return nil
	}
	me, err := user.Current()
	if err != nil {
		return err
	}
	if i.dir, err = os.MkdirTemp("", "my"); err != nil { // a socket's path is short
		return err
	}
	data := filepath.Join(i.dir, "data")
	prepare := exec.Command(install, "--no-defaults", "--datadir="+data, "--user="+me.Username, "--auth-root-authentication-method=normal", "--skip-test-db",
		"--innodb-log-file-size=32M")
	its := []string{"--innodb-log-file-size=32M", "--skip-symbolic-links"}
	if MySQL {
		prepare = exec.Command(server, "--no-defaults", "--initialize-insecure", "--datadir="+data, "--user="+me.Username, "--innodb-redo-log-capacity=32M")
		its = []string{"--innodb-redo-log-capacity=32M", "--mysqlx=OFF"}
	}
	if out, err := prepare.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", prepare.Path, err, out)
	}
	started := make(chan error)
	i.exited = make(chan struct{})
	go func() {
		runtime.LockOSThread() // the death signal comes when the thread that started the process ends
		i.command = exec.Command(server, append([]string{
			"--no-defaults", "--datadir=" + data, "--user=" + me.Username, "--socket=" + i.socket(), "--skip-networking",
			"--pid-file=" + filepath.Join(i.dir, "pid"), "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0",
			"--innodb-doublewrite=0", "--max-allowed-packet=16M", "--event-scheduler=OFF", "--log-error=" + filepath.Join(i.dir, "log"),
		}, append(its, i.options...)...)...)
		i.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		err := i.command.Start()
		started <- err
		if err == nil {
			_ = i.command.Wait()
			close(i.exited)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	return i.ready()
}

// ready asks until the server answers; every question costs a process, so that this is no busy loop.
func (i *instance) ready() error {
	var out []byte
	for range 2000 {
		select {
		case <-i.exited:
			log, _ := os.ReadFile(filepath.Join(i.dir, "log"))
			return fmt.Errorf("the server ended while it started: %s", log)
		default:
		}
		var err error
		if out, err = exec.Command(Client, "--no-defaults", "--user=root", "--socket="+i.socket(), "-e", "SELECT 1").CombinedOutput(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the server does not answer: %s", out)
}
