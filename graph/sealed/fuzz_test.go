package sealed

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// goldenRow is "plain", sealed with a key of zeros as entry 7 by the first version of the package.
const goldenRow = "\x00kb\x01" + // magic, version
	"\x47\x84\x21\x4f\x1f\x81\x53\x02" + // id of the key
	"\x56\x94\x8c\x84\x0f\x79\x7f\x6a\x2a\xf4\xaf\x15" + // nonce
	"\x1b\x9c\x7b\x15\xc5" + // what is encrypted
	"\xf5\x44\x07\xe0\xdf\xfc\x77\x78\x00\xe2\x17\xb9\xfe\xac\x3a\x75" // tag

func TestARowOfTheFirstVersionCanStillBeRead(t *testing.T) {
	ring, err := newKeyring(make([]byte, KeySize), nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := ring.open(place{entryKind, 7, ""}, []byte(goldenRow))
	if err != nil || string(plain) != "plain" {
		t.Fatalf("got %q, %v", plain, err)
	}
}

// No row but those that were sealed for the place can be opened, whatever its bytes are.
func FuzzOpen(f *testing.F) {
	ring, err := newKeyring(make([]byte, KeySize), [][]byte{bytes.Repeat([]byte{1}, KeySize)})
	if err != nil {
		f.Fatal(err)
	}
	at := place{entryKind, 7, ""}
	row := []byte(goldenRow) // fuzzing runs in several processes, so no random one
	f.Add(row, byte(entryKind), int64(7), "")
	f.Add(row, byte(snapshotKind), int64(7), "")
	f.Add(row[:headerSize], byte(entryKind), int64(7), "")
	f.Add([]byte(magic+"\x02"), byte(entryKind), int64(7), "")
	f.Add([]byte(`{"v":1,"kind":"step"}`), byte(pendingKind), int64(-1), "\x00")
	f.Fuzz(func(t *testing.T, data []byte, kind byte, seq int64, name string) {
		plain, err := ring.open(place{kind, seq, name}, data)
		switch {
		case err == nil:
			if !bytes.Equal(data, row) || kind != at.kind || seq != at.seq || name != at.name {
				t.Fatalf("opened %x as %q", data, plain)
			}
		case plain != nil:
			t.Fatalf("returned %q with %v", plain, err)
		case !errors.Is(err, graph.ErrDamaged) && !errors.Is(err, graph.ErrNewerFormat) && !errors.Is(err, ErrKey):
			t.Fatalf("the error is %v", err)
		}
	})
}

// Whatever is inside of a pending write that was sealed: it is read as it was written, or an error.
func FuzzOpenWrite(f *testing.F) {
	ring, err := newKeyring(make([]byte, KeySize), nil)
	if err != nil {
		f.Fatal(err)
	}
	s := &store{keys: ring}
	f.Add([]byte("\x02\x03keydata"), int64(1), "key", []byte("data"))
	f.Add([]byte("\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01k"), int64(-1), "", []byte(nil))
	f.Add([]byte{}, int64(1<<62), "\x00\xff", []byte{0})
	f.Fuzz(func(t *testing.T, inside []byte, fence int64, key string, data []byte) {
		row := graph.PendingWrite{Seq: 1, Key: "name", Data: ring.seal(place{pendingKind, 1, "name"}, inside)}
		if w, err := s.openWrite(&row); err == nil && len(w.Key)+len(w.Data) > len(inside) {
			t.Fatalf("%x became %q and %x", inside, w.Key, w.Data)
		} else if err != nil && !errors.Is(err, graph.ErrDamaged) {
			t.Fatal(err)
		}
		row = s.sealPending("t", fence, &graph.PendingWrite{Seq: 1, Key: key, Data: data})
		w, err := s.openWrite(&row)
		if err != nil || w.Key != key || !bytes.Equal(w.Data, data) || w.fence != fence {
			t.Fatalf("%q, %x, %d became %q, %x, %d, %v", key, data, fence, w.Key, w.Data, w.fence, err)
		}
	})
}

func TestAPendingWriteThatEndsTooEarlyIsDamaged(t *testing.T) {
	ring, err := newKeyring(make([]byte, KeySize), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &store{keys: ring}
	for _, inside := range []string{"", "\x80", "\x02", "\x02\x80", "\x02\x01", "\x02\x05keys"} {
		row := graph.PendingWrite{Seq: 1, Data: ring.seal(place{pendingKind, 1, ""}, []byte(inside))}
		if w, err := s.openWrite(&row); !errors.Is(err, graph.ErrDamaged) {
			t.Errorf("%q became %+v, %v", inside, w, err)
		}
	}
}
