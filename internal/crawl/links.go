package crawl

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// links are what a page tells a crawler.
type links struct {
	urls    []*url.URL // in order, without those that it says not to follow
	noIndex bool
}

// linksOf reads the links of an HTML page of that address. A page that cannot be parsed has none.
func linksOf(text string, at *url.URL) (l links) {
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return l
	}
	base, noFollow := at, false
	for n := range page.Descendants() {
		switch n.DataAtom {
		case atom.Base:
			if u, err := at.Parse(attribute(n, "href")); err == nil && base == at && u.Host != "" {
				base = u
			}
		case atom.Meta:
			if name := attribute(n, "name"); strings.EqualFold(name, "robots") || strings.EqualFold(name, "kbagent") {
				rules := directives(attribute(n, "content"))
				l.noIndex = l.noIndex || rules["noindex"] || rules["none"]
				noFollow = noFollow || rules["nofollow"] || rules["none"]
			}
		case atom.A, atom.Area:
			href := strings.TrimSpace(attribute(n, "href"))
			if href == "" || directives(strings.ReplaceAll(attribute(n, "rel"), " ", ","))["nofollow"] {
				continue
			}
			if u, err := base.Parse(href); err == nil {
				l.urls = append(l.urls, u)
			}
		}
	}
	if noFollow {
		l.urls = nil
	}
	return l
}

// directives are the words of a list with commas, in lower case.
func directives(list string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.SplitSeq(strings.ToLower(list), ",") {
		all[strings.TrimSpace(word)] = true
	}
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
