# kbagent: `make chat` to talk to the manual, `make test` to run all tests. Both need Go and make only.
GO      ?= go
BIN     := bin/kbagent
DATA    ?= .kbagent
PKGS    := ./...
GOLANGCI := bin/golangci-lint
GOLANGCI_VERSION := v2.15.0
export CGO_ENABLED ?= 0

.PHONY: help build chat test race check fmt vet lint tidy cross scenarios fuzz bench mutate golden clean

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

race: ## all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -count=1 -shuffle=on $(PKGS)

check: fmt vet tidy cross ## formatting, vet, tidy modules, all platforms

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

vet:
	@$(GO) vet $(PKGS)

tidy:
	@$(GO) mod tidy -diff

cross: ## compile for Linux, macOS and Windows
	@for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
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

BENCHTIME ?= 1s
COUNT     ?= 5
bench: ## all benchmarks with their floors
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -count $(COUNT) ./graph/... ./store/... ./index/... ./nodes/... ./agent/...

mutate: ## plant violations of the rules and see that the tests notice (ONLY=regexp of the titles)
	@$(GO) run ./internal/mutate -run '$(ONLY)'

golden: ## rewrite golden files after a change that you have looked at
	$(GO) test ./graph ./agent ./internal/repl -update

clean: ## remove what was built; the data directory stays
	rm -rf bin
