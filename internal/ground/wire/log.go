package wire

// MaxLog is the maximum number of bytes of a log in one answer.
const MaxLog = 512 << 10

// LogFiles names a log: of all matching files, the most recently changed. Root follows no link to it that others can make.
type LogFiles struct {
	// Paths are absolute. The last component of each can contain "*".
	Paths []string `json:"paths"`
	// Below is a directory of an account that contains the paths: links below it are followed as long as they do not leave it. If
	// empty, only root's links are followed.
	Below string `json:"below,omitempty"`
	// Owner is the account that must own the file; empty allows any. A file with several names is not a log.
	Owner string `json:"owner,omitempty"`
}

// LogQuery requests a part of a log: its end, the part before an offset, or what came after one.
type LogQuery struct {
	// Files, or else Unit, whose journal is read ("*" for all of it).
	Files *LogFiles `json:"files,omitempty"`
	Unit  string    `json:"unit,omitempty"`
	// Lines is the maximum number, from the end.
	Lines int `json:"lines"`
	// Search keeps only lines with this text, ignoring case.
	Search string `json:"search,omitempty"`
	// Before is an offset in bytes: only what precedes it. 0 is the end.
	Before int64 `json:"before,omitempty"`
	// Follow requests what came after the offset After of the file File, oldest first; of another file, or a shorter one, all of it.
	Follow bool   `json:"follow,omitempty"`
	After  int64  `json:"after,omitempty"`
	File   string `json:"file,omitempty"`
}

// LogPage is a part of a log.
type LogPage struct {
	// Content is whole lines, as they are in the file.
	Content []byte `json:"content"`
	// Path is the file, "" if there is none, and File distinguishes it from earlier and later files of the same name.
	Path string `json:"path,omitempty"`
	File string `json:"file,omitempty"`
	// Start and End are the offsets of the searched part.
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	// More reports whether there is something before Start.
	More bool `json:"more,omitempty"`
}

// ReadQuery requests a small file of an account.
type ReadQuery struct {
	Path string `json:"path"`
	// Below and Owner are as in LogFiles; both are required.
	Below string `json:"below"`
	Owner string `json:"owner"`
	// Limit is its maximum size; a larger file is reported as not found, with its size.
	Limit int64 `json:"limit"`
	// Packages requests, instead of the content, the versions of these packages in a Composer lock file.
	Packages []string `json:"packages,omitempty"`
}

// MaxLock is the maximum size of a lock file.
const MaxLock = 16 << 20

// ReadFile is the answer to a ReadQuery.
type ReadFile struct {
	Found    bool              `json:"found"`
	Size     int64             `json:"size"`
	Content  []byte            `json:"content,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
}

// UnitState is the state of a systemd unit.
type UnitState struct {
	Name   string `json:"name"`
	Active string `json:"active"` // ActiveState: active, activating, deactivating, failed, inactive
	Sub    string `json:"sub"`    // SubState: running, auto-restart, exited, dead, ...
	Result string `json:"result"` // of the last run: success, exit-code, signal, ...
}
