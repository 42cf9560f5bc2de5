package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/client"
)

// change makes a changing request: a plan for --dry-run, else the work, waited for with --wait. read is where the resource is seen afterwards;
// an empty one is taken from the answer's id below list.
func (s *Session) change(ctx context.Context, method, path string, body any, list, read string, columns ...column) error {
	if s.DryRun {
		return s.plan(ctx, method, path, body)
	}
	res, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	if read == "" && res.ID != "" {
		read = list + "/" + res.ID
	}
	if s.Wait && read != "" {
		if res, err = s.await(ctx, read); err != nil {
			return err
		}
	}
	if res.ID == "" { // gone, or on its way
		if s.Output == "json" {
			return s.json(map[string]bool{"accepted": true})
		}
		_, _ = fmt.Fprintln(s.out, map[bool]string{true: "Done.", false: "Accepted."}[s.Wait])
		return nil
	}
	return s.show([]client.Resource{res}, columns...)
}

// plan shows what a change would do.
func (s *Session) plan(ctx context.Context, method, path string, body any) error {
	var doc struct {
		Meta struct {
			Plan struct {
				Servers []struct {
					ServerID string `json:"server_id"`
					Files    []struct {
						Path string `json:"path"`
						Diff string `json:"diff"`
					} `json:"files"`
					Packages []string `json:"packages"`
					Actions  []string `json:"actions"`
				} `json:"servers"`
			} `json:"plan"`
		} `json:"meta"`
	}
	if err := s.client.Do(ctx, method, path+"?dry_run=true", body, &doc); err != nil {
		return err
	}
	if s.Output == "json" {
		return s.json(doc.Meta.Plan)
	}
	if len(doc.Meta.Plan.Servers) == 0 {
		_, _ = fmt.Fprintln(s.out, "Nothing would change on a server.")
	}
	for _, server := range doc.Meta.Plan.Servers {
		_, _ = fmt.Fprintf(s.out, "On server %s:\n", server.ServerID)
		for _, f := range server.Files {
			_, _ = fmt.Fprintf(s.out, "  file %s\n%s", plain(f.Path), plain(f.Diff))
		}
		if len(server.Packages) > 0 {
			_, _ = fmt.Fprintf(s.out, "  packages %s\n", strings.Join(server.Packages, " "))
		}
		for _, a := range server.Actions {
			_, _ = fmt.Fprintf(s.out, "  then %s\n", plain(a))
		}
	}
	return nil
}

const pollEvery = 200 * time.Millisecond

// await shows the work on a resource until it ended. A resource that is gone ended well: that is what deleting does.
func (s *Session) await(ctx context.Context, path string) (client.Resource, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	began, last := time.Now(), ""
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		res, err := s.client.One(ctx, http.MethodGet, path, nil)
		if client.IsStatus(err, http.StatusNotFound) {
			return client.Resource{}, nil
		}
		if err != nil && ctx.Err() == nil {
			return res, err
		}
		op := res.Meta.Operation
		if err == nil && op.Ended() {
			if op != nil && op.State != "succeeded" {
				return res, &ExitError{CodeFailed, fmt.Sprintf("%s: %s", op.State, plain(op.Reason))}
			}
			return res, nil
		}
		if err == nil {
			if now := strings.TrimSpace(op.State + " " + op.Step + " " + op.Reason); now != last {
				last = now
				_, _ = fmt.Fprintf(s.err, "%6s  %s\n", time.Since(began).Round(time.Second), plain(now))
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return res, &ExitError{CodeTimeout, fmt.Sprintf("not done after %s; it goes on: %s", s.Timeout, last)}
			}
			return res, ctx.Err()
		}
	}
}

// raw is an attribute as the API has it.
func raw(r client.Resource, name string) any {
	var all map[string]any
	_ = json.Unmarshal(r.Attributes, &all) // an attribute that is not there is nil
	return all[name]
}
