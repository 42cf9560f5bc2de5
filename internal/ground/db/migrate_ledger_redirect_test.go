package db_test

import (
	"fmt"
	"testing"
)

// Redirects in every status, with their order and open operations, are taken over; one that was never installed goes.
func TestLedgerTakesOverRedirects(t *testing.T) {
	t.Parallel()
	bothBefore(t, 301, func(t *testing.T, b before) {
		b.site(12)
		rule := func(id, position int, status string, operation any) {
			b.exec(`INSERT INTO redirect_rules (id, site_id, source, target, type, position, status, operation_id, created_at, updated_at) VALUES ($1, 12, $2, '/x', 'permanent', $3, $4, $5, 5, 5)`,
				id, fmt.Sprintf("^/%d$", id), position, status, operation)
		}
		request := func(ids ...int) string {
			rules := ""
			for i, id := range ids {
				if i > 0 {
					rules += ","
				}
				rules += fmt.Sprintf(`{"ID":%d,"SiteID":12,"Source":"^/%d$","Target":"/x","Type":"permanent","Position":9,"Status":"installing","OperationID":null,"CreatedAt":5,"UpdatedAt":5}`, id, id)
			}
			return `{"rules":[` + rules + `]`
		}
		rule(1, 3, "installed", 101) // from before operations were kept
		rule(2, 1, "installed", 102)
		b.operation(102, "redirect-rules", 2, "create", "succeeded", request(2)+"}")
		rule(3, 2, "installing", 103)
		b.operation(103, "redirect-rules", 3, "create", "pending", request(3)+"}")
		b.operation(104, "redirect-rules", 4, "create", "failed", request(4)+"}") // its row is gone
		rule(5, 5, "installed", 106)                                              // its creation failed, and then its deletion
		b.operation(105, "redirect-rules", 5, "create", "failed", request(5)+"}")
		b.operation(106, "redirect-rules", 5, "delete", "failed", "null")
		rule(6, 6, "removing", 107) // an import takes its place
		rule(7, 7, "installing", 107)
		b.operation(107, "redirect-rules-import", 12, "create", "running", request(7)+`,"replaced":[6]}`)
		b.operation(108, "redirect-rules-order", 12, "update", "succeeded", `{"before":[1,2],"after":[2,1]}`)
		rule(8, 8, "removing", 109)
		b.operation(109, "redirect-rules", 8, "delete", "pending", "null")
		b.migrate(nil)
		spec := func(id int) string {
			return fmt.Sprintf(`{"site_id":12,"from":"^/%d$","to":"/x","type":"permanent","created_at":5}`, id)
		}
		b.want(`SELECT kind || ' ' || id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind LIKE 'redirect%' ORDER BY kind, id`,
			"redirect-rules 1 by 0 "+spec(1), "redirect-rules 2 by 102 "+spec(2), "redirect-rules 6 by 0 "+spec(6), "redirect-rules 8 by 0 "+spec(8),
			`redirect-rules-order 12 by 108 {"site_id":12,"rules":[2,3,1,6,7,8]}`)
		b.want(`SELECT kind || ' ' || id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes ORDER BY kind, id, operation_id`,
			"redirect-rules 3 in 103 "+spec(3), "redirect-rules 4 in 104 "+spec(4), "redirect-rules 5 in 105 "+spec(5),
			"redirect-rules 5 in 106 gone", "redirect-rules 6 in 107 gone",
			"redirect-rules 7 in 107 "+spec(7), "redirect-rules 8 in 109 gone")
		b.want(`SELECT id || ' ' || position || ' ' || status FROM redirect_rules ORDER BY position, id`,
			"2 1 installed", "3 2 installing", "1 3 installed", "6 4 removing", "7 5 installing", "8 6 removing")
	})
}

// A requested order is shown, and the previous one is applied.
func TestLedgerTakesOverAnOpenOrder(t *testing.T) {
	t.Parallel()
	bothBefore(t, 301, func(t *testing.T, b before) {
		b.site(12)
		for i, position := range []int{3, 1, 2} {
			b.exec(`INSERT INTO redirect_rules (id, site_id, source, target, type, position, status, created_at, updated_at) VALUES ($1, 12, '^/a$', '/x', 'permanent', $2, 'installed', 5, 5)`, i+1, position)
		}
		b.operation(1, "redirect-rules-order", 12, "update", "succeeded", `{"before":[1,2,3],"after":[2,1,3]}`)
		b.operation(2, "redirect-rules-order", 12, "update", "failed", `{"before":[2,1,3],"after":[3,2,1]}`)
		b.operation(3, "redirect-rules-order", 12, "update", "running", `{"before":[2,1,3],"after":[1,3,2]}`)
		b.operation(4, "redirect-rules-order", 12, "update", "pending", `{"before":[1,3,2],"after":[2,3,1]}`)
		b.migrate(nil)
		b.want(`SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind = 'redirect-rules-order'`,
			`12 by 1 {"site_id":12,"rules":[2,1,3]}`)
		b.want(`SELECT operation_id || ' ' || specification FROM wishes ORDER BY operation_id`, `2 {"site_id":12,"rules":[3,2,1]}`,
			`3 {"site_id":12,"rules":[1,3,2]}`, `4 {"site_id":12,"rules":[2,3,1]}`)
		b.want(`SELECT id || ' ' || position FROM redirect_rules ORDER BY position`, "2 1", "3 2", "1 3")
	})
}
