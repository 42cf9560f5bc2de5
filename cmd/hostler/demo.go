package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/agentbin"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/practice"
)

// The demo has its own bed of hosts and port: hosts reach this machine on ports of 10000 or more.
const (
	demoBed    = 99
	demoPort   = 18099
	demoDomain = "shop.example.com"
	demoEmail  = "owner@example.com"
	demoOrg    = "demo"
)

func newDemoCommand() *cobra.Command {
	var exit bool
	cmd := &cobra.Command{
		Use: "demo", Short: "Run a demo on three practice servers", Args: cobra.NoArgs,
		Long: "Brings up three practice servers, provisions them as a load balancer and two web servers, puts a PHP site on both and a\nbalancer site in " +
			"front, and requests it through the load balancer. Needs Linux and root.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &demo{out: cmd.OutOrStdout(), exit: exit}
			err := d.run(cmd.Context())
			if cleanErr := d.clean(); err == nil {
				err = cleanErr
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&exit, "exit", false, "clean up and exit after the demo")
	return cmd
}

// demo goes through the API like a user would, for everything but the hosts themselves.
type demo struct {
	out  io.Writer
	exit bool

	dir      string
	bed      *practice.Bed
	client   *client.Client
	url      string
	token    string
	password string
	stop     context.CancelFunc
	served   chan error
	began    time.Time
	mu       sync.Mutex
}

func (d *demo) run(ctx context.Context) error {
	if err := practice.Check(); err != nil {
		return err
	}
	d.began = time.Now()
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"bring up three practice servers", d.hosts},
		{"start Hostler", d.panel},
		{"provision a load balancer and two web servers", d.provision},
		{"put the shop on both web servers", d.sites},
		{"put the load balancer in front", d.balance},
		{"request the shop 20 times through the load balancer", d.ask},
	}
	for i, s := range steps {
		began := time.Now()
		d.say("[%d/%d] %s", i+1, len(steps), s.name)
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		d.say("      done in %s", time.Since(began).Round(100*time.Millisecond))
	}
	d.say("\nTotal time: %s.", time.Since(d.began).Round(100*time.Millisecond))
	if d.exit {
		return nil
	}
	d.farewell()
	select {
	case <-ctx.Done():
		return nil
	case err := <-d.served:
		return err
	}
}

func (d *demo) say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = fmt.Fprintf(d.out, format+"\n", args...)
}

func (d *demo) hosts(ctx context.Context) error {
	if old, err := practice.Open(ctx, demoBed); err == nil {
		if err := old.Down(ctx); err != nil {
			return err
		}
	}
	var err error
	d.bed, err = practice.Up(ctx, 3, practice.Options{Bed: demoBed, Log: d.out})
	return err
}

func (d *demo) panel(ctx context.Context) error {
	var err error
	if d.dir, err = os.MkdirTemp("", "hostler-demo-"); err != nil {
		return fmt.Errorf("make data directory: %w", err)
	}
	c := app.Config{DataDir: d.dir, Listen: fmt.Sprintf("%s:%d", d.bed.Gateway, demoPort)}
	c.BaseURL = "http://" + c.Listen
	d.url = c.BaseURL
	if c.Agents, err = agentbin.Load(); err != nil {
		return err
	}
	store, err := app.OpenStore(ctx, c)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(d.dir, "hostler.log"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("make log: %w", err)
	}
	a, err := app.New(c, store, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		return err
	}
	if err := d.account(ctx, store); err != nil {
		return err
	}
	listener, err := a.Listen(ctx)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.stop, d.served = stop, make(chan error, 1)
	go func() {
		err := a.Serve(serving, listener, func() error { return nil })
		_ = store.Close()
		_ = log.Close()
		d.served <- err
	}()
	d.client, err = client.New(d.url, d.token)
	return err
}

func (d *demo) account(ctx context.Context, store *app.Store) error {
	d.password = secret.Random(8)
	return store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		user, err := account.CreateUser(ctx, tx, "Owner", demoEmail, secret.String(d.password))
		if err != nil {
			return err
		}
		if _, err := organization.Create(ctx, tx, "Demo", demoOrg, user.ID); err != nil {
			return err
		}
		token, _, err := account.CreateToken(ctx, tx, user.ID, "demo", access.SetOf(access.All()...), nil)
		d.token = token.Reveal()
		return err
	})
}

// provision adds all servers first and then waits: they are set up in parallel.
func (d *demo) provision(ctx context.Context) error {
	for i, kind := range []string{"loadbalancer", "web", "web"} {
		host := d.bed.Hosts[i]
		body := map[string]any{"name": fmt.Sprintf("%s %d", kind, i+1), "provider": "custom", "type": kind, "custom": map[string]any{"ip_address": host.IP}}
		res, err := d.client.One(ctx, http.MethodPost, "/orgs/"+demoOrg+"/servers", body)
		if err != nil {
			return err
		}
		out, err := d.bed.Exec(ctx, host.Index, "bash", "-c", res.Meta.Bootstrap.Command)
		if err != nil {
			return fmt.Errorf("run the bootstrap line on %s: %w: %s", host.Name, err, out)
		}
	}
	for i := range 3 {
		if err := d.ready(ctx, i+1); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) ready(ctx context.Context, id int) error {
	last := ""
	return d.until(ctx, 15*time.Minute, func() (bool, error) {
		res, err := d.client.One(ctx, http.MethodGet, fmt.Sprintf("/orgs/%s/servers/%d", demoOrg, id), nil)
		if err != nil {
			return false, err
		}
		op := res.Meta.Operation
		if op != nil && op.Step != "" && op.Step != last {
			last = op.Step
			d.say("      %-16s %s", res.Attribute("name"), last)
		}
		if op != nil && op.State == "failed" {
			return false, fmt.Errorf("server %s: %s", res.Attribute("name"), op.Reason)
		}
		return res.Attribute("is_ready") == "true", nil
	})
}

func (d *demo) until(ctx context.Context, within time.Duration, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := ok(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (d *demo) sites(ctx context.Context) error {
	for _, id := range []int{2, 3} {
		body := map[string]any{"type": "php", "name": demoDomain, "web_directory": "/"}
		if err := d.installed(ctx, fmt.Sprintf("/orgs/%s/servers/%d/sites", demoOrg, id), body); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) balance(ctx context.Context) error {
	body := map[string]any{"domain": demoDomain, "balancing": []map[string]any{{"server_id": 2}, {"server_id": 3}}}
	return d.installed(ctx, "/orgs/"+demoOrg+"/servers/1/sites/balancer", body)
}

func (d *demo) installed(ctx context.Context, path string, body any) error {
	res, err := d.client.One(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	return d.until(ctx, 2*time.Minute, func() (bool, error) {
		site, err := d.client.One(ctx, http.MethodGet, "/orgs/"+demoOrg+"/sites/"+res.ID, nil)
		if err != nil {
			return false, err
		}
		if op := site.Meta.Operation; op != nil && op.State == "failed" {
			return false, fmt.Errorf("site %s: %s", site.Attribute("name"), op.Reason)
		}
		return site.Attribute("status") == "installed", nil
	})
}

// ask checks that both nodes answer; it fails if one of them does not.
func (d *demo) ask(ctx context.Context) error {
	counts := map[string]int{}
	for range 20 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.bed.Hosts[0].IP+"/", nil)
		if err != nil {
			return err
		}
		req.Host = demoDomain
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("the load balancer responded with %s: %s", resp.Status, body)
		}
		for _, host := range d.bed.Hosts[1:] {
			if strings.Contains(string(body), host.Name) {
				counts[host.Name]++
			}
		}
	}
	for _, host := range d.bed.Hosts[1:] {
		d.say("      %d responses from %s (%s)", counts[host.Name], host.Name, host.IP)
		if counts[host.Name] == 0 {
			return fmt.Errorf("no response came from %s", host.Name)
		}
	}
	return nil
}

func (d *demo) farewell() {
	d.say(`
Hostler keeps running at %[1]s (Ctrl-C ends it and removes the servers).

  login    %[2]s  %[3]s
  token    %[4]s

Try these in another terminal:
  curl -H 'Host: %[5]s' http://%[6]s/
  curl -s -H 'Authorization: Bearer %[4]s' %[1]s/api/orgs/%[7]s/servers
  curl -s -X POST -H 'Authorization: Bearer %[4]s' -H 'Content-Type: application/json' -d '{"name":"no web","port":"80","type":"deny"}' \
  '%[1]s/api/orgs/%[7]s/servers/1/firewall-rules?dry_run=true'
`, d.url, demoEmail, d.password, d.token, demoDomain, d.bed.Hosts[0].IP, demoOrg)
}

func (d *demo) clean() error {
	if d.stop != nil {
		d.stop()
		if err := <-d.served; err != nil {
			return err
		}
	}
	if d.bed != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := d.bed.Down(ctx); err != nil {
			return err
		}
	}
	if d.dir != "" {
		return os.RemoveAll(d.dir)
	}
	return nil
}
