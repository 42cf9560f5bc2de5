package dotenv_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/agent/dotenv"
)

const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQ=A/b+c\nsecond=line\n-----END PRIVATE KEY-----"

// What people write into .env files, from passwords that a shell changes to keys of several lines, is what the application gets.
func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dialect, text string
		want          map[string]string
		problems      int
	}{
		"a dollar sign (php)": {dotenv.PHP, "DB_PASSWORD=S3a$red9\nMAIL_PASSWORD=k$$7w\nLAST=1\n",
			map[string]string{"DB_PASSWORD": "S3a$red9", "MAIL_PASSWORD": "k$$7w", "LAST": "1"}, 0},
		"a dollar sign (node)": {dotenv.Node, "DB_PASSWORD=S3a$red9\nMAIL_PASSWORD=k$$7w\nLAST=1\n",
			map[string]string{"DB_PASSWORD": "S3a$red9", "MAIL_PASSWORD": "k$$7w", "LAST": "1"}, 0},
		"brackets (php)": {dotenv.PHP, "MAIL_URL=smtp://mailer:p(4)ss@mail.example.net:587\nLAST=1",
			map[string]string{"MAIL_URL": "smtp://mailer:p(4)ss@mail.example.net:587", "LAST": "1"}, 0},
		"brackets (node)": {dotenv.Node, "MAIL_URL=smtp://mailer:p(4)ss@mail.example.net:587\nLAST=1",
			map[string]string{"MAIL_URL": "smtp://mailer:p(4)ss@mail.example.net:587", "LAST": "1"}, 0},
		"several lines": {
			dotenv.Node, "# a key\nDOUBLE=\"" + key + "\"\nSINGLE='" + key + "'\nBACK=`" + key + "`\nAFTER=1\n",
			map[string]string{"DOUBLE": key, "SINGLE": key, "BACK": key, "AFTER": "1"}, 0,
		},
		"several lines (php)": {dotenv.PHP, "DOUBLE=\"" + key + "\"\nAFTER=1\n", map[string]string{"DOUBLE": key, "AFTER": "1"}, 0},
		"references": {
			dotenv.Node, "APP_URL=https://example.com\nASSET_URL=\"${APP_URL}\"\nFULL=${APP_URL}/app\nRAW='${APP_URL}'\nESCAPED=\\${APP_URL}\nUNKNOWN=${NONE}\n",
			map[string]string{
				"APP_URL": "https://example.com", "ASSET_URL": "https://example.com", "FULL": "https://example.com/app", "RAW": "${APP_URL}", "ESCAPED": "${APP_URL}",
				"UNKNOWN": "${NONE}",
			}, 0,
		},
		// dotenv-expand would replace $NAME as well, and passwords with it.
		"a bare name stays": {dotenv.Node, "NAME=x\nA=$NAME\nB=\"$NAME-1\"\nHASH=\"$2y$10$fbdLV2\"\nC=\"$$NAME\"\n",
			map[string]string{"NAME": "x", "A": "$NAME", "B": "$NAME-1", "HASH": "$2y$10$fbdLV2", "C": "$$NAME"}, 0},
		"references (php)": {
			dotenv.PHP, "A=1\nB=\"${A}2\"\nC='${A}'\nD=${A}${B}\nE=\"\\${A}\"\nF=$A\nG=${NONE}\nH=\"${A}",
			map[string]string{"A": "1", "B": "12", "C": "${A}", "D": "112", "E": "${A}", "F": "$A", "G": "${NONE}"}, 1,
		},
		"one bad line":              {dotenv.PHP, "A=1\nNOTE=two words\nB=\"a\\dc\"\nC='x\nD=4\n", map[string]string{"A": "1", "D": "4"}, 3},
		"two words (node)":          {dotenv.Node, "NOTE=two words # said\nB=1", map[string]string{"NOTE": "two words", "B": "1"}, 0},
		"comments":                  {dotenv.PHP, "# A=1\nB=2 # c\nC=\"3 # d\" # e\nD=4#5\n", map[string]string{"B": "2", "C": "3 # d", "D": "4"}, 0},
		"comments (node)":           {dotenv.Node, "# A=1\nB=2 # c\nC=\"3 # d\" # e\nD=4#5\n", map[string]string{"B": "2", "C": "3 # d", "D": "4"}, 0},
		"JSON":                      {dotenv.Node, `J={"a": "b#c"}` + "\nK='{\"a\": \"b#c\"}'", map[string]string{"J": `{"a": "b`, "K": `{"a": "b#c"}`}, 0},
		"line ends of Windows":      {dotenv.PHP, "A=1\r\nB=\"2\r\n3\"\r\n", map[string]string{"A": "1", "B": "2\n3"}, 0},
		"line ends of Windows (js)": {dotenv.Node, "A=1\r\nB=\"2\r\n3\"\r\n", map[string]string{"A": "1", "B": "2\n3"}, 0},
		"a byte order mark":         {dotenv.PHP, "\ufeffA=1\n", map[string]string{"A": "1"}, 0},
		"a byte order mark (node)":  {dotenv.Node, "\ufeffA=1\n", map[string]string{"A": "1"}, 0},
		"export":                    {dotenv.PHP, "export FIRST=1\nexport\tSECOND='2'\n", map[string]string{"FIRST": "1", "SECOND": "2"}, 0},
		"names of no process":       {dotenv.Node, "A.B=1\nC-D=2\n1E=3\nF=4\n", map[string]string{"F": "4"}, 0},
		"known":                     {dotenv.PHP, "PATH=/x\nP=${PATH}\n", map[string]string{"P": "/bin"}, 0},
		"commands": {dotenv.PHP, "A=$(id)\nB=`id`\nC=\"$(id)\"\nD=a;b&c\n",
			map[string]string{"A": "$(id)", "B": "`id`", "C": "$(id)", "D": "a;b&c"}, 0},
		"too long": {dotenv.Node, "A=" + strings.Repeat("x", 200_000) + "\nB=1", map[string]string{"B": "1"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := dotenv.Parse(c.dialect, c.text, map[string]string{"PATH": "/bin"})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if len(problems) != c.problems {
				t.Errorf("problems: %v", problems)
			}
			for _, p := range problems {
				if strings.Contains(p.String(), "words") {
					t.Errorf("%q shows a value", p)
				}
			}
		})
	}
}

// The line of a problem is where its entry begins.
func TestProblemSaysItsLine(t *testing.T) {
	t.Parallel()
	_, problems := dotenv.Parse(dotenv.PHP, "A=1\n\nB=\"1\n2\"\nC=two words\n", nil)
	if len(problems) != 1 || problems[0].String() != "line 5 of .env: the value of C has a space and needs quotes around it" {
		t.Errorf("%v", problems)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := dotenv.Environment(map[string]string{"A": "1", "C": "say \"hi\" $HOME", "E": key, "G": ""}, map[string]string{"A": "2"})
	want := "A=\"2\"\nC=\"say \\\"hi\\\" \\$HOME\"\nE=\"" + key + "\"\nG=\"\"\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := dotenv.Environment(nil, map[string]string{"PORT": "1"}); got != "PORT=\"1\"\n" {
		t.Errorf("without a .env: %s", got)
	}
}

// generate makes the text of a .env file from pieces that its languages treat in special ways.
func generate(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var b strings.Builder
	for i := range 1 + r.IntN(6) {
		b.WriteString(pick("", "", "", "", "export ", " ", "\t", "# "))
		b.WriteString(fmt.Sprintf("%s%d", pick("A", "B", "NAME_"), i))
		b.WriteString(pick("=", "=", "=", "=", "=", " = ", "= ", ": ", "", " ="))
		quote := pick("", "", "'", `"`, `"`, "`")
		b.WriteString(quote)
		for range r.IntN(6) {
			b.WriteString(pick("a", "b1", " ", "#", " #", "$", "${A0}", "${B1}", "${NONE}", "$A0", `\n`, `\\`, `\"`, `\'`, `\`, "'", `"`, "`", "=", "(4)", "é",
				"\t", "\n", "\n", "{}", ",", "%", "\u00a0"))
		}
		if r.IntN(8) > 0 {
			b.WriteString(quote)
		}
		b.WriteString(pick("", "", "", "", " # said", "#x", " ", " y"))
		b.WriteString(pick("\n", "\n", "\n", "\r\n", "\n\n"))
	}
	return b.String()
}

// texts returns generated files with a count.
func texts(n int) []string {
	r := rand.New(rand.NewPCG(33, 3))
	out := make([]string, n)
	for i := range out {
		out[i] = generate(r)
	}
	return out
}

// ask has a program read files, and returns what it found in each: nil where it refused the file.
func ask(t *testing.T, files []string, name string, args ...string) []map[string]*string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "files.json")
	raw, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, append(args, path)...)
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var found []map[string]*string
	if err := json.Unmarshal(said, &found); err != nil || len(found) != len(files) {
		t.Fatalf("%s answers for %d of %d files, %v: %.200s", name, len(found), len(files), err, said)
	}
	return found
}

// compare reads files as well, and compares what was found in those that are not refused.
func compare(t *testing.T, dialect string, files []string, found []map[string]*string, expand bool) {
	t.Helper()
	read, refused := 0, 0
	for i, file := range files {
		got, problems := dotenv.Parse(dialect, file, nil)
		if found[i] == nil {
			if refused++; len(problems) == 0 {
				t.Errorf("file %d is refused, and we see no problem:\n%s", i, file)
			}
			continue
		}
		want := map[string]string{}
		for name, value := range found[i] {
			if value != nil {
				want[name] = *value
			}
		}
		if expand && strings.Contains(file, "${") {
			continue // judged by TestParse: dotenv itself replaces nothing
		}
		read++
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("file %d %q: -want +got\n%s", i, file, diff)
		}
	}
	t.Logf("%d files read alike, %d refused", read, refused)
}

// Generated files are read as vlucas/phpdotenv reads them, which is Debian's package php-vlucas-phpdotenv.
func TestAsPHPDotenv(t *testing.T) {
	t.Parallel()
	const autoload = "/usr/share/php/Dotenv/autoload.php"
	if _, err := os.Stat(autoload); err != nil {
		t.Skip("php-vlucas-phpdotenv is not installed")
	}
	if _, err := exec.LookPath("php"); err != nil {
		t.Skip("php is not installed")
	}
	files := texts(4000)
	kept := files[:0]
	for _, f := range files {
		if strings.Count(f, `="`) < 2 { // before 5.6 a second one within a value of several lines confused it
			kept = append(kept, f)
		}
	}
	const program = `require $argv[1];
		echo json_encode(array_map(function ($text) {
			try { return (object) Dotenv\Dotenv::parse($text); } catch (Dotenv\Exception\InvalidFileException $e) { return null; }
		}, json_decode(file_get_contents($argv[2]), true)));`
	compare(t, dotenv.PHP, kept, ask(t, kept, "php", "-r", program, "--", autoload), false)
}

// Generated files are read as the npm package dotenv reads them; what it takes for its own place is DOTENV_MODULE, or an installed one.
func TestAsNodeDotenv(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	module := os.Getenv("HOSTLER_DOTENV_MODULE")
	if module == "" {
		dir := t.TempDir()
		cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--prefix", dir, "dotenv@18.0.10")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("npm can't install dotenv: %v %.300s", err, said)
		}
		module = filepath.Join(dir, "node_modules/dotenv")
	}
	files := texts(4000)
	const program = `const dotenv = require(process.argv[1]), fs = require('fs')
		console.log(JSON.stringify(JSON.parse(fs.readFileSync(process.argv[2])).map(text => dotenv.parse(text))))`
	compare(t, dotenv.Node, files, ask(t, files, "node", "-e", program, module), true)
}
