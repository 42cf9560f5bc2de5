package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain turns this test's binary into the program itself when a shell runs it as hostler.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "hostler" {
		main()
		return
	}
	os.Exit(m.Run())
}

// shells are how each shell is asked for what it would offer after a line whose words are the arguments, without a terminal.
var shells = map[string]string{
	// _get_comp_words_by_ref is of the package bash-completion, which the script needs.
	"bash": `_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}; }
compopt() { :; }
source <(hostler completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
__start_hostler
printf '%s\n' "${COMPREPLY[@]}"`,
	// _describe is what zsh's own functions show a list with, of which they leave out what does not begin like the word.
	"zsh": `compdef() { :; }
_describe() { for c in "${completions[@]}"; do [[ $c == ${words[CURRENT]}* ]] && print -r -- "$c"; done }
source <(hostler completion zsh)
words=("$@") CURRENT=$#
_hostler`,
	"fish": `hostler completion fish | source
complete -C "$argv"`,
}

// Each shell completes nouns, verbs, flags, the values of enumerations, and the names of servers.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	panel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/api/orgs/acme/servers" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"1","attributes":{"name":"web-1"}},{"id":"2","attributes":{"name":"web-2"}},{"id":"3",`+
			`"attributes":{"name":"db-1"}}]}`)
	}))
	t.Cleanup(panel.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, home := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "hostler")); err != nil {
		t.Fatal(err)
	}
	for shell, script := range shells {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed")
			}
			for line, want := range map[string]string{
				"hostler redir":                                       "redirects",
				"hostler servers rebo":                                "reboot",
				"hostler servers show web":                            "web-1 web-2",
				"hostler servers create web-3 --ubuntu-v":             "--ubuntu-version",
				"hostler services nginx web-1 reboot --pla":           "--plan",
				"hostler servers list --output ":                      "csv json jsonl table wide yaml",
				"hostler nodes update a.example --balancer-method le": "least_conn",
			} {
				words := strings.Split(line, " ")
				args := []string{"-c", script, shell}
				if shell == "fish" { // which has no name for the program
					args, words = args[:2], []string{line}
				}
				c := exec.CommandContext(t.Context(), program, append(args, words...)...)
				c.Env = []string{
					"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "HOSTLER_URL=" + panel.URL, "HOSTLER_TOKEN=t", "HOSTLER_ORG=acme", "TERM=dumb",
				}
				out, err := c.CombinedOutput()
				var got []string
				for offered := range strings.Lines(string(out)) {
					name, _, _ := strings.Cut(strings.TrimSpace(offered), "\t") // fish and bash show what it is after a tab or blanks, zsh after a colon
					name, _, _ = strings.Cut(name, "  ")
					name, _, _ = strings.Cut(name, ":")
					got = append(got, strings.TrimSpace(name))
				}
				slices.Sort(got)
				if text := strings.Join(got, " "); text != want {
					t.Errorf("%q offers %q (%v), want %s\n%s", line, text, err, want, out)
				}
			}
		})
	}
}
