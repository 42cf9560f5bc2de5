// Package dnstest has as much of the APIs of five DNS providers as records of addresses need: pages, ids, sets, and what they refuse.
package dnstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Token is the token of the account. Another one is refused with a 401, and quoted.
const Token = "t0ken-of-the-account"

// Record is a record of a zone.
type Record struct {
	ID, Zone, Name, Type, Value string
	TTL                         int64
	Proxied                     bool
}

// Provider is an account at a provider, served as its API.
type Provider struct {
	mu      sync.Mutex
	zones   []string
	records []Record
	next    int64
	calls   []string
	// refuse answers a call in the place of the account; 0 for none.
	refuse func(method, path string) int
	// page is how many records a page has.
	page int
}

// New returns an account with zones and records.
func New(zones []string, records ...Record) *Provider {
	p := &Provider{zones: zones, page: 2}
	for _, r := range records {
		p.add(r)
	}
	return p
}

func (p *Provider) add(r Record) Record {
	p.next++
	r.ID = strconv.FormatInt(p.next, 10)
	for _, z := range p.zones {
		if (r.Name == z || strings.HasSuffix(r.Name, "."+z)) && len(z) > len(r.Zone) {
			r.Zone = z
		}
	}
	p.records = append(p.records, r)
	return r
}

// Refuse answers calls with a status, by their method and path; with 0 they are answered by the account.
func (p *Provider) Refuse(how func(method, path string) int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = how
}

// Put makes a record, as a person does.
func (p *Provider) Put(r Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(r)
}

// Edit changes the value of records, as a person does; an empty value removes them.
func (p *Provider) Edit(kind, name, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.records = slices.DeleteFunc(p.records, func(r Record) bool { return r.Type == kind && r.Name == name && value == "" })
	for i, r := range p.records {
		if r.Type == kind && r.Name == name {
			p.records[i].Value = value
		}
	}
}

// Lines returns the records as "www.example.com A 192.0.2.1", sorted.
func (p *Provider) Lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := []string{}
	for _, r := range p.records {
		line := r.Name + " " + r.Type + " " + r.Value
		if r.Proxied {
			line += " proxied"
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// Changes returns the calls that were not reads, and forgets them.
func (p *Provider) Changes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.calls
	p.calls = nil
	return out
}

type object = map[string]any

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

// check answers what is refused before the account looks at it.
func (p *Provider) check(w http.ResponseWriter, req *http.Request, say func(text string) object) bool {
	scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if token != Token || scheme != "Bearer" && scheme != "Token" {
		answer(w, http.StatusUnauthorized, say("unknown token "+token))
		return false
	}
	if req.Method != http.MethodGet {
		p.calls = append(p.calls, req.Method+" "+req.URL.Path)
	}
	if p.refuse != nil {
		if status := p.refuse(req.Method, req.URL.Path); status != 0 {
			answer(w, status, say("refused by the test"))
			return false
		}
	}
	return true
}

// at returns the records at a name, and pages them.
func (p *Provider) at(zone, name string, query url.Values) (page []Record, pages int) {
	var all []Record
	for _, r := range p.records {
		if r.Zone == zone && (name == "" || r.Name == name) {
			all = append(all, r)
		}
	}
	n, _ := strconv.Atoi(query.Get("page"))
	n = max(n, 1)
	pages = max((len(all)+p.page-1)/p.page, 1)
	from := min((n-1)*p.page, len(all))
	return all[from:min(from+p.page, len(all))], pages
}

func (p *Provider) index(id string) int {
	return slices.IndexFunc(p.records, func(r Record) bool { return r.ID == id })
}

// conflict is why there can't be a record beside others, "" for none.
func (p *Provider) conflict(r Record) string {
	for _, o := range p.records {
		switch {
		case o.Name != r.Name || o.ID == r.ID:
		case o.Type == "CNAME" || r.Type == "CNAME":
			return "a CNAME record can't be beside others"
		case o.Type == r.Type && o.Value == r.Value:
			return "an identical record already exists"
		}
	}
	return ""
}

// Cloudflare serves the account as Cloudflare does.
func (p *Provider) Cloudflare(w http.ResponseWriter, req *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	say := func(text string) object {
		return object{"success": false, "errors": []object{{"code": 9109, "message": text}}, "result": nil}
	}
	if !p.check(w, req, say) {
		return
	}
	query := req.URL.Query()
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if len(parts) == 1 { // another account has a zone of this name that is not in use
		result := []object{}
		if slices.Contains(p.zones, query.Get("name")) {
			result = append(result, object{"id": "stale", "name": query.Get("name"), "status": "moved"},
				object{"id": "id-of-" + query.Get("name"), "name": query.Get("name"), "status": "active"})
		}
		answer(w, http.StatusOK, object{"success": true, "result": result})
		return
	}
	zone := strings.TrimPrefix(parts[1], "id-of-")
	show := func(r Record) object {
		return object{"id": r.ID, "name": r.Name, "type": r.Type, "content": r.Value, "ttl": r.TTL, "proxied": r.Proxied}
	}
	var in struct {
		Name, Type, Content *string
		TTL                 *int64
		Proxied             *bool
	}
	if req.Method != http.MethodGet && req.Method != http.MethodDelete {
		_ = json.NewDecoder(req.Body).Decode(&in)
	}
	switch {
	case !slices.Contains(p.zones, zone):
		answer(w, http.StatusNotFound, say("no such zone"))
	case req.Method == http.MethodGet:
		page, pages := p.at(zone, query.Get("name"), query)
		result := []object{}
		for _, r := range page {
			result = append(result, show(r))
		}
		answer(w, http.StatusOK, object{"success": true, "result": result, "result_info": object{"total_pages": pages}})
	case req.Method == http.MethodPost:
		r := Record{Name: *in.Name, Type: *in.Type, Value: *in.Content, TTL: *in.TTL, Proxied: *in.Proxied}
		if text := p.conflict(r); text != "" {
			answer(w, http.StatusBadRequest, say(text))
			return
		}
		answer(w, http.StatusOK, object{"success": true, "result": show(p.add(r))})
	case p.index(parts[3]) < 0:
		answer(w, http.StatusNotFound, say("no such record"))
	case req.Method == http.MethodPatch:
		i := p.index(parts[3])
		p.records[i].Value = *in.Content
		answer(w, http.StatusOK, object{"success": true, "result": show(p.records[i])})
	case req.Method == http.MethodDelete:
		i := p.index(parts[3])
		p.records = slices.Delete(p.records, i, i+1)
		answer(w, http.StatusOK, object{"success": true, "result": object{"id": parts[3]}})
	}
}

func relative(r Record) string {
	if r.Name == r.Zone {
		return "@"
	}
	return strings.TrimSuffix(r.Name, "."+r.Zone)
}

func absolute(name, zone string) string {
	if name == "@" {
		return zone
	}
	return name + "." + zone
}

// DigitalOcean serves the account as DigitalOcean does: names are relative to the zone, and aliases without their dot.
func (p *Provider) DigitalOcean(w http.ResponseWriter, req *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	say := func(text string) object { return object{"id": "refused", "message": text} }
	if !p.check(w, req, say) {
		return
	}
	query := req.URL.Query()
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	show := func(r Record) object {
		id, _ := strconv.ParseInt(r.ID, 10, 64)
		return object{"id": id, "name": relative(r), "type": r.Type, "data": r.Value, "ttl": r.TTL}
	}
	var in struct {
		Name, Type, Data string
		TTL              int64
	}
	if req.Method != http.MethodGet && req.Method != http.MethodDelete {
		_ = json.NewDecoder(req.Body).Decode(&in)
		in.Data = strings.TrimSuffix(in.Data, ".")
	}
	switch zone := parts[1]; {
	case !slices.Contains(p.zones, zone):
		answer(w, http.StatusNotFound, say("The resource you were accessing could not be found."))
	case len(parts) == 2:
		answer(w, http.StatusOK, object{"domain": object{"name": zone}})
	case req.Method == http.MethodGet:
		page, pages := p.at(zone, query.Get("name"), query)
		list := []object{}
		for _, r := range page {
			list = append(list, show(r))
		}
		links := object{}
		if n, _ := strconv.Atoi(query.Get("page")); n < pages {
			links["pages"] = object{"next": "https://api.example.net/another-page"}
		}
		answer(w, http.StatusOK, object{"domain_records": list, "links": links})
	case req.Method == http.MethodPost:
		r := Record{Name: absolute(in.Name, zone), Type: in.Type, Value: in.Data, TTL: in.TTL}
		if text := p.conflict(r); text != "" {
			answer(w, http.StatusUnprocessableEntity, say(text))
			return
		}
		answer(w, http.StatusCreated, object{"domain_record": show(p.add(r))})
	case p.index(parts[3]) < 0:
		answer(w, http.StatusNotFound, say("The resource you were accessing could not be found."))
	case req.Method == http.MethodPatch:
		p.records[p.index(parts[3])].Value = in.Data
		answer(w, http.StatusOK, object{"domain_record": show(p.records[p.index(parts[3])])})
	case req.Method == http.MethodDelete:
		i := p.index(parts[3])
		p.records = slices.Delete(p.records, i, i+1)
		answer(w, http.StatusNoContent, nil)
	}
}

// Hetzner serves the account as Hetzner's Cloud API does: the records of a name and a type are one set.
func (p *Provider) Hetzner(w http.ResponseWriter, req *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	say := func(text string) object { return object{"error": object{"code": "refused", "message": text}} }
	if !p.check(w, req, say) {
		return
	}
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	zone := parts[1]
	var in struct {
		Name, Type string
		TTL        int64
		Records    []struct{ Value string }
	}
	if req.Method == http.MethodPost {
		_ = json.NewDecoder(req.Body).Decode(&in)
	}
	if !slices.Contains(p.zones, zone) {
		answer(w, http.StatusNotFound, say("zone not found"))
		return
	}
	if len(parts) == 2 {
		answer(w, http.StatusOK, object{"zone": object{"id": 42, "name": zone}})
		return
	}
	name, kind := absolute(in.Name, zone), in.Type
	if len(parts) > 3 {
		name, kind = absolute(parts[3], zone), parts[4]
	}
	var values []object
	ttl := in.TTL
	for _, r := range p.records {
		if r.Name == name && r.Type == kind {
			values, ttl = append(values, object{"value": dotted(r)}), r.TTL
		}
	}
	if len(parts) > 3 && len(values) == 0 {
		answer(w, http.StatusNotFound, say("rrset not found"))
		return
	}
	write := func() {
		p.records = slices.DeleteFunc(p.records, func(r Record) bool { return r.Name == name && r.Type == kind })
		for _, v := range in.Records {
			p.add(Record{Name: name, Type: kind, Value: strings.TrimSuffix(v.Value, "."), TTL: ttl})
		}
	}
	switch {
	case req.Method == http.MethodGet:
		answer(w, http.StatusOK, object{"rrset": object{"ttl": ttl, "records": values}})
	case req.Method == http.MethodDelete:
		in.Records = nil
		write()
		answer(w, http.StatusCreated, object{"action": object{"id": 1}})
	case len(parts) == 3 && (len(values) > 0 || p.conflict(Record{Name: name, Type: kind, Value: fmt.Sprint(in.Records)}) != ""):
		answer(w, http.StatusUnprocessableEntity, say("the set conflicts with another one"))
	default:
		write()
		answer(w, http.StatusCreated, object{"action": object{"id": 1}})
	}
}

func dotted(r Record) string {
	if r.Type == "CNAME" || r.Type == "NS" {
		return r.Value + "."
	}
	return r.Value
}

// set returns the values and the TTL of the records of a name and a type.
func (p *Provider) set(name, kind string) (values []string, ttl int64) {
	for _, r := range p.records {
		if r.Name == name && r.Type == kind {
			values, ttl = append(values, dotted(r)), r.TTL
		}
	}
	return values, ttl
}

// write replaces the records of a name and a type; text is why it can't.
func (p *Provider) write(name, kind string, values []string, ttl int64) (text string) {
	if have, _ := p.set(name, kind); len(have) == 0 && len(values) > 0 {
		if text := p.conflict(Record{Name: name, Type: kind, Value: values[0]}); text != "" {
			return text
		}
	}
	p.records = slices.DeleteFunc(p.records, func(r Record) bool { return r.Name == name && r.Type == kind })
	for _, v := range values {
		p.add(Record{Name: name, Type: kind, Value: strings.TrimSuffix(v, "."), TTL: ttl})
	}
	return ""
}

// Gandi serves the account as Gandi's LiveDNS does: a set has an address of its own, and a PUT creates or replaces it.
func (p *Provider) Gandi(w http.ResponseWriter, req *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	say := func(text string) object {
		return object{"status": "error", "errors": []object{{"location": "body", "name": "rrset_values", "description": text}}}
	}
	if !p.check(w, req, say) {
		return
	}
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if len(parts) < 2 || parts[0] != "domains" || !slices.Contains(p.zones, parts[1]) {
		answer(w, http.StatusNotFound, object{"code": 404, "message": "Can't find the domain", "cause": "Not Found"})
		return
	}
	if len(parts) == 2 {
		answer(w, http.StatusOK, object{"fqdn": parts[1]})
		return
	}
	name, kind := absolute(parts[3], parts[1]), parts[4]
	values, ttl := p.set(name, kind)
	switch {
	case req.Method == http.MethodPut:
		var in struct {
			TTL    int64    `json:"rrset_ttl"`
			Values []string `json:"rrset_values"`
		}
		_ = json.NewDecoder(req.Body).Decode(&in)
		if in.TTL < 300 && in.TTL != ttl || len(in.Values) == 0 {
			answer(w, http.StatusBadRequest, say("the TTL is at least 300, and there are values"))
			return
		}
		if text := p.write(name, kind, in.Values, in.TTL); text != "" {
			answer(w, http.StatusConflict, say(text))
			return
		}
		answer(w, http.StatusCreated, object{"message": "DNS Record Created"})
	case len(values) == 0:
		answer(w, http.StatusNotFound, object{"code": 404, "message": "Can't find the DNS record", "cause": "Not Found"})
	case req.Method == http.MethodDelete:
		p.write(name, kind, nil, 0)
		answer(w, http.StatusNoContent, nil)
	default:
		answer(w, http.StatusOK, object{"rrset_name": parts[3], "rrset_type": kind, "rrset_ttl": ttl, "rrset_values": values})
	}
}

// DeSEC serves the account as deSEC does: sets are written by a list, where one without records is removed, and errors are of fields, in the same list.
func (p *Provider) DeSEC(w http.ResponseWriter, req *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.check(w, req, func(text string) object { return object{"detail": text} }) {
		return
	}
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if !strings.HasSuffix(req.URL.Path, "/") || len(parts) < 2 || parts[0] != "domains" || !slices.Contains(p.zones, parts[1]) {
		answer(w, http.StatusNotFound, object{"detail": "Not found."})
		return
	}
	zone := parts[1]
	switch {
	case len(parts) == 2:
		answer(w, http.StatusOK, object{"name": zone, "minimum_ttl": 3600})
	case req.Method == http.MethodPut && len(parts) == 3:
		var in []struct {
			Subname, Type string
			TTL           int64
			Records       []string
		}
		if json.NewDecoder(req.Body).Decode(&in) != nil || len(in) != 1 || in[0].Records == nil {
			answer(w, http.StatusBadRequest, []object{{"records": []string{"This field is required."}}})
			return
		}
		if in[0].Subname == "" {
			in[0].Subname = "@"
		}
		if _, ttl := p.set(absolute(in[0].Subname, zone), in[0].Type); in[0].TTL < 3600 && in[0].TTL != ttl {
			answer(w, http.StatusBadRequest, []object{{"ttl": []string{"Ensure this value is greater than or equal to 3600."}}})
			return
		}
		if text := p.write(absolute(in[0].Subname, zone), in[0].Type, in[0].Records, in[0].TTL); text != "" {
			answer(w, http.StatusBadRequest, []object{{"non_field_errors": []string{text}}})
			return
		}
		answer(w, http.StatusOK, in)
	case len(parts) == 5:
		values, ttl := p.set(absolute(parts[3], zone), parts[4])
		if len(values) == 0 {
			answer(w, http.StatusNotFound, object{"detail": "Not found."})
			return
		}
		answer(w, http.StatusOK, object{"subname": parts[3], "type": parts[4], "ttl": ttl, "records": values})
	default:
		answer(w, http.StatusMethodNotAllowed, object{"detail": "Method not allowed."})
	}
}
