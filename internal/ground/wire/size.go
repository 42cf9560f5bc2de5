package wire

// SizesDirectory contains a SizeLimit for each site whose directory has one, as JSON in a file that is named by the site's id.
const SizesDirectory = StateDirectory + "/sizes"

// SizesMode has what is in SizesDirectory take effect: it fails for a directory that holds more already. With "measure", it measures the
// directories that no file system limits.
const SizesMode = "sizes"

// SizeLimit is how much the directory of a site may hold. Where the file system has quotas of projects, the kernel lets no more be
// written to the files of its owner; elsewhere it is measured and told.
type SizeLimit struct {
	Directory string `json:"directory"`
	Megabytes int64  `json:"megabytes"`
}
