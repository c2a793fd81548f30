package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	// ErrUnreachable reports that no server answers at the address of the URL, or that it lets nobody in.
	ErrUnreachable = errors.New("PostgreSQL is not reachable")
	// ErrNewerSchema reports tables that were written by a later version of kbagent.
	ErrNewerSchema = errors.New("database was written by a newer version of kbagent")
	// ErrTimeout reports a call that took longer than Options.Timeout. When the server has said so, it has changed nothing.
	ErrTimeout = errors.New("the database took too long")
	// ErrReplyLost reports a write whose connection broke before the reply: whether it is stored is not known.
	// A write that was stored returns graph.ErrSequence when it is tried again; a run that is resumed sees what is stored.
	ErrReplyLost = errors.New("connection lost before the reply: the write may be stored or not")
	// ErrThreadTooLong reports a thread id of more than 2,600 bytes.
	ErrThreadTooLong = errors.New("thread id is too long for PostgreSQL: at most 2,600 bytes")
)

// SQLSTATE codes.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	uniqueViolation      = "23505"
	queryCanceled        = "57014"
	limitExceeded        = "54000"
	noPrivilege          = "42501"
)

func code(err error) string {
	if pe, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pe.Code
	}
	return ""
}

// explain gives an error of the driver its sentence; others pass through.
func explain(err error) error {
	if ce, ok := errors.AsType[*pgconn.ConnectError](err); ok { // it holds the configuration, and thereby the password
		if errors.Is(err, context.Canceled) {
			return ce.Unwrap()
		}
		return fmt.Errorf("%w at %s:%d: is it running, and are address, user and password right? %w",
			ErrUnreachable, ce.Config.Host, ce.Config.Port, ce.Unwrap())
	}
	switch code(err) {
	case queryCanceled:
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	case limitExceeded:
		return fmt.Errorf("%w: %w", ErrThreadTooLong, err)
	case noPrivilege:
		return fmt.Errorf("the user of the database URL lacks a right that is needed: %w", err)
	}
	return err
}

// explainSent is explain for a write that a connection was asked for; ctx is that of the write.
// An error that leaves open whether it is stored says so.
func explainSent(ctx context.Context, err error) error {
	if err == nil || code(err) != "" || pgconn.SafeToRetry(err) || errors.Is(err, pgx.ErrNoRows) {
		return explain(err)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return fmt.Errorf("%w: %w", ErrReplyLost, err)
}

var passwordWord = regexp.MustCompile(`(?i)password\s*=\s*('(?:[^'\\]|\\.)*'|[^\s&]+)`)

// mask replaces the passwords of a database URL in a text about it. What looks like one is taken for one: the URL may be
// malformed.
func mask(dsn, text string) string {
	var secrets []string
	if scheme := strings.Index(dsn, "://"); scheme >= 0 {
		rest := dsn[scheme+3:]
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			if _, secret, ok := strings.Cut(rest[:at], ":"); ok {
				secrets = append(secrets, secret)
			}
		}
	}
	for _, m := range passwordWord.FindAllStringSubmatch(dsn, -1) {
		secrets = append(secrets, m[1], strings.Trim(m[1], "'"))
	}
	for _, s := range secrets {
		for _, form := range []string{s, unescaped(s)} {
			if form != "" {
				text = strings.ReplaceAll(text, form, "***")
			}
		}
	}
	return text
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}
