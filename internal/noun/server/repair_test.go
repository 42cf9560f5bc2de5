package server

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func TestRemembered(t *testing.T) {
	t.Parallel()
	const now = int64(20)
	since := new(int64(10))
	for name, test := range map[string]struct {
		memory string
		lost   *int64
		found  string
		want   string
		since  int64
	}{
		"an agent that names none":    {memory: "a", found: "", want: "a"},
		"the first":                   {found: "a", want: "a"},
		"the same":                    {memory: "a", found: "a", want: "a"},
		"another":                     {memory: "a", found: "b", want: "a", since: now},
		"another since before":        {memory: "a", lost: since, found: "b", want: "a", since: 10},
		"the image with it came back": {memory: "a", lost: since, found: "a", want: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory, lost := remembered(query.Server{Memory: test.memory, MemoryLostAt: test.lost}, test.found, now)
			if memory != test.want || (lost == nil) != (test.since == 0) || lost != nil && *lost != test.since {
				t.Errorf("%q %v", memory, lost)
			}
		})
	}
}
