package cloud_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// recorder keeps the forms of calls, each once, and their signatures.
type recorder struct {
	next http.RoundTripper

	mu         sync.Mutex
	forms      map[string]bool
	signatures []string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	values, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.forms[values.Encode()] = true
	r.signatures = append(r.signatures, req.Header.Get("Authorization"))
	r.mu.Unlock()
	return r.next.RoundTrip(req)
}

// EC2 is sent the forms that Amazon's own client sends: those of testdata/ec2.forms were recorded from aws-sdk-go-v2/service/ec2 v1.344.2, with these calls.
func TestFormsOfEC2(t *testing.T) {
	t.Parallel()
	catalog, err := cloud.NewCatalog()
	if err != nil {
		t.Fatal(err)
	}
	fake := cloudtest.New(cloud.AWS)
	t.Cleanup(fake.Close)
	seen := &recorder{next: http.DefaultTransport, forms: map[string]bool{}}
	clouds := &cloud.Clouds{HTTP: &http.Client{Transport: seen}, Catalog: catalog, Bases: map[string]string{cloud.AWS: fake.URL}}
	c, err := clouds.Open(cloud.Account{Provider: cloud.AWS, Key: "AKIDEXAMPLE", Secret: secret.String("signs")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, region := t.Context(), fake.Region()
	network, err := c.CreateNetwork(ctx, region, "mine")
	if err != nil {
		t.Fatal(err)
	}
	order := cloud.Order{Name: "web-1", Region: region, Size: "new-size", System: "24.04", UserData: script}
	made, err := c.Create(ctx, order)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.HasRegion(ctx, "xx-new-1") // which is in no shipped list
	_, _ = c.Offers(ctx, region)
	order.Network = network.ID
	_, _ = c.Create(ctx, order) // has no subnet, and is refused
	order.Subnet = "subnet-1"
	_, _ = c.Create(ctx, order)
	_, _ = c.Find(ctx, region, "web-1")
	_, _, _ = c.Machine(ctx, region, made.ID)
	_ = c.Cycle(ctx, region, made.ID)
	_ = c.Destroy(ctx, region, made.ID)

	var got []string
	for f := range seen.forms {
		got = append(got, f)
	}
	slices.Sort(got)
	raw, err := os.ReadFile("testdata/ec2.forms")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(raw)), "\n"), got); diff != "" {
		t.Errorf("forms (-Amazon's client +ours):\n%s", diff)
	}
	signed := regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\d{8}/[a-z0-9-]+/ec2/aws4_request, ` +
		`SignedHeaders=content-length;content-type;host;x-amz-date, Signature=[0-9a-f]{64}$`)
	for _, s := range seen.signatures {
		if !signed.MatchString(s) {
			t.Errorf("signed as %q", s)
		}
	}
}
