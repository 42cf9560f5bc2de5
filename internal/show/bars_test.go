package show

import "testing"

func TestCourseOfMetrics(t *testing.T) {
	t.Parallel()
	of := func(values ...float64) []*float64 {
		out := make([]*float64, len(values))
		for i, v := range values {
			if v >= 0 {
				out[i] = &v
			}
		}
		return out
	}
	for want, values := range map[string][]*float64{
		"":        nil,
		" ":       of(-1),
		"▁▁":      of(0, 0),
		"▁▄ █":    of(0, 50, -1, 100),
		"▁▂▃▄▅▇█": of(0, 2, 4, 6, 8, 12, 14),
	} {
		if got := Bars(values); got != want {
			t.Errorf("%v is drawn as %q, want %q", values, got, want)
		}
	}
	if n := len([]rune(Bars(make([]*float64, 360)))); n != 40 {
		t.Errorf("360 values have %d bars", n)
	}
	if a, b, c := Summary(of(1, -1, 3, 2, -1), Percent); a+b+c != "2.0%2.0%3.0%" {
		t.Errorf("they are %s %s %s", a, b, c)
	}
	if a, _, c := Summary(of(-1), Percent); a+c != "--" {
		t.Errorf("nothing is %s %s", a, c)
	}
	for f, want := range map[float64]string{0: "0 B/s", 999: "999 B/s", 1000: "1.0 kB/s", 123456: "123 kB/s", 2_500_000: "2.5 MB/s", 999_999: "1.0 MB/s"} {
		if got := PerSecond(f); got != want {
			t.Errorf("%v is %q, want %q", f, got, want)
		}
	}
}
