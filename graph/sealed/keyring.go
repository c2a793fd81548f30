package sealed

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// ErrKey reports a row that was sealed with a key that [New] was not given; graph.RowError names the row.
var ErrKey = errors.New("row was sealed with another key")

// KeySize is the length of a key in bytes.
const KeySize = 32

// A sealed row is magic, version, the id of its key, a nonce, and what is encrypted with its tag.
const (
	magic      = "\x00kb"
	version    = 1
	idSize     = 8
	headerSize = len(magic) + 1 + idSize
)

// What a row is; part of the stored format.
const (
	entryKind    = 'e'
	snapshotKind = 's'
	pendingKind  = 'p'
)

// A place is what a row is bound to.
type place struct {
	kind byte
	seq  int64
	name string // hashed key of a pending write, "" otherwise
}

type keyID [idSize]byte

// A key is one key with what is derived from it; the key itself encrypts nothing.
type key struct {
	id    keyID
	aead  cipher.AEAD
	names []byte // of the hash of pending keys
}

func newKey(secret []byte) (*key, error) {
	if len(secret) != KeySize {
		return nil, fmt.Errorf("sealed: the key has %d bytes, it must have %d", len(secret), KeySize)
	}
	derive := func(use string, size int) (out []byte, err error) {
		return hkdf.Key(sha256.New, secret, nil, "kbagent graph/sealed v1 "+use, size)
	}
	id, err1 := derive("id", idSize)
	rows, err2 := derive("rows", KeySize)
	names, err3 := derive("names", KeySize)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("sealed: derive from the key: %w", err)
	}
	block, err := aes.NewCipher(rows)
	if err != nil {
		return nil, fmt.Errorf("sealed: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("sealed: %w", err)
	}
	return &key{id: keyID(id), aead: aead, names: names}, nil
}

// A keyring seals with its first key and opens with all. It never changes.
type keyring struct {
	first *key
	all   map[keyID]*key
}

func newKeyring(first []byte, old [][]byte) (*keyring, error) {
	k, err := newKey(first)
	if err != nil {
		return nil, err
	}
	r := &keyring{first: k, all: map[keyID]*key{k.id: k}}
	for i, secret := range old {
		k, err := newKey(secret)
		if err != nil {
			return nil, fmt.Errorf("%w (old key %d)", err, i+1)
		}
		r.all[k.id] = k
	}
	return r, nil
}

// seal makes a row of plain, for one place.
func (r *keyring) seal(at place, plain []byte) []byte {
	row := make([]byte, 0, headerSize+r.first.aead.Overhead()+len(plain))
	row = append(row, magic...)
	row = append(row, version)
	row = append(row, r.first.id[:]...)
	return r.first.aead.Seal(row, nil, plain, at.bind(row))
}

// open returns what was sealed for the place; it is never nil. Errors wrap graph.ErrDamaged, graph.ErrNewerFormat or ErrKey.
func (r *keyring) open(at place, row []byte) ([]byte, error) {
	if len(row) < headerSize || !bytes.HasPrefix(row, []byte(magic)) {
		return nil, fmt.Errorf("%w: it is not sealed", graph.ErrDamaged)
	}
	header, body := row[:headerSize], row[headerSize:]
	if v := header[len(magic)]; v > version {
		return nil, fmt.Errorf("%w: seal %d, this version knows %d", graph.ErrNewerFormat, v, version)
	}
	id := keyID(header[len(magic)+1:])
	k := r.all[id]
	if k == nil {
		return nil, fmt.Errorf("%w: the one with the id %x", ErrKey, id)
	}
	plain, err := k.aead.Open([]byte{}, nil, body, at.bind(header))
	if err != nil {
		return nil, fmt.Errorf("%w: its seal is broken, or it belongs elsewhere", graph.ErrDamaged)
	}
	return plain, nil
}

// bind is the additional data of a row.
func (p place) bind(header []byte) []byte {
	data := make([]byte, 0, headerSize+1+8+len(p.name))
	data = append(data, header...)
	data = append(data, p.kind)
	data = binary.BigEndian.AppendUint64(data, uint64(p.seq))
	return append(data, p.name...)
}

// name is the hash that stands for the key of a pending write in the inner store.
func (r *keyring) name(thread string, seq int64, key string) string {
	mac := hmac.New(sha256.New, r.first.names)
	head := binary.BigEndian.AppendUint64(nil, uint64(seq))
	head = binary.AppendUvarint(head, uint64(len(thread)))
	mac.Write(append(head, thread...)) // a hash takes everything without an error
	mac.Write([]byte(key))
	return string(mac.Sum(nil))
}
