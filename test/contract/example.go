package contract

import (
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/clients"
	"github.com/hostlerhq/hostler/internal/description"
)

// bodies are the examples of the description, read once.
var bodies = sync.OnceValues(func() (clients.Bodies, error) {
	raw, err := os.ReadFile("../../internal/edge/api/openapi.json")
	if err != nil {
		return nil, err
	}
	return clients.ReadBodies(raw)
})

// HasExample reports whether an operation is sent something.
func HasExample(operation string) bool {
	all, err := bodies()
	return err == nil && all[operation] != nil
}

// Example returns an example of what an operation is sent, nil for nothing, with the ids of the parameters of paths, 0 where there is none.
func Example(t testing.TB, operation string, parameters map[string]string) map[string]any {
	t.Helper()
	all, err := bodies()
	if err != nil {
		t.Fatal(err)
	}
	return all.Of(operation, func(placeholder string) any {
		for name, id := range parameters {
			if description.Placeholder(name) == placeholder {
				n, err := strconv.ParseInt(id, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
		return int64(0)
	})
}
