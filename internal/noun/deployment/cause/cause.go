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
	Remedy Remedy `json:"remedy" doc:"Where it can be repaired; none where that is in the code, or on no page."`
}

// CodeHostKey is that of a Git server which shows another host key than the one that is known of it.
const CodeHostKey = "host-key"

// HostKey returns such a cause, of which no log says more.
func HostKey(text string) Cause { return Cause{Code: CodeHostKey, Text: text, Remedy: Repository} }

// Remedy is the place where a cause is put right.
type Remedy string

// The remedies: the site's deploy key, its repository and branch, its deploy script, its environment, the server's databases, the site's version of PHP or of
// its runtime, its credentials of package registries, the command that starts its program, and deploying again.
const (
	DeployKey    Remedy = "deploy-key"
	Repository   Remedy = "repository"
	DeployScript Remedy = "deploy-script"
	Environment  Remedy = "environment"
	Databases    Remedy = "databases"
	PHP          Remedy = "php"
	Runtime      Remedy = "runtime"
	Packages     Remedy = "packages"
	Start        Remedy = "start-command"
	Again        Remedy = "again"
	none         Remedy = "none"
)

// Remedies are all of them.
func Remedies() []string {
	var out []string
	for _, r := range []Remedy{DeployKey, Repository, DeployScript, Environment, Databases, PHP, Runtime, Packages, Start, Again, none} {
		out = append(out, string(r))
	}
	return out
}

// rule recognizes one cause. $1 in its text is what the pattern captured.
type rule struct {
	code    string
	remedy  Remedy
	text    string
	pattern string
	// unless is what no line near the one that matches may have, with what one of them must have; "" is anything.
	unless, with string
}

// packageManager is what lines of a package manager have, which fetches repositories of its own.
const packageManager = `(?i)npm (?:err!|error|verb)|composer|vendor/|node_modules|pip |yarn |pnpm`

// rules are in the order of their weight: the first of those that match the same line counts.
var rules = []rule{
	{"placeholder", DeployScript, "The deploy script has {$1}, which another service fills in. The variables here are $FORGE_SITE_PATH, $FORGE_SITE_BRANCH, " +
		"$FORGE_PHP and $FORGE_COMPOSER, and PHP is reloaded by sudo service $FORGE_PHP_FPM reload.",
		`: cd: \{([A-Z_]+)\}: No such file|\{([A-Z_]+)\}: (?:command )?not found|(?:remote ref|pathspec|Remote branch) '?\{([A-Z_]+)\}`, "", ""},
	{"line-ends", none, "A script has the line ends of Windows. Commit it with those of Linux.",
		`\$'[^']*\\r'|(?:^|set: \S*\s*): invalid option(?: name)?$|/bin/sh: 0: Illegal option -\s*$`, "", ""},
	{"line-ends", none, "The program that the first line of $1 names is not there. Most often the file has the line ends of Windows: commit it with those " +
		"of Linux.", `(?:^|: )([\w./@+-]+): cannot execute: required file not found`, "", ""},
	{"submodule-access", none, "A submodule has an address over $1, which passwords and code would be readable on: write https:// or ssh:// in .gitmodules.",
		`transport '(http|git|file|ftp)' not allowed`, packageManager, ""},
	{"submodule-access", none, "The commit that the repository names for the submodule $1 is not at the submodule's server. Push it there.",
		`Fetched in submodule path '([^']+)', but it did not contain`, packageManager, ""},
	{"submodule-access", none, "The repository has a commit of another one at $1, and .gitmodules has no address of it. Add the submodule, or commit its files " +
		"instead: git rm --cached, and git add without the .git in it.",
		`No url found for submodule path '([^']+)'|no submodule mapping found in \.gitmodules for path '([^']+)'`, packageManager, ""},
	{"submodule-access", DeployKey, "The deploy key has no access to the submodule $1.", `fatal: clone of '([^']+)' into submodule path`,
		`Host key verification failed|transport '\w+' not allowed`, ""},
	{"submodule-access", DeployKey, "The deploy key has no access to a submodule of the repository.",
		`ERROR: Repository not found|remote: Repository not found|Permission denied \(publickey`, packageManager,
		`^Submodule '|registered for path '|into submodule path`},
	{CodeHostKey, Repository, "The Git server does not identify itself with the host key that is known of it. Check access shows the new one's fingerprint: " +
		"if it is the server's own, confirm it there.",
		`Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED`, packageManager, ""},
	{"repository-access", DeployKey, "The Git server does not let the site's deploy key in.",
		`Permission denied \(publickey|remote: Permission to \S+ denied|You're using an RSA key with SHA-1`, packageManager, ""},
	{"repository-missing", Repository, "The Git server knows no such repository, or does not show it to the site's deploy key.",
		`ERROR: Repository not found|remote: Repository not found|remote: Not Found|` +
			`remote: The requested repository either does not exist or you do not have access|The project you were looking for could not be found|` +
			`does not appear to be a git repository|fatal: repository '[^']+' not found`, packageManager, ""},
	{"git-server", Again, "A proxy in front of the Git server answers in its place, since the server itself does not. Deploy once more when it is there " +
		"again.", `The requested URL returned error: 50\d|RPC failed; HTTP 50\d|GitLab is not responding|remote: (?:Service Unavailable|` +
		`Internal Server Error)`, "", ""},
	{"git-server", Again, "The Git server takes no more requests for a while. Deploy once more later.", `(?:returned error:|RPC failed; HTTP) 429`, "", ""},
	{"git-server", none, "A proxy in front of the Git server takes no request of this size: raise its limit, client_max_body_size in nginx.",
		`(?:returned error:|RPC failed; HTTP|from HTTP) 413`, "", ""},
	{"git-server", Repository, "What answers at the address of the repository is a page, and no Git server.", `bad line length character: ?(?:<|HTT|$)`, "", ""},
	{"repository-access", none, "The account of the repository is suspended at its Git server.", `remote: Your account is suspended`, "", ""},
	{"git-lfs", none, "The data that Git LFS may transfer for this repository is used up at the Git server.",
		`over its data quota|exceeded its LFS budget`, "", ""},
	{"git-version", none, "The repository has hashes of SHA-256, and the site was set up with one of SHA-1: create another site for it.",
		`mismatched algorithms: client sha1; server sha256`, "", ""},
	{"repository-access", none, "The owner of the repository lets only listed addresses in: add that of this server to the list.",
		`(?i)remote: .*(?:IP (?:allow|white) ?list|list your IP|IP(?: address)? .{0,60}not (?:allowed|permitted|whitelisted|allowlisted))|` +
			`^the repository owner has an IP allow list`,
		packageManager, ""},
	{"repository-access", none, "The organization of the repository demands single sign-on or a second factor of the account: authorize the key, " +
		"or set that up, there.",
		`(?i)remote: .*(?:SAML (?:SSO|single sign-on)|enable two-(?:step|factor) authentication)`, packageManager, ""},
	{"git-server", none, "The proxy through which the server reaches others does not let it through to the Git server.",
		`unable to access 'https?://[^']+': (?:Received HTTP code \d+ from proxy|CONNECT tunnel failed|Proxy CONNECT aborted)`, packageManager, ""},
	{"repository-access", Repository, "What stands in front of the Git server, or the server itself, refuses this server's requests with 403 and asks for no " +
		"sign-in. Use the repository's SSH address with the deploy key, or have requests of this server let through.",
		`unable to access 'https?://[^']+': The requested URL returned error: 403`,
		packageManager + `|(?i)remote: .*(?:granted|denied|allow|whitelist|token|authenti|sign-on|saml|access)`, ""},
	{"repository-access", Repository, "The repository asks for a sign-in. Use its SSH address with the deploy key, or connect the provider.",
		`could not read Username for 'https?://|Authentication failed for 'https?://|HTTP Basic: Access denied|` +
			`Support for password authentication was removed|Invalid username or (?:password|token)|Write access to repository not granted`, packageManager, ""},
	{"branch-missing", Repository,
		"The repository has no branch $1.",
		`(?:The repository has no branch or tag|Remote branch|couldn't find remote ref(?: refs/heads/)?|pathspec|` +
			`ambiguous argument) '?(?:origin/)?([^\s']+?)'?(?:: unknown revision|\.(?: Its? |$)| not found in upstream| did not match any|$)`, packageManager, ""},

	{"git-lfs", none, "The repository has files in Git LFS, and the server has no git-lfs. Install it with a recipe.",
		`git-lfs: (?:command )?not found|'lfs' is not a git command|external filter 'git-lfs filter-process' failed|smudge filter lfs failed`, "", ""},
	{"git-busy", Again, "Another Git was at work in the directory of the site, or one was killed there and left its lock.",
		`Unable to create '\S+/\.git/\S+\.lock': File exists|Another git process seems to be running`, "", ""},
	{"git-diverged", none, "A merge was begun in the directory of the site and never ended: files there are unmerged.",
		`you have unmerged files|You have not concluded your merge`, "", ""},
	{"branch-missing", DeployScript,
		"The work tree is on no branch, so git pull does not know what to fetch. Name it: git pull origin $FORGE_SITE_BRANCH.",
		`You are not currently on a branch|There is no tracking information for the current branch`, "", ""},
	{"local-changes", none, "Files in the site's directory were changed on the server, and Git does not overwrite them.",
		`local changes to the following files would be overwritten|untracked working tree files would be overwritten|Please commit your changes or ` +
			`stash them`, "", ""},
	{"git-diverged", none, "The branch was rewritten: it does not go on from what the server has.",
		`Not possible to fast-forward|You have divergent branches|refusing to merge unrelated histories`, packageManager, ""},
	{"git-diverged", DeployScript, "A branch at the Git server has the name of a directory of branches that is gone there. Add git remote prune origin to the " +
		"deploy script, before git fetch or git pull.", `cannot lock ref '[^']+': '[^']+' exists; cannot create`, packageManager, ""},
	{"git-owner", none, "The site's directory belongs to another user than the site's, and Git refuses it.", `detected dubious ownership in repository`, "", ""},

	{"lockfile-missing", DeployScript,
		"pnpm needs a pnpm-lock.yaml, and the repository has none. Commit it, or run pnpm install without --frozen-lockfile in the deploy script.",
		`ERR_PNPM_NO_LOCKFILE`, "", ""},
	{"lockfile-missing", DeployScript,
		"npm ci needs a package-lock.json, and the repository has none. Commit it, or run npm install in the deploy script.",
		"`npm ci` command can only install with an existing package-lock|npm ci` can only install with an existing|cipm can only install packages with an " +
			"existing", "", ""},
	{"lockfile-outdated", none, "The lock file does not fit the list of packages. Install them once where the code is written, and commit the lock file.",
		`can only install packages when your package.json and package-lock.json|ERR_PNPM_\w*LOCKFILE|Broken lockfile|in \S*yarn\.lock|` +
			`lockfile needs to be updated|lockfile would have been (?:modified|created)|is not present in the lock file|(?:lock file|` +
			`lockfile) is (?:not up to date|out of sync)|poetry.lock was last generated|poetry\.lock is not consistent|frozen lockfile|` +
			`in deployment mode after changing|dependencies in your gemfile changed|[Ff]rozen mode is set|Your lockfile does not satisfy|` +
			`Your bundle only supports platforms|missing go\.sum entry|updates to go\.(?:mod|sum) needed|inconsistent vendoring|DO NOT MATCH THE HASHES`, "", ""},
	{"script-missing", DeployScript, "package.json has no script $1, which the deploy script runs.", `(?i)missing script: ?["']?([\w:./-]+)`, "", ""},
	{"script-missing", DeployScript, "package.json has no script $1, which the deploy script runs.",
		`error Command "([\w:./-]+)" not found\.|Couldn't find a script named "([\w:./-]+)"|error: Script not found "([\w:./-]+)"`, "", ""},
	{"package-manager", none, "The code needs another version of pnpm. Name it in packageManager of package.json, and it is the one that is used.",
		`Your pnpm version is incompatible`, "", ""},
	{"package-manager", DeployScript,
		"The corepack of this Node.js does not know the keys that packages are signed with today. Leave it out: pnpm and yarn are there without it.",
		`Cannot find matching keyid`, "", ""},
	{"package-manager", DeployScript, "The code is meant to be installed with $1, and the deploy script uses another package manager.",
		`This project is configured to use (\w+)|defines "packageManager": "(\w+)@|Use "(\w+)" for installation in this project`, "", ""},
	{"file-missing", DeployScript,
		"The deploy script needs $1, which is not where it looks. The application may be in another directory of the repository.",
		`Could not open requirements file: .*'([^']+)'|can't open file '([^']+)': \[Errno 2\]|Could not open input file: (\S+)|` +
			`Composer could not find a (composer\.json) file|(?:ENOENT|enoent).*open '[^']*(package\.json)'|Could not (?:locate|find) (Gemfile)|` +
			`Bundler::(Gemfile)NotFound|(go\.mod) file not found in current directory|could not find a (pyproject\.toml) file|` +
			`ERR_PNPM_NO_PKG_MANIFEST.*No (package\.json)|Couldn't find a (package\.json) file|No (Rakefile) found`, "", ""},
	{"python-environment", DeployScript,
		"pip may not install into the Python of the system. Create a virtual environment in the deploy script, and install there.",
		`externally-managed-environment`, "", ""},
	{"script-missing", DeployScript, "The deploy script runs $1, a command that the application does not have.",
		`Command "([\w:.-]+)" is not defined|no commands defined in the "([\w:.-]+)" namespace|Don't know how to build task '([^']+)'|` +
			`Unknown command: '([\w.-]+)'|No such command '([^']+)'`, "", ""},
	{"build-missing", DeployScript, "The front end is not built. Run its build in the deploy script, before what needs it.",
		`Vite manifest not found|Unable to locate file in Vite manifest|Mix manifest (?:not found|does not exist)|Could not find a production build in the`, "", ""},
	{"confirmation", DeployScript, "A command asks whether it may run in production, which a deployment can't answer. Add --force to it.",
		`^\s*(?:WARN\s+)?Command cancell?ed`, "", `(?i)production|really wish|are you sure`},
	{"sudo", DeployScript, "The deploy script uses sudo, which the site's user may not.",
		`sudo: a (?:password|terminal) is required|is not in the sudoers file|sudo: no tty present|is not allowed to execute '`, "", ""},
	{"git-missing", DeployScript, "The deploy script uses Git in a directory that is no checkout.", `fatal: not a git repository`, "", ""},
	{"line-ends", none, "A script has the line ends of Windows. Commit it with those of Linux.",
		`\\r': command not found|bash\\r: No such file|env: [‘']?\w+\\r|env: (?:'\w+')?\$'\w*\\r'|\^M: bad interpreter`, "", ""},
	{"package-changed", none, "A downloaded package is not the one that the lock file names.",
		`EINTEGRITY|[Ii]ntegrity check failed|integrity checksum failed`, "", ""},
	{"package-manager", DeployScript, "The code is meant to be installed with pnpm or Yarn, and the deploy script uses npm.",
		`(?i:unsupported url type "(?:workspace|link|catalog|portal):)`, "", ""},
	{"package-access", Packages, "GitHub lets Composer read no more without a token. Add one for github.com to the credentials of Composer.",
		`review your configured GitHub OAuth token|GitHub API limit \(\d+ calls/hr\) is exhausted`, "", ""},
	{"package-access", Packages, "A package registry asks for credentials, or refuses those of the site: $1.",
		`401 Unauthorized - \w+ (https?://[^/\s]+)|403 Forbidden - \w+ (https?://[^/\s]+)|Could not authenticate against (\S+)|` +
			`The '(https?://[^/\s]+)\S*' URL (?:required authentication|could not be accessed).*|Invalid credentials \(HTTP \d+\) for '(https?://[^/\s']+)`, "", ""},
	{"package-access", Packages, "A package registry asks for credentials, or refuses those of the site.",
		`npm (?:ERR!|error) code E40[13]|Unable to authenticate, need:|Unable to authenticate, your authentication token|ERR_PNPM_FETCH_40[13]|` +
			`Incorrect or missing password|authentication token not provided`, "", ""},
	{"package-access", Packages, "A Git server asks Composer for credentials, or refuses those of the site: $1.",
		`Failed to (?:clone|execute git clone --mirror '?) ?'?(https?://\S+?)'?(?:,| via| )`, "",
		`Authentication failed|Invalid username or password|could not read Username|Repository not found|Access denied`},
	{"package-access", none, "A Git server lets Composer not clone $1: the deploy key has no access to it.",
		`Failed to (?:clone|execute git clone --mirror '?) ?'?((?:git@|ssh://)\S+?)'?(?:,| via| )`, "",
		`Permission denied|Repository not found|Invalid username or password`},
	{"package-missing", none, "The registry has no package $1. If it is private, the site needs credentials for its registry.",
		`'(@?[\w./@^~-]+)' is not in (?:this|the npm) registry|Could not find a matching version of package ([\w./-]+)|` +
			`The "https?://\S+?/([\w.-]+/[\w.-]+)" file could not be downloaded \(HTTP/\S+ 404|requested package ([\w./-]+) (?:\S+ )?could not be found|` +
			`Couldn't find package "([^"]+)"|ERR_PNPM_NO_MATCHING_VERSION.*for ([@\w./-]+)|notarget No matching version found for (\S+?)\.?$|` +
			`404 Not Found - GET https?://[^/\s]+/(@?[\w.%~-]+(?:/[\w.-]+)??)(?:/-/|\s|$)|No matching distribution found for (\S+)|` +
			`requires ([\w.-]+/[\w.-]+) .*no matching package found|requires ([\w.-]+/[\w.-]+) .*could not be found in any version`, "", ""},
	{"package-advisory", none, "Composer refuses a version that has a known vulnerability. Choose another where the code is written.",
		`affected by security advisories`, "", ""},
	{"package-changed", none, "Files of a package in vendor were changed on the server, and Composer does not overwrite them. Remove the directory of " +
		"the package.", `Source directory \S+ has uncommitted changes|The package has modified files`, "", ""},
	{"package-changed", Again, "npm could not put a package into its place, since files of an interrupted installation are there. Remove node_modules " +
		"and deploy once more.", `npm (?:ERR!|error) code ENOTEMPTY|ENOTEMPTY: directory not empty, rename`, "", ""},
	{"package-build", none, "pnpm runs no build scripts of packages that the code does not name. Allow them where the code is written, by pnpm " +
		"approve-builds.", `ERR_PNPM_IGNORED_BUILDS`, "", ""},
	{"package-missing", none, "The version of a package is younger than the code allows (minimumReleaseAge).",
		`ERR_PNPM_NO_MATURE_MATCHING_VERSION|does not meet the minimumReleaseAge`, "", ""},
	{"package-plugin", none, "Composer does not run the plugin $1. Allow it in allow-plugins of composer.json.",
		`([\w.-]+/[\w.-]+) contains a Composer plugin which is blocked`, "", ""},
	{"package-conflict", none, "The versions of packages that the code asks for exclude each other.",
		`npm (?:ERR!|error) code ERESOLVE|ERR_PNPM_PEER_DEP_ISSUES|ResolutionImpossible|these conflict with your requirements|it does not match (?:the|` +
			`your) |likely because it conflicts|conflicts? with (?:another require|your root)|Conclusion: don't install|` +
			`Only one of these can be installed|could not be resolved to an installable set|could not find compatible versions|version solving failed|` +
			`No solution found when resolving`, "", ""},

	{"package-registry", Again, "What answers as the package registry is a page, such as one of a proxy. Deploy once more, or look at the address.",
		`Invalid response body while trying to fetch|Unexpected token '?<'?.*is not valid JSON|(?:does not contain valid JSON)`, "",
		`(?i)Invalid response body|<!DOCTYPE|<html`},
	{"package-json", none, "package.json is not valid JSON.",
		`npm (?:ERR!|error) code EJSONPARSE|Failed to parse (?:package\.json|json)|JSON\.parse .*package\.json`, "", ""},

	{"php-version", PHP, "The code needs another version of PHP than the site has.",
		`(?i:your php version \([^)]*\).* does not satisfy)|(?i:requested package php \S+ \S+ could not be found)|` +
			`Your Composer dependencies require a PHP version|requires php \S.*but your PHP version|requires php \S+ .*your php version`, "", ""},
	{"php-extension", none, "PHP on the server lacks the extension $1.",
		`(?:requires|require) (?:PHP extension )?ext-([\w-]+) .*missing from your system|requested PHP extension (\w+) is missing|requires ext-(\w+)`, "", ""},
	{"php-extension", none, "PHP on the server lacks the extension with the class $1.",
		`Class ["'](Redis|Memcached|Imagick|ZipArchive|SoapClient|NumberFormatter|IntlDateFormatter|Collator|DOMDocument|SimpleXMLElement|PDO|SQLite3|` +
			`GMP)["'] not found`, "", ""},
	{"php-extension", none, "PHP on the server lacks the driver of this database.", `could not find driver`, "", ""},

	{"node-version", Runtime, "The code needs another version of Node.js than the site has.",
		`requires Node\.js(?: version)?|Node\.js version "?[^"]*"? is required|npm (?:ERR!|error) code EBADENGINE|The engine "node" is incompatible|` +
			`ERR_PNPM_UNSUPPORTED_ENGINE|crypto\.hash is not a function|ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported|` +
			`requires a minimum Node\.js version|Unsupported Node\.js version|Unsupported NodeJS version|Node\.js v?\S+ is not supported|` +
			`SyntaxError: Unexpected token '(?:\?\?=|\|\|=|\?|\.)'|does not provide an export named 'styleText'|node:util' does not provide|` +
			`No prebuilt binaries found \(target=\S+ runtime=node`, "", ""},

	{"node-modules", none, "A package was compiled for another version of Node.js than the site has. Install the packages anew.",
		`was compiled against a different Node\.js version|NODE_MODULE_VERSION \d+\. This version`, "", ""},
	{"go-version", none, "The code needs another version of Go than the server has.",
		`requires go >= \S+ \(running go|go1\S* .*toolchain not available|toolchain not available|unknown directive: toolchain|invalid go version '|` +
			`note: module requires Go|requires go1\.\d+ or later|go\.mod file indicates go \S+, but`, "", ""},
	{"python-version", none, "The code needs another version of Python than the server has.",
		`requires a different Python: |Python version \(?\S+?\)? is not (?:supported|allowed) by the project|requires Python '[^']+' but|` +
			`requires-python|Requires-Python|[Pp]ython \S+ or (?:later|newer|higher) is required|requires Python >= ?\d`, "Ignored the following versions", ""},
	{"ruby-version", none, "The code needs another version of Ruby than the server has.",
		`Your Ruby version is \S+, but your Gemfile specified|requires (?:R|r)uby version|rbenv: version .\S+. is not installed|` +
			`Ruby version \S+ is not installed|Required ruby-\S+ is not installed`, "", ""},
	{"architecture", none, "A program or package was built for another system or processor than the server has.",
		`[Ee]xec format error|Could not load the "sharp" module|invalid ELF header|wrong ELF class`, "", ""},
	{"system-library", none, "A package of the code is compiled on the server, which lacks what that needs: $1. Install it with a recipe.",
		`(pg_config|mysql_config|mariadb_config) (?:executable )?not found|fatal error: ([\w./+-]+\.h(?:pp)?): No such file|` +
			`[Pp]ackage '?([\w.+-]+?)'?,? (?:required by .* )?(?:was )?not found in the pkg-config|No package '([^']+)' found|cannot find -l(\S+)|` +
			`version .(GLIBC\w*_[\d.]+)' not found|command '([\w-]*(?:gcc|cc|g\+\+))' failed: No such file|(?:executable file not found|exec: )"?(gcc|` +
			`g\+\+|cc)"?|error: linker .(cc). not found|([\w.+-]+\.so[.\d]*): cannot open shared object file`, "", ""},
	{"system-library", none, "A package of the code is compiled on the server, which lacks what that needs. The lines before say what; install it with a " +
		"recipe.", `Can not find pkg-config|Failed to build gem native extension|mkmf\.rb can't find header files|cannot load such file -- mkmf|` +
		`Failed building wheel for|Could not build wheels for|Failed to build installable wheels|extconf failed, exit code|` +
		`Could not create Makefile due to|gyp ERR! (?:build|configure) error|gyp ERR! find Python|error: Microsoft|error: command '\S*(?:gcc|cc|g\+\+|` +
		`clang)' failed`, "", ""},

	{"node-version", Runtime, "The code needs another version of Node.js than the site has.",
		`SyntaxError: (?:Unexpected (?:reserved word|token|identifier|strict mode)|Block-scoped declarations|Invalid regular expression flags)|` +
			`ReferenceError: (?:structuredClone|globalThis|fetch|ReadableStream|AbortController|CustomEvent|File|crypto) is not defined|\.(?:replaceAll|` +
			`at|flatMap|flat|toSorted|findLast|hasOwn|matchAll|getBuiltinModule|styleText) is not a function`, "", `node_modules/\S*\.[mc]?js:\d+|npm (?:ERR!|error)`},
	{"node-version", Runtime, "The code needs another version of Node.js than the site has.",
		`Cannot find module 'node:|No such built-in module: node:|ERR_UNKNOWN_BUILTIN_MODULE`, "", ""},
	{"disk-full", none, "The server's disk is full.",
		`(?i:no space left on device)|ENOSPC(?:: no space|, \w+)|nospc ENOSPC|EDQUOT|[Dd]isk quota exceeded`, "", ""},
	{"memory", none, "The server has too little memory for the build. Give it more, or swap space, or build elsewhere and deploy the result.",
		`heap out of memory|^\s*Killed\s*$|\b\d+ Killed\b|(?:exit|exited with)(?: code| status)?:? ?137|errno 137|Returned: code: 137|ENOMEM|` +
			`Cannot allocate memory|signal: killed|SIGKILL|Out of memory`, "", ""},
	{"memory-php", none, "PHP reached its memory limit. Raise memory_limit in the server's PHP settings.", `Allowed memory size of \d+ bytes exhausted`, "", ""},

	{"environment-key", Environment, "The environment lacks APP_KEY, the application's encryption key.",
		`No application encryption key has been specified|MissingAppKeyException|No supported encrypter found|Unsupported cipher or incorrect key length`, "", ""},
	{"environment-missing", Environment, "The code runs as in development, with $1, which is not installed here. Set APP_ENV=prod in the environment.",
		`Class ["'](Symfony\\Bundle\\(?:MakerBundle|WebProfilerBundle|DebugBundle)|Doctrine\\Bundle\\FixturesBundle)\\`, "", ""},
	{"environment-missing", Environment, "The environment lacks the variable $1, which .npmrc names.", `Failed to replace env in config: \$\{(\w+)\}`, "", ""},
	{"environment-missing", Environment, "The site has no environment file (.env).",
		`file_get_contents\(\S*\.env\)|Unable to read any of the environment file|The environment file \S* ?(?:is missing|not found)|` +
			`\.env(?: file)? (?:not found|does not exist|is missing)|Unable to read the "\S*\.env" environment file|cannot (?:open|stat) '?\S*\.env\b|` +
			`ENOENT.*\.env'`, "", ""},
	{"environment-missing", Environment, "The deploy script uses the variable $1, which is not set.",
		`: (?:line \d+: )?(\w+): (?:unbound variable|parameter not set)`, "", ""},
	{"environment-missing", Environment, "The environment lacks the variable $1.",
		`Environment variable not found: "?(\w+)|(?:[Mm]issing|[Rr]equired) (?:required )?(?:environment|env) (?:variables?|vars?):? ?"?(\w+)|` +
			`Environment variable "(\w+)" (?:is )?(?:not found|missing|required)|env var "(\w+)" not found|(\w+) (?:environment variable|` +
			`env var) (?:is (?:not set|missing|required)|must be set)|\b([A-Z][A-Z0-9_]{3,})\b.*\b(?:env(?:ironment)? variables?|` +
			`env vars?)\b.*(?:required|missing|not set|empty|undefined|must be)|(?:[Ss]et|[Dd]efine|[Pp]rovide) (?:the |a )?(\w+) (?:environment variable|` +
			`env(?:ironment)? var)|(\w+) is not (?:defined|set) in (?:the |your )?(?:environment|\.env)|KeyError: '([A-Z][A-Z0-9_]+)'`, "", ""},
	{"environment-missing", Environment, "The environment lacks a variable: a service of the code is given no key or address.",
		`Invalid environment variables|supabase(?:Url|Key) is required|Missing API key\. Pass it to the constructor|` +
			`Neither apiKey nor config\.authenticator provided|input: '(?:undefined|null)'`, "", ""},
	{"environment-missing", Environment, "The environment lacks the variable $1.",
		`The ([A-Z][A-Z0-9_]+) setting must not be empty|UndefinedValueError: ([A-Z][A-Z0-9_]+) not found|key not found: "([A-Z][A-Z0-9_]+)"|` +
			`required key ([A-Z][A-Z0-9_]+) missing value|Missing .?(secret_key_base|SECRET_KEY_BASE)\b|([A-Z][A-Z0-9_]{2,}) (?:is not set|must be set|` +
			`not set)\b|[Vv]ariable ([A-Z][A-Z0-9_]+) is (?:not set|required|missing|undefined)`, "", ""},
	{"environment-missing", Environment, "The environment lacks RAILS_MASTER_KEY, with which Rails reads its credentials, or it is a wrong one.",
		`Missing encryption key to decrypt file with|ActiveSupport::MessageEncryptor::InvalidMessage`, "", ""},
	{"database-missing", Databases,
		"There is no database $1.", `\[1049\] Unknown database '([^']+)'|Unknown database '([^']+)'|(?:FATAL|` +
			`fatal): +database "([^"]+)" does not exist|Database [` + "`'\"]" + `?([\w-]+)[` + "`'\"]" + `?(?:\.\w+)? does not exist|` +
			`We could not find your database: ([\w-]+)|NoDatabaseError.*database "([^"]+)"|Database ([\w-]+) does not exist on the database server`, "", ""},
	{"database-missing", Environment, "There is no database file $1. Let releases share one, and name it in the environment.",
		`Database file at path \[([^\]]+)\] does not exist`, "", ""},
	{"database-access", Environment, "The database refuses the user or the password in the site's environment.",
		`\[1045\]|\[1044\]|Access denied for user '|password authentication failed for user|no password supplied|P1000|ER_ACCESS_DENIED_ERROR|` +
			`WRONGPASS|NOAUTH Authentication|\(1045, `, "", ""},
	{"database-access", none, "The database server accepts no connections of this kind (pg_hba.conf): another host, another user, or one without TLS.",
		`no pg_hba\.conf entry for`, "", ""},
	{"database-away", Environment, "No database answers at the address in the site's environment.",
		`SQLSTATE\[HY000\] \[2002\]|SQLSTATE\[08006\]|ECONNREFUSED \S*:(?:3306|5432|6379|27017)|P1001|Can't reach database server|` +
			`could not connect to server|php_network_getaddresses: getaddrinfo for (?:mysql|mariadb|db|postgres|redis)\b|` +
			`Connection refused \[tcp://|connection to server (?:at|on socket) .* failed|Can't connect to (?:local |server on )?(?:MySQL|MariaDB)? ` +
			`?server|ServerSelectionError|MongoNetworkError|Redis::CannotConnectError|Error 111 connecting to|dial tcp \S+:(?:3306|5432|6379|27017): connect`, "", ""},
	{"database-access", none, "The database file may not be written: it, and the directory around it, must belong to the account of the site.",
		`attempt to write a readonly database`, "", ""},
	{"database-away", Again, "The database server closed the connection: it was restarted, or a statement was larger than max_allowed_packet.",
		`MySQL server has gone away|Lost connection to (?:MySQL|MariaDB|server)`, "", ""},
	{"database-away", Again, "The database server has as many connections as it takes.",
		`\[1040\] Too many connections|too many clients already|remaining connection slots are reserved`, "", ""},
	{"memory", none, "Redis has as much data as it may hold (maxmemory).", `OOM command not allowed when used memory`, "", ""},
	{"migration-failed", none, "The database refused a statement of the deployment, such as one of a migration.",
		`SQLSTATE\[(?:42000|42S01|42S21|42S22|23000|42P07|42703|42701|23505|HY000\]: General error)|^Error: P30\d\d|A migration failed to apply|` +
			`Mysql2::Error: |(?:PG|psycopg2?\.errors)[:.]+\w+: ?(?:ERROR|column|relation)|OperationalError: (?:table|no such column|near)|` +
			`StandardError: An error has occurred, (?:this and )?all later migrations`, "", ""},
	{"database-away", none, "WordPress can't use its database with what wp-config.php says.", `Error establishing a database connection`, "", ""},
	{"wordpress-missing", none, "There is no WordPress where the deploy script looks for one.",
		`does not seem to be a WordPress installation|'wp-config\.php' not found`, "", ""},
	{"migration-failed", none, "An earlier migration of the database failed, and the next ones wait until that is resolved.",
		`migrate found failed migrations|^Error: P3009`, "", ""},
	{"database-rights", none, "The database's user lacks a right that the deployment needs.",
		`must be owner of (?:table|relation|schema|database|extension)|permission denied (?:for|to) (?:schema|table|relation|database|create)|` +
			`InsufficientPrivilege|command denied to user`, "", ""},
	{"table-missing", none, "A table is missing in the database. The migrations have not run, or the code reads the table before they do.",
		`SQLSTATE\[42S02\]|Base table or view not found|(?:ERROR|UndefinedTable).*relation "\S+" does not exist|no such table: |` +
			`ActiveRecord::PendingMigrationError|Migrations are pending|ProgrammingError: relation "`, "", ""},

	{"vendor-missing", DeployScript,
		"The packages of Composer are not installed, or not whole. Run composer install in the deploy script, before what needs them.",
		`(?:Failed opening required|Failed to open stream|failed to open stream).*\bvendor/|vendor/autoload\.php.*No such file|` +
			`You need to set up the project dependencies|Dependencies are missing\. Try running`, "", ""},
	{"program-missing", DeployScript, "The deploy script calls nvm, which is not on the server. Leave it out: node is the version that the site is set to.",
		`\.nvm/nvm\.sh: No such file|\bnvm: (?:command )?not found`, "", ""},
	{"program-missing", DeployScript, "The deploy script calls $1, which is not on the server. Leave it out, and run the program as a background process.",
		`\b(pm2|forever): (?:command )?not found`, "", ""},
	{"file-missing", DeployScript, "The deploy script moves or copies $1, which does not exist.", `(?:mv|cp): cannot stat '([^']+)': No such file`, "", ""},
	{"file-missing", DeployScript, "The deploy script goes to $1, which does not exist.",
		`: (?:line )?\d*:? ?cd: (?:can.t cd to )?(\S+?)(?:: No such file or directory)?$`, "", ""},
	{"file-missing", DeployScript, "The deploy script reads $1, which does not exist.", `: line \d+: (/\S+|\S+\.sh): No such file or directory`, "", ""},
	{"code-error", DeployScript, "The deploy script is not complete: a quotation mark, a parenthesis, an if or a loop in it is not closed.",
		`line \d+: (?:syntax error: unexpected end of file|unexpected EOF while looking for matching|syntax error near unexpected token)|` +
			`Syntax error: (?:Unterminated|end of file unexpected)`, "", ""},
	{"timeout", none, "A program of the deployment had a limit for its time, and exceeded it.", `exceeded the timeout of \d+ seconds`, "", ""},
	{"program-missing", DeployScript,
		"The deploy script needs the program $1, which is not there. If a package brings it, install the packages first, those for development too.",
		`(?:^|\s)(?:/bin/)?(?:sh|bash|dash|zsh)(?:: line \d+|: \d+)?: (?:\d+: )?([\w./@+-]+): (?:command )?not found|` +
			`/usr/bin/env: [‘']?([\w.-]+)[’']?: No such file|: line \d+: ([\w./@+-]+): command not found|spawn ([\w.-]+) ENOENT|` +
			`sudo: ([\w./@+-]+): command not found`, "", ""},
	{"port-taken", none, "Another program listens on port $1 already.",
		`EADDRINUSE.*?:(\d+)|Address already in use.*?:(\d+)|address already in use.*?:(\d+)|:(\d+): bind: address already in use|` +
			`Address already in use .*port (\d+)|Connection in use: \('[^']*', (\d+)\)|bind on address \('[^']*', (\d+)\): address already in use|` +
			`[Pp]ort (\d+) is (?:already )?(?:in use|being used|used by)`, "", ""},
	{"port-taken", none, "Another program listens already on the port that the code wants.", `EADDRINUSE|[Aa]ddress already in use`, "", ""},
	{"port-denied", Start, "The program wants a port below 1024, which only nginx may have. Let it listen on the port that PORT in its environment " +
		"names.", `listen EACCES|EACCES: permission denied (?:\d+\.\d+\.\d+\.\d+|::):\d+|bind: permission denied|Permission denied - bind\(2\)`, "", ""},
	{"port-silent", Start, "The program does not listen on port $1, which PORT in its environment names.",
		`(?:T|t)he program does not answer on port (\d+)`, "", ""},
	{"directory-missing", none, "A directory that the code writes to is not in the repository: $1.",
		`(?:file_put_contents|fopen|mkdir|tempnam)\(([^)]+)\): [Ff]ailed to open stream: No such file|Please provide a valid cache path`, "", ""},
	{"permission", none, "The site's account may not write to $1.",
		`Impossible to create the root directory "([^"]+)"|EACCES(?:: permission denied)?, (?:\w+|permission denied) '([^']+)'|` +
			`"?([^\s"]+)"? could not be opened in append mode|unable to (?:unlink|create file) (?:old )?'?([^\s':]+)'?.*Permission denied|` +
			`file_put_contents\(([^)]+)\): [Ff]ailed to open stream: Permission denied|The (\S+) directory must be present and writable|` +
			`directory at "([^"]+)" and it could not be created: Permission denied|PermissionError: \[Errno 13\] Permission denied: '([^']+)'|` +
			`Permission denied @ \w+ - (\S+)|open (\S+): permission denied|[Uu]nable to create (?:the )?directory:? (\S+)|[Uu]nable to (?:write in|` +
			`create) the "?([\w/. -]+?)"? directory|[Uu]nable to create the \w+ directory \(([^)]+)\)|Failed to write cache file "([^"]+)"|` +
			`"([^"]+)" is not writable|(/\S+) is not writable`, "", ""},
	{"permission", DeployScript, "The deploy script changes the owner of files, which only root may. Leave that out: what a deployment brings " +
		"belongs to the site's account.",
		`^(?:/bin/)?ch(?:own|grp): changing (?:ownership|group) of .*: Operation not permitted`, "", ""},
	{"permission", DeployScript, "The deploy script writes to $1, which belongs to another account of the server. Use a file below the site's own " +
		"directory, or open " +
		"the file with < in place of >.", `(?:^|[ :])['‘]?(/tmp/[\w./-]+)['’]?: Permission denied$`, "", ""},
	{"permission", none, "A program of the build can't be run: its file is not executable.", `spawn EACCES|: Permission denied$`, "", ""},
	{"network", Again, "The server does not reach $1. If it is there again, deploy once more.",
		`Could not resolve host: ([\w.-]+)|Could not resolve hostname ([\w.-]+)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|` +
			`Failed to connect to ([\w.-]+) port|connect ETIMEDOUT ([\w.:-]+)|curl error (?:6|7|28) while downloading https?://([^/\s]+)`, "", ""},
	{"network", Again, "The server does not reach $1. If it is there again, deploy once more.", `ssh: connect to host (\S+) port \d+: `, "", ""},
	{"network", Again, "The connection to a package registry or Git server broke off. Deploy once more.",
		`ECONNRESET|ERR_SOCKET_TIMEOUT|ESOCKETTIMEDOUT|could not be downloaded \(HTTP/\S+ 50\d|EIDLETIMEOUT|early EOF|kex_exchange_identification|` +
			`Connection closed by \S+ port|RPC failed; curl|Operation timed out after|fetch-pack: unexpected disconnect|429 Too Many Requests|` +
			`ReadTimeoutError|Net::OpenTimeout|TLS handshake timeout|i/o timeout|unexpected EOF|50\d (?:Not Implemented|Internal Server Error|Bad Gateway|` +
			`Service Unavailable|Gateway Time-?out)`, "", ""},

	{"certificate", none, "The certificate of $1 is not one that the server trusts, or it has expired.",
		`unable to access 'https?://([^/']+)\S*': SSL certificate problem|CERT_HAS_EXPIRED.* (\S+)$`, "", ""},
	{"certificate", none, "The certificate of a package registry or Git server is not one that the server trusts, or it has expired.",
		`CERT_HAS_EXPIRED|SSL certificate problem|unable to verify the first certificate|UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT|` +
			`CERTIFICATE_VERIFY_FAILED|x509: certificate|certificate verify failed`, "", ""},
	{"module-missing", none, "The lock file lacks the parts of a package for Linux. Remove it and node_modules where the code is written, install, and " +
		"commit the new lock file.", `npm has a bug related to optional dependencies|Cannot find module @(?:rollup|esbuild|swc|next)/\S*linux`, "", ""},
	{"module-missing", none, "Prisma has no engine for this server. Run prisma generate in the deploy script, or name the server in binaryTargets.",
		`could not locate the Query Engine for runtime`, "", ""},
	{"code-error", none, "A page could not be built, since it asks for something at build time: $1.", `Error occurred prerendering page "([^"]+)"`, "", ""},
	{"code-error", DeployScript, "Go wants to name the commit and may not read the repository. Build with -buildvcs=false.", `error obtaining VCS status`, "", ""},
	{"python-version", none, "There is no Python of the version that the code needs.", `No interpreter found for Python`, "", ""},
	{"module-missing", none, "The code needs $1, which is not there. A package may be missing in the list of packages; on Linux, capitals in names of " +
		"files count.", `Cannot find module '([^']+)'|Module not found: (?:Error: )?Can't resolve '([^']+)'|^\* (\S+) in \./|` +
		`failed to resolve import "([^"]+)"|Could not resolve "([^"]+)"|No module named '?([\w.]+)|Cannot find package '([^']+)'|` +
		`ERR_MODULE_NOT_FOUND.*'([^']+)'|Class ["']([^"']+)["'] not found|Interface ["']([^"']+)["'] not found|Attempted to load (?:class|interface|` +
		`trait) "([^"]+)"|Target class \[([^\]]+)\] does not exist|Could not resolve entry module "([^"]+)"|` +
		`Could not find '?([\w.-]+?)'? \([^)]*\) (?:among|- did find)|Could not find (?:gem ')?([\w.-]+?)(?:'| \(| in (?:any|locally|rubygems))|` +
		`cannot load such file -- (\S+)|no required module provides package ([^\s;]+)|cannot find package "([^"]+)"|package (\S+) is not in (?:GOROOT|` +
		`std)|Error: Cannot find module (\S+)|ImportError: No module named (\S+)`, "", ""},
	{"file-watchers", DeployScript, "A program of the deployment watches files, more than the server allows. Build once, without watching or a server for " +
		"development.", `System limit for number of file watchers reached`, "", ""},
	{"crash", Again, "npm ended by an error of its own. Deploy once more; if that does not help, another version of Node.js may.",
		`Exit handler never called`, "", ""},
	{"crash", none, "A program of the build crashed.", `Segmentation fault|Bus error|SIGSEGV|Illegal instruction`, "", ""},
	{"test-failed", none, "The deploy script runs tests, and some failed.", `Test Suites: \d+ failed|Tests:\s+\d+ failed|FAILURES!|^FAILED \(failures=`, "", ""},
	{"code-error", none, "The build found an error in the code.",
		`error TS\d+:|^\s*Type error:|Failed to compile\.?\s*$|PHP Parse error|Parse error: syntax error|SyntaxError: |PHP Fatal error: |` +
			`Undefined (?:index|variable|array key|property)|ERR_UNKNOWN_FILE_EXTENSION|TypeError: |Uncaught Error: |Error: Call to |Call to (?:undefined|` +
			`a member) |\[vite\]: .*error|Build failed because of webpack errors|ReferenceError: |CssSyntaxError|Error occurred prerendering page|` +
			`Export encountered an? errors?|Unable to prepare route|configuration files are not serializable|^(?:\w+\.)*(?:NameError|AttributeError|` +
			`ImportError|IndentationError|NoMethodError|ImproperlyConfigured|ArgumentError)\b|uninitialized constant|undefined (?:method|local variable)|` +
			`^\S+\.go:\d+:\d+: |Uncaught exception|^ParseError\b|\[ParseException\]`, "", ""},
}

type compiled struct {
	rule
	match        []alternative
	unless, with *regexp.Regexp
}

// alternative is one of those of a pattern, with a text that each line has which it matches: most lines are looked at for that alone.
type alternative struct {
	has string
	*regexp.Regexp
}

// literal returns the longest text that whatever an expression matches must have.
func literal(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literal(re.Sub[0])
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if text := literal(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	return ""
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
			out[i].match = append(out[i].match, alternative{literal(one), regexp.MustCompile(one.String())})
		}
		if r.unless != "" {
			out[i].unless = regexp.MustCompile(r.unless)
		}
		if r.with != "" {
			out[i].with = regexp.MustCompile(r.with)
		}
	}
	return out
})

// find returns what the rule captures in a line, nil for a line of something else.
func (c compiled) find(line string) []string {
	for _, one := range c.match {
		if !strings.Contains(line, one.has) {
			continue
		}
		if found := one.FindStringSubmatch(line); found != nil {
			return found
		}
	}
	return nil
}

// fits reports whether a rule holds among the lines around one that matches.
func (c compiled) fits(around []string) bool {
	return (c.unless == nil || !slices.ContainsFunc(around, c.unless.MatchString)) && (c.with == nil || slices.ContainsFunc(around, c.with.MatchString))
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
			if found == nil || !r.fits(lines[max(0, i-near):min(len(lines), i+near)]) {
				continue
			}
			return Cause{Code: r.code, Text: fill(r.text, found), Line: strings.TrimSpace(lines[i]), Remedy: r.remedy}, true
		}
	}
	return Cause{}, false
}

// condition is a line that runs a command if a condition holds, and fails if it does not.
var condition = regexp.MustCompile(`^(?:\[\[?\s.*\s\]\]?|(?:test|grep|pgrep|command|which)\s.*?)\s*&&\s*\S`)

// OfScript returns why a script of which no program said anything ended with status 1: its last line is a condition that did not hold.
func OfScript(script string) (Cause, bool) {
	lines := strings.Split(strings.TrimSpace(script), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if !condition.MatchString(last) || strings.Contains(last, "||") {
		return Cause{}, false
	}
	return Cause{Code: "condition", Text: "The deploy script's last line is a condition that did not hold, which counts as a failure of the script. " +
		"Write it as if …; then …; fi, or add || true.", Line: last[:min(len(last), maxLine)], Remedy: DeployScript}, true
}

// Unknown is a cause that no rule recognizes, in the words of whoever saw it.
func Unknown(text, line string) Cause {
	return Cause{Code: "unknown", Text: text, Line: line, Remedy: none}
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
