PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STUDIO := .venv-label-studio

.DEFAULT_GOAL := help
.PHONY: help demo check test landing nightly lint docs bench hub label-studio pictures clean

help:  ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Tests by their markers (pyproject.toml): check is part of test, test and landing share nothing, nightly is everything.
CHECK := not (slow or integration or nightly or landing)
TEST := not (nightly or landing)
LANDING := landing
PYTEST := $(BIN)/pytest -n auto --dist worksteal

LINT := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

# Tests start hundreds of processes; without bytecode each would compile its libraries anew.
unexport PYTHONDONTWRITEBYTECODE

# Types take one core for most of the time that the tests take. Only what is found is printed, so that pytest's closing
# line stands last.
beside_lint = @mkdir -p build; { $(LINT); } >build/lint.txt 2>&1 & lint=$$!; \
	$(1); tests=$$?; wait $$lint || { cat build/lint.txt; exit 1; }; exit $$tests

# Label Studio's server is installed beside; without it its tests are skipped, or fail where all must run.
set_up = $(MAKE) --no-print-directory -j2 -k $(VENV)/installed-$(1) $(STUDIO)/installed || test -e $(VENV)/installed-$(1)

# Bytecode is compiled when it is first imported: of most that is installed, it never is. Of what pip says, a line per
# package and per large file is shown.
SHELL := bash
pip = set -o pipefail; $(1)/bin/pip install --no-compile --disable-pip-version-check --progress-bar off
briefly := | awk '/^Collecting |^ *Downloading .* [MG]B|^Installing / { sub(/: .*/, " …"); print; fflush() }'

demo: $(VENV)/installed  ## Build the embedded sample into ./release, load it back and show it
	$(BIN)/blend build --out release
	$(BIN)/blend show release
	$(BIN)/python -c 'from datasets import load_dataset; print(load_dataset("release", "annotations"))'
	@echo "Now type . $(BIN)/activate, and this shell knows the command blend."

check: $(VENV)/installed-test  ## Check style and types, run the unit tests
	$(call beside_lint,$(PYTEST) --hypothesis-profile check -m "$(CHECK)")

test: $(VENV)/installed-test  ## Check style and types, run all tests that a change needs
	$(call beside_lint,$(PYTEST) -m "$(TEST)")

landing:  ## Run what must hold before a change lands, and test leaves out: one of each kind with a browser, Label Studio, a wheel
	@$(call set_up,landing)
	$(PYTEST) -m "$(LANDING)"

nightly:  ## Check style and types, run all tests with more examples, 2,000 damaged inputs; say how much of the code they run
	@$(call set_up,nightly)
	$(BIN)/python tests/damage/many_damages.py --count 2000 --jobs 2
	$(call beside_lint,$(PYTEST) --hypothesis-profile nightly --cov --cov-report term --cov-report html:build/coverage)

lint: $(VENV)/installed-test  ## Check style and types
	$(LINT)

docs: $(VENV)/installed-docs  ## Write the documentation with its API reference into build/site
	$(BIN)/python .ci/doc_tables.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/installed-test  ## Measure what building a release takes, for docs/evidence.md
	$(BIN)/python benchmarks/build_scale.py

hub: $(VENV)/installed  ## Serve a Hub on this machine to try publishing on, and print its address and a token
	PYTHONPATH=tests $(BIN)/python -m helpers.hub.hub_server hub

label-studio: $(VENV)/installed $(STUDIO)/installed  ## Serve Label Studio on this machine to try annotation with, and print address and token
	PYTHONPATH=tests $(BIN)/python -m helpers.label_studio.studio_server label-studio

pictures: $(VENV)/installed-landing $(STUDIO)/installed  ## Take the pictures of docs/annotating.md anew, in a browser
	PYTHONPATH=tests $(BIN)/python .ci/pictures.py docs/images

clean:  ## Remove what the other targets made
	rm -rf $(VENV) $(STUDIO) release hub label-studio build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing what blend needs into $(VENV) (a minute) …"
	@$(call pip,$(VENV)) -c constraints.txt -e . $(briefly)
	@touch $@

$(VENV)/installed-test: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing what the tests need into $(VENV) (some 2 GB, minutes) …"
	@$(call pip,$(VENV)) -c constraints.txt -e ".[test,dask,cultural-prompts,judge,eval,report,vectors,wikidata,hausastemmer,jieba,kiwipiepy,opencc,sudachipy]" appdirs httpx jsf lxml pandas PyJWT xmljson $(briefly)
	@# The extra annotate without opencv, black and what else its SDK asks for and does not use here: they hold numpy
	@# below 2.3, and everything would be tested with that.
	@$(call pip,$(VENV)) --no-deps "label-studio-sdk>=2.1,<3" $(briefly)
	@touch $@ $(VENV)/installed

# No test of `make test` needs these.
$(VENV)/installed-landing: $(VENV)/installed-test
	@echo "Installing what the tests before a landing need into $(VENV) …"
	@$(call pip,$(VENV)) -c constraints.txt -e ".[cluster,docs,test-landing]" $(briefly)
	@touch $@

$(VENV)/installed-nightly: $(VENV)/installed-landing
	@echo "Installing what the tests of the night need into $(VENV) (minutes) …"
	@$(call pip,$(VENV)) -c constraints.txt -e ".[test-nightly]" $(briefly)
	@touch $@

$(VENV)/installed-docs: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing what the docs need into $(VENV) (minutes) …"
	@$(call pip,$(VENV)) -c constraints.txt -e ".[docs,report]" $(briefly)
	@touch $@ $(VENV)/installed

# Its own environment, and one version: the server pins what it needs to versions of its own.
$(STUDIO)/installed: Makefile
	$(PYTHON) -m venv $(STUDIO)
	@echo "Installing Label Studio into $(STUDIO) (minutes) …"
	@$(call pip,$(STUDIO)) label-studio==1.23.2 $(briefly)
	@touch $@
