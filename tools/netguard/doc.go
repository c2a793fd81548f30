// Package netguard fetches web pages from addresses that other people choose: a model, a search engine, a document.
// It imports the standard library only.
//
// A [Client] reaches public addresses and those that its [Options] allow, and no others. What counts is the address that
// is really dialled, after every name was resolved: a name that changes its address between two look-ups, and a redirect,
// lead nowhere else. Time, size, redirects and headers are bounded.
package netguard
