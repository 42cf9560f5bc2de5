-- name: InsertCertificate :one
INSERT INTO certificates (site_id, domain_id, type, verification_method, key_type, preferred_chain, dns_provider_id, request_status, status, enable, names, chain, csr, expires_at, failure, failures, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, '', 0, $15, $16) RETURNING *;

-- name: GetCertificate :one
SELECT * FROM certificates WHERE id = $1;

-- name: GetOrganizationCertificate :one
SELECT c.* FROM certificates c JOIN sites s ON s.id = c.site_id WHERE s.organization_id = $1 AND c.id = $2;

-- name: GetSiteCertificate :one
SELECT * FROM certificates WHERE site_id = $1 AND id = $2;

-- name: ListDomainCertificates :many
SELECT * FROM certificates WHERE domain_id = $1 ORDER BY id;

-- name: ListSiteCertificates :many
SELECT * FROM certificates WHERE site_id = $1 ORDER BY id;

-- name: SetCertificateKey :exec
UPDATE certificates SET private_key = $2 WHERE id = $1;

-- name: SetCertificateStatus :exec
UPDATE certificates SET status = $2, request_status = $3, operation_id = $4, updated_at = $5 WHERE id = $1;

-- name: PutCertificate :exec
UPDATE certificates SET status = $2, operation_id = $3, chain = $4, private_key = $5, names = $6, expires_at = $7, updated_at = $8 WHERE id = $1;

-- name: SetNextCertificate :exec
UPDATE certificates SET next_chain = $2, next_private_key = $3, updated_at = $4 WHERE id = $1;

-- name: SetCertificateRenewal :exec
UPDATE certificates SET renew_at = $2, ask_at = NULL, failure = $3, failures = $4, updated_at = $5 WHERE id = $1;

-- name: ListDueCertificates :many
SELECT * FROM certificates WHERE type = 'letsencrypt' AND status = 'installed' AND renew_at <= $1 AND site_id NOT IN (SELECT s.id FROM sites s JOIN servers v ON v.id = s.server_id WHERE v.revoked) ORDER BY renew_at LIMIT 100;

-- name: ListCertificatesToAskAbout :many
SELECT * FROM certificates WHERE type = 'letsencrypt' AND status = 'installed' AND chain IS NOT NULL AND renew_at > $1 AND failures = 0 AND (ask_at IS NULL OR ask_at <= $1) AND site_id NOT IN (SELECT s.id FROM sites s JOIN servers v ON v.id = s.server_id WHERE v.revoked) ORDER BY id LIMIT 1000;

-- name: SetCertificateSuggestion :exec
UPDATE certificates SET renew_at = $2, ask_at = $3 WHERE id = $1 AND renew_at IS NOT NULL AND failures = 0;

-- name: ListExpiringCertificates :many
SELECT c.* FROM certificates c JOIN domains d ON d.certificate_id = c.id WHERE c.type <> 'letsencrypt' AND c.status = 'installed' AND c.failure = '' AND c.expires_at <= $1 AND c.site_id NOT IN (SELECT s.id FROM sites s JOIN servers v ON v.id = s.server_id WHERE v.revoked) ORDER BY c.id LIMIT 1000;

-- name: ListMemberEmails :many
SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND m.role_id = $2 ORDER BY u.id;

-- name: DeleteCertificate :execrows
DELETE FROM certificates WHERE id = $1;

-- name: InsertACMEAccount :exec
INSERT INTO organization_acme_accounts (organization_id, directory, private_key, location, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- name: DeleteACMEAccount :exec
DELETE FROM organization_acme_accounts WHERE organization_id = $1 AND directory = $2 AND location = $3;

-- name: GetACMEAccount :one
SELECT * FROM organization_acme_accounts WHERE organization_id = $1 AND directory = $2;

-- name: ListSharedACMEAccounts :many
SELECT * FROM shared_acme_accounts ORDER BY directory;

-- name: DeleteSharedACMEAccount :exec
DELETE FROM shared_acme_accounts WHERE directory = $1;

-- name: InsertACMEAuthorization :execrows
INSERT INTO acme_authorizations (location, organization_id, directory, opener, domain_id, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING;

-- name: GetACMEAuthorization :one
SELECT * FROM acme_authorizations WHERE location = $1;

-- name: DeleteACMEAuthorization :exec
DELETE FROM acme_authorizations WHERE location = $1;

-- name: ListStaleACMEAuthorizations :many
SELECT * FROM acme_authorizations WHERE directory = $1 AND created_at <= $2 ORDER BY created_at LIMIT 1000;
