package database

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// usageWithin is how long a server may take to say what is in a database. The engine gives up a little earlier.
const usageWithin = 30 * time.Second

// DatabaseUsageAttributes are what the engine says about a database.
type DatabaseUsageAttributes struct {
	Size        int64               `json:"size" doc:"What the database takes on the server, in bytes."`
	TableCount  int64               `json:"table_count" doc:"The number of tables, with those that are not listed."`
	Tables      []TableUsage        `json:"tables" nullable:"false" doc:"The 100 largest tables, the largest first."`
	Connections DatabaseConnections `json:"connections" doc:"The open connections."`
	SlowQueries SlowQueries         `json:"slow_queries" doc:"The queries that take longest."`
	Extensions  []DatabaseExtension `json:"extensions" nullable:"false" doc:"Those of PostgreSQL; what the database has comes first."`
	CheckedAt   api.Time            `json:"checked_at" doc:"When the engine was asked."`
}

// TableUsage is a table of a database.
type TableUsage struct {
	Schema *string `json:"schema" doc:"The schema of the table in PostgreSQL; null in other engines."`
	Name   string  `json:"name" doc:"The name; what can't be printed is written as ^J or \\u200b. Partitions are part of their table."`
	Size   *int64  `json:"size" doc:"The table with its indexes, in bytes; null if the engine does not know."`
	Rows   *int64  `json:"rows" doc:"The number of rows as the engine estimates it; null if it does not."`
}

// DatabaseConnections are the open connections to a database and to its engine.
type DatabaseConnections struct {
	Count       int64                `json:"count" doc:"The open connections to the database."`
	Limit       *int64               `json:"limit" doc:"The limit of connections to the database; null if it has none."`
	EngineCount int64                `json:"engine_count" doc:"The open connections to all databases of the server."`
	EngineLimit int64                `json:"engine_limit" doc:"How many connections the engine allows."`
	Users       []AccountConnections `json:"users" nullable:"false" doc:"The 100 accounts with the most connections to the database."`
}

// AccountConnections are the open connections of an account to a database.
type AccountConnections struct {
	Name  string `json:"name"`
	Count int64  `json:"count" doc:"The open connections of the account to the database."`
	Limit *int64 `json:"limit" doc:"How many connections the engine allows the account, to all databases; null if any number."`
}

// SlowQueries are the queries of a database that take longest, as far as the engine measures them.
type SlowQueries struct {
	Source  *string     `json:"source" enum:"performance_schema,pg_stat_statements" doc:"What measures them; null if nothing does."`
	Reason  *string     `json:"reason" doc:"Why they are not measured."`
	Queries []SlowQuery `json:"queries" nullable:"false" doc:"The 20 queries with the longest mean time; not those that define something."`
}

// SlowQuery is a query of which only values differ.
type SlowQuery struct {
	Text  string `json:"text" doc:"The first 2,000 characters, with a placeholder for each value."`
	Calls int64  `json:"calls" doc:"How often it was run."`
	Mean  int64  `json:"mean" doc:"The mean time of a call, in microseconds."`
	Max   int64  `json:"max" doc:"The time of the slowest call, in microseconds."`
}

// DatabaseExtension is an extension of PostgreSQL that a database has, or could have.
type DatabaseExtension struct {
	Name      string  `json:"name"`
	Installed *string `json:"installed" doc:"The version that the database has; null if it does not have the extension."`
	Schema    *string `json:"schema" doc:"The schema that the extension is in; null if the database does not have it."`
	Offered   *string `json:"offered" doc:"The version that the server offers; null if its files are not on the server."`
	Trusted   bool    `json:"trusted" doc:"Whether accounts with write access to the database can create it (CREATE EXTENSION)."`
	Managed   bool    `json:"managed" doc:"Whether Hostler can create it. If its files are not on the server, Debian's package is installed."`
}

// ResourceType returns databaseUsages.
func (DatabaseUsageAttributes) ResourceType() string { return "databaseUsages" }

// UsageResource is the usage of a database in a document.
type UsageResource = api.Resource[DatabaseUsageAttributes, api.NoRelationships]

func (o *Operations) registerUsage() {
	api.Show(o.Router, api.Operation{
		ID:     "organizations.servers.database.schemas.usage.show",
		Method: http.MethodGet, Path: base + "/schemas/{database}/usage", Tag: tag, Mode: api.Sync, Permissions: view,
		Extension: true, Conflict: true, Noun: "databases", Verb: "usage",
		Summary: "Get the tables, connections, slow queries and extensions of a database",
		Description: "Read on the server, from its engine. 409 while the database is not installed, or if the server or its engine does " +
			"not answer.",
	}, o.schemas.InPath, o.usage)
}

func (o *Operations) usage(ctx context.Context, c api.Call[Path]) (api.Document[UsageResource], error) {
	var none api.Document[UsageResource]
	row, srv := c.Parent.Row, c.Parent.At.Server
	kind, err := needsEngine(nil, srv)
	if err != nil {
		return none, err
	}
	if !srv.IsReady {
		return none, api.Conflict("The server is not set up yet.")
	}
	if row.Status != StatusInstalled {
		return none, api.Conflict("The database is %s, not installed.", row.Status)
	}
	name, err := ParseName(kind, row.Name)
	if err != nil {
		return none, err
	}
	out, err := o.Asker.ask(ctx, srv, "database-usage", usageWithin, engineFor(kind).usage(schema{id: row.ID, name: name})...)
	switch reason := host.Reason(err); {
	case reason != "":
		return none, api.Conflict("The server can't be asked: %s.", strings.TrimSuffix(reason, "."))
	case errors.Is(err, context.DeadlineExceeded):
		return none, api.Conflict("The server did not answer within %s.", usageWithin)
	case errors.Is(err, errSilent):
		return none, api.Conflict("%s", text.Sentence(err.Error()))
	case err != nil:
		return none, err
	}
	u, err := used(kind, out)
	if err != nil {
		return none, err
	}
	return api.Document[UsageResource]{Data: UsageResource{
		ID: strconv.FormatInt(row.ID, 10), Attributes: u.shown(kind, api.TimeOf(o.Store.DB.Clock.Now().UnixMicro())),
		Links: o.Router.Links(o.schemas.URL(c.Parent.At, row.ID) + "/usage"),
	}}, nil
}

// shown returns what documents say of a usage.
func (u usage) shown(kind Engine, at api.Time) DatabaseUsageAttributes {
	a := DatabaseUsageAttributes{
		Size: u.size, TableCount: u.tableCount, Tables: []TableUsage{}, CheckedAt: at,
		Connections: DatabaseConnections{
			Count: u.connections, Limit: u.limit, EngineCount: u.taken, EngineLimit: u.most, Users: []AccountConnections{},
		},
		SlowQueries: SlowQueries{Queries: []SlowQuery{}}, Extensions: []DatabaseExtension{},
	}
	for _, t := range u.tables {
		table := TableUsage{Name: t.name, Size: t.size, Rows: t.rows}
		if kind == PostgreSQL {
			table.Schema = &t.schema
		}
		a.Tables = append(a.Tables, table)
	}
	for _, n := range u.accounts {
		a.Connections.Users = append(a.Connections.Users, AccountConnections{Name: n.name, Count: n.count, Limit: n.limit})
	}
	given := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	managed := dbaccount.Extensions()
	if kind != PostgreSQL {
		managed = nil
	}
	for _, e := range u.extensions {
		a.Extensions = append(a.Extensions, DatabaseExtension{
			Name: e.name, Installed: given(e.installed), Schema: given(e.schema), Offered: given(e.offered), Trusted: e.trusted,
			Managed: slices.Contains(managed, e.name),
		})
	}
	for _, name := range managed {
		there := slices.ContainsFunc(u.extensions, func(e extension) bool { return e.name == name })
		if pkg, _ := dbaccount.Extension(name); pkg != "" && !there {
			a.Extensions = append(a.Extensions, DatabaseExtension{Name: name, Managed: true})
		}
	}
	if u.source == "" {
		a.SlowQueries.Reason = &u.reason
		return a
	}
	a.SlowQueries.Source = &u.source
	for _, q := range u.queries {
		a.SlowQueries.Queries = append(a.SlowQueries.Queries, SlowQuery{Text: q.text, Calls: q.calls, Mean: q.mean, Max: q.most})
	}
	return a
}
