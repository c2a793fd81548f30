package netguard

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAddressesThatAreNotPublicAreClosed(t *testing.T) {
	for address, kind := range map[string]string{
		"0.0.0.0":                           "unspecified",
		"0.1.2.3":                           "unspecified",
		"10.0.0.1":                          "private",
		"100.64.0.1":                        "carrier-grade NAT",
		"100.100.100.200":                   "carrier-grade NAT", // Alibaba's metadata
		"127.0.0.1":                         "loopback",
		"127.255.255.255":                   "loopback",
		"168.63.129.16":                     "the cloud's own",
		"169.254.169.254":                   "link-local", // the metadata of most clouds
		"172.16.0.1":                        "private",
		"172.31.255.255":                    "private",
		"192.0.0.192":                       "reserved",
		"192.0.2.1":                         "documentation",
		"192.88.99.1":                       "6to4 relay",
		"192.168.1.1":                       "private",
		"198.18.0.1":                        "benchmarking",
		"198.19.255.255":                    "benchmarking",
		"198.51.100.1":                      "documentation",
		"203.0.113.1":                       "documentation",
		"224.0.0.1":                         "multicast",
		"240.0.0.1":                         "reserved",
		"255.255.255.255":                   "reserved",
		"::":                                "unspecified",
		"::1":                               "loopback",
		"::127.0.0.1":                       "reserved",
		"::ffff:127.0.0.1":                  "loopback",
		"::ffff:10.1.2.3":                   "private",
		"64:ff9b::10.0.0.1":                 "private through NAT64",
		"64:ff9b::169.254.169.254":          "link-local through NAT64",
		"64:ff9b:1::1":                      "reserved",
		"100::1":                            "reserved",
		"2001:0:4136:e378:8000:63bf:3fff:1": "Teredo",
		"2001:2::1":                         "reserved",
		"2001:20::1":                        "reserved",
		"2001:db8::1":                       "documentation",
		"2002:0a00:0001::1":                 "6to4",
		"2002:0808:0808::1":                 "6to4",
		"2600::5efe:127.0.0.1":              "loopback through ISATAP",
		"2600::200:5efe:192.168.0.1":        "private through ISATAP",
		"3fff::1":                           "documentation",
		"4000::1":                           "reserved",
		"5f00::1":                           "reserved",
		"fc00::1":                           "private",
		"fd00:ec2::254":                     "private",
		"fe80::1":                           "link-local",
		"fe80::1%eth0":                      "link-local",
		"fec0::1":                           "site-local",
		"ff02::1":                           "multicast",
	} {
		a, err := netip.ParseAddr(address)
		require.NoError(t, err)
		assert.Equal(t, kind, closed(a), address)
	}
	assert.Equal(t, "invalid", closed(netip.Addr{}))
}

func TestPublicAddressesAreOpen(t *testing.T) {
	for _, address := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
		"198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1", "2001:4860:4860::8888",
		"2606:4700::1111", "2600::5efe:8.8.8.8",
		"2600::1200:5efe:127.0.0.1", // not the form of ISATAP
	} {
		assert.Empty(t, closed(netip.MustParseAddr(address)), address)
	}
}

func TestWhatTheUserAllowsIsOpen(t *testing.T) {
	list, err := parseAllow([]string{"Wiki.Example.com.", " 10.1.0.0/16 ", "192.168.0.7", "[::1]", "::ffff:172.16.0.0/108", "::ffff:169.254.0.9"})
	require.NoError(t, err)
	for _, name := range []string{"wiki.example.com", "WIKI.example.COM", "wiki.example.com."} {
		assert.True(t, list.host(name), name)
	}
	for _, name := range []string{"example.com", "x.wiki.example.com", "wiki.example.comx", ""} {
		assert.False(t, list.host(name), name)
	}
	for _, a := range []string{"10.1.2.3", "::ffff:10.1.2.3", "192.168.0.7", "::1", "172.16.0.1", "172.31.0.1", "169.254.0.9"} {
		assert.True(t, list.addr(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{"10.2.0.0", "192.168.0.8", "::2", "172.32.0.1", "127.0.0.1"} {
		assert.False(t, list.addr(netip.MustParseAddr(a)), a)
	}
}

func TestFaultyEntriesOfAllowAreNamedAllAtOnce(t *testing.T) {
	_, err := New(Options{Allow: []string{"ok.example", "http://x", "10.0.0.0/99", "", "a b", "host:80", "0x7f.1", "*.example"}})
	for _, faulty := range []string{`"http://x"`, `"10.0.0.0/99"`, `""`, `"a b"`, `"host:80"`, `"0x7f.1"`, `"*.example"`} {
		assert.ErrorContains(t, err, faulty)
	}
	assert.NotContains(t, err.Error(), "ok.example")
}
