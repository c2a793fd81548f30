package llm

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Defaults of the optional fields of [Config] and [EmbeddingConfig].
const (
	DefaultBaseURL          = "https://api.openai.com/v1"
	DefaultAnthropicBaseURL = "https://api.anthropic.com"
	DefaultTimeout          = 60 * time.Second
	DefaultMaxRetries       = 3
	DefaultRetryWait        = 500 * time.Millisecond
)

// The providers: which protocol the endpoint speaks.
const (
	ProviderOpenAI    = "openai"    // chat completions, as almost every server speaks them
	ProviderAnthropic = "anthropic" // the Messages API
)

// Config says which model to talk to and how patiently. Only Model is always needed; the zero value
// of every other field means the default named with it. Printing or logging a Config hides the key.
type Config struct {
	// Provider is the protocol: [ProviderOpenAI] (the default) or [ProviderAnthropic].
	Provider string
	// BaseURL is the address up to and including the version: "http://localhost:11434/v1"; for Anthropic
	// a version at the end may be there or not. It must be http or https, without user, query or fragment.
	// Empty means the provider's own ([DefaultBaseURL], [DefaultAnthropicBaseURL]), which needs an APIKey.
	BaseURL string
	// APIKey is sent as a bearer token, to Anthropic as x-api-key. Empty sends neither, as local servers
	// like it.
	APIKey string
	// Model is the model's name on the server. Required by [New]; a call may name another with
	// llms.WithModel.
	Model string
	// Timeout bounds a whole call with its retries and waits. Default 60s.
	Timeout time.Duration
	// AttemptTimeout bounds the silence within one attempt: the time to a whole reply, or, while
	// streaming, to the next event. An attempt that stays silent longer is retried. Default 0: only
	// Timeout counts, so that a slow local model is not cut short. From Timeout on it has no effect.
	AttemptTimeout time.Duration
	// MaxRetries is how many attempts may follow a failed first one. Default 3; negative means none.
	MaxRetries int
	// RetryWait is the first wait between attempts; each further one is twice as long, at most 10s,
	// all with a jitter of a half. A Retry-After of the server, capped at 30s, replaces it. Default 500ms.
	RetryWait time.Duration
	// Cooldown is how long after a call that found the server down (unreachable, silent, 5xx, with all retries) further
	// calls fail at once with that error. Then one call tries again. Default 0: every call tries.
	Cooldown time.Duration
	// RatePerMinute is how many requests, retries included, go out in any minute; see [NewLimit]. Default
	// 0: as many as come. Models of one account share a Limit in its place.
	RatePerMinute int
	// Limit is a rate shared with others. Default none; it cannot stand beside RatePerMinute.
	Limit *Limit
	// Transport carries the requests. An error of it that has a method Permanent() bool and returns true
	// there is not tried again. Default [http.DefaultTransport], so that all models share its connections.
	Transport http.RoundTripper
	// Logger hears of retries and of fallbacks; never of prompts, answers or keys. Default: nobody.
	Logger *slog.Logger
}

// String describes the configuration without the key.
func (c Config) String() string {
	key := "none"
	if c.APIKey != "" {
		key = "set"
	}
	base, err := checkBaseURL(cmp.Or(c.BaseURL, c.ownBaseURL()))
	if err != nil {
		base = "an unusable base URL" // it may hold a password
	}
	return fmt.Sprintf("model %q at %s (API key %s)", c.Model, base, key)
}

// GoString is String, so that %#v hides the key too.
func (c Config) GoString() string { return c.String() }

// LogValue is String, so that a logger hides the key too.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// withDefaults returns a copy with every optional field set, or all reasons why it cannot work but
// for the model, which not everyone needs.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	if c.Provider != "" && c.Provider != ProviderOpenAI && c.Provider != ProviderAnthropic {
		errs = append(errs, fmt.Errorf("the provider %q is unknown: it is %s or %s", c.Provider, ProviderOpenAI, ProviderAnthropic))
	}
	c.Provider = cmp.Or(c.Provider, ProviderOpenAI)
	if c.BaseURL == "" {
		c.BaseURL = c.ownBaseURL()
		if c.APIKey == "" {
			errs = append(errs, errors.New("neither a base URL nor an API key is set: set the base URL for a local server, the API key for a provider"))
		}
	}
	base, err := checkBaseURL(c.BaseURL)
	if c.Provider == ProviderAnthropic {
		base = strings.TrimSuffix(base, "/v1") // the paths of the protocol hold it
	}
	c.BaseURL, errs = base, append(errs, err)
	if strings.ContainsAny(c.APIKey, "\r\n") {
		errs = append(errs, errors.New("the API key contains a line break"))
	}
	if c.Timeout < 0 || c.AttemptTimeout < 0 || c.RetryWait < 0 {
		errs = append(errs, errors.New("a timeout or retry wait is negative"))
	}
	if c.RatePerMinute < 0 || c.RatePerMinute > 0 && c.Limit != nil {
		errs = append(errs, errors.New("the rate per minute is negative, or stands beside a shared limit"))
	}
	if err := errors.Join(errs...); err != nil {
		return Config{}, err
	}
	c.fill()
	return c, nil
}

// ownBaseURL is where the provider itself is.
func (c Config) ownBaseURL() string {
	if c.Provider == ProviderAnthropic {
		return DefaultAnthropicBaseURL
	}
	return DefaultBaseURL
}

func (c *Config) fill() {
	if c.RatePerMinute > 0 {
		c.Limit = NewLimit(c.RatePerMinute)
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxRetries == 0 {
		c.MaxRetries = DefaultMaxRetries
	}
	if c.RetryWait == 0 {
		c.RetryWait = DefaultRetryWait
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// checkBaseURL returns raw without a trailing slash. Its errors never repeat raw, which may hold a
// password.
func checkBaseURL(raw string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil:
		return "", errors.New("the base URL is not a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", errors.New("the base URL must look like http://host:port/v1")
	case u.User != nil:
		return "", errors.New("the base URL must not hold a user or password: use the API key")
	case u.RawQuery != "", u.Fragment != "":
		return "", errors.New("the base URL must have no query and no fragment")
	}
	return strings.TrimRight(u.String(), "/"), nil
}
