// Package crawl fetches one page of the web, or the pages of one site within bounds, for an index. It imports index for the form of
// what it yields, tools/netguard to fetch and internal/readable to decode, a reader of robots.txt and one of HTML.
//
// A crawl stays on one host and below one path, keeps to robots.txt and its own bounds, asks for one page at a time with a pause
// between, and asks with conditions for pages that it knows.
package crawl
