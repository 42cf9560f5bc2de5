package text_test

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// A command is one line, however it was pasted.
func TestCommandIsOneLine(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"php artisan queue:work":                                   "php artisan queue:work",
		"  php\u00a0artisan\u00a0up \r\n":                          "php artisan up",
		"gunicorn app:app \\\n    --bind unix:/tmp/a \\\r\n  -w 2": "gunicorn app:app --bind unix:/tmp/a -w 2",
		"a\nb": "a\nb",
	} {
		if got := text.Command(pasted); got != want {
			t.Errorf("%q becomes %q, want %q", pasted, got, want)
		}
	}
}

func TestMiscopied(t *testing.T) {
	t.Parallel()
	for command, says := range map[string]string{
		"$ php artisan up":                       "write php artisan up",
		"forge@web-1:~/app$ npm start":           "write npm start",
		"[root@web app]# npm start":              "write npm start",
		"command=php artisan queue:work":         "write php artisan queue:work",
		"ExecStart=/usr/bin/node a.js":           "write /usr/bin/node a.js",
		"# run the backups":                      "is a comment",
		`["node", "server.js"]`:                  "write node server.js",
		`[ -f /x ] || exit 0`:                    "",
		"web: node server.js":                    "write node server.js",
		"MAILTO=ops@example.com":                 "runs nothing",
		`echo "hi`:                               `" that is not closed`,
		"echo 'it's'":                            "' that is not closed",
		"php artisan migrate –force":             "has –force,",
		"run --name=“x y”":                       "has “x,",
		"A=1 B='a b' php x 2>&1 | logger -t '#'": "",
		"echo don\\'t":                           "",
		"echo hi # it's":                         "",
		`echo "$(date +"%F")"`:                   "",
		"echo '“quoted” – fine'":                 "",
		"echo 5 – 3":                             "",
		"awk -F: '{print $1}' /etc/passwd":       "",
		": > file":                               "",
		"$HOME/bin/app":                          "",
		"A=$(date) B":                            "",
	} {
		if got := text.Miscopied(command); says == "" && got != "" || !strings.Contains(got, says) {
			t.Errorf("%s: %q, want %q", command, got, says)
		}
	}
}

// The shell is the judge: whatever is said not to be closed, it refuses too.
func TestUnclosedAsTheShellSays(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	parts := []string{`"`, `'`, `\`, " ", "a", "#", "=", ";", "|", "&&", "$x", "(", ")", "{", "}", "<", "é", "\t"}
	for range 300 {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		command := strings.TrimSpace(b.String())
		if !strings.Contains(text.Miscopied(command), "not closed") {
			continue
		}
		if exec.Command(bash, "-n", "-c", command).Run() == nil {
			t.Errorf("seed %d: %s is refused, and a shell reads it", seed, command)
		}
	}
}
