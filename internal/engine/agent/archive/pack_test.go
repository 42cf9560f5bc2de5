package archive_test

import (
	"bytes"
	"crypto/md5" //nolint:gosec // only to make text
	"encoding/hex"
	"fmt"
	"io"
	"testing"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
)

// dumpLike returns text that compresses by about half, like dumps of human text.
func dumpLike(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "INSERT INTO `bulk` VALUES\n(%d,'", i)
		for j := range 30 {
			sum := md5.Sum(fmt.Appendf(nil, "%d %d", i, j)) //nolint:gosec // see the import
			b.WriteString(hex.EncodeToString(sum[:]))
		}
		b.WriteString("');\n")
	}
	return b.Bytes()[:size]
}

// BenchmarkPack measures what the agent does with a dump between its program and the network: count, compress, encrypt, hash.
func BenchmarkPack(b *testing.B) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		b.Fatal(err)
	}
	text := dumpLike(64 << 20)
	for _, part := range []string{"count", "pack", "both"} {
		b.Run(part, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				packer, err := archive.NewPacker(io.Discard, identity.Recipient().String())
				if err != nil {
					b.Fatal(err)
				}
				var to io.Writer = packer
				switch counter := archive.NewCounter(false); part {
				case "count":
					to = counter
				case "both":
					to = io.MultiWriter(counter, packer)
				}
				for at := 0; at < len(text); at += 256 << 10 {
					_, _ = to.Write(text[at:min(at+256<<10, len(text))])
				}
				if err := packer.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
