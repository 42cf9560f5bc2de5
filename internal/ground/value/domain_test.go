package value_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// A name is the same in Unicode and in its ASCII form, in any case, and with the dot of the root.
func TestSameDomain(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]bool{
		{"xn--blst-hra.example", "bløst.example"}:  true,
		{"xn--blst-hra.example", "BLØST.example"}:  true,
		{"xn--blst-hra.example", "bløst.example."}: true,
		{"shop.example.com", "SHOP.Example.COM"}:   true,
		{"shop.example.com", "shop.example.com."}:  true,
		{"faß.example", "xn--fa-hia.example"}:      true,
		{"faß.example", "fass.example"}:            false,
		{"blost.example", "bløst.example"}:         false,
		{"not a name", "NOT A NAME"}:               true,
		{"", "shop.example.com"}:                   false,
	} {
		if got := value.SameDomain(pair[0], pair[1]); got != want {
			t.Errorf("%q and %q: %v", pair[0], pair[1], got)
		}
	}
}
