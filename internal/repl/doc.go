// Package repl is the conversation with the agent on a terminal, or line by line without one. It may import agent and
// everything below it; only the command line imports it.
//
// On a terminal it edits lines (history, completion, pasted texts of several lines), shows in one line what the agent
// does, and prints the answer while it grows, each block rendered when it is complete. Without a terminal it reads one
// question a line and prints plain text. For screen readers there is a third way ([Config.Plain]): text that stays, words in
// the place of symbols.
//
// Commands are one table (chapters in command.go), each a method of the session in the file of its topic. What a command
// needs from the program around the conversation is in [Host].
//
// Documents, models and file names are not trusted with the terminal: their control characters and characters that
// turn the direction of a text never reach it, and card numbers are masked.
package repl
