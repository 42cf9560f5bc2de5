package letters_test

import (
	"testing"

	"github.com/hostlerhq/hostler/test/letters"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ document, want string }{
		{`{"message":"The port is bad.","errors":{"port":["The port is bad."]},"codes":{"port":[{"code":"port","field":"port","says":"is bad."}]}}`,
			`{"codes":{"port":[{"code":"port","field":"port","says":"ɘɢ ɑɐɓ."}]},"errors":{"port":["ɽɗɔ ɟɞɡɣ ɘɢ ɑɐɓ."]},"message":"ɽɗɔ ɟɞɡɣ ɘɢ ɑɐɓ."}`},
		{`{"data":{"id":"1","attributes":{"message":"mine","reason":"mine"},"meta":{"operation":{"state":"failed","reason":"No.","reason_code":"failed"}}}}`,
			`{"data":{"attributes":{"message":"mine","reason":"mine"},"id":"1","meta":{"operation":{"reason":"ɷɞ.","reason_code":"failed","state":"failed"}}}}`},
	} {
		got, err := letters.Document([]byte(tt.document))
		if err != nil || string(got) != tt.want+"\n" {
			t.Errorf("%v\n%s, want\n%s", err, got, tt.want)
		}
	}
	if all := "The quick brown fox jumps over the lazy dog, PACK MY BOX 12."; letters.Show(letters.Hide(all)) != all {
		t.Errorf("%q", letters.Show(letters.Hide(all)))
	}
}
