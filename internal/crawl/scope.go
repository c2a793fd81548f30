package crawl

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// A scope is the part of the web that a crawl stays in: one host, and a folder of it.
type scope struct {
	host   string // with its port, unless that is the usual one
	folder string // with a slash at its end
}

// scopeOf is what lies beside and below the page: "/docs/a.html" and "/docs/" are in "/docs/"; a last part without a dot is taken
// for a folder.
func scopeOf(page *url.URL) scope {
	folder := page.EscapedPath()
	if last := path.Base(folder); !strings.HasSuffix(folder, "/") && !strings.Contains(last, ".") {
		folder += "/"
	}
	return scope{host: hostOf(page), folder: folder[:strings.LastIndexByte(folder, '/')+1]}
}

// check is nil for a page of the scope.
func (s scope) check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s is no page of the web", u.Scheme)
	case hostOf(u) != s.host:
		return fmt.Errorf("%s is another host than %s", hostOf(u), s.host)
	case !strings.HasPrefix(u.EscapedPath(), s.folder) && u.EscapedPath()+"/" != s.folder:
		return fmt.Errorf("%s is not below %s", u.EscapedPath(), s.folder)
	}
	return nil
}

// hostOf is the host in lower case with its port, unless that is the usual one of its scheme.
func hostOf(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	return host
}

// Address is the one form of a page's URL: lower-case scheme and host, no usual port, no fragment, a path.
func Address(u *url.URL) string {
	c := *u
	c.Scheme, c.Host = strings.ToLower(u.Scheme), hostOf(u)
	c.Fragment, c.RawFragment = "", ""
	c.ForceQuery = false
	if c.Path == "" {
		c.Path = "/"
	}
	return c.String()
}
