// Package cloudtest has stand-ins for the HTTP APIs of providers, made from their public descriptions: the calls that Hostler makes, their pages and their
// ways to refuse. No provider was called to make them.
package cloudtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
)

// A Fault is what goes wrong with a call.
type Fault int

// The faults.
const (
	// Limited refuses with a limit on calls.
	Limited Fault = iota + 1
	// Broken answers 503 and does nothing.
	Broken
	// Silent answers nothing until the caller gives up.
	Silent
	// Partial sends half of the answer to what was done.
	Partial
	// Lost does what it is asked, and ends the connection.
	Lost
	// Forbidden refuses what the token may not do.
	Forbidden
)

// Refused begins the tokens that no fake accepts.
const Refused = "refused"

// pageSize is small, so that lists have pages.
const pageSize = 2

// Default is the network that each account begins with, in the first region of its provider.
const Default = "default"

type network struct {
	id           int
	name, region string
}

// account is what belongs to a token.
type account struct {
	networks []network
	faults   []Fault
	calls    []string
	// group is 1 if the account has the security group of AWS, 2 if that lets something in.
	group int
	store
}

// Cloud stands in for one provider. Every token that does not begin with Refused opens an account of its own.
type Cloud struct {
	// URL is the address of the API.
	URL string
	// Boot is called with each new server, and returns its address; empty is one of this machine. Gone is called with each that is destroyed. Neither
	// may call the stand-in.
	Boot func(m Machine) (address string)
	Gone func(m Machine)
	// RetryAfter is what a limit says, default 42 seconds.
	RetryAfter string

	provider string
	api      dialect
	regions  []string
	server   *httptest.Server
	mu       sync.Mutex
	accounts map[string]*account
	count    int // of servers
}

// dialect is how one provider puts what they all do.
type dialect struct {
	// regions and networks are the paths of the two lists.
	regions, networks string
	// read reads a call, where that is no method, path and JSON.
	read func(req *http.Request) call
	// others are lists that are empty.
	others  []string
	shop    shop
	region  func(code string) any
	network func(n network) any
	// list wraps a page of a list.
	list func(name string, rows []any, page, pages int, base string) any
	// created wraps a new network, with the status of the answer.
	created func(n any) (int, any)
	// refused is a refusal of a code and a text.
	refused func(status int, code, text string) any
	// asked reads the region and the name of a new network.
	asked func(body map[string]any) (region, name string)
	// unique is set if names of networks are unique in an account, inside if a list of networks is that of a region.
	unique, inside bool
}

// call is a request to a fake.
type call struct {
	token, method, path string
	page                int
	// filter is the name in a search, region the place that is asked about.
	filter, region string
	body           map[string]any
	form           url.Values // at AWS
}

// regionPage returns how many of n regions are on a page; EC2 has no pages of them.
func (d dialect) regionPage(n int) int {
	if d.inside {
		return n
	}
	return 20
}

func readJSON(req *http.Request) call {
	token, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	c := call{token: token, method: req.Method, path: req.URL.Path, filter: req.URL.Query().Get("name")}
	if label := req.URL.Query().Get("label"); label != "" {
		c.filter = label
	}
	var filter struct{ Label string }
	if json.Unmarshal([]byte(req.Header.Get("X-Filter")), &filter) == nil && filter.Label != "" {
		c.filter = filter.Label
	}
	number := req.URL.Query().Get("page")
	if cursor := req.URL.Query().Get("cursor"); cursor != "" {
		number = strings.TrimPrefix(cursor, "page")
	}
	c.page, _ = strconv.Atoi(number)
	if req.Method != http.MethodGet {
		_ = json.NewDecoder(req.Body).Decode(&c.body) // a body that can't be read has no name
	}
	return c
}

// Credential is what a credential for an account is created with.
func (c *Cloud) Credential(token string) map[string]any {
	if c.provider == cloud.AWS {
		return map[string]any{"name": token, "provider": c.provider, "key": token, "secret": "signs"}
	}
	return map[string]any{"name": token, "provider": c.provider, "secret": token}
}

// Place is the part of a request for a server that is named as the provider: the first region, and a size that the shipped list has.
func (c *Cloud) Place() map[string]any {
	size := map[string]string{
		cloud.DigitalOcean: "s-1vcpu-2gb", cloud.Hetzner: "cx22", cloud.Vultr: "vc2-1c-2gb", cloud.Akamai: "g6-standard-1",
		cloud.AWS: "t3.small",
	}
	place := map[string]any{"region_id": c.Region(), "size_id": size[c.provider]}
	if c.provider == cloud.Hetzner {
		place["enable_daily_backups"] = true
	}
	return place
}

// New starts a stand-in. It runs until Close.
func New(provider string) *Cloud {
	c := &Cloud{provider: provider, api: dialects()[provider], accounts: map[string]*account{}}
	catalog, err := cloud.NewCatalog()
	if err != nil || c.api.list == nil {
		panic(fmt.Sprintf("no stand-in for %s: %v", provider, err))
	}
	for _, p := range catalog.Providers {
		if p.Slug == provider {
			for _, r := range p.Regions {
				c.regions = append(c.regions, r.Code)
			}
		}
	}
	c.regions = append(c.regions, "new1") // one that is newer than the shipped list
	c.server = httptest.NewServer(http.HandlerFunc(c.serve))
	c.URL = c.server.URL
	return c
}

// Close stops the stand-in.
func (c *Cloud) Close() {
	c.server.CloseClientConnections()
	c.server.Close()
}

// Region is the region that the default network is in.
func (c *Cloud) Region() string { return c.regions[0] }

// Fail makes the next calls with a token fail, each in its way.
func (c *Cloud) Fail(token string, faults ...Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.account(token).faults = faults
}

// Calls returns the calls that were made with a token, and forgets them: "POST /v2/vpcs".
func (c *Cloud) Calls(token string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.account(token)
	calls := a.calls
	a.calls = nil
	return calls
}

// Networks returns the names of the networks of an account.
func (c *Cloud) Networks(token string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, n := range c.account(token).networks {
		out = append(out, n.name)
	}
	return out
}

// Add adds a network to an account.
func (c *Cloud) Add(token, region, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.account(token).add(region, name)
}

func (c *Cloud) account(token string) *account {
	if c.accounts[token] == nil {
		c.accounts[token] = &account{networks: []network{{id: 1, name: Default, region: c.regions[0]}}}
	}
	return c.accounts[token]
}

func (a *account) add(region, name string) network {
	n := network{id: len(a.networks) + 1, name: name, region: region}
	a.networks = append(a.networks, n)
	return n
}

func (c *Cloud) serve(w http.ResponseWriter, req *http.Request) {
	read := readJSON
	if c.api.read != nil {
		read = c.api.read
	}
	asked := read(req)
	if asked.token == "" || strings.HasPrefix(asked.token, Refused) {
		c.write(w, http.StatusUnauthorized, c.api.refused(http.StatusUnauthorized, "unauthorized", "Unable to authenticate you, "+asked.token))
		return
	}
	fault, status, answer, end := c.answer(asked)
	if end != nil {
		end()
		panic(http.ErrAbortHandler)
	}
	switch fault {
	case Silent:
		<-req.Context().Done()
	case Lost:
		panic(http.ErrAbortHandler)
	case Partial:
		raw := encode(w, answer)
		w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
		_, _ = w.Write(raw[:len(raw)/2])
		_ = http.NewResponseController(w).Flush() // or nothing would be sent
		panic(http.ErrAbortHandler)
	case Limited:
		w.Header().Set("Retry-After", cmp.Or(c.RetryAfter, "42"))
		fallthrough
	default:
		c.write(w, status, answer)
	}
}

func (c *Cloud) write(w http.ResponseWriter, status int, answer any) {
	raw := encode(w, answer)
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_, _ = w.Write(raw)
	}
}

// encode returns an answer as XML if it is a text, and as JSON otherwise.
func encode(w http.ResponseWriter, answer any) []byte {
	if xml, ok := answer.(string); ok {
		w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
		return []byte(xml)
	}
	w.Header().Set("Content-Type", "application/json")
	raw, _ := json.Marshal(answer) // built here
	return raw
}

// answer performs the request, and returns how the call fails.
func (c *Cloud) answer(asked call) (fault Fault, status int, answer any, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.account(asked.token)
	a.calls = append(a.calls, asked.method+" "+asked.path)
	end, before := a.ends()
	if before {
		return 0, 0, nil, end
	}
	if len(a.faults) > 0 {
		fault, a.faults = a.faults[0], a.faults[1:]
	}
	switch fault {
	case Limited:
		status := http.StatusTooManyRequests
		if c.provider == cloud.AWS {
			status = http.StatusServiceUnavailable
		}
		return fault, status, c.api.refused(status, "rate_limit_exceeded", "Too many requests."), end
	case Broken:
		return fault, http.StatusServiceUnavailable, c.api.refused(http.StatusServiceUnavailable, "unavailable", "Try again later."), end
	case Forbidden:
		return fault, http.StatusForbidden, c.api.refused(http.StatusForbidden, "forbidden", "You are not authorized to perform this operation."), end
	case Silent:
		return fault, 0, nil, end
	}
	status, answer = c.perform(a, asked)
	return fault, status, answer, end
}

func (c *Cloud) perform(a *account, asked call) (int, any) {
	if status, answer, ok := c.serveMachines(a, asked); ok {
		return status, answer
	}
	base := c.URL + asked.path
	switch {
	case asked.method == http.MethodGet && asked.path == c.api.regions:
		var rows []any
		for _, code := range c.regions {
			if asked.filter == "" || asked.filter == code {
				rows = append(rows, c.api.region(code))
			}
		}
		return c.page("regions", rows, asked.page, c.api.regionPage(len(rows)), base)
	case asked.method == http.MethodGet && slices.Contains(c.api.others, asked.path):
		return c.page(asked.path, nil, asked.page, pageSize, base)
	case asked.method == http.MethodGet && asked.path == c.api.networks:
		var rows []any
		for _, n := range a.networks {
			if !c.api.inside || n.region == asked.region {
				rows = append(rows, c.api.network(n))
			}
		}
		return c.page("networks", rows, asked.page, pageSize, base)
	case asked.method == http.MethodPost && (asked.path == c.api.networks || asked.path == "CreateVpc"):
		region, name := c.api.asked(asked.body)
		switch {
		case !slices.Contains(c.regions, region) && c.provider != cloud.Hetzner:
			return http.StatusUnprocessableEntity, c.api.refused(http.StatusUnprocessableEntity, "invalid_input", "The region is not valid.")
		case name == "" || strings.Contains(name, "!"):
			return http.StatusUnprocessableEntity, c.api.refused(http.StatusUnprocessableEntity, "invalid_input", "The name is not valid.")
		case c.api.unique && slices.ContainsFunc(a.networks, func(n network) bool { return n.name == name }):
			return http.StatusConflict, c.api.refused(http.StatusConflict, "uniqueness_error", "The name must be unique.")
		}
		return c.api.created(c.api.network(a.add(region, name)))
	}
	return http.StatusNotFound, c.api.refused(http.StatusNotFound, "not_found", "There is no "+asked.method+" "+asked.path+".")
}

func (c *Cloud) page(name string, rows []any, page, size int, base string) (int, any) {
	page = max(page, 1)
	pages := max(1, (len(rows)+size-1)/size)
	from := min((page-1)*size, len(rows))
	return http.StatusOK, c.api.list(name, append([]any{}, rows[from:min(from+size, len(rows))]...), page, pages, base)
}
