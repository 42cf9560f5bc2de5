// Pack compresses programs of the agent for embedding: each FILE becomes FILE.zst, and FILE.sha256 has the sum of what was compressed.
//
//	pack [-fast] FILE...
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"
)

// window is how far back in a program the compression may refer to (bytes): larger than an agent, so that all of it can be.
const window = 16 << 20

func main() {
	fast := flag.Bool("fast", false, "compress little, for programs of tests")
	flag.Parse()
	level := zstd.SpeedBestCompression
	if *fast {
		level = zstd.SpeedFastest
	}
	for _, file := range flag.Args() {
		if err := pack(file, level); err != nil {
			log.Fatalf("pack: %v", err)
		}
	}
}

func pack(file string, level zstd.EncoderLevel) error {
	program, err := os.ReadFile(file) //nolint:gosec // the files that it was called with
	if err != nil {
		return err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(program)
	if err := os.WriteFile(file+".sha256", []byte(hex.EncodeToString(sum[:])+"\n"), 0o644); err != nil { //nolint:gosec // read by whoever builds
		return err
	}
	return os.WriteFile(file+".zst", w.EncodeAll(program, nil), 0o644) //nolint:gosec // read by whoever builds
}
