package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kbagent/kbagent/review"
)

// Format is the kind of JSON that a webhook takes.
type Format string

// The formats.
const (
	// Auto is Card for the hosts of Microsoft's workflows, else Text.
	Auto Format = ""
	// Text is {"text": …} in the markup of Slack, which Mattermost, Rocket.Chat and Teams' old connectors take too.
	Text Format = "text"
	// Card is {"type": "message", "text": …, "attachments": [an Adaptive Card]}, which Teams' workflows take.
	Card Format = "card"
)

// WebhookConfig says where a webhook is. URL is required.
type WebhookConfig struct {
	// URL is http or https. It is a secret: whoever knows it can write into the channel.
	URL    string
	Format Format
	// Mask hides what must not leave the machine in the texts of an entry; nil hides nothing.
	Mask func(string) string
	// Transport sends the requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
}

// Webhook posts messages to a chat. It is safe for concurrent use.
type Webhook struct {
	config WebhookConfig
	url    *url.URL
	client *http.Client
}

var _ review.Notifier = (*Webhook)(nil)

// NewWebhook checks the configuration. Its error does not contain the URL.
func NewWebhook(c WebhookConfig) (*Webhook, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("notify: the address of the webhook is not http://… or https://…")
	}
	if c.Format == Auto {
		c.Format = formatOf(u.Hostname())
	}
	if c.Format != Text && c.Format != Card {
		return nil, fmt.Errorf("notify: a webhook's format is text or card, not %q", c.Format)
	}
	return &Webhook{config: c, url: u, client: &http.Client{
		Transport:     c.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the message is for that address only
	}}, nil
}

// formatOf knows the hosts of Teams' workflows.
func formatOf(host string) Format {
	for _, suffix := range []string{".logic.azure.com", ".powerplatform.com", ".powerautomate.com", ".webhook.office.com"} {
		if strings.HasSuffix(strings.ToLower(host), suffix) {
			return Card
		}
	}
	return Text
}

// Name implements review.Notifier: "webhook".
func (w *Webhook) Name() string { return "webhook" }

// Notify implements review.Notifier. Everything but a status of 2xx is an error; a Retry-After of the server counts.
func (w *Webhook) Notify(ctx context.Context, m review.Message) error {
	body, err := w.body(m)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the request to the webhook cannot be made")
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("Idempotency-Key", m.Key)
	req.Header.Set("User-Agent", "kbagent")
	resp, err := w.client.Do(req)
	if err != nil {
		return w.explain(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, 300))
	if resp.StatusCode/100 == 2 { // it has taken the message, whatever becomes of the rest of the answer
		return nil
	}
	err = errors.Join(fmt.Errorf("the webhook at %s answers %s: %s", w.url.Host, resp.Status, line(string(said))), err)
	if after, ok := retryAfter(resp.Header.Get("Retry-After"), time.Now()); ok {
		return &review.RetryError{After: after, Err: err}
	}
	return err
}

// explain drops the URL from an error of the client.
func (w *Webhook) explain(err error) error {
	if u := new(url.Error); errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("the webhook at %s: %w", w.url.Host, err)
}

// retryAfter reads the header: seconds or a date.
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	if n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

func (w *Webhook) body(m review.Message) ([]byte, error) {
	c := compose(m, w.config.Mask)
	var v any = struct {
		Text string `json:"text"`
	}{c.text(slackEscape)}
	if w.config.Format == Card {
		v = newCard(c)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// slackEscape keeps data from being markup: "<!channel>" would ring everybody.
func slackEscape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
