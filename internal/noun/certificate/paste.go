package certificate

import (
	"regexp"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// filePath matches the path of a file, alone.
var filePath = regexp.MustCompile(`^(?:~?/|[A-Za-z]:\\|\./)\S*$`)

// misread returns why no block could be read of what was pasted, nil where that is not clear.
func misread(given string) error {
	given = strings.TrimSpace(given)
	blocks := text.PEM(given)
	switch {
	case len(given) < 300 && filePath.MatchString(given):
		return errPath
	case strings.Count(blocks, "-----BEGIN ") > strings.Count(blocks, "-----END "):
		return errCut
	}
	return nil
}
