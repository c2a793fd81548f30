package llm

import "github.com/tmc/langchaingo/llms"

// Usage counts the tokens of one call as the server reported them; all 0 when it reported none.
type Usage struct {
	PromptTokens     int
	CompletionTokens int // thinking included
	TotalTokens      int
}

// UsageOf reads the usage of a response. It accepts nil and responses of other models: what is
// missing is 0, a missing total is the sum.
func UsageOf(resp *llms.ContentResponse) Usage {
	if resp == nil {
		return Usage{}
	}
	for _, choice := range resp.Choices { // every choice carries the usage of the whole call
		if choice == nil || choice.GenerationInfo == nil {
			continue
		}
		u := Usage{
			PromptTokens:     count(choice.GenerationInfo["PromptTokens"]),
			CompletionTokens: count(choice.GenerationInfo["CompletionTokens"]),
			TotalTokens:      count(choice.GenerationInfo["TotalTokens"]),
		}
		if u.TotalTokens == 0 {
			u.TotalTokens = u.PromptTokens + u.CompletionTokens
		}
		if u.TotalTokens > 0 {
			return u
		}
	}
	return Usage{}
}

// count reads whichever number type a provider put there.
func count(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}
