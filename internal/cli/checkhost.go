package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/ground/inspect"
)

type checkHostOptions struct {
	Script bool
	Type   string
	SSH    sshOptions
}

// servicesOf are the services that servers of a type run, as the script names them.
var servicesOf = map[string][]string{
	"app": {"nginx", "caches", "mysql"}, "web": {"nginx", "caches"}, "loadbalancer": {"nginx"}, "database": {"mysql"}, "cache": {"caches"}, "worker": nil,
}

func newCheckHost(g *globals) *cobra.Command {
	var o checkHostOptions
	c := offline(g, &cobra.Command{
		Example: "  hostler check-host --type web --ssh root@203.0.113.5",
		Use:     "check-host", Short: "Check whether a server could be added, without changing it",
		Long: "Runs what the setup command checks first, on this machine as root or over SSH, and prints what Hostler would refuse and what to do about it.\n" +
			"It only reads, needs no login, and sends nothing anywhere. With --script it prints the script instead, to read it and to run it elsewhere.",
	}, func(ctx context.Context, s streams, _ []string) error { return checkHost(ctx, s, o) })
	c.Flags().BoolVar(&o.Script, "script", false, "print the script instead of running it")
	c.Flags().StringVar(&o.Type, "type", "app", "type of the server: app, web, loadbalancer, database, cache or worker")
	o.SSH.flags(c)
	c.Flag("ssh").Usage = "run the script over SSH as root@10.0.0.5, or as a user with passwordless sudo"
	c.MarkFlagsMutuallyExclusive("script", "ssh")
	return c
}

func checkHost(ctx context.Context, s streams, o checkHostOptions) error {
	services, ok := servicesOf[o.Type]
	if !ok {
		return usage("--type must be app, web, loadbalancer, database, cache or worker, not %q", o.Type)
	}
	script := inspect.Script(services...)
	if o.Script {
		_, err := s.Out.Write([]byte(script))
		return err
	}
	var err error
	if o.SSH.Target == "" {
		shell := exec.CommandContext(ctx, "sh", "-s")
		shell.Stdin, shell.Stdout, shell.Stderr, shell.Env = strings.NewReader(script), s.Out, s.err, os.Environ()
		err = shell.Run()
	} else {
		c, failed := o.SSH.dial(ctx, &s)
		if failed != nil {
			return failed
		}
		defer c.Close()
		err = c.Script(ctx, script, s.Out, s.err)
	}
	var there *ssh.ExitError
	var here *exec.ExitError
	if errors.As(err, &there) && there.ExitStatus() == 1 || errors.As(err, &here) && here.ExitCode() == 1 {
		return exit(CodeFailed, "this server would be refused")
	}
	return err
}
