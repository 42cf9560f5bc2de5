package archive

import (
	"net/http"
	"regexp"
	"strconv"
)

var anyPage = regexp.MustCompile(`(?i)^(?:\x{feff}|\s|<!--[^>]*-->|<\?xml[^>]*\?>)*<(?:!doctype|html|head|body|title)`)

// IsPage reports whether what a storage is said to have answered is a page for people: a proxy, a firewall or a web server wrote it.
func IsPage(raw []byte) bool { return anyPage.Match(raw) }

// PageInWords says what a page with a status in the place of a storage's answer is about, "" where that is not clear.
func PageInWords(status int) string {
	number := strconv.Itoa(status)
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return "A proxy or firewall in front of the storage refuses the request (" + number +
			"), not the storage itself: let the address of this machine through there."
	case http.StatusRequestEntityTooLarge:
		return "A proxy in front of the storage takes no request of this size (" + number + "): raise its limit, such as client_max_body_size 0 in nginx."
	case http.StatusTooManyRequests:
		return "A proxy in front of the storage takes fewer requests than are sent (" + number + "): raise its limit."
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, 520, 521, 522, 523, 524: // Cloudflare's
		return "A proxy in front of the storage gets no answer of it (" + number + "): check whether the storage itself runs."
	}
	return ""
}
