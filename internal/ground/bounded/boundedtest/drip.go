package boundedtest

import (
	"io"
	"net/http"
	"time"
)

// Drip is an answer that begins, and then comes a byte at a time without end.
func Drip(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := io.WriteString(w, "["); err != nil {
		return
	}
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-tick.C:
		case <-req.Context().Done():
			tick.Stop()
			return
		}
		if _, err := io.WriteString(w, " "); err != nil {
			return
		}
	}
}
