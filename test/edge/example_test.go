package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/contract"
)

// exampleOf returns the example of an operation's body for the n-th call: names are new each time, and ids those of the path.
func exampleOf(t testing.TB, id string, at map[string]string, n int64) any {
	t.Helper()
	out := contract.Example(t, id, at)
	for name, value := range out {
		if text, is := value.(string); is {
			out[name] = renewed(name, text, n)
		}
	}
	return out
}

// renewed returns a text that no other may equal with a number in it.
func renewed(name, text string, n int64) string {
	switch name {
	case "name", "slug":
		if strings.Contains(text, ".") {
			return fmt.Sprintf("n%d.%s", n, text)
		}
		return fmt.Sprintf("%s%d", text, n)
	case "domain", "email":
		return fmt.Sprintf("n%d.%s", n, text)
	case "url", "from", "to":
		return fmt.Sprintf("%s%d", text, n)
	}
	return text
}
