package text

// A Span is the half-open byte range [Start, End) of a string.
type Span struct{ Start, End int }
