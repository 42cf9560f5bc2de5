package nginxconf

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bareTree returns a tree without line numbers and quotes: what nginx gets.
func bareTree(tree []*Statement) string {
	var b strings.Builder
	for _, s := range tree {
		if len(s.Words) == 0 {
			continue
		}
		b.WriteString(key(s))
		if s.Block {
			b.WriteString(" {" + bareTree(s.Body) + "}")
		}
		b.WriteString(";")
	}
	return b.String()
}

// checkPrint checks what Print promises: the text parses back to the same tree, by the other parser too, and printing it again changes nothing.
func checkPrint(t *testing.T, text string) {
	t.Helper()
	tree, err := Read(text)
	if err != nil {
		return
	}
	once := Print(tree)
	again, err := Read(once)
	if err != nil {
		t.Fatalf("%q is printed as %q, which can't be read: %v", text, once, err)
	}
	if diff := cmp.Diff(bareTree(tree), bareTree(again)); diff != "" {
		t.Fatalf("%q is printed as %q, which is something else:\n%s", text, once, diff)
	}
	if twice := Print(again); twice != once {
		t.Fatalf("%q is printed as %q, and that as %q", text, once, twice)
	}
	for _, r := range second(tree) {
		if strings.Contains(r.What, "more than one way") || strings.Contains(r.What, "can't be read") {
			t.Fatalf("%q is printed as %q, which the readers take for different things", text, once)
		}
	}
}

var pieces = []string{
	"server", "location", "if", "return", "add_header", "x", " ", " ", "\n", "\t", ";", ";", "{", "}",
	"\"", "'", "\\", "\\\\", "\\\"", "\\'", "\\n", "\\t", "\\;", "$", "${", "$x", "#", "# c\n", "(", ")", "~", "*", "\u00a0", "ü", "\u2028", "\ufeff",
	"\r", "a b", "\\d+", "{2}", "=", "/", "..",
}

// TestWhatIsPrintedIsWhatWasRead tries texts of characters that parsers interpret differently.
func TestWhatIsPrintedIsWhatWasRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a b;", "a \"b c\";", "a 'b\"c';", "a \"b'c\\\"d\";", `a \;;`, `a b\ c;`, `a "\\";`, `a "\\n";`, `a '\\\n';`,
		"a \"x\ny\";", "a \"\\\n\";", `a ${b};`, `a x${b}y{ }`, `a } b;`, `a b};`, "a \"\";", "a #c\nb;", "# c", "a{b;}",
		"a {# c\n}", "a; # c", "a; b; # c", "if (\"x\") {}", "a \"b\"{}", `a "$";`, `a \$x;`, `a "\";";`, "a b\\", "a \"b\\", "a '\\\\'x;",
	} {
		checkPrint(t, text)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 6000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkPrint(t, b.String())
		checkPrint(t, "a "+b.String()+";")
		checkPrint(t, "a \""+b.String()+"\";")
	}
}

func FuzzPrint(f *testing.F) {
	f.Add("server { listen 80; }")
	f.Add(`a "b\"c" 'd' # e`)
	f.Fuzz(func(t *testing.T, text string) { checkPrint(t, text) })
}

// Challenges are answered before a server's own return or rewrite; a text that is read and sent back stays the same.
func TestChallengesComeFirst(t *testing.T) {
	t.Parallel()
	const leave = "if ($uri ~ ^/[.]well-known/acme-challenge/) {"
	const challenge = "location ^~ /.well-known/acme-challenge/ { alias /var/lib/hostler/acme-challenge/; }\n"
	for inside, want := range map[string]int{
		challenge + "return 301 https://other.example.com$request_uri;":                                1,
		"rewrite ^/old /new last;\n" + challenge + "return 301 https://other.example.com$request_uri;": 1,
		"if ($host = a.example.com) { return 403; }\n" + challenge:                                     1,
		"if ($host = a.example.com) { set $x 1; }\n" + challenge + "location / { return 403; }":        0,
		"return 301 https://other.example.com$request_uri;":                                            0,
	} {
		tree, err := Read("server {\nlisten 80;\nserver_name a.example.com;\n" + inside + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		composed := Compose(tree, bounds())
		first := strings.Index(composed, leave)
		if got := strings.Count(composed, leave); got != want || got == 1 && strings.Index(composed, "return") < first {
			t.Errorf("%d times: %s", got, composed)
		}
		again, err := Read(composed)
		if err != nil {
			t.Fatal(err)
		}
		if back := Compose(Plain(again, bounds()), bounds()); back != composed {
			t.Errorf("sent back, %s becomes %s", composed, back)
		}
	}
}

// FuzzJudge searches for inconsistent results: whatever is accepted can be composed, and is then accepted again.
func FuzzJudge(f *testing.F) {
	f.Add(server("location ~ \\.php$ { try_files $uri =404; }"))
	f.Fuzz(func(t *testing.T, text string) {
		b := bounds()
		if len(refusals(text, b)) > 0 {
			return
		}
		tree, err := Read(text)
		if err != nil {
			t.Fatal(err)
		}
		composed := Compose(Plain(tree, b), b)
		if got := refusals(composed, b); len(got) > 0 {
			t.Fatalf("%q is composed as %q, which is refused: %v", text, composed, got)
		}
	})
}

// TestWordsAreReadAsNginxReadsThem compares with a real nginx how it parses the original text and the printed one.
func TestWordsAreReadAsNginxReadsThem(t *testing.T) {
	t.Parallel()
	words := []string{
		`plain`, `"a b"`, `'a b'`, `"a\"b"`, `'a\'b'`, `"it's"`, `'say "so"'`, `a\"b`, `a\'b`, `a\\b`, `"a\\b"`,
		`"a\\\\b"`, `"a\nb"`, `a\nb`, `a\tb`, `"a\tb"`, `"a\rb"`, `a\ b`, `a\;b`, `a\{b`, `a}b`, `a"b`, `a'b'c`, `"a;b"`, `"a{b}c"`, `"a#b"`, `a#b`,
		`"\d+\.x"`, `\d+\.x`, `"a\\nb"`, `'\\\n'`, `"a` + "\n" + `b"`, `"a\` + "\n" + `b"`, `"ü – 日本"`, `ü`, `${host}x`, `"${host}{y}"`, `x${host}y`,
		`'\\'`, `"\\"`, `\\`, `"\\\""`, `"a\x\y\z"`, `'a\"b'`, `"a\'b"`, `"}"`, `")"`, `a)b`, `"\;"`, `\;`, `\#a`,
	}
	var raw, printed strings.Builder
	open := "server {\nlisten 80;\nserver_name shop.example;\ndefault_type text/plain;\n"
	raw.WriteString(open)
	printed.WriteString(open)
	var want []string
	for i, w := range words {
		text := "location = /" + string(rune('A'+i/26)) + string(rune('a'+i%26)) + " { return 200 " + w + "; }\n"
		raw.WriteString(text)
		tree, err := Read(text)
		if err != nil {
			t.Fatalf("%s: %v", w, err)
		}
		printed.WriteString(Print(tree))
		want = append(want, strings.ReplaceAll(tree[0].Body[0].Words[2].Text, "${host}", "shop.example"))
	}
	first, then := serve(t, raw.String()+"}\n", nil), serve(t, printed.String()+"}\n", nil)
	for i, w := range words {
		path := "/" + string(rune('A'+i/26)) + string(rune('a'+i%26))
		if _, got := first(path); got != want[i] {
			t.Errorf("nginx reads %s as %q, we as %q", w, got, want[i])
		}
		if _, got := then(path); got != want[i] {
			t.Errorf("nginx reads what is printed of %s as %q, not as %q", w, got, want[i])
		}
	}
}
