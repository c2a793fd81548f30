// Package index turns documents into passages and questions into hits: splitting, lexical and vector search, fusion.
// It imports the standard library and its own text package; storage comes in through [Store].
//
// A file becomes passages of about 220 words that follow its structure ([Split]); each passage is exactly a
// byte range of its file. [Index.Update] brings an index up to date with folders and files, [Index.Keyword],
// [Index.Vector], [Index.Hybrid] and [Index.Grep] read it, also while an update runs, in this process or another.
package index
