# kbagent: `make chat` to talk to the manual, `make test` to run all tests. Both need Go and make only.
GO      ?= go
BIN     := bin/kbagent
DATA    ?= .kbagent
PKGS    := ./...
GOLANGCI := bin/golangci-lint
GOLANGCI_VERSION := v2.15.0
export CGO_ENABLED ?= 0

.PHONY: help build chat test race check fmt vet lint tidy cross scenarios fuzz e2e-llm bench bench-compare bench-peers bench-search mutate golden capture clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build bin/kbagent
	@$(GO) build -trimpath -o $(BIN) ./cmd/kbagent

chat: build ## index docs/ and open the chat (questions may be piped in)
	@$(BIN) index --quiet --data-dir $(DATA) docs
	@$(BIN) chat --data-dir $(DATA)

test: ## run all tests, and all scenarios with full coverage of the graph
	@$(GO) run ./cmd/kbagent scenario run agent/scenarios --coverage
	$(GO) test -count=1 -shuffle=on $(PKGS)

race: ## all tests but the kill tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(GO) test -race -short -timeout 20m -count=1 -shuffle=on $(PKGS)

check: fmt vet tidy cross ## formatting, vet, tidy modules, all platforms

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

vet:
	@$(GO) vet $(PKGS)

tidy:
	@$(GO) mod tidy -diff

CROSS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
cross: ## compile for Linux, macOS and Windows (CROSS=os/arch …)
	@for target in $(CROSS); do \
		echo "build $$target"; GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -o /dev/null ./cmd/kbagent || exit 1; done

lint: $(GOLANGCI) ## golangci-lint, built at its pinned version on first use
	@$(GOLANGCI) run

$(GOLANGCI):
	@mkdir -p bin
	GOBIN=$(CURDIR)/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

scenarios: ## run the scenarios alone, each listed
	@$(GO) run ./cmd/kbagent scenario run agent/scenarios --coverage --verbose

FUZZTIME ?= 30s
fuzz: ## every fuzz target for FUZZTIME each
	@for pkg in $$($(GO) list $(PKGS)); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "fuzz $$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; done; done

E2E ?= .
e2e-llm: ## the whole agent against a real model server (KB_AGENT_E2E_LLM_BASE_URL=… KB_AGENT_E2E_LLM_MODEL=… E2E=regexp)
	@test -n "$$KB_AGENT_E2E_LLM_BASE_URL" -a -n "$$KB_AGENT_E2E_LLM_MODEL" || { \
		echo "set KB_AGENT_E2E_LLM_BASE_URL and KB_AGENT_E2E_LLM_MODEL; the others are in internal/e2e/doc.go"; exit 2; }
	$(GO) test -count=1 -v -timeout 60m -run '$(E2E)' ./internal/e2e
	$(GO) test -count=1 -v -timeout 10m -run RealServer ./internal/llm

BENCHTIME ?= 1s
COUNT     ?= 6
BENCH     ?= .
BENCHPKGS ?= ./graph/... ./store/... ./index/... ./nodes/... ./agent/...
BENCHSTAT := bin/benchstat
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da
MEASURE    = -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT)

bench: ## all benchmarks, as a table of floors, ratios and targets (BENCH=regexp BENCHPKGS=… COUNT=6 BENCHTIME=1s)
	@$(GO) run ./internal/measure floors $(MEASURE) $(BENCHPKGS)

bench-compare: $(BENCHSTAT) ## benchmarks of the work tree against a git ref (REF=main BENCH=… BENCHPKGS=…)
	@$(GO) run ./internal/measure compare -ref '$(or $(REF),HEAD)' -benchstat $(CURDIR)/$(BENCHSTAT) $(MEASURE) $(BENCHPKGS)

$(BENCHSTAT):
	@mkdir -p bin
	GOBIN=$(CURDIR)/bin $(GO) install golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION)

PEERSJS   ?= bench/peers/js
bench-peers: $(if $(PEERSJS),$(PEERSJS)/node_modules) ## the same workloads on other runtimes (needs a C compiler, node, npm; PEERSJS= without LangGraph.js)
	@CGO_ENABLED=1 $(GO) run ./internal/measure peers $(MEASURE) -js '$(PEERSJS)'

bench/peers/js/node_modules: bench/peers/js/package-lock.json
	cd $(@D) && npm ci --no-audit --no-fund
	@touch $@

PASSAGES  ?= 100000
bench-search: ## keyword search beside SQLite's FTS5 and bleve (DATA=folder of the data sets PASSAGES=100000)
	@test -n '$(DATA)' || { echo "set DATA to the folder of the data sets"; exit 2; }
	cd bench/search && $(GO) run . -data '$(abspath $(DATA))' -passages $(PASSAGES)

mutate: ## plant violations of the rules and see that the tests notice (ONLY=regexp of the titles)
	@$(GO) run ./internal/mutate -run '$(ONLY)'

golden: ## rewrite golden files after a change that you have looked at
	$(GO) test ./graph ./agent ./internal/repl -update

capture: ## run the consoles of README.md and docs/first-ten-minutes.md and write what they print
	$(GO) test -count=1 ./cmd/kbagent -run TestTheConsoles -capture

clean: ## remove what was built; the data directory stays
	rm -rf bin
