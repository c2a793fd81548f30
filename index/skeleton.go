package index

import (
	"context"
	"errors"
)

var errSoon = errors.New("index: not built yet")

type matrixCache struct{}

func (x *Index) Update(ctx context.Context, paths []string, opts UpdateOptions) (Report, error) {
	return Report{}, errSoon
}
func (x *Index) Keyword(ctx context.Context, query string, k int) ([]Hit, error) { return nil, errSoon }
func (x *Index) Vector(ctx context.Context, query string, k int) ([]Hit, error)  { return nil, errSoon }
func (x *Index) Hybrid(ctx context.Context, query string, keywords []string, k int) ([]Hit, error) {
	return nil, errSoon
}
func (x *Index) Grep(ctx context.Context, pattern string, limit int) ([]Hit, error) {
	return nil, errSoon
}
func (x *Index) Files(ctx context.Context, pattern string) ([]File, error) { return nil, errSoon }
func Fuse(lists [][]Hit, k int) []Hit                                      { return nil }
