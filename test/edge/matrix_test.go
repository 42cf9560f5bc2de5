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
	"github.com/hostlerhq/hostler/test/contract"
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

func nginxBody(*world, int64) any { return map[string]any{"config": "server {}"} }

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

func anotherPassword(*world, int64) any { return map[string]any{"password": "another"} }

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

// scenarios are the operations that are called otherwise than as on a server, with their own example.
var scenarios = map[string]scenario{
	"organizations.servers.sites.domains.store": {body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("alias-%d.example.org", n), "www_redirect_type": "from-www", "allow_wildcard_subdomains": false}
	}},
	"organizations.servers.sites.domains.actions.store":              {body: func(*world, int64) any { return map[string]any{"action": "disable"} }},
	"organizations.servers.sites.domains.certificates.actions.store": {body: func(*world, int64) any { return map[string]any{"action": "disable"} }},
	"organizations.server-credentials.vpcs.store": {body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("net-%d-%d", n, time.Now().UnixNano())} // the account at the stand-in is that of every world
	}},
	"organizations.servers.sites.domains.update": {body: func(*world, int64) any {
		return map[string]any{"www_redirect_type": "to-www", "allow_wildcard_subdomains": nil}
	}},
	"organizations.servers.sites.git.update": {body: func(*world, int64) any {
		return map[string]any{"source_control_provider": "custom", "repository": "git@git.example.com:a/b.git", "branch": "main"}
	}},
	"organizations.servers.scheduled-jobs.store":       {body: jobBody},
	"organizations.servers.sites.scheduled-jobs.store": {body: jobBody},
	"organizations.servers.sites.heartbeats.store":     {body: heartbeatBody},
	"organizations.servers.sites.heartbeats.update":    {body: heartbeatBody},
	"organizations.servers.background-processes.update": {body: func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("worker %d", n), "config": "numprocs=2"}
	}},

	"organizations.servers.store":            {body: func(_ *world, n int64) any { return serverBody(fmt.Sprintf("new-%d", n), "app") }},
	"organizations.servers.destroy":          {at: onBalancer},
	"organizations.servers.drift.show":       {allowed: 409}, // the server is not set up
	"organizations.servers.host-keys.show":   {allowed: 409}, // it is not connected yet
	"organizations.servers.host-keys.update": {allowed: 409},
	"organizations.servers.repairs.store":    {allowed: 409}, // likewise
	"organizations.servers.archives.destroy": {
		before: func(w *world, t things) {
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET revoked = TRUE, status = 'archived' WHERE id = $1", number(t.server))
				return err
			})
		},
	},
	"organizations.servers.network.update": {body: peerOf},

	"organizations.servers.monitors.show":    {at: onMonitor},
	"organizations.servers.monitors.update":  {at: onMonitor},
	"organizations.servers.monitors.destroy": {at: onMonitor},

	"organizations.servers.upgrades.store": {allowed: 409}, // the server is not set up
	"organizations.servers.transfer.store": {
		before:  transferable,
		gone:    true,
		noted:   2,
		further: []access.Permission{access.ServerCreate},
		body:    func(w *world, _ int64) any { return map[string]any{"to": w.otherOrg.Slug, "force": true} },
	},

	"organizations.servers.ssh-keys.store": {
		body: func(w *world, n int64) any {
			return map[string]any{"name": fmt.Sprintf("key %d", n), "key": publicKey(w.T)}
		},
	},
	"organizations.servers.ssh-keys.show":    {at: onServerKey},
	"organizations.servers.ssh-keys.destroy": {at: onServerKey},

	"organizations.dns-providers.destroy": {gone: true},

	"organizations.storage-providers.store":   {body: func(_ *world, n int64) any { return storageBody(fmt.Sprintf("new-%d", n)) }},
	"organizations.storage-providers.update":  {body: func(_ *world, n int64) any { return storageBody(fmt.Sprintf("changed-%d", n)) }},
	"organizations.storage-providers.destroy": {before: withoutConfigurations, gone: true},

	"organizations.servers.database.backups.index":                     {at: onEngine},
	"organizations.servers.database.backups.store":                     {at: onEngine, body: func(w *world, _ int64) any { return backupBody(w.mine) }},
	"organizations.servers.database.backups.show":                      {at: onEngine},
	"organizations.servers.database.backups.update":                    {at: onEngine, body: func(w *world, _ int64) any { return backupBody(w.mine) }},
	"organizations.servers.database.backups.destroy":                   {at: onEngine, gone: true},
	"organizations.servers.database.backups.instances.index":           {at: onEngine},
	"organizations.servers.database.backups.instances.store":           {at: onEngine},
	"organizations.servers.database.backups.instances.show":            {at: onEngine},
	"organizations.servers.database.backups.instances.destroy":         {at: onEngine},
	"organizations.servers.database.backups.instances.restores.store":  {at: onEngine},
	"organizations.servers.database.backups.instances.proofs.store":    {at: onEngine},
	"organizations.servers.database.backups.instances.downloads.store": {at: onEngine},

	"organizations.servers.database.schemas.index":                  {at: onEngine},
	"organizations.servers.database.schemas.store":                  {at: onEngine},
	"organizations.servers.database.schemas.synchronizations.store": {at: onEngine},
	"organizations.servers.database.schemas.show":                   {at: onEngine},
	"organizations.servers.database.schemas.usage.show":             {at: onEngine, allowed: 409}, // it is not installed
	"organizations.servers.database.schemas.update":                 {at: onEngine, allowed: 422}, // it is MariaDB
	"organizations.servers.database.schemas.destroy":                {at: onEngine},
	"organizations.servers.database.users.index":                    {at: onEngine},
	"organizations.servers.database.users.store":                    {at: onEngine},
	"organizations.servers.database.users.show":                     {at: onEngine},
	"organizations.servers.database.users.update":                   {at: onEngine, body: anotherPassword},
	"organizations.servers.database.users.destroy":                  {at: onEngine},
	"organizations.servers.database.password.update":                {at: onEngine, body: anotherPassword},
	"organizations.servers.services.mysql.actions.store":            {at: onEngine},
	"organizations.servers.services.postgres.actions.store":         {at: onEngine, allowed: 409}, // it has MariaDB

	"organizations.servers.services.index":             {allowed: 409}, // the server is not set up
	"organizations.servers.services.php.actions.store": {allowed: 422}, // nothing was found on it yet

	"organizations.servers.php.versions.store":               {before: withoutPHP74},
	"organizations.servers.php.versions.show":                {at: onPHP},
	"organizations.servers.php.versions.update":              {at: onPHP},
	"organizations.servers.php.versions.destroy":             {at: onPHP},
	"organizations.servers.php.versions.configs.fpm.show":    {at: onPHP},
	"organizations.servers.php.versions.configs.fpm.update":  {at: onPHP},
	"organizations.servers.php.versions.configs.cli.show":    {at: onPHP},
	"organizations.servers.php.versions.configs.cli.update":  {at: onPHP},
	"organizations.servers.php.versions.configs.pool.show":   {at: onPHP},
	"organizations.servers.php.versions.configs.pool.update": {at: onPHP},

	"organizations.servers.sites.storeOnBalancer":            {at: onBalancer},
	"organizations.servers.sites.load-balancing-nodes.index": {at: onBalancer},
	"organizations.servers.sites.load-balancing-nodes.update": {at: onBalancer, body: func(w *world, _ int64) any {
		return map[string]any{"balancer_method": "least_conn", "balancing": []any{map[string]any{"server_id": number(w.mine.server), "weight": 2}}}
	}},

	"organizations.servers.sites.deployments.zero-downtime.store":   {allowed: 409}, // it has no repository
	"organizations.servers.sites.deployments.zero-downtime.destroy": {allowed: 409},
	"organizations.servers.sites.deployments.rollback.store":        {allowed: 409}, // its release is not kept
	"organizations.servers.sites.deployments.redeploy.store":        {allowed: 409}, // its commit is not known
	"organizations.servers.sites.git.check.store":                   {allowed: 409}, // it has no repository
	"organizations.servers.sites.healthcheck.update": {
		body: func(*world, int64) any { return map[string]any{"healthcheck_endpoint": nil} },
	},
	"organizations.servers.sites.webhooks.destroy": {gone: true},
	"organizations.source-control-providers.store": {
		body: func(_ *world, n int64) any {
			return map[string]any{"name": fmt.Sprintf("source %d", n), "provider": "github", "token": githost.Token}
		},
	},
	"organizations.source-control-providers.destroy":                    {gone: true},
	"organizations.servers.sites.source-control.synchronizations.store": {allowed: 409}, // the site has no connection
	"organizations.notification-channels.index":                         {at: onChannel},
	"organizations.notification-channels.store":                         {at: onChannel},
	"organizations.notification-channels.show":                          {at: onChannel},
	"organizations.notification-channels.update":                        {at: onChannel},
	"organizations.notification-channels.destroy":                       {at: onChannel, gone: true},
	"organizations.notification-channels.deliveries.index":              {at: onChannel},
	"organizations.notification-channels.deliveries.store":              {at: onChannel},
	"organizations.notification-channels.deliveries.show":               {at: onChannel},
	"organizations.notification-channels.deliveries.redeliver.store":    {at: onChannel},
	"organizations.servers.sites.environment.update": {
		body: func(*world, int64) any { return map[string]any{"environment": "A=1\n"} },
	},
	"organizations.servers.sites.files.index":        {allowed: 409},
	"organizations.servers.sites.files.show":         {allowed: 409},
	"organizations.servers.sites.files.destroy":      {allowed: 422}, // it names no path
	"organizations.servers.sites.files.content.show": {allowed: 409},
	"organizations.servers.sites.files.content.update": {
		allowed: 409,
		body: func(*world, int64) any {
			return map[string]any{"path": "/index.php", "content": "<?php"}
		},
	},
	"organizations.servers.sites.files.directories.store": {allowed: 409},
	"organizations.servers.sites.files.moves.store":       {allowed: 409},
	"organizations.servers.sites.files.download":          {allowed: 409},
	"organizations.servers.sites.files.upload":            {allowed: 422}, // it is no file
	"organizations.servers.sites.commands.destroy":        {gone: true},
	"organizations.servers.sites.redirect-rules.import": {
		body: func(_ *world, n int64) any {
			return Form{"mode": "append", "file": fmt.Sprintf("^/imported-%d$,/to,permanent\n", n)}
		},
	},
	"organizations.servers.sites.security-rules.store": {
		body: func(_ *world, n int64) any {
			return map[string]any{"name": "Staff", "path": fmt.Sprintf("/staff-%d", n), "credentials": []any{map[string]any{"username": "bo", "password": "geheim"}}}
		},
	},

	"organizations.servers.sites.domains.dns.plan.show":       {allowed: 422}, // it names no DNS provider
	"organizations.servers.sites.domains.dns.store":           {allowed: 422},
	"organizations.servers.sites.domains.dns.check.store":     {allowed: 409}, // there are no records
	"organizations.servers.sites.domains.certificates.update": {allowed: 409}, // it waits for none

	"organizations.servers.sites.nginx.update":              {allowed: 409, body: nginxBody}, // the server is not set up
	"organizations.servers.sites.domains.nginx.update":      {allowed: 409, body: nginxBody},
	"organizations.servers.sites.domains.nginx.root.update": {allowed: 409, body: nginxBody},
	"organizations.servers.nginx.templates.destroy":         {gone: true},

	"auth.login": {
		before: withPassword,
		body: func(*world, int64) any {
			return map[string]any{
				"email":    "owner@example.com",
				"password": password,
			}
		},
	},
	"auth.setup": {allowed: 422},
	"auth.sign-up": {
		before: withInvitation,
		body: func(w *world, _ int64) any {
			return map[string]any{"invitation": w.link, "name": "Guest", "password": password}
		},
	},
	"auth.invitation": {
		before: withInvitation,
		body:   func(w *world, _ int64) any { return map[string]any{"invitation": w.link} },
	},
	"auth.password.forgot": {body: func(*world, int64) any { return map[string]any{"email": "owner@example.com"} }},
	"auth.password.reset": {
		before: withReset,
		body: func(w *world,
			_ int64,
		) any {
			return map[string]any{"token": w.link, "password": password}
		},
	},
	"auth.email.verify": {
		before: withVerification,
		body:   func(w *world, _ int64) any { return map[string]any{"token": w.link} },
	},
	"recipients.confirm": {
		before: withRecipient,
		body:   func(w *world, _ int64) any { return map[string]any{"token": w.link} },
	},
	"organizations.store":   {at: onOwn, body: func(_ *world, n int64) any { return map[string]any{"name": "New", "slug": fmt.Sprintf("new-%d", n)} }},
	"user.update":           {at: onOwn, body: func(*world, int64) any { return map[string]any{"name": "Another"} }},
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
	"user.oauth-grants.index":             {at: onOwn},
	"user.oauth-grants.destroy":           {at: onOwn, gone: true},
	"organizations.oauth-clients.destroy": {gone: true},
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

	"providers.index":                          {at: onProvider},
	"providers.show":                           {at: onProvider},
	"providers.sizes.index":                    {at: onProvider},
	"providers.sizes.show":                     {at: onProvider},
	"providers.regions.index":                  {at: onProvider},
	"providers.regions.show":                   {at: onProvider},
	"providers.regions.sizes.index":            {at: onProvider},
	"providers.regions.sizes.show":             {at: onProvider},
	"predefined-roles.index":                   {at: onPredefined},
	"predefined-roles.show":                    {at: onPredefined},
	"organizations.roles.destroy":              {gone: true},
	"organizations.teams.destroy":              {gone: true},
	"organizations.teams.members.destroy":      {gone: true},
	"organizations.teams.invites.destroy":      {gone: true},
	"organizations.members.destroy":            {gone: true},
	"organizations.membership.destroy":         {gone: true, self: true},
	"organizations.invites.index":              {at: onOrgInvitation},
	"organizations.invites.store":              {at: onOrgInvitation, body: inviteBody},
	"organizations.invites.show":               {at: onOrgInvitation},
	"organizations.invites.destroy":            {at: onOrgInvitation, gone: true},
	"organizations.server-credentials.update":  {body: func(*world, int64) any { return map[string]any{"secret": "another"} }},
	"organizations.server-credentials.destroy": {gone: true},
	"organizations.recipes.destroy":            {gone: true},
	"forge-recipes.index":                      {at: onShipped},
	"forge-recipes.show":                       {at: onShipped},
	"forge-recipes.runs.index":                 {at: onShipped},
	"forge-recipes.runs.store":                 {at: onShipped, roles: true},
	"forge-recipes.runs.show":                  {at: onShipped, roles: true},
	"organizations.servers.actions.store":      {allowed: 409}, // the server is not set up
	"organizations.teams.recipes.destroy": {
		before: again("/recipes",
			func(t things) any { return map[string]any{"recipe_id": number(t.recipe)} }),
	},
	"organizations.teams.servers.destroy": {
		before: again("/servers",
			func(t things) any { return map[string]any{"server_id": number(t.server)} }),
	},
	"organizations.teams.server-credentials.destroy": {
		before: again("/server-credentials",
			func(t things) any { return map[string]any{"credential_id": number(t.credential)} }),
	},

	"organizations.servers.logs.show":                    {allowed: 409}, // the server is not set up
	"organizations.servers.sites.logs.nginx-access.show": {allowed: 409},
	"organizations.servers.sites.logs.nginx-error.show":  {allowed: 409},
	"organizations.servers.sites.logs.application.show":  {allowed: 409},
	"organizations.servers.sites.heartbeats.destroy":     {gone: true},
	"organizations.servers.sites.composer.credentials.store": {
		body: func(_ *world,
			n int64,
		) any {
			return composerBody(fmt.Sprintf("host-%d.example.com", n))
		},
	},
	"organizations.servers.sites.composer.credentials.update": {body: func(w *world, _ int64) any { return composerBody(w.mine.composer) }},
	"organizations.servers.sites.npm.credentials.store": {
		body: func(_ *world,
			n int64,
		) any {
			return npmBody(fmt.Sprintf("host-%d.example.com", n))
		},
	},
	"organizations.servers.sites.npm.credentials.update":      {body: func(w *world, _ int64) any { return npmBody(w.mine.npm) }},
	"organizations.servers.scheduled-jobs.destroy":            {at: onServerJob},
	"organizations.servers.scheduled-jobs.outputs.show":       {allowed: 409},
	"organizations.servers.sites.scheduled-jobs.outputs.show": {allowed: 409},
	"organizations.servers.sites.integrations.horizon.store":  {allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.octane.store":   {allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.reverb.store": {
		allowed: 400,
		body: func(*world, int64) any {
			return map[string]any{"host": "one.example.com", "port": "8080", "connections": 100}
		},
	}, // it is not installed
	"organizations.servers.sites.integrations.pulse.store":               {allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.inertia.store":             {allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.laravel-scheduler.store":   {allowed: 400}, // it is not installed
	"organizations.servers.sites.integrations.laravel-maintenance.store": {allowed: 409}, // it is not installed
	"organizations.servers.background-processes.log.show":                {allowed: 409},

	// the event is of a firewall rule
	"organizations.servers.events.retry.store":  {before: failEvent, further: []access.Permission{access.ServerManageNetwork}},
	"organizations.servers.events.cancel.store": {further: []access.Permission{access.ServerManageNetwork}},
}

// scenarioOf returns how to call an operation. What scenarios does not say is as on a server, with the operation's own example.
func scenarioOf(id string) scenario {
	s := scenarios[id]
	if s.at == nil {
		s.at = onServer
	}
	if s.body == nil && contract.HasExample(id) {
		s.body = func(w *world, n int64) any { return exampleOf(w.T, id, s.at(w.mine), n) }
	}
	return s
}

func TestScenariosAreOfOperations(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	known := map[string]bool{}
	for _, op := range e.App.Router.Operations() {
		known[op.ID] = true
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
				m := &matrix{world: World(t, dialect), op: op, s: scenarioOf(op.ID), cells: &cells}
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
