// Package practice brings up practice servers: real Debian systems, with systemd as PID 1, their own sshd, address, firewall,
// host keys and disk, as systemd-nspawn or virtual machines on one Linux machine. They are for trying Hostler and for its tests;
// docs/practice.md lists their limits.
package practice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// DefaultHome is the directory of images, caches, disks and the key, unless HOSTLER_PRACTICE_HOME is set.
const DefaultHome = "/var/lib/hostler-practice"

// MaxBed is the highest bed number. Beds are independent sets of hosts with separate networks.
const MaxBed = 199

// FirstTestBed and the beds above it are used and cleaned by the tests (package test/hosts).
const FirstTestBed = 100

// Options configure Up.
type Options struct {
	// Bed is the set of hosts, 0 to MaxBed.
	Bed int
	// Images are assigned to new hosts in turn, starting over if there are more hosts: "base" (Debian 12), "base13" (Debian 13),
	// "web", "full", "web13", "full13" or one made with BuildImage. Default "base". A missing image is built, which takes a
	// minute.
	Images []string
	// Disk gives each new host a separate disk: "200M" in memory, or "loop:1G" for real ext4 in a file. Default: it shares the machine's.
	Disk string
	// Virtual makes new hosts virtual machines with so many megabytes of memory, in turn, and a kernel of their own: controllers of cgroups,
	// quotas, AppArmor. 0 is a host like the others. Their image needs udev, this machine qemu-system-x86_64 and busybox; where /dev/kvm does
	// not boot they are emulated.
	Virtual []int
	// Wait is what Up waits for: "ssh" (default), "running" (systemd has finished booting) or "none".
	Wait string
	// Log receives progress, such as the building of an image. May be nil.
	Log io.Writer
}

// A Host is one practice server as it was when its Bed was read.
type Host struct {
	Index   int      `json:"i"`    // 1 is the first
	Name    string   `json:"name"` // its hostname, which other hosts of the bed resolve
	IP      string   `json:"ip"`
	IP6     string   `json:"ip6"`
	Port    int      `json:"port"`     // sshd's
	HostKey string   `json:"host_key"` // public, as in known_hosts: type and base64
	Image   string   `json:"image"`
	Disk    string   `json:"disk"`    // "" when it shares the machine's
	Virtual int      `json:"virtual"` // its memory in megabytes, 0 if it shares the machine's kernel
	State   string   `json:"state"`   // running, frozen or off
	Faults  []string `json:"faults"`  // of cut, slow, full
}

// A Bed is a set of hosts on one network. Its methods act on the real hosts; Hosts is their state when it was read.
type Bed struct {
	Number   int    `json:"bed"`
	Key      string `json:"key"`       // path of the private key that root and SudoUser accept
	User     string `json:"user"`      // root
	SudoUser string `json:"sudo_user"` // has sudo without a password
	Gateway  string `json:"gateway"`   // this machine's address as the hosts see it
	Gateway6 string `json:"gateway6"`
	Cache    string `json:"cache"` // URL of the package cache
	Hosts    []Host `json:"hosts"`
}

// Home returns the directory of everything that practice servers need and create.
func Home() string {
	if home := os.Getenv("HOSTLER_PRACTICE_HOME"); home != "" {
		return home
	}
	return DefaultHome
}

// Up makes hosts 1 to n of the bed exist and run, and returns the bed as it is then. Existing hosts are kept. It takes half a
// second per host if the image is built.
func Up(ctx context.Context, n int, o Options) (*Bed, error) {
	if o.Bed < 0 || o.Bed > MaxBed {
		return nil, fmt.Errorf("practice: no bed %d: beds are 0 to %d", o.Bed, MaxBed)
	}
	args := []string{"up", strconv.Itoa(n)}
	if len(o.Images) > 0 {
		args = append(args, "--image", strings.Join(o.Images, ","))
	}
	if o.Disk != "" {
		args = append(args, "--disk", o.Disk)
	}
	if len(o.Virtual) > 0 {
		args = append(args, "--virtual", strings.Join(numbers(o.Virtual), ","))
	}
	if o.Wait != "" {
		args = append(args, "--wait", o.Wait)
	}
	out, err := run(ctx, o.Bed, o.Log, nil, args...)
	if err != nil {
		return nil, err
	}
	return decodeBed(out)
}

// Open reads bed number as it is; it has no hosts if nothing is up.
func Open(ctx context.Context, number int) (*Bed, error) {
	out, err := run(ctx, number, nil, nil, "json")
	if err != nil {
		return nil, err
	}
	return decodeBed(out)
}

// List reads all beds that have hosts.
func List(ctx context.Context) ([]*Bed, error) {
	out, err := run(ctx, 0, nil, nil, "beds")
	if err != nil {
		return nil, err
	}
	var beds []*Bed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		b := new(Bed)
		if err := d.Decode(b); errors.Is(err, io.EOF) {
			return beds, nil
		} else if err != nil {
			return nil, fmt.Errorf("practice: list: %w", err)
		}
		if len(b.Hosts) > 0 {
			beds = append(beds, b)
		}
	}
}

// Refresh reads Hosts again.
func (b *Bed) Refresh(ctx context.Context) error {
	now, err := Open(ctx, b.Number)
	if err != nil {
		return err
	}
	b.Hosts = now.Hosts
	return nil
}

// Down destroys those hosts with their disks, or the whole bed if none is named.
func (b *Bed) Down(ctx context.Context, hosts ...int) error {
	_, err := run(ctx, b.Number, nil, nil, words("down", hosts)...)
	return err
}

// Exec runs a program in host i, as root and not through the network, and returns its standard output. Words such as NAME=value
// before the program set its environment. An error of type *ExitError has the program's exit status and standard error.
func (b *Bed) Exec(ctx context.Context, i int, argv ...string) ([]byte, error) {
	return b.ExecInput(ctx, i, nil, argv...)
}

// ExecInput is Exec with standard input.
func (b *Bed) ExecInput(ctx context.Context, i int, stdin io.Reader, argv ...string) ([]byte, error) {
	return run(ctx, b.Number, nil, stdin, append([]string{"exec", strconv.Itoa(i)}, argv...)...)
}

// Kill pulls the plug: every process of those hosts dies at once. What they had written stays, since the machine below keeps its page cache.
func (b *Bed) Kill(ctx context.Context, hosts ...int) error { return b.do(ctx, "kill", hosts) }

// Start boots hosts that are off, with their previous disk, and waits for sshd.
func (b *Bed) Start(ctx context.Context, hosts ...int) error { return b.do(ctx, "start", hosts) }

// Stop shuts hosts down cleanly.
func (b *Bed) Stop(ctx context.Context, hosts ...int) error { return b.do(ctx, "stop", hosts) }

// Reboot calls Stop and Start.
func (b *Bed) Reboot(ctx context.Context, hosts ...int) error { return b.do(ctx, "reboot", hosts) }

// Freeze hangs hosts: their kernel accepts connections, but no process answers.
func (b *Bed) Freeze(ctx context.Context, hosts ...int) error { return b.do(ctx, "freeze", hosts) }

// Thaw undoes Freeze.
func (b *Bed) Thaw(ctx context.Context, hosts ...int) error { return b.do(ctx, "thaw", hosts) }

// Cut takes host i off the network: packets vanish in both directions, nothing is refused.
func (b *Bed) Cut(ctx context.Context, i int) error { return b.do(ctx, "cut", []int{i}) }

// CutCarrier is Cut, and the host sees its link go down.
func (b *Bed) CutCarrier(ctx context.Context, i int) error {
	_, err := run(ctx, b.Number, nil, nil, "cut", strconv.Itoa(i), "down")
	return err
}

// Heal undoes Freeze, Cut, Slow and Fill.
func (b *Bed) Heal(ctx context.Context, hosts ...int) error { return b.do(ctx, "heal", hosts) }

// A Line describes a bad network line, the same in both directions.
type Line struct {
	Delay   time.Duration // in each direction; a round trip has it twice
	Jitter  time.Duration
	Loss    float64 // percent of packets
	KBitSec int     // kilobits per second; 0 is no limit
}

// Slow gives host i a bad line until Heal.
func (b *Bed) Slow(ctx context.Context, i int, l Line) error {
	_, err := run(ctx, b.Number, nil, nil, append([]string{"slow", strconv.Itoa(i)}, l.args()...)...)
	return err
}

func (l Line) args() []string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	var args []string
	for _, a := range []struct {
		flag  string
		value float64
	}{
		{"-d", l.Delay.Seconds() * 1000},
		{"-j", l.Jitter.Seconds() * 1000},
		{"-l", l.Loss},
		{"-r", float64(l.KBitSec)},
	} {
		if a.value != 0 {
			args = append(args, a.flag, number(a.value))
		}
	}
	return args
}

// Fill leaves freeKB kilobytes on the disk of host i, which must have its own (Options.Disk).
func (b *Bed) Fill(ctx context.Context, i, freeKB int) error {
	_, err := run(ctx, b.Number, nil, nil, "fill", strconv.Itoa(i), strconv.Itoa(freeKB))
	return err
}

// Reset discards the disks of those hosts and boots them fresh, with new host keys.
func (b *Bed) Reset(ctx context.Context, hosts ...int) error {
	if err := b.do(ctx, "reset", hosts); err != nil {
		return err
	}
	return b.Refresh(ctx)
}

// Host returns host i as it was when the bed was read.
func (b *Bed) Host(i int) (Host, error) {
	for _, h := range b.Hosts {
		if h.Index == i {
			return h, nil
		}
	}
	return Host{}, fmt.Errorf("practice: no host %d in bed %d", i, b.Number)
}

// DiskFile returns the file that backs the disk of host i (Options.Disk "loop:…"). Durability tests copy it at random moments: a
// power cut as the disk would have seen it.
func (b *Bed) DiskFile(i int) string {
	return filepath.Join(Home(), "beds", strconv.Itoa(b.Number), "h"+strconv.Itoa(i), "disk.img")
}

// BuildImage builds an image from another one and packages, unless it exists.
func BuildImage(ctx context.Context, log io.Writer, name, parent string, packages ...string) error {
	args := []string{"image", name}
	if parent != "" {
		args = append(args, "--from", parent)
	}
	_, err := run(ctx, 0, log, nil, append(args, packages...)...)
	return err
}

// Images returns the names of the built images.
func Images(ctx context.Context) ([]string, error) {
	out, err := run(ctx, 0, nil, nil, "images")
	return strings.Fields(string(out)), err
}

// Save writes all images into one file, for a machine without internet or a cache of CI.
func Save(ctx context.Context, log io.Writer, file string) error {
	_, err := run(ctx, 0, log, nil, "save", file)
	return err
}

// Load reads a file that Save wrote.
func Load(ctx context.Context, log io.Writer, file string) error {
	_, err := run(ctx, 0, log, nil, "load", file)
	return err
}

// Purge takes everything down and removes images, caches and the key.
func Purge(ctx context.Context, log io.Writer) error {
	_, err := run(ctx, 0, log, nil, "purge")
	return err
}

func (b *Bed) do(ctx context.Context, verb string, hosts []int) error {
	if len(hosts) == 0 {
		return fmt.Errorf("practice: %s: which host?", verb)
	}
	_, err := run(ctx, b.Number, nil, nil, words(verb, hosts)...)
	return err
}

func words(verb string, hosts []int) []string {
	args := []string{verb}
	return append(args, numbers(hosts)...)
}

func numbers(list []int) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.Itoa(n)
	}
	return out
}

func decodeBed(out []byte) (*Bed, error) {
	b := new(Bed)
	if err := json.Unmarshal(out, b); err != nil {
		return nil, fmt.Errorf("practice: read the bed: %w: %q", err, out)
	}
	return b, nil
}

// An ExitError is a failed command with its output.
type ExitError struct {
	Args   []string
	Code   int
	Stderr string
}

func (e *ExitError) Error() string {
	said := strings.TrimSpace(e.Stderr)
	if said == "" {
		said = fmt.Sprintf("exit status %d", e.Code)
	}
	return fmt.Sprintf("practice: %s: %s", strings.Join(e.Args, " "), strings.ReplaceAll(said, "practice: ", ""))
}

// ErrBedInUse is returned if another practice home or another network of this machine uses a bed's addresses.
var ErrBedInUse = errors.New("the bed is in use")

// inUseStatus is the script's exit status for ErrBedInUse.
const inUseStatus = 76

// Is makes errors.Is(err, ErrBedInUse) work.
func (e *ExitError) Is(target error) bool { return target == ErrBedInUse && e.Code == inUseStatus }

// Command returns the script behind this package, ready to run on a bed, for callers that pass their own terminal through.
// Everything after the verb reaches it as argv.
func Command(ctx context.Context, bed int, args ...string) (*exec.Cmd, error) {
	if err := Check(); err != nil {
		return nil, err
	}
	script, err := unpack(Home())
	if err != nil {
		return nil, fmt.Errorf("practice: unpack scripts: %w", err)
	}
	cmd := exec.CommandContext(ctx, script, args...)
	cmd.Env = append(os.Environ(), "HOSTLER_PRACTICE_HOME="+Home(), "HOSTLER_PRACTICE_BED="+strconv.Itoa(bed))
	return cmd, nil
}

func run(ctx context.Context, bed int, log io.Writer, stdin io.Reader, args ...string) ([]byte, error) {
	cmd, err := Command(ctx, bed, args...)
	if err != nil {
		return nil, err
	}
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &said
	if log != nil {
		cmd.Stderr = io.MultiWriter(&said, log)
	}
	// A killed script may leave a child that still has the pipes open.
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		return out.Bytes(), &ExitError{Args: args, Code: exit.ExitCode(), Stderr: said.String()}
	} else if err != nil {
		return out.Bytes(), fmt.Errorf("practice: %s: %w", strings.Join(args, " "), errors.Join(ctx.Err(), err))
	}
	return out.Bytes(), nil
}
