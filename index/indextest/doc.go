// Package indextest checks implementations of index.Store. It imports the standard library and index.
package indextest
