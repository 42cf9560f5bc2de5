package edge

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/test/githost"
)

// scenario is how to call an operation so that it succeeds with the permissions.
type scenario struct {
	// at are the parameters of the path in an organization's things.
	at func(things) map[string]string
	// body is for the n-th call: what must be new is new each time.
	body func(w *world, n int64) any
	// before puts things into the state that the operation needs.
	before func(w *world, t things)
	// allowed is the status for permitted callers; zero is the operation's own status. There is no host in these tests.
	allowed int
	// gone is set if success removes what the path names: one caller succeeds, and for the next it is not found.
	gone bool
	// self is set where success takes the caller out of the organization.
	self bool
	// roles is set where the caller's role counts although the path names no organization.
	roles bool
	// noted is how many lines the audit log has of a call that succeeds; zero is one.
	noted int64
	// further are the permissions that this request needs besides those of its operation.
	further []access.Permission
}

func inviteBody(_ *world, n int64) any {
	return map[string]any{"email": fmt.Sprintf("guest-%d@example.com", n), "role_id": 5}
}

func heartbeatBody(_ *world, n int64) any {
	return map[string]any{"name": fmt.Sprintf("Job %d", n), "frequency": -1, "custom_frequency": "30 3 * * *", "grace_period": 10}
}

func jobBody(_ *world, n int64) any {
	return map[string]any{"name": fmt.Sprintf("Job %d", n), "command": "true", "user": "forge", "frequency": "custom", "cron": "*/5 * * * *"}
}

func composerBody(host string) any {
	return map[string]any{"repository": host, "username": "anna", "password": "geheim"}
}

func npmBody(host string) any { return map[string]any{"registry": host, "token": "geheim"} }

func processBody(_ *world, n int64) any {
	return map[string]any{"name": fmt.Sprintf("worker %d", n), "command": "sleep 1000", "user": "forge", "processes": 1}
}

func onServer(t things) map[string]string {
	return map[string]string{
		"organization": t.slug, "server": t.server, "rule": t.rule, "site": t.site, "event": t.event, "deployment": t.deployment,
		"command": t.command, "version": t.version,
		"team": t.team, "user": t.user, "invitation": t.invitation, "role": t.role, "credential": t.credential, "recipe": t.recipe, "log": t.run,
		"permission": t.permission, "client": t.client,
		"region": t.region, "vpcId": t.vpc,
		"database": t.database, "databaseUser": t.databaseUser, "storageConfiguration": t.storage, "dnsProvider": t.dnsProvider,
		"heartbeat": t.heartbeat, "repository": t.composer, "registry": t.npm, "backgroundProcess": t.process, "key": t.logKey, "job": t.job,
		"redirectRule": t.redirect, "securityRule": t.security, "sftpUser": t.sftpUser, "domainRecord": t.domain, "certificate": t.certificate,
		"nginxTemplate":     t.template,
		"deploymentWebhook": t.webhook, "delivery": t.delivery, "sourceControlProvider": t.source,
	}
}

// onServerKey returns with an SSH key: logs are found by a word of the same name.
func onServerKey(t things) map[string]string {
	at := onServer(t)
	at["key"] = t.sshKey
	return at
}

func onMonitor(t things) map[string]string {
	at := onServer(t)
	at["monitor"] = t.monitor
	return at
}

func onPHP(t things) map[string]string {
	at := onServer(t)
	at["phpVersion"] = t.php
	return at
}

// onServerJob returns with a job of the server itself: that of the site goes with another operation.
func onServerJob(t things) map[string]string {
	at := onServer(t)
	at["job"] = t.serverJob
	return at
}

// onShipped is with a recipe that comes with the program.
func onShipped(t things) map[string]string {
	return map[string]string{"forgeRecipe": t.shipped, "log": t.shippedRun}
}

func onChannel(t things) map[string]string {
	return map[string]string{"organization": t.slug, "notificationChannel": t.channel, "delivery": t.told}
}

func onPredefined(t things) map[string]string { return map[string]string{"role": t.predefined} }

// onProvider is with a provider, a region and a size of the shipped lists.
func onProvider(t things) map[string]string {
	return map[string]string{"provider": t.provider, "providerRegion": t.providerRegion, "providerSize": t.providerSize}
}

func onOrgInvitation(t things) map[string]string {
	return map[string]string{"organization": t.slug, "invitation": t.orgInvitation}
}

// again recreates what the operation removes, each time.
func again(path string, body func(t things) any) func(w *world, t things) {
	return func(w *world, t things) {
		if a := w.owner.Post("/orgs/"+t.slug+"/teams/"+t.team+path, body(t)); a.Status != 201 {
			w.T.Fatalf("share again: %d %s", a.Status, a.Body)
		}
	}
}

func onBalancer(t things) map[string]string {
	return map[string]string{"organization": t.slug, "server": t.balancer, "site": t.balancerSite}
}

func onEngine(t things) map[string]string {
	return map[string]string{
		"organization": t.slug, "server": t.engine, "database": t.database, "databaseUser": t.databaseUser,
		"backupConfiguration": t.configuration, "backup": t.backup,
	}
}

// withoutConfigurations removes what uses the storage provider.
func withoutConfigurations(w *world, t things) {
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.DeleteBackupConfiguration(ctx, number(t.configuration))
	})
}

// failEvent makes the work of the event fail, so that it can be retried.
func failEvent(w *world, t things) {
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		op := w.operation(ctx, tx, t.event)
		_, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: job.StateFailed, Step: "firewall", Reason: "made to fail", UpdatedAt: tx.Micros()})
		return err
	})
}

func (w *world) operation(ctx context.Context, tx *db.Tx, event string) query.Operation {
	w.T.Helper()
	events, err := db.All[query.Event](ctx, tx.SQL, "events", db.Equal("id", number(event)))
	if err != nil || len(events) != 1 {
		w.T.Fatalf("read event %s: %d rows, %v", event, len(events), err)
	}
	op, err := tx.Ungranted().GetOperation(ctx, *events[0].OperationID)
	if err != nil {
		w.T.Fatal(err)
	}
	return op
}

// The list that every operation must be in.
var scenarios = map[string]scenario{
	"me":                          {at: onServer},
	"user.show":                   {at: onServer},
	"organizations.index":         {at: onServer},
	"organizations.show":          {at: onServer},
	"sites.index":                 {at: onServer},
	"attention.index":             {at: onServer},
	"organizations.sites.index":   {at: onServer},
	"organizations.sites.show":    {at: onServer},
	"organizations.events.index":  {at: onServer},
	"organizations.events.stream": {at: onServer},

	"organizations.servers.index": {at: onServer},
	"organizations.servers.store": {at: onServer, body: func(_ *world, n int64) any { return serverBody(fmt.Sprintf("new-%d", n), "app") }},
	"organizations.servers.show":  {at: onServer},
	"organizations.servers.update": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("renamed-%d", n)}
	}},
	"organizations.servers.destroy":        {at: onBalancer},
	"organizations.servers.drift.show":     {at: onServer, allowed: 409}, // the server is not set up
	"organizations.servers.host-keys.show": {at: onServer, allowed: 409}, // it is not connected yet
	"organizations.servers.host-keys.update": {at: onServer, allowed: 409, body: func(w *world, _ int64) any {
		return map[string]any{"host_keys": []string{publicKey(w.T)}}
	}},
	"organizations.servers.repairs.store":  {at: onServer, allowed: 409}, // likewise
	"organizations.servers.key.show":       {at: onServer},
	"organizations.servers.key.update":     {at: onServer},
	"organizations.servers.line.store":     {at: onServer},
	"organizations.servers.archives.index": {at: onServer},
	"organizations.servers.archives.store": {at: onServer, body: func(w *world, _ int64) any { return w.archiving(w.mine.server) }},
	"organizations.servers.archives.destroy": {at: onServer, before: func(w *world, t things) {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET revoked = TRUE, status = 'archived' WHERE id = $1", number(t.server))
			return err
		})
	}},
	"organizations.servers.network.show":   {at: onServer},
	"organizations.servers.network.update": {at: onServer, body: peerOf},

	"organizations.servers.monitors.index":   {at: onServer},
	"organizations.servers.monitors.store":   {at: onServer, body: func(*world, int64) any { return monitorBody() }},
	"organizations.servers.monitors.show":    {at: onMonitor},
	"organizations.servers.monitors.update":  {at: onMonitor, body: func(_ *world, n int64) any { return map[string]any{"threshold": 10 + n%80} }},
	"organizations.servers.monitors.destroy": {at: onMonitor},

	"organizations.servers.metrics.show":       {at: onServer},
	"organizations.servers.metrics.fleet":      {at: onServer},
	"organizations.servers.sites.metrics.show": {at: onServer},

	"organizations.servers.upgrades.store": {at: onServer, allowed: 409}, // the server is not set up
	"organizations.servers.transfer.show":  {at: onServer},
	"organizations.servers.transfer.store": {
		at: onServer, before: transferable, gone: true, noted: 2, further: []access.Permission{access.ServerCreate},
		body: func(w *world, _ int64) any { return map[string]any{"to": w.otherOrg.Slug, "force": true} },
	},

	"organizations.ssh-keys.index":         {at: onServer},
	"organizations.servers.ssh-keys.index": {at: onServer},
	"organizations.servers.ssh-keys.store": {at: onServer, body: func(w *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("key %d", n), "key": publicKey(w.T)}
	}},
	"organizations.servers.ssh-keys.show":    {at: onServerKey},
	"organizations.servers.ssh-keys.destroy": {at: onServerKey},

	"organizations.servers.firewall-rules.index": {at: onServer},
	"organizations.servers.firewall-rules.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("rule %d", n), "port": "9000", "type": "allow"}
	}},
	"organizations.servers.firewall-rules.show": {at: onServer},
	"organizations.servers.firewall-rules.update": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("rule %d", n)}
	}},
	"organizations.servers.firewall-rules.destroy": {at: onServer},

	"organizations.dns-providers.index":   {at: onServer},
	"organizations.dns-providers.store":   {at: onServer, body: func(_ *world, n int64) any { return dnsProviderBody(fmt.Sprintf("new-%d", n)) }},
	"organizations.dns-providers.show":    {at: onServer},
	"organizations.dns-providers.update":  {at: onServer, body: func(_ *world, n int64) any { return map[string]any{"name": fmt.Sprintf("renamed-%d", n)} }},
	"organizations.dns-providers.destroy": {at: onServer, gone: true},

	"organizations.storage-providers.index":   {at: onServer},
	"organizations.storage-providers.store":   {at: onServer, body: func(_ *world, n int64) any { return storageBody(fmt.Sprintf("new-%d", n)) }},
	"organizations.storage-providers.show":    {at: onServer},
	"organizations.storage-providers.update":  {at: onServer, body: func(_ *world, n int64) any { return storageBody(fmt.Sprintf("changed-%d", n)) }},
	"organizations.storage-providers.destroy": {at: onServer, before: withoutConfigurations, gone: true},
	"organizations.backup-keys.index":         {at: onServer},
	"organizations.backup-keys.export.store":  {at: onServer},

	"organizations.servers.database.backups.index":             {at: onEngine},
	"organizations.servers.database.backups.store":             {at: onEngine, body: func(w *world, _ int64) any { return backupBody(w.mine) }},
	"organizations.servers.database.backups.show":              {at: onEngine},
	"organizations.servers.database.backups.update":            {at: onEngine, body: func(w *world, _ int64) any { return backupBody(w.mine) }},
	"organizations.servers.database.backups.destroy":           {at: onEngine, gone: true},
	"organizations.servers.database.backups.instances.index":   {at: onEngine},
	"organizations.servers.database.backups.instances.store":   {at: onEngine},
	"organizations.servers.database.backups.instances.show":    {at: onEngine},
	"organizations.servers.database.backups.instances.destroy": {at: onEngine},
	"organizations.servers.database.backups.instances.restores.store": {
		at:   onEngine,
		body: func(w *world, _ int64) any { return map[string]any{"database_id": number(w.mine.database)} },
	},
	"organizations.servers.database.backups.instances.proofs.store":    {at: onEngine},
	"organizations.servers.database.backups.instances.downloads.store": {at: onEngine},

	"organizations.servers.database.schemas.index": {at: onEngine},
	"organizations.servers.database.schemas.store": {at: onEngine, body: func(_ *world,
		n int64,
	) any {
		return map[string]any{"name": fmt.Sprintf("db_%d", n)}
	}},
	"organizations.servers.database.schemas.synchronizations.store": {at: onEngine},
	"organizations.servers.database.schemas.show":                   {at: onEngine},
	"organizations.servers.database.schemas.destroy":                {at: onEngine},
	"organizations.servers.database.users.index":                    {at: onEngine},
	"organizations.servers.database.users.store": {at: onEngine, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("user_%d", n), "password": "s3cret"}
	}},
	"organizations.servers.database.users.show":          {at: onEngine},
	"organizations.servers.database.users.update":        {at: onEngine, body: func(*world, int64) any { return map[string]any{"password": "another"} }},
	"organizations.servers.database.users.destroy":       {at: onEngine},
	"organizations.servers.database.password.update":     {at: onEngine, body: func(*world, int64) any { return map[string]any{"password": "another"} }},
	"organizations.servers.services.mysql.actions.store": {at: onEngine, body: func(*world, int64) any { return map[string]any{"action": "reboot"} }},
	"organizations.servers.services.postgres.actions.store": {
		at: onEngine, allowed: 409,
		body: func(*world, int64) any { return map[string]any{"action": "reboot"} },
	}, // it has MariaDB

	"organizations.servers.services.index":               {at: onServer, allowed: 409}, // the server is not set up
	"organizations.servers.services.nginx.actions.store": {at: onServer, body: func(*world, int64) any { return map[string]any{"action": "reboot"} }},
	"organizations.servers.services.php.actions.store": {
		at: onServer, allowed: 422,
		body: func(*world, int64) any { return map[string]any{"action": "reload", "version": "php84"} },
	}, // nothing was found on it yet
	"organizations.servers.services.redis.actions.store":      {at: onServer, body: func(*world, int64) any { return map[string]any{"action": "reboot"} }},
	"organizations.servers.services.supervisor.actions.store": {at: onServer, body: func(*world, int64) any { return map[string]any{"action": "reboot"} }},

	"organizations.servers.php.versions.index": {at: onServer},
	"organizations.servers.php.versions.store": {
		at: onServer, before: withoutPHP74,
		body: func(*world, int64) any {
			return map[string]any{"version": "php74", "cli_default": true, "site_default": true}
		},
	},
	"organizations.servers.php.versions.show":             {at: onPHP},
	"organizations.servers.php.versions.update":           {at: onPHP},
	"organizations.servers.php.versions.destroy":          {at: onPHP},
	"organizations.servers.php.cli-version.show":          {at: onServer},
	"organizations.servers.php.cli-version.update":        {at: onServer, body: func(*world, int64) any { return map[string]any{"php_version": "8.4"} }},
	"organizations.servers.php.site-version.show":         {at: onServer},
	"organizations.servers.php.site-version.update":       {at: onServer, body: func(*world, int64) any { return map[string]any{"php_version": "8.4"} }},
	"organizations.servers.php.versions.configs.fpm.show": {at: onPHP},
	"organizations.servers.php.versions.configs.fpm.update": {at: onPHP, body: func(*world, int64) any {
		return map[string]any{"config": "memory_limit = 256M\n"}
	}},
	"organizations.servers.php.versions.configs.cli.show": {at: onPHP},
	"organizations.servers.php.versions.configs.cli.update": {at: onPHP, body: func(*world, int64) any {
		return map[string]any{"config": "memory_limit = 1G\n"}
	}},
	"organizations.servers.php.versions.configs.pool.show": {at: onPHP},
	"organizations.servers.php.versions.configs.pool.update": {at: onPHP, body: func(*world, int64) any {
		return map[string]any{"config": "pm = static\n", "user": "forge"}
	}},
	"organizations.servers.php.max-upload-size.show":      {at: onServer},
	"organizations.servers.php.max-upload-size.update":    {at: onServer, body: func(*world, int64) any { return map[string]any{"max_upload_size": 64} }},
	"organizations.servers.php.max-execution-time.show":   {at: onServer},
	"organizations.servers.php.max-execution-time.update": {at: onServer, body: func(*world, int64) any { return map[string]any{"max_execution_time": 120} }},
	"organizations.servers.php.opcache.show":              {at: onServer},
	"organizations.servers.php.opcache.store":             {at: onServer},
	"organizations.servers.php.opcache.destroy":           {at: onServer},

	"organizations.servers.sites.index": {at: onServer},
	"organizations.servers.sites.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"type": "static-html", "name": fmt.Sprintf("site-%d.example.org", n)}
	}},
	"organizations.servers.sites.update":  {at: onServer, body: func(*world, int64) any { return map[string]any{"tags": []string{"shop"}} }},
	"organizations.servers.sites.destroy": {at: onServer},
	"organizations.servers.sites.storeOnBalancer": {at: onBalancer, body: func(_ *world, n int64) any {
		return map[string]any{"domain": fmt.Sprintf("balanced-%d.example.org", n)}
	}},
	"organizations.servers.sites.load-balancing-nodes.index": {at: onBalancer},
	"organizations.servers.sites.load-balancing-nodes.update": {at: onBalancer, body: func(w *world, _ int64) any {
		return map[string]any{"balancer_method": "least_conn", "balancing": []any{map[string]any{"server_id": number(w.mine.server), "weight": 2}}}
	}},

	"organizations.servers.deployments.index":                {at: onServer},
	"organizations.servers.sites.deployments.index":          {at: onServer},
	"organizations.servers.sites.deployments.store":          {at: onServer},
	"organizations.servers.sites.deployments.show":           {at: onServer},
	"organizations.servers.sites.deployments.log.show":       {at: onServer},
	"organizations.servers.sites.deployments.status.show":    {at: onServer},
	"organizations.servers.sites.deployments.status.destroy": {at: onServer},
	"organizations.servers.sites.deployments.script.show":    {at: onServer},
	"organizations.servers.sites.deployments.script.update": {
		at:   onServer,
		body: func(*world, int64) any { return map[string]any{"content": "true\n", "auto_source": true} },
	},
	"organizations.servers.sites.deployments.deploy-hook.show":       {at: onServer},
	"organizations.servers.sites.deployments.deploy-hook.update":     {at: onServer},
	"organizations.servers.sites.deployments.pushes.index":           {at: onServer},
	"organizations.servers.sites.deployments.push-to-deploy.store":   {at: onServer},
	"organizations.servers.sites.deployments.push-to-deploy.destroy": {at: onServer},
	"organizations.servers.sites.deployments.zero-downtime.store":    {at: onServer, allowed: 409}, // it has no repository
	"organizations.servers.sites.deployments.zero-downtime.destroy":  {at: onServer, allowed: 409},
	"organizations.servers.sites.deployments.rollback.store":         {at: onServer, allowed: 409}, // its release is not kept
	"organizations.servers.sites.deployments.redeploy.store":         {at: onServer, allowed: 409}, // its commit is not known
	"organizations.servers.sites.deploy-key.show":                    {at: onServer},
	"organizations.servers.sites.deploy-key.store":                   {at: onServer},
	"organizations.servers.sites.deploy-key.destroy":                 {at: onServer},
	"organizations.servers.sites.git.check.show":                     {at: onServer},
	"organizations.servers.sites.git.check.store":                    {at: onServer, allowed: 409}, // it has no repository
	"organizations.servers.sites.healthcheck.show":                   {at: onServer},
	"organizations.servers.sites.healthcheck.update": {
		at:   onServer,
		body: func(*world, int64) any { return map[string]any{"healthcheck_endpoint": nil} },
	},
	"organizations.servers.sites.git.update": {at: onServer, body: func(*world, int64) any {
		return map[string]any{"source_control_provider": "custom", "repository": "git@git.example.com:a/b.git", "branch": "main"}
	}},
	"organizations.servers.sites.webhooks.index": {at: onServer},
	"organizations.servers.sites.webhooks.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"url": fmt.Sprintf("https://app.example.com/hook/%d", n)}
	}},
	"organizations.servers.sites.webhooks.show":                       {at: onServer},
	"organizations.servers.sites.webhooks.destroy":                    {at: onServer, gone: true},
	"organizations.servers.sites.webhooks.secret.update":              {at: onServer},
	"organizations.servers.sites.webhooks.deliveries.index":           {at: onServer},
	"organizations.servers.sites.webhooks.deliveries.store":           {at: onServer},
	"organizations.servers.sites.webhooks.deliveries.show":            {at: onServer},
	"organizations.servers.sites.webhooks.deliveries.redeliver.store": {at: onServer},
	"organizations.source-control-providers.index":                    {at: onServer},
	"organizations.source-control-providers.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("source %d", n), "provider": "github", "token": githost.Token}
	}},
	"organizations.source-control-providers.show": {at: onServer},
	"organizations.source-control-providers.update": {
		at:   onServer,
		body: func(*world, int64) any { return map[string]any{"token": githost.Token} },
	},
	"organizations.source-control-providers.destroy":                    {at: onServer, gone: true},
	"organizations.servers.sites.source-control.show":                   {at: onServer},
	"organizations.servers.sites.source-control.synchronizations.store": {at: onServer, allowed: 409}, // the site has no connection
	"organizations.notification-channels.index":                         {at: onChannel},
	"organizations.notification-channels.store": {at: onChannel, body: func(_ *world, n int64) any {
		return map[string]any{
			"name": fmt.Sprintf("channel %d", n), "type": "mail", "address": "ops@example.com",
			"events": []string{"backup.failed", "deployment.failed"},
		}
	}},
	"organizations.notification-channels.show":                       {at: onChannel},
	"organizations.notification-channels.update":                     {at: onChannel, body: func(*world, int64) any { return map[string]any{"enabled": false} }},
	"organizations.notification-channels.destroy":                    {at: onChannel, gone: true},
	"organizations.notification-channels.deliveries.index":           {at: onChannel},
	"organizations.notification-channels.deliveries.store":           {at: onChannel},
	"organizations.notification-channels.deliveries.show":            {at: onChannel},
	"organizations.notification-channels.deliveries.redeliver.store": {at: onChannel},
	"organizations.servers.sites.environment.show":                   {at: onServer},
	"organizations.servers.sites.environment.update": {
		at:   onServer,
		body: func(*world, int64) any { return map[string]any{"environment": "A=1\n"} },
	},
	"organizations.servers.sites.environment.versions.index": {at: onServer},
	"organizations.servers.sites.environment.versions.show":  {at: onServer},
	"organizations.servers.sites.files.index":                {at: onServer, allowed: 409},
	"organizations.servers.sites.files.show":                 {at: onServer, allowed: 409},
	"organizations.servers.sites.files.destroy":              {at: onServer, allowed: 422}, // it names no path
	"organizations.servers.sites.files.content.show":         {at: onServer, allowed: 409},
	"organizations.servers.sites.files.content.update": {at: onServer, allowed: 409, body: func(*world, int64) any {
		return map[string]any{"path": "/index.php", "content": "<?php"}
	}},
	"organizations.servers.sites.files.directories.store": {at: onServer, allowed: 409, body: func(*world, int64) any { return map[string]any{"path": "/new"} }},
	"organizations.servers.sites.files.moves.store": {at: onServer, allowed: 409, body: func(*world, int64) any {
		return map[string]any{"path": "/a", "new_path": "/b"}
	}},
	"organizations.servers.sites.files.download":       {at: onServer, allowed: 409},
	"organizations.servers.sites.files.upload":         {at: onServer, allowed: 422}, // it is no file
	"organizations.servers.sites.commands.index":       {at: onServer},
	"organizations.servers.sites.commands.store":       {at: onServer, body: func(*world, int64) any { return map[string]any{"command": "id"} }},
	"organizations.servers.sites.commands.show":        {at: onServer},
	"organizations.servers.sites.commands.destroy":     {at: onServer, gone: true},
	"organizations.servers.sites.commands.output.show": {at: onServer},
	"organizations.servers.sites.redirect-rules.index": {at: onServer},
	"organizations.servers.sites.redirect-rules.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"from": fmt.Sprintf("^/from-%d$", n), "to": "/to", "type": "redirect"}
	}},
	"organizations.servers.sites.redirect-rules.reorder": {at: onServer, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"redirects": []any{number(w.mine.redirect)}}
	}},
	"organizations.servers.sites.redirect-rules.export": {at: onServer},
	"organizations.servers.sites.redirect-rules.import": {at: onServer, body: func(_ *world, n int64) any {
		return Form{"mode": "append", "file": fmt.Sprintf("^/imported-%d$,/to,permanent\n", n)}
	}},
	"organizations.servers.sites.redirect-rules.show": {at: onServer},
	"organizations.servers.sites.redirect-rules.update": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"to": fmt.Sprintf("/to-%d", n)}
	}},
	"organizations.servers.sites.redirect-rules.destroy": {at: onServer},
	"organizations.servers.sites.security-rules.index":   {at: onServer},
	"organizations.servers.sites.security-rules.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": "Staff", "path": fmt.Sprintf("/staff-%d", n), "credentials": []any{map[string]any{"username": "bo", "password": "geheim"}}}
	}},
	"organizations.servers.sites.security-rules.show": {at: onServer},
	"organizations.servers.sites.security-rules.update": {at: onServer, body: func(*world, int64) any {
		return map[string]any{"name": "Admins", "path": "/admin", "credentials": []any{map[string]any{"username": "anna"}}}
	}},
	"organizations.servers.sites.security-rules.destroy": {at: onServer},
	"organizations.servers.sites.sftp-users.index":       {at: onServer},
	"organizations.servers.sites.sftp-users.store": {at: onServer, body: func(w *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("designer-%d", n), "keys": []any{publicKey(w.T)}}
	}},
	"organizations.servers.sites.sftp-users.show": {at: onServer},
	"organizations.servers.sites.sftp-users.update": {at: onServer, body: func(*world, int64) any {
		return map[string]any{"expires_on": "2030-12-31"}
	}},
	"organizations.servers.sites.sftp-users.destroy": {at: onServer},

	"organizations.servers.sites.domains.index": {at: onServer},
	"organizations.servers.sites.domains.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("alias-%d.example.org", n), "www_redirect_type": "from-www", "allow_wildcard_subdomains": false}
	}},
	"organizations.servers.sites.domains.show": {at: onServer},
	"organizations.servers.sites.domains.update": {at: onServer, body: func(*world, int64) any {
		return map[string]any{"www_redirect_type": "to-www", "allow_wildcard_subdomains": nil}
	}},
	"organizations.servers.sites.domains.destroy":        {at: onServer},
	"organizations.servers.sites.domains.configurations": {at: onServer},
	"organizations.servers.sites.domains.actions.store":  {at: onServer, body: func(*world, int64) any { return map[string]any{"action": "disable"} }},

	"organizations.servers.sites.certificates.index":         {at: onServer},
	"organizations.servers.sites.domains.certificate.show":   {at: onServer},
	"organizations.servers.sites.domains.certificates.index": {at: onServer},
	"organizations.servers.sites.domains.dns.show":           {at: onServer},
	"organizations.servers.sites.domains.dns.plan.show":      {at: onServer, allowed: 422}, // it names no DNS provider
	"organizations.servers.sites.domains.dns.store": {at: onServer, allowed: 422, body: func(w *world, _ int64) any { // it names no record
		return map[string]any{"dns_provider_id": number(w.mine.dnsProvider), "plan": strings.Repeat("a", 64), "replace": []string{"none"}}
	}},
	"organizations.servers.sites.domains.dns.destroy":     {at: onServer},
	"organizations.servers.sites.domains.dns.check.store": {at: onServer, allowed: 409}, // there are no records
	"organizations.servers.sites.domains.certificates.store": {
		at:   onServer,
		body: func(*world, int64) any { return map[string]any{"type": "letsencrypt"} },
	},
	"organizations.servers.sites.domains.certificates.active": {at: onServer},
	"organizations.servers.sites.domains.certificates.show":   {at: onServer},
	"organizations.servers.sites.domains.certificates.update": {
		at: onServer, allowed: 409,
		body: func(*world, int64) any { return map[string]any{"certificate": "x"} },
	}, // it waits for none
	"organizations.servers.sites.domains.certificates.destroy":       {at: onServer},
	"organizations.servers.sites.domains.certificates.actions.store": {at: onServer, body: func(*world, int64) any { return map[string]any{"action": "disable"} }},

	"organizations.servers.sites.nginx.show": {at: onServer},
	"organizations.servers.sites.nginx.update": {
		at: onServer, allowed: 409,
		body: func(*world, int64) any { return map[string]any{"config": "server {}"} },
	}, // the server is not set up
	"organizations.servers.sites.domains.nginx.show": {at: onServer},
	"organizations.servers.sites.domains.nginx.update": {
		at: onServer, allowed: 409,
		body: func(*world, int64) any { return map[string]any{"config": "server {}"} },
	},
	"organizations.servers.sites.domains.nginx.root.update": {
		at: onServer, allowed: 409,
		body: func(*world, int64) any { return map[string]any{"config": "server {}"} },
	},
	"organizations.servers.nginx.templates.index": {at: onServer},
	"organizations.servers.nginx.templates.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprint(n), "content": "server { server_name {{SITE}}; }"}
	}},
	"organizations.servers.nginx.templates.show": {at: onServer},
	"organizations.servers.nginx.templates.update": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprint(n), "content": "server { server_name {{SITE}}; }"}
	}},
	"organizations.servers.nginx.templates.destroy": {at: onServer, gone: true},

	"auth.login": {at: onServer, before: withPassword, body: func(*world, int64) any {
		return map[string]any{
			"email":    "owner@example.com",
			"password": password,
		}
	}},
	"auth.logout": {at: onServer},
	"auth.setup": {at: onServer, allowed: 422, // there are accounts
		body: func(*world, int64) any {
			return map[string]any{"code": "none", "email": "first@example.com", "password": password}
		}},
	"auth.sign-up": {at: onServer, before: withInvitation, body: func(w *world, _ int64) any {
		return map[string]any{"invitation": w.link, "name": "Guest", "password": password}
	}},
	"auth.invitation":      {at: onServer, before: withInvitation, body: func(w *world, _ int64) any { return map[string]any{"invitation": w.link} }},
	"auth.password.forgot": {at: onServer, body: func(*world, int64) any { return map[string]any{"email": "owner@example.com"} }},
	"auth.password.reset": {at: onServer, before: withReset, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"token": w.link, "password": password}
	}},
	"auth.email.verify":     {at: onServer, before: withVerification, body: func(w *world, _ int64) any { return map[string]any{"token": w.link} }},
	"recipients.confirm":    {at: onServer, before: withRecipient, body: func(w *world, _ int64) any { return map[string]any{"token": w.link} }},
	"organizations.store":   {at: onOwn, body: func(_ *world, n int64) any { return map[string]any{"name": "New", "slug": fmt.Sprintf("new-%d", n)} }},
	"user.sessions.index":   {at: onOwn},
	"user.sessions.destroy": {at: onOwn, gone: true},
	"user.tokens.index":     {at: onOwn},
	"user.tokens.store": {at: onOwn, body: func(*world, int64) any {
		return map[string]any{"name": "new", "scopes": []string{"server:view"}, "password": password}
	}},
	"user.tokens.destroy": {at: onOwn, gone: true},
	"user.password.update": {at: onOwn, before: withPassword, body: func(*world, int64) any {
		return map[string]any{"current_password": password, "password": password}
	}},
	"user.oauth-grants.index":           {at: onOwn},
	"user.oauth-grants.destroy":         {at: onOwn, gone: true},
	"organizations.oauth-clients.index": {at: onServer},
	"organizations.oauth-clients.store": {at: onServer, body: func(*world, int64) any {
		return map[string]any{"name": "another", "redirect_uris": []string{"https://app.example.com/back"}, "scopes": []string{"server:view"}}
	}},
	"organizations.oauth-clients.show":    {at: onServer},
	"organizations.oauth-clients.update":  {at: onServer, body: func(*world, int64) any { return map[string]any{"name": "renamed"} }},
	"organizations.oauth-clients.destroy": {at: onServer, gone: true},
	"organizations.retention.show":        {at: onServer},
	"organizations.retention.update":      {at: onServer, body: func(*world, int64) any { return map[string]any{"output_days": 12} }},
	"organizations.rate-limit.show":       {at: onServer},
	"organizations.rate-limit.update":     {at: onServer, body: func(*world, int64) any { return map[string]any{"requests_per_minute": 5_000_000} }},
	"organizations.attention.index":       {at: onServer},
	"organizations.checklist.show":        {at: onServer},
	"organizations.timezone.show":         {at: onServer},
	"organizations.timezone.update":       {at: onServer, body: func(*world, int64) any { return map[string]any{"timezone": "Europe/Berlin"} }},
	"organizations.audit.index":           {at: onServer},
	"organizations.audit.export":          {at: onServer},
	"user.audit.index":                    {at: onOwn},
	"user.two-factor.show":                {at: onOwn},
	"user.two-factor.store":               {at: onOwn, before: withPassword, body: passwordBody},
	"user.two-factor.confirm":             {at: onOwn, before: withSecret, body: func(w *world, _ int64) any { return map[string]any{"code": w.code} }},
	"user.two-factor.destroy":             {at: onOwn, before: withPassword, body: passwordBody},
	"user.recovery-codes.store":           {at: onOwn, before: withTwoFactor, body: passwordBody},
	"user.invitations.store": {at: onOwn, before: withOwnInvitation, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"invitation": w.link}
	}},

	"providers.index":                        {at: onProvider},
	"providers.show":                         {at: onProvider},
	"providers.sizes.index":                  {at: onProvider},
	"providers.sizes.show":                   {at: onProvider},
	"providers.regions.index":                {at: onProvider},
	"providers.regions.show":                 {at: onProvider},
	"providers.regions.sizes.index":          {at: onProvider},
	"providers.regions.sizes.show":           {at: onProvider},
	"predefined-roles.index":                 {at: onPredefined},
	"predefined-roles.show":                  {at: onPredefined},
	"permissions.index":                      {at: onServer},
	"permissions.show":                       {at: onServer},
	"organizations.roles.index":              {at: onServer},
	"organizations.roles.store":              {at: onServer, body: func(_ *world, n int64) any { return map[string]any{"name": fmt.Sprintf("custom %d", n)} }},
	"organizations.roles.show":               {at: onServer},
	"organizations.roles.update":             {at: onServer, body: func(_ *world, n int64) any { return map[string]any{"name": fmt.Sprintf("changed %d", n)} }},
	"organizations.roles.destroy":            {at: onServer, gone: true},
	"organizations.roles.permissions.index":  {at: onServer},
	"organizations.teams.index":              {at: onServer},
	"organizations.teams.store":              {at: onServer, body: func(_ *world, n int64) any { return map[string]any{"name": fmt.Sprintf("team %d", n)} }},
	"organizations.teams.show":               {at: onServer},
	"organizations.teams.update":             {at: onServer, body: func(_ *world, n int64) any { return map[string]any{"name": fmt.Sprintf("renamed %d", n)} }},
	"organizations.teams.destroy":            {at: onServer, gone: true},
	"organizations.teams.members.index":      {at: onServer},
	"organizations.teams.members.show":       {at: onServer},
	"organizations.teams.members.update":     {at: onServer, body: func(*world, int64) any { return map[string]any{"role_id": 5} }},
	"organizations.teams.members.destroy":    {at: onServer, gone: true},
	"organizations.teams.invites.index":      {at: onServer},
	"organizations.teams.invites.store":      {at: onServer, body: inviteBody},
	"organizations.teams.invites.show":       {at: onServer},
	"organizations.teams.invites.destroy":    {at: onServer, gone: true},
	"organizations.members.index":            {at: onServer},
	"organizations.members.show":             {at: onServer},
	"organizations.members.update":           {at: onServer, body: func(*world, int64) any { return map[string]any{"role_id": 5} }},
	"organizations.members.destroy":          {at: onServer, gone: true},
	"organizations.membership.destroy":       {at: onServer, gone: true, self: true},
	"organizations.invites.index":            {at: onOrgInvitation},
	"organizations.invites.store":            {at: onOrgInvitation, body: inviteBody},
	"organizations.invites.show":             {at: onOrgInvitation},
	"organizations.invites.destroy":          {at: onOrgInvitation, gone: true},
	"organizations.server-credentials.index": {at: onServer},
	"organizations.server-credentials.show":  {at: onServer},
	"organizations.server-credentials.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("account %d", n), "provider": "hetzner", "secret": "t0ken"}
	}},
	"organizations.server-credentials.update":      {at: onServer, body: func(*world, int64) any { return map[string]any{"secret": "another"} }},
	"organizations.server-credentials.destroy":     {at: onServer, gone: true},
	"organizations.server-credentials.sizes.index": {at: onServer},
	"organizations.server-credentials.vpcs.index":  {at: onServer},
	"organizations.server-credentials.vpcs.show":   {at: onServer},
	"organizations.server-credentials.vpcs.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("net-%d-%d", n, time.Now().UnixNano())} // the account at the stand-in is that of every world
	}},
	"organizations.recipes.index": {at: onServer},
	"organizations.recipes.show":  {at: onServer},
	"organization.recipes.store": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("recipe %d", n), "user": "forge", "script": "uptime"}
	}},
	"organizations.recipes.update":     {at: onServer, body: func(*world, int64) any { return map[string]any{"script": "df -h"} }},
	"organizations.recipes.destroy":    {at: onServer, gone: true},
	"organizations.recipes.runs.index": {at: onServer},
	"organizations.recipes.runs.store": {at: onServer, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"servers": []any{number(w.mine.server)}}
	}},
	"organizations.recipes.runs.show": {at: onServer},
	"forge-recipes.index":             {at: onShipped},
	"forge-recipes.show":              {at: onShipped},
	"forge-recipes.runs.index":        {at: onShipped},
	"forge-recipes.runs.store": {at: onShipped, roles: true, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"servers": []any{number(w.mine.server)}}
	}},
	"forge-recipes.runs.show": {at: onShipped, roles: true},
	"organizations.servers.actions.store": {at: onServer, allowed: 409, body: func(*world, int64) any {
		return map[string]any{"action": "reboot"}
	}}, // the server is not set up
	"organizations.teams.recipes.index": {at: onServer},
	"organizations.teams.recipes.store": {at: onServer, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"recipe_id": number(w.mine.recipe)}
	}},
	"organizations.teams.recipes.destroy": {at: onServer, before: again("/recipes",
		func(t things) any { return map[string]any{"recipe_id": number(t.recipe)} })},
	"organizations.teams.servers.index": {at: onServer},
	"organizations.teams.servers.store": {at: onServer, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"server_id": number(w.mine.server)}
	}},
	"organizations.teams.servers.destroy": {at: onServer, before: again("/servers",
		func(t things) any { return map[string]any{"server_id": number(t.server)} })},
	"organizations.teams.server-credentials.index": {at: onServer},
	"organizations.teams.server-credentials.store": {at: onServer, body: func(w *world,
		_ int64,
	) any {
		return map[string]any{"credential_id": number(w.mine.credential)}
	}},
	"organizations.teams.server-credentials.destroy": {at: onServer, before: again("/server-credentials",
		func(t things) any { return map[string]any{"credential_id": number(t.credential)} })},

	"organizations.servers.logs.show":                        {at: onServer, allowed: 409}, // the server is not set up
	"organizations.servers.logs.destroy":                     {at: onServer},
	"organizations.servers.sites.logs.nginx-access.show":     {at: onServer, allowed: 409},
	"organizations.servers.sites.logs.nginx-access.destroy":  {at: onServer},
	"organizations.servers.sites.logs.nginx-access.stream":   {at: onServer},
	"organizations.servers.sites.logs.nginx-error.show":      {at: onServer, allowed: 409},
	"organizations.servers.sites.logs.nginx-error.destroy":   {at: onServer},
	"organizations.servers.sites.logs.nginx-error.stream":    {at: onServer},
	"organizations.servers.sites.logs.application.show":      {at: onServer, allowed: 409},
	"organizations.servers.sites.logs.application.destroy":   {at: onServer},
	"organizations.servers.sites.logs.application.stream":    {at: onServer},
	"organizations.servers.sites.heartbeats.index":           {at: onServer},
	"organizations.servers.sites.heartbeats.store":           {at: onServer, body: heartbeatBody},
	"organizations.servers.sites.heartbeats.show":            {at: onServer},
	"organizations.servers.sites.heartbeats.update":          {at: onServer, body: heartbeatBody},
	"organizations.servers.sites.heartbeats.destroy":         {at: onServer, gone: true},
	"organizations.servers.sites.composer.credentials.index": {at: onServer},
	"organizations.servers.sites.composer.credentials.store": {at: onServer, body: func(_ *world,
		n int64,
	) any {
		return composerBody(fmt.Sprintf("host-%d.example.com", n))
	}},
	"organizations.servers.sites.composer.credentials.show":    {at: onServer},
	"organizations.servers.sites.composer.credentials.update":  {at: onServer, body: func(w *world, _ int64) any { return composerBody(w.mine.composer) }},
	"organizations.servers.sites.composer.credentials.destroy": {at: onServer},
	"organizations.servers.sites.npm.credentials.index":        {at: onServer},
	"organizations.servers.sites.npm.credentials.store": {at: onServer, body: func(_ *world,
		n int64,
	) any {
		return npmBody(fmt.Sprintf("host-%d.example.com", n))
	}},
	"organizations.servers.sites.npm.credentials.show":    {at: onServer},
	"organizations.servers.sites.npm.credentials.update":  {at: onServer, body: func(w *world, _ int64) any { return npmBody(w.mine.npm) }},
	"organizations.servers.sites.npm.credentials.destroy": {at: onServer},
	"organizations.servers.scheduled-jobs.index":          {at: onServer},
	"organizations.servers.scheduled-jobs.store":          {at: onServer, body: jobBody},
	"organizations.servers.scheduled-jobs.show":           {at: onServer},
	"organizations.servers.scheduled-jobs.update": {at: onServer,
		body: func(_ *world, n int64) any { return map[string]any{"command": fmt.Sprintf("echo %d", n)} }},
	"organizations.servers.scheduled-jobs.destroy":      {at: onServerJob},
	"organizations.servers.scheduled-jobs.outputs.show": {at: onServer, allowed: 409},
	"organizations.servers.sites.scheduled-jobs.index":  {at: onServer},
	"organizations.servers.sites.scheduled-jobs.store":  {at: onServer, body: jobBody},
	"organizations.servers.sites.scheduled-jobs.show":   {at: onServer},
	"organizations.servers.sites.scheduled-jobs.update": {at: onServer,
		body: func(_ *world, n int64) any { return map[string]any{"command": fmt.Sprintf("echo %d", n)} }},
	"organizations.servers.sites.scheduled-jobs.destroy":       {at: onServer},
	"organizations.servers.sites.scheduled-jobs.outputs.show":  {at: onServer, allowed: 409},
	"organizations.servers.sites.integrations.horizon.show":    {at: onServer},
	"organizations.servers.sites.integrations.horizon.store":   {at: onServer, allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.horizon.destroy": {at: onServer},
	"organizations.servers.sites.integrations.octane.show":     {at: onServer},
	"organizations.servers.sites.integrations.octane.store": {
		at: onServer, allowed: 400,
		body: func(*world, int64) any { return map[string]any{"port": "8000", "server": "swoole"} },
	}, // it is not installed
	"organizations.servers.sites.integrations.octane.destroy": {at: onServer},
	"organizations.servers.sites.integrations.reverb.show":    {at: onServer},
	"organizations.servers.sites.integrations.reverb.store": {at: onServer, allowed: 400, body: func(*world, int64) any {
		return map[string]any{"host": "one.example.com", "port": "8080", "connections": 100}
	}}, // it is not installed
	"organizations.servers.sites.integrations.reverb.destroy":            {at: onServer},
	"organizations.servers.sites.integrations.pulse.show":                {at: onServer},
	"organizations.servers.sites.integrations.pulse.store":               {at: onServer, allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.pulse.destroy":             {at: onServer},
	"organizations.servers.sites.integrations.inertia.show":              {at: onServer},
	"organizations.servers.sites.integrations.inertia.store":             {at: onServer, allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.inertia.destroy":           {at: onServer},
	"organizations.servers.sites.integrations.laravel-scheduler.show":    {at: onServer},
	"organizations.servers.sites.integrations.laravel-scheduler.store":   {at: onServer, allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.laravel-scheduler.destroy": {at: onServer},
	"organizations.servers.sites.integrations.laravel-maintenance.show":  {at: onServer},
	"organizations.servers.sites.integrations.laravel-maintenance.store": {
		at: onServer, allowed: 409,
		body: func(*world, int64) any { return map[string]any{"status": 503, "secret": "let-me-in"} },
	}, // it is not installed
	"organizations.servers.sites.integrations.laravel-maintenance.destroy": {at: onServer},
	"organizations.servers.background-processes.index":                     {at: onServer},
	"organizations.servers.background-processes.store":                     {at: onServer, body: processBody},
	"organizations.servers.background-processes.show":                      {at: onServer},
	"organizations.servers.background-processes.update": {at: onServer, body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("worker %d", n), "config": "numprocs=2"}
	}},
	"organizations.servers.background-processes.destroy":       {at: onServer},
	"organizations.servers.background-processes.log.show":      {at: onServer, allowed: 409},
	"organizations.servers.background-processes.actions.store": {at: onServer, body: func(*world, int64) any { return map[string]any{"action": "restart"} }},

	"organizations.servers.events.index":       {at: onServer},
	"organizations.servers.events.show":        {at: onServer},
	"organizations.servers.events.output.show": {at: onServer},
	// the event is of a firewall rule
	"organizations.servers.events.retry.store":  {at: onServer, before: failEvent, further: []access.Permission{access.ServerManageNetwork}},
	"organizations.servers.events.cancel.store": {at: onServer, further: []access.Permission{access.ServerManageNetwork}},
}

func TestEveryOperationHasAScenario(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	known := map[string]bool{}
	for _, op := range e.App.Router.Operations() {
		known[op.ID] = true
		if _, ok := scenarios[op.ID]; !ok {
			t.Errorf("%s %s (%s) has no scenario: add one, so that it is tried by every kind of caller", op.Method, op.Path, op.ID)
		}
	}
	for id := range scenarios {
		if !known[id] {
			t.Errorf("the scenario %s is of no operation", id)
		}
	}
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

func fill(t testing.TB, path string, at map[string]string) string {
	t.Helper()
	return parameter.ReplaceAllStringFunc(path, func(p string) string {
		v, ok := at[strings.Trim(p, "{}")]
		if !ok {
			t.Fatalf("%s: the scenario has no %s", path, p)
		}
		return v
	})
}

// matrix is the run of all cells of one operation.
type matrix struct {
	*world
	op    api.Operation
	s     scenario
	n     int64
	cells *atomic.Int64
	// options change the requests of some cells.
	options []Option
}

// needs returns the permissions that a role and a token must both have.
func (m *matrix) needs() []access.Permission {
	return append(slices.Clone(m.op.Permissions), m.s.further...)
}

// lines returns how long the audit log is.
func (m *matrix) lines() int64 {
	m.T.Helper()
	var n int64
	if err := m.App.DB.SQLDB().QueryRowContext(context.Background(), `SELECT COUNT(*) FROM audit_entries`).Scan(&n); err != nil {
		m.T.Fatal(err)
	}
	return n
}

// call returns one cell. The expected status is for the caller, never for the operation.
func (m *matrix) call(name string, c *Client, at map[string]string, want int) Answer {
	m.T.Helper()
	m.n++
	m.cells.Add(1)
	var body any
	if m.s.body != nil {
		body = m.s.body(m.world, m.n)
	}
	path := fill(m.T, m.op.Path, at)
	lines := m.lines()
	var a Answer
	if strings.HasSuffix(m.op.ID, ".stream") {
		res, cancel := c.Stream(path)
		a = Answer{Status: res.StatusCode, Header: res.Header}
		if res.StatusCode != http.StatusOK {
			var raw bytes.Buffer
			_, _ = raw.ReadFrom(res.Body)
			a.Body = raw.Bytes()
		} else if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
			m.T.Errorf("%s: the stream is %q", name, got)
		}
		cancel()
	} else {
		a = c.Call(m.op.Method, path, body, m.options...)
	}
	noted := m.lines() - lines
	lines = 1
	if a.Status < 300 {
		lines = cmp.Or(m.s.noted, 1)
	}
	if changes := m.op.Method != http.MethodGet; (a.Status == 403 && !strings.HasPrefix(name, "forged") || changes && a.Status < 300) && noted != lines {
		m.T.Errorf("%s: the audit log has %d new lines, want %d", name, noted, lines)
	}
	if (m.op.Method == http.MethodPut || m.op.Method == http.MethodDelete) && a.Status < 300 &&
		!strings.HasSuffix(m.op.ID, ".password.update") { // a password is never returned
		var was *string
		if err := m.App.DB.SQLDB().QueryRowContext(context.Background(),
			`SELECT was FROM audit_entries ORDER BY id DESC LIMIT 1`).Scan(&was); err != nil || was == nil || *was == "{}" {
			m.T.Errorf("%s: the audit log does not say what was before: %v %v", name, was, err)
		}
	}
	if a.Status != want {
		m.T.Errorf("%s: %s %s answered %d, want %d: %s", name, m.op.Method, path, a.Status, want, a.Body)
	}
	return a
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	probe := New(t, db.SQLite)
	ops := probe.App.Router.Operations()
	var cells atomic.Int64
	t.Cleanup(func() { t.Logf("%d cells: %d operations on both databases", cells.Load(), len(ops)) })
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		for _, op := range ops {
			t.Run(string(dialect)+"/"+op.ID, func(t *testing.T) {
				t.Parallel()
				m := &matrix{world: World(t, dialect), op: op, s: scenarios[op.ID], cells: &cells}
				if m.s.at == nil {
					t.Fatal("no scenario")
				}
				switch {
				case op.Public:
					m.public()
					return
				case op.Personal:
					m.strangers()
					m.personal()
					return
				}
				m.strangers()
				m.places()
				m.outsiders()
				m.customRoles()
				m.members()
			})
		}
	}
}

// strangers are callers that must learn and change nothing.
func (m *matrix) strangers() {
	at, before := m.s.at(m.mine), m.counts()
	now := m.Clock.Now()
	expired, _ := m.Token(m.users["owner"], Everything(), &now)
	revoked, row := m.Token(m.users["owner"], Everything(), nil)
	m.Tx(func(ctx context.Context, tx *db.Tx) error {
		micros := tx.Micros()
		n, err := tx.RevokeToken(ctx, row.ID, &micros)
		if err == nil && n != 1 {
			err = fmt.Errorf("revoked %d tokens", n)
		}
		return err
	})
	before["tokens"] += 2
	unauthenticated := m.call("anonymous", m.As(""), at, 401)
	if got := unauthenticated.Header.Get("WWW-Authenticate"); got != "Bearer" {
		m.T.Errorf("401 has WWW-Authenticate %q", got)
	}
	for name, token := range map[string]string{"garbage": "hostler_pat_garbage", "expired": expired, "revoked": revoked} {
		if a := m.call(name, m.As(token), at, 401); !bytes.Equal(a.Body, unauthenticated.Body) {
			m.T.Errorf("%s: the body differs from that for nobody: %s", name, a.Body)
		}
	}
	if strings.Contains(m.op.Path, "{organization}") {
		m.call("owner of another organization", m.stranger, at, 404)
	}
	m.unchanged(before)
}

func (m *matrix) unchanged(before map[string]int64) {
	m.T.Helper()
	before = maps.Clone(before)
	after := m.counts()
	before["audit_entries"] = after["audit_entries"] // refusals are noted there; its own test counts them
	if !maps.Equal(before, after) {
		m.T.Errorf("refused calls changed the numbers of rows: %v, were %v", after, before)
	}
}

// public operations are open to anonymous callers, but not to requests forged by another site.
func (m *matrix) public() {
	at, before := m.s.at(m.mine), m.counts()
	for name, options := range forged(m.URL) {
		m.options = options
		m.call("forged: "+name, m.As(""), at, 403)
	}
	m.options = nil
	m.unchanged(before)
	if m.s.before != nil {
		m.s.before(m.world, m.mine)
	}
	m.call("anybody", m.As(""), at, cmp.Or(m.s.allowed, status(m.op)))
}

// forged returns requests as another site makes a browser send them.
func forged(url string) map[string][]Option {
	return map[string][]Option{
		"no header":      {Header(api.CSRFHeader, "")},
		"another site":   {Header("Sec-Fetch-Site", "cross-site")},
		"a sibling":      {Header("Sec-Fetch-Site", "same-site")},
		"another origin": {Header("Origin", "https://evil.example"), Header("Sec-Fetch-Site", "")},
		"no origin":      {Header("Origin", "null"), Header("Sec-Fetch-Site", "")},
		"another port":   {Header("Origin", url+"1"), Header("Sec-Fetch-Site", "")},
	}
}

// personal operations are for the signed-in person alone: no token will do, however much it may.
func (m *matrix) personal() {
	at := m.s.at(m.mine)
	session := m.Session(m.users["owner"])
	before := m.counts()
	m.call("owner with a token", m.owner, at, 403)
	if m.op.Method != http.MethodGet {
		for name, options := range forged(m.URL) {
			m.options = options
			m.call("forged: "+name, session, at, 403)
		}
		m.options = nil
	}
	for _, n := range parameter.FindAllStringSubmatch(m.op.Path, -1) {
		for _, value := range []string{m.s.at(m.foreign)[n[1]], "999999", "0", "-1", "abc"} {
			wrong := maps.Clone(at)
			wrong[n[1]] = value
			m.call("somebody else's "+n[1], session, wrong, 404)
		}
	}
	m.unchanged(before)
	if m.s.before != nil {
		m.s.before(m.world, m.mine)
	}
	m.call("owner", session, at, status(m.op))
	if m.s.gone {
		m.call("owner, when it is gone", session, at, 404)
	}
}

// places are paths to what does not exist, belongs to others or is elsewhere: all get identical answers, whatever the caller's permissions.
func (m *matrix) places() {
	before := m.counts()
	mine := m.s.at(m.mine)
	var reference []byte
	try := func(name, param, value string) {
		m.T.Helper()
		at := maps.Clone(mine)
		at[param] = value
		for caller, c := range map[string]*Client{"owner": m.owner, "viewer": m.viewer} {
			a := m.call(caller+", "+name+" "+param, c, at, 404)
			if reference == nil {
				reference = a.Body
			}
			if !bytes.Equal(a.Body, reference) {
				m.T.Errorf("%s, %s %s %q: the body is %s, for others it is %s", caller, name, param, value, a.Body, reference)
			}
			if got := a.Header.Get("Content-Type"); got != "application/json" {
				m.T.Errorf("404 is %q", got)
			}
		}
	}
	names := parameter.FindAllStringSubmatch(m.op.Path, -1)
	for _, n := range names {
		param := n[1]
		try("foreign", param, m.s.at(m.foreign)[param])
		if param == "organization" {
			try("missing", param, "nobody")
			try("upper-case", param, "ACME")
			continue
		}
		for _, value := range []string{"999999", "0", "-1", "01", "+1", "1.0", "abc", "99999999999999999999", "%20" + mine[param], mine[param] + "%00"} {
			try("missing", param, value)
		}
		if param != "server" && strings.Contains(m.op.Path, "{server}") {
			try("another server's", param, m.s.at(m.other)[param])
			if param != "key" { // a log of that name is on every server
				try("on another server:", "server", m.s.at(m.other)["server"])
			}
		}
		if param != "team" && strings.Contains(m.op.Path, "{team}") {
			try("another team's", param, m.s.at(m.other)[param])
			try("in another team:", "team", m.s.at(m.other)["team"])
		}
	}
	if len(names) > 1 { // all of it foreign but the organization
		at := maps.Clone(m.s.at(m.foreign))
		at["organization"] = mine["organization"]
		m.call("owner, foreign things in the own organization", m.owner, at, 404)
	}
	m.unchanged(before)
}

// outsiders are in the organization, but not in the team: what is shared with the team is hidden from them, whatever their role permits.
func (m *matrix) outsiders() {
	at := m.s.at(m.mine)
	shared := at["server"] == m.mine.server && strings.Contains(m.op.Path, "{server}") || strings.Contains(m.op.Path,
		"{credential}") || strings.Contains(m.op.Path, "{recipe}") ||
		strings.HasPrefix(m.op.Path, "/orgs/{organization}/sites/{site}")
	inTeam := strings.Contains(m.op.Path, "{team}")
	if !strings.Contains(m.op.Path, "{organization}") {
		return
	}
	before := m.counts()
	nowhere := maps.Clone(at)
	for name := range nowhere {
		nowhere[name] = "1"
	}
	nowhere["organization"] = "nobody"
	missing := m.call("owner, missing", m.owner, nowhere, 404)
	if !shared && !inTeam && at["server"] == "" {
		return
	}
	for name, user := range map[string]string{"in another team only": "loner", "in no team": "bystander"} {
		hidden := shared || user == "loner" && (inTeam || strings.Contains(m.op.Path, "{server}"))
		if !hidden {
			continue
		}
		if a := m.call(name, m.Of(m.users[user]), at, 404); !bytes.Equal(a.Body, missing.Body) {
			m.T.Errorf("%s: the body is %s, for what does not exist it is %s", name, a.Body, missing.Body)
		}
	}
	m.unchanged(m.withTokens(before))
}

// withTokens allows for the tokens that a test made.
func (m *matrix) withTokens(before map[string]int64) map[string]int64 {
	before = maps.Clone(before)
	before["tokens"] = m.counts()["tokens"]
	return before
}

// customRoles have exactly the required permissions, and all but one of them.
func (m *matrix) customRoles() {
	if !strings.Contains(m.op.Path, "{organization}") || len(m.op.Permissions) == 0 || strings.HasSuffix(m.op.ID, ".store") && len(m.op.Permissions) > 1 {
		return
	}
	at := m.s.at(m.mine)
	give := func(set access.Set) {
		m.Tx(func(ctx context.Context, tx *db.Tx) error {
			role := m.customRole
			if err := tx.ClearRolePermissions(ctx, role); err != nil {
				return err
			}
			for _, p := range set.List() {
				if err := tx.AddRolePermission(ctx, role, string(p)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	c := m.Of(m.users["custom"])
	for _, p := range m.needs() {
		if p == access.OrganizationView { // every role has it
			continue
		}
		give(Everything().Remove(p))
		before := m.counts()
		m.call("custom role without "+string(p), c, at, 403)
		m.unchanged(before)
	}
	// Whether exactly the required permissions suffice is tried where success removes nothing and affects no higher role.
	if m.op.Method == http.MethodGet {
		give(access.SetOf(m.needs()...))
		want := status(m.op)
		if m.s.allowed != 0 {
			want = m.s.allowed
		}
		m.call("custom role with only what is needed", c, at, want)
	}
}

// members may know of everything here; what they may do is what their role and their token say.
func (m *matrix) members() {
	at := m.s.at(m.mine)
	inside := strings.Contains(m.op.Path, "{organization}") || m.s.roles
	expect := func(role int64, scopes access.Set) int {
		has, ok := access.PermissionsOf(role)
		if !ok {
			m.T.Fatalf("role %d is none", role)
		}
		if inside && !has.Has(m.needs()...) || !scopes.Has(m.needs()...) {
			return 403
		}
		if m.s.allowed != 0 {
			return m.s.allowed
		}
		return status(m.op)
	}
	only := access.SetOf(m.needs()...)
	if only.Empty() {
		only = access.SetOf(access.BillingManage) // a token has at least one
	}
	without := Everything().Remove(m.needs()...)
	token := func(user string, scopes access.Set) *Client {
		t, _ := m.Token(m.users[user], scopes, nil)
		return m.As(t)
	}
	type caller struct {
		name   string
		client *Client
		want   int
	}
	var callers []caller
	for user, role := range map[string]int64{
		"viewer": access.RoleViewer, "developer": access.RoleDeveloper, "manager": access.RoleManager,
		"admin": access.RoleAdmin, "owner": access.RoleOwner,
	} {
		callers = append(callers, caller{user, token(user, Everything()), expect(role, Everything())},
			caller{user + " without the scope", token(user, without), expect(role, without)},
			caller{user + " with only the scope", token(user, only), expect(role, only)})
	}
	for _, scope := range m.needs() {
		missing := Everything().Remove(scope)
		callers = append(callers, caller{"owner without " + string(scope), token("owner", missing), 403})
	}
	slices.SortFunc(callers, func(a, b caller) int { return b.want - a.want }) // refusals first: what succeeds may change what follows
	refused, left := true, map[string]bool{}
	before := m.counts()
	for _, c := range callers {
		if refused && c.want != 403 {
			m.unchanged(before)
			refused = false
		}
		if m.s.before != nil && c.want < 400 {
			m.s.before(m.world, m.mine)
		}
		if c.want < 400 && m.s.gone {
			who, _, _ := strings.Cut(c.name, " ")
			if m.s.self && left[who] || !m.s.self && len(left) > 0 {
				m.call(c.name+", when it is gone", c.client, at, 404)
				continue
			}
			left[who] = true
		}
		m.call(c.name, c.client, at, c.want)
	}
	if refused {
		m.T.Error("nobody may call this operation")
	}
	if !inside {
		m.call("owner of another organization", m.stranger, at, status(m.op))
	}
}

// A token's time is over at the moment it names, and not before.
func TestTokenExpires(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	until := e.Clock.Now().Add(time.Hour)
	token, _ := e.Token(w.users["owner"], Everything(), &until)
	c := e.As(token)
	e.Clock.Move(time.Hour - time.Microsecond)
	c.Get("/user").Want(t, 200)
	e.Clock.Move(time.Microsecond)
	c.Get("/user").Want(t, 401)
}
