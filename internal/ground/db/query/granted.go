package query

// Granted is the queries of the edge: every write, and the reads that take a grant or a row. Rows come from reads, so every chain of reads begins with a
// grant. granted.sql.go is generated from the other queries (test/house).
type Granted struct{ all *Queries }

// InOrganization is what reads of an organization take: a grant, or a row that belongs to one.
type InOrganization interface{ InOrganization() int64 }

// OnServer is what reads of a server take: its row, or that of anything on it.
type OnServer interface{ OnServer() int64 }

// OfSite is what reads of a site take: its row, or that of anything that belongs to it.
type OfSite interface{ OfSite() int64 }

// Person is what reads of an account take: the caller, or the account's row.
type Person interface{ Person() int64 }

// Person returns the account itself.
func (row User) Person() int64 { return row.ID }

// Granted returns the queries of the edge.
func (q *Queries) Granted() *Granted { return &Granted{q} }

// Ungranted returns all queries, for work that is not a caller's: what was accepted earlier, what is due, and what identifies callers. Every use in
// nouns and in the edge is listed in test/house/ungranted_test.go, with its reason.
func (g *Granted) Ungranted() *Queries { return g.all }
