package notify

import (
	"context"
	"errors"
	"net/http"
	"net/smtp"
	"net/url"
)

// Check says whether the webhook's host answers. It asks for the root of the host and posts nothing: that the rest of the
// address is right shows with the first message.
func (w *Webhook) Check(ctx context.Context) error {
	root := url.URL{Scheme: w.url.Scheme, Host: w.url.Host, Path: "/"}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, root.String(), nil)
	if err != nil {
		return errors.New("the request to the webhook cannot be made")
	}
	req.Header.Set("User-Agent", "kbagent")
	resp, err := w.client.Do(req)
	if err != nil {
		return w.explain(err)
	}
	return resp.Body.Close()
}

// Check goes as far as a mail goes before its sender is named: it connects, makes the session secret, and logs in.
func (s *SMTP) Check(ctx context.Context) error {
	return s.explain(ctx, s.session(ctx, func(*smtp.Client) error { return nil }))
}
