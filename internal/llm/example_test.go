package llm_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
)

func Example() {
	model, err := llm.New(llm.Config{
		BaseURL:   "http://localhost:11434/v1",
		Model:     "llama3.2",
		Transport: &fakeTransport{answers: answers(status(http.StatusOK, nil, goodReply))}, // no server in this example
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := model.GenerateContent(context.Background(),
		[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "How are you?")},
		llms.WithMaxTokens(100),
		llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
			_, err := fmt.Printf("%s ", piece)
			return err
		}),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Choices[0].StopReason)
	// Output: fine stop
}
