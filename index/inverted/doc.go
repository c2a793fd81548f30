// Package inverted keeps inverted lists in segments that never change, and finds the best documents in them by BM25.
// It imports the standard library only, and stores nothing itself: a segment is a few hundred blobs that a store keeps.
//
// A segment holds documents in ascending order of their keys. Within it a document is its ordinal, from 0. Its blobs are
// numbered: blob 0 has the keys and lengths of the documents, blob 1 is the directory of the pages; the others are pages of
// the dictionary, which hold short lists beside their terms, and long lists. New documents make a new segment, [Builder];
// [Merge] makes one of several, without the documents that were deleted meanwhile. Deletion itself is a bit beside a segment.
//
// [Search] is exact: it returns what adding up all terms of all documents would. It skips what cannot be among the best by
// the bounds of blocks of 128 documents (MaxScore, Turtle and Flood 1995, with the bounds of block-max WAND, Ding and Suel
// 2011). Sums are of whole numbers, so that they do not depend on the order of the terms.
package inverted
