# Plays, tests and checks Watering Hole.  Every target sets up what it needs in .venv first.

PYTHON ?= python3
# Test processes at a time.
WORKERS ?= 2
# More for pytest, e.g. make test PYTEST_FLAGS='-k horns'
PYTEST_FLAGS ?=

BIN := .venv/bin
TOURNAMENT := $(BIN)/wateringhole tournament --store games/tournaments.sqlite
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help play serve test test-slow check check-page bench picture screenshots clean

help:
	@echo "make play       play short tournaments of both games; reports and records land under games/"
	@echo "make serve      open the page and play in your browser"
	@echo "make test       run the tests"
	@echo "make test-slow  run the tests that take many seconds each"
	@echo "make check      run ruff, mypy, the check of the import layers and, with npm, that of the page's types"
	@echo "make bench      measure our own speed"
	@echo "make picture    draw the README's picture anew"
	@echo "make screenshots  photograph the page's pictures anew (needs Chromium)"
	@echo "make clean      remove the environment and the caches, but no recorded game"
	@echo
	@echo "Another Python: make play PYTHON=python3.12"

# Everything is kept under games/.  Nobody need be watching: the replay does not wait for keys there.
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
	  echo "Watch all of it:     $(BIN)/wateringhole replay $$record" && \
	  echo "  in a browser:      games/replay.html" && \
	  echo "The reports:         games/porrinha.html, games/evolution.html"

# The page, in your browser.
serve: .venv/.installed
	@$(BIN)/wateringhole serve --open

test: .venv/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_FLAGS)

# pytest's status 5 says that there was nothing to run.
test-slow: .venv/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) -m slow $(PYTEST_FLAGS) || [ $$? -eq 5 ]

check: .venv/.installed-dev
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory check-page; else \
	  echo "There is no npm here: the types of the page's JavaScript are not checked."; fi

check-page: node_modules/.installed
	node_modules/.bin/tsc

# The pictures in the README and in docs/, from real games in a real browser.
screenshots: .venv/.installed-dev
	@$(BIN)/python -m tools.screenshots

# The picture in the README, from a real game.
picture: .venv/.installed
	@$(BIN)/python tools/picture.py

bench: .venv/.installed
	@$(BIN)/wateringhole bench

clean:
	rm -rf .venv node_modules build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# pip is the last thing that a complete environment gets, so its absence shows an unfinished one.
$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no $(PYTHON) here. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Watering Hole needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)." \
	    "Name a newer one: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot create environments: its venv module is missing." \
	    "On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Creating the environment in .venv …"
	@$(PYTHON) -m venv .venv

.venv/.installed: pyproject.toml | $(BIN)/pip
	@echo "Installing Watering Hole …"
	@$(INSTALL) --editable '.[tournament,web]'
	@touch $@

# Tools for the page's JavaScript.  No lock file: these are for checking, and nothing of them is served.
node_modules/.installed: package.json
	npm install --no-package-lock --no-audit --no-fund --silent
	@touch $@

# Whoever has this one has the other too.
.venv/.installed-dev: pyproject.toml | $(BIN)/pip
	@echo "Installing Watering Hole and the tools for its tests …"
	@$(INSTALL) --editable '.[dev]'
	@touch .venv/.installed $@
