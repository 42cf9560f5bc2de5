package account

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func TestParseHash(t *testing.T) {
	t.Parallel()
	salt, key := base64.RawStdEncoding.EncodeToString(make([]byte, 16)), base64.RawStdEncoding.EncodeToString(make([]byte, argonKey))
	hash := func(parameters string) string { return "$argon2id$v=19$" + parameters + "$" + salt + "$" + key }
	good := hash("m=19456,t=2,p=1")
	for _, text := range []string{good, hash("m=8,t=1,p=1"), hash("m=1048576,t=16,p=16")} {
		if h, err := parseHash(text); err != nil || len(h.salt) != 16 || len(h.key) != argonKey {
			t.Errorf("%q: %+v, %v", text, h, err)
		}
	}
	if h, err := parseHash(good); err != nil || h.memory != 19456 || h.passes != 2 || h.threads != 1 {
		t.Errorf("%q: %+v, %v", good, h, err)
	}
	for name, text := range map[string]string{
		"empty":                    "",
		"words before it":          "x" + good,
		"other kind":               strings.Replace(good, "argon2id", "argon2i", 1),
		"other version":            strings.Replace(good, "v=19", "v=16", 1),
		"no version":               strings.Replace(good, "$v=19", "", 1),
		"more after the threads":   hash("m=19456,t=2,p=1x"),
		"line feed":                hash("m=19456,t=2,p=1\n"),
		"fourth parameter":         hash("m=19456,t=2,p=1,data=AAAA"),
		"two parameters":           hash("m=19456,t=2"),
		"other order":              hash("t=2,m=19456,p=1"),
		"twice the same":           hash("m=19456,m=2,p=1"),
		"space":                    hash("m= 19456,t=2,p=1"),
		"plus sign":                hash("m=+19456,t=2,p=1"),
		"negative":                 hash("m=-1,t=2,p=1"),
		"leading zero":             hash("m=019456,t=2,p=1"),
		"hexadecimal":              hash("m=0x4c00,t=2,p=1"),
		"underscore":               hash("m=19_456,t=2,p=1"),
		"no number":                hash("m=,t=2,p=1"),
		"too little memory":        hash("m=7,t=2,p=1"),
		"too much memory":          hash("m=1048577,t=2,p=1"),
		"memory of more bits":      hash("m=4294986752,t=2,p=1"), // 19456 in 32 bits
		"too many passes":          hash("m=19456,t=17,p=1"),
		"threads of more bits":     hash("m=19456,t=2,p=257"), // 1 in 8 bits
		"padded key":               good + "=",
		"key of another alphabet":  strings.Replace(good, "$"+key, "$"+strings.Repeat("-", len(key)), 1),
		"line feed in the key":     good[:len(good)-4] + "\n" + good[len(good)-4:],
		"bits after the key":       good[:len(good)-1] + "B",
		"short key":                good[:len(good)-4],
		"long key":                 good + "AAAA",
		"short salt":               strings.Replace(good, salt, "AAAA", 1),
		"another part at the end":  good + "$",
		"another part in the salt": strings.Replace(good, salt, salt+"$"+salt, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if h, err := parseHash(text); !errors.Is(err, errHash) {
				t.Errorf("%q: %+v, %v, want errHash", text, h, err)
			}
		})
	}
}
