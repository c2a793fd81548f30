// Package e2e runs the whole agent against a real model server, over the real wire: the store, the index, the tools and
// the nodes as the program has them. It holds tests only, and they are skipped unless the environment names a server:
//
//	KB_AGENT_E2E_LLM_BASE_URL     for example http://localhost:11434/v1
//	KB_AGENT_E2E_LLM_MODEL        the model
//	KB_AGENT_E2E_FAST_MODEL       the model of router and grader, for the test with two (optional)
//	KB_AGENT_E2E_EMBEDDING_MODEL  for search by meaning (optional)
//	KB_AGENT_E2E_API_KEY          (optional)
//	KB_AGENT_E2E_PROVIDER         openai (default) or anthropic
//	KB_AGENT_E2E_CANCELS          how often a run is cancelled; default 200
//	KB_AGENT_E2E_SEED             of the random points of the cancels; default a new one, which is printed
//
// What a model says is not looked at: a tiny one talks nonsense. What holds of every model is: each run ends in a whole
// answer, or in an error, or in the work of the built-in roles with a warning that says so.
package e2e
