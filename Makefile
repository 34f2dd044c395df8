# Every job of the repository. `make` builds everything and builds omcbuild's own plugin with it; `make test` is what a
# change has to pass; `make help` lists the rest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

OMCBUILD := bin/omcbuild
MODULES := src/node_modules/.package-lock.json
# What the tests of the servers run beside them: language servers, other releases of optional packages.
PROGRAMS := src/test-support/programs/node_modules/.package-lock.json
# What make bench compares omcbuild with.
RIVALS := internal/bench/rivals/node_modules/.package-lock.json
GOPLS := bin/gopls
# Pinned in a module of its own, so that its hundreds of dependencies are not ours.
LINTER := go tool -modfile=tools/go.mod golangci-lint

# The one version of the repository is package.json's.
version = $(shell node -p 'require("./package.json").version')
LDFLAGS = -s -w -X main.version=$(version)
VERSION ?= $(version)

# The race detector needs a C compiler. Without one the same tests run without it.
RACE = $(if $(shell command -v "$$(go env CC)"),-race)

GO_FOLDERS := bundler cmd internal plugin-template

.PHONY: all
all: build ## build everything, then bundle, verify and sync the plugin
	$(OMCBUILD) build

.PHONY: help
help: ## list the jobs
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

.PHONY: build
build: $(OMCBUILD) $(MODULES) ## compile omcbuild and install the TypeScript workspace

# Go itself knows what is up to date, so this always asks it.
.PHONY: $(OMCBUILD)
$(OMCBUILD):
	go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o $@ ./cmd/omcbuild

$(MODULES): src/package.json src/package-lock.json src/.npmrc
	cd src && npm ci
	touch $@

$(PROGRAMS): src/test-support/programs/package.json src/test-support/programs/package-lock.json
	cd src/test-support/programs && npm ci
	touch $@

# No script of a package is run: the benchmark starts the programs where their packages have them.
$(RIVALS): internal/bench/rivals/package.json internal/bench/rivals/package-lock.json
	cd internal/bench/rivals && npm ci --ignore-scripts
	touch $@

$(GOPLS): tools/gopls/go.mod tools/gopls/go.sum
	go build -modfile=tools/gopls/go.mod -o $@ golang.org/x/tools/gopls

.PHONY: programs
programs: $(PROGRAMS) $(GOPLS) ## install the language servers that the tests run

.PHONY: test
test: build style types test-go test-ts frozen ## everything a change has to pass

.PHONY: test-go
# The bundler's tests start some hundred Node processes, which takes a slow machine longer than the ten minutes of go test.
test-go: $(MODULES) ## the Go tests, with the race detector where there is a C compiler
	go test $(RACE) -timeout 30m ./...

.PHONY: test-ts
test-ts: $(MODULES) $(PROGRAMS) $(GOPLS) ## the tests of the servers
	cd src && npm test

.PHONY: compat
compat: build $(PROGRAMS) ## put the same calls to our server and to the published reference; bundle public servers (downloads both)
	cd src && npm run --silent compat

.PHONY: fuzz
fuzz: all ## 1,000 odd calls of every tool of the server, other ones each time (some minutes)
	cd src && OMC_FUZZ_CALLS=$${OMC_FUZZ_CALLS:-1000} OMC_FUZZ_SEED=$${OMC_FUZZ_SEED:-$$RANDOM} npx vitest run mcp/fuzz.test.ts

.PHONY: frozen
frozen: build ## bundle, lock file and metadata are what the sources say, and the plugin is whole
	$(OMCBUILD) build --frozen
	$(OMCBUILD) sync --check
	$(OMCBUILD) verify --plugin

.PHONY: style
style: $(MODULES) ## the checks that take seconds: gofmt, go vet, oxlint
	@unformatted=$$(gofmt -l $(GO_FOLDERS)); if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	cd src && npm run --silent lint

.PHONY: types
types: $(MODULES) ## check the types of the servers
	cd src && npm run --silent typecheck

.PHONY: lint
lint: style types ## style and types, and golangci-lint (compiled on first use, some minutes)
	$(LINTER) run ./...

.PHONY: fmt
fmt: $(MODULES) ## format the Go sources, fix what oxlint can fix
	gofmt -w $(GO_FOLDERS)
	cd src && npm run --silent lint -- --fix

.PHONY: bench
bench: build $(RIVALS) ## measure against other tools and our limits, about ten minutes; writes docs/benchmarks.md
	go run ./internal/bench -write docs/benchmarks.md

.PHONY: dist
dist: ## what omcbuild is released as, into dist/: archives for six systems and npm packages; VERSION=1.2.3
	go run ./internal/dist -version $(VERSION) -out dist

# The client's program; what lies in PATH when it is not given.
CLAUDE ?=

.PHONY: client
client: build ## take the packaged plugin through the real client: CLAUDE=FILE, or claude in PATH
	@packages=$$(mktemp -d); trap 'rm -rf "$$packages"' EXIT; \
	$(OMCBUILD) package --quiet --format dir --out "$$packages" && \
	go run ./internal/realclient -client '$(CLAUDE)' "$$packages/omcbuild"

.PHONY: docs
docs: ## write docs/commands from the commands themselves
	go test ./cmd/omcbuild -run '^TestCommandPages$$' -count=1 -update

.PHONY: clean
clean: ## remove what was built and installed; bridge/ is committed and stays
	rm -rf bin dist coverage src/node_modules src/coverage src/test-support/programs/node_modules internal/bench/rivals/node_modules
