package load

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
)

// A pdfKey decrypts a file that opens without a password: many are encrypted only to forbid printing (PDF 32000-1, 7.6).
type pdfKey struct {
	key []byte
	aes bool
}

// padding fills passwords up (algorithm 2).
var padding = []byte("\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a")

// decryptionKey makes the key for the empty password, and checks that it is the file's. It knows the standard handler up to
// version 4 (RC4 and AES with 128 bits); all else is an ErrEncrypted.
func (f *pdfFile) decryptionKey() (*pdfKey, error) {
	d := f.dict(f.trailer["Encrypt"])
	version, revision := f.number(d["V"]), f.number(d["R"])
	if f.name(d["Filter"]) != "Standard" || version < 1 || version > 4 || version == 3 || revision < 2 || revision > 4 {
		return nil, fmt.Errorf("%w: by a method that is not known (version %v)", ErrEncrypted, version)
	}
	k := &pdfKey{}
	size := 5
	if version > 1 {
		if n := intOf(f.get(d["Length"])); n >= 40 && n <= 128 {
			size = n / 8
		}
	}
	if version == 4 {
		size = 16
		filter := f.dict(f.dict(d["CF"])[f.name(d["StmF"])])
		switch f.name(filter["CFM"]) {
		case "AESV2":
			k.aes = true
		case "V2":
		default:
			return nil, fmt.Errorf("%w: by a filter that is not known", ErrEncrypted)
		}
	}
	k.key = f.emptyPassword(d, size, revision)
	if !k.opens(f, d, revision) {
		return nil, fmt.Errorf("%w: it needs a password", ErrEncrypted)
	}
	return k, nil
}

// emptyPassword is algorithm 2.
func (f *pdfFile) emptyPassword(d pdfDict, size int, revision float64) []byte {
	owner, _ := f.get(d["O"]).(pdfString)
	h := md5.New()
	h.Write(padding)
	h.Write([]byte(owner)[:min(32, len(owner))])
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(int64(f.number(d["P"])))))
	h.Write(f.fileID())
	if plain, ok := f.get(d["EncryptMetadata"]).(bool); ok && !plain && revision >= 4 {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:size])
			key = sum[:]
		}
	}
	return key[:size]
}

func (f *pdfFile) fileID() []byte {
	if ids := f.list(f.trailer["ID"]); len(ids) > 0 {
		id, _ := f.get(ids[0]).(pdfString)
		return []byte(id)
	}
	return nil
}

// opens compares with what the file says the key makes (algorithms 4 and 5).
func (k *pdfKey) opens(f *pdfFile, d pdfDict, revision float64) bool {
	user, _ := f.get(d["U"]).(pdfString)
	want := padding
	if revision >= 3 {
		sum := md5.Sum(append(bytes.Clone(padding), f.fileID()...))
		want = sum[:]
	}
	got := bytes.Clone(want)
	rounds := 1
	if revision >= 3 {
		rounds = 20
	}
	for i := range rounds {
		key := bytes.Clone(k.key)
		for j := range key {
			key[j] ^= byte(i)
		}
		if err := xorRC4(key, got); err != nil {
			return false
		}
	}
	return len(user) >= len(got) && bytes.Equal(got, []byte(user)[:len(got)])
}

// decrypt is algorithm 1.
func (k *pdfKey) decrypt(data []byte, number, gen int) ([]byte, error) {
	seed := append(bytes.Clone(k.key), byte(number), byte(number>>8), byte(number>>16), byte(gen), byte(gen>>8))
	if k.aes {
		seed = append(seed, "sAlT"...)
	}
	sum := md5.Sum(seed)
	key := sum[:min(16, len(k.key)+5)]
	if !k.aes {
		out := bytes.Clone(data)
		return out, xorRC4(key, out)
	}
	if len(data) < 2*aes.BlockSize || len(data)%aes.BlockSize != 0 {
		return nil, fmt.Errorf("%w: an encrypted stream of %d bytes", ErrMalformed, len(data))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncrypted, err)
	}
	out := make([]byte, len(data)-aes.BlockSize)
	cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, data[aes.BlockSize:])
	if pad := int(out[len(out)-1]); pad >= 1 && pad <= aes.BlockSize {
		out = out[:len(out)-pad]
	}
	return out, nil
}

func xorRC4(key, data []byte) error {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEncrypted, err)
	}
	c.XORKeyStream(data, data)
	return nil
}
