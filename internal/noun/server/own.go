package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Own is the machine that Hostler runs on, which can be a server as well.
type Own struct {
	// Keys is the directory of the machine's SSH host keys, by which it is recognized.
	Keys string
	// Listen are the addresses that Hostler listens on, "" for none.
	Listen []string
}

// OwnRules opens the ports of Hostler on its own machine.
type OwnRules interface {
	AddOwn(ctx context.Context, tx *db.Tx, server query.Server, ports []value.Port) error
}

// ports returns the ports that other machines reach Hostler on.
func (o Own) ports() (out []value.Port) {
	for _, address := range o.Listen {
		host, text, err := net.SplitHostPort(address)
		if err != nil {
			continue
		}
		if a, err := netip.ParseAddr(host); host == "localhost" || err == nil && a.IsLoopback() {
			continue
		}
		n, err := net.LookupPort("tcp", text)
		if err != nil {
			continue
		}
		if p, err := value.NewPort(n); err == nil && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// is reports whether a machine with these host keys is Hostler's own.
func (o Own) is(hostKeys []string) bool {
	files, _ := filepath.Glob(filepath.Join(o.Keys, "ssh_host_*_key.pub")) // the pattern is valid
	return slices.ContainsFunc(files, func(file string) bool {
		raw, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		key, _, _, _, err := ssh.ParseAuthorizedKey(raw)
		return err == nil && slices.Contains(hostKeys, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))))
	})
}

// enterOwn keeps Hostler reachable on its own machine: its ports are opened by rules that people see, and nginx is not installed where Hostler has its ports.
func (b *Bootstrap) enterOwn(ctx context.Context, tx *db.Tx, row query.Server) error {
	ports := b.Own.ports()
	for _, p := range ports {
		if HasNginx(row.Type) && (p.Int() == 80 || p.Int() == 443) {
			return refuse(http.StatusConflict, "This is Hostler's own machine, and Hostler listens on port %d, which nginx needs. Let Hostler listen on "+
				"another port, such as 127.0.0.1:8080, behind nginx, and run the command again; or add the machine as another type of server.", p.Int())
		}
	}
	if row.FormerHostKeys != "" { // it was archived, and has its rules
		return nil
	}
	return b.Rules.AddOwn(ctx, tx, row, ports)
}
