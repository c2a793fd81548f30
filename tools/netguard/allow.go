package netguard

import (
	"fmt"
	"net/netip"
	"strings"
)

// An allowList is what the user opened: names with all their addresses, addresses, ranges.
type allowList struct {
	names    map[string]bool
	prefixes []netip.Prefix
}

// parseAllow reads hosts ("wiki.example.com"), addresses and ranges in CIDR notation. Its error names every faulty entry.
func parseAllow(entries []string) (allowList, error) {
	list := allowList{names: make(map[string]bool, len(entries))}
	var faults []string
	for _, entry := range entries {
		if !list.add(strings.TrimSpace(entry)) {
			faults = append(faults, fmt.Sprintf("%q", entry))
		}
	}
	if len(faults) > 0 {
		return list, fmt.Errorf("netguard: %s: neither a host name nor an address nor a range such as 10.0.0.0/8", strings.Join(faults, ", "))
	}
	return list, nil
}

func (l *allowList) add(entry string) bool {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		if a := prefix.Addr(); a.Is4In6() {
			if prefix.Bits() < 96 {
				return false
			}
			prefix = netip.PrefixFrom(a.Unmap(), prefix.Bits()-96)
		}
		l.prefixes = append(l.prefixes, prefix.Masked())
		return true
	}
	if addr, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
		addr = addr.Unmap().WithZone("")
		l.prefixes = append(l.prefixes, netip.PrefixFrom(addr, addr.BitLen()))
		return true
	}
	name := hostKey(entry)
	if !isName(name) || endsInNumber(name) {
		return false
	}
	l.names[name] = true
	return true
}

// host reports whether the name is open, whatever it resolves to.
func (l *allowList) host(name string) bool { return l.names[hostKey(name)] }

// addr reports whether the address is open.
func (l *allowList) addr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, p := range l.prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// hostKey is the one form of a host name: lower case, without the dot of the root.
func hostKey(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// isName reports whether name has the form of a host name: labels of letters, digits, hyphens and underscores.
func isName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.Trim(label, letters) != "" {
			return false
		}
	}
	return true
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"
