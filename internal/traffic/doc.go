// Package traffic records the HTTP exchanges with model servers, search engines and web pages into a file and answers from it later, so that a run can
// be looked at, repeated without a server, and turned into a test. It may import the standard library only.
//
// [Recorder] and [Replayer] are transports: give one of them to each model and embedder as its Transport. What goes to many
// hosts, as pages do, takes the transport that their method Web returns.
//
// # The file
//
// JSON lines: a head with the format's version and the seed of the fences, one line for each exchange in the order in
// which they ended, and an end line with their number, without which the recording was cut. An exchange holds the
// method and the path, the request's body in its canonical form (keys sorted, white space and random fences gone), the
// status, the headers that matter, and the body in the pieces in which it came; or the failure in their place. Request
// headers are not recorded, hosts and queries of pages only; a key that a server repeats is blotted out. Prompts and answers are
// recorded: the file is as confidential as the documents are.
package traffic
