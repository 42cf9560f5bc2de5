package nginx

import (
	"context"
	"fmt"
	"math"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/nginxconf"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/php"
)

// sizes says who else limits the size of requests, where a user's configuration of a site has another limit than they have; "" if none does.
func sizes(ctx context.Context, q *query.Granted, srv query.Server, row query.Site, text string) (string, error) {
	tree, err := nginxconf.Read(text)
	if err != nil { // one that predates the checks, or was written as root
		return "", nil //nolint:nilerr // nginx judges it
	}
	least, most, set := nginxconf.BodySizes(tree)
	switch {
	case !set:
		return "", nil
	case row.Type == sitetype.Balancer && least < math.MaxInt64:
		return fmt.Sprintf("The load balancer refuses requests of more than %s itself. The sites behind it may take more.", size(least)), nil
	case !sitetype.HasPHP(row.Type):
		return "", nil
	}
	limits, err := php.LimitsOf(ctx, q, srv)
	if err != nil {
		return "", err
	}
	file, request := limits.Sizes()
	switch {
	case most > request:
		return fmt.Sprintf("nginx lets requests of %s through, and PHP takes %s, with files of %s: the server's max_upload_size sets PHP's limits.",
			size(most), size(request), size(file)), nil
	case limits.MaxUploadMB > 0 && least < file:
		return fmt.Sprintf("nginx refuses requests of more than %s here, and PHP would take files of %s: this configuration has precedence over the server's "+
			"max_upload_size.", size(least), size(file)), nil
	}
	return "", nil
}

// size is a number of bytes as people write it.
func size(n int64) string {
	switch {
	case n == math.MaxInt64:
		return "any size"
	case n >= 1<<20:
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}
