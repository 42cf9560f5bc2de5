// Package sitetype lists the types of sites, and what each of them needs to be served.
package sitetype

// The types of sites. Balancer is ours, for a site on a load balancer; the contract creates it through a separate operation.
const (
	StaticHTML = "static-html"
	PHP        = "php"
	Other      = "other"
	Custom     = "custom"
	Laravel    = "laravel"
	Symfony    = "symfony"
	Statamic   = "statamic"
	WordPress  = "wordpress"
	PHPMyAdmin = "phpmyadmin"
	Next       = "nextjs"
	Nuxt       = "nuxtjs"
	Balancer   = "balancer"
)

// HasPHP reports whether PHP-FPM answers for sites of a type.
func HasPHP(kind string) bool {
	switch kind {
	case PHP, Laravel, Symfony, Statamic, WordPress, PHPMyAdmin:
		return true
	}
	return false
}

// IsNode reports whether sites of a type are served by a program of Node, unless they are static.
func IsNode(kind string) bool { return kind == Next || kind == Nuxt }
