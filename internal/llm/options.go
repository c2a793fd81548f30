package llm

import (
	"encoding/json"
	"maps"

	"github.com/tmc/langchaingo/llms"
)

// Metadata keys. langchaingo keeps every key that begins with "openai:" off the wire.
const (
	schemaKey    = "openai:kbagent_schema"
	legacyMaxKey = "openai:use_legacy_max_tokens" // as openai.WithLegacyMaxTokensField sets it
)

// jsonSchema is what Schema leaves in the options.
type jsonSchema struct {
	name   string
	schema json.RawMessage
}

// Schema asks for a reply that is valid under a JSON schema. name identifies the schema to the
// server: letters, digits, _ and -, at most 64. It is passed in the option's metadata, so it must come
// after llms.WithMetadata and llms.WithOptions, and a model that is not a [Model] ignores it. It is
// sent as strict: OpenAI then wants every property required and additionalProperties false. To Anthropic
// it goes as the input of a tool that the model must call; it cannot stand beside other tools there.
//
// A server that refuses it is asked once more without; when that works, the name is remembered as
// refused for that model and the log says so. The reply is then plain text, and even a constrained
// reply can be cut by the token limit: parse it with care. A schema that is no JSON fails the call.
func Schema(name string, schema json.RawMessage) llms.CallOption {
	return func(o *llms.CallOptions) {
		own := make(map[string]any, len(o.Metadata)+1) // the caller may share its map between calls
		maps.Copy(own, o.Metadata)
		own[schemaKey] = jsonSchema{name: name, schema: schema}
		o.Metadata = own
	}
}
