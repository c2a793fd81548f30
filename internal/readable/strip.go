package readable

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unreadable are the elements that hold no text of the page.
var unreadable = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Svg: true, atom.Canvas: true,
	atom.Object: true, atom.Embed: true, atom.Button: true, atom.Input: true, atom.Select: true, atom.Textarea: true,
	atom.Audio: true, atom.Video: true, atom.Img: true, atom.Picture: true, atom.Map: true, atom.Dialog: true,
}

// strip removes from n what is not text and what cannot be seen, and counts the elements that stay.
func strip(n *html.Node) (elements int) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.Type == html.CommentNode, child.Type == html.ElementNode && (unreadable[child.DataAtom] || hidden(child)):
			n.RemoveChild(child)
		default:
			if child.Type == html.ElementNode {
				elements++
			}
			elements += strip(child)
		}
		child = next
	}
	return elements
}

// hidden reports whether an element is marked as not to be seen. Text that only programs read is no evidence.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if strings.EqualFold(a.Val, "true") {
				return true
			}
		case "style":
			style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

// titleOf is the text of the page's title element.
func titleOf(n *html.Node) string {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Title && d.FirstChild != nil {
			return strings.Join(strings.Fields(d.FirstChild.Data), " ")
		}
	}
	return ""
}

// visible counts the letters of n, with one space between words.
func visible(n *html.Node) (letters int) {
	for d := range n.Descendants() {
		if d.Type != html.TextNode {
			continue
		}
		for word := range strings.FieldsSeq(d.Data) {
			letters += utf8.RuneCountInString(word) + 1
		}
	}
	return letters
}
