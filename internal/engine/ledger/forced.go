package ledger

import (
	"encoding/json"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Forced is the request of work that removes a resource even if its noun keeps it (Noun.Keep). Work that is retried is still forced.
type Forced struct {
	Force bool `json:"force"`
}

func forced(op query.Operation) bool {
	var request Forced
	return op.Request != "" && json.Unmarshal([]byte(op.Request), &request) == nil && request.Force
}
