package load

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/go-shiori/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/kbagent/kbagent/index"
)

// Limits of a page. The conversion takes time that cannot be cut short.
const (
	maxPageBytes = 16 << 20
	// maxElements is the most elements of a page, and maxArticle of one that is searched for its readable part.
	maxElements = 300_000
	maxArticle  = 50_000
)

// minShare is the part of a page's text that its readable part must hold. With less, the page is taken whole: lists of
// functions and tables of settings do not look like an article.
const minShare = 0.25

// html is the readable part of a page as Markdown, without navigation, scripts, addresses of links and pictures. Of a page
// in which no such part is found all is taken that can be seen.
func (f *Files) html(data []byte) (index.Loaded, error) {
	if len(data) > maxPageBytes {
		return index.Loaded{}, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(data), maxPageBytes)
	}
	source, err := decodePage(data)
	if err != nil {
		return index.Loaded{}, err
	}
	page, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return index.Loaded{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	title := titleOf(page)
	elements := strip(page)
	if elements > maxElements {
		return index.Loaded{}, fmt.Errorf("%w: %d elements, the limit is %d", ErrTooLarge, elements, maxElements)
	}
	boundTables(page)
	boundIndent(page, 0)
	text, title, err := article(page, title, elements)
	if err != nil {
		return index.Loaded{}, err
	}
	if strings.TrimSpace(text) == "" {
		return index.Loaded{}, fmt.Errorf("%w: nothing of the page can be seen without running its scripts", ErrNoText)
	}
	return index.Loaded{Text: text, Title: title, Markdown: true}, nil
}

// article is the readable part of page, or all of it. It changes page.
func article(page *html.Node, title string, elements int) (text, found string, err error) {
	if elements > maxArticle {
		text, err = markdown(page)
		return text, title, err
	}
	parser := readability.NewParser()
	parser.KeepClasses = true // code blocks tell their language
	// The parser works on a copy.
	part, articleErr := parser.ParseDocument(page, &url.URL{Scheme: "file", Path: "/"})
	if text, err = markdown(page); err != nil || articleErr != nil || part.Node == nil {
		return text, title, err // without an article the page as a whole is the answer
	}
	readable, err := markdown(part.Node)
	if err != nil {
		return "", "", err
	}
	if float64(utf8.RuneCountInString(readable)) >= minShare*float64(utf8.RuneCountInString(text))-1e-9 {
		text = readable
	}
	if t := oneLine(part.Title); t != "" {
		title = t
	}
	return text, title, nil
}

// decodePage returns a page as UTF-8: in the encoding that it declares, else as any text.
func decodePage(data []byte) (string, error) {
	if utf8.Valid(data) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return decode(data)
	}
	if m := declaredCharset.FindSubmatch(data[:min(len(data), 2048)]); m != nil {
		if enc, name := charset.Lookup(string(m[1])); enc != nil && name != "utf-8" {
			return decodeWith(enc, name, data)
		}
	}
	return decode(data)
}

var declaredCharset = regexp.MustCompile(`(?i)<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?([\w:.-]+)`)

// The converter writes < and > of the text as entities. Noncharacters stand for them while it works.
var (
	hideAngles = strings.NewReplacer("<", "\ufdd0", ">", "\ufdd1")
	showAngles = strings.NewReplacer("\ufdd0", "<", "\ufdd1", ">")
)

var markdownConverter = sync.OnceValue(func() *converter.Converter {
	// No escapes: a quotation has to stand in the text as people write it.
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true))),
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
		return "", fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return strings.TrimSpace(showAngles.Replace(string(text))) + "\n", nil
}

// oneLine is s with single spaces instead of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
