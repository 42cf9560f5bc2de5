package cloudtest

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
)

type object = map[string]any

func dialects() map[string]dialect {
	return map[string]dialect{cloud.DigitalOcean: digitalOcean(), cloud.Hetzner: hetzner(), cloud.Vultr: vultr(), cloud.Akamai: akamai(), cloud.AWS: amazon()}
}

func uuid(id int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", id) }

func text(v any) string {
	s, _ := v.(string)
	return s
}

// digitalOcean is as docs.digitalocean.com/reference/api describes it.
func digitalOcean() dialect {
	return dialect{
		regions: "/v2/regions", networks: "/v2/vpcs", unique: true, shop: droplets(),
		region: func(code string) any {
			return object{"slug": code, "name": code, "sizes": []any{}, "available": true, "features": []any{}}
		},
		network: func(n network) any {
			return object{
				"id": uuid(n.id), "urn": "do:vpc:" + uuid(n.id), "name": n.name, "description": "", "region": n.region,
				"ip_range": fmt.Sprintf("10.%d.0.0/20", 100+n.id), "created_at": "2025-01-02T03:04:05Z", "default": n.name == Default,
			}
		},
		list: func(name string, rows []any, page, pages int, base string) any {
			links := object{}
			if page < pages {
				links = object{"pages": object{"next": fmt.Sprintf("%s?page=%d", base, page+1), "last": fmt.Sprintf("%s?page=%d", base, pages)}}
			}
			if name == "networks" {
				name = "vpcs"
			}
			return object{name: rows, "links": links, "meta": object{"total": len(rows)}}
		},
		created: func(n any) (int, any) { return http.StatusCreated, object{"vpc": n} },
		refused: func(_ int, code, text string) any { return object{"id": code, "message": text, "request_id": "x"} },
		asked:   func(b object) (string, string) { return text(b["region"]), text(b["name"]) },
	}
}

// hetzner is as docs.hetzner.cloud describes it. Its networks have subnets in zones, not a region; here each location's zone is eu-central.
func hetzner() dialect {
	const zone = "eu-central"
	return dialect{
		regions: "/v1/locations", networks: "/v1/networks", unique: true, shop: hetznerServers(),
		region: func(code string) any {
			return object{"id": 1, "name": code, "description": code, "country": "DE", "city": code, "latitude": 0, "longitude": 0, "network_zone": zone}
		},
		network: func(n network) any {
			return object{
				"id": n.id, "name": n.name, "ip_range": "10.0.0.0/16", "routes": []any{}, "servers": []any{}, "load_balancers": []any{},
				"subnets":    []any{object{"type": "cloud", "ip_range": "10.0.0.0/20", "network_zone": zone, "gateway": "10.0.0.1"}},
				"protection": object{"delete": false}, "labels": object{}, "created": "2025-01-02T03:04:05+00:00", "expose_routes_to_vswitch": false,
			}
		},
		list: func(name string, rows []any, page, pages int, _ string) any {
			if name == "regions" {
				name = "locations"
			}
			pagination := object{"page": page, "per_page": pageSize, "previous_page": nil, "next_page": nil, "last_page": pages, "total_entries": nil}
			if page < pages {
				pagination["next_page"] = page + 1
			}
			return object{name: rows, "meta": object{"pagination": pagination}}
		},
		created: func(n any) (int, any) { return http.StatusCreated, object{"network": n} },
		refused: func(_ int, code, text string) any {
			return object{"error": object{"code": code, "message": text, "details": object{}}}
		},
		asked: func(b object) (string, string) { return zone, text(b["name"]) },
	}
}

// vultr is as vultr.com/api describes it.
func vultr() dialect {
	return dialect{
		regions: "/v2/regions", networks: "/v2/vpcs", shop: vultrInstances(),
		region: func(code string) any {
			return object{"id": code, "city": code, "country": "US", "continent": "North America", "options": []any{}}
		},
		network: func(n network) any {
			return object{
				"id": uuid(n.id), "region": n.region, "description": n.name, "v4_subnet": fmt.Sprintf("10.%d.96.0", n.id), "v4_subnet_mask": 20,
				"date_created": "2025-01-02T03:04:05+00:00",
			}
		},
		list: func(name string, rows []any, page, pages int, _ string) any {
			links := object{"next": "", "prev": ""}
			if page < pages {
				links["next"] = fmt.Sprintf("page%d", page+1)
			}
			if name == "networks" {
				name = "vpcs"
			}
			return object{name: rows, "meta": object{"total": len(rows), "links": links}}
		},
		created: func(n any) (int, any) { return http.StatusCreated, object{"vpc": n} },
		refused: func(status int, _, text string) any { return object{"error": text, "status": status} },
		asked:   func(b object) (string, string) { return text(b["region"]), text(b["description"]) },
	}
}

// akamai is as techdocs.akamai.com/linode-api describes it.
func akamai() dialect {
	return dialect{
		regions: "/v4/regions", networks: "/v4/vpcs", unique: true, shop: linodes(),
		region: func(code string) any {
			return object{"id": code, "label": code, "country": "us", "capabilities": []any{"VPCs"}, "status": "ok", "site_type": "core"}
		},
		network: func(n network) any {
			return object{
				"id": n.id, "label": n.name, "description": "", "region": n.region, "created": "2025-01-02T03:04:05", "updated": "2025-01-02T03:04:05",
				"subnets": []any{object{
					"id": n.id * 10, "label": "default", "ipv4": "10.0.0.0/20", "linodes": []any{}, "databases": []any{}, "nodebalancers": []any{},
					"created": "2025-01-02T03:04:05", "updated": "2025-01-02T03:04:05",
				}},
			}
		},
		list: func(_ string, rows []any, page, pages int, _ string) any {
			return object{"data": rows, "page": page, "pages": pages, "results": len(rows)}
		},
		created: func(n any) (int, any) { return http.StatusOK, n },
		refused: func(_ int, _, text string) any { return object{"errors": []any{object{"reason": text}}} },
		asked:   func(b object) (string, string) { return text(b["region"]), text(b["label"]) },
	}
}

// amazon is as docs.aws.amazon.com/AWSEC2/latest/APIReference describes it: forms are answered with XML. The key's id, which signs a call, is the token.
func amazon() dialect {
	item := func(text string) string { return "<item>" + text + "</item>" }
	element := func(name, value string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(value)) // a strings.Builder takes everything
		return "<" + name + ">" + b.String() + "</" + name + ">"
	}
	return dialect{
		regions: "DescribeRegions", networks: "DescribeVpcs", others: []string{"DescribeSubnets"}, inside: true,
		read: func(req *http.Request) call {
			_ = req.ParseForm() // a form that can't be read has no action
			c := call{method: http.MethodGet, path: req.Form.Get("Action"), body: object{"name": req.Form.Get("TagSpecification.1.Tag.1.Value")}, form: req.Form}
			if !strings.HasPrefix(c.path, "Describe") {
				c.method = http.MethodPost
			}
			_, scope, _ := strings.Cut(req.Header.Get("Authorization"), "Credential=")
			if parts := strings.Split(scope, "/"); len(parts) > 3 { // key, day, region, service
				c.token, c.region = parts[0], parts[2]
			}
			c.body["region"] = c.region
			c.page, _ = strconv.Atoi(req.Form.Get("NextToken"))
			return c
		},
		region: func(code string) any { return element("regionName", code) },
		network: func(n network) any {
			return element("vpcId", fmt.Sprintf("vpc-%08d", n.id)) + element("state", "available") + element("cidrBlock", "10.0.0.0/16") +
				"<tagSet>" + item(element("key", "Name")+element("value", n.name)) + "</tagSet>"
		},
		list: func(name string, rows []any, page, pages int, _ string) any {
			set := map[string]string{"regions": "regionInfo", "networks": "vpcSet", "DescribeSubnets": "subnetSet"}[name]
			var b strings.Builder
			for _, row := range rows {
				b.WriteString(item(text(row)))
			}
			all := "<" + set + ">" + b.String() + "</" + set + ">"
			if page < pages {
				all += element("nextToken", strconv.Itoa(page+1))
			}
			return "<Response>" + all + "</Response>"
		},
		created: func(n any) (int, any) { return http.StatusOK, "<Response><vpc>" + text(n) + "</vpc></Response>" },
		refused: func(_ int, code, text string) any {
			if own := map[string]string{
				"unauthorized": "AuthFailure", "rate_limit_exceeded": "RequestLimitExceeded",
				"forbidden": "UnauthorizedOperation",
			}[code]; own != "" {
				code = own
			}
			return "<Response><Errors><Error>" + element("Code", code) + element("Message", text) + "</Error></Errors><RequestID>x</RequestID></Response>"
		},
		asked: func(b object) (string, string) { return text(b["region"]), text(b["name"]) },
	}
}
