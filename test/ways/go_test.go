package ways_test

import (
	"testing"

	"github.com/hostlerhq/hostler/client/hostler"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// liveInGo is a site's life by the client for Go.
func liveInGo(t *testing.T, l *life) {
	c, err := hostler.New(l.panel.URL, l.panel.Token, hostler.WithUserAgent("life/1"))
	if err != nil {
		t.Fatal(err)
	}
	const org = panel.Org
	ctx := t.Context()
	// ok ends the life at an error, and waits for the work that a call has begun.
	ok := func(r *hostler.Response, err error) {
		t.Helper()
		if err == nil && r != nil {
			err = r.Wait(ctx, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	reach := func(moment, said string) {
		t.Helper()
		if err := l.reach(moment, said); err != nil {
			t.Fatal(err)
		}
	}

	server, _, err := c.Servers.Create(ctx, org, hostler.CreateServerRequest{
		Name: "life", Provider: "custom", Type: hostler.ServerTypeApp, PHPVersion: new(hostler.CreateSitePHPVersionPhp82),
		DatabaseType: hostler.Set(hostler.CreateServerDatabaseTypeMariadb1011),
		Custom:       &hostler.CustomServer{IPAddress: &l.host.IP, SSHPort: new(int64(l.host.Port))},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	reach("connect", server.Meta.Bootstrap.Command)
	storage, r, err := c.Storage.Create(ctx, org, hostler.CreateStorageConfigurationRequest{
		Name: "Archive", Provider: "custom", Endpoint: &l.endpoint, Bucket: hostler.Set(bucket), AccessKey: hostler.Set(l.access), SecretKey: hostler.Set(l.secret),
	})
	ok(r, err)
	site, r, err := c.Sites.Create(ctx, org, server.ID, hostler.CreateSiteRequest{
		Type: hostler.CreateSiteTypePHP, Name: name, SourceControlProvider: hostler.Set(hostler.UpdateGitSourceControlProviderCustom),
		Repository: hostler.Set(l.repository), Branch: hostler.Set("main"),
	})
	ok(r, err)
	key, _, err := c.DeployKey.Get(ctx, org, server.ID, site.ID)
	ok(nil, err)
	reach("installed", *key.Key)
	database, r, err := c.Databases.Create(ctx, org, server.ID, hostler.CreateDatabaseRequest{Name: "shop", User: hostler.Set("shop")})
	ok(r, err)
	first, r, err := c.Deployments.Create(ctx, org, server.ID, site.ID)
	ok(r, err)
	reach("deployed", "")

	domains, err := hostler.Collect(c.Domains.List(ctx, org, server.ID, site.ID, nil))
	if err != nil || len(domains) != 1 {
		t.Fatalf("%+v, %v", domains, err)
	}
	certificate, r, err := c.Certificates.Create(ctx, org, server.ID, site.ID, domains[0].ID, hostler.CreateDomainCertificateRequest{
		Type: hostler.CreateDomainCertificateTypeLetsencrypt, Letsencrypt: &hostler.ACMERequest{
			VerificationMethod: new(hostler.VerificationMethodHTTP01), KeyType: new(hostler.KeyTypeEcdsa),
		},
	})
	ok(r, err)
	process, r, err := c.Processes.Create(ctx, org, server.ID, hostler.CreateBackgroundProcessRequest{
		Name: "Worker", Command: "sleep infinity", User: "forge", Processes: 1, SiteID: new(site.ID.Number()),
	})
	ok(r, err)
	job, r, err := c.SiteScheduledJobs.Create(ctx, org, server.ID, site.ID, hostler.CreateScheduledJobRequest{
		Name: hostler.Set("Report"), Command: "echo the job ran", User: "forge", Frequency: hostler.CreateScheduledJobFrequencyNightly,
	})
	ok(r, err)
	backups, r, err := c.BackupConfigurations.Create(ctx, org, server.ID, hostler.CreateBackupConfigurationRequest{
		StorageProviderID: storage.ID.Number(), DatabaseIDs: []int64{database.ID.Number()}, IncludeNewDatabases: new(true),
		Frequency: hostler.CreateBackupConfigurationFrequencyDaily, Time: new(hostler.Time("03:00")), Retention: 7,
	})
	ok(r, err)
	backup, r, err := c.Backups.Run(ctx, org, server.ID, backups.ID)
	ok(r, err)
	reach("lost", "")
	_, r, err = c.BackupRuns.Restore(ctx, org, server.ID, backups.ID, backup.ID, hostler.RestoreBackupRequest{DatabaseID: database.ID.Number()})
	ok(r, err)
	reach("restored", "")
	_, r, err = c.Deployments.Create(ctx, org, server.ID, site.ID)
	ok(r, err)
	reach("newer", "")
	_, r, err = c.Deployments.Rollback(ctx, org, server.ID, site.ID, first.ID)
	ok(r, err)
	reach("made", "")

	ok(c.BackupConfigurations.Delete(ctx, org, server.ID, backups.ID))
	ok(c.SiteScheduledJobs.Delete(ctx, org, server.ID, site.ID, job.ID))
	ok(c.Processes.Delete(ctx, org, server.ID, process.ID))
	ok(c.Certificates.Delete(ctx, org, server.ID, site.ID, domains[0].ID, certificate.ID))
	ok(c.Sites.Delete(ctx, org, server.ID, site.ID, nil))
	ok(c.Databases.Delete(ctx, org, server.ID, database.ID, nil))
	users, err := hostler.Collect(c.DatabaseUsers.List(ctx, org, server.ID, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range users {
		if u.Name == "shop" {
			ok(c.DatabaseUsers.Delete(ctx, org, server.ID, u.ID, nil))
		}
	}
	ok(c.Storage.Delete(ctx, org, storage.ID))
	ok(c.Servers.Delete(ctx, org, server.ID, nil))
	reach("gone", "")
}
