// Package evalcache remembers how a retrieval was judged, so that the same question over the same passages is not judged
// again. It imports no other package of the project.
//
// What is kept is small JSON of the caller's, under a [Key]; it may be lost at any time. [Open] returns a cache in this process
// or one in Redis. A cache that is down is no error: it finds nothing and keeps nothing, at almost no cost.
package evalcache
