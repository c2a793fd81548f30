package netguard

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxURL is the longest URL that is fetched, in bytes.
const maxURL = 8 << 10

// DefaultDenyPorts are the ports on which something else than the web is well known: those that browsers refuse
// (the Fetch standard, "port blocking"), and the common databases.
var DefaultDenyPorts = []uint16{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
	111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540,
	548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
	6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	1433, 1521, 3306, 5432, 6379, 11211, 27017,
}

// CheckURL reads a URL and refuses, with an error that is [ErrRefused], what is not fetched whatever its name resolves to:
// other schemes than http and https, user info, closed ports, closed addresses and names of this machine, numbers in
// forms that resolvers take for addresses (0x7f.1, 2130706433, 0177.0.0.1). The fragment is left out.
func (c *Client) CheckURL(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, refuse("the URL is longer than %d bytes", maxURL)
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		var ue *url.Error // its text repeats the URL
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, refuse("this is no URL: %v", err)
	}
	if err := c.check(u); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func (c *Client) check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("only http and https are fetched, not %q", u.Scheme)
	case u.Opaque != "" || hostKey(u.Hostname()) == "":
		return refuse("the URL names no host")
	case u.User != nil:
		return refuse("a URL with a user name or password is not fetched")
	}
	if err := c.checkPort(u.Port()); err != nil {
		return err
	}
	return c.checkHost(u.Hostname())
}

func (c *Client) checkPort(port string) error {
	if port == "" {
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return refuse("port %q is not 1 to 65535", port)
	}
	if slices.Contains(c.opts.DenyPorts, uint16(n)) {
		return refuse("port %d is not a port of the web", n)
	}
	return nil
}

// checkHost refuses what can be told from the name. Its addresses are checked when they are dialled.
func (c *Client) checkHost(host string) error {
	if c.allow.host(host) {
		return nil
	}
	if addr, err := netip.ParseAddr(hostKey(host)); err == nil {
		return c.checkAddr(host, addr)
	}
	name := hostKey(host)
	switch {
	case endsInNumber(name) || strings.ContainsAny(name, ":%"):
		return refuse("%s is neither a host name nor an address in its usual form", host)
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		return refuse("%s is this machine", host)
	}
	return nil
}

// checkAddr refuses an address that is neither public nor allowed. host is how it was named.
func (c *Client) checkAddr(host string, addr netip.Addr) error {
	kind := closed(addr)
	if kind == "" || c.allow.addr(addr) {
		return nil
	}
	shown := addr.String()
	if host != shown {
		shown = fmt.Sprintf("%s (%s)", host, shown)
	}
	return refuse("%s is not a public address (%s)", shown, kind)
}

// endsInNumber is the rule of the URL standard for what is meant as an IPv4 address: its last label is digits or 0x….
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(last, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}
