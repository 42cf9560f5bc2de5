// Pack compresses programs of the agent for embedding: each FILE becomes FILE.zst, and FILE.sha256 has the sum of what was compressed.
//
//	pack [-fast] [-like PACKED] FILE...
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/hostlerhq/hostler/internal/engine/agentbin"
)

// window is how far back in a program the compression may refer to (bytes): larger than two agents, so that all of
// them can be.
const window = 32 << 20

func main() {
	fast := flag.Bool("fast", false, "compress little, for programs of tests")
	like := flag.String("like", "", "a packed program that shares much with these, and is unpacked before them")
	flag.Parse()
	level := zstd.SpeedBestCompression
	if *fast {
		level = zstd.SpeedFastest
	}
	options := []zstd.EOption{zstd.WithEncoderLevel(level), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1)}
	if *like != "" {
		program, err := unpacked(*like)
		if err != nil {
			log.Fatalf("pack: %v", err)
		}
		options = append(options, zstd.WithEncoderDictRaw(agentbin.Alike, program))
	}
	for _, file := range flag.Args() {
		if err := pack(file, options); err != nil {
			log.Fatalf("pack: %v", err)
		}
	}
}

func unpacked(file string) ([]byte, error) {
	packed, err := os.Open(file) //nolint:gosec // the file that it was called with
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }()
	return agentbin.Unpack(packed)
}

func pack(file string, options []zstd.EOption) error {
	program, err := os.ReadFile(file) //nolint:gosec // the files that it was called with
	if err != nil {
		return err
	}
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(program)
	if err := os.WriteFile(file+".sha256", []byte(hex.EncodeToString(sum[:])+"\n"), 0o644); err != nil { //nolint:gosec // read by whoever builds
		return err
	}
	return os.WriteFile(file+".zst", w.EncodeAll(program, nil), 0o644) //nolint:gosec // read by whoever builds
}
