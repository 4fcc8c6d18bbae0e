# Play, test and check Watering Hole.  Every target first installs what it needs into .venv.

PYTHON ?= python3
# Number of parallel test processes: more than the two cores of a small machine, because many tests wait.
WORKERS ?= 3
# Extra options for pytest, e.g. make test PYTEST_FLAGS='-k horns'
PYTEST_FLAGS ?=

# For make fuzz: the time for all targets, or one input to run.
MINUTES ?= 5
INPUT ?=

# Rules, records and store, whose branch coverage is measured, and the tests that must cover them.
COVERED := */games/*/rules/*.py,*/match/record.py,*/match/commitments.py,*/match/versions.py,*/tournaments/store/*.py
COVERING := $(addprefix tests/games/evolution/test_,attack.py cards.py codec.py custom_traits.py dealer.py draft.py \
    expulsion.py feeding.py folded_view.py plain_answers.py preview.py properties.py ranking.py reveal.py \
    rulebook_cases.py rules_options.py traits.py views.py) \
  $(addprefix tests/games/porrinha/test_,bad_answers.py calls.py codec.py failures.py folded_view.py properties.py \
    rounds.py rules.py series.py) \
  $(addprefix tests/match/test_,record.py commitments.py versions.py) \
  $(addprefix tests/tournaments/test_,store.py backup.py withdrawals.py)

BIN := .venv/bin
TOURNAMENT := $(BIN)/wateringhole tournament --store games/tournaments.sqlite
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help play serve test test-slow check check-page mutants mutants-page coverage fuzz page-types wheel bench docs picture screenshots clean

help:
	@echo "make play       play short tournaments of both games; reports and records go to games/"
	@echo "make serve      open the page and play in your browser"
	@echo "make test       run the tests"
	@echo "make test-slow  run the tests that take many seconds each"
	@echo "make check      run ruff, mypy, the checks of import layers and plain words and, with npm, the page's type check"
	@echo "make fuzz       look for inputs that cause errors, for MINUTES=5 (needs Linux on x86-64)"
	@echo "make mutants    change the code in small ways, and list the changes that no test notices"
	@echo "make coverage   measure the branch coverage of rules, records and store"
	@echo "make bench      measure games per second on this machine"
	@echo "make docs       build the documentation site into site/; open site/index.html"
	@echo "make picture    draw docs/images/game.svg from a real game"
	@echo "make screenshots  update the screenshots of the page (needs Chromium and Node.js)"
	@echo "make page-types  write the types of the page's messages from the server's structs"
	@echo "make wheel      build the wheel and the source distribution in dist/"
	@echo "make clean      remove the environment and the caches, but keep recorded games"
	@echo
	@echo "To use another Python: make play PYTHON=python3.12"

# Writes everything to games/.  The replay reads no keys, so this also works unattended.
play: .venv/.installed
	@mkdir -p games
	@$(TOURNAMENT) porrinha random zero counter --games 300 --report games/porrinha.html
	@$(TOURNAMENT) evolution silly random greedy --games 60 --report games/evolution.html --replays games
	@record=$$(ls -t games/evolution-*-closest-1.jsonl | head -n 1) && \
	  $(BIN)/wateringhole replay --verify "$$record" >/dev/null && \
	  $(BIN)/wateringhole replay "$$record" --html games/replay.html >/dev/null && \
	  echo && echo "How the closest game of Evolution ended:" && echo && \
	  $(BIN)/wateringhole replay "$$record" </dev/null | tail -n 20 && \
	  echo && \
	  echo "Watch the game:      $(BIN)/wateringhole replay $$record" && \
	  echo "  in a browser:      games/replay.html" && \
	  echo "Read the reports:    games/porrinha.html, games/evolution.html"

# Open the page in your browser.
serve: .venv/.installed
	@$(BIN)/wateringhole serve --open

test: .venv/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_FLAGS)

# pytest exits with status 5 if there was nothing to run.
test-slow: .venv/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) -m slow $(PYTEST_FLAGS) || [ $$? -eq 5 ]

check: .venv/.installed-dev
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.plain_words
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory check-page; else \
	  echo "npm is not installed: skipping the type check of the page's JavaScript."; fi

check-page: node_modules/.installed
	node_modules/.bin/tsc

# Fuzz what reads untrusted bytes; the inputs that are found go to build/fuzz.
fuzz: .venv/.installed-fuzz
	@$(BIN)/python -m tools.fuzz $(if $(INPUT),--input $(INPUT),--minutes $(MINUTES))

# Mutants of the sample in pyproject.toml.  Processes that tests start import the mutants, too.  Statistics of an earlier
# run may name tests that have changed, so each run starts from nothing.
mutants: build/mutants/.installed
	@rm -rf mutants && mkdir -p mutants/src
	PYTHONPATH=$(CURDIR)/mutants/src build/mutants/bin/mutmut run --max-children $(WORKERS)
	PYTHONPATH=$(CURDIR)/mutants/src build/mutants/bin/mutmut results
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory mutants-page; else \
	  echo "npm is not installed: skipping the mutants of the page's JavaScript."; fi

# Mutants of the page's logic: the sample in tools/stryker.json.
mutants-page: build/stryker/.installed
	build/stryker/node_modules/.bin/stryker run --concurrency $(WORKERS) tools/stryker.json

coverage: .venv/.installed-dev
	@$(INSTALL) 'coverage>=7.6'
	$(BIN)/coverage run --branch --include='$(COVERED)' -m pytest -p no:xdist $(COVERING) $(PYTEST_FLAGS)
	$(BIN)/coverage report

# Write the types of the page's messages from the server's structs.
page-types: .venv/.installed
	@$(BIN)/python -m tools.page_types

# Take the screenshots for the README and docs/ from real games in a real browser.
screenshots: .venv/.installed-dev
	@$(BIN)/python -m tools.screenshots

# Build the documentation site, which opens from a folder.  The variable silences an announcement of other software.
docs: .venv/.installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Read it: site/index.html"

# Draw docs/images/game.svg from a real game.
picture: .venv/.installed
	@$(BIN)/python tools/picture.py

# Build what can be installed elsewhere, in environments of its own.
wheel: build/wheel/.installed
	build/wheel/bin/python -m build --outdir dist .
	build/wheel/bin/twine check --strict dist/wateringhole-*

bench: .venv/.installed
	@$(BIN)/wateringhole bench

clean:
	rm -rf .venv node_modules build mutants dist site .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# pip is installed last, so a missing pip means that the environment is incomplete.
$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "$(PYTHON) was not found. Install Python 3.11 or newer, or give its path: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Watering Hole needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)." \
	    "Give a newer one: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot create environments: its venv module is missing." \
	    "On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Creating the environment in .venv …"
	@$(PYTHON) -m venv .venv

.venv/.installed: pyproject.toml | $(BIN)/pip
	@echo "Installing Watering Hole …"
	@$(INSTALL) --editable '.[tournament,web]'
	@touch $@

# Much less than the development environment.
build/wheel/.installed: pyproject.toml
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet --disable-pip-version-check 'build>=1.2' 'twine>=6.1'
	@touch $@

# mutmut needs a pytest before version 9.
build/mutants/.installed: pyproject.toml
	$(PYTHON) -m venv build/mutants
	build/mutants/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' mutmut==3.8.0 'pytest<9'
	@touch $@

# Version 10 of Stryker needs Node.js 22.  There is no lock file, because it is never served.
build/stryker/.installed: Makefile
	mkdir -p build/stryker
	npm install --prefix build/stryker --no-package-lock --no-audit --no-fund --silent \
	  @stryker-mutator/core@9 @stryker-mutator/tap-runner@9
	@touch $@

# Tools for the page's JavaScript.  There is no lock file, because they only check and are never served.
node_modules/.installed: package.json
	npm install --no-package-lock --no-audit --no-fund --silent
	@touch $@

# The development environment includes the other one.
.venv/.installed-dev: pyproject.toml | $(BIN)/pip
	@echo "Installing Watering Hole and the tools for its tests …"
	@$(INSTALL) --editable '.[dev]'
	@touch .venv/.installed $@

.venv/.installed-fuzz: .venv/.installed-dev
	@$(INSTALL) --editable '.[fuzz]'
	@touch $@
