package netguard

import (
	"net/netip"
)

// A block is a range of addresses that is not the public internet.
type block struct {
	prefix netip.Prefix
	kind   string
}

func blocks(list ...[2]string) []block {
	all := make([]block, len(list))
	for i, entry := range list {
		all[i] = block{netip.MustParsePrefix(entry[0]), entry[1]}
	}
	return all
}

// The special-purpose registries of IANA (RFC 6890 and its updates), and what clouds put outside of them.
var (
	closed4 = blocks(
		[2]string{"0.0.0.0/8", "unspecified"},
		[2]string{"10.0.0.0/8", "private"},
		[2]string{"100.64.0.0/10", "carrier-grade NAT"},
		[2]string{"127.0.0.0/8", "loopback"},
		[2]string{"168.63.129.16/32", "the cloud's own"}, // Azure's host, at a public address
		[2]string{"169.254.0.0/16", "link-local"},
		[2]string{"172.16.0.0/12", "private"},
		[2]string{"192.0.0.0/24", "reserved"},
		[2]string{"192.0.2.0/24", "documentation"},
		[2]string{"192.88.99.0/24", "6to4 relay"},
		[2]string{"192.168.0.0/16", "private"},
		[2]string{"198.18.0.0/15", "benchmarking"},
		[2]string{"198.51.100.0/24", "documentation"},
		[2]string{"203.0.113.0/24", "documentation"},
		[2]string{"224.0.0.0/4", "multicast"},
		[2]string{"240.0.0.0/4", "reserved"},
	)
	closed6 = blocks(
		[2]string{"::/128", "unspecified"},
		[2]string{"::1/128", "loopback"},
		[2]string{"fc00::/7", "private"},
		[2]string{"fe80::/10", "link-local"},
		[2]string{"fec0::/10", "site-local"},
		[2]string{"ff00::/8", "multicast"},
		[2]string{"2001::/32", "Teredo"},
		[2]string{"2001::/23", "reserved"},
		[2]string{"2001:db8::/32", "documentation"},
		[2]string{"2002::/16", "6to4"},
		[2]string{"3fff::/20", "documentation"},
	)
	unicast6 = netip.MustParsePrefix("2000::/3")     // all that IANA has given out
	nat64    = netip.MustParsePrefix("64:ff9b::/96") // the IPv4 internet as hosts with IPv6 alone see it
)

// closed says why a is not of the public internet: "private", "loopback", …; "" when it is public.
//
// IPv4 addresses inside IPv6 ones (mapped, NAT64, ISATAP) are judged as what they are; Teredo and 6to4 are closed
// altogether. Where a network translates with a prefix of its own instead of 64:ff9b::/96, nobody outside can tell.
func closed(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	switch {
	case !a.IsValid():
		return "invalid"
	case a.Is4():
		return within(a, closed4)
	case nat64.Contains(a):
		return embedded(a, "NAT64")
	case isatap(a):
		return embedded(a, "ISATAP")
	}
	if kind := within(a, closed6); kind != "" {
		return kind
	}
	if !unicast6.Contains(a) {
		return "reserved"
	}
	return ""
}

func within(a netip.Addr, list []block) string {
	for _, b := range list {
		if b.prefix.Contains(a) {
			return b.kind
		}
	}
	return ""
}

// embedded judges the IPv4 address in the last four bytes of a.
func embedded(a netip.Addr, how string) string {
	b := a.As16()
	kind := within(netip.AddrFrom4([4]byte(b[12:])), closed4)
	if kind == "" {
		return ""
	}
	return kind + " through " + how
}

// isatap reports whether the interface part of a is that of RFC 5214.
func isatap(a netip.Addr) bool {
	b := a.As16()
	return unicast6.Contains(a) && b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
