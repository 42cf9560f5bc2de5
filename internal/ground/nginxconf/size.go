package nginxconf

import "math"

// BodySizes returns the smallest and the largest size of requests that a configuration lets through in some place of it, in bytes; set is false if it says
// none. Any size is math.MaxInt64.
func BodySizes(tree []*Statement) (least, most int64, set bool) {
	walk(tree, func(s *Statement) {
		args := s.Args()
		if s.Name() != "client_max_body_size" || len(args) != 1 {
			return
		}
		n, ok := bytesOf(args[0])
		if !ok {
			return
		}
		if n == 0 {
			n = math.MaxInt64
		}
		if !set {
			least, most, set = n, n, true
		}
		least, most = min(least, n), max(most, n)
	})
	return least, most, set
}
