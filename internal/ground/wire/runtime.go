package wire

// RuntimeDirectory contains the versions of runtimes that sites chose, as RUNTIME/VERSION: for example node/22.11.0. It belongs to root.
const RuntimeDirectory = "/opt/hostler/runtimes"

// RuntimeComplete is in the directory of a version that is whole.
const RuntimeComplete = ".hostler-complete"

// The modes of the agent that plans call by AgentLink. RuntimeMode makes a version of a runtime be there: "node 22.11.0 https://mirror", with the keys of those
// who may have signed it as input. RuntimesMode removes all that neither an argument names nor a process runs. RenewMode restarts units, and fails if one that
// ran well does not any more. FitsMode fails if what runs in a slice uses more than it may: "SLICE MEGABYTES|PERCENT% TASKS".
const (
	RuntimeMode  = "runtime"
	RuntimesMode = "runtimes"
	RenewMode    = "renew"
	FitsMode     = "fits"
)

// SearchPath is where a host has programs, in the form of PATH.
const SearchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
