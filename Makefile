# GNU make and a POSIX sh. `make` alone lists the targets.

SHELL := /bin/sh
GO    ?= go
BIN   := bin/coord

# One set of flags for build, vet, lint and tests: each variation would compile
# the dependencies once more.
export GOFLAGS := $(strip $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath)
export CGO_ENABLED := 0

# Pinned tools, each in a module of its own so that theirs never become ours.
GOFUMPT     := $(GO) tool -modfile=testdata/tools/gofumpt/go.mod gofumpt
STATICCHECK := $(GO) tool -modfile=testdata/tools/staticcheck/go.mod staticcheck

# Where goroutines meet. cmd/coord is left out: its tests start the binary
# hundreds of times, and what runs in them concurrently is tested here. Of work
# those are chosen whose commands run at once; -short leaves out of gitops the
# tables of real repositories, in which nothing meets.
RACE := . ./client ./files ./proc ./worktree ./server/...
AT_ONCE := 'AtOnce|Two|Meanwhile|WhileTheTarget'

# Tests that hold docs/openapi.yaml and docs/cli.md to the code.
GENERATED := -run '^TestGenerated' ./server/api ./cmd/coord

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## the static binary, as bin/coord
	$(GO) build -ldflags '-s -w' -o $(BIN) ./cmd/coord

.PHONY: demo
demo: build ## three agents land six tasks on a real remote, and prove it
	./$(BIN) demo

.PHONY: test
test: ## every test; needs Go and git
	$(GO) test -timeout 10m ./...

.PHONY: race
race: ## tests under the race detector, where goroutines meet; needs a C compiler
	CGO_ENABLED=1 $(GO) test -race -timeout 10m $(RACE)
	CGO_ENABLED=1 $(GO) test -race -short -timeout 10m ./gitops
	CGO_ENABLED=1 $(GO) test -race -timeout 10m ./work -run $(AT_ONCE)

.PHONY: bench
bench: ## the speeds that docs/benchmarks.md keeps, as ratios; best on an idle machine
	@$(GO) test ./cmd/coord -run '^$$' -bench Commands -benchtime 200x
	@$(GO) test ./cmd/coord -run '^$$' -bench LargeRepository -benchtime 5x
	@$(GO) test ./server -run '^$$' -bench Changes -benchtime 5x
	@$(GO) test ./server/store -run '^$$' -bench 'Commit|Next' | awk -f testdata/bench/ratio.awk
	@$(GO) test ./server/store -run '^$$' -bench Lessons -benchtime 300x
	@$(GO) test ./markdown -run '^$$' -bench Read -benchtime 3x

# The proofs whose size is a flag, at a size that make test has no time for.
OPERATIONS ?= 1000000
CYCLES     ?= 10000
WALKS      ?= 5000
LANDINGS   ?= 2000

# $(call proof,PACKAGE,TEST,FLAGS) runs one and prints the line that it ends with.
proof = out=$$($(GO) test $(1) -run '^$(2)$$' -count=1 -timeout 12h -v $(3) 2>&1) || { printf '%s\n' "$$out" | tail -n 100; exit 1; }; \
	printf '%s\n' "$$out" | sed -n 's/^.*: proof: //p' | grep .

.PHONY: soak
soak: ## a million requests at once, thousands of walks, ten thousand kills of a server, two thousand of landings: one line for each proof
	@$(call proof,./server/store,TestL1_K1_K3_Histories,-operations $(OPERATIONS))
	@$(call proof,./server,TestL1_K1_K3_HistoriesOverHTTP,-operations $$(($(OPERATIONS) / 10)))
	@$(call proof,./server,TestL1_L3_L7_L9_L11_L17_Workflow,-walks $(WALKS))
	@$(call proof,./cmd/coord,TestD2_K1_L16_KilledAgainAndAgain,-cycles $(CYCLES))
	@$(call proof,./cmd/coord,TestC0_C18_KilledLandings,-landings $(LANDINGS))
	@$(call proof,./gitops,TestPushOverACutConnection,-every-byte)
	@$(call proof,./work,TestStartKilledAtEveryStep,-every-git)

# What the fuzzers of markdown look at, and for how long each.
FUZZ     := FuzzTile FuzzExtract FuzzMatch FuzzPatch FuzzRoundTrip FuzzMarker FuzzFrontMatter FuzzForeign FuzzHTML
FUZZTIME ?= 60s

.PHONY: fuzz
fuzz: ## a minute of random Markdown for each promise about it; FUZZTIME=10m for more
	@for f in $(FUZZ); do $(GO) test ./markdown -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; done

.PHONY: corpus
corpus: ## what markdown finds in real files beside the repository, compared with another parser
	@$(GO) -C testdata/tools/markdown-oracle run .

# Seeded bugs, each laid over the tree by a program in a module of its own.
MUTANTS := $(GO) -C testdata/tools/mutants run .

.PHONY: mutants
mutants: ## seed known bugs one at a time: each must be caught; M=NAME for one, PATIENCE=10m on a busy machine
	@$(MUTANTS) $(if $(M),-only '$(M)') $(if $(PATIENCE),-patience $(PATIENCE))

.PHONY: mutants-fit
mutants-fit:
	@$(MUTANTS) -stale

.PHONY: check
check: format-check vet lint vet-windows build-windows generated mutants-fit race ## all that a change must pass besides make test

.PHONY: format
format: ## format every Go file
	$(GOFUMPT) -w .

.PHONY: format-check
format-check:
	@bad=$$($(GOFUMPT) -l .) || exit 1; \
	if [ -n "$$bad" ]; then printf 'not formatted (make format):\n%s\n' "$$bad" >&2; exit 1; fi

# The tools that are modules of their own need what we need.
.PHONY: vet
vet:
	$(GO) vet ./...
	$(GO) -C testdata/tools/markdown-oracle vet ./...
	$(GO) -C testdata/tools/windows vet ./...

.PHONY: vet-windows
vet-windows:
	GOOS=windows $(GO) vet ./...

.PHONY: build-windows
build-windows:
	GOOS=windows $(GO) build -o bin/coord.exe ./cmd/coord

.PHONY: test-windows
test-windows: ## unit tests and scripts with the Windows binary under Wine, which it installs; a quarter of an hour; S=NAME for one script
	@$(GO) -C testdata/tools/windows run . $(if $(S),-packages '' -scripts '^$(S)$$')

.PHONY: lint
lint:
	$(STATICCHECK) ./...

.PHONY: generated
generated:
	@out=$$($(GO) test $(GENERATED) 2>&1); status=$$?; printf '%s\n' "$$out"; \
	case "$$out" in *'no tests to run'*) echo 'a generated file has no test' >&2; exit 1;; esac; \
	exit $$status

.PHONY: generate
generate: ## write docs/openapi.yaml and docs/cli.md from the code
	$(GO) test $(GENERATED) -update

.PHONY: clean
clean: ## remove what make build wrote
	rm -rf bin
