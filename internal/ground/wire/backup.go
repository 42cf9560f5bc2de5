package wire

// The engines that a Store can be of.
const (
	EngineMariaDB  = "mariadb"
	EngineMySQL    = "mysql"
	EnginePostgres = "postgres"
	EngineFiles    = "files"
)

// Store is something of the host that is dumped or filled: a database, or files below a directory, as the account that owns them.
type Store struct {
	Engine   string   `json:"engine"`
	Database string   `json:"database,omitempty"`
	User     string   `json:"user,omitempty"`
	Dir      string   `json:"dir,omitempty"`
	Paths    []string `json:"paths,omitempty"`
}

// Backup streams dumps to a bucket: dump, zstd, age, parts of an upload. The host has no keys of the bucket, only an address for each part.
type Backup struct {
	// Recipient is the age recipient that the dumps are encrypted to.
	Recipient string       `json:"recipient"`
	Items     []BackupItem `json:"items"`
	// Measure only tells how much the stores hold, under SizesKey: what that will take of the storage can be planned then.
	Measure bool `json:"measure,omitempty"`
}

// BackupItem is one dump. One that fails does not keep the others from being made; the report says why it failed.
type BackupItem struct {
	ID    int64 `json:"id"`
	Store Store `json:"store"`
	// PartSize is that of all parts but the last, in bytes; Parts are the addresses that take them.
	PartSize int      `json:"part_size,omitempty"`
	Parts    []string `json:"parts,omitempty"`
}

// Restore reads an object twice: first to the end, to see that it is what was stored and opens with the key, and only then into the store.
type Restore struct {
	ID       int64  `json:"id"`   // of the item, for the report
	Name     string `json:"name"` // of what was backed up, for people
	URL      string `json:"url"`
	Size     int64  `json:"size"`
	Checksum string `json:"checksum"`
	// FileKey opens this one object.
	FileKey []byte `json:"file_key"`
	Store   Store  `json:"store"`
	// Over replaces what the store holds; a database is restored over another or proven.
	Over bool `json:"over,omitempty"`
	// Scratch is the name of a database that may be made and dropped on the way.
	Scratch string `json:"scratch,omitempty"`
	// Proof makes the database and drops it at the end: only the report is wanted.
	Proof bool `json:"proof,omitempty"`
}

// ReportKey is where Result.Report of a Backup holds the JSON of a []ItemReport, and of a Restore that of one ItemReport.
const ReportKey = "items"

// SizesKey is where Result.Report of a Backup that measures holds the JSON of a map[int64]int64: bytes by the ids of items. What could not be
// measured is not in it.
const SizesKey = "sizes"

// ItemReport is what became of a dump.
type ItemReport struct {
	ID    int64  `json:"id,omitempty"`
	Error string `json:"error,omitempty"`
	// Size and Checksum (SHA-256, hexadecimal) are of the object, Plain is the size of the dump.
	Size     int64        `json:"size"`
	Checksum string       `json:"checksum"`
	Plain    int64        `json:"plain"`
	Parts    []ReportPart `json:"parts,omitempty"`
	// Tables are what the dump holds, by names as the dump quotes them.
	Tables map[string]ReportTable `json:"tables,omitempty"`
	// Differs says what a restored database has otherwise than the dump.
	Differs []string `json:"differs,omitempty"`
}

// ReportPart is a part that the storage has taken.
type ReportPart struct {
	Number int    `json:"number"`
	ETag   string `json:"etag"`
	Size   int64  `json:"size"`
}

// ReportTable is what a dump holds of a table.
type ReportTable struct {
	Rows    int64 `json:"rows"`
	Columns int   `json:"columns"`
}
