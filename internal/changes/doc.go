// Package changes tells which files and folders changed. It imports the standard library and fsnotify.
//
// A [Watcher] gathers the changes that come close together, so that saving a file, unpacking an archive or switching a branch
// is told once. Where the system has no room for more watches it looks at everything from time to time instead, and says so.
package changes
