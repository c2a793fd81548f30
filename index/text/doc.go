// Package text cuts text into terms, words and sentences, the same way for the index, the graders and the answerers.
// It imports the standard library, clipperhouse/uax29 (Unicode segmentation) and kljensen/snowball (English stems).
//
// All functions are pure and safe for concurrent use, and take any bytes: invalid UTF-8 is treated as separators.
package text
