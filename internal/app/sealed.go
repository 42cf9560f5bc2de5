package app

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// cells are the sealed values of one column. id are the columns that name a row, and together the row of the value's place.
type cells struct {
	table, column string
	id            string
	// was is the table that the values were sealed for, where it had another name then.
	was string
}

// place is where the value of a row is.
func (c cells) place(r row) secret.Place {
	p := secret.Place{Table: c.table, Column: c.column, Row: strings.TrimSuffix(fmt.Sprintln(r.id...), "\n")} // with a space between each
	if c.was != "" {
		p.Table = c.was
	}
	return p
}

// sealedCells are all columns that hold sealed values. A test compares them with the schema.
var sealedCells = []cells{
	{table: "backup_items", column: "file_key", id: "id"},
	{table: "backup_keys", column: "identity", id: "id"},
	{table: "certificates", column: "next_private_key", id: "id"},
	{table: "certificates", column: "private_key", id: "id"},
	{table: "database_users", column: "password", id: "id"},
	{table: "deployment_webhooks", column: "address", id: "id"},
	{table: "deployment_webhooks", column: "secret", id: "id"},
	{table: "deployments", column: "hook_variables", id: "id"},
	{table: "dns_providers", column: "secret", id: "id"},
	{table: "environments", column: "content", id: "id"},
	{table: "environments", column: "encryption_key", id: "id"},
	{table: "heartbeats", column: "token", id: "id"},
	{table: "idempotency_keys", column: "response", id: "caller, route, idempotency_key"},
	{table: "integrations", column: "secret", id: "id"},
	{table: "mails", column: "sealed", id: "name"},
	{table: "notification_channels", column: "settings", id: "id"},
	{table: "organization_acme_accounts", column: "private_key", id: "organization_id, directory"},
	{table: "package_credentials", column: "secret", id: "id"},
	{table: "projects", column: "hook_token", id: "site_id"},
	{table: "projects", column: "private_key", id: "site_id"},
	{table: "runs", column: "run", id: "id"},
	{table: "security_rules", column: "credentials", id: "id"},
	{table: "server_credentials", column: "secret", id: "id"},
	{table: "servers", column: "bootstrap_secret", id: "id"},
	{table: "servers", column: "next_private_key", id: "id"},
	{table: "servers", column: "private_key", id: "id"},
	{table: "shared_acme_accounts", column: "private_key", id: "directory", was: "acme_accounts"},
	{table: "source_control_providers", column: "token", id: "id"},
	{table: "storage_providers", column: "secret", id: "id"},
	{table: "two_factors", column: "secret", id: "user_id"},
}

// sealedFields are the sealed values in specifications, by kind. Their places are columns of the kind's own table.
var sealedFields = map[string]struct{ field, table, column string }{
	"certificates":  {"key", "certificates", "private_key"},
	"databaseUsers": {"password", "database_users", "password"},
	"securityRules": {"users", "security_rules", "credentials"},
}

// specifications are the tables that hold specifications, with what names a row of each.
var specifications = map[string]string{"applied": "kind, id", "wishes": "kind, id, operation_id"}

// row is one row that holds a sealed value: the values of its id, and the value.
type row struct {
	id    []any
	value []byte
}

// someRows reads rows as a whole: on SQLite no other statement may run on the connection meanwhile.
func someRows(ctx context.Context, tx *db.Tx, columns int, query string, args ...any) ([]row, error) {
	rows, err := tx.SQL.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []row
	for rows.Next() {
		r := row{id: make([]any, columns)}
		into := make([]any, 0, columns+1)
		for i := range r.id {
			into = append(into, &r.id[i])
		}
		if err := rows.Scan(append(into, &r.value)...); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// where is a condition on the columns of an id, with arguments from the number on.
func where(id string, from int) string {
	names := strings.Split(id, ", ")
	for i, name := range names {
		names[i] = name + " = $" + strconv.Itoa(from+i)
	}
	return strings.Join(names, " AND ")
}

// reseal seals some values once more with the primary key that are sealed with another, and returns how many.
func (c cells) reseal(ctx context.Context, tx *db.Tx, box *secret.Box, old secret.Key, limit int) (int, error) {
	columns := strings.Count(c.id, ",") + 1
	rows, err := someRows(ctx, tx, columns,
		"SELECT "+c.id+", "+c.column+" FROM "+c.table+" WHERE substr("+c.column+", 1, 5) = $1 LIMIT "+strconv.Itoa(limit), old.Prefix())
	if err != nil {
		return 0, fmt.Errorf("list what is sealed of %s.%s: %w", c.table, c.column, err)
	}
	for _, r := range rows {
		place := c.place(r)
		value, err := again(box, place, r.value)
		if err != nil {
			return 0, err
		}
		if _, err := tx.SQL.ExecContext(ctx, "UPDATE "+c.table+" SET "+c.column+" = $1 WHERE "+where(c.id, 2), append([]any{value}, r.id...)...); err != nil {
			return 0, fmt.Errorf("seal %s.%s of row %s: %w", c.table, c.column, place.Row, err)
		}
	}
	return len(rows), nil
}

func again(box *secret.Box, place secret.Place, value []byte) ([]byte, error) {
	plain, err := box.Open(place, value)
	if err != nil {
		return nil, err
	}
	return box.Seal(place, plain)
}

// resealSpecifications does the same for sealed values in specifications of a table. All else of a specification stays as it is written.
func resealSpecifications(ctx context.Context, tx *db.Tx, box *secret.Box, old secret.Key, table string, limit int) (int, error) {
	id := specifications[table]
	columns := strings.Count(id, ",") + 1
	rows, err := someRows(ctx, tx, columns, "SELECT "+id+", specification FROM "+table+" WHERE "+within(tx, "specification",
		"$1")+" LIMIT "+strconv.Itoa(limit), quoted(old))
	if err != nil {
		return 0, fmt.Errorf("list what is sealed of %s: %w", table, err)
	}
	for _, r := range rows {
		kind, number := fmt.Sprint(r.id[0]), fmt.Sprint(r.id[1])
		at, ok := sealedFields[kind]
		if !ok {
			return 0, fmt.Errorf("seal %s of %s %s: nothing says what is sealed in it", table, kind, number)
		}
		var fields map[string]json.RawMessage
		var value []byte
		err := json.Unmarshal(r.value, &fields)
		if err == nil {
			err = json.Unmarshal(fields[at.field], &value)
		}
		if err != nil {
			return 0, fmt.Errorf("read %s of %s %s: %w", table, kind, number, err)
		}
		fresh, err := again(box, secret.Place{Table: at.table, Row: number, Column: at.column}, value)
		if err != nil {
			return 0, err
		}
		text := strings.Replace(string(r.value), base64.StdEncoding.EncodeToString(value), base64.StdEncoding.EncodeToString(fresh), 1)
		if _, err := tx.SQL.ExecContext(ctx, "UPDATE "+table+" SET specification = $1 WHERE "+where(id, 2), append([]any{text}, r.id...)...); err != nil {
			return 0, fmt.Errorf("seal %s of %s %s: %w", table, kind, number, err)
		}
	}
	return len(rows), nil
}

// quoted is what the text of a value in JSON begins with that is sealed with the key: its prefix is 5 bytes, which are the first 6 digits of base64 except for
// 4 bits.
func quoted(k secret.Key) string {
	return `"` + base64.StdEncoding.EncodeToString(k.Prefix())[:6]
}

// within is an expression: a text in a column, with the case of its letters.
func within(tx *db.Tx, column, text string) string {
	if tx.PostgreSQL != nil {
		return "strpos(" + column + ", " + text + ") > 0"
	}
	return "instr(" + column + ", " + text + ") > 0"
}

// sealedWith counts the values that are sealed with a key, in the whole database and not in the known columns alone, by column.
func sealedWith(ctx context.Context, tx *db.Tx, key secret.Key) (map[string]int, error) {
	schema := `SELECT m.name, p.name, p.type FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'`
	if tx.PostgreSQL != nil {
		schema = `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema()`
	}
	columns, err := schemaColumns(ctx, tx, schema)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	out := map[string]int{}
	for _, c := range columns {
		var condition string
		var argument any
		switch strings.ToUpper(c.kind) {
		case "BLOB", "BYTEA":
			condition, argument = `substr("`+c.name+`", 1, 5) = $1`, key.Prefix()
		case "TEXT":
			condition, argument = within(tx, `"`+c.name+`"`, "$1"), quoted(key)
		default:
			continue
		}
		var n int
		if err := tx.SQL.QueryRowContext(ctx, `SELECT COUNT(*) FROM "`+c.table+`" WHERE `+condition, argument).Scan(&n); err != nil {
			return nil, fmt.Errorf("count what is sealed in %s.%s: %w", c.table, c.name, err)
		}
		if n > 0 {
			out[c.table+"."+c.name] = n
		}
	}
	return out, nil
}

type column struct{ table, name, kind string }

func schemaColumns(ctx context.Context, tx *db.Tx, query string) (out []column, err error) {
	var rows *sql.Rows
	if rows, err = tx.SQL.QueryContext(ctx, query); err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.table, &c.name, &c.kind); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}
