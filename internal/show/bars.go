package show

import (
	"math"
	"slices"
	"strconv"
)

// Summary returns the newest of the values, their average and the highest; - for each if there are none.
func Summary(values []*float64, text func(float64) string) (latest, average, highest string) {
	var known []float64
	for _, v := range values {
		if v != nil {
			known = append(known, *v)
		}
	}
	if len(known) == 0 {
		return "-", "-", "-"
	}
	sum := 0.0
	for _, v := range known {
		sum += v
	}
	return text(known[len(known)-1]), text(sum / float64(len(known))), text(slices.Max(known))
}

// Bars draws values as bars, at most 40, each as high as the highest of its values is compared with all. A place without values is empty.
func Bars(values []*float64) string {
	const width = 40
	bars := []rune("▁▂▃▄▅▆▇█")
	highest := 0.0
	for _, v := range values {
		if v != nil {
			highest = max(highest, *v)
		}
	}
	var out []rune
	for part := range slices.Chunk(values, max(1, (len(values)+width-1)/width)) {
		bar, top := ' ', 0.0
		for _, v := range part {
			if v != nil && (bar == ' ' || *v > top) {
				top = *v
				bar = bars[0]
				if highest > 0 {
					bar = bars[int(top/highest*float64(len(bars)-1))]
				}
			}
		}
		out = append(out, bar)
	}
	return string(out)
}

// Percent writes a share of a hundred.
func Percent(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) + "%" }

// Megabytes writes an amount of memory.
func Megabytes(f float64) string { return Number(f) + " MB" }

// Number writes a number to two places.
func Number(f float64) string { return strconv.FormatFloat(math.Round(100*f)/100, 'f', -1, 64) }

// PerMinute writes how often something happens.
func PerMinute(f float64) string {
	return Number(f) + "/min"
}

// PerSecond writes bytes a second with a unit of a thousand.
func PerSecond(f float64) string {
	units := []string{"B/s", "kB/s", "MB/s", "GB/s"}
	i := 0
	for ; f >= 999.5 && i < len(units)-1; i++ {
		f /= 1000
	}
	return strconv.FormatFloat(f, 'f', map[bool]int{true: 0, false: 1}[i == 0 || f >= 100], 64) + " " + units[i]
}
