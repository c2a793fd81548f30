package tools

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/go-shiori/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements is the most elements of a page that is searched for its readable part: the search takes time that cannot
// be cut short.
const maxElements = 50_000

// minShare is the part of a page's text that its readable part must hold. With less, the page is taken whole: lists of
// functions and tables of settings do not look like an article.
const minShare = 0.25

// readable is the readable part of an HTML page as Markdown, without navigation, scripts, links and pictures. A
// page in which no such part is found is taken as a whole.
func readable(text string, at *url.URL) (doc webDoc, err error) {
	defer func() { // the libraries see what strangers write
		if p := recover(); p != nil {
			doc, err = webDoc{}, &Error{Code: CodeFailed, Message: fmt.Sprintf("the HTML of %s cannot be converted: %v", at, p)}
		}
	}()
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return webDoc{}, &Error{Code: CodeFailed, Message: fmt.Sprintf("the HTML of %s cannot be read: %v", at, err)}
	}
	if n := strip(page); n > maxElements {
		return webDoc{}, &Error{Code: CodeTooLarge, Message: fmt.Sprintf("%s has %d elements, the limit is %d", at, n, maxElements)}
	}
	boundTables(page)
	boundIndent(page, 0)
	parser := readability.NewParser()
	parser.KeepClasses = true // code blocks tell their language
	article, articleErr := parser.ParseDocument(page, at)
	doc = webDoc{title: titleOf(page), markdown: true}
	if doc.text, err = markdown(page); err != nil || articleErr != nil || article.Node == nil {
		return doc, err // without an article the page as a whole is the answer
	}
	part, err := markdown(article.Node)
	if err != nil {
		return webDoc{}, err
	}
	if float64(utf8.RuneCountInString(part)) >= minShare*float64(utf8.RuneCountInString(doc.text))-1e-9 {
		doc.text = part
	}
	if title := strings.Join(strings.Fields(article.Title), " "); title != "" {
		doc.title = title
	}
	return doc, nil
}

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

// The converter writes < and > of the text as entities. Noncharacters stand for them while it works.
var (
	hideAngles = strings.NewReplacer("<", "\ufdd0", ">", "\ufdd1")
	showAngles = strings.NewReplacer("\ufdd0", "<", "\ufdd1", ">")
)

var markdownConverter = sync.OnceValue(func() *converter.Converter {
	// No escapes: a quotation has to stand in the text as people write it.
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal))),
	)
	c.Register.TextTransformer(func(_ converter.Context, text string) string { return hideAngles.Replace(text) }, converter.PriorityEarly)
	// Addresses of links are no text that anybody would quote.
	c.Register.RendererFor("a", converter.TagTypeInline, func(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		ctx.RenderChildNodes(ctx, w, n)
		return converter.RenderSuccess
	}, converter.PriorityEarly)
	return c
})

func markdown(n *html.Node) (string, error) {
	text, err := markdownConverter().ConvertNode(n)
	if err != nil {
		return "", &Error{Code: CodeFailed, Message: "the page cannot be converted: " + err.Error()}
	}
	return strings.TrimSpace(showAngles.Replace(string(text))) + "\n", nil
}
