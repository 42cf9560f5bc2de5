package panel

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/port"
)

// Panel is one installation of Hostler: a data directory, and the program that serves it while it runs.
type Panel struct {
	URL, Token string
	Dir        string

	bin      string
	database string // of PostgreSQL, "" for the embedded one
	client   *http.Client
	log      *os.File
	flags    []string // further ones of serve
	front    *Front   // in front of replicas, nil for one program

	mu       sync.Mutex
	programs []*program
	crashes  int
	db       *db.DB
}

// program is one process that serves the installation.
type program struct {
	listen string
	cmd    *exec.Cmd
	exited chan struct{} // closed once cmd has ended
}

// runs reports whether the process runs.
func (r *program) runs() bool {
	if r.cmd == nil {
		return false
	}
	select {
	case <-r.exited:
		return false
	default:
		return true
	}
}

// Org is the organization that everything of a panel belongs to.
const Org = "acme"

// Start makes a new installation that the hosts of a bed can call, and serves it until the test ends.
func Start(t testing.TB, bed *hosts.Bed) *Panel {
	t.Helper()
	p, err := New(Program(t, "hostler"), bed.Gateway)
	return started(t, p, err)
}

// StartReplicas is Start with several programs on one PostgreSQL database, behind a proxy that uses them in turn.
func StartReplicas(t testing.TB, bed *hosts.Bed, database string, n int) *Panel {
	t.Helper()
	p, err := install(Program(t, "hostler"), bed.Gateway, database, n)
	return started(t, p, err)
}

func started(t testing.TB, p *Panel, err error) *Panel {
	t.Helper()
	if err != nil {
		t.Fatalf("start a panel: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	return p
}

// New returns Start without a test around it; the caller closes it. flags are further ones of serve.
func New(bin, gateway string, flags ...string) (*Panel, error) {
	return install(bin, gateway, "", 1, flags...)
}

// OnDatabase returns New on a PostgreSQL database.
func OnDatabase(bin, gateway, database string, flags ...string) (*Panel, error) {
	return install(bin, gateway, database, 1, flags...)
}

// Empty returns an installation without an account, not yet served; the caller calls Up and Close. flags are further ones of serve.
func Empty(bin, gateway string, flags ...string) (*Panel, error) {
	return place(bin, gateway, "", 1, flags...)
}

func place(bin, gateway, database string, programs int, flags ...string) (*Panel, error) {
	dir, err := os.MkdirTemp("", "hostler-panel-")
	if err != nil {
		return nil, fmt.Errorf("make a data directory: %w", err)
	}
	p := &Panel{Dir: dir, bin: bin, database: database, flags: flags, client: &http.Client{Timeout: 20 * time.Second}}
	if p.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, fmt.Errorf("make a log: %w", err)
	}
	for range programs {
		port, err := port.Take()
		if err != nil {
			return nil, err
		}
		p.programs = append(p.programs, &program{listen: "0.0.0.0:" + strconv.Itoa(port)})
		p.URL = "http://" + net.JoinHostPort(gateway, strconv.Itoa(port))
	}
	if programs > 1 {
		if p.front, err = newFront(gateway, p.programs); err != nil {
			return nil, err
		}
		p.URL = p.front.url
	}
	return p, nil
}

func install(bin, gateway, database string, programs int, flags ...string) (*Panel, error) {
	p, err := place(bin, gateway, database, programs, flags...)
	if err != nil {
		return nil, err
	}
	const owner = "owner@example.com"
	for _, args := range [][]string{
		{"user", "create", "--email", owner, "--password-stdin"},
		{"org", "create", Org, "--owner", owner},
		{"token", "create", "--user", owner, "--scope", "*"},
	} {
		cmd := exec.Command(bin, append(args, p.Where()...)...)
		cmd.Stdin = strings.NewReader("correct horse battery staple\n")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("hostler %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		p.Token = strings.TrimSpace(string(out))
	}
	if err := p.Up(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Panel) data() string { return filepath.Join(p.Dir, "data") }

// Where returns the flags that name the installation to a command.
func (p *Panel) Where() []string {
	args := []string{"--data-dir", p.data()}
	if p.database != "" {
		args = append(args, "--database-url", p.database)
	}
	return args
}

// Up serves the data directory by every program that does not run, and returns when they answer. One that has crashed is started again, as systemd does.
func (p *Panel) Up() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.programs {
		if err := p.start(r); err != nil {
			return err
		}
	}
	return nil
}

func (p *Panel) start(r *program) error {
	if r.runs() {
		return nil
	}
	if r.cmd != nil {
		p.crashes++
	}
	args := append([]string{"serve", "--allow-private-endpoints", "--rate-limit", "1000000", "--listen", r.listen, "--base-url", p.URL}, p.Where()...)
	cmd := exec.Command(p.bin, append(args, p.flags...)...)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.front != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Gid: r.group()}
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the panel: %w", err)
	}
	r.cmd, r.exited = cmd, make(chan struct{})
	go func(exited chan struct{}) {
		_ = cmd.Wait()
		close(exited)
	}(r.exited)
	var last error
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		resp, err := p.client.Get("http://" + r.listen + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("status %s", resp.Status)
		}
		last = err
	}
	return fmt.Errorf("the panel does not answer: %w\n%s", last, p.Log())
}

// PID returns the process id of the program, the first of replicas.
func (p *Panel) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.programs[0].cmd.Process.Pid
}

// Flags sets further flags of serve, from the next start on.
func (p *Panel) Flags(flags ...string) { p.flags = flags }

// Kill ends the program, and each replica, as kill -9 does; the data directory stays, and Up serves it again.
func (p *Panel) Kill() { p.end(syscall.SIGKILL, p.programs...) }

// KillOne is Kill of one replica.
func (p *Panel) KillOne(n int) { p.end(syscall.SIGKILL, p.programs[n]) }

// Stop ends it as an operator does.
func (p *Panel) Stop() { p.end(syscall.SIGTERM, p.programs...) }

func (p *Panel) end(sig syscall.Signal, programs ...*program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range programs {
		if r.cmd == nil {
			continue
		}
		began := time.Now()
		if !r.runs() {
			p.crashes++
		}
		_ = r.cmd.Process.Signal(sig)
		<-r.exited
		r.cmd = nil
		if p.front != nil {
			p.front.killed(r.listen, began)
		}
	}
	p.client.CloseIdleConnections()
}

// Crashes returns how many times a program ended that was not killed or stopped, as far as that was noticed by another call.
func (p *Panel) Crashes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crashes
}

// Close ends the program and removes its data.
func (p *Panel) Close() {
	p.Kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.db != nil {
		_ = p.db.Close()
	}
	if p.front != nil {
		p.front.close()
	}
	_ = p.log.Close()
	_ = os.RemoveAll(p.Dir)
}

// Log returns the end of what the program logged.
func (p *Panel) Log() string {
	raw, err := os.ReadFile(filepath.Join(p.Dir, "log"))
	if err != nil {
		return err.Error()
	}
	const most = 8 << 10
	if len(raw) > most {
		raw = raw[len(raw)-most:]
	}
	return string(bytes.ToValidUTF8(raw, nil))
}

// DB opens the panel's database directly, to read rows and to write what no request can.
func (p *Panel) DB(t testing.TB) *sql.DB {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.db == nil {
		d, err := db.Open(context.Background(), db.Config{Dir: p.data(), URL: p.database, Clock: clock.System{}})
		if err != nil {
			t.Fatalf("open the panel's database: %v", err)
		}
		p.db = d
	}
	return p.db.SQLDB()
}

// SQL writes rows that no request can write.
func (p *Panel) SQL(t testing.TB, statement string, args ...any) {
	t.Helper()
	res, err := p.DB(t).Exec(p.words(statement), args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		t.Fatalf("%s: no row", statement)
	}
}

// Count returns the number that a query gives; its parameters are question marks on either database.
func (p *Panel) Count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := p.DB(t).QueryRow(p.words(query), args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// Rows returns what a query gives, each value as text; its parameters are question marks on either database.
func (p *Panel) Rows(t testing.TB, query string, args ...any) [][]string {
	t.Helper()
	list, err := p.DB(t).Query(p.words(query), args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer list.Close()
	columns, err := list.Columns()
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var out [][]string
	for list.Next() {
		row, at := make([]string, len(columns)), make([]any, len(columns))
		for i := range row {
			at[i] = &row[i]
		}
		if err := list.Scan(at...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		out = append(out, row)
	}
	if err := list.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

func (p *Panel) words(query string) string {
	if p.database == "" {
		return query
	}
	parts := strings.Split(query, "?")
	for i := range parts[1:] {
		parts[i] += "$" + strconv.Itoa(i+1)
	}
	return strings.Join(parts, "")
}
