package netguard

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// zone is a small DNS server: the answers of each name, one after the other; the last one stays.
type zone struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	asked   map[string]int // questions for IPv4 addresses
}

func addrs(list ...string) []netip.Addr {
	all := make([]netip.Addr, len(list))
	for i, a := range list {
		all[i] = netip.MustParseAddr(a)
	}
	return all
}

// resolver starts the server and returns a resolver that asks it alone.
func (z *zone) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	z.asked = map[string]int{}
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return // closed
			}
			reply, err := z.reply(buf[:n])
			if assert.NoError(t, err) {
				_, err = conn.WriteTo(reply, from)
				assert.NoError(t, err)
			}
		}
	}()
	t.Cleanup(func() { conn.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp4", conn.LocalAddr().String())
	}}
}

func (z *zone) reply(packet []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil {
		return nil, err
	}
	q := m.Questions[0]
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true, RCode: dnsmessage.RCodeSuccess}
	m.Questions, m.Additionals = m.Questions[:1], nil
	z.mu.Lock()
	defer z.mu.Unlock()
	list, known := z.answers[name]
	if !known {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	turn := min(z.asked[name], len(list)-1)
	if q.Type == dnsmessage.TypeA {
		z.asked[name]++
	}
	for _, a := range list[turn] {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: dnsmessage.ClassINET}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return m.Pack()
}
