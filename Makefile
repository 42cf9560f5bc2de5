# Every target installs what it needs (scripts/need reports what it can't install).
GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
# Our own code and most libraries wait for hosts and databases; inlined, they are 2.2 MB larger.
GCFLAGS := $(shell cat scripts/gcflags)
AGENTS  := internal/engine/agentbin/bin/hostler-agent-amd64.zst internal/engine/agentbin/bin/hostler-agent-arm64.zst
AGENT_SOURCES := $(shell find cmd/hostler-agent internal/engine/agent internal/ground/dbaccount internal/ground/wire internal/engine/release internal/ground/ufw internal/ground/value -name '*.go' -not -name '*_test.go') go.mod go.sum

.PHONY: release build run demo check test race cases terraform e2e browser pictures lint bench chaos attack generate need agents web mcp-conformance

build: need agents web
	CGO_ENABLED=0 $(GO) build -trimpath -gcflags '$(GCFLAGS)' -ldflags '$(LDFLAGS)' -o bin/hostler ./cmd/hostler

agents: $(AGENTS)

# The second agent is packed with the first at hand: they share much.
internal/engine/agentbin/bin/hostler-agent-arm64.zst: internal/engine/agentbin/bin/hostler-agent-amd64.zst

internal/engine/agentbin/bin/hostler-agent-%.zst: $(AGENT_SOURCES) internal/engine/agentbin/pack/main.go
	@./scripts/need zstd
	CGO_ENABLED=0 GOOS=linux GOARCH=$* $(GO) build -trimpath -ldflags '-s -w' -o $(@:.zst=) ./cmd/hostler-agent
	$(GO) run ./internal/engine/agentbin/pack $(if $(filter arm64,$*),-like $(firstword $(AGENTS))) $(@:.zst=)
	rm $(@:.zst=)

# The dashboard, embedded from web/dist. Without Node, the program is built without it, with a message.
WEB_SOURCES := $(shell find web/src web/public web/index.html web/package.json web/package-lock.json web/vite.config.ts web/texts.ts web/lingui.config.ts web/tsconfig.json -type f -not -name schema.ts) internal/edge/api/openapi.json

web: web/dist/index.html

web/dist/index.html: $(WEB_SOURCES)
	@./scripts/need node
	@if command -v npm >/dev/null; then ./scripts/web; else echo "make: no Node here: the dashboard is left out"; fi

need:
	@./scripts/need go git

# What is released of this commit, in dist/: see scripts/release.
release: need
	@./scripts/release

# The product, empty, on the embedded database.
run: build
	./bin/hostler serve

# A demo on three practice servers (Linux, root). EXIT=1 cleans up and exits.
demo: build
	./bin/hostler demo $(if $(EXIT),--exit)

test: agents web
	@./scripts/need go git gcc postgres mariadb nginx php dotenv cron sudo nft ssh node chromium age zstd curl named keyring
	./scripts/test

# Checks of what changed, for every day; make test runs everything.
check: need
	./scripts/check

# What make test runs with the race detector, and the whole of test/edge with it too.
race: agents web
	@./scripts/need go git gcc postgres mariadb node
	GOFLAGS=-trimpath $(GO) test -race -vet=off -gcflags='modernc.org/...=-race=false' -timeout 120m -p 2 $$($(GO) list ./... | grep -vE '/test/(e2e|ways|chaos|attack|cases|browser)(/|$$)')

e2e: agents web
	@./scripts/need go git gcc age zstd curl node chromium qemu
	HOSTLER_E2E=full $(GO) test -count=1 -timeout 150m -v ./test/e2e
	HOSTLER_E2E=full $(GO) test -count=1 -timeout 30m -v ./test/ways
	HOSTLER_E2E=full $(GO) test -count=1 -timeout 30m -run '^TestScriptsByCodes$$' ./cmd/hostler
	HOSTLER_SCHEMAS=40 $(GO) test -count=1 -timeout 60m -v -run '^TestGeneratedSchemasComeBack$$' ./internal/engine/agent

browser: agents web
	@./scripts/need go git gcc node chromium
	HOSTLER_BROWSER=full $(GO) test -count=1 -timeout 90m -v ./test/browser
	HOSTLER_BROWSER_LETTERS=1 $(GO) test -count=1 -timeout 30m -v -run '^TestDashboard$$' ./test/browser

# Pictures of every screen at three widths, in light and dark, in build/pictures, with sheets of many at once; those of the documentation are taken from there.
pictures: agents web
	@./scripts/need go git gcc node chromium
	HOSTLER_BROWSER=full HOSTLER_PICTURES=all HOSTLER_SHOTS=$(CURDIR)/build/pictures $(GO) test -count=1 -timeout 90m -v -run '^TestFirstHour$$' ./test/browser
	./scripts/pictures build/pictures

# Every input from public bug reports, on practice hosts: test/cases/README.md.
cases: agents
	@./scripts/need go git gcc age zstd curl
	HOSTLER_CASES=all $(GO) test -count=1 -timeout 60m -v ./test/cases

chaos: agents
	@./scripts/need go git gcc postgres
	HOSTLER_CHAOS=full $(GO) test -count=1 -timeout 120m -v ./test/chaos/...
	HOSTLER_CHAOS=full $(GO) test -count=1 -timeout 60m -v -run '^TestOrdersSurvive$$' ./internal/app
	HOSTLER_WALKS=2000 $(GO) test -count=1 -timeout 60m -v -run '^TestRandomWalk$$' ./internal/engine/job

attack: agents
	@./scripts/need go git gcc
	HOSTLER_ATTACK=full $(GO) test -count=1 -timeout 150m -v ./test/attack/...
	HOSTLER_ATTACK=full $(GO) test -count=1 -timeout 60m -v -run '^TestWrongSignIns$$' ./test/edge

# Medians of five rounds, with their comparisons; docs/performance.md has earlier results.
bench: agents
	@./scripts/need go git gcc postgres
	@./scripts/bench

# The linters of .golangci.yml and of the dashboard, and known vulnerabilities. tools/go.mod pins golangci-lint; it is built once.
lint:
	@./scripts/need go
	@GO='$(GO)' ./scripts/lint
	@GO='$(GO)' ./scripts/vulnerabilities

# The Terraform provider against a real Terraform, or OpenTofu, and a real panel. HOSTLER_TERRAFORM='^TestLives$$/^recipe$$' picks.
terraform:
	@./scripts/need go
	cd terraform && $(GO) vet ./...
	HOSTLER_TERRAFORM=$${HOSTLER_TERRAFORM:-1} $(GO) test -count=1 -timeout 60m -v -run '^TestTerraform$$' ./test/edge

# Generated and committed files: queries, the API description, and the clients and the Terraform provider that are made from it.
generate:
	$(GO) run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate
	$(GO) test ./test/house -run Granted -update
	$(GO) test ./internal/app -run Description -update
	$(GO) test ./internal/cli -run Operations -update
	$(GO) test ./internal/clients -run 'Description|Dashboard' -update

# The suite of the Model Context Protocol, and a node that is new enough for it.
mcp-conformance:
	npm install --no-save --no-audit --no-fund --prefix bin/mcp @modelcontextprotocol/conformance@0.1.16 node@22
	HOSTLER_MCP_CONFORMANCE=$(CURDIR)/bin/mcp HOSTLER_NODE=$(CURDIR)/bin/mcp/node_modules/node/bin/node $(GO) test ./test/edge -run '^TestMCPConformance$$' -v
