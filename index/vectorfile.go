package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unsafe"
)

// A vectorFile is a copy of one matrix on disk, so that a process does not read it from the rows of a store, which takes
// about twenty times as long. It can be lost at any time: a file that is missing, damaged, or of another state of the
// store is made anew. It is written beside its place and moved there whole, so that a reader, a second writer or a
// kill never leaves half a file in its place.
//
// It holds, in the machine's byte order: vectorMagic, the length of the header (both uint64), the header as JSON, zeros up to
// a multiple of 8, the keys (int64), the values (float32). A file from a machine of the other byte order has another magic.
type vectorFile struct {
	path   string      // "" = no file
	failed func(error) // told what went wrong; may be nil
}

const (
	vectorMagic     uint64 = 0x6b62766563000001 // "kbvec", version 1
	maxVectorHeader        = 1 << 16
	// abandonedAfter is the age at which a temporary file counts as one whose writer was killed.
	abandonedAfter = time.Hour
)

// vectorHeader says what the rest of the file is.
type vectorHeader struct {
	Stamp string `json:"stamp"`
	Model string `json:"model"`
	Dim   int    `json:"dim"`
	Rows  int    `json:"rows"`
	CRC   uint32 `json:"crc32c"` // of keys and values
}

// errNoCopy is what is wrong with a file that is something else, damaged, or of another version or byte order.
var errNoCopy = errors.New("this is no whole copy of vectors that this version can read")

// errStale is the reason to make a file anew that is no failure: it is of another state or model.
var errStale = errors.New("the file is of another state of the index")

// read returns the vectors when the file holds those of stamp and model, else nil.
func (f vectorFile) read(stamp, model string) *Vectors {
	if f.path == "" {
		return nil
	}
	v, err := readVectors(f.path, stamp, model)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errStale) {
			f.tell(fmt.Errorf("read the copy of the vectors, which is made anew: %w", err))
		}
		return nil
	}
	return v
}

// holds reports whether the file's header is that of stamp and model; what follows is checked when it is read.
func (f vectorFile) holds(stamp, model string) bool {
	file, err := os.Open(f.path)
	if err != nil {
		return false
	}
	defer file.Close()
	h, _, err := readHeader(file)
	return err == nil && h.Stamp == stamp && h.Model == model
}

// write replaces the file. A failure is told and costs nothing but the time of the next process.
func (f vectorFile) write(v *Vectors, model string) {
	if f.path == "" || v.Dim == 0 {
		return
	}
	if err := writeVectors(f.path, v, model); err != nil {
		f.tell(fmt.Errorf("keep a copy of the vectors: %w", err))
	}
}

func (f vectorFile) tell(err error) {
	if f.failed != nil {
		f.failed(err)
	}
}

func readVectors(path, stamp, model string) (*Vectors, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	h, size, err := readHeader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if h.Stamp != stamp || h.Model != model {
		return nil, errStale
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// Checked before anything is allocated: a damaged header must not ask for all memory.
	if rest := info.Size() - size; h.Rows <= 0 || h.Dim <= 0 || int64(h.Dim) > rest || rest/int64(h.Rows) != 8+4*int64(h.Dim) || rest%int64(h.Rows) != 0 {
		return nil, fmt.Errorf("%s: %w: it is %d bytes long, which is not %d rows of %d values", path, errNoCopy, info.Size(), h.Rows, h.Dim)
	}
	v := &Vectors{Stamp: stamp, Dim: h.Dim, Keys: make([]int64, h.Rows), Values: make([]float32, h.Rows*h.Dim)}
	crc := uint32(0)
	for _, part := range [][]byte{bytesOf(v.Keys), bytesOf(v.Values)} {
		if _, err := io.ReadFull(file, part); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		crc = crc32.Update(crc, castagnoli, part)
	}
	if crc != h.CRC {
		return nil, fmt.Errorf("%s: %w: its checksum does not fit", path, errNoCopy)
	}
	return v, nil
}

// readHeader reads up to where the keys begin, which is at size.
func readHeader(r io.Reader) (h vectorHeader, size int64, err error) {
	start := make([]uint64, 2)
	if _, err := io.ReadFull(r, bytesOf(start)); err != nil {
		return h, 0, fmt.Errorf("%w: %w", errNoCopy, err)
	}
	n := start[1]
	if start[0] != vectorMagic || n > maxVectorHeader {
		return h, 0, errNoCopy
	}
	text := make([]byte, n+padding(n))
	if _, err := io.ReadFull(r, text); err != nil {
		return h, 0, fmt.Errorf("%w: %w", errNoCopy, err)
	}
	if err := json.Unmarshal(text[:n], &h); err != nil {
		return h, 0, fmt.Errorf("%w: %w", errNoCopy, err)
	}
	return h, int64(len(text)) + 16, nil
}

// writeVectors writes v beside path and moves it there. It does not sync: what a power loss leaves fails the checksum.
func writeVectors(path string, v *Vectors, model string) (err error) {
	removeAbandoned(path)
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	crc := crc32.Update(crc32.Checksum(bytesOf(v.Keys), castagnoli), castagnoli, bytesOf(v.Values))
	header, err := encodeHeader(vectorHeader{Stamp: v.Stamp, Model: model, Dim: v.Dim, Rows: len(v.Keys), CRC: crc})
	for _, part := range [][]byte{header, bytesOf(v.Keys), bytesOf(v.Values)} {
		if err == nil {
			_, err = file.Write(part)
		}
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// encodeHeader is everything before the keys.
func encodeHeader(h vectorHeader) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	n := uint64(len(text))
	if n > maxVectorHeader {
		return nil, fmt.Errorf("the name of the model is %d bytes long", len(h.Model))
	}
	head := append([]byte(nil), bytesOf([]uint64{vectorMagic, n})...)
	return append(append(head, text...), make([]byte, padding(n))...), nil
}

// padding is how many bytes n lacks to a multiple of 8.
func padding(n uint64) uint64 { return -n % 8 }

// removeAbandoned deletes what killed writers left beside path. What cannot be deleted now is tried again the next time.
func removeAbandoned(path string) {
	left, err := filepath.Glob(path + ".*.tmp")
	if err != nil {
		return // a path that is no pattern has left nothing that this would find
	}
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.Remove(name)
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// bytesOf is the memory of s, without a copy: files hold the machine's own byte order.
func bytesOf[T int64 | uint64 | float32](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
