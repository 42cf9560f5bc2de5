// Package corpus is the set of hostile strings that tests put into every field that takes a string: known attacks on comparable
// products through shells, argument lists, configuration files, SQL, terminals and templates.
package corpus

import "strings"

// Injection returns the hostile strings. Those that would run a command create the file canary, so that a test fails if it exists
// afterwards; canary must be an absolute path without blanks and quotes.
func Injection(canary string) []string {
	run := "touch " + canary
	ifs := "touch${IFS}" + canary
	return []string{
		// shells
		";" + run,
		";" + ifs + ";",
		"$(" + run + ")",
		"$(" + ifs + ")",
		"`" + run + "`",
		"|" + run,
		"||" + run,
		"&&" + run,
		"&" + run + "&",
		"\n" + run + "\n",
		"\r\n" + run + "\r\n",
		"\r" + run,
		"';" + run + ";'",
		"\";" + run + ";\"",
		">" + canary,
		"<(" + run + ")",
		"\\",
		"'",
		"\"",
		"${IFS}",
		"\\\n" + run,
		"!" + run,
		// options
		"-",
		"--",
		"-rf",
		"--upload-pack=" + run,
		"-oProxyCommand=" + run,
		"--checkpoint-action=exec=" + run,
		// bytes
		"\x00",
		"a\x00b",
		"\x1b]52;c;aGk=\x07",
		"\x1b[2J",
		"\u2028" + run,
		"\u2029" + run,
		"\u0085" + run,
		"\u202e" + "gnp.exe",
		"\u200b",
		"\ufeff",
		"\xff\xfe",
		"\xc0\xaf",
		"\xed\xa0\x80",
		strings.Repeat("a", 64<<10),
		strings.Repeat("é", 32<<10),
		// paths
		"../../../../etc/passwd",
		"..\\..\\etc\\passwd",
		"%2e%2e%2fetc%2fpasswd",
		"/../etc/shadow",
		// configuration files
		"; } server { listen 8080 default_server; root /; } #",
		"}",
		"{",
		"x; include /etc/shadow;",
		"$request_uri",
		"x\n[Service]\nExecStartPre=/usr/bin/" + run,
		"x\nphp_admin_value[auto_prepend_file]=/etc/passwd",
		"x\nroot ALL=(ALL) NOPASSWD: ALL",
		"accept; } chain evil { type filter hook input priority -300; policy accept; }",
		"%n%H%{x}",
		"* * * * * root " + run,
		"command=\"" + run + "\" ssh-ed25519 AAAA",
		// SQL and templates
		"' OR '1'='1",
		"\"; DROP TABLE servers; --",
		"{{7*7}}",
		"${jndi:ldap://127.0.0.1/a}",
		"<script>alert(1)</script>",
		"ext::sh -c " + run,
		"file:///etc/passwd",
		"=cmd|' /C calc'!A0",
	}
}
