# make play: start a game.   make serve: open it to browsers.   make page: the same as a folder.   make test: run the tests.   make help: the rest.
# Each of them first installs what it needs, and no more, into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GAME := $(VENV)/.game
SERVER := $(VENV)/.server
TESTED := $(VENV)/.tested
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup install play serve page test test-web slow full fuzz check lint format types imports modules kernels kernels-check values docs bench attack soak clean scripts

help: ## show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) debian-packages ## make .venv with farkel and everything to work on it

install: $(SERVER) ## make .venv with farkel and all that players use

play: $(GAME) ## start a game in this terminal
	@$(BIN)/farkel play

serve: $(SERVER) ## open the game to every browser in the room
	@$(BIN)/farkel serve

page: $(GAME) ## make build/page, a folder with the whole game that any file host serves; needs Node
	@$(BIN)/farkel page build/page

PYTEST := $(BIN)/pytest -n 2 --dist worksteal

test: $(TESTED) ## run the tests of the library, the pages and the terminal: four minutes
	@$(PYTEST) -m 'not slow and not full and not postgresql' tests/core

# Playwright keeps an event loop running, so the browser's tests have a run of their own.
test-web: $(READY) debian-packages ## run those in a browser, and on servers and both databases
	@failed=0; \
	$(PYTEST) -m 'not slow and not full' tests/browser || failed=1; \
	$(PYTEST) -m 'not slow and not full and (servers or postgresql)' tests/servers tests/core || failed=1; \
	$(SAY_LEFT_OUT); exit $$failed

slow: $(READY) debian-packages ## run those that take long or need more packages, and random examples with more of them
	@failed=0; export HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-ci}; \
	$(PYTEST) -m slow tests/browser || failed=1; \
	$(PYTEST) -m '(slow or hypothesis or extras) and not full' tests/core tests/servers tests/extras || failed=1; \
	$(SAY_LEFT_OUT); exit $$failed

full: $(READY) ## run those that take many minutes: games of full size, every extra of the wheel
	@$(PYTEST) -m full tests

fuzz: $(READY) ## run the tests of random examples with new ones, for as long as an hour
	@HYPOTHESIS_PROFILE=thorough $(PYTEST) -m hypothesis tests/core

check: lint types scripts imports modules ## lint, format, strict types, import direction, and whether what was built is new

lint: $(READY) ## ruff: rules and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: $(READY) ## ruff: mend what it can
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

types: $(READY) ## mypy, strict
	@$(BIN)/mypy

scripts: $(READY) debian-packages ## TypeScript: the types of the scripts of pages, which are JavaScript; needs Node
	@$(BIN)/python building/scripts.py

imports: $(READY) ## import-linter: the direction of imports
	@$(BIN)/lint-imports

modules: $(READY) ## whether the modules of kernels, and the values of long games, are those of the sources here
	@$(BIN)/python building/kernels.py --is-stale
	@$(BIN)/python building/values.py --check

# Only those need a linker who change what is compiled.
LINKER = $(BIN)/python -c 'import ziglang' 2>/dev/null \
	|| $(BIN)/python building/install.py -c constraints.txt ziglang

kernels: $(READY) ## build the modules of kernels, after a change of what is compiled: three minutes
	@$(LINKER)
	@$(BIN)/python building/kernels.py

kernels-check: $(READY) ## build the modules of kernels elsewhere, and compare bytes, and games of full size
	@$(LINKER)
	@into=$$(mktemp -d); trap 'rm -rf "$$into"' EXIT; \
	$(BIN)/python building/kernels.py --into "$$into" || exit 1; \
	differ=0; for file in "$$into"/*; do cmp "$$file" "src/farkel/kernels/modules/$${file##*/}" || differ=1; done; \
	test $$differ = 0 && echo "The modules are what their sources make" \
		|| { echo "The modules differ from what their sources make. Type: make kernels"; exit 1; }
	@$(PYTEST) -m full tests/core/test_kernel_forms.py

values: $(READY) ## solve the rule sets that take long, and keep their values in short numbers: a quarter of an hour
	@$(BIN)/python building/values.py

docs: $(READY) ## build the documentation site in build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "Open build/site/index.html"

bench: $(READY) ## run the benchmarks
	@$(BIN)/python benchmarks/cold.py
	@$(BIN)/python benchmarks/engine.py
	@$(BIN)/python benchmarks/scoring.py
	@$(BIN)/python benchmarks/solve.py
	@$(BIN)/python benchmarks/arena.py
	@$(BIN)/python benchmarks/env.py
	@$(BIN)/python benchmarks/web.py
	@$(BIN)/python benchmarks/page.py
	@$(BIN)/python benchmarks/walks.py

attack: $(READY) ## attack a server of one's own, and see what those notice who play on it
	@$(BIN)/python benchmarks/attacks.py

soak: $(READY) ## play on a server for ten minutes, and see whether its memory stays flat
	@$(BIN)/python benchmarks/soak.py

clean: ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist

# $(call installed,WHAT,SIZE,REQUIREMENT,GROUPS): what is there already stays.
define installed
@echo "Installing $(1) into $(VENV): about $(2) with what it needs ..."
@$(BIN)/python building/install.py -c constraints.txt -e '$(3)' $(4)
@touch $@
@echo "Done. To type farkel yourself in this shell: . $(BIN)/activate"
endef

$(GAME): $(BIN)/python pyproject.toml constraints.txt
	$(call installed,the game,100 MB,.)

$(SERVER): $(BIN)/python pyproject.toml constraints.txt
	$(call installed,the game with its server,160 MB,.[web])
	@touch $(GAME)

$(TESTED): $(BIN)/python pyproject.toml constraints.txt
	$(call installed,what most tests need,580 MB,.[test])
	@touch $(GAME) $(SERVER)

$(READY): $(BIN)/python pyproject.toml constraints.txt
	@$(BIN)/python building/install.py -c constraints.txt 'pip>=25.1' # the first that knows groups
	$(call installed,everything to work on Farkel,1.9 GB,.[test$(comma)frames$(comma)parquet$(comma)cluster$(comma)postgres$(comma)mcp],--group dev --group docs)
	@touch $(GAME) $(SERVER) $(TESTED)

comma := ,

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "farkel needs Python 3.11 or later; this is $$($(PYTHON) --version)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(MAKE) --no-print-directory venv-package
	@echo "Making $(VENV), a folder for packages of its own ..."
	@$(PYTHON) -m venv $(VENV)

# What some tests want of Debian: a database server, a browser, the typeface of phones, curl, and Node, which runs modules as browsers do. Playwright would fetch a browser of its own elsewhere.
POSTGRES := $(firstword $(shell command -v postgres 2>/dev/null) $(wildcard /usr/lib/postgresql/*/bin/postgres))
CHROMIUM := $(wildcard /usr/bin/chromium)
ROBOTO := $(wildcard /usr/share/fonts/truetype/roboto)
CURL := $(shell command -v curl 2>/dev/null)
NODE := $(shell command -v node 2>/dev/null)
NPM := $(shell command -v npm 2>/dev/null)
MISSING = $(strip $(if $(POSTGRES),,postgresql) $(if $(CHROMIUM),,chromium) $(if $(ROBOTO),,fonts-roboto-unhinted) $(if $(CURL),,curl) $(if $(NODE),,nodejs) $(if $(NPM),,npm))
SAY_LEFT_OUT = test -z "$(MISSING)" \
	|| echo "Left out, as Debian's packages are not here: what needs $(MISSING). To run it: sudo apt-get install $(MISSING)"

.PHONY: debian-packages
debian-packages:
	@test -z "$(MISSING)" -o "$$(id -u)" != 0 -o ! -x /usr/bin/apt-get \
		|| { echo "Installing Debian's packages: $(MISSING) ..."; \
			apt-get update -qq && apt-get install -y -qq --no-install-recommends $(MISSING); } \
		|| echo "$(MISSING) cannot be installed now; tests that need it are left out"

# Debian keeps what venv needs in a package of its own.
.PHONY: venv-package
venv-package:
	@test "$$(id -u)" = 0 -a -x /usr/bin/apt-get \
		|| { echo "Python cannot make virtual environments yet; run: sudo apt-get install python3-venv"; exit 1; }
	apt-get update -qq && apt-get install -y -qq python3-venv
