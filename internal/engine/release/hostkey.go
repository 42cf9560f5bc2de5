package release

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// reportHostKeys reports the host keys that servers presented on first contact, of each Git server that this run met: those that ssh
// added to the pinned ones.
func (s *Site) reportHostKeys() error {
	raw, err := os.ReadFile(filepath.Join(s.RunDir, HostsFile))
	if err != nil {
		return nil //nolint:nilerr // no server showed a key
	}
	lines := strings.SplitAfter(string(raw), "\n")
	pinned, _ := strconv.Atoi(os.Getenv(VarPinned))
	if len(lines) <= pinned {
		return nil
	}
	added := strings.Join(lines[pinned:], "")
	said := s.reported()[ReportHostKeys]
	if added == "" || added == said {
		return nil
	}
	for _, line := range lines[pinned:] {
		f := strings.Fields(line)
		if len(f) < 3 || strings.Contains(said, line) {
			continue
		}
		if key, err := base64.StdEncoding.DecodeString(f[2]); err == nil {
			sum := sha256.Sum256(key)
			s.say("First contact with %s: its host key %s SHA256:%s is pinned", f[0], f[1], base64.RawStdEncoding.EncodeToString(sum[:]))
		}
	}
	return s.report(map[string]string{ReportHostKeys: added})
}

// SSH is the program that git starts instead of ssh: ssh with the site's key and the pinned host keys. A server that none is pinned of is
// trusted on first contact, each separately: submodules and packages come from others than the repository. args are git's.
func SSH(args []string, get func(string) string) error {
	dir := get(wire.RunDirVariable)
	if dir == "" {
		return errors.New("this program is for deploy scripts: there is no deployment in the environment")
	}
	check := "accept-new"
	if known, err := os.ReadFile(filepath.Join(dir, HostsFile)); err != nil || isPinned(string(known), destination(args)) {
		check = "yes"
	}
	argv := []string{
		"ssh", "-F", "/dev/null", "-o", "BatchMode=yes", "-o", "PasswordAuthentication=no", "-o", "KbdInteractiveAuthentication=no", "-o", "ForwardAgent=no",
		"-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "UpdateHostKeys=no",
		"-o", "HashKnownHosts=no", "-o", "GlobalKnownHostsFile=/dev/null", "-o", "UserKnownHostsFile=" + filepath.Join(dir, HostsFile),
		"-o", "StrictHostKeyChecking=" + check, "-o", "LogLevel=ERROR",
	}
	if _, err := os.Stat(filepath.Join(dir, KeyFile)); err == nil {
		argv = append(argv, "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-i", filepath.Join(dir, KeyFile))
	}
	return syscall.Exec("/usr/bin/ssh", append(argv, args...), os.Environ())
}

// destination returns the server that git's arguments for ssh name, as known_hosts has it; "" if they name none.
func destination(args []string) string {
	port := ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-p" && i+1 < len(args):
			i++
			port = args[i]
		case strings.HasPrefix(a, "-p"):
			port = a[2:]
		case len(a) == 2 && a[0] == '-' && strings.Contains("BbcDEeFIiJLlmOoPQRSWw", a[1:]):
			i++ // and its value
		case strings.HasPrefix(a, "-"):
		default:
			host := strings.ToLower(strings.Trim(a[strings.LastIndex(a, "@")+1:], "[]"))
			if port == "" || port == "22" {
				return host
			}
			return "[" + host + "]:" + port
		}
	}
	return ""
}

// isPinned reports whether a known_hosts text has a key of a server. One without a name is treated as if it had.
func isPinned(known, server string) bool {
	if server == "" {
		return true
	}
	for line := range strings.Lines(known) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		for name := range strings.SplitSeq(f[0], ",") {
			if strings.ToLower(name) == server {
				return true
			}
		}
	}
	return false
}
