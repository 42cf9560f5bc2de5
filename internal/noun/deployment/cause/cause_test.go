package cause_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/noun/deployment/cause"
)

// entry is the end of a log, with what is right about it. The code "-" is none.
type entry struct{ source, code, remedy, log string }

func entries(t *testing.T, name string) []entry {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []entry
	for part := range strings.SplitSeq("\n"+string(raw), "\n== ") {
		head, log, _ := strings.Cut(part, "\n")
		fields := strings.Split(head, "|")
		if len(fields) != 3 {
			continue // what the file says of itself
		}
		out = append(out, entry{strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]), strings.TrimSpace(fields[2]), log})
	}
	return out
}

// Ends of logs from public bug reports: those that the patterns were written from, and others, taken afterwards, that judged them.
func TestCausesOfPublicLogs(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"written.txt", "judged.txt", "later.txt", "everyday.txt"} {
		all := entries(t, file)
		if least := map[string]int{"written.txt": 40, "judged.txt": 20, "later.txt": 79, "everyday.txt": 95}[file]; len(all) < least {
			t.Errorf("%s has %d logs, want %d", file, len(all), least)
		}
		for _, e := range all {
			got, known := cause.Of(e.log)
			if got.Remedy == "none" {
				got.Remedy = ""
			}
			if code := got.Code; known != (e.code != "-") || known && code != e.code || string(got.Remedy) != e.remedy {
				t.Errorf("%s: %s is %q with the remedy %q (%s), want %q with %q", file, e.source, code, got.Remedy, got.Line, e.code, e.remedy)
			}
			if strings.Contains(got.Text, "$1") || known && !strings.HasSuffix(got.Text, ".") {
				t.Errorf("%s: %s says %q", file, e.source, got.Text)
			}
		}
	}
}

// A cause is what the log says last, names what it is about, and is found in a log of any form.
func TestCauseIsWhatIsSaidLast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, log, text string }{
		{"a failure that was recovered from", "Could not resolve host: github.com\nretrying\nnpm ERR! Missing script: \"prod\"\n",
			"package.json has no script prod, which the deploy script runs."},
		{"a lock file of pnpm", " ERR_PNPM_NO_LOCKFILE  Cannot install with \"frozen-lockfile\" because pnpm-lock.yaml is absent\n",
			"pnpm needs a pnpm-lock.yaml, and the repository has none. Commit it, or run pnpm install without --frozen-lockfile in the deploy script."},
		{"a version of pnpm", " ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)\n\nYour pnpm version is incompatible " +
			"with \"/x\".\n\nExpected version: >=10\nGot: 9.15.9\n",
			"The code needs another version of pnpm. Name it in packageManager of package.json, and it is the one that is used."},
		{"corepack", "Error: Cannot find matching keyid: {\"signatures\":[]}\n",
			"The corepack of this Node.js does not know the keys that packages are signed with today. Leave it out: pnpm and yarn are there without it."},
		{"an advisory", " - Root composer.json requires laravel/framework ^10, found laravel/framework[v10.0.0] but these were not loaded, because they are " +
			"affected by security advisories (\"PKSA-1\").\n", "Composer refuses a version that has a known vulnerability. Choose another where the code is written."},
		{"a plugin", "  symfony/flex contains a Composer plugin which is blocked by your allow-plugins config.\n",
			"Composer does not run the plugin symfony/flex. Allow it in allow-plugins of composer.json."},
		{"an extension", "   Error  Class \"Redis\" not found\n", "PHP on the server lacks the extension with the class Redis."},
		{"development", "!!  PHP Fatal error:  Uncaught Error: Class \"Symfony\\Bundle\\MakerBundle\\MakerBundle\" not found in /x.php:132\n",
			"The code runs as in development, with Symfony\\Bundle\\MakerBundle, which is not installed here. Set APP_ENV=prod in the environment."},
		{"a token of npm", "Error: Failed to replace env in config: ${NPM_TOKEN}\n", "The environment lacks the variable NPM_TOKEN, which .npmrc names."},
		{"a database that is a file", "Database file at path [/x/database.sqlite] does not exist. Ensure this is an absolute path to the database.\n",
			"There is no database file /x/database.sqlite. Let releases share one, and name it in the environment."},
		{"a question", "   APPLICATION IN PRODUCTION.\n\n Are you sure you want to run this command? (yes/no) [no]\n >\n   WARN  Command cancelled.\n",
			"A command asks whether it may run in production, which a deployment can't answer. Add --force to it."},
		{"a directory", "   FilesystemException  Impossible to create the root directory \"/x/storage\". mkdir(): Permission denied\n",
			"The site's account may not write to /x/storage."},
		{"a name of another pattern", "error Command \"export\" not found.\n", "package.json has no script export, which the deploy script runs."},
		{"a variable without a name", "Error: Invalid environment variables\n",
			"The environment lacks a variable: a service of the code is given no key or address."},
		{"a registry without a name", "npm error code E403\n", "A package registry asks for credentials, or refuses those of the site."},
		{"a progress bar", "10%\r50%\rsh: 1: tsc: not found\r\n",
			"The deploy script needs the program tsc, which is not there. If a package brings it, install the packages first, those for development too."},
		{"a key that a package manager was refused",
			"npm error code 128\nnpm error git@github.com: Permission denied (publickey).\nnpm error fatal: Could not read from remote repository.\n", ""},
		{"nothing", "", ""},
		{"only blanks", "\n \r\n", ""},
		{"no text", "\xff\xfe\x00\n", ""},
		{"a line without an end", strings.Repeat("x", 10<<20), ""},
	} {
		if got, _ := cause.Of(c.log); got.Text != c.text {
			t.Errorf("%s: %q, want %q", c.name, got.Text, c.text)
		}
	}
}

// A log that says nothing known is the one that takes longest.
func BenchmarkOf(b *testing.B) {
	log := strings.Repeat("2026-11-28T12:00:00Z  ✓ compiled /srv/app/node_modules/some/package/index.js in 120 ms (client and server)\n", 2000)
	for b.Loop() {
		cause.Of(log)
	}
}

// A script of which no program said anything, and whose last line is a condition, ended with that.
func TestScriptEndsInACondition(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{
		"echo x\n[ -f artisan ] && php artisan migrate\n": true,
		"[[ $A == 1 ]] && echo":                           true,
		"test -d dist && rm -r dist  \n\n":                true,
		"grep -q x .env && echo x":                        true,
		"command -v yarn && yarn":                         true,
		"[ -f x ] && echo x || true":                      false,
		"if [ -f x ] && [ -f y ]; then echo; fi":          false,
		"cd x && npm ci":                                  false,
		"[ -f x ] && echo x\necho y":                      false,
		"[ -f x ]":                                        false,
		"":                                                false,
	} {
		if got, is := cause.OfScript(script); is != want || is && !strings.HasPrefix(script+"\n", got.Line) && !strings.Contains(script, got.Line) {
			t.Errorf("%q: %t %q", script, is, got.Line)
		}
	}
}
