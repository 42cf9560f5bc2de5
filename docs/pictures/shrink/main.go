// Command shrink reduces pictures of the dashboard to 128 colours, which makes them a third as large: they are part of the program.
package main

import (
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"slices"
)

const colours = 128

type rgb [3]uint8

func main() {
	for _, file := range os.Args[1:] {
		if err := shrink(file); err != nil {
			log.Fatalf("shrink %s: %v", file, err)
		}
	}
}

func shrink(file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	picture, err := png.Decode(in)
	_ = in.Close()
	if err != nil {
		return err
	}
	count := map[rgb]int{}
	each(picture, func(_, _ int, c rgb) { count[c]++ })
	palette, index := choose(count)
	out := image.NewPaletted(picture.Bounds(), palette)
	each(picture, func(x, y int, c rgb) { out.SetColorIndex(x, y, index[c]) })
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(to, out); err != nil {
		_ = to.Close()
		return err
	}
	return to.Close()
}

func each(picture image.Image, visit func(x, y int, c rgb)) {
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c, _ := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			visit(x, y, rgb{c.R, c.G, c.B})
		}
	}
}

// choose cuts the colours into boxes, each time the one that is widest in a channel. The most frequent colour of a box stands for all of it, so that
// surfaces keep theirs.
func choose(count map[rgb]int) (color.Palette, map[rgb]uint8) {
	all := make([]rgb, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b rgb) int { return slices.Compare(a[:], b[:]) }) // the same palette each time
	boxes := [][]rgb{all}
	for len(boxes) < colours {
		widest, channel, most := 0, 0, 0
		for i, box := range boxes {
			if at, wide := width(box); wide > most {
				widest, channel, most = i, at, wide
			}
		}
		if most == 0 {
			break
		}
		box := boxes[widest]
		slices.SortStableFunc(box, func(a, b rgb) int { return int(a[channel]) - int(b[channel]) })
		middle := (int(box[0][channel]) + int(box[len(box)-1][channel])) / 2
		at := slices.IndexFunc(box, func(c rgb) bool { return int(c[channel]) > middle })
		boxes[widest] = box[:at]
		boxes = append(boxes, box[at:])
	}
	var palette color.Palette
	index := map[rgb]uint8{}
	for i, box := range boxes {
		best := box[0]
		for _, c := range box {
			if count[c] > count[best] {
				best = c
			}
			index[c] = uint8(i) //nolint:gosec // there are 128
		}
		palette = append(palette, color.RGBA{best[0], best[1], best[2], 255})
	}
	return palette, index
}

// width returns the channel in which the colours of a box differ most, and by how much.
func width(box []rgb) (channel, most int) {
	for i := range 3 {
		least, greatest := uint8(255), uint8(0)
		for _, c := range box {
			least, greatest = min(least, c[i]), max(greatest, c[i])
		}
		if wide := int(greatest) - int(least); wide > most {
			channel, most = i, wide
		}
	}
	return channel, most
}
