package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

const (
	// mostOff is the part of the pixels of any square that may differ from a golden, and farOff how much a pixel has to differ to count, of 255.
	mostOff = 0.05
	farOff  = 24
	square  = 40 // pixels
)

// TestComponents compares the page of all components with its pictures in testdata/components, in light and dark. Letters are drawn by the
// browser of a release of Debian, so that each has its own pictures; those of 13 are the same as those of 12.
func TestComponents(t *testing.T) {
	t.Parallel()
	require(t)
	release, err := debian()
	if err != nil {
		t.Fatal(err)
	}
	goldens := filepath.Join("testdata", "components", release)
	if _, err := os.Stat(goldens); err != nil && !*update {
		t.Skipf("there are no pictures for %s (go test ./test/browser -run TestComponents -update)", release)
	}
	dir := os.Getenv("HOSTLER_COMPONENTS") // a build that is there
	if dir == "" {
		dir = t.TempDir()
		build := exec.CommandContext(t.Context(), "npx", "vite", "build", "--mode", "components", "--outDir", dir, "--logLevel", "warn")
		build.Dir = "../../web"
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build the page of components: %v\n%s", err, out)
		}
	}
	files := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer files.Close()
	got := shots(t)
	input, err := json.Marshal(map[string]any{"url": files.URL, "browser": browser, "shots": got})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := node(t.Context(), "components.mjs", input); err != nil {
		t.Fatalf("components.mjs: %v\n%s", err, out)
	}
	for _, theme := range []string{"light", "dark"} {
		has, err := os.ReadFile(filepath.Join(got, theme+".png"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(goldens, theme+".png")
		want, err := os.ReadFile(path)
		if err == nil {
			err = compare(want, has)
		}
		if err == nil {
			continue
		}
		if !*update {
			t.Errorf("%s: %v; HOSTLER_SHOTS=dir keeps the picture, -update takes it", path, err)
			continue
		}
		if err := os.MkdirAll(goldens, 0o755); err != nil {
			t.Fatal(err)
		}
		if has, err = small(has); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, has, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// small returns a picture with fewer colours, each nearer to its own than farOff, which takes less room.
func small(picture []byte) ([]byte, error) {
	in, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("decode the picture: %w", err)
	}
	out := image.NewNRGBA(in.Bounds())
	near := func(v uint32) uint8 { return uint8(min(255, (v>>8+8)/16*16)) }
	for y := in.Bounds().Min.Y; y < in.Bounds().Max.Y; y++ {
		for x := in.Bounds().Min.X; x < in.Bounds().Max.X; x++ {
			r, g, b, _ := in.At(x, y).RGBA()
			out.SetNRGBA(x, y, color.NRGBA{near(r), near(g), near(b), 255})
		}
	}
	var text bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&text, out)
	return text.Bytes(), err
}

// debian returns the release of this machine, such as debian-13.
func debian() (string, error) {
	about, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", err
	}
	value := func(name string) string {
		if m := regexp.MustCompile(`(?m)^` + name + `="?([\w.-]+)"?$`).FindSubmatch(about); m != nil {
			return string(m[1])
		}
		return "unknown"
	}
	return value("ID") + "-" + value("VERSION_ID"), nil
}

// compare returns an error if two pictures differ in size, or in more than mostOff of the pixels of a square.
func compare(want, has []byte) error {
	a, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		return fmt.Errorf("decode the golden: %w", err)
	}
	b, err := png.Decode(bytes.NewReader(has))
	if err != nil {
		return fmt.Errorf("decode the picture: %w", err)
	}
	size := a.Bounds().Size()
	if size != b.Bounds().Size() {
		return fmt.Errorf("it is %v, and was %v", b.Bounds().Size(), size)
	}
	squares := map[image.Point]int{}
	for y := range size.Y {
		for x := range size.X {
			if differs(a, b, x, y) {
				squares[image.Pt(x/square, y/square)]++
			}
		}
	}
	off, worst := 0, image.Point{}
	for at, n := range squares {
		if n > off {
			off, worst = n, at.Mul(square)
		}
	}
	if ratio := float64(off) / (square * square); ratio > mostOff {
		return fmt.Errorf("%d squares of %d pixels differ; of the worst, at %v, %.0f%% of the pixels, and %.0f%% may", len(squares), square, worst,
			100*ratio, 100*mostOff)
	}
	return nil
}

func differs(a, b image.Image, x, y int) bool {
	r, g, bl, _ := a.At(x, y).RGBA()
	r2, g2, bl2, _ := b.At(x, y).RGBA()
	far := func(v, w uint32) bool { return max(v, w)-min(v, w) > farOff<<8 }
	return far(r, r2) || far(g, g2) || far(bl, bl2)
}
