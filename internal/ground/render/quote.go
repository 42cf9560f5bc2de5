package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// One quoter per format. Each refuses NUL, CR and LF, which no format allows inside a word, and what its format would still
// interpret inside quotes. They are the second line of defence: callers have values that package value has parsed.

func oneLine(format, s string) error {
	if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\r\n") {
		return fmt.Errorf("%s can't hold %q", format, s)
	}
	return nil
}

// nginxQuote returns s as one parameter. nginx's parser knows \" and \\ inside double quotes (ngx_conf_file.c,
// ngx_conf_read_token); it has no way to write a dollar sign that is not a variable, so that is refused.
func nginxQuote(s string) (string, error) {
	if err := oneLine("nginx", s); err != nil {
		return "", err
	}
	if strings.Contains(s, "$") {
		return "", fmt.Errorf("nginx can't hold %q: a dollar sign begins a variable", s)
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, nil
}

// nginxExpression returns s as one parameter that nginx treats as an expression (of rewrite or map) or in which it expands
// variables (a target of rewrite): a dollar sign stays.
func nginxExpression(s string) (string, error) {
	if err := oneLine("nginx", s); err != nil {
		return "", err
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, nil
}

// systemdQuote returns s as one word of a command line: backslashes and quotes as in systemd.syntax(7), "Quoting", "%" doubled
// against specifiers (systemd.unit(5)) and "$" doubled against variables (systemd.service(5), "Command lines"). A word that
// begins with one of the prefixes of ExecStart= is not safe as the first one; only paths are written there.
func systemdQuote(s string) (string, error) {
	if err := oneLine("systemd", s); err != nil {
		return "", err
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(s) + `"`, nil
}
