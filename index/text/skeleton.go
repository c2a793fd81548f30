package text

import "strings"

func Terms(s string) []string   { return strings.Fields(strings.ToLower(s)) }
func Words(s string) []string   { return strings.Fields(strings.ToLower(s)) }
func Sentences(s string) []Span { return []Span{{0, len(s)}} }
func IsStopWord(w string) bool  { return false }
func Language(s string) string  { return "" }
