package database

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// grantee is an account as information_schema spells it.
func (m mysql) grantee(u user) string { return m.literal("'" + u.name.text + "'@'" + u.host + "'") }

// rights print what accounts were granted at each level, and those that are locked.
func (m mysql) rights() []string {
	const who = "HEX(u.User), HEX(u.Host)"
	from := func(table string) string {
		return " FROM mysql.user u JOIN information_schema." + table + ` p ON BINARY p.GRANTEE = BINARY CONCAT("'", u.User, "'@'", u.Host, "'")`
	}
	const grantable = ", IF(p.IS_GRANTABLE = 'YES', 'grant', 'plain')"
	out := []string{
		"SELECT 'right', " + who + ", '', '', HEX(p.PRIVILEGE_TYPE)" + grantable + from("USER_PRIVILEGES"),
		"SELECT 'right', " + who + ", HEX(p.TABLE_SCHEMA), '', HEX(p.PRIVILEGE_TYPE)" + grantable + from("SCHEMA_PRIVILEGES"),
		"SELECT 'right', " + who + ", HEX(p.TABLE_SCHEMA), HEX(p.TABLE_NAME), HEX(p.PRIVILEGE_TYPE)" + grantable + from("TABLE_PRIVILEGES"),
		"SELECT 'right', " + who + ", HEX(p.TABLE_SCHEMA), HEX(p.TABLE_NAME), HEX(p.PRIVILEGE_TYPE)" + grantable + from("COLUMN_PRIVILEGES"),
		"SELECT 'right', HEX(User), HEX(Host), HEX(Db), HEX(Routine_name), HEX(UPPER(Proc_priv)), IF(FIND_IN_SET('Grant', Proc_priv), 'grant', 'plain') " +
			"FROM mysql.procs_priv",
		"SELECT 'right', " + who + ", '', '', HEX(" + m.literal(locked) + "), 'plain' FROM mysql.user u WHERE " + m.locked("u.User", "u.Host"),
	}
	out = append(out, m.publicRights()...)
	if m.kind == MySQL {
		return append(out, "SELECT 'right', HEX(TO_USER), HEX(TO_HOST), '', '', HEX(FROM_USER), IF(WITH_ADMIN_OPTION = 'Y', 'grant', 'plain') FROM mysql.role_edges")
	}
	return append(out, "SELECT 'right', HEX(User), HEX(Host), '', '', HEX(Role), IF(Admin_option = 'Y', 'grant', 'plain') FROM mysql.roles_mapping WHERE "+
		"Host <> ''")
}

// locked is true for an account that can't log in.
func (m mysql) locked(name, host string) string {
	if m.kind == MySQL {
		return fmt.Sprintf("EXISTS (SELECT 1 FROM mysql.user l WHERE l.User = %s AND l.Host = %s AND l.account_locked = 'Y')", name, host)
	}
	return fmt.Sprintf("EXISTS (SELECT 1 FROM mysql.global_priv l WHERE l.User = %s AND l.Host = %s AND JSON_VALUE(l.Priv, '$.account_locked'))", name, host)
}

// wide is true if an account has more than it is to have. Rights on tables of a database that it may use completely are nothing more.
func (m mysql) wide(a allowed) string {
	var names, patterns []string
	for _, d := range a.keeps {
		names, patterns = append(names, d.name.text), append(patterns, d.name.text, wildcards.Replace(d.name.text))
	}
	more := func(column string) string {
		if !a.user.readOnly {
			return ""
		}
		return " OR " + column + " NOT IN " + inList(m.literal, reads...)
	}
	within := func(table, schemas string) string {
		return fmt.Sprintf("EXISTS (SELECT 1 FROM information_schema.%s WHERE BINARY GRANTEE = BINARY %s AND (IS_GRANTABLE = 'YES' OR TABLE_SCHEMA NOT IN %s%s))",
			table, m.grantee(a.user), schemas, more("PRIVILEGE_TYPE"))
	}
	owned := m.inBinary(names)
	routines := ""
	if a.user.readOnly {
		routines = " OR TRUE"
	}
	return strings.Join([]string{
		fmt.Sprintf("EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE BINARY GRANTEE = BINARY %s AND (IS_GRANTABLE = 'YES' OR PRIVILEGE_TYPE "+
			"<> 'USAGE'))", m.grantee(a.user)),
		within("SCHEMA_PRIVILEGES", m.inBinary(patterns)), within("TABLE_PRIVILEGES", owned), within("COLUMN_PRIVILEGES", owned),
		fmt.Sprintf("EXISTS (SELECT 1 FROM mysql.procs_priv WHERE User = %s AND Host = %s AND (FIND_IN_SET('Grant', Proc_priv) OR Db NOT IN %s%s))",
			m.literal(a.user.name.text), m.literal(a.user.host), owned, routines),
	}, " OR ")
}

// inBinary is a list that is compared with the case of letters.
func (m mysql) inBinary(texts []string) string {
	return inList(func(text string) string { return "BINARY " + m.literal(text) }, texts...)
}

func (m mysql) restore(accounts []allowed, all []schema) []wire.Step {
	statements := m.withdraw(accounts, all)
	for _, a := range accounts {
		name, there := m.account(a.user), m.exists(a.user)
		user, host := m.literal(a.user.name.text), m.literal(a.user.host)
		statements = append(statements, m.when(there+" AND ("+m.wide(a)+")", "REVOKE ALL PRIVILEGES, GRANT OPTION FROM "+name),
			m.when(m.locked(user, host), "ALTER USER "+name+" ACCOUNT UNLOCK"))
		roles, columns := "mysql.roles_mapping", [2]string{"User", "Host"}
		if m.kind == MySQL {
			roles, columns = "mysql.role_edges", [2]string{"TO_USER", "TO_HOST"}
		}
		where := fmt.Sprintf(" FROM %s WHERE %s = %s AND %s = %s", roles, columns[0], user, columns[1], host)
		statements = append(statements, "SET @roles = EXISTS (SELECT 1"+where+")", // REVOKE takes each role by its name
			m.when("@roles", "DELETE"+where), m.when("@roles", "FLUSH PRIVILEGES"))
		for _, d := range a.may {
			statements = append(statements, m.when(there, m.allow(a.user, d)))
		}
	}
	if len(statements) == 0 {
		return nil
	}
	return []wire.Step{{Name: "rights of accounts", Exec: m.run(statements...)}}
}
