package wire

// MaxLog is the most bytes of a log that one answer holds.
const MaxLog = 512 << 10

// LogFiles names a log: of all files that match, the one that was changed last. Root follows no link to it that others can make.
type LogFiles struct {
	// Paths are absolute. The last part of each may hold "*".
	Paths []string `json:"paths"`
	// Below is a directory of an account that the paths are in: links below it are followed as long as they do not leave it. Empty follows none
	// but root's.
	Below string `json:"below,omitempty"`
	// Owner is the account that the file must be of; empty allows any. A file with several names is none of a log.
	Owner string `json:"owner,omitempty"`
}

// LogQuery asks for a part of a log: its end, what is before a place, or what came after one.
type LogQuery struct {
	// Files, or else Unit, whose journal is asked ("*" for all of it).
	Files *LogFiles `json:"files,omitempty"`
	Unit  string    `json:"unit,omitempty"`
	// Lines is how many at most, from the end.
	Lines int `json:"lines"`
	// Search leaves lines out that do not have this text; the case of letters does not count.
	Search string `json:"search,omitempty"`
	// Before is an offset in bytes: only what stands before it. 0 is the end.
	Before int64 `json:"before,omitempty"`
	// Follow asks for what came after the offset After of the file File, oldest first; of another file, or a shorter one, for all of it.
	Follow bool   `json:"follow,omitempty"`
	After  int64  `json:"after,omitempty"`
	File   string `json:"file,omitempty"`
}

// LogPage is a part of a log.
type LogPage struct {
	// Content is whole lines, as they are in the file.
	Content []byte `json:"content"`
	// Path is the file, "" if there is none, and File tells it from others that had or will have its name.
	Path string `json:"path,omitempty"`
	File string `json:"file,omitempty"`
	// Start and End are the offsets of what was looked through.
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	// More tells that there is something before Start.
	More bool `json:"more,omitempty"`
}

// ReadQuery asks for a small file of an account.
type ReadQuery struct {
	Path string `json:"path"`
	// Below and Owner are those of LogFiles; both are required.
	Below string `json:"below"`
	Owner string `json:"owner"`
	// Limit is how large it may be; a larger one is told as not found, with its size.
	Limit int64 `json:"limit"`
	// Packages asks, instead of the content, for the versions that a lock file of Composer's has of these.
	Packages []string `json:"packages,omitempty"`
}

// MaxLock is how large a lock file may be.
const MaxLock = 16 << 20

// ReadFile is such a file.
type ReadFile struct {
	Found    bool              `json:"found"`
	Size     int64             `json:"size"`
	Content  []byte            `json:"content,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
}

// UnitState is how a unit of systemd is.
type UnitState struct {
	Name   string `json:"name"`
	Active string `json:"active"` // ActiveState: active, activating, deactivating, failed, inactive
	Sub    string `json:"sub"`    // SubState: running, auto-restart, exited, dead, ...
	Result string `json:"result"` // of the last run: success, exit-code, signal, ...
}
