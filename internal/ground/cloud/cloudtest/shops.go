package cloudtest

import (
	"net/http"
	"strconv"
)

// shop is how a provider puts what is about servers.
type shop struct {
	// base is the path of the list, name what it is called there, cycle the end of the path that switches a server off and on.
	base, name, cycle string
	// lists are other lists of one page, of these regions.
	lists   map[string]func(regions []string) any
	ordered func(body object) Machine
	show    func(m *Machine) any
	// wrap is the answer with one server, created that to an order, deleted and acted those to what changes one.
	wrap           func(one any) any
	created        func(one any) (int, any)
	deleted, acted func() (int, any)
	// sold is the status of what is sold out.
	sold int
	// unique is set if names are unique, encoded if scripts are sent as base64.
	unique, encoded bool
}

func inside(name string) func(one any) any { return func(one any) any { return object{name: one} } }

func droplets() shop {
	return shop{
		base: "/v2/droplets", name: "droplets", cycle: "actions", sold: http.StatusUnprocessableEntity,
		lists: map[string]func([]string) any{"/v2/sizes": func(regions []string) any {
			return object{"sizes": []any{object{
				"slug": "new-size", "available": true, "regions": regions, "vcpus": 2, "memory": 4096, "disk": 80,
				"price_monthly": 24.0,
			}}, "links": object{}, "meta": object{"total": 1}}
		}},
		ordered: func(b object) Machine {
			image, _ := b["image"].(string)
			backups, _ := b["backups"].(bool)
			return Machine{
				Name: text(b["name"]), Region: text(b["region"]), Size: text(b["size"]), System: image, UserData: text(b["user_data"]),
				Network: text(b["vpc_uuid"]), BackedUp: backups,
			}
		},
		show: func(m *Machine) any {
			v4 := []any{object{"ip_address": m.private(), "type": "private"}}
			if at := m.address(); at != "" {
				v4 = append(v4, object{"ip_address": at, "type": "public"})
			}
			return object{"id": m.number + 1000, "name": m.Name, "status": "active", "networks": object{"v4": v4, "v6": []any{}}}
		},
		wrap:    inside("droplet"),
		created: func(one any) (int, any) { return http.StatusAccepted, object{"droplet": one} },
		deleted: func() (int, any) { return http.StatusNoContent, nil },
		acted: func() (int, any) {
			return http.StatusCreated, object{"action": object{"id": 1, "status": "in-progress"}}
		},
	}
}

func hetznerServers() shop {
	action := object{"id": 1, "command": "x", "status": "running", "progress": 0, "started": "2025-01-02T03:04:05+00:00", "resources": []any{}}
	return shop{
		base: "/v1/servers", name: "servers", cycle: "actions/reset", sold: http.StatusPreconditionFailed, unique: true,
		lists: map[string]func([]string) any{"/v1/server_types": func(regions []string) any {
			var prices []any
			for _, r := range regions {
				prices = append(prices, object{
					"location": r, "price_hourly": object{"net": "1", "gross": "1"},
					"price_monthly": object{"net": "24.0000000000", "gross": "28.56"},
				})
			}
			return object{
				"server_types": []any{object{"id": 1, "name": "new-size", "cores": 2, "memory": 4.0, "disk": 80, "prices": prices}},
				"meta":         object{"pagination": object{"page": 1, "last_page": 1}},
			}
		}, "/v1/pricing": func([]string) any {
			return object{"pricing": object{"currency": "USD", "vat_rate": "19", "image": object{"price_per_gb_month": object{"net": "1", "gross": "1"}}}}
		}},
		ordered: func(b object) Machine {
			m := Machine{Name: text(b["name"]), Region: text(b["location"]), Size: text(b["server_type"]), System: text(b["image"]), UserData: text(b["user_data"])}
			if list, _ := b["networks"].([]any); len(list) > 0 {
				n, _ := list[0].(float64)
				m.Network = strconv.Itoa(int(n))
			}
			return m
		},
		show: func(m *Machine) any {
			one := object{
				"id": m.number + 1000, "name": m.Name, "status": "running", "created": "2025-01-02T03:04:05+00:00", "labels": object{}, "backup_window": nil,
				"public_net": object{"ipv4": nil, "ipv6": nil, "floating_ips": []any{}}, "private_net": []any{},
			}
			if at := m.address(); at != "" {
				one["public_net"] = object{"ipv4": object{"id": 1, "ip": at, "dns_ptr": "x"}, "ipv6": nil, "floating_ips": []any{}}
			}
			if m.BackedUp {
				one["backup_window"] = "22-02"
			}
			if m.Network != "" {
				one["private_net"] = []any{object{"network": 1, "ip": m.private(), "alias_ips": []any{}, "mac_address": ""}}
			}
			return one
		},
		wrap: inside("server"),
		created: func(one any) (int, any) {
			return http.StatusCreated, object{"server": one, "action": action, "next_actions": []any{}, "root_password": "x"}
		},
		deleted: func() (int, any) { return http.StatusOK, object{"action": action} },
		acted:   func() (int, any) { return http.StatusCreated, object{"action": action} },
	}
}

func vultrInstances() shop {
	return shop{
		base: "/v2/instances", name: "instances", cycle: "reboot", sold: http.StatusBadRequest, encoded: true,
		lists: map[string]func([]string) any{"/v2/os": func([]string) any {
			return object{
				"os":   []any{object{"id": 7, "name": "Ubuntu 24.04 LTS x64"}, object{"id": 8, "name": "Ubuntu 26.04 LTS x64"}},
				"meta": object{"total": 2, "links": object{"next": "", "prev": ""}},
			}
		}, "/v2/plans": func([]string) any {
			return object{
				"plans": []any{object{"id": "new-size", "vcpu_count": 2, "ram": 4096, "disk": 80, "monthly_cost": 24.0}},
				"meta":  object{"total": 1, "links": object{"next": "", "prev": ""}},
			}
		}},
		ordered: func(b object) Machine {
			id, _ := b["os_id"].(float64)
			m := Machine{Name: text(b["label"]), Region: text(b["region"]), Size: text(b["plan"]), System: strconv.Itoa(int(id)), UserData: text(b["user_data"])}
			if list, _ := b["attach_vpc"].([]any); len(list) > 0 {
				m.Network = text(list[0])
			}
			return m
		},
		show: func(m *Machine) any {
			at := m.address()
			if at == "" {
				at = "0.0.0.0"
			}
			return object{"id": m.ID, "label": m.Name, "region": m.Region, "plan": m.Size, "main_ip": at, "internal_ip": m.private(), "status": "active"}
		},
		wrap:    inside("instance"),
		created: func(one any) (int, any) { return http.StatusAccepted, object{"instance": one} },
		deleted: func() (int, any) { return http.StatusNoContent, nil },
		acted:   func() (int, any) { return http.StatusNoContent, nil },
	}
}

func linodes() shop {
	return shop{
		base: "/v4/linode/instances", name: "instances", cycle: "reboot", sold: http.StatusBadRequest, unique: true, encoded: true,
		lists: map[string]func([]string) any{"/v4/linode/types": func(regions []string) any {
			return object{"data": []any{object{
				"id": "new-size", "vcpus": 2, "memory": 4096, "disk": 81920, "price": object{"hourly": 0.03, "monthly": 20.0},
				"region_prices": []any{object{"id": regions[0], "hourly": 0.036, "monthly": 24.0}},
			}}, "page": 1, "pages": 1, "results": 1}
		}},
		ordered: func(b object) Machine {
			metadata, _ := b["metadata"].(object)
			return Machine{Name: text(b["label"]), Region: text(b["region"]), Size: text(b["type"]), System: text(b["image"]), UserData: text(metadata["user_data"])}
		},
		show: func(m *Machine) any {
			addresses := []any{}
			if at := m.address(); at != "" {
				addresses = append(addresses, at)
			}
			return object{
				"id": m.number + 1000, "label": m.Name, "region": m.Region, "type": m.Size, "status": "running", "ipv4": addresses,
				"created": "2025-01-02T03:04:05", "updated": "2025-01-02T03:04:05",
			}
		},
		wrap:    func(one any) any { return one },
		created: func(one any) (int, any) { return http.StatusOK, one },
		deleted: func() (int, any) { return http.StatusOK, object{} },
		acted:   func() (int, any) { return http.StatusOK, object{} },
	}
}
