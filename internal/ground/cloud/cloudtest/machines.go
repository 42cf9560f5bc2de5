package cloudtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
)

// Machine is a server that was ordered.
type Machine struct {
	ID, Name, Region, Size string
	// System is what was ordered to be on it, UserData the script for its first boot.
	System, UserData string
	Network          string
	// Address is empty until the server has one.
	Address string
	// BackedUp is set if its provider makes backups of it.
	BackedUp bool
	// Cycles counts how often it was switched off and on again.
	Cycles int

	number int
	slow   int // how many more looks it takes until it has its address
	fading int // how many more looks it takes until it is gone, once it is destroyed
	going  bool
}

// store is what an account has of servers.
type store struct {
	machines []*Machine
	ordered  int
	slow     int
	sold     bool
	// at is the number of calls after which one never ends; done is whether it does what it is asked.
	at     int
	done   bool
	ending func()
}

// Slow makes servers that are ordered with a token wait for their address, and destroyed ones be listed, for some looks.
func (c *Cloud) Slow(token string, looks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.account(token).slow = looks
}

// SellOut makes orders with a token be refused, as there is nothing left of what they want.
func (c *Cloud) SellOut(token string, out bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.account(token).sold = out
}

// End makes a call with a token, the first for 1, have no end: end is called instead of an answer. done says whether it does what it is asked.
func (c *Cloud) End(token string, call int, done bool, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.account(token)
	a.at, a.done, a.ending = call, done, end
}

// Machines returns the servers of an account, without those that are being destroyed.
func (c *Cloud) Machines(token string) []Machine {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Machine
	for _, m := range c.account(token).machines {
		if !m.going {
			out = append(out, *m)
		}
	}
	return out
}

// Ordered returns how many servers an account ever had.
func (c *Cloud) Ordered(token string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.account(token).ordered
}

// ends counts a call, and returns what is to be called in the place of an answer; before is set if nothing else is done.
func (a *account) ends() (end func(), before bool) {
	if a.at == 0 {
		return nil, false
	}
	if a.at--; a.at > 0 {
		return nil, false
	}
	return a.ending, !a.done
}

// look lets time pass for a server, and reports whether it is still listed.
func (m *Machine) look() bool {
	if m.going {
		m.fading--
		return m.fading >= 0
	}
	m.slow--
	return true
}

func (m *Machine) address() string {
	if m.slow > 0 {
		return ""
	}
	return m.Address
}

func (m *Machine) private() string {
	return fmt.Sprintf("10.%d.0.%d", 100+m.number/200, 1+m.number%200)
}

func (a *account) named(name string) *Machine {
	i := slices.IndexFunc(a.machines, func(m *Machine) bool { return !m.going && m.Name == name })
	if i < 0 {
		return nil
	}
	return a.machines[i]
}

// order adds a server. Its number is one of the whole provider's.
func (c *Cloud) order(a *account, m Machine) *Machine {
	c.count++
	a.ordered++
	m.number, m.slow = c.count, a.slow
	if m.ID == "" {
		m.ID = strconv.Itoa(1000 + m.number)
	}
	m.Address = fmt.Sprintf("127.%d.%d.%d", 20+len(c.provider), m.number/250, 1+m.number%250)
	if c.Boot != nil {
		if at := c.Boot(m); at != "" {
			m.Address = at
		}
	}
	a.machines = append(a.machines, &m)
	return &m
}

func (c *Cloud) refuse(status int, code, text string) (int, any, bool) {
	return status, c.api.refused(status, code, text), true
}

// serveMachines answers what is about servers; ok is false for anything else.
func (c *Cloud) serveMachines(a *account, asked call) (status int, answer any, ok bool) {
	if c.provider == cloud.AWS {
		return c.serveInstances(a, asked)
	}
	s := c.api.shop
	if list, ok := s.lists[asked.path]; ok && asked.method == http.MethodGet {
		return http.StatusOK, list(c.regions), true
	}
	if strings.HasSuffix(asked.path, "/availability") {
		return http.StatusOK, object{"available_plans": []any{"vc2-1c-2gb", "new-size"}}, true
	}
	rest, ok := strings.CutPrefix(asked.path, s.base)
	if !ok || rest != "" && rest[0] != '/' {
		return 0, nil, false
	}
	if rest == "" && asked.method == http.MethodPost {
		return c.serveOrder(a, asked)
	}
	a.machines = slices.DeleteFunc(a.machines, func(m *Machine) bool { return !m.look() })
	if rest == "" {
		var rows []any
		for _, m := range a.machines {
			if asked.filter == "" || m.Name == asked.filter {
				rows = append(rows, s.show(m))
			}
		}
		status, answer := c.page(s.name, rows, asked.page, pageSize, c.URL+asked.path)
		return status, answer, true
	}
	id, action, _ := strings.Cut(rest[1:], "/")
	i := slices.IndexFunc(a.machines, func(m *Machine) bool { return m.ID == id })
	if i < 0 || a.machines[i].going && action != "" {
		return c.refuse(http.StatusNotFound, "not_found", "There is no server "+id+".")
	}
	m := a.machines[i]
	switch {
	case asked.method == http.MethodGet && action == "":
		return http.StatusOK, s.wrap(s.show(m)), true
	case asked.method == http.MethodDelete && action == "":
		c.destroy(a, m)
		status, answer := s.deleted()
		return status, answer, true
	case asked.method == http.MethodPost && action == s.cycle:
		m.Cycles++
		status, answer := s.acted()
		return status, answer, true
	case asked.method == http.MethodPost && action == "actions/enable_backup":
		m.BackedUp = true
		status, answer := s.acted()
		return status, answer, true
	}
	return 0, nil, false
}

func (c *Cloud) destroy(a *account, m *Machine) {
	if m.going {
		return
	}
	m.going, m.fading = true, a.slow
	if c.Gone != nil {
		c.Gone(*m)
	}
}

func (c *Cloud) serveOrder(a *account, asked call) (int, any, bool) {
	s := c.api.shop
	m := s.ordered(asked.body)
	if s.encoded {
		raw, err := base64.StdEncoding.DecodeString(m.UserData)
		if err != nil {
			return c.refuse(http.StatusBadRequest, "invalid_input", "The user data is not base64.")
		}
		m.UserData = string(raw)
	}
	switch {
	case !slices.Contains(c.regions, m.Region):
		return c.refuse(http.StatusUnprocessableEntity, "invalid_input", "The region is not valid.")
	case m.Name == "" || m.Size == "" || m.System == "":
		return c.refuse(http.StatusUnprocessableEntity, "invalid_input", "The order is not whole.")
	case a.sold:
		return c.refuse(s.sold, "resource_unavailable", "There is nothing left of this size here.")
	case s.unique && a.named(m.Name) != nil:
		return c.refuse(http.StatusConflict, "uniqueness_error", "The name must be unique.")
	}
	if c.provider == cloud.Vultr {
		m.ID = uuid(5000 + c.count)
	}
	status, answer := s.created(s.show(c.order(a, m)))
	return status, answer, true
}

// serveInstances is serveMachines at AWS, where an order has a token.
func (c *Cloud) serveInstances(a *account, asked call) (int, any, bool) {
	switch asked.path {
	case "DescribeInstanceTypeOfferings":
		return http.StatusOK, "<Response><instanceTypeOfferingSet><item><instanceType>new.size</instanceType></item><item><instanceType>" +
			"t3.small</instanceType></item></instanceTypeOfferingSet></Response>", true
	case "DescribeInstanceTypes":
		return http.StatusOK, "<Response><instanceTypeSet><item><instanceType>" + asked.form.Get("InstanceType.1") +
			"</instanceType><processorInfo><supportedArchitectures><item>x86_64</item></supportedArchitectures></processorInfo></item></instanceTypeSet>" +
			"</Response>", true
	case "DescribeImages":
		return http.StatusOK, "<Response><imagesSet><item><imageId>ami-old</imageId><creationDate>2024-01-01T00:00:00.000Z</creationDate></item>" +
			"<item><imageId>ami-new</imageId><creationDate>2025-01-01T00:00:00.000Z</creationDate><rootDeviceName>/dev/sda1</rootDeviceName></item>" +
			"</imagesSet></Response>", true
	case "DescribeSecurityGroups":
		found := ""
		if a.group > 0 {
			found = "<item><groupId>sg-1</groupId><ipPermissions>" + strings.Repeat("<item><ipProtocol>-1</ipProtocol></item>", a.group-1) + "</ipPermissions></item>"
		}
		return http.StatusOK, "<Response><securityGroupInfo>" + found + "</securityGroupInfo></Response>", true
	case "CreateSecurityGroup":
		if a.group > 0 {
			return c.refuse(http.StatusBadRequest, "InvalidGroup.Duplicate", "The security group exists.")
		}
		a.group = 1
		return http.StatusOK, "<Response><groupId>sg-1</groupId></Response>", true
	case "AuthorizeSecurityGroupIngress":
		a.group = 2
		return http.StatusOK, "<Response><return>true</return></Response>", true
	case "DescribeInstances":
		a.machines = slices.DeleteFunc(a.machines, func(m *Machine) bool { return !m.look() })
		var found strings.Builder
		for _, m := range a.machines {
			if m.Name == asked.form.Get("Filter.1.Value.1") || m.ID == asked.form.Get("InstanceId.1") {
				found.WriteString("<item><instancesSet>" + instance(m) + "</instancesSet></item>")
			}
		}
		if found.Len() == 0 && asked.form.Get("InstanceId.1") != "" {
			return c.refuse(http.StatusBadRequest, "InvalidInstanceID.NotFound", "The instance does not exist.")
		}
		return http.StatusOK, "<Response><reservationSet>" + found.String() + "</reservationSet></Response>", true
	case "RunInstances":
		return c.runInstances(a, asked)
	case "TerminateInstances", "RebootInstances":
		i := slices.IndexFunc(a.machines, func(m *Machine) bool { return m.ID == asked.form.Get("InstanceId.1") })
		switch {
		case i < 0:
			return c.refuse(http.StatusBadRequest, "InvalidInstanceID.NotFound", "The instance does not exist.")
		case asked.path == "RebootInstances":
			a.machines[i].Cycles++
		case !a.machines[i].going:
			c.destroy(a, a.machines[i])
		}
		return http.StatusOK, "<Response><return>true</return></Response>", true
	}
	return 0, nil, false
}

func (c *Cloud) runInstances(a *account, asked call) (int, any, bool) {
	raw, err := base64.StdEncoding.DecodeString(asked.form.Get("UserData"))
	m := Machine{
		Name: asked.form.Get("ClientToken"), Region: asked.region, Size: asked.form.Get("InstanceType"), System: asked.form.Get("ImageId"),
		UserData: string(raw),
	}
	switch {
	case err != nil || m.Name == "" || m.Size == "" || m.System == "" || asked.form.Get("NetworkInterface.1.SecurityGroupId.1") == "":
		return c.refuse(http.StatusBadRequest, "InvalidParameterValue", "The order is not whole.")
	case a.sold:
		return c.refuse(http.StatusInternalServerError, "InsufficientInstanceCapacity", "There is nothing left of this size here.")
	}
	i := slices.IndexFunc(a.machines, func(o *Machine) bool { return o.Name == m.Name }) // also one that was terminated
	if i < 0 {
		m.ID = fmt.Sprintf("i-%08d", c.count+1)
		c.order(a, m)
		i = len(a.machines) - 1
	}
	return http.StatusOK, "<Response><instancesSet>" + instance(a.machines[i]) + "</instancesSet></Response>", true
}

func instance(m *Machine) string {
	state, address := "running", ""
	if m.going {
		state = "shutting-down"
	} else if at := m.address(); at != "" {
		address = "<ipAddress>" + at + "</ipAddress>"
	}
	return "<item><instanceId>" + m.ID + "</instanceId><clientToken>" + m.Name + "</clientToken><instanceState><code>16</code><name>" + state +
		"</name></instanceState>" + address +
		"<privateIpAddress>" + m.private() + "</privateIpAddress></item>"
}
