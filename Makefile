# Plays, tests and checks Watering Hole.  Every target sets up what it needs in .venv first.

PYTHON ?= python3
# Test processes at a time.
WORKERS ?= 2
# More for pytest, e.g. make test PYTEST_FLAGS='-k horns'
PYTEST_FLAGS ?=

BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help play test test-slow check bench picture clean

help:
	@echo "make play       watch games between built-in players; the last one is recorded under games/"
	@echo "make test       run the tests"
	@echo "make test-slow  run the tests that take many seconds each"
	@echo "make check      run ruff, mypy and the check of the import layers"
	@echo "make bench      measure our own speed"
	@echo "make picture    draw the README's picture anew"
	@echo "make clean      remove the environment and the caches, but no recorded game"
	@echo
	@echo "Another Python: make play PYTHON=python3.12"

# The newest file under games/ is the record of the game just played.  Verifying replays it
# from start to end without waiting for keys, so this also works where nobody is watching.
play: .venv/.installed
	@$(BIN)/wateringhole play porrinha random zero counter --quiet --games 100 --rotate-seats
	@$(BIN)/wateringhole play evolution silly random greedy --record games
	@record=games/$$(ls -t games | head -n 1) && echo && \
	  $(BIN)/wateringhole replay --verify "$$record" </dev/null && \
	  echo "Watch it again: $(BIN)/wateringhole replay $$record"

test: .venv/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_FLAGS)

# pytest's status 5 says that there was nothing to run.
test-slow: .venv/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) -m slow $(PYTEST_FLAGS) || [ $$? -eq 5 ]

check: .venv/.installed-dev
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

# The picture in the README, from a real game.
picture: .venv/.installed
	@$(BIN)/python tools/picture.py

bench: .venv/.installed
	@$(BIN)/wateringhole bench

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
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
	@$(INSTALL) --editable .
	@touch $@

# Whoever has this one has the other too.
.venv/.installed-dev: pyproject.toml | $(BIN)/pip
	@echo "Installing Watering Hole and the tools for its tests …"
	@$(INSTALL) --editable '.[dev]'
	@touch .venv/.installed $@
