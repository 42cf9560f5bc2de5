package certificate

import (
	"encoding/pem"
	"regexp"
	"strings"
)

// pastedBlock is a block of PEM without headers, on however many lines.
var pastedBlock = regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END ([A-Z0-9 ]+)-----`)

// pasted returns PEM as it was before it went through a form, a message or a variable: with its line ends, which may have become \n or blanks, and without what
// stands around it. A text without such blocks stays.
func pasted(text string) string {
	if !strings.Contains(strings.TrimSpace(text), "\n") {
		text = strings.NewReplacer(`\r`, "", `\n`, "\n").Replace(text)
	}
	return pastedBlock.ReplaceAllStringFunc(text, func(block string) string {
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
