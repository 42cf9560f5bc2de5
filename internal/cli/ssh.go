package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/ground/rootshell"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// sshOptions are how to enter a server from the operator's machine.
type sshOptions struct {
	rootshell.Options
	Yes bool
}

func (o *sshOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.Target, "ssh", "", "run the setup command over SSH as root@10.0.0.5, or as a user with passwordless sudo")
	c.Flags().StringVar(&o.Identity, "identity", "", "private key file for --ssh (default: the SSH agent and the usual files)")
	c.Flags().StringVar(&o.Fingerprint, "host-key-fingerprint", "", "expected host key fingerprint (SHA256:…)")
	c.Flags().BoolVarP(&o.Yes, "yes", "y", false, "accept an unknown host key without asking")
}

// dial enters the server, and asks about a host key that is not known.
func (o sshOptions) dial(ctx context.Context, s *streams) (*rootshell.Conn, error) {
	o.Trust = func(ctx context.Context, hostname, kind, fingerprint string) bool {
		_, _ = fmt.Fprintf(s.err, "The host key of %s is %s %s\n", hostname, kind, fingerprint)
		if o.Yes {
			return true
		}
		_, _ = fmt.Fprint(s.err, "Is this the server's key (y/N)? ")
		line, err := s.line(ctx)
		s.newline()
		return err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
	}
	return rootshell.Dial(ctx, o.Options)
}

// bootstrap runs the setup command, and returns its last line if it fails.
func (s *streams) bootstrap(ctx context.Context, c *rootshell.Conn, line string) error {
	var out bytes.Buffer
	err := c.Script(ctx, line+"\n", &out, &out)
	_, _ = fmt.Fprint(s.err, text.Visible(out.String()))
	if err != nil && out.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return errors.New(strings.TrimPrefix(lines[len(lines)-1], "hostler: "))
	}
	return err
}
