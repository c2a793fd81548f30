package tools

import (
	"context"
	"errors"
	"strings"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
)

type scopeKey struct{}

// WithScope binds the tools of [Local] that are called under the context to a part of the knowledge base.
func WithScope(ctx context.Context, s state.Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// FilterOf is what [WithScope] has bound the context to; the zero filter for everything.
func FilterOf(ctx context.Context) index.Filter {
	s, _ := ctx.Value(scopeKey{}).(state.Scope)
	return index.Filter{Collections: parts(s.Collections, ","), Paths: parts(s.Paths, "\n")}
}

// parts are the parts of a text that are not empty.
func parts(text, separator string) (list []string) {
	for part := range strings.SplitSeq(text, separator) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Filtered is a Library that can be bound to a part of itself; *index.Index is one.
type Filtered interface {
	Within(f index.Filter) *index.Index
}

// errUnfiltered reports a scope for a library that knows none: to leave it out would find what must not be found.
var errUnfiltered = errors.New("this knowledge base cannot be bound to collections or paths")

// scoped is a library within the scope of each call.
type scoped struct{ all Library }

func (s scoped) in(ctx context.Context) (Library, error) {
	f := FilterOf(ctx)
	if f.Empty() {
		return s.all, nil
	}
	if lib, ok := s.all.(Filtered); ok {
		return lib.Within(f), nil
	}
	return nil, errUnfiltered
}

// within calls one method of the library within the scope.
func within[R any](ctx context.Context, s scoped, call func(Library) (R, error)) (R, error) {
	lib, err := s.in(ctx)
	if err != nil {
		var none R
		return none, err
	}
	return call(lib)
}

func (s scoped) Keyword(ctx context.Context, query string, k int) ([]index.Hit, error) {
	return within(ctx, s, func(l Library) ([]index.Hit, error) { return l.Keyword(ctx, query, k) })
}

func (s scoped) Vector(ctx context.Context, query string, k int) ([]index.Hit, error) {
	return within(ctx, s, func(l Library) ([]index.Hit, error) { return l.Vector(ctx, query, k) })
}

func (s scoped) Hybrid(ctx context.Context, query string, keywords []string, k int) ([]index.Hit, error) {
	return within(ctx, s, func(l Library) ([]index.Hit, error) { return l.Hybrid(ctx, query, keywords, k) })
}

func (s scoped) Grep(ctx context.Context, pattern string, limit int) ([]index.Hit, error) {
	return within(ctx, s, func(l Library) ([]index.Hit, error) { return l.Grep(ctx, pattern, limit) })
}

func (s scoped) Files(ctx context.Context, pattern string) ([]index.File, error) {
	return within(ctx, s, func(l Library) ([]index.File, error) { return l.Files(ctx, pattern) })
}

func (s scoped) Roots(ctx context.Context) ([]string, error) {
	return within(ctx, s, func(l Library) ([]string, error) { return l.Roots(ctx) })
}

func (s scoped) Text(ctx context.Context, root, path string) (index.Text, error) {
	return within(ctx, s, func(l Library) (index.Text, error) { return l.Text(ctx, root, path) })
}
