// Package mariatest starts one throw-away MariaDB for a test binary. Only tests import it.
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

// Programs of the server, as Debian installs them.
const (
	server  = "/usr/sbin/mariadbd"
	install = "/usr/bin/mariadb-install-db"
)

type instance struct {
	once    sync.Once
	err     error
	missing bool
	dir     string
	command *exec.Cmd
	exited  chan struct{}
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
		t.Skipf("MariaDB: %s is not installed", server)
	}
	if the.err != nil {
		t.Fatalf("start MariaDB: %v", the.err)
	}
	return the.socket()
}

// Stop ends the server and removes what it stored.
func Stop() {
	if the.command != nil && the.command.Process != nil {
		_ = the.command.Process.Kill()
		<-the.exited
	}
	if the.dir != "" {
		_ = os.RemoveAll(the.dir)
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
	if out, err := prepare.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", install, err, out)
	}
	started := make(chan error)
	i.exited = make(chan struct{})
	go func() {
		runtime.LockOSThread() // the death signal comes when the thread that started the process ends
		i.command = exec.Command(server, "--no-defaults", "--datadir="+data, "--user="+me.Username, "--socket="+i.socket(), "--skip-networking",
			"--pid-file="+filepath.Join(i.dir, "pid"), "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=32M", "--innodb-flush-log-at-trx-commit=0",
			"--innodb-doublewrite=0", "--skip-symbolic-links", "--max-allowed-packet=16M", "--event-scheduler=OFF", "--log-error="+filepath.Join(i.dir, "log"))
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
		if out, err = exec.Command("mariadb", "--no-defaults", "--user=root", "--socket="+i.socket(), "-e", "SELECT 1").CombinedOutput(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the server does not answer: %s", out)
}
