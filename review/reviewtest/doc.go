// Package reviewtest checks implementations of review.Store. It imports the standard library and review.
package reviewtest
