package wire

// FilesMode is the mode of the agent that works with files as an account.
const FilesMode = "files"

// Limits of work with files.
const (
	// MaxText is the largest file, in bytes, whose content is read or written at once.
	MaxText = 512 << 10
	// MaxPiece is how many bytes of a file an answer or a request has at most.
	MaxPiece = 1 << 20
	// MaxFilePage is the maximum number of entries of a page.
	MaxFilePage = 500
	// MaxEntries is the maximum number of names in a directory that is listed, and of what is removed at once.
	MaxEntries = 500_000
)

// FileAct is what is done with a file.
type FileAct string

// The closed set of acts.
const (
	FileList   FileAct = "list"   // Path, After, Limit; reply: Directory, Entries, More
	FileStat   FileAct = "stat"   // Path; reply: File, Content and Revision of a text
	FileRead   FileAct = "read"   // Path, Offset, Size, Same; reply: Content, at most Size bytes
	FileWrite  FileAct = "write"  // Path, Data, Revision; reply: File, Revision
	FileMake   FileAct = "make"   // Path; makes a directory; reply: File
	FileMove   FileAct = "move"   // Path, To; reply: File
	FileCount  FileAct = "count"  // Path; reply: Count
	FileRemove FileAct = "remove" // Path, Count
	FileBegin  FileAct = "begin"  // Path, Size, Replace; begins an upload; reply: Upload
	FileAppend FileAct = "append" // Path, Upload, Offset, Data
	FileCommit FileAct = "commit" // Path, Upload, Size, Replace; reply: File
	FileAbort  FileAct = "abort"  // Path, Upload
)

// FileQuery is work with a file below a directory of an account, done as that account.
type FileQuery struct {
	// Account is who it is done as, and Below the account's directory that no path leads out of.
	Account string  `json:"account"`
	Below   string  `json:"below"`
	Act     FileAct `json:"act"`
	// Path and To are bytes below Below, without a slash at either end; empty is Below itself.
	Path []byte `json:"path"`
	To   []byte `json:"to,omitempty"`
	// After is the key of the last entry of the page before, and Limit how many entries a page has.
	After []byte `json:"after,omitempty"`
	Limit int    `json:"limit,omitempty"`
	// Offset and Size are of a part of a file; Size is -1 for an upload of unknown size.
	Offset int64 `json:"offset,omitempty"`
	Size   int64 `json:"size,omitempty"`
	// Same is the file that a part must be of, "" for any.
	Same string `json:"same,omitempty"`
	Data []byte `json:"data,omitempty"`
	// Revision is what the file must have been until now; "" is no file at all.
	Revision string `json:"revision,omitempty"`
	// Count is how many entries may be removed.
	Count int64 `json:"count,omitempty"`
	// Replace allows an upload to replace a file.
	Replace bool `json:"replace,omitempty"`
	// Upload is the name of an unfinished upload, in the directory that it will be in.
	Upload string `json:"upload,omitempty"`
}

// The kinds of files.
const (
	FileKindFile      = "file"
	FileKindDirectory = "directory"
	FileKindLink      = "link"
	FileKindOther     = "other" // a FIFO, a socket, a device: never opened
)

// Where links lead, besides to a kind of file.
const (
	FileLeadsOut     = "outside"
	FileLeadsNowhere = "missing"
)

// FileEntry is a file or directory.
type FileEntry struct {
	Name []byte `json:"name"`
	Kind string `json:"kind"`
	Size int64  `json:"size"`
	Mode uint32 `json:"mode"` // permission bits, with setuid, setgid and sticky
	// Owner and Group are names, or numbers without one.
	Owner    string `json:"owner"`
	Group    string `json:"group"`
	Modified int64  `json:"modified"` // microseconds since 1970
	// Target is where a link points, and Leads a kind, FileLeadsOut or FileLeadsNowhere.
	Target []byte `json:"target,omitempty"`
	Leads  string `json:"leads,omitempty"`
}

// FileReply is the answer to a FileQuery.
type FileReply struct {
	// Problem is why nothing was done, by what callers do about it; Message says it.
	Problem string `json:"problem,omitempty"`
	Message string `json:"message,omitempty"`
	// AtTo reports that the problem is with To instead of Path.
	AtTo bool `json:"at_to,omitempty"`

	// Path is where File or the listed directory is, after links were followed.
	Path    []byte      `json:"path,omitempty"`
	File    *FileEntry  `json:"file,omitempty"`
	Entries []FileEntry `json:"entries,omitempty"`
	// Next is the After of the next page, if there is one.
	Next []byte `json:"next,omitempty"`
	// Same tells a file from others and from later ones of its name.
	Same string `json:"same,omitempty"`
	// Text reports whether the content is all of a file that is text, and Revision is its hash.
	Text     bool   `json:"text,omitempty"`
	Content  []byte `json:"content,omitempty"`
	Revision string `json:"revision,omitempty"`
	// Count and Bytes are of a directory with all that is in it.
	Count int64 `json:"count,omitempty"`
	Bytes int64 `json:"bytes,omitempty"`
	// Upload is the name of an upload that was begun.
	Upload string `json:"upload,omitempty"`
	// InPlace reports that a file was not replaced but written over, as it has several names, another owner or a mount.
	InPlace bool `json:"in_place,omitempty"`
}

// The problems of a FileReply.
const (
	FileMissing  = "missing"  // there is no such file, or a directory on the way to it is missing
	FileOutside  = "outside"  // a link leads out of the directory
	FileDenied   = "denied"   // the account may not
	FileExists   = "exists"   // the name is taken
	FileChanged  = "changed"  // it is not what the caller saw
	FileWrong    = "wrong"    // it is not the kind of file that this is done with
	FileFull     = "full"     // no space, or a quota is used up
	FileReadOnly = "readonly" // the file system is mounted read-only
	FileFailed   = "failed"   // anything else
)
