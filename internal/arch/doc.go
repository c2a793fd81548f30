// Package arch is the import law of the project as a test: which package may know which, who may use a module, and who
// may read the environment. It imports the standard library only.
//
// The law stands in [Packages] and [Modules]. A new package or module needs a line there, with the question answered why
// it needs what it imports. The checker reads the source files themselves, so that files for other systems count too.
package arch
