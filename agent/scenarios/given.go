package scenarios

import "time"

// Given is the world of a scenario.
type Given struct {
	// Env is variables KB_AGENT_*, read exactly as the program reads its environment.
	Env map[string]string `yaml:"env"`
	// Documents are files by path; they are written to a folder and indexed for real.
	Documents map[string]string `yaml:"documents"`
	// Vectors switches vector search on, over embeddings made of the words of each text.
	Vectors bool `yaml:"vectors"`
	// Files are paths that the knowledge base is said to hold when there are no Documents.
	Files []string `yaml:"files"`
	// Frequencies are how often words occur in a knowledge base that is not there; the built-in grader weighs by them.
	// Default: they are not known.
	Frequencies *Frequencies `yaml:"frequencies"`
	// Tools are results of tools, used up in order by name. A tool without results is the real one.
	Tools []ToolResult `yaml:"tools"`
	// Model is the replies of the model, used up in order. The roles that have none are played by the built-in ones;
	// without any reply no model is configured.
	Model []ModelReply `yaml:"model"`
	// Roles are the roles that the model plays. Default those that have replies.
	Roles []string `yaml:"roles"`
	// ReviewQueue is "down" when reviews cannot be queued. Default it works.
	ReviewQueue string `yaml:"review_queue"`
	// Components are the dimensions of every answer's confidence, in turns by attempt; the last one stays. Default they are
	// measured.
	Components []map[string]float64 `yaml:"components"`
	// Cache keeps the grades of the model from one turn to the next.
	Cache bool `yaml:"cache"`
	// Outcomes are what the environment of an exploration did, by point, in order; see `kbagent explore --alphabet`. A point
	// whose outcomes are used up has its first one. Nothing else may be given beside them and Env.
	Outcomes map[string][]string `yaml:"outcomes"`
	// Tick is how far the clock moves each time that it is read. Default 0: it stands still.
	Tick time.Duration `yaml:"tick"`
}

// Frequencies tell in how many passages of a knowledge base words occur.
type Frequencies struct {
	Passages int            `yaml:"passages"` // of the whole knowledge base
	Terms    map[string]int `yaml:"terms"`    // passages by term; a term that is missing occurs in none
}

// ToolResult is one scripted result of a tool.
type ToolResult struct {
	Tool  string `yaml:"tool"`
	Items []Item `yaml:"items"`
	// Repeat makes this many items like the first, with the paths 1.md, 2.md, …
	Repeat int           `yaml:"repeat"`
	Note   string        `yaml:"note"`
	Error  string        `yaml:"error"` // "CODE: message", or a message alone
	Delay  time.Duration `yaml:"delay"`
	Crash  bool          `yaml:"crash"` // the process dies while the tool works
}

// Item is a scripted piece of evidence.
type Item struct {
	ID      string  `yaml:"id"` // default made of path, lines and content
	Path    string  `yaml:"path"`
	Title   string  `yaml:"title"` // of the document
	Section string  `yaml:"section"`
	Line    int     `yaml:"line"`     // first line, default 1
	EndLine int     `yaml:"end_line"` // default by the lines of the content
	Content string  `yaml:"content"`
	Score   float64 `yaml:"score"`
	Kind    string  `yaml:"kind"` // of the score; default the tool's
	// Language is that of the text, as the index tells it.
	Language string `yaml:"language"`
}

// ModelReply is one scripted reply of the model.
type ModelReply struct {
	Role   string        `yaml:"role"` // router, planner, grader, synthesizer, verifier, reranker or expander
	Reply  string        `yaml:"reply"`
	Calls  []ModelCall   `yaml:"calls"` // tool calls
	Error  string        `yaml:"error"` // the provider fails
	Cut    bool          `yaml:"cut"`   // the stream breaks off behind Reply
	Stop   string        `yaml:"stop"`  // the stop reason, default "stop"
	Delay  time.Duration `yaml:"delay"`
	Crash  bool          `yaml:"crash"`  // the process dies while the model answers
	Tokens int           `yaml:"tokens"` // that the call costs, default 10
}

// ModelCall is a tool call of a scripted reply.
type ModelCall struct {
	Name string         `yaml:"name"`
	Args map[string]any `yaml:"args"`
}

// When is what happens in a turn.
type When struct {
	Ask    string `yaml:"ask"`
	Thread string `yaml:"thread"` // default "t"
	Mode   string `yaml:"mode"`   // answer mode of this question
	// Review decides what the run of the thread waits for, instead of asking.
	Review *Decision `yaml:"review"`
}

// Decision is what a person decided.
type Decision struct {
	Status   string `yaml:"status"` // approved, corrected or rejected
	Answer   string `yaml:"answer"`
	Reviewer string `yaml:"reviewer"`
	Notes    string `yaml:"notes"`
}
