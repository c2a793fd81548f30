package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/index"
)

// Options tunes the loading of files. The zero value is the default.
type Options struct {
	// TextField is the field of JSON records that holds their text, with dots into nested objects ("doc.body"). Records
	// without it are left out. Default: all fields are the text, those named text, content or body last.
	TextField string
	// MaxTextBytes bounds the text that a file becomes; a file above it fails. Default 16 MiB.
	MaxTextBytes int
	// MaxRows is how many rows of a table and records of a JSON file are taken; the text says how many were left out.
	// Default 100,000.
	MaxRows int
	// Timeout bounds the time for one file. Default 30 s. HTML is bounded by its size and nesting instead.
	Timeout time.Duration
}

func (o Options) withDefaults() (Options, error) {
	if o.MaxTextBytes < 0 || o.MaxRows < 0 || o.Timeout < 0 {
		return o, fmt.Errorf("load: MaxTextBytes (%d), MaxRows (%d) and Timeout (%v) must not be negative", o.MaxTextBytes, o.MaxRows, o.Timeout)
	}
	if o.MaxTextBytes == 0 {
		o.MaxTextBytes = 16 << 20
	}
	if o.MaxRows == 0 {
		o.MaxRows = 100_000
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	return o, nil
}

// Files loads the files of a folder. It implements [index.Loader] and is safe for concurrent use.
type Files struct{ opts Options }

var _ index.Loader = (*Files)(nil)

// New returns a loader. Options below zero are an error.
func New(opts Options) (*Files, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Files{opts}, nil
}

// Recipe implements index.Loader: the format with its version, and the settings that change what becomes of it.
func (f *Files) Recipe(name string) string {
	k := kindOf(name)
	if k == kindUnknown {
		return ""
	}
	recipe := k.String() + "1"
	switch k {
	case kindJSON, kindJSONL:
		return fmt.Sprintf("%s field=%s rows=%d", recipe, f.opts.TextField, f.opts.MaxRows)
	case kindCSV, kindTSV:
		return fmt.Sprintf("%s rows=%d", recipe, f.opts.MaxRows)
	default:
		return recipe
	}
}

// Errors of Load, beside those of ctx. Their text says what is wrong with the file, in one clause.
var (
	// ErrTooLarge reports a file that would become more text than Options.MaxTextBytes, or that unpacks to too much.
	ErrTooLarge = errors.New("too large")
	// ErrMalformed reports a file that is not what its format demands.
	ErrMalformed = errors.New("malformed")
	// ErrEncoding reports text in an encoding that was not recognized with certainty.
	ErrEncoding = errors.New("unknown encoding")
	// ErrNoText reports a file of a readable format that holds no text, a scanned PDF for instance.
	ErrNoText = errors.New("no text")
	// ErrEncrypted reports a file that needs a password.
	ErrEncrypted = errors.New("encrypted")
)

// Load implements index.Loader. The format follows from the name, or from the first bytes of a PDF. Binary files, generated
// and minified code are skipped ([index.ErrSkip]); other errors are the package's, or context.DeadlineExceeded when the
// file takes longer than Options.Timeout.
func (f *Files) Load(ctx context.Context, name string, data []byte) (loaded index.Loaded, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	kind := sniff(kindOf(name), data)
	defer func() { // the libraries see what strangers write
		if p := recover(); p != nil {
			loaded, err = index.Loaded{}, recovered(ctx, kind, p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return index.Loaded{}, err
	}
	loaded, err = f.load(ctx, kind, data)
	if err != nil {
		return index.Loaded{}, fmt.Errorf("%s: %w", kind, err)
	}
	if len(loaded.Text) > f.opts.MaxTextBytes {
		return index.Loaded{}, fmt.Errorf("%s: %w: its text has %d bytes, the limit is %d", kind, ErrTooLarge, len(loaded.Text), f.opts.MaxTextBytes)
	}
	return loaded, nil
}

func (f *Files) load(ctx context.Context, kind kind, data []byte) (index.Loaded, error) {
	switch kind {
	case kindPDF:
		return f.pdf(ctx, data)
	case kindDOCX:
		return f.docx(ctx, data)
	case kindHTML:
		return f.html(data)
	}
	source, err := decode(data)
	if err != nil {
		return index.Loaded{}, err
	}
	switch kind {
	case kindMarkdown:
		return index.Loaded{Text: source, Markdown: true}, nil
	case kindRST, kindAsciiDoc, kindOrg:
		return marked(kind, source), nil
	case kindCode:
		return code(source)
	case kindCSV, kindTSV:
		return f.table(ctx, kind, source)
	case kindJSON, kindJSONL:
		return f.json(ctx, kind, source)
	default:
		return index.Loaded{Text: source}, nil
	}
}

// recovered is what a library's panic means: its reader stops it by one when the time is over.
func recovered(ctx context.Context, kind kind, p any) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	if err, ok := p.(error); ok && errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return fmt.Errorf("%s: %w: %v", kind, ErrMalformed, p)
}
