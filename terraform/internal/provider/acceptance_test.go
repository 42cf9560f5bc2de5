package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hostlerhq/hostler/client"
)

var factories = map[string]func() (tfprotov6.ProviderServer, error){"hostler": providerserver.NewProtocol6WithError(New("test")())}

func TestMain(m *testing.M) {
	var things map[string]string
	if json.Unmarshal([]byte(os.Getenv("HOSTLER_THINGS")), &things) == nil {
		for name, v := range map[string]string{"HOSTLER_URL": things["panel"], "HOSTLER_TOKEN": things["token"], "HOSTLER_ORG": "acme"} {
			_ = os.Setenv(name, v)
		}
	}
	os.Exit(m.Run())
}

// panel is the installation that make terraform opens, and what is in it.
type panel struct {
	things map[string]string
	client *client.Client
}

func open(t *testing.T) panel {
	t.Helper()
	raw := os.Getenv("HOSTLER_THINGS")
	if raw == "" {
		t.Skip("make terraform")
	}
	p := panel{}
	if err := json.Unmarshal([]byte(raw), &p.things); err != nil {
		t.Fatal(err)
	}
	var err error
	if p.client, err = client.New(p.things["panel"], p.things["token"]); err != nil {
		t.Fatal(err)
	}
	return p
}

var placeholder = regexp.MustCompile(`@[a-z0-9]+@`)

// fill puts ids into a text: @server@.
func (p panel) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		v, ok := p.things[strings.Trim(name, "@")]
		if !ok {
			panic("nothing is called " + name)
		}
		return v
	})
}

func (p panel) config(name, body string) string {
	return p.fill(fmt.Sprintf("resource \"hostler_%s\" \"it\" {\n%s\n}\n", name, body))
}

// failNext has the next work fail.
func (p panel) failNext(t *testing.T) {
	t.Helper()
	res, err := http.Get(p.things["fail"])
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

// subject is a resource whose life is tried.
type subject struct {
	// parents are in each configuration; first and second are two that follow each other.
	parents, first, second string
	// replaced is set if the second can only be had with another one.
	replaced bool
	// drift is what is changed by hand, in the body of a change.
	drift string
	// unread are the attributes that the API does not answer, secret is a secret in both.
	unread []string
	secret string
	// stays is set for what is always there.
	stays bool
}

const (
	onServer = "server_id = \"@server@\""
	onSite   = onServer + "\nsite_id = \"@site@\""
)

func find(t *testing.T, name string) noun {
	t.Helper()
	i := slices.IndexFunc(nouns, func(n noun) bool { return n.Name == name })
	if i < 0 {
		t.Fatalf("there is no resource %s", name)
	}
	return nouns[i]
}

// Each resource has a life: made, imported, changed, changed by hand and put right, deleted by hand and made again, destroyed. Its plan is empty after each.
func TestLives(t *testing.T) {
	p := open(t)
	for name, s := range subjects {
		t.Run(name, func(t *testing.T) {
			if !strings.HasPrefix(name, "organization") { // what changes the organization changes what others show
				t.Parallel()
			}
			n, address, at := find(t, name), "hostler_"+name+".it", map[string]string{}
			first, second := p.config(name, s.parents+"\n"+s.first), p.config(name, s.parents+"\n"+s.second)
			action := plancheck.ResourceActionUpdate
			if s.replaced {
				action = plancheck.ResourceActionReplace
			}
			by := func(c *call, body any) {
				t.Helper()
				path, err := fill(c.Path, at)
				if err != nil {
					t.Fatal(err)
				}
				a, err := p.client.Call(t.Context(), c.Method, path, body)
				if err != nil {
					t.Fatalf("by hand: %s %s: %v", c.Method, path, err)
				}
				p.settled(t, a.Event)
			}
			sees := func(st *terraform.State) error {
				of := st.RootModule().Resources[address].Primary.Attributes
				for _, x := range n.Parents {
					at[x.In] = of[x.Name]
				}
				if n.ID != "" {
					at[n.ID] = of["id"]
				}
				raw, err := json.Marshal(st.RootModule())
				if err == nil && s.secret != "" && strings.Contains(string(raw), s.secret) {
					err = fmt.Errorf("the state has the secret: %s", raw)
				}
				return err
			}
			steps := []resource.TestStep{{Config: first, Check: sees}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: s.unread, ImportStateVerifyIdentifierAttribute: firstOf(n),
				ImportStateIdFunc: func(*terraform.State) (string, error) { return importID(n, at), nil },
			}}
			if s.second != "" {
				steps = append(steps, resource.TestStep{Config: second, Check: sees, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, action),
				}}})
			} else {
				second = first
			}
			if s.drift != "" {
				steps = append(steps, resource.TestStep{
					PreConfig: func() { by(n.Update, json.RawMessage(p.fill(s.drift))) }, Config: second, Check: sees,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				})
			}
			if !s.stays {
				steps = append(steps, resource.TestStep{
					PreConfig: func() { by(n.Delete, nil) }, Config: second, Check: sees,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)}},
				})
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories, Steps: steps,
				CheckDestroy: func(*terraform.State) error {
					if s.stays {
						return nil
					}
					return p.isGone(n, at)
				},
			})
		})
	}
}

func firstOf(n noun) string {
	if n.ID != "" {
		return "id"
	}
	return n.Parents[0].Name
}

func importID(n noun, at map[string]string) string {
	var parts []string
	for _, x := range n.Parents {
		parts = append(parts, at[x.In])
	}
	if n.ID != "" {
		parts = append(parts, at[n.ID])
	}
	return strings.Join(parts, "/")
}

func (p panel) isGone(n noun, at map[string]string) error {
	a, err := newAPI(p.things["panel"], p.things["token"])
	if err != nil {
		return err
	}
	if _, err := a.read(context.Background(), n, at); !gone(err) {
		return fmt.Errorf("it is still there: %v", err)
	}
	return nil
}

// settled waits for the work of an event.
func (p panel) settled(t *testing.T, event string) {
	t.Helper()
	a, err := newAPI(p.things["panel"], p.things["token"])
	if err == nil {
		err = a.wait(t.Context(), "acme", event)
	}
	if err != nil && !strings.Contains(err.Error(), "no event") {
		t.Fatal(err)
	}
}
