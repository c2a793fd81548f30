package tools

import (
	"net/url"
	"strings"
)

// tracking are query parameters that say where a visitor comes from and nothing about the page.
var tracking = map[string]bool{
	"gclid": true, "dclid": true, "fbclid": true, "msclkid": true, "yclid": true, "twclid": true, "igshid": true,
	"mc_cid": true, "mc_eid": true, "_hsenc": true, "_hsmi": true, "srsltid": true,
}

// canonicalURL is the key under which equal pages collapse: scheme, default port, "www.", fragment, tracking parameters,
// the order of parameters and a final slash do not count. ok is false for what is no page of the web.
func canonicalURL(raw string) (key string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return "", false
	}
	host := strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), "www.")
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	query := u.Query()
	for name := range query {
		if tracking[name] || strings.HasPrefix(name, "utm_") {
			query.Del(name)
		}
	}
	key = host + strings.TrimSuffix(u.EscapedPath(), "/")
	if encoded := query.Encode(); encoded != "" { // sorted by name
		key += "?" + encoded
	}
	return key, true
}
