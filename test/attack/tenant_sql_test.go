package attack_test

import (
	"slices"
	"strings"
	"testing"
)

// views are what an engine shows of itself, and powers what would lead out of the tenant's own database. CANARY is root's canary, BOB the neighbour's
// database and account.
var postgresViews = strings.Split(`SELECT * FROM pg_database
SELECT * FROM pg_roles
SELECT * FROM pg_user
SELECT * FROM pg_group
SELECT * FROM pg_stat_activity
SELECT * FROM pg_stat_database
SELECT * FROM pg_stat_ssl
SELECT * FROM pg_stat_replication
SELECT * FROM pg_stat_statements
SELECT * FROM pg_locks
SELECT * FROM pg_prepared_xacts
SELECT * FROM pg_db_role_setting
SELECT * FROM pg_shdescription
SELECT * FROM pg_shseclabel
SELECT * FROM pg_auth_members
SELECT * FROM pg_tablespace
SELECT * FROM pg_settings
SELECT * FROM pg_authid
SELECT * FROM pg_shadow
SELECT * FROM pg_user_mapping
SELECT * FROM pg_user_mappings
SELECT * FROM pg_subscription
SELECT * FROM pg_file_settings
SELECT * FROM pg_hba_file_rules
SELECT * FROM pg_ident_file_mappings
SELECT * FROM pg_config
SELECT * FROM pg_backend_memory_contexts
SELECT * FROM pg_shmem_allocations
SELECT * FROM pg_stat_get_activity(NULL)
SELECT * FROM information_schema.schemata
SELECT * FROM information_schema.tables
SELECT * FROM information_schema.enabled_roles
SELECT * FROM information_schema.applicable_roles
SELECT * FROM pg_replication_slots
SELECT pg_ls_logdir()
SELECT pg_ls_waldir()
SELECT pg_ls_dir('.')
SELECT pg_ls_dir('/home')
SELECT pg_current_logfile()
SELECT pg_read_file('/root/secret')
SELECT pg_read_file('/etc/passwd')
SELECT pg_read_file('pg_hba.conf')
SELECT pg_read_binary_file('global/1260')
SELECT pg_stat_file('/root/secret')
SELECT pg_describe_object(1260, 10, 0)
SELECT pg_database_size('BOB')`, "\n")

var postgresPowers = strings.Split(`COPY (SELECT 1) TO PROGRAM 'touch CANARY'
COPY (SELECT 1) TO '/tmp/canary'
CREATE TABLE lines (l text); COPY lines FROM PROGRAM 'id'
CREATE TABLE lines (l text); COPY lines FROM '/etc/passwd'
SELECT lo_import('/etc/passwd')
SELECT lo_export(lo_create(0), '/tmp/canary')
CREATE EXTENSION dblink
CREATE EXTENSION postgres_fdw
CREATE EXTENSION file_fdw
CREATE EXTENSION adminpack
CREATE EXTENSION pg_stat_statements
CREATE EXTENSION pageinspect
CREATE LANGUAGE plpython3u
CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/lib/x86_64-linux-gnu/libc.so.6', 'getpid'
CREATE FUNCTION f() RETURNS int LANGUAGE internal AS 'pg_reload_conf'
LOAD '/tmp/x.so'
ALTER SYSTEM SET archive_command = 'touch CANARY'
SELECT pg_reload_conf()
SELECT pg_rotate_logfile()
SELECT pg_switch_wal()
SELECT pg_promote()
SELECT pg_create_restore_point('x')
SELECT pg_backup_start('x')
SELECT pg_create_physical_replication_slot('x')
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'BOB' AND pid <> pg_backend_pid()
SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'BOB'
SELECT pg_log_backend_memory_contexts(pid) FROM pg_stat_activity WHERE usename = 'BOB'
SET ROLE BOB
SET ROLE forge
SET ROLE postgres
SET SESSION AUTHORIZATION postgres
GRANT postgres TO CURRENT_USER
GRANT pg_read_server_files TO CURRENT_USER
GRANT pg_execute_server_program TO CURRENT_USER
GRANT BOB TO CURRENT_USER
CREATE ROLE mallory LOGIN SUPERUSER
CREATE ROLE mallory
ALTER ROLE CURRENT_USER SUPERUSER
ALTER ROLE CURRENT_USER CREATEDB
ALTER ROLE BOB PASSWORD 'x'
ALTER ROLE BOB SET search_path = x
ALTER ROLE postgres SET search_path = x
ALTER ROLE ALL SET search_path = x
ALTER DATABASE BOB SET search_path = x
ALTER DATABASE postgres SET search_path = x
ALTER DATABASE template1 SET search_path = x
COMMENT ON DATABASE BOB IS 'x'
CREATE DATABASE mallory
DROP DATABASE BOB
CREATE TABLESPACE x LOCATION '/tmp'
CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p
CREATE PUBLICATION p FOR ALL TABLES
CREATE EVENT TRIGGER x ON ddl_command_start EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()
CREATE FOREIGN DATA WRAPPER x
CREATE ACCESS METHOD x TYPE INDEX HANDLER bthandler
CREATE FUNCTION pg_catalog.f() RETURNS int LANGUAGE sql AS 'SELECT 1'
UPDATE pg_authid SET rolsuper = true
UPDATE pg_database SET datallowconn = true
SET session_preload_libraries = '/tmp/x'
SET log_statement = 'none'
REINDEX SYSTEM postgres`, "\n")

var mysqlViews = strings.Split(`SHOW DATABASES
SHOW FULL PROCESSLIST
SHOW OPEN TABLES
SHOW TABLE STATUS
SHOW GLOBAL VARIABLES
SHOW GLOBAL STATUS
SHOW ENGINE INNODB STATUS
SHOW BINARY LOGS
SHOW MASTER STATUS
SHOW SLAVE STATUS
SHOW PLUGINS
SHOW EVENTS
SHOW TRIGGERS
SHOW PROCEDURE STATUS
SHOW FUNCTION STATUS
SHOW GRANTS FOR BOB@'%'
SHOW GRANTS FOR BOB@localhost
SHOW CREATE USER BOB@'%'
SHOW CREATE DATABASE BOB
SHOW TABLES FROM BOB
SHOW USER_STATISTICS
SHOW CLIENT_STATISTICS
SELECT * FROM information_schema.SCHEMATA
SELECT * FROM information_schema.TABLES
SELECT * FROM information_schema.COLUMNS
SELECT * FROM information_schema.PROCESSLIST
SELECT * FROM information_schema.ROUTINES
SELECT * FROM information_schema.TRIGGERS
SELECT * FROM information_schema.EVENTS
SELECT * FROM information_schema.VIEWS
SELECT * FROM information_schema.USER_PRIVILEGES
SELECT * FROM information_schema.SCHEMA_PRIVILEGES
SELECT * FROM information_schema.TABLE_PRIVILEGES
SELECT * FROM information_schema.APPLICABLE_ROLES
SELECT * FROM information_schema.FILES
SELECT * FROM information_schema.PARTITIONS
SELECT * FROM information_schema.STATISTICS
SELECT * FROM information_schema.KEY_COLUMN_USAGE
SELECT * FROM information_schema.INNODB_TRX
SELECT * FROM information_schema.INNODB_SYS_TABLES
SELECT * FROM information_schema.INNODB_SYS_TABLESPACES
SELECT * FROM information_schema.INNODB_BUFFER_PAGE
SELECT * FROM information_schema.METADATA_LOCK_INFO
SELECT * FROM information_schema.USER_STATISTICS
SELECT * FROM information_schema.TABLE_STATISTICS
SELECT * FROM information_schema.GLOBAL_VARIABLES
SELECT * FROM information_schema.SYSTEM_VARIABLES
SELECT * FROM performance_schema.threads
SELECT * FROM performance_schema.events_statements_current
SELECT * FROM performance_schema.events_statements_summary_by_digest
SELECT * FROM performance_schema.accounts
SELECT * FROM sys.processlist
SELECT * FROM sys.session
SELECT * FROM sys.schema_table_statistics
SELECT * FROM sys.version
SELECT * FROM mysql.user
SELECT * FROM mysql.db
SELECT * FROM mysql.global_priv
SELECT * FROM mysql.proc
SELECT * FROM mysql.event
SELECT * FROM mysql.servers
SELECT * FROM mysql.general_log
SELECT * FROM mysql.slow_log
SELECT * FROM mysql.innodb_table_stats
SELECT * FROM BOB.secrets
SELECT LOAD_FILE('/etc/passwd')
SELECT LOAD_FILE('/root/secret')
SELECT LOAD_FILE('BOB/secrets.frm')`, "\n")

var mysqlPowers = strings.Split(`SELECT 1 INTO OUTFILE '/tmp/canary'
SELECT 1 INTO DUMPFILE '/var/lib/mysql/canary'
CREATE TABLE x (l text); LOAD DATA INFILE '/etc/passwd' INTO TABLE x
CREATE FUNCTION sys_exec RETURNS INTEGER SONAME 'x.so'
INSTALL SONAME 'ha_connect'
INSTALL PLUGIN x SONAME 'x.so'
SET GLOBAL general_log_file = '/tmp/canary'
SET GLOBAL init_connect = 'SELECT 1'
SET GLOBAL secure_file_priv = ''
SET GLOBAL event_scheduler = ON
SET GLOBAL max_connections = 1
SET SESSION sql_log_bin = 0
CREATE USER mallory
CREATE ROLE mallory
GRANT ALL ON *.* TO CURRENT_USER
GRANT ALL ON BOB.* TO CURRENT_USER
GRANT PROXY ON root@localhost TO CURRENT_USER
GRANT ALL ON ALICE.* TO BOB
SET ROLE root
SET PASSWORD FOR BOB = PASSWORD('x')
ALTER USER BOB IDENTIFIED BY 'x'
ALTER USER root@localhost IDENTIFIED BY 'x'
CREATE DATABASE mallory
CREATE DATABASE test
CREATE DATABASE test_mallory
DROP DATABASE BOB
USE BOB
CREATE TABLE BOB.x (n int)
CREATE TABLE mysql.x (n int)
CREATE DEFINER=root@localhost PROCEDURE p() SELECT LOAD_FILE('/etc/passwd')
CREATE DEFINER=root@localhost VIEW v AS SELECT * FROM mysql.user
CREATE DEFINER=root@localhost SQL SECURITY DEFINER VIEW v AS SELECT 1
CREATE DEFINER=root@localhost EVENT e ON SCHEDULE EVERY 1 SECOND DO SET @x = 1
CREATE TABLE y (n int); CREATE DEFINER=root@localhost TRIGGER tr BEFORE INSERT ON y FOR EACH ROW SET @x = 1
CREATE VIEW w AS SELECT * FROM BOB.secrets
CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1')
CREATE TABLE z (n int) ENGINE=MyISAM DATA DIRECTORY='/var/lib/mysql/BOB'
CREATE TABLE z (n int) ENGINE=CONNECT TABLE_TYPE=DOS FILE_NAME='/etc/passwd'
RENAME TABLE secrets TO BOB.stolen
FLUSH TABLES WITH READ LOCK
FLUSH PRIVILEGES
FLUSH LOGS
PURGE BINARY LOGS BEFORE NOW()
RESET MASTER
BACKUP STAGE START
SHUTDOWN
CHANGE MASTER TO MASTER_HOST='127.0.0.1'
LOCK TABLES BOB.secrets READ
HANDLER BOB.secrets OPEN`, "\n")

// queries returns what the tenant's database account sees of others in the engine, and what it may do there beyond its own database.
func (n *Tenant) queries(t testing.TB) (found []string) {
	t.Helper()
	h := n.host
	words, views, powers := h.words(n), mysqlViews, mysqlPowers
	if h.Postgres() {
		views, powers = postgresViews, postgresPowers
	}
	fill := strings.NewReplacer("CANARY", h.RootCanary, "BOB", h.Bob.Database, "ALICE", h.Alice.Database)
	see := func(what, out string) {
		for word, is := range words {
			if strings.Contains(out, word) {
				found = append(found, normal("query\t"+what+": "+is))
			}
		}
	}
	for _, sql := range tenth(t, views) {
		out, err := n.trySQL(n.Database, fill.Replace(sql))
		if err == nil {
			see(sql, out)
		}
	}
	// Each is tried in a separate session; a success is a finding, and undone.
	for _, sql := range tenth(t, powers) {
		filled := fill.Replace(sql)
		if h.Postgres() {
			filled = "BEGIN; " + filled + "; ROLLBACK"
			if strings.HasPrefix(sql, "ALTER SYSTEM") || strings.HasPrefix(sql, "CREATE DATABASE") ||
				strings.HasPrefix(sql, "DROP DATABASE") || strings.HasPrefix(sql, "CREATE TABLESPACE") ||
				strings.HasPrefix(sql, "REINDEX") || strings.HasPrefix(sql, "CREATE SUBSCRIPTION") {
				filled = fill.Replace(sql)
			}
		}
		out, err := n.trySQL(n.Database, filled)
		if err == nil && !(strings.HasPrefix(sql, "SELECT pg_") && strings.TrimSpace(strings.NewReplacer("BEGIN", "", "ROLLBACK", "").Replace(out)) == "") {
			found = append(found, "power\t"+sql)
		}
		see(sql, out)
		if !h.Postgres() {
			_, _ = n.trySQL(n.Database, "DROP TABLE IF EXISTS x, y, z; DROP VIEW IF EXISTS v, w; DROP PROCEDURE IF EXISTS p; DROP EVENT IF EXISTS e")
		}
	}
	if !h.Postgres() { // this answers that all is well, and ends nothing
		for _, sql := range []string{"KILL USER BOB", "KILL HARD QUERY USER BOB"} {
			_, _ = n.trySQL(n.Database, fill.Replace(sql))
		}
	}
	if got := h.rootSQL(t, h.system(), n.host.Bob.sleeping()); got != "1" {
		found = append(found, "power\tend the queries of the neighbour")
	}
	// Every database that there is, as root knows them.
	list := "SHOW DATABASES"
	if h.Postgres() {
		list = "SELECT datname FROM pg_database WHERE datallowconn"
	}
	for _, name := range strings.Fields(h.rootSQL(t, h.system(), list)) {
		if name == n.Database || name == "information_schema" { // which shows every account its own
			continue
		}
		if _, err := n.trySQL(name, "SELECT 1"); err == nil {
			found = append(found, "power\tCONNECT "+name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// A directory that a table's file is in, and that becomes a link to the files of another database afterwards, would have the engine read and delete
// those. DATA DIRECTORY needs no privilege.
func TestTableReachesNeighboursFiles(t *testing.T) {
	w := tenantWorld(t)
	a, b := w.MariaDB.Alice, w.MariaDB.Bob
	dir := "/tmp/" + random(t)
	a.run(t, "sh", "-c", `mkdir -m 777 "$1" && mkdir -m 777 "$1/$2"`, "sh", dir, a.Database)
	defer func() { _, _ = w.MariaDB.Host.TryExec("rm", "-rf", dir) }()
	defer func() { _, _ = a.trySQL(a.Database, "DROP TABLE IF EXISTS reached") }()
	b.sql(t, "CREATE TABLE reached (word VARCHAR(100)); INSERT INTO reached VALUES ('"+b.Secret+"')")
	defer func() { _, _ = b.trySQL(b.Database, "DROP TABLE reached") }()
	for _, engine := range []string{"InnoDB", "MyISAM", "Aria"} {
		_, _ = a.trySQL(a.Database, "CREATE OR REPLACE TABLE reached (word VARCHAR(100)) ENGINE="+engine+" DATA DIRECTORY='"+dir+"' INDEX DIRECTORY='"+dir+"'")
		if out := a.run(t, "find", dir, "-type", "f"); out != "" {
			t.Errorf("the engine makes files of %s where the tenant wants them: %s", engine, out)
		}
	}
	_, _ = a.trySQL(a.Database, "CREATE OR REPLACE TABLE reached (word VARCHAR(100)) DATA DIRECTORY='"+dir+"'")
	a.run(t, "sh", "-c", `mv "$1/$2" "$1/was" && ln -s "/var/lib/mysql/$3" "$1/$2"`, "sh", dir, a.Database, b.Database)
	for _, sql := range []string{
		"ALTER TABLE reached IMPORT TABLESPACE", "FLUSH TABLES", "SELECT * FROM reached",
		"ALTER TABLE reached DISCARD TABLESPACE", "ALTER TABLE reached IMPORT TABLESPACE", "SELECT * FROM reached", "DROP TABLE reached",
	} {
		if out, _ := a.trySQL(a.Database, sql); strings.Contains(out, b.Secret) {
			t.Errorf("%s reads the neighbour's table: %s", sql, out)
		}
	}
	w.MariaDB.root(t, "test", "-s", "/var/lib/mysql/"+b.Database+"/reached.ibd")
	if got := b.sql(t, "SELECT word FROM reached"); got != b.Secret {
		t.Errorf("the neighbour's table has %q", got)
	}
}
