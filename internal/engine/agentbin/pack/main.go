// Pack compresses programs of the agent for embedding: each FILE becomes FILE.zst, and FILE.sha256 has the sum of what was compressed.
//
//	pack [-fast] [-like PACKED] FILE...
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"log"
	"os"
	"os/exec"
	"strconv"

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
	var known []byte
	if *like != "" {
		var err error
		if known, err = unpacked(*like); err != nil {
			log.Fatalf("pack: %v", err)
		}
	}
	small := pressed
	if _, err := exec.LookPath("zstd"); err != nil || *fast {
		small = func(program, like []byte) ([]byte, error) { return encoded(program, like, level) }
	}
	for _, file := range flag.Args() {
		if err := pack(file, known, small); err != nil {
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

func pack(file string, like []byte, small func(program, like []byte) ([]byte, error)) error {
	program, err := os.ReadFile(file) //nolint:gosec // the files that it was called with
	if err != nil {
		return err
	}
	packed, err := small(program, like)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(program)
	if err := os.WriteFile(file+".sha256", []byte(hex.EncodeToString(sum[:])+"\n"), 0o644); err != nil { //nolint:gosec // read by whoever builds
		return err
	}
	return os.WriteFile(file+".zst", packed, 0o644) //nolint:gosec // read by whoever builds
}

// encoded compresses a program in this one.
func encoded(program, like []byte, level zstd.EncoderLevel) ([]byte, error) {
	options := []zstd.EOption{zstd.WithEncoderLevel(level), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1)}
	if like != nil {
		options = append(options, zstd.WithEncoderDictRaw(agentbin.Alike, like))
	}
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(program, nil), nil
}

// pressed compresses a program with the command zstd, which takes ten times as long and a tenth of the bytes off.
func pressed(program, like []byte) ([]byte, error) {
	argv := []string{"-qq", "--ultra", "-22", "--long=25", "-c"}
	if like != nil {
		file, err := os.CreateTemp("", "like")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.Remove(file.Name()) }()
		if _, err := file.Write(like); err != nil {
			return nil, err
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
		argv = append(argv, "--patch-from="+file.Name(), "--stream-size="+strconv.Itoa(len(program)))
	}
	cmd := exec.Command("zstd", argv...) //nolint:gosec // its options are above
	cmd.Stdin, cmd.Stderr = bytes.NewReader(program), os.Stderr
	return cmd.Output()
}
