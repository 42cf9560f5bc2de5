-- name: InsertAuditEntry :exec
INSERT INTO audit_entries (organization_id, user_id, caller, address, operation, path, status, message, resource_type, resource_id, was, became, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
