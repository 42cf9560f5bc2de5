package wire

// The engines of a Store.
const (
	EngineMariaDB  = "mariadb"
	EngineMySQL    = "mysql"
	EnginePostgres = "postgres"
	EngineFiles    = "files"
)

// Store is something on the host that is dumped or filled: a database, or files below a directory, as the account that owns them.
type Store struct {
	Engine   string   `json:"engine"`
	Database string   `json:"database,omitempty"`
	User     string   `json:"user,omitempty"`
	Dir      string   `json:"dir,omitempty"`
	Paths    []string `json:"paths,omitempty"`
}

// Backup streams dumps to a bucket: dump, zstd, age, parts of an upload. The host gets no keys of the bucket, only an address for each part.
type Backup struct {
	// Recipient is the age recipient of the dumps.
	Recipient string       `json:"recipient"`
	Items     []BackupItem `json:"items"`
	// Measure only reports the sizes of the stores, under SizesKey, so that the storage they need can be planned.
	Measure bool `json:"measure,omitempty"`
}

// BackupItem is one dump. One that fails does not prevent the others; the report says why it failed.
type BackupItem struct {
	ID    int64 `json:"id"`
	Store Store `json:"store"`
	// PartSize is the size of all parts but the last, in bytes; Parts are the addresses to upload them to.
	PartSize int      `json:"part_size,omitempty"`
	Parts    []string `json:"parts,omitempty"`
}

// Restore reads an object twice: first to its end, to check that it is what was stored and opens with the key, and only then into the store.
type Restore struct {
	ID       int64  `json:"id"`   // of the item, for the report
	Name     string `json:"name"` // of what was backed up, for display
	URL      string `json:"url"`
	Size     int64  `json:"size"`
	Checksum string `json:"checksum"`
	// FileKey opens this one object.
	FileKey []byte `json:"file_key"`
	Store   Store  `json:"store"`
	// Over replaces the contents of the store; a database is restored over another or proven.
	Over bool `json:"over,omitempty"`
	// Scratch is the name of a temporary database that may be created and dropped.
	Scratch string `json:"scratch,omitempty"`
	// Proof creates the database and drops it at the end: only the report is needed.
	Proof bool `json:"proof,omitempty"`
}

// ReportKey is the key in Result.Report of the JSON of a []ItemReport for a Backup, or one ItemReport for a Restore.
const ReportKey = "items"

// SizesKey is the key in Result.Report of the JSON of a map[int64]int64 for a Backup that measures: bytes by item id, without
// items that could not be measured.
const SizesKey = "sizes"

// ItemReport is the result of a dump.
type ItemReport struct {
	ID    int64  `json:"id,omitempty"`
	Error string `json:"error,omitempty"`
	// Size and Checksum (SHA-256, hexadecimal) are of the object, Plain is the size of the dump.
	Size     int64        `json:"size"`
	Checksum string       `json:"checksum"`
	Plain    int64        `json:"plain"`
	Parts    []ReportPart `json:"parts,omitempty"`
	// Tables are the contents of the dump, by names as quoted in the dump.
	Tables map[string]ReportTable `json:"tables,omitempty"`
	// Differs lists the differences of a restored database from the dump.
	Differs []string `json:"differs,omitempty"`
	// Left lists what could not be read: the dump contains everything else.
	Left []ReportLeft `json:"left,omitempty"`
	// Shape is a digest of everything in the dump but its rows, with the engine's version and sql_mode: dumps of the same shape are restored alike.
	Shape string `json:"shape,omitempty"`
}

// ReportLeft is an object of a database, or a file, that a dump does not contain, or that can't be read back.
type ReportLeft struct {
	// Kind is table, view or file, Name its name in the store, and Reason why it was left out, without data.
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// ReportPart is a part that the storage has accepted.
type ReportPart struct {
	Number int    `json:"number"`
	ETag   string `json:"etag"`
	Size   int64  `json:"size"`
}

// ReportTable describes a table in a dump.
type ReportTable struct {
	Rows    int64 `json:"rows"`
	Columns int   `json:"columns"`
}
