package load

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// readStyles is the level of the headings by the id of their style. Word writes "Heading 1" as the name of the style in every
// language; the outline level tells it where authors made styles of their own. A document without styles has none.
func readStyles(p *parts) map[string]int {
	v := styleVisitor{levels: map[string]int{}}
	if err := p.each("word/styles.xml", &v); err != nil {
		return v.levels // the text can be read without them
	}
	return v.levels
}

type styleVisitor struct {
	levels map[string]int
	id     string
}

func (v *styleVisitor) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "style":
		v.id = attr(e, "styleId")
	case "name":
		name := strings.ToLower(attr(e, "val"))
		if name == "title" {
			v.levels[v.id] = 1
		} else if level, err := strconv.Atoi(strings.TrimPrefix(name, "heading ")); err == nil && strings.HasPrefix(name, "heading ") {
			v.set(level)
		}
	case "outlineLvl":
		if level, err := strconv.Atoi(attr(e, "val")); err == nil && v.levels[v.id] == 0 {
			v.set(level + 1)
		}
	}
	return nil
}

func (v *styleVisitor) set(level int) {
	if level >= 1 && level <= 9 {
		v.levels[v.id] = min(level, 6)
	}
}

func (v *styleVisitor) text(string) {}
func (v *styleVisitor) end(string)  {}

// readTitle is the title in the document's properties, "" for none.
func readTitle(p *parts) string {
	var v titleVisitor
	if err := p.each("docProps/core.xml", &v); err != nil {
		return "" // its first heading is the title then
	}
	return oneLine(v.title.String())
}

type titleVisitor struct {
	inside bool
	title  strings.Builder
}

func (v *titleVisitor) start(e xml.StartElement) error {
	v.inside = e.Name.Local == "title"
	return nil
}

func (v *titleVisitor) text(s string) {
	if v.inside && v.title.Len() < 1000 {
		v.title.WriteString(s)
	}
}

func (v *titleVisitor) end(string) { v.inside = false }
