package edge

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// circumstances are what values of fields need, by operation, field, both, or the value as well; long is one of the greatest length.
func (f *fields) circumstances() map[string]circumstance {
	const site, job = "organizations.servers.sites.", "organizations.servers.scheduled-jobs.store"
	full := map[string]string{"server": f.full}
	deployed := map[string]string{"site": f.deployed}
	hetzner := circumstance{body: f.atHetzner("by-field")}
	node := circumstance{body: map[string]any{"balancing": []any{
		map[string]any{"server_id": number(f.mine.server), "weight": 1}, map[string]any{"server_id": number(f.other.server), "weight": 1},
	}}}
	private, public := keyPair(f.T)
	code := func(more ...any) map[string]any {
		return joined(map[string]any{"repository": "git@git.example.com:team/app.git", "branch": "main"}, more...)
	}
	withCode, laravel := code(), code("type", "laravel")
	existing := certificateBody(f.T, "one-too.example.com")
	request := map[string]any{"type": "csr", "csr": map[string]any{
		"domain": "one-too.example.com", "country": "DE", "state": "Berlin", "city": "Berlin", "organization": "Acme", "department": "Web",
	}}
	domain := map[string]any{"certificate_id": number(f.mine.certificate)}
	return map[string]circumstance{
		"organizations.servers.background-processes.store directory":  {value: "/home/forge"},
		"organizations.servers.background-processes.store stopsignal": {value: "QUIT"},

		"organizations.servers.database.schemas.store password":            {body: map[string]any{"user": "owner"}},
		"organizations.servers.database.backups.store cron":                {body: map[string]any{"frequency": "custom"}, value: "5 4 * * *"},
		"organizations.servers.database.backups.update cron":               {body: map[string]any{"frequency": "custom"}, value: "5 4 * * *"},
		`organizations.servers.database.backups.store frequency="custom"`:  {body: map[string]any{"cron": "5 4 * * *"}},
		`organizations.servers.database.backups.update frequency="custom"`: {body: map[string]any{"cron": "5 4 * * *"}},
		"organizations.servers.database.backups.store bucket":              {value: "archive"},
		"organizations.servers.database.backups.update bucket":             {value: "archive"},

		"organizations.servers.firewall-rules.store ip_address": {value: "192.0.2.1"},
		"organizations.servers.ssh-keys.store user":             {value: "forge"},
		"organizations.recipes.update name=long":                {value: strings.Repeat("b", 255)},
		"organizations.roles.update name=long":                  {value: strings.Repeat("b", 50)},
		"organizations.teams.update name=long":                  {value: strings.Repeat("b", 255)},
		"organizations.teams.store users.*.role.id":             {body: map[string]any{"users": []any{map[string]any{"id": number(f.mine.user)}}}},
		"organizations.teams.update users.*.role.id":            {body: map[string]any{"users": []any{map[string]any{"id": number(f.mine.user)}}}},
		"organizations.teams.store invites.*.email":             {body: map[string]any{"invites": []any{map[string]any{"role": map[string]any{"id": 5}}}}},
		"organizations.teams.store users.*.id":                  {body: map[string]any{"users": []any{map[string]any{"role": map[string]any{"id": 5}}}}},
		"organizations.teams.update users.*.id":                 {body: map[string]any{"users": []any{map[string]any{"role": map[string]any{"id": 5}}}}},
		site + "redirect-rules.store to=long":                   {value: "/" + strings.Repeat("a", 999)},
		site + "security-rules.update credentials.*.username":   {body: map[string]any{"credentials": []any{map[string]any{"password": "geheim"}}}},
		site + "heartbeats.store frequency":                     {body: map[string]any{"custom_frequency": nil}},
		site + "heartbeats.update frequency":                    {body: map[string]any{"custom_frequency": nil}},
		site + "heartbeats.store frequency=-1":                  {body: map[string]any{"custom_frequency": "5 4 * * *"}},
		site + "heartbeats.update frequency=-1":                 {body: map[string]any{"custom_frequency": "5 4 * * *"}},
		site + "scheduled-jobs.store cron=null":                 {body: map[string]any{"frequency": "nightly"}},
		job + " cron=null":                                      {body: map[string]any{"frequency": "nightly"}},
		site + "scheduled-jobs.store grace_period":              {body: map[string]any{"heartbeat": true}},

		"organizations.servers.store php_version":                     {body: map[string]any{"type": "app"}},
		"organizations.servers.store database":                        {body: map[string]any{"database_type": "mariadb1011"}},
		"organizations.servers.store custom.ip_address":               {value: "198.51.100.7"},
		"organizations.servers.store custom.private_ip_address":       {value: "10.1.2.3"},
		"organizations.servers.store custom.nat_ssh_port":             {value: 2222},
		"organizations.servers.store custom.ssh_port":                 {value: 2222},
		"organizations.servers.store aws.disk_size":                   {value: 50},
		"organizations.servers.store credential_id":                   hetzner,
		"organizations.servers.store hetzner.region_id":               hetzner,
		"organizations.servers.store hetzner.size_id":                 hetzner,
		"organizations.servers.store hetzner.enable_daily_backups":    hetzner,
		"organizations.servers.store hetzner.enable_weekly_backups":   hetzner,
		"organizations.servers.update ip_address":                     {value: "198.51.100.8"},
		"organizations.servers.update private_ip_address":             {value: "10.1.2.4"},
		"organizations.servers.update timezone":                       {value: "Europe/Berlin"},
		`organizations.servers.actions.store action="power-cycle"`:    {at: map[string]string{"server": f.rented}},
		"organizations.servers.services.postgres.actions.store":       {at: map[string]string{"server": f.postgres}},
		"organizations.servers.php.versions.store":                    {at: map[string]string{"server": f.bare}},
		"organizations.servers.php.versions.configs.pool.update user": {value: "forge"},

		site + "store":                               {at: full},
		site + "store php_version":                   {body: map[string]any{"type": "php"}},
		site + "store database_id":                   {value: number(f.database)},
		site + "store database_user_id":              {body: map[string]any{"database_id": number(f.database)}, value: number(f.account)},
		site + "store nginx_template_id":             {value: number(f.template)},
		site + "store domain_mode":                   {value: "on-forge"},
		site + "store generate_deploy_key":           {body: withCode},
		site + "store install_composer_dependencies": {body: laravel},
		site + "store push_to_deploy":                {body: withCode},
		site + "store zero_downtime_deployments":     {body: withCode},
		site + "store private_deploy_key":            {body: withCode, value: private},
		site + "store public_deploy_key":             {body: code("private_deploy_key", private), value: public},
		site + "store repository":                    {body: withCode},
		site + "store is_isolated=true":              {body: map[string]any{"isolated_user": "shop"}},
		site + "store isolated_user":                 {body: map[string]any{"is_isolated": true}, value: "shop"},
		site + "store isolated_user=long":            {value: "a" + strings.Repeat("b", 31)},
		site + "store nuxt_next_mode":                {body: map[string]any{"type": "nextjs"}, value: "server"},
		site + "store nuxt_next_port":                {body: code("type", "nextjs"), value: 3000},
		site + "store shared_paths.*.from": {body: code("shared_paths", []any{map[string]any{"to": "uploads"}},
			"zero_downtime_deployments", true), value: "uploads"},
		site + "store shared_paths.*.to": {body: code("shared_paths", []any{map[string]any{"from": "uploads"}},
			"zero_downtime_deployments", true), value: "uploads"},
		site + "store frontend_package_manager": {value: "npm"},
		site + "store source_control_provider":  {body: withCode},
		site + "store source_control_provider_id": {body: map[string]any{
			"source_control_provider": "github", "repository": "team/shop", "branch": "main",
		}},
		site + `store type="wordpress"`:                          {body: map[string]any{"database_id": number(f.database)}},
		site + "update":                                          {at: deployed},
		site + "update deployment_retention":                     {value: "7"},
		site + "git.update per_account_private_key":              {value: private},
		site + "git.update per_account_public_key":               {body: map[string]any{"per_account_private_key": private}, value: public},
		site + "git.update source_control_provider_id":           {body: map[string]any{"source_control_provider": "github", "repository": "team/shop"}},
		site + "nginx.update config":                             {value: f.served},
		site + "domains.nginx.update config":                     {value: f.alias},
		site + "healthcheck.update healthcheck_endpoint":         {value: "https://one.example.com/up"},
		site + "npm.credentials.store scopes.*":                  {value: "@fresh"},
		site + "npm.credentials.update scopes.*":                 {value: "@acme"},
		site + "integrations.laravel-maintenance.store redirect": {value: "/soon"},
		"organizations.servers.archives.store server_id":         {value: number(f.left)},

		site + "storeOnBalancer balancing.*.backup": node, site + "storeOnBalancer balancing.*.down": node, site + "storeOnBalancer balancing.*.port": node,
		site + "storeOnBalancer balancing.*.weight": node, site + "load-balancing-nodes.update balancing.*.backup": node,

		site + `domains.certificates.store type="csr"`:           {body: request},
		site + "domains.certificates.store csr.domain":           {body: request, value: "one-too.example.com"},
		site + "domains.certificates.store csr.sans":             {body: request, value: "www.one-too.example.com"},
		site + "domains.certificates.store csr.country":          {body: request, value: "DE"},
		site + "domains.certificates.store csr.state":            {body: request},
		site + "domains.certificates.store csr.city":             {body: request},
		site + "domains.certificates.store csr.organization":     {body: request},
		site + "domains.certificates.store csr.department":       {body: request},
		site + "domains.certificates.store existing.key":         {body: existing},
		site + "domains.certificates.store existing.certificate": {body: existing},
		site + "domains.certificates.store clone.certificate_id": {body: map[string]any{"type": "clone"}},
		site + `domains.certificates.store letsencrypt.verification_method="dns-01"`: {body: map[string]any{
			"letsencrypt": map[string]any{"dns_provider_id": number(f.mine.dnsProvider)},
		}},
		site + `domains.certificates.store type="clone"`:    {body: map[string]any{"clone": domain}},
		site + `domains.certificates.store type="existing"`: {body: existing},
	}
}

// keyPair returns a key of SSH as people paste it.
func keyPair(t testing.TB) (private, public string) {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(must(ssh.MarshalPrivateKey(key, "")))), string(ssh.MarshalAuthorizedKey(must(ssh.NewPublicKey(pub))))
}
