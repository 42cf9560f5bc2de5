package client

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
)

// events reads server-sent events until the stream ends, and returns the last id.
func events(r io.Reader, last string, f func(Piece)) string {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 32<<20)
	id, data := "", ""
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "id: "):
			id = strings.TrimPrefix(line, "id: ")
		case strings.HasPrefix(line, "data: "):
			data = strings.TrimPrefix(line, "data: ")
		case line == "" && data != "":
			piece := Piece{ID: id}
			if json.Unmarshal([]byte(data), &piece) == nil {
				f(piece)
			}
			last, data = id, ""
		}
	}
	return last
}
