package deployment

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/bounded/boundedtest"
)

// A push is read as it comes, whatever is in it, and only what is needed is kept.
//
//nolint:paralleltest // memory is measured
func TestPushesOfAnything(t *testing.T) {
	for kind, begin := range map[string]string{
		"application/json":                  `{"ref": "refs/heads/main", "text": "`,
		"application/x-www-form-urlencoded": "payload=%7B%22ref%22%3A%22",
	} {
		boundedtest.Try(t, boundedtest.Reads{
			Name: kind, Begin: begin, Line: "x ", Most: 1 << 20,
			Read: func(in boundedtest.Input) error {
				_, _, _ = readPayload(kind, in.Reader()) // it is not complete
				return nil
			},
		})
	}
}
