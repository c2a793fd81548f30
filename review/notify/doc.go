// Package notify tells people of new reviews: through a webhook, as Slack, Mattermost and Microsoft Teams have them, and by
// mail. It imports the standard library and review only.
//
// What failed is sent again by the outbox of the queue. Every message carries the key of its notice (the header
// Idempotency-Key, or the Message-ID), which is the same in each attempt. No error contains a password, or the address of a
// webhook, which is a secret itself.
package notify
