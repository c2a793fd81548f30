// Package readable makes Markdown of HTML pages that strangers wrote: of the readable part, without navigation, scripts,
// addresses of links and pictures. It imports the libraries for that and nothing of the project.
//
// Those libraries can be brought down by small pages: a table of 66 bytes with huge spans exhausts memory, 80 KB of nested
// lists take a minute. Everything that costs more than its size is bounded before they see it, and their panics are errors.
package readable

import (
	"errors"
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
)

// The errors of From. A conversion takes time that cannot be cut short, so that large pages are refused.
var (
	ErrTooLarge  = errors.New("the page is too large")
	ErrMalformed = errors.New("the HTML cannot be converted")
)

// MaxArticle is the most elements of a page that is searched for its readable part; a larger one is taken whole.
const MaxArticle = 50_000

// minShare is the part of a page's text that its readable part must hold. With less, the page is taken whole: lists of
// functions and tables of settings do not look like an article.
const minShare = 0.25

// sureShare is the part of the page's letters, one in so many, with which a readable part holds enough for sure: the whole page is
// not converted then to compare. As Markdown it would need more marks than letters to be too long.
const sureShare = 2

// Page is what can be read of a page. Text is Markdown and may be empty.
type Page struct{ Title, Text string }

// Options tune From. The zero value works.
type Options struct {
	MaxElements    int  // default MaxArticle; more is ErrTooLarge
	PromoteHeaders bool // the first row of a table without a head is its head
}

// From converts a page of that address. A page in which no readable part is found is taken as a whole. Its errors wrap
// ErrTooLarge or ErrMalformed. It is safe for concurrent use.
func From(text string, at *url.URL, o Options) (p Page, err error) {
	defer func() { // the libraries see what strangers write
		if r := recover(); r != nil {
			p, err = Page{}, fmt.Errorf("%w: %v", ErrMalformed, r)
		}
	}()
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return Page{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	limit := o.MaxElements
	if limit == 0 {
		limit = MaxArticle
	}
	p.Title = titleOf(page)
	elements := strip(page)
	if elements > limit {
		return Page{}, fmt.Errorf("%w: %d elements, the limit is %d", ErrTooLarge, elements, limit)
	}
	boundTables(page)
	boundIndent(page, 0)
	return article(p, page, at, elements, o)
}

// article is the readable part of page, or all of it. It changes page.
func article(p Page, page *html.Node, at *url.URL, elements int, o Options) (Page, error) {
	var part readability.Article
	if elements <= MaxArticle {
		parser := readability.NewParser()
		parser.KeepClasses = true // code blocks tell their language
		var err error
		if part, err = parser.ParseDocument(page, at); err != nil { // it works on a copy
			part = readability.Article{} // without an article the page as a whole is the answer
		}
	}
	var err error
	if part.Node == nil {
		p.Text, err = markdown(page, o)
		return p, err
	}
	readable, err := markdown(part.Node, o)
	if err != nil {
		return Page{}, err
	}
	if p.Text = readable; utf8.RuneCountInString(readable) < visible(page)/sureShare {
		if p.Text, err = markdown(page, o); err != nil {
			return Page{}, err
		}
		if float64(utf8.RuneCountInString(readable)) >= minShare*float64(utf8.RuneCountInString(p.Text))-1e-9 {
			p.Text = readable
		}
	}
	if title := strings.Join(strings.Fields(part.Title), " "); title != "" {
		p.Title = title
	}
	return p, nil
}

// The converter writes < and > of the text as entities. Noncharacters stand for them while it works.
var (
	hideAngles = strings.NewReplacer("<", "\ufdd0", ">", "\ufdd1")
	showAngles = strings.NewReplacer("\ufdd0", "<", "\ufdd1", ">")
)

var (
	plainConverter    = sync.OnceValue(func() *converter.Converter { return newConverter(false) })
	promotedConverter = sync.OnceValue(func() *converter.Converter { return newConverter(true) })
)

func newConverter(promote bool) *converter.Converter {
	// No escapes: a quotation has to stand in the text as people write it.
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(promote))),
	)
	c.Register.TextTransformer(func(_ converter.Context, text string) string { return hideAngles.Replace(text) }, converter.PriorityEarly)
	// Addresses of links are no text that anybody would quote.
	c.Register.RendererFor("a", converter.TagTypeInline, func(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		ctx.RenderChildNodes(ctx, w, n)
		return converter.RenderSuccess
	}, converter.PriorityEarly)
	return c
}

func markdown(n *html.Node, o Options) (string, error) {
	convert := plainConverter
	if o.PromoteHeaders {
		convert = promotedConverter
	}
	text, err := convert().ConvertNode(n)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return strings.TrimSpace(showAngles.Replace(string(text))) + "\n", nil
}
