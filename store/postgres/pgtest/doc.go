// Package pgtest starts PostgreSQL servers for tests: real ones, from the programs that are installed on the machine, in a
// temporary folder on a free loopback port, as a user without privileges. It imports the standard library only.
//
// [Start] is for most tests: one server for the whole test binary, started on first use. [New] is for tests that do
// something to a server of their own, such as killing it. Both skip the test, with the reason, when PostgreSQL is not
// installed; where the environment variable CI is "true" they fail it instead. Windows is not supported: tests skip there.
//
// Nothing stays behind, whatever becomes of the test binary: a small shell process waits for its end and then stops the
// server and removes the folder, also after a panic, a timeout or SIGKILL.
package pgtest
