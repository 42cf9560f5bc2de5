package project

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agent/dotenv"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

// A database's password reaches the application as it is, whatever is in it.
func TestPasswordsSurviveDotenv(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"simple", "p'a\"ss$x", "back`tick", `end\`, "${HOME}", "a#b", "a b", `C:\new`, "p(4)ss", "k$$7w", `it's`,
		`"quoted"`, "'single'", "é"} {
		for kind, dialect := range map[string]string{sitetype.Laravel: dotenv.PHP, sitetype.WordPress: dotenv.PHP,
			sitetype.Nuxt: dotenv.Node, sitetype.Custom: dotenv.Node} {
			text := "A=1\nDB_PASSWORD=" + dotenvQuote(kind, password) + "\nB='2'\n"
			got, problems := dotenv.Parse(dialect, text, map[string]string{"HOME": "/root"})
			if got["DB_PASSWORD"] != password || got["B"] != "2" || len(problems) > 0 {
				t.Errorf("%s of %s is %q, %v", password, kind, got["DB_PASSWORD"], problems)
			}
		}
	}
}
