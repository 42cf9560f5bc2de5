// Package cause recognizes why a deployment failed from what its programs printed: one sentence, and where it can be put right.
package cause

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// Cause is why a deployment failed, as far as its log says.
type Cause struct {
	Code   string `json:"code" doc:"What went wrong, such as script-missing or node-version."`
	Text   string `json:"text" doc:"The same in a sentence."`
	Line   string `json:"line" doc:"The line of the log that says so."`
	Remedy Remedy `json:"remedy" enum:"deploy-key,repository,deploy-script,environment,databases,php,runtime,packages,again,none" doc:"Where it can be repaired; none where that is in the code, or on no page."`
}

// Remedy is the place where a cause is put right.
type Remedy string

// The remedies: the site's deploy key, its repository and branch, its deploy script, its environment, the server's databases, the site's version of PHP or of its
// runtime, its credentials of package registries, and deploying again.
const (
	DeployKey    Remedy = "deploy-key"
	Repository   Remedy = "repository"
	DeployScript Remedy = "deploy-script"
	Environment  Remedy = "environment"
	Databases    Remedy = "databases"
	PHP          Remedy = "php"
	Runtime      Remedy = "runtime"
	Packages     Remedy = "packages"
	Again        Remedy = "again"
	none         Remedy = "none"
)

// rule recognizes one cause. $1 in its text is what the pattern captured.
type rule struct {
	code    string
	remedy  Remedy
	text    string
	pattern string
	// unless is what no line near the one that matches may have.
	unless string
}

// packageManager is what lines of a package manager have, which fetches repositories of its own.
const packageManager = `(?i)npm (?:err!|error|verb)|composer|vendor/|node_modules|pip |yarn |pnpm`

// rules are in the order of their weight: the first of those that match the same line counts.
var rules = []rule{
	{"submodule-access", DeployKey, "The deploy key has no access to the submodule $1.", `fatal: clone of '([^']+)' into submodule path`, ""},
	{"host-key", Repository, "The Git server does not identify itself with the host key that is known of it.", `Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED`, packageManager},
	{"repository-access", DeployKey, "The Git server does not let the site's deploy key in.", `Permission denied \(publickey|remote: Permission to \S+ denied|You're using an RSA key with SHA-1`, packageManager},
	{"repository-missing", Repository, "The Git server knows no such repository, or does not show it to the site's deploy key.", `ERROR: Repository not found|remote: Repository not found|remote: Not Found|The project you were looking for could not be found|does not appear to be a git repository`, packageManager},
	{"repository-access", Repository, "The repository asks for a sign-in. Use its SSH address with the deploy key, or connect the provider.", `could not read Username for 'https?://|Authentication failed for 'https?://|HTTP Basic: Access denied|Support for password authentication was removed`, packageManager},
	{"branch-missing", Repository, "The repository has no branch $1.", `(?:The repository has no branch or tag|Remote branch|couldn't find remote ref(?: refs/heads/)?|pathspec) '?([^\s']+?)'?(?:\.$| not found in upstream| did not match any|$)`, packageManager},

	{"lockfile-missing", DeployScript, "npm ci needs a package-lock.json, and the repository has none. Commit it, or run npm install in the deploy script.", "`npm ci` command can only install with an existing package-lock|npm ci` can only install with an existing|cipm can only install packages with an existing", ""},
	{"lockfile-outdated", none, "The lock file does not fit the list of packages. Install them once where the code is written, and commit the lock file.", `can only install packages when your package.json and package-lock.json|ERR_PNPM_\w*LOCKFILE|Broken lockfile|in \S*yarn\.lock|lockfile needs to be updated|lockfile would have been (?:modified|created)|is not present in the lock file|(?:lock file|lockfile) is (?:not up to date|out of sync)|poetry.lock was last generated|frozen lockfile`, ""},
	{"script-missing", DeployScript, "package.json has no script $1, which the deploy script runs.", `(?i)missing script: ?["']?([\w:./-]+)`, ""},
	{"script-missing", DeployScript, "package.json has no script $1, which the deploy script runs.", `error Command "([\w:./-]+)" not found\.|Couldn't find a script named "([\w:./-]+)"|error: Script not found "([\w:./-]+)"`, ""},
	{"package-access", Packages, "A package registry asks for credentials, or refuses those of the site: $1.", `401 Unauthorized - \w+ (https?://[^/\s]+)|403 Forbidden - \w+ (https?://[^/\s]+)|Could not authenticate against (\S+)|The '(https?://[^/\s]+)\S*' URL (?:required authentication|could not be accessed).*|Invalid credentials \(HTTP \d+\) for '(https?://[^/\s']+)`, ""},
	{"package-access", Packages, "A package registry asks for credentials, or refuses those of the site.", `npm (?:ERR!|error) code E40[13]|Unable to authenticate, need:|Unable to authenticate, your authentication token|ERR_PNPM_FETCH_40[13]|Incorrect or missing password|authentication token not provided`, ""},
	{"package-missing", none, "The registry has no package $1. If it is private, the site needs credentials for its registry.", `'(@?[\w./@^~-]+)' is not in (?:this|the npm) registry|Could not find a matching version of package ([\w./-]+)|The "https?://\S+?/([\w.-]+/[\w.-]+)" file could not be downloaded \(HTTP/\S+ 404|requested package ([\w./-]+) (?:\S+ )?could not be found|Couldn't find package "([^"]+)"|ERR_PNPM_NO_MATCHING_VERSION.*for ([@\w./-]+)|notarget No matching version found for (\S+?)\.?$|No matching distribution found for (\S+)`, ""},
	{"package-conflict", none, "The versions of packages that the code asks for exclude each other.", `npm (?:ERR!|error) code ERESOLVE|ERR_PNPM_PEER_DEP_ISSUES|ResolutionImpossible`, ""},

	{"package-json", none, "package.json is not valid JSON.", `npm (?:ERR!|error) code EJSONPARSE|Failed to parse (?:package\.json|json)|JSON\.parse .*package\.json`, ""},

	{"php-version", PHP, "The code needs another version of PHP than the site has.", `your php version \(\S+?\S*\) does not satisfy|Your Composer dependencies require a PHP version|requires php \S.*but your PHP version|requires php \S+ .*your php version`, ""},
	{"php-extension", none, "PHP on the server lacks the extension $1.", `(?:requires|require) (?:PHP extension )?ext-([\w-]+) .*missing from your system|requested PHP extension (\w+) is missing|requires ext-(\w+)`, ""},
	{"php-extension", none, "PHP on the server lacks the driver of this database.", `could not find driver`, ""},

	{"node-version", Runtime, "The code needs another version of Node.js than the site has.", `requires Node\.js(?: version)?|Node\.js version "?[^"]*"? is required|npm (?:ERR!|error) code EBADENGINE|The engine "node" is incompatible|ERR_PNPM_UNSUPPORTED_ENGINE|crypto\.hash is not a function|ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported|requires a minimum Node\.js version|Unsupported Node\.js version|Unsupported NodeJS version|Node\.js v?\S+ is not supported|SyntaxError: Unexpected token '(?:\?\?=|\|\|=|\?|\.)'|does not provide an export named 'styleText'|node:util' does not provide|No prebuilt binaries found \(target=\S+ runtime=node`, ""},

	{"disk-full", none, "The server's disk is full.", `(?i:no space left on device)|ENOSPC: no space`, ""},
	{"memory", none, "The server has too little memory for the build. Give it more, or swap space, or build elsewhere and deploy the result.", `heap out of memory|^\s*Killed\s*$|\b\d+ Killed\b|(?:exit|exited with)(?: code| status)?:? ?137|errno 137|Returned: code: 137|ENOMEM|Cannot allocate memory|signal: killed|SIGKILL|Out of memory`, ""},
	{"memory-php", none, "PHP reached its memory limit. Raise memory_limit in the server's PHP settings.", `Allowed memory size of \d+ bytes exhausted`, ""},

	{"environment-key", Environment, "The environment lacks APP_KEY, the application's encryption key.", `No application encryption key has been specified|MissingAppKeyException|No supported encrypter found|Unsupported cipher or incorrect key length`, ""},
	{"environment-missing", Environment, "The site has no environment file (.env).", `file_get_contents\(\S*\.env\)|Unable to read any of the environment file|The environment file \S* ?(?:is missing|not found)|\.env(?: file)? (?:not found|does not exist|is missing)|Unable to read the "\S*\.env" environment file|cannot (?:open|stat) '?\S*\.env\b|ENOENT.*\.env'`, ""},
	{"environment-missing", Environment, "The environment lacks the variable $1.", `Environment variable not found: "?(\w+)|(?:[Mm]issing|[Rr]equired) (?:required )?(?:environment|env) (?:variables?|vars?):? ?"?(\w+)|Environment variable "(\w+)" (?:is )?(?:not found|missing|required)|env var "(\w+)" not found|(\w+) (?:environment variable|env var) (?:is (?:not set|missing|required)|must be set)|\b([A-Z][A-Z0-9_]{3,})\b.*\b(?:env(?:ironment)? variables?|env vars?)\b.*(?:required|missing|not set|empty|undefined|must be)|(?:[Ss]et|[Dd]efine|[Pp]rovide) (?:the |a )?(\w+) (?:environment variable|env(?:ironment)? var)|(\w+) is not (?:defined|set) in (?:the |your )?(?:environment|\.env)|KeyError: '([A-Z][A-Z0-9_]+)'`, ""},
	{"environment-missing", Environment, "The environment lacks a variable: a service of the code is given no key or address.", `Invalid environment variables|supabase(?:Url|Key) is required|Missing API key\. Pass it to the constructor|Neither apiKey nor config\.authenticator provided|input: '(?:undefined|null)'`, ""},
	{"database-missing", Databases, "There is no database $1.", `\[1049\] Unknown database '([^']+)'|Unknown database '([^']+)'|(?:FATAL|fatal): +database "([^"]+)" does not exist|Database [` + "`'\"]" + `?([\w-]+)[` + "`'\"]" + `?(?:\.\w+)? does not exist`, ""},
	{"database-access", Environment, "The database refuses the user or the password in the site's environment.", `\[1045\]|\[1044\]|Access denied for user '|password authentication failed for user|no password supplied|P1000`, ""},
	{"database-away", Environment, "No database answers at the address in the site's environment.", `SQLSTATE\[HY000\] \[2002\]|SQLSTATE\[08006\]|ECONNREFUSED \S*:(?:3306|5432|6379|27017)|P1001|Can't reach database server|could not connect to server|php_network_getaddresses: getaddrinfo for (?:mysql|mariadb|db|postgres|redis)\b|Connection refused \[tcp://`, ""},
	{"table-missing", none, "A table is missing in the database. The migrations have not run, or the code reads the table before they do.", `SQLSTATE\[42S02\]|Base table or view not found|(?:ERROR|UndefinedTable).*relation "\S+" does not exist|no such table: `, ""},

	{"vendor-missing", DeployScript, "The packages of Composer are not installed, or not whole. Run composer install in the deploy script, before what needs them.", `(?:Failed opening required|Failed to open stream|failed to open stream).*\bvendor/|vendor/autoload\.php.*No such file|You need to set up the project dependencies|Dependencies are missing\. Try running`, ""},
	{"program-missing", DeployScript, "The deploy script needs the program $1, which is not there. If a package brings it, install the packages first, those for development too.", `(?:^|\s)(?:/bin/)?(?:sh|bash|dash|zsh)(?:: line \d+|: \d+)?: (?:\d+: )?([\w./@+-]+): (?:command )?not found|/usr/bin/env: [‘']?([\w.-]+)[’']?: No such file|: line \d+: ([\w./@+-]+): command not found|spawn ([\w.-]+) ENOENT`, ""},
	{"port-taken", none, "Another program listens on port $1 already.", `EADDRINUSE.*?:(\d+)|Address already in use.*?:(\d+)|address already in use.*?:(\d+)`, ""},
	{"directory-missing", none, "A directory that the code writes to is not in the repository: $1.", `(?:file_put_contents|fopen|mkdir|tempnam)\(([^)]+)\): [Ff]ailed to open stream: No such file|Please provide a valid cache path`, ""},
	{"permission", none, "The site's account may not write to $1.", `EACCES: permission denied, \w+ '([^']+)'|"?([^\s"]+)"? could not be opened in append mode|unable to (?:unlink|create file) (?:old )?'?([^\s':]+)'?.*Permission denied|file_put_contents\(([^)]+)\): [Ff]ailed to open stream: Permission denied|The (\S+) directory must be present and writable|directory at "([^"]+)" and it could not be created: Permission denied`, ""},
	{"permission", none, "A program of the build can't be run: its file is not executable.", `spawn EACCES|: Permission denied$`, ""},
	{"network", Again, "The server does not reach $1. If it is there again, deploy once more.", `Could not resolve host: ([\w.-]+)|Could not resolve hostname ([\w.-]+)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|Failed to connect to ([\w.-]+) port|connect ETIMEDOUT ([\w.:-]+)|curl error (?:6|7|28) while downloading https?://([^/\s]+)`, ""},
	{"network", Again, "The connection to a package registry or Git server broke off. Deploy once more.", `ECONNRESET|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|early EOF|RPC failed; curl|Operation timed out after|fetch-pack: unexpected disconnect|429 Too Many Requests|50\d (?:Not Implemented|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)`, ""},

	{"module-missing", none, "The code needs $1, which is not there. A package may be missing in the list of packages; on Linux, capitals in names of files count.", `Cannot find module '([^']+)'|Module not found: (?:Error: )?Can't resolve '([^']+)'|^\* (\S+) in \./|failed to resolve import "([^"]+)"|Could not resolve "([^"]+)"|No module named '?([\w.]+)|Cannot find package '([^']+)'|ERR_MODULE_NOT_FOUND.*'([^']+)'|Class ["']([^"']+)["'] not found|Interface ["']([^"']+)["'] not found|Target class \[([^\]]+)\] does not exist|Could not resolve entry module "([^"]+)"`, ""},
	{"test-failed", none, "The deploy script runs tests, and some failed.", `Test Suites: \d+ failed|Tests:\s+\d+ failed|FAILURES!|^FAILED \(failures=`, ""},
	{"code-error", none, "The build found an error in the code.", `error TS\d+:|^\s*Type error:|Failed to compile|PHP Parse error|Parse error: syntax error|SyntaxError: |PHP Fatal error: |Undefined (?:index|variable|array key|property)|ERR_UNKNOWN_FILE_EXTENSION|TypeError: |Uncaught Error: |Error: Call to |Call to (?:undefined|a member) |\[vite\]: .*error|Build failed because of webpack errors|ReferenceError: |CssSyntaxError`, ""},
}

type compiled struct {
	rule
	// match are the alternatives of the pattern: one that begins with a literal is found as fast as text is, and all of them in one expression are not.
	match  []*regexp.Regexp
	unless *regexp.Regexp
}

// table is compiled when the first deployment that failed is looked at: most panels start without.
var table = sync.OnceValue(func() []compiled {
	out := make([]compiled, len(rules))
	for i, r := range rules {
		out[i].rule = r
		whole, err := syntax.Parse(r.pattern, syntax.Perl)
		if err != nil {
			panic(err)
		}
		alternatives := []*syntax.Regexp{whole}
		if whole.Op == syntax.OpAlternate {
			alternatives = whole.Sub
		}
		for _, one := range alternatives {
			out[i].match = append(out[i].match, regexp.MustCompile(one.String()))
		}
		if r.unless != "" {
			out[i].unless = regexp.MustCompile(r.unless)
		}
	}
	return out
})

// find returns what the rule captures in a line, nil for a line of something else.
func (c compiled) find(line string) []string {
	for _, one := range c.match {
		if found := one.FindStringSubmatch(line); found != nil {
			return found
		}
	}
	return nil
}

// near is how many lines around one are of the same program.
const near = 6

// looked is how many lines at the end of a log are looked at: what was said long before did not end it.
const looked = 400

// maxLine is how much of a line is looked at and shown, in bytes.
const maxLine = 500

// Of returns the cause that is said last in a log. It is false for a log that says none that is known.
func Of(log string) (Cause, bool) {
	lines := linesOf(log)
	for i := range slices.Backward(lines) {
		for _, r := range table() {
			found := r.find(lines[i])
			if found == nil || r.unless != nil && slices.ContainsFunc(lines[max(0, i-near):min(len(lines), i+near)], r.unless.MatchString) {
				continue
			}
			return Cause{Code: r.code, Text: fill(r.text, found), Line: strings.TrimSpace(lines[i]), Remedy: r.remedy}, true
		}
	}
	return Cause{}, false
}

// linesOf returns the last lines of a log, without colours and what a carriage return has overwritten.
func linesOf(log string) []string {
	lines := strings.Split(strings.TrimRight(log, "\r\n"), "\n")
	lines = slices.Clone(lines[max(0, len(lines)-looked):])
	for i, line := range lines {
		line = escapes.ReplaceAllString(strings.TrimRight(line, "\r"), "")
		if at := strings.LastIndexByte(line, '\r'); at >= 0 {
			line = line[at+1:]
		}
		lines[i] = strings.ToValidUTF8(line[:min(len(line), maxLine)], "")
	}
	return lines
}

// escapes are the control sequences of a terminal (ECMA-48).
var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)

// fill puts what was captured into a text. A sentence whose name was not captured ends before it.
func fill(text string, found []string) string {
	name := ""
	for _, one := range found[1:] {
		if one != "" {
			name = one
			break
		}
	}
	if name != "" || !strings.Contains(text, "$1") {
		return strings.ReplaceAll(text, "$1", name)
	}
	return unnamed.Replace(text)
}

// unnamed makes sentences without the name.
var unnamed = strings.NewReplacer(" the variable $1", " a variable", ": $1.", ".", " $1", "")
