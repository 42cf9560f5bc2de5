package app

import (
	"context"
	"errors"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// others lists what a leak concerns too, and people have to replace: other programs have it.
func (r *revocation) others(ctx context.Context) error {
	onSite, onServer, all := r.of("", "site_id"), r.of("", "server_id"), r.of("", "")
	name := func(n withName) string { return n.Name }
	return errors.Join(
		revoke(ctx, r, "users", Revocable{Kind: "passwords and second factors", Then: "people set another password, and a second factor again"},
			func(u withEmail) string { return u.Email }, nil, r.of("id", "")),
		revoke(ctx, r, "servers", Revocable{Kind: "Hostler's own keys", Then: "hostler keys rotate SERVER"}, name, nil, r.of("", "id"), db.Equal("revoked", false)),
		revoke(ctx, r, "projects", Revocable{Kind: "deploy keys", Then: "make another one at the site's source, and replace it at the Git provider"},
			func(p query.Project) string { return r.siteNames[p.SiteID] }, nil, onSite, db.Cond{SQL: "public_key IS NOT NULL"}),
		revoke(ctx, r, "environments", Revocable{Kind: "secrets in .env files", Then: "replace those that the programs of the site use"},
			func(e query.Environment) string { return r.siteNames[e.SiteID] }, nil, onSite),
		revoke(ctx, r, "package_credentials", Revocable{Kind: "credentials for packages", Then: "replace them at the registry, and then at the site"},
			func(p query.PackageCredential) string { return r.siteNames[p.SiteID] + ": " + p.Name }, nil, onSite),
		revoke(ctx, r, "database_users", Revocable{Kind: "passwords of database users", Then: "set others, and put them into the .env files"},
			func(u query.DatabaseUser) string { return r.servers[u.ServerID].Name + ": " + u.Name }, nil, onServer),
		revoke(ctx, r, "source_control_providers", Revocable{Kind: "tokens of Git providers", Then: "revoke them there, and enter others"}, name, nil, all),
		revoke(ctx, r, "server_credentials", Revocable{Kind: "tokens of clouds", Then: "revoke them there, and enter others"}, name, nil, all),
		revoke(ctx, r, "storage_providers", Revocable{Kind: "keys of storage", Then: "revoke them there, and enter others"}, name, nil, all),
		revoke(ctx, r, "dns_providers", Revocable{Kind: "keys of DNS servers", Then: "revoke them there, and enter others"}, name, nil, all),
		revoke(ctx, r, "notification_channels", Revocable{Kind: "notification channels", Then: "replace their addresses and tokens"}, name, nil, all),
		revoke(ctx, r, "oauth_clients", Revocable{Kind: "secrets of programs", Then: "replace them, and put them into the programs"}, name, nil, all,
			db.Cond{SQL: "secret_hash IS NOT NULL"}),
	)
}
