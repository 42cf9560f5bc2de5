package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
)

type thingMeta struct {
	Size int        `json:"size"`
	Key  api.Secret `json:"key,omitzero"`
}

type lineMeta struct {
	Line string `json:"line,omitempty"`
}

// What a noun adds to meta stands beside the common members, and its secrets are shown to the caller alone.
func TestMetaHasWhatTheNounAdds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meta api.Meta
		want string
	}{
		"Own":       {api.Meta{Own: []any{thingMeta{Size: 2}}}, `{"size":2}`},
		"Both":      {api.Meta{SecretShown: true, Own: []any{thingMeta{Size: 2}, lineMeta{"a"}}}, `{"secret_shown":true,"size":2,"line":"a"}`},
		"EmptyOwn":  {api.Meta{SecretShown: true, Own: []any{lineMeta{}}}, `{"secret_shown":true}`},
		"OwnSecret": {api.Meta{Own: []any{&thingMeta{Key: api.SecretOf("s3cret")}}}, `{"size":0,"key":"s3cret"}`},
		"Nothing":   {api.Meta{}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			res := thing{ID: "1", Meta: &c.meta}
			api.Show(b.router, api.Operation{ID: "things.show", Method: "GET", Path: "/things/{thing}"}, api.Self,
				func(context.Context, api.Call[access.Actor]) (api.Document[thing], error) {
					return api.Document[thing]{Data: res}, nil
				})
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/things/1", nil)
			req.Header.Set("Authorization", "Bearer x")
			w := httptest.NewRecorder()
			b.router.ServeHTTP(w, req)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"meta":`+c.want+`}`) {
				t.Errorf("answered %d %s, want meta %s", w.Code, w.Body, c.want)
			}
			if raw, err := res.MarshalJSON(); err != nil || strings.Contains(string(raw), "s3cret") {
				t.Errorf("elsewhere it is %s, %v", raw, err)
			}
		})
	}
}
