package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// leakedRows are two people with one of each that opens something, and a site that has its own: "ann…" of one, "bob…" of the other. Both are on the server 5,
// and Bob's key is on the server 6, too.
func leakedRows() string {
	server := func(id int, name string) string {
		return fmt.Sprintf(`INSERT INTO servers (id, organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone,
is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at) VALUES (%d, 3, '%s', '%[2]s', 'app', 'custom', '', '',
'installed', 22, 'root', FALSE, 'UTC', TRUE, FALSE, '', '', '', '{}', '', 1, 1);
INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type,
created_at, updated_at) VALUES (%[1]d, 3, %[1]d, '%[2]s.example.com', 'php', 'installed', 'forge', FALSE, '', '', FALSE, 'none', 1, 1);
INSERT INTO projects (site_id, provider, repository, url, branch, host_keys, zero_downtime, retention, script,
auto_source, push_to_deploy, hook_hash, hook_token,
shared_paths, time_limit, package_manager, build_command, composer, releases, live_release, deployment_status, created_at, updated_at, public_key)
VALUES (%[1]d, 'custom', '', '', 'main', '', TRUE, 4, '', FALSE, TRUE, 'hook%[1]d', '', '{}', 600, '', '', FALSE, '[]', '', '', 1, 1, 'ssh-ed25519 AAAA');
INSERT INTO heartbeats (site_id, name, frequency, grace_period, token_hash, token, status, created_at, updated_at)
VALUES (%[1]d, 'nightly', 60, 5, 'beat%[1]d', '', 'pending', 1, 1);
INSERT INTO deployment_webhooks (site_id, secret, origin, created_at, updated_at) VALUES (%[1]d, '', 'https://hook.example.com', 1, 1);`, id, name)
	}
	person := func(id int, name string, server int) string {
		return fmt.Sprintf(`INSERT INTO users (id, name, email, password_hash, created_at, updated_at) VALUES (%d, '%s', '%[2]s@example.com', 'x', 1, 1);
INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at) VALUES (3, %[1]d, 1, 1, 1);
INSERT INTO tokens (user_id, name, hash, scopes, created_at) VALUES (%[1]d, 'laptop', '%[3]s', '["user:view"]', 1);
INSERT INTO sessions (user_id, hash, address, user_agent, last_seen_at, expires_at, created_at)
	VALUES (%[1]d, '%[4]s', '192.0.2.1', '', 4102444800000000, 4102444800000000, 1);
INSERT INTO oauth_grants (client_id, user_id, scopes, created_at) VALUES (9, %[1]d, '["user:view"]', 1);
INSERT INTO oauth_tokens (grant_id, kind, hash, scopes, expires_at, created_at)
SELECT id, 'access', '%[5]s', '["user:view"]', 4102444800000000, 1 FROM oauth_grants WHERE user_id = %[1]d;
INSERT INTO oauth_devices (client_id, device_hash, user_code, scopes, state, user_id, polled_at, expires_at, created_at)
VALUES (9, '%[2]s', '%[2]s', '[]', 'allowed', %[1]d, 0, 4102444800000000, 1);
INSERT INTO email_tokens (user_id, purpose, hash, expires_at, created_at) VALUES (%[1]d, 'reset', '%[2]s', 4102444800000000, 1);
INSERT INTO invitations (organization_id, email, role_id, token_hash, invited_by, expires_at, created_at, updated_at)
VALUES (3, 'friend-of-%[2]s@example.com', 1, '%[2]s', %[1]d, 4102444800000000, 1, 1);
INSERT INTO hook_readers (site_id, user_id, shown_at) VALUES (%[6]d, %[1]d, 1);
INSERT INTO ssh_keys (id, server_id, name, unix_user, key, options, status, created_by, created_at, updated_at)
VALUES (%[1]d, %[6]d, '%[2]s', 'forge', 'ssh-ed25519 %[2]s', '', 'installed', %[1]d, 1, 1);
INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, deadline, state,
step, reason, attempt, cancelled, updated_at, needs, prints, lasting, created_at)
VALUES (%[1]d, 3, %[6]d, 'keys', 'keys', %[1]d, 'create', '', '', 1, 'succeeded', '', '', 1, FALSE, 1, '', FALSE, FALSE, 1);
INSERT INTO applied (kind, id, server_id, operation_id, version, specification, updated_at)
VALUES ('keys', %[1]d, %[6]d, %[1]d, 1, '{"name":"%[2]s","user":"forge","key":"ssh-ed25519 %[2]s","created_by":%[1]d}', 1);
INSERT INTO sftp_users (id, site_id, name, keys, status, created_by, created_at, updated_at)
VALUES (%[1]d, %[6]d, 'files-%[2]s', 'ssh-ed25519 %[2]s', 'installed', %[1]d, 1, 1);
INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, deadline, state,
step, reason, attempt, cancelled, updated_at, needs, prints, lasting, created_at)
VALUES (%[1]d + 100, 3, %[6]d, 'sftp', 'sftpUsers', %[1]d, 'create', '', '', 1, 'succeeded', '', '', 1, FALSE, 1, '', FALSE, FALSE, 1);
INSERT INTO applied (kind, id, server_id, operation_id, version, specification, updated_at)
VALUES ('sftpUsers', %[1]d, %[6]d, %[1]d + 100, 1, '{"site_id":%[6]d,"name":"files-%[2]s","keys":["ssh-ed25519 %[2]s"],"created_by":%[1]d}', 1);`,
			id, name, secret.Hash("hostler_pat_"+name), secret.Hash("session-"+name), secret.Hash("hostler_oat_"+name), server)
	}
	return `INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (3, 'Acme', 'acme', 1, 1);
INSERT INTO oauth_clients (id, client_id, name, redirect_uris, scopes, created_at, updated_at) VALUES (9, 'c', 'program', '[]', '["user:view"]', 1, 1);` +
		server(5, "web-1") + server(6, "web-2") + person(7, "ann", 5) + person(8, "bob", 6)
}

// After a leak everything of a person, a server or the installation is listed, and revoked on request; the rest stays as it was.
func TestRevokeAfterALeak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leak app.Leak
		// revoked and kept are lines of what was found.
		revoked, kept []string
		annIsOut      bool
		bobIsOut      bool
	}{
		"Person": {
			leak: app.Leak{Person: "ann@example.com"}, annIsOut: true, revoked: []string{
				"SFTP users, with their sessions: web-1, web-1.example.com: files-ann",
				"SSH keys, with the sessions opened with them: web-1, forge: ann", "deploy hooks: web-1, web-1.example.com",
				"devices that have no token yet: ann@example.com: program",
				"links by mail: ann@example.com: reset", "open invitations: ann@example.com: to friend-of-ann@example.com", "personal tokens: ann@example.com: laptop",
				"programs, with their tokens: ann@example.com: program", "sessions of the dashboard: ann@example.com: from 192.0.2.1",
			}, kept: []string{"passwords and second factors: ann@example.com"},
		},
		"Server": {
			leak: app.Leak{ServerID: 6}, revoked: []string{
				"SFTP users, with their sessions: web-2, web-2.example.com: files-bob",
				"SSH keys, with the sessions opened with them: web-2, forge: bob", "deploy hooks: web-2, web-2.example.com",
				"heartbeats' addresses: web-2, web-2.example.com: nightly", "webhooks' secrets: web-2, web-2.example.com: https://hook.example.com",
			}, kept: []string{"Hostler's own keys: web-2", "deploy keys: web-2, web-2.example.com"},
		},
		"All": {leak: app.Leak{All: true}, annIsOut: true, bobIsOut: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := installation(t)
			store, err := app.OpenStore(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = store.Close() }()
			execute(t, store, leakedRows())
			config.BaseURL = "http://127.0.0.1"
			panel, err := app.New(config, store, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			ann, bob := calls(t, panel, "ann"), calls(t, panel, "bob")
			if ann != "200 200 200" || bob != ann {
				t.Fatalf("before, they get %s and %s", ann, bob)
			}
			before := state(t, store)
			found, err := store.Revoke(t.Context(), c.leak, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := state(t, store); got != before {
				t.Errorf("a list changed\n%s\nto\n%s", before, got)
			}
			revoked, kept := lines(found, false), lines(found, true)
			if !c.leak.All && (!slices.Equal(revoked, c.revoked) || !slices.Equal(kept, c.kept)) {
				t.Errorf("it finds\n%s\nand by hand\n%s", strings.Join(revoked, "\n"), strings.Join(kept, "\n"))
			}
			if c.leak.All && len(revoked) != 11*2 {
				t.Errorf("of everything it finds\n%s", strings.Join(revoked, "\n"))
			}
			done, err := store.Revoke(t.Context(), c.leak, true)
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(done, false); !slices.Equal(got, revoked) {
				t.Errorf("it revoked\n%s", strings.Join(got, "\n"))
			}
			if again, err := store.Revoke(t.Context(), c.leak, false); err != nil || len(lines(again, false)) != rotated(revoked) {
				t.Errorf("afterwards it still finds\n%s, %v", strings.Join(lines(again, false), "\n"), err)
			}
			out := map[bool]string{true: "401 401 401", false: "200 200 200"}
			if ann, bob := calls(t, panel, "ann"), calls(t, panel, "bob"); ann != out[c.annIsOut] || bob != out[c.bobIsOut] {
				t.Errorf("afterwards Ann gets %s, and Bob %s", ann, bob)
			}
			after := state(t, store)
			for what, gone := range map[string]bool{
				"hook5": c.annIsOut, "hook6": c.leak.Person == "", "beat5": c.leak.All, "beat6": c.leak.Person == "",
				"key ann installed": c.annIsOut, "key bob installed": c.leak.Person == "",
				"friend-of-ann": c.annIsOut, "friend-of-bob": c.bobIsOut, "device ann": c.annIsOut, "device bob": c.bobIsOut, "mail ann": c.annIsOut,
				"mail bob": c.bobIsOut,
			} {
				if strings.Contains(after, what) == gone {
					t.Errorf("afterwards there is, or is not: %s, of\n%s", what, after)
				}
			}
			if !strings.Contains(after, "log operator hostler revoke") || strings.Contains(before, "log ") {
				t.Errorf("the audit log has\n%s", after)
			}
		})
	}
}

// rotated counts the lines of what is replaced by another of its kind, and so is found again.
func rotated(lines []string) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, "heartbeats") || strings.HasPrefix(line, "webhooks") || strings.HasPrefix(line, "deploy hooks") {
			n++
		}
	}
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "personal") }) && n == 1 {
		return 0 // the person was not shown the new hook
	}
	return n
}

func lines(found []app.Revocable, byHand bool) (out []string) {
	for _, f := range found {
		for _, name := range f.Names {
			if f.ByHand == byHand {
				out = append(out, f.Kind+": "+name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// calls returns what a person's token, program and session are answered.
func calls(t *testing.T, a *app.App, name string) string {
	t.Helper()
	var out []string
	for _, with := range []func(*http.Request){
		func(r *http.Request) { r.Header.Set("Authorization", "Bearer hostler_pat_"+name) },
		func(r *http.Request) { r.Header.Set("Authorization", "Bearer hostler_oat_"+name) },
		func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "hostler", Value: "session-" + name}) },
	} {
		req, answer := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/user", nil), httptest.NewRecorder()
		with(req)
		a.Handler().ServeHTTP(answer, req)
		out = append(out, fmt.Sprint(answer.Code))
	}
	return strings.Join(out, " ")
}

func state(t *testing.T, s *app.Store) string {
	t.Helper()
	out, err := db.Column[string](t.Context(), s.DB.Reader(), `SELECT 'hook ' || hook_hash FROM projects UNION ALL SELECT 'beat ' || token_hash FROM heartbeats
UNION ALL SELECT 'key ' || name || ' ' || status FROM ssh_keys UNION ALL SELECT 'invitation ' || email FROM invitations
UNION ALL SELECT 'device ' || device_hash FROM oauth_devices UNION ALL SELECT 'mail ' || hash FROM email_tokens
UNION ALL SELECT 'log ' || caller || ' ' || operation FROM audit_entries ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

func execute(t *testing.T, s *app.Store, statements string) {
	t.Helper()
	for statement := range strings.SplitSeq(statements, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := s.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, statement)
			return err
		}); err != nil {
			t.Fatal(statement, err)
		}
	}
}
