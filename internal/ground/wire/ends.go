package wire

import (
	"fmt"
	"strings"
)

// Missing returns the line that replaces n omitted bytes in an output.
func Missing(n int64) string { return fmt.Sprintf("\n[%d bytes of output are missing here]\n", n) }

// Ends keeps the beginning and the end of an output that is longer than Limit: an error is usually at the end, its cause at the beginning.
type Ends struct {
	Limit int // in bytes, an even number

	head, tail []byte
	missing    int64
}

// Write never fails, so that a program whose output is cut does not get SIGPIPE.
func (e *Ends) Write(p []byte) (int, error) {
	n := len(p)
	room := min(n, e.Limit/2-len(e.head))
	e.head = append(e.head, p[:room]...)
	e.tail = append(e.tail, p[room:]...)
	if len(e.tail) > e.Limit { // cut rarely: each cut copies
		e.cut()
	}
	return n, nil
}

func (e *Ends) cut() {
	if over := len(e.tail) - e.Limit/2; over > 0 {
		e.missing += int64(over)
		e.tail = append([]byte(nil), e.tail[over:]...)
	}
}

// String returns what was kept, as valid UTF-8, with the number of missing bytes between the ends.
func (e *Ends) String() string {
	e.cut()
	between := ""
	if e.missing > 0 {
		between = Missing(e.missing)
	}
	return strings.ToValidUTF8(string(e.head)+between+string(e.tail), "\uFFFD")
}
