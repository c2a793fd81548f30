package config

import (
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"time"
)

// prefix is in front of every variable.
const prefix = "KB_AGENT_"

// variables are all variables that exist, with what caarlos0/env has to know and, in our own tags, the rest: min and max
// (included), oneof, kind (url, secret) and help. Their order is that of .env.example and of Config.Values.
type variables struct {
	MaxIterations        int           `env:"MAX_ITERATIONS" envDefault:"3" min:"1" max:"10" help:"rounds of retrieval for one question"`
	AutoApproveMaxItems  int           `env:"AUTO_APPROVE_MAX_ITEMS" envDefault:"2" min:"0" max:"100" help:"so few passages go ungraded; 0 switches the rule off"`
	VectorScoreThreshold float64       `env:"VECTOR_SCORE_THRESHOLD" envDefault:"0.8" min:"0" max:"1" help:"passages that are all at least so similar go ungraded"`
	EvidenceMinScore     float64       `env:"EVIDENCE_MIN_SCORE" envDefault:"0.3" min:"0" max:"1" help:"passages graded lower are dropped"`
	GenerateMinScore     float64       `env:"GENERATE_MIN_SCORE" envDefault:"0.7" min:"0" max:"1" help:"average grade that is enough to answer, at least EVIDENCE_MIN_SCORE"`
	MaxContextItems      int           `env:"MAX_CONTEXT_ITEMS" envDefault:"20" min:"1" max:"100" help:"passages that are graded and answered from at once"`
	Evaluator            string        `env:"EVALUATOR" envDefault:"auto" oneof:"auto llm lexical signals heuristic" help:"who grades passages; auto takes the model when there is one; signals and heuristic judge a retrieval as a whole"`
	AnswerMode           string        `env:"ANSWER_MODE" envDefault:"best_effort" oneof:"strict best_effort open" help:"what to do when the evidence is weak"`
	QueryExpansion       toggle        `env:"QUERY_EXPANSION" envDefault:"on" help:"search again with synonyms when nothing fits"`
	Abstention           string        `env:"ABSTENTION" envDefault:"I could not find an answer to this in the knowledge base." help:"the sentence that says that there is no answer"`
	RefineContext        toggle        `env:"REFINE_CONTEXT" envDefault:"off" help:"cut passages into strips and answer from the relevant ones"`
	Synonyms             string        `env:"SYNONYMS" help:"file of synonyms, one group a line, beside the built-in ones"`
	WebSearch            string        `env:"WEB_SEARCH" envDefault:"off" oneof:"off incorrect ambiguous" help:"search the web when nothing found is relevant (incorrect), or only partly (ambiguous)"`
	WebReplace           toggle        `env:"WEB_REPLACE" envDefault:"off" help:"web results replace the passages instead of being added"`
	SearXNGURL           string        `env:"SEARXNG_URL" kind:"url" help:"address of a SearXNG server that offers JSON"`
	TavilyAPIKey         string        `env:"TAVILY_API_KEY" kind:"secret" help:"key of the search service Tavily"`
	WebCooldown          time.Duration `env:"WEB_COOLDOWN" envDefault:"30s" min:"0s" max:"24h" help:"time between two questions that search the web"`
	WebAllow             string        `env:"WEB_ALLOW" help:"private hosts or networks that pages may be fetched from, separated by commas"`
	Verify               string        `env:"VERIFY" envDefault:"auto" oneof:"auto on off" help:"check the claims of each answer against its passages; auto does when there is a model"`
	VerifyThreshold      float64       `env:"VERIFY_THRESHOLD" envDefault:"0.7" min:"0" max:"1" help:"confidence from which an answer counts as grounded"`
	VerifyMaxAttempts    int           `env:"VERIFY_MAX_ATTEMPTS" envDefault:"2" min:"0" max:"5" help:"corrections of an answer that is not grounded"`
	VerifyFormula        string        `env:"VERIFY_FORMULA" envDefault:"standard" oneof:"standard rate" help:"how claims become a confidence; rate has no absolute penalty"`
	VerifyShowClaims     toggle        `env:"VERIFY_SHOW_CLAIMS" envDefault:"off" help:"show each claim with its verdict"`
	Confidence           toggle        `env:"CONFIDENCE" envDefault:"off" help:"score each answer and decide by the score; switches VERIFY on"`
	ConfidencePass       float64       `env:"CONFIDENCE_PASS" envDefault:"0.85" min:"0" max:"1" help:"score from which an answer passes"`
	ConfidenceReview     float64       `env:"CONFIDENCE_REVIEW" envDefault:"0.65" min:"0" max:"1" help:"score from which an answer is reviewed, not corrected"`
	ConfidenceCorrect    float64       `env:"CONFIDENCE_CORRECT" envDefault:"0.4" min:"0" max:"1" help:"score from which an answer is corrected, not searched for in the web"`
	FloorRelevance       float64       `env:"CONFIDENCE_FLOOR_RELEVANCE" envDefault:"0.8" min:"0" max:"1" help:"relevance that an answer must exceed to pass"`
	FloorGrounding       float64       `env:"CONFIDENCE_FLOOR_GROUNDING" envDefault:"0.85" min:"0" max:"1" help:"share of supported claims that an answer must exceed to pass"`
	FloorConsistency     float64       `env:"CONFIDENCE_FLOOR_CONSISTENCY" envDefault:"0.8" min:"0" max:"1" help:"agreement of the documents that an answer must exceed to pass"`
	FloorCompleteness    float64       `env:"CONFIDENCE_FLOOR_COMPLETENESS" envDefault:"0.75" min:"0" max:"1" help:"completeness that an answer must exceed to pass"`
	Review               string        `env:"REVIEW" envDefault:"off" oneof:"off provisional blocking" help:"ask a person about doubtful answers: provisional answers at once, blocking waits; switches VERIFY on"`
	Reviewer             string        `env:"REVIEWER" help:"your name in reviews; default the user of this machine"`
	ReviewSLA            time.Duration `env:"REVIEW_SLA" envDefault:"2h" min:"1s" max:"8760h" help:"time within which a review is to be decided"`
	ReviewBaseURL        string        `env:"REVIEW_BASE_URL" kind:"url" help:"address in front of a review's id in notifications"`
	ReviewWebhookURL     string        `env:"REVIEW_WEBHOOK_URL" kind:"secret" help:"address that is told of new reviews, like an incoming webhook of Slack or Teams"`
	SMTPHost             string        `env:"SMTP_HOST" help:"mail server that tells of new reviews"`
	SMTPPort             int           `env:"SMTP_PORT" envDefault:"587" min:"1" max:"65535" help:"port of the mail server; 465 speaks TLS at once, others STARTTLS"`
	SMTPUser             string        `env:"SMTP_USER" help:"user of the mail server"`
	SMTPPassword         string        `env:"SMTP_PASSWORD" kind:"secret" help:"password of the mail server"`
	SMTPFrom             string        `env:"SMTP_FROM" help:"sender of mails about reviews"`
	SMTPTo               string        `env:"SMTP_TO" help:"receivers of mails about reviews, separated by commas"`
	DatabaseURL          string        `env:"DATABASE_URL" kind:"secret" help:"PostgreSQL server for conversations and reviews, like postgres://user:password@localhost:5432/kbagent; the index stays in the data folder unless INDEX_STORE says otherwise"`
	IndexStore           string        `env:"INDEX_STORE" envDefault:"sqlite" oneof:"sqlite postgres" help:"where passages and vectors are kept: a file in the data folder, or the server of DATABASE_URL, shared by several machines"`
	RedisURL             string        `env:"REDIS_URL" kind:"secret" help:"Redis server that keeps grades for an hour, like redis://localhost:6379/0; without one the process keeps them"`
	Prompts              string        `env:"PROMPTS" help:"folder of prompt templates that replace the built-in ones"`
	LLMProvider          string        `env:"LLM_PROVIDER" envDefault:"openai" oneof:"openai anthropic" help:"protocol of the model server"`
	LLMBaseURL           string        `env:"LLM_BASE_URL" kind:"url" help:"address of an OpenAI-compatible server, like http://localhost:11434/v1; with an API key the default is that of the provider"`
	LLMAPIKey            string        `env:"LLM_API_KEY" kind:"secret" help:"key of the model server; local servers need none"`
	LLMModel             string        `env:"LLM_MODEL" help:"name of the model; without one, answers quote the documents"`
	LLMFastModel         string        `env:"LLM_FAST_MODEL" help:"name of a cheaper model for routing and grading"`
	LLMRatePerMinute     int           `env:"LLM_RATE_PER_MINUTE" envDefault:"0" min:"0" max:"1000000" help:"calls of the model in a minute; 0 is no limit"`
	LLMTimeout           time.Duration `env:"LLM_TIMEOUT" envDefault:"60s" min:"1ms" max:"24h" help:"time for one call of the model with its retries"`
	LLMMaxCalls          int           `env:"LLM_MAX_CALLS" envDefault:"0" min:"0" max:"1000000" help:"calls of the model for one question; 0 is no limit"`
	LLMMaxTokens         int           `env:"LLM_MAX_TOKENS" envDefault:"0" min:"0" max:"1000000000" help:"tokens for one question; 0 is no limit"`
	RunTimeout           time.Duration `env:"RUN_TIMEOUT" envDefault:"0s" min:"0s" max:"24h" help:"time after which the best answer so far is given; 0s is no limit"`
	EmbeddingBaseURL     string        `env:"EMBEDDING_BASE_URL" kind:"url" help:"address of an OpenAI-compatible embedding server; with a model it switches search by meaning on"`
	EmbeddingModel       string        `env:"EMBEDDING_MODEL" help:"name of the embedding model"`
	EmbeddingAPIKey      string        `env:"EMBEDDING_API_KEY" kind:"secret" help:"key of the embedding server"`
	PassageWords         int           `env:"PASSAGE_WORDS" envDefault:"220" min:"20" max:"5000" help:"words that passages are packed up to; the next kbagent index cuts every file anew"`
	PassageMaxWords      int           `env:"PASSAGE_MAX_WORDS" envDefault:"400" min:"20" max:"10000" help:"words that no passage exceeds, at least PASSAGE_WORDS"`
	JSONTextField        string        `env:"JSON_TEXT_FIELD" help:"field of JSON records that holds their text, with dots into nested ones; the next kbagent index reads these files anew"`
	Fusion               string        `env:"FUSION" envDefault:"rrf" oneof:"rrf minmax score" help:"how search by words and by meaning are merged: by ranks, by scores stretched over each list, or by scores as they are"`
	FusionVectorWeight   float64       `env:"FUSION_VECTOR_WEIGHT" envDefault:"0.5" min:"0" max:"1" help:"weight of search by meaning where scores are merged; search by words has the rest"`
	MMRLambda            float64       `env:"MMR_LAMBDA" envDefault:"1" min:"0.1" max:"1" help:"below 1, searches prefer passages that are unlike the better ones, the more the lower"`
	Rerank               string        `env:"RERANK" envDefault:"off" oneof:"off model endpoint" help:"order the best passages of every search anew: by the fast model, or by a re-ranking endpoint"`
	RerankBaseURL        string        `env:"RERANK_BASE_URL" kind:"url" help:"address of a re-ranking server, to which /rerank is added, like https://api.jina.ai/v1"`
	RerankModel          string        `env:"RERANK_MODEL" help:"name of the re-ranking model; without one, requests have the form of text-embeddings-inference"`
	RerankAPIKey         string        `env:"RERANK_API_KEY" kind:"secret" help:"key of the re-ranking server"`
	DataDir              string        `env:"DATA_DIR" envDefault:".kbagent" help:"folder of the index, the threads and the audit log"`
	AuditLog             string        `env:"AUDIT_LOG" help:"file of the audit log; default audit.jsonl in the data folder"`
	LogLevel             slog.Level    `env:"LOG_LEVEL" envDefault:"warn" oneof:"debug info warn error" help:"least important messages that are logged"`
	LogFormat            string        `env:"LOG_FORMAT" envDefault:"text" oneof:"text json" help:"form of log messages"`
}

// toggle is a switch.
type toggle bool

// UnmarshalText reads on and off, and the words that mean the same.
func (t *toggle) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "on", "true", "yes", "1":
		*t = true
	case "off", "false", "no", "0":
		*t = false
	default:
		return errors.New("neither on nor off")
	}
	return nil
}

// variable describes one field of variables.
type variable struct {
	name     string // with the prefix
	field    string // the Go name
	fallback string // the default; "" for none
	typ      reflect.Type
	oneof    []string
	min, max string
	kind     string
	help     string
}

// known are all variables, in order.
var known = describe()

func describe() []variable {
	t := reflect.TypeFor[variables]()
	list := make([]variable, t.NumField())
	for i := range list {
		f := t.Field(i)
		list[i] = variable{
			name: prefix + f.Tag.Get("env"), field: f.Name, fallback: f.Tag.Get("envDefault"), typ: f.Type,
			oneof: strings.Fields(f.Tag.Get("oneof")), min: f.Tag.Get("min"), max: f.Tag.Get("max"),
			kind: f.Tag.Get("kind"), help: f.Tag.Get("help"),
		}
	}
	return list
}

// Names are the names of all variables, in the order of .env.example.
func Names() []string {
	names := make([]string, len(known))
	for i, v := range known {
		names[i] = v.name
	}
	return names
}

func (v variable) secret() bool { return v.kind == "secret" }

// allowed says which values the variable takes.
func (v variable) allowed() string {
	switch {
	case len(v.oneof) > 0:
		return strings.Join(v.oneof, ", ")
	case v.typ == reflect.TypeFor[toggle]():
		return "on, off"
	case v.typ == reflect.TypeFor[time.Duration]():
		return "a duration from " + v.min + " to " + v.max + ", like 90s"
	case v.typ.Kind() == reflect.Int:
		return "a whole number from " + v.min + " to " + v.max
	case v.typ.Kind() == reflect.Float64:
		return "a number from " + v.min + " to " + v.max
	case v.kind == "url":
		return "an http or https address, without user, query and fragment"
	}
	return "any text on one line"
}

// lookup finds a variable by its name.
func lookup(name string) (variable, bool) {
	for _, v := range known {
		if v.name == name {
			return v, true
		}
	}
	return variable{}, false
}
