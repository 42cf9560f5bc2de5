package file

import (
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/edge/api"
)

// written returns the bytes of a path as text that every byte can be read back from: what is not UTF-8, and characters that can't be seen or change the
// direction of text, are written as \xNN for each byte, and a backslash as two.
func written(raw []byte) string {
	var out strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case r == '\\':
			out.WriteString(`\\`)
		case r == utf8.RuneError && size == 1, !unicode.IsPrint(r):
			for _, b := range raw[:size] {
				fmt.Fprintf(&out, `\x%02x`, b)
			}
		default:
			out.Write(raw[:size])
		}
		raw = raw[size:]
	}
	return out.String()
}

// read returns the bytes of a path that is written so, relative to the site's directory. field is what the request calls it.
func read(field, text string) ([]byte, error) {
	var out []byte
	for rest := text; rest != ""; {
		before, after, found := strings.Cut(rest, `\`)
		out = append(out, before...)
		if !found {
			break
		}
		switch {
		case strings.HasPrefix(after, `\`):
			out, rest = append(out, '\\'), after[1:]
		case len(after) >= 3 && after[0] == 'x':
			b, err := hex.DecodeString(after[1:3])
			if err != nil || b[0] == 0 || b[0] == '/' {
				return nil, api.Invalid(field, `The %s has \%s, which is no byte of a name.`, field, after[:3])
			}
			out, rest = append(out, b...), after[3:]
		default:
			return nil, api.Invalid(field, `In the %s, a backslash is written as \\, and a byte that is not text as \xNN.`, field)
		}
	}
	parts := strings.Split(string(out), "/")
	if slices.Contains(parts, "..") {
		return nil, api.Invalid(field, "The %s must not contain the directory \"..\".", field)
	}
	clean := strings.TrimPrefix(path.Clean("/"+string(out)), "/")
	if len(clean) >= maxPath {
		return nil, api.Invalid(field, "The %s must have at most %d bytes.", field, maxPath-1)
	}
	return []byte(clean), nil
}

// maxPath is the longest path of Linux in bytes, with its end (limits.h).
const maxPath = 4096

// shown returns how a path is shown, from the site's directory: "/public/index.php".
func shown(raw []byte) string { return "/" + written(raw) }
