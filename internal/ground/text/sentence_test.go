package text_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// A sentence begins with a capital letter, except where that would change an address or a name.
func TestSentences(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":                                     "",
		" \n":                                  "",
		"nginx refuses it":                     "Nginx refuses it.",
		"not found":                            "Not found.",
		"don't know!":                          "Don't know!",
		"stopped, and ended":                   "Stopped, and ended.",
		"über 5 MB":                            "Über 5 MB.",
		"x":                                    "X.",
		"http://shop.example.com/ answers 500": "http://shop.example.com/ answers 500.",
		"shop.example.com does not resolve":    "shop.example.com does not resolve.",
		"/etc/nginx/nginx.conf is missing":     "/etc/nginx/nginx.conf is missing.",
		"php8.4-fpm did not start":             "php8.4-fpm did not start.",
		"script: exit status 1":                "Script: exit status 1.",
		"--force is needed":                    "--force is needed.",
		"main() is not there":                  "main() is not there.",
		"\xff\xfe is no text":                  "\xff\xfe is no text.",
		"Already one.":                         "Already one.",
	} {
		if got := text.Sentence(said); got != want {
			t.Errorf("Sentence(%q) is %q, want %q", said, got, want)
		}
	}
}
