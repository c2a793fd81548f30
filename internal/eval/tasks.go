package eval

// tasks are all tasks, in the order in which they are listed.
var tasks = []task{grounding, parsing, grading, sufficiency, retrieval, splitting, extraction, abstention, fusion}

// Tasks are the names of the tasks.
func Tasks() []string {
	names := make([]string, len(tasks))
	for i, t := range tasks {
		names[i] = t.name
	}
	return names
}
