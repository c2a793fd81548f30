package notify

import "strings"

// card is a Teams message with one Adaptive Card, https://adaptivecards.io/explorer, of version 1.2, which all clients know.
type card struct {
	Type        string       `json:"type"`
	Text        string       `json:"text"` // for receivers that show no cards
	Attachments []attachment `json:"attachments"`
}

type attachment struct {
	ContentType string       `json:"contentType"`
	Content     adaptiveCard `json:"content"`
}

type adaptiveCard struct {
	Schema  string    `json:"$schema"`
	Type    string    `json:"type"`
	Version string    `json:"version"`
	Body    []element `json:"body"`
	Actions []action  `json:"actions,omitempty"`
}

type element struct {
	Type   string `json:"type"`
	Text   string `json:"text,omitzero"`
	Weight string `json:"weight,omitzero"`
	Wrap   bool   `json:"wrap,omitzero"`
	Facts  []fact `json:"facts,omitempty"`
}

type fact struct {
	Title string `json:"title"`
	Value string `json:"value"`
}

type action struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

func newCard(c content) card {
	facts := element{Type: "FactSet"}
	for _, f := range c.facts {
		facts.Facts = append(facts.Facts, fact{f[0], cardEscape(f[1])})
	}
	content := adaptiveCard{
		Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.2",
		Body: []element{
			{Type: "TextBlock", Text: cardEscape(c.subject), Weight: "Bolder", Wrap: true}, facts,
			{Type: "TextBlock", Text: "Question: " + cardEscape(c.question), Wrap: true},
			{Type: "TextBlock", Text: "Answer: " + cardEscape(c.answer), Wrap: true},
		},
	}
	for _, concern := range c.concerns {
		content.Body = append(content.Body, element{Type: "TextBlock", Text: "- " + cardEscape(concern), Wrap: true})
	}
	if c.isURL {
		content.Actions = []action{{"Action.OpenUrl", "Review", c.where}}
	} else {
		content.Body = append(content.Body, element{Type: "TextBlock", Text: "Decide: " + cardEscape(c.where), Wrap: true})
	}
	return card{
		Type: "message", Text: c.text(func(s string) string { return s }),
		Attachments: []attachment{{"application/vnd.microsoft.card.adaptive", content}},
	}
}

// cardEscape keeps data from being a link or an emphasis in the card's Markdown.
func cardEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `*`, `\*`, `_`, `\_`, `<`, `&lt;`).Replace(s)
}
