package description

import "strings"

// methods are the verbs that programs have another word for.
var methods = map[string]string{"show": "get"}

// MethodName returns the name of a call's method in Go.
func (c Call) MethodName() string {
	verb := c.Verb
	if other := methods[verb]; other != "" {
		verb = other
	}
	return Camel(verb)
}

// FunctionName returns the noun and the name of a call's function in TypeScript.
func (c Call) FunctionName() (noun, name string) {
	return SmallCamel(c.Noun), Lower(c.MethodName())
}

// SmallCamel is Camel with a small first word: php-cli-config is phpCliConfig, ssh-keys sshKeys.
func SmallCamel(name string) string { return Lower(Camel(name)) }

// Lower writes a name in camel case with a small first word: SSHKey is sshKey.
func Lower(name string) string {
	n := 0
	for n < len(name) && name[n] >= 'A' && name[n] <= 'Z' {
		n++
	}
	switch {
	case n == len(name), n > 1 && name[n:] == "s": // VPCs
		return strings.ToLower(name)
	case n > 1:
		n--
	}
	return strings.ToLower(name[:n]) + name[n:]
}

// initials are words that Go and the API's readers write in capitals.
var initials = map[string]string{
	"id": "ID", "ids": "IDs", "url": "URL", "urls": "URLs", "ip": "IP", "ssh": "SSH", "php": "PHP", "dns": "DNS", "cpu": "CPU", "ssl": "SSL", "tls": "TLS",
	"http": "HTTP", "https": "HTTPS", "api": "API", "os": "OS", "vpcs": "VPCs", "vpc": "VPC", "csr": "CSR", "uuid": "UUID", "etag": "ETag", "npm": "NPM",
}

// Camel returns a name of the API in camel case: page[size] is PageSize, ip_address IPAddress.
func Camel(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(spaced(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		if in, ok := initials[strings.ToLower(word)]; ok {
			b.WriteString(in)
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// spaced takes camel case apart: backupConfiguration is backup Configuration.
func spaced(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Placeholder is a parameter as it stands in a command: backupConfiguration is BACKUP_CONFIGURATION.
func Placeholder(name string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(spaced(name), " ", "_"), "-", "_"))
}
