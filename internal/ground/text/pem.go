package text

import (
	"encoding/base64"
	"encoding/pem"
	"html"
	"regexp"
	"strings"
)

// pastedBlock is a block of PEM without headers, on however many lines.
var pastedBlock = regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END ([A-Z0-9 ]+)-----`)

// dashes matches the lines around a block whose dashes became others, or fewer, on the way through a text program.
var dashes = regexp.MustCompile(`(?:-|\x{2010}|\x{2011}|\x{2012}|\x{2013}|\x{2014}|\x{2015}|\x{2212})+ ?(BEGIN|END) ([A-Z0-9 ]+?) ?(?:-|\x{2010}|` +
	`\x{2011}|\x{2012}|\x{2013}|\x{2014}|\x{2015}|\x{2212})+`)

// PEM returns PEM as it was before it went through a form, a message or a variable: with its line ends, which may have become \n or blanks,
// and without what stands around it. A text without such blocks stays.
func PEM(given string) string {
	given = strings.TrimPrefix(strings.TrimSpace(given), "\ufeff") // editors of Windows begin files with a byte order mark
	if raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(given), "")); err == nil && strings.Contains(string(raw), "-----BEGIN ") {
		given = string(raw) // as secrets of Kubernetes and variables of pipelines hold it
	}
	if strings.Contains(given, "&#") {
		given = html.UnescapeString(given)
	}
	given = dashes.ReplaceAllString(given, "-----$1 $2-----")
	if !strings.Contains(strings.TrimSpace(given), "\n") {
		given = strings.NewReplacer(`\r`, "", `\n`, "\n").Replace(given)
	}
	return pastedBlock.ReplaceAllStringFunc(given, func(block string) string {
		m := pastedBlock.FindStringSubmatch(block)
		if m[1] != m[3] {
			return block
		}
		whole := "-----BEGIN " + m[1] + "-----\n" + strings.Join(strings.Fields(m[2]), "") + "\n-----END " + m[1] + "-----\n"
		decoded, _ := pem.Decode([]byte(whole))
		if decoded == nil {
			return block
		}
		return "\n" + string(pem.EncodeToMemory(decoded))
	})
}
